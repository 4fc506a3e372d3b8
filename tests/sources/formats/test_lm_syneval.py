"""The templates of Marvin & Linzen."""

import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from tests.sources.set_round_trips import through_a_suite

from pommel.errors import InputError, SuiteError
from pommel.sources.formats.lm_syneval import read_templates
from pommel.sources.minimal_sets import MinimalSet


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("templates") / "simple_agrmt.pickle"


def read(path: Path, value: object) -> list[MinimalSet]:
    path.write_bytes(pickle.dumps(value))
    return read_templates(path)


def test_tuples_become_sets_and_keep_their_cases(path: Path) -> None:
    value = {
        "sing": [("the cook sits", "the cook sit")],
        "past": [("no cook has ever sat", "the cook has ever sat", "most cook has ever sat")],
    }
    sets = read(path, value)
    assert sets == [
        MinimalSet("the cook", "sits", ("sit",), "", {"case": "sing"}),
        MinimalSet("", "no", ("the", "most"), "cook has ever sat", {"case": "past"}),
    ]


def test_how_sentences_are_spelt_is_kept(path: Path) -> None:
    value = {"sing": [(" the  cook sits\n", "the cook\tsit")]}
    (found,) = read(path, value)
    assert found.grammatical == "the cook sits"
    assert found.fields == {"case": "sing", "sentences": [*value["sing"][0]]}
    assert through_a_suite([found]) == [found]


def test_the_published_files(shared_data: Path) -> None:
    paths = sorted((shared_data / "lm_syneval").glob("*.pickle"))
    assert {each.stem: len(read_templates(each)) for each in paths} == {
        "long_vp_coord": 400,
        "simple_agrmt": 140,
        "simple_npi_anim": 120,
        "vp_coord": 840,
    }


SHAPE = "write a dictionary of cases, each a list of tuples of sentences"
TUPLE = "write the grammatical sentence, then the ungrammatical ones"


@pytest.mark.parametrize(
    ("value", "faults"),
    [
        ([("a", "b")], [f"this is a list and no dictionary; {SHAPE}"]),
        (1, [f"this is a number and no dictionary; {SHAPE}"]),
        ({}, [f"there is no case; {SHAPE}"]),
        (
            {
                "a": "text",
                "b": [],
                "c": [("x y", "x z"), "x y", ("x y",), ("x", None), ("x", " ")],
                "d'": {"e": []},
            },
            [
                f"this is text and no list; {SHAPE} (at ['a'])",
                "this case has no sentences; write its sentences, or leave it out (at ['b'])",
                f"this is text and no tuple; {TUPLE} (at ['c'][1])",
                f"these are not two sentences; {TUPLE} (at ['c'][2])",
                "this is None and no sentence; write text (at ['c'][3][1])",
                "this sentence is empty; write its words (at ['c'][4][1])",
                f"""this is a dictionary and no list; {SHAPE} (at ["d'"])""",
            ],
        ),
    ],
)
def test_pickles_of_something_else(path: Path, value: object, faults: list[str]) -> None:
    with pytest.raises(SuiteError) as caught:
        read(path, value)
    assert str(caught.value).splitlines() == [f"{path}: {fault}" for fault in faults]


class _Hostile:
    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("exit",)


def test_a_pickle_that_runs_a_program(path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(path, {"sing": [("a b", "a c"), _Hostile()]})
    assert str(caught.value) == (
        f"{path}: has the class or function '{os.name}.system'; pickles can run programs, so only "
        "dictionaries, lists, tuples and text are read"
    )


@pytest.mark.parametrize("kind", ["cases", "tuples", "texts"])
def test_a_small_file_of_endless_repetitions(path: Path, kind: str) -> None:
    pair = ("a" * 2000, "b" * 2000)
    many = [pair] * 20_000
    texts = ["a"] * 20_000
    values: dict[str, dict[str, list[Any]]] = {
        "cases": {str(n): ["a"] if n % 2 else texts for n in range(200)},
        "tuples": {"a": [tuple(many)] * 1000},
        "texts": {"a": many},
    }
    path.write_bytes(pickle.dumps(values[kind]))
    assert path.stat().st_size < 100_000
    with pytest.raises(InputError) as caught:
        read_templates(path)
    assert str(caught.value) == (
        f"{path}: has more than 1,048,576 sentences or 67,108,864 characters; no such file is read"
    )
