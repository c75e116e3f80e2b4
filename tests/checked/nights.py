"""Whether there is a whole night for it: more callers, longer scripts."""

import os
from typing import Final

NIGHTLY: Final = bool(os.environ.get("SANIWA_NIGHTLY"))
"""Set by `make nightly`."""
