"""What can go wrong between a client and a server."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send
from tests.endpoint_server.application import Fault


def status(code: int, message: str = "busy", **headers: str) -> Fault:
    """An HTTP status with a reason."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    error = {"error": {"message": message}}
    return lambda _request: JSONResponse(error, status_code=code, headers=named)


def page(_request: Request) -> Response:
    """What a proxy says: a page of HTML, and all is well."""
    return Response("<!DOCTYPE html><title>Welcome</title>", media_type="text/html")


def broken_json(_request: Request) -> Response:
    """The beginning of an answer, as if that were all."""
    return Response('{"choices": [{"te', media_type="application/json")


def plain(text: str) -> Fault:
    """Text that is no JSON."""
    return lambda _request: PlainTextResponse(text)


def redirect(url: str) -> Fault:
    """Somewhere else."""
    return lambda _request: RedirectResponse(url, status_code=307)


def dropped(_request: Request) -> Response:
    """A connection that ends in the middle of the body."""
    return _Dropped()


def silent(_request: Request) -> Response:
    """Nothing, until the client goes away."""
    return _Silent()


class _Dropped(Response):
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        headers = [(b"content-type", b"application/json"), (b"content-length", b"5000")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"choices": [', "more_body": False})


class _Silent(Response):
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, send
        while (await receive())["type"] != "http.disconnect":
            pass


def edited(**changes: Any) -> Any:
    """Return an edit that replaces parts of an answer's log-probabilities.

    A change is a new list, or a function of the old one.
    """

    def edit(value: Any) -> Any:
        logprobs = value["choices"][0]["logprobs"]
        for name, change in changes.items():
            logprobs[name] = change(logprobs[name]) if callable(change) else change
        return value

    return edit
