"""Numbers of the nouns that the suites' tables hold in the singular."""

from pommel.training.english_lexicon import people


def plural_of(singular: str) -> str:
    """Return the plural of a noun for people; raises `KeyError` for any other word."""
    return {noun.singular: noun.plural for noun in people()}[singular]
