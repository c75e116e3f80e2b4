"""What `--where` asks for, and the turns that were found as people read them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted

if TYPE_CHECKING:
    from saniwa.experiment.outcome import Outcome, Passage
    from saniwa.experiment.plan import Plan
    from saniwa.experiment.sought import Wanted

_MOST: Final = 12


def wanted(words: Sequence[str]) -> "Wanted":
    """What `--where NAME=VALUE` asks for.

    Raises:
        click.UsageError: It is no such question.
    """
    if not words:
        return ()
    from saniwa.experiment.sought import NAMES

    asked = []
    for word in words:
        name, parted, value = word.partition("=")
        if not parted or name not in NAMES:
            hint = did_you_mean(name, NAMES) or f"one of {', '.join(NAMES)}"
            raise click.UsageError(f"--where {quoted(word)}: say NAME=VALUE; {hint}")
        asked.append((name, value))
    return tuple(asked)


def check_values(asked: "Wanted", plan: "Plan") -> None:
    """See that what is asked for can be at all, where everything there can be is known.

    Raises:
        click.UsageError: It cannot.
    """
    from saniwa.experiment.sought import values_of

    for name, value in asked:
        known = values_of(name, plan)
        if known and value.casefold() not in (each.casefold() for each in known):
            hint = did_you_mean(value, known) or f"one of {', '.join(known[:_MOST])}"
            told = f"no turn can have the {name} {quoted(value)}"
            raise click.UsageError(f"--where: {told}; {hint}")


def row_of(outcome: "Outcome", passage: "Passage") -> dict[str, Any]:
    """A turn that was found, for machines."""
    refused = next((each.refused for each in passage.attempts if each.refused), ())
    return {
        "cell": outcome.key,
        "turn": passage.number,
        "speaker": passage.speaker_name,
        "said": passage.first.raw_output,
        "refused": [f"{each.deny_code}: {each.short}" for each in refused],
        "attempts": len(passage.attempts),
        "given_up": passage.give_up,
    }


def line_of(row: dict[str, Any]) -> str:
    """The same for people."""
    head = f"{row['cell']}  {row['turn'] + 1:>3}  {row['speaker']}"
    return f"{head}  {', '.join(row['refused']) or 'nothing was refused'}"
