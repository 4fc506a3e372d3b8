"""Images that are scored at once: how many, with what, and that nobody sees which ended first."""

import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.cli.terminal import Screen

from pommel.cli.images_at_once import ImagesOptions, is_image
from pommel.cli.output import note, progress_bar
from pommel.cli.run import run_each
from pommel.errors import ContainerError, UsageError
from pommel.models.container.commands import ImageCommands
from pommel.models.container.engines.engine import GIB
from pommel.models.family import NamedModel

IMAGES = ("docker://a", "podman://b", "GRNN", "apptainer://d.sif")


def named(*references: str) -> list[NamedModel]:
    return [NamedModel(reference=reference) for reference in references]


class Running:
    """What run_each is given: notes who runs together with whom; the first named ends last."""

    def __init__(self, n_expected: int) -> None:
        self.together: dict[str, set[str]] = {}
        self._running: set[str] = set()
        self._all_here = threading.Barrier(n_expected)
        self._lock = threading.Lock()

    def __call__(self, model: NamedModel, made: list[Any]) -> None:
        name = model.reference
        with self._lock:
            self._running.add(name)
        if "builtin" not in name:
            self._all_here.wait(10)
        with self._lock:
            self.together[name] = set(self._running)
        if "builtin" not in name:
            self._all_here.wait(10)
        time.sleep(0.1 if name == IMAGES[0] else 0)
        made.append(name)
        note(f"{name} ends")
        with self._lock:
            self._running.remove(name)
        if name in IMAGES[:2]:
            raise ContainerError(f"{name} is broken")


def test_all_comes_in_the_order_of_the_models(capsys: pytest.CaptureFixture[str]) -> None:
    running = Running(2)
    models = named(*IMAGES[:2], "builtin://en-gpt2", *IMAGES[2:])
    done = run_each(models, running, n_images=2)
    assert [*map(str, done.runs)] == [each.reference for each in models]
    assert list(done.failed) == [*IMAGES[:2]]
    goes_on = "failed; going on with the other models"
    assert capsys.readouterr().err.splitlines() == [
        f"{IMAGES[0]} ends",
        f"pommel: {IMAGES[0]} {goes_on}",
        f"{IMAGES[1]} ends",
        f"pommel: {IMAGES[1]} {goes_on}",
        "builtin://en-gpt2 ends",
        f"{IMAGES[2]} ends",
        f"{IMAGES[3]} ends",
    ]
    # A network has the machine for itself.
    assert running.together == {
        **{image: {*IMAGES[:2]} for image in IMAGES[:2]},
        "builtin://en-gpt2": {"builtin://en-gpt2"},
        **{image: {*IMAGES[2:]} for image in IMAGES[2:]},
    }


def test_one_at_a_time_is_in_this_thread() -> None:
    threads = set()

    def run(_model: NamedModel, _made: list[Any]) -> None:
        threads.add(threading.current_thread())

    run_each(named(*IMAGES), run)
    assert threads == {threading.main_thread()}


def test_what_ends_it_all_keeps_what_is_complete_and_begins_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = set()
    # By then what has not begun is called off.
    stopped = threading.Event()
    monkeypatch.setattr(ImageCommands, "remove_containers", stopped.set)

    def run(model: NamedModel, made: list[Any]) -> None:
        begun.add(model.reference)
        if model.reference == IMAGES[0]:
            raise UsageError("no such device")
        made.append(model.reference)
        assert stopped.wait(10)

    done = run_each(named(*IMAGES), run, n_images=2)
    assert isinstance(done.stopped_by, UsageError)
    assert {*map(str, done.runs)} == begun - {IMAGES[0]}
    assert len(begun) < len(IMAGES)


def test_one_bar_counts_images(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)

    def run(model: NamedModel, _made: list[Any]) -> None:
        with progress_bar(f"bar of {model.reference}", 7) as progress:
            progress(3)

    assert run_each(named(*IMAGES), run, n_images=2).error is None
    assert "images" in screen.getvalue()
    assert "4/4" in screen.getvalue()
    assert "bar of" not in screen.getvalue()


def test_an_image_is_what_is_opened_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [*map(is_image, (*IMAGES, "gpt2", "DOCKER://a"))] == [True] * 6
    assert not any(map(is_image, ("builtin://en-gpt2", "dummy://x", "a-folder")))
    # A network of the user's own.
    (tmp_path / "gpt2").mkdir()
    assert not is_image("gpt2")


def shared(*, n_images: int = 4, **told: Any) -> tuple[int, float | None]:
    given = {"checkpoint": None, "pull": "missing", "remove_image": False, "sandbox": ()}
    options: Any = ImagesOptions
    asked = options(**{**given, "images_memory": None, "images_cpus": None, **told})
    found = asked.shared_out(["docker://x"] * n_images + ["builtin://en-gpt2"])
    cpus = [setting for setting in found.sandbox if setting.startswith("cpus=")]
    return found.parallel_images, float(cpus[-1].partition("=")[2]) if cpus else None


def test_memory_says_how_many_and_processors_are_shared_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    budget = {"images_memory": 24 * GIB, "images_cpus": 6}
    assert shared(parallel_images=2, **budget) == (2, 3)
    assert shared(parallel_images=3, **budget, sandbox=("cpus=0.5",)) == (3, 0.5)
    assert shared(parallel_images=3, **budget, n_images=1) == (1, 6)
    assert shared(parallel_images=3, **budget, sandbox=("cpus=9",)) == (3, 2)
    assert shared(parallel_images=1) == (1, None)
    assert capsys.readouterr().err == ""
    assert shared(parallel_images=4, **budget) == (3, 2)
    assert capsys.readouterr().err == (
        "note: 3 images at once, not 4: 8 GiB for each (--sandbox memory=SIZE), "
        "24 GiB for all (--images-memory SIZE)\n"
    )
    assert shared(parallel_images=4, **budget, sandbox=("memory=1G",)) == (4, 1.5)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (
            {"parallel_images": 2, "images_memory": GIB},
            "--images-memory: 1 GiB is less than 8 GiB for each (--sandbox memory=SIZE)",
        ),
        (
            {"parallel_images": 1, "images_cpus": 2.0},
            "--images-memory and --images-cpus need --parallel-images N",
        ),
    ],
)
def test_a_budget_for_nothing_is_refused(told: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        shared(**told)
    assert str(raised.value) == message
