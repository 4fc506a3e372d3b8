"""What a server does by itself, found out with a few short prompts when a model is opened."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pommel.errors import InputError, ModelNotAvailableError, UnsupportedFeatureError, quoted
from pommel.models.endpoint.client import Client, RequestFailedError
from pommel.models.endpoint.manner import Manner, Way, listing
from pommel.models.endpoint.protocol import Completions, Generate, PromptAnswer, PromptProtocol
from pommel.models.endpoint.reference import EndpointReference
from pommel.models.endpoint.spelling import spell

# The same beginning, and then words after which very different ones follow.
_PROMPTS = ("The cat sat", "The cat the", "The cat of")
# Of natural logarithms: as much as batches and reduced precision may change.
_TOLERANCE = 0.1
# What tokenizers put in front of a sentence; some servers write it as nothing.
_MARK = re.compile(r"<.+>|\[.+\]|")
_NOT_FOUND = frozenset({404, 405, 501})
# What a path says to GET that is there for POST only.
_IS_THERE = frozenset({400, 405, 415, 422})
_NEEDED = "surprisals need prompt log-probabilities"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Probe:
    """A prompt's answer: `n_front` marks, then the `n_tokens` tokens that spell it."""

    answer: PromptAnswer
    n_front: int
    n_tokens: int

    @property
    def front(self) -> tuple[str, ...]:
        """The marks."""
        return self.answer.tokens[: self.n_front]

    @property
    def n_hidden(self) -> int | None:
        """How many tokens the server counts and does not show, if it counts."""
        counted = self.answer.n_prompt_tokens
        return None if counted is None else counted - self.n_front - self.n_tokens

    @property
    def texts(self) -> tuple[str, ...]:
        """The tokens of the prompt."""
        return self.answer.tokens[self.n_front : self.n_front + self.n_tokens]

    def number(self, index: int) -> float | None:
        """The logarithm of one of the prompt's tokens."""
        return self.answer.log_probabilities[self.n_front + index]

    def best(self, index: int) -> float | None:
        """The largest logarithm at the place of one of the prompt's tokens."""
        known = self.answer.best
        return known[self.n_front + index] if known else None

    def way(self, probes: Sequence["_Probe"], *, mark: str = "") -> Way:
        """Return the way in which these probes were asked; `InputError` if they differ."""
        for each in probes:
            if each.front != self.front:
                shown, other = listing(self.front), listing(each.front)
                raise InputError(f"it puts {shown} in front of one prompt, {other} of another")
            if each.n_hidden != self.n_hidden:
                raise InputError("its usage counts the tokens of each prompt in another way")
        return Way(
            mark=mark,
            front=self.front,
            n_hidden=self.n_hidden,
            # A probability of 1, whatever comes first, is none.
            is_first_scored=all(each.number(0) for each in probes),
        )


async def probe(client: Client, reference: EndpointReference, model: str) -> Manner:
    """Find out how a server is to be asked, and what it does of itself.

    Raises `ModelNotAvailableError`, with the server's own reason, for one that does not give the
    probabilities of a prompt or gives those of something else, and `RequestFailedError`.
    """
    return await _Prober(client, reference).manner(model)


class _Prober:
    def __init__(self, client: Client, reference: EndpointReference) -> None:
        self._client = client
        self._reference = reference

    async def manner(self, model: str) -> Manner:
        protocol, first = await self._find_protocol(model)
        try:
            probes = [first, *[await self._ask(protocol, each) for each in _PROMPTS[1:]]]
            own = first.way(probes)
            contexts = _check_contexts(probes)
        except InputError as error:
            raise self._not_available(str(error)) from None
        if own.has_mark or own.n_hidden:
            bare = await self._without_marks(protocol)
        else:
            bare = own
        # That a token is counted and not shown says little, unless it can be left out.
        marked = own if own.has_mark or (own.n_hidden and bare) else None
        if self._reference.bos is not None and own.front != (self._reference.bos,):
            marked = await self._with_mark(protocol, own, first)
        return Manner(protocol=protocol, own=own, marked=marked, bare=bare, contexts=contexts)

    async def _find_protocol(self, model: str) -> tuple[PromptProtocol, _Probe]:
        """Return the first protocol that works, and its answer to the first prompt."""
        completions = Completions(base_url=self._reference.base_url, model=model)
        try:
            return completions, await self._ask(completions, _PROMPTS[0])
        except RequestFailedError as failure:
            if failure.status is None or failure.may_pass or failure.status in {401, 403}:
                raise
            if "max_tokens" in failure.said and "echo" not in failure.said:
                shorter = replace(completions, max_tokens=0)
                return shorter, await self._ask_or_refuse(shorter)
            refusal = await self._refusal(failure)
        except InputError as error:
            refusal = self._not_available(f"{error}; {_NEEDED}")
        root_url = self._reference.base_url.removesuffix("/v1")
        generate = Generate(root_url=root_url)
        try:
            return generate, await self._ask(generate, _PROMPTS[0])
        except RequestFailedError:
            raise refusal from None
        except InputError as error:
            is_tgi = "prefill" in str(error) and "no 'details'" not in str(error)
            raise (self._not_available(str(error)) if is_tgi else refusal) from None

    async def _ask_or_refuse(self, protocol: PromptProtocol) -> _Probe:
        try:
            return await self._ask(protocol, _PROMPTS[0])
        except InputError as error:
            raise self._not_available(f"{error}; {_NEEDED}") from None
        except RequestFailedError as failure:
            raise (await self._refusal(failure)) from None

    async def _refusal(self, failure: RequestFailedError) -> ModelNotAvailableError:
        """Return what is said of a server that refuses to complete the first prompt."""
        is_missing = failure.status in _NOT_FOUND
        if "chat" in failure.said.lower() or (is_missing and await self._has_chat()):
            return self._not_available(
                f"it is a chat endpoint; {_NEEDED}, which chat completions do not give "
                f"({failure.reason})"
            )
        if is_missing:
            return self._not_available(f"there is nothing to complete prompts: {failure.reason}")
        return self._not_available(f"it refuses echo with logprobs: {failure.reason}; {_NEEDED}")

    async def _has_chat(self) -> bool:
        try:
            await self._client.get(f"{self._reference.base_url}/chat/completions")
        except RequestFailedError as failure:
            return failure.status in _IS_THERE
        return True

    async def _ask(
        self, protocol: PromptProtocol, prompt: str, *, mark: str = "", special_tokens: bool = True
    ) -> _Probe:
        """Return what a server says of a prompt.

        Raises `RequestFailedError`, and `InputError` for an answer that cannot be.
        """
        body = protocol.body(mark + prompt, special_tokens=special_tokens)
        answer = protocol.read((await self._client.post(protocol.url, body)).value)
        n_front = 0
        while n_front < len(answer.tokens) and _is_mark(answer.tokens[n_front], mark):
            n_front += 1
        try:
            spans = spell(prompt, answer.tokens[n_front:], most_generated=answer.most_generated)
        except InputError as error:
            raise InputError(f"it does not echo the prompt {prompt!r}: {error}") from None
        return _Probe(answer=answer, n_front=n_front, n_tokens=len(spans))

    async def _without_marks(self, protocol: PromptProtocol) -> Way | None:
        """Return the way in which the server leaves its marks out; None if it does not."""
        try:
            bare = await self._ask(protocol, _PROMPTS[0], special_tokens=False)
        except (RequestFailedError, InputError, UnsupportedFeatureError):
            return None
        way = replace(bare.way([bare]), special_tokens=False)
        return None if way.has_mark or way.n_hidden else way

    async def _with_mark(self, protocol: PromptProtocol, own: Way, plain: _Probe) -> Way:
        """Return the way in which the mark of the reference is put in front."""
        bos = self._reference.bos or ""
        if own.has_mark or own.n_hidden:
            which = quoted("".join(own.front)) if own.front else "a mark that it does not show"
            raise self._not_available(f"it puts {which} in front by itself; leave out ?bos={bos}")
        try:
            marked = await self._ask(protocol, _PROMPTS[0], mark=bos)
        except InputError as error:
            raise self._not_available(f"it does not take {bos!r} for one mark: {error}") from None
        way = marked.way([marked], mark=bos)
        if len(way.front) != 1 or marked.texts != plain.texts or not way.is_first_scored:
            shown = listing(marked.answer.tokens[: marked.n_front + marked.n_tokens])
            raise self._not_available(
                f"it does not take {bos!r} for one mark in front of {_PROMPTS[0]!r}: it shows "
                f"{shown}"
            )
        return way

    def _not_available(self, reason: str) -> ModelNotAvailableError:
        return ModelNotAvailableError(f"{self._reference.text}: {self._client.without_key(reason)}")


def _is_mark(token: str, mark: str) -> bool:
    return token == mark or _MARK.fullmatch(token) is not None


def _check_contexts(probes: Sequence[_Probe]) -> str:
    """Return how far it could be checked that numbers are those after what comes before.

    There are servers that are wrong by one place. Where the prompts part, the largest logarithm has
    to be the same for all (it depends on what comes before), and those of the words have to differ;
    before that place, all are the same. Raises `InputError` for a server of which this is not so.
    """
    columns = enumerate(zip(*[each.texts for each in probes], strict=False))
    place = next((index for index, column in columns if len(set(column)) > 1), 0)
    if place == 0:
        return "not checked: the first tokens differ"
    wrong = "its log-probabilities are not those of each token after the ones before it: "
    for index in range(place):
        numbers = [each.number(index) for each in probes]
        if set(numbers) != {None} and not _agree(numbers):
            which = quoted(probes[0].texts[index])
            raise InputError(f"{wrong}that of {which} depends on what follows ({_listed(numbers)})")
    numbers = [each.number(place) for each in probes]
    if _agree(numbers):
        words = listing([each.texts[place] for each in probes])
        raise InputError(f"{wrong}those of {words} are the same ({_listed(numbers)})")
    best = [each.best(place) for each in probes]
    if None in best:
        return "partly checked: no top_logprobs"
    if not _agree(best):
        raise InputError(
            f"{wrong}the best after {_PROMPTS[0].rpartition(' ')[0]!r} depends on the word itself "
            f"({_listed(best)}); they would be wrong by one place"
        )
    return "checked"


def _agree(numbers: Sequence[float | None]) -> bool:
    known = [number for number in numbers if number is not None]
    return len(known) == len(numbers) and max(known) - min(known) <= _TOLERANCE


def _listed(numbers: Sequence[float | None]) -> str:
    return ", ".join("none" if number is None else f"{number:.2f}" for number in numbers)
