"""Every command with sound files, each in a process of its own, in a copy of one folder."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.cli.samples import suite_value

from pommel.store import Store

# All that may be written, by commands that write. RUN and SUBMISSION are ids.
WRITING = (
    "run builtin://en-ngram suites:en/agreement --regions all -o out",
    "surprisals builtin://en-ngram s.json --format csv -o out.csv",
    "conditional builtin://en-ngram pairs.csv -o out.csv",
    "runs export -o out",
    "runs evaluate --score each",
    "runs delete --model dummy --yes",
    "runs gc",
    "runs recover store.sqlite -o new.sqlite",
    "runs merge shards --store new.sqlite",
    "plan make dummy:// s.json -o new.json",
    # Workers that run have folders that are called by their time.
    "launch local plan.json -o launched --dry-run",
    "launch slurm plan.json -o launched --dry-run",
    "launch ray plan.json -o launched --dry-run",
    "import-results items.csv --from items",
    "stats items -o out.csv",
    "stats regions -o out.csv",
    "report -o out.html",
    "submit --model dummy --suite agreement --by me -o out.pommel.zip",
    "leaderboard init other --suites s.json",
    "leaderboard add board second.pommel.zip",
    "serve token new --desk desk.sqlite --name me --scope upload",
    "serve token revoke 1 --desk desk.sqlite",
    "leaderboard withdraw board SUBMISSION --reason wrong",
    "leaderboard verify board --rerun --sample 2",
    "leaderboard plan board -o out --seed 1",
    "leaderboard export board -o out",
    "generate SOURCES/npi_simple_any.template -o out.json",
    "convert s.json --format csv -o out.csv",
    "fetch multilingual --only *.csv -o out",
    "suites export suites:en/agreement -o out",
    (
        "suites new new.json --no-input --condition match --condition mismatch --region subject "
        "--region verb --prediction (2;%match%)<(2;%mismatch%)"
    ),
    "train ngram text.txt -o out.arpa --order 2",
    (
        "train lstm text.txt -o out --epochs 2 --hidden-size 8 --embedding-size 8 --layers 1 "
        "--min-count 1 --keep-checkpoints epoch --seed 1"
    ),
    (
        "train transformer text.txt -o out --epochs 1 --width 4 --heads 1 --layers 1 "
        "--vocabulary-size 300 --seed 1"
    ),
    "study run study.toml -o out",
    "study copy clams out",
    "image new mine",
    "get-predictions builtin://en-gpt2 text.txt out.h5",
)
READING = (
    "reproduce",
    "plan status shards",
    "runs list",
    "runs show RUN",
    "evaluate scored.json",
    "compare dummy en-ngram",
    "stats accuracy",
    "stats stability",
    "stats complexity",
    "stats scaling",
    "stats training",
    "stats auc",
    "stats correlate --with items.csv --key item",
    "stats mixed --fixed suite",
    "leaderboard show board",
    "leaderboard check board second.pommel.zip",
    "leaderboard verify board",
    "fetch --list",
    "validate s.json",
    "suites check s.json",
    "suites controls s.json --text text.txt",
    "suites list",
    "suites preview s.json --plain",
    "suites show s.json",
    "models list",
    "models show builtin://en-ngram",
    "list --short",
    "tokenize builtin://en-ngram text.txt",
    "unkify builtin://en-ngram text.txt",
    "get-surprisals builtin://en-ngram text.txt",
    "score builtin://en-ngram text.txt",
)

# What the folder has before, in this order.
_PREPARED = (
    "run dummy:// s.json",
    "run builtin://en-ngram s.json",
    "surprisals dummy:// s.json -o scored.json",
    "submit --model en-ngram --by me -o first.pommel.zip",
    "submit --model dummy --by me -o second.pommel.zip",
    "leaderboard init board --suites s.json",
    "leaderboard add board first.pommel.zip",
    "serve token new --desk desk.sqlite --name me --scope keep",
    "plan make dummy:// s.json -o plan.json",
    "run --plan plan.json --shard 1/1 -o shards",
)

_TEXT = "".join(
    f"the {noun} {verb} the {other} .\n"
    for noun in ("author", "pilot", "dancer")
    for verb in ("sees", "likes", "knows")
    for other in ("book", "plane", "song")
)
_FILES = {
    "s.json": json.dumps(suite_value()),
    "text.txt": _TEXT,
    "pairs.csv": "context,target\nThe author,sees\nThe pilot,see\n",
    "items.csv": "model,suite,item,correct\nm,s,1,1\nm,s,2,0\n",
    "study.toml": """
        title = "A study"
        paper = "Nobody (2026)"
        scales.tiny.about = "seconds"
        models = [{ name = "ngram", references = ["builtin://en-ngram"] }]
        runs = [{ models = ["ngram"], suites = ["s.json"] }]
    """,
}
_REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder in which commands run, with a store and a home of its own."""

    path: Path

    @classmethod
    def filled(cls, path: Path, prepared: Sequence[str] = _PREPARED) -> Self:
        """Make a folder with all that the commands read, `prepared` by commands."""
        path.mkdir()
        for name, text in _FILES.items():
            (path / name).write_text(text, "utf-8")
        folder = cls(path)
        for command in prepared:
            assert folder.ended(command).returncode == 0, command
        return folder

    def copy(self, path: Path) -> Self:
        """Copy it, in the place of what is there."""
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(self.path, path)
        return type(self)(path)

    def ended(
        self,
        command: str,
        *,
        below: Sequence[str] = (),
        before: Sequence[Path] = (),
        **environment: str,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command, and wait for its end.

        It runs `below` another program, if one is given; folders in `before` come first on the path
        of modules.
        """
        return subprocess.run(
            [*below, sys.executable, "-m", "pommel", *self.words(command)],
            cwd=self.path,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(map(str, [*before, _REPOSITORY / "runner"])),
                "HOME": str(self.path),
                "POMMEL_STORE": "store.sqlite",
                # Of its own: what is known of models by now decides what is read and written.
                "POMMEL_CACHE": str(self.path / ".cache"),
                **environment,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            # A child that ends badly is to leave nothing in our group.
            start_new_session=True,
        )

    def names(self) -> set[str]:
        """Return what is in it, but for the cache and SQLite's own files beside a store."""
        found = {str(path.relative_to(self.path)) for path in self.path.rglob("*")}
        return {
            name
            for name in found
            if not (name.startswith(".cache") or name.endswith(("-wal", "-shm")))
        }

    def words(self, command: str) -> Iterator[str]:
        """Yield the arguments of a command, with the ids that are named."""
        for word in command.split():
            if word == "RUN":
                with Store.open(self.path / "store.sqlite") as store:
                    yield store.runs.records()[0].run_id
            elif word == "SUBMISSION":
                (first, *_) = (self.path / "board" / "submissions").iterdir()
                yield first.name.partition(".")[0]
            else:
                yield word.replace("SOURCES", str(_REPOSITORY / "suites" / "en" / "sources"))
