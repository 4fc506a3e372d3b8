"""`pommel train ngram`: a text in, an ARPA file out, that can be run at once."""

import gzip
import stat
from pathlib import Path

import pytest
from tests.cli.samples import Pommel

from pommel.models.ngram.arpa import read_arpa
from recipes.english.grammar import sample_corpus

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
        # This is the recipe's, whose own tests have the others.
        (["--min-count", "1,3,2"], "min_count is [1, 3, 2]; from the bigrams on it must not fall"),
    ],
)
def test_options_that_exclude_each_other(
    pommel: Pommel, text: Path, options: list[str], message: str
) -> None:
    outcome = pommel("train", "ngram", text, "-o", text.parent / "x.arpa", *options)
    assert outcome.failure(2) == message
    assert not (text.parent / "x.arpa").exists()


@pytest.mark.parametrize("counts", ["0", "a", "1,", "-1", "1;2"])
def test_counts_are_numbers(pommel: Pommel, text: Path, counts: str) -> None:
    outcome = pommel("train", "ngram", text, "-o", text.parent / "x", f"--min-count={counts}")
    assert outcome.status == 2
    assert f"'{counts}': write numbers from 1 up, as 2 or 1,1,2" in outcome.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["none"], "none: cannot read the training text: No such file or directory"),
        (["words.txt", "--vocabulary", "none"], "none: No such file or directory"),
        (
            ["words.txt", "--vocabulary", "words.txt", "--lower"],
            (
                "words.txt: 'Dog' is not in lower case, as every word is with --lower; give "
                "another vocabulary"
            ),
        ),
    ],
)
@pytest.mark.usefixtures("here")
def test_an_input_that_cannot_be_used(pommel: Pommel, options: list[str], message: str) -> None:
    Path("words.txt").write_text("the\nDog\n")
    outcome = pommel("train", "ngram", "-o", "model.arpa", *options)
    assert outcome.failure(3) == message
    assert not Path("model.arpa").exists()
