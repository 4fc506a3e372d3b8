"""Language models in the Hugging Face format: `huggingface://NAME-or-folder[@revision]`."""

from pommel.models.huggingface.files import find_place
from pommel.models.kinds import Kind
from pommel.models.model import LoadOptions, Model


def _open(reference: str, options: LoadOptions) -> Model:
    # What models there are can be said without what they compute with.
    from pommel.models.huggingface.model import open_model

    return open_model(reference, options)


KIND = Kind(
    open=_open,
    place=find_place,
    forms={"huggingface://NAME[@REVISION]": "a language model, from the hub or a folder"},
    models_are="folder",
    separators="/@",
)
