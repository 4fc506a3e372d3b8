"""Suites as sets of sentences: which are grammatical, and what a design says of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pommel.errors import InputError, nearest
from pommel.suite.suite import Suite


@dataclass(frozen=True, slots=True, kw_only=True)
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


def is_set(suite: Suite) -> bool:
    """Return whether a suite says which of its conditions no speaker would say."""
    return bool(str(suite.meta.get("unacceptable") or "").split())


def set_sentences(suite: Suite) -> tuple[SetSentence, ...]:
    """Return the sentences of a suite's templates, in the order of `suite.condition_names`.

    `meta.unacceptable` names those that are ungrammatical, and `meta.design` says more, where a
    permutation design has left it. Raises `InputError` for a name that is no condition, and where
    one of the two sets is empty.
    """
    names = suite.condition_names
    unacceptable = str(suite.meta.get("unacceptable") or "").split()
    for name in unacceptable:
        if name not in names:
            meant = nearest(name, names)
            hint = f"; did you mean {meant!r}?" if meant else ""
            raise InputError(f"{suite.name}: meta.unacceptable names {name!r}, no condition{hint}")
    if not 0 < len(set(unacceptable)) < len(names):
        which = "no" if not unacceptable else "every"
        raise InputError(f"{suite.name}: meta.unacceptable names {which} condition")
    said = _conditions(suite.meta.get("design"))
    return tuple(
        _sentence(name, said.get(name), is_grammatical=name not in unacceptable) for name in names
    )


def _conditions(design: Any) -> Mapping[str, Any]:
    """Return what a design says of its conditions; `meta.design` may also be a word of anyone's."""
    conditions = design.get("conditions") if isinstance(design, Mapping) else None
    return conditions if isinstance(conditions, Mapping) else {}


def _sentence(name: str, said: Any, *, is_grammatical: bool) -> SetSentence:
    own: Mapping[str, Any] = said if isinstance(said, Mapping) else {}
    kind = own.get("kind")
    return SetSentence(
        name=name,
        is_grammatical=is_grammatical,
        kind=kind if isinstance(kind, str) else "",
        order=_words(own.get("case_order")),
        assignment=_words(own.get("assignment")),
    )


def _words(value: Any) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, list | tuple) else ()
