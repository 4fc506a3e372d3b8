"""The command line on a model behind a server: exit status, messages, what is stored."""

import csv
import json
import math
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.builders import make_suite
from tests.cli.samples import Pommel
from tests.endpoint_server import faults
from tests.endpoint_server.language_model import BOS, LanguageModel
from tests.endpoint_server.running import Serve, serving

from pommel.models.endpoint import model as endpoint_model

SECRET = "s3cret-k3y"


@pytest.fixture(scope="module")
def serve() -> Iterator[Serve]:
    """Return a function from behaviour (keywords) to a running server and its address."""
    with serving(LanguageModel()) as start:
        yield start


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs this may have a key."""
    for name in ("POMMEL_API_KEY", "POMMEL_API_KEY_127_0_0_1"):
        monkeypatch.delenv(name, raising=False)


def test_a_key_is_in_no_output_and_no_file(
    pommel: Pommel, serve: Serve, suite_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, url = serve(key=SECRET)
    monkeypatch.setenv("POMMEL_API_KEY", SECRET)
    folder = tmp_path / "results"
    outcomes = [
        pommel("run", url, suite_file, "-o", folder),
        pommel("models", "show", url, "--format", "json-full"),
        pommel("surprisals", url, suite_file, "--format", "jsonl", "-o", tmp_path / "tokens.jsonl"),
    ]
    assert [each.status for each in outcomes] == [0, 0, 0]
    server.behaviour.key = "another"
    outcomes.append(pommel("run", url, suite_file, "-o", folder))
    assert outcomes[-1].status == 4
    assert (
        "HTTP 401: 'Incorrect API key: Bearer ***'; it does not take the key in POMMEL_API_KEY"
        in (outcomes[-1].stderr)
    )
    assert all(each["authorization"] == f"Bearer {SECRET}" for each in server.seen.headers)
    files = {path.name: path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    assert {"runs.json", "tokens.csv", "tokens.jsonl"} <= set(files)
    printed = [text for each in outcomes for text in (each.stdout, each.stderr)]
    assert not any(SECRET in text for text in (*files.values(), *printed))


def test_passing_faults_do_not_change_a_result(
    pommel: Pommel, serve: Serve, suite_file: Path
) -> None:
    server, url = serve()
    at_once = faults.status(429, Retry_After="0")
    sound = pommel("run", url, suite_file, "--format", "csv")
    server.behaviour.faults = deque([at_once, faults.status(503, Retry_After="0"), at_once])
    again = pommel("run", url, suite_file, "--format", "csv", "--parallel", "2", "--no-store")
    assert (again.status, again.stdout) == (0, sound.stdout)
    assert not server.behaviour.faults


def test_a_server_that_fails_leaves_no_result(
    pommel: Pommel, serve: Serve, suite_file: Path, tmp_path: Path
) -> None:
    _, url = serve(always=faults.status(429, "slow down", Retry_After="0"))
    folder = tmp_path / "results"
    outcome = pommel("run", url, suite_file, "-o", folder, "--retries", "1", "--parallel", "1")
    assert outcome.status == 1
    assert outcome.stdout == ""
    reason = "2 tries failed (2 x HTTP 429: 'slow down')"
    assert outcome.stderr == f"pommel: {url}#en-gpt2: {reason}\n"
    assert not folder.exists()


def test_nothing_wrong_is_stored(
    pommel: Pommel, serve: Serve, suite_file: Path, tmp_path: Path
) -> None:
    _, url = serve(edit=faults.edited(token_logprobs=lambda numbers: numbers[:-1]))
    folder = tmp_path / "results"
    outcome = pommel("run", url, suite_file, "-o", folder, "--parallel", "1")
    assert (outcome.status, outcome.stdout) == (1, "")
    reason = "it gives 6 log-probabilities for 7 tokens"
    others = "(and 5 other sentences that it fails on)"
    assert outcome.stderr.endswith(f"'The pilot is good .': {reason} {others}\n")
    assert not folder.exists()


def test_a_server_that_does_not_repeat_itself(pommel: Pommel, serve: Serve, tmp_path: Path) -> None:
    long = "the author that the senators near the old houses by the sea like so much"
    suite = make_suite(
        [
            {"good": (f"{long} and {long}", verb), "bad": (f"{long} and {long}", f"{verb}s")}
            for verb in ("laugh", "smile", "run")
        ],
        ["(2;%good%) > (2;%bad%)"],
        name="long",
    )
    (tmp_path / "long.json").write_text(suite.to_text())
    server, url = serve(caches_wrongly=1)
    outcome = pommel("run", url, tmp_path / "long.json")
    assert (outcome.status, outcome.stdout) == (1, "")
    assert outcome.stderr.startswith(f"pommel: {url}#en-gpt2: asked again, it gives '")
    # Nothing of it was kept; and what a sound server says is known to who asks no more.
    server.behaviour.caches_wrongly = 0
    first = pommel("run", url, tmp_path / "long.json")
    assert first.stderr == (
        "en-gpt2: 6 sentences asked again, in reverse order: 0.0000 bits at most\n"
    )
    n_before = len(server.seen.prompts)
    assert pommel("run", url, tmp_path / "long.json").stdout == first.stdout
    assert not [each for each in server.seen.prompts[n_before:] if each.startswith(long)]
    pommel("runs", "export", "-o", tmp_path / "out")
    (run,) = json.loads((tmp_path / "out" / "runs.json").read_text())["runs"]
    assert run["provenance"]["model"]["details"]["asked_again"]["n_sentences"] == 6


@pytest.mark.parametrize(
    ("spares_probes", "status", "reason"),
    [
        (False, 4, "its log-probabilities depend on what was asked before: that of "),
        (True, 1, "asked again, it gives '"),
    ],
)
def test_blocks_of_a_prompt_that_are_kept_wrongly(
    pommel: Pommel, serve: Serve, *, spares_probes: bool, status: int, reason: str
) -> None:
    _, url = serve(adds_bos=True, caches_wrongly=0.1, spares_probes=spares_probes)
    outcome = pommel("run", url, "fgd-embed4")
    assert (outcome.status, outcome.stdout) == (status, "")
    assert f"{url}#en-gpt2: {reason}" in outcome.stderr
    runs = json.loads(pommel("runs", "list", "--format", "json").stdout)
    assert [(each["status"], each["n_scored"]) for each in runs] in ([], [("interrupted", 0)])


def test_what_such_blocks_would_have_done(
    pommel: Pommel, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint_model, "MOST_BITS", math.inf)
    _, url = serve(adds_bos=True, caches_wrongly=0.1)
    bits = []
    for model in (url, "builtin://en-gpt2"):
        asked = pommel("surprisals", model, "fgd-embed4", "--format", "csv", "--parallel", "1")
        assert asked.status == 0
        bits.append([float(row["sum_bits"]) for row in csv.DictReader(asked.stdout.splitlines())])
        if model == url:
            again = "en-gpt2: 8 sentences asked again, in reverse order: 1.46"
            assert asked.stderr.startswith(again)
    off = [abs(one - other) for one, other in zip(*bits, strict=True)]
    assert (sum(each > 0.01 for each in off), len(off)) == (193, 672)
    assert max(off) == pytest.approx(2.64, abs=0.005)


@pytest.mark.parametrize(
    "words",
    [
        ("surprisals", "MODEL", "number_simple"),
        ("conditional", "MODEL", "targets.tsv"),
        ("suites", "check", "number_simple", "--model", "MODEL"),
        ("get-surprisals", "MODEL", "targets.tsv"),
    ],
)
def test_every_command_says_how_far_a_server_repeats_itself(
    pommel: Pommel,
    serve: Serve,
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("targets.tsv").write_text("context\ttarget\nThe author\tlaughs\n")
    _, url = serve(adds_bos=True)
    outcome = pommel(*(url if each == "MODEL" else each for each in words))
    assert outcome.status == 0
    assert "asked again, in reverse order: 0.0000 bits at most\n" in outcome.stderr


def test_what_is_complete_is_kept_and_the_rest_is_named(
    pommel: Pommel, serve: Serve, suite_file: Path, tmp_path: Path
) -> None:
    _, url = serve()
    _, broken = serve(always=faults.status(400, "no"))
    folder = tmp_path / "results"
    outcome = pommel("run", url, "-m", broken, suite_file, "-o", folder)
    assert outcome.status == 1
    saved = json.loads((folder / "runs.json").read_text())
    assert saved["complete"] is False
    assert [each["model"] for each in saved["failed"]] == [broken]
    assert [each["provenance"]["model"]["reference"] for each in saved["runs"]] == [
        f"{url}#en-gpt2"
    ]


def test_what_a_run_stores_of_the_server(pommel: Pommel, serve: Serve, suite_file: Path) -> None:
    _, url = serve(adds_bos=True)
    (run,) = json.loads(pommel("run", url, suite_file, "--format", "json-full").stdout)
    model = run["provenance"]["model"]
    assert model["kind"] == "endpoint"
    assert model["name"] == "en-gpt2"
    assert model["bos"] == BOS
    assert len(model["fingerprint"]) == 64
    details = model["details"]
    assert details.pop("asked_again") == {"n_sentences": 6, "largest_bits": 0.0, "where": ""}
    assert details == {
        "server": "uvicorn",
        "owned_by": "tests",
        "protocol": "completions (echo, logprobs, max_tokens 1)",
        "first_token": f"scored, after {BOS!r}, which the server puts in front",
        "without_mark": "add_special_tokens=false",
        "contexts": "checked",
        "repeats": "checked, to 0.0000 bits",
        "n_parallel": 4,
        "timeout_seconds": 60.0,
        "n_retries": 5,
    }


@pytest.mark.parametrize(
    ("behaviour", "reference", "status", "message"),
    [
        ({}, "URL#en-gtp2", 4, "it has no model 'en-gtp2' (did you mean en-gpt2?)"),
        ({}, "HTTP://127.0.0.1:9/v1#m", 4, "http://127.0.0.1:9/v1#m: it cannot be reached"),
        ({"key": "x"}, "URL", 4, "put its key into POMMEL_API_KEY"),
        ({}, "http://me:s3cret@127.0.0.1:9/v1#m", 2, "http://***@127.0.0.1:9/v1: a reference"),
        ({}, "http://127.0.0.1:9/v1?key=s3cret#m", 2, "the only setting is bos=MARK"),
    ],
)
def test_what_a_user_can_mend(  # noqa: PLR0913, PLR0917 - a table of cases
    pommel: Pommel,
    serve: Serve,
    suite_file: Path,
    behaviour: dict[str, Any],
    reference: str,
    status: int,
    message: str,
) -> None:
    _, url = serve(**behaviour)
    outcome = pommel("run", reference.replace("URL", url), suite_file, "-m", "dummy://")
    assert outcome.status == status
    assert message in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert "s3cret" not in outcome.stderr
