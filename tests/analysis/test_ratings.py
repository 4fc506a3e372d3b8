"""Ratings that people give to sentences: what a table says, what it comes to, all that is wrong."""

import math
from itertools import permutations
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import openpyxl
import pytest
from hypothesis import given, strategies as st

from pommel.analysis.ratings import RatedSuite, Rating, Ratings
from pommel.errors import FaultyFileError, InputError, UsageError
from pommel.files import CsvRow

PETS = RatedSuite(name="pets", items=(1, 2), conditions=("good", "bad"))
ALL = "suite,participant,item,condition,rating"
SCALE = "write one of the scale that people had"
NUMBER = "write one like 3.5, and nothing where there is none"


def written(folder: Path, text: str, name: str = "ratings.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def said(ratings: Ratings) -> list[tuple[object, ...]]:
    return [(r.suite, r.item, r.condition, r.rating, r.participant) for r in ratings.rows]


def of_rows(*rows: tuple[str, int, str, float], suite: str = "pets") -> Ratings:
    """Return ratings of (participant, item, condition, rating)."""
    head = CsvRow(file="r.csv", line=1, text="", fields=("suite",))
    return Ratings(
        name="human",
        file="r.csv",
        columns={"suite": "suite"},
        head=head,
        rows=tuple(
            Rating(
                suite=suite,
                item=item,
                condition=condition,
                rating=rating,
                participant=who,
                row=head,
            )
            for who, item, condition, rating in rows
        ),
    )


def test_a_table_of_the_least_columns_and_one_of_all(tmp_path: Path) -> None:
    path = written(tmp_path, "item,condition,rating\n1,good, 5\n2.0,bad,\n2,good,1.5\n")
    found = Ratings.read(str(path))
    assert (found.name, found.file) == ("human", str(path))
    # An empty rating is none.
    assert said(found) == [("", 1, "good", 5.0, ""), ("", 2, "good", 1.5, "")]
    text = "rating;participant;note;condition_name;suite;item_number\n4;P1;-;good;pets;1\n"
    found = Ratings.read(f"students={written(tmp_path, text)}")
    assert found.name == "students"
    (tmp_path / "seed=1").mkdir()
    assert Ratings.read(str(written(tmp_path / "seed=1", text))).name == "human"
    assert said(found) == [("pets", 1, "good", 4.0, "P1")]


def test_a_workbook_has_numbers(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (("item", "condition", "rating"), (1, "good", 4.5), (2, "bad", 3)):
        book.active.append(row)
    book.save(tmp_path / "ratings.xlsx")
    found = Ratings.read(str(tmp_path / "ratings.xlsx"))
    assert said(found) == [("", 1, "good", 4.5, ""), ("", 2, "bad", 3.0, "")]


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", ["1:1: the file is empty; its first line is item,condition,rating"]),
        ("item,condition,rating\n", ["1:1: there is nothing but a header; write some rows"]),
        ("item,condition,rating\n1,good,\n", ["1:1: there is no rating; write some"]),
        (
            "item,conditon,rating\n1,good,1\n",
            ["1:1: the column 'condition' is missing; rename 'conditon'"],
        ),
        (
            f"{ALL}\n,P1,1.5,good,high\npets,,1,,nan\npets,P1,1,good,1e200\n",
            [
                "2:1: the suite is missing; write it",
                "2:5: '1.5' is no number of an item; write one like 7",
                f"2:14: 'high' is no number; {NUMBER}",
                "3:6: the participant is missing; write it",
                "3:9: the condition is missing; write it",
                f"3:10: 'nan' is no number; {NUMBER}",
                f"4:16: '1e200' is more than any scale has; {SCALE}",
            ],
        ),
    ],
)
def test_every_fault_of_a_table_is_told(tmp_path: Path, text: str, faults: list[str]) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FaultyFileError) as caught:
        Ratings.read(str(path))
    assert str(caught.value).splitlines() == [f"{path}:{fault}" for fault in faults]


def test_a_name_or_a_file_that_is_not_there(tmp_path: Path) -> None:
    for told in ("=a.csv", "human="):
        with pytest.raises(UsageError, match="write FILE or NAME=FILE"):
            Ratings.read(told)
    with pytest.raises(InputError, match=r"none\.csv: No such file or directory$"):
        Ratings.read(str(tmp_path / "none.csv"))


def faults_on(folder: Path, text: str, *suites: RatedSuite) -> list[str]:
    path = written(folder, text)
    with pytest.raises(FaultyFileError) as caught:
        Ratings.read(str(path)).on(suites or [PETS])
    return [each.removeprefix(f"{path}:") for each in str(caught.value).splitlines()]


CHOOSE = "add it, or choose one of them with --suite"
HEAD = "suite,item,condition,rating\n"
WITHOUT = HEAD.removeprefix("suite,")


def test_items_and_conditions_that_there_are_not_are_faults(tmp_path: Path) -> None:
    assert faults_on(tmp_path, f"{HEAD}pets,1,god,1\npets,3,good,1\npets,-1,else,1\n") == [
        "2:8: pets has no condition 'god'; did you mean 'good'?",
        "3:6: pets has no item 3; write the number of one, from 1 to 2",
        "4:6: pets has no item -1; write the number of one, from 1 to 2",
        "4:9: pets has no condition 'else'; there are good, bad",
    ]


def test_a_table_of_no_suite_that_there_is(tmp_path: Path) -> None:
    text = f"{HEAD}pest,1,good,1\npest,2,good,1\nfillers,1,a,1\n"
    assert faults_on(tmp_path, text) == [
        "2:1: no run that counts is on the suite 'pest'; did you mean 'pets'?",
        "4:1: no run that counts is on the suite 'fillers'; there are runs on pets",
    ]


def test_a_table_without_suites_is_about_the_only_one(tmp_path: Path) -> None:
    other = RatedSuite(name="birds", items=(1,), conditions=("good",))
    assert faults_on(tmp_path, f"{WITHOUT}1,good,1\n", PETS, other) == [
        f"1:1: the column 'suite' is missing, and there are pets, birds; {CHOOSE}"
    ]
    (found,) = Ratings.read(str(written(tmp_path, f"{WITHOUT}1,good,1\n"))).on([PETS])
    assert len(found.rows) == 1


def test_what_others_have_seen_is_left_out(tmp_path: Path) -> None:
    """Fillers, and what is behind a suite's first items, are no mistakes."""
    text = f"{HEAD}pets,1,good,1\nfillers,7,x,2\npets,2,bad,3\n"
    ratings = Ratings.read(str(written(tmp_path, text)))
    first = RatedSuite(name="pets", items=(1,), conditions=("good", "bad"), is_whole=False)
    birds = RatedSuite(name="birds", items=(1,), conditions=("good",))
    assert [[row.rating for row in each.rows] for each in ratings.on([PETS, first, birds])] == [
        [1.0, 3.0],
        [1.0],
        [],
    ]
    assert faults_on(tmp_path, f"{HEAD}pets,2,god,1\n", first) == [
        "2:8: pets has no condition 'god'; did you mean 'good'?"
    ]


numbers = st.lists(st.integers(min_value=1, max_value=7), min_size=2, max_size=8)


@given(numbers, st.integers(min_value=1, max_value=9), st.integers(min_value=-20, max_value=20))
def test_how_a_participant_uses_the_scale_makes_no_difference(
    values: list[int], times: int, plus: int
) -> None:
    own = [("P1", 1, "good", float(value)) for value in values]
    others = [("P2", 1, "bad", float(value * times + plus)) for value in values]
    found = [row.rating for row in of_rows(*own, *others).standardised().rows]
    n = len(values)
    assert found[:n] == pytest.approx(found[n:], abs=1e-9)
    if len({*values}) > 1:
        assert (fmean(found[:n]), stdev(found[:n])) == pytest.approx((0, 1), abs=1e-9)
    else:
        assert {*found} == {0.0}


def test_fillers_count_in_how_a_participant_uses_the_scale() -> None:
    own, fillers = of_rows(("P1", 1, "good", 5.0)), of_rows(("P1", 1, "x", 1.0), suite="fillers")
    ratings = of_rows()
    both = Ratings(
        name="human",
        file="r.csv",
        columns=ratings.columns,
        head=ratings.head,
        rows=(*own.rows, *fillers.rows),
    )
    (found,) = both.standardised().on([PETS])
    assert [row.rating for row in found.rows] == [pytest.approx(math.sqrt(0.5))]


def test_a_sentence_has_the_mean_of_its_ratings_in_whichever_order_they_come() -> None:
    rows = [("P1", 1, "good", 0.1), ("P2", 1, "good", 0.2), ("P3", 1, "good", 0.3)]
    every = [of_rows(*own, ("P1", 2, "bad", 0.2)).scores(PETS) for own in permutations(rows)]
    for found in every:
        np.testing.assert_array_equal(found, [[0.2, math.nan], [math.nan, 0.2]])


def test_each_participant_by_itself() -> None:
    found = of_rows(("P2", 1, "good", 1.0), ("P1", 1, "good", 2.0), ("P2", 1, "bad", 3.0))
    assert [[row.rating for row in each.rows] for each in found.by_participant()] == [
        [1.0, 3.0],
        [2.0],
    ]
    assert of_rows(("", 1, "good", 1.0)).by_participant() == []
