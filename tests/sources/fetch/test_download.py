"""Downloads from servers that misbehave: what is tried again, what is refused, what is said."""

from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from tests.sources.fetch.birds import AT, WREN, failure, reason
from tests.sources.fetch.server import COMMIT, FileServer, Reply, tree

from pommel.errors import UsageError
from pommel.files.waiting import Waiting
from pommel.sources.fetch.download import TryError, file_address, next_address
from pommel.sources.fetch.fetching import FetchedSource
from pommel.sources.fetch.source import FetchOptions, PublishedSource, SourceFile


@pytest.mark.parametrize(
    "broken",
    [
        Reply(body=WREN[:5], declared=len(WREN)),
        Reply(body=WREN[:5], declared=len(WREN), is_reset=True),
        Reply(status=500),
        Reply(status=503, headers={"Retry-After": "0"}),
        Reply(status=429, headers={"Retry-After": "0"}),
    ],
)
def test_what_may_pass_is_tried_again(
    birds: PublishedSource, server: FileServer, options: FetchOptions, broken: Reply
) -> None:
    server.serve(f"{AT}/wren.json", broken, broken, WREN)
    assert FetchedSource.fetch(birds, options=options).files[0].read_bytes() == WREN
    assert server.asked.count(f"/{AT}/wren.json") == 3


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (
            Reply(body=WREN[:5], declared=len(WREN)),
            (
                "3 tries failed, the last: the connection was lost: peer closed connection without "
                "sending complete message body (received 5 bytes, expected 16)"
            ),
        ),
        (Reply(status=503), "3 tries failed, the last: the server says 503 Service Unavailable"),
        (Reply(status=404), "the server says 404 Not Found"),
        (Reply(status=403), "the server says 403 Forbidden"),
        (Reply(status=206, body=WREN[:5]), "the server says 206 Partial Content"),
        (
            Reply(body=WREN, headers={"Content-Encoding": "gzip"}),
            "it comes packed, which was not asked for",
        ),
        (
            Reply(status=302, headers={"Location": "file:///etc/passwd"}),
            "it redirects to file:///etc/passwd, which is not followed",
        ),
        (Reply(status=301, headers={"Location": "wren.json"}), "it redirects more than 10 times"),
    ],
)
def test_what_does_not_pass(
    birds: PublishedSource, server: FileServer, options: FetchOptions, broken: Reply, said: str
) -> None:
    FetchedSource.fetch(birds, only=["a/tit.json"], options=options)
    server.serve(f"{AT}/wren.json", broken)
    assert reason(server, failure(birds, options)) == said


def test_a_body_that_ends_early_without_a_length(
    birds: PublishedSource, server: FileServer, options: FetchOptions
) -> None:
    server.serve(f"{AT}/wren.json", Reply(body=WREN[:5], has_length=False))
    assert "its SHA-256 is " in reason(server, failure(birds, options))


def test_redirects_are_followed_to_other_hosts(
    birds: PublishedSource, server: FileServer, options: FetchOptions
) -> None:
    other = server.address.replace("127.0.0.1", "localhost")
    server.serve(f"{AT}/wren.json", Reply(status=302, headers={"Location": f"{other}/moved"}))
    server.serve("moved", Reply(status=307, headers={"Location": "/moved/again"}))
    server.serve("moved/again", WREN)
    assert FetchedSource.fetch(birds, options=options).files[0].read_bytes() == WREN


def test_one_missing_file_does_not_stop_the_others(
    birds: PublishedSource, server: FileServer, options: FetchOptions, cache: Path
) -> None:
    server.serve(f"{AT}/wren.json", Reply(status=404))
    said = failure(birds, options)
    assert said == (
        "birds: 1 of 2 files could not be fetched\n"
        f"  wren.json: the server says 404 Not Found ({server.address}/{AT}/wren.json)\n"
        "what has come whole is kept"
    )
    assert tree(cache) == [f"birds/{COMMIT}/a/tit.json"]
    server.serve(f"{AT}/wren.json", WREN)
    assert FetchedSource.fetch(birds, options=options).n_downloaded == 1


def test_many_missing_files_are_not_all_named(server: FileServer, options: FetchOptions) -> None:
    source = server.source({f"{n}.json": WREN for n in range(11)})
    lines = failure(source, options).splitlines()
    assert lines[0] == "birds: 11 of 11 files could not be fetched"
    assert [line.partition(":")[0].strip() for line in lines[1:9]] == [
        f"{n}.json" for n in range(8)
    ]
    assert lines[9:] == ["  and 3 more"]


def test_a_server_that_says_nothing(
    birds: PublishedSource, server: FileServer, options: FetchOptions
) -> None:
    server.serve(f"{AT}/wren.json", Reply(body=WREN, pause_s=0.5))
    said = failure(birds, replace(options, n_retries=0, timeout_seconds=0.1))
    assert "  wren.json: the server was silent for 0.1 s (" in said


def test_a_server_that_takes_its_time(
    birds: PublishedSource, server: FileServer, options: FetchOptions
) -> None:
    server.serve(f"{AT}/wren.json", Reply(body=WREN, drip_s=0.05))
    said = failure(birds, replace(options, longest_seconds=0.2))
    assert reason(server, said) == "it had not come after 0.2 s"


def test_a_file_that_is_too_big(
    birds: PublishedSource, server: FileServer, options: FetchOptions
) -> None:
    server.serve(f"{AT}/wren.json", bytes(1000))
    said = failure(birds, replace(options, max_bytes=999))
    assert reason(server, said) == "it is bigger than 999 bytes"


def test_a_file_that_has_to_be_empty(
    birds: PublishedSource, server: FileServer, options: FetchOptions
) -> None:
    server.serve(f"{AT}/wren.json", WREN)
    empty = tuple(replace(file, size=0) for file in birds.files[:1])
    said = failure(replace(birds, files=empty), options)
    assert reason(server, said) == "it is bigger than 0 bytes, which it has to have"


def test_a_file_that_does_not_end_at_its_size(
    birds: PublishedSource, server: FileServer, options: FetchOptions, cache: Path
) -> None:
    server.serve(f"{AT}/wren.json", Reply(body=bytes(1 << 24), has_length=False))
    sized = tuple(replace(file, size=len(WREN)) for file in birds.files[:1])
    told: list[int] = []
    watched = replace(options, progress=lambda done, _total: told.append(done))
    said = failure(replace(birds, files=sized), watched)
    assert reason(server, said) == "it is bigger than 16 bytes, which it has to have"
    assert max(told) <= len(WREN)
    assert tree(cache) == []


def test_the_rest_can_come_later_where_a_failure_may_pass(
    birds: PublishedSource, server: FileServer, options: FetchOptions
) -> None:
    server.serve(f"{AT}/owl.json", Reply(status=503))
    more = replace(birds, files=(*birds.files, SourceFile(path="owl.json")))
    said = failure(more, replace(options, n_parallel=1))
    assert said.splitlines()[-2:] == [
        "try again when the server can be reached, or name a mirror (--base-url)",
        "what has come whole is kept; the same command fetches the rest",
    ]


def test_a_wait_that_a_server_asks_for_has_a_limit(
    birds: PublishedSource, server: FileServer, options: FetchOptions
) -> None:
    busy = Reply(status=429, headers={"Retry-After": "3600"})
    server.serve(f"{AT}/wren.json", busy, WREN)
    short = replace(options, waiting=Waiting(longest_seconds=0.01))
    fetched = FetchedSource.fetch(birds, options=short)
    assert fetched.n_downloaded == 2


SOURCE = PublishedSource(
    name="birds", title="", address="https://example.org/r/0123456", commit="0123456"
)


@pytest.mark.parametrize(
    ("base_url", "address"),
    [
        (None, "https://example.org/r/0123456/a/great%20tit.json"),
        ("http://localhost:8000", "http://localhost:8000/birds/0123456/a/great%20tit.json"),
        ("https://m.org/pub/", "https://m.org/pub/birds/0123456/a/great%20tit.json"),
    ],
)
def test_where_a_file_is(base_url: str | None, address: str) -> None:
    assert file_address(SOURCE, "a/great tit.json", base_url) == address


@pytest.mark.parametrize("base_url", ["m.org", "file:///data", "https://", "https://m.org/?a=b"])
def test_a_mirror_that_is_none(base_url: str) -> None:
    with pytest.raises(UsageError) as caught:
        file_address(SOURCE, "a.json", base_url)
    message = f"{base_url}: a mirror's address begins with https:// or http://, and is a folder's"
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("address", "location", "target"),
    [
        ("https://a.org/x/y", "z", "https://a.org/x/z"),
        ("https://a.org/x/y", "/z", "https://a.org/z"),
        ("https://a.org/x", "https://b.org/z", "https://b.org/z"),
        ("http://a.org/x", "https://a.org/x", "https://a.org/x"),
        ("http://a.org/x", "http://b.org/x", "http://b.org/x"),
    ],
)
def test_redirects_that_are_followed(address: str, location: str, target: str) -> None:
    assert str(next_address(httpx.URL(address), location)) == target


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("file:///etc/passwd", "it redirects to file:///etc/passwd, which is not followed"),
        ("ftp://a.org/x", "it redirects to ftp://a.org/x, which is not followed"),
        (
            "http://a.org/x",
            "it redirects to http://a.org/x, which is not followed: that way is not encrypted",
        ),
        ("https://[::1", "it redirects to 'https://[::1', which is no address"),
    ],
)
def test_redirects_that_are_not(location: str, message: str) -> None:
    with pytest.raises(TryError) as caught:
        next_address(httpx.URL("https://a.org/x"), location)
    assert str(caught.value) == message
