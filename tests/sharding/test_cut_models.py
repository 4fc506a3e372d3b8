"""Shards that cut a network's suites, and a shared disk that is full."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.posix import POSIX_ONLY
from tests.sharding.shards import assert_equal, merged, planned, run_alone, run_shards

from pommel.errors import PommelError
from pommel.models import Policy
from pommel.store import Store

pytestmark = pytest.mark.full


def tokens(path: Path) -> dict[str, list[float | None]]:
    """Return the bits of all sentences of a store of one model."""
    with Store.open(path) as store:
        (info, *_) = (run.surprisals.model for run in store.runs.runs(store.runs.records()))
        texts = [text for (text,) in store.database.rows("SELECT text FROM sentences")]
        found = store.cache.known(store.cache.key(info, Policy()), texts)
    return {text: [token.surprisal_bits for token in each.tokens] for text, each in found.items()}


def test_a_network_whose_suites_are_cut_is_off_by_rounding(tmp_path: Path) -> None:
    plan = planned(["builtin://en-gpt2"], ["number_prep", "number_simple"], n_shards=2)
    assert [len(shard.pieces[0].suites) for shard in plan.shards] == [1, 1]
    run_shards(plan, tmp_path / "shards")
    one = tokens(merged(tmp_path / "shards", tmp_path / "merged.sqlite"))
    whole = tokens(run_alone(plan, tmp_path / "whole.sqlite"))
    assert one.keys() == whole.keys()
    for text, bits in one.items():
        assert bits == pytest.approx(whole[text], abs=1e-4), text


@POSIX_ONLY
def test_a_shared_disk_that_is_full(tmp_path: Path) -> None:
    plan = planned(n_shards=1)
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount") or "mount"
    small = [mount, "-t", "tmpfs", "-o", "size=160k", "none", str(disk)]
    made = subprocess.run(small, check=False, capture_output=True)
    if made.returncode:
        pytest.skip("no disk can be mounted here")
    try:
        with pytest.raises(PommelError, match="No space left on device"):
            run_shards(plan, disk)
        assert not [*disk.glob("*/sealed-*.json")]
        subprocess.run([mount, "-o", "remount,size=16m", str(disk)], check=True)
        run_shards(plan, disk)
        found = merged(disk, tmp_path / "merged.sqlite")
        assert_equal(found, run_alone(plan, tmp_path / "whole.sqlite"))
    finally:
        subprocess.run(["umount", str(disk)], check=True)
