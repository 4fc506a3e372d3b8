"""`pommel validate`: every fault of suite files, where it is and what would be right."""

from collections import Counter
from dataclasses import asdict

import click

from pommel.cli.lazy_group import Command
from pommel.cli.output import folded, form_option, in_files, show_json, suites_argument
from pommel.errors import Fault, InputError, SuiteError, counted
from pommel.sources import find_suites, load_suites


@click.command("validate", cls=Command, no_args_is_help=True)
@suites_argument
@click.option("--strict", is_flag=True, help="Stray spaces and byte order marks are errors.")
@form_option(["text", "json"], default="text")
def command(suites: tuple[str, ...], *, strict: bool, form: str) -> None:
    """Check SUITEs (files, folders, - for standard input) without running a model.

    Prints one line a fault, as file:line:column, and one for all warnings of a file that ask for
    the same; --format json has each. Exits with status 3 if there is an error.
    """
    faults: list[Fault] = []
    sound: list[str] = []
    for source in _each_file(suites, faults):
        try:
            (loaded,) = load_suites([source], strict=strict, again=True).loaded
            faults.extend(loaded.warnings)
            suite = loaded.suite
            sound.append(
                f"{source}: ok: {counted(len(suite.items), 'item')} x "
                f"{counted(len(suite.condition_names), 'condition')}, "
                f"{counted(len(suite.region_numbers), 'region')}, "
                f"{counted(len(suite.predictions), 'prediction')}"
            )
        except SuiteError as error:
            faults.extend(error.faults)
    if form == "json":
        show_json([asdict(fault) for fault in faults])
    else:
        for line in (*folded(faults), *sound):
            click.echo(str(line))
    errors = [fault for fault in faults if fault.severity == "error"]
    if errors:
        of_files = Counter(fault.file for fault in errors)
        raise InputError(in_files("error", [*of_files.values(), *[0] * len(sound)]))


def _each_file(sources: tuple[str, ...], faults: list[Fault]) -> list[str]:
    """Return the files that `sources` name; one that names none is a fault like any other."""
    found = []
    for source in sources:
        try:
            found += [source] if source == "-" else [str(path) for path in find_suites(source)]
        except InputError as error:
            message = str(error).removeprefix(f"{source}: ")
            faults.append(Fault(file=source, message=message))
    return list(dict.fromkeys(found))
