"""Agents: configured, model-driven actors that take turns in a run or work at a gate.

They act through an `AgentPort` and ask a model through an `SdkBridge`. They decide
nothing: rules and gates judge what they say.
"""

from typing import Final

from saniwa.core.messages import make_describer

describe: Final = make_describer(__file__)
"""Describes a mistake or a failure, in the words of `messages.json`."""
