"""Which models are one kind in several sizes, guessed from their names."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from pommel.scoring.run_record import RunRecord

_STEM = re.compile(r"[^-]+")


def with_guessed_size_families(records: Iterable[RunRecord]) -> list[RunRecord]:
    """Return records with the size families that the names of their models speak of.

    Models whose names begin alike up to the first hyphen are of one family (`bloom`, `bloom-560m`),
    if the numbers of parameters of at least two of them are known. What a file itself says of a
    model's family stays.
    """
    known = list(records)
    sized = {each.result.model_name for each in known if each.model.n_parameters}
    stems = {name: found[0] for name in sized if (found := _STEM.match(name))}
    sizes = Counter(stems.values())
    families = {name: stem for name, stem in stems.items() if sizes[stem] > 1}
    return [
        each
        if each.model.size_family
        else replace(
            each, model=replace(each.model, size_family=families.get(each.result.model_name, ""))
        )
        for each in known
    ]
