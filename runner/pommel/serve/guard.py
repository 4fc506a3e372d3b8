"""Who may ask the server for something, and how much: what stands before all pages.

A browser sends what other sites tell it to, with our cookie. So a request is one of ours only if it
names one of our hosts (otherwise a name that was bound anew leads here), if no other site has sent
it (Fetch Metadata; RFC 6454's Origin where a browser has none), and if it has a token.
"""

import asyncio
import contextlib
import ipaddress
import re
import time
from collections.abc import Callable, Iterator, Mapping
from http.cookies import CookieError, SimpleCookie
from typing import TypeVar
from urllib.parse import parse_qsl, quote, urlencode
from weakref import WeakValueDictionary

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pommel.errors import StoreError, printable
from pommel.serve.people import People, Person
from pommel.serve.site import is_local
from pommel.values import frozen

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_Said = TypeVar("_Said")

# Where a browser sends a token to, and where it forgets it.
ENTER, LEAVE = "/enter", "/leave"
# Files that all browsers get, those of nobody, too: what a page that asks for a token looks like.
STATIC = "/static"

# Nothing comes from elsewhere, and nothing of ours is shown or used elsewhere. The same address has
# a page, a part of it for htmx, and JSON, for each person another.
HEADERS: Mapping[str, str] = {
    "Cache-Control": "private, no-cache",
    "Content-Security-Policy": (
        "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # Not "no-referrer": by that browsers say "null" of where our own forms have come from.
    "Referrer-Policy": "same-origin",
    "Vary": "Accept, Cookie, HX-Request",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

# Of so many addresses and people it is known how much they have asked.
_MOST_SENDERS = 10_000
_TOKEN_BYTES = 8_192
_LONGEST_TOLD = 200


class RefusedError(Exception):
    """A request that is not answered; `status` is HTTP's, the message says what to do.

    Where `asks_for_token`, a page has a form for one; `token` is what is in it already. Where
    `is_again`, the browser is to ask the same once more, now from a page of ours. `headers` are
    what programs are told beside the status.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        asks_for_token: bool = False,
        token: str = "",
        is_again: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.asks_for_token = asks_for_token
        self.token = token
        self.is_again = is_again
        self.headers = dict[str, str]()
        if status in _TRY_LATER:
            self.headers["Retry-After"] = str(_TRY_LATER[status])
        if status == _NO_TOKEN:
            self.headers["WWW-Authenticate"] = "Bearer"
        if is_again:
            # A browser that comes from elsewhere even then is not sent round and round.
            kept = "pommel-again=1; Max-Age=2; HttpOnly; Path=/; SameSite=lax"
            self.headers["Set-Cookie"] = kept


_NO_TOKEN = 401
_OPENS_NOTHING = "this token opens nothing: it is another server's, has expired, or was revoked"
# Seconds.
_TRY_LATER = {429: 1, 503: 10}


@frozen
class Limits:
    """What requests may take: of time, of memory, of threads, of connections.

    A body has `body_seconds` to arrive, and a second more for each `body_bytes_per_second` that
    have come. All bodies that are held at a time have `bodies_bytes`. An address, or a person, has
    `burst` requests, and gets `requests_per_second` more each second; `at_once_each` of them, and
    `at_once` of all, are worked on at a time, while others wait for `wait_seconds`. One that takes
    longer than `answer_seconds` is answered with that. A connection has `header_seconds` for the
    head of a request, and has to take what it is sent; there are `connections`, and
    `connections_each` of an address.
    """

    body_seconds: float = 60.0
    body_bytes_per_second: float = 64 << 10
    bodies_bytes: int = 256 << 20
    burst: int = 200
    requests_per_second: float = 50.0
    at_once_each: int = 8
    at_once: int = 32
    wait_seconds: float = 30.0
    answer_seconds: float = 150.0
    header_seconds: float = 15.0
    connections: int = 600
    connections_each: int = 150


@frozen
class Proxy:
    """What a server before this one says in headers of its own, "" for what it does not say.

    `address` names the header with the address of whoever asks, the last one of several; `person`
    that with the name of somebody whom it knows, who may do what her personal tokens allow. Both
    count only in what comes from `networks`: anybody else may write them, too.
    """

    address: str = ""
    person: str = ""
    networks: tuple[str, ...] = ("127.0.0.0/8", "::1/128")

    def is_at(self, address: str) -> bool:
        """Return whether it may be this that has sent something."""
        ip = _ip(address)
        return ip is not None and any(ip in ipaddress.ip_network(each) for each in self.networks)


@frozen
class Door:
    """Where the server is, and what opens it: its hosts with their ports, and tokens of people.

    `tell` is given a line a request. Two servers on one machine have a `cookie` each. Behind a
    `proxy` that says so, browsers reach it by HTTPS.
    """

    hosts: frozenset[str]
    people: People
    cookie: str = "pommel"
    limits: Limits = Limits()
    proxy: Proxy | None = None
    tell: Callable[[str], object] = lambda _line: None


class Guard:
    """The application `app` behind a door: what is refused never comes to it.

    `refusal` makes the answer to that.
    """

    def __init__(
        self,
        app: ASGIApp,
        door: Door,
        refusal: Callable[[Scope, RefusedError], Response],
    ) -> None:
        self.app = app
        self.door = door
        self._refusal = refusal
        self._rates = _Rates(door.limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError("there is nothing but HTTP here")
        began = time.monotonic()

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                # Without the query, which may have the token, or a sentence.
                took_ms = 1000 * (time.monotonic() - began)
                path = printable(scope["path"])[:_LONGEST_TOLD]
                self.door.tell(f"{scope['method']} {path} {message['status']} {took_ms:.0f} ms")
            await send(message)

        scope["pommel.person"] = self.door.people.stranger
        try:
            answer: ASGIApp = await self._entered(scope, receive) or self.app
        except RefusedError as refused:
            answer = self._refusal(scope, refused)
        except StoreError as error:
            # Where tokens lie cannot be read.
            answer = self._refusal(scope, RefusedError(503, str(error)))
        await answer(scope, receive, told)

    async def _entered(self, scope: Scope, receive: Receive) -> Response | None:
        """Return None for a request that may go on, or what lets its sender in, or out.

        The scope then says who that is (`pommel.person`), and whose share of what there is the
        request has (`pommel.sender`). Raises `RefusedError` for any other.
        """
        headers = Headers(scope=scope)
        address = self._address(scope, headers)
        scope["pommel.sender"] = f"address {address}"
        self._rates.take(scope["pommel.sender"])
        self._check_host(headers)
        path, is_post = scope["path"], scope["method"] == "POST"
        if path.startswith(f"{STATIC}/") and scope["method"] in _SAFE:
            self._check_sender(scope, headers, is_bearer=False)
            return None
        if response := self._with_token_in_address(scope, headers):
            return response
        bearer = self._bearer(headers)
        self._check_sender(scope, headers, is_bearer=bearer is not None)
        if path == ENTER and not is_post:
            raise RefusedError(200, "your token lets you in", asks_for_token=True)
        if is_post and path == ENTER:
            return await self._let_in(receive)
        if is_post and path == LEAVE:
            gone = RedirectResponse("/", status_code=303)
            gone.delete_cookie(self.door.cookie, httponly=True, samesite="strict")
            return gone
        scope["pommel.person"] = person = bearer or self._person(scope, headers)
        if not person.may("read"):
            if _is_from_elsewhere(headers) and "cookie" not in headers:
                # A browser keeps our cookie from what another site's link leads to.
                raise RefusedError(200, "you come from another site", is_again=True)
            raise RefusedError(
                _NO_TOKEN,
                "open the address that `pommel serve` has printed, with its token",
                asks_for_token=True,
            )
        if person.name:
            scope["pommel.sender"] = f"person {person.name}"
            self._rates.take(scope["pommel.sender"])
        return None

    def _check_host(self, headers: Headers) -> None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.door.hosts:
            raise RefusedError(
                421, f"this server is {', '.join(sorted(self.door.hosts))}, and nothing else"
            )

    def _proxy(self, scope: Scope) -> Proxy:
        """Return what may be believed of headers: nothing that has not come from the proxy."""
        proxy = self.door.proxy
        return proxy if proxy and proxy.is_at(_client(scope)) else Proxy()

    def _address(self, scope: Scope, headers: Headers) -> str:
        """Return the address of whoever asks, by the proxy's word where there is one.

        Of IPv6 it is the network, of which one person has all addresses.
        """
        name = self._proxy(scope).address
        # What stands before the last one is what a client has said of itself.
        said = headers.getlist(name)[-1:] if name else []
        text = said[0].rpartition(",")[2].strip() if said else _client(scope)
        ip = _ip(text)
        if isinstance(ip, ipaddress.IPv6Address):
            return str(ipaddress.ip_network((ip, 64), strict=False))
        return str(ip or text[:64])

    def _with_token_in_address(self, scope: Scope, headers: Headers) -> Response | None:
        """Return what puts a token that is in the address, and opens something, into the cookie.

        That is so whoever the browser has come as before. Raises `RefusedError` where another site
        has led here: it would have the user work as somebody else.
        """
        if scope["method"] != "GET":
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        token = next((value for name, value in query if name == "token"), "")
        person = self.door.people.with_token(token)
        if person is None:
            return None
        if _is_from_elsewhere(headers):
            self._check_sender(scope, headers, is_bearer=False)
            message = f"a link of another site has brought you here; go on as {person.name}?"
            raise RefusedError(_NO_TOKEN, message, asks_for_token=True, token=token)
        # Out of the address, which is shown, kept and sent on.
        rest = urlencode([each for each in query if each[0] != "token"])
        path = "/" + quote(scope["path"].lstrip("/\\"))
        return self._with_cookie(f"{path}?{rest}" if rest else path, token)

    async def _let_in(self, receive: Receive) -> Response:
        """Return what a form with a token leads to."""
        body = await read_body(limited(receive, _TOKEN_BYTES, self.door.limits))
        sent = dict(parse_qsl(body.decode("latin-1")))
        token, to = sent.get("token", "").strip(), sent.get("to", "/")
        if self.door.people.with_token(token) is None:
            raise RefusedError(_NO_TOKEN, _OPENS_NOTHING, asks_for_token=True)
        return self._with_cookie(to if is_local(to) else "/", token)

    def _with_cookie(self, to: str, token: str) -> Response:
        response = RedirectResponse(to, status_code=303)
        response.set_cookie(
            self.door.cookie,
            token,
            httponly=True,
            samesite="strict",
            secure=self.door.proxy is not None,
        )
        return response

    def _check_sender(self, scope: Scope, headers: Headers, *, is_bearer: bool) -> None:
        """Check that no other site has had a browser send it."""
        site = headers.get("sec-fetch-site", "")
        # A link from elsewhere may be followed: what comes is shown to the user alone.
        is_followed = headers.get("sec-fetch-mode") == "navigate" and scope["method"] == "GET"
        if site not in _OURS and not is_followed:
            raise RefusedError(403, "another site has sent this request")
        if scope["method"] in _SAFE:
            return
        origin = headers.get("origin")
        if origin is None and not site and not is_bearer:
            raise RefusedError(
                403,
                "this request says neither which site has sent it, as browsers do, nor who has: "
                "a program sends its token, `Authorization: Bearer TOKEN`",
            )
        if origin is not None and origin.partition("://")[2].lower() != headers["host"].lower():
            raise RefusedError(403, "another site has sent this request")

    def _bearer(self, headers: Headers) -> Person | None:
        """Return whose token a program has sent in its header, None where it has sent none.

        Raises `RefusedError` for one that opens nothing: nobody who shows a token is a stranger.
        """
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        person = self.door.people.with_token(token.strip())
        if person is None:
            raise RefusedError(_NO_TOKEN, _OPENS_NOTHING)
        return person

    def _person(self, scope: Scope, headers: Headers) -> Person:
        """Return who asks: by a cookie, or by the word of a proxy."""
        people, name = self.door.people, self._proxy(scope).person
        cookies: SimpleCookie = SimpleCookie()
        with contextlib.suppress(CookieError):
            cookies.load(headers.get("cookie", ""))
        cookie = cookies.get(self.door.cookie)
        if cookie is not None and (known := people.with_token(cookie.value)):
            return known
        names = headers.getlist(name) if name else []
        if len(names) != 1:
            return people.stranger
        # Headers are bytes, which Starlette reads as Latin-1; who is called so has written UTF-8.
        called = names[0].encode("latin-1").decode("utf-8", "replace")
        return people.called(called) or people.stranger


_OURS = frozenset({"", "same-origin", "none"})


def _is_from_elsewhere(headers: Headers) -> bool:
    return headers.get("sec-fetch-site", "") not in _OURS


def _client(scope: Scope) -> str:
    return str((scope.get("client") or ("", 0))[0])


def _ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an address, maybe written with a port; None where it is none."""
    match = re.fullmatch(r"\[(.+)\](?::\d+)?|([\d.]+):\d+", text)
    try:
        ip = ipaddress.ip_address((match[1] or match[2]) if match else text)
    except ValueError:
        return None
    # As a socket for both kinds says it.
    return (isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped) or ip


class _Rates:
    """How much senders may still ask now, and since when; whoever asked last is at the end."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, sender: str) -> None:
        """Take a request of a sender's; raises `RefusedError` where none is left."""
        limits, now = self._limits, time.monotonic()
        left, since = self._left.pop(sender, (float(limits.burst), now))
        left = min(limits.burst, left + (now - since) * limits.requests_per_second)
        self._left[sender] = max(0.0, left - 1) if left >= 1 else left, now
        if len(self._left) > _MOST_SENDERS:
            # Whoever has been silent for longest may ask as much as a new one, most likely.
            del self._left[next(iter(self._left))]
        if left < 1:
            raise RefusedError(429, "too many requests at once; wait a second")


class Held:
    """How much of what was sent is held in memory at a time."""

    def __init__(self, limits: Limits) -> None:
        self._most = limits.bodies_bytes
        self._n_bytes = 0

    @contextlib.contextmanager
    def of(self, n_bytes: int) -> Iterator[None]:
        """Hold so many bytes; raises `RefusedError` where that were too many."""
        if self._n_bytes + n_bytes > self._most:
            raise RefusedError(503, "others are sending large files just now; send it again soon")
        self._n_bytes += n_bytes
        try:
            yield
        finally:
            self._n_bytes -= n_bytes


class Turns:
    """Threads for what pages do.

    Each sender has some, so that nobody waits for one who asks for much.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._all = asyncio.Semaphore(limits.at_once)
        self._each: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def run(self, sender: str, work: Callable[[], _Said]) -> _Said:
        """Return what some work comes to, done in a thread.

        Raises `RefusedError` where there is no thread for it for too long, or it takes too long: it
        goes on then, and keeps its place.
        """
        task = asyncio.create_task(self._done(sender, work))
        ended, _ = await asyncio.wait({task}, timeout=self._limits.answer_seconds)
        if not ended:
            task.add_done_callback(lambda each: each.cancelled() or each.exception())
            raise RefusedError(
                503, "this takes longer than it should; it goes on, so look in a while what it did"
            )
        return task.result()

    async def _done(self, sender: str, work: Callable[[], _Said]) -> _Said:
        own = self._each.get(sender)
        if own is None:
            self._each[sender] = own = asyncio.Semaphore(self._limits.at_once_each)
        async with contextlib.AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(self._limits.wait_seconds):
                    await stack.enter_async_context(own)
                    await stack.enter_async_context(self._all)
            except TimeoutError:
                raise RefusedError(503, "the server is busy; try again soon") from None
            return await run_in_threadpool(work)


def limited(receive: Receive, n_bytes: int, limits: Limits) -> Receive:
    """Return what gives the body of a request.

    It raises `RefusedError` where that is too long, too slow, or not whole.
    """
    until, n_read, is_whole = time.monotonic() + limits.body_seconds, 0, False

    async def given() -> Message:
        nonlocal n_read, is_whole
        if is_whole:
            return {"type": "http.disconnect"}
        left = until + n_read / limits.body_bytes_per_second - time.monotonic()
        try:
            message = await asyncio.wait_for(receive(), max(0.0, left))
        except TimeoutError:
            raise RefusedError(408, "the request has taken too long to arrive") from None
        if message["type"] == "http.disconnect":
            raise RefusedError(400, "the request has ended before it was whole")
        n_read += len(message.get("body", b""))
        if n_read > n_bytes:
            raise RefusedError(413, f"more than {n_bytes:,} bytes are not taken")
        is_whole = not message.get("more_body", False)
        return message

    return given


async def read_body(receive: Receive) -> bytes:
    """Return a body that is whole."""
    pieces = list[bytes]()
    while True:
        message = await receive()
        pieces.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(pieces)
