"""`pommel launch`: workers for all shards of a plan, on this machine or on a cluster's."""

from pathlib import Path

import click

from pommel.cli.option_groups import FILE, asked_class, command_of
from pommel.cli.output import folder_option, follow, show_text
from pommel.cli.plan import show_status
from pommel.errors import PommelError, counted
from pommel.files import make_folder
from pommel.sharding import Launcher, Plan, PlanFolder

# Of so many shards it is said what their workers have said.
_SHOWN = 8


def __getattr__(name: str) -> click.Command:
    """Return the command of a launcher, such as "sharding.launching.slurm.SlurmArray"."""

    @click.argument("plan", type=FILE)
    @folder_option
    @click.option(
        "-n", "--dry-run", is_flag=True, help="Start nothing, and print what would be started."
    )
    def launch(launcher: Launcher, plan: Path, output: Path, *, dry_run: bool) -> None:
        # As all workers see it, wherever they start.
        work = PlanFolder.begun(Plan.read(plan), output.resolve())
        make_folder(work.log(1).parent)
        if dry_run:
            show_text(launcher.text(work))
            return
        follow(
            launcher.steps(work),
            len(work.plan.shards),
            lambda: len(work.status().of_state("done", "failed")),
        )
        _show_end(work)

    return command_of(asked_class(name), launch)


def _show_end(work: PlanFolder) -> None:
    """Show how far all shards are; raise `PommelError` for what is missing or has failed."""
    status = work.status()
    show_status(work)
    if lost := status.missing:
        said = [f"shard {number}: {work.last_words(number)}" for number in lost[:_SHOWN]]
        raise PommelError("\npommel: ".join(said))
    found = [each for shard in status.shards for each in shard.manifest.get("failures", ())]
    # Sentences at which a model has failed cost what they do in `pommel run`: no more than items.
    if failed := [each["status"] for each in found if each.get("status")]:
        error = PommelError(f"{counted(len(failed), 'failure')} in a model or a suite")
        error.exit_status = failed[0]
        raise error
