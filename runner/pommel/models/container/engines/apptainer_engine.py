"""Apptainer, and Singularity before it: no service, no root, one program to call."""

import contextlib
import csv
import hashlib
import io
import os
import re
import resource
import shlex
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

from pommel.errors import ContainerError, ModelNotAvailableError
from pommel.files import own_path
from pommel.models.container.engines.docker_engine import environment
from pommel.models.container.engines.engine import (
    CHECKPOINT_FOLDER,
    KIB,
    Image,
    Job,
    Pull,
    PullProgress,
    Sandbox,
)
from pommel.models.container.engines.process import last_words
from pommel.models.container.engines.process_channel import ProcessChannel
from pommel.models.container.engines.reaper import REAPER
from pommel.values import frozen

# With any others, Apptainer might find settings (more places to mount), and pass a proxy on.
_OUR_VARIABLES = (
    "PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "LD_LIBRARY_PATH",
    "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
    "APPTAINER_CACHEDIR", "APPTAINER_CONFIGDIR", "APPTAINER_TMPDIR",
    "SINGULARITY_CACHEDIR", "SINGULARITY_CONFIGDIR", "SINGULARITY_TMPDIR",
)  # fmt: skip
# Its remarks (without --silent) would push the command's own last words out of sight.
_CLOSED = (
    "--silent", "exec", "--containall", "--cleanenv", "--no-home", "--no-eval",
    "--no-mount", "bind-paths,hostfs,cwd,home", "--pwd", "/",
)  # fmt: skip


def command_line(program: str, image: Path, job: Job) -> list[str]:
    """Return the command line that runs a job in an image's file or folder."""
    sandbox = job.sandbox
    options: list[str] = []
    if not sandbox.network:
        options += ["--net", "--network", "none"]
    if not sandbox.capabilities:
        options += ["--no-privs", "--drop-caps", "all"]
    if not sandbox.read_only:
        options += ["--writable-tmpfs"]
    if job.checkpoint is not None:
        # Written as CSV, so that any name will do.
        mount = io.StringIO()
        source = f"source={job.checkpoint.resolve()}"
        fields = ("type=bind", source, f"destination={CHECKPOINT_FOLDER}", "ro")
        csv.writer(mount, lineterminator="").writerow(fields)
        options += ["--mount", mount.getvalue()]
    if job.gpus is not None:
        options += ["--nv"]
    shell = ("sh", "-c", _script(job), "sh")
    return [program, *_CLOSED, *options, str(image), *shell, *job.command]


def _script(job: Job) -> str:
    """Return what the image's shell does before it becomes the command.

    A shell says by 126 and 127 that there is no such command; Apptainer itself says 255, which a
    command may say, too. What a limit allows less of already, it cannot allow more of.
    """
    n_bytes, hard = job.sandbox.memory_bytes, resource.getrlimit(resource.RLIMIT_DATA)[1]
    if hard != resource.RLIM_INFINITY:
        n_bytes = min(n_bytes, hard)
    memory = f"ulimit -d {max(1, n_bytes // KIB)} || exit 125"
    home = f"HOME={shlex.quote(environment(job)['HOME'])}"
    return f'ulimit -c 0; {memory}; {home}; export HOME; exec "$@"'


def process_environment(name: str, job: Job) -> dict[str, str]:
    """Return the variables that Apptainer itself sees; those of the job carry its own prefix."""
    ours = {key: os.environ[key] for key in _OUR_VARIABLES if key in os.environ}
    prefix = "APPTAINERENV_" if name == "apptainer" else "SINGULARITYENV_"
    theirs = environment(job)
    if job.gpus is not None and job.gpus != "all":
        theirs.setdefault("CUDA_VISIBLE_DEVICES", job.gpus)
    # Apptainer refuses to set HOME; the script does.
    return ours | {prefix + key: value for key, value in theirs.items() if key != "HOME"}


def pulled_file(source: str) -> Path:
    """Return where the image `source` (`docker://...`, `library://...`) is kept, there or not."""
    readable = re.sub(r"[^A-Za-z0-9.]+", "-", source)[-60:].strip("-.")
    name = f"{readable}-{hashlib.sha256(source.encode()).hexdigest()[:12]}.sif"
    return own_path("cache") / "images" / name


def pull_image(program: str, source: str, *, reference: str) -> None:
    """Have Apptainer pull `source` and put it where `pulled_file` says, in the place of an older.

    Raises `ModelNotAvailableError` if it can't be had, or not be kept.
    """
    target = pulled_file(source)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".pull-") as aside:
            file = Path(aside) / "image.sif"
            # The file is kept here, not in Apptainer's own folder as well.
            channel = ProcessChannel(
                [program, "pull", "--disable-cache", "--tmpdir", aside, str(file), source]
            )
            # Behind the program: what it has left goes when it has gone.
            REAPER.add({"kind": "folder", "id": aside})
            try:
                channel.close_input()
                printed = b"".join(data for _, data in iter(channel.read, None))
                status = channel.exit_status(_SECONDS_TO_ANSWER)
            finally:
                channel.remove()
            if status.code != 0:
                raise ModelNotAvailableError(
                    f"{reference}: the image is not here, and cannot be pulled "
                    f"({Path(program).name} pull: exit status {status.code})"
                    f"{last_words(printed)}"
                )
            file.replace(target)
    except OSError as error:
        message = f"{reference}: the image cannot be kept here: {error}"
        raise ModelNotAvailableError(message) from error


def image_digest(path: Path) -> str:
    """Return "sha256:..." of a file's bytes, or of all that is in a folder.

    Of a folder, what counts is every name in it with its kind, its permissions and its contents
    (of a link, where it points to); not owners, and not times. Raises `OSError` for what cannot
    be read.
    """
    if not path.is_dir():
        return f"sha256:{_file_digest(path).hex()}"

    def refuse(error: OSError) -> None:
        raise error

    digest = hashlib.sha256()
    entries = [
        Path(parent, name)
        for parent, folders, files in os.walk(path, onerror=refuse)
        for name in (*folders, *files)
    ]
    # In an order that every file system agrees on; names need not be text.
    for entry in sorted(entries, key=os.fsencode):
        name, mode = os.fsencode(entry.relative_to(path)), b"%o" % entry.lstat().st_mode
        for field in (name, mode, _contents(entry)):
            # Its length first: no two folders may be written down alike.
            digest.update(len(field).to_bytes(8))
            digest.update(field)
    return f"sha256:{digest.hexdigest()}"


def _contents(entry: Path) -> bytes:
    if entry.is_symlink():
        return os.fsencode(entry.readlink())
    return _file_digest(entry) if stat.S_ISREG(entry.stat().st_mode) else b""


def _file_digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


_SECONDS_TO_ANSWER = 60
# Time for Apptainer to unmount an image after its command was killed, or to delete its copy.
_SECONDS_TO_TIDY_UP = 15


def find_apptainer(reference: str) -> "ApptainerEngine":
    """Return the engine: `apptainer` or `singularity`, whichever is on the PATH.

    Of both, `singularity://` takes the second. Raises `ModelNotAvailableError` if there is
    neither, if it does not run, and for root.
    """
    names = ["apptainer", "singularity"]
    if reference.startswith("singularity://"):
        names.reverse()
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        raise ModelNotAvailableError(
            f"{reference}: there is no apptainer or singularity on the PATH; "
            "install Apptainer (https://apptainer.org), or use the image with docker://"
        )
    if os.getuid() == 0:
        # What runs in the container would be root outside.
        raise ModelNotAvailableError(
            f"{reference}: Apptainer runs an image as the user who calls it, and you are root: "
            "become an ordinary user, or use the image with docker://"
        )
    try:
        said = subprocess.run(  # noqa: S603 - the program that was found
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS_TO_ANSWER,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ModelNotAvailableError(f"{reference}: {program} does not run: {error}") from error
    printed = said.stdout.decode(errors="replace").strip()
    # "apptainer version 1.4.5", "singularity-ce version 4.1.0-jammy"
    version = re.fullmatch(r"(\S+) version (\S+)", printed)
    if said.returncode != 0 or version is None:
        raise ModelNotAvailableError(
            f"{reference}: {program} does not say its version "
            f"(exit status {said.returncode}): {printed}"
        )
    return ApptainerEngine(program=program, name=version[1], version=version[2])


@frozen
class ApptainerEngine:
    """Apptainer or Singularity, as it says itself (`name`, `version`); `program` is its path.

    An image is a SIF file, an unpacked folder (a "sandbox"), or what `apptainer pull` can fetch.
    """

    program: str
    name: str
    version: str

    def find_image(
        self,
        reference: str,
        *,
        sandbox: Sandbox | None = None,
        pull: Pull = "missing",
        progress: PullProgress | None = None,  # noqa: ARG002 - Apptainer does not tell
    ) -> Image:
        """Return the image that a reference names; see `Engine.find_image`.

        A file or folder is never pulled. `Image.engine` says which of a sandbox's limits Apptainer
        does not keep (`unenforced`), and what is done `instead`.
        """
        sandbox = sandbox or Sandbox()
        if sandbox.runtime is not None:
            raise ModelNotAvailableError(
                f"{reference}: --sandbox runtime={sandbox.runtime}: {self.name} has no runtimes"
            )
        path, source = _image_path(reference), _source(reference)
        is_new = bool(source) and not path.exists()
        if source and (pull == "always" or is_new):
            if pull == "never":
                raise ModelNotAvailableError(
                    f"{reference}: the image is not here, and nothing may be downloaded"
                )
            if sandbox.download_bytes is not None:
                raise ModelNotAvailableError(
                    f"{reference}: --sandbox download: {self.name} does not say how large an image "
                    "is; fetch it by hand, and leave this out"
                )
            pull_image(self.program, source, reference=reference)
        if not path.exists():
            hint = "write apptainer://docker://IMAGE for an image in a registry"
            raise ModelNotAvailableError(f"{reference}: there is no file or folder {path}; {hint}")
        try:
            digest = image_digest(path)
        except OSError as error:
            raise ModelNotAvailableError(f"{reference}: cannot be read: {error}") from error
        instead = {
            "memory_bytes": "for the data of each process, not for all of them together",
            "n_cpus": "a hint to libraries (OMP_NUM_THREADS)",
            "n_processes": "none",
            "shm_bytes": "none",
            "tmp_bytes": "`sessiondir max size` of apptainer.conf",
            "user": f"{os.getuid()}:{os.getgid()}",
        }
        engine = {
            "name": self.name,
            "version": self.version,
            "unenforced": sorted(instead),
            "instead": instead,
        }
        return Image(reference=reference, id=digest, engine=engine, is_new=is_new)

    def remove_image(self, image: Image) -> None:
        """Remove an image's file; see `Engine.remove_image`."""
        with contextlib.suppress(OSError):
            _image_path(image.reference).unlink()

    def close(self) -> None:
        """Do nothing: there is no connection."""

    def start(self, job: Job) -> ProcessChannel:
        """Start a command; see `Engine.start`.

        An image without the command, or without a shell, is told by the exit status.
        """
        path = _image_path(job.image.reference)
        if not path.exists():
            raise ContainerError(f"{job.where}: the image has gone: there is no {path}")
        try:
            return ProcessChannel(
                command_line(self.program, path, job),
                environment=process_environment(self.name, job),
                folder=Path("/"),
                patience_s=_SECONDS_TO_TIDY_UP,
            )
        except OSError as error:
            raise ContainerError(f"{job.where}: {self.name} does not start: {error}") from error


def _source(reference: str) -> str | None:
    """Return what is to be pulled, None if the reference names a file or folder."""
    scheme, _, rest = reference.partition("://")
    if scheme in ("library", "shub"):
        return reference if rest else None
    return rest if re.match(r"[a-z][a-z0-9-]*://.", rest) else None


def _image_path(reference: str) -> Path:
    if source := _source(reference):
        return pulled_file(source)
    rest = reference.partition("://")[2]
    if not rest:
        raise ModelNotAvailableError(
            f"{reference}: it names no image; write apptainer://FILE.sif or "
            "apptainer://docker://IMAGE"
        )
    return Path(rest).absolute()
