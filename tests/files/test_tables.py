"""Columns, rows and instances of dataclasses as frames."""

from dataclasses import dataclass

import pandas as pd

from pommel.files.tables import frame_of_rows, frame_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A row: what was seen how often."""

    name: str
    n_items: int | None
    share: float


def test_instances_are_rows_and_their_fields_columns() -> None:
    frame = frame_of_rows(
        iter(
            [
                Observation(name="a", n_items=24, share=0.5),
                Observation(name="b", n_items=None, share=float("nan")),
            ]
        ),
        Observation,
    )
    assert frame.columns.tolist() == ["name", "n_items", "share"]
    assert frame["name"].tolist() == ["a", "b"]
    # A count stays whole beside one that is not known.
    assert str(frame["n_items"].dtype) == "Int64"
    assert frame["n_items"][0] == 24
    assert frame.isna().to_numpy().tolist() == [[False] * 3, [False, True, True]]


def test_there_are_columns_without_instances() -> None:
    frame = frame_of_rows([], Observation)
    assert (len(frame), frame.columns.tolist()) == (0, ["name", "n_items", "share"])


def test_texts_of_csv_steer_nothing_and_run_nothing() -> None:
    frame = pd.DataFrame(
        {
            "=name": ["=1+1", "-ing", "-", "a; @b", "x\x1b[2Jy\nz", None],
            "bits": [-1.5, 2.0, 3.0, 4.0, 5.0, float("nan")],
            "mixed": ["+1", -1, True, None, 1.5, "a"],
        }
    )
    before = frame.copy()
    assert frame_text(frame, "csv") == (
        "'=name,bits,mixed\n'=1+1,-1.5,+1\n'-ing,2.0,-1\n-,3.0,True\na;' @b,4.0,\n"
        '"x?[2Jy\nz",5.0,1.5\n,,a\n'
    )
    assert frame_text(frame, "tsv").startswith("'=name\tbits\tmixed\n'=1+1\t-1.5\t+1\n")
    assert frame_text(frame, "csv", raw=True) == before.to_csv(index=False)
    assert '"=name": "=1+1"' in frame_text(frame, "json")
    pd.testing.assert_frame_equal(frame, before)
