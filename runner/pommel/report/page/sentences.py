"""An item's sentences as pieces of text, those marked whose surprisal counts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pommel.suite.suite import Condition, Suite

_RIGHT_TO_LEFT = frozenset(
    ["ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "ps", "sd", "syr", "ug", "ur", "yi"]
)
_RIGHT_TO_LEFT_SCRIPTS = frozenset(["arab", "hebr", "syrc", "thaa", "nkoo"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of a sentence; `region` is the number of one that counts, None for the others."""

    text: str
    region: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What predictions look at in a condition: regions, and maybe the whole sentence."""

    regions: tuple[int, ...]
    is_whole: bool


def compared(suite: Suite) -> Mapping[str, Compared]:
    """Return what predictions look at, by condition; regions in ascending order."""
    found: dict[str, set[int | None]] = {name: set() for name in suite.condition_names}
    for prediction in suite.predictions:
        for reference in prediction.formula.references:
            found[reference.condition].add(reference.region)
    return {
        name: Compared(
            regions=tuple(sorted(number for number in regions if number is not None)),
            is_whole=None in regions,
        )
        for name, regions in found.items()
    }


def pieces(condition: Condition, joiner: str, marked: tuple[int, ...]) -> Iterator[Piece]:
    """Yield a sentence in pieces; what joins two regions is a piece by itself.

    A marked region without text is a piece without text.
    """
    sentence = condition.sentence(joiner)
    for region, (start, end) in zip(condition.regions, sentence.spans, strict=True):
        joining = end - start - len(region.text)
        if joining:
            yield Piece(text=sentence.text[start : start + joining])
        is_marked = region.number in marked
        if region.text or is_marked:
            yield Piece(text=region.text, region=region.number if is_marked else None)


def direction(language: str) -> str:
    """Return "rtl" for languages written from right to left, "auto" where the text decides."""
    subtags = language.lower().replace("_", "-").split("-")
    is_rtl = subtags[0] in _RIGHT_TO_LEFT or not _RIGHT_TO_LEFT_SCRIPTS.isdisjoint(subtags[1:])
    return "rtl" if is_rtl else "auto"
