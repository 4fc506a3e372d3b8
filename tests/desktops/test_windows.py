"""What pommel does otherwise on Windows, and that tests/desktops/windows.py plays it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.samples import suite_value

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it is Linux that plays Windows")

AS_WINDOWS = Path(__file__).with_name("as_windows")
REPOSITORY = Path(__file__).parents[2]

# What each of these raises in a module of pommel's, and what comes out of the others.
PLAYED = {
    "import fcntl": "ModuleNotFoundError",
    "from resource import getrlimit": "ModuleNotFoundError",
    "import os; os.getuid()": "AttributeError",
    "from signal import SIGKILL": "ImportError",
    "import sys; said = sys.platform": "win32",
    "import os; os.open('.', os.O_RDONLY)": "PermissionError",
    "opened = open('held', 'w'); import os; os.remove('held')": "PermissionError",
    "open('a', 'w').close(); opened = open('b', 'w'); import os; os.replace('a', 'b')": (
        "PermissionError"
    ),
    "import os; os.mkdir('f'); opened = open('f/g', 'w'); os.rename('f', 'h')": "PermissionError",
    "import pathlib; p = pathlib.Path('r'); p.touch(); p.chmod(0o444); p.unlink()": (
        "PermissionError"
    ),
    "open('nul.txt', 'w')": "OSError",
    "open('a:b', 'w')": "OSError",
    "open('t', 'w').write('é\\n'); said = open('t', 'rb').read().hex()": "e90d0a",
    "open('u', 'w', encoding='utf-8', newline='').write('é\\n'); said = open('u', 'rb').read()": (
        "b'\\xc3\\xa9\\n'"
    ),
}
_PLAY = """
import sys
for code in sys.argv[1:]:
    names = {"__name__": "pommel.trial"}
    try:
        exec(code, names)
    except Exception as error:
        print(type(error).__name__)
    else:
        print(names.get("said"))
"""


def _python(folder: Path, *arguments: str | Path) -> subprocess.Popen[str]:
    paths = os.pathsep.join(map(str, (AS_WINDOWS, REPOSITORY / "runner")))
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _pommel(folder: Path, command: str) -> tuple[int, str]:
    ended = _python(folder, "-m", "pommel", *command.split())
    _, said = ended.communicate()
    return ended.returncode, said


def test_windows_is_played(tmp_path: Path) -> None:
    played = _python(tmp_path, "-c", _PLAY, *PLAYED)
    said, faults = played.communicate()
    assert faults == ""
    assert dict(zip(PLAYED, said.splitlines(), strict=True)) == PLAYED


@pytest.mark.parametrize("reference", ["apptainer://model.sif", "shub://someone/model"])
def test_apptainer_is_for_linux(tmp_path: Path, reference: str) -> None:
    (tmp_path / "s.json").write_text(json.dumps(suite_value()))
    assert _pommel(tmp_path, f"run {reference} s.json") == (
        4,
        f"pommel: {reference}: Apptainer is for Linux; use the image with docker://\n",
    )


def test_how_much_memory_images_may_have_is_asked(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps(suite_value()))
    several = "run docker://a --model docker://b s.json --parallel-images 2"
    assert _pommel(tmp_path, several) == (
        2,
        "pommel: --parallel-images needs --images-memory SIZE on Windows\n",
    )


def test_a_reader_that_has_gone_is_no_failure(tmp_path: Path) -> None:
    """There is no EPIPE on Windows."""
    code = """
import errno
from pommel.cli.terminal import exit_on_failure
with exit_on_failure():
    raise OSError(errno.EINVAL, "Invalid argument")
"""
    ended = _python(tmp_path, "-c", code)
    assert (*ended.communicate(), ended.returncode) == ("", "", 0)


def test_the_process_that_tidies_up_begins_and_ends(tmp_path: Path) -> None:
    code = """
from pommel.models.container.engines.reaper import REAPER
REAPER.get_ready()
process = REAPER._process
REAPER.stop()
print(process.returncode)
"""
    ended = _python(tmp_path, "-c", code)
    assert (*ended.communicate(), ended.returncode) == ("0\n", "", 0)


def test_who_changes_a_board_waits_for_another(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps(suite_value()))
    assert _pommel(tmp_path, "leaderboard init board --suites s.json")[0] == 0
    code = """
from pathlib import Path
from pommel.leaderboard import BoardFolder
with BoardFolder(Path("board")).locked() as is_alone:
    print(is_alone, flush=True)
    input()
"""
    first = _python(tmp_path, "-c", code)
    assert first.stdout
    assert first.stdout.readline() == "True\n"
    second = _python(tmp_path, "-c", code)
    with pytest.raises(subprocess.TimeoutExpired):
        second.wait(1)
    # What is locked can be read meanwhile.
    assert _pommel(tmp_path, "leaderboard show board")[0] == 0
    first.communicate("\n")
    assert second.communicate("\n") == ("True\n", "")
