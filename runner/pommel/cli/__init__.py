"""The command line: one command a file; arguments in, text and exit statuses out."""

import os
import sys
from typing import TYPE_CHECKING

import click

from pommel.cli.lazy_group import LazyGroup
from pommel.cli.terminal import exit_on_failure
from pommel.errors import package_version

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECTIONS = {
    "Run models, score sentences": {
        "run": ("run", "Run suites on models and show which predictions hold."),
        "plan": ("groups:plan", "Cut models x suites into shards; see how far these are."),
        "launch": ("groups:launch", "Run all shards of a plan: here, by Slurm or by Ray."),
        "score": ("score", "Show how surprising the words of plain sentences are."),
        "surprisals": ("surprisals", "Compute the surprisal of every region of a suite."),
        "evaluate": ("evaluate", "Check the predictions of suites that have their surprisals."),
        "conditional": ("conditional", "Compute the surprisal of targets after left contexts."),
    },
    "Results": {
        "runs": (
            "groups:runs",
            "List, show, export, evaluate again and delete the runs that are kept.",
        ),
        "stats": (
            "groups:stats",
            "Intervals, tests, slopes and correlations of the runs that are kept.",
        ),
        "compare": ("compare", "Compare two models on the suites that both have run."),
        "report": (
            "report",
            "Report on the runs that are kept: a page, a table for a paper, a plot.",
        ),
        "serve": ("serve", "Show the results that are kept in a browser."),
        "import-results": ("import_results", "Keep results that others have published as runs."),
    },
    "Papers": {
        "reproduce": ("study:reproduce", "Do again what a paper has done, printed tables beside."),
        "study": ("groups:study", "Run a study of your own; copy one that ships with pommel."),
    },
    "Suites": {
        "suites": ("groups:suites", "List, show, preview, check, export and begin suites."),
        "validate": ("validate", "Check suite files and report every fault."),
        "generate": ("generate", "Generate suites from grammars."),
        "convert": ("convert", "Convert suites and minimal pairs from one format to another."),
        "fetch": ("fetch", "Fetch suites and sentences that others have published."),
    },
    "Models": {
        "models": ("groups:models", "List the models that ship with pommel, show any model."),
        "train": ("train", "Train a word-level LSTM or an n-gram model on a text."),
        "image": ("image", "Make, build and check container images with models."),
    },
    "Leaderboards": {
        "submit": ("submit", "Pack runs for a leaderboard."),
        "leaderboard": (
            "groups:leaderboard",
            "Keep a leaderboard: add, verify, show, export submissions.",
        ),
    },
    # What the retired `lm-zoo` had, under the same names.
    "Commands of the LM Zoo": {
        "list": ("lm_zoo:list_command", "List the images that the LM Zoo published."),
        "tokenize": ("lm_zoo:tokenize", "Print the tokens of sentences as a model sees them."),
        "unkify": ("lm_zoo:unkify", "Print 1 for each token that a model does not know, else 0."),
        "get-surprisals": ("lm_zoo:get_surprisals", "Print the surprisal of each token."),
        "get-predictions": ("lm_zoo:get_predictions", "Write a model's predictions (HDF5)."),
    },
}


_pommel = LazyGroup(
    # Click would leave out what looks like a colour; the boundary shows that it is there.
    context_settings={"help_option_names": ["-h", "--help"], "color": True},
    help="""Run SyntaxGym test suites on language models.

    \b
      pommel run builtin://en-gpt2 suites:en
      pommel run huggingface://gpt2 my_suite.json --output results

    Exit status: 0 done (predictions that fail are data), 1 the run failed, 2 wrong usage,
    3 a suite or another input is invalid, 4 the model is not available, 5 a gate has failed
    (--fail-under, --not-worse-than), 70 a mistake in pommel itself, 130 interrupted.
    """,
)


def _show_version(context: click.Context, _option: click.Parameter, value: object) -> None:
    if value and not context.resilient_parsing:
        click.echo(f"pommel {package_version('pommel')}")
        context.exit()


click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version and exit.",
)(_pommel)
_pommel.sections = _SECTIONS
_pommel.first_words = """\
pommel runs SyntaxGym test suites on language models.

  pommel run builtin://en-gpt2 suites:en         which predictions hold
  pommel score builtin://en-gpt2 'It is good .'  how surprising each word is
  pommel suites list                             the suites that there are
  pommel models list                             the models; how to name yours
  pommel report --table md                       a table of all that was run

`pommel --help` has all commands, `pommel run --help` the options of one."""
_pommel.aliases = {"compute-surprisals": "surprisals"}


def main(arguments: "Sequence[str] | None" = None) -> None:
    """Run the command line and end the process with its exit status."""
    if "_POMMEL_COMPLETE" in os.environ:
        from pommel.cli.completing import add_bash

        add_bash()
        # A shell is answered in bytes, which the boundary to the terminal does not take.
        sys.exit(_pommel.main(prog_name="pommel"))
    with exit_on_failure():
        # What a command has ended with by itself is returned, and no exception.
        status = _pommel.main(args=arguments, prog_name="pommel", standalone_mode=False)
        if isinstance(status, int):
            sys.exit(status)
