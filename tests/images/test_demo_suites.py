"""The suites of `make demo`, on the four images that ship."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from tests.images.image_roots import KINDS

from pommel.api import Results, run
from pommel.sources.load import suite_files

if TYPE_CHECKING:
    from pommel.scoring.choices import Table

pytestmark = pytest.mark.docker

SUITES = "suites:en"
N_SUITES = len(suite_files("en"))
IN_PROCESS = {"ngram": "builtin://en-ngram", "huggingface": "builtin://en-gpt2"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_demo_suites_run_on_every_image(kind: str, built: Callable[..., str]) -> None:
    there = run(built(kind), SUITES)
    assert len(there) == N_SUITES
    tokens = there.to_frame("tokens")
    assert tokens["surprisal_bits"].notna().all()
    for each in there:
        details = each.surprisals.provenance["model"]["details"]
        assert details["sandbox"]["network"] is False
        assert details["image"]["id"].startswith("sha256:")
    if kind in IN_PROCESS:
        check_same(there, run(IN_PROCESS[kind], SUITES))


def check_same(there: Results, here: Results) -> None:
    """Tokens, regions and predictions are those of the model in this process."""
    same: dict[Table, list[str]] = {
        "tokens": ["token", "start", "end", "region_number", "oov"],
        "regions": ["region_number", "content", "n_tokens", "oovs"],
        "predictions": ["prediction_id", "item_number", "result", "tie"],
    }
    for table, exact in same.items():
        found, expected = there.to_frame(table), here.to_frame(table)
        pd.testing.assert_frame_equal(found[exact], expected[exact])
        bits = [name for name in expected.columns if name.endswith("_bits")]
        pd.testing.assert_frame_equal(found[bits], expected[bits], atol=1e-4, rtol=0)
