"""`containers/template/protocol.py` over models that an author might write."""

import ast
import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.images.image_roots import CONTAINERS, environment, output, put_together, run

MODEL = """
class Words:
    name = fingerprint = "words"
    vocabulary = ["<unk>", "NA", "null", '"', "007", "cat", "É", "</s>"]
    unk_types = ["<unk>"]
    bos, eos = None, "</s>"
    tokenizer = {"type": "word", "cased": True}

    def score(self, sentences, bos, eos):
        for index, sentence in enumerate(sentences):
            yield index, list(self.tokens_of(sentence))

    def tokens_of(self, sentence):
        end = 0
        for place, word in enumerate(sentence.split()):
            start = sentence.index(word, end)
            end = start + len(word)
            yield [word, start, end, self.bits(word, place), word not in self.vocabulary, "text"]

    def bits(self, word, place):
        return float(len(word))

def load(folder):
    return Words()
"""

MakeImage = Callable[..., Path]


@pytest.fixture
def image(tmp_path: Path) -> MakeImage:
    """Return a function that makes an image whose model is `Words`, in parts replaced."""

    def make(*changes: tuple[str, str], model: str = MODEL) -> Path:
        root = put_together("template", tmp_path / "image")
        for old, new in changes:
            assert old in model
            model = model.replace(old, new)
        (root / "model.py").write_text(model, "utf-8")
        return root

    return make


def failure(root: Path, *command: str | Path, text: str | bytes = b"", **variables: str) -> str:
    done = run(root, *command, text=text, **variables)
    assert done.returncode == 1, done
    return done.stderr.decode()


def conversation(root: Path, *requests: dict[str, Any]) -> list[dict[str, Any]]:
    text = "".join(json.dumps(request) + "\n" for request in requests)
    return [json.loads(line) for line in output(root, "score", text=text).splitlines()]


def rows(root: Path, text: str | bytes) -> list[str]:
    return output(root, "get_surprisals", "/dev/stdin", text=text).split("\n")[1:-1]


class TestCommands:
    def test_a_wrong_call_is_told_what_there_is(self, image: MakeImage) -> None:
        done = run(image(), "tokenize")
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.decode() == (
            "use one of these commands:\n  spec\n  tokenize FILE\n  unkify FILE\n"
            "  get_surprisals FILE\n  get_predictions.hdf5 FILE OUT\n  score\n"
        )

    def test_a_file_that_is_not_there(self, image: MakeImage) -> None:
        message = "tokenize: cannot read /nowhere: No such file or directory\n"
        assert failure(image(), "tokenize", "/nowhere") == message

    def test_text_that_is_not_utf8(self, image: MakeImage) -> None:
        message = "unkify: line 2 of - is not UTF-8\n"
        assert failure(image(), "unkify", "-", text=b"cat\n\xe9\n") == message

    def test_only_answers_are_printed(self, image: MakeImage) -> None:
        noise = (
            'def load(folder):\n    import os\n    print("hello")\n    os.write(1, b"raw\\n")\n'
            '    os.system("echo child")\n'
        )
        done = run(image(("def load(folder):\n", noise)), "tokenize", "-", text="cat\n")
        assert done.stdout == b"cat\n"
        assert sorted(done.stderr.split()) == [b"child", b"hello", b"raw"]

    def test_the_locale_makes_no_difference(self, image: MakeImage) -> None:
        root = image()
        for command, expected in (("tokenize", "É “cat”\n"), ("unkify", "0 1\n")):
            printed = output(root, command, "-", text="É “cat”\n", LC_ALL="C", PYTHONUTF8="0")
            assert printed == expected.replace("“cat”", "<unk>")

    def test_a_reader_that_goes_away(self, image: MakeImage) -> None:
        root = image()
        sentences = root / "sentences"
        sentences.write_text("cat\n" * 50_000)
        done = subprocess.run(
            ["sh", "-c", "get_surprisals sentences | head -n 1"],
            capture_output=True,
            check=True,
            cwd=root,
            env=environment(root),
        )
        assert (done.stdout, done.stderr) == (b"sentence_id\ttoken_id\ttoken\tsurprisal\n", b"")


class TestModel:
    FOLDER = ("return Words()", "model = Words(); model.name = repr(folder); return model")

    def name(self, root: Path, **variables: str) -> str:
        return str(json.loads(output(root, "spec", **variables))["name"])

    def test_the_mounted_weights_come_before_those_built_in(
        self, image: MakeImage, tmp_path: Path
    ) -> None:
        root = image(self.FOLDER)
        assert self.name(root) == "None"
        (root / "data").mkdir()
        assert self.name(root) == "None"
        (root / "data" / "weights").touch()
        assert self.name(root) == repr(str(root / "data"))
        assert self.name(root, LMZOO_CHECKPOINT_PATH=str(tmp_path)) == repr(str(tmp_path))

    def test_weights_that_are_not_there(self, image: MakeImage) -> None:
        message = "spec: LMZOO_CHECKPOINT_PATH is /nowhere, and there is nothing\n"
        assert failure(image(), "spec", LMZOO_CHECKPOINT_PATH="/nowhere") == message

    @pytest.mark.parametrize("error", ["ValueError", "OSError"])
    def test_a_model_that_cannot_be_had_says_why(self, image: MakeImage, error: str) -> None:
        root = image(("return Words()", f'raise {error}("no weights")'))
        assert failure(root, "tokenize", "-") == "tokenize: no weights\n"

    def test_a_mistake_in_the_model_shows_where_it_is(self, image: MakeImage) -> None:
        message = failure(image(("return Words()", "return nothing")), "spec")
        assert message.startswith("Traceback")
        assert message.endswith("NameError: name 'nothing' is not defined\n")


class TestTables:
    def test_tokens_are_printed_as_they_are(self, image: MakeImage) -> None:
        text = 'NA null\n" 007 dog\n'
        root = image()
        assert output(root, "tokenize", "-", text=text) == 'NA null\n" 007 <unk>\n'
        assert output(root, "unkify", "-", text=text) == "0 0\n0 0 1\n"
        assert rows(root, text) == [
            "1\t1\tNA\t2.000000",
            "1\t2\tnull\t4.000000",
            '2\t1\t"\t1.000000',
            "2\t2\t007\t3.000000",
            "2\t3\t<unk>\t3.000000",
        ]

    def test_only_a_line_feed_ends_a_sentence(self, image: MakeImage) -> None:
        text = "cat\r\n\ncat\u2028cat \x85\x0c\x1ccat\ncat"
        assert output(image(), "tokenize", "-", text=text) == "cat\n\ncat cat cat\ncat\n"

    def test_the_name_of_a_known_word_may_be_another(self, image: MakeImage) -> None:
        root = image(
            ("    def bits", "    def printed(self, text): return text.lower()\n    def bits")
        )
        assert output(root, "tokenize", "-", text="NA dog\n") == "na <unk>\n"

    @pytest.mark.parametrize(
        ("bits", "first", "second"),
        [
            ("0.25", "0.250000", "0.250000"),
            ("None if place == 0 else 1", "0.000000", "1.000000"),
            # An exact 0 would say that the first token has no probability.
            ("0.0", "0.000001", "0.000000"),
            ("-1e-7", "0.000001", "0.000000"),
            ("float('inf')", "inf", "inf"),
        ],
    )
    def test_surprisals(self, image: MakeImage, bits: str, first: str, second: str) -> None:
        root = image(("return float(len(word))", f"return {bits}"))
        assert rows(root, "cat cat\n") == [f"1\t1\tcat\t{first}", f"1\t2\tcat\t{second}"]

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (
                ("return float(len(word))", "return None"),
                "sentence 2: 'dog' has no surprisal",
            ),
            (
                ("return float(len(word))", "return float('nan') if word == 'dog' else 1.0"),
                "sentence 2, 'cat dog': the token 'dog' has a surprisal of nan bits",
            ),
            (
                ("return float(len(word))", "return -1 if word == 'dog' else 1.0"),
                "sentence 2, 'cat dog': the token 'dog' has a surprisal of -1.0 bits",
            ),
            (
                ("end = start + len(word)", "end = 8 if word == 'dog' else 3"),
                "sentence 2, 'cat dog': the token 'dog' is at 4 to 8, outside the sentence",
            ),
            (
                ('"text"]', '"text" if word == "cat" else "mark"]'),
                "sentence 2, 'cat dog': the token 'dog' is 'mark', which is none of "  # noqa: ISC004
                "text, bos, eos, special",
            ),
            (
                ("yield [word,", "yield [word.replace('dog', 'd g'),"),
                "sentence 2: the token 'd g' does not fit into a table",
            ),
            (
                ("            yield index,", "            if index == 0: yield index,"),
                "the model has left out the sentence 'cat dog'",
            ),
            (
                ("end = 0", "end = 0\n        if 'dog' in sentence: raise ValueError('no dogs')"),
                "sentence 2, 'cat dog': no dogs",
            ),
        ],
    )
    def test_what_cannot_be_printed(
        self, image: MakeImage, change: tuple[str, str], message: str
    ) -> None:
        known = ('"cat", "É"', '"cat", "dog", "É"')
        text = "cat\ncat dog\ncat\n"
        expected = f"get_surprisals: {message}\n"
        assert failure(image(known, change), "get_surprisals", "-", text=text) == expected

    def test_tokens_may_come_without_bits(self, image: MakeImage) -> None:
        quick = (
            "    def tokens(self, sentences, bos, eos):\n"
            "        yield 0, [['cat', 0, 3, None, False, 'text']]\n"
        )
        slow = "return float(len(word))", "raise RuntimeError('asked for bits')"
        root = image(slow, ("    def bits", quick + "    def bits"))
        assert output(root, "tokenize", "-", text="cat\n") == "cat\n"
        assert output(root, "unkify", "-", text="cat\n") == "0\n"


class TestConversation:
    def test_the_first_line_says_who_answers(self, image: MakeImage) -> None:
        (header,) = conversation(image())
        assert header == {
            "format": "pommel-score",
            "version": 2,
            "model": {
                "name": "words",
                "fingerprint": "words",
                "bos": None,
                "eos": "</s>",
                "max_tokens": None,
                "n_parameters": None,
                "dtype": None,
                "device": None,
            },
        }

    def test_answers(self, image: MakeImage) -> None:
        _, first, second = conversation(
            image(), {"id": 7, "sentence": "cat dog"}, {"id": "x", "sentence": ""}
        )
        assert first == {
            "id": 7,
            "tokens": [["cat", 0, 3, 3.0, False, "text"], ["dog", 4, 7, 3.0, True, "text"]],
        }
        assert second == {"id": "x", "tokens": []}

    def test_any_text_can_be_a_token(self, image: MakeImage) -> None:
        text = 'É\u2028" \ud800🙂'
        _, answer = conversation(image(), {"id": 0, "sentence": text})
        assert [text[start:end] for _, start, end, *_ in answer["tokens"]] == ["É", '"', "\ud800🙂"]

    def test_a_sentence_that_fails_is_named_and_the_others_are_answered(
        self, image: MakeImage
    ) -> None:
        root = image(("end = 0", "end = 0\n        if 'dog' in sentence: raise ValueError('woof')"))
        texts = ["cat", "dog", "cat cat", "a dog", "cat"]
        requests = [{"id": index, "sentence": text} for index, text in enumerate(texts)]
        found = {answer["id"]: answer for answer in conversation(root, *requests)[1:]}
        assert {number: answer.get("error") for number, answer in found.items()} == {
            0: None,
            1: "woof",
            2: None,
            3: "woof",
            4: None,
        }

    def test_each_policy_is_asked_for(self, image: MakeImage) -> None:
        shown = '[[bos + " " + eos, 0, 0, 1, False, "text"]]'
        root = image(("list(self.tokens_of(sentence))", shown))
        policies = [
            ("never", "auto"),
            ("auto", "always"),
            ("tokenizer", "never"),
            ("never", "auto"),
        ]
        requests = [
            {"id": index, "sentence": "", "bos": bos, "eos": eos}
            for index, (bos, eos) in enumerate(policies)
        ]
        found = {answer["id"]: answer for answer in conversation(root, *requests)[1:]}
        asked = [found[index]["tokens"][0][0] for index in range(len(policies))]
        assert asked == [f"{bos} {eos}" for bos, eos in policies]

    @pytest.mark.parametrize(
        ("policy", "message"),
        [
            ({"bos": "always"}, "bos=always: this model has no such mark"),
            ({"eos": "maybe"}, "eos has to be one of auto, always, never, not 'maybe'"),
            ({"eos": "tokenizer"}, "eos has to be one of auto, always, never, not 'tokenizer'"),
        ],
    )
    def test_policies_that_cannot_be(
        self, image: MakeImage, policy: dict[str, str], message: str
    ) -> None:
        _, answer = conversation(image(), {"id": 0, "sentence": "cat", **policy})
        assert answer == {"id": 0, "error": message}

    @pytest.mark.parametrize(
        "request_line", ["cat", "7", '{"sentence": "cat"}', '{"id": 0}', '{"id":0,"sentence":1}']
    )
    def test_what_is_no_request(self, image: MakeImage, request_line: str) -> None:
        text = f'{{"id": 0, "sentence": "cat"}}\n\n{request_line}\n'
        message = 'score: line 3 is no request: {"id": 0, "sentence": "..."}\n'
        assert failure(image(), "score", text=text) == message

    def test_surprisals_that_json_has_no_number_for(self, image: MakeImage) -> None:
        change = "return float('inf') if place else float('nan') if word == 'NA' else None"
        root = image(("return float(len(word))", change))
        texts = ("cat cat", "NA")
        requests = ({"id": index, "sentence": text} for index, text in enumerate(texts))
        _, first, second = conversation(root, *requests)
        assert [token[3] for token in first["tokens"]] == [None, "Infinity"]
        assert second == {"id": 1, "error": "the token 'NA' has a surprisal of nan bits"}


class Server:
    """A `score` that runs."""

    def __init__(self, root: Path) -> None:
        self.process = subprocess.Popen(
            [root / "bin" / "score"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(root),
        )

    def say(self, text: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def hear(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def end(self) -> int:
        self.process.communicate(timeout=60)
        return self.process.returncode


@pytest.fixture
def server(image: MakeImage) -> Iterator[Server]:
    """A `score` that is killed at the end."""
    server = Server(image())
    yield server
    server.process.kill()
    server.process.communicate()


# Each of these would wait for ever if an answer were kept back.
class TestWaiting:
    def test_it_speaks_first_and_answers_at_an_empty_line(self, server: Server) -> None:
        assert server.hear()["format"] == "pommel-score"
        for number in range(3):
            server.say(f'{{"id": {number}, "sentence": "cat"}}\n\n')
            assert server.hear()["id"] == number
        server.say("\n\r\n\n")
        assert server.end() == 0

    def test_a_long_block_is_answered_in_parts(self, server: Server) -> None:
        server.hear()
        for number in range(4096):
            server.say(f'{{"id": {number}, "sentence": "cat"}}\n')
        assert {server.hear()["id"] for _ in range(4096)} == set(range(4096))
        assert server.end() == 0


class TestPredictions:
    def test_a_model_without_them(self, image: MakeImage, tmp_path: Path) -> None:
        done = run(image(), "get_predictions.hdf5", "-", tmp_path / "out")
        assert (done.returncode, done.stdout) == (99, b"")
        assert done.stderr == b"get_predictions.hdf5: not for this model\n"

    def test_an_image_without_h5py(self, tmp_path: Path) -> None:
        root = put_together("template", tmp_path / "image")
        python = tmp_path / "bin" / "python3"
        python.parent.mkdir()
        # Without the packages of this environment.
        python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
        python.chmod(0o755)
        path = f"{root / 'bin'}:{python.parent}:/usr/bin:/bin"
        done = run(root, "get_predictions.hdf5", "-", tmp_path / "out", PATH=path)
        assert (done.returncode, done.stderr) == (99, b"get_predictions.hdf5: h5py is missing\n")
        features = json.loads(output(root, "spec", PATH=path))["image"]["supported_features"]
        assert [name for name, there in features.items() if not there] == ["get_predictions"]

    def test_a_sentence_that_fails(self, image: MakeImage, tmp_path: Path) -> None:
        change = (
            "    def bits",
            "    def predictions(self, text): raise ValueError('no')\n    def bits",
        )
        message = failure(
            image(change), "get_predictions.hdf5", "-", tmp_path / "out", text="cat\n"
        )
        assert message == "get_predictions.hdf5: sentence 1, 'cat': no\n"


@pytest.fixture(scope="module")
def protocol() -> Iterator[ModuleType]:
    """The module itself."""
    names = ("protocol", "description")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(CONTAINERS / "template"))
        patch.setattr(sys, "dont_write_bytecode", True)
        yield __import__("protocol")
    for name in names:
        del sys.modules[name]


class TestAnswers:
    @given(
        bad=st.lists(st.booleans(), max_size=40),
        batch_size=st.integers(1, 7),
        ordered=st.booleans(),
    )
    def test_every_sentence_is_answered_once(
        self, protocol: ModuleType, *, bad: list[bool], batch_size: int, ordered: bool
    ) -> None:
        sentences = [f"{index} {is_bad}" for index, is_bad in enumerate(bad)]

        def ask(sentences: Sequence[str], _bos: str, _eos: str) -> Iterator[tuple[int, Any]]:
            order = sorted(range(len(sentences)), reverse=not ordered)
            for first in range(0, len(order), batch_size):
                batch = order[first : first + batch_size]
                if any("True" in sentences[index] for index in batch):
                    raise ValueError("bad")
                for index in batch:
                    yield index, [[sentences[index], 0, 0, 1.0, False, "text"]]

        found = list(protocol.answers(ask, sentences))
        assert sorted(index for index, _ in found) == list(range(len(sentences)))
        for index, tokens in found:
            assert isinstance(tokens, ValueError) == bad[index]
            assert bad[index] or tokens[0][0] == sentences[index]

    def test_a_rounded_zero_is_zero(self, protocol: ModuleType) -> None:
        assert protocol.check(["a", 0, 1, -1e-7, 0, "text"], "a") == ["a", 0, 1, 0.0, False, "text"]
        assert math.isinf(protocol.check(["a", 0, 1, math.inf, 0, "text"], "a")[3])


@pytest.mark.parametrize("file", sorted((CONTAINERS / "template").glob("*.py")), ids=str)
def test_what_authors_copy_runs_on_python_38(file: Path) -> None:
    ast.parse(file.read_text("utf-8"), feature_version=(3, 8))
