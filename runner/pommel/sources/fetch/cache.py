"""Where fetched files are kept, and whether what lies there is what was fetched.

    FOLDER/NAME/COMMIT/PATH            the files
    FOLDER/.sha256/NAME/COMMIT/PATH    the SHA-256 of a file that the table has none for

The first part is what a mirror looks like: a web server on FOLDER is one.
"""

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pommel.errors import InputError
from pommel.files.writing import sha256_of, write_text
from pommel.sources.fetch.source import PublishedSource, SourceFile

State = Literal["there", "missing", "damaged"]


def cache_folder(
    environment: Mapping[str, str] | None = None, platform: str = sys.platform
) -> Path:
    """Return the folder of the cache, there or not.

    In this order: what POMMEL_CACHE says; on Windows `pommel/Cache` in LOCALAPPDATA; on macOS
    `~/Library/Caches/pommel`; elsewhere `pommel` in XDG_CACHE_HOME or `~/.cache`.
    """
    known = os.environ if environment is None else environment
    if chosen := known.get("POMMEL_CACHE"):
        return Path(chosen).expanduser()
    if platform == "win32":
        local = known.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "pommel" / "Cache"
    if platform == "darwin":
        return Path.home() / "Library" / "Caches" / "pommel"
    root = Path(known.get("XDG_CACHE_HOME", ""))
    # A relative one is to be ignored, says the specification of these folders.
    return (root if root.is_absolute() else Path.home() / ".cache") / "pommel"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCache:
    """The place of one source in the cache."""

    root: Path
    source: PublishedSource

    @property
    def folder(self) -> Path:
        """The folder that a source's paths begin in."""
        return self.root / self.source.name / self.source.commit

    @property
    def records(self) -> Path:
        """The folder of checksums that the table does not have."""
        return self.root / ".sha256" / self.source.name / self.source.commit

    def path(self, file: SourceFile) -> Path:
        """Return where a file lies, or would."""
        return self.folder / file.path

    def expected_sha256(self, file: SourceFile) -> str | None:
        """Return the checksum from the table, else that of the first download; None before one."""
        if file.sha256 is not None:
            return file.sha256
        try:
            recorded = self._record(file).read_text("ascii").strip()
        except (OSError, UnicodeDecodeError):
            return None
        # A damaged record is none.
        return recorded if re.fullmatch(r"[0-9a-f]{64}", recorded) else None

    def remember(self, file: SourceFile, sha256: str) -> None:
        """Keep the checksum of a first download; raises `PommelError` if that is not possible."""
        if self.expected_sha256(file) is None:
            write_text(self._record(file), f"{sha256}\n")

    def state(self, file: SourceFile) -> State:
        """Return what there is of a file; all of it is read.

        A file whose checksum nobody knows counts as missing: an interrupted download can have left
        anything.
        """
        expected = self.expected_sha256(file)
        if expected is None or not self.path(file).is_file():
            return "missing"
        try:
            return "there" if sha256_of(self.path(file)) == expected else "damaged"
        except InputError:
            return "damaged"

    def n_kept(self) -> int:
        """Return how many of the source's files are there, without reading them."""
        return sum(self.path(file).is_file() for file in self.source.every_file)

    def _record(self, file: SourceFile) -> Path:
        return self.records / file.path
