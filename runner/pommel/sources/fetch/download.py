"""Downloads: several at once, repeated when that may help; whole and checked, or not there.

Also where a file is asked for, and where a server may send us instead; and running all of this
from plain code, in a notebook as well, so that Ctrl-C ends it properly.
"""

import asyncio
import hashlib
import itertools
import threading
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar
from urllib.parse import quote, urlsplit

from pommel.errors import PommelError, UsageError, package_version, printable
from pommel.files import Waiting, replacing
from pommel.sources.fetch.source import PublishedSource

if TYPE_CHECKING:
    import httpx

# What may pass: too many requests, an error inside, a proxy without the server behind it.
_MAY_PASS = frozenset({408, 429, 500, 502, 503, 504})
_SHOWN_CHARACTERS = 300
_Result = TypeVar("_Result")


class RefusedRedirectError(Exception):
    """A redirect that is not followed; the message says why."""


def file_address(source: PublishedSource, path: str, base_url: str | None = None) -> str:
    """Return the address of one of a source's files: where it was published, or at a mirror.

    A mirror has the files as a cache has: `BASE/NAME/COMMIT/PATH`. Raises `UsageError` if
    `base_url` is no http address.
    """
    if base_url is None:
        return f"{source.address}/{quote(path)}"
    parts = urlsplit(base_url)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.query or parts.fragment:
        raise UsageError(
            f"{base_url}: a mirror's address begins with https:// or http://, and is a folder's"
        )
    return f"{base_url.rstrip('/')}/{quote(source.name)}/{source.commit}/{quote(path)}"


def next_address(address: "httpx.URL", location: str) -> "httpx.URL":
    """Return where a redirect leads.

    Raises `RefusedRedirectError` for what is neither http nor https, for http after https, and for
    what is no address.
    """
    import httpx  # noqa: PLC0415 - an extra

    shown = printable(location[:300])
    try:
        target = address.join(location)
    except (httpx.InvalidURL, ValueError):
        raise RefusedRedirectError(f"it redirects to {shown!r}, which is no address") from None
    if target.scheme not in {"http", "https"} or not target.host:
        raise RefusedRedirectError(f"it redirects to {shown}, which is not followed")
    if address.scheme == "https" and target.scheme == "http":
        raise RefusedRedirectError(
            f"it redirects to {shown}, which is not followed: that way is not encrypted"
        )
    return target


# Called with the bytes that have come so far, and all there are (0: unknown).
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadOptions:
    """How files are fetched.

    A server may be silent for `timeout_seconds`, and a file take `longest_seconds`. No file may be
    bigger than `max_bytes`, nor than its own size where that is known.
    """

    n_parallel: int = 4
    n_retries: int = 4
    n_redirects: int = 10
    timeout_seconds: float = 30.0
    longest_seconds: float = 3600.0
    max_bytes: int = 1 << 29
    waiting: Waiting = field(default_factory=Waiting)


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """One file to be fetched to `target`; `size` in bytes, None if it is not known.

    `accept` is called with the SHA-256 of what has come before it is moved there; it raises
    `UnwantedError` for what must not be.
    """

    path: str
    address: str
    target: Path
    size: int | None
    accept: Callable[[str], None]


class UnwantedError(Exception):
    """What has come is not what was to come; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadFailure:
    """Why a file could not be had."""

    path: str
    address: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason} ({self.address})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Downloaded:
    """What has become of downloads: the paths of those that are there, and why others failed.

    `is_hopeless` says that the server could not be reached, or failed, and was asked no more.
    """

    done: frozenset[str]
    failures: tuple[DownloadFailure, ...]
    is_hopeless: bool


class _TryError(Exception):
    """A try that failed.

    `may_pass` says that it may go better the next time, `is_everywhere` that other files would fail
    likewise.
    """

    def __init__(
        self,
        reason: str,
        *,
        may_pass: bool = False,
        is_everywhere: bool = False,
        wished_seconds: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.may_pass = may_pass
        self.is_everywhere = is_everywhere
        self.wished_seconds = wished_seconds


class _HopelessError(Exception):
    """Nothing more can be had; why stands among the failures."""


async def download_all(
    downloads: Sequence[Download], options: DownloadOptions, progress: Progress
) -> Downloaded:
    """Fetch files; return what became of them, failures in the order of `downloads`.

    When a server cannot be reached, or fails however often it is asked, nothing more is asked for:
    its other files would fail likewise. What is complete by then stays. Raises `PommelError` if a
    file cannot be written, or httpx is not installed.
    """
    _require_extra()
    run = _Run(options, progress, downloads)
    async with run.connections() as client:
        slots = asyncio.Semaphore(options.n_parallel)
        tasks = [asyncio.ensure_future(run.fetch(client, slots, each)) for each in downloads]
        try:
            await asyncio.gather(*tasks)
        except _HopelessError:
            is_hopeless = True
        else:
            is_hopeless = False
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    failures = [run.failures[each.path] for each in downloads if each.path in run.failures]
    return Downloaded(done=frozenset(run.done), failures=tuple(failures), is_hopeless=is_hopeless)


def _require_extra() -> None:
    try:
        import httpx  # noqa: F401, PLC0415 - an extra
    except ImportError:
        raise PommelError("fetching needs the remote extra: pip install 'pommel[remote]'") from None


class _Run:
    """The downloads of one call, what has come of them, and which have failed."""

    def __init__(
        self, options: DownloadOptions, progress: Progress, downloads: Sequence[Download]
    ) -> None:
        self.done: set[str] = set()
        self.failures: dict[str, DownloadFailure] = {}
        self._options = options
        self._progress = progress
        self._n_bytes: dict[str, int] = {}
        sizes = [each.size for each in downloads]
        known = [size for size in sizes if size is not None]
        self._total = sum(known) if len(known) == len(sizes) else 0

    def connections(self) -> "httpx.AsyncClient":
        import httpx  # noqa: PLC0415 - an extra

        try:
            return httpx.AsyncClient(
                # A few packed bytes can be gigabytes.
                headers={
                    "Accept-Encoding": "identity",
                    "User-Agent": f"pommel/{package_version('pommel')}",
                },
                timeout=httpx.Timeout(self._options.timeout_seconds),
                follow_redirects=False,
                # What is on this machine is not reached through a proxy.
                mounts={f"all://{host}": None for host in ("localhost", "127.0.0.1", "[::1]")},
            )
        except (ImportError, OSError, ValueError, httpx.InvalidURL) as error:
            raise PommelError(
                f"nothing can be fetched: {printable(str(error))} "
                "(are HTTPS_PROXY and SSL_CERT_FILE right?)"
            ) from None

    async def fetch(
        self, client: "httpx.AsyncClient", slots: asyncio.Semaphore, download: Download
    ) -> None:
        """Fetch one file, with all the tries that it may have."""
        async with slots:
            for n_failures in itertools.count(1):
                try:
                    await self._once(client, download)
                except _TryError as failure:
                    last = failure
                else:
                    self.done.add(download.path)
                    return
                if not last.may_pass or n_failures > self._options.n_retries:
                    break
                wait = self._options.waiting.seconds(n_failures, last.wished_seconds)
                await asyncio.sleep(wait)
            tries = f"{n_failures} tries failed, the last: " if n_failures > 1 else ""
            self.failures[download.path] = DownloadFailure(
                path=download.path, address=download.address, reason=f"{tries}{last}"
            )
            if last.may_pass or last.is_everywhere:
                raise _HopelessError

    async def _once(self, client: "httpx.AsyncClient", download: Download) -> None:
        import httpx  # noqa: PLC0415 - an extra

        try:
            with replacing(download.target) as aside:
                download.accept(await self._load_in_time(client, download, aside))
        except (UnwantedError, RefusedRedirectError) as error:
            raise _TryError(str(error)) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise _failed_try(error, self._options.timeout_seconds) from None

    async def _load_in_time(
        self, client: "httpx.AsyncClient", download: Download, aside: Path
    ) -> str:
        limit = self._options.longest_seconds
        try:
            async with asyncio.timeout(limit):
                return await self._load(client, download, aside)
        except TimeoutError:
            raise _TryError(f"it had not come after {limit:g} s") from None

    async def _load(self, client: "httpx.AsyncClient", download: Download, aside: Path) -> str:
        """Write what an address has to `aside`, redirects followed; return its SHA-256."""
        import httpx  # noqa: PLC0415 - an extra

        address = httpx.URL(download.address)
        for _ in range(self._options.n_redirects + 1):
            async with client.stream("GET", address) as response:
                if response.has_redirect_location:
                    address = next_address(address, response.headers["location"])
                    continue
                _check_answer(response)
                with aside.open("wb") as target:
                    return await self._copy(response, download, target)
        raise _TryError(f"it redirects more than {self._options.n_redirects} times")

    async def _copy(self, response: "httpx.Response", download: Download, target: BinaryIO) -> str:
        digest = hashlib.sha256()
        most = self._options.max_bytes
        if download.size is not None:
            most = min(most, download.size)
        n_bytes = 0
        self._tell(download, 0)
        async for piece in response.aiter_raw():
            n_bytes += len(piece)
            if n_bytes > most:
                has_to = ", which it has to have" if most == download.size else ""
                raise _TryError(f"it is bigger than {most:,} bytes{has_to}")
            digest.update(piece)
            target.write(piece)
            self._tell(download, n_bytes)
        return digest.hexdigest()

    def _tell(self, download: Download, n_bytes: int) -> None:
        self._n_bytes[download.path] = n_bytes
        self._progress(sum(self._n_bytes.values()), self._total)


def _check_answer(response: "httpx.Response") -> None:
    status = response.status_code
    # 206 and the like are not the file.
    if status != 200:  # noqa: PLR2004 - OK
        raise _TryError(
            f"the server says {status} {printable(response.reason_phrase)}".rstrip(),
            may_pass=status in _MAY_PASS,
            wished_seconds=Waiting.wished_seconds(response.headers.get("retry-after")),
        )
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in {"", "identity"}:
        raise _TryError("it comes packed, which was not asked for")


def _failed_try(error: Exception, timeout_seconds: float) -> _TryError:
    import httpx  # noqa: PLC0415 - an extra

    why = printable(str(error)[:_SHOWN_CHARACTERS]) or type(error).__name__
    if isinstance(error, httpx.TimeoutException):
        return _TryError(f"the server was silent for {timeout_seconds:g} s", may_pass=True)
    if isinstance(error, httpx.ConnectError):
        is_tls = "SSL" in why or "TLS" in why or "CERT" in why
        what = "no encrypted connection" if is_tls else "the server cannot be reached"
        return _TryError(f"{what}: {why}", is_everywhere=True)
    if isinstance(error, httpx.TransportError) and not isinstance(error, httpx.UnsupportedProtocol):
        return _TryError(f"the connection was lost: {why}", may_pass=True)
    return _TryError(f"it cannot be asked for: {why}")


def run_interruptible(coroutine: Coroutine[Any, Any, _Result]) -> _Result:
    """Run a coroutine in a thread of its own, and return what it returns.

    Whatever interrupts the wait cancels it, and is raised when everything that it had begun has
    been tidied up.
    """
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="pommel-fetch", daemon=True)
    thread.start()
    try:
        future = asyncio.run_coroutine_threadsafe(coroutine, loop)
        try:
            return future.result()
        finally:
            future.cancel()
            asyncio.run_coroutine_threadsafe(_all_others(), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _all_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.gather(*others, return_exceptions=True)
