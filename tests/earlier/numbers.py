"""The numbers of what stands in data/, by the doors that everyone may use.

Each section is a function of the folder that one works in, a copy of data/. Some write to it.
"""

import json
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from tests.earlier.running import pommel

import pommel as api

SUITES = tuple(
    f"suites/{name}.json" for name in ("number_simple", "number_prep", "number_src", "npi_src_any")
)
STEPS = "ngram://text/step*.arpa?reader=python"


def printed_json(*arguments: str) -> Any:
    """Return the value that a command prints, which has to succeed."""
    outcome = pommel(*arguments)
    assert outcome.status == 0, outcome.stderr
    return json.loads(outcome.stdout)


def margins(results: api.Results) -> dict[str, list[Any]]:
    """Return of each model, suite and prediction what holds, and by how many bits."""
    found = defaultdict(list)
    for row in results.to_frame("predictions").to_dict("records"):
        key = f"{row['model_name']} | {row['suite']} | {row['prediction_id']}"
        found[key].append([row["item_number"], bool(row["result"]), row["margin_bits"]])
    return dict(found)


def region_sums(results: api.Results) -> dict[str, float]:
    """Return of each model, suite and region the sum of surprisals, of all items, in bits."""
    frame = results.to_frame("regions").dropna(subset="sum_bits")
    found: dict[str, float] = defaultdict(float)
    for row in frame.to_dict("records"):
        found[f"{row['model_name']} | {row['suite']} | {row['region_number']}"] += row["sum_bits"]
    return dict(found)


def scores(results: api.Results) -> dict[str, float | None]:
    """Return the score of each model on each suite."""
    rows = results.to_frame("suites").to_dict("records")
    return {f"{row['model_name']} | {row['suite']}": row["score"] for row in rows}


def of_results(results: api.Results) -> dict[str, Any]:
    """Return all of these."""
    return {
        "scores": scores(results),
        "margins": margins(results),
        "region_sums": region_sums(results),
    }


def kept() -> dict[str, Any]:
    """Return what the store has: all runs, and of our own every item and where it is from."""
    results = api.stored_results(store="store.sqlite")
    own = ("model", "suite", "policy", "method", "compat", "regions", "pommel", "date", "oov")
    return {
        "runs": printed_json("runs", "list", "--all", "--format", "json"),
        **of_results(results),
        "provenance": [
            {key: run.result.provenance[key] for key in own} for run in results.runs[:6]
        ],
    }


def of_others() -> dict[str, list[Any]]:
    """Return of each imported model and suite what holds, and by how many bits."""
    found = defaultdict(list)
    for row in printed_json("stats", "items", "--source", "theirs", "--format", "json"):
        of_item = [row["item_number"], row["holds"], row["margin_bits"]]
        found[f"{row['model']} | {row['suite']}"].append(of_item)
    return dict(found)


def scored_anew() -> dict[str, Any]:
    """Return what models of words say now, with no store."""
    results = api.run(["builtin://en-ngram", STEPS], SUITES, regions="all")
    return of_results(results)


def recorded() -> dict[str, Any]:
    """Return what the recorded surprisals of a neural model come to."""
    return of_results(api.run("recorded://recorded.jsonl", SUITES[0], regions="all"))


def evaluated() -> Any:
    """Return the predictions of the suite that has its surprisals."""
    return printed_json("evaluate", "evaluated.json", "--format", "json")


def evaluated_again() -> Any:
    """Return the scores of kept runs under another rule."""
    command = ("runs", "evaluate", "--model", "en-gpt2", "--suite", "npi*", "--score", "each")
    return [each["score"] for each in printed_json(*command, "--format", "json-full")]


def standings() -> Any:
    """Return the board, but for its description."""
    shown = printed_json("leaderboard", "show", "board", "--format", "json-full")
    return {"ledger": shown["ledger_sha256"], "ranking": shown["submissions"]}


def with_another() -> Any:
    """Return the ranking with one more submission, which is added here."""
    outcome = pommel("leaderboard", "add", "board", "steps.pommel.zip", "--by", "A. Keeper")
    assert outcome.status == 0, outcome.stderr
    shown = printed_json("leaderboard", "show", "board", "--together", "--format", "json-full")[
        "submissions"
    ]
    return [{key: value for key, value in each.items() if key != "added"} for each in shown]


# In this order; the last one changes the board.
SECTIONS: dict[str, Callable[[], Any]] = {
    "kept": kept,
    "of_others": of_others,
    "scored_anew": scored_anew,
    "recorded": recorded,
    "evaluated": evaluated,
    "evaluated_again": evaluated_again,
    "standings": standings,
    "with_another": with_another,
}
