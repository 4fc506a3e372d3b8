"""Paths that begin with the home of somebody who has none are not found, and no fault of pommel."""

import os

import pytest
from tests.cli.samples import Pommel

SUITE = "agreement.json"
NOBODY = "~pommel-nobody/x"
NO_FOLDER = f"there is no folder {NOBODY}"
NO_FILE = "No such file or directory"

pytestmark = pytest.mark.usefixtures("here", "suite_file")


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        (f"run {NOBODY} {SUITE}", 4, f"unknown model '{NOBODY}'"),
        (f"run huggingface://{NOBODY} {SUITE}", 4, f"huggingface://{NOBODY}: {NO_FOLDER}"),
        (
            f"run huggingface://{NOBODY}@r {SUITE}",
            4,
            f"huggingface://{NOBODY}@r: {NO_FOLDER}",
        ),
        (f"run lstm://{NOBODY} {SUITE}", 4, f"lstm://{NOBODY}: {NO_FOLDER}"),
        (
            f"run ngram://{NOBODY} {SUITE}",
            4,
            f"{NOBODY}: cannot read the n-gram model: {NO_FILE}",
        ),
        (f"run dummy://{NOBODY} {SUITE}", 4, f"dummy://{NOBODY}: {NOBODY}: {NO_FILE}"),
        (f"run recorded://{NOBODY} {SUITE}", 4, f"recorded://{NOBODY}: {NOBODY}: {NO_FILE}"),
        (f"run gpt2 {NOBODY}", 3, f"{NOBODY}: no such file, folder or shipped suite"),
        (f"score dummy:// {NOBODY}.txt", 3, f"{NOBODY}.txt: no such file"),
    ],
)
def test_nobodys_home(pommel: Pommel, command: str, status: int, said: str) -> None:
    done = pommel(*command.split())
    assert done.status == status
    assert done.stderr.startswith(f"pommel: {said}")


def test_a_sentence_may_begin_so(pommel: Pommel) -> None:
    done = pommel("score", "dummy://", "~nobody says so .", "--table", "sentences")
    assert (done.status, done.stderr) == (0, "")


@pytest.mark.parametrize("command", [f"run dummy:// {SUITE}", "runs list", "fetch hu2020"])
def test_without_a_home_a_command_says_what_it_misses(
    pommel: Pommel, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    for name in ("POMMEL_STORE", "POMMEL_CACHE", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    done = pommel(*command.split())
    assert (done.status, done.stdout) == (2, "")
    where = "~/.cache" if command.startswith("fetch") else "~/.local/share"
    assert done.stderr == f"pommel: {where}: there is no home folder; set HOME\n"
