"""People who write suites on a server of a test: clients, drafts, and what they send."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from tests.serve.samples import HOST, TOKEN, door_of, people_of
from tests.serve.test_drafts import document

from pommel.serve.app import make_app
from pommel.serve.drafts import Document
from pommel.serve.people import Scope
from pommel.serve.site import Site
from pommel.store import Store

NGRAM = "builtin://en-ngram"


def site_in(folder: Path, *models: str, has_folder: bool = True) -> Site:
    """Return a site with an empty store, an own token, and a folder of suites."""
    store = folder / "store.sqlite"
    Store.open(store).close()
    suites = folder / "suites"
    suites.mkdir(exist_ok=True)
    people = people_of(store, token=TOKEN)
    return Site(store=store, people=people, suites=suites if has_folder else None, models=models)


@dataclass
class Writer:
    """Somebody with a token, who sends what the editor sends."""

    client: TestClient
    draft_id: str = ""
    revision: int = 1

    @classmethod
    def of(cls, site: Site, name: str = "", *scopes: Scope) -> "Writer":
        """Return the owner, or somebody of a name who may do this."""
        token = site.people.grant(name, scopes or ("write",), n_days=1) if name else TOKEN
        client = TestClient(
            make_app(site, door_of(site.people)),
            base_url=f"http://{HOST}",
            raise_server_exceptions=False,
            follow_redirects=False,
            headers={"Authorization": f"Bearer {token}", "Accept": "application/json"},
        )
        return cls(client=client)

    def opens(self, draft_id: str) -> "Writer":
        """Open a draft."""
        self.draft_id = draft_id
        self.revision = self.get("")["revision"]
        return self

    def get(self, what: str, **asked: object) -> Any:
        """Return what a page of the draft says."""
        path = f"/drafts/{self.draft_id}/{what}".rstrip("/")
        found = self.client.get(path, params=asked)  # type: ignore[arg-type]
        assert found.status_code == 200, found.text
        return found.json()

    def post(self, where: str, **asked: object) -> Any:
        """Do something with the draft; return what came of it, or what is wrong."""
        found = self.client.post(f"/drafts/{self.draft_id}/{where}", json=asked)
        said = found.json()
        self.revision = said.get("revision", self.revision)
        return said

    def writes(self, **texts: str) -> Any:
        """Write texts into cells, whose names have underscores here."""
        places = [each.replace("_", "-") for each in texts]
        asked = {"place": places, "text": [*texts.values()]}
        return self.post("texts", rests_on=self.revision, **asked)

    def does(self, what: str, place: tuple[str, ...] = (), text: tuple[str, ...] = ()) -> Any:
        """Change rows, columns or many cells, or undo."""
        asked = {"what": what, "place": [*place], "text": [*text]}
        return self.post("changes", rests_on=self.revision, **asked)

    def document(self) -> Any:
        """Return the draft as JSON."""
        return self.get("download")


def begun(site: Site, value: Document | None = None) -> Writer:
    """Return the owner with a new draft open."""
    draft_id = site.drafts.begin(value or document(), by="The owner")
    return Writer.of(site).opens(draft_id)
