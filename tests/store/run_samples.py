"""Runs and records that the tests of stored runs share."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tests.builders import Sentences, make_suite
from tests.word_model import WordModel

from pommel.models.family import Membership, Named, NamedModel
from pommel.models.model import Policy
from pommel.scoring import Choices
from pommel.scoring.choices import Compat, Oov, Regions, ScoreRule
from pommel.scoring.results import PredictionResult, Score, SuiteResult
from pommel.scoring.run import Run, run_suites
from pommel.scoring.run_record import ModelFacts, RunRecord, SuiteFacts
from pommel.store import Store
from pommel.store.surprisal_cache import CachedModel
from pommel.suite.suite import Suite

ITEMS: Sequence[Sentences] = (
    {"good": ("The dogs", "bark", "."), "bad": ("The dogs", "barks", ".")},
    {"good": ("The cat", "purrs", "."), "bad": ("The cat", "purr", ".")},
    {"good": ("An owl", "sat", "."), "bad": ("An owl", "sit", ".")},
)
FORMULAS = ("(2;%good%) < (2;%bad%)", "(*;%good%) < (*;%bad%)")

SEED = Membership(family="toy", axis="seed", label="seed-1", value=1.0, pattern="toy://seed-*")


def agreement(
    name: str = "agreement",
    items: Sequence[Sentences] = ITEMS,
    formulas: Sequence[str] = FORMULAS,
    **meta: object,
) -> Suite:
    """Return a suite of three items, of which the predictions hold in one."""
    return make_suite(items, formulas, name=name, circuit="agreement", language="en", **meta)


def made(  # noqa: PLR0913 - each of these is a choice of a run's
    store: Store,
    suite: Suite,
    model: WordModel | None = None,
    *,
    policy: Policy | None = None,
    score_rule: ScoreRule = "all",
    oov: Oov = "keep",
    compat: Compat | None = None,
    regions: Regions = "all",
    membership: Membership | None = None,
) -> Run:
    """Return a run whose sentences and results the store has."""
    cached = CachedModel(model or WordModel(), store.cache)
    choices = Choices(
        policy=policy or Policy(), score_rule=score_rule, oov=oov, compat=compat, regions=regions
    )
    (run,) = run_suites(cached, [suite], choices)
    if membership:
        name = f"{membership.family}/{membership.label}"
        run = run.renamed(Named(name=name, membership=membership))
    store.runs.save(run)
    return run


def named(model: WordModel) -> NamedModel:
    """Return how a model is asked for that belongs to no family."""
    return NamedModel(reference=model.info.reference)


def imported(  # noqa: PLR0913 - what a record is made of
    run_id: str = "0123456789ab",
    *,
    holds: str = "110",
    model: str = "gpt2",
    suite: str = "agreement",
    source: str = "paper",
    rule: ScoreRule = "all",
) -> RunRecord:
    """Return what others have published, with a mark an item: 1, 0, or - for a skipped one."""
    nothing = np.zeros(len(holds), dtype=np.bool_)
    skipped = np.array([mark == "-" for mark in holds])
    prediction = PredictionResult(
        prediction_id=0,
        formula="",
        description="correct",
        holds=np.array([mark == "1" for mark in holds]),
        margin_bits=np.full(len(holds), math.nan),
        tie=nothing,
        defined=~nothing,
        swallowed=nothing,
        unscored=nothing,
        oov=nothing,
        skipped=skipped,
    )
    return RunRecord(
        run_id=run_id,
        result=SuiteResult(
            suite_name=suite,
            circuit="agreement",
            model_name=model,
            score_rule=rule,
            item_numbers=tuple(range(1, len(holds) + 1)),
            predictions=(prediction,),
        ),
        model=ModelFacts(n_parameters=117_000_000, size_family="GPT"),
        suite=SuiteFacts(language="en", group="number"),
        source=source,
        created="2020-07-01T00:00:00+00:00",
    )


def own(  # noqa: PLR0913 - what tells runs apart
    number: int,
    reference: str = "toy://words",
    *,
    name: str = "words",
    fingerprint: str = "",
    day: int = 1,
    suite: str = "agreement",
    rule: ScoreRule = "all",
    policy: str = "",
    membership: Membership | None = None,
    loaded: Mapping[str, object] | None = None,
) -> RunRecord:
    """Return a run of our own, whose id is a number; `loaded` is what its model said of itself."""
    record = imported(f"{number:012x}", model=name, suite=suite, source="pommel", rule=rule)
    provenance = {"model": loaded} if loaded else {}
    return replace(
        record,
        result=replace(record.result, membership=membership, provenance=provenance),
        model=replace(record.model, reference=reference, fingerprint=fingerprint),
        policy={"fingerprint": policy},
        created=f"2026-01-{day:02}",
    )


def member(
    number: int,
    seed: int,
    fingerprint: str,
    *,
    folder: str = "toy",
    family: str = "toy",
    **facts: Any,
) -> RunRecord:
    """Return a run of our own of a seed, reached through a folder."""
    membership = Membership(
        family=family,
        axis="seed",
        label=f"seed-{seed}",
        value=float(seed),
        pattern=f"lstm://{folder}/seed-*",
    )
    return own(
        number,
        f"lstm://{folder}/seed-{seed}",
        name=f"{family}/seed-{seed}",
        fingerprint=fingerprint,
        membership=membership,
        **facts,
    )


def numbers(records: Sequence[RunRecord]) -> list[int]:
    """Return the numbers of our own runs."""
    return [int(each.run_id, 16) for each in records]


def reported(run_id: str = "fedcba987654", share: float = 0.826) -> RunRecord:
    """Return a score of which nothing else was published."""
    record = imported(run_id)
    score = Score(label="", n_holding=0, n_items=0, reported_share=share)
    result = replace(
        record.result, suite_name="npi", item_numbers=(), predictions=(), reported=score
    )
    return replace(record, result=result)


def store_at(path: Path) -> Store:
    """Open a store in a folder."""
    return Store.open(path / "store.sqlite")


def assert_same(one: RunRecord, other: RunRecord) -> None:
    """Fail unless two records say the same, to the last bit."""
    assert_same_result(one.result, other.result)
    for field in ("run_id", "model", "suite", "source", "status", "created"):
        assert getattr(one, field) == getattr(other, field)
    assert dict(one.policy) == dict(other.policy)
    assert dict(one.settings) == dict(other.settings)


def assert_same_result(one: SuiteResult, other: SuiteResult) -> None:
    """Fail unless two results say the same, to the last bit."""
    bare = [replace(each, predictions=(), provenance={}) for each in (one, other)]
    assert bare[0] == bare[1]
    # The order of keys, too: it is that of a file.
    assert repr(dict(one.provenance)) == repr(dict(other.provenance))
    assert len(one.predictions) == len(other.predictions)
    for ours, theirs in zip(one.predictions, other.predictions, strict=True):
        assert (ours.formula, ours.description) == (theirs.formula, theirs.description)
    pd.testing.assert_frame_equal(one.to_frame(), other.to_frame(), check_exact=True)
    pd.testing.assert_frame_equal(one.to_frame("suites"), other.to_frame("suites"))
