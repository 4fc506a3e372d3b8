"""What models and families are called."""

import gc
import re
import subprocess
import sys
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import assume, example, given, settings, strategies as st
from tests.word_model import WordModel, replace_kind

from pommel.errors import ModelNotAvailableError, UsageError
from pommel.models.family import (
    Membership,
    Named,
    NamedModel,
    expand,
    expand_braces,
    natural_key,
    one_model,
    split_outside_braces,
    split_places,
)
from pommel.models.model import LoadOptions


def seed(pattern: str, number: int, family: str = "en") -> Named:
    label = f"seed-{number}"
    membership = Membership(
        family=family, axis="seed", label=label, value=number, pattern=f"{pattern}/seed-*"
    )
    return Named(name=f"{family}/{label}", membership=membership)


def test_models_of_one_name_are_called_by_their_references() -> None:
    found = Named.unique_names(
        {"a://x": Named(name="x"), "b://x": Named(name="x"), "c://": Named(name="y")}
    )
    assert {reference: each.name for reference, each in found.items()} == {
        "a://x": "a://x",
        "b://x": "b://x",
        "c://": "y",
    }


def test_families_of_one_name_are_called_by_their_patterns() -> None:
    models = {
        "lstm://a/en/seed-1": seed("lstm://a/en", 1),
        "lstm://a/en/seed-2": seed("lstm://a/en", 2),
        # Nobody else is called so, but by its name it would belong to the other family, too.
        "lstm://b/en/seed-3": seed("lstm://b/en", 3),
        "lstm://c/de/seed-1": seed("lstm://c/de", 1, family="de"),
    }
    found = Named.unique_names(models)
    assert [(each.name, each.membership and each.membership.family) for each in found.values()] == [
        ("lstm://a/en/seed-1", "lstm://a/en/seed-*"),
        ("lstm://a/en/seed-2", "lstm://a/en/seed-*"),
        ("lstm://b/en/seed-3", "lstm://b/en/seed-*"),
        ("de/seed-1", "de"),
    ]


def test_a_member_and_a_model_of_one_name() -> None:
    models = {"lstm://en/seed-1": seed("lstm://en", 1), "x://": Named(name="en/seed-1")}
    member, alone = Named.unique_names(models).values()
    assert (member.name, alone.name) == ("lstm://en/seed-1", "x://")
    assert member.membership == models["lstm://en/seed-1"].membership


@given(st.dictionaries(st.text("abc:/", min_size=1), st.sampled_from(["x", "y", "z"])))
def test_no_two_models_share_a_name(names: dict[str, str]) -> None:
    models = {f"s://{reference}": Named(name=name) for reference, name in names.items()}
    found = Named.unique_names(models)
    assert list(found) == list(models)
    assert len({each.name for each in found.values()}) == len(models)


Make = Callable[..., None]


@pytest.fixture(autouse=True)
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Return a function that makes folders, and files where a name has an ending, in the cwd."""
    monkeypatch.chdir(tmp_path)

    def make(*paths: str) -> None:
        for path in map(Path, paths):
            if path.suffix:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("")
            else:
                path.mkdir(parents=True, exist_ok=True)

    return make


def rows(reference: str) -> list[tuple[str, str | None, str, str, float | None]]:
    """Return reference, name in tables, family, axis and value of each model."""
    found: list[tuple[str, str | None, str, str, float | None]] = []
    for each in expand(reference):
        assert each.membership
        own = each.membership
        found.append((each.reference, each.name, own.family, own.axis, own.value))
    return found


def references(reference: str) -> list[str]:
    return [each.reference for each in expand(reference)]


def labels(reference: str) -> list[str]:
    return [each.membership.label for each in expand(reference) if each.membership]


def refusal(reference: str, kind: type[Exception]) -> str:
    with pytest.raises(kind) as caught:
        expand(reference)
    message = str(caught.value)
    assert message.startswith(f"{reference}: ")
    return message.removeprefix(f"{reference}: ")


# --- folders and files


def test_seeds_in_a_folder(make: Make) -> None:
    make("en/seed-2", "en/seed-10", "en/seed-1/step-1000", "en/.seed-3", "en/seed-list.txt")
    assert rows("lstm://en/seed-*") == [
        ("lstm://en/seed-1", "en/seed-1", "en", "seed", 1),
        ("lstm://en/seed-2", "en/seed-2", "en", "seed", 2),
        ("lstm://en/seed-10", "en/seed-10", "en", "seed", 10),
    ]
    assert labels("lstm://en/seed-*") == ["seed-1", "seed-2", "seed-10"]
    assert labels("lstm://x-seed-{1,2}") == ["seed-1", "seed-2"]
    assert references("lstm://en/seed-?") == ["lstm://en/seed-1", "lstm://en/seed-2"]
    assert references("lstm://en/seed-[!2]*/") == ["lstm://en/seed-1", "lstm://en/seed-10"]
    # Without a scheme, files beside folders are no models either.
    assert references("en/seed-*") == ["en/seed-1", "en/seed-2", "en/seed-10"]
    place = Path("en").resolve()
    assert references(f"lstm://{place}/seed-1*")[0] == f"lstm://{place}/seed-1"


def test_checkpoints_are_steps_in_their_order(make: Make) -> None:
    make("runs/checkpoint-1000", "runs/checkpoint-500", "runs/checkpoint-best", "runs/logs")
    assert rows("huggingface://runs/checkpoint-*") == [
        ("huggingface://runs/checkpoint-500", "runs/checkpoint-500", "runs", "step", 500),
        ("huggingface://runs/checkpoint-1000", "runs/checkpoint-1000", "runs", "step", 1000),
        ("huggingface://runs/checkpoint-best", "runs/checkpoint-best", "runs", "step", None),
    ]


@pytest.mark.parametrize("pattern", ["checkpoint-1*", "checkpoint-1?00", "checkpoint-1{0,1}00"])
def test_a_pattern_may_begin_within_a_number(make: Make, pattern: str) -> None:
    make("runs/checkpoint-1000", "runs/checkpoint-1100", "runs/checkpoint-2000")
    assert rows(f"huggingface://runs/{pattern}") == [
        ("huggingface://runs/checkpoint-1000", "runs/checkpoint-1000", "runs", "step", 1000),
        ("huggingface://runs/checkpoint-1100", "runs/checkpoint-1100", "runs", "step", 1100),
    ]


def test_files_are_called_by_their_names_without_endings(make: Make) -> None:
    make("ngrams/a.arpa", "ngrams/b.arpa.gz", "ngrams/.c.arpa", "ngrams/folder")
    assert rows("ngram://ngrams/*") == [
        ("ngram://ngrams/a.arpa", "ngrams/a", "ngrams", "member", None),
        ("ngram://ngrams/b.arpa.gz", "ngrams/b", "ngrams", "member", None),
    ]
    assert references("ngrams/*.arpa") == ["ngrams/a.arpa"]
    make("runs/seed-1.jsonl", "runs/seed-2.jsonl", "runs/spec.json")
    assert rows("recorded://runs/*.jsonl")[1] == (
        *("recorded://runs/seed-2.jsonl", "runs/seed-2", "runs", "seed", 2),
    )


def test_a_question_mark_begins_settings_which_have_no_pattern(make: Make) -> None:
    make("runs/a.tsv", "runs/b.tsv", "runs/s.json")
    assert references("recorded://runs/*.tsv?spec=runs/s.json&sentences=x/[y].txt") == [
        "recorded://runs/a.tsv?spec=runs/s.json&sentences=x/[y].txt",
        "recorded://runs/b.tsv?spec=runs/s.json&sentences=x/[y].txt",
    ]
    for reference in ("recorded://runs/a.tsv?spec=*", "ngram://x.arpa?reader={python,kenlm}"):
        assert expand(reference) == (NamedModel(reference=reference),)
    every = expand("recorded://runs/*.tsv?spec={a,b}")
    assert [each.reference for each in every] == [
        "recorded://runs/a.tsv?spec={a,b}",
        "recorded://runs/b.tsv?spec={a,b}",
    ]
    assert {each.membership and each.membership.pattern for each in every} == {
        "recorded://runs/*.tsv?spec={a,b}"
    }


def test_the_last_place_that_varies_makes_the_family(make: Make) -> None:
    make("models/en/seed-1", "models/en/seed-2", "models/de/seed-1", "models/logs")
    assert [(row[1], row[2]) for row in rows("lstm://models/*/seed-*")] == [
        ("de/seed-1", "de"),
        ("en/seed-1", "en"),
        ("en/seed-2", "en"),
    ]
    found = [each.membership for each in expand("lstm://models/*/seed-*")]
    patterns = {each.pattern for each in found if each}
    assert patterns == {"lstm://models/de/seed-*", "lstm://models/en/seed-*"}
    assert rows("lstm://models/*/seed-1") == [
        ("lstm://models/de/seed-1", "models/de", "models", "member", None),
        ("lstm://models/en/seed-1", "models/en", "models", "member", None),
    ]


def test_a_path_that_is_there_wins_over_its_pattern(make: Make) -> None:
    make(
        "a*b",
        "axb",
        "m{1,2}/seed-1",
        "m{1,2}/seed-2",
        "odd[1]/s-1",
        "odd[1]/s-2",
        "un{balanced",
        "f?.jsonl",
    )
    for reference in ("lstm://a*b", "a*b", "lstm://m{1,2}", "odd[1]", "lstm://un{balanced"):
        assert expand(reference) == (NamedModel(reference=reference),)
    assert references("lstm://a?b") == ["lstm://a*b", "lstm://axb"]
    # Not so a part of it.
    assert references("lstm://odd[[]1]/*") == references("lstm://odd[[]1]/s-{1,2}")
    assert refusal("lstm://m{1,2}/seed-*", ModelNotAvailableError).startswith(
        "no folder matches m1/"
    )


def test_places_relative_to_here_and_to_home(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make("seed-1", "seed-2")
    here = tmp_path.name
    for start in ("", "./", "~/"):
        monkeypatch.setenv("HOME", str(tmp_path))
        found = rows(f"lstm://{start}seed-*")
        assert [row[:3] for row in found] == [
            (f"lstm://{start}seed-{seed}", f"{here}/seed-{seed}", here) for seed in (1, 2)
        ]


# --- revisions, servers, images


def test_revisions() -> None:
    name = "huggingface://EleutherAI/pythia-70m"
    assert rows(f"{name}@step{{2000,1000}}") == [
        (f"{name}@step1000", "pythia-70m@step1000", "pythia-70m", "step", 1000),
        (f"{name}@step2000", "pythia-70m@step2000", "pythia-70m", "step", 2000),
    ]
    assert references(f"{name}@step{{1000..3000..1000}}") == [
        f"{name}@step{step}" for step in (1000, 2000, 3000)
    ]
    assert [row[2:] for row in rows("huggingface://a/pythia-{70m,1.4b}@{step1,step2}")] == [
        ("pythia-1.4b", "step", 1),
        ("pythia-1.4b", "step", 2),
        ("pythia-70m", "step", 1),
        ("pythia-70m", "step", 2),
    ]


@pytest.mark.parametrize(
    ("reference", "names", "family"),
    [
        ("http://h:8000/v1#{a,b}", ["h:8000/v1#a", "h:8000/v1#b"], "h:8000/v1"),
        ("https://h/v1#org/x-{70m,2b}", ["org/x-70m", "org/x-2b"], "org/x"),
        ("docker://h:5000/o/image:{v1,v2}", ["image:v1", "image:v2"], "image"),
        ("builtin://en-{gpt2,ngram}", ["en-gpt2", "en-ngram"], "en"),
        ("huggingface://{a,b}/model", ["a", "b"], "model"),
        ("{GRNN,JRNN}", ["GRNN", "JRNN"], "{GRNN,JRNN}"),
        ("huggingface://x{,-y}", ["x", "x-y"], "x"),
        ("huggingface://{x,x}", ["x"], "{x,x}"),
        ("lstm://{a/x,b/y}", ["a/x", "b/y"], "{a/x,b/y}"),
        ("lstm://m/x-seed-{1,2}", ["x-seed-1", "x-seed-2"], "x"),
    ],
)
def test_names_of_members_and_families(reference: str, names: list[str], family: str) -> None:
    found = rows(reference)
    assert sorted(row[1] or "" for row in found) == sorted(names)
    assert {row[2] for row in found} == {family}


@pytest.mark.parametrize(
    "reference",
    ["http://[::1]:80/v1?x=*#m", "docker://a*b", "builtin://en-*", "dummy://", "gpt2", "", "://"],
)
def test_references_without_patterns_name_themselves(reference: str) -> None:
    assert expand(reference) == (NamedModel(reference=reference),)


# --- axes


@pytest.mark.parametrize(
    ("reference", "axis", "values"),
    [
        ("huggingface://m@{step1000-tokens4B,step500-tokens2B}", "step", [500, 1000]),
        ("huggingface://m@stage1-step{7,50}-tokens4B", "step", [7, 50]),
        ("huggingface://m@ckpt_{20k,100k,3M}", "step", [20_000, 100_000, 3_000_000]),
        ("huggingface://m@{global_step10,global_step9}", "step", [9, 10]),
        ("huggingface://m@{iter_5,iter_40}", "step", [5, 40]),
        ("huggingface://m@{iteration5,iteration40}", "step", [5, 40]),
        ("huggingface://m@epoch{1,2}", "epoch", [1, 2]),
        # Two epochs of one number: the step tells checkpoints apart.
        ("huggingface://m@{epoch=0-step=9,epoch=0-step=99,epoch=1-step=120}", "step", [9, 99, 120]),
        ("huggingface://x/multiberts-seed_{0..2}", "seed", [0, 1, 2]),
        ("lstm://models/{seed1-large,seed2-large}", "seed", [1, 2]),
        # Not every member needs to have a number.
        ("huggingface://m@checkpoint-{100,20k,best}", "step", [100, 20_000, None]),
        ("huggingface://m@{epoch=0-step=9,epoch=0-step=99,best}", "step", [9, 99, None]),
        # A number without such a word may be anything: a size, a version, an order.
        ("lstm://seeds/{1,2}", "member", [None, None]),
        ("huggingface://m@{1000,2000}", "member", [None, None]),
        ("huggingface://m-{1.4b,70m,160m}", "member", [None] * 3),
        # The folder's number is not the member's.
        ("ngram://exp3/{1..5}gram.arpa", "member", [None] * 5),
        ("{1..2}gram.arpa", "member", [None, None]),
        ("huggingface://m@{v1,v2}", "member", [None, None]),
        ("lstm://v2/{1a,2b}", "member", [None, None]),
        ("builtin://{en-gpt2,en-ngram}", "member", [None, None]),
        # The word has to be one: a proceed1 is no seed.
        ("lstm://proceed{1,2}", "member", [None, None]),
    ],
)
def test_what_members_differ_in(reference: str, axis: str, values: list[float | None]) -> None:
    found = [each.membership for each in expand(reference)]
    assert [(each.axis, each.value) for each in found if each] == [(axis, v) for v in values]
    is_ordered = axis in ("step", "epoch")
    assert {each.is_ordered for each in found if each} == {is_ordered}


def test_a_family_may_have_one_member(make: Make) -> None:
    make("runs/step-7")
    assert rows("huggingface://runs/*") == [
        ("huggingface://runs/step-7", "runs/step-7", "runs", "step", 7)
    ]


@given(st.lists(st.integers(0, 10**9), min_size=2, max_size=8, unique=True))
def test_members_stand_in_the_order_of_their_numbers(numbers: list[int]) -> None:
    written = ",".join(f"step{number}" for number in numbers)
    found = expand(f"huggingface://m@{{{written}}}")
    assert [each.membership.value for each in found if each.membership] == sorted(numbers)
    # A member is a model like any other.
    assert [expand(each.reference) for each in found] == [
        (NamedModel(reference=each.reference),) for each in found
    ]


# --- what makes no sense


def test_wildcards_that_match_nothing(make: Make) -> None:
    make("en/seed-1", "en/seed-2", "en/seed-3", "en/best", "en/notes.txt", "empty")
    message = "no folder matches en/sed-*; in en there is: best, notes.txt, seed-1, ..."
    assert refusal("lstm://en/sed-*", ModelNotAvailableError) == message
    message = "no file matches en/*.arpa; in en there is: best, notes.txt, seed-1, ..."
    assert refusal("ngram://en/*.arpa", ModelNotAvailableError) == message
    message = "no folder or file matches empty/*; in empty there is: nothing"
    assert refusal("empty/*", ModelNotAvailableError) == message
    message = "no folder matches de/seed-*; in de there is: nothing"
    assert refusal("lstm://de/seed-*", ModelNotAvailableError) == message
    message = "no folder matches en/notes.txt/s-*; in en/notes.txt there is: nothing"
    assert refusal("lstm://en/notes.txt/s-*", ModelNotAvailableError) == message
    message = "no folder matches en/seed-*/best; in en there is: best, notes.txt, seed-1, ..."
    assert refusal("lstm://en/seed-*/best", ModelNotAvailableError) == message
    # Each choice of a brace has to be there; what a wildcard finds need not have it all.
    message = "no folder matches de/seed-*; in de there is: nothing"
    assert refusal("lstm://{en,de}/seed-*", ModelNotAvailableError) == message
    assert references("lstm://{en,fr}/seed-1") == ["lstm://en/seed-1", "lstm://fr/seed-1"]
    assert references("lstm://*/seed-1") == ["lstm://en/seed-1"]
    assert references("lstm://*/seed-{2,3}") == ["lstm://en/seed-2", "lstm://en/seed-3"]
    for reference in ("lstm://*/seed-4", "lstm://*/seed-{2,4}"):
        message = "no folder matches */seed-4; in . there is: empty, en"
        assert refusal(reference, ModelNotAvailableError) == message


def test_what_is_on_the_hub_is_named() -> None:
    assert refusal("huggingface://EleutherAI/pythia-*", ModelNotAvailableError) == (
        "no folder matches EleutherAI/pythia-*; wildcards match folders, "
        "what is on the hub is named: NAME-{70m,160m}"
    )
    assert refusal("huggingface://a/b@step*", UsageError) == (
        "wildcards match folders, and no revisions; name these, as in "
        "huggingface://a/b@{step1000,step2000}"
    )


def test_patterns_that_make_no_sense(make: Make) -> None:
    assert refusal("huggingface://a@{main}", UsageError).startswith("{main} is no choice; write")
    assert refusal("lstm://a{b", UsageError).startswith("its braces do not match; write")
    assert refusal("lstm://" + "{" * 3000, UsageError).startswith("it has too many braces")
    assert refusal("{lstm://a,lstm://b}", UsageError) == (
        "the scheme stands before the braces, as in SCHEME://{a,b}"
    )
    assert refusal("huggingface://m@seed{1,2}-step{10,20}", UsageError) == (
        "its models differ in seed and step at once; write one pattern for each family"
    )
    make("n/a.arpa", "n/a.arpa.gz")
    assert refusal("ngram://n/a*", UsageError) == (
        "two of its models would be called 'a', ngram://n/a.arpa and ngram://n/a.arpa.gz; "
        "name one of them"
    )


def test_folders_that_cannot_be_read() -> None:
    Path("loop").symlink_to("loop")
    message = "no folder matches loop/*; in loop there is: nothing"
    assert refusal("lstm://loop/*", ModelNotAvailableError) == message
    assert refusal(f"lstm://{'a' * 300}*", ModelNotAvailableError).startswith("no folder matches a")


# --- several references


def test_a_model_is_there_once() -> None:
    family, member = "huggingface://m@{a,b}", "huggingface://m@a"
    for order in ([family, member], [member, family]):
        expanded = NamedModel.expand_all([*order, "dummy://", family, "dummy://"])
        assert list(expanded) == [*order, "dummy://"]
        assert expanded[member] == ()
        assert [each.reference for each in expanded[family]] == [member, "huggingface://m@b"]
        assert expanded["dummy://"] == (NamedModel(reference="dummy://"),)


def test_a_model_in_two_families() -> None:
    with pytest.raises(UsageError) as caught:
        NamedModel.expand_all(["huggingface://m@{a,b}", "huggingface://m@{b,c}"])
    assert str(caught.value) == (
        "huggingface://m@b is in two families, huggingface://m@{a,b} and huggingface://m@{b,c}; "
        "name it in one"
    )


def test_one_model(make: Make) -> None:
    make("en/seed-1", "de/seed-1", "de/seed-2")
    assert one_model("lstm://en/seed-1") == "lstm://en/seed-1"
    assert one_model("lstm://en/seed-*") == "lstm://en/seed-1"
    with pytest.raises(UsageError) as caught:
        one_model("lstm://de/seed-*")
    assert str(caught.value) == (
        "lstm://de/seed-* names 2 models (lstm://de/seed-1, lstm://de/seed-2); name one"
    )
    with pytest.raises(UsageError, match=r"m@s\{1\.\.9\} names 9 models \(.*@s3, \.\.\.\); name"):
        one_model("huggingface://m@s{1..9}")


def test_patterns_that_a_shell_has_expanded() -> None:
    steps = ["huggingface://a/m@step20", "huggingface://a/m@step3"]
    others = ["huggingface://a/n@step20", "dummy://", "dummy://uniform?bits=1", "lstm://x"]
    assert NamedModel.unquoted_patterns([*steps, *others]) == {
        "huggingface://a/m@{step3,step20}": steps
    }
    seeds = ["lstm://f/seed-1.d", "lstm://f/seed-10.d"]
    assert NamedModel.unquoted_patterns([*seeds, "lstm://g/seed-1.d"]) == {
        "lstm://f/seed-{1,10}.d": seeds
    }
    tokens = ["huggingface://m@step9-tokens2B", "huggingface://m@step10-tokens4B"]
    recorded = [f"recorded://en/seed-{seed}.tsv?spec=s/seed-1.json" for seed in (1, 2)]
    # What is proposed names the same models.
    for of_it in (steps, seeds, tokens, recorded):
        (pattern,) = NamedModel.unquoted_patterns(of_it)
        assert sorted(references(pattern)) == sorted(of_it)


@pytest.mark.parametrize(
    "named",
    [
        ["huggingface://gpt2@main", "huggingface://gpt2@v2"],
        ["huggingface://pythia-70m", "huggingface://pythia-160m"],
        ["ngram://1gram.arpa", "ngram://2gram.arpa"],
        ["lstm://seed-1/en", "lstm://seed-2/en"],
        ["lstm://proceed1", "lstm://proceed2"],
        [f"recorded://a.tsv?spec=seed-{seed}.json" for seed in (1, 2)],
    ],
)
def test_models_that_are_named_one_by_one_are_no_pattern(named: list[str]) -> None:
    assert NamedModel.unquoted_patterns(named) == {}


_TEXTS = st.text("ab.-_19/", max_size=3)
_ENDS = st.one_of(st.integers(-3, 12).map(str), st.sampled_from(["01", "007", "-05"]))


@st.composite
def _ranges(draw: st.DrawFn) -> str:
    step = draw(st.sampled_from(["", "..1", "..7", "..-3"]))
    return f"{{{draw(_ENDS)}..{draw(_ENDS)}{step}}}"


def _choices(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    lists = st.lists(inner, min_size=2, max_size=3).map(lambda each: f"{{{','.join(each)}}}")
    return st.lists(st.one_of(_TEXTS, lists), max_size=3).map("".join)


_PATTERNS = st.recursive(st.one_of(_TEXTS, _ranges()), _choices, max_leaves=6)


# One process an example.
@settings(max_examples=60)
@given(_PATTERNS)
@example("step{1000,2000}")
@example("{1000..5000..2000}")
@example("{08..11}")
@example("{3..1}")
@example("pythia{,-deduped}")
@example("{a,{1..2}}-{x,y}")
def test_braces_stand_for_what_bash_makes_of_them(pattern: str) -> None:
    # At most 18 numbers a range: two of them stay below what is refused.
    assume(pattern.count("..") <= 2)
    pattern = f"x{pattern}"
    bash = ["bash", "-c", f"printf '%s\\n' {pattern}"]
    done = subprocess.run(bash, capture_output=True, text=True, check=True)
    assert expand_braces(pattern, reference="r") == done.stdout.splitlines()


_UNMATCHED = "its braces do not match; write {a,b}, as in NAME@{step1000,step2000}"


def _no_choice(braces: str) -> str:
    return (
        f"{braces} is no choice; write two names or more, as in {{step1000,step2000}}, "
        "or a range, as in {1..5} or {1000..5000..1000}"
    )


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("x@{a,b", _UNMATCHED),
        ("x@a,b}", _UNMATCHED),
        ("x@{a,b}}", _UNMATCHED),
        ("x@{}", _no_choice("{}")),
        ("x@{main}", _no_choice("{main}")),
        ("x@{a..c}", _no_choice("{a..c}")),
        ("x@{1..9..0}", _no_choice("{1..9..0}")),
        ("x@{1...3}", _no_choice("{1...3}")),
        ("x@{1..1000000000}", "it names more than 10000 models"),
        ("x@{1..999}{1..999}", "it names more than 10000 models"),
    ],
)
def test_braces_that_make_no_sense(pattern: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        expand_braces(pattern, reference="huggingface://x")
    assert str(caught.value) == f"huggingface://x: {message}"


def test_separators_inside_braces_do_not_separate() -> None:
    parts = [("", "a"), ("/", "{b/c,d}"), ("@", "e")]
    assert split_outside_braces("a/{b/c,d}@e", "/@") == parts
    assert split_outside_braces("", "/") == [("", "")]


def test_wildcards_match_names_as_they_are_and_hidden_ones_only_if_asked(make: Make) -> None:
    make("seeds/.seed-0", "seeds/Seed-1", "seeds/seed-1")
    assert references("lstm://seeds/seed-*") == ["lstm://seeds/seed-1"]
    assert references("lstm://seeds/.*") == ["lstm://seeds/.seed-0"]
    message = "no folder matches seeds/sed-*; in seeds there is: Seed-1, seed-1"
    assert refusal("lstm://seeds/sed-*", ModelNotAvailableError) == message


def places(reference: str) -> tuple[list[tuple[str, str]], str]:
    found = split_places(reference)
    return list(zip(found.separators, found.written, strict=True)), found.models_are


def test_paths_names_and_revisions() -> None:
    assert places("lstm://en/seed-*") == ([("", "en"), ("/", "seed-*")], "folder")
    assert places("ngram://en/x.arpa") == ([("", "en"), ("/", "x.arpa")], "file")
    assert places("en/x") == ([("", "en"), ("/", "x")], "folder or file")
    hub = [("", "a"), ("/", "m"), ("@", "{x/1,y}")]
    assert places("huggingface://a/m@{x/1,y}") == (hub, "folder")
    image = [("", "o"), ("/", "image"), (":", "{v1,v2}")]
    assert places("docker://o/image:{v1,v2}") == (image, "")
    assert places("https://h/v1#{a,b}") == ([("", "h/v1"), ("#", "{a,b}")], "")


def test_a_slash_at_the_end_is_none_of_the_name() -> None:
    assert places("lstm://en/seed-1/") == places("lstm://en/seed-1")


def test_settings_stand_behind_all_places() -> None:
    found = split_places("recorded://a/b.tsv?spec=x/y.json&sentences=z")
    assert found.written == ("a", "b.tsv")
    assert found.settings == "?spec=x/y.json&sentences=z"
    assert found.path(("a", "c.tsv")) == Path("a/c.tsv")
    assert found.beginning(("c",)) == "c"
    assert found.spelled(("c", "d.tsv")) == "recorded://c/d.tsv?spec=x/y.json&sentences=z"
    # Elsewhere a question mark is a character like any other.
    assert split_places("lstm://a?b").settings == ""


@given(
    st.sampled_from(["", "lstm://", "ngram://", "huggingface://", "docker://", "https://"]),
    st.text("ab/@:#?&.*[-", max_size=12).filter(lambda text: not re.search(r"/(\?|$)", text)),
)
def test_a_reference_is_spelled_as_it_was_written(scheme: str, body: str) -> None:
    found = split_places(f"{scheme}{body}")
    assert found.spelled(found.written) == f"{scheme}{body}"


@given(st.lists(st.integers(0, 10**6), min_size=1))
def test_numbers_in_names_are_sorted_as_numbers(numbers: list[int]) -> None:
    names = [f"x-{number}b" for number in numbers]
    assert sorted(names, key=natural_key) == [f"x-{number}b" for number in sorted(numbers)]


@given(st.lists(st.text("ab1209.-")))
def test_every_two_names_compare(names: list[str]) -> None:
    assert sorted(sorted(names, key=natural_key)) == sorted(names)


def test_files_of_a_model_come_nearer_and_what_fails_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def place(reference: str, _options: LoadOptions) -> Path:
        asked.append(reference)
        if reference.endswith("gone"):
            raise ModelNotAvailableError(reference)
        return tmp_path

    (tmp_path / "weights").write_bytes(b"0" * 10)
    replace_kind(monkeypatch, "far", lambda _reference, _options: WordModel())
    far = sys.modules["kind_far"]
    monkeypatch.setattr(far, "KIND", replace(far.KIND, place=place))
    for reference in ("far://there", "far://gone", "dummy://", "a/folder"):
        NamedModel(reference=reference).fetch(LoadOptions())
    assert asked == ["far://there", "far://gone"]


class _Big:
    """What lives until reference cycles are looked for."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.parametrize("has_torch", [True, False])
def test_what_a_model_leaves_is_freed_before_the_next(
    monkeypatch: pytest.MonkeyPatch, *, has_torch: bool
) -> None:
    """Only torch leaves anything; to look for it costs more than a run of which all is known."""
    emptied: list[bool] = []
    torch = SimpleNamespace(cuda=SimpleNamespace(empty_cache=lambda: emptied.append(True)))
    monkeypatch.setitem(sys.modules, "torch", torch)
    if not has_torch:
        monkeypatch.delitem(sys.modules, "torch")
    left: list[weakref.ref[_Big]] = []
    gc.disable()
    try:
        for _ in NamedModel.one_after_another([1, 2, 3]):
            assert all(each() is None for each in left) or not has_torch
            left.append(weakref.ref(_Big()))
            assert left[-1]() is not None
    finally:
        gc.enable()
    assert len(left) == 3
    assert len(emptied) == (2 if has_torch else 0)
    assert any(each() for each in left[:2]) != has_torch


def test_a_folder_whose_name_is_too_long_is_not_there() -> None:
    with pytest.raises(ModelNotAvailableError, match="File name too long"):
        expand(f"lstm://{'a' * 300}/*")


def test_paths_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pommel.models.family.os.sep", "\\")
    assert split_places(r"lstm://C:\runs\seed-{1,2}").written == ("C:", "runs", "seed-{1,2}")
    assert split_places(r"..\runs\seed-*").written == ("..", "runs", "seed-*")
    # Only on disk.
    assert split_places(r"http://host/v1#a\b").written == (r"host/v1", r"a\b")
