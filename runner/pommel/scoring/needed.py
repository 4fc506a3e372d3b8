"""Which parts of its sentences a suite's predictions look at."""

from collections.abc import Collection, Sequence

from pommel.models.model import Spans
from pommel.models.spans import united
from pommel.scoring.regions import Layouts
from pommel.suite.suite import Sentence, Suite

# Sentence -> the characters whose tokens are needed; None for all of them.
Needed = dict[str, Spans | None]


def needed_spans(suite: Suite, layouts: Layouts) -> Needed:
    """Return, for every sentence of a suite, the spans of the regions that predictions name.

    `layouts` are the suite's sentences (`regions.sentence_layouts`). The spans are those in which
    a token has to begin for `Sentence.regions_of` to give it to such a region. A sentence of
    several conditions has the regions of all of them; one of conditions that no prediction names,
    none.
    """
    named: dict[str, set[int | None]] = {name: set() for name in suite.condition_names}
    for prediction in suite.predictions:
        for reference in prediction.formula.references:
            named[reference.condition].add(reference.region)
    needed: Needed = {}
    for item, row in zip(suite.items, layouts, strict=True):
        for name, sentence in zip(suite.condition_names, row, strict=True):
            numbers = [region.number for region in item.condition(name).regions]
            spans = _spans(sentence, numbers, named[name])
            needed[sentence.text] = united(needed.get(sentence.text, ()), spans)
    return needed


def every_span(layouts: Layouts) -> Needed:
    """Return that every sentence is needed as a whole."""
    return {sentence.text: None for row in layouts for sentence in row}


def all_needed(parts: Sequence[Needed]) -> Needed:
    """Return what all the parts need together."""
    needed: Needed = {}
    for part in parts:
        for text, spans in part.items():
            needed[text] = united(needed.get(text, ()), spans)
    return needed


def _spans(
    sentence: Sentence, numbers: Sequence[int], named: Collection[int | None]
) -> Spans | None:
    if None in named:
        return None
    ends = [end for _, end in sentence.spans]
    # The last region with content has all that follows, a mark at the sentence's end included.
    last = max((i for i, (start, end) in enumerate(sentence.spans) if start < end), default=0)
    ends[last:] = [len(sentence.text) + 1] * len(ends[last:])
    starts = [0, *ends[:-1]]
    return united(
        (),
        [
            (start, end)
            for number, start, end in zip(numbers, starts, ends, strict=True)
            if number in named and start < end
        ],
    )
