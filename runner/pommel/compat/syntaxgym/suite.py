"""Suites as `syntaxgym` had them: a thin shell around the JSON value."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from pommel.compat.syntaxgym.prediction import (
    MissingValueError,
    Prediction,
    UnknownMetricError,
    Value,
    metric_value,
)
from pommel.errors import InputError
from pommel.files import JsonDocument
from pommel.suite import METRICS

if TYPE_CHECKING:
    import pandas as pd


class Suite:
    """A test suite.

    `items` and `meta` are the JSON values themselves. `condition_names` are those of the first
    item, `region_names` the names in the order of their numbers.
    """

    def __init__(  # noqa: PLR0913 - it was called like this
        self,
        condition_names: Sequence[str],
        region_names: Sequence[str],
        items: list[dict[str, Any]],
        predictions: Sequence[Prediction],
        meta: dict[str, Any],
        *,
        region_numbers: Sequence[int] = (),
    ) -> None:
        """Make a suite of its parts; the numbers of `region_names` are 1, 2, ... unless given."""
        self.condition_names = list(condition_names)
        self.region_names = list(region_names)
        self.items = items
        self.predictions = list(predictions)
        self.meta = meta
        self._region_numbers = tuple(region_numbers) or tuple(range(1, len(region_names) + 1))

    @classmethod
    def from_dict(cls, suite_dict: Mapping[str, Any]) -> "Suite":
        """Make a suite of its JSON value, which is shared and not copied.

        Predictions read the first of the suite's metrics (the retired package took no list and
        not "all" where there were predictions). Raises `MissingValueError` for an absent key,
        `InputError` for a suite without items, and `ValueError` for a bad prediction or metric.
        """
        for key in ("meta", "region_meta", "predictions", "items"):
            if key not in suite_dict:
                raise MissingValueError(f"the suite has no {key!r}")
        if not suite_dict["items"]:
            raise InputError("the suite has no items")
        regions = sorted((int(key), name) for key, name in suite_dict["region_meta"].items())
        return cls(
            condition_names=[
                condition["condition_name"] for condition in suite_dict["items"][0]["conditions"]
            ],
            region_names=[name for _, name in regions],
            items=suite_dict["items"],
            predictions=[
                Prediction.from_dict(each, idx, metric_names(suite_dict["meta"])[0])
                for idx, each in enumerate(suite_dict["predictions"])
            ],
            meta=suite_dict["meta"],
            region_numbers=[number for number, _ in regions],
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the suite's JSON value; regions keep the numbers they had."""
        return {
            "meta": self.meta,
            "region_meta": dict(zip(self._region_numbers, self.region_names, strict=True)),
            "predictions": [each.as_dict() for each in self.predictions],
            "items": self.items,
        }

    def as_dataframe(self, metric: str | None = None) -> "pd.DataFrame":
        """Return the surprisals of an evaluated suite, one row a region.

        Indexed by item_number, condition_name and region_number; the columns are content,
        metric_value (of `metric`, or of the first that the suite names) and oovs, with commas
        between. Raises `MissingValueError` for a region without that metric.
        """
        import pandas as pd

        index = ["item_number", "condition_name", "region_number"]
        wanted = metric or metric_names(self.meta)[0]
        rows = [
            (
                item["item_number"],
                condition["condition_name"],
                region["region_number"],
                region["content"],
                metric_value(region, wanted, place(item, condition)),
                ",".join(region.get("oovs", ())),
            )
            for item, condition in conditions(self)
            for region in condition["regions"]
        ]
        columns = [*index, "content", "metric_value", "oovs"]
        return pd.DataFrame(rows, columns=columns).set_index(index)

    def iter_sentences(self) -> Iterator[str]:
        """Yield all sentences, item by item and in each item condition by condition."""
        for _, condition in conditions(self):
            yield self._sentence_and_edges(condition)[0]

    def iter_region_edges(self) -> Iterator[list[int]]:
        """Yield for each sentence the character at which each region begins.

        The joining space belongs to the region after it, an empty region begins where it would
        stand. The retired package was one off behind an empty first region.
        """
        for _, condition in conditions(self):
            yield self._sentence_and_edges(condition)[1]

    def _sentence_and_edges(self, condition: Mapping[str, Any]) -> tuple[str, list[int]]:
        joiner = str(self.meta.get("joiner", " "))
        text = ""
        edges = []
        for region in condition["regions"]:
            edges.append(len(text))
            # Spaces behind a region's content stay, as they did.
            content = region["content"].lstrip()
            if content:
                text += region.get("joiner", joiner) + content if text else content
        return text, edges

    def evaluate_predictions(self) -> dict[int, dict[Prediction, Value]]:
        """Return item number -> prediction -> result, of an evaluated suite.

        Raises `MissingValueError` for a value that an item does not have.
        """
        return {
            item["item_number"]: {each: each(item) for each in self.predictions}
            for item in self.items
        }

    def __eq__(self, other: object) -> bool:
        # As text, in which NaN equals NaN.
        return isinstance(other, Suite) and json.dumps(self.as_dict()) == json.dumps(
            other.as_dict()
        )

    __hash__ = None  # type: ignore[assignment] # its parts may change


_BOUNDARY_SPACE = re.compile(r"^\s|\s$")
_MULTIPLE_SPACE = re.compile(r"\s{2,}")


@dataclass(eq=False)
class Region:
    """A region of a sentence, valid once it exists: `ValueError` for stray spaces in the content.

    A suite's stray spaces are no error where pommel reads it; they are left out.
    """

    region_number: int | None = None
    content: str = ""
    metric_value: dict[str, float] | None = None
    oovs: list[str] | None = None

    def __post_init__(self) -> None:
        """Check the content."""
        for pattern, fault in (
            (_BOUNDARY_SPACE, "leading and/or trailing space"),
            (_MULTIPLE_SPACE, "multiple consecutive spaces"),
        ):
            if pattern.search(self.content):
                raise ValueError(
                    f"Region content has {fault}. This is not allowed. "
                    f"Region content:  {self.content!r}"
                )


# A file, an open file, a suite's JSON value, or a suite.
SuiteLike = Suite | Mapping[str, Any] | str | Path | TextIO


def load_suite(source: SuiteLike) -> Suite:
    """Return the suite that `source` is or names; raises `InputError` for what cannot be read."""
    if isinstance(source, Suite):
        return source
    if isinstance(source, Mapping):
        return Suite.from_dict(source)
    if isinstance(source, str | Path):
        return Suite.from_dict(JsonDocument.read(Path(source)).value)
    name = str(getattr(source, "name", "<suite>"))
    return Suite.from_dict(JsonDocument.parse(source.read(), file=name).value)


def get_sentences(suite: SuiteLike) -> list[str]:
    """Return all sentences of a suite, in the order in which models are asked for them."""
    return list(load_suite(suite).iter_sentences())


def metric_names(meta: Mapping[str, Any]) -> list[str]:
    """Return the metrics that a suite asks for: one, several, or all.

    Raises `MissingValueError` where it asks for none, and `ValueError` for a name that is none.
    """
    if not meta.get("metric"):
        raise MissingValueError("the suite's meta has no 'metric'")
    written = meta["metric"]
    names: Iterable[Any] = [written] if isinstance(written, str) else written
    if written == "all":
        names = METRICS
    unknown = [name for name in names if name not in METRICS]
    if unknown:
        raise UnknownMetricError(f"Unknown metrics: {unknown}")
    return list(names)


def conditions(suite: Suite) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield (item, condition) of every sentence, in order."""
    for item in suite.items:
        for condition in item["conditions"]:
            yield item, condition


def place(item: Mapping[str, Any], condition: Mapping[str, Any]) -> str:
    """Return what messages call a sentence."""
    return f"item {item['item_number']}, condition {condition['condition_name']!r}"
