"""The gate's storage: runs in files, PostgreSQL or memory, evidence, and people.

Decisions are made in `saniwa.process`; this package implements its ports.
"""

from typing import Final

from saniwa.core.messages import make_describer

describe: Final = make_describer(__file__)
"""Describes a mistake or a failure, in the words of `messages.json`."""
