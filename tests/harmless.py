"""What may be shown in a terminal."""

# Joiners without a width and marks of direction: Persian and Hebrew need them to be read.
INVISIBLE = "\u200c\u200d\u200e\u200f\u061c"


def is_harmless(text: str) -> bool:
    """Say whether nothing in a text steers a terminal."""
    return all(each.isprintable() or each in INVISIBLE for each in text)
