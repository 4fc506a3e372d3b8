"""Which references of strangers may be opened."""

from pathlib import Path

import pytest

from pommel.errors import UsageError
from pommel.leaderboard.rerunning import check_opened

DIGEST = f"sha256:{'0' * 64}"


@pytest.mark.parametrize(
    "reference",
    [
        "builtin://en-ngram",
        "huggingface://gpt2",
        "huggingface://EleutherAI/pythia-70m@step1000",
        "HuggingFace://gpt2",
        "docker://cpllab/language-models:gpt2",
        f"docker://ghcr.io/a/b@{DIGEST}",
        "podman://quay.io/a/b:1",
        "docker://ghcr.io:443/a/b",
        "docker://nvcr.io/a",
        "docker://local.example.org/a",
        "docker://a/b/c",
        "docker://localhost",
        "docker://a:5000",
        "apptainer://docker://a/b:1",
        "singularity://oras://ghcr.io/a/b:1",
        "library://a/b/c:1",
        "shub://Someone/b",
        "library://Someone/b/c:latest",
        "library://library.sylabs.io/a/b/c",
    ],
)
def test_what_is_opened(reference: str) -> None:
    check_opened("abcd", reference)


@pytest.mark.parametrize(
    "reference",
    [
        "http://127.0.0.1:8765/v1#m",
        "HTTPS://example.org/v1#m",
        "recorded:///etc/passwd",
        "dummy://table.json",
        "lstm://model",
        "ngram://model.arpa",
        "model.arpa",
        "/etc",
        "gpt2",
        "",
        "builtin://",
        "builtin://../x",
        "huggingface:///etc",
        "huggingface://./x",
        "huggingface://~/x",
        "huggingface://a/b/c",
        "huggingface://a/..",
        "huggingface://{a,b}",
        "huggingface://a@../../x",
        "docker://",
        "docker://a/../b",
        "docker://a/*",
        "docker://-a",
        "docker://localhost/a",
        "podman://localhost/a:1",
        "docker://LOCALHOST/a",
        "docker://localhost./a",
        "docker://localhost:5000/x",
        "docker://registry:5000/x",
        "docker://ghcr.io:5000/x",
        "docker://ghcr.io:80/x",
        "docker://127.0.0.1/x",
        "docker://127.1/x",
        "docker://0x7f.1/x",
        "docker://0x7f.0x1/x",
        "docker://0177.0.0.1/x",
        "docker://2130706433:443/x",
        "docker://169.254.169.254/a",
        "docker://10.0.0.1@a/x",
        "docker://user:pw@ghcr.io/x",
        "docker://[::1]/x",
        "docker://a.local/x",
        "docker://a.internal:443/x",
        "docker://a.b.LAN/x",
        "docker://a.home.arpa/x",
        "docker://a.localhost/x",
        "docker://Intranet/x",
        "docker://a./x",
        "docker://-a.org/x",
        "docker://docker://localhost/x",
        "library://a.internal/b/c/d",
        "library://intranet/b/c/d",
        "shub://localhost/a/b",
        "shub://intranet/a/b",
        "apptainer://docker://localhost/x",
        "apptainer://docker://docker://localhost/x",
        "apptainer://oras://intranet/x",
        "apptainer://oras://10.0.0.1/x",
        "apptainer://image.sif",
        "apptainer:///image.sif",
        "apptainer://docker-archive://x.tar",
        "apptainer://http://10.0.0.1/x.sif",
        "apptainer://apptainer://x",
        "singularity://docker://",
    ],
)
def test_what_is_not_opened(reference: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_opened("abcd", reference)
    assert str(caught.value) == (
        f"abcd: its reference {reference!r} is not opened, for a stranger has written it, and it "
        f"is no built-in model, name on the Hugging Face hub or image in a public registry; "
        f"name it with --model"
    )


def test_an_image_by_its_digest() -> None:
    check_opened("abcd", f"docker://ghcr.io/a/b@{DIGEST}")
    with pytest.raises(UsageError, match="is not opened"):
        check_opened("abcd", f"docker://localhost:5000/x@{DIGEST}")


@pytest.mark.parametrize("name", ["models/secret", "models@1"])
def test_a_folder_that_looks_like_a_name_of_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    check_opened("abcd", f"huggingface://{name}")
    (tmp_path / "models" / "secret").mkdir(parents=True)
    with pytest.raises(UsageError, match="is not opened"):
        check_opened("abcd", f"huggingface://{name}")
