"""BLiMP's lines: byte by byte what they were, also through a suite."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.sources.set_round_trips import through_a_suite

from pommel.errors import SuiteError
from pommel.sources.formats.blimp import BLIMP, ROWS, blimp_lines
from pommel.sources.formats.pair_rows import mended_text
from pommel.sources.minimal_sets import MinimalSet

PARADIGMS = (
    "adjunct_island",
    "anaphor_number_agreement",
    "regular_plural_subject_verb_agreement_1",
)
REST = (
    '"field": "syntax", "linguistics_term": "agreement", "UID": "x", "simple_LM_method": true, '
    '"one_prefix_method": false, "two_prefix_method": false, "lexically_identical": false, '
    '"pairID": "7"'
)


def _written(sets: Sequence[MinimalSet]) -> str:
    return "".join(blimp_lines(sets))


@pytest.mark.parametrize("name", PARADIGMS)
def test_the_published_files_come_out_as_they_went_in(shared_data: Path, name: str) -> None:
    path = shared_data / "blimp" / f"{name}.jsonl"
    raw = path.read_bytes()
    pairs = BLIMP.read(path)
    assert len(pairs) == 1000
    assert {(each.fields or {})["UID"] for each in pairs} == {name}
    assert "sentence_good" not in (pairs[0].fields or {})
    assert _written(pairs).encode() == raw
    again = through_a_suite(pairs)
    assert again == pairs
    assert _written(again).encode() == raw
    assert BLIMP.is_like(raw.decode()[:4096])


@pytest.mark.parametrize(
    "keys",
    [
        "",
        (
            '"one_prefix_prefix": "The cats", "one_prefix_word_good": "sleep", '
            '"one_prefix_word_bad": "sleeps", '
        ),
        (
            '"two_prefix_prefix_good": "The cats", "two_prefix_prefix_bad": "The cat", '
            '"two_prefix_word": "sleep", '
        ),
        '"crucial_item": "sleep", ',
        '"dependency_length": 2, ',
        '"two_prefix_prefix_good": "The", "crucial_item": null, "mine": [1.50, {"é": -0}], ',
    ],
)
def test_all_keys_are_kept(keys: str) -> None:
    sentences = '"sentence_good": "The cats sleep.", "sentence_bad": "The cats sleeps."'
    line = f"{{{sentences}, {keys}{REST}}}\n"
    (pair,) = ROWS.parse_json(line, file="x.jsonl")
    assert (pair.before, pair.form, pair.others, pair.after) == (
        "The cats",
        "sleep.",
        ("sleeps.",),
        "",
    )
    assert list(pair.fields or {}) == [*json.loads(f"{{{keys}{REST}}}")]
    assert _written([pair]) == line
    assert _written(through_a_suite([pair])) == line


@pytest.mark.parametrize(
    "line",
    [
        '{"sentence_good": "A  b.", "sentence_bad": "A c.", "pairID": 1}',
        '{"sentence_good": "A b.", "sentence_bad": " A\tc. ", "pairID": 1}'.replace("\t", "\\t"),
        '{"pairID": "1", "sentence_good": "A b.", "sentence_bad": "A c."}',
        '{"sentence_bad": "A c.", "sentence_good": "A b.", "pairID": "1"}',
        '{"sentence_good": "A b.", "sentence_bad": "A c."}',
        '{"sentence_good": "A b.", "sentence_bad": "A c.", "note": 1.0}',
    ],
)
def test_other_orders_and_stray_spaces_come_back(line: str) -> None:
    (pair,) = ROWS.parse_json(line, file="x.jsonl")
    assert (pair.grammatical, pair.ungrammatical) == ("A b.", ("A c.",))
    assert _written([pair]) == f"{line}\n"
    assert _written(through_a_suite([pair])) == f"{line}\n"


@pytest.mark.parametrize("space", ["\u00a0", "\u202f", "\u3000"])
def test_the_blanks_of_unicode_are_scored(space: str) -> None:
    start = f"Les chats{space}!"
    line = f'{{"sentence_good": "{start} dorment", "sentence_bad": "{start} dort"}}\n'
    (pair,) = ROWS.parse_json(line, file="x.jsonl")
    assert (pair.before, pair.form) == (f"Les chats{space}!", "dorment")
    (again,) = through_a_suite([pair])
    assert again.grammatical == f"Les chats{space}! dorment"
    assert _written([again]) == line


@pytest.mark.parametrize("sentence", ["\u3000Le chat\u00a0! dort", "Le chat \u00a0 ! dort"])
def test_blanks_that_a_suite_mends_come_back(sentence: str) -> None:
    line = f'{{"sentence_good": "{sentence}", "sentence_bad": "{sentence}s", "UID": "x"}}\n'
    (pair,) = ROWS.parse_json(line, file="x.jsonl")
    assert _written([pair]) == line
    assert _written(through_a_suite([pair])) == line


def test_what_a_pair_has_become_is_written() -> None:
    (pair,) = ROWS.parse_json(
        '{"sentence_good": "a  b.", "sentence_bad": "a c.", "pairID": "1"}', file="x.jsonl"
    )
    changed = MinimalSet("A", pair.form, pair.others, "", pair.fields)
    assert _written([changed]) == (
        '{"sentence_good": "A b.", "sentence_bad": "A c.", "pairID": "1"}\n'
    )


def test_pairs_from_elsewhere_have_what_readers_ask_for() -> None:
    sets = [MinimalSet.of("I am", "I is", "I are"), MinimalSet.of("ü b", "ü c", fields={"n": 1})]
    assert [json.loads(line) for line in blimp_lines(sets)] == [
        {
            "sentence_good": good,
            "sentence_bad": bad,
            "field": None,
            "linguistics_term": None,
            "UID": "unnamed",
            "simple_LM_method": True,
            "one_prefix_method": False,
            "two_prefix_method": False,
            "lexically_identical": None,
            "pairID": number,
            **more,
        }
        for good, bad, number, more in (
            ("I am", "I is", "0", {}),
            ("I am", "I are", "1", {}),
            ("ü b", "ü c", "2", {"n": 1}),
        )
    ]
    assert '"ü b"' in _written(sets)


EXAMPLE = '{"sentence_good": "...", "sentence_bad": "..."}'


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", [f"x.jsonl: there is no minimal pair; write {EXAMPLE}, an object a line"]),
        (
            (
                '\ufeff{"sentence_good": "a b", "sentence_bad": "a c"}\r\n'
                "\r\n"
                '{"UID": "x", "sentence_god": "a b", "sentence_bad": 1}\r\n'
                '{"sentence_bad": "a"}\r\n'
                '{"sentence_good": " ", "sentence_bad": ""}\r\n'
                '{"sentence_good": "a b"\r\n'
            ),
            [
                "x.jsonl:3:1: there is no 'sentence_good'; rename 'sentence_god'",
                "x.jsonl:3:53: this is no sentence; write its words as a text (at sentence_bad)",
                f"x.jsonl:4:1: there is no 'sentence_good'; write {EXAMPLE}",
                "x.jsonl:5:19: this is no sentence; write its words as a text (at sentence_good)",
                "x.jsonl:5:40: this is no sentence; write its words as a text (at sentence_bad)",
                (
                    "x.jsonl:6:24: this is not JSON: the line ends too early; "
                    "the { in line 6 is never closed"
                ),
            ],
        ),
    ],
)
def test_every_fault_has_its_place(text: str, faults: list[str]) -> None:
    with pytest.raises(SuiteError) as caught:
        ROWS.parse_json(text, file="x.jsonl")
    assert str(caught.value).splitlines() == faults


def test_the_first_line_tells_the_format() -> None:
    assert BLIMP.is_like('\n{"UID": "x", "sentence_good": "a"}\n')
    assert not BLIMP.is_like('{"text_masked": "a"}\n{"sentence_good": "a"}\n')
    assert not BLIMP.is_like("")


_TEXT = st.lists(st.text("ab.ü\u2028", min_size=1, max_size=2), min_size=1, max_size=4)
_FIELDS = st.dictionaries(
    st.sampled_from(["UID", "pairID", "mine", "sentence_good"]), st.text() | st.integers()
)


@given(st.lists(st.tuples(_TEXT, _TEXT, st.none() | _FIELDS), max_size=4))
def test_any_sets_are_read_as_they_were_written(
    given_pairs: list[tuple[list[str], list[str], dict[str, object] | None]],
) -> None:
    sets = [
        MinimalSet.of(" ".join(good), " ".join(bad), fields=fields)
        for good, bad, fields in given_pairs
    ]
    # A suite takes U+2028 for white space: it may mend one sentence to nothing, or to the other.
    sets = [
        each
        for each in sets
        if len({"", *map(mended_text, (each.grammatical, *each.ungrammatical))}) == 3
    ]
    text = _written(sets)
    if sets:
        read = ROWS.parse_json(text, file="x.jsonl")
        assert [each.grammatical for each in read] == [each.grammatical for each in sets]
        assert [each.ungrammatical for each in read] == [each.ungrammatical for each in sets]
        assert _written(read) == text
        assert _written(through_a_suite(read)) == text
    else:
        assert text == ""
