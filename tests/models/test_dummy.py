"""`dummy://`: fixed answers from a file, and surprisals that are made up."""

import json
from pathlib import Path
from typing import Any

import pytest

from pommel.errors import (
    InputError,
    ModelNotAvailableError,
    UnsupportedFeatureError,
    UsageError,
)
from pommel.models.dummy import open_model
from pommel.models.model import LoadOptions, Model, Policy, score_all
from pommel.surprisal import Token
from pommel.testing import check_model

SPEC = {
    "name": "toy",
    "vocabulary": {"unk_types": ["<unk>"], "suffix_types": ["<eos>"]},
    "tokenizer": {"type": "word", "cased": True},
}
TABLE = (
    "sentence_id\ttoken_id\ttoken\tsurprisal\n"
    "1\t1\tThe\t0.0\n1\t2\t<unk>\t7.5\n1\t3\t<eos>\t2\n2\t1\tA\t1\n"
)
ANSWERS = {
    "spec": SPEC,
    "tokenize": "The <unk> <eos>\nA\n",
    "unkify": "0 1 0\n1\n",
    "get_surprisals": TABLE,
}


def load(folder: Path, **answers: Any) -> Model:
    path = folder / "dummy.json"
    path.write_text(json.dumps(answers), "utf-8")
    return open_model(f"dummy://{path}", LoadOptions())


class TestFile:
    def test_answers_that_stand_in_it(self, tmp_path: Path) -> None:
        model = load(tmp_path, **ANSWERS)
        first, second = score_all(model, ["The cat", "A"], Policy())
        assert first.tokens == (
            Token(text="The", start=0, end=3, surprisal_bits=0.0),
            Token(text="<unk>", start=4, end=7, surprisal_bits=7.5, oov=True),
            Token(text="<eos>", start=7, end=7, surprisal_bits=2.0, role="eos"),
        )
        # What unkify says counts, even of a token that is no unknown type.
        assert second.tokens == (Token(text="A", start=0, end=1, surprisal_bits=1.0, oov=True),)
        assert (model.info.name, model.info.kind) == ("toy", "dummy")

    def test_it_keeps_the_contract(self, tmp_path: Path) -> None:
        check_model(load(tmp_path, **ANSWERS), ["The cat", "A"])

    def test_answers_in_files_beside_it(self, tmp_path: Path) -> None:
        (tmp_path / "spec.json").write_text(json.dumps(SPEC), "utf-8")
        (tmp_path / "surprisals.tsv").write_text(TABLE, "utf-8")
        model = load(tmp_path, spec="spec.json", get_surprisals="surprisals.tsv")
        (_, second) = score_all(model, ["The cat", "A"], Policy(eos="never"))
        assert second.tokens == (Token(text="A", start=0, end=1, surprisal_bits=1.0),)

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"tokenize": "The cat <eos>\nA"}, "tokenize has 'cat' in sentence 1 where "),
            ({"tokenize": "The"}, "tokenize has 1 sentences and get_surprisals 2"),
            ({"tokenize": "The\nA"}, "tokenize has 1 tokens in sentence 1 and get_surprisals 3"),
            ({"unkify": "0 1\n0"}, "unkify has 2 tokens in sentence 1 and get_surprisals 3"),
            ({"unkify": "0 1 0\nx"}, "unkify has to print 0 or 1 for each token (line 2)"),
        ],
    )
    def test_answers_that_disagree(
        self, tmp_path: Path, changed: dict[str, str], message: str
    ) -> None:
        with pytest.raises(InputError) as raised:
            load(tmp_path, **{**ANSWERS, **changed})
        assert str(raised.value).startswith(f"{tmp_path}/dummy.json: {message}")

    def test_answers_that_are_missing(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="for spec and get_surprisals"):
            load(tmp_path, spec=SPEC)

    def test_answers_that_are_wrong(self, tmp_path: Path) -> None:
        with pytest.raises(InputError) as raised:
            load(tmp_path, spec=SPEC, get_surprisals="surprisals.tsv")
        where = f"{tmp_path}/dummy.json (get_surprisals):1"
        assert str(raised.value).startswith(f"{where}: the first line has to be sentence_id")
        with pytest.raises(InputError, match=r"dummy\.json \(spec\): this is no spec"):
            load(tmp_path, spec={}, get_surprisals=TABLE)

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(ModelNotAvailableError, match="No such file"):
            open_model(f"dummy://{tmp_path}/x.json", LoadOptions())


class TestMadeUp:
    @pytest.mark.parametrize("reference", ["dummy://", "dummy://uniform?bits=2.5"])
    def test_it_keeps_the_contract(self, reference: str) -> None:
        check_model(open_model(reference, LoadOptions()))

    def test_the_same_everywhere(self) -> None:
        model = open_model("dummy://", LoadOptions())
        (scored,) = score_all(model, ["The cat's here."], Policy())
        assert [(token.text, token.start) for token in scored.tokens] == [
            ("The", 0),
            ("cat", 4),
            ("'", 7),
            ("s", 8),
            ("here", 10),
            (".", 14),
        ]
        assert [token.surprisal_bits for token in scored.tokens] == pytest.approx(
            [13.628217, 15.308605, 11.961229, 13.568755, 8.297685, 1.635596]
        )

    def test_policies(self) -> None:
        model = open_model("dummy://uniform?bits=2.5", LoadOptions())

        def bits(policy: Policy) -> list[float | None]:
            (scored,) = score_all(model, ["a b"], policy)
            return [token.surprisal_bits for token in scored.tokens]

        assert bits(Policy()) == [2.5, 2.5]
        assert bits(Policy(bos="always", eos="always")) == [2.5, 2.5, 2.5]
        assert bits(Policy(bos="never")) == [None, 2.5]
        assert bits(Policy.SYNTAXGYM) == [0.0, 2.5]
        assert model.info.name == "uniform-2.5"

    def test_bits_that_differ_are_different_models(self) -> None:
        one, other = (
            open_model(f"dummy://uniform?bits={bits}", LoadOptions()).info
            for bits in ("1.2345678", "1.2345679")
        )
        assert (one.name, other.name) == ("uniform-1.2345678", "uniform-1.2345679")
        assert one.fingerprint != other.fingerprint

    def test_it_has_one_method_and_no_other(self) -> None:
        model = open_model("dummy://", LoadOptions())
        assert model.info.methods == ()
        with pytest.raises(UnsupportedFeatureError) as raised:
            score_all(model, ["a b"], Policy(method="pll"))
        message = "dummy:// does not take the method 'pll'; it has its own"
        assert str(raised.value) == message
        with pytest.raises(UnsupportedFeatureError) as raised:
            score_all(model, ["a b"], Policy(boundary="corrected"))
        assert str(raised.value) == (
            "dummy:// does not take the boundary 'corrected'; score it with boundary=raw"
        )

    @pytest.mark.parametrize(
        "reference", ["dummy://uniform?bits=-1", "dummy://uniform?bit=1", "dummy://x.json?bits=1"]
    )
    def test_references_that_make_no_sense(self, reference: str) -> None:
        with pytest.raises(UsageError):
            open_model(reference, LoadOptions())
