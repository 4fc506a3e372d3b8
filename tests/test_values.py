"""Values: what a class decorated with `frozen` can and cannot."""

import weakref
from dataclasses import FrozenInstanceError, field, replace
from functools import cached_property
from typing import Any

import pytest

from pommel.values import frozen


@frozen
class Pair:
    left: int
    right: list[int] = field(default_factory=list)


@frozen(eq=False)
class Model:
    name: str


@frozen(slots=False)
class Text:
    text: str

    @cached_property
    def words(self) -> list[str]:
        return self.text.split()


def test_fields_are_named_and_never_change() -> None:
    pair: Any = Pair(left=1)
    assert replace(pair, left=2) == Pair(left=2)
    with pytest.raises(FrozenInstanceError):
        pair.left = 3
    assert not hasattr(pair, "__dict__")
    kind: Any = Pair
    with pytest.raises(TypeError):
        kind(1)


def test_an_object_is_equal_to_itself_alone() -> None:
    model = Model(name="a")
    assert model == model  # noqa: PLR0124 - this is what is asked
    assert model != Model(name="a")
    # So it may be known to others that do not keep it.
    assert weakref.ref(model)() is model


def test_what_is_computed_may_be_kept() -> None:
    text = Text(text="a b")
    assert text.words is text.words
