"""SyntaxGym JSON <-> `Suite`, without loss, and with every fault of a file reported at once."""

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from pommel.errors import Fault, FormulaError, SuiteError
from pommel.files.json import JsonDocument, to_json
from pommel.suite.checks import Finding, findings
from pommel.suite.formula import parse
from pommel.suite.outline import outline
from pommel.suite.schema import shape_faults
from pommel.suite.suite import (
    METRICS,
    Condition,
    Item,
    LoadedDraft,
    LoadedSuite,
    Metric,
    Prediction,
    Region,
    Suite,
)
from pommel.suite.surprisal_checks import surprisal_findings


def read_suite(path: Path, *, strict: bool = False, evaluated: bool = False) -> LoadedSuite:
    """Read a suite file.

    `strict` turns stray spaces and a byte order mark, which are otherwise mended with a warning,
    into errors. `evaluated` asks for the surprisals of every region (`metric_value`), too. Raises
    `SuiteError` with all faults of the file, or `InputError` if it cannot be read.
    """
    return _load(JsonDocument.read(path), strict=strict, evaluated=evaluated)


def parse_suite(
    text: str, *, file: str = "<suite>", strict: bool = False, evaluated: bool = False
) -> LoadedSuite:
    """Read a suite from JSON text; the rest as `read_suite`."""
    return _load(JsonDocument.parse(text, file=file), strict=strict, evaluated=evaluated)


def suite_from_dict(value: Mapping[str, Any], *, file: str = "<dict>") -> LoadedSuite:
    """Make a suite of a JSON value; faults name lines of the value as `to_json` writes it."""
    return parse_suite(to_json(dict(value)), file=file)


def suite_to_dict(suite: Suite) -> dict[str, Any]:
    """Return the suite as a JSON value: unknown keys, key order and formulas as they were read."""
    return _merged(
        suite.as_written,
        {
            "meta": dict(suite.meta),
            "region_meta": _region_meta(suite),
            "predictions": [_prediction_to_dict(each) for each in suite.predictions],
            "items": [_item_to_dict(item) for item in suite.items],
        },
    )


def suite_to_text(suite: Suite) -> str:
    """Return the text of the suite's JSON file."""
    return to_json(suite_to_dict(suite))


def suite_hash(suite: Suite) -> str:
    """Return the SHA-256 of the suite's canonical JSON (sorted keys, no white space)."""
    if "sha256" not in suite.computed:
        canonical = json.dumps(suite_to_dict(suite), sort_keys=True, separators=(",", ":"))
        suite.computed["sha256"] = hashlib.sha256(canonical.encode()).hexdigest()
    return suite.computed["sha256"]


def read_draft(path: Path) -> LoadedDraft:
    """Read a suite file that is still being written; raises `InputError` if it cannot be read."""
    try:
        document = JsonDocument.read(path)
    except SuiteError as error:
        return LoadedDraft(suite=None, faults=error.faults)
    return _draft(document)


def parse_draft(text: str, *, file: str = "<suite>") -> LoadedDraft:
    """Read JSON text as `read_draft` does a file."""
    try:
        document = JsonDocument.parse(text, file=file)
    except SuiteError as error:
        return LoadedDraft(suite=None, faults=error.faults)
    return _draft(document)


def _draft(document: JsonDocument) -> LoadedDraft:
    faults = [*document.duplicate_key_faults(), *document.surrogate_faults()]
    shape = _shape(document)
    faults += shape
    is_sound = not faults
    found = [each for each in _findings(document, is_sound=not shape) if not each.unwritten]
    faults += _faults(document, found)
    faults += document.bom_faults()
    suite = None
    if is_sound:
        # A formula that does not parse is among the faults.
        with contextlib.suppress(FormulaError):
            suite = _suite(document.value)
    return LoadedDraft(suite=suite, faults=_in_order(faults))


def _load(document: JsonDocument, *, strict: bool, evaluated: bool) -> LoadedSuite:
    faults = [*document.duplicate_key_faults(), *document.surrogate_faults()]
    is_bare = evaluated and "metric_value" not in document.text
    if is_bare:
        hint = "compute its surprisals first, with `pommel surprisals`"
        message = "this suite has not been evaluated: no region has a metric_value"
        faults.append(document.fault((), message, hint=hint))
    shape = _shape(document, "evaluated_suite" if evaluated and not is_bare else "suite")
    faults += shape
    found_all = _findings(document, is_sound=not shape)
    if evaluated and not shape and not is_bare:
        found_all += surprisal_findings(document.value)
    faults += _faults(document, found_all, strict=strict)
    faults += document.bom_faults(strict=strict)
    ordered = _in_order(faults)
    if any(fault.severity == "error" for fault in ordered):
        raise SuiteError(ordered)
    return LoadedSuite(suite=_suite(document.value), warnings=ordered)


def _shape(document: JsonDocument, schema_name: str = "suite") -> list[Fault]:
    found = shape_faults(document.value, schema_name)
    return [document.fault(each.path, each.message, hint=each.hint) for each in found]


def _findings(document: JsonDocument, *, is_sound: bool) -> list[Finding]:
    return list(findings(document.value if is_sound else outline(document.value)))


def _faults(
    document: JsonDocument, found: Iterable[Finding], *, strict: bool = False
) -> Iterator[Fault]:
    for each in found:
        is_warning = each.warning or (each.stray_space and not strict)
        yield document.fault(
            each.path, each.message, hint=each.hint, warning=is_warning, within=each.within
        )


def _in_order(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    return tuple(sorted(faults, key=lambda fault: (fault.line, fault.column)))


def _suite(value: dict[str, Any]) -> Suite:
    meta = value["meta"]
    return Suite(
        name=meta["name"],
        metrics=_metrics(meta["metric"]),
        region_names={int(number): name for number, name in value["region_meta"].items()},
        predictions=tuple(_prediction(each) for each in value["predictions"]),
        items=tuple(item_from_dict(each) for each in value["items"]),
        meta=meta,
        as_written=value,
    )


def _metrics(written: str | list[str]) -> tuple[Metric, ...]:
    if written == "all":
        return METRICS
    names = [written] if isinstance(written, str) else written
    return cast("tuple[Metric, ...]", tuple(names))


def _prediction(value: dict[str, Any]) -> Prediction:
    return Prediction(
        formula=parse(value["formula"]),
        description=str(value.get("description", "")),
        as_written=value,
    )


def item_from_dict(value: Mapping[str, Any]) -> Item:
    """Make an item of its JSON value, which is a valid one."""
    return Item(
        number=int(value["item_number"]),
        conditions=tuple(
            Condition(
                name=condition["condition_name"],
                regions=tuple(
                    Region(
                        number=int(region["region_number"]),
                        content=region["content"],
                        as_written=region,
                    )
                    for region in condition["regions"]
                ),
                as_written=condition,
            )
            for condition in value["conditions"]
        ),
        as_written=value,
    )


def _merged(as_written: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was read, in its order, with the known keys replaced by what holds now.

    A number that equals what was read stays as it was written (1.0 is not 1, and 1.50 not 1.5).
    Lists and objects are new ones: who changes them does not change the suite.
    """
    merged: dict[str, Any] = {}
    for key in (*as_written, *(key for key in known if key not in as_written)):
        is_scalar = not isinstance(known.get(key), dict | list)
        kept = key not in known or (is_scalar and as_written.get(key) == known[key])
        merged[key] = as_written[key] if kept else known[key]
    return merged


def _region_meta(suite: Suite) -> dict[str, str]:
    names = {str(number): name for number, name in suite.region_names.items()}
    written = suite.as_written.get("region_meta", {})
    # "01" is region 1, and is written back as "01".
    if {int(number): name for number, name in written.items()} == dict(suite.region_names):
        return dict(written)
    return names


def _prediction_to_dict(prediction: Prediction) -> dict[str, Any]:
    known = {"type": "formula", "formula": prediction.formula.text}
    if prediction.description:
        known["description"] = prediction.description
    return _merged(prediction.as_written, known)


def _item_to_dict(item: Item) -> dict[str, Any]:
    conditions = [_condition_to_dict(condition) for condition in item.conditions]
    return _merged(item.as_written, {"item_number": item.number, "conditions": conditions})


def _condition_to_dict(condition: Condition) -> dict[str, Any]:
    regions = [
        _merged(region.as_written, {"region_number": region.number, "content": region.content})
        for region in condition.regions
    ]
    return _merged(condition.as_written, {"condition_name": condition.name, "regions": regions})
