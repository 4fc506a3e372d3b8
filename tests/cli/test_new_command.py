"""A new command is tried wherever all are; what was forgotten is known without `make full`."""

from collections.abc import Collection

import click
import pytest
from tests.cli import test_hostile_text
from tests.cli.terminal import all_commands
from tests.crashes import commands
from tests.crashes.command_lines import ENDLESS, Lines

# Command lines with sound files, by their commands.
_SOUND = {
    name
    for line in commands.WRITING + commands.READING
    for name in all_commands()
    if f"{line} ".startswith(f"{name} ")
}


@pytest.mark.parametrize(
    ("tried", "elsewhere"),
    [
        pytest.param(
            test_hostile_text.COMMANDS, test_hostile_text.ELSEWHERE, id="test_hostile_text.COMMANDS"
        ),
        # These need an engine; and SQLite, what it may write beside its file.
        pytest.param(
            _SOUND, {"image build", "image check", "serve token list"}, id="crashes/commands.py"
        ),
    ],
)
def test_every_command_is_tried(tried: Collection[str], elsewhere: set[str]) -> None:
    assert {*all_commands()} - {*tried} == elsewhere
    assert {*tried} <= {*all_commands()}


def test_every_option_is_drawn() -> None:
    lines = Lines(0, ["suite.json"], "0123456789ab")
    options = {
        path: [each for each in command.params if isinstance(each, click.Option)]
        for path, command in lines.commands.items()
    }
    # Commands take turns, and the options of each do.
    drawn = [lines.draw() for _ in range(len(options) * max(map(len, options.values())))]
    for path, own in options.items():
        words = path.split()
        given = {
            word.partition("=")[0] for each in drawn if each[: len(words)] == words for word in each
        }
        missing = {
            name
            for each in own
            if not {*each.opts, *each.secondary_opts} & given
            for name in each.opts
        }
        assert missing <= ENDLESS, path
