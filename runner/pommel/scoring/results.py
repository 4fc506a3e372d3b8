"""What came out: predictions per item, scores per suite. Values only; computed elsewhere."""

import math
import shlex
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pommel.errors import FormulaError, UsageError, counted, listed
from pommel.files import frame_of, frame_of_rows
from pommel.models import Membership
from pommel.scoring.choices import Choices, ScoreRule
from pommel.statistics import Interval, mean_score
from pommel.suite import Formula, Suite
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd


@frozen
class Score:
    """A share of items. `label` is "", or the prediction's number where each has its own score.

    `n_items` counts the items that are not skipped. Of a share that was published by itself
    (`reported_share`) nobody may know how many items there were: both counts are 0 then.
    """

    label: str
    n_holding: int
    n_items: int
    reported_share: float | None = None

    @property
    def is_counted(self) -> bool:
        """Whether the counts are known; they are not for a share that was published by itself."""
        return self.reported_share is None or self.n_items > 0

    @property
    def share(self) -> float:
        """Between 0 and 1; NaN if all items are skipped."""
        if self.reported_share is not None:
            return self.reported_share
        return self.n_holding / self.n_items if self.n_items else math.nan

    @property
    def interval(self) -> Interval:
        """Wilson's 95% interval of the share; NaN where no items are known to count."""
        if not self.n_items:
            return Interval(low=math.nan, high=math.nan)
        return Interval.of_share(self.n_holding, self.n_items)


@frozen(eq=False)
class PredictionResult:
    """One prediction over all items; the arrays have the shape (n_items,), in the suite's order.

    `prediction_id` counts from 0. `holds`, `margin_bits`, `tie` and `defined` are as in
    `pommel.suite.formula.Verdict`; `swallowed` marks items in which a region that the formula names
    has content and no token begins in it, `unscored` those in which such a region holds a token
    without a surprisal, `oov` those in which the comparison rests on an unknown word
    (see `pommel.scoring.predictions`). `skipped` marks items on which there is no verdict, because
    the scoring method cannot compare them, or they rest on an unknown word or a swallowed region
    and such are to be skipped: there `holds` and `tie` are False, `margin_bits` is NaN, and nothing
    is counted.
    """

    prediction_id: int
    formula: str
    description: str
    holds: NDArray[np.bool_]
    margin_bits: NDArray[np.float64]
    tie: NDArray[np.bool_]
    defined: NDArray[np.bool_]
    swallowed: NDArray[np.bool_]
    unscored: NDArray[np.bool_]
    oov: NDArray[np.bool_]
    skipped: NDArray[np.bool_]

    @property
    def results(self) -> tuple[bool | None, ...]:
        """Whether the prediction holds, item by item; None where the item is skipped."""
        pairs = zip(self.holds.tolist(), self.skipped.tolist(), strict=True)
        return tuple(None if skipped else holds for holds, skipped in pairs)

    @property
    def n_items(self) -> int:
        """How many items count: all that are not skipped."""
        return len(self.holds) - self.n_skipped

    @property
    def n_skipped(self) -> int:
        """How many items are skipped."""
        return int(self.skipped.sum())

    @property
    def n_holding(self) -> int:
        """In how many items the prediction holds."""
        return self._count(self.holds)

    @property
    def n_ties(self) -> int:
        """In how many items a strict comparison met two equal values."""
        return self._count(self.tie)

    @property
    def n_undefined(self) -> int:
        """In how many items a value was missing; the prediction counts as not holding there."""
        return self._count(~self.defined)

    @property
    def n_swallowed(self) -> int:
        """In how many items that count a region that the formula names has no token of its own."""
        return self._count(self.swallowed)

    @property
    def n_unscored(self) -> int:
        """In how many items a token without a surprisal was left out of a region."""
        return self._count(self.unscored)

    @property
    def n_oov(self) -> int:
        """In how many items that count the comparison rests on an unknown word."""
        return self._count(self.oov)

    def _count(self, items: NDArray[np.bool_]) -> int:
        return int((items & ~self.skipped).sum())


@dataclass(slots=True, eq=False, repr=False)
class KeptPredictions(Sequence[PredictionResult]):
    """Predictions as a store keeps them: all are unpacked each time one is asked for.

    `asked` has the id, the formula and the description of each, and `scored` what they came to
    under `score_rule`. `items` are as `packed` returns them, None until they are read.
    """

    # The bits of a mark, from the lowest on.
    MARKS: ClassVar = ("tie", "undefined", "unscored", "oov", "skipped", "swallowed", "holds")

    asked: Sequence[tuple[int, str, str]]
    scored: tuple["Scored", ...]
    score_rule: ScoreRule
    items: bytes | None = None

    @classmethod
    def packed(cls, predictions: Sequence[PredictionResult]) -> bytes:
        """Return all margins (little-endian doubles), then a byte of marks for each."""
        margins = b"".join(each.margin_bits.astype("<f8").tobytes() for each in predictions)
        marks = [
            [~each.defined if name == "undefined" else getattr(each, name) for name in cls.MARKS]
            for each in predictions
        ]
        packed = np.packbits(np.array(marks, dtype=np.bool_), axis=1, bitorder="little")
        return margins + packed.tobytes()

    def unpacked(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the margins (n_predictions, n_items), and the marks (MARKS, predictions, items).

        They cannot be written. Raises `LookupError` before they are read.
        """
        if self.items is None:
            raise LookupError("the items of these predictions are not read")
        n, n_values = len(self), len(self.items) // 9
        margins = np.frombuffer(self.items, dtype="<f8", count=n_values)
        marks = np.frombuffer(self.items, dtype=np.uint8, offset=8 * n_values)
        bits = np.unpackbits(marks[np.newaxis], axis=0, count=len(self.MARKS), bitorder="little")
        # Of no predictions numpy would not know how many items there are.
        shape = n, n_values // max(1, n)
        return margins.reshape(shape), bits.view(np.bool_).reshape(len(self.MARKS), *shape)

    def __iter__(self) -> Iterator[PredictionResult]:
        margins, marks = self.unpacked()
        for (number, formula, description), own, each in zip(
            self.asked, margins, marks.swapaxes(0, 1), strict=True
        ):
            named = dict(zip(self.MARKS, each, strict=True))
            yield PredictionResult(
                prediction_id=number,
                formula=formula,
                description=description,
                margin_bits=own,
                defined=~named.pop("undefined"),
                **named,
            )

    def __len__(self) -> int:
        return len(self.asked)

    def __getitem__(self, index: int | slice) -> Any:
        return tuple(self)[index]


def _together(predictions: Sequence[PredictionResult]) -> PredictionResult:
    """Return predictions as one, which holds where all do, and is skipped where any is."""
    return replace(
        predictions[0],
        holds=~_any(~each.holds for each in predictions),
        margin_bits=np.full(predictions[0].holds.shape, math.nan),
        tie=_any(each.tie for each in predictions),
        defined=~_any(~each.defined for each in predictions),
        swallowed=_any(each.swallowed for each in predictions),
        unscored=_any(each.unscored for each in predictions),
        oov=_any(each.oov for each in predictions),
        skipped=_any(each.skipped for each in predictions),
    )


# What is counted of a prediction's items.
_COUNTS = ("n_ties", "n_undefined", "n_swallowed", "n_unscored", "n_oov", "n_skipped")

# A score, and how often each of these is counted; of a reported score nothing is.
Scored = tuple[Score, tuple[int, ...]]

_RULES = get_args(ScoreRule)

OwnTable = Literal["predictions", "suites"]

# Of several suites together: what the mean is of, whose it is, and the suites (language, name).
Mean = tuple[Hashable, Hashable, frozenset[tuple[str, str]]]

# More scores than these are not named below a table, nor more suites.
_MOST_LINES, _MOST_NAMED = 5, 3

SUITE_COLUMNS = (
    "model_name",
    "suite",
    "circuit",
    "score_rule",
    "prediction_id",
    "n_items",
    "n_holding",
    "score",
    "low",
    "high",
    *_COUNTS,
    "family",
    "axis",
    "member",
    "axis_value",
)


@frozen
class SuiteResult:
    """A suite's predictions, checked for one model under one scoring policy and score rule.

    `membership` says which member of which family the model is, None for a model of no family.
    `reported` is the score of a result of which nothing else was published: it has no predictions
    and no items then.
    `provenance` says how the numbers came about, as plain JSON values. `COUNTS` name what is
    counted beside a score (`scored`).
    """

    COUNTS: ClassVar[tuple[str, ...]] = _COUNTS

    suite_name: str
    circuit: str
    model_name: str
    score_rule: ScoreRule
    item_numbers: tuple[int, ...]
    predictions: Sequence[PredictionResult]
    membership: Membership | None = None
    reported: Score | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of_evaluated(cls, suite: Suite, choices: Choices) -> "SuiteResult":
        """Check the predictions of an evaluated suite against the surprisals that it carries.

        Raises `SurprisalError` if no metric is there for every region.
        """
        # Imported here: what evaluates has results, too.
        from pommel.scoring.evaluated_suite import table_from_suite
        from pommel.scoring.predictions import evaluate_predictions

        return evaluate_predictions(
            suite,
            table_from_suite(suite),
            choices,
            # Only where that holds does a file say how many tokens there are.
            skip_unequal=True,
            model_name=str(suite.meta.get("model") or ""),
        )

    def __post_init__(self) -> None:
        UsageError.check_choice("the score rule", self.score_rule, _RULES)

    @staticmethod
    def kept_predictions(
        asked: Sequence[tuple[int, str, str]],
        scored: tuple[Scored, ...],
        rule: ScoreRule,
        items: bytes | None = None,
    ) -> Sequence[PredictionResult]:
        """Return `KeptPredictions`, though there be none; without `items`, these are to be read."""
        return KeptPredictions(asked, scored, rule, items)

    @property
    def is_read(self) -> bool:
        """Whether the items are there, or there were none to be read."""
        return not isinstance(self.predictions, KeptPredictions) or (
            self.predictions.items is not None
        )

    def read_items(self, items: bytes) -> None:
        """Have the predictions that were kept be unpacked from `items`."""
        if isinstance(self.predictions, KeptPredictions):
            self.predictions.items = items

    def packed_items(self) -> bytes:
        """Return what the predictions came to item by item, as a store keeps it."""
        return KeptPredictions.packed(self.predictions) if self.predictions else b""

    def arrays(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return margins (n_predictions, n_items), and whether holds, is swallowed, is skipped.

        The marks have the shape (3, n_predictions, n_items). Raises as `KeptPredictions.unpacked`.
        """
        kept = self.predictions
        if not isinstance(kept, KeptPredictions):
            asked = [(each.prediction_id, each.formula, each.description) for each in kept]
            kept = KeptPredictions(asked, (), self.score_rule, self.packed_items())
        margins, marks = kept.unpacked()
        return margins, marks[[*map(kept.MARKS.index, ("holds", "swallowed", "skipped"))]]

    @property
    def n_items(self) -> int:
        """How many items the suite has."""
        return self.reported.n_items if self.reported else len(self.item_numbers)

    @property
    def counted(self) -> Sequence[PredictionResult]:
        """The predictions that the score rule looks at."""
        return self.predictions[:1] if self.score_rule == "first" else self.predictions

    @property
    def formulas(self) -> tuple[str, ...]:
        """Those of the predictions that the score rule looks at; no items are unpacked for them."""
        kept = self.predictions
        if isinstance(kept, KeptPredictions):
            every = [formula for _, formula, _ in kept.asked]
        else:
            every = [each.formula for each in kept]
        return tuple(every[:1] if self.score_rule == "first" else every)

    @property
    def n_counted(self) -> int:
        """How many items no prediction that the score rule looks at skips."""
        return _together(self.counted).n_items if self.counted else 0

    @property
    def n_oov(self) -> int:
        """In how many items a prediction that is not skipped rests on an unknown word."""
        return int(_any(each.oov & ~each.skipped for each in self.counted).sum())

    @property
    def n_swallowed(self) -> int:
        """In how many items a prediction that is not skipped names a swallowed region."""
        return int(_any(each.swallowed & ~each.skipped for each in self.counted).sum())

    @staticmethod
    def swallowed_lines(results: Sequence["SuiteResult"]) -> list[str]:
        """Say below a table of scores where regions are swallowed; nothing where none is."""
        found = [each for each in results if each.n_swallowed]
        lines = [
            f"{each.model_name} on {each.suite_name}: {each.n_swallowed} of "
            f"{counted(each.n_items, 'item')} with a region in which no token begins"
            for each in found[:_MOST_LINES]
        ]
        more = len(found) - len(lines)
        return [*lines, f"... and {counted(more, 'more score')} with such items"] if more else lines

    @staticmethod
    def uneven(means: Iterable[Mean]) -> dict[Hashable, int]:
        """Return what the means of several models are of that are not over the same suites.

        Each with the number of suites that any of them has. Models without a score do not count.
        """
        found: dict[Hashable, set[frozenset[tuple[str, str]]]] = {}
        for what, _, suites in means:
            if suites:
                found.setdefault(what, set()).add(suites)
        return {what: len(frozenset().union(*own)) for what, own in found.items() if len(own) > 1}

    @staticmethod
    def uneven_lines(means: Iterable[Mean]) -> list[str]:
        """Say below a table of means that they are over different suites; nothing if they are not.

        They say which suites all models have, too, or how many.
        """
        known = [*means]
        if not SuiteResult.uneven(known):
            return []
        by_model: dict[Hashable, frozenset[tuple[str, str]]] = {}
        for _, model, suites in known:
            if suites:
                by_model[model] = by_model.get(model, frozenset()) | suites
        names = sorted({name for _, name in frozenset.intersection(*by_model.values())})
        if not names:
            how = "No suite is one of all; pommel compare takes those that two models have"
        elif len(names) > _MOST_NAMED:
            how = f"All have {len(names)} of them ({listed(names)}); --suite chooses suites"
        else:
            options = " ".join(f"--suite {shlex.quote(name)}" for name in names)
            how = f"All have {listed(names)}: {options}"
        what = "k of n: over k of the n suites. Models do not have the same ones"
        return [f"{what}, and such numbers cannot be compared.", f"{how}."]

    @property
    def scores(self) -> tuple[Score, ...]:
        """The suite's scores under its score rule; none for a suite without predictions.

        "all": the share of items in which every prediction holds. "first": in which the first
        holds (Hu et al. 2020). "each": one score a prediction. An item that is skipped for one of
        a score's predictions does not count in it.
        """
        return tuple(score for score, _ in self.scored)

    @property
    def scored(self) -> tuple[Scored, ...]:
        """The scores, each with what is counted beside it; a store keeps them with a result."""
        if self.reported:
            return ((self.reported, ()),)
        kept = self.predictions
        if isinstance(kept, KeptPredictions) and kept.score_rule == self.score_rule:
            return kept.scored
        parts = [("", _together(self.counted))] if self.predictions else []
        if self.score_rule == "each":
            parts = [(str(each.prediction_id), each) for each in self.predictions]
        return tuple(
            (
                Score(label=label, n_holding=part.n_holding, n_items=part.n_items),
                tuple(getattr(part, name) for name in _COUNTS),
            )
            for label, part in parts
        )

    @property
    def score(self) -> float:
        """The SG score: the share, the mean of all under "each"; NaN where there is none."""
        return mean_score(score.share for score in self.scores)

    @property
    def chances(self) -> tuple[float, ...]:
        """The share of items that holds by chance, one a score, by the formulas; NaN without."""
        if self.reported or not self.predictions:
            return tuple(math.nan for _ in self.scores)
        if self.score_rule == "each":
            return tuple(self.chance_of((formula,)) for formula in self.formulas)
        return (self.chance_of(self.formulas),)

    @staticmethod
    @lru_cache(maxsize=4096)
    def chance_of(formulas: tuple[str, ...]) -> float:
        """Return the share of items in which all formulas hold by chance; NaN where not known."""
        if not any(formulas):
            return math.nan
        try:
            return Formula.share_by_chance([Formula.parse(formula) for formula in formulas])
        except FormulaError:
            # What others call a formula may be one of another program.
            return math.nan

    def to_frame(self, table: OwnTable = "predictions") -> "pd.DataFrame":
        """Return the predictions item by item, or the scores, as a tidy table.

        The `result` of a skipped item is missing. Raises `UsageError` for a name that is none of
        these.
        """
        UsageError.check_choice("the table", table, get_args(OwnTable))
        if table == "suites":
            return SuiteResult.scores_frame([self])
        n_items, every = len(self.item_numbers), tuple(self.predictions)
        n_rows = n_items * len(every)
        marks = ("margin_bits", "tie", "defined", "swallowed", "unscored", "oov", "skipped")
        return frame_of(
            {
                "suite": [self.suite_name] * n_rows,
                "model_name": [self.model_name] * n_rows,
                "prediction_id": [each.prediction_id for each in every for _ in range(n_items)],
                "item_number": [*self.item_numbers] * len(every),
                "result": [value for each in every for value in each.results],
                **{
                    name: [value for each in every for value in getattr(each, name).tolist()]
                    for name in marks
                },
            }
        )

    @staticmethod
    def scores_frame(results: Iterable["SuiteResult"]) -> "pd.DataFrame":
        """One row a suite and model (and prediction, under the score rule "each").

        `low` and `high` are Wilson's 95% interval of `score`; a suite without predictions has none.
        """
        rows = [row for result in results for row in result.score_rows()]
        return frame_of_rows(rows, SUITE_COLUMNS)

    @staticmethod
    def scores_html(results: Sequence["SuiteResult"]) -> str:
        """Return what a notebook shows of several results: suites x models with their scores."""
        from pommel.scoring.notebook import scores_html

        return scores_html(results)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the predictions and the score."""
        from pommel.scoring.notebook import predictions_html

        return predictions_html(self)

    def score_rows(self) -> list[dict[str, object]]:
        """Return the rows of the table of scores: one a score, or one that has none.

        `n_items` are the items that count for the score: `n_skipped` has the others of the suite.
        """
        member = self.membership
        shared = {
            "model_name": self.model_name,
            "suite": self.suite_name,
            "circuit": self.circuit,
            "score_rule": self.score_rule,
            "family": member.family if member else None,
            "axis": member.axis if member else None,
            "member": member.label if member else None,
            # A column of nothing but None would have another type than one of numbers.
            "axis_value": math.nan if member is None or member.value is None else member.value,
        }
        rows = [
            {**shared, **_share_row(score), **dict(zip(_COUNTS, counts, strict=False))}
            for score, counts in self.scored
        ]
        return rows or [{**shared, "prediction_id": "", "n_items": self.n_items}]


def _share_row(score: Score) -> dict[str, object]:
    interval = score.interval
    return {
        "prediction_id": score.label,
        # Of a share by itself nobody knows of how many.
        "n_items": score.n_items if score.is_counted else None,
        "n_holding": score.n_holding if score.is_counted else None,
        "score": score.share,
        "low": interval.low,
        "high": interval.high,
    }


def _any(masks: Iterable[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Say for every item whether any mask marks it; of no masks it is one False."""
    return np.asarray(np.logical_or.reduce([*masks]))
