"""Models trained elsewhere: what docs/training.md says of them, done."""

import math
import re
from pathlib import Path
from typing import Any

import pytest

from pommel.models.model import Policy

pytest.importorskip("torch")

import torch

from pommel import api

WORDS = ["<unk>", "the", "dogs", "bark", "<eos>"]


class WordLanguageModel(torch.nn.Module):
    """The modules, by their names, of PyTorch's example and its descendants."""

    def __init__(self, n_words: int, size: int) -> None:
        """Make a network with random weights."""
        super().__init__()
        self.drop = torch.nn.Dropout(0.2)
        self.encoder = torch.nn.Embedding(n_words, size)
        self.rnn = torch.nn.LSTM(size, size, 2, dropout=0.2)
        self.decoder = torch.nn.Linear(size, n_words)

    def forward(self, words: torch.Tensor) -> Any:
        """Return the logits of the next words."""
        return self.decoder(self.rnn(self.encoder(words))[0])


def example(repository: Path) -> str:
    """Return the program in the documentation."""
    page = (repository / "docs" / "training.md").read_text("utf-8")
    (program,) = (
        block
        for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL)
        if "model.pt" in block
    )
    return str(program)


def test_a_state_dict_becomes_a_model_by_the_program_in_the_documentation(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(1)
    network = WordLanguageModel(len(WORDS), 650).eval()
    monkeypatch.chdir(tmp_path)
    torch.save(network.state_dict(), "model.pt")
    Path("vocab.txt").write_text("\n".join(WORDS) + "\n", "utf-8")
    exec(compile(example(repository), "docs/training.md", "exec"), {})  # noqa: S102 - ours
    model = api.load_model("lstm://my-lstm")
    ((_, scored),) = model.score(["the dogs bark"], Policy())
    ids = [WORDS.index(word) for word in ("<eos>", "the", "dogs", "bark", "<eos>")]
    with torch.no_grad():
        logits = network(torch.tensor(ids[:-1])[:, None])[:, 0].double()
    nats = -logits.log_softmax(-1)[range(4), ids[1:]]
    assert [token.text for token in scored.tokens] == ["the", "dogs", "bark", "<eos>"]
    assert [token.surprisal_bits for token in scored.tokens] == pytest.approx(
        (nats / math.log(2)).tolist(), abs=1e-4
    )
