from saniwa.agent.mind.mind import (
    MOST_CHANGES,
    MOST_FIRSTS,
    MOST_TALLIES,
    MemoryDigest,
    MindMemory,
    fold_memories,
)
from saniwa.world.model import Id


def _make_memory(number: int) -> MindMemory:
    return MindMemory(
        at=number,
        text=f"deed {number}",
        place=Id(f"place {number % 40}"),
        by=Id(f"who {number % 50}"),
        changed=number % 2 == 0,
    )


def test_a_digest_keeps_the_first_and_the_latest_changes() -> None:
    """A digest keeps the first memories, and the latest changes."""
    digest = fold_memories(MemoryDigest(), map(_make_memory, range(100)))

    assert [f"deed {n}" for n in range(MOST_FIRSTS)] == [m.text for m in digest.firsts]
    assert "deed 98" == digest.changes[-1].text
    assert all(memory.changed for memory in digest.changes)


def test_a_digest_counts_everything_and_never_grows() -> None:
    """A digest of ten thousand memories counts all, and has a limited size."""
    digest = fold_memories(MemoryDigest(), map(_make_memory, range(10_000)))

    assert (10_000, 0, 9_999) == (digest.count, digest.first, digest.last)
    assert (MOST_FIRSTS, MOST_CHANGES) == (len(digest.firsts), len(digest.changes))
    assert (MOST_TALLIES, MOST_TALLIES) == (len(digest.people), len(digest.places))
    assert 200 == digest.people[0].count


def test_folding_one_by_one_or_all_at_once_is_the_same() -> None:
    """A digest is the same whether memories are folded one by one or at once."""
    whole = fold_memories(MemoryDigest(), map(_make_memory, range(200)))
    parts = MemoryDigest()
    for number in range(200):
        parts = fold_memories(parts, [_make_memory(number)])

    assert whole == parts


def test_missing_actors_and_places_are_not_counted() -> None:
    """Memories without a person or a place are not counted for one."""
    digest = fold_memories(MemoryDigest(), [MindMemory(at=3, text="Squeak", said=True)])

    assert ((), ()) == (digest.people, digest.places)
