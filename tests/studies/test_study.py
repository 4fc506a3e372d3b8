"""Files of studies: what they may say, and every fault of them at once."""

import itertools
import shutil
from pathlib import Path

import pytest
from tests.studies.studies import SMALL, TRAINED, study_of, written

from pommel.errors import FaultyFileError, InputError, UsageError
from pommel.studies import Study
from pommel.studies.study import LANGUAGE, words_at


def test_a_study_is_what_its_file_says(tmp_path: Path) -> None:
    study = study_of(tmp_path, TRAINED)
    assert study.name == "study"
    assert [each.name for each in study.models][-1] == "large"
    assert study.scales["tiny"].n_seeds == 2
    assert study.languages_of(study.runs[0]) == ("de", "fr")
    assert study.printed_rows(study.tables[0]) == []


NO_SUITE = """
[[variants]]
name = "none"
suites = []
"""


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ('title = "A small study"', "", "", "missing required field `title`"),
        ("[scales.tiny]", "[scales.huge]", "scales", "Invalid enum value 'huge'"),
        ("[scales.tiny]\n", "[scales.tiny]\nn_seeds = 0\n", "scales", "Expected `int` >= 1"),
        ("[[runs]]", "[[runs]]\nsuits = []", "runs", "unknown field `suits`"),
        ("languages = ", "file = 'x'\nlanguages = ", "", "unknown field `file`"),
        ("references = ", "train = 'lstm'\nreferences = ", "models[0].train", "one of both"),
        ('name = "ngram-{language}"', 'name = "a/b"', "models[0].name", "'a/b': write letters"),
        ('models = ["ngram', 'models = ["n-gram', "runs[0].models", "did you mean 'ngram-{lang"),
        ('across = "model_name"', 'across = "suit"', "tables[0].across", "none of the keys"),
        ("stats accuracy", "delete everything", "tables[0].own", "a table is printed by pommel"),
        ("stats accuracy", "stats accuracy 'x", "tables[0].own", "No closing quotation"),
        ('own = "stats accuracy"', "", "tables[0].own", "say how the table is computed"),
        ('value = "acc', 'printed = "no.csv"\nvalue = "acc', "tables[0].printed", "No such file"),
        ('languages = ["de", "sw"]', 'languages = ["../de"]', "languages[0]", "'../de': write"),
        ('paper = "Nobody', 'address = "javascript:x"\npaper = "N', "address", "begins with https"),
        ('title = "A', 'title = "\\u001bA', "title", "not to be seen"),
        ('languages = ["de", "sw"]', "", "models[0].name", "the study says no languages"),
        ("{language}.json", "materials/hu/a.json", "runs[0].suites", "'hu' at the scale tiny"),
        ("{language}.json", "variants/a/b.json", "runs[0].suites", "no variants of 'a' at the"),
        ("{language}.json", "variants/a-{language}/b.json", "runs[0].suites", "of 'a-de' at the"),
        ("[[runs]]", f"{NO_SUITE}[[runs]]", "variants[0].suites", "name a suite at least"),
        ('own = "stats', 'own.tiny = "delete', "tables[0].own.tiny", "a table is printed by"),
        ('own = "stats', 'own.huge = "stats', "tables", "Invalid enum value 'huge'"),
    ],
)
def test_a_fault_has_its_place(tmp_path: Path, old: str, new: str, place: str, said: str) -> None:
    assert old in SMALL
    path = written(tmp_path, SMALL.replace(old, new, 1))
    with pytest.raises(FaultyFileError) as caught:
        Study.read(path)
    (fault,) = (each for each in caught.value.faults if said in each.message)
    assert fault.file == str(path)
    assert place in fault.path


def test_variants_of_some_languages_are_none_of_the_others(tmp_path: Path) -> None:
    variants = NO_SUITE.replace('"none"', '"a-{language}"').replace("[]", '["suites:{language}"]')
    text = SMALL.replace("{language}.json", "variants/a-{language}/b.json") + variants
    study_of(tmp_path, text)
    with pytest.raises(FaultyFileError, match="no variants of 'a-sw' at the scale tiny"):
        study_of(tmp_path, text + 'languages = ["de"]\n')


def test_all_faults_are_said_at_once(tmp_path: Path) -> None:
    text = SMALL.replace('across = "model_name"', 'across = "x"').replace("stats", "stat")
    with pytest.raises(FaultyFileError) as caught:
        study_of(tmp_path, text)
    assert [each.path for each in caught.value.faults] == ["tables[0].own", "tables[0].across"]


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("suite,model_name\na,b\n", "no column 'printed'"),
        ("suite,model_name,printed\n", "or no row"),
        ("suite,model_name,printed\na,b,0.5\na,c,half\n", "row 2: 'half' is no number"),
        ("suite,model_name,printed\na,b,1e-1\n", "row 1: '1e-1' is no number"),
        ("suite,model_name,printed\na,b,.5\na,b,.6\n", "row 2: has the keys of another row, a, b"),
        ("suite,model_name,printed\na,b,.5\na\n", "row 2: has more or fewer cells"),
    ],
)
def test_printed_values_are_looked_at(tmp_path: Path, printed: str, said: str) -> None:
    (tmp_path / "printed.csv").write_text(printed, "utf-8")
    text = SMALL.replace('value = "acc', 'printed = "printed.csv"\nvalue = "acc')
    with pytest.raises(FaultyFileError) as caught:
        study_of(tmp_path, text)
    assert said in str(caught.value)


def test_what_is_no_toml_says_the_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"study\.toml: no TOML: .*line 3"):
        study_of(tmp_path, "title = 'a'\n\n= 3\n")


def test_a_name_that_is_unknown_is_told_with_those_that_are_known() -> None:
    with pytest.raises(UsageError, match=r"no study 'clam'; did you mean clams\?"):
        Study.named("clam")


@pytest.mark.parametrize("name", sorted(Study.shipped()))
def test_what_ships_is_read_also_from_a_copy(tmp_path: Path, name: str) -> None:
    file = Study.shipped()[name]
    shutil.copytree(file.parent, tmp_path / "studies")
    study = Study.read(tmp_path / "studies" / file.name)
    assert study.title == Study.named(name).title
    assert {*study.scales} == {"tiny", "small", "paper"}


@pytest.mark.parametrize("name", sorted(Study.shipped()))
def test_printed_values_stand_beside_models_that_the_study_has(name: str) -> None:
    study = Study.named(name)
    names = {
        reference.rpartition("/")[2] if reference else models.name.replace(LANGUAGE, language)
        for models in study.models
        for reference in models.references or ("",)
        for language in study.languages_of(models)
    }
    for table in study.tables:
        rows = study.printed_rows(table)
        if table.own and "model_name" in table.keys and rows:
            # Several that are shown as one have a name that the statistic gives them.
            words = [word for scale in study.scales for word in words_at(table.own, scale)]
            names |= {
                word.partition("=")[0]
                for option, word in itertools.pairwise(words)
                if option == "--as-one"
            }
            own = {row.get("own_model_name", row["model_name"]) for row in rows} - {""}
            assert own, table.name
            # People are there where somebody has ratings.
            assert own <= names | ({"human"} if study.takes_ratings else set()), table.name
