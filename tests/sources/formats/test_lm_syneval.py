"""The templates of Marvin & Linzen."""

import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sources.set_round_trips import WORDS, through_a_suite

from pommel.errors import InputError, SuiteError
from pommel.sources.formats.lm_syneval import read_templates, save_templates
from pommel.sources.minimal_sets import MinimalSet

SENTENCES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
TUPLES = st.lists(SENTENCES, min_size=2, max_size=3, unique=True).map(tuple)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("templates") / "simple_agrmt.pickle"


def read(path: Path, value: object) -> list[MinimalSet]:
    path.write_bytes(pickle.dumps(value))
    return read_templates(path)


def written(path: Path, sets: list[MinimalSet]) -> Any:
    save_templates(sets, path)
    return pickle.loads(path.read_bytes())  # noqa: S301


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
    assert list(written(path, sets).items()) == list(value.items())


def test_the_published_files_come_out_as_they_went_in(shared_data: Path, path: Path) -> None:
    paths = sorted((shared_data / "lm_syneval").glob("*.pickle"))
    n_sets = {}
    for each in paths:
        sets = read_templates(each)
        save_templates(sets, path)
        assert path.read_bytes() == each.read_bytes()
        save_templates(through_a_suite(sets), path)
        assert path.read_bytes() == each.read_bytes()
        n_sets[each.stem] = len(sets)
    assert n_sets == {
        "long_vp_coord": 400,
        "simple_agrmt": 140,
        "simple_npi_anim": 120,
        "vp_coord": 840,
    }


@settings(max_examples=30)
@given(
    value=st.dictionaries(
        WORDS | st.just(""), st.lists(TUPLES, min_size=1, max_size=4), min_size=1, max_size=3
    ),
    n=st.integers(2, 3),
)
def test_what_is_read_is_written(
    path: Path, value: dict[str, list[tuple[str, ...]]], n: int
) -> None:
    sets = read(path, value)
    assert list(written(path, sets).items()) == list(value.items())
    alike = [each for each in sets if len(each.others) == n - 1]
    if alike:
        save_templates(alike, path)
        assert read_templates(path) == through_a_suite(alike) == alike


def test_spaces_are_kept_while_the_words_are_the_same(path: Path) -> None:
    value = {"sing": [(" the  cook sits\n", "the cook\tsit")]}
    (found,) = read(path, value)
    assert found.grammatical == "the cook sits"
    assert written(path, through_a_suite([found])) == value
    changed = MinimalSet(found.before, "eats", found.others, found.after, found.fields)
    assert written(path, [changed]) == {"sing": [("the cook eats", "the cook sit")]}


@pytest.mark.parametrize("sentences", [3, [1, 2], ["a b"], None])
def test_sentences_that_are_none_are_not_written(path: Path, sentences: object) -> None:
    found = MinimalSet.of("a b", "a c", fields={"case": "x", "sentences": sentences})
    assert written(path, [found]) == {"x": [("a b", "a c")]}


def test_a_case_is_text(path: Path) -> None:
    with pytest.raises(InputError, match="'case' of minimal set 1 is no text"):
        save_templates([MinimalSet.of("a b", "a c", fields={"case": [1]})], path)


def test_sets_of_other_files_have_a_case_named_after_the_file(path: Path) -> None:
    sets = [
        MinimalSet.of("a b", "a c"),
        MinimalSet.of("d e", "d f", fields={"case": "x"}),
        MinimalSet.of("g h", "g i", fields={"n_attr": 1}),
    ]
    assert list(written(path, sets).items()) == [
        ("simple_agrmt", [("a b", "a c"), ("g h", "g i")]),
        ("x", [("d e", "d f")]),
    ]


def test_a_sentence_alone_is_not_written(path: Path) -> None:
    before = path.read_bytes() if path.exists() else None
    with pytest.raises(InputError) as caught:
        save_templates([MinimalSet.of("a b", "a c"), MinimalSet.of("a b")], path)
    assert str(caught.value) == "minimal set 2 has no ungrammatical sentence"
    assert (path.read_bytes() if path.exists() else None) == before


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
