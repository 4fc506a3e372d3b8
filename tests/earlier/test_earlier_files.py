"""What pommel 0.1.0 (5f29ee8) wrote is read for good, and gives the numbers that it gave.

`make.py` has how data/ and numbers.json came about.
"""

import csv
import io
import json
import math
import re
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.earlier.numbers import SECTIONS, STEPS, SUITES, with_another
from tests.earlier.running import DATA, HERE, pommel, standing_in

import pommel as api

_NUMBERS = json.loads((HERE / "numbers.json").read_text("utf-8"))


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A copy of data/ that one works in."""
    copy = tmp_path / "data"
    shutil.copytree(DATA, copy)
    with standing_in(copy):
        yield copy


# What tables and results say since then, and did not say before.
ADDED = {"swallowed", "n_swallowed", "n_swallowed_of_suites", "differed"}


def without_added(content: bytes, name: str) -> object:
    """Return the content of a file of results without what was not in it before."""
    if name.endswith(".csv"):
        rows = csv.DictReader(io.StringIO(content.decode()))
        return [{key: each for key, each in row.items() if key not in ADDED} for row in rows]
    text = re.sub(rf'\n *"(?:{"|".join(sorted(ADDED))})": [^\n]*', "", content.decode())
    return text.splitlines()


def differences(found: Any, known: Any, place: str = "") -> Iterator[str]:
    """Yield where two values differ; numbers may by 1e-9."""
    if isinstance(found, dict):
        found = {key: each for key, each in found.items() if key not in ADDED}
    if isinstance(found, float) and isinstance(known, float):
        if not (
            math.isclose(found, known, rel_tol=0, abs_tol=1e-9)
            or (math.isnan(found) and math.isnan(known))
        ):
            yield f"{place}: {found!r}, and was {known!r}"
    elif isinstance(found, dict) and isinstance(known, dict) and found.keys() == known.keys():
        for key, value in found.items():
            yield from differences(value, known[key], f"{place}/{key}")
    elif isinstance(found, list) and isinstance(known, list) and len(found) == len(known):
        for number, (one, other) in enumerate(zip(found, known, strict=True)):
            yield from differences(one, other, f"{place}/{number}")
    elif type(found) is not type(known) or found != known:
        yield f"{place}: {found!r}, and was {known!r}"


def files_of(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder with what is in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("section", SECTIONS)
def test_numbers_are_those_of_before(section: str) -> None:
    # What JSON makes of a value: tuples become lists there.
    found = json.loads(json.dumps(SECTIONS[section]()))
    assert not list(differences(found, _NUMBERS[section]))


def test_every_number_is_looked_at() -> None:
    assert _NUMBERS.keys() == {"written_by", *SECTIONS}


def test_differences_are_seen() -> None:
    known = {"a": [1.0, None, "x"]}
    assert not list(differences({"a": [1.0 + 1e-10, None, "x"]}, known))
    assert list(differences({"a": [1.0 + 1e-8, 0, "y"]}, known)) == [
        "/a/0: 1.00000001, and was 1.0",
        "/a/1: 0, and was None",
        "/a/2: 'y', and was 'x'",
    ]
    assert list(differences({"a": []}, known)) == ["/a: [], and was [1.0, None, 'x']"]


@pytest.mark.usefixtures("folder")
def test_the_same_command_goes_on_from_the_store() -> None:
    def scored() -> tuple[int, int]:
        # A session is a process that has scored something.
        with closing(sqlite3.connect("store.sqlite")) as store:
            found = store.execute("SELECT count(*), (SELECT count(*) FROM sessions) FROM scored")
            (row,) = found.fetchall()
        return (int(row[0]), int(row[1]))

    before = scored()
    outcome = pommel("run", STEPS, *SUITES, "--format", "csv", "--table", "predictions")
    assert outcome.status == 0, outcome.stderr
    assert scored() == before
    assert pommel("run", STEPS, *SUITES, "--rescore").status == 0
    assert scored() == (before[0], before[1] + 1)


@pytest.mark.usefixtures("folder")
def test_the_same_results_folder_is_written_again() -> None:
    chosen = ("--model", "en-ngram", "--suite", "number_simple", "--suite", "number_prep")
    done = pommel(
        *("runs", "export", *chosen, "--score", "all", "--policy", "eos=auto", "-o", "again")
    )
    assert done.status == 0, done.stderr
    earlier = files_of(Path("results"))
    assert set(earlier) == {
        *("families.csv", "predictions.csv", "regions.csv", "runs.json", "suites.csv"),
        "tokens.csv",
    }
    for name, content in files_of(Path("again")).items():
        assert without_added(content, name) == without_added(earlier[name], name)


@pytest.mark.usefixtures("folder")
def test_the_results_folder_is_read() -> None:
    done = pommel(
        *("import-results", "results/predictions.csv", "--store", "other.sqlite"),
        *("--format", "csv"),
    )
    assert (done.status, done.stdout.splitlines()[1:]) == (0, ["predictions,en-ngram,,,,2,8"])


def test_the_submissions_are_packed_again_byte_for_byte(folder: Path) -> None:
    chosen = ("--suite", "number_simple", "--suite", "number_prep", "--score", "all")
    for model, file in {"en-gpt2": "gpt2", "step144": "steps"}.items():
        done = pommel(
            *("submit", "--model", f"*{model}*", *chosen, "--by", "A. Linguist"),
            *("-o", "again.pommel.zip"),
        )
        assert done.status == 0, done.stderr
        again = folder / "again.pommel.zip"
        assert again.read_bytes() == (folder / f"{file}.pommel.zip").read_bytes()
        again.unlink()


@pytest.mark.parametrize("derived", [True, False])
def test_the_board_is_sound(folder: Path, *, derived: bool) -> None:
    if derived:
        (folder / "derived").rename(folder / "board" / "derived")
    outcome = pommel("leaderboard", "verify", "board")
    said = "board: all is well; 2 submissions computed again\n"
    assert (outcome.status, outcome.stdout, outcome.stderr) == (0, "", said)
    shown = pommel("leaderboard", "show", "board", "--format", "csv")
    assert (shown.status, shown.stdout.count("\n")) == (0, 3)


def test_a_board_that_was_added_to_is_sound(folder: Path) -> None:
    (folder / "derived").rename(folder / "board" / "derived")
    assert [row["rank"] for row in with_another()] == [1, 1, 3]
    assert pommel("leaderboard", "verify", "board").status == 0
    twice = pommel("leaderboard", "add", "board", "gpt2.pommel.zip", "--by", "A. Keeper")
    assert twice.status == 3
    assert len((folder / "board" / "ledger.jsonl").read_text().splitlines()) == 4
    (last, *_) = (path for path in (folder / "board" / "submissions").iterdir())
    last.chmod(last.stat().st_mode | stat.S_IWUSR)
    last.write_bytes(b"")
    assert pommel("leaderboard", "verify", "board").status == 1


def test_the_suite_with_surprisals_has_those_of_the_store(folder: Path) -> None:
    suite = json.loads((folder / "evaluated.json").read_text("utf-8"))
    in_file = [
        region["metric_value"]["sum"]
        for item in suite["items"]
        for condition in item["conditions"]
        for region in condition["regions"]
    ]
    results = api.stored_results("en-gpt2", "number_simple", store="store.sqlite")
    again = api.run("recorded://recorded.jsonl", SUITES[0], regions="all")
    for each in (results, again):
        sums = each.to_frame("regions")["sum_bits"].tolist()
        assert sums[: len(in_file)] == pytest.approx(in_file, abs=1e-9)
