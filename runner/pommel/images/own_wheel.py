"""A wheel of the pommel that runs here, made from its own files.

It is the same whether pommel was installed from a wheel or runs from a checkout, and neither a
build tool nor the network is needed: a wheel is an archive of a package's files.
"""

import base64
import hashlib
import io
import zipfile
from collections.abc import Iterator
from importlib import metadata

from pommel.errors import PommelError
from pommel.files import shipped

_FIRST_DATE = (1980, 1, 1, 0, 0, 0)
_TAG = "py3-none-any"
# Name in the wheel -> what it is called where pommel is installed; a checkout has its own name.
_COPIED = {"METADATA": ("METADATA", "PKG-INFO"), "entry_points.txt": ("entry_points.txt",)}


def own_wheel() -> tuple[str, bytes]:
    """Return the file name and the bytes of a wheel; the same bytes for the same files.

    Raises `PommelError` if pommel runs without having been installed in any way.
    """
    try:
        distribution = metadata.distribution("pommel")
    except metadata.PackageNotFoundError:
        raise PommelError(
            "this pommel was never installed, so that nobody knows what it needs: "
            "pip install --editable FOLDER"
        ) from None
    folder = f"pommel-{distribution.version}.dist-info"
    record: list[str] = []
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (*_package(), *_metadata(distribution, folder)):
            archive.writestr(_entry(name), content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
            record.append(f"{name},sha256={digest.decode().rstrip('=')},{len(content)}\n")
        record.append(f"{folder}/RECORD,,\n")
        archive.writestr(_entry(f"{folder}/RECORD"), "".join(record))
    return f"pommel-{distribution.version}-{_TAG}.whl", stream.getvalue()


def _package() -> Iterator[tuple[str, bytes]]:
    for name, path in sorted(shipped.package_files().items()):
        yield name, path.read_bytes()


def _metadata(distribution: metadata.Distribution, folder: str) -> Iterator[tuple[str, bytes]]:
    for name, sources in _COPIED.items():
        if text := next(filter(None, map(distribution.read_text, sources)), None):
            yield f"{folder}/{name}", text.encode()
    lines = ("Wheel-Version: 1.0", "Generator: pommel", "Root-Is-Purelib: true", f"Tag: {_TAG}")
    yield f"{folder}/WHEEL", "".join(f"{line}\n" for line in lines).encode()


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _FIRST_DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o100644 << 16
    return entry
