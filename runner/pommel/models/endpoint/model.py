"""A model behind a server: sentences go out as prompts, their tokens' surprisals come back."""

import asyncio
import contextlib
import math
import os
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from pommel.errors import (
    InputError,
    ModelError,
    ModelNotAvailableError,
    UsageError,
    printable,
    quoted,
)
from pommel.files.waiting import Waiting
from pommel.models.distinct import distinct_sentences
from pommel.models.endpoint.background import Background, Put
from pommel.models.endpoint.client import Client, RequestFailedError
from pommel.models.endpoint.keys import find_key
from pommel.models.endpoint.manner import Manner, Way
from pommel.models.endpoint.probing import probe
from pommel.models.endpoint.reference import EndpointReference, read_reference
from pommel.models.endpoint.served import Served, find_served
from pommel.models.model import LoadOptions, ModelInfo, Spans
from pommel.models.only_method import check_only_method
from pommel.models.policy import Policy
from pommel.surprisal import ScoredSentence


class EndpointModel:
    """A model behind a server; what it holds (connections, a thread) is let go of by `close`."""

    def __init__(
        self,
        *,
        info: ModelInfo,
        manner: Manner,
        client: Client,
        background: Background,
        n_parallel: int,
    ) -> None:
        """Put together what `open_model` has found out."""
        self._info = info
        self._manner = manner
        self._client = client
        self._background = background
        self._n_parallel = n_parallel

    @property
    def info(self) -> ModelInfo:
        """Which model this is, and what its server does by itself."""
        return self._info

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: Sequence[Spans | None] | None = None,  # noqa: ARG002 - a server scores all tokens
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """Return an iterator over (index, scored sentence), each as soon as it is there.

        A server scores whole prompts, whatever is asked of them. Equal sentences are asked for
        once. Raises `UnsupportedFeatureError` for a policy that the server can't follow, and
        (later) `ModelError` for a sentence that it has failed on after all retries or whose answer
        cannot be; requests that are under way are then cancelled.
        """
        check_only_method(self._info, policy)
        way = self._manner.way(policy, reference=self._info.reference)
        distinct = distinct_sentences(sentences)
        for each in distinct:
            self._check_unicode(each.text)
        return self._score({each.text: each.indices for each in distinct}, way, policy)

    def close(self) -> None:
        """Close all connections and end the thread; may be called twice.

        A model that was closed connects anew when it is asked again.
        """
        self._background.close()

    def _score(
        self, indices: dict[str, tuple[int, ...]], way: Way, policy: Policy
    ) -> Iterator[tuple[int, ScoredSentence]]:
        # Servers refuse an empty prompt, and there is nothing to be asked about it.
        for index in indices.pop("", ()):
            yield index, ScoredSentence(text="", tokens=())

        async def ask_all(put: Put[ScoredSentence]) -> None:
            await self._ask_all(list(indices), way, policy, put)

        with contextlib.closing(self._background.items(ask_all)) as answers:
            for scored in answers:
                for index in indices[scored.text]:
                    yield index, scored

    async def _ask_all(
        self, sentences: Sequence[str], way: Way, policy: Policy, put: Put[ScoredSentence]
    ) -> None:
        """Ask for all sentences, so many at once; the first that fails ends it."""
        left = iter(sentences)

        async def ask_for_what_is_left() -> None:
            for sentence in left:
                put(await self._ask(sentence, way, policy))

        n_workers = min(self._n_parallel, len(sentences))
        workers = [asyncio.create_task(ask_for_what_is_left()) for _ in range(n_workers)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    async def _ask(self, sentence: str, way: Way, policy: Policy) -> ScoredSentence:
        protocol = self._manner.protocol
        body = protocol.body(way.prompt(sentence), special_tokens=way.special_tokens)
        try:
            answer = protocol.read((await self._client.post(protocol.url, body)).value)
            return way.scored(sentence, answer, policy)
        except RequestFailedError as failure:
            raise self._failure(sentence, failure.reason) from None
        except InputError as error:
            raise self._failure(sentence, str(error)) from None

    def _check_unicode(self, sentence: str) -> None:
        try:
            sentence.encode()
        except UnicodeEncodeError as error:
            broken = sentence[error.start]
            reason = f"the character {broken!a} at {error.start} is half of a pair and no text"
            raise self._failure(sentence, reason) from None

    def _failure(self, sentence: str, reason: str) -> ModelError:
        said = self._client.without_key(reason)
        return ModelError(f"{self._info.reference}: {quoted(sentence)}: {said}")


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
        served, manner = background.run(_find_out(client, parsed))
    except RequestFailedError as failure:
        background.close()
        raise ModelNotAvailableError(f"{parsed.text}: {failure.reason}") from None
    except BaseException:
        background.close()
        raise
    model = EndpointModel(
        info=_describe(parsed, served, manner, options, client),
        manner=manner,
        client=client,
        background=background,
        n_parallel=options.n_parallel,
    )
    weakref.finalize(model, background.close)
    return model


async def _find_out(client: Client, reference: EndpointReference) -> tuple[Served, Manner]:
    served = await find_served(client, reference)
    named = replace(reference, model=served.model)
    return served, await probe(client, named, served.model)


def _describe(
    reference: EndpointReference,
    served: Served,
    manner: Manner,
    options: LoadOptions,
    client: Client,
) -> ModelInfo:
    def fit(value: Any) -> Any:
        """Return what a server has written as it may be shown and stored."""
        return printable(client.without_key(value)) if isinstance(value, str) else value

    said = {"server": served.server, "owned_by": served.owner, **manner.details}
    return ModelInfo(
        reference=fit(replace(reference, model=served.model).text),
        name=fit(served.model),
        kind="endpoint",
        fingerprint=served.fingerprint(reference, manner),
        n_parameters=served.n_parameters,
        max_tokens=served.max_tokens,
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
        import httpx  # noqa: F401, PLC0415 - an extra
    except ImportError:
        message = f"{reference.text} needs the remote extra: pip install 'pommel[remote]'"
        raise ModelNotAvailableError(message) from None
