from pathlib import Path

import pytest

from saniwa.core.errors import ScriptError
from saniwa.wiring.library import Library, Root
from saniwa.wiring.writing.draft import drafted, first_file, loose_draft, playable_draft

TALE = "---\nid: t\ntitle: Tale\nlanguage: en\n---\n# Tale\n\nIt rains.\n"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """One story with a file beside it, in English and by hand in Japanese."""
    folder = tmp_path / "tale"
    folder.mkdir()
    (folder / "story.md").write_text(TALE + "\n[On](more.md)\n")
    (folder / "story.ja.md").write_text(TALE.replace("en", "ja"))
    (folder / "more.md").write_text("# More\n\nOld.\n")
    return Library((Root(folder=tmp_path),))


def test_what_is_open_stands_for_its_file(library: Library) -> None:
    """Of the file the story begins in, and of any other."""
    place = library.find("tale")
    first = drafted(TALE, place)
    other = drafted("# More\n\nNew.\n", place, "more.md")

    assert [1, 2] == [len(each.scenes) for each in (first, other)]
    assert "New." in other.scenes[1].text


def test_an_edition_begins_in_its_own_file(library: Library) -> None:
    """Whoever writes the Japanese text checks the Japanese story."""
    place = library.find("tale")

    assert "story.ja.md" == first_file(place, "story.ja.md").name
    assert "story.ja.md" == first_file(place, "", "ja").name
    assert "story.md" == first_file(place, "more.md").name


def test_a_draft_is_told_in_the_language_that_is_asked_for(library: Library) -> None:
    """And refused where nobody has translated it, without naming our folders."""
    with pytest.raises(ScriptError) as caught:
        playable_draft(TALE, library.find("tale"), language="de")

    assert "LANGUAGE_UNKNOWN" == caught.value.code
    assert str(library.roots[0].folder) not in str(caught.value)


def test_a_loose_draft_has_no_neighbours() -> None:
    """A link to another file leads nowhere, whatever lies here."""
    read = loose_draft("# A\n\n[On](README.md)\n")

    assert 1 == len(read.scenes)
