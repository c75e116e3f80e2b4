from pathlib import Path

import pytest

from saniwa.app.story_library import StoryLibrary, StoryRoot, locate_story
from saniwa.app.story_opening import load_story
from saniwa.core.errors import ScriptError


def _render_story(title: str = "", language: str = "", assets: str = "") -> str:
    said = {"title": title, "language": language, "assets": assets}
    front = "".join(f"{key}: {value}\n" for key, value in said.items() if value)
    return f"---\n{front}---\nOnce.\n"


def _put(folder: Path, files: dict[str, str]) -> StoryLibrary:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return StoryLibrary((StoryRoot(folder=folder),))


def test_files_and_folders_are_stories(tmp_path: Path) -> None:
    """A Markdown file, or a folder with a `story.md`, is a story."""
    library = _put(
        tmp_path,
        {
            "foo.md": _render_story(),
            "island/story.md": _render_story(),
            "island/second.md": _render_story(),
            "empty/readme.md": "",
            "README.md": "about",
            ".hidden.md": _render_story(),
            "notes.txt": "",
        },
    )

    assert ("foo", "island") == library.list_ids()


def test_a_folder_that_is_not_there_has_no_stories(tmp_path: Path) -> None:
    """A missing folder has no stories."""
    assert () == StoryLibrary((StoryRoot(folder=tmp_path / "none"),)).list_ids()


@pytest.mark.parametrize(
    ("name", "story_id"),
    [("My Story.md", "my-story"), ("庭 の 話.md", "庭-の-話"), ("v1.2.md", "v1-2")],
)
def test_ids_are_slugs(tmp_path: Path, name: str, story_id: str) -> None:
    """An id is a slug of the name."""
    library = _put(tmp_path, {name: _render_story()})

    assert (story_id,) == library.list_ids()
    assert tmp_path / name == library.find(story_id).path


def test_of_two_names_with_one_slug_the_slug_itself_counts(tmp_path: Path) -> None:
    """Of two names with the same slug, the one that is the slug has the id."""
    library = _put(tmp_path, {"A B.md": _render_story("other"), "a-b.md": _render_story("own")})

    assert "own" == library.find("a-b").title


def test_the_projects_own_story_hides_a_shipped_one(tmp_path: Path) -> None:
    """A story in an earlier folder replaces one of the same id."""
    own = StoryRoot(folder=tmp_path / "own")
    shipped = StoryRoot(folder=tmp_path / "shipped", shipped=True)
    _put(own.folder, {"a.md": _render_story("mine")})
    _put(shipped.folder, {"a.md": _render_story("theirs"), "b.md": _render_story("theirs")})
    found = [StoryLibrary((own, shipped)).find(each) for each in ("a", "b")]

    assert [("mine", False), ("theirs", True)] == [(p.title, p.shipped) for p in found]


def test_other_languages_are_editions(tmp_path: Path) -> None:
    """Editions in other languages, as texts or tables, belong to the original story."""
    files = {
        "tale.md": _render_story("Tale", "en", "art"),
        "tale.ja.md": _render_story("話", "ja"),
        "tale.fr.csv": "id,source,translation\n",
        "tale.notes.txt": "",
    }
    library = _put(tmp_path, files)
    place = library.find("tale")

    assert ("tale",) == library.list_ids()
    assert ("en", "fr", "ja") == place.languages
    assert ["Tale", "Tale", "話"] == [each.title for each in place.editions]
    assert tmp_path / "tale.ja.md" == place.find_edition("ja").path
    assert tmp_path / "tale.md" == place.find_edition("fr").path
    assert tmp_path / "art" == place.find_edition("fr").assets
    assert None is place.find_edition("ja").assets
    assert "en" == place.find_edition("de").language == place.find_edition().language


def test_a_story_that_says_nothing_of_itself_has_a_title(tmp_path: Path) -> None:
    """A story without a title has its first heading, or its id; its language is not guessed."""
    library = _put(tmp_path, {"a.md": "# The Lamp\n\nOnce.", "b.md": "Once."})
    places = [library.find(each) for each in library.list_ids()]

    assert ["The Lamp", "b"] == [each.title for each in places]
    assert [(), ()] == [each.languages for each in places]


def test_broken_front_matter_is_no_reason_to_hide_a_story(tmp_path: Path) -> None:
    """A story with invalid front matter is listed, so that it can be fixed."""
    library = _put(tmp_path, {"a.md": "---\ntitle: [\n---\n# Lamp\n"})

    assert "Lamp" == library.find("a").title


def test_what_is_not_a_text_is_an_error(tmp_path: Path) -> None:
    """A file that is not UTF-8 is an error."""
    library = _put(tmp_path, {"a.md": ""})
    (tmp_path / "a.md").write_bytes(b"\xff\xfe")

    with pytest.raises(ScriptError, match="STORY_UNREADABLE"):
        library.find("a")


def test_an_unknown_story_offers_the_nearest() -> None:
    """An unknown story is refused with the nearest one."""
    with pytest.raises(ScriptError) as caught:
        StoryLibrary.from_folder().find("lantern-iland")
    assert "STORY_NOT_FOUND" == caught.value.code
    assert "did you mean 'lantern-island'?" == caught.value.hint


@pytest.mark.parametrize("story_id", ["", "..", "../a", "a/b", "/etc", "\x00", "\udc80"])
def test_no_id_leads_out(tmp_path: Path, story_id: str) -> None:
    """An id with a path is not found."""
    library = _put(tmp_path / "stories", {"b.md": _render_story()})
    _put(tmp_path, {"a.md": _render_story()})

    with pytest.raises(ScriptError, match="STORY_NOT_FOUND"):
        library.find(story_id)


def test_links_are_not_followed(tmp_path: Path) -> None:
    """Links to stories and to asset folders are not followed."""
    library = _put(
        tmp_path / "stories",
        {
            "real/story.md": _render_story(assets="art"),
            "up.md": _render_story(assets="../outside"),
            "half/other.md": _render_story(),
        },
    )
    _put(tmp_path / "outside", {"story.md": _render_story()})
    for link in ("linked", "real/art"):
        (tmp_path / "stories" / link).symlink_to(tmp_path / "outside")
    outside = tmp_path / "outside" / "story.md"
    for link in ("linked.md", "half/story.md", "up.ja.md"):
        (tmp_path / "stories" / link).symlink_to(outside)

    assert ("real", "up") == library.list_ids()
    assert [None, None] == [library.find(e).editions[0].assets for e in library.list_ids()]
    assert 1 == len(library.find("up").editions)


def test_the_shipped_story_can_be_played_in_both_languages() -> None:
    """The shipped story is complete in both languages, with its pictures."""
    place = StoryLibrary.from_folder().find("lantern-island")
    told = [place.find_edition(each) for each in ("en", "ja")]
    stories = [load_story(each.path, language=each.language) for each in told]

    assert place.shipped
    assert ["A Night on Lantern Island", "灯の島の夜"] == [each.title for each in told]
    assert [True, True] == [each.report.has_passed for each in stories]
    assert [True, True] == [
        each.assets is not None and (each.assets / "images").is_dir() for each in told
    ]


def test_a_projects_stories_are_in_its_folder(tmp_path: Path) -> None:
    """A project's stories are listed with the shipped ones."""
    _put(tmp_path / "stories", {"mine.md": _render_story()})

    assert {"mine", "lantern-island"} <= {
        *StoryLibrary.from_folder(tmp_path / "stories").list_ids()
    }
    assert not StoryLibrary.from_folder(tmp_path / "stories").find("mine").shipped


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tales/foo.md", ("tales", "foo", "")),
        ("tales/island/story.md", ("tales", "island", "")),
        ("tales/island", ("tales", "island", "")),
        ("tales/island/story.ja.md", ("tales", "island", "ja")),
        ("tales/foo.ja.md", ("tales", "foo", "ja")),
        ("own.md", (".", "own", "")),
    ],
)
def test_a_file_is_found_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, expected: tuple[str, str, str]
) -> None:
    """A file's story is found: its folder, its id, and the language in its name."""
    monkeypatch.chdir(tmp_path)
    _put(
        tmp_path,
        {
            "tales/foo.md": _render_story(),
            "tales/foo.ja.md": _render_story(),
            "tales/island/story.md": _render_story(),
            "tales/island/story.ja.md": _render_story(),
            "own.md": _render_story(),
        },
    )
    folder, story, language = locate_story(Path(path))

    assert expected == (str(folder), story, language)
    assert story in StoryLibrary((StoryRoot(folder=folder),)).list_ids()


def test_a_story_is_found_from_inside_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A story is found from inside its folder, with the folder's name as its id."""
    _put(tmp_path, {"island/story.md": _render_story()})
    monkeypatch.chdir(tmp_path / "island")

    assert (Path(".."), "island", "") == locate_story(Path("story.md"))


@pytest.mark.parametrize("path", ["none.md", "empty", "notes.txt"])
def test_where_there_is_no_story_none_is_found(tmp_path: Path, path: str) -> None:
    """A missing file, a folder without a story, and another kind of file are refused."""
    _put(tmp_path, {"notes.txt": "", "empty/other.md": _render_story()})
    with pytest.raises(ScriptError) as caught:
        locate_story(tmp_path / path)

    assert "STORY_NOT_FOUND" == caught.value.code
