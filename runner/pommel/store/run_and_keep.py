"""Runs whose sentences and results are kept in a store, as they come."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from pommel.models.family import Named, NamedModel
from pommel.models.model import Model, ModelInfo, Policy
from pommel.scoring.results import ScoreRule
from pommel.scoring.run import Compat, Oov, Regions, Run, run_suites
from pommel.scoring.run_record import RunRecord
from pommel.store import CachedModel, Store
from pommel.suite.suite import Suite


def run_and_keep(  # noqa: PLR0913 - each of these is a choice of the caller's
    named: NamedModel,
    model: Model,
    suites: Sequence[Suite],
    policy: Policy | None = None,
    *,
    store: Store | None,
    rescore: bool = False,
    score_rule: ScoreRule = "all",
    oov: Oov = "keep",
    compat: Compat | None = None,
    regions: Regions = "all",
    progress: Callable[[int], None] | None = None,
) -> Iterator[Run]:
    """Yield what `run_suites` yields, under the model's name in its family.

    With a store, sentences that it has are not scored again, all others are kept batch by batch,
    and each run when it is complete. Until then it is listed as interrupted. `rescore` scores again
    what the store has, which takes its place.
    """
    policy = policy or Policy()
    if store is not None:
        model = CachedModel(model, store.cache, rescore=rescore)
        settings: dict[str, str] = {"compat": compat or "", "oov": oov}
        _begin(store, named, model.info, suites, policy, score_rule, settings)
    runs = run_suites(
        model,
        suites,
        policy,
        score_rule=score_rule,
        oov=oov,
        compat=compat,
        regions=regions,
        progress=progress,
    )
    for run in runs:
        called = under_its_name(run, named)
        if store is not None:
            store.runs.save(called)
        yield called


def under_its_name(run: Run, model: NamedModel) -> Run:
    """Return a run with what its model is called in its family; others stay as they are."""
    if model.name is None:
        return run
    return run.renamed(Named(name=model.name, membership=model.membership))


def _begin(  # noqa: PLR0913, PLR0917 - what the records say
    store: Store,
    named: NamedModel,
    info: ModelInfo,
    suites: Sequence[Suite],
    policy: Policy,
    score_rule: ScoreRule,
    settings: Mapping[str, str],
) -> None:
    """Note a run on each of the suites, which counts as interrupted until it is saved."""
    called = Named(name=named.name or info.name, membership=named.membership)
    for suite in suites:
        record = RunRecord.begun(
            info, suite, policy, called=called, score_rule=score_rule, settings=settings
        )
        store.runs.begin(record, suite, info, policy)
