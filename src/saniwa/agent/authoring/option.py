"""The options of an agent's parameters on the command line, and those that are taken."""

from saniwa.agent.definition import Parameter

RUN_OPTIONS = frozenset(
    {
        "--dir",
        "--help",
        "--input",
        "--json",
        "--max-calls",
        "--max-cost",
        "--max-iterations",
        "--max-tokens",
        "--model",
        "--model-url",
        "--process",
        "--quiet",
        "--record",
        "--replay",
        "--resume",
        "--run",
        "--wait",
    }
)
"""What `saniwa agent run` reads as its own, whatever an agent's parameters are called."""


def option_of(name: str, parameter: Parameter) -> str:
    """How a parameter is said on the command line."""
    return parameter.cli or "--" + name.replace("_", "-")
