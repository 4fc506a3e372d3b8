"""Networks that read from left to right: shared beginnings once, and no more than is asked for.

So do encoder-decoder networks, by teacher forcing: one constant source, the sentence in the
decoder.
"""

import copy
import functools
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommel.errors import ModelNotAvailableError
from pommel.models.model import LoadOptions
from pommel.models.neural.gpt2 import NumpyGpt2
from pommel.models.neural.network import Network
from pommel.models.neural.passes import Pass, PrefixTree, prefix_tree, sort_key, work_of
from pommel.models.neural.plans import Path, Plan, TreePlan, carry_out, sequence_plan
from pommel.models.neural.questions import Answers, Ids, Questions, Request
from pommel.models.neural.self_check import (
    attention_window,
    check_causal,
    find_paths,
    stretching_limit,
)
from pommel.values import frozen

# Requests with so many ids share a tree. More would share hardly more, and take more memory.
_BLOCK_IDS = 1 << 18


@frozen(eq=False)
class CausalEngine:
    """A causal network, and the fastest way to feed it that gives its own numbers.

    `path` is that way, `why` the reason where it is not the prefix tree. `window` is how far back
    the network looks at most, if it does not look at everything: longer contexts go side by side,
    on the path `beside`. Inputs longer than `alone_beyond` go alone, and whole: the network's
    positions depend on how long its input is.
    """

    network: Network | NumpyGpt2
    path: Path
    why: str = ""
    window: int | None = None
    beside: Path = "padded batches"
    alone_beyond: int | None = None
    options: LoadOptions = field(default_factory=LoadOptions)

    def answers(
        self, requests: Sequence[Request], *, group: NDArray[np.bool_] | None = None
    ) -> Answers:
        """Yield (index into `requests`, answer), each index once, in any order.

        Contexts that requests share are computed once, and only those that something is asked of
        go through the vocabulary projection. `group` (n_known,) says which items of the
        vocabulary count at a request's boundaries.
        Raises `MemoryError` if a single request does not fit into the device's memory, and
        `RuntimeError` if the network fails.
        """
        if group is not None:
            # A network may have more outputs than its tokenizer has items: they are in no group.
            padded = np.zeros(self.network.n_outputs, dtype=np.bool_)
            padded[: len(group)] = group[: len(padded)]
            group = padded
        budget = self.network.budget(self.options)
        contexts = [self._context(request) for request in requests]
        order = sorted(range(len(requests)), key=lambda index: sort_key(contexts[index]))
        for own, path in self._blocks(order, contexts):
            if self.alone_beyond and len(contexts[own[-1]]):
                # Such a network stretches for the longest input it has seen, until a short one.
                self.network.log_probabilities(contexts[own[-1]][:1])
            tree = prefix_tree([contexts[index] for index in own])
            pairs = zip(own, tree.paths, strict=True)
            questions = Questions([requests[index].asked_of(nodes) for index, nodes in pairs])
            plan = self._plan(tree, questions, path, budget.row_length)
            for place, answer in carry_out(plan, questions, self.network, budget, group):
                yield own[place], answer

    def work(self, requests: Sequence[Request]) -> tuple[int, int]:
        """Return how many nodes of a prefix tree, and rows of the projection, requests are."""
        return work_of(requests, [self._context(each) for each in requests])

    def _blocks(
        self, order: Sequence[int], contexts: Sequence[Ids]
    ) -> Iterator[tuple[list[int], Path]]:
        """Yield the requests that go together, in `order`, and the path that they take."""
        near: list[int] = []
        beside: list[int] = []
        n_ids = 0
        for index in order:
            length = len(contexts[index])
            if self.alone_beyond is not None and length > self.alone_beyond:
                yield [index], self.beside
                continue
            is_far = self.window is not None and length > self.window
            (beside if is_far else near).append(index)
            n_ids += length
            if n_ids >= _BLOCK_IDS:
                yield from self._full(near, beside)
                near, beside, n_ids = [], [], 0
        yield from self._full(near, beside)

    def _full(self, near: list[int], beside: list[int]) -> Iterator[tuple[list[int], Path]]:
        if near:
            yield near, self.path
        if beside:
            yield beside, self.beside

    def _context(self, request: Request) -> Ids:
        """Return the ids that must go through the network: nothing after what is asked for."""
        n_fed, n_whole = request.n_context, len(request.ids) - 1
        if n_fed and self.alone_beyond is not None and n_whole > self.alone_beyond:
            n_fed = max(n_whole, n_fed)
        return request.ids[:n_fed]

    def log_probabilities(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Return the natural logarithms of what is expected after each of `ids`.

        *Shape:* (n_ids x n_outputs); row i is what follows `ids[:i + 1]`. Raises as `answers` does.
        """
        if not len(ids):
            return np.empty((0, self.network.n_outputs), dtype=np.float32)
        return self.network.log_probabilities(np.asarray(ids, dtype=np.int64))

    def _plan(self, tree: PrefixTree, questions: Questions, path: Path, row_length: int) -> Plan:
        if path == "prefix tree":
            # Some networks measure their window in the packed row, not in the sentence.
            row_length = min(row_length, self.window or row_length)
            return TreePlan(tree, questions.rows, row_length=row_length)
        return sequence_plan(tree, questions.rows, equal_lengths=path != "padded batches")


def causal_engine(network: Network, options: LoadOptions) -> CausalEngine:
    """Return an engine for a network, after trying it on a few tokens.

    Raises `ModelNotAvailableError` if it is not causal.
    """
    check_causal(network, dtype=options.dtype)
    found = find_paths(network, options.dtype)
    config = network.model.config
    return CausalEngine(
        network=network,
        path=found.path,
        why=found.why,
        window=attention_window(config),
        beside=found.beside,
        alone_beyond=0 if found.path == "one by one" else stretching_limit(config),
        options=options,
    )


class TeacherForcedNetwork(Network):
    """An encoder-decoder network whose encoder always reads the same; its decoder is causal.

    The source is encoded once, when it is first needed. The ids of a pass are the decoder's input.
    """

    def __init__(self, model: Any, *, source_ids: Sequence[int], device: str) -> None:
        """Take a transformers model in evaluation mode; `source_ids` is the encoder's input."""
        super().__init__(model, device=device)
        self.source_ids = np.array(source_ids, dtype=np.int64)[None]

    def inputs(self, a_pass: Pass) -> dict[str, Any]:
        """Return what the network is called with.

        Raises `NotImplementedError` for a prefix tree: decoders take no position ids from outside.
        """
        if a_pass.tree is not None:
            raise NotImplementedError("an encoder-decoder network takes no position ids")
        inputs = super().inputs(a_pass)
        # Some decoders look for more in it than the hidden state.
        source = copy.copy(self._source)
        source.last_hidden_state = source.last_hidden_state.expand(len(a_pass.ids), -1, -1)
        return {
            "encoder_outputs": source,
            "decoder_input_ids": inputs.pop("input_ids"),
            **inputs,
        }

    @functools.cached_property
    def _source(self) -> Any:
        """The encoder's output; its hidden state is (1 x n_source_ids x hidden size)."""
        import torch

        with torch.inference_mode():
            encoder = self.model.get_encoder()
            return encoder(input_ids=self._tensor(self.source_ids), return_dict=True)


def teacher_forced_engine(
    model: Any, options: LoadOptions, *, source_ids: Sequence[int], start_id: int | None
) -> CausalEngine:
    """Return an engine for an encoder-decoder model, after trying it on a few tokens.

    The encoder reads `source_ids`, always; every request's ids begin with `start_id`, the mark that
    the decoder starts with (`decoder_start_token_id` in its configuration), as other causal
    networks' begin with BOS.
    Raises `ModelNotAvailableError` if the decoder has no such mark, the source is empty or unknown,
    or the decoder is not causal.
    """
    network = TeacherForcedNetwork(model, source_ids=source_ids, device=options.device)
    known = range(network.n_known)
    if start_id not in known:
        raise ModelNotAvailableError(
            "it does not say which token its decoder starts with (decoder_start_token_id)"
        )
    if not source_ids or not all(each in known for each in source_ids):
        raise ModelNotAvailableError(
            "its encoder needs a source of one token at least, all of them known to it"
        )
    return causal_engine(network, options)
