"""Families of models: from a reference with a pattern to the models that it names.

`lstm://FOLDER/seed-*`, `huggingface://NAME@{step1000,step2000}`, `ngram://models/{1..5}gram.arpa`.
Braces and ranges are those of a shell, in any reference; wildcards match what lies in a folder, in
references that name files and folders. Nothing is opened.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pommel.errors import UsageError, listed
from pommel.models.family import Membership
from pommel.models.member_names import axis_number, members_of, natural_key
from pommel.models.places import Reference, choices, split_places


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedModel:
    """A model that somebody has named, by itself or as a member of a family.

    `name` is what tables call a member; None: what the model calls itself.
    """

    reference: str
    name: str | None = None
    membership: Membership | None = None


def expand(reference: str) -> tuple[NamedModel, ...]:
    """Return the models that a reference names: itself, or the members of a family in order.

    The last place that has a pattern says what a family's members differ in; if others have one,
    too, each of their combinations is a family of its own. A path that is there as it is written,
    with its braces and stars, wins over the pattern.
    Raises `UsageError` for braces that make no sense and for members that would have one name,
    `ModelNotAvailableError` for wildcards that match nothing.
    """
    places = split_places(reference)
    if all(place.start == place.text and "}" not in place.text for place in places.places):
        return (NamedModel(reference=reference),)
    # A model that is named twice, {a,a}, is one.
    found = list(dict.fromkeys(choices(places)))
    written = tuple(place.text for place in places.places)
    varying = [n for n, text in enumerate(written) if any(each[n] != text for each in found)]
    if not varying:
        return (NamedModel(reference=reference),)
    return tuple(_members(places, found, varying[-1]))


def expand_all(references: Iterable[str]) -> dict[str, tuple[NamedModel, ...]]:
    """Return the models that each of some references names, every model once.

    One that is a member of a family is not there alone: its own reference then names no model.
    Raises as `expand` does, and `UsageError` for a model in two families.
    """
    expanded = {reference: expand(reference) for reference in references}
    patterns: dict[str, str] = {}
    for each in itertools.chain.from_iterable(expanded.values()):
        if each.membership is None:
            continue
        pattern = each.membership.pattern
        other = patterns.setdefault(each.reference, pattern)
        if other != pattern:
            raise UsageError(
                f"{each.reference} is in two families, {other} and {pattern}; name it in one"
            )
    return {
        reference: tuple(each for each in named if each.membership or reference not in patterns)
        for reference, named in expanded.items()
    }


def one_model(reference: str) -> str:
    """Return the reference of the only model that a reference names.

    Raises `UsageError` for a family of several, and as `expand` does.
    """
    named = expand(reference)
    if len(named) > 1:
        shown = listed([each.reference for each in named])
        raise UsageError(f"{reference} names {len(named)} models ({shown}); name one")
    return named[0].reference


def unquoted_patterns(references: Sequence[str]) -> dict[str, list[str]]:
    """Return what a shell has made of patterns that were not quoted, and the patterns.

    That is references that differ only in the number of a seed or a step in their last part, or in
    a revision with such a number.
    """
    groups: dict[tuple[str, str], dict[str, str]] = {}
    for reference in references:
        if (parts := _around_number(reference)) is not None:
            start, label, end = parts
            groups.setdefault((start, end), {})[label] = reference
    return {
        f"{start}{{{','.join(sorted(labels, key=natural_key))}}}{end}": [*labels.values()]
        for (start, end), labels in groups.items()
        if len(labels) > 1
    }


def _around_number(reference: str) -> tuple[str, str, str] | None:
    """Return a reference in three: what varies, and what stands before and behind it."""
    body, mark, settings = reference.partition("?")
    last = re.split("[/@]", body)[-1]
    if (span := axis_number(last)) is None:
        return None
    # The rest of a revision varies with its step: step1000-tokens2B, step2000-tokens4B.
    start, end = (0, len(last)) if body.endswith(f"@{last}") else span
    return body.removesuffix(last[start:]), last[start:end], f"{last[end:]}{mark}{settings}"


def _members(
    reference: Reference, found: Sequence[tuple[str, ...]], index: int
) -> Iterator[NamedModel]:
    """Yield the members of one family after the other."""
    pattern = reference.places[index].text
    families: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for texts in found:
        family = (*texts[:index], pattern, *texts[index + 1 :])
        families.setdefault(family, []).append(texts)
    for _, of_it in sorted(families.items(), key=lambda each: _natural(each[0])):
        for member in members_of(reference, of_it, index):
            yield NamedModel(
                reference=reference.spelled(member.texts),
                name=member.name,
                membership=member.membership,
            )


def _natural(texts: tuple[str, ...]) -> list[object]:
    return [natural_key(text) for text in texts]
