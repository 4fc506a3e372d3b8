"""A transformers network, fed with passes: logits of the rows that are needed, and no others.

From logits to bits it is a log-softmax in float32 at least, in pieces.
"""

import contextlib
import inspect
import math
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pommel.models.model import LoadOptions
from pommel.models.neural.memory import Budget, memory_errors, usable_bytes
from pommel.models.neural.passes import Pass, TreeShape
from pommel.models.neural.precision import exact_products, linear, multiply_quickly
from pommel.models.neural.questions import Bits, Ids

if TYPE_CHECKING:
    import torch

# Logits become float32 in pieces of this many, so that a bfloat16 model does not need three times
# their memory.
_LOGITS_PER_CHUNK = 1 << 23


# What gives bits of targets, and of groups, when it is called: a device may still be at it.
Reading = Callable[[], tuple[Bits, Bits | None]]


def reading(
    logits: "torch.Tensor",
    row_of_target: Ids,
    targets: Ids,
    group: NDArray[np.bool_] | None = None,
) -> Reading:
    """Ask for -log2 p of each target and, with a `group`, of each row's group, in bits.

    Nothing here waits for a GPU; what is returned does.
    *Shape:* logits (n_rows x n_outputs), a tensor, which is used up; `row_of_target` (ascending)
    and `targets` (n_targets,); `group` (n_outputs,) says what belongs to it.
    It gives (n_targets,) and (n_rows,); NaN where the logits are no numbers.
    """
    import torch

    n_rows = max(1, _LOGITS_PER_CHUNK // logits.shape[-1])
    ends = np.searchsorted(row_of_target, np.arange(0, len(logits) + n_rows, n_rows))
    members = None if group is None else on_device(np.flatnonzero(group), logits.device)
    nats, group_nats = [], []
    for chunk, first in enumerate(range(0, len(logits), n_rows)):
        own = slice(ends[chunk], ends[chunk + 1])
        row = on_device(row_of_target[own] - first, logits.device)
        target = on_device(targets[own], logits.device)
        with torch.inference_mode():
            rows = at_least_float32(logits[first : first + n_rows])
            # Differences of large numbers would lose what matters: the largest becomes 0. In place,
            # as what follows: to copy so many numbers takes as long as to compute with them.
            rows.sub_(rows.amax(-1, keepdim=True))
            wanted = rows[row, target]
            in_group = None if members is None else rows[:, members].logsumexp(-1)
            total = rows.exp_().sum(-1).log()
            nats.append(total[row] - wanted)
            if in_group is not None:
                group_nats.append(total - in_group)
    bits, group_bits = _on_host(nats), _on_host(group_nats)
    return lambda: (bits(), None if group is None else group_bits())


def on_device(array: NDArray[np.generic], device: "torch.device | str") -> "torch.Tensor":
    """Return an array as a tensor on a device; no GPU is waited for."""
    import torch

    tensor = torch.as_tensor(array)
    if torch.device(device).type != "cuda":
        return tensor.to(device)
    # Memory that is not pinned is copied when all that was asked for before is done.
    return tensor.pin_memory().to(device, non_blocking=True)


def at_least_float32(logits: "torch.Tensor") -> "torch.Tensor":
    """Return logits in float32, or in float64 if they are."""
    import torch

    return logits if logits.dtype == torch.float64 else logits.float()


def _on_host(nats: "list[torch.Tensor]") -> Callable[[], Bits]:
    """Have numbers copied as soon as they are there; what is returned waits for them."""
    import torch

    if not nats:
        return lambda: np.empty(0)
    # Rounding may make a certain token's surprisal -1e-7.
    values = torch.cat(nats).clamp_min(0)
    # Asked for later, the copy would wait for the passes that have been queued meanwhile.
    copy = values.to("cpu", non_blocking=values.is_cuda)
    copied = torch.cuda.current_stream(values.device).record_event() if values.is_cuda else None

    def bits() -> Bits:
        if copied is not None:
            copied.synchronize()
        return np.asarray(copy.numpy().astype(np.float64) / math.log(2))

    return bits


# Beyond so many tokens a pass gains nothing: caches overflow, or a GPU is busy anyway, and then
# several passes are better, since it computes one while the processor sees to those beside it.
_PROCESSOR_TOKENS = 1_024
_GPU_TOKENS = 16_384
# The length of packed rows: long ones make attention cost more, short ones repeat more ancestors.
_PROCESSOR_ROW_LENGTH = 128
_GPU_ROW_LENGTH = 256
# Activations that transformers computes in six steps where torch has one, equal but for rounding.
_TANH_GELUS = frozenset({"NewGELUActivation", "FastGELUActivation"})


class Network:
    """A network on its device.

    `bidirectional` says that it must be told what is padding: a causal network can't see what is
    on the right.
    """

    def __init__(self, model: Any, *, device: str, bidirectional: bool = False) -> None:
        """Take a transformers model in evaluation mode; its activations are made faster ones."""
        _fuse_activations(model)
        multiply_quickly(model)
        self.model = model
        self.device = device
        self.bidirectional = bidirectional
        self._accepted = inspect.signature(model.forward).parameters
        self._head = model.get_output_embeddings()
        _project_to_float32(self._head)
        # Whether the network is let project needed rows only; self-checks may find that it can't.
        self.narrow = self._head is not None
        # Nor need more go through the last feed-forward layers, if they look at each row alone.
        self._last = _last_feed_forward(model)

    def widen(self) -> bool:
        """Have one part more compute all rows, as it does by itself; say if there was one."""
        was_narrow = self.narrow
        if self._last is None:
            self.narrow = False
        self._last = None
        return was_narrow

    @property
    def n_known(self) -> int:
        """How many token ids it knows."""
        return int(self.model.get_input_embeddings().weight.shape[0])

    @property
    def n_outputs(self) -> int:
        """How many numbers a row of logits has."""
        weight = getattr(self._head, "weight", None)
        return self.n_known if weight is None else int(weight.shape[0])

    @property
    def pad_id(self) -> int:
        """What it wants to be padded with; 0 where it does not say."""
        padding = getattr(self.model.config, "pad_token_id", None)
        return padding if isinstance(padding, int) and 0 <= padding < self.n_known else 0

    def logits(self, a_pass: Pass) -> Any:
        """Return the logits of the pass's rows, a tensor (n_rows x n_outputs).

        What goes wrong comes as torch's `RuntimeError`: see `memory_errors`.
        """
        rows = self._tensor(a_pass.rows)
        with quiet(), exact_products(self.device), self._only(rows) as chosen:
            logits = self.model(**self.inputs(a_pass), return_dict=True).logits
            if not chosen:
                self.narrow = False
                logits = logits.flatten(0, 1)[rows.to(logits.device)]
            return logits.reshape(len(a_pass.rows), logits.shape[-1])

    def bits(
        self,
        a_pass: Pass,
        row_of_target: Ids,
        targets: Ids,
        group: NDArray[np.bool_] | None = None,
    ) -> Reading:
        """Ask what is to be known of a pass's rows: see `reading`.

        Raises `MemoryError` if the device's memory does not suffice.
        """
        with self.memory_errors():
            return reading(self.logits(a_pass), row_of_target, targets, group)

    def log_probabilities(self, ids: Ids) -> NDArray[np.float32]:
        """Return the natural logarithms of what is expected after each of `ids`.

        *Shape:* (n_ids x n_outputs). Raises as `bits` does.
        """
        with self.memory_errors():
            logits = self.logits_of(ids)
        return np.asarray(logits.float().log_softmax(-1).cpu().numpy())

    def memory_errors(self) -> contextlib.AbstractContextManager[None]:
        """Turn what torch says when the device's memory does not suffice into `MemoryError`."""
        return memory_errors(self.device)

    def logits_of(self, ids: Ids, *, whole: bool = False) -> Any:
        """Return the logits at all positions of one sequence, (n_ids x n_outputs).

        `whole` lets the network do all of it by itself. Raises as `logits` does.
        """
        alone = Pass.alone(ids)
        if not whole:
            return self.logits(alone)
        with exact_products(self.device):
            return self.model(**self.inputs(alone), return_dict=True).logits[0]

    def inputs(self, a_pass: Pass) -> dict[str, Any]:
        """Return what the network is called with."""
        is_inside = np.arange(a_pass.ids.shape[1]) < a_pass.lengths[:, None]
        padded = np.where(is_inside, a_pass.ids, self.pad_id) if self.pad_id else a_pass.ids
        inputs: dict[str, Any] = {"input_ids": self._tensor(padded)}
        if a_pass.tree is not None:
            inputs["attention_mask"] = self._tree_mask(a_pass.tree)
            inputs["position_ids"] = self._tensor(a_pass.tree.depths)
        elif self.bidirectional and "attention_mask" in self._accepted:
            inputs["attention_mask"] = self._tensor(is_inside.astype(np.int64))
        if "use_cache" in self._accepted:
            inputs["use_cache"] = False
        return inputs

    def budget(self, options: LoadOptions) -> Budget:
        """Return how much may go through at once; what nobody has said is what suits the device."""
        gpu = self.device != "cpu"
        row_length = _GPU_ROW_LENGTH if gpu else _PROCESSOR_ROW_LENGTH
        n_tokens = options.batch_tokens or (_GPU_TOKENS if gpu else _PROCESSOR_TOKENS)
        budget = Budget(n_tokens=n_tokens, row_length=row_length)
        # Guessed generously: memory must hold what is alive at once in a layer and in the head.
        config = self.model.config.get_text_config(decoder=True)
        n_bytes = self.model.dtype.itemsize
        hidden = int(getattr(config, "hidden_size", 1_024) or 1_024)
        inner = getattr(config, "intermediate_size", None) or getattr(config, "n_inner", None)
        heads = getattr(config, "num_attention_heads", None) or 16
        alive = 8 * hidden + 3 * int(inner or 4 * hidden)
        n_outputs = max(int(getattr(config, "vocab_size", None) or 0), self.n_known)
        # Several GPUs, if the weights do not fit one.
        spread = getattr(self.model, "hf_device_map", None) or {}
        devices = {f"cuda:{each}" for each in spread.values() if isinstance(each, int)}
        budget.limit(
            options.max_memory_bytes or usable_bytes(devices or {self.device}),
            # Masks and attention weights: one number a head for each position that is looked at.
            bytes_per_token=n_bytes * alive + 4 * int(heads) * row_length,
            bytes_per_row=(n_bytes + 4) * n_outputs,
        )
        if not self.narrow:
            budget.n_tokens = min(budget.n_tokens, budget.n_rows)
        return budget

    def _tensor(self, array: NDArray[np.generic]) -> "torch.Tensor":
        return on_device(array, self.device)

    def _tree_mask(self, tree: TreeShape) -> Any:
        """Return what is added to attention scores: 0 for an ancestor or itself, else the least.

        *Shape:* (packed rows x 1 x positions that look x positions looked at). A boolean mask
        would be taken for numbers by some networks.
        """
        import torch

        ends = self._tensor(tree.ends)
        place = torch.arange(ends.shape[1], device=self.device)
        seen = (place[None, None, :] <= place[None, :, None]) & (
            place[None, :, None] < ends[:, None, :]
        )
        mask = torch.zeros(seen.shape, dtype=self.model.dtype, device=self.device)
        mask.masked_fill_(~seen, torch.finfo(self.model.dtype).min)
        return mask[:, None]

    @contextlib.contextmanager
    def _only(self, rows: "torch.Tensor") -> "Iterator[list[torch.Size]]":
        """Let the network project these rows (of all positions) and no others.

        Gives a list that is empty as long as nothing has been chosen.
        """
        # Of what some rows were chosen, and the others not put back.
        chosen: list[torch.Size] = []

        def choose(_module: object, arguments: tuple[Any, ...]) -> Any:
            hidden, *others = arguments
            chosen.append(hidden.shape[:-1])
            return (hidden.flatten(0, -2)[rows.to(hidden.device)][None], *others)

        def put_back(
            _module: object, _arguments: object, given: "torch.Tensor | tuple[torch.Tensor, ...]"
        ) -> Any:
            # Some give more than a tensor.
            found, *others = given if isinstance(given, tuple) else (given,)
            # Nobody looks at what the others are: nothing after it looks from row to row.
            whole = found.new_zeros((*chosen.pop(), found.shape[-1]))
            whole.flatten(0, -2)[rows.to(found.device)] = found.flatten(0, -2)
            return (whole, *others) if isinstance(given, tuple) else whole

        if not self.narrow:
            yield chosen
            return
        handles = [self._head.register_forward_pre_hook(choose)]
        if self._last is not None:
            handles.append(self._last.register_forward_pre_hook(choose))
            handles.append(self._last.register_forward_hook(put_back))
        try:
            yield chosen
        finally:
            for handle in handles:
                handle.remove()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers' progress bars, advice and warnings to itself, and restore them."""
    logging: Any = import_module("transformers.utils.logging")
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


def _last_feed_forward(model: "torch.nn.Module") -> "torch.nn.Module | None":
    """Return the feed-forward layers of a network's last block.

    None where they have no name, or are given more than one input (BLOOM).
    """
    import torch

    lists = [each for each in model.modules() if isinstance(each, torch.nn.ModuleList)]
    named = [getattr(block, "mlp", None) for each in lists for block in each]
    found = [each for each in named if isinstance(each, torch.nn.Module)]
    is_fit = found and len(inspect.signature(found[-1].forward).parameters) == 1
    return found[-1] if is_fit else None


def _fuse_activations(model: "torch.nn.Module") -> None:
    import torch

    for module in list(model.modules()):
        for name, child in module.named_children():
            if type(child).__name__ in _TANH_GELUS:
                setattr(module, name, torch.nn.GELU(approximate="tanh"))


def _project_to_float32(head: Any) -> None:
    """Have a vocabulary projection in half precision give float32.

    Its sums rounded to 8 or 11 bits would be off by more than all that the layers before it are.
    """
    import torch

    half = (torch.float16, torch.bfloat16)
    is_linear = isinstance(head, torch.nn.Linear)
    if not is_linear or head.weight.dtype not in half:
        return
    # Products of half-precision numbers are exact in float32, in which a GPU adds them up anyway.
    sums_stay = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 8)

    def forward(hidden: torch.Tensor) -> torch.Tensor:
        if hidden.is_cuda and sums_stay:
            rows = hidden.flatten(0, -2)
            logits = torch.mm(rows, head.weight.t(), out_dtype=torch.float32)
            logits = logits.reshape(*hidden.shape[:-1], -1)
        else:
            logits = linear(hidden.float(), head.weight.float())
        return logits if head.bias is None else logits.add_(head.bias)

    head.forward = forward
