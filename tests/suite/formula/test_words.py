"""Predictions in words: the published ones, every kind of node, and nothing said of two things."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from tests.suite.formula.strategies import truths

from pommel.suite.formula import Formula
from pommel.suite.formula.tree import (
    Absolute,
    Arithmetic,
    Comparison,
    Expression,
    Logical,
    Negation,
    Negative,
    Number,
    RegionValue,
    is_truth,
    to_text,
    walk,
)
from pommel.suite.metrics import METRICS

NAMES = {5: "verb", 6: "object", 7: "matrix_v"}


def words(text: str, metric: str = "sum") -> str:
    return "\n".join(Formula.parse(text).in_words(NAMES, metric=metric))


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        (
            "(7;%match_sing%) < (7;%mismatch_sing%)",
            "region 7 (matrix_v) must be less surprising in *match_sing* than in *mismatch_sing*",
        ),
        ("(1;%a%) > (1;%b%)", "region 1 must be more surprising in *a* than in *b*"),
        ("(1;%a%) = (1;%b%)", "region 1 must be about as surprising in *a* as in *b*"),
        ("(1;%a%) != (1;%b%)", "region 1 must not be about as surprising in *a* as in *b*"),
        ("(1;%a%) <= (1;%b%)", "region 1 must be at most as surprising in *a* as in *b*"),
        ("(1;%a%) >= (1;%b%)", "region 1 must be at least as surprising in *a* as in *b*"),
        ("(*;%a%) < (*;%b%)", "the whole sentence must be less surprising in *a* than in *b*"),
        ("(1;%a%) < (7;%a%)", "in *a*, region 1 must be less surprising than region 7 (matrix_v)"),
        ("(1;%a%) < (2;%b%)", "region 1 in *a* must be less surprising than region 2 in *b*"),
        ("(1;%a%) < (1;%a%)", "region 1 in *a* must be less surprising than region 1 in *a*"),
        (
            "[(5;%a%)+(6;%a%)] < [(5;%b%)+(6;%b%)]",
            "regions 5 (verb) and 6 (object) together must be less surprising in *a* than in *b*",
        ),
        (
            "(1;%a%)+(2;%a%)+(3;%a%) > (4;%a%)",
            "in *a*, regions 1, 2 and 3 together must be more surprising than region 4",
        ),
        (
            "(1;%a%)+(1;%a%) > (1;%b%)",
            (
                "the surprisal of region 1 in *a* plus the surprisal of region 1 in *a* must be "
                "larger than the surprisal of region 1 in *b*"
            ),
        ),
        (
            "(5;%a%)-(5;%b%) > (5;%c%)-(5;%d%)",
            (
                "at region 5 (verb), the difference *a* minus *b* must be larger than the "
                "difference *c* minus *d*"
            ),
        ),
        (
            "(*;%a%)-(*;%b%) < (*;%c%)-(*;%d%)",
            (
                "over the whole sentence, the difference *a* minus *b* must be smaller than the "
                "difference *c* minus *d*"
            ),
        ),
        (
            "(5;%a%)-(5;%b%) > (6;%a%)-(6;%b%)",
            (
                "the difference *a* minus *b* at region 5 (verb) must be larger than the "
                "difference *a* minus *b* at region 6 (object)"
            ),
        ),
        (
            "(5;%a%)-(5;%b%) > 0",
            "the difference *a* minus *b* at region 5 (verb) must be larger than 0 bits",
        ),
        ("(1;%a%) < 1", "the surprisal of region 1 in *a* must be lower than 1 bit"),
        ("(1;%a%) >= 2.5", "the surprisal of region 1 in *a* must be at least 2.5 bits"),
        ("0 != (1;%a%)", "0 bits must not be about equal to the surprisal of region 1 in *a*"),
        (
            "abs((5;%a%)-(5;%b%)) <= 1",
            "the absolute difference between *a* and *b* at region 5 (verb) must be at most 1 bit",
        ),
        (
            "abs((1;%a%)-(2;%a%))+1 > 0",
            (
                "(the absolute value of (the surprisal of region 1 in *a* minus the surprisal of "
                "region 2 in *a*)) plus 1 bit must be larger than 0 bits"
            ),
        ),
        (
            "2*(1;%a%)-1-(2;%a%) < -(1;%b%)/3",
            (
                "(2 times the surprisal of region 1 in *a*) minus 1 bit minus the surprisal of "
                "region 2 in *a* must be smaller than (minus the surprisal of region 1 in *b*) "
                "divided by 3"
            ),
        ),
        (
            "2*3 < (1;%a%)-((2;%b%)-1)",
            (
                "2 bits times 3 must be smaller than the surprisal of region 1 in *a* minus (the "
                "surprisal of region 2 in *b* minus 1 bit)"
            ),
        ),
        (
            "((1;%a%)>0) + (1<2 & !(3<4)) = 2",
            (
                "(1 if the surprisal of region 1 in *a* is higher than 0 bits, otherwise 0) plus "
                "(1 if (1 is smaller than 2) and (it does not hold that (3 is smaller than 4)), "
                "otherwise 0) must be about equal to 2"
            ),
        ),
        (
            "!((1;%a%) < (1;%b%))",
            "it must not hold that region 1 is less surprising in *a* than in *b*",
        ),
        (
            "!((1;%a%)+(2;%a%) < (1;%b%)+(2;%b%))",
            "it must not hold that regions 1 and 2 together are less surprising in *a* than in *b*",
        ),
        ("(1;%a*b%) < (1;%c d%)", "region 1 must be less surprising in %a*b% than in *c d*"),
    ],
)
def test_one_line(formula: str, said: str) -> None:
    assert words(formula) == said


def test_and_is_a_line_each() -> None:
    assert words("(1;%a%)<(1;%b%) & ((2;%a%)<(2;%b%) & !((3;%a%)<(3;%b%)))") == (
        "region 1 must be less surprising in *a* than in *b*, and\n"
        "region 2 must be less surprising in *a* than in *b*, and\n"
        "it must not hold that region 3 is less surprising in *a* than in *b*"
    )


def test_or_is_a_list() -> None:
    assert words("(1;%a%)<(1;%b%) | (2;%a%)<(2;%b%)") == (
        "at least one of these must hold:\n"
        "  - region 1 is less surprising in *a* than in *b*\n"
        "  - region 2 is less surprising in *a* than in *b*"
    )


def test_what_is_mixed_nests_from_left_to_right() -> None:
    assert words("1<2 | 3<4 & !(5<6 | 7<8)") == (
        "all of these must hold:\n"
        "  - at least one of these holds:\n"
        "      - 1 is smaller than 2\n"
        "      - 3 is smaller than 4\n"
        "  - it does not hold that at least one of these holds:\n"
        "      - 5 is smaller than 6\n"
        "      - 7 is smaller than 8"
    )


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("mean", "region 1 must be less surprising on average per token in *a* than in *b*"),
        ("median", "the median token surprisal of region 1 must be lower in *a* than in *b*"),
        ("min", "the lowest token surprisal of region 1 must be lower in *a* than in *b*"),
        ("max", "the highest token surprisal of region 1 must be lower in *a* than in *b*"),
        ("range", "the range of token surprisals of region 1 must be lower in *a* than in *b*"),
    ],
)
def test_the_metric_matters(metric: str, said: str) -> None:
    assert words("(1;%a%) < (1;%b%)", metric) == said


def test_means_do_not_add_up_to_a_mean() -> None:
    assert words("(5;%a%)+(6;%a%) < 2", "mean") == (
        "the mean surprisal per token of region 5 (verb) in *a* plus the mean surprisal per token "
        "of region 6 (object) in *a* must be smaller than 2 bits"
    )
    assert words("(5;%a%)-(5;%b%) > (5;%c%)-(5;%d%)", "mean") == (
        "in the mean surprisal per token of region 5 (verb), the difference *a* minus *b* must be "
        "larger than the difference *c* minus *d*"
    )


def test_a_region_whose_name_has_brackets() -> None:
    (said,) = Formula.parse("(1;%a%) < (1;%b%)").in_words({1: "NP (subject)"})
    assert said == 'region 1 ("NP (subject)") must be less surprising in *a* than in *b*'


def test_a_formula_that_is_too_deep_is_shown_as_it_is() -> None:
    tree: Expression = RegionValue(region=1, condition="a")
    for _ in range(3000):
        tree = Negative(operand=tree)
    tree = Comparison(operator="<", left=tree, right=Number(value=1.0))
    assert Formula(text="---(1;%a%) < 1", tree=tree).in_words({}) == (
        "this formula, which is nested too deeply for words, must hold: ---(1;%a%) < 1",
    )


@pytest.fixture(scope="module")
def published(shared_data: Path) -> dict[str, list[tuple[str, ...]]]:
    """What the suites of Hu et al. (2020) predict, in words."""
    said = {}
    for path in sorted((shared_data / "hu2020" / "suites").glob("*.json")):
        suite = json.loads(path.read_text("utf-8"))
        names = {int(number): name for number, name in suite["region_meta"].items()}
        said[path.stem] = [
            Formula.parse(each["formula"]).in_words(names) for each in suite["predictions"]
        ]
    return said


def test_the_published_suites_need_few_words(published: dict[str, list[tuple[str, ...]]]) -> None:
    lines = [line for each in published.values() for prediction in each for line in prediction]
    assert len(published) == 34
    assert len(lines) == 76
    # Nothing but the two pseudo-clefts has to be spelled out.
    spelled = [name for name, each in published.items() if ") plus (" in str(each)]
    assert spelled == ["cleft", "cleft_modifier"]
    simple = r"regions? [^*]* must be (less|more|about as) surprising in \*[^*]*\* (than|as) in \*"
    contrast = r"at region [^*]*, the difference \*.* must be larger than the difference \*"
    others = [line for line in lines if not re.match(f"{simple}|{contrast}", line)]
    assert len(others) == 2


def test_published_predictions_in_full(published: dict[str, list[tuple[str, ...]]]) -> None:
    assert published["number_prep"] == [
        (
            (
                "region 6 (matrix_v) must be less surprising in *match_sing* than in "
                "*mismatch_sing*, and"
            ),
            (
                "region 6 (matrix_v) must be less surprising in *match_plural* than in "
                "*mismatch_plural*"
            ),
        )
    ]
    assert published["center_embed"] == [
        (
            (
                "regions 6 (verb1) and 7 (verb2) together must be less surprising in *plaus* "
                "than in *implaus*"
            ),
        )
    ]
    assert published["mvrr"][0][2] == (
        "at region 5 (Disambiguator), the difference *reduced_ambig* minus *unreduced_ambig* must "
        "be larger than the difference *reduced_unambig* minus *unreduced_unambig*"
    )
    assert published["cleft"] == [
        (
            (
                "(the difference *np_mismatch* minus *np_match* at region 6 (matrix_v)) plus (the "
                "difference *vp_mismatch* minus *vp_match* at regions 5 (verb.1) and 6 (matrix_v) "
                "together) must be larger than 0 bits"
            ),
        )
    ]
    assert published["fgd_hierarchy"][1][0] == (
        "region 9 (continuation) must be about as surprising in *what_nogap* as in *that_nogap*, "
        "and"
    )


# --- laws


@settings(max_examples=200)
@given(truths(), st.sampled_from([*METRICS]))
def test_every_condition_and_region_is_named(tree: Expression, metric: str) -> None:
    names = {number: f"name{number}" for number in range(21)}
    said = "\n".join(Formula(text="", tree=tree).in_words(names, metric=metric))
    for node in walk(tree):
        if isinstance(node, RegionValue):
            assert any(f"{mark}{node.condition}{mark}" in said for mark in "*%")
            place = "the whole sentence"
            assert (place if node.region is None else f"{node.region} (name{node.region})") in said


@settings(max_examples=400)
@given(truths(), st.sampled_from([*METRICS]), st.data())
def test_another_formula_has_other_words(
    tree: Expression, metric: str, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, sum(1 for _ in walk(tree)) - 1))
    other = _changed(tree, [place])
    first, second = (
        Formula(text="", tree=each).in_words({}, metric=metric) for each in (tree, other)
    )
    assert (first == second) == (_meaning(tree, metric) == _meaning(other, metric))


_OTHER = {"<": ">", ">": "<=", "<=": ">=", ">=": "=", "=": "!=", "!=": "<", "&": "|", "|": "&"}


def _changed(node: Any, countdown: list[int]) -> Any:
    """Return the tree with one thing changed in the node that stands at this place."""
    is_here = countdown[0] == 0
    countdown[0] -= 1
    match node:
        case Number():
            return (
                Number(value=node.value + 1 if abs(node.value) < 1e9 else 7.0) if is_here else node
            )
        case RegionValue():
            if not is_here:
                return node
            return RegionValue(region=None if node.region else 3, condition=node.condition)
        case Negative() | Absolute():
            inner = _changed(node.operand, countdown)
            swapped = Absolute if isinstance(node, Negative) else Negative
            return (swapped if is_here else type(node))(operand=inner)
        case Negation():
            inner = _changed(node.operand, countdown)
            return inner if is_here else Negation(operand=inner)
        case Arithmetic(operator="+" | "-") if is_here:
            other: Any = "-" if node.operator == "+" else "+"
            return Arithmetic(operator=other, left=node.left, right=node.right)
        case Arithmetic():
            left, right = (_changed(side, countdown) for side in (node.left, node.right))
            return Arithmetic(operator=node.operator, left=left, right=right)
        case Comparison() | Logical():
            changed: Any = _OTHER[node.operator] if is_here else node.operator
            left, right = (_changed(side, countdown) for side in (node.left, node.right))
            return type(node)(operator=changed, left=left, right=right)


def _meaning(node: Expression, metric: str) -> Any:
    """Return what words may leave out: how `&`, `|` and sums of regions were put in brackets."""
    match node:
        case Logical():
            return (node.operator, *_parts(node, node.operator, metric))
        case Comparison() | Arithmetic() if not _regions(node, metric):
            return (node.operator, _meaning(node.left, metric), _meaning(node.right, metric))
        case Negative() | Absolute() | Negation():
            return (type(node), _meaning(node.operand, metric))
        case _:
            return _regions(node, metric) or to_text(node)


def _parts(node: Expression, operator: str, metric: str) -> list[Any]:
    if isinstance(node, Logical) and node.operator == operator:
        return [*_parts(node.left, operator, metric), *_parts(node.right, operator, metric)]
    return [_meaning(node, metric)]


def _regions(node: Expression, metric: str) -> list[str]:
    """Return the regions of a sum of one condition's regions, each once; none for anything else."""
    found = [each for each in walk(node) if isinstance(each, RegionValue)]
    n_sums = sum(isinstance(each, Arithmetic) and each.operator == "+" for each in walk(node))
    is_sum = len(found) + n_sums == sum(1 for _ in walk(node)) and not is_truth(node)
    texts = [to_text(each) for each in found]
    is_one = len({each.condition for each in found}) == 1 and len(set(texts)) == len(texts)
    has_whole = len(found) > 1 and any(each.region is None for each in found)
    is_short = len(found) == 1 or (metric == "sum" and not has_whole)
    return texts if is_sum and is_one and is_short else []


@pytest.mark.parametrize(
    ("written", "said"), [("1e-5", "1e-5"), ("0.00001", "1e-5"), ("1e30", "1e30"), ("100", "100")]
)
def test_exponents_are_not_padded(written: str, said: str) -> None:
    assert words(f"(1;%a%) < {written}") == (
        f"the surprisal of region 1 in *a* must be lower than {said} bits"
    )
