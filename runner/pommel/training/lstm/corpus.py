"""From a text to numbers: one stream of words for training, one for validation, a vocabulary."""

import random
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pommel.errors import InputError
from pommel.files.text import sha256_of
from pommel.models.word_level import read_word_list
from pommel.training.lstm.recipe import Recipe
from pommel.training.text import TextFile, most_frequent

UNK = "<unk>"
EOS = "<eos>"

Words = npt.NDArray[np.int32]

# Which sentences are for validation does not depend on the seed of a training: the members of a
# family share them.
_VALIDATION_SEED = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the text: `words` are indices into the vocabulary, `<eos>` after each sentence.

    `n_unknown` of them are `<unk>`.
    """

    words: Words
    n_sentences: int
    n_unknown: int

    @property
    def unknown_share(self) -> float:
        """The share of `<unk>` among the words, `<eos>` not counted."""
        return self.n_unknown / max(1, len(self.words) - self.n_sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """What a network is trained on: its words, in the order of its weights, and the text."""

    vocabulary: tuple[str, ...]
    training: Section
    validation: Section


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The files that a corpus is made of.

    Without `validation`, a share of the sentences of `text` is set aside; without `vocabulary`, it
    is that of the sentences trained on.
    """

    text: Path
    validation: Path | None = None
    vocabulary: Path | None = None

    def sha256s(self) -> dict[str, str | None]:
        """Return the SHA-256 of each. Raises `InputError` for one that cannot be read twice."""
        for path in (self.text, self.validation, self.vocabulary):
            if path and path.exists() and not path.is_file() and not path.is_dir():
                what = f"{path} is no file but a pipe or a device, and it is read twice"
                raise InputError(f"{what}; write the text to a file first")
        return {
            f"{name}_sha256": sha256_of(path) if path else None
            for name, path in (
                ("text", self.text),
                ("validation", self.validation),
                ("vocabulary", self.vocabulary),
            )
        }


def read_corpus(sources: Sources, recipe: Recipe) -> Corpus:
    """Read the text and choose the vocabulary.

    Raises `InputError` for a file that cannot be read, is not UTF-8, has no sentence or too few
    words for the streams of a batch, and what `read_word_list` raises.
    """
    ids: dict[str, int] = {UNK: 0, EOS: 1}
    given = _given_vocabulary(sources.vocabulary, recipe) if sources.vocabulary else None
    training = _read(sources.text, recipe, ids)
    if sources.validation:
        validation = _read(sources.validation, recipe, ids)
    else:
        training, validation = _set_aside(training, recipe.validation_share, sources.text)
    vocabulary = given or _frequent(training, list(ids), recipe)
    translation = _translation(list(ids), vocabulary)
    corpus = Corpus(
        vocabulary=vocabulary,
        training=training.section(translation),
        validation=validation.section(translation),
    )
    n_words = len(corpus.training.words)
    if n_words < recipe.batch_size:
        message = f"{sources.text}: {n_words} words and ends of sentences to train on cannot fill"
        hint = "take more text or a smaller --batch-size"
        raise InputError(f"{message} {recipe.batch_size} streams; {hint}")
    return corpus


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numbered:
    """A text as numbers of its distinct words; `n_words` of each sentence, `<eos>` included."""

    words: Words
    n_words: Words

    def part(self, chosen: npt.NDArray[np.bool_]) -> "_Numbered":
        """Return the sentences that are chosen."""
        in_part = np.repeat(chosen, self.n_words)
        return _Numbered(words=self.words[in_part], n_words=self.n_words[chosen])

    def section(self, translation: Words) -> Section:
        """Return the text as a model sees it: `translation` gives each word its number there."""
        words = translation[self.words]
        n_unknown = int(np.count_nonzero(words == translation[0]))
        return Section(words=words, n_sentences=len(self.n_words), n_unknown=n_unknown)


def _read(path: Path, recipe: Recipe, ids: dict[str, int]) -> _Numbered:
    """Read a text, adding to `ids` the words that it does not have."""
    words, n_words = array("i"), array("i")
    for sentence in TextFile(path=path, split=recipe.split, cased=recipe.cased).sentences():
        words.extend(ids.setdefault(word, len(ids)) for word in sentence)
        words.append(ids[EOS])
        n_words.append(len(sentence) + 1)
    return _Numbered(words=np.array(words, np.int32), n_words=np.array(n_words, np.int32))


def _set_aside(text: _Numbered, share: float, path: Path) -> tuple[_Numbered, _Numbered]:
    """Split a text into what is trained on and what validates, by whole sentences."""
    n_sentences = len(text.n_words)
    if n_sentences < 2:  # noqa: PLR2004 - "two" is what it means
        message = f"{path}: one sentence cannot be for training and for validation"
        raise InputError(f"{message}; take more text, or give another file as --validation")
    n_chosen = min(n_sentences - 1, max(1, round(share * n_sentences)))
    order = random.Random(_VALIDATION_SEED)  # noqa: S311 - choosing sentences, not secrets
    chosen = np.zeros(n_sentences, np.bool_)
    chosen[order.sample(range(n_sentences), n_chosen)] = True
    return text.part(~chosen), text.part(chosen)


def _frequent(text: _Numbered, known: Sequence[str], recipe: Recipe) -> tuple[str, ...]:
    n_occurrences = np.bincount(text.words, minlength=len(known)).tolist()
    counts = Counter(dict(zip(known, n_occurrences, strict=True)))
    words = most_frequent(
        # A word that only the validation has was never seen.
        counts,
        size=recipe.vocabulary_size,
        min_count=recipe.min_count,
        without={UNK, EOS},
    )
    return (UNK, EOS, *words)


def _given_vocabulary(path: Path, recipe: Recipe) -> tuple[str, ...]:
    """Return the words of a file; a mark that it lacks is added at the end."""
    words = read_word_list(path, cased=recipe.cased)
    return (*words, *(mark for mark in (UNK, EOS) if mark not in words))


def _translation(known: Sequence[str], vocabulary: Sequence[str]) -> Words:
    """Return the index in the vocabulary of each known word, that of `<unk>` if it has none."""
    index = {word: number for number, word in enumerate(vocabulary)}
    return np.array([index.get(word, index[UNK]) for word in known], np.int32)
