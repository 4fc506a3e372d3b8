"""An estimate becomes an ARPA file, to the byte."""

import gzip
from pathlib import Path

import numpy as np

from pommel.models.ngram.arpa import read_arpa
from pommel.training.ngram_corpus import NgramEstimate, NgramTable
from pommel.training.ngram_recipe import write_arpa

# Nothing that anybody has estimated: what is written is what is given.
UNIGRAMS = NgramTable(
    prefixes=np.zeros(5, dtype=np.int64),
    words=np.arange(5),
    log10_probabilities=np.array([-1.5, -99.0, -0.25, -0.00004, -2.000049]),
    log10_backoffs=np.array([0.0, -0.5, 0.0, -0.00001, 0.3]),
)
BIGRAMS = NgramTable(
    prefixes=np.array([1, 3, 4]),
    words=np.array([3, 4, 2]),
    log10_probabilities=np.array([-0.1, -0.2, -0.3]),
    log10_backoffs=np.array([0.0, -0.125, 0.0]),
)
TRIGRAMS = NgramTable(
    prefixes=np.array([0, 1]),
    words=np.array([4, 2]),
    log10_probabilities=np.array([0.0, -1e-9]),
    log10_backoffs=np.zeros(2),
)
ESTIMATE = NgramEstimate(
    vocabulary=("<unk>", "<s>", "</s>", "a", "naïve"),
    tables=(UNIGRAMS, BIGRAMS, TRIGRAMS),
    n_sentences=1,
    n_words=2,
    n_unknown_words=0,
)
WRITTEN = """\
\\data\\
ngram 1=5
ngram 2=3
ngram 3=2

\\1-grams:
-1.5000\t<unk>
-99.0000\t<s>\t-0.5000
-0.2500\t</s>
0.0000\ta
-2.0000\tnaïve\t0.3000

\\2-grams:
-0.1000\t<s> a
-0.2000\ta naïve\t-0.1250
-0.3000\tnaïve </s>

\\3-grams:
0.0000\t<s> a naïve
0.0000\ta naïve </s>

\\end\\
"""


def test_words_numbers_and_marks_stand_where_readers_look_for_them(tmp_path: Path) -> None:
    write_arpa(ESTIMATE, tmp_path / "model.arpa", n_decimals=4)
    # Weights of 0 are left out, and no number is "-0.0000".
    assert (tmp_path / "model.arpa").read_bytes().decode() == WRITTEN
    assert read_arpa(tmp_path / "model.arpa").n_ngrams == (5, 3, 2)


def test_gzipped_it_is_the_same_and_has_neither_name_nor_time(tmp_path: Path) -> None:
    for name in ("one.arpa.gz", "two.arpa.gz"):
        write_arpa(ESTIMATE, tmp_path / name, n_decimals=4, is_gzip=True)
    raw = (tmp_path / "one.arpa.gz").read_bytes()
    assert raw == (tmp_path / "two.arpa.gz").read_bytes()
    assert gzip.decompress(raw).decode() == WRITTEN
    # RFC 1952: no flag (such as that of a name), then the time.
    assert raw[3:8] == bytes(5)


def test_seven_decimals_are_the_default(tmp_path: Path) -> None:
    write_arpa(ESTIMATE, tmp_path / "model.arpa")
    assert "-0.0000400\ta\t-0.0000100\n" in (tmp_path / "model.arpa").read_text("utf-8")
