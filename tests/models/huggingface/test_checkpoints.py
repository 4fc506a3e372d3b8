"""Checkpoints as one family: from the hub's cache and from folders, one in memory at a time."""

import json
import shutil
import weakref
from pathlib import Path
from typing import Any

import pytest
from tests.builders import suite_value
from tests.models.huggingface.opened import FolderOf

import pommel
from pommel.cli import main
from pommel.errors import ModelNotAvailableError
from pommel.models.huggingface import loading

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
COMMITS = {"step2000": "b" * 40, "step1000": "a" * 40}


def changed_copy(folder: Path, place: Path, seed: int) -> Path:
    """Copy a model and change its weights: what a training does between two checkpoints."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(folder, place)
    torch.manual_seed(seed)
    weights = load_file(place / "model.safetensors")
    changed = {name: each + 0.1 * torch.randn_like(each) for name, each in weights.items()}
    save_file(changed, place / "model.safetensors", metadata={"format": "pt"})
    return place


@pytest.fixture
def runs(tiny_folder: FolderOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with three checkpoints, in a folder that is the working directory."""
    monkeypatch.chdir(tmp_path)
    for step in (1000, 50, 900):
        changed_copy(tiny_folder("gpt2"), tmp_path / "runs" / f"checkpoint-{step}", step)
    return tmp_path / "runs"


@pytest.fixture
def hub(tiny_folder: FolderOf, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of the hub's library that holds two revisions of one model."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    repository = cache / "models--someone--tiny"
    (repository / "refs").mkdir(parents=True)
    for seed, (revision, commit) in enumerate(COMMITS.items()):
        changed_copy(tiny_folder("gpt2"), repository / "snapshots" / commit, seed)
        (repository / "refs" / revision).write_text(commit)


def bits(run: Any) -> list[float]:
    """Return the surprisals of a run's regions."""
    return [float(each) for each in run.to_frame("regions")["sum_bits"]]


@pytest.mark.usefixtures("hub")
def test_revisions_from_the_cache_are_a_family() -> None:
    results = pommel.run("huggingface://someone/tiny@{step2000,step1000}", suite_value())
    assert [run.result.model_name for run in results] == ["tiny@step1000", "tiny@step2000"]
    frame = results.to_frame("suites")
    assert frame[["family", "axis", "axis_value"]].to_numpy().tolist() == [
        ["tiny", "step", 1000],
        ["tiny", "step", 2000],
    ]
    models = [run.result.provenance["model"] for run in results]
    assert [each["revision"] for each in models] == [COMMITS["step1000"], COMMITS["step2000"]]
    assert len({each["fingerprint"] for each in models}) == 2
    # Each has scored with its own weights.
    for run, step in zip(results, (1000, 2000), strict=True):
        (alone,) = pommel.run(f"huggingface://someone/tiny@step{step}", suite_value())
        assert bits(run) == pytest.approx(bits(alone), abs=1e-4)
    first, second = map(bits, results)
    assert first != pytest.approx(second, abs=1e-2)


@pytest.mark.usefixtures("hub")
def test_a_revision_that_is_not_there_does_not_keep_the_others_from_running(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = tmp_path / "suite.json"
    suite.write_text(json.dumps(suite_value()))
    reference = "huggingface://someone/tiny@step{1000..3000..1000}"
    with pytest.raises(SystemExit) as leaving:
        main(["run", reference, str(suite), "--offline", "--format", "csv"])
    assert leaving.value.code == 4
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 3
    lines = printed.err.splitlines()
    failed = "pommel: huggingface://someone/tiny@step3000 failed; going on with the other models"
    assert failed in lines
    assert lines[-2:-1] == ["pommel: 2 of 3 runs are complete"]
    assert "is not in the local cache" in lines[-1]


def test_checkpoints_in_a_folder_are_steps(runs: Path) -> None:
    results = pommel.run("huggingface://runs/checkpoint-*", suite_value())
    assert [run.result.model_name for run in results] == [
        f"runs/checkpoint-{step}" for step in (50, 900, 1000)
    ]
    assert len({run.surprisals.model.fingerprint for run in results}) == 3
    assert len(results.to_frame("families")) == 0
    (alone,) = pommel.run(f"{runs}/checkpoint-900", suite_value())
    assert bits([*results][1]) == pytest.approx(bits(alone), abs=1e-4)


def test_a_checkpoint_without_its_tokenizer(runs: Path) -> None:
    for name in TOKENIZER:
        for checkpoint in runs.iterdir():
            if (checkpoint / name).exists():
                shutil.move(checkpoint / name, runs / name)
    with pytest.raises(ModelNotAvailableError, match="runs/checkpoint-50 has no tokenizer"):
        pommel.run("huggingface://runs/checkpoint-*", suite_value())


@pytest.fixture
def networks(monkeypatch: pytest.MonkeyPatch) -> list[weakref.ref[Any]]:
    """Networks that have been loaded; when one is, those before must be gone."""
    loaded: list[weakref.ref[Any]] = []

    def load_alone(*arguments: Any, **options: Any) -> Any:
        alive = [each() for each in loaded if each() is not None]
        assert not alive, f"{len(alive)} of {len(loaded)} networks are still in memory"
        found = loading.load(*arguments, **options)
        loaded.append(weakref.ref(found.network))
        return found

    monkeypatch.setattr("pommel.models.huggingface.model.load", load_alone)
    return loaded


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("more", [(), ("runs/checkpoint-50/",)])
def test_python_holds_one_model_at_a_time(
    networks: list[weakref.ref[Any]], more: tuple[str, ...]
) -> None:
    results = pommel.run(["huggingface://runs/checkpoint-*", *more], suite_value())
    assert len(results) == len(networks) == 3 + len(more)
    # What was found is kept, and holds no model.
    assert [each() for each in networks] == [None] * len(networks)


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("words", [3, 100])
def test_the_command_holds_one_model_at_a_time_even_if_it_fails(
    networks: list[weakref.ref[Any]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: int,
) -> None:
    good = tmp_path / "good.json"
    good.write_text(json.dumps(suite_value(name="good")))
    long = tmp_path / "long.json"
    item = {name: ("The dog", verb, "x " * words + ".") for name, verb in _VERBS.items()}
    long.write_text(json.dumps(suite_value([item], name="long")))
    status = 0
    try:
        main(["run", "huggingface://runs/checkpoint-*", str(good), str(long), "--format", "csv"])
    except SystemExit as leaving:
        status = int(leaving.code or 0)
    assert len(networks) == 3
    printed = capsys.readouterr()
    n_failed = printed.err.count("going on with the other models")
    assert (status, n_failed) == ((0, 0) if words == 3 else (1, 3))
    assert len(printed.out.splitlines()) == 1 + (6 if words == 3 else 3)


_VERBS = {"match": "barks", "mismatch": "bark"}
