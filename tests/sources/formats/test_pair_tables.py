"""Tables of pairs: every column as it was, and what pandas makes of MultiBLiMP's."""

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.sources.set_round_trips import through_a_suite

from pommel.errors import InputError, SuiteError, UsageError
from pommel.files.json import WrittenFloat
from pommel.sources.formats.pair_tables import (
    JSON,
    MULTIBLIMP,
    PairColumns,
    PairTable,
    TablePairs,
)
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


_COLUMNS = PairColumns(("sen", "wrong_sen"), separator="\t")


def _written(sets: Sequence[MinimalSet]) -> str:
    return "".join(_COLUMNS.lines(sets))


def test_every_column_comes_back() -> None:
    pairs = _COLUMNS.parse_csv(HEADER + ROWS, file="x.tsv")
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
    text = _written(_COLUMNS.parse_csv(HEADER + ROWS, file="x.tsv"))
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
    pairs = _COLUMNS.parse_csv(text, file="x.tsv")
    assert {each.grammatical for each in pairs} == {"a b"}
    assert {each.ungrammatical for each in pairs} == {("a c",)}
    assert _written(pairs) == text
    assert _written(through_a_suite(pairs)) == text


def test_what_a_pair_has_become_is_written() -> None:
    (pair,) = _COLUMNS.parse_csv("id\tsen\twrong_sen\n1\ta b\ta c\n", file="x.tsv")
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
        _COLUMNS.parse_csv(text, file="x.tsv")
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
        assert _COLUMNS.parse_csv(text, file="x.tsv") == sets


def _pairs(path: Path, columns: PairColumns) -> TablePairs:
    table = PairTable.read(path)
    pairs = TablePairs(table=table, columns=replace(columns, separator=table.separator))
    pairs.check()
    return pairs


DUTCH = PairColumns(
    ("Sentence",),
    label="Grammaticality",
    value="Grammatical",
    ids=("Paradigm", "Item"),
    critical="Critical",
)


def test_two_rows_are_a_pair_wherever_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    rows = [
        "Paradigm,Item,Grammaticality,Sentence,Critical,Rating",
        "1,1,Ungrammatical,Wij zingt heel mooi.,mooi,2.5",
        "1,2,Grammatical,De wren wacht hier.,hier,6",
        "1,1,Grammatical,Hij zingt heel mooi.,mooi,6.5",
        "1,2,Ungrammatical,De wren wachten hier.,wachten,1",
    ]
    path.write_text("".join(f"{row}\n" for row in rows))
    pairs = [*_pairs(path, DUTCH)]
    assert [each.sentences for each in pairs] == [
        ("Hij zingt heel mooi.", "Wij zingt heel mooi."),
        ("De wren wacht hier.", "De wren wachten hier."),
    ]
    assert pairs[0].fields == {
        "Paradigm": "1",
        "Item": "1",
        "Grammaticality": ["Grammatical", "Ungrammatical"],
        "Sentence": ["Hij zingt heel mooi.", "Wij zingt heel mooi."],
        "Critical": "mooi",
        "Rating": ["6.5", "2.5"],
    }
    assert (pairs[0].before, pairs[0].form, *pairs[0].parts_after) == (
        "",
        "Hij",
        "zingt heel",
        "mooi.",
        "",
    )
    # Words that differ are no words behind the contrast.
    assert (pairs[1].before, pairs[1].form, *pairs[1].parts_after) == (
        "De wren",
        "wacht",
        "",
        "",
        "hier.",
    )
    # The good row of a pair comes first, the rows are those that were there.
    order = [0, 3, 1, 2, 4]
    assert "".join(DUTCH.lines(pairs)) == "".join(f"{rows[at]}\n" for at in order)
    suite = through_a_suite(pairs, has_critical=True)
    assert "".join(DUTCH.lines(suite)) == "".join(DUTCH.lines(pairs))


def test_either_sentence_may_be_the_good_one(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    text = (
        '{"a": "the wren sings", "b": "the wren sing", "label": 0.0}\n'
        '{"a": "the owls waits", "b": "the owls wait", "label": 1.0}\n'
    )
    path.write_text(text)
    columns = PairColumns(("a", "b"), label="label", value="0")
    pairs = _pairs(path, columns)
    assert [each.sentences for each in pairs] == [
        ("the wren sings", "the wren sing"),
        ("the owls wait", "the owls waits"),
    ]
    again = through_a_suite([*pairs])
    assert "".join(pairs.columns.lines(again)) == text


def test_contexts_stand_before_the_sentences(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    row = {"good_prefix": "a wren", "bad_prefix": "a stone", "phrase": "has wings.", "n": 1}
    path.write_text(json.dumps([row], indent=1))
    columns = PairColumns(("phrase", "phrase"), contexts=("good_prefix", "bad_prefix"))
    (pair,) = _pairs(path, columns)
    assert (pair.contexts, pair.sentences) == (("a wren", "a stone"), ("has wings.", "has wings."))
    assert not pair.is_tied
    assert [json.loads(line) for line in replace(columns, separator=JSON).lines([pair])] == [row]
    (shared,) = _pairs(path, PairColumns(("phrase", "phrase"), contexts=("good_prefix",)))
    assert shared.contexts == ("a wren", "a wren")
    assert shared.is_tied


FAULTS = {
    "x.csv": (
        "good,bad\na b,a c\n,a d\na e, \n",
        ["x.csv:3:1: this is no sentence", "x.csv:4:5: this is no sentence"],
    ),
    "x.jsonl": (
        '{"good": "a b", "bad": 1}\n{"good": "a b"}\n[]\n',
        [
            "x.jsonl:1:24: this is no sentence",
            "x.jsonl:2:1: this is no sentence",
            "x.jsonl:3:1: this is no JSON object",
        ],
    ),
    "x.json": (
        '[{"good": "a b", "bad": "a c"},\n {"good": null, "bad": "a"}, 1]',
        ["x.json:2:11: this is no sentence", "x.json:2:30: this is no object"],
    ),
    "y.csv": ("good,bad\n", ["y.csv:1:1: there is nothing but a header"]),
}


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_of_a_table_is_told_where_it_stands(name: str, tmp_path: Path) -> None:
    text, faults = FAULTS[name]
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(SuiteError) as caught:
        _pairs(path, PairColumns(("good", "bad")))
    told = str(caught.value).replace(f"{tmp_path}/", "").splitlines()
    assert [each.split(";")[0] for each in told] == faults


def test_rows_without_another_one_are_faults(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        "Paradigm,Item,Grammaticality,Sentence,Critical\n"
        "1,1,Grammatical,a b c,c\n1,1,Grammatical,a d c,c\n1,2,Ungrammatical,a e c,c\n"
    )
    with pytest.raises(SuiteError) as caught:
        _pairs(path, DUTCH)
    rows = "x.csv:3:5: two rows of a pair have 'Grammatical', 'Grammatical'"
    assert str(caught.value).replace(f"{tmp_path}/", "").splitlines() == [
        f"{rows} here; --label Grammaticality=VALUE says what the good one has",
        "x.csv:4:19: this row has no other one; the two rows of a pair agree in Paradigm, Item",
    ]


def test_columns_and_labels_that_a_table_lacks(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("good,bad,which\na b,a c,x\na b,a c,y\na b,a c,z\n")
    with pytest.raises(UsageError) as caught:
        _pairs(path, PairColumns(("goood", "bad")))
    hint = "did you mean 'good'? it has 'good', 'bad', 'which'"
    assert str(caught.value) == f"{path}: there is no column 'goood'; {hint}"
    with pytest.raises(UsageError) as caught:
        _pairs(path, PairColumns(("good", "bad"), label="which", value="x"))
    assert str(caught.value) == (
        f"{path}: the column 'which' has 'x', 'y', 'z'; say which of two values it has where "
        "'good' is the good sentence, as in --label which=x"
    )


def test_parquet_keeps_its_values_as_json(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "x.parquet"
    rows = [
        {"good": "a b", "bad": "a c", "n": 1, "x": 0.5, "l": ["p", None], "d": date(2026, 1, 2)},
        {"good": "a d", "bad": "a e", "n": None, "x": float("nan"), "l": [], "d": None},
    ]
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    pairs = [*_pairs(path, PairColumns(("good", "bad")))]
    assert [each.fields for each in pairs] == [
        {"n": 1, "x": 0.5, "l": ["p", None], "d": "2026-01-02"},
        {"n": None, "x": None, "l": [], "d": None},
    ]
    parquet.write_table(pyarrow.Table.from_pylist([{"good": "a b", "bad": None}]), path)
    with pytest.raises(SuiteError) as caught:
        _pairs(path, PairColumns(("good", "bad")))
    assert str(caught.value) == f"{path}: this is no sentence; write its words (at row 1, bad)"
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match=r"x\.parquet: this is no Parquet that can be read \("):
        PairTable.read(path)


@pytest.mark.parametrize(
    "source",
    [
        None,
        "pairs",
        {"format": "blimp", "columns": ["a", "b"]},
        {"format": "pairs"},
        {"format": "pairs", "columns": ["a", 1]},
        {"format": "pairs", "columns": ["a", "b", "c"]},
        {"format": "pairs", "columns": ["a", "b"], "label": 3},
        {"format": "pairs", "columns": "ab"},
    ],
)
def test_what_a_suite_says_of_its_table_may_be_anything(source: object) -> None:
    assert PairColumns.of_source(source) is None


def test_what_a_suite_keeps_of_its_table_are_the_columns() -> None:
    assert PairColumns.of_source({"format": "pairs", **DUTCH.source}) == DUTCH


@pytest.mark.parametrize(
    ("separator", "ending", "written"),
    [
        *((";", ".csv", ";"), ("\t", ".csv", ","), (JSON, ".csv", ",")),
        *((";", ".tsv", "\t"), (";", ".jsonl", JSON), (";", "", ";"), (JSON, "", JSON)),
    ],
)
def test_the_ending_says_what_separates_columns(separator: str, ending: str, written: str) -> None:
    columns = PairColumns(("a", "b"), separator=separator)
    assert columns.written_to(ending).separator == written


def test_workbooks_are_tables_whose_cells_are_named(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "x.xlsx"
    book = openpyxl.Workbook()
    for row in (["good", "bad", "n"], ["the wren sings", "the wren sing", 3]):
        book.active.append(row)
    book.save(path)
    columns = PairColumns(("good", "bad"))
    (pair,) = _pairs(path, columns)
    assert (pair.sentences, pair.fields) == (("the wren sings", "the wren sing"), {"n": "3"})
    assert "".join(columns.lines([pair])) == "good,bad,n\nthe wren sings,the wren sing,3\n"
    book.active.append(["in May", date(2026, 5, 1), 4])
    book.save(path)
    with pytest.raises(SuiteError) as caught:
        _pairs(path, columns)
    hint = "format the cell as text, and write it again"
    assert str(caught.value) == f"{path}:Sheet!B3: this is the date 2026-05-01, not text; {hint}"
