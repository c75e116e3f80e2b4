from pathlib import Path

import pytest

from saniwa.app.experiments.plan_preparation import SHIPPED_EDITIONS, read_editions
from saniwa.app.experiments.plan_problems import PlanProblems
from saniwa.core.errors import SaniwaError
from saniwa.experiment.plan_reader import read_plan

_GOOD = "You are {name}.\n---\n{facts}\n{guidance}\nTurn {turn}.\n"


@pytest.fixture(autouse=True)
def _enter_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _load_editions(prompts: object, prompt: str = "mine") -> dict[str, dict[str, str]]:
    options = {"scenarios": ["default"], "prompt": prompt, "prompts": prompts}
    read = read_plan(None, options)
    assert read.authored is not None, read.report
    problems = PlanProblems()
    found = read_editions(read.authored, problems)
    problems.check()
    return found


def _read_error_code(text: str) -> str:
    Path("mine.txt").write_text(text)
    with pytest.raises(SaniwaError) as caught:
        _load_editions({"mine": "mine.txt"})
    return str(caught.value)


def test_only_what_conditions_use_is_held() -> None:
    """Only editions that conditions use are stored."""
    assert {"plain", "strict"} == {*SHIPPED_EDITIONS}
    assert {"strict"} == _load_editions({}, "strict").keys()


def test_an_authors_own_edition_is_read() -> None:
    """An author's edition is read once for both languages, with normalised line endings."""
    Path("mine.txt").write_bytes(_GOOD.replace("\n", "\r\n").encode())

    assert {"mine": {"en": _GOOD, "ja": _GOOD}} == _load_editions({"mine": "mine.txt"})


def test_a_name_in_braces_that_nothing_fills_is_reported_with_its_place() -> None:
    """A misspelt placeholder in an edition is reported at its place."""
    told = _read_error_code(_GOOD.replace("{turn}", "{trun}"))

    assert "[VARIABLE_UNDEFINED] nothing fills '{trun}'" in told
    assert "mine.txt:5:6" in told
    assert "did you mean 'turn'?" in told


def test_an_edition_has_two_parts() -> None:
    """An edition without its separator line is refused."""
    assert "[PROMPT_PARSE]" in _read_error_code(_GOOD.replace("---", "--"))


@pytest.mark.parametrize(("place", "switch"), [("facts", "inject"), ("guidance", "gm")])
def test_a_factor_has_a_place_in_the_edition(place: str, switch: str) -> None:
    """An edition without the placeholder of a factor is refused."""
    told = _read_error_code(_GOOD.replace("{" + place + "}", ""))

    assert f"[FIELD_MISSING] '{switch}' would have no effect" in told


def test_a_file_that_cannot_be_read_is_reported() -> None:
    """A missing file, a folder and a file that is not text are refused."""
    Path("bytes.txt").write_bytes(b"\xff\xfe")
    Path("folder").mkdir()

    for name in ("none.txt", "folder", "bytes.txt"):
        with pytest.raises(SaniwaError, match="cannot be read") as caught:
            _load_editions({"mine": name})
        assert "FILE_MISSING" == caught.value.code
