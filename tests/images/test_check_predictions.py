"""Files of predictions that are wrong."""

from pathlib import Path

import pytest
from tests.images.samples import RUN, ResultOf

from pommel.models.container import predictions


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test its own file for what is written to /tmp in a container."""
    command = (*predictions.COMMAND[:-1], str(tmp_path / "inside.hdf5"))
    monkeypatch.setattr(predictions, "COMMAND", command)


def corrupted(change: str) -> dict[str, str]:
    """Return a `get_predictions.hdf5` whose file is changed by some Python."""
    code = f"import sys, h5py, numpy; file = h5py.File(sys.argv[1], 'r+'); {change}"
    return {"get_predictions.hdf5": f'{RUN} && python3 -c "{code}" "$2"'}


WRONG_PREDICTIONS: list[tuple[str, str, str]] = [
    ("predictions", "del file['sentence/4']", "/sentence has 0, 1, 2, 3; they are numbered from 0"),
    ("predictions", "del file['vocabulary']", "the file cannot be read"),
    (
        "predictions",
        "words = list(file.pop('vocabulary').asstr()); file['vocabulary'] = words",
        "/vocabulary has strings of any length, which numpy.char.decode refuses",
    ),
    (
        "predictions",
        "at = file['sentence/1']; rows = at.pop('predictions'); at['predictions'] = rows[1:]",
        "predictions are (",
    ),
    (
        "predictions",
        (
            "del file['vocabulary']; file.create_dataset('vocabulary', (9,), 'S1', "
            "external=[('/etc/passwd', 0, 9)])"
        ),
        "'/vocabulary' is kept in other files",
    ),
    (
        "predictions",
        "file['sentence/x'] = [1]",
        "for 5 sentences, /sentence has 0, 1, 2, 3, 4, x; they are numbered from 0",
    ),
    ("predictions-ids", "file['sentence/1/tokens'][0] = 5", "token 1 has the id 5, which is "),
    ("predictions-ids", "file['sentence/1/tokens'][0] = -1", "an id outside /vocabulary"),
    ("predictions-ids", "file['vocabulary'][3] = b'zzz'", "are not the same"),
    ("predictions-sum", "file['sentence/0/predictions'][0, 0] = 3", "3 is no logarithm of a"),
    ("predictions-sum", "file['sentence/0/predictions'][1, 0] = numpy.nan", "not all predictions"),
    ("predictions-sum", "file['sentence/0/predictions'][1, 0] = -numpy.inf", "probability 0"),
    (
        "predictions-sum",
        "file['sentence/0/predictions'][...] -= 1",
        "probabilities sum to 0.36",
    ),
    (
        "predictions-agree",
        "rows = file['sentence/0/predictions']; rows[...] = rows[...][::-1]",
        " in get_surprisals",
    ),
]


@pytest.mark.parametrize(("name", "change", "message"), WRONG_PREDICTIONS)
def test_predictions_that_are_wrong(result: ResultOf, name: str, change: str, message: str) -> None:
    found = result(name, corrupted(change))
    assert message in found.message
    assert found.status == "failed"
