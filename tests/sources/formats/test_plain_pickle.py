"""Pickles of plain data, and those that are more than that."""

import copyreg
import io
import os
import pickle
import re
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from pommel.errors import InputError
from pommel.sources.formats import plain_pickle
from pommel.sources.formats.plain_pickle import read_plain_pickle

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
PLAIN = st.recursive(
    TEXTS,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.lists(inner, max_size=5).map(tuple)
        | st.dictionaries(TEXTS, inner, max_size=5)
    ),
    max_leaves=20,
)
PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)

REFUSED = "; pickles can run programs, so only dictionaries, lists, tuples and text are read"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pickles") / "x.pickle"


def read(path: Path, raw: bytes) -> Any:
    path.write_bytes(raw)
    return read_plain_pickle(path)


def refusal(path: Path, raw: bytes) -> str:
    with pytest.raises(InputError) as caught:
        read(path, raw)
    message = str(caught.value)
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


@given(value=PLAIN, protocol=st.sampled_from(PROTOCOLS), as_c=st.booleans())
def test_plain_data_is_what_pickle_itself_reads(
    path: Path, value: Any, *, protocol: int, as_c: bool
) -> None:
    if as_c:
        raw = pickle.dumps(value, protocol)
    else:
        stream = io.BytesIO()
        pickle._Pickler(stream, protocol).dump(value)  # noqa: SLF001
        raw = stream.getvalue()
    assert read(path, raw) == value == pickle.loads(raw)  # noqa: S301


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_long_texts_and_many_values(path: Path, protocol: int) -> None:
    value = {"long": "é" * 1000, "many": [f"word {n}" for n in range(2500)]}
    assert read(path, pickle.dumps(value, protocol)) == value


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_other_values_are_what_they_are(path: Path, protocol: int) -> None:
    value: list[object] = [None, True, False, 1, 300, -5, 2**31, -(2**70), 2**3000, 1.5]
    # Before protocol 3 bytes are made by calling something.
    value += [b"a", b"b" * 300] if protocol >= 3 else []
    assert read(path, pickle.dumps(value, protocol)) == value


@pytest.mark.parametrize(
    "raw",
    [
        b"(dp0\nS'sing'\np1\n(lp2\n(S'caf\\xc3\\xa9'\np3\nS\"it's\"\np4\ntp5\nas.",
        b"}q\x00U\x04singq\x01]q\x02U\x05caf\xc3\xa9q\x03U\x04it'sq\x04\x86q\x05as.",
        b"\x80\x02}q\x00T\x04\x00\x00\x00sing]U\x05caf\xc3\xa9X\x04\x00\x00\x00it's\x86as.",
    ],
)
def test_text_of_python_2(path: Path, raw: bytes) -> None:
    assert read(path, raw) == {"sing": [("café", "it's")]}
    assert pickle.loads(raw, encoding="utf-8") == {"sing": [("café", "it's")]}  # noqa: S301


def test_a_pair_of_surrogates_is_one_character_and_half_of_one_is_none(path: Path) -> None:
    assert read(path, b"V\\ud83d\\ude00\n.") == "\N{GRINNING FACE}"
    assert refusal(path, b"V\\ud83d\n.") == "the text at byte 0 is not Unicode"
    assert refusal(path, b"](X\x03\x00\x00\x00\xed\xa0\x80e.") == (
        "the text at byte 2 is not Unicode"
    )
    assert refusal(path, b"U\x01\xe9.") == "the text at byte 0 is not Unicode"


class _Calling:
    """What a stranger would put into a file."""

    def __init__(self, call: Callable[..., object], *arguments: object) -> None:
        self.call = call, arguments

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self.call


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("value", "name"),
    [
        (_Calling(os.system, "touch {0}"), f"{os.name}.system"),
        (_Calling(eval, "open({0!r}, 'w')"), r"(__builtin__|builtins).eval"),
        (_Calling(copyreg._reconstructor, object, object, None), "(copyreg|copy_reg)._reconstr.*"),  # type: ignore[attr-defined]  # noqa: SLF001
        (OrderedDict(a="b"), "collections.OrderedDict"),
        (Path("x"), r"pathlib\.\w*Path"),
    ],
)
def test_classes_and_functions_are_refused_by_name(
    path: Path, tmp_path: Path, value: object, name: str, protocol: int
) -> None:
    touched = tmp_path / "touched"
    if isinstance(value, _Calling):
        call, arguments = value.call
        value = _Calling(
            call, *(a.format(str(touched)) if isinstance(a, str) else a for a in arguments)
        )
    # Inside and beside what is plain, it is refused all the same.
    message = refusal(path, pickle.dumps({"case": [("a", "b"), value]}, protocol))
    assert re.fullmatch(rf"has the class or function '{name}'{re.escape(REFUSED)}", message)
    assert not touched.exists()


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (b"(S'ls'\nios\nsystem\n.", "the class or function 'os.system'"),
        (b"cos\nsys\x1b[2Jtem\n(S'ls'\ntR.", "the class or function 'os.sys?[2Jtem'"),
        (b"\x8c\x02os\x8c\x06system\x93)R.", "the class or function 'os.system'"),
        (b"(S'a'\no.", "a call of a function"),
        (b"S'a'\n)R.", "a call of a function"),
        (b"P42\n.", "a persistent id, which only the program that wrote it can read"),
        (b"S'a'\nQ.", "a persistent id, which only the program that wrote it can read"),
        (b"\x82\x01.", "an extension code, which stands for a class"),
        (b"\x84\x01\x00\x00\x00.", "an extension code, which stands for a class"),
        (pickle.dumps({"a"}, 4), "a set"),
        (pickle.dumps(frozenset({"a"}), 4), "a set"),
        (b"\x97.", "a buffer outside of the file"),
        (b"]2.", "an instruction that plain data has no need of"),
    ],
)
def test_instructions_that_could_run_something(path: Path, raw: bytes, what: str) -> None:
    assert refusal(path, raw) == f"has {what}{REFUSED}"


def test_a_registered_extension_is_not_looked_up(path: Path) -> None:
    copyreg.add_extension("os", "system", 240)
    try:
        raw = b"\x80\x02\x82\xf0X\x04\x00\x00\x00true\x85R."
        assert refusal(path, raw) == f"has an extension code, which stands for a class{REFUSED}"
    finally:
        copyreg.remove_extension("os", "system", 240)


@pytest.mark.parametrize(
    ("raw", "byte"),
    [
        (b"", 0),
        (b"}", 1),
        (b"True\tthe dog barks\n", 0),
        (b"{}\n", 0),
        # Sizes that the file does not have, also negative ones in Python 2.
        (b"X\xff\xff\xff\xffa.", 0),
        (b"T\xff\xff\xff\xffa.", 0),
        (b"\x8d" + b"\xff" * 8 + b".", 0),
        (b"B\x05\x00\x00\x00.", 0),
        (b"V", 0),
        (b"\x80\x06}.", 0),
        # Nothing on the stack, or too much, or below the mark.
        (b".", 0),
        (b"]].", 2),
        (b"e.", 0),
        (b"](S'a'\n\x86.", 7),
        # Nothing in the memo.
        (b"h\x00.", 0),
        (b"ga\n.", 0),
        (b"pa\n.", 0),
        # No list, no dictionary, no pairs.
        (b"}]a.", 2),
        (b"](U\x01a]u.", 6),
        (b"(S'a'\nd.", 6),
        (b"S'a\n.", 0),
    ],
)
def test_what_is_no_pickle(path: Path, raw: bytes, byte: int) -> None:
    assert refusal(path, raw) == f"this is no pickle, or a damaged one, at byte {byte}"


def test_nothing_follows_a_pickle(path: Path) -> None:
    assert refusal(path, pickle.dumps([]) * 2) == (
        "goes on after the end of the pickle, which is not read"
    )


@given(raw=st.binary(max_size=40), value=PLAIN, data=st.data())
def test_damage_is_one_line(path: Path, raw: bytes, value: Any, data: st.DataObject) -> None:
    whole = pickle.dumps(value, data.draw(st.sampled_from(PROTOCOLS)))
    at = data.draw(st.integers(0, len(whole)))
    n_cut = data.draw(st.integers(0, 3))
    for damaged in (raw, whole[:at], whole[:at] + raw[:2] + whole[at + n_cut :]):
        path.write_bytes(damaged)
        try:
            read_plain_pickle(path)
        except InputError as error:
            assert "\n" not in str(error)  # noqa: PT017 - it may be whole, too


def test_doubling_takes_no_time_or_memory(path: Path) -> None:
    doubled: Any = ("a",)
    for _ in range(200):
        doubled = (doubled, doubled)
    found = read(path, pickle.dumps({"case": [doubled]}))
    for _ in range(200):
        assert found is not doubled
    first, second = found["case"][0]
    assert first is second


def test_doubled_tuples_as_keys_are_not_hashed(path: Path) -> None:
    # ((a, a), (a, a)) ... a hundred times over: the hash would never be done.
    raw = b"}(S'a'\n" + b"q\x00h\x00\x86" * 100 + b"S'b'\nu."
    assert refusal(path, raw) == (
        "a dictionary has a key that is no text, at byte 512; keys have to be text"
    )


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("key", [1, None, ("a", "b")])
def test_keys_are_text(path: Path, key: object, protocol: int) -> None:
    assert re.fullmatch(
        r"a dictionary has a key that is no text, at byte \d+; keys have to be text",
        refusal(path, pickle.dumps({"a": [], key: []}, protocol)),
    )


def test_doubled_tuples_as_names_of_a_class_are_not_printed(path: Path) -> None:
    raw = b"(S'a'\n" + b"q\x00h\x00\x86" * 100 + b"S'b'\n\x93."
    assert refusal(path, raw) == "this is no pickle, or a damaged one, at byte 511"


def test_depth_is_no_danger(path: Path) -> None:
    n = 200_000
    found = read(path, b"]" * n + b"a" * (n - 1) + b".")
    for _ in range(n - 1):
        (found,) = found
    assert found == []
    found = read(path, b")" + b"\x85" * n + b".")
    assert type(found) is tuple


def test_an_index_of_the_memo_reserves_nothing(path: Path) -> None:
    raw = b"](S'a'\nr\xff\xff\xff\xffj\xff\xff\xff\xffe."
    assert read(path, raw) == ["a", "a"]


def test_limits(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_pickle, "_MOST_INSTRUCTIONS", 1000)
    monkeypatch.setattr(plain_pickle, "_MOST_BYTES", 1 << 20)
    path.write_bytes(b"]" * 1001 + b".")
    with pytest.raises(InputError) as caught:
        read_plain_pickle(path)
    assert str(caught.value) == (f"{path}: has more than 1,000 instructions; no such file is read")
    # Far larger than any memory, and nothing on the disk.
    with path.with_suffix(".sparse").open("wb") as sparse:
        sparse.truncate(1 << 40)
    with pytest.raises(InputError) as caught:
        read_plain_pickle(path.with_suffix(".sparse"))
    assert str(caught.value).endswith("has more than 1 MiB; no such pickle is read")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_plain_pickle(tmp_path / "no.pickle")
    assert str(caught.value) == f"{tmp_path / 'no.pickle'}: No such file or directory"
