"""The edge: what a user can mend is a message and an exit status, never a traceback."""

import contextlib
import os
import sys
from collections.abc import Iterator

import click

from pommel.errors import PommelError

INTERRUPTED = 130
_STDOUT = 1


@contextlib.contextmanager
def exit_on_failure() -> Iterator[None]:
    """Turn errors that are meant for the user into messages on stderr and exit statuses."""
    _replace_closed_stdout()
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
    except BrokenPipeError:
        # The reader of our output (`| head`) has gone; what is left must not go to the closed pipe.
        drop_output()
        sys.exit(0)
    except OSError as error:
        _say(f"{error.filename or 'the output'}: {error.strerror or error}")
        if not error.filename:
            # Python would try once more to write it, and complain.
            drop_output()
        sys.exit(1)
    except MemoryError:
        _say("out of memory; a smaller --max-memory needs less")
        sys.exit(1)


def drop_output() -> None:
    """Let what is still to be written to stdout go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _replace_closed_stdout() -> None:
    """Have a standard output that fails when it is written to, where there is none (`>&-`).

    Otherwise the next file that is opened would be standard output to some, and nothing to others.
    """
    if sys.stdout is None:
        os.dup2(os.open(os.devnull, os.O_RDONLY), _STDOUT)
        sys.stdout = os.fdopen(_STDOUT, "w", encoding="utf-8")


def _say(message: str) -> None:
    click.echo(f"pommel: {message}", err=True)
