"""Coroutines in a thread, from whatever thread they are asked for."""

import asyncio
import gc
import threading
from collections.abc import Iterator

import pytest

from pommel.errors import ModelError
from pommel.models.endpoint.client import Background, Put


async def nothing() -> None:
    """What has to be done at the end: nothing."""


@pytest.fixture
def background() -> Iterator[Background]:
    """One that is closed when the test is over."""
    made = Background(at_end=nothing)
    yield made
    made.close()


def n_threads() -> int:
    """How many threads of ours there are."""
    return sum(each.name == "pommel-endpoint" for each in threading.enumerate())


def test_a_result_comes_back(background: Background) -> None:
    async def answer() -> int:
        return 7

    assert background.run(answer()) == 7


def test_it_works_where_an_event_loop_runs_already(background: Background) -> None:
    async def answer() -> int:
        return 7

    async def notebook() -> int:
        return background.run(answer())

    assert asyncio.run(notebook()) == 7


def test_items_come_as_soon_as_they_are_there(background: Background) -> None:
    go_on = threading.Event()

    async def produce(put: Put[int]) -> None:
        put(1)
        await asyncio.to_thread(go_on.wait)
        put(2)

    items = background.items(produce)
    assert next(items) == 1
    go_on.set()
    assert list(items) == [2]


def test_what_is_there_before_a_failure_is_still_given(background: Background) -> None:
    async def produce(put: Put[int]) -> None:
        put(1)
        put(2)
        await asyncio.sleep(0)
        raise ModelError("it fails")

    items = background.items(produce)
    assert [next(items), next(items)] == [1, 2]
    with pytest.raises(ModelError, match="it fails"):
        next(items)


def test_closing_the_items_cancels_what_makes_them(background: Background) -> None:
    ended: list[str] = []

    async def produce(put: Put[int]) -> None:
        put(1)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("it has ended")

    items = background.items(produce)
    assert next(items) == 1
    items.close()
    assert ended == ["it has ended"]


def test_items_that_nobody_wants_any_more_are_cancelled(background: Background) -> None:
    ended: list[str] = []

    async def produce(put: Put[int]) -> None:
        put(1)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("it has ended")

    items = background.items(produce)
    next(items)
    del items
    gc.collect()
    assert ended == ["it has ended"]


def test_items_that_nobody_ever_asked_for_are_never_made(background: Background) -> None:
    async def produce(put: Put[int]) -> None:
        raise AssertionError(put)

    background.items(produce).close()


def test_closing_ends_the_thread_and_what_runs_in_it() -> None:
    ended: list[str] = []

    async def at_end() -> None:
        ended.append("closed")

    async def produce(put: Put[int]) -> None:
        put(1)
        await asyncio.Event().wait()

    background = Background(at_end=at_end)
    items = background.items(produce)
    next(items)
    assert n_threads() == 1
    background.close()
    background.close()
    assert n_threads() == 0
    assert ended == ["closed"]
    with pytest.raises(ModelError, match="the model was closed while it scored"):
        next(items)


def test_it_starts_anew_after_it_was_closed(background: Background) -> None:
    async def answer() -> int:
        return 7

    assert background.run(answer()) == 7
    background.close()
    assert background.run(answer()) == 7
