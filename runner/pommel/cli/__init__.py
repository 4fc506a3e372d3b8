"""The command line: one command a file; arguments in, text and exit statuses out."""

from importlib import import_module
from typing import TYPE_CHECKING

import click

from pommel.cli.failures import drop_output, exit_on_failure
from pommel.version import pommel_version
from pommel.wording import nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

# Command -> (file in this folder and maybe the command's name in it, help shown in the list).
# Files are imported when they are used: `pommel --help` needs none of them.
_COMMANDS = {
    "run": ("run", "Run suites on models and show which predictions hold."),
    "surprisals": ("surprisals", "Compute the surprisal of every region of a suite."),
    "evaluate": ("evaluate", "Check the predictions of suites that have their surprisals."),
    "capitalization": ("capitalization", "Run suites as they are, and capitalised: the gain."),
    "conditional": ("conditional", "Compute the surprisal of targets after left contexts."),
    "generate": ("generate", "Generate suites from grammars."),
    "convert": ("convert", "Convert suites and minimal pairs from one format to another."),
    "fetch": ("fetch", "Fetch suites and sentences that others have published."),
    "validate": ("validate", "Check suite files and report every fault."),
    "suites": ("suites", "List, show, preview, check, export and begin suites."),
    "train": ("train", "Train a word-level LSTM or an n-gram model on a text."),
    "models": ("models", "List the models that ship with pommel, show any model."),
    "image": ("image", "Make, build and check container images with models."),
}
# What the retired `lm-zoo` had, under the same names.
_LM_ZOO_COMMANDS = {
    "list": ("lm_zoo:list_command", "List the images that the LM Zoo published."),
    "tokenize": ("lm_zoo:tokenize", "Print the tokens of sentences as a model sees them."),
    "unkify": ("lm_zoo:unkify", "Print 1 for each token that a model does not know, else 0."),
    "get-surprisals": ("lm_zoo:get_surprisals", "Print the surprisal of each token."),
    "get-predictions": ("lm_zoo:get_predictions", "Write a model's predictions (HDF5)."),
}
_FILES = {name: file for name, (file, _) in (_COMMANDS | _LM_ZOO_COMMANDS).items()}
_ALIASES = {"compute-surprisals": "surprisals"}


class _LazyGroup(click.Group):
    """A group whose commands are imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_FILES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        name = _ALIASES.get(cmd_name, cmd_name)
        if name not in _FILES:
            return None
        file, _, attribute = _FILES[name].partition(":")
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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])
        with formatter.section("Commands of the LM Zoo"):
            formatter.write_dl([(name, text) for name, (_, text) in _LM_ZOO_COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        known = (*_FILES, *_ALIASES)
        meant = nearest(name, known)
        if name not in known and not name.startswith("-") and meant:
            ctx.fail(f"No such command {name!r}. Did you mean {meant!r}?")
        return super().resolve_command(ctx, args)


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(pommel_version(), message="pommel %(version)s")
def _pommel() -> None:
    """Run SyntaxGym test suites on language models.

    \b
      pommel run builtin://en-gpt2 suites:en
      pommel run huggingface://gpt2 my_suite.json --output results

    Exit status: 0 done (predictions that fail are data), 1 the run failed, 2 wrong usage,
    3 a suite or another input is invalid, 4 the model is not available, 130 interrupted.
    """


def main(arguments: "Sequence[str] | None" = None) -> None:
    """Run the command line and end the process with its exit status."""
    with exit_on_failure():
        _pommel.main(args=arguments, prog_name="pommel", standalone_mode=False)
