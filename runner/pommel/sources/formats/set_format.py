"""What a format of minimal sets offers: how its files are recognised, read and written."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pommel.files import DecodedText
from pommel.sources.minimal_sets import Compared, MinimalSet


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFormat:
    """A format of minimal sets, under the name that `--from` and `--format` give it.

    `title` says in a few words what it is. Files end in one of `endings`, and where several formats
    share an ending, `is_like` says of the first 4,096 characters of a file whether they are this
    one's; what is no text is told by its ending alone. `compared` is what publications compare: the
    whole sentence, or the contrast only, and `metric` by what of its tokens. `has_lone` says that a
    set may be without an ungrammatical sentence, and `has_contexts` that it may have contexts.

    A format that is one text has `parse`, which returns the sets of a text, given the file's name
    for messages, and `pieces`, which yields the text of a file of sets. Another one has `load` and
    `save` instead, for a file, or several beside one another. Reading raises `InputError` with
    every fault of the file; writing raises it for a set that cannot be said in the format, and
    names what it lacks. Where a format has only pairs, a set is as many as it has ungrammatical
    sentences.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    parse: Callable[[str, str], list[MinimalSet]] | None = None
    pieces: Callable[[Iterable[MinimalSet]], Iterator[str]] | None = None
    load: Callable[[Path], list[MinimalSet]] | None = None
    save: Callable[[Iterable[MinimalSet], Path], None] | None = None
    compared: Compared = "sentence"
    metric: str = "sum"
    has_lone: bool = False
    has_contexts: bool = False
    is_like: Callable[[str], bool] = lambda _: True

    def read(self, path: Path) -> list[MinimalSet]:
        """Return the sets of a file; raises `InputError` with every fault of it."""
        if self.load:
            return self.load(path)
        assert self.parse  # noqa: S101 - a format has one of the two
        return self.parse(DecodedText.read(path).text, str(path))
