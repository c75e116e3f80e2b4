from functools import partial
from pathlib import Path

import pytest

from saniwa.app.story_opening import load_story
from saniwa.cli.play.live_reload import StoryReloader
from saniwa.core.errors import ScriptError
from saniwa.story.story import Story, read_story

_TEXT = "---\nid: a\nassets: art\n---\n# A\n\nOne. {#one}\n\n[next](other.md#b)\n"


@pytest.fixture
def story_path(tmp_path: Path) -> Path:
    """A story of two files, with a folder of pictures."""
    (tmp_path / "other.md").write_text("# B\n\n## b\n\nTwo. {#two}\n")
    (tmp_path / "art/images").mkdir(parents=True)
    path = tmp_path / "a.md"
    path.write_text(_TEXT)
    return path


@pytest.fixture
def story_reloader(story_path: Path) -> StoryReloader:
    """The later editions of a story, for a reader that polls once per call."""
    more = story_path.with_suffix(".ja.csv")
    return StoryReloader(
        partial(load_story, story_path), read_story(story_path), more, patient=False
    )


def test_nothing_new_is_no_news(story_reloader: StoryReloader, story_path: Path) -> None:
    """An unchanged file, or one outside the story, is not a new edition."""
    story_path.write_text(_TEXT)
    (story_path.parent / "notes.txt").write_text("x")

    assert not story_reloader.poll()


@pytest.mark.parametrize("name", ["a.md", "other.md"])
def test_every_file_of_the_story_is_watched(
    story_reloader: StoryReloader, story_path: Path, name: str
) -> None:
    """Linked files are watched too."""
    file = story_path.parent / name
    file.write_text(file.read_text().replace("o", "oo"))

    assert story_reloader.poll()
    assert isinstance(story_reloader.take_update(), Story)
    assert not story_reloader.poll()


def test_a_new_picture_is_news(story_reloader: StoryReloader, story_path: Path) -> None:
    """A new picture is a new edition, which a host can show."""
    (story_path.parent / "art/images/moon.png").touch()

    assert story_reloader.poll()


def test_a_broken_story_is_news_and_so_is_its_repair(
    story_reloader: StoryReloader, story_path: Path
) -> None:
    """A broken story is reported, and so is its repair."""
    story_path.write_text(_TEXT.replace("One.", "{if"))
    assert story_reloader.poll()
    assert isinstance(story_reloader.take_update(), ScriptError)

    story_path.write_text(_TEXT)
    assert story_reloader.poll()
    assert isinstance(story_reloader.take_update(), Story)


def test_a_story_that_is_gone_is_reported(story_reloader: StoryReloader, story_path: Path) -> None:
    """A deleted story is reported as an error."""
    story_path.unlink()

    assert story_reloader.poll()
    assert isinstance(story_reloader.take_update(), ScriptError)


def test_a_saved_translation_is_news(story_path: Path) -> None:
    """A saved translation is a new edition."""
    story_path.write_text(_TEXT.replace("id: a", "id: a\nlanguage: en"))
    table = story_path.with_suffix(".ja.csv")
    table.write_text("id,speaker,text,translation,note\none,,One.,一。,\n")
    read = partial(load_story, story_path, language="ja")
    editions = StoryReloader(read, read(), table, patient=False)

    table.write_text("id,speaker,text,translation,note\none,,One.,ひとつ。,\n")

    assert editions.poll()
