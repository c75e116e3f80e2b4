"""Own rulebooks: stored next to the registry, and chosen by name."""

from pathlib import Path
from typing import Any

import pytest

from saniwa.app.scenario_lookup import PROJECT_REGISTRY
from saniwa.rulebook.loader import SHIPPED_BOOKS
from tests.fakes.workspaces import WorkspaceClient, make_caller, make_workspace, read_words

BOOKS = "/api/v1/rulebooks"
HANDS_OFF = """\
name: Hands off
extends: strict
rules:
  - actionType: take
    replace: true
    checks:
      - id: never
        description: Nobody takes anything.
        condition: {not: {inScope: target}}
        failReason: MISSING_REQUIREMENT
        failMessage: Hands off.
"""


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WorkspaceClient:
    """A client of a server with its own project folder."""
    monkeypatch.chdir(tmp_path)
    return WorkspaceClient(make_workspace(tmp_path))


def make_book(host: WorkspaceClient, name: str = "mine", text: str = HANDS_OFF, **more: str) -> Any:
    """The answer to a request for a new book with a key."""
    headers = {"Idempotency-Key": more.pop("key")} if "key" in more else {}
    body = {"name": name, "text": text, **more}
    return host.client.post(BOOKS, json=body, headers=headers)


def keep_book(host: WorkspaceClient, name: str, text: str, seen: str) -> Any:
    """The answer to saving a text."""
    return host.client.put(f"{BOOKS}/{name}/source", json={"text": text, "seen": seen})


def list_books(host: WorkspaceClient) -> dict[str, Any]:
    """The line of each book, by name."""
    return {each["name"]: each for each in host.client.get(BOOKS).json()["items"]}


def test_a_book_that_is_made_is_listed_and_read(host: WorkspaceClient, tmp_path: Path) -> None:
    """A new book has the given text, its layers, and a file next to the registry."""
    made = make_book(host)
    listed = list_books(host)
    book = host.client.get(f"{BOOKS}/mine").json()
    file = tmp_path / PROJECT_REGISTRY.parent / "rulebooks" / "mine.yaml"

    assert (201, f"{BOOKS}/mine") == (made.status_code, made.headers["Location"])
    assert made.json() == host.client.get(f"{BOOKS}/mine/source").json()
    assert (HANDS_OFF, "yaml", False) == tuple(
        made.json()[name] for name in ("text", "format", "shipped")
    )
    assert HANDS_OFF == file.read_text(encoding="utf-8")
    assert [*SHIPPED_BOOKS, "mine"] == [*listed]
    assert ("Hands off", 1, False, "") == tuple(
        listed["mine"][name] for name in ("title", "checks", "shipped", "fault")
    )
    assert all(listed[name]["shipped"] for name in SHIPPED_BOOKS)
    assert ["strict", ""] == [layer["id"] for layer in book["layers"]]
    assert ["take.never"] == book["layers"][-1]["touches"]


def test_the_text_of_a_shipped_book_can_be_read_and_made_ones_own(host: WorkspaceClient) -> None:
    """A new book may be a copy of a shipped one."""
    shipped = host.client.get(f"{BOOKS}/strict/source").json()
    make_book(host, text=shipped["text"], format=shipped["format"])

    def read_fingerprint(name: str) -> str:
        return str(host.client.get(f"{BOOKS}/{name}").json()["fingerprint"])

    assert (True, "json") == (shipped["shipped"], shipped["format"])
    assert read_fingerprint("strict") == read_fingerprint("mine")


def test_the_same_request_makes_one_book(host: WorkspaceClient) -> None:
    """A repeated request with its key makes one book; another request is refused."""
    first, again = (make_book(host, key="k") for _ in range(2))
    other = make_book(host, text="extends: default\n", key="k")

    assert (201, first.json()) == (again.status_code, again.json())
    assert "IDEMPOTENCY_CONFLICT" == other.json()["code"]


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("mine", 409, "FILE_EXISTS"),
        ("strict", 409, "FILE_EXISTS"),
        ("../mine", 422, "NAME_UNUSABLE"),
        ("a/b", 422, "NAME_UNUSABLE"),
        (".mine", 422, "NAME_UNUSABLE"),
        ("mine.yaml", 422, "NAME_UNUSABLE"),
        ("", 400, "PROTOCOL_BAD_FIELD"),
    ],
)
def test_a_name_that_is_taken_or_leads_elsewhere_is_refused(
    host: WorkspaceClient, tmp_path: Path, name: str, status: int, code: str
) -> None:
    """A name that is taken or has a path is refused, and nothing is written."""
    make_book(host)
    before = sorted(tmp_path.rglob("*"))
    told = make_book(host, name, "extends: default\n", format="json")

    assert (status, code) == (told.status_code, told.json()["code"])
    assert before == sorted(tmp_path.rglob("*"))


def test_a_text_is_kept_if_its_version_was_seen(host: WorkspaceClient) -> None:
    """A text is saved if its last version was seen; repeating the same save succeeds."""
    seen = make_book(host).json()["version"]
    new = HANDS_OFF.replace("Hands off.", "Leave it.")
    kept, again = (keep_book(host, "mine", new, seen) for _ in range(2))
    late = keep_book(host, "mine", HANDS_OFF, seen)

    assert (200, new) == (kept.status_code, kept.json()["text"])
    assert kept.json() == again.json() == host.client.get(f"{BOOKS}/mine/source").json()
    assert (412, "REVISION_CONFLICT") == (late.status_code, late.json()["code"])


def test_a_book_is_removed_if_its_version_was_seen(host: WorkspaceClient) -> None:
    """A book is removed if its last version was seen, and its runs keep their rules."""
    seen = make_book(host).json()["version"]
    host.begin(scenario="door_and_key", book="mine")
    late = host.client.delete(f"{BOOKS}/mine", params={"seen": "0" * 16})
    unseen = host.client.delete(f"{BOOKS}/mine")
    removed = host.client.delete(f"{BOOKS}/mine", params={"seen": seen})
    again = host.client.delete(f"{BOOKS}/mine", params={"seen": seen})

    assert (412, 400, 204, 404) == tuple(
        each.status_code for each in (late, unseen, removed, again)
    )
    assert "mine" not in list_books(host)
    assert read_words(host.change("/words", {"text": "take the lavender"}))[-1] == "Hands off."
    assert 201 == make_book(host).status_code


@pytest.mark.parametrize("name", ["strict", "mine"])
def test_what_comes_with_saniwa_or_is_not_there_is_not_changed(
    host: WorkspaceClient, name: str
) -> None:
    """A shipped book cannot be changed, and an unknown one cannot be saved."""
    expected = (409, "READ_ONLY") if name == "strict" else (404, "PLACE_NOT_FOUND")
    kept = keep_book(host, name, HANDS_OFF, "")
    removed = host.client.delete(f"{BOOKS}/{name}", params={"seen": ""})

    for told in (kept, removed):
        assert expected == (told.status_code, told.json()["code"])


def test_an_agent_reads_books_and_writes_none(host: WorkspaceClient) -> None:
    """An agent may read books, not change them."""
    seen = make_book(host).json()["version"]
    agent = WorkspaceClient(host.garden, make_caller("bot", "agent"))
    asked = [
        make_book(agent, "other"),
        keep_book(agent, "mine", "extends: default\n", seen),
        agent.client.delete(f"{BOOKS}/mine", params={"seen": seen}),
    ]

    assert HANDS_OFF == agent.client.get(f"{BOOKS}/mine/source").json()["text"]
    assert [(403, "FORBIDDEN")] * 3 == [(t.status_code, t.json()["code"]) for t in asked]


def test_mistakes_are_kept_and_reported_with_their_places(host: WorkspaceClient) -> None:
    """A book with mistakes is saved with its findings, but no run begins with it."""
    wrong = HANDS_OFF.replace("inScope", "inScop")
    seen = make_book(host, text=wrong).json()["version"]
    fault = list_books(host)["mine"]["fault"]
    read = host.client.get(f"{BOOKS}/mine").json()
    begun = host.client.post("/api/v1/runs", json={"scenario": "door_and_key", "book": "mine"})
    (found,) = host.client.post("/api/v1/check/rulebook", json={"text": wrong}).json()["findings"]
    keep_book(host, "mine", HANDS_OFF, seen)

    assert "mine.yaml:9:" in fault
    assert "RULE_UNKNOWN_PREDICATE" == found["code"] == read["code"] == begun.json()["code"]
    assert 9 == found["line"]
    assert ("mine.yaml:9:" in read["where"], 422) == (True, begun.status_code)
    assert "mine.yaml:9:" in begun.json()["where"]
    assert host.begin(scenario="door_and_key", book="mine")


@pytest.mark.parametrize("text", ["[", "- 1\n", "", "a: &x [*x]\n"])
def test_a_text_that_is_no_book_is_listed_with_its_fault(host: WorkspaceClient, text: str) -> None:
    """An unusable book is listed with its problem, and the others are listed too."""
    make_book(host, "bad", text)
    make_book(host)
    listed = list_books(host)

    assert (True, "") == (bool(listed["bad"]["fault"]), listed["mine"]["fault"])
    assert 422 == host.client.get(f"{BOOKS}/bad").status_code


def test_a_text_that_no_file_can_hold_is_refused(host: WorkspaceClient) -> None:
    """A text with a NUL is refused and not written."""
    told = make_book(host, text="name: a\0b\n")

    assert (422, "STORY_UNREADABLE") == (told.status_code, told.json()["code"])
    assert "mine" not in list_books(host)


def test_a_run_is_judged_by_the_book_that_is_named(host: WorkspaceClient) -> None:
    """A run uses the named book, or else the scenario's."""
    make_book(host)

    def play(**named: str) -> tuple[str, str]:
        host.begin(scenario="door_and_key", **named)
        words = read_words(host.change("/words", {"text": "take the lavender"}))
        return str(host.read("/rulebook")["layers"][0]["id"]), words[-1]

    assert ("strict", "Hands off.") == play(book="mine")
    assert "strict" == play(book="strict")[0]
    assert "default" == play()[0]


@pytest.mark.parametrize("named", ["nowhere", "mine.yaml", "../../secret.yaml", "secret.yaml"])
def test_a_run_never_begins_with_a_file(host: WorkspaceClient, tmp_path: Path, named: str) -> None:
    """A run cannot name a file as its book."""
    make_book(host)
    (tmp_path / "secret.yaml").write_text(HANDS_OFF, encoding="utf-8")
    told = host.client.post("/api/v1/runs", json={"scenario": "door_and_key", "book": named})

    assert (422, "RULE_UNKNOWN_BOOK") == (told.status_code, told.json()["code"])
    assert "mine" in told.json()["hint"]


def test_a_link_is_no_book(host: WorkspaceClient, tmp_path: Path) -> None:
    """A symbolic link is not listed as a book."""
    make_book(host)
    (tmp_path / "secret.yaml").write_text(HANDS_OFF, encoding="utf-8")
    folder = tmp_path / PROJECT_REGISTRY.parent / "rulebooks"
    (folder / "linked.yaml").symlink_to(tmp_path / "secret.yaml")

    assert "linked" not in list_books(host)
    assert 404 == host.client.get(f"{BOOKS}/linked/source").status_code


def test_a_story_names_its_book_itself(host: WorkspaceClient) -> None:
    """A story names its own rulebook, so a request with one is refused."""
    make_book(host)
    told = host.client.post("/api/v1/runs", json={"story": "lantern-island", "book": "mine"})

    assert (422, "NOTHING_TO_PLAY") == (told.status_code, told.json()["code"])
    assert "front matter" in told.json()["hint"]


def test_a_scenario_names_a_book_of_ones_own(host: WorkspaceClient) -> None:
    """A scenario may name an own book; if it is removed, the check reports it."""
    seen = make_book(host).json()["version"]
    host.client.post("/api/v1/scenarios", json={"id": "hut"})
    source = host.client.get("/api/v1/scenarios/hut/source").json()
    text = source["text"] + "rulebook: mine\n"

    def check(**named: str) -> list[str]:
        told = host.client.post("/api/v1/check/scenario", json={"text": text, **named})
        return [each["code"] for each in told.json()["findings"]]

    host.client.put("/api/v1/scenarios/hut/source", json={"text": text, "seen": source["version"]})
    assert [[], []] == [check(), check(scenario="hut")]
    host.begin(scenario="hut")
    assert ["strict", ""] == [each["id"] for each in host.read("/rulebook")["layers"]]

    host.client.delete(f"{BOOKS}/mine", params={"seen": seen})
    assert [["RULE_UNKNOWN_BOOK"]] * 2 == [check(), check(scenario="hut")]
    begun = host.client.post("/api/v1/runs", json={"scenario": "hut"})
    assert "RULE_UNKNOWN_BOOK" == begun.json()["code"]


def test_no_answer_names_a_folder_of_the_server(
    host: WorkspaceClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No answer shows a path of the server."""
    monkeypatch.setenv("SANIWA_REGISTRY", str(tmp_path / "far" / "registry.yaml"))
    host.client.post("/api/v1/scenarios", json={"id": "hut"})
    make_book(host, text=HANDS_OFF.replace("inScope", "inScop"))
    text = host.client.get("/api/v1/scenarios/hut/source").json()["text"] + "rulebook: mine\n"
    told = [
        host.client.post("/api/v1/runs", json={"scenario": "hut", "book": "mine"}),
        host.client.post("/api/v1/check/scenario", json={"text": text}),
        host.client.post("/api/v1/check/scenario", json={"text": text, "scenario": "hut"}),
        host.client.get(f"{BOOKS}/mine"),
        host.client.get(BOOKS),
    ]

    assert all("mine.yaml" in each.text for each in told)
    assert not [each.text for each in told if str(tmp_path) in each.text]
