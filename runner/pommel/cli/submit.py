"""`pommel submit`: stored runs of one model, packed for a leaderboard."""

import click

from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import File, option, takes_options
from pommel.cli.output import note
from pommel.cli.selecting import RunArguments, SelectionOptions
from pommel.errors import counted
from pommel.leaderboard import Submitter


class _SubmitOptions(RunArguments, SelectionOptions):
    """Which runs are packed, where to, and what is said of the model and of who submits it."""

    output: File = option("-o", required=True, help="File to write (x.pommel.zip).")
    by: str = option(required=True, help="Who submits.")
    name: str = option(
        default="",
        help="What to call the model.  [default: its own name; needed where it is a path]",
    )
    contact: str = option(default="", help="For whoever keeps the leaderboard.")
    url: str = option(default="", metavar="URL", help="Where the model is described.")
    remark: str = option("--note", default="", help="A remark, of one line.")


@click.command("submit", cls=Command)
@takes_options
def command(chosen: _SubmitOptions) -> None:
    """Pack RUNs, or all that fit, of one model under one policy, for a leaderboard.

    Tokens, surprisals and results are packed, and where they come from. No model is needed.

    \b
      pommel submit --model en-gpt2 --by 'A. Linguist' -o en-gpt2.pommel.zip
    """
    about = Submitter(
        by=chosen.by,
        name=chosen.name,
        contact=chosen.contact,
        url=chosen.url,
        note=chosen.remark,
    )
    with chosen.reading() as store:
        manifest = about.pack(store, chosen.selected(store), chosen.output)
    n_tokens = sum(each.n_tokens for each in manifest.suites)
    note(
        f"{manifest.submitter.name}: {counted(len(manifest.suites), 'suite')}, "
        f"{n_tokens:,} tokens, {chosen.output.stat().st_size:,} bytes: {chosen.output}"
    )
