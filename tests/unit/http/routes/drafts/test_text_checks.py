from pathlib import Path
from threading import Event
from typing import Any

import pytest

from saniwa.app.work_queue import MOST_PER_CALLER
from saniwa.http.limits import find_limit_key
from tests.fakes.workspaces import WorkspaceClient, make_workspace

TALE = """\
---
id: tale
title: Tale
language: en
---
# Tale

It rains.

- [Go in](#hall)
- [Go home](#end)

## hall
Dry at last.

## attic
Nobody comes here. <!-- ending: dust -->
"""
HUT = """\
name: hut
locations:
  hut: {name: Hut, description: One room., exits: [yard]}
  yard: {name: Yard, exits: [hut]}
characters:
  ana: {location: hut}
"""


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WorkspaceClient:
    """A client of a server with its own project folder."""
    monkeypatch.chdir(tmp_path)
    return WorkspaceClient(make_workspace(tmp_path))


def _check_text(host: WorkspaceClient, what: str, **body: Any) -> dict[str, Any]:
    told = host.client.post(f"/api/v1/check/{what}", json=body)
    assert 200 == told.status_code, told.text
    answer: dict[str, Any] = told.json()
    return answer


def _write_files(tmp_path: Path, **files: str) -> None:
    folder = tmp_path / "stories" / "tale"
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)


def test_findings_of_a_story_are_in_the_language_of_the_reader(host: WorkspaceClient) -> None:
    """With `Accept-Language: ja`, findings are Japanese; codes, places and the text stay."""
    body = {"text": f"{TALE}\n## nothing\n[JMP label=hall]\nThe {{lamp\n"}
    english, japanese = (
        host.client.post("/api/v1/check/story", json=body, headers={"Accept-Language": each})
        for each in ("en", "ja-JP,en;q=0.5")
    )
    told, changed = japanese.json(), {"message": "", "hint": ""}
    brace = next(each for each in told["findings"] if each["code"] == "BRACE_UNCLOSED")

    assert ("波括弧が閉じられていません", "}を加えるか、\\{と書いてください") == (
        brace["message"],
        brace["hint"],
    )
    assert all(not each["message"].isascii() for each in told["findings"])
    assert any(each["rewrite"] for each in told["findings"])
    assert "ja" == japanese.headers["Content-Language"]
    assert {**english.json(), "findings": []} == {**told, "findings": []}
    assert [each | changed for each in english.json()["findings"]] == [
        each | changed for each in told["findings"]
    ]


def test_everything_about_a_text_is_reported_at_once(host: WorkspaceClient) -> None:
    """One answer has the findings with their ranges, the outline, the graph and the length."""
    told = _check_text(host, "story", text=TALE)

    wrong = next(f for f in told["findings"] if f["code"] == "LABEL_UNRESOLVED")
    assert (11, 14, 17) == (wrong["line"], wrong["column"], wrong["end"])
    assert [("hall", 13), ("attic", 16), ("dust", 17)] == [
        (each["name"], each["line"]) for each in told["outline"]
    ]
    assert 2 == told["counts"]["options"]
    assert ("Tale", "en", True) == (told["title"], told["language"], told["passed"])


def test_a_graph_says_what_is_reached(host: WorkspaceClient) -> None:
    """The graph marks sections that cannot be reached, and names that lead nowhere."""
    text = TALE.replace("Dry at last.", "Dry at last. <!-- ending: dry -->")
    nodes = _check_text(host, "story", text=text)["graph"]["nodes"]

    reached = {each["name"]: each["reached"] for each in nodes}
    assert (True, False, False) == (reached["hall"], reached["attic"], reached["dust"])
    assert ["end"] == [each["name"] for each in nodes if each["kind"] == "missing"]


def test_a_known_fix_can_be_applied(host: WorkspaceClient) -> None:
    """A known fix comes with the range it replaces."""
    told = _check_text(host, "story", text=TALE.replace("(#hall)", "(#hal)"))

    wrong = next(f for f in told["findings"] if f["rewrite"])
    assert {"line": 10, "column": 12, "length": 3, "text": "hall"} == wrong["rewrite"]


def test_a_text_is_checked_with_the_story_it_belongs_to(
    host: WorkspaceClient, tmp_path: Path
) -> None:
    """Linked files of the story are read, and their findings name them."""
    more = "# More\n\n[Back](story.md#nowhere)\n"
    _write_files(tmp_path, story_md=TALE, more_md=more)
    linked = TALE.replace("(#end)", "(more.md)")
    told = _check_text(host, "story", text=linked, story="tale")

    assert ["more.md"] == [f["file"] for f in told["findings"] if f["line"] == 3]
    assert {"", "more.md"} == {each["file"] for each in told["graph"]["nodes"]}


def test_any_file_of_a_story_can_be_the_one_that_is_written(
    host: WorkspaceClient, tmp_path: Path
) -> None:
    """Any file of a story can be the edited one, and its text counts for the whole story."""
    _write_files(tmp_path, story_md=TALE.replace("(#end)", "(more.md#end)"), more_md="")
    text = "# More\n\n## end\nHome. <!-- ending: home -->\n"
    told = _check_text(host, "story", text=text, story="tale", file="more.md")

    assert ["end", "home"] == [each["name"] for each in told["outline"]]
    assert [] == [f for f in told["findings"] if f["code"] == "LABEL_UNRESOLVED"]


def test_a_loose_text_names_no_files(host: WorkspaceClient, tmp_path: Path) -> None:
    """The check of a loose text reads no files of the server."""
    (tmp_path / "hut.yaml").write_text(HUT)
    text = TALE.replace("id: tale", "id: tale\nscenario: hut.yaml")
    told = _check_text(host, "story", text=text)

    assert ["FILE_OUTSIDE"] == [f["code"] for f in told["findings"] if f["severity"] == "error"]


def test_a_scenario_is_checked_and_drawn(host: WorkspaceClient) -> None:
    """A valid scenario text gives a map of its world."""
    told = _check_text(host, "scenario", text=HUT)

    assert (True, ["hut", "yard"]) == (
        told["passed"],
        [each["id"] for each in told["world"]["places"]],
    )


def test_mistakes_of_a_scenario_come_with_their_letters(host: WorkspaceClient) -> None:
    """Mistakes of a scenario have ranges, and a near name as a rewrite."""
    told = _check_text(host, "scenario", text=HUT.replace("[yard]", "[yrad]"))

    assert (False, None) == (told["passed"], told["world"])
    wrong = told["findings"][0]
    assert ("EXIT_TARGET_MISSING", 3, "") == (wrong["code"], wrong["line"], wrong["file"])
    assert "yard" == wrong["rewrite"]["text"]


@pytest.mark.parametrize("format", ["yaml", "json"])
def test_what_is_not_a_document_is_a_finding(host: WorkspaceClient, format: str) -> None:
    """An incomplete text is a finding."""
    told = _check_text(host, "scenario", text="{ [", format=format)

    assert ["DOCUMENT_SYNTAX"] == [each["code"] for each in told["findings"]]


def test_a_loose_scenario_names_no_rulebook_file(host: WorkspaceClient, tmp_path: Path) -> None:
    """The check of a loose scenario reads no rulebook file."""
    (tmp_path / "book.yaml").write_text("rules: 1")
    told = _check_text(host, "scenario", text=f"{HUT}rulebook: book.yaml\n")

    assert ["FILE_OUTSIDE"] == [each["code"] for each in told["findings"]]


def test_words_can_be_tried_on_a_text(host: WorkspaceClient) -> None:
    """Words can be tried on a text, in a run that is not stored."""
    told = _check_text(host, "scenario/words", text=HUT, words="go to the yard")

    assert (True, True) == (told["weighed"], told["allowed"])
    assert [] == host.client.get("/api/v1/runs").json()["items"]


def test_words_that_ask_for_much_get_a_short_answer(host: WorkspaceClient) -> None:
    """Of words with many actions, the first hundred results are shown, and the number of others."""
    things = "".join(f"  c{n}: {{location: hut}}\n" for n in range(130))
    text = f"{HUT}props:\n{things}"
    told = _check_text(host, "scenario/words", text=text, words="take all")

    assert (100, 30) == (len(told["sentences"]), told["more"])
    assert (True, None) == (told["allowed"], told["turn"])


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("story", {"text": TALE}),
        ("scenario", {"text": HUT}),
        ("scenario/words", {"text": HUT, "words": "look"}),
    ],
)
def test_no_caller_has_more_than_a_few_texts_checked_at_once(
    host: WorkspaceClient, what: str, body: dict[str, str]
) -> None:
    """The number of checks at once per caller is limited."""
    gate = Event()
    whose = find_limit_key({"client": ("testclient", 50_000)})
    waiting = [host.garden.checks.submit(gate.wait, whose) for _ in range(MOST_PER_CALLER)]
    told = host.client.post(f"/api/v1/check/{what}", json=body)
    gate.set()
    for each in waiting:
        each.result(10)

    assert (429, "TOO_MANY_REQUESTS") == (told.status_code, told.json()["code"])
    assert "2" == told.headers["retry-after"]
    _check_text(host, what, **body)


def test_words_on_a_broken_text_are_not_weighed(host: WorkspaceClient) -> None:
    """Words on an invalid text are not judged."""
    assert not _check_text(host, "scenario/words", text="a: 1", words="look")["weighed"]


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("../x.md", "FILE_OUTSIDE"),
        ("/etc/passwd", "FILE_OUTSIDE"),
        (".hidden.md", "FILE_OUTSIDE"),
        ("x.py", "NAME_UNUSABLE"),
    ],
)
def test_only_a_text_of_the_story_is_named(
    host: WorkspaceClient, tmp_path: Path, file: str, code: str
) -> None:
    """A file outside the story is refused before it is looked up."""
    _write_files(tmp_path, story_md=TALE)
    told = host.client.post("/api/v1/check/story", json={"text": "", "story": "tale", "file": file})
    assert code == told.json()["code"]
