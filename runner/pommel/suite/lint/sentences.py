"""Rules about sentences: what is empty, there twice, does not match, or is never used."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace

from pommel.errors import counted, listed, quoted
from pommel.suite.formula.tree import RegionValue
from pommel.suite.lint.characters import as_read
from pommel.suite.lint.subject import (
    MOST,
    Contrast,
    Remark,
    Side,
    Subject,
    opposed,
    predictions_that,
)


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


def duplicate_prefix(subject: Subject) -> Iterator[Remark]:
    """Yield the predictions that ask a left-to-right model what they asked in an item before.

    What they name is the same, with all that stands before it; what follows is not. Of whole
    sentences it is what differs between them, with all before that. If what follows is the same,
    too, `duplicate-item` or `duplicate-contrast` says so.
    """
    found: dict[tuple[tuple[int, ...], bool], list[int]] = defaultdict(list)
    for index, formula in enumerate(subject.formulas):
        sides = tuple(dict.fromkeys(map(Side.of, formula.references)))
        pairs = tuple(each for each in subject.contrasts_of[index] if each.is_whole)
        seen: set[Hashable] = set()
        whole: set[Hashable] = set()
        again = []
        for item, laid in enumerate(subject.items):
            asked = (
                *(_asked(subject, item, pair) for pair in pairs),
                *(
                    tuple(_readings(subject, item, side))
                    for side in sides
                    if not any(side in pair.pair for pair in pairs)
                ),
            )
            sentences = tuple([laid[side.condition].sentence.text for side in sides])
            if asked in seen and any(asked) and sentences not in whole:
                again.append(item)
            seen.add(asked)
            whole.add(sentences)
        if again:
            found[tuple(again), bool(pairs)].append(index)
    for (items, is_whole), predictions in found.items():
        yield _asked_before(subject, items, predictions, is_whole=is_whole)


def _asked_before(
    subject: Subject, items: Sequence[int], predictions: Sequence[int], *, is_whole: bool
) -> Remark:
    how_much, what, vary = "nothing", "what is compared", "words before what is compared"
    if is_whole:
        how_much, what, vary = "hardly anything", "what differs in its sentences", "words before it"
    who = predictions_that(predictions, "ask")
    return Remark(
        path=("items", items[0]),
        message=f"{who} {how_much} new of a left-to-right model {subject.where(items)}: {what}, "
        "and all before it, is as in an item before",
        hint=f"what is there twice counts twice; let {vary} differ",
        item_numbers=subject.numbers(items),
    )


def _asked(subject: Subject, item: int, contrast: Contrast) -> Hashable:
    """Return what a left-to-right model goes by in whole sentences, until they differ no more."""
    if subject.is_told_later(item, contrast):
        return tuple(subject.items[item][each.condition].sentence.text for each in contrast.pair)
    return subject.difference(item, contrast)


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


def wrong_way(subject: Subject) -> Iterator[Remark]:
    """Yield the predictions that want what `meta.unacceptable` names to be less surprising."""
    bad = set(subject.suite.unacceptable)
    for index, formula in enumerate(subject.formulas):
        for less, more in opposed(formula):
            if less and more and bad.issuperset(less) and bad.isdisjoint(more):
                yield Remark(
                    path=("predictions", index, "formula"),
                    message=f"prediction {index} wants {listed(sorted(map(repr, less)))}, which "
                    "meta.unacceptable names, to be less surprising than "
                    f"{listed(sorted(map(repr, more)))}",
                    hint="turn the comparison round, or mend meta.unacceptable",
                    predictions=(index,),
                )
                break


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
        if items and not _exceptions(subject, contrast, _read(subject.text)):
            example = _lengths(subject, length, items[0], contrast)
            yield _unequal(subject, contrast, items, ("lengths differ in", example))


def unequal_words(subject: Subject) -> Iterator[Remark]:
    """Yield the contrasts whose sides are the same words in most items, and not in others."""
    for contrast in subject.contrasts:
        if items := _exceptions(subject, contrast, _read(subject.text)):
            example = _words(subject.text, items[0], contrast)
            yield _unequal(subject, contrast, items, ("words differ in", example))


def unequal_context(subject: Subject) -> Iterator[Remark]:
    """Yield the contrasts before whose sides there is the same in most items, and not in others.

    Where it differs by design, that is as many words.
    """

    def length(item: int, side: Side) -> int:
        return subject.length(subject.context(item, side))

    seen = set()
    for contrast in subject.contrasts:
        if items := _exceptions(subject, contrast, _read(subject.context)):
            what, example = "words", _words(subject.context, items[0], contrast)
        elif items := _exceptions(subject, contrast, length):
            what, example = "lengths", _lengths(subject, length, items[0], contrast)
        # Later regions of the same conditions say the same again.
        place = (frozenset(side.condition for side in contrast.pair), *items)
        if items and place not in seen:
            seen.add(place)
            remark = _unequal(subject, contrast, items, (f"{what} differ before", example))
            yield replace(remark, cause="odd")


def no_minimal_pair(subject: Subject) -> Iterator[Remark]:
    """Yield the contrasts of regions that differ in most items, as does what stands before them.

    Of sides that are other regions nothing is said: what differs is their order.
    """
    text, context = _read(subject.text), _read(subject.context)
    for contrast in subject.contrasts:
        less, more = contrast.pair
        if less.regions is None or less.regions != more.regions:
            continue
        items = [
            item
            for item in range(len(subject.items))
            if text(item, less) != text(item, more) and context(item, less) != context(item, more)
        ]
        if len(items) >= MOST * len(subject.items):
            example = _words(subject.context, items[0], contrast)
            remark = _unequal(subject, contrast, items, ("words differ in and before", example))
            hint = "let one of them differ, or nobody knows which one a model goes by"
            yield replace(remark, hint=hint, cause=None)


def _read(text: Callable[[int, Side], str]) -> Callable[[int, Side], str]:
    """Return a measure that is a text as readers see it."""
    return lambda item, side: as_read(text(item, side))


def _words(text: Callable[[int, Side], str], item: int, contrast: Contrast) -> str:
    less, more = (quoted(text(item, side)) for side in contrast.pair)
    return f"{less} and {more}"


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
        cause="empty" if set(items) <= set().union(*empty) else "odd",
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
