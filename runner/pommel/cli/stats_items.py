"""`pommel stats items`: the results item by item, for other programs."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pommel.analysis.items import item_table
from pommel.cli.output import frame_text, show_notes, show_text
from pommel.cli.output_options import form_option, output_option
from pommel.cli.selecting import selected_records, selection_options
from pommel.errors import PommelError, UsageError
from pommel.files.text import replacing, write_text

if TYPE_CHECKING:
    import pandas as pd

_FORMS = ("csv", "tsv", "json", "parquet")


@click.command("items")
@selection_options
@form_option(
    _FORMS,
    default=None,
    about="What to write.  [default: what the name of --output ends in, or csv]",
)
@output_option
def command(**chosen: Any) -> None:
    """Print one row a model, suite, prediction and item, for lme4, pandas and others.

    Columns are numbers or text: holds, tie, modifier and the like are 0 or 1. Skipped items have
    no row.

    \b
      pommel stats items --language de -o items.csv
      Rscript -e 'library(lme4); summary(glmer(holds ~ modifier + (1 | model) + (1 | suite/item),
                  data = read.csv("items.csv"), family = binomial))'
    """
    path: Path | None = chosen["output"]
    ending = path.suffix.removeprefix(".").lower() if path else ""
    form = chosen["form"] or (ending if ending in _FORMS else "csv")
    if form == "parquet" and path is None:
        raise UsageError("--format parquet needs a file: -o FILE")
    table = item_table(selected_records(chosen))
    show_notes(table.notes)
    if form == "parquet" and path is not None:
        _write_parquet(table.frame, path)
        return
    text = frame_text(table.frame, form)
    if path is None:
        show_text(text)
    else:
        write_text(path, text)


def _write_parquet(frame: "pd.DataFrame", path: Path) -> None:
    if find_spec("pyarrow") is None:
        raise PommelError("Parquet needs the parquet extra: pip install 'pommel[parquet]'")
    with replacing(path) as aside:
        frame.to_parquet(aside, engine="pyarrow", index=False)
