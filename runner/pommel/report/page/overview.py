"""What stands above the suites: what was run, the scores, what was left out."""

from collections.abc import Iterator, Sequence

from pommel.analysis import Training, grouped
from pommel.errors import counted, listed
from pommel.files import frame_of_rows, frame_text
from pommel.report.page.charts import Chart, chart_of
from pommel.report.page.provenance import (
    model_provenance,
    run_rows,
    suite_provenance,
    time_span,
)
from pommel.report.page.scores import (
    Levels,
    SuiteRow,
    circuits_of,
    model_rows,
    score_columns,
    together,
)
from pommel.report.page.sections import ReportModel, Section
from pommel.report.plots.circuits import circuit_chart
from pommel.report.plots.heat_map import heat_map
from pommel.report.plots.lines import training_chart
from pommel.scoring import RunRecord, SuiteResult

_SHOWN_NAMES = 6


def overview(
    models: Sequence[ReportModel],
    levels: Levels,
    rows: Sequence[SuiteRow],
    *,
    every: Sequence[ReportModel],
    means: Levels,
) -> dict[str, object]:
    """Return what the report says of all suites together, for its templates.

    `models` are those that are looked at suite by suite, of all that there are (`every`), whose
    levels of several suites are `means`. `files` are CSV texts by the names that they are saved
    under.
    """
    records = [record for model in models for record in model.records]
    runs = run_rows(models)
    of_several, by_suite = together(means, "model", "circuit"), levels["suite"].suite_notes()
    # As `pommel stats accuracy` has them.
    accuracies = together({**levels, **means}, *levels).frame()
    n_left = len(every) - len(models)
    shown = {each.label for each in models}
    earlier = {each.label for each in every if each.path and each.label not in shown}
    return {
        "facts": _facts(every, rows),
        "crowd": _CROWD.format(n_models=len(every), n_shown=len(models)) if n_left else "",
        "models": models,
        "earlier": earlier,
        "folded": _FOLDED[any(each.is_family for each in every), bool(earlier)],
        "circuits": circuits_of(means),
        "model_rows": model_rows(every, means),
        "model_caption": " ".join(
            [
                "SG score, over all suites, and scores by circuit.",
                *of_several.mean_notes(),
                *of_several.uneven_notes(),
            ]
        ),
        "suite_rows": rows,
        "columns": [next(iter(each.values())) for each in score_columns(models)],
        "has_steps": any(model.path for model in models),
        "suite_caption": " ".join([*by_suite, "Chance: the share that holds by chance."]),
        "swallowed": SuiteResult.swallowed_lines([each.result for each in records]),
        "charts": (
            *_training(means),
            chart_of("heat", "Scores of models on suites", lambda: heat_map(records)),
            chart_of("circuits", "Circuits", lambda: circuit_chart(levels["circuit"])),
        ),
        "model_provenance": model_provenance(models),
        "suite_provenance": suite_provenance(models),
        "run_rows": runs,
        "files": {
            "accuracy.csv": frame_text(accuracies, "csv"),
            "runs.csv": frame_text(frame_of_rows(runs, [*runs[0]]), "csv"),
        },
    }


# What is said beside the box that unfolds tables, by whether families or trainings are folded.
_FOLDED = {
    (False, False): "",
    (True, False): "Show the members of families",
    (False, True): "Show all steps of trainings",
    (True, True): "Show the members of families and all steps of trainings",
}

# What a page of more models than can be looked at one by one says of itself.
_CROWD = (
    "{n_models:,} models are too many to look at suite by suite. The table of models has all of "
    "them. Heat map, circuits, suites, items and provenance are those of {n_shown:,}: of the last "
    "step of each training, and of the first of the other models. pommel report --model NAME makes "
    "a page of others, and pommel stats accuracy --by suite --format csv has every score. In "
    "accuracy.csv only the models that are looked at have margins; --by circuit has the others'."
)


def _training(means: Levels) -> Iterator[Chart]:
    """Yield the accuracies along trainings, where there are some: over all suites, by circuit."""
    of_all, by_circuit = (
        [row for row in means[level].rows if row.member and row.member.is_ordered]
        for level in ("model", "circuit")
    )
    if of_all:
        asked = Training.Asked(level="all")
        yield chart_of("training", "Training", lambda: training_chart(asked.along(of_all)))
    if len({row.unit for row in by_circuit}) > 1:
        each = Training.Asked(level="circuit")
        yield chart_of(
            "circuits-of-training",
            "Training by circuit",
            lambda: training_chart(each.along(by_circuit)),
        )


def navigation(of_suites: Sequence[Section]) -> dict[str, list[tuple[int, Section]]]:
    """Return the suites' sections with their numbers, by circuit."""
    return grouped(enumerate(of_suites), lambda each: each[1].first.result.circuit)


def left_out(records: Sequence[RunRecord], older: Sequence[RunRecord]) -> list[str]:
    """Say which of the records the report is not about."""
    notes = []
    interrupted = [record for record in records if record.status != "complete"]
    if interrupted:
        notes.append(f"left out: {counted(len(interrupted), 'interrupted run')}")
    if older:
        names = sorted({f"{each.result.model_name} on {each.result.suite_name}" for each in older})
        what = f"{counted(len(older), 'run')} on another version of a suite"
        notes.append(f"left out for newer ones: {what} ({listed(names, most=_SHOWN_NAMES)})")
    return notes


def _facts(models: Sequence[ReportModel], rows: Sequence[SuiteRow]) -> list[tuple[str, str]]:
    records = [record for model in models for record in model.records]
    n_families = sum(model.is_family for model in models)
    n_models = str(len(models) - n_families)
    if n_families:
        n_models += f" ({counted(n_families, 'family').replace('familys', 'families')})"
    names = listed([each.label for each in models if not each.family], most=_SHOWN_NAMES)
    circuits = {row.circuit for row in rows if row.circuit}
    languages = sorted({row.key[0] for row in rows if row.key[0]})
    suites = [
        str(len({row.key for row in rows})),
        f"of {counted(len(circuits), 'circuit')}" if circuits else "",
        f"in {listed(languages, most=_SHOWN_NAMES)}" if languages else "",
    ]
    rules = dict.fromkeys(each.result.score_rule for each in records)
    sources = dict.fromkeys(each.source for each in records)
    named = {RunRecord.OWN: "pommel"}
    return [
        ("models", f"{n_models}: {names}"),
        ("suites", " ".join(filter(None, suites))),
        ("runs", f"{len(records)}"),
        ("run", time_span(records)),
        ("score", "; ".join(_MEANINGS[rule] for rule in rules)),
        ("results from", ", ".join(named.get(each, f"{each} (imported)") for each in sources)),
    ]


_MEANINGS = {
    "all": "share of items on which all predictions of a suite hold",
    "first": "share of items on which the first prediction of a suite holds",
    "each": "mean over a suite's predictions of the share of items on which each holds",
}
