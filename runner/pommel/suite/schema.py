"""Does a JSON value have the shape of a suite? Every way in which it has not, in plain words."""

import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pommel.errors import nearest
from pommel.files import shipped
from pommel.files.json import JsonPath
from pommel.files.text import is_encodable

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
# No misspelling of another key.
_KNOWN_KEYS = {*_EXAMPLES, "region_name", "oovs", "description"}
# Suites from before there were formulas had these.
_OLD_RELATIONS = {"greaterthan": ">", "lessthan": "<"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeFault:
    """A place in a document, what is wrong there, and what would be right."""

    path: JsonPath
    message: str
    hint: str


def shape_faults(value: Any, schema_name: str) -> list[ShapeFault]:
    """Return all faults of `value` against the schema, in the order of the schema's checks."""
    return described(_validator(schema_name).iter_errors(value))


def described(errors: "Iterable[ValidationError]") -> list[ShapeFault]:
    """Return each of jsonschema's errors once, in plain words."""
    return list(dict.fromkeys(map(_describe, errors)))


@functools.cache
def _validator(schema_name: str) -> "Validator":
    # Imported here: jsonschema takes longer to import than pommel does.
    from jsonschema import Draft202012Validator, validators  # noqa: PLC0415 - `import pommel` stays fast without it

    extend: Any = validators.extend
    quick = extend(Draft202012Validator, {"properties": _properties, "items": _items})
    suite_schema = shipped.schema("suite")
    known = {f"#/$defs/{name}": each for name, each in suite_schema["$defs"].items()}
    known[suite_schema["$id"]] = suite_schema
    validator: Validator = quick(_without_references(shipped.schema(schema_name), known))
    return validator


def _without_references(schema: Any, known: Mapping[str, Any]) -> Any:
    """Put what a `$ref` stands for in its place: jsonschema looks it up for every value anew."""
    if isinstance(schema, list):
        return [_without_references(each, known) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _without_references(known[schema["$ref"]], known)
    return {key: _without_references(each, known) for key, each in schema.items()}


def _properties(
    validator: "Validator", properties: Mapping[str, Any], instance: Any, _schema: Any
) -> "Iterator[ValidationError]":
    """Check an object's values as jsonschema does, but those that only need a type at once."""
    if not isinstance(instance, dict):
        return
    for key, schema in properties.items():
        if key not in instance:
            continue
        only_type = len(schema) == 1 and isinstance(schema.get("type"), str)
        if not only_type or not validator.is_type(instance[key], schema["type"]):
            for error in _part(validator, schema).iter_errors(instance[key]):
                error.path.appendleft(key)
                error.schema_path.appendleft(key)
                yield error


def _items(
    validator: "Validator", schema: Mapping[str, Any], instance: Any, _schema: Any
) -> "Iterator[ValidationError]":
    """Check each element of a list as jsonschema does."""
    if not isinstance(instance, list):
        return
    part = _part(validator, schema)
    for index, each in enumerate(instance):
        for error in part.iter_errors(each):
            error.path.appendleft(index)
            yield error


def _part(validator: "Validator", schema: Mapping[str, Any]) -> "Validator":
    """Return the validator of a part of a schema: one, where jsonschema makes one for each value.

    A schema without references needs no more of its surroundings than that.
    """
    parts = _parts()
    if id(schema) not in parts:
        parts[id(schema)] = validator.evolve(schema=schema)
    return parts[id(schema)]


@functools.cache
def _parts() -> "dict[int, Validator]":
    # Schemas are known by their identity, which is theirs alone: validators keep them for good.
    return {}


def _describe(error: "ValidationError") -> ShapeFault:
    path: JsonPath = tuple(error.absolute_path)
    if "propertyNames" in error.absolute_schema_path:
        path = (*path, str(error.instance))
    writer = _WRITERS.get(str(error.validator))
    message, hint = writer(error) if writer else (error.message, "")
    return ShapeFault(path=path, message=message, hint=hint)


def _missing(error: "ValidationError") -> tuple[str, str]:
    match = re.match(r"'(.*)' is a required property", error.message)
    key = match[1] if match else ""
    instance: Any = error.instance
    unknown = [each for each in instance if each not in _KNOWN_KEYS]
    meant = nearest(key, unknown)
    hint = f"write {_EXAMPLES[key]}" if key in _EXAMPLES else ""
    if meant is not None:
        hint = f"it is written {meant!r} here"
    elif key == "formula" and str(instance.get("relation")) in _OLD_RELATIONS:
        hint = f"write {_formula_for(instance)}"
    return f"{key!r} is missing", hint


def _formula_for(prediction: Mapping[str, Any]) -> str:
    """Return what a prediction of the format before formulas says, as a formula."""
    number = prediction.get("region_number", "*")
    left, right = (f"({number};%{prediction.get(side)}%)" for side in ("l_operand", "r_operand"))
    return f'"formula": "{left} {_OLD_RELATIONS[prediction["relation"]]} {right}"'


def _wrong_type(error: "ValidationError") -> tuple[str, str]:
    wanted: Any = error.validator_value
    names = [wanted] if isinstance(wanted, str) else wanted
    allowed = " or ".join(_TYPE_NAMES[name] for name in names)
    shown = _shortened(error.instance)
    kind = _type_of(error.instance)
    message = f"this is {shown}" if kind == shown else f"this is {kind} ({shown})"
    return message, f"it has to be {allowed}"


def _wrong_constant(error: "ValidationError") -> tuple[str, str]:
    return f"this is {_shortened(error.instance)}", f"write {_shortened(error.validator_value)}"


def _empty(error: "ValidationError") -> tuple[str, str]:
    key = str(error.absolute_path[-1]) if error.absolute_path else ""
    return f"{key!r} is empty", f"write {_EXAMPLES[key]}" if key in _EXAMPLES else ""


def _wrong_metric(error: "ValidationError") -> tuple[str, str]:
    # The only anyOf in our schemas.
    message = f"{_shortened(error.instance)} is not a region metric"
    return (
        message,
        'write "sum", "mean", "median", "min", "max", "range", a list of these, or "all"',
    )


def _wrong_pattern(error: "ValidationError") -> tuple[str, str]:
    key = str(error.absolute_path[-1])
    hints = {
        "condition_name": "a name has at least one character, no '%', and no space around it",
        "region_meta": "the keys of region_meta are region numbers",
    }
    return f"{_shortened(error.instance)} is not possible here", hints.get(key, "")


_WRITERS = {
    "required": _missing,
    "type": _wrong_type,
    "const": _wrong_constant,
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
    text = json.dumps(value, ensure_ascii=False)
    if not is_encodable(text):
        text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004 - a line's worth
