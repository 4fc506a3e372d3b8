"""Tokens to regions by character span, the region metrics, and what predictions look at."""

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from pommel.errors import AlignmentError, SurprisalError
from pommel.models import Spans
from pommel.suite import METRICS, Region, Sentence, Suite
from pommel.surprisal import ScoredSentence, Token, Unscored
from pommel.values import frozen

Bits = NDArray[np.float64]
Counts = NDArray[np.int64]

# Where a value stands in the arrays: (item, condition, region), each counted from 0.
Cell = tuple[int, int, int]


@frozen
class CrossingToken:
    """A token that begins in one region and ends in a later one; it counts where it begins."""

    cell: Cell
    token: str


@frozen(eq=False)
class RegionTable:
    """The surprisal of every region of a suite.

    Axes: items as in the suite, conditions as in `suite.condition_names`, regions as in
    `suite.region_numbers`. `values[metric]` has the shape (n_items, n_conditions, n_regions), in
    bits; a region without a token has the sum 0 and no other metric (NaN). One of whose tokens none
    has a surprisal, one with a token that was not asked for, and one of a sentence at which the
    model has failed, have no metric at all.
    `whole[metric]` is the metric over all tokens of a condition, (n_items, n_conditions).
    `n_tokens` counts a region's tokens, `n_unscored` those among them that have no surprisal though
    they were asked for, and `n_not_comparable` those among these to which the method does not
    apply; of a sentence at which the model has failed, this is 1 in every region. `swallowed` marks
    regions that have content and in which no token begins: a token of an earlier region ends in
    them, or behind them. `oovs` holds the unknown words of the regions that have some. `n_tokens`
    and `n_unscored` are -1, and `swallowed` False, for the regions of which a
    file, from which a table was read, does not tell.
    """

    item_numbers: tuple[int, ...]
    condition_names: tuple[str, ...]
    region_numbers: tuple[int, ...]
    values: Mapping[str, Bits]
    whole: Mapping[str, Bits]
    n_tokens: Counts
    n_unscored: Counts
    n_not_comparable: Counts
    swallowed: NDArray[np.bool_]
    oovs: Mapping[Cell, tuple[str, ...]]
    crossings: tuple[CrossingToken, ...]

    def column(self, metric: str, region: int | None, condition: str) -> Bits:
        """Return the metric of one region for every item, (n_items,); of `*` where it is None.

        Raises `SurprisalError` for a metric that the table does not have.
        """
        source = self.values if region is not None else self.whole
        if metric not in source:
            span = "all tokens of a condition" if region is None else "the regions"
            message = f"the {metric} over {span} is not known"
            raise SurprisalError(f"{message}: compute the surprisals again with a model")
        own = source[metric][:, self.condition_names.index(condition)]
        return own if region is None else own[:, self.region_numbers.index(region)]

    def any_in(
        self, marks: Counts | NDArray[np.bool_], region: int | None, condition: str
    ) -> NDArray[np.bool_]:
        """Say for every item whether a region, or any of the sentence, is marked or counted."""
        own = marks[:, self.condition_names.index(condition)] > 0
        if region is None:
            return np.asarray(own.any(axis=-1))
        return own[:, self.region_numbers.index(region)]

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Whether the model has failed at a sentence, (n_items, n_conditions)."""
        return np.asarray(((self.n_not_comparable > 0) & (self.n_tokens == 0)).any(axis=-1))

    def without_swallowed(self) -> "RegionTable":
        """Return the table in which swallowed regions have no metric: not the sum 0 either."""
        if not self.swallowed.any():
            return self
        hidden = {
            metric: np.where(self.swallowed, np.nan, bits) for metric, bits in self.values.items()
        }
        return replace(self, values=hidden)

    def sentence_n_tokens(self, condition: str) -> Counts:
        """Return how many tokens a condition's sentence has in every item, (n_items,).

        It is -1 where the number of any of its regions is not known.
        """
        counts = self.n_tokens[:, self.condition_names.index(condition)]
        return np.where((counts < 0).any(axis=-1), -1, counts.sum(axis=-1))


def cells_of(suite: Suite) -> Iterator[tuple[Cell, Region]]:
    """Yield every region and its place in a table's arrays."""
    column = {number: index for index, number in enumerate(suite.region_numbers)}
    for i, item in enumerate(suite.items):
        for c, name in enumerate(suite.condition_names):
            for region in item.condition(name).regions:
                yield (i, c, column[region.number]), region


# One list of scored sentences an item, in the order of `suite.condition_names`.
ScoredItems = Sequence[Sequence[ScoredSentence]]
Layouts = Sequence[Sequence[Sentence]]

# Says which region (by its index) each token of a sentence belongs to, None for no region at all.
Assigner = Callable[[Sentence, Sequence[Token]], Sequence[int | None]]


@frozen(eq=False)
class _Layout:
    """Where the regions of a suite's sentences stand, one behind the other: (n_regions,).

    `texts` are those of their sentences, `flat_cells` their places in a flattened table of this
    `shape`. They end at `ends`; `written` are the places of those with content.
    """

    shape: tuple[int, ...]
    sentences: Sequence[Sentence]
    texts: Sequence[str]
    flat_cells: Counts
    ends: Counts
    written: Counts

    @classmethod
    def of(cls, suite: Suite) -> "_Layout":
        """Return the layout of a suite."""
        shape = len(suite.items), len(suite.condition_names), len(suite.region_numbers)
        sentences = [sentence for row in suite.sentences() for sentence in row]
        n_conditions, n_regions = shape[1:]
        flat_cells = np.array(
            [(i * n_conditions + c) * n_regions + r for (i, c, r), _ in cells_of(suite)]
        )
        spans = (span for each in sentences for span in each.spans)
        starts, ends = map(np.array, zip(*spans, strict=True))
        return cls(
            shape=shape,
            sentences=sentences,
            texts=[each.text for each in sentences for _ in each.spans],
            flat_cells=flat_cells,
            ends=ends,
            written=flat_cells[starts < ends],
        )

    def counts(self, cells: Sequence[int] | Counts) -> Counts:
        """Return how often each cell is among these of a flattened table."""
        n_cells = math.prod(self.shape)
        return np.bincount(np.asarray(cells, np.int64), minlength=n_cells).reshape(self.shape)


def region_table(
    suite: Suite,
    scored: ScoredItems,
    metrics: Collection[str] = METRICS,
    *,
    assigner: Assigner = Sentence.regions_of,
) -> RegionTable:
    """Assign every token to its region, and compute the metrics.

    `scored[i][c]` belongs to the sentence of item i in condition `suite.condition_names[c]`.
    """
    layout = suite.once(_Layout.of)
    # Flat lists over the tokens of all sentences, so that numpy does the adding up.
    tokens: list[Token] = []
    places: list[int] = []
    failed: list[int] = []
    n_before = 0
    answers = itertools.chain.from_iterable(scored)
    for sentence, answer in zip(layout.sentences, answers, strict=True):
        if answer.text != (text := sentence.text):
            raise AlignmentError(f"the tokens of {answer.text!r} are no tokens of {text!r}")
        if answer.failure:
            failed += range(n_before, n_before + len(sentence.spans))
        regions = assigner(sentence, answer.tokens)
        places += [n_before + region for region in regions if region is not None]
        tokens += itertools.compress(answer.tokens, [region is not None for region in regions])
        n_before += len(sentence.spans)
    at = np.array(places, np.int64)
    token_cells, region_ends = layout.flat_cells[at], layout.ends[at]
    # NumPy takes None for NaN.
    token_bits = np.array([token.surprisal_bits for token in tokens], np.float64)
    ends = np.array([token.end for token in tokens], np.int64)
    unscored_cells: Mapping[Unscored, list[int]] = {why: [] for why in get_args(Unscored)}
    oovs: dict[Cell, tuple[str, ...]] = {}
    crossings: list[CrossingToken] = []
    # Of all others nothing else is to be said.
    is_oov = np.array([token.oov for token in tokens], np.bool_)
    is_odd = np.isnan(token_bits) | (ends > region_ends) | is_oov
    odd = np.flatnonzero(is_odd)
    cells = np.stack(np.unravel_index(token_cells[odd], layout.shape)).T.tolist()
    for index, (i, c, r) in zip(odd.tolist(), cells, strict=True):
        token, cell, text = tokens[index], (i, c, r), layout.texts[places[index]]
        if token.surprisal_bits is None:
            unscored_cells[token.why_unscored].append(token_cells[index])
        if text[region_ends[index] : token.end].strip():
            crossings.append(CrossingToken(cell=cell, token=token.text))
        if token.oov:
            oovs[cell] = (*oovs.get(cell, ()), text[token.start : token.end].strip())
    n_tokens = layout.counts(token_cells)
    n_without = {why: layout.counts(own) for why, own in unscored_cells.items()}
    n_not_comparable = n_without["not comparable"]
    n_failed = layout.counts(layout.flat_cells[np.array(failed, np.int64)])
    known = n_without["not asked for"] + n_failed == 0
    # Regions may stand in a file in another order than that of their numbers.
    order = np.argsort(token_cells, kind="stable")
    order = order[~np.isnan(token_bits[order])]
    bits, bit_cells = token_bits[order], token_cells[order]
    return RegionTable(
        item_numbers=tuple(item.number for item in suite.items),
        condition_names=suite.condition_names,
        region_numbers=suite.region_numbers,
        values=_values(metrics, bits, bit_cells, known, n_tokens),
        whole=_values(
            metrics, bits, bit_cells // known.shape[-1], known.all(axis=-1), n_tokens.sum(axis=-1)
        ),
        n_tokens=n_tokens,
        n_unscored=n_not_comparable + n_without["no context"],
        n_not_comparable=n_not_comparable + n_failed,
        swallowed=(layout.counts(layout.written) > 0) & (n_tokens + n_failed == 0),
        oovs=oovs,
        crossings=tuple(crossings),
    )


def _values(
    metrics: Collection[str],
    bits: Bits,
    groups: Counts,
    known: NDArray[np.bool_],
    n_tokens: Counts,
) -> dict[str, Bits]:
    """Apply metrics to each group of `bits`.

    `groups` ascends, and indexes the flattened `known`, which says what can have a value, and
    `n_tokens`. Of tokens none of which has a surprisal the sum would be a 0 that no token has.
    """
    present, starts = np.unique(groups, return_index=True)
    values = {}
    for name in metrics:
        metric = METRICS[name]
        result = np.where(n_tokens.ravel() == 0, metric.of_nothing, np.nan)
        if len(present):
            result[present] = metric.of_groups(bits, starts)
        values[name] = np.where(known, result.reshape(known.shape), np.nan)
    return values


# Sentence -> the characters whose tokens are needed; None for all of them.
Needed = dict[str, Spans | None]


def needed_spans(suite: Suite) -> Needed:
    """Return, for every sentence of a suite, the spans of the regions that predictions name.

    The spans are those in which a token has to begin for `Sentence.regions_of` to give it to such a
    region. A sentence of several conditions has the regions of all of them; one of conditions that
    no prediction names, none.
    """
    named: dict[str, set[int | None]] = {name: set() for name in suite.condition_names}
    for condition, region in suite.compared_cells:
        named[condition].add(region)
    return all_needed(
        {sentence.text: _spans(sentence, item.condition(name).regions, named[name])}
        for item, row in zip(suite.items, suite.sentences(), strict=True)
        for name, sentence in zip(suite.condition_names, row, strict=True)
    )


def all_spans(suite: Suite) -> Needed:
    """Return, for every sentence of a suite, the spans of all but contexts, whatever is named."""
    sentences = (sentence for row in suite.sentences() for sentence in row)
    return all_needed({each.text: _spans(each, (), {None})} for each in sentences)


def all_needed(parts: Iterable[Needed]) -> Needed:
    """Return what all the parts need together."""
    needed: Needed = {}
    for part in parts:
        for text, spans in part.items():
            needed[text] = united(needed.get(text, ()), spans)
    return needed


def _spans(
    sentence: Sentence, regions: Sequence[Region], named: Collection[int | None]
) -> Spans | None:
    if None in named:
        return ((sentence.start, len(sentence.text) + 1),) if sentence.start else None
    ends = [end for _, end in sentence.spans]
    # The last region with content has all that follows, a mark at the sentence's end included.
    last = max((i for i, (start, end) in enumerate(sentence.spans) if start < end), default=0)
    ends[last:] = [len(sentence.text) + 1] * len(ends[last:])
    starts = [sentence.start, *ends[:-1]]
    return united(
        (),
        [
            (start, end)
            for region, start, end in zip(regions, starts, ends, strict=True)
            if region.number in named and start < end
        ],
    )


def united(one: Spans | None, other: Spans | None) -> Spans | None:
    """Return the characters in either, ascending, ranges that touch as one; None wins."""
    if one is None or other is None:
        return None
    ranges: list[tuple[int, int]] = []
    for start, end in sorted((*one, *other)):
        if ranges and start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
        else:
            ranges.append((start, end))
    return tuple(ranges)
