"""Word-level LSTM language models: `lstm://FOLDER`."""

from pommel.models.kinds import Kind
from pommel.models.lstm.model import LstmModel, open_folder, open_model

__all__ = ["KIND", "LstmModel", "open_folder", "open_model"]

KIND = Kind(
    open=open_model,
    forms={"lstm://FOLDER": "a word-level LSTM (pommel train lstm)"},
    models_are="folder",
)
