"""What a reviewer would doubt in the suites that ship: nothing."""

from pathlib import Path

import pytest

from pommel.files import shipped as data
from pommel.suite.lint import RULES, check_suite
from pommel.suite.lint.rules import PEDANTIC
from pommel.suite.read import read_suite


@pytest.mark.parametrize("path", data.suite_files(), ids=lambda path: path.stem)
def test_no_design_leaves_a_doubt(path: Path) -> None:
    rules = [rule for rule in RULES if rule not in PEDANTIC]
    assert check_suite(read_suite(path).suite, rules) == []
