"""Context-free grammars: minimal sets from rules in NLTK's notation, and contrasts in them."""
