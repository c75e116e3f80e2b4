"""What can be come to along ways that lead from one name to others."""

from collections.abc import Iterable, Mapping


def reached(starts: Iterable[str], ways: Mapping[str, Iterable[str]]) -> set[str]:
    """Every name some start leads to, the starts included. Costs the number of ways."""
    waiting = list(starts)
    found = set(waiting)
    while waiting:
        for after in ways.get(waiting.pop(), ()):
            if after not in found:
                found.add(after)
                waiting.append(after)
    return found
