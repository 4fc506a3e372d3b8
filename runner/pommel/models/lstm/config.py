"""The shape of a word-level LSTM, and how it writes words."""

from collections.abc import Callable
from dataclasses import dataclass

from pommel.errors import UsageError

# Each has four weights by name: a million would be a mistake, and take a while to list.
_MOST_LAYERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class LstmConfig:
    """The shape of a network, and how it writes words.

    `tied` says that the decoder's matrix is the encoder's. `unk` stands for every unknown word,
    `eos` for the end of a sentence and for what is before the next. If not `cased`, words are
    looked up in lower case. Raises `UsageError` as `check_sizes` does.
    """

    embedding_size: int
    hidden_size: int
    n_layers: int
    tied: bool = False
    unk: str = "<unk>"
    eos: str = "<eos>"
    cased: bool = True

    def __post_init__(self) -> None:
        check_sizes(self.embedding_size, self.hidden_size, self.n_layers, tied=self.tied)


def check_sizes(
    embedding_size: int,
    hidden_size: int,
    n_layers: int,
    *,
    tied: bool,
    called: Callable[[str], str] = str,
) -> None:
    """Raise `UsageError` for a network that cannot be.

    `called` gives what a message calls a setting: by default the name that it has here.
    """
    sizes = {"embedding_size": embedding_size, "hidden_size": hidden_size, "n_layers": n_layers}
    for name, size in sizes.items():
        if size < 1:
            raise UsageError(f"{called(name)} has to be at least 1, not {size}")
    if n_layers > _MOST_LAYERS:
        raise UsageError(f"{called('n_layers')} has to be at most {_MOST_LAYERS}, not {n_layers}")
    if tied and embedding_size != hidden_size:
        both = f"{called('embedding_size')} and {called('hidden_size')}"
        what = "the embedding is the decoder's matrix"
        raise UsageError(
            f"{called('tied')} needs {both} to be equal ({what}); they are {embedding_size} and "
            f"{hidden_size}"
        )
