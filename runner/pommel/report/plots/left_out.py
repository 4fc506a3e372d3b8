"""What a plot of AUCs has no mark of: suites and templates without scores, and why."""

from collections.abc import Iterator, Sequence

from pommel.analysis.sentence_sets import SetAuc, SetScores
from pommel.errors import counted, listed
from pommel.report.plots.theme import single_line

_MOST_NAMES = 5

_NOT_ASKED_FOR = "not all tokens were asked for; `pommel run --regions all` scores them"
_CANNOT = "every template has a sentence that the method cannot score or compare"
_CANNOT_SOME = "the method cannot score or compare a sentence of each"


def left_out_notes(rows: Sequence[SetAuc], not_sets: Sequence[str]) -> Iterator[str]:
    """Yield what is left out of the AUCs: models, templates, and suites that are no sets."""
    scores = _of_suites(rows)
    partial = [each for each in scores if 0 < each.n_skipped < len(each.scores)]
    for found, what, cannot in (
        (_wholly(scores), "", _CANNOT),
        (partial, "some templates of ", _CANNOT_SOME),
    ):
        asked = [each for each in found if each.n_not_asked_for]
        others = [each for each in found if not each.n_not_asked_for]
        for own, why in ((asked, _NOT_ASKED_FOR), (others, cannot)):
            if own:
                yield f"Without {what}{_models(own)}: {why}."
    if not_sets:
        names = listed([single_line(each) for each in not_sets], most=_MOST_NAMES)
        yield f"Without suites that have no ungrammatical conditions: {names}."


def why_nothing(rows: Sequence[SetAuc]) -> str:
    """Return why there is no AUC at all."""
    scores = _wholly(_of_suites(rows))
    n_asked = sum(each.n_not_asked_for > 0 for each in scores)
    if scores and n_asked == len(scores):
        return _NOT_ASKED_FOR
    return "every template lacks a score" + (f"; of some, {_NOT_ASKED_FOR}" if n_asked else "")


def _of_suites(rows: Sequence[SetAuc]) -> list[SetScores]:
    """Return the scores that rows are of, each once."""
    return [*{id(row.scores): row.scores for row in rows}.values()]


def _wholly(scores: Sequence[SetScores]) -> list[SetScores]:
    return [each for each in scores if each.n_skipped == len(each.scores)]


def _models(scores: Sequence[SetScores]) -> str:
    """Return the models, each with its suite or the number of them."""
    suites: dict[str, list[str]] = {}
    for each in scores:
        suites.setdefault(single_line(each.model), []).append(single_line(each.suite))
    named = [
        f"{model} ({own[0] if len(own) == 1 else counted(len(own), 'suite')})"
        for model, own in suites.items()
    ]
    return listed(named, most=_MOST_NAMES)
