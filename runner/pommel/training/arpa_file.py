"""Writes an estimated n-gram model as an ARPA file; `pommel.models.ngram` reads it."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path

import numpy as np

from pommel.training.ngram_tables import Ids, NgramEstimate

_NGRAMS_AT_ONCE = 1 << 16


def write_arpa(
    estimate: NgramEstimate, path: Path, *, n_decimals: int = 7, is_gzip: bool = False
) -> None:
    """Write the model as an ARPA file, plain or gzipped.

    The same estimate always gives the same bytes. Logarithms are rounded to `n_decimals`.
    """
    with _writable(path, is_gzip=is_gzip) as stream:
        counts = [f"ngram {n}={count}\n" for n, count in enumerate(estimate.n_ngrams, start=1)]
        stream.write(b"\\data\\\n" + "".join(counts).encode())
        for order in range(1, len(estimate.tables) + 1):
            stream.write(f"\n\\{order}-grams:\n".encode())
            stream.writelines(_lines(estimate, order, n_decimals))
        stream.write(b"\n\\end\\\n")


def _lines(estimate: NgramEstimate, order: int, n_decimals: int) -> Iterator[bytes]:
    table = estimate.tables[order - 1]
    # Rounding first and adding 0 leaves no "-0.0000000".
    probabilities = np.round(table.log10_probabilities, n_decimals) + 0.0
    backoffs = np.round(table.log10_backoffs, n_decimals) + 0.0
    # In parts: the texts of millions of n-grams would take more memory than all the rest.
    for start in range(0, len(table.words), _NGRAMS_AT_ONCE):
        part = slice(start, start + _NGRAMS_AT_ONCE)
        texts = _texts(estimate, order, part)
        numbers = (probabilities[part].tolist(), backoffs[part].tolist())
        for text, probability, backoff in zip(texts, *numbers, strict=True):
            weight = f"\t{backoff:.{n_decimals}f}" if backoff else ""
            yield f"{probability:.{n_decimals}f}\t{text}{weight}\n".encode()


def _texts(estimate: NgramEstimate, order: int, part: slice) -> Iterator[str]:
    """Yield the words of some n-grams of an order, with one space between."""
    vocabulary = np.array(estimate.vocabulary, dtype=object)
    places: Ids = np.arange(len(estimate.tables[order - 1].words))[part]
    columns = []
    for table in reversed(estimate.tables[:order]):
        columns.append(vocabulary[table.words[places]].tolist())
        places = table.prefixes[places]
    return map(" ".join, zip(*reversed(columns), strict=True))


@contextmanager
def _writable(path: Path, *, is_gzip: bool) -> Iterator[BufferedIOBase]:
    with path.open("wb") as raw:
        if is_gzip:
            # No name and no time in the header: the same model is the same file.
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream:
                yield stream
        else:
            yield raw
