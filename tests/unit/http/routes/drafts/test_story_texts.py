from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from saniwa.app.authored_file_content import LARGEST_TEXT
from tests.fakes.workspaces import WorkspaceClient, make_workspace, read_words


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WorkspaceClient:
    """A client of a server with its own project folder."""
    monkeypatch.chdir(tmp_path)
    return WorkspaceClient(make_workspace(tmp_path))


def _make(host: WorkspaceClient, key: str = "", **body: str) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    return host.client.post("/api/v1/stories", json=body, headers=headers)


def _get_text(host: WorkspaceClient, story: str, file: str = "story.md") -> Any:
    return host.client.get(f"/api/v1/stories/{story}/files/{file}")


def _put_text(host: WorkspaceClient, story: str, file: str, text: str, seen: str = "") -> Any:
    body = {"text": text, "seen": seen}
    return host.client.put(f"/api/v1/stories/{story}/files/{file}", json=body)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_new_story_can_be_played_at_once(host: WorkspaceClient, language: str) -> None:
    """A new story has no findings, can be played, and may have any title."""
    title = 'The "old" {gate}: #1'
    made = _make(host, id="gate", title=title, language=language)
    text = _get_text(host, "gate").json()["text"]
    told = host.client.post("/api/v1/check/story", json={"text": text, "story": "gate"}).json()

    assert (201, title) == (made.status_code, made.json()["title"])
    assert "/api/v1/stories/gate" == made.headers["location"]
    assert [] == told["findings"]
    assert read_words(host.begin(story="gate"))


def test_a_copy_has_everything_of_the_original(host: WorkspaceClient, tmp_path: Path) -> None:
    """A copy has the languages, pictures and sounds of the original, which does not change."""
    made = _make(host, id="mine", copy_of="lantern-island").json()
    shown = host.client.get("/api/v1/stories/mine/assets/images/jetty.svg")

    assert (["en", "ja"], False) == (made["languages"], made["shipped"])
    assert 200 == shown.status_code
    assert not list((tmp_path / "stories").glob(".saniwa-*"))


def test_a_story_that_is_one_file_gets_a_folder_when_it_is_copied(
    host: WorkspaceClient, tmp_path: Path
) -> None:
    """A copy of a one-file story is a folder with its translations, without other files."""
    folder = tmp_path / "stories"
    folder.mkdir()
    for name in ("tale.md", "tale.ja.md", "other.md"):
        (folder / name).write_text("# T\n\nWords.\n")
    _make(host, id="copy", copy_of="tale")

    made = sorted(each.name for each in (folder / "copy").iterdir())
    assert ["story.ja.md", "story.md"] == made


@pytest.mark.parametrize("id", ["最後の渡し舟", "café-2", "हिन्दी", "夜" * 60])
def test_a_name_may_be_of_any_script(host: WorkspaceClient, tmp_path: Path, id: str) -> None:
    """The id of a story may have lowercase letters of any script."""
    assert 201 == _make(host, id=id).status_code
    assert (tmp_path / "stories" / id / "story.md").exists()
    assert [] != read_words(host.begin(story=id))


@pytest.mark.parametrize(
    "id",
    [
        "../x",
        "a/b",
        "Big",
        ".x",
        "-x",
        "a b",
        "x" * 60 + "é",
        "か\u3099",
        "夜の\u200b庭",
        "Ä",
        "𠮷" * 60,
    ],
)
def test_a_name_must_be_a_plain_one(host: WorkspaceClient, tmp_path: Path, id: str) -> None:
    """The id of a story must be a plain name."""
    assert _make(host, id=id).status_code in (400, 422)
    assert not (tmp_path / "stories").exists()


@pytest.mark.parametrize("id", ["lantern-island", "mine"])
def test_nothing_is_overwritten(host: WorkspaceClient, id: str) -> None:
    """An id that is taken is refused, also if it is a shipped story's."""
    _make(host, id="mine")
    again = _make(host, id=id)

    assert (409, "FILE_EXISTS") == (again.status_code, again.json()["code"])


def test_the_same_request_makes_one_story(host: WorkspaceClient) -> None:
    """A repeated request with the same key makes one story; another request with it is refused."""
    first, again = _make(host, "k", id="mine"), _make(host, "k", id="mine")
    other = _make(host, "k", id="other")

    assert first.json() == again.json()
    assert "IDEMPOTENCY_CONFLICT" == other.json()["code"]


def test_a_text_is_kept_if_it_was_seen(host: WorkspaceClient) -> None:
    """A text is saved if its last version was seen."""
    _make(host, id="mine")
    seen = _get_text(host, "mine").json()["version"]
    kept = _put_text(host, "mine", "story.md", "# Rain\n\nIt rains.\n", seen).json()

    assert kept == _get_text(host, "mine").json()
    assert ["It rains."] == read_words(host.begin(story="mine"))


def test_what_another_author_wrote_is_not_lost(host: WorkspaceClient) -> None:
    """Saving over an unseen version is refused, and nothing is written."""
    _make(host, id="mine")
    seen = _get_text(host, "mine").json()["version"]
    _put_text(host, "mine", "story.md", "# Theirs\n", seen)
    mine = _put_text(host, "mine", "story.md", "# Mine\n", seen)

    assert (412, "REVISION_CONFLICT") == (mine.status_code, mine.json()["code"])
    assert "# Theirs\n" == _get_text(host, "mine").json()["text"]


def test_the_same_text_again_is_kept_already(host: WorkspaceClient) -> None:
    """Repeating the same save succeeds."""
    _make(host, id="mine")
    seen = _get_text(host, "mine").json()["version"]
    first, again = (_put_text(host, "mine", "story.md", "# Rain\n", seen) for _ in "12")

    assert (200, first.json()) == (again.status_code, again.json())


def test_files_are_listed_and_made_below_the_story(host: WorkspaceClient) -> None:
    """A new file may be in a new folder of the story."""
    _make(host, id="mine")
    _put_text(host, "mine", "chapters/two.md", "# Two\n")
    told = host.client.get("/api/v1/stories/mine/files").json()

    assert ["story.md", "chapters/two.md"] == [each["name"] for each in told["items"]]


def test_what_comes_with_saniwa_is_only_read(host: WorkspaceClient) -> None:
    """A shipped story cannot be changed, and the hint suggests a copy."""
    text = _get_text(host, "lantern-island").json()
    told = _put_text(host, "lantern-island", "story.md", "# X\n", text["version"])

    assert (409, "READ_ONLY") == (told.status_code, told.json()["code"])
    assert "copy" in told.json()["hint"]
    assert text == _get_text(host, "lantern-island").json()


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("%2e%2e/%2e%2e/x.md", "FILE_OUTSIDE"),
        ("a/%2e%2e/%2e%2e/x.md", "FILE_OUTSIDE"),
        ("/etc/x.md", "FILE_OUTSIDE"),
        ("a//b.md", "FILE_OUTSIDE"),
        (".x.md", "FILE_OUTSIDE"),
        ("a\\b.md", "FILE_OUTSIDE"),
        ("a:b.md", "FILE_OUTSIDE"),
        ("x" * 300 + ".md", "FILE_OUTSIDE"),
        ("a/b/c/d/e/f.md", "FILE_OUTSIDE"),
        ("x%00.md", "PROTOCOL_BAD_FIELD"),
        ("x.py", "NAME_UNUSABLE"),
        ("x.svg", "NAME_UNUSABLE"),
        ("story.md/x.md", "FILE_UNWRITABLE"),
    ],
)
def test_writing_stays_inside(host: WorkspaceClient, tmp_path: Path, file: str, code: str) -> None:
    """A file outside the story's folder, or of another kind, is refused."""
    _make(host, id="mine")
    before = sorted(tmp_path.rglob("[!.]*"))
    told = _put_text(host, "mine", file, "x")

    assert code == told.json()["code"], told.text
    assert before == sorted(tmp_path.rglob("[!.]*"))


@pytest.mark.parametrize("name", ["link.md", "there/x.md"])
def test_links_are_never_followed(host: WorkspaceClient, tmp_path: Path, name: str) -> None:
    """Links to files and folders are not followed, for reading or writing."""
    _make(host, id="mine")
    folder, secret = tmp_path / "stories" / "mine", tmp_path / "x.md"
    secret.write_text("secret")
    (folder / "link.md").symlink_to(secret)
    (folder / "there").symlink_to(tmp_path)
    read, kept = _get_text(host, "mine", name), _put_text(host, "mine", name, "mine")

    assert ("FILE_OUTSIDE", "FILE_OUTSIDE") == (read.json()["code"], kept.json()["code"])
    assert "secret" == secret.read_text()
    listed = host.client.get("/api/v1/stories/mine/files").json()["items"]
    assert ["story.md"] == [each["name"] for each in listed]


def test_a_story_that_is_one_file_owns_its_own_texts_alone(
    host: WorkspaceClient, tmp_path: Path
) -> None:
    """A one-file story has only its own files and translations."""
    folder = tmp_path / "stories"
    folder.mkdir()
    for name in ("tale.md", "tale.ja.csv", "other.md"):
        (folder / name).write_text("# T\n\nWords.\n")
    listed = host.client.get("/api/v1/stories/tale/files").json()["items"]

    assert ["tale.ja.csv", "tale.md"] == [each["name"] for each in listed]
    assert "FILE_OUTSIDE" == _get_text(host, "tale", "other.md").json()["code"]


@pytest.mark.parametrize("content", [b"\xff", b"a\x00b", b"x" * (LARGEST_TEXT + 1)])
def test_what_is_not_a_text_is_not_read(
    host: WorkspaceClient, tmp_path: Path, content: bytes
) -> None:
    """A file that is not text is refused."""
    _make(host, id="mine")
    (tmp_path / "stories" / "mine" / "bad.txt").write_bytes(content)
    told = _get_text(host, "mine", "bad.txt")

    assert (422, "STORY_UNREADABLE") == (told.status_code, told.json()["code"])


def test_what_no_file_could_hold_is_not_kept(host: WorkspaceClient) -> None:
    """A text with a NUL is refused and not written."""
    _make(host, id="mine")
    told = _put_text(host, "mine", "new.md", "a\x00b")

    assert "STORY_UNREADABLE" == told.json()["code"]
    assert "FILE_NOT_FOUND" == _get_text(host, "mine", "new.md").json()["code"]


def test_a_folder_that_cannot_be_made_is_reported(host: WorkspaceClient, tmp_path: Path) -> None:
    """A folder that cannot be created is an error."""
    (tmp_path / "stories").write_text("")

    assert "FILE_UNWRITABLE" == _make(host, id="mine").json()["code"]


def test_the_mode_of_a_file_stays(host: WorkspaceClient, tmp_path: Path) -> None:
    """The mode of a saved file stays the same."""
    _make(host, id="mine")
    file = tmp_path / "stories" / "mine" / "story.md"
    file.chmod(0o600)
    _put_text(host, "mine", "story.md", "# R\n", _get_text(host, "mine").json()["version"])

    assert 0o600 == file.stat().st_mode & 0o777


def test_equal_requests_at_one_moment_are_answered_alike(host: WorkspaceClient) -> None:
    """Equal requests at the same moment get the same answer."""
    with ThreadPoolExecutor(8) as threads:
        told = list(threads.map(lambda _: _make(host, "k", id="mine"), range(8)))

    assert [201] * 8 == [each.status_code for each in told]
    assert 1 == len({each.content for each in told})


@pytest.mark.parametrize("id", ["１", "ａ", "ｱ", "a\u0301", "a_b"])
def test_a_name_has_one_spelling(host: WorkspaceClient, tmp_path: Path, id: str) -> None:
    """An id has no wide or decomposed letters, which look like others, and no underscores."""
    told = _make(host, id=id)

    assert (422, "NAME_UNUSABLE") == (told.status_code, told.json()["code"])
    assert not (tmp_path / "stories").exists()
