"""Steps: the commands that a study is done by, at each scale."""

from dataclasses import replace
from pathlib import Path

from tests.studies.studies import MATERIALS, SMALL, TRAINED, VARIANTS, study_of

from pommel.studies import Asked, Study
from pommel.studies.steps import Step, StudySteps


def lines(study: Study, asked: Asked) -> dict[str, str]:
    """Return the commands by the names of their steps."""
    return {each.name: each.line for each in StudySteps.of(study, asked).steps}


def test_a_study_is_commands_that_one_might_type(tmp_path: Path) -> None:
    found = lines(study_of(tmp_path, TRAINED), Asked(offline=True))
    assert found == {
        "fetch-clams": "pommel fetch clams '--only=tables/*' --force -o published/clams --offline",
        "import-clams": "pommel import-results published/clams/tables/*_table2.csv --from clams "
        "--store published.sqlite",
        "text-de": "pommel generate texts:de --text 500 --seed 1 -o text/de.txt",
        "text-fr": "pommel generate texts:fr --text 500 --seed 1 -o text/fr.txt",
        "text-de+fr": "cat text/de.txt text/fr.txt > text/de+fr.txt",
        "train-lstm-de": "pommel train lstm text/de.txt -o models/lstm-de --seed=1 --seed=2 "
        "--epochs 1",
        "train-lstm-fr": "pommel train lstm text/fr.txt -o models/lstm-fr --seed=1 --seed=2 "
        "--epochs 1",
        "train-lstm-both": "pommel train lstm text/de+fr.txt -o models/lstm-both --seed=1 --seed=2",
        "train-bigram-de": "pommel train ngram text/de.txt -o models/bigram-de.arpa.gz --order 2 "
        "--smoothing laplace",
        "train-bigram-fr": "pommel train ngram text/fr.txt -o models/bigram-fr.arpa.gz --order 2 "
        "--smoothing laplace",
        "run-1-de": "pommel run 'lstm://models/lstm-de/seed-*' 'lstm://models/lstm-both/seed-*' "
        "ngram://models/bigram-de.arpa.gz suites:de/agreement --score pairs "
        "--store store.sqlite --offline",
        "run-1-fr": "pommel run 'lstm://models/lstm-fr/seed-*' 'lstm://models/lstm-both/seed-*' "
        "ngram://models/bigram-fr.arpa.gz suites:fr/agreement --score pairs "
        "--store store.sqlite --offline",
        "table-means-published": "pommel stats accuracy --by language --store published.sqlite "
        "--format csv --raw > tables/means.published.csv",
        "table-means-own": "pommel stats accuracy --by language --store store.sqlite "
        "--format csv --raw > tables/means.own.csv",
        "report": "pommel report --store store.sqlite -o report.html --title 'A study of texts'",
    }


def test_a_step_stands_behind_what_it_needs(tmp_path: Path) -> None:
    steps = StudySteps.of(study_of(tmp_path, TRAINED), Asked()).steps
    names = [each.name for each in steps]
    for step in steps:
        assert {*step.needs} <= {*names[: names.index(step.name)]}
    needs = {each.name: each.needs for each in steps}
    assert needs["train-lstm-both"] == ("text-de+fr",)
    assert needs["run-1-fr"] == ("train-lstm-fr", "train-lstm-both", "train-bigram-fr")


def test_a_given_text_takes_the_place_of_a_generated_one(tmp_path: Path) -> None:
    own = tmp_path / "german.txt"
    found = lines(study_of(tmp_path, TRAINED), Asked(corpora={"de": own}))
    assert "text-de" not in found
    assert found["train-lstm-de"].startswith(f"pommel train lstm {own} -o")
    assert found["text-de+fr"] == f"cat {own} text/fr.txt > text/de+fr.txt"


def test_public_models_run_by_a_plan_at_the_scale_of_the_paper(tmp_path: Path) -> None:
    made = StudySteps.of(study_of(tmp_path, TRAINED), Asked(scale="paper", launch="slurm -p gpu"))
    found = {each.name: each.line for each in made.steps}
    assert found["plan-2"] == (
        "pommel plan make huggingface://bigscience/bloom-7b1 suites:de --minutes 60 -o plans/2.json"
    )
    assert found["launch-2"] == "pommel launch slurm plans/2.json -o shards/2 -p gpu"
    assert found["run-2"] == "pommel runs merge shards/2 --store store.sqlite"
    assert found["train-lstm-de"].split()[3] == "corpora/de.txt"
    assert made.missing_corpora == ("de", "fr")
    assert made.hours == 4


def test_what_a_machine_has_is_told_to_the_steps_that_take_it(tmp_path: Path) -> None:
    study = study_of(tmp_path, TRAINED)
    asked = Asked(device="cuda:0,cuda:1", dtype="bfloat16", max_memory="8G")
    found = lines(study, asked)
    assert found["train-lstm-de"].endswith(" --epochs 1 --device cuda:0")
    assert "cuda" not in found["train-bigram-de"] + found["text-de"] + found["report"]
    assert found["run-1-de"].endswith(
        " --score pairs --dtype bfloat16 --store store.sqlite --device cuda:0,cuda:1 "
        "--max-memory 8G"
    )
    found = lines(study, replace(asked, scale="paper", launch="local --device=cuda:3"))
    assert " --dtype bfloat16 --minutes 60 " in found["plan-2"]
    # Of two places, workers score at the one that was named for them.
    assert found["launch-2"] == (
        "pommel launch local plans/2.json -o shards/2 --device=cuda:3 --max-memory 8G"
    )


def test_suites_of_the_paper_are_made_before_models_run_on_them(tmp_path: Path) -> None:
    made = StudySteps.of(study_of(tmp_path, TRAINED + MATERIALS), Asked(scale="paper"))
    steps = {each.name: each for each in made.steps}
    assert steps["materials-gevalm"].line == (
        "pommel fetch gevalm '--only=data/input/S*' --suites --force -o materials/gevalm"
    )
    for name in ("plan-3", "run-4-de"):
        assert "materials-gevalm" in steps[name].needs
        assert " materials/gevalm/*_sg.json" in steps[name].line
    assert "materials-gevalm" not in lines(study_of(tmp_path, TRAINED + MATERIALS), Asked())


def test_variants_are_written_before_models_run_on_them(tmp_path: Path) -> None:
    study = study_of(tmp_path, TRAINED + MATERIALS + VARIANTS)
    steps = {each.name: each for each in StudySteps.of(study, Asked()).steps}
    assert steps["variants-small-fr"].line == (
        "pommel suites export suites:fr/agreement --first-letter small -o variants/small-fr"
    )
    assert "variants-small-fr" in steps["run-5-fr"].needs
    assert " variants/small-fr/*.json" in steps["run-5-fr"].line
    assert "variants-capital" not in steps
    steps = {each.name: each for each in StudySteps.of(study, Asked(scale="paper")).steps}
    assert steps["variants-capital"].needs == ("materials-gevalm",)
    assert steps["variants-capital"].words[-4:-2] == ("--first-letter", "capital")
    assert "variants-capital" in steps["plan-6"].needs
    assert "variants-small-fr" not in steps


def test_a_statistic_may_be_another_one_at_each_scale(tmp_path: Path) -> None:
    own = 'own = "stats accuracy --by language"'
    assert own in TRAINED
    study = study_of(tmp_path, TRAINED.replace(own, 'own.paper = "stats accuracy --by suite"'))
    assert "table-means-own" not in lines(study, Asked())
    found = lines(study, Asked(scale="paper"))
    assert found["table-means-own"].startswith("pommel stats accuracy --by suite --store")
    several = 'own.paper = "stats accuracy --by suite"\nown.other = "stats accuracy --by circuit"'
    study = study_of(tmp_path, TRAINED.replace(own, several))
    found = lines(study, Asked())
    assert found["table-means-own"].startswith("pommel stats accuracy --by circuit --store")
    found = lines(study, Asked(scale="paper"))
    assert found["table-means-own"].startswith("pommel stats accuracy --by suite --store")


def test_a_figure_may_be_that_of_a_statistic(tmp_path: Path) -> None:
    figure = """
[[figures]]
name = "sizes"
title = "Sizes"
options = "stats complexity --pool all --complexity {study}/sizes.csv"
"""
    study = study_of(tmp_path, SMALL + figure)
    step = next(each for each in StudySteps.of(study, Asked()).steps if "figure" in each.name)
    assert step.line == (
        f"pommel stats complexity --pool all --complexity {tmp_path}/sizes.csv "
        "--store store.sqlite --plot figures/sizes.svg"
    )
    assert step.reads == (f"{tmp_path}/sizes.csv",)
    assert study.files == (tmp_path / "study.toml", tmp_path / "sizes.csv")


def test_ratings_are_words_of_statistics_where_there_are_any(tmp_path: Path) -> None:
    figure = (
        '\n[[figures]]\nname = "auc"\ntitle = "AUC"\noptions = "stats auc --ratings={ratings}"\n'
    )
    study = study_of(tmp_path, SMALL.replace('"stats accuracy"', '"stats auc {ratings}"') + figure)
    assert study.takes_ratings
    plain = lines(study, Asked())
    assert plain["table-scores-own"].startswith("pommel stats auc --store store.sqlite")
    assert plain["figure-auc"].startswith("pommel stats auc --store store.sqlite")
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    steps = StudySteps.of(study, Asked(ratings={"": one, "students": other})).steps
    found = {each.name: each for each in steps}
    assert found["table-scores-own"].words[:4] == ("stats", "auc", str(one), f"students={other}")
    assert found["figure-auc"].line.startswith(
        f"pommel stats auc --ratings={one} --ratings=students={other} --store"
    )
    # What is said otherwise in a file makes another table.
    for name in ("table-scores-own", "figure-auc"):
        assert {*found[name].reads} == {str(one), str(other)}
    assert found["run-1-de"].reads == found["report"].reads == ()


def test_what_reads_fetched_files_stands_behind_the_step_that_fetches_them(tmp_path: Path) -> None:
    own = 'own = "stats accuracy --by language"'
    reading = "stats complexity --complexity materials/gevalm/sizes.csv"
    figure = f'\n[[figures]]\nname = "sizes"\ntitle = "Sizes"\noptions = "{reading}"\n'
    text = TRAINED.replace(own, f'own = "{reading}"') + MATERIALS + figure
    steps = StudySteps.of(study_of(tmp_path, text), Asked(scale="paper")).steps
    needs = {each.name: each.needs for each in steps}
    assert "materials-gevalm" in needs["table-means-own"]
    assert "materials-gevalm" in needs["figure-sizes"]
    assert "fetch-clams" not in needs["figure-sizes"]
    for step in steps:
        assert {*step.needs} <= needs.keys()


def test_a_suite_beside_the_study_is_found_from_anywhere(tmp_path: Path) -> None:
    (tmp_path / "de.json").touch()
    found = lines(study_of(tmp_path, SMALL), Asked())
    assert found["run-1-de"].split()[3] == str(tmp_path / "de.json")
    assert found["run-1-sw"].split()[3] == "sw.json"


def test_patterns_match_what_was_fetched(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv"):
        path = tmp_path / "published" / "x" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    step = Step(name="import-x", words=("import-results", "published/x/*.csv", "--column=p*"))
    assert step.expanded(tmp_path) == [
        "import-results",
        "published/x/a.csv",
        "published/x/b.csv",
        "--column=p*",
    ]
