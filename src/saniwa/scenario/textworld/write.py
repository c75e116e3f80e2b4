"""An imported game on disk: a scenario, and a walkthrough beside it."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from saniwa.core.document import FORMATS, read_text
from saniwa.core.errors import ScenarioError
from saniwa.core.where import Where
from saniwa.scenario.code import Code
from saniwa.scenario.new_file import create


class Written(NamedTuple):
    """The files of an imported game."""

    scenario: str
    """The scenario."""
    walkthrough: str
    """The lines that win it; empty where the game gives none."""


def write_scenario(
    file: str, scenario: dict[str, Any], walkthrough: tuple[str, ...]
) -> Written:
    """Write the scenario, and its lines into `walkthroughs/ID.txt` beside it.

    Both are there in the end or neither is, and nothing is ever written over.

    Raises:
        ScenarioError: `SCENARIO_EXISTS` or `SCENARIO_UNWRITABLE`.
    """
    path = Path(file)
    if path.suffix.lower() not in FORMATS:
        raise ScenarioError(
            Code.SCENARIO_UNWRITABLE,
            f"{file!r} is neither JSON nor YAML",
            hint="name it .json, .yaml or .yml",
        )
    lines = path.parent / "walkthroughs" / f"{scenario['name']}.txt"
    texts = [(path, _text(path, scenario))]
    if walkthrough:
        texts.append((lines, "".join(f"{line}\n" for line in walkthrough)))
    _create_all(texts)
    return Written(file, str(lines) if walkthrough else "")


def _create_all(texts: list[tuple[Path, str]]) -> None:
    made: list[Path] = []
    try:
        for path, text in texts:
            path.parent.mkdir(parents=True, exist_ok=True)
            create(path, text.encode())
            made.append(path)
    except OSError as problem:
        for one in made:
            one.unlink()
        raise _no(path, problem) from problem


def _no(path: Path, problem: OSError) -> ScenarioError:
    where = Where(file=str(path))
    if isinstance(problem, FileExistsError):
        return ScenarioError(
            Code.SCENARIO_EXISTS,
            f"the file {path.name!r} exists already",
            where=where,
            hint="choose another name; nothing is ever written over",
        )
    message = f"cannot write {path.name!r}: {problem.strerror}"
    return ScenarioError(Code.SCENARIO_UNWRITABLE, message, where=where)


def _text(path: Path, scenario: dict[str, Any]) -> str:
    plain = json.dumps(scenario, ensure_ascii=False, indent=2) + "\n"
    if FORMATS[path.suffix.lower()] == "json":
        return plain
    # The library takes longer to load than most commands take to run.
    import yaml

    text: str = yaml.safe_dump(scenario, allow_unicode=True, sort_keys=False, width=88)
    # The library writes an older YAML than we read; JSON is YAML in both.
    return text if read_text(text, path.name).plain == scenario else plain
