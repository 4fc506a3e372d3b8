"""Text, JSON with places, atomic writing, tables, waiting, and where shipped data lies."""
