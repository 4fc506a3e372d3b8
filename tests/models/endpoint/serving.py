"""What the fixtures of these tests give."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.endpoint_server.running import Serve

from pommel.errors import ModelNotAvailableError
from pommel.files.waiting import Waiting
from pommel.models.endpoint.model import EndpointModel

__all__ = ["SHORT", "Open", "Serve", "refusal"]

# From a reference and load options to a model, which is closed when the test is over.
Open = Callable[..., EndpointModel]

# As a server's clients wait, only shorter.
SHORT = Waiting(first_seconds=0.001, longest_seconds=0.01)


def refusal(opened: Open, reference: str, **options: Any) -> str:
    """Return what is said when a model is opened, behind its reference."""
    with pytest.raises(ModelNotAvailableError) as raised:
        opened(reference, **options)
    assert raised.value.exit_status == 4
    assert str(raised.value).startswith(f"{reference}: ")
    return str(raised.value).removeprefix(f"{reference}: ")
