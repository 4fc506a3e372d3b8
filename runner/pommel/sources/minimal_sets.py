"""Minimal sets: a grammatical sentence and those that differ from it in one place."""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal

from pommel.suite import Item, Region
from pommel.values import positional

GRAMMATICAL = "grammatical"
UNGRAMMATICAL = "ungrammatical"
REGION_NAMES = {"1": "before", "2": "contrast", "3": "after"}
# The key of an item's JSON under which it keeps what its file said of the set.
SOURCE = "source"

_WORD = re.compile(r"[^ \t\n\r\f\v]+")

# What a prediction compares: the whole sentence, or the contrast only.
Compared = Literal["sentence", "contrast"]
_COMPARED_REGION: dict[Compared, str] = {"sentence": "*", "contrast": "2"}


@positional
class MinimalSet:
    """A grammatical sentence, and those that differ from it in one place, its contrast.

    `before` and `after` are what all of them share; `form` makes the sentence grammatical, each
    of `others` makes it ungrammatical. There may be none: what is varied has no other form.
    `fields` is what else its file says of the set, as JSON, so that it can be written back.
    `contexts` stand before the sentences, one before each, and are no part of them; () is none.

    In published files a sentence may be spelt like the grammatical one. Such a set is a tie: its
    prediction, which asks for less surprise, holds for no model, as in published accuracies.
    """

    before: str
    form: str
    others: tuple[str, ...]
    after: str
    fields: Mapping[str, Any] | None = field(default=None, hash=False)
    contexts: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, grammatical: str, *ungrammatical: str, fields: Mapping[str, Any] | None = None
    ) -> "MinimalSet":
        """Return the set of some sentences: what they share is their longest common prefix and,
        in what that leaves, their longest common suffix, in words (as `words_in`). Where all are
        the same, nobody knows what is contrasted: it is the whole sentence.
        """
        sentences = [words_in(each) for each in (grammatical, *ungrammatical)]
        if ungrammatical and all(words == sentences[0] for words in sentences):
            form = " ".join(sentences[0])
            return cls("", form, (form,) * len(ungrammatical), "", fields)
        n_before = _n_shared(sentences)
        rests = [words[n_before:] for words in sentences]
        n_after = _n_shared([words[::-1] for words in rests])
        form, *others = (" ".join(words[: len(words) - n_after]) for words in rests)
        before = " ".join(sentences[0][:n_before])
        after = " ".join(rests[0][len(rests[0]) - n_after :])
        return cls(before, form, tuple(others), after, fields)

    @classmethod
    def of_item(
        cls, item: Item, grammatical: str, ungrammatical: Sequence[str], *, joiner: str = " "
    ) -> "MinimalSet":
        """Return the set that conditions of a suite's item are, given by their names.

        Regions before and after a contrast, as `suite_items` makes them, stay what they are.
        `joiner` stands between the suite's regions. Raises `KeyError` for a name that is none of
        the item's.
        """
        conditions = [item.condition(name) for name in (grammatical, *ungrammatical)]
        source = item.as_written.get(SOURCE)
        # A suite that somebody wrote may say something else there.
        fields = source if isinstance(source, dict) else None
        contexts = tuple(" ".join(words_in(each.context)) for each in conditions)
        texts = [[region.text for region in each.regions] for each in conditions]
        found = cls.of_regions(texts, joiner=joiner, fields=fields)
        return replace(found, contexts=contexts) if any(contexts) else found

    @classmethod
    def of_regions(
        cls,
        texts: Sequence[Sequence[str]],
        *,
        joiner: str = " ",
        fields: Mapping[str, Any] | None = None,
    ) -> "MinimalSet":
        """Return the set of some sentences, the grammatical one first, each cut into regions.

        Their words stay what they are, with blanks between.
        """
        texts = [[" ".join(words_in(text)) for text in each] for each in texts]
        if joiner == " " and all(len(each) == len(REGION_NAMES) for each in texts):
            (before, form, after), *others = texts
            if all(each[0] == before and each[2] == after for each in others):
                return cls(before, form, tuple(each[1] for each in others), after, fields)
        return cls.of(*(joiner.join(filter(None, each)) for each in texts), fields=fields)

    @property
    def is_tied(self) -> bool:
        """Whether a sentence that should be ungrammatical is spelt like the grammatical one."""
        contexts = self.contexts or ("",) * len(self.forms)
        grammatical, *others = zip(contexts, map(Region.text_of, self.forms), strict=True)
        return grammatical in others

    @property
    def forms(self) -> tuple[str, ...]:
        """The form that makes the sentence grammatical, then the others."""
        return (self.form, *self.others)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The grammatical sentence, then the ungrammatical ones."""
        return tuple(" ".join(filter(None, (self.before, form, self.after))) for form in self.forms)

    @property
    def grammatical(self) -> str:
        """The grammatical sentence."""
        return self.sentences[0]

    @property
    def ungrammatical(self) -> tuple[str, ...]:
        """The ungrammatical sentences."""
        return self.sentences[1:]

    def pairs(self) -> "Iterator[MinimalSet]":
        """Yield a set of two for each ungrammatical sentence."""
        for index, other in enumerate(self.others, start=1):
            contexts = (self.contexts[0], self.contexts[index]) if self.contexts else ()
            yield replace(self, others=(other,), contexts=contexts)


def words_in(text: str) -> list[str]:
    """Return the words of a text: what white space of ASCII separates (blanks, tabs, line ends).

    A no-break space stands within a word, as in French before an exclamation mark, and so do the
    other blanks of Unicode: models are given these characters.
    """
    return _WORD.findall(text)


def suite_head(
    meta: Mapping[str, Any],
    n_ungrammatical: int,
    compared: Compared = "sentence",
    metric: str = "sum",
) -> dict[str, Any]:
    """Return the JSON of a suite of minimal sets with so many ungrammatical sentences each.

    It lacks its items. The prediction is that the grammatical sentence, or its contrast, is less
    surprising than every ungrammatical one, by the metric over its tokens.
    """
    region = _COMPARED_REGION[compared]
    names = ungrammatical_names(n_ungrammatical)
    worse = [f"({region};%{GRAMMATICAL}%) < ({region};%{name}%)" for name in names]
    what = "sentence" if compared == "sentence" else "form"
    description = f"The grammatical {what} is less surprising than the ungrammatical one"
    return {
        "meta": {**meta, "metric": "sum"},
        "region_meta": REGION_NAMES,
        "predictions": [
            {
                "type": "formula",
                "formula": " & ".join(worse),
                "description": f"{description}{'s' if n_ungrammatical > 1 else ''}.",
                **({} if metric == "sum" else {"metric": metric}),
            }
        ],
    }


def suite_items(sets: Iterable[MinimalSet]) -> Iterator[dict[str, Any]]:
    """Yield the JSON of one item a set, numbered from 1: before the contrast, contrast, after it.

    All sets must have as many ungrammatical sentences.
    """
    for number, each in enumerate(sets, start=1):
        names = (GRAMMATICAL, *ungrammatical_names(len(each.others)))
        contexts = each.contexts or ("",) * len(names)
        yield {
            "item_number": number,
            **({SOURCE: each.fields} if each.fields else {}),
            "conditions": [
                condition_value(name, (each.before, form, each.after), context=context)
                for name, context, form in zip(names, contexts, each.forms, strict=True)
            ],
        }


def condition_value(
    name: str, contents: Iterable[str], *, context: str = "", gloss: str = ""
) -> dict[str, object]:
    """Return the JSON of a condition; neither a context nor a gloss has to be there."""
    regions = [{"region_number": n, "content": text} for n, text in enumerate(contents, start=1)]
    more = {key: text for key, text in (("context", context), ("gloss", gloss)) if text}
    return {"condition_name": name, **more, "regions": regions}


def ungrammatical_names(n: int) -> list[str]:
    """Return the names of the conditions of so many ungrammatical sentences."""
    if n == 1:
        return [UNGRAMMATICAL]
    return [f"{UNGRAMMATICAL}_{number}" for number in range(1, n + 1)]


def _n_shared(sentences: list[list[str]]) -> int:
    """Return how many words all the sentences begin with."""
    columns = zip(*sentences, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda words: len(set(words)) == 1, columns))
