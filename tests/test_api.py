"""`import pommel`: five functions, cheap to import."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.samples import suite_value

import pommel
from pommel.errors import UsageError
from pommel.models.model import ModelInfo
from pommel.models.recorded import Recording
from pommel.surprisal import ScoredSentence


def test_importing_pommel_loads_nothing_heavy() -> None:
    heavy = {"torch", "pandas", "numpy", "scipy", "lark", "jsonschema", "click"}
    code = f"import sys, pommel; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_from_a_value_to_a_table() -> None:
    results = pommel.run("dummy://", suite_value())
    (row,) = results.to_frame("suites").to_dict("records")
    assert (row["suite"], row["n_items"], row["score_rule"]) == ("agreement", 3, "all")
    assert len(results.to_frame("predictions")) == 3
    assert len(results.to_frame("regions")) == 3 * 2 * 3


def test_step_by_step_says_the_same_as_run() -> None:
    suite = pommel.load_suite(suite_value())
    surprisals = pommel.compute_surprisals(pommel.load_model("dummy://"), suite)
    step_by_step = pommel.evaluate(surprisals)
    (at_once,) = pommel.run("dummy://", suite)
    assert step_by_step.to_frame().equals(at_once.result.to_frame())
    assert step_by_step.to_frame().equals(at_once.to_frame("predictions"))
    assert step_by_step.to_frame("suites").equals(at_once.to_frame("suites"))


def test_models_of_one_name_are_told_apart() -> None:
    results = pommel.run(["dummy://uniform?bits=1", "dummy://uniform?bits=2"], suite_value())
    names = set(results.to_frame("suites")["model_name"])
    assert len(names) == 2


def test_stray_spaces_are_a_warning() -> None:
    value = suite_value()
    value["items"][0]["conditions"][0]["regions"][1]["content"] = " is"
    with pytest.warns(pommel.SuiteWarning, match="stray space in the content ' is'"):
        pommel.load_suite(value)


def test_load_suite_takes_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="suites; name one, or use run"):
        pommel.load_suite("suites:en")
    with pytest.raises(pommel.PommelError, match="the folder holds no suites"):
        pommel.load_suite(tmp_path)


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = pommel.nonsense  # type: ignore[attr-defined]


def test_values_that_cannot_be_are_refused() -> None:
    surprisals = pommel.compute_surprisals("dummy://", suite_value())
    with pytest.raises(UsageError, match="the score rule cannot be 'foo'; it is one of all, first"):
        pommel.evaluate(surprisals, score="foo")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="compat cannot be 'foo'; it is one of syntaxgym"):
        pommel.compute_surprisals("dummy://", suite_value(), compat="foo")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="bos cannot be 'nonsense'; it is one of auto, always"):
        pommel.Policy(bos="nonsense")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="there is nothing to run"):
        pommel.run("dummy://", [])


def test_a_warning_names_the_line_that_loaded_the_suite() -> None:
    value = suite_value()
    value["items"][0]["conditions"][0]["regions"][1]["content"] = " is"
    with pytest.warns(pommel.SuiteWarning) as caught:
        pommel.run("dummy://", value)
    with pytest.warns(pommel.SuiteWarning) as caught_too:
        pommel.load_suite(value)
    assert {each.filename for each in (*caught, *caught_too)} == {__file__}


def test_names_can_be_completed() -> None:
    assert set(dir(pommel)) == set(vars(pommel)["__all__"])


FAMILY = "recorded://en/seed-{1,2}.jsonl"


@pytest.fixture
def _recordings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the members of the family, of which the second finds every word as likely."""
    monkeypatch.chdir(tmp_path)
    Path("en").mkdir()
    for seed, reference in ((1, "dummy://"), (2, "dummy://uniform?bits=2")):
        recorded = Recording.text_of(*_recorded(pommel.load_suite(suite_value()), reference))
        Path(f"en/seed-{seed}.jsonl").write_text(recorded)


@pytest.mark.usefixtures("_recordings")
def test_a_family_is_run_in_its_place() -> None:
    model = pommel.load_model("dummy://")
    suite = suite_value()
    suite["predictions"][0]["formula"] = "(2;%match%) > (2;%mismatch%)"
    results = pommel.run([model, FAMILY, "dummy://uniform?bits=3"], suite)
    assert [run.result.model_name for run in results] == [
        *("dummy", "en/seed-1", "en/seed-2", "uniform-3"),
    ]
    members = [run.result.membership for run in results]
    assert [each and (each.family, each.value) for each in members] == [
        *(None, ("en", 1), ("en", 2), None),
    ]
    frame = results.to_frame("families")
    assert frame["level"].tolist() == ["suite", "all"]
    score = next(iter(results)).result.score
    assert score > 0
    for column, value in (("n_members", 2), ("mean", score / 2), ("min", 0), ("max", score)):
        assert frame[column].tolist() == [value] * 2


@pytest.mark.usefixtures("_recordings")
def test_a_model_that_is_named_twice_runs_once() -> None:
    names = ["recorded://en/seed-2.jsonl", FAMILY, FAMILY, "dummy://", "dummy://"]
    results = pommel.run(names, suite_value())
    assert [run.result.model_name for run in results] == ["en/seed-1", "en/seed-2", "dummy"]
    # Who gives a model twice may want to see that it repeats itself.
    model = pommel.load_model("dummy://")
    assert len(pommel.run([model, model], suite_value())) == 2


def test_where_one_model_is_asked_for_a_family_is_refused() -> None:
    refusal = r"names 2 models \(recorded://en/seed-1.jsonl, recorded://en/seed-2.jsonl\); name o"
    with pytest.raises(UsageError, match=refusal):
        pommel.load_model(FAMILY)
    with pytest.raises(UsageError, match=refusal):
        pommel.compute_surprisals(FAMILY, suite_value())
    with pytest.raises(UsageError, match=refusal):
        pommel.conditional_scores(FAMILY, [("The author", "is")])


def test_families_of_one_name_are_told_apart(tmp_path: Path) -> None:
    suite = pommel.load_suite(suite_value())
    recorded = Recording.text_of(*_recorded(suite))
    for folder in ("a", "b"):
        for seed in (1, 2):
            path = tmp_path / folder / "en" / f"seed-{seed}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(recorded)
    patterns = [f"recorded://{tmp_path}/{folder}/en/seed-*" for folder in ("a", "b")]
    frame = pommel.run(patterns, suite).to_frame()
    assert frame["family"].tolist() == [patterns[0]] * 2 + [patterns[1]] * 2
    assert frame["member"].tolist() == ["seed-1", "seed-2"] * 2
    assert frame["model_name"].nunique() == 4


def _recorded(
    suite: pommel.Suite, reference: str = "dummy://"
) -> tuple[ModelInfo, pommel.Policy, list[ScoredSentence]]:
    surprisals = pommel.compute_surprisals(reference, suite)
    sentences = {each.text: each for row in surprisals.sentences for each in row}
    return surprisals.model, surprisals.policy, [*sentences.values()]


# --- in a notebook


def test_results_show_themselves() -> None:
    results = pommel.run(["dummy://", "dummy://uniform?bits=2"], suite_value())
    html = results._repr_html_()
    for score in results.to_frame()["score"]:
        assert f"{score:.2f} [" in html
    assert "<th" in html
    assert "1 suite · Score rule: all · method auto · policy " in html
    first, _ = results
    assert first._repr_html_() == first.result._repr_html_()
    assert "dummy on agreement: " in first._repr_html_()


def test_plots_show_themselves_and_hold_the_numbers_of_the_table() -> None:
    results = pommel.run(["dummy://", "dummy://uniform?bits=2"], [suite_value(), suite_value("b")])
    chart = results.plot_regions("b", "dummy")
    assert "_repr_mimebundle_" in dir(chart)
    (rows,) = chart.to_dict()["datasets"].values()
    regions = results.to_frame("regions").query("model_name == 'dummy' and suite == 'b'")
    means = regions.groupby(["condition_name", "region_number"])["sum_bits"].mean()
    assert {(row["condition"], row["region_number"]): row["mean_bits"] for row in rows} == {
        key: pytest.approx(mean) for key, mean in means.items()
    }
    assert results.plot_circuits().to_dict() == results.plot("circuits").to_dict()
    # One suite need not be named.
    one = pommel.run("dummy://", suite_value())
    assert one.plot_regions().to_dict() == one.plot("regions").to_dict()


def test_what_cannot_be_plotted() -> None:
    results = pommel.run("dummy://", [suite_value(), suite_value("b")])
    with pytest.raises(UsageError) as caught:
        results.plot_regions()
    assert str(caught.value) == (
        "the runs are on 2 suites (agreement, b); name one: plot_regions('agreement')"
    )
    with pytest.raises(UsageError, match=r"^no run has the suite 'c'; there are agreement, b$"):
        results.plot_regions("c")
    with pytest.raises(UsageError, match=r"^no run has the model 'gpt2'; there are dummy$"):
        results.plot_regions("b", "gpt2")
    with pytest.raises(UsageError, match=r"^the plot cannot be 'pie'; it is one of regions, circ"):
        results.plot("pie")


def test_a_table_that_is_none() -> None:
    results = pommel.run("dummy://", suite_value())
    (run,) = results
    own = "suites, predictions, regions, tokens"
    said = {results: f"{own}, families", run: own, run.surprisals: "regions, tokens"}
    for shown, names in {**said, run.result: "predictions, suites"}.items():
        with pytest.raises(UsageError, match=f"^the table cannot be 'foo'; it is one of {names}$"):
            shown.to_frame("foo")  # type: ignore[attr-defined]


# --- from a store


def test_stored_results_are_those_of_the_runs(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    models = ["dummy://", "dummy://uniform?bits=1", "dummy://uniform?bits=2"]
    ran = pommel.run(models, [suite_value(), suite_value("b")], store=store)
    again = pommel.stored_results(store=store)
    for table in ("suites", "predictions", "regions", "tokens"):
        keys = ["model_name", "suite"]
        ours, theirs = (each.to_frame(table).sort_values(keys) for each in (again, ran))
        assert ours.reset_index(drop=True).equals(theirs.reset_index(drop=True))
    with pommel.open_store(store) as opened:
        chosen = pommel.stored_results("dummy://uni*", ["b"], store=opened)
        assert len(opened.runs.heads()) == 6
    assert [run.result.suite_name for run in chosen] == ["b", "b"]


def test_a_model_that_was_run_in_several_ways_is_told_apart(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    for bos in ("auto", "never"):
        pommel.run("dummy://", suite_value(), pommel.Policy(bos=bos), store=store)
    again = pommel.stored_results(store=store)
    assert [run.result.model_name for run in again] == ["dummy (bos=auto)", "dummy (bos=never)"]


def test_of_an_edited_suite_the_newest_run_counts(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    for n_items in (3, 2):
        pommel.run("dummy://", suite_value(n_items=n_items), store=store)
    (run,) = pommel.stored_results(store=store)
    assert run.result.n_items == 2


def test_stored_results_that_are_not_there(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    with pytest.raises(pommel.PommelError, match=r"there is no store; `pommel run` makes one$"):
        pommel.stored_results(store=store)
    assert not store.exists()
    pommel.run("dummy://", suite_value(), store=store)
    with pytest.raises(UsageError, match=r"no complete run with tokens fits; store\.runs\.heads"):
        pommel.stored_results("gpt2", store=store)
