"""Copies of what was fetched, with what whoever gets them has to know."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from tests.sources.fetch.server import COMMIT, FileServer, tree

from pommel.errors import UsageError
from pommel.sources.fetch.fetching import FetchedSource, MadeFile
from pommel.sources.fetch.source import FetchOptions, PublishedSource

WREN, LICENCE = b'{"bird": "wren"}', "Do as you like. \N{COPYRIGHT SIGN} Wren".encode()


@pytest.fixture
def birds(server: FileServer) -> PublishedSource:
    """A source with a licence, and a file whose checksum nobody knows."""
    contents = {"a/wren.json": WREN, "LICENSE": LICENCE, "tit.json": b"{}"}
    for path, content in contents.items():
        server.serve(f"birds/{COMMIT}/{path}", content)
    return server.source(
        {**contents, "tit.json": None},
        licence_file="LICENSE",
        languages=("en",),
        citation="@misc{wren}\n",
        homepage="https://birds.example",
        repository="https://git.example/birds",
    )


@pytest.fixture
def fetched(birds: PublishedSource, options: FetchOptions) -> FetchedSource:
    """The same, fetched."""
    return FetchedSource.fetch(birds, options=options)


def test_the_licence_and_the_origin_travel_with_the_files(
    fetched: FetchedSource, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    paths = fetched.export(folder)
    assert tree(folder) == ["LICENSE", "SOURCE.txt", "a/wren.json", "tit.json"]
    assert sorted(path.relative_to(folder).as_posix() for path in paths) == tree(folder)
    assert (folder / "a" / "wren.json").read_bytes() == WREN
    assert (folder / "LICENSE").read_bytes() == LICENCE
    table, first = "pommel's table", "the first download"
    assert json.loads((folder / "SOURCE.txt").read_text("utf-8")) == {
        "name": "birds",
        "title": "suites about birds",
        "languages": ["en"],
        "licence": "MIT",
        "citation": "@misc{wren}\n",
        "homepage": "https://birds.example",
        "repository": "https://git.example/birds",
        "commit": COMMIT,
        "address": fetched.source.address,
        "note": None,
        "files": [
            {"path": path, "sha256": sha256(content).hexdigest(), "checksum_of": of}
            for path, content, of in (
                ("a/wren.json", WREN, table),
                ("LICENSE", LICENCE, table),
                ("tit.json", b"{}", first),
            )
        ],
    }


def test_what_is_there_is_not_overwritten_by_another(
    fetched: FetchedSource, tmp_path: Path
) -> None:
    (tmp_path / "tit.json").write_bytes(b"my own")
    with pytest.raises(UsageError) as caught:
        fetched.export(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: 1 file there would be overwritten by another (tit.json); "
        "choose another folder, or add --force"
    )
    assert not (tmp_path / "a").exists()
    fetched.export(tmp_path, force=True)
    assert (tmp_path / "tit.json").read_bytes() == b"{}"
    # The same files are no others.
    fetched.export(tmp_path)


def listed_in(folder: Path) -> list[str]:
    """Return the files that SOURCE.txt lists, those that were made by what they were made of."""
    value = json.loads((folder / "SOURCE.txt").read_text("utf-8"))
    return [" of ".join(filter(None, [each.get("made"), each["path"]])) for each in value["files"]]


def test_what_comes_later_is_added(
    birds: PublishedSource, options: FetchOptions, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    wren = FetchedSource.fetch(birds, only=["a/*"], options=options)
    wren.export(folder)
    tit = FetchedSource.fetch(birds, only=["tit.json"], options=options)
    tit.export(folder)
    assert listed_in(folder) == ["a/wren.json", "LICENSE", "tit.json"]
    both = {path: (folder / path).read_bytes() for path in tree(folder)}
    tit.export(folder)
    assert {path: (folder / path).read_bytes() for path in tree(folder)} == both
    # What is not there any more, or is not what it was, is not listed.
    (folder / "a" / "wren.json").write_bytes(b"mine")
    tit.export(folder)
    assert listed_in(folder) == ["LICENSE", "tit.json"]


def test_what_was_made_is_listed_with_what_it_was_made_of(
    fetched: FetchedSource, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    made = {"wren.json": MadeFile(content=b"made", made_of="a/wren.json")}
    fetched.export(folder, made=made)
    assert tree(folder) == ["LICENSE.txt", "SOURCE.txt", "wren.json"]
    assert (folder / "LICENSE.txt").read_bytes() == LICENCE
    (entry,) = json.loads((folder / "SOURCE.txt").read_text("utf-8"))["files"]
    assert entry == {
        "path": "a/wren.json",
        "sha256": sha256(WREN).hexdigest(),
        "checksum_of": "pommel's table",
        "made": "wren.json",
        "made_sha256": sha256(b"made").hexdigest(),
    }
    fetched.export(folder, made={"t.json": MadeFile(content=b"{}", made_of="tit.json")})
    assert listed_in(folder) == ["wren.json of a/wren.json", "t.json of tit.json"]


@pytest.mark.parametrize(
    "there",
    [
        '{"name": "owls", "commit": "0123456", "files": []}',
        '{"name": "birds", "commit": "another", "files": []}',
        '{"files": 1}',
        "[]",
        "what I know of them",
    ],
)
def test_the_origin_of_other_files_is_not_lost(
    fetched: FetchedSource, tmp_path: Path, there: str
) -> None:
    (tmp_path / "SOURCE.txt").write_text(there)
    with pytest.raises(UsageError, match=r"1 file there would be .* \(SOURCE\.txt\)"):
        fetched.export(tmp_path)
    assert (tmp_path / "SOURCE.txt").read_text() == there
    fetched.export(tmp_path, force=True)
    assert listed_in(tmp_path) == ["a/wren.json", "LICENSE", "tit.json"]


def test_a_folder_where_a_file_should_be(fetched: FetchedSource, tmp_path: Path) -> None:
    (tmp_path / "tit.json").mkdir()
    with pytest.raises(UsageError, match=r"1 file there would be overwritten"):
        fetched.export(tmp_path)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (
            {"licence": None, "licence_file": None},
            (
                "birds: no licence is known. Nobody may pass these files on, changed or not, "
                "without leave of their authors; use them for your own research only, and cite "
                "them.\n\nhttps://birds.example\n"
            ),
        ),
        (
            {"licence": "CC-BY-4.0", "licence_file": "tit.json"},
            "birds, suites about birds: CC-BY-4.0, as tit.json says\n\nhttps://birds.example\n",
        ),
        (
            {"licence": "CC-BY-4.0", "licence_file": None},
            "birds, suites about birds: CC-BY-4.0\n\nhttps://birds.example\n",
        ),
    ],
)
def test_what_the_licence_says_where_it_has_no_file(
    fetched: FetchedSource, tmp_path: Path, fields: dict[str, str | None], text: str
) -> None:
    source = replace(fetched.source, **fields)  # type: ignore[arg-type]
    replace(fetched, source=source).export(tmp_path / "mine")
    assert (tmp_path / "mine" / "LICENSE.txt").read_text("utf-8") == text
