"""Networks in the shards of plans, under policies of their own: what one process says of them."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.models.huggingface.opened import FolderOf, bits
from tests.sharding.shards import assert_equal, merged, planned, run_alone, run_shards

from pommel.models import Policy
from pommel.scoring import Choices, Run
from pommel.store import Store

SUITES = ("number_prep", "reflexive_src_fem")
CHOICES = {
    "pll": Choices(policy=Policy(method="pll"), regions="needed"),
    "pll-word-l2r": Choices(policy=Policy(method="pll-word-l2r"), regions="all"),
    "unmasked-ce": Choices(policy=Policy(method="unmasked-ce"), regions="needed"),
    "causal": Choices(policy=Policy(bos="never", boundary="corrected"), regions="needed"),
}


@pytest.mark.parametrize(
    ("kind", "choices"), [("gpt2" if each == "causal" else "bert", each) for each in CHOICES]
)
@pytest.mark.parametrize("n_shards", [1, 2])
def test_shards_say_what_one_process_does(
    tiny_folder: FolderOf, tmp_path: Path, kind: str, choices: str, n_shards: int
) -> None:
    plan = planned([f"huggingface://{tiny_folder(kind)}"], SUITES, n_shards=n_shards)
    assert len(plan.shards) == n_shards
    plan = replace(plan, choices=CHOICES[choices])
    run_shards(plan, tmp_path / "shards")
    found = merged(tmp_path / "shards", tmp_path / "merged.sqlite")
    alone = run_alone(plan, tmp_path / "alone.sqlite")
    if n_shards == 1:
        # All suites of the model lie in one shard: bit for bit.
        assert_equal(found, alone)
    n_scored = 0
    # A tree that is cut otherwise adds up in another order.
    for one, other in zip(_runs(found), _runs(alone), strict=True):
        for own, whole in zip(one.surprisals.sentences, other.surprisals.sentences, strict=True):
            for sentence, same in zip(own, whole, strict=True):
                assert bits(sentence) == pytest.approx(bits(same), abs=1e-4)
                n_scored += sum(each is not None for each in bits(sentence))
    assert n_scored > 0


def _runs(path: Path) -> list[Run]:
    with Store.open(path) as store:
        records = sorted(store.runs.records(), key=lambda each: each.result.suite_name)
        return list(store.runs.runs(records))
