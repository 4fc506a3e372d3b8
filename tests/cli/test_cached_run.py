"""A run of which a store has everything opens no model, and comes out as one that has opened it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.samples import Pommel, suite_value
from tests.cli.watched import Watched
from tests.models.ngram.samples import TINY

import pommel as api


@pytest.fixture
def arpa(here: Path) -> str:
    """A reference to a small n-gram model."""
    (here / "tiny.arpa").write_text(TINY)
    return "ngram://tiny.arpa?reader=python"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The ARPA files that have been read since, in order."""
    from pommel.models.ngram import arpa as arpa_files, model

    paths: list[Path] = []

    def watched(path: Path) -> arpa_files.BackoffModel:
        paths.append(path)
        return arpa_files.read_arpa(path)

    monkeypatch.setattr(model, "read_arpa", watched)
    return paths


@pytest.mark.parametrize("command", ["run", "surprisals"])
def test_a_model_is_opened_once(
    pommel: Pommel, suite_file: Path, arpa: str, read: list[Path], command: str
) -> None:
    first = pommel(command, arpa, suite_file)
    assert first.status == 0
    assert len(read) == 1
    assert pommel(command, arpa, suite_file) == first
    assert len(read) == 1


def test_what_it_reads_and_loads(here: Path) -> None:
    command = ("run", "builtin://en-ngram", "number_prep", "--store", here / "store")
    first, again = Watched(*command), Watched(*command)
    assert first.stdout == again.stdout
    assert not {"importlib.metadata", "pandas", "pommel.models.ngram.model"} & {*again.modules}
    assert sum(Path(each).name == "index.jsonl" for each in again.files) == 1
    assert again.started == []


@pytest.mark.parametrize("option", ["--no-store", "--rescore", "--device=auto"])
def test_it_is_opened_again_where_that_is_asked_for(
    pommel: Pommel, suite_file: Path, arpa: str, read: list[Path], option: str
) -> None:
    first = pommel("run", arpa, suite_file)
    assert pommel("run", arpa, suite_file, option) == first
    assert len(read) == 2


def test_it_is_opened_for_what_the_store_lacks(
    pommel: Pommel, here: Path, suite_file: Path, arpa: str, read: list[Path]
) -> None:
    pommel("run", arpa, suite_file)
    other = here / "other.json"
    other.write_text(json.dumps(suite_value("other", n_items=4)))
    both = pommel("run", arpa, suite_file, other)
    assert len(read) == 2
    assert pommel("run", arpa, suite_file, other, "--no-store").stdout == both.stdout


def test_a_changed_file_is_another_model(
    pommel: Pommel, here: Path, suite_file: Path, arpa: str
) -> None:
    rows = []
    for text in (TINY, TINY.replace("-2.0\t<unk>", "-2.5\t<unk>"), TINY):
        (here / "tiny.arpa").write_text(text)
        outcome = pommel("surprisals", arpa, suite_file)
        assert outcome.status == 0
        assert outcome.stdout == pommel("surprisals", arpa, suite_file, "--no-store").stdout
        rows.append(outcome.stdout)
    assert rows[0] == rows[2] != rows[1]


def test_another_model_behind_the_same_sizes_and_times(
    pommel: Pommel, here: Path, suite_file: Path, arpa: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pommel.models.remembered._seen", lambda _place: "always the same")
    first = pommel("run", arpa, suite_file)
    (here / "tiny.arpa").write_text(TINY.replace("-2.0\t<unk>", "-2.5\t<unk>"))
    # Of what is kept nobody can tell.
    assert pommel("run", arpa, suite_file) == first
    other = here / "other.json"
    other.write_text(json.dumps(suite_value("other", n_items=4)))
    outcome = pommel("run", arpa, other)
    assert (outcome.status, outcome.stdout) == (1, "")
    assert outcome.stderr == (
        f"pommel: {arpa}: it is another model than its files' sizes and times say, and what was "
        "known of it is forgotten now; run it again\n"
    )
    again = pommel("run", arpa, other)
    assert again == pommel("run", arpa, other, "--no-store")
    assert again.status == 0


def test_a_family_of_which_all_is_known(
    pommel: Pommel, here: Path, suite_file: Path, read: list[Path]
) -> None:
    (here / "family").mkdir()
    for step in range(5):
        text = TINY.replace("-0.75\tdog", f"-0.{step}\tdog")
        (here / "family" / f"step-{step}.arpa").write_text(text)
    first = pommel("run", "ngram://family/step-*?reader=python", suite_file)
    assert len(read) == 5
    assert pommel("run", "ngram://family/step-*?reader=python", suite_file) == first
    # One more checkpoint is one more to open.
    (here / "family" / "step-5.arpa").write_text(TINY)
    pommel("run", "ngram://family/step-*?reader=python", suite_file)
    assert len(read) == 6


def test_in_python_too(here: Path, suite_file: Path, arpa: str, read: list[Path]) -> None:
    frames = [
        api.run(arpa, suite_file, store=here / "store.sqlite").to_frame("predictions")
        for _ in range(2)
    ]
    assert frames[0].equals(frames[1])
    assert len(read) == 1
    api.run(arpa, suite_file)
    assert len(read) == 2


def test_nothing_that_computes_is_loaded(suite_file: Path, own_store: Path) -> None:
    command = ("run", "builtin://en-gpt2", suite_file, "--format", "json-full")
    first, second = (Watched(*command) for _ in range(2))
    assert first.computing == {"safetensors", "pommel.models.neural.network"}
    assert second.computing == set()
    # Packages that have computed the numbers are told as if they were loaded.
    assert "tokenizers" in first.modules
    assert "tokenizers" not in second.modules
    assert {*second.run["provenance"]["packages"]} == {"numpy", "tokenizers"}
    assert second.run == first.run
    # The weights, and what else is large, are not read either.
    weights = [path for path in second.files if path.endswith(".safetensors")]
    assert weights == []
    assert own_store.exists()


@pytest.mark.full
def test_two_processes_at_once(suite_file: Path, own_store: Path) -> None:
    command = [sys.executable, "-m", "pommel", "run", "builtin://en-gpt2", str(suite_file)]
    pair = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
    said = {process.communicate()[0] for process in pair}
    assert [process.returncode for process in pair] == [0, 0]
    assert len(said) == 1
    assert Watched("run", "builtin://en-gpt2", suite_file).computing == set()
    assert len([*own_store.with_name("cache").glob("models/*")]) == 1
