"""Kneser-Ney estimates are those of the formulas, and a back-off reader gives them back."""

import gzip
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.models.ngram.samples import log10_probability, next_log10_probabilities

from pommel.errors import UsageError
from pommel.models.ngram.arpa import read_arpa
from pommel.training import kneser_ney
from pommel.training.ngram_corpus import NgramEstimate, read_corpus
from pommel.training.ngram_recipe import write_arpa

# By hand. Continuation counts: a 1, b 1, c 1, </s> 2; so g() = (3 * 0.5 + 1) / 5 = 0.5, and
# p(a) = 0.5 / 5 + 0.5 / 5, </s> (2 - 1) / 5 + 0.5 / 5, <unk> 0.5 / 5. Of two bigrams after "a",
# each seen once, p(b | a) = 0.5 / 2 + 0.5 * p(b); after <s>, p(a | <s>) = 1 / 2 + 0.5 * p(a).
TWO_SENTENCES = """\\data\\
ngram 1=6
ngram 2=5

\\1-grams:
-1.0000000	<unk>
-99.0000000	<s>	-0.3010300
-0.5228787	</s>
-0.6989700	a	-0.3010300
-0.6989700	b	-0.3010300
-0.6989700	c	-0.3010300

\\2-grams:
-0.2218487	<s> a
-0.4559320	a b
-0.4559320	a c
-0.1870866	b </s>
-0.1870866	c </s>

\\end\\
"""


def estimate(
    sentences: Sequence[str], *, order: int = 5, min_count: Sequence[int] = (1,)
) -> NgramEstimate:
    """Estimate the model of sentences whose words have white space between them."""
    corpus = read_corpus((sentence.split() for sentence in sentences), min_count=min_count[0])
    return kneser_ney.estimate(corpus, order=order, min_count=min_count)


def _arpa(folder: Path, sentences: Sequence[str], order: int, min_count: Sequence[int]) -> Path:
    path = folder / "model.arpa"
    write_arpa(estimate(sentences, order=order, min_count=min_count), path, n_decimals=12)
    return path


def test_writes_the_model_that_one_computes_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "model.arpa"
    write_arpa(estimate(["a c", "a b"], order=2), path)
    assert path.read_text("utf-8") == TWO_SENTENCES


@pytest.mark.parametrize(
    ("order", "min_count", "n_ngrams"),
    [
        (7, (1,), (5, 4, 3, 1)),
        (4, (1,), (5, 4, 3, 1)),
        (3, (1,), (5, 4, 3)),
        # "<s> b </s>" is there once, "<s> a b </s>" twice.
        (9, (1, 1, 2), (5, 4, 2, 1)),
        (9, (1, 1, 2, 3), (5, 4, 2)),
        (9, (1, 9), (5,)),
    ],
)
def test_orders_without_an_ngram_are_no_part_of_the_model(
    tmp_path: Path, order: int, min_count: tuple[int, ...], n_ngrams: tuple[int, ...]
) -> None:
    sentences = ["a b", "a b", "b"]
    model = estimate(sentences, order=order, min_count=min_count)
    assert model.n_ngrams == n_ngrams
    assert len(model.discounts) == len(n_ngrams)
    path = _arpa(tmp_path, sentences, order, min_count)
    assert "=0" not in path.read_text("utf-8")
    read = read_arpa(path)
    for context in (["<s>"], ["<s>", "a"], ["<s>", "a", "b"], ["b", "b", "a"]):
        scored = read.surprisals_bits([[*context, w] for w in ("a", "b", "</s>", "<unk>")])
        assert sum(2 ** -bits[-1] for bits in scored) == pytest.approx(1, abs=1e-9)


def test_pruned_mass_goes_to_the_lower_order(tmp_path: Path) -> None:
    path = tmp_path / "model.arpa"
    write_arpa(estimate(["a c", "a b"], order=2, min_count=(1, 2)), path, n_decimals=4)
    lines = path.read_text("utf-8").splitlines()
    # <s> a was seen twice; whatever follows "a", "b" and "c" is left to the unigrams.
    assert lines[lines.index("\\1-grams:") :] == [
        "\\1-grams:",
        "-1.0000\t<unk>",
        "-99.0000\t<s>\t-0.3010",
        "-0.5229\t</s>",
        "-0.6990\ta",
        "-0.6990\tb",
        "-0.6990\tc",
        "",
        "\\2-grams:",
        "-0.2218\t<s> a",
        "",
        "\\end\\",
    ]


def test_discounts_come_from_counts_of_counts() -> None:
    # Five words seen once (with </s>), three twice, two three times, one four times.
    sentence = " ".join(
        word * times
        for word, times in zip(
            ["a ", "b ", "c ", "d ", "e ", "f ", "g ", "h ", "i ", "j "],
            [1, 1, 1, 1, 2, 2, 2, 3, 3, 4],
            strict=True,
        )
    )
    (discounts,) = estimate([sentence], order=1).discounts
    y = 5 / (5 + 2 * 3)
    assert discounts == pytest.approx((1 - 2 * y * 3 / 5, 2 - 3 * y * 2 / 3, 3 - 4 * y * 1 / 2))


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("a b c", id="no n-gram seen twice"),
        pytest.param("a b c d e e f f f g g g h h h i i i j j j j", id="negative discount"),
    ],
)
def test_discounts_fall_back_where_none_can_be_estimated(sentence: str) -> None:
    assert estimate([sentence], order=1).discounts == ((0.5, 1.0, 1.5),)


def test_rare_words_are_unknown_words() -> None:
    model = estimate(["a b", "a c"], order=2, min_count=(2, 1))
    assert model.vocabulary == ("<unk>", "<s>", "</s>", "a")
    assert model.n_ngrams == (4, 3)  # <s> a, a <unk>, <unk> </s>


def test_sizes_are_those_of_the_text() -> None:
    model = estimate(["a b", "", "  a b c "], order=5)
    assert (model.n_sentences, model.n_words) == (2, 5)
    assert model.n_ngrams == (6, 5, 4, 3, 1)


def test_sentences_shorter_than_the_order_lower_it(tmp_path: Path) -> None:
    path = _arpa(tmp_path, ["a"], 5, (1,))
    assert read_arpa(path).n_ngrams == (4, 2, 1)


@pytest.mark.parametrize(
    ("order", "min_count", "message"),
    [
        (0, (1,), "the order is 0; it must be at least 1"),
        (2, (), r"min_count is \[\]; give one or more numbers of at least 1"),
        (2, (1, 0), r"min_count is \[1, 0\]; give one or more numbers of at least 1"),
        (3, (1, 3, 2), r"min_count is \[1, 3, 2\]; from the bigrams on it must not fall"),
    ],
)
def test_refuses_options_that_make_no_sense(
    order: int, min_count: Sequence[int], message: str
) -> None:
    corpus = read_corpus([["a"]])
    with pytest.raises(UsageError, match=message):
        kneser_ney.estimate(corpus, order=order, min_count=min_count)


def test_the_same_text_in_any_order_is_the_same_file(tmp_path: Path) -> None:
    sentences = ["the dog barks", "the cat sleeps", "dogs bark"]
    for name, text in (("one.arpa.gz", sentences), ("two.arpa.gz", sentences[::-1])):
        write_arpa(estimate(text, order=3), tmp_path / name, is_gzip=True)
    first, second = ((tmp_path / name).read_bytes() for name in ("one.arpa.gz", "two.arpa.gz"))
    assert first == second
    assert first[3:8] == b"\0\0\0\0\0"  # neither a name nor a time in the header
    assert gzip.decompress(first).startswith(b"\\data\\\n")


class _Reference:
    """The formulas of Chen & Goodman, word by word, with dictionaries."""

    def __init__(self, sentences: Sequence[str], order: int, min_count: Sequence[int]) -> None:
        padded = [("<s>", *sentence.split(), "</s>") for sentence in sentences]
        self.order = order
        self.words = sorted({word for words in padded for word in words} - {"<s>"} | {"<unk>"})
        counts = [
            Counter(
                words[start : start + n] for words in padded for start in range(len(words) - n + 1)
            )
            for n in range(1, order + 1)
        ]
        self.adjusted: list[Counter[tuple[str, ...]]] = []
        for n, raw in enumerate(counts, start=1):
            adjusted = Counter(gram[1:] for gram in counts[n]) if n < order else raw.copy()
            adjusted.update({gram: raw[gram] for gram in raw if gram[0] == "<s>" and n < order})
            adjusted.pop(("<s>",), None)
            self.adjusted.append(adjusted)
        self.kept = [
            {gram for gram in raw if n == 1 or raw[gram] >= min_count[n - 1]}
            for n, raw in enumerate(counts, start=1)
        ]
        self.discounts = [self._discounts(Counter(each.values())) for each in self.adjusted]

    @staticmethod
    def _discounts(t: Counter[int]) -> list[float]:
        if not (t[1] and t[2] and t[3] and t[4]):
            return [0.5, 1, 1.5]
        y = t[1] / (t[1] + 2 * t[2])
        found = [n - (n + 1) * y * t[n + 1] / t[n] for n in (1, 2, 3)]
        return found if min(found) > 0 else [0.5, 1, 1.5]

    def probability(self, word: str, context: tuple[str, ...]) -> float:
        context = context[max(0, len(context) - self.order + 1) :]
        n = len(context) + 1
        lower = self.probability(word, context[1:]) if context else 1 / len(self.words)
        seen = {gram: count for gram, count in self.adjusted[n - 1].items() if gram[:-1] == context}
        if not seen:
            return lower
        own = defaultdict(float)
        for gram, count in seen.items():
            if gram in self.kept[n - 1]:
                own[gram] = count - self.discounts[n - 1][min(count, 3) - 1]
        total = sum(seen.values())
        return (own[*context, word] + (total - sum(own.values())) * lower) / total


texts = st.lists(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=12
)
prunings = st.sampled_from([(1, 1, 1, 1), (1, 1, 2, 2), (1, 2, 2, 3), (1, 1, 1, 2)])
contexts = [
    context
    for length in range(4)
    for context in product(["<s>", "a", "b", "zebra"], repeat=length)
    if "<s>" not in context[1:]
]


@given(sentences=texts, order=st.integers(min_value=1, max_value=4), min_count=prunings)
def test_a_back_off_reader_gives_back_the_formulas(
    tmp_path_factory: pytest.TempPathFactory,
    sentences: list[str],
    order: int,
    min_count: tuple[int, ...],
) -> None:
    model = read_arpa(_arpa(tmp_path_factory.mktemp("law"), sentences, order, min_count))
    reference = _Reference(sentences, order, min_count)
    for context in contexts:
        known = tuple(word if word in model else "<unk>" for word in context)
        for word in reference.words:
            probability = 10 ** log10_probability(model, word, context)
            assert probability == pytest.approx(reference.probability(word, known), abs=1e-9)


@given(
    sentences=texts,
    order=st.integers(min_value=1, max_value=5),
    min_count=st.tuples(st.integers(min_value=1, max_value=3), prunings).map(
        lambda pair: (pair[0], *pair[1][1:])
    ),
)
def test_probabilities_sum_to_one_in_every_context(
    tmp_path_factory: pytest.TempPathFactory,
    sentences: list[str],
    order: int,
    min_count: tuple[int, ...],
) -> None:
    model = read_arpa(_arpa(tmp_path_factory.mktemp("law"), sentences, order, min_count))
    for context in contexts:
        assert (10 ** next_log10_probabilities(model, context)).sum() == pytest.approx(1, abs=1e-9)
