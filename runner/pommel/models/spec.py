"""The part of an LM Zoo image's `spec` that says how it cuts sentences into tokens."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenizerSpec:
    """How to read tokens that come without offsets (LM Zoo's `language_model_spec`).

    `unk_types`, `prefix_types`, `suffix_types`, `special_types` are whole tokens. `type` is "word",
    "subword" or "character". `sentinel` is a literal string that a subword carries at
    `sentinel_position` ("initial": at the beginning of a word, "medial": on all but a word's first
    piece, "final": at the end of a word); `metaspace` stands for the space itself.
    `drop_token_pattern` is a regular expression for words that the model leaves out. `behaviors`
    may hold "moses" and "ptb".
    """

    unk_types: frozenset[str] = frozenset()
    prefix_types: frozenset[str] = frozenset()
    suffix_types: frozenset[str] = frozenset()
    special_types: frozenset[str] = frozenset()
    type: str = "word"
    cased: bool = True
    sentinel: str = ""
    sentinel_position: str = ""
    metaspace: str = ""
    drop_token_pattern: str | None = None
    behaviors: frozenset[str] = frozenset()

    @property
    def marks(self) -> frozenset[str]:
        """All tokens that stand for no text of the sentence."""
        return self.prefix_types | self.suffix_types | self.special_types

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any]) -> "TokenizerSpec":
        """Read the `vocabulary` and `tokenizer` objects of an image's spec; both may be absent."""
        vocabulary = spec.get("vocabulary") or {}
        tokenizer = spec.get("tokenizer") or {}
        return cls(
            # Published specs hold "" among the prefix types; no token is the empty string.
            unk_types=frozenset(vocabulary.get("unk_types", ())) - {""},
            prefix_types=frozenset(vocabulary.get("prefix_types", ())) - {""},
            suffix_types=frozenset(vocabulary.get("suffix_types", ())) - {""},
            special_types=frozenset(vocabulary.get("special_types", ())) - {""},
            type=tokenizer.get("type", "word"),
            cased=tokenizer.get("cased", True),
            sentinel=tokenizer.get("sentinel_pattern") or "",
            sentinel_position=tokenizer.get("sentinel_position") or "",
            metaspace=tokenizer.get("metaspace") or "",
            drop_token_pattern=tokenizer.get("drop_token_pattern"),
            behaviors=frozenset(tokenizer.get("behaviors") or ()),
        )
