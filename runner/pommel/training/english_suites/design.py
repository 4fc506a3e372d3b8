"""What a shipped suite is made of before it is JSON: a design and its lexical rows."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Row = Sequence[str]
Conditions = Mapping[str, Sequence[str]]

HU_2020 = (
    "Hu, Gauthier, Qian, Wilcox & Levy (2020), A Systematic Assessment of Syntactic "
    "Generalization in Neural Language Models, ACL"
)

# What no speaker would say, in every suite that has a condition of that name.
_UNACCEPTABLE = (
    *("mismatch_sing", "mismatch_plural", "implaus", "np_mismatch", "vp_mismatch"),
    *("sub_no-matrix", "no-sub_matrix", "what_nogap", "what_no-gap", "that_gap"),
    *("that_subjgap", "what_matrixgap", "that_matrixgap"),
    # Where "ever" and "any" have no negation above them.
    *("pos", "pos_pos", "pos_neg"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """One suite: its regions' names, its predictions, and how a row becomes conditions.

    `predictions` are pairs of a formula and the same in words. `conditions` turns a row of
    `rows` into the regions' contents by condition; every list is as long as `regions`.
    """

    name: str
    circuit: str
    comment: str
    regions: tuple[str, ...]
    predictions: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]
    conditions: Callable[[Row], Conditions]
    reference: str = HU_2020
    modifier_of: str = ""


def rows(table: str) -> tuple[Row, ...]:
    """Return the cells of a table with a row on each line and "|" between cells."""
    lines = table.strip().splitlines()
    return tuple(tuple(cell.strip() for cell in line.split("|")) for line in lines)


def to_json(design: Design) -> str:
    """Return the suite file that the design describes: SyntaxGym JSON with a final newline."""
    meta = {
        "name": design.name,
        "metric": "sum",
        "author": "the pommel authors",
        "reference": design.reference,
        "comment": design.comment,
        "version": "1.0.0",
        "license": "CC-BY-4.0",
        "language": "en",
        "circuit": design.circuit,
    }
    if design.modifier_of:
        meta["modifier_of"] = design.modifier_of
    names = design.conditions(design.rows[0])
    if unacceptable := [name for name in names if name in _UNACCEPTABLE]:
        meta["unacceptable"] = " ".join(unacceptable)
    document = {
        "meta": meta,
        "region_meta": {str(number): name for number, name in enumerate(design.regions, 1)},
        "predictions": [
            {"type": "formula", "formula": formula, "description": description}
            for formula, description in design.predictions
        ],
        "items": [
            {"item_number": number, "conditions": _conditions(design, row)}
            for number, row in enumerate(design.rows, 1)
        ],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _conditions(design: Design, row: Row) -> list[dict[str, object]]:
    return [
        {
            "condition_name": name,
            "regions": [
                {"region_number": number, "content": content}
                for number, (_, content) in enumerate(zip(design.regions, contents, strict=True), 1)
            ],
        }
        for name, contents in design.conditions(row).items()
    ]
