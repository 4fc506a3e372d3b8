"""`pommel train ngram`: a text in, an ARPA file out, that can be run at once."""

import gzip
import stat
from pathlib import Path

import pytest
from tests.cli.samples import Pommel

from pommel.models.ngram.arpa import read_arpa
from pommel.training.corpus import sample_corpus

TEXT = "The dog barks .\nThe dogs bark .\n\nA cat sleeps .\n"

WORDS = "words.txt"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT, "utf-8")
    return path


def test_a_model_runs_as_soon_as_it_is_written(pommel: Pommel, tmp_path: Path) -> None:
    text = tmp_path / "english.txt.gz"
    sentences = "".join(f"{sentence}\n" for sentence in sample_corpus(500, 1))
    text.write_bytes(gzip.compress(sentences.encode()))
    model = tmp_path / "models" / "english.arpa.gz"
    made = pommel("train", "ngram", text, "-o", model, "--order", "3", "--lower")
    assert (made.status, made.stdout) == (0, "")
    assert made.stderr.startswith(f"{model}: 500 sentences, ")
    assert "words, 0.00 % of them unknown; " in made.stderr
    assert made.stderr.endswith(" 3-grams\n")
    assert [each.name for each in model.parent.iterdir()] == ["english.arpa.gz"]
    assert stat.S_IMODE(model.stat().st_mode) & 0o044
    ran = pommel("run", f"ngram://{model}", "suites:en/agreement", "--format", "csv")
    assert ran.status == 0
    assert "english" in ran.stdout
    shown = pommel("models", "show", f"ngram://{model}").stdout
    assert "order" in shown


@pytest.mark.parametrize(
    ("options", "summary", "words"),
    [
        pytest.param(
            [],
            "3 sentences, 12 words, 0.00 % of them unknown; 12 1-grams, 12 2-grams, "
            "12 3-grams, 9 4-grams, 6 5-grams",
            "A The bark barks cat dog dogs sleeps .",
            id="default",
        ),
        pytest.param(
            ["--order", "1", "--min-count", "2"],
            "3 sentences, 12 words, 58.33 % of them unknown; 5 1-grams",
            "The .",
            id="rare words",
        ),
        pytest.param(
            ["--order", "2", "--min-count", "1,2"],
            "3 sentences, 12 words, 0.00 % of them unknown; 12 1-grams, 2 2-grams",
            "A The bark barks cat dog dogs sleeps .",
            id="rare bigrams",
        ),
        pytest.param(
            ["--order", "2", "--vocabulary-size", "1"],
            "3 sentences, 12 words, 75.00 % of them unknown; 4 1-grams, 4 2-grams",
            ".",
            id="a vocabulary's size",
        ),
        pytest.param(
            ["--smoothing", "laplace", "--lower"],
            "3 sentences, 12 words, 0.00 % of them unknown; 12 1-grams, 12 2-grams",
            "a the bark barks cat dog dogs sleeps .",
            id="laplace",
        ),
        pytest.param(
            ["--smoothing", "laplace", "--order", "1", "--add", "0.5", "--decimals", "3"],
            "3 sentences, 12 words, 0.00 % of them unknown; 12 1-grams",
            "A The bark barks cat dog dogs sleeps .",
            id="unigrams",
        ),
    ],
)
def test_options_say_what_is_in_the_file(
    pommel: Pommel, text: Path, options: list[str], summary: str, words: str
) -> None:
    output = text.parent / "model.arpa"
    outcome = pommel("train", "ngram", text, "-o", output, *options)
    assert (outcome.status, outcome.stdout) == (0, "")
    assert outcome.stderr == f"{output}: {summary}\n"
    assert {*read_arpa(output).vocabulary} == {"<unk>", "<s>", "</s>", *words.split()}
    decimals = "3" if "--decimals" in options else "7"
    assert f"-99.{'0' * int(decimals)}\t<s>" in output.read_text("utf-8")


def test_orders_that_the_text_has_not_are_left_out(pommel: Pommel, text: Path) -> None:
    output = text.parent / "model.arpa"
    outcome = pommel("train", "ngram", text, "-o", output, "--order", "9")
    assert (outcome.status, outcome.stdout) == (0, "")
    assert outcome.stderr == (
        f"{output}: 3 sentences, 12 words, 0.00 % of them unknown; 12 1-grams, 12 2-grams, "
        "12 3-grams, 9 4-grams, 6 5-grams, 3 6-grams\n"
        "note: the text has no 7-gram to keep; the order is 6, not 9\n"
    )
    assert len(read_arpa(output).n_ngrams) == 6


def test_bigrams_may_be_pruned_beside_a_vocabulary(pommel: Pommel, text: Path) -> None:
    listed = text.parent / WORDS
    listed.write_text("The\ndog\ndogs\n.\n", "utf-8")
    output = text.parent / "model.arpa"
    options = ("--vocabulary", listed, "--min-count", "1,2", "--order", "2")
    outcome = pommel("train", "ngram", text, "-o", output, *options)
    assert outcome.status == 0
    # <s> The, <unk> <unk>, <unk> ., . </s>
    assert outcome.stderr.endswith("; 7 1-grams, 4 2-grams\n")


def test_a_vocabulary_is_a_file(pommel: Pommel, text: Path) -> None:
    listed = text.parent / "vocabulary.txt"
    # As beside an LSTM, with its marks.
    listed.write_text("<unk>\n<eos>\nThe\ndog\nzebra\n", "utf-8")
    output = text.parent / "model.arpa"
    outcome = pommel("train", "ngram", text, "-o", output, "--vocabulary", listed)
    assert outcome.status == 0
    assert ", 75.00 % of them unknown; 6 1-grams, " in outcome.stderr
    assert read_arpa(output).vocabulary == ("<unk>", "<s>", "</s>", "The", "dog", "zebra")


def test_a_text_that_is_cut_already_is_taken_as_it_is(pommel: Pommel, tmp_path: Path) -> None:
    text = tmp_path / "cut.txt"
    text.write_text("don't stop. <eos>\n", "utf-8")
    output = tmp_path / "model.arpa"
    for split, words in (("spaces", "don't stop."), ("words", "do n't stop .")):
        assert pommel("train", "ngram", text, "-o", output, "--split", split).status == 0
        assert {*read_arpa(output).vocabulary} == {"<unk>", "<s>", "</s>", *words.split()}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--smoothing", "kneser-ney", "--add", "2"], "--add is for --smoothing laplace"),
        (
            ["--vocabulary", WORDS, "--vocabulary-size", "9"],
            "--vocabulary-size says nothing beside --vocabulary; leave one out",
        ),
        (
            ["--vocabulary", WORDS, "--min-count", "2"],
            (
                "the first number of --min-count, which is for words, says nothing beside "
                "--vocabulary; write 1"
            ),
        ),
        (
            ["--smoothing", "laplace", "--order", "3"],
            (
                "additive smoothing is for the orders 1 and 2, not 3; "
                "smooth longer n-grams with kneser-ney"
            ),
        ),
        (["--min-count", "1,3,2"], "min_count is [1, 3, 2]; from the bigrams on it must not fall"),
    ],
)
def test_options_that_exclude_each_other(
    pommel: Pommel, text: Path, options: list[str], message: str
) -> None:
    listed = text.parent / WORDS
    listed.write_text("dog\ncat\n", "utf-8")
    options = [str(listed) if option == WORDS else option for option in options]
    outcome = pommel("train", "ngram", text, "-o", text.parent / "x.arpa", *options)
    assert (outcome.status, outcome.stderr) == (2, f"pommel: {message}\n")
    assert not (text.parent / "x.arpa").exists()


@pytest.mark.parametrize("counts", ["0", "a", "1,", "-1", "1;2"])
def test_counts_are_numbers(pommel: Pommel, text: Path, counts: str) -> None:
    outcome = pommel("train", "ngram", text, "-o", text.parent / "x", f"--min-count={counts}")
    assert outcome.status == 2
    assert f"'{counts}': write numbers from 1 up, as 2 or 1,1,2" in outcome.stderr


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (None, [], "{0}: cannot read the training text: No such file or directory"),
        (b"", [], "{0}: there is no sentence in it; write one a line"),
        (b"a\nb\xff\n", [], "{0}:2: this is not UTF-8; convert the file to UTF-8"),
        (
            b"a\nb </s>\n",
            ["--split", "spaces"],
            (
                '{0}:2: the line has the word "</s>", which marks where sentences begin or end; '
                "leave it out"
            ),
        ),
        (
            b"a\n",
            ["--vocabulary", "none.txt"],
            "none.txt: No such file or directory",
        ),
    ],
)
def test_an_input_that_cannot_be_used(
    pommel: Pommel, tmp_path: Path, content: bytes | None, options: list[str], message: str
) -> None:
    text = tmp_path / "text.txt"
    if content is not None:
        text.write_bytes(content)
    outcome = pommel("train", "ngram", text, "-o", tmp_path / "model.arpa", *options)
    assert (outcome.status, outcome.stderr) == (3, f"pommel: {message.format(text)}\n")
    assert [each.name for each in tmp_path.iterdir()] == ["text.txt"][: content is not None]


@pytest.mark.parametrize(
    ("words", "options", "message"),
    [
        (
            "the\ndog\nthe\n",
            [],
            "1 duplicate ('the' in line 3 is there in line 1); a word may be listed once",
        ),
        (
            "the\nDog\n",
            ["--lower"],
            "'Dog' is not in lower case, as every word is with --lower; give another vocabulary",
        ),
    ],
)
def test_a_vocabulary_that_makes_no_sense(
    pommel: Pommel, text: Path, words: str, options: list[str], message: str
) -> None:
    listed = text.parent / "words.txt"
    listed.write_text(words, "utf-8")
    output = text.parent / "x.arpa"
    outcome = pommel("train", "ngram", text, "-o", output, "--vocabulary", listed, *options)
    assert (outcome.status, outcome.stderr) == (3, f"pommel: {listed}: {message}\n")
    assert not output.exists()


def test_an_output_that_cannot_be_written(pommel: Pommel, text: Path) -> None:
    output = text / "model.arpa"
    outcome = pommel("train", "ngram", text, "-o", output)
    message = f"pommel: {output}: cannot be written: "
    assert outcome.status == 1
    assert outcome.stderr.startswith(message)
    assert outcome.stderr.count("\n") == 1
    assert text.read_text("utf-8") == TEXT


def test_what_is_read_is_not_overwritten(pommel: Pommel, text: Path) -> None:
    outcome = pommel("train", "ngram", text, "-o", text)
    assert (outcome.status, outcome.stderr) == (
        2,
        f"pommel: {text} is what is read, and would be overwritten; name another file\n",
    )
    assert text.read_text("utf-8") == TEXT
