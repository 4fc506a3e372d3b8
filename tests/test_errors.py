"""Errors: what they say, and that they survive the way between processes."""

import pickle

import pytest

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
