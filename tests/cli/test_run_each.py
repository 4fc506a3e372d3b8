"""Models one after another: what is kept, what is freed, what is raised."""

import gc
import weakref
from typing import Any

import pytest

from pommel.cli.run import run_each
from pommel.errors import InputError, ModelError, ModelNotAvailableError, UsageError
from pommel.models.family import NamedModel

MODELS = [NamedModel(reference=reference) for reference in ("a://", "b://", "c://")]


def test_a_model_that_fails_keeps_what_it_has_done(capsys: pytest.CaptureFixture[str]) -> None:
    def run(model: NamedModel, made: list[Any]) -> None:
        made.append(model.reference)
        if model.reference == "b://":
            raise InputError("it is broken")
        made.append(model.reference)

    done = run_each(MODELS, run)
    assert [*map(str, done.runs)] == ["a://", "a://", "b://", "c://", "c://"]
    with pytest.raises(InputError, match=r"^it is broken$"):
        done.check_complete(6)
    assert capsys.readouterr().err.splitlines() == [
        "pommel: b:// failed; going on with the other models",
        "pommel: 5 of 6 runs are complete",
    ]


def test_several_failures_are_one_with_the_status_of_the_first() -> None:
    failures = {"a://": ModelNotAvailableError("not there"), "c://": ModelError("too long")}

    def run(model: NamedModel, made: list[Any]) -> None:
        if model.reference in failures:
            raise failures[model.reference]
        made.append(model.reference)

    done = run_each(MODELS, run)
    assert list(done.failed) == ["a://", "c://"]
    with pytest.raises(ModelError) as caught:
        done.check_complete(3)
    assert str(caught.value) == "not there\npommel: too long"
    assert caught.value.exit_status == ModelNotAvailableError.exit_status


def test_anything_else_ends_it_all(capsys: pytest.CaptureFixture[str]) -> None:
    def run(model: NamedModel, made: list[Any]) -> None:
        if model.reference == "b://":
            raise KeyboardInterrupt
        made.append(model.reference)

    done = run_each(MODELS, run)
    assert [*map(str, done.runs)] == ["a://"]
    with pytest.raises(KeyboardInterrupt):
        done.check_complete(3)
    assert capsys.readouterr().err == "pommel: stopped; 1 of 3 runs are complete\n"


def test_what_is_refused_before_anything_ran_says_so_and_no_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run(_model: NamedModel, _made: list[Any]) -> None:
        raise UsageError("no such device")

    with pytest.raises(UsageError, match=r"^no such device$"):
        run_each(MODELS, run).check_complete(3)
    assert capsys.readouterr().err == ""


def test_what_is_complete_raises_nothing() -> None:
    def run(model: NamedModel, made: list[Any]) -> None:
        made.append(model.reference)

    run_each(MODELS, run).check_complete(3)


class _Big:
    """What a loaded model is."""


def test_a_model_that_has_failed_is_freed_before_the_next() -> None:
    left: list[weakref.ref[_Big]] = []

    def run(_model: NamedModel, _made: list[Any]) -> None:
        assert [each() for each in left] == [None] * len(left)
        model = _Big()
        left.append(weakref.ref(model))
        try:
            int(str(model))
        except ValueError as error:
            raise ModelError("it fails") from error

    gc.collect()
    assert len(run_each(MODELS, run).failed) == len(left) == 3
