from pathlib import Path

import pytest

from saniwa.app.story_and_scenario_drafts import (
    find_first_file,
    load_playable_draft,
    read_draft,
    read_loose_draft,
)
from saniwa.app.story_library import StoryLibrary, StoryRoot
from saniwa.core.errors import ScriptError

TALE = "---\nid: t\ntitle: Tale\nlanguage: en\n---\n# Tale\n\nIt rains.\n"


@pytest.fixture
def library(tmp_path: Path) -> StoryLibrary:
    """One story with a linked file, in English and in a Japanese edition."""
    folder = tmp_path / "tale"
    folder.mkdir()
    (folder / "story.md").write_text(TALE + "\n[On](more.md)\n")
    (folder / "story.ja.md").write_text(TALE.replace("en", "ja"))
    (folder / "more.md").write_text("# More\n\nOld.\n")
    return StoryLibrary((StoryRoot(folder=tmp_path),))


def test_what_is_open_means_its_file(library: StoryLibrary) -> None:
    """An open text replaces its file, the story's first or another."""
    place = library.find("tale")
    first = read_draft(TALE, place)
    other = read_draft("# More\n\nNew.\n", place, "more.md")

    assert [1, 2] == [len(each.scenes) for each in (first, other)]
    assert "New." in other.scenes[1].text


def test_an_edition_begins_in_its_own_file(library: StoryLibrary) -> None:
    """An edition begins in its own file, which is found by its name or language."""
    place = library.find("tale")

    assert "story.ja.md" == find_first_file(place, "story.ja.md").name
    assert "story.ja.md" == find_first_file(place, "", "ja").name
    assert "story.md" == find_first_file(place, "more.md").name


def test_a_draft_is_reported_in_the_language_that_is_asked_for(library: StoryLibrary) -> None:
    """A draft has the requested language; without that edition it is refused, without paths."""
    with pytest.raises(ScriptError) as caught:
        load_playable_draft(TALE, library.find("tale"), language="de")

    assert "LANGUAGE_UNKNOWN" == caught.value.code
    assert str(library.roots[0].folder) not in str(caught.value)


def test_a_loose_draft_has_no_neighbours() -> None:
    """A draft without a place reads no other files."""
    read = read_loose_draft("# A\n\n[On](README.md)\n")

    assert 1 == len(read.scenes)
