"""How models score the sentences of sets, some of which are grammatical and others not.

Within each template: the AUC of grammatical against ungrammatical sentences; and which orders of
the arguments, and which cases of which nouns, a model prefers, of the grammatical sentences of a
permutation design only: what is preferred there is no error. People who have rated the sentences
stand beside the models.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
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
from pommel.analysis.ratings import RatedSuite, Ratings, RatingScale
from pommel.errors import InputError, UsageError, counted, listed, nearest
from pommel.files import frame_of_rows
from pommel.scoring import Run, RunRecord, SuiteKey
from pommel.statistics import Estimate, Spread
from pommel.suite import Suite
from pommel.surprisal import ScoredSentence, Token
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
    """The scores of a model's sentences on one suite, or (`of_people`) of people's.

    `scores` has the shape (n_templates, n_sentences), in bits (bits a token where it is
    normalised), with templates as in `item_numbers` and sentences as in `sentences`. A template (an
    item) with a sentence that has no score is left out, its row NaN. `n_unscored` counts the
    sentences of the others in which a token has no surprisal: their score is that of the remaining
    tokens. `n_not_asked_for` counts the templates that are left out because a token was not asked
    for. `member` is which member of its family the model is, "" for one of none.

    Of people, scores are mean ratings, NaN of a sentence that nobody has rated. Sentences with a
    rating are compared; `n_unscored` counts the others, of templates that have any.
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
    item_numbers: tuple[int, ...] = ()
    of_people: bool = False

    @classmethod
    def rated(cls, ratings: Ratings, like: "SetScores") -> "SetScores":
        """Return the scores of people on the suite of a model's, whose ratings these are."""
        scores = ratings.scores(like.as_rated)
        n_rated = (~np.isnan(scores)).sum(axis=1)
        return replace(
            like,
            model=ratings.name,
            scores=scores,
            n_unscored=int((scores.shape[1] - n_rated)[n_rated > 0].sum()),
            n_not_asked_for=0,
            member="",
            of_people=True,
        )

    @property
    def as_rated(self) -> RatedSuite:
        """The sentences that people may have rated."""
        whole = Suite.whole_name(self.suite)
        return RatedSuite(
            name=whole,
            items=self.item_numbers,
            conditions=tuple(each.name for each in self.sentences),
            is_whole=self.suite == whole,
        )

    @property
    def kept(self) -> Scores:
        """The rows of the templates that count."""
        lacks = np.isnan(self.scores)
        return self.scores[~(lacks.all(axis=1) if self.of_people else lacks.any(axis=1))]

    @property
    def n_skipped(self) -> int:
        """How many templates are left out."""
        return len(self.scores) - len(self.kept)

    @property
    def left_out(self) -> Iterator[tuple[int, str, str]]:
        """How many sentences and templates are left out, maybe 0, of which kind, and why."""
        if self.of_people:
            yield self.n_unscored, "sentence", "left out, which nobody has rated"
            yield self.n_skipped, "template", "left out, of which nobody has rated a sentence"
            return
        why = "with a token without a surprisal, which is left out of the sentence's score"
        yield self.n_unscored, "sentence", why
        why = "left out, not all of whose tokens were asked for; run it with --regions all"
        yield self.n_not_asked_for, "template", why
        why = "left out, with a sentence that the method cannot score or compare"
        yield self.n_skipped - self.n_not_asked_for, "template", why

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
    taken off, nor is the mark at the end where the model itself scores none.

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
        scores=_tied(np.array(rows, dtype=np.float64)),
        n_unscored=n_unscored,
        n_not_asked_for=n_not_asked_for,
        item_numbers=tuple(item.number for item in suite.items),
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
        # But for the text of tokens without a surprisal, and an end that the model does not score.
        has_end = any(token.role == "eos" for token in sentence.tokens)
        bits += [
            math.nan if token.surprisal_bits is None else -token.surprisal_bits
            for token in unigram.tokens
            if not any(each.start <= token.start < each.end for each in missing)
            and (has_end or token.role != "eos")
        ]
    # Infinities that cancel make no number.
    if {-math.inf, math.inf} <= set(bits):
        return math.nan
    return -math.fsum(bits) / n


def _tied(scores: Scores) -> Scores:
    """Return scores in which those of a template that differ by rounding alone are the same."""
    order = scores.argsort(axis=1)
    ordered = np.take_along_axis(scores, order, axis=1)
    with np.errstate(invalid="ignore"):
        is_next = ~(np.diff(ordered, axis=1, prepend=np.nan) <= Token.TIE_BITS)
    first = np.maximum.accumulate(np.where(is_next, np.arange(scores.shape[1]), 0), axis=1)
    same = np.empty_like(scores)
    np.put_along_axis(same, order, np.take_along_axis(ordered, first, axis=1), axis=1)
    return same


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
        means = _known_means(each.columns(list(sentences.values())))
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
        halves = ((first > second) * 1.0 + (first >= second)) / 2
        halves[np.isnan(first) | np.isnan(second)] = math.nan
        about: About = {
            "order": " ".join(order),
            "other_order": " ".join(other),
            "n_pairs": len(shared),
        }
        yield about, _known_means(halves).tolist()


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


def _known_means(values: Scores) -> Scores:
    """Return the means of rows over what is not NaN, which is NaN of nothing."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        means: Scores = np.where(known, values, 0.0).sum(axis=1) / known.sum(axis=1)
    return means


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

_OF_RATINGS: dict[RatingScale, str] = {
    "z": "People: mean rating, in standard deviations from each participant's mean.",
    "raw": "People: mean rating, as given.",
}

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

    The row of a family, or of people each by itself, is the mean of `of_members`, the rows of its
    `n_in_family` members, of which some may have none. It has no values and no interval, and its
    counts are those of all members.
    """

    scores: SetScores
    about: About
    values: tuple[float, ...]
    estimate: Estimate
    n_in_family: int = 0
    of_members: "tuple[SetRow, ...]" = ()

    @classmethod
    def of_family(cls, name: str, n_in_family: int, rows: "Sequence[SetRow]") -> "SetRow":
        """Return the row of a family, whose members have these, about the same."""
        first, mean = rows[0], Spread.of(row.estimate.mean for row in rows).mean
        n_ties = sum(int(row.about.get(_TIES, 0)) for row in rows)
        return cls(
            scores=replace(first.scores, model=name, member=""),
            about={key: n_ties if key == _TIES else said for key, said in first.about.items()},
            values=(),
            estimate=Estimate(
                n=sum(row.estimate.n for row in rows), mean=mean, low=math.nan, high=math.nan
            ),
            n_in_family=n_in_family,
            of_members=tuple(rows),
        )

    @property
    def is_family(self) -> bool:
        """Whether it is the mean of a family."""
        return bool(self.of_members)

    @property
    def is_alone(self) -> bool:
        """Whether it is of a family of one member, and says what that member's row says."""
        return self.n_in_family == 1

    @property
    def spread(self) -> Spread:
        """How much the values differ, or the members of a family."""
        return Spread.of([row.estimate.mean for row in self.of_members] or self.values)

    @property
    def header(self) -> str:
        """What stands above the cell: of a family, that it is a mean, and of how many."""
        column = FamilyColumn(family=self.scores.model, n=self.n_in_family)
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
            of = f" (n = {spread.n})" if spread.n < self.n_in_family else ""
            return f"{mean_sd_cell(spread.mean, spread.sd, digits)}{of}"
        shown = interval_cell(self.estimate.mean, self.estimate, digits)
        n_lacking = len(self.scores.scores) - self.estimate.n
        return f"{shown} of {self.estimate.n}" if n_lacking else shown


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
        # Of people's sentences a template may lack all that are compared.
        known = tuple(value for value in values if not math.isnan(value))
        yield SetRow(scores=each, about=about, values=known, estimate=estimate)


def _family_rows(family: ComparedFamily, rows: Sequence[Sequence[SetRow]]) -> Iterator[SetRow]:
    """Yield the rows of a family, whose members have these."""
    return _mean_rows(family.label, len(family.members), chain.from_iterable(rows))


def _mean_rows(name: str, n_members: int, rows: Iterable[SetRow]) -> Iterator[SetRow]:
    """Yield the rows of what is the mean of members, who have these."""
    for members in grouped(rows, _what).values():
        yield SetRow.of_family(name, n_members, members)


def _what(row: SetRow) -> tuple[object, ...]:
    """Return what the rows of a family's members are about, if it is the same."""
    about = {key: value for key, value in row.about.items() if key != _TIES}
    return row.scores.language, row.scores.suite, *about.items()


@frozen(eq=False)
class _People:
    """The ratings of people on a suite: of all together, and of each by itself, if they say who."""

    n_ratings: int
    together: SetScores
    alone: tuple[SetScores, ...]

    @classmethod
    def of(cls, ratings: Ratings, models: Sequence[SetScores]) -> "Iterator[_People]":
        """Yield what ratings come to on each suite of the models' that has any.

        Of a suite in several versions that with the most items is rated. Raises `UsageError` where
        a model is called as the people are, or suites in several languages have one name.
        """
        if any(each.model == ratings.name for each in models):
            name = f"a model is called {ratings.name!r}, too; write --ratings NAME={ratings.file}"
            raise UsageError(f"--ratings {ratings.file}: {name}")
        likes: dict[SuiteKey, SetScores] = {}
        for each in sorted(models, key=lambda each: -len(each.item_numbers)):
            likes.setdefault((each.language, each.suite), each)
        languages = grouped(likes, lambda key: key[1])
        rated = ratings.on([like.as_rated for like in likes.values()])
        for like, own in zip(likes.values(), rated, strict=True):
            if own.rows and len(languages[like.suite]) > 1:
                there = listed([language or "(none)" for language, _ in languages[like.suite]])
                where = f"there is a suite {like.suite} in each of {there}"
                raise UsageError(f"--ratings {ratings.file}: {where}; choose one with --language")
            if own.rows:
                alone = (SetScores.rated(each, like) for each in own.by_participant())
                together = SetScores.rated(own, like)
                yield cls(n_ratings=len(own.rows), together=together, alone=(*alone,))

    def mean_rows(self, table: SetTable) -> Iterator[SetRow]:
        """Yield the means over what people have by themselves; none of fewer than two.

        Who has rated no two sentences that are compared is no part of them.
        """
        if len(self.alone) < _FEWEST_PEOPLE:
            return
        kind = _KINDS[table]
        rows = []
        for each in self.alone:
            for about, values in kind.values(each):
                found = Spread.of(values)
                ends = {"low": math.nan, "high": math.nan}
                estimate = Estimate(n=found.n, mean=found.mean, **ends)
                if found.n:
                    rows.append(SetRow(scores=each, about=about, values=(), estimate=estimate))
        yield from _mean_rows(labelled(self.together.model, _ALONE), len(self.alone), rows)


_FEWEST_PEOPLE = 2
# What the mean over people has in its name, each of whom has an AUC of its own.
_ALONE = "each by itself"


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
      pommel stats auc --suite de_argument_structure --ratings ratings.csv
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
    ratings: Annotated[
        tuple[str, ...],
        Option(
            metavar="[NAME=]FILE",
            help="People beside the models: a table with the columns item, condition and rating "
            "(higher is better), maybe suite and participant; NAME is human if not said; "
            "repeatable.",
        ),
    ] = ()
    rating_scale: Annotated[
        RatingScale,
        Option(
            name="--ratings-scale",
            help="Ratings in standard deviations from their participant's mean, or as given.",
        ),
    ] = "z"

    def answer(self, runs: Iterable[Run], of_unigram: Iterable[Run] = ()) -> "SentenceSets":
        """Return the rows of the table; `of_unigram` are the runs of the unigram model.

        Behind models stand people who have given ratings, which nothing is taken off from. Raises
        `UsageError` where the runs of a unigram model are of several models, or people are called
        alike; as `scores_of_runs`, and as `Ratings.read` and `Ratings.on` do.
        """
        if (self.normalise == "slor") != bool(self.unigram):
            raise UsageError("--normalise slor and --unigram GLOB go together")
        given = [Ratings.read(each) for each in self.ratings]
        if len({each.name for each in given}) < len(given):
            raise UsageError("several --ratings have one name; write --ratings NAME=FILE")
        unigrams: dict[SuiteKey, Run] = {}
        for run in of_unigram:
            suite = run.surprisals.suite
            other = unigrams.setdefault((suite.language, suite.name), run)
            if other is not run:
                names = f"{other.result.model_name} and {run.result.model_name}"
                raise UsageError(f"--unigram {self.unigram!r} is both {names}; name one of them")
        scores, models, not_sets = scores_of_runs(runs, normalise=self.normalise, unigrams=unigrams)
        of_scores = map(self._rows, scores)
        rows = [[row for _ in each.records for row in next(of_scores)] for each in models.models]
        scaled = [each.standardised() if self.rating_scale == "z" else each for each in given]
        people = [one for each in scaled for one in _People.of(each, scores)]
        of_people = ((*self._rows(one.together), *one.mean_rows(self.table)) for one in people)
        return SentenceSets(
            rows=(*models.with_families(rows, _family_rows), *chain.from_iterable(of_people)),
            scores=(*scores, *(one.together for one in people)),
            not_sets=tuple(not_sets),
            table=self.table,
            rating_scale=self.rating_scale,
            n_passed_over={
                each.name: len(each.rows)
                - sum(one.n_ratings for one in people if one.together.model == each.name)
                for each in given
            },
        )

    def _rows(self, scores: SetScores) -> Iterator[SetRow]:
        return set_rows(scores, self.table, n_resamples=self.n_resamples, seed=self.seed)


@frozen(eq=False)
class SentenceSets(Answer):
    """How models score the sentences of sets: AUCs, or what they prefer of the grammatical ones.

    `scores` are what rows are computed from, `not_sets` the names of suites that are no sets. A
    family's rows stand behind its last member's; families whose members are steps of a training
    have none. People stand behind all models; `n_passed_over` has how many of their ratings are of
    sentences that no model was run on.
    """

    plot: ClassVar[str] = "auc"

    Asked = SentenceSetsAsked

    rows: tuple[SetRow, ...]
    scores: tuple[SetScores, ...]
    not_sets: tuple[str, ...]
    table: SetTable = "auc"
    rating_scale: RatingScale = "z"
    n_passed_over: Mapping[str, int] = field(default_factory=dict)

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
        found = [
            f"{each.model} on {each.suite}: {counted(n, what)} {why}"
            for each in self.scores
            for n, what, why in each.left_out
            if n
        ]
        for name, n_ratings in self.n_passed_over.items():
            if n_ratings > 0:
                what = f"{counted(n_ratings, 'rating')} of sentences without a run"
                found.append(f"left out, by {name}: {what}")
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
        if any(each.of_people for each in self.scores) and not kind.is_share:
            caption += f"\n{_OF_RATINGS[self.rating_scale]}"
        of_families = (row.scores for row in self.shown if row.is_family)
        if over := {"participants" if each.of_people else "members" for each in of_families}:
            caption += f"\nsd: of a sample (n - 1), over {' and '.join(sorted(over))}."
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
