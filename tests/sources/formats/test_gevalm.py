"""gevalm's lines: masked sentences and candidates, with whatever else a line says."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.sources.set_round_trips import through_a_suite

from pommel.errors import InputError, SuiteError
from pommel.sources.formats.gevalm import GEVALM, ROWS, gevalm_lines
from pommel.sources.minimal_sets import MinimalSet

INPUT = (
    '{"text": "Der Hund , der Möhren frisst , bellt .", '
    '"text_masked": "Der Hund , der Möhren frisst , [MASK] .", '
    '"candidates": ["bellt", "bellen"], "indexMASK": -2, "case": "Hunde_sg"}\n'
)
OUTPUT = (
    '{"text": "Die Hunde mögen ihn .", "text_masked": "Die Hunde [MASK] ihn .", '
    '"candidates": ["mögen", "mag"], "indexMASK": -3, "case": "Hunde_pl", '
    '"probs": {"mögen": 2.10, "mag": 3.4028234663852886}, '
    '"tokenized": [[["[CLS]", "Die", "m", "##ögen", "[SEP]"]], [["[CLS]", "mag", "[SEP]"]]]}\n'
).replace("ö", "\\u00f6")


def _written(sets: Sequence[MinimalSet]) -> str:
    return "".join(gevalm_lines(sets))


def _parts(pair: MinimalSet) -> tuple[str, str, tuple[str, ...], str]:
    return pair.before, pair.form, pair.others, pair.after


def test_what_is_scored_and_what_has_been_scored() -> None:
    pairs = ROWS.parse_json(INPUT + OUTPUT, file="x.jsonl")
    assert [_parts(each) for each in pairs] == [
        ("Der Hund , der Möhren frisst ,", "bellt", ("bellen",), "."),
        ("Die Hunde", "mögen", ("mag",), "ihn ."),
    ]
    assert pairs[0].fields == {"indexMASK": -2, "case": "Hunde_sg"}
    assert list(pairs[1].fields or {}) == ["indexMASK", "case", "probs", "tokenized"]
    assert _written(pairs) == INPUT + OUTPUT
    assert through_a_suite(pairs) == pairs
    assert _written(through_a_suite(pairs)) == INPUT + OUTPUT


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (  # the index of four published files
            (
                '{"text": "Er liest und singt ein Lied .", "text_masked": "Er liest und [MASK] ein '
                'Lied .", "candidates": ["singt", "singen"], "indexMASK": 8, "case": "x"}'
            ),
            ("Er liest und", "singt", ("singen",), "ein Lied ."),
        ),
        (  # candidates of several words, which share one
            (
                '{"text": "Er hat oft gebellt .", "text_masked": "Er [MASK] gebellt .", '
                '"candidates": ["hat oft", "haben oft"], "indexMASK": -3, "case": "x"}'
            ),
            ("Er", "hat oft", ("haben oft",), "gebellt ."),
        ),
        (  # a mask that is part of a word
            (
                '{"text": "Er bellt.", "text_masked": "Er [MASK].", '
                '"candidates": ["bellt", "bellen"], "case": "x"}'
            ),
            ("Er", "bellt.", ("bellen.",), ""),
        ),
        (
            (
                '{"text": "Er ver-reist .", "text_masked": "Er ver[MASK] .", '
                '"candidates": ["-reist", "-reisen"], "case": "x"}'
            ),
            ("Er", "ver-reist", ("ver-reisen",), "."),
        ),
        (
            (
                '{"case": "x", "candidates": ["bellt!", "bellen!"], "text_masked": "Er  [MASK] ", '
                '"text": "Er bellt!", "more": {"n": 1.50}}'
            ),
            ("Er", "bellt!", ("bellen!",), ""),
        ),
        (
            '{"text": "Er bellt", "text_masked": "Er [MASK]", "candidates": ["bellt", "bellen"]}',
            ("Er", "bellt", ("bellen",), ""),
        ),
    ],
)
def test_odd_lines_come_back(line: str, parts: tuple[str, str, tuple[str, ...], str]) -> None:
    (pair,) = ROWS.parse_json(line, file="x.jsonl")
    assert _parts(pair) == parts
    assert _written([pair]) == f"{line}\n"
    assert _written(through_a_suite([pair])) == f"{line}\n"


def test_what_a_pair_has_become_is_written() -> None:
    line = (
        '{"case": "x", "text": "er bellt", "text_masked": "er [MASK]", '
        '"candidates": ["bellt", "bellen"]}\n'
    )
    (pair,) = ROWS.parse_json(line, file="x.jsonl")
    changed = MinimalSet("Er", pair.form, pair.others, "", pair.fields)
    assert _written([changed]) == line.replace("er [", "Er [").replace("er bellt", "Er bellt")


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (
            MinimalSet.of("Er bellt .", "Er bellen .", fields={"UID": "x"}),
            {
                "text": "Er bellt .",
                "text_masked": "Er [MASK] .",
                "candidates": ["bellt", "bellen"],
                "indexMASK": -2,
                "case": "unnamed",
                "UID": "x",
            },
        ),
        (
            MinimalSet.of('Er ruft "wir bellen?!"', 'Er ruft "wir bellt?!"'),
            {
                "text": 'Er ruft "wir bellen?!"',
                "text_masked": 'Er ruft "wir [MASK]?!"',
                "candidates": ["bellen", "bellt"],
                "indexMASK": -1,
                "case": "unnamed",
            },
        ),
        (  # the sign of a vowel is no punctuation
            MinimalSet.of("„कुत्ता भौंका", "„कुत्ते भौंका"),
            {
                "text": "„कुत्ता भौंका",
                "text_masked": "„[MASK] भौंका",
                "candidates": ["कुत्ता", "कुत्ते"],
                "indexMASK": -2,
                "case": "unnamed",
            },
        ),
        (
            MinimalSet.of("Ja ??", "Ja ?"),
            {
                "text": "Ja ??",
                "text_masked": "Ja [MASK]",
                "candidates": ["??", "?"],
                "indexMASK": -1,
                "case": "unnamed",
            },
        ),
    ],
)
def test_pairs_from_elsewhere_have_one_word_masked(
    pair: MinimalSet, expected: dict[str, object]
) -> None:
    (line,) = gevalm_lines([pair])
    assert list(json.loads(line).items()) == list(expected.items())
    (again,) = ROWS.parse_json(line, file="x.jsonl")
    assert (again.grammatical, again.ungrammatical) == (pair.grammatical, pair.ungrammatical)
    assert _written([again]) == line


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (
            MinimalSet.of("Er ist sehr alt", "Er alt ist sehr"),
            (
                "'Er ist sehr alt' and 'Er alt ist sehr' differ in 'ist sehr alt'; gevalm's format "
                "masks exactly one word"
            ),
        ),
        (
            MinimalSet.of("Er ist alt", "Er alt"),
            (
                "'Er ist alt' and 'Er alt' differ in words that one of them lacks; gevalm's format "
                "masks exactly one word"
            ),
        ),
        (
            MinimalSet.of("Er ist alt", "Er alt", fields={"case": "x"}),
            (
                "'Er ist alt' and 'Er alt' differ in words that one of them lacks; gevalm's format "
                "masks exactly one word"
            ),
        ),
    ],
)
def test_other_contrasts_cannot_be_masked(pair: MinimalSet, message: str) -> None:
    with pytest.raises(InputError) as caught:
        _written([pair])
    assert str(caught.value) == message


EXAMPLE = '{"text": "...", "text_masked": "... [MASK] ...", "candidates": ["...", "..."]}'


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", [f"x.jsonl: there is no minimal pair; write {EXAMPLE}, an object a line"]),
        (
            (
                "{}\n"
                '{"text": "a b", "text_maskd": "a [MASK]", "candidates": ["b"]}\n'
                '{"text": "", "text_masked": "a [MASK] [MASK]", "candidates": [" ", 1]}\n'
                '{"text": "a b", "text_masked": "a [MASK]", "candidates": ["[MASK]", "b"]}\n'
                '{"text": "a b", "text_masked": "a [MASK]", "candidates": ["c", "b"]}\n'
                '{"text": 1, "text_masked": 2, "candidates": {"a": 1, "b": 2}}\n'
            ),
            [
                *(
                    f"x.jsonl:1:1: there is no '{key}'; write {EXAMPLE}"
                    for key in ("text", "text_masked", "candidates")
                ),
                "x.jsonl:2:1: there is no 'text_masked'; rename 'text_maskd'",
                'x.jsonl:2:57: these are not two candidates; write ["good", "bad"] (at candidates)',
                "x.jsonl:3:10: this is no sentence; write its words as a text (at text)",
                (
                    "x.jsonl:3:29: this is no sentence with a mask; "
                    "write [MASK] where a candidate stands, once (at text_masked)"
                ),
                "x.jsonl:3:63: this is no candidate; write its words as a text (at candidates[0])",
                "x.jsonl:3:68: this is no candidate; write its words as a text (at candidates[1])",
                "x.jsonl:4:59: this is no candidate; write its words as a text (at candidates[0])",
                (
                    "x.jsonl:5:10: this is not 'text_masked' with the first candidate; "
                    "it is 'a c' (at text)"
                ),
                "x.jsonl:6:10: this is no sentence; write its words as a text (at text)",
                (
                    "x.jsonl:6:28: this is no sentence with a mask; "
                    "write [MASK] where a candidate stands, once (at text_masked)"
                ),
                'x.jsonl:6:45: these are not two candidates; write ["good", "bad"] (at candidates)',
            ],
        ),
    ],
)
def test_every_fault_has_its_place(text: str, faults: list[str]) -> None:
    with pytest.raises(SuiteError) as caught:
        ROWS.parse_json(text, file="x.jsonl")
    assert str(caught.value).splitlines() == faults


def test_the_first_line_tells_the_format(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(INPUT, "utf-8")
    assert GEVALM.is_like(INPUT)
    assert len(GEVALM.read(path)) == 1
    assert not GEVALM.is_like('{"sentence_good": "a"}\n' + INPUT)


_WORD = st.text('ab.?"ü', min_size=1, max_size=3)
_REST = st.lists(_WORD, max_size=3).map(" ".join)
_FIELDS = st.dictionaries(st.sampled_from(["case", "probs", "x", "text"]), st.text("ü"))


@given(st.lists(st.tuples(_REST, _WORD, _WORD, _REST, st.none() | _FIELDS), max_size=4))
def test_any_sets_are_read_as_they_were_written(
    given_sets: list[tuple[str, str, str, str, dict[str, object] | None]],
) -> None:
    sets = [
        MinimalSet(before, good, (bad,), after, fields)
        for before, good, bad, after, fields in given_sets
        if good != bad
    ]
    text = _written(sets)
    if sets:
        read = ROWS.parse_json(text, file="x.jsonl")
        assert [each.grammatical for each in read] == [each.grammatical for each in sets]
        assert [each.ungrammatical for each in read] == [each.ungrammatical for each in sets]
        assert _written(read) == text
        assert _written(through_a_suite(read)) == text
