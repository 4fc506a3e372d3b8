"""`pommel import-results`: results that others have published, kept as runs."""

from collections.abc import Sequence
from pathlib import Path

import click

from pommel.analysis import ModelsCompared
from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import FILE, field_of, option, takes_options
from pommel.cli.options import StoreOptions
from pommel.cli.output import form_option, note, show_rows
from pommel.errors import UsageError, counted
from pommel.report import ImportedModels
from pommel.scoring import RunRecord, ScoreRule
from pommel.store import ImportOptions, Selection, Store, read_results


class _ImportResultsOptions(StoreOptions):
    """What the files do not say of themselves, and where their runs are kept."""

    read_as: str | None = option(
        "--from",
        type=click.Choice(ImportOptions.formats()),
        help="What the files are.  [default: by how they begin]",
    )
    name: str | None = option(
        metavar="SOURCE",
        help="What the results are called.  [default: as their format; items and accuracies as "
        "their file]",
    )
    model: str | None = option(help="What the model is called, in a file that does not say it.")
    suite: str | None = option(help="What the suite is called, in a file that does not say it.")
    language: str | None = option(
        help="The suites' language, as a tag (en), in files that do not say it."
    )
    columns: tuple[str, ...] = option(
        "--column", metavar="WHAT=NAME", help="What a column is called: item=pair_id; repeatable."
    )
    score_rule: ScoreRule | None = option(
        "--score", help="Score rule.  [default: all; of hu2020 first]"
    )
    items: tuple[str, ...] = option(
        metavar="N|MODEL=N",
        help="Of how many items the shares are, for all models or one; repeatable.",
    )
    chance: float | None = option(
        type=click.FloatRange(0, 1),
        metavar="X",
        help="The share of items that hold by chance, for results that do not say it (1/4 is "
        "0.25).",
    )
    size_families: tuple[str, ...] = option(
        "--size-family",
        metavar="NAME=GLOB",
        help="Models of one kind in several sizes: 'BLOOM=bloom*'; repeatable.  [default: "
        "models of known size whose names begin alike up to a hyphen]",
    )
    dry_run: bool = option(help="Keep nothing.")
    form: str = field_of(form_option(about="How to show what came in."))


@click.command("import-results", cls=Command, no_args_is_help=True)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=FILE,
)
@takes_options
def command(files: Sequence[Path], chosen: _ImportResultsOptions) -> None:
    """Keep results that others have published as runs, reported like our own.

    What is imported again under the same name replaces what was there.

    \b
      pommel import-results hu2020.csv --from hu2020
      pommel import-results accuracies.csv --name multilingual --items 1000
      pommel import-results theirs.csv --column item=pair --column result=acc
      pommel import-results losses.tsv --column loss_good=l1 --column loss_bad=l2
    """
    options = _options(chosen)
    imported = read_results(files, options, form=chosen.read_as or "")
    families = _size_families(chosen.size_families)
    # What is said goes before what the files say, as with the --family of the statistics.
    records = (
        ModelsCompared.with_size_families(imported.records, families)
        if families
        else imported.with_guessed_size_families()
    )
    for line in imported.notes:
        note(f"note: {line}")
    kept = "nothing is kept (--dry-run)"
    if not chosen.dry_run:
        path = chosen.store_path
        _keep(records, path)
        kept = str(path)
    shown = ImportedModels(records=records)
    show_rows(
        chosen.form,
        tables=lambda: [shown.table()],
        frame=shown.frame,
    )
    note(f"{_summary(records)}: {kept}")


def _options(chosen: _ImportResultsOptions) -> ImportOptions:
    for name in ("name", "model", "suite", "language"):
        if getattr(chosen, name) == "":
            raise UsageError(f"--{name} cannot be empty")
    n_items, n_items_of = _n_items(chosen.items)
    return ImportOptions(
        source=chosen.name or "",
        model=chosen.model or "",
        suite=chosen.suite or "",
        language=chosen.language or "",
        score_rule=chosen.score_rule,
        columns=dict(_pair("--column", text, "item=pair_id") for text in chosen.columns),
        n_items=n_items,
        n_items_of=n_items_of,
        chance=chosen.chance,
    )


def _n_items(texts: Sequence[str]) -> tuple[int | None, dict[str, int]]:
    for_all: int | None = None
    of_models = {}
    for text in texts:
        model, _, number = text.rpartition("=")
        if not (number.isascii() and number.isdigit() and int(number)):
            raise UsageError(f"--items {text}: write a number from 1 up, or MODEL=NUMBER")
        if model:
            of_models[model] = int(number)
        elif for_all is not None:
            raise UsageError("--items stands there twice without a model; write MODEL=NUMBER")
        else:
            for_all = int(number)
    return for_all, of_models


def _size_families(texts: Sequence[str]) -> dict[str, list[str]]:
    globs: dict[str, list[str]] = {}
    for text in texts:
        family, glob = _pair("--size-family", text, "BLOOM=bloom*")
        globs.setdefault(family, []).append(glob)
    return globs


def _pair(option: str, text: str, example: str) -> tuple[str, str]:
    left, equals, right = text.partition("=")
    if not (left and equals and right):
        raise UsageError(f"{option} {text}: write it like {example}")
    return left, right


def _keep(records: Sequence[RunRecord], path: Path) -> None:
    own = {record.run_id for record in records}
    source, files = records[0].source, _files(records[0])
    with Store.open(path) as store:
        there = store.runs.heads(Selection(sources=(source,)))
        store.runs.save_records(records)
    replaced = {each.run_id for each in there} & own
    # The same files have been read in another way: with another --score, say.
    others = [each for each in there if each.run_id not in own and _files(each) & files]
    if replaced:
        note(f"note: {counted(len(replaced), 'run')} took the place of earlier ones")
    if others:
        runs = counted(len(others), "run")
        note(
            f"note: {runs} that an earlier import of these files made stay; `pommel runs delete "
            f"--source {source}` deletes all from {source}"
        )


def _files(record: RunRecord) -> set[str]:
    """Return the hashes of the files that a record comes from."""
    return {each["sha256"] for each in record.result.provenance.get("files", ())}


def _summary(records: Sequence[RunRecord]) -> str:
    models = {record.result.model_name for record in records}
    suites = {record.result.suite_name for record in records}
    runs = f"{len(records):,} run{'s' if len(records) > 1 else ''}"
    return (
        f"{runs} of {counted(len(models), 'model')} on {counted(len(suites), 'suite')}, as "
        f"{records[0].source}"
    )
