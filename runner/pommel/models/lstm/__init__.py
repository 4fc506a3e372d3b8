"""Word-level LSTM language models: `lstm://FOLDER`."""

from pommel.files import expanded
from pommel.models.kinds import Kind
from pommel.models.model import LoadOptions, Model


def _open(reference: str, options: LoadOptions) -> Model:
    # What models there are can be said without what they compute with.
    from pommel.models.lstm.model import open_model

    return open_model(reference, options)


KIND = Kind(
    open=_open,
    place=lambda reference, _: expanded(reference.removeprefix("lstm://")),
    forms={"lstm://FOLDER": "a word-level LSTM (pommel train lstm)"},
    models_are="folder",
)
