"""What lies in the folder in which a page is run, under the names that the page uses.

A part of a page is run in one folder: from a heading on, to the next one that has a part of its
own. Nothing here is what a reader is told to make; that is in the page.
"""

import contextlib
import json
import os
import pickle
import random
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, Self

import openpyxl
from tests.builders import suite_value
from tests.docs.pages import REPOSITORY, Block, Page
from tests.docs.running import PageError, Workplace
from tests.endpoint_server.language_model import LanguageModel
from tests.endpoint_server.running import serving
from tests.models.lstm.folders import save_random_lstm
from tests.sources.fetch.shared_files import files_beside

from pommel.files import sha256_of
from pommel.sources.fetch.source import PublishedSource

# Puts what is needed into a workplace's folder.
Prepare = Callable[[Workplace], None]

PUBLISHED = REPOSITORY.parent / "shared" / "data"
_SUITES = REPOSITORY / "suites"
EN_GPT2 = REPOSITORY / "runner" / "pommel" / "shipped" / "builtin" / "en-gpt2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What of a page is run in one folder; `is_full`: it needs published data, or long."""

    blocks: Sequence[Block]
    prepare: Prepare
    is_full: bool


def parts(page: Page) -> Iterator[Part]:
    """Yield the parts of a page in their order."""
    begun, blocks = (page.name, ""), list[Block]()
    for block in page.blocks:
        here = (page.name, block.heading)
        if here != begun and here in _PREPARED:
            yield Part(blocks=blocks, prepare=_prepare_of(begun), is_full=begun in _FULL)
            begun, blocks = here, []
        blocks.append(block)
    yield Part(blocks=blocks, prepare=_prepare_of(begun), is_full=begun in _FULL)


def _prepare_of(begun: tuple[str, str]) -> Prepare:
    return _PREPARED.get(begun, _nothing)


# --- Suites ---------------------------------------------------------------------------------------

# Three kinds of sentences of the same words, of which any model knows some.
_WORDS = ("The", "the", "dog", "dogs", "barks", "bark", "is", "are", "good", ".")


def _nothing(_place: Workplace) -> None:
    pass


def _my_suite(place: Workplace) -> None:
    _write(place, "my_suite.json", json.dumps(suite_value(name="my_suite"), indent=2))


def _write(place: Workplace, name: str, text: str) -> None:
    path = place.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _shipped(name: str) -> Path:
    """Return the file of a shipped English suite."""
    (path,) = (_SUITES / "en").rglob(f"{name}.json")
    return path


def _ran(place: Workplace, *commands: str) -> None:
    for command in commands:
        outcome = place.command(command)
        if outcome.status != 0:
            raise PageError(f"$ {command}\n{outcome.output}")


def _broken_suite(place: Workplace) -> None:
    text = _shipped("number_prep").read_text("utf-8")
    _write(place, "broken.json", _with_mistakes(text, ("%mismatch_sing%", "%mismatch_sng%")))


def _suite_of_many_faults(place: Workplace) -> None:
    """A formula, a space, a key and a condition that are not as they should be."""
    _broken_suite(place)
    value = json.loads((place.folder / "broken.json").read_bytes())
    items = value["items"]
    region = items[5]["conditions"][0]["regions"][1]
    region["content"] = f" {region['content']}"
    region = items[7]["conditions"][2]["regions"][0]
    region["contnt"] = region.pop("content")
    del items[16]["conditions"][1]
    _write(place, "broken.json", json.dumps(value, indent=1, ensure_ascii=False))


# --- Models ---------------------------------------------------------------------------------------


def _families(place: Workplace, steps: Iterable[int] = (1000,)) -> None:
    """Seeds of a network with random weights, and steps of a model in the Hugging Face format."""
    _my_suite(place)
    for seed in (1, 2):
        for folder in ("models/en", "en"):
            (place.folder / folder).mkdir(parents=True, exist_ok=True)
            save_random_lstm(place.folder / folder / f"seed-{seed}", _WORDS)
    for step in steps:
        _as_from_hub(place, f"runs/checkpoint-{step}")


def _as_from_hub(place: Workplace, name: str) -> Path:
    folder = place.folder / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(EN_GPT2, folder)
    return folder


def _hub(place: Workplace, *names: str) -> None:
    """Put a small model in the place of each of these, under its name."""
    place.stand_ins = {
        f"huggingface://{name}": f"huggingface://{_as_from_hub(place, f'hub/{name}')}"
        for name in names
    }


def _my_model(place: Workplace) -> None:
    shutil.copytree(EN_GPT2, place.folder / "my-model")


def _capitalization(place: Workplace) -> None:
    _families(place)
    (place.folder / "my_suites").mkdir()
    shutil.move(place.folder / "my_suite.json", place.folder / "my_suites")


def _training(place: Workplace) -> None:
    """A text, and a network that another program has trained."""
    lines = [f"{subject} {verb} .\n" for subject in _WORDS[:4] for verb in _WORDS[4:9]]
    _write(place, "corpus.txt", "".join(lines * 5))
    import torch
    from safetensors.torch import load_file

    folder = save_random_lstm(place.folder / "other", _WORDS)
    torch.save(load_file(folder / "model.safetensors"), place.folder / "model.pt")
    shutil.copy(folder / "vocabulary.txt", place.folder / "vocab.txt")
    place.stand_ins = {"embedding_size=650, hidden_size=650": "embedding_size=12, hidden_size=16"}


# --- Grammars and formats -------------------------------------------------------------------------

_NOUNS = {
    "Lehrer": ("der Lehrer", "den Lehrer", "dem Lehrer"),
    "Schüler": ("der Schüler", "den Schüler", "dem Schüler"),
    "Baum": ("der Baum", "den Baum", "dem Baum"),
    "Vater": ("der Vater", "den Vater", "dem Vater"),
    "Ball": ("der Ball", "den Ball", "dem Ball"),
    "Sohn": ("der Sohn", "den Sohn", "dem Sohn"),
    "Lehrerin": ("die Lehrerin", "die Lehrerin", "der Lehrerin"),
}
_BROKEN_AVG = """\
vary: V[]
S[] le N[s] V[3,s]
S[] les N[p] V3,p]
N[p] chats
V[3,s] dort
V[3,p] dorment
N[s] V[s]
"""
_BROKEN_CFG = """\
S -> NP_sg V_sg | NP_pl V_pl | NP_sg V_sg 'weil' NP_sg V_sg
NP_sg -> 'der Autor' | 'der Autor' PP
NP_pl -> 'die Autoren' | 'die Autoren' PP
PP -> 'neben' N | 'neben' N PP
N -> 'dem Richter'
V_sg -> 'lacht'
V_pl -> 'lachen'
%contrast V_sg V_pl
"""


def _generation(place: Workplace) -> None:
    """The page's own grammar under its name, beside grammars with mistakes."""
    grammars = {block.about: block.content for block in _blocks_of("docs/generation.md")}
    _write(place, "simple_agrmt.avg", grammars["simple_agrmt.avg"])
    _write(place, "broken.avg", _BROKEN_AVG)
    _write(place, "broken.cfg", _BROKEN_CFG)
    template = _with_mistakes(
        grammars["possessor.template"],
        ("class = S.class", "clas = S.class"),
        ("{AGR.subj}li{V.word}", "{AGR.subj}li{W.word}"),
        ("{WRONG.subj}li{V.word}", "{WRONG.subj}li{W.word}"),
        ("(3;%bad%)", "(5;%bad%)"),
    )
    _write(place, "broken.template", template)
    design = _with_mistakes(
        grammars["arguments.design"], ("| acc Baum", "| akk Baum"), ("Vater", "Vatr")
    )
    lehrerin = "template: nom Lehrerin | acc Ball | dat Sohn | verb schenkt\n"
    _write(place, "broken.design", design + lehrerin)
    rows = [("word", "nom", "acc", "dat"), *((word, *forms) for word, forms in _NOUNS.items())]
    _write(place, "nouns.csv", "".join(f"{','.join(row)}\n" for row in rows))


def _blocks_of(name: str) -> list[Block]:
    return Page(name, (REPOSITORY / name).read_text("utf-8")).blocks


def _with_mistakes(text: str, *changes: tuple[str, str]) -> str:
    for right, wrong in changes:
        assert right in text
        text = text.replace(right, wrong, 1)
    return text


def _formats(place: Workplace) -> None:
    _my_suite(place)
    shutil.move(place.folder / "my_suite.json", place.folder / "suite.json")
    shutil.copy(_shipped("number_orc"), place.folder)
    pair = (
        "Who should Derek hug after shocking Richard?",
        "Who should Derek hug Richard after shocking?",
    )
    blimp = {
        **dict(zip(("sentence_good", "sentence_bad"), pair, strict=True)),
        "field": "syntax",
        "linguistics_term": "island_effects",
        "UID": "adjunct_island",
        "simple_LM_method": True,
        "one_prefix_method": False,
        "two_prefix_method": False,
        "lexically_identical": True,
        "pairID": "0",
    }
    _write(place, "adjunct_island.jsonl", json.dumps(blimp) + "\n")
    cases = {"sing_MS_MV": [("the author laughs", "the author laugh")]}
    (place.folder / "simple_agrmt.pickle").write_bytes(pickle.dumps(cases, protocol=3))
    sides = "the dogs near the cat bark .\tthe dogs near the cat barks ."
    _write(place, "pairs.tsv", f"grammatical\tungrammatical\n{sides}\n")
    sheep = "the sheep sleep ."
    _write(place, "sheep.tsv", f"grammatical\tungrammatical\n{sides}\n{sheep}\t{sheep}\n")
    rows = [
        ("item_number", "condition_name", "region_number", "region_name", "content"),
        (1, "match", 1, "subject", "Der Hund, der Katzen jagt,"),
        (1, "match", 2, "verb", "bellt"),
        (1, "mismatch", 1, "subject", "Der Hund, der Katzen jagt,"),
        (1, "mismatch", 2, "verb", "bellen"),
    ]
    _write(place, "german.csv", "".join(";".join(map(str, row)) + "\n" for row in rows))
    book = openpyxl.Workbook()
    book.worksheets[0].title = "regions"
    for row in rows:
        book.worksheets[0].append(row)
    book.worksheets[0]["E3"] = True
    book.save(place.folder / "typed.xlsx")
    misspelt = {"sentence_god": "the dogs bark .", "sentence_bad": "the dogs barks ."}
    _write(place, "broken.jsonl", f"{json.dumps(misspelt)}\n")
    (place.folder / "hostile.pickle").write_bytes(pickle.dumps(_Hostile(), protocol=2))


class _Hostile:
    """What would run a command where it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("false",)


# --- Kept runs ------------------------------------------------------------------------------------


def _runs(
    *suites: str, models: Iterable[str] = ("en-gpt2", "en-ngram"), options: str = ""
) -> Prepare:
    """Return what runs built-in models on shipped suites, and keeps the runs."""

    def prepare(place: Workplace) -> None:
        for model in models:
            _ran(place, f"pommel run builtin://{model} {' '.join(suites)} {options}")

    return prepare


def _together(*each: Prepare) -> Prepare:
    def prepare(place: Workplace) -> None:
        for one in each:
            one(place)

    return prepare


def _submission(place: Workplace) -> None:
    _ran(
        place,
        "pommel run builtin://en-ngram suites:en",
        "pommel submit --model en-ngram --by 'A. Linguist' -o en-ngram.pommel.zip",
    )


def _lay_published(place: Workplace) -> None:
    """Lay published files as `pommel fetch NAME -o $DATA/NAME` does, each checked by its sum."""
    data = place.folder / "data"
    place.folder.mkdir(parents=True, exist_ok=True)
    (place.folder / "benchmarks").symlink_to(REPOSITORY / "benchmarks")
    place.stand_ins = {**place.stand_ins, "$DATA": str(data)}
    for name in ("hu2020", "multilingual", "clams", "bert_syntax", "blimp"):
        source = PublishedSource.named(name)
        sums = {file.path: file.sha256 for file in source.files}
        for path, there in files_beside(source, PUBLISHED).items():
            assert sha256_of(there) == sums[path], there
            (data / name / path).parent.mkdir(parents=True, exist_ok=True)
            (data / name / path).symlink_to(there)


def _imported(*commands: str) -> Prepare:
    """Return what keeps published results."""

    def prepare(place: Workplace) -> None:
        _lay_published(place)
        _ran(place, *commands)

    return prepare


_HU_2020 = "pommel import-results $DATA/hu2020/data/raw/sg_results/*.csv --from hu2020"
_MULTILINGUAL = (
    "pommel import-results $DATA/multilingual/tables/accuracies.csv --name multilingual "
    "--items 1000 --items human=50"
)
_CLAMS = "pommel import-results $DATA/clams/tables/table1_table2.csv"
_SWAHILI = """\
suite,complexity,series
swahili-N_of_Poss_V,0,verb
swahili-N_of_Poss_D_V,1,verb
swahili-N_of_Poss_D_A_V,2,verb
"""


def _interrupted(place: Workplace) -> None:
    """Runs of two models, and two runs that were killed before their last batch was kept."""
    store = place.folder / "store.sqlite"
    _runs("number_prep", "number_simple")(place)
    place.command("pommel run builtin://en-gpt2 npi_simple_any npi_src_any")
    with closing(sqlite3.connect(store)) as connection:
        connection.executescript(
            "UPDATE runs SET status = 'running', finished = NULL, check_sum = NULL, scores = '[]'"
            " WHERE suite_name LIKE 'npi%';"
            "DELETE FROM results"
            " WHERE run_key IN (SELECT run_key FROM runs WHERE status = 'running');"
        )
        # The first 384 are of the runs before.
        connection.execute("DELETE FROM scored WHERE scored_id IN (386, 387, 528)")
        connection.execute(
            "DELETE FROM sentences WHERE sentence_id NOT IN (SELECT sentence_id FROM scored)"
        )
        connection.commit()
    value = json.loads(_shipped("number_prep").read_bytes())
    (prediction,) = value["predictions"]
    parts_of_it = prediction["formula"].split(" & ")
    value["predictions"] = [{**prediction, "formula": formula} for formula in parts_of_it]
    _write(place, "edited.json", json.dumps(value))
    value["items"][0]["conditions"][0]["regions"][1]["content"] = "zebra"
    _write(place, "changed.json", json.dumps(value))
    # How large a store is depends on what it says of the machine.
    place.passing = ((re.compile(r"^(bytes .*? )[\d,]+ -> [\d,]+$", re.MULTILINE), "N -> N"),)


def _agreement(place: Workplace) -> None:
    """The suite that the page begins, written to the end and in part."""
    match, mismatch = ("The dog", "barks", "."), ("The dog", "bark", ".")
    whole = {"match": match, "mismatch": mismatch}
    value = suite_value([whole, whole], name="agreement", language="en")
    value["region_meta"] = {"1": "subject", "2": "verb", "3": "rest"}
    _write(place, "finished.json", json.dumps(value))
    for number, item in enumerate(value["items"]):
        for condition in item["conditions"][1 if number == 0 else 0 :]:
            for region in condition["regions"]:
                region["content"] = ""
    _write(place, "begun.json", json.dumps(value))
    sentences = ("item;match;mismatch;verb", "1;The dog | barks | .;The dog | bark | .;bark")
    more = "2;The cats | sleep | .;The cats | sleeps | .;sleep"
    _write(place, "sentences.csv", "\n".join((*sentences, more, "")))


def _hu_2020_suites(place: Workplace) -> None:
    for name in ("mvrr", "npz_ambig"):
        shutil.copy(PUBLISHED / "hu2020" / "suites" / f"{name}.json", place.folder)


def _recorded(place: Workplace) -> None:
    folder = PUBLISHED / "sg_eval"
    shutil.copy(folder / "fgd_hierarchy.json", place.folder)
    shutil.copy(folder / "surprisals_fgd_hierarchy.txt", place.folder / "surprisals.txt")
    shutil.copy(folder / "spec.template.json", place.folder / "spec.json")


def _any_model(place: Workplace) -> None:
    place.stand_ins = {"MODEL": "dummy://"}


def _server(place: Workplace) -> None:
    start = place.until_done.enter_context(serving(LanguageModel()))
    _, address = start(adds_bos=True)
    place.stand_ins = {"http://localhost:8000": address.removesuffix("/v1")}


def _tables(place: Workplace) -> None:
    suites = ("number_simple", "number_prep", "npi_simple_any", "npi_src_any")
    _runs(*suites, options="--regions all")(place)
    shutil.copy(place.folder / "store.sqlite", place.folder / "results.sqlite")


def _items(place: Workplace) -> None:
    _runs("number_simple", "number_prep", models=["en-gpt2"])(place)
    _ran(place, "pommel stats items -o items.csv")


def _trackers(place: Workplace) -> None:
    """Steps of a training, and what stands in for trackers where they are not installed."""
    for step in (1, 2):
        _write(place, "text.txt", "The author laughs .\n" * step)
        _ran(place, f"pommel train ngram text.txt -o steps/step{step}.arpa --order 2")
    stand_ins = {"wandb": Wandb(), "torch.utils.tensorboard": TensorBoard()}
    there = {name for name in ("wandb", "tensorboard") if find_spec(name)}
    # `mock.patch.dict` would forget what the page imports: numpy cannot be imported twice.
    for name, each in stand_ins.items():
        if name.split(".")[-1] not in there:
            sys.modules[name] = each
            place.until_done.callback(sys.modules.pop, name)


class Wandb(ModuleType):
    """As much of wandb as pages use; it takes numbers under names, with a step."""

    def __init__(self) -> None:
        super().__init__("wandb")

    @contextlib.contextmanager
    def init(self, *, project: str, mode: Literal["offline"]) -> Iterator["Wandb"]:
        """Begin a run."""
        assert (project, mode) == ("syntax", "offline")
        yield self

    def log(self, scores: Mapping[str, float], *, step: int) -> None:
        """Take numbers."""
        assert all(isinstance(each, float) for each in scores.values())
        assert ({*scores}, step) == (
            {"agreement/number_simple", "agreement/number_prep", "SG score"},
            1000,
        )


class TensorBoard(ModuleType):
    """As much of torch.utils.tensorboard as pages use."""

    def __init__(self) -> None:
        super().__init__("torch.utils.tensorboard")

    class SummaryWriter:
        """It takes one number at a time."""

        def __init__(self, log_dir: str) -> None:
            assert log_dir == "logs"

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_error: object) -> None:
            pass

        def add_scalar(self, tag: str, value: float, global_step: int) -> None:
            """Take a number."""
            assert isinstance(value, float)
            assert 0 <= value <= 1
            assert tag == "SG score" or tag.startswith("agreement/number_")
            assert global_step in {1, 2, 1000}


def _statistics(place: Workplace) -> None:
    """Published results, a built-in model, two models from the hub, the ids of two runs."""
    _hub(place, "gpt2", "distilgpt2")
    _lay_published(place)
    _ran(
        place,
        "pommel run builtin://en-ngram suites:en",
        "pommel run huggingface://gpt2 huggingface://distilgpt2 suites:en/agreement",
        _HU_2020,
    )
    listed = place.command("pommel runs list --suite number_prep --model '*gpt2' --format csv")
    runs = [line.split(",")[0] for line in listed.output.splitlines()[1:]]
    place.stand_ins = {**place.stand_ins, "3f2a91c07d11": runs[0], "88b0c2": runs[1]}


# To both *der* is likelier than *den*, and *den* than *dem*.
_CASES = """\
-2.5\t<unk>
-99\t<s>\t0
-1\t</s>
-1\tder
-1.2\tden
-1.45\tdem
"""


def _two_ngrams(place: Workplace) -> None:
    """Models of one word, and of two at the beginning of a clause; and ratings by people."""
    _write(place, "unigram.arpa", f"\\data\\\nngram 1=6\n\n\\1-grams:\n{_CASES}\n\\end\\\n")
    pairs = "-0.5\tdass der\n-0.9\tdass den\n-1.4\tdass dem\n"
    _write(
        place,
        "bigram.arpa",
        f"\\data\\\nngram 1=7\nngram 2=3\n\n\\1-grams:\n{_CASES}-2.5\tdass\t0\n\n"
        f"\\2-grams:\n{pairs}\n\\end\\\n",
    )
    _made_up_ratings(place)


def _made_up_ratings(place: Workplace) -> None:
    """Ratings by eight people who like grammatical sentences, and among these plausible ones."""
    (path,) = (_SUITES / "de").rglob("de_argument_structure.json")
    suite = json.loads(path.read_bytes())
    chance = random.Random(1)  # noqa: S311 - an example
    unacceptable = suite["meta"]["unacceptable"].split()
    rows = ["participant,suite,item,condition,rating"]
    for participant in range(1, 9):
        usual = chance.uniform(3, 5)
        for item in suite["items"]:
            for condition in chance.sample(item["conditions"], 8):
                name = condition["condition_name"]
                liked = (name not in unacceptable) + name.startswith("plausible")
                rating = min(7, max(1, round(chance.gauss(usual + liked, 1.5))))
                number = item["item_number"]
                rows.append(f"P{participant},{suite['meta']['name']},{number},{name},{rating}")
    _write(place, "ratings.csv", "\n".join([*rows, ""]))


def _steps_of_french(place: Workplace) -> None:
    """N-gram models of the first sentences of a text, more and more of them, and their runs."""
    suites = ("fr_simple_agrmt", "fr_vp_coord", "fr_long_vp_coord")
    (folder,) = (_SUITES / "fr").glob("agreement")
    sentences = sorted(
        " ".join(region["content"] for region in condition["regions"] if region["content"])
        for path in folder.glob("*.json")
        for item in json.loads(path.read_bytes())["items"]
        for condition in item["conditions"]
        if condition["condition_name"].startswith("match")
    )
    random.Random(1).shuffle(sentences)  # noqa: S311 - an example
    for n in (50, 100, 200, 400, 800, 1600):
        _write(place, "text.txt", "".join(f"{sentence}\n" for sentence in sentences[:n]))
        _ran(place, f"pommel train ngram text.txt -o text/step{n}.arpa --order 3")
    _ran(place, f"pommel run 'ngram://text/step*.arpa' {' '.join(suites)}")


def _complexities(place: Workplace) -> None:
    _imported(_MULTILINGUAL)(place)
    _write(place, "swahili.csv", _SWAHILI)


def _cwals(place: Workplace) -> None:
    _imported(_CLAMS)(place)
    shutil.copy(PUBLISHED / "clams" / "cwals" / "cwals.tsv", place.folder)


def _old_and_damaged(place: Workplace) -> None:
    """A store that was cut off, and one of a later pommel."""
    # How much of a damaged store is whole depends on where its rows lie.
    place.passing = (
        (re.compile(r"^(\w+) +[\d,]+ kept(; up to [\d,]+ lost)?$", re.MULTILINE), r"\1 N kept"),
        (re.compile(r"^\d+ (?=runs (may|lost))", re.MULTILINE), "N "),
    )
    store = place.folder / "store.sqlite"
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = store.read_bytes()
    (place.folder / "damaged.sqlite").write_bytes(content[: len(content) * 6 // 10])
    shutil.copy(store, place.folder / "old.sqlite")
    with closing(sqlite3.connect(place.folder / "old.sqlite")) as connection:
        connection.execute("PRAGMA user_version = 99")


def _planned(place: Workplace) -> None:
    """Make a folder of results that nobody has begun to fill."""
    (place.folder / "results").mkdir()
    arguments = "builtin://en-gpt2 builtin://en-ngram suites:en/agreement --shards 2"
    place.command(f"pommel plan {arguments} -o results/plan.json")


# --- The table ------------------------------------------------------------------------------------

# (page, heading) -> what is there from this heading on; a page without has an empty folder.
_PREPARED: Mapping[tuple[str, str], Prepare] = {
    ("README.md", ""): _my_suite,
    ("docs/capitalization.md", ""): _capitalization,
    ("docs/ci.md", ""): _together(
        _runs("number_simple", "number_prep", models=["en-gpt2"]), _trackers
    ),
    ("docs/cluster.md", "How far it is"): _planned,
    ("docs/cluster.md", "Several processes of one machine"): _planned,
    ("docs/coming-from.md", ""): _my_model,
    ("docs/formats.md", ""): _formats,
    ("docs/formulas.md", ""): _broken_suite,
    ("docs/generation.md", ""): _generation,
    ("docs/leaderboards.md", ""): _submission,
    ("docs/models.md", ""): partial(_families, steps=(1000, 2000)),
    ("docs/models.md", "Recorded surprisals"): _recorded,
    ("docs/reports.md", ""): _runs("number_simple", "number_prep"),
    ("docs/results.md", ""): _families,
    ("docs/submissions.md", ""): _runs("number_simple", models=["en-gpt2"]),
    ("docs/servers.md", ""): _server,
    ("docs/store.md", ""): _interrupted,
    ("docs/store.md", "A damaged store"): _together(
        _runs("suites:en", models=["en-ngram"]), _old_and_damaged
    ),
    ("docs/suites.md", ""): _suite_of_many_faults,
    ("docs/suites.md", "Looking for doubts"): _hu_2020_suites,
    ("docs/suites.md", "Beginning a suite"): _agreement,
    ("docs/suites.md", "Suites that ship with pommel"): _any_model,
    ("docs/tables.md", ""): _tables,
    ("docs/training.md", ""): _training,
    ("docs/reproducing.md", ""): _imported(),
    ("docs/statistics.md", ""): _statistics,
    ("docs/statistics.md", "Accuracy against complexity"): _complexities,
    ("docs/statistics.md", "Accuracy along a training"): _steps_of_french,
    ("docs/statistics.md", "Accuracy against a property"): _cwals,
    ("docs/statistics.md", "Sets of sentences: AUC and preferences"): _two_ngrams,
    ("docs/statistics.md", "Item by item, for other programs"): _items,
    ("docs/statistics.md", "Mixed-effects logistic regression"): _imported(_HU_2020),
    ("docs/statistics.md", "Shares: is a score above chance?"): _nothing,
}
# Parts that need published data, or long.
_FULL: frozenset[tuple[str, str]] = frozenset(
    {
        ("docs/checkpoints.md", ""),
        ("docs/models.md", "Recorded surprisals"),
        ("docs/reproducing.md", ""),
        ("docs/suites.md", "Looking for doubts"),
        ("docs/suites.md", "Suites that ship with pommel"),
        ("docs/statistics.md", ""),
        ("docs/statistics.md", "Accuracy against complexity"),
        ("docs/statistics.md", "Accuracy along a training"),
        ("docs/statistics.md", "Accuracy against a property"),
        ("docs/statistics.md", "Sets of sentences: AUC and preferences"),
        ("docs/statistics.md", "Mixed-effects logistic regression"),
    }
)
