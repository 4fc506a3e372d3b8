"""The picture of docs/architecture.md is that of today's imports."""

from tests.docs.picture import PICTURE, drawn, floors, imports


def test_the_picture_is_of_the_imports_as_they_are() -> None:
    assert PICTURE.read_text("utf-8") == drawn(), "draw it again: make docs"


def test_what_is_used_stands_further_down() -> None:
    floor_of = {room: number for number, rooms in enumerate(floors()) for room in rooms}
    used = imports()
    assert used
    assert all(floor_of[one] < floor_of[other] for one, other in used)
