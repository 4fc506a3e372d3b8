"""Scored sentences from an image of protocol 2: a container that stays warm."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pommel.errors import ContainerError, quoted
from pommel.models.container.commands import ImageCommands
from pommel.models.container.request import check_encodable
from pommel.models.container.score_session import ScoreSession
from pommel.models.policy import Policy
from pommel.models.printed import with_first_token
from pommel.surprisal import ScoredSentence


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
