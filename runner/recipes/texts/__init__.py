"""The text that built-in models are trained on: of English and, by templates, of other languages.

A language's folder has templates whose conditions are constructions: grammatical sentences, made
of words that are in part those of the language's suites. No suite is made of them.
"""

import hashlib
import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pommel.sources.generation import open_grammar
from pommel.sources.grammar.source import ItemSource, has_items
from pommel.suite import Region
from recipes.english import grammar as english

_FOLDER = Path(__file__).parent
_FULL_SIZE = 40_000
_N_BEGINNING = 200
# To draw an item takes as long as to write all its constructions.
_N_OF_AN_ITEM = 4


@dataclass(frozen=True, slots=True)
class TrainingText:
    """Sentences of a language, as many as are wanted: `sample` and `held_out` of a number and a
    seed give the same ones on any machine.
    """

    language: str
    name: str
    full_size: int
    sample: Callable[[int, int], Iterator[str]]
    held_out: Callable[[int, int], Iterator[str]]

    def sha256(self, seed: int) -> str:
        """Return the SHA-256 of the first sentences with a seed, a sentence a line."""
        lines = "".join(f"{each}\n" for each in self.sample(_N_BEGINNING, seed))
        return hashlib.sha256(lines.encode()).hexdigest()


def _of_templates(language: str, name: str) -> TrainingText:
    return TrainingText(
        language,
        name,
        _FULL_SIZE,
        lambda n, seed: _sentences(language, n, str(seed)),
        # A seed that nobody can ask for.
        lambda n, seed: _sentences(language, n, f"held out {seed}"),
    )


def _sentences(language: str, n: int, seed: str) -> Iterator[str]:
    """Yield sentences: of each item some constructions, all of which are as likely."""
    paths = sorted((_FOLDER / language).glob("*.template"))
    return itertools.islice(_endless(list(filter(has_items, map(open_grammar, paths))), seed), n)


def _endless(sources: Sequence[ItemSource], seed: str) -> Iterator[str]:
    drawn = random.Random(seed)  # noqa: S311 - sampling text, not secrets
    languages = [str(source.head["meta"]["language"]) for source in sources]
    counts = [len(next(source.items([0])).conditions) for source in sources]
    while True:
        (k,) = drawn.choices(range(len(sources)), counts)
        (item,) = sources[k].items([drawn.randrange(sources[k].n_items)])
        for condition in drawn.sample(item.conditions, _N_OF_AN_ITEM):
            yield Region.with_first_letter(condition.sentence, "capital", languages[k])


_NAMES = {
    "de": "German",
    "es": "Spanish",
    "eu": "Basque",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "ru": "Russian",
    "sw": "Swahili",
}
_ENGLISH = TrainingText(
    "en", "English", english.FULL_SIZE, english.sample_corpus, english.held_out_corpus
)
TEXTS = {"en": _ENGLISH, **{each: _of_templates(each, name) for each, name in _NAMES.items()}}
