"""Targets after their contexts: the JSON of minimal pairs."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sources.set_round_trips import through_a_suite

from pommel.errors import InputError, SuiteError
from pommel.files.json import JsonDocument
from pommel.sources.formats.context_pairs import (
    CONTEXT_PAIRS,
    context_pair_pieces,
    context_pairs,
    parse_context_pairs,
)
from pommel.sources.minimal_sets import MinimalSet

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
    assert CONTEXT_PAIRS.compared == "contrast"
    assert _written(pairs) == TEXT
    assert through_a_suite(pairs) == pairs


@pytest.mark.parametrize(
    "text",
    [
        '[[["The  dog", "The dog "], ["barks .", "bark ."]]]',
        '[[["The dog", "The dog"], [" barks .", " bark ."]]]',
        '[[["", " "], ["barks", "bark\\n"]]]',
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


def test_items_may_have_two_contexts_where_targets_are_scored() -> None:
    document = JsonDocument.parse('[[["a", "b"], ["c", "c"]]]', file="x.json")
    assert context_pairs(document) == [(("a", "b"), ("c", "c"))]


ITEM = "[[context, context], [good target, bad target]]"


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (
            " ",
            [f"x.json:1:1: this is not JSON: the file is empty; write [{ITEM}, ...]"],
        ),
        ("{}", [f"x.json:1:1: this is no list of minimal pairs; write [{ITEM}, ...]"]),
        (
            '[[["a", "a"], ["c", "d"]],\n [["a", "a"], ["c"]]]',
            [f"x.json:2:2: this item is no minimal pair; write {ITEM} (at [1])"],
        ),
        (
            '[[["a", "b"], ["c", "d"]],\n [["a", "a"], ["c", " c"]]]',
            [
                (
                    "x.json:1:9: this is another context than the first; write it twice, or score "
                    "both with `pommel conditional` (at [0][0][1])"
                ),
                (
                    "x.json:2:21: both targets are the same; "
                    "write what is ungrammatical (at [1][1][1])"
                ),
            ],
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
