"""A scripted agent: prints what a script says as Claude Code's stream-json, and writes down what it was given."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def main() -> None:
    script, system = Path(sys.argv[1]), sys.argv[2]
    tier = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    given = script.with_suffix(".given.jsonl")
    asked = {"system": system, "prompt": sys.stdin.read(), "tier": tier, "environment": dict(os.environ)}
    with given.open("a") as out:
        out.write(json.dumps(asked) + "\n")
    number = len(given.read_text().splitlines())
    plans: list[list[Any]] = json.loads(script.read_text())
    say({"type": "system", "subtype": "init", "session_id": f"s{number}", "model": "scripted"})
    for step in plans[min(number, len(plans)) - 1]:
        act(step)


def act(step: Any) -> None:
    if isinstance(step, str):
        say(
            {
                "type": "assistant",
                "message": {"role": "assistant", "content": [{"type": "text", "text": step}]},
            }
        )
    elif "read" in step:
        content = [{"type": "tool_result", "tool_use_id": "t", "content": step["read"]}]
        say({"type": "user", "message": {"role": "user", "content": content}})
    elif "line" in step:
        say(step["line"])
    elif "raw" in step:
        sys.stdout.write(step["raw"])
        sys.stdout.flush()
    elif "sleep" in step:
        time.sleep(step["sleep"])
    elif "handoff" in step:
        Path(os.environ["RECOLLECT_OPS_HANDOFF"]).write_text(json.dumps(step["handoff"]))
    elif "start" in step:
        subprocess.Popen(
            [sys.executable, "-c", "import time; time.sleep(600)"],
            start_new_session=bool(step.get("apart")),
            stdout=subprocess.DEVNULL,
        )
    elif "run" in step:
        done = subprocess.run(step["run"], capture_output=True, text=True, check=False)
        act({"read": done.stdout + done.stderr})
    elif "exit" in step:
        sys.stderr.write("it went wrong\n")
        sys.exit(step["exit"])
    elif "result" in step:
        usage = {"input_tokens": 100, "cache_read_input_tokens": 20, "output_tokens": 7}
        whole = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 3, "result": "Done."}
        say({**whole, "total_cost_usd": 0.25, "usage": usage, **step["result"]})


def say(value: Any) -> None:
    sys.stdout.write(json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
