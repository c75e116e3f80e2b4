"""Commands with an unusual word order, or with one word that is not understood."""

import pytest

from saniwa.language.parse import parse
from saniwa.language.parser_context import Claim, ParserContext
from tests.hearing.score import PLAYER, load_house


def _parse(text: str, *, narrated: bool = False) -> tuple[Claim, ...]:
    return parse(text, PLAYER, load_house("en"), narrated=narrated)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("take the lamp blorfingly", "blorfingly"),
        ("take the bun telepathically", "telepathically"),
        ("go through the wall to the garden", "through the wall to the garden"),
        ("put the apple in the basket, umbrella", "umbrella"),
        ("open the cupboard, honey", "honey"),
        ("walk out of the garden", "out of the garden"),
        ("take the lamp out of the kitchen", "out of the kitchen"),
    ],
)
def test_a_word_without_a_use_stops_the_sentence(text: str, word: str) -> None:
    """A word that is not understood stops its sentence, and the claim names it."""
    (claim,) = _parse(text)

    assert ("unrecognised", word) == (claim["type"], claim["leftover"])


@pytest.mark.parametrize("text", ["climb the tree", "climb the key", "ascend the throne"])
def test_only_a_way_leads_up(text: str) -> None:
    """“Climb the tree” is not read as a move up."""
    assert all(claim.get("target") != "up" for claim in _parse(text))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("both cups, take em", "take both cups"),
        ("cupboard. open. now.", "open cupboard"),
        ("umbrella onto the table please", "put umbrella onto the table"),
        ("apple to Nell", "give apple to Nell"),
        ("iron key, unlock the cellar door with it", "unlock the cellar door with iron key"),
        ("iron key -> cellar door", "unlock cellar door with iron key"),
        ("apple -> basket", "put apple into basket"),
        ("take lamp -> east", "take lamp, then east"),
        ("unlock the cellar door, iron key", "unlock the cellar door with iron key"),
        ("go out of the kitchen and into the hall", "go into the hall"),
    ],
)
def test_an_object_may_come_before_the_verb(text: str, same: str) -> None:
    """A sentence with the object first has the claims of the usual order."""
    assert _strip_articles(_parse(same)) == _strip_articles(_parse(text))


def _strip_articles(claims: tuple[Claim, ...]) -> list[Claim]:
    return [{k: str(v).removeprefix("the ") for k, v in claim.items()} for claim in claims]


def test_a_later_name_says_which_of_several() -> None:
    """“The brass one” selects among the keys mentioned before."""
    (claim,) = _parse("TAKE KEY!!! the brass one")

    assert {"type": "take", "targetId": "brass_key"} == claim


def test_a_question_keeps_its_words() -> None:
    """A question with an unusual word order keeps its words."""
    (claim,) = _parse("the bun, eat it?")

    assert ("question", "the bun, eat it") == (claim["type"], claim["words"])


def test_an_approach_is_a_gesture() -> None:
    """In a reply, approaching a thing is a gesture, and a later pronoun means that thing."""
    gesture, deed = _parse("walks over to the cupboard and opens it", narrated=True)

    assert ("emote", "open", "cupboard") == (gesture["type"], deed["type"], deed["target"])


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("go ot the garden", "go to the garden"),
        ("unlock the chest whit the brass key", "unlock the chest with the brass key"),
        ("peel the apple and eat it", "eat apple"),
        ("wash and eat the apple", "eat the apple"),
        ("begin to read the letter", "read the letter"),
        ("take the lid off the cupboard", "open the cupboard"),
        ("leave the lamp alone", "leave the lamp in peace"),
        ("I take the bun while Marta isn't looking", "take the bun"),
        ("open the cupboard, see what's inside", "open the cupboard, search it"),
        ("up the stairs and out into the garden", "up, then garden"),
        ("go out and into the garden", "into the garden"),
        ("open the letter and read it", "inspect the letter"),
        (
            "put the apple and the umbrella on the shelf",
            "leave the apple and the umbrella on the shelf",
        ),
    ],
)
def test_two_wordings_ask_for_the_same(text: str, same: str) -> None:
    """Words that only introduce, repeat or explain a deed add nothing to it."""
    first, second = (_strip_articles(_parse(each)) for each in (text, same))

    assert [{**c, "words": ""} for c in first] == [{**c, "words": ""} for c in second]


@pytest.mark.parametrize(
    "text",
    [
        "flurb the apple and eat it",
        "peel the lemon",
        "begin to open the chest",
        "take the form",
        "go north, shall we?",
        "take the bun, right?",
        "in the garden",
        "take the lid off the table",
        "open the chest and take it out of my mind",
        "“Hello,” says Marta, taking the bun",
        "“Hello,” I say, not taking the bun",
        "“Hello,” I say, thinking about taking the bun",
        "take the small one from the study",
    ],
)
def test_what_only_looks_like_these_asks_for_nothing(text: str) -> None:
    """A line like those above without their deed makes no claim of a thing in reach."""
    made = [c for c in _parse(text) if c["type"] not in ("unrecognised", "question", "speak")]

    assert all(not _find_known(str(c.get("target", ""))) for c in made), made


def _find_known(words: str) -> bool:
    known = ParserContext.from_world(load_house("en"), PLAYER)
    return bool(words) and known.is_known(words)


@pytest.mark.parametrize(
    ("text", "deed"),
    [
        ("“Hello,” I say, putting the apple in the basket", ("put", "the apple")),
        ("“Hello,” I say as I put the apple in the basket", ("put", "the apple")),
        ("I smile, giving Nell the apple", ("give", "the apple")),
    ],
)
def test_a_deed_may_accompany_speech(text: str, deed: tuple[str, str]) -> None:
    """What the speaker does while saying something is asked for."""
    last = _parse(text)[-1]

    assert deed == (last["type"], last["target"])


def test_everything_moves_from_one_holder_to_another() -> None:
    """“Everything from the shelf” means only the things on it."""
    claims = _parse("move everything from the shelf onto the table")

    assert {"red_cup", "blue_cup", "milk"} == {c["targetId"] for c in claims}
    assert {"put"} == {c["type"] for c in claims}


@pytest.mark.parametrize("it", ["it", "them"])
def test_everything_that_was_taken_is_put_down_again(it: str) -> None:
    """“It” after "everything" means all that was taken, and nothing else that is held."""
    _, *put = _parse(f"take everything from the shelf and put {it} on the table")

    assert {"red_cup", "blue_cup", "milk"} == {c["targetId"] for c in put}


def test_a_posture_is_no_move() -> None:
    """“Head in hands” says how one sits, and leads nowhere."""
    claims = _parse("sits on the chest, head in hands", narrated=True)

    assert ["emote"] == [c["type"] for c in claims]


def test_a_key_carried_to_a_door_is_turned_in_its_lock() -> None:
    """“Turn it in the lock” unlocks the door that was approached, with the key in hand."""
    (claim,) = _parse(
        "With the iron key in my hand I approach the cellar door and turn it in the lock"
    )

    assert ("unlock", "cellar door") == (claim["type"], claim["target"])
    assert "the iron key" == claim["tool"]


def test_what_is_taken_out_after_opening_is_inside() -> None:
    """“Take it out” means what is in a container; with several things in it, it is unclear."""
    *_, taken = _parse("open the cupboard and take it out")

    assert ("all", "the cupboard") == (taken["target"], taken["source"])


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("I search the basket for anything that could be useful tonight", "search the basket"),
        ("take a moment to read the letter before deciding anything", "read the letter"),
        ("Feeling hungry, I take the bun", "take the bun"),
        ("Having nothing better to do, I go north", "go north"),
        ("I'd rather not go down, so I wait", "wait"),
        ("I wait and see what Marta does", "wait"),
        ("hold the apple out to Nell", "give the apple to Nell"),
        ("leave the letter where it is but take the lamp", "take the lamp"),
        ("I walk up to the old chest and open it", "open the chest"),
        ("go over to the table to read the letter", "read the letter"),
        ("I start with the chest: I open it", "open the chest"),
        ("Wondering if the key fits, I take the lamp", "take the lamp"),
        ("try the bun", "eat the bun"),
        ("walk to the study through the hall", "go to the hall, then to the study"),
        ("Since I already have the iron key, I go north", "go north"),
        ("take the unlit lamp", "take the lamp"),
        (
            "go to the garden to find Bram and ask him about it",
            "go to the garden and ask Bram about it",
        ),
        ("try the cupboard", "open the cupboard"),
        ("press the button to light the lamp", "light the lamp"),
        ("go into the garden with the umbrella", "go into the garden"),
        ("I should like to take the lamp", "take the lamp"),
        ("open the chest carved with quinces", "open the chest"),
        ("put the umbrella and the apple down", "drop the umbrella and drop the apple"),
        ("drink the milk with it", "drink the milk"),
        ("unlock the chest with the brass key on the table", "unlock the chest with the brass key"),
        ("take what is in the basket", "take everything from the basket"),
        ("empty the basket", "take everything from the basket"),
    ],
)
def test_what_surrounds_a_deed_asks_for_nothing(text: str, same: str) -> None:
    """An approach, a feeling or a purpose around a deed leaves the claims of the deed alone."""
    found = _list_deeds(text)

    assert found
    assert _list_deeds(same) == found


@pytest.mark.parametrize(
    "text",
    [
        "search the basket for anything useful if Marta leaves",
        "search the basket for anything useful tomorrow",
        "take the lamp before touching the letter",
        "Feeling hungry, Marta takes the bun",
        "Wondering if I should take the lamp",
        "start with the chest",
        "Since I already have the silver key, I go north",
        "I pull my hat down",
        "go to the garden to find Bram and take the lamp",
        "I'd rather not take the lamp",
        "I should not take the lamp",
        "hold the umbrella out of the window",
        "leave the umbrella where it is",
        "go to the cellar door to unlock it",
        "turn the key to open the cupboard",
        "open the cupboard carved with roses",
        "empty the basket onto the table",
        "take what is mine",
    ],
)
def test_what_looks_like_a_surrounding_stops_a_deed(text: str) -> None:
    """A condition, another person, a refusal or an unknown word near a deed leaves it undone."""
    assert _list_deeds(text) == []


def _list_deeds(text: str) -> list[Claim]:
    """The claims that could change the world, without articles, places and ids."""
    deeds = [c for c in _parse(text) if c["type"] not in ("unrecognised", "emote", "question")]
    return [
        {
            key: str(value).removeprefix("the ").removeprefix("old ").replace("everything", "all")
            for key, value in deed.items()
            if key != "relation"
        }
        for deed in deeds
    ]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("give the watering can a quick blow", "blow the watering can"),
        ("set the lamp going", "use the lamp"),
        ("put the lamp on", "use the lamp"),
    ],
)
def test_an_object_with_a_use_is_switched_on_in_many_ways(text: str, same: str) -> None:
    """A noun after "give" and "on" after a thing name the deed, if the thing has a use."""
    assert _parse(same) == _parse(text)


@pytest.mark.parametrize("text", ["put the umbrella on", "give Marta a push", "set the table"])
def test_nothing_else_is_switched_on(text: str) -> None:
    """A thing without a use, and a person, are not used."""
    assert all(claim["type"] != "use" for claim in _parse(text))


@pytest.mark.parametrize(
    "remark", ["Not bad!", "Cold to the touch.", "I wish it were bigger.", "Thank you, Marta."]
)
def test_a_remark_leaves_the_deed_before_it(remark: str) -> None:
    """It judges the thing, longs for another, or thanks."""
    assert _parse(f"I take the bun. {remark}")[0] == {"type": "take", "target": "the bun"}


@pytest.mark.parametrize("remark", ["Not the bun.", "Or the milk.", "I wish.", "Marta, please."])
def test_a_correction_takes_back_the_deed_before_it(remark: str) -> None:
    """It names another thing or person, or denies the deed."""
    assert all(claim["type"] != "take" for claim in _parse(f"Take the bun. {remark}"))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("take the lamp (it looked old) and go east", "take the lamp and go east"),
        ("reach for the apple, then eat it", "eat apple"),
        ("drink the milk before it goes off", "drink the milk"),
        ("wait until the rain stops", "wait"),
        ("I would open the cupboard first", "open the cupboard"),
    ],
)
def test_words_around_a_deed_change_nothing(text: str, same: str) -> None:
    """A remark, an approach, a haste and an opening are no part of what is asked for."""
    assert _strip_articles(_parse(same)) == _strip_articles(_parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "take the lamp (if it is lit)",
        "I would open the cupboard",
        "I would open the cupboard first, but it is late",
        "wait until Marta leaves, then take the lamp",
        "take the lamp before it gets dark",
        "look at the letter on the wall",
    ],
)
def test_limits_of_a_deed_stop_it(text: str) -> None:
    """A condition, an exception, an advice and another place are not left out."""
    kinds = {claim["type"] for claim in _parse(text)}

    assert kinds.isdisjoint({"take", "open", "wait"})


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("take both cups, the red one and the blue one", "take both cups"),
        ("take the letter and turn it over to read the back", "take the letter and read it"),
        ("get the spade from the garden", "go to the garden and take the spade"),
        ("take the apple and carry it to the garden", "take the apple and go to the garden"),
        ("I reach for the letter and slip it into my pocket", "take the letter"),
        ("I'd like to open the cupboard and see what's inside", "open the cupboard and look in it"),
    ],
)
def test_longer_ways_to_ask_for_the_same(text: str, same: str) -> None:
    """What restates a thing, or fetches it from another place, is understood."""
    assert [c["type"] for c in _parse(same)] == [c["type"] for c in _parse(text)]


@pytest.mark.parametrize(
    "text", ["get the honey from the cellar", "leave the lamp", "get the news from the garden"]
)
def test_nothing_is_fetched_or_put_down_unasked(text: str) -> None:
    """The way must be open, and what is left is elsewhere."""
    assert {c["type"] for c in _parse(text)}.isdisjoint({"move", "take", "drop"})
