"""The recipes of everything that ships trained or generated: `python -m pommel.training`."""

import sys
from itertools import islice
from pathlib import Path

import click

# A recipe that needs torch is imported by its own subcommand: the others do without.


@click.group()
def main() -> None:
    """Make the built-in models, their training text and the shipped suites."""


@main.command()
@click.option("--seed", default=1, show_default=True, help="Seed of text and weights.")
@click.option("--scale", default=1.0, show_default=True, help="Share of the full training text.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True)
def gpt2(seed: int, scale: float, out: Path) -> None:
    """Train the small GPT-2 and write it into the folder --out."""
    from pommel.training.gpt2 import Recipe, train_gpt2  # noqa: PLC0415 - commands start sooner

    figures = train_gpt2(out, Recipe(seed=seed, scale=scale))
    click.echo(f"{figures.validation_bits_per_token:.3f} bits per held-out token")


@main.command()
@click.option("--seed", default=1, show_default=True, help="Seed of the text.")
@click.option("--scale", default=1.0, show_default=True, help="Share of the full training text.")
@click.option("--order", default=5, show_default=True, help="Words in the longest n-grams.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True)
def ngram(seed: int, scale: float, order: int, out: Path) -> None:
    """Estimate the n-gram model and write it into the folder --out."""
    from pommel.training.corpus import FULL_SIZE  # noqa: PLC0415 - commands start sooner
    from pommel.training.ngram import train_ngram  # noqa: PLC0415 - commands start sooner

    figures = train_ngram(out, n_sentences=round(FULL_SIZE * scale), seed=seed, order=order)
    click.echo(f"{figures.held_out_bits_per_word:.3f} bits per held-out word")


@main.command()
@click.option("--seed", default=1, show_default=True, help="Seed of the text.")
@click.option("--scale", default=1.0, show_default=True, help="Share of the full training text.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="File; else stdout.")
def corpus(seed: int, scale: float, out: Path | None) -> None:
    """Write the training text, one sentence on a line."""
    from pommel.training.corpus import FULL_SIZE, sample_corpus  # noqa: PLC0415 - commands start sooner

    lines = (f"{sentence}\n" for sentence in sample_corpus(round(FULL_SIZE * scale), seed))
    if out is None:
        sys.stdout.writelines(lines)
        return
    with out.open("w", encoding="utf-8") as file:
        while chunk := list(islice(lines, 10_000)):
            file.writelines(chunk)


@main.command()
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True)
def suites(out: Path) -> None:
    """Write the shipped English suites below the folder --out."""
    from pommel.training.english_suites import write_suites  # noqa: PLC0415 - commands start sooner

    for path in write_suites(out):
        click.echo(path)


@main.command("generated-suites")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default="suites")
def generated(folder: Path) -> None:
    """Make the generated suites below FOLDER again, and name those that have changed."""
    from pommel.files import write_text  # noqa: PLC0415 - commands start sooner
    from pommel.training.generated_suites import generated_suites  # noqa: PLC0415 - commands start sooner

    for path, text in generated_suites(folder):
        if path.read_text("utf-8") != text:
            write_text(path, text)
            click.echo(path)


@main.command("judgement-sheet")
@click.argument("language", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--items", default=5, show_default=True, help="How many items of each suite.")
@click.option("--seed", default=1, show_default=True)
@click.option("--sheet", type=click.Path(path_type=Path), required=True, help="To be filled in.")
@click.option("--key", type=click.Path(path_type=Path), required=True, help="Not to be seen.")
def judgement_sheet(language: Path, items: int, seed: int, sheet: Path, key: Path) -> None:
    """Write sentences of LANGUAGE's suites, in random order, for somebody to judge."""
    from pommel.training.judgements import drawn_sentences, write_sheet  # noqa: PLC0415 - commands start sooner

    sentences = drawn_sentences(language, n_items=items, seed=seed)
    write_sheet(sentences, sheet, key)
    click.echo(f"{len(sentences)} sentences")


@main.command("judgements")
@click.option("--sheet", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--key", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="judgements.csv")
def judgements(sheet: Path, key: Path, out: Path) -> None:
    """Put what was judged beside what was intended, and say how far they agree."""
    from pommel.training.judgements import read_judged, write_judged  # noqa: PLC0415 - commands start sooner

    judged = read_judged(sheet, key)
    write_judged(judged, out)
    click.echo(f"{sum(each.agrees for each in judged)} of {len(judged)} agree")
    for each in judged:
        if not each.agrees:
            where = f"{each.suite} {each.item_number} {each.condition_name}"
            click.echo(f"{where}: {each.intended}, {each.judged}: {each.sentence}  {each.note}")


if __name__ == "__main__":
    main(prog_name="python -m pommel.training")
