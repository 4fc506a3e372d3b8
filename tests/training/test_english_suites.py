"""The shipped English suites: what the files hold, and that the recipe writes them."""

import json
import re
from pathlib import Path

import pytest

from pommel.training.corpus import sample_corpus
from pommel.training.english_suites import designs, write_suites
from pommel.training.english_suites.design import Design, rows, to_json
from pommel.training.english_suites.long_distance_dependencies import GAP_TABLE

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


def design_named(name: str) -> Design:
    (design,) = (design for design in designs() if design.name == name)
    return design


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


def test_an_embedded_gap_has_the_clauses_between_that_its_name_counts() -> None:
    embeddings = {
        n: [design_named(f"fgd-embed{n}").conditions(row)["what_gap"][2] for row in rows(GAP_TABLE)]
        for n in (2, 3, 4)
    }
    for n, every in embeddings.items():
        # "the nurse said": three words a clause.
        assert {len(embedding.split()) for embedding in every} == {3 * n}
    for two, three, four in zip(*embeddings.values(), strict=True):
        assert three.startswith(f"{two} the ")
        assert four.startswith(f"{three} the ")
        verbs = four.split()[2::3]
        assert len(set(verbs)) == len(verbs)


def test_the_hierarchy_has_its_gap_inside_the_subject_or_after_the_main_verb() -> None:
    design = design_named("fgd_hierarchy")
    where = {"nogap": [], "subjgap": ["subject_gap"], "matrixgap": ["matrix_gap"]}
    for row in design.rows:
        for name, contents in design.conditions(row).items():
            filler, gap = name.split("_")
            assert contents[design.regions.index("subj_wh")] == {"what": "who"}.get(filler, "that")
            empty = [name for name, text in zip(design.regions, contents, strict=True) if not text]
            assert empty == where[gap]


def kind_of(relative: str) -> str:
    """Return "orc" for a relative with a subject of its own ("who the mayor hired"), else "src"."""
    pronoun, after, *_ = relative.split()
    assert pronoun in {"who", "that"}
    return "orc" if after == "the" else "src"


@pytest.mark.parametrize("kinds", ["src-orc", "src-src", "orc-orc"])
def test_the_relatives_are_of_the_kinds_that_the_name_says(kinds: str) -> None:
    design = design_named(f"subordination_{kinds}")
    for row in design.rows:
        _, of_subject, _, of_object, _ = design.conditions(row)["sub_matrix"]
        assert f"{kind_of(of_subject)}-{kind_of(of_object)}" == kinds


@pytest.mark.parametrize(
    ("name", "unacceptable"),
    [
        ("fgd-embed4", "that_gap what_no-gap"),
        ("fgd_hierarchy", "what_nogap that_subjgap what_matrixgap that_matrixgap"),
        ("subordination_orc-orc", "sub_no-matrix no-sub_matrix"),
    ],
)
def test_a_suite_says_what_no_speaker_would_say(name: str, unacceptable: str) -> None:
    assert json.loads(to_json(design_named(name)))["meta"]["unacceptable"] == unacceptable


def test_rows_are_read_from_a_table() -> None:
    assert rows("\n a b | c\nd|e f \n") == (("a b", "c"), ("d", "e f"))
