"""`pommel convert` of tables of pairs: from six shapes to a suite, through a model, and back."""

import json
import sys
from pathlib import Path
from subprocess import run

import pytest
from tests.cli.samples import Pommel

# Sentences of ours, in the columns of published tables.
SHAPES = {
    "tr.csv": (  # TurBLiMP
        "good_sentence;bad_sentence;good_cue;bad_cue;critical_region;phenomenon\n"
        "Ben bugün geldim.;Ben bugün geldi.;geldim;geldi;-;agreement\n"
        "Sen dün onu gördün mü?;Sen dün ona gördün mü?;onu;ona;gördün;case\n"
    ),
    "ru.csv": (  # RuBLiMP
        "id,source_sentence,target_sentence,source_word,target_word,level,phenomenon,PID,subtype,"
        "domain,tree_depth\n"
        '7,"Кот спит, пёс тоже.","Кот спят, пёс тоже.",спит,спят,Syntax,Agreement,a_b,a_b,x,2\n'
    ),
    "ja.jsonl": (  # JBLiMP
        '{"ID": 0, "good_sentence": "犬が吠えた。", "bad_sentence": "犬を吠えた。", '
        '"type": "acceptability", "phenomenon": "case", "phenomenon-2": null, "paradigm": "nom"}\n'
    ),
    "fr.jsonl": (  # QFrBLiMP
        '{"sentence_a": "Les chats dort.", "sentence_b": "Les chats dorment.", '
        '"category": "syntax", "type": 7, "subcat": null, "annotator_1": 1, "label": 1.0}\n'
        '{"sentence_a": "Le chat dort.", "sentence_b": "Le chat dorment.", '
        '"category": "syntax", "type": 7, "subcat": 2.0, "annotator_1": 0, "label": 0.0}\n'
    ),
    "nl.csv": (  # BLiMP-NL
        "Number (phenomenon),Phenomenon,Number (paradigm),Paradigm,Item,Grammaticality,Sentence,"
        "Critical word(s),Cue word(s),Rating,RT\n"
        "5,Verbs,18,agreement,1,Grammatical,Hij zingt vandaag mooi.,vandaag,Hij,6.5,310\n"
        "5,Verbs,18,agreement,1,Ungrammatical,Wij zingt vandaag mooi.,vandaag,Wij,2.25,402\n"
    ),
    "zh.csv": (  # CLiMP
        ",0,1,2,3\n0,classifier,classifier_adj,他看到了一条河,1\n"
        "1,classifier,classifier_adj,他看到了一张河,0\n"
    ),
}
CONTRASTS = {
    "tr.csv": ["Ben bugün|geldim.||||", "Sen dün|onu||gördün|mü?"],
    "ru.csv": ["Кот|спит,|пёс тоже."],
    "ja.jsonl": ["犬|が|吠えた。"],
    "fr.jsonl": ["Les chats|dorment.|", "Le chat|dort.|"],
    "nl.csv": ["|Hij|zingt|vandaag|mooi."],
    "zh.csv": ["他看到了一|条|河"],
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_published_table_becomes_a_suite_that_runs_and_comes_back(
    name: str, pommel: Pommel, tmp_path: Path
) -> None:
    table, suite, back = tmp_path / name, tmp_path / "x.json", tmp_path / f"back-{name}"
    table.write_text(SHAPES[name], "utf-8")
    outcome = pommel("convert", table, "-o", suite)
    assert outcome.status == 0
    assert outcome.stderr.startswith(f"note: {table}: read as ")
    value = json.loads(suite.read_text("utf-8"))
    shown = [
        "|".join(region["content"] for region in item["conditions"][0]["regions"])
        for item in value["items"]
    ]
    assert [each.rstrip("|") for each in shown] == [each.rstrip("|") for each in CONTRASTS[name]]
    assert pommel("validate", "--strict", suite).status == 0
    outcome = pommel("run", "builtin://en-ngram", suite, "--format", "csv")
    assert (outcome.status, len(outcome.stdout.splitlines())) == (0, 2)
    assert pommel("convert", suite, "--format", "pairs", "-o", back).status == 0
    assert back.read_text("utf-8") == SHAPES[name]
    assert pommel("convert", suite, "--format", "pairs").stdout == SHAPES[name]


def test_columns_are_named_by_options(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("yes,no,where\nthe wren sings well,the wren sing well,well\n")
    options = ("--good", "yes", "--bad", "no", "--critical", "where", "--language", "en")
    outcome = pommel("convert", path, *options, "--compare", "critical")
    assert outcome.stderr == ""
    value = json.loads(outcome.stdout)
    assert value["meta"]["language"] == "en"
    (prediction,) = value["predictions"]
    assert prediction["formula"] == "(4;%grammatical%) < (4;%ungrammatical%)"
    assert value["region_meta"] == {
        "1": "before",
        "2": "contrast",
        "3": "between",
        "4": "critical",
        "5": "after",
    }
    # The same columns are written of a suite that is no table's, by other names.
    pairs = tmp_path / "x.tsv"
    pairs.write_text("the wren sings\tthe wren sing\n")
    suite = tmp_path / "y.json"
    assert pommel("convert", pairs, "-o", suite).status == 0
    outcome = pommel("convert", suite, "--format", "pairs", "--good", "yes", "--bad", "no")
    assert outcome.stdout == "yes,no\nthe wren sings,the wren sing\n"


def test_a_group_is_a_suite(pommel: Pommel, tmp_path: Path) -> None:
    path, folder = tmp_path / "x.jsonl", tmp_path / "out"
    path.write_text(SHAPES["fr.jsonl"], "utf-8")
    assert pommel("convert", path, "--by", "subcat", "-o", folder).stderr == (
        f"pommel: {path}: 1 minimal set without the field 'subcat'; the file has sentence_a, "
        "sentence_b, category, type, subcat, annotator_1, label\n"
    )
    assert pommel("convert", path, "--group", "annotator_1", "-o", folder).status == 0
    assert sorted(each.name for each in folder.iterdir()) == ["0.json", "1.json"]
    (item,) = json.loads((folder / "1.json").read_text("utf-8"))["items"]
    assert item["conditions"][0]["regions"][1]["content"] == "dorment."


def test_what_is_asked_for_has_to_make_sense(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("one,two\nthe wren sings,the wren sing\n")
    for options, message in {
        (): (
            f"{path}: this can be read in 2 ways (they share most of their words in 1 of "
            f"1 rows); say which:\n  pommel convert {path} --good one --bad two\n"
            f"  pommel convert {path} --good two --bad one"
        ),
        ("--bad", "two"): "name the column of the good sentences, too: --good COLUMN",
        ("--good", "one"): (
            "--good alone is a column of sentences; name that of the bad sentences (--bad), or say "
            "which rows are good (--label)"
        ),
        ("--good", "one", "--bad", "two", "--compare", "critical"): (
            "--compare critical needs the words of a table's column: --critical"
        ),
        ("--good", "one", "--bad", "two", "--critical", "one", "--compare", "critical"): (
            "x: 'the wren sings' does not stand behind what differs in 'the wren sings'; leave out "
            "--compare critical, and its sentences are compared"
        ),
        ("--recipe", "climb"): (
            "there is no recipe 'climb'; did you mean climp? there are turblimp, rublimp, jblimp, "
            "qfrblimp, blimp-nl, climp, zhoblimp, sling, xcomps, comps, ewok, ewok-2, "
            "blimp-supplement, multiblimp"
        ),
    }.items():
        outcome = pommel("convert", path, *options)
        assert (outcome.stderr, outcome.stdout) == (f"pommel: {message}\n", "")
        assert outcome.status == (3 if "x: " in message[:3] else 2)


def _converted(path: Path, n_pairs: int, folder: Path) -> int:
    """Convert so many pairs of Parquet, a suite a group; return what memory was used, in KiB."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    schema = pyarrow.schema([(name, pyarrow.string()) for name in ("good", "bad", "paradigm")])
    with parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, n_pairs, 1_000):
            rows = [
                {
                    "good": f"the wren number {number} sings in the old garden",
                    "bad": f"the wren number {number} sing in the old garden",
                    "paradigm": f"p{number % 4}",
                }
                for number in range(start, start + 1_000)
            ]
            writer.write_table(pyarrow.Table.from_pylist(rows, schema))
    code = (
        "import resource, sys\n"
        "from pommel.cli import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "finally:\n    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    command = ["convert", str(path), "--by", "paradigm", "-o", str(folder)]
    done = run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
    assert done.stderr.endswith(f"4 files: {folder}\n")
    return int(done.stdout)


@pytest.mark.full
def test_memory_does_not_grow_with_the_pairs_of_parquet(tmp_path: Path) -> None:
    # A hundredth of a million pairs, and four times as many: what is held are some rows.
    few = _converted(tmp_path / "few.parquet", 10_000, tmp_path / "few")
    many = _converted(tmp_path / "many.parquet", 40_000, tmp_path / "many")
    assert many - few < 15 * 1024
    text = (tmp_path / "many" / "p3.json").read_text("utf-8")
    assert text.count('"item_number"') == 10_000


_ROW = b"the wren sings,the wren sing\n"
_UNTOLD = "nothing tells which columns are pairs; name two columns with --good and --bad; it has "
MISTAKES: dict[str, tuple[bytes, int, str]] = {
    "missing.csv": (b"good,id\nthe wren sings,1\n", 2, f": {_UNTOLD}'good', 'id'"),
    "empty.csv": (
        b"good,bad\n" + 9 * _ROW + b"the owl waits,\n",
        3,
        ":11:15: this is no sentence; write its words",
    ),
    "header.csv": (b"good,bad\n", 3, ":1:1: there is nothing but a header; write some rows"),
    "bars.csv": (
        b"good,bad\nthe wren | sings,the wren | sing\n",
        3,
        (
            ": all sentences have bars between regions; `pommel suites new NAME.json --from "
            "{path}` makes regions of them"
        ),
    ),
    "which.csv": (
        b"a,b\nthe wren | sings,the wren | sing\n",
        3,
        (
            ": all sentences have bars between regions; `pommel suites new NAME.json --from "
            "{path}` makes regions of them"
        ),
    ),
    "twice.csv": (
        b"good,good,bad\nx," + _ROW,
        3,
        ":1:6: the column 'good' stands here for the second time; remove one of the two",
    ),
    "nothing.parquet": (
        b"",
        3,
        ":1:1: the file is empty; its first line is the names of its columns",
    ),
    "nothing.json": (b"\n", 3, ": the file is empty"),
    "old.xls": (
        b"\xd0\xcf\x11\xe0" * 9,
        3,
        (
            ": is a workbook of Excel before 2007, or one with a password; "
            "save it as .xlsx, without a password"
        ),
    ),
    "big-endian.csv": (
        "good,bad\n".encode("utf-16-be"),
        3,
        (
            ":1:1: this line has the character NUL, which no text has; "
            "if the file is UTF-16 without a mark, say --encoding utf-16-be"
        ),
    ),
    "utf-16.jsonl": (
        '{"good": "a b"}'.encode("utf-16"),
        3,
        ":1:1: the file is UTF-16, not UTF-8; save the file with the encoding UTF-8",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told_of_the_table_that_was_meant(
    name: str, pommel: Pommel, tmp_path: Path
) -> None:
    raw, status, message = MISTAKES[name]
    path, output = tmp_path / name, tmp_path / "out.json"
    path.write_bytes(raw)
    outcome = pommel("convert", path, "-o", output)
    told = message.replace("{path}", str(path))
    assert (outcome.status, outcome.stderr) == (status, f"pommel: {path}{told}\n")
    assert not output.exists()


def test_the_ending_may_be_in_capital_letters(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "X.CSV"
    path.write_bytes(b"good,bad\n" + _ROW)
    output = tmp_path / "Y.TSV"
    assert pommel("convert", path, "-o", output).status == 0
    assert output.read_text() == "grammatical\tungrammatical\nthe wren sings\tthe wren sing\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--good", "bad", "--bad", "bad"),
            (
                "--good and --bad are the same column, 'bad'; "
                "name two, or what stands before them with --context"
            ),
        ),
        (
            ("--recipe", "turblimp", "--good", "good"),
            "a recipe names all columns: leave out --good and the others",
        ),
    ],
)
def test_options_that_exclude_each_other(
    options: tuple[str, ...], message: str, pommel: Pommel, tmp_path: Path
) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"good,bad\n" + _ROW)
    outcome = pommel("convert", path, *options)
    assert (outcome.status, outcome.stderr) == (2, f"pommel: {message}\n")


def test_columns_of_parquet_that_come_twice(pommel: Pommel, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    columns = [pyarrow.array([each]) for each in ("a b", "a c", "a d")]
    parquet.write_table(pyarrow.table(columns, names=["good", "bad", "good"]), path)
    outcome = pommel("convert", path, "--good", "good", "--bad", "bad")
    message = f"{path}: the column 'good' is there more than once; remove all but one"
    assert (outcome.status, outcome.stderr) == (3, f"pommel: {message}\n")
