"""An image's `spec`: read once, checked, and safe to be used."""

import itertools
import json
from codecs import BOM_UTF8
from collections.abc import Mapping
from typing import Any

from pommel.errors import InputError, quoted
from pommel.files import is_encodable, parse_json
from pommel.models.alignment import TokenizerSpec
from pommel.models.container.engines.engine import MIB, Engine, Job
from pommel.models.container.engines.process import WARNING, Command, shortened
from pommel.models.reference_files import check_spec

# The largest published one lists 793,000 words in some 12 MB.
_MOST_MIB = 32
# Of everything but these words.
_MOST_VALUES = 100_000
_LONGEST_TEXT = 100_000
_DEEPEST = 32
# What is shown to people: a name, a token.
_LONGEST_SHOWN = 200


def read_spec(engine: Engine, job: Job, habits: set[str]) -> Mapping[str, Any]:
    """Return what the command `spec` prints; what is read although it should not be is a habit.

    Raises `ContainerError` for what is no JSON, or no spec by `schemas/model_spec.json`, or far too
    big for one, and for names, marks and a `drop_token_pattern` that nobody would want.
    """
    with Command(engine, job) as command:
        command.feed(())
        raw = bytearray()
        for chunk in command.chunks():
            raw += chunk
            if len(raw) > _MOST_MIB * MIB:
                raise command.failure(f"its output is bigger than {_MOST_MIB} MiB")
        command.finish()
        try:
            lines = raw.decode("utf-8-sig").rstrip("\n").split("\n")
            told = [*itertools.dropwhile(lambda line: line.startswith(WARNING), lines)]
            spec = _checked("\n".join(told))
        except UnicodeDecodeError as error:
            raise command.failure("its output is not UTF-8") from error
        except (InputError, ValueError) as error:
            raise command.failure(shortened(str(error))) from error
    if raw.startswith(BOM_UTF8):
        habits.add("a byte order mark")
    if len(told) < len(lines):
        habits.add("warnings before its spec")
    return spec


def _checked(text: str) -> Mapping[str, Any]:
    spec = parse_json(text, where="its output")
    short = _without_items(spec)
    _check_extent(short)
    check_spec(short, where="its output")
    if not is_encodable(json.dumps(short, ensure_ascii=False)):
        raise InputError("its output holds half of a surrogate pair, which is no text")
    for key in ("name", "shortname"):
        if value := spec.get(key):
            check_shown(value, f"the {key} in it")
            if not value.strip():
                raise InputError(f"the {key} in it, {quoted(value)}, cannot be shown")
    for key in TokenizerSpec.VOCABULARY:
        for value in (spec.get("vocabulary") or {}).get(key, ()):
            check_shown(value, f"a token of vocabulary.{key} in it")
    return dict(spec)


def check_shown(text: str, what: str) -> None:
    """Raise `InputError` for a name or token that is too long to be shown, or steers terminals."""
    if len(text) > _LONGEST_SHOWN:
        raise InputError(f"{what}, {quoted(text)}, has more than {_LONGEST_SHOWN} characters")
    if not text.isprintable():
        raise InputError(f"{what}, {quoted(text)}, cannot be shown")


def _check_extent(spec: object) -> None:
    # Before anything looks for faults one by one, or follows it into its depths.
    waiting: list[tuple[object, int]] = [(spec, 1)]
    count = 0
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, str) and len(value) > _LONGEST_TEXT:
            raise InputError(f"its output holds a text of more than {_LONGEST_TEXT} characters")
        if not isinstance(value, dict | list):
            continue
        if depth > _DEEPEST:
            raise InputError(f"its output is nested deeper than {_DEEPEST} levels")
        count += len(value)
        if count > _MOST_VALUES:
            what = f"more than {_MOST_VALUES} values beside the words of vocabulary.items"
            raise InputError(f"its output holds {what}")
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        waiting += [(part, depth + 1) for part in parts]


def _without_items(spec: Any) -> Any:
    """Return the spec without its list of words, if it is one: to check each takes long."""
    match spec:
        case {"vocabulary": {"items": [*items], **vocabulary}} if all(
            isinstance(item, str) for item in items
        ):
            return {**spec, "vocabulary": vocabulary}
    return spec
