"""Encoder-decoder networks by teacher forcing: one constant source, the sentence in the decoder."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from pommel.errors import ModelNotAvailableError
from pommel.models.neural.causal import CausalEngine, engine_for
from pommel.models.neural.network import Network
from pommel.models.neural.passes import Pass


class TeacherForcedNetwork(Network):
    """An encoder-decoder network whose encoder always reads the same; its decoder is causal.

    The source is encoded once, when it is first needed. The ids of a pass are the decoder's input.
    """

    def __init__(self, model: Any, *, source_ids: Sequence[int], device: str) -> None:
        """Take a transformers model in evaluation mode; `source_ids` is the encoder's input."""
        super().__init__(model, device=device)
        self.source_ids = np.array(source_ids, dtype=np.int64)[None]
        self._source: Any = None

    def inputs(self, a_pass: Pass) -> dict[str, Any]:
        """Return what the network is called with.

        Raises `NotImplementedError` for a prefix tree: decoders take no position ids from outside.
        """
        if a_pass.tree is not None:
            raise NotImplementedError("an encoder-decoder network takes no position ids")
        inputs = super().inputs(a_pass)
        # Some decoders look for more in it than the hidden state.
        source = copy.copy(self._encoded())
        hidden = source.last_hidden_state
        source.last_hidden_state = hidden.expand(len(a_pass.ids), -1, -1)
        return {
            "encoder_outputs": source,
            "decoder_input_ids": inputs.pop("input_ids"),
            **inputs,
        }

    def _encoded(self) -> Any:
        """Return the encoder's output; its hidden state is (1 x n_source_ids x hidden size)."""
        import torch  # noqa: PLC0415 - an extra

        if self._source is None:
            encoder = self.model.get_encoder()
            with torch.inference_mode():
                self._source = encoder(input_ids=self._tensor(self.source_ids), return_dict=True)
        return self._source


def teacher_forced_engine(  # noqa: PLR0913 - each of these is a choice of the caller's
    model: Any,
    *,
    source_ids: Sequence[int],
    start_id: int | None,
    device: str,
    dtype: str,
    reference: str,
    max_memory_bytes: int | None = None,
    batch_tokens: int | None = None,
) -> CausalEngine:
    """Return an engine for an encoder-decoder model, after trying it on a few tokens.

    The encoder reads `source_ids`, always; every request's ids begin with `start_id`, the mark that
    the decoder starts with (`decoder_start_token_id` in its configuration), as other causal
    networks' begin with BOS.
    Raises `ModelNotAvailableError` if the decoder has no such mark, the source is empty or unknown,
    or the decoder is not causal.
    """
    network = TeacherForcedNetwork(model, source_ids=source_ids, device=device)
    if start_id is None or not 0 <= start_id < network.n_known:
        problem = "it does not say which token its decoder starts with (decoder_start_token_id)"
        raise ModelNotAvailableError(f"{reference}: {problem}")
    if not source_ids or not all(0 <= each < network.n_known for each in source_ids):
        problem = "its encoder needs a source of one token at least, all of them known to it"
        raise ModelNotAvailableError(f"{reference}: {problem}")
    return engine_for(
        network,
        dtype=dtype,
        reference=reference,
        max_memory_bytes=max_memory_bytes,
        batch_tokens=batch_tokens,
    )
