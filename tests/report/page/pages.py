"""What is done with a report's page in a browser, and made for one."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.report.page.browser import Browser

from pommel.scoring.run import Run


def opened(browser: Browser, path: Path, fragment: str = "") -> Browser:
    """Open a page in a window of common width."""
    browser.look(width=1400)
    browser.open(path, fragment)
    return browser


def texts(browser: Browser, selector: str) -> list[str]:
    """Return what elements say, those alone that are to be seen."""
    found: list[str] = browser.value(
        f"[...document.querySelectorAll({json.dumps(selector)})]"
        ".filter(each => each.offsetParent !== null).map(each => each.innerText.trim())"
    )
    return found


def choose(browser: Browser, selector: str, value: Any) -> None:
    """Set a box or a menu, as a click does."""
    name = "checked" if isinstance(value, bool) else "value"
    browser.value(
        f"{{ const it = document.querySelector({json.dumps(selector)});"
        f"it.{name} = {json.dumps(value)};"
        "it.dispatchEvent(new Event('change', { bubbles: true })) }"
    )


def named(run: Run, name: str) -> Run:
    """Return a run as that of a model of this name."""
    model = replace(run.surprisals.model, name=name, reference=name)
    return Run(
        surprisals=replace(run.surprisals, model=model),
        result=replace(run.result, model_name=name),
    )
