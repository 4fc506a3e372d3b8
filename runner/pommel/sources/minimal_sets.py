"""Minimal sets: a grammatical sentence and those that differ from it in one place."""

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal

from pommel.files import word_core
from pommel.suite import Condition, Item, Region
from pommel.values import positional

GRAMMATICAL = "grammatical"
UNGRAMMATICAL = "ungrammatical"
REGION_NAMES = {"1": "before", "2": "contrast", "3": "after"}
# Where a file says at which words of what follows the contrast its effect is looked for.
CRITICAL_NAMES = {"1": "before", "2": "contrast", "3": "between", "4": "critical", "5": "after"}
# The key of an item's JSON under which it keeps what its file said of the set.
SOURCE = "source"

_WORD = re.compile(r"[^ \t\n\r\f\v]+")
# The scripts that are written without spaces: Han, Kana, Thai, Lao, Burmese, Khmer.
_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3001-\u30ff\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
)
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_CHARACTER = re.compile(rf"\s+|[{_UNSPACED}]|[^\s{_UNSPACED}]+")
# The combining class of signs that join the consonant before them to the one behind.
_VIRAMA = 9

# What a prediction compares: the whole sentence, the contrast, or the critical words after it.
Compared = Literal["sentence", "contrast", "critical"]
_COMPARED_REGION: dict[Compared, str] = {"sentence": "*", "contrast": "2", "critical": "4"}


@positional
class MinimalSet:
    """A grammatical sentence, and those that differ from it in one place, its contrast.

    `before` and `after` are what all of them share; `form` makes the sentence grammatical, each
    of `others` makes it ungrammatical. There may be none: what is varied has no other form.
    `fields` is what else its file says of the set, as JSON, so that it can be written back.
    `contexts` stand before the sentences, one before each, and are no part of them; () is none.
    `joiner` stands between the three parts: nothing in a script without spaces. `critical` are the
    words in `after` at which the effect is looked for, "" if nobody has said.

    In published files a sentence may be spelt like the grammatical one. Such a set is a tie: its
    prediction, which asks for less surprise, holds for no model, as in published accuracies.
    """

    before: str
    form: str
    others: tuple[str, ...]
    after: str
    fields: Mapping[str, Any] | None = field(default=None, hash=False)
    contexts: tuple[str, ...] = ()
    joiner: str = " "
    critical: str = ""

    @classmethod
    def of(
        cls,
        grammatical: str,
        *ungrammatical: str,
        fields: Mapping[str, Any] | None = None,
        joiner: str = " ",
    ) -> "MinimalSet":
        """Return the set of some sentences: what they share is their longest common prefix and,
        in what that leaves, their longest common suffix, in words (as `words_in`), or, with nothing
        for a joiner, in characters (as `characters_in`). Where all are the same, nobody knows what
        is contrasted: it is the whole sentence.
        """
        units = words_in if joiner else characters_in
        sentences = [units(each) for each in (grammatical, *ungrammatical)]
        if ungrammatical and all(words == sentences[0] for words in sentences):
            form = joiner.join(sentences[0])
            return cls("", form, (form,) * len(ungrammatical), "", fields, joiner=joiner)
        n_before = _n_shared(sentences)
        rests = [words[n_before:] for words in sentences]
        n_after = _n_shared([words[::-1] for words in rests])
        form, *others = (joiner.join(words[: len(words) - n_after]) for words in rests)
        before = joiner.join(sentences[0][:n_before])
        after = joiner.join(rests[0][len(rests[0]) - n_after :])
        return cls(before, form, tuple(others), after, fields, joiner=joiner)

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
        texts = [_contents(each, joiner) for each in conditions]
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
        kept = joiner if joiner in ("", " ") else " "
        if kept == joiner and all(len(each) == len(REGION_NAMES) for each in texts):
            (before, form, after), *others = texts
            if all(each[0] == before and each[2] == after for each in others):
                forms = tuple(each[1] for each in others)
                return cls(before, form, forms, after, fields, joiner=joiner)
        sentences = (joiner.join(filter(None, each)) for each in texts)
        return cls.of(*sentences, fields=fields, joiner=kept)

    def by_character(self) -> "MinimalSet":
        """Return the set with its contrast in characters, as for a script without spaces."""
        found = MinimalSet.of(*self.sentences, fields=self.fields, joiner="")
        return replace(found, contexts=self.contexts, critical=self.critical)

    def without_spaces(self) -> "MinimalSet":
        """Return the set with nothing between its words, as in a script without spaces."""
        sentences = ("".join(words_in(each)) for each in self.sentences)
        return replace(MinimalSet.of(*sentences, joiner=""), fields=self.fields)

    @property
    def parts_after(self) -> tuple[str, ...]:
        """The regions behind the contrast, whatever form it has (`CRITICAL_NAMES`).

        Where the critical words do not stand after the contrast, their region is empty.
        """
        units_of = words_in if self.joiner else characters_in
        units, wanted = units_of(self.after), [_core(each) for each in units_of(self.critical)]
        # They are found without the punctuation that is written to words.
        cores, n = [_core(each) for each in units], len(wanted)
        starts = (at for at in range(len(units) - n + 1) if cores[at : at + n] == wanted)
        start = next(starts, None) if wanted else None
        if start is None:
            return "", "", self.after
        cuts = (units[:start], units[start : start + n], units[start + n :])
        return tuple(map(self.joiner.join, cuts))

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
        texts = ((self.before, form, self.after) for form in self.forms)
        return tuple(self.joiner.join(filter(None, each)) for each in texts)

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


def characters_in(text: str) -> list[str]:
    """Return what a text in a script without spaces can be divided into.

    That is a character with its combining marks, or a run of another script. What blanks stand
    between stays together: no region may begin or end with one.
    """
    found: list[str] = []
    for each in _CHARACTER.findall(text.strip()):
        is_bound = each.isspace() or unicodedata.category(each[0]).startswith("M")
        last = found[-1][-1] if found else ""
        if found and (is_bound or last.isspace() or unicodedata.combining(last) == _VIRAMA):
            found[-1] += each
        else:
            found.append(each)
    return found


def are_unspaced(sentences: Iterable[str]) -> bool:
    """Say whether most of some sentences are in a script without spaces, and have none."""
    found = [bool(_HAS_UNSPACED.search(each)) and len(words_in(each)) == 1 for each in sentences]
    return 2 * sum(found) > len(found)


def suite_head(
    meta: Mapping[str, Any],
    n_ungrammatical: int,
    compared: Compared = "sentence",
    metric: str = "sum",
    region_names: Mapping[str, str] = REGION_NAMES,
) -> dict[str, Any]:
    """Return the JSON of a suite of minimal sets with so many ungrammatical sentences each.

    It lacks its items. The prediction is that the grammatical sentence, or a region of it, is less
    surprising than every ungrammatical one, by the metric over its tokens.
    """
    region = _COMPARED_REGION[compared]
    names = ungrammatical_names(n_ungrammatical)
    worse = [f"({region};%{GRAMMATICAL}%) < ({region};%{name}%)" for name in names]
    what = {"sentence": "sentence", "contrast": "form", "critical": "sentence's critical part"}
    description = f"The grammatical {what[compared]} is less surprising than the ungrammatical one"
    return {
        "meta": {**meta, "metric": "sum"},
        "region_meta": region_names,
        "predictions": [
            {
                "type": "formula",
                "formula": " & ".join(worse),
                "description": f"{description}{'s' if n_ungrammatical > 1 else ''}.",
                **({} if metric == "sum" else {"metric": metric}),
            }
        ],
    }


def suite_items(
    sets: Iterable[MinimalSet], *, has_critical: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield the JSON of one item a set, numbered from 1: before the contrast, contrast, after it.

    All sets must have as many ungrammatical sentences. `has_critical` says that the critical words
    are a region of their own.
    """
    for number, each in enumerate(sets, start=1):
        names = (GRAMMATICAL, *ungrammatical_names(len(each.others)))
        after = each.parts_after if has_critical else (each.after,)
        contexts = each.contexts or ("",) * len(names)
        yield {
            "item_number": number,
            **({SOURCE: each.fields} if each.fields else {}),
            "conditions": [
                condition_value(name, (each.before, form, *after), context=context)
                for name, context, form in zip(names, contexts, each.forms, strict=True)
            ],
        }


def condition_value(
    name: str,
    contents: Iterable[str],
    *,
    joiners: Iterable[str | None] = (),
    context: str = "",
    gloss: str = "",
) -> dict[str, object]:
    """Return the JSON of a condition; neither a context nor a gloss has to be there.

    `joiners` are what stands before its regions, None for what the suite says; () is None for all.
    """
    regions: list[dict[str, object]] = [
        {"region_number": n, "content": text} for n, text in enumerate(contents, start=1)
    ]
    for region, joiner in zip(regions, joiners, strict=False):
        if joiner is not None:
            region["joiner"] = joiner
    more = {key: text for key, text in (("context", context), ("gloss", gloss)) if text}
    return {"condition_name": name, **more, "regions": regions}


def ungrammatical_names(n: int) -> list[str]:
    """Return the names of the conditions of so many ungrammatical sentences."""
    if n == 1:
        return [UNGRAMMATICAL]
    return [f"{UNGRAMMATICAL}_{number}" for number in range(1, n + 1)]


def _contents(condition: Condition, joiner: str) -> list[str]:
    """Return the texts of regions; where some have joiners of their own, the sentence is one."""
    if any(region.joiner is not None for region in condition.regions):
        return [replace(condition, context="").sentence(joiner).text]
    return [region.text for region in condition.regions]


def _core(word: str) -> str:
    start, end = word_core(word)
    return word[start:end] or word


def _n_shared(sentences: list[list[str]]) -> int:
    """Return how many words all the sentences begin with."""
    columns = zip(*sentences, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda words: len(set(words)) == 1, columns))
