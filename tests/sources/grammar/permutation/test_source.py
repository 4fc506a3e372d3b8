"""A design as items and as minimal sets, and its predictions."""

import hashlib
import itertools
import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.sources.grammar.permutation.german import DESIGN, NOUNS, faults_of, source, written

from pommel.sources.formats.clams import clams_lines
from pommel.sources.grammar.permutation.design import Design, arrangements
from pommel.sources.grammar.permutation.source import PermutationSource, design_head
from pommel.sources.grammar.source import has_items, has_sets
from pommel.sources.minimal_sets import MinimalSet
from pommel.suite.formula import Formula
from pommel.suite.formula.judge import Bits, Verdict
from pommel.suite.read import LoadedSuite

TWO_CASES = """\
lexicon: nouns.csv
cases: nom acc
frame: {1}, | ja | {verb} {2} {particle}.
violations: double
template: acc Hut | nom Herr | verb setzt | particle sich auf
"""
TWO_NOUNS = "gender,acc,word,nom\nm,den  Hut,Hut,der Hut\nm,den Herrn,Herr,der Herr\n"


def test_conditions_in_regions(tmp_path: Path) -> None:
    own = source(tmp_path)
    assert has_items(own)
    assert has_sets(own)
    items = list(own.items())
    assert own.n_items == len(items) == 4
    first = items[0]
    shown = [
        (each.name, each.contents, each.gloss)
        for each in (first.conditions[1], first.conditions[-1])
    ]
    frame = ("wir wissen , dass", "zeigt", ".")
    assert shown == [
        (
            "plausible_nom1-dat3-acc2",
            (frame[0], "der Lehrer", "dem Schüler", "den Baum", *frame[1:]),
            "Lehrer-nom Schüler-dat Baum-acc",
        ),
        (
            "double-dat_acc3-dat2-dat1",
            (frame[0], "den Schüler", "dem Baum", "dem Lehrer", *frame[1:]),
            "Schüler-acc Baum-dat Lehrer-dat",
        ),
    ]
    # The order in a template's line means nothing: nouns are numbered in the order of the cases.
    assert (
        items[3].conditions[0].sentence == "wir wissen , dass der Koch den Fisch dem Gast bringt ."
    )
    assert items[3].conditions[0].name == "plausible_nom1-acc2-dat3"


def test_every_sentence_of_two_cases(tmp_path: Path) -> None:
    own = source(tmp_path, TWO_CASES, TWO_NOUNS)
    # Slots may cling to words, and one region may have several; further columns are let be.
    assert [(each.name, each.sentence) for item in own.items() for each in item] == [
        ("plausible_nom1-acc2", "der Herr, ja setzt den Hut sich auf."),
        ("plausible_acc2-nom1", "den Hut, ja setzt der Herr sich auf."),
        ("grammatical_acc1-nom2", "den Herrn, ja setzt der Hut sich auf."),
        ("grammatical_nom2-acc1", "der Hut, ja setzt den Herrn sich auf."),
        ("double-nom_nom1-nom2", "der Herr, ja setzt der Hut sich auf."),
        ("double-nom_nom2-nom1", "der Hut, ja setzt der Herr sich auf."),
        ("double-acc_acc1-acc2", "den Herrn, ja setzt den Hut sich auf."),
        ("double-acc_acc2-acc1", "den Hut, ja setzt den Herrn sich auf."),
    ]
    assert own.head["region_meta"] == {
        "1": "argument 1,",
        "2": "ja",
        "3": "verb argument 2 particle.",
    }
    assert "language" not in own.head["meta"]


def test_minimal_sets(tmp_path: Path) -> None:
    own = source(tmp_path)
    sets = list(own.sets())
    assert (own.n_sets, len(sets), own.ungrammatical_counts) == (144, 144, frozenset({6}))
    assert sets[0] == MinimalSet(
        before="wir wissen , dass",
        form="der Lehrer den Baum dem",
        others=(
            "den Lehrer den Baum dem",
            "dem Lehrer den Baum dem",
            "der Lehrer der Baum dem",
            "der Lehrer dem Baum dem",
            "der Lehrer den Baum der",
            "der Lehrer den Baum den",
        ),
        after="Schüler zeigt .",
    )
    assert "".join(clams_lines(own.sets([143]))).splitlines()[:2] == [
        "True\twir wissen , dass der Gast den Fisch dem Koch bringt .",
        "False\twir wissen , dass den Gast den Fisch dem Koch bringt .",
    ]


def test_sets_have_the_sentences_of_the_items(tmp_path: Path) -> None:
    own = source(tmp_path)
    sentences = {each.sentence: each.name for item in own.items() for each in item}
    sets = list(own.sets())
    grammatical = [each.grammatical for each in sets]
    right = [text for text, name in sentences.items() if not name.startswith("double-")]
    assert sorted(grammatical) == sorted(right)
    met = Counter(text for each in sets for text in each.ungrammatical)
    assert met == {text: 2 for text in sentences if text not in right}


def test_some_violations_only(tmp_path: Path) -> None:
    own = source(tmp_path, DESIGN.replace("double", "double acc dat"))
    (item,) = own.items([2])
    kinds = Counter(each.name.partition("_")[0] for each in item)
    assert kinds == {"plausible": 6, "grammatical": 30, "double-acc": 36, "double-dat": 36}
    assert (own.n_sets, own.ungrammatical_counts) == (144, frozenset({4}))


def test_any_by_its_number(tmp_path: Path) -> None:
    own = source(tmp_path)
    items, sets = list(own.items()), list(own.sets())
    assert list(own.items([3, 0])) == [items[3], items[0]]
    assert list(own.sets([143, 36, 36, 0])) == [sets[143], sets[36], sets[36], sets[0]]
    assert list(own.items([])) == []
    assert list(own.sets([])) == []
    with pytest.raises(IndexError):
        next(own.sets([144]))
    # Nothing is made before it is asked for.
    assert next(itertools.islice(own.sets(), 40, None)) == sets[40]


def test_words_and_recipe(tmp_path: Path) -> None:
    own = source(tmp_path, TWO_CASES, TWO_NOUNS)
    assert own.words == (
        *("der", "Herr,", "den", "Herrn,", "Hut,", "ja", "setzt", "Hut", "sich", "auf."),
        *("Herr", "Herrn"),
    )
    said = {word for item in own.items() for each in item for word in each.sentence.split()}
    assert set(own.words) == said
    texts = {"arguments.design": TWO_CASES, "nouns.csv": TWO_NOUNS}
    sha256 = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    assert own.recipe == {"kind": "permutation design", "files": sha256}


def test_words_where_arguments_touch(tmp_path: Path) -> None:
    frame = TWO_CASES.replace("{1}, | ja |", "{1}{2} |").replace("{verb} {2}", "{verb}")
    own = source(tmp_path, frame, "word,nom,acc\nHerr,a1,b1\nHut,a2,b2\n")
    assert own.words == (
        *("a1a2", "a1b2", "b1a2", "b1b2", "a2a1", "a2b1", "b2a1", "b2b1"),
        *("setzt", "sich", "auf."),
    )


def test_the_recipe_is_of_what_was_read(tmp_path: Path) -> None:
    own = source(tmp_path)
    before = own.recipe
    (tmp_path / "nouns.csv").write_text("edited", "utf-8")
    assert own.recipe == before == source(tmp_path).recipe


def test_a_language_without_spaces(tmp_path: Path) -> None:
    own = source(tmp_path, f'meta joiner: ""\n{TWO_CASES}', TWO_NOUNS)
    (item,) = own.items()
    assert item.conditions[0].sentence == "der Herr,jasetzt den Hut sich auf."
    assert next(own.sets()).grammatical == item.conditions[0].sentence
    assert own.head["meta"]["joiner"] == ""


def test_a_lexicon_below_the_folder(tmp_path: Path) -> None:
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "n.csv").write_text(NOUNS, "utf-8")
    own = source(tmp_path, DESIGN.replace("nouns.csv", "words/n.csv"))
    assert [*own.recipe["files"]] == ["arguments.design", "words/n.csv"]


def test_the_suite_is_valid(tmp_path: Path) -> None:
    own = source(tmp_path)
    items = [
        {
            "item_number": number,
            "conditions": [
                {
                    "condition_name": each.name,
                    "regions": [
                        {"region_number": region, "content": content}
                        for region, content in enumerate(each.contents, start=1)
                    ],
                }
                for each in item
            ],
        }
        for number, item in enumerate(own.items(), start=1)
    ]
    value = {**own.head, "meta": {**own.head["meta"], "name": "arguments"}, "items": items}
    loaded = LoadedSuite.from_dict(value)
    assert loaded.warnings == ()
    assert loaded.suite.condition_names == tuple(each.name for each in next(own.items()))
    assert len(loaded.suite.predictions) == 5
    assert loaded.suite.meta["language"] == "de"


@st.composite
def designs(draw: st.DrawFn) -> tuple[int, str, str, list[str]]:
    """Return the number of cases, a design, its nouns, and its sentences made another way.

    Forms differ, but sentences of them may be spelt alike: `a | a a` and `a a | a`.
    """
    n_cases = draw(st.integers(2, 4))
    cases = ["nom", "acc", "dat", "erg"][:n_cases]
    form = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(" ".join)
    forms = draw(st.lists(form, min_size=n_cases**2, max_size=n_cases**2, unique=True))
    if draw(st.booleans()):
        forms = [f"f{number}" for number in range(n_cases**2)]
    rows = [[f"N{n}", *forms[n * n_cases : (n + 1) * n_cases]] for n in range(n_cases)]
    slots = [f"{{{n}}}" for n in draw(st.permutations(range(1, n_cases + 1)))]
    separator = draw(st.sampled_from([" | ", " ", " | x | ", "", "-"]))
    chosen = draw(st.permutations(range(n_cases)))
    template = " | ".join(f"{case} N{n}" for case, n in zip(cases, chosen, strict=True))
    design = (
        f"lexicon: nouns.csv\ncases: {' '.join(cases)}\nframe: {separator.join(slots)}\n"
        f"violations: double\ntemplate: {template}\n"
    )
    plain = " ".join(separator.join(slots).replace("|", " ").split())
    sentences = [
        plain.format("", *(rows[noun][case + 1] for noun, case in zip(nouns, own, strict=True)))
        for nouns in itertools.permutations(range(n_cases))
        for own in itertools.product(range(n_cases), repeat=n_cases)
        if len(set(own)) >= n_cases - 1
    ]
    return n_cases, design, "\n".join(map(",".join, [["word", *cases], *rows])), sentences


@given(designs())
@settings(max_examples=60)
def test_sentences_are_distinct_or_there_is_a_fault(
    tmp_path_factory: pytest.TempPathFactory, drawn: tuple[int, str, str, list[str]]
) -> None:
    n_cases, design, nouns, expected = drawn
    folder = tmp_path_factory.mktemp("design")
    if len(set(expected)) < len(expected):
        (fault,) = faults_of(folder, design, nouns)
        assert fault.startswith("arguments.design:5:1: ")
        assert fault.endswith("; take nouns none of whose forms begins with another one")
        return
    own = PermutationSource(written(folder, design, nouns))
    (item,) = own.items()
    assert sorted(each.sentence for each in item) == sorted(expected)
    assert set(own.words) == {word for each in expected for word in each.split()}
    # (k!)^2 grammatical ones, and (k - 1) / 2 times as many for each case that is doubled.
    n_grammatical = math.factorial(n_cases) ** 2
    assert own.n_sets == n_grammatical
    assert len(item.conditions) == n_grammatical + n_cases * (n_cases - 1) * n_grammatical // 2


def test_nothing_depends_on_the_order_of_hashes(tmp_path: Path) -> None:
    program = (
        "import json, pathlib, sys\n"
        "from pommel.sources.grammar.permutation.source import PermutationSource\n"
        "own = PermutationSource(pathlib.Path(sys.argv[1]))\n"
        "print(list(own.items()), list(own.sets()), own.words, json.dumps(own.head), own.recipe)\n"
    )
    path = written(tmp_path, DESIGN, NOUNS)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    texts = {
        subprocess.run(
            [sys.executable, "-c", program, str(path)],
            env={**environment, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1


CASES = ("nom", "acc", "dat", "gen")


def head(n_cases: int, *doubled: str) -> Mapping[str, list[dict[str, str]]]:
    """Return the head of a design without templates."""
    cases = CASES[:n_cases]
    design = Design(
        meta={},
        cases=cases,
        doubled=doubled or cases,
        region_names={"1": "argument 1"},
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

    formulas = [Formula.parse(each["formula"]) for each in own.head["predictions"]]
    return [formula.judge(lookup, len(items)) for formula in formulas]


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
        verdict = Formula.parse(prediction["formula"]).judge(lambda _, name: bits[name], 7)
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
