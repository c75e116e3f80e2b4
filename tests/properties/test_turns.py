"""For any words and claims, a turn never raises and the world stays valid."""

from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saniwa.language.parse import parse
from saniwa.rulebook.loader import load_shipped_book, read_rulebook
from saniwa.turn.clarification import complete_with_answer
from saniwa.turn.model_reply import looks_like_reply, parse_reply_claims, read_reply
from saniwa.turn.narration import narrate
from saniwa.turn.play import play_turn, reapply_turn, update_mentioned
from saniwa.turn.preview import preview_turn
from saniwa.turn.record import SpokenWords, Turn
from saniwa.world.actions import ACTIONS
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import Id, World
from saniwa.world.snapshot import find_broken_invariants, take_snapshot
from tests.fakes.japanese_house import make_house
from tests.fakes.nightly import scale_examples
from tests.fakes.pantry_world import make_pantry
from tests.fakes.worlds import make_courtyard

BOOKS = {name: read_rulebook(load_shipped_book(name)) for name in ("default", "strict")}
WORLDS = {"garden": make_courtyard(), "house": make_house(), "pantry": make_pantry()}
_BEFORE = {name: msgspec.json.encode(take_snapshot(w)) for name, w in WORLDS.items()}
_ENCODE = msgspec.json.Encoder(order="deterministic").encode

_IDS = sorted({i for w in WORLDS.values() for i in (*w.entities, *w.locations)})
_WORDS = [
    "take",
    "get",
    "put",
    "give",
    "open",
    "close",
    "lock",
    "unlock",
    "use",
    "eat",
    "search",
    "examine",
    "look",
    "go",
    "say",
    "drop",
    "the",
    "my",
    "it",
    "him",
    "all",
    "and",
    "then",
    "with",
    "in",
    "on",
    "from",
    "to",
    "north",
    "east",
    "out",
    "key",
    "gate",
    "chest",
    "coin",
    "bread",
    "well",
    "door",
    ",",
    ".",
    '"',
    "'",
    "apple",
    "2",
    "not",
    "鍵",
    "門",
    "箱",
    "本",
    "を",
    "に",
    "で",
    "から",
    "と",
    "の中",
    "へ",
    "取る",
    "取って",
    "開ける",
    "開け、",
    "置く",
    "渡す",
    "行く",
    "「",
    "」",
    "それ",
    "彼",
    "全部",
    "調べる",
    "言う",
    "。",
    "庭師",
    "＊",
    "�",
    "\x00",
    "*",
    "Thought:",
    "Output:",
    "\n",
]
phrases = st.lists(st.sampled_from(_WORDS), max_size=12).map(" ".join)
glued = st.lists(st.sampled_from(_WORDS), max_size=12).map("".join)
texts = st.one_of(phrases, glued, st.text(max_size=60))
junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
values = st.one_of(st.sampled_from(_IDS), st.sampled_from(_WORDS), junk)
fields = [
    "actorId",
    "targetId",
    "toolId",
    "sourceId",
    "destinationId",
    "recipientId",
    "target",
    "tool",
    "source",
    "destination",
    "recipient",
    "content",
    "metadata",
    "target_id",
    "words",
    "problem",
    "nonsense",
]
claims = st.lists(
    st.one_of(
        junk,
        st.fixed_dictionaries(
            {"type": st.sampled_from([*ACTIONS, "unrecognised", "fly"]) | junk},
            optional=dict.fromkeys(fields, values),
        ),
        st.fixed_dictionaries(
            {"type": st.sampled_from(sorted(ACTIONS)), "targetId": st.sampled_from(_IDS)},
            optional={name: st.sampled_from(_IDS) for name in fields[2:6]},
        ),
    ),
    max_size=8,
)
settled = settings(
    max_examples=scale_examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
world_names = st.sampled_from(sorted(WORLDS))
book_names = st.sampled_from(sorted(BOOKS))


def _find_speaker(world: World) -> Id:
    return world.protagonist or Id("")


def _check(turn: Turn, before: World, after: World) -> None:
    """What must hold after any turn."""
    allowed = [v.success for v in turn.validation_results]
    applied = tuple(
        action for action, ok in zip(turn.normalized_actions, allowed, strict=True) if ok
    )
    assert applied == turn.applied_actions
    assert () == find_broken_invariants(after)
    assert bool(turn.changes) <= bool(applied)
    if not applied:
        assert compute_fingerprint(before) == compute_fingerprint(after)
    assert (
        compute_fingerprint(after)
        == turn.world_after
        == compute_fingerprint(reapply_turn(turn, before))
    )


@settled
@given(world_names, book_names, st.lists(texts, min_size=1, max_size=4))
def test_any_words_leave_a_true_world(name: str, book: str, said: list[str]) -> None:
    """Words never raise, never break an invariant, and never change the world they were said in."""
    world = WORLDS[name]
    mentioned: tuple[Id, ...] = ()
    last: Turn | None = None
    for text in said:
        actor = _find_speaker(world)
        words = SpokenWords(actor_id=actor, text=text, mentioned=mentioned)
        heard = complete_with_answer(last, text, world) if last is not None else None
        heard = heard if heard is not None else parse(text, actor, world)
        played = play_turn(words, heard, world, BOOKS[book])
        _check(played.turn, world, played.world)
        narrate(played.turn, world, played.world)
        preview_turn(words, heard, world, BOOKS[book])
        mentioned = update_mentioned(played.turn, mentioned)
        world, last = played.world, played.turn

    assert _BEFORE[name] == msgspec.json.encode(take_snapshot(WORLDS[name]))


@settled
@given(world_names, book_names, claims)
def test_any_claims_leave_a_true_world(name: str, book: str, made: list[Any]) -> None:
    """Claims of any shape never raise, and change nothing without a verdict."""
    world = WORLDS[name]
    words = SpokenWords(actor_id=_find_speaker(world), text="")
    played = play_turn(words, made, world, BOOKS[book])

    _check(played.turn, world, played.world)
    narrate(played.turn, world, played.world)
    assert _BEFORE[name] == msgspec.json.encode(take_snapshot(WORLDS[name]))


@settled
@given(world_names, phrases | glued)
def test_the_same_words_give_the_same_bytes(name: str, text: str) -> None:
    """Parsing and playing the same words twice gives the same bytes."""
    text = text.encode("utf-8", "replace").decode()
    world = WORLDS[name]
    actor = _find_speaker(world)
    words = SpokenWords(actor_id=actor, text=text)
    turns = [
        play_turn(words, parse(text, actor, world), world, BOOKS["default"]).turn for _ in range(2)
    ]

    assert _ENCODE(turns[0]) == _ENCODE(turns[1])


@settled
@given(texts)
def test_any_reply_can_be_read(text: str) -> None:
    """Every text can be read as a reply, is kept unchanged, and gives claims without raising."""
    reply = read_reply(text)
    world = WORLDS["house"]
    made = parse_reply_claims(reply, _find_speaker(world), world)
    played = play_turn(
        SpokenWords(actor_id=_find_speaker(world), text=text), made, world, BOOKS["default"]
    )

    assert text == reply.raw_output
    assert reply.parse_attempts == 1 + reply.repair_steps
    assert (reply.repaired_output is None) == (reply.repair_method == "NONE")
    assert looks_like_reply(text) in (True, False)
    _check(played.turn, world, played.world)


@pytest.mark.parametrize(
    "text",
    ["and " * 5000, '"' * 20000, "say " + "to " * 6000, "を取って" * 5000, "ﷺ" * 20000,
     "こんにちはと" * 3000 + "言う", "鍵" * 20000, "'a' " * 5000, "x" * 1_000_000],
    ids=lambda text: text[:6],
)  # fmt: skip
def test_long_words_are_heard_or_refused(text: str) -> None:
    """Text at the limit is parsed in linear time; longer text is refused."""
    world = WORLDS["house"]
    heard = parse(text, _find_speaker(world), world)

    assert 0 < len(heard) <= 20_000
    if len(text) > 20_000:
        assert ["too long"] == [claim.get("problem") for claim in heard]


@pytest.mark.slow
def test_ten_thousand_claims_are_weighed_and_the_rest_refused() -> None:
    """A turn judges ten thousand claims, and refuses the rest with one rejection."""
    world = WORLDS["garden"]
    flood = [{"type": "take", "target": "key"}, {"type": "drop", "target": "key"}] * 5001
    played = play_turn(
        SpokenWords(actor_id=_find_speaker(world), text=""), flood, world, BOOKS["default"]
    )

    assert 10_000 == len(played.turn.normalized_actions)
    assert ["TOO_MANY_CLAIMS"] == [r.code for r in played.turn.rejections]
    _check(played.turn, world, played.world)
