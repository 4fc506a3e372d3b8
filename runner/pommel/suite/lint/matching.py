"""Rules: compared sentences that are alike in most items, and in a few are not."""

from collections.abc import Callable, Iterator

from pommel.errors import counted, quoted
from pommel.suite.formula.tree import RegionValue
from pommel.suite.lint.contrasts import Contrast
from pommel.suite.lint.regions import reported_empty
from pommel.suite.lint.remark import Remark, in_items
from pommel.suite.lint.subject import MOST, Subject

# Whether what a contrast compares is alike in an item.
_IsAlike = Callable[[int, Contrast], bool]


def unequal_length(subject: Subject) -> Iterator[Remark]:
    """Yield the contrasts whose sides have as many words in most items, and not in others.

    A mean or a median does not grow with the number of words.
    """
    if subject.suite.metrics[0] in ("mean", "median"):
        return
    for contrast in subject.contrasts:
        # Where they are the same words in most items, `unequal-words` says more.
        if not _exceptions(subject, contrast, _has_same_words(subject)):
            items = _exceptions(subject, contrast, _has_same_length(subject))
            for item in items[:1]:
                what = f"lengths differ in {contrast}"
                lengths = _counts(subject, *_texts(subject, item, contrast))
                yield _remark(
                    subject, "unequal-length", contrast, items, what=what, example=lengths
                )


def unequal_words(subject: Subject) -> Iterator[Remark]:
    """Yield the contrasts whose sides are the same words in most items, and not in others."""
    for contrast in subject.contrasts:
        items = _exceptions(subject, contrast, _has_same_words(subject))
        for item in items[:1]:
            less, more = map(quoted, _texts(subject, item, contrast))
            what = f"words differ in {contrast}"
            yield _remark(
                subject, "unequal-words", contrast, items, what=what, example=f"{less} and {more}"
            )


def unequal_context(subject: Subject) -> Iterator[Remark]:
    """Yield the contrasts before whose sides there are as many words in most items, not in all."""
    seen = set()
    for contrast in subject.contrasts:
        items = _exceptions(subject, contrast, _has_same_context_length(subject))
        conditions = frozenset(side.condition for side in contrast.sides)
        # Later regions of the same conditions say the same again.
        if not items or (conditions, *items) in seen:
            continue
        seen.add((conditions, *items))
        what = f"lengths differ before {contrast}"
        lengths = _counts(subject, *_contexts(subject, items[0], contrast))
        yield _remark(subject, "unequal-context", contrast, items, what=what, example=lengths)


def _has_same_words(subject: Subject) -> _IsAlike:
    def is_alike(item: int, contrast: Contrast) -> bool:
        less, more = _texts(subject, item, contrast)
        return less == more

    return is_alike


def _has_same_length(subject: Subject) -> _IsAlike:
    def is_alike(item: int, contrast: Contrast) -> bool:
        less, more = _texts(subject, item, contrast)
        return subject.length(less) == subject.length(more)

    return is_alike


def _has_same_context_length(subject: Subject) -> _IsAlike:
    def is_alike(item: int, contrast: Contrast) -> bool:
        less, more = _contexts(subject, item, contrast)
        return subject.length(less) == subject.length(more)

    return is_alike


def _texts(subject: Subject, item: int, contrast: Contrast) -> tuple[str, str]:
    return subject.text(item, contrast.less), subject.text(item, contrast.more)


def _contexts(subject: Subject, item: int, contrast: Contrast) -> tuple[str, str]:
    return subject.context(item, contrast.less), subject.context(item, contrast.more)


def _counts(subject: Subject, less: str, more: str) -> str:
    return f"{subject.length(less)} and {counted(subject.length(more), subject.unit)}"


def _exceptions(subject: Subject, contrast: Contrast, is_alike: _IsAlike) -> list[int]:
    """Return the items in which a contrast's sides are not alike, if they are in most."""
    items = range(len(subject.items))
    unlike = [item for item in items if not is_alike(item, contrast)]
    return unlike if len(unlike) <= (1 - MOST) * len(items) else []


def _remark(  # noqa: PLR0913 - each of these is a part of what is said
    subject: Subject, rule: str, contrast: Contrast, items: list[int], *, what: str, example: str
) -> Remark:
    numbers = subject.numbers(items)
    where = in_items(numbers, len(subject.items))
    first = "" if len(items) == 1 else f" in item {numbers[0]}"
    is_empty = rule != "unequal-context" and _has_empty_region(subject, contrast, items)
    return Remark(
        rule=rule,
        path=subject.items[items[0]][contrast.less.condition].path,
        message=f"{what} {where}: {example}{first}",
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
