"""JSON Lines: an object a line, with the place of every value, and written again without loss."""

from dataclasses import replace
from typing import Self

from pommel.errors import Fault, Place, SuiteError
from pommel.files import DecodedText, JsonDocument, JsonPath, to_json
from pommel.values import frozen


@frozen
class JsonLine:
    """An object, and the line (from 1) in which it stands, with its text."""

    file: str
    number: int
    text: str
    value: dict[str, object]

    def fault(self, path: JsonPath, message: str, hint: str) -> Fault:
        """Return a fault at the value under `path`, or where the object begins."""
        # A document is far larger than its text, and few lines need theirs.
        document = JsonDocument(file=self.file, decoded=DecodedText.of(self.text), value=self.value)
        return _in_line(document.fault(path, message, hint=hint), self.number)

    @classmethod
    def parse(cls, text: str, *, file: str, example: str) -> tuple[list[Self], list[Fault]]:
        """Return the objects of a file's text, and what is wrong with its other lines.

        `file` is its name in messages, and `example` how a line looks. Lines end in LF or CRLF, and
        blank ones are none. What is no JSON, no object, has a key twice or half of a character is a
        fault, and so is a text without a line.
        """
        lines: list[Self] = []
        faults: list[Fault] = []
        DecodedText.of(text).check_lines(file)
        # JSON texts may hold the other characters at which `str.splitlines` divides.
        for number, line in enumerate(text.split("\n"), start=1):
            if not line or line.isspace():
                continue
            try:
                document = JsonDocument.parse(line, file=file)
                own = [*document.duplicate_key_faults(), *document.surrogate_faults()]
                if not isinstance(document.value, dict):
                    hint = f"write {example}"
                    own.append(document.fault((), "this is no JSON object", hint=hint))
                if not own:
                    lines.append(cls(file=file, number=number, text=line, value=document.value))
            except SuiteError as error:
                own = list(error.faults)
            faults += (_in_line(fault, number) for fault in own)
        if not lines and not faults:
            hint = f"write {example}, an object a line"
            faults = [Place(file=file).fault("there is no minimal pair", hint)]
        return lines, faults


def _in_line(fault: Fault, number: int) -> Fault:
    """Return a fault of a text of one line as one of the line of that number."""
    return replace(
        fault,
        line=number,
        column=max(fault.column, 1),
        message=fault.message.replace("the file ", "the line "),
        hint=fault.hint.replace(" in line 1 ", f" in line {number} "),
    )


def json_text(value: object) -> str:
    """Return a JSON value in one line, as `json.dumps` does; numbers stay as they were read."""
    return to_json(value, indent=None).removesuffix("\n")
