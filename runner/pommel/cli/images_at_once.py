"""Models in containers that are scored at once: how many, what each may use, and doing it."""

import concurrent.futures
import contextlib
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from pommel.cli.option_groups import AboveZero, Count, option
from pommel.cli.options import ContainerOptions, MemorySize
from pommel.cli.output import hold_notes, note, progress_bar
from pommel.errors import UsageError, counted, readable_size
from pommel.models import LoadOptions

Outcome = concurrent.futures.Future[None]
_Work = tuple[Outcome, Callable[[], None], list[str]]


class ImagesOptions(ContainerOptions, title="Model in a container"):
    """How many images are scored at once, and what they may use together."""

    parallel_images: Count = option(default=1, help="Models in containers that are scored at once.")
    images_memory: MemorySize | None = option(
        metavar="SIZE",
        help="Memory of all of them together; fewer at once where it is not enough.  "
        "[default: this machine's]",
    )
    images_cpus: AboveZero | None = option(
        metavar="N",
        help="Processors of all of them together, an equal part for each.  "
        "[default: this machine's]",
    )

    def shared_out(self, references: Sequence[str]) -> Self:
        """Return the same for these models: how many really at once, and what each may use.

        Raises `UsageError` for less memory than one of them may use.
        """
        if self.parallel_images == 1:
            if self.images_memory or self.images_cpus:
                raise UsageError("--images-memory and --images-cpus need --parallel-images N")
            return self
        each = self.container_options(LoadOptions()).sandbox
        memory_bytes = self.images_memory or machine_memory_bytes()
        if not memory_bytes:
            # Containers run in a machine of Docker's own there, which has a part of the memory.
            raise UsageError("--parallel-images needs --images-memory SIZE on Windows")
        n_fitting = memory_bytes // each.memory_bytes
        said = f"{readable_size(each.memory_bytes)} for each (--sandbox memory=SIZE)"
        if self.images_memory and not n_fitting:
            raise UsageError(f"--images-memory: {readable_size(memory_bytes)} is less than {said}")
        wanted = max(1, min(self.parallel_images, sum(map(is_image, references))))
        n_at_once = max(1, min(wanted, n_fitting))
        if n_at_once < wanted:
            note(
                f"note: {counted(n_at_once, 'image')} at once, not {wanted}: {said}, "
                f"{readable_size(memory_bytes)} for all (--images-memory SIZE)"
            )
        n_cpus = (self.images_cpus or os.cpu_count() or 1) / n_at_once
        n_cpus = max(0.01, min(n_cpus, each.n_cpus or n_cpus))
        settings = (*self.sandbox, f"cpus={n_cpus:g}")
        return replace(self, parallel_images=n_at_once, sandbox=settings)


def is_image(reference: str) -> bool:
    """Say whether a reference names a model in a container, as `load_model` takes it."""
    from pommel.models import ImageCommands, LmZooRegistry

    scheme, separator, _ = reference.partition("://")
    if separator:
        return ImageCommands.runs(scheme.lower())
    # A folder that is called so comes first.
    return reference in LmZooRegistry.installed() and not Path(reference).exists()


def machine_memory_bytes() -> int:
    """Return how much memory this machine has; 0 where that cannot be told."""
    if sys.platform == "win32":
        return 0
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


_SECONDS_TO_STOP = 20


@contextlib.contextmanager
def at_once(works: Sequence[Callable[[], None]], n_at_once: int) -> Iterator[Iterator[Outcome]]:
    """Run works in threads, and give what comes of each, in their order; so are their notes said.

    At the end those that have not begun never do, and the others lose their containers.
    """
    from pommel.models import ImageCommands

    waiting: queue.SimpleQueue[_Work] = queue.SimpleQueue()
    outcomes: list[Outcome] = [Outcome() for _ in works]
    notes: list[list[str]] = [[] for _ in works]
    for each in zip(outcomes, works, notes, strict=True):
        waiting.put(each)

    def work_off() -> None:
        while not waiting.empty():
            with contextlib.suppress(queue.Empty):
                _run(*waiting.get_nowait())

    # One that waits for an engine does not keep Python from ending.
    threads = [threading.Thread(target=work_off, daemon=True) for _ in range(n_at_once)]
    for thread in threads:
        thread.start()
    try:
        with progress_bar("images", len(works)) as progress:
            yield _each_ended(outcomes, notes, progress)
    finally:
        running = [each for each in outcomes if not each.cancel()]
        until = time.monotonic() + _SECONDS_TO_STOP
        while not all(each.done() for each in running) and time.monotonic() < until:
            ImageCommands.remove_containers()
            concurrent.futures.wait(running, timeout=0.2)


def _run(outcome: Outcome, work: Callable[[], None], notes: list[str]) -> None:
    if outcome.set_running_or_notify_cancel():
        hold_notes(notes)
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised again by whoever asks
            outcome.set_exception(error)
        else:
            outcome.set_result(None)


def _each_ended(
    outcomes: Sequence[Outcome], notes: Sequence[Sequence[str]], progress: Callable[[int], None]
) -> Iterator[Outcome]:
    for each, said in zip(outcomes, notes, strict=True):
        concurrent.futures.wait([each])
        progress(1)
        for line in said:
            note(line)
        yield each
