"""The shipped English suites: designs of Hu et al. (2020), sentences of our own.

Each module holds one circuit: tables of hand-chosen words and the designs that use them.
"""

from pathlib import Path

from pommel.training.english_suites import (
    agreement,
    center_embedding,
    garden_path_effects,
    gross_syntactic_state,
    licensing,
    long_distance_dependencies,
)
from pommel.training.english_suites.design import Design, to_json


def designs() -> tuple[Design, ...]:
    """Return the design of every shipped English suite, circuit by circuit."""
    return (
        *agreement.designs(),
        *licensing.designs(),
        *garden_path_effects.designs(),
        *gross_syntactic_state.designs(),
        *center_embedding.designs(),
        *long_distance_dependencies.designs(),
    )


def write_suites(folder: Path) -> list[Path]:
    """Write every suite as `en/CIRCUIT/NAME.json` below `folder`; returns the paths."""
    return [_write(folder / "en", design) for design in designs()]


def _write(folder: Path, design: Design) -> Path:
    path = folder / design.circuit / f"{design.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(to_json(design).encode("utf-8"))
    return path
