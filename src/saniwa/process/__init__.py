"""The gate: the states a run passes through, and the evidence each transition needs.

This package makes the decisions and defines the records. Storing records and reading
files is left to the implementations of `ports`.
"""

from typing import Final

from saniwa.core.messages import make_describer

describe: Final = make_describer(__file__)
"""Describes a mistake or a refusal, in the words of `messages.json`."""
