import pytest

from saniwa.agent.mind.hearsay import SpokenStatement, find_statements


@pytest.mark.parametrize(
    ("speech", "thing", "where"),
    [
        ("The key is in the drawer.", "the key", "the drawer"),
        ("Listen, the key is in the drawer!", "the key", "the drawer"),
        ("No, the key is still on the shelf", "the key", "the shelf"),
        ("I know that the key is under the mat.", "the key", "the mat"),
        ("I put the marble into the box", "the marble", "the box"),
        ("Anne has the marble", "the marble", "anne"),
        ("I have the marble", "the marble", "i"),
        ("鍵は引き出しの中にある", "鍵", "引き出し"),
        ("「鍵は引き出しの中にあるよ。」", "鍵", "引き出し"),
        ("引き出しに鍵があります。", "鍵", "引き出し"),
        ("アン、鍵は机の上にある", "鍵", "机"),
        ("アンが鍵を持っている。", "鍵", "アン"),
        ("私は鍵を箱に入れた。", "鍵", "箱"),
    ],
)
def test_a_plain_statement_says_where_an_entity_is(speech: str, thing: str, where: str) -> None:
    """Plain sentences that say where a thing is are read in both languages."""
    assert [SpokenStatement(thing, where)] == list(find_statements(speech))


@pytest.mark.parametrize(
    ("speech", "thing", "state"),
    [
        ("The gate is locked.", "the gate", "locked"),
        ("the box is open", "the box", "open"),
        ("門は閉まっている", "門", "閉まっている"),
        ("門には鍵がかかっている。", "門", "鍵がかかっている"),
    ],
)
def test_a_plain_statement_says_how_an_entity_is(speech: str, thing: str, state: str) -> None:
    """Plain sentences that say that a thing is open, closed or locked are read."""
    assert [SpokenStatement(thing, "", state)] == list(find_statements(speech))


@pytest.mark.parametrize(
    "speech",
    [
        "",
        "Good morning!",
        "Is the key in the drawer?",
        "The key is in the drawer?",
        "Maybe the key is in the drawer.",
        "If the key is in the drawer, take it.",
        "The key is not in the drawer.",
        "I wish the key is in the drawer",
        "鍵は引き出しの中にある？",
        "鍵は引き出しの中にない",
        "もし鍵が箱にあるなら",
        "たぶん鍵は箱にある",
        "鍵は箱にあるかも",
    ],
)
def test_questions_hedges_and_denials_state_nothing(speech: str) -> None:
    """Questions, guesses and denials are not statements."""
    assert [] == list(find_statements(speech))


def test_a_known_name_is_never_taken_apart() -> None:
    """Particles and prepositions inside a known name are part of the name."""
    mirror = find_statements("かがみははさみの箱の中にある", {"かがみ", "はさみの箱"})
    book = find_statements("Cat is in the hat is in the box", {"cat is in the hat"})

    assert [SpokenStatement("かがみ", "はさみの箱")] == list(mirror)
    assert [SpokenStatement("cat is in the hat", "the box")] == list(book)


def test_several_sentences_are_several_statements() -> None:
    """Each sentence is read separately, up to a limit."""
    speech = "The key is in the box. Hello! The cup is on the shelf."

    assert ["the key", "the cup"] == [s.thing for s in find_statements(speech)]
    assert 8 == len(list(find_statements("a cup is in a box. " * 100)))


@pytest.mark.parametrize("text", ["a " * 50_000, "x" * 100_000, "は" * 9_999, ",:" * 999])
def test_no_speech_takes_long_to_read(text: str) -> None:
    """Long repetitions are read up to a limit, and state nothing."""
    assert [] == list(find_statements(text))
