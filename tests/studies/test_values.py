"""Values of tables: printed, recomputed, own, and whether they are the same."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.studies.studies import SMALL, study_of

from pommel.errors import InputError
from pommel.studies.study import Study
from pommel.studies.values import StudyValue, verdict_of

TABLE = """
[[tables]]
name = "printed"
title = "Printed"
keys = ["model", "suite"]
value = "accuracy"
factor = 100
printed = "printed.csv"
published = "stats accuracy"
own = "stats accuracy"
where = { level = "suite" }
[[tables.deviations]]
where = { model = "b" }
why = "a misprint"
"""


@pytest.fixture(name="study")
def study_with_values(tmp_path: Path) -> Study:
    """A study with printed, published and own values."""
    printed = "model,suite,printed,own_model,source\na,s,12.5,x,p. 1\nb,s,12.6,,\nc,s,,,\nd,s,1,,\n"
    (tmp_path / "printed.csv").write_text(printed, "utf-8")
    (tmp_path / "tables").mkdir()
    for kind, rows in (
        ("published", "suite,a,s,0.125\nsuite,b,s,0.127\nmodel,b,s,9\n"),
        ("own", "suite,x,s,0.5\nsuite,a,s,0.25\n"),
    ):
        text = f"level,model,suite,accuracy\n{rows}"
        (tmp_path / "tables" / f"printed.{kind}.csv").write_text(text, "utf-8")
    return study_of(tmp_path, SMALL + TABLE)


def test_a_value_is_that_of_its_keys(tmp_path: Path, study: Study) -> None:
    first, second, third, fourth = StudyValue.of_table(study, study.tables[1], tmp_path)
    assert (first.printed, first.recomputed, first.own) == ("12.5", 12.5, 50)
    assert (first.verdict, first.why, first.source) == ("equal", "", "p. 1")
    assert second.recomputed == pytest.approx(12.7)
    assert second.own is None
    assert (second.verdict, second.why) == ("differs", "a misprint")
    assert third.verdict == "not printed"
    assert fourth.verdict == "not computable"
    counts = StudyValue.counts([first, second, third, fourth])
    assert counts == {"equal": 1, "differs": 1, "not computable": 1}


def test_first_items_stand_beside_what_is_printed_of_whole_suites(
    tmp_path: Path, study: Study
) -> None:
    (tmp_path / "printed.csv").write_text("model,suite,printed\na,s,1\nb,s,1\nc,s,1\n", "utf-8")
    own = "level,model,suite,accuracy\nsuite,a,s (first 2 of 9),0.5\n"
    own += "suite,b,s (first 2 of 9),0.25\nsuite,b,s (first 3 of 9),0.75\n"
    own += "suite,c,s,0.1\nsuite,c,s (first 2 of 9),0.2\n"
    (tmp_path / "tables" / "printed.own.csv").write_text(own, "utf-8")
    values = StudyValue.of_table(study, study.tables[1], tmp_path)
    assert [each.own for each in values] == [50, None, 10]
    (tmp_path / "printed.csv").write_text("model,suite,printed\n", "utf-8")
    values = StudyValue.of_table(study, study.tables[1], tmp_path)
    assert values[-1].keys == {"model": "c", "suite": "s (first 2 of 9)"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("accuracy", "acuracy", "has no column 'accuracy'; did you mean 'acuracy'?"),
        ("suite,b,s", "suite,a,s", "has two rows of a, s"),
        ("0.125", "half", "'accuracy' is 'half', and no number"),
    ],
)
def test_a_statistic_without_the_value_is_told(
    tmp_path: Path, study: Study, old: str, new: str, said: str
) -> None:
    path = tmp_path / "tables" / "printed.published.csv"
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(InputError) as caught:
        StudyValue.of_table(study, study.tables[1], tmp_path)
    assert said in str(caught.value)


def test_rows_are_counted(tmp_path: Path) -> None:
    table = TABLE.replace('value = "accuracy"', 'value = "mark"\ncount = "a*"')
    for old, new in (("100", "1"), ('printed = "printed.csv"\n', ""), (', "suite"]', "]")):
        table = table.replace(old, new)
    study = study_of(tmp_path, SMALL + table)
    rows = "suite,a,above\nsuite,a,above\nsuite,a,below\nsuite,b,\nmodel,b,above\n"
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "printed.own.csv").write_text(f"level,model,mark\n{rows}", "utf-8")
    values = StudyValue.of_table(study, study.tables[1], tmp_path)
    assert {each.keys["model"]: each.own for each in values} == {"a": 2, "b": 0}


def test_values_are_written_as_a_table(tmp_path: Path, study: Study) -> None:
    values = StudyValue.of_table(study, study.tables[1], tmp_path)
    header, first, second, *_ = StudyValue.csv(values).splitlines()
    assert header == "table,keys,printed,recomputed,verdict,own,why,source"
    assert first == "printed,model=a; suite=s,12.5,12.5,equal,50,,p. 1"
    assert second == "printed,model=b; suite=s,12.6,12.7,differs,,a misprint,"


@given(st.integers(-(10**6), 10**6), st.integers(0, 4), st.floats(-0.499, 0.499))
def test_what_rounds_to_print_is_equal(n: int, n_decimals: int, off: float) -> None:
    printed = f"{n / 10**n_decimals:.{n_decimals}f}"
    assert verdict_of(printed, (n + off) / 10**n_decimals) == "equal"
    assert verdict_of(printed, (n + 0.501) / 10**n_decimals) == "differs"


@pytest.mark.parametrize("tie", [0.8355, 0.8365])
def test_a_tie_may_be_rounded_either_way(tie: float) -> None:
    assert verdict_of("0.836", tie) == "equal"
