"""`pommel suites check`: what it prints, in which form, and how it ends."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.builders import Sentences, suite_text, suite_value
from tests.cli.samples import Pommel

from pommel.sources.formats.long_csv import long_csv_pieces
from pommel.suite.read import LoadedSuite

WELL: Sentences = {"a": ("The dog", "barks", "."), "b": ("The dog", "bark", ".")}
SAME: Sentences = {"a": ("The cat", "sits", "."), "b": ("The cat", "sits", ".")}
STRAY: Sentences = {"a": (" The cow", "sits ", "."), "b": ("The cow", "sit", ".")}
LESS = "(2;%a%) < (2;%b%)"


def written(folder: Path, *items: Sentences, name: str = "s.json", **kept: Any) -> Path:
    path = folder / name
    path.write_text(suite_text(suite_value(items, kept.pop("formulas", [LESS]), **kept)))
    return path


def test_a_clean_suite(pommel: Pommel, tmp_path: Path) -> None:
    path = written(tmp_path, WELL)
    outcome = pommel("suites", "check", path, "--strict")
    assert outcome.status == 0
    assert outcome.stdout == f"{path}: clean: 1 item x 2 conditions, 1 prediction\n"
    assert outcome.stderr == ""


def test_strictly_a_warning_is_a_failure(pommel: Pommel, tmp_path: Path) -> None:
    paths = written(tmp_path, WELL, SAME), written(tmp_path, WELL, name="t.json")
    outcome = pommel("suites", "check", *paths, "--strict")
    assert outcome.failure(1) == "1 warning in 1 of 2 files"


def test_rules_may_be_chosen(pommel: Pommel, tmp_path: Path) -> None:
    path = written(tmp_path, WELL, SAME)

    def rules(*options: str) -> list[str]:
        found = json.loads(pommel("suites", "check", path, "--format", "json", *options).stdout)
        return [each["rule"] for each in found]

    # Of one cause the first speaks.
    assert rules() == rules("--ignore", "no-contrast") == ["never-holds"]
    assert rules("--ignore", "never-holds") == ["no-contrast"]
    assert rules("--select", "no-contrast") == ["no-contrast"]
    assert rules("--select", "no-contrast", "--ignore", "no-contrast") == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--select", "word-frequency"), "needs --frequencies FILE"),
        (("--select", "token-count"), "needs --model MODEL"),
        (("--ignore", "beauty"), "'beauty' is not one of 'validate', 'never-holds'"),
    ],
)
def test_rules_that_cannot_be_chosen(
    pommel: Pommel, tmp_path: Path, options: tuple[str, str], message: str
) -> None:
    outcome = pommel("suites", "check", written(tmp_path, WELL), *options)
    assert outcome.status == 2
    assert message in outcome.stderr
    assert outcome.stdout == ""


def test_what_is_mostly_meant_so_is_for_pedants(pommel: Pommel, tmp_path: Path) -> None:
    item: Sentences = {**WELL, "c": ("The dog", "is", ".")}
    path = written(tmp_path, item)
    assert "clean" in pommel("suites", "check", path).stdout
    pedantic = "[unused-condition] no prediction names the condition 'c'"
    assert pedantic in pommel("suites", "check", path, "--pedantic").stdout
    assert pedantic in pommel("suites", "check", path, "--select", "unused-condition").stdout


def test_what_validate_warns_of_comes_first_and_once(pommel: Pommel, tmp_path: Path) -> None:
    path = written(tmp_path, WELL, STRAY)
    outcome = pommel("suites", "check", path)
    assert outcome.stdout == (
        f"{path}:65:26: warning: [validate] stray space in the content ' The cow' (and 1 more like "
        "this); remove the spaces around the text, and doubled ones "
        "(at items[1].conditions[0].regions[0].content)\n"
    )
    assert "clean" in pommel("suites", "check", path, "--ignore", "validate").stdout


def test_an_invalid_suite_is_not_looked_at_any_further(pommel: Pommel, tmp_path: Path) -> None:
    bad = written(tmp_path, SAME)
    bad.write_text(bad.read_text().replace("(2;%a%)", "(7;%a%)"))
    good = written(tmp_path, WELL, name="t.json")
    outcome = pommel("suites", "check", bad, good)
    assert outcome.status == 3
    assert outcome.stdout == (
        f"{bad}:14:19: condition 'a' has no region 7; its regions are 1, 2, 3 "
        "(at predictions[0].formula)\n"
        f"{good}: clean: 1 item x 2 conditions, 1 prediction\n"
    )
    assert outcome.stderr == "pommel: 1 error in 1 of 2 files\n"


def test_no_such_suite(pommel: Pommel, tmp_path: Path) -> None:
    outcome = pommel("suites", "check", tmp_path / "none.json")
    assert outcome.status == 3
    assert "no such file, folder or shipped suite" in outcome.stderr


def test_standard_input(pommel: Pommel) -> None:
    text = suite_text(suite_value([WELL, SAME], [LESS]))
    outcome = pommel("suites", "check", "-", "--select", "no-contrast", stdin=text)
    assert outcome.stdout.startswith("<stdin>:77:9: warning: [no-contrast] nothing differs")


def test_a_csv_has_items_but_no_places(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    suite = LoadedSuite.from_dict(suite_value([WELL, SAME, WELL], [LESS])).suite
    path.write_text("".join(long_csv_pieces(suite.items, suite.region_names)))
    assert pommel("suites", "check", path).stdout == (
        f"{path}: warning: [duplicate-item] items 1 and 3 have the same sentences in every "
        "condition; what is there twice counts twice; remove all but one (at item 3)\n"
    )


def test_word_frequency(pommel: Pommel, tmp_path: Path) -> None:
    path = written(tmp_path, *[WELL] * 9)
    words = tmp_path / "words.tsv"
    words.write_text("barks\t999\nbark\t9\n")
    arguments = (path, "--frequencies", words, "--select", "word-frequency")
    outcome = pommel("suites", "check", *arguments)
    assert outcome.stderr == f"{words}: taken as a list of 2 words\n"
    assert outcome.stdout.startswith(f"{path}:14:18: warning: [word-frequency] what should be less")
    assert f"; {words} lacks 0 of 2 words; " in outcome.stdout
    words.write_text("word\tcount\nbarks\t999\nbark\n")
    outcome = pommel("suites", "check", *arguments)
    assert outcome.status == 3
    assert outcome.stderr.startswith(f"pommel: {words}:3:1: this is no word with its count: 'bark'")


def test_token_count(pommel: Pommel, tmp_path: Path) -> None:
    longer: Sentences = {"a": ("The dog", "is", "."), "b": ("The dog", "xylographs", ".")}
    path = written(tmp_path, *[longer] * 9)
    outcome = pommel(
        *("suites", "check", path, "--model", "builtin://en-gpt2", "--select", "token-count")
    )
    assert outcome.stdout.startswith(
        f"{path}:14:18: warning: [token-count] what should be more surprising has more tokens for "
        "en-gpt2: 6.0 more on average"
    )
    unknown = pommel("suites", "check", path, "--model", "builtin://none")
    assert unknown.status == 4
