"""Short names of the LM Zoo."""

import pytest

from pommel.errors import ModelNotAvailableError
from pommel.models.container.names import LmZooRegistry


def test_every_published_name_is_an_image() -> None:
    names = list(LmZooRegistry.installed())
    assert len(names) == 7
    assert [LmZooRegistry.installed().image_reference(name) for name in names] == [
        f"docker://cpllab/language-models:{name.lower()}" for name in names
    ]


def test_a_name_that_is_none() -> None:
    with pytest.raises(ModelNotAvailableError) as caught:
        LmZooRegistry.installed().image_reference("GRN")
    known = ", ".join(LmZooRegistry.installed())
    assert str(caught.value) == (
        "there is no image 'GRN' in the registry (did you mean GRNN?); "
        f"it is one of {known}, or write docker://NAME:TAG"
    )
