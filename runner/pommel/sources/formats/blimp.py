"""BLiMP's JSON Lines (Warstadt et al. 2020): `sentence_good`, `sentence_bad`, and what they test.

A line has ten keys, and those of its prefixes where it can be scored by these methods
(`one_prefix_prefix`, `one_prefix_word_good`, `one_prefix_word_bad`; `two_prefix_prefix_good`,
`two_prefix_prefix_bad`, `two_prefix_word`); some files add `crucial_item` or `dependency_length`.
Whatever keys there are, they are kept, with their order and types.
"""

from collections.abc import Iterable, Iterator

from pommel.files import to_json
from pommel.sources.formats.pair_rows import PairRows, pairs_of
from pommel.sources.formats.set_format import SetFormat
from pommel.sources.minimal_sets import MinimalSet

_GOOD, _BAD = "sentence_good", "sentence_bad"
# What is written of a pair that no file of this format has described. Published readers ask for
# every key; nobody has said what is null. No prefixes are marked, so that only whole sentences
# can be compared.
_UNKNOWN: dict[str, object] = {
    "field": None,
    "linguistics_term": None,
    "UID": "unnamed",
    "simple_LM_method": True,
    "one_prefix_method": False,
    "two_prefix_method": False,
    "lexically_identical": None,
    "pairID": "0",
}
_OWN = frozenset((_GOOD, _BAD, *_UNKNOWN))
ROWS = PairRows((_GOOD, _BAD), _OWN, f'{{"{_GOOD}": "...", "{_BAD}": "..."}}')


def blimp_lines(sets: Iterable[MinimalSet]) -> Iterator[str]:
    """Yield a line for each pair: what its file said of it, or else what BLiMP's readers need.

    Pairs from elsewhere are numbered from 0 (`pairID`), count as one paradigm, `"UID": "unnamed"`,
    and can be compared as whole sentences (`simple_LM_method`), not by prefixes; what cannot be
    known (`field`, `linguistics_term`, `lexically_identical`) is null. Characters stay themselves:
    an escape such as `\\u00e9` is not written back as one.
    """
    for number, pair in enumerate(pairs_of(sets)):
        fields = pair.fields or {}
        if fields.keys().isdisjoint(_OWN):
            fields = {**_UNKNOWN, "pairID": str(number), **fields}
        yield to_json(ROWS.row(pair, fields), indent=None)


BLIMP = SetFormat(
    name="blimp",
    endings=(".jsonl",),
    parse=ROWS.parse_json,
    pieces=blimp_lines,
    is_like=lambda text: f'"{_GOOD}"' in text.lstrip().partition("\n")[0],
)
