"""Writes an estimated n-gram model as an ARPA file; `pommel.models.arpa` reads it."""

import gzip
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path

import numpy as np

from pommel.training.kneser_ney import NgramEstimate, NgramTable


def write_arpa(estimate: NgramEstimate, path: Path, *, n_decimals: int = 7) -> None:
    """Write the model as an ARPA file, gzipped if the name ends in ".gz".

    The same estimate always gives the same bytes. Logarithms are rounded to `n_decimals`.
    """
    with _writable(path) as stream:
        counts = [f"ngram {n}={count}\n" for n, count in enumerate(estimate.n_ngrams, start=1)]
        stream.write(b"\\data\\\n" + "".join(counts).encode())
        texts = [""]
        for order, table in enumerate(estimate.tables, start=1):
            words = [estimate.vocabulary[word] for word in table.words.tolist()]
            prefixes = table.prefixes.tolist()
            pairs = zip(prefixes, words, strict=True)
            texts = words if order == 1 else [f"{texts[prefix]} {word}" for prefix, word in pairs]
            stream.write(f"\n\\{order}-grams:\n".encode())
            stream.writelines(_lines(table, texts, n_decimals))
        stream.write(b"\n\\end\\\n")


def _lines(table: NgramTable, texts: Sequence[str], n_decimals: int) -> Iterator[bytes]:
    # Rounding first and adding 0 leaves no "-0.0000000".
    probabilities = (np.round(table.log10_probabilities, n_decimals) + 0.0).tolist()
    backoffs = (np.round(table.log10_backoffs, n_decimals) + 0.0).tolist()
    for probability, text, backoff in zip(probabilities, texts, backoffs, strict=True):
        weight = f"\t{backoff:.{n_decimals}f}" if backoff else ""
        yield f"{probability:.{n_decimals}f}\t{text}{weight}\n".encode()


@contextmanager
def _writable(path: Path) -> Iterator[BufferedIOBase]:
    with path.open("wb") as raw:
        if path.suffix == ".gz":
            # No name and no time in the header: the same model is the same file.
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream:
                yield stream
        else:
            yield raw
