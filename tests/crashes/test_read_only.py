"""A folder that may only be read, and no home: what reads works, what writes says one line."""

import os

import pytest
from tests.crashes.commands import READING, WRITING, Folder

# Root may write everywhere, unless this is taken away.
AS_OTHERS = (
    ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all")
    if os.geteuid() == 0
    else ()
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    made = Folder.filled(tmp_path_factory.mktemp("all") / "folder")
    for path in (*made.path.rglob("*"), made.path):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return made


def test_commands_that_read(folder: Folder) -> None:
    before = folder.names()
    statuses = {
        command: folder.ended(command, below=AS_OTHERS, HOME="/nonexistent/home").returncode
        for command in READING
    }
    # These statistics have nothing to tell of these runs, and say so.
    refused = {command for command, status in statuses.items() if status}
    assert all(each.startswith("stats ") for each in refused)
    assert {*statuses.values()} <= {0, 1, 2, 3}
    assert folder.names() == before


@pytest.mark.parametrize("command", WRITING)
def test_commands_that_write(command: str, folder: Folder) -> None:
    before = folder.names()
    ended = folder.ended(command, below=AS_OTHERS, HOME="/nonexistent/home")
    assert ended.returncode == 1, ended.stderr
    *_, last = ended.stderr.splitlines()
    assert last.startswith("pommel: ")
    assert last.endswith(
        ("ermission denied", "give another store with --store", "written with --desk")
    )
    assert folder.names() == before
