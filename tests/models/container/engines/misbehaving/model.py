#!/usr/bin/env python3
"""A model in a container that does as it should, but for one thing: `FAULT` says which.

It is called by the name of a command of the LM Zoo protocol. A word is a token, and its surprisal
is its length in bits. What goes wrong goes wrong with the second sentence.
"""

# ruff: noqa: T201 - what it prints is its answer

import json
import os
import socket
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

COMMAND = os.path.basename(sys.argv[0])  # noqa: PTH119 - imports cost each start some time
FAULT = os.environ.get("FAULT", "")
PROTOCOL = int(os.environ.get("PROTOCOL", "1"))
# The commands in which a fault shows, where it does not show in the one that gives the numbers.
ELSEWHERE = {"spec-no-json": "spec", "spec-hangs": "spec", "tokenize-line-short": "tokenize"}


def main() -> None:
    """Do what the command by whose name this is called does."""
    if ELSEWHERE.get(FAULT) == COMMAND:
        before(FAULT.partition("-")[2])
    {"spec": spec, "tokenize": tokenize, "get_surprisals": get_surprisals, "score": score}[
        COMMAND
    ]()
    if FAULT == "ends-with-1" and COMMAND == "get_surprisals":
        fail("the model has had enough")


def spec() -> None:
    """Say what this is."""
    print(json.dumps({"name": "misbehaving", "protocol": PROTOCOL, "tokenizer": {"type": "word"}}))


def tokenize() -> None:
    """Print a line of tokens for each sentence."""
    sentences = read_sentences()
    if FAULT == "tokenize-line-short":
        sentences = sentences[:-1]
    for sentence in sentences:
        print(" ".join(sentence.split()))


def get_surprisals() -> None:
    """Print a table."""
    if FAULT == "fails-at-once":
        fail("there are no weights")
    sentences = read_sentences()
    print("sentence_id\ttoken_id\ttoken\tsurprisal")
    for number, sentence in enumerate(with_wrong_count(sentences), start=1):
        for place, (word, bits) in enumerate(tokens(number, sentence), start=1):
            print(f"{number}\t{place}\t{word}\t{bits}")


def score() -> None:
    """Answer requests."""
    if FAULT == "fails-at-once":
        fail("there are no weights")
    if FAULT == "no-header":
        hang()
    model = {"name": "misbehaving", "fingerprint": FAULT or "none"}
    answer({"format": "pommel-score", "version": 2, "model": model})
    waiting: list[dict[str, Any]] = []
    for line in sys.stdin:
        if line.strip():
            waiting.append(json.loads(line))
            continue
        for number, request in enumerate(waiting, start=1):
            answer_to(number, request)
        waiting = []


def answer_to(number: int, request: dict[str, Any]) -> None:
    """Answer one request."""
    sentence, end, found = request["sentence"], 0, []
    for word, bits in tokens(number, sentence):
        start = sentence.find(word, end)
        end = start + len(word)
        found.append([word, start, end, bits, False, "text"])
    if number == 2 and FAULT == "no-json":
        print('{"id": 1, "tokens": [[', flush=True)
    elif number == 2 and FAULT == "says-error":
        answer({"id": request["id"], "error": "longer than the 4 tokens that the model takes"})
    elif not (number == 3 and FAULT == "too-few"):
        answer({"id": request["id"], "tokens": found})
    if number == 3 and FAULT == "too-few":
        sys.exit(0)
    if number == 3 and FAULT == "too-many":
        answer({"id": request["id"], "tokens": found})


def tokens(number: int, sentence: str) -> list[Any]:
    """Return words with their surprisals; the place where most goes wrong."""
    found = [[word, float(len(word))] for word in sentence.split()]
    if FAULT == "exits-at-dogs" and "dog" in sentence:
        fail("ValueError: no dogs")
    if number != 2:
        return found
    before(FAULT)
    match FAULT:
        case "token-short":
            del found[1]
        case "nan":
            found[1][1] = float("nan")
        case "negative":
            found[1][1] = -0.5
        case "other-tokens":
            found[1][0] = "cat"
        case "not-a-number":
            found[1][1] = "much"
    return found


def before(fault: str) -> None:
    """Do what is no matter of numbers."""
    if action := {**LIMITS, **WORDS}.get(fault):
        action()


def with_wrong_count(sentences: list[str]) -> list[str]:
    """Return fewer or more sentences than were asked for."""
    match FAULT:
        case "too-few":
            return sentences[:-1]
        case "too-many":
            return [*sentences, sentences[0]]
    return sentences


def use_memory() -> None:
    """Take all there is."""
    taken = []
    while True:
        taken.append(bytearray(1 << 20))


def fork_for_ever() -> None:
    """Start processes that start processes."""
    while True:
        try:
            os.fork()
        except OSError:
            time.sleep(0.2)


def hang() -> None:
    """Do nothing, for ever; nor end when asked to."""
    print("loading ...", file=sys.stderr)
    flush()
    while True:
        time.sleep(3600)


def fail(reason: str) -> None:
    """Say why and end."""
    flush()
    print(reason, file=sys.stderr)
    sys.exit(1)


def flush() -> None:
    """Have what was printed leave this process."""
    sys.stdout.flush()
    sys.stderr.flush()


def answer(value: dict[str, Any]) -> None:
    """Print a line of JSON, at once."""
    print(json.dumps(value), flush=True)


def read_sentences() -> list[str]:
    """Return the lines of the file that is the command's argument."""
    with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123 - imports cost time
        return file.read().splitlines()


def flood(file: TextIO, end: str = "\n") -> None:
    """Print, for ever."""
    while True:
        print("so much to say " * 100, end=end, file=file)


def complain_and_exit() -> None:
    """Print more to standard error than anybody reads, and end."""
    for number in range(200_000):
        print(f"warning {number}", file=sys.stderr)
    sys.exit(3)


def print_half_a_spec() -> None:
    """Print JSON without its end, if this is the spec."""
    if COMMAND == "spec":
        print('{"name": "misbehaving", "tokenizer": ')
        sys.exit(0)


def print_no_text() -> None:
    """Print what is not UTF-8."""
    flush()
    os.write(1, b"\xff\xfe\n")


def use_memory_in_a_child() -> None:
    """Have a child take all memory, and go on as if nothing had been."""
    child = os.fork()
    if child == 0:
        use_memory()
    os.waitpid(child, 0)


def write_outside() -> None:
    """Write where nobody may."""
    with open("/written", "w", encoding="utf-8") as file:  # noqa: PTH123 - imports cost time
        file.write("by a container")


# What takes more than it may.
LIMITS: dict[str, Callable[[], object]] = {
    "hangs": hang,
    "floods": lambda: flood(sys.stdout),
    "floods-stderr": lambda: flood(sys.stderr),
    "one-line": lambda: flood(sys.stdout, end=""),
    "memory": use_memory,
    "child-memory": use_memory_in_a_child,
    "forks": fork_for_ever,
    "network": lambda: socket.create_connection(("192.0.2.1", 80), timeout=1),
    "writes": write_outside,
}

# What says something it should not, or says it badly.
WORDS: dict[str, Callable[[], object]] = {
    "no-json": print_half_a_spec,
    "exits": lambda: fail("ValueError: the weights have holes"),
    "exits-99": lambda: sys.exit(99),
    "stderr-and-exits": complain_and_exit,
    "steers": lambda: fail("\x1b[2J\x1b]0;title\x07 gone"),
    "no-utf8": print_no_text,
}


if __name__ == "__main__":
    main()
