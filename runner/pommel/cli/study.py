"""`pommel reproduce` and `pommel study`: whole papers, from their texts to their tables."""

import shlex
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Literal

import click

from pommel.analysis import plain_table
from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import FILE, Count, Folder, Options, option, takes_options
from pommel.cli.options import MEMORY_SIZE
from pommel.cli.output import follow, note, show_table, show_text
from pommel.errors import UsageError, counted
from pommel.files import TableReading
from pommel.studies import Asked, Study, StudyFolder


def _words(_context: click.Context, _option: click.Parameter, text: str) -> str:
    """Return words as they were written, if there are any, and all quotes are closed."""
    try:
        if shlex.split(text):
            return text
    except ValueError:
        pass
    raise click.BadParameter(f"{text!r}: write the words of pommel launch, as 'slurm --requeue'")


def _size(context: click.Context, option: click.Parameter, text: str | None) -> str:
    """Return an amount of memory as it was written; "" for none."""
    if text is not None:
        MEMORY_SIZE.convert(text, option, context)
    return text or ""


class _StudyOptions(Options):
    """How much of a study is done, where, and with what."""

    scale: Literal["tiny", "small", "paper"] = option(
        default="tiny",
        help="How much is done: in minutes, overnight, or as in the paper.",
    )
    output: Folder | None = option("-o", help="Folder of the study.  [default: NAME-SCALE, here]")
    corpora: tuple[str, ...] = option(
        "--corpus",
        metavar="LANGUAGE=FILE",
        help="Text to train on, a sentence a line, in place of generated text; repeatable.",
    )
    ratings: tuple[str, ...] = option(
        metavar="[NAME=]FILE",
        help="Ratings by people, which stand beside the models, as `pommel stats auc` has them; "
        "repeatable.",
    )
    n_jobs: Count | None = option(
        "--jobs", help="Steps at once.  [default: 2, or 1 where there is one processor]"
    )
    launch: str = option(
        default="local",
        callback=_words,
        metavar="WORDS",
        help="What `pommel launch` is told where models run by a plan: 'slurm --partition gpu'.",
    )
    device: str | None = option(
        help="Where models run, as `pommel run` takes it, and where LSTMs are trained: cuda, "
        "cuda:N, mps, auto.  [default: cpu]"
    )
    dtype: Literal["float32", "bfloat16", "float16"] = option(
        default="float32",
        help="Number format of the weights of models that run, which changes their numbers.",
    )
    max_memory: str = option(
        callback=_size,
        metavar="SIZE",
        help="What scoring may use beside the weights (512M, 4G), in each step.",
    )
    restart: bool = option(
        help="Delete models and shards that were made otherwise than it is asked for now."
    )
    offline: bool = option(help="Fetch nothing: what is not here already is left out.")
    dry_run: bool = option(
        "-n", "--dry-run", help="Do nothing, and print the steps, as one might type them."
    )

    def texts(self) -> Mapping[str, Path]:
        """Return the texts that were given, by language; raises `UsageError` for other words."""
        found = {}
        for each in self.corpora:
            language, equals, path = each.partition("=")
            if not (language and equals and path):
                raise UsageError(f"--corpus {each!r}: write LANGUAGE=FILE, as de=german.txt")
            if language in found:
                raise UsageError(f"--corpus {each}: there are two of {language}")
            found[language] = Path(path)
        return found

    def rated(self) -> Mapping[str, Path]:
        """Return the tables of ratings by their names, "" where none was given."""
        found = {}
        for each in self.ratings:
            name, path = TableReading.named(each)
            if name in found:
                raise UsageError(f"--ratings {each}: there are two of one name; write NAME=FILE")
            found[name] = Path(path)
        return found


@click.command("reproduce", cls=Command)
@click.argument("name", required=False)
@takes_options
def reproduce(name: str | None, chosen: _StudyOptions) -> None:
    """Do again what a paper has done, and show its printed tables beside what comes out.

    Without a NAME, list the studies that ship with pommel. What is done is not done again: after
    whatever has stopped it, the same command goes on.

    \b
      pommel reproduce
      pommel reproduce clams
      pommel reproduce clams --scale small --corpus de=german.txt -o clams
      pommel reproduce argument-structure --ratings ratings.csv
      pommel reproduce multilingual --scale paper --dry-run
    """
    if name is None:
        _show_list()
        return
    try:
        study = Study.named(name)
    except UsageError as error:
        raise UsageError(f"{error}; `pommel reproduce` alone lists them") from None
    _do(study, chosen)


@click.command("run", cls=Command, no_args_is_help=True)
@click.argument("file", type=FILE)
@takes_options
def run(file: Path, chosen: _StudyOptions) -> None:
    """Do what a study's FILE says; those that ship with pommel are examples to copy.

    \b
      pommel study run my_study.toml --dry-run
      pommel study run my_study.toml -o my_study
    """
    _do(Study.read(file), chosen)


@click.command("copy", cls=Command, no_args_is_help=True)
@click.argument("name")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def copy(name: str, folder: Path) -> None:
    """Write the file of the study NAME, with its printed values, to FOLDER, to make one's own."""
    for path in StudyFolder.copy(Study.named(name), folder):
        note(str(path))


def _show_list() -> None:
    rows = []
    for name, path in Study.shipped().items():
        study = Study.read(path)
        rows += [
            (name if not number else "", study.paper if not number else "", scale, each.about)
            for number, (scale, each) in enumerate(study.scales.items())
        ]
    show_table(plain_table(names=("study", "paper", "scale", "what it takes"), rows=rows))


def _do(study: Study, chosen: _StudyOptions) -> None:
    asked = Asked(
        scale=chosen.scale,
        corpora=chosen.texts(),
        ratings=chosen.rated(),
        launch=chosen.launch,
        offline=chosen.offline,
        device=chosen.device or "",
        # The usual one need not be said: what is done is known by what is said.
        dtype="" if chosen.dtype == "float32" else chosen.dtype,
        max_memory=chosen.max_memory,
    )
    path = chosen.output or Path(f"{study.name}-{chosen.scale}")
    folder = StudyFolder(
        study=study, asked=asked, path=path, n_jobs=chosen.n_jobs, restart=chosen.restart
    )
    steps = folder.plan.steps
    if chosen.dry_run:
        _show_steps(folder)
        return
    n_before = sum(map(folder.is_done, steps))
    if n_before:
        note(f"{folder.path}: {n_before} of {counted(len(steps), 'step')} done already")
    follow(_told(folder), len(steps), lambda: n_before + len(folder.ends))
    counts = folder.counts()
    if any(counts.values()):
        note(", ".join(f"{n} {verdict}" for verdict, n in counts.items()) + ", of printed values")
    click.echo(folder.page)


def _told(folder: StudyFolder) -> Generator[str]:
    """Run the steps, and say of each how it has ended."""
    n_told = 0
    try:
        for words in folder.run():
            n_told = _tell(folder, n_told)
            yield words
    finally:
        _tell(folder, n_told)


def _tell(folder: StudyFolder, n_told: int) -> int:
    """Say how steps have ended, but for the first, which were told, and for what is an error."""
    for ended in folder.ends[n_told:]:
        if not ended.failure:
            note(f"{ended.step.name}: {ended.seconds:.0f} s")
        elif ended.step.optional:
            note(f"note: left out: {ended.failure}")
    return len(folder.ends)


def _show_steps(folder: StudyFolder) -> None:
    for step in folder.plan.steps:
        done = "  # done" if folder.is_done(step) else ""
        show_text(f"{step.line}{done}\n")
    if missing := folder.plan.missing_corpora:
        note(f"note: no text of {', '.join(missing)}: --corpus LANGUAGE=FILE")
    if folder.plan.hours:
        note(f"note: trainings may take {folder.plan.hours:,.0f} hours, one after another")
    for each in folder.planned():
        show_text(f"\n{each}")
