"""Rules: predictions that can never hold, or always hold, and those that say the same."""

import itertools
from collections.abc import Iterator, Sequence

from pommel.suite.lint.proofs import Proofs, Question, Reason
from pommel.suite.lint.remark import Cause, Remark, in_items
from pommel.suite.lint.values import Sharing, Values

# Why something is so, other than that it is so whatever a model says.
_SHARED: dict[Sharing, str] = {
    "none": "",
    "sentence": ": conditions that {they} have the same sentence",
    "left to right": ", for every left-to-right model: what {they} is the same, with all that "
    "stands before it",
}


def never_holds(proofs: Proofs) -> Iterator[Remark]:
    """Yield the predictions that can never hold, whatever surprisals a model gives."""
    for index in proofs.predictions:

        def can_not(values: Values, index: int = index) -> bool:
            return not proofs.can(index, "true", values)

        message = f"prediction {index} can never hold"
        hint = "look at what it compares, and which way round"
        yield from _remarks(proofs, "never-holds", [index], can_not, message=message, hint=hint)


def always_holds(proofs: Proofs) -> Iterator[Remark]:
    """Yield the predictions that always hold, whatever surprisals a model gives."""
    for index in proofs.predictions:

        def must(values: Values, index: int = index) -> bool:
            return not proofs.can(index, "not true", values)

        message = f"prediction {index} always holds"
        hint = "it says nothing of a model; look at what it compares"
        yield from _remarks(proofs, "always-holds", [index], must, message=message, hint=hint)


def contradiction(proofs: Proofs) -> Iterator[Remark]:
    """Yield that the predictions can never hold together, though each of them can by itself."""
    indexes = proofs.predictions
    if len(indexes) < 2:  # noqa: PLR2004 - a single one contradicts nothing
        return

    def contradict(values: Values) -> bool:
        each_can = all(proofs.can(index, "true", values) for index in indexes)
        return each_can and not proofs.can_all_hold(indexes, values)

    message = "the predictions can never hold together"
    hint = "by the score rule `all` such an item never counts"
    yield from _remarks(proofs, "contradiction", indexes, contradict, message=message, hint=hint)


def equivalent_prediction(proofs: Proofs) -> Iterator[Remark]:
    """Yield the predictions that say what an earlier one says, each once."""
    said = set()
    for one, other in itertools.combinations(proofs.predictions, 2):
        if other not in said and proofs.implies(one, other) and proofs.implies(other, one):
            said.add(other)
            yield Remark(
                rule="equivalent-prediction",
                path=("predictions", other, "formula"),
                message=f"prediction {other} says the same as prediction {one}",
                hint="remove one of them",
            )


def implied_prediction(proofs: Proofs) -> Iterator[Remark]:
    """Yield the predictions that hold wherever another one does, which says more."""
    for one, other in itertools.permutations(proofs.predictions, 2):
        if proofs.implies(one, other) and not proofs.implies(other, one):
            yield Remark(
                rule="implied-prediction",
                path=("predictions", other, "formula"),
                message=f"prediction {other} holds wherever prediction {one} does",
                hint="by the score rule `all` it changes nothing",
            )


def _remarks(  # noqa: PLR0913 - each of these is a part of what is said
    proofs: Proofs,
    rule: str,
    predictions: Sequence[int],
    question: Question,
    *,
    message: str,
    hint: str,
) -> Iterator[Remark]:
    """Yield a remark for each reason why something is so in some items, or in all."""
    subject = proofs.subject
    is_one = len(predictions) == 1
    for reason, items in proofs.items_where(predictions, question).items():
        numbers = subject.numbers(items)
        is_all = len(items) == len(subject.items)
        formula = ("predictions", predictions[0], "formula") if is_one else ("predictions",)
        because = _because(reason, subject.suite.metrics[0], is_one=is_one)
        where = "" if is_all else f" {in_items(numbers, len(subject.items))}"
        yield Remark(
            rule=rule,
            path=formula if is_all else ("items", items[0]),
            message=f"{message}{where}{because}",
            hint=hint,
            item_numbers=numbers,
            predictions=tuple(predictions),
            cause=_cause(reason),
        )


def _cause(reason: Reason) -> Cause | None:
    # Where it takes both, neither of them says it.
    if reason.is_empty:
        return "empty" if reason.sharing == "none" else None
    return None if reason.sharing == "none" else "same"


def _because(reason: Reason, metric: str, *, is_one: bool) -> str:
    shared = _SHARED[reason.sharing].format(they="it compares" if is_one else "they compare")
    if not reason.is_empty:
        return shared
    value = "and its sum is 0" if metric == "sum" else f"and has no {metric}"
    named = "it names" if is_one else "they name"
    return f"{shared}{'; and' if shared else ':'} a region that {named} is empty, {value}"
