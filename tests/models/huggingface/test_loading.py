"""Which models open, and the one line that each of the others gets."""

import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.models.huggingface.opened import FolderOf, refusal, to_pickle

from pommel.errors import ModelNotAvailableError, PommelError
from pommel.models.huggingface import model as huggingface
from pommel.models.huggingface.files import find_files
from pommel.models.huggingface.loading import load
from pommel.models.model import LoadOptions, Policy, score_all

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

Copy = Callable[[str], Path]


@pytest.fixture
def copy(tiny_folder: FolderOf, tmp_path: Path) -> Copy:
    """Return a function that gives a copy of a tiny model to break."""
    return lambda kind: Path(shutil.copytree(tiny_folder(kind), tmp_path / "model"))


def change_config(folder: Path, **keys: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | keys))


# --- what is missing or broken in a folder


def test_an_empty_folder(tmp_path: Path) -> None:
    assert refusal(tmp_path) == (
        "FOLDER has no config.json; a model's folder holds config.json, model.safetensors "
        "and the tokenizer's files"
    )


def test_no_weights(copy: Copy) -> None:
    folder = copy("gpt2")
    (folder / "model.safetensors").unlink()
    assert refusal(folder) == "FOLDER has no weights (model.safetensors)"


def test_no_tokenizer(tiny_folder: FolderOf, copy: Copy) -> None:
    message = (
        "FOLDER has no tokenizer (tokenizer.json, or what its class needs); copy its files there "
        "(a Trainer leaves them in the folder above its checkpoints)"
    )
    assert refusal(tiny_folder("gpt2-bare")) == message
    folder = copy("gpt2")
    (folder / "tokenizer.json").unlink()
    assert refusal(folder).startswith("FOLDER has no tokenizer ")


@pytest.mark.parametrize(
    ("name", "content", "start"),
    [
        (
            "config.json",
            "{",
            "cannot read FOLDER/config.json: this is not JSON: Expecting property name",
        ),
        ("config.json", "[]", "FOLDER/config.json is not a JSON object"),
        ("tokenizer.json", "{", "FOLDER has no tokenizer that can be read; "),
        (
            "model.safetensors",
            "version https://git-lfs.github.com/spec/v1",
            "the model cannot be loaded; a file of its weights is cut off or damaged (",
        ),
    ],
)
def test_a_broken_file(copy: Copy, name: str, content: str, start: str) -> None:
    folder = copy("gpt2")
    (folder / name).write_text(content)
    assert refusal(folder).startswith(start)


@pytest.mark.parametrize(
    ("keys", "start"),
    [
        ({"n_layer": "two"}, "FOLDER/config.json cannot be used; "),
        (
            {"n_positions": 5},
            "the model cannot be loaded; its weights have other shapes than config.json says; ",
        ),
        (
            {"n_layer": 1},
            "its files have layers that its config.json does not ask for (transformer",
        ),
    ],
)
def test_a_configuration_that_fits_nothing(copy: Copy, keys: dict[str, Any], start: str) -> None:
    folder = copy("gpt2")
    change_config(folder, **keys)
    assert refusal(folder).startswith(start)


def test_files_that_change_while_they_are_read(copy: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = copy("gpt2")

    def changing(*known: Any) -> Any:
        (folder / "model.safetensors").touch()
        return load(*known)

    monkeypatch.setattr(huggingface, "load", changing)
    assert refusal(folder).startswith("model.safetensors has changed while the model was loaded; ")


def test_files_that_change_later_change_no_number(copy: Copy) -> None:
    folder = copy("gpt2")
    model = huggingface.open_folder(folder, reference="x", name="x", options=LoadOptions())
    before = score_all(model, ["I like the dog"], Policy())
    weights = folder / "model.safetensors"
    # In place, as trainers write a checkpoint again.
    with weights.open("r+b") as file:
        file.seek(weights.stat().st_size // 2)
        file.write(bytes(weights.stat().st_size // 2))
    assert score_all(model, ["I like the dog"], Policy()) == before


def test_a_missing_shard_and_an_index_that_leads_elsewhere(copy: Copy) -> None:
    folder = copy("gpt2")
    (folder / "model.safetensors").rename(folder / "a.safetensors")
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"x": "a.safetensors", "y": "b.safetensors"}}))
    assert refusal(folder) == (
        "FOLDER lacks 1 of 2 files of weights (b.safetensors); get the model again"
    )
    for name in ("../secret.safetensors", "evil.bin"):
        index.write_text(json.dumps({"weight_map": {"x": name}}))
        assert refusal(folder) == f"FOLDER/model.safetensors.index.json lists {name!r}"
    index.write_text("{}")
    assert refusal(folder).endswith("lists no files (weight_map)")


def test_a_tokenizer_of_another_model(copy: Copy, tiny_folder: FolderOf) -> None:
    folder = copy("small-gpt2")
    for path in tiny_folder("gpt2").glob("*token*"):
        shutil.copy(path, folder)
    assert re.fullmatch(
        r"its tokenizer has \d{3} tokens, but the model knows only 20; "
        r"the tokenizer belongs to another model",
        refusal(folder),
    )


# --- models of another kind


def test_a_kind_that_the_configuration_tells(copy: Copy) -> None:
    folder = copy("gpt2")
    change_config(folder, model_type="vit")
    assert refusal(folder) == "'vit' is not a language model"


@pytest.mark.timeout(60)  # making them takes minutes
@pytest.mark.parametrize(
    "keys", [{"n_layer": 10_000_000}, {"num_labels": 10_001}, {"text": {"layers": [2, 10**30]}}]
)
def test_counts_that_no_model_has(copy: Copy, keys: dict[str, Any]) -> None:
    folder = copy("gpt2")
    change_config(folder, **keys)
    ((key, value),) = keys.items()
    name = "layers" if isinstance(value, dict) else key
    assert refusal(folder) == (
        f"its config.json asks for more than 10,000 ('{name}'), which no model has"
    )


def test_a_network_that_looks_ahead_is_found_out(
    copy: Copy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path))
    monkeypatch.setattr(sys, "path", [*sys.path])
    folder = copy("gpt2")
    change_config(folder, auto_map={"AutoConfig": "own.Own", "AutoModelForCausalLM": "own.Ahead"})
    change_config(folder, model_type="looks-ahead", architectures=["Ahead"])
    (folder / "own.py").write_text(
        "from transformers import GPT2Config, GPT2LMHeadModel\n"
        "class Own(GPT2Config):\n"
        "    model_type = 'looks-ahead'\n"
        "class Ahead(GPT2LMHeadModel):\n"
        "    config_class = Own\n"
        "    def forward(self, input_ids, **others):\n"
        "        output = super().forward(input_ids, **others)\n"
        "        output.logits = output.logits + output.logits.mean(1, keepdim=True)\n"
        "        return output\n"
    )
    assert "--trust-remote-code" in refusal(folder)
    assert refusal(folder, trust_remote_code=True) == (
        "it is not a causal language model: tokens depend on those that follow"
    )


# --- pickles


def test_pickles_only_with_a_word_of_consent(copy: Copy, tiny_folder: FolderOf) -> None:
    folder = copy("gpt2")
    to_pickle(folder)
    assert refusal(folder) == (
        "its weights are pickles (pytorch_model.bin), which can run any code; "
        "only safetensors are read unless --allow-pickle is given"
    )
    options = LoadOptions(allow_pickle=True)
    pickled = huggingface.open_model(f"huggingface://{folder}", options)
    safe = huggingface.open_model(f"huggingface://{tiny_folder('gpt2')}", options)
    assert score_all(pickled, ["I like"], Policy()) == score_all(safe, ["I like"], Policy())
    assert find_files(tiny_folder("gpt2"), allow_pickle=True).safe
    assert not find_files(folder, allow_pickle=True).safe


# --- what is said of a model


def test_the_description(tiny_folder: FolderOf) -> None:
    folder = tiny_folder("gpt2")
    info = huggingface.open_model(f"huggingface://{folder}/", LoadOptions()).info
    assert (info.kind, info.name, info.revision) == ("huggingface", "gpt2", None)
    assert info.reference == f"huggingface://{folder}/"
    assert (info.n_parameters, info.max_tokens) == (40320, 64)
    assert (info.dtype, info.device) == ("float32", "cpu")
    assert re.fullmatch("[0-9a-f]{64}", info.fingerprint)
    assert info.methods == ("causal",)
    assert info.costly_calls
    assert (info.details["network"], info.details["scoring"]) == ("causal", "prefix tree")
    assert set(info.details) == {
        "architecture",
        "network",
        "scoring",
        "vocabulary_size",
        "tokenizer_hash",
        "arithmetic",
        "transformers",
        "tokenizers",
        "torch",
    }
    assert json.loads(json.dumps(info.to_dict())) == info.to_dict()


def test_the_description_says_why_a_model_takes_no_tree(tiny_folder: FolderOf) -> None:
    ways = {
        kind: huggingface.open_model(
            f"huggingface://{tiny_folder(kind)}", LoadOptions()
        ).info.details
        for kind in ("bloom", "mamba")
    }
    assert ways["bloom"]["scoring"] == "padded batches (prefix tree: it raises ValueError)"
    assert ways["mamba"]["scoring"] == "padded batches (prefix tree: it is recurrent)"


def test_a_folder_under_another_name(tiny_folder: FolderOf) -> None:
    model = huggingface.open_folder(
        tiny_folder("gpt2"), reference="builtin://x", name="x", options=LoadOptions()
    )
    assert (model.info.reference, model.info.name) == ("builtin://x", "x")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_the_fingerprint_is_that_of_the_files(copy: Copy, name: str) -> None:
    folder = copy("gpt2")

    def fingerprint() -> str:
        return find_files(folder, allow_pickle=False).fingerprint("float32")

    before = fingerprint()
    (folder / "README.md").write_text("Nothing that counts.")
    assert fingerprint() == before
    with (folder / name).open("ab") as file:
        file.write(b" ")
    assert fingerprint() != before


@pytest.mark.parametrize(
    "name", ["source.spm", "dict.txt", "prophetnet.tokenizer", "vocab.json", "sentencepiece.bpe"]
)
def test_whatever_a_tokenizer_may_read_counts(copy: Copy, name: str) -> None:
    folder = copy("gpt2")
    before = find_files(folder, allow_pickle=False)
    (folder / name).write_text("wren robin")
    after = find_files(folder, allow_pickle=False)
    assert before.fingerprint("float32") != after.fingerprint("float32")
    assert before.tokenizer_hash() != after.tokenizer_hash()


@pytest.mark.parametrize(
    "name",
    [
        ".gitattributes",
        "LICENSE",
        "README",
        "all_results.json",
        "chat_template.jinja",
        "events.out.tfevents.1700000000.host.1.0",
        "flax_model.msgpack",
        "generation_config.json",
        "model.safetensors.index.json",
        "optimizer.pt",
        "pytorch_model.bin",
        "rng_state_0.pth",
        "tf_model.h5",
        "trainer_state.json",
        "training_args.bin",
    ],
)
def test_what_is_of_no_account(copy: Copy, name: str) -> None:
    folder = copy("gpt2")
    before = find_files(folder, allow_pickle=False).fingerprint("float32")
    (folder / name).write_text("{}")
    assert find_files(folder, allow_pickle=False).fingerprint("float32") == before


def test_the_hash_of_a_big_file_is_the_name_of_its_blob(
    copy: Copy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import hashlib

    folder = copy("gpt2")
    files = find_files(folder, allow_pickle=False)
    expected = files.fingerprint("float32")
    (weights,) = files.weights
    blob = tmp_path / "blobs" / hashlib.sha256(weights.read_bytes()).hexdigest()
    blob.parent.mkdir()
    weights.rename(blob)
    weights.symlink_to(blob)
    monkeypatch.setattr("pommel.models.huggingface.files._BIG_BYTES", 10)
    assert files.fingerprint("float32") == expected
    blob.write_bytes(b"not looked at, but long enough")
    assert files.fingerprint("float32") == expected


def test_loading_and_scoring_say_nothing(
    tiny_folder: FolderOf, capfd: pytest.CaptureFixture[str]
) -> None:
    for kind in ("gpt2", "mamba"):
        folder = tiny_folder(kind)
        capfd.readouterr()
        score_all(huggingface.open_model(f"huggingface://{folder}", LoadOptions()), ["I"], Policy())
        assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["torch", "transformers"])
def test_without_the_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModelNotAvailableError) as caught:
        huggingface.open_model("huggingface://gpt2", LoadOptions())
    assert str(caught.value) == (
        f"huggingface://gpt2 needs the Hugging Face extra: {PommelError.install('hf')}"
    )
