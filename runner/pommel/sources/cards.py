"""What suites are, in a line: for lists of them, and of all that ship with pommel."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pommel.sources.load import SHIPPED, find_suites, load_suites
from pommel.suite.read import suite_to_dict
from pommel.suite.suite import Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteCard:
    """A suite's name, what it says of itself, and how much there is of it."""

    name: str
    language: str
    circuit: str
    version: str
    modifier_of: str
    n_items: int
    n_predictions: int
    condition_names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CircuitCard:
    """The suites of one circuit in one language, added up."""

    language: str
    circuit: str
    n_suites: int
    n_items: int
    n_predictions: int


def suite_cards(source: str) -> list[SuiteCard]:
    """Return the cards of all suites that `source` means; raises as `load_suites` does.

    Those that ship with pommel are known to be valid, and are not checked again.
    """
    if source.startswith(SHIPPED):
        return [_card(json.loads(path.read_bytes())) for path in find_suites(source)]
    return [suite_card(each.suite) for each in load_suites([source])]


def suite_card(suite: Suite) -> SuiteCard:
    """Return the card of a suite."""
    return _card(suite_to_dict(suite))


def circuit_cards(cards: Iterable[SuiteCard]) -> list[CircuitCard]:
    """Add suites up by language and circuit, in the order in which these are first seen."""
    groups: dict[tuple[str, str], list[SuiteCard]] = {}
    for card in cards:
        groups.setdefault((card.language, card.circuit), []).append(card)
    return [_added(language, circuit, own) for (language, circuit), own in groups.items()]


def _added(language: str, circuit: str, cards: Sequence[SuiteCard]) -> CircuitCard:
    return CircuitCard(
        language=language,
        circuit=circuit,
        n_suites=len(cards),
        n_items=sum(card.n_items for card in cards),
        n_predictions=sum(card.n_predictions for card in cards),
    )


def _card(value: dict[str, Any]) -> SuiteCard:
    meta = value["meta"]
    return SuiteCard(
        name=meta["name"],
        language=str(meta.get("language") or ""),
        circuit=str(meta.get("circuit") or ""),
        version=str(meta.get("version") or ""),
        modifier_of=str(meta.get("modifier_of") or ""),
        n_items=len(value["items"]),
        n_predictions=len(value["predictions"]),
        condition_names=tuple(each["condition_name"] for each in value["items"][0]["conditions"]),
    )
