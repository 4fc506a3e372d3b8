"""The suite editor: a draft as a grid, what is wrong with it and where, and what models make of it.

Each page and each thing that can be done is a function of the site and of what was asked, as in
`pommel.serve.looking`. What stands in the grid is `pommel.serve.drafts`'s, how it is kept
`pommel.serve.revisions`'s.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Annotated, Any, Literal

import msgspec

from pommel.errors import FormulaError
from pommel.scoring import SuiteSurprisals
from pommel.serve import drafts
from pommel.serve.desk import new_id
from pommel.serve.drafts import Change, Clash, Document
from pommel.serve.live import Asked
from pommel.serve.looking import PageNumber, ShadedToken, finite, shaded
from pommel.serve.people import Person
from pommel.serve.revisions import Draft
from pommel.serve.site import Site
from pommel.suite import (
    METRICS,
    RULES,
    Finding,
    Formula,
    LoadedSuite,
    PublishedSuite,
    Suite,
    check_suite,
)
from pommel.values import frozen

# Items of a page of the grid.
ITEMS_SHOWN = 25
_MOST_FAULTS = 60
# So long an answer of a model is waited for before the page asks again.
_SECONDS_WAITED = 0.6
# The doubts that need neither a model nor frequencies, and are not mostly meant so.
_DOUBTED = frozenset(name for name, each in RULES.items() if not (each.needs or each.is_pedantic))

Revision = Annotated[int, msgspec.Meta(ge=1)]
Index = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Window = Annotated[str, msgspec.Meta(max_length=40)]


# The grid.


@frozen
class ShownRegion:
    """A column: a region's number and its name."""

    number: int
    name: str


@frozen
class ShownCell:
    """A region of a sentence; `is_there` is False where the condition has no such region."""

    place: str
    text: str
    is_there: bool


@frozen
class ShownRow:
    """A condition of an item."""

    place: str
    name: str
    context: str
    cells: list[ShownCell]


@frozen
class ShownItem:
    """An item: its index in the suite, its number, its rows, and the conditions that it lacks."""

    index: int
    number: int
    rows: list[ShownRow]
    lacks: list[str]


# What is wrong.


@frozen
class ShownFault:
    """Something wrong with a draft, or a doubt about it: what, and where.

    `place` is the cell that a link leads to (`href`), "" where there is none; `where` says it in
    words. `within` is the character of the cell's text that is meant.
    """

    severity: Literal["error", "warning", "doubt"]
    message: str
    hint: str
    place: str = ""
    href: str = ""
    where: str = ""
    within: int | None = None
    rule: str = ""


@frozen
class ShownPrediction:
    """A prediction: its formula, what that says, and what is wrong in it.

    `caret` is a line that points at the first mistake, "" where there is none.
    """

    index: int
    formula: str
    description: str
    words: list[str]
    caret: str
    faults: list[ShownFault]


@frozen
class ShownChange:
    """A cell that somebody else has changed, and what stands there now."""

    place: str
    text: str


@frozen
class ShownClash:
    """A cell that two people have changed at once: what stands there, and what does not."""

    place: str
    where: str
    theirs: str
    yours: str


@frozen
class Panes:
    """What is said beside the grid, at a revision of a draft.

    `changed` are cells of the page that others have changed; where rows or columns are others
    (`is_rebuilt`), the grid has to be loaded again. `joiner_hint` is said of a language that is
    written without spaces.
    """

    draft_id: str
    revision: int
    n_errors: int
    n_warnings: int
    n_unwritten: int
    unwritten: ShownFault | None
    faults: list[ShownFault]
    n_more: int
    predictions: list[ShownPrediction]
    clashes: list[ShownClash]
    clashed_with: list[str]
    changed: list[ShownChange]
    is_rebuilt: bool
    joiner_hint: bool
    can_undo: bool
    can_redo: bool


@frozen
class OneDraft:
    """A draft: a page of its grid, and what is said beside it.

    `meta` has what can be written in fields. `file` is where it lies in the folder of suites, ""
    for nowhere, and `file_name` what it is saved as unless that is said otherwise. `item` is the
    index of the item under the cursor.
    """

    draft_id: str
    revision: int
    window: str
    name: str
    language: str
    direction: str
    file: str
    file_name: str
    has_folder: bool
    meta: dict[str, str]
    metrics: list[str]
    regions: list[ShownRegion]
    conditions: list[str]
    has_context: bool
    items: list[ShownItem]
    item: int
    n_items: int
    page: int
    n_pages: int
    panes: Panes
    models: list[str]
    others: list[str]


@frozen
class DraftAsked:
    """Which page of the grid, which window asks, and whether contexts are shown, too."""

    page: PageNumber = 1
    window: Window = ""
    item: Index | None = None
    contexts: bool = False


def draft(site: Site, asked: DraftAsked, *, draft_id: str, person: Person) -> OneDraft:
    """A suite that is being written."""
    return _one_draft(site, site.drafts.shown(draft_id), asked, person=person)


@frozen
class TextsAsked:
    """Texts of cells, as somebody has seen the draft at the revision `rests_on`."""

    rests_on: Revision
    place: tuple[str, ...]
    text: tuple[str, ...]
    page: PageNumber = 1
    window: Window = ""


def draft_texts(site: Site, asked: TextsAsked, *, draft_id: str, person: Person) -> Panes:
    """Write into cells of a draft; what somebody else has changed there meanwhile is told."""
    change = Change(what="texts", places=asked.place, texts=asked.text)
    found = site.drafts.change(draft_id, asked.rests_on, change, by=person.name)
    panes = _panes(site, found.kept, asked.page, others=(found.rested_on, found.before))
    return _with_clashes(panes, found.kept.document, found.clashes, found.by)


@frozen
class ChangeAsked:
    """A change of rows, columns or many cells (`pommel.serve.drafts.CHANGES`), undo or redo."""

    rests_on: Revision
    what: str
    place: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    page: PageNumber = 1
    window: Window = ""
    item: Index | None = None
    contexts: bool = False


def draft_changes(site: Site, asked: ChangeAsked, *, draft_id: str, person: Person) -> OneDraft:
    """Change a draft's rows, columns or many cells, or undo what was done last."""
    clashes: Sequence[Clash] = ()
    by: Sequence[str] = ()
    if asked.what in ("undo", "redo"):
        go = site.drafts.undo if asked.what == "undo" else site.drafts.redo
        before = site.drafts.shown(draft_id)
        kept = go(draft_id, asked.rests_on)
        if before.revision != asked.rests_on:
            clashes = [Clash(place="", theirs="", yours=asked.what)]
            by = site.drafts.people_since(draft_id, asked.rests_on)
    else:
        change = Change(what=asked.what, places=asked.place, texts=asked.text)
        found = site.drafts.change(draft_id, asked.rests_on, change, by=person.name)
        kept, clashes, by = found.kept, found.clashes, found.by
    again = DraftAsked(
        page=asked.page, window=asked.window, item=asked.item, contexts=asked.contexts
    )
    made = _one_draft(site, kept, again, person=person)
    return replace(made, panes=_with_clashes(made.panes, kept.document, clashes, by))


@frozen
class PanesAsked:
    """Since which revision others' changes are asked for."""

    revision: Revision
    page: PageNumber = 1


def draft_panes(site: Site, asked: PanesAsked, *, draft_id: str) -> Panes:
    """What is wrong with a draft, and what others have changed since a revision."""
    kept, since = site.drafts.shown(draft_id), site.drafts.at(draft_id, asked.revision)
    return _panes(site, kept, asked.page, others=(since, kept.document) if since else None)


@frozen
class NewsAsked:
    """Which window asks."""

    window: Window = ""


@frozen
class News:
    """At which revision a draft is, and who else has it open."""

    revision: int
    others: list[str]


def draft_news(site: Site, asked: NewsAsked, *, draft_id: str, person: Person) -> News:
    """Whether somebody else has changed a draft, and who has it open."""
    kept = site.drafts.shown(draft_id)
    others = site.windows.others(draft_id, asked.window, person.name)
    return News(revision=kept.revision, others=_named(others, person))


def _named(others: Sequence[str], person: Person) -> list[str]:
    """Return who else has a draft open, each once, in words."""
    own = "you, in another window"
    return [*dict.fromkeys(own if each == person.name else each or "somebody" for each in others)]


def _one_draft(site: Site, kept: Draft, asked: DraftAsked, *, person: Person) -> OneDraft:
    document = kept.document
    n_items = len(document["items"])
    n_pages = math.ceil(n_items / ITEMS_SHOWN)
    page = min(asked.page, n_pages)
    first = (page - 1) * ITEMS_SHOWN
    item = first if asked.item is None else min(asked.item, n_items - 1)
    window = asked.window or new_id()
    meta = {key: drafts.text_at(document, f"m-{key}") or "" for key in drafts.META}
    metric = meta["metric"]
    return OneDraft(
        draft_id=kept.draft_id,
        revision=kept.revision,
        window=window,
        name=meta["name"],
        language=meta["language"],
        direction=PublishedSuite.direction(meta["language"]),
        file=kept.file,
        file_name=kept.file or f"{kept.stem}.json",
        has_folder=site.suites is not None,
        meta=meta,
        metrics=[*METRICS, "all", *(() if metric in (*METRICS, "all") else (metric,))],
        regions=[
            ShownRegion(number=number, name=drafts.region_name(document, number))
            for number in drafts.columns(document)
        ],
        conditions=drafts.condition_names(document),
        has_context=asked.contexts or drafts.has_context(document),
        items=[*_shown_items(document, first)],
        item=item,
        n_items=n_items,
        page=page,
        n_pages=n_pages,
        panes=_panes(site, kept, page),
        models=[*site.models],
        others=_named(site.windows.others(kept.draft_id, asked.window, person.name), person),
    )


def _shown_items(document: Document, first: int) -> Iterator[ShownItem]:
    numbers, names = drafts.columns(document), drafts.condition_names(document)
    for i, item in enumerate(document["items"][first : first + ITEMS_SHOWN], first):
        rows = []
        for c, condition in enumerate(item["conditions"]):
            texts = {int(each["region_number"]): each["content"] for each in condition["regions"]}
            rows.append(
                ShownRow(
                    place=f"x-{i}-{c}",
                    name=condition["condition_name"],
                    context=drafts.text_at(document, f"x-{i}-{c}") or "",
                    cells=[
                        ShownCell(
                            place=f"c-{i}-{c}-{number}",
                            text=texts.get(number, ""),
                            is_there=number in texts,
                        )
                        for number in numbers
                    ],
                )
            )
        own = {row.name for row in rows}
        yield ShownItem(
            index=i,
            number=int(item["item_number"]),
            rows=rows,
            lacks=[name for name in names if name not in own],
        )


# What is wrong with it.


def _panes(
    site: Site, kept: Draft, page: int, *, others: tuple[Document, Document] | None = None
) -> Panes:
    """Return what is said beside a page; `others` are the document that was seen, and as it was."""
    document = kept.document
    found = site.drafts.once(kept, LoadedSuite.findings)
    shown = [*_shown_faults(kept, found)]
    unwritten = [each for each in found if each.unwritten]
    rank = {"error": 0, "warning": 1, "doubt": 2}
    shown.sort(key=lambda each: (rank[each.severity], _order(each.place)))
    is_rebuilt = others is not None and not drafts.is_same_frame(*others)
    language = drafts.text_at(document, "m-language") or ""
    return Panes(
        draft_id=kept.draft_id,
        revision=kept.revision,
        n_errors=sum(each.severity == "error" for each in shown),
        n_warnings=sum(each.severity == "warning" for each in shown),
        n_unwritten=len(unwritten),
        unwritten=next(iter(_shown_faults(kept, unwritten[:1], unwritten=True)), None),
        faults=shown[:_MOST_FAULTS],
        n_more=max(0, len(shown) - _MOST_FAULTS),
        predictions=[*_shown_predictions(document, shown)],
        clashes=[],
        clashed_with=[],
        changed=[] if others is None or is_rebuilt else [*_changed(*others, page)],
        is_rebuilt=is_rebuilt,
        joiner_hint="joiner" not in document["meta"] and not PublishedSuite.usual_joiner(language),
        can_undo=kept.can_undo,
        can_redo=kept.can_redo,
    )


def _with_clashes(
    panes: Panes, document: Document, clashes: Sequence[Clash], by: Sequence[str]
) -> Panes:
    """Return what is said beside a grid after a change with which these have clashed."""
    shown = [
        ShownClash(
            place=each.place,
            where=_where(document, each.place),
            theirs=each.theirs,
            yours=each.yours,
        )
        for each in clashes
    ]
    named = [each or "somebody" for each in by] if clashes else []
    return replace(panes, clashes=shown, clashed_with=named)


def _shown_faults(
    kept: Draft, found: Sequence[Finding], *, unwritten: bool = False
) -> Iterator[ShownFault]:
    """Yield what is wrong, with its place; what is still to be written is counted, not told."""
    for each in found:
        if each.unwritten != unwritten:
            continue
        is_warning = each.warning or each.stray_space
        yield _placed(
            kept,
            each.path,
            ShownFault(
                severity="warning" if is_warning else "error",
                message=each.message,
                hint=each.hint,
                within=each.within,
            ),
        )


def _placed(kept: Draft, path: tuple[str | int, ...], fault: ShownFault) -> ShownFault:
    place = drafts.place_of(kept.document, path)
    return replace(
        fault,
        place=place,
        href=_href(kept.draft_id, place) if place else "",
        where=_where(kept.document, place),
    )


def _href(draft_id: str, place: str) -> str:
    kind, first, *_ = place.split("-")
    if kind not in ("c", "x", "n"):
        return f"#{place}"
    return f"/drafts/{draft_id}?page={int(first) // ITEMS_SHOWN + 1}#{place}"


def _where(document: Document, place: str) -> str:
    """Say in words where a place is, "" for none."""
    kind, *rest = place.split("-") if place else [""]
    if kind in ("c", "x", "n"):
        item = document["items"][int(rest[0])]
        said = f"item {item['item_number']}"
        if kind == "n":
            return said
        said += f", {item['conditions'][int(rest[1])]['condition_name']}"
        return f"{said}, {_region_in_words(document, int(rest[2])) if kind == 'c' else 'context'}"
    if kind == "r":
        return f"name of region {rest[0]}"
    if kind in ("f", "d"):
        return f"prediction {rest[0]}"
    return rest[0] if rest else ""


def _region_in_words(document: Document, number: int) -> str:
    return f"{number} {drafts.region_name(document, number)}".strip()


def _order(place: str) -> tuple[int, list[int]]:
    """Return by what faults are sorted: what is about the whole suite first, then cell by cell."""
    kind, *rest = place.split("-") if place else [""]
    if kind == "m":
        return 0, []
    rank = {"r": 1, "f": 2, "d": 2}.get(kind, 3)
    return rank, [int(each) for each in rest]


def _changed(since: Document, document: Document, page: int) -> Iterator[ShownChange]:
    """Yield what stands now in the cells of a page in which something else stood before."""
    if since is document:
        return
    first, numbers = (page - 1) * ITEMS_SHOWN, drafts.columns(document)
    places = [f"m-{key}" for key in drafts.META]
    places += [f"r-{number}" for number in numbers]
    for k in range(len(document["predictions"])):
        places += [f"f-{k}", f"d-{k}"]
    for i, item in enumerate(document["items"][first : first + ITEMS_SHOWN], first):
        for c in range(len(item["conditions"])):
            places.append(f"x-{i}-{c}")
            places += [f"c-{i}-{c}-{number}" for number in numbers]
    for place in drafts.changed_places(since, document, places):
        yield ShownChange(place=place, text=drafts.text_at(document, place) or "")


def _shown_predictions(
    document: Document, faults: Sequence[ShownFault]
) -> Iterator[ShownPrediction]:
    names = {number: drafts.region_name(document, number) for number in drafts.columns(document)}
    metric = str(_metrics(document)[0])
    for k, each in enumerate(document["predictions"]):
        own = [fault for fault in faults if fault.place == f"f-{k}"]
        text = each["formula"]
        words: Sequence[str] = ()
        try:
            formula = Formula.parse(text)
            words = formula.in_few_words(names, metric=each.get("metric") or metric)
            ends = {reference.span[0]: reference.span[1] for reference in formula.references}
        except FormulaError as error:
            ends = {error.start: error.end}
        except KeyError:
            # A metric that nobody knows is among the faults.
            ends = {}
        at = next((fault.within for fault in own if fault.within is not None), None)
        caret = "" if at is None else FormulaError.pointed(text, at, ends.get(at, at + 1))
        yield ShownPrediction(
            index=k,
            formula=text,
            description=str(each.get("description", "")),
            words=[*words],
            caret=caret,
            faults=own,
        )


def _metrics(document: Document) -> list[str]:
    metric = document["meta"].get("metric", "sum")
    found = metric if isinstance(metric, list) else [metric]
    return [each for each in found if each in METRICS] or ["sum"]


# What can be doubted.


@frozen
class Doubts:
    """What `pommel suites check` says of a draft, of the items that are written in full.

    `why_not` says why it was not looked for.
    """

    doubts: list[ShownFault]
    n_more: int
    why_not: str


def draft_doubts(site: Site, _asked: NewsAsked, *, draft_id: str) -> Doubts:
    """What is doubtful in a draft, as `pommel suites check` says it."""
    kept = site.drafts.shown(draft_id)
    if any(
        each.severity == "error"
        for each in _shown_faults(kept, site.drafts.once(kept, LoadedSuite.findings))
    ):
        return Doubts(doubts=[], n_more=0, why_not="looked for when no fault is left")
    found = [
        _placed(
            kept,
            path,
            ShownFault(severity="doubt", message=message, hint=hint, rule=rule),
        )
        for path, message, hint, rule in site.drafts.once(kept, _remarks)
    ]
    return Doubts(doubts=found[:_MOST_FAULTS], n_more=max(0, len(found) - _MOST_FAULTS), why_not="")


_Remark = tuple[tuple[str | int, ...], str, str, str]


def _remarks(document: Document) -> list[_Remark]:
    """Return the doubts about the items of a document that are written, without any error."""
    items = document["items"]
    written = [n for n, item in enumerate(items) if all(map(_is_written, item["conditions"]))]
    if not written:
        return []
    whole = {**document, "items": [items[n] for n in written]}
    found = []
    for each in check_suite(Suite.from_dict(whole), _DOUBTED):
        path = each.path
        if path[:1] == ("items",):
            path = ("items", written[int(path[1])], *path[2:])
        found.append((path, each.message, each.hint, each.rule))
    return found


def _is_written(condition: Mapping[str, Any]) -> bool:
    return any(str(region["content"]).strip() for region in condition["regions"])


# The item under the cursor.


@frozen
class ReadAsked:
    """Which item (its index), on which model; "" is none."""

    item: Index = 0
    model: str = ""
    window: Window = ""


@frozen
class LiveSentence:
    """A condition's sentence as models read it, "" where it is to be written.

    `pieces` are its tokens, and `regions_bits` the surprisal of its regions, once it is scored.
    """

    condition: str
    text: str
    pieces: list[ShadedToken] = field(default_factory=list)
    regions_bits: dict[int, float | None] = field(default_factory=dict)


@frozen
class LivePrediction:
    """Whether a prediction holds in an item, and by how many bits; None where nobody knows."""

    index: int
    holds: bool | None
    margin_bits: float | None


@frozen
class LiveItem:
    """An item as a model reads it; `state` says how far that is, `why` what went wrong."""

    draft_id: str
    index: int
    number: int
    language: str
    model: str
    state: Literal["none", "waiting", "scored", "failed"]
    why: str
    sentences: list[LiveSentence]
    predictions: list[LivePrediction]

    @property
    def numbers(self) -> list[int]:
        """The regions that have a surprisal in any sentence."""
        return sorted({number for each in self.sentences for number in each.regions_bits})


def draft_item(site: Site, asked: ReadAsked, *, draft_id: str) -> LiveItem:
    """An item of a draft as models read it, with the surprisals of one of them."""
    document = site.drafts.shown(draft_id).document
    index = min(asked.item, len(document["items"]) - 1)
    item = document["items"][index]
    joiner = drafts.text_at(document, "m-joiner") or ""
    shared = str(item.get("context", ""))
    sentences = [
        LiveSentence(
            condition=each["condition_name"], text=drafts.sentence_of(each, joiner, shared)
        )
        for each in item["conditions"]
    ]
    found = LiveItem(
        draft_id=draft_id,
        index=index,
        number=int(item["item_number"]),
        language=drafts.text_at(document, "m-language") or "",
        model=asked.model,
        state="none",
        why="",
        sentences=sentences,
        predictions=[],
    )
    alone, numbers = _alone(document, index)
    if alone is None or not asked.model:
        return found
    question = Asked(reference=asked.model, suite=alone)
    answer = site.live.ask(f"{draft_id} {asked.window}", question, seconds=_SECONDS_WAITED)
    found = replace(found, state=answer.state, why=answer.why)
    return _with_scores(found, answer.surprisals, numbers) if answer.surprisals else found


def _alone(document: Document, index: int) -> tuple[Suite | None, list[int]]:
    """Return an item as a suite of its own, and which predictions it has.

    That is of what is written and sound; None where nothing is.
    """
    item = document["items"][index]
    conditions = [*filter(_is_written, item["conditions"])]
    own = {
        each["condition_name"]: {int(region["region_number"]) for region in each["regions"]}
        for each in conditions
    }
    numbers = []
    for k, prediction in enumerate(document["predictions"]):
        try:
            formula = Formula.parse(prediction["formula"])
        except FormulaError:
            continue
        if not [*formula.reference_errors(own)]:
            numbers.append(k)
    value = {
        "meta": {
            "name": "item",
            "metric": _metrics(document),
            "joiner": drafts.text_at(document, "m-joiner"),
        },
        "region_meta": document["region_meta"],
        "predictions": [document["predictions"][k] for k in numbers],
        "items": [{**item, "conditions": conditions}],
    }
    is_sound = conditions and all(
        each.warning or each.stray_space for each in LoadedSuite.findings(value)
    )
    return (Suite.from_dict(value) if is_sound else None), numbers


def _with_scores(found: LiveItem, surprisals: SuiteSurprisals, numbers: Sequence[int]) -> LiveItem:
    scored = {each.condition: each for each in shaded(surprisals)}
    if failed := surprisals.failed:
        return replace(found, state="failed", why=next(iter(failed.values())))
    sentences = [
        replace(
            each,
            pieces=scored[each.condition].pieces,
            regions_bits=scored[each.condition].regions_bits,
        )
        if each.condition in scored
        else each
        for each in found.sentences
    ]
    result = surprisals.evaluate()
    predictions = [
        LivePrediction(
            index=k,
            holds=each.results[0],
            margin_bits=finite(float(each.margin_bits[0])),
        )
        for k, each in zip(numbers, result.predictions, strict=True)
    ]
    return replace(found, sentences=sentences, predictions=predictions)
