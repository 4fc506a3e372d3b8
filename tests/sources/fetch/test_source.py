"""The table of sources: its form, and that its checksums are those of the published files."""

import hashlib
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.sources.fetch.shared_files import SHARED, files_beside

from pommel.errors import UsageError
from pommel.sources.fetch import source as source_module
from pommel.sources.fetch.source import Archive, PublishedSource, SourceFile

TABLE = Path(source_module.__file__).with_name("sources.json")
SCHEMA = Path(__file__).with_name("sources_schema.json")

N_SHARED = {"hu2020": 35, "blimp": 5, "clams": 48, "lm_syneval": 5, "bert_syntax": 3, "sg_eval": 5}


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
        paths = [file.path.casefold() for file in source.every_file]
        assert len(set(paths)) == len(paths), source.name
        assert not {"license.txt", "source.txt"} & set(paths), source.name
        # What is half there begins with a dot.
        assert not [path for path in paths if path.startswith(".") or "/." in path], source.name


def test_addresses_are_of_the_commit_and_licences_among_the_files() -> None:
    for source in PublishedSource.known():
        assert source.address.endswith(f"/{source.commit}")
        assert source.citation.startswith("@")
        assert source.citation.endswith("}\n")
        assert (source.licence is None) == (source.licence_file is None)
        if source.licence_file is not None:
            assert source.licence_file in {file.path for file in source.files}


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


def test_a_pattern_that_matches_nothing() -> None:
    with pytest.raises(UsageError) as caught:
        PublishedSource.named("clams").chosen(["*.avg", "*.jsonl"])
    message = "clams has no file that matches '*.jsonl'; its first is 'LICENSE'"
    assert str(caught.value) == message


def test_archives_in_the_table() -> None:
    source = PublishedSource.of_value(
        {
            "name": "packed",
            "title": "packed",
            "address": "https://example.org/0123456",
            "commit": "0123456",
            "archives": [
                {
                    "path": "all.zip",
                    "kind": "zip",
                    "sha256": "0" * 64,
                    "size": 9,
                    "members": [
                        {"member": "top/a.json", "path": "a.json", "sha256": "1" * 64},
                        {"member": "b.json"},
                    ],
                }
            ],
        }
    )
    first = SourceFile(path="a.json", sha256="1" * 64)
    second = SourceFile(path="b.json")
    members = {"top/a.json": first, "b.json": second}
    archive = Archive(path="all.zip", kind="zip", sha256="0" * 64, size=9, members=members)
    assert source.archives == (archive,)
    assert source.every_file == (first, second)
