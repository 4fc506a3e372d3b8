"""Coroutines that are run from plain code."""

import asyncio

import pytest

from pommel.sources.fetch.download import run_interruptible


def test_what_is_returned_and_what_is_raised() -> None:
    async def answer() -> int:
        await asyncio.sleep(0)
        return 42

    async def fail() -> None:
        await asyncio.sleep(0)
        raise LookupError("nothing there")

    assert run_interruptible(answer()) == 42
    with pytest.raises(LookupError, match="nothing there"):
        run_interruptible(fail())


def test_everything_that_was_begun_is_tidied_up_before_it_is_left() -> None:
    told: list[str] = []

    async def long() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            told.append("tidied up")

    async def fail() -> None:
        task = asyncio.ensure_future(long())
        await asyncio.sleep(0)
        task.cancel()
        raise LookupError

    with pytest.raises(LookupError):
        run_interruptible(fail())
    assert told == ["tidied up"]
