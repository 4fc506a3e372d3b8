"""Text of strangers in our messages: short, and with nothing that would steer a terminal."""

from pommel.errors import printable, quoted

_LONGEST_MESSAGE = 400


def place(number: int, sentence: str) -> str:
    """Return how a message names a sentence; `number` counts from 1."""
    return f"sentence {number} ({quoted(sentence)})"


def shortened(message: str) -> str:
    """Return a message that quotes what a container has printed, fit to be shown."""
    shown = "\n".join(printable(line) for line in message.split("\n"))
    return shown if len(shown) <= _LONGEST_MESSAGE else f"{shown[:_LONGEST_MESSAGE]}…"
