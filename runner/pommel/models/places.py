"""The places of a model reference that can have a pattern each, and what they can stand for."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pommel.errors import ModelNotAvailableError, UsageError
from pommel.models.patterns import (
    expand_braces,
    fixed_start,
    has_wildcard,
    matching,
    nearest_names,
    split_outside_braces,
)

# What a wildcard can match: a model is a folder, or a file; a path without a scheme may be either.
# Elsewhere (images, URLs) `*`, `?` and `[` are characters like any other.
_MODELS_ARE = {
    "huggingface": "folder",
    "lstm": "folder",
    "ngram": "file",
    "recorded": "file",
    "dummy": "file",
    "": "folder or file",
}
# What else than a slash ends a place.
_SEPARATORS = {
    "huggingface": "/@",
    **dict.fromkeys(("docker", "podman", "apptainer", "singularity", "library", "shub"), "/:@"),
    **dict.fromkeys(("http", "https"), "#"),
}
# What stands behind a question mark are settings, which have no pattern.
_WITH_SETTINGS = ("recorded", "dummy", "ngram")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A part of a reference: a step of its path, a revision, a tag, a server's model.

    `separator` stands before it. `kind` is what it names on disk ("folder", "file"), empty for what
    is not on disk.
    """

    separator: str
    text: str
    kind: str = ""

    @property
    def start(self) -> str:
        """What stands before the first brace or wildcard."""
        return fixed_start(self.text, wildcards=bool(self.kind))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A reference in its places; `settings` is what stands behind them, as it is written."""

    text: str
    scheme: str
    places: tuple[Place, ...]
    settings: str = ""

    def spelled(self, texts: Sequence[str]) -> str:
        """Return the reference with other texts in its places."""
        scheme = f"{self.scheme}://" if "://" in self.text else ""
        return f"{scheme}{self.beginning(texts)}{self.settings}"

    def beginning(self, texts: Sequence[str]) -> str:
        """Return what texts for the first places make, without scheme and settings."""
        pairs = zip(self.places, texts, strict=False)
        return "".join(f"{place.separator}{text}" for place, text in pairs)

    def path(self, texts: Sequence[str]) -> Path:
        """Return where such a reference points on disk."""
        # pathlib's own raises an exception of another kind for the home of nobody.
        return Path(os.path.expanduser(self.beginning(texts)) or ".")  # noqa: PTH111 - what is said above


def split_places(reference: str) -> Reference:
    """Return a reference in its places. Raises `UsageError` for braces around schemes."""
    scheme, separator, body = reference.partition("://")
    if not separator:
        scheme, body = "", reference
    if "{" in scheme:
        raise UsageError(
            f"{reference}: the scheme stands before the braces, as in SCHEME://{{a,b}}"
        )
    mark = settings = ""
    if scheme in _WITH_SETTINGS:
        body, mark, settings = body.partition("?")
    parts = split_outside_braces(body, _SEPARATORS.get(scheme, "/"))
    if parts[-1] == "/" and len(parts) > 1:
        # A shell that completes a folder's name puts a slash behind it.
        parts.pop()
    models_are = _MODELS_ARE.get(scheme, "")
    kinds = ["folder" if models_are else ""] * (len(parts) - 1) + [models_are]
    first, *others = zip(parts, kinds, strict=True)
    places = [
        Place(separator="", text=first[0], kind=first[1]),
        *(Place(separator=part[0], text=part[1:], kind=kind) for part, kind in others),
    ]
    return Reference(
        text=reference, scheme=scheme, places=tuple(places), settings=f"{mark}{settings}"
    )


def choices(reference: Reference) -> list[tuple[str, ...]]:
    """Return what the places of a reference can stand for together, a text for each.

    A place that is on disk as it is written stands for itself. Raises `UsageError` for braces that
    make no sense, `ModelNotAvailableError` for wildcards that match nothing.
    """
    found = [_Choice(texts=())]
    for index, place in enumerate(reference.places):
        found = [after for before in found for after in _continued(reference, before, place)]
        if not found:
            path = reference.path([each.text for each in reference.places[: index + 1]])
            raise ModelNotAvailableError(f"{reference.text}: no {place.kind} matches {path}")
    return [each.texts for each in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """Texts for a reference's first places, and whether they have been found by a wildcard."""

    texts: tuple[str, ...]
    by_wildcard: bool = False


def _continued(reference: Reference, before: _Choice, place: Place) -> Iterator[_Choice]:
    as_written = (*before.texts, place.text)
    if place.kind and place.start != place.text and _exists(reference.path(as_written)):
        yield _Choice(texts=as_written, by_wildcard=before.by_wildcard)
        return
    for text in expand_braces(place.text, reference=reference.text):
        if place.kind and has_wildcard(text):
            for name in _matching(reference, before, place, text):
                yield _Choice(texts=(*before.texts, name), by_wildcard=True)
            continue
        texts = (*before.texts, text)
        # What is named is opened, or refused then; what is found has to be there.
        if not (before.by_wildcard and place.kind) or _fits(reference.path(texts), place.kind):
            yield _Choice(texts=texts, by_wildcard=before.by_wildcard)


def _matching(reference: Reference, before: _Choice, place: Place, pattern: str) -> list[str]:
    if place.separator == "@":
        raise UsageError(
            f"{reference.text}: wildcards match folders, and no revisions; name these, as in "
            f"huggingface://{reference.beginning(before.texts)}@{{step1000,step2000}}"
        )
    folder = reference.path((*before.texts, ""))
    try:
        there = sorted(each.name for each in folder.iterdir() if _fits(each, place.kind))
        found = matching(there, pattern)
        if place.kind == "folder or file":
            # Beside folders that are models, files are what a training left there.
            found = [name for name in found if _fits(folder / name, "folder")] or found
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        if isinstance(error, FileNotFoundError) and reference.scheme == "huggingface":
            reason += "; wildcards match folders, what is on the hub is named: NAME-{70m,160m}"
        raise ModelNotAvailableError(f"{reference.text}: {folder}: {reason}") from None
    if not found and not before.by_wildcard:
        raise ModelNotAvailableError(
            f"{reference.text}: no {place.kind} in {folder} matches {pattern!r}; "
            f"{nearest_names(there, pattern)}"
        )
    return found


def _fits(path: Path, kind: str) -> bool:
    is_folder = path.is_dir()
    return (is_folder and "folder" in kind) or ("file" in kind and not is_folder and path.is_file())


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False
