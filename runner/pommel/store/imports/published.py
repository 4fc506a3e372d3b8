"""Published results that are no table of columns, as tables that are.

A function for each of them returns a frame with the columns of `results`, and in the column `row`
where each of its rows comes from.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pommel.errors import Fault, FaultyFileError, counted, quoted
from pommel.files import CsvRow, CsvTable, DecodedText
from pommel.store.imports.tables import (
    ResultTable,
    is_missing,
    number_of,
    read_table,
    truth_of,
    whole_of,
)
from pommel.suite import PublishedSuite

if TYPE_CHECKING:
    import pandas as pd

_MODEL = r"(?P<name>.+)_(?P<corpus>[^_]*)_(?P<seed>[0-9]+)"
_VOTERS = "ngram"
_FIRST_KEPT_SEED = 1_600_000_000
# Of five pairs, most people have to agree with the labels of so many (Warstadt et al. 2020, 3.3).
_FEWEST_ACCEPTED = 4
_HINT = "name a file as it was published"


@dataclass(slots=True)
class PublishedFiles:
    """Published files, and what is said while a table is made of them.

    `model` and `suite` are names for what the files do not name, "" for the usual ones. `faults`
    has what is wrong with the files, `notes` what was dropped or combined, and `files` their names
    and the SHA-256 of their bytes.
    """

    paths: Sequence[Path]
    faults: list[Fault]
    model: str = ""
    suite: str = ""
    notes: list[str] = field(default_factory=list)
    files: list[tuple[str, str]] = field(default_factory=list)

    def frame(self, path: Path, *columns: str) -> "pd.DataFrame":
        """Return a file's table with all cells as texts, and its rows in the column `row`.

        Raises `FaultyFileError` where one of these columns is missing, or all rows are wrong.
        """
        import pandas as pd

        table = read_table(path, self.faults)
        self.files.append((path.name, table.sha256))
        missing = [name for name in columns if name not in table.header]
        if table.header:
            for name in missing:
                table.refuse_all(f"there is no column {name!r}", _HINT)
        if missing or not table.rows:
            raise FaultyFileError(self.faults)
        frame = pd.DataFrame([row.fields for row in table.rows], columns=table.header, dtype=object)
        return frame.assign(row=pd.Series(table.rows, dtype=object))

    def lines(self, path: Path) -> list[CsvRow]:
        """Return a file's lines as rows of a single field."""
        read = DecodedText.read(path)
        self.files.append((path.name, read.sha256))
        return [
            CsvRow(file=str(path), line=number, text=line, fields=(line,))
            for number, line in enumerate(read.text.splitlines(), start=1)
        ]

    def refuse(self, row: CsvRow, message: str, hint: str) -> None:
        """Note what is wrong with a row."""
        self.faults.append(row.place(0).fault(message, hint))

    def kept(
        self, table: "pd.DataFrame", good: "pd.Series", message: str, hint: str
    ) -> "pd.DataFrame":
        """Return the rows that are good (n_rows,); the others are faults."""
        for row in table[~good]["row"]:
            self.refuse(row, message, hint)
        return table[good]

    def made(self, table: "pd.DataFrame") -> ResultTable:
        """Return a frame as a table that was read; its rows stand where they come from."""
        cells = table.drop(columns="row")
        values = cells.astype(object).where(cells.notna(), "").itertuples(index=False)
        header, file = (*cells.columns,), str(self.paths[0])
        rows = tuple(
            replace(row, fields=tuple(map(str, fields)))
            for row, fields in zip(table["row"], values, strict=True)
        )
        head = CsvRow(file=file, line=1, text="", fields=header)
        return ResultTable(
            path=self.paths[0],
            sha256="",
            table=CsvTable(file=file, rows=(head,), faults=()),
            header=header,
            rows=rows,
            faults=self.faults,
        )


def hu2020(read: PublishedFiles) -> "pd.DataFrame":
    """Return the items of Hu et al. (2020), with the procedure of the code that is the paper's.

    The files have the columns `model,suite,item,correct`. A model is NAME_CORPUS_SEED, with an
    empty corpus where it was used as it was published. Items count from 0 there, in the suites and
    here from 1. Of suites with two predictions there is one result, that of the first: the score
    rule is "first". What the paper's code does before it averages, in this order:

    1. runs of gpt-2 on the corpora bllip-lg-gptbpe and bllip-md-gptbpe whose seed is below
       1,600,000,000 are dropped;
    2. suites whose names begin with gardenpath or nn-nv are dropped: 33 suites are left;
    3. the models 1gram and ngram-no-rand are dropped;
    4. ngram, which decides ties by chance, is one model a corpus, not one a seed: an item holds
       where more than half of the seeds say so.

    Source: Hu et al. (2020), "A systematic assessment of syntactic generalization in neural
    language models", and the notebook in cpllab/syntactic-generalization.
    """
    import pandas as pd

    needed = ("model", "suite", "item", "correct")
    table = pd.concat([read.frame(path, *needed) for path in read.paths], ignore_index=True)
    table = table.join(table["model"].astype("string").str.extract(f"^{_MODEL}$"))
    good = table["name"].notna()
    table = read.kept(table, good, "the model is none of NAME_CORPUS_SEED", _HINT)
    table = table.assign(item=table["item"].map(whole_of), correct=table["correct"].map(truth_of))
    good = table["item"].notna() & table["correct"].notna()
    table = read.kept(table, good, "there is no item with a result of True or False", _HINT)
    table = table.astype({"item": int, "correct": bool})
    rerun = table["corpus"].isin(["bllip-lg-gptbpe", "bllip-md-gptbpe"])
    early = (table["name"] == "gpt-2") & rerun & (table["seed"].astype(int) < _FIRST_KEPT_SEED)
    if early.any():
        seeds = table[early]["model"].nunique()
        runs = f"{counted(early.sum(), 'row')} of {counted(seeds, 'seed')} of gpt-2"
        read.notes.append(f"dropped {runs} below {_FIRST_KEPT_SEED:,}")
        table = table[~early]
    for column, pattern in (("suite", r"(?:gardenpath|nn-nv).*"), ("name", "1gram|ngram-no-rand")):
        dropped = table[column].astype("string").str.fullmatch(pattern).astype(bool)
        if dropped.any():
            names = ", ".join(sorted(table[dropped][column].unique()))
            rows = counted(dropped.sum(), "row")
            read.notes.append(f"dropped {rows} of what does not count: {names}")
            table = table[~dropped]
    votes = table["name"] == _VOTERS
    for corpus, seeds in table[votes].groupby("corpus")["seed"].nunique().items():
        read.notes.append(
            f"{_VOTERS}_{corpus}: what more than half of {seeds} seeds say of an item"
        )
    of_item = table[votes].groupby(["name", "corpus", "suite", "item"], sort=False)
    voted = of_item.agg(correct=("correct", "mean"), row=("row", "first")).reset_index()
    voted = voted.assign(seed="", correct=voted["correct"] > 1 / 2)
    voted["model"] = voted["name"] + "_" + voted["corpus"]
    table = pd.concat([table[~votes], voted]) if len(voted) else table
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
            "row": table["row"],
        }
    )


def clams(read: PublishedFiles) -> "pd.DataFrame":
    """Return the shares of Tables 1 and 2 of Mueller et al. (2020), means over five seeds.

    A row is a language (`lang`) and a `model`, and every other column a construction: of Table 1,
    `mono` and `multi` are LSTMs of one language and of all five. A suite is a construction in a
    language (`fr-simple`), and the construction is its group.
    """
    import pandas as pd

    table = pd.concat([read.frame(path, "lang", "model") for path in read.paths])
    if "published_average" in table:
        read.notes.append("left out the column published_average, which follows from the others")
    table = table.drop(columns=["published_average", "table"], errors="ignore")
    order = table.assign(number=range(len(table)))
    long = order.melt(
        ["lang", "model", "number", "row"], var_name="group", value_name="share"
    ).dropna()
    long = long[~long["share"].map(is_missing).astype(bool)].sort_values("number", kind="stable")
    names = {"mono": "LSTM mono", "multi": "LSTM multi"}
    return pd.DataFrame(
        {
            "model": long["model"].replace(names),
            "suite": long["lang"] + "-" + long["group"],
            "share": long["share"],
            "language": long["lang"],
            "group": long["group"],
            "row": long["row"],
        }
    )


def blimp(read: PublishedFiles) -> "pd.DataFrame":
    """Return the shares of BLiMP (Warstadt et al. 2020): those of models, and what people said.

    Of models there are JSON Lines, a paradigm of 1,000 pairs each, with `UID`, `linguistics_term`
    and a column a model; the term is a suite's circuit and group. Of people there is a CSV with
    `Condition`, `total_mean` (the share of judgements that agree with the labels) and `accepted`:
    in how many of five pairs most people agree. Without four of them (section 3.3) a paradigm is
    not part of BLiMP. Judgements are no items: several people judge one pair.
    """
    import pandas as pd

    columns = ["model", "suite", "share", "n_items", "row"]
    shares = [pd.DataFrame(columns=columns)]
    terms: dict[str, str] = {}
    of_models = [path for path in read.paths if path.suffix == ".jsonl"]
    for path in of_models:
        table = read.frame(path, "UID", "linguistics_term")
        is_mean = table["UID"] == "overall"
        means = counted(is_mean.sum(), "row")
        read.notes.append(f"left out {means} of means, which follow from the others")
        table = table[~is_mean]
        terms |= dict(zip(table["UID"], table["linguistics_term"], strict=True))
        order = table.assign(n_items=1_000, number=range(len(table)))
        facts = ["UID", "linguistics_term", "n_items", "number", "row"]
        long = order.melt(facts, var_name="model", value_name="share")
        long = long.sort_values("number", kind="stable").rename(columns={"UID": "suite"})
        shares.append(long[columns])
    for path in read.paths:
        if path in of_models:
            continue
        table = read.frame(path, "Condition", "total_mean", "accepted")
        table = table.assign(accepted=table["accepted"].map(whole_of))
        good = table["accepted"].notna()
        table = read.kept(table, good, "accepted is no number of pairs", "write it from 0 to 5")
        dropped = table[table["accepted"] < _FEWEST_ACCEPTED]
        if len(dropped):
            read.notes.append(
                f"left out {', '.join(dropped['Condition'])}: most people agree with the labels of "
                f"fewer than {_FEWEST_ACCEPTED} pairs of five, and BLiMP is without them"
            )
        table = table.drop(dropped.index).rename(
            columns={"Condition": "suite", "total_mean": "share"}
        )
        shares.append(table.assign(model="human", n_items="")[columns])
    table = pd.concat(shares, ignore_index=True)
    term = table["suite"].map(terms)
    return table.assign(language="en", circuit=term, group=term)


def bert_syntax(read: PublishedFiles, *, by_attractors: bool = False) -> "pd.DataFrame":
    """Return the items that Goldberg's (2019) `bert-syntax` prints: a file is one of a model.

    A line is, with tabs between, `True` or `False`, the number of nouns that intervene, the correct
    form and its logit, the wrong form and its logit, and the sentence. Both logits are of one
    softmax, so that their difference over ln 2 is how much more probable the correct form is, in
    bits. Of Marvin & Linzen's sentences it is, with spaces between, `True` or `False`, case,
    subcase, forms and sentence: a suite is a case. What was skipped, since BERT has no such word,
    is a skipped item, which has its number among all sentences. With `by_attractors` there is a
    suite for each number of intervening nouns, its complexity.
    """
    import pandas as pd

    usual = {"suite": read.suite or "bert-syntax", "complexity": "", "margin_bits": "", "tie": ""}
    rows: list[dict[str, object]] = []
    for path in read.paths:
        own: list[dict[str, object]] = []
        n_skipped = 0
        for line in read.lines(path):
            row = {"model": read.model or path.stem, **usual, "row": line}
            if line.text.startswith("skipping"):
                own.append({**row, "result": ""})
                n_skipped += 1
                continue
            if not line.text.startswith(("True", "False")):
                continue
            said = _with_logits(read, line) if "\t" in line.text else _with_case(line)
            # Of what was skipped a line with a case follows nevertheless, as False.
            if n_skipped and "\t" not in line.text:
                own = own[: len(own) - n_skipped]
                said["result"] = ""
            own.append(row | said)
            n_skipped = 0
        rows += [{**row, "item": number} for number, row in enumerate(own, start=1)]
    table = pd.DataFrame(rows, columns=["model", *usual, "item", "result", "row"], dtype=object)
    for name, of_model in table.groupby("model", sort=False):
        skipped = (of_model["result"] == "").sum()
        read.notes.append(f"{name}: {len(of_model)} items, {skipped} of them skipped")
    if by_attractors:
        read.notes.append(
            "of what was skipped nobody says how many nouns intervene; it is left out"
        )
        table = table[table["complexity"] != ""]
        table = table.assign(group=table["suite"], suite=table["suite"] + "-" + table["complexity"])
    else:
        table = table.drop(columns="complexity")
    return table.assign(language="en", chance=0.5)


def _with_logits(read: PublishedFiles, line: CsvRow) -> dict[str, object]:
    """Return what a line with both logits says of an item, nothing of one that is wrong."""
    correct, n_nouns, _, first, _, second, *_ = *line.text.split("\t"), *[""] * 6
    logits = number_of(first), number_of(second)
    if logits[0] is None or logits[1] is None:
        read.refuse(line, f"{quoted(line.text)} has no two logits", _HINT)
        return {"result": ""}
    margin = (logits[0] - logits[1]) / math.log(2)
    return {
        "result": correct,
        "complexity": n_nouns,
        "margin_bits": margin,
        "tie": margin == 0,
    }


def _with_case(line: CsvRow) -> dict[str, object]:
    """Return what a line of Marvin & Linzen's sentences says of an item."""
    correct, case, *_ = *line.text.split(" "), ""
    return {"result": correct, "suite": case}
