"""Language models in the Hugging Face format: `huggingface://NAME-or-folder[@revision]`."""

from pommel.models.huggingface.model import HuggingFaceModel, open_folder, open_model, open_shipped
from pommel.models.kinds import Kind

__all__ = ["KIND", "HuggingFaceModel", "open_folder", "open_model", "open_shipped"]

KIND = Kind(
    open=open_model,
    forms={"huggingface://NAME[@REVISION]": "a language model, from the hub or a folder"},
    models_are="folder",
    separators="/@",
)
