"""The text that built-in models are trained on: of English and, by templates, of other languages.

A language's folder in suites/texts has templates whose conditions are constructions: grammatical
sentences, made of words that are in part those of the language's suites. No suite is made of them.
English has one, too; but its built-in models have a text of their own (`recipes.english`).
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pommel.sources.text_grammar import TextGrammar
from recipes.english import grammar as english

_FULL_SIZE = 40_000
_N_BEGINNING = 200


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
    reference = f"texts:{language}"
    return TrainingText(
        language,
        name,
        _FULL_SIZE,
        lambda n, seed: TextGrammar.named(reference).sentences(n, seed),
        lambda n, seed: TextGrammar.named(reference).held_out(n, seed),
    )


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
