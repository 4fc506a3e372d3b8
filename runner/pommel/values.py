"""Values: what is whole when it is made, and never changes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform, overload

_Kind = TypeVar("_Kind")


@overload
def frozen(kind: type[_Kind], /) -> type[_Kind]: ...


@overload
def frozen(*, eq: bool = True, slots: bool = True) -> Callable[[type[_Kind]], type[_Kind]]: ...


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def frozen(
    kind: type[_Kind] | None = None,
    /,
    *,
    eq: bool = True,
    slots: bool = True,
) -> type[_Kind] | Callable[[type[_Kind]], type[_Kind]]:
    """Make a class a frozen dataclass with slots, whose fields are given by their names.

    Written `@frozen`; or `@frozen(eq=False)` for what is equal to itself alone, and may be referred
    to weakly, and `@frozen(slots=False)` for what keeps properties once they are computed.
    """
    weakly = slots and not eq
    made = dataclass(frozen=True, kw_only=True, eq=eq, slots=slots, weakref_slot=weakly)
    return made if kind is None else made(kind)


@overload
def positional(kind: type[_Kind], /) -> type[_Kind]: ...


@overload
def positional(*, eq: bool = True) -> Callable[[type[_Kind]], type[_Kind]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def positional(
    kind: type[_Kind] | None = None, /, *, eq: bool = True
) -> type[_Kind] | Callable[[type[_Kind]], type[_Kind]]:
    """Make a class as `frozen` does, of few fields, which may be given by their order, too."""
    made = dataclass(frozen=True, eq=eq, slots=True)
    return made if kind is None else made(kind)
