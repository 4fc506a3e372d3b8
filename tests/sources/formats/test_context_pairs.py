"""Targets after contexts: minimal pairs in JSON, and tables."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.sources.set_round_trips import through_a_suite

from pommel.errors import InputError, SuiteError
from pommel.sources.formats.context_pairs import (
    CONTEXT_PAIRS,
    TargetTable,
    context_pair_pieces,
    parse_context_pairs,
)
from pommel.sources.minimal_sets import MinimalSet, suite_items

TEXT = (
    '[[["Katuak", "Katuak"], ["ikusi du .", "ikusi dute ."]], '
    '[["लड़का", "लड़का"], ["दौड़ता है।", "दौड़ती है।"]], [["", ""], ["Ura", "Urak"]]]'
)


def _written(sets: Sequence[MinimalSet]) -> str:
    return "".join(context_pair_pieces(sets))


def test_a_target_is_the_contrast() -> None:
    pairs = parse_context_pairs(TEXT, file="x.json")
    assert pairs == [
        MinimalSet("Katuak", "ikusi du .", ("ikusi dute .",), ""),
        MinimalSet("लड़का", "दौड़ता है।", ("दौड़ती है।",), ""),
        MinimalSet("", "Ura", ("Urak",), ""),
    ]
    assert _written(pairs) == TEXT
    assert through_a_suite(pairs) == pairs


@pytest.mark.parametrize(
    "text",
    [
        '[[["The  dog", "The dog "], ["barks .", "bark ."]]]',
        '[[["The dog", "The dog"], [" barks .", " bark ."]]]',
        '[[["", " "], ["barks", "bark\\n"]]]',
        '[[["The  dog", "The  dogs "], [" barks", "barks"]]]',
    ],
)
def test_stray_spaces_come_back(text: str) -> None:
    pairs = parse_context_pairs(text, file="x.json")
    assert _written(pairs) == text
    assert _written(through_a_suite(pairs)) == text


def test_what_a_pair_has_become_is_written() -> None:
    text = '[[["the  dog", "the dog"], ["barks", "bark"]]]'
    (pair,) = parse_context_pairs(text, file="x.json")
    changed = MinimalSet("The dog", pair.form, pair.others, ".", pair.fields)
    assert _written([changed]) == '[[["The dog", "The dog"], ["barks .", "bark ."]]]'
    foreign = MinimalSet("The", "dog", ("dogs",), "", {"contexts": ["The"], "targets": "dog dogs"})
    assert _written([foreign]) == '[[["The", "The"], ["dog", "dogs"]]]'


def test_pairs_from_elsewhere() -> None:
    sets = [MinimalSet.of("I am old", "I is old", "I are old"), MinimalSet.of("a b", "c b")]
    assert json.loads(_written(sets)) == [
        [["I", "I"], ["am old", "is old"]],
        [["I", "I"], ["am old", "are old"]],
        [["", ""], ["a b", "c b"]],
    ]
    assert _written([]) == "[]"


def test_a_target_is_never_empty() -> None:
    with pytest.raises(InputError) as caught:
        _written([MinimalSet.of("it rains", "it rains cats")])
    assert str(caught.value) == (
        "'it rains' and 'it rains cats' cannot be written as targets after a context: "
        "one goes on where the other ends, and a target would be empty"
    )


def test_two_contexts_are_those_of_the_conditions() -> None:
    text = '[[["The author", "The authors"], ["is good .", "is good ."]], [["", "A"], ["b", "c"]]]'
    pairs = parse_context_pairs(text, file="x.json")
    assert pairs == [
        MinimalSet("", "is good .", ("is good .",), "", contexts=("The author", "The authors")),
        MinimalSet("", "b", ("c",), "", contexts=("", "A")),
    ]
    # The targets are spelt alike, and what they follow is not.
    assert not pairs[0].is_tied
    assert _written(pairs) == text
    assert through_a_suite(pairs) == pairs
    good, bad = next(suite_items(pairs))["conditions"]
    assert (good["context"], bad["context"]) == ("The author", "The authors")
    assert good["regions"] == bad["regions"]


def test_contexts_of_sets_of_three() -> None:
    found = MinimalSet("the", "dog", ("dogs", "cats"), "", contexts=("a", "b", "c"))
    assert json.loads(_written([found])) == [
        [["a", "b"], ["the dog", "the dogs"]],
        [["a", "c"], ["the dog", "the cats"]],
    ]
    assert through_a_suite([found]) == [found]


ITEM = "[[context, context], [good target, bad target]]"


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (" ", [f"x.json:1:1: this is not JSON: the file is empty; write [{ITEM}, ...]"]),
        ("{}", [f"x.json:1:1: this is no list of minimal pairs; write [{ITEM}, ...]"]),
        (
            '[[["a", "a"], ["c", "d"]],\n [["a", "a"], ["c"]]]',
            [f"x.json:2:2: this item is no minimal pair; write {ITEM} (at [1])"],
        ),
    ],
)
def test_every_fault_has_its_place(text: str, faults: list[str]) -> None:
    with pytest.raises(SuiteError) as caught:
        parse_context_pairs(text, file="x.json")
    assert str(caught.value).splitlines() == faults


def test_a_list_tells_the_format(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(f"\ufeff{TEXT}", "utf-8")
    assert len(CONTEXT_PAIRS.read(path)) == 3
    assert CONTEXT_PAIRS.is_like(f"\n {TEXT}")
    assert not CONTEXT_PAIRS.is_like('{"items": []}')


_WORDS = st.lists(st.text("ab।é", min_size=1, max_size=2), max_size=3).map(" ".join)


@given(st.lists(st.tuples(_WORDS, _WORDS, _WORDS, _WORDS), max_size=4))
def test_any_sets_are_read_as_they_were_written(parts: list[tuple[str, str, str, str]]) -> None:
    sets = [
        MinimalSet(before, form, (other,), after)
        for before, form, other, after in parts
        if f"{form} {after}".strip() and f"{other} {after}".strip() and form != other
    ]
    text = _written(sets)
    items = json.loads(text)
    assert json.dumps(items, ensure_ascii=False) == text
    if sets:
        read = parse_context_pairs(text, file="x.json")
        assert [each.grammatical for each in read] == [each.grammatical for each in sets]
        assert [each.ungrammatical for each in read] == [each.ungrammatical for each in sets]
        assert _written(read) == text


def faults(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        TargetTable.parse(text, file="f")
    return str(caught.value).splitlines()


# --- tables


@pytest.mark.parametrize(
    "text",
    [
        "context\ttarget\nThe dog\tbarks .\n\tA cat, too\n",
        'context,target\nThe dog,barks .\n,"A cat, too"\n',
        "context\ttarget\r\nThe dog\tbarks .\r\n\r\n\tA cat, too",
        '\n"context","target"\r"The dog","barks ."\r"","A cat, too"\r',
    ],
)
def test_tabs_or_commas(text: str) -> None:
    table = TargetTable.parse(text, file="f")
    assert table.pairs == [("The dog", "barks ."), ("", "A cat, too")]
    assert not table.has_labels


def test_all_columns_are_kept_and_every_field_is_the_text_that_stands_there() -> None:
    text = 'id,target,n,context\n007,NA,1.50,null\n,"say ""no""\nnow",,\n'
    assert TargetTable.parse(text, file="f") == TargetTable(
        columns=("id", "target", "n", "context"),
        rows=(("007", "NA", "1.50", "null"), ("", 'say "no"\nnow', "", "")),
    )


def test_commas_are_text_where_tabs_separate() -> None:
    table = TargetTable.parse("context\ttarget\nYes, he\tsaid so, too\n", file="f")
    assert table.pairs == [("Yes, he", "said so, too")]


def test_a_tab_below_the_header_separates_nothing() -> None:
    table = TargetTable.parse("context,target\ra\tb,c\r", file="f")
    assert table.pairs == [("a\tb", "c")]


TWO = "header has 2"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["f:1:1: the file is empty; its first line is context,target"]),
        (
            "context\tx\na\tb\n",
            ["f:1:1: the column 'target' is missing; write context, target, with tabs between"],
        ),
        (
            "context,target\na,b,c\na,b\n\na\n",
            [
                (
                    f"f:2:5: this row has 3 fields, and the {TWO}; "
                    "put text with a comma between quotes"
                ),
                f"f:5:1: this row has 1 field, and the {TWO}; an empty field has its comma, too",
            ],
        ),
        (
            'context,target\n"a\nb",c\na,\na, \n',
            [
                "f:4:3: the target is empty; write the words to score",
                "f:5:3: the target is empty; write the words to score",
            ],
        ),
        (
            'context\ttarget\na\t"Yes," he said\nb\n',
            [
                "f:2:9: there is text behind the quote that ends the field; "  # noqa: ISC004
                'write a quote that is part of the text ""',
                f"f:3:1: this row has 1 field, and the {TWO}; an empty field has its tab, too",
            ],
        ),
    ],
)
def test_every_fault_of_a_table_has_its_line(text: str, expected: list[str]) -> None:
    assert faults(text) == expected


# --- JSON


def test_minimal_pairs_are_two_rows_each() -> None:
    items = [[["The dog", "The dogs"], ["barks .", "barks ."]], [["", "A"], ["cat", "cats"]]]
    assert TargetTable.parse(json.dumps(items), file="f") == TargetTable(
        columns=("item", "label", "context", "target"),
        rows=(
            ("1", "good", "The dog", "barks ."),
            ("1", "bad", "The dogs", "barks ."),
            ("2", "good", "", "cat"),
            ("2", "bad", "A", "cats"),
        ),
        has_labels=True,
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", [f"f:1:1: this is no list of minimal pairs; write [{ITEM}, ...]"]),
        (" []", [f"f:1:2: this is no list of minimal pairs; write [{ITEM}, ...]"]),
        (
            """[[["a", "b"], ["c", "d"]],
 ["a", "b"], [["a"], ["c", "d"]],
 [["a", "b"], ["c", 1]], [["a", "b"], ["c", " "]]]""",
            [
                f"f:2:2: this item is no minimal pair; write {ITEM} (at [1])",
                f"f:2:14: this item is no minimal pair; write {ITEM} (at [2])",
                f"f:3:2: this item is no minimal pair; write {ITEM} (at [3])",
                "f:3:45: the target is empty; write the words to score (at [4][1][1])",
            ],
        ),
    ],
)
def test_every_fault_of_json_has_its_place(text: str, expected: list[str]) -> None:
    assert faults(text) == expected


def test_no_more_faults_are_told_than_of_a_table() -> None:
    assert len(faults(json.dumps([0] * 1_001))) == 1_000


def test_faults_of_json_are_values() -> None:
    with pytest.raises(SuiteError) as caught:
        TargetTable.parse("[1]", file="f")
    assert [(each.line, each.column) for each in caught.value.faults] == [(1, 2)]


# --- files


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "targets.tsv"
    path.write_bytes("context\ttarget\nUn café\tnaïf\n".encode())
    assert TargetTable.read(path).pairs == [("Un café", "naïf")]
    path.write_bytes("context\ttarget\nUn café\tnaïf\n".encode("latin-1"))
    with pytest.raises(InputError, match=f"{path}:2:7: the byte 0xe9 is not UTF-8"):
        TargetTable.read(path)
    with pytest.raises(InputError, match=r"none\.tsv: No such file or directory"):
        TargetTable.read(tmp_path / "none.tsv")
