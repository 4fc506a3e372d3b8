"""Which tests `make quick` leaves out: those of tests/slow.txt, as they were last timed.

`make times` runs the tests of `make test` and writes that list: every test function with a case
that took longer than `LONGEST_S`, by its file. What is not in it is quick.
"""

import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
LIST = HERE / "slow.txt"
LONGEST_S = 0.08


@cache
def slow_tests() -> frozenset[str]:
    """Return the names of slow test functions: "suite/test_read.py::test_gaps"."""
    return frozenset(LIST.read_text("utf-8").splitlines())


def name_of(path: Path, function: str) -> str:
    """Return what a test function is called in the list."""
    return f"{path.relative_to(HERE).as_posix()}::{function}"


def timed(report: Path) -> Iterator[tuple[str, float]]:
    """Yield each test of a report in JUnit's form with its seconds, setting up included."""
    for case in ET.parse(report).getroot().iter("testcase"):  # noqa: S314 - pytest's own
        module, function = case.attrib["classname"], case.attrib["name"].partition("[")[0]
        yield _name(module.split(".")[1:], function), float(case.attrib["time"])


def _name(parts: list[str], function: str) -> str:
    """Return a test's name; a class of tests stands behind its module."""
    end = next(n for n, part in enumerate(parts, start=1) if part.startswith("test_"))
    return name_of(HERE.joinpath(*parts[:end]).with_suffix(".py"), function)


def slow_of(times: Iterable[tuple[str, float]]) -> list[str]:
    """Return the names of those that took too long, sorted."""
    return sorted({name for name, seconds in times if seconds > LONGEST_S})


if __name__ == "__main__":
    LIST.write_text("\n".join([*slow_of(timed(Path(sys.argv[1]))), ""]), encoding="utf-8")
