"""The capitalisation experiment: what a capital letter at a sentence's beginning is worth.

Mueller et al. (2020), "Cross-linguistic syntactic evaluation of word prediction models", Table 4:
models that were trained on text with capital letters are tested on sentences without and with one.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pommel.files.tables import frame_of
from pommel.models.family import Membership, Named
from pommel.models.model import Model, Policy
from pommel.scoring.results import ScoreRule
from pommel.scoring.run import Compat, Oov, Progress, run_suites
from pommel.suite.suite import Condition, Suite, with_first_letter

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantScore:
    """The score of one variant of a suite: a share of `n_items`, NaN without predictions.

    `n_items` are those that are not skipped; `n_oov` of them rest on an unknown word.
    """

    score: float
    n_items: int
    n_oov: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CapitalizationGain:
    """A suite's score on a model as it is, and with its sentences capitalised.

    `n_changed` is how many of the suite's `n_sentences` sentences the capital letter changes.
    """

    model_reference: str
    model_name: str
    membership: Membership | None
    suite_name: str
    circuit: str
    n_sentences: int
    n_changed: int
    as_is: VariantScore
    capitalized: VariantScore

    @property
    def gain(self) -> float:
        """By how much the capital letter raises the score."""
        return self.capitalized.score - self.as_is.score

    @staticmethod
    def with_distinct_names(gains: Sequence["CapitalizationGain"]) -> list["CapitalizationGain"]:
        """Rename models and families that share a name, so that tables tell them apart."""
        called = Named.unique_names(
            {
                each.model_reference: Named(name=each.model_name, membership=each.membership)
                for each in gains
            }
        )
        names = [called[each.model_reference] for each in gains]
        return [
            replace(each, model_name=named.name, membership=named.membership)
            for each, named in zip(gains, names, strict=True)
        ]

    @staticmethod
    def frame(gains: Sequence["CapitalizationGain"]) -> "pd.DataFrame":
        """One row a suite and model: both scores, the gain, and which member of a family it is."""
        members = [each.membership for each in gains]
        return frame_of(
            {
                "model_name": [each.model_name for each in gains],
                "family": [each.family if each else None for each in members],
                "axis": [each.axis if each else None for each in members],
                "axis_value": [each.value if each else None for each in members],
                "suite": [each.suite_name for each in gains],
                "circuit": [each.circuit for each in gains],
                "n_sentences": [each.n_sentences for each in gains],
                "n_changed": [each.n_changed for each in gains],
                "n_items_as_is": [each.as_is.n_items for each in gains],
                "n_oov_as_is": [each.as_is.n_oov for each in gains],
                "score_as_is": [_or_none(each.as_is.score) for each in gains],
                "n_items_capitalized": [each.capitalized.n_items for each in gains],
                "n_oov_capitalized": [each.capitalized.n_oov for each in gains],
                "score_capitalized": [_or_none(each.capitalized.score) for each in gains],
                "gain": [_or_none(each.gain) for each in gains],
            }
        )


def capitalization_gains(  # noqa: PLR0913 - each of these is a choice of the caller's
    model: Model,
    suites: Sequence[Suite],
    policy: Policy | None = None,
    *,
    lower: bool = False,
    score_rule: ScoreRule = "all",
    oov: Oov = "keep",
    compat: Compat | None = None,
    model_name: str = "",
    membership: Membership | None = None,
    progress: Progress | None = None,
) -> Iterator[CapitalizationGain]:
    """Score every suite as it is and with the first letter of every sentence a capital one.

    Yields one gain a suite, each as soon as both scores are there. `lower` takes the capital
    letters away first: for suites that are written with them. `model_name` is what the model is
    called, if not as it calls itself. Raises what `run_suites` raises.
    """
    pairs = [(plain, capitalized(plain)) for plain in _plain(suites, lower=lower)]
    pair_of = {id(suite): pair for pair in pairs for suite in pair}
    scores: dict[int, VariantScore] = {}
    for run in run_suites(
        model,
        [suite for pair in pairs for suite in pair],
        policy,
        score_rule=score_rule,
        oov=oov,
        compat=compat,
        regions="needed",
        progress=progress,
    ):
        scores[id(run.surprisals.suite)] = VariantScore(
            score=run.result.score, n_items=run.result.n_counted, n_oov=run.result.n_oov
        )
        plain, variant = pair_of[id(run.surprisals.suite)]
        if id(plain) in scores and id(variant) in scores:
            yield CapitalizationGain(
                model_reference=model.info.reference,
                model_name=model_name or model.info.name,
                membership=membership,
                suite_name=plain.name,
                circuit=plain.circuit,
                n_sentences=plain.n_sentences,
                n_changed=n_sentences_changed(plain, variant),
                as_is=scores[id(plain)],
                capitalized=scores[id(variant)],
            )


def capitalized(suite: Suite) -> Suite:
    """Return the suite with the first letter of every sentence a capital one.

    It is the first letter of the first word, behind a quotation mark or an inverted question mark
    that it may begin with; the rest of the word stays as it is. A sentence whose first word has no
    letter, or none that there are two cases of, stays as it is.
    """
    return _with_first_letters(suite, str.title)


def uncapitalized(suite: Suite) -> Suite:
    """Return the suite with the first letter of every sentence a small one, names included."""
    return _with_first_letters(suite, str.lower)


def n_sentences_changed(suite: Suite, variant: Suite) -> int:
    """Return how many sentences a variant of a suite has that the suite itself has not."""
    pairs = zip(suite.items, variant.items, strict=True)
    return sum(
        one.condition(name).sentence(suite.joiner) != other.condition(name).sentence(suite.joiner)
        for one, other in pairs
        for name in suite.condition_names
    )


def _with_first_letters(suite: Suite, changed: Callable[[str], str]) -> Suite:
    items = tuple(
        replace(item, conditions=tuple(_changed(each, changed) for each in item.conditions))
        for item in suite.items
    )
    return replace(suite, items=items)


def _changed(condition: Condition, changed: Callable[[str], str]) -> Condition:
    regions = list(condition.regions)
    # Every sentence has a region with text.
    first = next(place for place, region in enumerate(regions) if region.text)
    written = with_first_letter(regions[first].content, changed)
    regions[first] = replace(regions[first], content=written)
    return replace(condition, regions=tuple(regions))


def _plain(suites: Sequence[Suite], *, lower: bool) -> list[Suite]:
    return [uncapitalized(suite) for suite in suites] if lower else list(suites)


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
