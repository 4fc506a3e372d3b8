"""The boundary to the terminal: all that is said leaves through here, and steers nothing.

Suites, results, stores and models are written by strangers. Escape sequences in their text would
clear the screen, forge lines, or rename the window of whoever looks at it.
"""

import codecs
import contextlib
import io
import sys
from collections.abc import Iterator
from typing import TextIO

import click

from pommel.errors import printable_lines


class SafeStream(io.TextIOBase):
    """Standard output or error: what is written is `printable`, but for its line ends and tabs.

    `data` is what a program may read: only a terminal is spared anything. What the encoding of
    the stream lacks, as cp1252 lacks Hebrew, becomes a question mark, and `has_replaced` says so.
    """

    # Click would write UTF-8 past a stream that says it is ASCII.
    encoding = "utf-8"

    def __init__(self, stream: TextIO) -> None:
        """Stand before a stream, which is given what is left."""
        self.rich_proxied_file = stream  # So Rich calls it: its colours and bars go there.
        self.has_replaced = False
        if isinstance(stream, io.TextIOWrapper):
            handler = f"pommel-{id(self)}"
            codecs.register_error(handler, self._replaced)
            stream.reconfigure(errors=handler)

    def _replaced(self, error: UnicodeError) -> tuple[str | bytes, int]:
        self.has_replaced = True
        return codecs.replace_errors(error)

    def write(self, text: str) -> int:
        """Write what is said."""
        return self.rich_proxied_file.write(printable_lines(text))

    def data(self, text: str) -> None:
        """Write what is data: whole, where no terminal is."""
        self.rich_proxied_file.write(printable_lines(text) if self.isatty() else text)

    def flush(self) -> None:
        self.rich_proxied_file.flush()

    def isatty(self) -> bool:
        return self.rich_proxied_file.isatty()

    def fileno(self) -> int:
        return self.rich_proxied_file.fileno()


@contextlib.contextmanager
def safe_streams() -> Iterator[None]:
    """Let all that is written to standard output and error go through the boundary.

    In the end a note says which encoding lacked characters, if one did.
    """
    out, err = sys.stdout, sys.stderr
    # Without a standard error (`2>&-`) there is nothing to write to.
    streams = [SafeStream(each) for each in (out, err) if each is not None]
    sys.stdout, *others = streams
    sys.stderr = others[0] if others else err
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err
        lacking = {each.rich_proxied_file.encoding for each in streams if each.has_replaced}
        for encoding in sorted(lacking):
            click.echo(
                f"note: what {encoding} has no character for is shown as ?; with PYTHONUTF8=1 the "
                "output is UTF-8, as files are",
                err=True,
            )
