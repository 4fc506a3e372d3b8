"""What a network is found to be able to do, and the words that say why not."""

import re
from typing import Any

import numpy as np
import pytest
from tests.models.neural.counting import in_torch
from tests.models.neural.networks import (
    N_KNOWN,
    AncestorsHidden,
    answers,
    engine_of,
    largest_difference,
    network,
    random_requests,
    reference,
    request,
    trial,
)

from pommel.errors import ModelNotAvailableError
from pommel.models.model import LoadOptions
from pommel.models.neural.causal import causal_engine
from pommel.models.neural.network import Network
from pommel.models.neural.passes import Pass
from pommel.models.neural.self_check import (
    Paths,
    attention_window,
    check_causal,
    find_paths,
    own_bits,
    stretching_limit,
)

torch: Any = pytest.importorskip("torch")
hf: Any = pytest.importorskip("transformers")

PADDING = N_KNOWN


def path_of(found: Network, dtype: str) -> tuple[str, str]:
    paths: Paths = find_paths(found, dtype)
    return paths.path, paths.why


def disturbed_by_padding() -> Any:
    """Return a network that padding reaches, whatever stands beside it."""

    class Disturbed(hf.GPT2LMHeadModel):  # type: ignore[misc]
        def forward(self, input_ids: Any, **options: Any) -> Any:
            output = super().forward(input_ids, **options)
            if (input_ids == PADDING).any():
                output.logits = output.logits.flip(-1)
            return output

    torch.manual_seed(1)
    shape = {"n_layer": 2, "n_embd": 32, "n_head": 4, "n_positions": 64, "pad_token_id": PADDING}
    marks = {"bos_token_id": 0, "eos_token_id": 0}
    return Disturbed(hf.GPT2Config(vocab_size=N_KNOWN + 1, **shape, **marks)).eval()


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
def test_the_check_knows_what_rounding_does_in_each_format(dtype: str) -> None:
    found = Network(network("Llama").to(getattr(torch, dtype)), device="cpu")
    assert path_of(found, dtype) == ("prefix tree", "")


def test_a_recurrent_network_that_does_not_say_so_is_found_out() -> None:
    # It takes neither the mask nor the positions, and reads a packed row as one sentence.
    found = network("Mamba")
    found._is_stateful = False  # noqa: SLF001 - transformers's own name
    path, why = path_of(Network(found, device="cpu"), "float32")
    assert path == "padded batches"
    assert why.startswith("prefix tree: it")


def test_a_network_in_which_no_fault_would_show_gets_padded_batches() -> None:
    # Weights are so small that rounding is all that differs.
    found = Network(network("GPT2", scale=0.01), device="cpu")
    assert path_of(found, "float32") == (
        "padded batches",
        "prefix tree: a wrong mask would hardly show",
    )


def test_a_network_that_padding_disturbs_gets_batches_of_equal_length() -> None:
    model = disturbed_by_padding()
    oracle = reference("GPT2", model)
    engine = engine_of(model)
    assert engine.path == "batches of equal length"
    deviation = r"its numbers differ by [0-9.]+ bits"
    assert re.fullmatch(f"prefix tree: {deviation}; padding: {deviation}", engine.why)
    asked = random_requests(30)
    expected = [oracle.answer(each) for each in asked]
    assert largest_difference(answers(engine, asked), expected) < 1e-4


class NoNumbers(Network):
    """Gives no numbers for a packed row."""

    def logits(self, a_pass: Pass) -> Any:
        return super().logits(a_pass) * (1 if a_pass.tree is None else float("nan"))


def test_no_numbers_where_the_network_itself_gives_some_are_a_fault() -> None:
    assert path_of(NoNumbers(network("GPT2"), device="cpu"), "float32") == (
        "padded batches",
        "prefix tree: its numbers differ by inf bits",
    )


def test_tokens_that_are_impossible_do_not_blind_the_check() -> None:
    def network_without_even_tokens() -> Any:
        model = network("GPT2")
        even = torch.arange(N_KNOWN) % 2 == 0
        model.lm_head.register_forward_hook(
            lambda _head, _given, logits: logits.masked_fill(even, -float("inf"))
        )
        return model

    right = Network(network_without_even_tokens(), device="cpu")
    assert path_of(right, "float32") == ("prefix tree", "")
    wrong = AncestorsHidden(network_without_even_tokens(), device="cpu")
    path, why = path_of(wrong, "float32")
    assert path == "padded batches"
    assert re.fullmatch(r"prefix tree: its numbers differ by [0-9.]+ bits", why)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("GPT2", None),
        ("Llama", None),
        ("Mistral", 8),
        ("Gemma2", 8),
        ("GPTNeo", 8),
        ("Mamba", None),
    ],
)
def test_how_far_attention_looks_back(name: str, expected: int | None) -> None:
    assert attention_window(network(name).config) == expected


def test_a_window_that_is_not_used_is_none() -> None:
    assert attention_window(network("Mistral", sliding_window=None).config) is None


def test_a_network_that_sees_what_follows_is_refused() -> None:
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = hf.BertConfig(vocab_size=N_KNOWN, intermediate_size=64, **shape)
    torch.manual_seed(1)
    found = Network(hf.BertLMHeadModel(config).eval(), device="cpu")
    with pytest.raises(ModelNotAvailableError) as caught:
        check_causal(found, dtype="float32")
    assert str(caught.value) == (
        "it is not a causal language model: tokens depend on those that follow"
    )


def test_the_same_network_as_a_decoder_is_not() -> None:
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    options = {"intermediate_size": 64, "is_decoder": True}
    config = hf.BertConfig(vocab_size=N_KNOWN, **shape, **options)
    torch.manual_seed(1)
    check_causal(Network(hf.BertLMHeadModel(config).eval(), device="cpu"), dtype="float32")


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("name", ["GPT2", "Mamba"])
def test_rounding_does_not_make_a_network_look_forwards(name: str, dtype: str) -> None:
    model = network(name).to(getattr(torch, dtype))
    check_causal(Network(model, device="cpu"), dtype=dtype)


def test_a_network_that_gives_no_numbers_passes_and_answers_so() -> None:
    model = network("GPT2")
    with torch.no_grad():
        model.transformer.ln_f.weight.fill_(float("nan"))
    engine = engine_of(model)
    asked = random_requests(3)
    assert all(np.isnan(given.bits).all() for given in answers(engine, asked))


@pytest.mark.parametrize(
    ("name", "value", "window"),
    [("sliding_window_size", 7, 7), ("window_size", True, None), ("sliding_window", None, None)],
)
def test_windows_have_several_names(name: str, value: Any, window: int | None) -> None:
    config = hf.GPT2Config()
    setattr(config, name, value)
    assert attention_window(config) == window


@pytest.mark.parametrize(
    ("rope", "limit"),
    [
        ({"rope_type": "default", "rope_theta": 1e4}, None),
        ({"rope_type": "linear", "factor": 2.0, "rope_theta": 1e4}, None),
        ({"rope_type": "dynamic", "factor": 2.0, "rope_theta": 1e4}, 64),
        ({"type": "dynamic", "factor": 2.0, "original_max_position_embeddings": 32}, 32),
    ],
)
def test_positions_that_stretch_have_a_limit(rope: dict[str, Any], limit: int | None) -> None:
    config = hf.LlamaConfig(max_position_embeddings=64)
    config.rope_parameters = rope
    assert stretching_limit(config) == limit


class LengthTells(Network):
    """A network in which what comes last in a batch, or is not there, changes everything."""

    def logits_of(self, ids: Any, *, whole: bool = False) -> Any:
        return super().logits_of(ids, whole=whole) * (1 + 0.1 * len(ids))

    def logits(self, a_pass: Pass) -> Any:
        return super().logits(a_pass) * (1 + 0.1 * a_pass.ids.shape[1])


def test_numbers_that_depend_on_the_length_are_taken_one_by_one() -> None:
    found = LengthTells(network("GPT2"), device="cpu")
    path, why = path_of(found, "float32")
    assert path == "one by one"
    assert why.startswith("in a batch or in part, its numbers differ by ")
    engine = causal_engine(found, LoadOptions())
    asked = [request([5, 6, 7, 8], [1, 2]), request([5, 6, 7], [1]), request([5, 9, 9], [2])]
    for each, answer in zip(asked, answers(engine, asked), strict=True):
        own = own_bits(found, each.ids[:-1], each.positions - 1, each.ids[each.positions])
        np.testing.assert_allclose(answer.bits, own, atol=1e-4)


def test_a_head_that_is_not_fed_position_by_position_projects_everything() -> None:
    class TwoStreams(hf.GPT2LMHeadModel):  # type: ignore[misc]
        """The head gets (batch x streams x positions x hidden), and the first stream counts."""

        def forward(self, input_ids: Any, **options: Any) -> Any:
            options.pop("return_dict", None)
            hidden = self.transformer(input_ids, **options).last_hidden_state
            logits = self.lm_head(torch.stack([hidden, hidden.flip(1)], dim=1))[:, 0]
            return hf.modeling_outputs.CausalLMOutput(logits=logits)

    model = TwoStreams(network("GPT2").config).eval()
    model.load_state_dict(network("GPT2").state_dict())
    engine = causal_engine(Network(model, device="cpu"), LoadOptions())
    assert (engine.path, in_torch(engine.network).narrow) == ("prefix tree", False)
    asked = random_requests(20)
    expected = answers(trial("GPT2").engine, asked)
    assert largest_difference(answers(engine, asked), expected) < 1e-4


@pytest.mark.parametrize("name", ["GPT2", "Llama"])
def test_last_layers_that_look_from_position_to_position_see_everything(name: str) -> None:
    class BothWays(torch.nn.Module):  # type: ignore[misc]
        """Adds what is before a position to what is there."""

        def __init__(self, own: Any) -> None:
            super().__init__()
            self.own = own

        def forward(self, hidden: Any) -> Any:
            before = hidden.roll(1, dims=-2)
            before[..., 0, :] = 0
            return self.own(hidden) + before

    model = network(name)
    blocks = [each for each in model.modules() if isinstance(each, torch.nn.ModuleList)][-1]
    blocks[-1].mlp = BothWays(blocks[-1].mlp)
    oracle = reference(name, model)
    engine = causal_engine(Network(model, device="cpu"), LoadOptions())
    # A packed row has others before it: no tree. What is projected is still no more than is asked.
    assert (engine.path, in_torch(engine.network).narrow) == ("padded batches", True)
    asked = random_requests(20)
    expected = [oracle.answer(each) for each in asked]
    assert largest_difference(answers(engine, asked), expected) < 1e-3


def test_a_network_that_fails_on_plain_ids_is_not_available() -> None:
    model = network("GPT2")

    def fail(*_given: Any) -> None:
        raise KeyError("no such thing")

    model.transformer.register_forward_pre_hook(fail)
    with pytest.raises(ModelNotAvailableError) as caught:
        causal_engine(Network(model, device="cpu"), LoadOptions())
    assert str(caught.value) == "it fails on plain token ids: KeyError: 'no such thing'"
