"""`recorded://`: tables of `get_surprisals` and JSON Lines, read strictly."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator

from pommel.errors import (
    AlignmentError,
    InputError,
    ModelError,
    ModelNotAvailableError,
    PommelError,
    SurprisalError,
    UnsupportedFeatureError,
    UsageError,
)
from pommel.files.shipped import json_schema
from pommel.files.text import write_text
from pommel.models.model import LoadOptions, Model, ModelInfo, Policy, score_all
from pommel.models.printed import parse_surprisal_table
from pommel.models.recorded import Recording, open_model
from pommel.surprisal import ScoredSentence, Token
from pommel.testing import check_model

HEADER = "sentence_id\ttoken_id\ttoken\tsurprisal\n"
NO_SPEC = "this is no spec of a language model: "
SPEC = {
    "name": "toy",
    "vocabulary": {"unk_types": ["<unk>"], "prefix_types": [""], "suffix_types": ["<eos>"]},
    "tokenizer": {"type": "word", "cased": True},
}
SENTENCE = ScoredSentence(
    text="The cat .",
    tokens=(
        Token(text="The", start=0, end=3, surprisal_bits=None),
        Token(text="cat", start=4, end=7, surprisal_bits=math.inf, oov=True),
        Token(text=".", start=8, end=9, surprisal_bits=0.5),
        Token(text="</s>", start=9, end=9, surprisal_bits=1.25, role="eos"),
    ),
)
INFO = ModelInfo(reference="x://y", name="y", kind="x", fingerprint="0" * 64, bos="<s>")


def load(path: Path, **settings: Path) -> Model:
    query = "&".join(f"{key}={value}" for key, value in settings.items())
    return open_model(f"recorded://{path}{'?' * bool(query)}{query}", LoadOptions())


def table(folder: Path, rows: str, sentences: str = "", spec: Mapping[str, Any] = SPEC) -> Model:
    (folder / "s.txt").write_text(HEADER + rows, "utf-8", newline="")
    (folder / "spec.json").write_text(json.dumps(spec), "utf-8")
    settings = {"spec": folder / "spec.json"}
    if sentences:
        (folder / "in.txt").write_text(sentences, "utf-8", newline="")
        settings["sentences"] = folder / "in.txt"
    return load(folder / "s.txt", **settings)


def bits(model: Model, *sentences: str, policy: Policy | None = None) -> list[list[float | None]]:
    scored = score_all(model, sentences, policy or Policy())
    return [[token.surprisal_bits for token in sentence.tokens] for sentence in scored]


ROWS = "1\t1\tThe\t0.0\n1\t2\t<unk>\t7.5\n1\t3\t<eos>\t2\n2\t1\tA\t1e-1\n"


class TestTable:
    def test_it_keeps_the_contract(self, tmp_path: Path) -> None:
        check_model(table(tmp_path, ROWS), ["The cat", "A"])
        check_model(table(tmp_path, ROWS, "The cat\r\nA\r\n"), ["A", "The cat"])

    def test_tokens_get_their_places(self, tmp_path: Path) -> None:
        model = table(tmp_path, ROWS)
        (first, _) = score_all(model, ["The cat", "A"], Policy())
        assert first.tokens == (
            Token(text="The", start=0, end=3, surprisal_bits=0.0),
            Token(text="<unk>", start=4, end=7, surprisal_bits=7.5, oov=True),
            Token(text="<eos>", start=7, end=7, surprisal_bits=2.0, role="eos"),
        )
        assert (model.info.name, model.info.kind, model.info.eos) == ("toy", "recorded", "<eos>")

    def test_sentences_are_found_by_their_text(self, tmp_path: Path) -> None:
        model = table(tmp_path, ROWS, "The cat\r\nA\r\n")
        assert bits(model, "A", "The  cat ", "A") == [[0.1], [0.0, 7.5, 2.0], [0.1]]

    def test_a_sentence_that_is_not_there(self, tmp_path: Path) -> None:
        model = table(tmp_path, ROWS, "The cat\nA")
        with pytest.raises(SurprisalError) as raised:
            bits(model, "The dog")
        assert str(raised.value) == f"{tmp_path}/s.txt: no surprisals for the sentence 'The dog'"

    def test_without_sentences_the_order_decides(self, tmp_path: Path) -> None:
        model = table(tmp_path, ROWS)
        with pytest.raises(SurprisalError, match="it has 2 sentences, and 1 are asked for"):
            bits(model, "The cat")
        with pytest.raises(AlignmentError) as raised:
            bits(model, "A", "The cat")
        assert str(raised.value).startswith(f"{tmp_path}/s.txt:2: the tokens are not this sentence")

    def test_the_first_surprisal_is_data(self, tmp_path: Path) -> None:
        model = table(tmp_path, ROWS)
        assert bits(model, "The cat", "A", policy=Policy.SYNTAXGYM)[0][0] == 0.0
        assert bits(model, "The cat", "A", policy=Policy(bos="never"))[0][0] == 0.0

    def test_policies_leave_out_and_never_add(self, tmp_path: Path) -> None:
        model = table(tmp_path, ROWS)
        assert bits(model, "The cat", "A", policy=Policy(eos="never")) == [[0.0, 7.5], [0.1]]
        with pytest.raises(ModelError, match="no eos token was scored with the sentence 'A'"):
            bits(model, "The cat", "A", policy=Policy(eos="always"))
        with pytest.raises(ModelError, match="use the policy bos=auto"):
            bits(model, "The cat", "A", policy=Policy(bos="always"))

    def test_a_left_out_word_has_no_surprisal(self, tmp_path: Path) -> None:
        spec = {**SPEC, "tokenizer": {"drop_token_pattern": "^[,.]+$"}}
        model = table(tmp_path, "1\t1\tA\t1\n1\t2\tman\t2\n1\t3\t<eos>\t3\n", spec=spec)
        (scored,) = score_all(model, [", A man, ."], Policy())
        found = [(token.text, token.start, token.surprisal_bits) for token in scored.tokens]
        dropped = [(",", 7, None), (".", 9, None)]
        assert found == [(",", 0, None), ("A", 2, 1), ("man", 4, 2), *dropped, ("<eos>", 10, 3)]

    def test_a_pattern_that_could_take_for_ever(self, tmp_path: Path) -> None:
        spec = {**SPEC, "tokenizer": {"drop_token_pattern": "(a+)+$"}}
        with pytest.raises(
            InputError, match=r"spec\.json: the drop_token_pattern '\(a\+\)\+\$': a"
        ):
            table(tmp_path, ROWS, spec=spec)

    def test_a_sentence_twice_has_the_same_surprisals(self, tmp_path: Path) -> None:
        assert bits(table(tmp_path, "1\t1\ta\t1\n2\t1\ta\t1\n", "a\na\n"), "a") == [[1.0]]
        with pytest.raises(SurprisalError, match=r"in\.txt:2: line 1 is the same sentence"):
            table(tmp_path, "1\t1\ta\t1\n2\t1\ta\t2\n", "a\na\n")

    def test_the_fingerprint_is_the_content_s(self, tmp_path: Path) -> None:
        first = table(tmp_path, ROWS).info.fingerprint
        assert table(tmp_path, ROWS).info.fingerprint == first
        assert table(tmp_path, ROWS.replace("7.5", "7.6")).info.fingerprint != first
        assert table(tmp_path, ROWS, spec={**SPEC, "name": "b"}).info.fingerprint != first

    def test_published_numbers(self, shared_data: Path) -> None:
        folder = shared_data / "sg_eval"
        sentences = (folder / "fgd_hierarchy.txt").read_text("utf-8").splitlines()
        path = folder / "surprisals_fgd_hierarchy.txt"
        spec = folder / "spec.template.json"
        scored = score_all(load(path, spec=spec), sentences, Policy())
        assert len(scored) == 144
        assert sum(len(sentence.tokens) for sentence in scored) == 2880
        assert scored[0].tokens[1] == Token(
            text="fact", start=4, end=8, surprisal_bits=7.122616767883301
        )
        named = load(path, spec=spec, sentences=folder / "fgd_hierarchy.txt")
        assert score_all(named, sentences[::-1], Policy()) == scored[::-1]


class TestLiteralTokens:
    @pytest.mark.parametrize(
        "token", ["NA", "null", "nan", "N/A", "None", '"', "007", "True", " ", "", "a b", "\u2028"]
    )
    def test_a_token_is_what_stands_there(self, token: str) -> None:
        rows = f'1\t1\t"\t1\n1\t2\t{token}\t2\n1\t3\t"\t3\n'
        (tokens,) = parse_surprisal_table(HEADER + rows, where="s")
        assert [each.text for each in tokens] == ['"', token, '"']

    @pytest.mark.parametrize(
        "row", ["1 1 cat 2.5", "  1   1 cat\t2.5  ", "1\t1\tcat\t2.5\r", "1\t1\tcat\t 2.5"]
    )
    def test_columns_by_any_white_space(self, row: str) -> None:
        ((token,),) = parse_surprisal_table(
            f"sentence_id token_id token surprisal\n{row}", where="s"
        )
        assert (token.text, token.surprisal_bits, token.line) == ("cat", 2.5, 2)

    def test_minus_zero_is_zero(self) -> None:
        ((token,),) = parse_surprisal_table(f"{HEADER}1\t1\ta\t-0.000000", where="s")
        assert math.copysign(1, token.surprisal_bits) == 1.0


WRONG_ROWS: list[tuple[str, type[PommelError], str]] = [
    (
        "1\t1\tcat",
        InputError,
        "s:2: '1\\t1\\tcat' has 3 columns; a row is sentence_id token_id token surprisal",
    ),
    ("x\t1\tcat\t1", InputError, "s:2: the sentence_id 'x' is not a whole number"),
    ("1\t1.0\tcat\t1", InputError, "s:2: the token_id '1.0' is not a whole number"),
    ("1\t1\tcat\tcat", SurprisalError, "s:2: the surprisal 'cat' of 'cat' is not a number; "),
    ("1\t1\tcat\tnan", SurprisalError, "s:2: the surprisal 'nan' of 'cat' is not a number; "),
    ("1\t1\tcat\t-inf", SurprisalError, "s:2: the surprisal '-inf' of 'cat' is not a number; "),
    ("1\t1\tcat\t1e999", SurprisalError, "s:2: the surprisal '1e999' of 'cat' is not finite"),
    ("1\t1\tcat\t1_0", SurprisalError, "s:2: the surprisal '1_0' of 'cat' is not a number; "),
    (
        "1\t1\tcat\t1,5",
        SurprisalError,
        "s:2: the surprisal '1,5' of 'cat' is not a number; write it in bits, with a decimal point",
    ),
    (
        "1\t1\tcat\t-3.2",
        SurprisalError,
        "s:2: the surprisal -3.2 of 'cat' is negative; a surprisal is -log2 p, not a log-prob",
    ),
    (
        "2\t1\tcat\t1",
        InputError,
        "s:2: sentence_id 2 comes after 0; sentences are numbered 1, 2, 3 and so on, in this order",
    ),
    (
        "1\t2\tcat\t1",
        InputError,
        "s:2: token_id 2 comes after 0 in sentence 1; tokens are numbered 1, 2, 3 and so on",
    ),
    ("1\t1\ta\t1\n3\t1\tb\t1", InputError, "s:3: sentence_id 3 comes after 1; "),
    ("0\t1\ta\t1", InputError, "s:2: sentence_id 0 comes after 0; "),
    ("1\t1\ta\t1\n\t\n", InputError, "s:3: '\\t' has 0 columns; "),
]


@pytest.mark.parametrize(("rows", "error", "message"), WRONG_ROWS)
def test_rows_that_are_none(rows: str, error: type[PommelError], message: str) -> None:
    with pytest.raises(error) as raised:
        parse_surprisal_table(HEADER + rows, where="s")
    assert str(raised.value).startswith(message)
    assert raised.type is error


def test_the_header_is_needed() -> None:
    with pytest.raises(InputError) as raised:
        parse_surprisal_table("1\t1\ta\t1\n", where="s")
    message = "s:1: the first line has to be sentence_id token_id token surprisal"
    assert str(raised.value) == message


class TestFiles:
    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(ModelNotAvailableError) as raised:
            load(tmp_path / "x.txt")
        message = f"recorded://{tmp_path}/x.txt: {tmp_path}/x.txt: No such file or directory"
        assert (str(raised.value), raised.value.exit_status) == (message, 4)
        with pytest.raises(UsageError, match="it names no file"):
            open_model("recorded://", LoadOptions())

    def test_no_setting(self, tmp_path: Path) -> None:
        reference = f"recorded://{tmp_path}/x.txt?sentence=y"
        with pytest.raises(UsageError) as raised:
            open_model(reference, LoadOptions())
        message = "'sentence=y' is no setting; write sentences=... or spec=..., each once"
        assert str(raised.value) == f"{reference}: {message}"

    def test_another_number_of_sentences(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"in\.txt: it has 1 lines, and .* has 2 sentences"):
            table(tmp_path, ROWS, "The cat\n")

    def test_not_utf_8(self, tmp_path: Path) -> None:
        (tmp_path / "s.txt").write_bytes(HEADER.encode() + b"1\t1\tcaf\xe9\t1\n")
        with pytest.raises(InputError) as raised:
            load(tmp_path / "s.txt")
        message = f"{tmp_path}/s.txt:2:8: the byte 0xe9 is not UTF-8; "
        message += "save the file with the encoding UTF-8"
        assert str(raised.value) == message

    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ({}, f"{NO_SPEC}'tokenizer' is a required property"),
            (
                {"tokenizer": {"cased": "yes"}},
                f"{NO_SPEC}'yes' is not of type 'boolean' (at tokenizer.cased)",
            ),
        ],
    )
    def test_a_spec_that_is_none(self, tmp_path: Path, spec: dict[str, Any], message: str) -> None:
        with pytest.raises(InputError) as raised:
            table(tmp_path, ROWS, spec=spec)
        assert str(raised.value) == f"{tmp_path}/spec.json: {message}"

    def test_a_spec_that_is_no_json(self, tmp_path: Path) -> None:
        (tmp_path / "s.txt").write_text(HEADER + ROWS, "utf-8")
        (tmp_path / "spec.json").write_text('{\n"name": }', "utf-8")
        with pytest.raises(InputError, match=r"spec\.json:2: this is not JSON: Expecting value"):
            load(tmp_path / "s.txt", spec=tmp_path / "spec.json")


class TestLines:
    def test_what_is_written_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        _write_recorded(path, INFO, Policy(eos="always"), [SENTENCE])
        model = load(path)
        assert score_all(model, ["The cat ."] * 2, Policy()) == [SENTENCE] * 2
        assert (model.info.name, model.info.bos, model.info.kind) == ("y", "<s>", "recorded")
        assert model.info.details["policy"]["eos"] == "always"
        assert model.info.details["model"] == INFO.to_dict()
        assert list(tmp_path.iterdir()) == [path]

    def test_what_is_written_is_valid(self, tmp_path: Path) -> None:
        _write_recorded(tmp_path / "s.jsonl", INFO, Policy(), [SENTENCE])
        schema = json_schema("surprisals")
        Draft202012Validator.check_schema(schema)
        for line in (tmp_path / "s.jsonl").read_text("utf-8").splitlines():
            Draft202012Validator(schema).validate(json.loads(line))

    def test_a_failure_leaves_what_was_there(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        path.write_text("before", "utf-8")
        broken = ScoredSentence(
            text="a", tokens=(Token(text="a", start=0, end=1, surprisal_bits=math.nan),)
        )
        with pytest.raises(ValueError, match="not JSON compliant"):
            _write_recorded(path, INFO, Policy(), [SENTENCE, broken])
        assert [each.read_text("utf-8") for each in tmp_path.iterdir()] == ["before"]

    def test_it_keeps_the_contract(self, tmp_path: Path) -> None:
        _write_recorded(tmp_path / "s.jsonl", INFO, Policy(), [SENTENCE])
        check_model(load(tmp_path / "s.jsonl"), ["The cat ."])

    def test_policies(self, tmp_path: Path) -> None:
        _write_recorded(tmp_path / "s.jsonl", INFO, Policy(), [SENTENCE])
        model = load(tmp_path / "s.jsonl")
        assert bits(model, "The cat .", policy=Policy(eos="never")) == [[None, math.inf, 0.5]]
        first = bits(model, "The cat .", policy=Policy.SYNTAXGYM)[0][0]
        assert first == 0.0

    @pytest.mark.parametrize("bos", ["auto", "always"])
    def test_recorded_with_a_bos(self, tmp_path: Path, bos: Literal["auto", "always"]) -> None:
        _write_recorded(tmp_path / "s.jsonl", INFO, Policy(bos=bos), [SENTENCE])
        scored = score_all(load(tmp_path / "s.jsonl"), ["The cat ."], Policy(bos="always"))
        assert scored == [SENTENCE]

    def test_recorded_without_a_bos(self, tmp_path: Path) -> None:
        _write_recorded(tmp_path / "s.jsonl", INFO, Policy(bos="never"), [SENTENCE])
        with pytest.raises(ModelError, match="no bos token"):
            bits(load(tmp_path / "s.jsonl"), "The cat .", policy=Policy(bos="always"))

    def test_a_sentence_that_is_not_there(self, tmp_path: Path) -> None:
        _write_recorded(tmp_path / "s.jsonl", INFO, Policy(), [SENTENCE])
        with pytest.raises(SurprisalError, match="no surprisals for the sentence 'The cat'"):
            bits(load(tmp_path / "s.jsonl"), "The cat")

    def test_settings_are_the_tables_(self, tmp_path: Path) -> None:
        _write_recorded(tmp_path / "s.jsonl", INFO, Policy(), [SENTENCE])
        with pytest.raises(UsageError, match="names its sentences itself"):
            load(tmp_path / "s.jsonl", sentences=tmp_path / "s.jsonl")


class TestMethods:
    """What a file says of how it was made."""

    def test_a_recording_has_the_method_that_it_was_made_with(self, tmp_path: Path) -> None:
        path, again = tmp_path / "s.jsonl", tmp_path / "again.jsonl"
        masked = replace(INFO, methods=("pll", "focus-mask"))
        _write_recorded(path, masked, Policy(), [SENTENCE])
        model = load(path)
        assert score_all(model, ["The cat ."], Policy()) == [SENTENCE]
        assert (model.info.methods, model.info.details["method"]) == ((), "pll")
        # A recording of this recording was made with it, too.
        _write_recorded(again, model.info, Policy(), [SENTENCE])
        assert load(again).info.details["method"] == "pll"
        _write_recorded(again, masked, Policy(method="unmasked-ce"), [SENTENCE])
        assert load(again).info.details["method"] == "unmasked-ce"

    def test_no_other_can_be_asked_for(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        _write_recorded(path, replace(INFO, methods=("pll",)), Policy(method="pll"), [SENTENCE])
        with pytest.raises(UnsupportedFeatureError) as raised:
            bits(load(path), "The cat .", policy=Policy(method="causal"))
        assert str(raised.value) == (
            f"recorded://{path} does not take the method 'causal'; it has its own"
        )

    def test_a_boundary_is_that_of_the_recording(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        corrected = Policy(boundary="corrected")
        _write_recorded(path, INFO, corrected, [SENTENCE])
        assert score_all(load(path), ["The cat ."], corrected) == [SENTENCE]
        assert score_all(load(path), ["The cat ."], Policy()) == [SENTENCE]
        _write_recorded(path, INFO, Policy(), [SENTENCE])
        with pytest.raises(UnsupportedFeatureError, match="score it with boundary=raw"):
            bits(load(path), "The cat .", policy=corrected)

    def test_what_was_recorded_before_there_were_methods(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        _write_recorded(path, INFO, Policy(), [SENTENCE])
        header, *lines = path.read_text("utf-8").splitlines()
        document = json.loads(header)
        del document["model"]["methods"]
        del document["policy"]["method"], document["policy"]["boundary"]
        path.write_text("\n".join([json.dumps(document), *lines]), "utf-8")
        model = load(path)
        assert score_all(model, ["The cat ."], Policy()) == [SENTENCE]
        assert "method" not in model.info.details

    def test_words_that_are_not_comparable_are_still_told(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        hidden = replace(SENTENCE.tokens[0], why_unscored="not comparable")
        sentence = replace(SENTENCE, tokens=(hidden, *SENTENCE.tokens[1:]))
        _write_recorded(path, INFO, Policy(method="focus-mask"), [sentence])
        assert score_all(load(path), ["The cat ."], Policy()) == [sentence]
        # The retired tools' 0 is for a first token without left context.
        assert score_all(load(path), ["The cat ."], Policy.SYNTAXGYM) == [sentence]


GOOD = '{"format": "pommel-surprisals", "version": 1, "model": {"name": "m"}, "policy": {}}'
EMPTY = '{"sentence": " ", "tokens": []}'
WRONG_LINES: list[tuple[str, str, type[PommelError], str]] = [
    ('{"format": "x"}', "", InputError, '1: the first line has to hold "format": "pommel-surp'),
    (
        GOOD.replace("1", "2"),
        "",
        InputError,
        "1: version 2 is not known; this pommel reads 1",
    ),
    (
        GOOD.replace('{"name": "m"}', "[]"),
        "",
        InputError,
        "1: this is no header of recorded surprisals: [] is not of type 'object' (at model)",
    ),
    (
        GOOD.replace('"name"', '"n"'),
        "",
        InputError,
        "1: this is no header of recorded surprisals: 'name' is a required property (at model)",
    ),
    (
        GOOD.replace('"m"', '"m", "details": null'),
        "",
        InputError,
        "1: this is no header of recorded surprisals: None is not of type 'object' (at model.detai",
    ),
    (GOOD, '{"sentence": "a"', InputError, "2: this is not JSON: Expecting ',' delimiter"),
    (GOOD, '{"sentence": "a", "tokens": NaN}', InputError, "2: NaN is not JSON; write null"),
    (GOOD, "[" * 100_000, InputError, "2: this JSON is nested too deep"),
    (GOOD, "[]", InputError, '2: a line has to be {"sentence": "...", "tokens": [...]}'),
    (
        GOOD,
        '{"sentence": "a", "tokens": [["a", 0, 1]]}',
        InputError,
        "2: token 1 is ['a', 0, 1]; it has to be [text, start, end, surprisal in bits or null, ",
    ),
    (
        GOOD,
        '{"sentence": "a", "tokens": [["a", 0, 1, -1, false, "text"]]}',
        SurprisalError,
        "2: token 'a' has a surprisal of -1.0 bits in 'a'",
    ),
    (
        GOOD,
        '{"sentence": "a b", "tokens": [["a", 0, 1, 1, false, "text"]]}',
        AlignmentError,
        "2: no token stands for 'b'",
    ),
    (
        GOOD,
        "\n".join([EMPTY, EMPTY.replace("[]", '[["</s>", 1, 1, 1, false, "eos"]]')]),
        InputError,
        "3: ' ' was there before, with other tokens",
    ),
]


@pytest.mark.parametrize(("header", "line", "error", "message"), WRONG_LINES)
def test_lines_that_are_none(
    tmp_path: Path, header: str, line: str, error: type[PommelError], message: str
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(f"{header}\n{line}\n", "utf-8")
    with pytest.raises(error) as raised:
        load(path)
    assert str(raised.value).startswith(f"{path}:{message}")
    assert raised.type is error


def _write_recorded(
    path: Path, info: ModelInfo, policy: Policy, scored: Iterable[ScoredSentence]
) -> None:
    write_text(path, Recording.text_of(info, policy, scored))


TOKENS = st.builds(
    Token,
    text=st.text(),
    start=st.integers(0, 99),
    end=st.integers(0, 99),
    surprisal_bits=st.none() | st.floats(0, allow_nan=False),
    oov=st.booleans(),
    role=st.sampled_from(["text", "bos", "eos", "special"]),
)


@given(st.lists(TOKENS))
def test_what_is_written_is_read(tokens: list[Token]) -> None:
    text = json.dumps(
        Recording.sentence_to_dict(ScoredSentence(text="", tokens=tuple(tokens)))["tokens"],
        allow_nan=False,
    )
    assert Recording.read_tokens(json.loads(text), "x") == tuple(tokens)


def test_whole_numbers_are_bits() -> None:
    (token,) = Recording.read_tokens([["a", 0, 1, 2, False, "text"]], "x")
    assert type(token.surprisal_bits) is float


SHAPE = (
    "; it has to be [text, start, end, surprisal in bits or null, oov true or false, "
    "role (text, bos, eos, special)]"
)


@pytest.mark.parametrize(
    "token",
    [
        None,
        "abcdef",
        [],
        ["a", 0, 1, None, False],
        ["a", 0, 1, None, False, "text", 0],
        [1, 0, 1, None, False, "text"],
        ["a", "0", 1, None, False, "text"],
        ["a", 0.0, 1, None, False, "text"],
        ["a", True, 1, None, False, "text"],
        ["a", 0, 1, None, 0, "text"],
        ["a", 0, 1, None, False, "word"],
        ["a", 0, 1, None, False, ["text"]],
        ["\ud800", 0, 1, None, False, "text"],
    ],
)
def test_another_shape(token: Any) -> None:
    with pytest.raises(InputError) as caught:
        Recording.read_tokens([["a", 0, 1, None, False, "text"], token], "x:3")
    assert str(caught.value) == f"x:3: token 2 is {token!r}{SHAPE}"


@pytest.mark.parametrize("tokens", [None, {}, "ab", 1])
def test_no_list(tokens: Any) -> None:
    with pytest.raises(InputError, match=r"^x:3: 'tokens' has to be a list$"):
        Recording.read_tokens(tokens, "x:3")


@pytest.mark.parametrize(
    ("bits", "message"),
    [
        ("1", "has the surprisal '1', which is not a number"),
        ("-Infinity", "has the surprisal '-Infinity', which is not a number"),
        (True, "has the surprisal True, which is not a number"),
        ([1], "has the surprisal [1], which is not a number"),
        (json.loads("1e999"), 'has a surprisal that is not finite; write "Infinity"'),
        (10**400, 'has a surprisal that is not finite; write "Infinity"'),
    ],
)
def test_surprisals_that_are_none(bits: Any, message: str) -> None:
    with pytest.raises(SurprisalError) as caught:
        Recording.read_tokens([["a", 0, 1, bits, False, "text"]], "x:3")
    assert str(caught.value) == f"x:3: token 1 {message}"
