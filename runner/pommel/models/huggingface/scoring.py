"""From token ids to bits: batches, padding, memory. Knows no text and no policy."""

import inspect
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pommel.errors import ModelNotAvailableError

Ids = Sequence[int]

# Logits are the biggest thing there is: a batch gets smaller where the vocabulary is big.
_LOGITS_PER_BATCH = 1 << 27
# They become float32 in pieces of this many, so that a bfloat16 model does not need three times
# their memory.
_LOGITS_PER_CHUNK = 1 << 24

# How much of the largest logit two passes may differ by before it is more than rounding.
_ROUNDING = {"float32": 1e-4, "bfloat16": 0.05, "float16": 0.05}


@dataclass(frozen=True, slots=True, kw_only=True)
class CausalScorer:
    """A causal network and how it may be fed.

    `n_known` is the size of its vocabulary. `equal_lengths` says that the sentences of a batch
    must have one length, because padding changes this network's numbers.
    """

    network: Any
    device: str
    n_known: int
    equal_lengths: bool

    def batches(self, lengths: Sequence[int], batch_size: int) -> Iterator[list[int]]:
        """Yield the indices of `lengths` (in tokens) in batches, the longest first.

        So memory runs out at once or never.
        """
        batch: list[int] = []
        for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
            if batch:
                longest = lengths[batch[0]]
                too_big = (len(batch) + 1) * longest * self.n_known > _LOGITS_PER_BATCH
                padded = self.equal_lengths and lengths[index] != longest
                if len(batch) == batch_size or too_big or padded:
                    yield batch
                    batch = []
            batch.append(index)
        if batch:
            yield batch

    def bits(self, batch: Sequence[Ids]) -> list[list[float]]:
        """Return the surprisals of each one's tokens but its first, which has no context.

        A surprisal is NaN where the network gives no number. Raises `MemoryError` if the batch
        does not fit into the memory of the device.
        """
        import torch  # noqa: PLC0415

        # The last token predicts nothing we ask for, so nothing is computed for it.
        contexts = [ids[:-1] for ids in batch]
        if not any(contexts):
            return [[] for _ in batch]
        try:
            with torch.inference_mode():
                logits = self.logits(contexts)
                rows = [_bits(logits[row], ids[1:]) for row, ids in enumerate(batch)]
                flat = iter(torch.cat(rows).tolist())
        except RuntimeError as error:
            if not _is_out_of_memory(error):
                raise
        else:
            return [[next(flat) for _ in context] for context in contexts]
        # Outside of `except`, where the error still holds on to what the batch has used.
        if self.device.startswith("cuda"):
            torch.cuda.empty_cache()
        raise MemoryError

    def logits(self, batch: Sequence[Ids]) -> Any:
        """Return the logits (sentences x longest x vocabulary); those of padding are void.

        Padding is on the right, where no token that counts can see it.
        """
        import torch  # noqa: PLC0415

        longest = max(map(len, batch))
        ids = [[*context, *[0] * (longest - len(context))] for context in batch]
        mask = [[1] * len(context) + [0] * (longest - len(context)) for context in batch]
        accepted = inspect.signature(self.network.forward).parameters
        inputs: dict[str, Any] = {"input_ids": torch.tensor(ids, device=self.device)}
        if "attention_mask" in accepted:
            inputs["attention_mask"] = torch.tensor(mask, device=self.device)
        if "use_cache" in accepted:
            inputs["use_cache"] = False
        return self.network(**inputs, return_dict=True).logits


def causal_scorer(network: Any, *, device: str, dtype: str, reference: str) -> CausalScorer:
    """Return a scorer for `network` after trying it on a few tokens.

    Raises `ModelNotAvailableError` if a token's probability depends on what comes after it: then
    the network is not causal, whatever its configuration says.
    """
    import torch  # noqa: PLC0415

    n_known = network.get_input_embeddings().weight.shape[0]
    # The class says so where a sentence leaves a state behind.
    recurrent = bool(getattr(network, "_is_stateful", False))
    scorer = CausalScorer(network=network, device=device, n_known=n_known, equal_lengths=recurrent)
    first, second, third, fourth = (number % n_known for number in (3, 4, 5, 6))
    with torch.inference_mode():
        swapped = scorer.logits([[first, second, third], [first, second, fourth]])
        if not _agree(swapped, 2, dtype):
            message = "it is not a causal language model: tokens depend on those that follow"
            raise ModelNotAvailableError(f"{reference}: {message}")
        padded = scorer.logits([[first, second], [first, second, third]])
    return replace(scorer, equal_lengths=recurrent or not _agree(padded, 2, dtype))


def _agree(logits: Any, n_positions: int, dtype: str) -> bool:
    """Return whether two sentences get the same logits (2 x positions x vocabulary) at first."""
    logits = logits[:, :n_positions].float()
    difference, largest = (logits[0] - logits[1]).abs().max(), logits.abs().max()
    # Said this way round, a network that gives no numbers passes: scoring names the sentence.
    return not difference > _ROUNDING[dtype] * largest


def _bits(logits: Any, targets: Ids) -> Any:
    """Return -log2 p of each target, on the device.

    *Shape:* logits (positions x vocabulary), at least as many positions as there are targets.
    """
    import torch  # noqa: PLC0415

    n_rows = max(1, _LOGITS_PER_CHUNK // logits.shape[-1])
    wanted = torch.tensor(targets, dtype=torch.long, device=logits.device)[:, None]
    chunks = [wanted.new_empty(0, dtype=torch.float32)]
    for first in range(0, len(targets), n_rows):
        last = min(first + n_rows, len(targets))
        rows = logits[first:last].float()
        nats = rows.logsumexp(-1) - rows.gather(-1, wanted[first:last])[:, 0]
        # Rounding may make a certain token's surprisal -1e-7.
        chunks.append(nats.clamp_min(0) / math.log(2))
    return torch.cat(chunks)


def _is_out_of_memory(error: RuntimeError) -> bool:
    # Only CUDA has a class of its own for it; this is what CUDA, MPS and the processor say.
    text = str(error).lower()
    return "out of memory" in text or "can't allocate memory" in text
