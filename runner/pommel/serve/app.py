"""The server as an application: the table of its pages, and how each is answered.

A page has an address, a function and a template of the function's name. What it is asked comes from
the address and is checked against a type; what the function returns is shown by the template, or,
under the same address with `.json` or with `Accept: application/json`, is the JSON.
"""

import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import URL
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from pommel.errors import PommelError, package_version
from pommel.serve import charts, looking
from pommel.serve.guard import Door, Guard, RefusedError
from pommel.serve.shelf import NotShownError, Shelf
from pommel.suite import PublishedSuite
from pommel.values import frozen

if typing.TYPE_CHECKING:
    from jinja2 import Environment

_JSON = ".json"


@frozen
class Page:
    """A page: its address, what its function is asked by the query, and what that says."""

    path: str
    asked: type[Any]
    says: Callable[..., object]

    @property
    def name(self) -> str:
        """What its template is called."""
        return self.says.__name__

    @property
    def answer(self) -> Any:
        """The type of what it says."""
        return self.says.__annotations__["return"]

    @property
    def of_path(self) -> Mapping[str, Any]:
        """The types of what its address names."""
        names = [part[1:-1] for part in self.path.split("/") if part.startswith("{")]
        return {name: self.says.__annotations__[name] for name in names}

    def answered(self, shelf: Shelf, request: Request) -> object:
        """Return what the page says; raises `RefusedError` for what it cannot be asked."""
        given: dict[str, object] = {}
        for each in fields(self.asked):
            if values := request.query_params.getlist(each.name):
                given[each.name] = values if typing.get_origin(each.type) is tuple else values[-1]
        try:
            asked = msgspec.convert(given, self.asked, strict=False)
            path = {
                name: msgspec.convert(request.path_params[name], kind, strict=False)
                for name, kind in self.of_path.items()
            }
        except msgspec.ValidationError as error:
            raise RefusedError(400, f"this address cannot be: {error}") from None
        return self.says(shelf, asked, **path)


PAGES = (
    Page(path="/", asked=looking.Nothing, says=looking.start),
    Page(path="/models", asked=looking.ModelsAsked, says=looking.models),
    Page(path="/suites", asked=looking.SuitesAsked, says=looking.suites),
    Page(path="/runs", asked=looking.RunsAsked, says=looking.runs),
    Page(path="/families", asked=looking.FamiliesAsked, says=looking.families),
    Page(path="/families/{key}", asked=looking.FamilyAsked, says=looking.family),
    Page(path="/compare", asked=looking.ComparedAsked, says=looking.compare),
    Page(path="/suites/{key}", asked=looking.SuiteAsked, says=looking.suite),
    Page(path="/suites/{key}/items/{number}", asked=looking.ItemAsked, says=looking.item),
)

# Pictures that pages show; what these say is SVG.
CHARTS = (
    Page(path="/charts/regions.svg", asked=charts.RegionsAsked, says=charts.regions),
    Page(path="/charts/family.svg", asked=charts.FamilyAsked, says=charts.family),
)


def make_app(
    store: Path, hosts: Iterable[str], *, token: str = "", tell: Callable[[str], object]
) -> ASGIApp:
    """Return the server of a store as an ASGI application that answers under these hosts.

    Hosts have their ports. Without a token everybody may look. `tell` is given a line a request,
    which has neither tokens nor what was asked.
    """
    shelf, door = Shelf(store), Door(hosts=frozenset(hosts), token=token, tell=tell)

    def route(page: Page) -> BaseRoute:
        async def answer(request: Request) -> Response:
            said = await run_in_threadpool(page.answered, shelf, request)
            if request.scope["pommel.is_json"]:
                return Response(msgspec.json.encode(said), media_type="application/json")
            template = _environment().get_template(f"{page.name}.html.j2")
            text = template.render(page=said, address=request.url)
            return HTMLResponse(text)

        return Route(page.path, answer, name=page.name)

    def picture(chart: Page) -> BaseRoute:
        async def answer(request: Request) -> Response:
            said = await run_in_threadpool(chart.answered, shelf, request)
            return Response(str(said), media_type="image/svg+xml")

        return Route(chart.path, answer, name=f"chart of {chart.name}")

    async def openapi(_request: Request) -> Response:
        return JSONResponse(document())

    app = Starlette(
        routes=[
            *map(route, PAGES),
            *map(picture, CHARTS),
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


def document() -> dict[str, object]:
    """Return the OpenAPI document of all pages, made from their types."""
    kinds = [kind for page in PAGES for kind in (page.asked, page.answer)]
    found, schemas = msgspec.json.schema_components(
        kinds, ref_template="#/components/schemas/{name}"
    )
    paths = {}
    for page, answer in zip(PAGES, found[1::2], strict=True):
        asked = schemas.pop(page.asked.__name__)
        in_query = [
            {
                "name": name,
                "in": "query",
                "required": name in asked["required"],
                "schema": schema,
            }
            for name, schema in asked["properties"].items()
        ]
        in_path = [
            {"name": name, "in": "path", "required": True, "schema": msgspec.json.schema(kind)}
            for name, kind in page.of_path.items()
        ]
        content = {"application/json": {"schema": answer}, "text/html": {}}
        paths[page.path] = {
            "get": {
                "operationId": page.name,
                "summary": page.says.__doc__,
                "parameters": [*in_path, *in_query],
                "responses": {"200": {"description": page.says.__doc__, "content": content}},
            }
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "pommel", "version": package_version("pommel")},
        "paths": paths,
        "components": {"schemas": schemas},
    }


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
    return _failure(request, 404 if isinstance(error, NotShownError) else 400, str(error))


async def _not_found(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    is_lacking = status == HTTPStatus.NOT_FOUND
    return _failure(request, status, "there is no such page" if is_lacking else str(error))


def _failure(request: Request, status: int, message: str) -> Response:
    """Return what is wrong, as whoever asks can read it."""
    if request.scope["pommel.is_json"]:
        return JSONResponse({"error": message}, status_code=status)
    template = _environment().get_template("failure.html.j2")
    text = template.render(message=message, address=request.url)
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
    environment.globals |= {"direction": PublishedSuite.direction, "href": _href}
    environment.filters |= {"share": _share, "bits": _bits, "signed": _signed, "step": _step}
    environment.filters["pinned"] = _pinned
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


def _step(value: float) -> str:
    return f"{value:,.15g}"


def _bits(value: float | None) -> str:
    return "\N{EN DASH}" if value is None else f"{value:.2f}"
