"""A model behind a server: sentences go out as prompts, their tokens' surprisals come back."""

import asyncio
import contextlib
import hashlib
import json
import math
import os
import random
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import itemgetter
from typing import Any

from pommel.errors import (
    InputError,
    ModelError,
    ModelNotAvailableError,
    UsageError,
    listed,
    nearest,
    printable,
    quoted,
)
from pommel.files import Waiting, is_encodable
from pommel.models.endpoint.behaviour import EXACT, MOST_BITS, Manner, Prober, Way
from pommel.models.endpoint.client import Background, Client, Put, RequestFailedError, find_key
from pommel.models.endpoint.protocol import Completions
from pommel.models.endpoint.reference import EndpointReference, read_reference
from pommel.models.model import (
    DistinctSentence,
    LoadOptions,
    ModelInfo,
    Policy,
    Spans,
    check_only_method,
)
from pommel.surprisal import ScoredSentence
from pommel.values import frozen

# Servers without such a list.
_NO_LIST = frozenset({404, 405, 501})
# What describes a model; the rest are times, permissions and other things of the moment.
_LASTING = ("id", "root", "parent", "owned_by", "max_model_len", "context_length")
_LASTING_META = ("n_params", "n_vocab", "n_embd", "n_ctx_train", "size", "vocab_type")
_LIMITS = ("max_model_len", "context_length")
_SHOWN = 10
_SHOWN_CHARACTERS = 80
# To look for the nearest of tens of thousands takes seconds.
_COMPARED = 1000


@frozen
class Served:
    """One model of a server; `said` is what the server's list says of it, without times."""

    model: str
    server: str | None = None
    said: Mapping[str, Any] = field(default_factory=dict)

    def fingerprint(self, reference: EndpointReference, manner: Manner) -> str:
        """The SHA-256 over what decides the numbers, as far as it can be known.

        That is the address, the model and what is said of it, and how a sentence is asked for.
        Weights are not seen.
        """
        way = manner.usual
        asked = [manner.protocol.name, reference.bos, list(way.front), way.is_first_scored]
        parts = [reference.base_url, self.model, self.said, asked]
        canonical = json.dumps(parts, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


async def find_served(client: Client) -> Served:
    """Return the model that the client's reference names, or the only one that there is.

    A server without a list is believed to have what the reference names. Raises
    `ModelNotAvailableError` if the model is not there, or none is named and there are several, and
    `RequestFailedError`.
    """
    reference = client.reference
    try:
        answer = await client.ask(f"{reference.base_url}/models")
    except RequestFailedError as failure:
        if failure.status not in _NO_LIST:
            raise
        if reference.model is None:
            raise ModelNotAvailableError(
                f"{reference.text}: it does not list its models ({failure.reason}); write "
                f"{reference.base_url}#MODEL"
            ) from None
        return Served(model=reference.model)
    models = _models(answer.value)
    if models is None:
        raise ModelNotAvailableError(
            f"{reference.text}: {reference.base_url}/models is no list of models; is this an "
            "OpenAI-compatible server?"
        )
    name = _meant(models, reference)
    return Served(model=name, server=answer.server, said=_lasting(models[name]))


def _models(value: object) -> dict[str, dict[str, object]] | None:
    """Return the models of a list that have a name that can be asked for; None for no list."""
    data = value.get("data") if isinstance(value, dict) else None
    if not isinstance(data, list):
        return None
    named = ((each.get("id"), each) for each in data if isinstance(each, dict))
    return {name: each for name, each in named if isinstance(name, str) and is_encodable(name)}


def _meant(models: Mapping[str, Any], reference: EndpointReference) -> str:
    if reference.model is not None and reference.model in models:
        return reference.model
    if reference.model is None and len(models) == 1:
        return next(iter(models))
    names = [printable(name[:_SHOWN_CHARACTERS]) for name in models]
    shown = listed(names, most=_SHOWN)
    if reference.model is None:
        what = f"it has {len(names)} models ({shown})" if names else "it has no model"
        raise ModelNotAvailableError(f"{reference.text}: {what}; write {reference.base_url}#MODEL")
    meant = nearest(reference.model, names[:_COMPARED])
    hint = f" (did you mean {meant}?)" if meant else ""
    raise ModelNotAvailableError(
        f"{reference.text}: it has no model {reference.model!r}{hint}; it has: {shown or 'none'}"
    )


def _lasting(said: Mapping[str, Any]) -> dict[str, object]:
    lasting = {name: said[name] for name in _LASTING if said.get(name) is not None}
    meta = said.get("meta")
    if isinstance(meta, dict):
        lasting["meta"] = {name: meta[name] for name in _LASTING_META if name in meta}
    return lasting


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


# A prompt that is too long, or that a server does not like. It has answered others (`Prober`).
_REFUSES_A_PROMPT = frozenset({400, 413, 422})

# A sentence, and what the server says of it, or why it has no answer.
_Answer = tuple[str, ScoredSentence | str]

# Of the sentences of a call, so many are asked for again at least, and one in so many.
_FEWEST, _ONE_IN = 8, 100


def _asked_again(sentences: Sequence[str]) -> list[str]:
    """Return which sentences are asked for again, in their order; the same for the same."""
    n = min(len(sentences), max(_FEWEST, math.ceil(len(sentences) / _ONE_IN)))
    places = random.Random(0).sample(range(len(sentences)), n)  # noqa: S311 - no secret
    return [sentences[place] for place in sorted(places)]


def _largest_difference(first: ScoredSentence, second: ScoredSentence) -> float:
    """Return by how many bits a sentence's surprisals differ at most; infinity for other tokens."""
    tokens, others = (
        [(each.text, each.start, each.end, each.surprisal_bits is None) for each in scored.tokens]
        for scored in (first, second)
    )
    if tokens != others:
        return math.inf
    pairs = zip(first.tokens, second.tokens, strict=True)
    return max(
        (abs((one.surprisal_bits or 0) - (other.surprisal_bits or 0)) for one, other in pairs),
        default=0.0,
    )


@dataclass(eq=False, kw_only=True)
class EndpointModel:
    """A model behind a server; what it holds (connections, a thread) is let go of by `close`."""

    described: ModelInfo
    manner: Manner
    client: Client
    background: Background
    # Of each sentence that was asked for again: by how many bits the answers differ, and its text.
    again: list[tuple[float, str]] = field(default_factory=list)

    @property
    def info(self) -> ModelInfo:
        """Which model this is, what its server does by itself, and how far it repeats itself."""
        if not self.again:
            return self.described
        bits, where = max(self.again, key=itemgetter(0))
        again = {
            "n_sentences": len(self.again),
            "largest_bits": bits,
            "where": where if bits else "",
        }
        return replace(self.described, details={**self.described.details, "asked_again": again})

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: Sequence[Spans | None] | None = None,  # noqa: ARG002 - a server scores all tokens
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """Return an iterator over (index, scored sentence), each as soon as it is there.

        A server scores whole prompts, whatever is asked of them. Equal sentences are asked for
        once. At the end some of them are asked for again, in reverse order. Raises
        `UnsupportedFeatureError` for a policy that the server can't follow, and (later)
        `ModelError` for a request that has failed after all retries; those that are under way are
        then cancelled. For prompts that it refuses, and answers that cannot be, that is at the end.
        Of a server that does not repeat itself all answers of the call are spoiled.
        """
        check_only_method(self.described, policy)
        way = self.manner.way(policy, reference=self.described.reference)
        distinct = DistinctSentence.all_of(sentences)
        fault = "it holds half of a surrogate pair, which is no text"
        no_text = [each.text for each in distinct if not is_encodable(each.text)]
        if no_text:
            raise ModelError.of_sentences({text: self._failure(text, fault) for text in no_text})
        return self._score({each.text: each.indices for each in distinct}, way, policy)

    def close(self) -> None:
        """Close all connections and end the thread; may be called twice.

        A model that was closed connects anew when it is asked again.
        """
        self.background.close()

    def _score(
        self, indices: dict[str, tuple[int, ...]], way: Way, policy: Policy
    ) -> Iterator[tuple[int, ScoredSentence]]:
        # Servers refuse an empty prompt, and there is nothing to be asked about it.
        for index in indices.pop("", ()):
            yield index, ScoredSentence(text="", tokens=())

        again = _asked_again(list(indices))
        first: dict[str, ScoredSentence] = {}
        blamed: dict[str, str] = {}
        for text, scored in self._answers(list(indices), way, policy):
            if isinstance(scored, str):
                blamed[text] = scored
                continue
            if text in again:
                first[text] = scored
            for index in indices[text]:
                yield index, scored
        try:
            answers = self._answers([text for text in again[::-1] if text in first], way, policy)
            second = [scored for _, scored in answers if isinstance(scored, ScoredSentence)]
            self._compare([(first[each.text], each) for each in second])
        except ModelError as error:
            error.spoiled = frozenset(indices)
            raise
        if blamed:
            raise ModelError.of_sentences(blamed)

    def _compare(self, pairs: Sequence[tuple[ScoredSentence, ScoredSentence]]) -> None:
        """Note how far two answers to each sentence differ.

        Raises `ModelError` for more than batches and reduced precision may change.
        """
        differences = [(_largest_difference(*pair), pair[0].text) for pair in pairs]
        bits, where = max(differences, key=itemgetter(0), default=(0.0, ""))
        if bits > MOST_BITS:
            by = "other tokens" if math.isinf(bits) else f"{bits:.2f} bits"
            raise ModelError(
                f"{self.described.reference}: asked again, it gives {quoted(where)} other "
                f"surprisals (by {by}; {MOST_BITS:.2f} bits are admitted): they depend on what was "
                f"asked before; {EXACT}"
            )
        self.again += differences

    def _answers(self, sentences: Sequence[str], way: Way, policy: Policy) -> Iterator[_Answer]:
        if sentences:
            ask_all = partial(self._ask_all, sentences, way, policy)
            with contextlib.closing(self.background.items(ask_all)) as answers:
                yield from answers

    async def _ask_all(
        self, sentences: Sequence[str], way: Way, policy: Policy, put: Put[_Answer]
    ) -> None:
        """Ask for all sentences, so many at once; a request that fails ends it."""
        left = iter(sentences)

        async def ask_for_what_is_left() -> None:
            for sentence in left:
                put((sentence, await self._ask(sentence, way, policy)))

        n_workers = min(self.client.options.n_parallel, len(sentences))
        workers = [asyncio.create_task(ask_for_what_is_left()) for _ in range(n_workers)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    async def _ask(self, sentence: str, way: Way, policy: Policy) -> ScoredSentence | str:
        protocol = self.manner.protocol
        body = protocol.body(way.prompt(sentence), special_tokens=way.special_tokens)
        try:
            answer = protocol.read((await self.client.ask(protocol.url, body)).value)
            return way.scored(sentence, answer, policy)
        except InputError as error:
            return self._failure(sentence, str(error))
        except RequestFailedError as error:
            if error.status in _REFUSES_A_PROMPT:
                return self._failure(sentence, str(error))
            said = self.client.key.without(str(error))
            raise ModelError(f"{self.described.reference}: {said}") from None

    def _failure(self, sentence: str, reason: str) -> str:
        said = self.client.key.without(reason)
        return f"{self.described.reference}: {quoted(sentence)}: {said}"


def open_model(
    reference: str, options: LoadOptions, *, waiting: Waiting | None = None
) -> EndpointModel:
    """Connect to the server that `reference` names, and find out what it does.

    `waiting` says how long to wait before a request is repeated. Raises `UsageError` for what is no
    reference, and `ModelNotAvailableError` if the server, the model or the probabilities of prompts
    are not there; the message has the server's own reason.
    """
    parsed = read_reference(reference)
    _check_options(options)
    _require_extra(parsed)
    key = find_key(parsed, os.environ)
    client = Client(parsed, key, options, waiting or Waiting())
    background = Background(at_end=client.close)
    try:
        served, manner = background.run(_find_out(client))
    except BaseException as error:
        background.close()
        if isinstance(error, RequestFailedError):
            raise ModelNotAvailableError(f"{parsed.text}: {error}") from None
        raise
    model = EndpointModel(
        described=_describe(client, served, manner),
        manner=manner,
        client=client,
        background=background,
    )
    weakref.finalize(model, background.close)
    return model


async def _find_out(client: Client) -> tuple[Served, Manner]:
    served = await find_served(client)
    named = replace(client.reference, model=served.model)
    protocol = Completions(base_url=named.base_url, model=served.model)
    return served, await Prober(client, named, protocol).manner()


def _describe(client: Client, served: Served, manner: Manner) -> ModelInfo:
    def fit(value: object) -> Any:
        """Return what a server has written as it may be shown and stored."""
        return printable(client.key.without(value)) if isinstance(value, str) else value

    reference, options = client.reference, client.options
    entry, meta = served.said, served.said.get("meta")
    owner = entry.get("owned_by")
    said = {
        "server": served.server,
        # Servers write their own name there.
        "owned_by": owner if isinstance(owner, str) and owner else None,
        **manner.details,
    }
    return ModelInfo(
        reference=fit(replace(reference, model=served.model).text),
        name=fit(served.model),
        kind="endpoint",
        fingerprint=served.fingerprint(reference, manner),
        n_parameters=_number(meta.get("n_params")) if isinstance(meta, dict) else None,
        # How long a prompt may be, with the token that is generated.
        max_tokens=next(filter(None, (_number(entry.get(name)) for name in _LIMITS)), None),
        bos=fit(manner.bos),
        methods=("causal",),
        details={
            **{name: fit(value) for name, value in said.items()},
            "n_parallel": options.n_parallel,
            "timeout_seconds": options.timeout_seconds,
            "n_retries": options.n_retries,
        },
    )


def _check_options(options: LoadOptions) -> None:
    if options.n_parallel < 1:
        raise UsageError(f"1 request or more is under way at once, not {options.n_parallel}")
    if not 0 < options.timeout_seconds < math.inf:
        raise UsageError(f"a server needs time to answer, not {options.timeout_seconds:g} s")
    if options.n_retries < 0:
        raise UsageError(f"a request is repeated 0 times or more, not {options.n_retries}")


def _require_extra(reference: EndpointReference) -> None:
    try:
        import httpx  # noqa: F401 - an extra
    except ImportError:
        message = f"{reference.text} needs the remote extra: {UsageError.install('remote')}"
        raise ModelNotAvailableError(message) from None
