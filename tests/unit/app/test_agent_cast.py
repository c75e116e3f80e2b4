import asyncio
from pathlib import Path

import pytest

from saniwa.agent.definition import ActionSettings
from saniwa.app.agent_cast import Cast, check_can_play
from saniwa.app.agent_journals import make_journal_opener, sum_run_usage
from saniwa.app.agent_lookup import open_agent
from saniwa.app.model_factory import SharedModels
from saniwa.app.scenario_lookup import list_authored_agents
from saniwa.core.errors import ConfigurationError, RunError
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.oracle import Usage
from saniwa.world.model import Id
from tests.fakes.agents import make_definition
from tests.fakes.runs import open_courtyard_run
from tests.fakes.scripted_cast import THREE, make_cast, play_on, reply_to


def test_the_agents_a_scenario_names_are_found() -> None:
    """Only characters with an agent's name have one."""
    document = {
        "characters": {
            "a": {"agent": "character"},
            "b": {},
            "c": {"agent": {"name": "x"}},
            "d": None,
        }
    }

    assert {"a": "character"} == list_authored_agents(document)
    assert {} == list_authored_agents({"characters": None})
    assert {} == list_authored_agents({})


def test_journals_are_next_to_the_store_under_names_that_fit_any_file_system(
    tmp_path: Path,
) -> None:
    """Journals are next to the store, and their names fit any file system."""
    journals = make_journal_opener(tmp_path / "runs.sqlite", "run-1")
    for who in ("庭師", "../../etc/passwd", "a" * 500):
        journal = journals(Id(who), "character")
        journal.append({"event": "x"})
        journal.close()
    found = [path.relative_to(tmp_path) for path in tmp_path.rglob("*.jsonl")]

    assert {"agents"} == {path.parts[0] for path in found}
    assert [3, {3}] == [len(found), {len(path.parts) for path in found}]


def test_what_agents_have_cost_is_read_from_their_journals(tmp_path: Path) -> None:
    """The usage of a run's agents is read from their journals."""
    store = tmp_path / "runs.sqlite"
    run = open_courtyard_run(scenario=THREE, actor="player")
    assert Usage() == sum_run_usage(store, run.id)

    company = make_cast(run, journals=make_journal_opener(store, run.id))
    asyncio.run(play_on(company))

    assert company.usage == sum_run_usage(store, run.id)
    assert Usage() == sum_run_usage("memory:", run.id)


def test_every_seat_is_looked_at_before_anyone_plays() -> None:
    """An unknown agent and a missing model are refused before play."""
    run = open_courtyard_run(scenario=THREE, actor="player")
    company = Cast(run, SharedModels(lambda *_: CannedOracle(reply_to)), open_agent)
    company.check_agents()
    for name in ("nemo", "character"):
        asyncio.run(company.game.seat_agents({"keeper": name}))
        with pytest.raises(ConfigurationError):
            company.check_agents()


def test_an_agent_without_speech_gets_no_seat() -> None:
    """A worker cannot play; an agent that speaks through actions can."""
    run = open_courtyard_run(scenario=THREE, actor="player")
    models = SharedModels(lambda *_: CannedOracle(reply_to), use="canned:here")
    company = Cast(run, models, open_agent)
    for seats in ({"keeper": "worker"}, {"keeper": "character", "cook": "worker"}):
        with pytest.raises(RunError, match="'worker' cannot play") as problem:
            company.check_agents(seats)
        assert "SEATING_UNFIT" == problem.value.code
    speaks = ActionSettings(enabled=True, types=("speak", "submit"))
    by_actions = make_definition(actions=speaks)

    assert by_actions is check_can_play(by_actions)
    for silent in (
        ActionSettings(types=("speak",)),
        ActionSettings(enabled=True, types=("submit",)),
    ):
        with pytest.raises(RunError):
            check_can_play(make_definition(actions=silent))


def test_what_an_agent_is_saying_can_be_heard_before_it_is_weighed() -> None:
    """The pieces of an answer are passed on with the speaker before it is judged."""
    run = open_courtyard_run(scenario=THREE, actor="player")
    heard = list[tuple[str, str]]()
    company = Cast(
        run,
        SharedModels(lambda *_: CannedOracle(["say Good evening to all of you"]), use="a:b"),
        open_agent,
        overhear=lambda who, piece: heard.append((who, piece)),
    )

    async def play_session() -> None:
        await company.game.seat_agents({"keeper": "character"})
        await run.say("look")
        await company.game.play_next()
        await company.close()

    asyncio.run(play_session())
    assert {"keeper"} == {who for who, _ in heard}
    assert "say Good evening to all of you" == "".join(piece for _, piece in heard)
