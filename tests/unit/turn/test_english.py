from typing import Any

import pytest

from saniwa.language.parse import parse
from tests.fakes.pantry_world import ANNA, make_pantry
from tests.fakes.worlds import PLAYER, make_courtyard


def _parse_english(text: str) -> list[dict[str, Any]]:
    return [*parse(text, PLAYER, make_courtyard())]


def test_a_verb_holds_for_everything_joined_to_it() -> None:
    """A clause without a verb takes the previous verb."""
    assert [("take", "the key"), ("take", "the coin")] == [
        (c["type"], c["target"]) for c in _parse_english("take the key and the coin")
    ]


def test_small_talk_asks_for_nothing() -> None:
    """Words such as "please" and "well" are ignored."""
    assert [{"type": "take", "target": "the key"}] == _parse_english("well, take the key, please")


def test_a_destination_holds_for_everything_before_it() -> None:
    """A destination applies to all things named before it."""
    claims = _parse_english("put the coin and the ring in the chest")

    assert ["the chest", "the chest"] == [c["destination"] for c in claims]


def test_a_source_does_not_reach_forward() -> None:
    """A source does not apply to things named after it."""
    claims = _parse_english("take the coin from the chest and the lamp")

    assert [True, False] == ["source" in c for c in claims]


@pytest.mark.parametrize(
    ("text", "left_over"),
    [
        ("I love you and take the key", "I love you"),
        ("never open the gate and go north", "never open the gate and go north"),
        ("xyzzy plugh", "xyzzy plugh"),
        ("take the key and show it to the groundskeeper", "show it to the groundskeeper"),
    ],
)  # fmt: skip
def test_what_is_not_understood_stays_as_words(text: str, left_over: str) -> None:
    """Words that are not understood are returned; a negation covers what is joined to it."""
    lost = [c["words"] for c in _parse_english(text) if c["type"] == "unrecognised"]

    assert [left_over] == lost


def test_speech_without_marks_runs_to_the_end_of_its_sentence() -> None:
    """Speech without quotation marks extends to the end of its sentence."""
    claims = _parse_english("say I take the key and go! go east")

    assert ["speak", "move"] == [c["type"] for c in claims]
    assert "I take the key and go!" == claims[0]["content"]


@pytest.mark.parametrize("text", ["say", "whisper"])
def test_saying_nothing_is_left_open(text: str) -> None:
    """A verb of speech without words is a claim without content."""
    assert [{"type": "speak"}] == _parse_english(text)


def test_the_hearer_is_no_part_of_the_speech() -> None:
    """The person spoken to is removed from the speech."""
    assert "hello" == _parse_english("say hello to the groundskeeper")[0]["content"]
    assert "go away" == _parse_english("tell groundskeeper go away")[0]["content"]


def test_giving_names_the_person_first_or_last() -> None:
    """The recipient may come before or after the thing given."""
    first = parse("give Bert the red apple", ANNA, make_pantry())
    last = parse("give the red apple to Bert", ANNA, make_pantry())

    assert first == last


def test_giving_to_a_stranger_is_cut_at_the_article() -> None:
    """An unknown person before an article is still the recipient."""
    (claim,) = _parse_english("give mad hatter the key")

    assert ("mad hatter", "the key") == (claim["recipient"], claim["target"])


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("go", None),
        ("leave", "out"),
        ("go back", "back"),
        ("return to the shed", "the shed"),
        ("go out through the gate", "the gate"),
        ("walk over to the shed", "the shed"),
        ("climb the rope", "up"),
        ("descend", "down"),
        ("leave through the gate", "the gate"),
        ("exit the yard", "out"),
        ("ne", "ne"),
        ("shed", "shed"),
    ],
)
def test_ways_are_named_in_many_ways(text: str, target: str | None) -> None:
    """Prepositions before an exit are ignored; without a name, the verb may imply it."""
    (claim,) = _parse_english(text)

    assert ("move", target) == (claim["type"], claim.get("target"))


@pytest.mark.parametrize(
    ("text", "kind", "target"),
    [
        ("look at the well", "inspect", "the well"),
        ("look the well", "inspect", "the well"),
        ("look north", "look", None),
        ("look in the well", "search", "the well"),
        ("search the well for coins", "search", "the well"),
        ("search for coins in the well", "search", "the well"),
        ("look for coins", "search", "here"),
        ("look around the room", "look", None),
    ],
)
def test_looking_is_distinguished(text: str, kind: str, target: str | None) -> None:
    """Looking around, at, in and for are different actions."""
    (claim,) = _parse_english(text)

    assert (kind, target) == (claim["type"], claim.get("target"))


def test_a_tool_may_be_before_what_it_does() -> None:
    """Using a thing to do something means doing it with that thing."""
    (claim,) = _parse_english("use the key to lock the gate")

    assert {"type": "lock", "target": "the gate", "tool": "the key"} == claim


def test_pouring_names_what_is_poured_as_the_tool() -> None:
    """In "pour X into Y", X is the tool and Y the target."""
    (claim,) = _parse_english("pour the oil into the well")

    assert {"type": "use", "target": "the well", "tool": "the oil"} == claim


def test_the_hearer_may_be_named_after_the_quotation() -> None:
    """A person named after a quotation is the one spoken to."""
    claim = {"type": "speak", "content": "Hi", "to": "the groundskeeper"}
    assert [claim] == _parse_english('say "Hi" to the groundskeeper')


def test_a_no_takes_along_what_and_ties_to_it_and_no_more() -> None:
    """A negation covers what "and" joins to it, but not what follows "then" or a comma."""
    claims = _parse_english("don't open the gate and wait then go east")

    assert ["unrecognised", "move"] == [claim["type"] for claim in claims]


def test_speech_may_contain_to_without_a_hearer() -> None:
    """“to” in speech marks a recipient only before a person."""
    assert "I want to leave" == _parse_english("say I want to leave")[0]["content"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("exit through the gate", {"type": "move", "target": "the gate"}),
        ("exit the moon", {"type": "move", "target": "the moon"}),
        ("apply the oil to the well", {"type": "use", "target": "the well", "tool": "the oil"}),
        ("use the rope to go down", {"type": "move", "target": "down"}),
        ("use the rope to dance",
         {"type": "unrecognised", "words": "use the rope to dance", "leftover": "dance"}),
        ("use the spoon to eat the bread", {"type": "eat", "target": "the bread"}),
    ],
)  # fmt: skip
def test_tools_and_exits_at_their_edges(text: str, expected: dict[str, str]) -> None:
    """If one reading fails, the next best is used as a whole."""
    assert [expected] == _parse_english(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("say to the groundskeeper good evening", "good evening"),
        ("whisper to him it is me", "it is me"),
        ("tell him that it rains", "it rains"),
        ("tell the groundskeeper good morning", "good morning"),
    ],
)
def test_the_person_addressed_is_not_part_of_the_speech(text: str, expected: str) -> None:
    """The person spoken to is removed from the speech, in any position."""
    to = "him" if "him" in text else "the groundskeeper"
    assert [{"type": "speak", "to": to, "content": expected}] == _parse_english(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("talk to the groundskeeper", {}),
        ("greet the groundskeeper", {}),
        ("ask the groundskeeper about the gate", {"about": "the gate"}),
        ("chat with the groundskeeper about the gate", {"about": "the gate"}),
        ("talk about the gate with the groundskeeper", {"about": "the gate"}),
        ("ask the groundskeeper where the key is", {"content": "where the key is"}),
        ("tell the groundskeeper to go north", {"content": "go north", "request": True}),
        ("have the groundskeeper take the key", {"content": "take the key", "request": True}),
        ("get the groundskeeper to take the key", {"content": "take the key", "request": True}),
        ("let the groundskeeper know that it rains", {"content": "it rains"}),
        ("persuade the groundskeeper to go north", {"content": "go north", "request": True}),
    ],
)
def test_talk_says_to_whom_and_about_what(text: str, expected: dict[str, Any]) -> None:
    """Talk without quotation marks has a person, and a topic or a request."""
    assert [{"type": "speak", "to": "the groundskeeper"} | expected] == _parse_english(text)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("ask nicely for help", "help"),
        ("shout for help", "help"),
        ("ask everyone where the key is", "where the key is"),
        ("ask if anyone has seen the key", "if anyone has seen the key"),
        ("tell everyone to take the key and go north", "take the key and go north"),
    ],
)
def test_talk_may_name_no_hearer(text: str, content: str) -> None:
    """What is asked for or told to all is speech without a person, and no deed."""
    assert [{"type": "speak", "content": content}] == _parse_english(text)


def test_talk_ends_where_the_next_deed_begins() -> None:
    """An action joined to talk by "and" is done."""
    claims = _parse_english("ask the groundskeeper about the gate and go east")

    assert ["speak", "move"] == [claim["type"] for claim in claims]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("help", "help"),
        ("undo my last move", "undo"),
        ("why not?", "why"),
        ("give me a hint", "hint"),
        ("list actions", "actions"),
        ("save the game", "save"),
        ("restore", "load"),
        ("show history", "history"),
    ],
)
def test_words_for_the_host_are_distinguished(text: str, command: str) -> None:
    """Words for the program are a host claim."""
    assert [{"type": "host", "command": command, "words": text}] == _parse_english(text)


@pytest.mark.parametrize("text", ["talk", "ask about the gate", "tell me a story"])
def test_what_was_not_put_into_words_is_not_said(text: str) -> None:
    """A command to another person is neither said nor done."""
    assert [{"type": "unrecognised", "words": text}] == _parse_english(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tell me about the gate", {"type": "inspect", "target": "the gate"}),
        ("is the gate locked?", {"type": "question", "kind": "what_is", "target": "the gate", "words": "is the gate locked"}),
        ("who is here?", {"type": "question", "kind": "who_is_here", "words": "who is here"}),
        ("where can I go?", {"type": "question", "kind": "exits", "words": "where can I go"}),
        ("what can I do?", {"type": "question", "kind": "what_can_i_do", "words": "what can I do"}),
        ("find the ring", {"type": "search", "target": "here"}),
        ("approach the well", {"type": "inspect", "target": "the well"}),
        ("go over to the groundskeeper", {"type": "inspect", "target": "the groundskeeper"}),
        ("go to the gate", {"type": "move", "target": "the gate"}),
        ("go into the well", {"type": "move", "target": "the well"}),
        ("dig with the key", {"type": "use", "target": "the key"}),
        ("smell the well", {"type": "inspect", "target": "the well"}),
        ("hide the key in the chest", {"type": "put", "target": "the key", "destination": "the chest"}),
    ],
)  # fmt: skip
def test_questions_and_roundabout_words_are_understood(text: str, expected: dict[str, str]) -> None:
    """A question that a look can answer becomes a look."""
    assert [expected] == _parse_english(text)


@pytest.mark.parametrize(
    "text",
    ["dig", "hide in the crate", "hide", "put on the gloves", "put the gloves on", "wear the gloves",
     "listen", "smell", "kick the well", "show the key to the groundskeeper", "take off the gloves"],
)  # fmt: skip
def test_impossible_deeds_are_known_as_such(text: str) -> None:
    """A verb without an action is not matched to another one."""
    assert [{"type": "unrecognised", "words": text, "problem": "no way"}] == _parse_english(text)


@pytest.mark.parametrize("text", ["she takes the key", "he goes north", "they wait"])
def test_what_others_do_is_not_done(text: str) -> None:
    """An action of another person is not claimed for the speaker."""
    told = {"type": "unrecognised", "words": text, "problem": "report"}

    assert [told] == _parse_english(text)


def test_two_verbs_share_one_object() -> None:
    """The second of two verbs has the object of both; a key applies once."""
    gate = {"target": "the gate"}
    both = [{"type": "unlock"} | gate, {"type": "open"} | gate]

    assert both == _parse_english("unlock and open the gate")
    both[0]["tool"] = "the key"
    assert both == _parse_english("unlock and open the gate with the key")
    assert [{"type": "take"}, {"type": "look"}] == _parse_english("take and look")


@pytest.mark.parametrize(
    "text", ["mutter: take the key", "say: take the key", "whisper: go north; take the key"]
)
def test_words_after_a_colon_are_said(text: str) -> None:
    """Words after a verb of speech and a colon are said, not done."""
    assert [{"type": "speak", "content": text.partition(": ")[2]}] == _parse_english(text)


def test_what_is_left_out_was_not_asked_for() -> None:
    """A thing after "but not" is left out."""
    assert [{"type": "take", "target": "the glass"}] == _parse_english(
        "take the glass but not the crate"
    )
    assert ["unrecognised"] == [c["type"] for c in _parse_english("not the crate")]


@pytest.mark.parametrize("text", ['""', 'say ""', "「」"])
def test_speech_without_words_is_no_speech(text: str) -> None:
    """Speech with empty quotation marks is a problem, not a claim of speech."""
    (claim,) = _parse_english(text)

    assert ("unrecognised", "nothing said") == (claim["type"], claim["problem"])


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("put the key on the bench", None),
        ("put the key in the bench", "in"),
        ("put the key into the bench", "in"),
        ("place the key upon the bench", None),
        ("put the key in the well", None),
        ("put the key on the moon", None),
        ("put the key on the floor", None),
    ],
)
def test_in_and_on_are_kept_where_they_matter(text: str, relation: str | None) -> None:
    """`in` or `on` is kept only where it is unusual for the destination."""
    assert [relation] == [claim.get("relation") for claim in _parse_english(text)]


@pytest.mark.parametrize(
    "text",
    [
        "she opens the chest and takes the key",
        "he takes the key",
        "I put the key down and it rolled away",
        "I set the key on the bench, and it fell",
        "I just put the key on the bench",
    ],
)
def test_what_is_reported_is_not_done(text: str) -> None:
    """Another person's action also covers the following clauses without a subject."""
    assert ["unrecognised"] == [c["type"] for c in _parse_english(text)]


@pytest.mark.parametrize(
    "text",
    [
        "take the key... actually no",
        "take the key, wait, don't",
        "take the key. On second thought, leave it.",
        "take the key. I mean the bread.",
    ],
)
def test_a_correction_takes_back_what_was_said(text: str) -> None:
    """A correction in the same or a later sentence cancels the action."""
    assert ["unrecognised"] == [c["type"] for c in _parse_english(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("go up, oh wait, north", {"type": "move", "target": "north"}),
        ("examine the bench, no sorry, the gate I mean", {"target": "the gate"}),
        ("put the key in the chest - er, on the bench", {"destination": "the bench"}),
    ],
)
def test_a_correction_in_the_same_sentence_names_what_was_meant(
    text: str, expected: dict[str, Any]
) -> None:
    """“No wait, the chart” after an action replaces the thing, the person or the exit."""
    (claim,) = _parse_english(text)

    assert expected == {key: claim[key] for key in expected}


@pytest.mark.parametrize(
    "text",
    [
        "take the key so nobody finds it",
        "take the key since nobody wants it and I can't wait",
        "while nobody is looking, I take the key",
        "although I'm tired I take the key",
        "before you do anything else, take the key",
        "take the key, and if anyone asks, I'm on a walk",
        "I was on holiday and it rained all week, so anyway, take the key",
        "what I want to do now is take the key",
        "don't take the coin, just the key",
        "take the coin, actually no, take the key",
        "take the key, only the key",
    ],
)
def test_what_is_said_around_a_deed_leaves_it(text: str) -> None:
    """Reasons, purposes, excuses, chat and what was first said otherwise do not stop a deed."""
    deeds = [c for c in _parse_english(text) if c["type"] != "unrecognised"]

    assert [{"type": "take", "target": "the key"}] == deeds


@pytest.mark.parametrize(
    "text",
    [
        "take the key so long as nobody wants it",
        "while nobody is looking I might take the key",
        "while she was away I put the key in the chest",
        "before you do anything else, ask her to take the key",
        "take the key, and if anyone asks, take the coin",
        "my brother said, anyway, take the key",
        "you don't take the coin, just the key",
        "take the coin, actually no, she takes the key",
        "take the key, he said",
        "take the key, actually no",
    ],
)
def test_what_only_looks_like_it_stops_the_deed(text: str) -> None:
    """A condition, a report, an order to another or a refusal of the deed stops it."""
    assert {"take", "put"}.isdisjoint(c["type"] for c in _parse_english(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("don't forget to take the key", {"type": "take", "target": "the key"}),
        ("I want you to take the key", {"type": "take", "target": "the key"}),
        ("ill take the key", {"type": "take", "target": "the key"}),
        ("first stop, take the key", {"type": "take", "target": "the key"}),
    ],
)
def test_commands_in_further_forms(text: str, expected: dict[str, Any]) -> None:
    """Reminders, wishes and short forms without an apostrophe are commands."""
    assert [expected] == _parse_english(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("take the key tomorrow", "other_time"),
        ("take the key, but not yet", "other_time"),
        ("if it rains, take the key", "condition"),
    ],
)
def test_another_time_is_no_condition(text: str, problem: str) -> None:
    """Another time and a condition both do nothing, with different problems."""
    assert [problem] == [c.get("problem") for c in _parse_english(text)]
