"""What a container is given to compute with."""

from pathlib import Path

import pytest

from pommel.errors import UsageError
from pommel.models.container import commands
from pommel.models.container.commands import requested_gpus, variables
from pommel.models.model import LoadOptions


@pytest.mark.parametrize(
    ("device", "gpus", "inside"),
    [
        ("cpu", None, "cpu"),
        ("cuda", "all", "cuda"),
        ("cuda:0", "0", "cuda"),
        ("cuda:3", "3", "cuda"),
    ],
)
def test_devices(device: str, gpus: str | None, inside: str) -> None:
    assert requested_gpus(device) == gpus
    assert variables(LoadOptions(device=device, dtype="bfloat16")) == {
        "POMMEL_DEVICE": inside,
        "POMMEL_DTYPE": "bfloat16",
    }


def test_limits_are_told_where_there_are_any() -> None:
    told = variables(LoadOptions(batch_tokens=64, max_memory_bytes=1 << 20))
    assert told["POMMEL_BATCH_TOKENS"] == "64"
    assert told["POMMEL_MAX_MEMORY"] == "1048576"


def test_auto_is_what_this_machine_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = tmp_path / "nvidiactl"
    monkeypatch.setattr(commands, "_NVIDIA", driver)
    assert requested_gpus("auto") is None
    driver.touch()
    assert requested_gpus("auto") == "all"


@pytest.mark.parametrize("device", ["mps", "cuda:", "cuda:x", "gpu", ""])
def test_devices_that_no_container_has(device: str) -> None:
    with pytest.raises(UsageError) as caught:
        requested_gpus(device)
    assert str(caught.value) == (
        f"--device {device}: a container has no such device; it is cpu, cuda, cuda:N or auto"
    )
