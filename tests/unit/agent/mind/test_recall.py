import msgspec
import pytest

from saniwa.agent.mind.character_view import HALF_LIFE, recall_memories
from saniwa.agent.mind.mind import Mind, MindMemory
from saniwa.agent.mind.text_similarities import FULL_SCORE
from saniwa.world.model import Id

HERE, THERE = Id("here"), Id("there")


def _make_mind(*memories: MindMemory, turn: int = 20) -> Mind:
    return Mind(who=Id("sally"), turn=turn, memories=memories)


def test_what_it_is_about_comes_before_what_is_recent() -> None:
    """An old relevant memory ranks above a new one that is hardly relevant."""
    old = MindMemory(at=0, text="Anne hides the silver crown in the well.", place=THERE)
    new = MindMemory(at=20, text="Anne looks at the well.", place=THERE)
    found = recall_memories(_make_mind(old, new), "the silver crown and the well", None, 2)

    assert [old, new] == [each.memory for each in found]


def test_what_has_nothing_to_do_with_it_does_not_come_to_mind() -> None:
    """Common words do not make a memory relevant."""
    memory = MindMemory(at=20, text="You are in the yard.", place=HERE)

    assert () == recall_memories(_make_mind(memory), "the silver crown and you", HERE, 5)


def test_place_and_recency_decide_among_what_fits_alike() -> None:
    """Of equally relevant memories those from this place come first, then the later ones."""
    text = "Anne takes the key."
    far = MindMemory(at=10, text=text, place=THERE)
    near = MindMemory(at=10, text=text, place=HERE)
    late = MindMemory(at=12, text=text, place=THERE)
    found = recall_memories(_make_mind(far, near, late), "key", HERE, 3)

    assert [near, late, far] == [each.memory for each in found]


def test_equal_memories_are_ordered_latest_first() -> None:
    """Ties are broken by time, the later first."""
    first = MindMemory(at=5, text="A bell rings.", by=Id("a"))
    second = MindMemory(at=5, text="A bell rings.", by=Id("b"))

    assert [second, first] == [
        each.memory for each in recall_memories(_make_mind(first, second), "bell", None, 2)
    ]


def test_the_points_are_as_documented() -> None:
    """Recency halves in its half-life, place is all or nothing, and meaning counts twice."""
    memory = MindMemory(at=20 - HALF_LIFE, text="bell", place=HERE)
    (found,) = recall_memories(_make_mind(memory), "bell", HERE, 1)

    assert (FULL_SCORE // 2, FULL_SCORE, FULL_SCORE) == (found.recency, found.place, found.meaning)
    assert found.recency + found.place + 2 * found.meaning == found.score


def test_without_a_query_the_latest_come_to_mind() -> None:
    """Without a query, recency and place alone decide."""
    memories = tuple(MindMemory(at=n, text=f"deed {n}") for n in range(5))
    found = recall_memories(_make_mind(*memories), "", None, 2)

    assert ["deed 4", "deed 3"] == [each.memory.text for each in found]


def test_what_is_at_hand_can_be_left_out() -> None:
    """The latest memories can be excluded."""
    memories = tuple(MindMemory(at=n, text=f"bell {n}") for n in range(5))
    mind = _make_mind(*memories)

    assert ["bell 1", "bell 0"] == [
        each.memory.text for each in recall_memories(mind, "bell", None, 9, older_than=3)
    ]
    assert () == recall_memories(mind, "bell", None, 9, older_than=9)


@pytest.mark.parametrize("k", [0, -1])
def test_nothing_is_recalled_where_nothing_is_wanted(k: int) -> None:
    """A limit of zero or less gives no memories."""
    assert () == recall_memories(_make_mind(MindMemory(at=0, text="bell")), "bell", None, k)


def test_recalling_changes_nothing() -> None:
    """Recalling does not change the mind."""
    mind = _make_mind(MindMemory(at=0, text="bell"))
    before = msgspec.structs.asdict(mind)
    recall_memories(mind, "bell", None, 1)

    assert before == msgspec.structs.asdict(mind)
