from pathlib import Path

import pytest

from tests.journeys.lamp_story import LAMP, play, start_reading

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


def test_a_person_reads_a_story_to_its_end(lamp_story: Path) -> None:
    """A story is read to its end: pages turn, and choices are made by number or words."""
    with start_reading(lamp_story.parent) as page:
        opening = page.read_shown()
        assert "The lamp keeper" in opening
        assert "Missing pictures or sounds: 1." in opening
        assert "▦ bg: bridge\nRain on the bridge." in opening
        assert "♫" not in opening

        choice = page.type_line("")
        assert "Ben: You came back." in choice
        assert "  2. Say nothing (not now)" in choice
        assert "cannot be chosen now" in page.type_line("2")
        assert "number from 1 to 4, or one word of an option" in page.type_line("9")
        assert "It burns till dawn." in page.type_line("ask about the LAMP")
        page.type_line("")
        page.type_line("")
        assert "Your name?" in page.type_line("2")
        assert "Well met, back." in page.type_line("back")
        page.type_line("")
        page.type_line("")
        ending = page.type_line("walk on")
        assert "The street is empty." in ending
        ending += page.type_line("")
        assert "\n\n— The end — (street)" in ending
        assert "\n\n\n" not in ending
        page.type_line("quit")

        assert 0 == page.leave()


def test_an_enter_too_many_is_no_answer(lamp_story: Path) -> None:
    """An empty answer is asked for again, and only a second one is accepted."""
    with start_reading(lamp_story.parent) as page:
        page.read_shown()
        page.type_line("")
        assert "Your name?" in page.type_line("3")
        assert "Enter again to leave it empty" in page.type_line("")
        assert "Well met, Ann." in page.type_line("Ann")

    with start_reading(lamp_story.parent) as silent:
        silent.read_shown()
        silent.type_line("new")
        silent.type_line("")
        silent.type_line("3")
        silent.type_line("")
        assert "Your name?" in silent.type_line("/log")
        assert "Enter again" in silent.type_line("")
        assert "Well met, ." in silent.type_line("")

    written = play(lamp_story.parent, "lamp.md", lines="3\n\n")
    assert "Enter again" not in written.stdout
    assert "Well met, ." in written.stdout


def test_a_word_is_enough_to_choose(tmp_path: Path) -> None:
    """A word of one option chooses it; a word of several lists them."""
    (tmp_path / "inn.md").write_text(
        "---\nid: inn\n---\n# Inn\n\nThe inn.\n\n- Order cider\n  Sweet.\n"
        "- Order tea\n  Hot.\n- Leave\n  Out.\n\nLater.\n\n- Sleep at last\n  Good.\n"
    )
    with start_reading(tmp_path, story="inn.md") as page:
        page.read_shown()
        unclear = page.type_line("order")
        assert "'order' could be 1. Order cider, 2. Order tea" in unclear
        assert "Did you mean 'cider'?" in page.type_line("cidre")
        assert "Did you mean 'Order tea'?" in page.type_line("order the tea")
        assert "Did you mean" not in page.type_line("sing")
        assert "Sweet." in page.type_line("cider")
        page.type_line("")
        assert "Type 1, or one word of the option." in page.type_line("wake")
        assert "Good." in page.type_line("sleep")


def test_the_log_shows_what_was_chosen_and_answered(lamp_story: Path) -> None:
    """The log has the reader's own moves between the lines, also after going back."""
    with start_reading(lamp_story.parent) as page:
        page.read_shown()
        page.type_line("")
        page.type_line("1")
        page.type_line("")
        page.type_line("")
        page.type_line("give")
        page.type_line("Ann")
        log = page.type_line("log")
        assert "Ben: You came back.\n> Ask about the lamp\nBen: It burns" in log
        assert "> Give your name\nYour name?\n> Ann\nBen: Well met, Ann." in log
        page.type_line("back")
        log = page.type_line("/log")
        assert "> Give your name\nYour name?" in log
        assert "> Ann" not in log


def test_files_next_to_the_story_are_found(lamp_story: Path) -> None:
    """Back, log, saves, restart and help work, and an unknown word does nothing."""
    with start_reading(lamp_story.parent) as page:
        page.read_shown()
        assert "You are at the beginning." in page.type_line("back")
        assert "Nothing to choose here" in page.type_line("dance")
        page.type_line("")
        assert "Nothing is saved" in page.type_line("saves")
        assert "Saved as 'at the lamp'" in page.type_line("save at the lamp")
        assert "Saves: at the lamp" in page.type_line("save")
        log = page.type_line("log")
        assert "Rain on the bridge.\nBen: You came back.\n  1. Ask" in log
        page.type_line("1")
        assert "Saves: at the lamp" in page.type_line("saves")
        assert "SAVE_NOT_FOUND" in page.type_line("load at the lam")
        loaded = page.type_line("load at the lamp")
        assert "Back at 'at the lamp'" in loaded
        assert "▦ bg: bridge\nBen: You came back." in loaded
        assert "  1. Ask about the lamp" in loaded
        page.type_line("1")
        back = page.type_line("back")
        assert "▦ bg: bridge\nBen: You came back." in back
        assert "  1. Ask about the lamp" in back
        restarted = page.type_line("restart")
        assert "From the beginning." in restarted
        assert "Rain on the bridge." in restarted
        assert "save NAME" in page.type_line("help")


def test_a_pause_is_ended_by_a_key_and_passed_over_when_fast(lamp_story: Path) -> None:
    """A pause can be ended with a key, and `--fast` skips it."""
    play(lamp_story.parent, "lamp.md", lines="1\nsave trusted\n")
    for fast in (["--fast"], []):
        with start_reading(lamp_story.parent, *fast, "--load", "trusted") as page:
            page.read_shown()
            typed = "say nothing" if fast else "say nothing\n"
            assert "The rain has stopped." in page.type_line(typed)


def test_ctrl_c_leaves_nothing_broken(lamp_story: Path) -> None:
    """A story that was interrupted with Ctrl-C continues where it was."""
    with start_reading(lamp_story.parent) as page:
        page.read_shown()
        page.type_line("")
        assert 130 == page.interrupt()

    with start_reading(lamp_story.parent, "--resume") as again:
        assert "  1. Ask about the lamp" in again.read_shown()


def test_seen_lines_are_skipped_in_the_next_session(tmp_path: Path) -> None:
    """Skipping stops one line after the last line that the reader has seen."""
    lines = "One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.\n\n- Go\n  Gone.\n"
    (tmp_path / "long.md").write_text(f"---\nid: long\n---\n# Long\n\n{lines}")
    with start_reading(tmp_path, story="long.md") as page:
        page.read_shown()
        page.type_line("")
        page.type_line("")
        page.type_line("quit")

    with start_reading(tmp_path, story="long.md") as again:
        again.read_shown()
        again.type_line("new")
        skipped = again.type_line("skip")
        assert "Two.\n\nThree.\n\nFour.\n" in skipped
        assert "Five." not in skipped
        assert "  1. Go" in again.type_line("skip")
        assert "Skipping stops" in again.type_line("skip")


def test_after_the_end_there_is_nothing_to_continue_with(lamp_story: Path) -> None:
    """A story that was read to its end starts again, and cannot be resumed."""
    with start_reading(lamp_story.parent) as page:
        page.read_shown()
        page.type_line("")
        page.type_line("quit")
    with start_reading(lamp_story.parent, "--resume") as page:
        page.read_shown()
        page.type_line("walk on")
        page.type_line("")
        page.type_line("quit")
        assert 0 == page.leave()

    resumed = play(lamp_story.parent, "lamp.md", "--resume")

    assert 3 == resumed.returncode
    assert "SAVE_NOT_FOUND" in resumed.stderr


def test_a_story_is_read_in_japanese(tmp_path: Path) -> None:
    """The terminal uses the language of a Japanese story, for output and commands."""
    (tmp_path / "yoru.md").write_text(_YORU, encoding="utf-8")
    with start_reading(tmp_path, story="yoru.md") as page:
        assert "Enter で先へ" in page.read_shown()
        assert "守り：また来たね。" in page.type_line("")
        assert "保存しました" in page.type_line("保存 橋の前")
        assert "夜明けまで" in page.type_line("灯のことを尋ねる")
        assert "守り：また来たね。" in page.type_line("戻る")
        assert "雨の橋。" in page.type_line("ログ")
        assert "橋の前" in page.type_line("読込　橋の前")
        assert "質問や選択肢は飛ばせません" in page.type_line("スキップ")
        ended = page.type_line("２") + page.type_line("")
        assert "— おわり — (michi)" in ended
        assert "続きは" not in page.type_line("終了")
        assert 0 == page.leave()


def test_findings_are_introduced_in_the_storys_language(tmp_path: Path) -> None:
    """One line says that there are findings and how to list them; errors follow a sentence."""
    path = tmp_path / "yoru.md"
    path.write_text(_YORU.replace("#道)", "#路)"), encoding="utf-8")
    with start_reading(tmp_path, story="yoru.md") as page:
        opening = page.read_shown()
        assert "saniwa check yoru.md\n" in opening.partition("警告：2 件。詳しくは：\n")[2]
        assert "LABEL_UNRESOLVED" not in opening
        path.write_text(_YORU.replace("また来た", "{if"), encoding="utf-8")
        assert "続けます。）\nerror[" in page.read_shown()
        path.write_text(_YORU, encoding="utf-8")
        mended = page.read_shown()
        assert "（読み込み直しました。位置は同じです。）" in mended
        assert "警告" not in mended
        path.write_text(_YORU.replace("#橋)", "#端)"), encoding="utf-8")
        assert "警告：2 件。詳しくは" in page.read_shown()


@pytest.mark.parametrize(
    ("language", "remark"),
    [
        ("en", "(Line {line}: there is no label {label!r}, so the story continues here.)"),
        ("ja", "（{line} 行目：「{label}」という見出しがないので、このまま先へ進みます。）"),
    ],
)
def test_a_broken_link_is_reported_where_it_is(tmp_path: Path, language: str, remark: str) -> None:
    """The story continues, and each broken jump, option and call is reported with its line."""
    text = """---
id: t
---
Hi.

[Go](#lost)

Ask.
- [x](#none)
- [y](#nil)

[z](#gone "call")

End. <!-- ending: e -->
"""
    (tmp_path / "t.md").write_text(text, encoding="utf-8")
    done = play(tmp_path, "t.md", "--language", language, lines="1\n")

    places = [(6, "lost"), (9, "none"), (12, "gone")]
    remarks = [remark.format(line=line, label=label) for line, label in places]
    assert [1, 1, 1] == [done.stdout.count(each) for each in remarks]
    assert done.stdout.index("Hi.") < done.stdout.index(remarks[0]) < done.stdout.index("Ask.")


def test_warnings_are_reported_at_the_start(lamp_story: Path) -> None:
    """The start shows the number of warnings and of missing files, with one command for both."""
    lamp_story.write_text(LAMP.replace("(#street)", "(#streat)"), encoding="utf-8")

    played = play(lamp_story.parent, "lamp.md", lines="quit\n")

    told = "Missing pictures or sounds: 1. Warnings: 1. See:\n  saniwa check lamp.md\n"
    assert told in played.stdout


def test_a_translation_has_a_check_of_its_own(lamp_story: Path) -> None:
    """For missing translations, the command for translations is printed."""
    lamp_story.write_text(LAMP.replace("id: lamp", "id: lamp\nlanguage: en"))
    table = "id,speaker,source,translation\nrain,,Rain on the bridge.,雨の橋。\n"
    lamp_story.with_suffix(".ja.csv").write_text(table, encoding="utf-8")

    played = play(lamp_story.parent, "lamp.md", "--language", "ja", lines="quit\n")

    assert "  saniwa story strings lamp.md --language ja --check\n" in played.stdout
    assert "警告" not in played.stdout
