"""What pommel needs to run models in the Hugging Face format, out of this environment."""

import hashlib
import importlib.metadata
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.requirements import Requirement
from tests.containers_support import rootfs
from tests.containers_support.archive import Tree

from pommel.images.sources import package_files

PLACE = "/opt/site"
ENVIRONMENT = (*rootfs.ENVIRONMENT, f"ENV PYTHONPATH={PLACE}")

# Parts of packages that only their developers need; half of torch's files are such.
_LEFT_OUT = re.compile(
    r"^\.\.|(^|/)tests?/|^torch/(include|share)/|^torch/bin/(?!torch_shm)"
    r"|^torch/lib/lib(torchbind|jit)\w+\.so"
)


def key() -> str:
    """Return a name for what `with_packages` makes: other versions make something else."""
    versions = sorted(f"{each.name}=={each.version}" for each in _distributions())
    made_of = (rootfs.key(), *versions, Path(__file__).read_text())
    return hashlib.sha256("\n".join(made_of).encode()).hexdigest()[:16]


def with_packages() -> Tree:
    """Return the system of `rootfs` with torch, transformers, h5py and what they need."""
    system = rootfs.system()
    system.files |= {f"{PLACE}/{name}": path for name, path in _files(_distributions()).items()}
    return system


def serve_context() -> dict[str, str | bytes | Path]:
    """Return what an image is built from that has `pommel[serve]`, as it runs here."""
    packages = _files(_distributions(("pommel", "serve")))
    dockerfile = f"{pommel_context()['Dockerfile']!s}COPY site {PLACE}\nENV PYTHONPATH={PLACE}\n"
    site = {f"site/{name}": path for name, path in packages.items()}
    return {**pommel_context(), **site, "Dockerfile": dockerfile}


def _files(distributions: Iterable[importlib.metadata.Distribution]) -> dict[str, Path]:
    """Return the files of packages by where they are below `PLACE`."""
    located = {
        str(file): Path(str(file.locate()))
        for distribution in distributions
        for file in distribution.files or ()
        if not _LEFT_OUT.search(str(file))
    }
    return {name: path for name, path in located.items() if path.is_file()}


def pommel_context() -> dict[str, str | bytes | Path]:
    """Return what an image is built from that has pommel, as it runs here, on top.

    It is compiled there: nobody else may write to the image, and it starts sooner.
    """
    metadata = importlib.metadata.distribution("pommel").read_text("METADATA") or ""
    return {
        **package_files(),
        "pommel.dist-info/METADATA": metadata,
        "Dockerfile": (
            "ARG BASE\nFROM $BASE\n"
            f"COPY pommel {PLACE}/pommel\n"
            f"COPY pommel.dist-info {PLACE}/pommel.dist-info\n"
            f"RUN python3 -m compileall -q {PLACE}/pommel\n"
        ),
    }


def _distributions(
    *wanted: tuple[str, str],
) -> list[importlib.metadata.Distribution]:
    """Return the packages that `pommel[hf]` and h5py need, or others, without pommel itself.

    Each that is wanted is a name and an extra.
    """
    found: dict[str, importlib.metadata.Distribution] = {}
    waiting = [*(wanted or (("pommel", "hf"), ("h5py", "")))]
    while waiting:
        name, extra = waiting.pop()
        distribution = importlib.metadata.distribution(name)
        if f"{_plain(name)}[{extra}]" in found:
            continue
        found[f"{_plain(name)}[{extra}]"] = distribution
        waiting += _needed(distribution, extra)
    by_name = {_plain(each.name): each for each in found.values()}
    del by_name["pommel"]
    return [by_name[name] for name in sorted(by_name)]


def _needed(distribution: importlib.metadata.Distribution, extra: str) -> Iterator[tuple[str, str]]:
    for text in distribution.requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or marker.evaluate({"extra": extra}):
            yield requirement.name, ""
            yield from ((requirement.name, each) for each in requirement.extras)


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
