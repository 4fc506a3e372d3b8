"""The commands of the four images that ship, run as programs, without containers."""

import json
import math
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from jsonschema import Draft202012Validator
from tests.images.image_roots import KINDS, environment, output, put_together, run
from tests.images.lm_zoo_schema import SPECIFICATION
from tests.models.conftest import FolderOf
from tests.models.lstm.folders import reference_bits, save_random_lstm

from pommel.files.shipped import json_schema, shipped_folder
from pommel.models.alignment import TokenizerSpec
from pommel.models.huggingface.model import open_folder
from pommel.models.lstm.model import open_folder as open_lstm
from pommel.models.model import LoadOptions, Model, Policy, score_all
from pommel.models.ngram.model import open_arpa
from pommel.models.printed import parse_surprisal_table
from pommel.surprisal import ScoredSentence, Token

# Each is one that some program has tripped over.
SENTENCES = (
    "The cat sleeps .",
    "The keys to the cabinet are here .",
    'She said "no" , and left .',
    "“The” café’s naïve owner… sleeps!",  # noqa: RUF001
    'NA null 007 " N/A',
    "aorsnarnt xyzzy",
    "日本語 🙂🏽 e\u0301 .",
    "  two  spaces ",
    "don't (stop), Mr. O'Neil's dog;",
    "I",
    "A\u00a0cat\u2028sleeps",
)
WORDS = ("The", "the", "cat", "cats", "dog", "sleeps", "are", "here", ".", ",", '"', "(", ")", ";")
TEXT = "".join(f"{sentence}\n" for sentence in SENTENCES)

Roots = Callable[[str], "Image"]


@dataclass(frozen=True, kw_only=True)
class Image:
    """An image's files and its model; what its commands print is kept."""

    root: Path
    model: Path | None

    def run(self, *command: str | Path, text: str = "") -> subprocess.CompletedProcess[bytes]:
        """Run a command."""
        return run(self.root, *command, text=text, **self.variables)

    def output(self, *command: str | Path, text: str = "") -> str:
        """Return what a command prints."""
        return output(self.root, *command, text=text, **self.variables)

    @property
    def variables(self) -> dict[str, str]:
        return {"LMZOO_CHECKPOINT_PATH": str(self.model)} if self.model else {}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for images and models."""
    return tmp_path_factory.mktemp("images")


@pytest.fixture(scope="module")
def lstm_folder(folder: Path) -> Path:
    """An LSTM with random weights."""
    return save_random_lstm(folder / "lstm-model", WORDS)


@pytest.fixture(scope="module")
def image(folder: Path, lstm_folder: Path) -> Roots:
    """Return a function from a kind of image to one with a model."""
    models = {
        "template": None,
        "ngram": shipped_folder("builtin") / "en-ngram",
        "lstm": lstm_folder,
        "huggingface": shipped_folder("builtin") / "en-gpt2",
    }
    return cache(lambda kind: Image(root=put_together(kind, folder / kind), model=models[kind]))


@pytest.fixture(scope="module")
def printed(image: Roots) -> Callable[[str, str], str]:
    """Return a function from a kind and a command to what that prints for the sentences."""

    def run_once(kind: str, command: str) -> str:
        if command == "spec":
            return image(kind).output("spec")
        if command == "score":
            return image(kind).output("score", text=requests(SENTENCES))
        return image(kind).output(command, "/dev/stdin", text=TEXT)

    return cache(run_once)


Printed = Callable[[str, str], str]


def requests(sentences: Sequence[str], **policy: str) -> str:
    return "".join(
        json.dumps({"id": index, "sentence": sentence, **policy}) + "\n"
        for index, sentence in enumerate(sentences)
    )


def answers(text: str) -> dict[int, list[Token]]:
    """Return the tokens of each answer of `score`."""
    lines = map(json.loads, text.splitlines()[1:])
    return {
        line["id"]: [
            Token(text=text, start=start, end=end, surprisal_bits=bits, oov=oov, role=role)
            for text, start, end, bits, oov, role in line["tokens"]
        ]
        for line in lines
    }


def seen(sentence: str, token: Token) -> list[int]:
    """Return the visible characters that a token stands for.

    One side may count the space before a word to it and the other not.
    """
    return [at for at in range(token.start, token.end) if not sentence[at].isspace()]


def is_ambiguous(tokens: Sequence[Token]) -> bool:
    """Whether two unknown words touch: `<unk> <unk>` does not say where the first one ends."""
    return any(
        first.oov and second.oov and first.end == second.start for first, second in pairwise(tokens)
    )


def token_lines(text: str) -> list[list[str]]:
    return [line.split(" ") if line else [] for line in text.split("\n")[:-1]]


every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
class TestEveryImage:
    def test_spec(self, kind: str, printed: Printed) -> None:
        spec = json.loads(printed(kind, "spec"))
        Draft202012Validator(json_schema("model_spec")).validate(spec)
        Draft202012Validator(SPECIFICATION).validate(spec)
        assert (spec["name"], spec["protocol"]) == (kind, 2)
        assert all(spec["image"]["supported_features"].values())

    @pytest.mark.full
    def test_the_commands_agree(self, kind: str, printed: Printed) -> None:
        tokens = token_lines(printed(kind, "tokenize"))
        masks = token_lines(printed(kind, "unkify"))
        table = parse_surprisal_table(printed(kind, "get_surprisals"), where=kind)
        spec = json.loads(printed(kind, "spec"))["vocabulary"]
        assert [[token.text for token in row] for row in table] == tokens
        assert len(tokens) == len(SENTENCES)
        assert {token for line in tokens for token in line} <= set(spec["items"])
        unknown = [[str(int(each in spec["unk_types"])) for each in line] for line in tokens]
        assert masks == unknown

    @pytest.mark.full
    def test_both_protocols_agree(self, kind: str, printed: Printed) -> None:
        spec = TokenizerSpec.from_dict(json.loads(printed(kind, "spec")))
        table = parse_surprisal_table(printed(kind, "get_surprisals"), where=kind)
        masks = [[flag == "1" for flag in line] for line in token_lines(printed(kind, "unkify"))]
        found = answers(printed(kind, "score"))
        assert sorted(found) == list(range(len(SENTENCES)))
        for index, (printed_rows, mask) in enumerate(zip(table, masks, strict=True)):
            pairs = zip(printed_rows, mask, strict=True)
            rows = [replace(token, oov=oov) for token, oov in pairs]
            sentence = SENTENCES[index]
            ScoredSentence(text=sentence, tokens=tuple(found[index])).check()
            if is_ambiguous(found[index]):
                assert len(rows) == len(found[index])
                continue
            recovered = spec.scored(sentence, rows).tokens
            for token, exact in zip(recovered, found[index], strict=True):
                assert seen(sentence, token) == seen(sentence, exact), sentence
                assert (token.oov, token.role) == (exact.oov, exact.role), sentence
                assert token.surprisal_bits == pytest.approx(exact.surprisal_bits, abs=2e-6)

    @pytest.mark.full
    def test_predictions(self, kind: str, image: Roots, printed: Printed, tmp_path: Path) -> None:
        path = tmp_path / "predictions"
        assert image(kind).output("get_predictions.hdf5", "-", path, text=TEXT) == ""
        table = parse_surprisal_table(printed(kind, "get_surprisals"), where=kind)
        items = json.loads(printed(kind, "spec"))["vocabulary"]["items"]
        with h5py.File(path) as file:
            # As LM Zoo's documentation has it.
            assert np.char.decode(file["vocabulary"][()], "utf-8").tolist() == items
            assert len(file["sentence"]) == len(SENTENCES)
            for index, rows in enumerate(table):
                ids = file[f"sentence/{index}/tokens"][:]
                nats = file[f"sentence/{index}/predictions"][:].astype(np.float64)
                assert [items[place] for place in ids] == [token.text for token in rows]
                assert nats.shape == (len(rows), len(items))
                assert np.isfinite(nats).all()
                assert (nats <= 1e-6).all()
                assert np.exp(nats).sum(axis=1) == pytest.approx(1, abs=1e-4)
                bits = -nats[np.arange(len(ids)), ids] / math.log(2)
                assert bits == pytest.approx([token.surprisal_bits for token in rows], abs=1e-3)


@pytest.mark.parametrize("kind", ["ngram", "lstm", "huggingface"])
def test_an_image_without_a_model_says_what_to_do(kind: str, image: Roots) -> None:
    done = run(image(kind).root, "spec")
    assert done.returncode == 1
    message = done.stderr.decode()
    assert message.startswith("spec: the image was built without a model: mount ")
    assert message.endswith("LMZOO_CHECKPOINT_PATH\n")


@pytest.mark.parametrize("kind", ["template", "ngram"])
class TestNumbersOfSentences:
    N = 10_000

    def test_none_at_all(self, kind: str, image: Roots) -> None:
        header = "sentence_id\ttoken_id\ttoken\tsurprisal\n"
        assert image(kind).output("get_surprisals", "-") == header
        assert image(kind).output("tokenize", "-") == ""
        assert len(image(kind).output("score").splitlines()) == 1

    def test_tables(self, kind: str, image: Roots) -> None:
        text = "The cat sleeps .\nDogs bark .\n" * (self.N // 2)
        printed = image(kind).output("get_surprisals", "-", text=text)
        table = parse_surprisal_table(printed, where=kind)
        assert len(table) == self.N
        for odd, even in ((0, 1), (self.N - 2, self.N - 1)):
            assert [token.surprisal_bits for token in table[odd]] == [
                token.surprisal_bits for token in table[0]
            ]
            assert len(table[even]) == len(table[1])

    def test_a_conversation(self, kind: str, image: Roots) -> None:
        sentences = ["The cat sleeps .", "Dogs bark ."] * (self.N // 2)
        found = answers(image(kind).output("score", text=requests(sentences)))
        assert sorted(found) == list(range(self.N))
        assert found[self.N - 1] == found[1]


class TestTemplate:
    def test_empty_lines_are_sentences(self, image: Roots) -> None:
        assert image("template").output("tokenize", "-", text="\nA cat\n\n") == (
            "</s>\nA cat </s>\n</s>\n"
        )

    def test_surprisals_are_those_of_counting(self, image: Roots) -> None:
        template = image("template")
        corpus = (template.root / "corpus.txt").read_text().splitlines()
        n_sentences = len(corpus)
        n_the = sum(line.startswith("The ") for line in corpus)
        n_words = len(json.loads(template.output("spec"))["vocabulary"]["items"])
        (tokens,) = answers(template.output("score", text=requests(["The"]))).values()
        first = -math.log2((n_the + 1) / (n_sentences + n_words))
        assert tokens[0].surprisal_bits == pytest.approx(first)

    def test_policies(self, image: Roots) -> None:
        for bos, eos, n_tokens in (("never", "auto", 3), ("auto", "never", 2)):
            text = requests(["A cat"], bos=bos, eos=eos)
            (tokens,) = answers(image("template").output("score", text=text)).values()
            assert len(tokens) == n_tokens
            assert (tokens[0].surprisal_bits is None) == (bos == "never")


def assert_same(found: Mapping[int, Sequence[Token]], model: Model, policy: Policy) -> None:
    """Check that the answers are what the model says in this process."""
    for index, scored in enumerate(score_all(model, SENTENCES, policy)):
        assert len(found[index]) == len(scored.tokens)
        for token, exact in zip(found[index], scored.tokens, strict=True):
            assert (token.text, token.start, token.end) == (exact.text, exact.start, exact.end)
            assert (token.oov, token.role) == (exact.oov, exact.role)
            assert token.surprisal_bits == pytest.approx(exact.surprisal_bits, abs=1e-6)


class TestNgram:
    POLICIES: tuple[dict[str, str], ...] = (
        {},
        {"bos": "never"},
        {"eos": "never", "bos": "tokenizer"},
        {"eos": "always"},
    )

    @pytest.mark.parametrize("policy", POLICIES)
    def test_it_is_what_pommel_says(self, image: Roots, policy: dict[str, Any]) -> None:
        path = shipped_folder("builtin") / "en-ngram" / "model.arpa.gz"
        model = open_arpa(path, reference="ngram", name="ngram")
        printed = image("ngram").output("score", text=requests(SENTENCES, **policy))
        assert_same(answers(printed), model, Policy(**policy))
        header = json.loads(printed.splitlines()[0])["model"]
        assert (header["fingerprint"], header["bos"]) == (model.info.fingerprint, "<s>")

    def test_a_file_may_be_mounted_itself(self, image: Roots) -> None:
        path = shipped_folder("builtin") / "en-ngram" / "model.arpa.gz"
        variables = {"LMZOO_CHECKPOINT_PATH": str(path)}
        printed = output(image("ngram").root, "tokenize", "-", text="Cats\n", **variables)
        assert printed == "cats </s>\n"

    @pytest.mark.parametrize("names", [(), ("a.arpa", "b.arpa.gz")])
    def test_a_folder_without_one_file(
        self, image: Roots, names: tuple[str, ...], tmp_path: Path
    ) -> None:
        for name in ("README.md", *names):
            (tmp_path / name).touch()
        done = run(image("ngram").root, "spec", LMZOO_CHECKPOINT_PATH=str(tmp_path))
        there = ", ".join(names) or "none"
        assert done.returncode == 1
        assert done.stderr.decode() == (
            f"spec: {tmp_path} has to hold one file *.arpa or *.arpa.gz; there is: {there}\n"
        )

    def test_what_was_rounded_makes_no_probability_above_1(
        self, image: Roots, tmp_path: Path
    ) -> None:
        unigrams = "-9\t<s>\t0.000001\n-0.0000005\ta\t0.000001\n-9\t</s>\n-9\t<unk>\n"
        arpa = f"\\data\\\nngram 1=4\nngram 2=1\n\n\\1-grams:\n{unigrams}\n"
        (tmp_path / "x.arpa").write_text(f"{arpa}\\2-grams:\n-9\ta </s>\n\n\\end\\\n")
        variables = {"LMZOO_CHECKPOINT_PATH": str(tmp_path)}
        out = tmp_path / "predictions"
        output(image("ngram").root, "get_predictions.hdf5", "-", out, text="a a\n", **variables)
        with h5py.File(out) as file:
            assert file["sentence/0/predictions"][()].max() == 0

    def test_what_is_wrong_in_a_file_is_said_in_a_line(self, image: Roots, tmp_path: Path) -> None:
        (tmp_path / "x.arpa").write_text("nothing")
        done = run(image("ngram").root, "spec", LMZOO_CHECKPOINT_PATH=str(tmp_path))
        assert done.returncode == 1
        assert done.stderr.decode().startswith(f"spec: {tmp_path}/x.arpa")


class TestHuggingFace:
    @pytest.fixture(scope="class")
    @staticmethod
    def model() -> Model:
        return open_folder(
            shipped_folder("builtin") / "en-gpt2",
            reference="huggingface",
            name="huggingface",
            options=LoadOptions(),
        )

    def test_it_is_what_pommel_says(self, printed: Printed, model: Model) -> None:
        found = printed("huggingface", "score")
        assert_same(answers(found), model, Policy())
        header = json.loads(found.splitlines()[0])["model"]
        assert header["fingerprint"] == model.info.fingerprint
        assert header["max_tokens"] == model.info.max_tokens
        assert header["n_parameters"] == model.info.n_parameters

    def test_policies_and_sentences_that_are_too_long(self, image: Roots, model: Model) -> None:
        limit = model.info.max_tokens
        assert limit is not None
        lines = [
            requests(SENTENCES, bos="never", eos="always"),
            json.dumps({"id": 98, "sentence": "dog " * 2 * limit}) + "\n",
            json.dumps({"id": 99, "sentence": "The dog"}) + "\n",
        ]
        printed = image("huggingface").output("score", text="".join(lines))
        answered = {line["id"]: line for line in map(json.loads, printed.splitlines()[1:])}
        assert f"more than the {limit} that the model can take" in answered.pop(98)["error"]
        kept = "\n".join(map(json.dumps, [{}, *answered.values()]))
        found = answers(kept)
        assert [token.text for token in found.pop(99)] == ["The", "Ġdo", "g"]
        assert_same(found, model, Policy(bos="never", eos="always"))

    @pytest.mark.full
    def test_what_pommel_asks_for_is_followed(self, image: Roots) -> None:
        asked = {"POMMEL_DTYPE": "bfloat16", "POMMEL_DEVICE": "cpu", "POMMEL_BATCH_TOKENS": "9"}
        printed = output(
            image("huggingface").root, "score", **image("huggingface").variables, **asked
        )
        header = json.loads(printed)["model"]
        assert (header["dtype"], header["device"]) == ("bfloat16", "cpu")

    @pytest.mark.parametrize(
        ("variable", "value", "message"),
        [
            (
                "BATCH_TOKENS",
                "many",
                "POMMEL_BATCH_TOKENS has to be a number of tokens, not 'many'",
            ),
            ("MAX_MEMORY", "0", "scoring takes 1 byte of memory or more, not 0"),
        ],
    )
    def test_limits_that_cannot_be(
        self, image: Roots, variable: str, value: str, message: str
    ) -> None:
        variables = {**image("huggingface").variables, f"POMMEL_{variable}": value}
        done = run(image("huggingface").root, "spec", **variables)
        assert (done.returncode, done.stderr.decode()) == (1, f"spec: {message}\n")


# One start for all of them: what takes its time is torch.
_DRIVER = """
import json, sys
sys.path.insert(0, sys.argv[1])
import description, model, protocol
for folder in sys.argv[3:]:
    loaded = model.load(folder)
    rows = protocol.lines(loaded, loaded.score, sys.argv[2])
    spec = description.specification(loaded)
    print(json.dumps([spec, [[name for name, _ in tokens] for _, tokens in rows]]))
"""


@pytest.mark.full
def test_tokenizers_of_every_kind_can_be_read_by_their_spec(
    image: Roots, tiny_folder: FolderOf, tmp_path: Path
) -> None:
    kinds = ("gpt2", "llama", "llama-eos", "llama-words", "llama-cls", "opt", "bert", "t5")
    root = image("huggingface").root
    (tmp_path / "sentences").write_text(TEXT, "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _DRIVER, root, tmp_path / "sentences", *map(tiny_folder, kinds)],
        capture_output=True,
        check=True,
        env=environment(root),
    )
    for kind, line in zip(kinds, done.stdout.splitlines(), strict=True):
        spec, printed = json.loads(line)
        Draft202012Validator(SPECIFICATION).validate(spec)
        items = set(spec["vocabulary"]["items"])
        model = open_folder(tiny_folder(kind), reference=kind, name=kind, options=LoadOptions())
        for tokens, exact in zip(printed, score_all(model, SENTENCES, Policy()), strict=True):
            assert set(tokens) <= items
            places = TokenizerSpec.from_dict(spec).places(tokens, exact.text)
            for place, token in zip(places, exact.tokens, strict=True):
                where = f"{kind}: {exact.text}"
                assert seen(exact.text, place) == seen(exact.text, token), where
                assert (place.oov, place.role) == (token.oov, token.role), where


class TestLstm:
    SENTENCE = "The cat (that sleeps), xyzzy ."

    @pytest.mark.parametrize("policy", TestNgram.POLICIES)
    def test_it_is_what_pommel_says(
        self, image: Roots, lstm_folder: Path, policy: dict[str, Any]
    ) -> None:
        model = open_lstm(lstm_folder, reference="lstm", name="lstm", options=LoadOptions())
        printed = image("lstm").output("score", text=requests(SENTENCES, **policy))
        assert_same(answers(printed), model, Policy(**policy))
        header = json.loads(printed.splitlines()[0])["model"]
        assert header == {
            "name": "lstm",
            "fingerprint": model.info.fingerprint,
            "bos": "<eos>",
            "eos": "<eos>",
            "max_tokens": None,
            "n_parameters": model.info.n_parameters,
            "dtype": "float32",
            "device": "cpu",
        }

    @pytest.mark.parametrize("tied", [False, True])
    def test_bits_are_those_of_the_equations(
        self, image: Roots, *, tied: bool, lstm_folder: Path, tmp_path: Path
    ) -> None:
        model = lstm_folder
        if tied:
            model = save_random_lstm(tmp_path / "tied", WORDS, tied=True)
        vocabulary = (model / "vocabulary.txt").read_text("utf-8").split("\n")
        text = requests((*SENTENCES, "", self.SENTENCE))
        lstm = Image(root=image("lstm").root, model=model)
        for tokens in answers(lstm.output("score", text=text)).values():
            names = ["<unk>" if token.oov else token.text for token in tokens]
            bits = reference_bits(model, [vocabulary.index(name) for name in ("<eos>", *names)])
            assert [token.surprisal_bits for token in tokens] == pytest.approx(bits, abs=1e-4)

    def test_lower_case(self, image: Roots, tmp_path: Path) -> None:
        words = [word.lower() for word in WORDS[1:]]
        model = save_random_lstm(tmp_path / "model", words, cased=False)
        lstm = Image(root=image("lstm").root, model=model)
        assert lstm.output("tokenize", "-", text="The CAT <eos>\n") == (
            "the cat <unk> <unk> <unk> <eos>\n"
        )
        spec = json.loads(lstm.output("spec"))
        assert spec["tokenizer"] == {"type": "word", "cased": False}

    @pytest.mark.parametrize(
        ("file", "content", "message"),
        [
            (
                "config.json",
                "{}",
                (
                    "MODEL/config.json: this is no configuration of an LSTM: 'embedding_size' is a "
                    "required property"
                ),
            ),
            ("model.safetensors", None, "lstm: MODEL has no weights (model.safetensors)"),
        ],
    )
    def test_what_is_wrong_in_a_folder_is_said_in_a_line(
        self, image: Roots, tmp_path: Path, file: str, content: str | None, message: str
    ) -> None:
        model = save_random_lstm(tmp_path / "model", WORDS)
        (model / file).unlink()
        if content is not None:
            (model / file).write_text(content)
        done = Image(root=image("lstm").root, model=model).run("spec")
        said = done.stderr.decode().replace(str(model), "MODEL")
        assert (done.returncode, said) == (1, f"spec: {message}\n")

    def test_a_device_that_is_not_there(self, image: Roots) -> None:
        variables = {**image("lstm").variables, "POMMEL_DEVICE": "cuda:9"}
        done = run(image("lstm").root, "spec", **variables)
        message = "spec: the device 'cuda:9' is not available here; there is: "
        assert (done.returncode, done.stderr.decode()[: len(message)]) == (1, message)
