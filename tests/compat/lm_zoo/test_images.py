"""The six functions and the commands on images; these run without containers."""

import io
from collections.abc import Callable
from pathlib import Path

import h5py
import pytest
from tests.cli.samples import Pommel
from tests.models.container.conftest import ImageOf
from tests.models.container.local_engine import LocalEngine
from tests.models.container.toy_image import SPEC

from pommel.compat import lm_zoo as Z  # noqa: N812 - everybody called it so
from pommel.errors import ContainerError, InputError
from pommel.models.container import predictions
from pommel.models.container.engines.engine import ENGINES
from pommel.models.model import LoadOptions

SENTENCES = ["The cat", "", 'Unbelievable " NA null 007']


def test_what_an_image_prints_comes_back(image: ImageOf) -> None:
    reference = image()
    assert Z.spec(reference) == {**SPEC, "protocol": 1}
    assert Z.tokenize(reference, SENTENCES) == [
        ["The", "cat", "<eos>"],
        [],
        ["<unk>", '"', "NA", "null", "007", "<eos>"],
    ]
    assert Z.unkify(reference, SENTENCES) == [[0, 0, 0], [], [1, 0, 0, 0, 0, 0]]
    frame = Z.get_surprisals(reference, SENTENCES)
    assert [tuple(row) for row in frame.itertuples()] == [
        ((1, 1), "The", 0.0),
        ((1, 2), "cat", 3.0),
        ((1, 3), "<eos>", 5.0),
        ((3, 1), "<unk>", 0.0),
        ((3, 2), '"', 1.0),
        ((3, 3), "NA", 2.0),
        ((3, 4), "null", 4.0),
        ((3, 5), "007", 3.0),
        ((3, 6), "<eos>", 5.0),
    ]


def test_images_of_the_second_protocol_speak_the_first(image: ImageOf) -> None:
    assert Z.tokenize(image(protocol=2), ["a"]) == [["a", "<eos>"]]


def test_blank_sentences_alone_start_nothing(image: ImageOf, engine: LocalEngine) -> None:
    reference = image()
    assert Z.tokenize(reference, ["", "  "]) == [[], []]
    assert Z.get_surprisals(reference, []).empty
    assert engine.commands == []


def test_a_spec_that_is_changed_is_the_callers_own(image: ImageOf) -> None:
    reference = image()
    Z.spec(reference)["name"] = "mine"
    Z.spec(reference)["vocabulary"]["unk_types"].append("mine")
    assert Z.spec(reference) == {**SPEC, "protocol": 1}


def test_a_command_that_an_image_has_not(image: ImageOf) -> None:
    reference = image(unkify="sys.exit(99)\n")
    with pytest.raises(Z.UnsupportedFeatureError) as raised:
        Z.unkify(reference, ["a"])
    assert (raised.value.model, raised.value.feature) == (reference, "unkify")
    assert str(raised.value).startswith(f"{reference}: unkify /dev/stdin: the image does not ")


def test_a_command_that_fails(image: ImageOf) -> None:
    reference = image(get_surprisals="print('oh no', file=sys.stderr)\nsys.exit(1)\n")
    with pytest.raises(ContainerError, match="oh no"):
        Z.get_surprisals(reference, ["a"])


def test_a_blank_sentence_has_no_place_among_predictions(image: ImageOf) -> None:
    with pytest.raises(InputError) as raised:
        Z.get_predictions(image(), ["a", " "])
    assert str(raised.value) == "sentence 2 is blank, and has no place in a file of predictions"


@pytest.fixture
def predicting(
    image: ImageOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[bytes], str]:
    """A function that returns an image whose predictions are these bytes."""
    command = (*predictions.COMMAND[:-1], str(tmp_path / "inside.hdf5"))
    monkeypatch.setattr(predictions, "COMMAND", command)

    def make(content: bytes) -> str:
        (tmp_path / "made.hdf5").write_bytes(content)
        copy = f"open(sys.argv[2], 'wb').write(open({str(tmp_path / 'made.hdf5')!r}, 'rb').read())"
        return image(get_predictions=f"{copy}\n")

    return make


def hdf5(make: Callable[[h5py.File], object]) -> bytes:
    content = io.BytesIO()
    with h5py.File(content, "w") as file:
        make(file)
    return content.getvalue()


def test_predictions_of_an_image(predicting: Callable[[bytes], str]) -> None:
    reference = predicting(hdf5(lambda file: file.__setitem__("sentence/0/tokens", [1, 2])))
    with Z.get_predictions(reference, ["a"]) as file:
        assert file["sentence/0/tokens"][:].tolist() == [1, 2]


def test_predictions_that_lead_to_files_of_this_machine(predicting: Callable[[bytes], str]) -> None:
    reference = predicting(
        hdf5(lambda file: file.__setitem__("vocabulary", h5py.ExternalLink("/etc/passwd", "/")))
    )
    with pytest.raises(ContainerError) as raised:
        Z.get_predictions(reference, ["a"])
    assert str(raised.value) == (
        "local://toy: get_predictions.hdf5: '/vocabulary' is a link, and not what it stands for"
    )


def test_an_image_that_is_not_there(engine: LocalEngine) -> None:
    with pytest.raises(Z.BackendConnectionError) as raised:
        Z.spec("local://nosuch")
    assert str(raised.value) == "local://nosuch: there is no such image"
    assert (raised.value.backend, raised.value.model) == ("local", "local://nosuch")
    assert engine.commands == []


def test_a_checkpoint_is_what_the_image_sees(
    image: ImageOf, engine: LocalEngine, tmp_path: Path
) -> None:
    show = "for _ in sentences(): print(os.environ['LMZOO_CHECKPOINT_PATH'])\n"
    model = Z.get_registry()[image(tokenize=show)]
    folder = tmp_path / "weights"
    folder.mkdir()
    assert Z.tokenize(model.with_checkpoint(folder), ["a"]) == [[str(folder)]]
    options = LoadOptions(checkpoint=folder, pull="always")
    assert Z.tokenize(model, ["a"], options=options) == [[str(folder)]]
    assert engine.pulls == ["missing", "always"]


def test_podman_takes_dockers_images(
    image: ImageOf, engine: LocalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def podman(reference: str) -> LocalEngine:
        asked.append(reference)
        return engine

    monkeypatch.setitem(ENGINES, "podman", podman)
    image()
    with pytest.raises(Z.BackendConnectionError, match="podman://toy: there is no such image"):
        Z.tokenize("docker://toy", ["a"], backend="podman")
    assert asked == ["podman://toy"]


def test_the_commands_print_it(pommel: Pommel, image: ImageOf) -> None:
    reference = image()
    text = "\n".join(SENTENCES)
    assert pommel("tokenize", reference, "-", stdin=text).stdout == (
        'The cat <eos>\n\n<unk> " NA null 007 <eos>\n'
    )
    assert pommel("unkify", reference, "-", stdin=text).stdout == "0 0 0\n\n1 0 0 0 0 0\n"
    assert pommel("get-surprisals", reference, "-", stdin="The cat\n").stdout == (
        "sentence_id\ttoken_id\ttoken\tsurprisal\n1\t1\tThe\t0.0\n1\t2\tcat\t3.0\n1\t3\t<eos>\t5.0\n"
    )


def test_predictions_are_the_images_file(pommel: Pommel, image: ImageOf, tmp_path: Path) -> None:
    out = tmp_path / "out.hdf5"
    outcome = pommel("get-predictions", image(), "-", out, stdin="The cat\n")
    assert (outcome.status, outcome.stderr) == (0, f"Predictions: {out}\n")
    assert out.read_bytes() == b"\x89HDF\r\n\x1a\nThe cat\n"


def test_a_failing_image_is_one_line_and_exit_status_1(pommel: Pommel, image: ImageOf) -> None:
    reference = image(tokenize="print('oh no', file=sys.stderr)\nsys.exit(3)\n")
    outcome = pommel("tokenize", reference, "-", stdin="a\n")
    assert (outcome.status, outcome.stdout) == (1, "")
    assert outcome.stderr.startswith(
        f"pommel: {reference}: tokenize /dev/stdin: it ended with exit status 3"
    )
    assert "oh no" in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_a_sandbox_may_be_given(pommel: Pommel, image: ImageOf, engine: LocalEngine) -> None:
    outcome = pommel("tokenize", image(), "-", "--sandbox", "memory=1G", stdin="a\n")
    assert outcome.status == 0
    assert engine.jobs[0].sandbox.memory_bytes == 1 << 30


def test_a_short_name_is_an_image_of_the_registry(
    engine: LocalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def docker(reference: str) -> LocalEngine:
        asked.append(reference)
        return engine

    monkeypatch.setitem(ENGINES, "docker", docker)
    with pytest.raises(Z.BackendConnectionError):
        Z.spec("GRNN")
    assert asked == ["docker://cpllab/language-models:grnn"]
