"""Mixed-effects logistic regression: known effects, lme4, units, and what cannot be fitted."""

import math
import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t
from tests.analysis import lme4

from pommel.analysis import mixed
from pommel.analysis.mixed import COLUMNS, UNITS, MixedAsked, MixedFit, Unit, freedoms, mixed_design
from pommel.errors import PommelError, UsageError

pytest.importorskip("gpboost")

TRUTH = {"(Intercept)": 0.5, "log10_parameters": 0.8, "modifier": -0.6}
SPREADS = {"model": 0.7, "item": 1.0}


def simulated(
    n_models: int, n_items: int, *, seed: int, spreads: dict[str, float] = SPREADS
) -> pd.DataFrame:
    """Return items as a model with the true effects and spreads makes them."""
    generator = np.random.default_rng(seed)
    size = generator.normal(size=n_models)
    of_models = generator.normal(size=n_models) * spreads["model"]
    of_items = generator.normal(size=n_items) * spreads["item"]
    model, item = np.repeat(np.arange(n_models), n_items), np.tile(np.arange(n_items), n_models)
    modifier = item % 2
    log_odds = (
        TRUTH["(Intercept)"]
        + TRUTH["log10_parameters"] * size[model]
        + TRUTH["modifier"] * modifier
        + of_models[model]
        + of_items[item]
    )
    return pd.DataFrame(
        {
            "model": [f"m{n}" for n in model],
            "item": [f"s:{n}" for n in item],
            "log10_parameters": size[model],
            "modifier": modifier,
            "language": "en",
            "holds": (generator.random(len(model)) < 1 / (1 + np.exp(-log_odds))).astype(int),
        }
    )


BOTH = "log10_parameters + modifier"


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return simulated(30, 150, seed=1)


@pytest.fixture(scope="module")
def fit(frame: pd.DataFrame) -> MixedFit:
    return MixedAsked(fixed=BOTH, random=("model", "item")).of_items(frame)


def test_known_effects_and_spreads_are_recovered(fit: MixedFit) -> None:
    for each in fit.coefficients:
        assert each.low < TRUTH[each.name] < each.high
        assert each.odds_ratio == math.exp(each.estimate)
    assert {each.name: each.estimate for each in fit.components} == pytest.approx(SPREADS, rel=0.25)
    assert [each.n_levels for each in fit.components] == [30, 150]
    assert fit.n_rows == 4500
    assert fit.notes == ()


def test_the_intervals_of_effects_know_that_models_and_items_differ(fit: MixedFit) -> None:
    # Among 30 models that differ by .7, an effect of models has a standard error above .7 / sqrt 30
    # (its predictor has a standard deviation of 1); independent parameters would have said .04.
    sds = {each.name: each.sd for each in fit.coefficients}
    assert 0.1 < sds["log10_parameters"] < 0.25
    assert 0.14 < sds["modifier"] < 0.25


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    held = [
        each.low < TRUTH[each.name] < each.high
        for seed in range(12)
        for each in MixedAsked(fixed=BOTH, random=("model", "item"))
        .of_items(simulated(12, 40, seed=seed))
        .coefficients
    ]
    assert len(held) == 36
    assert sum(held) >= 31


def test_where_nothing_spreads_it_is_close_to_a_plain_logistic_regression() -> None:
    import statsmodels.api as sm

    alike = simulated(20, 100, seed=3, spreads={"model": 0.0, "item": 0.0})
    found = MixedAsked(fixed=BOTH, random=("model", "item")).of_items(alike)
    effects = sm.add_constant(alike[["log10_parameters", "modifier"]].to_numpy(dtype=float))
    plain = sm.Logit(alike["holds"].to_numpy(), effects).fit(disp=0)
    assert max(each.estimate for each in found.components) < 0.2
    assert [each.estimate for each in found.coefficients] == pytest.approx(plain.params, abs=0.03)
    assert [each.sd for each in found.coefficients] == pytest.approx(plain.bse, rel=0.25)


def test_without_an_intercept_nothing_is_taken_off_the_effects() -> None:
    small = simulated(10, 200, seed=6)
    small["plain"] = 1 - small["modifier"]
    with_one = MixedAsked(fixed="modifier", random=("item",)).of_items(small)
    without = MixedAsked(fixed="0 + plain + modifier", random=("item",)).of_items(small)
    first, second = (each.estimate for each in without.coefficients)
    intercept, effect = (each.estimate for each in with_one.coefficients)
    assert (first, second) == pytest.approx((intercept, intercept + effect), abs=0.02)


def test_the_same_table_gives_the_same_numbers() -> None:
    small = simulated(8, 20, seed=5)
    one, again = (MixedAsked(fixed="modifier", random=("item",)).of_items(small) for _ in range(2))
    assert one == again


def test_a_factor_has_a_coefficient_for_each_of_its_values_but_the_first() -> None:
    small = simulated(4, 60, seed=5)
    small["language"] = ["de", "en", "fr"] * 80
    found = MixedAsked(fixed="language", random=("item",)).of_items(small)
    assert [each.name for each in found.coefficients] == [
        "(Intercept)",
        "language[T.en]",
        "language[T.fr]",
    ]


def test_rows_that_lack_a_column_are_left_out_and_counted() -> None:
    small = simulated(8, 40, seed=5)
    small.loc[small["model"] == "m0", "log10_parameters"] = math.nan
    small["language"] = np.where(small["model"] == "m1", "", small["model"])
    found = MixedAsked(fixed="log10_parameters", random=("model", "item")).of_items(small)
    assert found.n_rows == 280
    assert found.notes[0] == "40 rows left out: a column that the model needs is missing there"
    assert mixed_design(small, MixedAsked(fixed="language", random=("model",))).n_left_out == 40


def test_spreads_over_single_rows_are_hardly_known() -> None:
    small = simulated(1, 300, seed=7)
    small.loc[:9, "item"] = "s:0"
    found = MixedAsked(fixed="modifier", random=("item",)).of_items(small)
    assert found.notes[0] == (
        "there are fewer than 3 rows a value of item: its spread, and with it all effects, come "
        "out too small"
    )


def test_the_tidy_table_has_effects_and_spreads(fit: MixedFit) -> None:
    table = fit.frame()
    assert list(table.columns) == [each.name for each in COLUMNS]
    assert table[["part", "term"]].values.tolist() == [
        ["fixed", "(Intercept)"],
        ["fixed", "log10_parameters"],
        ["fixed", "modifier"],
        ["random", "model"],
        ["random", "item"],
    ]
    assert table["n_levels"].astype(object).tolist()[3:] == [30, 150]
    assert table["odds_ratio"].tolist()[0] == fit.coefficients[0].odds_ratio


@pytest.mark.parametrize(
    ("fixed", "random", "message"),
    [
        ("modifer", ["item"], "there is no column 'modifer'; did you mean modifier?"),
        ("modifier", ["items"], "there is no column 'items'; did you mean item?"),
        (
            "xyz",
            ["item"],
            (
                "there is no column 'xyz'; there are model, item, log10_parameters, modifier, "
                "language, holds"
            ),
        ),
        (
            "holds ~ modifier",
            ["item"],
            "'holds ~ modifier': write the right side of the formula alone, without a '~'",
        ),
        (
            "modifier + (",
            ["item"],
            "'modifier + (': expected a noun, but instead the expression ended",
        ),
        ("modifier", ["holds"], "holds is what is explained, and has no random intercept"),
    ],
)
def test_a_call_that_makes_no_sense(
    frame: pd.DataFrame, fixed: str, random: list[str], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        MixedAsked(fixed=fixed, random=tuple(random)).of_items(frame)
    assert str(caught.value) == message


def few(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "model": ["a", "a", "b", "b", "c", "c"] * 2,
            "item": ["1", "2"] * 6,
            "modifier": [0, 1] * 6,
            "holds": [0, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1],
            **columns,
        }
    )


@pytest.mark.parametrize(
    ("table", "fixed", "message"),
    [
        (
            few(modifier=[1] * 12),
            "modifier",
            (
                "modifier is 1 in every row, and explains nothing: leave it out of --fixed, or "
                "choose runs that differ in it"
            ),
        ),
        (
            few(language=["en"] * 12),
            "language",
            (
                "language is en in every row, and explains nothing: leave it out of --fixed, or "
                "choose runs that differ in it"
            ),
        ),
        (
            few(twice=[0, 2] * 6),
            "modifier + twice",
            (
                "the fixed effects (Intercept, modifier, twice) depend on each other: one of them "
                "follows from the others; leave it out of --fixed"
            ),
        ),
        (few(holds=[1] * 12), "modifier", "all 12 rows hold: there is nothing to explain"),
        (few(holds=[0] * 12), "modifier", "all 12 rows fail: there is nothing to explain"),
        (
            few(size=[math.nan] * 12),
            "size",
            "no row has all that 'size' needs; 'pommel stats items' shows them",
        ),
        (
            few(model=["a"] * 12),
            "modifier",
            "every row has the same model: leave out --random model, or choose more runs",
        ),
        (
            few(model=[*"abcdefghijkl"]),
            "modifier",
            (
                "every row has another model, which tells nothing: leave out --random model, or "
                "choose more runs"
            ),
        ),
        (
            few(holds=[0, 1] * 6),
            "modifier",
            (
                "rows that hold and rows that fail are told apart without an exception by "
                "modifier, so that no finite coefficient is the best: leave it out of --fixed, "
                "or choose more runs"
            ),
        ),
        (
            few(size=[1, 2, 3, 4, 5, 6] * 2, holds=[0, 0, 0, 1, 1, 1] * 2),
            "size",
            (
                "rows that hold and rows that fail are told apart without an exception by size, so "
                "that no finite coefficient is the best: leave it out of --fixed, or choose "
                "more runs"
            ),
        ),
    ],
)
def test_rows_on_which_nothing_can_be_fitted(table: pd.DataFrame, fixed: str, message: str) -> None:
    with pytest.raises(PommelError) as caught:
        MixedAsked(fixed=fixed, random=("model", "item")).of_items(table)
    assert str(caught.value) == message


def test_a_value_with_one_outcome_alone_separates_in_part() -> None:
    table = few(kind=[*"xyzxyzxyzxyz"], holds=[1, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 0])
    with pytest.raises(
        PommelError, match=r"without an exception by kind\[T\.y\], kind\[T\.z\], so"
    ):
        MixedAsked(fixed="kind", random=("item",)).of_items(table)


def test_what_does_not_converge_is_an_error(
    frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mixed, "_MOST_ITERATIONS", 1)
    with pytest.raises(PommelError, match=r"^the mixed model has not converged "):
        MixedAsked(fixed="modifier", random=("item",)).of_items(frame)


@pytest.mark.parametrize("missing", ["gpboost", "patsy"])
def test_without_the_extra_it_says_what_to_install(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(PommelError) as caught:
        MixedAsked(fixed="modifier", random=("item",)).of_items(few())
    assert str(caught.value) == f"mixed models need the stats extra: {PommelError.install('stats')}"


def test_an_effect_of_models_is_compared_between_models(frame: pd.DataFrame) -> None:
    design = mixed_design(frame, MixedAsked(fixed=BOTH, random=("model", "item")))
    found = {each.name: (each.n_free, each.column) for each in freedoms(design)}
    assert found == {
        "Intercept": (28, "model"),
        "log10_parameters": (28, "model"),
        "modifier": (148, "item"),
    }
    varying = frame.assign(x=np.arange(len(frame)))
    design = mixed_design(varying, MixedAsked(fixed="x", random=("model",)))
    assert [each.n_free for each in freedoms(design)] == [29, math.inf]


def test_intervals_of_few_models_are_those_of_t() -> None:
    fit = MixedAsked(fixed=BOTH, random=("model", "item")).of_items(simulated(4, 80, seed=2))
    by_name = {each.name: each for each in fit.coefficients}
    size, modifier = by_name["log10_parameters"], by_name["modifier"]
    assert (size.n_free, modifier.n_free) == (2, 78)
    assert (size.high - size.low) / size.sd == pytest.approx(2 * t.ppf(0.975, 2))
    assert size.p == pytest.approx(2 * t.sf(abs(size.estimate) / size.sd, 2))
    assert (modifier.high - modifier.low) / modifier.sd == pytest.approx(2 * t.ppf(0.975, 78))
    assert fit.notes == (
        (
            "log10_parameters is the same in all rows of one model, of which there are 4: its "
            "interval and p are a rough guide"
        ),
    )
    assert fit.frame()["df"].tolist()[:3] == [2, 2, 78]


def test_two_models_cannot_tell_what_they_differ_in() -> None:
    with pytest.raises(PommelError) as caught:
        MixedAsked(fixed=BOTH, random=("model", "item")).of_items(simulated(2, 80, seed=2))
    assert str(caught.value) == (
        "log10_parameters is the same in all rows of one model, and model has 2 values only: "
        "nothing tells it from what else they differ in; choose more runs, leave it out of "
        "--fixed, or say --not-random model if nothing is to be said about others than these 2"
    )


def in_suites(n_suites: int = 6) -> pd.DataFrame:
    """Return simulated items in suites, every other of which is a modified one."""
    found = simulated(8, 60, seed=1)
    number = found["item"].str[2:].astype(int) % n_suites
    return found.assign(suite=number.map("s{}".format), modifier=number % 2)


def test_the_units_of_the_design_are_random_unless_something_else_is_said() -> None:
    table = in_suites()
    found = MixedAsked(fixed="modifier").of_items(table)
    assert [each.name for each in found.components] == ["model", "suite", "item"]
    assert found.coefficients[1].n_free == 4
    # Of one model, or with a suite an item, what parts no rows has no intercept.
    one = table[table["model"] == "m0"]
    assert [each.name for each in MixedAsked(fixed="modifier").of_items(one).components] == [
        "suite"
    ]
    alone = table.assign(suite=table["item"])
    fit = MixedAsked(fixed="log10_parameters").of_items(alone)
    assert [each.name for each in fit.components] == ["model", "suite"]
    with pytest.raises(PommelError, match=r"^of model, suite, item none has several values with"):
        MixedAsked(fixed="modifier").of_items(one.assign(suite="s0"))


@pytest.mark.parametrize(
    ("fixed", "random", "unit"),
    [
        ("modifier", ["model", "item"], "suite"),
        ("log10_parameters", ["suite", "item"], "model"),
        ("of_family", ["model", "item"], "family"),
        ("modifier * log10_parameters", ["model", "suite", "item"], "model:suite"),
        ("within", ["model", "suite"], "item"),
        ("of_prediction", ["model", "suite", "item"], "suite:prediction_id"),
        ("within * log10_parameters", ["model", "item"], "model:item"),
    ],
)
def test_an_effect_that_is_the_same_within_a_unit_makes_it_random(
    fixed: str, random: list[str], unit: str
) -> None:
    table = in_suites()
    family = table["model"].str[1:].astype(int) // 2
    item = table["item"].str[2:].astype(int)
    table = table.assign(family=family.map("f{}".format), of_family=family, within=item // 6 % 2)
    both = {"0": table["holds"].to_numpy(), "1": table["holds"].to_numpy()[::-1]}
    table = pd.concat([table.assign(prediction_id=name, holds=both[name]) for name in both])
    table = table.reset_index(drop=True)
    table["of_prediction"] = (table["prediction_id"] == "1") & (table["modifier"] == 1)
    with pytest.raises(UsageError) as caught:
        MixedAsked(fixed=fixed, random=tuple(random)).of_items(table)
    assert f"is the same in all rows of one {unit}, and {unit} is not random: " in str(caught.value)
    assert f"add --random {unit}, or --not-random {unit} if" in str(caught.value)
    by_default = {each.name for each in mixed_design(table, MixedAsked(fixed=fixed)).random}
    assert by_default == {"model", "suite", "item", unit}
    others = [each for each in UNITS if each not in random]
    alone = mixed_design(
        table, MixedAsked(fixed=fixed, random=tuple(random), not_random=tuple(others))
    )
    assert [each.name for each in alone.random] == random


def test_a_model_of_no_family_is_a_family_of_its_own() -> None:
    table = in_suites().assign(family="")
    table.loc[table["model"].isin(["m0", "m1"]), "family"] = "f"
    (family,) = mixed_design(
        table, MixedAsked(fixed="modifier", random=("family", "suite"))
    ).random[:1]
    assert family.n_levels == 7


def test_a_slope_is_what_an_effect_is_compared_between() -> None:
    table = in_suites().assign(x=lambda rows: rows["item"].str[2:].astype(int) // 6 % 2 * 3.0)
    units = ["model", "suite", "item"]
    fit = MixedAsked(fixed="x", random=("x || model", *units)).of_items(table)
    assert [each.name for each in fit.components] == [*units, "x || model"]
    assert fit.coefficients[1].n_free == 7
    larger = table.assign(x=table["x"] * 1e6)
    scaled = MixedAsked(fixed="x", random=("x || model", *units)).of_items(larger)
    assert scaled.components[3].estimate * 1e6 == pytest.approx(
        fit.components[3].estimate, rel=1e-3, abs=1e-3
    )
    # Its interaction with what is the same within models is one of models, too.
    design = mixed_design(
        table, MixedAsked(fixed="x * log10_parameters", random=("x || model", "suite", "item"))
    )
    assert [each.n_free for each in freedoms(design)][1:] == [6, 6, 6]


def test_effects_of_items_are_compared_within_suites_and_interactions_within_both() -> None:
    table = in_suites().assign(x=lambda rows: rows["item"].str[2:].astype(int) // 6 % 2)
    design = mixed_design(table, MixedAsked(fixed="modifier * log10_parameters + x"))
    assert {each.name: each.n_free for each in freedoms(design)} == {
        "Intercept": 4,
        "modifier": 4,
        "log10_parameters": 6,
        "modifier:log10_parameters": (8 - 1) * (6 - 1) - 1,
        "x": 60 - 6 - 1,
    }


@pytest.mark.parametrize(
    ("random", "not_random", "message"),
    [
        (
            ["x | item"],
            [],
            "'x | item': write COLUMN, or 'EFFECT || COLUMN' for a slope, which is ",
        ),
        (["|| item"], [], "'|| item': write COLUMN, or"),
        (["modifier || itm"], [], "there is no column 'itm'; did you mean item?"),
        (["model:itm"], [], "there is no column 'itm'"),
        (["model || item"], [], "'model': a slope is that of one number, and of no factor"),
        (["item"], ["item"], "item can not be both random and not random"),
    ],
)
def test_random_effects_that_make_no_sense(
    frame: pd.DataFrame, random: list[str], not_random: list[Unit], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        MixedAsked(fixed="modifier", random=tuple(random), not_random=tuple(not_random)).of_items(
            frame
        )
    assert str(caught.value).startswith(message)


def test_units_that_part_rows_alike_and_slopes_of_nothing() -> None:
    table = few(suite=["x", "y"] * 6, one=[1] * 12)
    with pytest.raises(PommelError, match=r"^item and suite part the rows in the same way, and"):
        MixedAsked(fixed="modifier", random=("item", "suite")).of_items(table)
    with pytest.raises(PommelError, match=r"^one is 1 in every row, and .* leave it out of --rand"):
        MixedAsked(fixed="modifier", random=("one || model",)).of_items(table)


def test_a_unit_that_does_not_spread_has_no_interval() -> None:
    alike = simulated(12, 60, seed=2, spreads={"model": 0.0, "item": 1.0})
    fit = MixedAsked(fixed=BOTH, random=("model", "item")).of_items(alike)
    assert fit.components[0].estimate == 0
    assert math.isnan(fit.components[0].low)
    assert fit.notes == (
        "model does not spread beyond what chance does: its sd is at the border, 0",
    )


def test_the_normal_p_is_in_the_table_beside_that_of_t() -> None:
    fit = MixedAsked(fixed=BOTH, random=("model", "item")).of_items(simulated(4, 80, seed=2))
    size = fit.coefficients[1]
    assert size.p_normal == pytest.approx(2 * norm.sf(abs(size.estimate) / size.sd))
    assert size.p_normal < size.p
    assert fit.frame()["p_normal"].tolist()[1] == size.p_normal


@pytest.fixture(scope="module")
def compared() -> list[lme4.Compared]:
    """Each set, as pommel and as lme4 fit it; without R it is skipped, and in CI it fails."""
    if not lme4.is_there():
        if os.environ.get("CI"):
            pytest.fail("CI runs with R and lme4, and they are not there; see .ci/install-r")
        pytest.skip("R with lme4 is not installed")
    return lme4.compared()


@pytest.mark.full
def test_lme4_says_the_same(compared: list[lme4.Compared]) -> None:
    assert {each.table for each in compared} == {*lme4.SETS}
    for each in compared:
        assert each.estimate == pytest.approx(each.of_lme4, abs=0.01)
        # Errors of the expected information against those of a Hessian: at a border they differ.
        loose = 0.06 if each.table == "nearly separated" else 0.005
        assert each.error == pytest.approx(each.error_of_lme4, rel=loose, nan_ok=True)


ROWS = tuple(f"| {name} |" for name in lme4.SETS)


@pytest.mark.full
def test_the_documentation_has_both(compared: list[lme4.Compared], repository: Path) -> None:
    page = (repository / "docs" / "statistics.md").read_text("utf-8")
    shown = [line for line in page.splitlines() if line.startswith(ROWS)]
    for line, row in zip(shown, lme4.rows(compared), strict=True):
        assert line.split("|")[:3] == row.split("|")[:3]
        numbers, expected = (re.findall(r"[+-]?\d*\.\d+", text) for text in (line, row))
        # Other versions of R and of what it computes with round otherwise.
        assert [*map(float, numbers)] == pytest.approx([*map(float, expected)], abs=2e-3)
