"""`get_predictions.hdf5`: the one command that writes a file, which leaves the container as output.

Nothing of this machine is mounted for it: it writes to `/tmp` in the container, and from there
the file is printed. A stranger's file is looked through before anything in it is read: it may name
other files of this machine, which the library would read, and claim to hold more than fits into
memory.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pommel.errors import InputError, quoted
from pommel.files import replacing
from pommel.models.container.engines.process import Command

if TYPE_CHECKING:
    import h5py
    import numpy as np


_FILE = "/tmp/predictions.hdf5"  # noqa: S108 - in the container
# What the command prints, which should be nothing, must not get into the file.
_SCRIPT = 'get_predictions.hdf5 /dev/stdin "$1" 1>&2 && cat "$1"'
NAME = "get_predictions.hdf5"
COMMAND = ("sh", "-c", _SCRIPT, NAME, _FILE)

_SIGNATURE = b"\x89HDF\r\n\x1a\n"


def write_output(command: Command, path: Path) -> None:
    """Write what a running `COMMAND` prints to a file, which appears when it is complete.

    Raises `ContainerError` if the command fails or what it writes is no HDF5, and `PommelError`
    for a file that cannot be written. What is no file (a pipe) is given the whole at the end.
    """
    beginning = b""
    with replacing(path) as aside, aside.open("wb") as opened:
        for chunk in command.chunks():
            beginning += chunk[: len(_SIGNATURE) - len(beginning)]
            opened.write(chunk)
        command.finish()
        if beginning != _SIGNATURE:
            raise command.failure("what it has written is no HDF5 file")


# What is bigger than the file itself is compressed, or a lie.
_MOST_BYTES = 1 << 30
_MOST_WORDS = 10_000_000
_DEEPEST = 8
# numpy's letters for numbers, words of one length and words of any length.
_KINDS = "biufSO"


class PredictionsFile:
    """An open file of predictions, in which nothing leads out of it or claims to be huge.

    A context manager that closes it. `file` is what h5py has opened. What is read and is not what
    it should be raises `InputError`.
    """

    def __init__(self, path: Path, *, n_sentences: int) -> None:
        """Open the file and look through it.

        Raises `InputError` for any other file, and for one with far more in it than `n_sentences`
        need.
        """
        import h5py

        with _readable():
            self.file = h5py.File(path, "r")
            try:
                n_bytes = path.stat().st_size
                most = 10 * n_sentences + 1000
                _check_objects(self.file, max(_MOST_BYTES, n_bytes), n_bytes, most)
            except BaseException:
                self.file.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def sentence_names(self) -> list[str]:
        """Return the names in `/sentence`, numbers in their order."""
        with _readable():
            return sorted(self.file["sentence"].keys(), key=lambda name: (len(name), name))

    def words(self, name: str) -> list[str]:
        """Return the words in a dataset."""
        with _readable():
            dataset = self.file[name]
            if len(dataset.shape) != 1 or dataset.shape[0] > _MOST_WORDS:
                raise InputError(f"{dataset.name} has the shape {dataset.shape}")
            return [bytes(item).decode() for item in dataset[:]]

    def numbers(self, name: str, kind: str) -> "np.ndarray[Any, Any]":
        """Return the numbers in a dataset, as numpy's `kind`."""
        with _readable():
            dataset = self.file[name]
            if math.prod(dataset.shape) > _MOST_BYTES // 8:
                raise InputError(f"{dataset.name} has the shape {dataset.shape}")
            values: np.ndarray[Any, Any] = dataset[()].astype(kind)
            return values


@contextmanager
def _readable() -> Iterator[None]:
    """Turn whatever a stranger's file makes the library say into an `InputError`."""
    kinds = (OSError, LookupError, ValueError, TypeError, AttributeError, RuntimeError)
    try:
        yield
    except (*kinds, ArithmeticError, MemoryError) as error:
        reason = str(error) or type(error).__name__
        raise InputError(f"the file cannot be read: {reason[:1000]}") from error


def _check_objects(file: "h5py.File", most_bytes: int, n_bytes: int, most: int) -> None:
    import h5py

    waiting: list[tuple[Any, str, int]] = [(file, "", 1)]
    count = n_read = 0
    while waiting:
        group, path, depth = waiting.pop()
        for name in group:
            count += 1
            place = f"{path}/{name}"
            if count > most or depth > _DEEPEST:
                raise InputError(f"there is more in the file than predictions, at {quoted(place)}")
            # A link of any other kind may lead to another file, and so may what it leads to.
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                raise InputError(f"{quoted(place)} is a link, and not what it stands for")
            value = group[name]
            if isinstance(value, h5py.Group):
                waiting.append((value, place, depth + 1))
            elif isinstance(value, h5py.Dataset):
                _check_dataset(value, quoted(place), most_bytes)
                if value.dtype.kind == "O":
                    n_read = _check_words(value, quoted(place), n_bytes, n_read)


def _check_dataset(dataset: Any, place: str, most_bytes: int) -> None:
    # These two first: to find out the shape of a virtual dataset, other files are opened.
    if dataset.is_virtual or dataset.external:
        raise InputError(f"{place} is kept in other files")
    shape, kind = dataset.shape, dataset.dtype
    if shape is None or kind.kind not in _KINDS:
        raise InputError(f"{place} holds neither numbers nor words")
    if math.prod(shape) * kind.itemsize > most_bytes:
        raise InputError(f"{place} claims to be bigger than the file: it has the shape {shape}")


def _check_words(dataset: Any, place: str, n_bytes: int, n_read: int) -> int:
    """Return `n_read` and the bytes of the words of any length in a dataset; together bounded."""
    import h5py

    if h5py.check_string_dtype(dataset.dtype) is None or len(dataset.shape) != 1:
        raise InputError(f"{place} holds neither numbers nor words")
    # Words may share their bytes in the file, and have each their own in memory; one is never
    # longer than the file.
    n_words = max(1, min(1 << 16, (_MOST_BYTES >> 2) // max(1, n_bytes)))
    for start in range(0, dataset.shape[0], n_words):
        n_read += sum(map(len, dataset[start : start + n_words]))
        if n_read > _MOST_BYTES:
            raise InputError(f"{place} claims to be bigger than the file")
    return n_read
