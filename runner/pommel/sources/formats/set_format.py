"""What a format of minimal sets offers: how its files are recognised, read and written."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pommel.sources.minimal_sets import Compared, MinimalSet


@dataclass(frozen=True, slots=True)
class TextPieces:
    """How a format that is one text is written: `pieces` yields the text of a file of sets.

    It raises `InputError` for a set that cannot be said in the format, and names what it lacks.
    """

    pieces: Callable[[Iterable[MinimalSet]], Iterator[str]]


@dataclass(frozen=True, slots=True)
class SaveFile:
    """How a format that is no single text is written: `save` writes a file, or several beside one
    another. It raises as `TextPieces.pieces` does.
    """

    save: Callable[[Iterable[MinimalSet], Path], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFormat:
    """A format of minimal sets, under the name that `--from` and `--format` give it.

    `title` says in a few words what it is. Files end in one of `endings`, and where several formats
    share an ending, `is_like` says of the first 4,096 characters of a file whether they are this
    one's; what is no text is told by its ending alone. `compared` is what publications compare: the
    whole sentence, or the contrast only, and `metric` by what of its tokens. `has_lone` says that a
    set may be without an ungrammatical sentence, and `has_contexts` that it may have contexts.

    `read` returns the sets of a file, and raises `InputError` with every fault of it. `written`
    says how it is written; where a format has only pairs, a set is as many as it has ungrammatical
    sentences.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    read: Callable[[Path], list[MinimalSet]]
    written: TextPieces | SaveFile
    compared: Compared = "sentence"
    metric: str = "sum"
    has_lone: bool = False
    has_contexts: bool = False
    is_like: Callable[[str], bool] = lambda _: True
