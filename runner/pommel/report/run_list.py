"""Stored runs as a list, and one of them as a page."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pommel.analysis import (
    interval_cell,
    number_cell,
    plain_table,
)
from pommel.files import frame_of_rows
from pommel.models import Policy
from pommel.report.tables import kept_margins, prediction_cells
from pommel.scoring import PredictionResult, RunRecord, SuiteResult
from pommel.statistics import mean_score

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

_COLUMNS = (
    "run_id",
    "created",
    "source",
    "model_name",
    "reference",
    "suite",
    "circuit",
    "language",
    "score_rule",
    "policy",
    "n_items",
    "score",
    "low",
    "high",
    "status",
    "n_scored",
    "n_sentences",
)

# As long as a date with hours and minutes is.
_MINUTES = 16
_SECONDS = 19


class ListedRun(NamedTuple):
    """A run in the list.

    `progress` of one that is interrupted: how many distinct sentences are scored, and how many it
    has; None for results of others, which a damaged file may have lost a part of.
    """

    record: RunRecord
    progress: tuple[int, int] | None = None

    @property
    def is_complete(self) -> bool:
        """Whether it has come to its end, so that its score is known."""
        return self.record.status == "complete"

    @property
    def status(self) -> str:
        """What a reader is told of how far it is."""
        if self.is_complete:
            return "complete"
        if self.progress is None:
            return "incomplete"
        n_scored, n_sentences = self.progress
        return f"interrupted: {n_scored} of {n_sentences} sentences"

    def to_row(self) -> dict[str, object]:
        """Return the row of the tidy table; a run with several scores has no interval."""
        record, result = self.record, self.record.result
        interval = result.scores[0].interval if len(result.scores) == 1 else None
        n_scored, n_sentences = self.progress or (None, None)
        return {
            "run_id": record.run_id,
            "created": record.created,
            "source": record.source,
            "model_name": result.model_name,
            "reference": record.model.reference,
            "suite": result.suite_name,
            "circuit": result.circuit,
            "language": record.suite.language,
            "score_rule": result.score_rule,
            "policy": policy_words(record),
            "n_items": result.n_items if self.is_complete else None,
            "score": result.score,
            "low": interval.low if interval else math.nan,
            "high": interval.high if interval else math.nan,
            "status": record.status,
            "n_scored": n_scored,
            "n_sentences": n_sentences,
        }

    @staticmethod
    def table(runs: "Sequence[ListedRun]") -> "Table":
        """Return one row a run; how runs were scored is a column if not all were scored alike."""
        policies = [policy_words(each.record) for each in runs]
        has_policies = len(set(policies)) > 1
        names = ["run", "date (UTC)", "source", "model", "suite", "circuit", "rule"]
        names += ["policy"] if has_policies else []
        table = plain_table(names=names, numbers=["items", "score"])
        table.add_column("status")
        # An id that is folded cannot be copied.
        table.columns[0].no_wrap = True
        for each, policy in zip(runs, policies, strict=True):
            record, result = each.record, each.record.result
            table.add_row(
                record.run_id,
                record.created[:_MINUTES].replace("T", " "),
                record.source,
                result.model_name,
                result.suite_name,
                result.circuit,
                result.score_rule,
                *([policy] if has_policies else []),
                str(result.n_items) if each.is_complete and result.n_items else "",
                score_words(result) if each.is_complete else "",
                each.status,
            )
        return table

    @staticmethod
    def frame(runs: "Sequence[ListedRun]") -> "pd.DataFrame":
        """Return one row a run, as a tidy table; columns of counts hold missing values."""
        frame = frame_of_rows([each.to_row() for each in runs], _COLUMNS)
        counts = dict.fromkeys(("n_items", "n_scored", "n_sentences"), "Int64")
        return frame.astype(counts) if runs else frame

    def head_lines(self) -> list[str]:
        """Return what is known of a run beside its predictions, a line each, aligned."""
        record, result = self.record, self.record.result
        model, suite, member = record.model, record.suite, result.membership
        # Its fingerprint is that of the policy as it was meant; where the run comes from has that
        # of the policy as it was asked for.
        policy = {name: each for name, each in record.policy.items() if name != "fingerprint"}
        facts: dict[str, list[str]] = {
            "run": [record.run_id, self.status],
            "model": [
                result.model_name,
                model.reference if model.reference != result.model_name else "",
                model.kind,
                model.size_family,
                f"{model.n_parameters:,} parameters" if model.n_parameters else "",
            ],
            "family": [member.family, member.label] if member else [],
            "suite": [
                result.suite_name,
                result.circuit,
                suite.language,
                suite.group,
                f"version {suite.version}" if suite.version else "",
                f"{suite.modifier_of} with a modifier" if suite.modifier_of else "",
                f"{result.n_items} items" if self.is_complete and result.n_items else "",
            ],
            "policy": [_listed(policy)],
            "settings": [_listed(record.settings)],
            "score rule": [result.score_rule],
            "source": [record.source],
            "date": [f"{record.created[:_SECONDS].replace('T', ' ')} UTC"],
        }
        texts = {name: " · ".join(filter(None, parts)) for name, parts in facts.items()}
        return aligned({name: text for name, text in texts.items() if text})

    def score_lines(self) -> list[str]:
        """Return a line a score: the share, its interval, its counts."""
        lines = []
        for score in self.record.result.scores:
            label = f"score of prediction {score.label}" if score.label else "score"
            is_empty = math.isnan(score.share)
            shown = "no items" if is_empty else interval_cell(score.share, score.interval, 4)
            if score.is_counted and score.n_items:
                shown += f", {score.n_holding} of {score.n_items} items"
            lines.append(f"{label}: {shown}")
        return lines

    def provenance_lines(self) -> list[str]:
        """Return where a run comes from, a line a value, with the keys that lead to it."""
        return aligned(dict(_flat(self.record.result.provenance)))

    def count_table(self) -> "Table":
        """Return one row a prediction: in how many items it holds, its margins, other counts.

        Margins are those of the items that are not skipped and have a finite one.
        """
        counts = ("ties", "undefined", "swallowed", "unscored", "oov", "skipped")
        columns = ["prediction", "holds", "share", "mean margin (bits)", "least", "most", *counts]
        rows = (
            [
                *prediction_cells(each),
                *(number_cell(value, sign="+") for value in _margins(each)),
                *(str(getattr(each, f"n_{name}")) for name in counts),
            ]
            for each in self.record.result.predictions
        )
        return plain_table(names=columns[:1], numbers=columns[1:], rows=rows)


def score_words(result: SuiteResult) -> str:
    """Return a run's score with its interval, of several scores the mean."""
    if not result.scores:
        return "no predictions"
    if len(result.scores) > 1:
        return f"{mean_score(each.share for each in result.scores):.2f} (mean)"
    (score,) = result.scores
    if math.isnan(score.share):
        return "no items"
    return interval_cell(score.share, score.interval)


def policy_words(record: RunRecord) -> str:
    """Return how a run was scored: the method, and what is not as it is by default.

    The number format of the model is a part of it.
    """
    usual = {**Policy().to_dict(), "oov": "keep", "compat": "", "method": "auto"}
    usual |= {"punctuation": "apart", "dtype": "float32", "verdicts": ""}
    chosen = {**record.policy, **record.settings, **record.loaded_as}
    method = str(chosen.get("method") or "")
    others = [
        f"{name}={chosen[name]}"
        for name in usual
        if name != "method" and name in chosen and str(chosen[name]) != usual[name]
    ]
    # A model that has one method to name none of is asked with "auto".
    return " ".join([method, *others] if method not in {"", "auto"} else others)


def _margins(prediction: PredictionResult) -> tuple[float, float, float]:
    """Return the mean margin, the least and the most."""
    margins = kept_margins(prediction) or [math.nan]
    return mean_score(margins), min(margins), max(margins)


def aligned(facts: Mapping[str, str]) -> list[str]:
    """Return a line a fact, all of which begin at the same place."""
    width = max(map(len, facts), default=0)
    return [f"{name:{width}}  {text}" for name, text in facts.items()]


def _flat(value: object, keys: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value:
        for key, each in value.items():
            yield from _flat(each, (*keys, str(key)))
    elif isinstance(value, list | tuple):
        yield ".".join(keys), ", ".join(map(str, value)) or "-"
    else:
        yield ".".join(keys), "-" if value is None or value in ({}, "") else str(value)


def _listed(choices: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in choices.items() if value)
