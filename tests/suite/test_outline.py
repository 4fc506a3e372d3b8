"""What is left of a document whose shape is wrong, and what the checks make of it."""

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pommel.suite.checks import Finding
from pommel.suite.read import outline

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
