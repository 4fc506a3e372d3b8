"""A command's models: which are named, and running one after another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import click

from pommel.cli.option_groups import Options, field_of, option
from pommel.cli.output import note, suites_argument
from pommel.errors import InputError, ModelError, PommelError, UsageError, listed
from pommel.models import NamedModel

_T = TypeVar("_T")


class ModelsAndSuites(Options):
    """The models and the suites that a command is about."""

    model: str = field_of(click.argument("model"))
    suites: tuple[str, ...] = field_of(suites_argument)
    more_models: tuple[str, ...] = option("-m", "--model", help="Another model; repeatable.")

    def suite_sources(self) -> list[str]:
        """Return what names suites; the first argument is a model, whatever it looks like."""
        sources = [each for each in self.suites if "://" not in each]
        for pattern, of_it in NamedModel.unquoted_patterns([self.model, *sources]).items():
            if of_it[0] == self.model:
                raise UsageError(
                    f"{of_it[1]} would be a suite; if it is a model, write the pattern in quotes: "
                    f"'{pattern}'"
                )
        if not sources:
            raise UsageError("no suites to run: name files, folders, or suites:en")
        return sources

    def expanded_models(self) -> list[NamedModel]:
        """Return the models that are to run, and say what a user may not have meant."""
        others = (each for each in self.suites if "://" in each)
        expanded = NamedModel.expand_all((self.model, *others, *self.more_models))
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


@dataclass(slots=True, kw_only=True)
class Done(Generic[_T]):
    """What has been run, which models have failed (by reference), and what has stopped it all.

    `faulty` is what is wrong with files that are no suites, and were left out.
    """

    runs: list[_T] = field(default_factory=list)
    failed: dict[str, PommelError] = field(default_factory=dict)
    stopped_by: BaseException | None = None
    faulty: PommelError | None = None

    @property
    def error(self) -> BaseException | None:
        """What the command ends with; several failures are one, with the first's status."""
        failures = [*self.failed.values(), *([self.faulty] if self.faulty else [])]
        if self.stopped_by or not failures:
            return self.stopped_by
        first, *others = failures
        if not others:
            return first
        joined = ModelError("\npommel: ".join(map(str, (first, *others))))
        joined.exit_status = first.exit_status
        return joined

    def check_complete(self, n_asked: int) -> None:
        """Raise what has failed or stopped it; a note says how many of the runs are complete."""
        if not (error := self.error):
            return
        # What was refused before anything ran says all that there is to say.
        refused = isinstance(self.stopped_by, PommelError) and not self.runs
        if (self.runs or self.stopped_by) and not refused:
            how = "stopped; " if self.stopped_by else ""
            note(f"pommel: {how}{len(self.runs)} of {n_asked} runs are complete")
        if self.stopped_by and self.faulty:
            note(f"pommel: {self.faulty}")
        raise error


def run_each(
    models: Sequence[NamedModel], run_model: Callable[[NamedModel, list[_T]], None]
) -> Done[_T]:
    """Run models, each of which is freed before the next one is loaded.

    `run_model` adds each run to a list as soon as it is complete. A model that fails is no reason
    to go without the next; anything else ends it all, and still what is complete is kept (a second
    Ctrl-C meanwhile ends everything).
    """
    done: Done[_T] = Done()
    try:
        for model in NamedModel.one_after_another(models):
            try:
                run_model(model, done.runs)
            except (ModelError, InputError) as error:
                done.failed[model.reference] = _without_frames(error)
                if len(models) > 1:
                    note(f"pommel: {model.reference} failed; going on with the other models")
    except BaseException as error:  # noqa: BLE001 - raised again by the caller
        done.stopped_by = error
    return done


def _without_frames(error: PommelError) -> PommelError:
    """Return an error that has forgotten where it was raised: the frames there hold the model."""
    errors: list[BaseException | None] = [error]
    while errors:
        each = errors.pop()
        if each is not None and each.__traceback__ is not None:
            each.__traceback__ = None
            errors += [each.__cause__, each.__context__]
    return error
