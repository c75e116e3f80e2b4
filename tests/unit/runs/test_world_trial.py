"""A world tried out without a store."""

from saniwa.app.run_service import RunService
from saniwa.runs.rehearsal import WorldTrial
from saniwa.story.step_builder import WorldRequest
from tests.fakes.story_walk import LIGHTS


def _make_trial(scenario: str = "lantern_island") -> WorldTrial:
    return WorldTrial.from_run(RunService.open("memory:").begin(scenario))


def _do_words(trial: WorldTrial, words: str) -> tuple[bool, str]:
    outcome = trial.do(WorldRequest(words, spoken=False))
    return outcome.allowed, outcome.reason


def test_a_deed_has_the_outcome_it_has_in_a_run() -> None:
    """An allowed action is applied, and another is refused with its code and message."""
    trial = _make_trial()

    assert (True, "") == _do_words(trial, "go north")
    refused = trial.do(WorldRequest(LIGHTS["en"], spoken=True))
    assert not refused.allowed
    assert refused.reason
    assert refused.lines


def test_facts_are_those_of_the_moment() -> None:
    """Facts are those of the current state."""
    trial = _make_trial()
    before = trial.look_up_fact("place", ("player",))
    _do_words(trial, "go north")

    assert ("jetty", "path") == (before, trial.look_up_fact("place", ("player",)))


def test_a_trial_goes_back_to_any_moment() -> None:
    """After going back, the state and the result of the same action are as before."""
    trial = _make_trial()
    begun, first = trial.mark(), trial.fingerprint()
    came = _do_words(trial, "go north")
    assert first != trial.fingerprint()

    trial.go_back(begun)

    assert first == trial.fingerprint()
    assert came == _do_words(trial, "go north")


def test_where_back_leads_distinguishes_two_moments() -> None:
    """The fingerprint includes where "back" leads."""
    one, other = _make_trial(), _make_trial()
    for words in ("go north", "go south", "go north"):
        _do_words(one, words)
    for words in ("go north", "go east", "go west"):
        assert (True, "") == _do_words(other, words)

    assert one.world.digest == other.world.digest
    assert one.fingerprint() != other.fingerprint()


def test_a_question_is_answered_by_the_words_after_it() -> None:
    """A question is answered by the next words, as in a run."""
    trial = _make_trial()
    _, reason = _do_words(trial, "")

    assert reason
    assert trial.fingerprint() != _make_trial().fingerprint()


def test_a_run_is_not_moved_by_its_trial() -> None:
    """A trial does not change its run."""
    run = RunService.open("memory:").begin("lantern_island")
    _do_words(WorldTrial.from_run(run), "go north")

    assert 0 == run.count
