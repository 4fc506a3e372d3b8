"""The table of sources and its checksums; the cache, and what is left over in it."""

import hashlib
import json
import os
import time
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.sources.fetch.server import COMMIT, tree
from tests.sources.fetch.shared_files import SHARED, files_beside

from pommel.errors import UsageError
from pommel.sources.fetch import source as source_module
from pommel.sources.fetch.fetching import FetchedSource
from pommel.sources.fetch.source import (
    FetchOptions,
    PublishedSource,
    SourceCache,
    SourceFile,
    remove_leftovers,
)

TABLE = Path(source_module.__file__).with_name("sources.json")
SCHEMA = Path(__file__).with_name("sources_schema.json")

N_SHARED = {
    "hu2020": 72,
    "blimp": 5,
    "clams": 50,
    "lm_syneval": 5,
    "bert_syntax": 3,
    "multilingual": 1,
    "sg_eval": 5,
}


def test_the_table_has_its_form() -> None:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    faults = Draft202012Validator(schema).iter_errors(json.loads(TABLE.read_text("utf-8")))
    assert [f"{list(each.path)}: {each.message}" for each in faults] == []


def test_no_name_and_no_path_comes_twice() -> None:
    names = [source.name for source in PublishedSource.known()]
    assert len(set(names)) == len(names)
    for source in PublishedSource.known():
        # Some file systems do not tell cases apart.
        paths = [file.path.casefold() for file in source.files]
        assert len(set(paths)) == len(paths), source.name
        assert not {"license.txt", "source.txt"} & set(paths), source.name
        # What is half there begins with a dot.
        assert not [path for path in paths if path.startswith(".") or "/." in path], source.name


def test_addresses_are_of_the_commit_and_licences_among_the_files() -> None:
    for source in PublishedSource.known():
        assert source.address.endswith(f"/{source.commit}")
        assert source.citation.startswith("@")
        assert source.citation.endswith("}\n")
        # What no file of the source states stands on its page.
        if source.licence_file is None:
            assert source.licence is None or source.name == "multiblimp"
        if source.licence_file is not None:
            assert source.licence_file in {file.path for file in source.files}


def test_all_checksums_are_known_but_for_what_nobody_has_read() -> None:
    unknown = {
        source.name: sum(file.sha256 is None for file in source.files)
        for source in PublishedSource.known()
    }
    # docs/fetch.md says so.
    assert {name: n for name, n in unknown.items() if n} == {"multiblimp": 101, "gulordava": 3}


@pytest.mark.parametrize("name", SHARED)
def test_the_checksums_are_those_of_the_published_files(name: str, shared_data: Path) -> None:
    source = PublishedSource.named(name)
    there = files_beside(source, shared_data)
    for file in source.files:
        if file.path in there:
            content = there[file.path].read_bytes()
            expected = (hashlib.sha256(content).hexdigest(), len(content))
            assert (file.sha256, file.size) == expected, file.path
    assert len(there) == N_SHARED[name]


def test_every_evaluation_set_of_clams_has_the_published_checksum(shared_data: Path) -> None:
    rows = (shared_data / "clams" / "evalset_counts_sha256.tsv").read_text("utf-8").splitlines()
    published = {
        (cells[0], cells[1]): cells[-1] for row in rows if len(cells := row.split("\t")) > 4
    }
    files = {file.path: file.sha256 for file in PublishedSource.named("clams").files}
    assert len(published) == 50
    for (language, case), sha256 in published.items():
        assert files[f"{language}_evalset/{case}.txt"] == sha256


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "hu2002",
            (
                "there is no source 'hu2002'; did you mean hu2020? "
                "`pommel fetch --list` shows them all"
            ),
        ),
        (
            "BLiMP",
            "there is no source 'BLiMP'; did you mean blimp? `pommel fetch --list` shows them all",
        ),
        ("zzz", "there is no source 'zzz'; `pommel fetch --list` shows them all"),
    ],
)
def test_an_unknown_name(name: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        PublishedSource.named(name)
    assert str(caught.value) == message


def test_some_of_the_files_and_their_licence() -> None:
    chosen = PublishedSource.named("clams").chosen(["fr_replication/s*"])
    assert [file.path for file in chosen] == [
        "LICENSE",
        "fr_replication/simple_agrmt.avg",
        "fr_replication/subj_rel.avg",
    ]


def test_tables_that_ship_need_no_licence_file_of_others() -> None:
    source = PublishedSource.named("clams")
    tables = source.chosen(["tables/*"])
    assert all(file.shipped for file in tables)
    assert "LICENSE" in {file.path for file in source.chosen(["tables/*", "*/subj_rel.avg"])}


def test_a_pattern_that_matches_nothing() -> None:
    with pytest.raises(UsageError) as caught:
        PublishedSource.named("clams").chosen(["*.avg", "*.jsonl"])
    message = "clams has no file that matches '*.jsonl'; its first is 'LICENSE'"
    assert str(caught.value) == message


KNOWN = SourceFile(path="a/wren.json", sha256=hashlib.sha256(b"wren").hexdigest())
UNKNOWN = SourceFile(path="tit.json")


@pytest.fixture
def kept(tmp_path: Path) -> SourceCache:
    """The place of a source with two files, none of which is there."""
    source = PublishedSource(
        name="birds", title="", address="https://x/y", commit=COMMIT, files=(KNOWN, UNKNOWN)
    )
    return SourceCache(root=tmp_path, source=source)


def put(cache: SourceCache, file: SourceFile, content: bytes) -> None:
    """Lay a file into its place, as if it had been fetched."""
    cache.path(file).parent.mkdir(parents=True, exist_ok=True)
    cache.path(file).write_bytes(content)


def test_a_file_is_what_its_checksum_says(kept: SourceCache, tmp_path: Path) -> None:
    assert kept.state(KNOWN) == "missing"
    put(kept, KNOWN, b"wren")
    assert kept.path(KNOWN) == tmp_path / "birds" / COMMIT / "a" / "wren.json"
    assert kept.state(KNOWN) == "there"
    put(kept, KNOWN, b"Wren")
    assert kept.state(KNOWN) == "damaged"
    assert kept.n_kept() == 1


def test_without_a_checksum_the_first_one_counts(kept: SourceCache) -> None:
    put(kept, UNKNOWN, b"tit")
    assert kept.state(UNKNOWN) == "missing"
    kept.remember(UNKNOWN, hashlib.sha256(b"tit").hexdigest())
    assert kept.state(UNKNOWN) == "there"
    kept.remember(UNKNOWN, "0" * 64)
    assert kept.state(UNKNOWN) == "there"
    put(kept, UNKNOWN, b"tits")
    assert kept.state(UNKNOWN) == "damaged"


@pytest.mark.parametrize("record", [b"", b"0123", b"\xff\xfe", b"0" * 65])
def test_a_damaged_record_is_none(kept: SourceCache, tmp_path: Path, record: bytes) -> None:
    put(kept, UNKNOWN, b"tit")
    kept.remember(UNKNOWN, hashlib.sha256(b"tit").hexdigest())
    (tmp_path / ".sha256" / "birds" / COMMIT / "tit.json").write_bytes(record)
    assert kept.state(UNKNOWN) == "missing"


def test_a_folder_where_a_file_should_be(kept: SourceCache) -> None:
    kept.path(KNOWN).mkdir(parents=True)
    assert kept.state(KNOWN) == "missing"


FILES = [f"birds/{COMMIT}/a/tit.json", f"birds/{COMMIT}/wren.json"]


def test_a_fetch_removes_what_a_killed_one_has_left(
    birds: PublishedSource, options: FetchOptions, cache: Path
) -> None:
    folder = cache / "birds" / COMMIT
    left = folder / "a" / ".tit.json.abcd.part"
    record = cache / ".sha256" / "birds" / COMMIT / ".wren.json.x1y2.part"
    # Of what is new another process may be writing the rest.
    new = folder / ".wren.json.efgh.part"
    for path in (left, record, new):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half")
    for path in (left, record):
        os.utime(path, times=(time.time() - 3700, time.time() - 3700))
    FetchedSource.fetch(birds, options=options)
    assert tree(cache) == sorted([*FILES, new.relative_to(cache).as_posix()])


def test_there_need_be_no_folder(tmp_path: Path) -> None:
    remove_leftovers(tmp_path / "none", tmp_path / "neither")
    assert tree(tmp_path) == []
