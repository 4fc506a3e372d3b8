"""The boundary to the terminal: all that is said leaves through here, and how it ends.

Suites, results, stores and models are written by strangers. Escape sequences in their text would
clear the screen, forge lines, or rename the window of whoever looks at it. What a user can mend is
a message and an exit status, never a traceback.
"""

import codecs
import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator
from typing import Literal, TextIO

import click

from pommel.errors import PommelError, first_line, package_version, printable


class SafeStream(io.TextIOBase):
    """Standard output or error: what is written is `printable`, but for its line ends and tabs.

    `data` is what a program may read: only a terminal is spared anything. What the encoding of
    the stream lacks, as cp1252 lacks Hebrew, becomes a question mark, and `has_replaced` says so.
    One that `is_quiet` is no terminal to who would show progress there, and takes no notes.
    """

    # Click would write UTF-8 past a stream that says it is ASCII. Without both, `input` has no keys
    # that move in the line.
    encoding, errors = "utf-8", "strict"

    def __init__(self, stream: TextIO) -> None:
        """Stand before a stream, which is given what is left."""
        self.rich_proxied_file = stream  # So Rich calls it: its colours and bars go there.
        self.has_replaced = self.is_quiet = False
        if isinstance(stream, io.TextIOWrapper):
            handler = f"pommel-{id(self)}"
            codecs.register_error(handler, self._replaced)
            # What a program reads has the same bytes everywhere.
            newline = None if stream.isatty() else "\n"
            stream.reconfigure(errors=handler, newline=newline)

    def _replaced(self, error: UnicodeError) -> tuple[str | bytes, int]:
        self.has_replaced = True
        return codecs.replace_errors(error)

    def write(self, text: str) -> int:
        """Write what is said."""
        return self.rich_proxied_file.write(safe(text))

    def data(self, text: str) -> None:
        """Write what is data: whole, where no terminal is."""
        self.rich_proxied_file.write(safe(text) if self.isatty() else text)

    def flush(self) -> None:
        self.rich_proxied_file.flush()

    def isatty(self) -> bool:
        return not self.is_quiet and self.rich_proxied_file.isatty()

    def fileno(self) -> int:
        return self.rich_proxied_file.fileno()


def silence() -> None:
    """Let standard error have errors only, and no progress and no notes, until the command ends."""
    if isinstance(sys.stderr, SafeStream):
        sys.stderr.is_quiet = True


def is_quiet() -> bool:
    """Say whether standard error is for errors only."""
    return isinstance(sys.stderr, SafeStream) and sys.stderr.is_quiet


def safe(text: str) -> str:
    """Return a text that steers no terminal; nearly all is returned as it is."""
    return text if text.strip("\n").isprintable() else printable(text, has_lines=True)


@contextlib.contextmanager
def safe_streams() -> Iterator[None]:
    """Let all that is written to standard output and error go through the boundary.

    In the end a note says which encoding lacked characters, if one did.
    """
    out, err = sys.stdout, sys.stderr
    streams = [SafeStream(out), SafeStream(err)]
    sys.stdout, sys.stderr = streams
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err
        lacking = {each.rich_proxied_file.encoding for each in streams if each.has_replaced}
        for encoding in () if any(each.is_quiet for each in streams) else sorted(lacking):
            click.echo(
                f"note: what {encoding} has no character for is shown as ?; with PYTHONUTF8=1 the "
                "output is UTF-8, as files are",
                err=True,
            )


INTERRUPTED = 130


@contextlib.contextmanager
def exit_on_failure() -> Iterator[None]:
    """Turn errors that are meant for the user into messages on stderr and exit statuses."""
    _open_closed_streams()
    with safe_streams(), _messages():
        yield


@contextlib.contextmanager
def _messages() -> Iterator[None]:
    try:
        yield
        sys.stdout.flush()
    except click.exceptions.Exit as leaving:
        sys.exit(leaving.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _say("interrupted")
        sys.exit(INTERRUPTED)
    except PommelError as error:
        _say(str(error))
        sys.exit(error.exit_status)
    except OSError as error:
        if isinstance(error, BrokenPipeError) or _is_closed_pipe_of_windows(error):
            # The reader of our output (`| head`) has gone; what is left must not go to the pipe.
            drop_output()
            sys.exit(0)
        _say(f"{error.filename or 'the output'}: {error.strerror or error}")
        if not error.filename:
            # Python would try once more to write it, and complain.
            drop_output()
        sys.exit(1)
    except MemoryError:
        _say("out of memory; a smaller --max-memory needs less")
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - what nobody has thought of is our mistake
        _say(_bug(error))
        sys.exit(_SOFTWARE)


def _is_closed_pipe_of_windows(error: OSError) -> bool:
    return sys.platform == "win32" and error.errno == errno.EINVAL and not error.filename


# What sysexits.h calls an internal software error.
_SOFTWARE = 70


def _bug(error: Exception) -> str:
    """Write down what only we can mend, and return what is said of it."""
    # Imported here: every command would wait for them.
    import tempfile
    import traceback

    what = f"this is a mistake in pommel itself: {type(error).__name__}: {first_line(error)}"
    try:
        handle, path = tempfile.mkstemp(prefix="pommel-bug-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as opened:
            print(f"pommel {package_version('pommel')}, Python {sys.version}", file=opened)
            print(*sys.argv, file=opened)
            traceback.print_exception(error, file=opened)
    except OSError:
        return what
    return f"{what}\nPlease report it, with {path}, which says where it happened"


def drop_output() -> None:
    """Let what is still to be written to stdout go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_closed_streams() -> None:
    """Have all three standard streams, where some are closed (`<&-`, `>&-`, `2>&-`).

    Otherwise the next file that is opened would be one of them to some, and nothing to others.
    Input is then empty, an output fails when it is written to, and nobody hears what is said.
    """
    if sys.stdin is None:
        sys.stdin = _null(0, os.O_RDONLY, "r")
    if sys.stdout is None:
        sys.stdout = _null(1, os.O_RDONLY, "w")
    if sys.stderr is None:
        sys.stderr = _null(2, os.O_WRONLY, "w")


def _null(number: int, flags: int, mode: Literal["r", "w"]) -> TextIO:
    opened = os.open(os.devnull, flags)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    return open(number, mode, encoding="utf-8", closefd=False)


def _say(message: str) -> None:
    click.echo(f"pommel: {message}", err=True, color=True)
