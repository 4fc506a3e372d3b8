"""What models make of one item while it is being written.

The models that the server was started with are loaded when they are first asked, once, in a thread
of their own that answers one question after the other. Of what one window asks the newest counts:
nobody waits for what she has overwritten. What was scored is kept in the store, where a run finds
it.
"""

import contextlib
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Literal

from pommel.errors import PommelError
from pommel.models import Model, closing, load_model
from pommel.scoring import Choices, SuiteSurprisals
from pommel.store import Store
from pommel.suite import Suite
from pommel.values import frozen

_MOST_ANSWERS = 200
_MOST_QUESTIONS = 64
# Nothing is lost with a model that is still loading.
_SECONDS_TO_END = 10.0


@frozen
class Asked:
    """A model's reference, and a suite whose sentences it is asked for: an item, mostly."""

    reference: str
    suite: Suite

    @property
    def key(self) -> tuple[str, str]:
        """What the same question has."""
        return self.reference, self.suite.sha256


@frozen(eq=False)
class Answer:
    """What came of a question: surprisals, or why there are none; until then it is waiting."""

    state: Literal["waiting", "scored", "failed"]
    surprisals: SuiteSurprisals | None = None
    why: str = ""


_WAITING = Answer(state="waiting")


class Live:
    """The models of a server, asked for items; `store` keeps what they have said."""

    def __init__(self, store: Path, references: tuple[str, ...]) -> None:
        self.store = store
        self.references = references
        self._models: dict[str, Model | PommelError] = {}
        self._questions: OrderedDict[str, Asked] = OrderedDict()
        self._answers: OrderedDict[tuple[str, str], Answer] = OrderedDict()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def ask(self, asker: str, asked: Asked, *, seconds: float) -> Answer:
        """Return an answer, which is waited for so long; `asker` takes back what she asked before.

        What is still waiting is asked again, and answered when it is there. A model that the server
        was not started with is not asked.
        """
        if asked.reference not in self.references:
            return Answer(state="failed", why=f"this server was not started with {asked.reference}")
        with self._changed:
            if (answer := self._answers.get(asked.key)) is not None:
                return answer
            if len(self._questions) >= _MOST_QUESTIONS and asker not in self._questions:
                return _WAITING
            self._questions[asker] = asked
            self._begin()
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: asked.key in self._answers or self._questions.get(asker) is not asked,
                timeout=seconds,
            )
            return self._answers.get(asked.key, _WAITING)

    def close(self) -> None:
        """Let go of the models, when what is being answered is answered, or has taken too long."""
        with self._changed:
            self._is_closed = True
            self._questions.clear()
            self._changed.notify_all()
            thread = self._thread
        if thread:
            thread.join(_SECONDS_TO_END)

    def _begin(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._answer_all, daemon=True)
            self._thread.start()

    def _answer_all(self) -> None:
        with contextlib.ExitStack() as stack:
            stack.callback(self._models.clear)
            while (asked := self._next()) is not None:
                # What escapes is our mistake: it is told, and the next question begins anew.
                answer = Answer(state="failed", why="this went wrong; the server's log says why")
                try:
                    answer = self._answer(asked, stack)
                finally:
                    self._told(asked, answer)

    def _next(self) -> Asked | None:
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._questions)
            return None if self._is_closed else next(iter(self._questions.values()))

    def _told(self, asked: Asked, answer: Answer) -> None:
        with self._changed:
            self._answers[asked.key] = answer
            while len(self._answers) > _MOST_ANSWERS:
                self._answers.popitem(last=False)
            for asker in [who for who, each in self._questions.items() if each.key == asked.key]:
                del self._questions[asker]
            self._changed.notify_all()

    def _answer(self, asked: Asked, stack: contextlib.ExitStack) -> Answer:
        try:
            model = self._model(asked.reference, stack)
            with Store.open(self.store) as store:
                surprisals = SuiteSurprisals.of(
                    store.cached(model), asked.suite, Choices(regions="all")
                )
        except PommelError as error:
            return Answer(state="failed", why=str(error.without_frames()))
        return Answer(state="scored", surprisals=surprisals)

    def _model(self, reference: str, stack: contextlib.ExitStack) -> Model:
        if reference not in self._models:
            try:
                model = load_model(reference, remembered=True)
                self._models[reference] = stack.enter_context(closing(model))
            except PommelError as error:
                # It would fail again, and that takes as long.
                self._models[reference] = error.without_frames()
        found = self._models[reference]
        if isinstance(found, PommelError):
            raise found
        return found
