"""What a disk may have after a power cut: what a command does to files, recorded and played back.

The model is a file system with a journal, as unkind as it may be: names (made, moved, deleted) and
lengths that are cut are there at once, in their order; of what was written there is only what was
synced, or, of some pages, also what came later.
"""

import os
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

# Contents by their paths in the folder; None for a folder.
Image = dict[str, bytes | None]

# After these calls the disk may be another.
_LASTING = {"openat", "ftruncate", "fsync", "fdatasync"}
_LASTING |= {"rename", "renameat", "renameat2", "link", "unlink", "unlinkat", "mkdir", "rmdir"}
_CALLS = ",".join([*_LASTING, "write", "pwrite64", "lseek"])
_CALL = re.compile(r"(\w+)\((.*)\) += (\d+)\b.*")
# Descriptors have their files in angles; all text is in hexadecimal.
_TEXT = re.compile(r'[<"]((?:\\x[0-9a-f]{2})*)[>"]')
_UNFINISHED = re.compile(r"(\d+) +(.*) <unfinished \.\.\.>")
_RESUMED = re.compile(r"(\d+) +<\.\.\. \w+ resumed>(.*)")
# What a disk writes at once.
_PAGE = 4096


def recording(log: Path) -> tuple[str, ...]:
    """Return the program, with its arguments, that records another's calls."""
    return ("strace", "-fyxx", "--seccomp-bpf", f"-etrace={_CALLS}", "-s999999999", f"-o{log}")


@dataclass(slots=True)
class _File:
    """A file as processes see it, and as it is on the disk."""

    seen: bytes = b""
    synced: bytes = b""

    def write(self, data: bytes, at: int) -> None:
        self.seen = self.seen[:at].ljust(at, b"\0") + data + self.seen[at + len(data) :]

    def cut(self, length: int) -> None:
        self.seen = self.seen[:length].ljust(length, b"\0")
        self.synced = self.synced[:length]

    def some(self, chance: random.Random) -> bytes:
        """Return the file with some of the pages that were not synced."""
        length = len(chance.choice([self.synced, self.seen]))
        pages = (
            chance.choice([self.seen, self.synced])[at : at + _PAGE].ljust(_PAGE, b"\0")
            for at in range(0, length, _PAGE)
        )
        return b"".join(pages)[:length]


class Disk:
    """A folder, as a power cut would leave it after each call of a command in it.

    `moved` are names to which something was moved, and what it was.
    """

    def __init__(self, folder: Path) -> None:
        """Begin with a folder as it is, all of it on the disk."""
        self._folder = folder
        self._files: dict[Path, _File | None] = {}
        self._at: dict[str, int] = {}
        for path in folder.rglob("*"):
            raw = b"" if path.is_dir() else path.read_bytes()
            self._files[path] = None if path.is_dir() else _File(raw, raw)
        self.moved: list[tuple[str, bytes | None]] = []

    def images(self, log: Path, chance: random.Random) -> Iterator[tuple[str, Image]]:
        """Play a record back; yield what there may be of the folder, and after which call."""
        last: list[Image] = []
        for name, arguments, result in _calls(log):
            path = self._do(name, arguments, result)
            if path is not None and name in _LASTING:
                # A generator of its own would be asked twice for one page.
                kinds = (self.image(lambda file: file.synced), self.image(lambda f: f.some(chance)))
                new = [each for each in kinds if each not in last]
                last = [*kinds]
                yield from ((f"{name} {path.name}", each) for each in new)

    def image(self, content: Callable[[_File], bytes] = lambda file: file.seen) -> Image:
        """Return what there is; without another wish, what there is without a power cut."""
        return {
            str(path.relative_to(self._folder)): None if file is None else content(file)
            for path, file in self._files.items()
        }

    def _do(self, name: str, arguments: str, result: int) -> Path | None:
        """Do what a call did; return its file, None if that is in another folder."""
        texts = [bytes.fromhex(each.replace("\\x", "")) for each in _TEXT.findall(arguments)]
        descriptor = arguments.partition("<")[0]
        if name in {"openat", "unlinkat", "renameat", "renameat2"}:
            # Each path is below the folder that is named before it.
            pairs = [*zip(texts[::2], texts[1::2], strict=True)]
        else:
            pairs = [(b"", each) for each in texts[: 2 if name in {"rename", "link"} else 1]]
        path, *targets = (
            Path(os.path.normpath(self._folder.joinpath(*map(os.fsdecode, pair)))) for pair in pairs
        )
        if name == "openat":
            self._at[str(result)] = 0
        if not path.is_relative_to(self._folder):
            return None
        if name == "openat":
            self._open(path, arguments)
        elif name in _LASTING - {"ftruncate", "fsync", "fdatasync"}:
            self._name(name, path, *targets)
        elif file := self._files.get(path):
            numbers = [int(each) for each in re.findall(r"\d+", re.split('[>"]', arguments)[-1])]
            if name in {"write", "pwrite64"}:
                at = numbers[-1] if name == "pwrite64" else self._at.get(descriptor, 0)
                file.write(texts[1][:result], at)
                self._at[descriptor] = at + result
            elif name == "lseek":
                self._at[descriptor] = result
            elif name == "ftruncate":
                file.cut(numbers[-1])
            else:
                file.synced = file.seen
        return path

    def _open(self, path: Path, flags: str) -> None:
        file = self._files.get(path)
        if "O_CREAT" in flags and path not in self._files:
            self._files[path] = _File()
        elif "O_TRUNC" in flags and file is not None:
            file.cut(0)

    def _name(self, name: str, path: Path, target: Path | None = None) -> None:
        if name == "mkdir":
            self._files[path] = None
        elif target is None:
            del self._files[path]
        else:
            # What is in a folder goes with it.
            for each in [each for each in self._files if each.is_relative_to(path)]:
                file = self._files[each] if name == "link" else self._files.pop(each)
                place = target / each.relative_to(path)
                self._files[place] = file
                self.moved.append(
                    (str(place.relative_to(self._folder)), file.seen if file else None)
                )


def _calls(log: Path) -> Iterator[tuple[str, str, int]]:
    """Yield the calls that succeeded: name, arguments, result."""
    begun: dict[str, str] = {}
    for line in log.read_text("ascii").splitlines():
        if found := _UNFINISHED.fullmatch(line):
            begun[found[1]] = found[2]
        elif found := _RESUMED.fullmatch(line):
            line = f"{found[1]} {begun.pop(found[1])}{found[2]}"  # noqa: PLW2901
        if found := _CALL.fullmatch(line.partition(" ")[2].lstrip()):
            yield found[1], found[2], int(found[3])
