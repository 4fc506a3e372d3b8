"""Language models in the Hugging Face format: `huggingface://NAME-or-folder[@revision]`."""

from pommel.models.huggingface.files import find_place, outline
from pommel.models.kinds import Kind

KIND = Kind(
    open=Kind.opened_by("pommel.models.huggingface.model"),
    place=find_place,
    outline=outline,
    forms={"huggingface://NAME[@REVISION]": "a language model, from the hub or a folder"},
    models_are="folder",
    separators="/@",
)
