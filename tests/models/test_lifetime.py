"""One model goes before the next one comes."""

import gc
import weakref

from pommel.models.family import NamedModel


class _Big:
    """What lives until reference cycles are looked for."""

    def __init__(self) -> None:
        self.itself = self


def test_what_a_model_leaves_is_freed_before_the_next() -> None:
    left: list[weakref.ref[_Big]] = []
    gc.disable()
    try:
        for _ in NamedModel.one_after_another([1, 2, 3]):
            assert [each() for each in left] == [None] * len(left)
            left.append(weakref.ref(_Big()))
            assert left[-1]() is not None
    finally:
        gc.enable()
    assert len(left) == 3
