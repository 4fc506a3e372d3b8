"""Families: models that are one and the same but for a seed or a step of their training.

`lstm://FOLDER/seed-*`, `huggingface://NAME@{step1000,step2000}`, `ngram://models/{1..5}gram.arpa`.
Braces and ranges are those of a shell, in any reference; wildcards match what lies in a folder, in
references that name files and folders. Nothing is opened.

`NamedModel` is what a reference comes to, `Membership` which member of which family it is. Behind
them: patterns of names (text only), the places of a reference that can have one, and what members
are called, what they differ in, and in which order they stand.
"""

import contextlib
import gc
import itertools
import math
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, get_args

import bracex

from pommel.errors import ModelNotAvailableError, PommelError, UsageError, listed
from pommel.files import expanded
from pommel.models.kinds import KINDS, find_kind, scheme_at
from pommel.models.outline import Outline
from pommel.values import frozen, positional

if TYPE_CHECKING:
    from pommel.models.model import LoadOptions

_T = TypeVar("_T")
# What stands in each place of a reference, or in its first ones.
Texts = tuple[str, ...]

# What its members differ in: the seed they were trained with, how far they were trained, or
# something that has no name.
Axis = Literal["seed", "step", "epoch", "member"]


@frozen
class Membership:
    """Which member of which family a model is.

    `label` says it as the reference does ("seed-1", "step1000"); `value` is the number behind the
    axis's word, None where there is none and for the axis "member". `pattern` is the reference of
    the whole family.
    """

    family: str
    axis: Axis
    label: str
    value: float | None = None
    pattern: str = ""

    AXES: ClassVar[tuple[Axis, ...]] = get_args(Axis)

    @property
    def is_ordered(self) -> bool:
        """Whether the family is a path through training, of which a mean would say nothing."""
        return self.axis in ("step", "epoch")

    @staticmethod
    def last_steps(members: Iterable["Membership | None"]) -> "set[Membership]":
        """Return the member of each path through training that was trained longest."""
        steps = {each for each in members if each and each.is_ordered and each.value is not None}
        last = {each.family: each.value for each in sorted(steps, key=lambda each: each.value or 0)}
        return {each for each in steps if each.value == last[each.family]}

    def to_dict(self) -> dict[str, object]:
        """Return it as plain JSON values."""
        return {
            "name": self.family,
            "axis": self.axis,
            "member": self.label,
            "axis_value": self.value,
        }


@frozen
class Named:
    """What a model is called in tables, and which member of a family it is."""

    name: str
    membership: Membership | None = None

    @staticmethod
    def unique_names(models: "Mapping[str, Named]") -> "dict[str, Named]":
        """Return what models are called, by their references, so that no two share a name.

        A model is called by its reference where another has its name. So is a member of a family
        where another family has its name; the family is then called by its pattern.
        """
        n_called = Counter(each.name for each in models.values())
        patterns: dict[str, set[str]] = defaultdict(set)
        for each in models.values():
            if each.membership:
                patterns[each.membership.family].add(each.membership.pattern)
        found = {}
        for reference, each in models.items():
            name, membership = each.name, each.membership
            if membership and len(patterns[membership.family]) > 1:
                name, membership = reference, replace(membership, family=membership.pattern)
            elif n_called[name] > 1:
                name = reference
            found[reference] = Named(name=name, membership=membership)
        return found


@frozen
class NamedModel:
    """A model that somebody has named, by itself or as a member of a family.

    `name` is what tables call a member; None: what the model calls itself.
    """

    reference: str
    name: str | None = None
    membership: Membership | None = None

    @property
    def language(self) -> str:
        """The tag of the one language that a built-in model knows, as its name says it; else ""."""
        scheme, _, name = self.reference.partition("://")
        return name.partition("-")[0] if scheme == "builtin" else ""

    def fetch(self, options: "LoadOptions") -> None:
        """Have the model's files come nearer: from a hub to this disk, and from there into memory.

        What fails is left to whoever loads the model.
        """
        kind = find_kind(self.reference.partition("://")[0])
        with contextlib.suppress(OSError, PommelError):
            place = kind.place(self.reference, options) if kind and kind.place else None
            files = (place, *place.glob("*")) if place else ()
            for path in files:
                if path.is_file() and sys.platform == "linux":
                    with path.open("rb") as opened:
                        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_WILLNEED)

    @staticmethod
    def expand_all(references: Iterable[str]) -> "dict[str, tuple[NamedModel, ...]]":
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

    def outline(self, options: "LoadOptions") -> Outline:
        """Return what can be told of the model without its weights.

        Raises `ModelNotAvailableError` for one that the Hub says it has not.
        """
        places = split_places(self.reference)
        path, reference = places.path(places.written), self.reference
        if not any(places.written):
            # It names no file, and an empty path would be the folder that one is in.
            return Outline(reference=reference)
        scheme, _, rest = reference.partition("://")
        if places.models_are and _exists(path):
            scheme = scheme if rest else scheme_at(path) or "huggingface"
            reference = f"{scheme}://{path.absolute()}{places.settings}"
        kind = find_kind(scheme.lower())
        if kind and kind.outline:
            return kind.outline(reference, options)
        place = kind.place(reference, options) if kind and kind.place else path
        if not place or not _exists(place):
            return Outline(reference=reference)
        files = [each for each in (place, *place.glob("*")) if each.is_file()]
        sizes = {each: each.stat().st_size for each in files}
        # What has no weights is looked up in: n-grams, recordings.
        n_weights = sum(size for each, size in sizes.items() if each.suffix == ".safetensors")
        return Outline(
            reference=reference,
            n_bytes=sum(sizes.values()),
            n_parameters=n_weights // 4,
            tokenizer=next((each for each in files if each.name == "tokenizer.json"), None),
        )

    @staticmethod
    def certain(text: str) -> str:
        """Return the reference, with its scheme, of what can be nothing but a model; "" for others.

        That is what has a scheme of a model, or is the path of one (`scheme_at`), or a pattern of
        such paths.
        """
        scheme, separator, _ = text.partition("://")
        if separator:
            return text if scheme.lower() in KINDS else ""
        found = scheme_at(expanded(text))
        if not found:
            with contextlib.suppress(PommelError):
                first = expand(text)[0].reference
                found = scheme_at(expanded(first)) if first != text else ""
        return f"{found}://{text}" if found else ""

    @staticmethod
    def one_after_another(models: Iterable[_T]) -> Iterator[_T]:
        """Yield models that are to be loaded in turn; what one has left is freed before the next.

        What is left are torch's reference cycles, and what it keeps of a GPU's memory for itself.
        """
        for number, model in enumerate(models):
            if number and (torch := sys.modules.get("torch")):
                gc.collect()
                torch.cuda.empty_cache()
            yield model

    @staticmethod
    def unquoted_patterns(references: Sequence[str]) -> dict[str, list[str]]:
        """Return what a shell has made of patterns that were not quoted, and the patterns.

        That is references that differ only in the number of a seed or a step in their last part,
        or in a revision with such a number.
        """
        groups: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        for reference in references:
            body, mark, settings = reference.partition("?")
            last = re.split("[/@]", body)[-1]
            if numbers := [*_AXIS_NUMBER.finditer(last)]:
                # What varies most is written last. The rest of a revision varies with its step:
                # step1000-tokens2B, step2000-tokens4B.
                is_revision = body.endswith(f"@{last}")
                start, end = (0, len(last)) if is_revision else numbers[-1].span(2)
                around = body.removesuffix(last[start:]), f"{last[end:]}{mark}{settings}"
                groups[around][last[start:end]] = reference
        return {
            f"{start}{{{','.join(sorted(labels, key=natural_key))}}}{end}": [*labels.values()]
            for (start, end), labels in groups.items()
            if len(labels) > 1
        }


def expand(reference: str) -> tuple[NamedModel, ...]:
    """Return the models that a reference names: itself, or the members of a family in order.

    The last place that has a pattern says what a family's members differ in; if others have one,
    too, each of their combinations is a family of its own. A path that is there as it is written,
    with its braces and stars, wins over the pattern.
    Raises `UsageError` for braces that make no sense and for members that would have one name,
    `ModelNotAvailableError` for wildcards that match nothing.
    """
    places = split_places(reference)
    found, written = choices(places), places.written
    varying = [n for n, text in enumerate(written) if any(each[n] != text for each in found)]
    if not varying:
        return (NamedModel(reference=reference),)
    index = varying[-1]
    families: dict[Texts, list[Texts]] = defaultdict(list)
    for texts in found:
        families[*texts[:index], written[index], *texts[index + 1 :]].append(texts)
    in_order = sorted(families, key=lambda texts: [*map(natural_key, texts)])
    return tuple(
        member
        for family in in_order
        for member in _members(places, families[family], index, places.spelled(family))
    )


def one_model(reference: str) -> str:
    """Return the reference of the only model that a reference names.

    Raises `UsageError` for a family of several, and as `expand` does.
    """
    named = expand(reference)
    if len(named) > 1:
        shown = listed([each.reference for each in named])
        raise UsageError(f"{reference} names {len(named)} models ({shown}); name one")
    return named[0].reference


# More than anybody means: {1..1000000} would otherwise fill the memory before anything is said.
MAX_NAMES = 10_000

_INNERMOST = re.compile(r"{([^{}]*)}")
_BRACE = re.compile(r"[{}]")
_RANGE = re.compile(r"-?\d+\.\.-?\d+(?:\.\.(-?\d+))?")
_WILDCARD = re.compile(r"[*?\[]")


def split_outside_braces(text: str, separators: str) -> list[tuple[str, str]]:
    """Return the parts of a text, each with the separator before it, "" before the first.

    A separator inside braces does not separate.
    """
    parts, depth = [("", "")], 0
    for character in text:
        depth += (character == "{") - (character == "}")
        if character in separators and depth <= 0:
            parts.append((character, ""))
        else:
            separator, part = parts[-1]
            parts[-1] = separator, part + character
    return parts


def expand_braces(text: str, *, reference: str) -> list[str]:
    """Return the texts that braces stand for, in the order in which a shell has them.

    `{a,b}` (also nested), `{1..5}`, `{5..1..2}`, and `{01..10}`, whose numbers have one width. A
    text without braces stands for itself. Raises `UsageError`, naming the reference, for braces
    that do not match, that hold nothing or one name, and for more than `MAX_NAMES` texts.
    """
    for braces in _INNERMOST.finditer(text):
        numbers = _RANGE.fullmatch(braces[1])
        if "," not in braces[1] and not (numbers and int(numbers[1] or 1)):
            raise UsageError(
                f"{reference}: {braces[0]} is no choice; write two names or more, as in "
                "{step1000,step2000}, or a range, as in {1..5} or {1000..5000..1000}"
            )
    try:
        texts = bracex.expand(text, keep_escapes=True, limit=MAX_NAMES) or [text]
    except bracex.ExpansionLimitException:
        raise UsageError(f"{reference}: it names more than {MAX_NAMES} models") from None
    except RecursionError:
        raise UsageError(f"{reference}: it has too many braces, one in another") from None
    if any(map(_BRACE.search, texts)):
        example = "write {a,b}, as in NAME@{step1000,step2000}"
        raise UsageError(f"{reference}: its braces do not match; {example}")
    return texts


@positional
class Reference:
    """A reference in its places: steps of its path, a revision, a tag, a server's model.

    `written` is what stands in each place, `separators` what stands before it. `models_are` is what
    the last one names on disk ("folder", "file", "folder or file"), empty where nothing is on disk.
    `settings` is what stands behind them, as it is written.
    """

    text: str
    scheme: str
    separators: Texts
    written: Texts
    models_are: str
    settings: str

    def spelled(self, texts: Sequence[str]) -> str:
        """Return the reference with other texts in its places."""
        scheme = f"{self.scheme}://" if "://" in self.text else ""
        return f"{scheme}{self.beginning(texts)}{self.settings}"

    def beginning(self, texts: Sequence[str]) -> str:
        """Return what texts for the first places make, without scheme and settings."""
        return "".join(map("".join, zip(self.separators, texts, strict=False)))

    def path(self, texts: Sequence[str]) -> Path:
        """Return where such a reference points on disk."""
        return expanded(self.beginning(texts))


def split_places(reference: str) -> Reference:
    """Return a reference in its places. Raises `UsageError` for braces around schemes."""
    scheme, separator, body = reference.partition("://")
    if not separator:
        scheme, body = "", reference
    if "{" in scheme:
        raise UsageError(
            f"{reference}: the scheme stands before the braces, as in SCHEME://{{a,b}}"
        )
    kind = find_kind(scheme)
    mark = settings = ""
    if kind and kind.has_settings:
        # Settings have no pattern.
        body, mark, settings = body.partition("?")
    # Where nothing is on disk (images, URLs), `*`, `?` and `[` are characters like any other.
    models_are = kind.models_are if kind else "" if separator else "folder or file"
    if models_are:
        # Windows has another one, which means something else in braces.
        body = body.replace(os.sep, "/")
    parts = split_outside_braces(body, kind.separators if kind else "/")
    if parts[-1] == ("/", "") and len(parts) > 1:
        # A shell that completes a folder's name puts a slash behind it.
        parts.pop()
    separators, written = zip(*parts, strict=True)
    return Reference(reference, scheme, separators, written, models_are, f"{mark}{settings}")


def choices(reference: Reference) -> list[Texts]:
    """Return what the places of a reference can stand for together, a text for each.

    Braces come before wildcards, as in a shell; each text that they stand for has to match
    something. A path that is there as it is written stands for itself. Raises `UsageError` for
    braces that make no sense, `ModelNotAvailableError` for wildcards that match nothing.
    """
    if reference.models_are and _exists(reference.path(reference.written)):
        return [reference.written]
    expanded = [expand_braces(text, reference=reference.text) for text in reference.written]
    return [
        *dict.fromkeys(
            found for texts in itertools.product(*expanded) for found in _matching(reference, texts)
        )
    ]


def _matching(reference: Reference, texts: Texts) -> Iterator[Texts]:
    """Yield what texts without braces stand for: what their wildcards match, in order."""
    kind = reference.models_are
    first = next((n for n, text in enumerate(texts) if kind and _WILDCARD.search(text)), None)
    if first is None:
        yield texts
        return
    before = texts[:first]
    if reference.separators[first] == "@":
        raise UsageError(
            f"{reference.text}: wildcards match folders, and no revisions; name these, as in "
            f"huggingface://{reference.beginning(before)}@{{step1000,step2000}}"
        )
    folder = reference.path((*before, ""))
    behind = reference.beginning(texts).removeprefix(reference.beginning((*before, "")))
    try:
        # As in a shell, names that begin with a dot have to be asked for, and two stars are one.
        hidden = "/." in f"/{behind}"
        found = sorted(
            each.relative_to(folder).parts
            for each in folder.glob(re.sub(r"\*+", "*", behind))
            if _fits(each, kind) and (hidden or "/." not in f"/{each.relative_to(folder)}")
        )
        if kind == "folder or file":
            # Beside folders that are models, files are what a training left there.
            found = [parts for parts in found if folder.joinpath(*parts).is_dir()] or found
        if not found:
            there = listed(sorted(each.name for each in folder.glob("[!.]*"))) or "nothing"
            hint = f"in {folder} there is: {there}"
            if reference.scheme == "huggingface" and not folder.exists():
                hint = "wildcards match folders, what is on the hub is named: NAME-{70m,160m}"
            raise ModelNotAvailableError(
                f"{reference.text}: no {kind} matches {reference.path(texts)}; {hint}"
            )
    except OSError as error:
        what = error.strerror or error
        raise ModelNotAvailableError(f"{reference.text}: {folder}: {what}") from None
    for parts in map(iter, found):
        # A choice of braces may have held a slash.
        counts = (text.count("/") + 1 for text in texts[first:])
        yield *before, *("/".join(itertools.islice(parts, count)) for count in counts)


def _fits(path: Path, kind: str) -> bool:
    return ("folder" in kind and path.is_dir()) or ("file" in kind and path.is_file())


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


_AXES: dict[str, Axis] = {
    "seed": "seed",
    "globalstep": "step",
    "global_step": "step",
    "step": "step",
    "checkpoint": "step",
    "ckpt": "step",
    "iteration": "step",
    "iter": "step",
    "epoch": "epoch",
}
_WORD = f"(?<![a-z])({'|'.join(_AXES)})s?"
_NUMBER = r"(\d+(?:\.\d+)?)([kmb])?(?![a-z0-9])"
_GAP = "-_.=:/ "
_AXIS_NUMBER = re.compile(f"{_WORD}[{_GAP}]*{_NUMBER}", re.IGNORECASE)
# A pattern may begin within a number: checkpoint-1*.
_AXIS_AT_END = re.compile(rf"{_WORD}[{_GAP}]*[\d.]*$", re.IGNORECASE)
# step_20k; nobody counts seeds like that.
_FACTORS = {"": 1, "k": 1e3, "m": 1e6, "b": 1e9}
_FILE_ENDINGS = re.compile(r"(\.(arpa|bin|gz|json|jsonl|klm|tsv|txt)){1,9}$")
_DIGITS = re.compile(r"(\d+)")
# Places that begin with one of these can begin with a name; what begins otherwise (a revision, a
# tag) has its name before it.
_NAMES_BEGIN = ("", "/", "#")


def _members(
    reference: Reference, choices: Sequence[Texts], index: int, pattern: str
) -> Iterator[NamedModel]:
    """Yield the members of a family, in the order of their numbers; those without one are last.

    The choices differ in the text of one place only. The family is called by what its members'
    names begin with (lstm-en-seed-1), else by what they are in (FOLDER/seed-1, NAME@step1000).
    Raises `UsageError` if two members have one label.
    """
    separator, written = reference.separators[index], reference.written[index]
    above, stem = _above(reference, choices[0], index), ""
    if separator in _NAMES_BEGIN:
        # What stands before the first brace or wildcard.
        start = re.split(r"[{*?\[]" if reference.models_are else "{", written, maxsplit=1)[0]
        stem = _AXIS_AT_END.sub("", start).rstrip(_GAP)
    before = f"{above}{separator or '/'}" if above and not stem else ""
    members: dict[str, tuple[str, str, dict[Axis, float]]] = {}
    for texts in choices:
        end = texts[index]
        if "file" in reference.models_are:
            end = _FILE_ENDINGS.sub("", end)
        label = end.removeprefix(stem).lstrip(_GAP) or end if stem else end
        spelled = reference.spelled(texts)
        if label in members:
            raise UsageError(
                f"{reference.text}: two of its models would be called {label!r}, "
                f"{members[label][0]} and {spelled}; name one of them"
            )
        members[label] = spelled, f"{before}{end}", _numbers(label)
    axis = _axis(reference, [numbers for _, _, numbers in members.values()])
    family = stem or above or next(iter(choices[0][index + 1 :]), "") or written

    def order(label: str) -> tuple[float, list[Any]]:
        return members[label][2].get(axis, math.inf), natural_key(label)

    for label in sorted(members, key=order):
        spelled, name, numbers = members[label]
        value = numbers.get(axis)
        membership = Membership(family=family, axis=axis, label=label, value=value, pattern=pattern)
        yield NamedModel(reference=spelled, name=name, membership=membership)


def _above(reference: Reference, texts: Texts, index: int) -> str:
    """Return the name of what a place is in, empty where that has none."""
    before = reference.beginning(texts[:index])
    name = before if reference.separators[index] == "#" else before.rpartition("/")[2]
    if name in {"", ".", "..", "~"}:
        is_path = reference.models_are and (index or _WILDCARD.search(reference.written[index]))
        return reference.path((*texts[:index], "")).resolve().name if is_path else ""
    return name


def _numbers(text: str) -> dict[Axis, float]:
    """Return the first number behind a word of each axis; "member" has no word."""
    found: dict[Axis, float] = {}
    for word, number, factor in _AXIS_NUMBER.findall(text):
        axis = _AXES[word.lower()]
        found.setdefault(axis, float(number) * _FACTORS[factor.lower() if axis == "step" else ""])
    return found


def _axis(reference: Reference, numbers: Sequence[Mapping[Axis, float]]) -> Axis:
    """Return what members differ in, by the words before the numbers in their labels.

    That is the first word whose numbers are all different, else one whose numbers vary. Raises
    `UsageError` where two vary at once and neither tells the members apart.
    """
    values: dict[Axis, set[float]] = defaultdict(set)
    for axis, value in itertools.chain.from_iterable(each.items() for each in numbers):
        values[axis].add(value)
    telling = [axis for axis, own in values.items() if len(own) == len(numbers)]
    varying = [axis for axis, own in values.items() if len(own) > 1]
    if len(varying) > 1 and not telling:
        raise UsageError(
            f"{reference.text}: its models differ in {' and '.join(varying)} at once; "
            "write one pattern for each family"
        )
    return next(iter(telling or varying or values), "member")


def natural_key(text: str) -> list[Any]:
    """Return what sorts texts as people do: step-900 before step-1000."""
    # Text and numbers take turns, so that text is never compared with a number.
    return [int(part) if n % 2 else part for n, part in enumerate(_DIGITS.split(text))]
