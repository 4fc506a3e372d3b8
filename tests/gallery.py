"""The gallery of plots: `python -m tests.gallery` draws docs/images and writes docs/gallery.md.

The two built-in models score the shipped English suites (about two minutes), and one Hebrew suite.
Where a plot needs what they are not (many models, sizes, steps of a training), numbers are made
up, and the page says so.
"""

import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tests.analysis.records import record, seed

import pommel
from pommel.analysis.correlation import CorrelationAsked, PropertyCorrelations
from pommel.analysis.given_tables import GivenTable
from pommel.report.plots.lines import correlation_chart
from pommel.report.plots.regions import region_chart
from pommel.report.plots.saving import save_chart
from pommel.report.plots.table import PLOTS
from pommel.scoring.run import Run
from pommel.scoring.run_record import RunRecord

if TYPE_CHECKING:
    import altair as alt

DOCS = Path(__file__).resolve().parents[1] / "docs"

MODELS = ("builtin://en-gpt2", "builtin://en-ngram")
CIRCUITS = ("agreement", "center-embedding", "garden-path-effects", "licensing")
N_ITEMS = 24

HEAD = """# Gallery

Every plot that `pommel report --plot NAME -o FILE` makes of [stored runs](store.md), by its name.
What `FILE` ends in says what it is: `.svg`, `.png`, `.pdf`, `.html` (one file that opens offline,
with values under the pointer) or `.json` (Vega-Lite). `make gallery` draws these pictures.

Plots are made to be read without colours, too: lines differ in dash and points in shape, a heat map
gets stronger in one direction only, and has its numbers. Colours are those of Okabe and Ito (2008),
which people with any colour vision tell apart. What there is to be known of a plot, its caption
says (`--caption`, and below each picture here): what is shown, what whiskers are, of how many
items, and what is left out. For a paper, [options](tables.md#plots) set size, title, letters,
order and labels.

In Python, each is a function that takes what an analysis returns, and returns an
[Altair](https://altair-viz.github.io) chart; a notebook shows it:

```python
from pathlib import Path

import pommel
from pommel.report.plots.saving import save_chart

results = pommel.run(["builtin://en-gpt2", "builtin://en-ngram"], "suites:en/garden-path-effects")
results.plot_regions("npz_ambig")
save_chart(results.plot("heat-map"), Path("heat-map.pdf"))
```
"""

TAIL = """
## Fonts

Text is set in Liberation Sans, which comes with the extra `plots`
(`pip install 'pommel[plots]'`) and has Latin, Greek and Cyrillic letters. Other scripts are set in
whatever font of the machine has them, maybe a bold one: Hebrew in DejaVu, for instance. In `.svg`
and `.html` text stays text, and whoever opens the file needs the fonts. For `.png` and `.pdf`, the
machine that makes them does: letters of which no font is there are boxes, and the command says so.
For Devanagari, install one such as Noto Sans Devanagari (`apt install fonts-noto-core`), for
Chinese, Japanese and Korean Noto Sans CJK (`fonts-noto-cjk`), or write `.svg`.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture of the gallery: a plot's name, what is to be said of it, and the chart."""

    plot: str
    name: str
    text: str
    chart: "alt.typing.ChartType"


def main() -> None:
    """Draw all pictures, and write the page."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "gallery.sqlite"
        english = pommel.run(MODELS, "suites:en", store=store).runs
        hebrew = pommel.run("builtin://he-gpt2", "he_gender_prep", store=store).runs
        # Runs read their surprisals from the store when they are asked for them.
        found = [*real_pictures(english, hebrew), *made_up_pictures()]
    images = DOCS / "images"
    for picture in found:
        save_chart(picture.chart, images / f"{picture.name}.svg")
    (DOCS / "gallery.md").write_text(page(found), encoding="utf-8")


def page(pictures: Sequence[Picture]) -> str:
    """Return the page in Markdown, a section a plot."""
    lines = [HEAD]
    for plot, kind in PLOTS.items():
        lines.append(f"## {plot}\n\n{kind.about[0].upper()}{kind.about[1:]}.\n")
        lines += [
            f"{each.text}\n\n![{plot}](images/{each.name}.svg)\n\n"
            f"*{each.chart.to_dict()['description']}*\n"
            for each in pictures
            if each.plot == plot
        ]
    return "\n".join(lines) + TAIL


def real_pictures(english: Sequence[Run], hebrew: Sequence[Run]) -> list[Picture]:
    """Return the pictures of what the built-in models make of the shipped suites."""
    records = [RunRecord.of(run) for run in english]
    circuit = [each for each in records if each.result.circuit == "garden-path-effects"]

    def of_records(plot: str, text: str, chosen: Sequence[RunRecord] = records) -> Picture:
        return Picture(plot=plot, name=plot, text=text, chart=_drawn(plot, chosen))

    auc = PLOTS["auc"]
    assert auc.needs == "runs"
    return [
        Picture(
            plot="regions",
            name="regions",
            text="`pommel report --suite npz_ambig --plot regions -o regions.png`. A garden path: "
            "without a comma, *the rabbit* is taken for the object of *hunted*, and *ran* is a "
            "surprise to a model that knows about that. A model of a few words is not surprised.",
            chart=region_chart(_on("npz_ambig", english)),
        ),
        Picture(
            plot="regions",
            name="regions-hebrew",
            text="A suite in Hebrew, which is written from right to left; regions go on to the "
            "right.",
            chart=region_chart(_on("he_gender_prep", hebrew)),
        ),
        of_records("circuits", "The two built-in models on the shipped English suites."),
        of_records("heat-map", "The same runs. A suite that a model has not run has a dash."),
        of_records(
            "stability",
            "A suite, and the same with material between what belongs together.",
            circuit,
        ),
        Picture(
            plot="auc",
            name="auc",
            text="Suites whose conditions are grammatical or not (`meta.unacceptable`).",
            chart=auc.draw([run for run in english if run.result.suite_name.startswith("fgd_")]),
        ),
    ]


def made_up_pictures() -> list[Picture]:
    """Return the pictures of made-up numbers: of many models, sizes, steps, complexities."""
    generator = np.random.default_rng(1)
    many = many_models(generator)
    found = (
        ("heat-map", "heat-map-many", "20 models and 33 suites.", many),
        (
            "scaling",
            "scaling",
            (
                "Families are those of imported results (`pommel import-results --size-family`); "
                "in Python, any."
            ),
            many,
        ),
        ("training", "training", "The steps of two models.", steps(generator)),
        (
            "complexity",
            "complexity",
            "Suites that say their `meta.complexity`, three of each value.",
            complexities(generator),
        ),
    )
    pictures = [
        Picture(
            plot=plot,
            name=name,
            text=f"{text} The numbers are made up.",
            chart=_drawn(plot, records),
        )
        for plot, name, text, records in found
    ]
    correlation = Picture(
        plot="correlation",
        name="correlation",
        text="`pommel stats correlate --with complexity.csv --plot correlation.svg`. Two models on "
        "suites of five languages. The numbers are made up.",
        chart=correlation_chart(languages(generator)),
    )
    return [*pictures, correlation]


def _drawn(plot: str, records: Sequence[RunRecord]) -> "alt.typing.ChartType":
    kind = PLOTS[plot]
    assert kind.needs == "records"
    return kind.draw(records)


def _on(suite: str, runs: Sequence[Run]) -> list[Run]:
    return [run for run in runs if run.result.suite_name == suite]


def languages(generator: np.random.Generator) -> PropertyCorrelations:
    """Return two models on suites of five languages, the better the more complex a language."""
    numbers = {"de": 0.4, "en": 0.33, "fr": 0.43, "he": 0.53, "ru": 0.45}
    records = [
        record(model, f"{language}_{n}", share=share, language=language)
        for model, slope in (("monolingual", 0.8), ("multilingual", 0.4))
        for language, number in numbers.items()
        for n, share in enumerate(0.5 + slope * (number - 0.3) + generator.uniform(0, 0.2, 4))
    ]
    given = GivenTable(
        file="complexity.csv",
        value_column="complexity",
        rows={(each,): n for each, n in numbers.items()},
    )
    return CorrelationAsked().with_numbers(records, given)


def many_models(generator: np.random.Generator) -> list[RunRecord]:
    """Return 20 models of 4 families, the larger the better, on 33 suites."""
    records = []
    for family, offset in (("alpha", -0.5), ("beta", 0.0), ("gamma", 0.5), ("delta", 1.0)):
        for step, size in enumerate(("70M", "160M", "410M", "1.4B", "6.9B")):
            n_parameters = int(float(size[:-1]) * {"M": 1e6, "B": 1e9}[size[-1]])
            for number in range(33):
                margins = generator.normal(offset + step / 2 + number % 5 - 2, 2, N_ITEMS)
                records.append(
                    record(
                        f"{family}-{size}",
                        f"suite_{number:02d}",
                        [*(margins > 0)],
                        [*margins],
                        circuit=CIRCUITS[number % len(CIRCUITS)],
                        n_parameters=n_parameters,
                        size_family=family,
                    )
                )
    return records


def steps(generator: np.random.Generator) -> list[RunRecord]:
    """Return two models that learn at different times, from step 0 on."""
    every = [0, *(2**power for power in range(18))]
    return [
        record(
            f"{model}/step{step}",
            "number_prep",
            [
                *(
                    generator.random(100)
                    < 0.5 + 0.45 / (1 + math.exp(2 * (at - math.log10(step + 1))))
                )
            ],
            member=seed(step, model, "step"),
        )
        for model, at in (("small", 3.5), ("large", 2.5))
        for step in every
    ]


def complexities(generator: np.random.Generator) -> list[RunRecord]:
    """Return two models that lose accuracy with every word that intervenes."""
    return [
        record(
            model,
            f"agreement_{value}_{version}",
            [*(generator.random(60) < best - loss * value)],
            circuit="agreement",
            complexity=float(value),
        )
        for model, best, loss in (("large", 0.98, 0.03), ("small", 0.9, 0.09))
        for value in range(5)
        for version in range(3)
    ]


if __name__ == "__main__":
    main()
