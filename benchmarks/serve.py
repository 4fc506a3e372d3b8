"""What looking costs: each page of `pommel serve` on a large store, and many readers at once.

    python -m benchmarks.serve [--models 100] [--suites 200] [--store FILE]
    python -m benchmarks.serve --load SECONDS [--readers 50] [--writers 5] [--pause 2]

The store is that of `benchmarks.many_runs` (with --models 1000, of 200,000 runs), and one suite of
1,000 items, on which all models have results, and four have tokens. With --store the store stays;
one that is there is not made again. A line a page says what it took of processor time: the first
time, again, and after another process has added a run; and at the end how much memory was held.

With --load, a server in a process of its own is asked by so many readers at once, over loopback:
each asks for a page, looks at it for `--pause` seconds, and asks for the next. Meanwhile so many
processes add runs to the store, two each second, of one model on suite after suite. A line a page
says how long readers waited (the median, the 95th percentile, the longest), the last lines how many
requests failed, what processor time the server took for each (on a busy machine, that says more),
and what memory it held when each page had been asked for once, halfway, and at the end.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from benchmarks import many_runs
from benchmarks.report import simulated_runs
from starlette.testclient import TestClient

from pommel.scoring import RunRecord, SuiteFacts
from pommel.serve.app import make_app
from pommel.serve.guard import Door, Limits
from pommel.serve.listening import make_server
from pommel.serve.people import People
from pommel.serve.site import Site
from pommel.sources import load_suites
from pommel.store import Store
from pommel.store.surprisal_cache import CacheKey
from pommel.suite import Suite

HOST = "127.0.0.1"
N_ITEMS = 1_000
N_WITH_TOKENS = 4
LEFT, RIGHT = "made-up-0/step0", "made-up-1/step0"
# How often a writer adds runs, as `pommel run` does, how many, and on how many suites it has a
# model run.
WRITING_SECONDS, N_ADDED, N_SUITES_OF_A_MODEL = 1.0, 2, 200


def main() -> None:
    """Print what each page took, or how long readers waited."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--suites", type=int, default=200)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--load", type=float, metavar="SECONDS")
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--writers", type=int, default=5)
    parser.add_argument("--pause", type=float, default=2.0)
    parser.add_argument("--be-server", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.be_server:
        be_server(chosen.store)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = (chosen.store or Path(folder) / "store.sqlite").absolute()
        if not path.exists():
            made(path, n_models=chosen.models, n_suites=chosen.suites)
        if chosen.load is None:
            print_costs(path)
        else:
            load = Load(n_readers=chosen.readers, n_writers=chosen.writers, pause=chosen.pause)
            print_load(load.run(path, seconds=chosen.load))


def made(path: Path, *, n_models: int, n_suites: int) -> None:
    """Make a store of one run for each model and suite, the long one among them."""
    many_runs.made(path, n_models=n_models, n_suites=n_suites)
    suite = long_suite()
    with Store.open(path) as store:
        for run in simulated_runs([suite], N_WITH_TOKENS):
            surprisals = run.surprisals
            key = CacheKey(model=surprisals.model, policy=surprisals.policy)
            texts = {each.text: each for row in surprisals.sentences for each in row}
            store.cache.keep(key, texts.values())
            store.runs.save(run)
        store.runs.save_records(long_records(suite, n_models))


def long_suite() -> Suite:
    """Return a suite of 1,000 items: those of a shipped one, again and again."""
    (suite,) = load_suites(["number_prep"]).suites
    items = [replace(suite.items[n % len(suite.items)], number=n + 1) for n in range(N_ITEMS)]
    return replace(suite, name="a-thousand-items", items=tuple(items))


def long_records(suite: Suite, n_models: int) -> Iterator[RunRecord]:
    """Yield made-up results of all models on a suite."""
    others = (each for each in many_runs.records(n_models, 1))
    for number, other in enumerate(others):
        margins = np.random.default_rng(number).normal(1, 3, (len(suite.predictions), N_ITEMS))
        predictions = tuple(
            many_runs.prediction_of(n, str(each.formula), margins[n], each.description)
            for n, each in enumerate(suite.predictions)
        )
        yield replace(
            other,
            run_id=many_runs.sha256(other.result.model_name, suite.name)[:12],
            suite=SuiteFacts.of(suite),
            result=replace(
                other.result,
                suite_name=suite.name,
                circuit=suite.circuit,
                item_numbers=tuple(each.number for each in suite.items),
                predictions=predictions,
            ),
        )


def pages(client: "TestClient | Asking") -> Mapping[str, str]:
    """Return addresses by what they show; what addresses need is asked for."""
    key = said(client, "/suites.json?name=a-thousand")["rows"][0]["key"]
    short = said(client, "/suites.json?name=suite-00")["rows"][0]["key"]
    family = said(client, "/families.json")["rows"][0]["key"]
    left, right = quote(LEFT, safe=""), quote(RIGHT, safe="")
    return {
        "the first one": "/",
        "runs": "/runs",
        "runs, found and sorted": "/runs?model=step1&circuit=circuit-1&order=score",
        "models": "/models",
        "models beside a baseline": f"/models?baseline={left}&order=difference&down=true",
        "suites": "/suites",
        "suites of a model": f"/suites?model={right}&baseline={left}",
        "a suite of 30 items": f"/suites/{short}",
        "a suite of 1,000 items": f"/suites/{key}",
        "the same beside a baseline": f"/suites/{key}?baseline={left}&items_page=3",
        "an item": f"/suites/{key}/items/7?model=model-00&model=model-01",
        "two models": f"/compare?left={left}&right={right}",
        "two models on 1,000 items": f"/compare?left={left}&right={right}&suite={key}",
        "families": "/families",
        "a family": f"/families/{family}",
        "chart of a family": f"/charts/family.svg?key={family}",
        "chart of an item": f"/charts/regions.svg?suite={key}&number=7"
        "&model=model-00&model=model-01",
    }


def said(client: "TestClient | Asking", path: str) -> Any:
    """Return what a page says."""
    return json.loads(client.get(path).content)


@dataclass(frozen=True)
class Cost:
    """What a page took, in milliseconds of processor time."""

    first_ms: float
    again_ms: float
    after_ms: float
    n_bytes: int


def costs(path: Path) -> Mapping[str, Cost]:
    """Return what each page takes; the first one has the store be read."""
    client = TestClient(make_app(*shown(path, HOST)), base_url=f"http://{HOST}")
    first = timed(client, "/")[0]
    found = {}
    for n, (name, address) in enumerate(pages(client).items()):
        own, n_bytes = timed(client, address)
        again, _ = timed(client, address)
        added(path, [n])
        after, _ = timed(client, address)
        found[name] = Cost(
            first_ms=own if n else first, again_ms=again, after_ms=after, n_bytes=n_bytes
        )
    return found


def timed(client: TestClient, address: str) -> tuple[float, int]:
    """Return the milliseconds that a page took, and its bytes; it has to be there."""
    began = time.process_time()
    answer = client.get(address)
    milliseconds = 1000 * (time.process_time() - began)
    if answer.status_code != http.client.OK:
        raise SystemExit(f"{address}: {answer.text}")
    return milliseconds, len(answer.content)


def added(path: Path, numbers: Iterable[int], writer: str = "new", n_suites: int = 1) -> None:
    """Add runs in one go; a writer has each of its models run on so many suites."""
    with Store.open(path) as store:
        store.runs.save_records([_run_of(each, writer, n_suites) for each in numbers])


def _run_of(number: int, writer: str, n_suites: int) -> RunRecord:
    model_number, suite_number = divmod(number, n_suites)
    record = many_runs.record(0, suite_number, n_models=1)
    name = f"{writer}/{model_number}"
    return replace(
        record,
        run_id=many_runs.sha256(name, str(suite_number))[:12],
        model=replace(record.model, reference=name, fingerprint=many_runs.sha256(name)),
        result=replace(record.result, model_name=name, membership=None),
        created=f"2026-06-01T00:00:{number % 60:02}+00:00",
    )


def print_costs(path: Path) -> None:
    """Print a line a page, and the memory."""
    import resource

    print(f"{'first':>8} {'again':>8} {'after a run was added':>8}  ms of processor time")
    for name, cost in costs(path).items():
        print(
            f"{cost.first_ms:8.0f} {cost.again_ms:8.0f} {cost.after_ms:8.0f}  {name} "
            f"({cost.n_bytes / 1000:.0f} kB)"
        )
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{most:,.0f} MB at most")


def be_server(path: Path) -> None:
    """Answer on a free port, which is printed, until the process is ended."""
    with socket.create_server((HOST, 0)) as listening:
        host = f"{HOST}:{listening.getsockname()[1]}"
        print(host, flush=True)
        make_server(*shown(path, host)).run(sockets=[listening])


def shown(path: Path, host: str) -> tuple[Site, Door]:
    """Return the site of a store, and a door that lets many requests of one address in."""
    desk = path.with_name("serve.sqlite")
    people = People.at(desk, owner_name="", owner_token="", is_open=True)
    limits = Limits(burst=10**9, requests_per_second=1e9)
    return Site(store=path, people=people), Door(
        hosts=frozenset({host}), people=people, limits=limits
    )


@dataclass
class Asking:
    """A connection to a server; `failures` are what did not come back as a page."""

    host: str
    failures: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._connection = http.client.HTTPConnection(self.host, timeout=60)

    @dataclass
    class Answer:
        """What has come back."""

        status: int
        content: bytes

    def get(self, path: str) -> "Asking.Answer":
        """Ask for a page."""
        self._connection.request("GET", path)
        answer = self._connection.getresponse()
        return self.Answer(status=answer.status, content=answer.read())

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def timed(self, path: str) -> float:
        """Return after how many milliseconds a page was there."""
        began = time.perf_counter()
        try:
            answer = self.get(path)
        except OSError as error:
            self._connection.close()
            self.failures.append(f"{path}: {error}")
        else:
            if answer.status != http.client.OK:
                self.failures.append(f"{path}: {answer.status} {_message(answer.content)}")
        return 1000 * (time.perf_counter() - began)


def _message(content: bytes) -> str:
    """Return what a page says that cannot be shown."""
    return content.decode().partition("<p>")[2].partition("</p>")[0]


@dataclass(frozen=True)
class Waited:
    """How long readers waited for each page, what failed, and what the server took.

    Its memory is that when each page had been asked for once, halfway, and at the end.
    """

    milliseconds: Mapping[str, Sequence[float]]
    failures: Sequence[str]
    n_added: int
    megabytes: tuple[float, float, float]
    processor_seconds: float


@dataclass(frozen=True)
class Load:
    """So many readers and writers at once; `pause` is how long a reader looks at a page."""

    n_readers: int = 50
    n_writers: int = 5
    pause: float = 2.0

    def run(self, path: Path, *, seconds: float) -> Waited:
        """Have a server asked for so many seconds."""
        with server(path) as (process, host):
            first = Asking(host)
            addresses = pages(first)
            for address in addresses.values():
                first.timed(address)
            context = multiprocessing.get_context("spawn")
            counts = context.Array("l", self.n_writers or 1)
            # What it takes to start Python so often is no load that a server has.
            ready, ended = context.Barrier(self.n_writers + 1), context.Event()
            writers = [
                context.Process(target=write, args=(path, n, counts, ready, ended))
                for n in range(self.n_writers)
            ]
            for each in writers:
                each.start()
            ready.wait()
            before, taken = megabytes(process.pid), processor_seconds(process.pid)
            until = time.time() + seconds
            readers = [Asking(host) for _ in range(self.n_readers)]
            waited: dict[str, list[float]] = {name: [] for name in addresses}
            read = partial(self._read, addresses=addresses, until=until, waited=waited)
            threads = [
                threading.Thread(target=read, args=(reader, n)) for n, reader in enumerate(readers)
            ]
            for thread in threads:
                thread.start()
            time.sleep(seconds / 2)
            halfway = megabytes(process.pid)
            for thread in threads:
                thread.join()
            ended.set()
            for each in writers:
                each.join()
            for asking in (first, *readers):
                asking.close()
            failures = [*first.failures, *(line for each in readers for line in each.failures)]
            failures += [
                f"a writer ended with {each.exitcode}" for each in writers if each.exitcode
            ]
            return Waited(
                milliseconds=waited,
                failures=failures,
                n_added=sum(counts[:]),
                megabytes=(before, halfway, megabytes(process.pid)),
                processor_seconds=processor_seconds(process.pid) - taken,
            )

    def _read(
        self,
        reader: Asking,
        number: int,
        *,
        addresses: Mapping[str, str],
        until: float,
        waited: Mapping[str, list[float]],
    ) -> None:
        chance = random.Random(number)  # noqa: S311 - no secret
        time.sleep(chance.uniform(0, self.pause))
        while time.time() < until:
            name = chance.choice([*addresses])
            waited[name].append(reader.timed(addresses[name]))
            time.sleep(self.pause)


def write(path: Path, number: int, counts: Any, ready: Any, ended: Any) -> None:
    """Add runs, some each second, from when all are ready until it has ended."""
    many_runs.environment()
    ready.wait()
    while not ended.wait(WRITING_SECONDS):
        numbers = range(counts[number], counts[number] + N_ADDED)
        added(path, numbers, writer=f"writer-{number}", n_suites=N_SUITES_OF_A_MODEL)
        counts[number] += N_ADDED


@contextmanager
def server(path: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Start a server in a process of its own; give it and its host."""
    command = [sys.executable, "-m", "benchmarks.serve", "--be-server", "--store", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own
    try:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        yield process, process.stdout.readline().strip()
    finally:
        process.terminate()
        process.communicate()


def megabytes(pid: int) -> float:
    """Return the memory that a process holds, on Linux."""
    text = Path(f"/proc/{pid}/status").read_text("ascii")
    (line,) = (each for each in text.splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def processor_seconds(pid: int) -> float:
    """Return the processor time that a process has taken, on Linux."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    # Behind the name; of the process and of the kernel for it.
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def print_load(found: Waited) -> None:
    """Print a line a page, and at last what failed and what was held."""
    print(f"{'median':>8} {'95%':>8} {'longest':>8}  ms")
    every = [each for own in found.milliseconds.values() for each in own]
    for name, own in {**found.milliseconds, "all": every}.items():
        if own:
            last = statistics.quantiles(own, n=20)[-1] if len(own) > 1 else own[0]
            print(f"{statistics.median(own):8.0f} {last:8.0f} {max(own):8.0f}  {name} ({len(own)})")
    for line in found.failures[:10]:
        print(line)
    print(f"{len(found.failures)} of {len(every)} requests failed; {found.n_added} runs were added")
    each_ms = 1000 * found.processor_seconds / max(1, len(every))
    print(f"the server took {each_ms:.0f} ms of processor time a request")
    held = [f"{each:,.0f} MB" for each in found.megabytes]
    print(f"{held[0]} before, {held[1]} halfway, {held[2]} at the end")


if __name__ == "__main__":
    main()
