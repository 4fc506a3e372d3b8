"""What generating costs: sentences a second and memory, by each engine, for few and for many.

    python benchmarks/generation.py [--pairs 1000000]

The grammars are made here, of words without a meaning. Each engine writes minimal pairs, or the
items of a suite, to a file, through `pommel generate` in a process of its own; the time is that of
the whole command, and its memory is the largest that the process ever had. Engines that stream take
as much for ten times as many.
"""

import argparse
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

FEW_OF_MANY = 10


def main() -> None:
    """Print a line for each engine and number of pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    n_pairs = parser.parse_args().pairs
    with tempfile.TemporaryDirectory() as folder:
        for name, make in ENGINES.items():
            for n in (n_pairs // FEW_OF_MANY, n_pairs):
                path = Path(folder) / name
                make(path, n)
                print(measured(path, Path(folder) / "out.txt"))


def measured(grammar: Path, output: Path) -> str:
    """Generate all of a grammar; return what it took."""
    command = [sys.executable, "-m", "pommel", "generate", str(grammar)]
    began = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603
        [*command, "--format", "clams", "-o", str(output)], stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(process.returncode)
    with output.open("rb") as lines:
        n = sum(1 for _ in lines)
    return (
        f"{grammar.suffix:10} {n:10,} sentences   {seconds:6.2f} s   "
        f"{n / seconds:9,.0f} sentences/s   peak {used.ru_maxrss / 1024:4.0f} MB"
    )


def attribute_varying(path: Path, n_pairs: int) -> None:
    """Write a grammar of three lists of words, the verb's varied."""
    first, second, verbs = _sizes(n_pairs)
    rules = {
        "S[]": ["A[] B[] V[s]"],
        "A[]": _words("a", first),
        "B[]": _words("b", second),
        "V[s]": _words("v", verbs),
        "V[p]": _words("w", verbs),
    }
    lines = [f"{name} {' | '.join(texts)}\n" for name, texts in rules.items()]
    path.write_text("vary: V[]\n" + "".join(lines))


def context_free(path: Path, n_pairs: int) -> None:
    """Write a grammar with phrases in phrases, whose verb has a counterpart."""
    first, second, verbs = _sizes(n_pairs)
    quoted = {name: " | ".join(f"'{word}'" for word in words) for name, words in {
        "A": _words("a", first), "B": _words("b", second),
        "V": _words("v", verbs), "W": _words("w", verbs),
    }.items()}  # fmt: skip
    head = "%contrast V W\nS -> NP VP\nNP -> A\nVP -> PP V\nPP -> B\n"
    path.write_text(head + "".join(f"{name} -> {words}\n" for name, words in quoted.items()))


def lexicon_template(path: Path, n_pairs: int) -> None:
    """Write a template of three slots, whose verb agrees, and its lexicon."""
    first, second, verbs = _sizes(n_pairs)
    rows = ["word,category,form_s,form_p"]
    rows += [f"{word},a,{word},_" for word in _words("a", first)]
    rows += [f"{word},b,{word},_" for word in _words("b", second)]
    rows += [f"{word},v,{word}s,{word}" for word in _words("v", verbs)]
    path.with_suffix(".csv").write_text("".join(f"{row}\n" for row in rows))
    slots = "".join(f"slot {name.upper()}: category = {name}\n" for name in "abv")
    path.write_text(
        f"lexicon: {path.stem}.csv\n{slots}"
        "condition grammatical: {A.word} {B.word} | {V.form_s} | .\n"
        "condition ungrammatical: {A.word} {B.word} | {V.form_p} | .\n"
    )


def permutation(path: Path, n_pairs: int) -> None:
    """Write a design of as many templates as are needed; 36 sets of seven sentences each."""
    nouns = _words("n", 30)
    rows = ["word,nom,acc,dat", *(f"{word},er{word},en{word},em{word}" for word in nouns)]
    path.with_suffix(".csv").write_text("".join(f"{row}\n" for row in rows))
    templates = "".join(
        f"template: nom {nouns[n % 10]} | acc {nouns[10 + n // 10 % 10]} | "
        f"dat {nouns[20 + n // 100 % 10]} | verb v{n}\n"
        for n in range(max(1, round(n_pairs * 2 / 36 / 7)))
    )
    path.write_text(
        f"lexicon: {path.stem}.csv\ncases: nom acc dat\nframe: that | {{1}} | {{2}} | {{3}} | "
        f"{{verb}} | .\nviolations: double\n{templates}"
    )


def _sizes(n_pairs: int) -> tuple[int, int, int]:
    """Return three numbers whose product is about `n_pairs`."""
    side = max(1, round(math.cbrt(n_pairs)))
    return side, side, max(1, round(n_pairs / side / side))


def _words(letter: str, n: int) -> list[str]:
    return [f"{letter}{number}" for number in range(n)]


# A grammar's file -> what writes it.
ENGINES: Mapping[str, Callable[[Path, int], None]] = {
    "words.avg": attribute_varying,
    "words.cfg": context_free,
    "words.template": lexicon_template,
    "words.design": permutation,
}


if __name__ == "__main__":
    main()
