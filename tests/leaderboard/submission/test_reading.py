"""Reading submissions: what is there, what limits do, and what becomes of damage."""

import contextlib
import os
import random
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from tests.leaderboard.submission.samples import (
    ABOUT,
    SONG,
    SOURCE,
    Parts,
    packed,
    results,
    surprisals,
    word_model,
)
from tests.posix import POSIX_ONLY

from pommel.leaderboard.submission import (
    Limits,
    Submission,
    SubmissionError,
    parse_submission,
    read_submission,
)
from pommel.leaderboard.submission.recomputing import claims_of
from pommel.models.model import Policy


def content_of(submission: Submission) -> tuple[Any, ...]:
    """Return all that a submission says, as values that can be compared."""
    claims = [each.claimed for each in submission.runs]
    sentences = [dict(each.sentences) for each in submission.runs]
    return submission.sha256, submission.manifest, sentences, claims


def refusal(raw: bytes, **limits: int) -> str:
    with pytest.raises(SubmissionError) as caught:
        parse_submission(raw, source=SOURCE, limits=Limits(**limits))
    return str(caught.value).removeprefix(f"{SOURCE}: ")


def test_what_is_there_is_what_was_run(tmp_path: Path) -> None:
    raw, runs = packed(tmp_path)
    submission = read_submission(tmp_path / SOURCE)
    assert submission.source == str(tmp_path / SOURCE)
    assert submission.manifest.submitter == ABOUT
    assert submission.model.name == "Words"
    assert submission.manifest.model["name"] == "words"
    assert submission.model.fingerprint == word_model().info.fingerprint
    assert submission.policy == Policy(method="causal")
    for run, found in zip(runs, submission.runs, strict=True):
        every = {each.text: each for row in run.surprisals.sentences for each in row}
        assert found.sentences == every
        assert found.entry.scores == run.result.scores
        assert found.claimed == claims_of(run.result, "undefined")
    assert raw == (tmp_path / SOURCE).read_bytes()


def test_a_run_is_found_by_its_suite(sound: Parts) -> None:
    submission = parse_submission(sound.packed(), source=SOURCE)
    (found,) = submission.runs_on({SONG.sha256: "song"})
    assert found.entry.name == "song"
    with pytest.raises(
        SubmissionError, match=r"has no run on other \(SHA-256 000000000000\.\.\.\)"
    ):
        submission.runs_on({SONG.sha256: "song", "0" * 64: "other"})


# --- limits


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"n_files": 4}, "has more than 4 files"),
        ({"n_manifest_bytes": 100}, "manifest.json has more than 100 bytes"),
        ({"n_results_bytes": 100}, f"{results()} has more than 100 bytes"),
        ({"n_file_bytes": 100}, f"{surprisals()} has more than 100 bytes, unpacked"),
        ({"n_bytes": 5000}, "has more than 5,000 bytes, unpacked"),
        ({"n_line_bytes": 600}, None),
        ({"n_line_bytes": 100}, f"{surprisals()}:1: a line has more than 100 bytes"),
        ({"n_sentences": 9}, f"{surprisals(SONG)}:5: the submission has more than 9 sentences"),
        ({"n_tokens": 24}, f"{surprisals(SONG)}:2: the submission has more than 24 tokens"),
        ({"n_sentences": 10, "n_tokens": 40}, None),
        (
            {"surprisal_bits": 4},
            f"{surprisals()}:3: token 'barks' has 5 bits, and no token has more than 4",
        ),
    ],
)
def test_limits(sound: Parts, limits: dict[str, int], reason: str | None) -> None:
    if reason is None:
        assert parse_submission(sound.packed(), source=SOURCE, limits=Limits(**limits)).runs
    else:
        assert refusal(sound.packed(), **limits) == reason


def test_of_millions_of_tokens_no_more_are_kept_than_may_be(sound: Parts) -> None:
    """Tokens in lines that are all sound."""
    draw = random.Random(1)  # noqa: S311 - the same each time
    words = [f"w{draw.randrange(1 << 20)}" for _ in range(500)]

    def add(lines: list[Any]) -> None:
        for _ in range(500):
            tokens, at = [], 0
            sample = draw.sample(words, 100)
            for word in sample:
                tokens.append([word, at, at + len(word), draw.random(), False, "text"])
                at += len(word) + 1
            lines.append({"sentence": " ".join(sample), "tokens": tokens})

    raw = sound.with_lines(add).packed()
    assert parse_submission(raw, source=SOURCE).manifest.suites[0].n_tokens == 50_024
    tracemalloc.start()
    try:
        said = refusal(raw, n_tokens=5_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert said == f"{surprisals()}:57: the submission has more than 5,000 tokens"
    assert peak < 5_000_000


# --- files that are none


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match=r"x\.zip: cannot be read: No such file"):
        read_submission(tmp_path / "x.zip")


@POSIX_ONLY
def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", Path(os.devnull)):
        with pytest.raises(SubmissionError) as caught:
            read_submission(path)
        assert str(caught.value) == f"{path}: is no file"


def test_a_file_that_is_too_large_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with path.open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(SubmissionError) as caught:
        read_submission(path, limits=Limits(n_archive_bytes=1000))
    assert str(caught.value) == f"{path}: has more than 1,000 bytes"


# --- damage

_FLIPS = st.lists(st.tuples(st.integers(0, 10_000), st.integers(1, 255)), min_size=1, max_size=4)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(flips=[(0, 255)])
@given(flips=_FLIPS)
def test_flipped_bytes_change_nothing_or_are_refused(
    sound: Parts, flips: list[tuple[int, int]]
) -> None:
    raw = sound.packed()
    damaged = bytearray(raw)
    for at, mask in flips:
        damaged[at % len(raw)] ^= mask
    try:
        found = parse_submission(bytes(damaged), source=SOURCE)
    except SubmissionError:
        return
    assert content_of(found) == content_of(parse_submission(raw, source=SOURCE))


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, 10_000), behind=st.binary(max_size=8))
def test_what_is_cut_off_or_goes_on_is_refused(sound: Parts, cut: int, behind: bytes) -> None:
    raw = sound.packed()
    kept = raw[: cut % len(raw)]
    for changed in (kept, kept + behind, raw + behind + b"\0", b"\0" + behind + raw):
        if changed != raw:
            assert refusal(changed)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_json_in_the_place_of_a_value_is_taken_or_refused(
    sound: Parts, data: st.DataObject
) -> None:
    """Whatever stands anywhere in the manifest, there is no other end than these two."""
    anything = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=5,
    )

    def change(document: Any) -> None:
        while True:
            keys = list(document) if isinstance(document, dict) else list(range(len(document)))
            key = data.draw(st.sampled_from(keys))
            inner = document[key]
            if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
                document[key] = data.draw(anything)
                return
            document = inner

    which = data.draw(st.sampled_from([sound.with_manifest, sound.with_claims]))
    with contextlib.suppress(SubmissionError):
        parse_submission(which(change).packed(), source=SOURCE)
