"""Options as typed values: what Click fills, in which order help lists it."""

from pathlib import Path
from typing import Literal

import click
import pytest
from click.testing import CliRunner

from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import Options, field_of, option, takes_options

_colour = click.option("--colour", type=click.Choice(["red"]), help="What is painted with.")


class Painted(Options, title="Paint"):
    """What is painted, and how."""

    colour: str | None = field_of(_colour)
    n_coats: int = option("--coats", default=1, help="How often.")


class Door(Painted):
    """A door that is painted."""

    side: Literal["inside", "outside"] = option(default="inside")
    locks: tuple[Literal["bolt", "chain"], ...] = option("--lock")


class Window(Options):
    """A window."""

    width: int | None = option()
    is_open: bool = option("--open")
    catalogue: Path | None = option("-c", help="Where it is from.")


@click.command(cls=Command)
@click.argument("name")
@takes_options
def build(name: str, window: Window, door: Door) -> None:
    """Build a house."""
    click.echo(f"{name} {window} {door}")


def ran(*arguments: str) -> str:
    return CliRunner().invoke(build, arguments).output


def test_a_command_is_given_its_groups() -> None:
    assert ran(
        "home",
        "--width",
        "3",
        "--open",
        "-c",
        "a",
        "--lock",
        "bolt",
        "--lock",
        "chain",
        "--coats",
        "2",
    ) == (
        "home Window(width=3, is_open=True, catalogue=PosixPath('a')) "
        "Door(colour=None, n_coats=2, side='inside', locks=('bolt', 'chain'))\n"
    )


def test_help_lists_a_groups_own_options_first() -> None:
    listed = [line.split()[0] for line in ran("--help").splitlines() if "  -" in line]
    assert listed == [
        "--width",
        "--open",
        "-c,",
        "--side",
        "--lock",
        "-q,",
        "--help",
        "--colour",
        "--coats",
    ]
    assert "--lock [bolt|chain]" in ran("--help")
    assert "-c, --catalogue PATH     Where it is from." in ran("--help")
    assert "--coats INTEGER  How often.  [default: 1]" in ran("--help")


def test_help_has_options_under_what_they_are_about() -> None:
    paragraphs = ran("--help").split("\n\n")
    heads = {each.partition("\n")[0]: each.count("  -") for each in paragraphs}
    assert heads["Options:"] == 7
    assert heads["Paint:"] == 2


def test_a_title_is_not_inherited() -> None:
    """A door has its own options, whose help says only that they are the command's."""
    assert "--side" not in ran("--help").partition("Paint:")[2]


@pytest.mark.parametrize("arguments", [("--side", "top"), ("--lock", "key"), ("--colour", "blue")])
def test_a_literal_takes_one_of_its_values(arguments: tuple[str, str]) -> None:
    assert f"'{arguments[1]}' is not" in ran("home", *arguments)
