"""The dashboard as an app: every page with its twin for programs, every action, the stream, and the static files."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from recollect.api import Recollect
from recollect.errors import BadInput, NotFound, OnlyAPerson, RecollectError, StoreBusy, StoreReadOnly
from recollect.surfaces.json_answers import dump_json, error_to_json
from recollect.surfaces.ui.access import Visitor
from recollect.surfaces.ui.background import BackgroundJobs
from recollect.surfaces.ui.call import WebCall
from recollect.surfaces.ui.live import LiveChanges
from recollect.surfaces.ui.open_memories import OpenMemories
from recollect.surfaces.ui.openapi import describe_api
from recollect.surfaces.ui.renderer import STATIC_FOLDER, render
from recollect.surfaces.ui.screen import Action, Outcome, Page
from recollect.surfaces.ui.table import make_screens
from recollect.surfaces.ui.translate import choose_language, load_catalogue

# Where an error of ours is answered with another status than 500. The first that fits counts.
_STATUSES: Sequence[tuple[type[RecollectError], int]] = (
    (OnlyAPerson, 403),
    (NotFound, 404),
    (BadInput, 400),
    (StoreBusy, 503),
    (StoreReadOnly, 503),
)
_MONTH = 60 * 60 * 24 * 30
Endpoint = Callable[[Request], Awaitable[Response]]


class Dashboard:
    """The pages and actions over the memories that are open."""

    def __init__(self, memories: OpenMemories) -> None:
        self.memories = memories
        self.jobs = BackgroundJobs(memories.open_memory)
        self.live = LiveChanges(lambda: (*memories.version(), self.jobs.steps))
        self.pages, self.actions = make_screens(memories, self.jobs)

    def make_app(self) -> Starlette:
        """The app, without the guard before it."""
        routes = [
            *(route for page in self.pages for route in self._page_routes(page)),
            *(Route(action.path, self._action(action), methods=[action.method]) for action in self.actions),
            Route("/preferences", _set_preferences, methods=["POST"]),
            Route("/live", self._stream, methods=["GET"]),
            Route("/openapi.json", self._openapi, methods=["GET"]),
            Route("/export.jsonl", self._export, methods=["GET"]),
            Route("/static/{path:path}", _static, methods=["GET"]),
        ]
        return Starlette(
            routes=routes,
            middleware=[Middleware(GZipMiddleware, minimum_size=600)],
            exception_handlers={HTTPException: self._http_error},  # type: ignore[dict-item]
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> Any:
        yield
        await self.live.end()
        await run_in_threadpool(self.jobs.end)
        await run_in_threadpool(self.memories.close)

    # -- pages -------------------------------------------------------------------------------------------

    def _page_routes(self, page: Page) -> list[Route]:
        twin = f"{page.path.rstrip('/') or '/health'}.json"
        return [
            Route(twin, self._page(page, as_json=True), methods=["GET"]),
            Route(page.path, self._page(page), methods=["GET"]),
        ]

    def _page(self, page: Page, *, as_json: bool = False) -> Endpoint:
        async def show(request: Request) -> Response:
            wants_json = as_json or _wants_json(request)
            try:
                call = await _read_call(request)
                return await run_in_threadpool(self._show, page, call, request, as_json=wants_json)
            except RecollectError as error:
                return await run_in_threadpool(self._error, request, error, as_json=wants_json)

        return show

    def _show(self, page: Page, call: WebCall, request: Request, *, as_json: bool) -> Response:
        language = _language(request)

        def answer(memory: Recollect) -> Response:
            screen = page.show(memory, call)
            if as_json:
                return _json_response(screen.answer())
            common = self._common(memory, request, call, page.name)
            is_part = page.part and call.target
            template = page.part if is_part else page.template
            return HTMLResponse(render(language, template, {**common, **screen.values}))

        return self.memories.run(call.standing, answer)

    def _common(self, memory: Recollect, request: Request, call: WebCall, name: str) -> dict[str, Any]:
        """What every page shows: where one is, what waits, and how it looks."""
        waiting = self.memories.remember_answer(
            memory, ("waiting",), lambda: memory.admin.stats().needs_review
        )
        project = memory.project()
        query = f"?{call.query}" if call.query else ""
        return {
            "page": name,
            "waiting_count": waiting,
            "project_name": project.name if project else "",
            "theme": request.cookies.get("recollect_theme", "auto"),
            "here": request.url.path + query,
            "twin": f"{request.url.path.rstrip('/') or '/health'}.json{query}",
            "is_person": call.standing is Visitor.PERSON,
            "query_text": call.query,
            "kinds": list(memory.kinds),
        }

    # -- actions -----------------------------------------------------------------------------------------

    def _action(self, action: Action) -> Endpoint:
        async def act(request: Request) -> Response:
            as_json = _wants_json(request)
            try:
                call = await _read_call(request)
                outcome = await run_in_threadpool(
                    self.memories.run, call.standing, lambda memory: action.act(memory, call)
                )
            except RecollectError as error:
                return await run_in_threadpool(self._error, request, error, as_json=as_json)
            if as_json:
                return _json_response(outcome.answer, outcome.status)
            return await run_in_threadpool(_show_outcome, request, outcome)

        return act

    # -- errors ------------------------------------------------------------------------------------------

    def _error(self, request: Request, error: RecollectError, *, as_json: bool) -> Response:
        status = next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)
        return self._tell_error(request, status, str(error), error.fix, error_to_json(error), as_json=as_json)

    async def _http_error(self, request: Request, error: HTTPException) -> Response:
        known = {404: "There is no such page.", 405: "That cannot be done here."}
        sentence = known.get(error.status_code, str(error.detail))
        form = {"error": {"code": "not_found", "message": sentence, "hint": "", "fix": ""}}
        response = await run_in_threadpool(
            self._tell_error, request, error.status_code, sentence, "", form, as_json=_wants_json(request)
        )
        response.headers.update(error.headers or {})
        return response

    def _tell_error(
        self,
        request: Request,
        status: int,
        sentence: str,
        fix: str,
        form: Mapping[str, Any],
        *,
        as_json: bool,
    ) -> Response:
        catalogue = load_catalogue(_language(request))
        if as_json:
            return _json_response(form, status)
        if request.headers.get("hx-request") == "true":
            toast = {"toast": {"text": catalogue.gettext(sentence), "kind": "error", "undo": ""}}
            return Response(status_code=status, headers={"HX-Trigger": json.dumps(toast)})
        values = {
            "page": "",
            "waiting_count": 0,
            "project_name": "",
            "theme": request.cookies.get("recollect_theme", "auto"),
            "here": request.url.path,
            "twin": "",
            "is_person": True,
            "query_text": "",
            "kinds": [],
            "status": status,
            "sentence": catalogue.gettext(sentence),
            "fix": fix,
        }
        return HTMLResponse(render(_language(request), "error.html", values), status)

    # -- the rest ----------------------------------------------------------------------------------------

    async def _stream(self, request: Request) -> Response:
        if self.live.is_full:
            return PlainTextResponse("Too many pages are open.\n", 503)
        return StreamingResponse(self.live.stream(), media_type="text/event-stream")

    async def _export(self, request: Request) -> Response:
        """Every memory, a line each, as `recollect export` writes them; with a memory of its own."""
        return StreamingResponse(self._export_lines(), media_type="application/x-ndjson")

    def _export_lines(self) -> Iterator[str]:
        with self.memories.open_memory(True) as memory:
            for line in memory.admin.export():
                yield json.dumps(line, ensure_ascii=False) + "\n"

    async def _openapi(self, request: Request) -> Response:
        return _json_response(describe_api(self.pages, self.actions), schema=False)


async def _read_call(request: Request) -> WebCall:
    catalogue = load_catalogue(_language(request))
    return WebCall(
        path=request.path_params,
        query=request.url.query,
        body=await request.body(),
        content_type=request.headers.get("content-type", ""),
        standing=request.state.standing,
        gettext=catalogue.gettext,
        ngettext=catalogue.ngettext,
        target=request.headers.get("hx-target", ""),
    )


def _wants_json(request: Request) -> bool:
    """Whether a program asks: it names JSON, or sends it, and no page of ours does."""
    if request.headers.get("hx-request") == "true":
        return False
    accepted = request.headers.get("accept", "")
    sends = request.headers.get("content-type", "").startswith("application/json")
    return "text/html" not in accepted and ("json" in accepted or sends or request.method != "GET")


def _language(request: Request) -> str:
    return choose_language(
        request.cookies.get("recollect_lang", ""), request.headers.get("accept-language", "")
    )


def _json_response(value: Mapping[str, Any], status: int = 200, *, schema: bool = True) -> Response:
    text = dump_json(value) if schema else json.dumps(value, ensure_ascii=False)
    # Without these three a browser that is made to read it as a page would find no element in it.
    for character, escape in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")):
        text = text.replace(character, escape)
    return Response(text, status, media_type="application/json")


def _show_outcome(request: Request, outcome: Outcome) -> Response:
    # What is shown in place of what asked has changed nothing: a preview, a test.
    triggers: dict[str, Any] = {} if outcome.part else {"changed": True}
    if outcome.sentence:
        kind = "warning" if outcome.is_warning else "good"
        triggers["toast"] = {"text": outcome.sentence, "kind": kind, "undo": outcome.undo}
    headers = {"HX-Trigger": json.dumps(triggers)}
    if outcome.go:
        headers["HX-Redirect"] = outcome.go
    if not outcome.part:
        return Response(status_code=204 if not outcome.go else 200, headers=headers)
    return HTMLResponse(render(_language(request), outcome.part, outcome.values), headers=headers)


async def _set_preferences(request: Request) -> Response:
    try:
        call = await _read_call(request)
        language, theme = call.text("language"), call.text("theme")
    except RecollectError as error:
        return _json_response(error_to_json(error), 400)
    response = Response(status_code=204, headers={"HX-Refresh": "true"})
    for name, value, allowed in (
        ("recollect_lang", language, ("en", "fr")),
        ("recollect_theme", theme, ("auto", "light", "dark")),
    ):
        if value in allowed:
            response.set_cookie(name, value, max_age=12 * _MONTH, samesite="strict", httponly=True)
    return response


_FILES = StaticFiles(directory=STATIC_FOLDER)


async def _static(request: Request) -> Response:
    response = await _FILES.get_response(request.path_params["path"], request.scope)
    response.headers["cache-control"] = (
        f"public, max-age={12 * _MONTH}, immutable" if "v" in request.query_params else "no-cache"
    )
    return response
