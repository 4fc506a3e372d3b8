"""The engine for Apptainer, over a program that takes its command lines and contains nothing."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.models.container.toy_image import SCORE_MAIN, toy

from pommel.errors import ContainerError, ModelNotAvailableError, UnsupportedFeatureError
from pommel.models.container.commands import ImageCommands
from pommel.models.container.engines.apptainer_engine import (
    ApptainerEngine,
    find_apptainer,
    image_digest,
    pulled_file,
)
from pommel.models.container.engines.engine import Image, Job, Sandbox
from pommel.models.container.engines.process import Command, output_lines
from pommel.models.container.model import SessionAnswers
from pommel.models.model import Policy

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Apptainer is for Linux")

STAND_IN = Path(__file__).with_name("apptainer_stand_in.sh")
COMMANDS = {
    "spec": """echo '{"name": "toy"}'""",
    "tokenize": "cat $1",
    "unkify": "exit 99",
    "show": "echo $A $HOME $OMP_NUM_THREADS $LMZOO_CHECKPOINT_PATH",
    "fail": "echo what was wrong >&2; exit 7",
    "hang": "trap '' TERM; echo ready; while :; do sleep 0.1; done",
    "memory": "ulimit -d",
}


@pytest.fixture(autouse=True)
def ordinary_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Path]:
    def put(name: str = "apptainer", version: str = "apptainer version 1.4.5") -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / name).write_bytes(STAND_IN.read_bytes())
        (folder / name).chmod(0o755)
        (folder / "version").write_text(version, "utf-8")
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        return folder

    return put


@pytest.fixture
def program(install: Callable[..., Path]) -> Path:
    return install()


@pytest.fixture
def image(tmp_path: Path) -> Path:
    folder = tmp_path / "image"
    (folder / "bin").mkdir(parents=True)
    for name, script in COMMANDS.items():
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        (folder / "bin" / name).chmod(0o755)
    (folder / "bin" / "unexecutable").write_text("", "utf-8")
    return folder


@pytest.fixture
def engine(program: Path) -> ApptainerEngine:
    assert program.is_dir()
    return find_apptainer("apptainer://image")


class TestFindApptainer:
    def test_there_is_none(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(ModelNotAvailableError) as raised:
            find_apptainer("library://a/b")
        assert str(raised.value) == (
            "library://a/b: there is no apptainer or singularity on the PATH; "
            "install Apptainer (https://apptainer.org), or use the image with docker://"
        )

    def test_each_reference_has_its_favourite(self, install: Callable[..., Path]) -> None:
        install()
        install("singularity", "singularity-ce version 4.1.0-jammy")
        found = [
            find_apptainer(f"{scheme}://a").name
            for scheme in ("apptainer", "library", "shub", "singularity")
        ]
        assert found == ["apptainer", "apptainer", "apptainer", "singularity-ce"]

    def test_one_of_the_two_is_enough(self, install: Callable[..., Path]) -> None:
        install("singularity", "singularity version 3.8.7")
        engine = find_apptainer("apptainer://a")
        assert (engine.name, engine.version) == ("singularity", "3.8.7")

    def test_a_program_that_is_something_else(self, install: Callable[..., Path]) -> None:
        folder = install(version="a game of cards")
        with pytest.raises(ModelNotAvailableError) as raised:
            find_apptainer("apptainer://a")
        assert str(raised.value) == (
            f"apptainer://a: {folder}/apptainer does not say its version (exit status 0): "
            "a game of cards"
        )

    @pytest.mark.usefixtures("program")
    def test_not_for_root(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "getuid", lambda: 0)
        with pytest.raises(ModelNotAvailableError) as raised:
            find_apptainer("apptainer://a")
        assert str(raised.value) == (
            "apptainer://a: Apptainer runs an image as the user who calls it, and you are root: "
            "become an ordinary user, or use the image with docker://"
        )


class TestFindImage:
    def test_a_folder(self, engine: ApptainerEngine, image: Path) -> None:
        found = engine.find_image("apptainer://image")
        assert (found.reference, found.digests) == ("apptainer://image", ())
        assert found.id == image_digest(image)
        assert engine.find_image(f"singularity://{image}").id == found.id

    def test_a_file(self, engine: ApptainerEngine, tmp_path: Path) -> None:
        (tmp_path / "a.sif").write_bytes(b"abc")
        found = engine.find_image("apptainer://a.sif", pull="never")
        assert found.id == image_digest(tmp_path / "a.sif")
        assert engine.find_image("apptainer://a.sif", pull="always") == found

    def test_which_limits_are_not_kept_is_part_of_it(
        self, engine: ApptainerEngine, image: Path
    ) -> None:
        found = engine.find_image(f"apptainer://{image}").engine
        assert (found["name"], found["version"]) == ("apptainer", "1.4.5")
        unenforced = ["memory_bytes", "n_cpus", "n_processes", "shm_bytes", "tmp_bytes", "user"]
        assert found["unenforced"] == sorted(found["instead"]) == unenforced
        assert found["instead"]["user"] == f"1000:{os.getgid()}"

    @pytest.mark.parametrize(
        ("reference", "setting", "why"),
        [
            ("apptainer://image", "runtime=runsc", "runtime=runsc: apptainer has no runtimes"),
            (
                "apptainer://docker://a/b",
                "download=1G",
                (
                    "download: apptainer does not say how large an image is; fetch it by hand, and "
                    "leave this out"
                ),
            ),
        ],
    )
    @pytest.mark.usefixtures("image")
    def test_what_it_cannot_do_is_refused(
        self, engine: ApptainerEngine, reference: str, setting: str, why: str
    ) -> None:
        with pytest.raises(ModelNotAvailableError) as raised:
            engine.find_image(reference, sandbox=Sandbox().with_settings([setting]))
        assert str(raised.value) == f"{reference}: --sandbox {why}"

    def test_a_file_that_is_not_there(self, engine: ApptainerEngine, tmp_path: Path) -> None:
        with pytest.raises(ModelNotAvailableError) as raised:
            engine.find_image("apptainer://docker.io/a")
        assert str(raised.value) == (
            f"apptainer://docker.io/a: there is no file or folder {tmp_path}/docker.io/a; "
            "write apptainer://docker://IMAGE for an image in a registry"
        )

    @pytest.mark.parametrize("reference", ["apptainer://", "library://", "shub://"])
    def test_no_name(self, engine: ApptainerEngine, reference: str) -> None:
        with pytest.raises(ModelNotAvailableError) as raised:
            engine.find_image(reference)
        assert str(raised.value) == (
            f"{reference}: it names no image; write apptainer://FILE.sif or "
            "apptainer://docker://IMAGE"
        )

    @pytest.mark.parametrize(
        ("reference", "source"),
        [
            ("apptainer://docker://a/b:c", "docker://a/b:c"),
            ("singularity://oras://a/b", "oras://a/b"),
            ("library://a/b/c:1", "library://a/b/c:1"),
            ("shub://a/b", "shub://a/b"),
        ],
    )
    def test_pulled_if_it_is_not_here(
        self, engine: ApptainerEngine, program: Path, reference: str, source: str
    ) -> None:
        with pytest.raises(ModelNotAvailableError) as raised:
            engine.find_image(reference, pull="never")
        assert str(raised.value) == (
            f"{reference}: the image is not here, and nothing may be downloaded"
        )
        found = engine.find_image(reference)
        assert (program / "called").read_text("utf-8").splitlines()[0] == "pull"
        assert found.id == image_digest(pulled_file(source))
        assert engine.find_image(reference, pull="never").id == found.id
        assert engine.find_image(reference, pull="missing").id == found.id
        assert engine.find_image(reference, pull="always").id != found.id

    @pytest.mark.usefixtures("program")
    def test_what_was_pulled_can_be_removed(self, engine: ApptainerEngine) -> None:
        found = engine.find_image("library://a/b/c:1")
        assert found.is_new
        assert not engine.find_image("library://a/b/c:1", pull="always").is_new
        engine.remove_image(found)
        assert not pulled_file("library://a/b/c:1").exists()
        # Who is the second to do so does nothing.
        engine.remove_image(found)


class TestStart:
    def lines(self, engine: ApptainerEngine, job: Job, *chunks: bytes) -> list[str]:
        return list(output_lines(engine, job, chunks))

    def job(self, *command: str, settings: tuple[str, ...] = (), **fields: object) -> Job:
        image = Image(reference="apptainer://image", id="sha256:1")
        sandbox = Sandbox().with_settings(settings)
        return Job(image=image, command=command, sandbox=sandbox, **fields)  # type: ignore[arg-type]

    @pytest.fixture(autouse=True)
    def images(self, image: Path) -> None:
        assert image.is_dir()

    def test_a_command(self, engine: ApptainerEngine, program: Path) -> None:
        assert self.lines(engine, self.job("spec")) == ['{"name": "toy"}']
        called = (program / "called").read_text("utf-8").splitlines()
        assert called[:2] == ["--silent", "exec"]

    def test_input_of_any_size(self, engine: ApptainerEngine) -> None:
        job = self.job("tokenize", "/dev/stdin")
        data = b"the cat .\n" * 100_000
        assert self.lines(engine, job, data, b"last") == ["the cat ."] * 100_000 + ["last"]

    def test_the_environment(self, engine: ApptainerEngine, tmp_path: Path) -> None:
        job = self.job(
            "show", settings=("cpus=1",), environment={"A": "$(x)  y"}, checkpoint=tmp_path
        )
        assert self.lines(engine, job) == ["$(x) y /tmp 1 /opt/lmzoo_checkpoint"]

    def test_an_image_that_was_pulled(self, engine: ApptainerEngine, image: Path) -> None:
        reference = "library://a/b"
        pulled = engine.find_image(reference)
        pulled_file(reference).write_text(f"{image}\n", "utf-8")
        job = Job(image=pulled, command=("spec",), sandbox=Sandbox())
        assert self.lines(engine, job) == ['{"name": "toy"}']

    @pytest.mark.parametrize(
        ("command", "reason"),
        [
            ("nothing", "the command or a program that it calls is not there (exit status 127)"),
            ("unexecutable", "the command cannot be executed (exit status 126)"),
            ("fail", "it ended with exit status 7"),
        ],
    )
    def test_a_command_that_fails(self, engine: ApptainerEngine, command: str, reason: str) -> None:
        with pytest.raises(ContainerError) as raised:
            self.lines(engine, self.job(command))
        first, _, rest = str(raised.value).partition(";")
        assert first == f"apptainer://image: {command}: {reason}"
        assert rest.startswith(" the last it wrote to standard error:\n    ")

    def test_a_command_that_the_image_does_not_have(self, engine: ApptainerEngine) -> None:
        with pytest.raises(UnsupportedFeatureError):
            self.lines(engine, self.job("unkify", "/dev/stdin"))

    def test_a_command_that_hangs(self, engine: ApptainerEngine, program: Path) -> None:
        began = time.monotonic()
        with pytest.raises(ContainerError, match=r"it had not ended after 0\.5 s"):
            self.lines(engine, self.job("hang", settings=("time=0.5",)))
        assert time.monotonic() - began < 10
        # The program itself was left the time to clean up behind its container.
        assert (program / "tidied").exists()

    def test_one_that_answers_all_and_ends_badly(
        self, engine: ApptainerEngine, image: Path
    ) -> None:
        script = toy(2, score=f"{SCORE_MAIN}sys.exit(1)\n")["score"]
        (image / "bin" / "score").write_text(f"#!{sys.executable} -SE\n{script}", "utf-8")
        (image / "bin" / "score").chmod(0o755)
        found = Image(reference="apptainer://image", id="sha256:1")
        answers = SessionAnswers(ImageCommands(engine=engine, image=found))
        with pytest.raises(ContainerError) as caught:
            list(answers.score(["a cat", "a dog"], Policy()))
        assert str(caught.value) == "apptainer://image: score: it ended with exit status 1"
        assert caught.value.spoiled == {"a cat", "a dog"}

    def test_lines_back_and_forth(self, engine: ApptainerEngine) -> None:
        with Command(engine, self.job("tokenize", "/dev/stdin")) as command:
            for number in range(50):
                command.feed([b"line %d\n" % number], last=False)
                assert command.next_line() == f"line {number}"

    def test_limits_of_a_process(self, engine: ApptainerEngine) -> None:
        assert self.lines(engine, self.job("memory", settings=("memory=512M",))) == ["524288"]

    def test_the_image_has_gone(self, engine: ApptainerEngine, image: Path) -> None:
        image.rename(image.with_name("moved"))
        with pytest.raises(ContainerError) as raised:
            engine.start(self.job("spec"))
        assert str(raised.value) == (
            f"apptainer://image: spec: the image has gone: there is no {image}"
        )

    def test_the_program_has_gone(self, engine: ApptainerEngine, program: Path) -> None:
        (program / "apptainer").unlink()
        with pytest.raises(ContainerError, match=r"apptainer does not start: .*No such file"):
            engine.start(self.job("spec"))
