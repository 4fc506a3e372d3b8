"""Text that models are trained on: sentences of templates that have nothing but good ones."""

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Self

from pommel.errors import Fault, InputError, UsageError, listed
from pommel.files import shipped_folder
from pommel.sources.grammar.lexicon_template.source import LexiconTemplateSource
from pommel.sources.grammar.source import collected, raise_any
from pommel.suite import Region
from pommel.values import frozen

_ENDING = ".template"
# To draw an item takes as long as to write all its constructions.
_N_OF_AN_ITEM = 4


@frozen
class TextGrammar:
    """Templates, of one language, of which a text is drawn; their conditions are constructions.

    `files` are all that it was read from: templates and lexicons.
    """

    SHIPPED: ClassVar = "texts:"

    sources: tuple[LexiconTemplateSource, ...]
    files: tuple[Path, ...]

    @classmethod
    def named(cls, name: str) -> Self:
        """Read a template, those of a folder, or a grammar that ships with pommel ("texts:de").

        Raises `InputError` if there is no such thing, `UsageError` for a file of another ending and
        for the template of a suite, and `GrammarError` with every fault of all templates.
        """
        sources, faults = [], list[Fault]()
        paths = _templates(name)
        for path in paths:
            with collected(faults):
                sources.append(LexiconTemplateSource(path))
        raise_any(faults)
        for path, source in zip(paths, sources, strict=True):
            if source.head["predictions"]:
                what = "has predictions: it is a suite's, and some of its sentences are wrong"
                raise UsageError(f"{path} {what}; a text is drawn of templates without any")
        files = [
            path.parent / each
            for path, source in zip(paths, sources, strict=True)
            for each in source.recipe["files"]
        ]
        return cls(sources=tuple(sources), files=tuple(dict.fromkeys(files)))

    @staticmethod
    def shipped_names() -> tuple[str, ...]:
        """Return the names of those that ship with pommel, "texts:de"."""
        folders = (each for each in (shipped_folder("suites") / "texts").iterdir() if each.is_dir())
        return tuple(sorted(f"{TextGrammar.SHIPPED}{each.name}" for each in folders))

    def sentences(self, n: int, seed: int) -> Iterator[str]:
        """Yield `n` sentences with a capital letter, the same ones on any machine.

        All constructions are as likely; some of each item that is drawn follow one another. What is
        drawn may be drawn again.
        """
        return itertools.islice(self._endless(str(seed)), n)

    def shuffled(self, n: int, seed: int) -> list[str]:
        """Return the `n` sentences of `sentences` in another order, the same one on any machine.

        What is drawn of one item no longer stands together. A network that reads text as a stream,
        with its state carried from sentence to sentence, would learn to repeat what it has read.
        """
        found = list(self.sentences(n, seed))
        random.Random(f"order {seed}").shuffle(found)  # noqa: S311 - no secret
        return found

    def held_out(self, n: int, seed: int) -> Iterator[str]:
        """Yield others than `sentences` has, with any seed; a sentence may be there by chance."""
        return itertools.islice(self._endless(f"held out {seed}"), n)

    def _endless(self, seed: str) -> Iterator[str]:
        drawn = random.Random(seed)  # noqa: S311 - sampling text, not secrets
        languages = [str(each.head["meta"].get("language", "")) for each in self.sources]
        counts = [len(next(each.items([0])).conditions) for each in self.sources]
        while True:
            (k,) = drawn.choices(range(len(self.sources)), counts)
            (item,) = self.sources[k].items([drawn.randrange(self.sources[k].n_items)])
            n = min(_N_OF_AN_ITEM, counts[k])
            for condition in drawn.sample(item.conditions, n):
                yield Region.with_first_letter(condition.sentence, "capital", languages[k])


def _templates(name: str) -> list[Path]:
    """Return the templates that a name means, in an order that no file system has a say in."""
    folder = Path(name)
    if name.startswith(TextGrammar.SHIPPED):
        known = TextGrammar.shipped_names()
        if name not in known:
            raise InputError(f"{name}: no such text; there are {listed(known, most=len(known))}")
        folder = shipped_folder("suites") / "texts" / name.removeprefix(TextGrammar.SHIPPED)
    if folder.is_dir():
        found = sorted(folder.glob(f"*{_ENDING}"), key=lambda each: each.name)
        if not found:
            raise InputError(f"{name}: the folder holds no templates (no {_ENDING} files)")
        return found
    if folder.suffix != _ENDING:
        raise UsageError(
            f"{name}: a text is drawn of templates ({_ENDING}), or of a folder of them"
        )
    return [folder]
