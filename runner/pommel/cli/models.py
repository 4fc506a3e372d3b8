"""`pommel models list|show`: the models that ship with pommel, and how others are named."""

import json
from typing import Any

import click

from pommel.cli.options import load_options, model_options
from pommel.models.registry import builtin_models, load_model

_SCHEMES = (
    ("builtin://NAME", "a model that ships with pommel"),
    ("huggingface://NAME[@REVISION]", "a causal language model, from the hub or a folder"),
    ("recorded://FILE", "surprisals that were computed before (LM Zoo TSV or JSON Lines)"),
    ("dummy://FILE.json", "an LM Zoo dummy; dummy:// alone gives made-up numbers"),
)


@click.group("models")
def command() -> None:
    """List and show models."""


@command.command("list")
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
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
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
@model_options
def show(model: str, form: str, **chosen: Any) -> None:
    """Load MODEL and say which model it is, down to the fingerprint of its weights."""
    info = load_model(model, load_options(chosen)).info.to_dict()
    if form == "json":
        click.echo(json.dumps(info, ensure_ascii=False, indent=2))
        return
    details = info.pop("details")
    rows = {**info, **details}
    width = max(map(len, rows))
    for key, value in rows.items():
        if value is not None:
            click.echo(f"{key:{width}}  {value}")
