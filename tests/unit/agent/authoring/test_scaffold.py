from pathlib import Path

import pytest

from saniwa.agent.files.agent_folder import read_agent, write_agent
from saniwa.core.errors import ConfigurationError
from saniwa.models.canned_answers import load_canned_file


def test_what_is_started_from_has_no_finding(tmp_path: Path) -> None:
    """A new agent has no findings, has the given name, and its answers can be read."""
    write_agent("tour-guide", tmp_path / "tour-guide")
    definition, report = read_agent(tmp_path / "tour-guide")

    assert () == report.findings
    assert definition is not None
    assert "tour-guide" == definition.name
    answers = definition.asking.use.removeprefix("canned:")
    assert load_canned_file(tmp_path / "tour-guide" / answers) is not None


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """An existing folder is refused and left unchanged."""
    (tmp_path / "guide").mkdir()
    with pytest.raises(ConfigurationError) as caught:
        write_agent("guide", tmp_path / "guide")

    assert "AGENT_EXISTS" == caught.value.code
    assert [] == list((tmp_path / "guide").iterdir())


@pytest.mark.parametrize("name", ["My Agent", "../x", "", "-x", "x" * 101])
def test_a_name_that_is_invalid_is_refused(tmp_path: Path, name: str) -> None:
    """An unusable name is refused, and nothing is written."""
    with pytest.raises(ConfigurationError) as caught:
        write_agent(name, tmp_path / "x")

    assert "NAME_UNUSABLE" == caught.value.code
    assert [] == list(tmp_path.iterdir())
