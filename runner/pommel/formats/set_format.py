"""What a format of minimal sets offers: how its files are recognised, read and written."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pommel.minimal_sets import Compared, MinimalSet


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFormat:
    """A format of minimal sets, under the name that `--from` and `--format` give it.

    `title` says in a few words what it is. Files end in one of `endings`, and where several
    formats share an ending, `is_like` says of the first 4,096 characters of a file whether they
    are this one's; what is no text is told by its ending alone. `compared` is what publications
    compare: the whole sentence, or the contrast only.

    `read` returns the sets of a file, and raises `InputError` with every fault of it. A format
    that is written has `pieces`, the text of a file of these sets, piece by piece, or, where it is
    no single text, `save`, which writes one (or several beside one another). Both raise
    `InputError` for a set that cannot be said in the format, and name what it lacks; where a format
    has only pairs, a set is as many as it has ungrammatical sentences.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    read: Callable[[Path], list[MinimalSet]]
    pieces: Callable[[Iterable[MinimalSet]], Iterator[str]] | None = None
    save: Callable[[Iterable[MinimalSet], Path], None] | None = None
    compared: Compared = "sentence"
    is_like: Callable[[str], bool] = lambda _: True

    @property
    def is_written(self) -> bool:
        """Whether files of the format can be written."""
        return self.pieces is not None or self.save is not None
