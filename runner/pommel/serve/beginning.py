"""How suites that are written in the browser begin, where they go, and runs on them.

One begins from nothing, from another suite, from a table, or from a grammar. It can be downloaded
at any time, saved into the folder of suites once that is wanted, and run when it is sound.
"""

import codecs
import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Annotated, Literal

import msgspec

from pommel.errors import FormulaError, InputError, SuiteError, UsageError, counted, listed
from pommel.files import CsvTable, DecodedText, check_file_names, sha256_of, write_text
from pommel.serve import drafts
from pommel.serve.drafts import Document, DraftError
from pommel.serve.jobs import Finished, Job, Jobs, Limits, State, Task
from pommel.serve.people import Person
from pommel.serve.revisions import ListedDraft
from pommel.serve.shelf import KEY_DIGITS, NotShownError
from pommel.serve.site import Download, Moved, Nothing, Sent, Site
from pommel.sources import Content, SuiteCard, WrittenForm, find_suites
from pommel.suite import Design, LoadedDraft, PublishedSuite
from pommel.values import frozen

# Of a folder of suites, so many are offered.
_MOST_FILES = 1_000
_SAMPLES_SHOWN = 5
_MOST_SAMPLED = 2_000
# What a linguist waits for; a grammar may have more than there are seconds.
_LIMITS = Limits(seconds=30.0, memory_bytes=1 << 30)
_LONG_COLUMNS = {"item_number", "condition_name", "region_number", "content"}

Text = Annotated[str, msgspec.Meta(max_length=4_000_000)]
Line = Annotated[str, msgspec.Meta(max_length=1_000)]
Count = Annotated[int, msgspec.Meta(ge=1, le=_MOST_SAMPLED)]
# As spreadsheets save CSV where they do not save UTF-8.
Encoding = Literal[
    "",
    "cp1252",
    "cp1250",
    "cp1251",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "mac_roman",
    "shift_jis",
    "gb18030",
    "big5",
    "euc_kr",
]
GrammarKind = Literal["template", "cfg", "avg", "design"]


@frozen
class SuiteFile:
    """A file of the folder of suites, and the draft that was opened from it, "" for none."""

    name: str
    draft_id: str


@frozen
class Write:
    """The suites that are being written, and what one can begin with.

    `shipped` are the names of suites that ship with pommel, by language.
    """

    drafts: list[ListedDraft]
    has_folder: bool
    files: list[SuiteFile]
    shipped: dict[str, list[str]]
    models: list[str]


def write(site: Site, _asked: Nothing) -> Write:
    """Suites that are being written, and how to begin one."""
    known = site.drafts.latest()
    by_file = {each.file: each.draft_id for each in reversed(known) if each.file}
    shipped: dict[str, list[str]] = {}
    for card in SuiteCard.of_source("suites:")[0]:
        shipped.setdefault(card.language, []).append(card.name)
    return Write(
        drafts=known,
        has_folder=site.suites is not None,
        files=[
            SuiteFile(name=name, draft_id=by_file.get(name, "")) for name in _files(site.suites)
        ],
        shipped=dict(sorted(shipped.items())),
        models=[*site.models],
    )


def _files(folder: Path | None) -> list[str]:
    """Return the names of the files of suites in a folder, and in folders there."""
    if folder is None or not folder.is_dir():
        return []
    found = (each.relative_to(folder).as_posix() for each in folder.rglob("*.json"))
    return sorted(found)[:_MOST_FILES]


@frozen
class NewAsked:
    """What a new suite is like: conditions, regions and formulas, one a line each."""

    name: Line
    conditions: Text
    regions: Text
    language: Line = ""
    circuit: Line = ""
    formulas: Text = ""
    items: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 1
    joiner: Literal["usual", "space", "nothing"] = "usual"


def write_new(site: Site, asked: NewAsked, *, person: Person) -> Moved:
    """Begin a suite from nothing."""
    conditions, regions = _lines(asked.conditions), _lines(asked.regions)
    for what, names, fault_of in (
        ("condition", conditions, Design.condition_fault),
        ("region", regions, Design.region_fault),
    ):
        if not names:
            raise DraftError(f"write the names of the {what}s, one a line")
        for place, name in enumerate(names):
            if fault := fault_of(name, names[:place]):
                raise DraftError(fault)
    meta = {"name": _name(asked.name), **_said(asked)}
    joiner = {"usual": PublishedSuite.usual_joiner(asked.language), "space": " ", "nothing": ""}
    if joiner[asked.joiner] != " ":
        meta["joiner"] = joiner[asked.joiner]
    try:
        design = Design.new(conditions, regions, _lines(asked.formulas))
    except FormulaError as error:
        raise DraftError(str(error)) from None
    return _begun(site, design.draft(meta, n_items=asked.items), person)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _name(text: str) -> str:
    if not text.strip():
        raise DraftError("a suite needs a name")
    return text.strip()


def _said(asked: NewAsked) -> dict[str, str]:
    _check_language(asked.language)
    said = {"language": asked.language.strip(), "circuit": asked.circuit.strip()}
    return {key: value for key, value in said.items() if value}


def _check_language(tag: str) -> None:
    if tag and (fault := PublishedSuite.language_fault(tag)):
        raise DraftError(fault)


def _begun(
    site: Site, document: Document, person: Person, *, file: str = "", sha256: str = ""
) -> Moved:
    draft_id = site.drafts.begin(document, by=person.name, file=file, saved_sha256=sha256)
    return Moved(to=f"/drafts/{draft_id}")


@frozen
class CopyAsked:
    """A suite by its name: of the folder, or one that ships with pommel; its sentences or not."""

    source: Line
    design_only: bool = False
    name: Line = ""


def write_copy(site: Site, asked: CopyAsked, *, person: Person) -> Moved:
    """Begin a suite from another one; a file of the folder is opened, and saved there again."""
    path, name = _source(site, asked.source)
    read = _read(path)
    document = drafts.opened(read.text, path.name)
    is_own = site.suites is not None and not asked.design_only and not asked.name.strip()
    if is_own and name in _files(site.suites):
        return _begun(site, document, person, file=name, sha256=read.sha256)
    if asked.design_only:
        document = _without_sentences(document)
    own = asked.name.strip() or f"{drafts.text_at(document, 'm-name')} (copy)"
    return _begun(site, drafts.with_texts(document, {"m-name": own}), person)


def _without_sentences(document: Document) -> Document:
    numbers = {
        each["condition_name"]: tuple(int(region["region_number"]) for region in each["regions"])
        for each in document["items"][0]["conditions"]
    }
    names = {number: drafts.region_name(document, number) for number in drafts.columns(document)}
    design = Design(
        regions_of=numbers,
        region_names=names,
        predictions=tuple(
            {key: each[key] for key in ("type", "formula", "description", "metric") if key in each}
            for each in document["predictions"]
        ),
        metric=document["meta"]["metric"],
    )
    kept = {
        key: document["meta"][key]
        for key in ("name", "language", "circuit", "joiner")
        if key in document["meta"]
    }
    return design.draft(kept, n_items=len(document["items"]))


def _source(site: Site, source: str) -> tuple[Path, str]:
    """Return the file of a suite, and its name: only what `write` offers is opened."""
    name = source.strip()
    if site.suites is not None and name in _files(site.suites):
        return site.suites / name, name
    for card in SuiteCard.of_source("suites:")[0]:
        if card.name == name.removeprefix("suites:"):
            (path,) = find_suites(f"suites:{card.name}")
            return path, card.name
    raise NotShownError(f"there is no suite {source!r}; choose one of the list")


def _read(path: Path) -> DecodedText:
    """Return a suite's file, called by its name alone: where it lies is no visitor's business."""
    try:
        return DecodedText.decode(path.read_bytes(), file=path.name)
    except OSError as error:
        raise InputError(f"{path.name}: cannot be read: {error.strerror}") from None


@frozen
class TableAsked:
    """A table of sentences: a file, or what was pasted; what the suite is called.

    `encoding` is that of a file in CSV, "" for UTF-8, and for what a mark says at its beginning.
    """

    name: Line = ""
    language: Line = ""
    file: Sent | None = None
    encoding: Encoding = ""
    text: Text = ""


def write_table(site: Site, asked: TableAsked, *, person: Person) -> Moved:
    """Begin a suite from a table: a row an item, or a row a region (long CSV)."""
    _check_language(asked.language)
    sent = asked.file if asked.file and asked.file.content else None
    if not sent and not asked.text.strip():
        raise DraftError("choose a file, or paste the cells of a table")
    ending = (
        PurePath(sent.name).suffix.lower() if sent else ".tsv" if "\t" in asked.text else ".csv"
    )
    if ending not in (".csv", ".tsv", ".xlsx"):
        raise DraftError(f"{sent.name if sent else ''}: a table's file ends in .csv, .tsv or .xlsx")
    name = asked.name.strip() or (PurePath(sent.name).stem if sent else "")
    with tempfile.TemporaryDirectory(prefix="pommel-serve-") as folder:
        table = Path(folder) / f"table{ending}"
        table.write_bytes(sent.content if sent else asked.text.encode())
        document = _of_table(
            site, table, sent.name if sent else "the table", asked.encoding if sent else ""
        )
    texts = {"m-name": _name(name)} | ({"m-language": asked.language} if asked.language else {})
    if asked.language and not PublishedSuite.usual_joiner(asked.language):
        texts["m-joiner"] = ""
    return _begun(site, drafts.with_texts(document, texts), person)


def _of_table(site: Site, table: Path, called: str, encoding: str) -> Document:
    """Return the suite of a table, which a process of its own opens."""
    made = table.with_name("suite.json")
    is_book = table.suffix == ".xlsx"
    as_regions = ["convert", str(table), "-o", str(made), "--from", "xlsx" if is_book else "csv"]
    as_items = ["suites", "new", str(made), "--from", str(table), "--no-input"]
    if is_book:
        ways = [as_regions, as_items]
    else:
        ways = [as_regions if _has_regions(table, encoding) else as_items]
    failed: list[Finished] = []
    for arguments in ways:
        named = ["--encoding", encoding] if encoding and not is_book else []
        done = site.jobs.run([*arguments, *named], _LIMITS)
        if done.exit_status == 0 and made.exists():
            return drafts.opened(made.read_text("utf-8"), called)
        if done.exit_status is None:
            raise DraftError("this table takes too long to be read; divide it")
        failed.append(done)
    # What each way says of a table that is for the other one.
    said = next((each for each in failed if "a row a region" not in each.log), failed[-1])
    told = _plain(said, table, called)
    if " --encoding " in told:
        # As the command line is told it.
        told = (
            f"{told.partition(';')[0]}; choose the file's encoding, such as Windows (western "
            f'Europe), or save it as "CSV UTF-8" or as a workbook'
        )
    raise DraftError(told)


def _has_regions(table: Path, encoding: str) -> bool:
    """Return whether a row of a table is a region: by its header, where that can be read."""
    head = table.read_bytes()[:100_000]
    is_16 = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = head.decode(encoding or ("utf-16" if is_16 else "utf-8-sig"), "replace")
    header = text.splitlines()[:1]
    return any(
        {*row.fields} >= _LONG_COLUMNS
        for separator in ",;\t"
        for row in CsvTable.parse("".join(header), file="table", separator=separator).rows
    )


def _plain(done: Finished, path: Path, name: str) -> str:
    """Return what a command has said, without the path that only it knows."""
    kept = [line for line in done.lines if not line.startswith(("note:", "Usage:", "Try "))]
    text = "\n".join(kept or done.lines) or "this cannot be read"
    return text.replace(str(path), name).replace(f"{path.parent}/", "")


@frozen
class GrammarAsked:
    """A grammar as text, with its lexicon where it has one, and how many items are drawn."""

    kind: GrammarKind
    text: Text
    lexicon: Text = ""
    lexicon_name: Line = "lexicon.csv"
    name: Line = ""
    sample: Count = 24
    seed: Annotated[int, msgspec.Meta(ge=0, le=1 << 31)] = 1
    depth: Annotated[int, msgspec.Meta(ge=1, le=1_000)] | None = None
    capitalize: bool = False


@frozen
class Samples:
    """The first sentences that a grammar makes, by item: conditions and what they say."""

    n: int
    items: list[dict[str, str]]


def write_samples(site: Site, asked: GrammarAsked) -> Samples:
    """Draw some sentences of a grammar."""
    document = _generated(site, asked)
    joiner = drafts.text_at(document, "m-joiner") or ""
    return Samples(
        n=len(document["items"]),
        items=[
            {
                each["condition_name"]: drafts.sentence_of(each, joiner)
                for each in item["conditions"]
            }
            for item in document["items"][:_SAMPLES_SHOWN]
        ],
    )


def write_grammar(site: Site, asked: GrammarAsked, *, person: Person) -> Moved:
    """Begin a suite from a grammar."""
    return _begun(site, _generated(site, asked), person)


def _generated(site: Site, asked: GrammarAsked) -> Document:
    """Return the suite that a grammar makes, in a process of its own, which may take so long."""
    if not asked.text.strip():
        raise DraftError("write a grammar first")
    check_file_names([asked.lexicon_name, f"grammar.{asked.kind}"])
    with tempfile.TemporaryDirectory(prefix="pommel-serve-") as folder:
        grammar = Path(folder) / f"grammar.{asked.kind}"
        grammar.write_text(asked.text.replace("\r\n", "\n"), encoding="utf-8")
        if asked.lexicon.strip():
            lexicon = asked.lexicon.replace("\r\n", "\n")
            grammar.with_name(asked.lexicon_name).write_text(lexicon, encoding="utf-8")
        arguments = ["generate", str(grammar), "--format", "suite", "--seed", str(asked.seed)]
        arguments += ["--name", asked.name.strip()] if asked.name.strip() else []
        arguments += ["--depth", str(asked.depth)] if asked.depth else []
        arguments += ["--capitalize"] if asked.capitalize else []
        done = site.jobs.run([*arguments, "--sample", str(asked.sample)], _LIMITS)
        if done.exit_status and "a sample of" in done.log:
            # There are fewer: then all of them.
            done = site.jobs.run(arguments, _LIMITS)
        if done.exit_status is None:
            raise DraftError(
                f"this grammar takes more than {_LIMITS.seconds:.0f} seconds: draw fewer, or make "
                f"it smaller"
            )
        if done.exit_status:
            raise DraftError(_plain(done, grammar, grammar.name))
    return drafts.opened(done.said, "the grammar")


# Where a draft goes.


@frozen
class DownloadAsked:
    """In which form."""

    form: Literal["json", "csv", "xlsx"] = "json"


_MEDIA = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def draft_download(site: Site, asked: DownloadAsked, *, draft_id: str) -> Download:
    """A draft as a file: JSON, finished or not; long CSV or a workbook."""
    kept = site.drafts.shown(draft_id)
    name = f"{kept.stem}.{asked.form}"
    if asked.form == "json":
        content = Design.draft_text(kept.document).encode()
    else:
        # A formula that does not parse is text there, too.
        value = kept.document if asked.form == "xlsx" else {**kept.document, "predictions": []}
        suite = LoadedDraft.parse(Design.draft_text(value), file=name).suite
        if suite is None:
            raise DraftError("mend the faults first: JSON has a draft as it is")
        with tempfile.TemporaryDirectory(prefix="pommel-serve-") as folder:
            path = Path(folder) / f"suite.{asked.form}"
            Content.of_suite(suite).write(WrittenForm.named(asked.form), path)
            content = path.read_bytes()
    return Download(name=name, content=content, media_type=_MEDIA[asked.form])


@frozen
class SaveAsked:
    """What the file is called in the folder of suites."""

    file: Line


@frozen
class Saved:
    """Where a draft was saved."""

    draft_id: str
    file: str


def draft_save(site: Site, asked: SaveAsked, *, draft_id: str) -> Saved:
    """Save a draft into the folder of suites; never over what somebody has changed there."""
    if site.suites is None:
        raise UsageError("this server has no folder of suites; it is started with --suites DIR")
    kept = site.drafts.shown(draft_id)
    name = asked.file.strip()
    name = name if name.endswith(".json") else f"{name}.json"
    if name != kept.file:
        # A file in a folder there was opened from there.
        check_file_names([name])
        if name.startswith("."):
            raise DraftError(f"{name!r} would be hidden; begin the name with a letter")
    path, text = site.suites / name, Design.draft_text(kept.document)
    with site.saving:
        if path.is_symlink():
            raise DraftError(f"{name} is a link there; save under another name")
        if path.exists():
            there = sha256_of(path)
            if name != kept.file:
                raise DraftError(f"there is a file {name} already; save under another name")
            if there not in kept.saved_sha256.split():
                raise DraftError(
                    f"somebody has changed {name} since it was opened or saved here: save under "
                    f"another name, or open the file again and compare"
                )
        # Whichever of both is there when the server is ended meanwhile, is its own.
        own = kept.saved_sha256.split() if name == kept.file else []
        site.drafts.saved(draft_id, name, " ".join([*own, _sha256(text)]))
        write_text(path, text)
        site.drafts.saved(draft_id, name, _sha256(text))
    return Saved(draft_id=draft_id, file=name)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def draft_discard(site: Site, _asked: Nothing, *, draft_id: str) -> Moved:
    """Throw a draft away, with all that was written; a saved file stays."""
    site.drafts.discard(draft_id)
    return Moved(to="/write")


# Runs.


@frozen
class RunAsked:
    """The models that a suite is run on, among those of the server; and the suite, if no draft."""

    model: tuple[str, ...] = ()
    source: Line = ""


def draft_run(site: Site, asked: RunAsked, *, draft_id: str, person: Person) -> Moved:
    """Run a draft on models of the server; it has to be sound."""
    text = Design.draft_text(site.drafts.shown(draft_id).document)
    return _run(site, text, asked.model, person, about={"draft_id": draft_id})


def write_run(site: Site, asked: RunAsked, *, person: Person) -> Moved:
    """Run a suite of the folder, or one that ships with pommel, on models of the server."""
    path, _ = _source(site, asked.source)
    return _run(site, _read(path).text, asked.model, person, about={})


def _run(
    site: Site, text: str, models: Sequence[str], person: Person, *, about: dict[str, str]
) -> Moved:
    if not models:
        raise DraftError("choose a model, or several")
    if unknown := [each for each in models if each not in site.models]:
        raise DraftError(f"this server was not started with {listed(unknown)}")
    found = LoadedDraft.parse(text, file="the suite")
    if found.errors:
        raise SuiteError(found.errors)
    suite = found.suite
    n_unwritten = sum(len(each.unwritten) for each in suite.items) if suite else 1
    if suite is None or n_unwritten:
        raise DraftError(f"{counted(n_unwritten, 'sentence')} still to be written")
    title = f"{suite.name} on {', '.join(each.rpartition('://')[2] for each in models)}"
    named = [word for each in models for word in ("--model", each)]
    task = Task(
        kind="run",
        title=title,
        arguments=["run", *named, "--store", str(site.store.absolute()), "-"],
        about={**about, "results": f"/suites/{suite.sha256[:KEY_DIGITS]}"},
        given=text.encode(),
    )
    return Moved(to=f"/jobs/{site.jobs.begin(task, by=person.name)}")


@frozen
class ShownJob:
    """A job: how far it is, what it has said, and where its results are, "" before it has any.

    `state` is one word for it.
    """

    job_id: str
    kind: str
    title: str
    begun: str
    begun_by: str
    ended: str | None
    state: State
    n_done: int | None
    n: int | None
    label: str
    log: str
    results: str
    draft_id: str


@frozen
class JobList:
    """What goes on, and what went on."""

    jobs: list[ShownJob]


def jobs(every: Jobs, _asked: Nothing) -> JobList:
    """Runs and other work that goes on, the latest first."""
    return JobList(jobs=[_shown_job(each) for each in every.latest()])


def job(every: Jobs, _asked: Nothing, *, job_id: str) -> ShownJob:
    """A run, or other work: how far it is, and what it has said."""
    return _shown_job(_job(every, job_id))


def job_cancel(every: Jobs, _asked: Nothing, *, job_id: str) -> Moved:
    """Have a job end, as Ctrl-C does; what it has done so far is kept."""
    every.cancel(_job(every, job_id).job_id)
    return Moved(to=f"/jobs/{job_id}")


def _job(every: Jobs, job_id: str) -> Job:
    found = every.job(job_id)
    if found is None:
        raise NotShownError("there is no such job")
    return found


def _shown_job(found: Job) -> ShownJob:
    n_done, n, label = found.progress or (None, None, "")
    return ShownJob(
        job_id=found.job_id,
        kind=found.kind,
        title=found.title,
        begun=found.begun,
        begun_by=found.begun_by,
        ended=found.ended,
        state=found.state,
        n_done=n_done,
        n=n,
        label=label,
        log=found.log,
        results=str(found.about.get("results", "")) if found.exit_status == 0 else "",
        draft_id=str(found.about.get("draft_id", "")),
    )
