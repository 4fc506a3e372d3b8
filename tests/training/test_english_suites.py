"""The shipped English suites: what the files hold, and that the recipe writes them."""

import json
import re
from pathlib import Path

import pytest

from pommel.training.corpus import sample_corpus
from pommel.training.english_suites import designs, write_suites
from pommel.training.english_suites.design import Design, rows, to_json

SHIPPED = Path(__file__).parents[2] / "suites" / "en"
CIRCUITS = {
    "agreement",
    "licensing",
    "garden-path-effects",
    "gross-syntactic-state",
    "center-embedding",
    "long-distance-dependencies",
}
ATOM = re.compile(r"\((\d+);%([^%]+)%\)")

every_suite = pytest.mark.parametrize("design", designs(), ids=lambda design: design.name)


@pytest.fixture(scope="module")
def vocabulary() -> set[str]:
    return {word for sentence in sample_corpus(60_000, 3) for word in sentence.split()}


def sentences(design: Design) -> list[list[str]]:
    """Return every item's sentences, item by item."""
    return [
        [" ".join(filter(None, contents)) for contents in design.conditions(row).values()]
        for row in design.rows
    ]


def test_the_recipe_writes_the_shipped_files(tmp_path: Path) -> None:
    written = write_suites(tmp_path)
    assert {path.relative_to(tmp_path / "en") for path in written} == {
        path.relative_to(SHIPPED) for path in SHIPPED.rglob("*.json")
    }
    for path in written:
        assert path.read_bytes() == (SHIPPED / path.relative_to(tmp_path / "en")).read_bytes()


def test_every_circuit_has_suites() -> None:
    assert {design.circuit for design in designs()} == CIRCUITS


def test_names_are_unique_and_modifiers_have_their_base() -> None:
    names = [design.name for design in designs()]
    assert len(names) == len(set(names))
    assert {design.modifier_of for design in designs()} - {""} <= set(names)


@every_suite
def test_a_suite_has_items_enough(design: Design) -> None:
    assert len(design.rows) >= 24


@every_suite
def test_no_sentence_stands_in_two_items(design: Design) -> None:
    every = [sentence for item in sentences(design) for sentence in set(item)]
    assert len(every) == len(set(every))


@every_suite
def test_the_conditions_of_an_item_differ(design: Design) -> None:
    for item in sentences(design):
        assert len(item) == len(set(item))


@every_suite
def test_every_word_is_in_the_training_english(design: Design, vocabulary: set[str]) -> None:
    words = {word for item in sentences(design) for text in item for word in text.split()}
    assert words - vocabulary == set()


@every_suite
def test_formulas_name_regions_that_are_there_and_filled(design: Design) -> None:
    for formula, description in design.predictions:
        assert description.endswith(".")
        atoms = ATOM.findall(formula)
        assert atoms
        for row in design.rows:
            conditions = design.conditions(row)
            # The pseudo-clefts' formula adds no region that is empty either.
            assert all(conditions[name][int(number) - 1] for number, name in atoms)


@every_suite
def test_the_document_says_what_it_is(design: Design) -> None:
    document = json.loads(to_json(design))
    assert document["meta"]["license"] == "CC-BY-4.0"
    assert document["meta"]["comment"].endswith(".")
    assert len(document["region_meta"]) == len(design.regions)
    assert [item["item_number"] for item in document["items"]] == list(
        range(1, len(design.rows) + 1)
    )


def test_rows_are_read_from_a_table() -> None:
    assert rows("\n a b | c\nd|e f \n") == (("a b", "c"), ("d", "e f"))
