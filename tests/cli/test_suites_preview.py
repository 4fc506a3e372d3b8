"""`pommel suites preview`: which items are shown, to pipes and to terminals."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.samples import Pommel, suite_value
from tests.cli.terminal import on_terminal

HEAD = """\
agreement
  3 items
  prediction 0: (2;%match%) < (2;%mismatch%)
    region 2 (verb) must be less surprising in *match* than in *mismatch*
"""
SECOND = """
  item 2
    match     [1 The surgeon] [[2 is]] [3 good .]
    mismatch  [1 The surgeon] [[2 are]] [3 good .]
"""


def numbers(stdout: str) -> list[int]:
    """Return the numbers of the items that were shown."""
    return [int(line.split()[1]) for line in stdout.splitlines() if line.startswith("  item ")]


def large_file(tmp_path: Path, name: str = "large", n_items: int = 7) -> Path:
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps(suite_value(name, n_items)))
    return path


def test_one_item(pommel: Pommel, suite_file: Path) -> None:
    outcome = pommel("suites", "preview", suite_file, "--item", "2")
    assert outcome.stdout == HEAD + SECOND
    assert (outcome.status, outcome.stderr) == (0, "")


def test_plain_sentences(pommel: Pommel, suite_file: Path) -> None:
    outcome = pommel("suites", "preview", suite_file, "--item", "1", "--plain")
    assert outcome.stdout.endswith(
        "  item 1\n    match     The pilot is good .\n    mismatch  The pilot are good .\n"
    )


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ((), [1, 2, 3]),
        (("--all",), [1, 2, 3, 4, 5, 6, 7]),
        (("--items", "5..9"), [5, 6, 7]),
        (("--item", "6", "--item", "2"), [2, 6]),
        (("--item", "1", "--items", "3..4"), [1, 3, 4]),
    ],
)
def test_which_items(
    pommel: Pommel, tmp_path: Path, options: tuple[str, ...], shown: list[int]
) -> None:
    outcome = pommel("suites", "preview", large_file(tmp_path), *options)
    assert numbers(outcome.stdout) == shown
    said = "note: 3 of 7 items of large are shown; --all shows the others, too\n"
    assert outcome.stderr == ("" if options else said)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--item", "99"), "agreement has no item 99"),
        (("--items", "7..9"), "agreement has no item 7..9"),
        (("--items", "1-3"), "--items 1-3: write two numbers, as in 1..5"),
        (("--items", "3..1"), "--items 3..1: the first number is the larger one"),
        (("--all", "--item", "1"), "--all shows every item; leave --item and --items out"),
    ],
)
def test_wrong_usage(
    pommel: Pommel, suite_file: Path, options: tuple[str, ...], message: str
) -> None:
    outcome = pommel("suites", "preview", suite_file, *options)
    assert (outcome.status, outcome.stdout) == (2, "")
    assert outcome.stderr == f"pommel: {message}\n"


def test_several_suites(pommel: Pommel, suite_file: Path, tmp_path: Path) -> None:
    large = large_file(tmp_path)
    outcome = pommel("suites", "preview", suite_file, large, "--item", "5")
    assert outcome.stdout.startswith("large\n")
    assert outcome.stderr == "note: agreement has none of these items\n"
    both = pommel("suites", "preview", tmp_path, "--item", "1").stdout
    assert "good .]\n\nlarge\n  7 items\n" in both
    none = pommel("suites", "preview", suite_file, large, "--item", "8")
    assert none.failure(2) == "no suite has an item 8"


def test_standard_input_csv_and_shipped_suites(
    pommel: Pommel, suite_file: Path, tmp_path: Path
) -> None:
    outcome = pommel("suites", "preview", "-", "--item", "2", stdin=suite_file.read_text())
    assert outcome.stdout == HEAD + SECOND
    pommel("suites", "export", suite_file, "-o", tmp_path, "--format", "csv")
    table = pommel("suites", "preview", tmp_path / "agreement.csv", "--item", "2").stdout
    assert "  no predictions\n" in table
    assert "    match     [1 The surgeon] [2 is] [3 good .]\n" in table
    shipped = pommel("suites", "preview", "number_prep", "--item", "1").stdout
    assert "    region 6 (matrix_v) must be less surprising in *match_sing* than in" in shipped


def test_a_faulty_suite_is_an_error_and_shown_as_far_as_it_goes(
    pommel: Pommel, suite_file: Path
) -> None:
    suite_file.write_text(suite_file.read_text().replace("(2;%match%)", "(4;%match%)"))
    outcome = pommel("suites", "preview", suite_file, "--item", "1")
    assert outcome.status == 3
    assert outcome.stdout.endswith(
        "    match     [1 The pilot] [2 is] [3 good .]\n"
        "    mismatch  [1 The pilot] [[2 are]] [3 good .]\n"
    )
    fault, last = outcome.stderr.splitlines()
    assert "condition 'match' has no region 4; its regions are 1, 2, 3" in fault
    assert last == "pommel: 1 error in 1 of 1 file"


@pytest.mark.parametrize("text", ["{", '{"meta": {}}', "\ufeff[]"])
def test_what_is_no_suite_is_its_faults_alone(pommel: Pommel, suite_file: Path, text: str) -> None:
    suite_file.write_text(text)
    outcome = pommel("suites", "preview", suite_file)
    assert (outcome.status, outcome.stdout) == (3, "")
    assert outcome.stderr.startswith(f"pommel: {suite_file}:1:")


def test_a_faulty_file_hides_no_other(pommel: Pommel, suite_file: Path) -> None:
    faulty = suite_file.with_name("faulty.json")
    faulty.write_text("{")
    outcome = pommel("suites", "preview", suite_file.parent, "--item", "2")
    assert (outcome.status, outcome.stdout) == (3, HEAD + SECOND)
    assert outcome.stderr.startswith(f"{faulty}:1:2: this is not JSON")
    assert outcome.stderr.endswith("\npommel: 1 error in 1 of 2 files\n")


def draft_file(tmp_path: Path, n_written: int, n_items: int = 7) -> Path:
    """Write a suite whose first sentences are written."""
    value = suite_value("draft", n_items)
    conditions = [each for item in value["items"] for each in item["conditions"]]
    for condition in conditions[n_written:]:
        for region in condition["regions"]:
            region["content"] = ""
    path = tmp_path / "draft.json"
    path.write_text(json.dumps(value))
    return path


def test_a_draft_shows_what_is_written(pommel: Pommel, tmp_path: Path) -> None:
    outcome = pommel("suites", "preview", draft_file(tmp_path, 1, n_items=2))
    assert (outcome.status, outcome.stderr) == (0, "")
    assert outcome.stdout == (
        "draft\n"
        "  2 items · 3 sentences to be written\n"
        "  prediction 0: (2;%match%) < (2;%mismatch%)\n"
        "    region 2 (verb) must be less surprising in *match* than in *mismatch*\n"
        "\n"
        "  item 1\n"
        "    match     [1 The pilot] [[2 is]] [3 good .]\n"
        "    mismatch  (to be written)\n"
        "\n"
        "  item 2\n"
        "    match     (to be written)\n"
        "    mismatch  (to be written)\n"
    )


@pytest.mark.parametrize(
    ("n_written", "shown"),
    [(0, [1, 2, 3]), (3, [1, 2, 3]), (7, [2, 3, 4]), (13, [5, 6, 7]), (14, [1, 2, 3])],
)
def test_of_a_draft_the_item_that_is_being_written(
    pommel: Pommel, tmp_path: Path, n_written: int, shown: list[int]
) -> None:
    outcome = pommel("suites", "preview", draft_file(tmp_path, n_written))
    assert numbers(outcome.stdout) == shown


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    # Several times what a pipe holds.
    large = large_file(tmp_path, n_items=5_000)
    command = [sys.executable, "-m", "pommel", "suites", "preview", str(large), "--all"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_stray_spaces_are_warned_of_and_breaks_stay_in_their_line(
    pommel: Pommel, suite_file: Path
) -> None:
    value = suite_value(n_items=1)
    value["items"][0]["conditions"][0]["regions"][0]["content"] = " The pilot"
    value["predictions"][0]["formula"] = "(2;%match%)\n< (2;%mismatch%)"
    suite_file.write_text(json.dumps(value))
    outcome = pommel("suites", "preview", suite_file)
    assert "warning: stray space in the content ' The pilot'" in outcome.stderr
    assert "  prediction 0: (2;%match%) < (2;%mismatch%)\n" in outcome.stdout


def test_standard_input_cannot_be_watched(pommel: Pommel, suite_file: Path) -> None:
    outcome = pommel("suites", "preview", "-", "--watch", stdin=suite_file.read_text())
    assert outcome.failure(2) == "standard input cannot be watched; name a file or a folder"


def test_a_terminal_gets_colours_and_folded_lines(suite_file: Path) -> None:
    with on_terminal("suites", "preview", suite_file, "--item", "2", columns=50) as started:
        shown = started.wait_for("[[2 are]]")
        assert started.end() == 0
    assert "\x1b[1magreement\x1b[0m\n" in shown
    assert (
        "    region 2 (verb) must be less surprising in\n    *match* than in *mismatch*\n" in shown
    )
    assert "\x1b[36mmatch\x1b[0m     \x1b[2m[1\x1b[0m The surgeon" in shown
    assert "\x1b[1;33m[[2 is]]\x1b[0m" in shown


def test_a_narrow_terminal_has_sentences_below_their_labels(suite_file: Path) -> None:
    options = ("--item", "2", "--plain")
    with on_terminal("suites", "preview", suite_file, *options, columns=30) as started:
        shown = started.wait_for("The surgeon are good .\n")
    assert "    match\n      The surgeon is good .\n    mismatch\n      The surgeon" in shown
    assert "\x1b" not in shown


def test_no_color_is_honoured(suite_file: Path) -> None:
    options = ("suites", "preview", suite_file, "--item", "2")
    with on_terminal(*options, environment={"NO_COLOR": "1"}) as started:
        shown = started.wait_for("[[2 are]]")
    assert "\x1b[1m[[2 is]]\x1b[0m" in shown
    assert "\x1b[36m" not in shown


def test_a_terminal_is_not_steered_and_scripts_keep_their_joiners(suite_file: Path) -> None:
    value = suite_value("\x1b[2Jevil", n_items=1)
    value["items"][0]["conditions"][0]["regions"][0]["content"] = "می\N{ZERO WIDTH NON-JOINER}خواهم"
    suite_file.write_text(json.dumps(value))
    with on_terminal("suites", "preview", suite_file) as started:
        shown = started.wait_for("[[2 are]]")
    assert "?[2Jevil" in shown
    assert "می\N{ZERO WIDTH NON-JOINER}خواهم" in shown
