"""Tidy tables of what was measured, one row an observation, for pandas, CSV, JSON and everything.

Every table has one shape, whatever it is written to; the columns are listed in docs/results.md.
"""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pommel.regions import Assigner, RegionTable, assign
from pommel.results import SuiteResult
from pommel.statistics import share_interval
from pommel.suite import Metric, Suite
from pommel.surprisal import ScoredSentence

if TYPE_CHECKING:
    import pandas as pd

Table = Literal["suites", "predictions", "regions", "tokens"]
TABLES: tuple[Table, ...] = ("suites", "predictions", "regions", "tokens")


def suites_frame(results: Sequence[SuiteResult]) -> "pd.DataFrame":
    """One row a suite and model (and prediction, under the score rule "each").

    `low` and `high` are Wilson's 95% interval of `score`; a suite without predictions has no score.
    """
    rows = [row for result in results for row in _suite_rows(result)]
    return _frame(rows, _SUITE_COLUMNS)


def predictions_frame(result: SuiteResult) -> "pd.DataFrame":
    """One row a prediction and item."""
    columns: dict[str, list[Any]] = {name: [] for name in _PREDICTION_COLUMNS}
    for prediction in result.predictions:
        n = prediction.n_items
        columns["suite"] += [result.suite_name] * n
        columns["model_name"] += [result.model_name] * n
        columns["prediction_id"] += [prediction.prediction_id] * n
        columns["item_number"] += result.item_numbers
        columns["result"] += prediction.holds.tolist()
        columns["margin_bits"] += prediction.margin_bits.tolist()
        columns["tie"] += prediction.tie.tolist()
        columns["defined"] += prediction.defined.tolist()
        columns["unscored"] += prediction.unscored.tolist()
    return _from_columns(columns)


def regions_frame(
    suite: Suite, table: RegionTable, *, model_name: str, metrics: Sequence[Metric]
) -> "pd.DataFrame":
    """One row a region of a sentence; `oovs` is a JSON list, since a word may hold any mark."""
    columns: dict[str, list[Any]] = {name: [] for name in _REGION_COLUMNS}
    bits: dict[str, list[float]] = {metric: [] for metric in metrics}
    place = {number: index for index, number in enumerate(table.region_numbers)}
    for i, item in enumerate(suite.items):
        for c, name in enumerate(table.condition_names):
            for region in item.condition(name).regions:
                cell = (i, c, place[region.number])
                columns["item_number"].append(item.number)
                columns["condition_name"].append(name)
                columns["region_number"].append(region.number)
                columns["region_name"].append(suite.region_names.get(region.number, ""))
                columns["content"].append(region.content)
                columns["n_tokens"].append(int(table.n_tokens[cell]))
                columns["oovs"].append(_json_list(table.oovs.get(cell, ())))
                for metric in metrics:
                    bits[metric].append(float(table.values[metric][cell]))
    columns["suite"] = [suite.name] * len(columns["content"])
    columns["model_name"] = [model_name] * len(columns["content"])
    named = {f"{metric}_bits": values for metric, values in bits.items()}
    tail = {name: columns.pop(name) for name in ("n_tokens", "oovs")}
    return _from_columns({**columns, **named, **tail})


def tokens_frame(
    suite: Suite,
    sentences: Sequence[Sequence[ScoredSentence]],
    *,
    model_name: str,
    assigner: Assigner = assign,
) -> "pd.DataFrame":
    """One row a token; `surprisal_bits` is missing where the model gave none."""
    columns: dict[str, list[Any]] = {name: [] for name in _TOKEN_COLUMNS}
    for item, row in zip(suite.items, sentences, strict=True):
        for name, scored in zip(suite.condition_names, row, strict=True):
            condition = item.condition(name)
            regions = assigner(condition.sentence(suite.joiner), scored.tokens)
            for index, (token, region) in enumerate(zip(scored.tokens, regions, strict=True)):
                columns["item_number"].append(item.number)
                columns["condition_name"].append(name)
                columns["token_index"].append(index)
                columns["token"].append(token.text)
                columns["start"].append(token.start)
                columns["end"].append(token.end)
                number = None if region is None else condition.regions[region].number
                columns["region_number"].append(number)
                columns["surprisal_bits"].append(token.surprisal_bits)
                columns["oov"].append(token.oov)
                columns["role"].append(token.role)
    columns["suite"] = [suite.name] * len(columns["token"])
    columns["model_name"] = [model_name] * len(columns["token"])
    return _from_columns(columns)


_SUITE_COLUMNS = (
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
    "n_ties",
    "n_undefined",
    "n_unscored",
)
_PREDICTION_COLUMNS = (
    "suite",
    "model_name",
    "prediction_id",
    "item_number",
    "result",
    "margin_bits",
    "tie",
    "defined",
    "unscored",
)
_REGION_COLUMNS = (
    "suite",
    "model_name",
    "item_number",
    "condition_name",
    "region_number",
    "region_name",
    "content",
    "n_tokens",
    "oovs",
)
_TOKEN_COLUMNS = (
    "suite",
    "model_name",
    "item_number",
    "condition_name",
    "token_index",
    "token",
    "start",
    "end",
    "region_number",
    "surprisal_bits",
    "oov",
    "role",
)


def _suite_rows(result: SuiteResult) -> list[dict[str, Any]]:
    shared = {
        "model_name": result.model_name,
        "suite": result.suite_name,
        "circuit": result.circuit,
        "score_rule": result.score_rule,
        "n_items": result.n_items,
    }
    if not result.predictions:
        nothing = dict.fromkeys(_SUITE_COLUMNS)
        return [{**nothing, **shared, "prediction_id": ""}]
    rows = []
    for score in result.scores:
        interval = share_interval(score.n_holding, score.n_items)
        counted = [each for each in result.counted if score.label in ("", str(each.prediction_id))]
        rows.append(
            {
                **shared,
                "prediction_id": score.label,
                "n_holding": score.n_holding,
                "score": score.share,
                "low": interval.low,
                "high": interval.high,
                "n_ties": int(np.logical_or.reduce([each.tie for each in counted]).sum()),
                "n_undefined": int(np.logical_or.reduce([~each.defined for each in counted]).sum()),
                "n_unscored": int(np.logical_or.reduce([each.unscored for each in counted]).sum()),
            }
        )
    return rows


def _json_list(words: Sequence[str]) -> str:
    return json.dumps(list(words), ensure_ascii=False)


def _frame(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415 - `import pommel` stays fast without it

    return _with_whole_numbers(pd.DataFrame(rows, columns=list(columns)))


def _from_columns(columns: dict[str, list[Any]]) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415 - `import pommel` stays fast without it

    return _with_whole_numbers(pd.DataFrame(columns))


# A count that some row lacks would turn the whole column into floats: 24 into 24.0.
_WHOLE = ("n_holding", "n_ties", "n_undefined", "n_unscored", "region_number")


def _with_whole_numbers(frame: "pd.DataFrame") -> "pd.DataFrame":
    return frame.astype({name: "Int64" for name in _WHOLE if name in frame.columns})
