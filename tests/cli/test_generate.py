"""`pommel generate`: from a grammar to sentences and suites."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.samples import Pommel
from tests.sources.grammar.context_free.german import ATTRACTORS
from tests.sources.grammar.lexicon_template.examples import ENGLISH, NOUNS, VERBS
from tests.sources.grammar.permutation.german import written

GRAMMAR = """\
vary: V[]

S[] N[s] V[s] bien | N[p] V[p] bien
N[s] le chat | le chien | le roi
N[p] les chats | les chiens | les rois
V[s] dort | chante
V[p] dorment | chantent
"""


@pytest.fixture
def grammar(tmp_path: Path) -> Path:
    """A file with a grammar of twelve minimal sets."""
    path = tmp_path / "simple.avg"
    path.write_text(GRAMMAR, "utf-8")
    return path


def test_a_suite_that_says_what_it_was_made_from(
    pommel: Pommel, grammar: Path, tmp_path: Path
) -> None:
    path = tmp_path / "agreement.json"
    outcome = pommel("generate", grammar, "-o", path)
    assert (outcome.stdout, outcome.stderr) == ("", f"12 minimal sets: {path}\n")
    assert pommel("validate", path, "--strict").status == 0
    meta = json.loads(path.read_text("utf-8"))["meta"]
    assert meta["name"] == "simple"
    assert meta["generator"] == {
        "kind": "attribute-varying grammar",
        "files": {"simple.avg": meta["generator"]["files"]["simple.avg"]},
        "sample": None,
        "eos": False,
        "capitalize": False,
        "pommel": meta["generator"]["pommel"],
    }
    again = tmp_path / "again.json"
    pommel("generate", grammar, "-o", again)
    assert again.read_bytes() == path.read_bytes()
    # It runs as it is.
    run = pommel("run", "dummy://", path, "--format", "csv")
    (row,) = run.rows()
    assert (row["suite"], row["n_items"]) == ("simple", "12")


def test_two_columns(pommel: Pommel, grammar: Path) -> None:
    outcome = pommel("generate", grammar, "--format", "tsv")
    rows = outcome.stdout.splitlines()
    assert (len(rows), rows[0]) == (13, "grammatical\tungrammatical")
    assert rows[1] == "le chat dort bien\tle chat dorment bien"


def test_capital_letters_and_ends(pommel: Pommel, grammar: Path) -> None:
    outcome = pommel("generate", grammar, "--format", "clams", "--capitalize", "--eos")
    assert outcome.stdout.splitlines()[:2] == [
        "True\tLe chat dort bien . <eos>",
        "False\tLe chat dorment bien . <eos>",
    ]


def test_samples_depend_on_the_seed_and_on_nothing_else(pommel: Pommel, grammar: Path) -> None:
    def sample(*options: str) -> list[str]:
        run = ("generate", grammar, "--format", "tsv", "--sample", "5", *options)
        return pommel(*run).stdout.splitlines()[1:]

    every = pommel("generate", grammar, "--format", "tsv").stdout.splitlines()[1:]
    first = sample()
    assert len(set(first)) == 5
    # They stand in the order of the grammar.
    assert [row for row in every if row in first] == first
    assert sample("--seed", "1") == first
    assert {tuple(sample("--seed", str(seed))) for seed in range(5)} != {tuple(first)}
    assert sample("--sample", "12") == every
    command = [sys.executable, "-m", "pommel", "generate", str(grammar), "--sample", "5"]
    texts = {
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1


def test_sets_without_a_contrast_are_no_items(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "x.avg"
    path.write_text("vary: V[]\nS[] they V[p]\nV[p] run | put\nV[past] ran | put\n")
    out = tmp_path / "x.json"
    outcome = pommel("generate", path, "-o", out)
    assert outcome.stderr == (
        f"1 minimal set: {out}\n"
        "note: 1 minimal set left out, without an ungrammatical sentence of another spelling\n"
    )
    assert len(json.loads(out.read_text())["items"]) == 1
    found = {}
    for seed in range(8):
        outcome = pommel("generate", path, "--sample", "1", "--seed", str(seed))
        found[outcome.status] = outcome.stdout
    # Of one set that has no contrast, no suite can be made.
    assert json.loads(found[0])["items"]
    assert found[3] == ""
    # The lines of CLAMS have a place for it.
    lines = pommel("generate", path, "--format", "clams").stdout.splitlines()
    assert [line.split("\t")[0] for line in lines].count("True") == 2


def test_which_words_a_vocabulary_lacks(pommel: Pommel, grammar: Path, tmp_path: Path) -> None:
    path = tmp_path / "vocabulary.txt"
    path.write_text("le\nles\nchat\nchats\ndort\ndorment\nbien\nroi\nrois\n")
    outcome = pommel("generate", grammar, "--vocabulary", path, "--format", "tsv")
    lacking = "chien, chante, chantent, chiens"
    assert outcome.stderr == f"{path} lacks 4 of 13 words: {lacking}\n"
    with path.open("a") as file:
        file.write("chien\nchiens\nchante\nchantent\n")
    outcome = pommel("generate", grammar, "--vocabulary", path, "--format", "tsv")
    assert outcome.stderr == f"{path} lacks 0 of 13 words\n"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (
            ("--sample", "13"),
            2,
            (
                "a sample of 13 cannot be drawn: simple has 12 minimal sets; ask for no more, or "
                "add words"
            ),
        ),
        (("--depth", "3"), 2, "--depth is for context-free grammars (.cfg)"),
        (
            ("--eos",),
            2,
            (
                "in a suite, the end of a sentence is the model's own mark; write sentences or "
                "minimal sets, or leave the mark out"
            ),
        ),
        (("--vocabulary", "nowhere.txt"), 3, "nowhere.txt: No such file or directory"),
    ],
)
def test_what_cannot_be_asked_for(
    pommel: Pommel, grammar: Path, arguments: tuple[str, ...], status: int, message: str
) -> None:
    outcome = pommel("generate", grammar, *arguments)
    assert (outcome.status, outcome.stdout, outcome.stderr) == (status, "", f"pommel: {message}\n")


def test_grammars_that_are_wrong(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "x.avg"
    path.write_text("vary: N[]\nS[] a V[s]\nV[s] x\n")
    out = tmp_path / "x.json"
    outcome = pommel("generate", path, "-o", out)
    assert (
        outcome.failure(3)
        == f"{path}:1:7: no template has a symbol that vary: N[] concerns; templates have V"
    )
    assert not out.exists()
    outcome = pommel("generate", tmp_path / "x.txt")
    assert outcome.failure(2) == (
        f"{tmp_path / 'x.txt'}: a grammar's file ends in one of .avg, .cfg, .template, .design"
    )


def test_a_context_free_grammar(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "attractors.cfg"
    path.write_text(ATTRACTORS, "utf-8")
    outcome = pommel("generate", path, "--format", "tsv")
    assert outcome.status == 3
    assert "give a depth (--depth N)" in outcome.stderr
    out = tmp_path / "attractors.json"
    chosen = ("--depth", "40", "--sample", "20", "-o", out)
    outcome = pommel("generate", path, *chosen)
    assert (outcome.status, outcome.stderr) == (0, f"20 minimal sets: {out}\n")
    generator = json.loads(out.read_text("utf-8"))["meta"]["generator"]
    assert (generator["kind"], generator["depth"]) == ("context-free grammar", 40)
    assert generator["sample"] == {"n": 20, "seed": 1}
    first = out.read_bytes()
    assert pommel("generate", path, *chosen).status == 0
    assert out.read_bytes() == first


def test_a_template_and_its_lexicons(pommel: Pommel, tmp_path: Path) -> None:
    (tmp_path / "nouns.csv").write_text(NOUNS)
    (tmp_path / "verbs.csv").write_text(VERBS)
    path = tmp_path / "near.template"
    path.write_text(ENGLISH)
    out = tmp_path / "near.json"
    outcome = pommel("generate", path, "--sample", "10", "-o", out)
    assert (outcome.status, outcome.stderr) == (0, f"10 items: {out}\n")
    assert pommel("validate", out, "--strict").status == 0
    value = json.loads(out.read_text())
    # The template says what the suite is called.
    assert (value["meta"]["name"], value["meta"]["language"]) == ("english near", "en")
    assert sorted(value["meta"]["generator"]["files"]) == [
        "near.template",
        "nouns.csv",
        "verbs.csv",
    ]
    assert len(value["predictions"]) == 2
    rows = pommel("generate", path, "--format", "csv", "--sample", "10").stdout.splitlines()
    assert len(rows) == 1 + 10 * 4 * 5
    sentences = pommel("generate", path, "--format", "sentences", "--sample", "2").stdout
    assert len(sentences.splitlines()) == 8
    outcome = pommel("generate", path, "--format", "clams")
    assert outcome.status == 2
    assert "english near has no condition 'grammatical': it has match_near, " in outcome.stderr
    chosen = ("--grammatical", "match_far", "--ungrammatical", "mismatch_far", "--sample", "3")
    lines = pommel("generate", path, "--format", "clams", *chosen).stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["True", "False"] * 3


def test_a_permutation_design(pommel: Pommel, tmp_path: Path) -> None:
    path = written(tmp_path)
    out = tmp_path / "arguments.json"
    assert pommel("generate", path, "-o", out).stderr == f"4 items: {out}\n"
    value = json.loads(out.read_text("utf-8"))
    assert [len(item["conditions"]) for item in value["items"]] == [144] * 4
    lines = pommel("generate", path, "--format", "clams").stdout.splitlines()
    marks = [line.partition("\t")[0] for line in lines]
    assert (marks.count("True"), marks.count("False")) == (4 * 36, 4 * 36 * 6)
    run = pommel("run", "dummy://", out, "--format", "csv")
    (row,) = run.rows()
    assert row["n_items"] == "4"


def test_how_many_there_are(pommel: Pommel, grammar: Path, tmp_path: Path) -> None:
    assert pommel("generate", grammar, "--count").stdout == "12 minimal sets\n"
    assert pommel("generate", written(tmp_path), "--count").stdout == "4 items, 144 minimal sets\n"


def test_what_a_suite_says_besides(pommel: Pommel, grammar: Path) -> None:
    chosen = ("--meta", "language=fr", "--meta", "license=CC-BY-4.0")
    meta = json.loads(pommel("generate", grammar, *chosen).stdout)["meta"]
    assert (meta["language"], meta["license"]) == ("fr", "CC-BY-4.0")
    for wrong in ("language", "=fr", "name=x"):
        outcome = pommel("generate", grammar, "--meta", wrong)
        message = f"pommel: --meta {wrong!r}: write KEY=VALUE, with a key of your own\n"
        assert (outcome.status, outcome.stderr) == (2, message)


def test_a_grammar_is_not_overwritten(pommel: Pommel, grammar: Path) -> None:
    (grammar.parent / "common.avg").write_text("X[] x\n")
    for path in (grammar, grammar.parent / "common.avg"):
        outcome = pommel("generate", grammar, "-o", path, "--format", "clams")
        message = f"pommel: {path}: this is read; name another file to write\n"
        assert (outcome.status, outcome.stderr) == (2, message)
    assert grammar.read_text("utf-8") == GRAMMAR


def test_conditions_are_named_of_items_only(pommel: Pommel, grammar: Path) -> None:
    outcome = pommel("generate", grammar, "--grammatical", "x", "--format", "tsv")
    assert outcome.failure(2) == (
        "--grammatical and --ungrammatical name conditions; this grammar says itself which "
        "sentences are which"
    )


def test_a_text_to_train_on(pommel: Pommel, tmp_path: Path) -> None:
    out = tmp_path / "de.txt"
    outcome = pommel("generate", "texts:de", "--text", "50", "--seed", "2", "-o", out)
    assert (outcome.status, outcome.stdout, outcome.stderr) == (0, "", f"50 sentences: {out}\n")
    lines = out.read_text("utf-8").splitlines()
    assert len(lines) == 50
    for where in ((), ("-o", "-")):
        outcome = pommel("generate", "texts:de", "--text", "50", "--seed", "2", *where)
        assert outcome.stdout.splitlines() == lines
    assert pommel("generate", "texts:de", "--text", "50").stdout.splitlines() != lines
    model = tmp_path / "de.arpa"
    assert pommel("train", "ngram", out, "-o", model).status == 0
    # Any template will do, and any folder of them.
    for name in ("mine.template", "."):
        (tmp_path / "mine.template").write_text("choose N: one two\ncondition a: {N} of them .\n")
        outcome = pommel("generate", tmp_path / name, "--text", "20")
        assert {*outcome.stdout.splitlines()} == {"One of them .", "Two of them ."}


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (
            ("texts:de", "--text", "5", "--format", "sentences"),
            2,
            "--format says nothing beside --text; leave one out",
        ),
        (
            ("texts:de", "--text", "5", "--sample", "5", "--count"),
            2,
            "--sample says nothing beside --text; leave one out",
        ),
        (
            ("texts:de", "--text", "5", "--grammatical", "that"),
            2,
            "--grammatical says nothing beside --text; leave one out",
        ),
        (
            ("texts:xx", "--text", "5"),
            3,
            (
                "texts:xx: no such text; there are texts:de, texts:en, texts:es, texts:eu, "
                "texts:fr, texts:he, texts:hi, texts:ru, texts:sw"
            ),
        ),
        (
            ("texts:",),
            3,
            (
                "texts:: no such text; there are texts:de, texts:en, texts:es, texts:eu, texts:fr, "
                "texts:he, texts:hi, texts:ru, texts:sw"
            ),
        ),
        (
            ("texts:de",),
            2,
            (
                "texts:de: sentences to train on are drawn of it, and no suite is made; say how "
                "many, as --text 4000"
            ),
        ),
    ],
)
def test_what_cannot_be_asked_for_of_a_text(
    pommel: Pommel, arguments: tuple[str, ...], status: int, message: str
) -> None:
    outcome = pommel("generate", *arguments)
    assert (outcome.status, outcome.stdout, outcome.stderr) == (status, "", f"pommel: {message}\n")


def test_a_text_does_not_overwrite_its_grammar(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "mine.template"
    path.write_text("choose N: one two\ncondition a: {N} of them .\n")
    outcome = pommel("generate", path, "--text", "5", "-o", path)
    assert outcome.failure(2) == f"{path}: this is read; name another file to write"


def test_a_grammar_of_text_is_no_collection_of_suites(pommel: Pommel) -> None:
    outcome = pommel("suites", "list", "suites:texts")
    assert outcome.failure(3) == (
        "suites:texts: no such collection; `pommel suites list` shows them"
    )
    assert "texts" not in pommel("suites", "list", "--format", "csv").stdout
