"""Building images: contexts, the wheel of the running pommel, and real builds."""

import io
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.container_fixtures import PodmanImage
from tests.containers_support.answering import connected
from tests.containers_support.images import BUILDS
from tests.containers_support.users import locked

from pommel.errors import ContainerError, InputError, UsageError, package_version
from pommel.files.shipped import shipped_folder
from pommel.images.build import BuildOptions, all_images, remove_unnamed, watched
from pommel.images.new import new_image
from pommel.images.sources import (
    context_chunks,
    context_files,
    files_below,
    files_of,
    find_source,
    own_wheel,
)
from pommel.models.container.commands import ImageCommands
from pommel.models.model import LoadOptions


def members(files: dict[str, Path | bytes]) -> dict[str, tarfile.TarInfo]:
    stream = io.BytesIO(b"".join(context_chunks(files)))
    with tarfile.open(fileobj=stream) as archive:
        return {each.name: each for each in archive}


class TestContext:
    def test_everyone_may_read_and_nobody_owns(self, tmp_path: Path) -> None:
        (tmp_path / "bin").mkdir(mode=0o700)
        for name, mode in (("model.safetensors", 0o600), ("bin/spec", 0o700)):
            (tmp_path / name).write_bytes(b"#!/bin/sh\n")
            (tmp_path / name).chmod(mode)
        found = members(files_of(tmp_path))
        assert {name: oct(each.mode) for name, each in found.items()} == {
            "bin": "0o755",
            "bin/spec": "0o755",
            "model.safetensors": "0o644",
        }
        assert {(each.uid, each.gid, each.uname) for each in found.values()} == {(0, 0, "")}

    def test_when_files_were_changed_makes_no_difference(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_text("a")
        before = b"".join(context_chunks(files_of(tmp_path)))
        os.utime(tmp_path / "a", (1, 1))
        assert b"".join(context_chunks(files_of(tmp_path))) == before

    @given(
        st.dictionaries(
            st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1)
            .filter(lambda name: name not in (".", ".."))
            .map(lambda name: f"folder/{name}"),
            st.binary(max_size=2000),
        )
    )
    def test_what_goes_in_comes_out(self, contents: dict[str, bytes]) -> None:
        stream = io.BytesIO(b"".join(context_chunks(dict(contents))))
        with tarfile.open(fileobj=stream) as archive:
            found = {
                each.name: opened.read()
                for each in archive
                if (opened := archive.extractfile(each)) is not None
            }
        assert found == contents

    def test_dockerignore_and_compiled_files_stay_out(self, tmp_path: Path) -> None:
        (tmp_path / ".dockerignore").write_text("# no notes\nnotes/*\n!notes/kept\nDockerfile\n")
        for name in ("notes/a", "notes/kept", "Dockerfile", "a.pyc", "x/__pycache__/b", "model.py"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).touch()
        found = files_below(tmp_path)
        assert set(found) == {".dockerignore", "Dockerfile", "model.py", "notes/kept"}

    def test_a_link_stands_for_a_file_inside(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_text("content")
        (tmp_path / "b").symlink_to("a")
        found = members(files_of(tmp_path))
        assert (found["b"].isreg(), found["b"].size) == (True, 7)

    def test_a_folder_of_the_hub_s_cache(self, tmp_path: Path) -> None:
        (tmp_path / "blobs").mkdir()
        (tmp_path / "blobs" / "123").write_text("content")
        snapshot = tmp_path / "snapshots" / "abc"
        snapshot.mkdir(parents=True)
        (snapshot / "config.json").symlink_to("../../blobs/123")
        assert members(files_of(snapshot))["config.json"].size == 7

    @pytest.mark.parametrize(
        ("target", "message"),
        [
            (
                "/etc/hostname",
                "is a link to a place outside, which an image is not given",
            ),
            ("nowhere", "link leads nowhere; remove it"),
            ("link", "link leads nowhere; remove it"),
            ("folder", "is a link to a folder, which an image is not given twice"),
        ],
    )
    def test_links_that_cannot_be_kept(self, tmp_path: Path, target: str, message: str) -> None:
        folder = tmp_path / "model"
        (folder / "folder").mkdir(parents=True)
        (folder / "link").symlink_to(target)
        with pytest.raises(InputError) as raised:
            files_of(folder)
        assert str(raised.value).partition("; copy")[0] == f"{folder}/link: this {message}"

    def test_what_is_neither_file_nor_folder(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(InputError, match="pipe: this is neither a file nor a folder"):
            files_of(tmp_path)
        with pytest.raises(InputError, match="none: there is no such file or folder"):
            files_of(tmp_path / "none")

    def test_a_file_that_becomes_shorter(self, tmp_path: Path) -> None:
        path = tmp_path / "a"
        path.write_bytes(bytes(3 << 20))
        chunks = context_chunks(files_of(tmp_path))
        assert len([next(chunks), next(chunks)]) == 2
        path.write_bytes(b"")
        with pytest.raises(InputError, match="a: it became shorter while it was read"):
            list(chunks)


class TestSources:
    def test_a_shipped_image_has_model_and_pommel(self, tmp_path: Path) -> None:
        (tmp_path / "model.arpa").write_text("weights")
        found = find_source("ngram")
        files = context_files(found, tmp_path / "model.arpa")
        assert found.dockerfile == "ngram/Dockerfile"
        assert {"ngram/Dockerfile", "template/protocol.py", "model/model.arpa"} <= set(files)
        assert [name for name in files if name.startswith("wheels/")] == [
            f"wheels/pommel-{package_version('pommel')}-py3-none-any.whl"
        ]

    def test_an_image_without_pommel_gets_no_wheel(self) -> None:
        files = context_files(find_source("template"), None)
        assert not [name for name in files if name.startswith(("wheels/", "model/"))]

    def test_the_template_is_built_like_an_author_s(self) -> None:
        template = shipped_folder("image_sources") / "template"
        assert find_source("template").folder == template.resolve()

    def test_a_model_for_an_image_that_takes_none(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError) as raised:
            context_files(find_source("template"), tmp_path)
        assert str(raised.value) == (
            "--model is for ngram, lstm, huggingface; template is built with what is in its folder"
        )

    def test_somebodys_home_who_has_none(self) -> None:
        with pytest.raises(InputError, match=r"^~pommel-nobody/x: there is no such folder"):
            find_source("~pommel-nobody/x")

    def test_what_is_no_source(self, tmp_path: Path) -> None:
        with pytest.raises(InputError) as raised:
            find_source("ngrams")
        assert str(raised.value) == (
            "ngrams: there is no such folder, and no image of this name ships with pommel (did "
            "you mean ngram?); there is: template, ngram, lstm, huggingface"
        )
        with pytest.raises(InputError, match="this folder has no Dockerfile; `pommel image new"):
            find_source(str(tmp_path))


class TestOwnWheel:
    def test_pip_installs_it_and_it_runs(self, tmp_path: Path) -> None:
        name, wheel = own_wheel()
        (tmp_path / name).write_bytes(wheel)
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--no-deps")
        target = tmp_path / "installed"
        _run(*pip, "--no-index", "--target", target, tmp_path / name)
        # Only what was installed, and what it depends on.
        code = (
            "import pommel, sys; from pommel.files.shipped import shipped_folder; "
            "from pommel.models.registry import builtin_models; "
            "assert pommel.__file__ in sys.argv[1:], pommel.__file__; "
            "file = shipped_folder('image_sources') / 'template' / 'Dockerfile'; "
            "print(builtin_models()[:2], file.is_file())"
        )
        path = target / "pommel" / "__init__.py"
        done = _run(sys.executable, "-c", code, path, env={**os.environ, "PYTHONPATH": str(target)})
        assert done.stdout == "('de-gpt2', 'de-ngram') True\n"

    def test_it_is_the_same_every_time_and_has_no_compiled_files(self) -> None:
        assert own_wheel() == own_wheel()
        names = zipfile.ZipFile(io.BytesIO(own_wheel()[1])).namelist()
        assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
        assert "pommel/cli/__init__.py" in names
        assert "pommel/shipped/schemas/suite.json" in names
        assert "pommel/shipped/suites/index.jsonl" in names
        assert "pommel/shipped/image_sources/template/.dockerignore" in names
        assert f"pommel-{package_version('pommel')}.dist-info/RECORD" in names


Remove = Callable[[str], str]


@pytest.fixture
def tag(docker_engine: str) -> Iterator[str]:
    """A name for an image, which is removed at the end."""
    from docker import APIClient
    from docker.errors import ImageNotFound

    name = f"pommel-test/build-{os.getpid()}"
    with locked(BUILDS):
        yield name
        client = APIClient(base_url=docker_engine, version="auto")
        try:
            client.remove_image(name, force=True)
        except ImageNotFound:
            pass
        finally:
            client.close()


@pytest.mark.docker
class TestBuild:
    def test_a_folder_becomes_an_image(self, tmp_path: Path, plain_base: str, tag: str) -> None:
        folder = new_image("my-bigrams", tmp_path)
        said: list[str] = []
        options = BuildOptions(tag=tag, base=plain_base)
        built = options.build(str(folder), say=said.append)
        assert built.reference == f"docker://{tag}"
        assert built.id.startswith("sha256:")
        assert built.n_bytes > 10_000_000
        assert said[0].startswith(f"{tag}: ")
        assert "Step 1/" in "".join(said)
        assert "Successfully built" in "".join(said)

    def test_the_same_sources_are_the_same_image(
        self, tmp_path: Path, plain_base: str, tag: str
    ) -> None:
        options = BuildOptions(tag=tag, base=plain_base, arguments={"DATETIME": "2020-01-01"})
        first = options.build(str(new_image("twice", tmp_path / "one")), say=lambda _text: None)
        second = options.build(str(new_image("twice", tmp_path / "two")), say=lambda _text: None)
        assert first.id == second.id

    def test_the_time_is_that_of_the_newest_source(
        self, tmp_path: Path, plain_base: str, tag: str
    ) -> None:
        dockerfile = tmp_path / "Dockerfile"
        dockerfile.write_text("ARG BASE\nFROM ${BASE}\nARG DATETIME\nRUN echo made ${DATETIME}\n")
        (tmp_path / "older").touch()
        os.utime(tmp_path / "older", (0, 0))
        os.utime(dockerfile, (0, 1_577_836_799.5))
        said: list[str] = []
        BuildOptions(tag=tag, base=plain_base).build(str(tmp_path), say=said.append)
        assert "made 2019-12-31T23:59:59Z\n" in "".join(said)

    def test_what_a_failing_step_prints_cannot_steer_a_terminal(
        self, tmp_path: Path, plain_base: str, tag: str
    ) -> None:
        (tmp_path / "Dockerfile").write_text(
            "ARG BASE\nFROM ${BASE}\n"
            "RUN printf '1%%\\r2%%\\n\\033[31mred\\033[m\\a\\tend\\n'; exit 7\n"
        )
        options = BuildOptions(tag=tag, base=plain_base)
        with pytest.raises(ContainerError) as raised:
            options.build(str(tmp_path), say=lambda _text: None)
        assert str(raised.value).partition("; the last it printed:\n")[2] == (
            "    1%\n    2%\n    red? end"
        )

    def test_a_step_that_fails(self, tmp_path: Path, plain_base: str, tag: str) -> None:
        (tmp_path / "Dockerfile").write_text(
            "ARG BASE\nFROM ${BASE}\nRUN echo no compiler >&2; exit 7\n"
        )
        options = BuildOptions(tag=tag, base=plain_base)
        with pytest.raises(ContainerError) as raised:
            options.build(str(tmp_path), say=lambda _text: None)
        assert str(raised.value) == (
            f"{tag}: the build failed at `RUN echo no compiler >&2; exit 7`: exit "
            "status 7; the last it printed:\n    no compiler"
        )

    def test_a_base_that_is_not_there(self, tmp_path: Path, tag: str) -> None:
        (tmp_path / "Dockerfile").write_text("ARG BASE\nFROM ${BASE}\n")
        options = BuildOptions(tag=tag, base="localhost:1/pommel-test/nothing:1")
        with pytest.raises(ContainerError) as raised:
            options.build(str(tmp_path), say=lambda _text: None)
        assert "the build failed at `FROM ${BASE}`" in str(raised.value)
        assert str(raised.value).endswith(
            "\n--base IMAGE builds on another image, such as one that is on this machine"
        )

    def test_a_dockerfile_that_has_no_base(self, tmp_path: Path, docker_engine: str) -> None:
        assert docker_engine
        (tmp_path / "Dockerfile").write_text("FROM scratch\n")
        with pytest.raises(InputError) as raised:
            BuildOptions(tag="a", base="b").build(str(tmp_path), say=lambda _text: None)
        assert str(raised.value) == (
            f"{tmp_path}/Dockerfile: --base needs the lines ARG BASE=IMAGE and FROM ${{BASE}} at "
            "its beginning"
        )

    def test_a_tag_that_is_none(self, tmp_path: Path, docker_engine: str) -> None:
        assert docker_engine
        (tmp_path / "Dockerfile").write_text("FROM scratch\n")
        with pytest.raises(UsageError) as raised:
            BuildOptions(tag="A B").build(str(tmp_path), say=lambda _text: None)
        assert str(raised.value) == (
            "--tag A B: this is no name for an image; write small letters and digits: --tag "
            "me/my-model:1.0"
        )


@pytest.mark.docker
def test_podman_builds_it_too(
    tmp_path: Path, plain_base: str, podman_engine: str, podman_image: PodmanImage
) -> None:
    folder, tag = new_image("my-bigrams", tmp_path), f"pommel-test/podman-{os.getpid()}"
    options = BuildOptions(tag=tag, base=podman_image(plain_base))
    built = options.build(str(folder), engine="podman", say=lambda _text: None)
    try:
        assert built.reference == f"podman://{tag}"
        assert ImageCommands.open(built.reference, LoadOptions()).tokenize(["Yes ."])[0][1:] == [
            *(".", "</s>")
        ]
    finally:
        with connected(podman_engine) as client:
            client.remove_image(built.id, force=True)


def _run(
    *command: str | Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, env=env
    )
    assert done.returncode == 0, done.stderr
    return done


BASE, MADE, FINAL, OTHER = ("a" * 12, "b" * 12, "c" * 12, "d" * 12)


class Engine:
    """The images of an engine, by the beginning of their ids; remembers what was removed."""

    def __init__(self, **names: list[str]) -> None:
        self.names = names
        self.removed: list[str] = []

    def inspect_image(self, image: str) -> dict[str, Any]:
        return {"Id": f"sha256:{image * 5}", "RepoTags": self.names.get(image, [])}

    def remove_image(self, image: str) -> None:
        self.removed.append(image)


def events(*texts: str) -> Iterator[dict[str, Any]]:
    return ({"stream": text} for text in texts)


def removed(texts: tuple[str, ...], known: tuple[str, ...] = (), **names: list[str]) -> list[str]:
    """Return what is removed after a build that printed `texts`."""
    stages, engine = list[str](), Engine(**names)
    assert [event["stream"] for event in watched(events(*texts), stages)] == list(texts)
    client: Any = engine
    remove_unnamed(client, stages, [each * 5 for each in known])
    return engine.removed


TWO_STAGES = (
    *("Step 1/3 : FROM base AS first", "\n", f" ---> {BASE}\n"),
    *("Step 2/3 : RUN make", "\n", " ---> Running in 0123456789ab\n", f" ---> {MADE}\n"),
    *("Step 3/3 : FROM base", "\n", f" ---> {BASE}\n"),
)


def test_the_stage_before_the_last_is_removed() -> None:
    assert removed(TWO_STAGES, known=(BASE,)) == [f"sha256:{MADE * 5}"]


def test_a_stage_on_nothing_is_removed_and_one_that_has_made_nothing_is_not() -> None:
    scratch = ("Step 1/5 : FROM scratch\n", " ---> \n", "Step 2/5 : COPY . /\n", f" ---> {MADE}\n")
    base = ("Step 3/5 : FROM base AS second\n", f" ---> {BASE}\n")
    assert removed((*scratch, *base, "Step 4/5 : FROM base\n")) == [f"sha256:{MADE * 5}"]


def test_what_has_a_name_stays() -> None:
    assert removed(TWO_STAGES, known=(BASE,), **{MADE: ["mine:latest"]}) == []


def test_a_stage_that_was_there_before_stays() -> None:
    assert removed(TWO_STAGES, known=(BASE, MADE)) == []


def test_a_step_cannot_name_an_image_of_somebody_else_s() -> None:
    said = (
        *("Step 1/2 : FROM base", "\n", f" ---> {BASE}\n"),
        *("Step 2/2 : RUN echo", "\n", f" ---> {OTHER}\n", "Step 2/2 : FROM x\n"),
        f" ---> {FINAL}\n",
    )
    assert removed(said) == [f"sha256:{OTHER * 5}"]
    assert removed(said, known=(BASE, OTHER)) == []


@pytest.mark.docker
def test_an_engine_s_images_are_known_by_their_whole_ids(
    docker_engine: str, plain_base: str
) -> None:
    with connected(docker_engine) as client:
        untyped: Any = client
        found = untyped.inspect_image(plain_base)["Id"]
        assert found.removeprefix("sha256:") in all_images(client)
