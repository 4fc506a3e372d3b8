"""What no schema can say of a suite: names that must agree, numbers that must be unique."""

import functools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from pommel.errors import FormulaError, nearest, quoted
from pommel.files import DecodedText, JsonPath
from pommel.suite.formula import Formula
from pommel.suite.formula.parser import nearest_or_all
from pommel.suite.published import PublishedSuite
from pommel.surprisal import Token
from pommel.values import frozen

_STRAY_SPACE = re.compile(r"^\s+|\s+$|\s{2,}|[\n\r]")

# Of what is wrong in a formula: more is no help in a line.
_LONGEST_QUOTE = 60


@frozen
class Finding:
    """A place in a suite's JSON, what is wrong there, what would be right.

    `within` is the character of the string that is meant. `stray_space` findings are warnings
    unless the check is strict. `unwritten` ones are what is still to be done in a draft; what is
    `too_long` is not shown there either.
    """

    path: JsonPath
    message: str
    hint: str = ""
    within: int | None = None
    warning: bool = False
    stray_space: bool = False
    unwritten: bool = False
    too_long: bool = False

    @staticmethod
    def in_document(document: Mapping[str, Any]) -> "Iterator[Finding]":
        """Yield all that is wrong with a document that has a suite's shape, or with its outline.

        In an outline (see `pommel.suite.read`) what is unsound is None, and nothing is said of it,
        nor of what is only missing because of it.
        """
        items = document["items"]
        expected = _expected_conditions(items)
        sound: set[object] = set()
        yield from _meta_findings(document.get("meta") or {}, items)
        yield from _key_findings(document, ())
        yield from _repeated(items, "item_number", ("items",))
        for index, item in enumerate(items):
            yield from _content_findings(item.get("context"), ("items", index, "context"))
            yield from _key_findings(item, ("items", index))
            if expected is not None:
                yield from _item_findings(item, ("items", index), expected)
            for position, condition in enumerate(item["conditions"] or ()):
                place = ("items", index, "conditions", position)
                yield from _condition_findings(condition, place, sound)
        region_meta = document["region_meta"]
        if region_meta is not None:
            yield from _region_meta_findings(region_meta, items)
        lists = _region_lists(items)
        # Of a condition without sound regions those that region_meta has may be meant.
        regions_of = {
            name: {
                int(n)
                for numbers in own
                for n in (region_meta or () if None in numbers else numbers)
            }
            for name, own in lists.items()
        }
        for index, prediction in enumerate(document["predictions"]):
            path = ("predictions", index, "formula")
            yield from _key_findings(prediction, path[:-1])
            if prediction["formula"] is not None and items:
                yield from _formula_findings(prediction["formula"], path, regions_of, lists)


_LEAST_KEYS = 2

# What need not be there, by the last name of its path. Of what has to be, schemas tell.
_OPTIONAL: Mapping[str, tuple[str, ...]] = {
    "": (),
    "meta": (
        *("version", "license", "language", "circuit", "modifier_of"),
        *("joiner", "unacceptable"),
    ),
    "predictions": ("description", "metric"),
    "items": ("context",),
    "conditions": ("context",),
    "regions": ("joiner", "metric_value", "oovs"),
}
# What others call the joiner.
_JOINERS = ("joiner", "separator", "region_separator", "sep", "join")
# So like another key is one that was probably meant for it.
_LIKENESS = 0.85


def _key_findings(value: Mapping[str, Any], path: JsonPath) -> Iterator[Finding]:
    """Complain of keys that are not read, and would be if they were written otherwise."""
    level = next((each for each in reversed(path) if isinstance(each, str)), "")
    for key, meant in _misspelt(level, tuple(value)):
        is_read_here = meant in _OPTIONAL[level]
        hint = f"write {meant!r}" + ("" if is_read_here else " into meta, or into a region")
        # Without it sentences are others than those that are meant.
        is_wrong = meant == "joiner" and is_read_here and value[key] != " "
        message = f"{key!r} is not read here"
        yield Finding(path=(*path, key), message=message, hint=hint, warning=not is_wrong)


@functools.lru_cache(maxsize=1024)
def _misspelt(level: str, keys: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the keys that are not read at a level, each with the one that is probably meant."""
    known = _OPTIONAL[level]
    unknown = [each for each in keys if each not in known]
    close = [nearest(each.lower(), (*known, *_JOINERS), likeness=_LIKENESS) for each in unknown]
    meant = ["joiner" if each in _JOINERS else each for each in close]
    found = zip(unknown, meant, strict=True)
    return tuple((key, each) for key, each in found if each and (each == key or each not in keys))


def _meta_findings(meta: Mapping[str, Any], items: Sequence[Any]) -> Iterator[Finding]:
    yield from _key_findings(meta, ("meta",))
    language = meta.get("language")
    if not isinstance(language, str):
        return
    if language and (fault := PublishedSuite.language_fault(language)):
        message, _, hint = fault.rpartition("; ")
        yield Finding(path=("meta", "language"), message=message, hint=hint, warning=True)
    is_said = any(each in meta for each in _JOINERS)
    if is_said or PublishedSuite.usual_joiner(language):
        return
    if any(len(each["regions"] or ()) > 1 for _, each in _each_condition(items)):
        message = f"{language!r} is written without spaces, and regions are joined with them"
        hint = 'write "joiner": "" into meta, or "joiner": " " if that is meant'
        yield Finding(path=("meta", "language"), message=message, hint=hint, warning=True)


def _expected_conditions(items: Sequence[Any]) -> list[str] | None:
    """Return the conditions that most items have, in order of appearance.

    Where two halves disagree, the first item is right. Items with an unsound name have no say; it
    is None where there are no others.
    """
    rows = [names for names in map(_names, items) if None not in names]
    if not rows:
        return None
    counts = Counter(name for names in rows for name in dict.fromkeys(names) if name is not None)
    return [
        name
        for name, count in counts.items()
        if 2 * count > len(rows) or (2 * count == len(rows) and name in rows[0])
    ]


def _names(item: Mapping[str, Any]) -> list[str | None]:
    return [condition["condition_name"] for condition in item["conditions"] or (_UNSOUND,)]


_UNSOUND: Mapping[str, None] = {"condition_name": None, "regions": None}


def _item_findings(
    item: Mapping[str, Any], path: JsonPath, expected: Sequence[str]
) -> Iterator[Finding]:
    names, where = _names(item), _item_name(item)
    yield from _repeated(item["conditions"] or (), "condition_name", (*path, "conditions"), where)
    missing = [] if None in names else [name for name in expected if name not in names]
    for name in missing:
        message = f"{where} has no condition {name!r}, which other items have"
        yield Finding(path=path, message=message, hint="add it to this item")
    for position, own in enumerate(names):
        if (name := own or "") and name not in expected:
            place = (*path, "conditions", position, "condition_name")
            message = f"{where} has a condition {name!r}, which other items lack"
            meant = missing or expected
            hint = nearest_or_all(name, meant) if meant else "all items have the same conditions"
            yield Finding(path=place, message=message, hint=hint)


def _condition_findings(
    condition: Mapping[str, Any], path: JsonPath, sound: set[object]
) -> Iterator[Finding]:
    """Complain of a condition; what is all right in it joins `sound`, to be passed over in others.

    That is the numbers of regions in their order, and the content of a region.
    """
    regions, numbers = condition["regions"] or (), _numbers(condition)
    contents = [*map(itemgetter("content"), regions)]
    yield from _key_findings(condition, path)
    # Nearly all regions say nothing else.
    if sum(map(len, regions)) > _LEAST_KEYS * len(regions):
        for position, region in enumerate(regions):
            yield from _key_findings(region, (*path, "regions", position))
    if "context" in condition:
        yield from _content_findings(condition["context"], (*path, "context"))
    # Most conditions are like those before them.
    if numbers in sound and any(contents) and sound.issuperset(contents):
        return
    if numbers not in sound:
        found = [*_order_findings(condition, path)]
        yield from found
        if not found:
            sound.add(numbers)
    if contents and not any(content is None or content.strip() for content in contents):
        hint = "write the sentence's text into them"
        message = f"all regions of condition {condition['condition_name']!r} are empty"
        yield Finding(path=path, message=message, hint=hint, unwritten=True)
    new = ((n, content) for n, content in enumerate(contents) if content not in sound)
    for position, content in new:
        found = [*_content_findings(content, (*path, "regions", position, "content"))]
        yield from found
        if not found:
            sound.add(content)


def _order_findings(condition: Mapping[str, Any], path: JsonPath) -> Iterator[Finding]:
    regions, numbers = condition["regions"] or (), _numbers(condition)
    where = f"condition {condition['condition_name']!r}"
    yield from _repeated(regions, "region_number", (*path, "regions"), where)
    if None not in numbers and list(numbers) != sorted(numbers):
        message = f"the regions of {where} are not in the order of their numbers"
        hint = "the sentence follows the file"
        yield Finding(path=path, message=message, hint=hint, warning=True)


def has_stray_space(content: str) -> bool:
    """Say whether a region's content has spaces around it, doubled ones, or line breaks."""
    return _STRAY_SPACE.search(content) is not None


def _content_findings(content: object, place: JsonPath) -> Iterator[Finding]:
    most = DecodedText.MOST_OF_LINE
    if isinstance(content, str) and len(content) > most:
        message = f"the {place[-1]} has {len(content):,} characters, and {most:,} at most are read"
        hint = "write a sentence or a part of one"
        yield Finding(path=place, message=message, hint=hint, too_long=True)
    elif isinstance(content, str) and has_stray_space(content):
        message = f"stray space in the {place[-1]} {quoted(content)}"
        hint = "remove the spaces around the text, and doubled ones"
        yield Finding(path=place, message=message, hint=hint, stray_space=True)


def _region_meta_findings(region_meta: dict[str, str], items: Sequence[Any]) -> Iterator[Finding]:
    """Complain of each region once, where it is first seen."""
    known: set[int | None] = {None}
    for written in region_meta:
        if int(written) in known:
            message = f"region_meta has the region {int(written)} twice"
            yield Finding(path=("region_meta", written), message=message, hint="remove one of them")
        known.add(int(written))
    for path, condition in _each_condition(items):
        if known.issuperset(_numbers(condition)):
            continue
        for index, region in enumerate(condition["regions"]):
            number = region["region_number"]
            if number is not None and int(number) not in known:
                known.add(int(number))
                yield Finding(
                    path=(*path, "regions", index, "region_number"),
                    message=f"region_meta has no region {int(number)}",
                    hint=f"it has {', '.join(region_meta)}",
                    warning=True,
                )


def _each_condition(items: Sequence[Any]) -> Iterator[tuple[JsonPath, Mapping[str, Any]]]:
    for i, item in enumerate(items):
        for c, condition in enumerate(item["conditions"] or ()):
            yield ("items", i, "conditions", c), condition


_number = itemgetter("region_number")


def _numbers(condition: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the numbers of a condition's regions, None for an unsound one, and for all of them."""
    regions = condition["regions"]
    return (None,) if regions is None else tuple(map(_number, regions))


# By a condition's name the numbers that its regions have in some item, and the first such item.
_RegionLists = Mapping[str, Mapping[tuple[Any, ...], Mapping[str, Any]]]


def _region_lists(items: Sequence[Any]) -> _RegionLists:
    found: defaultdict[str, dict[tuple[Any, ...], Mapping[str, Any]]] = defaultdict(dict)
    for item in items:
        for condition in item["conditions"] or ():
            if condition["condition_name"] is not None:
                found[condition["condition_name"]].setdefault(_numbers(condition), item)
    return found


def _formula_findings(
    text: str, path: JsonPath, regions_of: Mapping[str, set[int]], lists: _RegionLists
) -> Iterator[Finding]:
    try:
        formula = Formula.parse(text)
    except FormulaError as error:
        marked = text[error.start : error.end].strip()
        is_told = not marked or repr(marked) in error.message or len(marked) > _LONGEST_QUOTE
        message = error.message if is_told else f"{error.message} ({marked!r})"
        yield Finding(path=path, message=message, hint=error.hint, within=error.start)
        return
    for reference in formula.references:
        number = reference.region
        if number is not None and number in regions_of.get(reference.condition, ()):
            lacking = [
                _item_name(item)
                for numbers, item in lists[reference.condition].items()
                if numbers and None not in numbers and number not in numbers
            ]
            if lacking:
                message = (
                    f"condition {reference.condition!r} has no region {number} in {lacking[0]}"
                )
                hint = 'add it there, with "content": "" if it is empty'
                yield Finding(path=path, message=message, hint=hint, within=reference.span[0])
    for remark in (*formula.reference_errors(regions_of), *formula.warnings()):
        yield Finding(
            path=path,
            message=remark.message,
            hint=remark.hint,
            within=remark.span[0],
            warning=remark.severity == "warning",
        )


def _item_name(item: Mapping[str, Any]) -> str:
    number = item["item_number"]
    return "this item" if number is None else f"item {number}"


def _repeated(
    objects: Sequence[Any], key: str, path: JsonPath, where: str = "the suite"
) -> Iterator[Finding]:
    seen: set[Any] = set()
    noun = key.replace("_", " ")
    for index, each in enumerate(objects):
        if each[key] is not None and each[key] in seen:
            message = f"{where} has the {noun} {each[key]!r} twice"
            hint = f"give each a {noun.split()[-1]} of its own"
            yield Finding(path=(*path, index, key), message=message, hint=hint)
        seen.add(each[key])


def surprisal_findings(document: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield all that is wrong with the `metric_value`s of a document of an evaluated suite's shape.

    Every region has the metric that predictions read (the first of the suite's); its sum is a
    number, unless it has no tokens (`n_tokens` is 0) or some without a surprisal (`n_unscored`),
    and nothing is below 0. Another metric may be null or NaN: an empty region has no mean.
    """
    metric = document["meta"]["metric"]
    needed = metric if isinstance(metric, str) else metric[0]
    needed = "sum" if needed == "all" else needed
    regions = (
        ((*path, "regions", index), region)
        for path, condition in _each_condition(document["items"])
        for index, region in enumerate(condition["regions"])
    )
    for path, region in regions:
        place, values = (*path, "metric_value"), region["metric_value"]
        if needed not in values:
            message = f"the region has no {needed!r}, which is the suite's metric"
            hint = "compute the surprisals again, with `pommel surprisals`"
            yield Finding(path=place, message=message, hint=hint)
        for metric, bits in values.items():
            if bits is None or math.isnan(bits):
                # One with content and no tokens is swallowed by a token that begins before it.
                may_lack = region.get("n_tokens") == 0 or region.get("n_unscored", 0) > 0
                if metric == "sum" and not may_lack:
                    message, hint = "the surprisal is not a number", "write bits; no tokens have 0"
                    yield Finding(path=(*place, metric), message=message, hint=hint)
            elif bits < -Token.ROUNDING_BITS:
                message = f"a surprisal is never negative, and this is {bits} bits"
                hint = "write -log2 of the probability"
                yield Finding(path=(*place, metric), message=message, hint=hint)
