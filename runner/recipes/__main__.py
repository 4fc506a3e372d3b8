"""What makes everything that ships trained or generated: `python -m recipes`."""

import sys
from itertools import chain
from pathlib import Path
from typing import TextIO

import click

from pommel.cli.suites_controls import ControlRow
from pommel.errors import InputError
from pommel.files import write_text
from recipes.baselines import BaselineRow, baseline_rows
from recipes.controls import control_rows, known_lines, with_table
from recipes.judgements import drawn_sentences, read_judged, write_rows, write_sheet
from recipes.ngram import train_ngram
from recipes.suites import indexed, made_again, with_versions
from recipes.texts import TEXTS

_language = click.option(
    "--language",
    type=click.Choice(sorted(TEXTS)),
    default="en",
    show_default=True,
    help="Language of the text.",
)
_seed = click.option("--seed", default=1, show_default=True, help="Seed of text and weights.")
_scale = click.option(
    "--scale", default=1.0, show_default=True, help="Share of the full training text."
)
_out_folder = click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder."
)
_file = click.Path(dir_okay=False, path_type=Path)
_BUILTIN = Path("runner/pommel/shipped/builtin")


@click.group()
def main() -> None:
    """Make the built-in models, their training text and the shipped suites."""


@main.command()
@_language
@_seed
@_scale
@_out_folder
def gpt2(language: str, seed: int, scale: float, out: Path) -> None:
    """Train the small GPT-2 and write it into the folder --out."""
    # The other commands do without torch.
    from recipes.gpt2 import Recipe, train_gpt2

    figures = train_gpt2(out, Recipe.of(language, seed=seed, scale=scale))
    click.echo(f"{figures.validation_bits_per_token:.3f} bits per held-out token")


@main.command()
@_language
@_seed
@_scale
@click.option("--order", type=int, help="Words in the longest n-grams; else as many as usual.")
@_out_folder
def ngram(language: str, seed: int, scale: float, order: int | None, out: Path) -> None:
    """Estimate the n-gram model and write it into the folder --out."""
    figures = train_ngram(out, language=language, scale=scale, seed=seed, order=order)
    click.echo(f"{figures.held_out_bits_per_word:.3f} bits per held-out word")


@main.command()
@click.argument("languages", nargs=-1, type=click.Choice(sorted(TEXTS)))
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=_BUILTIN)
def builtin(languages: tuple[str, ...], out: Path) -> None:
    """Make the built-in models of LANGUAGES again, three of each, below the folder --out."""
    from recipes.gpt2 import Recipe, train_gpt2

    for language in languages or sorted(TEXTS):
        train_ngram(out / f"{language}-unigram", language=language, order=1)
        train_ngram(out / f"{language}-ngram", language=language)
        train_gpt2(out / f"{language}-gpt2", Recipe.of(language))


@main.command()
@_language
@_seed
@_scale
@click.option(
    "--out", type=click.File("w", "utf-8", lazy=False), default="-", help="File; else stdout."
)
def corpus(language: str, seed: int, scale: float, out: TextIO) -> None:
    """Write the training text, one sentence on a line."""
    text = TEXTS[language]
    out.writelines(f"{each}\n" for each in text.sample(round(text.full_size * scale), seed))


@main.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default="suites")
def suites(folder: Path) -> None:
    """Make the suites below FOLDER and their index again, and name those that have changed.

    A suite with another content under a version that versions.csv has is not written.
    """
    try:
        for path, text in chain(with_versions(folder, made_again(folder)), indexed(folder)):
            if not path.exists() or path.read_text("utf-8") != text:
                write_text(path, text)
                click.echo(path)
    except InputError as error:
        click.echo(error, err=True)
        sys.exit(error.exit_status)


@main.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default="suites")
@click.option("--page", type=_file, default="docs/controls.md", help="What has the table.")
def controls(folder: Path, page: Path) -> None:
    """Ask scorers that see no syntax about the suites below FOLDER.

    Writes the table again, and controls.jsonl in FOLDER, which `pommel suites show` reads.
    """
    files = sorted(folder.rglob("*.json"))
    rows = list(control_rows(folder, files))
    write_text(folder / "controls.jsonl", known_lines(files, rows))
    write_text(page, with_table(page.read_text("utf-8"), ControlRow.table(rows)))


@main.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default="suites")
@click.option("--page", type=_file, default="docs/baselines.md", help="What has the table.")
def baselines(folder: Path, page: Path) -> None:
    """Ask the built-in models about the suites below FOLDER, and write the table again."""
    rows = list(baseline_rows(sorted(folder.rglob("*.json"))))
    write_text(page, with_table(page.read_text("utf-8"), BaselineRow.table(rows)))


@main.command("judgement-sheet")
@click.argument("language", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--items", default=5, show_default=True, help="How many items of each suite.")
@click.option("--seed", default=1, show_default=True)
@click.option("--sheet", type=_file, required=True, help="To be filled in.")
@click.option("--key", type=_file, required=True, help="Not to be seen.")
def judgement_sheet(language: Path, items: int, seed: int, sheet: Path, key: Path) -> None:
    """Write sentences of LANGUAGE's suites, in random order, for somebody to judge."""
    sentences = drawn_sentences(language, n_items=items, seed=seed)
    write_sheet(sentences, sheet, key)
    click.echo(f"{len(sentences)} sentences")


@main.command()
@click.option("--sheet", type=_file, required=True)
@click.option("--key", type=_file, required=True)
@click.option("--out", type=_file, required=True, help="judgements.csv")
def judgements(sheet: Path, key: Path, out: Path) -> None:
    """Put what was judged beside what was intended, and say how far they agree."""
    judged = read_judged(sheet, key)
    write_rows(judged, out)
    others = judged[judged["judged"] != judged["intended"]]
    click.echo(f"{len(judged) - len(others)} of {len(judged)} agree")
    for each in others.itertuples():
        where = f"{each.suite} {each.item_number} {each.condition_name}"
        click.echo(f"{where}: {each.intended}, {each.judged}: {each.sentence}  {each.note}")


if __name__ == "__main__":
    main(prog_name="python -m recipes")
