"""`pommel models list|show`: the models that ship with pommel, how others are named."""

import click

from pommel.cli import completing
from pommel.cli.lazy_group import Group
from pommel.cli.option_groups import takes_options
from pommel.cli.options import ModelOptions
from pommel.cli.output import form_option, show_json
from pommel.models import known_references

_FORMS = ("table", "json", "json-full")


@click.group("models", cls=Group)
def command() -> None:
    """List and show models."""


@command.command("list")
@form_option(_FORMS)
def list_models(form: str) -> None:
    """List the built-in models, and the kinds of references that `pommel run` takes."""
    names, forms = known_references()
    if form == "json":
        builtin = dict.fromkeys(names, "ships with pommel")
        rows = (builtin | forms).items()
        show_json([{"reference": each, "meaning": meaning} for each, meaning in rows])
        return
    if form == "json-full":
        schemes = [{"reference": each, "meaning": meaning} for each, meaning in forms.items()]
        show_json({"builtin": names, "schemes": schemes})
        return
    click.echo("Built-in models:")
    for name in names:
        click.echo(f"  {name}")
    click.echo("References:")
    width = max(map(len, forms))
    for each, meaning in forms.items():
        click.echo(f"  {each:{width}}  {meaning}")


@command.command("show")
@click.argument("model", shell_complete=completing.models)
@form_option(_FORMS)
@takes_options
def show(model: str, form: str, chosen: ModelOptions) -> None:
    """Load MODEL and say which model it is, down to the fingerprint of its weights."""
    with chosen.opened_model(model) as opened:
        info = opened.info.to_dict()
    if form == "json-full":
        show_json(info)
        return
    details = info.pop("details")
    rows = {**info, **details}
    if form == "json":
        nested = {key: _shown(each) for key, each in rows.items() if isinstance(each, list | dict)}
        show_json([rows | nested])
        return
    width = max(map(len, rows))
    for key, value in rows.items():
        if value is not None and value != []:
            click.echo(f"{key:{width}}  {_shown(value)}")


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    if not isinstance(value, dict):
        return str(value)
    return ", ".join(f"{key} {_shown(each)}" for key, each in value.items() if each is not None)
