"""Strangers' images that workers score again for a board, in containers of their own."""

import json
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.models.container.engines.samples import Misbehaving
from tests.sharding.launching.work import pommel as started

from pommel.store import Store

pytestmark = [pytest.mark.docker, pytest.mark.full, pytest.mark.usefixtures("nothing_left")]


def models_of(path: Path) -> Mapping[str, Mapping[str, Any]]:
    """Return what a sealed shard knows of its models, by their references."""
    with Store.open(path, read_only=True) as store:
        return {
            each.model.reference: each.result.provenance["model"] for each in store.runs.records()
        }


def test_images_of_a_board(misbehaving: Misbehaving, suite: Path, tmp_path: Path) -> None:
    pommel = partial(started, environment={**os.environ, "POMMEL_STORE": str(tmp_path / "s")})
    board, plans, shards = (tmp_path / name for name in ("board", "plans", "shards"))
    pommel("leaderboard", "init", board, "--suites", suite)
    image = f"docker://{misbehaving(protocol=2)}"
    models = [image, "builtin://en-ngram"]
    for number, model in enumerate(models):
        pommel("run", model, suite, "--regions", "all")
        packed = tmp_path / f"{number}.zip"
        pommel("submit", "--model", model, "--by", "me", "-o", packed)
        pommel("leaderboard", "add", board, packed)
    limits = ("--sandbox", "memory=400M", "--pull", "never")
    pommel("leaderboard", "plan", board, "-o", plans, *limits)
    said = pommel("launch", "local", plans / "plan.json", "-o", shards, "--workers", "2")
    assert said == "2 shards: 2 done\n"
    said = pommel("leaderboard", "verify", board, "--rerun", "--results", shards)
    assert said.count("2 sentences, ") == 2
    assert "all is well; 2 submissions computed again" in said
    # It was in a container with the limits of the plan, and without a network.
    (sealed,) = (each for each in shards.glob("*/sealed-*.sqlite") if image in models_of(each))
    sandbox = json.dumps(models_of(sealed)[image])
    assert f'"memory_bytes": {400 * 2**20}' in sandbox
    assert '"network": false' in sandbox
