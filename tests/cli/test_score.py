"""`pommel score`: from sentences to tables of tokens, words and sums."""

import json
from pathlib import Path

import pytest
from tests.cli.samples import Pommel

UNIFORM = "dummy://uniform?bits=2"
TOKENS = (
    "model_name,sentence_number,token_index,token,start,end,word_number,word,surprisal_bits,"
    "oov,role"
)


def test_a_table_for_people(pommel: Pommel) -> None:
    done = pommel("score", UNIFORM, "It isn't.", "No .", "--bos", "never")
    assert done.status == 0
    assert done.stderr == "note: 2 tokens without a surprisal; sums leave them out\n"
    assert (
        done.stdout
        == """\
┏━━━┳━━━━━━━━┳━━━━━━━┳━━━━━━━━━━┓
┃   ┃ word   ┃ token ┃     bits ┃
┡━━━╇━━━━━━━━╇━━━━━━━╇━━━━━━━━━━┩
│ 1 │ It     │ It    │ unscored │
│   │ isn't. │ isn   │     2.00 │
│   │        │ '     │     2.00 │
│   │        │ t     │     2.00 │
│   │        │ .     │     2.00 │
│   │ sum    │       │     8.00 │
├───┼────────┼───────┼──────────┤
│ 2 │ No     │ No    │ unscored │
│   │ .      │ .     │     2.00 │
│   │ sum    │       │     2.00 │
└───┴────────┴───────┴──────────┘
Surprisal in bits by uniform-2.
"""
    )


def test_an_unscored_token_is_empty_in_csv_and_null_in_json(pommel: Pommel) -> None:
    asked = ("score", UNIFORM, "No .", "--bos", "never", "--format")
    assert pommel(*asked, "csv").stdout == (
        f"{TOKENS}\nuniform-2,1,0,No,0,2,1,No,,False,text\nuniform-2,1,1,.,3,4,2,.,2.0,False,text\n"
    )
    rows = json.loads(pommel(*asked, "json").stdout)
    assert [row["surprisal_bits"] for row in rows] == [None, 2.0]


@pytest.mark.parametrize(
    ("about", "row"),
    [
        ("words", "uniform-2,1,1,It,0,2,2.0,1,0"),
        ("sentences", "uniform-2,1,It isn't,8.0,4,0,2,"),
    ],
)
def test_words_and_sums(pommel: Pommel, about: str, row: str) -> None:
    done = pommel("score", UNIFORM, "It isn't", "--table", about, "--format", "csv")
    assert done.stdout.splitlines()[1] == row
    shown = pommel("score", UNIFORM, "It isn't", "--table", about).stdout
    assert "token" not in shown
    assert "8.00" in shown


def test_sentences_come_from_files_and_standard_input(pommel: Pommel, tmp_path: Path) -> None:
    file = tmp_path / "some sentences.txt"
    file.write_text("One dog .\n\n  Two dogs .\n")
    done = pommel(
        "score",
        *(file, "Three dogs .", "-", UNIFORM),
        *("--table", "sentences", "--format", "csv"),
        stdin="Four .\n",
    )
    found = [row["sentence"] for row in done.rows()]
    assert found == ["One dog .", "Two dogs .", "Three dogs .", "Four ."]


@pytest.mark.parametrize(
    ("sentences", "status", "message"),
    [
        (["sentence.txt"], 3, "sentence.txt: no such file; where it is a sentence, let - read it"),
        (["  "], 2, "there is nothing to score: write a sentence, and no empty one"),
        (["-"], 2, "there is nothing to score: write a sentence, and no empty one"),
        (["a\x1b[2Jb"], 2, "the sentence 'a\\x1b[2Jb' cannot be scored: this has the control "),
    ],
)
def test_what_is_no_sentence(
    pommel: Pommel, sentences: list[str], status: int, message: str
) -> None:
    assert pommel("score", UNIFORM, *sentences).failure(status).startswith(message)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("folder.txt", "folder.txt: is a folder; where it is a sentence, let - read it"),
        (
            "agreement.json",
            (
                "agreement.json: sentences stand one a line, and not in JSON; those of a suite are "
                "for `pommel surprisals MODEL agreement.json`"
            ),
        ),
    ],
)
@pytest.mark.usefixtures("suite_file")
def test_what_has_no_sentence_a_line(pommel: Pommel, here: Path, name: str, message: str) -> None:
    (here / "folder.txt").mkdir()
    assert pommel("score", UNIFORM, name).failure(3) == message


def test_a_sentence_longer_than_a_path(pommel: Pommel) -> None:
    done = pommel("score", UNIFORM, "dog " * 300, "--table", "sentences", "--format", "csv")
    assert done.rows()[0]["surprisal_bits"] == "600.0"


def test_characters_that_nobody_sees_are_told(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "sentences.txt"
    cafe, mark = "The cafe\u0301 is good .", "\ufeff"
    path.write_text(f"{mark}The dog is good .\n{mark}The dog is good .\n{cafe}\n", "utf-8")
    assert pommel("score", UNIFORM, path).stderr == (
        "note: 1 sentence with a byte order mark (U+FEFF), which is scored, too, and is probably "
        "of files that were put together ('\\ufeffThe dog is good .')\n"
        "note: 1 sentence with accents apart from their letters, which are other words to a model "
        f"than in Unicode's form NFC ('{cafe}')\n"
    )
    # What NFC takes apart is written so: the letter qa of Hindi.
    assert pommel("score", UNIFORM, "\u0958", "The caf\u00e9 is good .").stderr == ""


def test_unknown_words_are_named(pommel: Pommel) -> None:
    done = pommel("score", "builtin://en-ngram", "The zork is good .")
    assert done.stderr == "note: 1 unknown word (zork)\n"
