"""`--watch`: a file changes, comes and goes, and is shown again; nothing else ends it."""

import json
import os
import signal
from pathlib import Path

import pytest
from tests.cli.samples import Pommel, suite_value
from tests.cli.terminal import Started, in_pipe, on_terminal

READY = "watching for changes; Ctrl-C ends\n"


def write(path: Path, name: str) -> None:
    """Put a suite of that name in the place of the file, at once."""
    aside = path.with_suffix(".aside")
    aside.write_text(json.dumps(suite_value(name, n_items=1)))
    aside.replace(path)


def interrupted(started: Started) -> int:
    started.process.send_signal(signal.SIGINT)
    return started.end()


def test_a_change_is_shown_and_an_interruption_is_no_error(suite_file: Path) -> None:
    with in_pipe("suites", "preview", suite_file, "--watch", "--item", "1") as started:
        assert started.wait_for(READY).startswith("agreement\n")
        suite_file.write_text(suite_file.read_text().replace("is", "was"))
        assert "[[2 was]]" in started.wait_for(READY)
        write(suite_file, "replaced")
        assert started.wait_for(READY).startswith("replaced\n")
        assert interrupted(started) == 0
        assert started.seen == ""


def test_faults_are_shown_and_watching_goes_on(suite_file: Path) -> None:
    suite_file.write_text("{")
    with in_pipe("suites", "preview", suite_file, "--watch", "--item", "1") as started:
        assert started.wait_for(READY).startswith(f"pommel: {suite_file}:1:2: this is not JSON")
        suite_file.write_text(json.dumps(suite_value(n_items=0)))
        assert "'items' is empty" in started.wait_for(READY)
        value = suite_value(n_items=1)
        value["items"][0]["item_number"] = 9
        suite_file.write_text(json.dumps(value))
        assert started.wait_for(READY) == f"pommel: agreement has no item 1\n{READY}"
        write(suite_file, "sound")
        assert started.wait_for(READY).startswith("sound\n")


def test_a_file_that_is_gone_for_a_moment_and_one_that_stays_away(suite_file: Path) -> None:
    with in_pipe("suites", "preview", suite_file, "--watch") as started:
        started.wait_for(READY)
        suite_file.unlink()
        write(suite_file, "back")
        # Whether the gap was seen or not: the next preview is that of the new file.
        assert started.wait_for(READY).startswith("back\n")
        suite_file.unlink()
        gone = f"pommel: {suite_file}: it is gone; if it comes back, it is shown again\n"
        assert started.wait_for(READY) == gone + READY
        write(suite_file, "again")
        assert started.wait_for(READY).startswith("again\n")


def test_a_folder_is_watched_with_what_comes_into_it(suite_file: Path) -> None:
    with in_pipe("suites", "preview", suite_file.parent, "--watch") as started:
        started.wait_for(READY)
        write(suite_file.with_name("b.json"), "second")
        assert "\n\nsecond\n" in started.wait_for(READY)


def test_a_folder_that_is_gone_hides_no_other_source(suite_file: Path) -> None:
    # Its name is that of a collection that ships, too.
    folder = suite_file.with_name("en")
    folder.mkdir()
    write(folder / "second.json", "second")
    with in_pipe("suites", "preview", folder, suite_file, "--watch", "--item", "1") as started:
        assert started.wait_for(READY).startswith("second\n")
        folder.rename(folder.with_name("away"))
        shown = started.wait_for(READY)
        assert shown.startswith(f"pommel: {folder}: it is gone; if it comes back")
        assert "\nagreement\n" in shown
        folder.with_name("away").rename(folder)
        assert started.wait_for(READY).startswith("second\n")


def test_a_draft_is_shown_as_it_is_written(suite_file: Path) -> None:
    value = suite_value(n_items=1)
    regions = value["items"][0]["conditions"][0]["regions"]
    whole = [region["content"] for region in regions]
    for region in regions:
        region["content"] = ""
    suite_file.write_text(json.dumps(value))
    with in_pipe("suites", "preview", suite_file, "--watch") as started:
        assert "    match     (to be written)\n" in started.wait_for(READY)
        for region, content in zip(regions, whole, strict=True):
            region["content"] = content
        suite_file.write_text(json.dumps(value))
        assert "    match     [1 The pilot] [[2 is]] [3 good .]\n" in started.wait_for(READY)


def test_content_counts_not_time(suite_file: Path) -> None:
    with in_pipe("suites", "preview", suite_file, "--watch", "--item", "1") as started:
        started.wait_for(READY)
        # Of the same size, and with the same time as before.
        before = suite_file.stat()
        suite_file.write_text(suite_file.read_text().replace("pilot", "pylot"))
        os.utime(suite_file, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert "The pylot" in started.wait_for(READY)


def test_only_a_terminal_is_cleared(suite_file: Path) -> None:
    with on_terminal("suites", "preview", suite_file, "--watch", "--plain") as started:
        assert started.wait_for(READY).startswith("\x1b[2J\x1b[Hagreement\n")
        write(suite_file, "other")
        assert started.wait_for(READY).startswith("\x1b[2J\x1b[Hother\n")
        assert interrupted(started) == 0


@pytest.mark.parametrize("name", ["nosuch.json", "nosuch"])
def test_what_is_not_there_to_begin_with_is_an_error(pommel: Pommel, name: str) -> None:
    outcome = pommel("suites", "preview", name, "--watch")
    assert outcome.status == 3
    assert outcome.stderr.startswith(f"pommel: {name}: no such file, folder or shipped suite")
