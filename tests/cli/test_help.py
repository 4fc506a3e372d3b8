"""What is asked for help has an answer at once: nothing heavy is loaded for it."""

import subprocess
import sys

from tests.cli.samples import Pommel
from tests.cli.terminal import all_commands

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


def test_pommel_alone_shows_the_first_five_commands(pommel: Pommel) -> None:
    done = pommel()
    assert (done.status, done.stdout) == (2, "")
    assert (
        done.stderr
        == """\
pommel runs SyntaxGym test suites on language models.

  pommel run builtin://en-gpt2 suites:en         which predictions hold
  pommel score builtin://en-gpt2 'It is good .'  how surprising each word is
  pommel suites list                             the suites that there are
  pommel models list                             the models, and how to name yours
  pommel report -o report.html                   a page about all that was run

`pommel --help` has all commands, `pommel run --help` the options of one.
"""
    )


def test_all_commands_are_listed_in_groups(pommel: Pommel) -> None:
    listed = pommel("--help").stdout
    heads = [line for line in listed.splitlines() if line.endswith(":") and line[0] != " "]
    assert heads == [
        "Options:",
        "Run models, score sentences:",
        "Results:",
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
