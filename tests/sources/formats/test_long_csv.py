"""SyntaxGym's long CSV: literal reading, exact messages, and round trips; plain sentences."""

import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import openpyxl
import pytest
from hypothesis import given, strategies as st
from tests.builders import make_suite, suite_value

from pommel.errors import Fault, InputError, SuiteError
from pommel.files.spreadsheets import TableReading
from pommel.sources.formats.long_csv import (
    COLUMNS,
    long_csv_pieces,
    read_long_csv,
    sentence_lines,
)
from pommel.sources.output import Content, WrittenForm
from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Condition, Item, Region, Suite

HEADER = "item_number,condition_name,region_number,region_name,content\n"
SMALL = (
    HEADER
    + "1,match,1,subject,The author\n1,match,2,verb,laughs\n"
    + "1,mismatch,1,subject,The author\n1,mismatch,2,verb,laugh\n"
)


def _read(text: str, *, name: str = "s", strict: bool = False) -> Suite:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s.csv"
        path.write_bytes(text.encode())
        reading = TableReading(separator=",")
        try:
            about = {"name": name}
            return read_long_csv(path, strict=strict, reading=reading, about=about).suite
        except SuiteError as error:
            raise SuiteError([replace(each, file=path.name) for each in error.faults]) from None


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
    assert read_long_csv(path, about={"name": "s"}).suite == _read(text) == _read(SMALL)


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
    ("text", "hint"),
    [
        ("item,a,b\n1,The | dog,The | dogs\n", ""),
        ("item_number,a,b\n1,The | dog,The | dogs\n", ""),
        ("good,bad\nit runs,it run\n", ", and `pommel convert s.csv -o NAME.json` of pairs"),
    ],
)
def test_a_table_with_a_row_an_item_is_for_another_command(text: str, hint: str) -> None:
    (message,) = _messages(text)
    assert re.sub(r"\S+/s\.csv", "s.csv", message) == (
        "s.csv:1:1: this is no table with a row a region: it has no columns 'condition_name', "
        "'region_number', 'region_name', 'content'; `pommel suites new NAME.json --from s.csv` "
        f"makes a suite of a row an item{hint}"
    )


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
    assert _messages(SMALL.replace("laughs\n", "laughs, loudly\n")) == [
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
        read_long_csv(path, about={"name": "s"})


def test_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_long_csv(tmp_path / "absent.csv", about={"name": "s"})


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
        again = _read(text, name=suite.name)
        assert again.items == suite.items, path.name
        assert again.region_names == suite.region_names
        assert again.name == suite.name
        assert _written(again) == text
        n_rows += text.count("\n") - 1
    assert n_rows == 24_040


# No table has NUL.
_words = st.text(st.characters(codec="utf-8", exclude_characters="%\0"), min_size=1, max_size=8)
_words = _words.filter(lambda word: word == word.strip())
_contents = st.one_of(
    st.sampled_from(["", "x", "a, b", '"', 'say "no"', "NA", "é", "a\nb", "a\rb", "\r\n"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8),
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
    again = _read(text)
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


def test_regions_are_joined_as_the_suite_says() -> None:
    regions = tuple(
        Region(number=n, content=text) for n, text in enumerate(["犬", "", "吠える"], 1)
    )
    item = Item(number=1, conditions=(Condition(name="a", regions=regions),))
    assert list(sentence_lines([item], joiner="")) == ["犬吠える\n"]
    assert list(sentence_lines([item])) == ["犬 吠える\n"]


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_joiners_of_regions_come_back(tmp_path: Path, form: str) -> None:
    value = suite_value([{"match": ("l'", "arbre", "."), "mismatch": ("l'", "arbres", ".")}])
    for condition in value["items"][0]["conditions"]:
        condition["regions"][1]["joiner"] = ""
    value["items"][0]["conditions"][0]["regions"][2]["joiner"] = " "
    suite = LoadedSuite.from_dict(value).suite
    path = tmp_path / f"small.{form}"
    Content.of_suite(suite).write(WrittenForm.named(form), path)
    assert read_long_csv(path).suite.items == suite.items
    assert read_long_csv(path).suite.sentences() == suite.sentences()


def test_a_suite_without_joiners_of_regions_has_no_column_for_them(tmp_path: Path) -> None:
    path = tmp_path / "small.csv"
    Content.of_suite(_read(SMALL)).write(WrittenForm.named("csv"), path)
    assert path.read_text().startswith(HEADER)


FORMULA = "(2;%match%) < (2;%mismatch%)"


def _parts(folder: Path, name: str = "s") -> Path:
    """Write a suite as CSV as a German Excel would, with what there is no column for beside it."""
    (folder / f"{name}.csv").write_text(SMALL.replace(",", ";"))
    (folder / f"{name}.predictions.csv").write_text(f'formula;note\n"{FORMULA}";[1]\n')
    (folder / f"{name}.meta.csv").write_text(
        "key,value\nlanguage,eu\njoiner,\nversion,1.0\nyear,2020\nsuite.kept,[1.50]\n"
    )
    return folder / f"{name}.csv"


def test_predictions_and_meta_stand_beside_a_table(tmp_path: Path) -> None:
    path = _parts(tmp_path)
    loaded = read_long_csv(path)
    assert [str(each) for each in loaded.warnings] == [
        f"{path}:1:1: warning: the columns are separated by semicolons"
    ]
    suite = loaded.suite
    assert suite.meta == {
        "name": "s",
        "metric": "sum",
        "language": "eu",
        "joiner": "",
        "version": "1.0",
        "year": 2020,
    }
    assert suite.items == _read(SMALL).items
    value = suite.to_dict()
    assert value["predictions"] == [{"type": "formula", "formula": FORMULA, "note": [1]}]
    assert value["kept"] == [1.5]
    # What is said by a caller stands before what is said by files.
    about = {"language": "de", "name": "other"}
    other = read_long_csv(path, about=about, predictions=["(1;%match%) > 0"]).suite
    assert (other.name, other.language, other.joiner) == ("other", "de", "")
    assert [each.formula.text for each in other.predictions] == ["(1;%match%) > 0"]


def test_a_workbook_has_all_of_a_suite(tmp_path: Path) -> None:
    value = suite_value(language="eu", joiner="", version="1.0", metric=["mean", "sum"], n=[1, {}])
    value["region_meta"]["9"] = "without a sentence"
    value["more"] = {"a": None}
    value["predictions"][0] |= {"description": "7", "metric": "sum", "weight": 1.5, "text": "1"}
    item = value["items"][0]
    item |= {"context": "Once .", "source": {"page": 3}}
    item["conditions"][1] |= {"context": "Twice .", "gloss": "true"}
    item["conditions"][0]["regions"][1] |= {"oovs": [], "content": " =1+1 “x”"}
    item["conditions"][0]["regions"][2] |= {"content": "007", "metric_value": {"sum": 1.25}}
    suite = LoadedSuite.from_dict(value).suite
    path = tmp_path / "s.xlsx"
    Content.of_suite(suite).write(WrittenForm.named("xlsx"), path)
    assert openpyxl.load_workbook(path).sheetnames == ["regions", "meta", "predictions"]
    loaded = read_long_csv(path)
    assert loaded.suite.to_dict() == suite.to_dict() == value
    assert loaded.suite.sha256 == suite.sha256
    (warning,) = loaded.warnings
    assert str(warning).startswith(f"{path}:regions!E3: warning: stray space in the content")


def test_published_suites_come_back_from_workbooks(shared_data: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.xlsx"
    for each in sorted((shared_data / "hu2020" / "suites").glob("*.json"))[::12]:
        suite = LoadedSuite.read(each).suite
        Content.of_suite(suite).write(WrittenForm.named("xlsx"), path)
        assert read_long_csv(path).suite.to_dict() == suite.to_dict()


def test_faults_of_a_workbook_name_cells(tmp_path: Path) -> None:
    path = tmp_path / "s.xlsx"
    Content.of_suite(make_suite(joiner="")).write(WrittenForm.named("xlsx"), path)
    book = openpyxl.load_workbook(path)
    regions = book["regions"]
    regions["A2"], regions["E3"], regions["E4"] = "x", True, "#N/A"
    regions["E5"], regions["E6"] = date(2024, 1, 2), "=B5"
    book["meta"]["A2"], book["meta"]["B2"], book["meta"]["B4"] = "language", "en", 0.5
    book["meta"].append(["metric", "summ"])
    book.create_sheet("old")
    book.save(path)
    with pytest.raises(SuiteError) as caught:
        read_long_csv(path)
    hint = "format the cell as text, and write it again"
    assert str(caught.value).split("\n") == [
        f"{path}: warning: not read: 1 sheet more (old); "  # noqa: ISC004
        "--sheet of `pommel convert` names the one with the regions",
        f"{path}:regions!A2: the item_number is 'x'; write a whole number like 1",
        f"{path}:regions!E3: this is the truth value TRUE, not text; {hint}",
        f"{path}:regions!E4: this is the error #N/A, not text; {hint}",
        f"{path}:meta!B4: this is the number 0.5, not text; {hint}",
        f"{path}:regions!E5: this is the date 2024-01-02, not text; {hint}",
        f"{path}:meta!A5: 'metric' stands here for the second time; remove one of the two",
        f'{path}:meta!B5: "summ" is not a region metric; write "sum", "mean", "median", "min", '  # noqa: ISC004
        '"max", "range", a list of these, or "all"',
        f"{path}:regions!E6: this is a formula whose result was not saved, not text; {hint}",
    ]


@pytest.mark.parametrize(
    ("sheet", "cell", "written", "message"),
    [
        ("predictions", "A2", "(2;%match%) < (9;%mismatch%)", "condition 'mismatch' has no region"),
        ("predictions", "A2", "(2;%match%) <", "the formula ends too early"),
        ("predictions", "A2", None, "'formula' is missing"),
        ("regions", "C3", 1, "condition 'match' has the region number 1 twice"),
        ("regions", "F2", "Once .", ""),
    ],
)
def test_what_makes_no_sense_names_its_cell(
    tmp_path: Path, sheet: str, cell: str, written: str | int | None, message: str
) -> None:
    path = tmp_path / "s.xlsx"
    Content.of_suite(make_suite()).write(WrittenForm.named("xlsx"), path)
    book = openpyxl.load_workbook(path)
    book["regions"]["F1"] = "region.oovs"
    book["predictions"]["B1"] = "description"
    book["predictions"]["B2"] = "so it is"
    book[sheet][cell] = written
    book.save(path)
    with pytest.raises(SuiteError) as caught:
        read_long_csv(path)
    assert f"{path}:{sheet}!{cell}: {message}" in str(caught.value)


def test_what_an_item_says_twice_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    rows = SMALL.splitlines()
    path.write_text(
        "\n".join([f"{rows[0]},item.tag", f"{rows[1]},a", f"{rows[2]},b", f"{rows[3]},"])
    )
    with pytest.raises(SuiteError) as caught:
        read_long_csv(path)
    assert f"{path}:3:23: the item has another 'item.tag' in line 2; say the same" in str(
        caught.value
    )
