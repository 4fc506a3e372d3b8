"""What leaves this repository: the same wheel from every checkout, which needs nothing else."""

import hashlib
import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_BUILD = (sys.executable, "-m", "build", "--no-isolation")


@pytest.fixture(scope="module")
def origin(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository to clone: the files of this checkout as they are now, committed or not."""
    folder = tmp_path_factory.mktemp("origin") / ".git"
    git = ("git", f"--git-dir={folder}", f"--work-tree={repository}")
    _run(*git, "init", "--quiet")
    _run(*git, "-c", "core.compression=0", "add", "--all", cwd=repository)
    author = ("-c", "user.name=Nobody", "-c", "user.email=nobody@localhost")
    _run(*git, *author, "commit", "--quiet", "--no-gpg-sign", "--message", "As it is")
    return folder


@pytest.fixture(scope="module")
def checkout(origin: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout as on Windows: a symbolic link would be a file that says where it leads."""
    return _clone(origin, tmp_path_factory.mktemp("checkout"), "-c", "core.symlinks=false")


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of that checkout."""
    return _build(checkout, tmp_path_factory.mktemp("wheel"), "--wheel")


def test_the_repository_has_no_symbolic_link(origin: Path) -> None:
    listed = _run("git", f"--git-dir={origin}", "ls-tree", "-r", "HEAD").stdout.splitlines()
    assert {line.split()[0] for line in listed} == {"100644", "100755"}


def test_the_wheel_has_all_data_and_no_stray_files(checkout: Path, wheel: Path) -> None:
    files = _run("git", "ls-files", cwd=checkout).stdout.splitlines()
    data = {"containers": "image_sources", "schemas": "schemas", "suites": "suites"}
    expected = {name.removeprefix("runner/") for name in files if name.startswith("runner/pommel/")}
    for top, folder in data.items():
        expected |= {
            f"pommel/shipped/{folder}/{name.removeprefix(f'{top}/')}"
            for name in files
            if name.startswith(f"{top}/") and (top != "suites" or _is_data_of_suites(name))
        }
    names = _names(wheel)
    assert {name for name in names if ".dist-info/" not in name} == expected
    assert {"pommel/py.typed", "pommel/suite/formula/formula.lark"} <= names
    # What made the shipped models and suites is in the repository alone.
    assert [file for file in files if file.startswith("runner/recipes/")]
    assert {name.split("/")[0] for name in names} == {"pommel", "pommel-0.1.0.dist-info"}
    assert not [name for name in names if "/sources/" in name and "/suites/" in name]
    assert "pommel/shipped/builtin/en-gpt2/model.safetensors" in names
    assert "pommel/shipped/builtin/en-ngram/model.arpa.gz" in names
    assert "pommel/shipped/image_sources/template/.dockerignore" in names
    assert "pommel/shipped/schemas/suite.json" in names
    assert "pommel/shipped/suites/en/agreement/number_prep.json" in names
    assert "pommel/shipped/suites/texts/de/text.template" in names
    assert "pommel/shipped/suites/texts/de/nouns.csv" in names
    assert "pommel/shipped/suites/studies/clams.toml" in names
    assert "pommel/shipped/suites/studies/printed/clams-averages.csv" in names


class TestTheSameBytes:
    """The same files make the same wheel."""

    def test_where_links_are_possible_and_files_are_private(
        self, origin: Path, wheel: Path, tmp_path: Path
    ) -> None:
        with _private_files():
            other = _clone(origin, tmp_path / "checkout", "-c", "core.symlinks=true")
            assert _sum(_build(other, tmp_path / "wheel", "--wheel")) == _sum(wheel)

    def test_from_the_source_distribution(
        self, checkout: Path, wheel: Path, tmp_path: Path
    ) -> None:
        # With neither asked for, the wheel is built from the source distribution.
        assert _sum(_build(checkout, tmp_path)) == _sum(wheel)

    def test_among_strays_and_after_a_build_with_other_files(
        self, origin: Path, wheel: Path, tmp_path: Path
    ) -> None:
        used = _clone(origin, tmp_path / "checkout")
        for name in ("suites/en/gone.json", "runner/pommel/gone.py"):
            (used / name).touch()
        before = _names(_build(used, tmp_path / "before", "--wheel"))
        assert {"pommel/shipped/suites/en/gone.json", "pommel/gone.py"} <= before
        for name in ("suites/en/gone.json", "runner/pommel/gone.py"):
            (used / name).unlink()
        for folder in ("suites/en", "containers/template", "runner/pommel/shipped/builtin/en-gpt2"):
            for name in ("a.json~", ".a.json.swp", "__pycache__/a.pyc", ".checkpoints/a.json"):
                (used / folder / name).parent.mkdir(exist_ok=True)
                (used / folder / name).touch()
        assert _sum(_build(used, tmp_path / "after", "--wheel")) == _sum(wheel)


@pytest.mark.parametrize(
    ("lost", "missing"),
    [
        ("schemas", "schemas/*.json"),
        ("containers/Dockerfile", "containers/**/*"),
        ("suites/a.json", "suites/**/*.json"),
        ("suites/texts/xx/a.csv", "suites/texts/**/*.csv"),
        ("suites/studies/a.toml", "suites/studies/*.toml"),
    ],
)
def test_a_build_without_its_data_fails(
    repository: Path, tmp_path: Path, lost: str, missing: str
) -> None:
    for name in ("LICENSE", "README.md", "pyproject.toml", "setup.py"):
        (tmp_path / name).write_bytes((repository / name).read_bytes())
    for name in (
        "runner/pommel/__init__.py",
        "containers/Dockerfile",
        "containers/.gitkeep",
        "schemas/a.json",
        "suites/a.json",
        "suites/a.jsonl",
        "suites/texts/xx/a.template",
        "suites/texts/xx/a.csv",
        "suites/studies/a.toml",
        "suites/studies/printed/a.csv",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    kept = (tmp_path / lost).rename(tmp_path / "elsewhere")
    failed = subprocess.run(
        [*_BUILD, "--wheel"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert failed.returncode != 0
    assert f"error: {missing}: no such file, " in failed.stdout + failed.stderr
    kept.rename(tmp_path / lost)
    _build(tmp_path, tmp_path / "wheel", "--wheel")


def test_an_editable_install_copies_nothing_and_finds_everything(
    checkout: Path, tmp_path: Path
) -> None:
    code = "import sys; from setuptools import build_meta; build_meta.build_editable(sys.argv[1])"
    _run(sys.executable, "-c", code, tmp_path, cwd=checkout)
    (built,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        (name,) = (name for name in archive.namelist() if ".dist-info/" not in name)
        on_the_path = archive.read(name).decode().strip()
    assert on_the_path == str(checkout / "runner")
    # The same is on the path of whoever runs a checkout and installs nothing.
    code = (
        "from pommel.files.shipped import json_schema, shipped_folder; "
        "from pommel.sources.load import suite_files; "
        "print(shipped_folder('image_sources'), *suite_files(), json_schema('suite')['title'])"
    )
    settings = os.environ | {"PYTHONPATH": on_the_path}
    done = _run(sys.executable, "-c", code, cwd=tmp_path, env=settings)
    suites = sorted((checkout / "suites").rglob("*.json"))
    expected = (checkout / "containers", *suites, "A SyntaxGym test suite")
    assert done.stdout == f"{' '.join(map(str, expected))}\n"


def test_the_wheel_is_small_enough_to_be_downloaded_by_anyone(wheel: Path) -> None:
    assert wheel.stat().st_size < 20_000_000


@pytest.mark.full
def test_the_base_install_runs_the_shipped_suites_without_torch(
    repository: Path, wheel: Path, tmp_path: Path
) -> None:
    environment = tmp_path / "environment"
    venv.create(environment)
    # This pip installs there, and compiles nothing: the less is imported, the less is compiled.
    pip = (sys.executable, "-m", "pip", "--python", environment, "--quiet")
    constraints = ("--constraint", repository / "constraints.txt")
    # With nothing of the checkout on the path: what pip finds there it would not install.
    settings = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    install = (*pip, "install", "--disable-pip-version-check", "--no-compile", *constraints)
    _run(*install, wheel, cwd=tmp_path, env=settings)
    pommel = environment / "bin" / "pommel"
    models = ("builtin://en-gpt2", "builtin://en-ngram")
    command = (pommel, "run", *models, "suites:en/agreement", "--format", "csv")
    done = _run(*command, cwd=tmp_path, env=settings)
    n_suites = len(list((repository / "suites" / "en" / "agreement").rglob("*.json")))
    assert len(done.stdout.splitlines()) == 2 * n_suites + 1
    refused = subprocess.run(
        [pommel, "run", "huggingface://gpt2", "suites:en"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=settings,
    )
    assert refused.returncode == 4
    assert "pip install 'pommel[hf]'" in refused.stderr
    packages = environment.glob("lib/*/site-packages/*.dist-info")
    names = {each.name.partition("-")[0] for each in packages}
    assert not names & {"torch", "transformers"}


def _is_data_of_suites(name: str) -> bool:
    """Say whether it is a suite or what is known of all, or belongs to a text or a study."""
    more = {"suites/texts/": (".template", ".csv"), "suites/studies/": (".toml", ".csv")}
    endings = [each for folder, own in more.items() if name.startswith(folder) for each in own]
    return name.endswith((".json", ".jsonl", *endings))


def _clone(origin: Path, folder: Path, *settings: str) -> Path:
    _run("git", "clone", "--quiet", *settings, origin, folder)
    return folder


def _build(checkout: Path, into: Path, *kinds: str) -> Path:
    """Build what is asked for, or everything; return the wheel."""
    _run(*_BUILD, *kinds, "--outdir", into, checkout)
    (built,) = into.glob("*.whl")
    return built


def _names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def _sum(wheel: Path) -> str:
    return hashlib.sha256(wheel.read_bytes()).hexdigest()


@contextmanager
def _private_files() -> Iterator[None]:
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


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
