"""Archives for tests, also such as nobody should make."""

import io
import tarfile
import warnings
import zipfile
from collections.abc import Mapping


def zipped(
    members: Mapping[str, bytes] | list[tuple[str, bytes]], *, mode: int = 0o100644
) -> bytes:
    """Return a zip file; `mode` is what Unix calls the members (0o120777: links)."""
    packed = io.BytesIO()
    pairs = members.items() if isinstance(members, Mapping) else members
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # a name that is there twice is what some tests are about
        for name, content in pairs:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return packed.getvalue()


def tarred(
    members: Mapping[str, bytes] | list[tuple[str, bytes]],
    *,
    gzipped: bool = False,
    kind: bytes = tarfile.REGTYPE,
    target: str = "",
) -> bytes:
    """Return a tar file; `kind` is that of all members, `target` where links lead."""
    packed = io.BytesIO()
    pairs = members.items() if isinstance(members, Mapping) else members
    with tarfile.open(fileobj=packed, mode="w:gz" if gzipped else "w") as archive:
        for name, content in pairs:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, target
            info.size = len(content) if kind == tarfile.REGTYPE else 0
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()
