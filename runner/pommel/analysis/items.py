"""One row a model, suite, prediction and item: what mixed models read."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from pommel.analysis.cells import Column
from pommel.analysis.item_columns import Values, chances_of, prediction_chance
from pommel.analysis.models_compared import ComparedModel, ModelsCompared, suite_labels
from pommel.errors import counted, listed
from pommel.scoring import PredictionResult, RunRecord, SuiteKey
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd

    from pommel.analysis.regions import RegionRows

# What is the same in all rows of a run.
OF_RUN = (
    Column(
        "model",
        help=(
            "which model, and which member of which [family](results.md#families); `seed` is "
            "`axis_value` on that axis. Of a model that was run in several ways, each has a name "
            "of its own (`gpt2 (method=pll)`)"
        ),
    ),
    *map(Column, ("family", "axis", "member", "axis_value", "seed")),
    Column("n_parameters", help="how big it is, where known; models of one kind in several sizes"),
    *map(Column, ("log10_parameters", "size_family")),
    Column("source", help="where the run is from"),
    Column("run_id"),
    Column("suite", help="the suite"),
    *map(Column, ("circuit", "language", "group")),
    Column(
        "modifier",
        help="1 for a suite with intervening material, otherwise 0; the suite without",
    ),
    Column("base_suite"),
    Column("complexity", help="how complex the intervening material is, as the suite says"),
)
OF_ITEM = (
    Column("item_number", help="the item: `suite:number`, which no other suite has"),
    Column("item"),
)
COLUMNS = (
    *OF_RUN,
    Column(
        "prediction_id",
        help=(
            "the prediction, the share of items on which it holds by chance, and that on which "
            "all do that have to hold together"
        ),
    ),
    *map(Column, ("chance", "suite_chance")),
    *OF_ITEM,
    Column("holds", help="whether the prediction holds, 0 or 1"),
    Column("margin_bits", help="by how much"),
    Column(
        "tie",
        help=(
            "0 or 1: whether equal values are compared, every value is known, a region is named "
            "in which no token begins, a token without a surprisal is needed, and the comparison "
            "rests on an unknown word"
        ),
    ),
    *map(Column, ("defined", "swallowed", "unscored", "oov")),
)
ITEM_COLUMNS = tuple(each.name for each in COLUMNS)
# What is true or not of an item.
_FLAGS = ("holds", "tie", "defined", "swallowed", "unscored", "oov")
# A number that some row lacks would turn the column into floats: 110000 into 110000.0.
_WHOLE = ("n_parameters",)


@frozen(eq=False)
class ItemTable:
    """The rows, with the columns `ITEM_COLUMNS`, and what is not among them, in plain words."""

    rows: "pd.DataFrame"
    notes: tuple[str, ...]

    @classmethod
    def of(cls, records: Sequence[RunRecord]) -> "ItemTable":
        """Return one row a model, suite, prediction that the score rule looks at, and item.

        `model` is told apart from others of its name. `item` is the suite's name (with
        its language, where suites of several languages share a name) and the item's number, so that
        no two suites share an item. `modifier` is 1 for a suite with intervening material,
        `base_suite` the one without (itself, where it is that). `chance` is the share of items on
        which the prediction holds by chance, `suite_chance` that on which all do that have to hold
        together. `holds`, `tie`, `defined`, `swallowed`, `unscored` and `oov`
        are 0 or 1. Skipped items, and
        results without items, have no rows; the notes count them.
        """
        import pandas as pd

        found = ModelsCompared.of(records)
        names = suite_labels(found.counted)
        predictions = [
            (compared, record, prediction)
            for compared in found.models
            for record in compared.records
            for prediction in record.result.counted
        ]

        kept = [~prediction.skipped for _, _, prediction in predictions]

        def joined(columns: Iterable[ArrayLike]) -> Values:
            """Put the values of items that are not skipped behind one another."""
            own = (np.asarray(each)[is_kept] for each, is_kept in zip(columns, kept, strict=True))
            return np.concatenate([np.empty(0), *own])

        frame = pd.DataFrame([_facts(*each, names) for each in predictions])
        frame = frame.loc[np.repeat(frame.index, [int(each.sum()) for each in kept])]
        frame = frame.reset_index(drop=True)
        frame["item_number"] = joined(record.result.item_numbers for _, record, _ in predictions)
        for name in ("margin_bits", *_FLAGS):
            frame[name] = joined(getattr(prediction, name) for _, _, prediction in predictions)
        frame = frame.astype(dict.fromkeys(("item_number", *_FLAGS), np.int64))
        if predictions:
            frame["item"] = frame["suite"] + ":" + frame["item_number"].astype(str)
        frame = frame.reindex(columns=list(ITEM_COLUMNS))
        return cls(rows=frame.astype(dict.fromkeys(_WHOLE, "Int64")), notes=tuple(_notes(found)))

    @staticmethod
    def of_regions(records: Sequence[RunRecord]) -> "RegionRows":
        """Return what has a row a region instead."""
        from pommel.analysis.regions import RegionRows

        return RegionRows.of(records)

    def frame(self) -> "pd.DataFrame":
        """Return the rows."""
        return self.rows


def _suite_chance(record: RunRecord) -> float:
    """Return how often all predictions that count hold; under "each" none counts with others."""
    chances = chances_of(record.result, known=record.suite.chance)
    return math.nan if record.result.score_rule == "each" else chances[0]


def facts_of_run(
    compared: ComparedModel, record: RunRecord, names: Mapping[SuiteKey, str]
) -> dict[str, object]:
    """Return what is the same in all rows of a run, under the names of `OF_RUN`."""
    suite = names[record.suite_key]
    base = names.get((record.suite.language, record.suite.modifier_of), record.suite.modifier_of)
    member = compared.membership
    n_parameters = record.model.n_parameters
    value = member.value if member else None
    complexity = record.suite.complexity
    return {
        "model": compared.label,
        "family": member.family if member else "",
        "axis": member.axis if member else "",
        "member": member.label if member else "",
        "axis_value": math.nan if value is None else value,
        "seed": value if member and member.axis == "seed" and value is not None else math.nan,
        "n_parameters": n_parameters,
        "log10_parameters": math.log10(n_parameters) if n_parameters else math.nan,
        "size_family": record.model.size_family,
        "source": record.source,
        "run_id": record.run_id,
        "suite": suite,
        "circuit": record.result.circuit,
        "language": record.suite.language,
        "group": record.suite.group,
        "modifier": int(bool(record.suite.modifier_of)),
        "base_suite": base or suite,
        "complexity": math.nan if complexity is None else complexity,
    }


def _facts(
    compared: ComparedModel,
    record: RunRecord,
    prediction: PredictionResult,
    names: Mapping[SuiteKey, str],
) -> dict[str, object]:
    """Return what is the same in all rows of a prediction."""
    return {
        **facts_of_run(compared, record, names),
        "prediction_id": prediction.prediction_id,
        "chance": prediction_chance(record.result, prediction, known=record.suite.chance),
        "suite_chance": _suite_chance(record),
    }


def _notes(found: ModelsCompared) -> list[str]:
    own = found.counted
    without = [record for record in own if record.result.reported]
    n_skipped = sum(each.n_skipped for record in own for each in record.result.counted)
    notes = []
    if n_skipped:
        notes.append(f"{counted(n_skipped, 'row')} left out: the items are skipped")
    if without:
        names = [f"{each.result.model_name} on {each.result.suite_name}" for each in without]
        notes.append(
            f"{counted(len(without), 'result')} left out, known without items: {listed(names)}"
        )
    return [*notes, *older_notes(found)]


def older_notes(found: ModelsCompared) -> Iterator[str]:
    """Yield which runs are left out for newer ones, if there are any."""
    if older := found.superseded:
        suites = dict.fromkeys(record.result.suite_name for record in older)
        yield (
            f"{counted(len(older), 'run')} left out for newer runs on other versions of "
            f"{listed(list(suites))}"
        )
