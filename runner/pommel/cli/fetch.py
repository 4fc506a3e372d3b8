"""`pommel fetch`: suites and sentences that others have published."""

from collections.abc import Sequence
from pathlib import Path

import click

from pommel.analysis import plain_table
from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import Folder, Options, field_of, option, takes_options
from pommel.cli.output import download_bar, form_option, note, show_json, show_table
from pommel.errors import InputError, UsageError, counted, listed
from pommel.sources import FetchedSource, FetchOptions, PublishedSource

# What is of no use without a source.
_NEED_NAME = ("citation", "output", "force", "suites", "only", "offline", "base_url")


class _FetchOptions(Options):
    """What is fetched of a source, from where, and where it is copied to."""

    lists: bool = option("--list", help="Show what can be fetched; so does no NAME.")
    form: str = field_of(
        form_option(
            ["table", "json"],
            about="Format of the list; of what was fetched JSON, or only its folder.",
        )
    )
    citation: bool = option(help="Print what to cite (BibTeX), and fetch nothing.")
    output: Folder | None = option(
        "-o",
        help="Folder to copy the files to, with their licence and where they are from.",
    )
    suites: bool = option(help="Write suites made of the files, ready to run, to the folder.")
    force: bool = option(help="Overwrite files there that are others.")
    only: tuple[str, ...] = option(
        metavar="PATTERN", help="Fetch only files whose paths match (pol/*); repeatable."
    )
    offline: bool = option(help="Download nothing: use what was fetched before.")
    base_url: str | None = option(
        metavar="URL",
        help="Mirror to fetch from, a folder like the cache: URL/NAME/COMMIT/FILE; else "
        "POMMEL_MIRROR.",
    )


@click.command("fetch", cls=Command)
@click.argument("name", required=False)
@takes_options
def command(name: str | None, chosen: _FetchOptions) -> None:
    """Fetch suites and sentences that others have published, and print where they are.

    Files are kept, checked by their SHA-256 whenever they are used, and fetched only if they are
    missing. They lie in POMMEL_CACHE, by default the folder for caches of this machine.

    \b
      pommel fetch                         what there is, and what is here already
      pommel fetch hu2020                  fetch it; prints the folder
      pommel fetch clams -o clams          and copy it to a folder of your own
      pommel fetch blimp -o blimp --suites as suites that run
    """
    if name is None or chosen.lists:
        for key in _NEED_NAME:
            if getattr(chosen, key):
                option_name = key.replace("_", "-")
                raise UsageError(f"--{option_name} needs the NAME of a source, and no --list")
        if name is not None:
            raise UsageError("--list shows all sources; leave out the NAME")
        _show_list(chosen.form)
    elif chosen.citation:
        if chosen.form == "json":
            raise UsageError("--citation prints BibTeX; leave out --format")
        click.echo(PublishedSource.named(name).citation, nl=False)
    else:
        _fetch(name, chosen)


def _fetch(name: str, chosen: _FetchOptions) -> None:
    if chosen.force and chosen.output is None:
        raise UsageError("--force says what becomes of files in a folder; add -o FOLDER")
    if chosen.suites and chosen.output is None:
        raise UsageError("--suites writes suites to a folder; add -o FOLDER")
    with download_bar(name) as tell:
        options = FetchOptions(base_url=chosen.base_url, offline=chosen.offline, progress=tell)
        source = PublishedSource.named(name)
        fetched = FetchedSource.fetch(source, only=chosen.only, options=options)
    _report(fetched)
    folder, paths = fetched.folder, fetched.files
    error = None
    if chosen.output is not None:
        folder = chosen.output
        paths, error = _export(fetched, folder, as_suites=chosen.suites, force=chosen.force)
    if chosen.form == "json":
        show_json(_outcome(fetched, folder, paths))
    else:
        click.echo(str(folder))
    if error:
        raise error


def _export(
    fetched: FetchedSource, folder: Path, *, as_suites: bool, force: bool
) -> tuple[tuple[Path, ...], InputError | None]:
    """Copy files, or write the suites made of them; return all paths, and what was faulty."""
    if not as_suites:
        return fetched.export(folder, force=force), None
    made = fetched.suites()
    error = None
    if made.faulty:
        error = InputError("\n".join(map(str, made.faulty.values())))
        if not made.suites:
            raise error
    paths = fetched.export(folder, made=made.suites, force=force)
    note(f"{fetched.source.name}: {counted(len(made.suites), 'suite')}")
    for path, each in made.suites.items():
        if each.note:
            note(f"note: {path}: {each.note}")
    if made.others:
        left_out = counted(len(made.others), "file")
        note(f"note: {left_out} left out, no suites: {listed(made.others)}")
    if made.faulty:
        faulty = counted(len(made.faulty), "file")
        note(f"note: {faulty} no suite could be made of: {listed([*made.faulty])}")
    return paths, error


def _outcome(fetched: FetchedSource, folder: Path, paths: Sequence[Path]) -> dict[str, object]:
    return {
        "name": fetched.source.name,
        "commit": fetched.source.commit,
        "licence": fetched.source.licence,
        "folder": str(folder),
        "files": [path.relative_to(folder).as_posix() for path in paths],
        "n_fetched": fetched.n_downloaded,
        "damaged": list(fetched.damaged),
        "without_checksum": list(fetched.unknown),
    }


def _report(fetched: FetchedSource) -> None:
    source = fetched.source
    if fetched.damaged:
        damaged = counted(len(fetched.damaged), "file")
        note(f"note: {damaged} in the cache had changed: {listed(fetched.damaged)}; fetched again")
    come = f"{fetched.n_downloaded} fetched" if fetched.n_downloaded else "all were there"
    licence = source.licence or "no known licence"
    note(f"{source.name}: {counted(len(fetched.files), 'file')} ({come}), {licence}")
    if fetched.unknown:
        note(
            f"note: pommel knows no checksum of {counted(len(fetched.unknown), 'file')} "
            f"({listed(fetched.unknown)}): what came first is what later uses are compared with"
        )
    if source.licence is None:
        note(f"note: {source.unlicensed}")
    if source.note is not None:
        note(f"note: {source.note}")


def _show_list(form: str) -> None:
    sources = PublishedSource.known()
    if form == "json":
        show_json([_entry(source) for source in sources])
        return
    rows = []
    for source in sources:
        n_files, n_kept = len(source.files), source.cache().n_kept()
        here = {0: "-", n_files: "all"}.get(n_kept, str(n_kept))
        licence = source.licence or "none known"
        rows.append((source.name, source.title, licence, str(n_files), here))
    show_table(plain_table(names=("name", "what", "licence"), numbers=("files", "here"), rows=rows))


def _entry(source: PublishedSource) -> dict[str, object]:
    cache = source.cache()
    return {
        "name": source.name,
        "title": source.title,
        "languages": list(source.languages),
        "licence": source.licence,
        "n_files": len(source.files),
        "n_here": cache.n_kept(),
        "folder": str(cache.folder),
        "homepage": source.homepage,
        "commit": source.commit,
    }
