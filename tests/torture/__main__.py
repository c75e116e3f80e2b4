"""`make torture`: break Saniwa on purpose for some minutes, and report what held."""

import argparse
import sys
import time
from collections.abc import Sequence

import msgspec

from tests.torture.ordeal import Ordeal
from tests.torture.ordeals import ORDEALS
from tests.torture.result_page import render_ordeals, render_page
from tests.torture.rounds import TrialOutcome, iterate_trials

BROKEN = 1
"""The exit code if a promise was broken."""
STOPPED = 130
"""The exit code if Ctrl-C ended it and everything tried until then held."""


def main(arguments: Sequence[str], ordeals: Sequence[Ordeal] = ORDEALS) -> int:
    """Try the ordeals in turn until the time is up or Ctrl-C; print the results so far."""
    asked = _parse_arguments(arguments, [ordeal.name for ordeal in ordeals])
    chosen = [o for o in ordeals if not asked.only or o.name in asked.only]
    if asked.list:
        print(render_ordeals(chosen))
        return 0
    found = list[TrialOutcome]()
    stopped = False
    try:
        _try(chosen, asked.seed, asked.minutes * 60, found)
    except KeyboardInterrupt:
        stopped = True
        print("stopped", file=sys.stderr)
    print(msgspec.json.encode(found).decode() if asked.json else render_page(chosen, found))
    if any(outcome.broken for outcome in found):
        return BROKEN
    return STOPPED if stopped else 0


def _try(ordeals: Sequence[Ordeal], seed: str, seconds: float, found: list[TrialOutcome]) -> None:
    """Append every outcome to `found` as it comes, and print the progress."""
    began = time.monotonic()
    print(f"seed {seed}, for {seconds:.0f} s", file=sys.stderr)

    def has_time() -> bool:
        return time.monotonic() < began + seconds

    for outcome in iterate_trials(ordeals, seed, has_time):
        found.append(outcome)
        print("!" if outcome.broken else ".", end="", file=sys.stderr, flush=True)
        if len(found) % len(ordeals) == 0:
            passed = time.monotonic() - began
            print(f" round {len(found) // len(ordeals)}, {passed:.0f} s", file=sys.stderr)  # fmt: skip
    print(file=sys.stderr)


def _parse_arguments(arguments: Sequence[str], names: list[str]) -> argparse.Namespace:
    reader = argparse.ArgumentParser(prog="tests.torture", description=__doc__)
    reader.add_argument("--list", action="store_true", help="only list the ordeals")
    reader.add_argument("--minutes", type=float, default=10, help="0 for one round")
    reader.add_argument(
        "--seed", default=str(time.time_ns()), help="repeat the trials of this seed"
    )
    reader.add_argument("--only", nargs="*", choices=names, metavar="ORDEAL")
    reader.add_argument("--json", action="store_true", help="print every trial as JSON")
    return reader.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
