"""Pickles of plain data, read without running anything.

A pickle is a program for a small machine with a stack, and some of its instructions import and call
what they name. Python's own machine gets only those here that make dictionaries, lists, tuples,
text and numbers; it finds no class. Instructions: `pickletools` in Python's standard library.

It is the machine that Python has written in Python: the faster one reserves as much memory as a
file of a few bytes asks for.
"""

import io
import warnings
from collections.abc import Callable
from pathlib import Path
from pickle import UnpicklingError, _Unpickler
from typing import Any, ClassVar, NoReturn

from pommel.errors import InputError, printable, quoted

# The largest published file has 2 MB and 70,000 instructions. An instruction of one byte makes a
# container of 64.
_MOST_BYTES = 1 << 26
_MOST_INSTRUCTIONS = 1 << 22
_NOT_READ = "pickles can run programs, so only dictionaries, lists, tuples and text are read"
_PLAIN = (
    b"\x80\x95(.}])dlt\x85\x86\x87aesu"  # protocol, frame, mark, end, containers
    b"\x8cX\x8dUTVSpqr\x94ghj"  # text, and what has been kept
    b"N\x88\x89KMJGILF\x8a\x8bCB\x8e"  # None, truth values, numbers, bytes
    b"ci\x93"  # classes, for which `find_class` is asked
)
_TEXTS = b"\x8cX\x8dUTVS"
_REFUSED = {
    b"PQ": "a persistent id, which only the program that wrote it can read",
    b"\x82\x83\x84": "an extension code, which stands for a class",
    b"Rbo\x81\x92": "a call of a function",
    b"\x8f\x90\x91": "a set",
    b"\x97\x98": "a buffer outside of the file",
    b"012\x96": "an instruction that plain data has no need of",
}
_NO_PICKLE = (
    UnpicklingError,
    EOFError,
    ValueError,
    IndexError,
    KeyError,
    TypeError,
    AttributeError,
    DeprecationWarning,
)


def read_plain_pickle(path: Path) -> Any:
    """Return what a pickle holds: dictionaries with text as keys, lists, tuples, text, and what is
    no container: numbers, bytes, truth values, None.

    Text of Python 2 (`str`) is UTF-8. Containers may hold one another, or themselves, to any depth
    and many times: whoever walks through them has to count. Raises `InputError` for a file that
    cannot be read, is no pickle, has more in it than plain data, or too much of that.
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    if len(raw) > _MOST_BYTES:
        raise InputError(f"{path}: has more than {_MOST_BYTES >> 20} MiB; no such pickle is read")
    machine = _PlainUnpickler(_WholeReads(raw))
    try:
        with warnings.catch_warnings():
            # What is no escape is a warning, and would be read as a backslash.
            warnings.simplefilter("error")
            return machine.load()
    except _RefusedError as error:
        raise InputError(f"{path}: {error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: the text at byte {machine.offset} is not Unicode") from None
    except _NO_PICKLE:
        what = f"this is no pickle, or a damaged one, at byte {machine.offset}"
        raise InputError(f"{path}: {what}") from None


class _RefusedError(Exception):
    """What is there is a pickle, and is not read."""


class _WholeReads(io.BytesIO):
    """Bytes of which a read gets all that it asks for."""

    def read(self, size: int | None = -1) -> bytes:
        piece = super().read(size)
        if size is not None and len(piece) < size:
            raise EOFError
        return piece

    def readline(self, size: int | None = -1) -> bytes:
        line = super().readline(size)
        if not line.endswith(b"\n"):
            raise EOFError
        return line


_Act = Callable[[Any], None]


def _noted(code: int, act: _Act) -> _Act:
    """Return an instruction that says where it is, and keeps what it does within limits."""

    def noted(machine: "_PlainUnpickler") -> None:
        machine.offset = machine.stream.tell() - 1
        machine.n_begun += 1
        if machine.n_begun > _MOST_INSTRUCTIONS:
            most = f"{_MOST_INSTRUCTIONS:,} instructions"
            raise _RefusedError(f"has more than {most}; no such file is read")
        keys = machine.stack[::2] if code in b"ud" else machine.stack[-2:-1] if code in b"s" else []
        # The hash of nested tuples would take time without end.
        if not all(isinstance(key, str) for key in keys):
            what = f"a dictionary has a key that is no text, at byte {machine.offset}"
            raise _RefusedError(f"{what}; keys have to be text")
        act(machine)
        if code in _TEXTS:
            # A pair of surrogates is one character; half of one is no text.
            text = machine.stack[-1].encode("utf-16-le", "surrogatepass")
            machine.stack[-1] = text.decode("utf-16-le")
        machine.offset = machine.stream.tell()

    return noted


def _refusing(what: str) -> _Act:
    def refuse(_: object) -> None:
        raise _RefusedError(f"has {what}; {_NOT_READ}")

    return refuse


def _frame(machine: "_PlainUnpickler") -> None:
    # How much a reader may fetch at once says nothing to one that has everything.
    machine.stream.read(8)


def _stop(machine: "_PlainUnpickler") -> None:
    if machine.stream.tell() < machine.stream.getbuffer().nbytes:
        raise _RefusedError("goes on after the end of the pickle, which is not read")
    if len(machine.stack) != 1 or machine.metastack:
        raise UnpicklingError
    _STANDARD[ord(".")](machine)


_STANDARD: dict[int, _Act] = {**_Unpickler.dispatch}
_ACTS = {
    **{code: _STANDARD[code] for code in _PLAIN},
    **{code: _refusing(what) for codes, what in _REFUSED.items() for code in codes},
    ord("\x95"): _frame,
    ord("."): _stop,
}


class _PlainUnpickler(_Unpickler):
    """Python's machine without what plain data has no need of.

    `offset` is where the instruction begins that is at work, `n_begun` how many have begun.
    """

    dispatch: ClassVar = {code: _noted(code, act) for code, act in _ACTS.items()}
    # As Python's machine has them.
    stack: list[Any]
    metastack: list[list[Any]]

    def __init__(self, stream: _WholeReads) -> None:
        super().__init__(stream, encoding="utf-8")
        self.stream = stream
        self.offset = self.n_begun = 0

    def find_class(self, module: str, name: str) -> NoReturn:
        where = quoted(printable(f"{module}.{name}"))
        raise _RefusedError(f"has the class or function {where}; {_NOT_READ}")
