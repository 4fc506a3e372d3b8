"""Runs: a model on suites, from sentences to results."""

import datetime as dt
import functools
import json
import platform
import sys
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pommel.errors import (
    ModelError,
    UnsupportedFeatureError,
    UsageError,
    counted,
    listed,
    package_version,
    quoted,
)
from pommel.files import frame_of_rows
from pommel.models import Method, Model, ModelInfo, Named, Policy
from pommel.scoring.choices import Choices, Compat, Table
from pommel.scoring.evaluated_suite import evaluated_suite_to_dict
from pommel.scoring.number_format import unsettled
from pommel.scoring.predictions import evaluate_predictions
from pommel.scoring.questions import Questions
from pommel.scoring.regions import (
    Assigner,
    Needed,
    RegionTable,
    all_needed,
    all_spans,
    cells_of,
    needed_spans,
    region_table,
)
from pommel.scoring.results import PredictionResult, SuiteResult
from pommel.suite import Sentence, Suite
from pommel.surprisal import ScoredSentence
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd


# Called with the number of sentences that have just been scored.
Progress = Callable[[int], None]
SurprisalsTable = Literal["regions", "tokens"]


@frozen
class NeededSentences:
    """What a run looks at in a suite's sentences, and which parts of them.

    `spans` has each of them, and what of it has to be scored by the run's choices.
    """

    suite: Suite
    model: ModelInfo
    choices: Choices
    spans: Needed

    @classmethod
    def of(cls, suite: Suite, model: ModelInfo, choices: Choices) -> "NeededSentences":
        """Return what a run looks at in a model's tokens; `UsageError` for what it cannot do."""
        if choices.compat and suite.has_context:
            raise UsageError(
                f"{suite.name} has contexts, which {choices.compat} did not know; run it without "
                f"--compat"
            )
        spans = suite.once(all_spans)
        every = cls(suite=suite, model=model, choices=choices, spans=spans)
        return every.narrowed() if choices.regions == "needed" else every

    @classmethod
    def of_each(
        cls, model: Model, suites: Sequence[Suite], choices: Choices
    ) -> "list[NeededSentences]":
        """Return what a run looks at in each of some suites; raises as `of` does.

        Which regions "auto" means holds for all of them: all regions, where a network would compute
        less than 20% more nodes of its prefix tree, and as much less than 20% more rows of the
        vocabulary projection, than for those that predictions need; or, of short suites, not more
        than 3,000 of both, which takes no longer than to load most models. Models that are no
        networks (`work`) answer for all tokens anyway. What a store has costs nothing.
        """
        if choices.regions != "auto":
            return [cls.of(each, model.info, choices) for each in suites]
        choices = replace(choices, regions="all")
        every = [cls.of(each, model.info, choices) for each in suites]
        needed = [each.narrowed() for each in every]
        return every if _costs_little(model, choices.policy, every, needed) else needed

    def narrowed(self) -> "NeededSentences":
        """Return the same where only the regions are scored that predictions need."""
        # Spans say where tokens begin, and only `Sentence.regions_of` goes by that.
        by_starts = _assigner(self.suite, self.model, self.choices) is Sentence.regions_of
        choices = replace(self.choices, regions="needed")
        return replace(self, choices=choices, spans=self.named if by_starts else self.spans)

    @property
    def named(self) -> Needed:
        """The spans of the regions that predictions name."""
        return self.suite.once(needed_spans)

    @property
    def counts(self) -> Counter[str]:
        """How often each sentence is there."""
        return Counter(sentence.text for row in self.suite.sentences() for sentence in row)

    @property
    def texts(self) -> tuple[str, ...]:
        """The distinct sentences."""
        return tuple(self.spans)

    def are_in(self, scored: ScoredSentence) -> bool:
        """Say whether a sentence has been scored wherever the run looks at it."""
        return scored.has_all_of(self.spans[scored.text])


# Of more sentences, these tell how much more all regions cost.
_MOST_COUNTED = 1_000
_LITTLE_MORE, _SHORT = 1.2, 3_000


def _costs_little(
    model: Model,
    policy: Policy,
    every: Sequence[NeededSentences],
    needed: Sequence[NeededSentences],
) -> bool:
    """Say whether all regions cost little more than those that are needed (see `of_each`)."""
    work = getattr(model, "work", None)
    if work is None:
        return True
    wanted, least = (all_needed(each.spans for each in group) for group in (every, needed))
    texts = sorted(wanted)[:_MOST_COUNTED]
    try:
        asked = (work(texts, policy, [own[each] for each in texts]) for own in (wanted, least))
        # A store that has all of it has each part.
        less = next(asked) if any(more := next(asked)) else more
    except ModelError:
        # It is told where sentences are asked for.
        return False
    is_short = len(texts) == len(wanted) and sum(more) - sum(less) <= _SHORT
    # Nothing is no more than nothing: all is in a store, or a store stands before no network.
    return is_short or all(m == n or m < _LITTLE_MORE * n for m, n in zip(more, less, strict=True))


def _assigner(suite: Suite, model: ModelInfo, choices: Choices) -> Assigner:
    """Return what says in which region a token counts: that in which it begins, in general.

    The retired tool had an alignment of its own for models that print tokens only (LM Zoo's; of any
    image it read no more), and knew no other joiner than a space.
    """
    prints_tokens_only = model.has_recovered_offsets or model.kind == "container"
    joins_by_spaces = suite.joiner == " " and not suite.has_own_joiners
    if choices.compat == "syntaxgym" and prints_tokens_only and joins_by_spaces:
        return Sentence.regions_of_as_syntaxgym
    return Sentence.regions_of


@frozen(eq=False)
class SuiteSurprisals:
    """A model's surprisals for one suite.

    `sentences[i][c]` is item i in condition `suite.condition_names[c]`; `table` has them by region.
    `choices` are what was asked for, `method` how the tokens were scored. A sentence at which the
    model has failed has no tokens.
    """

    suite: Suite
    model: ModelInfo
    choices: Choices
    method: Method
    sentences: tuple[tuple[ScoredSentence, ...], ...]
    table: RegionTable
    provenance: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        model: Model,
        suite: Suite,
        choices: Choices | None = None,
        *,
        known: dict[str, ScoredSentence] | None = None,
        progress: Progress | None = None,
    ) -> "SuiteSurprisals":
        """Score every distinct sentence of a suite once, and add tokens up to regions.

        Where the choices say that only some regions are needed, the others may have no values.
        `known` holds sentences that the same model has scored under the same policy before; it is
        read and added to. Raises what the model raises.
        """
        choices = choices or Choices()
        suite = choices.as_run(suite)
        (needed,) = NeededSentences.of_each(model, [suite], choices)
        asked = _asked_of(model, [needed], choices)
        if known is not None:
            asked.scored = known
        for n_scored in asked.ask(needed.counts):
            if progress:
                progress(n_scored)
        return _answered(asked, needed)

    @classmethod
    def from_sentences(
        cls,
        needed: NeededSentences,
        sentences: Mapping[str, ScoredSentence],
        *,
        method: Method,
        provenance: Mapping[str, Any],
    ) -> "SuiteSurprisals":
        """Add up to regions what a model has said of a suite's sentences.

        `sentences` has every one of them, by its text. Raises `KeyError` for one that is missing.
        """
        suite, model, choices = needed.suite, needed.model, needed.choices
        scored = tuple(tuple(sentences[each.text] for each in row) for row in suite.sentences())
        assigner = _assigner(suite, model, choices)
        return cls(
            suite=suite,
            model=model,
            choices=choices,
            method=method,
            sentences=scored,
            table=region_table(suite, scored, assigner=assigner),
            provenance=provenance,
        )

    @property
    def policy(self) -> Policy:
        """The policy that was asked for."""
        return self.choices.policy

    @property
    def compat(self) -> Compat | None:
        """Which retired tool was followed."""
        return self.choices.compat

    @property
    def assigner(self) -> Assigner:
        """What says in which region a token counts."""
        return _assigner(self.suite, self.model, self.choices)

    def evaluate(self, choices: Choices | None = None) -> SuiteResult:
        """Check the predictions by a run's choices; how it was scored is not looked at.

        Without choices they are checked by those that the sentences were scored with.
        """
        choices = replace(choices or self.choices, policy=self.policy, compat=self.compat)
        result = evaluate_predictions(
            self.suite,
            self.table,
            choices,
            skip_unequal=self.skips_unequal,
            model_name=self.model.name,
        )
        counted_so: dict[str, object] = {
            "score_rule": choices.result_rule,
            "oov": choices.oov,
            "swallowed": choices.swallowed_regions,
        }
        if failed := self.failed:
            counted_so["failed"] = failed
        return replace(result, provenance={**self.provenance, **counted_so})

    def left_open(self, noise_bits: float, choices: Choices | None = None) -> set[str]:
        """Return the sentences on which verdicts rest that the noise of a number format could turn.

        So do those at which the model has failed: it may not fail in another format.
        """
        choices = choices or self.choices
        cells = unsettled(self.suite, self.table, choices, noise_bits=noise_bits)
        return {self.sentences[item][condition].text for item, condition in cells} | {*self.failed}

    def to_evaluated_suite(self) -> Mapping[str, Any]:
        """Return the suite's JSON value with the surprisals of every region."""
        return evaluated_suite_to_dict(
            self.suite,
            self.table,
            model_name=self.model.name,
            with_n_tokens=self.skips_unequal,
            zero_where_swallowed=self.compat is not None,
        )

    def to_frame(self, table: SurprisalsTable = "regions") -> "pd.DataFrame":
        """Return the surprisals by region, with the suite's metrics, or by token.

        Raises `UsageError` for a name that is none of these.
        """
        UsageError.check_choice("the table", table, get_args(SurprisalsTable))
        if table == "tokens":
            return tokens_frame(self)
        return regions_frame(self)

    @property
    def skips_unequal(self) -> bool:
        """Whether only sentences of equal length compare: the method scores whole sentences."""
        return self.method == "unmasked-ce"

    @property
    def failed(self) -> dict[str, str]:
        """The sentences at which the model has failed, each with why."""
        every = (each for row in self.sentences for each in row)
        return {each.text: each.failure for each in every if each.failure}

    @staticmethod
    def failures_told(where: str, failed: Mapping[str, str]) -> str:
        """Return what is told of sentences at which a model has failed: the first, and why."""
        text, why = next(iter(failed.items()))
        return f"{where}: failed at {counted(len(failed), 'sentence')} ({quoted(text)}: {why})"

    @property
    def n_oovs(self) -> int:
        """How many tokens stand for unknown words."""
        return sum(map(len, self.table.oovs.values()))

    @property
    def n_unscored(self) -> int:
        """How many tokens have no surprisal."""
        return int(self.table.n_unscored.sum())


@frozen(eq=False)
class Run:
    """One model x one suite x one policy."""

    surprisals: SuiteSurprisals
    result: SuiteResult

    def to_frame(self, table: Table = "suites") -> "pd.DataFrame":
        """Return one of the run's tidy tables (docs/results.md).

        Raises `UsageError` for a name that is none.
        """
        UsageError.check_choice("the table", table, get_args(Table))
        match table:
            case "suites" | "predictions":
                return self.result.to_frame(table)
            case _:
                return self.surprisals.to_frame(table)

    def renamed(self, called: Named) -> "Run":
        """Return a run whose model is called something else."""
        model = replace(self.surprisals.model, name=called.name)
        result = replace(self.result, model_name=called.name, membership=called.membership)
        return Run(surprisals=replace(self.surprisals, model=model), result=result)

    def resting_on(self, sentences: Mapping[str, ScoredSentence]) -> "Run":
        """Return the run evaluated again, with these of its sentences as they are here."""
        own = self.surprisals
        scored = tuple(
            tuple(sentences.get(each.text, each) for each in row) for row in own.sentences
        )
        table = region_table(own.suite, scored, assigner=own.assigner)
        surprisals = replace(own, sentences=scored, table=table)
        result = replace(surprisals.evaluate(), membership=self.result.membership)
        return Run(surprisals=surprisals, result=result)

    def notes(self) -> Iterator[str]:
        """Yield what a reader of the scores should know, in plain words; failures first."""
        table, result = self.surprisals.table, self.result
        where = f"{result.model_name} on {result.suite_name}"
        if failed := self.result.provenance.get("failed"):
            yield SuiteSurprisals.failures_told(where, failed)
        if table.crossings:
            example = table.crossings[0]
            yield (
                f"{where}: {counted(len(table.crossings), 'token')} across a region's border, each "
                f"counted where it begins (e.g. {example.token!r} in item "
                f"{table.item_numbers[example.cell[0]]}, condition "
                f"{table.condition_names[example.cell[1]]!r})"
            )
        if table.oovs:
            words = sorted({word for found in table.oovs.values() for word in found})
            shown = listed(words, most=5)
            yield f"{where}: {counted(self.surprisals.n_oovs, 'unknown word')} ({shown})"
        if exact := result.provenance.get("verdicts"):
            yield (
                f"{where}: {counted(len(exact['sentences']), 'sentence')} scored again in "
                f"{exact['dtype']}, so that all verdicts are {exact['dtype']}'s; the others have "
                f"{self.surprisals.model.dtype}'s bits, {exact['noise_bits']:.2g} a token off"
            )
        for prediction in result.predictions:
            yield from self._prediction_notes(prediction, where)

    def _prediction_notes(self, prediction: PredictionResult, where: str) -> Iterator[str]:
        chosen, skipped = self.result.provenance, prediction.skipped
        is_oov = prediction.oov & (chosen.get("oov") == "skip")
        is_swallowed = prediction.swallowed & (chosen.get("swallowed") == "skip")
        no_value = ~prediction.defined & ~prediction.swallowed
        failed = "and counts as failed there; --swallowed skip leaves them out"
        what_then = "which counts as 0 bits" if chosen.get("swallowed") == "begin" else failed
        method = self.surprisals.method
        why = f"in which a word that it needs is several tokens or unknown ({method})"
        if self.surprisals.skips_unequal:
            why = f"whose conditions have different numbers of tokens ({method})"
        has_failed = self._has_failed(prediction)
        left_out = skipped & ~has_failed
        said = (
            (has_failed, "skips {items} with a sentence at which the model has failed"),
            (left_out & is_oov, "skips {items} that rest{s} on an unknown word"),
            (
                left_out & is_swallowed & ~is_oov,
                "skips {items} with a region in which no token begins",
            ),
            (left_out & ~is_oov & ~is_swallowed, f"skips {{items}} {why}"),
            (
                prediction.oov & ~skipped,
                "rests on an unknown word in {items}; --oov skip leaves them out",
            ),
            (
                prediction.unscored & ~skipped,
                "needs a token without a surprisal in {items}; it is left out of its region",
            ),
            (
                prediction.swallowed & ~skipped,
                f"needs a region in which no token begins in {{items}}, {what_then}",
            ),
            (no_value & ~skipped, "has no value in {items}, and counts as failed"),
            (
                prediction.tie & ~skipped,
                "compares equal values in {items}, where '<' and '>' fail",
            ),
        )
        for items, text in said:
            if n_items := int(items.sum()):
                told = text.format(items=counted(n_items, "item"), s="s" if n_items == 1 else "")
                yield f"{where}: prediction {prediction.prediction_id} {told}"

    def _has_failed(self, prediction: PredictionResult) -> NDArray[np.bool_]:
        """Say for every item whether the model has failed at a sentence that a prediction names."""
        table = self.surprisals.table
        formula = self.surprisals.suite.predictions[prediction.prediction_id].formula
        names = {reference.condition for reference in formula.references}
        columns = [table.condition_names.index(name) for name in names]
        return np.asarray(table.failed[:, columns].any(axis=-1))

    @staticmethod
    def environment(described: Collection[str] = ()) -> dict[str, object]:
        """Return what the numbers are computed with: pommel, packages, Python and machine.

        That is what is loaded, and what a model is `described` with, which need not be loaded where
        a store has its answers.
        """
        had_a_say = [name for name in _PACKAGES if name in sys.modules or name in described]
        return {
            "pommel": package_version("pommel"),
            "packages": {name: package_version(name) for name in had_a_say},
            "python": platform.python_version(),
            "platform": _platform(),
        }

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the predictions and the score."""
        return self.result._repr_html_()


@functools.cache
def _platform() -> str:
    """Return what `platform.platform` does; on Linux without a process that it would begin.

    That is `uname -p`, which says there what the machine is once more, or nothing.
    """
    known = vars(platform.uname())
    if sys.platform != "linux" or "processor" in known:
        return platform.platform()
    known["processor"] = ""
    try:
        return platform.platform()
    finally:
        # Whoever else asks for it is told.
        del known["processor"]


def _counted(group: Iterable[NeededSentences]) -> Counter[str]:
    """Return how often each sentence stands in some suites."""
    counts = Counter[str]()
    for each in group:
        counts.update(each.counts)
    return counts


def run_suites(
    model: Model,
    suites: Sequence[Suite],
    choices: Choices | None = None,
    *,
    progress: Progress | None = None,
) -> Iterator[Run]:
    """Yield one run a suite, each as soon as it is complete.

    Where calls are costly (`ModelInfo.costly_calls`), all suites' sentences are scored first; if
    that fails, the suites of which everything is known by then are still yielded before the
    failure is raised, unless it puts what they rest on in doubt (`ModelError.spoiled`). A sentence
    at which the model fails costs the items that need it, which are skipped. Under
    `Choices.strict_model` it is a failure of the model, too; what a model refuses to be asked for
    (a sentence that is too long) then costs its own suite only, and is raised at the end, as it is
    for a suite none of whose sentences the model has scored.
    """
    choices = choices or Choices()
    suites = [*map(choices.as_run, suites)]
    every = NeededSentences.of_each(model, suites, choices)
    asked = _asked_of(model, every, choices)
    settles = choices.settles(model.info)
    together = (model.info.costly_calls or settles) and len(suites) > 1
    groups = deque([every] if together else [[each] for each in every])
    failure: BaseException | None = None
    while groups:
        group = groups.popleft()
        try:
            answers = asked.ask(_counted(group))
        except ModelError as error:
            if len(group) > 1:
                groups.extend([each] for each in group)
            else:
                failure = failure or error
            continue
        try:
            for n_scored in answers:
                if progress:
                    progress(n_scored)
            if settles:
                _settle(asked, group)
        except BaseException as error:  # noqa: BLE001 - raised again below
            failure = error
            groups.clear()
            # What is complete may not be settled.
            group = [] if settles else group
        try:
            yield from _complete_runs(asked, group)
        except ModelError as error:
            failure = failure or error
    if failure:
        raise failure


def _settle(asked: Questions, group: Sequence[NeededSentences]) -> None:
    """Have what a model of half precision leaves open of some suites in float32."""
    texts = {text for each in group for text in each.texts}
    exact = asked.in_float32 or asked.measure_noise(texts)
    every = (_added_up(asked, each) for each in group)
    exact.answer({text for each in every for text in each.left_open(asked.noise_bits)})
    asked.scored |= exact.scored


def _complete_runs(asked: Questions, group: Iterable[NeededSentences]) -> Iterator[Run]:
    """Yield the runs on suites of which everything is known; then raises what has failed in all."""
    failure: ModelError | None = None
    for each in group:
        if all(map(asked.has, each.texts)):
            try:
                surprisals = _answered(asked, each)
            except ModelError as error:
                failure = failure or error
            else:
                yield Run(surprisals=surprisals, result=surprisals.evaluate(each.choices))
    if failure:
        raise failure


def _asked_of(model: Model, suites: Sequence[NeededSentences], choices: Choices) -> Questions:
    """Find out what has to be asked for all suites."""
    # What the model refuses it refuses before anything is asked.
    model.info.resolved_method(choices.policy)
    if choices.settles(model.info) and not hasattr(model, "in_float32"):
        raise UnsupportedFeatureError(
            f"{model.info.reference} computes in {model.info.dtype}, and has no way to be asked in "
            f"float32, too; leave --verdicts out"
        )
    needed = all_needed(each.spans for each in suites)
    return Questions(model, choices.policy, needed, is_strict=choices.strict_model)


def _answered(asked: Questions, suite: NeededSentences) -> SuiteSurprisals:
    """Return the surprisals of a suite all of whose sentences are there; raises if all failed."""
    asked.check_any(suite.texts)
    return _added_up(asked, suite)


def _added_up(asked: Questions, suite: NeededSentences) -> SuiteSurprisals:
    # By now it may know more of itself: how often it was asked again, say.
    info = asked.model.info
    method = info.resolved_method(asked.policy)
    about = provenance(suite.suite, info, suite.choices, method=method)
    if exact := asked.in_float32:
        about["verdicts"] = {
            "dtype": suite.choices.verdicts,
            "fingerprint": exact.model.info.fingerprint,
            "noise_bits": asked.noise_bits,
            "sentences": [text for text in suite.texts if text in exact.answered],
        }
    return SuiteSurprisals.from_sentences(suite, asked.scored, method=method, provenance=about)


def regions_frame(surprisals: SuiteSurprisals) -> "pd.DataFrame":
    """One row a region of a sentence; `oovs` is a JSON list, since a word may hold any mark."""
    suite, table = surprisals.suite, surprisals.table
    if not surprisals.compat:
        table = table.without_swallowed()
    rows: list[dict[str, object]] = [
        {
            "suite": suite.name,
            "model_name": surprisals.model.name,
            "item_number": table.item_numbers[cell[0]],
            "condition_name": table.condition_names[cell[1]],
            "region_number": region.number,
            "region_name": suite.region_names.get(region.number, ""),
            "content": region.content,
            **{f"{each}_bits": float(table.values[each][cell]) for each in suite.all_metrics},
            "n_tokens": int(table.n_tokens[cell]),
            "n_unscored": int(table.n_unscored[cell]),
            "n_oovs": len(table.oovs.get(cell, ())),
            "oovs": json.dumps(table.oovs.get(cell, ()), ensure_ascii=False),
        }
        for cell, region in cells_of(suite)
    ]
    # A suite has a region.
    return frame_of_rows(rows, [*rows[0]])


def tokens_frame(surprisals: SuiteSurprisals) -> "pd.DataFrame":
    """One row a token; `surprisal_bits` is missing where the model gave none."""
    suite = surprisals.suite
    rows: list[dict[str, object]] = []
    for item, row in zip(suite.items, surprisals.sentences, strict=True):
        for name, scored in zip(suite.condition_names, row, strict=True):
            condition = item.condition(name)
            regions = surprisals.assigner(condition.sentence(suite.joiner), scored.tokens)
            for index, (token, region) in enumerate(zip(scored.tokens, regions, strict=True)):
                number = None if region is None else condition.regions[region].number
                rows.append(
                    {
                        "suite": suite.name,
                        "model_name": surprisals.model.name,
                        "item_number": item.number,
                        "condition_name": name,
                        "token_index": index,
                        "token": token.text,
                        "start": token.start,
                        "end": token.end,
                        "region_number": number,
                        "surprisal_bits": token.surprisal_bits,
                        "oov": token.oov,
                        "role": token.role,
                    }
                )
    # A sentence has a token.
    return frame_of_rows(rows, [*rows[0]])


def provenance(
    suite: Suite, model: ModelInfo, choices: Choices, *, method: Method
) -> dict[str, object]:
    """Return suite hash and version, model, policy, package versions, machine and time (UTC).

    `method` is the scoring method that the policy, which was asked for, meant for the model.
    """
    policy = choices.policy
    return {
        "suite": suite.identity,
        "model": model.to_dict(),
        "policy": {**policy.to_dict(), "fingerprint": policy.fingerprint},
        "method": method,
        "compat": choices.compat,
        "regions": choices.regions,
        **({"punctuation": choices.punctuation} if choices.punctuation != "apart" else {}),
        **Run.environment(model.details),
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    }


_PACKAGES = ("numpy", "torch", "transformers", "tokenizers")
