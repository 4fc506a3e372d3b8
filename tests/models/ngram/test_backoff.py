"""Arrays give what the back-off formula gives, whatever n-grams a file has."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.ngram.samples import write

from pommel.models.ngram.arpa import read_arpa

WORDS = ("<unk>", "<s>", "</s>", "a", "b")
Table = dict[tuple[str, ...], tuple[float, float]]


def arpa_text(tables: Sequence[Table]) -> str:
    """Return an ARPA file of the n-grams."""
    counts = [f"ngram {n}={len(table)}\n" for n, table in enumerate(tables, start=1)]
    sections = []
    for n, table in enumerate(tables, start=1):
        lines = [
            f"{log10!r}\t{' '.join(words)}" + (f"\t{weight!r}\n" if n < len(tables) else "\n")
            for words, (log10, weight) in table.items()
        ]
        sections.append("".join([f"\n\\{n}-grams:\n", *lines]))
    return "".join(["\\data\\\n", *counts, *sections, "\n\\end\\\n"])


def expected_log10(tables: Sequence[Table], words: tuple[str, ...]) -> float:
    """Return log10 p of the last word by the formula, with dictionaries."""
    words = words[-len(tables) :]
    found = tables[len(words) - 1].get(words)
    if found is not None:
        return found[0]
    _, weight = tables[len(words) - 2].get(words[:-1], (0.0, 0.0))
    return weight + expected_log10(tables, words[1:])


# Multiples of 1/8, whose sums are exact.
probabilities = st.integers(min_value=-40, max_value=0).map(lambda number: number / 8)
weights = st.integers(min_value=-16, max_value=16).map(lambda number: number / 8)
entries = st.tuples(probabilities, weights)


def tables_of(n: int) -> st.SearchStrategy[Table]:
    """Return any n-grams: neither their beginnings nor their ends have to be there."""
    words = st.tuples(*[st.sampled_from(WORDS)] * n)
    return st.dictionaries(words, entries, max_size=12)


unigrams = st.tuples(*[entries] * len(WORDS)).map(
    lambda found: {(word,): entry for word, entry in zip(WORDS, found, strict=True)}
)
models = st.integers(min_value=0, max_value=3).flatmap(
    lambda n_longer: st.tuples(unigrams, *(tables_of(n + 2) for n in range(n_longer)))
)
sentences = st.lists(st.lists(st.sampled_from((*WORDS, "zebra")), max_size=6), max_size=4)


@given(tables=models, texts=sentences)
def test_any_model_gives_what_the_formula_gives(
    tmp_path_factory: pytest.TempPathFactory,
    tables: tuple[Table, ...],
    texts: list[list[str]],
) -> None:
    model = read_arpa(write(tmp_path_factory.mktemp("any") / "any.arpa", arpa_text(tables)))
    assert model.n_ngrams == tuple(len(table) for table in tables)
    surprisals = model.surprisals_bits(texts)
    assert [len(bits) for bits in surprisals] == [len(words) for words in texts]
    for words, bits in zip(texts, surprisals, strict=True):
        known = tuple("<unk>" if word == "zebra" else word for word in words)
        for end in range(len(words)):
            log10 = expected_log10(tables, known[: end + 1])
            assert model.log10_probability(words[end], words[:end]) == log10
            assert bits[end] == pytest.approx(-log10 * 3.321928094887362, abs=1e-12)
            everything = model.next_log10_probabilities(words[:end])
            assert everything.tolist() == [
                expected_log10(tables, (*known[:end], word)) for word in WORDS
            ]


def test_a_sentence_does_not_depend_on_the_others(tmp_path: Path) -> None:
    tables: tuple[Table, ...] = (
        {(word,): (-1.0, -0.5) for word in WORDS},
        {("a", "b"): (-0.25, 0.0), ("b", "a"): (-0.125, 0.0)},
    )
    model = read_arpa(write(tmp_path / "model.arpa", arpa_text(tables)))
    texts = [["a"], [], ["b", "a"], ["a", "b"], []]
    together = model.surprisals_bits(texts)
    assert together == [model.surprisals_bits([words])[0] for words in texts]
    assert model.surprisals_bits([]) == []
