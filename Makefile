# Two commands on a fresh machine with git, make and Python >= 3.11: `make demo` and `make test`.
# The first that runs and is new enough: a name on the path may be a shim for a version that is not there.
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11 python; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11) or print(sys.executable))' 2>/dev/null && break; done)
VENV := .venv
BIN := $(if $(filter Windows_NT,$(OS)),$(VENV)/Scripts,$(VENV)/bin)
RUN := $(BIN)/python -m
READY := $(VENV)/ready
# Data for `make bench`: a folder with locomo and longmemeval files. Nothing in the project needs it.
BENCH_DATA ?= ../shared/bench

# Which coding agents `make test-clients` runs: claude-code, codex, gemini, opencode, qwen-code, openclaw, with commas, or all.
CLIENTS ?= all

# Which modules `make mutants` tries: model/trust retrieve/rank …; none named, all that decide.
MODULES ?=

.PHONY: help setup demo test test-durability test-clients test-adapters mutants coverage check format docs screenshots bench lock clean
help:  ## What can be made
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(READY)  ## A virtual environment in .venv with everything
$(READY): pyproject.toml requirements/dev.txt
	@test -n "$(PYTHON)" || { echo "recollect needs Python 3.11 or newer; none was found. Name one: make PYTHON=/path/to/python" >&2; exit 1; }
	@if command -v uv >/dev/null 2>&1 && uv venv -q --allow-existing --python "$(PYTHON)" $(VENV) && \
	  VIRTUAL_ENV=$(VENV) uv pip install -q --compile-bytecode --require-hashes -r requirements/dev.txt && \
	  VIRTUAL_ENV=$(VENV) uv pip install -q --no-deps --no-build-isolation -e . ; \
	then : ; \
	else \
	  "$(PYTHON)" -m venv --clear $(VENV) && \
	  $(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/dev.txt && \
	  $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e . ; \
	fi
	@touch $(READY)

demo: $(READY)  ## See memory work, on a throw-away store
	@$(BIN)/recollect demo

test: $(READY)  ## All tests
	$(RUN) pytest -n auto

test-durability: $(READY)  ## Kills, power cuts and faults by the hundred, with a table of what was lost
	$(RUN) pytest tests/durability --long

test-clients: $(READY)  ## Real coding agents, each in a room without a network (CLIENTS=claude-code,codex picks)
	$(RUN) compileall -q src
	$(RUN) pytest tests/clients --clients $(CLIENTS) -rs

test-adapters: $(READY)  ## The tests of other frameworks, run against our adapters in .venv-adapters
	$(BIN)/python tools/test_adapters.py

mutants: $(READY)  ## Mutation testing of the modules that decide (MODULES="model/trust" picks, --show prints changes)
	$(BIN)/python tools/mutants.py $(MODULES)

coverage: $(READY)  ## All tests once more, with the branch coverage of each room
	$(BIN)/python tools/coverage_by_room.py

check: $(READY)  ## Format, lint, types, import rule, spelling, generated docs
	$(RUN) ruff format --check .
	$(RUN) ruff check .
	$(RUN) mypy
	$(BIN)/lint-imports
	$(RUN) codespell_lib README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md docs src tools
	$(RUN) cogapp --check --check-fail-msg "run: make docs" README.md ARCHITECTURE.md docs/*.md

format: $(READY)  ## Put code in order
	$(RUN) ruff format .
	$(RUN) ruff check --fix .

docs: $(READY)  ## Write the generated parts of the docs
	$(BIN)/python tools/docs/claude_plugin.py
	$(BIN)/python tools/docs/rooms.py
	$(RUN) cogapp -r README.md ARCHITECTURE.md docs/*.md

screenshots: $(READY)  ## The pictures of the dashboard in docs/pictures, from the sample project
	$(BIN)/python tools/docs/screenshots.py

bench: $(READY)  ## The benchmarks, with their baselines in the same run
	$(RUN) benchmarks locomo $(BENCH_DATA)/locomo_dev.json
	$(RUN) benchmarks longmemeval $(BENCH_DATA)/longmemeval_dev.json
	$(RUN) benchmarks speed

lock: $(READY)  ## Pin all dependencies again (needs uv)
	uv pip compile -q pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --upgrade -o requirements/run.txt
	uv pip compile -q pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --upgrade -o requirements/dev.txt
	uv pip compile -q pyproject.toml --group adapters --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --upgrade -o requirements/adapters.txt
	uv pip compile -q pyproject.toml --group mutants -c requirements/dev.txt --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate -o requirements/mutants.txt

clean:  ## Remove what was made
	rm -rf $(VENV) .venv-adapters .adapters .mutants .clients build dist .mypy_cache .ruff_cache .hypothesis .import_linter_cache
