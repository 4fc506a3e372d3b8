"""Command lines drawn at random, over all commands and options, with files that are hostile.

    python -m tests.crashes.command_lines [--lines 1500] [--seed 0]

Each command is drawn as often as any other, and of each command each option in turn, with what its
type allows, with what its type refuses, and with what only looks like a value. Commands run in this
process, with output in one of five encodings; every fifteenth runs in a process of its own, whose
terminal has that encoding, with names that are no text. A bug is an exit status that is not
documented (70 is pommel's own word for one), a traceback, more than 10 s of the processor or 1 GiB
of memory, and a file that is half there: one with the name of what is being written, or any at all
where the command line was refused. Prints how many ended in which way, and each bug.
"""

import argparse
import collections
import contextlib
import importlib
import json
import os
import random
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from unittest import mock

import click
from tests.cli.terminal import Pipe, all_commands, called
from tests.crashes.mutated_inputs import (
    MOST_BYTES,
    MOST_SECONDS,
    limited_memory,
    run,
    sound_inputs,
)

DOCUMENTED = {0, 1, 2, 3, 4, 5, 130}
WRONG_USAGE = 2
ONE_OF = 15
# Of the clock: some wait, for a reader of a pipe or a server that is not there, and may.
PATIENCE_S = 15

# What the streams of a terminal are, and what makes them so.
ENCODINGS: Mapping[str, Mapping[str, str]] = {
    "utf-8": {"LC_ALL": "C.UTF-8"},
    "ascii": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "latin-1": {"PYTHONIOENCODING": "latin-1", "LC_ALL": "C.UTF-8"},
    "cp1252": {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "LC_ALL": "POSIX"},
    "utf-16-le": {"PYTHONIOENCODING": "utf-16-le", "LC_ALL": "C.UTF-8"},
}

# No suite, whatever they are: names that steer terminals or are no text, what does not end, what
# is not there, cannot be read, leads nowhere or round in circles.
ODD_NAMES = (
    *("new\nline.json", "two words.json", "\x1b[2Jb.json", os.fsdecode(b"\xff\xfe.json")),
    *("-o", "--help", "e\u0301\u202e\u200b.json", "=1+1.csv", "*.json", "{a,b}.json", "%s%n.json"),
)
HOSTILE_PATHS = (
    *ODD_NAMES,
    *("", ".", "..", "-", "~", "missing.json", "empty.json", "folder", "suite.json/x", "new/a/b"),
    *("unreadable.json", "locked", "locked/new", "circle", "nowhere", "fifo", "x" * 300),
    *("/dev/null", "/dev/zero", "/dev/full", "/dev/stdin", "/dev/urandom", "/proc/self/mem"),
    *("x/" * 3000, "/proc/self/maps", "/proc/self/fd", "//", "\udc80"),
)
NUMBERS = (
    *("0", "1", "2", "3", "0.5", "1e-300", "100", "1000000", "-1", "-0", "NaN", "-inf", "1e999"),
    *("9" * 5000, "9223372036854775808", "4294967296", "1_0", "\u0661", "0x10", " 1", "1,5", ""),
)
WORDS = (
    *NUMBERS,
    *("dummy", "sum", "agreement", "en", "match", "mismatch", "author", "all", "none", "m", "s"),
    *(" ", "\n", "=", "x=", "=x", "x=y", "=1+1", "a=1=2", "*", "[", "]", "{", "}", "{a,b}", "%"),
    *("{1..3}", "{1..99999999999}", "{" * 500, "(?:a+)+$", "x" * 50_000, "../..", "1..3", "3..1"),
    *("\x1b[2J", "\udcff", "é", "e\u0301", "\u202e", "\u200b", "\x7f", "<b>", "$(id)"),
    *(
        "memory=1",
        "memory=9999T",
        "time=-1",
        "user=root",
        "match=2",
        "(2;%match%) < (2;%mismatch%)",
    ),
    *("((", "1:2", "0..0", "-5..5", "512M", "cuda:99", "A", "ß", "None", "null", "true"),
)
MODELS = (
    *("dummy://", "dummy://7", "dummy://-1", "dummy://{1,2}", "ngram://model.arpa?reader=python"),
    *("recorded://recorded.jsonl", "recorded://suite.json", "recorded://fifo", "ngram://text.txt"),
    *(
        "builtin://en-ngram",
        "builtin://xx",
        "docker://x",
        "podman://x",
        "apptainer://folder",
        "GRNN",
    ),
    *(
        "huggingface://folder",
        "lstm://suite.json",
        "lstm://folder",
        "dummy",
        "://",
        "x://",
        "dummy:",
    ),
    *("ngram:///dev/zero", "recorded:///dev/zero", "recorded:///dev/null", "ngram://missing.arpa"),
    *("dummy://{1..3}", "recorded://*.jsonl", "ngram://{*}", "http://127.0.0.1:9/v1", "@x", "gpt2"),
)
# For a parameter of this name: what makes the command go on, so that the others are looked at.
SOUND: Mapping[str, Sequence[str]] = {
    "model": ("dummy://", "dummy://", *MODELS[:6]),
    "models": ("dummy://",),
    "suite": ("suite.json", "evaluated.json", "suites:en/agreement", "agreement"),
    "suites": ("suite.json", "evaluated.json", "suites:en/agreement"),
    "a": ("dummy",),
    "b": ("dummy", "m"),
    "circuit": ("agreement",),
    "language": ("en",),
    "policy": ("method=causal", "bos=auto"),
    "max_memory": ("1G",),
    "min_count": ("1",),
    "fixed": ("suite", "item"),
    "random": ("model",),
    "sandbox": ("memory=1G", "network=on"),
    "items": ("1", "1..2"),
    "item": ("1",),
    "build_arg": ("A=1",),
    "submission_id": ("mine",),
    "board": ("board",),
    "folder": ("new-board",),
    "submission": ("mine.pommel.zip",),
    "grammar": ("g.cfg",),
    "text": ("text.txt",),
    "in_file": ("text.txt",),
    "out_file": ("out.hdf5",),
    "damaged": ("store.sqlite",),
    "store": ("store.sqlite",),
    "file": ("suite.json", "contexts.csv", "as_csv.csv", "new.json"),
    "files": ("results.csv",),
    "with": ("numbers.csv",),
    "output": ("out", "out.json", "out.csv", "out.arpa"),
    "name": ("hu2020", "clams", "mine"),
    "source": ("folder", "ngram"),
    "image": ("x",),
    "collection": ("en", "suites:en"),
    "suite_file": ("suite.json",),
}
# What takes long because it was asked for, and what never ends: these are said once, sparingly.
SPARING = {
    "train lstm": ("--epochs", "1", "--hidden-size", "4", "--embedding-size", "4"),
    "train transformer": ("--epochs", "1", "--width", "4", "--heads", "1", "--layers", "1"),
    "leaderboard verify": ("--sample", "1"),
    "reproduce": ("--dry-run",),
    "study run": ("--dry-run",),
}
ENDLESS = {"--watch"}
# What takes paths, and more.
PATHS = {"suites", "suite", "file", "in_file", "source", "submission", "suite_file"}


class Lines:
    """Draws command lines; each command's options come in turn."""

    def __init__(self, seed: int, files: Sequence[str], run_id: str) -> None:
        self.rng = random.Random(seed)  # noqa: S311 - no secrets
        self.paths = (*files, *files, *HOSTILE_PATHS)
        self.commands = {path: each for path, each in all_commands().items() if path != "serve"}
        self.sound = {**SOUND, "run": (run_id,), "runs": (run_id, run_id[:6])}
        self.n_drawn: collections.Counter[str] = collections.Counter()
        # How many of a line's values are odd: where all are, only the first is looked at.
        self.oddness = 0.0

    def draw(self) -> list[str]:
        """Return the next command line."""
        rng = self.rng
        path = min(self.commands, key=lambda each: (self.n_drawn[each], each))
        number = self.n_drawn[path]
        self.oddness = rng.choice((0, 0.1, 0.3, 0.8))
        self.n_drawn[path] += 1
        parameters = self.commands[path].params
        options = [
            each
            for each in parameters
            if isinstance(each, click.Option) and not {*each.opts} & ENDLESS
        ]
        chosen = [options[number % len(options)]] if options else []
        chosen += rng.sample(options, min(len(options), rng.choice((0, 0, 1, 2, 4))))
        chosen += [each for each in options if each.required and rng.random() < 0.95]
        pieces = [self._option(each) for each in chosen]
        for each in parameters:
            if isinstance(each, click.Argument) and rng.random() < 0.97:
                n_values = rng.choice((1, 1, 1, 2, 3)) if each.nargs < 0 else each.nargs
                pieces.append([self._value(each) for _ in range(n_values)])
        if path in SPARING:
            pieces.append([*SPARING[path]])
        rng.shuffle(pieces)
        if rng.random() < self.oddness / 5:
            pieces.insert(rng.randrange(len(pieces) + 1), [rng.choice(("--", "-", "-x", "--no"))])
        if rng.random() < self.oddness / 5:
            pieces.append([rng.choice(WORDS)])
        return [*path.split(), *(part for piece in pieces for part in piece)]

    def _option(self, option: click.Option) -> list[str]:
        rng = self.rng
        name = rng.choice((*option.opts, *option.secondary_opts))
        if option.is_flag:
            return [f"{name}=x"] if rng.random() < self.oddness / 10 else [name]
        if rng.random() < self.oddness / 10:
            return [name]
        values = [self._value(option) for _ in range(option.nargs)]
        written = [f"{name}={values[0]}"] if name[:2] == "--" and len(values) == 1 else []
        once = written if written and rng.random() < 0.5 else [name, *values]
        return once * (2 if rng.random() < 0.05 else 1)

    def _value(self, parameter: click.Parameter) -> str:
        name = max(parameter.opts, key=len).lstrip("-").replace("-", "_")
        if self.rng.random() < self.oddness:
            return self.rng.choice(self._odd(name, parameter))
        return self.rng.choice(self._sound(name, parameter))

    def _odd(self, name: str, parameter: click.Parameter) -> Sequence[str]:
        """Return what a parameter may be given that it does not expect."""
        if self.rng.random() < 0.1:
            return (*WORDS, *self.paths)
        if isinstance(parameter.type, click.Path) or name in PATHS:
            return self.paths
        if parameter.type.name.startswith(("integer", "float")):
            return NUMBERS
        if name == "model":
            return MODELS
        return WORDS

    def _sound(self, name: str, parameter: click.Parameter) -> Sequence[str]:
        """Return what makes the command go on, so that its other values are looked at."""
        kind = parameter.type
        if isinstance(kind, click.Choice):
            return [str(each) for each in kind.choices]
        if isinstance(kind, click.IntRange | click.FloatRange):
            return [f"{kind.min or (0.5 if kind.max == 1 else 2)}"]
        if isinstance(kind, click.Path):
            return self.sound.get(name, self.paths)
        return self.sound.get(name, ("1",) if kind is click.INT else ("sum", "match", "mine"))


def make_hostile(folder: Path) -> None:
    """Put what is odd into a folder of sound files."""
    suite = (folder / "suite.json").read_bytes()
    for name in ODD_NAMES:
        (folder / name).write_bytes(suite)
    (folder / "empty.json").touch()
    (folder / "folder").mkdir()
    (folder / "circle").symlink_to("circle")
    (folder / "nowhere").symlink_to("not-there.json")
    (folder / "unreadable.json").write_bytes(suite)
    (folder / "unreadable.json").chmod(0)
    (folder / "locked").mkdir(mode=0o555)
    # Of which there is one for all lines: someone has to write into it.
    (folder / "fifo").symlink_to("../fifo")


@contextlib.contextmanager
def _fed(fifo: Path, content: bytes) -> Iterator[None]:
    """Give every reader of a pipe the content."""

    def feed() -> None:
        while not has_ended.is_set():
            with contextlib.suppress(OSError), fifo.open("wb") as stream:
                stream.write(content)

    os.mkfifo(fifo)
    has_ended = threading.Event()
    thread = threading.Thread(target=feed, daemon=True)
    thread.start()
    try:
        yield
    finally:
        has_ended.set()
        # The last reader, which the thread waits for.
        os.close(os.open(fifo, os.O_RDONLY | os.O_NONBLOCK))
        thread.join(PATIENCE_S)


@contextlib.contextmanager
def prepared() -> Iterator[tuple[Path, dict[str, str]]]:
    """Give a folder of sound and odd files, and an environment that leads nowhere else."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = Path(place) / "all"
        folder.mkdir()
        sound_inputs(folder)
        environment = {
            "HOME": f"{place}/home",
            "XDG_CACHE_HOME": "",
            "XDG_RUNTIME_DIR": place,
            "TMPDIR": f"{place}/tmp",
            "POMMEL_STORE": "store.sqlite",
            # Nobody answers there.
            "POMMEL_MIRROR": "http://127.0.0.1:9",
            "DOCKER_HOST": f"unix://{place}/no.sock",
            "CONTAINER_HOST": f"unix://{place}/no.sock",
            "HF_HUB_OFFLINE": "1",
        }
        Path(place, "tmp").mkdir()
        yield folder, environment


def ended_here(arguments: Sequence[str], encoding: str) -> tuple[int | str, str]:
    """Run a line in this process."""
    signal.signal(signal.SIGALRM, _waited)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)
    try:
        return run(arguments, kind=partial(Pipe, encoding))
    except WaitedError:
        return "waits", ""
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


class WaitedError(BaseException):
    """A command has not ended, and has not worked either."""


def _waited(*_: object) -> None:
    raise WaitedError


def ended_there(arguments: Sequence[str], encoding: str) -> tuple[int | str, str]:
    """Run a line in a process of its own, in an environment with the encoding."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
        # What Python itself and torch take of addresses is no memory that is used.
        resource.setrlimit(resource.RLIMIT_DATA, (2 * MOST_BYTES, 2 * MOST_BYTES))

    try:
        done = subprocess.run(
            [sys.executable, "-m", "pommel", *map(os.fsencode, arguments)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            env={**os.environ, **ENCODINGS[encoding]},
            timeout=4 * PATIENCE_S,
            preexec_fn=limit,
        )
    except subprocess.TimeoutExpired:
        return "waits", ""
    said = done.stderr.decode(encoding, "replace")
    if done.returncode == -signal.SIGXCPU:
        return "hang", said
    return "traceback" if "Traceback (most" in said else done.returncode, said


def bugs(n_lines: int, seed: int, counts: "collections.Counter[str]") -> Iterator[str]:
    """Yield what went wrong, and with which line; `counts` is told of all of them."""
    # An import that is interrupted would leave half a module to the other commands.
    importlib.import_module("torch._dynamo")
    with prepared() as (sound, environment), mock.patch.dict(os.environ, environment):
        listed = called(["runs", "list", "--format", "json", "--store", sound / "store.sqlite"])[1]
        names = sorted(path.name for path in sound.iterdir())
        lines = Lines(seed, names, json.loads(listed)[0]["run_id"])
        content = (sound / "suite.json").read_bytes()
        here = sound.parent / "here"
        with _fed(sound.parent / "fifo", content), limited_memory():
            for number in range(n_lines):
                # As the files were, for each line.
                shutil.copytree(sound, here)
                make_hostile(here)
                before = {*here.rglob("*")}
                arguments = lines.draw()
                encoding = lines.rng.choice([*ENCODINGS])
                ended = ended_there if number % ONE_OF == 0 else ended_here
                with contextlib.chdir(here):
                    status, said = ended(arguments, encoding)
                counts[f"{status}"] += 1
                new = [each for each in here.rglob("*") if each not in before]
                half = [
                    each.name
                    for each in new
                    if each.name.endswith(".part") or status == WRONG_USAGE
                ]
                if half or status not in {*DOCUMENTED, "waits"}:
                    shown = shlex.join(arguments).encode("utf-8", "backslashreplace").decode()
                    what = f"{status} {half or ''}: {said[:300]}"
                    yield f"{number} {encoding}: {shown[:500]}: {what}"
                shutil.rmtree(here)


def _print_bugs() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--lines", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    for bug in bugs(chosen.lines, chosen.seed, counts):
        sys.stdout.write(f"{bug}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{dict(counts)}\n")


if __name__ == "__main__":
    _print_bugs()
