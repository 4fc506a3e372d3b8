"""From a `huggingface://` reference to the model's files, downloaded if need be.

Which files of a folder count, what is missing among them, and their hash.
"""

import contextlib
import hashlib
import json
import math
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pommel.errors import InputError, ModelNotAvailableError, first_line
from pommel.files import DecodedText, expanded, parse_json, sha256_of
from pommel.models.model import LoadOptions, naming
from pommel.models.outline import Outline
from pommel.values import frozen

CONFIG = "config.json"
SAFETENSORS = "model.safetensors"
PICKLE = "pytorch_model.bin"
# Every tokenizer names its files as it likes (source.spm, dict.txt, prophetnet.tokenizer), so that
# whatever lies there is one of them but these: what is written for people; what training leaves;
# what is for generating text; weights, of other programs as well; and code, which counts by itself.
_NO_TOKENIZER = (
    r"(?i)\..*|.*\.(md|rst|pdf|png|jpe?g|gif|svg|html|log|tmp|lock|incomplete)|(readme|license|notice|"
    r"copying|citation|changelog|use_policy)\b.*|.*\.py|"
    r"(optimizer|scheduler|scaler|rng_state|training_args|trainer_state|events\.out)\b.*|"
    r"rng_state_\d+\.pth|(all|eval|train|test|predict)_results\.(json|txt)|"
    r"training\.json|generation_config\.json|chat_template\..*|"
    r".*\.(safetensors|bin|pt|pth|ckpt|h5|msgpack|onnx|onnx_data|ot|gguf|ggml|tflite|npz|pkl|"
    r"mlmodel|data-\d.*)|.*\.(safetensors|bin|h5|msgpack)\.index\.json|config\.json"
)

_BIG_BYTES = 1 << 30
_SHA256 = re.compile(r"[0-9a-f]{64}")


@frozen
class ModelFiles:
    """The files that decide a model's numbers, each group sorted by name.

    `weights` are all of one kind: safetensors, or pickles where these were allowed and nothing
    safer is there. `code` is Python that comes with the model. `tokenizer` are all others that are
    not known to be of no account: better a fingerprint too many than one for two models.
    """

    config: Path
    weights: tuple[Path, ...]
    tokenizer: tuple[Path, ...]
    code: tuple[Path, ...]

    @property
    def safe(self) -> bool:
        """Whether reading the weights can run no code."""
        return all(path.suffix == ".safetensors" for path in self.weights)

    def tokenizer_hash(self) -> str:
        """Return the SHA-256 over the tokenizer's files."""
        return _hash_files(self.tokenizer)

    def fingerprint(self, dtype: str) -> str:
        """Return the SHA-256 over every file and the number format the weights are used in."""
        files = (self.config, *self.weights, *self.tokenizer, *self.code)
        return hashlib.sha256(f"{_hash_files(files)} {dtype}\n".encode()).hexdigest()


def find_files(folder: Path, *, allow_pickle: bool) -> ModelFiles:
    """Return what a model's folder holds.

    Raises `ModelNotAvailableError` for a folder without configuration, with no weights that may
    be read, or with only a part of them. Whether a tokenizer needs files depends on its class.
    """
    config = folder / CONFIG
    if not config.is_file():
        raise ModelNotAvailableError(
            f"{folder} has no {CONFIG}; a model's folder holds {CONFIG}, "
            f"{SAFETENSORS} and the tokenizer's files"
        )
    files = sorted(path for path in folder.iterdir() if path.is_file())
    return ModelFiles(
        config=config,
        weights=_weights(folder, allow_pickle=allow_pickle),
        tokenizer=tuple(path for path in files if not re.fullmatch(_NO_TOKENIZER, path.name)),
        code=tuple(path for path in files if path.suffix == ".py"),
    )


def read_json(path: Path) -> dict[str, object]:
    """Return the JSON object in `path`; raises `ModelNotAvailableError` if there is none."""
    try:
        content = parse_json(DecodedText.of_file(path).text, decoder=json.JSONDecoder())
    except (OSError, InputError) as error:
        raise ModelNotAvailableError(f"cannot read {path}: {error}") from None
    if not isinstance(content, dict):
        raise ModelNotAvailableError(f"{path} is not a JSON object")
    return content


def weight_names(folder: Path, name: str) -> tuple[str, ...]:
    """Return the names of the files that weights called `name` consist of.

    That is `name` itself, or the shards that its index lists; nothing says that they are there.
    """
    index = folder / f"{name}.index.json"
    if (folder / name).is_file() or not index.is_file():
        return (name,)
    shards = read_json(index).get("weight_map")
    if not isinstance(shards, dict) or not shards:
        raise ModelNotAvailableError(f"{index} lists no files (weight_map)")
    names = tuple(sorted({str(shard) for shard in shards.values()}))
    # An index must not smuggle a pickle in, nor a file from elsewhere.
    kind = Path(name).suffix
    strange = [part for part in names if Path(part).name != part or Path(part).suffix != kind]
    if strange:
        raise ModelNotAvailableError(f"{index} lists {strange[0]!r}")
    return names


def _weights(folder: Path, *, allow_pickle: bool) -> tuple[Path, ...]:
    for name in (SAFETENSORS, PICKLE) if allow_pickle else (SAFETENSORS,):
        paths = [folder / part for part in weight_names(folder, name)]
        missing = [path.name for path in paths if not path.is_file()]
        if not missing:
            return tuple(paths)
        if missing != [name]:
            raise ModelNotAvailableError(
                f"{folder} lacks {len(missing)} of {len(paths)} files of weights "
                f"({missing[0]}); get the model again"
            )
    if not allow_pickle and (pickles := sorted(path.name for path in folder.glob("*.bin"))):
        raise ModelNotAvailableError(
            f"its weights are pickles ({pickles[0]}), which can run any code; "
            f"only safetensors are read unless --allow-pickle is given"
        )
    raise ModelNotAvailableError(f"{folder} has no weights ({SAFETENSORS})")


def _hash_files(paths: Iterable[Path]) -> str:
    lines = [f"{path.name} {_hash_file(path)}\n" for path in paths]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _hash_file(path: Path) -> str:
    # The hub's cache names a big file's blob by its SHA-256: the same answer, minutes sooner.
    blob = path.resolve()
    known = blob.parent.name == "blobs" and _SHA256.fullmatch(blob.name)
    if known and blob.stat().st_size > _BIG_BYTES:
        return blob.name
    return sha256_of(path)


SCHEME = "huggingface://"

_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?")
_COMMIT = re.compile(r"[0-9a-f]{40}")
# What is small, beside the configuration and the index of the weights.
_TOKENIZERS = ("*.txt", "*.model", "*.tiktoken", "*.codes", "*.spm", "*.tokenizer", "*.bpe")


def revision_of(folder: Path) -> str | None:
    """Return the commit that a folder of the hub's cache holds, None for any other folder."""
    folder = folder.resolve()
    inside_cache = folder.parent.name == "snapshots" and _COMMIT.fullmatch(folder.name)
    return folder.name if inside_cache else None


def find_source(body: str, options: LoadOptions) -> tuple[Path, str]:
    """Return the folder and the name of the model that `body` names: NAME-or-folder[@revision].

    A folder that exists wins over a hub name, and a folder whose own name holds an `@` over a
    revision. Raises `ModelNotAvailableError` if neither the disk nor the hub has such a model.
    """
    path = expanded(body)
    if body and path.is_dir():
        return path, path.resolve().name
    if body and path.exists():
        raise ModelNotAvailableError(f"{path} is a file; a model is a folder")
    name, at, revision = body.partition("@")
    if at and expanded(name).is_dir():
        raise ModelNotAvailableError(
            f"{name} is a folder, and folders have no revisions; write {SCHEME}{name}"
        )
    if body.startswith(("/", ".", "~")) or name.count("/") > 1:
        raise ModelNotAvailableError(f"there is no folder {path}")
    if not _HUB_NAME.fullmatch(name) or (at and not revision):
        raise ModelNotAvailableError(
            f"{body!r} is neither a folder nor a name on the Hugging Face hub "
            f"(NAME, OWNER/NAME or OWNER/NAME@REVISION)"
        )
    return _download(name, revision or None, options), name.rpartition("/")[2]


def find_place(reference: str, options: LoadOptions) -> Path | None:
    """Return the folder that a model is read from, None where there seems to be none.

    One on the hub is downloaded, if it is not here or has another commit by now. Raises as
    `open_model` does.
    """
    # What is missing to load it is told first.
    if not all(map(find_spec, ("torch", "transformers"))):
        return None
    with naming(reference):
        return find_source(reference.removeprefix(SCHEME), options)[0]


def outline(reference: str, options: LoadOptions) -> Outline:
    """Return what can be told of a model without its weights (`NamedModel.outline`).

    The hub is asked which commit a branch is, unless downloads are off; otherwise it is the one in
    the cache. Raises `ModelNotAvailableError` where the hub says that there is no such model.
    """
    body = reference.removeprefix(SCHEME)
    if (folder := expanded(body)).is_dir():
        return _outline(folder, reference, options)
    name, _, revision = body.partition("@")
    n_parameters = None
    if not (options.offline or _COMMIT.fullmatch(revision)):
        with naming(reference):
            revision, n_parameters = _asked_of_hub(name, revision, options)
    # What is not in the cache, or without the hub's library, is a model that may be had elsewhere.
    with contextlib.suppress(Exception):
        folder = _snapshot(name, revision or None, (CONFIG,), replace(options, offline=True))
        revision = revision_of(folder) or revision
    reference = f"{SCHEME}{name}@{revision}" if revision else reference
    told = _outline(folder, reference, options)
    is_pinned = bool(_COMMIT.fullmatch(revision))
    known = n_parameters or told.n_parameters or _n_parameters_named(name)
    n_bytes = told.n_bytes or 4 * (known or 0)
    return replace(told, is_pinned=is_pinned, n_parameters=known, n_bytes=n_bytes)


# bloom-7b1, xglm-1.7B, pythia-70m
_SIZE_IN_NAME = re.compile(r"(?<![A-Za-z0-9.])(\d+(?:\.\d+)?)([bBmM])(\d?)(?![A-Za-z0-9])")


def _n_parameters_named(name: str) -> int | None:
    """Return the number of weights that a model's name tells of, None where it tells of none."""
    found = [*_SIZE_IN_NAME.finditer(name)]
    if not found:
        return None
    whole, unit, tenths = found[-1].groups()
    size = float(f"{whole}.{tenths}" if tenths and "." not in whole else whole)
    return round(size * (1e9 if unit in "bB" else 1e6))


def _asked_of_hub(name: str, revision: str, options: LoadOptions) -> tuple[str, int | None]:
    """Return the commit that a revision is by now, and the number of its weights, if it has one.

    Where the hub does not answer, the revision stays as it is.
    """
    try:
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError
    except ImportError:
        return revision, None
    with _hub_errors(name, revision, options):
        try:
            found = HfApi().model_info(name, revision=revision or None, timeout=_PATIENCE_SECONDS)
        except HfHubHTTPError as error:
            if error.response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
                raise
        except OSError:
            pass
        else:
            return found.sha or revision, found.safetensors.total if found.safetensors else None
    return revision, None


_PATIENCE_SECONDS = 10


def _outline(folder: Path, reference: str, options: LoadOptions) -> Outline:
    """Return what a folder tells, which may have no weights, or not be there."""
    told = Outline(reference=reference)
    tokenizer = folder / "tokenizer.json"
    with contextlib.suppress(ModelNotAvailableError):
        names = read_json(folder / CONFIG).get("architectures")
        tokens = tokenizer if tokenizer.is_file() else None
        told = replace(told, tokenizer=tokens, is_masked="MaskedLM" in str(names))
        files = find_files(folder, allow_pickle=options.allow_pickle)
        n_bytes = sum(each.stat().st_size for each in files.weights)
        sizes = map(n_numbers, files.weights) if files.safe else [n_bytes // 4]
        told = replace(told, n_bytes=n_bytes, n_parameters=sum(sizes))
    return told


def n_numbers(safetensors: Path) -> int:
    """Return how many numbers are in a file, by its header; 0 if it has none that can be read."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(safetensors, framework="np") as file:
            return sum(math.prod(file.get_slice(name).get_shape()) for name in file.keys())  # noqa: SIM118 - the file is no mapping
    # Whatever it is, loading it will say what is wrong with it.
    except (OSError, SafetensorError):
        return 0


def _download(name: str, revision: str | None, options: LoadOptions) -> Path:
    with _hub_errors(name, revision, options), _progress_for_people():
        code = ("*.py",) if options.trust_remote_code else ()
        small = ("*.json", *_TOKENIZERS, *code)
        folder = _snapshot(name, revision, small, options)
        # From here on one and the same commit, whatever happens to a branch meanwhile.
        revision = revision_of(folder) or revision
        for weights in (SAFETENSORS, PICKLE) if options.allow_pickle else (SAFETENSORS,):
            names = weight_names(folder, weights)
            folder = _snapshot(name, revision, names, options)
            if all((folder / part).is_file() for part in names):
                return folder
    lacking = f"({SAFETENSORS} or {PICKLE})"
    if not options.allow_pickle:
        lacking = f"as {SAFETENSORS}; only safetensors are read unless --allow-pickle is given"
    raise ModelNotAvailableError(f"it has no weights {lacking}")


def _snapshot(
    name: str, revision: str | None, patterns: tuple[str, ...], options: LoadOptions
) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        folder = snapshot_download(
            name,
            revision=revision,
            allow_patterns=list(patterns),
            ignore_patterns=["*/*"],
            local_files_only=options.offline,
        )
    except LocalEntryNotFoundError as error:
        # What other programs fetched is enough for us if it holds what we look for below.
        partial = getattr(error, "snapshot_path", None)
        if partial is None:
            raise
        folder = str(partial)
    return Path(folder)


@contextmanager
def _hub_errors(name: str, revision: str | None, options: LoadOptions) -> Iterator[None]:
    """Turn what the hub's library raises into one line each."""
    from huggingface_hub import constants, errors

    try:
        yield
    except errors.GatedRepoError:
        message = "its authors ask you to accept terms on its page first; then run 'hf auth login'"
    except errors.RepositoryNotFoundError:
        message = (
            f"the Hugging Face hub has no model {name!r}, or you may not read it; "
            f"check the name, and log in with 'hf auth login' if it is private"
        )
    except errors.RevisionNotFoundError:
        message = f"the model {name!r} has no revision {revision!r}"
    except errors.LocalEntryNotFoundError:
        reason = "the Hugging Face hub cannot be reached"
        if options.offline or constants.HF_HUB_OFFLINE:
            reason = "downloads are off; load it once with a connection, without --offline"
        message = f"{name!r} is not in the local cache ({constants.HF_HUB_CACHE}) and {reason}"
    except ModelNotAvailableError:
        raise
    except Exception as error:  # noqa: BLE001 - the errors of three HTTP libraries share no base
        message = f"the download failed: {first_line(error)}"
    else:
        return
    raise ModelNotAvailableError(message)


@contextmanager
def _progress_for_people() -> Iterator[None]:
    """Show the hub's progress bars on a terminal only; they go to stderr."""
    hub: Any = import_module("huggingface_hub.utils")
    if sys.stderr.isatty() or hub.are_progress_bars_disabled():
        yield
        return
    hub.disable_progress_bars()
    try:
        yield
    finally:
        hub.enable_progress_bars()
