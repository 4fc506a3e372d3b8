"""Where a file is asked for, and where a server may send us instead."""

from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from pommel.errors import UsageError, printable
from pommel.sources.fetch.source import PublishedSource

if TYPE_CHECKING:
    import httpx


class RefusedRedirectError(Exception):
    """A redirect that is not followed; the message says why."""


def file_address(source: PublishedSource, path: str, base_url: str | None = None) -> str:
    """Return the address of one of a source's files: where it was published, or at a mirror.

    A mirror has the files as a cache has: `BASE/NAME/COMMIT/PATH`. Raises `UsageError` if
    `base_url` is no http address.
    """
    if base_url is None:
        return f"{source.address}/{quote(path)}"
    parts = urlsplit(base_url)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.query or parts.fragment:
        raise UsageError(
            f"{base_url}: a mirror's address begins with https:// or http://, and is a folder's"
        )
    return f"{base_url.rstrip('/')}/{quote(source.name)}/{source.commit}/{quote(path)}"


def next_address(address: "httpx.URL", location: str) -> "httpx.URL":
    """Return where a redirect leads.

    Raises `RefusedRedirectError` for what is neither http nor https, for http after https, and for
    what is no address.
    """
    import httpx  # noqa: PLC0415 - an extra

    shown = printable(location[:300])
    try:
        target = address.join(location)
    except (httpx.InvalidURL, ValueError):
        raise RefusedRedirectError(f"it redirects to {shown!r}, which is no address") from None
    if target.scheme not in {"http", "https"} or not target.host:
        raise RefusedRedirectError(f"it redirects to {shown}, which is not followed")
    if address.scheme == "https" and target.scheme == "http":
        raise RefusedRedirectError(
            f"it redirects to {shown}, which is not followed: that way is not encrypted"
        )
    return target
