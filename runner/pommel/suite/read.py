"""SyntaxGym JSON to `Suite`, with every fault of a file reported at once.

A document's shape is checked first (`shape_faults`, with the JSON Schema), then its sense
(`pommel.suite.checks`), of what has the wrong shape by an outline of the rest.
"""

import contextlib
import functools
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, Union

from pommel.errors import Fault, FormulaError, SuiteError, nearest
from pommel.files import (
    DecodedText,
    JsonDocument,
    JsonPath,
    WrittenFloat,
    is_encodable,
    json_schema,
    to_json,
)
from pommel.suite.checks import Finding, surprisal_findings
from pommel.suite.metrics import METRICS
from pommel.suite.suite import Condition, Suite
from pommel.values import frozen

if TYPE_CHECKING:
    import msgspec
    from jsonschema import ValidationError


@frozen
class LoadedSuite:
    """A suite, what its file could do better, and, of a file of JSON, where everything stands."""

    suite: Suite
    warnings: tuple[Fault, ...]
    document: JsonDocument | None = None

    @classmethod
    def read(
        cls,
        path: Path,
        *,
        strict: bool = False,
        evaluated: bool = False,
        known: Collection[str] = (),
    ) -> Self:
        """Read a suite file.

        `strict` turns stray spaces and a byte order mark, which are otherwise mended with a
        warning, into errors. `evaluated` asks for the surprisals of every region (`metric_value`),
        too. `known` are the SHA-256s of files without a fault, which are not checked again. Raises
        `SuiteError` with all faults of the file, or `InputError` if it cannot be read.
        """
        decoded = DecodedText.read(path)
        is_known = known and not evaluated and decoded.sha256 in known
        if is_known and (suite := _of_plain_text(decoded.text)):
            document = JsonDocument(file=str(path), decoded=decoded, value=suite.as_written)
            return cls(suite=suite, warnings=(), document=document)
        document = JsonDocument.parse(decoded, file=str(path))
        return cls._of_document(document, strict=strict, evaluated=evaluated)

    @classmethod
    def parse(
        cls, text: str, *, file: str = "<suite>", strict: bool = False, evaluated: bool = False
    ) -> Self:
        """Read a suite from JSON text; the rest as `read`."""
        document = JsonDocument.parse(text, file=file)
        return cls._of_document(document, strict=strict, evaluated=evaluated)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], *, file: str = "<dict>") -> Self:
        """Make a suite of a JSON value; faults name lines of the value as `to_json` writes it."""
        return cls.parse(to_json(dict(value)), file=file)

    @staticmethod
    def findings(value: Mapping[str, Any]) -> list[Finding]:
        """Return what is wrong with a suite's JSON value, wherever it is from."""
        shape = shape_faults(value, "suite")
        return [*shape, *Finding.in_document(outline(value) if shape else value)]

    @classmethod
    def _of_document(cls, document: JsonDocument, *, strict: bool, evaluated: bool) -> Self:
        faults = []
        is_bare = evaluated and "metric_value" not in document.decoded.text
        if is_bare:
            hint = "compute its surprisals first, with `pommel surprisals`"
            message = "this suite has not been evaluated: no region has a metric_value"
            faults.append(document.fault((), message, hint=hint))
        for found in _faults(document, strict=strict, evaluated=evaluated and not is_bare):
            faults += found
        ordered = tuple(Fault.in_order(faults))
        if any(fault.severity == "error" for fault in ordered):
            raise SuiteError(ordered)
        return cls(suite=_suite(document), warnings=ordered, document=document)


@frozen
class LoadedDraft:
    """What can be made of a file whose suite is still being written, and what is wrong with it.

    `suite` is None where nothing can be made of it. Otherwise conditions may be without text, which
    is no fault of a draft; what else it is must be looked up in `faults`.
    """

    suite: Suite | None
    faults: tuple[Fault, ...]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read the file of a suite that is still being written.

        Raises `SuiteError` for what is no JSON, and `InputError` if it cannot be read.
        """
        return cls._of_document(JsonDocument.read(path))

    @classmethod
    def parse(cls, text: str, *, file: str = "<suite>") -> Self:
        """Read JSON text as `read` does a file."""
        return cls._of_document(JsonDocument.parse(text, file=file))

    @classmethod
    def _of_document(cls, document: JsonDocument) -> Self:
        of_structure, others = _faults(document, is_draft=True)
        suite = None
        if not of_structure:
            # A formula that does not parse is among the faults.
            with contextlib.suppress(FormulaError):
                suite = _suite(document)
        return cls(suite=suite, faults=tuple(Fault.in_order([*of_structure, *others])))

    @property
    def errors(self) -> tuple[Fault, ...]:
        """The faults that no suite may have."""
        return tuple(fault for fault in self.faults if fault.severity == "error")


def _suite(document: JsonDocument) -> Suite:
    """Make the suite of a document without a fault."""
    # No two regions with surprisals are alike, which would pay to be read by their texts.
    is_by_text = document.is_plain and "metric_value" not in document.decoded.text
    plain = _of_plain_text(document.decoded.text) if is_by_text else None
    return plain or Suite.from_dict(document.value)


def _of_plain_text(text: str) -> Suite | None:
    """Make a suite of a text that is nothing but its value; None where it says more than most.

    Most regions stand in many sentences: all that have the same text are made at once.
    """
    import msgspec

    try:
        value = _texts_of_regions().decode(text)
    except msgspec.ValidationError:
        return None
    # Its other lists would be of texts, too, if it had some.
    items = value["items"]
    conditions = [condition for item in items for condition in item["conditions"]]
    parts = (value, *value["predictions"], *items, *conditions)
    n_lists = sum(type(each) is list for part in parts for each in part.values())
    return Suite.from_dict(value) if n_lists == 2 + len(items) + len(conditions) else None


@functools.cache
def _texts_of_regions() -> "msgspec.json.Decoder[Any]":
    import msgspec

    condition = dict[str, str | list[msgspec.Raw]]
    # An item's `source` is an object, as `meta` is.
    item_or_prediction = dict[str, str | int | dict | list[condition]]  # type: ignore[type-arg]
    kinds = dict[str, dict | list[item_or_prediction]]  # type: ignore[type-arg]
    return msgspec.json.Decoder(kinds, float_hook=WrittenFloat)


def _faults(
    document: JsonDocument,
    *,
    strict: bool = False,
    evaluated: bool = False,
    is_draft: bool = False,
) -> tuple[list[Fault], list[Fault]]:
    """Return what is wrong with a document's structure, and what else is wrong with it."""
    value, schema_name = document.value, "evaluated_suite" if evaluated else "suite"
    # What is written in a plain text need not be written again to be looked at.
    text = document.decoded.text if document.is_plain else None
    shape = shape_faults(value, schema_name, text=text)
    found = list(Finding.in_document(outline(value) if shape else value))
    if evaluated and not shape:
        found += surprisal_findings(value)

    def told(findings: Iterable[Finding]) -> Iterator[Fault]:
        for each in findings:
            is_warning = each.warning or (each.stray_space and not strict)
            yield document.fault(
                each.path, each.message, hint=each.hint, warning=is_warning, within=each.within
            )

    of_structure = [*document.duplicate_key_faults(), *document.surrogate_faults(), *told(shape)]
    of_structure += told(each for each in found if each.too_long)
    kept = (each for each in found if not each.too_long)
    others = told(each for each in kept if not (is_draft and each.unwritten))
    return of_structure, [*others, *document.decoded.bom_faults(document.file, strict=strict)]


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


def shape_faults(value: object, schema_name: str, *, text: str | None = None) -> list[Finding]:
    """Return all faults of `value` against the schema, in the order of the schema's checks.

    `text` is the JSON of the value, where it is at hand.
    """
    if _has_shape(value, schema_name, text=text):
        return []
    # Imported here: jsonschema takes longer to import than pommel does.
    from jsonschema import Draft202012Validator

    # Types know nothing of the values that are no JSON, and of which it says so.
    validator: Any = Draft202012Validator(_schema(schema_name))
    return described(validator.iter_errors(value))


def _has_shape(value: object, schema_name: str, *, text: str | None = None) -> bool:
    """Say at once whether a value is as the schema has it; of some that are, it says no."""
    decoders = _decoders(schema_name)
    try:
        encoded = JsonDocument.encoded(value) if text is None else text
        suite, *_ = (decoder.decode(encoded) for decoder in decoders)
    except (TypeError, ValueError, RecursionError):
        return False
    # What msgspec has no word for.
    metric = suite.meta.metric
    return isinstance(metric, str) or len({*metric}) == len(metric)


@functools.cache
def _decoders(schema_name: str) -> "list[msgspec.json.Decoder[Any]]":
    import msgspec

    own = dict(_schema(schema_name))
    parts = own.pop("allOf", ())
    return [msgspec.json.Decoder(_type(each)) for each in (*parts, own)]


# The words that say what a type is made by, of which the first decides, and those that may stand
# beside each. A word that stood elsewhere would be passed over.
_BESIDE = {
    "const": (),
    "enum": (),
    "anyOf": (),
    "properties": ("type", "required"),
    "additionalProperties": ("type", "propertyNames"),
    "items": ("type", "minItems", "uniqueItems"),
    "type": ("minLength", "pattern"),
}
_NOTES = ("$schema", "$id", "$defs", "title", "description")


def _type(schema: Mapping[str, Any]) -> Any:
    """Return the type by which msgspec takes what a schema takes, but for `uniqueItems`.

    Raises `ValueError` for a schema that says what has no place in it, which msgspec would take.
    """
    from msgspec import Meta, defstruct

    word = next((each for each in _BESIDE if each in schema), "")
    if unknown := {*schema} - {word, *_BESIDE.get(word, ()), *_NOTES}:
        raise ValueError(f"no type says what {', '.join(sorted(unknown))} does beside {word!r}")
    match schema:
        case {"const": value}:
            return Literal[value]
        case {"enum": values}:
            return Literal[*values]
        case {"anyOf": parts}:
            return Union[*map(_type, parts)]
        case {"type": [*names]}:
            return Union[*(_type({**schema, "type": name}) for name in names)]
        case {"properties": parts, **others}:
            needed = others.get("required", ())
            # Another schema may say what a value has to be that this one needs.
            types = dict.fromkeys(needed, Any) | {key: _type(part) for key, part in parts.items()}
            fields = [(key, types[key], *(() if key in needed else (None,))) for key in types]
            return defstruct("Object", fields, kw_only=True)
        case {"additionalProperties": part, **others}:
            return dict[_type({"type": "string", **others.get("propertyNames", {})}), _type(part)]  # type: ignore[misc]
        case {"items": part, **others}:
            return Annotated[list[_type(part)], Meta(min_length=others.get("minItems"))]  # type: ignore[misc]
        case {"type": "string", **others}:
            own = Meta(pattern=others.get("pattern"), min_length=others.get("minLength"))
            return Annotated[str, own]
    return {"integer": int, "number": float, "null": None}[schema["type"]]


def described(errors: "Iterable[ValidationError]") -> list[Finding]:
    """Return each of jsonschema's errors once, in plain words."""
    return list(dict.fromkeys(map(_describe, errors)))


def _schema(name: str) -> Any:
    """Return a schema with what its references stand for in their places."""
    suite_schema = json_schema("suite")
    known = {f"#/$defs/{part}": each for part, each in suite_schema["$defs"].items()}
    known[suite_schema["$id"]] = suite_schema
    known["#/$defs/metric"] = {"enum": [*METRICS]}
    return _without_references(json_schema(name), known)


def _without_references(schema: object, known: Mapping[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_without_references(each, known) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        beside = {key: each for key, each in schema.items() if key != "$ref"}
        return _without_references({**known[schema["$ref"]], **beside}, known)
    return {key: _without_references(each, known) for key, each in schema.items()}


def _describe(error: "ValidationError") -> Finding:
    path: JsonPath = tuple(error.absolute_path)
    message, hint = _said(error, str(path[-1]) if path else "")
    if "propertyNames" in error.absolute_schema_path:
        path = (*path, str(error.instance))
    return Finding(path=path, message=message, hint=hint)


_PATTERN_HINTS = {
    "condition_name": "a name has at least one character, no '%', and no space around it",
    "region_meta": "the keys of region_meta are region numbers",
}


def _said(error: "ValidationError", key: str) -> tuple[str, str]:
    """Return what is wrong with the value of a key, and what would be right."""
    shown = _shortened(error.instance)
    match error.validator:
        case "required":
            return _missing(error)
        case "type":
            return _wrong_type(error)
        case "const":
            return f"this is {shown}", f"write {_shortened(error.validator_value)}"
        case "minItems" | "minLength" | "minProperties":
            return f"{key!r} is empty", _example(key)
        case "anyOf":
            # The only one in our schemas.
            known = ", ".join(map(json.dumps, METRICS))
            hint = f'write {known}, a list of these, or "all"'
            return f"{shown} is not a region metric", hint
        case "pattern":
            return f"{shown} is not possible here", _PATTERN_HINTS.get(key, "")
        case _:
            return error.message, ""


def _example(key: str) -> str:
    return f"write {_EXAMPLES[key]}" if key in _EXAMPLES else ""


def _missing(error: "ValidationError") -> tuple[str, str]:
    match = re.match(r"'(.*)' is a required property", error.message)
    key = match[1] if match else ""
    instance: Any = error.instance
    unknown = [each for each in instance if each not in _KNOWN_KEYS]
    meant = nearest(key, unknown)
    return f"{key!r} is missing", f"it is written {meant!r} here" if meant else _example(key)


def _wrong_type(error: "ValidationError") -> tuple[str, str]:
    wanted: Any = error.validator_value
    names = [wanted] if isinstance(wanted, str) else wanted
    allowed = " or ".join(_TYPE_NAMES[name] for name in names)
    shown = _shortened(error.instance)
    kind = _type_of(error.instance)
    message = f"this is {shown}" if kind == shown else f"this is {kind} ({shown})"
    return message, f"it has to be {allowed}"


def _type_of(value: object) -> str:
    match value:
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return "null"


def _shortened(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    if not is_encodable(text):
        text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004 - a line's worth


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _name(value: object) -> str | None:
    return value if isinstance(value, str) and not Condition.name_fault(value) else None


def _number(value: object) -> int | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and value % 1 == 0:
        return int(value)
    return None


def _region_meta(value: object) -> dict[str, object] | None:
    if isinstance(value, dict) and all(key.isascii() and key.isdigit() for key in value):
        return value
    return None


# An object, each of whose keys has a part; a list of alike parts; or what makes None of a value
# that is unsound.
_Part = Mapping[str, "_Part"] | tuple["_Part"] | Callable[[object], object]


def _object(value: object) -> dict[str, object] | None:
    return value if isinstance(value, dict) else None


_OUTLINE: _Part = {
    "meta": _object,
    "region_meta": _region_meta,
    "predictions": ({"formula": _text},),
    "items": (
        {
            "item_number": _number,
            "conditions": (
                {
                    "condition_name": _name,
                    "regions": ({"region_number": _number, "content": _text},),
                },
            ),
        },
    ),
}


def outline(document: object) -> Mapping[str, Any]:
    """Return the parts of a suite's JSON that the checks look at, None for each unsound one.

    A file with a misspelt key may also have a formula that names an unknown condition; its author
    wants to hear of both. So the checks run on this outline, in which every place is where it was,
    and what cannot be relied on is None.
    """
    found: Mapping[str, Any] = _outline(document, _OUTLINE)
    return {**found, **{key: found[key] or [] for key in ("predictions", "items")}}


def _outline(value: object, part: _Part) -> Any:
    match part:
        case Mapping():
            known = value if isinstance(value, dict) else {}
            return {key: _outline(known.get(key), below) for key, below in part.items()}
        case tuple((below,)):
            return [_outline(each, below) for each in value] if isinstance(value, list) else None
        case _:
            return part(value)
