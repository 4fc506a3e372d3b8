"""The three comparisons: suites and minimal pairs on a causal network, suites on a masked one."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.scoring import causal_peers, masked_peers, ours
from benchmarks.scoring.machine import installed
from benchmarks.scoring.matrix_products import Products, Weights, gpt2_weights, shapes_of
from benchmarks.scoring.networks import load
from benchmarks.scoring.report import Part, rows_of
from benchmarks.scoring.variant import Measured, Variant, measure
from benchmarks.scoring.workload import Work

from pommel.models.model import Policy

PEERS = {
    "minicons": "minicons",
    "one-by-one": "transformers",
    "padded": "transformers",
    "lm-eval": "lm_eval",
    "vllm": "vllm",
}
# Without a mark in front, as most others score; and with one, as the harness does.
_NO_BOS, _BOS = Policy(bos="never"), Policy(bos="always")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line says. `peers` are those wanted and there."""

    peers: frozenset[str]
    device: str
    dtype: str
    n_repeats: int
    full: bool
    whole_batch: int
    window_batch: int
    peak_tflops: float | None


def usable_peers(wanted: Sequence[str]) -> frozenset[str]:
    """Return those of the peers that are installed, and say which are not."""
    found = set()
    for peer in wanted:
        if installed(PEERS[peer]) is None:
            say(f"{peer} is left out: it is not installed (pip install {PEERS[peer]})")
        else:
            found.add(peer)
    return frozenset(found)


def suites_part(folder: Path, work: Work, warm_up: Work, options: Options) -> Part:
    """Compare suites on a causal network."""
    model = ours.open_ours(folder, device=options.device, dtype=options.dtype)
    network = ours.network_of(model)
    recorder = ours.Recorder(network=network)
    products = Products(gpt2_weights(network.model), recorder)
    variants = [
        ours.suites_variant(model, _NO_BOS, "needed", recorder),
        products.variant(),
        ours.suites_variant(model, _NO_BOS, "all"),
    ]
    theirs, tokenizer = load(folder, masked=False, device=options.device, dtype=options.dtype)
    common: dict[str, Any] = {"device": options.device, "compare_with": ours.EVERY}
    if "minicons" in options.peers:
        variants.append(causal_peers.minicons(theirs, tokenizer, **common))
    if "padded" in options.peers:
        variants.append(causal_peers.padded_batches(theirs, tokenizer, **common))
    if "one-by-one" in options.peers:
        alone = causal_peers.one_by_one(theirs, tokenizer, full=options.full, **common)
        variants.append(alone)
    measured = _measure(variants, work, warm_up, options)
    counts = _counts(recorder, _n_tokens(tokenizer, work)) | _speed(
        products.weights, recorder, measured, ours.NAMED, options
    )
    title = f"{len(work.suites)} suites, causal: {len(work.sentences):,} sentences"
    return Part(title=title, rows=rows_of(variants, work, measured), counts=counts)


def pairs_part(folder: Path, work: Work, warm_up: Work, options: Options) -> Part:
    """Compare minimal pairs on a causal network."""
    model = ours.open_ours(folder, device=options.device, dtype=options.dtype)
    network = ours.network_of(model)
    recorder = ours.Recorder(network=network)
    variants = [
        ours.sentences_variant(model, _BOS, whole=False, recorder=recorder),
        ours.sentences_variant(model, _BOS, whole=True),
    ]
    theirs, tokenizer = load(folder, masked=False, device=options.device, dtype=options.dtype)
    if "lm-eval" in options.peers:
        harness = causal_peers.harness(
            theirs, tokenizer, device=options.device, compare_with=ours.WHOLE
        )
        variants.append(harness)
    measured = _measure(variants, work, warm_up, options)
    counts = _counts(recorder, _n_tokens(tokenizer, work)) | _speed(
        gpt2_weights(network.model), recorder, measured, ours.DIFFERENT, options
    )
    title = f"minimal pairs, causal: {len(work.sentences):,} sentences"
    return Part(title=title, rows=rows_of(variants, work, measured), counts=counts)


def masked_part(folder: Path, work: Work, warm_up: Work, options: Options) -> Part:
    """Compare suites on a masked network, one token masked at a time."""
    policy = Policy(method="pll")
    model = ours.open_ours(folder, device=options.device, dtype=options.dtype)
    recorder = ours.Recorder(network=ours.network_of(model))
    variants = [
        ours.suites_variant(model, policy, "needed", recorder),
        ours.suites_variant(model, policy, "all"),
    ]
    theirs, tokenizer = load(folder, masked=True, device=options.device, dtype=options.dtype)
    if "minicons" in options.peers:
        scorer = masked_peers.scorer_of(theirs, tokenizer, device=options.device)
        variants += [
            masked_peers.whole_sentences(
                scorer, batch_size=options.whole_batch, compare_with=ours.EVERY
            ),
            masked_peers.target_windows(
                scorer, batch_size=options.window_batch, compare_with=ours.NAMED
            ),
        ]
    measured = _measure(variants, work, warm_up, options)
    lengths = [len(ids) for ids in tokenizer(list(work.sentences)).input_ids]
    # One copy of the sentence for each token but the two marks.
    counts = _counts(recorder, sum((n - 2) * n for n in lengths))
    names = ", ".join(suite.name for suite in work.suites)
    title = f"{names}, masked (pll): {len(work.sentences):,} sentences"
    return Part(title=title, rows=rows_of(variants, work, measured), counts=counts)


def say(line: str) -> None:
    """Write a line on standard error."""
    print(line, file=sys.stderr, flush=True)


def _measure(variants: Sequence[Variant], work: Work, warm_up: Work, options: Options) -> Measured:
    return measure(variants, work, warm_up=warm_up, n_repeats=options.n_repeats, say=say)


def _n_tokens(tokenizer: Any, work: Work) -> int:
    return sum(map(len, tokenizer(list(work.sentences)).input_ids))


def _counts(recorder: ours.Recorder, n_naive: int) -> dict[str, float]:
    """Return the work of the last run, and its share of that of the naive way."""
    n_fed = sum(each.ids.size for each in recorder.passes)
    n_rows = sum(len(each.rows) for each in recorder.passes)
    return {
        "passes": len(recorder.passes),
        "tokens, every sentence and position": n_naive,
        "tokens fed": n_fed,
        "padding among them": n_fed - sum(int(each.lengths.sum()) for each in recorder.passes),
        "rows projected": n_rows,
        "share of tokens fed": n_fed / n_naive,
        "share of rows projected": n_rows / n_naive,
    }


def _speed(
    weights: Weights, recorder: ours.Recorder, measured: Measured, name: str, options: Options
) -> dict[str, float]:
    """Return the arithmetic that is needed, and how fast it is done."""
    shapes = shapes_of(recorder.passes)
    tflop = weights.n_flop(shapes) / 1e12
    rate = tflop / measured.times[name].median_s
    speed: dict[str, float] = {"distinct prefixes": sum(shape.n_nodes for shape in shapes)}
    speed |= {"TFLOP in matrix products": tflop, "TFLOP/s": rate}
    if options.peak_tflops:
        speed["share of peak"] = rate / options.peak_tflops
    return speed
