from functools import partial
from pathlib import Path

import pytest

from saniwa.app.stories import load_story
from saniwa.cli.play.live_reload import StoryReloader
from saniwa.core.errors import ScriptError
from saniwa.story.story import Story, read_story

_TEXT = "---\nid: a\nassets: art\n---\n# A\n\nOne. {#one}\n\n[next](other.md#b)\n"


@pytest.fixture
def story(tmp_path: Path) -> Path:
    """A story of two files, with a folder of pictures."""
    (tmp_path / "other.md").write_text("# B\n\n## b\n\nTwo. {#two}\n")
    (tmp_path / "art/images").mkdir(parents=True)
    path = tmp_path / "a.md"
    path.write_text(_TEXT)
    return path


@pytest.fixture
def editions(story: Path) -> StoryReloader:
    """The editions after the first, for a reader who looks once."""
    more = story.with_suffix(".ja.csv")
    return StoryReloader(partial(load_story, story), read_story(story), more, patient=False)


def test_nothing_new_is_no_news(editions: StoryReloader, story: Path) -> None:
    """A file that is saved as it was, or one that is none of the story's, is none."""
    story.write_text(_TEXT)
    (story.parent / "notes.txt").write_text("x")

    assert not editions.poll()


@pytest.mark.parametrize("name", ["a.md", "other.md"])
def test_every_file_of_the_story_is_watched(
    editions: StoryReloader, story: Path, name: str
) -> None:
    """Also those that come in by links."""
    file = story.parent / name
    file.write_text(file.read_text().replace("o", "oo"))

    assert editions.poll()
    assert isinstance(editions.take_update(), Story)
    assert not editions.poll()


def test_a_new_picture_is_news(editions: StoryReloader, story: Path) -> None:
    """A host can show it from now on."""
    (story.parent / "art/images/moon.png").touch()

    assert editions.poll()


def test_a_broken_story_is_news_and_so_is_its_repair(editions: StoryReloader, story: Path) -> None:
    """Whoever was told that it is broken is told when it is whole again."""
    story.write_text(_TEXT.replace("One.", "{if"))
    assert editions.poll()
    assert isinstance(editions.take_update(), ScriptError)

    story.write_text(_TEXT)
    assert editions.poll()
    assert isinstance(editions.take_update(), Story)


def test_a_story_that_is_gone_is_told(editions: StoryReloader, story: Path) -> None:
    """Nothing is swallowed."""
    story.unlink()

    assert editions.poll()
    assert isinstance(editions.take_update(), ScriptError)


def test_a_saved_translation_is_news(story: Path) -> None:
    """Translators see their words as they write them."""
    story.write_text(_TEXT.replace("id: a", "id: a\nlanguage: en"))
    table = story.with_suffix(".ja.csv")
    table.write_text("id,speaker,text,translation,note\none,,One.,一。,\n")
    read = partial(load_story, story, language="ja")
    editions = StoryReloader(read, read(), table, patient=False)

    table.write_text("id,speaker,text,translation,note\none,,One.,ひとつ。,\n")

    assert editions.poll()
