"""Every command, with text of strangers in suites, models, stores, boards and files.

Escape sequences are in every field that may hold them. What people are shown has none of them, on
a terminal or in a pipe; data in a pipe have what was there.
"""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from tests.cli.samples import suite_value
from tests.cli.terminal import Screen, all_commands, called

STEERS = ("\x1b]0;evil\x07", "\x1b[2J", "\x9b31m", "\x1b[31m")
EVIL = f"=e{STEERS[0]}v{STEERS[1]}i{STEERS[2]}l{STEERS[3]}"

# What needs an engine and a training are tested where there is one.
ELSEWHERE = {"image build", "image check", "image new", "train lstm", "train transformer"}
# These print what programs read: in a pipe it is what was there.
DATA = {"convert", "tokenize", "unkify", "get-surprisals", "study run"}
# In capitals: files of the folder, and the text itself. Where a command refuses, it says why.
COMMANDS = {
    "run": ("dummy:// S", "MODEL S --table tokens --format tsv", "S S", "recorded://BROKEN S"),
    "plan make": ("MODEL S", "MODEL S --format json", "dummy:// BROKEN", "EVIL S"),
    "plan status": ("OUT", "BROKEN", "EVIL"),
    "launch local": ("BROKEN -o OUT", "EVIL -o EVIL"),
    "launch slurm": ("BROKEN -o OUT", "EVIL -o EVIL"),
    "launch ray": ("BROKEN -o OUT", "EVIL -o EVIL"),
    "surprisals": ("dummy:// S --format csv", "dummy:// BROKEN"),
    "evaluate": ("SCORED", "SCORED --format csv"),
    "conditional": ("dummy:// TABLE", "dummy:// TABLE --format csv"),
    "score": (
        "dummy:// EVIL",
        "MODEL S --table words",
        "dummy:// BROKEN",
        "dummy:// EVIL --format csv",
    ),
    "runs list": ("--store STORE", "--store STORE --format csv", "--store STORE --suite EVIL"),
    "runs show": ("RUN --store STORE", "EVIL --store STORE"),
    "runs export": ("--store STORE -o OUT", "--store STORE EVIL -o OUT"),
    "runs evaluate": ("--store STORE --score all", "--store STORE --format csv --oov skip"),
    "runs delete": ("--store STORE --suite EVIL", "--store STORE EVIL"),
    "runs gc": ("--store STORE --dry-run",),
    "runs merge": ("STORE --store FILE", "BROKEN --store FILE", "EVIL --store FILE"),
    "runs recover": ("STORE -o FILE", "BROKEN -o FILE"),
    "import-results": ("TABLE --from items --store FILE", "BROKEN --store FILE"),
    "compare": ("dummy EVIL --store STORE", "dummy EVIL --store STORE --format csv"),
    "stats accuracy": (
        "--store STORE",
        "--store STORE --by circuit",
        "--store STORE --by suite --format csv",
        "--store STORE --circuit EVIL",
    ),
    "stats stability": ("--store STORE", "--store STORE --format csv"),
    "stats complexity": ("--store STORE",),
    "stats scaling": ("--store STORE", "--store STORE --format csv"),
    "stats training": ("--store STORE",),
    "stats auc": (
        "--store STORE",
        "--store STORE --format csv",
        "--store STORE --ratings TABLE",
        "--store STORE --ratings EVIL",
    ),
    "stats correlate": ("--store STORE --with TABLE", "--store STORE"),
    "stats regions": ("--store STORE", "--store STORE --format tsv"),
    "stats items": ("--store STORE", "--store STORE --format tsv"),
    "stats mixed": ("--store STORE --fixed suite", "--store STORE --fixed EVIL"),
    "report": (
        "--store STORE --table md",
        "--store STORE --table latex --name circuits",
        "--store STORE --table csv --name predictions",
        "--store STORE --table csv --suite EVIL",
    ),
    "submit": ("--store STORE --by EVIL -o FILE", "--store STORE --by me EVIL -o FILE"),
    "leaderboard init": ("FILE --suites S", "FILE --suites EVIL"),
    "leaderboard add": ("BOARD EVIL", "EVIL EVIL"),
    "leaderboard check": ("BOARD EVIL", "EVIL EVIL --format json"),
    "leaderboard show": ("BOARD", "BOARD --format csv", "OUT"),
    "leaderboard withdraw": ("BOARD EVIL --reason EVIL",),
    "leaderboard verify": ("BOARD", "BOARD EVIL"),
    "leaderboard plan": ("BOARD -o OUT", "BOARD EVIL -o FILE"),
    "leaderboard export": ("BOARD -o OUT",),
    "serve token new": (
        "--desk FILE --name EVIL --scope read",
        "--desk BROKEN --name a --scope keep",
    ),
    "serve token list": ("--desk BROKEN",),
    "serve token revoke": ("1 --desk BROKEN", "EVIL --desk FILE"),
    "generate": ("BROKEN", "EVIL"),
    "convert": ("S", "S --format csv", "BROKEN", "TABLE --from EVIL"),
    "fetch": ("EVIL", "--list"),
    "validate": ("S", "BROKEN", "TABLE", "EVIL"),
    "suites check": ("S", "BROKEN"),
    "suites controls": ("S --text BROKEN", "S --format csv", "EVIL"),
    "suites export": ("EVIL -o OUT", "S -o OUT"),
    "suites list": ("S", "EVIL"),
    "suites new": ("FILE --name EVIL", "EVIL"),
    "suites preview": ("S", "S --plain", "BROKEN", "S --item EVIL"),
    "suites show": ("S", "S --format markdown", "EVIL"),
    "reproduce": (
        "EVIL",
        "clams --dry-run --corpus EVIL=BROKEN",
        "argument-structure --dry-run --ratings EVIL=BROKEN",
    ),
    "study run": ("BROKEN", "STUDY --dry-run"),
    "study copy": ("EVIL OUT",),
    "train ngram": ("BROKEN -o FILE --order 1", "EVIL -o FILE"),
    "models list": ("", "EVIL"),
    "models show": ("EVIL", "MODEL", "huggingface://EVIL"),
    "list": ("--short", "EVIL"),
    "tokenize": ("dummy:// BROKEN", "EVIL BROKEN"),
    "unkify": ("dummy:// BROKEN", "dummy:// EVIL"),
    "get-surprisals": ("dummy:// BROKEN", "EVIL BROKEN"),
    "get-predictions": ("dummy:// BROKEN FILE", "EVIL BROKEN EVIL"),
}


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The folder's files by their names in `COMMANDS`: all that can be hostile is."""
    folder = tmp_path_factory.mktemp("hostile")
    suite = suite_value(EVIL)
    suite["meta"] |= dict.fromkeys(
        ("circuit", "language", "description", "author", "reference", EVIL), EVIL
    )
    suite["region_meta"]["1"] = EVIL
    suite["predictions"][0] |= {"formula": f"(2;%{EVIL}%) < (2;%mismatch%)", "description": EVIL}
    for item in suite["items"]:
        item["conditions"][0]["condition_name"] = EVIL
        item["conditions"][0]["regions"][2]["content"] = f"{EVIL} ."
    made = {name: str(folder / name.lower()) for name in ("S", "STORE", "SCORED", "BOARD")}
    made["S"] += ".json"
    write(made["S"], json.dumps(suite))
    write(folder / "broken", f'{EVIL}\t{{"{EVIL}\n')
    write(folder / "table.csv", f"context,target,{EVIL}\nThe {EVIL},author {EVIL},{EVIL}\n")
    told = json.dumps(EVIL)
    parts = f"[scales.tiny]\nabout = {told}\n[[models]]\nname = 'm'\nreferences = [{told}]\n"
    runs = f"[[runs]]\nmodels = ['m']\nsuites = [{told}]\n"
    write(folder / "study.toml", f"title = 'T'\npaper = 'P'\nabout = {told}\n{parts}{runs}")
    surprisals = ("surprisals", "dummy://", made["S"])
    silently(*surprisals, "--output", made["SCORED"])
    silently(*surprisals, "--format", "jsonl", "--output", folder / "model")
    recorded = (folder / "model").read_text("utf-8")
    write(folder / "model", recorded.replace('"dummy"', json.dumps(EVIL), 1))
    made["MODEL"] = f"recorded://{folder / 'model'}"
    silently("run", "dummy://", made["MODEL"], made["S"], "--store", made["STORE"])
    write(folder / "sound.json", json.dumps(suite_value()))
    silently("leaderboard", "init", made["BOARD"], "--suites", folder / "sound.json")
    for each in Path(made["BOARD"]).glob("*.json*"):
        write(each, each.read_text("utf-8").replace('"board"', json.dumps(EVIL)))
    listed = silently("runs", "list", "--store", made["STORE"], "--format", "json")
    return {
        **made,
        "RUN": json.loads(listed)[0]["run_id"],
        "BROKEN": str(folder / "broken"),
        "TABLE": str(folder / "table.csv"),
        "STUDY": str(folder / "study.toml"),
        "OUT": str(folder / "out"),
        "FILE": str(folder / "gone" / "file.json"),
        "EVIL": EVIL,
    }


def write(path: str | Path, text: str) -> None:
    """Write a file."""
    Path(path).write_text(text, "utf-8")


def silently(*arguments: str | Path) -> str:
    """Return what a command prints; it has to end well."""
    status, shown, said = called(arguments)
    assert status == 0, said
    return shown


@pytest.mark.parametrize("kind", [io.StringIO, Screen])
@pytest.mark.parametrize("command", COMMANDS)
def test_what_strangers_write_steers_no_terminal(
    command: str, kind: type[io.StringIO], places: dict[str, str]
) -> None:
    for given in COMMANDS[command]:
        arguments = [named(each, places) for each in given.split()]
        status, shown, said = called([*command.split(), *arguments], kind)
        assert status != 70, said
        # Otherwise the text would not have been looked at.
        assert "No such option" not in said
        assert "Missing " not in said
        is_data = kind is io.StringIO and command in DATA
        for text in (said, *([] if is_data else [shown])):
            assert [each for each in STEERS if each in text] == [], given


# What these ask is not to be answered from the runs that are here; files, or a suite, are no table.
UNANSWERED = {
    *(f"stats {name}" for name in ("stability", "complexity", "scaling", "training", "auc")),
    *("stats correlate", "stats mixed", "import-results", "leaderboard show"),
    *("runs export", "suites export", "surprisals"),
}


def test_json_of_every_table_has_the_rows_and_columns_of_its_csv(places: dict[str, str]) -> None:
    found = {}
    for path, command in all_commands().items():
        forms = {each for p in command.params for each in getattr(p.type, "choices", ())}
        if not {"csv", "json"} <= forms:
            continue
        for given in COMMANDS[path]:
            bare = [named(each, places) for each in re.sub("--format .*", "", given).split()]
            status, text, _ = called([*path.split(), *bare, "--format", "json"])
            if status == 0 and path not in UNANSWERED:
                shown = called([*path.split(), *bare, "--format", "csv", "--raw"])[1]
                header, *lines = csv.reader(io.StringIO(shown))
                found[path] = rows = json.loads(text)
                assert [[*row] for row in rows] == [header] * len(lines)
                assert {type(each) for row in rows for each in row.values()} <= SCALARS
                break
        assert (path in found) != (path in UNANSWERED), path
    assert len(found) >= 10


SCALARS = {str, int, float, bool, type(None)}


def named(argument: str, places: dict[str, str]) -> str:
    """Return an argument with what a name in it stands for."""
    scheme, separator, name = argument.rpartition("://")
    return f"{scheme}{separator}{places.get(name, name)}"
