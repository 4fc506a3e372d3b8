"""Scored sentences from an image of protocol 2: a container that stays warm."""

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from pommel.errors import (
    AlignmentError,
    ContainerError,
    InputError,
    ModelError,
    SurprisalError,
    quoted,
)
from pommel.models.container.answers import (
    ImageCommand,
    check_encodable,
    check_length,
    check_line,
    place,
    shortened,
)
from pommel.models.container.commands import ImageCommands
from pommel.models.container.image_spec import check_shown
from pommel.models.model import Policy
from pommel.models.printed import with_first_token
from pommel.models.recorded import tokens_from_json
from pommel.models.reference_files import check_shape
from pommel.surprisal import ScoredSentence

# How many sentences an image is asked for before it has to answer. While it is busy with one
# block, it already has the next.
BLOCK = 2048

# In characters.
_LONGEST_HEADER = 1 << 16

_FORMAT, _VERSION = "pommel-score", 2
_NAME = {"type": "string", "minLength": 1}
_TEXT, _NUMBER = {"type": ["string", "null"]}, {"type": ["integer", "null"], "minimum": 0}
_HEADER = {
    "type": "object",
    "required": ["format", "version", "model"],
    "properties": {
        "format": {"const": _FORMAT},
        "version": {"const": _VERSION},
        "model": {
            "type": "object",
            "required": ["name", "fingerprint"],
            "properties": {
                "name": _NAME,
                "fingerprint": _NAME,
                **dict.fromkeys(("bos", "eos", "dtype", "device"), _TEXT),
                **dict.fromkeys(("max_tokens", "n_parameters"), _NUMBER),
            },
        },
    },
}


class ScoreSession:
    """One container with the command `score`, kept warm until it is closed.

    `header` is the `model` of the line that it begins with. After any failure a session is of no
    more use, and has to be closed.
    """

    def __init__(self, commands: ImageCommands) -> None:
        """Start the container and wait for the header; raises `ContainerError`."""
        self._reference = commands.reference
        self._n_requests = 0
        with contextlib.ExitStack() as stack:
            command = ImageCommand(commands.engine, commands.job("score"))
            self._command = stack.enter_context(command)
            self.header = self._read_header()
            self._stack = stack.pop_all()

    def close(self) -> None:
        """Remove the container; may be called twice."""
        self._stack.close()

    def score(
        self, sentences: Sequence[str], policy: Policy
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """Yield (index, scored sentence), in the order of the answers.

        Raises `ModelError` for a sentence that the model can't score, and `ContainerError` for
        answers that cannot be.
        """
        first = self._n_requests
        waiting: set[int] = set()
        oldest = n_sent = n_answered = 0
        longest = max(sentences, key=len, default="")
        self._command.restart_clock()
        while n_answered < len(sentences):
            while n_sent < len(sentences) and len(waiting) <= BLOCK:
                block = range(n_sent, min(n_sent + BLOCK, len(sentences)))
                self._send(block, sentences, policy)
                waiting.update(block)
                n_sent = block.stop
            while oldest not in waiting:
                oldest += 1
            self._command.at = place(oldest + 1, sentences[oldest])
            answer, index = self._read_answer(first, waiting, longest)
            self._command.at = place(index + 1, sentences[index])
            yield index, self._scored(sentences[index], answer, policy)
            n_answered += 1
            if n_answered % BLOCK == 0:
                self._command.restart_clock()
        self._command.at = ""

    def _send(self, block: range, sentences: Sequence[str], policy: Policy) -> None:
        lines: list[str] = []
        for number, index in enumerate(block, start=self._n_requests):
            request: dict[str, Any] = {"id": number, "sentence": sentences[index]}
            request |= {"bos": policy.bos, "eos": policy.eos}
            lines.append(json.dumps(request, ensure_ascii=False))
        self._n_requests += len(block)
        # The empty line behind them asks for their answers.
        text = "".join(f"{line}\n" for line in (*lines, ""))
        self._command.feed([text.encode()], last=False)

    def _read_header(self) -> dict[str, Any]:
        line = self._next_line("it ended before it printed its first line")
        if len(line) > _LONGEST_HEADER:
            what = f"its first line has more than {_LONGEST_HEADER} characters"
            raise self._command.failure(what)
        try:
            header = _object(line)
            check_shape(header, _HEADER, where="its first line", noun="header")
            _check_shown(header["model"])
        except InputError as error:
            wanted = f'{{"format": "{_FORMAT}", "version": {_VERSION}, "model": ...}}'
            what = f"its first line has to be {wanted}, and is {quoted(line)}: {error}"
            raise self._command.fault(what) from error
        return dict(header["model"])

    def _next_line(self, at_end: str) -> str:
        line = self._command.next_line()
        if line is None:
            self._command.finish()
            raise self._command.failure(at_end)
        return line

    def _read_answer(
        self, first: int, waiting: set[int], longest: str
    ) -> tuple[dict[str, Any], int]:
        """Return the next answer, and the index of the sentence that is answered."""
        line = self._next_line("it ended before it had answered")
        # Whose answer it is can be known only when it has been read.
        check_line(self._command, line, longest)
        try:
            answer = _object(line)
        except InputError as error:
            raise self._command.fault(f"its answer is {quoted(line)}: {error}") from error
        number = answer.get("id")
        if type(number) is not int or number - first not in waiting:
            self._command.at = ""
            what = f"its answer is {quoted(line)}, and nothing is asked under this id"
            raise self._command.fault(what)
        waiting.remove(number - first)
        return answer, number - first

    def _scored(self, sentence: str, answer: dict[str, Any], policy: Policy) -> ScoredSentence:
        if "error" in answer:
            reason = shortened(str(answer["error"]))
            raise ModelError(f"{self._reference}: score: {self._command.at}: {reason}")
        try:
            listed = answer.get("tokens")
            if isinstance(listed, list):
                check_length(self._command, len(listed), sentence)
            tokens = tokens_from_json(listed, "its answer")
            scored = ScoredSentence(text=sentence, tokens=tokens)
            scored.check()
        except (AlignmentError, InputError, SurprisalError) as error:
            raise self._command.fault(str(error)) from error
        has_eos = any(token.role == "eos" for token in tokens)
        if policy.eos != "auto" and has_eos != (policy.eos == "always"):
            what = f"its answer has {'an' if has_eos else 'no'} eos token under eos={policy.eos}"
            raise self._command.fault(what)
        return scored


def _check_shown(model: dict[str, Any]) -> None:
    for key, value in model.items():
        if isinstance(value, str):
            check_shown(value, f"its {key}")


def _object(line: str) -> dict[str, Any]:
    """Return the JSON object in a line; raises `InputError`."""
    try:
        value = json.loads(line, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise InputError(f"this is not JSON: {error.msg} (column {error.colno})") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is no JSON that can be read: {error}") from error
    if not isinstance(value, dict):
        raise InputError("this is no JSON object")
    return value


def _refuse(constant: str) -> NoReturn:
    raise InputError(f'{constant} is not JSON; write null, or "Infinity" for a probability of 0')


class WarmAnswers:
    """Keeps one container for all that is asked, and starts a new one after a failure.

    `header` is what the image says of its model. Who asks again before all is answered is
    answered from a second container.
    """

    def __init__(self, commands: ImageCommands) -> None:
        """Start the container; raises `ContainerError`."""
        self._commands = commands
        self._sessions: list[ScoreSession] = []
        self._idle: list[ScoreSession] = []
        self.header: Mapping[str, Any] = self._start().header

    def score(
        self, sentences: Sequence[str], policy: Policy
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """Yield (index, scored sentence) in the order of the answers; see `Model.score`."""
        if not sentences:
            return
        check_encodable(sentences, self._commands.reference)
        if not self._idle:
            self._start()
        session = self._idle.pop()
        try:
            for index, scored in session.score(sentences, policy):
                yield index, with_first_token(scored, policy)
        except BaseException:
            # Answers may still be on their way, and be taken for those to later questions.
            self._end(session)
            raise
        self._idle.append(session)

    def close(self) -> None:
        """Remove what is there; a later question starts anew."""
        while self._sessions:
            self._end(self._sessions[-1])

    def _start(self) -> ScoreSession:
        session = ScoreSession(self._commands)
        self._sessions.append(session)
        before = getattr(self, "header", session.header)
        if session.header != before:
            self._end(session)
            raise ContainerError(
                f"{self._commands.reference}: score: started again, it says that it is another "
                f"model: {_first_difference(before, session.header)}"
            )
        self._idle.append(session)
        return session

    def _end(self, session: ScoreSession) -> None:
        for sessions in (self._sessions, self._idle):
            if session in sessions:
                sessions.remove(session)
        session.close()


def _first_difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    for key in sorted({*before, *now}):
        said, other = ([each[key]] if key in each else [] for each in (now, before))
        if said != other:
            one, two = (quoted(str(*each)) if each else "not there" for each in (said, other))
            return f"its {quoted(key)} is {one}, and was {two}"
    return "its header"
