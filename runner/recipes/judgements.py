"""Sentences of shipped suites, to be judged by somebody who does not know what they should be.

A sheet has sentences in random order and nothing else; a key says where each is from, and what it
was meant to be. Judged, they become a language's `judgements.csv`.
"""

import csv
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from pommel.errors import InputError
from pommel.files import replacing

ACCEPTABLE, UNACCEPTABLE = "acceptable", "unacceptable"
# Somebody who judges may also say that it cannot be said.
LABELS = (ACCEPTABLE, UNACCEPTABLE, "doubtful")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A sentence: where it is from, what it was meant to be, what it was judged to be, and why."""

    suite: str
    item_number: int
    condition_name: str
    sentence: str
    intended: str
    judged: str = ""
    note: str = ""

    @property
    def agrees(self) -> bool:
        """Whether it was judged to be what it was meant to be."""
        return self.judged == self.intended


def drawn_sentences(folder: Path, *, n_items: int, seed: int) -> list[Judged]:
    """Return the sentences of so many items of each suite below a folder, in random order.

    A suite's `meta.unacceptable` names the conditions that are meant to be so, with blanks between.
    A sentence that comes twice is there once.
    """
    random_numbers = random.Random(seed)  # noqa: S311 - choosing sentences, not secrets
    found: dict[str, Judged] = {}
    for path in sorted(folder.rglob("*.json")):
        suite = json.loads(path.read_bytes())
        for item in random_numbers.sample(suite["items"], min(n_items, len(suite["items"]))):
            for each in _sentences(suite["meta"], item):
                found.setdefault(each.sentence, each)
    sentences = list(found.values())
    random_numbers.shuffle(sentences)
    return sentences


def write_sheet(sentences: Sequence[Judged], sheet: Path, key: Path) -> None:
    """Write the sheet (number, sentence, and columns to fill in) and its key."""
    rows = [
        {"number": number, "sentence": each.sentence, "judged": "", "note": ""}
        for number, each in enumerate(sentences, start=1)
    ]
    _write(sheet, rows)
    _write(key, [{"number": n, **asdict(each)} for n, each in enumerate(sentences, start=1)])


def read_judged(sheet: Path, key: Path) -> list[Judged]:
    """Return a key's sentences with what the sheet says of them, by suite, item and condition.

    Raises `InputError` if a sentence was not judged, or with a word that is no label.
    """
    judged = {row["number"]: row for row in _read(sheet)}
    names = [field.name for field in fields(Judged)]
    found = []
    for row in _read(key):
        own = judged.get(row["number"], {})
        if own.get("judged") not in LABELS:
            labels = ", ".join(LABELS)
            raise InputError(f"{sheet}: sentence {row['number']} is judged as none of {labels}")
        known: dict[str, Any] = {name: row[name] for name in names}
        known |= {"item_number": int(row["item_number"])}
        found.append(Judged(**known | {"judged": own["judged"], "note": own.get("note") or ""}))
    return sorted(found, key=lambda each: (each.suite, each.item_number, each.condition_name))


def write_judged(judged: Sequence[Judged], path: Path) -> None:
    """Write a language's `judgements.csv`."""
    _write(path, [asdict(each) for each in judged])


def _sentences(meta: Mapping[str, Any], item: Mapping[str, Any]) -> Iterator[Judged]:
    unacceptable = str(meta.get("unacceptable") or "").split()
    for condition in item["conditions"]:
        name = condition["condition_name"]
        texts = (region["content"] for region in condition["regions"])
        yield Judged(
            suite=meta["name"],
            item_number=item["item_number"],
            condition_name=name,
            sentence=str(meta.get("joiner", " ")).join(filter(None, texts)),
            intended=UNACCEPTABLE if name in unacceptable else ACCEPTABLE,
        )


def _write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    with replacing(path) as aside, aside.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
