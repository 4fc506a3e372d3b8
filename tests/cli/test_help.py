"""What is asked for help has an answer at once: nothing heavy is loaded for it."""

import subprocess
import sys

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
