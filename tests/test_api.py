"""`import pommel`: five functions, cheap to import."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.samples import suite_value

import pommel
from pommel.errors import UsageError


def test_importing_pommel_loads_nothing_heavy() -> None:
    heavy = {"torch", "pandas", "numpy", "scipy", "lark", "jsonschema", "click"}
    code = f"import sys, pommel; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_from_a_value_to_a_table() -> None:
    results = pommel.run("dummy://", suite_value())
    (row,) = results.to_frame("suites").to_dict("records")
    assert (row["suite"], row["n_items"], row["score_rule"]) == ("agreement", 3, "all")
    assert len(results.to_frame("predictions")) == 3
    assert len(results.to_frame("regions")) == 3 * 2 * 3


def test_step_by_step_says_the_same_as_run() -> None:
    suite = pommel.load_suite(suite_value())
    surprisals = pommel.compute_surprisals(pommel.load_model("dummy://"), suite)
    step_by_step = pommel.evaluate(surprisals)
    (at_once,) = pommel.run("dummy://", suite)
    assert list(step_by_step.items()) == list(at_once.result.items())
    assert step_by_step.to_frame().equals(at_once.to_frame("predictions"))
    assert step_by_step.to_frame("suites").equals(at_once.to_frame("suites"))


def test_models_of_one_name_are_told_apart() -> None:
    results = pommel.run(["dummy://uniform?bits=1", "dummy://uniform?bits=2"], suite_value())
    names = set(results.to_frame("suites")["model_name"])
    assert len(names) == 2


def test_stray_spaces_are_a_warning() -> None:
    value = suite_value()
    value["items"][0]["conditions"][0]["regions"][1]["content"] = " is"
    with pytest.warns(pommel.SuiteWarning, match="stray space in the content ' is'"):
        pommel.load_suite(value)


def test_load_suite_takes_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="suites; name one, or use run"):
        pommel.load_suite("suites:en")
    with pytest.raises(pommel.PommelError, match="the folder holds no suites"):
        pommel.load_suite(tmp_path)


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="module 'pommel' has no attribute 'nonsense'"):
        _ = pommel.nonsense


def test_values_that_cannot_be_are_refused() -> None:
    surprisals = pommel.compute_surprisals("dummy://", suite_value())
    with pytest.raises(UsageError, match="the score rule cannot be 'foo'; it is one of all, first"):
        pommel.evaluate(surprisals, score="foo")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="compat cannot be 'foo'; it is one of syntaxgym"):
        pommel.compute_surprisals("dummy://", suite_value(), compat="foo")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="bos cannot be 'nonsense'; it is one of auto, always"):
        pommel.Policy(bos="nonsense")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="there is nothing to run"):
        pommel.run("dummy://", [])


def test_a_warning_names_the_line_that_loaded_the_suite() -> None:
    value = suite_value()
    value["items"][0]["conditions"][0]["regions"][1]["content"] = " is"
    with pytest.warns(pommel.SuiteWarning) as caught:
        pommel.run("dummy://", value)
    with pytest.warns(pommel.SuiteWarning) as caught_too:
        pommel.load_suite(value)
    assert {each.filename for each in (*caught, *caught_too)} == {__file__}


def test_names_can_be_completed() -> None:
    assert set(dir(pommel)) == set(pommel.__all__)
