"""Groups of options as typed values, which commands name in their signatures.

A group is a class of `Options`. Its fields are what Click fills: `option` says how. So
are the questions of statistics, whose fields say themselves what they are
(`pommel.analysis.asking`).
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    ParamSpec,
    TypeVar,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import click

from pommel.cli.lazy_group import Command
from pommel.values import frozen

# What options and arguments often are: the types of their values.
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
COUNT = click.IntRange(min=1)
# The same as types of fields. A count is called N in help.
File = Annotated[Path, FILE]
Folder = Annotated[Path, FOLDER]
Count = Annotated[int, COUNT]
AboveZero = Annotated[float, click.FloatRange(min=0, min_open=True)]

_F = TypeVar("_F", bound=Callable[..., Any])
_P = ParamSpec("_P")

# The key of a field's metadata: what makes its option of the field's name and type.
_MAKE = "make"
_Added = Callable[[_F], _F]


def field_of(made: _Added[_F]) -> Any:
    """Return the field of a group that is filled by an option, as Click would add it to a command.

    The option's name is the field's.
    """
    return field(metadata={_MAKE: lambda _name, _kind: made})


def _making_fields(_make: Callable[_P, _Added[_F]]) -> Callable[_P, Any]:
    def option(*names: _P.args, **settings: _P.kwargs) -> Any:
        return field(metadata={_MAKE: functools.partial(_made, names, settings)})

    return option


def _made(
    names: Iterable[object], settings: Mapping[str, object], name: str, kind: object
) -> _Added[Any]:
    """Return what adds an option of Click's, for a field of this name and type."""
    make: Callable[..., _Added[Any]] = click.option
    has_long = any(str(each).startswith("--") for each in names)
    long = () if has_long else (f"--{name.replace('_', '-')}",)
    own = () if name in names else (name,)
    return make(*names, *long, *own, **{**_settings_of(kind, settings), **settings})


option = _making_fields(click.option)
"""Return the field of a group that is filled by an option: what `click.option` takes.

What is not said follows from the field: `--its-name`, and by its type whether the option is a flag
(`bool`), may be repeated (`tuple`), or takes one of some values (`Literal`), a number or a path. A
default is shown, unless the help says one.
"""


def _settings_of(kind: object, settings: Mapping[str, object]) -> dict[str, object]:
    has_default = settings.get("default", "") not in (None, "")
    shown = has_default and "[default:" not in str(settings.get("help"))
    found: dict[str, object] = {"show_default": shown}
    if "callback" in settings:
        # It reads what was written.
        return found
    if get_origin(kind) is tuple and "nargs" not in settings:
        found["multiple"] = True
    if kind is bool:
        found["is_flag"] = True
    else:
        found["type"] = _click_type(kind)
        found["metavar"] = "N" if found["type"] is COUNT else None
    return found


def _click_type(kind: object) -> object:
    """Return Click's type for a field's type, or for the first of its parts that has one.

    None is text.
    """
    if values := _literal_values(kind):
        return click.Choice(values)
    if get_origin(kind) is Annotated:
        return get_args(kind)[1]
    if kind is Path:
        return click.Path(path_type=Path)
    if kind in (int, float):
        return kind
    return next(filter(None, map(_click_type, get_args(kind))), None)


def _literal_values(kind: object) -> tuple[str, ...]:
    if get_origin(kind) is Literal:
        return get_args(kind)
    return tuple(value for part in get_args(kind) for value in _literal_values(part))


@dataclass_transform(frozen_default=True, kw_only_default=True)
@frozen(slots=False)
class Options:
    """What a command is told by options; classes of it are frozen dataclasses, too.

    Groups are joined by inheritance. In help a group's own options come before those of the groups
    that it is made of, and these in their order; `title` is what stands above its own.
    """

    _title: ClassVar[str] = ""

    def __init_subclass__(cls, title: str = "") -> None:
        super().__init_subclass__()
        cls._title = title
        dataclass(frozen=True, kw_only=True)(cls)


def takes_options(function: _F) -> _F:
    """Give a command the options of the groups in its signature, in that order."""
    hints = get_type_hints(function)
    groups = {
        name: kind
        for name, kind in hints.items()
        if isinstance(kind, type) and issubclass(kind, Options)
    }

    def called(**given: object) -> object:
        for name, group in groups.items():
            told = {each.name: given.pop(each.name) for each in fields(group)}
            given[name] = group(**told)
        return function(**given)

    command = cast("_F", functools.update_wrapper(called, function))
    # Help lists options in the order in which decorators would stand above the function.
    for title, add in reversed([each for group in groups.values() for each in _options(group)]):
        n_before = len(_parameters(command))
        command = add(command)
        for each in _parameters(command)[n_before:]:
            setattr(each, Command.SECTION, title)
    return command


def asked_class(name: str) -> type:
    """Return a class that says itself what its options are, such as "analysis.auc.AucAsked"."""
    module, dot, kind = name.rpartition(".")
    if not dot:
        raise AttributeError(name)
    found: type = getattr(import_module(f"pommel.{module}"), kind)
    return found


def command_of(kind: type, function: Callable[..., None]) -> click.Command:
    """Return a command whose first parameter is of a class; its docstring is the help."""
    first = next(iter(function.__annotations__))
    function.__annotations__[first] = type(kind.__name__, (kind, Options), {})
    about = inspect.cleandoc(kind.__doc__ or "")
    return click.command(cls=Command, help=about)(takes_options(function))


def _parameters(command: Callable[..., Any]) -> list[click.Parameter]:
    """Return what decorators have added to what becomes a command."""
    return getattr(command, "__click_params__", [])


def _options(group: type[Options]) -> Iterator[tuple[str, _Added[Any]]]:
    """Yield what adds the options of a group, or of a question, to a command, each with a title."""
    hints = get_type_hints(group, include_extras=True)
    by_name = {each.name: each for each in fields(group)}
    first: dict[str, str] = {}
    for kind in group.__mro__[:-1]:
        title = vars(kind).get("_title", "")
        for name in inspect.get_annotations(kind):
            first.setdefault(name, title)
    for name, title in first.items():
        if each := by_name.get(name):
            make = each.metadata.get(_MAKE)
            yield title, make(name, hints[name]) if make else _asked(each, hints[name])


def _asked(each: "Field[Any]", hint: object) -> _Added[Any]:
    """Return what adds the option that the field of a question is, as its `Option` says."""
    kind, about = get_args(hint)
    settings: dict[str, object] = {"help": about.help, "metavar": about.metavar}
    if each.default is MISSING:
        settings["required"] = True
    elif each.default not in (None, ()):
        settings["default"] = each.default
    if about.n_values > 1:
        settings["nargs"] = about.n_values
    if about.least is not None:
        ranged = click.IntRange if int in (kind, *get_args(kind)) else click.FloatRange
        settings["type"] = ranged(about.least, about.most, min_open=about.is_open)
    return _made([about.name] if about.name else [], settings, each.name, kind)
