from pathlib import Path

import pytest

from saniwa.lsp.language_features import OpenStories

MAIN = "---\nid: a\nvars: {n: 0}\n---\nHi {n}.\n[on](part/two.md#cave)\n"
TWO = "Hello.\n[x](#cave)\n## lost\n{n}\n## cave\nDark. {n}\n[SET n = 1]\n[x](#lsot)\n"


@pytest.fixture
def story_folder(tmp_path: Path) -> Path:
    """A story in two files, the second in a folder inside."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "part").mkdir()
    (tmp_path / "main.md").write_text(MAIN, encoding="utf-8")
    (tmp_path / "part" / "two.md").write_text(TWO, encoding="utf-8")
    (tmp_path / "README.md").write_text("See [main](main.md).\n", encoding="utf-8")
    (tmp_path / "noise.md").write_bytes(b"\xff\xfe.md")
    return tmp_path


def _list_codes(opened: OpenStories, file: Path) -> dict[str, list[str]]:
    found = opened.collect_findings(str(file))
    return {Path(f).name: [each.code for each in told] for f, told in found.items()}


def test_the_shown_text_counts_not_the_saved_one(story_folder: Path) -> None:
    """The editor's text is read in place of the saved file."""
    opened, file = OpenStories(), story_folder / "main.md"
    opened.set_text(str(file), "Hi.\n[on](#nowhere)\n")

    assert {"main.md": ["LABEL_UNRESOLVED"]} == _list_codes(opened, file)
    assert "[on](#nowhere)" == opened.get_line(str(file), 2)


def test_findings_of_linked_files_come_with_the_story(story_folder: Path) -> None:
    """Findings of a linked file that is not open come with the file that links to it."""
    opened, file = OpenStories(), story_folder / "main.md"
    opened.set_text(str(file), MAIN)

    assert "LABEL_UNRESOLVED" in _list_codes(opened, file)["two.md"]


def test_an_open_file_reports_its_own_findings(story_folder: Path) -> None:
    """Each open file has its own findings, and no other file repeats them."""
    opened = OpenStories()
    opened.set_text(str(story_folder / "main.md"), MAIN)
    opened.set_text(str(story_folder / "part" / "two.md"), TWO)

    assert ["main.md"] == list(_list_codes(opened, story_folder / "main.md"))
    assert ["two.md"] == list(_list_codes(opened, story_folder / "part" / "two.md"))


def test_a_part_is_judged_in_the_story_that_holds_it(story_folder: Path) -> None:
    """A part is checked as part of its story, whose variables it knows, also if unsaved."""
    opened, file = OpenStories(), story_folder / "part" / "two.md"
    opened.set_text(str(file), TWO)

    saved = _list_codes(opened, file)["two.md"]
    opened.set_text(str(file), TWO + "\n{n")
    unsaved = _list_codes(opened, file)["two.md"]

    assert "LABEL_UNRESOLVED" in saved
    assert "VARIABLE_UNDECLARED" not in saved
    assert sorted([*saved, "BRACE_UNCLOSED"]) == sorted(unsaved)


def test_other_open_files_count_as_they_are_shown(story_folder: Path) -> None:
    """A variable declared only in the editor counts for the story's other files."""
    opened, file = OpenStories(), story_folder / "part" / "two.md"
    main = str(story_folder / "main.md")
    opened.set_text(main, MAIN)
    opened.set_text(str(file), TWO + "\n{m}\n")
    before = _list_codes(opened, file)["two.md"]
    opened.set_text(main, MAIN.replace("{n: 0}", "{n: 0, m: 0}"))

    assert (str(file),) == opened.list_related(main)
    assert "VARIABLE_UNDECLARED" in before
    assert "VARIABLE_UNDECLARED" not in _list_codes(opened, file)["two.md"]


def test_a_story_that_is_not_saved_yet_holds_its_parts(story_folder: Path) -> None:
    """A link that is only in the editor makes its file a part of the story."""
    opened, new = OpenStories(), str(story_folder / "new.md")
    (story_folder / "main.md").unlink()
    opened.set_text(str(story_folder / "part" / "two.md"), TWO)
    opened.set_text(new, MAIN)

    homes = opened.list_containing_stories(str(story_folder / "part" / "two.md"))

    assert [new] == [names.story.scenes[0].file for names in homes]


def test_the_story_around_a_part_is_found(story_folder: Path) -> None:
    """The story that contains a part is looked for in the folders above."""
    opened, file = OpenStories(), str(story_folder / "part" / "two.md")
    opened.set_text(file, TWO)

    begins = [names.story.scenes[0].file for names in opened.list_stories(file)]

    assert [file, str(story_folder / "main.md")] == begins


def test_no_story_is_looked_for_beyond_the_repository(story_folder: Path) -> None:
    """No story is looked for above a folder that contains `.git`."""
    (story_folder / "part" / ".git").mkdir()
    opened, file = OpenStories(), str(story_folder / "part" / "two.md")
    opened.set_text(file, TWO)

    assert () == opened.list_containing_stories(file)


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b"])
def test_what_no_file_could_hold_is_a_finding(story_folder: Path, text: str) -> None:
    """A text that could not be saved to disk is a finding."""
    opened, file = OpenStories(), story_folder / "main.md"
    opened.set_text(str(file), text)

    assert {"main.md": ["STORY_UNREADABLE"]} == _list_codes(opened, file)


def test_a_linked_file_that_is_not_text_is_a_finding(story_folder: Path) -> None:
    """A linked file that is not text is a finding, and the rest of the story is still known."""
    opened, file = OpenStories(), str(story_folder / "main.md")
    opened.set_text(file, "## a\nHi.\n[x](noise.md)\n[x](#b)\n")

    found = _list_codes(opened, story_folder / "main.md")

    assert ["STORY_UNREADABLE"] == found["noise.md"]
    assert ("a",) == opened.load_names(file).list_names("label")


def test_a_text_that_is_nowhere_on_disk_is_a_story_too() -> None:
    """A text that was never saved has findings, and no other files."""
    opened = OpenStories()
    opened.set_text("untitled:1", "Hi.\n[x](#b)\n", loose=True)

    assert ["LABEL_UNRESOLVED"] == [
        each.code for each in opened.collect_findings("untitled:1")["untitled:1"]
    ]


def test_a_closed_file_is_as_it_is_on_disk(story_folder: Path) -> None:
    """After closing, the other files use the saved text."""
    opened, main = OpenStories(), str(story_folder / "main.md")
    opened.set_text(main, MAIN)
    opened.set_text(str(story_folder / "part" / "two.md"), "## cave\nHi.\n")
    opened.close_file(str(story_folder / "part" / "two.md"))

    assert (main,) == opened.files
    assert "LABEL_UNRESOLVED" in _list_codes(opened, story_folder / "main.md")["two.md"]


def test_a_neighbour_that_cannot_be_opened_blinds_no_other(story_folder: Path) -> None:
    """Links in a cycle and names that are too long are skipped, and the story is still found."""
    for nth in range(20):
        (story_folder / f"{nth}.md").symlink_to(f"{nth}.md")
    (story_folder / "long.md").write_text(f"[x]({'a' * 300}.md#b)\n", encoding="utf-8")
    opened, file = OpenStories(), story_folder / "part" / "two.md"
    opened.set_text(str(file), TWO)

    assert [str(story_folder / "main.md")] == [
        names.story.scenes[0].file for names in opened.list_containing_stories(str(file))
    ]


def test_what_is_not_open_shows_nothing() -> None:
    """A file that is not open has no findings, and causes no error."""
    opened = OpenStories()

    assert {} == {file: told for file, told in opened.collect_findings("x.md").items() if told}
    assert opened.list_stories("x.md")
