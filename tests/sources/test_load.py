"""From what a user names as suites to suites."""

import gc
import io
import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.samples import suite_value

from pommel.errors import InputError, SuiteError
from pommel.sources.load import find_suites, load_drafts, load_suites, suite_files
from pommel.suite.checks import Finding
from pommel.suite.suite import Suite

ROWS = """item_number,condition_name,region_number,region_name,content
1,a,1,only, The  dog
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two suites at different depths, and a file that is none."""
    (tmp_path / "inner").mkdir()
    (tmp_path / "b.json").write_text(json.dumps(suite_value("b")))
    (tmp_path / "inner" / "a.json").write_text(json.dumps(suite_value("a")))
    (tmp_path / "notes.txt").write_text("no suite")
    return tmp_path


def test_a_folder_at_every_depth(folder: Path) -> None:
    assert find_suites(str(folder)) == [folder / "b.json", folder / "inner" / "a.json"]


def test_shipped_collections_and_names() -> None:
    assert find_suites("suites:") == suite_files()
    assert find_suites("suites:en/agreement") == suite_files("en/agreement")
    assert find_suites("suites:all") == suite_files()
    clams = find_suites("suites:clams")
    assert len(clams) == 28
    assert {path.parts[-3] for path in clams} == {"de", "fr", "he", "ru"}
    assert [path.stem for path in find_suites("number_prep")] == ["number_prep"]
    assert find_suites("suites:number_prep") == find_suites("number_prep")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "the name of a suite is empty"),
        ("suites:xx", "suites:xx: no such collection; `pommel suites list` shows them"),
        ("suites:../tests", "suites:../tests: no such collection"),
        ("number_pref", "did you mean suites:number_prep?"),
    ],
)
def test_what_is_not_there(source: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        find_suites(source)
    assert message in str(raised.value)


def test_a_file_that_is_named_twice_is_loaded_once(folder: Path) -> None:
    loaded = load_suites(
        [str(folder), str(folder / "b.json"), str(folder / "inner" / ".." / "b.json")]
    )
    assert [each.name for each in loaded.suites] == ["b", "a"]


def test_a_faulty_file_costs_no_other(folder: Path) -> None:
    (folder / "0.json").write_text("[")
    # It is there, and cannot be read by anybody.
    with socket.socket(socket.AF_UNIX) as served:
        served.bind(str(folder / "closed.json"))
        loaded = load_suites([str(folder), str(folder / "closed.json"), "number_prep"])
    assert [each.name for each in loaded.suites] == ["b", "a", "number_prep"]
    assert loaded.n_files == 5
    with pytest.raises(SuiteError) as raised:
        loaded.check()
    assert [fault.file for fault in raised.value.faults] == [
        str(folder / "0.json"),
        str(folder / "closed.json"),
    ]
    with pytest.raises(SuiteError, match="this is not JSON"):
        load_suites([str(folder / "0.json")])


def test_suites_of_one_name_cannot_be_told_apart(folder: Path) -> None:
    (folder / "c.json").write_text(json.dumps(suite_value("a")))
    suites = load_suites([str(folder)]).suites
    with pytest.raises(InputError, match="several suites are called 'a'; give each a name"):
        Suite.check_distinct_names(suites)


def test_a_csv_is_as_strict_as_json(tmp_path: Path) -> None:
    path = tmp_path / "small.csv"
    path.write_text(ROWS)
    (loaded,) = load_suites([str(path)]).loaded
    assert loaded.suite.name == "small"
    (warning,) = loaded.warnings
    assert str(warning) == (
        f"{path}:2:12: warning: stray space in the content ' The  dog'; "
        "remove the spaces around the text, and doubled ones"
    )
    with pytest.raises(SuiteError):
        load_suites([str(path)], strict=True)


@pytest.mark.parametrize(
    ("name", "command"), [("a b.jsonl", "convert"), ("a b.template", "generate")]
)
def test_what_suites_are_made_of_is_for_another_command(
    tmp_path: Path, name: str, command: str
) -> None:
    (path := tmp_path / name).write_text('{"sentence_good": "a", "sentence_bad": "b"}\n')
    hint = f"`pommel {command} '{path}' -o NAME.json` makes one of it"
    with pytest.raises(SuiteError) as caught:
        load_suites([str(path)]).check()
    (draft,) = load_drafts([str(path)])
    for faults in (caught.value.faults, draft.faults):
        assert [str(each) for each in faults] == [f"{path}: this is no suite; {hint}"]


def test_a_csv_has_no_surprisals(tmp_path: Path) -> None:
    path = tmp_path / "small.csv"
    path.write_text(ROWS)
    with pytest.raises(InputError, match=r"small\.csv: a table has no surprisals"):
        load_suites([str(path)], evaluated=True)


def test_drafts_are_read_one_by_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    Path("c.csv").write_text(ROWS)
    Path("d.csv").write_text("item_number\n1\n")
    Path("e.json").write_text("[")
    # It is there, and cannot be read by anybody.
    with socket.socket(socket.AF_UNIX) as served:
        served.bind("f.json")
        found = load_drafts([".", "c.csv", "d.csv", "f.json"])
    assert [each.suite and each.suite.name for each in found] == ["b", None, "a", "c", None, None]
    assert [len(each.errors) > 0 for each in found] == [False, True, False, False, True, True]
    assert [fault.severity for fault in found[3].faults] == ["warning"]
    (fault,) = found[-1].faults
    assert str(fault).startswith("f.json: ")
    assert str(fault).count("f.json") == 1


def test_a_draft_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, name in ((json.dumps(suite_value("a")), "a"), ("\xff", None)):
        stream = io.TextIOWrapper(io.BytesIO(text.encode("latin-1")), encoding="ascii")
        monkeypatch.setattr(sys, "stdin", stream)
        (found,) = load_drafts(["-"])
        assert (found.suite.name if found.suite else None) == name
        assert [fault.file for fault in found.faults] == ([] if name else ["<stdin>"])


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the suites whose sense has been checked."""
    names: list[str] = []
    check = Finding.in_document

    def noted(document: Any) -> Iterator[Finding]:
        names.append(document["meta"]["name"])
        return check(document)

    monkeypatch.setattr(Finding, "in_document", noted)
    return names


def test_shipped_suites_are_checked_when_their_index_is_made(
    checked: list[str], tmp_path: Path
) -> None:
    load_suites(["suites:all"])
    assert checked == []
    found = load_suites(["suites:en"])
    again = load_suites(["suites:en"], again=True)
    assert checked == [suite.name for suite in again.suites]
    assert found.suites == again.suites
    for one, other in zip(found.suites, again.suites, strict=True):
        assert one.to_text() == other.to_text()
    # Not where they lie makes them known, but what they are.
    (path,) = find_suites("number_prep")
    copy = tmp_path / "number_prep.json"
    copy.write_bytes(path.read_bytes())
    load_suites([str(copy)])
    copy.write_bytes(path.read_bytes() + b"\n")
    checked.clear()
    load_suites([str(copy)])
    assert checked == ["number_prep"]


@pytest.mark.full
def test_all_shipped_suites_are_read_as_if_they_were_checked() -> None:
    found, again = load_suites(["suites:all"]), load_suites(["suites:all"], again=True)
    assert [each.warnings for each in again.loaded] == [()] * len(found.suites)
    for one, other in zip(found.suites, again.suites, strict=True):
        assert one == other
        assert one.to_text() == other.to_text()
        assert one.sha256 == other.sha256


def test_the_collector_is_on_again_whatever_comes(folder: Path) -> None:
    load_suites([str(folder)])
    assert gc.isenabled()
    with pytest.raises(InputError):
        load_suites(["no such suite"])
    assert gc.isenabled()
