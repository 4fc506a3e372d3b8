"""`pommel suites controls`: how far scorers come that see no syntax."""

import csv
import json
from itertools import permutations
from pathlib import Path

import pytest
from tests.builders import Sentences, suite_text, suite_value
from tests.cli.samples import Pommel

FORMULA = "(2;%a%) < (2;%b%)"
NOTE = "note: unigrams and bigrams need --text FILE\n"


def item(subject: str, a: str, b: str) -> Sentences:
    return {"a": (subject, a, "."), "b": (subject, b, ".")}


def written(folder: Path, *items: Sentences, **meta: str) -> Path:
    path = folder / "verbs.json"
    path.write_text(suite_text(suite_value(items, [FORMULA], name="verbs", language="en", **meta)))
    return path


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """A text in which dogs bark and cats purr, and there is more barking."""
    path = tmp_path / "text.txt"
    path.write_text("The dog barks .\nThe dog barks .\nThe cat purrs .\n")
    return path


def test_shares_are_those_of_a_text(pommel: Pommel, tmp_path: Path, text: Path) -> None:
    dog, cat = item("The dog", "barks", "purrs"), item("The cat", "purrs", "barks")
    path = written(tmp_path, dog, cat)
    outcome = pommel("suites", "controls", path, "--text", text, "--format", "csv")
    assert (outcome.status, outcome.stderr) == (0, "")
    (row,) = csv.DictReader(outcome.stdout.splitlines())
    assert row == {
        "language": "en",
        "suite": "verbs",
        "n_items": "2",
        "chance": "0.5",
        "context_free": "0.5",
        "nearest_region": "",
        "unigram": "0.5",
        "bigram": "1.0",
        "notes": "no two items have the same pair of regions",
    }


def test_a_suite_says_why(pommel: Pommel, tmp_path: Path) -> None:
    items = [item("The dog", "barks", "bark"), item("The cat", "purrs", "purr")]
    path = written(tmp_path, *items, context_free="singular subjects alone")
    outcome = pommel("suites", "controls", path, "--format", "markdown")
    assert outcome.stderr == NOTE
    head, _, row = (line.strip("| ") for line in outcome.stdout.strip().splitlines())
    assert [each.strip() for each in head.split("|")] == [
        *("language", "suite", "items", "chance", "context free", "nearest region"),
        *("unigram", "bigram", "notes"),
    ]
    assert [each.strip() for each in row.split("|")] == [
        *("en", "verbs", "2", "0.50", "1.00", "-", "-", "-"),
        "singular subjects alone; no two items have the same pair of regions",
    ]


def test_the_same_words_in_another_order_are_a_tie(
    pommel: Pommel, tmp_path: Path, text: Path
) -> None:
    # Three numbers that come to another sum in another order, by less than anybody can mean.
    orders = [" ".join(words) for words in permutations(("the", "dog", "cat", "barks"))]
    path = written(tmp_path, *(item("", a, b) for a, b in zip(orders, orders[::-1], strict=True)))
    outcome = pommel("suites", "controls", path, "--text", text, "--format", "json")
    (row,) = json.loads(outcome.stdout)
    assert (row["context_free"], row["unigram"]) == (0.5, 0.5)


def test_what_is_wrong(pommel: Pommel, tmp_path: Path) -> None:
    path = written(tmp_path, item("The dog", "barks", "bark"))
    outcome = pommel("suites", "controls", path, "--text", tmp_path / "none.txt")
    assert outcome.status == 3
    assert outcome.stderr.startswith(f"pommel: {tmp_path / 'none.txt'}: cannot read the training")
    bad = tmp_path / "bad.json"
    bad.write_text(suite_text(suite_value([item("The dog", "barks", "bark")], ["(7;%a%) < 1"])))
    outcome = pommel("suites", "controls", path, bad)
    assert outcome.status == 3
    assert " verbs " in outcome.stdout
    assert "has no region 7" in outcome.stderr
