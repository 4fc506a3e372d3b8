"""`--oov`: items whose comparison rests on a word that the model does not know."""

import csv
import json
from pathlib import Path

import pytest
from tests.cli.samples import Pommel, arpa, suite_value

# Everything that the suite has, but for "glorps".
KNOWN = ("The", "pilot", "surgeon", "dancer", "is", "are", "good", ".")


@pytest.fixture
def suite_file(tmp_path: Path) -> Path:
    """A suite in whose second item one condition has an unknown word where the formula looks."""
    value = suite_value()
    value["items"][1]["conditions"][0]["regions"][1]["content"] = "glorps"
    path = tmp_path / "agreement.json"
    path.write_text(json.dumps(value))
    return path


@pytest.fixture
def ngram(tmp_path: Path) -> str:
    """A unigram model in which "is" is likelier than "are"."""
    return arpa(tmp_path / "words.arpa", {"<unk>": -3.0, **dict.fromkeys(KNOWN, -1.0), "are": -2.0})


NOTE = "note: words on agreement: "


def test_they_count_and_are_told(pommel: Pommel, ngram: str, suite_file: Path) -> None:
    outcome = pommel("run", ngram, suite_file, "--format", "csv")
    (row,) = outcome.rows()
    assert (row["n_items"], row["n_holding"], row["n_oov"], row["n_skipped"]) == (
        "3",
        "2",
        "1",
        "0",
    )
    assert outcome.stderr.splitlines() == [
        f"{NOTE}1 unknown word (glorps)",
        f"{NOTE}prediction 0 rests on an unknown word in 1 item; --oov skip leaves them out",
    ]


def test_they_can_be_skipped(pommel: Pommel, ngram: str, suite_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    run = ("run", ngram, suite_file, "--oov", "skip")
    outcome = pommel(*run, "--format", "csv", "--output", folder)
    (row,) = outcome.rows()
    assert (row["n_items"], row["n_holding"], row["n_oov"], row["n_skipped"]) == (
        "2",
        "2",
        "0",
        "1",
    )
    assert row["score"] == "1.0"
    assert outcome.stderr.splitlines()[:2] == [
        f"{NOTE}1 unknown word (glorps)",
        f"{NOTE}prediction 0 skips 1 item that rests on an unknown word",
    ]
    (kept,) = json.loads((folder / "runs.json").read_text())["runs"]
    assert kept["provenance"]["oov"] == "skip"
    assert (kept["predictions"][0]["n_oov"], kept["predictions"][0]["n_skipped"]) == (0, 1)
    with (folder / "predictions.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    assert [(each["oov"], each["skipped"], each["result"]) for each in rows] == [
        ("False", "False", "True"),
        ("True", "True", ""),
        ("False", "False", "True"),
    ]
    assert "of 2" in pommel(*run).stdout


def test_unknown_words_are_counted_in_each_region(
    pommel: Pommel, ngram: str, suite_file: Path
) -> None:
    outcome = pommel("run", ngram, suite_file, "--format", "csv", "--table", "regions")
    rows = outcome.rows()
    assert [(each["content"], each["oovs"]) for each in rows if each["n_oovs"] != "0"] == [
        ("glorps", '["glorps"]')
    ]


def test_they_are_skipped_after_the_way_through_a_file(
    pommel: Pommel, ngram: str, suite_file: Path, tmp_path: Path
) -> None:
    surprisals = tmp_path / "surprisals.json"
    pommel("surprisals", ngram, suite_file, "--output", surprisals)
    table = ("--format", "csv", "--table", "suites")
    (row,) = pommel("evaluate", surprisals, "--oov", "skip", *table).rows()
    assert (row["n_items"], row["n_skipped"]) == ("2", "1")
