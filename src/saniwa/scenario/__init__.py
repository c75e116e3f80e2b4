"""Scenarios: authored starting positions, found by id, checked, built into worlds.

An id the registry does not name is an error before anything runs, never a silent
default.
"""

from typing import Final

from saniwa.core.messages import make_describer

describe: Final = make_describer(__file__)
"""Describes a mistake, in the words of `messages.json`."""
