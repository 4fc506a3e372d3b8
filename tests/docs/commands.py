"""docs/commands.md: tasks, from tasks.md beside this, and what the commands say of themselves.

`python -m tests.docs.commands` (`make docs`) writes the page; a test compares it.
"""

from collections.abc import Iterator
from pathlib import Path

import click

from pommel import cli

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
# A table of what somebody may want to do, and the command for it; links are as in docs/.
_TASKS = Path(__file__).with_name("tasks.md")
_WIDTH = 96
_HEAD = """\
# Commands

By what you want to do, and [one by one](#all-commands) as `pommel COMMAND --help` prints them.
[The first page](../README.md) has the set-up, [the index](index.md) what to read for what.
`make docs` writes this page from the commands themselves.

A *MODEL* is `builtin://NAME`, `huggingface://NAME[@REVISION]` (or a folder), `lstm://FOLDER`,
`ngram://FILE`, `http://HOST/v1#MODEL`, `docker://IMAGE` (or `podman://`, `apptainer://`, a name of
the LM Zoo), `recorded://FILE`, or `dummy://`: [models](models.md). A *SUITE* is a file, a folder,
`-`, or a shipped collection: `suites:en`, `suites:de/agreement`, `suites:clams`, in
[nine languages](suites.md#suites-that-ship-with-pommel).

`-o FILE` takes the place of a file of that name: the same command makes it again. It never takes
the place of a file that the command reads. What you go on with by hand is never written over:
`suites new`, `image new`, `study copy` and `leaderboard init` begin where nothing is. A file is
written whole or not at all, and folders that are missing are made.

## By task

"""


def page() -> str:
    """Return the whole page."""
    found = list(_commands(root(), "pommel"))
    sections = [_section(*each) for each in found]
    return _HEAD + "\n".join([_TASKS.read_text("utf-8"), _contents(found), *sections])


def root() -> click.Group:
    """Return the command that `pommel` is."""
    (found,) = (value for value in vars(cli).values() if isinstance(value, click.Group))
    return found


def find(words: list[str]) -> tuple[click.Command, list[str]]:
    """Return the command that the words behind `pommel` begin with, and the other words.

    Raises `ValueError` where there is no such command.
    """
    command: click.Command = root()
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        inner = command.get_command(click.Context(command), words[0])
        if inner is None:
            message = f"{command.name} has no command {words[0]}"
            raise ValueError(message)
        command, words = inner, words[1:]
    return command, words


Found = tuple[str, click.Command, click.Context]


def _commands(group: click.Group, name: str) -> Iterator[Found]:
    """Yield every command below a group, groups before what is in them."""
    context = _context(group, name)
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        assert command is not None
        full = f"{name} {each}"
        yield full, command, _context(command, full)
        if isinstance(command, click.Group):
            yield from _commands(command, full)


def _context(command: click.Command, name: str) -> click.Context:
    return click.Context(
        command,
        info_name=name,
        terminal_width=_WIDTH,
        max_content_width=_WIDTH,
        help_option_names=["-h", "--help"],
    )


def _contents(found: list[Found]) -> str:
    rows = [
        f"| [`{name}`](#{name.replace(' ', '-')}) | {_first_sentence(command)} |"
        for name, command, _ in found
    ]
    return "\n".join(["## All commands", "", "| command | what it does |", "|---|---|", *rows, ""])


def _first_sentence(command: click.Command) -> str:
    return command.get_short_help_str(limit=200).replace("|", "\\|")


def _section(name: str, command: click.Command, context: click.Context) -> str:
    lines = (line.rstrip() for line in command.get_help(context).splitlines())
    return "\n".join([f"## {name}", "", "```text", *lines, "```", ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
