"""Studies for tests: small ones, written to a folder."""

from pathlib import Path

from pommel.studies import Study

SMALL = """
title = "A small study"
paper = "Nobody (2026)"
languages = ["de", "sw"]

[scales.tiny]
about = "seconds"

[[models]]
name = "ngram-{language}"
references = ["builtin://{language}-ngram"]

[[runs]]
models = ["ngram-{language}"]
suites = ["{language}.json"]

[[tables]]
name = "scores"
title = "Scores"
keys = ["suite", "model_name"]
value = "accuracy"
across = "model_name"
own = "stats accuracy"
"""

TRAINED = """
title = "A study of texts"
paper = "Nobody (2026)"
languages = ["de", "fr"]

[scales.tiny]
about = "minutes"
n_sentences = 500
n_seeds = 2

[scales.paper]
about = "a corpus"

[[published]]
fetch = "clams"
only = ["tables/*"]
files = ["tables/*_table2.csv"]
options = "--from clams"

[[models]]
name = "lstm-{language}"
train = "lstm"
options.tiny = "--epochs 1"
options.paper = "--epochs 40"
hours = 2

[[models]]
name = "lstm-both"
train = "lstm"
text = ["de", "fr"]

[[models]]
name = "bigram-{language}"
train = "ngram"
options = "--order 2 --smoothing laplace"

[[models]]
name = "large"
references = ["huggingface://bigscience/bloom-7b1"]
scales = ["paper"]

[[runs]]
models = ["lstm-{language}", "lstm-both", "bigram-{language}"]
suites = ["suites:{language}/agreement"]
options = "--score pairs"

[[runs]]
models = ["large"]
suites = ["suites:de"]

[[tables]]
name = "means"
title = "Means"
keys = ["language"]
value = "accuracy"
published = "stats accuracy --by language"
own = "stats accuracy --by language"
"""

# To be put behind the study of texts.
MATERIALS = """
[[materials]]
fetch = "gevalm"
only = ["data/input/S*"]
scales = ["paper"]

[[runs]]
models = ["large"]
suites = ["materials/gevalm/*_sg.json"]
scales = ["paper"]

[[runs]]
models = ["lstm-{language}"]
suites = ["materials/gevalm/*_sg.json"]
scales = ["paper"]
languages = ["de"]
"""

# The same, with a variant of suites that ship and one of the paper's.
VARIANTS = """
[[variants]]
name = "small-{language}"
suites = ["suites:{language}/agreement"]
options = "--first-letter small"
scales = ["tiny"]

[[runs]]
models = ["lstm-{language}"]
suites = ["variants/small-{language}/*.json"]
scales = ["tiny"]

[[variants]]
name = "capital"
suites = ["materials/gevalm/*.json"]
options.paper = "--first-letter capital"
scales = ["paper"]

[[runs]]
models = ["large"]
suites = ["variants/capital/*.json"]
scales = ["paper"]
"""


def written(folder: Path, text: str, name: str = "study.toml") -> Path:
    """Write a study's file, and return its path."""
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def study_of(folder: Path, text: str) -> Study:
    """Return the study of a text."""
    return Study.read(written(folder, text))
