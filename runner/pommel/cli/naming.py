"""Which of a command's arguments name models, and which suites."""

from collections.abc import Sequence

import click

from pommel.cli.output import note
from pommel.errors import UsageError, listed
from pommel.models.family import NamedModel

more_models_option = click.option(
    "-m", "--model", "more_models", multiple=True, help="Another model; repeatable."
)


def sorted_out(arguments: Sequence[str], more_models: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return models and suites; the first argument is a model, whatever it looks like."""
    rest = arguments[1 : len(arguments) - len(more_models)]
    models = [arguments[0], *(each for each in rest if "://" in each), *more_models]
    suites = [each for each in rest if "://" not in each]
    for pattern, of_it in NamedModel.unquoted_patterns([arguments[0], *suites]).items():
        if of_it[0] == arguments[0]:
            raise UsageError(
                f"{of_it[1]} would be a suite; if it is a model, write the pattern in quotes: "
                f"'{pattern}'"
            )
    if not suites:
        raise UsageError("no suites to run: name files, folders, or suites:en")
    return list(dict.fromkeys(models)), suites


def expanded_models(references: Sequence[str]) -> list[NamedModel]:
    """Return the models that are to run, and say what a user may not have meant."""
    expanded = NamedModel.expand_all(references)
    for reference, named in expanded.items():
        if not named:
            note(f"note: {reference} belongs to a family that is named, too; it runs once")
    models = [each for named in expanded.values() for each in named]
    alone = [each.reference for each in models if not each.membership]
    for pattern, of_it in NamedModel.unquoted_patterns(alone).items():
        note(
            f"note: {listed(of_it, most=2)} are taken as "
            f"{len(of_it)} separate models; as one family, write it in quotes: '{pattern}'"
        )
    return models
