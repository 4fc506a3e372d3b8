"""What a masked network is fed with: for every token asked for, the input that it is read from."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pommel.models.neural.plans import SequencePlan
from pommel.models.neural.questions import Asked, Questions
from pommel.models.neural.requests import Ids

MaskedMethod = Literal["pll", "pll-word-l2r", "masked-l2r", "focus-mask", "unmasked-ce"]

# (requested positions x positions of the input): whether a mask stands there.
_Hidden = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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
    known: dict[bytes, int] = {}
    inputs_of_requests = [
        [known.setdefault(each, len(known)) for each in inputs_of(request, method, mask_id)]
        for request in requests
    ]
    inputs = [np.frombuffer(each, dtype=np.int64) for each in known]
    lengths = np.array([len(each) for each in inputs], dtype=np.int64)
    order = np.argsort(-lengths, kind="stable")
    # A row's number is that of its position in all inputs on end, in the order they are fed in.
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths[order])])
    start_of_input = np.empty(len(inputs), dtype=np.int64)
    start_of_input[order] = starts[:-1]
    pairs = zip(requests, inputs_of_requests, strict=True)
    questions = Questions([_asked(request, start_of_input[own]) for request, own in pairs])
    plan = _plan(
        [inputs[index] for index in order.tolist()],
        starts,
        questions.rows,
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
    for row in np.where(_HIDDEN[method](request, length), mask_id, ids):
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


def _asked(request: MaskedRequest, starts: Ids) -> Asked:
    return Asked(
        rows=starts + request.positions,
        targets=request.ids[request.positions],
        boundary_rows=np.empty(0, dtype=np.int64),
    )


def _plan(inputs: Sequence[Ids], starts: Ids, rows: Ids, *, equal_lengths: bool) -> SequencePlan:
    """Return the plan of all inputs; `rows` are the numbers of the rows asked of, ascending."""
    bounds = np.searchsorted(rows, starts).tolist()
    own = [slice(bounds[index], bounds[index + 1]) for index in range(len(inputs))]
    pairs = zip(own, starts.tolist(), strict=False)
    return SequencePlan(
        sequences=inputs,
        rows=[rows[each] - start for each, start in pairs],
        places=[np.arange(each.start, each.stop) for each in own],
        equal_lengths=equal_lengths,
    )


def _itself(request: MaskedRequest, length: int) -> _Hidden:
    """Hide the position alone (Salazar et al. 2020: PLL)."""
    return np.equal(np.arange(length), request.positions[:, None])


def _rest_of_word(request: MaskedRequest, length: int) -> _Hidden:
    """Hide the position and what follows in its word (Kauf and Ivanova 2023: PLL-word-l2r)."""
    words = request.words[request.positions][:, None]
    # Marks belong to no word, not to one word of marks.
    same: _Hidden = (request.words == words) & (words >= 0)
    rest = np.logical_and(same, _everything_from(request, length))
    return np.logical_or(_itself(request, length), rest)


def _everything_from(request: MaskedRequest, length: int) -> _Hidden:
    """Hide the position and everything after it (Perez-Mayos et al. 2021)."""
    return np.greater_equal(np.arange(length), request.positions[:, None])


_HIDDEN: Mapping[str, Callable[[MaskedRequest, int], _Hidden]] = {
    "pll": _itself,
    # Which words may be in focus is decided by whoever asks (Goldberg 2019).
    "focus-mask": _itself,
    "pll-word-l2r": _rest_of_word,
    "masked-l2r": _everything_from,
}
