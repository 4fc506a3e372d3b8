"""What a reader of a run's scores should know, in plain words."""

from collections.abc import Iterator

from pommel.errors import counted, listed
from pommel.scoring.results import PredictionResult
from pommel.scoring.run import Run


def notes(run: Run) -> Iterator[str]:
    """Yield what a reader of the scores should know, in plain words."""
    table, result = run.surprisals.table, run.result
    where = f"{result.model_name} on {result.suite_name}"
    if table.crossings:
        example = table.crossings[0]
        yield (
            f"{where}: {counted(len(table.crossings), 'token')} across a region's border, each "
            f"counted where it begins (e.g. {example.token!r} in item "
            f"{table.item_numbers[example.cell[0]]}, condition "
            f"{table.condition_names[example.cell[1]]!r})"
        )
    if table.oovs:
        words = sorted({word for found in table.oovs.values() for word in found})
        shown = listed(words, most=5)
        yield f"{where}: {counted(run.surprisals.n_oovs, 'unknown word')} ({shown})"
    for prediction in result.predictions:
        yield from _of_prediction(run, prediction, where)


def _of_prediction(run: Run, prediction: PredictionResult, where: str) -> Iterator[str]:
    name = f"{where}: prediction {prediction.prediction_id}"
    n_oov = int((prediction.skipped & prediction.oov).sum()) if _skips_oov(run) else 0
    if n_oov:
        yield f"{name} skips {counted(n_oov, 'item')} that {_rests(n_oov)} on an unknown word"
    if n_others := prediction.n_skipped - n_oov:
        yield f"{name} skips {counted(n_others, 'item')} {_why(run)}"
    if prediction.n_oov:
        items = counted(prediction.n_oov, "item")
        yield f"{name} rests on an unknown word in {items}; --oov skip leaves them out"
    if prediction.n_unscored:
        yield (
            f"{name} needs a token without a surprisal in "
            f"{counted(prediction.n_unscored, 'item')}; it is left out of its region"
        )
    if prediction.n_undefined:
        yield (
            f"{name} has no value in {counted(prediction.n_undefined, 'item')}, "
            "and counts as failed"
        )
    if prediction.n_ties:
        yield (
            f"{name} compares equal values in {counted(prediction.n_ties, 'item')}, "
            "where '<' and '>' fail"
        )


def _skips_oov(run: Run) -> bool:
    return run.result.provenance.get("oov") == "skip"


def _rests(n_items: int) -> str:
    return "rests" if n_items == 1 else "rest"


def _why(run: Run) -> str:
    if run.surprisals.method == "unmasked-ce":
        return "whose conditions have different numbers of tokens (unmasked-ce)"
    return f"in which a word that it needs is several tokens or unknown ({run.surprisals.method})"
