"""`pommel suites show`: whose sheets are shown, with what, and where to."""

import json
from pathlib import Path

import pytest
from tests.cli.samples import Pommel, suite_value

from pommel.sources import SuiteCard, load_suites

NOTE = "note: --controls asks scorers that see no syntax; --text TEXT n-gram models, too\n"


def test_a_file(pommel: Pommel, suite_file: Path) -> None:
    outcome = pommel("suites", "show", suite_file)
    assert (outcome.status, outcome.stderr) == (0, NOTE)
    assert outcome.stdout.startswith("agreement\n\n  source\n    SHA-256  ")
    assert "controls" not in outcome.stdout
    assert outcome.stdout.endswith(
        "  item 1 of 3\n"
        "    match     1: The pilot | 2: is | 3: good .\n"
        "    mismatch  1: The pilot | 2: are | 3: good .\n"
    )


def test_a_shipped_suite_has_caveats_and_controls(pommel: Pommel) -> None:
    outcome = pommel("suites", "show", "number_prep")
    assert (outcome.status, outcome.stderr) == (0, "")
    known = SuiteCard.known_controls(load_suites(["number_prep"]).suites[0])
    assert f"    bigram               {known['bigram']:.2f}\n" in outcome.stdout
    assert "  the readers of its sentences were not native speakers\n" in outcome.stdout


def test_a_copy_has_the_controls_and_a_changed_one_has_not(pommel: Pommel, tmp_path: Path) -> None:
    pommel("suites", "export", "number_prep", "-o", tmp_path)
    path = tmp_path / "number_prep.json"
    assert "  controls: " in pommel("suites", "show", path).stdout
    path.write_text(path.read_text("utf-8").replace("famous", "known"), "utf-8")
    assert "  controls: " not in pommel("suites", "show", path).stdout


def test_another_item(pommel: Pommel, suite_file: Path) -> None:
    outcome = pommel("suites", "show", suite_file, "--item", "2", "--quiet")
    assert "  item 2 of 3\n    match     1: The surgeon | 2: is" in outcome.stdout
    assert outcome.stderr == ""
    message = pommel("suites", "show", suite_file, "--item", "4").failure(2)
    assert message == "agreement has no item 4"


def test_controls_are_those_of_suites_controls(
    pommel: Pommel, suite_file: Path, tmp_path: Path
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("The pilot is good .\nThe surgeon is good .\n")
    (row,) = json.loads(
        pommel("suites", "controls", suite_file, "--text", text, "--format", "json").stdout
    )
    outcome = pommel("suites", "show", suite_file, "--text", text)
    assert outcome.stderr == ""
    shown = outcome.stdout.split("  controls: ")[1].splitlines()[1:8]
    assert [line.split()[-1] for line in shown[:5]] == [
        "-" if row[name] is None else f"{row[name]:.2f}"
        for name in ("chance", "context_free", "nearest_region", "unigram", "bigram")
    ]
    assert shown[5].split() == ["text", "of", "the", "n-grams", "text.txt"]
    without = pommel("suites", "show", suite_file, "--controls").stdout.split("  controls: ")[1]
    assert without.splitlines()[5].split() == ["bigram", "-"]


def test_a_page_with_frequencies_in_a_file(pommel: Pommel, suites: Path, tmp_path: Path) -> None:
    words, page = tmp_path / "words.tsv", tmp_path / "sheets.md"
    words.write_text("is\t100\nare\t50\n")
    options = ("--format", "markdown", "--frequencies", words, "-o", page)
    outcome = pommel("suites", "show", suites, *options)
    assert (outcome.status, outcome.stdout) == (0, "")
    assert outcome.stderr == f"2 data sheets: {page}\n{NOTE}"
    text = page.read_text("utf-8")
    assert [line for line in text.splitlines() if line.startswith("# ")] == ["# first", "# second"]
    assert "- frequencies: words.tsv, a list of 2 words, without 0 of the 2\n" in text
    assert "| condition | regions | words | characters | Zipf |" in text


def test_what_is_wrong(pommel: Pommel, suites: Path, tmp_path: Path) -> None:
    (suites / "bad.json").write_text("{}")
    outcome = pommel("suites", "show", suites)
    assert outcome.status == 3
    assert outcome.stdout.count("  item 1 of 3\n") == 2
    assert "bad.json:1:1: 'meta' is missing" in outcome.stderr
    none = tmp_path / "none.txt"
    for option in ("--text", "--frequencies"):
        assert str(none) in pommel("suites", "show", "number_prep", option, none).failure(3)


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_standard_input(pommel: Pommel, form: str) -> None:
    outcome = pommel("suites", "show", "-", "--format", form, stdin=json.dumps(suite_value("own")))
    assert "own" in outcome.stdout.splitlines()[0]
