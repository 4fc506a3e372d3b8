"""`pommel leaderboard`: boards of submissions, each with suites that are pinned."""

import contextlib
import datetime as dt
import math
import secrets
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import click

from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import FOLDER, Count, Folder, field_of, option, takes_options
from pommel.cli.options import ModelOptions, RuleOptions, user_name
from pommel.cli.output import (
    form_option,
    note,
    progress_bar,
    say_wrong,
    show_json,
    show_table,
    show_text,
    show_warnings,
)
from pommel.errors import (
    ModelError,
    ModelNotAvailableError,
    PommelError,
    UsageError,
    counted,
    listed,
    printable,
)
from pommel.files import write_text
from pommel.leaderboard import BoardFolder, BoardPlan, Ranking, SubmissionError
from pommel.models import NamedModel, Policy
from pommel.scoring import Choices, RunRecord
from pommel.sharding import Plan, PlanFolder
from pommel.sources import load_suites
from pommel.store import Store
from pommel.suite import Suite
from pommel.surprisal import ScoredSentence
from pommel.values import frozen, positional


def _folder(_context: click.Context, _parameter: click.Parameter, value: Path) -> BoardFolder:
    return BoardFolder(value)


board_argument = click.argument("board", type=FOLDER, callback=_folder)


def now() -> str:
    """Return the time in UTC as ledgers have it."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


_keeper_option = click.option(
    "--by",
    default=user_name,
    help="Who keeps the board, for its ledger.  [default: your user name]",
)


class _InitOptions(RuleOptions):
    """Which suites a board has, what they weigh, and what it is called."""

    sources: tuple[str, ...] = option(
        "--suites",
        required=True,
        metavar="SUITE",
        help="A suite file, a folder, a shipped collection (suites:en) or suite; repeatable.",
    )
    name: str | None = option(help="What it is called.  [default: the folder's name]")
    description: str = option(default="", help="What it is about.")
    circuit_weights: tuple[str, ...] = option(
        "--circuit-weight",
        metavar="NAME=X",
        help="What a circuit weighs in the score; repeatable.  [default: 1]",
    )
    suite_weights: tuple[str, ...] = option(
        "--suite-weight",
        metavar="NAME=X",
        help="What a suite weighs in its circuit; repeatable.  [default: 1]",
    )
    by: str = field_of(_keeper_option)


@click.command("init", cls=Command, no_args_is_help=True)
@click.argument("folder", metavar="BOARD", type=click.Path(path_type=Path))
@takes_options
def init(folder: Path, chosen: _InitOptions) -> None:
    """Make a leaderboard in the folder BOARD, which has to be empty or new.

    The suites are copied to it, and stay what they are: a score is always one on these. It is the
    weighted mean over circuits of the weighted means over their suites.

    \b
      pommel leaderboard init board --suites suites:en --name 'English syntax'
      pommel leaderboard init board --suites my_suites --circuit-weight Agreement=2
    """
    loaded = load_suites(chosen.sources)
    loaded.check()
    show_warnings(loaded.warnings)
    plan = BoardPlan(
        name=folder.resolve().name if chosen.name is None else chosen.name,
        description=chosen.description,
        score_rule=chosen.score_rule,
        circuit_weights=_weights("--circuit-weight", chosen.circuit_weights),
        suite_weights=_weights("--suite-weight", chosen.suite_weights),
    )
    board = BoardFolder(folder).make(loaded.suites, plan, when=now(), by=chosen.by)
    n_items = sum(each.n_items for each in board.suites)
    note(
        f"{folder}: {counted(len(board.suites), 'suite')}, "
        f"{counted(len(board.circuits), 'circuit')}, {n_items:,} items"
    )


def _weights(option: str, values: Sequence[str]) -> dict[str, float]:
    found = {}
    for value in values:
        name, _, number = value.rpartition("=")
        try:
            weight = float(number)
        except ValueError:
            weight = math.nan
        if not name or math.isnan(weight):
            raise UsageError(f"{option} cannot be {value!r}; write NAME=X with a number for X")
        found[name] = weight
    return found


_supersede_option = click.option(
    "--supersede",
    is_flag=True,
    help="Put it in the place of all that the board has of this model under this policy, and of "
    "all that has the same surprisals, whatever its model is called and whoever submitted it.",
)


@click.command("add", cls=Command, no_args_is_help=True)
@board_argument
@click.argument("submission", type=click.Path(path_type=Path))
@_supersede_option
@_keeper_option
def add(board: BoardFolder, submission: Path, *, supersede: bool, by: str) -> None:
    """Check SUBMISSION, compute it on the suites of BOARD from its tokens, and rank it.

    What it says of its scores is compared and not believed. It is added wholly or not at all.

    \b
      pommel leaderboard add board en-gpt2.pommel.zip
    """
    added = board.add(submission, when=now(), by=by, supersede=supersede)
    ranking = Ranking.of(board)
    (row,) = (each for each in ranking.rows if each.id == added.standing.id)
    n_ranked = len(ranking.standings.rows)
    place = f", rank {row.rank} of {n_ranked}"
    if row.rank_low < row.rank_high:
        place += f" (may truly be {row.rank_range})"
    if not row.rank:
        place = ", listed apart: nobody else can have the model's weights, and so verify it"
    swallowed = row.total.n_swallowed
    in_items = f"; {counted(swallowed, 'item')} with a region in which no token begins"
    instead = f", in the place of {listed(added.superseded)}" if added.superseded else ""
    note(
        f"{row.id} ({printable(row.name)}): {row.total.words}{place}{instead}"
        f"{in_items if swallowed else ''}; claimed, not scored again"
    )
    if named_like := ranking.confused[row.id]:
        note(f"note: its name can be taken for that of {listed(named_like)}")


@click.command("check", cls=Command, no_args_is_help=True)
@board_argument
@click.argument("submission", type=click.Path(path_type=Path))
@_supersede_option
@form_option(["text", "json"], default="text")
def check(board: BoardFolder, submission: Path, *, supersede: bool, form: str) -> None:
    """Check SUBMISSION as `add` does, compute it, and leave BOARD as it is.

    What is wrong is said with every reason, and the exit status is that of `add`. Submitters can
    check a file so before they send it.

    \b
      pommel leaderboard check board en-gpt2.pommel.zip
    """
    try:
        checked = board.check(submission, supersede=supersede)
    except SubmissionError as error:
        if form == "json":
            show_json({"faults": str(error).splitlines()})
        raise
    row, others = checked.standing, checked.superseded
    if form == "json":
        show_json(
            {
                "faults": [],
                "id": row.id,
                "model": row.name,
                "by": row.by,
                "weights_available": row.is_available,
                **asdict(row.total),
                "supersedes": [
                    {"id": each.id, "model": each.name, "by": each.by} for each in others
                ],
                "why": checked.why,
            }
        )
        return
    instead = f", in the place of {listed([each.id for each in others])}" if others else ""
    note(f"{row.id} ({printable(row.name)}): {row.total.words}{instead}; it can be added")


together_option = click.option(
    "--together",
    is_flag=True,
    help="Rank models whose weights nobody else can have with the others, and not apart.",
)

# A table of hundreds of rows is read by nobody.
_SHOWN = 50


@click.command("show", cls=Command, no_args_is_help=True)
@board_argument
@form_option(["table", "csv", "json", "json-full"], has_tables=False)
@click.option(
    "--all", "is_whole", is_flag=True, help=f"All rows of the table, not only the first {_SHOWN}."
)
@together_option
def show(board: BoardFolder, *, form: str, is_whole: bool, together: bool) -> None:
    """Show the ranking of BOARD: scores with 95% intervals, and which ranks are possible.

    "ranks" are those that a submission may truly have: the ranks of all that are not significantly
    better or worse (paired by item, 5% after Holm's correction). "status" says whether the numbers
    are claimed, when the model scored which part of the items again, and whether that differed.
    "swallowed", where there are such, are items with a region in which no token begins.
    """
    ranking = Ranking.of(board, together=together)
    rows = ranking.rows
    if form == "csv":
        show_text(ranking.to_csv())
    elif form == "json":
        show_json(ranking.to_rows())
    elif form == "json-full":
        show_text(ranking.to_json(board.entries(ranking.board, ranking.ledger)))
    elif rows:
        shown = rows if is_whole else rows[:_SHOWN]
        ranked = [row for row in shown if row.rank]
        apart = [row for row in shown if not row.rank]
        for some in filter(None, (ranked, apart)):
            show_table(ranking.table(some))
        if n_more := len(rows) - len(shown):
            note(f"{counted(n_more, 'more submission')}; --all shows them")
    else:
        note(f"{printable(ranking.board.name)}: nothing has been submitted")


@click.command("withdraw", cls=Command, no_args_is_help=True)
@board_argument
@click.argument("submission_id", metavar="ID")
@click.option("--reason", required=True, help="Why; everyone can read it.")
@_keeper_option
def withdraw(board: BoardFolder, submission_id: str, *, reason: str, by: str) -> None:
    """Take the submission ID off the ranking of BOARD, for good.

    The ledger keeps what it was, and the reason. Its file stays in the folder and may be deleted.
    """
    found = board.withdraw(submission_id, reason=reason, when=now(), by=by)
    note(f"{found} is withdrawn")


# So many seeds there are where none is named.
_N_SEEDS = 2**32


class _SampleOptions(ModelOptions):
    """Which sentences models score again, and how they are loaded."""

    sample: Count = option(
        default=50,
        help="How many sentences of a submission are scored again: all of items that are "
        "drawn, until there are so many.",
    )
    seed: int = option(
        default=lambda: secrets.randbelow(_N_SEEDS),
        type=click.IntRange(min=0),
        metavar="S",
        help="Which sentences.  [default: others each time, which nobody can know beforehand]",
    )


class _VerifyOptions(_SampleOptions):
    """What is checked, and how models score a sample again."""

    rerun: bool = option(help="Have models score a sample of sentences again.")
    model: str | None = option(
        metavar="MODEL", help="Where the model of one ID is.  [default: as was submitted]"
    )
    results: tuple[Folder, ...] = option(
        metavar="DIR",
        help="Take what models have scored from the shards of a plan that `pommel leaderboard "
        "plan` has made, and ask none; repeatable.",
    )
    tolerance: float = option(
        type=click.FloatRange(min=0),
        default=0.01,
        metavar="BITS",
        help="How far apart two surprisals of a token may be.",
    )
    by: str = field_of(_keeper_option)


@click.command("verify", cls=Command, no_args_is_help=True)
@board_argument
@click.argument("ids", nargs=-1, metavar="[ID...]")
@takes_options
def verify(board: BoardFolder, ids: tuple[str, ...], chosen: _VerifyOptions) -> None:
    """Check all hashes of BOARD and its ledger, and compute submissions again from their tokens.

    All ranked ones are computed again, or those with these IDs. With --rerun, their models score a
    sample of sentences, which are compared token by token; the ledger and the ranking say whether
    they were the same. Exit status 1 if anything differs or cannot be scored again, 4 if a model is
    not available: the others are asked all the same.

    A reference that was submitted is a stranger's. It is opened if it is a built-in model, a name
    on the Hugging Face hub or an image in a public registry (`show --format json-full` has it); say
    with --model where any other is: a server, a file, a folder. A server may replay what was
    claimed.
    """
    if chosen.model and not (chosen.rerun and len(ids) == 1):
        raise UsageError("--model says where the model of one ID is, with --rerun")
    if chosen.results and (chosen.model or not chosen.rerun):
        raise UsageError("--results says what models have scored for --rerun, without --model")
    ledger = board.ledger(board.board())
    known = [ledger.found_id(each) for each in ids]
    n_deleted, n_left = board.undo_interrupted()
    if n_deleted:
        left = f"what it left is deleted ({counted(n_deleted, 'file')})"
        note(f"{board.folder}: a change of this board was killed and never took place; {left}")
    if n_left:
        left = f"what it has begun stays ({counted(n_left, 'file')}), and counts for nothing"
        note(f"{board.folder}: a change of this board goes on or was killed; {left}")
    n_wrong = _n_faults(board, known, len(ledger.submissions))
    left_out: list[str] = []
    if chosen.rerun and not n_wrong:
        n_wrong = rerun(board, known, chosen, left_out)
    if n_wrong:
        raise PommelError(f"{board.folder}: {counted(n_wrong, 'thing')} wrong")
    if left_out:
        what = counted(len(left_out), "submission")
        raise ModelNotAvailableError(f"{board.folder}: {what} not scored again (see above)")
    n_checked = len(known or ledger.ranked)
    note(f"{board.folder}: all is well; {counted(n_checked, 'submission')} computed again")


def _n_faults(board: BoardFolder, ids: Sequence[str], n_submissions: int) -> int:
    """Print what is wrong with a board, and return how much that is."""
    wrong: list[str] = []
    try:
        # A line on stdout would go through the bar on stderr.
        with progress_bar("submissions", n_submissions) as progress:
            for line in board.verified(ids, progress=progress):
                wrong.append(line)  # noqa: PERF402 - those before an error are printed, too
    finally:
        _print_lines(wrong)
    return len(wrong)


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


def _opened_references(
    board: BoardFolder, ids: Sequence[str], left_out: list[str]
) -> dict[str, str]:
    """Return the references of the ranked submissions, or of those with these ids.

    Those that are not opened are said and added to `left_out`. Raises `UsageError` if one of `ids`
    is such.
    """
    settings = board.board()
    references = {}
    for each in ids or board.ledger(settings).ranked:
        reference = board.submission(each, settings).reference
        try:
            BoardFolder.check_opened(each, reference)
            references[each] = reference
        except UsageError as error:
            if ids:
                raise
            say_wrong(str(error))
            left_out.append(each)
    return references


@positional
class _Planned:
    """What a plan has about a submission: its reference, its sample, how its model has failed."""

    reference: str
    suites: Sequence[Suite]
    failure: PommelError | None

    @classmethod
    def by_id(cls, folder: PlanFolder) -> "dict[str, _Planned]":
        """Return what a folder's plan has, by the ids of the submissions."""
        failures: dict[str, PommelError] = {}
        for shard in folder.status().shards:
            for each in shard.manifest.get("failures", ()):
                is_absent = each["status"] == ModelNotAvailableError.exit_status
                error = (ModelNotAvailableError if is_absent else ModelError)(each["reason"])
                failures.setdefault(each["model"], error)
        suites = [each.load() for each in folder.plan.suites]
        return {
            each.name: cls(each.reference, suites, failures.get(each.reference))
            for each in folder.plan.models
            if each.name
        }


@frozen
class _Results:
    """What workers have scored of plans that `pommel leaderboard plan` has made, in one store.

    `planned` goes by the ids of submissions, `runs` by these and the names of suites.
    """

    store: Store
    planned: Mapping[str, _Planned]
    runs: Mapping[tuple[str, str], RunRecord]

    @classmethod
    @contextlib.contextmanager
    def opened(cls, paths: Iterable[Path]) -> "Iterator[_Results]":
        """Give what lies in folders of results."""
        folders = [PlanFolder.read(each) for each in paths]
        planned: dict[str, _Planned] = {}
        for folder in folders:
            planned |= _Planned.by_id(folder)
        with (
            tempfile.TemporaryDirectory(prefix="pommel-rerun-") as scratch,
            Store.open(Path(scratch) / "store.sqlite") as store,
        ):
            for folder in folders:
                for path in folder.stores(note):
                    store.take_in(path, unchanged=True)
            runs = {
                (each.result.model_name, each.result.suite_name): each
                for each in store.runs.records()
                if each.status == "complete"
            }
            yield cls(store=store, planned=planned, runs=runs)

    def answers(
        self, submission_id: str, policy: Policy
    ) -> tuple[str, Mapping[str, ScoredSentence]]:
        """Return the fingerprint of a submission's model, and what it has answered, by text.

        Raises `ModelNotAvailableError` where it has not answered, and `ModelError` where it failed.
        """
        own = self.planned[submission_id]
        if own.failure:
            raise own.failure
        said: dict[str, ScoredSentence] = {}
        fingerprint = ""
        for suite in own.suites:
            if not (record := self.runs.get((submission_id, suite.name))):
                raise ModelNotAvailableError("no worker has scored all of it yet")
            if policy.method not in {"auto", record.policy["method"]}:
                raise ModelNotAvailableError(
                    "its method is not the model's own; `pommel leaderboard verify BOARD ID "
                    "--rerun` asks for it"
                )
            found = self.store.runs.surprisals(record, suite)
            fingerprint = found.model.fingerprint
            said |= {each.text: each for row in found.sentences for each in row}
        return fingerprint, said

    def references(self, ids: Iterable[str], left_out: list[str]) -> dict[str, str]:
        """Return the references of submissions; say and add to `left_out` what no plan is about."""
        known, unknown = (
            [each for each in ids if (each in self.planned) is wanted] for wanted in (True, False)
        )
        for each in unknown:
            say_wrong(f"{each}: it is in no plan of these results")
        left_out += unknown
        return {each: self.planned[each].reference for each in known}


def rerun(
    board: BoardFolder, ids: Sequence[str], chosen: _VerifyOptions, left_out: list[str]
) -> int:
    """Compare samples of all ranked submissions, or of those with these ids, with their models.

    These score them again, or have done so for workers. What differs is printed as it is found and
    counted, and the ledger says of each whether it did. A submission that makes its model fail ends
    nothing but itself; to `left_out` those are added that no model has scored. Raises `UsageError`
    if one of `ids` has a reference that is not opened, before the first is.
    """
    with contextlib.ExitStack() as stack:
        results = None
        if chosen.results:
            results = stack.enter_context(_Results.opened(chosen.results))
            references = results.references(ids or board.ledger(board.board()).ranked, left_out)
        else:
            asked = dict.fromkeys(ids, chosen.model) if chosen.model else None
            references = asked or _opened_references(board, ids, left_out)
            note(f"seed {chosen.seed}")
        n_wrong = 0
        for each, reference in references.items():
            note(printable(f"{each}: {reference}"))
            try:
                if results:
                    sample = board.planned_sample(each, results.planned[each].suites)
                    said = results.answers(each, sample.submission.policy)
                    found = sample.compared(*said, tolerance_bits=chosen.tolerance)
                else:
                    sample = board.sample(each, chosen.sample, seed=chosen.seed)
                    with chosen.opened_model(reference) as model:
                        found = sample.rescored(model, tolerance_bits=chosen.tolerance)
            except ModelNotAvailableError as error:
                say_wrong(printable(f"{each}: {error}"))
                left_out.append(each)
                continue
            except PommelError as error:
                # What a submission asks of its model is a stranger's choice, too.
                why = " ".join(str(error).splitlines())
                _print_lines([f"{each}: cannot be scored again: {why}"])
                n_wrong += 1
                continue
            _print_lines(f"{each}: {' '.join(fault.splitlines())}" for fault in found.differences)
            n_wrong += len(found.differences)
            note(
                f"{each}: {counted(found.n_items, 'item')}, "
                f"{counted(found.n_sentences, 'sentence')}, {counted(found.n_tokens, 'token')}, "
                f"at most {found.largest_bits:.2g} bits apart"
            )
            board.record_rerun(each, found, model=reference, when=now(), by=chosen.by)
    return n_wrong


# What a model is asked with that is asked with its own method.
_OWN_METHODS = ("causal", "ngram", "pll")


class _RerunPlanOptions(_SampleOptions):
    """Which sentences models score again, in how many shards, and where that is written."""

    output: Folder = option("-o", required=True, help="Folder for plan and suites: new or empty.")
    shards: Count | None = option(
        help="How many shards there are to be.  [default: as many as models]"
    )


@click.command("plan", cls=Command, no_args_is_help=True)
@board_argument
@click.argument("ids", nargs=-1, metavar="[ID...]")
@takes_options
def plan(board: BoardFolder, ids: tuple[str, ...], chosen: _RerunPlanOptions) -> None:
    """Plan to have the submissions of BOARD scored again by many workers, or those with these IDs.

    Models and sample are those of `verify --rerun`, each with the limits that are said here
    (--sandbox). Submissions under different policies need a plan each: plan.json, plan-2.json. A
    submission under its model's own method goes with the others that are.

    \b
      pommel leaderboard plan board -o overnight
      pommel launch slurm overnight/plan.json -o overnight/shards
      pommel leaderboard verify board --rerun --results overnight/shards
    """
    settings = board.board()
    ledger = board.ledger(settings)
    left_out: list[str] = []
    references = _opened_references(board, [ledger.found_id(each) for each in ids], left_out)
    if not references:
        raise UsageError(f"{board.folder}: there is no submission whose model can be asked")
    by_policy: dict[Policy, list[NamedModel]] = defaultdict(list)
    for name, reference in references.items():
        policy = board.submission(name, settings).policy
        if policy.method in _OWN_METHODS:
            policy = replace(policy, method="auto")
        by_policy[policy].append(NamedModel(reference=reference, name=name))
    suites = board.plan_sample(chosen.output, chosen.sample, seed=chosen.seed)
    files, said = {path: suite.to_text() for path, suite in suites.items()}, []
    for number, (policy, models) in enumerate(by_policy.items(), start=1):
        costs = Plan.costs(models, suites, chosen.load_options)
        choices = Choices(policy=policy, regions="all")
        made = Plan.of(costs, choices, n_shards=chosen.shards or len(models))
        path = chosen.output / ("plan.json" if number == 1 else f"plan-{number}.json")
        files[path] = made.text
        many = counted(len(models), "submission"), counted(len(made.shards), "shard")
        said.append(f"Plan: {path}: {', '.join(many)}, seed {chosen.seed}")
    _write_beside_nothing(chosen.output, files)
    for each in said:
        note(each)
    if left_out:
        what = counted(len(left_out), "submission")
        raise ModelNotAvailableError(f"{board.folder}: {what} not planned (see above)")


def _write_beside_nothing(folder: Path, files: Mapping[Path, str]) -> None:
    """Write files into a folder that has nothing, or what the same command wrote until cut off."""
    for held in sorted(folder.rglob("*")):
        if not held.is_file() or held.suffix == ".part":
            continue
        if held not in files or held.read_bytes() != files[held].encode():
            raise UsageError(f"{held}: is there already; give a new folder with -o")
    for path, text in files.items():
        write_text(path, text)


@click.command("export", cls=Command, no_args_is_help=True)
@board_argument
@click.option(
    "-o",
    "--output",
    "folder",
    required=True,
    type=FOLDER,
    help="Folder for the site: new, empty, or with a site that was written before.",
)
@together_option
def export(board: BoardFolder, folder: Path, *, together: bool) -> None:
    """Write BOARD as a site: a ranking, a page a submission and a suite, CSV and JSON files.

    The pages can be read without JavaScript and fetch nothing; any server of files can serve them.

    \b
      pommel leaderboard export board -o site
    """
    n_pages = Ranking.write_site(board, folder, together=together)
    note(f"{folder / 'index.html'}: {counted(n_pages, 'submission')}")
