"""The sizes of a network: which cannot be."""

from typing import Any

import pytest

from pommel.errors import UsageError
from pommel.models.lstm.folder import LstmConfig


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"embedding_size": 0}, "embedding_size has to be at least 1, not 0"),
        ({"n_layers": 0}, "n_layers has to be at least 1, not 0"),
        ({"n_layers": 101}, "n_layers has to be at most 100, not 101"),
        (
            {"tied": True},
            (
                "tied needs embedding_size and hidden_size to be equal "
                "(the embedding is the decoder's matrix); they are 2 and 3"
            ),
        ),
    ],
)
def test_a_configuration_that_cannot_be(changes: dict[str, Any], message: str) -> None:
    sizes: dict[str, Any] = {"embedding_size": 2, "hidden_size": 3, "n_layers": 100}
    assert LstmConfig(**sizes).tied is False
    with pytest.raises(UsageError) as caught:
        LstmConfig(**{**sizes, **changes})
    assert str(caught.value) == message


def test_settings_are_called_what_their_user_calls_them() -> None:
    with pytest.raises(UsageError, match=r"^N_LAYERS has to be at least 1, not -2$"):
        LstmConfig.check_sizes(1, 1, -2, tied=True, called=str.upper)
