"""`pommel report` on runs in a real store."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.samples import Pommel, save
from tests.report.latex_reader import read_table
from tests.store.run_samples import agreement, imported, made, reported

from pommel.errors import PommelError
from pommel.report.text_tables import TABLES
from pommel.store import Store


@pytest.fixture
def kept(own_store: Path) -> list[str]:
    """The ids of a run with tokens, and of two results of others."""
    with Store.open(own_store) as store:
        made(store, agreement())
        store.runs.save_records([imported(), reported()])
        return [each.run_id for each in store.runs.heads()]


# --- the page


def test_the_page_is_written_to_the_working_folder(
    pommel: Pommel, kept: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = pommel("report")
    assert (outcome.status, outcome.stdout) == (0, "")
    assert outcome.stderr.splitlines()[-2:] == [
        "note: 2 runs came without tokens: without curves",
        f"{len(kept)} runs: report.html",
    ]
    page = (tmp_path / "report.html").read_text()
    assert "<title>2 models on 2 suites</title>" in page
    assert "The dogs" in page


def test_a_page_after_a_run_with_a_title_of_ones_own(
    pommel: Pommel, tmp_path: Path, suite_file: Path
) -> None:
    pommel("run", "dummy://", suite_file, "--regions", "needed")
    out = tmp_path / "page.html"
    assert pommel("report", "-o", out).stderr == (
        "note: 1 run asked only for the regions that predictions need; `pommel run --regions all` "
        f"asks for the others, too\n1 run: {out}\n"
    )
    pommel("run", "dummy://", suite_file, "--regions", "all")
    assert pommel("report", "-o", out).stderr == f"1 run: {out}\n"
    assert "<title>dummy on agreement</title>" in out.read_text()
    pommel("report", "-o", out, "--title", "A <b> & c")
    assert "<title>A &lt;b&gt; &amp; c</title>" in out.read_text()


# --- tables


@pytest.mark.usefixtures("kept")
def test_a_dash_is_standard_output_for_a_table_only(pommel: Pommel) -> None:
    shown = pommel("report", "--table", "md")
    assert pommel("report", "--table", "md", "-o", "-") == shown
    outcome = pommel("report", "-o", "-")
    assert outcome.status == 2
    assert "a page and a plot are files; give -o a name" in outcome.stderr


def test_a_table_goes_to_standard_output_or_to_a_file(
    pommel: Pommel, kept: list[str], own_store: Path, tmp_path: Path
) -> None:
    with Store.open(own_store) as store:
        wanted = TABLES["circuits"].text(store.runs.records(), "md")
    assert pommel("report", "--table", "md", "--name", "circuits").stdout == wanted
    out = tmp_path / "circuits.md"
    outcome = pommel("report", "--table", "md", "--name", "circuits", "-o", out)
    assert (outcome.stdout, out.read_text()) == ("", wanted)
    assert outcome.stderr.endswith(f"{len(kept)} runs: {out}\n")


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    ("form", "name"), [("md", "t.MD"), ("md", "table"), ("latex", "t.tex"), ("csv", "t.txt")]
)
def test_names_that_the_file_of_a_table_may_have(
    pommel: Pommel, tmp_path: Path, form: str, name: str
) -> None:
    outcome = pommel("report", "--table", form, "-o", tmp_path / name)
    assert outcome.status == 0
    assert (tmp_path / name).read_text() == pommel("report", "--table", form).stdout


def test_runs_are_named_by_ids_or_patterns(pommel: Pommel, kept: list[str]) -> None:
    table = read_table(pommel("report", kept[0][:6], "--table", "latex").stdout)
    assert table.rows[0] == ["circuit", "suite", "items", "words"]
    table = read_table(pommel("report", "--source", "paper", "--table", "latex").stdout)
    assert table.rows[0] == ["circuit", "suite", "items", "gpt2"]
    header, *rows = pommel("report", "--model", "gpt2", "--table", "csv").stdout.splitlines()
    assert header.startswith("model_name,suite,circuit,score_rule,")
    assert [row.split(",")[:2] for row in rows] == [["gpt2", "agreement"], ["gpt2", "npi"]]


def test_a_table_that_cannot_be_made(pommel: Pommel, kept: list[str], tmp_path: Path) -> None:
    out = tmp_path / "table.md"
    outcome = pommel("report", kept[0], "--table", "md", "--name", "comparison", "-o", out)
    assert outcome.failure(2) == (
        "a comparison is of two models, and these runs are of 1 model (words); choose two "
        "with --model"
    )
    assert not out.exists()


# --- plots


def test_a_plot_of_results_and_one_of_tokens(
    pommel: Pommel, kept: list[str], tmp_path: Path
) -> None:
    circuits, regions = tmp_path / "circuits.svg", tmp_path / "regions.json"
    outcome = pommel("report", "--plot", "circuits", "-o", circuits)
    assert outcome.stderr.endswith(f"{len(kept)} runs: {circuits}\n")
    assert circuits.read_text().startswith("<svg")
    outcome = pommel("report", "--plot", "regions", "-o", regions)
    assert outcome.stderr.splitlines()[-2:] == [
        "note: 2 runs came without tokens: not in the plot",
        f"1 run: {regions}",
    ]
    assert "$schema" in json.loads(regions.read_text())


def test_a_plot_of_tokens_that_are_not_there(
    pommel: Pommel, kept: list[str], tmp_path: Path
) -> None:
    out = tmp_path / "regions.svg"
    outcome = pommel("report", kept[1], "--plot", "regions", "-o", out)
    assert outcome.failure(2) == "a plot of regions needs tokens, and these runs came without them"
    assert not out.exists()


def test_letters_that_no_font_has_are_said(pommel: Pommel, own_store: Path, tmp_path: Path) -> None:
    record = imported()
    named = replace(record, result=replace(record.result, model_name="\U00030000"))
    save(own_store, named)
    out = tmp_path / "plot.png"
    outcome = pommel("report", "--plot", "heat-map", "-o", out)
    note, written = outcome.stderr.splitlines()[-2:]
    assert note.startswith("note: no font here has letters such as \U00030000: ")
    assert written == f"1 run: {out}"
    assert out.read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("kept")
def test_a_plot_for_a_paper_and_its_caption(pommel: Pommel, tmp_path: Path) -> None:
    out = tmp_path / "circuits.svg"
    look = ("--width", "340", "--height", "220", "--title", "Mine", "--font", "DejaVu Sans")
    names = ("--font-size", "9", "--order", "words", "--label", "gpt2=GPT-2", "--caption")
    outcome = pommel("report", "--plot", "circuits", "-o", out, *look, *names)
    assert outcome.status == 0
    assert outcome.stdout.startswith("Accuracy by circuit. Models: ")
    assert "GPT-2" in outcome.stdout
    assert outcome.stdout.endswith(" Grey ticks: chance.\n")
    picture = out.read_text()
    assert ">Mine</text>" in picture
    assert ">GPT-2</text>" in picture
    assert ">gpt2</text>" not in picture
    found = re.match(r'<svg [^>]*width="(\d+)" height="(\d+)"', picture)
    assert found
    assert tuple(map(int, found.groups())) == pytest.approx((340, 220), abs=2)
    # Nothing that the caption says stands in the picture.
    assert "chance" not in re.sub(r"aria-\w+=\"[^\"]*\"", "", picture)


@pytest.mark.usefixtures("kept")
def test_a_name_that_a_plot_does_not_have(pommel: Pommel, tmp_path: Path) -> None:
    out = tmp_path / "circuits.svg"
    outcome = pommel("report", "--plot", "circuits", "-o", out, "--label", "gtp2=GPT-2")
    assert outcome.failure(2) == "nothing in the plot is called 'gtp2'; did you mean 'gpt2'?"
    assert not out.exists()


def test_plots_need_a_package(
    pommel: Pommel, kept: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kept
    monkeypatch.setitem(sys.modules, "altair", None)
    outcome = pommel("report", "--plot", "circuits", "-o", tmp_path / "circuits.svg")
    assert outcome.failure(1) == f"plots need the plots extra: {PommelError.install('plots')}"


# --- the method section


def test_the_method_section(pommel: Pommel, kept: list[str], tmp_path: Path) -> None:
    outcome = pommel("report", kept[0], "--methods")
    assert (outcome.status, outcome.stderr) == (0, "")
    text = " ".join(outcome.stdout.split())
    assert text.startswith("The results are of 1 model. words: toy://words; ")
    # What the suite says is read in the store.
    assert "The value of a region is the sum of its tokens' surprisals, in bits." in text
    out = tmp_path / "methods.tex"
    outcome = pommel("report", "--methods", "--style", "latex", "-o", out)
    assert (outcome.stdout, outcome.stderr) == ("", f"3 runs: {out}\n")
    assert "\\cite{wilson-1927-probable}" in out.read_text()
    assert "how they were scored is not known" in " ".join(out.read_text().split())


# --- what does not go together


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--table", "md", "--plot", "circuits"),
            "--table, --plot and --methods make one thing each; leave out all but one",
        ),
        (
            ("--methods", "--table", "md"),
            "--table, --plot and --methods make one thing each; leave out all but one",
        ),
        (("--style", "latex"), "--style is that of --methods; a table has --table latex"),
        (
            ("--methods", "--title", "x"),
            "--title is that of a page or a plot; tables have their own",
        ),
        (("--name", "scores"), "--name is the name of a table; say which form with --table"),
        (
            ("--title", "x", "--table", "md"),
            "--title is that of a page or a plot; tables have their own",
        ),
        (
            ("--width", "300", "--table", "md"),
            (
                "--width, --height, --font, --font-size, --order, --label and --caption are about "
                "a plot; say which with --plot"
            ),
        ),
        (
            ("--caption",),
            (
                "--width, --height, --font, --font-size, --order, --label and --caption are about "
                "a plot; say which with --plot"
            ),
        ),
        (
            ("--average", "items", "--plot", "circuits"),
            "--average is about a table; pages and plots have means over suites",
        ),
        (
            ("--plot", "circuits"),
            "--plot needs a file to write to: -o NAME.svg, .png, .pdf or .html",
        ),
        (
            ("--plot", "circuits", "-o", "x.gif"),
            "x.gif: a plot is written as .svg, .png, .pdf, .html or .json; end the name so",
        ),
        (
            ("--table", "md", "-o", "t.html"),
            (
                "t.html: with --table md a table is written as .md, .markdown or .txt; end the "
                "name so"
            ),
        ),
        (
            ("--table", "latex", "-o", "t.csv"),
            "t.csv: with --table latex a table is written as .tex or .txt; end the name so",
        ),
        (
            ("-o", "x.pdf"),
            (
                "x.pdf: a report is a page, so that its name ends in .html; --table and --plot "
                "make other files"
            ),
        ),
    ],
)
def test_options_that_do_not_go_together(
    pommel: Pommel, arguments: tuple[str, ...], said: str
) -> None:
    # There is no store: what is wrong is said before one is looked for.
    outcome = pommel("report", *arguments)
    assert outcome.failure(2) == f"{said}"


def test_without_runs_there_is_nothing_to_report(pommel: Pommel, own_store: Path) -> None:
    outcome = pommel("report", "--table", "md")
    assert outcome.status == 2
    assert outcome.stderr.startswith(f"pommel: {own_store}: there is no store; `pommel run MODEL")


def test_very_many_runs_are_noted(pommel: Pommel, own_store: Path) -> None:
    save(own_store, *(imported(f"{number:012x}", suite=f"s{number}") for number in range(201)))
    note = "note: these are all 201 runs of the store; --model, --suite and others choose among"
    arguments = ("--table", "csv")
    assert note in pommel("report", *arguments).stderr
    assert "these are all" not in pommel("report", "--source", "paper", *arguments).stderr
