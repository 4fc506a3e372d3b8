"""What leaves this repository: the wheel, in an environment with nothing else in it."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, repository)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_has_all_data_and_no_stray_files(repository: Path, wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("schemas", "suites"):
        files = (repository / folder).rglob("*.json")
        expected = {f"pommel/{path.relative_to(repository).as_posix()}" for path in files}
        assert expected
        assert expected <= names
    assert {"pommel/py.typed", "pommel/suite/formula/formula.lark"} <= names
    assert "pommel/shipped/builtin/en-gpt2/model.safetensors" in names
    assert "pommel/shipped/builtin/en-ngram/model.arpa.gz" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]


def test_the_wheel_is_small_enough_to_be_downloaded_by_anyone(wheel: Path) -> None:
    assert wheel.stat().st_size < 20_000_000


@pytest.mark.slow
def test_the_base_install_runs_the_shipped_suites_without_torch(
    repository: Path, wheel: Path, tmp_path: Path
) -> None:
    environment = tmp_path / "environment"
    venv.create(environment)
    # This pip installs there, and compiles nothing: the less is imported, the less is compiled.
    pip = (sys.executable, "-m", "pip", "--python", environment, "--quiet")
    constraints = ("--constraint", repository / "constraints.txt")
    _run(*pip, "install", "--disable-pip-version-check", "--no-compile", *constraints, wheel)
    # Elsewhere than in the checkout, and with nothing of it on the path.
    settings = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    pommel = environment / "bin" / "pommel"
    done = _run(
        pommel,
        *("run", "builtin://en-ngram", "suites:en", "--format", "csv"),
        cwd=tmp_path,
        env=settings,
    )
    n_suites = len(list((repository / "suites" / "en").rglob("*.json")))
    assert len(done.stdout.splitlines()) == n_suites + 1
    refused = subprocess.run(
        [pommel, "run", "builtin://en-gpt2", "suites:en"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=settings,
    )
    assert refused.returncode == 4
    assert "pip install 'pommel[hf]'" in refused.stderr


def _run(
    *command: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=env,
    )
    assert done.returncode == 0, done.stderr
    return done
