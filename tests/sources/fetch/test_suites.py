"""Published files as suites: which of them are suites, and what those are called."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.cli.samples import suite_value
from tests.sources.fetch.shared_files import files_beside

from pommel.sources.fetch.fetching import FetchedSource, distinct_names
from pommel.sources.fetch.source import PublishedSource, SourceFile
from pommel.suite.read import LoadedSuite

PAIRS = "sentence_good\tsentence_bad\nThe wren sings .\tThe wren sing .\n"
SUITE = json.dumps(suite_value())


def fetched_from(
    folder: Path,
    files: Mapping[str, str],
    absent: tuple[str, ...] = (),
    languages: tuple[str, ...] = (),
) -> FetchedSource:
    """Return a source with these files, fetched; the table knows the absent ones, too."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return of_folder(
        PublishedSource(
            name="birds",
            title="suites about birds",
            address="https://birds.example",
            commit="0123456",
            languages=languages,
            files=tuple(SourceFile(path=path) for path in (*files, *absent)),
        ),
        folder,
        list(files),
    )


def of_folder(source: PublishedSource, folder: Path, paths: list[str]) -> FetchedSource:
    """Return a source of which these files are there."""
    return FetchedSource(
        source=source,
        folder=folder,
        files=tuple(folder / path for path in paths),
        n_downloaded=0,
        damaged=(),
        unknown=(),
    )


# Of each source: its suites' names, and what is none.
EXPECTED: dict[str, tuple[int, str, list[str]]] = {
    "hu2020": (34, "cleft", ["LICENSE"]),
    "blimp": (
        3,
        "adjunct_island",
        [
            "raw_results/summary/human_validation_summary.csv",
            "raw_results/summary/models_summary.jsonl",
        ],
    ),
    "clams": (
        15,
        "de_evalset-vp_coord",
        ["LICENSE", "tables/table1_table2.csv", "tables/cwals.tsv"],
    ),
    "lm_syneval": (4, "vp_coord", ["LICENSE.md"]),
    "sg_eval": (
        1,
        "test_suites-json-fgd_hierarchy",
        [
            "LICENSE",
            "examples/surprisals_fgd_hierarchy.txt",
            "spec.template.json",
            "test_suites/txt/fgd_hierarchy.txt",
        ],
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_every_published_file_is_a_suite_or_left_out(
    name: str, shared_data: Path, tmp_path: Path
) -> None:
    source = PublishedSource.named(name)
    there = files_beside(source, shared_data)
    for path, published in there.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).symlink_to(published)
    made = of_folder(source, tmp_path, list(there)).suites()
    suites, others = made.suites, made.others
    assert not made.faulty
    n_suites, one, left_out = EXPECTED[name]
    assert len(suites) == n_suites
    assert f"{one}.json" in suites
    named = [path for path in others if not path.endswith(".avg") and "/sg_results/" not in path]
    assert named == left_out
    # Nothing is lost without a word.
    assert sorted([*others, *(each.made_of for each in suites.values())]) == sorted(there)
    for suite_file, each in suites.items():
        loaded = LoadedSuite.parse(each.content.decode(), file=suite_file)
        assert loaded.suite.items


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("spec.json", '{"name": "a model", "image": {}}'),
        ("template.json", '{"name": <name>}'),
        ("number.json", "12"),
        ("scores.csv", "model,accuracy\nwren,0.5\n"),
        ("empty.csv", ""),
        ("README.md", "# Birds"),
        ("sentences.txt", "The wren sings .\n"),
    ],
)
def test_what_is_no_suite_is_left_out(name: str, text: str, tmp_path: Path) -> None:
    fetched = fetched_from(tmp_path, {name: text, "wren.json": SUITE})
    made = fetched.suites()
    assert ([*made.suites], made.others) == (["wren.json"], [name])


def test_a_faulty_suite_costs_no_other(tmp_path: Path) -> None:
    made = fetched_from(tmp_path, {"wren.json": '{"items": []}', "owl.tsv": PAIRS}).suites()
    assert ([*made.suites], [*made.faulty]) == (["owl.json"], ["wren.json"])
    assert "wren.json:1:1: 'meta' is missing" in str(made.faulty["wren.json"])


@pytest.mark.parametrize(
    ("place", "languages", "expected"),
    [
        ("wren.tsv", ("en",), "en"),
        ("de_evalset/vp.tsv", ("en", "de"), "de"),
        ("suites/basque-S_V.tsv", ("eu", "hi"), "eu"),
        # A name of a language that the source has not is a word like others.
        ("suites/basque-S_V.tsv", ("en", "de"), None),
        ("design/vp.tsv", ("en", "de"), None),
        ("de_evalset/vp.tsv", (), None),
    ],
)
def test_a_suite_is_in_its_language(
    place: str, languages: tuple[str, ...], expected: str | None, tmp_path: Path
) -> None:
    made = fetched_from(tmp_path, {place: PAIRS}, languages=languages).suites()
    (suite,) = made.suites.values()
    assert json.loads(suite.content)["meta"].get("language") == expected


def test_files_that_are_called_alike_are_of_a_group(tmp_path: Path) -> None:
    def groups(*paths: str) -> list[str | None]:
        made = fetched_from(tmp_path, dict.fromkeys(paths, PAIRS)).suites().suites
        return [json.loads(each.content)["meta"].get("group") for each in made.values()]

    assert groups("de/vp.tsv", "fr/vp.tsv", "fr/orc.tsv") == ["vp", "vp", None]
    assert groups("de/data.tsv", "fr/data.tsv") == [None, None]


MASKED = (
    '{"text": "er singt .", "text_masked": "er [MASK] .", "candidates": ["singt", "singen"], '
    '"case": "%s"}\n'
)


def test_suites_are_called_like_the_cases_that_their_files_name(tmp_path: Path) -> None:
    # As six of gevalm's files, two have one another's case.
    files = {
        "input/Voran/Voran_a.jsonl": MASKED % "Voran_b",
        "input/Voran/Voran_b.jsonl": MASKED % "Voran_a" * 2,
        "input/Singen/x.jsonl": MASKED % "Singen_a",
        "output/Singen/x.jsonl": MASKED % "Singen_a",
        "input/Singen/two.jsonl": MASKED % "Singen_a" + MASKED % "Singen_b",
        "input/Singen/odd.jsonl": MASKED % "../odd",
        "input/Singen/again.jsonl": MASKED % "Voran_b",
    }
    suites = fetched_from(tmp_path, files).suites().suites
    metas = {name: json.loads(each.content)["meta"] for name, each in suites.items()}
    told = {name: (each.made_of, metas[name]["group"]) for name, each in suites.items()}
    assert told == {
        "Voran_b.json": ("input/Voran/Voran_a.jsonl", "Voran"),
        "Voran_a.json": ("input/Voran/Voran_b.jsonl", "Voran"),
        "input-Singen-Singen_a.json": ("input/Singen/x.jsonl", "Singen"),
        "output-Singen-Singen_a.json": ("output/Singen/x.jsonl", "Singen"),
        "two.json": ("input/Singen/two.jsonl", "Singen"),
        "odd.json": ("input/Singen/odd.jsonl", "Singen"),
        "again.json": ("input/Singen/again.jsonl", "Singen"),
    }
    assert all(f"{meta['name']}.json" == name for name, meta in metas.items())


def test_a_long_csv_is_a_suite(tmp_path: Path) -> None:
    rows = "item_number,condition_name,region_number,region_name,content\n1,good,1,all,wren\n"
    made = fetched_from(tmp_path, {"a/wren.csv": rows}).suites()
    assert not made.others
    assert json.loads(made.suites["wren.json"].content)["meta"]["name"] == "wren"


def test_no_two_files_become_one_suite(tmp_path: Path) -> None:
    paths = ["a/x.tsv", "a/x.text.tsv", "b/x.tsv", "c/X.tsv", "y.tsv"]
    suites = fetched_from(tmp_path, dict.fromkeys(paths, PAIRS)).suites().suites
    made = {name: each.made_of for name, each in suites.items()}
    assert made == {
        "a-x.json": "a/x.tsv",
        "x.text.json": "a/x.text.tsv",
        "b-x.json": "b/x.tsv",
        "c-X.json": "c/X.tsv",
        "y.json": "y.tsv",
    }


def test_no_two_files_of_a_source_are_called_alike() -> None:
    for source in PublishedSource.known():
        paths = [file.path for file in source.files]
        names = {name.casefold() for name in distinct_names(paths).values()}
        assert len(names) == len(paths), source.name


def test_names_do_not_depend_on_what_else_is_fetched(tmp_path: Path) -> None:
    fetched = fetched_from(tmp_path, {"pol/data.tsv": PAIRS}, absent=("deu/data.tsv",))
    assert [*fetched.suites().suites] == ["pol-data.json"]
