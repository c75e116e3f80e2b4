"""`python -m experiments.gm_2x2_runner`: the 2×2 under the name it was published by.

A thin door: its options are those people know, spelt with underscores, and what it does
is `saniwa experiment run`.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import NoReturn

from saniwa.cli.main import main as saniwa

_OLLAMA = "ollama:"


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the experiment that the options describe, and leave with its exit code."""
    words = translate_arguments(args)
    if args is None:
        # As if they had been typed: the end is then the same as well.
        sys.argv[1:] = words
        saniwa()
    saniwa(words)


def translate_arguments(args: Sequence[str] | None = None) -> list[str]:
    """The arguments after `main` for the same; options without effect are reported.

    Raises:
        SystemExit: An option is wrong, or the help was asked for.
    """
    parser = _make_parser()
    said = parser.parse_args(args)
    for option, why in _WITHOUT.items():
        if getattr(said, option) is not None:
            sys.stderr.write(f"--{option} is without use here: {why}\n")
    if said.llm_model is not None and said.llm_url is None:
        said.llm_model = _name_model(said.llm_model, parser)
    return ["experiment", "run", *_list_words(said)]


_WITHOUT = {
    "gm_url": "the game master is part of this program",
    "warmup_requests": "time is measured for each answer by itself",
    "save_full_logs": "logs are always whole",
}
"""Options of earlier versions that change nothing, and why."""


def _make_parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m experiments.gm_2x2_runner",
        description="Inject x game master: conditions A, B, C and D over scenarios "
        "and seeds. The same as `saniwa experiment run`, which can do more.",
        allow_abbrev=False,
    )
    made.add_argument(
        "--scenario",
        "--scenarios",
        nargs="+",
        default=[],
        action="extend",
        metavar="ID",
        help="scenarios, by id or file",
        dest="scenarios",
    )
    made.add_argument("--experiment_id", help="its name; else the scenario's")
    made.add_argument("--profile", help="dev, gate or full")
    made.add_argument("--conditions", nargs="+", metavar="A", help="some of A B C D")
    made.add_argument("--seeds", metavar="N", help="play each so often")
    made.add_argument("--max_turns", metavar="N", help="turns of a run")
    made.add_argument("--max_tokens", metavar="N", help="tokens an answer may have")
    made.add_argument("--mode", help="sim (stand-ins, the usual) or real")
    made.add_argument("--llm_model", metavar="MODEL", help="such as gemma3:12b")
    made.add_argument("--llm_url", metavar="URL", help="an OpenAI-compatible server")
    made.add_argument("--temperature", metavar="T", help="from 0 to 2")
    made.add_argument("--output_dir", metavar="DIR", help="else results")
    made.add_argument("--jobs", metavar="N", help="cells at once")
    made.add_argument(
        "--no_report",
        "--no-report",
        action="store_true",
        help="results without a report: no extra is needed",
    )
    made.add_argument("--gm_url", help="accepted, without use")
    made.add_argument("--warmup_requests", help="accepted, without use")
    made.add_argument(
        "--save_full_logs", action="store_true", default=None, help="accepted, without use"
    )
    return made


def _list_words(said: argparse.Namespace) -> Iterator[str]:
    """What is typed for the same behind `saniwa experiment run`."""
    for scenario in said.scenarios or ["default"]:
        yield f"--scenario={scenario}"
    for condition in said.conditions or ():
        yield f"--conditions={condition}"
    yield f"--mode={said.mode or 'sim'}"
    if said.no_report:
        yield "--no-report"
    for name, option in _SAME.items():
        value = getattr(said, name)
        if value is not None:
            yield f"--{option}={value}"


_SAME = {
    "experiment_id": "experiment-id",
    "profile": "profile",
    "seeds": "seeds",
    "max_turns": "max-turns",
    "max_tokens": "longest-answer",
    "llm_model": "model",
    "llm_url": "model-url",
    "temperature": "temperature",
    "output_dir": "output",
    "jobs": "jobs",
}
"""Options that differ only in how they are spelt."""


def _name_model(named: str, parser: argparse.ArgumentParser) -> str:
    """A model as Saniwa names it: one without a provider is Ollama's own.

    `gemma3:12b` is a model and its size; `opnai:gpt-5-mini` is meant for a provider, and
    is not sent elsewhere.
    """
    from saniwa.app.model_factory import MODEL_KINDS
    from saniwa.core.suggestions import get_nearest

    kind, size, _ = named.partition(":")
    if kind in MODEL_KINDS:
        return named
    meant = get_nearest(kind, MODEL_KINDS) if size else None
    if meant is not None:
        parser.error(
            f"--llm_model {named!r}: there is no provider {kind!r}; did you mean "
            f"{meant!r}? For a model of Ollama write {_OLLAMA}{named}"
        )
    return _OLLAMA + named


if __name__ == "__main__":
    main()
