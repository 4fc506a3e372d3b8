"""What a reviewer would doubt in the suites that ship: nothing."""

from pathlib import Path

import pytest

from pommel.sources.load import suite_files
from pommel.suite.lint import RULES, check_suite
from pommel.suite.read import LoadedSuite


@pytest.mark.parametrize("path", suite_files(), ids=lambda path: path.stem)
def test_no_design_leaves_a_doubt(path: Path) -> None:
    rules = [name for name, rule in RULES.items() if not rule.is_pedantic]
    assert check_suite(LoadedSuite.read(path).suite, rules) == []
