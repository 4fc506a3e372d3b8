"""`pommel image new|build|check`: for those who make images."""

import contextlib
import shlex
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from pommel.cli.lazy_group import Group
from pommel.cli.option_groups import COUNT, FILE, FOLDER, Options, option, takes_options
from pommel.cli.options import ContainerOptions
from pommel.cli.output import download_bar, note
from pommel.errors import PommelError, UsageError, counted, readable_size
from pommel.files import make_folder
from pommel.models import LoadOptions

if TYPE_CHECKING:
    from pommel.images import ImageCheck

# A check that takes longer hangs; `--sandbox time=SECONDS` says otherwise.
_SECONDS_FOR_A_COMMAND = 600

_SHOWN = {
    "ok": ("ok", "green"),
    "failed": ("FAILED", "red"),
    "warning": ("warning", "yellow"),
    "skipped": ("skipped", "bright_black"),
}


@click.group("image", cls=Group)
def command() -> None:
    """Make, build and check container images with models.

    \b
      pommel image new my-model
      pommel image build my-model
      pommel image check pommel/my-model
    """


@command.command("new", no_args_is_help=True)
@click.argument("name")
@click.option(
    "--into",
    type=FOLDER,
    default=".",
    show_default=True,
    help="Folder to make it in.",
)
def new(name: str, into: Path) -> None:
    """Make a folder NAME with all that an image needs, for you to put your model into."""
    from pommel.images import BuildOptions, new_image

    folder = new_image(name, into)
    # A bare name could be that of an image that ships with pommel.
    path = shlex.quote(f"./{folder}" if len(folder.parts) == 1 else str(folder))
    click.echo(f"{folder}: a model that runs. Put yours into model.py; README.md says how. Then:")
    click.echo(f"  pommel image build {path}")
    click.echo(f"  pommel image check docker://{BuildOptions.default_tag(name)}")
    click.echo(f"  pommel run docker://{BuildOptions.default_tag(name)} suites:en")


class _BuildOptions(Options):
    """What an image is built from, and what it is called."""

    tag: str | None = option("-t", help="What the image is called.  [default: pommel/NAME]")
    base: str | None = option(metavar="IMAGE", help="Image to build on (the build argument BASE).")
    model: Path | None = option(
        help="File or folder with the weights, for the images that ship with pommel."
    )
    engine: Literal["docker", "podman"] = option(default="docker")
    pull: bool = option(help="Fetch the base image even if there is one.")
    for_lm_zoo: bool = option(
        help="Make root its user: the published lm-zoo's get-predictions needs that."
    )


@command.command("build", no_args_is_help=True)
@click.argument("source")
@click.option("--build-arg", "arguments", multiple=True, metavar="KEY=VALUE", help="Repeatable.")
@takes_options
def build(source: str, arguments: tuple[str, ...], chosen: _BuildOptions) -> None:
    """Build an image from SOURCE: a folder, or template, ngram, lstm, huggingface.

    \b
      pommel image build ./my-model
      pommel image build huggingface --model path/to/gpt2 -t me/gpt2

    A name means the image that ships with pommel; write ./NAME for a folder of that name.
    """
    from pommel.images import BuildOptions

    options = BuildOptions(
        tag=chosen.tag,
        base=chosen.base,
        model=chosen.model,
        arguments=_pairs(arguments),
        pull=chosen.pull,
        for_lm_zoo=chosen.for_lm_zoo,
    )
    # What an engine prints has its own line ends.
    say = partial(note, nl=False)
    built = options.build(source, engine=chosen.engine, say=say)
    size = readable_size(built.n_bytes)
    click.echo(f"{built.reference}  {built.id}  {size}, {built.seconds:.1f} s")
    click.echo(f"  pommel image check {built.reference}")


@command.command("check", no_args_is_help=True)
@click.argument("image")
@click.option(
    "--report",
    type=FILE,
    help="File to write what came out to, as JSON.",
)
@click.option(
    "--sentences",
    type=COUNT,
    default=10_000,
    show_default=True,
    help="How many the image is given in one go.",
)
@takes_options
def check(image: str, report: Path | None, sentences: int, chosen: ContainerOptions) -> None:
    """Check that IMAGE keeps to the protocol, one line a check, with what to mend.

    \b
      pommel image check pommel/my-model --report report.json

    IMAGE is docker://NAME, podman://NAME and so on, or a name of the LM Zoo; without a scheme it is
    Docker's. Exit status: 0 if nothing has failed, 1 otherwise, 4 if the image is not available.
    """
    from pommel.images import ImageCheck
    from pommel.models import ImageCommands, LmZooRegistry

    if report is not None:
        # A folder that cannot be is better known before all has been checked.
        make_folder(report.parent)
    has_scheme = "://" in image or image in LmZooRegistry.installed()
    reference = image if has_scheme else f"docker://{image}"
    usual = LoadOptions()
    usual = replace(usual, sandbox=replace(usual.sandbox, timeout_s=_SECONDS_FOR_A_COMMAND))
    options = chosen.container_options(usual)
    with download_bar(reference) as progress:
        commands = ImageCommands.open(reference, replace(options, pull_progress=progress))
    checked = ImageCheck(commands, n_sentences=sentences)
    with contextlib.closing(commands):
        for _ in checked.run():
            _show_last(checked)
    counts = [f"{checked.counts[status]} {word.lower()}" for status, (word, _) in _SHOWN.items()]
    n_checks = counted(len(checked.results), "check")
    click.echo(f"{n_checks}: {', '.join(counts)}; {checked.seconds:.0f} s")
    if report is not None:
        checked.write(report)
        note(f"Report: {report}")
    if not checked.has_passed:
        raise PommelError(f"{reference}: {counted(checked.counts['failed'], 'check')} failed")


def _pairs(arguments: tuple[str, ...]) -> dict[str, str]:
    pairs = [argument.partition("=") for argument in arguments]
    for key, separator, _ in pairs:
        if not key or not separator:
            raise UsageError(f"--build-arg {key}: write KEY=VALUE")
    return {key: value for key, _, value in pairs}


def _show_last(checked: "ImageCheck") -> None:
    from rich.text import Text

    from pommel.cli.console import SafeConsole

    result = checked.results[-1]
    word, colour = _SHOWN[result.status]
    # One line a check: what has failed is told in full below it.
    message, *more = (result.message or "").splitlines() or [""]
    remark = f": {message}" if message else ""
    is_timed = result.seconds < 1 or message.endswith(" s")
    time = "" if is_timed else f"  ({result.seconds:.1f} s)"
    text = f"{result.shows}{remark}" if result.status == "ok" else message
    told = Text.assemble((f"{word:8}", colour), f" {result.name:29} {text}{time}")
    SafeConsole().print(told, soft_wrap=True)
    for line in more:
        click.echo(f"{'':10}{line}")
    if result.mend:
        click.echo(f"{'':10}to do: {result.mend}")
