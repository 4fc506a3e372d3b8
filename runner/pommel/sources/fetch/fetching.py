"""A source that is fetched: had in the cache, made into suites, copied to a folder.

What is missing in the cache is downloaded and checked. Whoever gets a copy gets all that
has to be known of it: the licence, and where the files are from.
"""

import asyncio
import csv
from collections import Counter
from collections.abc import Collection, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, Self

from pommel.errors import InputError, PommelError, UsageError, counted, listed
from pommel.files import (
    DecodedText,
    JsonDocument,
    make_folder,
    parse_json,
    replacing,
    sha256_of,
    to_json,
)
from pommel.sources.conversion import Conversion, recognised
from pommel.sources.fetch.source import (
    FetchOptions,
    PublishedSource,
    SourceCache,
    SourceFile,
    State,
    remove_leftovers,
)
from pommel.sources.formats.long_csv import COLUMNS
from pommel.sources.formats.set_format import SetFormat
from pommel.suite import PublishedSuite
from pommel.values import frozen

_SHOWN_FAILURES = 8
LICENSE_NAME = "LICENSE.txt"
# Its text is JSON; a folder of suites is read for all files that end so.
SOURCE_NAME = "SOURCE.txt"
# What it says of the source.
_DESCRIBED = (
    *("name", "title", "languages", "licence", "citation", "homepage", "repository", "commit"),
    *("address", "note"),
)


@frozen
class MadeFile:
    """What was made of one of a source's files, and the path of that file.

    `note` says in a line which of its minimal sets are ties, "" if none is.
    """

    content: bytes
    made_of: str
    note: str = ""


@frozen
class SuitesMade:
    """What became of a source's files: suites by their file names, `faulty` ones, and `others`.

    `faulty` says of a path what is wrong with its file; `others` are paths of what is no suite.
    """

    suites: Mapping[str, MadeFile]
    faulty: Mapping[str, InputError]
    others: Sequence[str]


@frozen
class FetchedSource:
    """A source whose files are there, every one with the checksum that it has to have.

    `files` are paths on disk below `folder`, in the table's order. `n_downloaded` of them have come
    just now, `damaged` are the paths of those that were there before, but not as they should be;
    `unknown` of those whose checksum the table does not have: they are what came the first time.
    """

    source: PublishedSource
    folder: Path
    files: tuple[Path, ...]
    n_downloaded: int
    damaged: tuple[str, ...]
    unknown: tuple[str, ...]

    @classmethod
    def fetch(
        cls,
        source: PublishedSource,
        *,
        only: Collection[str] = (),
        options: FetchOptions | None = None,
    ) -> Self:
        """Fetch a source, or as much of it as matches the patterns `only`.

        No network is touched if everything is in the cache. Raises `UsageError` for a pattern that
        matches nothing, and `PommelError` if a file cannot be had, is not what it should be, or
        cannot be written; what had come whole by then stays in the cache.
        """
        options = options or FetchOptions()
        chosen = source.chosen(only)
        cache = source.cache(options.root)
        states = {file: cache.state(file) for file in chosen}
        wanted = [file for file, state in states.items() if state != "there"]
        remote = [file for file in wanted if not file.shipped]
        if remote and options.offline:
            raise _not_kept(cache, remote, len(_paths(states, "damaged")))
        if wanted:
            make_folder(cache.folder)
        remove_leftovers(cache.folder, cache.records)
        if remote:
            _download(cache, remote, options)
        for file in wanted:
            if file.shipped:
                with replacing(cache.path(file)) as aside:
                    aside.write_bytes(source.shipped_content(file))
        return cls(
            source=source,
            folder=cache.folder,
            files=tuple(cache.path(file) for file in chosen),
            n_downloaded=len(wanted),
            damaged=_paths(states, "damaged"),
            unknown=tuple(file.path for file in chosen if file.sha256 is None),
        )

    def suites(self) -> SuitesMade:
        """Return the suites that the files are; a faulty file costs none of the others.

        A suite is an object with `items` in JSON, a long CSV, or a file of minimal sets. It is
        called like its file, or as its sets say, with its folders where two of the source's files
        are called alike, fetched or not.
        """
        names = distinct_names([file.path for file in self.source.files])
        suites: dict[str, MadeFile] = {}
        faulty: dict[str, InputError] = {}
        others: list[str] = []
        for path in self.files:
            place = self._place(path)
            try:
                is_suite = _is_suite(path)
                form = None if is_suite else recognised(path)
                if not is_suite and form is None:
                    others.append(place)
                    continue
                name = names[place]
                if form and form.named_by:
                    name = _name_told(form, path, name)
                    # What is said twice costs nobody a suite.
                    name = names[place] if f"{name}.json" in suites else name
                # A suite's JSON has its name and all that it says of itself in it.
                is_json = is_suite and path.suffix == ".json"
                about = {} if is_json else _about(self.source, place)
                if form and form.folder:
                    about = {**about, form.folder: path.parent.name}
                conversion = Conversion(name="" if is_json else name, about=about)
                (content,), _ = conversion.contents(path)
                text = "".join(content.suite_pieces())
            except InputError as error:
                faulty[place] = error
                continue
            note = content.tally.tie_note()
            made = MadeFile(content=text.encode(), made_of=place, note=note)
            suites[f"{name}.json"] = made
        return SuitesMade(suites=suites, faulty=faulty, others=others)

    def export(
        self,
        folder: Path,
        *,
        made: Mapping[str, MadeFile] | None = None,
        force: bool = False,
    ) -> tuple[Path, ...]:
        """Copy the files into `folder`, with their licence and SOURCE.txt; return all paths.

        The licence is in LICENSE.txt, unless a file of that kind is among the files. With `made`,
        those files are written instead, by their paths. A SOURCE.txt of the same source and commit
        is continued: it lists all files of the source that are there. Where another file lies
        already, nothing is written unless `force` says so: raises `UsageError`. Raises
        `PommelError` if something cannot be read or written.
        """
        contents, entries = self._files()
        if made is not None:
            contents = {name: each.content for name, each in made.items()}
            entries = {
                name: {
                    **entries[each.made_of],
                    "made": name,
                    "made_sha256": sha256(each.content).hexdigest(),
                }
                for name, each in made.items()
            }
        if not (_is_licence(self.source) and self.source.licence_file in contents):
            contents[LICENSE_NAME] = self.licence_text().encode()
        known = _continued(self.source, folder)
        if known is not None:
            there = {_where(each): each for each in known["files"] if _is_there(each, folder)}
            entries = there | entries
        about = {name: getattr(self.source, name) for name in _DESCRIBED}
        description = {**(known or {}), **about, "files": [*entries.values()]}
        different = [
            path for path, content in contents.items() if _is_other(folder / path, content)
        ]
        contents[SOURCE_NAME] = to_json(description, indent=2).encode()
        if known is None and (folder / SOURCE_NAME).exists():
            different.append(SOURCE_NAME)
        if different and not force:
            raise UsageError(
                f"{folder}: {counted(len(different), 'file')} there would be overwritten by "
                f"another ({listed(different)}); choose another folder, or add --force"
            )
        for path, content in contents.items():
            with replacing(folder / path) as aside:
                aside.write_bytes(content)
        return tuple(folder / path for path in contents)

    def _files(self) -> tuple[dict[str, bytes], dict[str, Mapping[str, Any]]]:
        """Return the contents of all files, and what SOURCE.txt says of them, by their places."""
        shipped = {file.path for file in self.source.files if file.shipped}
        contents: dict[str, bytes] = {}
        entries: dict[str, Mapping[str, Any]] = {}
        for path in self.files:
            place = self._place(path)
            try:
                contents[place] = path.read_bytes()
            except OSError as error:
                raise PommelError(f"{path}: cannot be read: {error.strerror}") from None
            told = "the first download" if place in self.unknown else "pommel's table"
            if place in shipped:
                told = "pommel, which has copied these numbers from the paper"
            checksum = sha256(contents[place]).hexdigest()
            entries[place] = {"path": place, "sha256": checksum, "checksum_of": told}
        return contents, entries

    def licence_text(self) -> str:
        """Return what LICENSE.txt says: the licence if it is among the files, or its name."""
        source = self.source
        if source.licence is None:
            return f"{source.unlicensed}\n\n{source.homepage}\n"
        own = self.folder / (source.licence_file or "")
        if _is_licence(source) and own.is_file():
            return own.read_bytes().decode("utf-8", "replace")
        says = f", as {source.licence_file} says" if source.licence_file else ""
        return f"{source.name}, {source.title}: {source.licence}{says}\n\n{source.homepage}\n"

    def _place(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()


def _paths(states: dict[SourceFile, State], wanted: State) -> tuple[str, ...]:
    return tuple(file.path for file, state in states.items() if state == wanted)


def _not_kept(cache: SourceCache, wanted: Sequence[SourceFile], n_damaged: int) -> PommelError:
    name = cache.source.name
    are = "is" if len(wanted) == 1 else "are"
    paths = listed([file.path for file in wanted])
    damaged = f", or there but damaged ({n_damaged})" if n_damaged else ""
    return PommelError(
        f"{name}: {counted(len(wanted), 'file')} {are} not in {cache.folder} ({paths}){damaged}; "
        f"run `pommel fetch {name}` once without --offline, or set POMMEL_CACHE to where they are"
    )


def _run(coroutine: Coroutine[object, object, None]) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(coroutine)
        return
    # In a notebook there is a loop already.
    with ThreadPoolExecutor(max_workers=1) as thread:
        thread.submit(asyncio.run, coroutine).result()


def _download(cache: SourceCache, wanted: Sequence[SourceFile], options: FetchOptions) -> None:
    """Have files in the cache; raises `PommelError` if that is not possible."""
    try:
        from pommel.sources.fetch.download import Downloads
    except ImportError:
        raise PommelError(
            f"fetching needs the remote extra: {PommelError.install('remote')}"
        ) from None
    downloads = Downloads(cache, wanted, options)
    _run(downloads.run())
    failures = downloads.failures
    if not failures:
        return
    n_missing = len(wanted) - len(downloads.done)
    of = f"{n_missing} of {counted(len(wanted), 'file')}"
    lines = [f"{cache.source.name}: {of} could not be fetched"]
    lines += [f"  {failure}" for failure in failures[:_SHOWN_FAILURES]]
    if (more := len(failures) - _SHOWN_FAILURES) > 0:
        lines.append(f"  and {more} more")
    if downloads.is_hopeless:
        lines.append("try again when the server can be reached, or name a mirror (--base-url)")
    if downloads.done:
        again = "; the same command fetches the rest" if downloads.is_hopeless else ""
        lines.append(f"what has come whole is kept{again}")
    raise PommelError("\n".join(lines))


def _is_licence(source: PublishedSource) -> bool:
    """Return whether the file that states the licence is the licence itself, by its name."""
    return PurePosixPath(source.licence_file or "").name.upper().startswith("LICEN")


def _continued(source: PublishedSource, folder: Path) -> Mapping[str, Any] | None:
    """Return what a SOURCE.txt of the same source and commit says, None if there is none."""
    try:
        value = parse_json((folder / SOURCE_NAME).read_bytes())
    except (OSError, InputError):
        return None
    match value:
        case {"name": source.name, "commit": source.commit, "files": list(entries)}:
            return value if all(isinstance(each, dict) for each in entries) else None
    return None


def _is_there(entry: Mapping[str, Any], folder: Path) -> bool:
    """Say whether a file lies in the folder as it was exported."""
    path = folder / _where(entry)
    expected = entry.get("made_sha256", entry.get("sha256"))
    return path.is_file() and sha256_of(path) == expected


def _where(entry: Mapping[str, Any]) -> str:
    return str(entry.get("made", entry.get("path", "")))


def _is_other(path: Path, content: bytes) -> bool:
    """Say whether something else lies there."""
    try:
        return path.exists() and path.read_bytes() != content
    except OSError:
        return True


def _is_suite(path: Path) -> bool:
    if path.suffix == ".csv":
        header = next(csv.reader(DecodedText.head(path).splitlines()), [])
        return {*COLUMNS} <= {*header}
    if path.suffix != ".json":
        return False
    try:
        value = JsonDocument.read(path).value
    except InputError:
        # Templates that end so need be neither JSON nor text.
        return False
    return isinstance(value, dict) and "items" in value


def distinct_names(paths: Sequence[str]) -> dict[str, str]:
    """Return a name for each path: without its folders, unless another file is called so, too."""
    # Some file systems do not tell cases apart.
    n_called = Counter(PurePosixPath(path).stem.casefold() for path in paths)
    names = {}
    for each in map(PurePosixPath, paths):
        is_alone = n_called[each.stem.casefold()] == 1
        names[str(each)] = each.stem if is_alone else "-".join(each.with_suffix("").parts)
    return names


def _name_told(form: SetFormat, path: Path, name: str) -> str:
    """Return what the sets of a file say that their suite is called; `name` if they do not agree.

    Folders that are part of `name` stay.
    """
    told = {(each.fields or {}).get(form.named_by) for each in form.read(path)}
    own = told.pop() if len(told) == 1 else None
    is_name = isinstance(own, str) and own.isprintable() and PurePosixPath(own).parts == (own,)
    return f"{name.removesuffix(path.stem)}{own}" if is_name else name


def _about(source: PublishedSource, place: str) -> Mapping[str, Any]:
    """Return what a suite says of where it is from: the pairs at a place of the source."""
    known = {
        "license": source.licence,
        "language": _language(source, place),
        "group": _group(source, place),
        "reference": source.title,
        "repository": source.repository,
        "commit": source.commit,
    }
    return {key: value for key, value in known.items() if value}


def _group(source: PublishedSource, place: str) -> str:
    """Return what a file is called if others are, too, as those of a construction in languages.

    Where all of the source's files of a kind are called alike (`pol/data.tsv`), that says nothing.
    """
    own = PurePosixPath(place)
    paths = [PurePosixPath(file.path) for file in source.files]
    alike = [path for path in paths if path.name == own.name]
    others = [path for path in paths if path.suffix == own.suffix and path.name != own.name]
    return own.stem if len(alike) > 1 and others else ""


def _language(source: PublishedSource, place: str) -> str:
    """Return the source's language; of several the one that a folder or the file begins with.

    That may be its code or its name: `de_evalset/vp_coord.txt`, `suites/basque-S_V.json`.
    """
    if len(source.languages) == 1:
        return source.languages[0]
    for part in PurePosixPath(place).parts:
        code, _, _ = part.partition("_")
        named = code if code in source.languages else PublishedSuite(part).language
        if named in source.languages:
            return named
    return ""
