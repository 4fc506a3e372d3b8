"""The six functions, on models that need no container."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pommel.compat import lm_zoo as Z  # noqa: N812 - everybody called it so
from pommel.compat.lm_zoo.models import HuggingFaceModel
from pommel.errors import ContainerError, InputError, UsageError
from pommel.models.model import LoadOptions, Policy, score_all
from pommel.models.registry import load_model

SENTENCES = ["The pilot sleeps .", "", 'A zorbl says " NA " .']
SPEC = {
    "name": "toy",
    "vocabulary": {"unk_types": ["<unk>"], "suffix_types": ["<eos>"]},
    "tokenizer": {"type": "word", "cased": True},
}
ANSWERS = {
    "spec": SPEC,
    "tokenize": "The <unk> <eos>\n007\n",
    "unkify": "0 1 0\n0\n",
    "get_surprisals": (
        "sentence_id\ttoken_id\ttoken\tsurprisal\n"
        "1\t1\tThe\t0.0\n1\t2\t<unk>\t7.5\n1\t3\t<eos>\t-0.000000\n2\t1\t007\t1\n"
    ),
}
MODELS = ["dummy://", "builtin://en-ngram", "builtin://en-gpt2"]


@pytest.fixture
def dummy(tmp_path: Path) -> Callable[..., str]:
    """What writes a dummy's file and returns its reference."""

    def write(**more: Any) -> str:
        path = tmp_path / "dummy.json"
        path.write_text(json.dumps({**ANSWERS, **more}))
        return f"dummy://{path}"

    return write


@pytest.mark.parametrize("model", MODELS)
def test_the_commands_speak_of_the_same_tokens(model: str) -> None:
    tokens = Z.tokenize(model, SENTENCES)
    frame = Z.get_surprisals(model, SENTENCES)
    assert len(tokens) == 3
    assert [list(map(len, tokens))] == [list(map(len, Z.unkify(model, SENTENCES)))]
    assert frame["token"].tolist() == [token for sentence in tokens for token in sentence]
    assert frame.index.tolist() == [
        (sentence_id, token_id)
        for sentence_id, sentence in enumerate(tokens, start=1)
        for token_id in range(1, len(sentence) + 1)
    ]


@pytest.mark.parametrize("model", MODELS)
def test_the_numbers_are_the_retired_tools(model: str) -> None:
    frame = Z.get_surprisals(model, SENTENCES)
    scored = score_all(load_model(model), SENTENCES, Policy.SYNTAXGYM)
    expected = [token.surprisal_bits for sentence in scored for token in sentence.tokens]
    assert frame["surprisal"].tolist() == pytest.approx(expected, abs=1e-5)
    assert frame.loc[(1, 1), "surprisal"] == 0.0


def test_tokens_of_made_up_models_are_words() -> None:
    assert Z.tokenize("dummy://", SENTENCES) == [
        ["The", "pilot", "sleeps", "."],
        [],
        ["A", "zorbl", "says", '"', "NA", '"', "."],
    ]


def test_unknown_words_of_the_ngram_model() -> None:
    assert Z.unkify("builtin://en-ngram", SENTENCES[:1]) == [[0, 0, 0, 0, 0]]
    (mask,) = Z.unkify("builtin://en-ngram", ["A zorbl sleeps ."])
    assert mask == [0, 1, 0, 0, 0]
    assert all(type(flag) is int for flag in mask)


def test_the_frame_of_surprisals() -> None:
    frame = Z.get_surprisals("dummy://uniform?bits=2", ["One 007 NA null ."])
    assert list(frame.columns) == ["token", "surprisal"]
    assert frame.index.names == ["sentence_id", "token_id"]
    assert frame["token"].tolist() == ["One", "007", "NA", "null", "."]
    assert frame["surprisal"].tolist() == [0.0, 2.0, 2.0, 2.0, 2.0]


def test_no_sentences_give_no_answers() -> None:
    assert Z.tokenize("dummy://", []) == []
    assert Z.unkify("dummy://", []) == []
    frame = Z.get_surprisals("dummy://", [])
    pd.testing.assert_frame_equal(frame, Z.get_surprisals("dummy://", ["a"]).iloc[:0])


def test_line_breaks_around_a_sentence_are_no_part_of_it() -> None:
    assert Z.tokenize("dummy://", ["a b\r\n", "\nc"]) == [["a", "b"], ["c"]]


@pytest.mark.parametrize("sentence", ["a\nb", "a\rb"])
def test_line_breaks_within_a_sentence(sentence: str) -> None:
    with pytest.raises(InputError) as raised:
        Z.tokenize("dummy://", ["a", sentence])
    assert str(raised.value) == f"sentence 2 has a line break in it: {sentence!r}"


def test_one_text_is_no_list() -> None:
    with pytest.raises(UsageError) as raised:
        Z.tokenize("dummy://", "This is")
    assert str(raised.value) == "the sentences are a list of texts, and this is one text"


def test_sentences_may_come_from_anything_that_gives_them() -> None:
    assert Z.tokenize("dummy://", (word for word in ("a", "b"))) == [["a"], ["b"]]


def test_a_dummy_answers_what_stands_in_its_file(dummy: Callable[..., str]) -> None:
    model = Z.get_registry()[dummy()]
    sentences = ["The cat", "007"]
    assert Z.spec(model) == SPEC
    assert Z.tokenize(model, sentences) == [["The", "<unk>", "<eos>"], ["007"]]
    assert Z.unkify(model, sentences) == [[0, 1, 0], [0]]
    frame = Z.get_surprisals(model, sentences)
    assert frame["token"].tolist() == ["The", "<unk>", "<eos>", "007"]
    # "-0.0" and the number 7 came out of it before.
    assert list(map(str, frame["surprisal"])) == ["0.0", "7.5", "0.0", "1.0"]


def test_a_word_that_a_model_leaves_out_is_no_token(dummy: Callable[..., str]) -> None:
    tokenizer = {"type": "word", "cased": True, "drop_token_pattern": "^[.]+$"}
    table = "sentence_id\ttoken_id\ttoken\tsurprisal\n1\t1\tThe\t1\n1\t2\tcat\t2\n"
    reference = dummy(
        spec={**SPEC, "tokenizer": tokenizer},
        tokenize="The cat\n",
        unkify="0 0\n",
        get_surprisals=table,
    )
    assert Z.tokenize(reference, ["The cat ."]) == [["The", "cat"]]
    assert len(Z.get_surprisals(reference, ["The cat ."])) == 2


def test_a_loaded_model_will_do() -> None:
    model = load_model("dummy://")
    assert Z.tokenize(model, ["a b"]) == [["a", "b"]]
    assert Z.spec(model)["name"] == "dummy"


@pytest.mark.parametrize(
    ("model", "backend"),
    [("dummy://", "dummy"), ("builtin://en-gpt2", None), ("dummy://", None)],
)
def test_a_backend_that_fits(model: str, backend: str | None) -> None:
    assert Z.tokenize(model, ["a"], backend=backend) == [["a"]]


@pytest.mark.parametrize(
    ("model", "backend", "message"),
    [
        ("dummy://", "docker", "dummy:// cannot be run by docker; it is run by dummy"),
        (
            "docker://image",
            "singularity",
            "docker://image cannot be run by singularity; it is run by docker or podman",
        ),
        (
            "library://a/b",
            "docker",
            "library://a/b cannot be run by docker; it is run by singularity or apptainer",
        ),
        (
            "GRNN",
            "huggingface",
            (
                "docker://cpllab/language-models:grnn cannot be run by huggingface; it is run by "
                "docker or podman"
            ),
        ),
        (
            "builtin://en-gpt2",
            "docker",
            "builtin://en-gpt2 cannot be run by docker; leave the backend out",
        ),
    ],
)
def test_a_backend_that_does_not(model: str, backend: str, message: str) -> None:
    with pytest.raises(Z.IncompatibleBackendError) as raised:
        Z.tokenize(Z.get_registry()[model], ["a"], backend=backend)
    assert str(raised.value) == message
    assert raised.value.exit_status == 2


def test_a_backend_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="backend cannot be 'kubernetes'; it is one of docker, "):
        Z.spec("docker://image", backend="kubernetes")


def test_a_checkpoint_is_for_containers() -> None:
    model = Z.get_registry()["builtin://en-gpt2"].with_checkpoint("/here")
    with pytest.raises(UsageError) as raised:
        Z.spec(model)
    assert str(raised.value) == (
        "builtin://en-gpt2: only a model in a container takes a checkpoint; name the folder as "
        "the model"
    )


def test_a_model_that_there_is_not() -> None:
    with pytest.raises(Z.UnsupportedModelError) as raised:
        Z.spec("builtin://en-gpt3")
    assert str(raised.value).startswith("there is no built-in model 'en-gpt3' (did you mean ")
    assert raised.value.exit_status == 4


def test_nothing_is_downloaded_for_an_offline_model() -> None:
    with pytest.raises(Z.UnsupportedModelError) as raised:
        Z.spec(HuggingFaceModel("nobody/nothing", offline=True))
    assert "is not in the local cache" in str(raised.value)
    assert "downloads are off" in str(raised.value)


def test_an_engine_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    # Nobody listens on the first port, and nobody but root could.
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    model = Z.get_registry()["GRNN"]
    with pytest.raises(Z.BackendConnectionError) as raised:
        Z.tokenize(model, ["a"], options=LoadOptions(pull="never"))
    assert (raised.value.backend, raised.value.exit_status) == ("docker", 4)
    assert "cpllab/language-models:grnn" in str(raised.value)


@pytest.mark.parametrize("model", ["dummy://", "builtin://en-ngram"])
def test_predictions_of_a_model_that_has_none(model: str) -> None:
    with pytest.raises(Z.UnsupportedFeatureError) as raised:
        Z.get_predictions(model, ["a"])
    error = raised.value
    assert str(error) == f"{model}: this model gives surprisals and no predictions"
    assert (error.model, error.feature) == (model, "get_predictions")
    assert isinstance(error, NotImplementedError)
    assert isinstance(error, ContainerError)


def test_errors_can_be_made_as_they_were() -> None:
    assert str(Z.UnsupportedFeatureError("m", "unkify")) == "m: this model has no unkify"
    assert str(Z.IncompatibleBackendError("m", "docker")) == "m cannot be run by docker"


def test_surprisals_may_be_infinite(tmp_path: Path) -> None:
    lines = [
        {"format": "pommel-surprisals", "version": 1, "model": {"name": "m"}, "policy": {}},
        {"sentence": "a", "tokens": [["a", 0, 1, "Infinity", False, "text"]]},
    ]
    path = tmp_path / "recorded.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    frame = Z.get_surprisals(f"recorded://{path}", ["a"])
    assert frame["surprisal"].tolist() == [math.inf]
