from pathlib import Path

import pytest

from tests.journeys.lamp_story import LAMP, play


def test_a_story_without_a_choice_ends_without_a_terminal(tmp_path: Path) -> None:
    """A story that loops without a choice is stopped, and this is not a failure."""
    (tmp_path / "loop.md").write_text("# L\n\n## a\n\nHello.\n\n[again](#a)\n")

    for lines in ("", "1\n"):
        played = play(tmp_path, "loop.md", lines=lines)
        assert 0 == played.returncode
        assert played.stdout.endswith("steps without a choice.)\n")


def test_lines_are_choices_and_answers_without_a_terminal(lamp_story: Path) -> None:
    """Without a terminal, lines of input are choices, answers and commands."""
    played = play(lamp_story.parent, "lamp.md", lines="1\nsay nothing\n2\nAnn\nback\n3\n4\n")

    assert 0 == played.returncode, played.stderr
    assert "The rain has stopped." in played.stdout
    assert "Well met, Ann." in played.stdout
    assert "End of input." in played.stdout
    assert "--resume" not in played.stdout


def test_back_leads_to_the_choice_before_without_a_terminal(lamp_story: Path) -> None:
    """Without a terminal, `back` leads to the last choice, not only to the last page."""
    played = play(lamp_story.parent, "lamp.md", lines="1\nback\n1\n")

    assert 2 == played.stdout.count("It burns till dawn.")


def test_lines_come_from_a_file_and_bad_ones_are_reported(lamp_story: Path) -> None:
    """A line from a file that is not valid text is refused, and the story continues."""
    (lamp_story.parent / "lines.txt").write_bytes(b"3\n\xff\nAnn\n4\n")

    played = play(lamp_story.parent, "lamp.md", "--input", "lines.txt")

    assert 0 == played.returncode, played.stderr
    assert "TEXT_UNREADABLE" in played.stdout
    assert "Well met, Ann." in played.stdout


def test_without_any_line_the_first_choice_is_taken(lamp_story: Path) -> None:
    """Without any input the first option is chosen, up to a limit."""
    played = play(lamp_story.parent, "lamp.md")

    assert 0 == played.returncode
    assert "the first option is always chosen" in played.stdout
    assert "choices without an ending.)" in played.stdout


def test_a_save_is_a_place_to_begin_from(lamp_story: Path) -> None:
    """`--load` continues from a named save."""
    play(lamp_story.parent, "lamp.md", lines="1\nsave there\n")

    loaded = play(lamp_story.parent, "lamp.md", "--load", "there", lines="say nothing\n")

    assert "Back at 'there'." in loaded.stdout
    assert "where you stopped" not in loaded.stdout
    assert "The rain has stopped." in loaded.stdout


def test_a_mistake_in_play_ends_with_its_place(tmp_path: Path) -> None:
    """An expression that fails is an error with its line, with status 3."""
    (tmp_path / "sum.md").write_text("---\nid: s\nvars: {n: 0}\n---\n# S\n\nA {1 / n}.\n")

    played = play(tmp_path, "sum.md")

    assert 3 == played.returncode
    assert "EXPRESSION_FAILED" in played.stderr
    assert "sum.md:7" in played.stderr


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (["lamp.md", "--as", "ben"], 2, "front matter"),
        (["lamp.md", "--book", "strict"], 2, "front matter"),
        (["lamp.md", "--resume", "run-1"], 2, "--load NAME"),
        (["lamp.md", "--resume", "--load", "x"], 2, "give one of them"),
        (["lamp.md", "--resume", "--seed", "3"], 2, "remove --seed"),
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
def test_a_wrong_call_learns_what_and_how(
    command: list[str], code: int, said: str, lamp_story: Path
) -> None:
    """An option that does not apply to a story is an error with a hint, and nothing is played."""
    broken = LAMP.replace("trust > 0", "trust >")
    (lamp_story.parent / "broken.md").write_text(broken, encoding="utf-8")

    done = play(lamp_story.parent, *command)

    assert code == done.returncode, done.stdout
    assert said in " ".join(done.stderr.split())
    assert "Rain on" not in done.stdout
