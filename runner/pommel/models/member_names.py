"""What the members of a family are called, what they differ in, and in which order they stand."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pommel.errors import UsageError
from pommel.models.family import Axis, Membership
from pommel.models.patterns import has_wildcard
from pommel.models.places import Place, Reference

_AXES: dict[str, Axis] = {
    "seed": "seed",
    "globalstep": "step",
    "step": "step",
    "checkpoint": "step",
    "ckpt": "step",
    "iteration": "step",
    "iter": "step",
    "epoch": "epoch",
}
_WORD = r"(?<![a-z])(seed|global_?step|step|checkpoint|ckpt|iteration|iter|epoch)s?"
_NUMBER = r"(\d+(?:\.\d+)?)([kmb])?(?![a-z0-9])"
_GAP = "-_.=:/ "
_AXIS_NUMBER = re.compile(f"{_WORD}[{_GAP}]*{_NUMBER}", re.IGNORECASE)
_AXIS_AT_END = re.compile(f"{_WORD}[{_GAP}]*$", re.IGNORECASE)
# step_20k; nobody counts seeds like that.
_FACTORS = {"k": 1e3, "m": 1e6, "b": 1e9}
_FILE_ENDINGS = re.compile(r"(\.(arpa|bin|gz|json|jsonl|klm|tsv|txt))+$")
_DIGITS = re.compile(r"(\d+)")
# Places that begin with one of these can begin with a name; what begins otherwise (a revision, a
# tag) has its name before it.
_NAMES_BEGIN = ("", "/", "#")


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A member of a family: the texts of its reference's places, its name in tables."""

    texts: tuple[str, ...]
    name: str
    membership: Membership


def members_of(
    reference: Reference, choices: Sequence[tuple[str, ...]], index: int
) -> list[Member]:
    """Return the members of a family, in the order of their numbers; those without one are last.

    The choices differ in the text of one place only. The family is called by what its members'
    names begin with (lstm-en-seed-1), else by what they are in (FOLDER/seed-1, NAME@step1000).
    Raises `UsageError` if two members have one label.
    """
    place, above = reference.places[index], _above(reference, choices[0], index)
    stem = _AXIS_AT_END.sub("", place.start).rstrip(_GAP)
    if place.separator not in _NAMES_BEGIN:
        stem = ""
    # checkpoints/1000: the word of the number stands above it.
    context = f"{above}/" if place.separator == "/" and not stem else ""
    ends = [_without_ending(texts[index], place) for texts in choices]
    labels = [end.removeprefix(stem).lstrip(_GAP) or end if stem else end for end in ends]
    _check_distinct(reference, dict(zip(choices, labels, strict=True)))
    axis = _axis(reference, place, [_in_context(label, context) for label in labels])
    before = f"{above}{place.separator or '/'}" if above and not stem else ""
    family = stem or above or _beside(choices[0], index) or place.text
    pattern = reference.spelled((*choices[0][:index], place.text, *choices[0][index + 1 :]))
    members = [
        Member(
            texts=texts,
            name=f"{before}{end}",
            membership=Membership(
                family=family,
                axis=axis,
                label=label,
                value=_value(_in_context(label, context), axis),
                pattern=pattern,
            ),
        )
        for texts, end, label in zip(choices, ends, labels, strict=True)
    ]
    return sorted(members, key=_order)


def _above(reference: Reference, texts: tuple[str, ...], index: int) -> str:
    """Return the name of what a place is in, empty where that has none."""
    place = reference.places[index]
    before = reference.beginning(texts[:index])
    name = before if place.separator == "#" else before.rpartition("/")[2]
    if name in {"", ".", "..", "~"}:
        is_path = place.kind and (index or has_wildcard(place.text))
        return reference.path((*texts[:index], "")).resolve().name if is_path else ""
    return name


def _beside(texts: tuple[str, ...], index: int) -> str:
    return texts[index + 1] if index + 1 < len(texts) else ""


def _without_ending(text: str, place: Place) -> str:
    return _FILE_ENDINGS.sub("", text) if "file" in place.kind else text


def _in_context(label: str, context: str) -> str:
    return f"{context}{label}" if label[:1].isdigit() else label


def _check_distinct(reference: Reference, labels: Mapping[tuple[str, ...], str]) -> None:
    first: dict[str, tuple[str, ...]] = {}
    for texts, label in labels.items():
        other = first.setdefault(label, texts)
        if other is not texts:
            names = f"{reference.spelled(other)} and {reference.spelled(texts)}"
            raise UsageError(
                f"{reference.text}: two of its models would be called {label!r}, {names}; "
                "name one of them"
            )


def _axis(reference: Reference, place: Place, contexts: Sequence[str]) -> Axis:
    """Return what members differ in, by the words before the numbers in their labels.

    That is the word right before the pattern, unless its numbers repeat and another's do not; else
    the first one whose numbers are all different, or the only one. Raises `UsageError` where two
    vary at once and neither tells the members apart.
    """
    numbers: dict[Axis, set[str]] = {}
    for context in contexts:
        for found in _AXIS_NUMBER.finditer(context):
            numbers.setdefault(_axis_of(found[1]), set()).add(found[2])
    telling = [axis for axis, values in numbers.items() if len(values) == len(contexts)]
    varying = [axis for axis, values in numbers.items() if len(values) > 1]
    if len(varying) > 1 and not telling:
        raise UsageError(
            f"{reference.text}: its models differ in {' and '.join(varying)} at once; "
            "write one pattern for each family"
        )
    at_start = _AXIS_AT_END.search(place.start)
    if at_start and (not telling or _axis_of(at_start[1]) in telling):
        return _axis_of(at_start[1])
    return next(iter(telling or (numbers if len(numbers) == 1 else ())), "member")


def _value(context: str, axis: Axis) -> float | None:
    """Return the first number behind the axis's word; "member" has no word, and no number."""
    for found in _AXIS_NUMBER.finditer(context):
        if _axis_of(found[1]) == axis:
            factor = _FACTORS.get((found[3] or "").lower(), 1) if axis == "step" else 1
            return float(found[2]) * factor
    return None


def _axis_of(word: str) -> Axis:
    return _AXES[word.lower().replace("_", "")]


def _order(member: Member) -> tuple[bool, float, list[Any]]:
    label, value = member.membership.label, member.membership.value
    return value is None, value or 0.0, natural_key(label)


def natural_key(text: str) -> list[Any]:
    """Return what sorts texts as people do: step-900 before step-1000."""
    # Text and numbers take turns, so that text is never compared with a number.
    return [int(part) if n % 2 else part for n, part in enumerate(_DIGITS.split(text))]


def axis_number(text: str) -> tuple[int, int] | None:
    """Return where the last number stands that follows an axis's word; None if there is none."""
    found = [*_AXIS_NUMBER.finditer(text)]
    return found[-1].span(2) if found else None
