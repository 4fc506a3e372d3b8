"""What every test may ask for."""

import gc
import os
import signal
import sys
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from playwright.sync_api import Browser as Chromium
from tests.report.page.browser import Browser, find_browser, started_chromium
from tests.times import name_of, slow_tests

# The first example of a law also pays for imports, and a machine may be busy. In CI the examples
# are the same each time: what fails there fails again.
settings.register_profile("pommel", deadline=None, derandomize=bool(os.environ.get("CI")))
# For `make quick`, which sets HYPOTHESIS_PROFILE: fewer examples, the same ones each time.
settings.register_profile("quick", deadline=None, max_examples=10, derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "pommel"))

# Engines and images for tests marked `docker`; nothing happens unless a test asks for them. On
# Windows nothing could start an engine.
pytest_plugins = ["tests.container_fixtures"] if sys.platform != "win32" else []

REPOSITORY = Path(__file__).resolve().parents[1]

# What ends a process politely, and what a shell has background jobs ignore.
_ENDING_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")


def pytest_configure(config: pytest.Config) -> None:
    """Give what tests start the usual signals, workers included.

    A process inherits which signals are ignored; in a background job that is Ctrl-C, and a test
    that sends it would wait for ever.
    """
    if not hasattr(config, "workerinput"):
        for name in _ENDING_SIGNALS:
            number = getattr(signal, name, None)  # Windows has two of them
            if number is not None and signal.getsignal(number) is signal.SIG_IGN:
                usual = signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL
                signal.signal(number, usual)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Spare the collector of garbage what is there for good: all tests, and what they import.

    It would go through that again and again, in `pommel run` after each model: half a second.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.hookimpl(tryfirst=True)  # before `-m` looks at the marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by what they ask for, and let several workers begin with the slowest files.

    Otherwise one worker would still be at the last of these when the others have done all else.
    """
    for item in items:
        asks_for = getattr(item, "fixturenames", ())
        is_crash = item.path.is_relative_to(REPOSITORY / "tests" / "crashes")
        if item.get_closest_marker("docker") or "chromium" in asks_for or is_crash:
            item.add_marker("full")
        if "shared_data" in asks_for:
            item.add_marker("published")
        if name_of(item.path, getattr(item, "originalname", item.name)) in slow_tests():
            item.add_marker("slow")
    if hasattr(config, "workerinput"):
        n_slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
        items.sort(key=lambda item: -n_slow[item.path])


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout that the tests run in."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Published data, no part of the repository: beside it in CI, maybe absent elsewhere."""
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"CI runs with the published data in {folder}, and it is not there")
        pytest.skip("the published data is not beside this checkout")
    return folder


@pytest.fixture(autouse=True)
def own_store(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where commands keep what they score, and what models are: no test knows of another's."""
    # The folder is not made here: most tests keep nothing.
    path = tmp_path_factory.getbasetemp() / "stores" / uuid.uuid4().hex / "store.sqlite"
    monkeypatch.setenv("POMMEL_STORE", str(path))
    monkeypatch.setenv("POMMEL_CACHE", str(path.with_name("cache")))
    return path


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """A browser; without one tests are skipped, and in CI they fail."""
    program = find_browser()
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("CI runs with Chromium, and it is not there; see .ci/install-browser")
        pytest.skip("no Chromium is installed")
    with started_chromium(program) as started:
        yield started


@pytest.fixture(scope="session")
def browser(chromium: Chromium) -> Browser:
    """One page of it, for one test after another."""
    return Browser(chromium.new_page())
