"""From logits to bits: log-softmax in float32 at least, in pieces."""

import math
from typing import Any

import numpy as np

from pommel.models.neural.requests import Bits, Ids

# Logits become float32 in pieces of this many, so that a bfloat16 model does not need three times
# their memory.
_LOGITS_PER_CHUNK = 1 << 23


def read(
    logits: Any, row_of_target: Ids, targets: Ids, group: Any = None
) -> tuple[Bits, Bits | None]:
    """Return -log2 p of each target and, with a `group`, of each row's group, in bits.

    *Shape:* logits (n_rows x n_outputs), a tensor, which is used up; `row_of_target` (ascending)
    and `targets` (n_targets,); `group` a boolean tensor (n_outputs,) that says what belongs to it.
    Returns (n_targets,) and (n_rows,); NaN where the logits are no numbers.
    """
    import torch  # noqa: PLC0415 - an extra

    n_rows = max(1, _LOGITS_PER_CHUNK // logits.shape[-1])
    ends = np.searchsorted(row_of_target, np.arange(0, len(logits) + n_rows, n_rows))
    nats, group_nats = [], []
    for chunk, first in enumerate(range(0, len(logits), n_rows)):
        own = slice(ends[chunk], ends[chunk + 1])
        row = torch.as_tensor(row_of_target[own] - first, device=logits.device)
        target = torch.as_tensor(targets[own], device=logits.device)
        with torch.inference_mode():
            rows = _at_least_float32(logits[first : first + n_rows])
            # Differences of large numbers would lose what matters: the largest becomes 0. In place,
            # as what follows: to copy so many numbers takes as long as to compute with them.
            rows.sub_(rows.amax(-1, keepdim=True))
            wanted = rows[row, target]
            in_group = None if group is None else rows[:, group.to(rows.device)].logsumexp(-1)
            total = rows.exp_().sum(-1).log()
            nats.append(total[row] - wanted)
            if in_group is not None:
                group_nats.append(total - in_group)
    return _bits(nats), _bits(group_nats) if group is not None else None


def _at_least_float32(logits: Any) -> Any:
    import torch  # noqa: PLC0415 - an extra

    return logits if logits.dtype == torch.float64 else logits.float()


def _bits(nats: list[Any]) -> Bits:
    import torch  # noqa: PLC0415 - an extra

    if not nats:
        return np.empty(0)
    # Rounding may make a certain token's surprisal -1e-7.
    values = torch.cat(nats).clamp_min(0).cpu().numpy().astype(np.float64)
    return np.asarray(values / math.log(2))
