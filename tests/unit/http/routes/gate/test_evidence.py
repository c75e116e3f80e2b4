from pathlib import Path

import pytest

from saniwa.app.operations.gate_events import BINARY_MEDIA, TEXT_MEDIA, detect_media_type
from tests.fakes.gate_callers import GateClient
from tests.fakes.workspaces import make_workspace

FAR = """\
process_id: far
version: "1"
name: Far
states: [{name: a}, {name: b, is_final: true}]
events: [{name: go, allowed_roles: [agent]}]
transitions: [{from: a, event: go, to: b, guard: has}]
guards: {has: {type: artifact, artifact_type: evidence, condition: exists}}
artifacts: [{type: evidence}]
"""
PNG = b"\x89PNG\r\n\x1a\n\x00\x00"


@pytest.fixture
def agent(tmp_path: Path) -> GateClient:
    """A local client with a run whose hypothesis is a page with a script."""
    agent = GateClient(make_workspace(tmp_path))
    agent.begin()
    folder = tmp_path / "gate" / "artifacts" / agent.run
    folder.mkdir(parents=True)
    (folder / "hypothesis.html").write_text("<script>1</script>", encoding="utf-8")
    agent.send("submit_hypothesis", 1, artifact_paths=["hypothesis.html"])
    return agent


def test_a_page_is_shown_as_plain_text(agent: GateClient) -> None:
    """An HTML page is served as plain text."""
    told = agent.client.get(agent.locate("/evidence/1"))

    assert (200, "<script>1</script>") == (told.status_code, told.text)
    assert "text/plain; charset=utf-8" == told.headers["content-type"]
    assert "nosniff" == told.headers["x-content-type-options"]
    assert "default-src 'none'; sandbox" == told.headers["content-security-policy"]


def test_evidence_that_changed_is_not_shown(agent: GateClient, tmp_path: Path) -> None:
    """Evidence that has changed is not served."""
    file = tmp_path / "gate" / "artifacts" / agent.run / "hypothesis.html"
    file.write_text("something else", encoding="utf-8")
    changed = agent.client.get(agent.locate("/evidence/1"))
    file.unlink()
    gone = agent.client.get(agent.locate("/evidence/1"))

    assert (409, "ARTIFACT_CHANGED") == (changed.status_code, changed.json()["code"])
    assert (409, "ARTIFACT_CHANGED") == (gone.status_code, gone.json()["code"])
    assert str(tmp_path) not in gone.text


def test_evidence_is_the_one_that_was_meant(agent: GateClient) -> None:
    """The hash must match the number, because numbers change."""
    hash = agent.read("/review")["evidence"][0]["hash"]
    right = agent.client.get(agent.locate(f"/evidence/1?hash={hash}"))
    wrong = agent.client.get(agent.locate(f"/evidence/1?hash={'0' * 64}"))

    assert 200 == right.status_code
    assert (404, "EVIDENCE_NOT_FOUND") == (wrong.status_code, wrong.json()["code"])


@pytest.mark.parametrize("number", ["0", "2", "-1", "x", "1.0", "١", "9" * 300])
def test_a_number_that_counts_nothing_is_not_found(agent: GateClient, number: str) -> None:
    """A number that does not exist is not found."""
    told = agent.client.get(agent.locate(f"/evidence/{number}"))

    assert (404, "EVIDENCE_NOT_FOUND") == (told.status_code, told.json()["code"])


def test_what_was_submitted_directly_is_shown_as_it_is_hashed(agent: GateClient) -> None:
    """Inline evidence is served as canonical JSON."""
    handed = [{"type": "evidence", "content": {"b": 1, "a": "雨"}}]
    agent.send("submit_evidence", 2, artifacts=handed)
    told = agent.client.get(agent.locate("/evidence/1"))

    assert '{"a":"雨","b":1}' == told.text


def test_an_address_is_not_fetched(agent: GateClient, tmp_path: Path) -> None:
    """Evidence by address is not fetched."""
    file = tmp_path / "gate" / "processes" / "far.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(FAR, encoding="utf-8")
    agent.begin("far")
    handed = [{"type": "evidence", "url": "https://example.org/x", "hash": "0" * 64}]
    sent = agent.send("go", 1, artifacts=handed)
    told = agent.client.get(agent.locate("/evidence/1"))

    assert 200 == sent.status_code, sent.text
    assert (404, "EVIDENCE_NOT_FOUND") == (told.status_code, told.json()["code"])
    assert "never fetched" in told.json()["detail"]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x01\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"<svg onload='x()'/>", TEXT_MEDIA),
        ("庭".encode(), TEXT_MEDIA),
        (b"\xff\xfe\x00", BINARY_MEDIA),
        (b"a\x00b", BINARY_MEDIA),
        (b"\xe9", BINARY_MEDIA),
    ],
)
def test_bytes_say_themselves_what_they_are(content: bytes, kind: str) -> None:
    """The media type is detected from the bytes, not from the name."""
    assert kind == detect_media_type(content)


def test_what_cannot_be_shown_is_only_saved(agent: GateClient, tmp_path: Path) -> None:
    """An unknown type is served as a download."""
    folder = tmp_path / "gate" / "artifacts" / agent.run
    (folder / "evidence.bin").write_bytes(b"\x00\x01")
    agent.send("submit_evidence", 2, artifact_paths=["evidence.bin"])
    told = agent.client.get(agent.locate("/evidence/1"))

    assert BINARY_MEDIA == told.headers["content-type"]
    assert "attachment" == told.headers["content-disposition"]
