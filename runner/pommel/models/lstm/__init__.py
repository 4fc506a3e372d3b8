"""Word-level LSTM language models: `lstm://FOLDER`."""

from pommel.models.lstm.model import LstmModel, open, open_folder  # noqa: A004 - every backend has `open`

__all__ = ["LstmModel", "open", "open_folder"]
