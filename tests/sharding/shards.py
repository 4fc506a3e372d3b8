"""Plans whose shards are run by tests, and the store of a single run to compare with."""

from collections.abc import Sequence
from pathlib import Path

from tests.store.test_merging import said

from pommel.models import LoadOptions, NamedModel, closing, load_model
from pommel.scoring import Choices
from pommel.sharding import Plan, PlanFolder
from pommel.sharding.costs import Costs
from pommel.sources import load_suites
from pommel.store import Store, run_and_keep

MODELS = ("dummy://uniform?bits=2", "builtin://en-ngram")
SUITES = ("number_prep", "number_simple", "reflexive_src_fem")


def planned(
    models: Sequence[str] = MODELS, suites: Sequence[str] = SUITES, *, n_shards: int = 3
) -> Plan:
    loaded = load_suites(suites)
    files = {path: each for path, each in zip(loaded.paths, loaded.suites, strict=True) if path}
    named = [NamedModel(reference=each) for each in models]
    costs = Costs.of(named, files, LoadOptions())
    return Plan.of(costs, Choices(regions="all"), n_shards=n_shards)


def run_shards(plan: Plan, folder: Path, *numbers: int) -> list[str]:
    """Run shards, all unless some are named; return what is told."""
    told: list[str] = []
    begun = PlanFolder.begun(plan, folder)
    for shard in plan.shards:
        if not numbers or shard.number in numbers:
            begun.run(shard, LoadOptions(), told.append)
    return told


def run_alone(plan: Plan, path: Path) -> Path:
    """Run all of a plan as one process does it, into one store."""
    suites = [each.load() for each in plan.suites]
    with Store.open(path) as store:
        for named in plan.models:
            with closing(load_model(named.reference, plan.options)) as model:
                list(run_and_keep(named, model, suites, plan.choices, store=store))
    return path


def merged(folder: Path, path: Path) -> Path:
    """Merge the shards of a folder into a store."""
    with Store.open(path) as store:
        for each in PlanFolder.read(folder).stores(lambda _: None):
            store.take_in(each, unchanged=True)
    return path


def assert_equal(one: Path, other: Path) -> None:
    """Fail unless two stores say the same row for row, but for sessions."""
    found = []
    for path in (one, other):
        with Store.open(path) as store:
            rows = said(store)
            # Sessions say where something was scored.
            del rows[3]
            rows[4] = [(*row[:4], row[5]) for row in rows[4]]
            found.append(rows)
    assert found[0] == found[1]
