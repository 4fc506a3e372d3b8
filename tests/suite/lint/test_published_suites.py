"""What the rules find in suites that are published, and in those that ship: each find is true."""

from collections import Counter
from pathlib import Path

import pytest

from pommel.models.model import LoadOptions, Policy, score_all
from pommel.models.registry import load_model
from pommel.sources.load import suite_files
from pommel.suite.lint import RULES, Tokenized, check_suite
from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Suite


@pytest.fixture(scope="module")
def published(shared_data: Path) -> dict[str, Suite]:
    folder = shared_data / "hu2020" / "suites"
    return {path.stem: LoadedSuite.read(path).suite for path in sorted(folder.glob("*.json"))}


def counts(suites: dict[str, Suite]) -> Counter[tuple[str, str]]:
    return Counter(
        (remark.rule, name)
        for name, suite in suites.items()
        for remark in check_suite(suite, RULES)
    )


def test_the_34_suites_of_hu_et_al(published: dict[str, Suite]) -> None:
    assert counts(published) == {
        # Item 5: "consumed" in all four conditions, the unambiguous ones included.
        ("never-holds", "mvrr"): 1,
        ("never-holds", "mvrr_mod"): 1,
        # Items 10 and 23: "walked down" and "traveled towards" in place of one verb.
        ("unequal-context", "cleft"): 2,
        ("unequal-context", "cleft_modifier"): 2,
        # Item 12: the gap is in the condition without one, and the other way round.
        ("swapped-conditions", "fgd_hierarchy"): 1,
        # Item 10: "will be awarded" without a gap, "will get" with one.
        ("odd-word", "fgd_object"): 1,
        # Items 16, 24 and 27: "men" and "man", "to the sea" and "in the sea", and an adverbial that
        # one condition lacks.
        ("odd-word", "mvrr"): 3,
        ("odd-word", "mvrr_mod"): 3,
        # Item 14: "went out" in place of one verb.
        ("unequal-context", "npz_ambig"): 1,
        ("unequal-context", "npz_ambig_mod"): 1,
        # "is" and "are" in 9 of 19 items, and five verbs in the others.
        ("few-words", "number_orc"): 1,
        ("few-words", "number_prep"): 1,
        ("few-words", "number_src"): 1,
        # Pedantic rules: one word, or two, is what these suites are about, and the gap in the
        # matrix clause is in no prediction.
        **{
            ("closed-class", name): 1 for name in published if name.startswith(("npi", "reflexive"))
        },
        ("unused-condition", "fgd_hierarchy"): 2,
    }


def test_an_item_that_can_never_hold(published: dict[str, Suite]) -> None:
    (remark,) = check_suite(published["mvrr"], ["never-holds"])
    assert remark.message == (
        "prediction 0 can never hold in item 5: conditions that it compares have the same sentence"
    )
    item = published["mvrr"].items[4]
    sentences = {condition.name: condition.sentence().text for condition in item.conditions}
    assert sentences["reduced_ambig"] == sentences["reduced_unambig"]
    assert sentences["unreduced_ambig"] == sentences["unreduced_unambig"]


def test_an_item_with_its_conditions_turned_round(published: dict[str, Suite]) -> None:
    first = check_suite(published["fgd_hierarchy"], RULES)[0]
    assert first.rule == "swapped-conditions"
    assert first.message == (
        "the sentences of 'that_nogap' and 'that_subjgap' seem to have changed places in item 12: "
        "with each other's names the item is like the others"
    )
    assert first.path == ("items", 11, "conditions", 1)
    gap = {
        item.number: not item.condition("that_nogap").regions[4].text
        for item in published["fgd_hierarchy"].items
    }
    assert [number for number, is_gap in gap.items() if is_gap] == [12]


def test_english_suites_are_clean_by_tokens_too() -> None:
    model = load_model("builtin://en-gpt2", LoadOptions())
    for path in suite_files("en"):
        suite = LoadedSuite.read(path).suite
        texts = sorted({each.text for row in suite.sentences() for each in row})
        scored = score_all(model, texts, Policy(), [()] * len(texts))
        sentences = dict(zip(texts, scored, strict=True))
        tokenized = Tokenized(model_name="en-gpt2", sentences=sentences)
        rules = [name for name, rule in RULES.items() if not rule.is_pedantic]
        assert check_suite(suite, rules, tokenized=tokenized) == [], path.stem
