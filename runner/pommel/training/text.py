"""A training text: a file with a sentence a line."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Literal, get_args

from pommel.errors import InputError, UsageError
from pommel.files import GZIP_FAULTS, opened
from pommel.models import words_of_text

# How a line becomes words: cut as a suite's sentences are when they are scored ("words"), or what
# stands between white space and nothing else ("spaces"), for a text that is cut already.
Split = Literal["words", "spaces"]

# Marks that a text may hold already, and that are no words to be cut.
_MARKS = frozenset({"<unk>", "<eos>"})


@dataclass(frozen=True, slots=True, kw_only=True)
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
            with opened(self.path) as stream:
                for number, line in enumerate(stream, start=1):
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


def words_of(line: str, split: Split = "words") -> list[str]:
    """Return the words of a sentence."""
    pieces = line.split()
    if split == "spaces":
        return pieces
    return [word for piece in pieces for word in _cut(piece)]


def most_frequent(
    counts: Counter[str], *, size: int | None, min_count: int = 1, without: Collection[str] = ()
) -> list[str]:
    """Return the `size` most frequent words, those of equal frequency in the order of their text.

    None is all of them. Words that occur less than `min_count` times, and those in `without`, are
    left out.
    """
    chosen = (word for word, n in counts.items() if n >= min_count and word not in without)
    return sorted(chosen, key=lambda word: (-counts[word], word))[:size]


@lru_cache(maxsize=1 << 16)
def _cut(piece: str) -> tuple[str, ...]:
    """Cut a piece between white space as it will be cut when it is scored."""
    return words_of_text(piece, _MARKS)
