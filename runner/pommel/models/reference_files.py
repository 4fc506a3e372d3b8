"""The files that a model reference names: `scheme://FILE?key=FILE&key=FILE`, and LM Zoo specs."""

import contextlib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from pommel.errors import InputError, ModelNotAvailableError, UsageError
from pommel.files import DecodedText, expanded, json_schema
from pommel.models.alignment import TokenizerSpec
from pommel.values import positional


@positional
class Reference:
    """A reference in its parts: `scheme://path?key=value`; `path` may be empty."""

    text: str
    path: str
    settings: Mapping[str, str]


def split_reference(reference: str, known: Collection[str]) -> Reference:
    """Return the parts of a reference, with or without a scheme.

    Nothing is decoded: a path may hold `%`, `+` and blanks as they are. Raises `UsageError` for a
    setting that is not among `known`, or has no value, or is there twice.
    """
    path, _, query = reference.partition("://")[2 if "://" in reference else 0].partition("?")
    settings: dict[str, str] = {}
    for part in filter(None, query.split("&")):
        key, _, value = part.partition("=")
        if key not in known or not value or key in settings:
            wanted = " or ".join(f"{name}=..." for name in known)
            raise UsageError(f"{reference}: {part!r} is no setting; write {wanted}, each once")
        settings[key] = value
    return Reference(reference, path, settings)


def read_text(path: Path, *, asked_by: str) -> str:
    """Return the text of a UTF-8 file, line ends as they are, without a byte-order mark.

    Raises `ModelNotAvailableError`, naming the reference `asked_by`, if it can't be read, and
    `InputError` with line and column if it is not UTF-8, or too large.
    """
    try:
        return DecodedText.of_file(expanded(path)).text
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise ModelNotAvailableError(f"{asked_by}: {path}: {reason}") from error


@contextlib.contextmanager
def unchanged(place: Path, *, asked_by: str) -> Iterator[None]:
    """Have a model's file, or the files of its folder, be the same at the end as at the beginning.

    What was read of them and what they are known by would else be two models. Raises
    `ModelNotAvailableError`, naming the reference `asked_by`.
    """
    before = _states(place)
    yield
    after = _states(place)
    if changed := sorted(name for name in before | after if before.get(name) != after.get(name)):
        raise ModelNotAvailableError(
            f"{asked_by}: {changed[0]} has changed while the model was loaded; is it still being "
            "written? Run it again when that is done"
        )


def _states(place: Path) -> dict[str, tuple[int, ...]]:
    """Return size, times and place on the disk of a file, or of those in a folder, by their names.

    A file that is gone has none.
    """
    found: dict[str, tuple[int, ...]] = {}
    for path in (place, *place.glob("*")):
        with contextlib.suppress(OSError):
            if path.is_file():
                status = path.stat()
                found[path.name] = (status.st_size, status.st_mtime_ns, status.st_ino)
    return found


def check_spec(spec: object, *, where: str) -> Mapping[str, Any]:
    """Return an LM Zoo spec that can be used, and is one by `schemas/model_spec.json`.

    Raises `InputError`.
    """
    check_shape(spec, json_schema("model_spec"), where=where, noun="spec of a language model")
    assert isinstance(spec, dict)  # noqa: S101 - the schema has just said so
    try:
        TokenizerSpec.from_dict(spec)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return spec


def check_shape(value: object, schema: Mapping[str, Any], *, where: str, noun: str) -> None:
    """Raise `InputError` with the gravest fault of a value that does not fit a JSON Schema."""
    # Imported here: jsonschema takes longer to import than pommel does.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    fault = best_match(Draft202012Validator(schema).iter_errors(value))
    if fault is not None:
        place = fault.json_path.removeprefix("$").removeprefix(".")
        at = f" (at {place})" if place else ""
        raise InputError(f"{where}: this is no {noun}: {fault.message}{at}")
