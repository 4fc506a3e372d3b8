"""SyntaxGym JSON to `Suite`, with every fault of a file reported at once."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pommel.errors import Fault, FormulaError, SuiteError
from pommel.files.json import JsonDocument, to_json
from pommel.suite.checks import Finding, findings
from pommel.suite.outline import outline
from pommel.suite.schema import shape_faults
from pommel.suite.suite import Suite
from pommel.suite.surprisal_checks import surprisal_findings


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedSuite:
    """A suite, and what its file could do better."""

    suite: Suite
    warnings: tuple[Fault, ...]

    @classmethod
    def read(cls, path: Path, *, strict: bool = False, evaluated: bool = False) -> Self:
        """Read a suite file.

        `strict` turns stray spaces and a byte order mark, which are otherwise mended with a
        warning, into errors. `evaluated` asks for the surprisals of every region (`metric_value`),
        too. Raises `SuiteError` with all faults of the file, or `InputError` if it cannot be read.
        """
        return cls._of_document(JsonDocument.read(path), strict=strict, evaluated=evaluated)

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

    @classmethod
    def _of_document(cls, document: JsonDocument, *, strict: bool, evaluated: bool) -> Self:
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
        return cls(suite=Suite.from_dict(document.value), warnings=ordered)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedDraft:
    """What can be made of a file whose suite is still being written, and what is wrong with it.

    `suite` is None where nothing can be made of it. Otherwise conditions may be without text, which
    is no fault of a draft; what else it is must be looked up in `faults`.
    """

    suite: Suite | None
    faults: tuple[Fault, ...]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read the file of a suite that is still being written; raises `InputError`."""
        try:
            document = JsonDocument.read(path)
        except SuiteError as error:
            return cls(suite=None, faults=error.faults)
        return cls._of_document(document)

    @classmethod
    def parse(cls, text: str, *, file: str = "<suite>") -> Self:
        """Read JSON text as `read` does a file."""
        try:
            document = JsonDocument.parse(text, file=file)
        except SuiteError as error:
            return cls(suite=None, faults=error.faults)
        return cls._of_document(document)

    @classmethod
    def _of_document(cls, document: JsonDocument) -> Self:
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
                suite = Suite.from_dict(document.value)
        return cls(suite=suite, faults=_in_order(faults))

    @property
    def errors(self) -> tuple[Fault, ...]:
        """The faults that no suite may have."""
        return tuple(fault for fault in self.faults if fault.severity == "error")


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
