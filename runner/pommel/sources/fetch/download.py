"""Downloads: several at once, repeated when that may help; whole and checked, or not there.

Also where a file is asked for, and where a server may send us instead. Needs httpx, an extra.
"""

import asyncio
import hashlib
import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

import httpx

from pommel.errors import PommelError, UsageError, package_version, printable
from pommel.files import Waiting, replacing
from pommel.sources.fetch.source import FetchOptions, PublishedSource, SourceCache, SourceFile

# What may pass: too many requests, an error inside, a proxy without the server behind it.
_MAY_PASS = frozenset({408, 429, 500, 502, 503, 504})
_SHOWN_CHARACTERS = 300


def file_address(source: PublishedSource, path: str, base_url: str | None = None) -> str:
    """Return the address of one of a source's files: where it was published, or at a mirror.

    A mirror has the files as a cache has: `BASE/NAME/COMMIT/PATH`. Raises `UsageError` if
    `base_url` is no http address.
    """
    if base_url is None:
        return f"{source.address}/{quote(path)}"
    parts = urlsplit(base_url)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.query or parts.fragment:
        begins = "begins with https:// or http://, and is a folder's"
        raise UsageError(f"{base_url}: a mirror's address {begins}")
    return f"{base_url.rstrip('/')}/{quote(source.name)}/{source.commit}/{quote(path)}"


@dataclass(eq=False)
class TryError(Exception):
    """A try that failed; the message says why.

    `may_pass` says that it may go better the next time, `is_everywhere` that other files would fail
    likewise.
    """

    reason: str
    may_pass: bool = False
    is_everywhere: bool = False
    wished_seconds: float | None = None

    def __str__(self) -> str:
        return self.reason


class _HopelessError(Exception):
    """Nothing more can be had; why stands among the failures."""


class Downloads:
    """Files of one source on their way into the cache.

    `done` are the paths of those that are there now, `failures` says in a line why others are not,
    in the order of `wanted`. `is_hopeless` says that the server could not be reached, or failed
    however often it was asked, and was asked no more: its other files would fail likewise.
    """

    def __init__(
        self, cache: SourceCache, wanted: Sequence[SourceFile], options: FetchOptions
    ) -> None:
        self.done: set[str] = set()
        self.is_hopeless = False
        self._cache = cache
        self._options = options
        self._slots = asyncio.Semaphore(options.n_parallel)
        self._client = _connections(options)
        self._addresses = {
            file: file_address(cache.source, file.path, options.mirror) for file in wanted
        }
        self._reasons: dict[SourceFile, str] = {}
        self._n_bytes: Counter[str] = Counter()
        sizes = [file.size or 0 for file in wanted]
        self._total = sum(sizes) if all(sizes) else 0

    @property
    def failures(self) -> list[str]:
        """Why files could not be had, each with its path and address."""
        return [
            f"{file.path}: {self._reasons[file]} ({address})"
            for file, address in self._addresses.items()
            if file in self._reasons
        ]

    async def run(self) -> None:
        """Fetch all of them; what is complete when something goes wrong stays.

        Raises `PommelError` if a file cannot be written.
        """
        async with self._client:
            tasks = [asyncio.ensure_future(self._fetch(file)) for file in self._addresses]
            try:
                await asyncio.gather(*tasks)
            except _HopelessError:
                self.is_hopeless = True
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _fetch(self, file: SourceFile) -> None:
        """Fetch one file, with all the tries that it may have."""
        async with self._slots:
            for n_failures in itertools.count(1):
                try:
                    await self._once(file)
                except TryError as failure:
                    last = failure
                else:
                    self.done.add(file.path)
                    return
                if not last.may_pass or n_failures > self._options.n_retries:
                    break
                wait = self._options.waiting.seconds(n_failures, last.wished_seconds)
                await asyncio.sleep(wait)
            tries = f"{n_failures} tries failed, the last: " if n_failures > 1 else ""
            self._reasons[file] = f"{tries}{last}"
            if last.may_pass or last.is_everywhere:
                raise _HopelessError

    async def _once(self, file: SourceFile) -> None:
        try:
            with replacing(self._cache.path(file)) as aside:
                self._check(file, await self._load_in_time(file, aside))
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise _failed_try(error, self._options.timeout_seconds) from None

    async def _load_in_time(self, file: SourceFile, aside: Path) -> str:
        limit = self._options.longest_seconds
        try:
            async with asyncio.timeout(limit):
                return await self._load(file, aside)
        except TimeoutError:
            raise TryError(f"it had not come after {limit:g} s") from None

    def _check(self, file: SourceFile, sha256: str) -> None:
        """Raise `TryError` for a wrong checksum; remember the first one where none is known.

        It is remembered before the file is in its place: whatever stops us in between, a file
        without a checksum is not left behind.
        """
        expected = self._cache.expected_sha256(file)
        if expected not in {None, sha256}:
            of = "the first download" if file.sha256 is None else "the table"
            told = f"its SHA-256 is {sha256}, by {of} it has to be {expected}"
            raise TryError(f"{told}; it is not kept")
        if file.sha256 is None:
            self._cache.remember(file, sha256)

    async def _load(self, file: SourceFile, aside: Path) -> str:
        """Write what an address has to `aside`, redirects followed; return its SHA-256."""
        address = httpx.URL(self._addresses[file])
        for _ in range(self._options.n_redirects + 1):
            async with self._client.stream("GET", address) as response:
                if response.has_redirect_location:
                    address = next_address(address, response.headers["location"])
                    continue
                _check_answer(response)
                return await self._copy(response, file, aside)
        raise TryError(f"it redirects more than {self._options.n_redirects} times")

    async def _copy(self, response: httpx.Response, file: SourceFile, aside: Path) -> str:
        digest = hashlib.sha256()
        most = min(self._options.max_bytes, math.inf if file.size is None else file.size)
        # What an earlier try has brought counts no more.
        self._tell(file, 0)
        with aside.open("wb") as target:
            n_bytes = 0
            async for piece in response.aiter_raw():
                n_bytes += len(piece)
                if n_bytes > most:
                    has_to = ", which it has to have" if most == file.size else ""
                    raise TryError(f"it is bigger than {most:,} bytes{has_to}")
                digest.update(piece)
                target.write(piece)
                self._tell(file, n_bytes)
        return digest.hexdigest()

    def _tell(self, file: SourceFile, n_bytes: int) -> None:
        self._n_bytes[file.path] = n_bytes
        self._options.progress(self._n_bytes.total(), self._total)


def _connections(options: FetchOptions) -> httpx.AsyncClient:
    # A few packed bytes can be gigabytes.
    headers = {
        "Accept-Encoding": "identity",
        "User-Agent": f"pommel/{package_version('pommel')}",
    }
    try:
        return httpx.AsyncClient(
            headers=headers,
            timeout=options.timeout_seconds,
            # What is on this machine is not reached through a proxy.
            mounts={f"all://{host}": None for host in ("localhost", "127.0.0.1", "[::1]")},
        )
    except (ImportError, OSError, ValueError, httpx.InvalidURL) as error:
        hint = "are HTTPS_PROXY and SSL_CERT_FILE right?"
        raise PommelError(f"nothing can be fetched: {printable(str(error))} ({hint})") from None


def next_address(address: httpx.URL, location: str) -> httpx.URL:
    """Return where a redirect leads.

    Raises `TryError` for what is neither http nor https, for http after https, and for what is no
    address.
    """
    shown = printable(location[:_SHOWN_CHARACTERS])
    try:
        target = address.join(location)
    except (httpx.InvalidURL, ValueError):
        raise TryError(f"it redirects to {shown!r}, which is no address") from None
    if target.scheme not in {"http", "https"} or not target.host:
        raise TryError(f"it redirects to {shown}, which is not followed")
    if address.scheme == "https" and target.scheme == "http":
        raise TryError(f"it redirects to {shown}, which is not followed: that way is not encrypted")
    return target


def _check_answer(response: httpx.Response) -> None:
    status = response.status_code
    # 206 and the like are not the file.
    if status != httpx.codes.OK:
        raise TryError(
            f"the server says {status} {printable(response.reason_phrase)}".rstrip(),
            may_pass=status in _MAY_PASS,
            wished_seconds=Waiting.wished_seconds(response.headers.get("retry-after")),
        )
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in {"", "identity"}:
        raise TryError("it comes packed, which was not asked for")


def _failed_try(error: Exception, timeout_seconds: float) -> TryError:
    why = printable(str(error)[:_SHOWN_CHARACTERS]) or type(error).__name__
    if isinstance(error, httpx.TimeoutException):
        return TryError(f"the server was silent for {timeout_seconds:g} s", may_pass=True)
    if isinstance(error, httpx.ConnectError):
        is_tls = "SSL" in why or "TLS" in why or "CERT" in why
        what = "no encrypted connection" if is_tls else "the server cannot be reached"
        return TryError(f"{what}: {why}", is_everywhere=True)
    if isinstance(error, httpx.TransportError) and not isinstance(error, httpx.UnsupportedProtocol):
        return TryError(f"the connection was lost: {why}", may_pass=True)
    return TryError(f"it cannot be asked for: {why}")
