import asyncio
from typing import Any

import pytest

from saniwa.agent.layer_contracts import AgentProblem
from saniwa.core.errors import RunError
from saniwa.runs.game_table import AgentTurn, GameTable, NoTurn, PersonTurn
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.turn.record import Turn
from saniwa.world.model import Id
from tests.fakes.runs import GARDEN, open_courtyard_run, resume_restarted
from tests.fakes.scripted_players import ScriptedCompany

PLAYER, KEEPER = Id("player"), Id("keeper")
_ORDERED: dict[str, Any] = GARDEN | {"turn_order": ["keeper", "player"]}


def _render_turn(played: object) -> str:
    assert isinstance(played, AgentTurn)
    return " ".join(
        f"{said.args.speaker}:{said.args.text}"  # type: ignore[union-attr]
        for said in played.step.directives
    )


def _get_problem(played: object) -> AgentProblem | None:
    assert isinstance(played, AgentTurn)
    return played.problem


def _seat_keeper(*lines: Any, scenario: dict[str, Any] = GARDEN) -> ScriptedCompany:
    company = ScriptedCompany(open_courtyard_run(scenario=scenario), keeper=lines)
    asyncio.run(company.game.seat_agents({"keeper": "character"}))
    return company


def test_the_person_acts_and_then_each_agent_and_then_the_person() -> None:
    """Each agent has a turn after the person's, and then it is the person's again."""
    company = _seat_keeper("say hello there", "take the rusty key")
    table = company.game

    async def play_session() -> None:
        assert PersonTurn(PLAYER) == await table.play_next()
        await table.run.say("say hi")
        assert "keeper:hello there" == _render_turn(await table.play_next())
        assert PersonTurn(PLAYER) == await table.play_next()

    asyncio.run(play_session())


def test_what_happens_elsewhere_is_not_described() -> None:
    """An agent's turn in another room is not narrated to the person."""
    people = {"player": {"location": "yard"}, "keeper": {"location": "shed"}}
    company = _seat_keeper("take the loaf", scenario=GARDEN | {"characters": people})
    table = company.game

    async def play_session() -> str:
        await table.run.say("take the brass key")
        return _render_turn(await table.play_next())

    assert "" == asyncio.run(play_session())
    assert (KEEPER,) == tuple(e.place for e in table.run.world.entities.values() if e.id == "loaf")


def test_a_refusal_of_another_is_not_the_persons() -> None:
    """An agent's refused attempt is recorded, and not narrated as the person's."""
    company = _seat_keeper("open the gate")
    table = company.game

    async def play_session() -> AgentTurn:
        await table.run.say("look")
        played = await table.play_next()
        assert isinstance(played, AgentTurn)
        return played

    played = asyncio.run(play_session())
    assert "" == _render_turn(played)
    assert ["LOCKED"] == [v.reason_code for v in played.turns[0].validation_results]


def test_a_person_takes_a_seat_and_hands_it_back() -> None:
    """Taking over a seat and returning it are turns, and the agent continues as before."""
    company = _seat_keeper("say one", "say two")
    table = company.game

    async def play_session() -> list[object]:
        await table.run.say("look")
        heard: list[object] = [_render_turn(await table.play_next())]
        assert KEEPER == await table.take_seat("Keeper")
        await table.run.say("look")
        heard.append(await table.play_next())
        await table.run.say("say I am the keeper", KEEPER)
        assert KEEPER == await table.return_seat("keeper")
        await table.run.say("look")
        heard.append(_render_turn(await table.play_next()))
        return heard

    heard = asyncio.run(play_session())
    assert ["keeper:one", PersonTurn(KEEPER), "keeper:two"] == heard
    assert 1 == company.players["keeper"].started
    assert ["character", "person", "character"] == [
        turn.aside.seats["keeper"]  # type: ignore[union-attr]
        for turn in table.run.read_turns()
        if turn.aside is not None
    ]


def test_a_seat_without_an_owner_is_left_empty() -> None:
    """A seat that never had an agent can be taken and left again."""
    table = ScriptedCompany(open_courtyard_run(scenario=GARDEN), keeper=()).game

    async def play_session() -> tuple[bool, bool]:
        await table.take_seat("keeper")
        taken = KEEPER in table.list_seats()
        await table.return_seat("keeper")
        return taken, KEEPER in table.list_seats()

    assert (True, False) == asyncio.run(play_session())


def test_returning_a_seat_returns_the_persons_own_view() -> None:
    """After returning a seat, the person sees through their own character."""
    company = _seat_keeper("say one", "say two")
    table = company.game

    async def play_session() -> list[Id]:
        await table.take_seat("keeper")
        await table.run.say("look")
        await table.play_next()
        seen = [table.viewer]
        await table.return_seat("keeper")
        return [*seen, table.viewer]

    assert [KEEPER, table.run.actor] == asyncio.run(play_session())


@pytest.mark.parametrize(
    ("move", "who", "code"),
    [
        ("take_seat", "player", "SEATING_UNFIT"),
        ("take_seat", "nobody", "ACTOR_UNKNOWN"),
        ("return_seat", "player", "SEATING_UNFIT"),
        ("return_seat", "keeper", "SEATING_UNFIT"),
        ("return_seat", "nobody", "ACTOR_UNKNOWN"),
    ],
)
def test_a_seat_that_cannot_change_hands_is_refused(move: str, who: str, code: str) -> None:
    """A seat that cannot change is refused with a message, and nothing is recorded."""
    table = _seat_keeper().game

    with pytest.raises(RunError) as problem:
        asyncio.run(getattr(table, move)(who))

    assert (code, 1) == (problem.value.code, table.run.count)


def test_a_resumed_run_has_its_seats_and_its_turn() -> None:
    """A resumed run has its seats, order and next seat from the trace."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    company = ScriptedCompany(run, keeper=["say one"])

    async def play_session() -> None:
        await company.game.seat_agents({"keeper": "character"}, "round_robin")
        await run.say("look")

    asyncio.run(play_session())
    again = ScriptedCompany(resume_restarted(run, store), keeper=["say two"]).game

    assert {"keeper": "character", "player": "person"} == again.list_seats()
    assert "keeper:two" == _render_turn(asyncio.run(again.play_next()))
    assert PersonTurn(PLAYER) == asyncio.run(again.play_next())


def test_an_agent_that_cannot_be_asked_does_not_hold_up_the_table() -> None:
    """An agent that fails for now is reported once, rests for the round, and tries again."""
    lost = AgentProblem(code="SDK_CONNECTION_ERROR", message="lost", recoverable=True)
    table = _seat_keeper(lost, "say hello again friend").game

    async def play_session() -> None:
        await table.run.say("look")
        assert lost == _get_problem(await table.play_next())
        assert PersonTurn(PLAYER) == await table.play_next()
        await table.run.say("look")
        assert "keeper:hello again friend" == _render_turn(await table.play_next())

    asyncio.run(play_session())


def test_an_agent_that_failed_for_good_is_not_asked_again() -> None:
    """An agent that fails for good is not called again until its seat changes."""
    spent = AgentProblem(code="SDK_BRIDGE_ERROR", message="no")
    table = _seat_keeper(spent, "say anew").game

    async def play_session() -> None:
        await table.run.say("look")
        assert spent == _get_problem(await table.play_next())
        await table.run.say("look")
        assert PersonTurn(PLAYER) == await table.play_next()
        await table.take_seat("keeper")
        await table.return_seat("keeper")
        await table.run.say("look")
        assert "keeper:anew" == _render_turn(await table.play_next())

    asyncio.run(play_session())


def test_an_agent_that_is_done_leaves_the_table_to_the_others() -> None:
    """Without a person and an active agent, no seat is next."""
    table = _seat_keeper("say bye").game

    async def play_session() -> list[object]:
        await table.seat_agents({"player": "character"})
        return [type(await table.play_next()) for _ in range(4)]

    assert [AgentTurn, AgentTurn, AgentTurn, NoTurn] == asyncio.run(play_session())


def test_an_agent_that_says_nothing_gives_up_its_turn() -> None:
    """An agent that says nothing gives up its turn, and no turn is recorded."""
    table = _seat_keeper("", "say at last").game

    async def play_session() -> list[object]:
        await table.run.say("look")
        count = table.run.count
        said = _render_turn(await table.play_next())
        return [said, table.run.count - count, await table.play_next()]

    assert ["", 0, PersonTurn(PLAYER)] == asyncio.run(play_session())


def test_under_the_scenarios_order_a_seat_that_tries_without_effect_waits() -> None:
    """In the scenario's order, an agent waits after two turns without success."""
    table = _seat_keeper("open the gate", "open the gate", scenario=_ORDERED).game

    async def play_session() -> tuple[list[bool], Turn, object]:
        played = [await table.play_next() for _ in range(3)]
        assert all(isinstance(each, AgentTurn) for each in played)
        waited = played[-1].turns[-1]  # type: ignore[union-attr]
        return [each.passed for each in played], waited, await table.play_next()  # type: ignore[union-attr]

    passed, waited, then = asyncio.run(play_session())
    assert [False, False, True] == passed
    assert ["wait"] == [type(a).__name__.lower() for a in waited.applied_actions]
    assert PersonTurn(PLAYER) == then


def test_under_the_scenarios_order_an_agent_that_failed_waits() -> None:
    """In the scenario's order, an agent that fails waits too."""
    lost = AgentProblem(code="SDK_CONNECTION_ERROR", message="lost", recoverable=True)
    table = _seat_keeper(lost, scenario=_ORDERED).game

    async def play_session() -> object:
        assert lost == _get_problem(await table.play_next())
        waited = await table.play_next()
        assert isinstance(waited, AgentTurn)
        assert waited.passed
        return await table.play_next()

    assert PersonTurn(PLAYER) == asyncio.run(play_session())


def test_another_seating_than_the_scenarios_order_is_refused() -> None:
    """Another seating order than the scenario's is refused, and nothing is recorded."""
    table = ScriptedCompany(open_courtyard_run(scenario=_ORDERED)).game

    with pytest.raises(RunError) as problem:
        asyncio.run(table.seat_agents({"keeper": "character"}, "initiative"))

    assert ("SEATING_UNFIT", 0) == (problem.value.code, table.run.count)


def test_undo_takes_back_the_persons_deed_and_what_agents_did_since() -> None:
    """Undo takes back the person's action and what agents did since; undo again goes further."""
    table = _seat_keeper("take the rusty key", "go east").game

    async def play_session() -> list[object]:
        await table.run.say("take the brass key")
        await table.play_next()
        await table.run.say("drop the brass key")
        await table.play_next()
        told = []
        for _ in range(2):
            await table.undo()
            told.append(table.run.world.entities[Id("key")].place)
            told.append(table.run.world.entities[Id("rusty")].place)
        return [*told, await table.play_next(), (await table.undo()).turn]

    assert ["player", "keeper", "bench", "bench", PersonTurn(PLAYER), None] == asyncio.run(
        play_session()
    )


def _undo_twice(*said: str, keeper: str) -> list[list[str]]:
    """What is shown for two undos after these words."""
    table = _seat_keeper(*[keeper] * 4).game

    async def play_session() -> list[list[str]]:
        for words in said:
            await table.run.say(words)
            await table.play_next()
        steps = [(await table.undo()).step for _ in range(2)]
        return [[d.args.text for d in step.directives[:1]] for step in steps]  # type: ignore[union-attr]

    return asyncio.run(play_session())


def test_undo_says_what_is_taken_back_and_what_stays() -> None:
    """Undo shows what is taken back, and says so if nothing of the person's is."""
    assert [
        ["You take that back, with all that followed: take the brass key"],
        ["You have done nothing to take back; what others did stays."],
    ] == _undo_twice("look", "take the brass key", keeper="take the rusty key")
    assert [["There is nothing to take back."]] * 2 == _undo_twice("look", keeper="look")


def test_undo_shows_where_the_person_is_who_plays_another_seat() -> None:
    """Undo shows the world through the seat whose turn it was."""
    people = {"player": {"location": "yard"}, "keeper": {"location": "shed"}}
    table = _seat_keeper(scenario=GARDEN | {"characters": people}).game

    async def play_session() -> str:
        await table.take_seat("keeper")
        await table.run.say("look")
        assert PersonTurn(KEEPER) == await table.play_next()
        await table.run.say("take the loaf", KEEPER)
        table.viewer = KEEPER
        told = await table.undo()
        return told.step.directives[1].args.text  # type: ignore[union-attr]

    assert "shed" == asyncio.run(play_session())


def test_what_an_agent_thought_is_not_described_when_it_is_taken_back() -> None:
    """Without a person, undo names the last action by its spoken words, not by thoughts."""
    said = "Thought: Quick!\nOutput: *take the rusty key*"
    table = _seat_keeper(said).game

    async def play_session() -> str:
        await table.run.say("look")
        await table.play_next()
        await table.seat_agents({"player": "character"})
        return (await table.undo()).step.directives[0].args.text  # type: ignore[union-attr]

    assert "You take that back: *take the rusty key*" == asyncio.run(play_session())


def test_a_table_that_breaks_up_stops_every_agent_once() -> None:
    """Closing a table stops every agent once, also if it is closed twice."""
    company = _seat_keeper("say one")

    async def play_session() -> None:
        await company.game.run.say("look")
        await company.game.play_next()
        await company.game.stop()
        await company.game.stop()

    asyncio.run(play_session())
    assert 1 == company.players["keeper"].stopped


def test_an_agents_deed_alone_is_not_taken_back() -> None:
    """An agent's action alone is not taken back, unless no person plays."""
    table = _seat_keeper("take the rusty key").game

    async def play_session() -> list[object]:
        await table.run.say("look")
        await table.play_next()
        told: list[object] = [(await table.undo()).turn]
        await table.seat_agents({"player": "character"})
        await table.undo()
        return [*told, table.run.world.entities[Id("rusty")].place]

    assert [None, "bench"] == asyncio.run(play_session())


def test_an_agent_that_cannot_be_started_rests_and_is_reported() -> None:
    """An agent that cannot be started is reported, and the table continues."""

    def fail_start(*_: object) -> Any:
        raise RunError("RUN_NOT_FOUND", "no such agent")

    table = GameTable(open_courtyard_run(), fail_start)

    async def play_session() -> object:
        await table.seat_agents({"keeper": "character"})
        await table.run.say("look")
        with pytest.raises(RunError):
            await table.play_next()
        return await table.play_next()

    assert PersonTurn(PLAYER) == asyncio.run(play_session())
