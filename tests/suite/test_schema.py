"""The shape of suites: the quick validator finds what jsonschema finds by itself."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from tests.builders import suite_value

from pommel.files import shipped
from pommel.suite.read import described, shape_faults

NAMES = ("suite", "evaluated_suite")
WRONG: tuple[Any, ...] = (None, True, 3, 2.5, "", "a%", "sum", [], {}, ["x", 3], {"1": 2})


@pytest.fixture(scope="module")
def slow_validators() -> dict[str, Draft202012Validator]:
    """jsonschema's own validators, with references."""
    schemas = {name: shipped.schema(name) for name in NAMES}
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
        change(value, path, wrong)
    for name, validator in slow_validators.items():
        assert shape_faults(value, name) == described(validator.iter_errors(value))


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
