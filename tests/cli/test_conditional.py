"""`pommel conditional`: from a file of contexts and targets to scores."""

import json
from pathlib import Path

import pytest
from tests.cli.samples import Pommel

UNIFORM = "dummy://uniform?bits=2"
TSV = "id\tcontext\ttarget\n007\tThe dog\tbarks .\nNA\tThe\tdog\n"
PAIRS = [
    [["The dog", "The dogs"], ["barks .", "barks ."]],
    [["The dog", "The dog"], ["barks .", "bark at it ."]],
    [["The dogs", "The dogs"], ["bark out loud .", "barks ."]],
    [["The", "A"], ["dog", "dog barks"]],
]


@pytest.fixture
def targets(tmp_path: Path) -> Path:
    path = tmp_path / "targets.tsv"
    path.write_text(TSV)
    return path


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(PAIRS))
    return path


def test_csv_and_tsv_keep_the_files_columns_as_they_are_written(
    pommel: Pommel, targets: Path
) -> None:
    added = "surprisal_bits,mean_surprisal_bits,n_tokens,n_unscored,oovs"
    expected = (
        f"id,context,target,{added}\n"
        "007,The dog,barks .,4.0,2.0,2,0,[]\n"
        "NA,The,dog,2.0,2.0,1,0,[]\n"
    )
    assert pommel("conditional", UNIFORM, targets, "--format", "csv").stdout == expected
    tabs = pommel("conditional", UNIFORM, "-", "--format", "tsv", stdin=TSV).stdout
    assert tabs == expected.replace(",", "\t")


def test_json_has_null_where_there_is_no_score(pommel: Pommel) -> None:
    table = "context,target\n,The\n"
    outcome = pommel("conditional", UNIFORM, "-", "--bos", "never", "--format", "json", stdin=table)
    assert json.loads(outcome.stdout) == [
        {
            "context": "",
            "target": "The",
            "surprisal_bits": None,
            "mean_surprisal_bits": None,
            "n_tokens": 1,
            "n_unscored": 1,
            "oovs": "[]",
        }
    ]
    assert outcome.stderr == ("note: 1 token without a surprisal; sums and means leave them out\n")


@pytest.mark.parametrize(
    ("name", "first_line"),
    [("out.csv", "id,context,target,"), ("out", "id,context,target,"), ("out.tsv", "id\tcontext")],
)
def test_a_files_ending_says_what_is_written(
    pommel: Pommel, targets: Path, tmp_path: Path, name: str, first_line: str
) -> None:
    output = tmp_path / name
    outcome = pommel("conditional", UNIFORM, targets, "-o", output)
    assert (outcome.stdout, outcome.stderr) == ("", f"Conditional scores: {output}\n")
    assert output.read_text().startswith(first_line)


def test_a_json_file(pommel: Pommel, targets: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.json"
    pommel("conditional", UNIFORM, targets, "-o", output)
    assert [row["surprisal_bits"] for row in json.loads(output.read_text())] == [4.0, 2.0]


def test_minimal_pairs_are_compared_by_sum_and_by_mean(pommel: Pommel, pairs: Path) -> None:
    outcome = pommel("conditional", UNIFORM, pairs, "--format", "csv")
    rows = outcome.rows()
    found = [(row["item"], row["label"], row["surprisal_bits"]) for row in rows]
    assert found == [
        ("1", "good", "4.0"),
        ("1", "bad", "4.0"),
        ("2", "good", "4.0"),
        ("2", "bad", "8.0"),
        ("3", "good", "8.0"),
        ("3", "bad", "4.0"),
        ("4", "good", "2.0"),
        ("4", "bad", "4.0"),
    ]
    assert outcome.stderr == (
        "Good target less surprising than the bad one: "
        "0.500 by the sum (2 of 4; 1 tie counted as wrong), "
        "0.000 by the mean per token (0 of 4; 4 ties counted as wrong)\n"
    )


def test_a_suite_of_minimal_pairs_has_the_same_verdicts_by_the_mean(
    pommel: Pommel, tmp_path: Path
) -> None:
    # All of the model's tokens have 2 bits: by the sum the shorter target wins, by the mean none.
    items = [
        [["The dog"] * 2, ["barks .", "bark at it ."]],
        [["A dog"] * 2, ["sat .", "did sit ."]],
    ]
    path, suite = tmp_path / "pairs.json", tmp_path / "suite.json"
    path.write_text(json.dumps(items), "utf-8")
    said = pommel(
        "conditional", UNIFORM, path, "--eos", "never", "-o", tmp_path / "scores.csv"
    ).stderr
    assert "1.000 by the sum (2 of 2), 0.000 by the mean per token (0 of 2; 2 ties" in said
    assert pommel("convert", path, "-o", suite).status == 0
    policy = ("--eos", "never", "--format", "csv", "--table", "predictions")
    rows = pommel("run", UNIFORM, suite, *policy).rows()
    assert [(row["result"], row["margin_bits"], row["tie"]) for row in rows] == [
        ("False", "0.0", "True")
    ] * 2


def test_two_contexts_are_compared_by_a_suite_as_they_are_here(
    pommel: Pommel, tmp_path: Path
) -> None:
    """Where only the contexts differ, the targets are what is scored, by both ways."""
    items = [
        [["The author", "The authors"], ["is good .", "is good ."]],
        [["The authors", "The author"], ["laugh .", "laugh ."]],
        [["It is late .", ""], ["The dog barks .", "The dog bark ."]],
    ]
    path, suite = tmp_path / "items.json", tmp_path / "suite.json"
    path.write_text(json.dumps(items))
    model = "builtin://en-ngram"
    rows = pommel("conditional", model, path, "--eos", "never", "--format", "csv").rows()
    means = [float(row["mean_surprisal_bits"]) for row in rows]
    assert pommel("convert", path, "-o", suite).status == 0
    policy = ("--eos", "never", "--format", "csv", "--table", "predictions")
    margins = [float(row["margin_bits"]) for row in pommel("run", model, suite, *policy).rows()]
    assert margins == pytest.approx(
        [bad - good for good, bad in zip(means[::2], means[1::2], strict=True)]
    )


def test_a_missing_score_is_told_and_wrong(pommel: Pommel) -> None:
    items = json.dumps([[["", "The"], ["The", "dog"]], [["The", ""], ["dog", "The"]]])
    outcome = pommel("conditional", UNIFORM, "-", "--bos", "never", "--format", "csv", stdin=items)
    assert outcome.stderr.splitlines()[-1] == (
        "Good target less surprising than the bad one: "
        "0.000 by the sum (0 of 2; 2 missing scores counted as wrong), "
        "0.000 by the mean per token (0 of 2; 2 missing scores counted as wrong)"
    )


def test_the_joiner_and_the_policy_are_obeyed(pommel: Pommel) -> None:
    table = "context,target\nThe ,dog\n"
    arguments = ("conditional", UNIFORM, "-", "--joiner", "", "--eos", "always", "--format", "csv")
    outcome = pommel(*arguments, stdin=table)
    (row,) = outcome.rows()
    assert (row["surprisal_bits"], row["n_tokens"]) == ("4.0", "2")
    assert outcome.stderr == ""


def test_what_a_reader_should_know(pommel: Pommel) -> None:
    table = "context,target\nThe ,wug\nThe, dog\n,wug\n, dog\n"
    outcome = pommel("conditional", "builtin://en-ngram", "-", "--format", "csv", stdin=table)
    assert outcome.stderr == (
        "note: the joiner stands beside another space in 2 places (e.g. 'The  wug'); "
        "--joiner '' adds none\n"
        "note: 1 unknown word (wug)\n"
    )
    crossing = pommel(
        "conditional", UNIFORM, "-", "--joiner", "", stdin="context,target\nun,do it\n"
    )
    assert crossing.stderr == (
        "note: 1 token across the border of context and target, each counted where it begins, "
        "in the context (e.g. 'undo')\n"
    )


def test_recorded_surprisals_give_the_same_scores(
    pommel: Pommel, suite_file: Path, tmp_path: Path
) -> None:
    recorded = tmp_path / "tokens.jsonl"
    pommel("surprisals", "builtin://en-ngram", suite_file, "--format", "jsonl", "-o", recorded)
    table = "context,target\nThe pilot,is good .\nThe pilot are,good .\n"
    first, second = (
        pommel("conditional", model, "-", "--format", "csv", stdin=table).stdout
        for model in ("builtin://en-ngram", f"recorded://{recorded}")
    )
    assert first == second
    assert len(first.splitlines()) == 3


def test_unknown_words_are_a_json_list(pommel: Pommel) -> None:
    table = 'context,target\nThe,"wug, blick"\n'
    outcome = pommel("conditional", "builtin://en-ngram", "-", "--format", "csv", stdin=table)
    (row,) = outcome.rows()
    assert json.loads(row["oovs"]) == ["wug", "blick"]


@pytest.mark.parametrize(
    ("stdin", "message"),
    [
        ("context,target\na,\n", "<stdin>:2:3: the target is empty; write the words to score"),
        (
            "context,target,oovs\na,b,c\n",
            "-: there is a column 'oovs'; rename it: the command adds a column of this name",
        ),
        ("[1]", "<stdin>:1:2: this item is no minimal pair; write [[context, context], "),
    ],
)
def test_bad_input_ends_with_3_and_leaves_the_output_alone(
    pommel: Pommel, tmp_path: Path, stdin: str, message: str
) -> None:
    output = tmp_path / "out.csv"
    output.write_text("what was here")
    outcome = pommel("conditional", UNIFORM, "-", "-o", output, stdin=stdin)
    assert (outcome.status, outcome.stdout) == (3, "")
    assert outcome.stderr.startswith(f"pommel: {message}")
    assert output.read_text() == "what was here"


def test_a_file_that_is_not_there_ends_with_3(pommel: Pommel) -> None:
    outcome = pommel("conditional", UNIFORM, "none.tsv")
    assert outcome.failure(3) == "none.tsv: No such file or directory"


def test_a_table_for_people_is_no_file(pommel: Pommel, targets: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.txt"
    outcome = pommel("conditional", UNIFORM, targets, "--format", "table", "-o", output)
    assert outcome.status == 2
    assert "--format table is for reading; write a file as csv, tsv or json" in outcome.stderr
    assert not output.exists()
