"""Results as they show themselves in a notebook: tables in HTML, every name escaped."""

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from pommel.errors import counted, listed
from pommel.statistics import mean_score

if TYPE_CHECKING:
    from pommel.scoring.results import Score, SuiteResult

# Notebooks put numbers and names on the right alike.
_NAME = ' style="text-align: left"'
_NUMBER = ' style="text-align: right; white-space: nowrap"'
_SMALL = '<p style="font-size: smaller">{}</p>'


def scores_html(results: Sequence["SuiteResult"]) -> str:
    """Return suites x models with scores and intervals, the SG score, and where it comes from."""
    if not results:
        return "<p>no runs</p>"
    models = [*dict.fromkeys(each.model_name for each in results)]
    suites = sorted(
        {(each.circuit, each.suite_name) for each in results},
        key=lambda each: (not each[0], each),
    )
    by_key = {(each.suite_name, each.model_name): each for each in results}
    rows = [
        _row(
            [circuit, suite],
            [
                "\n".join(_scores(by_key[suite, model])) if (suite, model) in by_key else ""
                for model in models
            ],
        )
        for circuit, suite in suites
    ]
    notes: list[str] = []
    if len(suites) > 1:
        means, notes = _means(results, models)
        rows.append(_row(["all suites", "SG score"], means))
    head = _row(["circuit", "suite"], models, "th")
    caption = "Share of items on which a suite's predictions hold [95% Wilson interval]"
    if len(suites) > 1:
        caption += "; SG score: the mean over suites, every suite counts alike"
    lines = [f"{caption}. {escape(_origin(results))}"]
    lines += map(escape, [*notes, *results[0].swallowed_lines(results)])
    return _table(head, rows) + _SMALL.format("<br>".join(lines))


def _means(results: Sequence["SuiteResult"], models: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return each model's SG score, and what to say where they are over different suites."""
    scored = {
        model: [each for each in results if each.model_name == model and not math.isnan(each.score)]
        for model in models
    }
    over = [
        ("", model, frozenset(("", each.suite_name) for each in own))
        for model, own in scored.items()
    ]
    of = results[0].uneven(over).get("")
    means = []
    for own, (*_, suites) in zip(scored.values(), over, strict=True):
        mean = _share(mean_score(each.score for each in own))
        means.append(f"{mean} ({len(suites)} of {of})" if of and own else mean)
    return means, results[0].uneven_lines(over)


def predictions_html(result: "SuiteResult") -> str:
    """Return the predictions of one result: how often each holds, by how much, and the score."""
    rows = [
        _row(
            [f"{each.prediction_id}: {each.description or each.formula}"],
            [
                f"{each.n_holding}/{each.n_items}",
                _bits(mean_score(filter(math.isfinite, each.margin_bits.tolist()))),
                str(each.n_ties),
            ],
        )
        for each in result.predictions
    ]
    title = f"{result.model_name} on {result.suite_name}: {' · '.join(_scores(result))}"
    head = _row(["prediction"], ["holds", "mean margin (bits)", "ties"], "th")
    small = _SMALL.format(escape(_origin([result])))
    return f"<p>{escape(title)}</p>{_table(head, rows)}{small}"


def _origin(results: Sequence["SuiteResult"]) -> str:
    """Return the score rule, and what is known of how the numbers came about."""
    rules = listed([*dict.fromkeys(each.score_rule for each in results)])
    known = [each.provenance for each in results if each.provenance]
    told: dict[str, list[str | None]] = {
        "method": [each.get("method") for each in known],
        "policy": [(each.get("policy") or {}).get("fingerprint") for each in known],
        "pommel": [each.get("pommel") for each in known],
        "date": [str(each.get("date") or "")[:10] for each in known],
    }
    found = {name: sorted({*filter(None, values)}) for name, values in told.items()}
    n_models = len({each.model_name for each in results})
    n_suites = len({each.suite_name for each in results})
    parts = [
        f"{counted(n_models, 'model')}, {counted(n_suites, 'suite')}",
        f"Score rule: {rules}",
        *(f"{name} {listed(values)}" for name, values in found.items() if values),
    ]
    return " · ".join(parts)


def _scores(result: "SuiteResult") -> list[str]:
    return [_score(each) for each in result.scores] or ["no predictions"]


def _score(score: "Score") -> str:
    label = f"{score.label}: " if score.label else ""
    if not score.n_items:
        return f"{label}{_share(score.share)}"
    return f"{label}{score.share:.2f} [{score.interval.low:.2f}, {score.interval.high:.2f}]"


def _share(share: float) -> str:
    return "-" if math.isnan(share) else f"{share:.2f}"


def _bits(bits: float) -> str:
    # -0.001 would be shown as -0.00.
    return "-" if math.isnan(bits) else f"{round(bits, 2) + 0.0:+.2f}"


def _row(names: Iterable[str], numbers: Iterable[str], tag: str = "td") -> str:
    cells = [f"<{tag}{_NAME}>{escape(name)}</{tag}>" for name in names]
    cells += [
        f"<{tag}{_NUMBER}>{escape(text).replace(chr(10), '<br>')}</{tag}>" for text in numbers
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _table(head: str, rows: Iterable[str]) -> str:
    return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"
