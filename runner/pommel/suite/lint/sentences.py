"""Rules about sentences: what is empty, there twice, does not match, or is never used."""

import unicodedata
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

from pommel.errors import counted, quoted
from pommel.files import JsonPath
from pommel.suite.formula.tree import RegionValue
from pommel.suite.lint.subject import MOST, Contrast, Remark, Side, Subject, in_items


def empty_region(subject: Subject) -> Iterator[Remark]:
    """Yield the regions that a prediction names though they are empty, in some items or in all.

    See `reported_empty`.
    """
    for reference, items in reported_empty(subject).items():
        yield _empty_remark(subject, reference, items)


def reported_empty(subject: Subject) -> Mapping[RegionValue, list[int]]:
    """Return the regions that should not be empty, and the items in which they are.

    One that is empty in every item may be meant so where a contrast's side adds another region to
    its sum: `(5;%gap%) + (6;%gap%)`. Other metrics of an empty region are undefined.
    """
    filled = {each for contrast in subject.contrasts for each in contrast.sides}
    is_sum = subject.suite.metrics[0] == "sum"
    references = (each for formula in subject.formulas for each in formula.references)
    found = {each: _empty_items(subject, each) for each in dict.fromkeys(references)}
    return {
        reference: items
        for reference, items in found.items()
        if items
        and not (
            is_sum and len(items) == len(subject.items) and _is_part(subject, reference, filled)
        )
    }


def _empty_items(subject: Subject, reference: RegionValue) -> list[int]:
    if reference.region is None:
        return []
    return [
        i
        for i, item in enumerate(subject.items)
        if not item[reference.condition].text(reference.region)
    ]


def _is_part(subject: Subject, reference: RegionValue, sides: set[Side]) -> bool:
    return any(
        side.condition == reference.condition
        and side.regions is not None
        and reference.region in side.regions
        and all(subject.regions(item, side) for item in range(len(subject.items)))
        for side in sides
    )


def _empty_remark(subject: Subject, reference: RegionValue, items: list[int]) -> Remark:
    predictions = subject.predictions_naming(reference)
    index = predictions[0]
    numbers = subject.numbers(items)
    is_all = len(items) == len(subject.items)
    metric = subject.suite.metrics[0]
    value = f"it has no {metric}, and no comparison with it holds"
    value = "its sum is 0" if metric == "sum" else value
    what = f"region {reference.region} of {reference.condition!r}"
    condition = subject.items[items[0]][reference.condition]
    return Remark(
        rule="empty-region",
        path=("predictions", index, "formula") if is_all else condition.path,
        message=f"{what}, which prediction {index} names, is empty "
        f"{in_items(numbers, len(subject.items))}: {value}",
        hint="write its content, or name another region",
        item_numbers=numbers,
        predictions=predictions,
        cause="empty",
    )


def duplicate_item(subject: Subject) -> Iterator[Remark]:
    """Yield the items that have the same sentences in all conditions."""
    for items in _groups(_sentences(subject)):
        yield _duplicate(
            subject,
            "duplicate-item",
            items,
            "every condition",
            "what is there twice counts twice; remove all but one",
        )


def duplicate_contrast(subject: Subject) -> Iterator[Remark]:
    """Yield the items that compare the same two sentences, though not all theirs are the same."""
    whole = _sentences(subject)
    for contrast in subject.contrasts:
        less, more = contrast.less.condition, contrast.more.condition
        keys = [(item[less].sentence.text, item[more].sentence.text) for item in subject.items]
        for items in _groups(keys):
            if len({whole[item] for item in items}) > 1:
                names = f"{less!r} and {more!r}"
                hint = "what is there twice counts twice"
                yield _duplicate(subject, "duplicate-contrast", items, names, hint)


def _sentences(subject: Subject) -> list[Hashable]:
    """Return what each item says in all of its conditions."""
    return [
        frozenset((name, laid.sentence.text) for name, laid in item.items())
        for item in subject.items
    ]


def _duplicate(subject: Subject, rule: str, items: list[int], where: str, hint: str) -> Remark:
    numbers = subject.numbers(items)
    *others, last = map(str, numbers)
    return Remark(
        rule=rule,
        path=("items", items[1]),
        message=f"items {', '.join(others)} and {last} have the same sentences in {where}",
        hint=hint,
        item_numbers=numbers,
    )


def no_contrast(subject: Subject) -> Iterator[Remark]:
    """Yield the contrasts whose sides are the same, with all that stands before them."""
    for contrast in subject.contrasts:
        items = [i for i in range(len(subject.items)) if _is_same(subject, i, contrast)]
        if not items:
            continue
        numbers = subject.numbers(items)
        yield Remark(
            rule="no-contrast",
            path=subject.items[items[0]][contrast.more.condition].path,
            message=f"nothing differs in {contrast}, nor before, "
            f"{in_items(numbers, len(subject.items))}",
            hint="every left-to-right model is as surprised by the one as by the other",
            item_numbers=numbers,
            predictions=subject.predictions_with(contrast),
            cause="same",
        )


def _is_same(subject: Subject, item: int, contrast: Contrast) -> bool:
    less, more = (_readings(subject, item, side) for side in (contrast.less, contrast.more))
    return less == more and bool(less)


def _readings(subject: Subject, item: int, side: Side) -> list[Hashable]:
    laid = subject.items[item][side.condition]
    return [subject.reading(laid, *laid.spans[region]) for region in subject.regions(item, side)]


def _groups(keys: Sequence[Hashable]) -> Iterator[list[int]]:
    """Yield the indexes of keys that are there more than once."""
    places: dict[Hashable, list[int]] = {}
    for index, key in enumerate(keys):
        places.setdefault(key, []).append(index)
    yield from (each for each in places.values() if len(each) > 1)


# Scripts need these, which have no width, to say where letters join.
_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"


def control_character(subject: Subject) -> Iterator[Remark]:
    """Yield the characters that steer a terminal, turn the direction of a text, or are not seen.

    Not so joiners, marks of direction, and the signs that some scripts put before a number.
    """
    places: dict[str, dict[int, JsonPath]] = {}
    for number, path, text in _all_texts(subject):
        for character in text:
            if _is_control(character):
                places.setdefault(character, {}).setdefault(number, path)
    for character, paths in places.items():
        numbers = tuple(paths)
        yield Remark(
            rule="control-character",
            path=paths[numbers[0]],
            message=f"the character {_name(character)} cannot be seen, and stands in the text "
            f"{in_items(numbers, len(subject.items))}",
            hint="remove it; a model reads it, too",
            item_numbers=numbers,
        )


def _all_texts(subject: Subject) -> Iterator[tuple[int, JsonPath, str]]:
    """Yield the item's number, the place and the text of every region."""
    for i, item in enumerate(subject.suite.items):
        for c, condition in enumerate(item.conditions):
            for r, region in enumerate(condition.regions):
                path = ("items", i, "conditions", c, "regions", r, "content")
                # Every control character is unprintable, as is many a space that is none.
                if not region.text.isprintable():
                    yield item.number, path, region.text


def _is_control(character: str) -> bool:
    match unicodedata.category(character):
        case "Cc" | "Zl" | "Zp":
            return True
        case "Cf":
            is_letter = unicodedata.bidirectional(character) in ("L", "R", "AL", "AN")
            return not is_letter and character not in _JOINERS
        case _:
            return False


def _name(character: str) -> str:
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X}{f' ({name})' if name else ''}"


# What is the same of both sides of a contrast in most items.
_Measure = Callable[[int, Side], Hashable]


def unequal_length(subject: Subject) -> Iterator[Remark]:
    """Yield the contrasts whose sides have as many words in most items, and not in others.

    A mean or a median does not grow with the number of words.
    """
    if subject.suite.metrics[0] in ("mean", "median"):
        return

    def length(item: int, side: Side) -> int:
        return subject.length(subject.text(item, side))

    for contrast in subject.contrasts:
        # Where they are the same words in most items, `unequal-words` says more.
        if not _exceptions(subject, contrast, subject.text):
            for items in _exceptions(subject, contrast, length):
                yield _remark(
                    subject,
                    "unequal-length",
                    contrast,
                    items,
                    ("lengths differ in", _lengths(subject, length, items[0], contrast)),
                )


def unequal_words(subject: Subject) -> Iterator[Remark]:
    """Yield the contrasts whose sides are the same words in most items, and not in others."""
    for contrast in subject.contrasts:
        for items in _exceptions(subject, contrast, subject.text):
            sides = (contrast.less, contrast.more)
            less, more = (quoted(subject.text(items[0], side)) for side in sides)
            words = ("words differ in", f"{less} and {more}")
            yield _remark(subject, "unequal-words", contrast, items, words)


def unequal_context(subject: Subject) -> Iterator[Remark]:
    """Yield the contrasts before whose sides there are as many words in most items, not in all."""

    def length(item: int, side: Side) -> int:
        return subject.length(subject.context(item, side))

    seen = set()
    for contrast in subject.contrasts:
        conditions = frozenset(side.condition for side in contrast.sides)
        for items in _exceptions(subject, contrast, length):
            # Later regions of the same conditions say the same again.
            if (conditions, *items) not in seen:
                seen.add((conditions, *items))
                lengths = _lengths(subject, length, items[0], contrast)
                words = ("lengths differ before", lengths)
                yield _remark(subject, "unequal-context", contrast, items, words)


def _lengths(
    subject: Subject, length: Callable[[int, Side], int], item: int, contrast: Contrast
) -> str:
    more = counted(length(item, contrast.more), subject.unit)
    return f"{length(item, contrast.less)} and {more}"


def _exceptions(subject: Subject, contrast: Contrast, measure: _Measure) -> list[list[int]]:
    """Return the items in which a contrast's sides are not alike, as one list, if they are in most.

    There is no list where they are alike in all items.
    """
    items = range(len(subject.items))
    unlike = [
        item for item in items if measure(item, contrast.less) != measure(item, contrast.more)
    ]
    return [unlike] if unlike and len(unlike) <= (1 - MOST) * len(items) else []


def _remark(
    subject: Subject, rule: str, contrast: Contrast, items: list[int], words: tuple[str, str]
) -> Remark:
    """Return the remark; `words` are what is said before the contrast, and an example."""
    what, example = words
    numbers = subject.numbers(items)
    where = in_items(numbers, len(subject.items))
    first = "" if len(items) == 1 else f" in item {numbers[0]}"
    is_empty = rule != "unequal-context" and _has_empty_region(subject, contrast, items)
    return Remark(
        rule=rule,
        path=subject.items[items[0]][contrast.less.condition].path,
        message=f"{what} {contrast} {where}: {example}{first}",
        hint="they do not in the other items",
        item_numbers=numbers,
        predictions=subject.predictions_with(contrast),
        cause="empty" if is_empty else None,
    )


def _has_empty_region(subject: Subject, contrast: Contrast, items: list[int]) -> bool:
    """Say whether each of the items has a region of the contrast that should not be empty."""
    empty = reported_empty(subject)
    own = {
        RegionValue(region=region, condition=side.condition)
        for side in contrast.sides
        for region in side.regions or ()
    }
    return all(any(item in empty.get(each, ()) for each in own) for item in items)


def unused_condition(subject: Subject) -> Iterator[Remark]:
    """Yield the conditions that no prediction names; nothing where there are no predictions."""
    named = {each.condition for formula in subject.formulas for each in formula.references}
    for position, name in enumerate(subject.suite.condition_names):
        if subject.formulas and name not in named:
            yield Remark(
                rule="unused-condition",
                path=("items", 0, "conditions", position),
                message=f"no prediction names the condition {name!r}",
                hint="it is scored only where all regions are asked for",
            )


def unused_region(subject: Subject) -> Iterator[Remark]:
    """Yield the regions that are empty, or missing, in every sentence."""
    filled = {
        region
        for item in subject.items
        for laid in item.values()
        for region in laid.spans
        if laid.text(region)
    }
    for number in subject.suite.region_numbers:
        if number not in filled:
            yield Remark(
                rule="unused-region",
                path=("region_meta", str(number)),
                message=f"region {number} is empty in every sentence",
                hint="remove it",
            )
