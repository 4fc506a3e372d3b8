"""Networks that fill in masks: each distinct input and position once, and the logits there.

For every token asked for, `inputs_of` has the input that it is read from.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pommel.errors import ModelNotAvailableError
from pommel.models.model import LoadOptions
from pommel.models.neural.network import Network
from pommel.models.neural.plans import Path, SequencePlan, carry_out
from pommel.models.neural.questions import Answers, Asked, Ids, Questions
from pommel.models.neural.self_check import Check, not_available, own_bits
from pommel.values import frozen

MaskedMethod = Literal["pll", "pll-word-l2r", "masked-l2r", "focus-mask", "unmasked-ce"]


@frozen(eq=False)
class MaskedRequest:
    """Token ids, and which of them a masked network is asked for.

    `ids` is the whole input with its marks at both ends, (n,), `n_closing` of them behind.
    `positions` are those of the ids that are to be scored, ascending. `words` (n,) numbers
    the words: ids with the same number are parts of one word; -1 for marks.
    """

    ids: Ids
    positions: Ids
    words: Ids
    n_closing: int

    def n_fed(self, method: MaskedMethod) -> int:
        """Return how many ids go through the network for it, if it shares no input."""
        if method == "unmasked-ce":
            return len(self.ids) if len(self.positions) else 0
        return len(self.positions) * self.n_slots(method)

    def n_slots(self, method: MaskedMethod) -> int:
        """Return how long its inputs are: `masked-l2r` has one place after the sentence, always."""
        length = len(self.ids)
        return length - self.n_closing + 1 if method == "masked-l2r" else length


def masked_plan(
    requests: Sequence[MaskedRequest],
    *,
    method: MaskedMethod,
    mask_id: int,
    equal_lengths: bool = False,
) -> tuple[SequencePlan, Questions]:
    """Return how to answer all requests, each distinct (input, position) once, and the questions.

    Inputs are those of equal ids; the longest come first, else in the order of `requests`.
    `equal_lengths` forbids padding.
    Raises `ValueError` for a position that the method's input has not got (see `inputs_of`).
    """
    inputs = [[*inputs_of(request, method, mask_id)] for request in requests]
    known = sorted(dict.fromkeys(itertools.chain.from_iterable(inputs)), key=len, reverse=True)
    sequences = [np.frombuffer(each, dtype=np.int64) for each in known]
    # A row's number is that of its position in all inputs on end, in the order they are fed in.
    starts = np.cumsum([0, *map(len, sequences)])
    start_of = dict(zip(known, starts.tolist(), strict=False))
    asked = []
    for request, own in zip(requests, inputs, strict=True):
        rows = np.array([start_of[each] for each in own], dtype=np.int64) + request.positions
        asked.append(Asked(rows, request.ids[request.positions]))
    questions = Questions(asked)
    bounds = np.searchsorted(questions.rows, starts)
    places = [np.arange(first, end) for first, end in itertools.pairwise(bounds.tolist())]
    plan = SequencePlan(
        sequences=sequences,
        rows=[questions.rows[own] - start for own, start in zip(places, starts, strict=False)],
        places=places,
        equal_lengths=equal_lengths,
    )
    return plan, questions


def inputs_of(request: MaskedRequest, method: MaskedMethod, mask_id: int) -> Iterator[bytes]:
    """Yield the input from which each position is read (at that position), as bytes of int64.

    `unmasked-ce` yields one for all of them. Raises `ValueError` for a position that the input
    has not got: a second closing mark's, for `masked-l2r`.
    """
    length = request.n_slots(method)
    if not len(request.positions):
        return
    if request.positions[-1] >= length:
        raise ValueError(f"{method}: an input of {length} has no position {request.positions[-1]}")
    if method == "unmasked-ce":
        yield request.ids.tobytes()
        return
    # Without a closing mark there is one place more, which is never shown.
    ids = np.append(request.ids, mask_id)[:length]
    for row in np.where(_hidden(request, method, length), mask_id, ids):
        yield row.tobytes()


def blocks(
    requests: Sequence[MaskedRequest], method: MaskedMethod, n_most: int
) -> Iterator[list[int]]:
    """Yield the indices of all requests in blocks of similar ones, the longest first.

    Only requests of equal length can share an input; those with equal beginnings are neighbours.
    A block's inputs have `n_most` ids in all, unless it is a single request with more.
    """
    order = sorted(
        range(len(requests)),
        key=lambda index: (-len(requests[index].ids), requests[index].ids.tobytes()),
    )
    block: list[int] = []
    n_ids = 0
    for index in order:
        n_more = requests[index].n_fed(method)
        if block and n_ids + n_more > n_most:
            yield block
            block, n_ids = [], 0
        block.append(index)
        n_ids += n_more
    if block:
        yield block


def _hidden(request: MaskedRequest, method: MaskedMethod, length: int) -> NDArray[np.bool_]:
    """Return where masks stand, for each requested position (rows) in an input of `length`.

    At the position alone (Salazar et al. 2020: PLL; of "focus-mask", Goldberg 2019, whoever asks
    decides which words may be in focus); at what follows in its word, too (Kauf and Ivanova 2023:
    PLL-word-l2r); or at everything after it (Perez-Mayos et al. 2021).
    """
    places, own = np.arange(length), request.positions[:, None]
    if method == "masked-l2r":
        return np.greater_equal(places, own)
    hidden: NDArray[np.bool_] = np.equal(places, own)
    if method == "pll-word-l2r":
        words = request.words[own]
        # Marks belong to no word, not to one word of marks.
        hidden |= (request.words == words) & (words >= 0) & (places >= own)
    return hidden


# So many ids, in all inputs, are held at once: some 60 MB. Requests of one block share inputs.
_BLOCK_IDS = 1 << 20
# Small, so that the few sentences of the check take several passes.
_CHECK_TOKENS = 24
_CHECK_LENGTHS = (9, 3, 7, 7)


@frozen(eq=False)
class MaskedEngine:
    """A masked network, and the way to feed it that gives its own numbers.

    `path` is that way, `why` the reason where it is not "padded batches". `mask_id` is the id of
    its mask.
    """

    network: Network
    mask_id: int
    path: Path = "padded batches"
    why: str = ""
    options: LoadOptions = field(default_factory=LoadOptions)

    def answers(self, requests: Sequence[MaskedRequest], method: MaskedMethod) -> Answers:
        """Yield (index into `requests`, answer), each index once, the longest requests first.

        Inputs are built a block of requests at a time, so that memory does not grow with their
        number. Within a block, an input that several requests have is fed once; of each input,
        only the positions that are asked for go through the vocabulary projection.
        Raises `ValueError` for a position that the method has no place for, `MemoryError` if a
        single input does not fit into the device's memory, and `RuntimeError` if the network
        fails.
        """
        budget = self.network.budget(self.options)
        for block in blocks(requests, method, _BLOCK_IDS):
            plan, questions = masked_plan(
                [requests[index] for index in block],
                method=method,
                mask_id=self.mask_id,
                equal_lengths=self.path == "batches of equal length",
            )
            for place, answer in carry_out(plan, questions, self.network, budget):
                yield block[place], answer


def masked_engine(model: object, options: LoadOptions, *, mask_id: int) -> MaskedEngine:
    """Return an engine for a transformers model, after trying it on a few random sentences.

    Raises `ModelNotAvailableError` if the model does not know the mask, fails on plain token ids,
    gives no numbers, does not see what follows a token, or gives other numbers in a batch than
    alone.
    """
    network = Network(model, device=options.device, bidirectional=True)
    path, why = _find_path(network, mask_id, options)
    return MaskedEngine(network=network, mask_id=mask_id, path=path, why=why, options=options)


def _find_path(network: Network, mask_id: int, options: LoadOptions) -> tuple[Path, str]:
    """Return the fastest path that gives the network's own numbers, and why none is faster."""
    if not 0 <= mask_id < network.n_known:
        raise ModelNotAvailableError(f"it does not know its mask, the token id {mask_id}")
    requests = _requests(network.n_known, mask_id)
    with not_available():
        expected = [
            own_bits(network, each.ids, each.positions, each.ids[each.positions])
            for each in requests
        ]
        # Whether another last id changes anything before it; exactly, for where nothing is seen,
        # the same numbers go through the same operations.
        changed = requests[1].ids.copy()
        changed[-1] = (changed[-1] + 1) % network.n_known
        one, other = (network.logits_of(ids, whole=True)[:-1] for ids in (requests[1].ids, changed))
        sees = bool((one != other).any())
    if np.isnan(np.concatenate(expected)).all():
        raise ModelNotAvailableError("it gives no numbers (NaN)")
    if not sees:
        raise ModelNotAvailableError(
            "it is not a masked language model: tokens do not depend on those that follow"
        )

    def answers(path: Path) -> Answers:
        small = LoadOptions(batch_tokens=_CHECK_TOKENS)
        engine = MaskedEngine(network=network, mask_id=mask_id, path=path, options=small)
        return engine.answers(requests, "unmasked-ce")

    check = Check(network, options.dtype, expected, answers)
    batch = check.fault_of_rows("batches of equal length")
    padding, _ = check.fault("padded batches")
    if not padding:
        return "padded batches", ""
    if batch:
        raise ModelNotAvailableError(f"in a batch {batch}")
    return "batches of equal length", f"padding: {padding}"


def _requests(n_known: int, mask_id: int) -> list[MaskedRequest]:
    """Return random sentences, each with a mask, and every other position asked for."""
    random = np.random.default_rng(7)
    requests = []
    for length in _CHECK_LENGTHS:
        ids = random.integers(0, n_known, length)
        ids[length // 2] = mask_id
        requests.append(
            MaskedRequest(
                ids=ids,
                positions=np.arange(length % 2, length, 2),
                words=np.arange(length),
                n_closing=0,
            )
        )
    return requests
