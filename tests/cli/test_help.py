"""What is asked for help has an answer at once: nothing heavy is loaded for it."""

import re
import shlex
import subprocess
import sys

import pytest
from tests.cli.samples import Pommel
from tests.cli.terminal import all_commands

from pommel.cli import _pommel

HEAVY = (
    "altair",
    "docker",
    "gpboost",
    "h5py",
    "httpx",
    "huggingface_hub",
    "jsonschema",
    "lark",
    "pandas",
    "patsy",
    "rich",
    "scipy",
    "tokenizers",
    "torch",
    "transformers",
)
# In a process of its own: tests have loaded everything.
PROGRAM = f"""
import sys
import click
from pommel.cli import _pommel

def helped(command, context):
    command.get_help(context)
    for name in command.list_commands(context) if isinstance(command, click.Group) else ():
        inner = command.get_command(context, name)
        helped(inner, click.Context(inner, info_name=name, parent=context))
        helped.n += 1

helped.n = 0
helped(_pommel, click.Context(_pommel, info_name="pommel"))
print(helped.n, sorted({set(HEAVY)} & sys.modules.keys()))
"""


def test_pommel_alone_shows_five_commands_that_there_are(pommel: Pommel) -> None:
    done = pommel()
    assert (done.status, done.stdout) == (2, "")
    commands, shown = all_commands(), []
    for line in re.findall(r"^  pommel (.+?)  +\w", done.stderr, re.MULTILINE):
        words = shlex.split(line)
        path = next(each for each in commands if f"{' '.join(words)} ".startswith(f"{each} "))
        # Refused if there are no such arguments and options.
        whole = _pommel.make_context("pommel", [*words])
        commands[path].make_context(path, words[len(path.split()) :], parent=whole)
        shown.append(path)
    assert shown == ["run", "score", "suites list", "models list", "report"]
    assert re.findall("`pommel (.+?)`", done.stderr) == ["--help", "run --help"]
    assert max(map(len, done.stderr.splitlines())) <= 80


def test_all_commands_are_listed_in_groups(pommel: Pommel) -> None:
    listed = pommel("--help").stdout
    heads = [line for line in listed.splitlines() if line.endswith(":") and line[0] != " "]
    assert heads == [
        "Options:",
        "Run models, score sentences:",
        "Results:",
        "Papers:",
        "Suites:",
        "Models:",
        "Leaderboards:",
        "Commands of the LM Zoo:",
    ]
    names = {name.split()[0] for name in all_commands()}
    assert {name for name in names if f"\n  {name} " not in listed} == set()


def test_help_of_run_has_groups(pommel: Pommel) -> None:
    listed = pommel("run", "--help").stdout
    heads = [line for line in listed.splitlines() if line.endswith(":") and line[0] != " "]
    assert heads == [
        "What:",
        "How it is scored:",
        "Output:",
        "Gates:",
        "Store:",
        "A shard of a plan:",
        "Model:",
        "Model in a container:",
        "Model behind a server:",
        "Options:",
    ]


def test_help_on_every_command_loads_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=True,
    )
    n_commands, loaded = done.stdout.split(maxsplit=1)
    assert int(n_commands) > 40
    assert loaded == "[]\n"


@pytest.mark.parametrize(
    "asked", ["[]", "['--help']", "['suites', '--help']", "['runs', '--help']"]
)
def test_help_on_a_group_loads_none_of_its_commands(asked: str) -> None:
    program = f"""
import contextlib, sys
from pommel.cli import main
with contextlib.suppress(SystemExit):
    main({asked})
print(*(each for each in sys.modules if each.startswith(("pommel.", "click.shell_completion"))))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = {*done.stdout.splitlines()[-1].split()} - {"pommel.cli.groups"}
    names = ("cli", "cli.lazy_group", "cli.terminal", "errors", "values")
    assert loaded == {f"pommel.{each}" for each in names}
