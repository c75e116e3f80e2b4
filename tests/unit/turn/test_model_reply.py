import pytest

from saniwa.turn.model_reply import ModelReply, looks_like_reply, parse_reply_claims, read_reply
from tests.fakes.japanese_house import HANA, make_house
from tests.fakes.worlds import PLAYER, make_courtyard


@pytest.mark.parametrize(
    ("text", "broken", "repair", "steps"),
    [
        ("Thought: a\nOutput: b", "NONE", "NONE", 0),
        ("\n Thought: a\nOutput: b\n\n", "NONE", "NONE", 0),
        ("**Thought:** a\n**Output:** b", "NONE", "NONE", 0),
        ("thought：a\nOUTPUT：b", "NONE", "NONE", 0),
        ("Output: b", "MISSING_THOUGHT", "NONE", 0),
        ("Sure!\nThought: a\nOutput: b", "LEADING_GARBAGE", "STRIP", 1),
        ("Thought: a\nOutput: b<|im_end|>", "TRAILING_GARBAGE", "STRIP", 1),
        ("```\nThought: a\nOutput: b\n```", "TRAILING_GARBAGE", "STRIP", 1),
        ("Thought: a\nOutput: *b", "UNCLOSED_MARK", "STRIP", 1),
        ("Thought: a\nOutput: b\nThought: c\nOutput: d", "TRAILING_GARBAGE", "TRAILING_CUT", 2),
        ("Thought: a\nOutput: b\nUser: c", "TRAILING_GARBAGE", "TRAILING_CUT", 2),
        ("b", "MISSING_OUTPUT_TAGS", "FALLBACK_SPEECH", 3),
        ("Thought: a\nb", "MISSING_OUTPUT_TAGS", "FALLBACK_SPEECH", 3),
        ("", "EMPTY_REPLY", "FALLBACK_SPEECH", 3),
        ("Thought: a\nOutput:", "MISSING_OUTPUT_TAGS", "FALLBACK_SPEECH", 3),
    ],
)  # fmt: skip
def test_breaks_are_named_and_repaired_in_steps(
    text: str, broken: str, repair: str, steps: int
) -> None:
    """Every malformation has a name, and every repair a method and its number of steps."""
    reply = read_reply(text)

    assert (broken, repair, steps) == (reply.break_type, reply.repair_method, reply.repair_steps)
    assert 1 + steps == reply.parse_attempts
    assert text == reply.raw_output
    assert (broken == "NONE") == (reply.parser_error == "")


@pytest.mark.parametrize(
    "text",
    ["Sure!\nThought: a\nOutput: b", "Thought: a\nOutput: b\nUser: c", "```\nThought: a\nOutput: b\n```"],
)  # fmt: skip
def test_a_repaired_reply_is_a_good_one(text: str) -> None:
    """A repaired reply is read without another repair, and means the same."""
    reply = read_reply(text)
    again = read_reply(reply.repaired_output or "")

    assert "NONE" == again.break_type
    assert ("a", "b") == (again.thought, again.speech)


def test_actions_and_speech_keep_their_order() -> None:
    """Actions and speech keep their order."""
    reply = read_reply("Thought: x\nOutput: *鍵を取る* 「よし」 *東へ行く*")
    claims = parse_reply_claims(reply, HANA, make_house())

    assert ["take", "speak", "move"] == [claim["type"] for claim in claims]
    assert (("鍵を取る", "東へ行く"), "よし") == (reply.actions, reply.speech)


def test_a_mark_that_is_never_closed_is_no_action() -> None:
    """An unclosed action mark makes speech, not an action."""
    reply = read_reply("Thought: x\nOutput: *鍵を取る")

    assert () == reply.actions
    assert "Thought: x\nOutput: 鍵を取る" == reply.repaired_output


def test_a_thought_is_never_acted_on() -> None:
    """Actions inside a thought are not done."""
    reply = read_reply("Thought: *鍵を取る*\nOutput: いい天気")

    assert ({"type": "speak", "content": "いい天気"},) == parse_reply_claims(
        reply, HANA, make_house()
    )


def test_quotation_marks_around_all_of_the_speech_fall_away() -> None:
    """Quotation marks around the whole speech are removed."""
    assert "はい" == read_reply("Thought: a\nOutput: 「はい」").speech
    assert "「はい」と「いいえ」" == read_reply("Thought: a\nOutput: 「はい」と「いいえ」").speech


def test_a_reply_is_distinguished_from_a_players_words() -> None:
    """Only a line that begins with a tag makes a reply."""
    assert looks_like_reply("Thought: a\nOutput: b")
    assert looks_like_reply("Sure.\nOutput: b")
    assert not looks_like_reply("take the output: it is mine")


def test_a_reply_with_nothing_wrong_keeps_one_text() -> None:
    """A reply without a repair has no second text."""
    expected = ModelReply(raw_output="Output: ", repaired_output=None)

    assert expected.repaired_output == read_reply("Thought: a\nOutput: b").repaired_output


@pytest.mark.parametrize(
    ("text", "actions", "break_type"),
    [
        ("*マグカップを取る* コーヒー淹れようか", ("マグカップを取る",), "MISSING_OUTPUT_TAGS"),
        ("Thought: a Output: *go east* b", ("go east",), "MISSING_OUTPUT_TAGS"),
        ("Output: *go east", (), "UNCLOSED_MARK"),
        ("Thought: hmm", (), "MISSING_OUTPUT_TAGS"),
    ],
)
def test_a_reply_is_known_by_any_of_its_marks(
    text: str, actions: tuple[str, ...], break_type: str
) -> None:
    """Tags on one line, missing tags and an open mark are each read and named."""
    reply = read_reply(text)

    assert looks_like_reply(text)
    assert (actions, break_type) == (reply.actions, reply.break_type)
    assert reply.repaired_output is not None


def test_a_reply_that_says_nothing_is_reported() -> None:
    """A thought without an output gives a claim that is rejected, not an empty turn."""
    claims = parse_reply_claims(read_reply("Thought: hmm"), HANA, make_house())

    assert ["unrecognised"] == [c["type"] for c in claims]


def test_a_character_may_tell_of_herself() -> None:
    """In a model's marked action, "she" is the speaking character."""
    reply = read_reply("Thought: a\nOutput: *She takes the brass key* There.")

    assert ["take", "speak"] == [
        c["type"] for c in parse_reply_claims(reply, PLAYER, make_courtyard())
    ]


@pytest.mark.parametrize(
    "text",
    ["nods", "smiles at the groundskeeper", "looks at the moon", "looks up",
     "steps back", "glances at the groundskeeper", "takes a step back",
     "closes her eyes", "she sighs and shrugs", "points at the gate"],
)  # fmt: skip
def test_a_gesture_in_a_reply_is_only_a_gesture(text: str) -> None:
    """A reply of gestures claims no other action."""
    reply = read_reply(f"Thought: a\nOutput: *{text}*")

    claims = parse_reply_claims(reply, PLAYER, make_courtyard())

    assert {"emote"} == {claim["type"] for claim in claims}


@pytest.mark.parametrize(
    "text",
    ["庭師の方を見る", "テレビに目をやる", "メッセージを指差す", "庭師を見返す", "笑う", "頷く",
     "ため息をついて肩をすくめる", "庭師を見る", "月を見る", "目を閉じる", "静かに頷く", "頷いた", "微笑んでいる", "息を吐く"],
)  # fmt: skip
def test_a_japanese_gesture_in_a_reply_is_only_a_gesture(text: str) -> None:
    """Looking at a person, nodding and pointing are gestures in Japanese too."""
    reply = read_reply(f"Thought: a\nOutput: *{text}*")

    claims = parse_reply_claims(reply, HANA, make_house())

    assert {"emote"} == {claim["type"] for claim in claims}


def test_a_look_at_an_item_in_reach_stays_a_deed() -> None:
    """Looking at a thing in reach inspects it."""
    reply = read_reply("Thought: a\nOutput: *looks at the well* *nods* Good.")

    assert [
        {"type": "inspect", "target": "the well"},
        {"type": "emote", "content": "nod"},
        {"type": "speak", "content": "Good."},
    ] == [*parse_reply_claims(reply, PLAYER, make_courtyard())]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("*nods* I take the brass key and eat it.", ["emote", "take", "eat"]),
        ('*mutters* "So." I take the brass key.', ["emote", "speak", "take"]),
        ('*nods* "I take the brass key."', ["emote", "speak"]),
        ("*nods* I take the brass key to you.", ["emote", "speak"]),
        ("*nods* I take the blame.", ["emote", "speak"]),
        ("*nods* I put the brass key on the bench.", ["emote", "speak"]),
        ("*nods* I take the brass key. No, I mustn't.", ["emote", "speak"]),
        ("*imagines it* I take the brass key.", ["unrecognised", "speak"]),
        ("Output: *nods* I take the brass key.", ["emote", "speak"]),
    ],
)
def test_an_english_sentence_about_a_deed_is_one(text: str, kinds: list[str]) -> None:
    """Outside asterisks, what "I" do now to something here is done; all else is spoken."""
    claims = parse_reply_claims(read_reply(text), PLAYER, make_courtyard())

    assert kinds == [claim["type"] for claim in claims]
