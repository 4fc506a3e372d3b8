"""Suite and region surprisals to results; pure."""

from collections import Counter, defaultdict

import numpy as np
from numpy.typing import NDArray

from pommel.scoring.choices import Choices
from pommel.scoring.regions import RegionTable
from pommel.scoring.results import PredictionResult, SuiteResult
from pommel.suite import Formula, Suite


def evaluate_predictions(
    suite: Suite,
    table: RegionTable,
    choices: Choices | None = None,
    *,
    skip_unequal: bool = False,
    model_name: str = "",
) -> SuiteResult:
    """Check every prediction of a suite in every item.

    Predictions read the metric that they name, or the first of the suite's. An item is skipped
    where the model has failed at a sentence that the formula names, or where a region that it names
    holds a token that is not comparable (a word of several tokens, or an unknown one, under
    focus-mask, Goldberg 2019); under `skip_unequal` also where the
    sentences of the conditions that it names have different numbers of tokens (candidates of
    unequal length, Zaczynska et al. 2020). By the choices also where the comparison rests on an
    unknown word (Goldberg 2019, Mueller et al. 2020), that is, one in a region that the formula
    names, or one before it that not all of the sentences that it compares have; and where a region
    that it names is swallowed by a token that begins before it (`pommel.scoring.choices.Choices`).
    There is no verdict on a skipped item: it does not hold, has no margin (NaN) and no tie. Raises
    `SurprisalError` for a table without the metric.
    """
    choices = choices or Choices()
    if choices.score_rule == "pairs":
        suite = suite.with_pairs()
    looked_at = looked_at_by(choices, table)
    return SuiteResult(
        suite_name=suite.name,
        circuit=suite.circuit,
        model_name=model_name,
        score_rule=choices.result_rule,
        item_numbers=table.item_numbers,
        predictions=tuple(
            _evaluate(suite, index, looked_at, choices, skip_unequal=skip_unequal)
            for index in range(len(suite.predictions))
        ),
    )


def looked_at_by(choices: Choices, table: RegionTable) -> RegionTable:
    """Return a table as predictions look at it: what a swallowed region has is a choice."""
    return table.without_swallowed() if choices.swallowed_regions == "undefined" else table


def _evaluate(
    suite: Suite, index: int, table: RegionTable, choices: Choices, *, skip_unequal: bool
) -> PredictionResult:
    prediction = suite.predictions[index]
    formula, metric = prediction.formula, suite.metric_of(prediction)
    n_items = len(table.item_numbers)
    verdict = formula.judge(
        lambda region, name: table.column(metric, region, name), n_items=n_items
    )
    unscored, swallowed, skipped = np.zeros((3, n_items), dtype=np.bool_)
    for reference in formula.references:
        place = reference.region, reference.condition
        unscored |= table.any_in(table.n_unscored, *place)
        skipped |= table.any_in(table.n_not_comparable, *place)
        if reference.region is not None:
            swallowed |= table.any_in(table.swallowed, *place)
    oov = _rests_on_oov(formula, table)
    if skip_unequal:
        skipped |= _unequal(formula, table)
    if choices.oov == "skip":
        skipped |= oov
    if choices.swallowed_regions == "skip":
        skipped |= swallowed
    return PredictionResult(
        prediction_id=index,
        formula=formula.text,
        description=prediction.description,
        holds=verdict.holds & ~skipped,
        margin_bits=np.where(skipped, np.nan, verdict.margin_bits),
        tie=verdict.tie & ~skipped,
        defined=verdict.defined,
        swallowed=swallowed,
        unscored=unscored,
        oov=oov,
        skipped=skipped,
    )


def _unequal(formula: Formula, table: RegionTable) -> NDArray[np.bool_]:
    """Say for every item whether the sentences that a formula names differ in length.

    A sentence whose length is not known differs from none.
    """
    names = {reference.condition for reference in formula.references}
    lengths = np.array([table.sentence_n_tokens(name) for name in names])
    largest = lengths.max(axis=0, initial=-1)
    return np.asarray(((lengths >= 0) & (lengths < largest)).any(axis=0))


def _rests_on_oov(formula: Formula, table: RegionTable) -> NDArray[np.bool_]:
    """Say for every item whether what the formula compares rests on an unknown word.

    It does where one stands in a region that the formula names, and where the sentences do not all
    have the same ones up to the last region that it names, so that they differ in more than it
    compares. What comes later is not looked at, as a model that reads from left to right does not.
    """
    # All of a sentence ends behind its last region.
    numbers = (*table.region_numbers, None)
    named = {
        (table.condition_names.index(each.condition), numbers.index(each.region))
        for each in formula.references
    }
    conditions = {condition for condition, _ in named}
    last = max((region for _, region in named), default=-1)
    rests = np.zeros(len(table.item_numbers), dtype=np.bool_)
    unknown: dict[int, dict[int, Counter[str]]] = defaultdict(
        lambda: {each: Counter() for each in conditions}
    )
    for (item, condition, region), words in table.oovs.items():
        if condition in conditions and region <= last:
            unknown[item][condition].update(words)
            rests[item] |= (condition, region) in named
    for item, by_condition in unknown.items():
        first, *others = by_condition.values()
        rests[item] |= any(each != first for each in others)
    return rests
