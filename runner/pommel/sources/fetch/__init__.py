"""Getting published suites: a table of sources, downloads that are checked, a cache."""
