from pathlib import Path

import pytest

from saniwa.app.agent_lookup import find_agent, list_agents, locate_shipped_agents, open_agent
from saniwa.core.errors import ConfigurationNotFoundError, ConfigurationParseError
from tests.fakes.agent_folder import AGENT, change_document, write_agent


@pytest.fixture(autouse=True)
def _enter_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_path_is_the_folder_it_names() -> None:
    """A path may be the agent's folder or the file in it."""
    write_agent(Path("here"))

    assert [Path("here")] * 3 == [
        find_agent(named) for named in ("here", "./here", "here/agent.json")
    ]


def test_a_name_is_the_projects_before_a_shipped_one() -> None:
    """An agent of the project replaces a shipped one of the same name."""
    assert locate_shipped_agents() / "character" == find_agent("character")

    write_agent(Path(".agent/character"), agent=change_document(AGENT, name="character"))

    assert Path(".agent/character") == find_agent("character")
    assert "Guide" == open_agent("character").display_name


@pytest.mark.parametrize("named", ["charakter", "", "..", "Not A Name"])
def test_an_unknown_name_is_not_found(named: str) -> None:
    """An unknown name is refused with the nearest one, or with all."""
    with pytest.raises(ConfigurationNotFoundError, match="character") as caught:
        open_agent(named)

    assert caught.value.message.startswith("Agent definition not found: ")


def test_a_broken_agent_is_an_error() -> None:
    """An invalid agent is refused when it is opened."""
    write_agent(Path("here"), agent="{")
    with pytest.raises(ConfigurationParseError):
        open_agent("here")


def test_the_agents_are_listed_in_order() -> None:
    """The project's and the shipped agents are listed once each, sorted by name."""
    write_agent(Path(".agent/zebra"))
    write_agent(Path(".agent/character"))
    Path(".agent/empty").mkdir()
    known = list_agents()

    assert sorted(each.name for each in known) == [each.name for each in known]
    assert {"zebra": "project", "character": "project"} == {
        each.name: each.origin for each in known if each.name in ("zebra", "character", "empty")
    }


def test_what_we_ship_is_without_a_finding() -> None:
    """Every shipped agent has no findings."""
    from saniwa.agent.files.agent_folder import read_agent

    shipped = [each for each in list_agents() if each.origin == "shipped"]

    assert "character" in {each.name for each in shipped}
    for each in shipped:
        assert () == read_agent(each.folder)[1].findings, each.name
