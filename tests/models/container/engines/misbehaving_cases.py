"""What is said of each fault of `misbehaving/model.py`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pommel.errors import ContainerError, ModelError, UnsupportedFeatureError

SECOND = "at sentence 2 ('A dog barks !')"
FIRST = "at sentence 1 ('The cats sleep .')"
PRINT_MORE = "it printed more than 1 MiB and was stopped (--sandbox output=SIZE allows more)"
TAKE_MORE = (
    "out of memory: something in the container was killed for it "
    "(the limit is 64 MiB; --sandbox memory=SIZE allows more)"
)
WAIT_MORE = "it had not ended after 2 s and was stopped (--sandbox time=SECONDS allows more)"
SO_MUCH = "so much to say " * 13 + "so mu"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A fault, and what is said of it: the message, and the last line of standard error in it.

    What was stopped while it wrote (`cut_short`) may end anywhere: then it is the last but one.
    """

    fault: str
    message: str
    last_line: str = ""
    cut_short: bool = False
    limits: Mapping[str, str] = field(default_factory=dict)
    kind: type[ModelError] = ContainerError


PRINTED = "get_surprisals /dev/stdin: "

# Under protocol 1, each command has a container of its own.
VERSION_1 = (
    Case(
        fault="spec-no-json",
        message="spec: its output:1: this is not JSON: Expecting value (column 38)",
    ),
    Case(
        fault="spec-hangs",
        message=f"spec: {WAIT_MORE}",
        last_line="loading ...",
        limits={"time": "2"},
    ),
    Case(
        fault="tokenize-line-short",
        message="tokenize /dev/stdin: it printed 2 lines for 3 sentences",
    ),
    Case(
        fault="fails-at-once",
        message=f"{PRINTED}it ended with exit status 1",
        last_line="there are no weights",
    ),
    Case(
        fault="exits",
        message=f"{PRINTED}it ended with exit status 1",
        last_line="ValueError: the weights have holes",
    ),
    Case(
        fault="ends-with-1",
        message=f"{PRINTED}it ended with exit status 1",
        last_line="the model has had enough",
    ),
    Case(
        fault="exits-99",
        message=f"{PRINTED}the image does not support this (exit status 99)",
        kind=UnsupportedFeatureError,
    ),
    Case(
        fault="hangs",
        message=f"{PRINTED}{WAIT_MORE}",
        last_line="loading ...",
        limits={"time": "2"},
    ),
    Case(
        fault="one-line",
        message=f"{PRINTED}{PRINT_MORE}",
        limits={"output": "1M"},
    ),
    Case(
        fault="floods",
        message=f"{PRINTED}line 6: the sentence_id 'so' is not a whole number, {FIRST}",
    ),
    Case(
        fault="floods-stderr",
        message=f"{PRINTED}{PRINT_MORE}",
        last_line=SO_MUCH,
        cut_short=True,
        limits={"output": "1M"},
    ),
    Case(
        fault="stderr-and-exits",
        message=f"{PRINTED}it ended with exit status 3",
        last_line="warning 199999",
    ),
    Case(
        fault="steers",
        message=f"{PRINTED}it ended with exit status 1",
        last_line="?[2J?]0;title? gone",
    ),
    Case(fault="no-utf8", message=f"{PRINTED}line 6 of its output is not UTF-8, {FIRST}"),
    Case(
        fault="token-short",
        kind=ModelError,
        message="tokenize and get_surprisals do not agree in sentence 2 ('A dog barks !'): "
        "token 2 is 'dog' and 'barks'\n"
        "    tokenize:       A dog barks !\n"
        "    get_surprisals: A barks !",
    ),
    Case(
        fault="other-tokens",
        kind=ModelError,
        message="tokenize and get_surprisals do not agree in sentence 2 ('A dog barks !'): "
        "token 2 is 'dog' and 'cat'\n"
        "    tokenize:       A dog barks !\n"
        "    get_surprisals: A cat barks !",
    ),
    Case(
        fault="nan",
        message=f"{PRINTED}line 7: the surprisal 'nan' of 'dog' is not a number; "
        f"write it in bits, {SECOND}",
    ),
    Case(
        fault="negative",
        message=f"{PRINTED}line 7: the surprisal -0.5 of 'dog' is negative; "
        f"a surprisal is -log2 p, not a log-probability, {SECOND}",
    ),
    Case(
        fault="too-few",
        message=f"{PRINTED}it gave surprisals for 2 of 3 sentences",
    ),
    Case(fault="too-many", message=f"{PRINTED}it printed sentence_id 4 for 3 sentences"),
    Case(fault="memory", message=f"{PRINTED}{TAKE_MORE}", limits={"memory": "64M"}),
    # The answer is complete, but a part of what made it was killed.
    Case(fault="child-memory", message=f"{PRINTED}{TAKE_MORE}", limits={"memory": "64M"}),
    Case(
        fault="network",
        message=f"{PRINTED}it ended with exit status 1",
        last_line="OSError: [Errno 101] Network is unreachable",
    ),
    Case(
        fault="writes",
        message=f"{PRINTED}it ended with exit status 1",
        last_line="OSError: [Errno 30] Read-only file system: '/written'",
    ),
)

# Under protocol 2, the command `score` answers line by line.
VERSION_2 = (
    Case(
        fault="fails-at-once",
        message="score: it ended with exit status 1",
        last_line="there are no weights",
    ),
    Case(
        fault="no-header",
        message=f"score: {WAIT_MORE}",
        last_line="loading ...",
        limits={"time": "2"},
    ),
    Case(
        fault="exits",
        message="score: it ended with exit status 1",
        last_line="ValueError: the weights have holes",
    ),
    Case(
        fault="exits-99",
        message="score: the image does not support this (exit status 99)",
        kind=UnsupportedFeatureError,
    ),
    Case(
        fault="hangs",
        message=f"score: {WAIT_MORE}",
        last_line="loading ...",
        limits={"time": "2"},
    ),
    Case(
        fault="no-json",
        message='score: its answer is \'{"id": 1, "tokens": [[\': this is not JSON: '
        "Expecting value (column 23)",
    ),
    Case(fault="one-line", message=f"score: {PRINT_MORE}", limits={"output": "1M"}),
    Case(
        fault="floods",
        message=f"score: its answer is '{'so much to say ' * 5}so mu'…: this is not JSON: "
        "Expecting value (column 1)",
    ),
    Case(
        fault="floods-stderr",
        message=f"score: {PRINT_MORE}",
        last_line=SO_MUCH,
        cut_short=True,
        limits={"output": "1M"},
    ),
    Case(
        fault="token-short",
        message=f"score: no token stands for 'dog' (character 1) in 'A dog barks !', {SECOND}",
    ),
    Case(
        fault="other-tokens",
        message="score: token 'cat' has the offsets -1-2, which do not fit the sentence "
        f"'A dog barks !', {SECOND}",
    ),
    Case(
        fault="nan",
        message='score: its answer is \'{"id": 1, "tokens": [["A", 0, 1, 1.0, false, "text"], '
        '["dog", 2, 5, NaN, false, \'…: NaN is not JSON; write null, or "Infinity" for a '
        "probability of 0",
    ),
    Case(
        fault="negative",
        message=f"score: token 'dog' has a surprisal of -0.5 bits in 'A dog barks !', {SECOND}",
    ),
    Case(
        fault="too-few",
        message="score: it ended before it had answered",
    ),
    Case(
        fault="says-error",
        message="score: sentence 2 ('A dog barks !'): "
        "longer than the 4 tokens that the model takes",
        kind=ModelError,
    ),
    Case(fault="memory", message=f"score: {TAKE_MORE}", limits={"memory": "64M"}),
)

# Podman's interface is Docker's.
PODMAN = (
    Case(
        fault="exits",
        message="score: it ended with exit status 1",
        last_line="ValueError: the weights have holes",
    ),
    Case(
        fault="hangs",
        message=f"score: {WAIT_MORE}",
        last_line="loading ...",
        limits={"time": "2"},
    ),
    # Podman does not say what a container was killed for.
    Case(
        fault="memory",
        message="score: it was killed (exit status 137), probably for its use of memory "
        "(the limit is 64 MiB; --sandbox memory=SIZE allows more)",
        limits={"memory": "64M"},
    ),
)
