"""`make torture`: break Saniwa on purpose for some minutes, and say what held."""

import argparse
import sys
import time
from collections import Counter

import msgspec

from tests.torture.ordeal import Tally
from tests.torture.ordeals import ORDEALS
from tests.torture.rounds import Outcome, trials


def main() -> int:
    """Try the ordeals by turns until the time is up; 1 where a promise was broken."""
    asked = _asked()
    ordeals = [o for o in ORDEALS if not asked.only or o.name in asked.only]
    ending = time.monotonic() + asked.minutes * 60
    found = list[Outcome]()
    try:
        for outcome in trials(ordeals, asked.seed, lambda: time.monotonic() < ending):
            found.append(outcome)
            print("!" if outcome.broken else ".", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print(" stopped", end="", file=sys.stderr)
    print(file=sys.stderr)
    if asked.json:
        print(msgspec.json.encode(found).decode())
    else:
        print(_page(found))
    return 1 if any(outcome.broken for outcome in found) else 0


def _asked() -> argparse.Namespace:
    reader = argparse.ArgumentParser(prog="tests.torture", description=__doc__)
    reader.add_argument("--minutes", type=float, default=10, help="for how long")
    reader.add_argument(
        "--seed", default=str(time.time_ns()), help="draw the same again"
    )
    reader.add_argument("--only", nargs="*", choices=[o.name for o in ORDEALS])
    reader.add_argument("--json", action="store_true", help="every trial, for machines")
    return reader.parse_args()


def _page(found: list[Outcome]) -> str:
    """What was tried, how often, and that it held; then whatever did not."""
    tried = Counter(outcome.ordeal for outcome in found)
    broken = Counter(outcome.ordeal for outcome in found if outcome.broken)
    lines = list[str]()
    for ordeal in ORDEALS:
        if ordeal.name in tried:
            tallies = (o.tally for o in found if o.ordeal == ordeal.name)
            sum_ = sum(tallies, Tally())
            lines += [
                f"{ordeal.name}: {ordeal.tried}",
                f"  {tried[ordeal.name]} trials, {sum_.harmed} times harmed, "
                f"{sum_.acknowledged} acknowledged, {sum_.refused} refused, "
                f"{broken[ordeal.name]} broken",
                f"  {ordeal.promised}",
            ]
    for outcome in found:
        if outcome.broken:
            lines += [f"BROKEN: {outcome.ordeal}, seed {outcome.seed}", outcome.broken]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
