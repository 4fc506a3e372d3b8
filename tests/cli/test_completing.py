"""What Bash and zsh complete, as their own functions ask for it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

# What Bash knows of a line is its words, broken at colons, and the line.
BASH = r"""
eval "$(_POMMEL_COMPLETE=bash_source pommel)"
compopt() { :; }
COMP_LINE=$1 COMP_POINT=${#1}
_pommel_completion pommel
printf '%s\n' "${COMPREPLY[@]}"
"""
# These three are there only while zsh completes.
ZSH = r"""
compdef() { : }
compadd() { print -l -- $completions }
_describe() { print -l -- ${completions_with_descriptions%%:*} }
_path_files() { print FILES }
eval "$(_POMMEL_COMPLETE=zsh_source pommel)"
words=(${(z)1}) && [[ $1 == *' ' ]] && words+=('')
CURRENT=${#words}
_pommel_completion
"""
SHELLS = {"bash": ["bash", "--norc", "-c", BASH], "zsh": ["zsh", "-f", "-c", ZSH]}


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    """A shell that is here; continuous integration has both (`.ci/install-zsh`)."""
    name: str = request.param
    if not shutil.which(name):
        if os.environ.get("CI"):
            pytest.fail(f"{name} is not installed")
        pytest.skip(f"{name} is not installed")
    return name


def completed(shell: str, line: str, folder: Path) -> list[str]:
    """Return what a shell offers at the end of a line."""
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [*SHELLS[shell], shell, line],
        cwd=folder,
        env={**os.environ, "PATH": beside, "POMMEL_STORE": str(folder / "store.sqlite")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("pommel sur", {"surprisals"}),
        ("pommel suites pre", {"preview"}),
        ("pommel run --regi", {"--regions"}),
        ("pommel run --regions ", {"auto", "all", "needed"}),
        ("pommel run hugg", {"huggingface://"}),
        ("pommel run builtin://en-gpt2 number_pr", {"number_prep"}),
        ("pommel run number_si", {"number_simple", "number_single.json"}),
        ("pommel models show GR", {"GRNN"}),
    ],
)
def test_commands_options_choices_and_names(
    shell: str, line: str, offered: set[str], tmp_path: Path
) -> None:
    (tmp_path / "number_single.json").touch()
    assert set(completed(shell, line, tmp_path)) == offered


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("pommel run builtin://en-g", "//en-gpt2"),
        ("pommel run builtin://en-gpt2 suites:en/agr", "en/agreement"),
        ("pommel generate texts:d", "de"),
    ],
)
def test_what_has_a_colon(shell: str, line: str, rest: str, tmp_path: Path) -> None:
    """Bash replaces what is behind the last colon, zsh the whole word."""
    whole = line.rpartition(" ")[2].partition(":")[0] + f":{rest}"
    assert completed(shell, line, tmp_path) == [rest if shell == "bash" else whole]


def test_files_are_left_to_the_shell_where_no_name_fits(shell: str, tmp_path: Path) -> None:
    assert completed(shell, "pommel run my", tmp_path) == ["FILES" if shell == "zsh" else ""]


def test_ids_of_runs(shell: str, tmp_path: Path) -> None:
    assert completed(shell, "pommel runs show ", tmp_path) in ([], [""])
    command = [sys.executable, "-m", "pommel", "run", "dummy://", "number_prep", "--format", "csv"]
    store = tmp_path / "store.sqlite"
    subprocess.run([*command, "--store", store], check=True, capture_output=True)
    (run_id,) = completed(shell, "pommel runs show ", tmp_path)
    assert len(run_id) == 12
    assert completed(shell, f"pommel report {run_id[:4]}", tmp_path) == [run_id]
