"""Protocol 1: three commands that have to agree, and where their tokens are in the sentence."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.builders import make_suite
from tests.models.container.conftest import ImageOf
from tests.models.container.local_engine import LocalEngine
from tests.models.container.toy_image import GET_SURPRISALS, SPEC, TOKENIZE, UNKIFY, toy

from pommel.errors import ContainerError, ModelError, UnsupportedFeatureError
from pommel.models.container.model import open_model
from pommel.models.family import NamedModel
from pommel.models.model import LoadOptions, Model, Policy, score_all
from pommel.scoring import Choices, run_suites
from pommel.store import Store, run_and_keep
from pommel.surprisal import Token

TOY = NamedModel(reference="local://toy")


def opened(reference: str) -> Model:
    return open_model(reference, LoadOptions())


def printing(text: str) -> str:
    return f"sys.stdout.buffer.write({text.encode()!r})\n"


def surprisals(*rows: str) -> str:
    return printing("\n".join(["sentence_id\ttoken_id\ttoken\tsurprisal", *rows, ""]))


def spec(**changes: Any) -> dict[str, Any]:
    return {**SPEC, **changes}


def test_tokens_get_their_places(image: ImageOf, engine: LocalEngine) -> None:
    model = opened(image())
    (first, second) = score_all(model, ["The  cat .", "Unbelievable é"], Policy())
    assert first.tokens == (
        Token(text="The", start=0, end=3, surprisal_bits=None),
        Token(text="cat", start=5, end=8, surprisal_bits=3.0),
        Token(text=".", start=9, end=10, surprisal_bits=1.0),
        Token(text="<eos>", start=10, end=10, surprisal_bits=5.0, role="eos"),
    )
    assert second.tokens[0] == Token(text="<unk>", start=0, end=12, surprisal_bits=None, oov=True)
    assert engine.commands == ["spec", "tokenize", "unkify", "get_surprisals"]


def test_nothing_costs_nothing(image: ImageOf, engine: LocalEngine) -> None:
    assert score_all(opened(image()), [], Policy()) == []
    assert engine.commands == ["spec"]


@pytest.mark.parametrize(
    "changes",
    [
        {"vocabulary": {"unk_types": []}},
        {"vocabulary": None},
        {"image": {"supported_features": {"unkify": False}}},
    ],
)
def test_unkify_is_asked_where_it_says_something(
    image: ImageOf, engine: LocalEngine, changes: dict[str, Any]
) -> None:
    reference = image(
        spec=spec(**changes),
        unkify="sys.exit(99)\n",
        tokenize=printing("a b\n"),
        get_surprisals=surprisals("1\t1\ta\t1", "1\t2\tb\t1"),
    )
    assert len(score_all(opened(reference), ["a b"], Policy())) == 1
    assert "unkify" not in engine.commands


class TestFirstToken:
    def test_an_exact_zero_is_no_surprisal(self, image: ImageOf) -> None:
        model = opened(image())
        for policy, bits in (
            (Policy(), None),
            (Policy.SYNTAXGYM, 0.0),
            (Policy(bos="never"), None),
        ):
            (scored,) = score_all(model, ["a b"], policy)
            assert [token.surprisal_bits for token in scored.tokens] == [bits, 1.0, 5.0]

    def test_any_other_number_is_one(self, image: ImageOf) -> None:
        rows = surprisals("1\t1\ta\t0.000001", "1\t2\tb\t0", "1\t3\t<eos>\t0")
        (scored,) = score_all(opened(image(get_surprisals=rows)), ["a b"], Policy())
        assert [token.surprisal_bits for token in scored.tokens] == [0.000001, 0.0, 0.0]

    def test_a_mark_in_front_is_the_first_token(self, image: ImageOf) -> None:
        vocabulary = {"unk_types": [], "prefix_types": ["<s>"], "suffix_types": []}
        reference = image(
            spec=spec(vocabulary=vocabulary),
            tokenize=printing("<s> a\n"),
            get_surprisals=surprisals("1\t1\t<s>\t0.0", "1\t2\ta\t0.0"),
        )
        (scored,) = score_all(opened(reference), ["a"], Policy())
        found = [(token.role, token.surprisal_bits) for token in scored.tokens]
        assert found == [("bos", None), ("text", 0.0)]

    def test_words_that_are_left_out_come_before_it(self, image: ImageOf) -> None:
        reference = image(
            spec=spec(tokenizer={"drop_token_pattern": "^[-.?!,]+$"}, vocabulary=None),
            tokenize=printing("a b\n"),
            get_surprisals=surprisals("1\t1\ta\t0.0", "1\t2\tb\t2"),
        )
        (scored,) = score_all(opened(reference), [", A -- b ."], Policy())
        found = [(token.text, token.surprisal_bits) for token in scored.tokens]
        assert found == [(",", None), ("a", None), ("--", None), ("b", 2.0), (".", None)]


def test_policies_that_cannot_be_had(image: ImageOf) -> None:
    model = opened(image())
    (scored,) = score_all(model, ["a b"], Policy(eos="never"))
    assert [token.text for token in scored.tokens] == ["a", "b"]
    with pytest.raises(ModelError) as caught:
        score_all(model, ["a b"], Policy(bos="always"))
    assert str(caught.value) == (
        "local://toy: no bos token was scored with the sentence 'a b', and it cannot be added "
        "now; use the policy bos=auto"
    )


def test_an_image_that_lower_cases_and_says_that_it_does_not(image: ImageOf) -> None:
    lower = "COMMON = words\nwords = lambda sentence: COMMON(sentence.lower())\n"
    reference = image(
        tokenize=lower + TOKENIZE, unkify=lower + UNKIFY, get_surprisals=lower + GET_SURPRISALS
    )
    (scored,) = score_all(opened(reference), ["The CAT"], Policy())
    assert [(token.text, token.start) for token in scored.tokens][:2] == [("the", 0), ("cat", 4)]


@pytest.mark.parametrize(
    ("tokens", "rows"),
    [
        # One command prints the word, the other what stands for it.
        ("a <unk> <eos>", ("1\t1\ta\t1", "1\t2\tzyx\t9", "1\t3\t<eos>\t1")),
        ("a zyx <eos>", ("1\t1\ta\t1", "1\t2\t<unk>\t9", "1\t3\t<eos>\t1")),
        ("a zyx <eos>", ("1\t1\ta\t1", "1\t2\tzyx\t9", "1\t3\t<eos>\t1")),
    ],
)
def test_unknown_words_may_be_printed_or_not(
    image: ImageOf, tokens: str, rows: tuple[str, ...]
) -> None:
    reference = image(
        tokenize=printing(f"{tokens}\n"),
        unkify=printing("0 1 0\n"),
        get_surprisals=surprisals(*rows),
    )
    (scored,) = score_all(opened(reference), ["a zyx"], Policy())
    found = [(token.start, token.end, token.oov) for token in scored.tokens]
    assert found == [(0, 1, False), (2, 5, True), (5, 5, False)]


BOTH = "tokenize and get_surprisals do not agree in sentence 1 ('a b'): "
WRONG: list[tuple[dict[str, str], str]] = [
    (
        {"get_surprisals": surprisals("1\t1\ta\t0", "1\t2\tc\t1", "1\t3\t<eos>\t1")},
        (
            f"{BOTH}token 2 is 'b' and 'c'\n"
            "    tokenize:       a b <eos>\n"
            "    get_surprisals: a c <eos>"
        ),
    ),
    (
        {"get_surprisals": surprisals("1\t1\ta\t0", "1\t2\tb\t1")},
        (
            f"{BOTH}token 3 is '<eos>' and nothing\n"
            "    tokenize:       a b <eos>\n"
            "    get_surprisals: a b"
        ),
    ),
    (
        {"tokenize": printing("a\n")},
        f"{BOTH}token 2 is nothing and 'b'\n    tokenize:       a\n    get_surprisals: a b <eos>",
    ),
    (
        {"unkify": printing("0 0\n")},
        "unkify: sentence 1 ('a b'): it printed 2 flags for the 3 tokens of tokenize",
    ),
    (
        {
            "tokenize": printing("a x <eos>\n"),
            "get_surprisals": surprisals("1\t1\ta\t0", "1\t2\tx\t1", "1\t3\t<eos>\t1"),
        },
        (
            "get_surprisals: sentence 1 ('a b'): the tokens are not this sentence's: "
            "token 2, 'x', does not fit the sentence from character 2 on\n"
            "    tokens:   a | x <eos>\n"
            "    sentence: a |b\n"
            "it has to spell what stands there, or be one of the spec's unk_types (<unk>)"
        ),
    ),
]


@pytest.mark.parametrize(("scripts", "message"), WRONG)
def test_commands_that_do_not_agree(image: ImageOf, scripts: dict[str, str], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        score_all(opened(image(**scripts)), ["a b"], Policy())
    assert str(caught.value) == f"local://toy: {message}"
    assert caught.value.blamed == {"a b": f"local://toy: {message}"}
    assert caught.value.exit_status == 1


def test_a_command_that_fails(image: ImageOf) -> None:
    model = opened(image(unkify="sys.exit(99)\n"))
    with pytest.raises(UnsupportedFeatureError, match=r"^local://toy: unkify /dev/stdin: "):
        score_all(model, ["a b"], Policy())


# A command that was killed has said of itself nothing else: what it printed until then holds.
@pytest.mark.parametrize(
    ("end", "n_complete"),
    [("sys.exit(1)\n", 0), ("sys.exit(137)\n", 0), ("    sys.exit(137)\n", 1)],
)
def test_who_prints_all_and_fails_is_not_believed(
    image: ImageOf, tmp_path: Path, end: str, n_complete: int
) -> None:
    reference = image(get_surprisals=GET_SURPRISALS + end)
    suites = [
        make_suite([{"a": (f"A {noun}",), "b": (f"A {noun}",)}], ["1 < 2"], name=noun)
        for noun in ("dog", "cat")
    ]
    with Store.open(tmp_path / "store.sqlite") as store:
        for _ in range(2 - n_complete):
            with pytest.raises(ContainerError, match="exit status"):
                list(run_and_keep(TOY, opened(reference), suites, store=store))
            assert len(store.runs.records()) == n_complete


ENDS = "lines = list(sentences())\nif 'A dog' in lines: sys.exit('no dogs')\n"
MISSPELT = ".replace('A dog', 'A cat')"


@pytest.mark.parametrize(
    ("scripts", "why", "n_starts"),
    [
        # All, the sentence that is suspected, one more, the others.
        (
            {"tokenize": ENDS + TOKENIZE.replace("sentences()", "lines")},
            "tokenize /dev/stdin: it ended with exit status 1; the last it",
            4,
        ),
        (
            {"get_surprisals": ENDS + GET_SURPRISALS.replace("sentences()", "lines")},
            "get_surprisals /dev/stdin: it ended with exit status 1; the last it",
            4,
        ),
        (
            {"tokenize": TOKENIZE.replace("words(sentence)", f"words(sentence{MISSPELT})")},
            "tokenize and get_surprisals do not agree in sentence 1 ('A dog')",
            1,
        ),
    ],
)
def test_a_sentence_that_fails_costs_its_items(
    image: ImageOf, engine: LocalEngine, scripts: dict[str, str], why: str, n_starts: int
) -> None:
    suite = make_suite(
        [{"a": (f"A {noun}",), "b": (f"One {noun}",)} for noun in ("dog", "cow", "cat")],
        ["(1;%a%) < (1;%b%)"],
        name="animals",
    )
    (run,) = run_suites(opened(image(**scripts)), [suite])
    assert run.surprisals.failed.keys() == {"A dog"}
    assert run.surprisals.failed["A dog"].startswith(f"local://toy: {why}")
    assert run.result.predictions[0].skipped.tolist() == [True, False, False]
    assert engine.commands.count("tokenize") == n_starts
    with pytest.raises(ModelError):
        list(run_suites(opened("local://toy"), [suite], Choices(strict_model=True)))


def test_what_is_asked_no_more_is_stopped(image: ImageOf, engine: LocalEngine) -> None:
    model = opened(image())
    scoring = model.score(["a b"] * 50_000, Policy())
    assert next(scoring)[0] == 0
    assert engine.n_running == 1
    del scoring
    assert engine.n_running == 0


@given(
    sentences=st.lists(
        st.lists(
            st.text('aé\u2028"N\\🦒<', min_size=1, max_size=12).filter(str.strip),
            min_size=1,
            max_size=4,
        )
        .map(" ".join)
        .filter(lambda text: len(text.split()) == text.count(" ") + 1),
        min_size=1,
        max_size=5,
    )
)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_sentence_is_covered(sentences: list[str], engine: LocalEngine) -> None:
    if not (engine.folder / "law").exists():
        engine.add_image("law", toy())
    for text, scored in zip(
        sentences, score_all(opened("local://law"), sentences, Policy()), strict=True
    ):
        scored.check()
        assert scored.text == text
        assert [token.text for token in scored.tokens[:-1]] == [
            "<unk>" if len(word) > 8 else word for word in text.split()
        ]
