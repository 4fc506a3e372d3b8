"""The forms that suites, items and minimal sets are written in: names, endings, and writing."""

from collections.abc import Iterator
from pathlib import Path

from pommel.errors import UsageError
from pommel.files.text import replacing
from pommel.sources.formats.long_csv import long_csv_pieces, sentence_lines
from pommel.sources.formats.set_format import SaveFile, TextPieces
from pommel.sources.formats.set_formats import FORMATS, format_named, written_at
from pommel.sources.output import Content

# Forms of whole items; the others are formats of minimal sets.
SUITE, CSV, SENTENCES = "suite", "csv", "sentences"
# Those in which the end of a sentence is the model's own mark.
WITHOUT_MARKS = (SUITE, CSV)
_BY_ENDING = {".json": SUITE, ".csv": CSV}


def form_names() -> tuple[str, ...]:
    """Return the names of all forms that are written."""
    return (SUITE, CSV, SENTENCES, *(each.name for each in FORMATS))


def form_of_file(path: Path) -> str:
    """Return the form that a file's ending means; raises `UsageError` if it means none."""
    found = _BY_ENDING.get(path.suffix) or getattr(written_at(path.suffix), "name", None)
    if found is None:
        written = (ending for each in FORMATS for ending in each.endings)
        endings = ", ".join(dict.fromkeys([*_BY_ENDING, *written]))
        raise UsageError(f"{path}: say --format, or let the file end in one of {endings}")
    return found


def ending_of(form: str) -> str:
    """Return how a file of that form ends."""
    own = {name: ending for ending, name in _BY_ENDING.items()} | {SENTENCES: ".txt"}
    found = format_named(form)
    return found.endings[0] if found else own[form]


def is_of_sets(form: str) -> bool:
    """Say whether a form is one of minimal sets."""
    return format_named(form) is not None


def pieces_of(content: Content, form: str) -> Iterator[str]:
    """Return the text of a content in some form, piece by piece.

    Raises `UsageError` for what the content cannot be written as, and for a form that is no text.
    """
    found = format_named(form)
    if found and isinstance(found.written, TextPieces):
        return found.written.pieces(content.sets(with_lone=found.has_lone))
    if found:
        raise UsageError(f"{form} is no text to be shown; name a file with -o")
    if form == CSV:
        return long_csv_pieces(content.items(), content.region_names)
    if form == SENTENCES:
        return sentence_lines(content.items(), content.joiner)
    return content.suite_pieces()


def write_content(content: Content, form: str, path: Path) -> None:
    """Write a content to a file, never all of it in memory; the file is there when it is whole.

    Raises `UsageError` for what the content cannot be written as, and `PommelError` for what the
    file system refuses.
    """
    found = format_named(form)
    if found and isinstance(found.written, SaveFile):
        found.written.save(content.sets(with_lone=found.has_lone), path)
        return
    pieces = pieces_of(content, form)
    with replacing(path) as aside, aside.open("w", encoding="utf-8", newline="") as stream:
        stream.writelines(pieces)
