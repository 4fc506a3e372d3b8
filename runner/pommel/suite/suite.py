"""Suites as frozen values, valid once they exist, whatever file they came from."""

import functools
import hashlib
import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, cast

from pommel.errors import InputError
from pommel.files import WrittenFloat, json_chunks
from pommel.suite.checks import has_stray_space
from pommel.suite.formula import Formula
from pommel.suite.metrics import METRICS
from pommel.suite.published import PublishedSuite
from pommel.suite.punctuation import Part, attached
from pommel.surprisal import Token
from pommel.values import frozen

if TYPE_CHECKING:
    from pommel.suite.lint.controls import Control
    from pommel.suite.lint.frequencies import Frequencies
    from pommel.suite.lint.measures import Measures

_Computed = TypeVar("_Computed")
# What a suite of first items, and its circuit, are called behind the name of the whole one.
_OF_FIRST_ITEMS = re.compile(r"(?:^| )\(first [0-9]+ (?:of [0-9]+|items)\)$")
LetterSize = Literal["capital", "small"]
Punctuation = Literal["apart", "natural"]

# Small letters and capital ones that are others in a language than elsewhere: the dotted i is a
# letter of its own beside the dotless one, and the Dutch ij is one.
_TURKIC = {"i": "İ", "\u0131": "I"}
_PAIRS_OF = {"tr": _TURKIC, "az": _TURKIC, "crh": _TURKIC, "nl": {"ij": "IJ"}}


@frozen
class Sentence:
    """A condition's sentence and the span `[start, end)` of each of its regions, in characters.

    The spans follow one another without a gap; the joining space belongs to the region after it.
    An empty region has an empty span, at the place where it would stand. What stands before the
    first span is context, in no region.
    """

    text: str
    spans: tuple[tuple[int, int], ...]

    @property
    def start(self) -> int:
        """Where the first region begins: behind the context, 0 where there is none."""
        return self.spans[0][0]

    def regions_of(self, tokens: Sequence[Token]) -> list[int | None]:
        """Return the index of the region that each token belongs to, None for the context.

        A token belongs to the region that holds its first character that is no space; a token
        without one follows its start offset. What lies behind the last character (an
        end-of-sentence mark) belongs to the last region that is not empty.
        """
        last, begin = len(self.spans) - 1, self.start
        while last and self.spans[last][0] == self.spans[last][1]:
            last -= 1
        ends = [end for _, end in self.spans[:last]]
        # A token's first character decides, visible or not: the only space between two regions is
        # the joiner, which belongs to the region after it. Empty regions end where they begin.
        starts = [token.start for token in tokens]
        return [None if start < begin else bisect_right(ends, start) for start in starts]

    def regions_of_as_syntaxgym(self, tokens: Sequence[Token]) -> list[int | None]:
        """Return the region of each token as `syntaxgym` 0.8a1 had it, None for special tokens.

        It went through regions and tokens side by side, and to the next region as soon as one was
        used up. So an end-of-sentence mark is counted in an *empty* last region, all unknown tokens
        of a run in the region of the first of them, and what follows a run that ends the sentence
        stays there too. Its errors are not here.
        """
        ends = [end for _, end in self.spans]
        regions: list[int | None] = []
        current = 0
        after_unknown = False
        for token in tokens:
            if token.role == "special":
                regions.append(None)
                continue
            if token.role == "text" and not (token.oov and after_unknown):
                current = min(bisect_right(ends, token.start), len(ends) - 1)
            regions.append(current)
            if token.role == "text":
                after_unknown = token.oov
                used_up = token.end >= ends[current] and not token.oov
                current = min(current + used_up, len(ends) - 1)
        return regions


@frozen
class _Written:
    """What can be written as JSON again, `as_written` being what was read, with unknown keys.

    Items, conditions and regions are not in it again.
    """

    as_written: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def _merged(self, known: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what was read, in its order, with the known keys replaced by what holds now.

        A number that equals what was read stays as it was written (1.0 is not 1, and 1.50 not 1.5).
        Lists and objects are new ones: who changes them does not change the suite.
        """
        merged = {**self.as_written}
        for key, value in known.items():
            if merged.get(key) != value or isinstance(value, (dict, list)):
                merged[key] = value
        return merged


@frozen
class Region(_Written):
    """A numbered piece of a sentence, maybe empty.

    `content` is what the file says; `text` is that without stray spaces, which is what the
    sentence is made of. `joiner` stands before it, None for the suite's own joiner.
    """

    # What looks like the bar that tables and templates have between regions, and is none; Japanese
    # keyboards give the first.
    OTHER_BARS: ClassVar[str] = (
        "\N{FULLWIDTH VERTICAL LINE}\N{BOX DRAWINGS LIGHT VERTICAL}\N{BROKEN BAR}"
    )

    number: int
    content: str
    joiner: str | None = None
    text: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", Region.text_of(self.content))

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Make a region of its JSON value, which is a valid one."""
        return cls(
            number=int(value["region_number"]),
            content=value["content"],
            joiner=value.get("joiner"),
            as_written=value,
        )

    @classmethod
    @functools.lru_cache(1 << 16)
    def from_text(cls, text: bytes) -> Self:
        """Make a region of the text of its JSON value; of the same text it is the same region."""
        return cls.from_dict(json.loads(text, parse_float=WrittenFloat))

    def to_dict(self) -> Mapping[str, Any]:
        """Return the region's JSON value."""
        own: dict[str, object] = {"region_number": self.number, "content": self.content}
        if self.joiner is not None:
            own["joiner"] = self.joiner
        # Nearly all are as they were read.
        return {**self.as_written} if own == self.as_written else self._merged(own)

    @staticmethod
    def text_of(content: str) -> str:
        """Return a content without spaces around it; doubled ones and line breaks become one."""
        if not has_stray_space(content):
            return content
        return re.sub(r"\s{2,}|[\n\r]", " ", content.strip())

    def with_marks(self, before: Part, after: Part) -> "Region":
        """Return the region with its marks attached, as `attached` has changed it."""
        changed = self if before.text == after.text else replace(self, content=after.text)
        return changed if before.is_spaced == after.is_spaced else replace(changed, joiner="")

    @staticmethod
    def with_first_letter(text: str, size: LetterSize, language: str = "") -> str:
        """Return the text with its first letter so large, as its language writes it.

        The rest stays as it is.

        Marks in front of the letter are passed over, within the first word. A text that begins with
        something else (a digit, an ideograph, a letter without cases) stays as it is.
        """
        word = re.search(r"\S+", text)
        for place in range(*word.span()) if word else ():
            if text[place].isalnum():
                own = _PAIRS_OF.get(PublishedSuite.primary_language(language), {})
                # As far as a language has pairs of its own, these go first.
                for small, capital in own.items():
                    first, changed = (small, capital) if size == "capital" else (capital, small)
                    if text.startswith(first, place):
                        return text[:place] + changed + text[place + len(first) :]
                # Some letters have a third form, for the beginnings of words.
                first = text[place]
                changed = first.title() if size == "capital" else first.lower()
                return text[:place] + changed + text[place + 1 :]
        return text


@frozen
class Condition(_Written):
    """A named variant of an item: its regions, in the order of the sentence.

    `context` is what stands before them: the model reads it, and it is in no region.
    """

    name: str
    regions: tuple[Region, ...]
    context: str = ""

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], *, context: str = "") -> Self:
        """Make a condition of its JSON value, which is a valid one.

        `context` is its item's, which it has where it says none of its own. Its regions may be the
        texts of their values.
        """
        regions = value["regions"]
        return cls(
            name=value["condition_name"],
            regions=tuple(
                map(Region.from_dict, regions)
                if isinstance(regions[0], dict)
                else map(Region.from_text, map(bytes, regions))
            ),
            context=Region.text_of(value.get("context", context)),
            as_written={**value, "regions": ()},
        )

    def to_dict(self) -> Mapping[str, Any]:
        """Return the condition's JSON value."""
        regions = [region.to_dict() for region in self.regions]
        return self._merged({"condition_name": self.name, "regions": regions})

    def with_first_letter(self, size: LetterSize, language: str = "") -> "Condition":
        """Return the condition with a sentence that begins so; see `Suite.with_first_letters`."""
        if self.context:
            context = Region.with_first_letter(self.context, size, language)
            as_written = {**self.as_written, "context": context}
            return replace(self, context=context, as_written=as_written)
        regions = list(self.regions)
        # Every sentence has a region with text.
        first = next(place for place, region in enumerate(regions) if region.text)
        written = Region.with_first_letter(regions[first].content, size, language)
        regions[first] = replace(regions[first], content=written)
        return replace(self, regions=tuple(regions))

    @staticmethod
    def name_fault(name: str) -> str:
        """Say why no condition can have this name, "" if one can."""
        if not name.strip():
            return "the name of a condition is empty"
        if name != name.strip():
            return f"the condition's name {name!r} has spaces around it"
        if "%" in name:
            return f"the condition's name {name!r} has a '%', which ends a name in formulas"
        return ""

    def pieces(self, joiner: str = " ") -> Iterator[tuple[str, Region]]:
        """Yield the regions, each with what joins it to what stands before it."""
        sentence = self.sentence(joiner)
        for region, (start, end) in zip(self.regions, sentence.spans, strict=True):
            yield sentence.text[start : end - len(region.text)], region

    def with_attached_marks(self, joiner: str, language: str) -> "Condition":
        """Return the condition with its marks attached; see `Suite.with_punctuation`."""
        # What a region says itself of what stands before it holds.
        parts = [
            Part(text=region.text, is_spaced=joiner == " " and region.joiner is None)
            for region in self.regions
            if region.text
        ]
        if self.context:
            parts = [Part(text=self.context, is_spaced=False), *parts]
        made = attached(parts, language)
        if made == parts:
            return self
        changes = zip(parts, made, strict=True)
        changed = self
        if self.context:
            _, context = next(changes)
            as_written = {**self.as_written, "context": context.text}
            changed = replace(self, context=context.text, as_written=as_written)
        regions = (
            region.with_marks(*next(changes)) if region.text else region for region in self.regions
        )
        return replace(changed, regions=tuple(regions))

    @property
    def is_written(self) -> bool:
        """Whether any of its regions has text; so it is in every suite that is no draft."""
        return any(region.text for region in self.regions)

    def sentence(self, joiner: str = " ") -> Sentence:
        """Join the regions that have content; text and spans are made together, once.

        `joiner` stands before a region that has none of its own, and nothing before the first.
        """
        text = self.context
        spans = []
        for region in self.regions:
            start = len(text)
            if region.text:
                own = joiner if region.joiner is None else region.joiner
                text += own + region.text if text else region.text
            spans.append((start, len(text)))
        return Sentence(text=text, spans=tuple(spans))


@frozen
class Item(_Written):
    """One lexicalisation: the same conditions as every other item of its suite, in any order."""

    number: int
    conditions: tuple[Condition, ...]

    @property
    def unwritten(self) -> tuple[str, ...]:
        """The names of the conditions that are without text, which only a draft may have."""
        return tuple(each.name for each in self.conditions if not each.is_written)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Make an item of its JSON value, which is a valid one."""
        return cls(
            number=int(value["item_number"]),
            conditions=tuple(
                Condition.from_dict(each, context=value.get("context", ""))
                for each in value["conditions"]
            ),
            as_written={**value, "conditions": ()},
        )

    def to_dict(self) -> Mapping[str, Any]:
        """Return the item's JSON value."""
        shared = Region.text_of(self.as_written.get("context", ""))
        conditions = [
            # What the item says for all of them is not said again.
            {**each.to_dict(), **({"context": each.context} if each.context != shared else {})}
            for each in self.conditions
        ]
        return self._merged({"item_number": self.number, "conditions": conditions})

    def condition(self, name: str) -> Condition:
        """Return the condition of that name; raises `KeyError`."""
        for condition in self.conditions:
            if condition.name == name:
                return condition
        raise KeyError(name)

    def changed(self, change: Callable[[Condition], Condition]) -> "Item":
        """Return the item with each of its conditions changed."""
        return replace(self, conditions=tuple(map(change, self.conditions)))


@frozen
class Prediction(_Written):
    """A formula that should hold in every item; `description` says it in words.

    `metric` is the region metric that it compares, None for the first of its suite's.
    """

    formula: Formula
    description: str = ""
    metric: str | None = None

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Make a prediction of its JSON value, which is a valid one; raises `FormulaError`."""
        return cls(
            formula=Formula.parse(value["formula"]),
            description=str(value.get("description", "")),
            metric=value.get("metric"),
            as_written=value,
        )

    def to_dict(self) -> Mapping[str, Any]:
        """Return the prediction's JSON value."""
        known = {"type": "formula", "formula": self.formula.text}
        if self.description:
            known["description"] = self.description
        if self.metric:
            known["metric"] = self.metric
        return self._merged(known)


@frozen
class Suite(_Written):
    """One experiment.

    `metrics` are the region metrics asked for; predictions that name none of their own are checked
    with the first of them.
    `region_names` maps region numbers to names. `meta` holds everything of the file's `meta`.
    Items share one set of conditions, and `condition_names` gives them in the first item's order.
    """

    name: str
    metrics: tuple[str, ...]
    region_names: Mapping[int, str]
    predictions: tuple[Prediction, ...]
    items: tuple[Item, ...]
    meta: Mapping[str, Any] = field(default_factory=dict)
    # See `once`.
    _computed: dict[object, object] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        if not self.items:
            raise InputError(f"suite {self.name!r} has no items")

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Make a suite of its JSON value, which is a valid one but for its formulas.

        Raises `FormulaError`. What may be wrong is read by `LoadedSuite.from_dict`.
        """
        meta = value["meta"]
        return cls(
            name=meta["name"],
            metrics=_metrics(meta["metric"]),
            region_names={int(number): name for number, name in value["region_meta"].items()},
            predictions=tuple(map(Prediction.from_dict, value["predictions"])),
            items=tuple(map(Item.from_dict, value["items"])),
            meta=meta,
            as_written={**value, "items": ()},
        )

    def to_dict(self) -> Mapping[str, Any]:
        """Return the suite as JSON: unknown keys, key order and formulas as they were read."""
        return self._merged(
            {
                "meta": dict(self.meta),
                "region_meta": self._region_meta(),
                "predictions": [prediction.to_dict() for prediction in self.predictions],
                "items": [item.to_dict() for item in self.items],
            }
        )

    def to_text(self) -> str:
        """Return the text of the suite's JSON file: a condition of an item is a line of it."""
        value = self.to_dict()
        return "".join(json_chunks(value, "items", value["items"]))

    def with_first_letters(self, size: LetterSize) -> "Suite":
        """Return a variant whose sentences all begin with a capital letter, or a small one.

        It is the first letter of the first word, behind a quotation mark or an inverted question
        mark that it may begin with, as the suite's language writes it; the rest of the word stays
        as it is. A sentence whose first word has no letter, or none that there are two cases of,
        stays as it is. The variant is called by the size, and names the suite in
        `meta.modifier_of`: stability is what the letter is worth (Mueller et al. 2020, Table 4).
        """
        name = f"{self.name}_{size}"
        items = tuple(
            item.changed(lambda each: each.with_first_letter(size, self.language))
            for item in self.items
        )
        meta = {**self.meta, "name": name, "modifier_of": self.name}
        return replace(self, name=name, items=items, meta=meta)

    def with_punctuation(self, how: Punctuation) -> "Suite":
        """Return the suite with its punctuation apart, as it has it, or natural.

        Natural are marks that the language attaches to words: `The dog barks .` is `The dog barks.`
        Regions have what they had: a mark that is a region of its own still is one, with nothing
        before it. It is the suite itself, in name, too, but for what `meta.punctuation` says; one
        that says so already is not changed.
        """
        if how == "apart" or self.meta.get("punctuation") == how:
            return self
        return self.once(_with_natural_punctuation)

    def with_pairs(self) -> "Suite":
        """Return the suite with each comparison that `&` joins as a prediction of its own.

        It is the suite itself where none is joined. So the papers' accuracies over pairs of
        sentences are had of suites whose items have several (Mueller et al. 2020).
        """
        return self.once(_with_pairs)

    def first_items(self, n_items: int) -> "Suite":
        """Return the suite of the first items, for a trial; the suite itself if it has no more.

        It is another suite than the whole one: by name, by circuit and by `sha256`, so that nothing
        takes one for the other.
        """
        n_whole = len(self.items)
        if n_items >= n_whole:
            return self
        of_whole = f" (first {n_items} of {n_whole})"
        name = f"{self.name}{of_whole}"
        circuit = f"{self.circuit} (first {n_items} items)".strip()
        meta = {**self.meta, "name": name, "circuit": circuit, "first_items_of": n_whole}
        if self.modifier_of:
            # Such suites mostly have as many items as the one that they modify.
            meta["modifier_of"] = f"{self.modifier_of}{of_whole}"
        return replace(self, name=name, items=self.items[:n_items], meta=meta)

    @staticmethod
    def whole_name(name: str) -> str:
        """Return what the whole of a suite of first items is called, or the circuit of such."""
        return _OF_FIRST_ITEMS.sub("", name)

    @staticmethod
    def check_distinct_names(suites: "Iterable[Suite]") -> None:
        """Raise `InputError` if two suites have one name: results could not tell them apart."""
        twice = [name for name, n in Counter(suite.name for suite in suites).items() if n > 1]
        if twice:
            names = ", ".join(map(repr, twice))
            raise InputError(f"several suites are called {names}; give each a name of its own")

    def once(self, compute: Callable[["Suite"], _Computed]) -> _Computed:
        """Return what is computed of the suite alone, which is costly and asked for again.

        It is computed once, and a suite that was changed has none of it.
        """
        if compute not in self._computed:
            self._computed[compute] = compute(self)
        return cast("_Computed", self._computed[compute])

    @property
    def sha256(self) -> str:
        """The SHA-256 of the suite's canonical JSON (sorted keys, no white space)."""
        return self.once(_sha256)

    @property
    def identity(self) -> dict[str, str | int | None]:
        """What results say of the suite that they are of."""
        return {
            "name": self.name,
            "version": self.version or None,
            "sha256": self.sha256,
            "n_items": len(self.items),
            **({"first_items_of": self.first_items_of} if self.first_items_of else {}),
        }

    @property
    def first_items_of(self) -> int | None:
        """Of a suite of first items: how many the whole one has."""
        n_whole = self.meta.get("first_items_of")
        return n_whole if isinstance(n_whole, int) else None

    def _region_meta(self) -> dict[str, str]:
        names = {str(number): name for number, name in self.region_names.items()}
        written = self.as_written.get("region_meta", {})
        # "01" is region 1, and is written back as "01".
        if {int(number): name for number, name in written.items()} == dict(self.region_names):
            return dict(written)
        return names

    @property
    def condition_names(self) -> tuple[str, ...]:
        """The names of the conditions, in the order of the first item."""
        return tuple(condition.name for condition in self.items[0].conditions)

    def sentences(self) -> tuple[tuple[Sentence, ...], ...]:
        """Return the sentences of all items, in the order of `condition_names`, with spans."""
        return self.once(_sentences)

    def controls(self) -> "Mapping[str, Control]":
        """Return what scorers that see no syntax come to: "context_free" and "nearest_region"."""
        # Imported here: what looks at a design knows what suites are.
        from pommel.suite.lint.controls import Control

        return {
            "context_free": Control.context_free(self),
            "nearest_region": Control.nearest_region(self),
        }

    def measures(self, frequencies: "Frequencies | None" = None) -> "Measures":
        """Return how long and how frequent what predictions name is, and how many words there are.

        `frequencies` say how frequent words are.
        """
        from pommel.suite.lint.measures import Measures

        return Measures.of(self, frequencies)

    def metric_of(self, prediction: Prediction) -> str:
        """Return the region metric that a prediction compares."""
        return prediction.metric or self.metrics[0]

    @property
    def compared_cells(self) -> frozenset[tuple[str, int | None]]:
        """The (condition, region) pairs that predictions look at; None is a whole sentence."""
        return frozenset(
            (reference.condition, reference.region)
            for prediction in self.predictions
            for reference in prediction.formula.references
        )

    @property
    def all_metrics(self) -> tuple[str, ...]:
        """The metrics that are asked for, and those that predictions name themselves."""
        named = (each.metric for each in self.predictions if each.metric)
        return tuple(dict.fromkeys((*self.metrics, *named)))

    @property
    def has_context(self) -> bool:
        """Whether something stands before the regions of any condition."""
        return any(condition.context for item in self.items for condition in item.conditions)

    @property
    def n_sentences(self) -> int:
        """How many sentences there are: one an item and condition."""
        return len(self.items) * len(self.condition_names)

    @property
    def region_numbers(self) -> tuple[int, ...]:
        """The numbers of all regions that occur, ascending."""
        numbers = {
            region.number
            for item in self.items
            for condition in item.conditions
            for region in condition.regions
        }
        return tuple(sorted(numbers | set(self.region_names)))

    @property
    def joiner(self) -> str:
        """What stands between two regions in a sentence: a space, or nothing (`meta.joiner`).

        Regions may have others of their own.
        """
        return str(self.meta.get("joiner", " "))

    @property
    def has_own_joiners(self) -> bool:
        """Whether some region says itself what stands before it."""
        return self.once(_has_own_joiners)

    @property
    def unacceptable(self) -> tuple[str, ...]:
        """The names of the conditions that no speaker would say (`meta.unacceptable`)."""
        return tuple(str(self.meta.get("unacceptable") or "").split())

    @property
    def circuit(self) -> str:
        """The circuit that the suite says it belongs to, or "".

        The published suites of Hu et al. (2020) do not say; theirs is known by their names.
        """
        return str(self.meta.get("circuit") or PublishedSuite(self.name).circuit)

    @property
    def language(self) -> str:
        """The language tag ("en"), or ""."""
        return str(self.meta.get("language") or "")

    @property
    def modifier_of(self) -> str:
        """The name of the suite that this one is with intervening material, or ""."""
        return str(self.meta.get("modifier_of") or PublishedSuite(self.name).without_modifier)

    @property
    def version(self) -> str:
        """The suite's own version, or ""."""
        return str(self.meta.get("version") or "")


def _metrics(written: str | list[str]) -> tuple[str, ...]:
    if written == "all":
        return tuple(METRICS)
    return (written,) if isinstance(written, str) else tuple(written)


def _sha256(suite: Suite) -> str:
    canonical = json.dumps(suite.to_dict(), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _with_pairs(suite: Suite) -> Suite:
    predictions = []
    for prediction in suite.predictions:
        formulas = prediction.formula.conjuncts
        for n, formula in enumerate(formulas, start=1):
            is_part = prediction.description and len(formulas) > 1
            which = f" ({n} of {len(formulas)})" if is_part else ""
            description = prediction.description + which
            predictions.append(replace(prediction, formula=formula, description=description))
    if len(predictions) == len(suite.predictions):
        return suite
    return replace(suite, predictions=tuple(predictions))


def _with_natural_punctuation(suite: Suite) -> Suite:
    items = tuple(
        item.changed(lambda each: each.with_attached_marks(suite.joiner, suite.language))
        for item in suite.items
    )
    return replace(suite, items=items, meta={**suite.meta, "punctuation": "natural"})


def _has_own_joiners(suite: Suite) -> bool:
    conditions = (condition for item in suite.items for condition in item.conditions)
    return any(
        region.joiner is not None for condition in conditions for region in condition.regions
    )


def _sentences(suite: Suite) -> tuple[tuple[Sentence, ...], ...]:
    names, joiner = suite.condition_names, suite.joiner
    return tuple(
        tuple(item.condition(name).sentence(joiner) for name in names) for item in suite.items
    )
