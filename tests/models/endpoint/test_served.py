"""Which models a server has, and which of them is meant."""

from typing import Any

import pytest
from starlette.responses import JSONResponse, Response
from tests.endpoint_server.language_model import BOS
from tests.models.endpoint.serving import Open, Serve

from pommel.errors import ModelNotAvailableError
from pommel.models.endpoint.behaviour import Manner, Way
from pommel.models.endpoint.model import Served
from pommel.models.endpoint.protocol import Completions
from pommel.models.endpoint.reference import read_reference

TWO = [{"id": "org/small", "owned_by": "org"}, {"id": "org/large", "owned_by": "org"}]


def test_the_only_model_needs_no_name(serve: Serve, opened: Open) -> None:
    _, url = serve()
    info = opened(url).info
    assert info.name == "en-gpt2"
    assert info.reference == f"{url}#en-gpt2"


@pytest.mark.parametrize(
    ("models", "name", "message"),
    [
        (TWO, "", "it has 2 models (org/small, org/large); write URL#MODEL"),
        ([], "", "it has no model; write URL#MODEL"),
        (
            TWO,
            "org/smal",
            ("it has no model 'org/smal' (did you mean org/small?); it has: org/small, org/large"),
        ),
        (TWO, "gpt2", "it has no model 'gpt2'; it has: org/small, org/large"),
        ([], "gpt2", "it has no model 'gpt2'; it has: none"),
        (
            [{"id": f"m{n}"} for n in range(12)],
            "",
            "it has 12 models (m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, ...); write URL#MODEL",
        ),
        # Names are shown, and must not steer a terminal.
        ([{"id": "a\x1b[2J"}], "gpt2", "it has no model 'gpt2'; it has: a?[2J"),
    ],
)
def test_a_model_that_is_not_there(
    serve: Serve, opened: Open, models: list[Any], name: str, message: str
) -> None:
    _, url = serve(models=models)
    reference = f"{url}#{name}" if name else url
    with pytest.raises(ModelNotAvailableError) as raised:
        opened(reference)
    assert str(raised.value) == f"{reference}: {message}".replace("URL", url)


def test_a_server_without_a_list_is_believed(serve: Serve, opened: Open) -> None:
    _, url = serve(has_models=False)
    info = opened(f"{url}#anything").info
    assert info.name == "anything"
    assert info.details["owned_by"] is None
    with pytest.raises(ModelNotAvailableError) as raised:
        opened(url)
    assert str(raised.value) == (
        f"{url}: it does not list its models (HTTP 404: 'Not Found'); write {url}#MODEL"
    )


def test_what_is_said_of_a_model(serve: Serve, opened: Open) -> None:
    said = {"id": "m", "owned_by": "vllm", "max_model_len": 128, "meta": {"n_params": 1497920}}
    _, url = serve(models=[said])
    info = opened(url).info
    assert info.kind == "endpoint"
    assert info.max_tokens == 128
    assert info.n_parameters == 1497920
    assert info.details["owned_by"] == "vllm"
    assert info.details["server"] == "uvicorn"
    assert info.methods == ("causal",)
    assert not info.costly_calls


def test_a_fingerprint_is_of_what_lasts() -> None:
    def fingerprint(
        url: str = "http://h/v1#m", model: str = "m", way: Way | None = None, **said: Any
    ) -> str:
        reference, own = read_reference(url), way or Way()
        protocol = Completions(base_url=reference.base_url, model=model)
        manner = Manner(protocol=protocol, own=own, marked=None, bare=own, contexts="checked")
        return Served(model=model, said={"id": model, **said}).fingerprint(reference, manner)

    assert fingerprint() == fingerprint("http://h:80/v1/#m")
    others = [
        fingerprint("http://i/v1"),
        fingerprint(model="n"),
        fingerprint(root="org/m"),
        # Other numbers come from these, too.
        fingerprint("http://h/v1?bos=<s>"),
        fingerprint(way=Way(front=("<s>",))),
        fingerprint(way=Way(front=("<s>",), is_first_scored=True)),
    ]
    assert len({fingerprint(), *others}) == 7


def test_a_mark_of_the_reference_makes_another_model(serve: Serve, opened: Open) -> None:
    _, url = serve()
    plain, marked = opened(f"{url}#en-gpt2").info, opened(f"{url}?bos={BOS}#en-gpt2").info
    assert plain.fingerprint != marked.fingerprint


def test_what_a_server_writes_is_shown_fit_to_be_shown(
    serve: Serve, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POMMEL_API_KEY", "s3cret")
    _, url = serve(models=[{"id": "m\x1b[2J\n s3cret", "owned_by": "s3cret\x1b"}])
    info = opened(url).info
    assert (info.name, info.reference) == ("m?[2J? ***", f"{url}#m?[2J? ***")
    assert info.details["owned_by"] == "***?"


def test_a_mark_that_repeats_the_key_is_not_shown(
    serve: Serve, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POMMEL_API_KEY", "s3cret")

    def edit(value: Any) -> Any:
        value["choices"][0]["logprobs"]["tokens"][0] = "<s3cret>"
        return value

    _, url = serve(edit=edit, adds_bos=True, takes_special_tokens=False, spares_probes=False)
    info = opened(url).info
    assert info.bos == "<***>"
    assert "s3cret" not in repr(info)


def test_names_are_text(serve: Serve, opened: Open) -> None:
    listed = rb'{"data": [{"id": "m\ud800"}]}'
    _, url = serve(always=lambda _request: Response(listed), spares_probes=False)
    with pytest.raises(ModelNotAvailableError) as raised:
        opened(url)
    assert str(raised.value) == f"{url}: it has no model; write {url}#MODEL"


def test_names_without_end(serve: Serve, opened: Open) -> None:
    _, url = serve(models=[{"id": "m" * 10**6}, {"id": "k" * 10**6}])
    with pytest.raises(ModelNotAvailableError) as raised:
        opened(f"{url}#gpt2")
    assert str(raised.value) == (
        f"{url}#gpt2: it has no model 'gpt2'; it has: {'m' * 80}, {'k' * 80}"
    )


def test_times_and_permissions_are_no_part_of_a_fingerprint(serve: Serve, opened: Open) -> None:
    server, url = serve()
    first = opened(url).info
    server.behaviour.models[0] |= {"created": 2, "permission": [{"id": "modelperm-7"}]}
    assert opened(url).info == first


@pytest.mark.parametrize("value", [[], {}, {"data": {}}, {"models": []}])
def test_what_is_no_list_of_models(serve: Serve, opened: Open, value: Any) -> None:
    _, url = serve(always=lambda _request: JSONResponse(value), spares_probes=False)
    with pytest.raises(ModelNotAvailableError) as raised:
        opened(f"{url}#m")
    assert str(raised.value) == (
        f"{url}#m: {url}/models is no list of models; is this an OpenAI-compatible server?"
    )
