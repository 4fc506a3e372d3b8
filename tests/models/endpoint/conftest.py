"""Servers on loopback, and models behind them."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from tests.endpoint_server.language_model import LanguageModel
from tests.endpoint_server.running import serving
from tests.models.endpoint.serving import SHORT, Open, Serve

from pommel.models.endpoint.model import EndpointModel, open_model
from pommel.models.model import LoadOptions, closing


@pytest.fixture(scope="session")
def language_model() -> LanguageModel:
    """The built-in model, loaded once, and before any clock runs."""
    made = LanguageModel()
    made.rows(made.bos_id)
    return made


@pytest.fixture(scope="session")
def serve(language_model: LanguageModel) -> Iterator[Serve]:
    """Return a function from behaviour (keywords) to a running server and its address."""
    with serving(language_model) as start:
        yield start


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs this may have a key."""
    for name in ("POMMEL_API_KEY", "POMMEL_API_KEY_127_0_0_1"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def opened() -> Iterator[Open]:
    """Return a function that opens a model, which is closed at the end of the test."""
    with contextlib.ExitStack() as stack:

        def open_it(reference: str, **options: Any) -> EndpointModel:
            settings = {"timeout_seconds": 20.0, "n_retries": 2, **options}
            model = open_model(reference, LoadOptions(**settings), waiting=SHORT)
            stack.enter_context(closing(model))
            return model

        yield open_it
