"""Every clause becomes a claim, if only one that keeps its words."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saniwa.language.parse import MOST_SPOKEN, parse
from tests.fakes.japanese_house import HANA, make_house
from tests.fakes.nightly import NIGHTLY, scale_examples

HOUSE = make_house()
_LONG = 5000 if NIGHTLY else 1000
LINKED = (
    "鍵を取って", "テレビをつけて", "テレビを消して、", "井戸を使って", "門を通って",
    "本を読んでから", "東へ行って", "ソファに座って", "壺を壊して", "庭師に鍵を渡し、",
    "井戸に触って", "辺りを見回して、", "門を開けて", "待って、", "出かけて",
    "鍵を取らないで", "東へ、", "ランプを灯し、",
)  # fmt: skip
CLOSING = (
    "ソファを見る", "北へ行く", "箱を開けてくれる？", "鍵を取る", "箱に触る", "入る",
    "ダンスを踊る", "本を机に置く", "パンを食べちゃおう", "待つ。", "取り消す", "西へ",
    "「やあ」と言う",
)  # fmt: skip


def _parse_japanese(text: str) -> list[dict[str, Any]]:
    return [*parse(text, HANA, HOUSE)]


def _list_kinds(text: str) -> list[str]:
    return [claim["type"] for claim in _parse_japanese(text)]


def _may_follow(clause: str, following: str) -> bool:
    if clause == "井戸を使って":
        return following.startswith(("箱", "門を開", "テレビ", "ランプ", "井戸"))
    goes = following.startswith(("北へ", "西へ", "東へ", "門を通", "入る"))
    return goes and clause in ("門を通って", "東へ、")


@settings(max_examples=scale_examples(200), deadline=None)
@given(st.lists(st.sampled_from(LINKED), max_size=6), st.sampled_from(CLOSING))
def test_no_clause_is_lost(linked: list[str], closing: str) -> None:
    """There are at least as many claims as clauses, however they are joined.

    Only a tool, an exit or a door may become a part of the next clause's claim.
    """
    clauses = [*linked, closing]
    served = sum(_may_follow(*two) for two in pairwise(clauses))

    assert len(clauses) - served <= len(_parse_japanese("".join(clauses)))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("テレビをつけてソファを見る", ["use", "inspect"]),
        ("テレビを消してソファを見る", ["use", "inspect"]),
        ("テレビをつけ、ソファを見る", ["use", "inspect"]),
        ("テレビをつけてからソファを見る", ["use", "inspect"]),
        ("じょうろを押して西へ行く", ["use", "move"]),
        ("井戸を使って本を読む", ["use", "inspect"]),
        ("井戸を使って。本を読む", ["use", "inspect"]),
        ("門を通って鍵を取る", ["move", "take"]),
        ("東へ、鍵を取る", ["move", "take"]),
        ("取らないで北へ行く", ["unrecognised", "move"]),
        ("壺に凭れて鍵を取る", ["unrecognised"]),
        ("もぐって鍵を取る", ["unrecognised", "take"]),
        ("鍵を取り門を開ける", ["take", "open"]),
    ],
)
def test_each_clause_is_a_claim_of_its_own(text: str, kinds: list[str]) -> None:
    """A て form is a tool only if the next verb takes one."""
    assert kinds == _list_kinds(text)


@pytest.mark.parametrize(
    "text", ["鍵を使って門を開ける", "鍵を使って門を解錠する", "鍵を使って井戸を回す"]
)
def test_a_tool_serves_the_verb_that_takes_one(text: str) -> None:
    """Xを使って is not a claim of its own before a verb that takes a tool."""
    assert "鍵" == _parse_japanese(text)[0]["tool"]


def test_ways_in_a_row_are_gone_one_after_another() -> None:
    """Commas separate exits that have no verb."""
    ways = [{"type": "move", "target": way} for way in ("東", "西", "西")]

    assert ways == _parse_japanese("東へ、西へ、西へ")
    assert ways == _parse_japanese("東、西、西")


def test_ways_follow_a_verb() -> None:
    """Exits after the first verb are used too."""
    assert ["下", "東", "北"] == [c["target"] for c in _parse_japanese("下りる、東へ、北へ")]


def test_words_without_a_verb_stay_together() -> None:
    """Only exits are separated at commas."""
    assert [{"type": "unrecognised", "words": "青、赤、黄"}] == _parse_japanese("青、赤、黄")


@pytest.mark.parametrize(
    "text",
    ["門を開けて入る", "門を開けて通る", "門を開けて進む", "鍵で門を開けて、入る", "扉を開けて通り抜ける"],
)  # fmt: skip
def test_a_door_just_opened_is_the_way(text: str) -> None:
    """After opening a door, going without a destination goes through it."""
    assert {"type": "move", "target": "それ"} == _parse_japanese(text)[-1]


def test_a_box_just_opened_is_no_way() -> None:
    """After opening a box, going without a destination stays open."""
    claims = parse("机を開けて進む", HANA, HOUSE)

    assert {"type": "move"} == claims[-1]


def test_going_is_described_twice_only_of_one_way() -> None:
    """A second verb of going is a claim of its own, unless it is the manner of the first."""
    assert ["move", "move"] == _list_kinds("東へ行く。進む")
    assert ["move"] == _list_kinds("東へ向かって歩く")


@pytest.mark.parametrize(
    ("text", "content", "rest"),
    [
        ("庭師に「これあげる」といって鍵を取る", "これあげる", ["take"]),
        ("庭師に「これあげる」といって、北へ行く", "これあげる", ["move"]),
        ("「門は開く？」ときく", "門は開く？", []),
        ("「おはよう」って言う", "おはよう", []),
        ("「おはよう」っていって待つ", "おはよう", ["wait"]),
        ("「おはよう」とあいさつする", "おはよう", []),
        ("「おはよう」と言って「さよなら」と言う", "おはよう", ["speak"]),
        ("庭師にこんにちはといって北へ行く", "こんにちは", ["move"]),
    ],
)
def test_saying_is_distinguished_from_going(text: str, content: str, rest: list[str]) -> None:
    """いって after と means saying, and the words around a quotation ask for nothing."""
    first, *others = _parse_japanese(text)

    assert ("speak", content) == (first["type"], first["content"])
    assert rest == [claim["type"] for claim in others]


@pytest.mark.parametrize("text", ["鍵、" * _LONG + "取る", "鍵と" * _LONG + "を調べる"])
def test_a_long_list_is_heard_in_step_with_its_length(text: str) -> None:
    """A long list is parsed in linear time."""
    assert MOST_SPOKEN < len(_parse_japanese(text))


@pytest.mark.parametrize(
    "text",
    [
        "ガチャリと箱を開ける",
        "勢いよく箱を開ける",
        "名残惜しそうに箱を開ける",
        "満面の笑みで箱を開ける",
    ],
)
def test_a_manner_changes_nothing(text: str) -> None:
    """Onomatopoeia and other adverbs of manner change nothing."""
    assert [{"type": "open", "target": "箱"}] == _parse_japanese(text)


@pytest.mark.parametrize(
    "text",
    ["箱が開いている状態にする", "箱が開いているようにしてください", "箱を開けっぱなしにしたい"],
)
def test_a_wished_state_is_brought_about(text: str) -> None:
    """A wished state is brought about by its verb."""
    assert [{"type": "open", "target": "箱"}] == _parse_japanese(text)


@pytest.mark.parametrize(
    "text", ["鍵を取って。いや、取らないで。", "次の文は嘘です。鍵を取る。", "鍵を取るけどいいよね"]
)
def test_what_is_taken_back_is_not_done(text: str) -> None:
    """A sentence that cancels another one prevents its action."""
    assert not {"take"} & set(_list_kinds(text))
