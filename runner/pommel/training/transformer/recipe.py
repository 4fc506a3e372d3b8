"""What the training of a small transformer is asked, and how it is begun."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from pommel.errors import ModelNotAvailableError, UsageError
from pommel.training.lstm.recipe import Watcher
from pommel.training.record import option_of
from pommel.values import frozen

if TYPE_CHECKING:
    from pommel.training.transformer.family import Member

# What is predicted: each token from those before it (GPT-2), or masked ones from all the others
# (BERT).
Objective = Literal["causal", "masked"]


@frozen
class TransformerRecipe:
    """Everything about a small GPT-2 ("causal") or BERT ("masked") but its text and its seed.

    `width` is that of the hidden states, of which each of `n_heads` heads has an equal part.
    Sentences of more than `n_positions` tokens, marks included, are cut in training. AdamW takes
    steps of `batch_size` sentences; the learning rate rises to `learning_rate` in the first
    `warmup_share` of the steps, and falls to a fiftieth of that as a cosine does. Under "masked",
    15 % of the tokens are chosen in each of `n_epochs` passes anew; of these 80 % are masked, 10 %
    are another token, and 10 % stay (Devlin et al. 2019). `validation_share` of the sentences is
    not trained on. Raises `UsageError` for what cannot be and an option's own range does not say.
    """

    OBJECTIVES: ClassVar = get_args(Objective)
    # A masked one learns from a seventh of what it passes.
    MASKED_EPOCHS: ClassVar = 40

    objective: Objective = "causal"
    width: int = 64
    n_layers: int = 2
    n_heads: int = 4
    n_positions: int = 256
    vocabulary_size: int = 500
    dropout: float = 0.0
    batch_size: int = 16
    learning_rate: float = 3e-3
    weight_decay: float = 0.01
    warmup_share: float = 0.04
    n_epochs: int = 10
    cased: bool = True
    validation_share: float = 0.05

    # What a setting is called on the command line.
    option = staticmethod(option_of)

    def __post_init__(self) -> None:
        UsageError.check_choice("objective", self.objective, self.OBJECTIVES)
        if self.width % self.n_heads:
            wrong = f"cannot be divided among --heads {self.n_heads}"
            raise UsageError(f"--width {self.width} {wrong}; take a multiple of it")
        if not 0 < self.learning_rate < float("inf"):
            wrong = f"has to be a number above 0, not {self.learning_rate}"
            raise UsageError(f"--learning-rate {wrong}")

    def train(  # noqa: PLR0913 - what is asked beside the recipe
        self,
        text: Path,
        out: Path,
        watcher: Watcher,
        *,
        seeds: Sequence[int] = (1,),
        n_threads: int = 1,
        restart: bool = False,
    ) -> "list[Member]":
        """Train each seed that is not trained yet, in a folder `seed-N` below `out`; return all.

        A folder is there when its model is whole, and not before. `restart` trains anew what is
        there. Raises `UsageError` if a folder holds another training or anything else (nothing is
        trained then), `InputError` for a text that cannot be trained on, `ModelNotAvailableError`
        without torch, transformers and tokenizers, and `PommelError` if training diverges or a
        folder cannot be written.
        """
        try:
            import safetensors  # noqa: F401 - an extra
            import tokenizers  # noqa: F401 - an extra
            import torch  # noqa: F401 - an extra
            import transformers  # noqa: F401 - an extra
        except ImportError:
            needed = "training a transformer needs torch, transformers and tokenizers"
            raise ModelNotAvailableError(f"{needed}: {UsageError.install('hf')}") from None
        # Imported here: it needs all of these.
        from pommel.training.transformer.family import Family

        family = Family(recipe=self, text=text, out=out, watcher=watcher)
        return family.train(seeds, n_threads=n_threads, restart=restart)
