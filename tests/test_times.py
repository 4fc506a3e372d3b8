"""tests/times.py: which tests `make quick` leaves out."""

import re
from pathlib import Path

from tests.times import HERE, LONGEST_S, slow_of, slow_tests, timed

REPORT = """\
<testsuites><testsuite>
<testcase classname="tests.suite.test_read" name="test_gaps[two-three]" time="0.5"/>
<testcase classname="tests.suite.test_read" name="test_gaps[none]" time="0.01"/>
<testcase classname="tests.test_api.TestRun" name="test_a_suite" time="0.2"/>
<testcase classname="tests.test_api" name="test_names" time="0.001"/>
</testsuite></testsuites>
"""


def test_a_function_with_one_slow_case_is_slow(tmp_path: Path) -> None:
    report = tmp_path / "times.xml"
    report.write_text(REPORT, "utf-8")
    assert slow_of(timed(report)) == ["suite/test_read.py::test_gaps", "test_api.py::test_a_suite"]


def test_what_took_as_long_as_allowed_is_quick() -> None:
    assert slow_of([("test_api.py::test_names", LONGEST_S)]) == []


def test_every_test_of_the_list_is_there() -> None:
    """A renamed test would come back to `make quick` unseen."""
    known = {
        f"{path.relative_to(HERE).as_posix()}::{function}"
        for path in HERE.rglob("test_*.py")
        for function in re.findall(r"def (test_\w+)\(", path.read_text("utf-8"))
    }
    assert sorted(slow_tests() - known) == []
