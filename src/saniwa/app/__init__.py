"""The application: services that connect the domain packages with files and models.

`workspace` is the composition root. Interfaces (command line, HTTP, MCP, JSON lines)
call these services; no service depends on an interface.
"""

from typing import Final

from saniwa.core.messages import make_describer

describe: Final = make_describer(__file__)
"""Describes a mistake or a failure, in the words of `messages.json`."""
