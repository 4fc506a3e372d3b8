"""Files of every kind that commands read, changed at random: no traceback, hang, or great memory.

    python -m tests.crashes.mutated_inputs [--inputs 300000] [--seed 0] [--jobs 2] [--keep FOLDER]

Each input is a sound file in which bytes were flipped, cut out, repeated, moved, or replaced by
what readers stumble over. Commands read it in one process, a thousand after one another. A bug is
a command that ends with exit status 70, one that takes more than 10 s of the processor, and one
that runs out of 1 GiB of memory beyond what the process has at the beginning. Prints how many
commands ended in which way, and each bug, whose input `--keep` keeps.
"""

import argparse
import collections
import io
import json
import random
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from tests.cli.samples import arpa, suite_value
from tests.cli.terminal import OutputStream, called

MOST_SECONDS = 10
MOST_BYTES = 1 << 30
# Of an input, in bytes: what takes seconds for each million is not what is looked for.
LONGEST = 100_000
BUG = 70

WORDS = (
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\r", b"\x85"),
    *("\u2028".encode(), "\u202e".encode(), b"\x1b[2J", "é".encode(), "e\u0301".encode()),
    *(b"null", b"true", b"[]", b"{}", b'""', b"NaN", b"Infinity", b"1e999", b"-0", b"-1", b"0"),
    *(b"9" * 5000, b"1" * 19, b"9223372036854775808", b"1e308", b"0.0000001", b"10000000"),
    *(b"[" * 100_000, b'{"a":' * 2000, b"(" * 3000, b"/" * 3000, b"%" * 99, b"x" * 200_000),
    *(b'"', b"'", b"\\", b"\\u0000", b"\\ud800", b",", b"\t", b"\n", b"\n\n", b" ", b"=1+1"),
    *(b"../", b"/etc/passwd", b"*", b"(?:a+)+$", b"%s", b"{}", b"|", b"->", b":", b"#", b"&"),
)


def mutated(rng: random.Random, content: bytes, other: bytes) -> bytes:
    """Return a content with one to four changes; `other` is what it may be given a part of."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        start = rng.randrange(len(content) + 1)
        end = min(len(content), start + rng.choice((1, 1, 4, 20, 200, 5000)))
        part = content[start:end]
        match rng.randrange(8):
            case 0:
                part = bytes(each ^ (1 << rng.randrange(8)) for each in part[:3]) + part[3:]
            case 1:
                part = b""
            case 2:
                part *= rng.choice((2, 2, 3, 50, 5000)) if len(part) < 300 else 2
            case 3 | 4:
                part = rng.choice(WORDS) + (part if rng.random() < 0.5 else b"")
            case 5:
                place = rng.randrange(len(other) + 1)
                part = other[place : place + rng.choice((5, 50, 500))]
            case 6:
                part = bytes(reversed(part))
            case 7:
                return content[:start]
        content = content[:start] + part + content[end:]
    return content


@dataclass(frozen=True)
class Kind:
    """A sound file, which may stand in a folder with others, and the commands that read it."""

    file: Path
    # FILE is the file, DIR its folder, OUT a file that is not there.
    commands: tuple[str, ...]
    in_folder: bool = False


def sound_inputs(folder: Path) -> dict[str, Kind]:
    """Make a sound file of every kind."""
    suite, store, text = (folder / name for name in ("suite.json", "store.sqlite", "text.txt"))
    value = suite_value(n_items=2)
    value["meta"] |= {"language": "en", "circuit": "agreement", "version": "1.0.0"}
    suite.write_text(json.dumps(value, indent=1), "utf-8")
    text.write_text("The author is good .\nThe pilots are good .\n" * 3, "utf-8")

    def made(name: str, *arguments: str | Path, option: str = "--output") -> Path:
        path = folder / name
        run([*arguments, option, path], must=0)
        return path

    def written(name: str, content: str) -> Path:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, "utf-8")
        return path

    kinds = {
        "suite": Kind(
            suite,
            (
                "validate FILE",
                "suites check FILE",
                "suites preview FILE",
                "run dummy:// FILE --no-store",
                "convert FILE --output OUT.csv",
                "conditional dummy:// FILE",
            ),
        ),
        "evaluated": Kind(
            made("evaluated.json", "surprisals", "dummy://", suite), ("evaluate FILE",)
        ),
        "recorded": Kind(
            made("recorded.jsonl", "surprisals", "dummy://", suite, "--format", "jsonl"),
            (f"run recorded://FILE {suite} --no-store",),
        ),
        "text": Kind(
            text,
            (
                "tokenize dummy:// FILE",
                "get-surprisals dummy:// FILE",
                "train ngram FILE --order 2 --output OUT.arpa",
                "convert FILE --output OUT.json",
                f"suites check {suite} --frequencies FILE",
            ),
        ),
        "contexts": Kind(
            written("contexts.csv", "context,target\nThe author,is good\nThe pilots,are bad\n"),
            ("conditional dummy:// FILE",),
        ),
        "numbers": Kind(
            written("numbers.csv", "model,n,x\ndummy,1,0.5\nother,2,1.5\n"),
            (f"stats correlate --with FILE --key model --value x --store {store}",),
        ),
        "results": Kind(
            written("results.csv", "model,suite,item,result\nm,s,1,1\nm,s,2,0\nn,s,1,1\nn,s,2,1\n"),
            ("import-results FILE --store OUT.sqlite",),
        ),
        "context-free grammar": Kind(
            written(
                "g.cfg", "S -> NP VP\nNP -> 'the' N\nN -> 'dog' | 'cat'\nVP -> 'barks' | 'runs'\n"
            ),
            ("generate FILE", "generate FILE -n 2 --depth 3"),
        ),
    }
    for form in ("csv", "clams", "tsv", "blimp", "gevalm", "multiblimp"):
        ending = "jsonl" if form == "blimp" else "csv" if form == "csv" else "txt"
        pair = ("--grammatical", "match", "--ungrammatical", "mismatch")
        options = () if form == "csv" else pair
        path = made(f"as_{form}.{ending}", "convert", suite, "--format", form, *options)
        kinds[form] = Kind(path, (f"convert FILE --from {form} --output OUT.json",))
    arpa(folder / "model.arpa", {"the": -0.5, "author": -1.0, "is": -0.7}, {"the author": -0.2})
    kinds["arpa"] = Kind(
        folder / "model.arpa", (f"run ngram://FILE?reader=python {suite} --no-store",)
    )
    run(["run", "dummy://", suite, "--store", store], must=0)
    listing = ("list", "list --format csv", "show 1", "export --output OUT", "evaluate", "gc")
    kinds["store"] = Kind(
        store,
        (
            *(f"runs {each} --store FILE" for each in listing),
            "stats accuracy --store FILE",
            "stats items --store FILE",
            "report --table md --store FILE",
            f"run dummy:// {suite} --store FILE",
            "runs recover FILE --output OUT.sqlite",
        ),
    )
    board = folder / "board"
    run(["leaderboard", "init", board, "--suites", suite], must=0)
    submission = folder / "mine.pommel.zip"
    run(["submit", "--store", store, "--by", "me", "--output", submission], must=0)
    kinds["submission"] = Kind(submission, (f"leaderboard add {board} FILE --by me",))
    # What is added is the same for each of them.
    run(["leaderboard", "add", board, submission], must=0)
    for name in ("board.json", "ledger.jsonl"):
        kinds[name] = Kind(
            board / name,
            (
                "leaderboard show DIR",
                "leaderboard verify DIR",
                "leaderboard export DIR --output OUT",
            ),
            in_folder=True,
        )
    return kinds


class TooLongError(BaseException):
    """A command has had its time."""


def _interrupted(*_: object) -> None:
    raise TooLongError


def run(
    arguments: Sequence[str | Path],
    *,
    must: int | None = None,
    kind: Callable[[], OutputStream] = io.StringIO,
) -> tuple[int | str, str]:
    """Run a command here; return its exit status ("hang" if it takes too long), and its stderr."""
    signal.signal(signal.SIGPROF, _interrupted)
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        status, _, said = called(arguments, kind)
    except TooLongError:
        return "hang", ""
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    assert must is None or status == must, said
    return "memory" if status == 1 and "out of memory" in said else status, said


@contextmanager
def limited_memory() -> Iterator[None]:
    """Let the process have so much more than it has."""
    n_pages = int(Path("/proc/self/statm").read_text("utf-8").split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    most = n_pages * resource.getpagesize() + MOST_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def bugs(
    n_inputs: int, seed: int, counts: "collections.Counter[str]"
) -> Iterator[tuple[str, bytes]]:
    """Yield what went wrong, and with which input; `counts` is told of all commands."""
    rng = random.Random(seed)  # noqa: S311 - no secrets
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "sound").mkdir()
        kinds = sound_inputs(folder / "sound")
        contents = {name: kind.file.read_bytes() for name, kind in kinds.items()}
        with limited_memory():
            for number in range(n_inputs):
                name = rng.choice(list(kinds))
                kind = kinds[name]
                other = rng.choice(list(contents.values()))
                content = mutated(rng, contents[name], other)[:LONGEST]
                here = folder / "mutated"
                shutil.rmtree(here, ignore_errors=True)
                if kind.in_folder:
                    shutil.copytree(kind.file.parent, here)
                else:
                    here.mkdir()
                path = here / kind.file.name
                path.write_bytes(content)
                command = rng.choice(kind.commands)
                values = {"FILE": str(path), "DIR": str(here), "OUT": str(here / "out")}
                for key, value in values.items():
                    command = command.replace(key, value)
                status, said = run(command.split())
                counts[f"{status}"] += 1
                if status in (BUG, "hang", "memory"):
                    what = said.replace(str(folder), "")[:300]
                    yield f"{number} {name}: {command}: {status}: {what}", content


def _bugs_of_seed(n_inputs: int, seed: int) -> tuple[list[tuple[str, bytes]], dict[str, int]]:
    counts: collections.Counter[str] = collections.Counter()
    return list(bugs(n_inputs, seed, counts)), dict(counts)


def _print_bugs() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=300_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first thousand")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    chosen = parser.parse_args()
    seeds = range(chosen.seed, chosen.seed + max(1, chosen.inputs // 1000))
    sizes = [min(1000, chosen.inputs)] * len(seeds)
    total: collections.Counter[str] = collections.Counter()
    # A process that has had thousands of commands has less memory left for the next.
    with ProcessPoolExecutor(chosen.jobs, get_context("spawn"), max_tasks_per_child=1) as pool:
        found = pool.map(_bugs_of_seed, sizes, seeds)
        for seed, (of_seed, counts) in zip(seeds, found, strict=True):
            total.update(counts)
            for number, (bug, content) in enumerate(of_seed):
                sys.stdout.write(f"{seed} {bug}\n")
                sys.stdout.flush()
                if chosen.keep:
                    (chosen.keep / f"{seed}-{number}").write_bytes(content)
    sys.stdout.write(f"{dict(total)}\n")


if __name__ == "__main__":
    _print_bugs()
