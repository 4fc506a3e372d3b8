"""`pommel train`: models from a text."""

import click

from pommel.cli.lazy_group import Group
from pommel.cli.train_lstm import command as lstm
from pommel.cli.train_ngram import command as ngram
from pommel.cli.train_transformer import command as transformer


@click.group("train", cls=Group, no_args_is_help=True)
def command() -> None:
    """Train a model on a text file with a sentence a line."""


command.add_command(ngram)
command.add_command(lstm)
command.add_command(transformer)
