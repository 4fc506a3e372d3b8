"""Which region `syntaxgym` 0.8a1 gave a token, where `Sentence.regions_of` differs."""

from collections.abc import Sequence
from typing import Protocol

from pommel.suite import Sentence
from pommel.surprisal import TokenRole


class Located(Protocol):
    """What has a place in a sentence: a `Token`, or what the alignment knows of one."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def role(self) -> TokenRole: ...
    @property
    def oov(self) -> bool: ...


def assign_as_syntaxgym(sentence: Sentence, tokens: Sequence[Located]) -> list[int | None]:
    """Return the region of each token as the retired aligner had it, None for special tokens.

    It went through regions and tokens side by side, and to the next region as soon as one was used
    up. So an end-of-sentence mark is counted in an *empty* last region, all unknown tokens of a
    run in the region of the first of them, and what follows a run that ends the sentence stays
    there too. Its errors are not here.
    """
    ends = [end for _, end in sentence.spans]
    regions: list[int | None] = []
    current = 0
    after_unknown = False
    for token in tokens:
        if token.role == "special":
            regions.append(None)
            continue
        if token.role == "text" and not (token.oov and after_unknown):
            current = _region_at(token.start, ends)
        regions.append(current)
        if token.role == "text":
            after_unknown = token.oov
            used_up = token.end >= ends[current] and not token.oov
            current = min(current + used_up, len(ends) - 1)
    return regions


def _region_at(start: int, ends: Sequence[int]) -> int:
    return next((index for index, end in enumerate(ends) if start < end), len(ends) - 1)
