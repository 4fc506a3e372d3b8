"""What a server does by itself, and how it is asked under each policy.

It is found out with a few short prompts when a model is opened.
"""

import math
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pommel.errors import InputError, ModelNotAvailableError, UnsupportedFeatureError, quoted
from pommel.models.endpoint.client import Client, RequestFailedError
from pommel.models.endpoint.protocol import Completions, PromptAnswer
from pommel.models.endpoint.reference import EndpointReference
from pommel.models.endpoint.spelling import spell
from pommel.models.model import Policy
from pommel.surprisal import ScoredSentence, Token
from pommel.values import frozen


@frozen
class Way:
    """One way to ask for a sentence.

    `mark` is written in front of it; without `special_tokens` the server is told to add none.
    `front` are the tokens that are then shown in front of the sentence's own, and `n_hidden` is
    how many more the server counts and does not show; None if it does not count. `is_first_scored`
    says that the sentence's first token has a probability.
    """

    mark: str = ""
    special_tokens: bool = True
    front: tuple[str, ...] = ()
    n_hidden: int | None = None
    is_first_scored: bool = False

    @property
    def has_mark(self) -> bool:
        """Whether something stands before the sentence for certain; a count alone may be wrong."""
        return bool(self.front) or self.is_first_scored

    def prompt(self, sentence: str) -> str:
        """Return what is sent for a sentence; it is not given a mark that it begins with."""
        return sentence if sentence.startswith(self.mark) else self.mark + sentence

    def scored(self, sentence: str, answer: PromptAnswer, policy: Policy) -> ScoredSentence:
        """Return the sentence with its tokens' surprisals, from natural logarithms to bits.

        Raises `InputError` for an answer that is not this sentence's: other tokens, other marks in
        front, a token without a probability that is not the first.
        """
        # A mark may be the sentence's own first token.
        is_marked = bool(self.mark) and sentence.startswith(self.mark)
        n_front = len(self.front) - is_marked
        if answer.tokens[:n_front] != self.front[:n_front]:
            shown, expected = answer.tokens[:n_front], self.front[:n_front]
            raise InputError(f"it puts {listing(shown)} and not {listing(expected)} in front")
        texts, numbers = answer.tokens[n_front:], answer.log_probabilities[n_front:]
        n_tokens = None
        if answer.n_prompt_tokens is not None and self.n_hidden is not None:
            # The server's own count.
            n_tokens = answer.n_prompt_tokens - self.n_hidden - n_front
        spans = spell(sentence, texts, n_tokens=n_tokens)
        tokens = []
        # Those that were generated are behind the others.
        for index, ((start, end), text, number) in enumerate(
            zip(spans, texts, numbers, strict=False)
        ):
            if index == 0 and (is_marked or not self.is_first_scored):
                bits = policy.first_token_bits
            elif number is None:
                raise InputError(
                    f"it gives no log-probability for {quoted(text)}, its token {index + 1}"
                )
            else:
                bits = -number / math.log(2)
            tokens.append(Token(text=text, start=start, end=end, surprisal_bits=bits))
        scored = ScoredSentence(text=sentence, tokens=tuple(tokens))
        scored.check()
        return scored


@frozen
class Manner:
    """What a server does by itself (`own`), and what it can be made to do.

    `marked` is the way in which a mark stands in front of a sentence, `bare` that in which none
    does; None where there is no such way. `contexts` says how far it was seen that the numbers of a
    token are those after what stands before it, and `repeats` that a long prompt has the same ones
    whatever was asked before.
    """

    protocol: Completions
    own: Way
    marked: Way | None
    bare: Way | None
    contexts: str
    repeats: str

    def way(self, policy: Policy, *, reference: str) -> Way:
        """Return how sentences are asked for; raises `UnsupportedFeatureError` if they can't be."""
        if policy.eos == "always":
            raise UnsupportedFeatureError(
                f"{reference}: eos=always: a server scores a prompt as it is, without a mark at "
                "its end; write eos=auto"
            )
        ways = {
            "tokenizer": self.own,
            "auto": self.usual,
            "always": self.marked,
            "never": self.bare,
        }
        if way := ways[policy.bos]:
            return way
        if self.marked is self.bare is None:
            reason = "the server counts a token that it does not show, which may be a mark or not"
        elif policy.bos == "never":
            reason = "the server puts a mark in front of every sentence; write bos=auto"
        else:
            reason = (
                "the server puts no mark in front of a sentence; name the model's: "
                "http://HOST/v1?bos=MARK#MODEL"
            )
        raise UnsupportedFeatureError(f"{reference}: bos={policy.bos}: {reason}")

    @property
    def usual(self) -> Way:
        """The way of bos=auto."""
        return self.marked or self.own

    @property
    def bos(self) -> str | None:
        """The mark in front of a sentence under bos=auto, if it is shown."""
        return "".join(self.usual.front) or self.usual.mark or None

    @property
    def details(self) -> dict[str, object]:
        """What a stored run says of it."""
        without_mark = "not possible"
        if self.bare:
            without_mark = "as it is" if self.bare.special_tokens else "add_special_tokens=false"
        return {
            "protocol": self.protocol.name,
            "first_token": _first_token(self.usual, is_marked=self.marked is not None),
            "without_mark": without_mark,
            "contexts": self.contexts,
            "repeats": self.repeats,
        }


def listing(tokens: Sequence[str]) -> str:
    """Return tokens as a message shows them."""
    return f"[{', '.join(quoted(each) for each in tokens)}]"


def _first_token(way: Way, *, is_marked: bool) -> str:
    if way.mark:
        return f"scored, after {way.mark!r} of the reference"
    if way.front:
        by = f"{''.join(way.front)!r}, which the server puts in front"
    elif is_marked:
        by = "a mark that the server puts in front and does not show"
    elif way.n_hidden:
        return "unscored: the server counts a token that it does not show"
    else:
        return "unscored: nothing stands before it"
    return f"scored, after {by}" if way.is_first_scored else f"unscored by the server, after {by}"


# The same beginning, and then words after which very different ones follow.
_PROMPTS = ("The cat sat", "The cat the", "The cat of")
# Of natural logarithms: as much as batches and reduced precision may change.
_TOLERANCE = 0.1
MOST_BITS = _TOLERANCE / math.log(2)
# In English any tokenizer has a token a word or more. Servers keep what they have computed of a
# prompt in blocks of 16 tokens; the first one is of words that were asked by nobody before.
_N_NEW = 8
_N_LONG = 32
_NEW = "amber birch cedar delta ember fjord grove heron inlet juniper kestrel lagoon maple nettle"
_SHARED = (
    "sat by the door of the old house at the end of the long road to the sea and saw how the wind "
    "took the leaves of the tall trees over the wall and into the garden"
)
_ENDINGS = (
    "where two of the children were at play with a ball",
    "while all the men went home before it was too dark",
)
EXACT = "start it so that its numbers are exact (docs/servers.md says with which options)"
# What tokenizers put in front of a sentence; some servers write it as nothing.
_MARK = re.compile(r"<.+>|\[.+\]|")
_NOT_FOUND = frozenset({404, 405, 501})
# What a path says to GET that is there for POST only.
_IS_THERE = frozenset({400, 405, 415, 422})
_NEEDED = "surprisals need prompt log-probabilities"


@frozen
class _Probe:
    """What a server says of a prompt: `front` are marks, `texts` the tokens that spell it.

    Of each of these, `numbers` has the logarithm, and `best` the largest one at its place; it is
    empty where the server does not tell. `n_hidden` is how many more tokens it counts, if it does.
    """

    front: tuple[str, ...]
    texts: tuple[str, ...]
    numbers: tuple[float | None, ...]
    best: tuple[float | None, ...]
    n_hidden: int | None

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
            is_first_scored=all(each.numbers[0] for each in probes),
        )


@dataclass(eq=False)
class Prober:
    """Finds out how a server is to be asked, and what it does of itself."""

    client: Client
    reference: EndpointReference
    protocol: Completions

    async def manner(self) -> Manner:
        """Return what was found out.

        Raises `ModelNotAvailableError`, with the server's own reason, for one that does not give
        the probabilities of a prompt or gives those of something else, and `RequestFailedError`.
        """
        first = await self._ask_first()
        try:
            probes = [first, *[await self._ask(each) for each in _PROMPTS[1:]]]
            own = first.way(probes)
            contexts = _check_contexts(probes)
            repeats = await self._check_repeats()
        except InputError as error:
            raise self._not_available(str(error)) from None
        bare = await self._without_marks() if own.has_mark or own.n_hidden else own
        # That a token is counted and not shown says little, unless it can be left out.
        marked = own if own.has_mark or (own.n_hidden and bare) else None
        if self.reference.bos is not None and own.front != (self.reference.bos,):
            marked = await self._with_mark(own, first)
        return Manner(
            protocol=self.protocol,
            own=own,
            marked=marked,
            bare=bare,
            contexts=contexts,
            repeats=repeats,
        )

    async def _check_repeats(self) -> str:
        """Ask for two long prompts that begin alike, twice in two orders; say how far they agree.

        A server that keeps what it has computed of a prompt has nothing of the first one, a part of
        the second and all of both when they come again. Raises `InputError` for one whose numbers
        depend on that.
        """
        new = " ".join(secrets.choice(_NEW.split()) for _ in range(_N_NEW))
        prompts = [f"The cat {new} {_SHARED} {ending}" for ending in _ENDINGS]
        probes: list[_Probe] = []
        for prompt in (*prompts, *reversed(prompts)):
            try:
                probes.append(await self._ask(prompt))
            except RequestFailedError as failure:
                if failure.may_pass or failure.status in {None, 401, 403}:
                    raise
                return "not checked: the server refuses a prompt of 60 words"
        first, second, second_again, first_again = probes
        if len(first.texts) <= _N_LONG:
            return f"not checked: the server cuts 60 words into {len(first.texts)} tokens"
        pairs = (first, second), (first, first_again), (second, second_again)
        largest = max(_largest_difference(*pair) for pair in pairs)
        return f"checked, to {largest:.4f} bits"

    async def _ask_first(self) -> _Probe:
        """Return what the server says of the first prompt, or raise why it does not."""
        try:
            return await self._ask(_PROMPTS[0])
        except RequestFailedError as failure:
            if failure.may_pass or failure.status in {None, 401, 403}:
                raise
            raise await self._refusal(failure) from None
        except InputError as error:
            raise self._not_available(f"{error}; {_NEEDED}") from None

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
            await self.client.ask(f"{self.reference.base_url}/chat/completions")
        except RequestFailedError as failure:
            return failure.status in _IS_THERE
        return True

    async def _ask(self, prompt: str, *, mark: str = "", special_tokens: bool = True) -> _Probe:
        """Return what a server says of a prompt.

        Raises `RequestFailedError`, and `InputError` for an answer that cannot be.
        """
        protocol = self.protocol
        body = protocol.body(mark + prompt, special_tokens=special_tokens)
        answer = protocol.read((await self.client.ask(protocol.url, body)).value)
        is_mark = [text == mark or _MARK.fullmatch(text) is not None for text in answer.tokens]
        n_front = [*is_mark, False].index(False)
        try:
            spans = spell(prompt, answer.tokens[n_front:])
        except InputError as error:
            raise InputError(f"it does not echo the prompt {prompt!r}: {error}") from None
        end, counted = n_front + len(spans), answer.n_prompt_tokens
        return _Probe(
            front=answer.tokens[:n_front],
            texts=answer.tokens[n_front:end],
            numbers=answer.log_probabilities[n_front:end],
            best=answer.best[n_front:end],
            n_hidden=None if counted is None else counted - end,
        )

    async def _without_marks(self) -> Way | None:
        """Return the way in which the server leaves its marks out; None if it does not."""
        try:
            bare = await self._ask(_PROMPTS[0], special_tokens=False)
        except (RequestFailedError, InputError):
            return None
        way = replace(bare.way([bare]), special_tokens=False)
        return None if way.has_mark or way.n_hidden else way

    async def _with_mark(self, own: Way, plain: _Probe) -> Way:
        """Return the way in which the mark of the reference is put in front."""
        bos = self.reference.bos or ""
        if own.has_mark or own.n_hidden:
            which = quoted("".join(own.front)) if own.front else "a mark that it does not show"
            raise self._not_available(f"it puts {which} in front by itself; leave out ?bos={bos}")
        try:
            marked = await self._ask(_PROMPTS[0], mark=bos)
        except InputError as error:
            raise self._not_available(f"it does not take {bos!r} for one mark: {error}") from None
        way = marked.way([marked], mark=bos)
        if len(way.front) != 1 or marked.texts != plain.texts or not way.is_first_scored:
            raise self._not_available(
                f"it does not take {bos!r} for one mark in front of {_PROMPTS[0]!r}: it shows "
                f"{listing(marked.front + marked.texts)}"
            )
        return way

    def _not_available(self, reason: str) -> ModelNotAvailableError:
        return ModelNotAvailableError(f"{self.reference.text}: {self.client.key.without(reason)}")


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
        numbers = [each.numbers[index] for each in probes]
        if set(numbers) != {None} and not _agree(numbers):
            which = quoted(probes[0].texts[index])
            raise InputError(f"{wrong}that of {which} depends on what follows ({_listed(numbers)})")
    numbers = [each.numbers[place] for each in probes]
    if _agree(numbers):
        words = listing([each.texts[place] for each in probes])
        raise InputError(f"{wrong}those of {words} are the same ({_listed(numbers)})")
    best = [each.best[place] if each.best else None for each in probes]
    if None in best:
        return "partly checked: no top_logprobs"
    if not _agree(best):
        raise InputError(
            f"{wrong}the best after {_PROMPTS[0].rpartition(' ')[0]!r} depends on the word itself "
            f"({_listed(best)}); they would be wrong by one place"
        )
    return "checked"


def _largest_difference(one: _Probe, other: _Probe) -> float:
    """Return by how many bits two answers differ at most, in the tokens that both begin with.

    Raises `InputError` for too much of it.
    """
    largest = 0.0
    for index, (text, another) in enumerate(zip(one.texts, other.texts, strict=False)):
        if text != another:
            break
        numbers = one.numbers[index], other.numbers[index]
        if numbers == (None, None):
            continue
        if not _agree(numbers):
            raise InputError(
                f"its log-probabilities depend on what was asked before: that of {quoted(text)}, "
                f"token {index + 1} of a prompt, is first {_listed(numbers[:1])} and then "
                f"{_listed(numbers[1:])}; {EXACT}"
            )
        largest = max(largest, abs((numbers[0] or 0) - (numbers[1] or 0)) / math.log(2))
    return largest


def _agree(numbers: Sequence[float | None]) -> bool:
    known = [number for number in numbers if number is not None]
    return len(known) == len(numbers) and max(known) - min(known) <= _TOLERANCE


def _listed(numbers: Sequence[float | None]) -> str:
    return ", ".join("none" if number is None else f"{number:.2f}" for number in numbers)
