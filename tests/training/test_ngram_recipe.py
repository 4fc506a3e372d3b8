"""A text file becomes an ARPA file, and kenlm reads in it what we read in it."""

from itertools import islice
from pathlib import Path
from typing import Any

import kenlm
import pytest

from pommel.errors import InputError, PommelError, UsageError
from pommel.models.model import Policy, score_all
from pommel.models.ngram.model import open_arpa
from pommel.training.ngram_recipe import NgramRecipe
from pommel.training.text import words_of
from recipes.english.grammar import held_out_corpus, sample_corpus


def _silent(_text: str) -> None:
    pass


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "english.txt"
    path.write_text("".join(f"{sentence}\n" for sentence in sample_corpus(1_500, 1)), "utf-8")
    return path


@pytest.mark.parametrize(
    "recipe",
    [
        pytest.param(NgramRecipe(), id="Kneser-Ney"),
        pytest.param(NgramRecipe(order=3, min_count=(2, 1, 2)), id="rare words and trigrams"),
        pytest.param(NgramRecipe(order=2, vocabulary_size=100), id="a small vocabulary"),
        pytest.param(NgramRecipe(order=2, smoothing="laplace"), id="Laplace"),
        pytest.param(NgramRecipe(order=2, smoothing="laplace", add=0.01), id="less added"),
    ],
)
def test_perplexity_is_that_of_kenlm(
    english: Path, recipe: NgramRecipe, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.arpa"
    recipe.train(english, path, _silent, cased=False)
    theirs = kenlm.Model(str(path))
    capfd.readouterr()
    ours = open_arpa(path, reference="ours", name="ours")
    texts = [sentence.lower() for sentence in islice(held_out_corpus(100, 1), 100)]
    texts += ["the zorbl barks at the grolp", "zorbl", "the the the"]
    for _text, scored in zip(texts, score_all(ours, texts, Policy()), strict=True):
        bits = sum(token.surprisal_bits or 0.0 for token in scored.tokens)
        perplexity = 2 ** (bits / len(scored.tokens))
        cut = " ".join(token.text for token in scored.tokens if token.role == "text")
        assert perplexity == pytest.approx(theirs.perplexity(cut), rel=1e-4)


def test_the_summary_is_that_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("The dog barks.\n\na cat <unk> .\n", "utf-8")
    told: list[str] = []
    recipe = NgramRecipe(order=2, vocabulary=("dog", "cat"))
    model = recipe.train(path, tmp_path / "model.arpa", told.append)
    assert (model.n_sentences, model.n_words, model.n_unknown_words) == (2, 8, 6)
    assert model.n_ngrams == (5, 7)
    assert told == ["counting the n-grams of 2 sentences", "writing 12 n-grams"]


def test_unknown_words_in_the_text_train_the_unknown_word(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("the <unk> barks\nthe <unk> sleeps\nthe dog barks\n")
    for smoothing in ("kneser-ney", "laplace"):
        recipe = NgramRecipe(order=2, smoothing=smoothing)
        text = tmp_path / "text.txt"
        recipe.train(text, tmp_path / "model.arpa", _silent)
        model = open_arpa(tmp_path / "model.arpa", reference="x", name="x")
        seen, unseen = (
            scored.tokens[-1].surprisal_bits
            for scored in score_all(model, ["the zebra", "barks zebra"], Policy(eos="never"))
        )
        assert seen is not None
        assert unseen is not None
        assert seen < unseen


@pytest.mark.parametrize("smoothing", ["kneser-ney", "laplace"])
def test_without_rare_words_the_unknown_word_is_still_possible(
    tmp_path: Path, smoothing: Any
) -> None:
    (tmp_path / "text.txt").write_text("a b\n" * 9)
    recipe = NgramRecipe(order=2, smoothing=smoothing)
    recipe.train(tmp_path / "text.txt", tmp_path / "x.arpa", _silent)
    model = open_arpa(tmp_path / "x.arpa", reference="x", name="x")
    (scored,) = score_all(model, ["zebra"], Policy())
    bits = scored.tokens[0].surprisal_bits
    assert bits is not None
    assert 1 < bits < 20


def test_the_name_says_whether_the_file_is_gzipped(english: Path, tmp_path: Path) -> None:
    recipe = NgramRecipe(order=2)
    for name in ("model.arpa", "model.arpa.gz"):
        recipe.train(english, tmp_path / name, _silent, cased=False)
    plain, gzipped = (tmp_path / name for name in ("model.arpa", "model.arpa.gz"))
    assert plain.read_bytes().startswith(b"\\data\\\n")
    assert gzipped.read_bytes().startswith(b"\x1f\x8b")
    models = [open_arpa(path, reference="x", name="x") for path in (plain, gzipped)]
    first, second = (score_all(model, ["the dog barks ."], Policy()) for model in models)
    assert first == second


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, ": cannot read the training text: No such file or directory"),
        (b"a b\ncaf\xe9\n", ":2: this is not UTF-8; convert the file to UTF-8"),
        (
            b"a b\n\na <s> b\n",
            (
                ':3: the line has the word "<s>", which marks where sentences begin or end; '
                "leave it out"
            ),
        ),
    ],
)
def test_a_text_that_cannot_be_used_leaves_nothing(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "text.txt"
    if content is not None:
        path.write_bytes(content)
    output = tmp_path / "out" / "model.arpa"
    output.parent.mkdir()
    output.write_text("as it was")
    with pytest.raises(InputError) as caught:
        NgramRecipe().train(path, output, _silent, split="spaces")
    assert str(caught.value) == f"{path}{message}"
    assert [each.name for each in output.parent.iterdir()] == ["model.arpa"]
    assert output.read_text() == "as it was"


def test_a_file_that_cannot_be_written_is_refused_before_the_text_is_read(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(PommelError) as caught:
        NgramRecipe().train(tmp_path / "no text", tmp_path / "folder", _silent)
    assert str(caught.value) == f"{tmp_path}/folder: cannot be written: Is a directory"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"smoothing": "none"}, "smoothing cannot be 'none'; it is one of kneser-ney, laplace"),
        (
            {"vocabulary": ("a",), "vocabulary_size": 5},
            "--vocabulary-size says nothing beside --vocabulary; leave one out",
        ),
        (
            {"vocabulary": ("a",), "min_count": (2, 1)},
            (
                "the first number of --min-count, which is for words, says nothing beside "
                "--vocabulary; write 1"
            ),
        ),
        ({"order": 0}, "the order is 0; it must be at least 1"),
        ({"min_count": (1, 3, 2)}, "min_count is [1, 3, 2]; from the bigrams on it must not fall"),
        (
            {"smoothing": "laplace"},
            (
                "additive smoothing is for the orders 1 and 2, not 5; "
                "smooth longer n-grams with kneser-ney"
            ),
        ),
    ],
)
def test_a_recipe_that_makes_no_sense(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        NgramRecipe(**options)
    assert str(caught.value) == message


def test_a_text_is_cut_as_it_will_be_scored() -> None:
    assert words_of("Don't, (he) said...") == ["Do", "n't", ",", "(", "he", ")", "said", *"..."]
    assert words_of("Don't, (he) said...", "spaces") == ["Don't,", "(he)", "said..."]
