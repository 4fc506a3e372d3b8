"""A stored run's surprisals again, from the cached tokens."""

import datetime as dt
from dataclasses import replace
from typing import Any

from pommel.errors import StoreError, counted, package_version, quoted
from pommel.models.model import ModelInfo, Policy
from pommel.scoring.results import ScoreRule
from pommel.scoring.run import (
    Compat,
    NeededSentences,
    Oov,
    Run,
    SuiteSurprisals,
)
from pommel.scoring.run_record import RunRecord
from pommel.store.record_rows import without_scoring_choices
from pommel.store.surprisal_cache import CacheKey, SurprisalCache
from pommel.suite.read import suite_hash
from pommel.suite.suite import Suite
from pommel.surprisal import ScoredSentence


def cached_policy(info: ModelInfo, policy: Policy) -> Policy:
    """Return the policy under which the cache has a model's tokens.

    It names the method that it means, "auto" for a model that has none to name (a container, a
    recording); what that is known to have been made with makes no difference.
    """
    return replace(policy, method=info.method(policy) if info.methods else "auto")


def run_of(cache: SurprisalCache, record: RunRecord, suite: Suite) -> Run:
    """Return the run of a record and its suite, with the tokens that the cache has.

    Raises `StoreError` for a run that is not complete, and for tokens that are gone.
    """
    surprisals = stored_surprisals(cache, record, suite)
    provenance = without_scoring_choices(record.result.provenance)
    return Run(surprisals=replace(surprisals, provenance=provenance), result=record.result)


def evaluated_again(
    cache: SurprisalCache, base: RunRecord, suite: Suite, *, score_rule: ScoreRule, oov: Oov
) -> Run:
    """Return the run of any suite from what a run's model said under the run's policy.

    Its provenance says when and from which run (`scored`): model, machine and packages are those
    that scored it. Raises as `stored_surprisals` does.
    """
    surprisals = stored_surprisals(cache, base, suite)
    scored = without_scoring_choices(base.result.provenance)
    origin = {"run_id": base.run_id, "date": scored["date"], "pommel": scored["pommel"]}
    provenance = {
        **scored,
        "suite": {
            "name": suite.name,
            "version": suite.version or None,
            "sha256": suite_hash(suite),
            "n_items": len(suite.items),
        },
        "pommel": package_version("pommel"),
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "scored": scored.get("scored", origin),
    }
    surprisals = replace(surprisals, provenance=provenance)
    result = surprisals.evaluate(score_rule=score_rule, oov=oov)
    return Run(surprisals=surprisals, result=replace(result, membership=base.result.membership))


def stored_surprisals(cache: SurprisalCache, record: RunRecord, suite: Suite) -> SuiteSurprisals:
    """Return the surprisals of any suite from what a run's model said under the run's policy.

    Their provenance is empty. Raises `StoreError` for a run that is not complete, and if the cache
    lacks a sentence, or a region that the predictions look at.
    """
    if record.status != "complete":
        raise StoreError(
            f"{cache.database.path}: run {record.run_id} was interrupted; the command that began "
            f"it goes on with it"
        )
    scored = record.result.provenance
    info = replace(ModelInfo.from_dict(scored["model"]), name=record.result.model_name)
    policy = _asked(scored["policy"])
    compat: Compat | None = scored["compat"]
    needed = NeededSentences.of(suite, info, compat)
    key = CacheKey(model=info, policy=cached_policy(info, policy))
    sentences = cache.known(key, needed.texts)
    _check_complete(cache, record, suite.name, sentences, needed)
    return SuiteSurprisals.from_sentences(
        suite,
        info,
        policy,
        method=scored["method"],
        compat=compat,
        sentences=sentences,
        layouts=needed.layouts,
        provenance={},
    )


def _asked(described: dict[str, Any]) -> Policy:
    choices = {name: value for name, value in described.items() if name != "fingerprint"}
    return Policy(**choices)


def _check_complete(
    cache: SurprisalCache,
    record: RunRecord,
    suite_name: str,
    sentences: dict[str, ScoredSentence],
    needed: NeededSentences,
) -> None:
    missing = [
        text for text in needed.texts if text not in sentences or not needed.are_in(sentences[text])
    ]
    if missing:
        raise StoreError(
            f"{cache.database.path}: {record.result.model_name} has not scored "
            f"{len(missing)} of {counted(len(needed.texts), 'sentence')} of {suite_name} "
            f"under this policy, the first {quoted(missing[0])}; `pommel run "
            f"{record.model.reference} SUITE` scores them"
        )
