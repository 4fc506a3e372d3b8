"""Pages of large stores: how many queries each asks does not grow with what there is."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks import serve as benchmark
from benchmarks.serve import added, pages
from starlette.testclient import TestClient
from tests.serve.samples import client

from pommel.store import database


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What connections that are opened from now on are asked."""
    asked: list[str] = []
    connect = database._connect  # noqa: SLF001 - where all connections come from

    def traced(path: Path, how: str, *, any_thread: bool = False) -> sqlite3.Connection:
        connection = connect(path, how, any_thread=any_thread)
        connection.set_trace_callback(asked.append)
        return connection

    monkeypatch.setattr(database, "_connect", traced)
    return asked


def made(path: Path, *, n_models: int, n_suites: int, n_items: int) -> TestClient:
    """Make a store, and return a client of its server."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(benchmark, "N_ITEMS", n_items)
        benchmark.made(path, n_models=n_models, n_suites=n_suites)
    return client(path)


def counts(server: TestClient, path: Path, queries: list[str]) -> Iterator[tuple[str, int, int]]:
    """Yield each page, how many queries it asks, and how many after a run was added."""
    for number, (name, address) in enumerate(pages(server).items()):
        # What is kept from then on.
        assert server.get(address).status_code == 200, address
        found = []
        for is_new in (False, True):
            if is_new:
                added(path, [number])
            queries.clear()
            assert server.get(address).status_code == 200
            found.append(len([each for each in queries if "PRAGMA" not in each]))
        yield name, found[0], found[1]


def test_no_page_asks_more_of_a_larger_store(tmp_path: Path, queries: list[str]) -> None:
    few, many = tmp_path / "few.sqlite", tmp_path / "many.sqlite"
    small = [*counts(made(few, n_models=6, n_suites=4, n_items=12), few, queries)]
    large = [*counts(made(many, n_models=60, n_suites=30, n_items=120), many, queries)]
    assert large == small
    # Nor is any page one of many queries.
    assert max(most for _, _, most in large) < 40
