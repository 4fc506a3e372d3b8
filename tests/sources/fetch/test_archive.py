"""Unpacking: what is asked for, and nothing of an archive that has anything odd in it."""

import gzip
import io
import random
import re
import shutil
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sources.fetch.packing import tarred, zipped

from pommel.errors import PommelError
from pommel.sources.fetch.archive import UnpackLimits, unpack
from pommel.sources.fetch.source import ArchiveKind

LIMITS = UnpackLimits(n_members=10, n_bytes=100_000)
BIRDS = {"birds/wren.json": b"wren", "birds/a/tit.json": b"great tit", "birds/README": b""}
KINDS: tuple[ArchiveKind, ...] = ("zip", "tar", "tar.gz")


def packed(kind: ArchiveKind, members: dict[str, bytes]) -> bytes:
    """Return an archive of a kind."""
    return zipped(members) if kind == "zip" else tarred(members, gzipped=kind == "tar.gz")


def refusal(tmp_path: Path, raw: bytes, kind: ArchiveKind, wanted: str = "wren.json") -> str:
    """Unpack what must not be unpacked; return what is said of it. Nothing may lie outside."""
    archive, folder = tmp_path / "archive", tmp_path / "inside" / "folder"
    archive.write_bytes(raw)
    folder.mkdir(parents=True, exist_ok=True)
    with pytest.raises(PommelError) as caught:
        unpack(archive, kind, [wanted], folder, limits=LIMITS)
    assert {path.name for path in tmp_path.iterdir()} == {"archive", "inside"}
    assert [path.name for path in folder.parent.iterdir()] == ["folder"]
    return str(caught.value).removeprefix(f"{archive}: ")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_asked_for_is_copied_to_names_of_ours(kind: ArchiveKind, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    archive.write_bytes(packed(kind, BIRDS))
    folder = tmp_path / "folder"
    folder.mkdir()
    wanted = ["birds/wren.json", "birds/README"]
    found = unpack(archive, kind, wanted, folder, limits=LIMITS)
    assert {name: path.read_bytes() for name, path in found.items()} == {
        "birds/wren.json": b"wren",
        "birds/README": b"",
    }
    assert sorted(folder.iterdir()) == sorted(found.values())


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_may_begin_with_a_dot_and_a_slash(kind: ArchiveKind, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    archive.write_bytes(packed(kind, {"./a//wren.json": b"wren"}))
    (found,) = unpack(archive, kind, ["a/wren.json"], tmp_path, limits=LIMITS).values()
    assert found.read_bytes() == b"wren"


def test_folders_are_passed_over(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    archive.write_bytes(zipped({"birds/": b"", "birds/wren.json": b"wren"}))
    assert len(unpack(archive, "zip", ["birds/wren.json"], tmp_path, limits=LIMITS)) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name",
    [
        "../wren.json",
        "birds/../../wren.json",
        "/etc/wren.json",
        "C:/wren.json",
        "birds\\wren.json",
        "birds/\x1b[2Jwren.json",
        "..",
    ],
)
def test_names_that_are_not_safe(kind: ArchiveKind, name: str, tmp_path: Path) -> None:
    said = refusal(tmp_path, packed(kind, {"wren.json": b"wren", name: b"cuckoo"}), kind)
    assert re.fullmatch(r"'.*' is no safe name; nothing of it is unpacked", said)


@pytest.mark.parametrize(
    ("kind", "target", "said"),
    [
        (tarfile.SYMTYPE, "/etc/passwd", "'wren.json' is a link; nothing of it is unpacked"),
        (tarfile.SYMTYPE, "../up", "'wren.json' is a link; nothing of it is unpacked"),
        (tarfile.LNKTYPE, "/etc/passwd", "'wren.json' is a link; nothing of it is unpacked"),
        (tarfile.FIFOTYPE, "", "'wren.json' is no plain file; nothing of it is unpacked"),
        (tarfile.CHRTYPE, "", "'wren.json' is no plain file; nothing of it is unpacked"),
        (tarfile.BLKTYPE, "", "'wren.json' is no plain file; nothing of it is unpacked"),
    ],
)
def test_links_and_devices_in_a_tar_file(
    kind: bytes, target: str, said: str, tmp_path: Path
) -> None:
    raw = tarred({"wren.json": b""}, kind=kind, target=target)
    assert refusal(tmp_path, raw, "tar") == said


@pytest.mark.parametrize(("mode", "what"), [(0o120777, "a link"), (0o020666, "no file")])
def test_links_and_devices_in_a_zip_file(mode: int, what: str, tmp_path: Path) -> None:
    raw = zipped({"wren.json": b"/etc/passwd"}, mode=mode)
    assert refusal(tmp_path, raw, "zip") == f"'wren.json' is {what}; nothing of it is unpacked"


def test_an_encrypted_zip_file(tmp_path: Path) -> None:
    raw = bytearray(zipped({"wren.json": b"wren"}))
    # The flags of the entry in the central directory.
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    said = "'wren.json' is encrypted; nothing of it is unpacked"
    assert refusal(tmp_path, bytes(raw), "zip") == said


@pytest.mark.parametrize("second", ["wren.json", "./wren.json", "WREN.json"])
def test_names_that_come_twice(second: str, tmp_path: Path) -> None:
    members = [("wren.json", b"wren"), (second, b"cuckoo")]
    said = f"{second!r} is there twice; nothing of it is unpacked"
    archives: dict[ArchiveKind, bytes] = {"zip": zipped(members), "tar": tarred(members)}
    for kind, raw in archives.items():
        place = tmp_path / kind
        place.mkdir()
        assert refusal(place, raw, kind) == said


def test_letters_that_some_file_systems_take_for_the_same(tmp_path: Path) -> None:
    members = [("m\N{LATIN SMALL LETTER E WITH ACUTE}sange", b"1"), ("me\u0301sange", b"2")]
    said = "'me\u0301sange' is there twice; nothing of it is unpacked"
    assert refusal(tmp_path, zipped(members), "zip") == said


@pytest.mark.parametrize("kind", KINDS)
def test_too_many_members(kind: ArchiveKind, tmp_path: Path) -> None:
    raw = packed(kind, {f"{n}.json": b"" for n in range(11)})
    assert refusal(tmp_path, raw, kind) == "it has more than 10 members"


@pytest.mark.parametrize("kind", KINDS)
def test_too_much_in_one_member_or_in_all(kind: ArchiveKind, tmp_path: Path) -> None:
    said = "unpacked it has more than 100,000 bytes"
    bomb = packed(kind, {"wren.json": bytes(10_000_000)})
    assert refusal(tmp_path, bomb, kind) == said
    many = packed(kind, {f"{n}.json": bytes(30_000) for n in range(4)})
    assert refusal(tmp_path, many, kind) == said


def test_a_tar_header_that_claims_a_length(tmp_path: Path) -> None:
    # A name that is ten megabytes long is in the header, not in the content.
    raw = tarred({"n" * 10_000_000: b""}, gzipped=True)
    assert len(raw) < 100_000
    assert refusal(tmp_path, raw, "tar.gz") == "unpacked it has more than 100,000 bytes"


def test_a_zip_file_that_lies_about_a_size(tmp_path: Path) -> None:
    raw = bytearray(zipped({"wren.json": bytes(1_000_000)}))
    for magic, place in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        start = raw.index(magic) + place
        raw[start : start + 4] = (10).to_bytes(4, "little")
    said = "it is no sound zip file: Bad CRC-32 for file 'wren.json'"
    assert refusal(tmp_path, bytes(raw), "zip") == said


@pytest.mark.parametrize(
    ("kind", "raw", "said"),
    [
        ("zip", b"<html>not found</html>", "it is no sound zip file: File is not a zip file"),
        (
            "tar.gz",
            b"<html>not found</html>",
            r"it is no sound tar\.gz file: Not a gzipped file .*",
        ),
        ("tar", b"<html>not found</html>" * 99, "it is no sound tar file: .*"),
        ("tar.gz", gzip.compress(b"x" * 9999, mtime=0), r"it is no sound tar\.gz file: .*"),
        ("zip", zipped(BIRDS)[:-30], "it is no sound zip file: File is not a zip file"),
        ("tar.gz", tarred(BIRDS, gzipped=True)[:-20], r"it is no sound tar\.gz file: .*"),
    ],
)
def test_what_is_no_archive(kind: ArchiveKind, raw: bytes, said: str, tmp_path: Path) -> None:
    assert re.fullmatch(said, refusal(tmp_path, raw, kind))


@pytest.mark.parametrize("kind", KINDS)
def test_a_member_that_is_not_there(kind: ArchiveKind, tmp_path: Path) -> None:
    assert refusal(tmp_path, packed(kind, BIRDS), kind) == "it does not hold wren.json"


def test_too_many_members_are_not_even_listed(tmp_path: Path) -> None:
    # The end record says that there is one; the list has 20,000 all the same.
    raw = bytearray(zipped({f"{n}.json": b"" for n in range(20_000)}))
    end = raw.rindex(b"PK\x05\x06")
    raw[end + 8 : end + 12] = b"\1\0\1\0"
    roomy = UnpackLimits(n_members=2_000, n_bytes=100_000)
    archive = tmp_path / "archive"
    archive.write_bytes(raw)
    tracemalloc.start()
    try:
        with pytest.raises(PommelError, match=r"it has more than 2000 members$"):
            unpack(archive, "zip", ["0.json"], tmp_path, limits=roomy)
        most_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # As values of Python's they would be ten times as much.
    assert most_bytes < 2 * len(raw)


def test_a_list_of_members_that_is_too_long(tmp_path: Path) -> None:
    names = {f"{n}{'x' * 60_000}": b"" for n in range(3)}
    assert refusal(tmp_path, zipped(names), "zip") == "it has more than 10 members"


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damage_to_a_zip_file_is_a_message(method: int, tmp_path: Path) -> None:
    packed_birds = io.BytesIO()
    with zipfile.ZipFile(packed_birds, "w", method) as sound:
        for name, content in BIRDS.items():
            sound.writestr(name, content)
    unpack_damaged(packed_birds.getvalue(), "zip", tmp_path)


@pytest.mark.parametrize("kind", ["tar", "tar.gz"])
def test_damage_to_a_tar_file_is_a_message(kind: ArchiveKind, tmp_path: Path) -> None:
    unpack_damaged(packed(kind, BIRDS), kind, tmp_path)


def unpack_damaged(raw: bytes, kind: ArchiveKind, tmp_path: Path) -> None:
    """Unpack 500 damaged copies of an archive; anything but a message of ours is an error."""
    chance = random.Random(20_240_229)  # noqa: S311 - damage that can be repeated
    archive, folder = tmp_path / "archive", tmp_path / "folder"
    n_refused = 0
    for _ in range(500):
        damaged = bytearray(raw)
        for _ in range(chance.choice([1, 2, 5, 20])):
            at = chance.randrange(len(damaged))
            damaged[at : at + chance.randrange(4)] = chance.randbytes(chance.randrange(4))
        archive.write_bytes(damaged)
        folder.mkdir()
        try:
            unpack(archive, kind, ["birds/wren.json"], folder, limits=LIMITS)
        except PommelError:
            n_refused += 1
        shutil.rmtree(folder)
    assert n_refused > 100


def test_a_compression_that_is_not_known(tmp_path: Path) -> None:
    raw = bytearray(zipped({"wren.json": b"wren"}))
    for magic, place in ((b"PK\x01\x02", 10), (b"PK\x03\x04", 8)):
        raw[raw.index(magic) + place] = 98
    said = refusal(tmp_path, bytes(raw), "zip")
    assert said == "it is no sound zip file: That compression method is not supported"


@given(
    members=st.dictionaries(
        st.text("abc./\\~ \0é", min_size=1, max_size=8), st.binary(max_size=9), max_size=5
    ),
    kind=st.sampled_from(["tar", "tar.gz"]),
)
def test_nothing_lies_outside_whatever_the_names(
    members: dict[str, bytes], kind: ArchiveKind, tmp_path_factory: pytest.TempPathFactory
) -> None:
    top = tmp_path_factory.mktemp("law")
    archive, folder = top / "archive", top / "in" / "folder"
    archive.write_bytes(packed(kind, members))
    folder.mkdir(parents=True)
    try:
        found = unpack(archive, kind, members, folder, limits=LIMITS)
    except PommelError:
        found = {}
    assert all(path.parent == folder for path in found.values())
    assert {path.name for path in top.rglob("*") if path.parent != folder} == {
        "archive",
        "in",
        "folder",
    }
