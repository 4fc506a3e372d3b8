"""What goes into the commands of protocol 1: one sentence a line."""

from collections.abc import Iterator, Sequence

from pommel.errors import ModelError
from pommel.files.text import is_encodable
from pommel.models.container.quoting import place

_CHUNK_BYTES = 1 << 16


def check_sentences(sentences: Sequence[str], reference: str, *, blank: bool = False) -> None:
    """Raise `ModelError` for a sentence that is no line: one with a line break, or a blank one.

    `blank` allows the latter. Some images skip blank lines and some do not, so that nobody knows
    whose the following answers are.
    """
    for number, sentence in enumerate(sentences, start=1):
        if "\n" in sentence or "\r" in sentence:
            fault = "it has a line break, and the image takes one sentence a line"
        elif not blank and not sentence.strip():
            fault = "it is blank, and the image takes one sentence a line"
        else:
            continue
        raise ModelError(f"{reference}: {place(number, sentence)}: {fault}")
    check_encodable(sentences, reference)


def check_encodable(sentences: Sequence[str], reference: str) -> None:
    """Raise `ModelError` for a sentence that cannot be written as UTF-8."""
    for number, sentence in enumerate(sentences, start=1):
        if not is_encodable(sentence):
            fault = "it holds half of a surrogate pair, which cannot be written as UTF-8"
            raise ModelError(f"{reference}: {place(number, sentence)}: {fault}")


def sentence_chunks(sentences: Sequence[str]) -> Iterator[bytes]:
    """Yield the sentences as lines, in pieces; the last line ends with a line feed, too."""
    lines: list[bytes] = []
    n_bytes = 0
    for sentence in sentences:
        line = f"{sentence}\n".encode()
        lines.append(line)
        n_bytes += len(line)
        if n_bytes >= _CHUNK_BYTES:
            yield b"".join(lines)
            lines, n_bytes = [], 0
    yield b"".join(lines)
