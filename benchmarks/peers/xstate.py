"""XState, from npm."""

import json
from typing import Any

from benchmarks.peers import npm

NAME, VERSION = "xstate", "5.33.3"


def ask(steps: int) -> dict[str, Any]:
    """What an event costs it.

    Raises:
        PeerError: It cannot be had on this machine.
    """
    variables = {"XSTATE_HOME": str(npm.install_package(NAME, VERSION))}
    said = npm.run_command(npm.build_command("xstate_walk.mjs", str(steps)), variables)
    report: dict[str, Any] = json.loads(said)
    return report
