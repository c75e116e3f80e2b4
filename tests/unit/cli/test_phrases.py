import re

import pytest

from saniwa.cli.play.terminal_input import COMMANDS, STORY_COMMANDS, parse_command
from saniwa.cli.play.terminal_output import LANGUAGES


def test_every_language_has_the_same_phrases() -> None:
    """Every phrase exists in each language, with the same placeholders."""
    gaps = {
        language: {key: set(re.findall(r"\{(\w+)", text)) for key, text in said.items()}
        for language, said in LANGUAGES.items()
    }

    assert gaps["en"] == gaps["ja"]


@pytest.mark.parametrize("commands", [COMMANDS, STORY_COMMANDS])
def test_no_two_commands_share_a_spelling(commands: dict[str, tuple[str, ...]]) -> None:
    """No two commands share a spelling."""
    spelled = [word for words in commands.values() for word in words]

    assert sorted(set(spelled)) == sorted(spelled)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("who", ("who", "")),
        ("/WHO", ("who", "")),
        ("席", ("who", "")),
        ("rules my book.yaml", ("rules", "my book.yaml")),
        ("試しに　鍵を取る", ("preview", "鍵を取る")),
        ("preview take the key", ("preview", "take the key")),
        ("help the groundskeeper", None),
        ("i take the key", None),
        ("take the key", None),
        ("", None),
    ],
)
def test_a_line_is_a_command_only_if_nothing_of_the_story_is_lost(
    line: str, meant: tuple[str, str] | None
) -> None:
    """A line is a command only as a whole; some commands take the rest of the line as text."""
    assert meant == parse_command(line)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("back", ("back", "")),
        ("/戻る", ("back", "")),
        ("保存一覧", ("saves", "")),
        ("back to the lamp", None),
        ("who", None),
    ],
)
def test_a_story_has_commands_of_its_own(line: str, meant: tuple[str, str] | None) -> None:
    """A story has its own commands."""
    assert meant == parse_command(line, STORY_COMMANDS)
