"""Groups of options as typed values, which commands name in their signatures.

A group is a frozen dataclass of `Options`. Its fields are what Click fills: `option` says how.
"""

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Literal, ParamSpec, TypeVar, cast, get_args, get_origin, get_type_hints

import click

_F = TypeVar("_F", bound=Callable[..., Any])
_P = ParamSpec("_P")

# The key of a field's metadata.
_OPTION = "option"


def field_of(option: Callable[[_F], _F]) -> Any:
    """Return the field of a group that is filled by an option, as Click would add it to a command.

    An option of a field whose type is a `Literal` takes one of its values, unless a callback reads
    them.
    """
    return field(metadata={_OPTION: option})


def _making_fields(make: Callable[_P, Callable[[_F], _F]]) -> Callable[_P, Any]:
    @functools.wraps(make)
    def made(*names: _P.args, **settings: _P.kwargs) -> Any:
        return field_of(make(*names, **settings))

    return made


# What `click.option` takes, to the field of a group.
option = _making_fields(click.option)


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a command is told by options.

    Groups are joined by inheritance. In help a group's own options come before those of the groups
    that it is made of, and these in their order.
    """


def takes_options(function: _F) -> _F:
    """Give a command the options of the groups in its signature, in that order."""
    hints = get_type_hints(function)
    groups = {
        name: kind
        for name, kind in hints.items()
        if isinstance(kind, type) and issubclass(kind, Options)
    }

    def called(**given: Any) -> object:
        for name, group in groups.items():
            told = {each.name: given.pop(each.name) for each in fields(group)}
            given[name] = group(**told)
        return function(**given)

    command = cast("_F", functools.update_wrapper(called, function))
    added = [each for group in groups.values() for each in _options(group)]
    # Help lists options in the order in which decorators would stand above the function.
    for option_of_field, values in reversed(added):
        command = option_of_field(command)
        # Click keeps the parameters of what is no command yet here, the newest last.
        parameter: click.Parameter = command.__click_params__[-1]
        if values and parameter.callback is None:
            parameter.type = click.Choice(values)
    return command


def _options(
    group: type[Options],
) -> Iterator[tuple[Callable[[Any], Any], tuple[str, ...]]]:
    """Yield what adds the options of a group to a command, and the values that each may have."""
    hints = get_type_hints(group)
    by_name = {each.name: each.metadata[_OPTION] for each in fields(group)}
    own_first = (name for kind in group.__mro__[:-1] for name in inspect.get_annotations(kind))
    for name in dict.fromkeys(own_first):
        yield by_name[name], _literal_values(hints[name])


def _literal_values(kind: object) -> tuple[str, ...]:
    if get_origin(kind) is Literal:
        return get_args(kind)
    return tuple(value for part in get_args(kind) for value in _literal_values(part))
