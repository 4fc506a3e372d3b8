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
_REPACKED = "the archive was not packed by `pommel submit`, or has been changed since"
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
    bomb = Entry(name=b"surprisals/0.jsonl", packed=deflated(bytes(1 << 16)), n_bytes=1 << 16)
    others = [replace(bomb, name=b"surprisals/%d.jsonl" % n, offset=0) for n in range(1, 9)]
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
    "no files": (lambda _: zip_of([]), "has no manifest.json"),
    "script in front": (
        lambda parts: b"#!/bin/sh\nrm -rf /\n" + parts.packed(),
        "has something in front of it; a submission is what `pommel submit` writes",
    ),
    "script behind": (
        lambda parts: parts.packed() + b"<script>",
        "has a comment, or something else, behind its end",
    ),
    "comment": (with_end(end_comment=b"PK"), "has a comment, or something else, behind its end"),
    "comment that is an end": (
        lambda parts: zip_of(parts.entries(), end_comment=zip_of([])),
        "its list of files is not where its end says",
    ),
    "comment that is not there": (
        with_end(n_comment=7),
        "its list of files is not where its end says",
    ),
    "cut off": (
        lambda parts: parts.packed()[:-30],
        "is cut off: a zip file ends with a list of its files",
    ),
    "several parts": (with_end(disk=1), "claims to be one of several parts"),
    "something before the list": (
        with_end(before_list=b"junk"),
        "has something between its files and the list of them",
    ),
    "list elsewhere": (_end_says("<I", 16, 5), "its list of files is not where its end says"),
    "list longer than it is": (_cut_list, "its list of files is cut off"),
    "damaged list": (_damaged_list, "its list of files is damaged"),
    "fewer files than listed": (
        with_end(n_entries=1),
        "its list of files is not as long as it says",
    ),
    "65,535 files": (with_end(n_entries=0xFFFF), "claims to be too large for a zip file (ZIP64)"),
    "too many files": (
        lambda _: zip_of(Entry(name=b"%d" % n, packed=b"") for n in range(2002)),
        "has more than 2,001 files",
    ),
    "zip64": (_zip64, f"{TOKENS!r} claims to be too large for a zip file (ZIP64)"),
    "zip bomb": (
        with_more(Entry(name=b"bomb", packed=deflated(bytes(1 << 27)), n_bytes=1 << 27)),
        "unpacks to more than 100 times its size, as no submission does",
    ),
    "declared bomb": (
        with_entry(TOKENS, n_bytes=(1 << 31)),
        f"{TOKENS} has more than 134,217,728 bytes, unpacked",
    ),
    "many large files": (
        with_more(*(Entry(name=b"%d" % n, packed=b"", n_bytes=1 << 27) for n in range(3))),
        "has more than 268,435,456 bytes, unpacked",
    ),
    "bomb with a declared size that lies": (
        _lying,
        f"{TOKENS} has 16,384 bytes, and the manifest says {{size}}",
    ),
    "overlapping files": (
        _quine,
        "'surprisals/1.jsonl' does not begin where the file before it ends",
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
    "leads out": (with_more(Entry(name=b"../evil.json")), "'../evil.json' is no safe name"),
    "leads out from within": (
        with_more(Entry(name=b"results/../../evil.json")),
        "'results/../../evil.json' is no safe name",
    ),
    "absolute": (with_more(Entry(name=b"/etc/passwd")), "'/etc/passwd' is no safe name"),
    "drive": (with_more(Entry(name=b"C:evil.json")), "'C:evil.json' is no safe name"),
    "backslash": (
        with_more(Entry(name=b"results\\..\\evil.json")),
        "'results\\\\..\\\\evil.json' is no safe name",
    ),
    "nameless": (with_more(Entry(name=b"")), "'' is no safe name"),
    "zero byte": (
        with_more(Entry(name=b"manifest.json\0.pkl")),
        "'manifest.json\\x00.pkl' is no safe name",
    ),
    "steers a terminal": (with_more(Entry(name=b"\x1b[2J")), "'\\x1b[2J' is no safe name"),
    "no UTF-8": (with_more(Entry(name=b"\xff.json")), "'\ufffd.json' is no safe name"),
    "folder": (
        with_more(Entry(name=b"results/")),
        "'results/' is a folder; a submission has none of its own",
    ),
    "symbolic link": (
        with_entry(CLAIMS, content=b"/etc/passwd", mode=0o120777),
        f"{CLAIMS!r} is a link",
    ),
    "device": (with_entry(CLAIMS, mode=0o020666), f"{CLAIMS!r} is no plain file"),
    "named pipe": (with_entry(CLAIMS, mode=0o010666), f"{CLAIMS!r} is no plain file"),
    "executable": (with_entry(CLAIMS, mode=0o100755), _REPACKED),
    "twice": (
        lambda parts: zip_of([*parts.entries(), parts.entries()[0]]),
        f"{TOKENS!r} is there twice",
    ),
    "twice but for case": (
        with_more(Entry(name=b"MANIFEST.json", content=b"{}")),
        "'MANIFEST.json' is there twice",
    ),
    "twice but for normalisation": (
        with_more(Entry(name="é".encode()), Entry(name="e\u0301".encode())),
        "'é' is no safe name",
    ),
    "encrypted": (with_entry(TOKENS, flags=1), f"{TOKENS!r} is encrypted"),
    "sizes behind the data": (with_entry(TOKENS, flags=8), _REPACKED),
    "not packed": (
        with_entry(TOKENS, method=0),
        f"{TOKENS!r} is packed by method 0; only deflate (8) is read",
    ),
    "unknown compression": (
        with_entry(TOKENS, method=99),
        f"{TOKENS!r} is packed by method 99; only deflate (8) is read",
    ),
    "extra field": (
        with_entry(TOKENS, extra=b"UT\x05\0\3abcd"),
        f"{TOKENS!r} comes with a comment or an extra field",
    ),
    "comment of a file": (
        with_entry(TOKENS, comment=b"see ../"),
        f"{TOKENS!r} comes with a comment or an extra field",
    ),
    "another name in front": (
        with_entry(TOKENS, local_name=b"x" * len(TOKENS)),
        f"{TOKENS!r} is described in two ways, in front of it and in the list of files",
    ),
    "something between files": (
        with_entry(CLAIMS, in_front=b"junk"),
        f"{CLAIMS!r} does not begin where the file before it ends",
    ),
    "encrypted in front": (
        with_entry(TOKENS, local_flags=1),
        f"{TOKENS!r} is described in two ways, in front of it and in the list of files",
    ),
    "a time": (with_entry(TOKENS, time=1), _REPACKED),
    "packed by another program": (_by_other_program, _REPACKED),
    "wrong CRC-32": (
        with_entry("manifest.json", crc32=1),
        "manifest.json: is damaged: its check sum (CRC-32) is wrong",
    ),
    "no deflate": (
        with_entry("manifest.json", packed=b"\xff" * 100),
        "manifest.json: is damaged: it cannot be unpacked",
    ),
    "packed data cut off": (
        with_entry("manifest.json", packed=deflated(bytes(range(256)))[:-9], n_bytes=256),
        "manifest.json: is damaged: its packed content is cut off",
    ),
    "data behind packed data": (
        with_entry("manifest.json", packed=deflated(b"{}") + b"junk", n_bytes=2),
        "manifest.json: has data behind its packed content",
    ),
    "more than declared": (
        with_entry("manifest.json", packed=deflated(b"{ }"), n_bytes=2),
        "manifest.json: unpacks to more than the 2 bytes that it declares",
    ),
    "less than declared": (
        with_entry("manifest.json", packed=deflated(b"{}"), n_bytes=3),
        "manifest.json: unpacks to 2 bytes, and declares 3",
    ),
}
