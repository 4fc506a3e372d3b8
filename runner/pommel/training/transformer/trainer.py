"""The tokenizers, the networks, and the one loop that trains them."""

import json
import math
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import torch
from tokenizers import BertWordPieceTokenizer, ByteLevelBPETokenizer, Tokenizer
from torch import Tensor
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
)
from transformers.utils import logging

from pommel.errors import PommelError, UsageError
from pommel.training.lstm.recipe import Watcher
from pommel.training.transformer.recipe import TransformerRecipe
from pommel.values import frozen

# Ids of tokens, marks at both ends included.
Sentence = list[int]

END_OF_TEXT = "<|endoftext|>"
# In the order of their ids, from 0.
PADDING, UNKNOWN, CLS, SEP, MASK = MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def train_tokenizer(sentences: Iterable[str], recipe: TransformerRecipe) -> Tokenizer:
    """Return byte-level BPE as GPT-2 has it, or word pieces as BERT has them.

    The same sentences always give the same tokenizer. Raises `UsageError` if the vocabulary has no
    room for all characters of the sentences.
    """
    if recipe.objective == "masked":
        return _word_pieces(list(sentences), recipe)
    tokenizer = ByteLevelBPETokenizer(trim_offsets=False, lowercase=not recipe.cased)
    tokenizer.train_from_iterator(
        sentences, recipe.vocabulary_size, 0, show_progress=False, special_tokens=[END_OF_TEXT]
    )
    return Tokenizer.from_str(tokenizer.to_str())


def _word_pieces(sentences: Sequence[str], recipe: TransformerRecipe) -> Tokenizer:
    def pieces(vocabulary: Mapping[str, int] | None = None) -> BertWordPieceTokenizer:
        return BertWordPieceTokenizer(
            dict(vocabulary) if vocabulary else None,
            lowercase=not recipe.cased,
            strip_accents=False,
        )

    trained = pieces()
    inner = trained._tokenizer  # noqa: SLF001 - what is before the model has no other door
    letters = set()
    for sentence in sentences:
        for word, _ in inner.pre_tokenizer.pre_tokenize_str(
            inner.normalizer.normalize_str(sentence)
        ):
            letters |= {word[0], *(f"##{letter}" for letter in word[1:])}
    n_known = len(MARKS) + len(letters)
    if recipe.vocabulary_size < n_known:
        raise UsageError(
            f"--vocabulary-size {recipe.vocabulary_size:,} has no room for the marks and the "
            f"characters of the text; write {n_known:,} or more"
        )
    # By itself the trainer numbers characters in the order of a hash table, which is another one in
    # every process, and of two pairs that are as frequent it takes the one of lower numbers.
    trained.train_from_iterator(
        sentences,
        recipe.vocabulary_size,
        min_frequency=0,
        limit_alphabet=n_known,
        special_tokens=[*MARKS, *sorted(letters)],
        show_progress=False,
    )
    return Tokenizer.from_str(pieces(trained.get_vocab()).to_str())


def encoded(
    tokenizer: Tokenizer, sentences: Sequence[str], recipe: TransformerRecipe
) -> list[Sentence]:
    """Return the sentences as a network gets them, in their order; longer ones are cut."""
    encodings = tokenizer.encode_batch(list(sentences), add_special_tokens=False)
    vocabulary = tokenizer.get_vocab()
    marks = (CLS, SEP) if recipe.objective == "masked" else (END_OF_TEXT, END_OF_TEXT)
    opening, closing = (vocabulary[mark] for mark in marks)
    # What follows is predicted and never fed.
    most = recipe.n_positions - (2 if recipe.objective == "masked" else 1)
    return [[opening, *encoding.ids[:most], closing] for encoding in encodings]


class Network(Protocol):
    """A model in training: what it predicts of sentences, and how well."""

    model: Any

    def nats(self, batch: Sequence[Sentence], draws: torch.Generator) -> tuple[Tensor, int]:
        """Return the sum of surprisals in nats, as a tensor, and of how many tokens it is."""


class Causal:
    """A GPT-2; predicted are all tokens but the first of each sentence."""

    def __init__(self, recipe: TransformerRecipe, n_tokens: int) -> None:
        """Draw the weights from torch's generator."""
        self.model = GPT2LMHeadModel(
            GPT2Config(
                vocab_size=n_tokens,
                n_positions=recipe.n_positions,
                n_embd=recipe.width,
                n_layer=recipe.n_layers,
                n_head=recipe.n_heads,
                bos_token_id=0,
                eos_token_id=0,
                resid_pdrop=recipe.dropout,
                embd_pdrop=recipe.dropout,
                attn_pdrop=recipe.dropout,
            )
        )

    def nats(self, batch: Sequence[Sentence], draws: torch.Generator) -> tuple[Tensor, int]:  # noqa: ARG002 - nothing is left to chance
        # Padding stands on the right, where causal attention does not see it, and is no target.
        tokens = pad_sequence(list(map(torch.tensor, batch)), batch_first=True, padding_value=-100)
        logits = self.model(input_ids=tokens[:, :-1].clamp(min=0), use_cache=False).logits
        targets = tokens[:, 1:].flatten()
        nats = functional.cross_entropy(logits.float().flatten(0, 1), targets, reduction="sum")
        return nats, n_predicted_in(batch)


_CHOSEN_SHARE = 0.15
# Of those chosen; the rest stays what it is.
_MASKED_SHARE, _RANDOM_SHARE = 0.8, 0.1


# Of the weights at the width of BERT's base model. What a layer adds stays as large beside what it
# is added to where both are narrower.
_BERT_RANGE, _BERT_WIDTH = 0.02, 768


class Masked:
    """A BERT; predicted are tokens chosen at random, which never are the marks."""

    def __init__(self, recipe: TransformerRecipe, n_tokens: int) -> None:
        """Draw the weights from torch's generator."""
        self._n_tokens = n_tokens
        self.model = BertForMaskedLM(
            BertConfig(
                vocab_size=n_tokens,
                max_position_embeddings=recipe.n_positions,
                hidden_size=recipe.width,
                num_hidden_layers=recipe.n_layers,
                num_attention_heads=recipe.n_heads,
                intermediate_size=4 * recipe.width,
                hidden_dropout_prob=recipe.dropout,
                attention_probs_dropout_prob=recipe.dropout,
                initializer_range=_BERT_RANGE * math.sqrt(_BERT_WIDTH / recipe.width),
                pad_token_id=MARKS.index(PADDING),
            )
        )

    def nats(self, batch: Sequence[Sentence], draws: torch.Generator) -> tuple[Tensor, int]:
        padding = MARKS.index(PADDING)
        tokens = pad_sequence(
            list(map(torch.tensor, batch)), batch_first=True, padding_value=padding
        )
        lots, fates = torch.rand((2, *tokens.shape), generator=draws)
        others = torch.randint(len(MARKS), self._n_tokens, tokens.shape, generator=draws)
        chosen = (lots < _CHOSEN_SHARE) & (tokens >= len(MARKS))
        inputs = tokens.masked_fill(chosen & (fates < _MASKED_SHARE), MARKS.index(MASK))
        is_random = chosen & (fates >= 1 - _RANDOM_SHARE)
        inputs = torch.where(is_random, others, inputs)
        states = self.model.bert(input_ids=inputs, attention_mask=tokens != padding)
        # The projection to the vocabulary is most of the work, and only needed here.
        logits = self.model.cls(states.last_hidden_state[chosen])
        nats = functional.cross_entropy(logits.float(), tokens[chosen], reduction="sum")
        return nats, int(chosen.sum())


@frozen
class Figures:
    """What came out, in bits per predicted token: under "masked" these are the chosen ones.

    `unigram` is what the best guess without context needs, of all tokens of the validation;
    `start` is before the first step, `training` the mean of the last pass, as it was met.
    """

    n_steps: int
    n_parameters: int
    n_training_tokens: int
    unigram_bits_per_token: float
    start_bits_per_token: float
    training_bits_per_token: float
    validation_bits_per_token: float


# Batches are of sentences of like length among so many.
_POOL_BATCHES = 64
# The draws of every validation are the same.
_VALIDATION_SEED = 0


class Trainer:
    """One network on its way from a seed to its weights.

    All that is random is drawn from the seed; torch's own generator is left as it was.
    """

    def __init__(
        self,
        recipe: TransformerRecipe,
        tokenizer: Tokenizer,
        *,
        seed: int,
        bfloat16: bool = False,
        float16_weights: bool = False,
    ) -> None:
        """Make a network that has seen nothing.

        `bfloat16` is for products while training; with `float16_weights` the weights are rounded
        to it, and saved so, when training has ended.
        """
        self.recipe = recipe
        self.tokenizer = tokenizer
        self.seed = seed
        self.bfloat16 = bfloat16
        self.float16_weights = float16_weights
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            of_objective = Masked if recipe.objective == "masked" else Causal
            self.network: Network = of_objective(recipe, tokenizer.get_vocab_size())

    @property
    def model(self) -> Any:
        """The model of transformers."""
        return self.network.model

    def train(
        self, sentences: Sequence[Sentence], validation: Sequence[Sentence], watcher: Watcher
    ) -> Figures:
        """Pass through `sentences` and return what came out.

        The first pass takes them in their order, but for batches of like length; later ones do not.
        Raises `PommelError` if the loss is no number any more.
        """
        with torch.random.fork_rng(devices=[]):
            # What is drawn from torch's generator is dropout.
            torch.manual_seed(self.seed)
            return self._train(sentences, validation, watcher)

    def _train(
        self, sentences: Sequence[Sentence], validation: Sequence[Sentence], watcher: Watcher
    ) -> Figures:
        n_epochs = self.recipe.n_epochs
        n_batches = math.ceil(len(sentences) / self.recipe.batch_size)
        start_bits = self._bits_per_token(validation)
        watcher.begin(self.seed, n_epochs=n_epochs, n_steps=n_batches)
        optimizer = torch.optim.AdamW(
            self.model.parameters(),
            lr=self.recipe.learning_rate,
            weight_decay=self.recipe.weight_decay,
            betas=(0.9, 0.98),
            fused=True,
        )
        draws = torch.Generator().manual_seed(self.seed)
        order = random.Random(self.seed)  # noqa: S311 - shuffling, not secrets
        remaining = list(sentences)
        training_bits, validation_bits = math.inf, start_bits
        for epoch in range(1, n_epochs + 1):
            started = time.monotonic()
            if epoch > 1:
                order.shuffle(remaining)
            self.model.train()
            bits, n_predicted = 0.0, 0
            for step, batch in enumerate(_batches(remaining, self.recipe.batch_size, order), 1):
                done = ((epoch - 1) * n_batches + step) / (n_epochs * n_batches)
                for group in optimizer.param_groups:
                    share = _schedule(done, self.recipe.warmup_share)
                    group["lr"] = self.recipe.learning_rate * share
                nats, n = self._step(optimizer, batch, draws)
                if not math.isfinite(nats):
                    raise PommelError(
                        f"training diverged in step {step:,} of epoch {epoch}: the loss is not a "
                        "finite number; try a --learning-rate below "
                        f"{self.recipe.learning_rate:g}"
                    )
                bits, n_predicted = bits + nats / math.log(2), n_predicted + n
                training_bits = bits / max(1, n_predicted)
                watcher.step(step, epoch, f"{training_bits:.3f} bits per token")
            seconds = time.monotonic() - started
            if self.float16_weights and epoch == n_epochs:
                for weight in self.model.parameters():
                    weight.data = weight.data.half().float()
            validation_bits = self._bits_per_token(validation)
            watcher.note(
                f"seed {self.seed}, epoch {epoch} of {n_epochs}: {training_bits:.3f} bits per "
                f"token in training, {validation_bits:.3f} in validation, "
                f"{n_predicted_in(remaining) / seconds:,.0f} tokens/s"
            )
        return Figures(
            n_steps=n_epochs * n_batches,
            n_parameters=sum(weight.numel() for weight in self.model.parameters()),
            n_training_tokens=n_predicted_in(sentences),
            unigram_bits_per_token=_unigram_bits(sentences, validation),
            start_bits_per_token=start_bits,
            training_bits_per_token=training_bits,
            validation_bits_per_token=validation_bits,
        )

    def _step(
        self, optimizer: torch.optim.Optimizer, batch: Sequence[Sentence], draws: torch.Generator
    ) -> tuple[float, int]:
        """Make a step; returns the surprisals before it, in nats, and of how many tokens."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.bfloat16):
            nats, n_predicted = self.network.nats(batch, draws)
            loss = nats / max(1, n_predicted)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        optimizer.step()
        return nats.item(), n_predicted

    @torch.no_grad()
    def _bits_per_token(self, sentences: Sequence[Sentence]) -> float:
        self.model.eval()
        draws = torch.Generator().manual_seed(_VALIDATION_SEED)
        ordered = sorted(sentences, key=len)
        starts = range(0, len(ordered), 100)
        found = [self.network.nats(ordered[start : start + 100], draws) for start in starts]
        n_predicted = sum(n for _, n in found)
        return sum(nats.item() for nats, _ in found) / math.log(2) / max(1, n_predicted)

    def save(self, folder: Path) -> None:
        """Write the model and its tokenizer as a folder of transformers'.

        config.json asks for float32, so that float16 weights are computed with in float32. Raises
        what the file system and safetensors raise.
        """
        folder.mkdir(parents=True, exist_ok=True)
        model = self.model.half() if self.float16_weights else self.model
        with _without_bars():
            model.save_pretrained(folder)
        # Either name of the same setting: transformers 5 reads the first, 4 the second.
        _amend(folder / "config.json", {"dtype": "float32", "torch_dtype": "float32"})
        # Sampling settings would suggest that the model is meant to write text.
        (folder / "generation_config.json").unlink(missing_ok=True)
        marks: Mapping[str, str] = dict.fromkeys(
            ("bos_token", "eos_token", "unk_token"), END_OF_TEXT
        )
        if self.recipe.objective == "masked":
            names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
            marks = dict(zip(names, MARKS, strict=True))
        wrapped = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
            tokenizer_object=self.tokenizer,
            model_max_length=self.recipe.n_positions,
            clean_up_tokenization_spaces=False,
            **marks,
        )
        wrapped.save_pretrained(folder)
        # transformers 5 writes a class name that 4 does not know.
        _amend(folder / "tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast"})
        # safetensors lets nobody but the owner read, which an installed package must not keep.
        (folder / "model.safetensors").chmod(0o644)


def _batches(
    sentences: Sequence[Sentence], size: int, order: random.Random
) -> Iterator[Sequence[Sentence]]:
    """Yield batches of sentences of like length, in random order: little padding, little bias."""
    for start in range(0, len(sentences), size * _POOL_BATCHES):
        pool = sorted(sentences[start : start + size * _POOL_BATCHES], key=len)
        groups = [pool[first : first + size] for first in range(0, len(pool), size)]
        order.shuffle(groups)
        yield from groups


def n_predicted_in(sentences: Iterable[Sentence]) -> int:
    """Return the number of all tokens but the first of each sentence."""
    return sum(len(sentence) - 1 for sentence in sentences)


def _schedule(share: float, warmup_share: float) -> float:
    """Return the part of the learning rate at this share of the steps."""
    if share < warmup_share:
        return share / warmup_share
    done = (share - warmup_share) / (1 - warmup_share)
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * done))


def _unigram_bits(sentences: Sequence[Sentence], validation: Sequence[Sentence]) -> float:
    """Return the bits per validation token of the best guess that sees no context."""
    counts = Counter(token for sentence in sentences for token in sentence[1:])
    total = counts.total() + len(counts)
    tokens = [token for sentence in validation for token in sentence[1:]]
    return -sum(math.log2((counts[token] + 1) / total) for token in tokens) / len(tokens)


@contextmanager
def _without_bars() -> Iterator[None]:
    """Keep the progress bars of transformers to itself."""
    if not logging.is_progress_bar_enabled():
        yield
        return
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        logging.enable_progress_bar()  # type: ignore[no-untyped-call]


def _amend(path: Path, settings: Mapping[str, str]) -> None:
    config = json.loads(path.read_text("utf-8")) | settings
    path.write_text(json.dumps(config, indent=1, sort_keys=True) + "\n", "utf-8", newline="\n")
