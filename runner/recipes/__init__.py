"""The recipes of everything that ships trained or generated; no part of the package."""
