"""Whatever somebody has written into a suite's `source`: no format stumbles over it."""

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from pommel.errors import PommelError
from pommel.sources.formats.set_format import SetFormat
from pommel.sources.minimal_sets import MinimalSet
from pommel.sources.output import FORMATS

# What the formats know, one like these, and what a field may be that nobody expects there.
_NAMES = st.sampled_from(
    [
        *("UID", "candidates", "case", "class", "constr_id", "contexts", "correct"),
        *("correct_number", "form", "freq", "indexMASK", "len_context", "len_prefix"),
        *("lines_after", "lines_before", "logits", "mine", "n_attr", "pairID", "pattern"),
        *("prefix", "probs", "punct", "sen", "sent", "sent_id", "sentence", "sentence_bad"),
        *("sentence_good", "sentences", "subcase", "targets", "text", "text_masked", "type"),
        "wrong_sen",
    ]
)
_SCALARS = (
    st.sampled_from([None, True, -1, 10**400, 1e999, "", "x", "a b", "a\tb", "a\nb", "\r"])
    | st.sampled_from(["[MASK]", "***mask***", "True x", "b'x'", "the dog barks", "2.5"])
    | st.integers()
    | st.floats()
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=2),
    max_leaves=4,
)
# Fields with which the strictest formats could write a set, so that each other one is looked at.
_FITTING = {
    "correct": True,
    "n_attr": 0,
    "logits": [2.0, 1.0],
    "case": "x",
    "subcase": "y",
    **dict.fromkeys(("pattern", "constr_id", "sent_id", "correct_number", "type"), "z"),
    **dict.fromkeys(("punct", "freq", "len_context"), 1),
}
_FIELDS = st.builds(
    lambda fitting, fields: {**(_FITTING if fitting else {}), **fields},
    st.booleans(),
    st.dictionaries(_NAMES, _VALUES, max_size=4),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fields")


@pytest.mark.parametrize(
    "target", [each for each in FORMATS if each.pieces], ids=lambda each: each.name
)
@settings(max_examples=150)
@given(fields=_FIELDS)
def test_a_set_is_written_so_that_it_can_be_read_or_refused(
    folder: Path, target: SetFormat, fields: dict[str, object]
) -> None:
    found = MinimalSet("the dog", "barks", ("bark",), "", fields)
    path = folder / f"x{target.endings[0]}"
    try:
        assert target.pieces
        path.write_text("".join(target.pieces([found])), "utf-8", newline="")
    except PommelError as error:
        assert "\n" not in str(error)  # noqa: PT017 - it may be written, too
        return
    (again,) = target.read(path)
    assert (again.grammatical, again.ungrammatical) == (found.grammatical, found.ungrammatical)
