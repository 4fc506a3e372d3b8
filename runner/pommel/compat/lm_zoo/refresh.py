"""Fetching the registry of images anew: only when somebody asks for it, checked, bounded."""

import http.client
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from pommel.errors import InputError, PommelError, UsageError, package_version
from pommel.files import DecodedText, write_text
from pommel.models import LmZooRegistry

DEFAULT_URL = "https://cpllab.github.io/lm-zoo/registry.json"

MAX_BYTES = 16 << 20
_CHUNK_BYTES = 1 << 16


def refresh_registry(url: str | None = None, *, timeout_s: float = 30) -> tuple[Path, int]:
    """Download a registry and put it into its place; return the file and its number of models.

    Without an address it is where the LM Zoo had it.

    Raises as `download_registry` does, and `PommelError` if the file can't be written; what was
    there before stays as it is.
    """
    text, entries = _download(url or DEFAULT_URL, timeout_s)
    path = LmZooRegistry.copy_path()
    write_text(path, text)
    return path, len(entries)


def forget_registry() -> Path | None:
    """Delete the user's copy, so that what ships with pommel counts again; None if there is none.

    Raises `PommelError` if the file can't be deleted.
    """
    path = LmZooRegistry.copy_path()
    try:
        path.unlink()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PommelError(f"{path}: cannot be deleted: {error.strerror or error}") from None
    return path


def download_registry(url: str, *, timeout_s: float = 30) -> dict[str, Any]:
    """Return the registry at an http address, checked against `schemas/lm_zoo_registry.json`.

    Raises `UsageError` for any other address, `PommelError` if it can't be had (it is not there,
    too big, or has not come after `timeout_s` seconds), `InputError` for what is no registry.
    """
    return _download(url, timeout_s)[1]


def _download(url: str, timeout_s: float) -> tuple[str, dict[str, Any]]:
    text = DecodedText.decode(_fetch(url, timeout_s), file=url).text
    entries = LmZooRegistry.parse(text, where=url, noun="registry of images")
    for name, entry in entries.items():
        if entry["shortname"] != name:
            raise InputError(f"{url}: the model {name} has the shortname {entry['shortname']}")
    return text, dict(entries)


def _fetch(url: str, timeout_s: float) -> bytes:
    if not url.lower().startswith(("https://", "http://")):
        raise UsageError(f"{url}: an address begins with https://")
    agent = {"User-Agent": f"pommel/{package_version('pommel')}"}
    try:
        request = urllib.request.Request(url, headers=agent)  # noqa: S310 - checked above
        with urllib.request.urlopen(request, timeout=timeout_s) as response:  # noqa: S310 - checked above
            return _read(response, url, timeout_s)
    except TimeoutError:
        raise _not_had(url, f"it had not come after {timeout_s:g} s") from None
    except urllib.error.HTTPError as error:
        # It is the answer, too, with the connection still open.
        error.close()
        raise _not_had(url, f"the server says {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise _not_had(url, _reason(error.reason, timeout_s)) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _not_had(url, str(error) or type(error).__name__) from None


def _read(response: http.client.HTTPResponse, url: str, timeout_s: float) -> bytes:
    # A server that sends a byte now and then never runs into the time-out of a single read.
    deadline = time.monotonic() + timeout_s
    content = bytearray()
    while piece := response.read1(_CHUNK_BYTES):
        content += piece
        if len(content) > MAX_BYTES:
            raise _not_had(url, f"it is bigger than {MAX_BYTES >> 20} MiB")
        if time.monotonic() > deadline:
            raise TimeoutError
    return bytes(content)


def _reason(reason: str | BaseException, timeout_s: float) -> str:
    if isinstance(reason, TimeoutError):
        return f"it had not come after {timeout_s:g} s"
    return (reason.strerror if isinstance(reason, OSError) else None) or str(reason)


def _not_had(url: str, reason: str) -> PommelError:
    return PommelError(f"{url}: {reason}; the list of images stays as it was")
