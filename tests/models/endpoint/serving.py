"""What the fixtures of these tests give."""

from collections.abc import Callable

from tests.endpoint_server.running import Serve

from pommel.files.waiting import Waiting
from pommel.models.endpoint.model import EndpointModel

__all__ = ["SHORT", "Open", "Serve"]

# From a reference and load options to a model, which is closed when the test is over.
Open = Callable[..., EndpointModel]

# As a server's clients wait, only shorter.
SHORT = Waiting(first_seconds=0.001, longest_seconds=0.01)
