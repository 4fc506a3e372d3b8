"""Has the model said these numbers?"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from tests.builders import by_word
from tests.leaderboard.samples import NamedModel, board_at, model, submission
from tests.leaderboard.submission.samples import SUITES

from pommel.errors import InputError, ModelError, UsageError
from pommel.leaderboard.board import Board
from pommel.leaderboard.folder import BoardFolder
from pommel.leaderboard.rerunning import Rescored, Sample, can_be_had
from pommel.leaderboard.submission import Submission, SubmissionError, read_submission
from pommel.models.model import Model
from pommel.surprisal import ScoredSentence

SENTENCE = "The dogs bark ."


@pytest.fixture
def claimed(tmp_path: Path) -> Submission:
    """A submission of all tokens of a word model."""
    return read_submission(submission(tmp_path))


@pytest.fixture
def board(tmp_path: Path) -> Board:
    """The board of all suites."""
    return board_at(tmp_path).board()


def with_bits(text: str, bits: Mapping[str, float]) -> ScoredSentence:
    """Return what a model says that gives a word other bits."""
    return by_word(text, bits)


def rescored(
    submission: Submission, board: Board, asked: Model, *, tolerance_bits: float
) -> Rescored:
    """Score one sentence of a submission again."""
    sample = Sample(submission=submission, board=board, texts=(SENTENCE,))
    return sample.rescored(asked, tolerance_bits=tolerance_bits)


def test_a_sample_is_of_the_boards_sentences(tmp_path: Path, claimed: Submission) -> None:
    board = board_at(tmp_path, SUITES[:1]).board()
    texts = {text for run in claimed.runs[:1] for text in run.sentences}
    suite = SUITES[0]

    def drawn(n_sentences: int, seed: int) -> Sample:
        return Sample.drawn(claimed, board, [suite], n_sentences, seed)

    assert {*drawn(100, 1).texts} == texts
    assert drawn(100, 1).n_items == len(suite.items)
    one = drawn(1, 1)
    assert one.texts == drawn(1, 1).texts
    # All sentences of an item, and not one of them.
    assert one.n_items == 1
    assert any(
        {*one.texts} == {each.sentence(suite.joiner).text for each in item.conditions}
        for item in suite.items
    )
    assert len({drawn(1, seed).texts for seed in range(9)}) > 1


def test_the_sample_of_a_plan_is_that_of_a_submission(claimed: Submission, board: Board) -> None:
    for seed, n_sentences in product(range(5), (1, 3, 100)):
        alone = Sample.drawn(claimed, board, SUITES, n_sentences, seed)
        drawn = [each for each in Sample.suites_drawn(SUITES, n_sentences, seed) if each]
        found = Sample.of_suites(claimed, board, drawn)
        assert ({*found.texts}, found.seed) == ({*alone.texts}, seed)
        assert found.n_items == alone.n_items
    with pytest.raises(InputError, match="are no sample"):
        Sample.of_suites(claimed, board, SUITES)


def test_what_the_model_has_not_said(claimed: Submission, board: Board) -> None:
    sample = Sample.drawn(claimed, board, SUITES, 3, 0)
    with pytest.raises(ModelError, match="has not scored 4 sentences of it"):
        sample.compared(claimed.model.fingerprint, {}, tolerance_bits=0)


def test_a_model_that_says_the_same(tmp_path: Path, claimed: Submission) -> None:
    board = board_at(tmp_path).board()
    texts = Sample.drawn(claimed, board, SUITES, 100, 0).texts
    found = Sample(submission=claimed, board=board, texts=texts).rescored(model(), tolerance_bits=0)
    assert (found.n_sentences, found.largest_bits, found.differences) == (10, 0, ())
    assert found.n_tokens == sum(len(text.split()) for text in texts)


def test_bits_within_the_tolerance(claimed: Submission, board: Board) -> None:
    near = model(bits={"bark": 4.004})
    found = rescored(claimed, board, near, tolerance_bits=0.01)
    assert found.differences == ()
    assert found.largest_bits == pytest.approx(0.004)


def _named(scored: ScoredSentence, **changes: object) -> ScoredSentence:
    tokens = list(scored.tokens)
    tokens[2] = replace(tokens[2], **changes)  # type: ignore[arg-type]
    return replace(scored, tokens=tuple(tokens))


PLAIN = by_word(SENTENCE)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            by_word(SENTENCE, {"bark": 4.1}),
            "token 3 ('bark') has 4.0000 bits in the submission, and 4.1000 bits now",
        ),
        (
            by_word(SENTENCE, {"bark": None}),
            "token 3 ('bark') has 4.0000 bits in the submission, and no number now",
        ),
        (_named(PLAIN, text="bar"), "token 3 ('bar') is claimed to be 'bark', 9-13"),
        (_named(PLAIN, oov=True), "token 3 ('bark') is claimed not to be an unknown word"),
        (replace(PLAIN, tokens=PLAIN.tokens[:3]), "4 tokens are claimed, and the model has 3"),
        (
            by_word(SENTENCE, {"bark": float("inf")}),
            "token 3 ('bark') has 4.0000 bits in the submission, and inf bits now",
        ),
    ],
)
def test_a_model_that_says_something_else(
    claimed: Submission, board: Board, answer: ScoredSentence, said: str
) -> None:
    other = model()
    other.sentences = {SENTENCE: answer}
    found = rescored(claimed, board, other, tolerance_bits=0.01)
    assert found.differences == (f"'{SENTENCE}': {said}",)


def test_another_model(claimed: Submission, board: Board) -> None:
    found = rescored(claimed, board, model("other"), tolerance_bits=0.01)
    assert found.differences == (
        "the model has the fingerprint toy-other, and the submission says toy-words",
    )


def test_tokens_that_were_not_asked_for_are_not_compared(tmp_path: Path, board: Board) -> None:
    partial = read_submission(submission(tmp_path, regions="needed"))
    (scored,) = (run.sentences[SENTENCE] for run in partial.runs if SENTENCE in run.sentences)
    assert {each.why_unscored for each in scored.tokens if each.surprisal_bits is None} <= {
        "not asked for"
    }
    assert rescored(partial, board, model(), tolerance_bits=0).differences == ()


def test_an_image_is_known_by_its_digest(claimed: Submission) -> None:
    assert claimed.reference == "builtin://en-ngram"
    digest = f"example.org/model@sha256:{'0' * 64}"
    pushed = replace(claimed, manifest=replace(claimed.manifest, image_digest=digest))
    assert pushed.reference == f"docker://{digest}"


def test_the_model_is_asked_under_the_policy_of_the_submission(
    claimed: Submission, board: Board
) -> None:
    asked: NamedModel = model()
    rescored(claimed, board, asked, tolerance_bits=0)
    assert asked.policies == [claimed.policy]
    assert asked.spans == [[None]]


def _with_run(claimed: Submission, bits: Mapping[str, float], *, first: bool) -> Submission:
    """Return the submission with one more run, which says of SENTENCE what "bits" has."""
    (run,) = (each for each in claimed.runs if SENTENCE in each.sentences)
    more = replace(
        run,
        entry=replace(run.entry, name="more", sha256="f" * 64),
        sentences={**run.sentences, SENTENCE: by_word(SENTENCE, bits)},
    )
    runs = (more, *claimed.runs) if first else (*claimed.runs, more)
    return replace(claimed, runs=runs)


@pytest.mark.parametrize("first", [True, False])
def test_a_run_of_no_suite_of_the_board_hides_nothing(
    claimed: Submission, board: Board, *, first: bool
) -> None:
    both = _with_run(claimed, {"bark": 9.0}, first=first)
    assert rescored(both, board, model(), tolerance_bits=0).differences == ()
    # The model says what is claimed of the other suite, and not what counts.
    other = model(bits={"bark": 9.0})
    assert rescored(both, board, other, tolerance_bits=0).differences == (
        f"'{SENTENCE}': token 3 ('bark') has 4.0000 bits in the submission, and 9.0000 bits now",
    )


@pytest.mark.parametrize("first", [True, False])
def test_a_text_of_two_suites_is_compared_in_both(
    claimed: Submission, board: Board, *, first: bool
) -> None:
    both = _with_run(claimed, {"bark": 9.0}, first=first)
    more = replace(board.suites[0], name="more", sha256="f" * 64)
    wide = replace(board, suites=(*board.suites, more))
    found = rescored(both, wide, model(), tolerance_bits=0)
    assert (found.n_tokens, found.largest_bits) == (4, 5)
    assert found.differences == (
        f"'{SENTENCE}': token 3 ('bark') has 9.0000 bits in the submission, and 4.0000 bits now",
    )


def test_all_suites_of_the_board_have_to_be_there(claimed: Submission, board: Board) -> None:
    less = replace(claimed, runs=claimed.runs[:1])
    with pytest.raises(SubmissionError, match="has no run on "):
        rescored(less, board, model(), tolerance_bits=0)


DIGEST = f"sha256:{'0' * 64}"


@pytest.mark.parametrize(
    "reference",
    [
        "builtin://en-ngram",
        *("huggingface://gpt2", "huggingface://EleutherAI/pythia-70m@step1000"),
        "HuggingFace://gpt2",
        *("docker://cpllab/language-models:gpt2", f"docker://ghcr.io/a/b@{DIGEST}"),
        "podman://quay.io/a/b:1",
        *("docker://ghcr.io:443/a/b", "docker://nvcr.io/a", "docker://local.example.org/a"),
        *("docker://a/b/c", "docker://localhost", "docker://a:5000", "apptainer://docker://a/b:1"),
        *("singularity://oras://ghcr.io/a/b:1", "library://a/b/c:1", "shub://Someone/b"),
        *("library://Someone/b/c:latest", "library://library.sylabs.io/a/b/c"),
    ],
)
def test_what_is_opened(reference: str) -> None:
    BoardFolder.check_opened("abcd", reference)


@pytest.mark.parametrize(
    "reference",
    [
        *("http://127.0.0.1:8765/v1#m", "HTTPS://example.org/v1#m", "recorded:///etc/passwd"),
        *("dummy://table.json", "lstm://model", "ngram://model.arpa", "model.arpa", "/etc", "gpt2"),
        *("", "builtin://", "builtin://../x", "builtin://en-gpt5", "builtin://EN-NGRAM"),
        *("huggingface:///etc", "huggingface://./x", "huggingface://~/x", "huggingface://a/b/c"),
        *("huggingface://a/..", "huggingface://{a,b}", "huggingface://a@../../x"),
        *("docker://", "docker://a/../b", "docker://a/*", "docker://-a", "docker://localhost/a"),
        "podman://localhost/a:1",
        *("docker://LOCALHOST/a", "docker://localhost./a", "docker://localhost:5000/x"),
        *("docker://registry:5000/x", "docker://ghcr.io:5000/x", "docker://ghcr.io:80/x"),
        *("docker://127.0.0.1/x", "docker://127.1/x", "docker://0x7f.1/x", "docker://0x7f.0x1/x"),
        *("docker://0177.0.0.1/x", "docker://2130706433:443/x", "docker://169.254.169.254/a"),
        *("docker://10.0.0.1@a/x", "docker://user:pw@ghcr.io/x", "docker://[::1]/x"),
        *("docker://a.local/x", "docker://a.internal:443/x", "docker://a.b.LAN/x"),
        *("docker://a.home.arpa/x", "docker://a.localhost/x", "docker://Intranet/x"),
        *("docker://a./x", "docker://-a.org/x", "docker://docker://localhost/x"),
        *("library://a.internal/b/c/d", "library://intranet/b/c/d"),
        *("shub://localhost/a/b", "shub://intranet/a/b"),
        *("apptainer://docker://localhost/x", "apptainer://docker://docker://localhost/x"),
        *("apptainer://oras://intranet/x", "apptainer://oras://10.0.0.1/x"),
        *("apptainer://image.sif", "apptainer:///image.sif", "apptainer://docker-archive://x.tar"),
        *("apptainer://http://10.0.0.1/x.sif", "apptainer://apptainer://x"),
        "singularity://docker://",
    ],
)
def test_what_is_not_opened(reference: str) -> None:
    with pytest.raises(UsageError) as caught:
        BoardFolder.check_opened("abcd", reference)
    assert str(caught.value) == (
        f"abcd: its reference {reference!r} is not opened, for a stranger has written it, and it "
        f"is no built-in model, name on the Hugging Face hub or image in a public registry; "
        f"name it with --model"
    )


def test_an_image_by_its_digest() -> None:
    BoardFolder.check_opened("abcd", f"docker://ghcr.io/a/b@{DIGEST}")
    with pytest.raises(UsageError, match="is not opened"):
        BoardFolder.check_opened("abcd", f"docker://localhost:5000/x@{DIGEST}")


@pytest.mark.parametrize("name", ["models/secret", "models@1"])
def test_a_folder_that_looks_like_a_name_of_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    BoardFolder.check_opened("abcd", f"huggingface://{name}")
    (tmp_path / "models" / "secret").mkdir(parents=True)
    with pytest.raises(UsageError, match="is not opened"):
        BoardFolder.check_opened("abcd", f"huggingface://{name}")


IMAGE = f"example.org/model@sha256:{'0' * 64}"


@pytest.mark.parametrize(
    ("reference", "revision", "digest", "expected"),
    [
        ("builtin://en-gpt2", None, None, True),
        ("builtin://en-gpt5", None, None, False),
        ("huggingface://gpt2", "607a30d783dfa663caf39e06633721c8d4cfcd7e", None, True),
        # A folder that is called like a name of the hub; one by its path.
        ("huggingface://models/gpt2", None, None, False),
        ("huggingface://./gpt2", None, None, False),
        ("docker://lab/model", None, IMAGE, True),
        # An image that was built and not pushed, and one in a registry of a network of one's own.
        ("docker://lab/model", None, None, False),
        ("docker://lab/model", None, f"localhost:5000/model@sha256:{'0' * 64}", False),
        ("apptainer://./model.sif", None, None, False),
        ("https://example.org/v1", None, None, False),
        ("command://./score.sh", None, None, False),
        ("recorded://surprisals.jsonl", None, None, False),
        ("lstm://model", None, None, False),
        ("ngram://model.arpa", None, None, False),
    ],
)
def test_whose_weights_can_be_had(
    *, reference: str, revision: str | None, digest: str | None, expected: bool
) -> None:
    assert can_be_had(reference, revision, digest) is expected
