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


def test_a_name_like_no_other_is_answered_with_the_commands_that_list_them(
    library: StoryLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a near name, the hint has the commands that list the names."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SchemaValidationError) as told:
        find_named_story("xylophone", library=library)
    hint = told.value.hint

    assert "There is no scenario or story 'xylophone'" == told.value.message
    assert told.value.where is None
    assert "saniwa scenario list" in hint
    assert "saniwa story list" in hint


@pytest.mark.parametrize("file", ["ferry.md", "ferry.yaml"])
def test_a_file_with_a_similar_name_is_suggested(
    library: StoryLibrary, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a mistyped name, the hint is the file in this folder that it may mean."""
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    Path(file).write_text("Hello.\n", encoding="utf-8")
    with pytest.raises(SchemaValidationError) as told:
        find_named_story("fery", library=library)

    assert f"did you mean {file!r}?" == told.value.hint


def test_a_scenario_missing_in_an_own_registry_is_reported_with_that_file(
    library: StoryLibrary, tmp_path: Path
) -> None:
    """The location is the registry that was read, if it is the user's."""
    registry = tmp_path / "registry.yaml"
    registry.write_text("scenarios: [{scenario_id: mine, path: mine.yaml}]\n")

    with pytest.raises(SchemaValidationError) as told:
        find_named_story("xylophone", registry, library)

    assert "registry.yaml" == str(told.value.where)


def test_a_folder_is_answered_with_the_stories_in_it(library: StoryLibrary) -> None:
    """For the name of a folder, the hint has the commands that play the stories in it."""
    folder = library.roots[0].folder
    with pytest.raises(SchemaValidationError) as told:
        find_named_story(str(folder), library=library)

    assert told.value.message.endswith("is a folder, not a scenario or a story")
    assert f"saniwa play {(folder / 'harbour.md').as_posix()}" in told.value.hint


def test_a_story_in_its_own_folder_is_suggested_by_its_first_file(tmp_path: Path) -> None:
    """For the folder of one story, its first file is the one to play."""
    (tmp_path / "story.md").write_text("# One\n")
    (tmp_path / "notes.md").write_text("# Notes\n")

    with pytest.raises(SchemaValidationError) as told:
        find_named_story(str(tmp_path), library=StoryLibrary.from_folder(tmp_path))

    assert told.value.hint.endswith(
        f"by its file: saniwa play {(tmp_path / 'story.md').as_posix()}"
    )


def test_an_empty_name_is_not_the_current_folder(library: StoryLibrary) -> None:
    """An empty name is unknown, like any other."""
    with pytest.raises(SchemaValidationError, match="There is no scenario or story ''"):
        find_named_story("", library=library)
