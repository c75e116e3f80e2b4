import os
from pathlib import Path

import pytest

from saniwa.core.errors import ScriptError
from saniwa.story import files
from saniwa.story.elements import SayElement
from saniwa.story.player import Player
from saniwa.story.step_result import ShowImage
from saniwa.story.story import Story, read_story, read_story_text
from tests.fakes.stories import play_steps, render_steps


def _write_story(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder / "a.md"


def _list_codes(story: Story) -> list[str]:
    return [finding.code for finding in story.report.findings]


def test_a_link_brings_another_file_into_the_story(tmp_path: Path) -> None:
    """A linked file becomes part of the story, and is read once."""
    first = _write_story(
        tmp_path,
        a="One.\n\n[on](b.md)\n",
        b="# B\nTwo.\n\n[on](c.md#end)\n",
        c="# C\nNever.\n\n[x](a.md)\n## end\nThree. <!-- ending: e -->\n",
    )
    story = read_story(first)

    assert ["One.", "Two.", "Three.", "(e)"] == render_steps(play_steps(Player(story.program)))
    assert ["a.md", "b.md", "c.md"] == [Path(s.file).name for s in story.scenes]


def test_a_story_is_the_same_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fingerprint and ids do not depend on the folder."""
    first = _write_story(tmp_path, a="One.\n\n[on](b.md)\n", b="Two.\n")
    there = read_story(first).program
    monkeypatch.chdir(tmp_path)
    here = read_story("a.md").program

    assert (there.fingerprint, list(there.ids)) == (here.fingerprint, list(here.ids))


@pytest.mark.parametrize("link", ["../x.md", "b/../../x.md", "/etc/hostname", "%00.md"])
def test_no_link_leaves_the_folder(tmp_path: Path, link: str) -> None:
    """A link outside the story's folder is an error, and its file is not read."""
    folder = tmp_path / "story"
    folder.mkdir()
    (tmp_path / "x.md").write_text("Secret.", encoding="utf-8")
    story = read_story(_write_story(folder, a=f"[x]({link})\n"))

    assert "LINK_OUTSIDE" in _list_codes(story)
    assert 1 == len(story.scenes)


def test_no_symbolic_link_leads_out_either(tmp_path: Path) -> None:
    """A symbolic link to a file outside counts as outside."""
    folder = tmp_path / "story"
    folder.mkdir()
    (tmp_path / "x.md").write_text("Secret.", encoding="utf-8")
    (folder / "b.md").symlink_to(tmp_path / "x.md")
    story = read_story(_write_story(folder, a="[x](b.md)\n"))

    assert ("LINK_OUTSIDE", 1) == (_list_codes(story)[0], len(story.scenes))


def test_a_file_that_is_not_there_is_a_warning(tmp_path: Path) -> None:
    """A missing file is a warning, and play continues after the link."""
    story = read_story(_write_story(tmp_path, a="[x](b.md)\n\nOn.\n"))

    assert (["LABEL_UNRESOLVED"], True) == (_list_codes(story), story.report.has_passed)
    assert ["On."] == render_steps(play_steps(Player(story.program)))


def test_a_story_has_only_so_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of files is limited, which is one finding."""
    monkeypatch.setattr(files, "MOST_FILES", 2)
    story = read_story(_write_story(tmp_path, a="[x](b.md)\n", b="[x](c.md)\n", c="[x](a.md)\n"))

    assert ("STORY_TOO_LARGE" in _list_codes(story), 2) == (True, len(story.scenes))


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"One.\n\nTw\xff.\n", "a.md:3:3"),
        ("日本\n語".encode() + b"\xe3\x81", "a.md:2:2"),
        (b"One.\nTwo\x00.\n", "a.md:2:4"),
        (b"\x89PNG\r\n\x1a\n\x00", "a.md:1:1"),
        (b"\xef\xbb\xbfab\xff", "a.md:1:3"),
        (b"ab\r\xff", "a.md:2:1"),
        (b"ab\rc\x00d", "a.md:2:2"),
        (b"ab\r\n\r\nc\xff", "a.md:3:2"),
    ],
)
def test_what_is_not_a_text_is_reported_with_its_place(
    tmp_path: Path, content: bytes, place: str
) -> None:
    """The first byte that is not UTF-8 is reported by line and column."""
    path = tmp_path / "a.md"
    path.write_bytes(content)

    with pytest.raises(ScriptError) as caught:
        read_story(path)

    assert "STORY_UNREADABLE" == caught.value.code
    assert str(caught.value.where).endswith(place)


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    """A byte order mark is skipped."""
    (tmp_path / "a.md").write_bytes("\ufeffOne.\n".encode())

    assert ["One."] == render_steps(play_steps(Player(read_story(tmp_path / "a.md").program)))


def test_what_is_not_a_file_is_refused_at_once(tmp_path: Path) -> None:
    """A folder, a pipe and a missing file are refused without waiting."""
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()

    for name in ("pipe.md", "folder.md", "absent.md", "nul\0.md"):
        with pytest.raises(ScriptError) as caught:
            read_story(tmp_path / name)
        assert "STORY_UNREADABLE" == caught.value.code


def test_a_very_large_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file over the size limit is refused."""
    monkeypatch.setattr(files, "LARGEST", 10)
    (tmp_path / "a.md").write_text("x" * 11, encoding="utf-8")

    with pytest.raises(ScriptError, match="larger than 10 bytes"):
        read_story(tmp_path / "a.md")


def test_speakers_may_be_declared_next_to_the_story(tmp_path: Path) -> None:
    """The nearest characters.yaml declares speakers, whose names may contain spaces."""
    (tmp_path / "characters.yaml").write_text(
        "characters: {Old Tam: {}, Ben: {}}", encoding="utf-8"
    )
    (tmp_path / "in").mkdir()
    story = read_story(_write_story(tmp_path / "in", a="Old Tam: Hm.\n\nBne: Yes.\n"))

    assert ["SPEAKER_UNKNOWN"] == _list_codes(story)
    assert ["Old Tam: Hm.", "Bne: Yes."] == render_steps(play_steps(Player(story.program)))


@pytest.mark.parametrize("text", ["- Ben", "characters: [Ben]", "characters: {"])
def test_a_cast_that_cannot_be_read_is_an_error(tmp_path: Path, text: str) -> None:
    """An unreadable characters.yaml is an error with its own path."""
    (tmp_path / "characters.yaml").write_text(text, encoding="utf-8")
    story = read_story(_write_story(tmp_path, a="Ben: Hi.\n"))

    (found,) = story.report.errors
    assert "CAST_UNREADABLE" == found.code
    assert found.where.file.endswith("characters.yaml")


@pytest.mark.parametrize("folder", ["..", "/tmp", "art/../.."])
def test_assets_stay_next_to_the_story(tmp_path: Path, folder: str) -> None:
    """An asset folder outside is a warning, and is not searched."""
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "x.png").write_bytes(b"")
    (tmp_path / "story").mkdir()
    text = f"---\nid: a\nassets: {folder}\n---\n[SHOW_IMAGE file=x]\nHi.\n"
    story = read_story(_write_story(tmp_path / "story", a=text))

    outside = [f for f in story.report.findings if f.code == "ASSET_OUTSIDE"]
    assert [("warning", 3)] == [(f.severity, f.where.line) for f in outside]
    assert [] == [f for f in story.report.findings if f.code == "ASSET_UNRESOLVED"]
    assert () == story.report.errors
    shown = Player(story.program, assets=story.assets).step().directives[0]
    assert ShowImage.build("main", None) == shown


def test_an_editor_sees_the_text_it_holds(tmp_path: Path) -> None:
    """Unsaved text replaces its file, and other files are read from the folder."""
    first = _write_story(tmp_path, a="Old.\n", b="Two.\n")
    story = read_story_text("New.\n\n[on](b.md)\n", first)

    assert ["New.", "Two."] == render_steps(play_steps(Player(story.program)))


def test_other_open_files_count_as_they_are_in_the_editor(tmp_path: Path) -> None:
    """Texts of other open files replace theirs, also if they were never saved."""
    first = _write_story(tmp_path, a="Old.\n", b="Two.\n")
    opened = {str(tmp_path / "b.md"): "Three.\n\n[on](c.md)\n"}
    opened[str(tmp_path / "c.md")] = "Four.\n"
    story = read_story_text("New.\n\n[on](b.md)\n", first, opened)

    assert ["New.", "Three.", "Four."] == render_steps(play_steps(Player(story.program)))


def test_no_more_findings_are_reported_than_anyone_reads(tmp_path: Path) -> None:
    """The number of findings is limited: errors come first, and a note counts the others."""
    text = "".join(f"[x](#no{n})\n\n" for n in range(3_000)) + "[FOO]\n"
    story = read_story(_write_story(tmp_path, a=text))

    assert 1_001 == len(story.report.findings)
    assert ["COMMAND_UNKNOWN"] == [error.code for error in story.report.errors]
    assert "FINDINGS_MANY" == story.report.findings[0].code


def test_a_circular_link_leads_nowhere(tmp_path: Path) -> None:
    """A symbolic link to itself counts as missing or outside."""
    (tmp_path / "loop.md").symlink_to("loop.md")
    story = read_story(_write_story(tmp_path, a="[go](loop.md)\n\nOn.\n"))

    assert {"LINK_OUTSIDE", "LABEL_UNRESOLVED"} & set(_list_codes(story))
    assert 1 == len(story.scenes)


def test_names_that_no_system_could_hold_are_names_of_nothing(tmp_path: Path) -> None:
    """A name that is impossible for the system is a finding, and others are still reported."""
    long = "x" * 300
    story = read_story(
        _write_story(tmp_path, a=f"---\nid: a\nassets: {long}\n---\n[go]({long}.md)\n[FOO]\n")
    )

    assert {"COMMAND_UNKNOWN", "LABEL_UNRESOLVED"} <= set(_list_codes(story))


def test_a_cast_elsewhere_is_not_read(tmp_path: Path) -> None:
    """A characters.yaml that is a link to outside is not read."""
    folder = tmp_path / "story"
    folder.mkdir()
    (tmp_path / "secret").write_text("password: x", encoding="utf-8")
    (folder / "characters.yaml").symlink_to(tmp_path / "secret")
    story = read_story(_write_story(folder, a="Ben: Hi.\n"))

    assert [] == _list_codes(story)


def test_an_asset_folder_that_leads_elsewhere_is_outside(tmp_path: Path) -> None:
    """An asset folder that is a link to outside is a warning."""
    folder = tmp_path / "story"
    folder.mkdir()
    (tmp_path / "art").mkdir()
    (folder / "art").symlink_to(tmp_path / "art")
    story = read_story(_write_story(folder, a="---\nid: a\nassets: art\n---\nHi.\n"))

    assert "ASSET_OUTSIDE" in [each.code for each in story.report.warnings]
    assert () == story.report.errors


def test_a_name_that_speaks_in_another_file_is_known(tmp_path: Path) -> None:
    """A speaker in any file of the story is known in all of them."""
    first = _write_story(
        tmp_path,
        a="Eve:One.\n\nOld Man: Two.\n\n[on](b.md)\n",
        b="---\nid: b\ncast: [Old Man, Eve]\n---\nEve: Three. <!-- ending: e -->\n",
    )
    story = read_story(first)

    said = [op.speaker for op in story.program.ops if isinstance(op, SayElement)]
    assert ["Eve", "Old Man", "Eve"] == said
    assert "SPEECH_UNCLEAR" not in _list_codes(story)
