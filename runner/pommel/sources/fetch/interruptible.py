"""Running a coroutine from plain code, in a notebook as well, so that Ctrl-C ends it properly."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

_Result = TypeVar("_Result")


def run_interruptible(coroutine: Coroutine[Any, Any, _Result]) -> _Result:
    """Run a coroutine in a thread of its own, and return what it returns.

    Whatever interrupts the wait cancels it, and is raised when everything that it had begun has
    been tidied up.
    """
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="pommel-fetch", daemon=True)
    thread.start()
    try:
        future = asyncio.run_coroutine_threadsafe(coroutine, loop)
        try:
            return future.result()
        finally:
            future.cancel()
            asyncio.run_coroutine_threadsafe(_all_others(), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _all_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.gather(*others, return_exceptions=True)
