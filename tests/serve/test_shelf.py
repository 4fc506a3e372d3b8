"""The catalog: the runs that count under the labels of reports, kept up whatever others do."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.serve.samples import filled
from tests.store.run_samples import imported, own
from tests.store.test_run_index import drawn

from pommel.analysis import ModelsCompared
from pommel.scoring.run_record import RunRecord
from pommel.serve.shelf import Catalog, NotShownError, Shelf, suite_key
from pommel.store import RunIndex, Store


def shown(catalog: Catalog) -> Mapping[str, Mapping[str, int]]:
    """Return the places of the runs that count, by suite and by label."""
    found: dict[str, dict[str, int]] = {}
    for n, row in enumerate(catalog.rows.tolist()):
        key = catalog.suites[int(catalog.suite_of[n])].key
        found.setdefault(key, {})[catalog.models[int(catalog.model_of[n])].label] = row
    return found


def reported(store: Store) -> Mapping[str, Mapping[str, int]]:
    """Return the same as `pommel report` has it."""
    heads = store.runs.heads()
    every = [row for row, _ in enumerate(store.runs.index().keys)]
    places = dict(zip([each.run_id for each in all_heads(store)], every, strict=True))
    counted = store.runs.newest(store.runs.told_apart(heads)).records
    found: dict[str, dict[str, int]] = {}
    for model in ModelsCompared.of(counted).models:
        for each in model.records:
            key = suite_key(each.result.suite_name, each.suite)
            found.setdefault(key, {})[model.label] = places[each.run_id]
    return found


def all_heads(store: Store) -> list[RunRecord]:
    """Return all runs, those that were interrupted, too."""
    return [*store.runs.at(store.runs.index().keys.tolist()).values()]


@pytest.mark.parametrize("seed", range(20))
def test_labels_and_runs_are_those_of_a_report(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "store.sqlite"
    shelf = Shelf(path)
    for records in (drawn(seed), drawn(seed + 100, number=9)):
        with Store.open(path) as store:
            store.runs.save_records(records)
        with Store.open(path) as store:
            assert shown(shelf.catalog()) == reported(store)


def test_what_models_are_called_is_looked_up_for_other_models_only(tmp_path: Path) -> None:
    path = filled(tmp_path / "store.sqlite")
    shelf = Shelf(path)
    before = shelf.catalog()
    with Store.open(path) as store:
        (known, *_) = store.runs.records()
        elsewhere = replace(known.result, suite_name="elsewhere")
        suite = replace(known.suite, sha256="e" * 64)
        store.runs.save_records([replace(known, run_id="e" * 12, result=elsewhere, suite=suite)])
    after = shelf.catalog()
    assert (len(after.rows), len(after.suites)) == (len(before.rows) + 1, len(before.suites) + 1)
    assert after.called is before.called
    with Store.open(path) as store:
        store.runs.save_records([imported("1" * 12, model="new")])
    assert len(shelf.catalog().called.labels) == len(before.models) + 1


def test_a_suite_is_told_by_its_language(tmp_path: Path) -> None:
    german = replace(imported("1" * 12), suite=replace(imported().suite, language="de"))
    path = tmp_path / "store.sqlite"
    with Store.open(path) as store:
        store.runs.save_records([imported(), german])
    assert [each.language for each in Shelf(path).catalog().suites] == ["en", "de"]


def test_a_model_is_meant_by_its_label_or_a_part_that_no_other_has(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store.sqlite") as store:
        store.runs.save_records(
            own(n, f"toy://{name}", name=name, fingerprint=name)
            for n, name in enumerate(["gpt", "gpt2", "LSTM"])
        )
    catalog = Shelf(tmp_path / "store.sqlite").catalog()
    assert [catalog.model(each).label for each in ("gpt", "gpt2", "lst")] == ["gpt", "gpt2", "LSTM"]
    with pytest.raises(NotShownError, match=r"^2 models have 'pt' in their names: gpt, gpt2$"):
        catalog.model("pt")
    with pytest.raises(NotShownError, match=r"^no model is called 'gtp2'; did you mean 'gpt2'"):
        catalog.model("gtp2")
    with pytest.raises(NotShownError, match=r"^no model is called ''$"):
        catalog.model("")


def test_another_store_in_its_place_is_read_anew(tmp_path: Path) -> None:
    path = filled(tmp_path / "store.sqlite")
    shelf = Shelf(path)
    assert len(shelf.catalog().index.keys) == 5
    with Store.open(tmp_path / "other.sqlite") as store:
        store.runs.save_records([imported()])
    for each in tmp_path.glob("store.sqlite*"):
        each.unlink()
    (tmp_path / "other.sqlite").rename(path)
    assert [each.label for each in shelf.catalog().models] == ["gpt2"]


def test_those_who_wait_take_what_is_read_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf, begun, go_on = Shelf(filled(tmp_path / "store.sqlite")), [], threading.Event()
    of = Catalog.of

    def slow(index: RunIndex, before: Catalog) -> Catalog:
        begun.append(index)
        assert go_on.wait(20)
        return of(index, before)

    shelf.catalog()
    with Store.open(shelf.path) as store:
        store.runs.save_records([imported("1" * 12, model="new")])
        monkeypatch.setattr(Catalog, "of", slow)
        found: list[Catalog] = []
        threads = [threading.Thread(target=lambda: found.append(shelf.catalog())) for _ in range(5)]
        for each in threads:
            each.start()
        go_on.set()
        for each in threads:
            each.join()
    assert len(begun) == 1
    assert {len(each.models) for each in found} == {4}
