"""Are the surprisals that an evaluated suite carries all there, and can they be surprisals?"""

import math
from collections.abc import Iterator
from typing import Any

from pommel.files.json import JsonPath
from pommel.suite.checks import Finding
from pommel.surprisal import ROUNDING_BITS


def surprisal_findings(document: Any) -> Iterator[Finding]:
    """Yield all that is wrong with the `metric_value`s of a document of an evaluated suite's shape.

    Every region has the metric that predictions read (the first of the suite's); its sum is a
    number, and nothing is below 0. Another metric may be null or NaN: an empty region has no mean.
    """
    metric = document["meta"]["metric"]
    needed = metric if isinstance(metric, str) else metric[0]
    needed = "sum" if needed == "all" else needed
    for i, item in enumerate(document["items"]):
        for c, condition in enumerate(item["conditions"]):
            for r, region in enumerate(condition["regions"]):
                path = ("items", i, "conditions", c, "regions", r, "metric_value")
                yield from _region_findings(region["metric_value"], path, needed)


def _region_findings(values: dict[str, Any], path: JsonPath, needed: str) -> Iterator[Finding]:
    if needed not in values:
        message = f"the region has no {needed!r}, which is the suite's metric"
        hint = "compute the surprisals again, with `pommel surprisals`"
        yield Finding(path=path, message=message, hint=hint)
    for metric, bits in values.items():
        place = (*path, metric)
        if bits is None or math.isnan(bits):
            if metric == "sum":
                message = "the surprisal is not a number"
                yield Finding(path=place, message=message, hint="write bits; no tokens have 0")
        elif bits < -ROUNDING_BITS:
            message = f"a surprisal is never negative, and this is {bits} bits"
            yield Finding(path=place, message=message, hint="write -log2 of the probability")
