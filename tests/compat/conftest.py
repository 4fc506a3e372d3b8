"""Small suites for the tests of what old scripts call."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest


def _suite_dict(
    contents: dict[str, Sequence[str]], predictions: Sequence[str] = (), **meta: Any
) -> dict[str, Any]:
    """Return a suite of one item; `contents` are the regions of each condition."""
    n_regions = max(map(len, contents.values()))
    return {
        "meta": {"name": "t", "metric": "sum", **meta},
        "region_meta": {str(n + 1): f"r{n + 1}" for n in range(n_regions)},
        "predictions": [{"type": "formula", "formula": each} for each in predictions],
        "items": [
            {
                "item_number": 1,
                "conditions": [
                    {
                        "condition_name": name,
                        "regions": [
                            {"region_number": n + 1, "content": content}
                            for n, content in enumerate(regions)
                        ],
                    }
                    for name, regions in contents.items()
                ],
            }
        ],
    }


@pytest.fixture
def suite_dict() -> Callable[..., dict[str, Any]]:
    """What makes the JSON value of a suite from its sentences and formulas."""
    return _suite_dict
