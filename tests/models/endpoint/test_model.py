"""A model behind a server, held against the same model in this process."""

from collections.abc import Sequence
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response
from tests.endpoint_server import faults
from tests.endpoint_server.language_model import (
    BOS,
    LanguageModel,
    Writing,
    as_bytes,
    as_names,
    as_text,
    as_whole_characters,
    without_parts,
)
from tests.models.endpoint.serving import Open, Serve, refusal

from pommel.api import load_suite
from pommel.errors import ModelError, UnsupportedFeatureError
from pommel.models.endpoint import model as endpoint_model
from pommel.models.endpoint.behaviour import Manner, Way
from pommel.models.endpoint.model import Served
from pommel.models.endpoint.protocol import Completions
from pommel.models.endpoint.reference import read_reference
from pommel.models.model import Bos, Policy, score_all
from pommel.surprisal import ScoredSentence
from pommel.testing import check_model

BITS = 1e-3
# Their characters are several tokens each.
FOREIGN = ["的的的的", "我是学生。", "été — naïve", "ééé", "日本語"]
SENTENCES = [
    "The author near the pilots knows the cat .",
    "The naïve pilot knows “many” 🙂 things .",
    "I",
    "  two  blanks ",
]


def suite_sentences() -> list[str]:
    """The sentences of a shipped suite."""
    suite = load_suite("number_prep")
    conditions = (condition for item in suite.items for condition in item.conditions)
    return list(dict.fromkeys(condition.sentence(suite.joiner).text for condition in conditions))


def assert_same(scored: Sequence[ScoredSentence], expected: Sequence[ScoredSentence]) -> None:
    """Assert that sentences have the same tokens, at the same places, with the same bits."""
    for mine, own in zip(scored, expected, strict=True):
        assert mine.text == own.text
        for token, other in zip(mine.tokens, own.tokens, strict=True):
            assert (token.start, token.end) == (other.start, other.end)
            if other.surprisal_bits is None:
                assert token.surprisal_bits is None
            else:
                assert token.surprisal_bits == pytest.approx(other.surprisal_bits, abs=BITS)


@pytest.mark.parametrize(
    ("behaviour", "setting", "bos", "own_bos"),
    [
        ({}, "", "auto", "never"),
        ({}, "", "never", "never"),
        ({}, "", "tokenizer", "never"),
        ({}, f"?bos={BOS}", "auto", "always"),
        ({}, f"?bos={BOS}", "always", "always"),
        ({}, f"?bos={BOS}", "never", "never"),
        ({}, f"?bos={BOS}", "tokenizer", "never"),
        ({"adds_bos": True}, "", "auto", "always"),
        ({"adds_bos": True}, "", "always", "always"),
        ({"adds_bos": True}, "", "tokenizer", "always"),
        ({"adds_bos": True}, "", "never", "never"),
        ({"adds_bos": True, "shows_bos": False}, "", "always", "always"),
        ({"adds_bos": True, "shows_bos": False}, "", "never", "never"),
    ],
)
def test_every_policy_gives_the_bits_of_the_model_itself(  # noqa: PLR0913, PLR0917 - a table
    serve: Serve,
    opened: Open,
    language_model: LanguageModel,
    behaviour: dict[str, bool],
    setting: str,
    bos: Bos,
    own_bos: Bos,
) -> None:
    _, url = serve(**behaviour)
    sentences = suite_sentences()[::12]
    scored = score_all(opened(f"{url}{setting}"), sentences, Policy(bos=bos))
    assert_same(scored, score_all(language_model.model, sentences, Policy(bos=own_bos)))


@pytest.mark.parametrize("bos", ["auto", "never"])
def test_a_shipped_suite_has_the_bits_of_the_model_itself(
    serve: Serve, opened: Open, language_model: LanguageModel, bos: Bos
) -> None:
    _, url = serve(adds_bos=True)
    sentences = suite_sentences()
    scored = score_all(opened(url), sentences, Policy(bos=bos))
    assert len(scored) == 96
    assert_same(scored, score_all(language_model.model, sentences, Policy(bos=bos)))


@pytest.mark.parametrize(
    "writing", [as_text, as_names, as_bytes, as_whole_characters, without_parts]
)
@pytest.mark.parametrize("tells_usage", [True, False])
def test_however_tokens_are_written(
    serve: Serve,
    opened: Open,
    language_model: LanguageModel,
    writing: Writing,
    tells_usage: bool,  # noqa: FBT001
) -> None:
    _, url = serve(adds_bos=True, writing=writing, tells_usage=tells_usage)
    model = opened(url)
    own_model = language_model.model
    assert_same(score_all(model, SENTENCES, Policy()), score_all(own_model, SENTENCES, Policy()))
    # Every part of a character is a token, wherever its server says that it stands.
    found, expected = (score_all(each, FOREIGN, Policy()) for each in (model, own_model))
    for scored, own in zip(found, expected, strict=True):
        assert [each.surprisal_bits for each in scored.tokens] == pytest.approx(
            [each.surprisal_bits for each in own.tokens], abs=BITS
        )


def test_a_blank_sentence(serve: Serve, opened: Open) -> None:
    server, url = serve(tells_usage=False)
    model = opened(url)
    server.behaviour.edit = faults.edited(tokens=["zz"], token_logprobs=[None])
    assert score_all(model, [" "], Policy()) == [ScoredSentence(text=" ", tokens=())]


def test_a_hidden_mark_whose_token_is_not_scored(
    serve: Serve, opened: Open, language_model: LanguageModel
) -> None:
    _, url = serve(adds_bos=True, shows_bos=False, scores_first=False)
    (scored,) = score_all(opened(url), SENTENCES[:1], Policy())
    (own,) = score_all(language_model.model, SENTENCES[:1], Policy())
    assert scored.tokens[0].surprisal_bits is None
    assert scored.tokens[0].why_unscored == "no context"
    for token, other in zip(scored.tokens[1:], own.tokens[1:], strict=True):
        assert other.surprisal_bits is not None
        assert token.surprisal_bits == pytest.approx(other.surprisal_bits, abs=BITS)


def test_a_first_token_without_context(serve: Serve, opened: Open) -> None:
    _, url = serve()
    model = opened(url)
    (unscored,) = score_all(model, ["The author"], Policy())
    (zero,) = score_all(model, ["The author"], Policy(first_token="zero"))
    assert unscored.tokens[0].surprisal_bits is None
    assert zero.tokens[0].surprisal_bits == 0.0
    assert zero.tokens[1:] == unscored.tokens[1:]


def test_a_mark_is_put_in_front_once(serve: Serve, opened: Open) -> None:
    server, url = serve()
    model = opened(f"{url}?bos={BOS}")
    (plain,) = score_all(model, ["The author"], Policy())
    (marked,) = score_all(model, [f"{BOS}The author"], Policy())
    assert server.seen.prompts[-1] == server.seen.prompts[-2] == f"{BOS}The author"
    assert [each.text for each in marked.tokens] == [BOS, *[each.text for each in plain.tokens]]
    assert marked.tokens[0].surprisal_bits is None
    assert [each.surprisal_bits for each in marked.tokens[1:]] == [
        each.surprisal_bits for each in plain.tokens
    ]


def test_equal_sentences_are_asked_for_once_and_again_at_the_end(
    serve: Serve, opened: Open
) -> None:
    server, url = serve()
    model = opened(url)
    n_before = len(server.seen.prompts)
    scored = dict(model.score(["I", "The", "I", "I"], Policy()))
    assert sorted(scored) == [0, 1, 2, 3]
    assert scored[0] is scored[3]
    assert len(server.seen.prompts) == n_before + 4


def test_one_in_a_hundred_is_asked_again_in_reverse_order(
    serve: Serve, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Here one in three.
    monkeypatch.setattr(endpoint_model, "_ONE_IN", 3)
    server, url = serve()
    model = opened(url, n_parallel=1)
    assert "asked_again" not in model.info.details
    n_before = len(server.seen.prompts)
    # Of few sentences eight, or all.
    for n, n_again in ((3, 3), (20, 8), (30, 10)):
        score_all(model, [f"The {number}" for number in range(n)], Policy())
        asked = server.seen.prompts[n_before:]
        assert len(asked) == n + n_again
        assert asked[n:] == sorted(set(asked[n:]), reverse=True)
        n_before += len(asked)
    assert model.info.details["asked_again"] == {
        "n_sentences": 21,
        "largest_bits": 0.0,
        "where": "",
    }


LONG = "the author that the senators near the old houses by the sea like so much and so often"


def test_numbers_that_depend_on_what_was_asked_before_are_refused(
    serve: Serve, opened: Open
) -> None:
    _, url = serve(caches_wrongly=1)
    sentences = [f"{LONG} {LONG} {word} ." for word in ("laughs", "laugh")]
    with pytest.raises(ModelError, match=r"other surprisals \(by .* bits; 0.14 bits are") as caught:
        score_all(opened(url), sentences, Policy())
    assert caught.value.spoiled == frozenset(sentences)
    # What is short has no block to be kept.
    assert score_all(opened(url), ["the author laughs"], Policy())


def test_other_tokens_than_before_are_refused(serve: Serve, opened: Open) -> None:
    n_asked = 0

    def edit(value: Any) -> Any:
        nonlocal n_asked
        n_asked += 1
        logprobs = value["choices"][0]["logprobs"]
        if n_asked > 1:
            logprobs["tokens"][:1] = [logprobs["tokens"][0][:1], logprobs["tokens"][0][1:]]
            logprobs["token_logprobs"][1:1] = [-1.0]
        return value

    _, url = serve(edit=edit, tells_usage=False)
    with pytest.raises(
        ModelError, match=r"asked again, it gives 'The author' other .*other tokens"
    ):
        score_all(opened(url), ["The author"], Policy())


def test_nothing_is_asked_about_an_empty_sentence(serve: Serve, opened: Open) -> None:
    server, url = serve()
    model = opened(url)
    n_before = len(server.seen.prompts)
    assert score_all(model, ["", ""], Policy()) == [ScoredSentence(text="", tokens=())] * 2
    assert score_all(model, [], Policy()) == []
    assert len(server.seen.prompts) == n_before


def test_answers_come_in_any_order_and_belong_to_their_sentences(
    serve: Serve, opened: Open, language_model: LanguageModel
) -> None:
    slow, *others = suite_sentences()[:8]
    _, url = serve(delays={slow: 0.3}, adds_bos=True)
    answers = list(opened(url, n_parallel=3).score([slow, *others], Policy()))
    assert answers[-1][0] == 0
    scored = [sentence for _, sentence in sorted(answers, key=lambda answer: answer[0])]
    assert_same(scored, score_all(language_model.model, [slow, *others], Policy()))


@pytest.mark.parametrize("n_parallel", [1, 3])
def test_so_many_requests_are_under_way_at_once(
    serve: Serve, opened: Open, n_parallel: int
) -> None:
    sentences = suite_sentences()[:9]
    server, url = serve(delays=dict.fromkeys(sentences, 0.03))
    score_all(opened(url, n_parallel=n_parallel), sentences, Policy())
    assert server.seen.most_open == n_parallel


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (
            Policy(bos="always"),
            (
                "bos=always: the server puts no mark in front of a sentence; name the model's: "
                "http://HOST/v1?bos=MARK#MODEL"
            ),
        ),
        (
            Policy(eos="always"),
            (
                "eos=always: a server scores a prompt as it is, without a mark at its end; write "
                "eos=auto"
            ),
        ),
    ],
)
def test_policies_that_no_server_follows(
    serve: Serve, opened: Open, policy: Policy, message: str
) -> None:
    _, url = serve()
    with pytest.raises(UnsupportedFeatureError) as raised:
        opened(url).score(["I"], policy)
    assert str(raised.value) == f"{url}#en-gpt2: {message}"


def test_a_mark_that_cannot_be_left_out(serve: Serve, opened: Open) -> None:
    _, url = serve(adds_bos=True, takes_special_tokens=False)
    with pytest.raises(UnsupportedFeatureError) as raised:
        opened(url).score(["I"], Policy(bos="never"))
    assert str(raised.value) == (
        f"{url}#en-gpt2: bos=never: the server puts a mark in front of every sentence; "
        "write bos=auto"
    )


def test_methods_and_boundaries_that_a_server_does_not_have(serve: Serve, opened: Open) -> None:
    _, url = serve()
    model = opened(url)
    with pytest.raises(UnsupportedFeatureError, match="does not take the method 'pll'"):
        model.score(["I"], Policy(method="pll"))
    with pytest.raises(UnsupportedFeatureError, match="does not take the boundary 'corrected'"):
        model.score(["I"], Policy(boundary="corrected"))


def test_half_a_pair_is_no_text(serve: Serve, opened: Open) -> None:
    _, url = serve()
    with pytest.raises(ModelError, match=r"it holds half of a surrogate pair, which is no text$"):
        opened(url).score(["I \ud83d"], Policy())


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
    assert refusal(opened, reference) == message.replace("URL", url)


def test_a_server_without_a_list_is_believed(serve: Serve, opened: Open) -> None:
    _, url = serve(has_models=False)
    info = opened(f"{url}#anything").info
    assert info.name == "anything"
    assert info.details["owned_by"] is None
    assert refusal(opened, url) == (
        f"it does not list its models (HTTP 404: 'Not Found'); write {url}#MODEL"
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
        manner = Manner(protocol=protocol, own=own, marked=None, bare=own, contexts="", repeats="")
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
    assert refusal(opened, url) == f"it has no model; write {url}#MODEL"


def test_names_without_end(serve: Serve, opened: Open) -> None:
    _, url = serve(models=[{"id": "m" * 10**6}, {"id": "k" * 10**6}])
    message = f"it has no model 'gpt2'; it has: {'m' * 80}, {'k' * 80}"
    assert refusal(opened, f"{url}#gpt2") == message


def test_times_and_permissions_are_no_part_of_a_fingerprint(serve: Serve, opened: Open) -> None:
    server, url = serve()
    first = opened(url).info
    server.behaviour.models[0] |= {"created": 2, "permission": [{"id": "modelperm-7"}]}
    assert opened(url).info == first


@pytest.mark.parametrize("value", [[], {}, {"data": {}}, {"models": []}])
def test_what_is_no_list_of_models(serve: Serve, opened: Open, value: Any) -> None:
    _, url = serve(always=lambda _request: JSONResponse(value), spares_probes=False)
    assert refusal(opened, f"{url}#m") == (
        f"{url}/models is no list of models; is this an OpenAI-compatible server?"
    )


def test_it_keeps_the_contract(serve: Serve, opened: Open) -> None:
    _, reference = serve()
    check_model(opened(reference), tolerance_bits=BITS)
