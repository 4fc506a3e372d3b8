"""Vocabulary files: a word a line, in UTF-8."""

from pathlib import Path

from pommel.errors import InputError, counted, listed
from pommel.files import text as text_file
from pommel.models.reference_files import read_text


def read_vocabulary(path: Path, *, asked_by: str) -> tuple[str, ...]:
    """Return the words of a model's file, in its order.

    Raises `ModelNotAvailableError`, naming the reference `asked_by`, if the file cannot be read,
    and `InputError` as `parse_vocabulary`.
    """
    return parse_vocabulary(read_text(path, asked_by=asked_by), file=str(path))


def read_word_list(path: Path, *, cased: bool = True) -> tuple[str, ...]:
    """Return the words of a vocabulary file, a word a line.

    Raises `InputError` if it cannot be read, for what is no list of distinct words, and, if not
    `cased`, for a word that is not in lower case, which no word of a lower-cased text would be.
    """
    words = parse_vocabulary(text_file.read_text(path).text, file=str(path))
    strange = None if cased else next((word for word in words if word != word.lower()), None)
    if strange is not None:
        message = f"{path}: {strange!r} is not in lower case, as every word is with --lower"
        raise InputError(f"{message}; give another vocabulary")
    return words


def parse_vocabulary(text: str, *, file: str) -> tuple[str, ...]:
    """Return the words of a file's text, in its order.

    Raises `InputError`, with the line, for what is no list of distinct words: two words on a line,
    none, the same word again, no word at all.
    """
    first_line: dict[str, int] = {}
    again: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        word = line.strip()
        if not word or len(word.split()) > 1:
            what = f"{word!r} is not one word" if word else "the line is blank"
            raise InputError(f"{file}:{number}: {what}; a vocabulary has a word a line")
        if word in first_line:
            again.append(f"{word!r} in line {number} is there in line {first_line[word]}")
        first_line.setdefault(word, number)
    if again:
        message = f"{file}: {counted(len(again), 'duplicate')} ({listed(again)})"
        raise InputError(f"{message}; a word may be listed once")
    if not first_line:
        raise InputError(f"{file}: there is no word in it; a vocabulary has a word a line")
    return tuple(first_line)
