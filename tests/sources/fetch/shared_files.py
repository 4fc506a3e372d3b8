"""Which of the published files that lie beside a checkout are which files of the table."""

from pathlib import Path

from pommel.sources.fetch.source import PublishedSource

# A file of the table -> the same file among the published data.
SHARED = {
    "hu2020": {
        "test_suites/json/": "hu2020/suites/",
        "data/raw/sg_results/": "hu2020/per_item/",
        "LICENSE": "hu2020/LICENSE",
    },
    "blimp": {"data/": "blimp/", "raw_results/summary/": "blimp/"},
    "clams": {
        "LICENSE": "clams/LICENSE",
        "tables/table1_table2.csv": "clams/table1_table2.csv",
        "tables/cwals.tsv": "clams/cwals/cwals.tsv",
        **{
            f"{language}_{kind}": f"clams/{there}"
            for language in ("de", "en", "fr", "he", "ru")
            for kind, there in (
                ("replication/", f"{language}_replication/"),
                ("evalset/", f"evalset_small/{language}."),
            )
        },
    },
    "lm_syneval": {"data/templates/": "lm_syneval/", "LICENSE.md": "lm_syneval/LICENSE.md"},
    "bert_syntax": {"results/": "bert_syntax/", "LICENSE": "bert_syntax/LICENSE"},
    "multilingual": {"tables/": "multilingual/"},
    "sg_eval": {
        "test_suites/json/": "sg_eval/",
        "test_suites/txt/": "sg_eval/",
        "examples/": "sg_eval/",
        "spec.template.json": "sg_eval/spec.template.json",
        "LICENSE": "sg_eval/LICENSE",
    },
}


def files_beside(source: PublishedSource, shared_data: Path) -> dict[str, Path]:
    """Return where files of a source are, by their paths in the table."""
    found = {}
    for file in source.files:
        for prefix, there in SHARED[source.name].items():
            path = shared_data / f"{there}{file.path.removeprefix(prefix)}"
            if file.path.startswith(prefix) and path.is_file():
                found[file.path] = path
    return found
