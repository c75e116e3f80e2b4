"""Options of `experiment run` that say what a plan says, as a plan says it."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from saniwa.cli.options import packed

F = TypeVar("F", bound=Callable[..., Any])

SEVERAL: Final = ("--scenario", "--conditions", "--seeds")
"""Options that take several words."""
_KEYS: Final = {
    "experiment_id": "experiment_id",
    "profile": "profile",
    "scenario": "scenarios",
    "conditions": "conditions",
    "seeds": "seeds",
    "max_turns": "max_turns",
    "longest_answer": "max_tokens",
    "mode": "mode",
    "model": "model",
    "model_url": "llm_url",
    "temperature": "temperature",
    "rulebook": "rulebook",
    "prompt": "prompt",
    "language": "language",
}
"""The key of a plan that an option says."""
_OPTIONS: Final = (
    click.option(
        "--scenario",
        multiple=True,
        metavar="ID…",
        help="Play these: ids, files, or tag:NAME.",
    ),
    click.option("--experiment-id", metavar="NAME", help="What it is called."),
    click.option(
        "--profile",
        metavar="NAME",
        help="dev (D, 1 seed), gate (B and D, 5 seeds) or full (A-D, 20 seeds).",
    ),
    click.option(
        "--conditions",
        multiple=True,
        metavar="A B…",
        help="A tells nothing, B injects what is true, C has a game master, D both.",
    ),
    click.option(
        "--seeds",
        type=int,
        multiple=True,
        metavar="N…",
        help="Play each of it so often; of several numbers, with each as seed.",
    ),
    click.option("--max-turns", type=int, metavar="N", help="Turns of a run."),
    click.option(
        "--longest-answer", type=int, metavar="N", help="Tokens an answer may have."
    ),
    click.option(
        "--mode",
        metavar="sim|real",
        help="Who plays: stand-ins, or models (real where one is named).",
    ),
    click.option(
        "--model",
        metavar="SPEC",
        help="Ask this model: openai:NAME, ollama:NAME, local:smollm2, canned:FILE.",
    ),
    click.option(
        "--model-url", metavar="URL", help="Ask this OpenAI-compatible server."
    ),
    click.option(
        "--temperature", type=float, metavar="T", help="How freely models choose words."
    ),
    click.option("--rulebook", metavar="NAME|FILE", help="Judge by this book."),
    click.option("--prompt", metavar="NAME", help="Tell it in this edition."),
    click.option("--language", metavar="LANG", help="Tell it in this language."),
)


def plan_options(command: F) -> F:
    """What a plan would say; it comes to the command as `said`, by the plan's keys."""
    return packed(command, _OPTIONS, _KEYS, _said)


def _said(given: dict[str, Any]) -> dict[str, Any]:
    told = {name: value for name, value in given.items() if _is(value)}
    return {"said": {_KEYS[name]: _plain(name, told[name]) for name in told}}


def _is(value: Any) -> bool:
    return value is not None and value != ()


def _plain(name: str, value: Any) -> Any:
    if name == "seeds" and len(value) == 1:
        return value[0]  # a count
    return list(value) if isinstance(value, tuple) else value
