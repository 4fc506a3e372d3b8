"""The shipped suites, made again from the grammars in their languages' `sources`; their index, and
the list of their versions.
"""

import csv
import io
import itertools
import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pommel.errors import InputError, SuiteError
from pommel.files import sha256_of
from pommel.sources import Generation, SuiteCard
from pommel.sources.grammar.source import GeneratedItem, drawn_numbers, has_items
from pommel.suite import LoadedSuite, Suite

_COLUMNS = ("suite", "version", "sha256")
# A suite whose `meta` does not say how it was made is all items of the template of its name.
_EVERYTHING = {"sample": None, "eos": False, "capitalize": False}


def made_again(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the suites below a folder of languages that have a grammar, with their texts made anew.

    A suite is made by the recipe in its `meta`. One without a recipe, if there is a template that
    is called as it is, stays without. One that would differ in pommel's version alone does not.

    Raises `InputError` for a recipe whose grammar is not there, and as the grammar's engine does.
    """
    for path in sorted(folder.rglob("*.json")):
        before = json.loads(path.read_bytes())
        meta = before["meta"]
        sources = folder / path.relative_to(folder).parts[0] / "sources"
        template = sources / f"{meta['name']}.template"
        if recipe := meta.get("generator"):
            made = _made(_grammar(path, sources, recipe), meta["name"], recipe)
            generator = made["meta"]["generator"]
            version, generator["pommel"] = generator["pommel"], recipe["pommel"]
            if made != before:
                generator["pommel"] = version
            yield path, _text(made)
        elif template.is_file():
            made = _made(template, meta["name"], _EVERYTHING)
            del made["meta"]["generator"]
            made["meta"] = {"name": meta["name"], **made["meta"]}
            yield path, _text(made)


def with_versions(folder: Path, suites: Iterable[tuple[Path, str]]) -> Iterator[tuple[Path, str]]:
    """Yield suites with their texts and, behind them, the list of all versions that there are.

    It is `versions.csv` in the folder, where each suite and version has one SHA-256
    (`Suite.sha256`, which results are known by); a suite without a version is not in it. One with
    another content under a version that is listed is not yielded: who has results of that version
    would take them for this suite's. Raises `InputError`, at the end, that names all of these.
    """
    path = folder / "versions.csv"
    known = listed_versions(path)
    refused = []
    for file, text in suites:
        suite = Suite.from_dict(json.loads(text))
        key = (suite.name, suite.version)
        if suite.version and known.setdefault(key, suite.sha256) != suite.sha256:
            refused.append(f"{file}: version {suite.version} has another content")
        else:
            yield file, text
    if refused:
        hint = "write a new `meta version` into its grammar"
        rest = f"or, if nobody has that version yet, delete its line in {path}"
        raise InputError("\n".join(f"{each}; {hint}, {rest}" for each in refused))
    rows = sorted(((*key, sha256) for key, sha256 in known.items()), key=lambda row: row[0])
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([_COLUMNS, *rows])
    yield path, stream.getvalue()


def listed_versions(path: Path) -> dict[tuple[str, str], str]:
    """Return the SHA-256 of each suite and version in a list, which need not be there.

    Raises `InputError` if one is there twice: two branches may have made it.
    """
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as stream:
        _, *rows = csv.reader(stream)
    known = {(name, version): sha256 for name, version, sha256 in rows}
    if len(known) < len(rows):
        twice = Counter((name, version) for name, version, _ in rows).most_common(1)[0][0]
        raise InputError(f"{path}: {' '.join(twice)} stands here twice; give one a new version")
    return known


def drawn_otherwise(
    folder: Path, path: Path, *, n_items: int, seed: int
) -> Iterator[GeneratedItem]:
    """Yield items as a suite's grammar makes them by another seed, so many of them.

    They are all items of a grammar that has less than twice as many; first letters are as it has
    them. Raises as `made_again` does.
    """
    meta = json.loads(path.read_bytes())["meta"]
    sources = folder / path.relative_to(folder).parts[0] / "sources"
    recipe = meta["generator"]
    source = _generation(_grammar(path, sources, recipe), meta["name"], recipe).source
    assert has_items(source)  # noqa: S101 - it has made a suite
    numbers = None
    if source.n_items >= 2 * n_items:
        # Balance is for what is compared.
        numbers = sorted(itertools.islice(drawn_numbers(source.n_items, seed), n_items))
    yield from source.items(numbers)


def indexed(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the index of the suites below a folder, with what it should be: a line for each suite.

    pommel knows by it which suites there are, and what each is, without reading them, and that
    nothing is wrong with them. Raises `SuiteError` where something is.
    """
    collections = tomllib.loads((folder / "collections.toml").read_text("utf-8"))
    runs = collections.pop("models")
    having = {
        name: {path for pattern in patterns for path in folder.glob(pattern)}
        for name, patterns in collections.items()
    }
    lines = []
    for path in sorted(folder.rglob("*.json")):
        loaded = LoadedSuite.read(path, strict=True)
        if loaded.warnings:
            raise SuiteError(loaded.warnings)
        card = SuiteCard.of_suite(loaded.suite)
        # Some have been run on all suites of a language, some on one suite.
        pretrained, own = (
            tuple(each for key in (card.language, card.name) for each in runs[kind].get(key, ()))
            for kind in ("pretrained", "own")
        )
        of_it = {
            "file": path.relative_to(folder).as_posix(),
            "sha256": sha256_of(path),
            "collections": [name for name, paths in having.items() if path in paths],
            "card": asdict(replace(card, models=(*pretrained, *own), pretrained_models=pretrained)),
        }
        lines.append(json.dumps(of_it, ensure_ascii=False) + "\n")
    yield folder / "index.jsonl", "".join(lines)


def _grammar(suite: Path, sources: Path, recipe: Mapping[str, Any]) -> Path:
    for name in recipe["files"]:
        path = sources / str(name)
        if path.suffix in Generation.endings() and path.is_file():
            return path
    raise InputError(f"{suite}: its grammar is not in {sources}")


def _made(grammar: Path, name: str, recipe: Mapping[str, Any]) -> dict[str, Any]:
    content = _generation(grammar, name, recipe).content(as_sets=False)
    made: dict[str, Any] = json.loads("".join(content.suite_pieces()))
    return made


def _generation(grammar: Path, name: str, recipe: Mapping[str, Any]) -> Generation:
    sample = recipe["sample"] or {"n": None, "seed": 1}
    return replace(
        Generation.of_file(grammar, depth=recipe.get("depth")),
        name=name,
        n_sampled=sample["n"],
        seed=sample["seed"],
        eos=recipe["eos"],
        capitalize=recipe["capitalize"],
    )


def _text(made: Mapping[str, Any]) -> str:
    return Suite.from_dict(made).to_text()
