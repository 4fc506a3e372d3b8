"""What is known of published suites that their results do not say: circuits, chance, languages.

Circuits, modifiers and chance are those of Hu et al. (2020), "A systematic assessment of syntactic
generalization in neural language models", tables and names of their 33 suites. `nn-nv-rpl`, which
is published beside them, has one item and no circuit.
"""

import re
from dataclasses import dataclass

_CIRCUITS = {
    "agreement": ("number_orc", "number_prep", "number_src"),
    "center-embedding": ("center_embed", "center_embed_mod"),
    "garden-path-effects": (
        "mvrr",
        "mvrr_mod",
        "npz_ambig",
        "npz_ambig_mod",
        "npz_obj",
        "npz_obj_mod",
    ),
    "gross-syntactic-state": (
        "subordination",
        "subordination_orc-orc",
        "subordination_pp-pp",
        "subordination_src-src",
    ),
    "licensing": (
        "npi_orc_any",
        "npi_orc_ever",
        "npi_src_any",
        "npi_src_ever",
        "reflexive_orc_fem",
        "reflexive_orc_masc",
        "reflexive_prep_fem",
        "reflexive_prep_masc",
        "reflexive_src_fem",
        "reflexive_src_masc",
    ),
    "long-distance-dependencies": (
        "cleft",
        "cleft_modifier",
        "fgd-embed3",
        "fgd-embed4",
        "fgd_hierarchy",
        "fgd_object",
        "fgd_pp",
        "fgd_subject",
    ),
}

_WITHOUT_MODIFIER = {
    "center_embed_mod": "center_embed",
    "cleft_modifier": "cleft",
    "mvrr_mod": "mvrr",
    "npz_ambig_mod": "npz_ambig",
    "npz_obj_mod": "npz_obj",
}

# How often the first prediction holds by chance, as `pommel.suite.formula.chance` has it; 5/16 is
# for exponential surprisals.
_CHANCES = {
    1 / 2: ("center_embed", "center_embed_mod", "cleft", "cleft_modifier", "nn-nv-rpl"),
    5 / 16: _CIRCUITS["garden-path-effects"],
    5 / 24: ("npi_orc_any", "npi_orc_ever", "npi_src_any", "npi_src_ever"),
    1 / 4: (
        *_CIRCUITS["agreement"],
        *_CIRCUITS["gross-syntactic-state"],
        "fgd-embed3",
        "fgd-embed4",
        "fgd_hierarchy",
        "fgd_object",
        "fgd_pp",
        "fgd_subject",
        "reflexive_orc_fem",
        "reflexive_orc_masc",
        "reflexive_prep_fem",
        "reflexive_prep_masc",
        "reflexive_src_fem",
        "reflexive_src_masc",
    ),
}

_CHANCE_OF = {name: chance for chance, names in _CHANCES.items() for name in names}
_CIRCUIT_OF = {name: circuit for circuit, names in _CIRCUITS.items() for name in names}

# The languages of the suites that are published with models' results (ISO 639-1).
_CODES = {
    "basque": "eu",
    "dutch": "nl",
    "english": "en",
    "french": "fr",
    "german": "de",
    "hebrew": "he",
    "hindi": "hi",
    "italian": "it",
    "japanese": "ja",
    "mandarin": "zh",
    "chinese": "zh",
    "russian": "ru",
    "spanish": "es",
    "swahili": "sw",
}
_FIRST = re.compile(r"([A-Za-z]+)[-_/ ].")

# A primary language and its subtags (RFC 5646), whether or not they are registered. It would allow
# primary ones of up to eight letters, of which there are none: these are names, like "English".
_TAG = re.compile(r"(?:[A-Za-z]{2,3}|[iIxX](?=-))(?:-[A-Za-z0-9]{1,8})*")


@dataclass(frozen=True, slots=True)
class PublishedSuite:
    """What a published suite's name says of it."""

    name: str

    @property
    def circuit(self) -> str:
        """The circuit of a suite of Hu et al. (2020), "" for any other."""
        return _CIRCUIT_OF.get(self.name, "")

    @property
    def without_modifier(self) -> str:
        """The suite that one of Hu et al. (2020) is with a modifier, "" for any other."""
        return _WITHOUT_MODIFIER.get(self.name, "")

    @property
    def chance(self) -> float | None:
        """How often the first prediction of a suite of Hu et al. (2020) holds by chance.

        None for any other suite.
        """
        return _CHANCE_OF.get(self.name)

    @property
    def language(self) -> str:
        """The code of the language that a suite's name begins with ("basque-…"), else ""."""
        found = _FIRST.match(self.name)
        return _CODES.get(found[1].lower(), "") if found else ""


def language_fault(tag: str) -> str:
    """Say why this is no language tag, "" if it is one."""
    if _TAG.fullmatch(tag):
        return ""
    code = _CODES.get(tag.strip().lower())
    hint = f"did you mean {code}?" if code else "write one such as en, eu, zh-Hant"
    return f"{tag!r} is no language tag; {hint}"
