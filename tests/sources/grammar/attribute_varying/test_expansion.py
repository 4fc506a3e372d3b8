"""Minimal sets: the published ones byte for byte, the paper's examples, and laws."""

import hashlib
import itertools
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pommel.sources.grammar.attribute_varying import (
    AttributeGrammar,
    GrammarSets,
    parse_grammar,
    read_grammar,
)
from pommel.sources.minimal_sets import MinimalSet

LANGUAGES = {"fr": "French", "de": "German", "he": "Hebrew", "ru": "Russian"}
CASES = (
    "simple_agrmt",
    "vp_coord",
    "long_vp_coord",
    "subj_rel",
    "obj_rel_within_anim",
    "obj_rel_across_anim",
    "prep_anim",
)
# Mueller et al. (2020), Table 6: minimal sets by case, in the order above.
TABLE_6 = {
    "fr": (280, 980, 500, 11200, 11200, 11200, 14000),
    "de": (140, 980, 500, 11200, 11200, 11200, 12600),
    "he": (140, 980, 500, 11200, 11200, 11200, 5600),
    "ru": (280, 980, 500, 10080, 11200, 11200, 5880),
}
# Mueller et al. (2020), section 4.2.
JE_PENSE = "S[] je V[1,s]\nV[1,s] pense\nV[2,s] penses\nV[1,p] pensons\nV[2,p] pensez\n"


def grammar_of(text: str) -> AttributeGrammar:
    return parse_grammar([(text, "x.avg")])


def alternatives(stem: str, n: int) -> str:
    return " | ".join(f"{stem}.{number}" for number in range(n))


def published_lines(sets: list[MinimalSet]) -> str:
    return "".join(
        "".join([f"True\t{each.grammatical}\n", *(f"False\t{s}\n" for s in each.ungrammatical)])
        for each in sets
    )


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_published_sets_byte_for_byte(shared_data: Path, language: str, case: str) -> None:
    folder = shared_data / "clams"
    grammar, _ = read_grammar(folder / f"{language}_replication" / f"{case}.avg")
    sets = list(GrammarSets(grammar))
    assert len(sets) == GrammarSets(grammar).n_sets == TABLE_6[language][CASES.index(case)]
    table = (folder / "evalset_counts_sha256.tsv").read_text("utf-8")
    rows = [row.split("\t") for row in table.splitlines()]
    (expected,) = (row[-1] for row in rows if row[:2] == [language, case])
    assert hashlib.sha256(published_lines(sets).encode()).hexdigest() == expected


@pytest.mark.parametrize(
    ("vary", "ungrammatical"),
    [
        ("V[]", ("je penses", "je pensons", "je pensez")),
        ("V[1]", ("je pensons",)),
        ("V[1, s]", ()),
        ("V[1] ; V[s]", ("je penses", "je pensons")),
    ],
)
def test_the_papers_examples(vary: str, ungrammatical: tuple[str, ...]) -> None:
    (found,) = GrammarSets(grammar_of(f"vary: {vary}\n{JE_PENSE}"))
    assert (found.grammatical, found.ungrammatical) == ("je pense", ungrammatical)


def test_a_form_that_is_spelt_as_the_grammatical_one_is_no_contrast() -> None:
    text = "vary: V[]\nS[] il V[3,s]\nV[1,s] pense\nV[3,s] pense\nV[2,s] penses\nV[3,p] penses\n"
    (found,) = GrammarSets(grammar_of(text))
    assert found.ungrammatical == ("il penses",)


def test_words_on_either_side_of_the_contrast() -> None:
    text = "vary: V[]\nS[] V[s] N[] ? | N[] V[s]\nN[] x | y z\nV[s] is\nV[p] are\n"
    assert [each.grammatical for each in GrammarSets(grammar_of(text))] == [
        "is x ?",
        "is y z ?",
        "x is",
        "y z is",
    ]
    first = next(iter(GrammarSets(grammar_of(text))))
    assert (first.before, first.form, first.others, first.after) == ("", "is", ("are",), "x ?")


def test_the_last_symbol_changes_slowest_and_the_varied_one_fastest() -> None:
    text = "vary: V[]\nS[] A[] V[s] B[]\nA[] a | b\nB[] c | d\nV[s] x | y\nV[p] u | v\n"
    assert [each.grammatical for each in GrammarSets(grammar_of(text))] == [
        "a x c",
        "a y c",
        "b x c",
        "b y c",
        "a x d",
        "a y d",
        "b x d",
        "b y d",
    ]


def test_sets_come_one_by_one() -> None:
    names = [f"N{number}" for number in range(12)]
    rules = "".join(f"{name}[] {' | '.join(f'w{i}' for i in range(10))}\n" for name in names)
    text = f"vary: V[]\nS[] {' '.join(f'{name}[]' for name in names)} V[s]\n{rules}V[s] x\nV[p] y\n"
    grammar = grammar_of(text)
    assert GrammarSets(grammar).n_sets == 10**12
    first = list(itertools.islice(GrammarSets(grammar), 1000))
    assert [GrammarSets(grammar)[index] for index in range(1000)] == first
    assert GrammarSets(grammar)[10**12 - 1].form == "x"
    with pytest.raises(IndexError):
        GrammarSets(grammar)[10**12]


@given(
    templates=st.lists(
        st.tuples(st.lists(st.integers(0, 3), max_size=4), st.lists(st.integers(0, 3), max_size=3)),
        min_size=1,
        max_size=3,
    ),
    sizes=st.tuples(*[st.integers(1, 4)] * 4),
    n_verbs=st.integers(1, 4),
    n_forms=st.integers(1, 4),
)
def test_how_many_there_are(
    templates: list[tuple[list[int], list[int]]],
    sizes: tuple[int, ...],
    n_verbs: int,
    n_forms: int,
) -> None:
    lines = ["vary: V[]"]
    for before, after in templates:
        symbols = [*(f"N{each}[]" for each in before), "V[0]", *(f"N{each}[]" for each in after)]
        lines.append(f"S[] {' '.join(symbols)}")
    lines += [f"N{n}[] {alternatives(f'n{n}', size)}" for n, size in enumerate(sizes)]
    lines += [f"V[{form}] {alternatives(f'v{form}', n_verbs)}" for form in range(n_forms)]
    grammar = grammar_of("\n".join(lines))
    sets = list(GrammarSets(grammar))
    products = (math.prod(sizes[each] for each in (*b, *a)) * n_verbs for b, a in templates)
    assert len(sets) == GrammarSets(grammar).n_sets == sum(products)
    assert [GrammarSets(grammar)[index] for index in range(len(sets))] == sets
    assert all(len(each.others) == n_forms - 1 for each in sets)
    if len(templates) == 1:
        assert len({each.grammatical for each in sets}) == len(sets)
