"""The method section of a paper: what records of runs say; of the rest, that it is not known.

References are written "@key", as BibTeX has them: those of methods and models in methods.bib, those
of published suites where these are fetched from.
"""

import functools
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from importlib.resources import files
from typing import Any, Literal

from pommel.analysis import grouped
from pommel.errors import counted, listed
from pommel.report.latex import latex_text
from pommel.report.page.provenance import time_span
from pommel.scoring import RunRecord
from pommel.sources import PublishedSource
from pommel.suite import PublishedSuite, Suite

# What a run was scored by, a sentence for each value; `{mark}` is the mark that a model has for it.
SENTENCES: Mapping[str, Mapping[str, str]] = {
    "method": {
        "causal": "The surprisal of a token is that after all tokens before it.",
        "ngram": "The surprisal of a word is that of an n-gram model.",
        "pll": "The surprisal of a token is that where it alone is masked "
        "(@salazar-etal-2020-masked).",
        "pll-word-l2r": "The surprisal of a token is that where it and the later tokens of its "
        "word are masked (@kauf-ivanova-2023-better).",
        "masked-l2r": "The surprisal of a token is that where it and all that follows is masked, "
        "at the sentence's full length (@perez-mayos-etal-2021-assessing).",
        "focus-mask": "The surprisal of a word is that where it is masked; words of several tokens "
        "have none (@goldberg2019assessing).",
        "unmasked-ce": "The surprisal of a token is that where nothing is masked, and only "
        "sentences of equal length are compared (@zaczynska2020evaluating).",
        "auto": "How tokens are scored is the model's own method, which it does not name.",
    },
    "bos": {
        "auto": "Before each sentence stood the model's own mark of a beginning, if it has one "
        "(bos=auto; {mark}).",
        "always": "Before each sentence stood the model's mark of a beginning (bos=always; "
        "{mark}).",
        "never": "No mark of a beginning stood before a sentence (bos=never).",
        "tokenizer": "A mark of a beginning stood before a sentence where the tokenizer adds one "
        "by itself (bos=tokenizer; {mark}).",
    },
    "eos": {
        "auto": "The surprisal of the end of a sentence counts in its last region where the model "
        "emits such a mark by itself (eos=auto; {mark}).",
        "always": "The surprisal of the end of a sentence counts in its last region (eos=always; "
        "{mark}).",
        "never": "The surprisal of the end of a sentence does not count (eos=never).",
    },
    "first_token": {
        "unscored": "A token without left context has no surprisal, and its region's value is that "
        "of the other tokens, if there are any.",
        "zero": "A token without left context counts as 0 bits.",
    },
    "boundary": {
        "raw": "Probabilities are those of tokens as the model gives them (boundary=raw).",
        "corrected": "Probabilities of words include that they end there "
        "(@pimentel-meister-2024-compute; @oh-schuler-2024-leading).",
    },
    "punctuation": {
        "apart": "",
        "natural": "Punctuation marks stood at the words that their language writes them to, also "
        "where the suites' files have them apart (punctuation=natural).",
    },
    "swallowed": {
        "undefined": "A token belongs to the region in which it begins; a region with content in "
        "which none begins has no value, and predictions about it do not hold.",
        "skip": "A token belongs to the region in which it begins; items with a region with "
        "content in which none begins are left out.",
        "begin": "A token belongs to the region in which it begins; a region in which none begins "
        "has 0 bits.",
    },
    "oov": {
        "keep": "Items with words that the model does not know count.",
        "skip": "Items whose comparison rests on a word that the model does not know are left out.",
    },
    "compat": {
        "": "",
        "syntaxgym": "All was done as the retired syntaxgym package did it "
        "(@gauthier-etal-2020-syntaxgym).",
    },
    "score_rule": {
        "all": "An item is right if all predictions of its suite hold.",
        "first": "An item is right if its suite's first prediction holds "
        "(@hu-etal-2020-systematic).",
        "each": "Each prediction has a score of its own, the share of items in which it holds.",
    },
    "verdicts": {
        "": "",
        "float32": "Sentences on which verdicts rest that rounding could have turned were scored "
        "again in float32.",
    },
    "regions": {
        "all": "All regions were scored.",
        "needed": "Only the regions that predictions name were scored.",
    },
}
# What happened to items, of which a reader has to know how many there were.
_COUNTS = {
    "n_ties": "{n} compared equal values, where < and > fail",
    "n_undefined": "{n} lacked a value, and did not hold",
    "n_swallowed": "{n} named a region in which no token begins",
    "n_unscored": "{n} needed a token without a surprisal",
    "n_oov": "{n} rested on an unknown word",
    "n_skipped": "{n} were skipped",
}
_WIDTH = 88
_CITED = re.compile(r"@([\w-]+)")
_IN_BRACKETS = re.compile(r"\(@[\w-]+(?:; @[\w-]+)*\)")


def methods_section(
    records: Sequence[RunRecord], suites: Mapping[str, Suite], style: Literal["text", "latex"]
) -> str:
    """Return the section about complete runs, with the BibTeX of what it names.

    `suites` are those whose files are known, by their SHA-256.
    """
    own = [each for each in records if each.is_own]
    paragraphs = (
        _models(records),
        _suites(records, suites),
        _scoring(own, suites),
        _counted(own),
        _made(own),
    )
    told = [text for each in paragraphs if (text := " ".join(each))]
    known = {**_bibliography()}
    if versions := latex_text(_listed(each.result.provenance.get("pommel") for each in own)):
        known["pommel"] = known["pommel"].replace("\n}", f",\n  version = {{{versions}}}\n}}")
    keys = [key for key in dict.fromkeys(_CITED.findall(" ".join(told))) if key in known]
    entries = "\n".join(re.sub(r"  models = .*\n", "", known[key]) for key in keys)
    if style == "latex":
        told = [_latex(each, keys) for each in told]
        entries = f"\\begin{{filecontents}}{{methods.bib}}\n{entries}\\end{{filecontents}}\n"
    else:
        told = [_CITED.sub(lambda found: _called(found, known), each) for each in told]
    wrapper = textwrap.TextWrapper(_WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n\n".join((*map(wrapper.fill, told), entries))


def _latex(text: str, keys: Sequence[str]) -> str:
    def cited(found: re.Match[str]) -> str:
        named = _CITED.findall(found[0])
        return f"\\cite{{{','.join(named)}}}" if {*named} <= {*keys} else found[0]

    return _CITED.sub(cited, _IN_BRACKETS.sub(cited, latex_text(text)))


def _called(found: re.Match[str], known: Mapping[str, str]) -> str:
    """Return "Salazar et al. 2020", of a key that is known."""
    if found[1] not in known:
        return found[0]
    author, year = (_field(known[found[1]], name) for name in ("author", "year"))
    names = [name.partition(",")[0] for name in author.split(" and ")]
    several = f"{names[0]} et al." if names[2:] else " and ".join(names)
    return f"{several} {year}".strip()


def _field(entry: str, name: str) -> str:
    """Return a field of an entry without braces, "" if it has none."""
    found = re.search(rf"^  {name} = \{{(.*)\}}", entry, re.MULTILINE)
    return re.sub("[{}]", "", found[1]) if found else ""


@functools.cache
def _bibliography() -> dict[str, str]:
    """Return the entries that are known, by their keys."""
    entries = (files("pommel.report") / "methods.bib").read_text("utf-8").split("\n\n")
    every = [f"{each.strip()}\n" for each in entries]
    every += [source.citation for source in PublishedSource.known()]
    return {each[each.index("{") + 1 : each.index(",")]: each for each in every}


def _said(
    records: Sequence[RunRecord],
    value: Callable[[RunRecord], Hashable],
    sentence: Callable[[Any], str],
) -> Iterator[str]:
    """Yield a sentence for each value, which says of which runs it is where not all have it."""
    groups = grouped(records, value)
    for key, own in groups.items():
        if text := sentence(key):
            yield (
                text
                if len(groups) == 1
                else f"Of {_who(own, records)}: {text[0].lower()}{text[1:]}"
            )


def _who(own: Sequence[RunRecord], every: Sequence[RunRecord]) -> str:
    """Return which models these runs are of, and on which suites, if not on all of theirs."""
    n_runs = Counter(each.result.model_name for each in every)
    of_models = grouped(own, lambda each: each.result.model_name)
    return ", ".join(
        name
        if len(runs) == n_runs[name]
        else f"{name} on {', '.join(each.result.suite_name for each in runs)}"
        for name, runs in of_models.items()
    )


def _described(record: RunRecord) -> Mapping[str, Any]:
    return record.result.provenance.get("model") or {}


def _models(records: Sequence[RunRecord]) -> Iterator[str]:
    """Yield which models ran, and whose results were not computed here."""

    def called(record: RunRecord) -> str:
        member = record.result.membership
        return member.family if member else record.result.model_name

    groups = grouped(records, called)
    yield f"The results are of {counted(len(groups), 'model')}."
    unknown = []
    for name, own in groups.items():
        described = [_described(each) for each in own]
        members = {each.result.membership for each in own if each.result.membership}
        labels = sorted(each.label for each in members)
        sizes = [each.model.n_parameters for each in own]
        facts = {
            "": _listed(each.model.reference for each in own if each.model.reference != name),
            "members": ", ".join(labels),
            "parameters": _listed(f"{each:,}" for each in sizes if each),
            **{
                what: _listed(each.get(what) for each in described)
                for what in ("revision", "dtype")
            },
            "fingerprint": _listed(each.model.fingerprint[:12] for each in own),
        }
        papers = _papers(own[0])
        unknown += [] if papers else [name]
        known = "; ".join(f"{what} {each}".strip() for what, each in facts.items() if each)
        yield f"{name}{papers}: {known or 'nothing more is known'}."
    if unknown:
        yield f"No paper about {', '.join(unknown)} is known to pommel."
    yield from _said(
        [each for each in records if not each.is_own],
        lambda each: each.source,
        lambda source: (
            f"Results from {source} are as they were published; how they were scored is not known."
        ),
    )


def _papers(record: RunRecord) -> str:
    """Return what a model's reference says of who made it; of a local folder it says nothing."""
    scheme, _, rest = record.model.reference.partition("://")
    if scheme == "builtin":
        return " (@pommel)"
    name = rest.partition("@")[0] if _described(record).get("revision") else ""
    for key, entry in _bibliography().items():
        if name and any(fnmatchcase(name, glob) for glob in _field(entry, "models").split()):
            return f" (@{key})"
    return ""


def _listed(values: Iterable[object]) -> str:
    return listed([*dict.fromkeys(str(each) for each in values if each)], most=6)


def _suites(records: Sequence[RunRecord], suites: Mapping[str, Suite]) -> Iterator[str]:
    """Yield which suites were run, on which of them not every model, and who made them."""
    groups = grouped(records, lambda each: (each.suite_key, each.suite.sha256))
    n_items = sum(own[0].result.n_items for own in groups.values())
    shown = []
    for (key, sha256), own in groups.items():
        result, facts = own[0].result, own[0].suite
        known = (
            key[0],
            result.circuit,
            f"version {facts.version}" if facts.version else "",
            counted(result.n_items, "item") if result.n_items else "",
            f"SHA-256 {sha256[:12]}" if sha256 else "",
        )
        shown.append(f"{result.suite_name} ({', '.join(filter(None, known))})")
    items = f" of {counted(n_items, 'item')}" if n_items else ""
    yield f"They are on {counted(len(groups), 'suite')}{items}: {'; '.join(shown)}."
    n_models = len({each.result.model_name for each in records})
    for (key, _), own in groups.items():
        if len(own) < n_models:
            yield f"On {key[1]} ran only {', '.join(each.result.model_name for each in own)}."
    yield from _said(
        records,
        lambda each: _origin(each, suites.get(each.suite.sha256)),
        lambda origin: f"The suites are {origin or 'of unknown authors'}.",
    )


def _origin(record: RunRecord, suite: Suite | None) -> str:
    meta = suite.meta if suite else {}
    reference = str(meta.get("reference") or "")
    if not reference and PublishedSuite(record.result.suite_name).circuit:
        return "called like those of @hu-etal-2020-systematic"
    for key, entry in _bibliography().items():
        if _field(entry, "title").casefold() in reference.casefold():
            reference = f"@{key}"
    said = {"by": meta.get("author"), "after": reference, "under the licence": meta.get("license")}
    return ", ".join(f"{word} {each}" for word, each in said.items() if each)


def _scoring(records: Sequence[RunRecord], suites: Mapping[str, Suite]) -> Iterator[str]:
    """Yield a sentence for each choice that has a say in the numbers, or several."""

    def metrics(record: RunRecord) -> str:
        suite = suites.get(record.suite.sha256)
        return ", ".join(suite.all_metrics) if suite else ""

    yield from _said(
        records,
        metrics,
        lambda names: (
            f"The value of a region is the {names} of its tokens' surprisals, in bits."
            if names
            else "How tokens are put together to regions is not known."
        ),
    )
    for name in SENTENCES:
        yield from _of_choice(records, name)


def _of_choice(records: Sequence[RunRecord], name: str) -> Iterator[str]:
    def choice(record: RunRecord) -> str | None:
        of_result = {
            "score_rule": record.result.score_rule,
            "regions": record.result.provenance.get("regions"),
        }
        return of_result[name] if name in of_result else record.choice(name)

    def sentence(chosen: str | None) -> str:
        own = [each for each in records if choice(each) == chosen]
        marks = grouped(own, lambda each: str(_described(each).get(name) or "no known mark"))
        shown = [f"{mark} of {_who(of_it, own)}" for mark, of_it in marks.items()]
        mark = ", ".join(shown if len(marks) > 1 else marks)
        return SENTENCES[name].get(chosen or "", f"What {name} was is not known.").format(mark=mark)

    yield from _said(records, choice, sentence)


def _counted(records: Sequence[RunRecord]) -> Iterator[str]:
    """Yield what scores are, and what happened to items."""
    yield "A suite's score is the share of items that are right; intervals are Wilson's, of 95%"
    yield "(@wilson-1927-probable). The SG score is the mean over suites, which count alike."
    every = [each for record in records for each in record.result.predictions]
    n_verdicts = sum(each.n_items + each.n_skipped for each in every)
    counts = {name: sum(getattr(each, name) for each in every) for name in _COUNTS}
    said = [_COUNTS[name].format(n=f"{n:,}") for name, n in counts.items() if n or name == "n_ties"]
    if every:
        yield f"Of {n_verdicts:,} verdicts of predictions on items, {'; '.join(said)}."
    yield from _said(
        records,
        lambda each: len(each.result.provenance.get("failed") or ()),
        lambda n: f"The model failed at {counted(n, 'sentence')}." if n else "",
    )


def _made(records: Sequence[RunRecord]) -> Iterator[str]:
    """Yield what the numbers were computed with, and when."""

    def environment(record: RunRecord) -> str:
        made = record.result.provenance
        python, platform = made.get("python"), made.get("platform")
        told = (
            f"pommel {made.get('pommel') or 'of an unknown version'} (@pommel)",
            *(f"{name} {each}" for name, each in (made.get("packages") or {}).items()),
            f"Python {python}" if python else "",
            f"on {platform}" if platform else "",
            f"device {_described(record).get('device') or 'not known'}",
        )
        return ", ".join(filter(None, told))

    yield from _said(records, environment, lambda made: f"Scores were computed by {made}.")
    if records and (when := time_span(records)):
        yield f"The runs are of {when}."
