"""Whatever a model says, it cannot make the world untrue."""

import asyncio
import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from saniwa.agent.bridge import OracleBridge
from saniwa.agent.model_listener import HybridListener, ModelListener, parse_claims
from saniwa.agent.narration.narrator import MOST_FLAGS, ModelNarrator, check_narration
from saniwa.core.errors import SdkBridgeError
from saniwa.language.parser_context import ParserContext
from saniwa.models.fuzzing_oracle import FuzzingOracle
from saniwa.rulebook.judge import find_admissible_actions
from saniwa.runs.replay import replay_run
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.world.actions import ACTIONS
from saniwa.world.fingerprint import compute_fingerprint
from tests.fakes.answering_bridge import AnsweringBridge
from tests.fakes.japanese_house import make_house
from tests.fakes.runs import open_courtyard_run
from tests.fakes.turns import speak
from tests.fakes.worlds import PLAYER, make_courtyard

_NAMES = ["brass key", "key", "gate", "ring", "coin", "orchard", "keeper", "north", "me", "it", ""]
_VALUES = st.one_of(
    st.sampled_from(_NAMES), st.none(), st.integers(), st.text(max_size=8), st.lists(st.none())
)
_CLAIMS = st.dictionaries(
    st.sampled_from(
        ["type", "target", "targetId", "tool", "actorId", "content", "metadata", "recipient"]
    ),
    _VALUES,
    max_size=4,
).flatmap(
    lambda claim: st.sampled_from([*sorted(ACTIONS), "win"]).map(lambda k: {"type": k} | claim)
)
_ANSWERS = st.one_of(
    st.lists(_CLAIMS, max_size=5).map(lambda claims: json.dumps({"claims": claims})),
    st.lists(_CLAIMS, max_size=3).map(json.dumps),
    st.text(max_size=60),
)
_WORDS = st.sampled_from(["the", "You", "take", "open", "brass key", "iron gate", "orchard", "dragon",
    "is", "locked", ".", ",", "“", "”", "not", "and", "groundskeeper", "says", "鍵", "門が", "開いた", "。",
    "を取った", "「", "」", "\n", "\x1b[2J", "'", "who leaves", "in your hand", "\u202e"])  # fmt: skip
_TEXTS = st.one_of(st.lists(_WORDS, max_size=25).map(" ".join), st.text(max_size=80))


@given(st.lists(_ANSWERS, min_size=1, max_size=4), st.booleans(), _TEXTS)
def test_a_hostile_model_changes_nothing_untruly(
    answers: list[str], hybrid: bool, telling: str
) -> None:
    """Every change is of an action the rules allow, every turn is recorded, and the run replays."""
    heard, store = AnsweringBridge(*answers), MemoryRunStore()
    listener = HybridListener(heard) if hybrid else ModelListener(heard)
    narrator = ModelNarrator(AnsweringBridge(telling))
    run = open_courtyard_run(store, listener=listener, narrator=narrator)
    for number in range(len(answers)):
        before, allowed = (
            compute_fingerprint(run.world),
            set(map(repr, find_admissible_actions(run.world, PLAYER, run.book))),
        )
        told = asyncio.run(run.say("gribble the shiny one"))
        first = told.turn.applied_actions[:1]

        assert number + 1 == run.count
        assert told.turn.actor_id == PLAYER
        assert all(action.actor_id == PLAYER for action in told.turn.normalized_actions)
        assert first or before == compute_fingerprint(run.world)
        assert all(
            repr(action) in allowed
            for action in first
            if type(action).__name__ in ("Move", "Take", "Open", "Unlock", "Give")
        )
    assert replay_run(store, run.id).first_difference is None


@given(_ANSWERS, st.text(max_size=40))
def test_every_answer_is_some_claims(answer: str, words: str) -> None:
    """Reading an answer never fails, gives 1 to 32 claims, and no claim has an id."""
    claims = parse_claims(answer, words, ParserContext.from_world(make_courtyard(), PLAYER))

    assert 0 < len(claims) <= 32
    assert all(not key.endswith(("Id", "_id")) for claim in claims for key in claim)


@given(_TEXTS)
def test_checking_is_total_and_bounded(text: str) -> None:
    """No text makes the check fail, and the same text gets the same flags again."""
    for before, words in ((make_courtyard(), "take the key"), (make_house(), "鍵を取る")):
        turn, after = speak(words, before)
        flags = check_narration(text, turn, before, after, turn.actor_id)

        assert len(flags) <= MOST_FLAGS
        assert flags == check_narration(text, turn, before, after, turn.actor_id)


_KNOWN = st.sampled_from(["you", "the", "brass key", "iron gate", "bench", "groundskeeper", "is", "to",
    "take", "opens", "open", "unlocked", "not", "no", "see", "holds", "gives", "locked", "yours", "in", "on",
    "goes", "orchard", "shed", "wait", "and", ",", ".", "it", "he", "hand", "here", "your", "from"])  # fmt: skip
_DEEDS = {"take", "opens", "open", "unlocked", "not", "no", "holds", "gives", "yours",
    "goes", "hand", "locked"}  # fmt: skip


@given(st.lists(_KNOWN, max_size=12))
def test_where_nothing_was_done_no_deed_is_described(words: list[str]) -> None:
    """After a turn without an action, the check flags every combination of words that tells one."""
    before = make_courtyard()
    turn, after = speak("wait", before)
    # "goes" before another verb is not an action: "goes wait" is waiting.
    told = {word for word, then in pairwise([*words, ""]) if (word, then) != ("goes", "wait")}  # fmt: skip
    if not check_narration(" ".join(words), turn, before, after, PLAYER):
        assert _DEEDS.isdisjoint(told)


@given(_TEXTS)
def test_what_is_described_passed_the_check(text: str) -> None:
    """A model's narration that is shown raises no flag and has no control character."""
    run = open_courtyard_run(narrator=ModelNarrator(AnsweringBridge(text)))
    before = run.world
    turn = asyncio.run(run.say("take the brass key")).turn
    assert turn.narration is not None

    if turn.narration.by == "model":
        told = turn.narration.text
        assert () == check_narration(told, turn, before, run.world, PLAYER)
        assert all(letter == "\n" or letter.isprintable() for letter in told)


def test_a_malicious_model_loses_no_turn_in_hundreds() -> None:
    """Malformed text, floods, echoes and lost connections neither crash a run nor lose a turn."""
    store = MemoryRunStore()
    bridge = OracleBridge(FuzzingOracle(seed=7, faults=True), history=0)
    run = open_courtyard_run(store, listener=HybridListener(bridge), narrator=ModelNarrator(bridge))
    kept = 0
    for number in range(300):
        before = compute_fingerprint(run.world)
        try:
            turn = asyncio.run(run.say(f"gribble the shiny one {number % 3}")).turn
        except SdkBridgeError:
            assert before == compute_fingerprint(run.world)
            continue
        kept += 1
        assert turn.applied_actions or before == compute_fingerprint(run.world)
    assert kept == run.count == len(list(run.read_turns()))
    assert kept > 100
    assert replay_run(store, run.id).first_difference is None
