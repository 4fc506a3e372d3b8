"""A run of which a store has everything, of a folder and of the hub's cache, loads no torch."""

import json
from pathlib import Path

import pytest
from tests.cli.samples import suite_value
from tests.cli.watched import COMPUTING, Watched
from tests.models.huggingface.opened import FolderOf

pytest.importorskip("transformers")
pytestmark = pytest.mark.full


def test_a_hugging_face_model(
    tmp_path: Path, tiny_folder: FolderOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite_file = tmp_path / "agreement.json"
    suite_file.write_text(json.dumps(suite_value()))
    # A folder, and the same in the hub's cache.
    cached = tmp_path / "hub" / "models--wren--tiny"
    commit = "0123456789" * 4
    (cached / "refs").mkdir(parents=True)
    (cached / "refs" / "main").write_text(commit)
    (cached / "snapshots").mkdir()
    (cached / "snapshots" / commit).symlink_to(tiny_folder("gpt2"), target_is_directory=True)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    for name in (tiny_folder("gpt2"), "wren/tiny"):
        command = ("run", f"huggingface://{name}", suite_file, "--format", "json-full", "--offline")
        first, second = (Watched(*command) for _ in range(2))
        assert first.computing == {*COMPUTING}
        assert second.computing == set()
        packages = {"numpy", "torch", "transformers", "tokenizers"}
        assert {*second.run["provenance"]["packages"]} == packages
        assert second.run == first.run
