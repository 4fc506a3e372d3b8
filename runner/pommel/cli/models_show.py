"""`pommel models show`: which model one is."""

import click

from pommel.cli import completing
from pommel.cli.lazy_group import Command
from pommel.cli.models import MODEL_FORMS
from pommel.cli.option_groups import takes_options
from pommel.cli.options import ModelOptions
from pommel.cli.output import form_option, show_json


@click.command("show", cls=Command)
@click.argument("model", shell_complete=completing.models)
@form_option(MODEL_FORMS)
@takes_options
def command(model: str, form: str, chosen: ModelOptions) -> None:
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
