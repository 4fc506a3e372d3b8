"""`pommel list|tokenize|unkify|get-surprisals|get-predictions`: what `lm-zoo` had, as it had it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from pommel.cli import completing
from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import FILE, field_of, option, takes_options
from pommel.cli.options import ModelOptions, model_first
from pommel.cli.output import download_bar, note, show_text
from pommel.errors import UsageError
from pommel.files import DecodedText, replacing

# What a model is run by; the keys of `BACKENDS` in pommel.compat.lm_zoo.commands, which is slow
# to import.
_BACKENDS = ("docker", "podman", "singularity", "apptainer")
_BYTES_PER_GB = 1 << 30


class _SentencesOptions(ModelOptions):
    """MODEL, how it is run, and the FILE of sentences that it is given."""

    model: str = field_of(click.argument("model", shell_complete=completing.models))
    in_file: str = field_of(click.argument("in_file", metavar="FILE"))
    backend: str | None = option(
        type=click.Choice(_BACKENDS, case_sensitive=False),
        help="What has to run MODEL.  [default: what its reference says]",
    )

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """Give what MODEL answers by."""
        from pommel.compat import opened

        model, _ = model_first(self.model, self.in_file)
        with download_bar(model) as progress:
            options = replace(self.load_options, pull_progress=progress)
            with opened(model, self.backend, options) as commands:
                yield commands
        for remark in commands.remarks:
            note(remark)

    @property
    def sentences(self) -> list[str]:
        """The lines of FILE without the white space around them, as `lm-zoo` read them."""
        _, in_file = model_first(self.model, self.in_file)
        return DecodedText.lines_of(in_file)


@click.command("list", cls=Command)
@click.option("--short", is_flag=True, help="Print the short names only, one a line.")
def list_command(*, short: bool) -> None:
    """List the images that the LM Zoo published, and their sizes.

    The names are models for every other command (pommel run GRNN suites:en). The list ships with
    pommel; nothing is fetched.
    """
    from pommel.compat import Registry

    for model in Registry().official():
        if short:
            click.echo(model.name)
            continue
        size = None if model.size is None else f"{model.size / _BYTES_PER_GB:.02f}GB"
        properties = (
            # The additional blank is lm-zoo's.
            ("Image URI", f" {model.image_uri}"),
            ("Full name", model.name),
            ("Reference URL", model.ref_url),
            ("Maintainer", model.maintainer),
            # The date alone.
            ("Last updated", model.datetime and model.datetime[:10]),
            ("Size", size),
        )
        click.echo(model.name)
        for label, value in properties:
            if value:
                click.echo(f"\t{label}: {value}")


@click.command("tokenize", cls=Command, no_args_is_help=True)
@takes_options
def tokenize(chosen: _SentencesOptions) -> None:
    """Print the tokens of the sentences in FILE as MODEL sees them.

    FILE has one sentence a line (- for standard input). So has the output, with one space between
    tokens; they are the tokens of `get-surprisals`.
    """
    sentences = chosen.sentences
    with chosen.opened() as commands:
        _print_rows(commands.tokenize(sentences))


@click.command("unkify", cls=Command, no_args_is_help=True)
@takes_options
def unkify(chosen: _SentencesOptions) -> None:
    """Print 1 for each token in FILE that MODEL does not know, and 0 for any other.

    FILE has one sentence a line (- for standard input). So has the output; its tokens are those
    of `tokenize`.
    """
    sentences = chosen.sentences
    with chosen.opened() as commands:
        _print_rows([["01"[flag] for flag in mask] for mask in commands.unkify(sentences)])


@click.command("get-surprisals", cls=Command, no_args_is_help=True)
@takes_options
def get_surprisals(chosen: _SentencesOptions) -> None:
    """Print the surprisal, in bits, of each token of the sentences in FILE.

    FILE has one sentence a line (- for standard input). The output is a table with tabs,
    sentence_id token_id token surprisal, ids from 1; recorded:// reads it. A first token that
    nothing predicts has 0.0.

    \b
      pommel get-surprisals builtin://en-gpt2 sentences.txt > surprisals.tsv
    """
    sentences = chosen.sentences
    with chosen.opened() as commands:
        table = commands.get_surprisals(sentences)
    lines = ["sentence_id\ttoken_id\ttoken\tsurprisal\n"]
    for sentence_id, tokens in enumerate(table, start=1):
        for token_id, token in enumerate(tokens, start=1):
            # Anything else stands as it is, quotes too. A tab would be two columns.
            is_split = any(each in token.text for each in "\t\n\r")
            text = f'"{token.text}"' if is_split else token.text
            lines.append(f"{sentence_id}\t{token_id}\t{text}\t{token.surprisal_bits!r}\n")
    show_text("".join(lines))


@click.command("get-predictions", cls=Command, no_args_is_help=True)
@takes_options
@click.argument("out_file", type=FILE, metavar="OUT")
def get_predictions(out_file: Path, chosen: _SentencesOptions) -> None:
    """Write MODEL's distribution before each token of the sentences in FILE to OUT.

    FILE has one sentence a line (- for standard input). OUT is an HDF5 file: /vocabulary has the
    tokens, /sentence/<i>/tokens their places in it, /sentence/<i>/predictions the natural
    logarithms of the probabilities (tokens x vocabulary), with i from 0. Not every model has
    predictions.
    """
    if str(out_file) == "-":
        raise UsageError("HDF5 cannot be written to standard output; name a file")
    sentences = chosen.sentences
    with replacing(out_file) as aside, chosen.opened() as commands:
        commands.write_predictions(sentences, aside)
    note(f"Predictions: {out_file}")


def _print_rows(rows: Sequence[Sequence[str]]) -> None:
    show_text("".join(f"{' '.join(row)}\n" for row in rows))
