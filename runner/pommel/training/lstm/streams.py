"""A text cut into streams that are read side by side, and streams into windows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pommel.training.lstm.corpus import Words

# Where a stream has no word any more; what torch's cross entropy leaves out by default.
NO_WORD = -100


@dataclass(frozen=True, slots=True, kw_only=True)
class Streams:
    """A text in streams of equal length, but for one word.

    `inputs` and `targets` are tensors of word indices, (words x streams). A target is what follows
    its input in the text; each word of the text is the target exactly once, the first word's input
    being `<eos>`.
    """

    inputs: Any
    targets: Any
    n_words: int
    window_size: int

    @property
    def n_streams(self) -> int:
        """How many streams there are."""
        return int(self.inputs.shape[1])

    @property
    def n_windows(self) -> int:
        """How many windows of at most `window_size` words there are."""
        return -(-len(self.inputs) // self.window_size)

    def window(self, index: int) -> tuple[Any, Any, int]:
        """Return inputs and targets of a window, (words x streams), and how many words it has."""
        first = index * self.window_size
        inputs = self.inputs[first : first + self.window_size]
        targets = self.targets[first : first + self.window_size]
        left_over = self.n_words % self.n_streams
        is_last = first + self.window_size >= len(self.inputs)
        n_missing = self.n_streams - left_over if is_last and left_over else 0
        return inputs.long(), targets.long(), targets.numel() - n_missing


def streams(words: Words, *, n_streams: int, window_size: int, eos: int, device: Any) -> Streams:
    """Cut a text into streams on a torch device; there are no more of them than words."""
    import torch  # noqa: PLC0415 - an extra

    n_streams = min(n_streams, len(words))
    shorter, n_longer = divmod(len(words), n_streams)
    shape = (shorter + bool(n_longer), n_streams)
    inputs, targets = np.full(shape, eos, np.int32), np.full(shape, NO_WORD, np.int32)
    start = 0
    for stream in range(n_streams):
        n_words = shorter + (stream < n_longer)
        targets[:n_words, stream] = words[start : start + n_words]
        inputs[bool(start == 0) : n_words, stream] = words[max(0, start - 1) : start + n_words - 1]
        start += n_words
    return Streams(
        inputs=torch.from_numpy(inputs).to(device),
        targets=torch.from_numpy(targets).to(device),
        n_words=len(words),
        window_size=window_size,
    )
