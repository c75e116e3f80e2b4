"""`python -m tests.torture.impatient_command SECONDS WORDS`: `saniwa WORDS` with short timeouts.

The bounds are the real ones; only their seconds are fewer, so that a trial is short. A
model that makes it use more memory than the limit ends it, which is reported.
"""

import resource
import sys

from saniwa.cli.main import main
from saniwa.models import provider_conversion, providers

MEMORY = 500 << 20
"""Bytes of address space, libraries included."""

if __name__ == "__main__":
    seconds = int(sys.argv.pop(1))
    setattr(providers, "READ_SECONDS", 1)  # noqa: B010 - a Final, set only here
    setattr(provider_conversion, "TOTAL_SECONDS", seconds)  # noqa: B010 - the same
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.exit(main())
