"""Language models in the Hugging Face format: `huggingface://NAME-or-folder[@revision]`."""

from pommel.models.huggingface.model import HuggingFaceModel, open, open_folder  # noqa: A004 - every backend has `open`

__all__ = ["HuggingFaceModel", "open", "open_folder"]
