"""Fetching a source: what is missing in the cache is downloaded, checked and unpacked."""

import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pommel.errors import PommelError, counted, listed
from pommel.files.writing import make_folder, replacing, sha256_of
from pommel.sources.fetch.addresses import file_address
from pommel.sources.fetch.archive import UnpackLimits, unpack
from pommel.sources.fetch.cache import SourceCache, State, cache_folder
from pommel.sources.fetch.download import (
    Download,
    Downloaded,
    DownloadOptions,
    Progress,
    UnwantedError,
    download_all,
)
from pommel.sources.fetch.interruptible import run_interruptible
from pommel.sources.fetch.leftovers import PART_PREFIX, PART_SUFFIX, without_leftovers
from pommel.sources.fetch.source import Archive, PublishedSource, SourceFile, find_source

_SHOWN_FAILURES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedSource:
    """A source whose files are there, every one with the checksum that it has to have.

    `files` are paths on disk below `folder`, in the table's order. `n_downloaded` of them have come
    just now, `damaged` are the paths of those that were there before, but not as they should be;
    `unknown` of those whose checksum the table does not have: they are what came the first time.
    """

    source: PublishedSource
    folder: Path
    files: tuple[Path, ...]
    n_downloaded: int
    damaged: tuple[str, ...]
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchOptions:
    """How a source is fetched.

    `base_url` is a mirror, by default what POMMEL_MIRROR says, or none. `offline` touches no
    network. `root` is the folder of the cache, by default that of this machine.
    """

    base_url: str | None = None
    offline: bool = False
    root: Path | None = None
    download: DownloadOptions = field(default_factory=DownloadOptions)
    unpacking: UnpackLimits = field(default_factory=UnpackLimits)
    progress: Progress = lambda _done, _total: None


def fetch(
    name: str, *, only: Collection[str] = (), options: FetchOptions | None = None
) -> FetchedSource:
    """Fetch the source of that name, or as much of it as matches the patterns `only`.

    No network is touched if everything is in the cache. Raises `UsageError` for a name or a pattern
    that matches nothing, and `PommelError` if a file cannot be had, is not what it should be, or
    cannot be written; what had come whole by then stays in the cache.
    """
    return fetch_source(find_source(name), only=only, options=options)


def fetch_source(
    source: PublishedSource, *, only: Collection[str] = (), options: FetchOptions | None = None
) -> FetchedSource:
    """Do what `fetch` does, with a source that need not stand in the table."""
    options = options or FetchOptions()
    chosen = source.chosen(only)
    cache = SourceCache(root=options.root or cache_folder(), source=source)
    states = {file: cache.state(file) for file in chosen}
    wanted = [file for file, state in states.items() if state != "there"]
    if wanted and options.offline:
        raise _not_kept(cache, wanted, len(_paths(states, "damaged")))
    if wanted:
        make_folder(cache.folder)
    with without_leftovers(cache.folder, [cache.records]):
        if wanted:
            _Order(cache, options).fetch(wanted)
    return FetchedSource(
        source=source,
        folder=cache.folder,
        files=tuple(cache.path(file) for file in chosen),
        n_downloaded=len(wanted),
        damaged=_paths(states, "damaged"),
        unknown=tuple(file.path for file in chosen if file.sha256 is None),
    )


def _paths(states: dict[SourceFile, State], wanted: State) -> tuple[str, ...]:
    return tuple(file.path for file, state in states.items() if state == wanted)


def _not_kept(cache: SourceCache, wanted: Sequence[SourceFile], n_damaged: int) -> PommelError:
    name = cache.source.name
    are = "is" if len(wanted) == 1 else "are"
    paths = listed([file.path for file in wanted])
    damaged = f", or there but damaged ({n_damaged})" if n_damaged else ""
    return PommelError(
        f"{name}: {counted(len(wanted), 'file')} {are} not in {cache.folder} ({paths}){damaged}; "
        f"run `pommel fetch {name}` once without --offline, or set POMMEL_CACHE to where they are"
    )


class _Order:
    """What has to be downloaded of one source, and where it goes."""

    def __init__(self, cache: SourceCache, options: FetchOptions) -> None:
        self._source = cache.source
        self._cache = cache
        self._options = options
        self._base_url = options.base_url or os.environ.get("POMMEL_MIRROR") or None

    def fetch(self, wanted: Sequence[SourceFile]) -> None:
        """Have files in the cache; raises `PommelError` if that is not possible."""
        plain = [file for file in wanted if file in self._source.files]
        archives = [
            archive
            for archive in self._source.archives
            if any(file in wanted for file in archive.members.values())
        ]
        with self._aside() as folder:
            packed = {folder / str(n): archive for n, archive in enumerate(archives)}
            downloads = [
                *(self._download(file, self._cache.path(file)) for file in plain),
                *(self._download(archive, path) for path, archive in packed.items()),
            ]
            options = self._options
            came = run_interruptible(download_all(downloads, options.download, options.progress))
            unpacked = [
                self._unpacked(archive, path, wanted)
                for path, archive in packed.items()
                if archive.path in came.done
            ]
        faults = [fault for fault in unpacked if fault]
        if came.failures:
            kept = len(came.done) > len(faults)
            faults.append(self._not_fetched(came, len(downloads), any_kept=kept))
        if faults:
            raise PommelError("\n".join(faults))

    def _download(self, file: SourceFile | Archive, target: Path) -> Download:
        return Download(
            path=file.path,
            address=file_address(self._source, file.path, self._base_url),
            target=target,
            size=file.size,
            accept=self._check_of(file),
        )

    def _check_of(self, file: SourceFile | Archive) -> Callable[[str], None]:
        def accept(sha256: str) -> None:
            if isinstance(file, SourceFile):
                self._check(file, sha256)
            elif file.sha256 not in {None, sha256}:
                raise UnwantedError(_mismatch(str(file.sha256), sha256))

        return accept

    def _check(self, file: SourceFile, sha256: str) -> None:
        """Raise `UnwantedError` for a wrong checksum; remember the first one where none is known.

        It is remembered before the file is in its place: whatever stops us in between, a file
        without a checksum is not left behind.
        """
        expected = self._cache.expected_sha256(file)
        if expected not in {None, sha256}:
            raise UnwantedError(_mismatch(str(expected), sha256, is_first=file.sha256 is None))
        if file.sha256 is None:
            self._cache.remember(file, sha256)

    def _unpacked(self, archive: Archive, path: Path, wanted: Sequence[SourceFile]) -> str:
        """Unpack an archive; return why that is not possible, nothing if all is well."""
        try:
            self._unpack(archive, path, wanted)
        except PommelError as error:
            return str(error)
        return ""

    def _unpack(self, archive: Archive, path: Path, wanted: Sequence[SourceFile]) -> None:
        taken = {name: file for name, file in archive.members.items() if file in wanted}
        with self._aside() as folder:
            try:
                found = unpack(path, archive.kind, taken, folder, limits=self._options.unpacking)
            except PommelError as error:
                # The archive's own name is one that nobody knows.
                reason = str(error).removeprefix(f"{path}: ")
                address = file_address(self._source, archive.path, self._base_url)
                raise PommelError(f"{address}: {reason}") from None
            sums = {file: sha256_of(found[name]) for name, file in taken.items()}
            for file, sha256 in sums.items():
                try:
                    self._check(file, sha256)
                except UnwantedError as error:
                    raise PommelError(f"{self._source.name}: {file.path}: {error}") from None
            for name, file in taken.items():
                with replacing(self._cache.path(file)) as aside:
                    shutil.copyfile(found[name], aside)

    @contextmanager
    def _aside(self) -> Iterator[Path]:
        """Give a folder beside the files that is gone afterwards."""
        with tempfile.TemporaryDirectory(
            dir=self._cache.folder, prefix=PART_PREFIX, suffix=PART_SUFFIX
        ) as folder:
            yield Path(folder)

    def _not_fetched(self, came: Downloaded, n_files: int, *, any_kept: bool) -> str:
        n_missing = n_files - len(came.done)
        of = f"{n_missing} of {counted(n_files, 'file')}"
        lines = [f"{self._source.name}: {of} could not be fetched"]
        lines += [f"  {failure}" for failure in came.failures[:_SHOWN_FAILURES]]
        if (more := len(came.failures) - _SHOWN_FAILURES) > 0:
            lines.append(f"  and {more} more")
        if came.is_hopeless:
            lines.append("try again when the server can be reached, or name a mirror (--base-url)")
        if any_kept:
            again = "; the same command fetches the rest" if came.is_hopeless else ""
            lines.append(f"what has come whole is kept{again}")
        return "\n".join(lines)


def _mismatch(expected: str, found: str, *, is_first: bool = False) -> str:
    of = "the first download" if is_first else "the table"
    return f"its SHA-256 is {found}, by {of} it has to be {expected}; it is not kept"
