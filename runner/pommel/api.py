"""What `import pommel` offers: functions from a file and a reference to results."""

import contextlib
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pommel.errors import StoreError, UsageError
from pommel.models import LoadOptions, Model, NamedModel, Policy, closing, load_model as _load_model
from pommel.report import Results
from pommel.scoring import (
    Choices,
    Compat,
    ConditionalScore,
    Oov,
    Regions,
    Run,
    ScoreRule,
    SentenceScores,
    SuiteResult,
    SuiteSurprisals,
    Swallowed,
)
from pommel.sources import load_suites
from pommel.store import Selection, Store, default_store_path, run_and_keep
from pommel.suite import LoadedSuite, Suite

__all__ = [
    "Results",
    "SuiteLike",
    "SuiteWarning",
    "compute_surprisals",
    "conditional_scores",
    "evaluate",
    "load_model",
    "load_suite",
    "open_store",
    "run",
    "score",
    "stored_results",
]

SuiteLike = Suite | Mapping[str, Any] | str | Path


class SuiteWarning(UserWarning):
    """A suite file that could be read, and could do better."""


def load_suite(source: SuiteLike, *, strict: bool = False) -> Suite:
    """Load one suite: a file, the name of a shipped suite, or the JSON value itself.

    Raises `SuiteError` with every fault of the file; what could do better is a `SuiteWarning`.
    """
    (suite,) = _suites([source], strict=strict, only_one=True)
    return suite


def load_model(reference: str, **options: Any) -> Model:
    """Load a model, e.g. "builtin://en-gpt2" or "huggingface://gpt2".

    `options` are the fields of `LoadOptions` (device, dtype, batch_tokens, ...). A model that holds
    a container has a method `close`; one that is not called is made up for when Python ends.
    Raises `ModelNotAvailableError`, and `UsageError` for a reference that names several models.
    """
    return _load_model(reference, LoadOptions(**options))


def compute_surprisals(  # noqa: PLR0913 - each of these is a choice of the caller's
    model: Model | str,
    suite: SuiteLike,
    policy: Policy | None = None,
    *,
    compat: Compat | None = None,
    regions: Regions = "all",
    punctuation: Literal["apart", "natural"] = "apart",
) -> SuiteSurprisals:
    """Score a suite's sentences and add tokens up to regions.

    `regions` "needed" scores only those that some prediction names, "auto" all where that costs
    little more; the others have no values. Nor have those of a sentence at which the model fails
    (`SuiteSurprisals.failed`). `punctuation` "natural" has marks at the words that the suite's
    language writes them to (`Suite.with_punctuation`).
    """
    (loaded,) = _suites([suite], only_one=True)
    policy = policy or Policy.default(compat)
    choices = Choices(policy=policy, compat=compat, regions=regions, punctuation=punctuation)
    with _opened(model) as opened:
        return SuiteSurprisals.of(opened, loaded, choices)


def evaluate(
    surprisals: SuiteSurprisals,
    *,
    score: Literal[ScoreRule, "pairs"] = "all",
    oov: Oov = "keep",
    swallowed: Swallowed | None = None,
) -> SuiteResult:
    """Check a suite's predictions against surprisals.

    An item counts if all predictions hold, or the `score` "first"; "each" and "pairs" have a score
    for each prediction, or for each of the comparisons that they join by `&`.
    `oov` "skip" leaves out items whose comparison rests on a word that the model does not know.
    `swallowed` says what a region is that has content and no token of its own: "undefined", so that
    what needs it does not hold; "skip", so that the item is left out; or "begin", 0 bits.
    """
    return surprisals.evaluate(Choices(score_rule=score, oov=oov, swallowed=swallowed))


def conditional_scores(
    model: Model | str,
    pairs: Iterable[tuple[str, str]],
    policy: Policy | None = None,
    *,
    joiner: str = " ",
) -> list[ConditionalScore]:
    """Score targets given their left contexts (see `pommel.scoring.conditional`)."""
    with _opened(model) as opened:
        choices = Choices(policy=policy or Policy())
        return ConditionalScore.of_pairs(opened, pairs, choices, joiner=joiner)


def score(
    model: Model | str, sentences: str | Iterable[str], policy: Policy | None = None
) -> SentenceScores:
    """Score plain sentences; `to_frame("tokens")`, "words" and "sentences" are tables of them.

    What a sentence's first token has without a mark before it is no surprisal: `surprisal_bits` is
    None, and missing in tables, and sums (`words()`, `wholes()`) leave it out. Of a sentence at
    which the model fails there are no tokens (`failure`). Raises as `SentenceScores.of` does.
    """
    with _opened(model) as opened:
        asked = [sentences] if isinstance(sentences, str) else [*sentences]
        return SentenceScores.of(opened, asked, Choices(policy=policy or Policy()))


def run(  # noqa: PLR0913 - each of these is a choice of the caller's
    models: Model | str | Iterable[Model | str],
    suites: SuiteLike | Iterable[SuiteLike],
    policy: Policy | None = None,
    *,
    score: Literal[ScoreRule, "pairs"] = "all",
    oov: Oov = "keep",
    swallowed: Swallowed | None = None,
    compat: Compat | None = None,
    regions: Regions = "all",
    strict_model: bool = False,
    verdicts: Literal["float32"] | None = None,
    punctuation: Literal["apart", "natural"] = "apart",
    store: Store | Path | str | None = None,
) -> Results:
    """Run every suite on every model; a suite may be a folder or a collection (`suites:en`).

    A reference with a pattern (`lstm://FOLDER/seed-*`) is a family of models, one after the other.
    A model that is named twice, or alone beside its family, runs once.
    Raises `SuiteError` with the faults of all files, before anything runs, if one is no suite.
    `regions` and `punctuation` as in `compute_surprisals`: "needed" regions are faster, and enough
    for scores. `oov` and `swallowed` as in `evaluate`.
    With a `store` (see `open_store`), or the path of one, which is made if it is not there, nothing
    is scored that it has, and what is scored is kept; the results are read from it, so that memory
    does not grow with the number of models.
    A sentence at which a model fails costs the items that need it: they are skipped, and counted as
    such. With `strict_model` it ends the run with `ModelError`.
    `verdicts` "float32" scores again in float32 what models of half precision leave open.
    """
    loaded = _suites([suites] if isinstance(suites, Suite | Mapping | str | Path) else suites)
    named = [models] if isinstance(models, str) or not isinstance(models, Iterable) else [*models]
    if not loaded or not named:
        raise UsageError("there is nothing to run: name at least one model and one suite")
    Suite.check_distinct_names(loaded)
    choices = Choices(
        policy=policy or Policy.default(compat),
        compat=compat,
        regions=regions,
        score_rule=score,
        oov=oov,
        swallowed=swallowed,
        strict_model=strict_model,
        verdicts=verdicts,
        punctuation=punctuation,
    )
    made: list[Run] = []
    with _opened_store(store) as kept_in:
        for each in NamedModel.one_after_another(_expanded(named)):
            made += _run_model(each, loaded, choices, kept_in)
    return Results.told_apart(made)


def _run_model(
    model: NamedModel | Model, suites: Sequence[Suite], choices: Choices, store: Store | None
) -> list[Run]:
    # A function of its own: nothing in it holds the model when the next one is loaded.
    given: Model | str
    if isinstance(model, NamedModel):
        named, given = model, model.reference
    else:
        named, given = NamedModel(reference=model.info.reference), model
    with _opened(given, remembered=store is not None) as opened:
        made = [*run_and_keep(named, opened, suites, choices, store=store)]
    return Store.late_runs(made, store)


def _expanded(models: Sequence[Model | str]) -> list[NamedModel | Model]:
    """Return every model, each member of a family in its place."""
    expanded = NamedModel.expand_all(each for each in models if isinstance(each, str))
    found: list[NamedModel | Model] = []
    for each in models:
        found += expanded.pop(each, ()) if isinstance(each, str) else [each]
    return found


@contextlib.contextmanager
def _opened(model: Model | str, *, remembered: bool = False) -> Iterator[Model]:
    """Give a model; one that was named is closed at the end, one that was given is its owner's."""
    if isinstance(model, str):
        with closing(_load_model(model, remembered=remembered)) as opened:
            yield opened
    else:
        yield model


def open_store(path: Path | str | None = None, *, create: bool = False) -> Store:
    """Open the store of surprisals and runs in a file.

    Without a path it is this user's own, the one of the command line, which is made if it is not
    there; another one is made only with `create`, since its name may be misspelt. A store is a
    context manager; `store.runs` has its runs. Raises `StoreError` for a file that is missing, is
    no store, or cannot be read.
    """
    if path is None:
        return Store.open(default_store_path())
    if not create and not Path(path).exists():
        raise StoreError(f"{path}: there is no store; open_store(PATH, create=True) makes one")
    return Store.open(Path(path))


def stored_results(
    models: str | Iterable[str] = (),
    suites: str | Iterable[str] = (),
    *,
    store: Store | Path | str | None = None,
) -> Results:
    """Return complete runs that a store has, with their tokens; no model is needed.

    `models` are names, references or families, `suites` names, all with `*`, `?` and `[...]`; none
    means all. Without a `store` it is this user's own. Models that were run in several ways are
    told apart ("gpt2 (eos=never)"), and of a suite in several versions the newest run counts, as in
    tables and statistics. Results of others have no tokens and are left out: `store.runs.records`
    has them, too. Raises `UsageError` where nothing fits, and `StoreError`.
    """
    patterns = [(each,) if isinstance(each, str) else tuple(each) for each in (models, suites)]
    with _opened_store(default_store_path() if store is None else store, read_only=True) as opened:
        assert opened is not None  # noqa: S101 - there is always a path
        selection = Selection(models=patterns[0], suites=patterns[1])
        records = opened.runs.with_tokens(opened.runs.records(selection))
        if not records:
            raise UsageError(
                f"{opened.path}: no complete run with tokens fits; store.runs.heads() has all"
            )
        # A model that ran alone and in a family counts in the family.
        called = opened.runs.told_apart(opened.runs.without_twins(records))
        made = list(opened.runs.runs(called))
    return Results.as_analysed(made)


@contextlib.contextmanager
def _opened_store(
    store: Store | Path | str | None, *, read_only: bool = False
) -> Iterator[Store | None]:
    """Give a store; one that was named is closed at the end, one that was given is its owner's."""
    if isinstance(store, Path | str):
        with Store.open(Path(store), read_only=read_only) as opened:
            yield opened
    elif store is None or isinstance(store, Store):
        yield store
    else:
        raise UsageError(
            f"the store cannot be {store!r}: give the path of a file, or open_store(), which is "
            f"the store of the command line"
        )


def _suites(
    sources: Iterable[SuiteLike], *, strict: bool = False, only_one: bool = False
) -> list[Suite]:
    suites: list[Suite] = []
    for source in sources:
        if isinstance(source, Suite):
            suites.append(source)
            continue
        if isinstance(source, Mapping):
            loaded = [LoadedSuite.from_dict(source)]
        else:
            found = load_suites([str(source)], strict=strict)
            found.check()
            loaded = [*found.loaded]
        if only_one and len(loaded) != 1:
            raise UsageError(f"{source} is {len(loaded)} suites; name one, or use run")
        for each in loaded:
            suites.append(each.suite)
            for warning in each.warnings:
                # The caller of the function that called this one.
                warnings.warn(str(warning), SuiteWarning, stacklevel=3)
    return suites
