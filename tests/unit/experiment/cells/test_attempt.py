import pytest

from saniwa.experiment.answer_assessment import complete_attempt, find_final_text, to_spoken_text
from saniwa.experiment.cell_outcome import AnswerAttempt
from tests.fakes.turns import speak
from tests.fakes.worlds import make_courtyard


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Thought: x\nOutput: *take the cup* So.", "Thought: x\nOutput: *take the cup* So."),
        ("*take the cup*", "*take the cup*"),
        ("I'll take it.", "Thought: \nOutput: I'll take it."),
    ],
)
def test_only_marks_make_deeds(text: str, said: str) -> None:
    """An answer with a label or asterisks is kept as it is; any other is speech only."""
    assert said == to_spoken_text(text)


def _attempt(**more: str) -> AnswerAttempt:
    return AnswerAttempt(number=0, seed=0, raw_output="*take it*", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("attempt", "said"),
    [
        (_attempt(speech="So."), "*take it*"),
        (_attempt(question="Which?"), "*take it*"),
        (_attempt(question="Which?", speech="So.", thought="Hm."), "Thought: Hm.\nOutput: So."),
    ],
)
def test_an_unclear_answer_keeps_its_speech(attempt: AnswerAttempt, said: str) -> None:
    """With no speech in the answer, only the question is kept."""
    assert said == find_final_text(attempt)


@pytest.mark.parametrize(
    ("finish", "broken"),
    [
        ("length", "TRUNCATED"),
        ("refused", "REFUSED"),
        ("filtered", "FILTERED"),
        ("tool_call", "STRAY_TOOL_CALL"),
        ("stop", "NONE"),
        ("other", "NONE"),
    ],
)
def test_an_answer_that_is_not_whole_breaks_the_format(finish: str, broken: str) -> None:
    """Even an answer that looks fine breaks the format; the error names the finish reason."""
    said = "Thought: x\nOutput: So."
    asked = AnswerAttempt(number=0, seed=0, raw_output=said, finish=finish)
    turn, _ = speak(said, make_courtyard())
    attempt = complete_attempt(asked, turn, make_courtyard())

    assert broken == attempt.break_type
    assert (f"finish: {finish}" in attempt.parser_error) == (broken != "NONE")
