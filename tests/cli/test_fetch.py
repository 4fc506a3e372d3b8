"""`pommel fetch`: the list, what is said, where files go, and how it ends."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.samples import Pommel
from tests.sources.fetch.server import FileServer, Reply, file_server, tree
from tests.sources.fetch.shared_files import files_beside

from pommel.errors import PommelError
from pommel.sources.fetch.source import PublishedSource, SourceFile

UNLICENSED = (
    "no licence is known. Nobody may pass these files on, changed or not, without leave of their "
    "authors; use them for your own research only, and cite them."
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of one's own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("POMMEL_CACHE", str(folder))
    monkeypatch.delenv("POMMEL_MIRROR", raising=False)
    return folder


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch, cache: Path) -> Iterator[FileServer]:
    """A mirror of sources whose checksums nobody knows; any content will do."""
    assert not cache.exists()
    forget_checksums(monkeypatch, "multilingual", "gevalm")
    with file_server() as server:
        monkeypatch.setenv("POMMEL_MIRROR", server.address)
        for name in ("multilingual", "gevalm", "multiblimp"):
            source = PublishedSource.named(name)
            for file in source.files:
                server.serve(at(source, file.path), file.path.encode())
        yield server


def forget_checksums(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Leave a table in which these sources have no checksums."""
    table = tuple(
        replace(each, files=tuple(SourceFile(path=file.path) for file in each.files))
        if each.name in names
        else each
        for each in PublishedSource.known()
    )
    monkeypatch.setattr(PublishedSource, "known", staticmethod(lambda: table))


def at(source: PublishedSource, path: str) -> str:
    """Return where a mirror has a file."""
    return f"{source.name}/{source.commit}/{path}"


def test_the_list_says_what_there_is(pommel: Pommel, cache: Path) -> None:
    outcome = pommel("fetch")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert pommel("fetch", "--list").stdout == outcome.stdout
    rows = [line for line in outcome.stdout.splitlines() if "│" in line]
    cells = [[cell.strip() for cell in row.strip("│").split("│")] for row in rows]
    assert cells[0] == [
        "hu2020", "34 SyntaxGym suites of Hu et al. (2020), and results by item", "MIT", "72", "-",
    ]  # fmt: skip
    assert [row[0] for row in cells] == [source.name for source in PublishedSource.known()]
    assert [row[2] for row in cells if row[0] == "gevalm"] == ["none known"]
    assert not cache.exists()


def test_the_list_for_programs(pommel: Pommel, mirror: FileServer, cache: Path) -> None:
    assert mirror.asked == []
    pommel("fetch", "multilingual", "--only", "suites/basque-*")
    listed = {each["name"]: each for each in json.loads(pommel("fetch", "--format", "json").stdout)}
    source = PublishedSource.named("multilingual")
    assert listed["multilingual"] == {
        "name": "multilingual",
        "title": source.title,
        "languages": ["eu", "hi", "sw"],
        "licence": None,
        "n_files": 23,
        "n_here": 8,
        "folder": str(cache / "multilingual" / source.commit),
        "homepage": source.homepage,
        "commit": source.commit,
    }
    assert listed["blimp"]["n_here"] == 0


def test_what_is_fetched_and_what_is_said_of_it(
    pommel: Pommel, mirror: FileServer, cache: Path
) -> None:
    outcome = pommel("fetch", "multilingual")
    source = PublishedSource.named("multilingual")
    folder = cache / "multilingual" / source.commit
    assert (outcome.status, outcome.stdout) == (0, f"{folder}\n")
    first = "suites/basque-DO-S_DO_V_AUX.json, suites/basque-DO-S_IO_DO_V_AUX.json"
    assert outcome.stderr.splitlines() == [
        "multilingual: 23 files (23 fetched), no known licence",
        (
            f"note: pommel knows no checksum of 23 files ({first}, "
            "suites/basque-IO-IO_S_V_AUX.json, ...): "
            "what came first is what later uses are compared with"
        ),
        f"note: multilingual: {UNLICENSED}",
    ]
    assert tree(folder) == sorted(file.path for file in source.files)
    mirror.asked.clear()
    again = pommel("fetch", "multilingual", "--offline")
    assert again.stdout == outcome.stdout
    assert again.stderr.startswith("multilingual: 23 files (all were there), no known licence\n")
    assert mirror.asked == []


def test_a_file_that_has_changed_is_fetched_again(pommel: Pommel, mirror: FileServer) -> None:
    folder = Path(pommel("fetch", "multilingual").stdout.strip())
    changed = folder / "suites" / "hindi-S_O_V.json"
    changed.write_bytes(b"[]")
    mirror.asked.clear()
    outcome = pommel("fetch", "multilingual")
    assert outcome.stderr.splitlines()[:2] == [
        "note: 1 file in the cache had changed: suites/hindi-S_O_V.json; fetched again",
        "multilingual: 23 files (1 fetched), no known licence",
    ]
    assert len(mirror.asked) == 1
    assert changed.read_bytes() == b"suites/hindi-S_O_V.json"


def test_a_copy_in_a_folder_of_ones_own(pommel: Pommel, mirror: FileServer, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    outcome = pommel("fetch", "gevalm", "--only", "data/input/SimplSent/*", "-o", folder)
    assert (outcome.status, outcome.stdout) == (0, f"{folder}\n")
    assert tree(folder) == [
        "LICENSE.txt",
        "SOURCE.txt",
        "data/input/SimplSent/SimplSent_pl.jsonl",
        "data/input/SimplSent/SimplSent_sg.jsonl",
    ]
    assert (folder / "LICENSE.txt").read_text("utf-8").startswith(f"gevalm: {UNLICENSED}\n")
    (folder / "data" / "input" / "SimplSent" / "SimplSent_pl.jsonl").write_bytes(b"mine")
    again = pommel("fetch", "gevalm", "--only", "data/input/SimplSent/*", "-o", folder)
    assert again.status == 2
    assert again.stderr.endswith("; choose another folder, or add --force\n")
    forced = pommel("fetch", "gevalm", "--only", "*/SimplSent/*", "-o", folder, "--force")
    assert forced.status == 0
    assert mirror.asked


def test_published_suites_have_their_checksums(
    pommel: Pommel, mirror: FileServer, shared_data: Path, tmp_path: Path
) -> None:
    source = PublishedSource.named("hu2020")
    hu2020 = shared_data / "hu2020"
    for path, there in files_beside(source, shared_data).items():
        mirror.serve(at(source, path), there.read_bytes())
    outcome = pommel("fetch", "hu2020", "-o", tmp_path / "hu")
    assert outcome.stderr == "hu2020: 72 files (72 fetched), MIT\n"
    copied = (tmp_path / "hu" / "test_suites" / "json" / "cleft.json").read_bytes()
    assert copied == (hu2020 / "suites" / "cleft.json").read_bytes()
    assert (tmp_path / "hu" / "LICENSE").read_bytes() == (hu2020 / "LICENSE").read_bytes()
    assert not (tmp_path / "hu" / "LICENSE.txt").exists()


def test_offline_with_nothing_there(pommel: Pommel, mirror: FileServer, cache: Path) -> None:
    outcome = pommel("fetch", "sg_eval", "--offline")
    assert (outcome.status, outcome.stdout) == (1, "")
    assert outcome.stderr == (
        f"pommel: sg_eval: 5 files are not in {cache}/sg_eval/"
        "b4013bd1c9b9a33e6a904308a811fa2c4dffd9d7 (LICENSE, "
        "examples/surprisals_fgd_hierarchy.txt, spec.template.json, ...); run `pommel fetch "
        "sg_eval` once without --offline, or set POMMEL_CACHE to where they are\n"
    )
    assert mirror.asked == []


def test_suites_that_run(
    pommel: Pommel, cache: Path, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The page that states the licence is not among the published files here.
    forget_checksums(monkeypatch, "blimp")
    blimp, folder = PublishedSource.named("blimp"), tmp_path / "blimp"
    with file_server() as server:
        monkeypatch.setenv("POMMEL_MIRROR", server.address)
        path = shared_data / "blimp" / "adjunct_island.jsonl"
        server.serve(at(blimp, "data/adjunct_island.jsonl"), path.read_bytes())
        server.serve(at(blimp, "README.md"), b"CC-BY")
        chosen = ("--only", "data/adjunct*", "-o", folder, "--suites")
        outcome = pommel("fetch", "blimp", *chosen)
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout == f"{folder}\n"
    assert "blimp: 1 suite\nnote: 1 file left out, no suites: README.md\n" in outcome.stderr
    names = sorted(each.name for each in folder.iterdir())
    assert names == ["LICENSE.txt", "SOURCE.txt", "adjunct_island.json"]
    meta = json.loads((folder / "adjunct_island.json").read_text("utf-8"))["meta"]
    assert meta["name"] == "adjunct_island"
    assert (meta["license"], meta["commit"]) == ("CC-BY-4.0", blimp.commit)
    # The folder is what `pommel run` takes.
    assert pommel("validate", folder, "--strict").status == 0
    assert cache.exists()


def test_a_faulty_file_costs_no_other_and_ties_are_named(
    pommel: Pommel, mirror: FileServer, tmp_path: Path
) -> None:
    source, line = PublishedSource.named("gevalm"), '{"text": "er singt .", '
    line += '"text_masked": "er [MASK] .", "candidates": ["singt", "%s"], "case": "SimplSent_pl"}\n'
    place = "data/input/SimplSent/SimplSent_"
    mirror.serve(at(source, f"{place}pl.jsonl"), (line % "sang" + line % "singt").encode())
    mirror.serve(at(source, f"{place}sg.jsonl"), (line % "sang").encode() + b"[]\n")
    chosen = ("--only", f"{place}*", "-o", tmp_path / "de", "--suites")
    outcome = pommel("fetch", "gevalm", *chosen)
    assert (outcome.status, outcome.stdout) == (3, f"{tmp_path / 'de'}\n")
    assert outcome.stderr.splitlines()[-4:-1] == [
        "gevalm: 1 suite",
        (
            "note: SimplSent_pl.json: 1 minimal set of 2 with an ungrammatical sentence that is "
            "spelt like the grammatical one: 2 (kept as ties, which count as wrong)"
        ),
        f"note: 1 file no suite could be made of: {place}sg.jsonl",
    ]
    assert "SimplSent_sg.jsonl:2:1: this is no JSON object" in outcome.stderr.splitlines()[-1]
    assert tree(tmp_path / "de") == ["LICENSE.txt", "SOURCE.txt", "SimplSent_pl.json"]


def test_suites_where_other_files_are_json_too(
    pommel: Pommel, mirror: FileServer, shared_data: Path, tmp_path: Path
) -> None:
    source = PublishedSource.named("sg_eval")
    for path, there in files_beside(source, shared_data).items():
        mirror.serve(at(source, path), there.read_bytes())
    outcome = pommel("fetch", "sg_eval", "-o", tmp_path / "sg", "--suites")
    assert (outcome.status, outcome.stdout) == (0, f"{tmp_path / 'sg'}\n")
    assert outcome.stderr.splitlines()[-2:] == [
        "sg_eval: 1 suite",
        (
            "note: 4 files left out, no suites: LICENSE, examples/surprisals_fgd_hierarchy.txt, "
            "spec.template.json, ..."
        ),
    ]
    suite = "test_suites-json-fgd_hierarchy.json"
    assert tree(tmp_path / "sg") == ["LICENSE.txt", "SOURCE.txt", suite]
    # Nothing is said of suites that are not written.
    (tmp_path / "sg" / suite).write_text("mine")
    again = pommel("fetch", "sg_eval", "-o", tmp_path / "sg", "--suites")
    assert again.status == 2
    assert "1 suite" not in again.stderr


def test_what_was_fetched_for_programs(
    pommel: Pommel, mirror: FileServer, cache: Path, tmp_path: Path
) -> None:
    only = ("--only", "suites/hindi-S_O_V*", "--format", "json")
    outcome = pommel("fetch", "multilingual", *only)
    source = PublishedSource.named("multilingual")
    expected = {
        "name": "multilingual",
        "commit": source.commit,
        "licence": None,
        "folder": str(cache / "multilingual" / source.commit),
        "files": ["suites/hindi-S_O_V.json"],
        "n_fetched": 1,
        "damaged": [],
        "without_checksum": ["suites/hindi-S_O_V.json"],
    }
    assert json.loads(outcome.stdout) == expected
    copied = json.loads(pommel("fetch", "multilingual", *only, "-o", tmp_path / "mine").stdout)
    files = ["suites/hindi-S_O_V.json", "LICENSE.txt", "SOURCE.txt"]
    folder = str(tmp_path / "mine")
    assert copied == {**expected, "folder": folder, "files": files, "n_fetched": 0}
    assert mirror.asked


def test_what_to_cite(pommel: Pommel, cache: Path) -> None:
    outcome = pommel("fetch", "bert_syntax", "--citation")
    assert outcome.stdout.startswith("@misc{goldberg2019assessing,\n")
    assert outcome.stdout.endswith("\n}\n")
    assert not cache.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("hu2020", "--suites"), "--suites writes suites to a folder; add -o FOLDER"),
        (["hu2020", "--list"], "--list shows all sources; leave out the NAME"),
        (["--citation"], "--citation needs the NAME of a source, and no --list"),
        (
            ["clams", "--citation", "--format", "json"],
            "--citation prints BibTeX; leave out --format",
        ),
        (["--base-url", "https://x"], "--base-url needs the NAME of a source, and no --list"),
        (["clams", "--list", "-o", "x"], "--output needs the NAME of a source, and no --list"),
        (["clams", "--force"], "--force says what becomes of files in a folder; add -o FOLDER"),
        (
            ["clams", "--base-url", "m.org"],
            "m.org: a mirror's address begins with https:// or http://, and is a folder's",
        ),
    ],
)
def test_calls_that_make_no_sense(
    pommel: Pommel, cache: Path, arguments: list[str], message: str
) -> None:
    outcome = pommel("fetch", *arguments)
    assert outcome.failure(2) == f"{message}"
    assert tree(cache) == []


@pytest.mark.parametrize(
    ("sent", "status", "said"),
    [(signal.SIGINT, 130, "pommel: interrupted"), (signal.SIGTERM, 143, "pommel: interrupted")],
)
def test_an_interrupt_leaves_whole_files_only(
    mirror: FileServer, cache: Path, sent: signal.Signals, status: int, said: str
) -> None:
    source = PublishedSource.named("multiblimp")
    stuck = source.files[0].path
    mirror.serve(at(source, stuck), Reply(body=b"x" * 1000, drip_s=0.1))
    command = [sys.executable, "-m", "pommel", "fetch", "multiblimp"]
    runner = str(Path(__file__).resolve().parents[2] / "runner")
    environment = {**os.environ, "PYTHONPATH": runner}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        folder = cache / "multiblimp" / source.commit
        give_up = time.monotonic() + 60
        while len(list(folder.glob("*/data.tsv"))) < 100:
            assert process.poll() is None
            assert time.monotonic() < give_up
            time.sleep(0.01)
        process.send_signal(sent)
        stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout, stderr.strip()) == (status, "", said)
    there = {file.path: file.path.encode() for file in source.files if file.path != stuck}
    assert {path: (folder / path).read_bytes() for path in tree(folder)} == there
    # The next call fetches what is missing.
    mirror.serve(at(source, stuck), stuck.encode())
    mirror.asked.clear()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    assert mirror.asked == [f"/{at(source, stuck)}"]


def test_without_the_extra_it_says_what_to_install(mirror: FileServer, cache: Path) -> None:
    hidden = "import sys; sys.modules['httpx'] = None; from pommel.cli import main; main()"
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "runner"),
    }
    done = subprocess.run(
        [sys.executable, "-c", hidden, "fetch", "gevalm"],
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    message = f"pommel: fetching needs the remote extra: {PommelError.install('remote')}\n"
    assert (done.returncode, done.stderr) == (1, message)
    assert mirror.asked == []
    assert tree(cache) == []
