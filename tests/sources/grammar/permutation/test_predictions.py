"""What designs predict, and what their suites say of their conditions."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from tests.sources.grammar.permutation.german import DESIGN, source

from pommel.sources.grammar.permutation.design import Design, arrangements
from pommel.sources.grammar.permutation.source import design_head
from pommel.suite.formula import Verdict, judge, parse
from pommel.suite.formula.judge import Bits

CASES = ("nom", "acc", "dat", "gen")


def head(n_cases: int, *doubled: str) -> Mapping[str, list[dict[str, str]]]:
    """Return the head of a design without templates."""
    cases = CASES[:n_cases]
    design = Design(
        meta={},
        cases=cases,
        doubled=doubled or cases,
        region_names={1: "argument 1"},
        templates=(),
    )
    return design_head(design, arrangements(cases, design.doubled))


def verdicts(folder: Path, bits: Mapping[str, float]) -> list[Verdict]:
    """Judge the German design where each word has these bits, and others none."""
    own = source(folder)
    items = list(own.items())
    surprisals = {
        conditions[0].name: np.array(
            [sum(bits.get(word, 0.0) for word in each.sentence.split()) for each in conditions]
        )
        for conditions in zip(*items, strict=True)
    }

    def lookup(region: int | None, name: str) -> Bits:
        assert region is None
        return surprisals[name]

    formulas = [parse(each["formula"]) for each in own.head["predictions"]]
    return [judge(formula, lookup, len(items)) for formula in formulas]


def test_formulas_compare_means_over_sentences() -> None:
    shown = [(each["formula"], each["description"]) for each in head(2, "acc")["predictions"]]
    grammatical = (
        "(((*;%plausible_nom1-acc2%) + (*;%plausible_acc2-nom1%)) + "
        "((*;%grammatical_acc1-nom2%) + (*;%grammatical_nom2-acc1%))) / 4"
    )
    double = "((*;%double-acc_acc1-acc2%) + (*;%double-acc_acc2-acc1%)) / 2"
    plausible = "((*;%plausible_nom1-acc2%) + (*;%plausible_acc2-nom1%)) / 2"
    assert shown == [
        (
            f"{grammatical} < {double}",
            (
                "The 4 grammatical sentences are less surprising, on average, than the 2 in which "
                "two nouns have the case acc."
            ),
        ),
        (
            f"{plausible} < {double}",
            (
                "The 2 plausible sentences are less surprising, on average, than all 2 violations "
                "of case."
            ),
        ),
    ]


def test_a_prediction_for_each_violation_for_all_and_for_plausible_sentences(
    tmp_path: Path,
) -> None:
    found = source(tmp_path).head["predictions"]
    better = "The 36 grammatical sentences are less surprising, on average, than "
    assert [each["description"] for each in found] == [
        f"{better}the 36 in which two nouns have the case nom.",
        f"{better}the 36 in which two nouns have the case acc.",
        f"{better}the 36 in which two nouns have the case dat.",
        f"{better}all 108 violations of case.",
        (
            "The 6 plausible sentences are less surprising, on average, than all 108 violations "
            "of case."
        ),
    ]
    assert {each["type"] for each in found} == {"formula"}


@pytest.mark.parametrize("n_cases", [2, 3, 4])
def test_formulas_are_the_means_of_what_they_name(n_cases: int) -> None:
    # 3,456 violations of four cases are a formula, too, and do not nest too deeply.
    names = [each.name for each in arrangements(CASES[:n_cases], CASES[:n_cases])]
    drawn = np.random.default_rng(6).normal(40, 5, size=(len(names), 7))
    bits = dict(zip(names, drawn, strict=True))

    def mean(*prefixes: str) -> Bits:
        named = [bits[name] for name in names if name.startswith(prefixes)]
        return np.asarray(np.mean(named, axis=0), dtype=np.float64)

    grammatical = mean("plausible", "grammatical")
    expected = [mean(f"double-{case}") - grammatical for case in CASES[:n_cases]]
    expected += [mean("double") - grammatical, mean("double") - mean("plausible")]
    for prediction, margins in zip(head(n_cases)["predictions"], expected, strict=True):
        verdict = judge(parse(prediction["formula"]), lambda _, name: bits[name], 7)
        np.testing.assert_allclose(verdict.margin_bits, margins, atol=1e-9)


def test_a_scorer_of_single_cases_passes_with_datives_only(tmp_path: Path) -> None:
    # A grammatical sentence has 8 bits, one with two nominatives 4 or 7, with two datives 11 or 12;
    # over all violations nothing is left.
    found = verdicts(tmp_path, {"der": 1.0, "den": 2.0, "dem": 5.0})
    margins = [each.margin_bits.tolist() for each in found]
    assert margins == [[-2.5] * 4, [-1.0] * 4, [3.5] * 4, [0.0] * 4, [0.0] * 4]
    assert [each.tie.all() for each in found] == [False, False, False, True, True]


def test_what_the_suite_says_of_its_conditions(tmp_path: Path) -> None:
    meta = source(tmp_path).head["meta"]
    assert sorted(meta) == ["design", "language", "metric", "unacceptable"]
    assert (meta["language"], meta["metric"]) == ("de", "sum")
    design = meta["design"]
    bad = [name for name, each in design["conditions"].items() if not each["grammatical"]]
    assert meta["unacceptable"].split() == bad
    assert len(bad) == 108
    assert design["cases"] == ["nom", "acc", "dat"]
    assert len(design["conditions"]) == 144
    assert design["conditions"]["double-nom_nom3-acc1-nom2"] == {
        "kind": "double-nom",
        "grammatical": False,
        "case_order": ["nom", "acc", "nom"],
        "noun_order": [3, 1, 2],
        "assignment": ["acc", "nom", "nom"],
    }
    plausible = [
        each for each in design["conditions"].values() if each["assignment"] == design["cases"]
    ]
    assert [each["kind"] for each in plausible] == ["plausible"] * 6
    assert all(each["grammatical"] for each in plausible)


def test_regions_are_named_after_what_they_hold(tmp_path: Path) -> None:
    two_verbs = DESIGN.replace("| {verb} |", "| {verb} hat |")
    names = source(tmp_path, two_verbs).head["region_meta"]
    arguments = {"2": "argument 1", "3": "argument 2", "4": "argument 3"}
    assert names == {"1": "wir wissen , dass", **arguments, "5": "verb hat", "6": "."}
