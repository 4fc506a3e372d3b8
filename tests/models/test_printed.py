"""Tables that strangers print: nothing in them takes long, or more than a message's room."""

import pytest
from hypothesis import given, strategies as st

from pommel.errors import InputError, SurprisalError
from pommel.models.printed import parse_surprisal_table

HEADER = "sentence_id\ttoken_id\ttoken\tsurprisal\n"
LONG = "x" * 100_000


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (f"{'1' * 5000}\t1\ta\t1", f"s:2: the sentence_id '{'1' * 80}'… has 5000 digits"),
        (f"1\t{'9' * 19}\ta\t1", "s:2: the token_id '9999999999999999999' has 19 digits"),
        ("²\t1\ta\t1", "s:2: the sentence_id '²' is not a whole number"),
        ("1\t٣\ta\t1", "s:2: the token_id '٣' is not a whole number"),
        ("1\t1\ta\t٣", "s:2: the surprisal '٣' of 'a' is not a number; write it in bits"),
        (f"1\t{LONG}\ta\t1", f"s:2: the token_id '{'x' * 80}'… is not a whole number"),
        (
            f"1\t1\t{LONG}\t{LONG}",
            f"s:2: the surprisal '{'x' * 80}'… of '{'x' * 80}'… is not a number; write it in bits",
        ),
        (
            f"1\t1\t{LONG}\t-{'9' * 200}",
            (
                f"s:2: the surprisal -{'9' * 79} of '{'x' * 80}'… is negative; "
                "a surprisal is -log2 p, not a log-probability"
            ),
        ),
        (
            LONG,
            f"s:2: '{'x' * 80}'… has 1 columns; a row is sentence_id token_id token surprisal",
        ),
    ],
)
def test_messages_are_short(row: str, message: str) -> None:
    with pytest.raises((InputError, SurprisalError)) as caught:
        parse_surprisal_table(HEADER + row, where="s")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "row", ["1 1" + " " * 50_000, "1 1 " + " x" * 50_000 + "\x85", "1 1" + " " * 50_000 + "\u2028"]
)
@pytest.mark.timeout(30)
def test_a_line_of_blanks_takes_no_time(row: str) -> None:
    with pytest.raises((InputError, SurprisalError)):
        parse_surprisal_table(HEADER + row, where="s")


blanks = st.text(alphabet=" \t", min_size=1, max_size=3)
words = st.text(alphabet="a1.é", min_size=1, max_size=4)


@given(blanks, blanks, blanks, st.lists(words, min_size=1, max_size=3).map(" ".join))
def test_columns_by_blanks(first: str, second: str, third: str, token: str) -> None:
    row = f" 1{first}1{second}{token}{third}2.5 "
    if row.count("\t") != 3:
        ((found,),) = parse_surprisal_table(HEADER + row, where="s")
        assert (found.text, found.surprisal_bits) == (token, 2.5)


@pytest.mark.parametrize(
    ("header", "row", "read"),
    [
        ("\textra", "1\t1\tnew york\t7.0\tx y", ("new york", 7.0)),
        ("\textra", "1\t1\tthe\t5.0\t", ("the", 5.0)),
        ("\tlog prob", "1\t1\t3\t7.0\t-3.5", ("3", 7.0)),
        ("\textra", "1\t1\ta 3\t5.0", None),
        (" extra", "1 1 a 3.0 5.0", ("a", 3.0)),
        (" extra", "1\t1\ta\t3.0\t5.0", ("a", 3.0)),
        (" extra", "1\t1\ta 3\t5.0", None),
        (" extra", "1 1 the 5.0", None),
        (" extra", "1 1 the 5.0 6.0 7.0", None),
    ],
)
def test_further_columns_are_not_taken_for_others(
    header: str, row: str, read: tuple[str, float] | None
) -> None:
    blank = header[0]
    text = HEADER.rstrip().replace("\t", blank) + f"{header}\n{row}\n"
    if read:
        ((found,),) = parse_surprisal_table(text, where="s")
        assert (found.text, found.surprisal_bits) == read
    else:
        with pytest.raises(
            InputError, match=r"^s:2: .* columns; a row is .* and 1 more, as the header$"
        ):
            parse_surprisal_table(text, where="s")


def test_a_token_of_nothing() -> None:
    ((found,),) = parse_surprisal_table(f"{HEADER}1 1  2.5", where="s")
    assert (found.text, found.surprisal_bits) == ("", 2.5)
