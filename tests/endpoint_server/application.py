"""A small server around the built-in model that speaks the protocols of the large ones.

It scores as they do, and errs as it is told: `Behaviour` says what it does by itself and what goes
wrong. The prompts that a client tries it with are spared from faults unless it is told otherwise.
"""

import asyncio
import json
from collections import deque
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send
from tests.endpoint_server.language_model import LanguageModel, Writing, as_text

Json = dict[str, Any]
# Stands in for the answer to a request.
Fault = Callable[[Request], Response]

_PROBES = "The cat "
_BLOCK = 16


@dataclass(slots=True, kw_only=True)
class Behaviour:
    """What a server does.

    `caches_wrongly`: what stands behind blocks of 16 tokens that an earlier prompt began with, too,
    has so large a share (0 to 1) of the numbers that it would have if nothing came before it.

    By itself: whether it adds a mark in front (`adds_bos`), shows it and gives the token after it
    its probability; whether the mark can be left out; how it writes tokens.

    What goes wrong: `faults` are used up, one a request; `always` is there for each, `always_at`
    for those with a prompt. `edit` changes a sound answer. All leave the prompts of probing alone,
    unless `spares_probes` is off.
    `delays` are seconds to wait before an answer, by the prompt.
    """

    models: list[Json] = field(
        default_factory=lambda: [
            {"id": "en-gpt2", "object": "model", "created": 1, "owned_by": "tests"}
        ]
    )
    key: str = ""
    adds_bos: bool = False
    shows_bos: bool = True
    scores_first: bool = True
    takes_special_tokens: bool = True
    writing: Writing = as_text
    has_completions: bool = True
    has_chat: bool = True
    has_models: bool = True
    ignores_echo: bool = False
    ignores_logprobs: bool = False
    tells_best: bool = True
    tells_usage: bool = True
    is_one_place_wrong: bool = False
    caches_wrongly: float = 0
    faults: deque[Fault] = field(default_factory=deque)
    always: Fault | None = None
    always_at: dict[str, Fault] = field(default_factory=dict)
    edit: Callable[[Json], Any] | None = None
    spares_probes: bool = True
    delays: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class Seen:
    """What a server has been asked, and how much of it at once."""

    prompts: list[str] = field(default_factory=list)
    bodies: list[Json] = field(default_factory=list)
    headers: list[MutableMapping[str, str]] = field(default_factory=list)
    n_open: int = 0
    most_open: int = 0


class EndpointServer:
    """The application, what it does, and what it has seen."""

    def __init__(self, language_model: LanguageModel, behaviour: Behaviour) -> None:
        self.language_model = language_model
        self.behaviour = behaviour
        self.seen = Seen()
        self._cached: set[tuple[int, ...]] = set()
        self._application = self._routed()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; it is open until its answer has gone or its client has."""
        self.seen.n_open += 1
        self.seen.most_open = max(self.seen.most_open, self.seen.n_open)
        try:
            await self._application(scope, receive, send)
        finally:
            self.seen.n_open -= 1

    def _routed(self) -> Starlette:
        behaviour = self.behaviour
        routes = [Route("/v1/models", self._models)] if behaviour.has_models else []
        if behaviour.has_completions:
            routes.append(Route("/v1/completions", self._completions, methods=["POST"]))
        if behaviour.has_chat:
            routes.append(Route("/v1/chat/completions", self._chat, methods=["POST"]))
        return Starlette(routes=routes)

    async def _models(self, request: Request) -> Response:
        self.seen.headers.append(dict(request.headers))
        if not self._may(request):
            return _refusal(401, f"Incorrect API key: {request.headers.get('authorization')}")
        if self.behaviour.always and not self.behaviour.spares_probes:
            return self.behaviour.always(request)
        return JSONResponse({"object": "list", "data": self.behaviour.models})

    async def _chat(self, request: Request) -> Response:
        del request
        return _refusal(400, "messages are missing")

    async def _completions(self, request: Request) -> Response:
        body = await request.json()
        prompt = str(body["prompt"])
        seen, behaviour = self.seen, self.behaviour
        seen.prompts.append(prompt)
        seen.bodies.append(body)
        seen.headers.append(dict(request.headers))
        await asyncio.sleep(behaviour.delays.get(prompt, 0))
        if not self._may(request):
            return _refusal(401, f"Incorrect API key: {request.headers.get('authorization')}")
        is_spared = self._is_spared(prompt)
        if not is_spared and behaviour.faults:
            return behaviour.faults.popleft()(request)
        if not is_spared and (always := behaviour.always_at.get(prompt, behaviour.always)):
            return always(request)
        value = self._complete(body)
        if isinstance(value, Response):
            return value
        if not is_spared and behaviour.edit:
            value = behaviour.edit(value)
        # Written so, NaN and infinity can be sent.
        return Response(json.dumps(value), media_type="application/json")

    def _is_spared(self, prompt: str) -> bool:
        return self.behaviour.spares_probes and prompt.startswith(_PROBES)

    def _behind_cached(self, ids: list[int], rows: Any) -> Any:
        """Return the rows of a prompt, those behind its cached blocks a part of those without."""
        blocks = [tuple(ids[:end]) for end in range(_BLOCK, len(ids), _BLOCK)]
        n_cached = max((len(each) for each in blocks if each in self._cached), default=0)
        self._cached.update(blocks)
        if not n_cached:
            return rows
        share, wrong = self.behaviour.caches_wrongly, self.language_model.rows(*ids[n_cached:])
        return np.concatenate([rows[:n_cached], (1 - share) * rows[n_cached:] + share * wrong])

    def _may(self, request: Request) -> bool:
        key = self.behaviour.key
        return not key or request.headers.get("authorization") == f"Bearer {key}"

    def _complete(self, body: Json) -> Any:
        behaviour, model = self.behaviour, self.language_model
        if "add_special_tokens" in body and not behaviour.takes_special_tokens:
            return _refusal(422, "add_special_tokens: extra fields not permitted")
        bos = [model.bos_id] if self._adds_bos(body) else []
        ids = bos + model.ids(body["prompt"])
        rows = model.rows(*ids)
        if behaviour.caches_wrongly and not self._is_spared(body["prompt"]):
            rows = self._behind_cached(ids, rows)
        generated = [int(rows[-1].argmax())]
        shown = [*ids, *generated]
        texts = behaviour.writing(model.tokenizer, shown)
        best, numbers = self._numbers(shown, rows)
        if bos and not behaviour.shows_bos:
            texts, numbers, best = texts[1:], numbers[1:], best[1:]
            if not behaviour.scores_first:
                numbers[0] = best[0] = None
        if behaviour.ignores_echo:
            texts, numbers, best = texts[-1:], numbers[-1:], best[-1:]
        logprobs: Json | None = {"tokens": texts, "token_logprobs": numbers, "text_offset": []}
        if logprobs and behaviour.tells_best:
            logprobs["top_logprobs"] = best
        if behaviour.ignores_logprobs:
            logprobs = None
        echo = "" if behaviour.ignores_echo else body["prompt"]
        choice = {"index": 0, "text": echo + model.tokenizer.decode(generated)}
        answer: Json = {"object": "text_completion", "model": body["model"]}
        answer["choices"] = [choice | {"logprobs": logprobs, "finish_reason": "length"}]
        if behaviour.tells_usage:
            usage = {"prompt_tokens": len(ids), "completion_tokens": len(generated)}
            answer["usage"] = usage
        return answer

    def _adds_bos(self, body: Json) -> bool:
        return self.behaviour.adds_bos and body.get("add_special_tokens", True)

    def _numbers(self, ids: list[int], rows: Any) -> tuple[list[Json | None], list[float | None]]:
        """Return the largest logarithms and those of the tokens; the first has none."""
        best: list[Json | None] = [None]
        numbers: list[float | None] = [None]
        tokenizer = self.language_model.tokenizer
        shift = 1 if self.behaviour.is_one_place_wrong else 0
        for place, token in enumerate(ids[1:], start=1):
            row = rows[min(place - 1 + shift, len(rows) - 1)]
            numbers.append(float(row[token]))
            likeliest = int(row.argmax())
            names = tokenizer.decode([likeliest]), tokenizer.decode([token])
            best.append({names[1]: float(row[token]), names[0]: float(row[likeliest])})
        return best, numbers


def _refusal(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    error = {"message": message, "type": "invalid_request_error", "code": status}
    return JSONResponse({"error": error}, status_code=status, headers=headers)
