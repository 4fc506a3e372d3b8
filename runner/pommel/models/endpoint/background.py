"""An event loop in a thread of its own, so that it works in notebooks, too, which have one."""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from pommel.errors import ModelError

_Result = TypeVar("_Result")
_Item = TypeVar("_Item")

# Called with each item as soon as it is there.
Put = Callable[[_Item], None]


@dataclass(frozen=True, slots=True)
class _End:
    """Nothing more comes, because all is done or because of a failure."""

    failure: BaseException | None


class Background:
    """A thread that runs coroutines; it is started when it is first needed."""

    def __init__(self, *, at_end: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Start nothing yet; `at_end` is the last that is run in the thread."""
        self._at_end = at_end
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def run(self, coroutine: Coroutine[Any, Any, _Result]) -> _Result:
        """Return what a coroutine returns; it is cancelled if the wait is interrupted."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._started())
        try:
            return future.result()
        finally:
            future.cancel()

    def items(
        self, produce: Callable[[Put[_Item]], Coroutine[Any, Any, None]]
    ) -> Generator[_Item, None, None]:
        """Yield what `produce` puts into the function that it is given, then raise what it raised.

        Whoever closes the generator cancels `produce`, and comes back when that has ended.
        """
        ready: queue.SimpleQueue[tuple[_Item] | _End] = queue.SimpleQueue()
        loop, tasks = self._started(), list[asyncio.Task[None]]()

        def start() -> None:
            task = loop.create_task(produce(lambda item: ready.put((item,))))
            task.add_done_callback(lambda done: ready.put(_end(done)))
            tasks.append(task)

        loop.call_soon_threadsafe(start)
        end: _End | None = None
        try:
            while end is None:
                each = ready.get()
                if isinstance(each, _End):
                    end = each
                else:
                    yield each[0]
        finally:
            if end is None:
                with contextlib.suppress(RuntimeError):  # the loop has been closed
                    loop.call_soon_threadsafe(lambda: [task.cancel() for task in tasks])
                # A generator that nobody has any more may be closed by the loop's own thread.
                if threading.current_thread() is not self._thread:
                    while not isinstance(ready.get(), _End):
                        pass
        if end.failure is not None:
            raise end.failure

    def close(self) -> None:
        """Cancel what runs, and end the thread; the next call starts another."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        if threading.current_thread() is not thread:
            thread.join()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_serve,
                    args=(self._loop, self._at_end),
                    name="pommel-endpoint",
                    daemon=True,
                )
                self._thread.start()
            return self._loop


def _end(task: "asyncio.Task[None]") -> _End:
    if task.cancelled():
        return _End(ModelError("the model was closed while it scored"))
    return _End(task.exception())


def _serve(
    loop: asyncio.AbstractEventLoop, at_end: Callable[[], Coroutine[Any, Any, None]]
) -> None:
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(_all_of(left))
        loop.run_until_complete(at_end())
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


async def _all_of(tasks: "set[asyncio.Task[Any]]") -> None:
    await asyncio.gather(*tasks, return_exceptions=True)
