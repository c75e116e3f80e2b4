import pytest

from saniwa.agent.mind.perception import perceive
from saniwa.rulebook.loader import load_shipped_book, read_rulebook
from saniwa.turn.play import play_turn
from saniwa.turn.record import SpokenWords
from saniwa.world.model import Entity, Id
from tests.fakes.playroom_world import ANNE, SALLY, follow, make_playroom

MARBLE = Id("marble")
_AWAY = {
    "en": [("sally", "go out"), ("anne", "go out")],
    "ja": [("sally", "庭へ行く"), ("anne", "庭へ行く")],
}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", 'say "The glass marble is in the wooden box."'),
        ("ja", "「ビー玉は木箱の中にある」と言う"),
    ],
)
def test_hearsay_is_believed_and_marked_as_hearsay(language: str, words: str) -> None:
    """A plain statement changes the belief, with its speaker and the place last seen."""
    mind, _ = follow(make_playroom(language), SALLY, *_AWAY[language], ("anne", words))
    marble = mind.beliefs[MARBLE]

    assert (Id("box"), "told", ANNE) == (marble.place, marble.how, marble.by)
    assert Id("basket") == marble.seen_place


def test_words_never_overrule_the_eyes() -> None:
    """A statement does not change a belief about what is in view."""
    mind, _ = follow(
        make_playroom(), SALLY, ("anne", 'say "the glass marble is in the wooden box"')
    )

    assert (Id("basket"), "seen") == (mind.beliefs[MARBLE].place, mind.beliefs[MARBLE].how)


def test_a_false_statement_is_corrected_by_looking() -> None:
    """A character that finds nothing at the reported place believes what it saw before."""
    told = [*_AWAY["en"], ("anne", 'say "the glass marble is on the shelf"')]
    mind, _ = follow(
        make_playroom(), SALLY, ("anne", "close the wicker basket"), *told, ("sally", "go in")
    )

    assert (Id("basket"), "seen") == (mind.beliefs[MARBLE].place, mind.beliefs[MARBLE].how)


def test_a_false_statement_about_a_moved_item_leaves_its_place_unknown() -> None:
    """After a false statement about a thing that has moved, its place is unknown."""
    mind, _ = follow(
        make_playroom(),
        SALLY,
        ("sally", "go out"),
        ("anne", "take the glass marble"),
        ("anne", "go out"),
        ("anne", "go down"),
        ("anne", "drop the glass marble"),
        ("anne", "go up"),
        ("anne", 'say "the glass marble is on the shelf"'),
        ("sally", "go in"),
    )

    assert (None, "inferred") == (mind.beliefs[MARBLE].place, mind.beliefs[MARBLE].how)


def test_of_the_unknown_one_learns_the_name_and_no_more() -> None:
    """Of a thing never seen, only the name is learned."""
    mind, _ = follow(make_playroom(), SALLY, ("anne", 'say "the old coin is in the cellar"'))

    assert ["old coin"] == [rumour.name for rumour in mind.rumours]
    assert ["cellar"] == [rumour.words for rumour in mind.rumours]
    assert Id("coin") not in mind.beliefs
    assert Id("cellar") not in mind.places


def test_a_rumour_ends_when_the_entity_is_seen() -> None:
    """A rumour ends when the thing is seen."""
    mind, _ = follow(
        make_playroom(),
        SALLY,
        ("anne", 'say "the old coin is in the cellar"'),
        ("sally", "go out. go down"),
    )

    assert () == mind.rumours
    assert Id("cellar") == mind.beliefs[Id("coin")].place


def test_an_unknown_place_is_kept_in_the_speakers_words() -> None:
    """An unknown place is kept in the speaker's words."""
    mind, _ = follow(
        make_playroom(), SALLY, *_AWAY["en"], ("anne", 'say "the glass marble is in the old mill"')
    )

    assert (None, "old mill") == (mind.beliefs[MARBLE].place, mind.beliefs[MARBLE].words)


def test_hearsay_about_the_current_room_is_not_disproved_by_a_glance() -> None:
    """A claim that a thing is in this room is believed, as it may be in a closed container."""
    mind, _ = follow(
        make_playroom(),
        SALLY,
        ("anne", "close the wicker basket"),
        *_AWAY["en"],
        ("anne", 'say "the glass marble is in the playroom"'),
        ("sally", "go in"),
    )

    assert (Id("room"), "told") == (mind.beliefs[MARBLE].place, mind.beliefs[MARBLE].how)


def test_what_the_eyes_disprove_is_not_believed() -> None:
    """A statement that contradicts what is in view changes no belief."""
    mind, _ = follow(
        make_playroom(), SALLY, *_AWAY["en"], ("anne", 'say "I have the glass marble"')
    )

    assert (Id("basket"), "seen") == (mind.beliefs[MARBLE].place, mind.beliefs[MARBLE].how)


def test_i_have_it_means_the_speaker() -> None:
    """“I have it” means the speaker has it."""
    mind, _ = follow(make_playroom(), SALLY, ("anne", 'say "I have the old coin"'))

    assert [("old coin", "Anne")] == [(r.name, r.words) for r in mind.rumours]


def test_a_character_learns_the_state_of_an_entity_from_speech() -> None:
    """A statement about the state of a distant thing changes that, not its place."""
    mind, _ = follow(make_playroom(), SALLY, *_AWAY["en"], ("anne", 'say "the wooden box is open"'))
    box = mind.beliefs[Id("box")]

    assert (False, Id("room"), "told") == (box.closed, box.place, box.how)


@pytest.mark.parametrize("words", ["it is in the box", "the marble is here", "you have it"])
def test_words_that_only_point_name_nothing(words: str) -> None:
    """“It” and “here” are not interpreted, but the words are remembered."""
    mind, _ = follow(make_playroom(), SALLY, *_AWAY["en"], ("anne", f'say "{words}"'))

    assert Id("basket") == mind.beliefs[MARBLE].place
    assert () == mind.rumours
    assert (words, True, ANNE) == (
        mind.memories[-1].text,
        mind.memories[-1].said,
        mind.memories[-1].by,
    )


def test_speech_is_not_heard_in_other_rooms() -> None:
    """Speech is not heard in other rooms."""
    mind, _ = follow(
        make_playroom(), SALLY, ("sally", "go out"), ("anne", 'say "the box is empty"')
    )

    assert not any(memory.said for memory in mind.memories)


def test_a_hidden_speaker_is_heard_and_not_known() -> None:
    """Words of a hidden speaker are remembered without a name."""
    mouse = Entity(id=Id("mouse"), name="Mouse", kind="character", hidden=True, place=Id("room"))
    world = make_playroom("en", mouse)
    mind, _ = follow(world, SALLY)
    claim = {"type": "speak", "content": "Squeak"}
    words = SpokenWords(actor_id=Id("mouse"), text="Squeak")
    turn, after = play_turn(words, [claim], world, read_rulebook(load_shipped_book("default")))
    mind = perceive(mind, turn, world, after)

    assert ("Squeak", None) == (mind.memories[-1].text, mind.memories[-1].by)
    assert Id("mouse") not in mind.beliefs


def test_rumours_are_few() -> None:
    """Only the latest rumours are kept, each once."""
    said = [("anne", f'say "the toy {n} is in the tower"') for n in range(40)]
    mind, _ = follow(make_playroom(), SALLY, *said, said[-1])

    assert [f"toy {n}" for n in range(8, 40)] == [r.name for r in mind.rumours]


def test_no_character_believes_their_own_claim() -> None:
    """A character's own statement is remembered, and changes none of its beliefs."""
    said = ("sally", 'say "The glass marble is in the wooden box."')
    mind, _ = follow(make_playroom(), SALLY, ("sally", "go out"), said)

    assert (Id("basket"), "seen") == (mind.beliefs[MARBLE].place, mind.beliefs[MARBLE].how)
    assert () == mind.rumours


def test_nothing_is_believed_to_be_in_itself() -> None:
    """A statement that a thing is inside itself is remembered, and not believed."""
    said = ("anne", 'say "The wooden box is in the wooden box."')
    mind, _ = follow(make_playroom(), SALLY, *_AWAY["en"], said)

    assert Id("room") == mind.beliefs[Id("box")].place


def test_a_name_that_two_entities_bear_means_neither() -> None:
    """A statement about a name that two known things share changes no belief."""
    twin = Entity(id=Id("a"), name="glass marble", takeable=True, place=Id("shelf"))
    said = ("anne", 'say "The glass marble is in the wooden box."')
    mind, _ = follow(make_playroom("en", twin), SALLY, *_AWAY["en"], said)

    assert [Id("shelf"), Id("basket")] == [mind.beliefs[each].place for each in (Id("a"), MARBLE)]
