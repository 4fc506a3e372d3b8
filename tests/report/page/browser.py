"""A browser without a window: the machine's Chromium, driven by Playwright."""

import contextlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser as Chromium, Page, sync_playwright

# Of these the first that is there.
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

_TIMEOUT_SECONDS = 90.0
_MS_BETWEEN_LOOKS = 50.0
_OPTIONS = ("--no-sandbox", "--disable-gpu", "--force-color-profile=srgb")


def find_browser() -> str | None:
    """Return the path of a Chromium or Chrome, None if there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


def barriers(page: Page) -> list[str]:
    """Return what axe finds on a page that keeps people out."""
    return [
        f"{page.url}: {each['id']}: {node['html']}"
        for each in Axe().run(page).response["violations"]
        if each["impact"] in {"serious", "critical"}
        for node in each["nodes"]
    ]


class Browser:
    """One page of a browser: what it logs, what it asks for, and what is in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._complaints: list[str] = []
        self._requests: list[str] = []
        page.on("console", lambda message: self._hear(message.type, message.text))
        page.on("pageerror", lambda error: self._hear("error", str(error)))
        page.on("request", lambda request: self._requests.append(request.url))

    def open(self, page: Path | str, fragment: str = "") -> None:
        """Open a file, or an address, and wait until it has loaded."""
        where = page if isinstance(page, str) else page.resolve().as_uri()
        # To another place of the same page, nothing would be loaded.
        self.page.goto("about:blank")
        self._complaints.clear()
        self._requests.clear()
        self.page.goto(where + fragment)

    def value(self, expression: str) -> Any:
        """Return what a JavaScript expression comes to, once it has if it is a promise.

        A function is called: what ends in one ends in `; 0`.
        """
        return self.page.evaluate(expression)

    def until(self, expression: str) -> None:
        """Wait until a JavaScript expression is true."""
        # Playwright's own way is `eval` in the page, which a policy of its contents may forbid.
        began = time.monotonic()
        while not self.value(expression):
            if time.monotonic() - began > _TIMEOUT_SECONDS:
                raise TimeoutError(f"never true: {expression}")
            self.page.wait_for_timeout(_MS_BETWEEN_LOOKS)

    def look(
        self,
        *,
        width: int,
        height: int = 900,
        dark: bool = False,
        media: Literal["print", "screen"] = "screen",
    ) -> None:
        """Set the window's size, light or dark, and whether it is on paper."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(media=media, color_scheme="dark" if dark else "light")

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """Write what is to be seen, or the whole page, as PNG."""
        self.page.screenshot(path=path, full_page=whole)

    def key(self, name: str) -> None:
        """Press a key and let it go."""
        self.page.keyboard.press(name)

    @contextlib.contextmanager
    def without_scripts(self) -> Iterator[None]:
        """Have no script run in the pages that are opened meanwhile."""
        session = self.page.context.new_cdp_session(self.page)
        session.send("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            yield
        finally:
            session.send("Emulation.setScriptExecutionDisabled", {"value": False})
            session.detach()

    def complaints(self) -> list[str]:
        """Return what stands in the console as an error, and uncaught errors.

        Warnings are not among them: Vega-Lite gives some about charts that come out as they should.
        """
        self.value("0")
        return [*self._complaints]

    def requests(self) -> list[str]:
        """Return the addresses that the page has asked for; those inside it are none."""
        self.value("0")
        return [url for url in self._requests if not url.startswith(("data:", "blob:"))]

    def _hear(self, kind: str, text: str) -> None:
        if kind == "error":
            self._complaints.append(text)


@contextlib.contextmanager
def started_chromium(program: str) -> Iterator[Chromium]:
    """Start a browser; whoever opens pages has Playwright to thank, which allows one a process."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_OPTIONS)
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def opened_browser(program: str) -> Iterator[Browser]:
    """Start a browser with one page."""
    with started_chromium(program) as chromium:
        yield Browser(chromium.new_page())
