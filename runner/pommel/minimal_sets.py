"""Minimal sets: a grammatical sentence and those that differ from it in one place."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

GRAMMATICAL = "grammatical"
UNGRAMMATICAL = "ungrammatical"
REGION_NAMES = {"1": "before", "2": "contrast", "3": "after"}


@dataclass(frozen=True, slots=True)
class MinimalSet:
    """A grammatical sentence, and those that differ from it in one place, its contrast.

    `before` and `after` are what all of them share; `form` makes the sentence grammatical, each
    of `others` makes it ungrammatical. There may be none: what is varied has no other form.
    """

    before: str
    form: str
    others: tuple[str, ...]
    after: str

    @classmethod
    def of(cls, grammatical: str, *ungrammatical: str) -> "MinimalSet":
        """Return the set of some sentences: what they share is their longest common prefix and,
        in what that leaves, their longest common suffix, in words.
        """
        sentences = [each.split() for each in (grammatical, *ungrammatical)]
        n_before = _n_shared(sentences)
        rests = [words[n_before:] for words in sentences]
        n_after = _n_shared([words[::-1] for words in rests])
        form, *others = (" ".join(words[: len(words) - n_after]) for words in rests)
        first = rests[0]
        return cls(
            " ".join(sentences[0][:n_before]),
            form,
            tuple(others),
            " ".join(first[len(first) - n_after :]),
        )

    @property
    def grammatical(self) -> str:
        """The grammatical sentence."""
        return self._sentence(self.form)

    @property
    def ungrammatical(self) -> tuple[str, ...]:
        """The ungrammatical sentences."""
        return tuple(map(self._sentence, self.others))

    def pairs(self) -> "Iterator[MinimalSet]":
        """Yield a set of two for each ungrammatical sentence."""
        for other in self.others:
            yield replace(self, others=(other,))

    def _sentence(self, form: str) -> str:
        return " ".join(filter(None, (self.before, form, self.after)))


def suite_head(meta: Mapping[str, Any], n_others: int) -> dict[str, Any]:
    """Return the JSON of a suite of minimal sets with so many ungrammatical sentences each.

    It lacks its items. The prediction is that the whole grammatical sentence is less surprising
    than every ungrammatical one.
    """
    worse = [f"(*;%{GRAMMATICAL}%) < (*;%{name}%)" for name in _ungrammatical_names(n_others)]
    description = "The grammatical sentence is less surprising than the ungrammatical one"
    return {
        "meta": {**meta, "metric": "sum"},
        "region_meta": REGION_NAMES,
        "predictions": [
            {
                "type": "formula",
                "formula": " & ".join(worse),
                "description": f"{description}{'s' if n_others > 1 else ''}.",
            }
        ],
    }


def suite_items(sets: Iterable[MinimalSet]) -> Iterator[dict[str, Any]]:
    """Yield the JSON of one item a set, numbered from 1: before the contrast, contrast, after it.

    All sets must have as many ungrammatical sentences.
    """
    for number, each in enumerate(sets, start=1):
        forms = [(GRAMMATICAL, each.form)]
        forms += zip(_ungrammatical_names(len(each.others)), each.others, strict=True)
        yield {
            "item_number": number,
            "conditions": [_condition(name, each, form) for name, form in forms],
        }


def _condition(name: str, found: MinimalSet, form: str) -> dict[str, Any]:
    contents = (found.before, form, found.after)
    regions = [{"region_number": n, "content": text} for n, text in enumerate(contents, start=1)]
    return {"condition_name": name, "regions": regions}


def _ungrammatical_names(n: int) -> list[str]:
    if n == 1:
        return [UNGRAMMATICAL]
    return [f"{UNGRAMMATICAL}_{number}" for number in range(1, n + 1)]


def _n_shared(sentences: list[list[str]]) -> int:
    """Return how many words all the sentences begin with."""
    columns = zip(*sentences, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda words: len(set(words)) == 1, columns))
