from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from saniwa.app.run_service import RunService
from saniwa.core.errors import SaniwaError
from saniwa.mcp import world_tools
from saniwa.mcp.tool import ToolReply, build_output_schema, list_tools, parse_arguments
from saniwa.mcp.world_tools import WorldTools


class WorldToolClient:
    """The world's tools, called as a client calls them."""

    def __init__(self, store: str | Path = "memory:") -> None:
        self.parts = RunService(store)
        self.tools = {each.name: each for each in list_tools(WorldTools(self.parts))}
        self.reply = ToolReply({}, "")

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The answer of a tool, checked against its schema."""
        tool = self.tools[name]
        self.reply = tool.call(parse_arguments(tool.takes, arguments))
        told: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self.reply.shape))
        jsonschema_rs.validator_for(build_output_schema(tool.gives)).validate(told)
        return told


def read_refusal(table: WorldToolClient, name: str, **arguments: Any) -> str:
    """The code of the error of a call."""
    with pytest.raises(SaniwaError) as caught:
        table.call(name, **arguments)
    return str(caught.value.code)


def test_what_can_be_played_is_listed() -> None:
    """The scenarios of the registry are listed with ids and descriptions."""
    listed = WorldToolClient().call("list_scenarios")["scenarios"]

    assert "door_and_key" in [each["scenario"] for each in listed]


def test_a_playing_begins_with_its_first_scene() -> None:
    """A run begins with the author's opening, the place, and the run's id."""
    table = WorldToolClient()

    begun = table.call("begin_run", scenario="door_and_key")

    assert 0 == begun["turn"]
    assert begun["view"]["place"]["name"] == "Front Garden"
    assert f"(world_run {begun['world_run']})" in table.reply.text


def test_words_are_played_as_a_turn_and_kept() -> None:
    """Words are played as a turn and stored, and a look shows the result."""
    table = WorldToolClient()
    table.call("begin_run", scenario="door_and_key")

    spoken = table.call("say", words="go east")

    assert (True, True, 0) == (spoken["happened"], spoken["kept"], spoken["turn"])
    seen = table.call("look")
    assert (1, "Toolshed") == (seen["turn"], seen["view"]["place"]["name"])


def test_a_refusal_has_its_reason_and_changes_nothing() -> None:
    """A refusal has the rulebook's code; its turn is stored, and the world is unchanged."""
    table = WorldToolClient()
    before = table.call("begin_run", scenario="door_and_key")["view"]

    spoken = table.call("say", words="open the iron gate")

    assert ["LOCKED"] == spoken["reason_codes"]
    assert spoken["happened"] is False
    assert "(refused: LOCKED)" in table.reply.text
    assert before["exits"] == table.call("look")["view"]["exits"]


def test_a_preview_judges_and_keeps_nothing() -> None:
    """A preview gives the verdict without a turn."""
    table = WorldToolClient()
    table.call("begin_run", scenario="door_and_key")

    foreseen = table.call("preview", words="go east")

    assert (True, False) == (foreseen["happened"], foreseen["kept"])
    assert "nothing has happened" in table.reply.text
    seen = table.call("look")
    assert (0, "Front Garden") == (seen["turn"], seen["view"]["place"]["name"])


def test_unknown_words_are_reported() -> None:
    """Rejections and questions have codes."""
    table = WorldToolClient()
    table.call("begin_run", scenario="door_and_key")

    assert ["UNRECOGNISED_WORDS"] == table.call("say", words="xyzzy")["reason_codes"]
    assert ["EMPTY_INPUT"] == table.call("say", words=" ")["reason_codes"]


def test_everything_admissible_can_be_said() -> None:
    """The words listed for an action are parsed as that action."""
    table = WorldToolClient()
    table.call("begin_run", scenario="door_and_key")

    for each in table.call("admissible")["possible"]:
        foreseen = table.call("preview", words=each["words"])

        assert [each["action"]] == foreseen["actions"], each["words"]


def test_the_goal_is_reported_when_it_is_reached() -> None:
    """A walkthrough ends with the goal reached."""
    table = WorldToolClient()
    table.call("begin_run", scenario="door_and_key")

    for line in table.parts.read_walkthrough("door_and_key"):
        spoken = table.call("say", words=line)

    assert spoken["goal_reached"] is True
    assert "(the goal is reached)" in table.reply.text


def test_a_language_and_a_character_can_be_chosen() -> None:
    """A language and a character can be chosen."""
    table = WorldToolClient()

    begun = table.call("begin_run", scenario="coffee_trap", character="あゆ")

    assert "あゆ" == begun["character"]
    assert "LANGUAGE_UNKNOWN" == read_refusal(table, "begin_run", scenario="default", language="xx")


@pytest.mark.parametrize("scenario", ["/etc/passwd.json", "../secret.yaml", "nowhere"])
def test_only_what_is_on_offer_can_be_played(scenario: str) -> None:
    """Only scenarios of the registry can be started, not files."""
    assert "REGISTRY_MISSING" == read_refusal(WorldToolClient(), "begin_run", scenario=scenario)


def test_nothing_is_played_before_it_begins() -> None:
    """A tool before the first run is refused with WORLD_NOT_LOADED."""
    assert "WORLD_NOT_LOADED" == read_refusal(WorldToolClient(), "look")


def test_a_playing_continues_at_another_server(tmp_path: Path) -> None:
    """Another server continues a run by its id or a part of it."""
    store = tmp_path / "runs.sqlite"
    first, second = WorldToolClient(store), WorldToolClient(store)
    run_id = first.call("begin_run", scenario="door_and_key")["world_run"]
    first.call("say", words="go east")

    seen = second.call("look", world_run=run_id[-8:])

    assert (run_id, "Toolshed") == (seen["world_run"], seen["view"]["place"]["name"])
    assert "RUN_NOT_FOUND" == read_refusal(second, "look", world_run="run-none")
    first.parts.close()
    second.parts.close()


def test_the_last_playing_asked_about_is_meant() -> None:
    """Without an id, the run used last is meant."""
    table = WorldToolClient()
    first = table.call("begin_run", scenario="door_and_key")["world_run"]
    second = table.call("begin_run", scenario="default")["world_run"]

    assert second == table.call("look")["world_run"]
    assert first == table.call("look", world_run=first)["world_run"]
    assert first == table.call("look")["world_run"]


def test_playings_that_were_let_go_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that were closed to save memory are read again."""
    monkeypatch.setattr(world_tools, "MOST_OPEN", 2)
    table = WorldToolClient()
    ids = [table.call("begin_run", scenario="door_and_key")["world_run"] for _ in range(4)]
    table.call("say", words="go east", world_run=ids[0])

    seen = [table.call("look", world_run=each)["turn"] for each in (*ids, *ids)]

    assert [1, 0, 0, 0] * 2 == seen
