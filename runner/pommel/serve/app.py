"""The server as an application: the table of its pages, and how each is answered.

A page has an address, a function and a template of the function's name. What it is asked comes from
the address, or from what was sent, and is checked against a type; what the function returns is
shown by the template, or, under the same address with `.json` or with `Accept: application/json`,
is the JSON.
"""

import inspect
import typing
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache, cached_property
from http import HTTPStatus
from importlib.resources import files
from operator import attrgetter
from typing import Any, Literal
from urllib.parse import quote

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pommel.errors import PommelError, package_version
from pommel.serve import board, looking, receiving
from pommel.serve.guard import Door, Guard, RefusedError, limited_body
from pommel.serve.people import Person, Scope as Allowed
from pommel.serve.shelf import NotShownError
from pommel.serve.shown_board import NotReadyError
from pommel.serve.site import Download, Moved, Nothing, Site
from pommel.suite import PublishedSuite
from pommel.values import frozen

if typing.TYPE_CHECKING:
    from jinja2 import Environment

_JSON = ".json"
# How a file is sent that is no field of a form, and what an archive begins with.
_FILES = frozenset({"application/octet-stream", "application/zip"})
_ZIP = b"PK\x03\x04"
_MOST_FIELDS = 1_000


@frozen
class Asking:
    """Who asks, and where this server is to them: `https://lab.example.org`, without a slash."""

    person: Person
    base: str


@frozen(slots=False)
class Page:
    """A page, or what is done when something is sent: its address and its function.

    `asked` is the type of what the query, or what was sent, has to say. The function is about a
    part of the site (`about`, "" for all of it), is given what was asked, what the address names,
    and, if it takes a `person` or a `base`, who asks and where the server is (`Asking`). Where the
    site lacks that part there is no such page. What is sent has `body_bytes` at most; where it is a
    file and no form, it is the field `file`.
    """

    path: str
    asked: type[Any]
    says: Callable[..., object]
    about: str = "shelf"
    needs: Allowed = "read"
    method: Literal["GET", "POST"] = "GET"
    body_bytes: int = 1 << 20
    file: str = ""

    @property
    def name(self) -> str:
        """What its template is called."""
        return self.says.__name__

    @property
    def answer(self) -> Any:
        """The type of what it says."""
        return self._types["return"]

    @cached_property
    def _types(self) -> Mapping[str, Any]:
        return typing.get_type_hints(self.says, include_extras=True)

    @property
    def of_path(self) -> Mapping[str, Any]:
        """The types of what its address names."""
        names = [part[1:-1] for part in self.path.split("/") if part.startswith("{")]
        return {name: self._types[name] for name in names}

    def answered(self, site: Site, given: object, path: Mapping[str, str], who: "Asking") -> object:
        """Return what the page says; raises `RefusedError` for what it cannot be asked."""
        about = attrgetter(self.about)(site) if self.about else site
        if about is None:
            raise RefusedError(404, "there is no such page: this server was started without it")
        try:
            asked = msgspec.convert(given, self.asked, strict=False)
            named = {
                name: msgspec.convert(path[name], kind, strict=False)
                for name, kind in self.of_path.items()
            }
        except msgspec.ValidationError as error:
            what = "this address cannot be" if self.method == "GET" else "this cannot be taken"
            raise RefusedError(400, f"{what}: {error}") from None
        about_asking = {"person": who.person, "base": who.base}
        taken = inspect.signature(self.says).parameters
        named |= {name: each for name, each in about_asking.items() if name in taken}
        return self.says(about, asked, **named)

    async def given(self, request: Request, body_seconds: float) -> object:
        """Return what was asked as values without types: of the query, a form, or JSON."""
        if self.method == "GET":
            return self._of_pairs(request.query_params.multi_items())
        body = await limited_body(request.receive, self.body_bytes, body_seconds)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json":
            try:
                return msgspec.json.decode(body)
            except msgspec.DecodeError as error:
                raise RefusedError(400, f"this is no JSON: {error}") from None
        if not body:
            return self._of_pairs([])
        # As curl sends a file, it calls it a form.
        if self.file and (kind in _FILES or body.startswith(_ZIP)):
            return {self.file: {"name": "", "content": body}}
        if kind not in {"application/x-www-form-urlencoded", "multipart/form-data"}:
            raise RefusedError(415, "send a form, or application/json")
        try:
            sent = Request(request.scope, _once(body))
            async with sent.form(max_files=8, max_fields=_MOST_FIELDS) as form:
                pairs = [
                    (name, value)
                    if isinstance(value, str)
                    else (name, {"name": value.filename or "", "content": await value.read()})
                    for name, value in form.multi_items()
                ]
        except (MultiPartException, HTTPException, ValueError) as error:
            raise RefusedError(400, f"this form cannot be read: {error}") from None
        return self._of_pairs(pairs)

    def _of_pairs(self, pairs: typing.Iterable[tuple[str, object]]) -> dict[str, object]:
        """Return the fields that are asked for; of several values of one that is none, the last."""
        found: dict[str, object] = {}
        hints = typing.get_type_hints(self.asked)
        for each in fields(self.asked):
            values = [value for name, value in pairs if name == each.name]
            if values:
                is_tuple = typing.get_origin(hints[each.name]) is tuple
                found[each.name] = values if is_tuple else values[-1]
        return found


_SUBMISSION_BYTES, _SUITE_BYTES = 66 << 20, 16 << 20


def _of_inbox(about: str, root: str) -> tuple[Page, ...]:
    """Return the pages by which something is looked at that was sent, and is decided."""
    queue = f"{root}/queue"
    decisions = (
        ("accept", receiving.AcceptAsked, receiving.accept),
        ("refuse", receiving.ReasonAsked, receiving.refuse),
    )
    return (
        Page(path=queue, asked=Nothing, says=receiving.queue, about=about, needs="keep"),
        Page(
            path=f"{root}/uploads/{{upload_id}}",
            asked=Nothing,
            says=receiving.upload,
            about=about,
        ),
        *(
            Page(
                path=f"{queue}/{{upload_id}}/{name}",
                asked=asked,
                says=says,
                about=about,
                needs="keep",
                method="POST",
            )
            for name, asked, says in decisions
        ),
    )


# A board, what is sent for it, and suites that are proposed.
_RECEIVING: tuple[Page, ...] = (
    Page(path="/board", asked=board.RankingAsked, says=board.ranking, about="shown_board"),
    Page(path="/board/pairs", asked=Nothing, says=board.comparison, about="shown_board"),
    Page(path="/board/submissions/{submission_id}", asked=Nothing, says=board.submission, about=""),
    Page(path="/board/suites/{key}", asked=Nothing, says=board.pinned, about="shown_board"),
    Page(path="/board/leaderboard.csv", asked=Nothing, says=board.ranking_csv, about="shown_board"),
    Page(path="/board/pairs.csv", asked=Nothing, says=board.pairs_csv, about="shown_board"),
    Page(path="/board/suites.zip", asked=Nothing, says=board.suites_zip, about="shown_board"),
    Page(path="/board/style.css", asked=Nothing, says=board.board_style, about="shown_board"),
    Page(path="/board/tables.js", asked=Nothing, says=board.board_script, about="shown_board"),
    Page(path="/board/feed", asked=Nothing, says=board.news, about="shown_board"),
    Page(path="/board/feed.atom", asked=Nothing, says=board.atom, about="shown_board"),
    Page(path="/board/submit", asked=Nothing, says=receiving.submit, about="submissions"),
    Page(
        path="/board/submit",
        asked=receiving.SubmissionAsked,
        says=receiving.send,
        about="submissions",
        needs="upload",
        method="POST",
        body_bytes=_SUBMISSION_BYTES,
        file="submission",
    ),
    *_of_inbox("submissions", "/board"),
    Page(
        path="/board/submissions/{submission_id}/withdraw",
        asked=receiving.ReasonAsked,
        says=receiving.withdraw,
        about="submissions",
        needs="keep",
        method="POST",
    ),
    Page(
        path="/board/verify",
        asked=receiving.VerifyAsked,
        says=receiving.verify,
        about="submissions",
        needs="keep",
        method="POST",
    ),
    Page(
        path="/suites/propose",
        asked=Nothing,
        says=receiving.propose,
        about="proposals",
        needs="upload",
    ),
    Page(
        path="/suites/propose",
        asked=receiving.ProposalAsked,
        says=receiving.propose_suite,
        about="proposals",
        needs="upload",
        method="POST",
        body_bytes=_SUITE_BYTES,
    ),
    *_of_inbox("proposals", "/suites"),
)

PAGES: tuple[Page, ...] = (
    # Before what names a suite in its address.
    *_RECEIVING,
    Page(path="/", asked=Nothing, says=looking.start),
    Page(path="/runs", asked=looking.RunsAsked, says=looking.runs),
    Page(path="/compare", asked=looking.ComparedAsked, says=looking.compare),
    Page(path="/suites/{key}", asked=looking.SuiteAsked, says=looking.suite),
    Page(path="/suites/{key}/items/{number}", asked=looking.ItemAsked, says=looking.item),
)


def make_app(site: Site, door: Door) -> ASGIApp:
    """Return the server of a site as an ASGI application; `door` says who may come in."""

    def route(page: Page) -> BaseRoute:
        async def answer(request: Request) -> Response:
            person: Person = request.scope["pommel.person"]
            if not person.may(page.needs):
                raise RefusedError(403, f"this needs a token that allows to {page.needs}")
            given = await page.given(request, door.limits.body_seconds)
            # Behind a proxy, browsers reach it by HTTPS.
            scheme = "https" if door.proxy else request.url.scheme
            who = Asking(person=person, base=f"{scheme}://{request.headers['host']}")
            said = await run_in_threadpool(page.answered, site, given, request.path_params, who)
            return _answer(request, page, said, site)

        return Route(page.path, answer, name=page.name, methods=[page.method])

    async def openapi(_request: Request) -> Response:
        return JSONResponse(document())

    app = Starlette(
        routes=[
            *map(route, PAGES),
            Route("/openapi", openapi),
            Mount("/static", StaticFiles(directory=str(files(__package__) / "static"))),
        ],
        exception_handlers={
            RefusedError: _refused,
            PommelError: _wrong,
            HTTPException: _not_found,
        },
    )
    return Guard(_with_json(app), door)


def _answer(request: Request, page: Page, said: object, site: Site) -> Response:
    """Return what a page says as whoever asks can read it."""
    if isinstance(said, Moved):
        # What htmx has asked for is followed by the window, not by what it would have put in it.
        if "hx-request" in request.headers:
            return Response(headers={"HX-Redirect": said.to})
        if request.scope["pommel.is_json"]:
            return JSONResponse({"to": said.to})
        return RedirectResponse(said.to, status_code=303)
    if isinstance(said, Download):
        called = f"attachment; filename*=UTF-8''{quote(said.name, safe='')}"
        headers = {"Content-Disposition": called} if said.name else {}
        return Response(said.content, media_type=said.media_type, headers=headers)
    if request.scope["pommel.is_json"]:
        return Response(msgspec.json.encode(said), media_type="application/json")
    template = _environment().get_template(f"{page.name}.html.j2")
    person = request.scope["pommel.person"]
    return HTMLResponse(template.render(page=said, address=request.url, site=site, person=person))


def _once(body: bytes) -> Receive:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def document() -> dict[str, object]:
    """Return the OpenAPI document of all pages, made from their types."""
    kinds = [kind for page in PAGES for kind in (page.asked, page.answer)]
    found, schemas = msgspec.json.schema_components(
        kinds, ref_template="#/components/schemas/{name}"
    )
    names = Counter(page.name for page in PAGES)
    paths: dict[str, dict[str, object]] = {}
    for page, asking, answer in zip(PAGES, found[::2], found[1::2], strict=True):
        asked = schemas[page.asked.__name__]
        in_query = [
            {
                "name": name,
                "in": "query",
                "required": name in asked["required"],
                "schema": schema,
            }
            for name, schema in asked["properties"].items()
            if page.method == "GET"
        ]
        body = {"content": {kind: {"schema": asking} for kind in _SENT_AS}}
        in_path = [
            {"name": name, "in": "path", "required": True, "schema": msgspec.json.schema(kind)}
            for name, kind in page.of_path.items()
        ]
        content = {"application/json": {"schema": answer}, "text/html": {}}
        paths.setdefault(page.path, {})[page.method.lower()] = {
            # Submissions and suites that were proposed are looked at by the same functions.
            "operationId": page.name if names[page.name] == 1 else f"{page.about}_{page.name}",
            "summary": page.says.__doc__,
            "parameters": [*in_path, *in_query],
            **({"requestBody": body} if page.method == "POST" else {}),
            "responses": {"200": {"description": page.says.__doc__, "content": content}},
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "pommel", "version": package_version("pommel")},
        "paths": paths,
        "components": {"schemas": schemas},
    }


# How what a page is sent may be written.
_SENT_AS = ("application/x-www-form-urlencoded", "multipart/form-data", "application/json")


def _with_json(app: ASGIApp) -> ASGIApp:
    """Return an application that hears of JSON by the scope, and not by the address."""

    async def told(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path, headers = scope["path"], dict(scope["headers"])
            is_json = path.endswith(_JSON) or headers.get(b"accept") == b"application/json"
            path = path.removesuffix(_JSON)
            path = "/" if path == "/index" else path
            scope = {**scope, "path": path, "pommel.is_json": is_json}
        await app(scope, receive, send)

    return told


async def _refused(request: Request, error: Exception) -> Response:
    status = error.status if isinstance(error, RefusedError) else 500
    return _failure(request, status, str(error))


async def _wrong(request: Request, error: Exception) -> Response:
    kinds = {NotShownError: 404, NotReadyError: 503}
    status = next((each for kind, each in kinds.items() if isinstance(error, kind)), 400)
    return _failure(request, status, str(error))


async def _not_found(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    is_lacking = status == HTTPStatus.NOT_FOUND
    return _failure(request, status, "there is no such page" if is_lacking else str(error))


def _failure(request: Request, status: int, message: str) -> Response:
    """Return what is wrong, as whoever asks can read it."""
    if request.scope["pommel.is_json"]:
        return JSONResponse({"error": message}, status_code=status)
    template = _environment().get_template("failure.html.j2")
    person = request.scope["pommel.person"]
    text = template.render(message=message, site=None, person=person)
    return HTMLResponse(text, status_code=status)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"direction": PublishedSuite.direction}
    environment.filters |= {"share": _share, "bits": _bits}
    return environment


def _share(value: float | None) -> str:
    return "\N{EN DASH}" if value is None else f"{value:.3f}"


def _bits(value: float | None) -> str:
    return "\N{EN DASH}" if value is None else f"{value:.2f}"
