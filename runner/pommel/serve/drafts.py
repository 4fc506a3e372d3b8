"""A suite that is being written, as a grid: what can be changed in its JSON, and how changes meet.

All are functions of a document, which give another one and leave everything else as it is: keys
that are not known here, the order of keys, how numbers were written. A *place* is what a cell of
the grid is called: `c-0-1-3` is region number 3 of the second condition of the first item, `x-0-1`
the context of that condition, `n-0` the number of the first item, `r-3` the name of region 3, `f-0`
and `d-0` the formula and the description of the first prediction, `m-name` what `meta` says.
"""

import copy
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pommel.errors import SuiteError, UsageError, counted, nearest, quoted
from pommel.files import DecodedText, JsonDocument, JsonPath, is_encodable, to_json
from pommel.suite import METRICS, Condition, Design, Finding, LoadedDraft, LoadedSuite
from pommel.values import frozen

Document = Mapping[str, Any]

# What `meta` says that can be written in a field; the rest of it stays as it is.
META = (
    "name",
    "language",
    "circuit",
    "version",
    "author",
    "reference",
    "license",
    "comment",
    "joiner",
    "metric",
)
_MOST_ITEMS = 5_000
# In a formula: a region's bracket with number and condition, whatever stands around it.
_REFERENCE = re.compile(r"([(\[]\s*)([0-9]+|\*)(\s*;\s*%\s*)([^%]*?)(\s*%\s*[)\]])")
# What spreadsheets call the column of the items' numbers.
_NUMBERED = ("item", "item_number", "number", "nr", "no", "#")


class DraftError(UsageError):
    """What cannot be done to a draft, and what can be done instead."""


def file_stem(name: str) -> str:
    """Return what the file of a suite of this name may be called, everywhere, without an ending."""
    letters = unicodedata.normalize("NFC", name)
    # Vowels are marks in some scripts.
    plain = (
        each if unicodedata.category(each)[0] in "LMN" or each in "-_." else " " for each in letters
    )
    # Four bytes each at most: file systems take 255, and it is written under a longer name.
    return "_".join("".join(plain).split())[:_LONGEST_STEM].strip("._") or "suite"


_LONGEST_STEM = 48


# The document as a grid.


def columns(document: Document) -> list[int]:
    """Return the numbers of the regions, in the order of the sentence."""
    found = dict.fromkeys(
        int(region["region_number"])
        for item in document["items"]
        for condition in item["conditions"]
        for region in condition["regions"]
    )
    rest = sorted({int(number) for number in document["region_meta"]} - {*found})
    in_order = [*found, *rest]
    # A condition that lacks one says nothing of where it stands.
    return sorted(in_order) if _is_ascending(document) else in_order


def _is_ascending(document: Document) -> bool:
    lists = (
        [int(region["region_number"]) for region in condition["regions"]]
        for item in document["items"]
        for condition in item["conditions"]
    )
    return all(numbers == sorted(numbers) for numbers in lists)


def region_name(document: Document, number: int) -> str:
    """Return what a region is called, "" for one without a name."""
    key = _region_key(document, number)
    return str(document["region_meta"].get(key, ""))


def condition_names(document: Document) -> list[str]:
    """Return the names of the conditions, those of the first item first."""
    return [
        *dict.fromkeys(_name(each) for item in document["items"] for each in item["conditions"])
    ]


def has_context(document: Document) -> bool:
    """Return whether something stands before the regions of any condition."""
    return any(
        "context" in each for item in document["items"] for each in (item, *item["conditions"])
    )


def _name(condition: Mapping[str, Any]) -> str:
    return str(condition["condition_name"])


def _region_key(document: Document, number: int) -> str:
    """Return what `region_meta` has a region under: "01" is region 1."""
    own = (key for key in document["region_meta"] if int(key) == number)
    return next(own, str(number))


def opened(text: str, file: str) -> Document:
    """Return the document of a suite's JSON, finished or not, that can be shown as a grid.

    Its shape has to be a suite's, and no condition may have a region, and no item a condition,
    twice. Whatever else is wrong with it can be mended in the grid. Raises `SuiteError`, with the
    lines of the file, for what cannot be shown, and `InputError` for what is larger than is read.
    """
    read = JsonDocument.parse(text, file=file)
    value = read.value
    if isinstance(value, dict) and _is_fit(value):
        found: Document = value
        if twice := [each for each in LoadedSuite.findings(found) if _is_doubled(each)]:
            told = (read.fault(each.path, each.message, hint=each.hint) for each in twice)
            raise SuiteError([*told])
        return found
    raise SuiteError(LoadedDraft.parse(text, file=file).errors)


def _is_fit(value: Mapping[str, Any]) -> bool:
    """Say whether a value has the shape of a suite's, whatever its formulas are."""
    predictions = value.get("predictions")
    if not isinstance(predictions, list) or not all(
        isinstance(each, dict) and isinstance(each.get("formula"), str) for each in predictions
    ):
        return False
    sound = [{**each, "formula": "1 < 2"} for each in predictions]
    return LoadedDraft.parse(to_json({**value, "predictions": sound})).suite is not None


def _is_doubled(found: Finding) -> bool:
    return found.path[-1] in ("condition_name", "region_number") and "twice" in found.message


def place_of(document: Document, path: JsonPath) -> str:
    """Return the place at which a path of the JSON is shown, "" for none."""
    match path:
        case ("items", int(i), "conditions", int(c), "context"):
            return f"x-{i}-{c}"
        case ("items", int(i), "conditions", int(c), "regions", int(r), *_):
            number = document["items"][i]["conditions"][c]["regions"][r]["region_number"]
            return f"c-{i}-{c}-{int(number)}"
        case ("items", int(i), "conditions", int(c), *_):
            regions = document["items"][i]["conditions"][c]["regions"]
            return f"c-{i}-{c}-{int(regions[0]['region_number'])}"
        case ("items", int(i), "context"):
            return f"x-{i}-0"
        case ("items", int(i), *_):
            return f"n-{i}"
        case ("region_meta", str(number), *_):
            return f"r-{int(number)}"
        case ("predictions", int(k), "description"):
            return f"d-{k}"
        case ("predictions", int(k), *_):
            return f"f-{k}"
        case ("meta", str(key), *_) if key in META:
            return f"m-{key}"
    return ""


def text_at(document: Document, place: str) -> str | None:
    """Return what stands at a place, None where there is no such place.

    A region that a condition lacks is "", and so is what `meta` does not say.
    """
    try:
        match _parts(place):
            case ("c", int(i), int(c), int(n)):
                condition = document["items"][i]["conditions"][c]
                own = (each for each in condition["regions"] if int(each["region_number"]) == n)
                if (found := next(own, None)) is not None:
                    return str(found["content"])
                return "" if n in columns(document) else None
            case ("x", int(i), int(c)):
                item = document["items"][i]
                return str(item["conditions"][c].get("context", item.get("context", "")))
            case ("n", int(i)):
                return str(document["items"][i]["item_number"])
            case ("r", int(n)):
                return region_name(document, n) if n in columns(document) else None
            case ("f", int(k)):
                return str(document["predictions"][k]["formula"])
            case ("d", int(k)):
                return str(document["predictions"][k].get("description", ""))
            case ("m", str(key)) if key in META:
                return _meta_text(document["meta"].get(key, " " if key == "joiner" else ""))
    except IndexError:
        pass
    return None


def _meta_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _parts(place: str) -> tuple[str | int, ...]:
    kind, *rest = place.split("-")
    if kind == "m":
        return (kind, "-".join(rest))
    if not all(each.isascii() and each.isdigit() and len(each) < _DIGITS for each in rest):
        return ()
    return (kind, *map(int, rest))


_DIGITS = 10


# Changes.


def with_texts(document: Document, texts: Mapping[str, str]) -> Document:
    """Return the document with these texts at these places; raises `DraftError`."""
    for place, text in texts.items():
        if text_at(document, place) is None:
            raise DraftError(f"there is no cell {place} (any more)")
        if text_at(document, place) != text:
            document = _with_text(document, place, _checked(text))
    return document


def _checked(text: str) -> str:
    if not is_encodable(text):
        raise DraftError("this holds half of a character (a lone surrogate)")
    if len(text) > DecodedText.MOST_OF_LINE:
        raise DraftError(f"a cell has at most {DecodedText.MOST_OF_LINE:,} characters")
    return text


def _with_text(document: Document, place: str, text: str) -> Document:
    match _parts(place):
        case ("c", int(i), int(c), int(n)):
            return _with_condition(document, i, c, lambda each: _with_content(each, n, text))
        case ("x", int(i), int(c)):
            of_item = document["items"][i].get("context", "")
            return _with_condition(
                document, i, c, lambda each: _with(each, "context", text, of_item)
            )
        case ("n", int(i)):
            if not re.fullmatch("-?[0-9]{1,9}", text):
                raise DraftError(f"the number of an item is a whole number, not {quoted(text)}")
            return _with_item(document, i, lambda each: {**each, "item_number": int(text)})
        case ("r", int(n)):
            names = {**document["region_meta"], _region_key(document, n): text}
            return {**document, "region_meta": names}
        case ("f", int(k)):
            return _with_prediction(document, k, lambda each: {**each, "formula": text})
        case ("d", int(k)):
            return _with_prediction(document, k, lambda each: _with(each, "description", text))
        case ("m", str(key)):
            return {**document, "meta": _with_meta(document["meta"], key, text)}
    raise DraftError(f"there is no cell {place}")


def _with_meta(meta: Mapping[str, Any], key: str, text: str) -> Mapping[str, Any]:
    if key == "metric" and text not in (*METRICS, "all"):
        raise DraftError(f"there is no metric {quoted(text)}")
    is_always_said = key in ("name", "metric", "joiner")
    return {**meta, key: text} if is_always_said else _with(meta, key, text)


def _with(value: Mapping[str, Any], key: str, text: str, usual: str = "") -> Mapping[str, Any]:
    """Return a value that says a text, or that does not say what is usual."""
    if text == usual and key in value:
        return {name: each for name, each in value.items() if name != key}
    return {**value, key: text} if text != usual else value


_Changed = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def _at(values: Sequence[Any], index: int, change: _Changed) -> list[Any]:
    return [*values[:index], change(values[index]), *values[index + 1 :]]


def _with_item(document: Document, index: int, change: _Changed) -> Document:
    return {**document, "items": _at(document["items"], index, change)}


def _with_condition(document: Document, item: int, index: int, change: _Changed) -> Document:
    def changed(each: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**each, "conditions": _at(each["conditions"], index, change)}

    return _with_item(document, item, changed)


def _with_prediction(document: Document, index: int, change: _Changed) -> Document:
    return {**document, "predictions": _at(document["predictions"], index, change)}


def _with_content(condition: Mapping[str, Any], number: int, text: str) -> Mapping[str, Any]:
    regions = condition["regions"]
    numbers = [int(each["region_number"]) for each in regions]
    if number in numbers:
        at = numbers.index(number)
        return {**condition, "regions": _at(regions, at, lambda each: {**each, "content": text})}
    return _with_region_in(condition, number, text)


def _with_region_in(condition: Mapping[str, Any], number: int, text: str) -> Mapping[str, Any]:
    """Return a condition with one more region, before the first that has a larger number."""
    regions = condition["regions"]
    larger = (n for n, each in enumerate(regions) if int(each["region_number"]) > number)
    at = next(larger, len(regions))
    new = {"region_number": number, "content": text}
    return {**condition, "regions": [*regions[:at], new, *regions[at:]]}


def _mapped(document: Document, change: _Changed) -> Document:
    """Return the document with every condition changed."""
    items = [
        {**item, "conditions": [*map(change, item["conditions"])]} for item in document["items"]
    ]
    return {**document, "items": items}


# What spreadsheets copy.

# A cell in quotes, or one as it stands; then what comes behind it.
_CELL = re.compile(r'(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r\n|\r|\n|\Z)')
# Without one of these in it, no spreadsheet puts a cell in quotes.
_QUOTED_FOR = re.compile(r'[\t\r\n]|""')


def block_of(text: str) -> list[list[str]]:
    """Return the cells of what a spreadsheet has copied: rows of a line each, with tabs between.

    A cell with tabs or line breaks in it stands in quotes, and its own quotes are doubled; what
    only looks like that (a sentence in quotation marks) is as it stands. A line break within a cell
    becomes a blank: a sentence has none. Rows may be of different lengths.
    """
    rows: list[list[str]] = [[]]
    for match in _CELL.finditer(text):
        in_quotes, plain, end = match.groups()
        if in_quotes is not None and not _QUOTED_FOR.search(in_quotes):
            plain, in_quotes = f'"{in_quotes}"', None
        cell = plain if in_quotes is None else in_quotes.replace('""', '"')
        rows[-1].append(re.sub(r"\r\n|\r|\n", " ", cell))
        if not end:
            break
        if end != "\t":
            rows.append([])
    # What is copied ends with a line feed.
    if rows[-1] == [""]:
        rows.pop()
    return rows


def _pasted(document: Document, place: str, text: str) -> tuple[Document, dict[str, str]]:
    """Return the document with as many items as a block needs, and what it says at which place.

    The block begins at a place, goes on over the rows of the grid, and items are added below the
    last one. One whose rows begin with the number of an item and the name of a condition, at the
    first region, is put where it says. A blank row stands between items where rows are whole
    sentences; in a block of some regions it is what they are in that sentence: nothing.
    """
    rows = block_of(text)
    parts = _parts(place)
    match parts:
        case ("c", int(item), int(condition), int(number)):
            at = columns(document).index(number)
        case _ if len(rows) == 1 and len(rows[0]) == 1:
            return document, {place: rows[0][0]}
        case _:
            raise DraftError("a block is pasted into the sentences: put the cursor into a region")
    written = [row for row in rows if any(row)]
    named = _named_rows(document, written) if at == 0 else None
    if at == 0 and max(map(len, written), default=0) == len(columns(document)):
        rows = written
    cells = rows if named is None else [*named.values()]
    numbers, width = columns(document)[at:], max(map(len, cells), default=0)
    if width > len(numbers):
        there = "there is 1 region" if len(numbers) == 1 else f"there are {len(numbers)} regions"
        raise DraftError(
            f"the block has {counted(width, 'column')}, and from here {there}: nothing was pasted; "
            f"add regions, or begin further left"
        )
    if named is not None:
        document, at_rows = _rows_of_names(document, named)
    else:
        document, at_rows = _rows_from(document, item, condition, rows)
    texts = {
        f"c-{i}-{c}-{n}": cell
        for (i, c), row in at_rows
        for n, cell in zip(numbers, row, strict=False)
    }
    return document, texts


_Rows = list[tuple[tuple[int, int], Sequence[str]]]


def _rows_from(
    document: Document, item: int, condition: int, rows: Sequence[Sequence[str]]
) -> tuple[Document, _Rows]:
    """Return each row with where it goes: on from a condition of an item, row by row."""
    found: _Rows = []
    last = max((n for n, row in enumerate(rows) if any(row)), default=-1)
    for n, row in enumerate(rows):
        if n > last and item >= len(document["items"]):
            # Nothing is to be added for what is blank at the end.
            break
        while item >= len(document["items"]):
            document = with_item(document, len(document["items"]))
        found.append(((item, condition), row))
        condition += 1
        if condition >= len(document["items"][item]["conditions"]):
            item, condition = item + 1, 0
    return document, found


def _named_rows(
    document: Document, rows: Sequence[Sequence[str]]
) -> dict[tuple[int, str], Sequence[str]] | None:
    """Return rows by the number and the condition that they begin with; None if they do not."""
    if rows and rows[0][0].strip().casefold() in _NUMBERED:
        rows = rows[1:]
    names = {*condition_names(document)}
    found: dict[tuple[int, str], Sequence[str]] = {}
    number = ""
    for row in rows:
        if len(row) < _NAMED_COLUMNS:
            return None
        # A number that stands for several rows is written once.
        number = row[0].strip() or number
        if not re.fullmatch("[0-9]{1,9}", number) or row[1].strip() not in names:
            return None
        found[int(number), row[1].strip()] = row[2:]
    return found or None


_NAMED_COLUMNS = 3


def _rows_of_names(
    document: Document, named: Mapping[tuple[int, str], Sequence[str]]
) -> tuple[Document, _Rows]:
    found: _Rows = []
    for (number, name), row in named.items():
        there = [int(each["item_number"]) for each in document["items"]]
        if number not in there:
            document = with_item(document, len(there), number=number)
            there.append(number)
        i = there.index(number)
        own = [_name(each) for each in document["items"][i]["conditions"]]
        if name not in own:
            raise DraftError(f"item {number} has no condition {name!r}; add it first")
        found.append(((i, own.index(name)), row))
    return document, found


# Items.


def with_item(
    document: Document, at: int, *, number: int | None = None, like: int = -1
) -> Document:
    """Return the document with a new item at an index: an empty one, or a copy of item `like`."""
    items = document["items"]
    if len(items) >= _MOST_ITEMS:
        raise DraftError(f"a suite that is written here has at most {_MOST_ITEMS:,} items")
    number = max(int(each["item_number"]) for each in items) + 1 if number is None else number
    if like >= 0:
        new = {**copy.deepcopy(items[like]), "item_number": number}
    else:
        regions = {
            _name(each): [
                {"region_number": region["region_number"], "content": ""}
                for region in each["regions"]
            ]
            for each in items[0]["conditions"]
        }
        conditions = [{"condition_name": name, "regions": own} for name, own in regions.items()]
        new = {"item_number": number, "conditions": conditions}
    return {**document, "items": [*items[:at], new, *items[at:]]}


def _without_item(document: Document, at: int) -> Document:
    items = document["items"]
    if len(items) == 1:
        raise DraftError("a suite has at least one item")
    return {**document, "items": [*items[:at], *items[at + 1 :]]}


def _moved(values: Sequence[Any], at: int, by: int) -> list[Any]:
    """Return a list with one value further on; one that would leave the list stays."""
    if not 0 <= at + by < len(values):
        return [*values]
    rest = [*values[:at], *values[at + 1 :]]
    return [*rest[: at + by], values[at], *rest[at + by :]]


# Conditions.


def _with_new_condition(document: Document, name: str, like: str) -> Document:
    name = name.strip()
    if fault := Design.condition_fault(name, condition_names(document)):
        raise DraftError(fault)

    def added(item: Mapping[str, Any]) -> Mapping[str, Any]:
        own = item["conditions"]
        model = next((each for each in own if _name(each) == like), None)
        new = [
            {key: each[key] for key in ("region_number", "content", "joiner") if key in each}
            | ({} if model else {"content": ""})
            for each in (model or own[0])["regions"]
        ]
        further = [*own, {"condition_name": name, "regions": new}]
        return {**item, "conditions": further}

    return {**document, "items": [*map(added, document["items"])]}


def _without_condition(document: Document, name: str) -> Document:
    _check_condition(document, name)

    def lacking(item: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**item, "conditions": [each for each in item["conditions"] if _name(each) != name]}

    items = [*map(lacking, document["items"])]
    if not all(item["conditions"] for item in items):
        raise DraftError("an item has at least one condition")
    return {**document, "items": items}


def _with_condition_called(document: Document, name: str, new: str) -> Document:
    """Return the document with another name for a condition, also in formulas."""
    new = new.strip()
    _check_condition(document, name)
    others = [each for each in condition_names(document) if each != name]
    if fault := Design.condition_fault(new, others):
        raise DraftError(fault)
    renamed = _mapped(
        document, lambda each: {**each, "condition_name": new} if _name(each) == name else each
    )
    return _with_references(renamed, lambda number, own: (number, new if own == name else own))


def _with_condition_moved(document: Document, name: str, by: int) -> Document:
    _check_condition(document, name)

    def moved(item: Mapping[str, Any]) -> Mapping[str, Any]:
        names = [_name(each) for each in item["conditions"]]
        if name not in names:
            return item
        return {**item, "conditions": _moved(item["conditions"], names.index(name), by)}

    return {**document, "items": [*map(moved, document["items"])]}


def _check_condition(document: Document, name: str) -> None:
    names = condition_names(document)
    if name not in names:
        meant = nearest(name, names)
        hint = f"; did you mean {meant!r}?" if meant else ""
        raise DraftError(f"there is no condition {name!r}{hint}")


def _with_all_conditions(document: Document, at: int) -> Document:
    """Return the document with those conditions in an item that others have and it lacks."""
    regions = {
        _name(each): each["regions"] for item in document["items"] for each in item["conditions"]
    }

    def whole(item: Mapping[str, Any]) -> Mapping[str, Any]:
        own = {_name(each) for each in item["conditions"]}
        new = [
            {
                "condition_name": name,
                "regions": [{"region_number": r["region_number"], "content": ""} for r in like],
            }
            for name, like in regions.items()
            if name not in own
        ]
        return {**item, "conditions": [*item["conditions"], *new]}

    return _with_item(document, at, whole)


def _with_references(document: Document, change: Callable[[str, str], tuple[str, str]]) -> Document:
    """Return the document with every region that formulas name (number, condition) changed."""

    def again(match: re.Match[str]) -> str:
        number, name = change(match[2], match[4])
        return f"{match[1]}{number}{match[3]}{name}{match[5]}"

    predictions = [
        {**each, "formula": _REFERENCE.sub(again, each["formula"])}
        for each in document["predictions"]
    ]
    return {**document, "predictions": predictions}


# Regions.


def _with_new_region(document: Document, at: int, name: str) -> Document:
    """Return the document with a region at a place of the sentence (0 is its beginning).

    Those behind it have larger numbers then, where there is none between, and so they have in
    formulas.
    """
    if fault := Design.region_fault(name):
        raise DraftError(fault)
    numbers = columns(document)
    at = min(at, len(numbers))
    number = numbers[at - 1] + 1 if at else 1
    if number in numbers:
        document = _renumbered(document, {each: each + 1 for each in numbers if each >= number})
    names = {**document["region_meta"], str(number): name.strip()}
    document = {**document, "region_meta": _by_number(names)}
    return _mapped(document, lambda each: _with_region_in(each, number, ""))


def _without_region(document: Document, number: int) -> Document:
    """Return the document without a region; the others keep their numbers.

    So a formula that names it is faulty from then on, and never about another region.
    """
    if len(columns(document)) == 1:
        raise DraftError("a sentence has at least one region")
    if number not in columns(document):
        raise DraftError(f"there is no region {number}")

    def lacking(condition: Mapping[str, Any]) -> Mapping[str, Any]:
        kept = [each for each in condition["regions"] if int(each["region_number"]) != number]
        if not kept:
            raise DraftError("a sentence has at least one region")
        return {**condition, "regions": kept}

    names = {key: name for key, name in document["region_meta"].items() if int(key) != number}
    return _mapped({**document, "region_meta": names}, lacking)


def _with_region_moved(document: Document, number: int, by: int) -> Document:
    """Return the document with a region beyond its neighbour, and their numbers swapped."""
    numbers = columns(document)
    if number not in numbers:
        raise DraftError(f"there is no region {number}")
    at = numbers.index(number)
    if not 0 <= at + by < len(numbers):
        return document
    other = numbers[at + by]
    swapped = _renumbered(document, {number: other, other: number})

    def in_order(condition: Mapping[str, Any]) -> Mapping[str, Any]:
        regions = [*condition["regions"]]
        places = [
            n for n, each in enumerate(regions) if int(each["region_number"]) in (number, other)
        ]
        if len(places) == 2:  # noqa: PLR2004 - both are there
            left, right = places
            regions[left], regions[right] = regions[right], regions[left]
        return {**condition, "regions": regions}

    return _mapped(swapped, in_order)


def _renumbered(document: Document, new: Mapping[int, int]) -> Document:
    """Return the document with other numbers for regions, also in formulas and their names."""

    def changed(condition: Mapping[str, Any]) -> Mapping[str, Any]:
        regions = [
            {**each, "region_number": new[int(each["region_number"])]}
            if int(each["region_number"]) in new
            else each
            for each in condition["regions"]
        ]
        return {**condition, "regions": regions}

    names = {
        str(new[int(key)]) if int(key) in new else key: name
        for key, name in document["region_meta"].items()
    }
    document = _mapped({**document, "region_meta": _by_number(names)}, changed)

    def reference(number: str, name: str) -> tuple[str, str]:
        if number == "*":
            return number, name
        return str(new.get(int(number), number)), name

    return _with_references(document, reference)


def _by_number(names: Mapping[str, str]) -> dict[str, str]:
    return dict(sorted(names.items(), key=lambda each: int(each[0])))


# What can be done.


@frozen
class Change:
    """One change: what is done (`CHANGES`), where, and with which texts.

    Of `texts`, `places` and `texts` are of the same length; of the others, `places` has the item,
    condition, region or prediction it is about, and `texts` what else has to be said.
    """

    what: str
    places: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise `DraftError` for a change that says too little, or what nobody knows."""
        if self.what not in CHANGES:
            raise DraftError(f"nothing is called {quoted(self.what)}")
        n_places, n_texts = CHANGES[self.what].n
        if self.what == "texts":
            if len(self.places) != len(self.texts) or not self.places:
                raise DraftError("there are as many texts as places, and at least one")
        elif len(self.places) < n_places or len(self.texts) < n_texts:
            raise DraftError(f"{self.what}: say where, and what")
        for text in self.texts[: 1 if self.what == "paste" else None]:
            if self.what != "paste":
                _checked(text)
            elif not is_encodable(text):
                raise DraftError("this holds half of a character (a lone surrogate)")

    def on(self, document: Document) -> Document:
        """Return the document with the change; raises `DraftError` for what cannot be done."""
        self.check()
        return CHANGES[self.what].do(document, self)

    @property
    def said(self) -> str:
        """What it is, for somebody who looks at what others have done."""
        return self.what if self.what != "texts" else ", ".join(self.places[:3])


@frozen
class _Kind:
    """How a change is done, how many places and texts it needs at least, and what it replaces.

    `replaces` returns what is overwritten or removed by it: where somebody else has changed that
    meanwhile, it is not done.
    """

    do: Callable[[Document, Change], Document]
    n: tuple[int, int] = (0, 0)
    replaces: Callable[[Document, Change], object] = lambda _document, _change: None


def _index(document: Document, change: Change) -> int:
    """Return the index of the item that a change is about."""
    parts = _parts(change.places[0])
    at = parts[1] if len(parts) > 1 else None
    if not isinstance(at, int) or not at < len(document["items"]):
        raise DraftError("there is no such item (any more)")
    return at


def _whole(text: str) -> int:
    if not re.fullmatch("-?[0-9]{1,9}", text):
        raise DraftError(f"{quoted(text)} is no whole number")
    return int(text)


def _number_of(change: Change) -> int:
    return _whole(change.places[0])


def _prediction_at(document: Document, change: Change) -> int:
    at = _number_of(change)
    if not 0 <= at < len(document["predictions"]):
        raise DraftError("there is no such prediction (any more)")
    return at


def _paste(document: Document, change: Change) -> Document:
    document, texts = _pasted(document, change.places[0], change.texts[0])
    return with_texts(document, texts)


def _of_condition(document: Document, change: Change) -> object:
    name = change.places[0]
    return [
        [each for each in item["conditions"] if _name(each) == name] for item in document["items"]
    ]


def _of_region(document: Document, change: Change) -> object:
    number = _number_of(change)
    return [
        region
        for item in document["items"]
        for condition in item["conditions"]
        for region in condition["regions"]
        if int(region["region_number"]) == number
    ]


def _with_predictions(document: Document, predictions: Sequence[Any]) -> Document:
    return {**document, "predictions": [*predictions]}


def _without_prediction(document: Document, change: Change) -> Document:
    at = _prediction_at(document, change)
    predictions = document["predictions"]
    return _with_predictions(document, [*predictions[:at], *predictions[at + 1 :]])


def _with_new_prediction(document: Document, change: Change) -> Document:
    new = {"type": "formula", "formula": change.texts[0]}
    return _with_predictions(document, [*document["predictions"], new])


CHANGES: Mapping[str, _Kind] = {
    "texts": _Kind(
        do=lambda document, change: with_texts(
            document, dict(zip(change.places, change.texts, strict=True))
        ),
        n=(1, 1),
    ),
    "paste": _Kind(do=_paste, n=(1, 1)),
    "add item": _Kind(
        do=lambda document, change: with_item(document, _index(document, change) + 1), n=(1, 0)
    ),
    "copy item": _Kind(
        do=lambda document, change: with_item(
            document, (at := _index(document, change)) + 1, like=at
        ),
        n=(1, 0),
    ),
    "remove item": _Kind(
        do=lambda document, change: _without_item(document, _index(document, change)),
        n=(1, 0),
        replaces=lambda document, change: document["items"][_index(document, change)],
    ),
    "move item": _Kind(
        do=lambda document, change: {
            **document,
            "items": _moved(document["items"], _index(document, change), _whole(change.texts[0])),
        },
        n=(1, 1),
    ),
    "complete item": _Kind(
        do=lambda document, change: _with_all_conditions(document, _index(document, change)),
        n=(1, 0),
    ),
    "add condition": _Kind(
        do=lambda document, change: _with_new_condition(
            document, change.texts[0], "".join(change.texts[1:2])
        ),
        n=(0, 1),
    ),
    "remove condition": _Kind(
        do=lambda document, change: _without_condition(document, change.places[0]),
        n=(1, 0),
        replaces=_of_condition,
    ),
    "rename condition": _Kind(
        do=lambda document, change: _with_condition_called(
            document, change.places[0], change.texts[0]
        ),
        n=(1, 1),
    ),
    "move condition": _Kind(
        do=lambda document, change: _with_condition_moved(
            document, change.places[0], _whole(change.texts[0])
        ),
        n=(1, 1),
    ),
    "add region": _Kind(
        do=lambda document, change: _with_new_region(document, _number_of(change), change.texts[0]),
        n=(1, 1),
    ),
    "remove region": _Kind(
        do=lambda document, change: _without_region(document, _number_of(change)),
        n=(1, 0),
        replaces=_of_region,
    ),
    "move region": _Kind(
        do=lambda document, change: _with_region_moved(
            document, _number_of(change), _whole(change.texts[0])
        ),
        n=(1, 1),
    ),
    "add prediction": _Kind(do=_with_new_prediction, n=(0, 1)),
    "remove prediction": _Kind(
        do=_without_prediction,
        n=(1, 0),
        replaces=lambda document, _change: document["predictions"],
    ),
}


# Changes of several people.


@frozen
class Clash:
    """What two people have changed at once: one has written `theirs`, and `yours` waits.

    `place` is where, "" where it is about more than a cell.
    """

    place: str
    theirs: str
    yours: str


@frozen
class Merged:
    """A document with a change that rested on another one, but for what clashes."""

    document: Document
    clashes: tuple[Clash, ...] = ()


def merged(base: Document, theirs: Document, change: Change) -> Merged:
    """Return what somebody else has made of `base` (`theirs`), with a change that rests on `base`.

    Texts of cells that are in both as they were are changed; the others are told. Anything else is
    done as a whole or not at all: what it removes has to be as it was, and conditions and regions
    must be those that it rests on. Raises `DraftError` as the change does.
    """
    change.check()
    if base is theirs or base == theirs:
        return Merged(document=change.on(theirs))
    if change.what not in ("texts", "paste"):
        return _merged_whole(base, theirs, change)
    texts = dict(zip(change.places, change.texts, strict=True))
    grown = theirs
    if change.what == "paste":
        if _frame(base)[:2] != _frame(theirs)[:2]:
            return Merged(document=theirs, clashes=(Clash(place="", theirs="", yours="paste"),))
        pasted = change.on(base)
        _, texts = _pasted(base, change.places[0], change.texts[0])
        texts = {place: text for place, text in texts.items() if text_at(base, place) is not None}
        grown = _with_items_below(theirs, pasted["items"][len(base["items"]) :])
    clashes, fitting = [], {}
    for place, text in texts.items():
        there = _place_in(theirs, base, place)
        now = None if there is None else text_at(theirs, there)
        if there is not None and now in (text_at(base, place), text):
            fitting[there] = text
        else:
            clashes.append(Clash(place=there or "", theirs=now or "", yours=text))
    return Merged(document=with_texts(grown, fitting), clashes=tuple(clashes))


def _merged_whole(base: Document, theirs: Document, change: Change) -> Merged:
    kind = CHANGES[change.what]
    refused = Merged(document=theirs, clashes=(Clash(place="", theirs="", yours=change.what),))
    if _frame(base) != _frame(theirs):
        return refused
    moved = change
    if change.what.endswith(" item"):
        place = _place_in(theirs, base, f"n-{_index(base, change)}")
        if place is None:
            return refused
        moved = Change(what=change.what, places=(place,), texts=change.texts)
    if kind.replaces(base, change) != kind.replaces(theirs, moved):
        return refused
    return Merged(document=moved.on(theirs))


def _with_items_below(document: Document, new: Sequence[Mapping[str, Any]]) -> Document:
    """Return the document with more items at its end, whose numbers are those that nobody has."""
    items = document["items"]
    last = max(int(each["item_number"]) for each in items)
    own = [{**each, "item_number": last + n} for n, each in enumerate(new, start=1)]
    return {**document, "items": [*items, *own]}


def _frame(document: Document) -> tuple[list[int], list[str], int]:
    return columns(document), condition_names(document), len(document["predictions"])


def _place_in(theirs: Document, base: Document, place: str) -> str | None:
    """Return where a place of one document is in another one, None where it is not there.

    Items are found by their numbers, conditions by their names. Where regions have become others,
    or predictions more or fewer, nobody knows.
    """
    match _parts(place):
        case ("m", str()):
            return place
        case ("r" | "c", *_) if columns(base) != columns(theirs):
            return None
        case ("r", int()):
            return place
        case ("f" | "d", int()):
            return place if len(base["predictions"]) == len(theirs["predictions"]) else None
        case (str(kind), int(i), *rest):
            at = _same(base["items"], theirs["items"], i, "item_number")
            if at is None or not rest:
                return None if at is None else f"{kind}-{at}"
            c, *number = rest
            assert isinstance(c, int)  # noqa: S101 - as `_parts` has it
            own = base["items"][i]["conditions"], theirs["items"][at]["conditions"]
            there = _same(*own, c, "condition_name")
            return None if there is None else "-".join(map(str, (kind, at, there, *number)))
    return None


def _same(base: Sequence[Any], theirs: Sequence[Any], index: int, key: str) -> int | None:
    """Return where a value of one list is in another, by a key; None where that is not clear."""
    if index >= len(base):
        return None
    own = base[index][key]
    if index < len(theirs) and [each[key] for each in base] == [each[key] for each in theirs]:
        return index
    found = [n for n, each in enumerate(theirs) if each[key] == own]
    return found[0] if len(found) == 1 else None


def changed_places(before: Document, after: Document, places: Iterable[str]) -> Iterator[str]:
    """Yield those of some places at which two documents differ."""
    for place in places:
        if text_at(before, place) != text_at(after, place):
            yield place


def is_same_frame(before: Document, after: Document) -> bool:
    """Return whether two documents have the same rows and columns: they differ in texts only."""
    if before is after:
        return True
    return _frame(before) == _frame(after) and _rows(before) == _rows(after)


def _rows(document: Document) -> object:
    return [
        (item["item_number"], [_name(each) for each in item["conditions"]])
        for item in document["items"]
    ]


def sentence_of(condition: Mapping[str, Any], joiner: str, context: str = "") -> str:
    """Return a condition's sentence as models read it, "" where none is written."""
    made = Condition.from_dict(condition, context=context)
    return made.sentence(joiner).text if made.is_written else ""
