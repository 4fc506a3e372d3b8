"""How well a model tells grammatical from ungrammatical sentences of a set: AUC by template."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pommel.analysis.over_templates import (
    USUAL_RESAMPLING,
    OverTemplates,
    Resampling,
    over_templates,
)
from pommel.analysis.sentence_scores import Scores, SetScores
from pommel.analysis.sentence_sets import SetSentence
from pommel.analysis.set_frame import set_frame
from pommel.sources.grammar.permutation.expansion import PLAUSIBLE
from pommel.statistics import auc

if TYPE_CHECKING:
    import pandas as pd

# All grammatical sentences against all ungrammatical ones.
ALL = "all"

AUC_COLUMNS = (
    "model_name",
    "suite",
    "circuit",
    "language",
    "comparison",
    "n_grammatical",
    "n_ungrammatical",
    "n_templates",
    "auc",
    "low",
    "high",
    "sd",
    "n_ties",
    "n_unscored",
    "n_skipped",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAuc:
    """How often a grammatical sentence of a template scores above an ungrammatical one.

    `comparison` is "all"; a violation, of which alone the ungrammatical sentences are; or
    "plausible", of which alone the grammatical ones are. `n_grammatical` and `n_ungrammatical` are
    the sentences of a template. `auc` is the mean over templates of P(g > u) + P(g = u) / 2.
    `n_ties` counts the pairs of equal scores in all templates, `n_skipped` the templates that are
    left out, and `n_unscored` is as in `SetScores`.
    """

    scores: SetScores
    comparison: str
    n_grammatical: int
    n_ungrammatical: int
    auc: OverTemplates
    n_ties: int


def set_aucs(each: SetScores, resampling: Resampling = USUAL_RESAMPLING) -> Iterator[SetAuc]:
    """Yield the AUCs of a model on a suite: of all sentences, and of the kinds that a design has.

    The AUC is computed within each template, and the mean over templates is unweighted, as for the
    50 templates of Rochereau, Sagot and Dupoux (2019).
    """
    good = [one for one in each.sentences if one.is_grammatical]
    bad = [one for one in each.sentences if not one.is_grammatical]
    yield _auc(each, ALL, good, bad, resampling)
    for kind in dict.fromkeys(one.kind for one in bad):
        if kind:
            yield _auc(each, kind, good, [one for one in bad if one.kind == kind], resampling)
    plausible = [one for one in good if one.kind == PLAUSIBLE]
    if plausible:
        yield _auc(each, PLAUSIBLE, plausible, bad, resampling)


def _auc(
    each: SetScores,
    comparison: str,
    good: Sequence[SetSentence],
    bad: Sequence[SetSentence],
    resampling: Resampling,
) -> SetAuc:
    better, worse = each.columns(good), each.columns(bad)
    return SetAuc(
        scores=each,
        comparison=comparison,
        n_grammatical=len(good),
        n_ungrammatical=len(bad),
        auc=over_templates(template_aucs(better, worse), resampling),
        n_ties=sum(_n_ties(*pair) for pair in zip(better, worse, strict=True)),
    )


def template_aucs(better: Scores, worse: Scores) -> list[float]:
    """Return the AUC of each template; both arrays have the shape (n_templates, n_sentences)."""
    return [auc(above, below) for above, below in zip(better, worse, strict=True)]


def _n_ties(better: Scores, worse: Scores) -> int:
    return int((better[:, np.newaxis] == worse).sum())


def auc_frame(rows: Iterable[SetAuc]) -> "pd.DataFrame":
    """Return AUCs as a tidy table, one row each."""
    return set_frame(rows, AUC_COLUMNS, estimate="auc", mean="auc")
