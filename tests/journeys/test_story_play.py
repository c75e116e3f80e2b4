import os
import subprocess
import sys
from pathlib import Path

import pytest

from saniwa.run.replay import replay
from saniwa.wiring import Parts
from saniwa.wiring.keeping import keeping_of
from tests.fakes.runs import outcome
from tests.journeys.terminal import PATIENCE, Terminal

_PROMPTS = ("\n> ", "\n▾ ")
_CTRL_D = b"\x04"
_LAMP = """\
---
id: lamp
vars: {trust: 0, who: ""}
assets: art
---
# The lamp keeper

[SHOW_IMAGE file=bridge layer=bg]
[PLAY_BGM name=rain]

## bridge

Rain on the bridge. {#rain}

Ben: You came back. {#ben}

- Ask about the lamp {once}
  Ben: It burns till dawn. {#dawn}
  [SET trust += 1]
- Say nothing {show if trust > 0}
  [WAIT 3000s]
  The rain has stopped. {#stopped}
- Give your name {once}
  [ASK prompt="Your name?" name=who]
  Ben: Well met, {who}. {#met}
- [Walk on](#street)

[again](#bridge)

## street

The street is empty. {#empty} <!-- ending: street -->
"""
_YORU = """\
---
id: yoru
language: ja
---
# 灯守り

## 橋

雨の橋。 {#ame}

守り：また来たね。 {#mata}

- 灯のことを尋ねる
  守り：夜明けまで燃えるよ。 {#yoake}
- [歩き出す](#道)

[もう一度](#橋)

## 道

道には誰もいない。 {#michi} <!-- ending: michi -->
"""


@pytest.fixture
def lamp(tmp_path: Path) -> Path:
    """A story in English, with a picture and without its music."""
    (tmp_path / "art/images").mkdir(parents=True)
    (tmp_path / "art/images/bridge.png").touch()
    path = tmp_path / "lamp.md"
    path.write_text(_LAMP, encoding="utf-8")
    return path


def _read(folder: Path, *command: str, story: str = "lamp.md") -> Terminal:
    return Terminal("play", story, *command, folder=folder, prompt=_PROMPTS)


def _play(
    folder: Path, *command: str, lines: str | bytes = b""
) -> subprocess.CompletedProcess[str]:
    raw = lines.encode() if isinstance(lines, str) else lines
    done = subprocess.run(
        [sys.executable, "-m", "saniwa", "play", *command],
        cwd=folder,
        input=raw,
        capture_output=True,
        env=os.environ | {"NO_COLOR": "1"},
        timeout=60,
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def test_a_person_reads_a_story_to_its_end(lamp: Path) -> None:
    """Pages turn, choices are made by number or words, and nothing locked is taken."""
    with _read(lamp.parent) as page:
        opening = page.shown()
        assert "The lamp keeper" in opening
        assert "not there: 1" in opening
        assert "▦ bg: bridge\nRain on the bridge." in opening
        assert "♫" not in opening

        choice = page.type("")
        assert "Ben: You came back." in choice
        assert "  2. Say nothing (not now)" in choice
        assert "cannot be chosen now" in page.type("2")
        assert "number from 1 to 4, or a word of one of them" in page.type("9")
        assert "It burns till dawn." in page.type("ask about the LAMP")
        page.type("")
        page.type("")
        assert "Your name?" in page.type("2")
        assert "Well met, back." in page.type("back")
        page.type("")
        page.type("")
        ending = page.type("walk on")
        assert "The street is empty." in ending
        ending += page.type("")
        assert "\n\n— The end — (street)" in ending
        assert "\n\n\n" not in ending
        page.type("quit")

        assert 0 == page.leave()


def test_an_enter_too_many_is_no_answer(lamp: Path) -> None:
    """An empty line asks once more, and only a second one says nothing."""
    with _read(lamp.parent) as page:
        page.shown()
        page.type("")
        assert "Your name?" in page.type("3")
        assert "Enter again to say nothing" in page.type("")
        assert "Well met, Ann." in page.type("Ann")

    with _read(lamp.parent) as silent:
        silent.shown()
        silent.type("new")
        silent.type("")
        silent.type("3")
        silent.type("")
        assert "Your name?" in silent.type("/log")
        assert "Enter again" in silent.type("")
        assert "Well met, ." in silent.type("")

    written = _play(lamp.parent, "lamp.md", lines="3\n\n")
    assert "Enter again" not in written.stdout
    assert "Well met, ." in written.stdout


def test_a_word_is_enough_to_choose(tmp_path: Path) -> None:
    """A word of one option takes it; one of two lists both; one option is told alone."""
    (tmp_path / "inn.md").write_text(
        "---\nid: inn\n---\n# Inn\n\nThe inn.\n\n- Order cider\n  Sweet.\n"
        "- Order tea\n  Hot.\n- Leave\n  Out.\n\nLater.\n\n- Sleep at last\n  Good.\n"
    )
    with _read(tmp_path, story="inn.md") as page:
        page.shown()
        unclear = page.type("order")
        assert "'order' could be 1. Order cider, 2. Order tea" in unclear
        assert "Sweet." in page.type("cider")
        page.type("")
        assert "Type 1, or a word of it." in page.type("wake")
        assert "Good." in page.type("sleep")


def test_the_log_shows_what_was_chosen_and_answered(lamp: Path) -> None:
    """Between the lines stand the reader's own moves, also after going back."""
    with _read(lamp.parent) as page:
        page.shown()
        page.type("")
        page.type("1")
        page.type("")
        page.type("")
        page.type("give")
        page.type("Ann")
        log = page.type("log")
        assert "Ben: You came back.\n> Ask about the lamp\nBen: It burns" in log
        assert "> Give your name\nYour name?\n> Ann\nBen: Well met, Ann." in log
        page.type("back")
        log = page.type("/log")
        assert "> Give your name\nYour name?" in log
        assert "> Ann" not in log


def test_what_stands_beside_the_story(lamp: Path) -> None:
    """Back, log, saves, restart and help do what they say, and a misspelling nothing."""
    with _read(lamp.parent) as page:
        page.shown()
        assert "as far back" in page.type("back")
        assert "Nothing is asked here" in page.type("dance")
        page.type("")
        assert "Nothing is saved" in page.type("saves")
        assert "Saved as 'at the lamp'" in page.type("save at the lamp")
        assert "Under which name" in page.type("save")
        log = page.type("log")
        assert "Rain on the bridge.\nBen: You came back.\n  1. Ask" in log
        page.type("1")
        assert "Saved here: at the lamp" in page.type("saves")
        assert "SAVE_NOT_FOUND" in page.type("load at the lam")
        loaded = page.type("load at the lamp")
        assert "Back at 'at the lamp'" in loaded
        assert "▦ bg: bridge\nBen: You came back." in loaded
        assert "  1. Ask about the lamp" in loaded
        page.type("1")
        back = page.type("back")
        assert "▦ bg: bridge\nBen: You came back." in back
        assert "  1. Ask about the lamp" in back
        restarted = page.type("restart")
        assert "From the beginning." in restarted
        assert "Rain on the bridge." in restarted
        assert "save NAME" in page.type("help")


def test_a_pause_is_ended_by_a_key_and_passed_over_when_fast(lamp: Path) -> None:
    """Nobody has to sit through fifty minutes of silence."""
    _play(lamp.parent, "lamp.md", lines="1\nsave trusted\n")
    for fast in (["--fast"], []):
        with _read(lamp.parent, *fast, "--load", "trusted") as page:
            page.shown()
            typed = "say nothing" if fast else "say nothing\n"
            assert "The rain has stopped." in page.type(typed)


def test_the_place_is_kept_when_somebody_leaves(lamp: Path) -> None:
    """Leaving says how to come back; coming back asks, or goes on when told to."""
    with _read(lamp.parent) as page:
        page.shown()
        page.type("")
        page.type("1")
        left = page.type("quit")
        assert "saniwa play lamp.md --resume" in left
        assert 0 == page.leave()

    with _read(lamp.parent, "--resume") as again:
        assert "It burns till dawn." in again.shown()
        again.press(_CTRL_D)
        assert 0 == again.leave()

    with _read(lamp.parent) as asked:
        assert "You have been here before." in asked.shown()
        assert "It burns till dawn." in asked.type("")

    with _read(lamp.parent) as anew:
        anew.shown()
        assert "Rain on the bridge." in anew.type("new")


def test_a_place_that_cannot_be_kept_does_not_end_the_evening(lamp: Path) -> None:
    """It is told when it happens and at the end; the story goes on, and what was read is kept."""
    keeping = keeping_of(lamp, lamp.parent / ".saniwa" / "saniwa.sqlite")
    with _read(lamp.parent) as page:
        page.shown()
        page.type("")
        keeping.keep(b"1")
        (place,) = (lamp.parent / ".saniwa").rglob("here-*.json")
        place.unlink()
        place.mkdir()

        chosen = page.type("1")
        assert "TRACE_UNWRITABLE" in chosen
        assert "It burns till dawn." in chosen
        left = page.type("quit")
        assert "Your place could not be kept" in left
        assert "--resume" not in left
        assert 4 == page.leave()
    assert {"rain", "ben", "dawn"} == keeping.seen()


def test_ctrl_c_leaves_nothing_broken(lamp: Path) -> None:
    """An interrupted story goes on where it was."""
    with _read(lamp.parent) as page:
        page.shown()
        page.type("")
        assert 130 == page.interrupt()

    with _read(lamp.parent, "--resume") as again:
        assert "  1. Ask about the lamp" in again.shown()


def test_what_was_seen_is_skipped_the_next_evening(tmp_path: Path) -> None:
    """Skipping goes as far as the reader has read, one line further, and stops."""
    lines = "One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.\n\n- Go\n  Gone.\n"
    (tmp_path / "long.md").write_text(f"---\nid: long\n---\n# Long\n\n{lines}")
    with _read(tmp_path, story="long.md") as page:
        page.shown()
        page.type("")
        page.type("")
        page.type("quit")

    with _read(tmp_path, story="long.md") as again:
        again.shown()
        again.type("new")
        skipped = again.type("skip")
        assert "Two.\n\nThree.\n\nFour.\n" in skipped
        assert "Five." not in skipped
        assert "  1. Go" in again.type("skip")
        assert "Skipping stops" in again.type("skip")


def test_after_the_end_there_is_nothing_to_go_on_with(lamp: Path) -> None:
    """A story that was read to its end begins anew."""
    with _read(lamp.parent) as page:
        page.shown()
        page.type("")
        page.type("quit")
    with _read(lamp.parent, "--resume") as page:
        page.shown()
        page.type("walk on")
        page.type("")
        page.type("quit")
        assert 0 == page.leave()

    resumed = _play(lamp.parent, "lamp.md", "--resume")

    assert 3 == resumed.returncode
    assert "SAVE_NOT_FOUND" in resumed.stderr


def test_an_author_saves_while_somebody_reads(lamp: Path) -> None:
    """The story goes on at the same place, with the words as they are now."""
    with _read(lamp.parent) as page:
        page.shown()
        page.type("")
        lamp.write_text(
            _LAMP.replace("Rain on", "Cold rain on\nand under").replace(
                "You came back.", "So you came back."
            ),
            encoding="utf-8",
        )
        edited = page.shown()

        assert "(Read again; same place.)" in edited
        assert "▦ bg: bridge\nBen: So you came back." in edited
        assert "  1. Ask about the lamp" in edited
        assert "It burns till dawn." in page.type("1")


_PLAIN = "---\nid: p\n---\n# P\n\n## The hall\n\nOne.\n\nTwo.\n\nThree.\n"


@pytest.mark.parametrize(
    ("edited", "told"),
    [
        (
            _PLAIN.replace("Two.", "Deux, and a half of what was once two of it."),
            "that line has changed, going on at line 10: "
            "Deux, and a half of what was once two o…)",
        ),
        (
            "---\nid: p\n---\n# P\n\n## The hall\n\nUn.\n",
            "the passage has changed; back at the beginning of 'The hall'.)",
        ),
        (
            "---\nid: p\n---\n# P\n\n## The attic\n\nUn.\n",
            "the passage is gone; from the beginning.)",
        ),
    ],
)
def test_an_edited_place_is_told_as_it_is(
    tmp_path: Path, edited: str, told: str
) -> None:
    """Whether the line, the passage or all of it is another one; also when taken up."""
    path = tmp_path / "plain.md"
    path.write_text(_PLAIN)
    with _read(tmp_path, story="plain.md") as page:
        page.shown()
        page.type("")
        page.type("save two")
        path.write_text(edited)

        assert f"(Read again; {told}" in " ".join(page.shown().split())
        assert told in " ".join(page.type("load two").split())

        page.type("quit")

    loaded = _play(tmp_path, "plain.md", "--load", "two")
    assert f"Back at 'two'.\n(Read again; {told}" in loaded.stdout


def test_a_place_that_is_the_same_in_an_edited_story_is_told_so(lamp: Path) -> None:
    """Going on, from a save or by itself, tells of an edit; without one, it is silent."""
    with _read(lamp.parent) as page:
        page.shown()
        page.type("")
        page.type("save there")
        assert "Read again" not in page.type("load there")
        page.type("quit")

    lamp.write_text(_LAMP.replace("Rain on", "Snow on"), encoding="utf-8")
    loaded = _play(lamp.parent, "lamp.md", "--load", "there", lines="quit\n")
    assert "Back at 'there'.\n(Read again; same place.)\n" in loaded.stdout
    lamp.write_text(_LAMP.replace("Rain on", "Hail on"), encoding="utf-8")
    resumed = _play(lamp.parent, "lamp.md", "--resume", lines="load there\n")
    assert "where you stopped.\n(Read again; same place.)\n" in resumed.stdout
    assert "Back at 'there'.\n(Read again; same place.)\n" in resumed.stdout


_CALLING = (
    '---\nid: c\n---\n# C\n\n## hall\n\nOne.\n\n[look](#map "call")\n\nTwo.\n\n'
    "- Go\n  Gone.\n\n[end](#out)\n\n## map\n\nA map. {#map}\n\n- Fold it {#fold}\n"
    "  Folded.\n\n## out\n\nOut.\n"
)


def test_a_passage_that_cannot_be_returned_to_is_told(tmp_path: Path) -> None:
    """While it is played, from a save, and taken up by itself."""
    path = tmp_path / "calling.md"
    path.write_text(_CALLING)
    lost = "(Passages that were to be returned to and are gone: 1."
    with _read(tmp_path, story="calling.md") as page:
        page.shown()
        assert "A map." in page.type("")
        page.type("save map")
        start, end = _CALLING.index("## hall"), _CALLING.index("## map")
        path.write_text(_CALLING[:start] + _CALLING[end:])

        edited = page.shown()
        assert f"(Read again; same place.)\n{lost}" in edited
        loaded = page.type("load map")
        assert f"Back at 'map'.\n(Read again; same place.)\n{lost}" in loaded

    for way in ("--load map", "--resume"):
        path.write_text(_CALLING)
        _play(tmp_path, "calling.md", "--load", "map", lines="save map\n")
        path.write_text(_CALLING[:start] + _CALLING[end:])
        went_on = _play(tmp_path, "calling.md", *way.split(), lines="quit\n")
        assert f"(Read again; same place.)\n{lost}" in went_on.stdout


def test_a_save_is_noticed_where_nobody_sits_too(lamp: Path) -> None:
    """Before every page and every choice somebody looks at the files."""
    with subprocess.Popen(
        [sys.executable, "-m", "saniwa", "play", "lamp.md"],
        cwd=lamp.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as playing:
        assert playing.stdin is not None
        assert playing.stdout is not None
        while "Walk on" not in playing.stdout.readline():
            pass
        lamp.write_text(_LAMP.replace("till dawn", "for ever"), encoding="utf-8")
        shown, _ = playing.communicate("1\n", timeout=PATIENCE)

    assert "(Read again; same place.)" in shown
    assert "It burns for ever." in shown


def test_a_broken_save_does_not_end_the_evening(lamp: Path) -> None:
    """Mistakes are shown with their place; the story before them goes on."""
    with _read(lamp.parent) as page:
        page.shown()
        lamp.write_text(_LAMP.replace("trust > 0", "trust >"), encoding="utf-8")
        broken = page.shown()
        assert "the story before goes on.)\nerror[" in broken
        assert "lamp.md:20:" in broken

        lamp.write_text(_LAMP.replace("Rain on", "Snow on"), encoding="utf-8")
        assert "Snow on the bridge." in page.shown()

        lamp.unlink()
        assert "STORY_UNREADABLE" in page.shown()
        assert "Ben: You came back." in page.type("")


def test_a_story_is_read_in_japanese(tmp_path: Path) -> None:
    """The terminal speaks the story's language, and hears it."""
    (tmp_path / "yoru.md").write_text(_YORU, encoding="utf-8")
    with _read(tmp_path, story="yoru.md") as page:
        assert "Enter で先へ" in page.shown()
        assert "守り：また来たね。" in page.type("")
        assert "保存しました" in page.type("保存 橋の前")
        assert "夜明けまで" in page.type("灯のことを尋ねる")
        assert "守り：また来たね。" in page.type("戻る")
        assert "雨の橋。" in page.type("ログ")
        assert "橋の前" in page.type("読込　橋の前")
        assert "何かを尋ねられている" in page.type("スキップ")
        ended = page.type("２") + page.type("")
        assert "— おわり — (michi)" in ended
        assert "続きは" not in page.type("終了")
        assert 0 == page.leave()


def test_findings_are_introduced_in_the_storys_language(tmp_path: Path) -> None:
    """One line says that there are some and how to see them; errors follow a sentence."""
    path = tmp_path / "yoru.md"
    path.write_text(_YORU.replace("#道)", "#路)"), encoding="utf-8")
    with _read(tmp_path, story="yoru.md") as page:
        opening = page.shown()
        assert "警告：2 件。詳しくは：\n  saniwa check yoru.md\n" in opening
        assert "LABEL_UNRESOLVED" not in opening
        path.write_text(_YORU.replace("また来た", "{if"), encoding="utf-8")
        assert "続けます。）\nerror[" in page.shown()
        path.write_text(_YORU, encoding="utf-8")
        mended = page.shown()
        assert "（読み直しました。同じところです。）" in mended
        assert "警告" not in mended
        path.write_text(_YORU.replace("#橋)", "#端)"), encoding="utf-8")
        assert "警告：2 件。詳しくは" in page.shown()


def test_warnings_are_told_at_the_start(lamp: Path) -> None:
    """Beside what was not found, with the one command that lists both."""
    lamp.write_text(_LAMP.replace("(#street)", "(#streat)"), encoding="utf-8")

    played = _play(lamp.parent, "lamp.md", lines="quit\n")

    told = "that are not there: 1. Warnings: 2. See:\n  saniwa check lamp.md\n"
    assert told in played.stdout


def test_a_translation_has_a_check_of_its_own(lamp: Path) -> None:
    """What is missing in the table is not what `saniwa check` lists."""
    lamp.write_text(_LAMP.replace("id: lamp", "id: lamp\nlanguage: en"))
    table = "id,speaker,source,translation\nrain,,Rain on the bridge.,雨の橋。\n"
    lamp.with_suffix(".ja.csv").write_text(table, encoding="utf-8")

    played = _play(lamp.parent, "lamp.md", "--language", "ja", lines="quit\n")

    assert "  saniwa story strings lamp.md --language ja --check\n" in played.stdout
    assert "警告" not in played.stdout


def test_lines_leave_a_readers_place_alone(lamp: Path) -> None:
    """Ended or stopped, lines neither forget nor move it, unless they go on from there."""
    with _read(lamp.parent) as page:
        page.shown()
        page.type("")
        page.type("1")
        page.type("quit")

    for lines in ("", "4\n", "3\n", "3\nAnn\nquit\n"):
        _play(lamp.parent, "lamp.md", lines=lines)
    with _read(lamp.parent, "--resume") as page:
        assert "It burns till dawn." in page.shown()

    moved = _play(lamp.parent, "lamp.md", "--resume", lines="give\n")
    assert "saniwa play lamp.md --resume" in moved.stdout
    with _read(lamp.parent, "--resume") as page:
        assert "Your name?" in page.shown()


def test_two_readers_at_once_keep_what_both_have_read(lamp: Path) -> None:
    """The place is that of who left last; what was read is read."""
    with _read(lamp.parent) as one:
        one.shown()
        one.type("")
        with _read(lamp.parent) as other:
            other.shown()
            other.type("")
            other.type("give")
            other.type("Ann")
            other.type("quit")
            other.leave()
        one.type("1")
        one.type("quit")
        one.leave()

    keeping = keeping_of(lamp, lamp.parent / ".saniwa" / "saniwa.sqlite")
    assert {"rain", "ben", "dawn", "met"} == keeping.seen()
    with _read(lamp.parent, "--resume") as again:
        assert "It burns till dawn." in again.shown()


_GATE = """\
---
id: gate
scenario: door_and_key
---
# The gate

## garden

An iron gate.

- Go to the shed {do go east}
  It smells of twine.
- Try the gate {do open the gate}
  It swings open.

[again](#garden)
"""


def test_two_readers_in_one_world_are_told_and_lose_nothing(tmp_path: Path) -> None:
    """The slower deed is not done, now or later; it is told, and every turn is kept."""
    (tmp_path / "gate.md").write_text(_GATE, encoding="utf-8")
    with _read(tmp_path, story="gate.md") as first:
        first.shown()
        first.type("quit")
        first.leave()
    with (
        _read(tmp_path, "--resume", story="gate.md") as one,
        _read(tmp_path, "--resume", story="gate.md") as other,
    ):
        one.shown()
        other.shown()
        assert "It smells of twine." in one.type("shed")
        slower = other.type("gate")
        assert "[REVISION_CONFLICT] the story was played on elsewhere" in slower
        assert "It swings" not in slower
        assert "played on elsewhere" in other.type("gate")
        assert "the place kept there stays" in other.type("quit")
        assert 0 == other.leave()
        one.type("quit")
        assert 0 == one.leave()

    parts = Parts.open(tmp_path / ".saniwa" / "saniwa.sqlite", must_exist=True)
    (record,) = [each for each in parts.store.runs() if each.turns]
    words = [turn.raw_text for turn in parts.store.turns(record.run_id)]
    checked = replay(parts.store, record.run_id)
    parts.close()
    assert ["go east"] == words
    assert (1, None) == outcome(checked)
    with _read(tmp_path, "--resume", story="gate.md") as back:
        assert "It smells of twine." in back.shown()


def test_a_deed_chosen_by_two_readers_is_done_once(tmp_path: Path) -> None:
    """The slower is told each time; the later place stays, and is gone on with."""
    (tmp_path / "gate.md").write_text(_GATE, encoding="utf-8")
    with _read(tmp_path, story="gate.md") as first:
        first.shown()
        first.type("quit")
        first.leave()
    place = keeping_of(tmp_path / "gate.md", tmp_path / ".saniwa" / "saniwa.sqlite")
    with (
        _read(tmp_path, "--resume", story="gate.md") as one,
        _read(tmp_path, "--resume", story="gate.md") as other,
    ):
        one.shown()
        other.shown()
        before = place.here()
        assert "It smells of twine." in one.type("shed")
        later = place.here()
        assert "REVISION_CONFLICT" in other.type("shed")
        assert "REVISION_CONFLICT" in other.type("shed")
        assert before != later == place.here()
        other.type("quit")
        other.leave()

    with _read(tmp_path, "--resume", story="gate.md") as back:
        assert "It smells of twine." in back.shown()
    assert ["go east"] == _deeds(tmp_path)


def test_lines_that_come_too_late_leave_the_later_place(tmp_path: Path) -> None:
    """Where nobody sits, a conflict ends the playing and moves nothing."""
    (tmp_path / "gate.md").write_text(_GATE, encoding="utf-8")
    with _read(tmp_path, story="gate.md") as first:
        first.shown()
        first.type("quit")
        first.leave()
    with (
        _read(tmp_path, "--resume", story="gate.md") as one,
        subprocess.Popen(
            [sys.executable, "-m", "saniwa", "play", "gate.md", "--resume"],
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        ) as late,
    ):
        assert late.stdout is not None
        while "Try the gate" not in late.stdout.readline():
            pass
        one.shown()
        one.type("shed")
        one.type("")
        later = one.type("gate")
        told, problem = late.communicate("shed\n", timeout=PATIENCE)
        assert 4 == late.returncode
        assert "REVISION_CONFLICT" in problem
        assert "the place kept there stays" in told

    with _read(tmp_path, "--resume", story="gate.md") as back:
        assert later.split("\n")[-2] in back.shown()
    assert ["go east", "open the gate"] == _deeds(tmp_path)


def _deeds(folder: Path) -> list[str]:
    parts = Parts.open(folder / ".saniwa" / "saniwa.sqlite", must_exist=True)
    played = [each.run_id for each in parts.store.runs() if each.turns]
    words = [turn.raw_text for run in played for turn in parts.store.turns(run)]
    parts.close()
    return words


def test_a_story_without_a_choice_ends_where_nobody_sits(tmp_path: Path) -> None:
    """Going round for ever is cut short, said so, and is no failure."""
    (tmp_path / "loop.md").write_text("# L\n\n## a\n\nHello.\n\n[again](#a)\n")

    for lines in ("", "1\n"):
        played = _play(tmp_path, "loop.md", lines=lines)
        assert 0 == played.returncode
        assert played.stdout.endswith("nothing was asked: stopping here.)\n")


def test_lines_are_choices_and_answers_where_nobody_sits(lamp: Path) -> None:
    """Pages turn by themselves; numbers, words and commands are read from the lines."""
    played = _play(lamp.parent, "lamp.md", lines="1\nsay nothing\n2\nAnn\nback\n3\n4\n")

    assert 0 == played.returncode, played.stderr
    assert "The rain has stopped." in played.stdout
    assert "Well met, Ann." in played.stdout
    assert "The lines end here." in played.stdout
    assert "--resume" not in played.stdout


def test_back_leads_to_the_choice_before_where_nobody_sits(lamp: Path) -> None:
    """A page that turns by itself would only lead forward again."""
    played = _play(lamp.parent, "lamp.md", lines="1\nback\n1\n")

    assert 2 == played.stdout.count("It burns till dawn.")


def test_lines_come_from_a_file_and_bad_ones_are_told(lamp: Path) -> None:
    """What is no text is refused where words are asked for, and nothing breaks."""
    (lamp.parent / "lines.txt").write_bytes(b"3\n\xff\nAnn\n4\n")

    played = _play(lamp.parent, "lamp.md", "--input", "lines.txt")

    assert 0 == played.returncode, played.stderr
    assert "TEXT_UNREADABLE" in played.stdout
    assert "Well met, Ann." in played.stdout


def test_without_any_line_the_first_choice_is_taken(lamp: Path) -> None:
    """It says so, and it stops where there is no end in sight."""
    played = _play(lamp.parent, "lamp.md")

    assert 0 == played.returncode
    assert "the first choice is always taken" in played.stdout
    assert "no end in sight" in played.stdout


def test_a_save_is_a_place_to_begin_from(lamp: Path) -> None:
    """`--load` goes on from a name; the same seed and lines give the same story."""
    _play(lamp.parent, "lamp.md", lines="1\nsave there\n")

    loaded = _play(lamp.parent, "lamp.md", "--load", "there", lines="say nothing\n")

    assert "Back at 'there'." in loaded.stdout
    assert "where you stopped" not in loaded.stdout
    assert "The rain has stopped." in loaded.stdout


def test_a_mistake_in_play_ends_with_its_place(tmp_path: Path) -> None:
    """What cannot be worked out names its line; where nobody sits, it ends with 3."""
    (tmp_path / "sum.md").write_text(
        "---\nid: s\nvars: {n: 0}\n---\n# S\n\nA {1 / n}.\n"
    )

    played = _play(tmp_path, "sum.md")

    assert 3 == played.returncode
    assert "EXPRESSION_FAILED" in played.stderr
    assert "sum.md:7" in played.stderr


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (["lamp.md", "--as", "ben"], 2, "front matter"),
        (["lamp.md", "--book", "strict"], 2, "front matter"),
        (["lamp.md", "--resume", "run-1"], 2, "--load NAME"),
        (["lamp.md", "--resume", "--load", "x"], 2, "name one"),
        (["lamp.md", "--resume", "--seed", "3"], 2, "drop --seed"),
        (["--load", "x"], 2, "STORY.md"),
        (["door_and_key", "--fast"], 2, "STORY.md"),
        (["lamp.md", "--resume"], 3, "SAVE_NOT_FOUND"),
        (["lamp.md", "--load", "x"], 3, "SAVE_NOT_FOUND"),
        (["lamp.md", "--language", "fr"], 3, "lamp.fr.csv"),
        (["lamp.md", "--language", "../x"], 2, "pt-BR"),
        (["nope.md"], 3, "STORY_UNREADABLE"),
        (["broken.md"], 3, "saniwa check broken.md"),
    ],
)
def test_a_wrong_call_is_told_what_and_how(
    command: list[str], code: int, said: str, lamp: Path
) -> None:
    """What does not apply to a story is said, with its cure, and nothing is played."""
    broken = _LAMP.replace("trust > 0", "trust >")
    (lamp.parent / "broken.md").write_text(broken, encoding="utf-8")

    done = _play(lamp.parent, *command)

    assert code == done.returncode, done.stdout
    assert said in " ".join(done.stderr.split())
    assert "Rain on" not in done.stdout
