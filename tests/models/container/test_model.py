"""From a reference to a model in a container, and what is known of it."""

import json
from pathlib import Path

import pytest
from tests.models.container.conftest import ImageOf
from tests.models.container.local_engine import LocalEngine
from tests.models.container.toy_image import SCORE_MAIN, SPEC

from pommel.errors import ContainerError, ModelNotAvailableError, UnsupportedFeatureError
from pommel.models.container.commands import ImageCommands
from pommel.models.container.engines.engine import Image, Sandbox
from pommel.models.container.model import describe, open_model
from pommel.models.model import LoadOptions, ModelInfo, Policy, closing
from pommel.testing import check_model


def info(reference: str, options: LoadOptions | None = None) -> ModelInfo:
    model = open_model(reference, options or LoadOptions())
    model.close()
    return model.info


@pytest.mark.parametrize("protocol", [1, 2])
def test_it_keeps_the_contract(image: ImageOf, protocol: int) -> None:
    unlimited = f"HEADER['model']['max_tokens'] = None\n{SCORE_MAIN}"
    with closing(open_model(image(protocol, score=unlimited), LoadOptions())) as model:
        check_model(model, ["a dog", "a dog barks", "  incomprehensible,  caf\u00e9"])


def test_it_has_one_method_and_no_other(image: ImageOf, engine: LocalEngine) -> None:
    model = open_model(image(), LoadOptions())
    assert model.info.methods == ()
    for policy in (Policy(method="causal"), Policy(boundary="corrected")):
        with pytest.raises(UnsupportedFeatureError, match="local://toy does not take the "):
            list(model.score(["a b"], policy))
    # Nothing was started for it.
    assert engine.commands == ["spec"]


def test_protocol_1(image: ImageOf, engine: LocalEngine) -> None:
    found = info(image())
    image_id = engine.find_image("local://toy").id
    assert (found.name, found.kind, found.reference) == ("toy", "container", "local://toy")
    assert (found.bos, found.eos, found.max_tokens, found.dtype) == (None, "<eos>", None, None)
    assert found.revision == image_id
    assert found.costly_calls
    assert len(found.fingerprint) == 64
    assert found.details == {
        "protocol": 1,
        "offsets": "recovered",
        "image": {"reference": "local://toy", "id": image_id, "digests": []},
        "engine": {"name": "local", "version": "1"},
        "sandbox": Sandbox().to_dict(),
        "checkpoint": None,
        "gpus": None,
        "environment": {
            "POMMEL_DEVICE": "cpu",
            "POMMEL_DTYPE": "float32",
        },
    }
    json.dumps(found.to_dict(), allow_nan=False)
    assert engine.commands == ["spec"]


def test_protocol_2(image: ImageOf, engine: LocalEngine) -> None:
    found = info(image(2), LoadOptions(sandbox=Sandbox(n_cpus=1)))
    assert (found.name, found.bos, found.eos) == ("toy", None, "<eos>")
    assert (found.max_tokens, found.n_parameters) == (9, 3)
    assert (found.dtype, found.device) == ("float32", "cpu")
    assert found.costly_calls
    assert found.details["protocol"] == 2
    assert found.details["model"] == {"name": "toy", "fingerprint": "f"}
    assert found.details["sandbox"]["n_cpus"] == 1
    assert "offsets" not in found.details
    assert engine.commands == ["spec", "score"]


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ({"name": "Long", "shortname": "short"}, "Long"),
        ({"shortname": "short"}, "short"),
        ({}, "toy"),
    ],
)
def test_what_it_is_called(image: ImageOf, spec: dict[str, str], name: str) -> None:
    assert info(image(spec={"tokenizer": {}, **spec})).name == name


def test_the_header_names_what_the_spec_does_not(image: ImageOf) -> None:
    script = "HEADER['model']['name'] = 'mine'\nsay(HEADER)\nsys.stdin.read()\n"
    assert info(image(2, spec={"tokenizer": {}}, score=script)).name == "mine"


def test_the_fingerprint_changes_with_what_decides_the_numbers(
    engine: LocalEngine, image: ImageOf, tmp_path: Path
) -> None:
    reference = image()
    (tmp_path / "a").write_text("1")
    (tmp_path / "b").write_text("2")
    (tmp_path / "again").mkdir()
    (tmp_path / "again" / "a").write_text("1")
    same = [LoadOptions(), LoadOptions(batch_tokens=64), LoadOptions(sandbox=Sandbox(n_cpus=1))]
    assert len({info(reference, options).fingerprint for options in same}) == 1
    others = [
        LoadOptions(),
        LoadOptions(dtype="float16"),
        LoadOptions(checkpoint=tmp_path / "a"),
        LoadOptions(checkpoint=tmp_path / "b"),
        LoadOptions(checkpoint=tmp_path / "again"),
    ]
    assert len({info(reference, options).fingerprint for options in others}) == 5
    before = info(reference).fingerprint
    script = engine.folder / "toy" / "tokenize"
    script.write_text(script.read_text() + "\n")
    assert info(reference).fingerprint != before


def test_a_registry_has_a_digest(image: ImageOf, engine: LocalEngine) -> None:
    found = engine.find_image(image())
    known = Image(reference=found.reference, id=found.id, digests=("b@sha256:2", "a@sha256:1"))
    described = describe("GRNN", ImageCommands(engine=engine, image=known))
    assert (described.revision, described.reference) == ("a@sha256:1", "GRNN")


def test_a_checkpoint(image: ImageOf, tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_text("1")
    found = info(image(), LoadOptions(checkpoint=tmp_path / "weights.bin"))
    assert found.details["checkpoint"]["name"] == "weights.bin"
    assert len(found.details["checkpoint"]["sha256"]) == 64
    with pytest.raises(ModelNotAvailableError, match="there is no such file or folder"):
        info("local://toy", LoadOptions(checkpoint=tmp_path / "x"))


def test_an_image_that_takes_no_checkpoint(
    image: ImageOf, engine: LocalEngine, tmp_path: Path
) -> None:
    features = {"supported_features": {"mount_checkpoint": False}}
    reference = image(2, spec={**SPEC, "image": features})
    with pytest.raises(ModelNotAvailableError) as caught:
        info(reference, LoadOptions(checkpoint=tmp_path))
    assert str(caught.value) == (
        "local://toy: --checkpoint cannot be used: the image says that it takes no weights but "
        "its own (mount_checkpoint in its spec)"
    )
    assert engine.commands == ["spec"]


def test_an_image_without_commands(engine: LocalEngine) -> None:
    with pytest.raises(ContainerError) as caught:
        info(engine.add_image("bare", {}))
    assert str(caught.value) == "local://bare: spec: the image has no such command"


def test_an_image_that_promises_what_it_has_not(image: ImageOf, engine: LocalEngine) -> None:
    with pytest.raises(ContainerError, match="score: the image does not support this"):
        info(image(2, score="sys.exit(99)\n"))
    assert engine.n_running == 0
