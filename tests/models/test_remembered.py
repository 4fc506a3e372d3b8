"""Models whose description is remembered: nothing is opened for it, and what changes is noticed."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.builders import by_word
from tests.word_model import WordModel

from pommel.errors import ModelError, package_version
from pommel.models import remembered
from pommel.models.kinds import Kind
from pommel.models.model import LoadOptions, Model, ModelInfo, Policy, score_all
from pommel.models.remembered import RememberedModel

WEIGHTS, TOKENIZER = b"0123456789" * 10, b"abc"


class _FolderModel(WordModel):
    """A toy that is known by what its folder holds."""

    def __init__(self, folder: Path, reference: str, dtype: str) -> None:
        super().__init__()
        held = b"".join(path.read_bytes() for path in sorted(folder.iterdir()))
        self.known = replace(
            super().info,
            reference=reference,
            fingerprint=held.hex() + dtype,
            n_together=7,
            costly_calls=True,
            all_at_once=True,
            methods=("causal", "pll"),
        )

    @property
    def info(self) -> ModelInfo:
        return self.known


class _Toys:
    """A kind of model, and the folder of one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.n_opened = self.n_fetched = 0
        self.kind = Kind(open=self._open, place=self._place)

    def _place(self, _reference: str, options: LoadOptions) -> Path:
        self.n_fetched += not options.offline
        return self.folder

    def _open(self, reference: str, options: LoadOptions) -> Model:
        self.n_opened += 1
        self.n_fetched += not options.offline
        return _FolderModel(self.folder, reference, options.dtype)

    def open(self, reference: str = "toy://words", **options: str) -> Model:
        return RememberedModel.open(self.kind, reference, LoadOptions(**options))  # type: ignore[arg-type]

    @property
    def weights(self) -> Path:
        return self.folder / "weights"


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _Toys:
    # Files that are small and were written just now are as large as models, and a day old.
    monkeypatch.setattr(remembered, "_SMALL_BYTES", len(TOKENIZER))
    monkeypatch.setattr(remembered, "_YOUNG_NS", 0)
    folder = tmp_path / "toy"
    folder.mkdir()
    (folder / "weights").write_bytes(WEIGHTS)
    (folder / "tokenizer").write_bytes(TOKENIZER)
    return _Toys(folder)


def memories(own_store: Path) -> list[Path]:
    return sorted((own_store.parent / "cache" / "models").glob("*"))


def test_what_is_known_is_not_opened(toys: _Toys) -> None:
    first, second = toys.open(), toys.open()
    assert isinstance(first, _FolderModel)
    assert isinstance(second, RememberedModel)
    # With what is no part of a description, too.
    assert second.info == first.info
    assert toys.n_opened == 1


def test_it_is_on_the_device_that_is_asked_for(toys: _Toys) -> None:
    toys.open(device="cuda:0")
    assert toys.open(device="cuda:1").info.device == "cuda:1"
    assert toys.n_opened == 1


def test_it_is_opened_once_when_it_has_to_answer(toys: _Toys) -> None:
    toys.open()
    model = toys.open()
    for _ in range(2):
        assert score_all(model, ["a dog"], Policy()) == [by_word("a dog", {})]
    assert toys.n_opened == 2


def test_it_is_fetched_once_a_run(toys: _Toys) -> None:
    toys.open()
    assert toys.n_fetched == 1
    score_all(toys.open(), ["a dog"], Policy())
    assert toys.n_fetched == 2


def test_what_a_model_would_compute_it_says_itself(toys: _Toys) -> None:
    toys.open()
    model = toys.open()
    assert isinstance(model, RememberedModel)
    assert model.work(["a dog"], Policy(), [None]) == (0, 0)
    _FolderModel.work = lambda *_: (3, 4)  # type: ignore[attr-defined]
    try:
        assert model.work(["a dog"], Policy(), [None]) == (3, 4)
    finally:
        del _FolderModel.work  # type: ignore[attr-defined]


def test_whether_it_can_be_asked_in_float32_it_says_itself(
    toys: _Toys, monkeypatch: pytest.MonkeyPatch
) -> None:
    toys.open()
    model = toys.open()
    assert not hasattr(model, "in_float32")
    exact = WordModel()
    monkeypatch.setattr(_FolderModel, "in_float32", lambda _self: exact, raising=False)
    assert isinstance(model, RememberedModel)
    assert model.in_float32() is exact


def _touch(toys: _Toys) -> None:
    os.utime(toys.weights, ns=(1, 1))


def _same_size_and_time(toys: _Toys) -> None:
    status = toys.weights.stat()
    toys.weights.write_bytes(WEIGHTS[::-1])
    os.utime(toys.weights, ns=(status.st_atime_ns, status.st_mtime_ns))


def _other_file(toys: _Toys) -> None:
    status = toys.weights.stat()
    aside = toys.folder.with_name("aside")
    aside.write_bytes(WEIGHTS[::-1])
    os.utime(aside, ns=(status.st_atime_ns, status.st_mtime_ns))
    aside.replace(toys.weights)


def _tokenizer(toys: _Toys) -> None:
    path = toys.folder / "tokenizer"
    status = path.stat()
    path.write_bytes(TOKENIZER[::-1])
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _new_file(toys: _Toys) -> None:
    (toys.folder / "added_tokens").write_bytes(b"")


def _renamed(toys: _Toys) -> None:
    toys.weights.rename(toys.weights.with_name("weights.bin"))


def _renamed_small(toys: _Toys) -> None:
    (toys.folder / "tokenizer").rename(toys.folder / "tokens")


def _gone(toys: _Toys) -> None:
    (toys.folder / "tokenizer").unlink()


@pytest.mark.parametrize(
    "change",
    [
        _touch,
        _same_size_and_time,
        _other_file,
        _tokenizer,
        _new_file,
        _renamed,
        _renamed_small,
        _gone,
    ],
)
def test_files_that_are_not_what_they_were(toys: _Toys, own_store: Path, change: object) -> None:
    toys.open()
    assert callable(change)
    change(toys)
    assert isinstance(toys.open(), _FolderModel)
    known = toys.open()
    assert isinstance(known, RememberedModel)
    assert known.info.fingerprint == _FolderModel(toys.folder, "", "float32").info.fingerprint
    # What was known before is no longer there.
    assert len(memories(own_store)) == 1


@pytest.mark.parametrize("one", ["st_size", "st_ino", "st_mtime_ns", "st_ctime_ns"])
def test_each_thing_that_is_known_of_a_large_file_counts(
    toys: _Toys, monkeypatch: pytest.MonkeyPatch, one: str
) -> None:
    """Here most changes change several; on other systems and disks they may change one."""
    toys.open()
    stat = Path.stat
    names = ("st_mode", "st_size", "st_ino", "st_mtime_ns", "st_ctime_ns")

    def changed(path: Path, *, follow_symlinks: bool = True) -> object:
        status = stat(path, follow_symlinks=follow_symlinks)
        if path != toys.weights:
            return status
        known = {name: getattr(status, name) for name in names}
        return SimpleNamespace(**{**known, one: known[one] - 1})

    monkeypatch.setattr(Path, "stat", changed)
    assert isinstance(toys.open(), _FolderModel)
    assert isinstance(toys.open(), RememberedModel)


def test_a_folder_is_the_same_however_it_is_named(
    toys: _Toys, monkeypatch: pytest.MonkeyPatch
) -> None:
    toys.open()
    monkeypatch.chdir(toys.folder.parent)
    toys.kind = replace(toys.kind, place=lambda _reference, _options: Path("toy"))
    assert isinstance(toys.open(), RememberedModel)


def test_a_model_in_another_folder_is_another(toys: _Toys, tmp_path: Path) -> None:
    toys.open()
    elsewhere = toys.folder.rename(tmp_path / "elsewhere")
    toys.kind = replace(toys.kind, place=lambda _reference, _options: elsewhere)
    toys.folder = elsewhere
    assert isinstance(toys.open(), _FolderModel)


def test_a_folder_in_a_models_folder_is_no_part_of_it(toys: _Toys) -> None:
    toys.open()
    (toys.folder / "checkpoint-1").mkdir()
    assert isinstance(toys.open(), RememberedModel)


def test_other_options_are_another_model(toys: _Toys) -> None:
    toys.open()
    half = toys.open(dtype="float16")
    assert isinstance(half, _FolderModel)
    assert isinstance(toys.open("toy://other"), _FolderModel)
    assert toys.open(dtype="float16").info == half.info
    assert toys.open().info.fingerprint != half.info.fingerprint
    assert toys.n_opened == 3


def test_how_it_is_fetched_says_nothing_of_it(toys: _Toys) -> None:
    toys.open()
    options = LoadOptions(offline=True, pull_progress=lambda *_: None)
    assert isinstance(RememberedModel.open(toys.kind, "toy://words", options), RememberedModel)


@pytest.mark.parametrize(
    "name", ["pommel", "numpy", "torch", "transformers", "tokenizers", "kenlm"]
)
def test_other_versions_may_describe_it_otherwise(
    toys: _Toys, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    toys.open()
    monkeypatch.setattr(
        remembered,
        "package_version",
        lambda each: "0.0.1" if each == name else package_version(each),
    )
    assert isinstance(toys.open(), _FolderModel)


def test_files_that_are_too_young_to_be_known_by_their_times(
    toys: _Toys, monkeypatch: pytest.MonkeyPatch, own_store: Path
) -> None:
    monkeypatch.setattr(remembered, "_YOUNG_NS", 3600 * 10**9)
    for _ in range(2):
        assert isinstance(toys.open(), _FolderModel)
    assert memories(own_store) == []
    # A copy may have the times of what it is a copy of; that it was made just now it cannot hide.
    _touch(toys)
    assert isinstance(toys.open(), _FolderModel)
    assert memories(own_store) == []
    # Sums have no age.
    monkeypatch.setattr(remembered, "_SMALL_BYTES", len(WEIGHTS))
    toys.open()
    assert isinstance(toys.open(), RememberedModel)


def test_nothing_is_known_of_a_device_that_has_to_be_found(toys: _Toys, own_store: Path) -> None:
    for _ in range(2):
        assert isinstance(toys.open(device="auto"), _FolderModel)
    assert memories(own_store) == []


def test_another_model_than_was_remembered_answers_nothing(
    toys: _Toys, monkeypatch: pytest.MonkeyPatch, own_store: Path
) -> None:
    monkeypatch.setattr(remembered, "_seen", lambda _place: "always the same")
    toys.open()
    toys.weights.write_bytes(WEIGHTS[::-1])
    model = toys.open()
    # Asked once more, it says the same.
    for _ in range(2):
        with pytest.raises(ModelError) as raised:
            model.score(["a dog"], Policy())
        assert str(raised.value) == (
            "toy://words: it is another model than its files' sizes and times say, and what was "
            "known of it is forgotten now; run it again"
        )
    assert memories(own_store) == []
    assert toys.open().info.fingerprint.startswith(TOKENIZER.hex() + WEIGHTS[::-1].hex())
    assert list(toys.open().score(["a dog"], Policy()))


def _garbage(known: bytes) -> Iterator[bytes]:
    yield b""
    yield known[: len(known) // 2]
    yield known + known
    yield b"\xff\x00" * 99
    yield b"\n{}\n"
    sealed, said = known.splitlines()
    yield said + b"\n" + sealed
    for at in (3, len(sealed) + 30, len(known) - 4):
        yield known[:at] + bytes([known[at] ^ 1]) + known[at + 1 :]


def test_garbage_is_nothing_that_is_known(toys: _Toys, own_store: Path) -> None:
    toys.open()
    (memory,) = memories(own_store)
    known = memory.read_bytes()
    for garbage in _garbage(known):
        memory.write_bytes(garbage)
        assert isinstance(toys.open(), _FolderModel), garbage
        assert memory.read_bytes() == known
    memory.unlink()
    memory.mkdir()
    assert isinstance(toys.open(), _FolderModel)


def test_of_another_pommel_of_the_same_version(
    toys: _Toys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checkout has one version for many states; a field that came or went is no failure."""
    toys.open()
    monkeypatch.setattr(ModelInfo, "from_dict", lambda said: ModelInfo(**{**said, "gone": 1}))
    assert isinstance(toys.open(), _FolderModel)


def test_where_nothing_can_be_kept(toys: _Toys, own_store: Path) -> None:
    own_store.parent.mkdir(parents=True)
    own_store.with_name("cache").write_text("a file where the folder should be")
    for _ in range(2):
        assert isinstance(toys.open(), _FolderModel)


def test_where_there_is_no_home(toys: _Toys, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("POMMEL_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    for _ in range(2):
        assert isinstance(toys.open(), _FolderModel)


def test_what_is_not_on_disk_is_opened(toys: _Toys, own_store: Path) -> None:
    for place in (None, lambda _reference, _options: None):
        toys.kind = replace(toys.kind, place=place)
        for _ in range(2):
            assert isinstance(toys.open(), _FolderModel)
    assert memories(own_store) == []


def test_a_model_that_is_one_file(toys: _Toys) -> None:
    toys.kind = replace(toys.kind, place=lambda _reference, _options: toys.weights)
    toys.open()
    _tokenizer(toys)
    assert isinstance(toys.open(), RememberedModel)
    _same_size_and_time(toys)
    assert isinstance(toys.open(), _FolderModel)


def test_it_is_a_model(toys: _Toys) -> None:
    toys.open()
    model: Model = toys.open()
    answers = model.score(["a", "b c"], Policy(), [None, None])
    assert sorted(index for index, _ in answers) == [0, 1]
