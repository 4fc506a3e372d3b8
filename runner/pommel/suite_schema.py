"""Does a JSON value have the shape of a suite? Every way in which it has not, in plain words."""

import difflib
import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pommel import data
from pommel.json_document import JsonPath

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

_TYPE_NAMES = {
    "object": "an object { }",
    "array": "a list [ ]",
    "string": "text in quotes",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
_EXAMPLES = {
    "meta": '"meta": {"name": "my_suite", "metric": "sum"}',
    "region_meta": '"region_meta": {"1": "subject", "2": "verb"}',
    "predictions": '"predictions": [{"type": "formula", "formula": "(2;%a%) < (2;%b%)"}]',
    "items": '"items": [{"item_number": 1, "conditions": [...]}]',
    "name": '"name": "my_suite"',
    "metric": '"metric": "sum"',
    "type": '"type": "formula"',
    "formula": '"formula": "(2;%a%) < (2;%b%)"',
    "item_number": '"item_number": 1',
    "conditions": '"conditions": [{"condition_name": "a", "regions": [...]}]',
    "condition_name": '"condition_name": "a"',
    "regions": '"regions": [{"region_number": 1, "content": "The dog"}]',
    "region_number": '"region_number": 1',
    "content": '"content": "The dog", or "" for an empty region',
    "metric_value": '"metric_value": {"sum": 12.3}',
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeFault:
    """A place in a document, what is wrong there, and what would be right."""

    path: JsonPath
    message: str
    hint: str


def shape_faults(value: Any, schema_name: str) -> list[ShapeFault]:
    """Return all faults of `value` against the schema, in the order of the schema's checks."""
    errors = _validator(schema_name).iter_errors(value)
    return list(dict.fromkeys(_describe(error) for error in errors))


@functools.cache
def _validator(schema_name: str) -> "Validator":
    # Imported here: jsonschema takes longer to import than pommel does.
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from referencing import Registry, Resource  # noqa: PLC0415

    suite_schema = data.schema("suite")
    registry: Any = Registry().with_resource(
        suite_schema["$id"], Resource.from_contents(suite_schema)
    )
    return Draft202012Validator(data.schema(schema_name), registry=registry)


def _describe(error: "ValidationError") -> ShapeFault:
    path: JsonPath = tuple(error.absolute_path)
    writer = _WRITERS.get(str(error.validator))
    message, hint = writer(error) if writer else (error.message, "")
    return ShapeFault(path=path, message=message, hint=hint)


def _missing(error: "ValidationError") -> tuple[str, str]:
    match = re.match(r"'(.*)' is a required property", error.message)
    key = match[1] if match else ""
    instance: Any = error.instance
    close = difflib.get_close_matches(key, map(str, instance), n=1, cutoff=0.75)
    hint = f"write {_EXAMPLES[key]}" if key in _EXAMPLES else ""
    if close:
        hint = f"did you mean it by {close[0]!r}?"
    return f"{key!r} is missing", hint


def _wrong_type(error: "ValidationError") -> tuple[str, str]:
    wanted: Any = error.validator_value
    names = [wanted] if isinstance(wanted, str) else wanted
    allowed = " or ".join(_TYPE_NAMES[name] for name in names)
    shown = _shortened(error.instance)
    return f"this is {_type_of(error.instance)} ({shown})", f"it has to be {allowed}"


def _wrong_constant(error: "ValidationError") -> tuple[str, str]:
    return f"this is {_shortened(error.instance)}", f"write {error.validator_value!r}"


def _wrong_choice(error: "ValidationError") -> tuple[str, str]:
    choices: Any = error.validator_value
    return f"{_shortened(error.instance)} is not one of {', '.join(map(str, choices))}", ""


def _empty(error: "ValidationError") -> tuple[str, str]:
    noun = str(error.absolute_path[-1]) if error.absolute_path else "it"
    return f"{noun!r} is empty", "there has to be at least one"


def _wrong_metric(error: "ValidationError") -> tuple[str, str]:
    # The only anyOf in our schemas.
    message = f"{_shortened(error.instance)} is not a region metric"
    return (
        message,
        'write "sum", "mean", "median", "min", "max", "range", a list of these, or "all"',
    )


def _wrong_pattern(error: "ValidationError") -> tuple[str, str]:
    key = error.absolute_path[-1] if error.absolute_path else ""
    hints = {
        "version": "write a semantic version like 1.0.0",
        "condition_name": "a name has at least one character and no '%'",
        "region_meta": "the keys of region_meta are region numbers",
    }
    return f"{_shortened(error.instance)} is not possible here", hints.get(str(key), "")


_WRITERS = {
    "required": _missing,
    "type": _wrong_type,
    "const": _wrong_constant,
    "enum": _wrong_choice,
    "minItems": _empty,
    "minLength": _empty,
    "minProperties": _empty,
    "anyOf": _wrong_metric,
    "pattern": _wrong_pattern,
}


def _type_of(value: Any) -> str:
    kinds = (
        name
        for name, kind in (
            ("true or false", bool),
            ("a number", int | float),
            ("text", str),
            ("a list", list),
            ("an object", dict),
        )
        if isinstance(value, kind)
    )
    return next(kinds, "null")


def _shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004 - a line's worth
