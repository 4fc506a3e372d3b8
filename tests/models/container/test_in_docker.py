"""The same scripts in real containers: shut in, as nobody, on a read-only system."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.container_fixtures import BuildImage
from tests.containers_support.answering import connected
from tests.models.container.local_engine import LocalEngine
from tests.models.container.toy_image import SCORE_MAIN, toy

from pommel.errors import ContainerError, UnsupportedFeatureError
from pommel.models.container.engines.engine import Sandbox
from pommel.models.container.model import ContainerModel, open_model
from pommel.models.model import LoadOptions, Policy, closing, score_all

pytestmark = pytest.mark.docker

SENTENCES = ("The  cat .", 'Unbelievable é " NA 🦒', "\u2028 a", "'")

Built = Callable[..., str]


@pytest.fixture(scope="module")
def built(build_image: BuildImage) -> Built:
    """A function that builds an image of scripts (see `toy`) and returns its reference."""

    def build(protocol: int = 1, **scripts: str) -> str:
        files = {
            f"usr/bin/{name}": f"#!/usr/bin/env python3\n{code}"
            for name, code in toy(protocol, None, **scripts).items()
        }
        return f"docker://{build_image(files, name='toy')}"

    return build


def opened(reference: str, **options: object) -> ContainerModel:
    return open_model(reference, LoadOptions(**options))  # type: ignore[arg-type]


def n_containers(url: str, reference: str) -> int:
    """Return how many containers of an image there are, running or not."""
    image = reference.removeprefix("docker://")
    with connected(url) as client:
        return len(client.containers(all=True, filters={"ancestor": image}))


@pytest.mark.parametrize("protocol", [1, 2])
def test_a_container_changes_no_number(
    protocol: int, built: Built, engine: LocalEngine, docker_engine: str
) -> None:
    engine.add_image("here", toy(protocol))
    reference = built(protocol)
    for policy in (Policy(), Policy(eos="never")):
        with closing(opened("local://here")) as here, closing(opened(reference)) as there:
            assert score_all(there, SENTENCES, policy) == score_all(here, SENTENCES, policy)
    assert there.info.details["engine"]["name"] == "docker"
    assert there.info.fingerprint != here.info.fingerprint
    assert n_containers(docker_engine, reference) == 0


@pytest.mark.parametrize("protocol", [1, 2])
def test_ten_thousand_sentences(protocol: int, built: Built) -> None:
    sentences = [f"The cat number {n} sleeps ." for n in range(10_000)]
    with closing(opened(built(protocol))) as model:
        assert [each.text for each in score_all(model, sentences, Policy())] == sentences


def test_each_call_ends_its_container(built: Built, docker_engine: str) -> None:
    reference = built(2)
    with closing(opened(reference)) as model:
        assert n_containers(docker_engine, reference) == 1
        for n in range(3):
            score_all(model, [f"suite {n}"], Policy())
            assert n_containers(docker_engine, reference) == 0


@pytest.mark.parametrize("end", ["    sys.stdout.flush(); os._exit(1)\n", "sys.exit(1)\n"])
def test_one_that_answers_all_and_ends_badly(built: Built, docker_engine: str, end: str) -> None:
    reference = built(2, score=SCORE_MAIN + end)
    with closing(opened(reference)) as model, pytest.raises(ContainerError) as caught:
        score_all(model, ["a", "b"], Policy())
    assert str(caught.value) == f"{reference}: score: it ended with exit status 1"
    assert caught.value.spoiled == {"a", "b"}
    assert n_containers(docker_engine, reference) == 0


@pytest.mark.parametrize("protocol", [1, 2])
def test_what_is_asked_no_more_is_removed(protocol: int, built: Built, docker_engine: str) -> None:
    reference = built(protocol)
    model = opened(reference)
    scoring = model.score(["a cat"] * 20_000, Policy())
    next(scoring)
    assert n_containers(docker_engine, reference) == 1
    del scoring
    assert n_containers(docker_engine, reference) == 0
    model.close()


def test_a_file_comes_out(built: Built, tmp_path: Path) -> None:
    path = tmp_path / "out.hdf5"
    opened(built()).commands.write_predictions(["The cat", "é"], path)
    assert path.read_bytes() == b"\x89HDF\r\n\x1a\n" + "The cat\né\n".encode()


def test_a_checkpoint_is_seen(built: Built, tmp_path: Path) -> None:
    (tmp_path / "weights").write_text("mine")
    tmp_path.chmod(0o755)
    script = "print(open(os.environ['LMZOO_CHECKPOINT_PATH'] + '/weights').read())\n"
    commands = opened(built(tokenize=script), checkpoint=tmp_path).commands
    assert commands.tokenize(["a"]) == [["mine"]]


def test_failures_name_image_and_command(built: Built, docker_engine: str) -> None:
    half = "print('a')\nsys.stdout.flush()\nprint('no weights', file=sys.stderr)\nsys.exit(3)\n"
    reference = built(tokenize=half, unkify="sys.exit(99)\n", score="say(HEADER)\nsys.exit(3)\n")
    commands = opened(reference).commands
    with pytest.raises(ContainerError) as caught:
        commands.tokenize(["a", "b"])
    assert str(caught.value) == (
        f"{reference}: tokenize /dev/stdin: it ended with exit status 3; "
        "the last it wrote to standard error:\n    no weights"
    )
    with pytest.raises(UnsupportedFeatureError):
        commands.unkify(["a"])
    assert n_containers(docker_engine, reference) == 0


def test_a_session_that_fails(built: Built, docker_engine: str) -> None:
    reference = built(2, score="say(HEADER)\nr = next(blocks())\nsys.exit(3)\n")
    with closing(opened(reference)) as model, pytest.raises(ContainerError) as caught:
        score_all(model, ["a", "b"], Policy())
    assert str(caught.value) == (f"{reference}: score: it ended with exit status 3")
    assert n_containers(docker_engine, reference) == 0


def test_one_that_hangs(built: Built, docker_engine: str) -> None:
    reference = built(2, score="say(HEADER)\nimport time\ntime.sleep(99)\n")
    model = opened(reference, sandbox=Sandbox(timeout_s=2))
    with closing(model), pytest.raises(ContainerError, match="it had not ended after 2 s"):
        score_all(model, ["a", "b"], Policy())
    assert n_containers(docker_engine, reference) == 0


def test_an_image_that_is_none(build_image: BuildImage) -> None:
    reference = f"docker://{build_image({'etc/note': 'nothing here'}, name='bare')}"
    with pytest.raises(
        ContainerError,
        match=rf"^{reference}: spec: the command or a program that it calls is not there",
    ):
        opened(reference)
