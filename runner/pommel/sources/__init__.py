"""Where suites come from: shipped ones, grammars, other formats, downloads."""
