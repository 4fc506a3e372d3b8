"""What speaks against an alignment: whole-number costs of places, spellings and left-out text.

The least cost is the intended alignment: a token stands for its own letters, an unknown token for
one whole word, or for a word up to its punctuation, and nothing is left out without need.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pommel.errors import InputError
from pommel.models.alignment.reading import Reading, is_slight
from pommel.models.alignment.token_forms import Edge, Spelling
from pommel.models.spec import TokenizerSpec

Costs = npt.NDArray[np.int64]

NEVER = 1 << 40

_SLIGHT = 1  # a mark is left out; an unknown token ends at punctuation
_INEXACT = 2  # another case or typography; a piece that begins a word, inside a word
_DROPPED = 2  # a word that the model leaves out
_BROKEN_WORD = 4  # an unknown token begins or ends between two letters
_EXTRA_WORD = 8  # an unknown token stands for one word more


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryCosts:
    """A cost before each unit and at the end, as arrays of one more than the units.

    `unknown_start`, `unknown_end`: of an unknown token that begins or ends there. `words`: a
    running sum; an unknown token over the units [start, end) costs `words[end-1] - words[start]`
    for the word edges inside it. `space`: of a token of white space there.
    """

    unknown_start: Costs
    unknown_end: Costs
    words: Costs
    space: Costs


def boundary_costs(reading: Reading) -> BoundaryCosts:
    """Return the costs of the reading's boundaries."""
    boundaries = range(len(reading.units) + 1)
    edges = np.array([reading.is_word_edge(at) for at in boundaries])
    cuts = np.array([reading.is_cut(at) for at in boundaries])
    punctuation = np.array([reading.is_punctuation_edge(at) for at in boundaries])
    inside = np.where(cuts, NEVER, _BROKEN_WORD)
    return BoundaryCosts(
        unknown_start=np.where(edges | punctuation, 0, inside),
        unknown_end=np.where(edges, 0, np.where(punctuation, _SLIGHT, inside)),
        words=np.cumsum(edges.astype(np.int64)) * _EXTRA_WORD,
        space=np.where(edges, 0, _INEXACT),
    )


def misfit(spelling: Spelling, reading: Reading, start: int, end: int, *, cased: bool) -> int:
    """Return what speaks against the spelling for the units [start, end); 0: nothing."""
    cost = spelling.cost
    if not _fits_edge(spelling.edge, reading, start, end):
        cost += _INEXACT
    if reading.is_text:
        text = reading.text(start, end)
        if spelling.text != text and (cased or spelling.text != text.lower()):
            cost += _INEXACT
    return cost


def _fits_edge(edge: Edge, reading: Reading, start: int, end: int) -> bool:
    match edge:
        case "begins":
            return reading.is_word_edge(start)
        case "continues":
            return start == 0 or not reading.is_word_edge(start)
        case "ends":
            return reading.is_word_edge(end)
        case "goes on":
            return not reading.is_word_edge(end)
        case "any":
            return True


def dropped(reading: Reading, spec: TokenizerSpec) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, cost) of the units that need no token, in the order of `start`.

    These are the marks that tokenizers drop in silence, and the words, or ends of words, or runs
    of punctuation, that `drop_token_pattern` matches. Raises `InputError` for a pattern that is
    not a regular expression.
    """
    pattern = _compiled(spec.drop_token_pattern)
    for start in range(len(reading.units)):
        if is_slight(reading.sentence[reading.characters[start]]) and not reading.is_cut(start):
            yield start, _next(start, reading, lambda at: not reading.is_cut(at)), _SLIGHT
        if pattern and (reading.is_word_edge(start) or reading.is_punctuation_edge(start)):
            word_end = _next(start, reading, reading.is_word_edge)
            run_end = min(word_end, _next(start, reading, reading.is_punctuation_edge))
            for end, cost in ((word_end, _DROPPED), (run_end, _DROPPED + _SLIGHT)):
                if not pattern.sub("", reading.text(start, end)):
                    yield start, end, cost


def _next(start: int, reading: Reading, is_boundary: Callable[[int], bool]) -> int:
    count = len(reading.units)
    return next((at for at in range(start + 1, count) if is_boundary(at)), count)


def _compiled(pattern: str | None) -> re.Pattern[str] | None:
    if not pattern:
        return None
    try:
        return re.compile(pattern)
    except re.error as error:
        raise InputError(
            f"the spec's drop_token_pattern {pattern!r} is not a regular expression: {error}"
        ) from error
