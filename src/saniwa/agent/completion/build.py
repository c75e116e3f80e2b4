"""From what a definition says about its end to the completion that finds it."""

from typing import Any, assert_never

from saniwa.agent.completion.checks import ChecksDone
from saniwa.agent.completion.composite import Several
from saniwa.agent.completion.custom import plugged
from saniwa.agent.completion.external import FactHolds
from saniwa.agent.completion.flow_end import FlowEnded
from saniwa.agent.completion.iterations import IterationsDone
from saniwa.agent.completion.kept import Resumable
from saniwa.agent.completion.keyword import KeywordSaid
from saniwa.agent.completion.signal import SignalSaid
from saniwa.agent.definition import (
    CheckBudget,
    Completion,
    Composite,
    Custom,
    ExternalState,
    IterationBudget,
    KeywordSignal,
    StepMachine,
    StructuredSignal,
)


def completion_of(completion: Completion) -> Resumable:
    """The completion a definition asks for, before its first look.

    Raises:
        DependencyResolutionError: `COMPLETION_PLUGIN_UNKNOWN`.
    """
    match completion:
        case IterationBudget():
            return IterationsDone(completion)
        case CheckBudget():
            return ChecksDone(completion)
        case KeywordSignal():
            return KeywordSaid(completion)
        case StructuredSignal():
            return SignalSaid(completion)
        case ExternalState():
            return FactHolds(completion)
        case StepMachine():
            return FlowEnded()
        case Custom():
            return plugged(completion)
        case Composite():
            return _several(completion)
        case _:
            assert_never(completion)


def _several(composite: Composite) -> Several:
    conditions = [(_kind(each), completion_of(each)) for each in composite.conditions]
    return Several(composite.mode, conditions)


def _kind(completion: Completion) -> str:
    """How a definition writes the kind: `keywordSignal`."""
    tag: Any = completion.__struct_config__.tag
    return str(tag)
