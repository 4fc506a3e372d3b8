"""From a reference to a folder: names, revisions, the hub's cache, and what the hub refuses."""

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.models.huggingface.opened import FolderOf, refusal, to_pickle

from pommel.errors import ModelNotAvailableError
from pommel.models.huggingface import model as huggingface
from pommel.models.huggingface.files import find_place, find_source
from pommel.models.model import LoadOptions

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


# --- references


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "'' is neither a folder nor a name on the Hugging Face hub"),
        ("gpt2@", "'gpt2@' is neither a folder nor a name on the Hugging Face hub"),
        ("a b", "'a b' is neither a folder nor a name on the Hugging Face hub"),
        ("./nowhere", "there is no folder nowhere"),
        ("/no/where", "there is no folder /no/where"),
        ("a/b/c", "there is no folder a/b/c"),
    ],
)
def test_references_that_name_nothing(body: str, message: str) -> None:
    with pytest.raises(ModelNotAvailableError) as caught:
        find_source(body, LoadOptions(offline=True))
    assert str(caught.value).startswith(message)


def test_a_folder_wins_over_a_revision_and_over_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("model@v1", "gpt2"):
        (tmp_path / name).mkdir()
        folder, called = find_source(name, LoadOptions(offline=True))
        assert (folder.resolve(), called) == (tmp_path / name, name)
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelNotAvailableError, match=r"file is a file; a model is a folder$"):
        find_source("file", LoadOptions())
    with pytest.raises(ModelNotAvailableError) as caught:
        find_source("gpt2@main", LoadOptions())
    assert str(caught.value) == (
        "gpt2 is a folder, and folders have no revisions; write huggingface://gpt2"
    )


COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize("revision", ["", "@main", f"@{COMMIT}"])
def test_a_model_from_the_cache(tiny_folder: FolderOf, cache: Path, revision: str) -> None:
    repository = cache / "models--someone--tiny"
    shutil.copytree(tiny_folder("gpt2"), repository / "snapshots" / COMMIT)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT)
    info = huggingface.open_model(
        f"huggingface://someone/tiny{revision}", LoadOptions(offline=True)
    ).info
    assert (info.name, info.revision) == ("tiny", COMMIT)


def test_the_place_of_a_model(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a folder, or the commit that a name has come to; to find it, nothing is loaded."""
    assert find_place(f"huggingface://{tmp_path}", LoadOptions()) == tmp_path
    repository = cache / "models--someone--tiny"
    snapshot = repository / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (snapshot / "model.safetensors").write_text("")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT)
    offline = LoadOptions(offline=True)
    for revision in ("", "@main", f"@{COMMIT}"):
        assert find_place(f"huggingface://someone/tiny{revision}", offline) == snapshot
    with pytest.raises(ModelNotAvailableError, match=r"^huggingface://nobody/x: 'nobody/x' is not"):
        find_place("huggingface://nobody/x", offline)
    # Without what loads it nothing is downloaded.
    monkeypatch.setitem(sys.modules, "transformers", None)
    assert find_place("huggingface://nobody/x", LoadOptions()) is None


@pytest.mark.usefixtures("cache")
def test_a_model_that_is_not_in_the_cache() -> None:
    import huggingface_hub.constants

    assert refusal("someone/tiny", offline=True) == (
        f"'FOLDER' is not in the local cache ({huggingface_hub.constants.HF_HUB_CACHE}) and "
        f"downloads are off; load it once with a connection, without --offline"
    )


def test_a_cached_model_without_safe_weights(tiny_folder: FolderOf, cache: Path) -> None:
    repository = cache / "models--someone--tiny"
    folder = Path(shutil.copytree(tiny_folder("gpt2"), repository / "snapshots" / COMMIT))
    to_pickle(folder)
    reference = f"someone/tiny@{COMMIT}"
    assert refusal(reference, offline=True) == (
        "it has no weights as model.safetensors; "
        "only safetensors are read unless --allow-pickle is given"
    )
    huggingface.open_model(
        f"huggingface://{reference}", LoadOptions(offline=True, allow_pickle=True)
    )
    (folder / "pytorch_model.bin").unlink()
    assert refusal(reference, offline=True, allow_pickle=True) == (
        "it has no weights (model.safetensors or pytorch_model.bin)"
    )


def test_only_what_is_needed_is_downloaded(
    tiny_folder: FolderOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def snapshot_download(name: str, **options: Any) -> str:
        asked.append((name, options["revision"], options["allow_patterns"]))
        assert options["ignore_patterns"] == ["*/*"]
        return os.fspath(tiny_folder("gpt2"))

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    find_source("someone/tiny@v1", LoadOptions())
    find_source("tiny", LoadOptions(trust_remote_code=True))
    small = ["*.json", "*.txt", "*.model", "*.tiktoken", "*.codes"]
    small += ["*.spm", "*.tokenizer", "*.bpe"]
    assert asked == [
        ("someone/tiny", "v1", small),
        ("someone/tiny", "v1", ["model.safetensors"]),
        ("tiny", None, [*small, "*.py"]),
        ("tiny", None, ["model.safetensors"]),
    ]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("GatedRepoError", "its authors ask you to accept terms on its page first; "),
        ("RepositoryNotFoundError", "the Hugging Face hub has no model 'a/b', or you may not "),
        ("RevisionNotFoundError", "the model 'a/b' has no revision 'v1'"),
        ("LocalEntryNotFoundError", "'a/b' is not in the local cache"),
    ],
)
def test_what_the_hub_refuses(error: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.errors

    kind = getattr(huggingface_hub.errors, error)

    def snapshot_download(*_args: Any, **_options: Any) -> str:
        # These errors cannot be made without an answer of the server.
        raise kind.__new__(kind)

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    assert refusal("a/b@v1").startswith(message)


def test_a_download_that_fails_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    def snapshot_download(*_args: Any, **_options: Any) -> str:
        raise OSError("disk full\nand more")

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    assert refusal("a/b") == "the download failed: disk full"
