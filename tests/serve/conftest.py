"""A real browser on a server of this machine, which says whatever went wrong in it."""

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

NewPage = Callable[..., Page]


@pytest.fixture
def new_page(chromium: Browser) -> Iterator[NewPage]:
    """What opens a window of a person of its own: `new_page(width=400, dark=True)`.

    At the end of the test no window has said an error, nothing was asked of another machine, and
    the Content-Security-Policy had nothing to refuse (its refusals are errors of the console).
    """
    wrong: list[str] = []
    # Other tests of this process may have a window open.
    own: list[BrowserContext] = []

    def opened(
        *, width: int = 1280, height: int = 900, dark: bool = False, script: bool = True
    ) -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            java_script_enabled=script,
            accept_downloads=True,
        )
        own.append(context)
        context.set_default_timeout(15_000)
        page = context.new_page()

        def heard(message: ConsoleMessage) -> None:
            # A page that says 4xx on purpose is an error to the console; tests look at its text.
            if message.type == "error" and "status of 4" not in message.text:
                wrong.append(f"{page.url}: {message.text}")

        page.on("console", heard)
        page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
        page.on("request", lambda request: _check_host(request.url, wrong))
        return page

    yield opened
    for context in own:
        context.close()
    assert wrong == []


@pytest.fixture
def page(new_page: NewPage) -> Page:
    """A window."""
    return new_page()


def _check_host(address: str, wrong: list[str]) -> None:
    parts = urlsplit(address)
    if parts.scheme not in {"data", "blob"} and parts.hostname not in {"127.0.0.1", "localhost"}:
        wrong.append(f"asked for {address}")
