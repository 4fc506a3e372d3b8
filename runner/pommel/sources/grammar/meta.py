"""Lines `meta KEY: VALUE`, which say what the `meta` of a generated suite is to have."""

import re
from collections.abc import Collection, Iterator

from pommel.errors import Fault, Place
from pommel.suite.suite import METRICS

USAGE = "meta language: hi"
_QUOTED = re.compile(r'"([^"\n]*)"')
_GENERATOR = "it is how the suite was made"


def meta_value(key: str, text: str) -> str | list[str]:
    """Return what a text behind the colon means.

    White space around it is taken away, and one space stands between words. Between quotation marks
    all of it counts: `meta joiner: ""`. The metric may be several.
    """
    quoted = _QUOTED.fullmatch(text.strip())
    if quoted:
        return quoted[1]
    words = text.split()
    return words if key == "metric" and len(words) > 1 else " ".join(words)


def meta_faults(
    key: str, value: str | list[str], *, key_place: Place, value_place: Place, made: Collection[str]
) -> Iterator[Fault]:
    """Yield what is wrong with a key and its value; `made` are keys that pommel writes itself."""
    if key in made:
        hint = f"leave it out; {_GENERATOR}, which pommel writes itself"
        yield key_place.fault(f"meta has the key {key!r}", hint)
    elif key == "metric" and value != "all":
        for name in [value] if isinstance(value, str) else value:
            if name not in METRICS:
                hint = f"there are {', '.join(METRICS)}, and all"
                yield value_place.fault(f"there is no metric {name!r}", hint)
