"""What a command wrote to standard error last, fit to be shown."""

from pommel.errors import printable

_MAX_BYTES = 16_384
_MAX_LINES = 10
_MAX_COLUMNS = 200


class LastWords:
    """Keeps the end of a stream, whatever its length."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._tail = b""

    def add(self, data: bytes) -> None:
        """Take in the next piece."""
        self._tail = (self._tail + data)[-_MAX_BYTES:]

    def lines(self) -> list[str]:
        """Return the last lines, without those that are blank.

        What is no printable character is shown as `?`: a container must not steer a terminal.
        """
        text = self._tail.decode(errors="replace")
        lines = [printable(line).rstrip() for line in text.splitlines()]
        return [line[:_MAX_COLUMNS] for line in lines if line][-_MAX_LINES:]

    def __str__(self) -> str:
        """Return the lines as the end of a message; empty if there are none."""
        lines = self.lines()
        if not lines:
            return ""
        return "\n".join(["; the last it wrote to standard error:", *(f"    {_}" for _ in lines)])
