"""How far the numbers of a device and a number format are from a processor's float32."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pommel.models.huggingface.model import open_folder
from pommel.models.model import LoadOptions, Model, Policy
from pommel.scoring import Choices
from pommel.scoring.run import Run, run_suites
from pommel.suite.suite import Suite

_ROW_LENGTH = 256
# Tokens at once, so that as many packed rows of the longest make a pass.
BATCHES: dict[str, int | None] = {
    "1 row": _ROW_LENGTH,
    "17 rows": 17 * _ROW_LENGTH,
    "largest": None,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What a run of suites says: tokens' bits, margins and verdicts, each in order."""

    bits: NDArray[np.float64]
    margins: NDArray[np.float64]
    verdicts: NDArray[np.bool_]
    again: float

    @classmethod
    def of(cls, model: Model, suites: Sequence[Suite], *, settled: bool = False) -> "Numbers":
        """Return those of a model: the regions that predictions name.

        `settled` has verdicts be float32's (`--verdicts float32`); `again` is the share of the
        suites' distinct sentences that are scored in both formats for it.
        """
        verdicts: Literal["float32"] | None = "float32" if settled else None
        choices = Choices(policy=Policy(bos="always"), regions="needed", verdicts=verdicts)
        runs = list(run_suites(model, suites, choices))
        tokens = [
            token.surprisal_bits
            for run in runs
            for item in run.surprisals.sentences
            for sentence in item
            for token in sentence.tokens
            if token.surprisal_bits is not None
        ]
        predictions = [each for run in runs for each in run.result.predictions]
        return cls(
            bits=np.array(tokens),
            margins=np.concatenate([each.margin_bits for each in predictions]),
            verdicts=np.concatenate([each.holds for each in predictions]),
            again=_share_scored_again(runs),
        )


def _share_scored_again(runs: Sequence[Run]) -> float:
    every = {each.text for run in runs for row in run.surprisals.sentences for each in row}
    again = {
        text
        for run in runs
        for text in run.result.provenance.get("verdicts", {}).get("sentences", ())
    }
    return len(again) / len(every)


def conformance_table(
    folder: Path,
    suites: Sequence[Suite],
    ways: Sequence[tuple[str, str]],
    *,
    reference: str = "cpu",
    batches: Sequence[str] = tuple(BATCHES),
) -> pd.DataFrame:
    """Compare each (device, number format), in passes of three sizes, with float32 on `reference`.

    `8 sd` counts the margins that are smaller than eight standard deviations of the margins' own
    differences: the verdicts that a format this coarse does not settle. Of half precision, `again`
    is the share of sentences that `--verdicts float32` scores in float32, too, and `flipped after`
    how many verdicts are others then: none may be.
    """
    true = Numbers.of(_opened(folder, reference, "float32", None), suites)
    rows = []
    for device, dtype in ways:
        for name in batches:
            model = _opened(folder, device, dtype, BATCHES[name])
            given = Numbers.of(model, suites)
            settled = Numbers.of(model, suites, settled=True) if model.info.is_half else None
            off = given.margins - true.margins
            noise = float(np.nanstd(off))
            flipped = given.verdicts != true.verdicts
            is_near = np.abs(given.margins) < 8 * noise
            rows.append(
                {
                    "device": device,
                    "format": dtype,
                    "passes": name,
                    "largest difference": float(np.nanmax(np.abs(given.bits - true.bits))),
                    "sd of margins": noise,
                    "verdicts": len(true.verdicts),
                    "flipped": int(flipped.sum()),
                    "8 sd": int(is_near.sum()),
                    "flipped beyond": int((flipped & ~is_near).sum()),
                    "again": settled and settled.again,
                    "flipped after": settled and int((settled.verdicts != true.verdicts).sum()),
                }
            )
    return pd.DataFrame(rows)


def _opened(folder: Path, device: str, dtype: str, batch_tokens: int | None) -> Model:
    options = LoadOptions(device=device, dtype=dtype, batch_tokens=batch_tokens, offline=True)
    return open_folder(folder, reference=str(folder), name=folder.name, options=options)
