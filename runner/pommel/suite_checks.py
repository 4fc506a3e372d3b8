"""What no schema can say of a suite: names that must agree, numbers that must be unique."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pommel.errors import FormulaError
from pommel.formula import check_references, lint, parse
from pommel.formula.references import nearest
from pommel.json_document import JsonPath
from pommel.suite import has_stray_space


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
            yield from _condition_findings(condition, place, document["region_meta"])
    regions_of = _regions_of(items)
    for index, prediction in enumerate(document["predictions"]):
        path = ("predictions", index, "formula")
        yield from _formula_findings(prediction["formula"], path, regions_of)


def _expected_conditions(items: Sequence[Any]) -> list[str]:
    """Return the conditions that more than half of the items have, in order of appearance."""
    counts = Counter(
        name
        for item in items
        for name in dict.fromkeys(each["condition_name"] for each in item["conditions"])
    )
    return [name for name, count in counts.items() if 2 * count > len(items)]


def _item_findings(item: Any, path: JsonPath, expected: Sequence[str]) -> Iterator[Finding]:
    names = [condition["condition_name"] for condition in item["conditions"]]
    where = f"item {item['item_number']}"
    yield from _repeated(item["conditions"], "condition_name", (*path, "conditions"), where)
    for name in expected:
        if name not in names:
            message = f"{where} has no condition {name!r}, which other items have"
            yield Finding(path=path, message=message, hint="add it to this item")
    for position, name in enumerate(names):
        if name not in expected:
            place = (*path, "conditions", position, "condition_name")
            message = f"{where} has a condition {name!r}, which most items lack"
            yield Finding(path=place, message=message, hint=nearest(name, expected))


def _condition_findings(
    condition: Any, path: JsonPath, region_meta: dict[str, str]
) -> Iterator[Finding]:
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
        yield from _region_findings(region, (*path, "regions", position), region_meta)


def _region_findings(region: Any, path: JsonPath, region_meta: dict[str, str]) -> Iterator[Finding]:
    content = region["content"]
    place = (*path, "content")
    if has_stray_space(content):
        message = f"stray space in the content {content!r}"
        hint = "remove the spaces around the text, and doubled ones"
        yield Finding(path=place, message=message, hint=hint, stray_space=True)
    if not _is_encodable(content):
        message = "the content holds half of a character (a lone surrogate)"
        yield Finding(path=place, message=message, hint="write the character itself")
    number = region["region_number"]
    if str(int(number)) not in region_meta:
        known = ", ".join(region_meta)
        message = f"region_meta has no region {number}"
        yield Finding(
            path=(*path, "region_number"), message=message, hint=f"it has {known}", warning=True
        )


def _formula_findings(
    text: str, path: JsonPath, regions_of: dict[str, set[int]]
) -> Iterator[Finding]:
    try:
        formula = parse(text)
    except FormulaError as error:
        marked = text[error.start : error.end].strip()
        message = f"{error.message} ({marked!r})" if marked else error.message
        yield Finding(path=path, message=message, hint=error.hint, within=error.start)
        return
    for remark in (*check_references(formula, regions_of), *lint(formula)):
        yield Finding(
            path=path,
            message=remark.message,
            hint=remark.hint,
            within=remark.span[0],
            warning=remark.severity == "warning",
        )


def _regions_of(items: Sequence[Any]) -> dict[str, set[int]]:
    """Return the regions that a condition has in every item that has the condition."""
    regions_of: dict[str, set[int]] = {}
    for item in items:
        for condition in item["conditions"]:
            numbers = {int(region["region_number"]) for region in condition["regions"]}
            name = condition["condition_name"]
            regions_of[name] = regions_of.get(name, numbers) & numbers
    return regions_of


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


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
