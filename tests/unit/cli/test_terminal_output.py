import pytest

from saniwa.cli.play.terminal_output import LANGUAGES, Screen, show_while_busy
from saniwa.runs.errors import make_missing_save_error
from saniwa.story.step_result import (
    Ask,
    Branch,
    ClearLayer,
    Directive,
    Ending,
    Event,
    JumpTo,
    Next,
    Option,
    PlayBgm,
    PlayMovie,
    PlaySe,
    ReachedLabel,
    Say,
    ShowImage,
    StepResult,
    Wait,
)


def _show_directives(
    capsys: pytest.CaptureFixture[str], *directives: Directive, stage: bool = True
) -> str:
    step = StepResult(next=Next.WAIT_USER, directives=directives)
    Screen(LANGUAGES["en"], stage=stage).show_step(step)
    return capsys.readouterr().out


def test_words_are_shown_with_their_speaker(capsys: pytest.CaptureFixture[str]) -> None:
    """The speaker comes before the words, and the author's line breaks are kept."""
    shown = _show_directives(capsys, Say.build("", "Rain.\nMore rain."), Say.build("Ben", "Hello."))

    assert "Rain.\nMore rain.\nBen: Hello.\n" == shown


@pytest.mark.parametrize(
    ("language", "there", "told"),
    [
        ("en", ["noon"], "[SAVE_NOT_FOUND] There is no save 'dawn'. Saves: noon\n"),
        ("ja", ["昼"], "[SAVE_NOT_FOUND] 「dawn」という保存はありません。保存：昼\n"),
        ("ja", [], "[SAVE_NOT_FOUND] 「dawn」という保存はありません。保存：–\n"),
    ],
)
def test_a_missing_save_is_reported_in_the_language_of_the_game(
    language: str, there: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Loading an unknown save is answered with those that there are."""
    Screen(LANGUAGES[language]).show_problem(make_missing_save_error("dawn", there))

    assert told == capsys.readouterr().out


def test_an_option_that_cannot_be_taken_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """Every option has a number, and a disabled one says so."""
    options = (Option.build("Ask"), Option.build("Wait", enabled=False), Option.build("Go"))

    shown = _show_directives(capsys, Branch.build_from_options(options))

    assert "  1. Ask\n  2. Wait (not now)\n  3. Go\n" == shown


def test_pictures_and_sounds_share_one_quiet_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Pictures and sounds are named on one line before the words."""
    shown = _show_directives(
        capsys,
        ShowImage.build("bg", "images/night/bridge.png"),
        PlayBgm.build("bgm/rain.ogg"),
        PlaySe.build("se/door.wav"),
        PlayMovie.build("movies/dawn.mp4"),
        ClearLayer.build("fg"),
        Event.build("shake"),
        Say.build("", "Rain."),
    )

    assert "▦ bg: night/bridge  ♫ rain  ♪ door  ▶ dawn  ▢ fg  ✦ shake\nRain.\n" == shown


def test_what_has_no_file_is_not_announced(capsys: pytest.CaptureFixture[str]) -> None:
    """An asset without a file, or one that is not visible, is not announced."""
    shown = _show_directives(
        capsys,
        ShowImage.build("bg", None),
        PlayBgm.build(None),
        Wait.build(1),
        ReachedLabel.build("a"),
        JumpTo.build("b"),
    )

    assert "" == shown


def test_a_screen_without_a_stage_names_no_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a stage, pictures and sounds are not named."""
    assert "" == _show_directives(capsys, PlayBgm.build("bgm/rain.ogg"), stage=False)


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        (Ending.build("street"), "— The end — (street)"),
        (Ending.build("street", "The long way home"), "— The end: The long way home —"),
    ],
)
def test_an_ending_is_reported_by_its_name(
    ending: Ending, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An ending is shown by its name, with its id for the author."""
    assert f"{told}\n" == _show_directives(capsys, ending)


def test_an_ending_is_separated_from_the_words_before_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An empty line separates an ending from words of the same step."""
    shown = _show_directives(
        capsys, PlayBgm.build(None), Say.build("", "Home."), Ending.build("a", "A")
    )

    assert "Home.\n\n— The end: A —\n" == shown


@pytest.mark.parametrize(
    "directive",
    [
        Say.build("\x1b[2J", "\x1b[2J"),
        Branch.build("\x1b[2J"),
        Ask.build("\x1b[2J"),
        Ending.build("\x1b[2J"),
        Event.build("\x1b[2J"),
        PlayBgm.build("bgm/\x1b[2J.ogg"),
        ShowImage.build("\x1b[2J", "images/a.png"),
    ],
)
def test_no_author_paints_the_screen(
    directive: Directive, capsys: pytest.CaptureFixture[str]
) -> None:
    """Escape codes in a story are shown escaped."""
    shown = _show_directives(capsys, directive)

    assert "\x1b" not in shown
    assert r"\x1b[2J" in shown


def test_a_sign_is_for_terminals_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """In a pipe no busy sign is shown."""
    with show_while_busy("(thinking)"):
        pass

    assert "" == capsys.readouterr().out


def test_a_sign_is_gone_when_the_waiting_is_over(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The busy sign is erased at the end, also after an error, counting wide characters."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    with pytest.raises(KeyboardInterrupt), show_while_busy("（考え中）"):
        raise KeyboardInterrupt

    assert f"\r{' ' * 10}\r" in capsys.readouterr().out
