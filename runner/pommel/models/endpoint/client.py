"""Requests to one server: time-outs, retries, and reasons that fit into one line."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pommel.errors import pommel_version, printable
from pommel.files.waiting import Waiting, wished_seconds
from pommel.models.endpoint.keys import Key
from pommel.models.endpoint.reference import EndpointReference
from pommel.models.model import LoadOptions

if TYPE_CHECKING:
    import httpx

# Of an answer; the longest sentence has a few kilobytes.
_MOST_BYTES = 1 << 26
_SHOWN_CHARACTERS = 300

# What may pass: too many requests, an error inside, a proxy without the server behind it.
_MAY_PASS = frozenset({429, 500, 502, 503, 504})
_NO_JSON = object()
# Some servers answer 500 to what they do not do.
_NAMES_A_PARAMETER = re.compile(r"\b(echo|logprobs|max_tokens|logits_all)\b")


class RequestFailedError(Exception):
    """No answer that could be used.

    `reason` is for people and has no key in it, `said` what the server wrote, `status` its HTTP
    status if there was one. `may_pass` says that it may go better the next time.
    """

    def __init__(
        self,
        reason: str,
        *,
        status: int | None = None,
        said: str = "",
        may_pass: bool = False,
        wished_seconds: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.said = said
        self.may_pass = may_pass
        self.wished_seconds = wished_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The JSON value of an answer with a status of 200 or so, and who says to have sent it."""

    value: Any
    server: str | None


class Client:
    """The connections to one server; they belong to one event loop, and have to be closed in it."""

    def __init__(
        self, reference: EndpointReference, key: Key, options: LoadOptions, waiting: Waiting
    ) -> None:
        """Prepare connections, and open none."""
        self._key = key
        self._n_retries = options.n_retries
        self._timeout_seconds = options.timeout_seconds
        self._waiting = waiting
        self._reference = reference
        self._n_parallel = options.n_parallel
        self._connected: httpx.AsyncClient | None = None

    async def close(self) -> None:
        """Close all connections; the next request opens others."""
        connected, self._connected = self._connected, None
        if connected is not None:
            await connected.aclose()

    def without_key(self, text: str) -> str:
        """Return what is said of an answer, with the key made unreadable."""
        return self._key.without(text)

    async def get(self, url: str) -> Answer:
        """Return the answer to GET; a server that is not there is not asked again.

        Raises `RequestFailedError`.
        """
        return await self._ask("GET", url, None, is_patient=False)

    async def post(self, url: str, body: Mapping[str, Any]) -> Answer:
        """Return the answer to POST, repeated if it fails for what may pass.

        Raises `RequestFailedError`, which then says what failed how often.
        """
        return await self._ask("POST", url, body, is_patient=True)

    async def _ask(
        self, method: str, url: str, body: Mapping[str, Any] | None, *, is_patient: bool
    ) -> Answer:
        failures: list[RequestFailedError] = []
        while True:
            try:
                return await self._once(method, url, body)
            except RequestFailedError as failure:
                failures.append(failure)
            last = failures[-1]
            is_there = is_patient or last.status is not None
            if not last.may_pass or not is_there or len(failures) > self._n_retries:
                raise _joined(failures)
            await asyncio.sleep(self._waiting.seconds(len(failures), last.wished_seconds))

    async def _once(self, method: str, url: str, body: Mapping[str, Any] | None) -> Answer:
        import httpx  # noqa: PLC0415 - an extra

        try:
            if self._connected is None:
                self._connected = _connections(self._reference, self._key, self._n_parallel)
            async with (
                asyncio.timeout(self._timeout_seconds),
                self._connected.stream(method, url, json=body) as response,
            ):
                raw = await _read(response)
        except TimeoutError:
            reason = f"no answer within {self._timeout_seconds:g} s"
            raise RequestFailedError(reason, may_pass=True) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise self._not_sent(error) from None
        except (ImportError, OSError, ValueError) as error:
            # Of the environment (a proxy, certificates), or a host or model that cannot be sent.
            raise self._not_sent(error) from None
        return self._read_answer(response, raw)

    def _not_sent(self, error: Exception) -> RequestFailedError:
        import httpx  # noqa: PLC0415 - an extra

        why = str(error)[:_SHOWN_CHARACTERS] or type(error).__name__
        why = printable(self._key.without(why))
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
            target = self._key.without(printable(response.headers["location"]))
            raise RequestFailedError(
                f"it redirects to {target}; redirects are not followed, write where it is",
                status=status,
            )
        value = _json(raw)
        if not response.is_success:
            said = text if value is _NO_JSON else _message(value)
            raise self._refused(response, f"HTTP {status}", status, said)
        if value is _NO_JSON:
            is_json = "json" in response.headers.get("content-type", "")
            raise RequestFailedError(
                f"its answer is {self._shown(text)}, and not JSON", status=status, may_pass=is_json
            )
        if _is_error(value):
            code = _code(value)
            what = f"HTTP {status}, but an error" + ("" if code is None else f" {code}")
            raise self._refused(response, what, code or status, _message(value))
        server = response.headers.get("server")
        return Answer(value=value, server=server and self._key.without(printable(server)))

    def _refused(
        self, response: "httpx.Response", what: str, status: int, said: str
    ) -> RequestFailedError:
        reason = f"{what}: {self._shown(said)}"
        if status in {401, 403}:
            reason = f"{reason}; {self._key.advice}"
        return RequestFailedError(
            reason,
            status=status,
            said=said,
            may_pass=status in _MAY_PASS and not _NAMES_A_PARAMETER.search(said),
            wished_seconds=wished_seconds(response.headers.get("retry-after")),
        )

    def _shown(self, text: str) -> str:
        """Return what a server has written, quoted: short, in one line, without the key."""
        if text.lstrip()[:1] == "<":
            return "a page of HTML"
        line = self._key.without(printable(" ".join(text.split())))
        return f"{line[:_SHOWN_CHARACTERS]!r}" + ("…" if len(line) > _SHOWN_CHARACTERS else "")


def _connections(reference: EndpointReference, key: Key, n_connections: int) -> "httpx.AsyncClient":
    import httpx  # noqa: PLC0415 - an extra

    host = f"[{reference.host}]" if ":" in reference.host else reference.host
    return httpx.AsyncClient(
        headers={
            "Accept": "application/json",
            # A few packed bytes can be gigabytes.
            "Accept-Encoding": "identity",
            "User-Agent": f"pommel/{pommel_version()}",
            **key.headers,
        },
        # One deadline for all of a request stands around it.
        timeout=httpx.Timeout(None),
        limits=httpx.Limits(max_connections=n_connections, max_keepalive_connections=n_connections),
        follow_redirects=False,
        # What is on this machine is not reached through a proxy.
        mounts={f"all://{host}": None} if reference.is_loopback else None,
    )


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


def _json(raw: bytes) -> Any:
    """Return the value of a body, `_NO_JSON` if it has none."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return _NO_JSON


def _is_error(value: Any) -> bool:
    return isinstance(value, dict) and bool(value.get("error") or value.get("object") == "error")


def _code(value: Any) -> int | None:
    """Return the status that an error says of itself."""
    error = value.get("error")
    code = (error if isinstance(error, dict) else value).get("code")
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def _message(value: Any) -> str:
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
    return RequestFailedError(
        f"{len(failures)} tries failed ({listed})",
        status=last.status,
        said=last.said,
    )
