"""Columns and rows as frames."""

from pommel.files.tables import frame_of_rows

COLUMNS = ("name", "n_items", "share")


def test_rows_and_what_they_lack() -> None:
    frame = frame_of_rows(
        iter([{"name": "a", "n_items": 24, "share": 0.5}, {"name": "b", "share": float("nan")}]),
        COLUMNS,
    )
    assert frame.columns.tolist() == ["name", "n_items", "share"]
    assert frame["name"].tolist() == ["a", "b"]
    # A count stays whole beside one that is not known.
    assert str(frame["n_items"].dtype) == "Int64"
    assert frame["n_items"][0] == 24
    assert frame.isna().to_numpy().tolist() == [[False] * 3, [False, True, True]]


def test_there_are_columns_without_rows() -> None:
    frame = frame_of_rows([], COLUMNS)
    assert (len(frame), frame.columns.tolist()) == (0, ["name", "n_items", "share"])
