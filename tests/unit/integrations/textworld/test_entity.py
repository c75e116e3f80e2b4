from typing import Any

from saniwa.documents.document import make_document
from saniwa.documents.finding_collector import Findings
from saniwa.integrations.textworld.entities import GameEntity, read_entities
from saniwa.integrations.textworld.game_format import PropositionReader


def _read_entities(
    *told: dict[str, Any],
) -> tuple[dict[str, GameEntity], Findings, PropositionReader]:
    infos = [[each["id"], each] for each in told]
    page = Findings(make_document({"infos": infos}))
    known = PropositionReader(page)
    return read_entities(page, known, infos, ("infos",)), page, known


def test_an_entity_has_all_the_game_says() -> None:
    """An entity has the game's name, aliases, and the unconditional part of its description."""
    found, page, _ = _read_entities(
        {
            "id": "c_0",
            "type": "c",
            "name": "old chest",
            "noun": "chest",
            "synonyms": ["trunk"],
            "desc": "It is heavy. It is [if open]open[else]shut[end if].",
        }
    )

    assert GameEntity(
        id="c_0",
        type="c",
        name="old chest",
        aliases=("trunk", "chest"),
        description="It is heavy.",
        path=("infos", 0),
    ) == found["c_0"]  # fmt: skip
    assert ["note"] == [each.severity for each in page.build_report().findings]


def test_a_bare_noun_that_something_bears_is_no_alias() -> None:
    """A bare noun that is another entity's name is not an alias."""
    found, _, _ = _read_entities(
        {"id": "c_0", "type": "c", "name": "old chest", "noun": "chest"},
        {"id": "c_1", "type": "c", "name": "Chest", "noun": "chest"},
    )

    assert [(), ()] == [each.aliases for each in found.values()]


def test_the_player_needs_no_name_and_an_item_does() -> None:
    """A thing without a name is named by its id, with a warning; the player is not."""
    found, page, _ = _read_entities({"id": "P", "type": "P"}, {"id": "o_0", "type": "o"})

    assert ["P", "o_0"] == [each.name for each in found.values()]
    assert ["infos[1][1].name"] == [each.where.path for each in page.build_report().warnings]


def test_an_unknown_type_is_strange() -> None:
    """An entity of an unknown type is left out, with an error."""
    found, page, known = _read_entities({"id": "x_0", "type": "x", "name": "thing"})
    assert ({}, True) == (found, page.passed)

    known.report_unknown()
    assert "an entity of type x" in page.build_report().errors[0].message
