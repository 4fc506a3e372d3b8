"""Faults planted into suites that ship: how many are found, and found in their items."""

import json
import random
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pommel.sources.load import suite_files
from pommel.suite.lint import Remark, check_suite
from pommel.suite.suite import Suite

N_PLANTED = 20
ITEM_RULES = ["odd-word", "odd-form", "swapped-conditions", "unequal-words", "unequal-context"]
LATIN, CYRILLIC = "aeopc", "\u0430\u0435\u043e\u0440\u0441"
LOOK_ALIKES = str.maketrans(LATIN + CYRILLIC, CYRILLIC + LATIN)

Value = dict[str, Any]
Path = tuple[str | int, ...]
# Changes an item of a suite at random, and returns the place of the fault; None where there is none
# to plant.
Plant = Callable[[Value, int, random.Random], Path | None]


def cells(item: Value) -> Iterator[tuple[int, int, str]]:
    for c, condition in enumerate(item["conditions"]):
        for r, region in enumerate(condition["regions"]):
            yield c, r, region["content"]


def written(value: Value, i: int, c: int, r: int, text: str) -> Path:
    value["items"][i]["conditions"][c]["regions"][r]["content"] = text
    return ("items", i, "conditions", c, "regions", r, "content")


def letter(change: Callable[[str, random.Random], str]) -> Plant:
    """Plant another letter in a word of several ones."""

    def plant(value: Value, i: int, rng: random.Random) -> Path | None:
        found = [
            (c, r, text, place, new)
            for c, r, text in cells(value["items"][i])
            for place, old in enumerate(text)
            if text[place : place + 2].isalpha() and len(text) > place + 1
            if (new := change(old, rng)) != old
        ]
        if not found:
            return None
        c, r, text, place, new = rng.choice(found)
        return written(value, i, c, r, text[:place] + new + text[place + 1 :])

    return plant


def typo(old: str, rng: random.Random) -> str:
    """Return a letter of the same script."""
    new = chr(ord(old) + rng.choice((-2, -1, 1, 2)))
    return new if new.isalpha() and new.islower() == old.islower() else old


def form(value: Value, i: int, rng: random.Random) -> Path | None:
    """Plant what another condition says in the same region."""
    item = value["items"][i]
    found = [
        (c, r, other)
        for c, r, text in cells(item)
        for d, s, other in cells(item)
        if r == s and c != d and text != other
    ]
    return written(value, i, *rng.choice(found)) if found else None


def swap(value: Value, i: int, rng: random.Random) -> Path:
    """Plant two conditions with each other's sentences."""
    conditions = value["items"][i]["conditions"]
    one, other = sorted(rng.sample(range(len(conditions)), 2))
    for key in ("regions", "gloss"):
        if key in conditions[one]:
            both = conditions[other][key], conditions[one][key]
            conditions[one][key], conditions[other][key] = both
    return ("items", i, "conditions", one)


def direction(value: Value, i: int, rng: random.Random) -> Path | None:
    """Plant a prediction that is the wrong way round."""
    del i
    if not value["meta"].get("unacceptable"):
        return None
    place = rng.randrange(len(value["predictions"]))
    prediction = value["predictions"][place]
    prediction["formula"] = prediction["formula"].translate(str.maketrans("<>", "><"))
    return ("predictions", place, "formula")


KINDS: dict[str, tuple[Plant, list[str], float]] = {
    "typo": (letter(typo), ITEM_RULES, 0.8),
    "form": (form, ITEM_RULES, 0.9),
    "swap": (swap, ITEM_RULES, 0.9),
    "direction": (direction, ["wrong-way"], 0.65),
    "not-nfc": (
        letter(lambda old, _: unicodedata.normalize("NFD", old)),
        ["mixed-normalization"],
        1.0,
    ),
    "look-alike": (letter(lambda old, _: old.translate(LOOK_ALIKES)), ["mixed-scripts"], 1.0),
    "unseen": (letter(lambda old, _: old + "\N{ZERO WIDTH SPACE}"), ["control-character"], 1.0),
    "joiner": (
        letter(lambda old, _: old + "\N{ZERO WIDTH JOINER}" if old.isascii() else old),
        ["control-character"],
        1.0,
    ),
}


def chance(kind: str) -> random.Random:
    return random.Random(kind)  # noqa: S311 - no secret


def planted(
    plant: Plant, rules: list[str], rng: random.Random, n_wanted: int
) -> Iterator[tuple[str, Path, list[Remark]]]:
    """Yield suites' names, the places of faults in them, and what the rules say of each."""
    files = suite_files()
    n_planted = 0
    while n_planted < n_wanted:
        value = json.loads(rng.choice(files).read_bytes())
        i = rng.randrange(len(value["items"]))
        # A design of 144 conditions says nothing that others do not, and takes long.
        is_small = len(value["items"][i]["conditions"]) <= 10
        if is_small and (place := plant(value, i, rng)):
            n_planted += 1
            yield value["meta"]["name"], place, check_suite(Suite.from_dict(value), rules)


@pytest.mark.parametrize("kind", KINDS)
def test_planted_faults_are_found(kind: str) -> None:
    plant, rules, least = KINDS[kind]
    n_found = 0
    for name, place, remarks in planted(plant, rules, chance(kind), N_PLANTED):
        # Nothing else is found.
        assert {each.path[:2] for each in remarks} <= {place[:2]}, name
        n_found += bool(remarks)
    assert n_found >= least * N_PLANTED


@pytest.mark.parametrize("kind", KINDS)
def test_a_planted_fault_is_found_at_its_place(kind: str) -> None:
    plant, rules, _ = KINDS[kind]
    (path,) = (each for each in suite_files("es") if each.stem == "es_sva_orc")
    value = json.loads(path.read_bytes())
    assert check_suite(Suite.from_dict(value), rules) == []
    rng = chance(kind)
    place = plant(value, 41, rng)
    while place is None:
        place = plant(value, rng.randrange(200), rng)
    (remark,) = check_suite(Suite.from_dict(value), rules)
    assert remark.path == place
