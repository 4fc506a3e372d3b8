"""What regions are called under a plot: number, name, and what stands there in the first item."""

import textwrap
from collections.abc import Mapping

from pommel.report.plots.theme import single_line
from pommel.suite.suite import Suite

_LONGEST_LINE = 16
_MOST_LINES = 3
_MOST_CONTENTS = 2


def region_labels(suite: Suite) -> dict[int, str]:
    """Return the labels by region number, ascending; lines are parted by line breaks.

    Behind the name come what the first item has in the region, over its conditions: two different
    contents at most, dots for more.
    """
    return {
        number: "\n".join([*_name(suite.region_names, number), *_contents(suite, number)])
        for number in suite.region_numbers
    }


def compared_cells(suite: Suite) -> frozenset[tuple[str, int]]:
    """Return the (condition, region) pairs that predictions look at.

    A whole sentence (`*`) is none of them: to mark every region would tell nothing.
    """
    return frozenset(
        (reference.condition, reference.region)
        for prediction in suite.predictions
        for reference in prediction.formula.references
        if reference.region is not None
    )


def _name(names: Mapping[int, str], number: int) -> list[str]:
    # The blanks are where a long name may be broken.
    text = f"{number} {single_line(names[number]) if names.get(number) else ''}"
    return _lines(text.replace("_", " ").strip(), most=_MOST_LINES)


def _contents(suite: Suite, number: int) -> list[str]:
    item = suite.items[0]
    found = dict.fromkeys(
        region.text
        for name in suite.condition_names
        for region in item.condition(name).regions
        if region.number == number and region.text
    )
    shown = [*found][:_MOST_CONTENTS]
    lines = [line for text in shown for line in _lines(f'"{single_line(text)}"', most=2)]
    return [*lines, "…"] if len(found) > len(shown) else lines


def _lines(text: str, *, most: int) -> list[str]:
    """Return the text broken into so many lines at most; what is left out has an ellipsis."""
    return textwrap.wrap(text, _LONGEST_LINE, max_lines=most, placeholder=" …") or [text]
