"""Rules: items that are there twice, and compared sentences that do not differ."""

from collections.abc import Hashable, Iterator, Sequence

from pommel.suite.lint.contrasts import Contrast, Side
from pommel.suite.lint.remark import Remark, in_items
from pommel.suite.lint.subject import Subject


def duplicate_item(subject: Subject) -> Iterator[Remark]:
    """Yield the items that have the same sentences in all conditions."""
    keys = [
        frozenset((name, laid.sentence.text) for name, laid in item.items())
        for item in subject.items
    ]
    for items in _groups(keys):
        numbers = subject.numbers(items)
        yield Remark(
            rule="duplicate-item",
            path=("items", items[1]),
            message=f"{_items_text(numbers)} have the same sentences in every condition",
            hint="what is there twice counts twice; remove all but one",
            item_numbers=numbers,
        )


def duplicate_contrast(subject: Subject) -> Iterator[Remark]:
    """Yield the items that compare the same two sentences, though not all theirs are the same."""
    whole = [
        frozenset((name, laid.sentence.text) for name, laid in item.items())
        for item in subject.items
    ]
    for contrast in subject.contrasts:
        keys = [
            tuple(item[side.condition].sentence.text for side in (contrast.less, contrast.more))
            for item in subject.items
        ]
        for items in _groups(keys):
            if len({whole[item] for item in items}) > 1:
                numbers = subject.numbers(items)
                names = f"{contrast.less.condition!r} and {contrast.more.condition!r}"
                yield Remark(
                    rule="duplicate-contrast",
                    path=("items", items[1]),
                    message=f"{_items_text(numbers)} have the same sentences in {names}",
                    hint="what is there twice counts twice",
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


def _items_text(numbers: Sequence[int]) -> str:
    *others, last = map(str, numbers)
    return f"items {', '.join(others)} and {last}"
