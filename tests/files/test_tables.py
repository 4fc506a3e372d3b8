"""Columns, rows and instances of dataclasses as frames."""

from dataclasses import dataclass

from pommel.files.tables import frame_of_rows


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
