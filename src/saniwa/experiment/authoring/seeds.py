"""The seeds of a plan: a count, or the numbers themselves."""

from saniwa.core.paper.held import Held
from saniwa.core.paper.kinds import is_whole
from saniwa.core.quoted import quoted
from saniwa.experiment.authoring.form import LARGEST_SEED, MOST_SEEDS


def seeds_of(held: Held) -> tuple[int, ...]:
    """Seeds from 0 for a count, or those listed, in their order; findings for the rest."""
    value = held.value
    if is_whole(value) and 1 <= value <= MOST_SEEDS:
        return tuple(range(value))
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_SEEDS:
        message = f"'seeds' must be a count from 1 to {MOST_SEEDS}, or a list of seeds"
        held.error("WRONG_TYPE", f"{message}, not {quoted(value)}")
        return ()
    found = dict[int, None]()
    for nth, seed in enumerate(value):
        item = held.inner(nth, seed)
        if not is_whole(seed) or not 0 <= seed <= LARGEST_SEED:
            wanted = f"a whole number from 0 to {LARGEST_SEED}"
            item.error("WRONG_TYPE", f"a seed must be {wanted}, not {quoted(seed)}")
        elif seed in found:
            message = f"the seed {seed} stands here a second time"
            item.error("DUPLICATE_KEY", message, hint="keep one of the two")
        else:
            found[seed] = None
    return tuple(found)
