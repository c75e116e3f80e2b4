import pytest

from saniwa.experiment.answer_assessment import classify_severity, is_alarm_due, score_stall


def test_with_nothing_said_before_nothing_has_stalled() -> None:
    """The first speech never counts as a repetition."""
    assert 0.0 == score_stall("Hello there, all of you.", (), changed=False)


def test_the_same_again_and_again_is_a_standstill() -> None:
    """The fourth identical utterance scores at least 0.7."""
    said = "コーヒーを淹れようか、あゆ。"

    assert score_stall(said, (said,) * 3, changed=True) >= 0.7


@pytest.mark.parametrize(
    ("changed", "speech", "score"),
    [
        (True, "Quite another thing is on my mind.", 0.0),
        (False, "Quite another thing is on my mind.", 0.2),
        (False, "Zzz", 0.3),
        (True, "Zzz", 0.1),
    ],
)
def test_each_sign_has_its_weight(changed: bool, speech: str, score: float) -> None:
    """A turn without changes adds 0.2 to the score, and one with few letters adds 0.1."""
    assert score == score_stall(speech, ("fjord fjord fjord",), changed=changed)


@pytest.mark.parametrize(
    ("score", "word"),
    [
        (0.0, "active"),
        (0.299, "active"),
        (0.3, "warning"),
        (0.799, "warning"),
        (0.8, "stalled"),
        (0.899, "stalled"),
        (0.9, "critical"),
        (1.0, "critical"),
    ],
)
def test_borders_of_severity(score: float, word: str) -> None:
    """The severity word changes at 0.3, 0.8 and 0.9."""
    assert word == classify_severity(score)


@pytest.mark.parametrize(
    ("score", "since", "alarm"),
    [(0.8, None, True), (0.79, None, False), (0.9, 4, False), (0.9, 5, True)],
)
def test_an_alarm_needs_a_pause(score: float, since: int | None, alarm: bool) -> None:
    """An alarm needs a score of at least 0.8 and five turns since the last alarm."""
    assert alarm is is_alarm_due(score, since)
