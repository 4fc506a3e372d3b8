"""Which suites a mean over several models is over: the same for all of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pommel.analysis.model_scores import ModelScores
from pommel.analysis.subjects import SuiteKey
from pommel.errors import listed

# More names than these say no more.
_MOST_NAMED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class EvenScores:
    """Models, each of which has a score on all of the suites, and what is left out for that.

    `incomplete` are the models that have only some of the suites, `uneven` suites that not all of
    the models have. Models without any of the suites are in neither.
    """

    models: tuple[ModelScores, ...]
    suites: tuple[SuiteKey, ...]
    incomplete: tuple[str, ...] = ()
    uneven: tuple[SuiteKey, ...] = ()

    def notes(self, what: str, labels: Mapping[SuiteKey, str]) -> Iterator[str]:
        """Yield in plain words what a mean, called `what`, leaves out; `labels` names suites."""
        if self.uneven:
            names = listed([labels[suite] for suite in self.uneven], most=_MOST_NAMED)
            yield f"{what}: without {names}, which not all of the models have"
        if self.incomplete:
            names = listed(self.incomplete, most=_MOST_NAMED)
            yield f"{what}: without {names}, since suites are missing there that others have"
        for model in self.models:
            if model.incomplete:
                names = listed(model.incomplete, most=_MOST_NAMED)
                yield (
                    f"{what}: {model.label} without {names}, since suites are missing there that "
                    "its other seeds have"
                )


def even_scores(models: Iterable[ModelScores], suites: Sequence[SuiteKey]) -> EvenScores:
    """Return as many results, models times suites, as make a full table.

    Tried are the suites of each model, and those that all of them share; of equally many results
    those of more models count. So one run of another suite, or one model with few suites, does not
    take the others away. What the scores are plays no part in it.
    """
    having = [own for model in models if (own := model.on(suites)).scores]
    sets = [frozenset(model.scores) for model in having]
    if not sets:
        return EvenScores(models=(), suites=())
    tried = {own for own in (*sets, frozenset.intersection(*sets)) if own}

    def size(own: frozenset[SuiteKey]) -> tuple[int, int]:
        n_models = sum(own <= each for each in sets)
        return n_models * len(own), n_models

    best = max(sorted(tried, key=sorted), key=size)
    kept = tuple(suite for suite in suites if suite in best)
    return EvenScores(
        models=tuple(each.on(kept) for each in having if best <= each.scores.keys()),
        suites=kept,
        incomplete=tuple(each.label for each in having if not best <= each.scores.keys()),
        uneven=tuple(
            suite for suite in suites if suite not in best and any(suite in each for each in sets)
        ),
    )
