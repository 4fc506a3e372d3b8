"""The two functions that people called: compute surprisals, and evaluate predictions on them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, overload

from pommel.compat.syntaxgym.agg_surprisals import RegionTokens, deal_out, evaluated
from pommel.compat.syntaxgym.prediction import Prediction, Value
from pommel.compat.syntaxgym.suite import Suite, SuiteLike, load_suite
from pommel.models import Model, Policy, load_model
from pommel.scoring import Choices, SuiteSurprisals
from pommel.suite import LoadedSuite

if TYPE_CHECKING:
    import pandas as pd

Results = dict[int, dict[Prediction, Value]]


def compute_surprisals(model: Model | str, suite: SuiteLike) -> Suite:
    """Return a copy of a suite in which every region has its surprisal under `model`.

    `model` is a model or its reference. What the model's tokenizer adds by itself is scored, and
    nothing else; a first token without left context counts 0 bits. Raises `SuiteError` with every
    fault of the suite, before the model runs, and `ModelError` if it fails at a sentence.
    """
    loaded = load_suite(suite)
    value = loaded.as_dict()
    value["region_meta"] = {str(number): name for number, name in value["region_meta"].items()}
    checked = LoadedSuite.from_dict(value).suite
    opened = load_model(model) if isinstance(model, str) else model
    # Its suites have no place for a sentence without an answer: each region would have 0 bits.
    choices = Choices(policy=Policy.SYNTAXGYM, compat="syntaxgym", strict_model=True)
    surprisals = SuiteSurprisals.of(opened, checked, choices)
    return evaluated(loaded, _dealt(surprisals), model_name=opened.info.name)


def _dealt(surprisals: SuiteSurprisals) -> Iterator[list[RegionTokens]]:
    """Yield what falls to the regions of each sentence, in the order of the suite's file."""
    suite = surprisals.suite
    for item, scored in zip(suite.items, surprisals.sentences, strict=True):
        # Conditions stand in the order of the first item in one, of their own item in the other.
        by_name = dict(zip(suite.condition_names, scored, strict=True))
        for condition in item.conditions:
            layout = condition.sentence(suite.joiner)
            yield deal_out(layout, by_name[condition.name].tokens, surprisals.assigner)


@overload
def evaluate(
    suite: SuiteLike,
    return_df: Literal[True] = True,  # noqa: FBT002 - it was called like this
) -> "pd.DataFrame": ...


@overload
def evaluate(suite: SuiteLike, return_df: Literal[False]) -> tuple[Suite, Results]: ...


def evaluate(
    suite: SuiteLike,
    return_df: bool = True,  # noqa: FBT001, FBT002 - it was called like this
) -> "pd.DataFrame | tuple[Suite, Results]":
    """Evaluate a suite's predictions on the surprisals that its regions have.

    Returns a table with the column result, indexed by suite, prediction_id (from 0) and
    item_number; or, without `return_df`, the suite and its results by item number and prediction.
    Raises `MissingValueError` for a region without a surprisal.
    """
    loaded = load_suite(suite)
    results = loaded.evaluate_predictions()
    if not return_df:
        return loaded, results
    import pandas as pd

    index = ["suite", "prediction_id", "item_number"]
    name = loaded.meta["name"] if loaded.predictions else None
    rows = [
        (name, prediction.idx, item_number, result)
        for item_number, by_prediction in results.items()
        for prediction, result in by_prediction.items()
    ]
    return pd.DataFrame(rows, columns=[*index, "result"]).set_index(index)


def results_to_tsv(results: "pd.DataFrame") -> str:
    """Return what `syntaxgym evaluate` printed: `suite prediction_id item_number result`."""
    return results.to_csv(sep="\t", lineterminator="\n")


def surprisals_to_tsv(suite: Suite) -> str:
    """Return what `syntaxgym compute-surprisals --tabular_results` printed, a row a region."""
    return suite.as_dataframe().to_csv(sep="\t", lineterminator="\n")
