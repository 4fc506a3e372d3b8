from pommel.models.container.engines.process import LastWords


def heard(*pieces: bytes) -> LastWords:
    words = LastWords()
    for piece in pieces:
        words.add(piece)
    return words


def test_nothing_said_is_nothing_shown() -> None:
    assert str(heard()) == ""
    assert str(heard(b"\n  \n")) == ""


def test_the_last_lines_end_a_message() -> None:
    words = heard(b"first\nsec", b"ond\n\n", b"third")
    assert f"it failed{words}" == (
        "it failed; the last it wrote to standard error:\n    first\n    second\n    third"
    )


def test_only_the_end_is_kept_and_long_lines_are_cut() -> None:
    words = heard(*(f"line {n}\n".encode() for n in range(100_000)), b"x" * 1000)
    assert words.lines() == [*(f"line {n}" for n in range(99_991, 100_000)), "x" * 200]


def test_a_container_cannot_steer_a_terminal() -> None:
    words = heard(b"\x1b[31mred\x07\ttab\xff\xc2\x9b\n")
    assert words.lines() == ["?[31mred? tab\ufffd?"]
