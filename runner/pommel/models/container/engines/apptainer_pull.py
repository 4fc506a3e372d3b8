"""Fetching an image with Apptainer into a folder of ours."""

import os
import re
import shutil
import tempfile
import threading
from hashlib import sha256
from pathlib import Path

from pommel.errors import ModelNotAvailableError
from pommel.models.container.engines.engine import PullProgress
from pommel.models.container.engines.last_words import LastWords
from pommel.models.container.engines.process_channel import ProcessChannel

_SECONDS_BETWEEN_LOOKS = 0.5
_SECONDS_TO_TIDY_UP = 10


def pulled_file(source: str) -> Path:
    """Return where the image `source` (`docker://...`, `library://...`) is kept, there or not."""
    root = os.environ.get("XDG_CACHE_HOME", "")
    # A relative one is to be ignored, says the specification of these folders.
    folder = Path(root) if Path(root).is_absolute() else Path.home() / ".cache"
    readable = re.sub(r"[^A-Za-z0-9.]+", "-", source)[-60:].strip("-.")
    name = f"{readable}-{sha256(source.encode()).hexdigest()[:12]}.sif"
    return folder / "pommel" / "images" / name


def pull_image(program: str, source: str, *, reference: str, progress: PullProgress | None) -> None:
    """Have Apptainer pull `source` and put it where `pulled_file` says, in the place of an older.

    `progress` is told how many bytes have been written; how many there will be, nobody says.
    Raises `ModelNotAvailableError` if it can't be had, or not be kept.
    """
    target = pulled_file(source)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(dir=target.parent, prefix=".pull-"))
    except OSError as error:
        raise _not_kept(reference, error) from error
    try:
        # The file is kept here, not in Apptainer's own folder as well.
        command = [program, "pull", "--disable-cache", "--tmpdir", str(aside)]
        _run([*command, str(aside / "image.sif"), source], aside, reference, progress)
        (aside / "image.sif").replace(target)
    except OSError as error:
        raise _not_kept(reference, error) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _run(command: list[str], folder: Path, reference: str, progress: PullProgress | None) -> None:
    channel = ProcessChannel.start(command, patience_s=_SECONDS_TO_TIDY_UP)
    last_words = LastWords()
    listener = threading.Thread(target=_listen, args=(channel, last_words), daemon=True)
    listener.start()
    n_bytes = 0
    try:
        channel.close_input()
        while True:
            try:
                status = channel.exit_status(_SECONDS_BETWEEN_LOOKS)
                break
            except TimeoutError:
                if progress:
                    # What was unpacked goes again before the end.
                    n_bytes = max(n_bytes, _n_bytes(folder))
                    progress(n_bytes, 0)
        listener.join(_SECONDS_TO_TIDY_UP)
    finally:
        channel.remove()
    if status.code != 0:
        raise ModelNotAvailableError(
            f"{reference}: the image is not here, and cannot be pulled "
            f"({Path(command[0]).name} pull: exit status {status.code}){last_words}"
        )


def _listen(channel: ProcessChannel, last_words: LastWords) -> None:
    while (piece := channel.read()) is not None:
        last_words.add(piece[1])


def _n_bytes(folder: Path) -> int:
    total = 0
    for parent, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(Path(parent) / name).st_size
            except FileNotFoundError:
                continue  # what is written here comes and goes
    return total


def _not_kept(reference: str, error: OSError) -> ModelNotAvailableError:
    return ModelNotAvailableError(f"{reference}: the image cannot be kept here: {error}")
