"""The published `lm-zoo` and `syntaxgym`, as they are on PyPI and with nothing changed in them.

They cannot be installed with what they ask for on a current Python, so they are installed without:
into a folder of their own, and newer packages do. They fetch LM Zoo's list of images whenever they
start; a proxy of the tests' own answers with the list that ships with pommel.
"""

import os
import socketserver
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import cast

import pytest

from pommel.files.shipped import shipped_folder

HOST = "cpllab.github.io"
# What they import that this environment may lack.
_BESIDE = ("spython==0.3.14", "crayons==0.4.0", "colorama", "pyparsing==3.3.3", "tqdm")
# They take them for a sign that Hugging Face models are wanted; they are slow to import.
_HIDDEN = ("torch", "transformers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """Packages in a folder; `variables` are what their programs have to be told."""

    site: Path
    variables: dict[str, str]

    def run(self, *command: str | Path, text: str = "") -> subprocess.CompletedProcess[str]:
        """Run a program of theirs, or else one of Python's own, with `text` as its input."""
        first = self.site / "bin" / command[0]
        words = (first, *command[1:]) if first.exists() else command
        return subprocess.run(
            [sys.executable, *map(str, words)],
            input=text,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **self.variables, "PYTHONPATH": str(self.site)},
            timeout=300,
        )

    def output(self, *command: str | Path, text: str = "") -> str:
        """Return what a program prints; its exit status has to be 0."""
        done = self.run(*command, text=text)
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextmanager
def published(folder: Path, *packages: str) -> Iterator[Published]:
    """Install packages into a folder, and give them what they fetch when they start."""
    site = folder / "site"
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    done = subprocess.run(
        [*pip, "--no-deps", "--no-build-isolation", "--target", site, *packages, *_BESIDE],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        reason = f"the published clients cannot be installed: {done.stderr.strip()[-500:]}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    for name in _HIDDEN:
        (site / f"{name}.py").write_text('raise ImportError("hidden")\n')
    with _Proxy(folder) as proxy:
        Thread(target=proxy.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{proxy.server_address[1]}"
        variables = {"HTTPS_PROXY": address, "REQUESTS_CA_BUNDLE": str(proxy.certificate)}
        yield Published(site=site, variables=variables)
        proxy.shutdown()


class _Proxy(socketserver.ThreadingTCPServer):
    """A proxy that is the host with the list of images, whatever host it is asked for."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        self.certificate = folder / "certificate.pem"
        new = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-noenc", "-subj", f"/CN={HOST}")
        files = ("-keyout", folder / "key.pem", "-out", self.certificate)
        subprocess.run(
            [*new, "-addext", f"subjectAltName=DNS:{HOST}", *files], check=True, capture_output=True
        )
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, folder / "key.pem")
        super().__init__(("127.0.0.1", 0), _Answer)


class _Answer(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        while self.rfile.readline().strip():
            pass
        self.connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        images = (shipped_folder("registry") / "lm_zoo.json").read_bytes()
        context = cast("_Proxy", self.server).context
        with context.wrap_socket(self.connection, server_side=True) as stream:
            stream.recv(1 << 16)
            stream.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % len(images) + images)
