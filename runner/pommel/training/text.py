"""A training text: a file with a sentence a line."""

import random
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pommel.errors import InputError, UsageError
from pommel.files import GZIP_FAULTS, opened
from pommel.models import words_of_text
from pommel.values import frozen

# How a line becomes words: cut as a suite's sentences are when they are scored ("words"), or what
# stands between white space and nothing else ("spaces"), for a text that is cut already.
Split = Literal["words", "spaces"]

# Marks that a text may hold already, and that are no words to be cut.
_MARKS = frozenset({"<unk>", "<eos>"})


@frozen
class TextFile:
    """A text on disk, plain or gzipped; reading it again gives the same sentences.

    `cased` False lower-cases everything.
    """

    SPLITS: ClassVar = get_args(Split)

    path: Path
    split: Split = "words"
    cased: bool = True

    def __post_init__(self) -> None:
        UsageError.check_choice("split", self.split, self.SPLITS)

    def sentences(self) -> Iterator[list[str]]:
        """Yield the words of each line, but for blank lines.

        A line may end in `<eos>`, which says nothing new. Raises `InputError` if the file cannot
        be read, or is not UTF-8 (with the line), or has no sentence.
        """
        return (words for _, words in self.numbered_sentences())

    def numbered_sentences(self) -> Iterator[tuple[int, list[str]]]:
        """Yield (line number from 1, words) of each sentence; see `sentences`."""
        has_sentence = False
        for number, line in enumerate(self._lines(), start=1):
            words = words_of(line if self.cased else line.lower(), self.split)
            if words and words[-1] == "<eos>":
                words.pop()
            if words:
                has_sentence = True
                yield number, words
        if not has_sentence:
            raise InputError(f"{self.path}: there is no sentence in it; write one a line")

    def _lines(self) -> Iterator[str]:
        number = 0
        try:
            with opened(self.path) as lines:
                for number, line in enumerate(lines, start=1):
                    yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            hint = "convert the file to UTF-8"
            raise InputError(f"{self.path}:{number}: this is not UTF-8; {hint}") from error
        except GZIP_FAULTS as error:
            what = "the gzip stream is cut short or damaged"
            raise InputError(f"{self.path}:{max(number, 1)}: {what} ({error})") from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise InputError(f"{self.path}: cannot read the training text: {reason}") from error


# Which sentences are for validation does not depend on the seed of a training: the members of a
# family share them.
_VALIDATION_SEED = 0


def set_aside(n_sentences: int, share: float, path: Path, hint: str) -> list[int]:
    """Return the places, from 0, of the sentences of a text that validate, and are not trained on.

    At least one is for each. Raises `InputError` for a text of one sentence; the hint says what to
    do.
    """
    if n_sentences < 2:  # noqa: PLR2004 - "two" is what it means
        message = f"{path}: one sentence cannot be for training and for validation"
        raise InputError(f"{message}; {hint}")
    n_chosen = min(n_sentences - 1, max(1, round(share * n_sentences)))
    order = random.Random(_VALIDATION_SEED)  # noqa: S311 - choosing sentences, not secrets
    return order.sample(range(n_sentences), n_chosen)


def words_of(line: str, split: Split = "words") -> list[str]:
    """Return the words of a sentence."""
    pieces = line.split()
    if split == "spaces":
        return pieces
    return [word for piece in pieces for word in _cut(piece)]


def numbered(
    sentences: Iterable[Sequence[str]], ids: dict[str, int]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the numbers of all words, one sentence after another, and the sentences' lengths.

    Words that have no number in `ids` get the next one there.
    """
    words, lengths = array("i"), array("i")
    for sentence in sentences:
        words.extend([ids.setdefault(word, len(ids)) for word in sentence])
        lengths.append(len(sentence))
    return np.asarray(words, np.int32), np.asarray(lengths, np.int32)


def most_frequent(
    words: Sequence[str],
    text: NDArray[np.integer[Any]],
    *,
    size: int | None,
    min_count: int = 1,
    without: Collection[str] = (),
) -> list[str]:
    """Return the `size` most frequent words of a text, whose numbers are indices into `words`.

    Those of equal frequency are in the order of their text. A size of None is all of them. Words
    that occur less than `min_count` times, and those in `without`, are left out.
    """
    counts = zip(np.bincount(text, minlength=len(words)).tolist(), words, strict=True)
    chosen = [(-n, word) for n, word in counts if n >= min_count and word not in without]
    return [word for _, word in sorted(chosen)[:size]]


@lru_cache(maxsize=1 << 16)
def _cut(piece: str) -> tuple[str, ...]:
    """Cut a piece between white space as it will be cut when it is scored."""
    return words_of_text(piece, _MARKS)
