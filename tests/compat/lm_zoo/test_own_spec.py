"""The spec of models that are in no image."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.models.conftest import FolderOf

from pommel.compat import lm_zoo as Z  # noqa: N812 - everybody called it so
from pommel.models.reference_files import check_spec

TABLE = "sentence_id\ttoken_id\ttoken\tsurprisal\n1\t1\tA\t1\n"
SPEC = {"name": "toy", "more": 1, "tokenizer": {"type": "word", "cased": False}}


def without_items(spec: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in spec["vocabulary"].items() if key != "items"}


@pytest.mark.parametrize("model", ["dummy://", "builtin://en-ngram", "builtin://en-gpt2"])
def test_it_is_a_spec(model: str) -> None:
    assert check_spec(Z.spec(model), where=model)["name"] in model or model == "dummy://"


def test_of_a_model_with_bytes_as_tokens() -> None:
    spec = Z.spec("builtin://en-gpt2")
    assert spec["tokenizer"] == {
        "type": "subword",
        "cased": True,
        "sentinel_pattern": "Ġ",
        "sentinel_position": "initial",
    }
    assert without_items(spec) == {
        # GPT-2's tokenizer calls its end-of-text mark unknown as well; no text ever becomes it.
        "unk_types": [],
        "prefix_types": ["<|endoftext|>"],
        "suffix_types": ["<|endoftext|>"],
        "special_types": [],
    }
    assert len(spec["vocabulary"]["items"]) == 1500
    assert spec["image"]["supported_features"]["get_predictions"]


def test_of_other_tokenizers(tiny_folder: FolderOf) -> None:
    spec = Z.spec(f"huggingface://{tiny_folder('llama')}")
    assert spec["tokenizer"] == {"type": "subword", "cased": True, "metaspace": "▁"}
    assert spec["vocabulary"]["prefix_types"] == ["<s>"]
    # A folder is nowhere on the web.
    assert "ref_url" not in spec


def test_of_the_ngram_model() -> None:
    spec = Z.spec("builtin://en-ngram")
    assert spec["tokenizer"] == {"type": "word", "cased": True}
    assert without_items(spec) == {
        "unk_types": ["<unk>"],
        "prefix_types": [],
        "suffix_types": ["</s>"],
        "special_types": [],
    }
    items = spec["vocabulary"]["items"]
    assert {"the", "<unk>", "</s>"} <= set(items)
    assert "<s>" not in items


@pytest.mark.parametrize("answer", [SPEC, json.dumps(SPEC), "spec.json"])
def test_a_dummy_has_its_own(tmp_path: Path, answer: Any) -> None:
    (tmp_path / "spec.json").write_text(json.dumps(SPEC))
    answers = {"spec": answer, "get_surprisals": TABLE}
    (tmp_path / "dummy.json").write_text(json.dumps(answers))
    assert Z.spec(f"dummy://{tmp_path}/dummy.json") == SPEC


def test_a_recording_may_have_its_own(tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text(json.dumps(SPEC))
    (tmp_path / "table.tsv").write_text(TABLE)
    plain = f"recorded://{tmp_path}/table.tsv"
    assert Z.spec(f"{plain}?spec={tmp_path}/spec.json") == SPEC
    assert Z.spec(plain)["tokenizer"] == {"type": "word", "cased": True}
