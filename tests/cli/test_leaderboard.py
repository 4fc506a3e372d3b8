"""`pommel leaderboard`."""

import html
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.cli.samples import Outcome, Pommel, suite_value
from tests.leaderboard.samples import NamedModel, added, board_at, snapshot, submission

from pommel.leaderboard import BoardFolder
from pommel.models.model import ModelInfo, Policy
from pommel.sharding import Plan
from pommel.sources import load
from recipes.suites import indexed


@pytest.fixture
def board(pommel: Pommel, suites: Path, tmp_path: Path) -> Path:
    """A board of these suites."""
    folder = tmp_path / "board"
    outcome = pommel("leaderboard", "init", folder, "--suites", suites, "--name", "Toy")
    assert (outcome.status, outcome.stdout) == (0, "")
    assert outcome.stderr == f"{folder}: 2 suites, 1 circuit, 6 items\n"
    return folder


@pytest.fixture
def packed(pommel: Pommel, suites: Path, tmp_path: Path) -> dict[str, Path]:
    """Submissions of two toy models, by what they are called."""
    pommel("run", "dummy://", "dummy://uniform?bits=2", suites)
    paths = {}
    for name in ("dummy", "uniform-2"):
        paths[name] = tmp_path / f"{name}.zip"
        outcome = pommel("submit", "--model", name, "--by", "A. Linguist", "-o", paths[name])
        assert outcome.status == 0
    return paths


def ids(board: Path) -> list[str]:
    """Return the ids on a board in the order in which they were added."""
    place = BoardFolder(board)
    return list(place.ledger(place.board()).submissions)


@pytest.fixture
def full(pommel: Pommel, board: Path, packed: dict[str, Path]) -> Path:
    """A board with both."""
    for path in packed.values():
        assert pommel("leaderboard", "add", board, path).status == 0
    return board


def test_a_submission_is_added(pommel: Pommel, board: Path, packed: dict[str, Path]) -> None:
    outcome = pommel("leaderboard", "add", board, packed["uniform-2"], "--by", "me")
    assert (outcome.status, outcome.stdout) == (0, "")
    (name,) = ids(board)
    assert outcome.stderr == (
        f"{name} (uniform-2): 0.000 [0.000, 0.390], listed apart: nobody else can have the "
        f"model's weights, and so verify it; claimed, not scored again\n"
    )
    line = json.loads((board / "ledger.jsonl").read_text().splitlines()[-1])
    assert (line["event"], line["by"], line["id"]) == ("added", "me", name)


def ship(monkeypatch: pytest.MonkeyPatch, folder: Path, version: str) -> None:
    """Have pommel ship one suite, in this version, which has a noun of its own."""
    value = suite_value()
    value["meta"] |= {"version": version, "language": "en"}
    text = json.dumps(value).replace("pilot", f"pilot{version[0]}")
    (folder / "en").mkdir(parents=True, exist_ok=True)
    (folder / "en" / "agreement.json").write_text(text)
    (folder / "collections.toml").write_text("[models.pretrained]\n[models.own]\n")
    (folder / "controls.jsonl").write_text("")
    for path, index in indexed(folder):
        path.write_text(index)
    monkeypatch.setattr(load, "shipped_folder", lambda _name: folder)
    load._Shipped.index.cache_clear()  # noqa: SLF001 - nobody else changes what ships


@pytest.fixture
def index_as_it_is() -> Iterator[None]:
    yield
    load._Shipped.index.cache_clear()  # noqa: SLF001 - as above


@pytest.mark.usefixtures("index_as_it_is")
def test_a_board_keeps_a_suite_of_which_another_version_ships(
    pommel: Pommel, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ship(monkeypatch, here / "shipped", "1.0.0")
    assert pommel("leaderboard", "init", "board", "--suites", "suites:en").status == 0
    before = snapshot(here / "board")
    ship(monkeypatch, here / "shipped", "2.0.0")
    assert "pilot2" in pommel("suites", "show", "agreement").stdout
    # The board still has what it was made with, and says so to those who have run the other one.
    pommel("run", "dummy://", "agreement")
    pommel("submit", "--model", "dummy", "--by", "me", "-o", "new.zip")
    refused = pommel("leaderboard", "check", "board", "new.zip").failure(3)
    assert refused.endswith("it has another version of agreement")
    pommel("run", "dummy://", "board/suites")
    outcome = pommel("submit", "--model", "dummy", "--by", "me", "-o", "old.zip")
    assert outcome.status == 0, outcome.stderr
    assert pommel("leaderboard", "add", "board", "old.zip").status == 0
    assert pommel("leaderboard", "verify", "board").status == 0
    after = snapshot(here / "board")
    assert after["suites/agreement.json"] == before["suites/agreement.json"]
    assert b"pilot1" in after["suites/agreement.json"]


def test_what_is_refused(pommel: Pommel, full: Path, packed: dict[str, Path]) -> None:
    outcome = pommel("leaderboard", "add", full, packed["dummy"])
    assert outcome.failure(3) == f"{packed['dummy']}: is on the board already, as {ids(full)[0]}"
    outcome = pommel("leaderboard", "add", full, full / "none.zip")
    assert outcome.failure(3) == f"{full}/none.zip: cannot be read: No such file or directory"


def test_a_submission_is_checked_and_nothing_is_changed(
    pommel: Pommel, board: Path, packed: dict[str, Path]
) -> None:
    before = snapshot(board)
    outcome = pommel("leaderboard", "check", board, packed["dummy"])
    assert (outcome.status, outcome.stdout) == (0, "")
    checked = pommel("leaderboard", "check", board, packed["dummy"], "--format", "json")
    known = json.loads(checked.stdout)
    assert outcome.stderr == (
        f"{known['id']} (dummy): {known['score']:.3f} [{known['low']:.3f}, {known['high']:.3f}]; "
        f"it can be added\n"
    )
    assert snapshot(board) == before
    assert pommel("leaderboard", "add", board, packed["dummy"]).status == 0
    assert ids(board) == [known["id"]]
    assert {name: known[name] for name in ("faults", "model", "by", "supersedes", "why")} == {
        "faults": [],
        "model": "dummy",
        "by": "A. Linguist",
        "supersedes": [],
        "why": "",
    }


@pytest.mark.parametrize("form", ["text", "json"])
def test_what_is_added_and_what_is_checked_are_refused_alike(
    pommel: Pommel, full: Path, packed: dict[str, Path], tmp_path: Path, form: str
) -> None:
    again = pommel("submit", "--model", "dummy", "--by", "B", "-o", tmp_path / "again.zip")
    assert again.status == 0
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(packed["dummy"].read_bytes()[:-9])
    for path in (packed["dummy"], tmp_path / "again.zip", damaged, full / "none.zip"):
        before = snapshot(full)
        said = pommel("leaderboard", "add", full, path).failure(3)
        checked = pommel("leaderboard", "check", full, path, "--format", form)
        assert snapshot(full) == before
        assert (checked.status, checked.stderr) == (3, f"pommel: {said}\n")
        told = json.loads(checked.stdout)["faults"] if form == "json" else []
        assert told == (said.splitlines() if form == "json" else [])
    superseding = ("--supersede", "--format", "json")
    checked = pommel("leaderboard", "check", full, tmp_path / "again.zip", *superseding)
    known = json.loads(checked.stdout)
    assert [each["id"] for each in known["supersedes"]] == ids(full)[:1]
    assert known["why"].startswith("is of a model and policy that the board has already, as ")


def test_a_folder_that_is_no_board(pommel: Pommel, tmp_path: Path) -> None:
    outcome = pommel("leaderboard", "show", tmp_path)
    assert outcome.failure(3) == (
        f"{tmp_path}: is no leaderboard (it has no board.json); `pommel leaderboard init` makes one"
    )


def test_the_ranking_is_shown(pommel: Pommel, full: Path) -> None:
    outcome = pommel("leaderboard", "show", full)
    assert outcome.status == 0
    assert "Toy: listed apart, for nobody else can have the models' weights" in outcome.stdout
    shown = [line for line in outcome.stdout.splitlines() if "A. Linguist" in line]
    assert len(shown) == 2
    assert "uniform-2" in shown[1]
    assert all("│ claimed │" in line for line in shown)


def test_the_ranking_as_csv_and_json(pommel: Pommel, full: Path) -> None:
    rows = pommel("leaderboard", "show", full, "--format", "csv").rows()
    value = json.loads(pommel("leaderboard", "show", full, "--format", "json-full").stdout)
    assert [row["model"] for row in rows] == ["dummy", "uniform-2"]
    assert [row["rank"] for row in rows] == ["", ""]
    assert [row["weights_available"] for row in rows] == ["false", "false"]
    together = pommel("leaderboard", "show", full, "--format", "csv", "--together").rows()
    assert [row["rank"] for row in together] == ["1", "1"]
    assert [each["id"] for each in value["submissions"]] == [row["id"] for row in rows]
    for row, each in zip(rows, value["submissions"], strict=True):
        assert float(row["score"]) == each["score"] == each["circuits"]["other"]["score"]
        assert float(row["first"]) == each["suites"]["first"]
        assert float(row["score"]) == pytest.approx(
            (float(row["first"]) + float(row["second"])) / 2
        )
    references = [(each["reference"], each["image_digest"]) for each in value["submissions"]]
    assert references == [("dummy://", None), ("dummy://uniform?bits=2", None)]
    assert value["board"]["name"] == "Toy"
    assert value["ended"] == []
    flat = json.loads(pommel("leaderboard", "show", full, "--format", "json").stdout)
    assert [[*each] for each in flat] == [[*row] for row in rows]
    assert [(each["rank"], each["weights_available"], each["score"]) for each in flat] == [
        (None, False, float(row["score"])) for row in rows
    ]


def test_a_board_without_submissions(pommel: Pommel, board: Path) -> None:
    outcome = pommel("leaderboard", "show", board)
    assert (outcome.stdout, outcome.stderr) == ("", "Toy: nothing has been submitted\n")
    outcome = pommel("leaderboard", "verify", board)
    assert outcome.stderr == f"{board}: all is well; 0 submissions computed again\n"


def test_a_submission_is_withdrawn(pommel: Pommel, full: Path) -> None:
    name = ids(full)[0]
    outcome = pommel("leaderboard", "withdraw", full, name[:6], "--reason", "a mistake")
    assert (outcome.status, outcome.stderr) == (0, f"{name} is withdrawn\n")
    value = json.loads(pommel("leaderboard", "show", full, "--format", "json-full").stdout)
    assert [each["model"] for each in value["submissions"]] == ["uniform-2"]
    (ended,) = value["ended"]
    assert (ended["id"], ended["status"], ended["reason"]) == (name, "withdrawn", "a mistake")


def test_a_board_is_verified(pommel: Pommel, full: Path) -> None:
    outcome = pommel("leaderboard", "verify", full)
    assert (outcome.status, outcome.stdout) == (0, "")
    assert outcome.stderr == f"{full}: all is well; 2 submissions computed again\n"
    path = BoardFolder(full).archive(ids(full)[1])
    path.chmod(0o644)
    path.write_bytes(b"")
    outcome = pommel("leaderboard", "verify", full)
    assert outcome.status == 1
    assert outcome.stdout == f"{path}: is not the file that was added; its SHA-256 differs\n"
    assert outcome.stderr == f"pommel: {full}: 1 thing wrong\n"


def rerun(pommel: Pommel, board: Path, *arguments: str) -> Outcome:
    """Have a model score two sentences again."""
    return pommel("leaderboard", "verify", board, "--rerun", "--sample", "2", *arguments)


def test_models_score_a_sample_again(pommel: Pommel, full: Path) -> None:
    first, second = ids(full)
    for name, reference in ((first, "dummy://"), (second, "dummy://uniform?bits=2")):
        outcome = rerun(pommel, full, name, "--model", reference, "--seed", "7", "--by", "me")
        assert (outcome.status, outcome.stdout) == (0, "")
        assert f"seed 7\n{name}: {reference}\n{name}: 2 items, 2 sentences, " in outcome.stderr
    lines = [json.loads(line) for line in (full / "ledger.jsonl").read_text().splitlines()]
    assert [(each["event"], each["id"], each["seed"]) for each in lines[-2:]] == [
        ("verified", first, 7),
        ("verified", second, 7),
    ]
    value = json.loads(pommel("leaderboard", "show", full, "--format", "json-full").stdout)
    # What the keeper had the model of is no longer apart.
    for each in value["submissions"]:
        assert (each["rank"], each["status"], each["listed_apart"]) == (1, "scored again", False)
        assert each["scored_again"]["on"] == each["rerun"]
        assert (each["scored_again"]["n_items"], each["scored_again"]["share"]) == (2, 2 / 6)
    assert pommel("leaderboard", "show", full).stdout.count("(33.3% of") == 2


def test_a_seed_is_drawn_and_told(pommel: Pommel, full: Path) -> None:
    chosen = (ids(full)[0], "--model", "dummy://")
    seeds = {rerun(pommel, full, *chosen).stderr.splitlines()[0] for _ in range(2)}
    assert len(seeds) == 2
    assert all(each.startswith("seed ") for each in seeds)


def test_a_reference_of_a_stranger_is_not_opened(pommel: Pommel, full: Path) -> None:
    before = (full / "ledger.jsonl").read_bytes()
    name = ids(full)[0]
    why = (
        f"{name}: its reference 'dummy://' is not opened, for a stranger has written it, and it is "
        f"no built-in model, name on the Hugging Face hub or image in a public registry; name it "
        f"with --model\n"
    )
    outcome = rerun(pommel, full, name, "--seed", "7")
    assert (outcome.status, outcome.stdout, outcome.stderr) == (2, "", f"pommel: {why}")
    # Of a whole board, the others are scored all the same.
    outcome = rerun(pommel, full, "--seed", "7")
    assert (outcome.status, outcome.stdout) == (4, "")
    assert outcome.stderr.startswith(why)
    end = f"seed 7\npommel: {full}: 2 submissions not scored again (see above)\n"
    assert outcome.stderr.endswith(end)
    assert (full / "ledger.jsonl").read_bytes() == before


def test_what_may_be_opened_is_scored_whatever_else_is_there(
    pommel: Pommel, suites: Path, full: Path, tmp_path: Path
) -> None:
    pommel("run", "builtin://en-ngram", suites)
    pommel("submit", "--model", "en-ngram", "--by", "A. Linguist", "-o", tmp_path / "ngram.zip")
    assert pommel("leaderboard", "add", full, tmp_path / "ngram.zip").status == 0
    outcome = rerun(pommel, full, "--seed", "7")
    assert outcome.status == 4
    assert ": builtin://en-ngram\n" in outcome.stderr
    assert outcome.stderr.endswith(f"{full}: 2 submissions not scored again (see above)\n")
    value = json.loads(pommel("leaderboard", "show", full, "--format", "json-full").stdout)
    assert {each["model"] for each in value["submissions"] if each["rerun"]} == {"en-ngram"}


def test_ranks_that_may_be_others_are_told(
    pommel: Pommel, suites: Path, board: Path, tmp_path: Path
) -> None:
    said = []
    for name in ("en-ngram", "en-gpt2"):
        path = tmp_path / f"{name}.zip"
        pommel("run", f"builtin://{name}", suites)
        pommel("submit", "--model", name, "--by", "A. Linguist", "-o", path)
        added = pommel("leaderboard", "add", board, path).stderr
        said.append(added.partition("], ")[2].partition(";")[0])
    assert said == ["rank 1 of 1", "rank 1 of 2 (may truly be 1-2)"]


def test_a_name_of_formulas_and_bytes(
    pommel: Pommel, suites: Path, board: Path, tmp_path: Path
) -> None:
    pommel("run", "dummy://", suites)
    path = tmp_path / "x.zip"
    pommel("submit", "--by", "@SUM(A1)", "--name", "=1+1", "-o", path)
    assert pommel("leaderboard", "add", board, path).status == 0
    (row,) = pommel("leaderboard", "show", board, "--format", "csv").rows()
    assert (row["model"], row["by"]) == ("'=1+1", "'@SUM(A1)")
    for option in ("--name", "--by"):
        outcome = pommel(
            "leaderboard", "init", tmp_path / "b", "--suites", suites, option, "\udcff"
        )
        assert outcome.status == 2
        assert outcome.stderr.startswith("pommel: the ")
        assert not (tmp_path / "b").exists()


def test_a_model_that_says_something_else(pommel: Pommel, full: Path) -> None:
    name = ids(full)[1]
    outcome = rerun(pommel, full, name, "--model", "dummy://uniform?bits=3")
    assert outcome.status == 1
    lines = outcome.stdout.splitlines()
    assert lines[0].startswith(f"{name}: the model has the fingerprint ")
    assert lines[1].endswith(" has 2.0000 bits in the submission, and 3.0000 bits now")
    assert outcome.stderr.endswith(f"pommel: {full}: 3 things wrong\n")
    line = json.loads((full / "ledger.jsonl").read_text().splitlines()[-1])
    assert (line["event"], line["id"], line["n_differences"]) == ("differed", name, 3)
    table = pommel("leaderboard", "show", full).stdout
    assert "differed when scored again on" in " ".join(table.replace("│", " ").split())


NGRAM = "builtin://en-ngram"


@dataclass(slots=True)
class Claimed(NamedModel):
    """A toy model that calls itself a built-in one."""

    @property
    def info(self) -> ModelInfo:
        return replace(NamedModel(methods=self.methods, name=self.name).info, reference=NGRAM)


def test_a_submission_that_cannot_be_scored_again_ends_nothing_but_itself(
    pommel: Pommel, tmp_path: Path
) -> None:
    place = board_at(tmp_path)
    lying = Claimed(name="lying", bits={"sings": 9.0})
    hostile = Claimed(methods=("pll",), name="hostile")
    paths = (
        submission(tmp_path, lying),
        submission(tmp_path, hostile, policy=Policy(method="pll")),
        submission(tmp_path, Claimed(name="other", bits={"bark": 7.0})),
    )
    first, second, third = (added(place, path).standing.id for path in paths)
    outcome = rerun(pommel, place.folder)
    assert outcome.status == 1
    lines = outcome.stdout.splitlines()
    assert [line for line in lines if line.startswith(second)] == [
        f"{second}: cannot be scored again: {NGRAM} does not take the method 'pll'; it takes ngram"
    ]
    for name in (first, third):
        assert f"{name}: the model has the fingerprint " in outcome.stdout
    assert outcome.stderr.endswith(f"{place.folder}: {len(lines)} things wrong\n")


def test_a_model_that_is_not_available(pommel: Pommel, full: Path, tmp_path: Path) -> None:
    outcome = rerun(pommel, full, ids(full)[0], "--model", f"lstm://{tmp_path}/none")
    assert outcome.status == 4
    assert outcome.stderr.endswith(f"pommel: {full}: 1 submission not scored again (see above)\n")


def planned(pommel: Pommel, board: Path, folder: Path, *arguments: str) -> Path:
    """Have a sample of a board's submissions scored again by workers; return where."""
    plan = ("leaderboard", "plan", board, "-o", folder / "plans", "--sample", "2", "--seed", "7")
    assert pommel(*plan, *arguments).status in {0, 4}
    for path in sorted((folder / "plans").glob("*.json")):
        shards = folder / f"{path.stem}-shards"
        for number, _ in enumerate(Plan.read(path).shards, start=1):
            pommel("run", "--plan", path, "--shard", str(number), "-o", shards)
    return folder / "plan-shards"


def from_results(pommel: Pommel, board: Path, results: Path, *arguments: str) -> Outcome:
    """Compare what workers have scored with the submissions."""
    return pommel("leaderboard", "verify", board, "--rerun", "--results", results, *arguments)


def test_workers_score_a_sample_again(pommel: Pommel, suites: Path, board: Path) -> None:
    tmp_path = board.parent
    for name in ("en-ngram", "en-gpt2"):
        pommel("run", f"builtin://{name}", suites, "--regions", "all")
        pommel("submit", "--model", name, "--by", "me", "-o", tmp_path / f"{name}.zip")
        assert pommel("leaderboard", "add", board, tmp_path / f"{name}.zip").status == 0
    # Both are under their own method, and so in one plan, in a shard each.
    results = planned(pommel, board, tmp_path)
    assert [each.name for each in (tmp_path / "plans").iterdir()].count("plan-2.json") == 0
    assert pommel("plan", "status", results).stdout == "2 shards: 2 done\n"
    outcome = from_results(pommel, board, results)
    assert (outcome.status, outcome.stdout) == (0, "")
    at_once = rerun(pommel, board, "--seed", "7").stderr.splitlines()
    # The same items are drawn, and the same is found.
    assert outcome.stderr.splitlines() == at_once[1:]
    lines = [json.loads(line) for line in (board / "ledger.jsonl").read_text().splitlines()[-4:]]
    for by_workers, alone in zip(lines[:2], lines[2:], strict=True):
        same = ("event", "id", "model", "n_sentences", "n_items", "n_tokens", "seed")
        assert [by_workers[each] for each in same] == [alone[each] for each in same]
        assert by_workers["event"] == "verified"


def test_what_workers_have_not_scored(pommel: Pommel, tmp_path: Path) -> None:
    place = board_at(tmp_path)
    lying = Claimed(name="lying", bits={"sings": 9.0})
    hostile = Claimed(methods=("pll-word-l2r",), name="hostile")
    other = Claimed(methods=("pll",), name="other", bits={"bark": 7.0})
    paths = (
        submission(tmp_path, lying),
        submission(tmp_path, hostile, policy=Policy(method="pll-word-l2r")),
        submission(tmp_path, other, policy=Policy(method="pll")),
    )
    first, second, third = (added(place, path).standing.id for path in paths)
    results = planned(pommel, place.folder, tmp_path)
    outcome = from_results(pommel, place.folder, results)
    # A model that says something else is what is wrong; the others are left out, and why is said.
    assert outcome.status == 1
    assert f"{first}: the model has the fingerprint " in outcome.stdout
    assert f"{second}: it is in no plan of these results\n" in outcome.stderr
    assert f"{third}: its method is not the model's own; `pommel " in outcome.stderr
    # The plan of another policy has failed, with its reason.
    outcome = from_results(pommel, place.folder, tmp_path / "plan-2-shards", second)
    said = f"{second}: cannot be scored again: {NGRAM} does not take the method 'pll-word-l2r'"
    assert outcome.status == 1
    assert outcome.stdout.startswith(said)
    # A shard that nobody has run is no fault of the submission.
    shutil.rmtree(next(results.glob("shard-1*")))
    outcome = from_results(pommel, place.folder, results, first)
    assert outcome.status == 4
    assert f"{first}: no worker has scored all of it yet\n" in outcome.stderr


def test_plans_that_cannot_be_made(pommel: Pommel, full: Path, tmp_path: Path) -> None:
    outcome = pommel("leaderboard", "plan", full, "-o", tmp_path / "plans")
    why = f"{full}: there is no submission whose model can be asked"
    assert outcome.stderr.endswith(f"pommel: {why}\n")
    assert outcome.status == 2
    assert not (tmp_path / "plans").exists()
    outcome = pommel("leaderboard", "verify", full, "--results", tmp_path)
    assert outcome.failure(2) == (
        "--results says what models have scored for --rerun, without --model"
    )
    outcome = from_results(pommel, full, tmp_path)
    assert outcome.failure(2).startswith(f"{tmp_path} has no plan.json")


def test_a_plan_goes_beside_nothing_else(pommel: Pommel, board: Path, suites: Path) -> None:
    pommel("run", "builtin://en-ngram", suites)
    packed = board.parent / "packed.zip"
    pommel("submit", "--by", "me", "-o", packed)
    assert pommel("leaderboard", "add", board, packed).status == 0
    folder = board.parent / "plans"
    words = ("leaderboard", "plan", board, "-o", folder, "--seed")
    assert pommel(*words, "7").status == 0
    # As a call leaves it that is cut off: the same command goes on from there.
    whole = (folder / "plan.json").read_bytes()
    (folder / "plan.json").rename(folder / ".plan.json.abc.part")
    assert pommel(*words, "7").status == 0
    assert (folder / "plan.json").read_bytes() == whole
    (folder / "plan.json").unlink()
    (folder / "notes.txt").write_text("mine")
    outcome = pommel(*words, "7")
    assert (
        outcome.failure(2) == f"{folder / 'notes.txt'}: is there already; give a new folder with -o"
    )
    assert not (folder / "plan.json").exists()
    (folder / "notes.txt").unlink()
    (suite, *_) = (folder / "suites").iterdir()
    suite.write_text("{}")
    outcome = pommel(*words, "7")
    assert outcome.failure(2) == f"{suite}: is there already; give a new folder with -o"
    assert suite.read_text() == "{}"


def test_one_model_is_of_one_submission(pommel: Pommel, full: Path) -> None:
    outcome = rerun(pommel, full, "--model", "dummy://")
    assert outcome.failure(2) == "--model says where the model of one ID is, with --rerun"


@pytest.mark.parametrize("weight", ["other", "other=", "other=x", "=2"])
def test_a_weight_that_is_none(pommel: Pommel, suites: Path, tmp_path: Path, weight: str) -> None:
    folder = tmp_path / "new"
    outcome = pommel("leaderboard", "init", folder, "--suites", suites, "--circuit-weight", weight)
    assert (
        outcome.failure(2)
        == f"--circuit-weight cannot be {weight!r}; write NAME=X with a number for X"
    )
    assert not folder.exists()


def test_circuits_and_suites_are_weighed(pommel: Pommel, suites: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    outcome = pommel(
        *("leaderboard", "init", folder, "--suites", suites, "--score", "each"),
        *("--circuit-weight", "other=2", "--suite-weight", "first=3", "--description", "Two."),
    )
    assert outcome.status == 0
    board = BoardFolder(folder).board()
    assert (board.name, board.description, board.score_rule) == ("new", "Two.", "each")
    assert board.circuits == {"other": 2.0}
    assert board.shares == (0.75, 0.25)


def test_a_board_is_exported(pommel: Pommel, full: Path, tmp_path: Path) -> None:
    outcome = pommel("leaderboard", "export", full, "-o", tmp_path / "site")
    assert (outcome.status, outcome.stdout) == (0, "")
    assert outcome.stderr == f"{tmp_path}/site/index.html: 2 submissions\n"
    assert "<h1>Toy</h1>" in (tmp_path / "site" / "index.html").read_text()


def test_what_the_site_tells_submitters_to_do_is_done(
    pommel: Pommel, board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pommel("leaderboard", "export", board, "-o", tmp_path / "site")
    page = (tmp_path / "site" / "submit.html").read_text("utf-8")
    commands = [html.unescape(each) for each in re.findall("<pre>(.*?)</pre>", page)]
    assert [each.split()[:2] for each in commands] == [["pommel", "run"], ["pommel", "submit"]]
    monkeypatch.chdir(board)
    for command in commands:
        _, *arguments = shlex.split(command.replace("MODEL suites", "dummy:// suites"))
        outcome = pommel(*arguments)
        assert outcome.status == 0, outcome.stderr
    assert pommel("leaderboard", "add", board, "my-model.pommel.zip").status == 0
    (row,) = pommel("leaderboard", "show", board, "--format", "csv").rows()
    assert (row["model"], row["by"]) == ("MODEL NAME", "YOUR NAME")


def test_the_table_has_the_first_rows(
    pommel: Pommel, full: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pommel.cli.leaderboard._SHOWN", 1)
    outcome = pommel("leaderboard", "show", full)
    assert "dummy" in outcome.stdout
    assert "uniform-2" not in outcome.stdout
    assert outcome.stderr == "1 more submission; --all shows them\n"
    assert "uniform-2" in pommel("leaderboard", "show", full, "--all").stdout
