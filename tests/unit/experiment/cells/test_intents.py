import pytest

from saniwa.experiment.cell_outcome import Intent
from tests.fakes.experiments import play_cell_of, render_answer


def _play_deed(words: str) -> Intent:
    (passage,) = play_cell_of("A", render_answer(f"*{words}* So.")).passages
    return passage.final.intents[0]


@pytest.mark.parametrize(
    ("words", "short", "code", "check"),
    [
        ("take the cup", "GET cup", "", "take"),
        ("take the beans", "GET beans", "MISSING_OBJECT", "take.exists"),
        ("take the lamp", "GET lamp", "WRONG_LOCATION", "take.in_scope"),
        ("open the box", "USE box", "INVALID_STATE", "open.key_held"),
        ("go to the study", "MOVE study", "OUT_OF_SCOPE", "move.connected"),
    ],
)
def test_a_deed_is_reported_with_what_decided(
    words: str, short: str, code: str, check: str
) -> None:
    """An intent records the kind, the target in the speaker's words, the code and the check."""
    deed = _play_deed(words)

    assert (short, code, check) == (deed.summary, deed.deny_code, deed.check)


@pytest.mark.parametrize(("words", "deed"), [("take the cup", True), ("wait", True)])
def test_a_deed_is_more_than_words(words: str, deed: bool) -> None:
    """Every action except speech counts as more than words."""
    (passage,) = play_cell_of("A", render_answer(f"*{words}* So.")).passages

    assert [deed, False] == [each.is_deed for each in passage.final.intents]
