"""A report as a file: put together, written in one go, its scripts the only ones that run."""

import base64
import datetime as dt
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pommel.analysis import ModelsCompared, circuit_cell
from pommel.errors import PommelError, UsageError
from pommel.files import replacing
from pommel.report.page import overview
from pommel.report.page.scores import by_suite, levels_of, suite_rows
from pommel.report.page.sections import json_for_script, looked_at, report_models, sections
from pommel.report.page.suite_view import suite_view
from pommel.report.plots.theme import dark_style
from pommel.scoring import Run, RunRecord
from pommel.suite import PublishedSuite

if TYPE_CHECKING:
    from jinja2 import Environment


_GLOBAL_NAME = "window.vegaEmbed = vegaEmbed;"


def vega_bundle() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script; raises `PommelError` without the extra.

    It is what vl-convert has with it: nothing is fetched.
    """
    # Jinja comes with altair.
    if None in map(find_spec, ("jinja2", "vl_convert")):
        raise PommelError(f"{_needed()}; `pommel report --table md` needs none")
    return _inline_bundle()


def _needed() -> str:
    return f"pages need the plots extra: {PommelError.install('plots')}"


@cache  # it takes 1.6 s, as long as all else of a report
def _inline_bundle() -> str:
    import vl_convert

    # A script element ends at the first end tag, wherever it stands.
    bundle = vl_convert.javascript_bundle(_GLOBAL_NAME)
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def content_security_policy(*scripts: str) -> str:
    """Return a policy under which these scripts run, and nothing is fetched from anywhere.

    Vega-Embed writes a style element, and charts have styles of their own.
    """
    digests = (base64.b64encode(hashlib.sha256(each.encode()).digest()) for each in scripts)
    hashes = " ".join(f"'sha256-{each.decode()}'" for each in digests)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def write_report(
    records: Sequence[RunRecord], runs: Iterable[Run], path: Path, *, title: str
) -> None:
    """Write one HTML file about these runs, which needs nothing else and fetches nothing.

    `runs` are those of the records of which tokens are known; the others have no curves and no
    surprisals. As everywhere, of a suite in several versions a model's newest run counts. Of very
    many models some are shown suite by suite (`looked_at`), and of all their means. Raises
    `UsageError` where no run is complete, and `PommelError` without the extra `plots` and for a
    file that cannot be written, which is then what it was.
    """
    bundle = vega_bundle()
    compared = ModelsCompared.of(records)
    every = report_models(compared)
    if not every:
        raise UsageError("there is no complete run to report on")
    models = looked_at(every)
    levels = levels_of(models)
    if len(models) == len(every):
        means = levels
    else:
        means = levels_of(every, ("model", "circuit"), has_margins=False)
    rows = suite_rows(models, levels)
    of_predictions = by_suite(levels["prediction"])
    of_suites = sections(models, runs, [row.key for row in rows])
    environment = _environment()
    scripts = (bundle, _text("templates/tables.js"), _text("page/templates/report.js"))
    page = environment.get_template("report.html.j2").generate(
        title=title,
        policy=content_security_policy(*scripts),
        scripts=scripts,
        written=f"{dt.datetime.now(dt.UTC):%Y-%m-%d %H:%M} UTC",
        overview=overview.overview(models, levels, rows, means=means, every=every),
        left_out=overview.left_out(records, compared.superseded),
        suites=(
            suite_view(number, each, models, of_predictions.get(each.key, []))
            for number, each in enumerate(of_suites)
        ),
        navigation=overview.navigation(of_suites),
        anchors={each.key: number for number, each in reversed([*enumerate(of_suites)])},
        n_models=sum(not model.is_family for model in models),
    )
    with (
        replacing(path) as aside,
        aside.open("w", encoding="utf-8", errors="replace", newline="") as opened,
    ):
        opened.writelines(page)


def page_environment(package: str) -> "Environment":
    """Return what makes pages of the templates of a package, in the style of reports (`style`).

    All that is not markup is escaped, and what is missing is an error. Raises `PommelError` without
    the extra `plots`.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise PommelError(_needed()) from None
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"style": _text("page/templates/report.css")}
    return environment


@cache
def _environment() -> "Environment":
    environment = page_environment("pommel.report.page")
    environment.filters |= {"json": json_for_script, "circuit": circuit_cell}
    environment.globals |= {"direction": PublishedSuite.direction}
    environment.globals["style"] = f"{environment.globals['style']}{dark_style('.drawing')}"
    return environment


def _text(name: str) -> str:
    """Return a file of the room that is no module, as it is."""
    return (files("pommel.report") / name).read_text("utf-8")
