"""Write data/ and numbers.json anew: `python -m tests.earlier.make`, from the repository's root.

They were written once, by pommel 0.1.0 as of commit 5f29ee8, and are to be left as they are: what
that version wrote has to be read for good, and to give the same numbers. Only its store, of version
2, was since made one of version 3, by the pommel that could still convert it.
"""

import csv
import io
import json
import platform
import random
import shutil
import tempfile
from pathlib import Path
from unittest import mock

from tests.earlier.numbers import SECTIONS
from tests.earlier.running import DATA, HERE, pommel, standing_in

# A suite -> how many of its items are taken, and how much intervenes.
_SUITES = {"number_simple": 0, "number_prep": 1, "number_src": 2, "npi_src_any": None}
_N_ITEMS = 4
_STEPS = (12, 36, 144)
_DESIGN = """\
meta name: arguments
language: de
lexicon: nouns.csv
cases: nom acc
frame: Wir wissen , dass | {1} | {2} | {verb} | .
violations: double

template: nom Vater | acc Ball | verb sieht
template: nom Arzt | acc Plan | verb kennt
"""
_NOUNS = ("Vater", "Ball", "Arzt", "Plan")
# log10 of probabilities: of all words alike, and of articles by what stands before them.
_ARTICLES = {"der": -1.0, "den": -1.5}
_PAIRS = {"dass der": -0.3, "Vater den": -0.4, "Arzt den": -0.6, "der Ball": -3.0, "den Plan": -1.0}
# Model, parameters, family of sizes, seed, how often its items hold.
_THEIRS = (
    ("bloom-560m", 560_000_000, "BLOOM", "", 0.5),
    ("bloom-1b1", 1_100_000_000, "BLOOM", "", 0.6),
    ("bloom-3b", 3_000_000_000, "BLOOM", "", 0.75),
    ("xglm-564M", 564_000_000, "XGLM", "", 0.55),
    ("xglm-1.7B", 1_700_000_000, "XGLM", "", 0.7),
    ("lstm", "", "", "1", 0.5),
    ("lstm", "", "", "2", 0.65),
)


def made(*arguments: str) -> str:
    """Run a command that has to succeed; return what it printed."""
    outcome = pommel(*arguments)
    if outcome.status:
        raise RuntimeError(f"{arguments}: {outcome.stderr}")
    return outcome.stdout


def write_suites() -> None:
    """Write a few items of shipped suites, and a design of sets of sentences as a suite."""
    Path("suites").mkdir()
    sentences = []
    for name, complexity in _SUITES.items():
        (file,) = (HERE.parents[1] / "suites" / "en").rglob(f"{name}.json")
        value = json.loads(file.read_text())
        for item in value["items"]:
            for condition in item["conditions"]:
                if condition["condition_name"].startswith("match"):
                    words = [each["content"] for each in condition["regions"]]
                    sentences.append(" ".join(words))
        value["items"] = value["items"][:_N_ITEMS]
        if complexity is not None:
            value["meta"]["complexity"] = complexity
        Path("suites", f"{name}.json").write_text(json.dumps(value, ensure_ascii=False) + "\n")
        if name == "number_simple":
            # One with doubts, and one with faults.
            doubtful = json.loads(json.dumps(value))
            doubtful["items"][1]["conditions"] = doubtful["items"][0]["conditions"]
            doubtful["items"][2]["conditions"][1]["regions"][2]["content"] = "were"
            Path("doubtful.json").write_text(json.dumps(doubtful, indent=1) + "\n")
            text = json.dumps(doubtful, indent=1).replace("%mismatch_plural%", "%mismatch_plurl%")
            Path("broken.json").write_text(text.replace('"content": "were"', '"contnt": " were"'))
    random.Random(0).shuffle(sentences)  # noqa: S311 - no secret
    Path("text").mkdir()
    for n in _STEPS:
        Path("text.txt").write_text("\n".join([*sentences[:n], ""]))
        made("train", "ngram", "text.txt", "-o", f"text/step{n}.arpa", "--order", "3")
    Path("text.txt").unlink()
    Path("arguments.design").write_text(_DESIGN)
    rows = [f"{noun},der {noun},den {noun}" for noun in _NOUNS]
    Path("nouns.csv").write_text("\n".join(["word,nom,acc", *rows, ""]))
    made("generate", "arguments.design", "-o", "suites/arguments.json")
    for name, pairs in {"articles": {}, "pairs": _PAIRS}.items():
        unigrams = {"<s>": -99.0, "</s>": -1.0, "<unk>": -2.0, **_ARTICLES}
        unigrams |= dict.fromkeys(("dass", *_NOUNS), -2.0)
        counts = [f"ngram 1={len(unigrams)}", *([f"ngram 2={len(pairs)}"] if pairs else [])]
        parts = ["\\1-grams:", *(f"{log10}\t{word}\t0" for word, log10 in unigrams.items()), ""]
        if pairs:
            parts += ["\\2-grams:", *(f"{log10}\t{pair}" for pair, log10 in pairs.items()), ""]
        lines = ["\\data\\", *counts, "", *parts, "\\end\\", ""]
        Path(f"{name}.arpa").write_text("\n".join(lines))


def write_theirs() -> None:
    """Write made-up results of others, item by item and as shares."""
    draw = random.Random(1)  # noqa: S311 - no secret
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    head = "model,n_parameters,size_family,family,seed,suite,language,circuit,group,modifier_of"
    writer.writerow([*head.split(","), "complexity", "item", "result", "margin_bits", "chance"])
    for model, n_parameters, size_family, seed, share in _THEIRS:
        for language, easier in {"en": 0.15, "eu": -0.1, "hi": 0.0}.items():
            for group, harder in {"near": 0, "far": 1}.items():
                base = f"{language}-near" if harder else ""
                family = model if seed else ""
                suite = (f"{language}-{group}", language, "agreement", group, base, harder)
                for item in range(1, 9):
                    holds = draw.random() < share + easier - 0.15 * harder
                    margin = round(draw.uniform(0.01, 3), 2) * (1 if holds else -1)
                    about = (model, n_parameters, size_family, family, seed, *suite)
                    writer.writerow([*about, item, int(holds), margin, 0.5])
    Path("theirs.csv").write_text(text.getvalue())
    shares = ["model,s-near,s-far", "grown,0.75,0.5", "human,0.975,0.95", ""]
    Path("shares.csv").write_text("\n".join(shares))
    Path("languages.csv").write_text("language,richness\nen,0.1\nhi,0.5\neu,0.9\n")
    pairs = ["context\ttarget", "The author\tis famous", "The authors\tis famous", ""]
    Path("sentences.txt").write_text("The author is famous .\nThe zebra are famous .\n")
    Path("pairs.tsv").write_text("\n".join(pairs))


def fill_store() -> None:
    """Keep runs of several kinds: own, of a family, evaluated again, of others."""
    suites = [f"suites/{name}.json" for name in _SUITES]
    made("run", "builtin://en-ngram", *suites)
    made("run", "builtin://en-ngram", *suites[:2], "--output", "results")
    made("run", "builtin://en-gpt2", *suites, "--regions", "all")
    made("run", "ngram://text/step*.arpa?reader=python", *suites)
    made(
        *("run", "ngram://pairs.arpa?reader=python", "ngram://articles.arpa?reader=python"),
        "suites/arguments.json",
    )
    made("run", "builtin://en-ngram", suites[3], "--oov", "skip", "--eos", "always")
    made("runs", "evaluate", "--model", "en-gpt2", "--suite", "number_*", "--score", "first")
    made("runs", "evaluate", "--model", "en-ngram", "--suite", "number_prep", "--score", "each")
    made("import-results", "theirs.csv")
    made("import-results", "shares.csv", "--name", "published", "--items", "40")


def write_files() -> None:
    """Write submissions, a board, recorded surprisals and an evaluated suite."""
    of_board = ("--suite", "number_simple", "--suite", "number_prep", "--score", "all")
    for model, file in {"en-gpt2": "gpt2", "en-ngram": "ngram", "step144": "steps"}.items():
        chosen = ("--model", f"*{model}*", *of_board)
        made("submit", *chosen, "--by", "A. Linguist", "-o", f"{file}.pommel.zip")
    board = ("--suites", "suites/number_simple.json", "--suites", "suites/number_prep.json")
    by = ("--by", "A. Keeper")
    made("leaderboard", "init", "board", *board, "--name", "Number", *by)
    for file in ("gpt2", "ngram"):
        made("leaderboard", "add", "board", f"{file}.pommel.zip", *by)
    # What is derived is not for Git, as the board's own .gitignore says; here it is test data.
    shutil.move("board/derived", "derived")
    for form, file in {"jsonl": "recorded.jsonl", "json": "evaluated.json"}.items():
        made(
            *("surprisals", "builtin://en-gpt2", "suites/number_simple.json", "--format", form),
            *("-o", file),
        )


def make() -> None:
    """Write everything, in a folder aside that then takes the place of data/."""
    aside = Path(tempfile.mkdtemp()) / "data"
    aside.mkdir()
    # Of the machine that this was made on nothing has to be told.
    with standing_in(aside), mock.patch.object(platform, "platform", return_value="Linux"):
        write_suites()
        write_theirs()
        fill_store()
        write_files()
        made("runs", "gc")
    shutil.rmtree(DATA, ignore_errors=True)
    shutil.copytree(aside, DATA)
    with standing_in(aside):
        found = {name: section() for name, section in SECTIONS.items()}
    # A line a value, so that a difference can be seen.
    parts = [f"{json.dumps(name)}: {_by_line(value)}" for name, value in found.items()]
    parts.insert(0, '"written_by": "pommel 0.1.0, commit 5f29ee8"')
    (HERE / "numbers.json").write_text("{\n" + ",\n".join(parts) + "\n}\n")


def _by_line(value: object) -> str:
    if isinstance(value, dict):
        each = [f"{json.dumps(key)}: {json.dumps(one)}" for key, one in value.items()]
        return "{\n" + ",\n".join(each) + "\n}"
    return json.dumps(value)


if __name__ == "__main__":
    make()
