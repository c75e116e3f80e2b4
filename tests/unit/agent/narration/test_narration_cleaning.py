import pytest

from saniwa.agent.narration.narrator import clean_narration


def test_words_are_made_fit_to_show() -> None:
    """Escape codes, direction marks and unpaired surrogates are removed."""
    text = "\x1b[31mYou\u202e wait.\r\n\n\n \x00It is\u2028late.\ud800\x07"

    assert "[31mYou wait.\nIt is late." == clean_narration(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('"You wait."', "You wait."),
        ('"You wait.', "You wait."),
        ("「待った。」", "待った。"),
        ('You say "Hello."', 'You say "Hello."'),
        ("You wait. You look. You wait. You look.", "You wait. You look."),
        ("You wait.\n\nYou wait.\n\nYou wa", "You wait."),
        ("待った。静かだ。待った。", "待った。静かだ。"),
        ("1. 2. 3. 4. 5. 6. 7. 8.", "1. 2. 3. 4. 5. 6."),
        ("- You wait.\n- It is late.", "You wait.\nIt is late."),
        ("", ""),
    ],
)
def test_a_model_that_does_not_stop_is_stopped(text: str, shown: str) -> None:
    """Repeated text is cut, and so is a copy of the whole story."""
    assert shown == clean_narration(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"Jetty\nWet planks.", "Jetty\nWet planks."),
        (r"You wait.\r\n\tIt is late.", "You wait.\nIt is late."),
        (r"Pim says \"Hello\".", 'Pim says "Hello".'),
        (r"You see the \u201cdoor\u201d.", "You see the “door”."),
        (r"\ud800\u001b[31mred", "[31mred"),
        ("back\\slash", "back\\slash"),
    ],
)
def test_escapes_that_are_written_out_become_what_they_mean(text: str, shown: str) -> None:
    """Escape sequences in plain text are replaced by the characters they mean."""
    assert shown == clean_narration(text)
