"""`pommel convert`: from sentences to suites, and between formats."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.samples import Pommel, suite_value

from pommel.files.text import sha256_of

LINES = (
    "True\tles chats dorment\nFalse\tles chats dort\nTrue\tle chat dort\nFalse\tle chat dorment\n"
)


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    """A file with two minimal sets in CLAMS's format."""
    path = tmp_path / "simple.txt"
    path.write_text(LINES)
    return path


def test_sentences_become_a_suite(pommel: Pommel, lines: Path, tmp_path: Path) -> None:
    suite = tmp_path / "simple.json"
    outcome = pommel("convert", lines, "-o", suite)
    assert (outcome.stdout, outcome.stderr) == ("", f"2 minimal sets: {suite}\n")
    assert pommel("validate", suite, "--strict").status == 0
    value = json.loads(suite.read_text())
    source = {"format": "clams", "file": "simple.txt", "sha256": sha256_of(lines)}
    assert value["meta"] == {"name": "simple", "source": source, "metric": "sum"}
    regions = value["items"][0]["conditions"][1]["regions"]
    assert [region["content"] for region in regions] == ["les chats", "dort", ""]
    assert json.loads(pommel("convert", lines, "--name", "x").stdout)["meta"]["name"] == "x"


def test_what_a_file_is_can_be_said(pommel: Pommel, lines: Path, tmp_path: Path) -> None:
    other = tmp_path / "sets"
    lines.rename(other)
    outcome = pommel("convert", other, "--format", "tsv")
    message = f"pommel: {other}: say what it is with --from, or let it end in one of .json, .csv, "
    assert outcome.status == 2
    assert outcome.stderr.startswith(message)
    outcome = pommel("convert", other, "--from", "clams", "--format", "tsv", "-o", "-")
    assert outcome.stdout.splitlines()[1] == "les chats dorment\tles chats dort"
    text = tmp_path / "x.txt"
    text.write_text("les chats dorment\n")
    outcome = pommel("convert", text)
    assert outcome.status == 2
    assert "this does not begin as " in outcome.stderr
    assert outcome.stderr.endswith(" do; say what it is with --from\n")


@pytest.mark.parametrize(
    ("file", "n_sets"),
    [
        ("clams/evalset_small/ru.vp_coord.txt", 980),
        ("blimp/adjunct_island.jsonl", 1000),
        ("blimp/anaphor_number_agreement.jsonl", 1000),
        ("blimp/regular_plural_subject_verb_agreement_1.jsonl", 1000),
    ],
)
def test_published_files_come_back_from_a_suite(
    pommel: Pommel, shared_data: Path, tmp_path: Path, file: str, n_sets: int
) -> None:
    path = shared_data / file
    suite, copy = tmp_path / "suite.json", tmp_path / path.name
    outcome = pommel("convert", path, "-o", suite)
    assert (outcome.status, outcome.stderr) == (0, f"{n_sets} minimal sets: {suite}\n")
    assert pommel("validate", suite, "--strict").status == 0
    form = json.loads(suite.read_text("utf-8"))["meta"]["source"]["format"]
    assert pommel("convert", suite, "--format", form, "-o", copy).status == 0
    assert copy.read_bytes() == path.read_bytes()


def test_one_suite_a_case(pommel: Pommel, shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "lm_syneval" / "simple_npi_anim.pickle"
    outcome = pommel("convert", path, "--by", "case", "-o", tmp_path / "npi")
    assert (outcome.status, outcome.stderr) == (0, f"2 files: {tmp_path / 'npi'}\n")
    names = sorted(each.name for each in (tmp_path / "npi").iterdir())
    assert names == ["future.json", "past.json"]
    value = json.loads((tmp_path / "npi" / "past.json").read_text())
    assert len(value["items"]) == 60
    assert value["meta"]["name"] == "past"
    assert value["meta"]["source"]["by"] == "case"
    assert value["predictions"][0]["formula"] == (
        "(*;%grammatical%) < (*;%ungrammatical_1%) & (*;%grammatical%) < (*;%ungrammatical_2%)"
    )
    # Together, the two are the file.
    assert (
        pommel("convert", path, "--by", "case", "-o", tmp_path / "x", "--format", "tsv").status == 0
    )
    rows = (tmp_path / "x" / "past.tsv").read_text().splitlines()
    assert len(rows) == 121


def test_a_suite_in_every_form(pommel: Pommel, shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "sg_eval" / "fgd_hierarchy.json"
    text = pommel("convert", path, "--format", "sentences").stdout
    assert text == (shared_data / "sg_eval" / "fgd_hierarchy.txt").read_text("utf-8")
    table = tmp_path / "fgd.csv"
    outcome = pommel("convert", path, "-o", table)
    note = (
        "note: long CSV has no place for predictions, meta.comment, meta.reference, meta.author; "
        "a workbook (.xlsx) keeps all"
    )
    assert (outcome.status, outcome.stderr) == (0, f"24 items: {table}\n{note}\n")
    assert pommel("convert", table, "--format", "sentences").stdout == text
    # Without the predictions, for which a table has no place.
    value = json.loads(pommel("convert", table, "--name", "x").stdout)
    assert (value["meta"]["name"], value["predictions"]) == ("x", [])
    assert value["items"][0] == json.loads(path.read_text("utf-8"))["items"][0]


def test_evaluated_suites_keep_their_surprisals(
    pommel: Pommel, lines: Path, tmp_path: Path
) -> None:
    suite, evaluated, copy = (tmp_path / name for name in ("x.json", "evaluated.json", "copy.json"))
    pommel("convert", lines, "-o", suite)
    evaluated.write_text(pommel("surprisals", "dummy://", suite).stdout)
    assert pommel("convert", evaluated, "-o", copy).status == 0
    # The layout is that of a suite.
    assert "".join(copy.read_text().split()) == "".join(evaluated.read_text().split())
    assert pommel("convert", evaluated, "--format", "clams").stdout == LINES


def test_conditions_of_a_suite_as_pairs(pommel: Pommel, shared_data: Path) -> None:
    path = shared_data / "hu2020" / "suites" / "number_orc.json"
    outcome = pommel("convert", path, "--format", "tsv")
    assert outcome.status == 2
    assert "number_orc has no condition 'grammatical': it has match_sing, mis" in outcome.stderr
    chosen = ("--grammatical", "match_sing", "--ungrammatical", "mismatch_sing")
    rows = pommel("convert", path, "--format", "tsv", *chosen).stdout.splitlines()
    assert rows[1] == (
        "The author that the senators hurt is good\tThe author that the senators hurt are good"
    )


@pytest.mark.parametrize("form", ["clams", "tsv", "csv"])
def test_contexts_are_never_lost(pommel: Pommel, tmp_path: Path, form: str) -> None:
    pairs, suite = tmp_path / "pairs.json", tmp_path / "suite.json"
    pairs.write_text('[[["Late", "Now"], ["it rains", "it rain"]]]')
    assert pommel("convert", pairs, "-o", suite).status == 0
    other = tmp_path / "other.text"
    for source in (pairs, suite):
        message = pommel("convert", source, "--format", form, "-o", other).failure(2)
        assert "has contexts" in message
        assert not other.exists()
    again = pommel("convert", suite, "--format", "context-pairs")
    assert json.loads(again.stdout) == json.loads(pairs.read_text())


def test_what_is_compared(pommel: Pommel, lines: Path) -> None:
    value = json.loads(pommel("convert", lines, "--compare", "contrast").stdout)
    assert value["predictions"][0]["formula"] == "(2;%grammatical%) < (2;%ungrammatical%)"


@pytest.mark.parametrize(
    ("meta", "formulas", "lost"),
    [
        ({}, [], ""),
        ({"language": "ja", "joiner": ""}, [], "meta.language, meta.joiner"),
        ({"metric": ["sum"]}, ["(2;%match%) < (2;%mismatch%)"], "predictions, meta.metric"),
    ],
)
def test_what_long_csv_has_no_place_for_is_told(
    pommel: Pommel, tmp_path: Path, meta: dict[str, Any], formulas: list[str], lost: str
) -> None:
    """Nothing of a suite is lost without a word; read again, it is what has no note."""
    value = suite_value("lost")
    value["meta"] |= meta
    value["predictions"] = [{"type": "formula", "formula": each} for each in formulas]
    (suite := tmp_path / "suite.json").write_text(json.dumps(value))
    (table := tmp_path / "lost.csv").write_text("")
    outcome = pommel("convert", suite, "-o", table)
    note = f"note: long CSV has no place for {lost}; a workbook (.xlsx) keeps all"
    assert outcome.stderr.splitlines() == [f"3 items: {table}", *([note] if lost else [])]
    again = json.loads(pommel("convert", table, "--format", "suite").stdout)
    assert (again == value) is not bool(lost)


def test_options_that_do_not_fit(pommel: Pommel, lines: Path, tmp_path: Path) -> None:
    def message(*arguments: object) -> str:
        outcome = pommel("convert", *arguments)
        assert outcome.status == 2
        return outcome.stderr.removeprefix("pommel: ").removesuffix("\n")

    folder = "--by writes several files; name a folder for them with -o"
    assert message(lines, "--by", "case") == folder
    other = tmp_path / "other.txt"
    other.touch()
    assert message(lines, "--by", "case", "-o", other) == folder
    empty = "--by names a field, and --name a suite; neither is empty"
    assert message(lines, "--by", "", "-o", tmp_path / "folder") == empty
    assert message(lines, "--name", "") == empty
    without = f"{lines}: 2 minimal sets without the field 'case'; the file has no fields"
    assert message(lines, "--by", "case", "-o", tmp_path / "folder") == without
    suite = tmp_path / "x.json"
    pommel("convert", lines, "-o", suite)
    named = "a suite's JSON has its name in it; leave --name out"
    assert message(suite, "--name", "y") == named
    by = f"{suite}: --by is for minimal sets; this is a suite"
    assert message(suite, "--by", "case", "-o", tmp_path / "folder") == by
    compare = f"{suite}: --compare is for minimal sets; this is a suite"
    assert message(suite, "--compare", "contrast") == compare
    ending = f"{tmp_path / 'x.docx'}: say --format, or let the file end in one of .json, .csv, "
    assert message(lines, "-o", tmp_path / "x.docx").startswith(ending)


def test_files_that_are_wrong(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    out = tmp_path / "x.json"
    outcome = pommel("convert", path, "-o", out)
    assert outcome.failure(3) == f"{path}: No such file or directory"
    path.write_text("True\ta b\nFalse a c\n")
    outcome = pommel("convert", path, "-o", out)
    assert outcome.status == 3
    assert outcome.stderr.startswith(f"pommel: {path}:2:1: this is no sentence with its mark; ")
    assert not out.exists()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (("a/b", "c"), "'a/b' cannot be a file's name: it has the character '/'"),
        (("a\x00b", "c"), "'a\\x00b' cannot be a file's name: it has the character '\\x00'"),
        (
            ("..", "c"),
            (
                "'..' cannot be a file's name: it is empty but for dots and blanks, or begins or "
                "ends with blanks"
            ),
        ),
        (("Case", "case"), "'Case' and 'case' differ in capital letters only"),
    ],
)
def test_values_that_name_no_file(
    pommel: Pommel, tmp_path: Path, values: tuple[str, str], message: str
) -> None:
    path, out = tmp_path / "x.jsonl", tmp_path / "out"
    lines = [{"sentence_good": "a b", "sentence_bad": "a c", "UID": value} for value in values]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    outcome = pommel("convert", path, "--by", "UID", "-o", out)
    assert outcome.failure(3) == f"{message}"
    assert not out.exists()


def test_standard_input(pommel: Pommel, lines: Path) -> None:
    outcome = pommel("convert", "-", "--from", "clams", "--format", "tsv", stdin=lines.read_text())
    assert outcome.status == 0
    assert outcome.stdout.splitlines()[1] == "les chats dorment\tles chats dort"
    value = json.loads(pommel("convert", "-", "--from", "clams", stdin=lines.read_text()).stdout)
    assert value["meta"]["name"] == "stdin"
    outcome = pommel("convert", "-", stdin="")
    message = "pommel: say with --from what standard input is\n"
    assert (outcome.status, outcome.stderr) == (2, message)
    outcome = pommel("convert", "-", "--from", "clams", stdin="True\ta\nx\n")
    assert outcome.status == 3
    assert outcome.stderr.startswith("pommel: <stdin>:2:1: this is no sentence with its mark")
    # Warnings, hints and commands name it, too.
    text = "\ufeff" + json.dumps(suite_value())
    outcome = pommel("convert", "-", "--from", "suite", "--format", "sentences", stdin=text)
    assert outcome.stderr.startswith("<stdin>:1:1: warning: the file begins with a byte order mark")
    outcome = pommel("convert", "-", "--from", "csv", stdin="item,a,b\n1,x | y,x | z\n")
    assert "`pommel suites new NAME.json --from FILE` makes" in outcome.failure(3)
    outcome = pommel("convert", "-", "--from", "pairs", stdin="a,b\nthe cat sat,the cat sit\n")
    assert "\n  pommel convert - --good a --bad b\n" in outcome.failure(2)


TABLE = (
    "item_number;condition_name;region_number;region_name;content\n"
    "1;match;1;subject;Les élèves, “là”\n1;match;2;verb;dorment\n"
    "1;mismatch;1;subject;Les élèves, “là”\n1;mismatch;2;verb;dort\n"
)
FORMULA = "(2;%match%) < (2;%mismatch%)"


def test_a_spreadsheet_becomes_a_suite_and_comes_back(pommel: Pommel, tmp_path: Path) -> None:
    table, book, suite = (tmp_path / name for name in ("s.csv", "s.xlsx", "s.json"))
    table.write_text(TABLE, encoding="cp1252")
    said = ("--meta", "language=fr", "--meta", "reference=Nobody (2020)", "--prediction", FORMULA)
    outcome = pommel("convert", table, "-o", book, *said)
    assert outcome.failure(3) == (
        f"{table}:2:23: the byte 0xe9 is not UTF-8; name the encoding of the file: Windows writes "
        "--encoding cp1252 in western Europe, cp1250 in central Europe, cp1251 in Cyrillic, cp1254 "
        "in Turkish, shift_jis in Japanese"
    )
    outcome = pommel("convert", table, "-o", book, "--encoding", "cp1252", *said)
    told = f"{table}:1:1: warning: the columns are separated by semicolons\n"
    assert (outcome.status, outcome.stderr) == (0, f"{told}1 item: {book}\n")
    assert pommel("convert", book, "-o", suite).stderr == f"1 item: {suite}\n"
    value = json.loads(suite.read_text("utf-8"))
    about = {"name": "s", "metric": "sum", "language": "fr", "reference": "Nobody (2020)"}
    assert value["meta"] == about
    assert value["predictions"] == [{"type": "formula", "formula": FORMULA}]
    contents = [each["content"] for each in value["items"][0]["conditions"][0]["regions"]]
    assert contents == ["Les élèves, “là”", "dorment"]
    # And a workbook is a suite wherever one is asked for.
    outcome = pommel("validate", book)
    assert (outcome.status, outcome.stdout) == (
        0,
        f"{book}: ok: 1 item x 2 conditions, 2 regions, 1 prediction\n",
    )
    again = tmp_path / "again.xlsx"
    pommel("convert", suite, "-o", again)
    assert pommel("convert", again).stdout == suite.read_text("utf-8")


def test_utf_16_and_a_separator_that_is_said(pommel: Pommel, tmp_path: Path) -> None:
    table = tmp_path / "s.txt"
    table.write_text(TABLE.replace(";", "\t"), encoding="utf-16")
    outcome = pommel("convert", table, "--from", "csv", "--delimiter", "tab")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert json.loads(outcome.stdout)["meta"]["name"] == "s"
    table.write_text(TABLE.replace(";", "\t"))
    assert pommel("convert", table).stderr == (
        f"{table}:1:1: warning: the columns are separated by tabs\n"
    )


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (("--meta", "language"), 2, "--meta 'language' is not KEY=VALUE"),
        (("--format", "xlsx"), 2, "a workbook is not shown as text; name a file for it with -o"),
        (("--encoding", "cp12"), 2, "there is no encoding 'cp12'; Python's names are known, such "),
    ],
)
def test_tables_that_are_not_converted(
    pommel: Pommel, tmp_path: Path, options: tuple[str, ...], status: int, message: str
) -> None:
    table = tmp_path / "s.csv"
    table.write_text(TABLE.replace(", ", " ").replace(";", ","))
    outcome = pommel("convert", table, *options)
    assert (outcome.status, outcome.stdout) == (status, "")
    assert outcome.stderr.startswith(f"pommel: {message}")


def test_what_is_of_tables_is_of_nothing_else(pommel: Pommel, lines: Path, tmp_path: Path) -> None:
    outcome = pommel("convert", lines, "--encoding", "cp1252")
    options = "--prediction, --delimiter, --encoding and --sheet"
    assert outcome.failure(2) == f"{lines}: {options} are for suites as tables, CSV or xlsx"
    suite = tmp_path / "s.json"
    pommel("convert", lines, "-o", suite)
    assert pommel("convert", suite, "--meta", "a=b").failure(2) == (
        "a suite's JSON has its meta in it; leave --meta out"
    )


def test_two_possible_separators_are_refused(pommel: Pommel, tmp_path: Path) -> None:
    table = tmp_path / "s.csv"
    table.write_text("item_number;condition_name,region_number\n1;a,1\n")
    assert pommel("convert", table).failure(3) == (
        f"{table}: columns may be separated by commas ('item_number;condition_name', "
        "'region_number') or semicolons ('item_number', 'condition_name,region_number'); "
        "`pommel convert --delimiter` says which"
    )
