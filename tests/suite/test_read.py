"""SyntaxGym JSON to suites and back, without loss."""

import copy
import json
import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from tests.builders import AGREEMENT, make_suite, suite_text, suite_value

from pommel.errors import SuiteError
from pommel.files.json import JsonDocument, to_json
from pommel.files.shipped import json_schema
from pommel.files.text import sha256_of
from pommel.suite import checks
from pommel.suite.checks import Finding
from pommel.suite.metrics import METRICS
from pommel.suite.read import LoadedSuite, _has_shape, _type, described, outline, shape_faults
from pommel.suite.suite import Condition, Item, Prediction, Region, Suite


def test_a_suite_is_read(tmp_path: Path) -> None:
    path = tmp_path / "small.json"
    path.write_text(suite_text())
    loaded = LoadedSuite.read(path)
    assert loaded.warnings == ()
    suite = loaded.suite
    assert (suite.name, suite.metrics) == ("small", ("sum",))
    assert suite.region_names == {1: "r1", 2: "r2", 3: "r3"}
    assert [each.formula.text for each in suite.predictions] == ["(2;%match%) < (2;%mismatch%)"]
    assert suite.items == (
        Item(
            number=1,
            conditions=tuple(
                Condition(
                    name=name,
                    regions=tuple(
                        Region(number=n, content=content) for n, content in enumerate(contents, 1)
                    ),
                )
                for name, contents in AGREEMENT.items()
            ),
        ),
    )


@pytest.mark.parametrize(
    ("metric", "metrics"),
    [("mean", ("mean",)), (["max", "sum"], ("max", "sum")), ("all", tuple(METRICS))],
)
def test_one_metric_some_or_all(metric: Any, metrics: tuple[str, ...]) -> None:
    suite = make_suite(metric=metric)
    assert suite.metrics == metrics
    assert suite.to_dict()["meta"]["metric"] == metric


def test_gaps_other_orders_and_unknown_keys_are_fine() -> None:
    value = suite_value([AGREEMENT, dict(reversed([*AGREEMENT.items()]))])
    value["items"][0]["item_number"] = 17
    value["items"][1]["note"] = {"by": ["x", None]}
    value["items"][0]["conditions"][0]["regions"][0]["pos"] = "NP"
    value["editor"] = "me"
    value["meta"]["tags"] = ["a"]
    value["predictions"][0]["description"] = "as it should be"
    loaded = LoadedSuite.from_dict(value)
    assert loaded.warnings == ()
    assert [item.number for item in loaded.suite.items] == [17, 2]
    assert loaded.suite.condition_names == ("match", "mismatch")
    assert loaded.suite.predictions[0].description == "as it should be"
    assert loaded.suite.to_dict() == value
    assert list(loaded.suite.to_dict()) == list(value)


def test_the_text_keeps_key_order_numbers_and_formulas() -> None:
    text = """{
 "items": [
  {
   "conditions": [
    {"regions": [{"content": "The dog", "region_number": 1.0, "w": 1.50}], "condition_name": "a"}
   ],
   "item_number": -0
  }
 ],
 "region_meta": {
  "01": "subject"
 },
 "predictions": [
  {
   "formula": " [(1;% a %)]>1e-7",
   "type": "formula"
  }
 ],
 "meta": {
  "metric": [
   "sum"
  ],
  "name": "café"
 }
}
"""
    loaded = LoadedSuite.parse(text)
    assert loaded.warnings == ()
    assert loaded.suite.to_text() == text


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXTS)
EXTRAS = st.dictionaries(TEXTS.map("x_{}".format), st.lists(SCALARS, max_size=3), max_size=3)


@settings(max_examples=100)
@given(st.lists(EXTRAS, min_size=6, max_size=6), st.randoms(use_true_random=False))
def test_whatever_else_a_file_holds_is_written_back(extras: list[Any], random: Any) -> None:
    value = suite_value()
    item = value["items"][0]
    places = [
        value,
        value["meta"],
        value["predictions"][0],
        item,
        item["conditions"][1],
        item["conditions"][0]["regions"][2],
    ]
    for place, extra in zip(places, extras, strict=True):
        pairs = [*place.items(), *extra.items()]
        random.shuffle(pairs)
        place.clear()
        place.update(pairs)
    suite = LoadedSuite.from_dict(value).suite
    text = suite.to_text()
    assert json.dumps(json.loads(text)) == json.dumps(value)
    assert LoadedSuite.parse(text).suite.to_text() == text
    assert LoadedSuite.parse(text).suite.sha256 == suite.sha256


def test_half_of_a_surrogate_pair_is_an_error_wherever_it_is() -> None:
    text = suite_text(suite_value(author="\ud800")).replace("\ud800", "\\ud800")
    with pytest.raises(SuiteError) as raised:
        LoadedSuite.parse(text)
    assert str(raised.value) == (
        "<suite>:5:15: this holds half of a character (a lone surrogate); "
        "write the character itself (at meta.author)"
    )


def test_what_is_written_holds_what_was_changed() -> None:
    suite = make_suite()
    region = suite.items[0].conditions[0].regions[1]
    changed = Suite(
        name=suite.name,
        metrics=suite.metrics,
        region_names={**suite.region_names, 2: "verb"},
        predictions=(Prediction(formula=suite.predictions[0].formula, description="why"),),
        items=(
            Item(
                number=5,
                conditions=(
                    Condition(
                        name="match",
                        regions=(Region(number=2, content="x", as_written=region.as_written),),
                    ),
                ),
                as_written=suite.items[0].as_written,
            ),
        ),
        meta={**suite.meta, "circuit": "c"},
        as_written=suite.as_written,
    )
    assert changed.to_dict() == {
        "meta": {"name": "small", "metric": "sum", "circuit": "c"},
        "region_meta": {"1": "r1", "2": "verb", "3": "r3"},
        "predictions": [
            {"type": "formula", "formula": "(2;%match%) < (2;%mismatch%)", "description": "why"}
        ],
        "items": [
            {
                "item_number": 5,
                "conditions": [
                    {
                        "condition_name": "match",
                        "regions": [{"region_number": 2, "content": "x"}],
                    }
                ],
            }
        ],
    }


def test_a_suite_that_was_never_a_file_can_be_written() -> None:
    suite = Suite(
        name="made",
        metrics=("sum",),
        region_names={1: "all"},
        predictions=(),
        items=(
            Item(
                number=1,
                conditions=(Condition(name="a", regions=(Region(number=1, content="Hi ."),)),),
            ),
        ),
        meta={"name": "made", "metric": "sum"},
    )
    again = LoadedSuite.parse(suite.to_text()).suite
    assert again == suite


def test_the_hash_is_of_what_the_suite_says_and_not_of_how_it_is_laid_out() -> None:
    value = suite_value()
    suite = LoadedSuite.parse(json.dumps(value)).suite
    assert suite.sha256 == LoadedSuite.parse(suite_text(value)).suite.sha256
    shuffled = dict(reversed(value.items()))
    assert suite.sha256 == LoadedSuite.from_dict(shuffled).suite.sha256
    assert len(suite.sha256) == 64
    for path, changed in (
        (("items", 0, "conditions", 0, "regions", 2, "content"), "!"),
        (("predictions", 0, "formula"), "(2;%match%) < (3;%mismatch%)"),
        (("meta", "version"), "1.0.0"),
        (("note",), "x"),
    ):
        other = json.loads(json.dumps(value))
        place = other
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = changed
        assert LoadedSuite.from_dict(other).suite.sha256 != suite.sha256, path


def test_changing_what_was_written_does_not_change_the_suite() -> None:
    suite = make_suite()
    before = suite.sha256
    value = suite.to_dict()
    value["meta"]["name"] = "other"
    value["region_meta"]["1"] = "other"
    value["predictions"][0]["formula"] = "1 < 2"
    value["items"][0]["conditions"][0]["regions"][0]["content"] = "other"
    value["items"].append("other")
    assert suite.sha256 == before
    assert suite.to_dict() == suite_value()


def test_faults_of_a_python_value_name_its_file_and_the_lines_of_its_json() -> None:
    value = suite_value(formulas=["(2;%match%) < (2;%mismtch%)"])
    for file, options in (("<dict>", {}), ("made.py", {"file": "made.py"})):
        with pytest.raises(SuiteError) as caught:
            LoadedSuite.from_dict(value, **options)
        line = suite_text(value).split('"formula": "(')[0].count("\n") + 1
        assert str(caught.value) == (
            f"{file}:{line}:39: there is no condition 'mismtch'; did you mean 'mismatch'? "
            "(at predictions[0].formula)"
        )


def test_region_names_with_numbers_as_keys_of_a_python_dict() -> None:
    value = suite_value()
    value["region_meta"] = {1: "a", 2: "b", 3: "c"}
    assert LoadedSuite.from_dict(value).suite.region_names == {1: "a", 2: "b", 3: "c"}


def test_the_text_of_a_document_is_the_suite_as_it_was_read() -> None:
    text = suite_text()
    suite = LoadedSuite.parse(text).suite
    assert suite.as_written == {**JsonDocument.parse(text, file="x").value, "items": ()}


NAMES = ("suite", "evaluated_suite")
WRONG: tuple[Any, ...] = (None, True, 3, 2.5, "", "a%", "sum", [], {}, ["x", 3], {"1": 2})


@pytest.fixture(scope="module")
def slow_validators() -> dict[str, Draft202012Validator]:
    """jsonschema's own validators, with references."""
    schemas = {name: json_schema(name) for name in NAMES}
    registry: Any = Registry().with_resources(
        [(schema["$id"], Resource.from_contents(schema)) for schema in schemas.values()]
    )
    return {
        name: Draft202012Validator(schema, registry=registry) for name, schema in schemas.items()
    }


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of each value in a document but the document's own."""
    inner: Any = value.items() if isinstance(value, dict) else enumerate(value)
    for step, each in inner:
        yield (*path, step)
        if isinstance(each, dict | list):
            yield from places(each, (*path, step))


SOUND = suite_value(version="1", modifier_of=None)
SOUND["predictions"][0]["description"] = "they agree"
for _condition in SOUND["items"][0]["conditions"]:
    for _region in _condition["regions"]:
        _region |= {"metric_value": {"sum": 1.5, "mean": None}, "oovs": ["dog"]}
PLACES = list(places(SOUND))


def test_what_all_changes_begin_with_is_sound() -> None:
    assert [shape_faults(SOUND, name) for name in NAMES] == [[], []]
    # And so at once: jsonschema is only asked what is wrong.
    assert [_has_shape(SOUND, name) for name in NAMES] == [True, True]


@pytest.mark.parametrize(
    ("metric", "is_seen_at_once"),
    [("all", True), (["sum", "mean"], True), (["sum", "sum"], False), ("first", False)],
)
def test_which_metrics_are_seen_to_be_sound_at_once(
    metric: str | list[str], *, is_seen_at_once: bool
) -> None:
    assert _has_shape(suite_value(metric=metric), "suite") == is_seen_at_once


@pytest.mark.parametrize(
    ("schema", "word"),
    [
        ({"type": "integer", "minimum": 1}, "minimum"),
        ({"type": ["number", "null"], "maximum": 1}, "maximum"),
        ({"type": "string", "maxLength": 1}, "maxLength"),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 1}, "maxItems"),
        ({"properties": {}, "additionalProperties": False}, "additionalProperties"),
        ({"properties": {}, "patternProperties": {}}, "patternProperties"),
        ({"properties": {}, "allOf": [{"required": ["a"]}]}, "allOf"),
        ({"additionalProperties": {"type": "string"}, "required": ["a"]}, "required"),
        ({"additionalProperties": {"type": "string"}, "minProperties": 1}, "minProperties"),
        ({"enum": ["a", "b"], "not": {"const": "a"}}, "not"),
        ({"anyOf": [{"type": "string"}], "minLength": 1}, "minLength"),
        ({"required": ["a"]}, "required"),
    ],
)
def test_a_word_of_a_schema_that_would_be_passed_over_is_refused(
    schema: dict[str, Any], word: str
) -> None:
    assert Draft202012Validator(Draft202012Validator.META_SCHEMA).is_valid(schema)
    for inner in (schema, {"items": schema}, {"properties": {"a": schema}}):
        with pytest.raises(ValueError, match=rf"no type says what {word} does"):
            _type(inner)


def test_lists_without_repeats_are_metrics_only() -> None:
    """Of these alone it is looked after, with what msgspec has no word for."""
    schema = json_schema("suite")
    (_, _, metrics) = schema["properties"]["meta"]["properties"]["metric"]["anyOf"]
    assert metrics.pop("uniqueItems")
    assert not any("uniqueItems" in json.dumps(each) for each in map(json_schema, NAMES[1:]))
    assert "uniqueItems" not in json.dumps(schema)


@given(
    st.lists(
        st.tuples(st.sampled_from(PLACES), st.sampled_from((*WRONG, KeyError))),
        min_size=1,
        max_size=4,
    )
)
def test_what_is_wrong_and_where(
    slow_validators: dict[str, Draft202012Validator], changes: list[tuple[Any, Any]]
) -> None:
    value = copy.deepcopy(SOUND)
    for path, wrong in changes:
        # What is put in twice is two values, or it may come to be inside of itself.
        change(value, path, copy.deepcopy(wrong))
    for name, validator in slow_validators.items():
        expected = described(validator.iter_errors(value))
        assert shape_faults(value, name) == expected
        assert shape_faults(value, name, text=to_json(value)) == expected


@pytest.mark.parametrize("wrong", [KeyError, None], ids=["missing", "null"])
def test_each_part_that_is_missing_is_seen(
    slow_validators: dict[str, Draft202012Validator], wrong: Any
) -> None:
    for path in PLACES:
        value = copy.deepcopy(SOUND)
        change(value, path, wrong)
        for name, validator in slow_validators.items():
            expected = described(validator.iter_errors(value))
            assert shape_faults(value, name) == expected, path
            assert shape_faults(value, name, text=to_json(value)) == expected, path


def change(value: Any, path: tuple[str | int, ...], wrong: Any) -> None:
    """Replace what stands there, or take it away; nothing if there is nothing any more."""
    *above, last = path
    for step in above:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return
    if isinstance(value, list) and isinstance(last, int) and last < len(value):
        value[last] = None if wrong is KeyError else wrong
    elif isinstance(value, dict):
        if wrong is KeyError:
            value.pop(last, None)
        else:
            value[last] = wrong


KEYS = ("meta", "region_meta", "predictions", "items", "item_number", "conditions")
MORE_KEYS = ("condition_name", "regions", "region_number", "content", "formula")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.sampled_from(KEYS + MORE_KEYS) | st.text(max_size=3), inner)
    ),
    max_leaves=40,
)


def test_of_a_sound_suite_nothing_is_lost(shared_data: Path) -> None:
    for path in sorted((shared_data / "hu2020" / "suites").glob("*.json")):
        value = json.loads(path.read_text("utf-8"))
        assert list(Finding.in_document(outline(value))) == list(Finding.in_document(value))


def test_what_is_unsound_is_blank_and_the_rest_stays_in_its_place() -> None:
    value = {
        "region_meta": [],
        "predictions": [{"formula": 3}, {"formula": "1 < 2"}],
        "items": [
            "nonsense",
            {
                "item_number": 2.0,
                "conditions": [
                    {
                        "condition_name": "a%",
                        "regions": [{"region_number": True}, {"content": "x"}],
                    }
                ],
            },
        ],
    }
    assert outline(value) == {
        "meta": None,
        "region_meta": None,
        "predictions": [{"formula": None}, {"formula": "1 < 2"}],
        "items": [
            {"item_number": None, "conditions": None},
            {
                "item_number": 2,
                "conditions": [
                    {
                        "condition_name": None,
                        "regions": [
                            {"region_number": None, "content": None},
                            {"region_number": None, "content": "x"},
                        ],
                    }
                ],
            },
        ],
    }


@given(JSON)
def test_the_checks_take_any_document(value: Any) -> None:
    for found in Finding.in_document(outline(value)):
        assert found.message


def test_regions_of_the_same_text_are_one_value() -> None:
    value = suite_value([AGREEMENT, AGREEMENT])
    first, second = LoadedSuite.from_dict(value).suite.items
    assert first == second.__class__(number=1, conditions=second.conditions)
    for one, other in zip(first.conditions, second.conditions, strict=True):
        assert all(map(operator.is_, one.regions, other.regions))


def test_an_evaluated_suite_is_made_of_the_values_that_were_checked() -> None:
    text = to_json(SOUND).replace("1.5", "1.50")
    read = LoadedSuite.parse(text, evaluated=True)
    assert "".join(read.suite.to_text().split()) == "".join(text.split())
    assert read.document is not None
    # No region has the text of another: to read each by its own would take as long as all else.
    for item, as_read in zip(read.suite.items, read.document.value["items"], strict=True):
        for own, written in zip(item.conditions, as_read["conditions"], strict=True):
            for region, value in zip(own.regions, written["regions"], strict=True):
                assert region.as_written is value


@pytest.mark.parametrize("number", ["1.0", "1e0"])
def test_a_number_that_is_written_otherwise_is_another_region(number: str) -> None:
    text = to_json(suite_value([AGREEMENT, AGREEMENT]))
    place = text.rindex('"region_number": 1')
    changed = text[:place] + text[place:].replace(": 1", f": {number}", 1)
    assert LoadedSuite.parse(changed).suite.to_text().count(number) == 1


def test_a_file_that_is_known_is_not_checked_again(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text(suite_text())
    known = {sha256_of(path)}
    checked, unchecked = LoadedSuite.read(path), LoadedSuite.read(path, known=known)
    assert unchecked.suite == checked.suite
    assert unchecked.suite.to_text() == checked.suite.to_text()
    # Its shape is trusted, and it still knows where everything stands.
    assert unchecked.document is not None
    assert checked.document is not None
    place = ("items", 0, "conditions", 1)
    assert unchecked.document.fault(place, "here") == checked.document.fault(place, "here")
    with pytest.raises(SuiteError, match="no region has a metric_value"):
        LoadedSuite.read(path, known=known, evaluated=True)
    path.write_text(suite_text().replace("%match%", "%mach%"))
    with pytest.raises(SuiteError, match="there is no condition 'mach'"):
        LoadedSuite.read(path, known=known)


def test_what_is_wrong_twice_is_said_twice_though_the_rest_is_known() -> None:
    """Conditions like earlier ones are passed over: one with their words in wrong places is not."""
    sound = [(1, "The dog"), (2, "barks")]
    rows = (sound, [(1, "The dog"), (1, "barks")], [(2, "The dog"), (1, "barks")])
    stray = [(1, "The dog "), (2, "barks")]
    conditions = [
        {
            "condition_name": f"c{n}",
            "regions": [{"region_number": at, "content": text} for at, text in row],
        }
        for n, row in enumerate((*rows, *rows, stray, stray))
    ]
    items = [{"item_number": 1, "conditions": conditions}]
    value = {"region_meta": {"1": "", "2": ""}, "predictions": [], "items": items}
    found = [(each.path[3], each.message.split()[0]) for each in Finding.in_document(value)]
    assert found == [
        (1, "condition"),
        (2, "the"),
        (4, "condition"),
        (5, "the"),
        (6, "stray"),
        (7, "stray"),
    ]


def test_a_content_is_looked_at_once_beside_whatever_it_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[str] = []
    monkeypatch.setattr(checks, "has_stray_space", looked.append)
    words = ["The", "dog", "barks", "bark", "cat"]
    conditions = [
        {
            "condition_name": f"c{n}",
            "regions": [{"region_number": at, "content": text} for at, text in enumerate(row)],
        }
        for n, row in enumerate((words[:3], [*words[:2], words[3]], ["The", "cat", "bark"]))
    ]
    items = [{"item_number": 1, "conditions": conditions}]
    value = {"region_meta": {str(n): "" for n in range(3)}, "predictions": [], "items": items}
    assert not [*Finding.in_document(value)]
    assert looked == words
