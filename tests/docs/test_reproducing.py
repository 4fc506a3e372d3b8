"""docs/reproducing.md: its commands print what it shows, and published numbers come out."""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from tests.docs.pages import REPOSITORY, Shown, page_of, steps
from tests.docs.prepared import PUBLISHED, parts
from tests.docs.running import PageError, Workplace

pytestmark = pytest.mark.full

ROWS = list[dict[str, str]]
PRINTED_VALUES = REPOSITORY / "suites" / "studies" / "printed"
FOUR = ("gpt-2-xl-pretrained", "grnn", "ngram", "rnng")
CIRCUITS = {
    "Licensing": "licensing",
    "Long-Distance Dependencies": "long-distance-dependencies",
    "Agreement": "agreement",
    "Garden-Path Effects": "garden-path-effects",
    "Gross Syntactic State": "gross-syntactic-state",
    "Center Embedding": "center-embedding",
}

# Warstadt et al. (2020), "BLiMP: The Benchmark of Linguistic Minimal Pairs for English", Table 3:
# percent, over all and by term, of the models as they are printed.
TERMS = (
    "anaphor_agreement",
    "argument_structure",
    "binding",
    "control_raising",
    "determiner_noun_agreement",
    "ellipsis",
    "filler_gap_dependency",
    "irregular_forms",
    "island_effects",
    "npi_licensing",
    "quantifiers",
    "subject_verb_agreement",
)
PRINTED = {
    "ngram": (61.2, 47.9, 71.9, 64.4, 68.5, 70.0, 36.9, 60.2, 79.5, 57.2, 45.5, 53.5, 60.3),
    "lstm": (69.8, 91.7, 73.2, 73.5, 67.0, 85.4, 67.6, 73.9, 89.1, 46.6, 51.7, 64.5, 80.1),
    "txl": (69.6, 94.1, 72.2, 74.7, 71.5, 83.0, 77.2, 66.6, 78.2, 48.4, 55.2, 69.3, 76.0),
    "gpt2": (83.0, 99.3, 81.8, 80.9, 81.9, 95.8, 89.3, 81.3, 91.9, 72.7, 76.8, 79.0, 86.4),
}


@dataclass(frozen=True)
class Reproduced:
    """The page with all of its commands run, what came out otherwise, and where it was run."""

    text: str
    commands: list[str]
    wrong: list[str]
    place: Workplace
    store: Path

    def rows(self, command: str) -> ROWS:
        """Return the table that a command prints as CSV."""
        output = self.place.command(f"{command} --format csv").output
        first = next(line for line in output.splitlines() if not line.startswith("note: "))
        return list(csv.DictReader(StringIO(output[output.index(first) :])))


@pytest.fixture(scope="module")
def page(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Reproduced:
    """The page with all of its commands run, one after the other."""
    assert shared_data == PUBLISHED
    shown = page_of(REPOSITORY / "docs" / "reproducing.md")
    (part,) = parts(shown)
    place = Workplace(folder=tmp_path_factory.mktemp("page"))
    store, wrong = place.folder / "store.sqlite", []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POMMEL_STORE", str(store))
        part.prepare(place)
        for block in part.blocks:
            try:
                place.run(block)
            except PageError as error:
                wrong.append(str(error))
    steps_of_it = [step for block in part.blocks for step in steps(block)]
    commands = [step.command for step in steps_of_it if isinstance(step, Shown)]
    return Reproduced(text=shown.text, commands=commands, wrong=wrong, place=place, store=store)


@pytest.fixture(autouse=True)
def page_store(page: Reproduced, own_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read what the page's commands have kept."""
    assert own_store != page.store
    monkeypatch.setenv("POMMEL_STORE", str(page.store))


def test_the_commands_print_what_the_page_shows(page: Reproduced) -> None:
    assert len(page.commands) > 17
    if page.wrong:
        pytest.fail("\n\n".join(page.wrong), pytrace=False)


@pytest.fixture(scope="module")
def expected(shared_data: Path) -> dict[str, Any]:
    """What the paper's own procedure says of the per-item files."""
    value: dict[str, Any] = json.loads((shared_data / "hu2020" / "expected.json").read_text())
    return value


def of_family(rows: ROWS, family: str) -> ROWS:
    """Return the rows of a family's means."""
    return [row for row in rows if row["model_name"] == family]


def test_scores_of_hu_et_al(page: Reproduced, expected: dict[str, Any]) -> None:
    models = " ".join(f"--model {name}" for name in FOUR)
    command = f"pommel stats accuracy --source hu2020 {models}"
    overall, circuits, suites = (
        page.rows(f"{command} --resamples 99 --by {level}")
        for level in ("model", "circuit", "suite")
    )
    assert set(expected["by_model"]) == set(FOUR)
    for name, told in expected["by_model"].items():
        (row,) = of_family(overall, name)
        assert float(row["accuracy"]) == pytest.approx(told["sg_score"], abs=1e-9)
        assert int(row["n_members"]) == told["n_seeds"]
        found = {row["circuit"]: float(row["accuracy"]) for row in of_family(circuits, name)}
        assert found == pytest.approx(
            {CIRCUITS[circuit]: score for circuit, score in told["circuits"].items()}, abs=1e-9
        )
        own = {row["suite"]: float(row["accuracy"]) for row in of_family(suites, name)}
        assert own == pytest.approx(expected["by_model_suite"][name], abs=1e-9)
        line = next(line for line in page.text.splitlines() if line.startswith(f"| {name} |"))
        figures = [f".{float(cell):.4f}".replace("0.", "") for cell in line.split("|")[2:-1]]
        order = [told["sg_score"], *(told["circuits"][circuit] for circuit in CIRCUITS)]
        assert figures == [f".{score:.4f}".replace("0.", "") for score in order]
    members = {row["suite"]: row["circuit"] for row in suites}
    for circuit, names in expected["circuit_suites"].items():
        assert sorted(names) == sorted(s for s, of in members.items() if of == CIRCUITS[circuit])


def test_stability_of_hu_et_al(page: Reproduced, expected: dict[str, Any]) -> None:
    rows = page.rows("pommel stats stability --source hu2020")
    for name, told in expected["stability_by_model"].items():
        mean = next(row for row in of_family(rows, name) if row["level"] == "mean")
        assert float(mean["accuracy"]) == pytest.approx(told["no_modifier"], abs=1e-9)
        assert float(mean["modified_accuracy"]) == pytest.approx(told["with_modifier"], abs=1e-9)
        for score in told.values():
            assert f"{score:.4f}".removeprefix("0") in page.text
    pairs = {(row["suite"], row["modified_suite"]) for row in rows if row["level"] == "pair"}
    assert pairs == {tuple(pair) for pair in expected["stability_pairs"]}


def test_slopes_of_kryvosheieva_and_levy(page: Reproduced) -> None:
    command = next(each for each in page.commands if " scaling " in each)
    found = {(row["family"], row["name"]): row["slope_percent"] for row in page.rows(command)}
    with (PUBLISHED / "multilingual" / "performance_vs_size.csv").open() as stream:
        published = {row.pop(""): row for row in csv.DictReader(stream)}
    suites = published["BLOOM"]
    for family, row in published.items():
        assert {suite: round(float(found[family, suite]), 3) for suite in suites} == {
            suite: float(slope) for suite, slope in row.items()
        }
    # Four families' slopes, and their average.
    assert published.keys() == {"mGPT", "BLOOM", "XGLM", "XLM-R", "Average"}
    assert len(suites) == 20


def test_intervals_of_kryvosheieva_and_levy(page: Reproduced) -> None:
    rows = page.rows("pommel stats accuracy --source multilingual --interval exact --resamples 99")
    of_1000 = {int(row["n_holding"]): row for row in rows if row["n_items"] == "1000"}
    intervals = {
        count: (round(float(row["exact_low"]), 3), round(float(row["exact_high"]), 3))
        for count, row in of_1000.items()
    }
    assert [intervals[count] for count in (996, 500, 527, 351)] == [
        (0.990, 0.999),
        (0.469, 0.531),
        (0.496, 0.558),
        (0.321, 0.381),
    ]
    for count, row in of_1000.items():
        assert (float(row["p_above"]) < 0.05) == (count >= 527)
        assert (float(row["p_below"]) < 0.05) == (count <= 473)
    assert {473, 527} <= of_1000.keys()
    assert {row["n_items"] for row in rows if row["model_name"] == "human"} == {"50"}


def test_averages_and_correlations_of_mueller_et_al(page: Reproduced) -> None:
    rows = page.rows("pommel stats accuracy --source clams --by language")
    averages = {(row["model_name"], row["language"]): float(row["accuracy"]) for row in rows}
    with (PUBLISHED / "clams" / "table1_table2.csv").open() as stream:
        printed = {
            (f"LSTM {row['model']}", row["lang"]): float(row["published_average"])
            for row in csv.DictReader(stream)
            if row["table"] == "1"
        }
    assert len(printed) == 10
    # The cells of this one are rounded: .7729, and .78 in print.
    assert averages.pop(("LSTM multi", "fr")) == pytest.approx(0.7729, abs=5e-5)
    del printed["LSTM multi", "fr"]
    assert {key: round(averages[key], 2) for key in printed} == printed
    mono = {lang: round(share, 2) for (model, lang), share in averages.items() if "mono" in model}
    assert mono == {"en": 0.77, "de": 0.90, "fr": 0.83, "ru": 0.85, "he": 0.88}
    correlations = [
        float(row["value"])
        for command in page.commands
        if " correlate " in command
        for row in page.rows(command)
    ]
    assert correlations == pytest.approx([0.4, 1.0, -0.9])
    command = next(each for each in page.commands if "--common" in each)
    pairs = page.rows(f"{command} --table pairs")
    assert {row["key"]: round(float(row["accuracy"]), 3) for row in pairs} == {
        "en": 0.934,
        "de": 0.906,
        "fr": 0.800,
        "ru": 0.676,
        "he": 0.678,
    }
    assert {row["n_suites"] for row in pairs} == {"5"}


def test_results_of_bert_syntax(page: Reproduced) -> None:
    found = {
        (row["model_name"], row["suite"]): f"{row['n_holding']}/{row['n_items']}"
        for source in ("bert-syntax", "bert-syntax-attractors")
        for row in page.rows(f"pommel stats accuracy --source {source}")
    }
    assert found == {
        ("bert-base", "gulordava"): "319/383",
        ("bert-base", "gulordava-0"): "260/311",
        ("bert-base", "gulordava-1"): "51/63",
        ("bert-base", "gulordava-2"): "8/9",
        ("bert-large", "gulordava"): "305/383",
        ("bert-large", "gulordava-0"): "250/311",
        ("bert-large", "gulordava-1"): "47/63",
        ("bert-large", "gulordava-2"): "8/9",
    }


def test_table_3_of_blimp(page: Reproduced) -> None:
    terms = page.rows("pommel stats accuracy --source blimp --by circuit --resamples 99")
    overall = page.rows("pommel stats accuracy --source blimp --by model --resamples 99")
    found = {(row["model_name"], row["circuit"]): 100 * float(row["accuracy"]) for row in terms}
    found |= {(row["model_name"], ""): 100 * float(row["accuracy"]) for row in overall}
    cells = {
        (model, term): figure
        for model, figures in PRINTED.items()
        for term, figure in zip(("", *TERMS), figures, strict=True)
    }
    assert len(cells) == 52
    others = {
        cell: found[cell] for cell, figure in cells.items() if abs(found[cell] - figure) > 0.05001
    }
    assert others == {("txl", "island_effects"): pytest.approx(48.3375)}
    assert round(found["human", ""], 1) == 88.6
    # The file has means of its own, which are left out.
    lines = (PUBLISHED / "blimp" / "models_summary.jsonl").read_text().splitlines()
    for own in (row for row in map(json.loads, lines) if row["UID"] == "overall"):
        term = own["linguistics_term"]
        for model in PRINTED:
            mean = found[model, "" if term == "overall" else term]
            assert mean == pytest.approx(100 * own[model], abs=1e-7)


def printed_tables() -> Iterator[tuple[str, ...]]:
    """Yield what suites/studies/printed says of its files: the cells of a row each."""
    text = (PRINTED_VALUES / "README.md").read_text("utf-8")
    for line in text.splitlines():
        name, _, command, *cells = (cell.strip() for cell in (*line.strip("| ").split("|"), "", ""))
        # Losses of gevalm, which have no licence, are not among our data.
        if command.startswith("`pommel stats") and "gevalm" not in name:
            yield name.strip("`"), command.strip("`"), *cells


@pytest.mark.parametrize("cells", [*printed_tables()], ids=lambda cells: cells[0])
def test_printed_values_come_out(page: Reproduced, cells: tuple[str, ...]) -> None:
    name, command, keys, column, where, equal, *_ = cells
    few = " --resamples 99" if " accuracy " in command else ""
    rows = page.rows(command.replace("suites/studies/printed", str(PRINTED_VALUES)) + few)
    needed = dict(part.split("=") for part in where.split(", ") if part)
    found = {
        tuple(row[key] for key in keys.split(", ")): row[column]
        for row in rows
        if all(row[key] == value for key, value in needed.items())
    }
    with (PRINTED_VALUES / f"{name}.csv").open(newline="", encoding="utf-8") as stream:
        printed = {
            tuple(row[key] for key in keys.split(", ")): row["printed"]
            for row in csv.DictReader(stream)
        }
    factor = 1000 if name == "multilingual-difference" else 1
    half = {key: 0.5 * 10.0 ** -len(text.partition(".")[2]) for key, text in printed.items()}
    n_equal = sum(
        abs(factor * float(found[key]) - float(text)) <= half[key] + 1e-9
        for key, text in printed.items()
    )
    assert equal == f"{n_equal} of {len(printed)}"


def test_a_scorer_that_adds_up_cases(page: Reproduced) -> None:
    rows = page.rows(page.commands[-1])
    assert {row["comparison"]: float(row["auc"]) for row in rows} == {
        "all": 0.5,
        "double-nom": 0.0,
        "double-acc": 0.5,
        "double-dat": 1.0,
        "plausible": 0.5,
    }
