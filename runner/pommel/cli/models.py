"""`pommel models list`: the models that ship with pommel, how others are named."""

import click

from pommel.cli.lazy_group import Command
from pommel.cli.output import form_option, show_json
from pommel.models import known_references

MODEL_FORMS = ("table", "json", "json-full")


@click.command("list", cls=Command)
@form_option(MODEL_FORMS)
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
