"""What a permutation design predicts: grammatical sentences are less surprising on average."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pommel.errors import counted
from pommel.sources.grammar.permutation.expansion import PLAUSIBLE, Arrangement
from pommel.sources.grammar.permutation.tree import Design


def design_head(design: Design, every: Sequence[Arrangement]) -> Mapping[str, Any]:
    """Return the JSON of a design's suite without its items.

    `meta.design` says of each condition what it is: its kind, the case order and the noun order
    of the sentence, and the assignment, the case of each noun in the order of the nouns.
    `meta.unacceptable` names the violations.
    """
    violations = " ".join(each.name for each in every if not each.is_grammatical)
    meta = {"metric": "sum", "unacceptable": violations, **design.meta}
    return {
        "meta": {**meta, "design": _design_meta(design, every)},
        "region_meta": {str(number): name for number, name in design.region_names.items()},
        "predictions": [
            {"type": "formula", "formula": formula, "description": description}
            for formula, description in _predictions(design, every)
        ],
    }


def _design_meta(design: Design, every: Sequence[Arrangement]) -> dict[str, Any]:
    cases = design.cases
    return {
        "cases": list(cases),
        "conditions": {
            each.name: {
                "kind": each.kind,
                "grammatical": each.is_grammatical,
                "case_order": [cases[case] for case in each.cases],
                "noun_order": [noun + 1 for noun in each.nouns],
                "assignment": [cases[case] for case in each.assignment],
            }
            for each in every
        },
    }


def _predictions(design: Design, every: Sequence[Arrangement]) -> Iterator[tuple[str, str]]:
    """Yield formulas with their descriptions: a violation each, all of them, plausible only."""
    size = math.factorial(len(design.cases))
    grammatical = [each for each in every if each.is_grammatical]
    plausible = [each for each in grammatical if each.kind == PLAUSIBLE]
    violations = [each for each in every if not each.is_grammatical]
    compared = [
        (
            grammatical,
            [each for each in violations if each.kind == f"double-{case}"],
            f"the {{}} in which two nouns have the case {case}",
        )
        for case in design.doubled
    ]
    every_violation = "all {} violations of case"
    if len(design.doubled) > 1:
        compared.append((grammatical, violations, every_violation))
    compared.append((plausible, violations, every_violation))
    for better, worse, what in compared:
        name = "plausible sentence" if better is plausible else "grammatical sentence"
        description = (
            f"The {counted(len(better), name)} are less surprising, on average, than "
            f"{what.format(len(worse))}."
        )
        yield f"{_mean(better, size)} < {_mean(worse, size)}", description


def _mean(conditions: Sequence[Arrangement], size: int) -> str:
    """Return the mean surprisal of conditions' sentences.

    Brackets keep a sum of thousands from nesting thousands deep; the innermost hold the `size`
    orders of one assignment.
    """
    terms = [f"(*;%{each.name}%)" for each in conditions]
    while len(terms) > size:
        chunks = (terms[start : start + size] for start in range(0, len(terms), size))
        terms = [f"({' + '.join(chunk)})" for chunk in chunks]
    return f"({' + '.join(terms)}) / {len(conditions)}"
