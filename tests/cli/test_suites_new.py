"""`pommel suites new`: by flags, by questions, like another suite."""

import json
import signal
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from tests.cli.samples import Pommel, suite_value
from tests.cli.terminal import on_terminal

FORMULA = "(2;%match%) < (2;%mismatch%)"
FLAGS = (
    *("--condition", "match", "--condition", "mismatch"),
    *("--region", "subject", "--region", "verb"),
    *("--prediction", FORMULA),
)
META = ("--name", "agreement", "--language", "en", "--circuit", "agreement")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "new.json"


def written(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))


def sentences(file: Path) -> list[list[str]]:
    """Return the contents of every sentence."""
    return [
        [region["content"] for region in condition["regions"]]
        for item in written(file)["items"]
        for condition in item["conditions"]
    ]


def typed(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def test_by_flags(pommel: Pommel, file: Path) -> None:
    outcome = pommel("suites", "new", file, *META, *FLAGS, "--items", "2", "--no-input")
    assert (outcome.status, outcome.stdout) == (0, "")
    assert outcome.stderr == (
        f"{file}: 2 items, 4 sentences, 4 to be written\n"
        f"`pommel suites preview --watch {file}` shows them as you write\n"
    )
    value = written(file)
    assert value["meta"] == {
        "name": "agreement",
        "metric": "sum",
        "language": "en",
        "circuit": "agreement",
    }
    assert value["region_meta"] == {"1": "subject", "2": "verb"}
    assert value["predictions"] == [{"type": "formula", "formula": FORMULA}]
    assert [item["item_number"] for item in value["items"]] == [1, 2]
    assert sentences(file) == [["", ""]] * 4


def test_validate_says_what_is_still_to_be_written(pommel: Pommel, file: Path) -> None:
    pommel("suites", "new", file, *FLAGS, "--no-input")
    outcome = pommel("validate", file)
    assert outcome.status == 3
    assert outcome.stdout.count("; write the sentence's text into them (at items[0].") == 2
    lines = file.read_text().replace('"content": ""', '"content": "word"')
    file.write_text(lines)
    assert pommel("validate", file, "--strict").status == 0


def test_without_flags_everything_is_asked_for(pommel: Pommel, file: Path) -> None:
    answers = typed(
        *("agreement", "en", ""),
        *("match", "mis%match", "match", "mismatch", ""),
        *("subject", "verb", "rest", ""),
        *("(2;%match%) < < 1", "(2;%match%) < (4;%mismatch%)", FORMULA, ""),
        "2",
    )
    outcome = pommel("suites", "new", file, stdin=answers)
    assert outcome.status == 0, outcome.stderr
    value = written(file)
    assert value["meta"] == {"name": "agreement", "metric": "sum", "language": "en"}
    assert value["region_meta"] == {"1": "subject", "2": "verb", "3": "rest"}
    assert value["predictions"] == [{"type": "formula", "formula": FORMULA}]
    assert sentences(file) == [[""] * 3] * 4
    said = outcome.stderr
    assert "  the condition's name 'mis%match' has a '%', which ends a name in formulas\n" in said
    assert "  there is a condition 'match' already\n" in said
    assert (
        "  condition 'mismatch' has no region 4\n"
        "      (2;%match%) < (4;%mismatch%)\n"
        "                    ~~~~~~~~~~~~~^\n"
        "  its regions are 1, 2, 3\n"
    ) in said
    assert "      (2;%match%) < < 1\n                    ^\n" in said
    assert "  region 2 (verb) must be less surprising in *match* than in *mismatch*\n" in said
    assert said.endswith(
        f"{file}: 2 items, 4 sentences, 4 to be written\n"
        f"`pommel suites preview --watch {file}` shows them as you write\n"
    )


def test_what_flags_say_is_not_asked_for(pommel: Pommel, file: Path) -> None:
    outcome = pommel("suites", "new", file, *META, *FLAGS, stdin=typed(""))
    assert outcome.status == 0
    assert outcome.stderr == (
        "How many items [1]: "
        f"{file}: 1 item, 2 sentences, 2 to be written\n"
        f"`pommel suites preview --watch {file}` shows them as you write\n"
    )


def test_like_another_suite(pommel: Pommel, file: Path) -> None:
    outcome = pommel(
        "suites", "new", file, "--like", "number_orc", "--language", "de", "--no-input"
    )
    assert (outcome.status, outcome.stdout) == (0, "")
    value = written(file)
    assert value["meta"] == {
        "name": "new",
        "metric": "sum",
        "language": "de",
        "circuit": "agreement",
    }
    assert value["region_meta"]["7"] == "matrix_v"
    assert value["predictions"][0]["description"].startswith("The verb is less surprising")
    assert len(value["items"]) == 24
    assert sentences(file) == [[""] * 8] * 96


def test_like_another_suite_with_questions(pommel: Pommel, suite_file: Path, file: Path) -> None:
    answers = typed("  ", "de", "", "1")
    outcome = pommel("suites", "new", file, "--like", suite_file, stdin=answers)
    assert outcome.status == 0, outcome.stderr
    assert written(file)["meta"] == {"name": "new", "metric": "sum", "language": "de"}
    assert sentences(file) == [[""] * 3] * 2


@pytest.mark.parametrize(("language", "joiner"), [("zh", ""), ("en", None)])
def test_words_are_joined_as_in_the_language(
    pommel: Pommel, suite_file: Path, file: Path, language: str, joiner: str | None
) -> None:
    value = suite_value()
    value["meta"] |= {"language": "zh", "joiner": ""}
    suite_file.write_text(json.dumps(value))
    pommel("suites", "new", file, "--like", suite_file, "--language", language, "--no-input")
    assert written(file)["meta"].get("joiner") == joiner


@pytest.mark.parametrize(
    ("options", "joiner"),
    [(("ja",), ""), (("zh-Hant",), ""), (("ja", "--joiner", " "), " "), (("ko",), None)],
)
def test_a_language_without_spaces_has_nothing_between_regions(
    pommel: Pommel, file: Path, options: tuple[str, ...], joiner: str | None
) -> None:
    assert pommel("suites", "new", file, *FLAGS, "--no-input", "--language", *options).status == 0
    assert written(file)["meta"].get("joiner") == joiner


def test_other_predictions_for_the_same_design(pommel: Pommel, file: Path) -> None:
    options = ("--like", "center_embed", "--prediction", "(6;%plaus%) < (6;%implaus%)")
    assert pommel("suites", "new", file, *options, "--no-input").status == 0
    assert written(file)["predictions"] == [
        {"type": "formula", "formula": "(6;%plaus%) < (6;%implaus%)"}
    ]


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (("--no-input",), 2, "--no-input asks nothing: give --condition and --region, or --like"),
        (
            ("--condition", "a", "--no-input"),
            2,
            "--no-input asks nothing: give --region, or --like",
        ),
        (
            ("--condition", "a", "--condition", "a"),
            2,
            "--condition: there is a condition 'a' already",
        ),
        (("--name", ""), 2, "--name: the name of the suite is empty"),
        (("--region", "\udcff"), 2, "--region: this is not UTF-8"),
        (("--region", " "), 2, "--region: the name of a region is empty"),
        (("--condition", "a\nb"), 2, "--condition: this has the control character '\\n'"),
        (
            ("--language", "not a tag!"),
            2,
            "--language: 'not a tag!' is no language tag; write one such as en, eu, zh-Hant",
        ),
        (
            ("--like", "number_orc", "--region", "x"),
            2,
            "--region and --like exclude each other: SUITE has its own",
        ),
        (
            ("--like", "suites:en/agreement"),
            2,
            "--like suites:en/agreement: these are 4 suites; name one",
        ),
        (
            (*FLAGS[:-1], "(2;%match%) < (2;%mismtch%)"),
            3,
            (
                "there is no condition 'mismtch'\n"
                "    (2;%match%) < (2;%mismtch%)\n"
                "                  ~~~~~~~~~~~~^\n"
                "did you mean 'mismatch'?"
            ),
        ),
    ],
)
def test_what_makes_no_sense(
    pommel: Pommel, file: Path, options: tuple[str, ...], status: int, message: str
) -> None:
    outcome = pommel("suites", "new", file, *options)
    assert outcome.failure(status) == f"{message}"
    assert not file.exists()


def test_nothing_is_overwritten_unless_it_has_to_be(pommel: Pommel, file: Path) -> None:
    file.write_text("mine")
    outcome = pommel("suites", "new", file, *FLAGS, "--no-input")
    assert outcome.failure(2) == f"{file}: it is there already; --force overwrites it"
    assert file.read_text() == "mine"
    assert pommel("suites", "new", file, *FLAGS, "--no-input", "--force").status == 0
    assert written(file)["meta"]["name"] == "new"
    # Its sentences would be gone.
    outcome = pommel("suites", "new", file, "--like", file, "--no-input", "--force")
    assert outcome.failure(2) == f"{file}: this is read; name another file to write"


def test_a_suite_is_a_json_file(pommel: Pommel, tmp_path: Path) -> None:
    outcome = pommel("suites", "new", tmp_path / "new.csv", *FLAGS, "--no-input")
    assert outcome.stderr == f"pommel: {tmp_path / 'new.csv'}: a suite's file ends in .json\n"
    folder = tmp_path / "folder.json"
    folder.mkdir()
    outcome = pommel("suites", "new", folder, *FLAGS, "--no-input", "--force")
    assert outcome.stderr == f"pommel: {folder}: this is a folder; name a file in it\n"
    assert outcome.status == 2


def test_the_end_of_input_leaves_nothing_behind(pommel: Pommel, file: Path) -> None:
    outcome = pommel("suites", "new", file, stdin=typed("agreement", "en"))
    assert outcome.status == 1
    assert outcome.stderr.endswith("\npommel: aborted; nothing was written\n")
    assert list(file.parent.iterdir()) == []


@pytest.mark.parametrize("how", ["ctrl-d", "ctrl-c"])
def test_leaving_on_a_terminal(file: Path, how: str) -> None:
    with on_terminal("suites", "new", file) as started:
        started.wait_for("Name of the suite [new]: ")
        started.type("été\n")
        started.wait_for("Language (a tag, e.g. en): ")
        if how == "ctrl-d":
            started.type("\x04")
        else:
            # Who types is waiting for the key by then; a process may not be, and miss the first.
            while not started.has_written(within_s=1):
                started.process.send_signal(signal.SIGINT)
        started.wait_for("\npommel: aborted; nothing was written\n")
        assert started.end() == 1
    assert list(file.parent.iterdir()) == []


def test_other_scripts_on_a_terminal(file: Path) -> None:
    options = ("--language", "he", "--circuit", "", *FLAGS, "--items", "1")
    with on_terminal("suites", "new", file, *options) as started:
        started.wait_for("Name of the suite [new]: ")
        started.type("המורה מחייך\n")
        assert started.wait_for("as you write\n")
        assert started.end() == 0
    assert written(file)["meta"]["name"] == "המורה מחייך"


def test_arrow_keys_move_in_the_line(file: Path) -> None:
    pytest.importorskip("readline")
    options = ("--language", "en", "--circuit", "", *FLAGS, "--items", "1")
    with on_terminal("suites", "new", file, *options) as started:
        started.wait_for("Name of the suite [new]: ")
        started.type("the dg\x1b[Do\n")
        started.wait_for("as you write\n")
        assert started.end() == 0
    assert written(file)["meta"]["name"] == "the dog"


def test_what_cannot_be_written_is_asked_for_again(pommel: Pommel, file: Path) -> None:
    answers = typed("a\x1b[Db", "a", "not a tag!", "en", "", "x", "2")
    outcome = pommel("suites", "new", file, *FLAGS, stdin=answers)
    assert outcome.status == 0
    assert outcome.stderr.startswith(
        "Name of the suite [new]:   this has the control character '\\x1b'\n"
        "Name of the suite [new]: "
        "Language (a tag, e.g. en):   'not a tag!' is no language tag; write one such as en, eu, "
        "zh-Hant\n"
        "Language (a tag, e.g. en): Circuit: "
        "How many items [1]:   this has to be a whole number, 1 or more\n"
        "How many items [1]: "
    )
    assert written(file)["meta"] == {"name": "a", "metric": "sum", "language": "en"}


def test_a_formula_that_says_nothing_is_warned_of(pommel: Pommel, file: Path) -> None:
    formula = "(2;%match%) < (2;%match%)"
    doubt = "this can never hold; look at what it compares, and which way round"
    by_flag = pommel("suites", "new", file, *META, *FLAGS[:-1], formula, "--no-input")
    assert by_flag.stderr.startswith(f"warning: --prediction '{formula}': {doubt}\n{file}: ")
    assert by_flag.status == 0
    surprising = "(2;%match%) < 1 | 1>2 & (2;%mismatch%) < 1"
    answers = typed(formula, "(2;%match%) >= 0", surprising, "")
    options = (*META, *FLAGS[:-2], "--items", "1", "--force")
    asked = pommel("suites", "new", file, *options, stdin=answers).stderr
    never, always, brackets = (line for line in asked.splitlines() if "warning: " in line)
    assert never.endswith(f"  warning: {doubt}")
    assert "  warning: this always holds; it says nothing of a model; look at what" in always
    assert "  warning: '&' and '|' share one level and associate to the left; put" in brackets
    assert written(file)["predictions"][2]["formula"] == surprising


def test_a_prediction_is_taken_back(pommel: Pommel, file: Path) -> None:
    other = "(1;%match%) < (1;%mismatch%)"
    answers = typed("-", other, "-", FORMULA, "")
    options = (*META, *FLAGS[:-2], "--items", "1")
    outcome = pommel("suites", "new", file, *options, stdin=answers)
    assert "  there is none to take back\n" in outcome.stderr
    assert f"  taken back: {other}\n" in outcome.stderr
    assert "Prediction 2 (Enter: no more; -: take back the last one): " in outcome.stderr
    assert [each["formula"] for each in written(file)["predictions"]] == [FORMULA]


def test_like_a_draft(pommel: Pommel, file: Path) -> None:
    pommel("suites", "new", file, *META, *FLAGS, "--no-input")
    other = file.with_name("other.json")
    outcome = pommel("suites", "new", other, "--like", file, "--no-input")
    assert outcome.status == 0, outcome.stderr
    assert written(other) == written(file) | {"meta": written(file)["meta"] | {"name": "other"}}


def test_like_a_faulty_suite(pommel: Pommel, suite_file: Path, file: Path) -> None:
    suite_file.write_text(suite_file.read_text().replace("(2;%match%)", "(4;%match%)"))
    outcome = pommel("suites", "new", file, "--like", suite_file, "--no-input")
    assert outcome.status == 3
    assert "condition 'match' has no region 4; its regions are 1, 2, 3" in outcome.stderr
    assert not file.exists()


def test_metric_and_joiner(pommel: Pommel, file: Path) -> None:
    options = (*META, *FLAGS[:-2], "--items", "1", "--metric", "mean", "--joiner", "")
    answers = typed(FORMULA, "")
    outcome = pommel("suites", "new", file, *options, stdin=answers)
    assert "  region 2 (verb) must be less surprising on average per token in" in outcome.stderr
    assert written(file)["meta"] | {"name": ""} == {
        "name": "",
        "metric": "mean",
        "language": "en",
        "circuit": "agreement",
        "joiner": "",
    }
    other = file.with_name("other.json")
    liked = ("--like", file, "--metric", "all", "--no-input")
    assert pommel("suites", "new", other, *liked).status == 0
    assert written(other)["meta"]["metric"] == "all"


def test_a_new_folder_is_told_of(pommel: Pommel, tmp_path: Path) -> None:
    file = tmp_path / "missing" / "new.json"
    outcome = pommel("suites", "new", file, *FLAGS, "--no-input")
    assert outcome.stderr.startswith(f"note: the folder {file.parent} is made\n{file}: ")
    assert file.is_file()


def test_bytes_that_are_no_text_are_refused(pommel: Pommel, file: Path) -> None:
    outcome = pommel("suites", "new", file, stdin=b"\xff\n")
    assert outcome.status == 1
    assert outcome.stderr == (
        "Name of the suite [new]:   this is not UTF-8\n"
        "Name of the suite [new]: \n"
        "pommel: aborted; nothing was written\n"
    )
    assert not file.exists()


ROWS = (
    ("Item", "match", "mismatch", "verb"),
    (3, "The dog | barks |", "The dog | bark | ", "bark"),
    (7, "The cats |sleep| .", "The cats | sleeps | .", None),
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A workbook of sentences."""
    return book_of(tmp_path, {})


def book_of(folder: Path, changes: dict[str, object]) -> Path:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in ROWS:
        sheet.append(row)
    for cell, value in changes.items():
        sheet[cell] = value
    book.save(folder / "table.xlsx")
    return folder / "table.xlsx"


ALL = (*FLAGS, "--region", "rest", "--no-input")


def test_sentences_come_from_a_table(pommel: Pommel, file: Path, table: Path) -> None:
    outcome = pommel("suites", "new", file, *ALL, "--from", table)
    assert (outcome.status, outcome.stderr) == (
        0,
        (
            f"{file}: 2 items, 4 sentences\n"
            f"`pommel suites preview {file}` shows them, and `pommel suites check` doubts them\n"
        ),
    )
    assert sentences(file) == [
        ["The dog", "barks", ""],
        ["The dog", "bark", ""],
        ["The cats", "sleep", "."],
        ["The cats", "sleeps", "."],
    ]
    value = written(file)
    assert [item["item_number"] for item in value["items"]] == [3, 7]
    assert [item.get("source") for item in value["items"]] == [{"verb": "bark"}, None]
    assert value["region_meta"] == {"1": "subject", "2": "verb", "3": "rest"}
    assert value["predictions"] == [{"type": "formula", "formula": FORMULA}]
    assert pommel("validate", file).status == 0


def test_what_a_table_does_not_say_is_asked_for(pommel: Pommel, file: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("match,mismatch\na | b,a | c\n", encoding="cp1252")
    answers = typed("subject", "", "", "", "", "(2;%match%) < (2;%mismatch%)", "")
    outcome = pommel("suites", "new", file, "--from", table, "--encoding", "cp1252", stdin=answers)
    assert outcome.status == 0, outcome.stderr
    assert "Name of region 1 (a) [region 1]: " in outcome.stderr
    value = written(file)
    assert value["region_meta"] == {"1": "subject", "2": "region 2"}
    assert [each["formula"] for each in value["predictions"]] == [FORMULA]
    assert sentences(file) == [["a", "b"], ["a", "c"]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"B2": True}, "B2: this is the truth value TRUE, not text; format the cell as text"),
        (
            {"C3": "The cats | sleeps ."},
            "C3: this sentence has 2 regions, and others have 3; an empty region has its bar, too",
        ),
        ({"C3": " | | "}, "C3: there is no sentence; write one, with | between its regions"),
        (
            {"C3": "犬\uff5cが\uff5c庭"},
            "C3: \uff5c (U+FF5C) is no bar between regions; write | (U+007C)",
        ),
        ({"A3": 3}, "A3: there is an item 3 in line 2 already; give each a number of its own"),
        ({"A3": "x"}, "A3: the number of the item is 'x'; write a whole number like 1"),
        (
            {"A3": None},
            "A3: the number of the item is ''; write a whole number like 1; of merged cells the",
        ),
        ({"C1": "mis%"}, "A1: the column 'mismatch' is missing; write match, mismatch"),
    ],
)
def test_faults_of_a_table_name_cells(
    pommel: Pommel, file: Path, tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    table = book_of(tmp_path, changes)
    outcome = pommel("suites", "new", file, *ALL, "--from", table)
    assert outcome.failure(3).startswith(f"{table}:Sheet!{message}")
    assert not file.exists()


def test_names_of_conditions_in_a_table(pommel: Pommel, file: Path, tmp_path: Path) -> None:
    table = book_of(tmp_path, {"C1": "mis%", "D1": None, "D2": None})
    outcome = pommel("suites", "new", file, "--from", table, "--no-input")
    message = "the condition's name 'mis%' has a '%', which ends a name in formulas"
    assert outcome.failure(3) == f"{table}:Sheet!C1: {message}; rename the column"


def test_a_table_of_regions_is_for_another_command(
    pommel: Pommel, file: Path, tmp_path: Path
) -> None:
    table = book_of(tmp_path, {"B1": "region_number", "C1": "Content"})
    outcome = pommel("suites", "new", file, "--from", table, "--no-input")
    assert outcome.failure(3) == (
        f"{table}:Sheet!A1: this table has a row a region, not an item; "
        f"`pommel convert {table} -o NAME.json` makes a suite of it"
    )


def test_a_column_without_bars_is_doubted_and_not_the_sentences_beside_it(
    pommel: Pommel, file: Path, tmp_path: Path
) -> None:
    table = tmp_path / "es.csv"
    table.write_text("Ítem,bien,mal,notas\n1,El | gato,El | gatos,\n2,La | gata,La | gatas,sí\n")
    new = ("suites", "new", file, "--from", table, "--no-input")
    named = "name the conditions: --condition bien --condition mal"
    assert pommel(*new).failure(3).splitlines() == [
        (
            f"{table}:1:1: the column 'Ítem' has nothing but numbers; call it item if they are the "
            f"items', or {named}"
        ),
        (
            f"{table}:1:15: no cell of the column 'notas' has a bar, and those of others have; "
            f"write | between its regions, or {named}"
        ),
    ]
    told = ("--condition", "bien", "--condition", "mal", "--region", "a", "--region", "b")
    assert pommel(*new, *told).status == 0
    assert written(file)["items"][1]["source"] == {"Ítem": "2", "notas": "sí"}


@pytest.mark.parametrize("cells", ["El | gato,El | gatos", "El gato,El gatos"])
@pytest.mark.parametrize("name", ["nº", ""])
def test_a_column_of_numbers_has_no_sentences(
    pommel: Pommel, file: Path, name: str, cells: str
) -> None:
    """Nor is it passed over without a word, as one without a name was."""
    table = file.with_name("es.csv")
    table.write_text(f"{name},bien,mal\n7,{cells}\n")
    outcome = pommel("suites", "new", file, "--from", table, "--no-input")
    assert outcome.failure(3).splitlines()[-1].removeprefix("pommel: ") == (
        f"{table}:1:1: the column {name!r} has nothing but numbers; call it item if they are the "
        "items', or name the conditions: --condition bien --condition mal"
    )


def test_an_empty_cell_may_be_of_no_condition(pommel: Pommel, file: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("good,bad,notes\na b,a c,\n")
    assert pommel("suites", "new", file, "--from", table, "--no-input").failure(3) == (
        f"{table}:2:9: there is no sentence; write one, with | between its regions; if its column "
        "is no condition, name those that are: --condition NAME"
    )


def test_what_a_table_and_options_say_fits(pommel: Pommel, file: Path, table: Path) -> None:
    new = ("suites", "new", file, "--from", table, "--no-input")
    assert pommel(*new, *FLAGS).failure(2) == (
        "--region: the sentences have 3 regions, and 2 are named"
    )
    assert pommel(*new, "--items", "3").failure(2) == (
        "--from has its own design and items: leave --like and --items out"
    )
