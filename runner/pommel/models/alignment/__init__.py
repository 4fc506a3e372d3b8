"""Which part of a sentence each printed token spells; `pommel.models.offsets` is the way in."""
