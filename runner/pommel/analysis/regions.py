"""One row a model, suite, item, condition and region: what mixed models of surprisals read."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pommel.analysis.cells import Column
from pommel.analysis.items import OF_ITEM, OF_RUN, facts_of_run, older_notes
from pommel.analysis.models_compared import ModelsCompared, suite_labels
from pommel.scoring import Run, RunRecord
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd

# Designs of more factors are rare, and their conditions are the levels of one.
_FACTORS = ("factor_1", "factor_2", "factor_3")
# Those of the design and the sentence, and others as `pommel run -o` has them.
OF_REGION = (
    Column(
        "condition_name",
        help=(
            "the condition, and the factors of the design: the parts of the conditions' names that "
            "vary (`match_sing` is `match` and `sing`). Where names have different numbers of "
            "parts, or more than three vary, the whole name is `factor_1`"
        ),
    ),
    *map(Column, _FACTORS),
    Column("region_number", help="the region"),
    Column("region_name"),
    Column("position", help="its place in the sentence, from 1"),
    Column("critical", help="1 if a prediction of the score rule names it, otherwise 0"),
    Column("content", help="its text, and how long that is; words are what blanks separate"),
    *map(Column, ("n_characters", "n_words")),
    Column("sum_bits", help="its surprisal, and that of a token on average"),
    Column("mean_bits"),
    Column("n_tokens", help="its tokens, as in [`--table regions`](results.md)"),
    *map(Column, ("n_unscored", "n_oovs", "oovs")),
    Column(
        "lexemes",
        help=(
            "what the suite says of where the item is from (`source`), as JSON: in the suites that "
            "ship with pommel, but English ones and `de_argument_structure`, the words that fill "
            'it, `{"V.word": "спать"}`'
        ),
    ),
)
REGION_COLUMNS = tuple(each.name for each in (*OF_RUN, *OF_ITEM, *OF_REGION))


@frozen(eq=False)
class RegionRows:
    """The complete runs whose regions are asked for, each under the name of its model.

    `notes` are what is not among them, in plain words.
    """

    records: tuple[RunRecord, ...]
    facts: Mapping[str, Mapping[str, object]]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, records: Sequence[RunRecord]) -> "RegionRows":
        """Choose the runs: of a suite in several versions the one that was made last."""
        found = ModelsCompared.of(records)
        names = suite_labels(found.counted)
        runs = [(each, record) for each in found.models for record in each.records]
        return cls(
            records=tuple(record for _, record in runs),
            facts={record.run_id: facts_of_run(each, record, names) for each, record in runs},
            notes=tuple(older_notes(found)),
        )

    def frames(self, runs: Iterable[Run]) -> Iterator["pd.DataFrame"]:
        """Yield the rows of each of the runs, those of `records` with their tokens, in order.

        `sum_bits` and `mean_bits` are NaN where the model was not asked for a token of the region,
        where no token of it has a surprisal, and where a token of the region before swallowed it.
        `factor_1` to `factor_3` are what the parts of the conditions' names vary in, `critical` is
        1 for a region that a prediction of the score rule names. `n_words` counts what blanks
        separate, `position` regions of the sentence, from 1. `lexemes` is what the suite says of an
        item's `source`, as JSON.
        """
        for record, run in zip(self.records, runs, strict=True):
            yield _rows(run, self.facts[record.run_id])


def _rows(run: Run, facts: Mapping[str, object]) -> "pd.DataFrame":
    import pandas as pd

    suite = run.surprisals.suite
    # All suites have the same columns, whatever metrics they ask for.
    plain = replace(suite, metrics=("sum", "mean"), predictions=())
    frame = replace(run.surprisals, suite=plain).to_frame("regions")
    factors = _factors(suite.condition_names)
    counted = tuple(suite.predictions[each.prediction_id] for each in run.result.counted)
    named = replace(suite, predictions=counted).compared_cells
    rows = []
    for item in suite.items:
        source = item.as_written.get("source")
        lexemes = json.dumps(source, ensure_ascii=False) if source else ""
        for name in suite.condition_names:
            for position, region in enumerate(item.condition(name).regions, start=1):
                rows.append(
                    {
                        "item": f"{facts['suite']}:{item.number}",
                        **dict(zip(_FACTORS, factors[name], strict=True)),
                        "position": position,
                        "critical": int((name, region.number) in named),
                        "n_characters": len(region.text),
                        "n_words": len(region.text.split()),
                        "lexemes": lexemes,
                    }
                )
    of_run = pd.DataFrame([dict(facts)]).loc[[0] * len(rows)].reset_index(drop=True)
    own = frame.drop(columns=["suite", "model_name"])
    joined = pd.concat([of_run, own, pd.DataFrame(rows)], axis=1)
    return joined[list(REGION_COLUMNS)].astype({"n_parameters": "Int64"})


def _factors(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the levels of each condition: parts of its name, where all have as many."""
    parts = [re.split(r"[_\-. ]+", name) for name in names]
    columns = list(zip(*parts, strict=False))
    varying = [column for column in columns if len(set(column)) > 1]
    levels = list(zip(*varying, strict=True))
    is_crossed = len({*map(len, parts)}) == 1 and len(varying) <= len(_FACTORS)
    if not is_crossed or len({*levels}) < len(names):
        levels = [(name,) for name in names]
    empty = ("",) * len(_FACTORS)
    return {name: (*own, *empty)[: len(_FACTORS)] for name, own in zip(names, levels, strict=True)}
