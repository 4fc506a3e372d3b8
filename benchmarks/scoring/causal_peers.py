"""What others do with a causal network: minicons, one by one, in padded batches, the harness."""

import math
import random
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.scoring.variant import Bits, Goal, Variant
from benchmarks.scoring.workload import Work

MINICONS_BATCH, PADDED_BATCH, HARNESS_BATCH = 32, 16, 64
SAMPLE_SHARE, SAMPLE_SEED = 0.1, 8
_BITS_PER_NAT = 1 / math.log(2)


def minicons(
    network: Any,
    tokenizer: Any,
    *,
    device: str,
    compare_with: str,
    batch_size: int = MINICONS_BATCH,
) -> Variant:
    """Return minicons: every sentence, in the order given, so many at a time."""
    scorer = import_module("minicons.scorer").IncrementalLMScorer(
        network, device, tokenizer=tokenizer
    )

    def run(work: Work) -> list[Any]:
        scored: list[Any] = []
        for start in range(0, len(work.sentences), batch_size):
            batch = list(work.sentences[start : start + batch_size])
            scored += scorer.token_score(batch, surprisal=True, base_two=True)
        return scored

    def read(_work: Work, raw: list[Any]) -> Bits:
        # It gives a first token, which has no context, the surprisal 0.
        return {i: [None, *(bits for _, bits in row[1:])] for i, row in enumerate(raw)}

    name = f"minicons, batches of {batch_size}"
    return Variant(name=name, run=run, read=read, compare_with=compare_with, goal=Goal(factor=6))


def one_by_one(
    network: Any, tokenizer: Any, *, device: str, full: bool, compare_with: str
) -> Variant:
    """Return what images of the LM Zoo do: each sentence alone, with all logits.

    Unless it must be `full`, a tenth of the sentences is scored, chosen at random, and the time
    is that of all of them.
    """

    def chosen(work: Work) -> list[int]:
        n = len(work.sentences)
        sample = random.Random(SAMPLE_SEED).sample(range(n), max(1, round(n * SAMPLE_SHARE)))  # noqa: S311
        return list(range(n)) if full else sorted(sample)

    def run(work: Work) -> dict[int, list[float]]:
        import torch

        scored = {}
        with torch.no_grad():
            for index in chosen(work):
                ids = tokenizer(work.sentences[index], return_tensors="pt").input_ids.to(device)
                rows = network(ids).logits[0].log_softmax(-1)
                own = rows[:-1].gather(-1, ids[0, 1:, None])[:, 0]
                scored[index] = own.tolist()
        return scored

    def read(_work: Work, raw: dict[int, list[float]]) -> Bits:
        return {index: [None, *_bits(nats)] for index, nats in raw.items()}

    return Variant(
        name="one by one" if full else "one by one (a tenth of the sentences)",
        run=run,
        read=read,
        share=lambda work: len(chosen(work)) / len(work.sentences),
        compare_with=compare_with,
        goal=Goal(factor=16),
    )


def padded_batches(network: Any, tokenizer: Any, *, device: str, compare_with: str) -> Variant:
    """Return what the `perplexity` metric of Hugging Face's `evaluate` does, suite by suite.

    All sentences of a suite are padded to the longest, then go through 16 at a time, with all
    logits and a cross-entropy over them.
    """

    def run(work: Work) -> list[list[float]]:
        scored: list[list[float]] = []
        for texts in _by_suite(work):
            inputs = tokenizer(texts, padding=True, return_tensors="pt").to(device)
            scored += _padded_nats(network, inputs.input_ids, inputs.attention_mask)
        return scored

    def read(_work: Work, raw: list[list[float]]) -> Bits:
        return {i: [None, *_bits([-nats for nats in row])] for i, row in enumerate(raw)}

    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    name = f"padded batches of {PADDED_BATCH} by suite"
    return Variant(name=name, run=run, read=read, compare_with=compare_with)


def _by_suite(work: Work) -> Iterator[list[str]]:
    start = 0
    for n_sentences in work.n_sentences_by_suite:
        yield list(work.sentences[start : start + n_sentences])
        start += n_sentences


def _padded_nats(network: Any, ids: Any, mask: Any) -> list[list[float]]:
    """Return -log p, in nats, of each sentence's tokens but its first."""
    import torch
    from torch.nn.functional import cross_entropy

    nats: list[list[float]] = []
    for start in range(0, len(ids), PADDED_BATCH):
        own, own_mask = ids[start : start + PADDED_BATCH], mask[start : start + PADDED_BATCH]
        with torch.no_grad():
            logits = network(own, attention_mask=own_mask).logits
        losses = cross_entropy(logits[:, :-1].transpose(1, 2), own[:, 1:], reduction="none")
        lengths = (own_mask.sum(-1) - 1).tolist()
        nats += [row[:n] for row, n in zip(losses.tolist(), lengths, strict=True)]
    return nats


def harness(
    network: Any,
    tokenizer: Any,
    *,
    device: str,
    compare_with: str,
    batch_size: int = HARNESS_BATCH,
) -> Variant:
    """Return lm-evaluation-harness: the log-likelihood of each sentence after the tokenizer's mark.

    It gives one total a sentence.
    """
    model = import_module("lm_eval.models.huggingface").HFLM(
        pretrained=network, tokenizer=tokenizer, batch_size=batch_size, device=device
    )
    instance = import_module("lm_eval.api.instance").Instance

    def run(work: Work) -> list[tuple[float, bool]]:
        requests = [
            instance(request_type="loglikelihood", doc={}, arguments=("", text), idx=index)
            for index, text in enumerate(work.sentences)
        ]
        answers: list[tuple[float, bool]] = model.loglikelihood(requests, disable_tqdm=True)
        return answers

    def read(_work: Work, raw: list[tuple[float, bool]]) -> Bits:
        return {index: -float(nats) * _BITS_PER_NAT for index, (nats, _) in enumerate(raw)}

    name = f"lm-evaluation-harness, batches of {batch_size}"
    return Variant(name=name, run=run, read=read, compare_with=compare_with, goal=Goal(factor=1.9))


def vllm(folder: Path, tokenizer: Any, *, dtype: str, compare_with: str) -> Variant:
    """Return vLLM: every sentence is a prompt, whose own tokens it gives probabilities of.

    It loads the network itself, and leaves more than half of the GPU's memory to others. Written,
    and then compared with what its API reference and source say (0.9.2 to 0.20.2): of 0 further
    tokens each place has the prompt's own, the first has None, and no prefix comes from a cache.
    It has never been run.
    """
    library = import_module("vllm")
    engine = library.LLM(model=str(folder), dtype=dtype, gpu_memory_utilization=0.4)
    wanted = library.SamplingParams(max_tokens=1, temperature=0, prompt_logprobs=0)

    def run(work: Work) -> list[Any]:
        every = tokenizer(list(work.sentences)).input_ids
        prompts = [{"prompt_token_ids": ids} for ids in every]
        answers: list[Any] = engine.generate(prompts, wanted, use_tqdm=False)
        return answers

    def read(_work: Work, raw: list[Any]) -> Bits:
        return {index: [None, *_bits(_own_log_p(answer))] for index, answer in enumerate(raw)}

    return Variant(name="vLLM, prompt_logprobs", run=run, read=read, compare_with=compare_with)


def _own_log_p(answer: Any) -> list[float]:
    """Return log p of each token of a prompt but its first."""
    pairs = zip(answer.prompt_token_ids[1:], answer.prompt_logprobs[1:], strict=True)
    return [float(expected[token].logprob) for token, expected in pairs]


def _bits(log_p: Sequence[float]) -> list[float]:
    return [-nats * _BITS_PER_NAT for nats in log_p]
