"""Requests to one server: time-outs, retries, and reasons that fit into one line.

Keys come from the environment and from nowhere else: `POMMEL_API_KEY_<HOST>` is for one host,
`POMMEL_API_KEY` for any that is reached encrypted or is this machine. A key is never part of a
message, a description or a stored run. Requests go out from an event loop in a thread of its own,
which works in notebooks, too, which have one.
"""

import asyncio
import json
import queue
import re
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from pommel.errors import InputError, ModelError, UsageError, package_version, printable
from pommel.files import Waiting, parse_json
from pommel.models.endpoint.reference import EndpointReference, bracketed
from pommel.models.model import LoadOptions
from pommel.values import frozen

if TYPE_CHECKING:
    import httpx


_Result = TypeVar("_Result")
_Item = TypeVar("_Item")

# Called with each item as soon as it is there.
Put = Callable[[_Item], None]


@dataclass(eq=False, kw_only=True)
class Background:
    """A thread that runs coroutines; it is started when it is first needed.

    `at_end` is the last that is run in the thread.
    """

    at_end: Callable[[], Coroutine[Any, Any, None]]
    _loop: asyncio.AbstractEventLoop | None = field(default=None, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def run(self, coroutine: Coroutine[Any, Any, _Result]) -> _Result:
        """Return what a coroutine returns; it is cancelled if the wait is interrupted."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._started())
        try:
            return future.result()
        finally:
            future.cancel()

    def items(
        self, produce: Callable[[Put[_Item]], Coroutine[Any, Any, None]]
    ) -> Generator[_Item, None, None]:
        """Yield what `produce` puts into the function that it is given, then raise what it raised.

        Whoever closes the generator cancels `produce`.
        """
        ready: queue.SimpleQueue[tuple[_Item] | Future[None]] = queue.SimpleQueue()
        made = produce(lambda item: ready.put((item,)))
        future = asyncio.run_coroutine_threadsafe(made, self._started())
        # Nothing more comes behind it, because all is done or because of a failure.
        future.add_done_callback(ready.put)
        try:
            while isinstance(each := ready.get(), tuple):
                yield each[0]
            future.result()
        except CancelledError:
            raise ModelError("the model was closed while it scored") from None
        finally:
            future.cancel()

    def close(self) -> None:
        """Cancel what runs, and end the thread; the next call starts another."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        if threading.current_thread() is not thread:
            thread.join()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._serve, args=(self._loop,), name="pommel-endpoint", daemon=True
                )
                self._thread.start()
            return self._loop

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            loop.run_forever()
            loop.run_until_complete(self._end_all())
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()

    async def _end_all(self) -> None:
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await self.at_end()


_GENERAL = "POMMEL_API_KEY"
_HIDDEN = "***"
_FEWEST_CHARACTERS = 4


@frozen
class Key:
    """A key, or that there is none; `advice` says what to do if a server wants another."""

    secret: str = field(default="", repr=False)
    advice: str

    @property
    def headers(self) -> dict[str, str]:
        """What a request carries of it."""
        return {"Authorization": f"Bearer {self.secret}"} if self.secret else {}

    def without(self, text: str) -> str:
        """Return what a server has said, with the key made unreadable.

        What is shorter than 4 characters ("x", for a server that wants none) is in every text.
        """
        is_secret = len(self.secret) >= _FEWEST_CHARACTERS
        return text.replace(self.secret, _HIDDEN) if is_secret else text


def find_key(reference: EndpointReference, environment: Mapping[str, str]) -> Key:
    """Return the key for a server.

    1. That of its host, `variable_of(host)`.
    2. `POMMEL_API_KEY`, if what is sent cannot be read on the way.
    3. None.

    Raises `UsageError`, without the value, for one that no request can carry.
    """
    own = variable_of(reference.host)
    if secret := _secret(own, environment):
        return Key(secret=secret, advice=f"it does not take the key in {own}")
    secret = _secret(_GENERAL, environment)
    if not secret:
        return Key(advice=f"put its key into {_GENERAL}, or into {own} for this host only")
    if reference.is_encrypted or reference.is_loopback:
        return Key(secret=secret, advice=f"it does not take the key in {_GENERAL}")
    return Key(
        advice=f"{_GENERAL} is not sent unencrypted to another machine: write https://, or put "
        f"the key for this host into {own}"
    )


def _secret(name: str, environment: Mapping[str, str]) -> str:
    secret = environment.get(name, "").strip()
    if secret and not (secret.isascii() and secret.isprintable() and " " not in secret):
        raise UsageError(f"{name} holds characters that no key has (its value is not shown)")
    return secret


def variable_of(host: str) -> str:
    """Return the name of the variable for one host: `POMMEL_API_KEY_API_EXAMPLE_ORG`."""
    return f"{_GENERAL}_{re.sub(r'[^A-Z0-9]+', '_', host.upper()).strip('_')}"


# Of an answer; the longest sentence has a few kilobytes.
_MOST_BYTES = 1 << 26
_SHOWN_CHARACTERS = 300

# What may pass: too many requests, an error inside, a proxy without the server behind it.
_MAY_PASS = frozenset({429, 500, 502, 503, 504})
_NO_JSON = object()
# Some servers answer 500 to what they do not do.
_NAMES_A_PARAMETER = re.compile(r"\b(echo|logprobs|max_tokens|logits_all)\b")


@dataclass(eq=False, kw_only=True)
class RequestFailedError(Exception):
    """No answer that could be used.

    `reason` is for people and has no key in it, `said` what the server wrote, `status` its HTTP
    status if there was one. `may_pass` says that it may go better the next time.
    """

    reason: str = field(kw_only=False)
    status: int | None = None
    said: str = ""
    may_pass: bool = False
    wished_seconds: float | None = None

    def __str__(self) -> str:
        return self.reason


@frozen
class Answer:
    """The JSON value of an answer with a status of 200 or so, and who says to have sent it."""

    value: Any
    server: str | None


@dataclass(eq=False)
class Client:
    """The connections to one server; they belong to one event loop, and have to be closed in it."""

    reference: EndpointReference
    key: Key
    options: LoadOptions
    waiting: Waiting
    _connected: "httpx.AsyncClient | None" = field(default=None, init=False)

    async def close(self) -> None:
        """Close all connections; the next request opens others."""
        connected, self._connected = self._connected, None
        if connected is not None:
            await connected.aclose()

    async def ask(self, url: str, body: Mapping[str, Any] | None = None) -> Answer:
        """Return the answer to GET, or to POST of a body; it asks again after what may pass.

        A server that is not there is not asked again by GET. Raises `RequestFailedError`, which
        says what failed how often.
        """
        failures: list[RequestFailedError] = []
        while True:
            try:
                return await self._once(url, body)
            except RequestFailedError as failure:
                failures.append(failure)
                is_there = body is not None or failure.status is not None
                if not (failure.may_pass and is_there and len(failures) <= self.options.n_retries):
                    raise _joined(failures) from None
                wished_seconds = failure.wished_seconds
            await asyncio.sleep(self.waiting.seconds(len(failures), wished_seconds))

    async def _once(self, url: str, body: Mapping[str, Any] | None) -> Answer:
        import httpx

        method = "GET" if body is None else "POST"
        try:
            if self._connected is None:
                self._connected = self._connections()
            async with (
                asyncio.timeout(self.options.timeout_seconds),
                self._connected.stream(method, url, json=body) as response,
            ):
                raw = await _read(response)
        except TimeoutError:
            reason = f"no answer within {self.options.timeout_seconds:g} s"
            raise RequestFailedError(reason, may_pass=True) from None
        # The last three are of the environment (a proxy, certificates), or of a host or model that
        # cannot be sent.
        except (
            *(httpx.HTTPError, httpx.InvalidURL, httpx.StreamError),
            *(ImportError, OSError, ValueError),
        ) as error:
            raise self._not_sent(error) from None
        return self._read_answer(response, raw)

    def _connections(self) -> "httpx.AsyncClient":
        import httpx

        n_connections = self.options.n_parallel
        return httpx.AsyncClient(
            headers={
                "Accept": "application/json",
                # A few packed bytes can be gigabytes.
                "Accept-Encoding": "identity",
                "User-Agent": f"pommel/{package_version('pommel')}",
                **self.key.headers,
            },
            # One deadline for all of a request stands around it.
            timeout=httpx.Timeout(None),
            limits=httpx.Limits(
                max_connections=n_connections, max_keepalive_connections=n_connections
            ),
            follow_redirects=False,
            # What is on this machine is not reached through a proxy.
            mounts=(
                {f"all://{bracketed(self.reference.host)}": None}
                if self.reference.is_loopback
                else None
            ),
        )

    def _not_sent(self, error: Exception) -> RequestFailedError:
        import httpx

        why = str(error)[:_SHOWN_CHARACTERS] or type(error).__name__
        why = printable(self.key.without(why))
        if isinstance(error, httpx.ConnectError):
            is_tls = "SSL" in why or "TLS" in why or "CERT" in why
            what = "no encrypted connection" if is_tls else "it cannot be reached"
            return RequestFailedError(f"{what}: {why}", may_pass=not is_tls)
        if isinstance(error, httpx.TransportError):
            return RequestFailedError(f"the connection was lost: {why}", may_pass=True)
        if isinstance(error, OSError):
            why = f"{why} (are SSL_CERT_FILE and SSL_CERT_DIR right?)"
        return RequestFailedError(f"it cannot be asked: {why}")

    def _read_answer(self, response: "httpx.Response", raw: bytes) -> Answer:
        status = response.status_code
        text = raw.decode("utf-8", errors="replace")
        if response.has_redirect_location:
            target = self.key.without(printable(response.headers["location"]))
            raise RequestFailedError(
                f"it redirects to {target}; redirects are not followed, write where it is",
                status=status,
            )
        try:
            value = parse_json(raw, decoder=json.JSONDecoder())
        except InputError:
            value = _NO_JSON
        if not response.is_success:
            said = text if value is _NO_JSON else _message(value)
            raise self._refused(response, f"HTTP {status}", status, said)
        if value is _NO_JSON:
            is_json = "json" in response.headers.get("content-type", "")
            raise RequestFailedError(
                f"its answer is {self._shown(text)}, and not JSON", status=status, may_pass=is_json
            )
        if isinstance(value, dict) and (value.get("error") or value.get("object") == "error"):
            code = _code(value)
            what = f"HTTP {status}, but an error" + ("" if code is None else f" {code}")
            raise self._refused(response, what, code or status, _message(value))
        server = response.headers.get("server")
        return Answer(value=value, server=server and self.key.without(printable(server)))

    def _refused(
        self, response: "httpx.Response", what: str, status: int, said: str
    ) -> RequestFailedError:
        reason = f"{what}: {self._shown(said)}"
        if status in {401, 403}:
            reason = f"{reason}; {self.key.advice}"
        return RequestFailedError(
            reason,
            status=status,
            said=said,
            may_pass=status in _MAY_PASS and not _NAMES_A_PARAMETER.search(said),
            wished_seconds=Waiting.wished_seconds(response.headers.get("retry-after")),
        )

    def _shown(self, text: str) -> str:
        """Return what a server has written, quoted: short, in one line, without the key."""
        if text.lstrip()[:1] == "<":
            return "a page of HTML"
        line = self.key.without(printable(" ".join(text.split())))
        return f"{line[:_SHOWN_CHARACTERS]!r}" + ("…" if len(line) > _SHOWN_CHARACTERS else "")


async def _read(response: "httpx.Response") -> bytes:
    encoding = response.headers.get("content-encoding", "identity")
    if encoding.strip().lower() not in {"", "identity"}:
        raise RequestFailedError("its answer is packed, which was not asked for")
    parts: list[bytes] = []
    n_bytes = 0
    async for part in response.aiter_raw():
        parts.append(part)
        n_bytes += len(part)
        if n_bytes > _MOST_BYTES:
            raise RequestFailedError(f"its answer is longer than {_MOST_BYTES >> 20} MiB")
    return b"".join(parts)


def _code(value: Mapping[str, Any]) -> int | None:
    """Return the status that an error says of itself."""
    error = value.get("error")
    code = (error if isinstance(error, dict) else value).get("code")
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def _message(value: object) -> str:
    """Return the message of a refusal: that of OpenAI's form, or of others."""
    for _ in range(2):
        if isinstance(value, dict):
            named = (value.get(name) for name in ("error", "message", "detail"))
            value = next((each for each in named if each), value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _joined(failures: Sequence[RequestFailedError]) -> RequestFailedError:
    """Return the last of some failures of one request, with what failed how often."""
    last = failures[-1]
    if len(failures) == 1:
        return last
    reasons = Counter(each.reason for each in failures)
    listed = ", ".join(f"{number} x {reason}" for reason, number in reasons.items())
    reason = f"{len(failures)} tries failed ({listed})"
    return RequestFailedError(reason, status=last.status, said=last.said)
