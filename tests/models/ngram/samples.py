"""Small n-gram models that the tests share."""

import base64
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pommel.models.ngram.arpa import BackoffModel, Reals

# Three words and the marks. Every n-gram's beginning and end are in the model, as kenlm wants it.
TINY = r"""\data\
ngram 1=6
ngram 2=4
ngram 3=1

\1-grams:
-99	<s>	-0.5
-1.0	</s>
-2.0	<unk>
-0.5	the	-0.25
-0.75	dog	-0.125
-1.5	barks	0.125

\2-grams:
-0.25	<s> the	-0.0625
-0.5	the dog	-0.25
-0.375	dog barks
-0.625	barks </s>

\3-grams:
-0.125	<s> the dog

\end\
"""

# "5" is a word, " b" follows a tab or a space, and "b" and "a b" have no back-off weight.
VARIED = r"""
\data\
ngram 1=6
ngram 2=4
ngram 3=2

\1-grams:
-99	<s>	-0.5
-1.0	</s>
-2.0	<unk>
-0.5	a	-0.25
-0.75	b
-1.5	5	0.125

\2-grams:
-0.25	<s> a	-0.0625
-0.5	a b
-0.375	b </s>
-0.625	a 5	-1.0

\3-grams:
-0.125	<s> a b
-0.0	a 5 5

\end\
"""

# What KenLM's `build_binary` makes of `TINY`.
_TINY_BINARY = """\
bW1hcCBsbSBodHRwOi8va2hlYWZpZWxkLmNvbS9jb2RlIGZvcm1hdCB2ZXJzaW9uIDUKAAAAAAAAAAAAAACAPwAAAL8B
AAAA/////wAAAAABAAAAAAAAAAMAAAAAAMA/AAAAAAEAAAAAAAAABgAAAAAAAAAEAAAAAAAAAAEAAAAAAAAAAAAAAAAA
AAAGAAAAK6LlGqwnO6QDAAAAUnCvauRQn7QFAAAAAAAAAAAAAAAAAAAAsrIAZ1Je3vcEAAAACmz38X1z4GsCAAAAAAAA
AAAAAAAAAAAAcH4hvTmGdQABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAwAAAAIAAAMbCAAAAvwAAgD8AAACA
AAAAPwAAgL4AAEA/AAAAvgAAwD8AAAA+AAAAAAAAAAAI8gJohLEzEwAAAD8AAIC+gXLt8H17fIUAAIC+AACAvbqmA44a
qr62AADAvgAAAIAgXZS+ipA8KwAAIL8AAACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAm9IcO/D2RbgAA
AL4AAAAAAAAAAAAAAAA8dW5rPgA8cz4APC9zPgB0aGUAZG9nAGJhcmtzAA==
"""


def tiny_binary() -> bytes:
    """Return a KenLM binary of `TINY`."""
    return base64.b64decode(_TINY_BINARY)


def write(path: Path, content: str | bytes) -> Path:
    """Write a file and return its path."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def listed(model: BackoffModel) -> list[dict[str, tuple[float, float]]]:
    """Return the n-grams of each order with their probabilities and weights, as logarithms."""
    vocabulary = model.vocabulary
    texts = [""]
    found = []
    for table in model.tables:
        keys = table.keys
        words = [vocabulary[word] for word in (keys & 0xFFFFFFFF).tolist()]
        prefixes = (keys >> 32).tolist()
        texts = [f"{texts[at]} {word}".strip() for at, word in zip(prefixes, words, strict=True)]
        numbers = np.stack([table.log10_probabilities, table.log10_backoffs], axis=1).tolist()
        pairs = zip(texts, numbers, strict=True)
        found.append({text: (p, weight) for text, (p, weight) in pairs})
    return found


def log10_probability(model: BackoffModel, word: str, context: Sequence[str]) -> float:
    """Return log10 p(word | context)."""
    return float(model.log10_probabilities([[*context, word]])[-1])


def next_log10_probabilities(model: BackoffModel, context: Sequence[str]) -> Reals:
    """Return log10 p(word | context) of every word of the vocabulary."""
    found = model.log10_probabilities([[*context, word] for word in model.vocabulary])
    return found[len(context) :: len(context) + 1]
