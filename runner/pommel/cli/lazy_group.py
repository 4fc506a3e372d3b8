"""How commands are entered: groups import each when it is used, and errors become messages.

What a user can mend is a message and an exit status, never a traceback.
"""

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module

import click

from pommel.cli.terminal import safe_streams
from pommel.errors import PommelError, first_line, nearest, package_version

# Command -> (file in this folder and maybe the command's name in it, help shown in the list).
Commands = Mapping[str, tuple[str, str]]


class LazyGroup(click.Group):
    """A group whose commands are imported on demand: `--help` needs none of them.

    `sections` are the headings of the list of commands, each with its commands; `aliases` are
    names of commands that are not listed.
    """

    sections: Mapping[str, Commands] = {}
    aliases: Mapping[str, str] = {}

    @property
    def _files(self) -> dict[str, str]:
        return {name: file for each in self.sections.values() for name, (file, _) in each.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - Click's signature
        return list(self._files)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - Click's signature
        name = self.aliases.get(cmd_name, cmd_name)
        if name not in self._files:
            return None
        file, _, attribute = self._files[name].partition(":")
        command: click.Command = getattr(
            import_module(f"pommel.cli.{file}"), attribute or "command"
        )
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Click would end with status 1 where the reader of our output (`| head`) has gone.
            drop_output()
            ctx.exit(0)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - Click's signature
        for heading, commands in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name, text) for name, (_, text) in commands.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        known = (*self._files, *self.aliases)
        is_unknown = name not in known and not name.startswith("-")
        if is_unknown and (meant := nearest(name, known)):
            ctx.fail(f"No such command {name!r}. Did you mean {meant!r}?")
        return super().resolve_command(ctx, args)


INTERRUPTED = 130
_STDOUT = 1


@contextlib.contextmanager
def exit_on_failure() -> Iterator[None]:
    """Turn errors that are meant for the user into messages on stderr and exit statuses."""
    _replace_closed_stdout()
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
    except Exception as error:  # noqa: BLE001 - what nobody has thought of is our mistake
        _say(_bug(error))
        sys.exit(_SOFTWARE)


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


def _replace_closed_stdout() -> None:
    """Have a standard output that fails when it is written to, where there is none (`>&-`).

    Otherwise the next file that is opened would be standard output to some, and nothing to others.
    """
    if sys.stdout is None:
        os.dup2(os.open(os.devnull, os.O_RDONLY), _STDOUT)
        sys.stdout = os.fdopen(_STDOUT, "w", encoding="utf-8")


def _say(message: str) -> None:
    click.echo(f"pommel: {message}", err=True)
