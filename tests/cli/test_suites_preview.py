"""`pommel suites preview`: which items are shown, to pipes and to terminals."""

import json
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
    assert (none.status, none.stderr) == (2, "pommel: no suite has an item 8\n")


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


def test_a_faulty_suite_is_an_error(pommel: Pommel, suite_file: Path) -> None:
    suite_file.write_text(suite_file.read_text().replace("(2;%match%)", "(4;%match%)"))
    outcome = pommel("suites", "preview", suite_file)
    assert (outcome.status, outcome.stdout) == (3, "")
    assert "condition 'match' has no region 4; its regions are 1, 2, 3" in outcome.stderr


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
    assert (outcome.status, outcome.stderr) == (
        2,
        "pommel: standard input cannot be watched; name a file or a folder\n",
    )


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
