"""What the commands of protocol 1 print, read strictly: one answer for each sentence.

Whatever is wrong is a `ContainerError` that names image, command and sentence.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TypeVar

from pommel.errors import (
    InputError,
    ModelError,
    SurprisalError,
    counted,
    quoted,
)
from pommel.files import is_encodable
from pommel.models.alignment import PrintedToken
from pommel.models.container.engines.process import WARNING, Command, place
from pommel.models.printed import COLUMNS, TableReader, is_header

_SENTENCES_A_PIECE = 64


def check_sentences(sentences: Sequence[str], reference: str, *, blank: bool = False) -> None:
    """Raise `ModelError` for sentences that are no lines: with line breaks, blank, not UTF-8.

    `blank` allows blank ones. Some images skip blank lines and some do not, so that nobody knows
    whose the following answers are.
    """

    def fault(sentence: str) -> str | None:
        if "\n" in sentence or "\r" in sentence:
            return "it has a line break, and the image takes one sentence a line"
        if not blank and not sentence.strip():
            return "it is blank, and the image takes one sentence a line"
        return _encoding_fault(sentence)

    _refuse(sentences, reference, fault)


def check_encodable(sentences: Sequence[str], reference: str) -> None:
    """Raise `ModelError` for sentences that cannot be written as UTF-8."""
    _refuse(sentences, reference, _encoding_fault)


def _encoding_fault(sentence: str) -> str | None:
    if is_encodable(sentence):
        return None
    return "it holds half of a surrogate pair, which cannot be written as UTF-8"


def _refuse(
    sentences: Sequence[str], reference: str, fault_of: Callable[[str], str | None]
) -> None:
    faults: dict[str, str] = {}
    for number, sentence in enumerate(sentences, start=1):
        if fault := fault_of(sentence):
            faults.setdefault(sentence, f"{reference}: {place(number, sentence)}: {fault}")
    if faults:
        raise ModelError.of_sentences(faults)


def sentence_chunks(sentences: Sequence[str]) -> Iterator[bytes]:
    """Yield the sentences as lines, in pieces; the last line ends with a line feed, too."""
    for start in range(0, len(sentences), _SENTENCES_A_PIECE):
        piece = sentences[start : start + _SENTENCES_A_PIECE]
        yield "".join(f"{sentence}\n" for sentence in piece).encode()


_Answer = TypeVar("_Answer")


def read_tokens(command: Command, sentences: Sequence[str]) -> Generator[list[str], None, None]:
    """Yield the tokens of each sentence, from the lines of `tokenize`.

    More than one blank between two tokens, or one at the end of a line, is taken for one.
    """
    return _read_lines(command, sentences, _split)


def read_masks(command: Command, sentences: Sequence[str]) -> Generator[list[bool], None, None]:
    """Yield whether each token of a sentence is an unknown one, from the lines of `unkify`."""

    def mask(line: str) -> list[bool]:
        flags = _split(line)
        if not set(flags) <= {"0", "1"}:
            raise InputError(f"it printed {quoted(line)}, and not 0 or 1 for each token")
        return [flag == "1" for flag in flags]

    return _read_lines(command, sentences, mask)


def _split(line: str) -> list[str]:
    # Any other white space may be part of a token.
    return [each for each in line.split(" ") if each]


def _read_lines(
    command: Command, sentences: Sequence[str], parse: Callable[[str], _Answer]
) -> Generator[_Answer, None, None]:
    for number, sentence in enumerate(sentences, start=1):
        command.wait_for(number, sentence)
        too_few = (
            f"it printed {counted(number - 1, 'line')} for {counted(len(sentences), 'sentence')}"
        )
        line = command.needed_line(too_few)
        # Lines are counted: only what no answer begins with may be left out before the first.
        while number == 1 and line.startswith(WARNING) and not sentence.startswith(WARNING):
            command.habits.add("warnings before its answers")
            line = command.needed_line(too_few)
        check_line(command, line, sentence)
        try:
            answer = parse(line.removesuffix("\r"))
        except InputError as error:
            raise command.fault(str(error)) from error
        yield answer
    command.at = command.suspect = ""
    for line in command.lines():
        if line.strip():
            n_sentences = counted(len(sentences), "sentence")
            what = f"it printed more than one line for each of {n_sentences}: {quoted(line)}"
            raise command.fault(what)
    command.suspect = None
    command.finish()


def read_raw(command: Command, sentences: Sequence[str]) -> Iterator[str]:
    """Start a command and yield its lines, whatever they are; raises if they are far too much."""
    most = sum(map(most_characters, sentences))
    n_characters = 0
    with command:
        command.feed(sentence_chunks(sentences))
        for line in command.lines():
            n_characters += len(line) + 1
            if n_characters > most:
                raise command.failure(f"it printed more than {most} characters")
            yield line
        command.finish()


def read_table(
    command: Command, sentences: Sequence[str]
) -> Generator[tuple[PrintedToken, ...], None, None]:
    """Yield the tokens of each sentence, from the table of `get_surprisals`.

    Lines before the table's header (a framework's warnings) are left out: none is an answer.
    """
    reader = TableReader(at="line ", habits=command.habits)
    count = 0
    answers = reader.sentences(_watched(command, reader, sentences))
    try:
        for tokens in answers:
            count += 1
            yield tokens
    except (InputError, SurprisalError) as error:
        _wait_for(command, max(reader.sentence, 1), sentences)
        raise command.fault(str(error)) from error
    command.suspect = sentences[count] if count < len(sentences) else None
    command.finish()
    if count < len(sentences):
        n_sentences = counted(len(sentences), "sentence")
        raise command.failure(f"it gave surprisals for {count} of {n_sentences}")


def _watched(command: Command, reader: TableReader, sentences: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a table, and keep an eye on which sentence it has come to, and how far."""
    _wait_for(command, 1, sentences)
    first = command.needed_line("it printed nothing")
    header: str | None = first
    for _ in range(_MOST_LINES_BEFORE):
        if header is None or is_header(header):
            break
        command.habits.add("lines before its table")
        check_line(command, header, sentences[0])
        header = command.next_line()
        reader.first_line += 1
    if header is None or not is_header(header):
        command.at = ""
        wanted = " ".join(COLUMNS)
        raise command.fault(f"its first line has to be {wanted}, and is {quoted(first)}")
    check_line(command, header, sentences[0])
    yield header
    shown = n_characters = 0
    for line in command.lines():
        sentence = sentences[max(shown, 1) - 1]
        # The line may be about the next one already.
        check_line(command, line, max([sentence, *sentences[shown : shown + 1]], key=len))
        yield line
        if reader.sentence == shown:
            n_characters += len(line)
            if n_characters > (most := most_characters(sentence)):
                what = f"it printed more than {most} characters about one sentence"
                raise command.fault(what)
            continue
        shown, n_characters = reader.sentence, len(line)
        _wait_for(command, shown, sentences)
        if shown > len(sentences):
            n_sentences = counted(len(sentences), "sentence")
            raise command.fault(f"it printed sentence_id {shown} for {n_sentences}")


def _wait_for(command: Command, number: int, sentences: Sequence[str]) -> None:
    if number <= len(sentences):
        command.wait_for(number, sentences[number - 1])
    else:
        command.at = command.suspect = ""


# A framework that warns of every layer; whoever prints more prints no table.
_MOST_LINES_BEFORE = 1000

# What a stranger prints must not fill our memory; nothing that is right comes near these limits.
_CHARACTERS, _MORE = 1024, 16


def check_line(command: Command, line: str, sentence: str) -> None:
    """Raise `ContainerError` for a line that is too long to be about a sentence, or a part of it.

    To be called before anything is made of the line.
    """
    if len(line) > (most := most_characters(sentence)):
        raise command.fault(f"it printed a line of more than {most} characters")


def most_characters(sentence: str) -> int:
    """Return how much output there may be about a sentence; far more than there ever is."""
    return _CHARACTERS * (len(sentence) + _MORE)
