import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from saniwa.agent.narration.narrator import ModelNarrator
from saniwa.agent.port import AgentPort, AgentSubmission, NullAgentPort
from saniwa.core.errors import LoopError
from saniwa.runs.agent_port import RunAgentPort
from saniwa.runs.run import Run
from saniwa.runs.run_inspector import RunMinds
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.turn.record import Turn
from saniwa.world.model import Id
from tests.fakes.answering_bridge import AnsweringBridge
from tests.fakes.runs import GO_EAST, TAKE_KEY, open_courtyard_run, resume_restarted

KEEPER = Id("keeper")


def _make_port(run: Run, **more: object) -> RunAgentPort:
    return RunAgentPort(run, KEEPER, RunMinds(run), **more)  # type: ignore[arg-type]


def test_a_view_is_what_the_character_perceives_and_the_same_bytes_again() -> None:
    """Two ports of the same run, also a resumed one, give the same view."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    asyncio.run(run.act(TAKE_KEY))
    view = _make_port(run).view()

    assert view == _make_port(run).view() == _make_port(resume_restarted(run, store)).view()
    assert "brass key" in view.variables["scene"]
    assert "loaf" not in str(view.variables)
    assert (False, 1) == (view.facts["goal_reached"], view.facts["turn"])


def test_what_was_done_elsewhere_is_in_no_view() -> None:
    """A character does not see what the player does in another room."""
    run = open_courtyard_run()
    asyncio.run(run.act(GO_EAST))
    before = _make_port(run).view().variables
    asyncio.run(run.say("eat the loaf"))
    after = _make_port(run).view().variables

    assert before["scene"] == after["scene"]
    assert "loaf" not in str(after)


def test_words_are_played_like_all_other_words() -> None:
    """An agent's words are a turn with verdicts, and the host is notified of it."""
    run = open_courtyard_run()
    heard = list[Turn]()
    turn = asyncio.run(_make_port(run, told=heard.append).speak("take the key", "a:1:0@0"))

    assert (KEEPER, "take the key") == (turn.actor_id, turn.raw_text)
    assert [turn] == heard == list(run.read_turns())


def test_the_same_attempt_after_a_crash_says_nothing_twice() -> None:
    """After a crash, the same attempt finds its stored turn and adds no other."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    asyncio.run(run.act(TAKE_KEY))
    first = asyncio.run(_make_port(run).speak("say hello", "a:1:0@1"))
    asyncio.run(run.say("say hi"))
    heard = list[Turn]()
    again = resume_restarted(run, store)
    second = asyncio.run(_make_port(again, told=heard.append).speak("say hello", "a:1:0@1"))

    assert (first, 3) == (second, again.count)
    assert [first] == heard


@pytest.mark.parametrize("attempt", ["a:2:0@2", "a:2:0"])
def test_the_same_words_in_a_later_attempt_are_said_again(attempt: str) -> None:
    """Equal words in a later attempt are another turn."""
    run = open_courtyard_run()
    floor = _make_port(run)
    asyncio.run(run.act(TAKE_KEY))
    asyncio.run(floor.speak("say hello", "a:1:0@1"))
    asyncio.run(floor.speak("say hello", attempt))

    assert 3 == run.count


def test_the_same_words_of_another_are_not_the_characters() -> None:
    """Equal words of another character do not count as this one's."""
    run = open_courtyard_run()
    asyncio.run(run.say("say hello"))
    turn = asyncio.run(_make_port(run).speak("say hello", "a:1:0@0"))

    assert 1 == turn.number


def test_half_a_character_does_not_end_an_agent() -> None:
    """An unpaired surrogate in a model's words is replaced."""
    turn = asyncio.run(_make_port(open_courtyard_run()).speak("say \ud800", "a:1:0@0"))

    assert "say \ufffd" == turn.raw_text


@pytest.mark.parametrize(("calls", "left"), [(1, 1), (2, 0)])
def test_what_a_turn_costs_already_is_not_there_for_the_narrator(calls: int, left: int) -> None:
    """The narrator has only the calls that the agent has left of its turn."""
    bridge = AnsweringBridge("A dragon lands.")
    run = open_courtyard_run(narrator=ModelNarrator(bridge))
    asyncio.run(_make_port(run).speak("take the brass key", "a:1:0@0", calls=calls))

    assert left == len(bridge.asked)


def test_an_answer_alone_is_one_call_of_the_turn() -> None:
    """Without a count of calls, an answer counts as one."""
    bridge = AnsweringBridge("A dragon lands.")
    run = open_courtyard_run(narrator=ModelNarrator(bridge))
    asyncio.run(_make_port(run).speak("take the brass key", "a:1:0@0"))

    assert 1 == len(bridge.asked)


def test_what_is_not_a_phrase_is_said_aloud() -> None:
    """Words that are not a phrase are said aloud."""
    turn = asyncio.run(
        _make_port(open_courtyard_run()).speak("A fine evening, my friend!", "a:1:0@0")
    )

    assert ["A fine evening, my friend!"] == [a.content for a in turn.applied_actions]  # type: ignore[union-attr]
    assert turn.reply is not None


def test_a_world_has_no_gate_and_no_agent_waits_there() -> None:
    """A port without a gate refuses submissions."""
    floor: AgentPort = _make_port(open_courtyard_run())

    with pytest.raises(LoopError) as problem:
        asyncio.run(floor.submit(AgentSubmission(event="done"), "a:1:0@0"))

    assert "FLOOR_UNFIT" == problem.value.code
    assert asyncio.run(floor.wait()) is False


def test_other_words_since_the_attempt_began_are_not_its_own() -> None:
    """Other words in the seat since the attempt began are not its own turn."""
    run = open_courtyard_run()
    asyncio.run(run.say("say hello", "keeper"))
    turn = asyncio.run(_make_port(run).speak("say good evening", "a:1:0@0"))

    assert (1, "say good evening") == (turn.number, turn.raw_text)


def test_what_is_submitted_goes_to_the_gate_where_there_is_one() -> None:
    """A port with a gate passes submissions to it."""
    handed = list[tuple[str, str]]()
    ruling = object()

    class KeptGatePort(NullAgentPort):
        async def submit(self, evidence: AgentSubmission, attempt: str) -> Any:
            handed.append((evidence.event, attempt))
            return ruling

    floor = _make_port(open_courtyard_run(), gate=KeptGatePort())

    assert ruling is asyncio.run(floor.submit(AgentSubmission(event="done"), "a:1:0@0"))
    assert [("done", "a:1:0@0")] == handed


class _NearestMeaning:
    """Finds every text equally near, and records the queries."""

    def __init__(self) -> None:
        self.asked = list[str]()

    def measure_similarity(self, query: str, texts: Sequence[str]) -> tuple[int, ...]:
        """The same similarity for every text."""
        self.asked.append(query)
        return tuple(1 for _ in texts)


def test_memories_are_compared_as_the_table_wants_it() -> None:
    """The port passes the configured comparison of memories to the view."""
    run, meaning = open_courtyard_run(), _NearestMeaning()
    asyncio.run(run.say("wait"))

    assert _make_port(run, meaning=meaning).view().variables["memories"]
    assert 1 == len(meaning.asked)


_SWORDFISH = 'say "the password is swordfish"'


def test_words_are_heard_in_the_same_place_only() -> None:
    """A character does not know what is said in another room."""
    run = open_courtyard_run()
    asyncio.run(run.say("go east"))
    asyncio.run(run.say(_SWORDFISH))
    asyncio.run(run.say('say "the loaf is in the yard" to the keeper'))

    assert "swordfish" not in str(dict(_make_port(run).view().variables))
    assert "loaf" not in str(dict(_make_port(run).view().variables))


def test_a_later_character_has_not_heard_earlier_speech() -> None:
    """A character hears only what is said while it is in the room."""
    run = open_courtyard_run()
    asyncio.run(run.say("go east"))
    asyncio.run(run.say(_SWORDFISH))
    asyncio.run(run.say("go east", KEEPER))
    joined = str(dict(_make_port(run).view().variables))
    asyncio.run(run.say('say "it was tuna"'))
    together = str(dict(_make_port(run).view().variables))
    asyncio.run(run.say("go west", KEEPER))
    asyncio.run(run.say('say "it is salmon now"'))
    apart = str(dict(_make_port(run).view().variables))

    assert "swordfish" not in joined
    assert "it was tuna" in together
    assert (True, False) == ("it was tuna" in apart, "salmon" in apart)


def test_an_agent_hears_what_is_said_before_it_leaves_the_room_in_one_turn() -> None:
    """In one turn, words before leaving the room are heard, and words after it are not."""
    run = open_courtyard_run()
    asyncio.run(run.say('say "follow me", go east and say "swordfish"'))
    view = str(dict(_make_port(run).view().variables))

    assert (True, False) == ("follow me" in view, "swordfish" in view)
