"""Groups of options that several commands share, and what commands do with what they are told."""

import contextlib
import getpass
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import click

from pommel.cli.option_groups import AboveZero, Count, Options, option
from pommel.cli.output import download_bar, note
from pommel.errors import StoreAccessError, StoreError, UsageError
from pommel.files import own_path
from pommel.models import LoadOptions, Policy
from pommel.scoring import Oov, ResultsTable, ScoreRule, Swallowed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pommel.models import Model
    from pommel.store import Store


class _Memory(click.types.StringParamType):
    """An amount of memory: 512M, 4G."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        try:
            return LoadOptions.read_memory(str(value))
        except ValueError as error:
            self.fail(f"{value!r}: {error}", param, ctx)


MEMORY_SIZE = _Memory()
MemorySize = Annotated[int, MEMORY_SIZE]


class _FilePath(click.Path):
    """A file's path, which cannot be empty: that would be the folder one is in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("it is empty; name a file", param, ctx)
        return super().convert(value, param, ctx)


HOW_TO_FILL = "`pommel run MODEL SUITE...` keeps its runs, `pommel import-results` those of others"

tidy_table_option = click.option(
    "--table",
    type=click.Choice(get_args(ResultsTable)),
    help="Which tidy table --format csv, tsv or json prints.  [default: suites]",
)

# What stands above options that change scores.
SCORING = "How it is scored"
_USUAL = LoadOptions()


class ContainerOptions(Options, title="Model in a container"):
    """What may be said about a model in a container."""

    checkpoint: Path | None = option(
        help="File or folder with weights to use instead of those in a model's image."
    )
    pull: Literal["missing", "always", "never"] = option(
        default=_USUAL.pull, help="When a model's image is fetched."
    )
    remove_image: bool = option(
        help="Remove a model's image when it has answered, if it was not here before.",
    )
    sandbox: tuple[str, ...] = option(
        metavar="KEY=VALUE",
        help="What a container may do and use; repeatable. "
        f"KEY is {', '.join(_USUAL.sandbox.setting_keys())}.",
    )

    def container_options(self, usual: LoadOptions) -> LoadOptions:
        """Return `usual` with what is said here."""
        sandbox = usual.sandbox.with_settings(self.sandbox) if self.sandbox else usual.sandbox
        told = {name: getattr(self, name) for name in ("checkpoint", "pull", "remove_image")}
        return replace(usual, sandbox=sandbox, **told)


class ServerOptions(Options, title="Model behind a server"):
    """What may be said about a model behind a server."""

    timeout_seconds: AboveZero = option(
        "--timeout",
        default=_USUAL.timeout_seconds,
        metavar="SECONDS",
        help="How long a server may take for an answer.",
    )
    n_parallel: Count = option(
        "--parallel",
        default=_USUAL.n_parallel,
        help="Requests that are under way at a server at once.",
    )
    n_retries: int = option(
        "--retries",
        type=click.IntRange(min=0),
        default=_USUAL.n_retries,
        metavar="N",
        help="How often a request to a server is repeated that failed for a passing reason.",
    )


class ModelOptions(ContainerOptions, ServerOptions, title="Model"):
    """What may be said when a model is loaded; the fields are those of `LoadOptions`."""

    device: str = option(default=_USUAL.device, help="cpu, cuda, cuda:N, mps, auto")
    dtype: Literal["float32", "bfloat16", "float16"] = option(
        default=_USUAL.dtype, help="Number format of the weights."
    )
    max_memory_bytes: MemorySize | None = option(
        "--max-memory",
        metavar="SIZE",
        help="What scoring may use beside the weights (512M, 4G).  [default: what suits the "
        "device]",
    )
    batch_tokens: Count | None = option(
        help="Tokens that go through the model at once.  [default: what suits the device]",
    )
    offline: bool = option(help="Download nothing.")
    trust_remote_code: bool = option(help="Run Python code that comes with a model. Unsafe.")
    allow_pickle: bool = option(help="Read weights that are not safetensors. Unsafe.")

    @property
    def load_options(self) -> LoadOptions:
        """The same as a model is told it."""
        in_container = {each.name for each in fields(ContainerOptions)}
        names = {each.name for each in fields(ModelOptions)} - in_container
        told = {name: getattr(self, name) for name in names}
        return replace(self.container_options(_USUAL), **told)

    @contextlib.contextmanager
    def opened_model(self, reference: str, store: "Store | None" = None) -> "Iterator[Model]":
        """Give the model that is described and close it; then say how it has answered.

        For a store, which may have all answers, it is opened when one is missing. Raises as
        `load_model` does.
        """
        from pommel.models import closing, load_model

        with download_bar(reference) as progress:
            options = replace(self.load_options, pull_progress=progress)
            model = load_model(reference, options, remembered=store is not None)
        with closing(model):
            yield model
        for remark in model.info.remarks:
            note(f"{model.info.name}: {remark}")


def model_first(model: str, other: str) -> tuple[str, str]:
    """Return a model and what it is to score; of two arguments in the other order, too."""
    from pommel.models import NamedModel

    is_swapped = NamedModel.certain(other) and not NamedModel.certain(model)
    return (other, model) if is_swapped else (model, other)


class PolicyOptions(Options, title=SCORING):
    """The scoring policy: what changes a number."""

    bos: Literal["auto", "always", "never", "tokenizer"] | None = option(
        help="Beginning-of-sentence mark before each sentence.  [default: auto]"
    )
    eos: Literal["auto", "always", "never"] | None = option(
        help="Surprisal of the end of the sentence.  [default: auto]"
    )
    method: str | None = option(
        type=click.Choice(Policy.METHODS),
        help="How a token is scored; `pommel models show` says which ones a model takes.  "
        "[default: auto, the model's own]",
    )
    boundary: str | None = option(
        type=click.Choice(Policy.BOUNDARIES),
        help="Probability of a token, or corrected to that of whole words.  [default: raw]",
    )
    compat: Literal["syntaxgym"] | None = option(
        help="Do as the retired syntaxgym package did, in everything that differs."
    )

    @property
    def policy(self) -> Policy:
        """What was asked for, and otherwise what `--compat` or the default says."""
        names = ("bos", "eos", "method", "boundary")
        told = {name: value for name in names if (value := getattr(self, name))}
        return replace(Policy.default(self.compat), **told)


class PunctuationOptions(Options, title=SCORING):
    """How the marks of sentences stand."""

    punctuation: Literal["apart", "natural"] = option(
        default="apart",
        help="Marks as the suites have them, or at the words that their language writes them to: "
        "'The dog barks.' for 'The dog barks .'",
    )


class FailureOptions(Options, title=SCORING):
    """What becomes of a sentence at which the model fails."""

    strict_model: bool = option(
        help="A sentence at which a model fails ends the model's run, instead of costing the items "
        "that need it."
    )


def user_name() -> str:
    """Return what the user of this machine is called."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


class StoreOptions(Options, title="Store"):
    """Where surprisals and runs are kept."""

    store: Path | None = option(
        type=_FilePath(path_type=Path, dir_okay=False),
        metavar="PATH",
        help="File that keeps surprisals and runs.  [default: POMMEL_STORE, or one of your own]",
    )

    @property
    def store_path(self) -> Path:
        """The file that was named, or the user's own."""
        return self.store or own_path("store")

    def reading(self) -> "Store":
        """Open the store that a command reads; raises `UsageError` if there is none."""
        from pommel.store import Store

        return Store.open(self._existing(), read_only=True)

    def writing(self) -> "Store":
        """Open the store that a command changes; raises `UsageError` if there is none."""
        from pommel.store import Store

        return Store.open(self._existing())

    def _existing(self) -> Path:
        if not self.store_path.exists():
            raise UsageError(f"{self.store_path}: there is no store; {HOW_TO_FILL}")
        return self.store_path


class KeepingOptions(StoreOptions, title="Store"):
    """Where surprisals and runs are kept, or that they are not."""

    no_store: bool = option(help="Keep nothing, and score all sentences again.")
    rescore: bool = option(
        help="Score again what the store has, and keep that instead: for a server whose "
        "model has changed."
    )

    @contextlib.contextmanager
    def opened_store(self) -> "Iterator[Store | None]":
        """Give the store that keeps what a command scores; None if nothing is to be kept.

        A store of the user's own that cannot be opened or written is no reason not to score; one
        that was asked for is. Raises `StoreError`.
        """
        if self.no_store:
            if self.store:
                raise UsageError("--store and --no-store: say one of them")
            if self.rescore:
                raise UsageError("--no-store scores everything again anyway; leave --rescore out")
            yield None
            return
        from pommel.store import Store

        try:
            store = Store.open(self.store_path, rescore=self.rescore)
        except StoreError as error:
            if self.store or not isinstance(error, StoreAccessError):
                raise
            note(f"note: nothing is kept: {error}")
            yield None
            return
        with store:
            if store.database.read_only and not self.store:
                note(f"note: nothing is kept: {store.path} may not be written")
                yield None
            else:
                yield store

    def cached(self, model: "Model", store: "Store | None") -> "Model":
        """Return a model that answers from the store what the store has."""
        return model if store is None else store.cached(model)


class RuleOptions(Options, title=SCORING):
    """The score rule."""

    score_rule: ScoreRule = option(
        "--score",
        default="all",
        help="An item counts if all predictions hold, or the first; or each prediction on its own.",
    )


class ScoreOptions(Options, title=SCORING):
    """The score rule, and what becomes of unknown words and of swallowed regions."""

    score_rule: Literal[ScoreRule, "pairs"] = option(
        "--score",
        default="all",
        help="An item counts if all predictions hold, or the first; or each prediction on its own; "
        "or each of the comparisons, the pairs, that they join by &.",
    )
    oov: Oov = option(
        default="keep",
        help="Items whose comparison rests on a word that the model does not know: they count, "
        "or are skipped.",
    )
    swallowed: Swallowed | None = option(
        help="A region with content, but without a token of its own: it has no value and "
        "fails; its item is skipped; or it has 0 bits.  [default: undefined; begin with "
        "--compat]"
    )
