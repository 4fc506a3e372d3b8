"""Where something stands in a grammar's file."""

from dataclasses import dataclass

from pommel.errors import Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something stands in a file; line and column count from 1."""

    file: str
    line: int
    column: int

    def fault(self, message: str, hint: str) -> Fault:
        """Return what is wrong here, and what to do about it."""
        return Fault(
            file=self.file,
            line=self.line,
            column=self.column,
            path="",
            message=message,
            hint=hint,
        )
