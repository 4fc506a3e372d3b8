"""Options that several commands share, what they mean, and opening the model and the store."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from pommel.cli.output import download_bar, note
from pommel.errors import StoreAccessError, StoreError, UsageError
from pommel.models import LoadOptions, Model, Policy, load_model
from pommel.scoring import Choices, Oov, Regions, ScoreRule, Swallowed
from pommel.store import Store, default_store_path

_F = TypeVar("_F", bound=Callable[..., Any])


def _memory(_context: click.Context, _parameter: click.Parameter, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return LoadOptions.read_memory(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r}: {error}") from None


class _FilePath(click.Path):
    """A file's path, which cannot be empty: that would be the folder one is in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("it is empty; name a file", param, ctx)
        return super().convert(value, param, ctx)


def model_options(function: _F) -> _F:
    """Add what may be said when a model is loaded."""
    return _with_options(
        container_options(server_options(function)),
        click.option(
            "--device", default="cpu", show_default=True, help="cpu, cuda, cuda:N, mps, auto"
        ),
        click.option(
            "--dtype",
            type=click.Choice(["float32", "bfloat16", "float16"]),
            default="float32",
            show_default=True,
            help="Number format of the weights.",
        ),
        click.option(
            "--max-memory",
            callback=_memory,
            metavar="SIZE",
            help="What scoring may use beside the weights (512M, 4G).  [default: what suits the "
            "device]",
        ),
        click.option(
            "--batch-tokens",
            type=click.IntRange(min=1),
            metavar="N",
            help="Tokens that go through the model at once.  [default: what suits the device]",
        ),
        click.option("--offline", is_flag=True, help="Download nothing."),
        click.option(
            "--trust-remote-code",
            is_flag=True,
            help="Run Python code that comes with a model. Unsafe.",
        ),
        click.option(
            "--allow-pickle",
            is_flag=True,
            help="Read weights that are not safetensors. Unsafe.",
        ),
    )


def container_options(function: _F) -> _F:
    """Add what may be said about a model in a container."""
    return _with_options(
        function,
        click.option(
            "--checkpoint",
            type=click.Path(path_type=Path),
            help="File or folder with weights to use instead of those in a model's image.",
        ),
        click.option(
            "--pull",
            type=click.Choice(["missing", "always", "never"]),
            default="missing",
            show_default=True,
            help="When a model's image is fetched.",
        ),
        click.option(
            "--sandbox",
            multiple=True,
            metavar="KEY=VALUE",
            help="What a container may do and use; repeatable. "
            f"KEY is {', '.join(LoadOptions().sandbox.setting_keys())}.",
        ),
    )


def server_options(function: _F) -> _F:
    """Add what may be said about a model behind a server."""
    defaults = LoadOptions()
    return _with_options(
        function,
        click.option(
            "--timeout",
            type=click.FloatRange(min=0, min_open=True),
            default=defaults.timeout_seconds,
            show_default=True,
            metavar="SECONDS",
            help="How long a server may take for an answer.",
        ),
        click.option(
            "--parallel",
            type=click.IntRange(min=1),
            default=defaults.n_parallel,
            show_default=True,
            metavar="N",
            help="Requests that are under way at a server at once.",
        ),
        click.option(
            "--retries",
            type=click.IntRange(min=0),
            default=defaults.n_retries,
            show_default=True,
            metavar="N",
            help="How often a request to a server is repeated that failed for a passing reason.",
        ),
    )


def policy_options(function: _F) -> _F:
    """Add the scoring policy: what changes a number."""
    return _with_options(
        function,
        click.option(
            "--bos",
            type=click.Choice(["auto", "always", "never", "tokenizer"]),
            help="Beginning-of-sentence mark before each sentence.  [default: auto]",
        ),
        click.option(
            "--eos",
            type=click.Choice(["auto", "always", "never"]),
            help="Surprisal of the end of the sentence.  [default: auto]",
        ),
        click.option(
            "--method",
            type=click.Choice(Policy.METHODS),
            help="How a token is scored; `pommel models show` says which ones a model takes.  "
            "[default: auto, the model's own]",
        ),
        click.option(
            "--boundary",
            type=click.Choice(Policy.BOUNDARIES),
            help="Probability of a token, or corrected to that of whole words.  [default: raw]",
        ),
        click.option(
            "--compat",
            type=click.Choice(["syntaxgym"]),
            help="Do as the retired syntaxgym package did, in everything that differs.",
        ),
    )


def _with_options(function: _F, *options: Callable[[_F], _F]) -> _F:
    # Help lists options in the order in which decorators would stand above the function.
    for option in reversed(options):
        function = option(function)
    return function


def store_option(function: _F) -> _F:
    """Add where surprisals and runs are kept."""
    return click.option(
        "--store",
        type=_FilePath(path_type=Path, dir_okay=False),
        metavar="PATH",
        help="File that keeps surprisals and runs.  [default: POMMEL_STORE, or one of your own]",
    )(function)


def keeping_options(function: _F) -> _F:
    """Add where surprisals and runs are kept, or that they are not."""
    return store_option(
        click.option(
            "--no-store", is_flag=True, help="Keep nothing, and score all sentences again."
        )(
            click.option(
                "--rescore",
                is_flag=True,
                help="Score again what the store has, and keep that instead: for a server whose "
                "model has changed.",
            )(function)
        )
    )


def store_path(chosen: dict[str, Any]) -> Path:
    """Return the file that keeps surprisals and runs: the one that was named, or the user's own."""
    return chosen["store"] or default_store_path()


rule_option = click.option(
    "--score",
    "score_rule",
    type=click.Choice(get_args(ScoreRule)),
    default="all",
    show_default=True,
    help="An item counts if all predictions hold, or the first; or each prediction on its own.",
)


swallowed_option = click.option(
    "--swallowed",
    type=click.Choice(get_args(Swallowed)),
    help="A region with content, but without a token of its own: it has no value and fails; its "
    "item is skipped; or it has 0 bits.  [default: undefined; begin with --compat]",
)


def score_options(function: _F) -> _F:
    """Add the score rule, and what becomes of unknown words and of swallowed regions."""
    unknown = click.option(
        "--oov",
        type=click.Choice(get_args(Oov)),
        default="keep",
        show_default=True,
        help="Items whose comparison rests on a word that the model does not know: they count, or "
        "are skipped.",
    )
    return rule_option(unknown(swallowed_option(function)))


def threshold_option(function: _F) -> _F:
    """Add the score below which a command fails."""
    return click.option(
        "--fail-under",
        type=click.FloatRange(0, 1),
        metavar="X",
        help="Exit with status 1 if a suite's score is below X.",
    )(function)


def load_options(chosen: dict[str, Any]) -> LoadOptions:
    """Return the load options among a command's parameters."""
    sandbox = LoadOptions().sandbox
    return LoadOptions(
        device=chosen["device"],
        dtype=chosen["dtype"],
        max_memory_bytes=chosen["max_memory"],
        batch_tokens=chosen["batch_tokens"],
        trust_remote_code=chosen["trust_remote_code"],
        allow_pickle=chosen["allow_pickle"],
        offline=chosen["offline"],
        checkpoint=chosen["checkpoint"],
        sandbox=sandbox.with_settings(chosen["sandbox"]) if chosen["sandbox"] else sandbox,
        pull=chosen["pull"],
        timeout_seconds=chosen["timeout"],
        n_parallel=chosen["parallel"],
        n_retries=chosen["retries"],
    )


def policy(chosen: dict[str, Any]) -> Policy:
    """Return the policy: what was asked for, and otherwise what `--compat` or the default says."""
    base = Policy.default(chosen["compat"])
    return Policy(
        bos=chosen["bos"] or base.bos,
        eos=chosen["eos"] or base.eos,
        first_token=base.first_token,
        method=chosen["method"] or base.method,
        boundary=chosen["boundary"] or base.boundary,
    )


def choices(chosen: dict[str, Any]) -> Choices:
    """Return what a run is asked for; tables of regions and tokens ask for all regions."""
    regions: Regions = "all" if chosen.get("regions", "all") == "all" else "needed"
    if chosen.get("regions") == "auto" and (
        chosen["output"] or chosen["table"] in {"regions", "tokens"}
    ):
        regions = "all"
    return Choices(
        policy=policy(chosen),
        compat=chosen["compat"],
        regions=regions,
        score_rule=chosen["score_rule"],
        oov=chosen["oov"],
        swallowed=chosen["swallowed"],
    )


def open_model(reference: str, chosen: dict[str, Any]) -> Model:
    """Return the model that a command's parameters describe. Raises as `load_model` does."""
    options = load_options(chosen)
    with download_bar(reference) as progress:
        return load_model(reference, replace(options, pull_progress=progress))


def open_cached(reference: str, chosen: dict[str, Any], store: Store | None) -> Model:
    """Return a model that answers from the store what the store has."""
    model = open_model(reference, chosen)
    return model if store is None else store.cached(model, rescore=chosen["rescore"])


@contextlib.contextmanager
def opened_store(chosen: dict[str, Any]) -> Iterator[Store | None]:
    """Give the store that keeps what a command scores; None if nothing is to be kept.

    A store of the user's own that cannot be opened or written is no reason not to score; one that
    was asked for is. Raises `StoreError`.
    """
    if chosen["no_store"]:
        if chosen["store"]:
            raise UsageError("--store and --no-store: say one of them")
        if chosen["rescore"]:
            raise UsageError("--no-store scores everything again anyway; leave --rescore out")
        yield None
        return
    try:
        store = Store.open(store_path(chosen))
    except StoreError as error:
        if chosen["store"] or not isinstance(error, StoreAccessError):
            raise
        note(f"note: nothing is kept: {error}")
        yield None
        return
    with store:
        if store.database.read_only and not chosen["store"]:
            note(f"note: nothing is kept: {store.path} may not be written")
            yield None
        else:
            yield store
