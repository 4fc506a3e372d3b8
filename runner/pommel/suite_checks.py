"""What no schema can say of a suite: names that must agree, numbers that must be unique."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pommel.errors import FormulaError
from pommel.formula import check_references, lint, parse
from pommel.formula.references import nearest
from pommel.json_document import is_encodable
from pommel.json_positions import JsonPath
from pommel.suite import has_stray_space

# Of what is wrong in a formula: more is no help in a line.
_LONGEST_QUOTE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A place in a suite's JSON, what is wrong there, what would be right.

    `within` is the character of the string that is meant. `stray_space` findings are warnings
    unless the check is strict.
    """

    path: JsonPath
    message: str
    hint: str = ""
    within: int | None = None
    warning: bool = False
    stray_space: bool = False


def findings(document: Any) -> Iterator[Finding]:
    """Yield all that is wrong with a document that has a suite's shape."""
    items = document["items"]
    expected = _expected_conditions(items)
    yield from _repeated(items, "item_number", ("items",))
    for index, item in enumerate(items):
        yield from _item_findings(item, ("items", index), expected)
        for position, condition in enumerate(item["conditions"]):
            place = ("items", index, "conditions", position)
            yield from _condition_findings(condition, place)
    yield from _region_meta_findings(document["region_meta"], items)
    regions_of = _regions_of(items)
    for index, prediction in enumerate(document["predictions"]):
        path = ("predictions", index, "formula")
        yield from _formula_findings(prediction["formula"], path, regions_of, items)


def _expected_conditions(items: Sequence[Any]) -> list[str]:
    """Return the conditions that most items have, in order of appearance.

    Where two halves disagree, the first item is right.
    """
    counts = Counter(name for item in items for name in dict.fromkeys(_names(item)))
    first = _names(items[0])
    return [
        name
        for name, count in counts.items()
        if 2 * count > len(items) or (2 * count == len(items) and name in first)
    ]


def _names(item: Any) -> list[str]:
    return [condition["condition_name"] for condition in item["conditions"]]


def _item_findings(item: Any, path: JsonPath, expected: Sequence[str]) -> Iterator[Finding]:
    names = _names(item)
    where = f"item {item['item_number']}"
    yield from _repeated(item["conditions"], "condition_name", (*path, "conditions"), where)
    missing = [name for name in expected if name not in names]
    for name in missing:
        message = f"{where} has no condition {name!r}, which other items have"
        yield Finding(path=path, message=message, hint="add it to this item")
    for position, name in enumerate(names):
        if name not in expected:
            place = (*path, "conditions", position, "condition_name")
            message = f"{where} has a condition {name!r}, which other items lack"
            meant = missing or expected
            hint = nearest(name, meant) if meant else "all items have the same conditions"
            yield Finding(path=place, message=message, hint=hint)


def _condition_findings(condition: Any, path: JsonPath) -> Iterator[Finding]:
    regions = condition["regions"]
    numbers = [region["region_number"] for region in regions]
    where = f"condition {condition['condition_name']!r}"
    yield from _repeated(regions, "region_number", (*path, "regions"), where)
    if numbers != sorted(numbers):
        message = f"the regions of {where} are not in the order of their numbers"
        yield Finding(
            path=path, message=message, hint="the sentence follows the file", warning=True
        )
    if not any(region["content"].strip() for region in regions):
        hint = "write the sentence's text into them"
        yield Finding(path=path, message=f"all regions of {where} are empty", hint=hint)
    for position, region in enumerate(regions):
        yield from _content_findings(region["content"], (*path, "regions", position, "content"))


def _content_findings(content: str, place: JsonPath) -> Iterator[Finding]:
    if has_stray_space(content):
        message = f"stray space in the content {content!r}"
        hint = "remove the spaces around the text, and doubled ones"
        yield Finding(path=place, message=message, hint=hint, stray_space=True)
    if not is_encodable(content):
        message = "the content holds half of a character (a lone surrogate)"
        yield Finding(path=place, message=message, hint="write the character itself")


def _region_meta_findings(region_meta: dict[str, str], items: Sequence[Any]) -> Iterator[Finding]:
    """Complain of each region once, where it is first seen."""
    known: set[int] = set()
    for written in region_meta:
        if int(written) in known:
            message = f"region_meta has the region {int(written)} twice"
            yield Finding(path=("region_meta", written), message=message, hint="remove one of them")
        known.add(int(written))
    for i, item in enumerate(items):
        for c, condition in enumerate(item["conditions"]):
            for r, region in enumerate(condition["regions"]):
                number = int(region["region_number"])
                if number not in known:
                    known.add(number)
                    place = ("items", i, "conditions", c, "regions", r, "region_number")
                    message = f"region_meta has no region {number}"
                    hint = f"it has {', '.join(region_meta)}"
                    yield Finding(path=place, message=message, hint=hint, warning=True)


def _formula_findings(
    text: str, path: JsonPath, regions_of: dict[str, set[int]], items: Sequence[Any]
) -> Iterator[Finding]:
    try:
        formula = parse(text)
    except FormulaError as error:
        marked = text[error.start : error.end].strip()
        is_told = not marked or repr(marked) in error.message or len(marked) > _LONGEST_QUOTE
        message = error.message if is_told else f"{error.message} ({marked!r})"
        yield Finding(path=path, message=message, hint=error.hint, within=error.start)
        return
    for reference in formula.references:
        number = reference.region
        if number is not None and number in regions_of.get(reference.condition, ()):
            lacking = _item_without(items, reference.condition, number)
            if lacking is not None:
                message = f"condition {reference.condition!r} has no region {number} in {lacking}"
                hint = 'add it there, with "content": "" if it is empty'
                yield Finding(path=path, message=message, hint=hint, within=reference.span[0])
    for remark in (*check_references(formula, regions_of), *lint(formula)):
        yield Finding(
            path=path,
            message=remark.message,
            hint=remark.hint,
            within=remark.span[0],
            warning=remark.severity == "warning",
        )


def _regions_of(items: Sequence[Any]) -> dict[str, set[int]]:
    """Return the regions that a condition has in some item."""
    regions_of: dict[str, set[int]] = {}
    for item in items:
        for condition in item["conditions"]:
            numbers = regions_of.setdefault(condition["condition_name"], set())
            numbers.update(_numbers(condition))
    return regions_of


def _numbers(condition: Any) -> set[int]:
    return {int(region["region_number"]) for region in condition["regions"]}


def _item_without(items: Sequence[Any], name: str, number: int) -> str | None:
    """Return the first item whose condition lacks the region."""
    for item in items:
        for condition in item["conditions"]:
            if condition["condition_name"] == name and number not in _numbers(condition):
                return f"item {item['item_number']}"
    return None


def _repeated(
    objects: Sequence[Any], key: str, path: JsonPath, where: str = "the suite"
) -> Iterator[Finding]:
    seen: set[Any] = set()
    noun = key.replace("_", " ")
    for index, each in enumerate(objects):
        if each[key] in seen:
            message = f"{where} has the {noun} {each[key]!r} twice"
            hint = "give each a number of its own"
            if key == "condition_name":
                hint = "give each a name of its own"
            yield Finding(path=(*path, index, key), message=message, hint=hint)
        seen.add(each[key])
