"""Word-level LSTM language models: `lstm://FOLDER`."""

from pommel.files import expanded
from pommel.models.kinds import Kind

KIND = Kind(
    open=Kind.opened_by("pommel.models.lstm.model"),
    place=lambda reference, _: expanded(reference.removeprefix("lstm://")),
    forms={"lstm://FOLDER": "a word-level LSTM (pommel train lstm)"},
    models_are="folder",
)
