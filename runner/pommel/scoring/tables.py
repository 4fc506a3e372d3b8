"""Tidy tables of what was measured, one row an observation, for pandas, CSV, JSON and everything.

Every table has one shape, whatever it is written to; the columns are listed in docs/results.md.
"""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pommel.files.tables import frame_of, frame_of_rows
from pommel.scoring.family_scores import family_scores
from pommel.scoring.regions import Assigner, RegionTable
from pommel.scoring.results import SUITE_COLUMNS, SuiteResult
from pommel.suite.suite import Metric, Sentence, Suite
from pommel.surprisal import ScoredSentence

if TYPE_CHECKING:
    import pandas as pd

Table = Literal["suites", "predictions", "regions", "tokens"]
TABLES: tuple[Table, ...] = ("suites", "predictions", "regions", "tokens")
# What a single run has no table of.
ResultsTable = Literal[Table, "families"]
RESULTS_TABLES: tuple[ResultsTable, ...] = (*TABLES, "families")


def suites_frame(results: Sequence[SuiteResult]) -> "pd.DataFrame":
    """One row a suite and model (and prediction, under the score rule "each").

    `low` and `high` are Wilson's 95% interval of `score`; a suite without predictions has no score.
    """
    return frame_of_rows([row for result in results for row in result.score_rows()], SUITE_COLUMNS)


def families_frame(results: Iterable[SuiteResult]) -> "pd.DataFrame":
    """One row a family and suite (and prediction), circuit, and one for all suites.

    Families whose members are steps of a training have no rows: their mean would say nothing. What
    the mean of models without a common axis ("member") says is for the reader to judge.
    """
    rows = [
        {
            "family": each.family,
            "axis": each.axis,
            "level": each.level,
            "circuit": each.circuit,
            "suite": each.suite,
            "score_rule": each.score_rule,
            "prediction_id": each.prediction_id,
            "n_members": each.scores.n,
            # 0 where nobody knows of how many items published shares are.
            "n_items": each.n_items or None,
            "mean": each.scores.mean,
            "sd": each.scores.sd,
            "sd_population": each.scores.sd_population,
            "min": each.scores.low,
            "max": each.scores.high,
        }
        for each in family_scores(results)
    ]
    return frame_of_rows(rows, _FAMILY_COLUMNS)


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
                columns["n_unscored"].append(int(table.n_unscored[cell]))
                columns["n_oovs"].append(len(table.oovs.get(cell, ())))
                columns["oovs"].append(_json_list(table.oovs.get(cell, ())))
                for metric in metrics:
                    bits[metric].append(float(table.values[metric][cell]))
    columns["suite"] = [suite.name] * len(columns["content"])
    columns["model_name"] = [model_name] * len(columns["content"])
    named = {f"{metric}_bits": values for metric, values in bits.items()}
    tail = {name: columns.pop(name) for name in ("n_tokens", "n_unscored", "n_oovs", "oovs")}
    return frame_of({**columns, **named, **tail})


def tokens_frame(
    suite: Suite,
    sentences: Sequence[Sequence[ScoredSentence]],
    *,
    model_name: str,
    assigner: Assigner = Sentence.regions_of,
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
    return frame_of(columns)


_FAMILY_COLUMNS = (
    "family",
    "axis",
    "level",
    "circuit",
    "suite",
    "score_rule",
    "prediction_id",
    "n_members",
    "n_items",
    "mean",
    "sd",
    "sd_population",
    "min",
    "max",
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
    "n_unscored",
    "n_oovs",
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


def _json_list(words: Sequence[str]) -> str:
    return json.dumps(list(words), ensure_ascii=False)
