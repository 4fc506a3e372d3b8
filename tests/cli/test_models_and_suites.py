"""What of the arguments of a command is a model, in whichever order they come."""

import gc
import json
import shutil
from pathlib import Path

import pytest
from tests.cli.samples import Pommel, suite_value
from tests.models.lstm.folders import save_random_lstm
from tests.models.ngram.samples import TINY, write

from pommel.files.shipped import shipped_folder

pytestmark = pytest.mark.usefixtures("things")
DUMMY = "dummy://uniform?bits=1"


@pytest.fixture
def things(here: Path) -> Path:
    """A folder with models and suites."""
    pytest.importorskip("torch")
    shutil.copytree(shipped_folder("builtin") / "en-gpt2", here / "my-gpt2")
    save_random_lstm(here / "my-lstm", ["The", "pilot", "is", "good", "."])
    write(here / "my.arpa", TINY)
    (here / "s.json").write_text(json.dumps(suite_value()))
    (here / "suites").mkdir()
    (here / "suites" / "t.json").write_text(json.dumps(suite_value("t")))
    return here


@pytest.mark.parametrize(
    ("arguments", "models", "suites"),
    [
        (["./my-gpt2", "./my-lstm", "s.json"], ["my-gpt2", "my-lstm"], ["agreement"]),
        (["s.json", "my-lstm/"], ["my-lstm"], ["agreement"]),
        (["my.arpa", "s.json", "suites"], ["my"], ["agreement", "t"]),
        (["suites", "my.arpa"], ["my"], ["t"]),
        (["s.json", DUMMY, "suites/t.json"], ["uniform-1"], ["agreement", "t"]),
        (["number_prep", "builtin://en-ngram"], ["en-ngram"], ["number_prep"]),
        (["s.json", "-m", DUMMY], ["uniform-1"], ["agreement"]),
        (["s.json", DUMMY, "./my-{gpt2,lstm}"], ["uniform-1", "my-gpt2", "my-lstm"], ["agreement"]),
    ],
)
def test_models_are_told_from_suites(
    pommel: Pommel, arguments: list[str], models: list[str], suites: list[str]
) -> None:
    done = pommel("run", *arguments, "--format", "csv", "--no-store", "--quiet")
    assert (done.status, done.stderr) == (0, "")
    found = [(row["model_name"], row["suite"]) for row in done.rows()]
    assert found == [(model, suite) for model in models for suite in suites]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (
            "s.json suites",
            2,
            "no model to run: s.json, suites would be suites; name one, such as builtin://en-gpt2",
        ),
        ("my-lstm my.arpa", 2, "no suites to run: name files, folders, or suites:en; taken as "),
        ("none my.arpa", 2, "no suites to run: name files, folders, or suites:en; taken as models"),
        ("s.json gpt2-medium", 4, "unknown model 'gpt2-medium' (did you mean"),
        ("bert-base-cased s.json", 4, "unknown model 'bert-base-cased' (did you mean hugg"),
        ("none.json my.arpa", 3, "none.json: no such file, folder or shipped suite; "),
    ],
)
def test_what_is_missing_is_said(pommel: Pommel, arguments: str, status: int, message: str) -> None:
    assert pommel("run", *arguments.split()).failure(status).startswith(message)


# What it leaves is the Docker client's.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_name_of_the_lm_zoo_and_the_hub(pommel: Pommel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///none.sock")
    for arguments in (["run", "gpt2", "s.json"], ["models", "show", "gpt2"]):
        message = pommel(*arguments).failure(4)
        hint = "gpt2 is an image of the LM Zoo (did you mean huggingface://gpt2?): docker://"
        assert message.startswith(hint)
    gc.collect()


class TestAModelsFolderWithSuites:
    @pytest.fixture(autouse=True)
    def both(self, things: Path) -> None:
        shutil.copy(things / "s.json", things / "my-lstm" / "s.json")

    def test_it_is_the_model_where_it_can_be_nothing_else(self, pommel: Pommel) -> None:
        done = pommel("run", "my-lstm", "s.json", "--format", "csv", "--no-store")
        assert [row["model_name"] for row in done.rows()] == ["my-lstm"]

    @pytest.mark.parametrize("arguments", [[DUMMY, "my-lstm"], ["my-lstm"], ["s.json", "my-lstm"]])
    def test_it_is_refused_where_both_are_possible(
        self, pommel: Pommel, arguments: list[str]
    ) -> None:
        assert pommel("run", *arguments).failure(2) == (
            "my-lstm is a model's folder, and has suites (s.json): for the model write "
            "lstm://my-lstm, for suites the names of its files"
        )

    def test_both_can_be_said(self, pommel: Pommel) -> None:
        done = pommel("run", "my-lstm/s.json", "lstm://my-lstm", "--no-store", "--format", "csv")
        assert [row["suite"] for row in done.rows()] == ["agreement"]


@pytest.mark.parametrize("command", ["surprisals", "conditional", "tokenize", "get-surprisals"])
def test_a_command_with_one_model_takes_it_last_too(
    pommel: Pommel, here: Path, command: str
) -> None:
    given = {"surprisals": "s.json", "conditional": "pairs.tsv"}.get(command, "lines.txt")
    (here / "pairs.tsv").write_text("context\ttarget\nThe\tdog\n")
    (here / "lines.txt").write_text("The dog\n")
    ways = [pommel(command, *each) for each in (("my.arpa", given), (given, "my.arpa"))]
    assert [each.status for each in ways] == [0, 0]
    assert ways[0].stdout == ways[1].stdout
