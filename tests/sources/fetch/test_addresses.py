"""Addresses of files, and redirects."""

import httpx
import pytest

from pommel.errors import UsageError
from pommel.sources.fetch.download import RefusedRedirectError, file_address, next_address
from pommel.sources.fetch.source import PublishedSource

SOURCE = PublishedSource(
    name="birds", title="", address="https://example.org/r/0123456", commit="0123456"
)


@pytest.mark.parametrize(
    ("base_url", "address"),
    [
        (None, "https://example.org/r/0123456/a/great%20tit.json"),
        ("http://localhost:8000", "http://localhost:8000/birds/0123456/a/great%20tit.json"),
        ("https://m.org/pub/", "https://m.org/pub/birds/0123456/a/great%20tit.json"),
    ],
)
def test_where_a_file_is(base_url: str | None, address: str) -> None:
    assert file_address(SOURCE, "a/great tit.json", base_url) == address


@pytest.mark.parametrize("base_url", ["m.org", "file:///data", "https://", "https://m.org/?a=b"])
def test_a_mirror_that_is_none(base_url: str) -> None:
    with pytest.raises(UsageError) as caught:
        file_address(SOURCE, "a.json", base_url)
    message = f"{base_url}: a mirror's address begins with https:// or http://, and is a folder's"
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("address", "location", "target"),
    [
        ("https://a.org/x/y", "z", "https://a.org/x/z"),
        ("https://a.org/x/y", "/z", "https://a.org/z"),
        ("https://a.org/x", "https://b.org/z", "https://b.org/z"),
        ("http://a.org/x", "https://a.org/x", "https://a.org/x"),
        ("http://a.org/x", "http://b.org/x", "http://b.org/x"),
    ],
)
def test_redirects_that_are_followed(address: str, location: str, target: str) -> None:
    assert str(next_address(httpx.URL(address), location)) == target


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("file:///etc/passwd", "it redirects to file:///etc/passwd, which is not followed"),
        ("ftp://a.org/x", "it redirects to ftp://a.org/x, which is not followed"),
        (
            "http://a.org/x",
            "it redirects to http://a.org/x, which is not followed: that way is not encrypted",
        ),
        ("https://[::1", "it redirects to 'https://[::1', which is no address"),
    ],
)
def test_redirects_that_are_not(location: str, message: str) -> None:
    with pytest.raises(RefusedRedirectError) as caught:
        next_address(httpx.URL("https://a.org/x"), location)
    assert str(caught.value) == message
