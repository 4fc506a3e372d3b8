"""`surprisals`, `evaluate`, `validate`, `suites`, `models`."""

import json
from pathlib import Path

import pytest
from tests.cli.samples import Pommel, suite_value


def test_surprisals_and_evaluate_say_what_run_says(
    pommel: Pommel, suite_file: Path, tmp_path: Path
) -> None:
    evaluated = tmp_path / "evaluated.json"
    outcome = pommel("surprisals", "dummy://", suite_file, "-o", evaluated)
    assert outcome.stderr.endswith(f"Surprisals: {evaluated}\n")
    again = pommel("evaluate", evaluated, "--format", "json")
    at_once = pommel("run", "dummy://", suite_file, "--format", "json", "--table", "predictions")
    keys = ("item_number", "result", "margin_bits")
    assert [[record[key] for key in keys] for record in json.loads(again.stdout)] == [
        [record[key] for key in keys] for record in json.loads(at_once.stdout)
    ]


@pytest.mark.parametrize(
    "words",
    [
        "surprisals dummy:// FILE",
        "surprisals recorded://FILE SUITE",
        "plan dummy:// FILE",
        "suites show FILE --format markdown",
        "convert FILE",
        "train ngram FILE",
        "train ngram SUITE --vocabulary FILE",
        "conditional dummy:// FILE",
        "report --table md --store FILE",
    ],
)
def test_what_is_read_is_never_written_over(
    pommel: Pommel, suite_file: Path, tmp_path: Path, words: str
) -> None:
    # Called otherwise where it is written, as a link is.
    file, other = tmp_path / "read.md", tmp_path / "link.md"
    file.write_text(suite_file.read_text())
    other.symlink_to(file)
    named = words.replace("SUITE", str(suite_file)).replace("FILE", str(file)).split()
    outcome = pommel(*named, "-o", other)
    assert outcome.failure(2) == f"{other}: this is read; name another file to write"
    assert file.read_text() == suite_file.read_text()


@pytest.mark.parametrize(
    ("words", "name", "beginning"),
    [
        ("surprisals dummy:// SUITE", "x.json", '{"meta"'),
        ("surprisals dummy:// SUITE", "x", '{"meta"'),
        ("surprisals dummy:// SUITE", "x.CSV", "suite,model_name,"),
        ("surprisals dummy:// SUITE", "x.tsv", "suite\tmodel_name\t"),
        ("surprisals dummy:// SUITE", "x.jsonl", '{"format": "pommel-surprisals"'),
        ("surprisals dummy:// SUITE --format tokens", "x.csv", "suite"),
        ("suites show SUITE", "x.md", "# agreement"),
        ("suites show SUITE", "x.txt", "agreement"),
    ],
)
def test_the_ending_says_the_format(
    pommel: Pommel, suite_file: Path, words: str, name: str, beginning: str
) -> None:
    output = suite_file.with_name(name)
    assert pommel(*words.replace("SUITE", str(suite_file)).split(), "-o", output).status == 0
    assert "".join(output.read_text().split()).startswith("".join(beginning.split()))


def test_evaluate_refuses_a_suite_without_surprisals(pommel: Pommel, suite_file: Path) -> None:
    outcome = pommel("evaluate", suite_file)
    assert outcome.failure(3) == (
        f"{suite_file}:1:1: this suite has not been evaluated: no region has a "
        "metric_value; compute its surprisals first, with `pommel surprisals`"
    )


@pytest.mark.parametrize("model", ["dummy://", "builtin://en-ngram"])
@pytest.mark.parametrize("compat", [(), ("--compat", "syntaxgym")])
def test_recorded_surprisals_give_the_same_results(
    pommel: Pommel, tmp_path: Path, model: str, compat: tuple[str, ...]
) -> None:
    value = suite_value()
    for item in value["items"]:
        for condition in item["conditions"]:
            # Where the retired alignment would put the end-of-sentence mark.
            condition["regions"].append({"region_number": 4, "content": ""})
    suite_file, recorded = tmp_path / "suite.json", tmp_path / "tokens.jsonl"
    suite_file.write_text(json.dumps(value))
    pommel("surprisals", model, suite_file, "--format", "jsonl", "-o", recorded, *compat)
    arguments = (suite_file, "--format", "json", "--table", "regions", *compat)
    first = json.loads(pommel("run", model, *arguments).stdout)
    second = json.loads(pommel("run", f"recorded://{recorded}", *arguments).stdout)
    assert [record["sum_bits"] for record in first] == [record["sum_bits"] for record in second]
    assert {record["region_number"] for record in first} == {1, 2, 3, 4}


def test_validate_as_json(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text("{")
    (fault,) = json.loads(pommel("validate", path, "--format", "json").stdout)
    assert (fault["line"], fault["column"], fault["severity"]) == (1, 2, "error")


def test_suites_added_up_by_circuit(pommel: Pommel, suite_file: Path) -> None:
    rows = json.loads(
        pommel("suites", "list", "suites:en", "--by", "circuit", "--format", "json").stdout
    )
    assert rows[0] == {
        "language": "en",
        "circuit": "agreement",
        "n_suites": 4,
        "n_items": 96,
        "n_predictions": 4,
    }
    chosen = ("--by", "circuit", "--format", "markdown")
    lines = pommel("suites", "list", suite_file, *chosen).stdout.split("\n")
    cells = [
        [cell.strip() for cell in line.strip("| ").split("|")] for line in lines if "|" in line
    ]
    assert cells[0] == ["language", "circuit", "suites", "items", "predictions"]
    assert cells[-1][0] == "all"
    assert cells[-1][2:] == ["1", "3", "1"]


def test_suites_export_in_every_format(pommel: Pommel, suite_file: Path, tmp_path: Path) -> None:
    for form in ("json", "csv", "txt"):
        assert pommel("suites", "export", suite_file, "-o", tmp_path, "--format", form).status == 0
    assert json.loads((tmp_path / "agreement.json").read_text()) == suite_value()
    header = (tmp_path / "agreement.csv").read_text().splitlines()[0]
    assert header == "item_number,condition_name,region_number,region_name,content"
    assert (tmp_path / "agreement.txt").read_text().splitlines()[1] == "The pilot are good ."


def test_variants_name_the_suite_that_they_are_of(
    pommel: Pommel, suite_file: Path, tmp_path: Path
) -> None:
    options = ("-o", tmp_path / "small", "--first-letter", "small")
    assert pommel("suites", "export", suite_file, *options).status == 0
    (path,) = (tmp_path / "small").iterdir()
    assert path.name == "agreement_small.json"
    variant = json.loads(path.read_text("utf-8"))
    assert variant["meta"]["modifier_of"] == "agreement"
    assert variant["items"][0]["conditions"][0]["regions"][0]["content"] == "the pilot"
    outcome = pommel("run", "dummy://", suite_file, path)
    assert outcome.status == 0, outcome.stderr
    row, _mean = pommel("stats", "stability", "--format", "csv").rows()
    assert (row["suite"], row["modified_suite"]) == ("agreement", "agreement_small")


@pytest.mark.parametrize(
    "arguments",
    [
        ("suites", "list"),
        ("suites", "show"),
        ("suites", "export", "-o", "exported"),
        ("suites", "check"),
        ("validate",),
        ("evaluate",),
        ("runs", "evaluate", "--suite-file"),
    ],
)
def test_a_faulty_suite_costs_no_other(
    pommel: Pommel, suites: Path, here: Path, arguments: tuple[str, ...]
) -> None:
    """Whatever reads a set: others are read, the faulty one is named, and the status is 3."""
    pommel("run", "dummy://", suites)
    if arguments == ("evaluate",):
        for path in suites.iterdir():
            path.write_text(pommel("surprisals", "dummy://", path).stdout)
    (suites / "faulty.json").write_text("{")
    outcome = pommel(*arguments, suites)
    assert outcome.status == 3
    said = outcome.stdout + outcome.stderr
    assert f"{suites / 'faulty.json'}:1:2: this is not JSON" in said
    exported = [path.stem for path in sorted(here.glob("exported/*"))]
    for name in ("first", "second"):
        assert name in (exported or outcome.stdout)


@pytest.mark.parametrize(
    "arguments", [("leaderboard", "init", "board", "--suites"), ("surprisals", "dummy://")]
)
def test_what_is_of_one_piece_is_not_begun_without_a_faulty_suite(
    pommel: Pommel, suites: Path, here: Path, arguments: tuple[str, ...]
) -> None:
    (suites / "faulty.json").write_text("{")
    outcome = pommel(*arguments, suites)
    assert (outcome.status, outcome.stdout) == (3, "")
    assert f"{suites / 'faulty.json'}:1:2: this is not JSON" in outcome.stderr
    assert not (here / "board").exists()


def test_models_list_names_what_ships(pommel: Pommel) -> None:
    listed = json.loads(pommel("models", "list", "--format", "json-full").stdout)
    assert listed["builtin"] == sorted(listed["builtin"])
    assert {"builtin://en-gpt2", "builtin://sw-unigram"} < {*listed["builtin"]}


def test_models_show_has_the_fingerprint(pommel: Pommel) -> None:
    info = json.loads(
        pommel("models", "show", "builtin://en-ngram", "--format", "json-full").stdout
    )
    assert info["kind"] == "ngram"
    assert len(info["fingerprint"]) == 64


def test_json_of_models_is_flat(pommel: Pommel) -> None:
    listed = json.loads(pommel("models", "list", "--format", "json").stdout)
    assert listed[0] == {"reference": "builtin://de-gpt2", "meaning": "ships with pommel"}
    assert "docker://IMAGE" in {each["reference"] for each in listed}
    (info,) = json.loads(pommel("models", "show", "builtin://en-ngram", "--format", "json").stdout)
    assert (info["methods"], info["dtype"]) == ("ngram", None)
    assert not any(isinstance(each, list | dict) for each in info.values())


def test_validate_goes_on_behind_what_is_not_there(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text("{")
    outcome = pommel("validate", path, "nosuch.json")
    assert outcome.status == 3
    assert "nosuch.json: no such file, folder or shipped suite" in outcome.stdout
    assert f"{path}:1:2: this is not JSON" in outcome.stdout
    assert "2 errors in 2 of 2 files" in outcome.stderr


def test_export_stays_in_its_folder(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "suite.json"
    path.write_text(json.dumps(suite_value("../evil")))
    outcome = pommel("suites", "export", path, "-o", tmp_path / "inner")
    assert outcome.status == 3
    assert "'../evil' cannot be a file's name" in outcome.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["suite.json"]


def test_standard_input_is_utf_8_whatever_the_terminal_says(pommel: Pommel) -> None:
    value = json.dumps(suite_value("naïve"), ensure_ascii=False)
    assert "naïve" in pommel("suites", "show", "-", stdin=value).stdout
    outcome = pommel("suites", "show", "-", stdin=value.encode("latin-1"))
    assert outcome.status == 3
    assert "<stdin>:1:22: the byte 0xef is not UTF-8" in outcome.stderr


def test_whole_sentences_keep_their_mean_on_the_way_through_a_file(
    pommel: Pommel, tmp_path: Path
) -> None:
    value = suite_value()
    value["meta"]["metric"] = ["mean", "sum"]
    value["predictions"] = [{"type": "formula", "formula": "(*;%match%) < (*;%mismatch%)"}]
    path = tmp_path / "suite.json"
    path.write_text(json.dumps(value))
    at_once = pommel("run", "dummy://", path, "--format", "json", "--table", "predictions").stdout
    evaluated = pommel("surprisals", "dummy://", path).stdout
    later = pommel("evaluate", "-", "--format", "json", stdin=evaluated).stdout
    keys = ("item_number", "result", "margin_bits")
    assert [[row[key] for key in keys] for row in json.loads(at_once)] == [
        [row[key] for key in keys] for row in json.loads(later)
    ]


def test_tokens_without_a_surprisal_are_still_told_after_the_way_through_a_file(
    pommel: Pommel, tmp_path: Path
) -> None:
    value = suite_value()
    value["predictions"][0]["formula"] = "(1;%match%) < (1;%mismatch%)"
    path = tmp_path / "suite.json"
    path.write_text(json.dumps(value))
    table = ("--format", "json", "--table", "regions")
    regions = json.loads(pommel("run", "dummy://", path, "--bos", "never", *table).stdout)
    assert [row["n_unscored"] for row in regions[:3]] == [1, 0, 0]
    evaluated = pommel("surprisals", "dummy://", path, "--bos", "never").stdout
    rows = json.loads(pommel("evaluate", "-", "--format", "json", stdin=evaluated).stdout)
    assert all(row["unscored"] for row in rows)


def test_compat_prints_what_the_retired_commands_printed(pommel: Pommel, suite_file: Path) -> None:
    compat = ("--compat", "syntaxgym")
    regions = pommel(
        "compute-surprisals", "dummy://", suite_file, *compat, "--format", "tsv"
    ).stdout
    header, first, *_ = regions.splitlines()
    assert header == "item_number\tcondition_name\tregion_number\tcontent\tmetric_value\toovs"
    assert first.split("\t")[:4] == ["1", "match", "1", "The pilot"]
    evaluated = pommel("surprisals", "dummy://", suite_file, *compat).stdout
    lines = pommel("evaluate", "-", *compat, stdin=evaluated).stdout.splitlines()
    assert lines[0] == "suite\tprediction_id\titem_number\tresult"
    assert len(lines) == 4


def test_stray_spaces_are_one_line_a_file(pommel: Pommel, suite_file: Path) -> None:
    value = suite_value()
    for item in value["items"]:
        item["conditions"][0]["regions"][0]["content"] += " "
    suite_file.write_text(json.dumps(value), "utf-8")
    warned = "warning: stray space in the content 'The pilot ' (and 2 more like this); remove"
    told = pommel("validate", suite_file)
    assert (told.status, told.stdout.count("warning: ")) == (0, 1)
    assert warned in told.stdout
    every = json.loads(pommel("validate", suite_file, "--format", "json").stdout)
    assert [each["severity"] for each in every] == ["warning"] * 3
    assert "more like this" not in json.dumps(every)
    # Errors are all told.
    strict = pommel("validate", suite_file, "--strict")
    assert (strict.status, strict.stdout.count("stray space")) == (3, 3)
    ran = pommel("run", "dummy://", suite_file)
    assert (ran.status, ran.stderr.count("\n")) == (0, 1)
    assert warned in ran.stderr
