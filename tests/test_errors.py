"""Errors and the words of messages: what they say, and that they survive between processes."""

import importlib.metadata
import pickle
import shutil
import sys

import pytest
from hypothesis import example, given, strategies as st
from tests.harmless import is_harmless

from pommel.errors import (
    AlignmentError,
    Fault,
    FormulaError,
    InputError,
    ModelError,
    ModelNotAvailableError,
    Place,
    PommelError,
    SuiteError,
    SurprisalError,
    UsageError,
    package_version,
    printable,
    quoted,
)

FAULT = Fault(file="s.json", line=3, column=7, path="meta.name", message="wrong", hint="write it")


@pytest.mark.parametrize(
    "error",
    [
        *(
            kind("said")
            for kind in (
                PommelError,
                UsageError,
                InputError,
                AlignmentError,
                SurprisalError,
                ModelError,
                ModelNotAvailableError,
            )
        ),
        SuiteError([FAULT]),
        FormulaError("wrong", formula="1 < 2 < 3", start=6, end=9, hint="write it"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_they_travel(error: PommelError) -> None:
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - what we have just written
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.exit_status == error.exit_status


def test_several_failures_are_one_with_the_status_of_the_first() -> None:
    first, second = ModelNotAvailableError("no such file"), InputError("no suite")
    assert ModelError.joined([first]) is first
    joined = ModelError.joined([first, second])
    assert (str(joined), joined.exit_status) == ("no such file\npommel: no suite", 4)


def fail() -> None:
    """Raise an error that has come of another one."""
    try:
        int("x")
    except ValueError as error:
        raise ModelError("outer") from error


def test_an_error_without_frames_holds_nothing() -> None:
    with pytest.raises(ModelError) as caught:
        fail()
    error = caught.value.without_frames()
    assert error is caught.value
    assert error.__cause__ is not None
    assert (error.__traceback__, error.__cause__.__traceback__) == (None, None)


@pytest.mark.parametrize("name", ["numpy", "torch", "transformers", "tokenizers", "click", "rich"])
def test_the_version_of_a_package_is_that_of_its_metadata(name: str) -> None:
    assert package_version(name) == importlib.metadata.version(name)


def test_a_package_that_is_not_there_has_no_version() -> None:
    assert package_version("no_such_package") == "unknown"


@pytest.mark.parametrize(
    ("python", "pip", "command"),
    [
        ("/here/bin/python3", "/here/bin/pip", "pip"),
        ("/here/bin/python3", "/usr/bin/pip", "/here/bin/python3 -m pip"),
        ("/here/bin/python3", None, "/here/bin/python3 -m pip"),
        ("/my here/bin/python3", None, '"/my here/bin/python3" -m pip'),
    ],
)
def test_an_extra_is_installed_where_pommel_is(
    python: str, pip: str | None, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", python)
    monkeypatch.setattr(shutil, "which", {"pip": pip}.get)
    assert PommelError.install("plots") == f"{command} install 'pommel[plots]'"


def test_a_fault_in_a_line() -> None:
    assert str(FAULT) == "s.json:3:7: wrong; write it (at meta.name)"
    whole = Fault(file="s.json", line=0, column=0, path="", message="odd", severity="warning")
    assert str(whole) == "s.json: warning: odd"


def test_a_fault_at_a_place() -> None:
    place = Place(file="s.avg", line=2, column=5)
    assert str(place.further(3).fault("wrong", "write it")) == "s.avg:2:8: wrong; write it"


def test_a_formula_error_marks_the_place() -> None:
    error = FormulaError("wrong", formula="1 <\n2", start=4, end=5, hint="write it")
    assert str(error).splitlines() == ["wrong", "    1 < 2", "        ^", "write it"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("naïve 猫 Ġthe", "naïve 猫 Ġthe"),
        ("a\tb", "a b"),
        ("\x1b[31mred\x07", "?[31mred?"),
        ("one\ntwo\r\u2028", "one?two??"),
        # One that starts a sequence on its own, and one that turns the direction of writing.
        ("\x9b2J \u202e \ud800", "?2J ? ?"),
    ],
)
def test_what_would_steer_a_terminal_becomes_a_question_mark(text: str, shown: str) -> None:
    assert printable(text) == shown


@example("\u200c")
@given(st.text())
def test_every_character_stays_in_its_place(text: str) -> None:
    shown = printable(text)
    assert is_harmless(shown)
    assert len(shown) == len(text)
    assert printable(shown) == shown


def test_what_is_short_is_quoted_whole() -> None:
    assert quoted("a 'cat'\n") == "\"a 'cat'\\n\""
    assert quoted("x" * 80) == f"'{'x' * 80}'"
    assert quoted("x" * 81) == f"'{'x' * 80}'…"


@given(st.text(max_size=300))
def test_what_is_quoted_steers_no_terminal(text: str) -> None:
    assert quoted(text).isprintable()
