"""Who may ask the server for something, and how much: what stands before all pages.

A browser sends what other sites tell it to, with our cookie. So a request is one of ours only if it
names one of our hosts (otherwise a name that was bound anew leads here), if no other site has sent
it (Fetch Metadata; RFC 6454's Origin where a browser has none), and if it knows the token.
"""

import asyncio
import contextlib
import hmac
import time
from collections.abc import Callable, Mapping, MutableMapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pommel.errors import printable
from pommel.values import frozen

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

# Nothing comes from elsewhere, and nothing of ours is shown or used elsewhere.
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class RefusedError(Exception):
    """A request that no page hears of; `status` is HTTP's, the message says what to do."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@frozen
class Limits:
    """What one request may be, and how many one address may send.

    `body_seconds` is how long a request may take to arrive. An address has `burst` requests, and
    gets `requests_per_second` more each second.
    """

    body_bytes: int = 1 << 20
    body_seconds: float = 30.0
    burst: int = 200
    requests_per_second: float = 50.0


@frozen
class Door:
    """Where the server is, and what opens it: its hosts with their ports, and the token.

    Without a token everybody may look. `tell` is given a line a request.
    """

    hosts: frozenset[str]
    token: str = ""
    limits: Limits = Limits()
    tell: Callable[[str], object] = lambda _line: None

    @property
    def cookie(self) -> str:
        """The name of the cookie; two servers on one machine have one each."""
        return f"pommel-{min(self.hosts).rpartition(':')[2]}"


class Guard:
    """The application `app` behind a door: what is refused never comes to it."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self.app = app
        self.door = door
        self._asked: MutableMapping[str, tuple[float, float]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError("there is nothing but HTTP here")
        began, answered = time.monotonic(), False

        async def told(message: Message) -> None:
            nonlocal answered
            if message["type"] == "http.response.start":
                answered = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                # Without the query, which may have the token, or a sentence.
                took_ms = 1000 * (time.monotonic() - began)
                path = printable(scope["path"])
                self.door.tell(f"{scope['method']} {path} {message['status']} {took_ms:.0f} ms")
            await send(message)

        try:
            entered = self._entered(scope)
            await (entered or self.app)(scope, self._limited(receive), told)
        except RefusedError as refused:
            if answered:
                raise
            await _told(refused)(scope, receive, told)

    def _entered(self, scope: Scope) -> Response | None:
        """Return None for a request that may go on, or what lets its sender in.

        Raises `RefusedError` for any other.
        """
        headers = Headers(scope=scope)
        self._check_host(headers)
        self._check_rate((scope.get("client") or ("", 0))[0])
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        if scope["method"] == "GET" and given and self._is_token(given[0]):
            # Out of the address, which is shown, kept and sent on.
            rest = urlencode([each for each in query if each[0] != "token"])
            path = f"/{scope['path'].lstrip('/')}"
            response = RedirectResponse(f"{path}?{rest}" if rest else path, status_code=303)
            response.set_cookie(self.door.cookie, self.door.token, httponly=True, samesite="strict")
            return response
        self._check_sender(scope, headers)
        self._check_token(headers)
        return None

    def _check_host(self, headers: Headers) -> None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.door.hosts:
            raise RefusedError(
                421, f"this server is {', '.join(sorted(self.door.hosts))}, and nothing else"
            )

    def _check_rate(self, address: str) -> None:
        limits, now = self.door.limits, time.monotonic()
        left, since = self._asked.get(address, (float(limits.burst), now))
        left = min(limits.burst, left + (now - since) * limits.requests_per_second)
        if left < 1:
            raise RefusedError(429, "too many requests at once; wait a second")
        self._asked[address] = left - 1, now
        if len(self._asked) > _MOST_ADDRESSES:
            self._asked.clear()

    def _check_sender(self, scope: Scope, headers: Headers) -> None:
        """Check that no other site has had a browser send it."""
        site = headers.get("sec-fetch-site", "")
        is_safe = scope["method"] in _SAFE
        # A link from elsewhere may be followed: what comes is shown to the user alone.
        is_followed = headers.get("sec-fetch-mode") == "navigate" and scope["method"] == "GET"
        if site not in ("", "same-origin", "none") and not is_followed:
            raise RefusedError(403, "another site has sent this request")
        if is_safe:
            return
        origin = headers.get("origin")
        if origin is None and not site and not self._is_bearer(headers):
            raise RefusedError(403, "this request does not say which site has sent it")
        if origin is not None and origin.partition("://")[2] != headers["host"].lower():
            raise RefusedError(403, "another site has sent this request")

    def _check_token(self, headers: Headers) -> None:
        cookies: SimpleCookie = SimpleCookie()
        with contextlib.suppress(CookieError):
            cookies.load(headers.get("cookie", ""))
        cookie = cookies.get(self.door.cookie)
        is_known = cookie is not None and self._is_token(cookie.value)
        if self.door.token and not is_known and not self._is_bearer(headers):
            raise RefusedError(
                401, "open the address that `pommel serve` has printed, with its token"
            )

    def _is_bearer(self, headers: Headers) -> bool:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self._is_token(token)

    def _is_token(self, given: str) -> bool:
        return bool(self.door.token) and hmac.compare_digest(
            given.encode(), self.door.token.encode()
        )

    def _limited(self, receive: Receive) -> Receive:
        """Return what gives the body piece by piece, as long as it is neither long nor slow."""
        limits = self.door.limits
        until, n_bytes = time.monotonic() + limits.body_seconds, 0
        is_whole = False

        async def received() -> Message:
            nonlocal n_bytes, is_whole
            if is_whole:
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(0.0, until - time.monotonic()))
            except TimeoutError:
                raise RefusedError(408, "the request has taken too long to arrive") from None
            n_bytes += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            if n_bytes > limits.body_bytes:
                raise RefusedError(413, f"more than {limits.body_bytes:,} bytes are not taken")
            return message

        return received


# Of so many addresses it is known how much they have asked.
_MOST_ADDRESSES = 10_000


def _told(refused: RefusedError) -> Response:
    headers = {"Connection": "close"}
    if refused.status == 429:  # noqa: PLR2004 - HTTP's
        headers["Retry-After"] = "1"
    return PlainTextResponse(f"{refused}\n", status_code=refused.status, headers=headers)
