"""Doing something again whenever a file changes, until the user has seen enough."""

import contextlib
import hashlib
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from pommel.cli.output import note
from pommel.errors import InputError, PommelError
from pommel.sources.load import find_suites

# Files are looked at, not subscribed to: it takes no dependency, and works on network disks and in
# containers, where notifications of changes often do not arrive.
INTERVAL_S = 0.5
# A change is shown when the file has been still for so long; some editors write in pieces.
_STILL_S = 0.1
# An editor may remove a file for a moment before it puts the new one in its place.
_GONE_S = 1.0
# Two writes may have the same time on a disk that counts in seconds.
_COARSEST_CLOCK_S = 2.0

_Stamp = tuple[int, int, int, int]
# Each file that is there, and its content's digest ("" for one that cannot be read).
_Seen = dict[Path, str]


def watch(sources: Sequence[str], show: Callable[[Sequence[str]], None]) -> None:
    """Call `show` now and whenever a suite file of `sources` changes, comes, or goes.

    It gets those of the sources that are there. What a user can mend is told on stderr, and
    watching goes on. Returns when the user interrupts it. Raises `InputError` if a source names
    nothing to begin with.
    """
    for source in sources:
        find_suites(source)
    # What was a file or a folder stays one, gone or not: it never means a shipped suite.
    files = _Files(
        sources=sources, places=frozenset(each for each in sources if Path(each).exists())
    )
    try:
        seen = files.look()
        while True:
            _show(show, files)
            seen = _next_change(files, seen)
    except KeyboardInterrupt:
        return


def _show(show: Callable[[Sequence[str]], None], files: "_Files") -> None:
    # Only a terminal is cleared: a pipe gets one preview after the other.
    click.clear()
    try:
        there = files.there()
        for gone in sorted({*files.sources} - {*there}):
            note(f"pommel: {gone}: it is gone; if it comes back, it is shown again")
        if there:
            show(there)
    except PommelError as error:
        note(f"pommel: {error}")
    except click.ClickException as error:
        note(f"pommel: {error.format_message()}")
    note("watching for changes; Ctrl-C ends")


def _next_change(files: "_Files", seen: _Seen) -> _Seen:
    """Wait until something else lies there, and lies still; return what."""
    while True:
        time.sleep(INTERVAL_S)
        found = files.look()
        waited_s = 0.0
        while found != seen:
            time.sleep(_STILL_S)
            waited_s += _STILL_S
            before, found = found, files.look()
            is_gone = bool(seen.keys() - found.keys())
            if found == before and (not is_gone or waited_s >= _GONE_S):
                return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Files:
    """The suite files of some sources, and what they held when they were last read.

    `places` are the sources that are paths.
    """

    sources: Sequence[str]
    places: Collection[str]
    known: dict[Path, tuple[_Stamp, str]] = field(default_factory=dict)

    def there(self) -> list[str]:
        """Return the sources without the paths that lead nowhere now."""
        return [each for each in self.sources if each not in self.places or Path(each).exists()]

    def look(self) -> _Seen:
        seen: _Seen = {}
        for source in self.there():
            with contextlib.suppress(InputError):
                for path in find_suites(source):
                    with contextlib.suppress(FileNotFoundError):
                        seen[path] = self._digest(path)
        return seen

    def _digest(self, path: Path) -> str:
        """Return the digest of a file's content, which is read only if it may be another one."""
        stat = path.stat()
        stamp = (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino)
        stamp_known, digest = self.known.get(path, (None, ""))
        is_young = time.time() - stat.st_mtime < _COARSEST_CLOCK_S
        if stamp != stamp_known or is_young:
            try:
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
            except PermissionError:
                digest = ""
        self.known[path] = (stamp, digest)
        return digest
