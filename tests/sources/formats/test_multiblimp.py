"""MultiBLiMP's tables: every column as it was, and what pandas makes of them."""

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.sources.set_round_trips import through_a_suite

from pommel.errors import InputError, SuiteError
from pommel.files.json import WrittenFloat
from pommel.sources.formats.multiblimp import MULTIBLIMP, multiblimp_lines, parse_multiblimp
from pommel.sources.minimal_sets import MinimalSet

HEADER = (
    "sen\twrong_sen\tprefix\tverb\tverb_idx\tcop\tcop_idx\tchild\tchild_features\thead\t"
    "distance\tattractors\tfeature_vals\thas_attractors\n"
)
ROWS = (
    "Die Katzen schlafen .\tDie Katzen schläft .\tDie Katzen\tschlafen\t2\t\t\tKatzen\t"
    "{'Number': 'Plur'}\tschlafen\t1\t[]\tPL -> SG\tFalse\n"
    '"„So"", sagt sie, ""ist es."\t"„So"", sagen sie, ""ist es."\t"„So"","\tsagt\t1\t\t1.0\tsie\t'
    "{'Number': 'Sing', 'Person': '3'}\tsagt\t-1\t[{'feats': 1}]\tSG -> PL\tTrue\n"
)


def _written(sets: Sequence[MinimalSet]) -> str:
    return "".join(multiblimp_lines(sets))


def test_every_column_comes_back() -> None:
    pairs = parse_multiblimp(HEADER + ROWS, file="x.tsv")
    first, second = pairs
    assert (first.before, first.form, first.others, first.after) == (
        "Die Katzen",
        "schlafen",
        ("schläft",),
        ".",
    )
    assert list(first.fields or {}) == HEADER.strip().split("\t")[2:]
    assert (first.fields or {})["verb_idx"] == "2"
    assert second.grammatical == '„So", sagt sie, "ist es.'
    assert _written(pairs) == HEADER + ROWS
    assert through_a_suite(pairs) == pairs


def test_pandas_reads_what_is_written_and_writes_it_likewise() -> None:
    pandas = pytest.importorskip("pandas")
    text = _written(parse_multiblimp(HEADER + ROWS, file="x.tsv"))
    table = pandas.read_csv(io.StringIO(text), sep="\t", dtype=str, keep_default_na=False)
    assert list(table.columns) == HEADER.strip().split("\t")
    assert table["sen"].tolist() == ["Die Katzen schlafen .", '„So", sagt sie, "ist es.']
    assert table.to_csv(sep="\t", index=False, lineterminator="\n") == text


@pytest.mark.parametrize(
    "text",
    [
        "sen\twrong_sen\na b\ta c\n",
        "wrong_sen\tsen\na c\ta b\n",
        "\tid\tsen\twrong_sen\n0\tx\ta b\ta c\n1\ty\ta  b\ta c\n",
        "sen\twrong_sen\tn\na  b\t a c\t1\na b\ta c\t2\n",
    ],
)
def test_other_orders_and_stray_spaces_come_back(text: str) -> None:
    pairs = parse_multiblimp(text, file="x.tsv")
    assert {each.grammatical for each in pairs} == {"a b"}
    assert {each.ungrammatical for each in pairs} == {("a c",)}
    assert _written(pairs) == text
    assert _written(through_a_suite(pairs)) == text


def test_what_a_pair_has_become_is_written() -> None:
    (pair,) = parse_multiblimp("id\tsen\twrong_sen\n1\ta b\ta c\n", file="x.tsv")
    changed = MinimalSet("A", pair.form, pair.others, "", pair.fields)
    assert _written([changed]) == "id\tsen\twrong_sen\n1\tA b\tA c\n"


def test_pairs_from_elsewhere_have_columns_for_what_is_known_of_them() -> None:
    assert _written([]) == "sen\twrong_sen\n"
    assert _written([MinimalSet.of("I am", "I is", "I are")]) == (
        "sen\twrong_sen\nI am\tI is\nI am\tI are\n"
    )
    fields = {"a": True, "b": None, "c": WrittenFloat("1.50"), "d": ["é", 1], "e": 'x"y'}
    assert _written([MinimalSet.of("I am", "I is", fields=fields)]) == (
        'sen\twrong_sen\ta\tb\tc\td\te\nI am\tI is\tTrue\t\t1.50\t"[""é"", 1]"\t"x""y"\n'
    )


@pytest.mark.parametrize(
    ("fields", "odd"),
    [
        ({}, "n, m"),
        ({"n": "1", "m": "2", "k": "3"}, "k"),
    ],
)
def test_a_table_has_one_set_of_columns(fields: dict[str, str], odd: str) -> None:
    first = MinimalSet.of("a b", "a c", fields={"n": "1", "m": "2"})
    with pytest.raises(InputError) as caught:
        _written([first, MinimalSet.of("a d", "a e", fields=fields)])
    assert str(caught.value) == (
        f"the pair of 'a d' and the first one do not both have {odd}; "
        "all rows of a table have the same columns"
    )


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (
            "id\tsen\twrongsen\tid\n1\ta\n",
            [
                "x.tsv:1:1: the column 'wrong_sen' is missing; rename 'wrongsen'",
                (
                    "x.tsv:1:17: the column 'id' stands here for the second time; "
                    "remove one of the two"
                ),
            ],
        ),
        (
            (
                'id\tsen\twrong_sen\r\n"1\n1"\ta b\ta c\r\n\r\n1\ta\r\n1\t\t \r\n'
                '1\t"a\tb\r\n1\ta\tb\r\n'
            ),
            [
                (
                    "x.tsv:5:3: this row has 2 fields, and the header has 3; an empty field has "
                    "its tab, too"
                ),
                "x.tsv:6:3: this is no sentence; write its words",
                "x.tsv:6:4: this is no sentence; write its words",
                (
                    "x.tsv:7:3: this quote is never closed; close it; a quote that is part of the "
                    'text is written "", and between quotes'
                ),
            ],
        ),
    ],
)
def test_every_fault_has_its_place(text: str, faults: list[str]) -> None:
    with pytest.raises(SuiteError) as caught:
        parse_multiblimp(text, file="x.tsv")
    assert str(caught.value).splitlines() == faults


def test_the_header_tells_the_format(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(HEADER + ROWS, "utf-8")
    assert MULTIBLIMP.is_like(path.read_text("utf-8")[:4096])
    assert len(MULTIBLIMP.read(path)) == 2
    assert MULTIBLIMP.is_like('\n"sen"\t"wrong_sen"\r\n')
    assert not MULTIBLIMP.is_like("grammatical\tungrammatical\n")
    assert not MULTIBLIMP.is_like("")


_CELL = st.text("a \t\"\n\r',é", max_size=4)
_WORDS = st.lists(st.text("ab\"é'", min_size=1, max_size=2), min_size=1, max_size=3).map(" ".join)


@given(st.lists(st.tuples(_WORDS, _WORDS, _CELL, _CELL), min_size=1, max_size=4))
def test_any_sets_are_read_as_they_were_written(cells: list[tuple[str, str, str, str]]) -> None:
    sets = [
        MinimalSet.of(good, bad, fields={"n\t": first, "sen ": second})
        for good, bad, first, second in cells
        if good != bad
    ]
    text = _written(sets)
    if sets:
        assert parse_multiblimp(text, file="x.tsv") == sets
