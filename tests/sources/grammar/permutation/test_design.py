"""Every arrangement of cases and orders: counts, laws, and what follows for scorers of case."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.sources.grammar.permutation.german import source

from pommel.sources.grammar.permutation.design import arrangements, neighbours

CASES = ("nom", "acc", "dat", "gen")


@pytest.mark.parametrize(
    ("n_cases", "counts"),
    [
        (2, {"plausible": 2, "grammatical": 2, "double": 2}),
        (3, {"plausible": 6, "grammatical": 30, "double": 36}),
        (4, {"plausible": 24, "grammatical": 552, "double": 864}),
    ],
)
def test_how_many_there_are_of_each_kind(n_cases: int, counts: dict[str, int]) -> None:
    cases = CASES[:n_cases]
    found = Counter(each.kind for each in arrangements(cases, cases))
    double = counts.pop("double")
    assert found == counts | {f"double-{case}": double for case in cases}
    # The numbers as formulas of k.
    orders = math.factorial(n_cases)
    assert counts["plausible"] + counts["grammatical"] == orders**2
    assert double * 2 == (n_cases - 1) * orders**2


@pytest.mark.parametrize("n_cases", [2, 3, 4])
def test_they_are_all_that_lack_no_case_or_one(n_cases: int) -> None:
    cases = CASES[:n_cases]
    expected = {
        (nouns, own)
        for nouns in itertools.permutations(range(n_cases))
        for own in itertools.product(range(n_cases), repeat=n_cases)
        if len(set(own)) >= n_cases - 1
    }
    every = arrangements(cases, cases)
    assert {(each.nouns, each.cases) for each in every} == expected
    assert len({each.name for each in every}) == len(every) == len(expected)
    for each in every:
        counts = Counter(cases[case] for case in each.cases)
        doubled = [case for case, n in counts.items() if n == 2]
        assert each.is_grammatical == (not doubled)
        assert each.kind in ([f"double-{doubled[0]}"] if doubled else ["plausible", "grammatical"])
        assert (each.kind == "plausible") == (each.nouns == each.cases)
        pairs = zip(each.nouns, each.cases, strict=True)
        assert all(each.assignment[noun] == case for noun, case in pairs)


def test_names_spell_the_sentence_out() -> None:
    names = [each.name for each in arrangements(("nom", "acc"), ("nom",))]
    assert names == [
        "plausible_nom1-acc2",
        "plausible_acc2-nom1",
        "grammatical_acc1-nom2",
        "grammatical_nom2-acc1",
        "double-nom_nom1-nom2",
        "double-nom_nom2-nom1",
    ]


@pytest.mark.parametrize(("n_cases", "doubled"), [(2, 2), (3, 3), (3, 2), (3, 1), (4, 4), (4, 1)])
def test_each_violation_is_one_case_away_from_two_sentences(n_cases: int, doubled: int) -> None:
    cases = CASES[:n_cases]
    every = arrangements(cases, cases[-doubled:])
    sets = neighbours(every)
    assert len(sets) == math.factorial(n_cases) ** 2
    for grammatical, others in sets:
        assert len(set(others)) == len(others) == doubled * (n_cases - 1)
        for other in others:
            assert other.nouns == grammatical.nouns
            pairs = zip(other.cases, grammatical.cases, strict=True)
            assert sum(one != another for one, another in pairs) == 1
    met = Counter(other for _, others in sets for other in others)
    assert met == {each: 2 for each in every if not each.is_grammatical}


def auc(better: Sequence[float], worse: Sequence[float]) -> float:
    """Return P(better > worse) + P(tie) / 2 over all pairs."""
    pairs = list(itertools.product(better, worse))
    return sum((one > other) + (one == other) / 2 for one, other in pairs) / len(pairs)


@given(st.sets(st.integers(-(10**6), 10**6), min_size=3, max_size=3))
def test_a_scorer_of_single_cases_is_at_chance(
    tmp_path_factory: pytest.TempPathFactory, values: set[int]
) -> None:
    # What such a scorer prefers is the case, not the sentence: a second nominative pleases it
    # always, a second dative never, and over all violations that cancels out.
    dative, accusative, nominative = sorted(values)
    scores = {"der": nominative, "den": accusative, "dem": dative}
    for item in source(tmp_path_factory.mktemp("design")).items():
        found: dict[str, list[float]] = {}
        for condition in item:
            score = float(sum(scores.get(word, 0) for word in condition.sentence.split()))
            kind = condition.name.partition("_")[0]
            found.setdefault(kind, []).append(score)
        grammatical = found["plausible"] + found["grammatical"]
        by_case = {case: found[f"double-{case}"] for case in ("nom", "acc", "dat")}
        assert {case: auc(grammatical, worse) for case, worse in by_case.items()} == {
            "nom": 0.0,
            "acc": 0.5,
            "dat": 1.0,
        }
        every = list(itertools.chain.from_iterable(by_case.values()))
        assert (len(grammatical), len(every)) == (36, 108)
        assert auc(grammatical, every) == auc(found["plausible"], every) == 0.5


def test_the_german_design_has_144_distinct_sentences_a_template(tmp_path: Path) -> None:
    items = list(source(tmp_path).items())
    assert len(items) == 4
    for item in items:
        counts = Counter(each.name.partition("_")[0].partition("-")[0] for each in item)
        assert counts == {"plausible": 6, "grammatical": 30, "double": 108}
        assert len({each.sentence for each in item}) == len(item.conditions) == 144
    assert len({each.sentence for item in items for each in item}) == 4 * 144
