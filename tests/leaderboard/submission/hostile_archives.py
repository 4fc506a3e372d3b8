"""Archives that are no submissions, and what is said of each; what they hold is sound."""

import io
import pickle
import struct
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from tests.leaderboard.submission.samples import Parts, results, surprisals
from tests.leaderboard.submission.zip_builder import Entry, deflated, zip_of

Make = Callable[[Parts], bytes]

TOKENS, CLAIMS = surprisals(), results()
_NO_PLAIN = f"{CLAIMS!r} is a link, or no plain file"
_DAMAGED = "is damaged: it cannot be unpacked"
# Names that a submission's files may have.
_FILES = [f"results/{n:064}.json" for n in range(9)]
_NO_FILE = "is no file of a submission; only JSON is read, no pickles or programs"


def with_entry(name: str, **changes: Any) -> Make:
    """Return an archive of which one entry is changed."""

    def make(parts: Parts) -> bytes:
        entries = parts.entries()
        return zip_of(
            replace(each, **changes) if each.name == name.encode() else each for each in entries
        )

    return make


def with_more(*more: Entry) -> Make:
    """Return an archive with more entries."""
    return lambda parts: zip_of([*parts.entries(), *more])


def with_end(**changes: Any) -> Make:
    """Return an archive with another end."""
    return lambda parts: zip_of(parts.entries(), **changes)


def _lying(parts: Parts) -> bytes:
    """Declare a hundredth of what a file unpacks to: the rest is a bomb."""
    packed = deflated(bytes(1 << 24))
    return with_entry(TOKENS, packed=packed, n_bytes=1 << 14)(parts)


def _quine(parts: Parts) -> bytes:
    """List one packed bomb many times: entries that overlap."""
    bomb = Entry(name=_FILES[0].encode(), packed=deflated(bytes(1 << 16)), n_bytes=1 << 16)
    others = [replace(bomb, name=name.encode(), offset=0) for name in _FILES[1:]]
    return zip_of([bomb, *(replace(each, packed=b"") for each in others), *parts.entries()])


def _by_other_program(parts: Parts) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _cut_list(parts: Parts) -> bytes:
    """Claim one file more than the list has."""
    return zip_of(parts.entries(), n_entries=len(parts.files) + 1)


def _damaged_list(parts: Parts) -> bytes:
    return parts.packed().replace(b"PK\1\2", b"PK\1\3")


def _changed(raw: bytes, at: int, value: bytes) -> bytes:
    return raw[:at] + value + raw[at + len(value) :]


def _end_says(form: str, at: int, value: int) -> Make:
    """Have the end record say something else."""
    return lambda parts: _changed(
        raw := parts.packed(), len(raw) - 22 + at, struct.pack(form, value)
    )


def _zip64(parts: Parts) -> bytes:
    extra = struct.pack("<2H2Q", 1, 16, 10, 1 << 40)
    return with_entry(TOKENS, extra=extra, n_bytes=0xFFFFFFFF)(parts)


ARCHIVES: Mapping[str, tuple[Make, str]] = {
    "empty": (lambda _: b"", "is no zip file; a submission is what `pommel submit` writes"),
    "no zip file": (
        lambda _: pickle.dumps({"a": 1}),
        "is no zip file; a submission is what `pommel submit` writes",
    ),
    "no files": (
        lambda _: zip_of([]),
        "has something in front of it; a submission is what `pommel submit` writes",
    ),
    "script in front": (
        lambda parts: b"#!/bin/sh\nrm -rf /\n" + parts.packed(),
        "has something in front of it; a submission is what `pommel submit` writes",
    ),
    "script behind": (
        lambda parts: parts.packed() + b"<script>",
        "is cut off, or has something behind its end",
    ),
    "comment": (with_end(end_comment=b"PK"), "is cut off, or has something behind its end"),
    "comment that is an end": (
        lambda parts: zip_of(parts.entries(), end_comment=zip_of([])),
        "has no manifest.json",
    ),
    "cut off": (
        lambda parts: parts.packed()[:-30],
        "is cut off, or has something behind its end",
    ),
    "list elsewhere": (
        _end_says("<I", 16, 5),
        f"manifest.json {_DAMAGED}",
    ),
    "damaged list": (_damaged_list, "is damaged: its list of files makes no sense"),
    "more files than it says": (
        lambda _: zip_of((Entry(name=b"%d" % n, packed=b"") for n in range(2002)), n_entries=1),
        "has more than 2,001 files",
    ),
    "too many files": (
        lambda _: zip_of(Entry(name=b"%d" % n, packed=b"") for n in range(2002)),
        "has more than 2,001 files",
    ),
    "a place that no file has": (
        with_entry(
            "manifest.json", extra=struct.pack("<2HQ", 1, 8, (1 << 64) - 1), offset=0xFFFFFFFF
        ),
        f"manifest.json {_DAMAGED}",
    ),
    "zip64": (_zip64, f"{TOKENS} has 10 bytes, and the manifest says {{size}}"),
    "zip bomb": (
        with_more(Entry(name=_FILES[0].encode(), packed=deflated(bytes(1 << 27)), n_bytes=1 << 27)),
        "unpacks to more than 100 times its size, as no submission does",
    ),
    "declared bomb": (
        with_entry(TOKENS, n_bytes=(1 << 31)),
        f"{TOKENS} has more than 134,217,728 bytes, unpacked",
    ),
    "many large files": (
        with_more(*(Entry(name=each.encode(), packed=b"", n_bytes=1 << 27) for each in _FILES[:3])),
        "has more than 268,435,456 bytes, unpacked",
    ),
    "bomb with a declared size that lies": (
        _lying,
        f"{TOKENS} has 16,384 bytes, and the manifest says {{size}}",
    ),
    "overlapping files": (
        _quine,
        f"{_FILES[0]} is not in the manifest",
    ),
    "zip file within": (
        with_more(Entry(name=b"surprisals/more.zip", content=zip_of([Entry(name=b"a")]))),
        f"'surprisals/more.zip' {_NO_FILE}",
    ),
    "pickle": (
        with_more(Entry(name=b"surprisals/model.pkl", content=pickle.dumps({}))),
        f"'surprisals/model.pkl' {_NO_FILE}",
    ),
    "weights": (with_more(Entry(name=b"weights.pt")), f"'weights.pt' {_NO_FILE}"),
    "leads out": (with_more(Entry(name=b"../evil.json")), f"'../evil.json' {_NO_FILE}"),
    "leads out from within": (
        with_more(Entry(name=b"results/../../evil.json")),
        f"'results/../../evil.json' {_NO_FILE}",
    ),
    "absolute": (with_more(Entry(name=b"/etc/passwd")), f"'/etc/passwd' {_NO_FILE}"),
    "drive": (with_more(Entry(name=b"C:evil.json")), f"'C:evil.json' {_NO_FILE}"),
    "backslash": (
        with_more(Entry(name=b"results\\..\\evil.json")),
        f"'results\\\\..\\\\evil.json' {_NO_FILE}",
    ),
    "nameless": (with_more(Entry(name=b"")), f"'' {_NO_FILE}"),
    "zero byte": (
        with_more(Entry(name=b"manifest.json\0.pkl")),
        f"'manifest.json\\x00.pkl' {_NO_FILE}",
    ),
    "steers a terminal": (with_more(Entry(name=b"\x1b[2J")), f"'\\x1b[2J' {_NO_FILE}"),
    "no UTF-8": (with_more(Entry(name=b"\xff.json")), f"'\\xa0.json' {_NO_FILE}"),
    "folder": (
        with_more(Entry(name=b"results/")),
        f"'results/' {_NO_FILE}",
    ),
    "symbolic link": (
        with_entry(CLAIMS, content=b"/etc/passwd", mode=0o120777),
        _NO_PLAIN,
    ),
    "device": (with_entry(CLAIMS, mode=0o020666), _NO_PLAIN),
    "named pipe": (with_entry(CLAIMS, mode=0o010666), _NO_PLAIN),
    "twice": (
        lambda parts: zip_of([*parts.entries(), parts.entries()[0]]),
        f"{TOKENS!r} is there twice",
    ),
    "twice but for case": (
        with_more(Entry(name=b"MANIFEST.json", content=b"{}")),
        f"'MANIFEST.json' {_NO_FILE}",
    ),
    "twice but for normalisation": (
        with_more(Entry(name="é".encode()), Entry(name="e\u0301".encode())),
        f"'\u251c\u2310' {_NO_FILE}",
    ),
    "encrypted": (with_entry(TOKENS, flags=1), f"{TOKENS!r} is encrypted"),
    "not packed": (
        with_entry(TOKENS, method=0),
        f"{TOKENS!r} is packed by method 0; only deflate (8) is read",
    ),
    "unknown compression": (
        with_entry(TOKENS, method=99),
        f"{TOKENS!r} is packed by method 99; only deflate (8) is read",
    ),
    "another name in front": (
        with_entry(TOKENS, local_name=b"x" * len(TOKENS)),
        f"{TOKENS} {_DAMAGED}",
    ),
    "wrong CRC-32": (
        with_entry("manifest.json", crc32=1),
        f"manifest.json {_DAMAGED}",
    ),
    "no deflate": (
        with_entry("manifest.json", packed=b"\xff" * 100),
        f"manifest.json {_DAMAGED}",
    ),
    "packed data cut off": (
        with_entry("manifest.json", packed=deflated(bytes(range(256)))[:-9], n_bytes=256),
        f"manifest.json {_DAMAGED}",
    ),
    "data behind packed data": (
        with_entry("manifest.json", packed=deflated(b"{}") + b"junk", n_bytes=2),
        f"manifest.json {_DAMAGED}",
    ),
    "more than declared": (
        with_entry("manifest.json", packed=deflated(b"{ }"), n_bytes=2),
        f"manifest.json {_DAMAGED}",
    ),
    "less than declared": (
        with_entry("manifest.json", packed=deflated(b"{}"), n_bytes=3),
        f"manifest.json {_DAMAGED}",
    ),
}

# What differs from a sound submission in how it is packed, and in nothing that is read.
PACKED_OTHERWISE: Mapping[str, Make] = {
    "comment that is not there": with_end(n_comment=7),
    "several parts": with_end(disk=1),
    "something before the list": with_end(before_list=b"junk"),
    "list longer than it is": _cut_list,
    "fewer files than listed": with_end(n_entries=1),
    "65,535 files": with_end(n_entries=0xFFFF),
    "executable": with_entry(CLAIMS, mode=0o100755),
    "sizes behind the data": with_entry(TOKENS, flags=8),
    "extra field": with_entry(TOKENS, extra=b"UT\x05\0\3abcd"),
    "comment of a file": with_entry(TOKENS, comment=b"see ../"),
    "something between files": with_entry(CLAIMS, in_front=b"junk"),
    "encrypted in front": with_entry(TOKENS, local_flags=1),
    "a time": with_entry(TOKENS, time=1),
    "packed by another program": _by_other_program,
}
