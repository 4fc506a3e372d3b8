"""What the retired package let stand in a region, case by case."""

import json
from pathlib import Path

import pytest

from pommel.compat.syntaxgym import Region
from pommel.suite.checks import has_stray_space


def test_every_case_does_what_it_is_expected_to_do(shared_data: Path) -> None:
    text = (shared_data / "conformance" / "alignment_cases.json").read_text("utf-8")
    cases = [each for each in json.loads(text)["cases"] if each["kind"] == "region_validation"]
    assert len(cases) == 7
    for case in cases:
        content, is_refused = case["content"], "error" in case["expected"]
        # In strict validation it is an error for us, too.
        assert has_stray_space(content) is is_refused, case["id"]
        if is_refused:
            with pytest.raises(ValueError, match="space"):
                Region(region_number=1, content=content)
        else:
            assert Region(region_number=1, content=content).content == content
