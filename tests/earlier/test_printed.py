"""Commands print of data/ what they printed before, to the letter."""

import difflib

import pytest
from tests.earlier.printed import COMMANDS, PRINTED, parts, transcript


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_print_what_they_printed(name: str) -> None:
    found, known = transcript(name), (PRINTED / f"{name}.txt").read_text("utf-8")
    (words, numbers), (known_words, known_numbers) = parts(found), parts(known)
    # An optimiser ends where the machine's arithmetic leads it.
    close = 1e-5 if name == "stats_mixed" else 1e-9
    if words != known_words or numbers != pytest.approx(known_numbers, rel=close, abs=close):
        lines = difflib.unified_diff(
            known.splitlines(), found.splitlines(), "before", "now", lineterm="", n=1
        )
        pytest.fail(
            "\n".join(lines)
            + "\nIf this is meant: `python -m tests.earlier.printed` writes printed/ anew.",
            pytrace=False,
        )


def test_every_file_is_looked_at() -> None:
    assert {path.stem for path in PRINTED.iterdir()} == set(COMMANDS)


def test_numbers_of_many_digits_are_told_from_text() -> None:
    assert parts("a,0.123456789,-1.5e-09 0.5 1.25\n") == (
        ["a,", ",", " 0.5 1.25\n"],
        [0.123456789, -1.5e-09],
    )
