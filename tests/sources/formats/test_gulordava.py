"""Gulordava's items."""

from pathlib import Path

import pytest
from tests.sources.set_round_trips import through_a_suite

from pommel.errors import SuiteError
from pommel.sources.formats.gulordava import COLUMNS, GULORDAVA, parse_gulordava
from pommel.sources.minimal_sets import MinimalSet

HEADER = "\t".join(COLUMNS) + "\n"
ITEM = (
    "L__NOUN_VERB_VERB\t7\t2\tsing\tsings\tcorrect\tgenerated\tThe <unk> near two lamps\t1\tFalse"
    '\t210\t4\t5\t"The owl near two lamps reads "" loud "" . <eos>"\n'
    "L__NOUN_VERB_VERB\t7\t2\tsing\tsing\twrong\tgenerated\tThe <unk> near two lamps\t1\tFalse"
    '\t98\t4\t5\t"The owl near two lamps reads "" loud "" . <eos>"\n'
)
OTHER = (
    'R__VERB_NOUN_CCONJ_VERB\t3\t0\tplur\tdig\tcorrect\toriginal\t"We "" eat "" and"\t0\tTrue\t07'
    '\t4\t5\t"We "" eat "" and dig <eos>"\n'
    'R__VERB_NOUN_CCONJ_VERB\t3\t0\tplur\tdigs\twrong\toriginal\t"We "" eat "" and"\t0\tTrue\t07'
    '\t4\t5\t"We "" eat "" and dig <eos>"\n'
)
FIELDS = {
    "pattern": "L__NOUN_VERB_VERB",
    "constr_id": 7,
    "sent_id": 2,
    "correct_number": "sing",
    "form": ["sings", "sing"],
    "class": ["correct", "wrong"],
    "type": "generated",
    "prefix": "The <unk> near two lamps",
    "n_attr": 1,
    "punct": "False",
    "freq": [210, 98],
    "len_context": 4,
    "len_prefix": 5,
    "sent": 'The owl near two lamps reads " loud " . <eos>',
}


def parse(text: str) -> list[MinimalSet]:
    return parse_gulordava(text, file="x.tab")


def test_both_forms_stand_in_the_place_of_the_word_of_the_corpus() -> None:
    first, second = parse(HEADER + ITEM + OTHER)
    assert first == MinimalSet("The owl near two lamps", "sings", ("sing",), '" loud " .', FIELDS)
    assert list(first.fields or {}) == list(COLUMNS)
    assert (second.grammatical, second.ungrammatical) == (
        'We " eat " and dig',
        ('We " eat " and digs',),
    )
    assert (second.fields or {})["freq"] == "07"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_suite_keeps_what_is_read(end: str) -> None:
    sets = parse((HEADER + ITEM + OTHER).replace("\n", end))
    assert through_a_suite(sets, GULORDAVA.compared) == sets == parse(HEADER + ITEM + OTHER)


def test_columns_in_another_order_and_more_of_them() -> None:
    rows = [line.split("\t") for line in (HEADER + ITEM.replace('"', "")).splitlines()]
    more = ["full_id", "L!x__7__2", "L!x__7__2"]
    text = "".join("\t".join([*row[::-1], new]) + "\n" for row, new in zip(rows, more, strict=True))
    (found,) = parse(text)
    assert found.grammatical == "The owl near two lamps sings  loud  .".replace("  ", " ")
    assert (found.fields or {})["full_id"] == "L!x__7__2"


PARTNERS = (
    "the two rows of an item have the same pattern, constr_id, sent_id, type, len_prefix, sent"
)


BROKEN = "this row has 2 fields, and the header has 14; an empty field has its tab, too"
OPEN = (
    'this quote is never closed; close it; a quote that is part of the text is written "", and '
    "between quotes"
)
EXPECTED = f"{', '.join(COLUMNS)}, with tabs between"
REMOVE = "remove one of the two"


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", [f"x.tab:1:1: the file is empty; its first line is {EXPECTED}"]),
        (
            "pattern\tform\tform\n" + HEADER,
            [
                *(
                    f"x.tab:1:1: the column {name!r} is missing; write {EXPECTED}"
                    for name in COLUMNS
                    if name not in ("pattern", "form")
                ),
                "x.tab:1:14: the column 'form' stands here for the second time; " + REMOVE,
            ],
        ),
    ],
)
def test_files_without_items(text: str, faults: list[str]) -> None:
    with pytest.raises(SuiteError) as caught:
        parse(text)
    assert str(caught.value).splitlines() == faults


CORRECT, WRONG = ITEM.splitlines(keepends=True)
NO_CORRECT = "this row has no correct one before it; write the row of the correct form before it"
NO_WRONG = "this row has no wrong one after it; write the row of the wrong form after it"
FORMS = "write the correct form, and in the row after it the wrong one"
WORDS_OF_SENT = "the words of sent are numbered from 0, <eos> left out"


@pytest.mark.parametrize(
    ("rows", "faults"),
    [
        ([CORRECT], [f"2:34: {NO_WRONG}"]),
        ([WRONG], [f"2:33: {NO_CORRECT}"]),
        ([WRONG, CORRECT], [f"2:33: {NO_CORRECT}", f"3:34: {NO_WRONG}"]),
        ([CORRECT, CORRECT, WRONG], [f"2:34: {NO_WRONG}"]),
        ([CORRECT, WRONG, WRONG], [f"4:33: {NO_CORRECT}"]),
        # A faulty row is taken for the partner that is missing.
        ([CORRECT, "a\tb\n"], [f"3:3: {BROKEN}"]),
        (["a\tb\n", WRONG], [f"2:3: {BROKEN}"]),
        (["a\tb\n", CORRECT, WRONG], [f"2:3: {BROKEN}"]),
        (
            [CORRECT, WRONG.replace("wrong", "false"), CORRECT],
            ["3:33: the class 'false' is none; write correct or wrong", f"4:34: {NO_WRONG}"],
        ),
        (
            [CORRECT, WRONG.replace("\t7\t2\t", "\t8\t3\t")],
            [
                f"3:19: constr_id is '8', and '7' in the row before; {PARTNERS}",
                f"3:21: sent_id is '3', and '2' in the row before; {PARTNERS}",
            ],
        ),
        (
            [CORRECT.replace("\t5\t", "\t10\t"), WRONG.replace("\t5\t", "\t10\t")],
            [f"2:91: sent has 10 words, and none at 10; {WORDS_OF_SENT}"],
        ),
        (
            [CORRECT.replace("\t5\t", "\t-1\t"), WRONG.replace("\t5\t", "\t-1\t")],
            [f"2:91: sent has 10 words, and none at -1; {WORDS_OF_SENT}"],
        ),
        (
            [CORRECT.replace("sings", ""), WRONG.replace("sing\twrong", "to sing\twrong")],
            [f"2:28: '' is not one word; {FORMS}", f"3:28: 'to sing' is not one word; {FORMS}"],
        ),
        ([CORRECT, WRONG, 'a\t"b'], [f"4:3: {OPEN}"]),
    ],
)
def test_rows_that_are_no_item(rows: list[str], faults: list[str]) -> None:
    with pytest.raises(SuiteError) as caught:
        parse(HEADER + "".join(rows))
    assert str(caught.value).splitlines() == [f"x.tab:{fault}" for fault in faults]


def test_the_header_tells_the_format(tmp_path: Path) -> None:
    assert GULORDAVA.is_like(HEADER + ITEM)
    assert not GULORDAVA.is_like("sentence\tform\nx\ty\n")
    path = tmp_path / "generated.tab"
    path.write_bytes((HEADER + ITEM).encode())
    assert GULORDAVA.read(path) == parse(HEADER + ITEM)
