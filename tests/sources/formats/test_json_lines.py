"""JSON Lines: places of what is wrong, and lines that come out as they went in."""

import json

import pytest
from hypothesis import given, strategies as st

from pommel.sources.formats.json_lines import JsonLine, json_text


def _faults(text: str) -> list[str]:
    return [str(each) for each in JsonLine.parse(text, file="f", example='{"a": 1}')[1]]


def test_an_object_a_line() -> None:
    text = '{"a": 1}\r\n\n  \n{"b": "\u2028"}'
    lines, faults = JsonLine.parse(text, file="f", example="{}")
    assert [(each.number, each.value) for each in lines] == [(1, {"a": 1}), (4, {"b": "\u2028"})]
    assert faults == []


def test_faults_stand_in_their_lines() -> None:
    (_, second), _ = JsonLine.parse('{"a": 1}\n{"a": 1, "b": [2, 3]}\n', file="f", example="{}")
    assert str(second.fault(("b", 1), "no", "mend it")) == "f:2:19: no; mend it (at b[1])"
    assert str(second.fault(("c",), "no", "mend it")) == "f:2:1: no; mend it (at c)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\n \n", ['f: there is no minimal pair; write {"a": 1}, an object a line']),
        (
            '{"a": 1}\n{"a": 1,}\n[1]\n',
            [
                "f:2:8: this is not JSON: there is a comma behind the last element; remove it",
                'f:3:1: this is no JSON object; write {"a": 1}',
            ],
        ),
        (
            '\n{\n"a": 1}\n',
            [
                "f:2:2: this is not JSON: the line ends too early; the { in line 2 is never closed",
                (
                    "f:3:4: this is not JSON: the document has ended before this; "
                    "remove it, or a bracket too many"
                ),
            ],
        ),
        (
            '{"a": 1, "a": 2}\n{"a": "\\ud800"}\n',
            [
                "f:1:10: the key 'a' stands here for the second time; remove one of the two (at a)",
                (
                    "f:2:7: this holds half of a character (a lone surrogate); "
                    "write the character itself (at a)"
                ),
            ],
        ),
        (
            f'{{"a": {"[" * 200}{"]" * 200}}}\n',
            [
                (
                    "f:1:1: the line is nested too deeply to be read; "
                    "no more than 100 levels of brackets are read"
                )
            ],
        ),
    ],
)
def test_what_is_no_line(text: str, expected: list[str]) -> None:
    assert _faults(text) == expected


@pytest.mark.parametrize(
    "line",
    [
        '{"a": 1.50, "b": 1e3, "c": -0, "d": 12345678901234567890, "e": null, "f": [true, {}, []]}',
        '{"ü": ["\\n", "é", {"x": [1, 2.0]}]}',
        "{}",
    ],
)
def test_lines_come_out_as_they_went_in(line: str) -> None:
    (found,), _ = JsonLine.parse(line, file="f", example="{}")
    assert json_text(found.value) == line


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), _JSON))
def test_lines_are_those_of_json_dumps(row: dict[str, object]) -> None:
    assert json_text(row) == json.dumps(row, ensure_ascii=False)
    lines, _ = JsonLine.parse(json_text(row), file="f", example="{}")
    assert [each.value for each in lines] == [row]
