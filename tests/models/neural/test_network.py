"""A network fed with passes: only the rows that are needed, what it is told, what runs out."""

import copy
from typing import Any

import numpy as np
import pytest
from tests.models.neural.networks import CONFIGURATIONS, N_KNOWN, network

from pommel.models.model import LoadOptions
from pommel.models.neural.network import Network
from pommel.models.neural.passes import Pass, packed_pass, prefix_tree, sequence_pass
from pommel.models.neural.questions import Ids

torch: Any = pytest.importorskip("torch")
pytest.importorskip("transformers")


def array(*numbers: int) -> Ids:
    return np.array(numbers, dtype=np.int64)


SIDE_BY_SIDE = sequence_pass(
    [array(5, 6, 7, 8), array(9, 10)],
    rows=[array(1, 3), array(0)],
    places=[array(0, 1), array(2)],
)
# 5 6 7 and 5 8 in one packed row.
TREE = packed_pass(prefix_tree([array(5, 6, 7), array(5, 8)]), array(1, 2, 3), [(0, 4)])


def plain(model: Any, *ids: int) -> Any:
    with torch.inference_mode():
        return model(torch.tensor([ids])).logits[0]


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_logits_are_those_of_the_rows_in_their_order(name: str) -> None:
    model = network(name)
    expected = torch.stack([*plain(model, 5, 6, 7, 8)[[1, 3]], plain(model, 9, 10)[0]])
    found = Network(model, device="cpu").logits(SIDE_BY_SIDE)
    assert found.shape == (3, N_KNOWN)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["GPT2", "Llama", "OPT"])
def test_a_packed_row_gives_the_logits_of_its_sentences(name: str) -> None:
    model = network(name)
    expected = torch.stack([*plain(model, 5, 6, 7)[1:], plain(model, 5, 8)[1]])
    torch.testing.assert_close(
        Network(model, device="cpu").logits(TREE), expected, rtol=1e-4, atol=1e-4
    )


def test_the_head_sees_no_more_than_the_rows() -> None:
    model = network("GPT2")
    shapes = []
    model.lm_head.register_forward_hook(lambda _head, given, _out: shapes.append(given[0].shape))
    Network(model, device="cpu").logits(SIDE_BY_SIDE)
    assert [shape.numel() // shape[-1] for shape in shapes] == [3]


@pytest.mark.parametrize("name", ["GPT2", "GPTNeoX", "Llama"])
def test_the_last_feed_forward_layers_see_no_more_than_the_rows(name: str) -> None:
    model = network(name)
    (blocks,) = (each for each in model.modules() if isinstance(each, torch.nn.ModuleList))
    n_seen = []
    for block in blocks:
        block.mlp.register_forward_hook(
            lambda _mlp, given, _out: n_seen.append(given[0].shape[:-1].numel())
        )
    found = Network(model, device="cpu")
    found.logits(SIDE_BY_SIDE)
    assert n_seen == [SIDE_BY_SIDE.ids.size, 3]
    # Alone, and after it has been found that they look at others, they see all.
    found.logits_of(array(5, 6, 7), whole=True)
    assert found.widen()
    found.logits(SIDE_BY_SIDE)
    assert n_seen[2:] == [3, 3, SIDE_BY_SIDE.ids.size, SIDE_BY_SIDE.ids.size]


def test_what_is_widened_is_the_feed_forward_layers_and_then_the_head() -> None:
    for name, n_parts in (("GPT2", 2), ("OPT", 1)):
        found = Network(network(name), device="cpu")
        assert [found.widen() for _ in range(3)] == [each < n_parts for each in range(3)], name
        assert not found.narrow


def test_the_network_is_left_as_it_was() -> None:
    model = network("GPT2")
    before = plain(model, 5, 6)
    Network(model, device="cpu").logits(SIDE_BY_SIDE)
    torch.testing.assert_close(plain(model, 5, 6), before, rtol=1e-4, atol=1e-4)


def test_tokens_of_a_tree_see_their_ancestors_and_themselves() -> None:
    inputs = Network(network("GPT2"), device="cpu").inputs(TREE)
    mask = inputs["attention_mask"]
    assert mask.shape == (1, 1, 4, 4)
    # 5, 5 6, 5 6 7, 5 8: the last does not see the two before it.
    assert (mask[0, 0] == 0).tolist() == [
        [True, False, False, False],
        [True, True, False, False],
        [True, True, True, False],
        [True, False, False, True],
    ]
    assert mask.min() == torch.finfo(torch.float32).min
    assert inputs["position_ids"].tolist() == [[0, 1, 2, 1]]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_a_mask_is_of_the_networks_number_format(dtype: str) -> None:
    number_format = getattr(torch, dtype)
    mask = Network(network("GPT2").to(number_format), device="cpu").inputs(TREE)["attention_mask"]
    assert mask.dtype == number_format
    assert mask.isfinite().all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["GPT2", "GPTNeoX"])
def test_the_vocabulary_projection_of_half_precision_is_in_float32(dtype: str, name: str) -> None:
    model = network(name).to(getattr(torch, dtype))
    found = Network(model, device="cpu")
    head = model.get_output_embeddings()
    hidden = torch.randn(2, 3, head.weight.shape[1], dtype=head.weight.dtype)
    expected = hidden.float() @ head.weight.float().T + (0 if head.bias is None else head.bias)
    assert torch.equal(head(hidden), expected)
    assert found.logits(SIDE_BY_SIDE).dtype == torch.float32


def test_a_causal_network_is_told_nothing_of_padding_and_another_is() -> None:
    model = network("GPT2")
    causal = Network(model, device="cpu").inputs(SIDE_BY_SIDE)
    assert "attention_mask" not in causal
    other = Network(model, device="cpu", bidirectional=True).inputs(SIDE_BY_SIDE)
    assert other["attention_mask"].tolist() == [[1, 1, 1, 1], [1, 1, 0, 0]]


@pytest.mark.parametrize(("pad_token_id", "expected"), [(3, 3), (None, 0), (N_KNOWN, 0), (-1, 0)])
def test_padding_is_what_the_network_wants(pad_token_id: int | None, expected: int) -> None:
    model = network("GPT2")
    model.config.pad_token_id = pad_token_id
    padded = Network(model, device="cpu").inputs(SIDE_BY_SIDE)["input_ids"]
    assert padded.tolist() == [[5, 6, 7, 8], [9, 10, expected, expected]]


def test_sizes_are_those_of_the_weights_and_not_of_the_configuration() -> None:
    model = network("GPT2")
    model.resize_token_embeddings(N_KNOWN + 7, mean_resizing=False)
    model.config.vocab_size = N_KNOWN
    found = Network(model, device="cpu")
    assert (found.n_known, found.n_outputs) == (N_KNOWN + 7, N_KNOWN + 7)


def test_one_sequence_alone_has_logits_at_all_positions() -> None:
    model = network("GPT2")
    expected = plain(model, 5, 6, 7)
    found = Network(model, device="cpu")
    for whole in (False, True):
        given = found.logits_of(array(5, 6, 7), whole=whole)
        torch.testing.assert_close(given, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "message",
    [
        "CUDA out of memory. Tried to allocate 20.00 MiB.",
        "MPS backend out of memory (MPS allocated: 17.10 GB)",
        "DefaultCPUAllocator: can't allocate memory: you tried to allocate 80000000000 bytes.",
    ],
)
def test_memory_that_runs_out_is_told_from_other_errors(
    monkeypatch: pytest.MonkeyPatch, message: str
) -> None:
    found = Network(network("GPT2"), device="cpu")

    def fail(*_given: Any, **_options: Any) -> None:
        raise RuntimeError(message)

    monkeypatch.setattr(found.model, "forward", fail)
    with pytest.raises(MemoryError), found.memory_errors():
        found.logits(SIDE_BY_SIDE)
    message = "mat1 and mat2 shapes cannot be multiplied"
    other = pytest.raises(RuntimeError, match=r"^mat1 and mat2 shapes cannot be multiplied$")
    with other, found.memory_errors():
        found.logits(SIDE_BY_SIDE)


def test_an_allocation_that_fails_is_memory_that_runs_out() -> None:
    found = Network(network("GPT2"), device="cpu")
    found.model.transformer.h[0].register_forward_pre_hook(
        lambda _layer, _given: torch.empty(1 << 60, dtype=torch.uint8)
    )
    with pytest.raises(MemoryError), found.memory_errors():
        found.logits(SIDE_BY_SIDE)


def test_a_budget_is_what_is_asked_for_and_fits() -> None:
    found = Network(network("GPT2"), device="cpu")
    assert found.budget(LoadOptions(batch_tokens=50)).n_tokens == 50
    assert found.budget(LoadOptions(batch_tokens=50)).row_length == 50
    # Half of the memory; a row of logits is a float32 twice, as it is and as log-softmax has it.
    assert found.budget(LoadOptions(max_memory_bytes=2 * 8 * N_KNOWN * 11)).n_rows == 11
    assert found.budget(LoadOptions(max_memory_bytes=1)).n_tokens == 1


def test_faster_activations_are_the_same_function() -> None:
    model = network("GPT2")
    expected = plain(copy.deepcopy(model), 5, 6, 7)
    Network(model, device="cpu")
    assert type(model.transformer.h[0].mlp.act) is torch.nn.GELU
    torch.testing.assert_close(plain(model, 5, 6, 7), expected, rtol=1e-5, atol=1e-5)


def test_a_pass_without_padding_is_fed_as_it_is() -> None:
    ids = array(5, 6)[None]
    alone = Pass(ids=ids, lengths=array(2), rows=array(1), places=array(0))
    model = network("OPT")
    given = Network(model, device="cpu").inputs(alone)
    assert given["input_ids"].tolist() == [[5, 6]]
    assert given["use_cache"] is False
