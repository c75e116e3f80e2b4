from pathlib import Path

import pytest

from saniwa.app.story_library import StoryLibrary, find_named_story
from saniwa.core.errors import SchemaValidationError


@pytest.fixture
def library(tmp_path: Path) -> StoryLibrary:
    """Two own stories, and the shipped ones."""
    (tmp_path / "harbour.md").write_text("# Harbour\n\nHello.\n")
    (tmp_path / "coffee_trap.md").write_text("# Trap\n\nHello.\n")
    return StoryLibrary.from_folder(tmp_path)


@pytest.mark.parametrize("story", ["lantern-island", "harbour"])
def test_a_story_is_found_by_the_id_the_page_lists_it_under(
    library: StoryLibrary, story: str
) -> None:
    """Shipped and own stories are found by id."""
    found = find_named_story(story, library=library)

    assert found is not None
    assert story == found.id


@pytest.mark.parametrize("named", ["coffee_trap", "lantern_island", "mine.yaml"])
def test_a_scenario_and_a_file_are_what_they_were(library: StoryLibrary, named: str) -> None:
    """The names of scenarios and files do not find a story of the same id."""
    assert "coffee_trap" in library.list_ids()
    assert find_named_story(named, library=library) is None


@pytest.mark.parametrize(
    ("named", "hint"),
    [
        ("lantern-islan", "did you mean the story 'lantern-island'?"),
        ("harbor", "did you mean the story 'harbour'?"),
        ("cofee_trap", "did you mean 'coffee_trap'?"),
    ],
)
def test_an_unknown_name_gets_the_nearest_of_both(
    library: StoryLibrary, named: str, hint: str
) -> None:
    """The suggestion for an unknown name may be a story or a scenario."""
    with pytest.raises(SchemaValidationError) as told:
        find_named_story(named, library=library)

    assert ("REGISTRY_MISSING", hint) == (told.value.code, told.value.hint)


def test_a_file_with_another_ending_is_reported_with_how_a_file_is_named(
    library: StoryLibrary, tmp_path: Path
) -> None:
    """A file that is neither a story nor a scenario by its name gets the endings as a hint."""
    (tmp_path / "ferry.txt").write_text("# Ferry\n\nHello.\n")

    with pytest.raises(SchemaValidationError) as told:
        find_named_story(str(tmp_path / "ferry.txt"), library=library)

    assert ".md" in told.value.hint
    assert ".yaml" in told.value.hint
