"""The first commands where no extra is installed: neither torch nor what draws plots."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from pommel.errors import PommelError
from pommel.files.shipped import shipped_folder

# Nothing is found, as where nothing is installed; all commands are run in one process.
_PROGRAM = """
import contextlib, io, json, shlex, sys

from importlib.machinery import PathFinder

class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        absent = ("torch", "transformers", "altair", "jinja2", "vl_convert")
        return None if name.partition(".")[0] in absent else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Without
import pommel
from pommel.cli import main

said = []
for line in json.load(sys.stdin):
    out, told, status = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told):
        try:
            main(shlex.split(line))
        except SystemExit as ended:
            status = ended.code or 0
    said.append([status, out.getvalue(), told.getvalue()])
(run,) = pommel.run("builtin://en-gpt2", "suites:number_simple")
said.append(run.result.provenance)
assert not {"torch", "transformers"} & set(sys.modules)
json.dump(said, sys.stdout)
"""
_SUITES = "suites:en/agreement"
_ONE = "suites:number_simple"
_GPT2 = "builtin://en-gpt2"
_EXTRA, _PLOTS = PommelError.install("hf"), PommelError.install("plots")
_DONE = {
    "table": f"run {_GPT2} builtin://en-ngram {_SUITES}",
    "report": "report --table md",
    "again": f"run {_GPT2} {_ONE} --rescore --device auto --batch-tokens 7 --max-memory 1M",
    "corrected": f"run {_GPT2} {_ONE} --boundary corrected --format csv",
    "list": "models list",
    "show": f"models show {_GPT2}",
    "tokenize": f"tokenize {_GPT2} sentences.txt",
    "get": f"get-surprisals {_GPT2} sentences.txt",
    "surprisals": f"surprisals {_GPT2} suite.json",
    "conditional": f"conditional {_GPT2} targets.tsv --format csv",
    "check": f"suites check suite.json --model {_GPT2}",
}
# Command -> exit status and the only line.
_REFUSED = {
    f"run {_GPT2} {_ONE} --device cuda": (
        4,
        f"{_GPT2} on cuda in float32 needs torch and safetensors: {_EXTRA}",
    ),
    f"run {_GPT2} {_ONE} --dtype bfloat16": (
        4,
        f"{_GPT2} on cpu in bfloat16 needs torch and safetensors: {_EXTRA}",
    ),
    f"run {_GPT2} {_ONE} --device gpu": (
        2,
        "no such device: 'gpu'; write cpu, cuda, cuda:N, mps or auto",
    ),
    f"run {_GPT2} {_ONE} --method pll": (
        1,
        f"{_GPT2} does not take the method 'pll'; it takes causal",
    ),
    f"run huggingface://gpt2 {_ONE}": (
        4,
        f"huggingface://gpt2 needs the Hugging Face extra: {_EXTRA}",
    ),
    "report --quiet -o page.html": (
        1,
        f"pages need the plots extra: {_PLOTS}; `pommel report --table md` needs none",
    ),
    f"run lstm://here {_ONE}": (4, f"lstm://here needs torch and safetensors: {_EXTRA}"),
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, tuple[int, str, str]]:
    """What each command ends with, prints and tells; "provenance" has that of a run in Python."""
    folder = tmp_path_factory.mktemp("first")
    (folder / "sentences.txt").write_text("The dogs bark .\n")
    (folder / "targets.tsv").write_text("context\ttarget\nThe dogs\tbark\n")
    suite = shipped_folder("suites") / "en" / "agreement" / "number_simple.json"
    (folder / "suite.json").write_bytes(suite.read_bytes())
    settings = os.environ | {"POMMEL_STORE": str(folder / "store.sqlite"), "COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=json.dumps([*_DONE.values(), *_REFUSED]),
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=settings,
    )
    assert done.returncode == 0, done.stderr
    return dict(zip([*_DONE, *_REFUSED, "provenance"], json.loads(done.stdout), strict=True))


def test_the_table_of_the_readme(
    said: Mapping[str, tuple[int, str, str]], repository: Path
) -> None:
    status, printed, _ = said["table"]
    table = [line.strip() for line in printed.splitlines()]
    shown = (repository / "README.md").read_text(encoding="utf-8").splitlines()
    assert status == 0
    assert table[0] == "SG scores (all predictions of a suite hold)"
    assert [line for line in table if line not in [each.strip() for each in shown]] == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("again", "│ 1.00 [0.86, 1.00] │"),
        ("report", "**SG scores (all predictions of a suite hold)**"),
        ("corrected", "number_simple"),
        ("list", "builtin://en-gpt2"),
        ("show", "arithmetic       numpy"),
        ("tokenize", "The Ġdo g s Ġbar k Ġ."),
        ("get", "sentence_id\ttoken_id\ttoken\tsurprisal\n1\t1\tThe\t0.0\n1\t2\tĠdo\t17.5666"),
        ("surprisals", '"metric_value"'),
        ("conditional", "The dogs,bark,6.8"),
        ("check", "suite.json: clean: 24 items x 4 conditions, 1 prediction"),
    ],
)
def test_what_a_causal_model_does(
    said: Mapping[str, tuple[int, str, str]], name: str, expected: str
) -> None:
    status, printed, told = said[name]
    assert (status, told) == (0, "")
    assert expected in printed


@pytest.mark.parametrize("command", _REFUSED)
def test_what_needs_torch_says_how_to_get_it(
    said: Mapping[str, tuple[int, str, str]], command: str
) -> None:
    status, message = _REFUSED[command]
    assert tuple(said[command]) == (status, "", f"pommel: {message}\n")


def test_a_run_says_what_has_computed_it(said: Mapping[str, dict[str, object]]) -> None:
    model = said["provenance"]["model"]
    assert isinstance(model, dict)
    assert (model["device"], model["details"]["arithmetic"]) == ("cpu", "numpy")
    packages = said["provenance"]["packages"]
    assert isinstance(packages, dict)
    assert packages["numpy"] == model["details"]["numpy"]
    assert "torch" not in packages
