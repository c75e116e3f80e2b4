"""A journal's entries in words: one line for each thing that matters to people."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from saniwa.core.quoted import cut, printable

Kind = Literal["step", "yes", "no"]
Paint = Callable[[str, Kind], str]
"""Gives a piece of a line its colour."""
LONGEST = 300
"""Letters of one text in a line."""


def lines_of(
    entry: Mapping[str, Any], paint: Paint = lambda text, _: text
) -> list[str]:
    """The lines for an entry, fit to be shown; none for what only machines want to know."""
    match entry["event"]:
        case "iterationStart":
            return [paint(_one_line(f"{entry['iteration']} {entry['step']}"), "step")]
        case "actionExecuted":
            return [_result(result, paint) for result in entry["results"]]
        case "stepChecked":
            word = "passed" if entry["passed"] else "failed"
            return [f"  check {word}: {_one_line(entry['reason'])}"]
        case "waiting":
            return [f"  waiting: {_one_line(entry['reason'])}"]
        case "escalated":
            told = f"{entry['step']} → {entry['to']} ({entry['how']})"
            return [f"  escalated: {_one_line(told)}: {_one_line(entry['reason'])}"]
        case "warning":
            return [f"  warning: {_one_line(entry['message'])}"]
        case "completed":
            return [f"  done: {_one_line(entry['reason'])}"]
        case "error":
            problem = entry["error"]
            return [
                f"  error: [{_one_line(problem['code'])}] {_one_line(problem['message'])}"
            ]
    return []


def _result(result: Mapping[str, Any], paint: Paint) -> str:
    if result["success"]:
        word = paint("done", "yes")
    else:
        word = paint(_one_line(f"refused ({result.get('code', '')})"), "no")
    said = _one_line(result.get("message", ""))
    return f"  {_one_line(result['type'])}: {word}" + (f": {said}" if said else "")


def _one_line(text: str) -> str:
    return cut(printable(" ".join(text.split())), LONGEST)
