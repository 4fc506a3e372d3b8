"""Who may ask the server for something, and how much: what stands before all pages.

A browser sends what other sites tell it to, with our cookie. So a request is one of ours only if it
names one of our hosts (otherwise a name that was bound anew leads here), if no other site has sent
it (Fetch Metadata; RFC 6454's Origin where a browser has none), and if it has a token.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping, MutableMapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pommel.errors import printable
from pommel.serve.people import People, Person
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
    # Not "no-referrer": by that browsers say "null" of where our own forms have come from.
    "Referrer-Policy": "same-origin",
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
    """What one request may take, and how many one address, and one person, may send.

    `body_seconds` is how long a request may take to arrive. Each has `burst` requests, and gets
    `requests_per_second` more each second.
    """

    body_seconds: float = 60.0
    burst: int = 200
    requests_per_second: float = 50.0


@frozen
class Proxy:
    """What a server before this one says in headers of its own, "" for what it does not say.

    `address` names the header with the address of whoever asks, the last one of several; `person`
    that with the name of somebody whom it knows, who may do what her personal tokens allow.
    """

    address: str = ""
    person: str = ""


@frozen
class Door:
    """Where the server is, and what opens it: its hosts with their ports, and tokens of people.

    `tell` is given a line a request. Behind a `proxy` that says so, browsers reach it by HTTPS.
    """

    hosts: frozenset[str]
    people: People
    limits: Limits = Limits()
    proxy: Proxy | None = None
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
            await (entered or self.app)(scope, receive, told)
        except RefusedError as refused:
            if answered:
                raise
            await _told(refused)(scope, receive, told)

    def _entered(self, scope: Scope) -> Response | None:
        """Return None for a request that may go on, or what lets its sender in.

        The scope then says who that is (`pommel.person`). Raises `RefusedError` for any other.
        """
        headers = Headers(scope=scope)
        self._check_host(headers)
        self._check_rate(self._address(scope, headers))
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        if scope["method"] == "GET" and given and self.door.people.with_token(given[0]):
            # Out of the address, which is shown, kept and sent on.
            rest = urlencode([each for each in query if each[0] != "token"])
            path = f"/{scope['path'].lstrip('/')}"
            response = RedirectResponse(f"{path}?{rest}" if rest else path, status_code=303)
            response.set_cookie(
                self.door.cookie,
                given[0],
                httponly=True,
                samesite="strict",
                secure=self.door.proxy is not None,
            )
            return response
        bearer = self._bearer(headers)
        self._check_sender(scope, headers, is_bearer=bearer is not None)
        scope["pommel.person"] = person = bearer or self._person(headers)
        if not person.may("read"):
            raise RefusedError(
                401, "open the address that `pommel serve` has printed, with its token"
            )
        if person.name:
            self._check_rate(f"person {person.name}")
        return None

    def _check_host(self, headers: Headers) -> None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.door.hosts:
            raise RefusedError(
                421, f"this server is {', '.join(sorted(self.door.hosts))}, and nothing else"
            )

    def _address(self, scope: Scope, headers: Headers) -> str:
        """Return the address of whoever asks, by the proxy's word where there is one."""
        name = self.door.proxy.address if self.door.proxy else ""
        if name and (said := headers.getlist(name)):
            # What stands before the last one is what a client has said of itself.
            return said[-1].rpartition(",")[2].strip()
        return str((scope.get("client") or ("", 0))[0])

    def _check_rate(self, whose: str) -> None:
        limits, now = self.door.limits, time.monotonic()
        left, since = self._asked.get(whose, (float(limits.burst), now))
        left = min(limits.burst, left + (now - since) * limits.requests_per_second)
        if left < 1:
            raise RefusedError(429, "too many requests at once; wait a second")
        self._asked[whose] = left - 1, now
        if len(self._asked) > _MOST_ADDRESSES:
            self._asked.clear()

    def _check_sender(self, scope: Scope, headers: Headers, *, is_bearer: bool) -> None:
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
        if origin is None and not site and not is_bearer:
            raise RefusedError(403, "this request does not say which site has sent it")
        if origin is not None and origin.partition("://")[2] != headers["host"].lower():
            raise RefusedError(403, "another site has sent this request")

    def _bearer(self, headers: Headers) -> Person | None:
        """Return whose token a program has sent in its header, None for no token that holds."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        return self.door.people.with_token(token) if scheme.lower() == "bearer" else None

    def _person(self, headers: Headers) -> Person:
        """Return who asks: by a cookie, or by the word of a proxy."""
        people, proxy = self.door.people, self.door.proxy
        cookies: SimpleCookie = SimpleCookie()
        with contextlib.suppress(CookieError):
            cookies.load(headers.get("cookie", ""))
        cookie = cookies.get(self.door.cookie)
        if cookie is not None and (known := people.with_token(cookie.value)):
            return known
        if proxy and proxy.person and (names := headers.getlist(proxy.person)):
            return (people.called(names[0]) if len(names) == 1 else None) or people.stranger
        return people.stranger


# Of so many addresses it is known how much they have asked.
_MOST_ADDRESSES = 10_000


async def limited_body(receive: Receive, n_bytes: int, seconds: float) -> bytes:
    """Return the body of a request; raises `RefusedError` for one that is too long or too slow."""
    until, pieces, n_read = time.monotonic() + seconds, list[bytes](), 0
    while True:
        try:
            message = await asyncio.wait_for(receive(), max(0.0, until - time.monotonic()))
        except TimeoutError:
            raise RefusedError(408, "the request has taken too long to arrive") from None
        if message["type"] == "http.disconnect":
            raise RefusedError(400, "the request has ended before it was whole")
        pieces.append(message.get("body", b""))
        n_read += len(pieces[-1])
        if n_read > n_bytes:
            raise RefusedError(413, f"more than {n_bytes:,} bytes are not taken")
        if not message.get("more_body", False):
            return b"".join(pieces)


def _told(refused: RefusedError) -> Response:
    headers = {"Connection": "close"}
    if refused.status == 429:  # noqa: PLR2004 - HTTP's
        headers["Retry-After"] = "1"
    return PlainTextResponse(f"{refused}\n", status_code=refused.status, headers=headers)
