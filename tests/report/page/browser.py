"""A browser without a window, told what to do over a pipe (Chrome DevTools Protocol)."""

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

# Of these the first that is there.
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--metrics-recording-only",
    "--force-color-profile=srgb",
    "--remote-debugging-pipe",
)

# The browser reads what it is told from file descriptor 3, and answers on 4.
_LAUNCHER = """
import os, sys
os.dup2(int(sys.argv[1]), 3), os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""

_TIMEOUT_SECONDS = 30.0


def find_browser() -> str | None:
    """Return the path of a Chromium or Chrome, None if there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """One page of a browser: what it logs, what it asks for, and what is in it."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._buffer = b""
        self._n_sent = 0
        self._session = ""
        self.events: list[dict[str, Any]] = []

    def attach(self) -> None:
        """Open an empty page, and listen to all that happens in it."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Give a command and return what it answers; raises `RuntimeError` if it is refused."""
        self._n_sent += 1
        number = self._n_sent
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def open(self, page: Path | str, fragment: str = "") -> None:
        """Open a file, or an address, and wait until it has loaded."""
        where = page if isinstance(page, str) else page.resolve().as_uri()
        # To another place of the same page, nothing would be loaded.
        for address in ("about:blank", where + fragment):
            self.events.clear()
            self.send("Page.navigate", url=address)
            self.until_event("Page.loadEventFired")

    def until_event(self, name: str) -> None:
        """Wait until something has happened."""
        while not any(event.get("method") == name for event in self.events):
            self.events.append(self._next())

    def value(self, expression: str) -> Any:
        """Return what a JavaScript expression comes to, once it has if it is a promise."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]["exception"].get("description")))
        return answer["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until a JavaScript expression is true."""
        began = time.monotonic()
        while not self.value(expression):
            if time.monotonic() - began > _TIMEOUT_SECONDS:
                raise TimeoutError(f"never true: {expression}")
            time.sleep(0.05)

    def look(self, *, width: int, height: int = 900, dark: bool = False, media: str = "") -> None:
        """Set the window's size, and light or dark; `media` may be "print"."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """Write what is to be seen, or the whole page, as PNG."""
        shot = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def key(self, name: str, code: int) -> None:
        """Press a key and let it go."""
        text = {"Enter": "\r", " ": " "}.get(name, "")
        common = {"key": name, "windowsVirtualKeyCode": code}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def complaints(self) -> list[str]:
        """Return what stands in the console as an error, and uncaught errors.

        Warnings are not among them: Vega-Lite gives some about charts that come out as they should.
        """
        self._hear()
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            match event.get("method"):
                case "Runtime.exceptionThrown":
                    found.append(str(parameters["exceptionDetails"]))
                case "Runtime.consoleAPICalled" if parameters["type"] == "error":
                    found.append(str(parameters["args"]))
                case "Log.entryAdded" if parameters["entry"]["level"] == "error":
                    found.append(str(parameters["entry"]["text"]))
        return found

    def requests(self) -> list[str]:
        """Return the addresses that the page has asked for; those inside it are none."""
        self._hear()
        asked = (
            str(event["params"]["request"]["url"])
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        )
        return [url for url in asked if not url.startswith(("data:", "blob:"))]

    def _hear(self) -> None:
        """Take in all that has been said by now: an answer comes behind it."""
        self.value("0")

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], _TIMEOUT_SECONDS)
            piece = os.read(self._answers, 1 << 20) if ready else b""
            if not piece:
                raise TimeoutError("the browser does not answer")
            self._buffer += piece
        message, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(TimeoutError, RuntimeError, OSError):
            self._session = ""
            self.send("Browser.close")


@contextlib.contextmanager
def opened_browser(program: str) -> Iterator[Browser]:
    """Start a browser with a profile of its own, which is gone with it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        import fcntl  # not on Windows, where other tests import this

        to_browser, from_browser = os.pipe(), os.pipe()
        # Away from 3 and 4, which the browser's own ends become.
        theirs = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_browser[0], from_browser[1])]
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                _LAUNCHER,
                *map(str, theirs),
                program,
                *_OPTIONS,
                f"--user-data-dir={profile}",
                "about:blank",
            ],
            pass_fds=theirs,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for end in (*theirs, to_browser[0], from_browser[1]):
            os.close(end)
        try:
            with Browser(to_browser[1], from_browser[0]) as browser:
                browser.attach()
                yield browser
            process.wait(timeout=10)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            os.close(to_browser[1])
            os.close(from_browser[0])
