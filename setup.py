"""What pyproject.toml cannot say: folders at the top of the checkout belong into the package.

A wheel has them below pommel/shipped/. In a checkout `pommel.files.shipped` finds them at the top,
so that an editable install copies nothing. The same files make the same wheel, byte for byte,
whoever builds it, when, and after which other builds.
"""

import os
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.errors import SetupError

# Folder at the top -> its name in pommel/shipped/, and which of its files are shipped.
MAPPED = {
    "containers": ("image_sources", ("**/*",)),
    "schemas": ("schemas", ("*.json",)),
    "suites": (
        "suites",
        (
            *("*.jsonl", "**/*.json", "texts/**/*.template", "texts/**/*.csv"),
            *("studies/*.toml", "studies/**/*.csv"),
        ),
    ),
}
FIRST_DATE = 315532800  # 1980: archives know none before


class BuildPackage(build_py):
    """Adds the mapped folders to the package; fails if one lacks what is shipped."""

    def run(self) -> None:
        if self.editable_mode:
            return
        # All that lies there gets into a wheel, and files may be gone since the last build.
        shutil.rmtree(Path(self.build_lib, "pommel"), ignore_errors=True)
        super().run()
        for target, source in self._mapped().items():
            self.mkpath(str(Path(target).parent))
            self.copy_file(source, target)

    def get_source_files(self) -> list[str]:
        """What a source distribution needs; every build asks for it first."""
        return [*super().get_source_files(), *self._mapped().values()]

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:  # noqa: FBT001, FBT002
        return sorted({*super().get_outputs(include_bytecode), *self._mapped()})

    def get_output_mapping(self) -> dict[str, str]:
        return super().get_output_mapping() | self._mapped()

    def _mapped(self) -> dict[str, str]:
        shipped = Path(self.build_lib, "pommel", "shipped")
        return {
            str(shipped / name / source.relative_to(folder)): str(source)
            for folder, (name, patterns) in MAPPED.items()
            for source in _shipped_files(Path(folder), patterns)
        }


class BuildWheel(bdist_wheel):
    """Builds from nothing, and lets everyone read the files, whoever owns the checkout."""

    def run(self) -> None:
        shutil.rmtree(self.bdist_dir, ignore_errors=True)
        super().run()

    def write_wheelfile(self, *args: str, **options: str) -> None:
        """Called when all files are there, and before they are packed."""
        super().write_wheelfile(*args, **options)
        for path in Path(self.bdist_dir).rglob("*"):
            if path.is_file():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)


def _shipped_files(folder: Path, patterns: tuple[str, ...]) -> list[Path]:
    found: set[Path] = set()
    for pattern in patterns:
        shipped = set(filter(_is_shipped, folder.glob(pattern)))
        if not shipped:
            raise SetupError(
                f"{folder}/{pattern}: no such file, and a wheel without would be of no use; "
                "build from a whole checkout or source distribution"
            )
        found |= shipped
    return sorted(found)


def _is_shipped(path: Path) -> bool:
    """Say whether it is a file, and neither hidden nor left by an editor or an interpreter."""
    is_hidden = any(part[0] == "." and part != ".dockerignore" for part in path.parts)
    is_left = "__pycache__" in path.parts or path.suffix == ".pyc" or path.name.endswith("~")
    return path.is_file() and not is_hidden and not is_left


# The date of all files in a wheel, unless whoever builds it names one.
os.environ.setdefault("SOURCE_DATE_EPOCH", str(FIRST_DATE))
setup(cmdclass={"bdist_wheel": BuildWheel, "build_py": BuildPackage})
