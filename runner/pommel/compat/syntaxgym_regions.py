"""Which region `syntaxgym` 0.8a1 gave a token, where that differs from `pommel.regions`."""

from collections.abc import Sequence

from pommel.models.offsets import Placed


def syntaxgym_regions(placed: Sequence[Placed], contents: Sequence[str]) -> list[int | None]:
    """Return the region of each token as the retired aligner had it, None for special tokens.

    `contents` are all regions of a condition, empty ones too. It went through regions and tokens
    side by side, and to the next region as soon as one was used up. So an end-of-sentence mark is
    counted in an *empty* last region, all unknown tokens of a run in the region of the first of
    them, and what follows a run that ends the sentence stays there too. Its errors are not here.
    """
    ends = _ends(contents)
    regions: list[int | None] = []
    current = 0
    after_unknown = False
    for place in placed:
        if place.role == "special":
            regions.append(None)
            continue
        if place.role == "text" and not (place.oov and after_unknown):
            current = _region_at(place.start, ends)
        regions.append(current)
        if place.role == "text":
            after_unknown = place.oov
            used_up = place.end >= ends[current] and not place.oov
            current = min(current + used_up, len(contents) - 1)
    return regions


def _ends(contents: Sequence[str]) -> list[int]:
    """Return where each region ends in the sentence; an empty one where the one before it does."""
    ends: list[int] = []
    at = 0
    for content in contents:
        if content.strip():
            at += len(content.lstrip()) + (1 if at else 0)
        ends.append(at)
    return ends


def _region_at(start: int, ends: Sequence[int]) -> int:
    return next((index for index, end in enumerate(ends) if start < end), len(ends) - 1)
