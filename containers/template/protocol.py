"""The commands of a language model's image, over the model in `model.py`.

Needs Python 3.8 and nothing else (h5py, where there is any, for `get_predictions.hdf5`). It holds
nothing about any one model: an author edits `model.py`, which says what a model has to have.

    python3 protocol.py COMMAND [FILE [OUT]]
Exit status: 0 done, 1 failed (standard error says why), 2 called wrongly, 99 not supported.
"""

from __future__ import annotations

import gc
import importlib
import json
import math
import os
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import description  # type: ignore[import-not-found]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TextIO

ROOT = Path(__file__).resolve().parent
NOT_SUPPORTED = 99
# Sentences in memory at once. A client may send any number of them before it wants an answer.
BLOCK = 4096
# Rounding may make a certain token's surprisal -1e-7 bits.
ROUNDING_BITS = 1e-4
# The smallest that `get_surprisals` can print; a first token's 0 says that it has no probability.
SMALLEST_BITS = 1e-6
CHOICES = {"bos": ("auto", "always", "never", "tokenizer"), "eos": ("auto", "always", "never")}
ROLES = ("text", "bos", "eos", "special")
ENCODER = json.JSONEncoder(allow_nan=False)


class CommandError(Exception):
    """What ends a command with exit status 1 and a message."""


def main(arguments: list[str]) -> int:
    """Run a command; return its exit status."""
    command = arguments[0] if arguments else ""
    if command not in COMMANDS or len(arguments) - 1 != len(COMMANDS[command][1]):
        known = "".join(f"  {' '.join([name, *rest])}\n" for name, (_, rest) in COMMANDS.items())
        sys.stderr.write(f"use one of these commands:\n{known}")
        return 2
    try:
        with own_stdout() as output:
            if command == "spec" and (stored := description.stored()):
                output.write(stored)
                return 0
            run: Any = COMMANDS[command][0]
            return int(run(load_model(), output, *arguments[1:]))
    except BrokenPipeError:
        return 1
    except CommandError as error:
        sys.stderr.write(f"{command}: {error}\n")
        return 1


def own_stdout() -> TextIO:
    """Return the standard output as a UTF-8 stream; all else that prints there goes to stderr.

    Frameworks greet, warn and count on standard output, where only answers belong.
    """
    output = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    return output


def load_model() -> Any:
    """Return the model, made from the weights that were mounted or else from those in the image."""
    folder = os.environ.get("LMZOO_CHECKPOINT_PATH") or None
    if folder and not Path(folder).exists():
        raise CommandError(f"LMZOO_CHECKPOINT_PATH is {folder}, and there is nothing")
    built_in = ROOT / "data"
    if not folder and built_in.is_dir() and any(built_in.iterdir()):
        folder = str(built_in)
    try:
        model = importlib.import_module("model").load(folder)
    except (OSError, ValueError) as error:
        raise CommandError(error) from error
    # A framework is a million objects that stay: looking through them again and again takes time.
    gc.freeze()
    return model


def read_sentences(path: str) -> Iterator[str]:
    """Yield the lines of a UTF-8 file as they come, without line ends."""
    # What one user opened, another may not be allowed to open again.
    is_stdin = path in {"-", "/dev/stdin"}
    try:
        with sys.stdin.buffer if is_stdin else Path(path).open("rb") as stream:
            for number, line in enumerate(stream, 1):
                try:
                    yield line.rstrip(b"\r\n").decode("utf-8")
                except UnicodeDecodeError:
                    raise CommandError(f"line {number} of {path} is not UTF-8") from None
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror}") from error


def answers(
    ask: Callable[..., Any], sentences: Sequence[str], bos: str = "auto", eos: str = "auto"
) -> Iterator[tuple[int, Any]]:
    """Yield (index, tokens or ValueError) for each sentence, in any order.

    `ask` is the model's `score` or `tokens`. One that raises ValueError for a sentence is asked
    again for those that it has not answered yet, in halves, until that sentence is alone.
    """
    left = set(range(len(sentences)))
    failure = None
    try:
        for index, tokens in ask(sentences, bos, eos):
            checked = [check(token, sentences[index]) for token in tokens]
            left.remove(index)
            yield index, checked
    except ValueError as error:
        failure = error
    rest = sorted(left)
    if rest and failure is None:
        raise CommandError(f"the model has left out the sentence {sentences[rest[0]]!r}")
    if len(rest) == 1:
        yield rest[0], failure
        return
    middle = len(rest) // 2
    for half in (rest[:middle], rest[middle:]) if rest else ():
        for index, tokens in answers(ask, [sentences[at] for at in half], bos, eos):
            yield half[index], tokens


def check(token: Sequence[Any], sentence: str) -> list[Any]:
    """Return a token as plain values; raise ValueError if it cannot be one of this sentence."""
    text, start, end, bits, oov, role = token
    if not 0 <= start <= end <= len(sentence):
        raise ValueError(f"the token {text!r} is at {start} to {end}, outside the sentence")
    if role not in ROLES:
        raise ValueError(f"the token {text!r} is {role!r}, which is none of {', '.join(ROLES)}")
    if bits is not None:
        bits = float(bits)
        # Said this way round, it finds NaN, too.
        if not bits >= -ROUNDING_BITS:
            raise ValueError(f"the token {text!r} has a surprisal of {bits} bits")
        bits = max(bits, 0.0)
    return [str(text), int(start), int(end), bits, bool(oov), role]


def tokenize(model: Any, output: TextIO, path: str) -> int:
    """Print the tokens of each sentence."""
    rows = lines(model, getattr(model, "tokens", model.score), path)
    output.writelines(" ".join(name for name, _ in tokens) + "\n" for _, tokens in rows)
    return 0


def unkify(model: Any, output: TextIO, path: str) -> int:
    """Print a 1 for each token that stands for an unknown word, a 0 for any other."""
    rows = lines(model, getattr(model, "tokens", model.score), path)
    output.writelines(" ".join("01"[token[4]] for _, token in tokens) + "\n" for _, tokens in rows)
    return 0


def get_surprisals(model: Any, output: TextIO, path: str) -> int:
    """Print a table of the tokens and their surprisals in bits."""
    output.write("sentence_id\ttoken_id\ttoken\tsurprisal\n")
    for number, tokens in lines(model, model.score, path):
        for place, (name, token) in enumerate(tokens, 1):
            bits = token[3]
            if place == 1:
                bits = 0.0 if bits is None else max(bits, SMALLEST_BITS)
            if bits is None:
                raise CommandError(f"sentence {number}: {name!r} has no surprisal")
            output.write(f"{number}\t{place}\t{name}\t{bits:.6f}\n")
    return 0


def lines(model: Any, ask: Callable[..., Any], path: str) -> Iterator[tuple[int, list[Any]]]:
    """Yield (number, [(printed name, token)]) for each line of the file, in its order."""
    numbered = enumerate(read_sentences(path), 1)
    while block := list(islice(numbered, BLOCK)):
        found = dict(answers(ask, [sentence for _, sentence in block]))
        for index, (number, sentence) in enumerate(block):
            tokens = found[index]
            if isinstance(tokens, ValueError):
                raise CommandError(f"sentence {number}, {sentence!r}: {tokens}")
            yield number, [(printed_name(model, token, number), token) for token in tokens]


def printed_name(model: Any, token: Sequence[Any], number: int) -> str:
    """Return the vocabulary's item that a token is."""
    text, _, _, _, oov, role = token
    if oov and model.unk_types and text not in model.unk_types:
        return str(model.unk_types[0])
    name = str(model.printed(text)) if role == "text" and hasattr(model, "printed") else str(text)
    if not name or any(separator in name for separator in " \t\r\n"):
        raise CommandError(f"sentence {number}: the token {name!r} does not fit into a table")
    return name


def score(model: Any, output: TextIO) -> int:
    """Answer requests from standard input until it ends; an empty line wants all answers."""
    say(output, {"format": "pommel-score", "version": 2, "model": description.identity(model)})
    output.flush()
    block: list[tuple[Any, ...]] = []
    for number, line in enumerate(sys.stdin.buffer, 1):
        if line.strip():
            block.append(read_request(line, number))
        if not line.strip() or len(block) == BLOCK:
            answer(model, output, block)
            block = []
    answer(model, output, block)
    return 0


def read_request(line: bytes, number: int) -> tuple[Any, ...]:
    """Return (id, sentence, bos, eos)."""
    try:
        request = json.loads(line.decode("utf-8"))
        sentence = request["sentence"]
        policy = (request.get("bos", "auto"), request.get("eos", "auto"))
        if isinstance(sentence, str) and all(isinstance(choice, str) for choice in policy):
            return (request["id"], sentence, *policy)
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise CommandError(f'line {number} is no request: {{"id": 0, "sentence": "..."}}')


def answer(model: Any, output: TextIO, block: Sequence[tuple[Any, ...]]) -> None:
    """Answer all requests of a block, those with the same policy together."""
    by_policy: dict[tuple[str, str], list[tuple[Any, str]]] = {}
    for name, sentence, bos, eos in block:
        by_policy.setdefault((bos, eos), []).append((name, sentence))
    for (bos, eos), requests in by_policy.items():
        problem = policy_problem(model, "bos", bos) or policy_problem(model, "eos", eos)
        found = answers(model.score, [sentence for _, sentence in requests], bos, eos)
        if problem:
            found = ((index, ValueError(problem)) for index in range(len(requests)))
        for index, tokens in found:
            failed = isinstance(tokens, ValueError)
            key, value = ("error", str(tokens)) if failed else ("tokens", tokens)
            say(output, {"id": requests[index][0], key: value})
    output.flush()


def policy_problem(model: Any, mark: str, choice: str) -> str | None:
    """Return what is wrong with a choice for this model, None if it is right."""
    if choice not in CHOICES[mark]:
        return f"{mark} has to be one of {', '.join(CHOICES[mark])}, not {choice!r}"
    if choice == "always" and getattr(model, mark) is None:
        return f"{mark}=always: this model has no such mark"
    return None


def say(output: TextIO, message: dict[str, Any]) -> None:
    """Print a message as one line."""
    for token in message.get("tokens", ()):
        # JSON has no infinity.
        token[3] = "Infinity" if token[3] == math.inf else token[3]
    output.write(ENCODER.encode(message) + "\n")


def spec(model: Any, output: TextIO) -> int:
    """Print what the model is and how it cuts sentences."""
    json.dump(description.specification(model), output, ensure_ascii=False, indent=1)
    output.write("\n")
    return 0


def get_predictions(model: Any, _output: TextIO, path: str, out: str) -> int:
    """Write the natural logarithms of the probabilities of all words at every token."""
    if not description.can_predict(model):
        reason = "h5py is missing" if hasattr(model, "predictions") else "not for this model"
        sys.stderr.write(f"get_predictions.hdf5: {reason}\n")
        return NOT_SUPPORTED
    h5py: Any = importlib.import_module("h5py")
    with h5py.File(out, "w") as file:
        words = [word.encode("utf-8") for word in model.vocabulary]
        # Of a fixed length: what LM Zoo's clients are told to decode it with takes no others.
        longest = max(map(len, words), default=0) or 1
        file.create_dataset("vocabulary", data=words, dtype=f"S{longest}")
        for index, sentence in enumerate(read_sentences(path)):
            try:
                ids, rows = model.predictions(sentence)
            except ValueError as error:
                raise CommandError(f"sentence {index + 1}, {sentence!r}: {error}") from error
            shape = (len(ids), len(model.vocabulary))
            group = file.create_group(f"sentence/{index}")
            group.create_dataset("tokens", data=ids, shape=shape[:1], dtype="int64")
            group.create_dataset("predictions", data=rows if len(ids) else None, shape=shape)
    return 0


COMMANDS = {
    "spec": (spec, ()),
    "tokenize": (tokenize, ("FILE",)),
    "unkify": (unkify, ("FILE",)),
    "get_surprisals": (get_surprisals, ("FILE",)),
    "get_predictions.hdf5": (get_predictions, ("FILE", "OUT")),
    "score": (score, ()),
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
