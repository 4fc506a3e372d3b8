"""What commands print of data/: `python -m tests.earlier.printed` writes printed/ anew.

Each file has commands of one kind, one after another as on a terminal: what they print, then what
they say on standard error, then how they end if it is not well. Of plots it has the rows.
"""

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.earlier.numbers import STEPS
from tests.earlier.running import DATA, HERE, pommel, standing_in

PRINTED = HERE / "printed"
_OURS = "--source pommel --score all --policy oov=keep"
_STEP = "ngram://text/step144.arpa?reader=python"

# File -> commands. One that begins with "plot" is `report --plot`.
COMMANDS = {
    "runs": [
        "runs list --source pommel",
        "runs list --source theirs --suite *-far --format csv",
        "runs list --model en-gpt2 --suite number_prep --format json",
        "runs show f4a5b8518308",
        "runs show 742c --format json",
        "runs show 742c --format json-full",
        "runs show dead",
        "runs gc --dry-run",
        "runs delete --model en-ngram",
    ],
    "run": [
        f"run {_STEP} suites/number_simple.json suites/number_prep.json",
        f"run {_STEP} suites/number_simple.json --format csv",
        f"run {_STEP} suites/number_simple.json --format csv --table predictions",
        f"run {_STEP} suites/number_simple.json --format tsv --table regions",
        f"run {_STEP} suites/number_simple.json --format csv --table tokens",
        f"run {_STEP} suites/number_simple.json --score each --format json --table suites",
        f"run {_STEP} suites/number_simple.json --compat syntaxgym",
        f"run {STEPS} suites/number_simple.json --fail-under 0.5 --eos always",
        f"run {_STEP} broken.json",
        "run builtin://en-gtp2 suites/number_simple.json",
    ],
    "evaluate": [
        "evaluate evaluated.json",
        "evaluate evaluated.json --compat syntaxgym",
        "evaluate evaluated.json --format csv --table suites",
        "runs evaluate --model en-gpt2 --suite number_* --score each",
        "runs evaluate --model en-ngram --suite number_simple --suite-file doubtful.json",
        f"surprisals {_STEP} suites/number_simple.json --format csv",
    ],
    "stats_accuracy": [
        f"stats accuracy {_OURS}",
        f"stats accuracy {_OURS} --by prediction --model *step* --format csv",
        "stats accuracy --source theirs --by circuit",
        "stats accuracy --source theirs --by language --format csv",
        "stats accuracy --source theirs --source published --by model --interval exact",
        "stats accuracy",
    ],
    "stats_stability": [
        f"stats stability {_OURS}",
        "stats stability --source theirs --format csv",
    ],
    "stats_complexity": [
        f"stats complexity {_OURS}",
        "stats complexity --source theirs --pool family --format csv",
        "stats complexity --source theirs --pool all --format csv --table trends",
        "stats complexity --source theirs --pool all --difference en-far en-near",
    ],
    "stats_scaling": [
        "stats scaling --source theirs",
        "stats scaling --source theirs --by language --x log --format csv",
        "stats scaling --source theirs --by all --table points --format csv",
    ],
    "stats_training": [
        f"stats training {_OURS}",
        f"stats training {_OURS} --by circuit --format csv",
        f"stats training {_OURS} --by all --table points",
    ],
    "stats_correlate": [
        "stats correlate --source theirs --with languages.csv",
        "stats correlate --source theirs --with languages.csv --coefficient pearson --format csv",
        "stats correlate --source theirs --with languages.csv --pool all --table pairs",
    ],
    "stats_auc": [
        f"stats auc {_OURS}",
        "stats auc --suite arguments --format csv",
        "stats auc --suite arguments --table orders --normalise slor --unigram articles",
        "stats auc --suite arguments --table pairs --normalise length --format csv",
        "stats auc --suite arguments --table features",
    ],
    "stats_items": [
        f"stats items {_OURS} --suite number_prep --model en-*",
        "stats items --model bloom-3b --suite *-far --format json",
    ],
    "stats_mixed": [
        "stats mixed --source theirs --fixed modifier",
        "stats mixed --source theirs --fixed modifier+size_family --random item --format csv",
        "stats mixed --source theirs --fixed modifier+size_family --not-random suite --format csv",
    ],
    "compare": [
        f"compare en-gpt2 en-ngram {_OURS}",
        "compare lstm bloom-3b",
        "compare xglm-564M xglm-1.7B --suite en-* --format csv",
        f"compare en-gpt2 nobody {_OURS}",
    ],
    "report": [
        f"report --table md {_OURS}",
        f"report --table latex --name circuits {_OURS}",
        "report --table md --name predictions --source theirs --suite en-*",
        f"report --table latex --name accuracy --suite number_* {_OURS}",
        "report --table md --name comparison --model xglm-*",
        f"report --table md --name stability {_OURS}",
        "report --table csv --name stability --source theirs",
        f"report -o report.html {_OURS}",
    ],
    "plots": [
        f"plot regions --suite number_simple --model en-gpt2 {_OURS}",
        f"plot circuits {_OURS}",
        "plot heat-map --source theirs --suite en-*",
        f"plot stability {_OURS} --suite number_*",
        "plot scaling --source theirs --suite en-*",
        f"plot training {_OURS} --suite number_*",
        "plot complexity --source theirs --model bloom-*",
        "plot auc --suite arguments",
    ],
    "leaderboard": [
        "leaderboard show board",
        "leaderboard show board --format csv",
        "leaderboard verify board",
        "leaderboard verify board ffff",
        "leaderboard add board gpt2.pommel.zip --by X",
        "leaderboard add board broken.json --by X",
    ],
    "suites": [
        "suites list suites",
        "suites list suites:en --by circuit",
        "suites list suites:en/agreement --format markdown",
        "suites show suites/npi_src_any.json",
        "suites preview suites/number_simple.json --item 1",
        "suites check doubtful.json",
        "suites check suites doubtful.json --format json --pedantic",
        "suites check broken.json",
        "validate suites broken.json",
    ],
    "others": [
        f"conditional {_STEP} pairs.tsv",
        f"conditional {_STEP} pairs.tsv --format csv",
        "import-results theirs.csv --dry-run",
        "import-results shares.csv --name again --items 40 --format csv",
        "import-results languages.csv",
        "models show ngram://text/step12.arpa?reader=python",
        f"tokenize {_STEP} sentences.txt",
        f"unkify {_STEP} sentences.txt",
        f"get-surprisals {_STEP} sentences.txt",
        "no-such-command",
    ],
}


def transcript(name: str) -> str:
    """Return what the commands of a file write in a copy of data/."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "data"
        shutil.copytree(DATA, copy)
        with standing_in(copy):
            return "\n".join(_printed(line) for line in COMMANDS[name])


def _printed(line: str) -> str:
    arguments = line.split()
    if plot := arguments[0] == "plot":
        arguments = ["report", "--plot", *arguments[1:], "-o", "plot.json"]
    outcome = pommel(*arguments)
    text = outcome.stdout
    if plot and outcome.status == 0:
        text += "\n".join(_of_plot(json.loads(Path("plot.json").read_text("utf-8")))) + "\n"
    said = "".join(f"! {each}\n" for each in outcome.stderr.splitlines())
    ended = f"[exit status {outcome.status}]\n" if outcome.status else ""
    return f"$ pommel {' '.join(arguments)}\n{text}{said}{ended}"


def _of_plot(chart: Any) -> Iterator[str]:
    """Yield what a plot shows of what, and every row of its data."""
    yield from _marks(chart)
    # The names of data sets depend on Altair.
    for rows in chart["datasets"].values():
        yield ",".join(rows[0])
        yield from (",".join(map(json.dumps, row.values())) for row in rows)


def _marks(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "mark" in value:
            fields = {
                channel: each.get("field", each.get("value"))
                for channel, each in value.get("encoding", {}).items()
                if isinstance(each, dict)
            }
            kind = value["mark"]["type"] if isinstance(value["mark"], dict) else value["mark"]
            yield f"{kind}: {json.dumps(fields)}"
        for key, each in value.items():
            if key not in ("config", "datasets"):
                yield from _marks(each)
    elif isinstance(value, list):
        for each in value:
            yield from _marks(each)


_NUMBER = re.compile(r"-?\d+\.\d{7,}(?:e-?\d+)?|-?\d(?:\.\d+)?e-\d+")


def parts(text: str) -> tuple[list[str], list[float]]:
    """Take the numbers of many digits out of a text, whose last ones depend on the machine."""
    return _NUMBER.split(text), [float(each) for each in _NUMBER.findall(text)]


def write() -> None:
    """Write all of them."""
    PRINTED.mkdir(exist_ok=True)
    for name in COMMANDS:
        (PRINTED / f"{name}.txt").write_text(transcript(name), encoding="utf-8")


if __name__ == "__main__":
    write()
