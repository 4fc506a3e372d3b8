"""Options as typed values: what Click fills, in which order help lists it."""

from dataclasses import dataclass
from typing import Literal

import click
import pytest
from click.testing import CliRunner

from pommel.cli.option_groups import Options, field_of, option, takes_options

_colour = click.option("--colour", type=click.Choice(["red"]), help="What is painted with.")


@dataclass(frozen=True, kw_only=True)
class Painted(Options):
    """What is painted, and how."""

    colour: str | None = field_of(_colour)
    n_coats: int = option("--coats", "n_coats", default=1, show_default=True)


@dataclass(frozen=True, kw_only=True)
class Door(Painted):
    """A door that is painted."""

    side: Literal["inside", "outside"] = option("--side", default="inside")
    locks: tuple[Literal["bolt", "chain"], ...] = option("--lock", "locks", multiple=True)


@dataclass(frozen=True, kw_only=True)
class Window(Options):
    """A window."""

    width: int | None = option("--width", type=int)


@click.command()
@click.argument("name")
@takes_options
def build(name: str, window: Window, door: Door) -> None:
    """Build a house."""
    click.echo(f"{name} {window} {door}")


def ran(*arguments: str) -> str:
    return CliRunner().invoke(build, arguments).output


def test_a_command_is_given_its_groups() -> None:
    assert ran("home", "--width", "3", "--lock", "bolt", "--lock", "chain", "--coats", "2") == (
        "home Window(width=3) "
        "Door(colour=None, n_coats=2, side='inside', locks=('bolt', 'chain'))\n"
    )


def test_help_lists_a_groups_own_options_first() -> None:
    listed = [line.split()[0] for line in ran("--help").splitlines() if "  --" in line]
    assert listed == ["--width", "--side", "--lock", "--colour", "--coats", "--help"]
    assert "--lock [bolt|chain]" in ran("--help")


@pytest.mark.parametrize("arguments", [("--side", "top"), ("--lock", "key"), ("--colour", "blue")])
def test_a_literal_takes_one_of_its_values(arguments: tuple[str, str]) -> None:
    assert f"'{arguments[1]}' is not" in ran("home", *arguments)
