"""Which orders of the arguments, and which cases of which nouns, a model prefers.

Of the grammatical sentences of a permutation design only: what is preferred there is no error.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from pommel.analysis.over_templates import (
    USUAL_RESAMPLING,
    OverTemplates,
    Resampling,
    over_templates,
)
from pommel.analysis.sentence_scores import SetScores
from pommel.analysis.sentence_sets import SetSentence
from pommel.analysis.set_auc import template_aucs
from pommel.analysis.set_frame import set_frame
from pommel.sources.grammar.permutation.expansion import PLAUSIBLE

if TYPE_CHECKING:
    import pandas as pd

_SHARED = ("model_name", "suite", "circuit", "language")
_ESTIMATE = ("n_templates", "low", "high", "sd", "n_unscored", "n_skipped")
ORDER_COLUMNS = (*_SHARED, "order", "n_sentences", "mean_score", *_ESTIMATE)
PAIR_COLUMNS = (*_SHARED, "order", "other_order", "n_pairs", "share_preferred", *_ESTIMATE)
FEATURE_COLUMNS = (
    *_SHARED,
    "noun",
    "plausible_case",
    "case",
    "n_with",
    "n_without",
    "auc",
    *_ESTIMATE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderScore:
    """The mean score of the sentences with one order of cases ("nom acc dat"), in bits.

    Bits a token where scores are normalised. `n_sentences` are those of a template.
    """

    scores: SetScores
    order: str
    n_sentences: int
    score: OverTemplates


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPreference:
    """How often a sentence in one order scores above the same with its arguments in another.

    The two have the same case for each noun; equal scores count half. `n_pairs` are those of a
    template.
    """

    scores: SetScores
    order: str
    other_order: str
    n_pairs: int
    share: OverTemplates


@dataclass(frozen=True, slots=True, kw_only=True)
class FeaturePreference:
    """How often a sentence in which a noun has a case scores above one in which it has another.

    `noun` counts from 1; `plausible_case` is the case that it has in the plausible sentences, ""
    without such: it tells the doer from the thing and the person that is given something.
    """

    scores: SetScores
    noun: int
    plausible_case: str
    case: str
    n_with: int
    n_without: int
    auc: OverTemplates


def order_scores(
    each: SetScores, resampling: Resampling = USUAL_RESAMPLING
) -> Iterator[OrderScore]:
    """Yield the mean score of each order of cases; of a suite without such a design nothing."""
    for order, sentences in _by_order(each).items():
        means = each.columns(list(sentences.values())).mean(axis=1)
        yield OrderScore(
            scores=each,
            order=" ".join(order),
            n_sentences=len(sentences),
            score=over_templates(means.tolist(), resampling),
        )


def order_preferences(
    each: SetScores,
    resampling: Resampling = USUAL_RESAMPLING,
) -> Iterator[OrderPreference]:
    """Yield the preference of each order over each that comes after it."""
    for (order, own), (other, others) in combinations(_by_order(each).items(), 2):
        shared = [assignment for assignment in own if assignment in others]
        if not shared:
            continue
        first = each.columns([own[assignment] for assignment in shared])
        second = each.columns([others[assignment] for assignment in shared])
        halves = ((first > second).mean(axis=1) + (first >= second).mean(axis=1)) / 2
        yield OrderPreference(
            scores=each,
            order=" ".join(order),
            other_order=" ".join(other),
            n_pairs=len(shared),
            share=over_templates(halves.tolist(), resampling),
        )


def feature_preferences(
    each: SetScores,
    resampling: Resampling = USUAL_RESAMPLING,
) -> Iterator[FeaturePreference]:
    """Yield the preference of each noun for each of its cases."""
    good = [one for one in each.sentences if one.is_grammatical and one.assignment]
    plausible = next((one.assignment for one in good if one.kind == PLAUSIBLE), ())
    for noun in range(min((len(one.assignment) for one in good), default=0)):
        for case in dict.fromkeys(one.assignment[noun] for one in good):
            having = [one for one in good if one.assignment[noun] == case]
            lacking = [one for one in good if one.assignment[noun] != case]
            if not lacking:
                continue
            values = template_aucs(each.columns(having), each.columns(lacking))
            yield FeaturePreference(
                scores=each,
                noun=noun + 1,
                plausible_case=plausible[noun] if noun < len(plausible) else "",
                case=case,
                n_with=len(having),
                n_without=len(lacking),
                auc=over_templates(values, resampling),
            )


def _by_order(each: SetScores) -> dict[tuple[str, ...], dict[tuple[str, ...], SetSentence]]:
    """Return the grammatical sentences by their orders of cases, and by their assignments."""
    found: dict[tuple[str, ...], dict[tuple[str, ...], SetSentence]] = {}
    for one in each.sentences:
        if one.is_grammatical and one.order and one.assignment:
            found.setdefault(one.order, {})[one.assignment] = one
    return found


def order_frame(rows: Iterable[OrderScore]) -> "pd.DataFrame":
    """Return the scores of orders as a tidy table, one row each."""
    return set_frame(rows, ORDER_COLUMNS, estimate="score", mean="mean_score")


def pair_frame(rows: Iterable[OrderPreference]) -> "pd.DataFrame":
    """Return the preferences between orders as a tidy table, one row a pair."""
    return set_frame(rows, PAIR_COLUMNS, estimate="share", mean="share_preferred")


def feature_frame(rows: Iterable[FeaturePreference]) -> "pd.DataFrame":
    """Return the preferences for cases as a tidy table, one row a noun and case."""
    return set_frame(rows, FEATURE_COLUMNS, estimate="auc", mean="auc")
