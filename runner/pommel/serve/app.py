"""The server as an application: the table of its pages, and how each is answered.

A page has an address, a function and a template of the function's name. What it is asked comes from
the address, or from what was sent, and is checked against a type; what the function returns is
shown by the template, or, under the same address with `.json` or with `Accept: application/json`,
is the JSON.
"""

import types
import typing
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache, cached_property
from http import HTTPStatus
from importlib.resources import files
from itertools import chain
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Literal
from urllib.parse import parse_qsl, quote, urlencode

import msgspec
from starlette.applications import Starlette
from starlette.datastructures import URL, Headers
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from pommel.errors import PommelError, StoreError, package_version, printable
from pommel.report import page_environment
from pommel.serve import beginning, board, charts, looking, receiving, writing
from pommel.serve.desk import moment
from pommel.serve.guard import (
    ENTER,
    STATIC,
    Door,
    Guard,
    Held,
    Limits,
    RefusedError,
    Turns,
    limited,
    read_body,
)
from pommel.serve.jobs import BusyError
from pommel.serve.people import NOBODY, Person, Scope as Allowed
from pommel.serve.shelf import NotShownError
from pommel.serve.shown_board import NotReadyError
from pommel.serve.site import Download, Moved, Sent, Site
from pommel.serve.uploads import DecidedError
from pommel.suite import PublishedSuite
from pommel.values import frozen

if typing.TYPE_CHECKING:
    from jinja2 import Environment

_JSON = ".json"
# How a file is sent that is no field of a form, and what an archive begins with.
_FILES = frozenset({"application/octet-stream", "application/zip"})
_ZIP = b"PK\x03\x04"
_MOST_FIELDS = 1_000
_MOST_FILES = 8
_FORM, _PARTS = "application/x-www-form-urlencoded", "multipart/form-data"
_AS_JSON = "application/json"
_Needs = Allowed | tuple[Allowed, ...]


@frozen
class Asking:
    """Who asks, and where this server is to them: `https://lab.example.org`, without a slash."""

    person: Person
    base: str


@frozen(slots=False)
class Page:
    """A page, or what is done when something is sent: its address and its function.

    The function is about a part of the site (`about`, "" for all of it); where the site lacks that
    there is no such page. It is given what the query, or what was sent, says, by the type of its
    second argument (`asked`); what the address names; and, if it takes a `person` or a `base`, who
    asks and where the server is (`Asking`). What is sent has `body_bytes` at most; where it is a
    file and no form, it is the field `file`. Of several scopes that it `needs`, one is enough.
    """

    path: str
    says: Callable[..., object]
    about: str
    needs: _Needs = "read"
    method: Literal["GET", "POST"] = "GET"
    body_bytes: int = 1 << 20
    file: str = ""

    @property
    def name(self) -> str:
        """What its template is called."""
        return self.says.__name__

    @property
    def scopes(self) -> tuple[Allowed, ...]:
        """Those scopes of which one is needed."""
        return (self.needs,) if isinstance(self.needs, str) else self.needs

    @property
    def asked(self) -> type[Any]:
        """The type of what the query, or what was sent, has to say."""
        _about, asked, *_ = self._types.values()
        return asked  # type: ignore[no-any-return]

    @property
    def answer(self) -> Any:
        """The type of what it says."""
        return self._types["return"]

    @cached_property
    def _types(self) -> Mapping[str, Any]:
        return typing.get_type_hints(self.says, include_extras=True)

    @cached_property
    def _is_several(self) -> Mapping[str, bool]:
        """Of what is asked, by name, whether it is of several values."""
        hints = typing.get_type_hints(self.asked)
        return {each.name: _takes_several(hints[each.name]) for each in fields(self.asked)}

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
        named |= {name: each for name, each in about_asking.items() if name in self._types}
        return self.says(about, asked, **named)

    async def given(self, request: Request, limits: Limits) -> object:
        """Return what was asked as values without types: of the query, a form, or JSON."""
        if self.method == "GET":
            return self._of_pairs(request.query_params.multi_items())
        receive = limited(request.receive, self.body_bytes, limits)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == _PARTS:
            return self._of_pairs(await self._parts(Request(request.scope, receive)))
        is_file = bool(self.file) and kind in _FILES
        if not is_file and kind not in {_AS_JSON, _FORM} and (kind or self._length(request)):
            raise RefusedError(415, "send a form, or application/json")
        body = await read_body(receive)
        # As curl sends a file, it calls it a form.
        if is_file or (self.file and body.startswith(_ZIP)):
            return {self.file: {"name": "", "content": body}}
        if kind == _AS_JSON:
            try:
                return msgspec.json.decode(body)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise RefusedError(400, f"this is no JSON that can be taken: {error}") from None
        try:
            text = body.decode("ascii")
            pairs = parse_qsl(
                text, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
            )
        except ValueError as error:
            why = "it is not UTF-8" if isinstance(error, UnicodeError) else str(error)
            raise RefusedError(400, f"this form cannot be read: {why}") from None
        return self._of_pairs(pairs)

    async def _parts(self, request: Request) -> list[tuple[str, object]]:
        """Return what a form of parts has; its files are on the disk while they arrive."""
        most = {"max_files": _MOST_FILES, "max_fields": _MOST_FIELDS}
        try:
            async with request.form(**most, max_part_size=self.body_bytes) as form:
                return [
                    (name, value)
                    if isinstance(value, str)
                    else (name, {"name": _base(value.filename), "content": await value.read()})
                    for name, value in form.multi_items()
                ]
        except (MultiPartException, HTTPException, ValueError) as error:
            why = error.detail if isinstance(error, HTTPException) else str(error)
            raise RefusedError(400, f"this form cannot be read: {why}") from None

    def held_bytes(self, request: Request) -> int:
        """Return how much may have to be held of what is sent, by what its sender says."""
        length = self._length(request)
        if length is not None and length > self.body_bytes:
            raise RefusedError(413, f"more than {self.body_bytes:,} bytes are not taken")
        return 0 if self.method == "GET" else self.body_bytes if length is None else length

    @staticmethod
    def _length(request: Request) -> int | None:
        """Return how long what is sent is; None where that will be seen."""
        if "transfer-encoding" in request.headers:
            return None
        said = request.headers.get("content-length", "0")
        # Whatever else h11 has refused already.
        return int(said) if said.isascii() and said.isdigit() else None

    def _of_pairs(self, pairs: typing.Iterable[tuple[str, object]]) -> dict[str, object]:
        """Return the fields that are asked for; of several values of one that is none, the last."""
        given: dict[str, list[object]] = {}
        for name, value in pairs:
            given.setdefault(name, []).append(value)
        return {
            name: given[name] if is_several else given[name][-1]
            for name, is_several in self._is_several.items()
            if name in given
        }


def _takes_several(kind: object) -> bool:
    """Return whether a field is of several values, or may be."""
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        return any(map(_takes_several, typing.get_args(kind)))
    return (typing.get_origin(kind) or kind) in {tuple, list, frozenset, set}


def _base(name: str | None) -> str:
    """Return a file's own name, on one line; where it lay is its sender's business."""
    return printable((name or "").replace("\\", "/").rpartition("/")[2])


_SMALL, _LARGE, _ARCHIVE = 1 << 20, 16 << 20, 66 << 20
# Who can begin jobs: to run suites, or to have submissions scored again.
_STARTERS: _Needs = ("write", "keep")


def _get(path: str, about: str, needs: _Needs, says: Callable[..., object]) -> Page:
    """Return a page that is looked at."""
    return Page(path=path, about=about, needs=needs, says=says)


def _post(  # noqa: PLR0913 - a row of the table
    path: str,
    about: str,
    needs: _Needs,
    says: Callable[..., object],
    body_bytes: int = _SMALL,
    *,
    file: str = "",
) -> Page:
    """Return what is done when something is sent."""
    return Page(
        path=path,
        about=about,
        needs=needs,
        says=says,
        method="POST",
        body_bytes=body_bytes,
        file=file,
    )


# Address, part of the site ("" for all of it), what a token has to allow, function; of what is
# sent, how large it may be. Of two that fit an address, the first is meant.
PAGES: tuple[Page, ...] = (
    # A board, and what is sent for it.
    _get("/board", "shown_board", "read", board.ranking),
    _get("/board/pairs", "shown_board", "read", board.comparison),
    _get("/board/submissions/{submission_id}", "submissions", "read", board.submission),
    _get("/board/suites/{key}", "shown_board", "read", board.pinned),
    _get("/board/leaderboard.csv", "shown_board", "read", board.ranking_csv),
    _get("/board/pairs.csv", "shown_board", "read", board.pairs_csv),
    _get("/board/suites.zip", "shown_board", "read", board.suites_zip),
    _get("/board/style.css", "shown_board", "read", board.board_style),
    _get("/board/tables.js", "shown_board", "read", board.board_script),
    _get("/board/feed", "shown_board", "read", board.news),
    _get("/board/feed.atom", "shown_board", "read", board.atom),
    _get("/board/submit", "submissions", "read", receiving.submit),
    _post("/board/submit", "submissions", "upload", receiving.send, _ARCHIVE, file="submission"),
    _get("/board/uploads/{upload_id}", "submissions", "read", receiving.upload),
    _get("/board/queue", "submissions", "keep", receiving.queue),
    _post("/board/queue/{upload_id}/accept", "submissions", "keep", receiving.accept),
    _post("/board/queue/{upload_id}/refuse", "submissions", "keep", receiving.refuse),
    _post("/board/submissions/{submission_id}/withdraw", "submissions", "keep", receiving.withdraw),
    _post("/board/verify", "submissions", "keep", receiving.verify),
    # Suites that are proposed.
    _get("/suites/propose", "proposals", "upload", receiving.propose),
    _post("/suites/propose", "proposals", "upload", receiving.propose_suite, _LARGE),
    _get("/suites/uploads/{upload_id}", "proposals", "read", receiving.upload),
    _get("/suites/queue", "proposals", "keep", receiving.queue),
    _post("/suites/queue/{upload_id}/accept", "proposals", "keep", receiving.accept),
    _post("/suites/queue/{upload_id}/refuse", "proposals", "keep", receiving.refuse),
    # What is in the store, and the pictures that its pages show.
    _get("/", "shelf", "read", looking.start),
    _get("/models", "shelf", "read", looking.models),
    _get("/suites", "shelf", "read", looking.suites),
    _get("/runs", "shelf", "read", looking.runs),
    _get("/families", "shelf", "read", looking.families),
    _get("/families/{key}", "shelf", "read", looking.family),
    _get("/compare", "shelf", "read", looking.compare),
    _get("/suites/{key}", "shelf", "read", looking.suite),
    _get("/suites/{key}/items/{number}", "shelf", "read", looking.item),
    _get("/suites/{key}/sheet.md", "shelf", "read", looking.sheet),
    _get("/charts/regions.svg", "shelf", "read", charts.regions_chart),
    _get("/charts/family.svg", "shelf", "read", charts.family_chart),
    # Suites that are written here.
    _get("/write", "", "write", beginning.write),
    _post("/write/new", "", "write", beginning.write_new),
    _post("/write/copy", "", "write", beginning.write_copy),
    _post("/write/table", "", "write", beginning.write_table, _LARGE),
    _post("/write/samples", "", "write", beginning.write_samples, _LARGE),
    _post("/write/grammar", "", "write", beginning.write_grammar, _LARGE),
    _post("/write/run", "", "write", beginning.write_run),
    _get("/drafts/{draft_id}", "", "write", writing.draft),
    _post("/drafts/{draft_id}/texts", "", "write", writing.draft_texts, _LARGE),
    _post("/drafts/{draft_id}/changes", "", "write", writing.draft_changes, _LARGE),
    _get("/drafts/{draft_id}/panes", "", "write", writing.draft_panes),
    _get("/drafts/{draft_id}/news", "", "write", writing.draft_news),
    _get("/drafts/{draft_id}/doubts", "", "write", writing.draft_doubts),
    _get("/drafts/{draft_id}/item", "", "write", writing.draft_item),
    _get("/drafts/{draft_id}/download", "", "write", beginning.draft_download),
    _post("/drafts/{draft_id}/save", "", "write", beginning.draft_save),
    _post("/drafts/{draft_id}/discard", "", "write", beginning.draft_discard),
    _post("/drafts/{draft_id}/run", "", "write", beginning.draft_run),
    # What goes on beside requests.
    _get("/jobs", "jobs", _STARTERS, beginning.jobs),
    _get("/jobs/{job_id}", "jobs", _STARTERS, beginning.job),
    _post("/jobs/{job_id}/cancel", "jobs", _STARTERS, beginning.job_cancel),
)


def make_app(site: Site, door: Door, pages: Sequence[Page] = PAGES) -> ASGIApp:
    """Return the server of a site as an ASGI application; `door` says who may come in."""
    held, turns = Held(door.limits), Turns(door.limits)

    def route(page: Page) -> BaseRoute:
        async def answer(request: Request) -> Response:
            person: Person = request.scope["pommel.person"]
            if not any(map(person.may, page.scopes)):
                is_known = bool(person.name)
                raise RefusedError(
                    403 if is_known else 401,
                    f"this needs a token that allows to {' or to '.join(page.scopes)}",
                    asks_for_token=not is_known,
                )
            # All of it is here before it takes a thread, and is held until it is answered.
            with held.of(page.held_bytes(request)):
                given = await page.given(request, door.limits)

                # Behind a proxy, browsers reach it by HTTPS.
                scheme = "https" if door.proxy else request.url.scheme
                who = Asking(person=person, base=f"{scheme}://{request.headers['host']}")

                def answered() -> Response:
                    said = page.answered(site, given, request.path_params, who)
                    return _answer(request, page, said, site)

                return await turns.run(request.scope["pommel.sender"], answered)

        return Route(page.path, answer, name=page.name, methods=[page.method])

    async def openapi(_request: Request) -> Response:
        return JSONResponse(document(pages))

    def refusal(scope: Scope, refused: RefusedError) -> Response:
        return _failure(scope, site, refused)

    async def failed(request: Request, error: Exception) -> Response:
        return refusal(request.scope, _refused(error))

    app = Starlette(
        routes=[
            *map(route, pages),
            Route("/openapi", openapi),
            Mount(STATIC, StaticFiles(directory=str(files(__package__) / "static"))),
        ],
        exception_handlers=dict.fromkeys(
            (RefusedError, PommelError, HTTPException, Exception), failed
        ),
    )
    # Another address is another page; and behind a proxy we do not know our own.
    app.router.redirect_slashes = False
    return Guard(_with_json(app), door, refusal)


def _answer(request: Request, page: Page, said: object, site: Site) -> Response:
    """Return what a page says as whoever asks can read it."""
    if isinstance(said, Moved):
        if _wants_json(request.scope):
            return JSONResponse({"to": said.to})
        # What htmx has asked for is followed by the window, not by what it would have put in it.
        if "hx-request" in request.headers:
            return Response(headers={"HX-Redirect": quote(said.to, safe=_IN_ADDRESS)})
        return RedirectResponse(said.to, status_code=303)
    if isinstance(said, Download):
        called = f"attachment; filename*=UTF-8''{quote(said.name, safe='')}"
        headers = {"Content-Disposition": called} if said.name else {}
        return Response(said.content, media_type=said.media_type, headers=headers)
    if _wants_json(request.scope):
        return Response(msgspec.json.encode(said), media_type=_AS_JSON)
    template = _environment().get_template(f"{page.name}.html.j2")
    person = request.scope["pommel.person"]
    text = template.render(page=said, address=request.url, site=site, person=person)
    return HTMLResponse(text)


# What stands in an address as it is, percent signs of what is quoted already among it.
_IN_ADDRESS = ":/%#?=@[]!$&'()*+,;"
# Where templates/page.html.j2 has a place for what went wrong.
_TO_FAILURE: Mapping[str, str] = {"HX-Retarget": "#failure", "HX-Reswap": "innerHTML show:top"}


def _refused(error: Exception) -> RefusedError:
    """Return what went wrong as a request is told it."""
    match error:
        case RefusedError():
            return error
        case NotShownError():
            return RefusedError(404, str(error))
        case DecidedError():
            return RefusedError(409, str(error))
        case NotReadyError():
            refused = RefusedError(503, str(error))
            # A browser asks again by itself.
            refused.headers["Refresh"] = refused.headers["Retry-After"]
            return refused
        case BusyError() | StoreError():
            # Nothing is wrong with what was asked.
            return RefusedError(503, str(error))
        case PommelError():
            return RefusedError(400, str(error))
        case HTTPException(status_code=HTTPStatus.NOT_FOUND):
            return RefusedError(404, "there is no such page")
        case HTTPException():
            is_method = error.status_code == HTTPStatus.METHOD_NOT_ALLOWED
            message = "this address is not for that" if is_method else error.detail
            refused = RefusedError(error.status_code, message)
            refused.headers |= error.headers or {}
            return refused
    # uvicorn writes the traceback.
    return RefusedError(500, "this is a fault of pommel's own; its log says more")


def _failure(scope: Scope, site: Site, refused: RefusedError) -> Response:
    """Return what is wrong, as whoever asks can read it."""
    headers = refused.headers
    if _wants_json(scope):
        return JSONResponse({"error": str(refused)}, refused.status, headers)
    if refused.status in _PLAIN:
        return PlainTextResponse(f"{refused}\n", refused.status, headers)
    person = scope.get("pommel.person", NOBODY)
    query = scope["query_string"].decode("latin-1")
    path = "/" if scope["path"] == ENTER else quote(scope["path"])
    is_for_htmx = "hx-request" in Headers(scope=scope)
    name = "failure_part.html.j2" if is_for_htmx else "failure.html.j2"
    text = (
        _environment()
        .get_template(name)
        .render(
            message=str(refused),
            refused=refused,
            enter=ENTER,
            # Without a token that opens nothing.
            to=f"{path}?{query}" if query and "token=" not in query else path,
            site=site if person.may("read") else None,
            person=person,
        )
    )
    more = _TO_FAILURE if is_for_htmx else {}
    return HTMLResponse(text, refused.status, {**headers, **more})


# Nothing is made ready for whoever floods us, or has come by a name that is not ours.
_PLAIN = frozenset({421, 429})


def document(pages: Sequence[Page] = PAGES) -> dict[str, object]:
    """Return the OpenAPI document of pages, made from their types."""
    answers = {page: _of_union(page.answer) for page in pages}
    kinds = [*(page.asked for page in pages), *chain(*answers.values()), Sent]
    found, schemas = msgspec.json.schema_components(
        kinds, ref_template="#/components/schemas/{name}"
    )
    by_kind = dict(zip(kinds, found, strict=True))
    names = Counter(page.name for page in pages)
    paths: dict[str, dict[str, object]] = {}
    for page in pages:
        asked = schemas[page.asked.__name__]
        in_path = [
            {"name": name, "in": "path", "required": True, "schema": msgspec.json.schema(kind)}
            for name, kind in page.of_path.items()
        ]
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
        said = {kind: by_kind[kind] for kind in answers[page]}
        paths.setdefault(page.path, {})[page.method.lower()] = {
            # Submissions and suites that were proposed are looked at by the same functions.
            "operationId": page.name if names[page.name] == 1 else f"{page.about}_{page.name}",
            "summary": page.says.__doc__ or page.name,
            "parameters": [*in_path, *in_query],
            **({"requestBody": _body(asked)} if page.method == "POST" else {}),
            "responses": _responses(said, page.says.__doc__ or page.name),
            "security": [{how: [each]} for each in page.scopes for how in ("token", "cookie")],
        }
    failure = {
        "type": "object",
        "required": ["error"],
        "properties": {"error": {"type": "string"}},
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "pommel",
            "version": package_version("pommel"),
            "description": "Each page is JSON, too: with .json behind its address, or with "
            "Accept: application/json.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": {
                "failure": {
                    "description": "What is wrong, and what to do about it",
                    "content": {_AS_JSON: {"schema": failure}, "text/html": {}, "text/plain": {}},
                }
            },
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The owner's token, or a personal one that allows what is "
                    "needed; a server that is open to all needs none for read",
                },
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "pommel-PORT",
                    "description": f"What browsers have from {ENTER}",
                },
            },
        },
    }


def _of_union(kind: object) -> tuple[Any, ...]:
    """Return the types of which a page says one."""
    is_union = isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union
    return typing.get_args(kind) if is_union else (kind,)


def _body(asked: Mapping[str, Any]) -> dict[str, object]:
    """Return how what a page is sent may be written: files in a form of parts, or in JSON."""
    sent = {"$ref": f"#/components/schemas/{Sent.__name__}"}
    names = [name for name, schema in asked["properties"].items() if sent in _parts_of(schema)]
    file = {"type": "string", "contentMediaType": "application/octet-stream"}
    form = {
        "type": "object",
        "required": asked["required"],
        "properties": {**asked["properties"], **dict.fromkeys(names, file)},
    }
    kinds = (_PARTS,) if names else (_FORM, _PARTS)
    content: dict[str, object] = {kind: {"schema": form} for kind in kinds}
    return {"content": {**content, _AS_JSON: {"schema": asked}}, "required": bool(form["required"])}


def _parts_of(schema: Mapping[str, Any]) -> list[object]:
    return [schema, *schema.get("anyOf", ()), schema.get("items")]


def _responses(said: Mapping[Any, object], about: str) -> dict[str, object]:
    """Return what a page may answer."""
    shown = [schema for kind, schema in said.items() if kind not in {Download, Moved}]
    content: dict[str, object] = {}
    if shown:
        content["text/html"] = {}
    if Moved in said:
        shown.append(said[Moved])
    if shown:
        content[_AS_JSON] = {"schema": {"anyOf": shown} if len(shown) > 1 else shown[0]}
    if Download in said:
        content["*/*"] = {}
    moved = {"description": "Another page says what has become of it"}
    return {
        "200": {"description": about, "content": content},
        **({"303": moved} if Moved in said else {}),
        "default": {"$ref": "#/components/responses/failure"},
    }


def _with_json(app: ASGIApp) -> ASGIApp:
    """Return an application whose addresses are without what says that JSON is wanted."""

    async def told(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path = scope["path"].removesuffix(_JSON)
            # The address is gone: what asked for JSON by it is to be known afterwards, too.
            scope = {
                **scope,
                "path": "/" if path == "/index" else path,
                "pommel.is_json": _wants_json(scope),
            }
        await app(scope, receive, send)

    return told


def _wants_json(scope: Scope) -> bool:
    """Return whether a request asks for JSON: by its address, or by what it accepts first."""
    if "pommel.is_json" in scope:
        return bool(scope["pommel.is_json"])
    path: str = scope["path"]
    accepts = Headers(scope=scope).get("accept", "")
    first = accepts.partition(",")[0].partition(";")[0].strip().lower()
    return path.endswith(_JSON) or first == _AS_JSON


@cache
def _environment() -> "Environment":
    environment = page_environment(__package__)
    environment.globals |= {"direction": PublishedSuite.direction, "href": _href}
    environment.filters |= {
        "share": _share,
        "bits": _bits,
        "signed": _signed,
        "step": _step,
        "moment": moment,
        "counted": _counted,
        "pinned": _pinned,
    }
    return environment


def _href(
    address: URL | None, path: str = "", changed: Mapping[str, object] = MappingProxyType({})
) -> str:
    """Return a link to another page, or with "" to the same one, asked something else in part.

    The baseline goes along. What becomes None is asked no more.
    """
    query = parse_qsl(address.query, keep_blank_values=True) if address else []
    kept = [
        (name, value)
        for name, value in query
        if name not in changed and name != "token" and (not path or name == "baseline")
    ]
    for name, value in changed.items():
        values = value if isinstance(value, list | tuple) else () if value is None else (value,)
        kept += [(name, str(each)) for each in values]
    where = path or (address.path if address else "/")
    return f"{where}?{urlencode(kept)}" if kept else where


def _pinned(address: URL | None) -> str:
    """Return the baseline that an address has, "" without one."""
    return dict(parse_qsl(address.query)).get("baseline", "") if address else ""


def _share(value: float | None) -> str:
    return "\N{EN DASH}" if value is None else f"{value:.3f}"


def _signed(value: float | None) -> str:
    return "\N{EN DASH}" if value is None else f"{value:+z.3f}".replace("-", "\N{MINUS SIGN}")


def _counted(number: int, noun: str) -> str:
    """Return "1 run" or "20,000 runs"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _step(value: float) -> str:
    return f"{value:,.15g}"


def _bits(value: float | None, digits: int = 2) -> str:
    return "\N{EN DASH}" if value is None else f"{value:.{digits}f}"
