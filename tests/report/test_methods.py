"""The method section: every sentence follows from what records say."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest
from tests.store.run_samples import agreement, imported, made
from tests.word_model import WordModel

from pommel.models import Membership, Policy
from pommel.report.methods import _CITED, SENTENCES, _bibliography, methods_section
from pommel.scoring import Choices, RunRecord
from pommel.store import Store
from pommel.suite import Suite


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    """A run, of which everything is known."""
    with Store.open(tmp_path_factory.mktemp("store") / "store.sqlite") as store:
        own = RunRecord.of(made(store, agreement(), WordModel(methods=("causal",))))
    described = {**own.result.provenance["model"], "device": "cpu", "dtype": "float32"}
    described |= {
        "bos": "<s>",
        "eos": "</s>",
        "revision": "607a30d",
    }
    return with_provenance(
        replace(own, model=replace(own.model, n_parameters=124_439_808)), model=described
    )


def with_provenance(record: RunRecord, **changed: object) -> RunRecord:
    result = replace(record.result, provenance={**record.result.provenance, **changed})
    return replace(record, result=result)


def section(*records: RunRecord, suite: Suite | None = None) -> str:
    """Return the paragraphs without their line breaks, and the BibTeX."""
    suites = {records[0].suite.sha256: suite or agreement()}
    return re.sub(r"(?<=[^\n])\n(?=[^\n ])", " ", methods_section(records, suites, "text"))


def values_of(name: str) -> Iterator[str]:
    """Yield every value that a choice may have in a record."""
    hints = {**get_type_hints(Policy), **get_type_hints(Choices)}
    for each in get_args(hints[name]):
        # That of an option is among the values of its type, beside None.
        yield from get_args(each) or ([each] if isinstance(each, str) else [])


HU_2020 = "A Systematic Assessment of Syntactic Generalization in Neural Language Models"
GAUTHIER_2020 = "SyntaxGym: An Online Platform for Targeted Evaluation of Language Models"
RECORDED = [each.name for each in fields(Policy)]
RECORDED += [*Choices().settings, "punctuation", "verdicts", "score_rule", "regions"]


def chosen(record: RunRecord, name: str, value: Any) -> RunRecord:
    """Return a run with another choice."""
    if name == "score_rule":
        return replace(record, result=replace(record.result, score_rule=value))
    if name == "regions":
        return with_provenance(record, regions=value)
    if name in record.policy:
        return replace(record, policy={**record.policy, name: value})
    return replace(record, settings={**record.settings, name: value})


def test_every_choice_that_is_recorded_has_its_sentences() -> None:
    assert {*SENTENCES} == {*RECORDED}
    for name in RECORDED:
        others = {""} if name in {"compat", "verdicts"} else set()
        # What "auto" and "pairs" mean is settled, and recorded, before a run.
        settled = {"auto", "pairs"} if name in {"regions", "score_rule"} else set()
        assert {*SENTENCES[name]} == {*values_of(name)} - settled | others


@pytest.mark.parametrize("name", RECORDED)
def test_each_value_of_a_choice_has_a_text_of_its_own(record: RunRecord, name: str) -> None:
    texts = [section(chosen(record, name, value)) for value in SENTENCES[name]]
    assert len({*texts}) == len(texts)
    if name != "score_rule":
        unknown = section(chosen(record, name, "of a later version"))
        assert f"What {name} was is not known." in unknown


# What of a record decides or names nothing that a paper would say, or is said by another key.
SAID_ELSEWHERE = {
    *("suite", "policy", "method", "compat", "score_rule", "oov", "swallowed", "date"),
    *("name", "kind", "max_tokens", "methods", "details", "reference", "fingerprint"),
    "n_parameters",
}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("pommel", "9.9.9"),
        ("packages", {"numpy": "9.9.9"}),
        ("python", "9.9.9"),
        ("platform", "another machine"),
        ("failed", {"The dogs bark .": "a reason"}),
        *(("model", {name: "another"}) for name in ("bos", "eos", "dtype", "device", "revision")),
    ],
)
def test_provenance_that_changes_is_said(record: RunRecord, key: str, value: Any) -> None:
    before = record.result.provenance.get(key)
    merged = {**before, **value} if isinstance(before, Mapping) else value
    assert section(with_provenance(record, **{key: merged})) != section(record)


def test_all_of_the_provenance_is_looked_at(record: RunRecord) -> None:
    """What is new in a run's provenance has a sentence, or stands in the list above."""
    said = {"pommel", "packages", "python", "platform", "failed", "model", "regions"}
    of_models = {"bos", "eos", "dtype", "device", "revision"}
    provenance = record.result.provenance
    assert {*provenance} <= said | SAID_ELSEWHERE
    assert {*provenance["model"]} <= of_models | SAID_ELSEWHERE


@pytest.mark.parametrize(
    "changed",
    [
        {"model": {"reference": "huggingface://another"}},
        {"model": {"fingerprint": "f" * 64}},
        {"model": {"n_parameters": 7}},
        {"suite": {"version": "2.0.0"}},
        {"suite": {"sha256": "f" * 64}},
        {"suite": {"language": "de"}},
        {"result": {"model_name": "another"}},
        {"result": {"suite_name": "another"}},
        {"result": {"circuit": "another"}},
        {"created": "2031-01-01T00:00:00+00:00"},
        {"source": "theirs"},
    ],
)
def test_what_ran_is_said(record: RunRecord, changed: Mapping[str, Any]) -> None:
    parts = {
        key: replace(getattr(record, key), **each) if isinstance(each, dict) else each
        for key, each in changed.items()
    }
    assert section(replace(record, **parts)) != section(record)


@pytest.mark.parametrize(
    ("meta", "said"),
    [
        ({}, "The suites are of unknown authors."),
        ({"author": "A. Linguist", "license": "CC0"}, "are by A. Linguist, under the licence CC0."),
        ({"reference": "A. Linguist (1999), On verbs"}, "are after A. Linguist (1999), On verbs."),
        (
            {"reference": f"Hu et al. (2020), {HU_2020}, ACL"},
            "The suites are after Hu et al. 2020.",
        ),
        # Braces of a title are BibTeX's own.
        (
            {"reference": GAUTHIER_2020},
            "The suites are after Gauthier et al. 2020.",
        ),
    ],
)
def test_what_a_suite_says_of_itself(record: RunRecord, meta: Mapping[str, str], said: str) -> None:
    suite = agreement()
    assert said in section(record, suite=replace(suite, meta={**suite.meta, **meta}))


def test_the_metric_is_that_of_the_suite(record: RunRecord) -> None:
    suite = replace(agreement(), metrics=("mean", "max"))
    assert "of a region is the mean, max of its tokens' surprisals" in section(record, suite=suite)


def test_the_section_of_two_models(record: RunRecord) -> None:
    other = chosen(chosen(record, "oov", "skip"), "method", "pll")
    result = replace(record.result, model_name="masked")
    text = section(record, replace(other, result=result))
    assert text.startswith("The results are of 2 models. words: toy://words; parameters")
    assert "On agreement ran only" not in text
    assert (
        " Of words: the surprisal of a token is that after all tokens before it. Of masked: the "
        "surprisal of a token is that where it alone is masked (Salazar et al. 2020). " in text
    )
    assert " Of masked: items whose comparison rests on a word that the model does not" in text
    assert "No mark" not in text
    assert "@inproceedings{salazar-etal-2020-masked," in text
    assert "kauf" not in text


def test_a_choice_that_differs_by_suite(record: RunRecord) -> None:
    result = replace(record.result, suite_name="second")
    second = replace(record, result=result, suite=replace(record.suite, sha256="0" * 64))
    text = section(record, chosen(second, "oov", "skip"))
    assert "Of words on agreement: items with words that the model does not know count." in text
    assert "Of words on second: items whose comparison rests on" in text


def test_members_of_a_family_are_one_model(record: RunRecord) -> None:
    records = []
    for seed in (1, 2):
        member = Membership(family="toy", axis="seed", label=f"seed-{seed}", value=seed)
        result = replace(record.result, model_name=f"toy/seed-{seed}", membership=member)
        records.append(replace(record, result=result))
    assert section(*records).startswith("The results are of 1 model. toy: ")
    assert "; members seed-1, seed-2; " in section(*records)


def test_of_imported_results_nothing_is_made_up() -> None:
    record = imported()
    text = section(record, suite=agreement())
    assert text.startswith(
        f"The results are of 1 model. {record.result.model_name}: parameters 117,000,000. No paper "
        f"about {record.result.model_name} is known to pommel. Results from paper are as they were "
        "published; how they were scored is not known."
    )
    for word in ("mark", "token", "region", "Python", "computed", "causal"):
        assert word not in text


@pytest.mark.parametrize(
    ("reference", "revision", "key"),
    [
        ("huggingface://gpt2", "607a30d", "radford-etal-2019-language"),
        ("huggingface://EleutherAI/pythia-70m@step1000", "607a30d", "biderman-etal-2023-pythia"),
        ("builtin://en-gpt2", None, "pommel"),
        # A folder may be called like anything.
        ("huggingface://gpt2", None, None),
        ("huggingface://me/gpt2-tuned", "607a30d", None),
    ],
)
def test_papers_about_models(
    record: RunRecord, reference: str, revision: str | None, key: str | None
) -> None:
    described = {**record.result.provenance["model"], "revision": revision}
    own = replace(record, model=replace(record.model, reference=reference))
    text = methods_section([with_provenance(own, model=described)], {}, "latex")
    first = " ".join(text.split())
    if key:
        assert f"words \\cite{{{key}}}: " in first
        assert f"{{{key},\n" in text
    else:
        assert "No paper about words is known to pommel." in first
    assert "models = " not in text


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("tie", "{n} compared equal values, where < and > fail"),
        ("swallowed", "{n} named a region in which no token begins"),
        ("unscored", "{n} needed a token without a surprisal"),
        ("oov", "{n} rested on an unknown word"),
        ("skipped", "{n} were skipped"),
    ],
)
def test_what_happened_to_items_is_counted(record: RunRecord, field: str, said: str) -> None:
    prediction = record.result.predictions[0]
    for n_marked in (1, 2):
        marked = np.arange(len(prediction.holds)) < n_marked
        changes: dict[str, Any] = {field: marked}
        changed = replace(prediction, **changes)
        text = section(replace(record, result=replace(record.result, predictions=(changed,))))
        assert f" {said.format(n=n_marked)}" in text


def test_pommel_is_cited_in_the_version_that_scored(record: RunRecord) -> None:
    later = replace(record.result, model_name="later", provenance={"pommel": "9.9{"})
    entry = "@software{pommel,\n  title = {pommel: run SyntaxGym test suites on language models},\n"
    authors = "  author = {{The pommel authors}}"
    versions = f"{record.result.provenance['pommel']}, 9.9\\{{"
    both = methods_section([record, replace(record, result=later)], {}, "latex")
    assert f"{entry}{authors},\n  version = {{{versions}}}\n}}\n" in both
    # Of results of unknown origin it is not known.
    unknown = with_provenance(record, pommel=None)
    assert f"{entry}{authors}\n}}\n" in methods_section([unknown], {}, "text")


def test_latex_takes_names_as_text(record: RunRecord) -> None:
    name = 'a_b%&#$^~\\{}<|@wilson-1927-probable @nobody--"x"\n\x1b[2J'
    result = replace(record.result, model_name=name, suite_name=name)
    text = methods_section([replace(record, result=result)], {}, "latex")
    prose, _, bibliography = text.partition("\\begin{filecontents}")
    assert bibliography.rstrip().endswith("\\end{filecontents}")
    commands = re.sub(r"\\(cite\{[\w,-]+\}|text\w+\{\}|[_%&#${}])", "", prose)
    assert not set("\\_%&#$^~{}<|\x1b") & {*commands.replace("{}", "")}
    assert "@nobody" in prose


def test_the_bibliography_is_whole() -> None:
    known = _bibliography()
    cited = {
        key for each in SENTENCES.values() for text in each.values() for key in _CITED.findall(text)
    }
    assert cited <= {*known}
    assert len(cited) >= 8
    for key, entry in known.items():
        assert re.fullmatch(r"[\w-]+", key)
        assert entry.count("{") == entry.count("}"), key
        assert re.match(r"@\w+\{[\w-]+,\n(  \w+ = \{.+\},?\n)+\}\n$", entry), key
        assert " author = {" in entry


def test_files_are_where_the_bibliography_is_looked_for() -> None:
    assert "report/*.bib" in Path("pyproject.toml").read_text("utf-8")
