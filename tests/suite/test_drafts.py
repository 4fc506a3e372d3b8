"""Designs and drafts: what is written, and that only sentences are missing in it."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.builders import make_suite

from pommel.errors import FormulaError, SuiteError
from pommel.sources.load import suite_files
from pommel.suite.drafts import Design
from pommel.suite.read import LoadedDraft, LoadedSuite

FORMULA = "(2;%match%) < (2;%mismatch%)"
DESIGN = Design.new(["match", "mismatch"], ["subject", "verb"], [FORMULA])


def test_a_draft_in_full() -> None:
    value = DESIGN.draft({"name": "agreement", "language": "en"}, n_items=1)
    assert Design.draft_text(value) == (
        """\
{
 "meta": {
  "name": "agreement",
  "metric": "sum",
  "language": "en"
 },
 "region_meta": {
  "1": "subject",
  "2": "verb"
 },
 "predictions": [
  {
   "type": "formula",
   "formula": "(2;%match%) < (2;%mismatch%)"
  }
 ],
 "items": [
  {
   "item_number": 1,
   "conditions": [
    {
     "condition_name": "match",
     "regions": [
      {"region_number": 1, "content": ""},
      {"region_number": 2, "content": ""}
     ]
    },
    {
     "condition_name": "mismatch",
     "regions": [
      {"region_number": 1, "content": ""},
      {"region_number": 2, "content": ""}
     ]
    }
   ]
  }
 ]
}
"""
    )


def test_a_drafts_faults_are_what_is_to_be_written() -> None:
    value = DESIGN.draft({"name": "agreement"}, n_items=2)
    with pytest.raises(SuiteError) as caught:
        LoadedSuite.parse(Design.draft_text(value), file="a.json")
    assert [str(fault) for fault in caught.value.faults] == [
        f"a.json:{line}:5: all regions of condition '{name}' are empty; write the sentence's "
        f"text into them (at items[{item}].conditions[{place}])"
        for line, item, place, name in (
            (20, 0, 0, "match"),
            (27, 0, 1, "mismatch"),
            (39, 1, 0, "match"),
            (46, 1, 1, "mismatch"),
        )
    ]


def test_sentences_that_are_there_already() -> None:
    sentences = {"match": {1: "The dog", 2: "barks"}, "mismatch": {1: "The dog", 2: "bark"}}
    value = DESIGN.draft({"name": "agreement"}, n_items=1, sentences=sentences)
    suite = LoadedSuite.from_dict(value).suite
    assert [each.sentence().text for each in suite.items[0].conditions] == [
        "The dog barks",
        "The dog bark",
    ]


@given(st.text(), st.text())
def test_the_file_holds_the_draft_whatever_is_written(name: str, content: str) -> None:
    sentences = {"match": {1: content, 2: '"content": "x"\n}'}}
    design = Design.new(["match"], [name, '{ "region_number": 1 }'])
    value = design.draft({"name": name or "x"}, n_items=2, sentences=sentences)
    text = Design.draft_text(value)
    assert json.loads(text) == value
    # A region is one line, whatever it says.
    region = re.compile(r' +\{"region_number": \d, "content": ".*"\},?')
    assert sum(bool(region.fullmatch(line)) for line in text.split("\n")) == 4


def test_the_design_of_a_suite() -> None:
    suite = make_suite([{"match": ("The dog", "barks"), "mismatch": ("A dog", "bark")}])
    design = Design.of(suite)
    assert design.regions_of == {"match": (1, 2), "mismatch": (1, 2)}
    assert design.region_names == {1: "r1", 2: "r2"}
    assert design.predictions == ({"type": "formula", "formula": FORMULA},)
    assert design.with_formulas(["(1;%match%) < 2"]).predictions == (
        {"type": "formula", "formula": "(1;%match%) < 2"},
    )


def test_predictions_keep_the_metric_that_they_compare() -> None:
    value = make_suite([{"a": ("x",), "b": ("y",)}], ["(1;%a%) < (1;%b%)"]).to_dict()
    own = {**value["predictions"][0], "description": "mean", "metric": "mean", "source": "a page"}
    design = Design.of(LoadedSuite.from_dict({**value, "predictions": [own]}).suite)
    del own["source"]
    assert design.predictions == (own,)


def test_every_shipped_suite_can_be_a_design() -> None:
    for path in suite_files():
        _check_is_sound_when_written(Path(path))


def _check_is_sound_when_written(path: Path) -> None:
    value = json.loads(path.read_bytes())
    # The items of a suite have the same conditions and regions.
    suite = LoadedSuite.from_dict({**value, "items": value["items"][:10]}).suite
    design = Design.of(suite)
    sentences = {
        name: dict.fromkeys(numbers, "word") for name, numbers in design.regions_of.items()
    }
    value = design.draft({"name": "new"}, n_items=1, sentences=sentences)
    loaded = LoadedSuite.from_dict(value)
    assert loaded.warnings == ()
    assert loaded.suite.predictions == suite.predictions
    assert loaded.suite.condition_names == suite.condition_names
    assert loaded.suite.metrics == suite.metrics


def test_a_formula_that_does_not_fit_shows_the_place() -> None:
    with pytest.raises(FormulaError) as caught:
        DESIGN.fitting_formula("(2;%match%) < (3;%mismatch%)")
    assert str(caught.value) == (
        "condition 'mismatch' has no region 3\n"
        "    (2;%match%) < (3;%mismatch%)\n"
        "                  ~~~~~~~~~~~~~^\n"
        "its regions are 1, 2"
    )


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("match", "there is a condition 'match' already"),
        ("50%", "the condition's name '50%' has a '%', which ends a name in formulas"),
        (" a", "the condition's name ' a' has spaces around it"),
        (" ", "the name of a condition is empty"),
        ("", "the name of a condition is empty"),
        ("no match", ""),
        (
            "\u200fa",
            "the condition's name '\\u200fa' has the character U+200F, which cannot be seen",
        ),
        ("a\nb", "the condition's name 'a\\nb' has the character U+000A, which cannot be seen"),
        ("می\u200cرود", ""),
    ],
)
def test_names_of_conditions(name: str, fault: str) -> None:
    assert Design.condition_fault(name, ["match"]) == fault


@given(st.text(st.sampled_from("a %\t;)"), max_size=4))
def test_a_name_without_fault_is_one_that_suites_may_have(name: str) -> None:
    value = Design.new([name], ["r"]).draft({"name": "s"}, n_items=1, sentences={name: {1: "word"}})
    try:
        LoadedSuite.from_dict(value)
    except SuiteError:
        assert Design.condition_fault(name)
    else:
        # A new one has no tabs; a suite that is there may.
        assert bool(Design.condition_fault(name)) == ("\t" in name)


def test_a_draft_is_read_without_a_fault() -> None:
    value = DESIGN.draft({"name": "agreement"}, n_items=2)
    value["items"][0]["conditions"][0]["regions"][0]["content"] = " The dog"
    found = LoadedDraft.parse(Design.draft_text(value))
    assert found.suite
    assert found.suite.name == "agreement"
    assert [each.is_written for item in found.suite.items for each in item.conditions] == [
        *(True, False),
        *(False, False),
    ]
    assert Design.of(found.suite) == DESIGN
    assert found.errors == ()
    assert [fault.message for fault in found.faults] == ["stray space in the content ' The dog'"]


@pytest.mark.parametrize(
    ("old", "new", "message", "is_readable"),
    [
        ("(2;%match%)", "(3;%match%)", "condition 'match' has no region 3", True),
        ('"item_number": 2', '"item_number": 1', "the suite has the item number 1 twice", True),
        ("(2;%match%) <", "(2;%match%) < <", "'<'", False),
        ('"name": "agreement"', '"nam": "agreement"', "'name' is missing", False),
        ('"content": ""', '"content": "\\ud800"', "half of a character", False),
        ('"metric"', '"name": "b", "metric"', "for the second time", False),
    ],
)
def test_other_faults_of_a_draft_are_told(
    old: str, new: str, message: str, *, is_readable: bool
) -> None:
    text = Design.draft_text(DESIGN.draft({"name": "agreement"}, n_items=2))
    assert old in text
    found = LoadedDraft.parse(text.replace(old, new, 1))
    assert (found.suite is not None) == is_readable
    assert len(found.errors) == 1
    assert message in found.errors[0].message


@pytest.mark.parametrize(
    ("metric", "first"), [("sum", "sum"), ("mean", "mean"), (["max", "sum"], "max"), ("all", "sum")]
)
def test_the_metric_that_predictions_are_checked_with(metric: str | list[str], first: str) -> None:
    design = Design(regions_of={"a": (1,)}, region_names={1: "r"}, metric=metric)
    assert design.first_metric == first
    assert LoadedSuite.from_dict(design.filled()).suite.metrics[0] == first


def test_a_filled_design_has_no_two_regions_alike() -> None:
    suite = LoadedSuite.from_dict(DESIGN.filled()).suite
    texts = [region.text for each in suite.items[0].conditions for region in each.regions]
    assert texts == ["word0.1", "word0.2", "word1.1", "word1.2"]


def test_names_of_regions() -> None:
    assert Design.region_fault(" ") == "the name of a region is empty"
    assert Design.region_fault("verb") == ""


def test_a_content_that_is_no_sentence_is_refused_and_not_shown() -> None:
    value = DESIGN.draft({"name": "agreement", "language": "en"}, n_items=1)
    region = value["items"][0]["conditions"][0]["regions"][0]
    region["content"] = "x " * (1 << 19)
    assert LoadedDraft.parse(json.dumps(value), file="s").suite is not None
    region["content"] += "x"
    draft = LoadedDraft.parse(json.dumps(value), file="s")
    assert draft.suite is None
    assert [fault.message for fault in draft.errors] == [
        "the content has 1,048,577 characters, and 1,048,576 at most are read"
    ]
