"""What the tests of the command line share: an outcome's shape, a sound suite."""

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pommel.scoring.run_record import RunRecord
from pommel.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a command ended, and what it printed."""

    status: int
    stdout: str
    stderr: str

    def rows(self) -> list[dict[str, str]]:
        """Return the rows of a CSV that was printed."""
        return list(csv.DictReader(self.stdout.splitlines()))

    def failure(self, status: int) -> str:
        """Return the message of a command that has ended so; nothing else is on stderr."""
        assert self.status == status, self.stderr
        before, prefix, message = self.stderr.partition("pommel: ")
        assert (before, prefix, message[-1:]) == ("", "pommel: ", "\n")
        return message[:-1]


Pommel = Callable[..., Outcome]


def suite_value(name: str = "agreement", n_items: int = 3) -> dict[str, Any]:
    """Return a sound suite of two conditions and three regions."""
    nouns = ("author", "pilot", "surgeon", "dancer")

    def condition(name: str, noun: str, verb: str) -> dict[str, Any]:
        contents = (f"The {noun}", verb, "good .")
        regions = [{"region_number": n, "content": text} for n, text in enumerate(contents, 1)]
        return {"condition_name": name, "regions": regions}

    return {
        "meta": {"name": name, "metric": "sum"},
        "region_meta": {"1": "subject", "2": "verb", "3": "rest"},
        "predictions": [{"type": "formula", "formula": "(2;%match%) < (2;%mismatch%)"}],
        "items": [
            {
                "item_number": n,
                "conditions": [
                    condition("match", nouns[n % 4], "is"),
                    condition("mismatch", nouns[n % 4], "are"),
                ],
            }
            for n in range(1, n_items + 1)
        ],
    }


def arpa(path: Path, words: Mapping[str, float], pairs: Mapping[str, float] | None = None) -> str:
    """Write a model of words and pairs of words (log10); return its reference."""
    unigrams = {"<s>": -99.0, "</s>": -1.0, "<unk>": -2.0, **words}
    counts = [f"ngram 1={len(unigrams)}"]
    parts = ["\\1-grams:", *(f"{log10}\t{word}\t0" for word, log10 in unigrams.items()), ""]
    if pairs:
        counts.append(f"ngram 2={len(pairs)}")
        parts += ["\\2-grams:", *(f"{log10}\t{pair}" for pair, log10 in pairs.items()), ""]
    path.write_text("\n".join(["\\data\\", *counts, "", *parts, "\\end\\", ""]))
    return f"ngram://{path}?reader=python"


def save(path: Path, *records: RunRecord) -> None:
    """Keep records in a store."""
    with Store.open(path) as store:
        store.runs.save_records(records)
