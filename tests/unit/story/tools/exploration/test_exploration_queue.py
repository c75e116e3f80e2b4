"""The order in which states are explored."""

from saniwa.story.tools.exploration import ExplorationQueue


def _pop_all(frontier: ExplorationQueue) -> list[int]:
    found = []
    while (place := frontier.pop_next()) is not None:
        found.append(place)
    return found


def test_places_are_left_in_the_order_they_were_found() -> None:
    """If there is time, states are explored in the order they were found."""
    frontier = ExplorationQueue()
    for place, sight in enumerate("aabab"):
        frontier.add(place, sight)

    assert [0, 1, 2, 3, 4] == _pop_all(frontier)


def test_in_a_hurry_the_least_known_comes_first() -> None:
    """In a hurry, states of kinds not explored yet come first."""
    frontier = ExplorationQueue()
    for place, sight in enumerate("aaabb"):
        frontier.add(place, sight)
    assert 0 == frontier.pop_next()

    frontier.prefer_rare()
    frontier.add(5, "c")

    assert [3, 5, 1, 4, 2] == _pop_all(frontier)
