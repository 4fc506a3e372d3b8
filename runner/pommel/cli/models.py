"""`pommel models list|show|refresh`: the models that ship with pommel, how others are named."""

import json
from typing import Any

import click

from pommel.cli.options import model_options, open_model
from pommel.cli.output import form_option
from pommel.errors import UsageError, counted
from pommel.models import builtin_models, closing

_SCHEMES = (
    ("builtin://NAME", "a model that ships with pommel"),
    ("huggingface://NAME[@REVISION]", "a language model, from the hub or a folder"),
    ("lstm://FOLDER", "a word-level LSTM (pommel train lstm)"),
    ("ngram://FILE", "an n-gram model, an ARPA file (pommel train ngram)"),
    ("http://HOST/v1#MODEL", "a model behind an OpenAI-compatible server; also https://"),
    ("docker://IMAGE", "a model in a container, by Docker; podman://IMAGE by Podman"),
    ("apptainer://FILE.sif", "the same by Apptainer; also singularity://, library://, shub://"),
    ("GRNN, JRNN, RNNG, ...", "the images that the LM Zoo published (pommel list)"),
    ("recorded://FILE", "surprisals that were computed before (LM Zoo TSV or JSON Lines)"),
    ("dummy://FILE.json", "an LM Zoo dummy; dummy:// alone gives made-up numbers"),
)


@click.group("models")
def command() -> None:
    """List and show models."""


@command.command("list")
@form_option(["table", "json"])
def list_models(form: str) -> None:
    """List the built-in models, and the kinds of references that `pommel run` takes."""
    names = [f"builtin://{name}" for name in builtin_models()]
    if form == "json":
        schemes = [{"reference": scheme, "meaning": meaning} for scheme, meaning in _SCHEMES]
        click.echo(json.dumps({"builtin": names, "schemes": schemes}, indent=2))
        return
    click.echo("Built-in models:")
    for name in names:
        click.echo(f"  {name}")
    click.echo("References:")
    width = max(len(scheme) for scheme, _ in _SCHEMES)
    for scheme, meaning in _SCHEMES:
        click.echo(f"  {scheme:{width}}  {meaning}")


@command.command("show")
@click.argument("model")
@form_option(["table", "json"])
@model_options
def show(model: str, form: str, **chosen: Any) -> None:
    """Load MODEL and say which model it is, down to the fingerprint of its weights."""
    with closing(open_model(model, chosen)) as opened:
        info = opened.info.to_dict()
    if form == "json":
        click.echo(json.dumps(info, ensure_ascii=False, indent=2))
        return
    details = info.pop("details")
    rows = {**info, **details}
    width = max(map(len, rows))
    for key, value in rows.items():
        if value is not None and value != []:
            click.echo(f"{key:{width}}  {_shown(value)}")


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    if not isinstance(value, dict):
        return str(value)
    return ", ".join(f"{key} {_shown(each)}" for key, each in value.items() if each is not None)


@command.command("refresh")
@click.option("--url", metavar="URL", help="Where the list is.  [default: where the LM Zoo had it]")
@click.option("--reset", is_flag=True, help="Forget a list that was fetched before.")
def refresh(*, url: str | None, reset: bool) -> None:
    """Fetch the list of images that have short names (`pommel list`).

    It goes before the one that ships with pommel. Nothing else ever fetches it.
    """
    # Imported here: it needs what the other commands do not.
    from pommel.compat import Registry  # noqa: PLC0415 - commands start sooner

    if reset:
        if url:
            raise UsageError("--reset and --url exclude each other")
        forgotten = Registry.forget()
        click.echo(f"Deleted: {forgotten}" if forgotten else "There is none to be forgotten.")
        return
    path, n_models = Registry.refresh(url)
    click.echo(f"{counted(n_models, 'model')}: {path}")
