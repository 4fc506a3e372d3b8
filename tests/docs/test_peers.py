"""What docs/coming-from.md shows of other programs is what they do."""

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.docs.pages import REPOSITORY, page_of
from tests.docs.prepared import EN_GPT2

import pommel

pytestmark = pytest.mark.full

PAGE = page_of(REPOSITORY / "docs" / "coming-from.md")
Peers = Callable[..., str]


def shown(reason: str) -> str:
    (block,) = (each for each in PAGE.blocks if each.about == f"needs {reason}")
    return block.content


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as the page has it."""
    folder = tmp_path_factory.mktemp("coming")
    shutil.copytree(EN_GPT2, folder / "my-model")
    for block in PAGE.blocks:
        if block.mark == "file":
            (folder / block.about).write_text(block.content, "utf-8")
    return folder


@pytest.fixture(scope="module")
def peers(place: Path) -> Peers:
    """Runs a program of an environment that has both, and what this one has (torch)."""
    venv.create(place / "venv", with_pip=True, symlinks=True)
    python = place / "venv" / "bin" / "python"
    (site,) = (place / "venv").glob("lib/python*/site-packages")
    here = [each for each in sys.path if each.endswith("site-packages")]
    (site / "ours.pth").write_text("".join(f"{each}\n" for each in here))
    packages = ("minicons>=0.3.36", "lm-eval>=0.4.11", "accelerate>=0.26")
    pinned = ("--constraint", REPOSITORY / "constraints.txt")

    def run(*command: str | Path) -> str:
        done = subprocess.run(
            [python, *command],
            cwd=place,
            env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(place / "home")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    run("-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pinned, *packages)
    return run


def test_minicons_says_the_same_bits(place: Path, peers: Peers) -> None:
    (place / "m.py").write_text(shown("minicons"), "utf-8")
    sums, tokens = map(json.loads, _as_json(peers("m.py")))
    sentences = [token_texts[1:] for token_texts in tokens]
    scores = pommel.score(
        f"huggingface://{place / 'my-model'}",
        ["The teacher near the boys is here .", "The teacher near the boys are here ."],
    )
    wholes = [sentence.surprisal_bits for sentence in scores.wholes()]
    assert sums == pytest.approx(wholes, abs=1e-3)
    for theirs, ours in zip(sentences, scores.sentences, strict=True):
        # Theirs begins with the mark, which has no surprisal.
        assert [name for name, _ in theirs] == [each.text for each in ours.tokens]
        bits = [each.surprisal_bits for each in ours.tokens]
        assert [bit for _, bit in theirs] == pytest.approx(bits, abs=1e-4)


def _as_json(printed: str) -> Sequence[str]:
    """Return the lines of what it prints of Python's lists, tuples and texts as JSON."""
    lines = [line for line in printed.splitlines() if line.startswith("[")]
    return [re.sub(r"'", '"', line).replace("(", "[").replace(")", "]") for line in lines]


def test_lm_evaluation_harness_says_the_same_accuracy(peers: Peers) -> None:
    command = shown("lm-evaluation-harness").split()
    assert command[0] == "lm_eval"
    printed = peers("-m", *command)
    (row,) = (line for line in printed.splitlines() if line.startswith("|my_pairs"))
    assert "|acc|" in row.replace(" ", "")
    assert re.search(r"\|\s*1\|±", row)
