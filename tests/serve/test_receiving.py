"""What is sent to a server: checks, the keeper's queue, and who may do what with whose."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.builders import suite_value
from tests.leaderboard.samples import KEEPER, RIGHT, added, model, submission
from tests.leaderboard.submission.samples import AGREEMENT, SONG, SOURCE, SUITES, Parts, packed
from tests.leaderboard.submission.test_hostile import HOSTILE
from tests.serve.board_samples import Visitors, events, faults, site_of, state, visited

from pommel.leaderboard import BoardFolder
from pommel.serve.app import PAGES
from pommel.serve.site import Site
from pommel.serve.uploads import Submissions

ZIP = {"Content-Type": "application/zip"}

Place = tuple[BoardFolder, Visitors]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A board without submissions, and visitors of its server."""
    with visited(tmp_path) as found:
        yield found


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    """The files of a sound submission."""
    return Parts.of(packed(tmp_path_factory.mktemp("sound"))[0])


def on_board(visitors: Visitors) -> list[str]:
    """Return what the ranking calls its submissions."""
    ranked = visitors.anybody.get("/board.json").json()["submissions"]
    return [each["model"] for each in ranked]


def text_of(client: TestClient, address: str) -> str:
    """Return a page, which is there."""
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return answer.text


# Submissions.


def test_a_submission_is_sent_checked_and_accepted(place: Place, tmp_path: Path) -> None:
    board, visitors = place
    path = submission(tmp_path)
    address = visitors.sent(visitors.ann, path)
    found = state(visitors.ann, address)
    assert (found["status"], found["sent_by"]) == ("waiting", "Ann")
    assert found["name"] == SOURCE
    assert found["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (found["found"]["name"], found["found"]["by"]) == ("words", "A. Linguist")
    assert "waits for a keeper" in text_of(visitors.ann, address)
    # Until then, nothing is on the board.
    assert (on_board(visitors), events(board)) == ([], [])
    queue = visitors.keeper.get("/board/queue.json").json()
    assert [each["name"] for each in queue["waiting"]] == [SOURCE]
    upload_id = address.rpartition("/")[2]
    answer = visitors.keeper.post(f"/board/queue/{upload_id}/accept")
    assert (answer.status_code, answer.headers["location"]) == (303, address)
    found = state(visitors.ann, address)
    assert (found["status"], found["decided_by"]) == ("accepted", "Kay")
    assert on_board(visitors) == ["words"]
    assert events(board) == [("added", "Kay")]
    assert [*board.verified()] == []
    (name,) = board.ledger(board.board()).submissions
    assert f'href="/board/submissions/{name}"' in text_of(visitors.ann, address)
    shown = visitors.anybody.get(f"/board/submissions/{name}.json").json()
    assert [(each["what"], each["by"]) for each in shown["history"]] == [
        ("sent", "Ann"),
        ("added", "Kay"),
    ]
    assert visitors.keeper.get("/board/queue.json").json()["waiting"] == []


def test_a_program_sends_a_file_as_it_is(place: Place, tmp_path: Path) -> None:
    _, visitors = place
    content = submission(tmp_path).read_bytes()
    # curl --data-binary calls all that it sends a form.
    for kind in ("application/x-www-form-urlencoded", "application/zip"):
        answer = visitors.ann.post(
            "/board/submit.json", content=content, headers={"Content-Type": kind}
        )
        assert answer.status_code == 200
        # What is sent twice is one.
        address = visitors.checked(visitors.ann, answer.json()["to"])
        assert state(visitors.ann, address)["status"] == "waiting"
    assert len(visitors.keeper.get("/board/queue.json").json()["waiting"]) == 1


def test_each_fault_is_listed(place: Place, tmp_path: Path, sound: Parts) -> None:
    _, visitors = place

    def boast(claimed: dict[str, list[dict[str, list[bool]]]]) -> None:
        claimed["predictions"][0]["holds"][0] ^= True

    path = tmp_path / "my <b>own.zip"
    path.write_bytes(sound.with_claims(boast, AGREEMENT).with_claims(boast, SONG).packed())
    address = visitors.sent(visitors.ann, path)
    said = faults(visitors.ann, address)
    assert [each.partition(", item ")[0] for each in said] == ["suite agreement", "suite song"]
    page = text_of(visitors.ann, address)
    assert page.count("<li>suite ") == 2
    assert "my &lt;b&gt;own.zip" in page
    # Of this machine, nothing is said; and it is not kept.
    assert str(tmp_path) not in page
    assert "/tmp" not in page
    with visitors.site.desk.reading() as connection:
        (row,) = connection.execute("SELECT length(content) FROM uploads")
        assert tuple(row) == (0,)


def _refusals(place: Place, folder: Path, sound: Parts, names: list[str]) -> None:
    _, visitors = place
    for n, name in enumerate(names):
        make, reason = HOSTILE[name]
        path = folder / f"{n}.zip"
        path.write_bytes(make(sound))
        if not path.stat().st_size:
            continue
        expected = reason.replace(
            "{size}", f"{len(sound.files[f'surprisals/{AGREEMENT.sha256}.jsonl']):,}"
        )
        # Of several suites that do not fit, each has its own.
        first, *_ = faults(visitors.ann, visitors.sent(visitors.ann, path))
        assert first == expected, name


def test_hostile_archives_are_refused_with_their_reasons(
    place: Place, tmp_path: Path, sound: Parts
) -> None:
    # All of them are at the command line (tests/leaderboard), which is what is asked here.
    _refusals(place, tmp_path, sound, [*HOSTILE][::40])


@pytest.mark.parametrize("content", [b"", b"no archive"])
def test_what_is_no_archive(place: Place, tmp_path: Path, content: bytes) -> None:
    _, visitors = place
    (tmp_path / "x.zip").write_bytes(content)
    answer = visitors.ann.post(
        "/board/submit", files={"submission": (tmp_path / "x.zip").read_bytes()}
    )
    if content:
        address = visitors.checked(visitors.ann, answer.headers["location"])
        assert faults(visitors.ann, address) == [
            "is no zip file; a submission is what `pommel submit` writes"
        ]
    else:
        assert answer.status_code == 400
        assert "no file came, or an empty one; choose one" in answer.text
    assert visitors.ann.post("/board/submit", data={}).status_code == 400


def test_what_takes_the_place_of_another_says_so(place: Place, tmp_path: Path) -> None:
    board, visitors = place
    first = added(board, submission(tmp_path)).standing.id
    parts = Parts.of(submission(tmp_path).read_bytes())

    def rename(manifest: dict[str, dict[str, str]]) -> None:
        manifest["submitter"]["by"] = "B. Linguist"

    path = tmp_path / "again.zip"
    path.write_bytes(parts.with_manifest(rename).packed())
    address = visitors.sent(visitors.ann, path)
    known = state(visitors.ann, address)["found"]
    assert [each["id"] for each in known["supersedes"]] == [first]
    assert known["why"].startswith("is of a model and policy that the board has already")
    upload_id = address.rpartition("/")[2]
    accept = f"/board/queue/{upload_id}/accept"
    # A keeper who has not read so is told.
    answer = visitors.keeper.post(accept)
    assert answer.status_code == 400
    assert "say that it takes the place of that one (--supersede)" in answer.text
    visitors.checked(visitors.ann, address)
    assert state(visitors.ann, address)["status"] == "waiting"
    assert visitors.keeper.post(accept, data={"supersede": "true"}).status_code == 303
    ledger = board.ledger(board.board())
    assert ledger.submissions[first].status == "superseded"
    shown = visitors.anybody.get(f"/board/submissions/{first}.json").json()
    assert [(each["what"], each["by"]) for each in shown["history"]] == [
        ("added", KEEPER),
        ("superseded", "Kay"),
    ]
    assert "has taken its place" in text_of(visitors.anybody, f"/board/submissions/{first}")


def test_a_submission_is_refused_with_a_reason(place: Place, tmp_path: Path) -> None:
    board, visitors = place
    path = submission(tmp_path)
    address = visitors.sent(visitors.ann, path)
    refuse = f"/board/queue/{address.rpartition('/')[2]}/refuse"
    for reason in ("", "  ", "x" * 501, "two\nlines"):
        answer = visitors.keeper.post(refuse, data={"reason": reason})
        assert answer.status_code == 400
        assert "the reason cannot be" in answer.text
        assert state(visitors.ann, address)["status"] == "waiting"
    answer = visitors.keeper.post(refuse, data={"reason": "Which <i>model</i> is this?"})
    assert answer.status_code == 303
    found = state(visitors.ann, address)
    assert (found["status"], found["decided_by"]) == ("refused", "Kay")
    assert "Which &lt;i&gt;model&lt;/i&gt; is this?" in text_of(visitors.ann, address)
    assert events(board) == []
    # It may be sent again.
    again = visitors.sent(visitors.ann, path)
    assert again != address
    assert state(visitors.ann, again)["status"] == "waiting"


def test_a_submission_is_withdrawn_with_a_reason(place: Place, tmp_path: Path) -> None:
    board, visitors = place
    path = submission(tmp_path)
    name = added(board, path).standing.id
    withdraw = f"/board/submissions/{name}/withdraw"
    assert visitors.keeper.post(withdraw, data={"reason": ""}).status_code == 400
    answer = visitors.keeper.post(withdraw, data={"reason": "its author asked for it"})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/board/submissions/{name}")
    assert events(board) == [("added", KEEPER), ("withdrawn", "Kay")]
    assert on_board(visitors) == []
    assert "its author asked for it" in text_of(visitors.anybody, f"/board/submissions/{name}")
    twice = visitors.second.post(withdraw, data={"reason": "again"})
    assert twice.status_code == 400
    assert f"{name} is withdrawn already" in twice.text
    # It is on the board, and not ranked: it cannot come again.
    address = visitors.sent(visitors.ann, path)
    assert faults(visitors.ann, address) == [
        f"is on the board already, as {name}, and was withdrawn: its author asked for it"
    ]


# Who may do what.


def _decisions(address: str) -> list[tuple[str, dict[str, str]]]:
    root, _, upload_id = address.rpartition("/uploads/")
    return [
        (f"{root}/queue/{upload_id}/accept", {}),
        (f"{root}/queue/{upload_id}/refuse", {"reason": "no"}),
    ]


def test_only_a_keeper_decides_and_only_who_may_sends(place: Place, tmp_path: Path) -> None:
    board, visitors = place
    address = visitors.sent(visitors.ann, submission(tmp_path))
    name = added(board, submission(tmp_path, model("right", RIGHT))).standing.id
    actions = [
        *_decisions(address),
        (f"/board/submissions/{name}/withdraw", {"reason": "no"}),
        ("/board/verify", {}),
    ]
    for client in (visitors.anybody, visitors.ann, visitors.ben, visitors.writer):
        # Who has said no token is asked for one.
        status = 401 if client is visitors.anybody else 403
        for path, data in actions:
            answer = client.post(path, data=data)
            assert (answer.status_code, "allows to keep" in answer.text) == (status, True)
        assert client.get("/board/queue").status_code == status
        assert client.get("/suites/queue").status_code == status
    for client in (visitors.anybody, visitors.writer, visitors.keeper):
        status = 401 if client is visitors.anybody else 403
        answer = client.post("/board/submit", content=b"PK\x03\x04", headers=ZIP)
        assert (answer.status_code, "allows to upload" in answer.text) == (status, True)
        answer = client.post("/suites/propose", data={"words": "x"}, files={"suite": b"{}"})
        assert answer.status_code == status
    assert state(visitors.ann, address)["status"] == "waiting"
    assert events(board) == [("added", KEEPER)]


def test_every_action_says_which_scope_it_needs() -> None:
    actions = {
        (page.path, page.needs)
        for page in PAGES
        if page.method == "POST" and page.path.startswith(("/board", "/suites"))
    }
    assert actions == {
        ("/board/submit", "upload"),
        ("/suites/propose", "upload"),
        ("/board/submissions/{submission_id}/withdraw", "keep"),
        ("/board/verify", "keep"),
        *(
            (f"{root}/queue/{{upload_id}}/{name}", "keep")
            for root in ("/board", "/suites")
            for name in ("accept", "refuse")
        ),
    }


def test_a_submitter_sees_the_state_of_her_own_alone(place: Place, tmp_path: Path) -> None:
    _, visitors = place
    address = visitors.sent(visitors.ann, submission(tmp_path))
    for client in (visitors.anybody, visitors.ben, visitors.writer):
        for path in (address, f"{address}.json"):
            answer = client.get(path)
            assert (answer.status_code, "there is no such submission" in answer.text) == (404, True)
    assert visitors.keeper.get(address).status_code == 200
    assert address in text_of(visitors.ann, "/board/submit")
    assert address not in text_of(visitors.ben, "/board/submit")
    # Another who sends the same file learns no more than that it waits.
    file = submission(tmp_path)
    own = visitors.sent(visitors.ann, file)
    answer = visitors.ben.post("/board/submit", files={"submission": file.read_bytes()})
    assert answer.status_code == 400
    assert "somebody else has sent this submission, and it waits" in answer.text
    assert own.rpartition("/")[2] not in answer.text


@pytest.mark.parametrize("upload_id", ["none", "..%2f..", "x" * 200, "'--", "%00"])
def test_an_id_that_is_not_there(place: Place, upload_id: str) -> None:
    _, visitors = place
    for root in ("/board", "/suites"):
        assert visitors.keeper.get(f"{root}/uploads/{upload_id}").status_code == 404
        for name in ("accept", "refuse"):
            answer = visitors.keeper.post(f"{root}/queue/{upload_id}/{name}", data={"reason": "no"})
            assert answer.status_code == 404
    answer = visitors.keeper.post(f"/board/submissions/{upload_id}/withdraw", data={"reason": "no"})
    assert answer.status_code == 404
    answer = visitors.keeper.post("/board/verify", data={"submission_id": "0" * 16})
    assert answer.status_code == 404
    assert visitors.keeper.post("/board/verify", data={"submission_id": "-x"}).status_code == 400


def test_what_was_sent_to_another_board_is_not_there(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    with visited(tmp_path / "one") as (_, visitors):
        address = visitors.sent(visitors.ann, submission(tmp_path))
        with visited(tmp_path / "other") as (other, _):
            # Two boards may have one desk.
            one = site_of(tmp_path / "one")
            site = Site(one.store, one.people, board=other.folder, suites=one.suites)
            elsewhere = Visitors(site)
            assert elsewhere.keeper.get(address).status_code == 404
            for path, data in _decisions(address):
                assert elsewhere.keeper.post(path, data=data).status_code == 404
            # Nor is it one of the suites that were proposed.
            for path, data in _decisions(address.replace("/board", "/suites")):
                assert visitors.keeper.post(path, data=data).status_code == 404
            assert elsewhere.keeper.get("/board/queue.json").json()["waiting"] == []
            site.close()
        assert state(visitors.ann, address)["status"] == "waiting"


def test_one_person_fills_no_disk(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    _, visitors = place
    # What waits for its check counts, too.
    monkeypatch.setattr(Submissions, "_begin_check", lambda *_: None)
    statuses = [
        visitors.ann.post("/board/submit", content=b"PK\x03\x04%d" % n, headers=ZIP).status_code
        for n in range(22)
    ]
    assert statuses == [*[303] * 20, 400, 400]
    answer = visitors.ann.post("/board/submit", content=b"PK\x03\x04more", headers=ZIP)
    assert "20 that you have sent wait already" in answer.text
    # Others are not kept from it.
    answer = visitors.ben.post("/board/submit", content=b"PK\x03\x04x", headers=ZIP)
    assert answer.status_code == 303


# Twice, and at once.


@pytest.mark.parametrize("first", ["accept", "refuse"])
def test_what_is_decided_is_not_decided_again(place: Place, tmp_path: Path, first: str) -> None:
    board, visitors = place
    address = visitors.sent(visitors.ann, submission(tmp_path))
    root = f"/board/queue/{address.rpartition('/')[2]}"
    assert visitors.keeper.post(f"{root}/{first}", data={"reason": "no"}).status_code == 303
    done = {"accept": "accepted", "refuse": "refused"}[first]
    for then in ("accept", "refuse"):
        answer = visitors.second.post(f"{root}/{then}", data={"reason": "never"})
        assert answer.status_code == 409
        assert f"this submission is {done} already, by Kay on" in answer.text
    assert events(board) == ([("added", "Kay")] if first == "accept" else [])


@pytest.mark.parametrize("then", ["accept", "refuse"])
def test_of_two_keepers_at_once_one_wins(place: Place, tmp_path: Path, then: str) -> None:
    board, visitors = place
    address = visitors.sent(visitors.ann, submission(tmp_path))
    root = f"/board/queue/{address.rpartition('/')[2]}"
    # A server of its own, as on another machine with the same files.
    other = Visitors(site_of(tmp_path))
    answers: dict[str, int] = {}

    def decide(name: str, post: Callable[..., object], action: str) -> None:
        answer = post(f"{root}/{action}", data={"reason": "no"})
        answers[name] = answer.status_code  # type: ignore[attr-defined]

    threads = [
        threading.Thread(target=decide, args=("Kay", visitors.keeper.post, "accept")),
        threading.Thread(target=decide, args=("Karl", other.second.post, then)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.site.close()
    assert sorted(answers.values()) == [303, 409]
    (winner,) = (name for name, status in answers.items() if status == 303)
    found = state(visitors.ann, address)
    assert found["decided_by"] == winner
    is_accepted = winner == "Kay" or then == "accept"
    assert found["status"] == ("accepted" if is_accepted else "refused")
    assert events(board) == ([("added", winner)] if is_accepted else [])


def test_what_the_command_line_adds_is_accepted(place: Place, tmp_path: Path) -> None:
    board, visitors = place
    path = submission(tmp_path)
    address = visitors.sent(visitors.ann, path)
    added(board, path)
    assert visitors.keeper.get("/board/queue.json").json()["waiting"] == []
    found = state(visitors.ann, address)
    assert (found["status"], found["decided_by"]) == ("accepted", KEEPER)
    for action, data in _decisions(address):
        assert visitors.keeper.post(action, data=data).status_code == 409
    assert [*board.verified()] == []


def test_a_check_that_was_killed_with_its_server_is_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with visited(tmp_path) as (_, visitors):
        with monkeypatch.context() as patched:
            # As if it was killed as soon as it had the file.
            patched.setattr(Submissions, "_begin_check", lambda *_: None)
            sent = {"submission": submission(tmp_path).read_bytes()}
            answer = visitors.ann.post("/board/submit", files=sent)
            address = answer.headers["location"]
            assert state(visitors.ann, address)["status"] == "sent"
            page = text_of(visitors.ann, address)
            assert f'hx-get="{address}"' in page
        again = Visitors(site_of(tmp_path))
        # Whoever looks has it done.
        assert [each["status"] for each in again.keeper.get("/board/queue.json").json()["waiting"]]
        again.checked(again.ann, address)
        assert state(again.ann, address)["status"] == "waiting"
        assert "hx-get" not in text_of(again.ann, address)
        again.site.close()


def test_a_damaged_board_is_no_fault_of_a_submission(place: Place, tmp_path: Path) -> None:
    board, visitors = place
    path = submission(tmp_path)
    ledger = board.ledger_file.read_bytes()
    board.ledger_file.write_bytes(ledger[:-5])
    answer = visitors.ann.post("/board/submit", files={"submission": path.read_bytes()})
    address = visitors.checked(visitors.ann, answer.headers["location"])
    said = faults(visitors.ann, address)
    assert said == [
        "the check has failed, and nothing is known of this file; ask who keeps this server"
    ]
    assert str(tmp_path) not in text_of(visitors.ann, address)
    board.ledger_file.write_bytes(ledger)
    assert state(visitors.ann, visitors.sent(visitors.ann, path))["status"] == "waiting"


def test_models_score_again_in_a_job(place: Place, tmp_path: Path) -> None:
    board, visitors = place
    added(board, submission(tmp_path))
    answer = visitors.keeper.post("/board/verify", data={"sample": "2"})
    assert answer.status_code == 303
    job_id = answer.headers["location"].removeprefix("/jobs/")
    job = visitors.site.jobs.job(job_id)
    assert job is not None
    assert (job.kind, job.begun_by) == ("verify", "Kay")
    queue = visitors.keeper.get("/board/queue.json").json()
    assert [each["job_id"] for each in queue["jobs"]] == [job_id]
    # Who has asked for it is led there, sees what it says, and can end it.
    assert f"/jobs/{job_id}/cancel" in text_of(visitors.keeper, f"/jobs/{job_id}")
    assert visitors.ann.get(f"/jobs/{job_id}").status_code == 403
    assert visitors.keeper.post(f"/jobs/{job_id}/cancel").status_code == 303
    assert visitors.keeper.post("/jobs/0/cancel").status_code == 404
    visitors.site.jobs.close()
    assert f'href="/jobs/{job_id}"' in text_of(visitors.keeper, "/board/queue")


# Suites.


def suite_file(name: str = "mine") -> bytes:
    """Return a sound suite's file."""
    return json.dumps(suite_value(name=name, language="en", circuit="agreement")).encode()


def test_a_suite_is_proposed_and_accepted(place: Place, tmp_path: Path) -> None:
    _, visitors = place
    content = suite_file("Subject / verb")
    address = visitors.proposed(visitors.ann, "x.json", content, "Agreement,\r\nafter Marvin")
    found = state(visitors.ann, address)
    assert (found["status"], found["found"]["file"]) == ("waiting", "Subject_verb.json")
    assert (found["found"]["n_items"], found["found"]["language"]) == (1, "en")
    assert not (tmp_path / "suites").exists()
    accept = f"/suites/queue/{address.rpartition('/')[2]}/accept"
    assert visitors.ann.post(accept).status_code == 403
    assert visitors.keeper.post(accept).status_code == 303
    found = state(visitors.ann, address)
    assert (found["status"], found["decided_by"]) == ("accepted", "Kay")
    assert (tmp_path / "suites" / "Subject_verb.json").read_bytes() == content
    card = (tmp_path / "suites" / "Subject_verb.md").read_text()
    assert card.startswith("# Subject / verb\n\nAgreement,\nafter Marvin\n\nProposed by Ann on ")
    assert sorted(each.name for each in (tmp_path / "suites").iterdir()) == [
        "Subject_verb.json",
        "Subject_verb.md",
    ]
    assert visitors.second.post(accept).status_code == 409


def test_a_suite_that_is_wrong_says_where(place: Place) -> None:
    _, visitors = place
    value = suite_value(formulas=("(2;%match%) < (2;%mismatched%)",))
    del value["meta"]["metric"]
    address = visitors.proposed(visitors.ann, "x.json", json.dumps(value, indent=1).encode())
    said = faults(visitors.ann, address)
    assert len(said) == 2
    assert all(each.startswith("line ") for each in said)
    page = text_of(visitors.ann, address)
    assert "mismatched" in page
    assert "/tmp" not in page
    for content in (b"item,condition\n1,x\n", b"\xff\xfe\x00", b"[]", b"{}" * 9):
        assert faults(visitors.ann, visitors.proposed(visitors.ann, "x.csv", content))
    files = {"suite": ("x.json", suite_file())}
    answer = visitors.ann.post("/suites/propose", files=files, data={"words": " "})
    assert (answer.status_code, "say in a few words" in answer.text) == (400, True)


def test_a_suite_never_takes_the_place_of_another_file(place: Place, tmp_path: Path) -> None:
    _, visitors = place
    there = tmp_path / "suites" / "mine.json"
    there.parent.mkdir()
    there.write_bytes(b"{}")
    address = visitors.proposed(visitors.ann, "x.json", suite_file())
    accept, refuse = (path for path, _ in _decisions(address))
    answer = visitors.keeper.post(accept)
    assert answer.status_code == 400
    assert "mine.json is in the folder already, with another content" in answer.text
    assert there.read_bytes() == b"{}"
    assert [each.name for each in there.parent.iterdir()] == ["mine.json"]
    visitors.checked(visitors.ann, address)
    answer = visitors.keeper.post(refuse, data={"reason": "there is one called so"})
    assert answer.status_code == 303
    assert "there is one called so" in text_of(visitors.ann, address)


@pytest.mark.parametrize("name", ["../../x", "..", "/etc/passwd", ".hidden", "a" * 300, "\u202ex"])
def test_a_suite_stays_in_its_folder(place: Place, tmp_path: Path, name: str) -> None:
    _, visitors = place
    before = {each for each in tmp_path.rglob("*") if each.parent.name != "suites"}
    address = visitors.proposed(visitors.ann, f"{name}.json", suite_file(name))
    if state(visitors.ann, address)["status"] == "waiting":
        accept, _ = (path for path, _ in _decisions(address))
        assert visitors.keeper.post(accept).status_code == 303
        written = [each for each in (tmp_path / "suites").iterdir() if each.suffix == ".json"]
        assert len(written) == 1
        assert not written[0].name.startswith(".")
    outside = {each for each in tmp_path.rglob("*") if each.parent.name != "suites"}
    assert outside - before <= {tmp_path / "suites", tmp_path / "serve.sqlite.deciding"}


def test_without_a_board_or_suites_there_are_no_such_pages(tmp_path: Path) -> None:
    with visited(tmp_path) as (_, visitors):
        whole = site_of(tmp_path)
        bare = Site(whole.store, whole.people)
        keeper = Visitors(bare).called("Kim", "keep", "upload")
        for page in PAGES:
            if not page.path.startswith(("/board", "/suites/propose", "/suites/queue")):
                continue
            path = page.path.replace("{upload_id}", "x").replace("{key}", "x")
            path = path.replace("{submission_id}", "x")
            answer = keeper.request(page.method, path)
            assert (page.path, answer.status_code) == (page.path, 404)
        assert visitors.anybody.get("/board").status_code == 200
        bare.close()


def test_a_suite_of_the_boards_is_no_suite_that_was_proposed(place: Place) -> None:
    _, visitors = place
    key = SUITES[0].sha256[:16]
    assert "agreement" in text_of(visitors.anybody, f"/board/suites/{key}")
