"""The causal engine: what it feeds, what it projects, and what it does with what is asked."""

import copy
import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.models.neural.counting import counted
from tests.models.neural.networks import (
    N_KNOWN,
    WINDOW,
    Reference,
    answers,
    engine_of,
    largest_difference,
    limited,
    network,
    random_requests,
    request,
    trial,
)

from pommel.errors import ModelNotAvailableError
from pommel.models.model import LoadOptions
from pommel.models.neural import causal
from pommel.models.neural.causal import CausalEngine
from pommel.models.neural.network import Network
from pommel.models.neural.passes import Pass
from pommel.models.neural.questions import Request

torch: Any = pytest.importorskip("torch")
pytest.importorskip("transformers")

GROUP = np.arange(N_KNOWN) % 3 == 0


def work(engine: CausalEngine, asked: Sequence[Request]) -> tuple[int, int, int]:
    """Return how many passes, tokens fed and rows projected the answers take."""
    counts = counted(engine.network)
    answers(engine, asked)
    return counts.n_passes, counts.n_tokens_fed, counts.n_rows_projected


# Two sentences that share three tokens, and one of them again.
SENTENCES = [[5, 6, 7, 8, 9], [5, 6, 7, 10], [5, 6, 7, 8, 9]]


def test_each_distinct_prefix_is_fed_once_and_its_last_token_not_at_all() -> None:
    # Fed: 5 6 7 8. Of 9 and 10 only the surprisal is needed.
    asked = [request(ids) for ids in SENTENCES]
    assert work(trial("GPT2").engine, asked) == (1, 4, 4)


def test_nothing_after_the_last_token_asked_for_is_fed_and_no_other_row_projected() -> None:
    asked = [request([5, 6, 7, 8, 9], [2]), request([5, 6, 7, 10], [1])]
    assert work(trial("GPT2").engine, asked) == (1, 2, 2)


def test_different_tokens_after_the_same_context_take_one_row() -> None:
    asked = [request([5, 6, last], [2]) for last in range(20)]
    assert work(trial("GPT2").engine, asked) == (1, 2, 1)


def test_a_boundary_after_the_last_token_needs_that_token_fed() -> None:
    assert work(trial("GPT2").engine, [request([5, 6, 7], [2], [3])]) == (1, 3, 2)


def test_where_nothing_is_asked_nothing_is_fed() -> None:
    engine = trial("GPT2").engine
    assert work(engine, [request([5, 6, 7], []), request([5], []), request([], [])]) == (0, 0, 0)
    assert work(engine, []) == (0, 0, 0)


def test_a_network_without_trees_is_fed_each_longest_sentence() -> None:
    # 5 6 7 8 beside 5 6 7 11; 5 6 is the beginning of both. Shared rows are projected once.
    asked = [request(ids) for ids in ([5, 6, 7, 8, 9], [5, 6, 7, 11, 9], [5, 6, 10])]
    assert work(trial("Bloom").engine, asked) == (1, 8, 5)


def test_a_budget_of_tokens_makes_more_passes() -> None:
    asked = [request(ids) for ids in ([5, 6, 7, 8], [9, 10, 11, 12])]
    engine = trial("GPT2").engine
    assert work(engine, asked) == (1, 6, 6)
    assert work(limited(engine, batch_tokens=3), asked) == (2, 6, 6)
    # Row by row: each node with all its ancestors.
    assert work(limited(engine, batch_tokens=1), asked) == (6, 12, 6)


def test_more_than_the_window_goes_side_by_side() -> None:
    # In the window a tree of 7 + 1 tokens; beyond it two sequences of 9.
    stem = list(range(10, 10 + WINDOW - 1))
    near = [request([*stem, 1, 2], [WINDOW]), request([*stem, 3], [WINDOW - 1])]
    far = [request([*stem, 1, 2, last, 4], [WINDOW + 2]) for last in (5, 6)]
    engine = trial("Mistral").engine
    assert engine.window == WINDOW
    assert work(engine, near) == (1, WINDOW, 2)
    assert work(engine, far) == (1, 2 * (WINDOW + 2), 2)
    assert work(engine, [*near, *far]) == (2, WINDOW + 2 * (WINDOW + 2), 4)


def test_answers_are_in_the_order_of_positions_and_boundaries() -> None:
    engine, reference = trial("GPT2").engine, trial("GPT2").reference
    asked = request([5, 6, 7, 8, 9], [1, 4], [1, 3, 5])
    [given] = answers(engine, [asked], GROUP)
    expected = reference.answer(asked, GROUP)
    np.testing.assert_allclose(given.bits, expected.bits, atol=1e-4)
    np.testing.assert_allclose(given.boundary_bits, expected.boundary_bits, atol=1e-4)


def test_boundaries_without_a_group_have_no_number() -> None:
    [given] = answers(trial("GPT2").engine, [request([5, 6], [1], [1, 2])])
    assert np.isfinite(given.bits).all()
    assert np.isnan(given.boundary_bits).tolist() == [True, True]


def test_outputs_beyond_the_vocabulary_belong_to_no_group() -> None:
    # A tokenizer of 50 items, a network of 97 outputs.
    engine, reference = trial("GPT2").engine, trial("GPT2").reference
    asked = request([5, 6], [1], [2])
    [given] = answers(engine, [asked], np.ones(50, dtype=np.bool_))
    expected = reference.answer(asked, np.arange(N_KNOWN) < 50)
    np.testing.assert_allclose(given.boundary_bits, expected.boundary_bits, atol=1e-4)
    assert given.boundary_bits[0] > 0.1


def test_a_tokenizer_may_have_more_items_than_the_network() -> None:
    [given] = answers(trial("GPT2").engine, [request([5, 6], [1], [2])], np.ones(120, np.bool_))
    np.testing.assert_allclose(given.boundary_bits, [0], atol=1e-5)


def test_answers_come_as_passes_are_made() -> None:
    engine = limited(trial("GPT2").engine, batch_tokens=4)
    counts = counted(engine.network)
    given = engine.answers([request([5, 6, 7]), request([8, 9, 10]), request([11, 12, 13, 14])])
    next(given)
    # The next pass has been asked for before the first is read.
    assert counts.n_passes == 2
    assert len(list(given)) == 2


def test_requests_of_several_trees_are_answered_all(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = random_requests(40)
    expected = answers(trial("Mistral").engine, asked, GROUP)
    monkeypatch.setattr(causal, "_BLOCK_IDS", 3)
    in_blocks = answers(trial("Mistral").engine, asked, GROUP)
    assert largest_difference(in_blocks, expected) < 1e-4


def test_a_network_that_is_not_causal_is_refused() -> None:
    hf: Any = pytest.importorskip("transformers")
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    torch.manual_seed(1)
    model = hf.BertLMHeadModel(hf.BertConfig(vocab_size=N_KNOWN, **shape)).eval()
    with pytest.raises(ModelNotAvailableError, match=r"^it is not a causal language model"):
        engine_of(model)


def test_a_failure_of_the_network_comes_out() -> None:
    # More positions than the network has.
    engine = engine_of(network("GPT2"))
    with pytest.raises(IndexError):
        answers(engine, [request(range(80))])


class RecordedNetwork(Network):
    """Remembers how many rows each pass had projected."""

    def logits(self, a_pass: Pass) -> Any:
        found = super().logits(a_pass)
        self.shapes = [*getattr(self, "shapes", []), tuple(found.shape)]
        return found


N_MANY = 250_000
SMALL_MEMORY = 64_000_000


@pytest.mark.parametrize("path", ["prefix tree", "padded batches", "batches of equal length"])
def test_a_large_vocabulary_never_makes_more_rows_than_memory_holds(path: Any) -> None:
    model = network("GPT2", vocab_size=N_MANY, n_embd=8, n_head=2)
    found = RecordedNetwork(model, device="cpu")
    engine = CausalEngine(
        network=found,
        path=path,
        options=LoadOptions(max_memory_bytes=SMALL_MEMORY),
    )
    asked = random_requests(12)
    answers(engine, asked)
    # Half of the memory for logits, as they are and as log-softmax has them, in float32 both.
    most_rows = SMALL_MEMORY // 2 // (8 * N_MANY)
    assert most_rows == 16
    assert max(n_rows for n_rows, _ in found.shapes) == most_rows
    assert {n_outputs for _, n_outputs in found.shapes} == {N_MANY}


_PEAK = """
import json, resource, warnings
import torch, transformers
from pommel.models.neural.causal import causal_engine
from pommel.models.model import LoadOptions
from pommel.models.neural.network import Network
from pommel.models.neural.questions import Request
import numpy as np

warnings.simplefilter("ignore")
transformers.utils.logging.set_verbosity_error()
torch.set_num_threads(1)
shape = dict(n_layer=1, n_embd=8, n_head=2, n_positions=64, bos_token_id=0, eos_token_id=0)
config = transformers.GPT2Config(vocab_size=250_000, **shape)
model = transformers.GPT2LMHeadModel(config).eval()
engine = causal_engine(Network(model, device="cpu"), LoadOptions(max_memory_bytes=64_000_000))

def peak_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

before = peak_bytes()
random = np.random.default_rng(0)
requests = [
    Request(ids=random.integers(0, 250_000, 31), positions=np.arange(1, 31)) for _ in range(10)
]
answered = sum(len(answer.bits) for _, answer in engine.answers(requests))
print(json.dumps({"answered": answered, "more": peak_bytes() - before}))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="it has no resource usage")
def test_a_large_vocabulary_takes_no_more_memory_than_it_may() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PEAK], check=True, capture_output=True, text=True, timeout=120
    )
    found = json.loads(done.stdout)
    assert found["answered"] == 300
    # 10 sentences x 30 tokens x 250,000 in float32 would be 300 million bytes.
    assert found["more"] < 2 * SMALL_MEMORY


def test_nothing_after_nothing() -> None:
    engine = causal.causal_engine(Network(network("GPT2"), device="cpu"), LoadOptions())
    assert engine.log_probabilities([]).shape == (0, N_KNOWN)


def test_long_inputs_that_stretch_positions_have_no_say_in_others() -> None:
    rope = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10_000.0}
    model = network("Llama", rope_parameters=rope, max_position_embeddings=20)
    fresh = copy.deepcopy(model).double()
    engine = causal.causal_engine(Network(model, device="cpu"), LoadOptions())
    assert (engine.path, engine.alone_beyond) == ("prefix tree", 20)
    random = np.random.default_rng(0)
    asked = [request(random.integers(3, N_KNOWN, n).tolist()) for n in (12, 40, 12, 40, 21, 22)]
    # Less of a long sentence is asked for: its numbers are those of the whole.
    asked.append(request(asked[1].ids.tolist(), [2, 5]))
    given = answers(engine, asked)
    for each, answer in zip(asked, given, strict=True):
        # A sentence by itself, without its last token, which predicts nothing. Such a network
        # remembers the longest input that it has seen: each sentence has a network of its own.
        table = Reference(copy.deepcopy(fresh)).log2_probabilities(each.ids[:-1])
        expected = -table[each.positions - 1, each.ids[each.positions]]
        np.testing.assert_allclose(answer.bits, expected, atol=1e-4)


def test_a_network_whose_head_is_not_found_projects_no_more_than_fits() -> None:
    model = network("GPT2")
    model.get_output_embeddings = lambda: None
    engine = causal.causal_engine(Network(model, device="cpu"), LoadOptions())
    rows = 10
    small = limited(engine, max_memory_bytes=2 * 8 * N_KNOWN * rows)
    budget = small.network.budget(small.options)
    assert budget.n_tokens <= budget.n_rows == rows
    asked = random_requests(20)
    assert largest_difference(answers(small, asked), answers(trial("GPT2").engine, asked)) < 1e-4
