"""What others may have come to rely on: names, commands with their options, exit statuses.

`python -m tests.earlier.public_surface`, from the repository's root, writes public_surface.json
anew. What a change is meant to change stands in that file's difference, a line each.
"""

import inspect
import io
import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import click
from tests.earlier.running import DATA, HERE

import pommel as api
from pommel import cli, errors

LIST = HERE / "public_surface.json"

# Modules all of whose public names are meant for others, and names that the documentation tells
# its readers to import.
_MODULES = (
    *("pommel", "pommel.compat.lm_zoo", "pommel.compat.lm_zoo.errors"),
    *("pommel.compat.lm_zoo.models", "pommel.compat.syntaxgym", "pommel.errors"),
    *("pommel.analysis.inference", "pommel.leaderboard.submission", "pommel.statistics"),
)
_DOCUMENTED = (
    "pommel.analysis.Accuracies",
    "pommel.analysis.Comparison",
    "pommel.analysis.Stability",
    "pommel.models.lstm.folder.LstmConfig",
    "pommel.models.lstm.folder.write_folder",
    "pommel.report.plots.saving.save_chart",
    "pommel.report.write_report",
    "pommel.store.Selection",
    "pommel.store.Store",
    "pommel.store.default_store_path",
    "pommel.suite.Formula",
    "pommel.suite.formula.chance.chance_of_all",
)
# Commands that are found, and not listed.
_HIDDEN = ("compute-surprisals",)


def public_surface() -> dict[str, dict[str, str]]:
    """Return all of it: section -> name -> what it takes."""
    return {
        "names": dict(sorted({**_names(), **_values()}.items())),
        "commands": dict(_commands(_command_line(), "pommel")),
        "exit statuses": _exit_statuses(),
    }


# --- Names ----------------------------------------------------------------------------------------


def _names() -> dict[str, str]:
    found: dict[str, str] = {}
    for name in _MODULES:
        module = import_module(name)
        for public in _public_of(module):
            found |= _described(f"{name}.{public}", getattr(module, public))
    for name in _DOCUMENTED:
        home, _, public = name.rpartition(".")
        found |= _described(name, getattr(import_module(home), public))
    return found


def _values() -> dict[str, str]:
    """Return the members of what functions return, whatever its class is called."""
    suite = DATA / "suites" / "number_simple.json"
    with tempfile.TemporaryDirectory() as folder:
        results = api.run("dummy://", suite, store=Path(folder, "store.sqlite"))
        (run,) = results.runs
        with api.open_store(Path(folder, "store.sqlite")) as store:
            (record,) = store.runs.records()
            (head,) = store.runs.heads()
            values = {
                "conditional_scores()[0]": api.conditional_scores("dummy://", [("a", "b")])[0],
                "load_model()": api.load_model("dummy://"),
                "load_model().info": api.load_model("dummy://").info,
                "open_store().runs": store.runs,
                "open_store().runs.heads()[0]": head,
                "open_store().runs.records()[0]": record,
                "run().runs[0]": run,
                "run().runs[0].result": run.result,
                "run().runs[0].result.predictions[0]": run.result.predictions[0],
                "run().runs[0].surprisals": run.surprisals,
                "load_suite().items[0]": api.load_suite(suite).items[0],
            }
            return {
                f"pommel.{name}.{member}": about
                for name, value in values.items()
                for member, about in _members(type(value))
            }


def _public_of(module: ModuleType) -> list[str]:
    if hasattr(module, "__all__"):
        return sorted(module.__all__)
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    )


def _described(name: str, value: object) -> dict[str, str]:
    if isinstance(value, ModuleType):
        return {name: "module"}
    if not inspect.isclass(value):
        return {name: _signature(value) if callable(value) else type(value).__name__}
    members = {f"{name}.{member}": about for member, about in _members(value)}
    return {name: f"class{_signature(value)}", **members}


def _members(value: type) -> Iterator[tuple[str, str]]:
    """Yield the public members that are pommel's own: not those of exceptions and the like."""
    for name in sorted(dir(value)):
        homes = [each for each in value.__mro__ if name in vars(each)]
        if name.startswith("_") or not homes or not homes[0].__module__.startswith("pommel"):
            continue
        member = vars(homes[0])[name]
        if isinstance(member, staticmethod | classmethod):
            member = member.__func__
        yield name, _signature(member) if inspect.isfunction(member) else "value"


def _signature(value: Any) -> str:
    """Return the parameters with their defaults, without types: those name what is internal."""
    if inspect.isclass(value) and not (
        inspect.isfunction(value.__init__) or inspect.isfunction(value.__new__)
    ):
        # Python's own, of which its versions say different things.
        return "(...)"
    parameters = [
        each.replace(annotation=inspect.Parameter.empty, default=_default(each.default))
        for each in inspect.signature(value).parameters.values()
    ]
    return str(inspect.Signature(parameters))


def _default(value: object) -> object:
    # Others would be shown with their address, or by their inner parts.
    is_plain = value is inspect.Parameter.empty or value in ((), None)
    return value if is_plain or isinstance(value, str | int | float) else ...


# --- Commands -------------------------------------------------------------------------------------


def _command_line() -> click.Command:
    """Return the command that `pommel` is, whatever it is called inside."""
    with mock.patch.object(click.Command, "main", autospec=True) as started:
        cli.main([])
    command: click.Command = started.call_args.args[0]
    return command


def _commands(command: click.Command, name: str) -> Iterator[tuple[str, str]]:
    """Yield a command, each of its parameters, and the commands in it."""
    context = click.Context(command, info_name=name)
    kind = "group" if isinstance(command, click.Group) else "command"
    yield name, f"{kind} hidden" if command.hidden else kind
    if name == "pommel":
        yield "help", " ".join(context.help_option_names)
    for parameter in command.params:
        names = [*parameter.opts, *parameter.secondary_opts]
        yield f"{name} {'/'.join(names)}", _parameter(parameter)
    if isinstance(command, click.Group):
        listed = command.list_commands(context)
        hidden_here = [each for each in _HIDDEN if each not in listed]
        for each in (*listed, *hidden_here):
            inner = command.get_command(context, each)
            if inner is None:
                continue
            if each in listed:
                yield from _commands(inner, f"{name} {each}")
            else:
                yield f"{name} {each}", f"not listed; is {inner.name}"


def _parameter(parameter: click.Parameter) -> str:
    kind = parameter.type
    parts = [parameter.param_type_name, _type(kind)]
    if parameter.nargs != 1:
        parts.append(f"nargs={parameter.nargs}")
    flags = ("required", "multiple", "is_flag", "hidden", "count")
    parts += [flag for flag in flags if getattr(parameter, flag, False)]
    default = parameter.default
    # Click says in several ways that there is none.
    if default not in (None, False, (), "") and "UNSET" not in repr(default):
        parts.append(f"default={'computed' if callable(default) else default!r}")
    if getattr(parameter, "is_flag", False) and isinstance(parameter.flag_value, str):  # type: ignore[attr-defined]
        parts.append(f"flag={parameter.flag_value!r}")  # type: ignore[attr-defined]
    if parameter.envvar:
        parts.append(f"envvar={parameter.envvar}")
    return " ".join(parts)


def _type(kind: "click.ParamType[Any]") -> str:
    if isinstance(kind, click.Choice):
        return "|".join(map(str, kind.choices))
    if isinstance(kind, click.IntRange | click.FloatRange):
        ends = (
            f"{'>' if kind.min_open else '>='}{kind.min}" if kind.min is not None else "",
            f"{'<' if kind.max_open else '<='}{kind.max}" if kind.max is not None else "",
        )
        return kind.name + "".join(ends)
    return kind.name


# --- Exit statuses --------------------------------------------------------------------------------


def _exit_statuses() -> dict[str, str]:
    of_classes = {
        f"pommel.errors.{name}": str(value.exit_status)
        for name, value in sorted(vars(errors).items())
        if inspect.isclass(value) and issubclass(value, errors.PommelError)
    }
    raised: Mapping[str, BaseException] = {
        "a pommel.errors.InputError": errors.InputError("x"),
        "a pommel.errors.ModelNotAvailableError": errors.ModelNotAvailableError("x"),
        "a usage error of Click": click.UsageError("x"),
        "an Abort of Click": click.Abort(),
        "a KeyboardInterrupt": KeyboardInterrupt(),
        "an OSError": FileNotFoundError(2, "x", "file"),
        "a MemoryError": MemoryError(),
    }
    return of_classes | {name: str(_status(error)) for name, error in raised.items()}


def _status(error: BaseException) -> int:
    """Return how the command line ends when this is raised in it."""
    with (
        mock.patch.object(click.Command, "main", side_effect=error),
        redirect_stderr(io.StringIO()),
    ):
        try:
            cli.main([])
        except SystemExit as leaving:
            return int(leaving.code or 0)
    return 0


def write() -> None:
    """Write the list."""
    text = json.dumps(public_surface(), indent=1, ensure_ascii=False)
    LIST.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
