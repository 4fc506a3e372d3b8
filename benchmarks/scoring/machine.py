"""What the figures were measured on, and with."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("torch", "transformers", "minicons", "lm_eval")


def machine(device: str, dtype: str) -> dict[str, Any]:
    """Return the processor, cores, load, threads, device and versions, as plain JSON values."""
    import torch

    return {
        "processor": _processor(),
        "n_cores": os.cpu_count(),
        "load_1min": round(os.getloadavg()[0], 2),
        "n_threads": torch.get_num_threads(),
        "device": torch.cuda.get_device_name(device) if device.startswith("cuda") else device,
        "dtype": dtype,
        "python": platform.python_version(),
        **{package: installed(package) for package in PACKAGES},
    }


def installed(package: str) -> str | None:
    """Return the version of a package, None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    """Return the processor's name, where Linux tells it, else its architecture."""
    described = Path("/proc/cpuinfo")
    if described.is_file():
        for line in described.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
