"""SyntaxGym's long CSV: literal reading, exact messages, and round trips; plain sentences."""

import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from pommel.errors import Fault, InputError, SuiteError
from pommel.sources.formats.long_csv import (
    COLUMNS,
    long_csv_pieces,
    parse_long_csv,
    read_long_csv,
    sentence_lines,
)
from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Condition, Item, Region, Suite

HEADER = "item_number,condition_name,region_number,region_name,content\n"
SMALL = (
    HEADER
    + "1,match,1,subject,The author\n1,match,2,verb,laughs\n"
    + "1,mismatch,1,subject,The author\n1,mismatch,2,verb,laugh\n"
)


def _read(text: str, *, strict: bool = False) -> Suite:
    return parse_long_csv(text, name="s", strict=strict, file="s.csv").suite


def _written(suite: Suite) -> str:
    return "".join(long_csv_pieces(suite.items, suite.region_names))


def _messages(text: str, *, strict: bool = False) -> list[str]:
    with pytest.raises(SuiteError) as caught:
        _read(text, strict=strict)
    return str(caught.value).split("\n")


def _shape(suite: Suite) -> list[tuple[int, str, int, str]]:
    return [
        (item.number, condition.name, region.number, region.content)
        for item in suite.items
        for condition in item.conditions
        for region in condition.regions
    ]


def test_suite() -> None:
    suite = _read(SMALL)
    assert suite.name == "s"
    assert suite.metrics == ("sum",)
    assert suite.meta == {"name": "s", "metric": "sum"}
    assert suite.region_names == {1: "subject", 2: "verb"}
    assert suite.predictions == ()
    assert suite.condition_names == ("match", "mismatch")
    assert suite.items[0].condition("mismatch").sentence().text == "The author laugh"


def test_result_is_a_valid_suite_file() -> None:
    suite = _read(SMALL)
    loaded = LoadedSuite.parse(suite.to_text(), strict=True)
    assert loaded.suite == suite
    assert loaded.warnings == ()


@pytest.mark.parametrize(
    "field",
    [
        *("NA", "null", "nan", "", "007", "1e3", "True", "N/A", "#NA"),
        *("'", "it's", "a;b", "\\", "…", "犬"),
    ],
)
def test_fields_are_literal(field: str) -> None:
    suite = _read(HEADER + f"1,a,1,{field},x\n1,a,2,n,{field}\n")
    assert suite.region_names[1] == field
    assert suite.items[0].conditions[0].regions[1].content == field


@pytest.mark.parametrize(
    ("written", "content"),
    [
        ('"Yes, sir"', "Yes, sir"),
        ('"he said ""no"""', 'he said "no"'),
        ('the "best" one', 'the "best" one'),
        ('""', ""),
        ('""""', '"'),
        ('"two\nlines"', "two\nlines"),
        ('"two\r\nlines"', "two\r\nlines"),
        ("a\x0bb\u2028c\x85d", "a\x0bb\u2028c\x85d"),
    ],
)
def test_quotes(written: str, content: str) -> None:
    suite = _read(HEADER + f"1,a,1,n,{written}\n1,a,2,m,x\n")
    assert suite.items[0].conditions[0].regions[0].content == content


def test_quoted_newline_is_a_stray_space() -> None:
    text = HEADER + '1,a,1,n,x\n1,a,2,m,"two\nlines"\n1,a,3,o, y\n'
    assert _messages(text, strict=True) == [
        (
            "s.csv:3:9: stray space in the content 'two\\nlines'; "
            "remove the spaces around the text, and doubled ones"
        ),
        (
            "s.csv:5:9: stray space in the content ' y'; "
            "remove the spaces around the text, and doubled ones"
        ),
    ]
    assert _read(text).items[0].conditions[0].sentence().text == "x two lines y"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\N{BYTE ORDER MARK}"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_newlines_and_byte_order_marks(newline: str, bom: str, end: str, tmp_path: Path) -> None:
    text = bom + (SMALL.rstrip("\n") + end).replace("\n", newline)
    path = tmp_path / "s.csv"
    path.write_bytes(text.encode())
    assert read_long_csv(path, name="s").suite == _read(text) == _read(SMALL)


def test_columns_come_in_any_order() -> None:
    rows = [line.split(",")[::-1] for line in SMALL.splitlines()]
    assert _read("\n".join(",".join(row) for row in rows)) == _read(SMALL)


def test_order_is_that_of_first_appearance() -> None:
    suite = _read(
        HEADER
        + "7,b,1,n,B\n2,a,1,n,A\n7,a,1,n,C\n2,b,1,n,D\n"  # rows of an item lie apart
        + "7,b,3,o,E\n2,a,3,o,F\n7,a,3,o,\n2,b,3,o,\n"
    )
    assert _shape(suite) == [
        (7, "b", 1, "B"),
        (7, "b", 3, "E"),
        (7, "a", 1, "C"),
        (7, "a", 3, ""),
        (2, "a", 1, "A"),
        (2, "a", 3, "F"),
        (2, "b", 1, "D"),
        (2, "b", 3, ""),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"1:1: the file is empty; its first line is {HEADER.strip()}"),
        (
            SMALL.replace("condition_name", "conditon_name"),
            "1:13: there is no column 'conditon_name'; did you mean 'condition_name'?",
        ),
        (HEADER + "one,a,1,n,x\n", "2:1: the item_number is 'one'; write a whole number like 1"),
        (HEADER + "1,a,2.0,n,x\n", "2:5: the region_number is '2.0'; write 2"),
        (HEADER + "1,a, 2,n,x\n", "2:5: the region_number is ' 2'; write 2"),
        (HEADER + "1,a,-2,n,x\n", "2:5: the region_number is '-2'; write a whole number like 1"),
        (HEADER + "1_0,a,1,n,x\n", "2:1: the item_number is '1_0'; write a whole number like 1"),
        (HEADER + "1,a,٣,n,x\n", "2:5: the region_number is '٣'; write a whole number like 1"),
        (HEADER + "1,,1,n,x\n", "2:3: the name of a condition is empty; write a name like match"),
        (
            HEADER + "1,100%,1,n,x\n",
            (
                "2:3: the condition's name '100%' has a '%', which ends a name in formulas; write "
                "a name like match"
            ),
        ),
        (
            HEADER + "1, a,1,n,x\n",
            "2:3: the condition's name ' a' has spaces around it; write a name like match",
        ),
        (
            HEADER + '1,a,1,n,"x" y\n1,a,2,n2,y\n',
            (
                "2:12: there is text behind the quote that ends the field; write a quote that is "
                'part of the text ""'
            ),
        ),
        (
            HEADER + "1,a,1,verb,x\n1,b,1,Verb,y\n",
            (
                "3:7: region 1 is called 'Verb' here, and 'verb' in line 2; a region number has "
                "one name in the whole suite"
            ),
        ),
    ],
)
def test_one_fault(text: str, message: str) -> None:
    assert _messages(text) == [f"s.csv:{message}"]


@pytest.mark.parametrize(
    ("rows", "beginning"),
    [
        ("1,a,1,n,x\n1,a,2,m,y\n1,a,1,n,z\n", "s.csv:4:5: condition 'a' has the region number 1"),
        (
            "1,a,1,n,I\n1,b,1,n,I\n2,a,1,n,I\n3,a,1,n,I\n3,b,1,n,I\n",
            "s.csv:4:1: item 2 has no condition 'b'",
        ),
        (
            "1,match,1,n,x\n2,match,1,n,x\n3,match,1,n,x\n3,mach,1,n,x\n",
            "s.csv:5:3: item 3 has a condition 'mach'",
        ),
        ("1,a,1,n,\n1,b,1,n,y\n", "s.csv:2:3: all regions of condition 'a' are empty"),
    ],
)
def test_checks_that_all_formats_share(rows: str, beginning: str) -> None:
    (message,) = (each for each in _messages(HEADER + rows) if ": warning: " not in each)
    assert message.startswith(beginning)


def test_all_faults_at_once_in_the_order_of_the_file() -> None:
    text = HEADER + "x,a,1,n,X\n1,a,1,n,X\n1,a,y,n,X\n1,a\n1,a,1,N,X\n"
    assert _messages(text) == [
        "s.csv:2:1: the item_number is 'x'; write a whole number like 1",
        "s.csv:4:5: the region_number is 'y'; write a whole number like 1",
        "s.csv:5:3: this row has 2 fields, and the header has 5; an empty field has its comma, too",
        "s.csv:6:5: condition 'a' has the region number 1 twice; give each a number of its own",
        (
            "s.csv:6:7: region 1 is called 'N' here, and 'n' in line 3; "
            "a region number has one name in the whole suite"
        ),
    ]


def test_rows_that_are_faults_themselves_are_not_missed_elsewhere() -> None:
    # Item 2 has condition "b", in a row that cannot be read.
    text = HEADER + "1,a,1,n,x\n1,b,1,n,x\n2,a,1,n,x\n2,b,1.0,n,x\n3,a,1,n,x\n3,b,1,n,x\n"
    assert _messages(text) == ["s.csv:5:5: the region_number is '1.0'; write 1"]


def test_faults_behind_a_quoted_newline_are_in_the_line_of_the_file() -> None:
    text = HEADER + '1,a,1,n,"two\nlines"\nx,a,2,n,y\n'
    assert _messages(text) == [
        (
            "s.csv:2:9: warning: stray space in the content 'two\\nlines'; "
            "remove the spaces around the text, and doubled ones"
        ),
        "s.csv:4:1: the item_number is 'x'; write a whole number like 1",
    ]


def test_a_field_too_many() -> None:
    assert _messages(SMALL.replace("laughs\n", "laughs,\n")) == [
        (
            "s.csv:3:23: this row has 6 fields, and the header has 5; "
            "put text with a comma between quotes"
        )
    ]


def test_byte_order_mark_is_a_fault_where_one_is_strict() -> None:
    assert _messages("\N{BYTE ORDER MARK}" + SMALL, strict=True) == [
        "s.csv:1:1: the file begins with a byte order mark; save it as UTF-8 without one"
    ]


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes((HEADER + "1,a,1,n,café\n").encode("latin-1"))
    with pytest.raises(SuiteError, match=r"latin\.csv:2:12: the byte 0xe9 is not UTF-8"):
        read_long_csv(path, name="s")


def test_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_long_csv(tmp_path / "absent.csv", name="s")


def test_name_is_needed() -> None:
    with pytest.raises(InputError, match="a suite needs a name"):
        parse_long_csv(SMALL, name="")


def test_writing() -> None:
    region = Region(number=2, content='"Yes, sir"')
    item = Item(number=3, conditions=(Condition(name="a b", regions=(region,)),))
    suite = Suite(
        name="s", metrics=("mean",), region_names={1: "unused"}, predictions=(), items=(item,)
    )
    # Region 2 has no name, region 1 no sentence.
    assert _written(suite) == HEADER + '3,a b,2,,"""Yes, sir"""\n'
    assert _read(_written(suite)).region_names == {2: ""}


def test_published_suites(shared_data: Path) -> None:
    paths = sorted((shared_data / "hu2020" / "suites").glob("*.json"))
    assert len(paths) == 34
    n_rows = 0
    for path in paths:
        suite = LoadedSuite.read(path).suite
        text = _written(suite)
        again = parse_long_csv(text, name=suite.name).suite
        assert again.items == suite.items, path.name
        assert again.region_names == suite.region_names
        assert again.name == suite.name
        assert _written(again) == text
        n_rows += text.count("\n") - 1
    assert n_rows == 24_040


_words = st.text(st.characters(codec="utf-8", exclude_characters="%"), min_size=1, max_size=8)
_words = _words.filter(lambda word: word == word.strip())
_contents = st.one_of(
    st.sampled_from(["", "x", "a, b", '"', 'say "no"', "NA", "é", "a\nb", "a\rb", "\r\n"]),
    st.text(st.characters(codec="utf-8"), max_size=8),
)


@st.composite
def _suites(draw: st.DrawFn) -> Suite:
    names = draw(st.lists(_words, min_size=1, max_size=3, unique=True))
    numbers = draw(st.lists(st.integers(0, 99), min_size=1, max_size=3, unique=True))
    region_names = {number: draw(_contents) for number in numbers}
    items = []
    for item_number in draw(st.lists(st.integers(-3, 99), min_size=1, max_size=3, unique=True)):
        conditions = []
        for name in draw(st.permutations(names)):
            regions = [Region(number=number, content=draw(_contents)) for number in numbers]
            # At least one region of a sentence has text.
            regions[0] = Region(number=numbers[0], content="x" + regions[0].content)
            conditions.append(Condition(name=name, regions=tuple(regions)))
        items.append(Item(number=item_number, conditions=tuple(conditions)))
    return Suite(
        name="s",
        metrics=("sum",),
        region_names=region_names,
        predictions=(),
        items=tuple(items),
        meta={"name": "s", "metric": "sum"},
    )


@given(_suites())
def test_round_trip(suite: Suite) -> None:
    text = _written(suite)
    again = parse_long_csv(text, name="s").suite
    assert again == suite
    assert _written(again) == text


@given(st.text(st.sampled_from('1a,"\n\r %x'), max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    faults: tuple[Fault, ...] = ()
    try:
        assert _read(HEADER + text).items
    except SuiteError as error:
        faults = error.faults
    n_lines = len(re.split("\r\n|\r|\n", HEADER + text))
    assert all(1 <= fault.line <= n_lines and fault.column >= 1 for fault in faults)


def test_columns_are_the_header() -> None:
    assert ",".join(COLUMNS) + "\n" == HEADER


def test_the_published_text_of_a_suite(shared_data: Path) -> None:
    suite = LoadedSuite.read(shared_data / "sg_eval" / "fgd_hierarchy.json").suite
    expected = (shared_data / "sg_eval" / "fgd_hierarchy.txt").read_text("utf-8")
    assert "".join(sentence_lines(suite.items, suite.joiner)) == expected


def test_regions_are_joined_as_the_suite_says() -> None:
    regions = tuple(
        Region(number=n, content=text) for n, text in enumerate(["犬", "", "吠える"], 1)
    )
    item = Item(number=1, conditions=(Condition(name="a", regions=regions),))
    assert list(sentence_lines([item], joiner="")) == ["犬吠える\n"]
    assert list(sentence_lines([item])) == ["犬 吠える\n"]
