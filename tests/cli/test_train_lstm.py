"""`pommel train lstm`."""

import json
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from pathlib import Path

import pytest
from tests.cli.samples import Pommel
from tests.cli.terminal import all_shown
from tests.training.lstm.samples import write_text

from pommel.cli.train_lstm import Bar, Lines, command, watching
from pommel.errors import PommelError
from pommel.training.lstm.recipe import EpochFigures, Progress, Recipe, Watcher

SMALL = (
    *("--embedding-size", "5", "--hidden-size", "6", "--batch-size", "4", "--bptt", "7"),
    *("--vocabulary-size", "60", "--epochs", "2", "--learning-rate", "5", "--threads", "1"),
)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    return write_text(tmp_path / "text.txt")


def test_options_have_the_recipes_defaults() -> None:
    of_the_command = {each.name: each for each in command.params}
    for field in fields(Recipe):
        if field.name in ("cased", "tied"):
            continue
        parameter = of_the_command[field.name]
        assert parameter.default == getattr(Recipe(), field.name)
        assert parameter.opts == [Recipe.option(field.name)]


def test_trains_a_family_and_says_how_it_goes(pommel: Pommel, text: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    out = tmp_path / "my family"
    arguments = ("train", "lstm", text, "-o", out, "--seed", "1", "--seed", "2", "--seed", "1")
    outcome = pommel(
        *arguments, *SMALL, "--keep-checkpoints", "20", "--lower", "--tied", "--embedding-size", "6"
    )
    assert outcome.status == 0
    assert sorted(path.name for path in out.iterdir()) == ["seed-1", "seed-2"]
    config = json.loads((out / "seed-1" / "config.json").read_text("utf-8"))
    assert config == {
        "embedding_size": 6,
        "hidden_size": 6,
        "n_layers": 2,
        "tied": True,
        "unk": "<unk>",
        "eos": "<eos>",
        "cased": False,
    }
    assert (out / "seed-2" / "step-20" / "model.safetensors").is_file()
    table = [line for line in outcome.stdout.splitlines() if "seed-" in line]
    assert [re.split(r"\s*│\s*", line)[1:4] for line in table] == [
        [str(out / "seed-1"), "2", "2"],
        [str(out / "seed-2"), "2", "2"],
    ]
    lines = outcome.stderr.splitlines()
    figure = r"\d+\.\d\d"
    for seed in (1, 2):
        for epoch in (1, 2):
            expected = (
                rf"seed {seed}, epoch {epoch} of 2: perplexity {figure} in training, {figure} in "
                r"validation, learning rate 5, [\d,]+ words/s"
            )
            assert sum(re.fullmatch(expected, line) is not None for line in lines) == 1
    assert lines[-1] == f"Score suites: pommel run 'lstm://{out}/seed-*' SUITE..."


def test_a_trained_model_scores_a_suite(
    pommel: Pommel, text: Path, tmp_path: Path, suite_file: Path
) -> None:
    pytest.importorskip("torch")
    out = tmp_path / "family"
    assert pommel("train", "lstm", text, "-o", out, *SMALL).status == 0
    outcome = pommel("run", f"lstm://{out}/seed-1", suite_file, "--format", "csv")
    assert outcome.status == 0, outcome.stderr
    assert "agreement" in outcome.stdout


def test_ctrl_c_keeps_the_state_and_the_same_command_goes_on(text: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    out = tmp_path / "family"
    # The epochs are many: it is still training when the signal comes.
    run = [sys.executable, "-m", "pommel", "train", "lstm", str(text), "-o", str(out), *SMALL]
    process = subprocess.Popen(
        [*run, "--epochs", "100000"], stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("seed 1, epoch 3"):
            process.send_signal(signal.SIGINT)
            break
    rest = process.stderr.read().splitlines()
    process.stderr.close()
    assert process.wait() == 130
    where = rf"{out}/seed-1: step [\d,]+ of 1\d of epoch [\d,]+"
    assert re.fullmatch(rf"{where}: stopped; the same command goes on from here", rest[-3])
    assert rest[-1] == "pommel: interrupted"
    assert sorted(path.name for path in (out / "seed-1").iterdir()) == ["state.safetensors"]


def test_goes_on_and_says_so(
    pommel: Pommel, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    steps = []

    def interrupting(_watcher: object, *_progress: object) -> None:
        steps.append(1)
        if len(steps) == 20:
            signal.raise_signal(signal.SIGINT)

    arguments = ("train", "lstm", text, "-o", tmp_path / "family", *SMALL)
    with monkeypatch.context() as patched:
        patched.setattr(Lines, "step", interrupting)
        stopped = pommel(*arguments)
    assert stopped.status == 130
    assert stopped.stdout == ""
    outcome = pommel(*arguments)
    assert outcome.status == 0
    where = rf"{tmp_path}/family/seed-1: step \d of 1\d of epoch 2: goes on from here\n"
    assert re.search(where, outcome.stderr)
    again = pommel(*arguments)
    assert again.status == 0
    assert again.stdout == outcome.stdout
    assert f"{tmp_path}/family/seed-1 is trained already; --restart trains it anew\n" in (
        again.stderr
    )


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (
            ("--validation", "text.txt", "--validation-share", "0.1"),
            2,
            "pommel: --validation-share says nothing beside --validation; leave one out",
        ),
        (
            ("--vocabulary", "text.txt"),
            2,
            "pommel: --vocabulary-size says nothing beside --vocabulary; leave one out",
        ),
        (
            ("--device", "tpu"),
            2,
            "pommel: no such device: 'tpu'; write cpu, cuda, cuda:N, mps or auto",
        ),
        (
            ("--learning-rate", "1e38", "--clip", "1e38"),
            1,
            (
                r"pommel: training diverged in step \d of epoch 1: the loss is not a finite "
                r"number, or far too high; .*"
            ),
        ),
        (
            ("--validation", "nowhere.txt"),
            3,
            "pommel: nowhere.txt: cannot be read: No such file or directory",
        ),
    ],
)
def test_what_cannot_be_is_one_line(  # noqa: PLR0913, PLR0917 - fixtures and parameters
    pommel: Pommel, text: Path, tmp_path: Path, options: tuple[str, ...], status: int, message: str
) -> None:
    pytest.importorskip("torch")
    outcome = pommel("train", "lstm", text, "-o", tmp_path / "family", *SMALL, *options)
    assert outcome.status == status
    said = outcome.stderr.splitlines()[-1].replace(str(text), "TEXT")
    assert said == message or re.fullmatch(message, said)
    assert outcome.stdout == ""
    assert not (tmp_path / "family" / "seed-1" / "config.json").exists()


@pytest.mark.parametrize("value", ["0", "-3", "often", "1.5"])
def test_checkpoints_are_counted_in_steps_or_epochs(
    pommel: Pommel, text: Path, tmp_path: Path, value: str
) -> None:
    arguments = ("train", "lstm", text, "-o", tmp_path / "family")
    outcome = pommel(*arguments, f"--keep-checkpoints={value}")
    assert outcome.status == 2
    assert f"{value!r}: write a number of steps, or epoch" in outcome.stderr


def test_without_torch_it_says_what_to_install(
    pommel: Pommel, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    outcome = pommel("train", "lstm", text, "-o", tmp_path / "family")
    assert (
        outcome.failure(4)
        == f"training an LSTM needs torch and safetensors: {PommelError.install('hf')}"
    )
    assert not (tmp_path / "family").exists()


def test_help_needs_neither_torch_nor_tables() -> None:
    code = (
        "import sys\n"
        "from pommel.cli import main\n"
        "try:\n"
        "    main(['train', 'lstm', '--help'])\n"
        "finally:\n"
        "    print(sorted({'torch', 'transformers', 'pandas', 'rich'} & {*sys.modules}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert done.stdout.splitlines()[-1] == "[]"
    assert "--embedding-size" in done.stdout


def test_a_terminal_has_a_bar_and_the_same_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    screen, writing = os.openpty()
    with ThreadPoolExecutor(1) as pool, os.fdopen(writing, "w") as terminal:
        # Read meanwhile: a terminal holds little.
        reading = pool.submit(all_shown, screen)
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stderr", terminal)
            with watching() as watcher:
                _two_steps_and_an_epoch(watcher)
        terminal.close()
        # Without colours and movements.
        shown = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", reading.result())
    os.close(screen)
    assert "a note on [paths]" in shown
    assert re.search(r"seed 7, epoch 1/2 .*1/3 .*200 words/s, perplexity 2\.72\s", shown)
    assert "validating" in shown
    assert re.search(r"2/3 .*100 words/s, perplexity 2\.72, validation 33\.00", shown)
    line = (
        "seed 7, epoch 1 of 2: perplexity 44.00 in training, 33.00 in validation, learning rate 20,"
        " 1,234 words/s"
    )
    assert re.search(rf"{line}\s*\n", shown)


def _two_steps_and_an_epoch(watcher: Watcher) -> None:
    assert isinstance(watcher, Bar)
    progress = Progress(learning_rate=20.0, step=1, nats=100, n_words=100, seconds=0.5)
    figures = EpochFigures(
        epoch=1,
        learning_rate=20.0,
        training_perplexity=44.0,
        validation_perplexity=33.0,
        is_best=True,
        n_words_per_second=1234.0,
        seconds=9.0,
    )
    watcher.note("a note on [paths]")
    watcher.begin(7, n_epochs=2, n_steps=3)
    watcher.step(1, 1, progress.figures)
    watcher.bars.refresh()
    watcher.step(3, 1, progress.figures)
    watcher.bars.refresh()
    watcher.epoch(figures)
    watcher.step(2, 2, replace(progress, step=2, seconds=1.0, epochs=[figures]).figures)
    watcher.bars.refresh()
