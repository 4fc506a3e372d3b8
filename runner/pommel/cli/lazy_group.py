"""How commands are entered, and what all have: groups import each when it is used."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path

import click

from pommel.cli.terminal import drop_output, silence
from pommel.errors import UsageError, nearest

# Command -> (file in this folder and maybe the command's name in it, help shown in the list).
Commands = Mapping[str, tuple[str, str]]


class Command(click.Command):
    """A command that can be `--quiet`, and whose help has its options under what they are about."""

    # What an option is about stands in its attribute of this name (`Options`).
    SECTION = "section"

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        *own, helping = super().get_params(ctx)
        return [*own, _quiet, helping]

    def invoke(self, ctx: click.Context) -> object:
        check_output(ctx.params.get("output"), _paths_read(self, ctx))
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for each in self.get_params(ctx):
            if isinstance(each, click.Option) and (record := each.get_help_record(ctx)):
                title = vars(each).get(self.SECTION) or "Options"
                sections.setdefault(title, []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


def check_output(output: Path | None, inputs: Iterable[Path]) -> None:
    """Raise `UsageError` if the file to write is one of those that are read."""
    if output is None or not output.is_file():
        return
    for path in inputs:
        # What is no path may be too long for one, or have characters that none has.
        with contextlib.suppress(OSError, ValueError):
            if output.samefile(path):
                raise UsageError(f"{output}: this is read; name another file to write")


def _paths_read(command: click.Command, context: click.Context) -> Iterator[Path]:
    """Yield what a command is told that can be files: paths, and all arguments.

    A reference to a model may have one behind its scheme.
    """
    for each in command.params:
        value = context.params.get(each.name or "")
        for told in value if isinstance(value, tuple) else (value,):
            if isinstance(told, Path) and each.name != "output":
                yield told
            elif isinstance(told, str) and isinstance(each, click.Argument):
                yield Path(told.rpartition("://")[2])


_quiet = click.Option(
    ["-q", "--quiet"],
    is_flag=True,
    expose_value=False,
    callback=lambda _context, _option, value: silence() if value else None,
    help="Show no progress and no notes; errors are shown.",
)


class Group(click.Group):
    """A group of such commands."""

    command_class = Command


class LazyGroup(Group):
    """A group whose commands are imported on demand: `--help` needs none of them.

    `sections` are the headings of the list of commands, each with its commands; `aliases` are
    names of commands that are not listed. `first_words` are what is said where no command is named,
    in place of all help. `usual` is the command that is meant where another word comes first.
    """

    sections: Mapping[str, Commands] = {}
    aliases: Mapping[str, str] = {}
    first_words = ""
    usual = ""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if self.usual and args and args[0] not in {*self._files, *ctx.help_option_names}:
            args = [self.usual, *args]
        if not args and self.first_words and not ctx.resilient_parsing:
            click.echo(self.first_words, err=True)
            ctx.exit(click.UsageError.exit_code)
        return super().parse_args(ctx, args)

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
