"""Pickles of plain data, read without running anything.

A pickle is a program for a small machine with a stack, and some of its instructions import and call
what they name. This machine has only those that make dictionaries, lists, tuples and text; it
knows no way to find a class. Instructions: `pickletools` in Python's standard library.
"""

import ast
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from pommel.errors import InputError, printable, quoted

_LITERAL = re.compile(r"""[bB]?(?:'(?:[^'\\\r\n]|\\.)*+'|"(?:[^"\\\r\n]|\\.)*+")""")

# The largest published file has 2 MB and 70,000 instructions. An instruction of one byte makes a
# container of 64.
_MOST_BYTES = 1 << 26
_MOST_INSTRUCTIONS = 1 << 22
_NEWEST_PROTOCOL = 5
_NOT_READ = "pickles can run programs, so only dictionaries, lists, tuples and text are read"
_REFUSED: dict[bytes, str] = {
    **dict.fromkeys((b"P", b"Q"), "a persistent id, which only the program that wrote it can read"),
    **dict.fromkeys((b"\x82", b"\x83", b"\x84"), "an extension code, which stands for a class"),
    **dict.fromkeys((b"R", b"b", b"o", b"\x81", b"\x92"), "a call of a function"),
    **dict.fromkeys((b"\x8f", b"\x90", b"\x91"), "a set"),
    **dict.fromkeys((b"\x97", b"\x98"), "a buffer outside of the file"),
    **dict.fromkeys((b"0", b"1", b"2"), "an instruction that plain data has no need of"),
}


def text_of_literal(literal: str) -> str:
    """Return the text of a literal such as `b'caf\\xc3\\xa9'` or `'café'`; bytes are UTF-8.

    Raises `ValueError` for anything else, and for an escape that Python does not know.
    """
    if not _LITERAL.fullmatch(literal):
        raise ValueError("this is no string as Python writes it")
    try:
        with warnings.catch_warnings():
            # What is no escape is a warning, and would be read as a backslash.
            warnings.simplefilter("error")
            value = ast.literal_eval(literal)
    except SyntaxError as error:
        raise ValueError(error.msg) from None
    if isinstance(value, bytes):
        return value.decode()
    # Half of a surrogate pair can be written in Python, and nowhere else.
    return str(value).encode().decode()


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value that is neither text nor a container; `kind` is what it is in words."""

    kind: str


def read_plain_pickle(
    path: Path, *, most_bytes: int = _MOST_BYTES, most_instructions: int = _MOST_INSTRUCTIONS
) -> Any:
    """Return what a pickle holds: dictionaries with text as keys, lists, tuples, text, `Scalar`.

    Text of Python 2 (`str`) is UTF-8. Containers may hold one another, or themselves, to any depth
    and many times: whoever walks through them has to count. Raises `InputError` for a file that
    cannot be read, is no pickle, has more in it than plain data, or more than `most_bytes` (whole
    MiB) or `most_instructions`.
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(most_bytes + 1)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    if len(raw) > most_bytes:
        raise InputError(f"{path}: has more than {most_bytes >> 20} MiB; no such pickle is read")
    return _Machine(raw, str(path)).run(most_instructions)


class _KeyIsNoTextError(Exception):
    """A dictionary with a key that only programs could read."""


class _Machine:
    """The machine; what it cannot do ends in `InputError`."""

    def __init__(self, raw: bytes, file: str) -> None:
        self.raw = raw
        self.file = file
        self.offset = 0
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}

    def run(self, most_instructions: int) -> Any:
        start = 0
        try:
            for _ in range(most_instructions):
                start = self.offset
                code = self.take(1)
                if code == b".":
                    return self._result()
                act = _INSTRUCTIONS.get(code)
                if act is None:
                    self._refuse(code)
                act(self)
        except _KeyIsNoTextError:
            what = f"{self.file}: a dictionary has a key that is no text, at byte {start}"
            raise InputError(f"{what}; keys have to be text") from None
        except UnicodeDecodeError:
            raise InputError(f"{self.file}: the text at byte {start} is not Unicode") from None
        except (ValueError, IndexError, KeyError, TypeError):
            what = f"{self.file}: this is no pickle, or a damaged one, at byte {start}"
            raise InputError(what) from None
        n_most = f"{most_instructions:,}"
        raise InputError(f"{self.file}: has more than {n_most} instructions; no such file is read")

    def take(self, n_bytes: int) -> bytes:
        start, self.offset = self.offset, self.offset + n_bytes
        if self.offset > len(self.raw):
            raise ValueError
        return self.raw[start : self.offset]

    def number(self, n_bytes: int) -> int:
        return int.from_bytes(self.take(n_bytes), "little")

    def line(self) -> bytes:
        end = self.raw.find(b"\n", self.offset)
        if end < 0:
            raise ValueError
        start, self.offset = self.offset, end + 1
        return self.raw[start:end]

    def marked(self) -> list[Any]:
        """Take what stands above the last mark off the stack, and the mark."""
        mark = self.marks.pop()
        values = self.stack[mark:]
        del self.stack[mark:]
        return values

    def popped(self, n: int) -> tuple[Any, ...]:
        if len(self.stack) - (self.marks[-1] if self.marks else 0) < n:
            raise IndexError
        values = tuple(self.stack[-n:])
        del self.stack[-n:]
        return values

    def _result(self) -> Any:
        if self.offset != len(self.raw):
            raise InputError(f"{self.file}: goes on after the end of the pickle, which is not read")
        (value,) = self.stack
        return value

    def _refuse(self, code: bytes) -> NoReturn:
        if code in (b"c", b"i"):
            self._refuse_class(*(self.line().decode("utf-8", "replace") for _ in range(2)))
        if code == b"\x93":
            # Only text has a length that is known; a tuple of tuples could be printed for ever.
            self._refuse_class(*(each for each in self.popped(2) if isinstance(each, str)))
        what = _REFUSED.get(code)
        if what is None:
            raise ValueError
        raise InputError(f"{self.file}: has {what}; {_NOT_READ}")

    def _refuse_class(self, module: str, name: str) -> NoReturn:
        where = quoted(printable(f"{module}.{name}"))
        raise InputError(f"{self.file}: has the class or function {where}; {_NOT_READ}")


_Act = Callable[[_Machine], None]


def _protocol(machine: _Machine) -> None:
    protocol = machine.number(1)
    if protocol > _NEWEST_PROTOCOL:
        raise ValueError


def _frame(machine: _Machine) -> None:
    # How much a reader may fetch at once says nothing to one that has everything.
    machine.take(8)


def _push(make: Callable[[_Machine], Any]) -> _Act:
    return lambda machine: machine.stack.append(make(machine))


def _sized_text(n_bytes: int) -> _Act:
    return _push(lambda machine: machine.take(machine.number(n_bytes)).decode())


def _escaped_text(machine: _Machine) -> str:
    text = machine.line().decode("raw-unicode-escape")
    # Python 2 may have written a pair of surrogates; half of one is no text.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _quoted_text(machine: _Machine) -> str:
    return text_of_literal(f"b{machine.line().decode('ascii').strip()}")


def _scalar(kind: str, skip: Callable[[_Machine], object]) -> _Act:
    def push(machine: _Machine) -> Scalar:
        skip(machine)
        return Scalar(kind)

    return _push(push)


def _fixed(kind: str, n_bytes: int) -> _Act:
    return _scalar(kind, lambda machine: machine.take(n_bytes))


def _sized(kind: str, n_bytes: int) -> _Act:
    return _scalar(kind, lambda machine: machine.take(machine.number(n_bytes)))


def _append(values: Callable[[_Machine], list[Any]]) -> _Act:
    def act(machine: _Machine) -> None:
        new = values(machine)
        _top(machine, list).extend(new)

    return act


def _set_items(values: Callable[[_Machine], list[Any]]) -> _Act:
    def act(machine: _Machine) -> None:
        new = values(machine)
        _top(machine, dict).update(_dictionary(new))

    return act


def _top(machine: _Machine, kind: type) -> Any:
    top = machine.stack[-1]
    if not isinstance(top, kind):
        raise TypeError
    return top


def _dictionary(values: list[Any]) -> dict[str, Any]:
    keys = values[::2]
    # The hash of nested tuples would take time without end.
    if not all(isinstance(key, str) for key in keys):
        raise _KeyIsNoTextError
    return dict(zip(keys, values[1::2], strict=True))


def _put(index: Callable[[_Machine], int]) -> _Act:
    def act(machine: _Machine) -> None:
        machine.memo[index(machine)] = machine.stack[-1]

    return act


def _get(index: Callable[[_Machine], int]) -> _Act:
    return _push(lambda machine: machine.memo[index(machine)])


_INSTRUCTIONS: dict[bytes, _Act] = {
    b"\x80": _protocol,
    b"\x95": _frame,
    b"(": lambda machine: machine.marks.append(len(machine.stack)),
    b"}": _push(lambda _: {}),
    b"]": _push(lambda _: []),
    b")": _push(lambda _: ()),
    b"d": _push(lambda machine: _dictionary(machine.marked())),
    b"l": _push(lambda machine: machine.marked()),
    b"t": _push(lambda machine: tuple(machine.marked())),
    b"\x85": _push(lambda machine: machine.popped(1)),
    b"\x86": _push(lambda machine: machine.popped(2)),
    b"\x87": _push(lambda machine: machine.popped(3)),
    b"a": _append(lambda machine: [*machine.popped(1)]),
    b"e": _append(lambda machine: machine.marked()),
    b"s": _set_items(lambda machine: [*machine.popped(2)]),
    b"u": _set_items(lambda machine: machine.marked()),
    b"\x8c": _sized_text(1),
    b"X": _sized_text(4),
    b"\x8d": _sized_text(8),
    b"U": _sized_text(1),
    b"T": _sized_text(4),
    b"V": _push(_escaped_text),
    b"S": _push(_quoted_text),
    b"p": _put(lambda machine: int(machine.line())),
    b"q": _put(lambda machine: machine.number(1)),
    b"r": _put(lambda machine: machine.number(4)),
    b"\x94": _put(lambda machine: len(machine.memo)),
    b"g": _get(lambda machine: int(machine.line())),
    b"h": _get(lambda machine: machine.number(1)),
    b"j": _get(lambda machine: machine.number(4)),
    b"N": _fixed("None", 0),
    b"\x88": _fixed("a truth value", 0),
    b"\x89": _fixed("a truth value", 0),
    b"K": _fixed("a number", 1),
    b"M": _fixed("a number", 2),
    b"J": _fixed("a number", 4),
    b"G": _fixed("a number", 8),
    b"I": _scalar("a number", _Machine.line),
    b"L": _scalar("a number", _Machine.line),
    b"F": _scalar("a number", _Machine.line),
    b"\x8a": _sized("a number", 1),
    b"\x8b": _sized("a number", 4),
    b"C": _sized("bytes", 1),
    b"B": _sized("bytes", 4),
    b"\x8e": _sized("bytes", 8),
    b"\x96": _sized("bytes", 8),
}
