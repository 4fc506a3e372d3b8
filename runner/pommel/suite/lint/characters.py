"""Rule: characters that readers do not see, and models do."""

import unicodedata
from collections.abc import Iterator

from pommel.files.json import JsonPath
from pommel.suite.lint.remark import Remark, in_items
from pommel.suite.lint.subject import Subject

# Scripts need these, which have no width, to say where letters join.
_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"


def control_character(subject: Subject) -> Iterator[Remark]:
    """Yield the characters that steer a terminal, turn the direction of a text, or are not seen.

    Not so joiners, marks of direction, and the signs that some scripts put before a number.
    """
    places: dict[str, dict[int, JsonPath]] = {}
    for number, path, text in _texts(subject):
        for character in text:
            if _is_control(character):
                places.setdefault(character, {}).setdefault(number, path)
    for character, paths in places.items():
        numbers = tuple(paths)
        yield Remark(
            rule="control-character",
            path=paths[numbers[0]],
            message=f"the character {_name(character)} cannot be seen, and stands in the text "
            f"{in_items(numbers, len(subject.items))}",
            hint="remove it; a model reads it, too",
            item_numbers=numbers,
        )


def _texts(subject: Subject) -> Iterator[tuple[int, JsonPath, str]]:
    """Yield the item's number, the place and the text of every region."""
    for i, item in enumerate(subject.suite.items):
        for c, condition in enumerate(item.conditions):
            for r, region in enumerate(condition.regions):
                path = ("items", i, "conditions", c, "regions", r, "content")
                # Every control character is unprintable, as is many a space that is none.
                if not region.text.isprintable():
                    yield item.number, path, region.text


def _is_control(character: str) -> bool:
    match unicodedata.category(character):
        case "Cc" | "Zl" | "Zp":
            return True
        case "Cf":
            is_letter = unicodedata.bidirectional(character) in ("L", "R", "AL", "AN")
            return not is_letter and character not in _JOINERS
        case _:
            return False


def _name(character: str) -> str:
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X}{f' ({name})' if name else ''}"
