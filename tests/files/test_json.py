"""JSON that knows where its values stand, and comes back as it was."""

import contextlib
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from pommel.errors import InputError, SuiteError
from pommel.files.json import (
    MAX_DEPTH,
    JsonDocument,
    JsonPath,
    WrittenFloat,
    parse_json,
    path_text,
    to_json,
)

# --- random documents, with their text and the place of every value in it

SPACE = st.sampled_from(["", "", "", " ", "\n", "\r\n", "\t", " \n  "])
SCALARS = st.one_of(
    st.sampled_from(["null", "true", "false", "0", "-0", "-1", "1.50", "1e5", "0.10E-7", "NaN"]),
    st.sampled_from(["Infinity", "-Infinity", "123456789012345678901234567890", "9" * 5000]),
)
CHARACTERS = st.one_of(
    st.characters(exclude_characters='"\\', exclude_categories=["Cc", "Cs"]),
    st.sampled_from(['\\"', "\\\\", "\\n", "\\/", "\\u00e9", "\\ud83d\\ude00", "\\ud800", "😀"]),
    st.sampled_from([",", "]", "}", ":", "{", "["]),
)
STRINGS = st.lists(CHARACTERS, max_size=6).map(lambda parts: '"' + "".join(parts) + '"')

Places = dict[JsonPath, int]


@st.composite
def documents(draw: st.DrawFn, depth: int = 3) -> tuple[str, Places]:
    """Draw a JSON text, and where each value begins in it."""
    kind = draw(st.sampled_from(["scalar", "string", "list", "object"] if depth else ["scalar"]))
    text = draw(SPACE)
    places: Places = {(): len(text)}
    if kind in ("scalar", "string"):
        return text + draw(SCALARS if kind == "scalar" else STRINGS) + draw(SPACE), places
    text += "[" if kind == "list" else "{"
    keys = draw(st.lists(STRINGS, max_size=4, unique_by=json.loads))
    for index, key in enumerate(keys):
        text += "," if index else ""
        step: str | int = index
        if kind == "object":
            text += draw(SPACE) + key + draw(SPACE) + ":"
            step = json.loads(key)
        inner, inside = draw(documents(depth - 1))
        places.update({(step, *path): len(text) + at for path, at in inside.items()})
        text += inner
    return text + ("]" if kind == "list" else "}") + draw(SPACE), places


def place(text: str, offset: int) -> tuple[int, int]:
    """Count lines and columns the slow way."""
    lines = text[:offset].split("\n")
    return len(lines), len(lines[-1]) + 1


@settings(max_examples=300)
@given(documents())
def test_every_path_leads_to_its_value(drawn: tuple[str, Places]) -> None:
    text, places = drawn
    document = JsonDocument.parse(text, file="x.json")
    assert document.duplicate_key_faults() == []
    for path, offset in places.items():
        fault = document.fault(path, "wrong")
        assert (fault.line, fault.column) == place(text, offset)
        assert fault.path == path_text(path)


@settings(max_examples=300)
@given(documents())
def test_what_is_written_again_is_the_same(drawn: tuple[str, Places]) -> None:
    text, _ = drawn
    value = JsonDocument.parse(text, file="x.json").value
    written = to_json(value)
    assert skeleton(written) == skeleton(text)
    assert to_json(JsonDocument.parse(written, file="x.json").value) == written
    assert written.encode()  # half of a surrogate pair is an escape still


def skeleton(text: str) -> list[str]:
    """Return the text's strings (by value), numbers and brackets in order: all but the spaces."""
    pieces = re.findall(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|[^\s{}\[\]",:]+', text)
    return [repr(json.loads(piece)) if piece[0] == '"' else piece for piece in pieces]


# --- examples


def test_numbers_come_back_as_they_were_written() -> None:
    text = '{\n    "b": 1.50,\n    "a": [1e-7, 1E5, -0, NaN, -Infinity, 1.0, 1]\n}'
    value = JsonDocument.parse(text, file="x").value
    assert value["b"] == 1.5
    assert isinstance(value["b"], WrittenFloat)
    assert " ".join(to_json(value, indent=0).split()) == (
        '{ "b": 1.50, "a": [ 1e-7, 1E5, -0, NaN, -Infinity, 1.0, 1 ] }'
    )


def test_the_layout_of_what_is_written() -> None:
    value = {"a": [1, {"é": None}], "empty": {}, "none": [], "tuple": (True, "x")}
    assert to_json(value, indent=2) == (
        '{\n  "a": [\n    1,\n    {\n      "é": null\n    }\n  ],\n'
        '  "empty": {},\n  "none": [],\n  "tuple": [\n    true,\n    "x"\n  ]\n}\n'
    )


def test_keys_of_a_python_dict_that_are_no_text_are_written_as_json_has_them() -> None:
    assert json.loads(to_json({1: "a", None: "b"})) == {"1": "a", "null": "b"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("items", 3, "conditions", 0), "items[3].conditions[0]"),
        (("meta", "a-b", "a b", "é"), 'meta.a-b["a b"]["é"]'),
        ((0,), "[0]"),
        (("01", 'x"'), '["01"]["x\\""]'),
        (("\ud800",), '["\\ud800"]'),
    ],
)
def test_paths_as_text(path: JsonPath, text: str) -> None:
    assert path_text(path) == text


def document_of(text: str) -> JsonDocument:
    return JsonDocument.parse(text, file="x.json")


def test_a_path_that_does_not_exist_is_placed_at_what_holds_it() -> None:
    document = document_of('{\n  "a": {"b": 1}\n}')
    assert str(document.fault(("a", "c", 0), "wrong")) == "x.json:2:8: wrong (at a.c[0])"
    assert str(document.fault(("a", "b", "c"), "wrong")) == "x.json:2:14: wrong (at a.b.c)"


@pytest.mark.parametrize(
    ("string", "within", "column"),
    [
        ('"abc"', 0, 2),
        ('"abc"', 2, 4),
        ('"abc"', 3, 5),
        (r'"\"\\\n<"', 3, 8),
        (r'"\u0041<"', 1, 8),
        (r'"\ud83d\ude00<"', 1, 14),
        (r'"\ud83d<"', 1, 8),
        ('"😀é<"', 2, 4),
        ("[1]", 2, 1),
    ],
)
def test_a_character_within_a_string_is_found_behind_escapes(
    string: str, within: int, column: int
) -> None:
    document = document_of('{"a":\n' + string + "}")
    fault = document.fault(("a",), "wrong", within=within)
    assert (fault.line, fault.column) == (2, column)


def test_a_key_that_stands_twice() -> None:
    text = '{"a": 1, "b": [{"x": 1,\n "x": 2, "x": 3}], "\\u0061": 2}'
    assert [str(fault) for fault in document_of(text).duplicate_key_faults()] == [
        (
            "x.json:2:2: the key 'x' stands here for the second time; "
            "remove one of the two (at b[0].x)"
        ),
        (
            "x.json:2:10: the key 'x' stands here for the second time; "
            "remove one of the two (at b[0].x)"
        ),
        "x.json:2:20: the key 'a' stands here for the second time; remove one of the two (at a)",
    ]


def test_a_fault_at_a_key_that_stands_twice_is_at_the_value_that_counts() -> None:
    document = document_of('{"a": 1, "a": 2}')
    assert document.value == {"a": 2}
    assert document.fault(("a",), "wrong").column == 15


# --- what is no JSON


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: this is not JSON: the file is empty; a suite is a JSON object { }"),
        (" \n ", "1:1: this is not JSON: the file is empty; a suite is a JSON object { }"),
        (
            "{'a': 1}",
            '1:2: this is not JSON: a key is missing; keys stand in straight double quotes ""',
        ),
        (
            "{a: 1}",
            '1:2: this is not JSON: a key is missing; keys stand in straight double quotes ""',
        ),
        (
            '{"a" 1}',
            "1:6: this is not JSON: a colon is missing; write : between a key and its value",
        ),
        (
            "{\"a\": 'x'}",
            '1:7: this is not JSON: a value is missing; text stands in straight double quotes ""',
        ),
        ('{"a": [1 2]}', "1:10: this is not JSON: a comma is missing; write , before this"),
        (
            '{"a": [1,\n 2 ,\n ]}',
            "2:4: this is not JSON: there is a comma behind the last element; remove it",
        ),
        ('{"a": 1,}', "1:8: this is not JSON: there is a comma behind the last element; remove it"),
        (
            '{"a": [1, 2],\n "b": {"c": "}"\n\n',
            "2:16: this is not JSON: the file ends too early; the { in line 2 is never closed",
        ),
        (
            '{\n"a":',
            "2:5: this is not JSON: the file ends too early; the { in line 1 is never closed",
        ),
        (
            '{"a": 1}\n}',
            (
                "2:1: this is not JSON: the document has ended before this; "
                "remove it, or a bracket too many"
            ),
        ),
        (
            '{"a": "x\ny"}',
            (
                "1:9: this is not JSON: a text has a line break or a tab in it; "
                'write " where it ends, \\n for a line break, \\t for a tab'
            ),
        ),
        (
            '{"a": "x,\n}"}',
            (
                "1:10: this is not JSON: a text has a line break or a tab in it; "
                'write " where it ends, \\n for a line break, \\t for a tab'
            ),
        ),
        ('{"a": "x}', '1:7: this is not JSON: this text is never closed; write " where it ends'),
        (
            r'{"a": "\d"}',
            (
                "1:8: this is not JSON: a backslash stands before the wrong character; "
                r"write \\ for a backslash"
            ),
        ),
    ],
)
def test_broken_json_is_placed_and_explained(text: str, message: str) -> None:
    with pytest.raises(SuiteError) as caught:
        document_of(text)
    assert str(caught.value) == f"x.json:{message}"


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def test_deep_nesting_is_refused_before_anything_overflows() -> None:
    deepest = nested(MAX_DEPTH)
    assert to_json(document_of(deepest).value).split() == [
        *"[" * (MAX_DEPTH - 1),
        "[]",
        *"]" * (MAX_DEPTH - 1),
    ]
    message = (
        "x.json: the file is nested too deeply to be read; "
        "no more than 100 levels of brackets are read"
    )
    for depth in (MAX_DEPTH + 1, 900, 100_000):
        for text in (nested(depth), '{"a":' * depth + "1" + "}" * depth):
            with pytest.raises(SuiteError) as caught:
                document_of(text)
            assert str(caught.value) == message


# --- files


def test_a_byte_order_mark_is_noticed_and_takes_no_column(tmp_path: Path) -> None:
    path = tmp_path / "bom.json"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}')
    document = JsonDocument.read(path)
    assert document.decoded.has_bom
    assert document.fault(("a",), "wrong").column == 7
    assert JsonDocument.parse('\ufeff{"a": 1}', file="x").decoded.has_bom
    assert not document_of('{"a": 1}').decoded.has_bom


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (
            b'{\n "a": "caf\xe9"}',
            ":2:11: the byte 0xe9 is not UTF-8; save the file with the encoding UTF-8",
        ),
        (
            '{"é": "'.encode() + b"\xff",
            ":1:8: the byte 0xff is not UTF-8; save the file with the encoding UTF-8",
        ),
        (
            '{"a": 1}'.encode("utf-16"),
            ":1:1: the file is UTF-16, not UTF-8; save the file with the encoding UTF-8",
        ),
    ],
)
def test_another_encoding_is_placed(tmp_path: Path, raw: bytes, message: str) -> None:
    path = tmp_path / "latin.json"
    path.write_bytes(raw)
    with pytest.raises(SuiteError) as caught:
        JsonDocument.read(path)
    assert str(caught.value) == f"{path}{message}"


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    for path, reason in (
        (tmp_path / "missing.json", "No such file or directory"),
        (tmp_path, "Is a directory"),
    ):
        with pytest.raises(InputError) as caught:
            JsonDocument.read(path)
        assert str(caught.value) == f"{path}: {reason}"


@pytest.mark.parametrize("text", ["[" + "1," * 9 + "1]", "[" * 10 + "]" * 10, '{"a":"{,,,,,,,,,"}'])
def test_values_are_counted_before_they_are_made(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pommel.files.json._MOST_VALUES", 9)
    said = "has more than 9 values, the most that is read; divide it"
    for written in (text, text.encode()):
        with pytest.raises(InputError) as caught:
            parse_json(written, where="f")
        assert str(caught.value) == f"f:1: {said}"
    with pytest.raises(InputError) as caught:
        JsonDocument.parse(text, file="f")
    assert str(caught.value) == f"f: {said}"
    monkeypatch.setattr("pommel.files.json._MOST_VALUES", 10 + 9)
    JsonDocument.parse(text, file="f")


@pytest.mark.timeout(60)  # what grows with the square of the text takes many minutes
def test_megabytes_on_one_line_are_read_and_placed_at_once() -> None:
    cell: Any = {"region_number": 1, "content": "a few words of text"}
    text = json.dumps({"items": [cell] * 100_000, "twice": 1}).replace(
        '"twice"', '"items": 0, "items"'
    )
    assert len(text) > 5_000_000
    document = document_of(text)
    faults = [document.fault(("items", index), "wrong") for index in range(0, 100_000, 10)]
    assert len(document.duplicate_key_faults()) == 2
    assert {fault.line for fault in faults} == {1}


@pytest.mark.timeout(60)  # what grows with the square of the text takes many minutes
def test_a_text_that_is_never_closed_takes_no_longer_than_it_is_long() -> None:
    text = '{"a": "' + '\\"' * 300_000
    with pytest.raises(SuiteError, match="this text is never closed"):
        JsonDocument.parse(text, file="s.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "s:7: this is not JSON: Expecting value (column 1)"),
        (
            "{\n\n'a': 1}",
            "s:9: this is not JSON: Expecting property name enclosed in double quotes",
        ),
        (b'"\xff"', "s:7: the byte 1 is not UTF-8"),
        (b'{\n"a": "\xff"}', "s:8: the byte 8 is not UTF-8"),
        ("[NaN]", "s:7: NaN is not JSON; write null"),
        ("[\nNaN]", "s: NaN is not JSON; write null"),
        ("-Infinity", "s:7: -Infinity is not JSON; write null"),
        ("9" * 5000, "s:7: a whole number has more than 4,300 digits"),
        ("[" * 100_000, "s:7: this JSON is nested too deep"),
        ('{"a":' * 100_000, "s:7: this JSON is nested too deep"),
    ],
)
def test_whatever_is_wrong_with_json_of_strangers_is_one_error(
    text: str | bytes, message: str
) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        parse_json(text, where="s", first_line=7)
    with pytest.raises(InputError, match=f"^{re.escape(message.partition(': ')[2])}"):
        parse_json(text)


@given(st.text() | st.binary())
def test_json_of_strangers_is_a_value_or_an_error(text: str | bytes) -> None:
    with contextlib.suppress(InputError):
        parse_json(text)


def test_json_that_python_has_written_may_have_infinities() -> None:
    assert parse_json(b"[Infinity, 1]", decoder=json.JSONDecoder()) == [math.inf, 1]


def exactly(value: Any) -> Any:
    """Return a value with what `==` overlooks: kinds of numbers, their digits, orders of keys."""
    match value:
        case dict():
            return [(key, exactly(each)) for key, each in value.items()]
        case list():
            return ["list", *map(exactly, value)]
        case WrittenFloat():
            return WrittenFloat, value.text
    return type(value), value


@st.composite
def repetitive(draw: st.DrawFn) -> str:
    """Draw a JSON text, now and then with an object whose keys may be the same."""
    text, _ = draw(documents())
    keys = draw(st.lists(STRINGS, max_size=3))
    pairs = ",".join(f"{key}:{draw(SCALARS)}" for key in keys)
    return draw(st.sampled_from([text, "{" + pairs + "}", f'[{text}, {{"a": {{{pairs}}}}}]']))


@settings(max_examples=300)
@given(repetitive())
def test_what_is_read_at_once_is_what_is_read_with_care(text: str) -> None:
    at_once = JsonDocument.parse(text, file="x")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("pommel.files.json._plain_value", lambda _: None)
        with_care = JsonDocument.parse(text, file="x")
    assert exactly(at_once.value) == exactly(with_care.value)
    assert at_once.has_duplicate_keys == with_care.has_duplicate_keys


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ('{"a": [1, 1.50, 1E5, "é", "\\n", null, true], "b": {}}', True),
        (f"[{'9' * 4300}]", True),
        ("-0", False),
        (f"[{'9' * 4301}]", False),
        ('{"a": 1, "a": 1}', False),
        ('"\\u00e9"', False),
        ('"\\ud800"', False),
        ("NaN", False),
        ("[" * MAX_DEPTH + "]" * MAX_DEPTH, True),
        ("[" * MAX_DEPTH + "1" + "]" * MAX_DEPTH, False),
    ],
)
def test_of_which_texts_nothing_can_be_lost(text: str, *, is_plain: bool) -> None:
    assert JsonDocument.parse(text, file="x").is_plain == is_plain
