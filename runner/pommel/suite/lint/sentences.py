"""Rules about sentences: what is empty, there twice, does not match, or is never used."""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace

from pommel.errors import counted, quoted
from pommel.suite.formula.tree import RegionValue
from pommel.suite.lint.subject import MOST, Contrast, Remark, Side, Subject


def empty_region(subject: Subject) -> Iterator[Remark]:
    """Yield the regions that a prediction names though they are empty, in some items or in all.

    See `Subject.reported_empty`.
    """
    value = f"it has no {subject.metric}, and no comparison with it holds"
    value = "its sum is 0" if subject.metric == "sum" else value
    for reference, items in subject.reported_empty.items():
        predictions = subject.predictions_naming(reference)
        is_all = len(items) == len(subject.items)
        first = subject.items[items[0]][reference.condition]
        yield Remark(
            path=("predictions", predictions[0], "formula") if is_all else first.path,
            message=f"region {reference.region} of {reference.condition!r}, which prediction "
            f"{predictions[0]} names, is empty {subject.where(items)}: {value}",
            hint="write its content, or name another region",
            item_numbers=subject.numbers(items),
            predictions=predictions,
            cause="empty",
        )


def duplicate_item(subject: Subject) -> Iterator[Remark]:
    """Yield the items that have the same sentences in all conditions."""
    for items in _groups(_sentences(subject)):
        hint = "what is there twice counts twice; remove all but one"
        yield _duplicate(subject, items, "every condition", hint)


def duplicate_contrast(subject: Subject) -> Iterator[Remark]:
    """Yield the items that compare the same two sentences, though not all theirs are the same."""
    whole = _sentences(subject)
    for contrast in subject.contrasts:
        less, more = contrast.less.condition, contrast.more.condition
        keys = [(item[less].sentence.text, item[more].sentence.text) for item in subject.items]
        for items in _groups(keys):
            if len({whole[item] for item in items}) > 1:
                hint = "what is there twice counts twice"
                yield _duplicate(subject, items, f"{less!r} and {more!r}", hint)


def _sentences(subject: Subject) -> list[Hashable]:
    """Return what each item says in all of its conditions."""
    return [
        frozenset((name, laid.sentence.text) for name, laid in item.items())
        for item in subject.items
    ]


def _groups(keys: Sequence[Hashable]) -> Iterator[list[int]]:
    """Yield the indexes of keys that are there more than once."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for index, key in enumerate(keys):
        places[key].append(index)
    yield from (each for each in places.values() if len(each) > 1)


def _duplicate(subject: Subject, items: Sequence[int], where: str, hint: str) -> Remark:
    numbers = subject.numbers(items)
    *others, last = map(str, numbers)
    return Remark(
        path=("items", items[1]),
        message=f"items {', '.join(others)} and {last} have the same sentences in {where}",
        hint=hint,
        item_numbers=numbers,
    )


def no_contrast(subject: Subject) -> Iterator[Remark]:
    """Yield the contrasts whose sides are the same, with all that stands before them."""
    for contrast in subject.contrasts:
        items = [
            i
            for i in range(len(subject.items))
            if (less := _readings(subject, i, contrast.less))
            and less == _readings(subject, i, contrast.more)
        ]
        if items:
            yield Remark(
                path=subject.items[items[0]][contrast.more.condition].path,
                message=f"nothing differs in {contrast}, nor before, {subject.where(items)}",
                hint="every left-to-right model is as surprised by the one as by the other",
                item_numbers=subject.numbers(items),
                predictions=subject.predictions_with(contrast),
                cause="same",
            )


def _readings(subject: Subject, item: int, side: Side) -> list[Hashable]:
    laid = subject.items[item][side.condition]
    return [subject.reading(laid, *laid.spans[region]) for region in subject.regions(item, side)]


# Scripts need these, which have no width, to say where letters join.
_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"


def control_character(subject: Subject) -> Iterator[Remark]:
    """Yield the characters that steer a terminal, turn the direction of a text, or are not seen.

    Not so joiners, marks of direction, and the signs that some scripts put before a number.
    """
    places: dict[str, dict[int, tuple[str | int, ...]]] = defaultdict(dict)
    for i, item in enumerate(subject.suite.items):
        for c, condition in enumerate(item.conditions):
            for r, region in enumerate(condition.regions):
                # Every control character is unprintable, as is many a space that is none.
                for each in "" if region.text.isprintable() else filter(_is_control, region.text):
                    path = ("items", i, "conditions", c, "regions", r, "content")
                    places[each].setdefault(i, path)
    for character, paths in places.items():
        items = [*paths]
        name = unicodedata.name(character, "")
        shown = f"U+{ord(character):04X}{f' ({name})' if name else ''}"
        yield Remark(
            path=paths[items[0]],
            message=f"the character {shown} cannot be seen, and stands in the text "
            f"{subject.where(items)}",
            hint="remove it; a model reads it, too",
            item_numbers=subject.numbers(items),
        )


def _is_control(character: str) -> bool:
    match unicodedata.category(character):
        case "Cc" | "Zl" | "Zp":
            return True
        case "Cf":
            is_letter = unicodedata.bidirectional(character) in ("L", "R", "AL", "AN")
            return not is_letter and character not in _JOINERS
        case _:
            return False


def unequal_length(subject: Subject) -> Iterator[Remark]:
    """Yield the contrasts whose sides have as many words in most items, and not in others.

    A mean or a median does not grow with the number of words.
    """
    if subject.metric in ("mean", "median"):
        return

    def length(item: int, side: Side) -> int:
        return subject.length(subject.text(item, side))

    for contrast in subject.contrasts:
        # Where they are the same words in most items, `unequal-words` says more.
        items = _exceptions(subject, contrast, length)
        if items and not _exceptions(subject, contrast, subject.text):
            example = _lengths(subject, length, items[0], contrast)
            yield _unequal(subject, contrast, items, ("lengths differ in", example))


def unequal_words(subject: Subject) -> Iterator[Remark]:
    """Yield the contrasts whose sides are the same words in most items, and not in others."""
    for contrast in subject.contrasts:
        if items := _exceptions(subject, contrast, subject.text):
            less, more = (quoted(subject.text(items[0], side)) for side in contrast.pair)
            yield _unequal(subject, contrast, items, ("words differ in", f"{less} and {more}"))


def unequal_context(subject: Subject) -> Iterator[Remark]:
    """Yield the contrasts before whose sides there are as many words in most items, not in all."""

    def length(item: int, side: Side) -> int:
        return subject.length(subject.context(item, side))

    seen = set()
    for contrast in subject.contrasts:
        items = _exceptions(subject, contrast, length)
        # Later regions of the same conditions say the same again.
        place = (frozenset(side.condition for side in contrast.pair), *items)
        if items and place not in seen:
            seen.add(place)
            example = _lengths(subject, length, items[0], contrast)
            remark = _unequal(subject, contrast, items, ("lengths differ before", example))
            yield replace(remark, cause=None)


def _lengths(
    subject: Subject, length: Callable[[int, Side], int], item: int, contrast: Contrast
) -> str:
    more = counted(length(item, contrast.more), subject.unit)
    return f"{length(item, contrast.less)} and {more}"


def _exceptions(
    subject: Subject, contrast: Contrast, measure: Callable[[int, Side], Hashable]
) -> list[int]:
    """Return the items in which a contrast's sides are not alike, if they are in most."""
    items = range(len(subject.items))
    unlike = [
        item for item in items if measure(item, contrast.less) != measure(item, contrast.more)
    ]
    return unlike if len(unlike) <= (1 - MOST) * len(items) else []


def _unequal(
    subject: Subject, contrast: Contrast, items: list[int], words: tuple[str, str]
) -> Remark:
    """Return the remark; `words` are what is said before the contrast, and an example."""
    what, example = words
    numbers = subject.numbers(items)
    first = "" if len(items) == 1 else f" in item {numbers[0]}"
    # Each of the items may have a region of the contrast that should not be empty.
    empty = [
        subject.reported_empty.get(RegionValue(region=region, condition=side.condition), ())
        for side in contrast.pair
        for region in side.regions or ()
    ]
    return Remark(
        path=subject.items[items[0]][contrast.less.condition].path,
        message=f"{what} {contrast} {subject.where(items)}: {example}{first}",
        hint="they do not in the other items",
        item_numbers=numbers,
        predictions=subject.predictions_with(contrast),
        cause="empty" if set(items) <= set().union(*empty) else None,
    )


def unused_condition(subject: Subject) -> Iterator[Remark]:
    """Yield the conditions that no prediction names; nothing where there are no predictions."""
    named = {each.condition for each in subject.references}
    for position, name in enumerate(subject.suite.condition_names):
        if subject.formulas and name not in named:
            yield Remark(
                path=("items", 0, "conditions", position),
                message=f"no prediction names the condition {name!r}",
                hint="it is scored only where all regions are asked for",
            )


def unused_region(subject: Subject) -> Iterator[Remark]:
    """Yield the regions that are empty, or missing, in every sentence."""
    sentences = [laid for item in subject.items for laid in item.values()]
    for number in subject.suite.region_numbers:
        if not any(laid.text(number) for laid in sentences):
            yield Remark(
                path=("region_meta", str(number)),
                message=f"region {number} is empty in every sentence",
                hint="remove it",
            )
