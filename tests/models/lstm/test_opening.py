"""Opening a word-level LSTM: who it is, and what goes wrong then and later."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.models.lstm.folders import reference_bits, save_random_lstm
from tests.models.lstm.opened import WORDS, opened
from tests.models.lstm.reading import change_config

from pommel.errors import InputError, ModelError, ModelNotAvailableError, PommelError, UsageError
from pommel.models.lstm import model as lstm
from pommel.models.lstm.model import LstmModel
from pommel.models.model import LoadOptions, Policy, score_all
from pommel.models.neural.recurrent import LstmNetwork
from pommel.models.registry import load_model

torch: Any = pytest.importorskip("torch")
safetensors: Any = pytest.importorskip("safetensors.torch")

WEIGHTS = "model.safetensors"


# --- who it is


def test_the_description_says_what_decides_the_numbers(small: LstmModel, folder: Path) -> None:
    info = small.info
    n_words, hidden, inputs = len(WORDS) + 2, 16, 12
    layers = [4 * hidden * (inputs + hidden + 2), 4 * hidden * (hidden + hidden + 2)]
    assert (info.reference, info.name, info.kind) == (f"lstm://{folder}", "small", "lstm")
    assert info.n_parameters == n_words * inputs + sum(layers) + n_words * (hidden + 1)
    assert (info.bos, info.eos, info.dtype, info.device) == ("<eos>", "<eos>", "float32", "cpu")
    assert (info.methods, info.costly_calls, info.max_tokens) == (("causal",), True, None)
    assert info.details == {
        "scoring": "prefix tree (states)",
        "n_layers": 2,
        "embedding_size": 12,
        "hidden_size": 16,
        "tied": False,
        "vocabulary_size": len(WORDS),
        "case": "as written",
        "torch": str(torch.__version__),
    }


def test_the_fingerprint_is_that_of_the_files_and_the_number_format(
    small: LstmModel, folder: Path
) -> None:
    assert opened(folder).info.fingerprint == small.info.fingerprint
    assert opened(folder, dtype="bfloat16").info.fingerprint != small.info.fingerprint
    assert opened(folder, batch_tokens=3).info.fingerprint == small.info.fingerprint


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            '{"seed": 3, "figures": {"n_steps": 9, "validation_perplexity": 4.5, "epochs": []}}',
            {"seed": 3, "n_steps": 9, "validation_perplexity": 4.5},
        ),
        (
            '{"seed": 3, "figures": {"n_steps": 9, "validation_perplexity": null}}',
            {"seed": 3, "n_steps": 9},
        ),
        ('{"seed": "three", "figures": [], "n_steps": 9}', None),
        ("[]", None),
        ("{", None),
    ],
)
def test_what_a_training_has_left_is_told(
    tmp_path: Path, text: str, found: dict[str, Any] | None
) -> None:
    folder = save_random_lstm(tmp_path / "model", WORDS)
    (folder / "training.json").write_text(text)
    assert opened(folder).info.details.get("training") == found


def test_a_folder_may_be_named_without_a_scheme(folder: Path) -> None:
    found = load_model(str(folder))
    assert (found.info.kind, found.info.reference) == ("lstm", f"lstm://{folder}")


def test_log_probabilities_are_those_of_what_comes_next(small: LstmModel, folder: Path) -> None:
    ids = [1, 2, 4, 0, 1]
    rows = small.log_probabilities(ids)
    assert rows.shape == (5, len(WORDS) + 2)
    assert rows[0] == pytest.approx(-2.7080502, abs=1e-6)  # log(1 / 15)
    bits = [-rows[place, ids[place]] / 0.6931472 for place in range(1, 5)]
    assert bits == pytest.approx(reference_bits(folder, ids), abs=1e-4)
    assert small.log_probabilities([]).shape == (0, 15)


# --- what goes wrong


def test_references_that_name_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^lstm://: it names no folder; write lstm://FOLDER$"):
        lstm.open_model("lstm://", LoadOptions())
    reference = f"lstm://{tmp_path}/none"
    with pytest.raises(ModelNotAvailableError) as caught:
        lstm.open_model(reference, LoadOptions())
    assert str(caught.value) == f"{reference}: there is no folder {tmp_path}/none"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_tokens": 0}, "a batch has 1 token or more, not 0"),
        ({"max_memory_bytes": -1}, "scoring takes 1 byte of memory or more, not -1"),
        ({"max_memory_bytes": 0}, "scoring takes 1 byte of memory or more, not 0"),
        ({"device": "tpu"}, "no such device: 'tpu'; write cpu, cuda, cuda:N, mps or auto"),
        ({"dtype": "int8"}, "no such dtype: 'int8'; write float32, bfloat16, float16, float64"),
    ],
)
def test_options_that_make_no_sense(folder: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        opened(folder, **options)
    assert str(caught.value) == message


def test_a_file_that_changes_later_changes_no_number(tmp_path: Path) -> None:
    folder = save_random_lstm(tmp_path / "model", WORDS)
    model = opened(folder)
    before = score_all(model, ["The cat"], Policy())
    weights = folder / WEIGHTS
    # In place, as trainers write a checkpoint again.
    with weights.open("r+b") as file:
        file.seek(weights.stat().st_size // 2)
        file.write(bytes(weights.stat().st_size // 2))
    assert score_all(model, ["The cat"], Policy()) == before


def test_a_network_that_gives_no_numbers(tmp_path: Path) -> None:
    folder = save_random_lstm(tmp_path / "model", WORDS)
    weights = safetensors.load_file(folder / WEIGHTS)
    # More than float16 can hold.
    safetensors.save_file(
        {**weights, "decoder.bias": weights["decoder.bias"] + 1e6}, folder / WEIGHTS
    )
    assert len(score_all(opened(folder), ["The cat"], Policy())) == 1
    with pytest.raises(ModelError) as caught:
        score_all(opened(folder, dtype="float16"), ["The cat"], Policy())
    assert str(caught.value) == (
        f"lstm://{folder}: the model gives no number (NaN) for 'The' in 'The cat'; "
        "a reduced dtype may be the reason"
    )


def test_a_sentence_without_numbers_costs_no_other(tmp_path: Path) -> None:
    folder = save_random_lstm(tmp_path / "model", WORDS)
    weights = safetensors.load_file(folder / WEIGHTS)
    # After this word there are no numbers: infinities of both signs are added up.
    weights["encoder.weight"][opened(folder).items().index("cats")] = 1e6
    safetensors.save_file(weights, folder / WEIGHTS)
    # They are answered in this order.
    sentences = ["The dog", "cats are here", "dog , here"]
    answers = opened(folder, dtype="float16").score(sentences, Policy())
    assert [next(answers)[0], next(answers)[0]] == [0, 2]
    with pytest.raises(ModelError) as caught:
        next(answers)
    assert caught.value.blamed == {
        "cats are here": f"lstm://{folder}: the model gives no number (NaN) for 'are' in "
        "'cats are here'; a reduced dtype may be the reason"
    }


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("CUDA out of memory. Tried 2 GB", "out of memory, even with one sentence at a time"),
        ("a kernel failed\nmore", "the network failed: a kernel failed"),
    ],
)
def test_a_network_that_fails(
    folder: Path, monkeypatch: pytest.MonkeyPatch, said: str, message: str
) -> None:
    def fail(*_given: Any) -> Any:
        raise RuntimeError(said)

    monkeypatch.setattr(LstmNetwork, "logits", fail)
    with pytest.raises(ModelError) as caught:
        score_all(opened(folder), ["The cat", "cat"], Policy())
    assert str(caught.value) == f"lstm://{folder}: {message}"


def test_weights_that_do_not_fit_the_device(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: Any, **_options: Any) -> Any:
        raise RuntimeError("CUDA out of memory. Tried 2 GB")

    monkeypatch.setattr(torch.Tensor, "to", fail)
    with pytest.raises(ModelNotAvailableError) as caught:
        opened(folder)
    assert str(caught.value) == (
        f"lstm://{folder}: cannot move the model to cpu; CUDA out of memory. Tried 2 GB"
    )


def test_without_torch_it_says_what_to_install(folder: Path) -> None:
    program = f"""
import sys
sys.modules["torch"] = None
from pommel.errors import ModelNotAvailableError
from pommel.models.registry import load_model
try:
    load_model("lstm://{folder}")
except ModelNotAvailableError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == (
        f"lstm://{folder} needs torch and safetensors: {PommelError.install('hf')}\n"
    )


def test_it_does_without_transformers(folder: Path) -> None:
    program = f"""
import sys
sys.modules["transformers"] = None
from pommel.models.model import score_all
from pommel.models.model import Policy
from pommel.models.registry import load_model
print(len(score_all(load_model("lstm://{folder}"), ["The cat"], Policy())[0].tokens))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "3\n"


def test_what_is_wrong_with_the_files_is_passed_on(tmp_path: Path) -> None:
    folder = save_random_lstm(tmp_path / "model", WORDS)
    change_config(folder, n_layers=3)
    with pytest.raises(InputError, match=r"rnn.weight_ih_l2 and 3 others are missing"):
        opened(folder)


def test_files_that_change_while_weights_are_taken_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = save_random_lstm(tmp_path / "model", WORDS)

    def changing(*known: Any, **options: Any) -> LstmNetwork:
        (folder / WEIGHTS).touch()
        return LstmNetwork(*known, **options)

    monkeypatch.setattr(lstm, "LstmNetwork", changing)
    with pytest.raises(ModelNotAvailableError, match=f"{WEIGHTS} has changed while the model was"):
        opened(folder)
