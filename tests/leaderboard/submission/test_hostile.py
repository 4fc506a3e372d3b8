"""Archives that nobody should take: each is refused with its reason, and nothing is written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.leaderboard.submission.hostile_archives import ARCHIVES, PACKED_OTHERWISE, TOKENS
from tests.leaderboard.submission.hostile_claims import CLAIMED
from tests.leaderboard.submission.hostile_descriptions import DESCRIBED
from tests.leaderboard.submission.hostile_manifests import MANIFESTS
from tests.leaderboard.submission.hostile_tokens import TOKEN_FILES
from tests.leaderboard.submission.samples import SOURCE, Parts, taken
from tests.leaderboard.submission.test_reading import content_of

from pommel.leaderboard.submission import SubmissionError, parse_submission

HOSTILE = {**ARCHIVES, **MANIFESTS, **DESCRIBED, **TOKEN_FILES, **CLAIMED}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_is_refused_with_its_reason(sound: Parts, name: str) -> None:
    make, reason = HOSTILE[name]
    with pytest.raises(SubmissionError) as caught:
        taken(make(sound))
    said = str(caught.value).removeprefix(f"{SOURCE}: ")
    assert said == reason.replace("{size}", f"{len(sound.files[TOKENS]):,}")
    assert caught.value.exit_status == 3
    assert len(str(caught.value)) < 600
    assert "\n" not in said


def test_the_builder_of_hostile_archives_can_make_sound_ones(sound: Parts) -> None:
    """What is refused above is refused for what was changed, not for how it was built."""
    assert len(taken(sound.packed())) == 2
    assert len(HOSTILE) > 140


@pytest.mark.parametrize("name", PACKED_OTHERWISE)
def test_what_is_packed_otherwise_is_the_same(sound: Parts, name: str) -> None:
    """All that is read is in the manifest's sums; how it is packed decides nothing."""
    raw = PACKED_OTHERWISE[name](sound)
    assert raw != sound.packed()
    found = parse_submission(raw, source=SOURCE)
    assert content_of(found) == content_of(parse_submission(sound.packed(), source=SOURCE))


_READS_ALL = """
import os, sys, tracemalloc
from pathlib import Path
from tests.leaderboard.submission.samples import Parts, SUITES, taken
from tests.leaderboard.submission.test_hostile import HOSTILE
from pommel.leaderboard.submission import SubmissionError, read_submission, recomputed

folder = Path(sys.argv[1])
sound = Parts.of((folder / "sound.zip").read_bytes())
taken(sound.packed())  # all that is imported on the way is imported now
paths = []
for n, (make, _) in enumerate(HOSTILE.values()):
    paths.append(folder / f"{n}.zip")
    paths[-1].write_bytes(make(sound))
changes = {"os.mkdir", "os.rename", "os.remove", "os.link", "os.symlink", "os.chmod", "os.rmdir"}

def watch(event, arguments):
    written = event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if written or event in changes or event.startswith(("subprocess.", "socket.", "os.system")):
        print("not refused quietly:", event, arguments, flush=True)

sys.addaudithook(watch)
tracemalloc.start()
for path in paths:
    try:
        recomputed(read_submission(path), SUITES)
        print("not refused:", path)
    except SubmissionError:
        pass
print(tracemalloc.get_traced_memory()[1] >> 20)
"""


def test_nothing_is_written_and_little_memory_taken(sound: Parts, tmp_path: Path) -> None:
    (tmp_path / "sound.zip").write_bytes(sound.packed())
    done = subprocess.run(
        [sys.executable, "-c", _READS_ALL, tmp_path],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": "runner:."},
    )
    assert done.stderr == ""
    # The largest archives declare two GB, and unpack to 128 MB.
    assert int(done.stdout) < 64
