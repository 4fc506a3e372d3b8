"""`--punctuation natural`: marks at the words that a language writes them to."""

import csv
import json
from pathlib import Path

import pytest
from tests.cli.samples import Pommel

MODEL = "builtin://en-ngram"
NATURAL = ("--punctuation", "natural")


@pytest.fixture
def both(pommel: Pommel, suite_file: Path, here: Path) -> Path:
    """A folder in which a suite has been run both ways, and is kept."""
    for way in ("apart", "natural"):
        done = pommel("run", MODEL, suite_file, "--punctuation", way, "-o", way)
        assert done.status == 0, done.stderr
    return here


def first_tokens(folder: Path) -> list[str]:
    """Return the tokens of the first sentence, each with its place and its region."""
    with (folder / "tokens.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    return [f"{row['token']}@{row['start']}:{row['region_number']}" for row in rows][:6]


def test_tokens_stay_in_their_regions(both: Path) -> None:
    start = ["The@0:1", "pilot@4:1", "is@10:2", "good@13:3"]
    assert first_tokens(both / "apart") == [*start, ".@18:3", "</s>@19:3"]
    assert first_tokens(both / "natural") == [*start, ".@17:3", "</s>@18:3"]


@pytest.mark.usefixtures("both")
def test_the_store_tells_the_two_apart(pommel: Pommel) -> None:
    rows = pommel("runs", "list", "--all", "--format", "csv").rows()
    assert [row["policy"] for row in rows] == ["ngram punctuation=natural", "ngram"]
    for way in ("apart", "natural"):
        listed = ("runs", "list", "--all", "--policy", f"punctuation={way}", "--format", "csv")
        (row,) = pommel(*listed).rows()
        assert ("natural" in row["policy"]) == (way == "natural")
        shown = pommel("runs", "show", row["run_id"]).stdout
        assert ("punctuation natural" in shown) == (way == "natural")
    methods = pommel("report", "--methods").stdout
    assert "Punctuation marks stood at the words" in " ".join(methods.split())


def test_a_run_that_is_there_needs_no_model(pommel: Pommel, both: Path, suite_file: Path) -> None:
    again = pommel("run", MODEL, suite_file, *NATURAL, "--format", "csv")
    assert again.rows()[0]["n_items"] == "3"
    assert len(pommel("runs", "list", "--all", "--format", "csv").rows()) == 2
    # The file of a suite has its marks as they are; what was scored, had them otherwise.
    anew = ("runs", "evaluate", "--policy", "punctuation=natural", "--suite-file", suite_file)
    assert pommel(*anew).status == 0
    assert both.is_dir()


def test_an_evaluated_suite_has_what_was_scored(pommel: Pommel, suite_file: Path) -> None:
    value = json.loads(pommel("surprisals", MODEL, suite_file, *NATURAL, "--no-store").stdout)
    (_, _, region) = value["items"][0]["conditions"][0]["regions"]
    assert (region["content"], value["meta"]["punctuation"]) == ("good.", "natural")


def test_what_is_not_worse_is_of_the_same_sentences(
    pommel: Pommel, both: Path, suite_file: Path
) -> None:
    gate = ("run", MODEL, suite_file, *NATURAL, "--not-worse-than", "en-ngram", "--margin", "0")
    assert pommel(*gate).status == 0
    assert both.is_dir()
