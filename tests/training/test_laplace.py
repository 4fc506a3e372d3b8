"""Additive smoothing gives what counting gives, in every context, through the file."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.models.ngram.samples import log10_probability, next_log10_probabilities

from pommel.errors import UsageError
from pommel.models.ngram.arpa import BackoffModel, read_arpa
from pommel.training import laplace
from pommel.training.ngram_corpus import read_corpus
from pommel.training.ngram_recipe import write_arpa

# By hand. V = 5: a, b, c, </s>, <unk>. After "a" (seen twice) each of b and c once: (1 + 1) / 7;
# whatever was not seen there 1 / 7 = weight * 1 / 5, so that the weight is 5 / 7.
TWO_SENTENCES = """\\data\\
ngram 1=6
ngram 2=5

\\1-grams:
-0.698970	<unk>
-99.000000	<s>	-0.146128
-0.698970	</s>
-0.698970	a	-0.146128
-0.698970	b	-0.079181
-0.698970	c	-0.079181

\\2-grams:
-0.367977	<s> a
-0.544068	a b
-0.544068	a c
-0.477121	b </s>
-0.477121	c </s>

\\end\\
"""


def _read_back(folder: Path, sentences: Sequence[str], order: int, add: float) -> BackoffModel:
    corpus = read_corpus(sentence.split() for sentence in sentences)
    path = folder / "model.arpa"
    write_arpa(laplace.estimate(corpus, order=order, add=add), path)
    return read_arpa(path)


def test_writes_the_model_that_one_computes_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "model.arpa"
    model = laplace.estimate(read_corpus([["a", "c"], ["a", "b"]]))
    write_arpa(model, path, n_decimals=6)
    assert path.read_text("utf-8") == TWO_SENTENCES
    assert (model.n_sentences, model.n_words, model.n_unknown_words) == (2, 4, 0)


texts = st.lists(
    st.lists(st.sampled_from(("a", "b", "c", "<unk>")), min_size=1, max_size=6).map(" ".join),
    min_size=1,
    max_size=12,
)
added = st.sampled_from((1.0, 0.5, 0.01, 1e-6, 25.0))
CONTEXTS = ("<s>", "a", "b", "c", "<unk>", "zebra", "</s>")


@given(sentences=texts, order=st.sampled_from((1, 2)), add=added)
def test_it_is_what_counting_gives_and_sums_to_one(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[str], order: int, add: float
) -> None:
    model = _read_back(tmp_path_factory.mktemp("law"), sentences, order, add)
    padded = [["<s>", *sentence.split(), "</s>"] for sentence in sentences]
    predicted = sorted({word for words in padded for word in words[1:]} | {"<unk>"})
    unigrams = Counter(word for words in padded for word in words)
    bigrams = Counter(pair for words in padded for pair in itertools.pairwise(words))
    # What a word is seen before; nothing follows </s>.
    n_followed = Counter(left for left, _ in bigrams.elements())
    n_all = sum(unigrams[word] for word in predicted)
    for context in CONTEXTS:
        known = context if context in model else "<unk>"
        for word in predicted:
            if order == 1:
                expected = (unigrams[word] + add) / (n_all + add * len(predicted))
            else:
                seen = bigrams[known, word] + add
                expected = seen / (n_followed[known] + add * len(predicted))
            found = 10 ** log10_probability(model, word, [context])
            assert found == pytest.approx(expected, rel=1e-6)
        total = (10 ** next_log10_probabilities(model, [context])).sum()
        assert total == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    ("order", "add", "min_count", "message"),
    [
        (
            3,
            1.0,
            (1,),
            (
                "additive smoothing is for the orders 1 and 2, not 3; "
                "smooth longer n-grams with kneser-ney"
            ),
        ),
        *(
            (
                2,
                add,
                (1,),
                (
                    f"what is added to each count is {add:g}; it must be a number above 0, and "
                    "at most 1e+09"
                ),
            )
            for add in (0.0, math.inf, 1e308, math.nan)
        ),
        (
            2,
            1.0,
            (1, 2),
            (
                "min_count is [1, 2]; additive smoothing keeps every bigram: "
                "give one number of at least 1, for words"
            ),
        ),
        (
            2,
            1.0,
            (0,),
            (
                "min_count is [0]; additive smoothing keeps every bigram: "
                "give one number of at least 1, for words"
            ),
        ),
    ],
)
def test_refuses_options_that_make_no_sense(
    order: int, add: float, min_count: Sequence[int], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        laplace.check_options(order, add, min_count)
    assert str(caught.value) == message
    assert caught.value.exit_status == 2


def test_words_may_be_rare() -> None:
    laplace.check_options(2, 1.0, (3,))
    laplace.check_options(2, 1.0, (3, 1))
