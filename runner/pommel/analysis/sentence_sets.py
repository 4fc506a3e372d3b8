"""How models score the sentences of sets, some of which are grammatical and others not.

Within each template: the AUC of grammatical against ungrammatical sentences; and which orders of
the arguments, and which cases of which nouns, a model prefers, of the grammatical sentences of a
permutation design only: what is preferred there is no error.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from pommel.analysis.asking import Option, WithDraws
from pommel.analysis.cells import (
    Answer,
    FamilyColumn,
    add_sections,
    grouped,
    interval_cell,
    mean_sd_cell,
    plain_table,
)
from pommel.analysis.inference import auc
from pommel.analysis.models_compared import (
    ComparedFamily,
    ModelsCompared,
    labelled,
)
from pommel.errors import InputError, UsageError, counted, listed, nearest
from pommel.files import frame_of_rows
from pommel.scoring import Run, RunRecord, SuiteKey
from pommel.statistics import Estimate, Spread
from pommel.suite import Suite
from pommel.surprisal import ScoredSentence
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


@frozen
class SetSentence:
    """One sentence of every template (a condition), and what the design says of it.

    `kind` is the design's word: "plausible", "grammatical", or a violation ("double-nom"). `order`
    are the cases in the order of the sentence; `assignment` is the case of each noun, in the order
    of the nouns. A suite without such a design leaves all three empty.
    """

    name: str
    is_grammatical: bool
    kind: str = ""
    order: tuple[str, ...] = ()
    assignment: tuple[str, ...] = ()

    @property
    def is_plausible(self) -> bool:
        """Whether it has each case on the noun that it is made for, in the design's own order."""
        return self.kind == "plausible"


def is_set(suite: Suite) -> bool:
    """Return whether a suite says which of its conditions no speaker would say."""
    return bool(suite.unacceptable)


def set_sentences(suite: Suite) -> tuple[SetSentence, ...]:
    """Return the sentences of a suite's templates, in the order of `suite.condition_names`.

    `meta.unacceptable` names those that are ungrammatical, and `meta.design` says more, where a
    permutation design has left it. Raises `InputError` for a name that is no condition, and where
    one of the two sets is empty.
    """
    names = suite.condition_names
    unacceptable = suite.unacceptable
    for name in unacceptable:
        if name not in names:
            meant = nearest(name, names)
            hint = f"; did you mean {meant!r}?" if meant else ""
            raise InputError(f"{suite.name}: meta.unacceptable names {name!r}, no condition{hint}")
    if not 0 < len(set(unacceptable)) < len(names):
        which = "no" if not unacceptable else "every"
        raise InputError(f"{suite.name}: meta.unacceptable names {which} condition")
    # `meta.design` may also be a word of anyone's.
    said = _mapping(_mapping(suite.meta.get("design")).get("conditions"))
    sentences = []
    for name in names:
        own = _mapping(said.get(name))
        kind = own.get("kind")
        sentences.append(
            SetSentence(
                name=name,
                is_grammatical=name not in unacceptable,
                kind=kind if isinstance(kind, str) else "",
                order=_words(own.get("case_order")),
                assignment=_words(own.get("assignment")),
            )
        )
    return tuple(sentences)


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _words(value: object) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, list | tuple) else ()


# How good a model finds each sentence: one score a sentence, higher is better.

Normalisation = Literal["none", "length", "slor"]

Scores = NDArray[np.float64]


@frozen(eq=False)
class SetScores:
    """The scores of a model's sentences on one suite.

    `scores` has the shape (n_templates, n_sentences), in bits (bits a token where it is
    normalised), with sentences as in `sentences`. A template (an item) with a sentence that has no
    score is left out, its row NaN. `n_unscored` counts the sentences of the others in which a
    token has no surprisal: their score is that of the remaining tokens. `n_not_asked_for` counts
    the templates that are left out because a token was not asked for. `member` is which member of
    its family the model is, "" for one of none.
    """

    model: str
    suite: str
    circuit: str
    language: str
    sentences: tuple[SetSentence, ...]
    scores: Scores
    n_unscored: int = 0
    n_not_asked_for: int = 0
    member: str = ""

    @property
    def kept(self) -> Scores:
        """The rows of the templates that count."""
        return self.scores[~np.isnan(self.scores).any(axis=1)]

    @property
    def n_skipped(self) -> int:
        """How many templates are left out."""
        return len(self.scores) - len(self.kept)

    def named(self, *, with_language: bool) -> str:
        """Return the suite, with its language if that is to be named."""
        return labelled(self.suite, self.language if with_language else "")

    def columns(self, which: Sequence[SetSentence]) -> Scores:
        """Return the scores of some of the sentences, (n_templates that count, n)."""
        indices = [self.sentences.index(each) for each in which]
        return self.kept[:, indices]


def set_scores(
    run: Run, *, normalise: Normalisation = "none", unigram: Run | None = None
) -> SetScores:
    """Return the scores of all sentences of a run.

    "none" is the log-probability: minus the sum of the surprisals of its tokens. "length" is that
    divided by the number of these tokens. "slor" takes off the log-probability by a unigram model
    before it is divided (Pauls and Klein 2012; Lau, Clark and Lappin 2017), for which `unigram` is
    a run of such a model on the same suite; of the text of tokens without a surprisal nothing is
    taken off.

    A sentence has no score where a token was not asked for, where the method does not apply to a
    token, or where the unigram model has no surprisal. With a method that compares sentences of
    equal length only, nor have those of a template in which lengths differ. Raises `InputError` for
    a suite that is no set (see `set_sentences`), and for a `unigram` that is missing or has other
    sentences.
    """
    surprisals, suite = run.surprisals, run.surprisals.suite
    scored = _without_contexts(suite, surprisals.sentences)
    without = [[None] * len(sentences) for sentences in scored]
    others = _of_unigram(run, unigram) if normalise == "slor" else without
    rows = []
    n_unscored = n_not_asked_for = 0
    for sentences, of_unigram in zip(scored, others, strict=True):
        row = [
            _score(sentence, normalise, other)
            for sentence, other in zip(sentences, of_unigram, strict=True)
        ]
        if surprisals.skips_unequal and len({len(each.tokens) for each in sentences}) > 1:
            row = [math.nan] * len(row)
        # Why tokens have no surprisal, of each sentence.
        reasons = [
            {token.why_unscored for token in each.tokens if token.surprisal_bits is None}
            for each in sentences
        ]
        if not any(map(math.isnan, row)):
            n_unscored += sum(map(bool, reasons))
        n_not_asked_for += any("not asked for" in each for each in reasons)
        rows.append(row)
    return SetScores(
        model=run.result.model_name,
        suite=suite.name,
        circuit=suite.circuit,
        language=suite.language,
        sentences=set_sentences(suite),
        scores=np.array(rows, dtype=np.float64),
        n_unscored=n_unscored,
        n_not_asked_for=n_not_asked_for,
    )


def scores_of_runs(
    runs: Iterable[Run],
    *,
    normalise: Normalisation = "none",
    unigrams: Mapping[SuiteKey, Run] | None = None,
) -> tuple[list[SetScores], ModelsCompared, list[str]]:
    """Return the scores of runs, model by model, the models, and the suites that are no sets.

    Runs that differ in the score rule, or in what becomes of unknown words, have the same
    surprisals and count once; what else tells runs of one model apart is added to its name.
    Raises as `set_scores`, and `UsageError` if no suite is a set.
    """
    found: list[SetScores] = []
    records: list[RunRecord] = []
    others: dict[str, None] = {}
    for run in runs:
        suite = run.surprisals.suite
        if not is_set(suite):
            others[suite.name] = None
            continue
        unigram = (unigrams or {}).get((suite.language, suite.name))
        record = replace(
            RunRecord.of(run),
            run_id=str(len(found)),
            result=replace(run.result, score_rule="all"),
            settings={"compat": str(run.result.provenance.get("compat") or "")},
        )
        records.append(record)
        found.append(set_scores(run, normalise=normalise, unigram=unigram))
    if not found:
        raise UsageError(
            f"no suite says which of its conditions are ungrammatical (meta.unacceptable): "
            f"{listed(list(others))}"
        )
    compared = ModelsCompared.of(records)
    named = [
        replace(
            found[int(record.run_id)],
            model=model.label,
            member=model.membership.label if model.membership else "",
        )
        for model in compared.models
        for record in model.records
    ]
    return named, compared, list(others)


def _of_unigram(run: Run, unigram: Run | None) -> Sequence[Sequence[ScoredSentence]]:
    suite = run.surprisals.suite.name
    if unigram is None:
        raise InputError(f"{suite}: there is no run of a unigram model on it, which slor needs")
    own, others = run.surprisals.sentences, unigram.surprisals.sentences
    if [[each.text for each in row] for row in own] != [
        [each.text for each in row] for row in others
    ]:
        raise InputError(f"{suite}: {unigram.result.model_name} has been run on other sentences")
    return _without_contexts(run.surprisals.suite, others)


def _without_contexts(
    suite: Suite, sentences: Sequence[Sequence[ScoredSentence]]
) -> Sequence[Sequence[ScoredSentence]]:
    """Return sentences with the tokens of their regions alone: no context is scored."""
    if not suite.has_context:
        return sentences
    return [
        [
            replace(each, tokens=tuple(t for t in each.tokens if t.start >= layout.start))
            for each, layout in zip(row, laid, strict=True)
        ]
        for row, laid in zip(sentences, suite.sentences(), strict=True)
    ]


def _score(
    sentence: ScoredSentence, normalise: Normalisation, unigram: ScoredSentence | None
) -> float:
    """Return a sentence's score, NaN for none."""
    bits = [token.surprisal_bits for token in sentence.tokens if token.surprisal_bits is not None]
    missing = [token for token in sentence.tokens if token.surprisal_bits is None]
    if not bits or any(token.why_unscored != "no context" for token in missing):
        return math.nan
    n = 1 if normalise == "none" else len(bits)
    if unigram is not None:
        # But for the text of tokens without a surprisal.
        bits += [
            math.nan if token.surprisal_bits is None else -token.surprisal_bits
            for token in unigram.tokens
            if not any(each.start <= token.start < each.end for each in missing)
        ]
    # Infinities that cancel make no number.
    if {-math.inf, math.inf} <= set(bits):
        return math.nan
    # Sentences of the same tokens in another order are tied, whatever the order: fsum is exact.
    return -math.fsum(bits) / n


# What the scores of a set come to, template by template.

# What a row is about, in words and counts: the columns that its table alone has.
About = Mapping[str, str | int]

# Of what a row is about the one that depends on the model.
_TIES = "n_ties"

# A row of a table: what it is about, and its value of each template.
_Values = tuple[About, list[float]]


def _aucs(each: SetScores) -> Iterator[_Values]:
    """Yield the AUCs of a model on a suite: of all sentences, and of the kinds that a design has.

    The AUC is computed within each template, and the mean over templates is unweighted, as for the
    50 templates of Rochereau, Sagot and Dupoux (2019).
    """
    good = [one for one in each.sentences if one.is_grammatical]
    bad = [one for one in each.sentences if not one.is_grammatical]
    kinds = dict.fromkeys(one.kind for one in bad if one.kind)
    compared = [("all", good, bad)]
    compared += [(kind, good, [one for one in bad if one.kind == kind]) for kind in kinds]
    if plausible := [one for one in good if one.is_plausible]:
        compared.append((plausible[0].kind, plausible, bad))
    for comparison, own, others in compared:
        better, worse = each.columns(own), each.columns(others)
        yield (
            {
                "comparison": comparison,
                "n_grammatical": len(own),
                "n_ungrammatical": len(others),
                _TIES: int((better[:, :, np.newaxis] == worse[:, np.newaxis]).sum()),
            },
            _template_aucs(better, worse),
        )


def _template_aucs(better: Scores, worse: Scores) -> list[float]:
    """Return the AUC of each template; both arrays have the shape (n_templates, n_sentences)."""
    return [auc(above, below) for above, below in zip(better, worse, strict=True)]


def _order_scores(each: SetScores) -> Iterator[_Values]:
    """Yield the mean score of each order of cases; of a suite without such a design nothing."""
    for order, sentences in _by_order(each).items():
        means = each.columns(list(sentences.values())).mean(axis=1)
        yield {"order": " ".join(order), "n_sentences": len(sentences)}, means.tolist()


def _order_preferences(each: SetScores) -> Iterator[_Values]:
    """Yield how often a sentence in one order scores above the same in each that comes after it.

    The two have the same case for each noun; equal scores count half.
    """
    for (order, own), (other, others) in combinations(_by_order(each).items(), 2):
        shared = [assignment for assignment in own if assignment in others]
        if not shared:
            continue
        first = each.columns([own[assignment] for assignment in shared])
        second = each.columns([others[assignment] for assignment in shared])
        halves = ((first > second).mean(axis=1) + (first >= second).mean(axis=1)) / 2
        about: About = {
            "order": " ".join(order),
            "other_order": " ".join(other),
            "n_pairs": len(shared),
        }
        yield about, halves.tolist()


def _feature_preferences(each: SetScores) -> Iterator[_Values]:
    """Yield how often a sentence in which a noun has a case scores above one in which it has not.

    `noun` counts from 1; `plausible_case` is the case that it has in the plausible sentences, ""
    without such: it tells the doer from the thing and the person that is given something.
    """
    good = [one for one in each.sentences if one.is_grammatical and one.assignment]
    plausible = next((one.assignment for one in good if one.is_plausible), ())
    for noun in range(min((len(one.assignment) for one in good), default=0)):
        for case in dict.fromkeys(one.assignment[noun] for one in good):
            having = [one for one in good if one.assignment[noun] == case]
            lacking = [one for one in good if one.assignment[noun] != case]
            if not lacking:
                continue
            about: About = {
                "noun": noun + 1,
                "plausible_case": plausible[noun] if noun < len(plausible) else "",
                "case": case,
                "n_with": len(having),
                "n_without": len(lacking),
            }
            yield about, _template_aucs(each.columns(having), each.columns(lacking))


def _by_order(each: SetScores) -> dict[tuple[str, ...], dict[tuple[str, ...], SetSentence]]:
    """Return the grammatical sentences by their orders of cases, and by their assignments."""
    found: dict[tuple[str, ...], dict[tuple[str, ...], SetSentence]] = {}
    for one in each.sentences:
        if one.is_grammatical and one.order and one.assignment:
            found.setdefault(one.order, {})[one.assignment] = one
    return found


# AUCs, the mean score of each order of cases, preferences between two orders, and for cases.
SetTable = Literal["auc", "orders", "pairs", "features"]


@frozen
class _Kind:
    """A table: its values, the columns of its frame but for the shared ones, and what is printed.

    `mean` is the column of the mean over templates. `words` stand before the models' cells, under
    the `headers`: a column of the row each, or two that are shown together.
    """

    values: Callable[[SetScores], Iterable[_Values]]
    columns: tuple[str, ...]
    mean: str
    title: str
    caption: str
    headers: tuple[str, ...]
    words: tuple[str, ...]
    is_share: bool = True


_SHARED = ("model_name", "suite", "circuit", "language")
_OF_FAMILIES = ("member", "is_family", "n_members", "sd_population")
_ESTIMATE = ("n_templates", "low", "high", "sd", "n_unscored", "n_skipped")
_OF_SHARES = "Mean over templates [95% score interval over templates]"

_KINDS: dict[SetTable, _Kind] = {
    "auc": _Kind(
        values=_aucs,
        columns=(
            *("comparison", "n_grammatical", "n_ungrammatical", "n_templates", "auc"),
            *("low", "high", "sd", _TIES, "n_unscored", "n_skipped"),
        ),
        mean="auc",
        title="AUC: how often a grammatical sentence scores above an ungrammatical one",
        caption=f"{_OF_SHARES}; equal scores count half, .5 is chance.",
        headers=("comparison", "sentences"),
        words=("{comparison}", "{n_grammatical} : {n_ungrammatical}"),
    ),
    "orders": _Kind(
        values=_order_scores,
        columns=("order", "n_sentences", "mean_score", *_ESTIMATE),
        mean="mean_score",
        title="Mean score of grammatical sentences by the order of their cases",
        caption="Mean over templates [95% bootstrap interval over templates], in bits: higher is "
        "better.",
        headers=("order", "sentences"),
        words=("{order}", "{n_sentences}"),
        is_share=False,
    ),
    "pairs": _Kind(
        values=_order_preferences,
        columns=("order", "other_order", "n_pairs", "share_preferred", *_ESTIMATE),
        mean="share_preferred",
        title="Preference: how often a sentence scores above the same in another order",
        caption=f"{_OF_SHARES}; equal scores count half, .5 is no preference.",
        headers=("order", "above", "pairs"),
        words=("{order}", "{other_order}", "{n_pairs}"),
    ),
    "features": _Kind(
        values=_feature_preferences,
        columns=("noun", "plausible_case", "case", "n_with", "n_without", "auc", *_ESTIMATE),
        mean="auc",
        title="AUC: how often a sentence in which a noun has a case scores above one in which it "
        "has not",
        caption=f"{_OF_SHARES}; grammatical sentences only. In brackets: the noun's plausible "
        "case.",
        headers=("noun", "case", "sentences"),
        words=("{noun} ({plausible_case})", "{case}", "{n_with} : {n_without}"),
    ),
}


@frozen
class SetRow:
    """A row of a table: what it is `about`, its `values`, one a template, and their mean.

    The mean over templates is unweighted. Of shares (AUCs, preferences) it has a score interval, of
    scores in bits a bootstrap interval.

    The row of a `family` is the mean of `of_members`, the rows of its members. It has no values and
    no interval, and its counts are those of all members.
    """

    scores: SetScores
    about: About
    values: tuple[float, ...]
    estimate: Estimate
    family: ComparedFamily | None = None
    of_members: "tuple[SetRow, ...]" = ()

    @classmethod
    def of_family(cls, family: ComparedFamily, rows: "Sequence[SetRow]") -> "SetRow":
        """Return the row of a family, whose members have these, about the same."""
        first, mean = rows[0], Spread.of(row.estimate.mean for row in rows).mean
        n_ties = sum(int(row.about.get(_TIES, 0)) for row in rows)
        return cls(
            scores=replace(first.scores, model=family.label, member=""),
            about={key: n_ties if key == _TIES else said for key, said in first.about.items()},
            values=(),
            estimate=Estimate(
                n=sum(row.estimate.n for row in rows), mean=mean, low=math.nan, high=math.nan
            ),
            family=family,
            of_members=tuple(rows),
        )

    @property
    def is_family(self) -> bool:
        """Whether it is the mean of a family."""
        return bool(self.of_members)

    @property
    def is_alone(self) -> bool:
        """Whether it is of a family of one member, and says what that member's row says."""
        return self._n_in_family == 1

    @property
    def _n_in_family(self) -> int:
        return len(self.family.members) if self.family else 0

    @property
    def spread(self) -> Spread:
        """How much the values differ, or the members of a family."""
        return Spread.of([row.estimate.mean for row in self.of_members] or self.values)

    @property
    def header(self) -> str:
        """What stands above the cell: of a family, that it is a mean, and of how many."""
        column = FamilyColumn(family=self.scores.model, n=self._n_in_family)
        return column.header if self.is_family else self.scores.model

    def columns(self, mean: str) -> dict[str, object]:
        """Return the columns of the row; `mean` is what that of the mean is called."""
        scores, found = self.scores, self.estimate
        every = [row.scores for row in self.of_members or (self,)]
        spread, is_finite = self.spread, math.isfinite(found.mean)
        return {
            **self.about,
            "model_name": scores.model,
            "suite": scores.suite,
            "circuit": scores.circuit,
            "language": scores.language,
            mean: found.mean,
            "n_templates": found.n,
            "low": found.low,
            "high": found.high,
            "sd": spread.sd if is_finite else math.nan,
            "n_unscored": sum(each.n_unscored for each in every),
            "n_skipped": sum(each.n_skipped for each in every),
            "member": scores.member,
            "is_family": self.is_family,
            "n_members": spread.n if self.is_family else 1,
            "sd_population": spread.sd_population if self.is_family else math.nan,
        }

    @property
    def cell(self) -> str:
        """What stands in a model's column: bits with two digits, shares with three."""
        if not self.estimate.n:
            return "no templates"
        digits = 2 if "n_sentences" in self.about else 3
        if self.is_family:
            spread = self.spread
            of = f" (n = {spread.n})" if spread.n < self._n_in_family else ""
            return f"{mean_sd_cell(spread.mean, spread.sd, digits)}{of}"
        shown = interval_cell(self.estimate.mean, self.estimate, digits)
        return f"{shown} of {self.estimate.n}" if self.scores.n_skipped else shown


def set_rows(
    each: SetScores,
    table: SetTable = "auc",
    *,
    n_resamples: int = Estimate.N_RESAMPLES,
    seed: int = 0,
) -> Iterator[SetRow]:
    """Yield the rows of a table for a model's scores on a suite."""
    kind = _KINDS[table]
    for about, values in kind.values(each):
        if kind.is_share:
            estimate = Estimate.of_shares([values])
        else:
            estimate = Estimate.of_values(values, n_resamples=n_resamples, seed=seed)
        yield SetRow(scores=each, about=about, values=tuple(values), estimate=estimate)


def _family_rows(family: ComparedFamily, rows: Sequence[Sequence[SetRow]]) -> Iterator[SetRow]:
    """Yield the rows of a family, whose members have these."""
    for members in grouped(chain.from_iterable(rows), _what).values():
        yield SetRow.of_family(family, members)


def _what(row: SetRow) -> tuple[object, ...]:
    """Return what the rows of a family's members are about, if it is the same."""
    about = {key: value for key, value in row.about.items() if key != _TIES}
    return row.scores.language, row.scores.suite, *about.items()


@frozen(slots=False)
class SentenceSetsAsked(WithDraws):
    """How well models tell the grammatical sentences of a set from the ungrammatical ones.

    Of suites whose meta.unacceptable names the conditions that no speaker would say. In each item
    (template) every grammatical sentence is compared with every ungrammatical one, and the AUC is
    the mean over items. Needs runs whose surprisals are in the store.

    \b
      pommel run ngram://model.arpa de_argument_structure
      pommel stats auc --suite de_argument_structure
      pommel stats auc --table orders --format csv
    """

    table: Annotated[
        SetTable,
        Option(
            help="AUC of all sentences and of each violation; or, of grammatical sentences, the "
            "mean score of each order of cases, preferences between two orders, and of nouns for "
            "cases."
        ),
    ] = "auc"
    normalise: Annotated[
        Normalisation,
        Option(
            help="A sentence's score: its log-probability; that by token; or less the "
            "log-probability by a unigram model, by token (slor)."
        ),
    ] = "none"
    unigram: Annotated[
        str | None,
        Option(
            metavar="GLOB",
            help="The unigram model of --normalise slor: name or reference of a model that has "
            "run on the same suites.",
        ),
    ] = None

    def answer(self, runs: Iterable[Run], of_unigram: Iterable[Run] = ()) -> "SentenceSets":
        """Return the rows of the table; `of_unigram` are the runs of the unigram model.

        Raises `UsageError` where these are of several models, and as `scores_of_runs` does.
        """
        if (self.normalise == "slor") != bool(self.unigram):
            raise UsageError("--normalise slor and --unigram GLOB go together")
        unigrams: dict[SuiteKey, Run] = {}
        for run in of_unigram:
            suite = run.surprisals.suite
            other = unigrams.setdefault((suite.language, suite.name), run)
            if other is not run:
                names = f"{other.result.model_name} and {run.result.model_name}"
                raise UsageError(f"--unigram {self.unigram!r} is both {names}; name one of them")
        scores, models, not_sets = scores_of_runs(runs, normalise=self.normalise, unigrams=unigrams)
        of_scores = (
            set_rows(each, self.table, n_resamples=self.n_resamples, seed=self.seed)
            for each in scores
        )
        rows = [[row for _ in each.records for row in next(of_scores)] for each in models.models]
        return SentenceSets(
            rows=tuple(models.with_families(rows, _family_rows)),
            scores=tuple(scores),
            not_sets=tuple(not_sets),
            table=self.table,
        )


@frozen(eq=False)
class SentenceSets(Answer):
    """How models score the sentences of sets: AUCs, or what they prefer of the grammatical ones.

    `scores` are what rows are computed from, `not_sets` the names of suites that are no sets. A
    family's rows stand behind its last member's; families whose members are steps of a training
    have none.
    """

    plot: ClassVar[str] = "auc"

    Asked = SentenceSetsAsked

    rows: tuple[SetRow, ...]
    scores: tuple[SetScores, ...]
    not_sets: tuple[str, ...]
    table: SetTable = "auc"

    @property
    def without_templates(self) -> list[SetScores]:
        """The scores of which every template is left out."""
        return [each for each in self.scores if each.n_skipped == len(each.scores)]

    @property
    def shown(self) -> list[SetRow]:
        """The rows without those of families of one member."""
        return [row for row in self.rows if not row.is_alone]

    @property
    def notes(self) -> Sequence[str]:
        """What a reader of the numbers should know, in plain words."""
        found = []
        for each in self.scores:
            where = f"{each.model} on {each.suite}"
            for n, what, why in (
                (
                    each.n_unscored,
                    "sentence",
                    "with a token without a surprisal, which is left out of the sentence's score",
                ),
                (
                    each.n_not_asked_for,
                    "template",
                    "left out, not all of whose tokens were asked for; run it with --regions all",
                ),
                (
                    each.n_skipped - each.n_not_asked_for,
                    "template",
                    "left out, with a sentence that the method cannot score or compare",
                ),
            ):
                if n:
                    found.append(f"{where}: {counted(n, what)} {why}")
        if self.not_sets:
            found.append(f"left out, without ungrammatical conditions: {listed(self.not_sets)}")
        return found

    @property
    def why_empty(self) -> str:
        """Why there is no row; "" where there is one."""
        if self.rows:
            return ""
        return (
            f"--table {self.table} needs a suite whose meta.design says which case each noun has "
            "(a permutation design)"
        )

    def frame(self) -> "pd.DataFrame":
        """Return one row each: a comparison, an order, a pair of orders, or a noun and case."""
        kind = _KINDS[self.table]
        rows = [each.columns(kind.mean) for each in self.rows]
        return frame_of_rows(rows, (*_SHARED, *kind.columns, *_OF_FAMILIES))

    def tables(self) -> "list[Table]":
        """Return one table: suites and what is compared x models; each suite is a section.

        Families of one member are left out.
        """
        kind = _KINDS[self.table]
        models = list(dict.fromkeys(row.header for row in self.shown))
        cells: dict[tuple[str, ...], dict[str, str]] = {}
        for row in self.shown:
            # A noun of which no case is plausible has none in brackets.
            words = (word.format_map(row.about).removesuffix(" ()") for word in kind.words)
            cells.setdefault((row.scores.suite, *words), {})[row.header] = row.cell
        caption = kind.caption
        if any(row.is_family for row in self.shown):
            caption += "\nsd: of a sample (n - 1), over members."
        table = plain_table(
            kind.title, names=("suite", *kind.headers), numbers=models, caption=caption
        )
        add_sections(
            table,
            (
                (*words, *(cells[words].get(name, "") for name in models))
                for words in sorted(cells, key=lambda each: each[0])
            ),
        )
        return [table]
