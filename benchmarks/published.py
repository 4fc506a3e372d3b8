"""Published results that are no table of columns, as tables that `pommel import-results` reads.

    python benchmarks/published.py hu2020 per_item/*.csv > hu2020.csv
    python benchmarks/published.py clams table1_table2.csv > clams.csv
    python benchmarks/published.py blimp models_summary.jsonl human_summary.csv > blimp.csv
    python benchmarks/published.py bert-syntax results_base.txt --model bert-base > bert.csv

What is dropped or combined is said on standard error. Files are taken for what their authors have
published (`pommel fetch` has their sums): they are not searched for faults.
"""

import argparse
import csv
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from pommel.errors import counted
from pommel.suite import PublishedSuite

_MODEL = r"(?P<name>.+)_(?P<corpus>[^_]*)_(?P<seed>[0-9]+)"
_VOTERS = "ngram"
_FIRST_KEPT_SEED = 1_600_000_000
# Of five pairs, most people have to agree with the labels of so many (Warstadt et al. 2020, 3.3).
_FEWEST_ACCEPTED = 4


def hu2020(files: Sequence[Path]) -> pd.DataFrame:
    """Return the items of Hu et al. (2020), with the procedure of the code that is the paper's.

    The files have the columns `model,suite,item,correct`. A model is NAME_CORPUS_SEED, with an
    empty corpus where it was used as it was published. Items count from 0 there, in the suites and
    here from 1. Of suites with two predictions there is one result, that of the first: import it
    with `--score first`. What the paper's code does before it averages, in this order:

    1. runs of gpt-2 on the corpora bllip-lg-gptbpe and bllip-md-gptbpe whose seed is below
       1,600,000,000 are dropped;
    2. suites whose names begin with gardenpath or nn-nv are dropped: 33 suites are left;
    3. the models 1gram and ngram-no-rand are dropped;
    4. ngram, which decides ties by chance, is one model a corpus, not one a seed: an item holds
       where more than half of the seeds say so.

    Source: Hu et al. (2020), "A systematic assessment of syntactic generalization in neural
    language models", and the notebook in cpllab/syntactic-generalization.
    """
    table = pd.concat([pd.read_csv(path) for path in files], ignore_index=True)
    table = table.join(table["model"].str.extract(f"^{_MODEL}$"))
    rerun = table["corpus"].isin(["bllip-lg-gptbpe", "bllip-md-gptbpe"])
    early = (table["name"] == "gpt-2") & rerun & (table["seed"].astype(int) < _FIRST_KEPT_SEED)
    seeds = table[early]["model"].nunique()
    runs = f"{counted(early.sum(), 'row')} of {counted(seeds, 'seed')} of gpt-2"
    say(f"dropped {runs} below {_FIRST_KEPT_SEED:,}")
    table = table[~early]
    for column, pattern in (("suite", r"(?:gardenpath|nn-nv).*"), ("name", "1gram|ngram-no-rand")):
        dropped = table[column].str.fullmatch(pattern)
        names = ", ".join(sorted(table[dropped][column].unique()))
        say(f"dropped {counted(dropped.sum(), 'row')} of what does not count: {names}")
        table = table[~dropped]
    votes = table["name"] == _VOTERS
    for corpus, seeds in table[votes].groupby("corpus")["seed"].nunique().items():
        say(f"{_VOTERS}_{corpus}: what more than half of {seeds} seeds say of an item")
    shares = table[votes].groupby(["name", "corpus", "suite", "item"], sort=False)["correct"].mean()
    voted = (shares > 1 / 2).reset_index().assign(seed="")
    voted["model"] = voted["name"] + "_" + voted["corpus"]
    table = pd.concat([table[~votes], voted])
    # Members differ in their seed where nothing else tells them apart.
    sizes = table.groupby("name")[["model", "corpus"]].transform("nunique")
    of_seed = (sizes["model"] > 1) & (sizes["corpus"] == 1)
    member = (table["corpus"] + "_" + table["seed"]).str.strip("_")
    return pd.DataFrame(
        {
            "model": table["model"],
            "suite": table["suite"],
            "item": table["item"] + 1,
            "result": table["correct"],
            "family": table["name"],
            "axis": of_seed.map({True: "seed", False: "member"}),
            "member": member.where(~of_seed, table["seed"]),
            "axis_value": table["seed"].where(of_seed, ""),
            "language": "en",
            "chance": table["suite"].map(lambda suite: PublishedSuite(suite).chance),
        }
    )


def clams(files: Sequence[Path]) -> pd.DataFrame:
    """Return the shares of Tables 1 and 2 of Mueller et al. (2020), means over five seeds.

    A row is a language (`lang`) and a `model`, and every other column a construction: of Table 1,
    `mono` and `multi` are LSTMs of one language and of all five. A suite is a construction in a
    language (`fr-simple`), and the construction is its group.
    """
    (path,) = files
    table = pd.read_csv(path, dtype=str)
    say("left out the column published_average, which follows from the others")
    table = table.drop(columns=["published_average", "table"], errors="ignore")
    order = table.assign(row=range(len(table)))
    long = order.melt(["lang", "model", "row"], var_name="group", value_name="share").dropna()
    long = long.sort_values("row", kind="stable")
    names = {"mono": "LSTM mono", "multi": "LSTM multi"}
    return pd.DataFrame(
        {
            "model": long["model"].replace(names),
            "suite": long["lang"] + "-" + long["group"],
            "share": long["share"],
            "language": long["lang"],
            "group": long["group"],
        }
    )


def blimp(files: Sequence[Path]) -> pd.DataFrame:
    """Return the shares of BLiMP (Warstadt et al. 2020): those of models, and what people said.

    Of models there are JSON Lines, a paradigm of 1,000 pairs each, with `UID`, `linguistics_term`
    and a column a model; the term is a suite's circuit and group. Of people there is a CSV with
    `Condition`, `total_mean` (the share of judgements that agree with the labels) and `accepted`:
    in how many of five pairs most people agree. Without four of them (section 3.3) a paradigm is
    not part of BLiMP. Judgements are no items: several people judge one pair.
    """
    models, people = sorted(files, key=lambda path: path.suffix != ".jsonl")
    rows = [json.loads(line, parse_float=str) for line in models.read_text("utf-8").splitlines()]
    n_means = sum(row["UID"] == "overall" for row in rows)
    say(f"left out {counted(n_means, 'row')} of means, which follow from the others")
    terms = {row["UID"]: row["linguistics_term"] for row in rows if row["UID"] != "overall"}
    shares: list[dict[str, object]] = [
        {"model": model, "suite": row["UID"], "share": share, "n_items": 1_000}
        for row in rows
        for model, share in row.items()
        if row["UID"] in terms and model not in {"UID", "linguistics_term"}
    ]
    with people.open(newline="", encoding="utf-8") as file:
        judged = list(csv.DictReader(file))
    accepted = [row for row in judged if int(row["accepted"]) >= _FEWEST_ACCEPTED]
    dropped = [row["Condition"] for row in judged if row not in accepted]
    say(
        f"left out {', '.join(dropped)}: most people agree with the labels of fewer than "
        f"{_FEWEST_ACCEPTED} pairs of five, and BLiMP is without them"
    )
    shares += [
        {"model": "human", "suite": row["Condition"], "share": row["total_mean"]}
        for row in accepted
    ]
    table = pd.DataFrame(shares).astype({"n_items": "Int64"})
    term = table["suite"].map(terms)
    return table.assign(language="en", circuit=term, group=term)


def bert_syntax(
    files: Sequence[Path], model: str = "", suite: str = "", *, by_attractors: bool = False
) -> pd.DataFrame:
    """Return the items that Goldberg's (2019) `bert-syntax` prints: a file is one of a model.

    A line is, with tabs between, `True` or `False`, the number of nouns that intervene, the correct
    form and its logit, the wrong form and its logit, and the sentence. Both logits are of one
    softmax, so that their difference over ln 2 is how much more probable the correct form is, in
    bits. Of Marvin & Linzen's sentences it is, with spaces between, `True` or `False`, case,
    subcase, forms and sentence: a suite is a case. What was skipped, since BERT has no such word,
    is a skipped item, which has its number among all sentences. With `by_attractors` there is a
    suite for each number of intervening nouns, its complexity.
    """
    rows: list[dict[str, object]] = []
    for path in files:
        own: list[dict[str, object]] = []
        n_skipped = 0
        for line in path.read_text("utf-8").splitlines():
            row: dict[str, object] = {"model": model or path.stem, "suite": suite or "bert-syntax"}
            if line.startswith("skipping"):
                own.append({**row, "result": ""})
                n_skipped += 1
                continue
            if not line.startswith(("True", "False")):
                continue
            if "\t" in line:
                correct, n_nouns, _, first, _, second, _ = line.split("\t")
                row |= {"result": correct, "complexity": n_nouns}
                row["margin_bits"] = (float(first) - float(second)) / math.log(2)
                row["tie"] = row["margin_bits"] == 0
            else:
                correct, case, *_ = line.split(" ")
                # What was skipped follows nevertheless, as False.
                row |= {"suite": case, "result": "" if n_skipped else correct}
                own = own[: len(own) - n_skipped]
            own.append(row)
            n_skipped = 0
        rows += [{**row, "item": number} for number, row in enumerate(own, start=1)]
    table = pd.DataFrame(rows)
    for name, of_model in table.groupby("model", sort=False):
        n_skipped = (of_model["result"] == "").sum()
        say(f"{name}: {len(of_model)} items, {n_skipped} of them skipped")
    if by_attractors:
        say("of what was skipped nobody says how many nouns intervene; it is left out")
        table = table[table["complexity"].notna()]
        table = table.assign(group=table["suite"], suite=table["suite"] + "-" + table["complexity"])
    elif "complexity" in table:
        table = table.drop(columns="complexity")
    return table.assign(language="en", chance=0.5)


MAKERS: Mapping[str, Callable[..., pd.DataFrame]] = {
    "hu2020": hu2020,
    "clams": clams,
    "blimp": blimp,
    "bert-syntax": bert_syntax,
}


def say(line: str) -> None:
    """Print what was dropped or combined."""
    print(f"note: {line}", file=sys.stderr)


def main() -> None:
    """Print the table of the results that are named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", choices=MAKERS)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--model", default="", help="of bert-syntax: what the model is called")
    parser.add_argument("--suite", default="", help="of bert-syntax: what the suite is called")
    parser.add_argument("--by-attractors", action="store_true", help="of bert-syntax")
    chosen = parser.parse_args()
    made = MAKERS[chosen.name]
    if made is bert_syntax:
        made = partial(
            made, model=chosen.model, suite=chosen.suite, by_attractors=chosen.by_attractors
        )
    made(chosen.files).to_csv(sys.stdout, index=False)


if __name__ == "__main__":
    main()
