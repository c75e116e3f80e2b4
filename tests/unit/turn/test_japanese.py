from typing import Any

import pytest

from saniwa.language.parse import parse
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Id, Location
from tests.fakes.japanese_house import HANA, make_house


def _parse_japanese(text: str) -> list[dict[str, Any]]:
    return [*parse(text, HANA, make_house())]


def test_nouns_in_kana_keep_their_particles_inside() -> None:
    """に in おにぎり is not a particle."""
    assert [{"type": "eat", "target": "おにぎり"}] == _parse_japanese("おにぎりを食べる")


def test_a_noun_that_looks_like_a_verb_is_a_noun() -> None:
    """とって before を is a handle, not a form of 取る."""
    assert [{"type": "use", "target": "とって"}] == _parse_japanese("とってを引く")


def test_an_object_left_out_is_the_one_before() -> None:
    """An omitted object is that of the previous clause."""
    claims = _parse_japanese("本を読んで、箱に入れる")

    assert {"type": "put", "target": "それ", "destination": "箱"} == claims[1]


def test_an_item_used_for_the_next_verb_is_its_tool() -> None:
    """Xを使って names the tool of the next verb."""
    assert {"type": "lock", "target": "門", "tool": "鍵"} == _parse_japanese(
        "鍵を使って門を施錠する"
    )[0]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("行く", None),
        ("戻る", "後ろ"),
        ("部屋を出る", "外"),
        ("門から出る", "門"),
        ("梯子を上る", "上"),
        ("井戸の方へ歩く", "井戸"),
        ("果樹園まで走る", "果樹園"),
        ("北の方に進みます", "北"),
        ("知らない町へ", "知らない町"),
    ],
)
def test_ways_are_named_in_many_ways(text: str, target: str | None) -> None:
    """Particles are ignored; without a name, the verb may imply the exit."""
    (claim,) = _parse_japanese(text)

    assert ("move", target) == (claim["type"], claim.get("target"))


@pytest.mark.parametrize(
    ("text", "kind", "target"),
    [
        ("扉に鍵をかける", "lock", "扉"),
        ("扉の鍵を閉める", "lock", "扉"),
        ("鍵を外す", "unlock", None),
        ("鍵を開ける", "unlock", None),
        ("扉の鍵を外す", "unlock", "扉"),
        ("帽子を壁にかける", "put", "帽子"),
    ],
)
def test_locks_are_distinguished_from_keys(text: str, kind: str, target: str | None) -> None:
    """Opening the 鍵 of a door means unlocking the door."""
    (claim,) = _parse_japanese(text)

    assert (kind, target) == (claim["type"], claim.get("target"))


@pytest.mark.parametrize(
    ("text", "kind", "target"),
    [
        ("机の中を探す", "search", "机"),
        ("机を探す", "search", "机"),
        ("宝を探す", "search", "ここ"),
        ("机で宝を探す", "search", "机"),
        ("調べる", "search", None),
        ("彼を調べる", "inspect", "彼"),
        ("部屋の中を調べる", "search", "部屋"),
        ("箱の中身を確認する", "search", "箱"),
    ],
)
def test_looking_is_distinguished(text: str, kind: str, target: str | None) -> None:
    """A visible thing is searched; to look for another one, the room is searched."""
    (claim,) = _parse_japanese(text)

    assert (kind, target) == (claim["type"], claim.get("target"))


def test_going_is_said_in_two_verbs_and_done_once() -> None:
    """向かって歩く is one move."""
    assert [{"type": "move", "target": "北"}] == _parse_japanese("北に向かって歩く")


def test_the_inside_is_that_of_the_item_mentioned_last() -> None:
    """中を見る after opening looks into the opened thing."""
    assert {"type": "search", "target": "それ"} == _parse_japanese("箱を開けて、中を見る")[1]


def test_words_around_a_quotation_only_frame_it() -> None:
    """The words around a quotation are not an action."""
    assert [{"type": "speak", "content": "待て"}] == _parse_japanese(
        "花は庭師に「待て」と大声で叫ぶ"
    )


def test_words_before_a_quotation_that_ask_for_something_are_kept() -> None:
    """A command before a quotation is kept."""
    assert ["take", "speak"] == [c["type"] for c in _parse_japanese("鍵を取って「よし」")]


def test_what_is_bought_from_a_person_is_taken_from_them() -> None:
    """もらう marks the giver with に."""
    assert [{"type": "take", "target": "鍵", "source": "庭師"}] == _parse_japanese(
        "庭師に鍵をもらう"
    )


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("庭師に話しかける", {}),
        ("庭師に挨拶します", {}),
        ("庭師に門のことを聞く", {"about": "門"}),
        ("門について庭師に尋ねてみる", {"about": "門"}),
    ],
)
def test_talk_names_the_person_and_the_topic(text: str, about: dict[str, str]) -> None:
    """Talk to a person needs no quoted words, as written answers may exist."""
    assert [{"type": "speak", "to": "庭師", **about}] == _parse_japanese(text)


@pytest.mark.parametrize(
    "text",
    ["庭師に話しかけるな", "庭師に話しかけた", "庭師に聞けばわかる", "あとで庭師に門のことを聞く"],
)
def test_talk_that_is_not_asked_for_is_no_talk(text: str) -> None:
    """Talk needs a command, because an answer may change the world."""
    assert "speak" not in [claim["type"] for claim in _parse_japanese(text)]


@pytest.mark.parametrize("text", ["トムという赤い猫を登場させる", "名前がトムの赤い猫を登場させる"])
def test_a_person_can_be_brought_in(text: str) -> None:
    """A game master's verb names the character to introduce."""
    (claim,) = _parse_japanese(text)

    assert ("introduce", "トム") == (claim["type"], claim["target"])
    look = "赤い猫"
    assert {"name": "トム", "description": look, "aliases": [look]} == claim["metadata"]


@pytest.mark.parametrize(
    "text",
    [
        "箱を開けて中身を取る",
        "箱を開けて中身を全部取る",
        "箱を開けて中のものを全部取る",
        "箱を開ける。中身を全部取る。",
    ],
)
def test_contents_are_those_of_what_was_just_opened(text: str) -> None:
    """中身 without its owner is all that is in the container opened before."""
    taken = {"type": "take", "target": "全部", "source": "箱"}

    assert [{"type": "open", "target": "箱"}, taken] == _parse_japanese(text)


def test_a_helping_verb_may_lead_on() -> None:
    """開けてみて links like 開けて."""
    assert ["open", "move"] == [c["type"] for c in _parse_japanese("門を開けてみて、北へ行く")]


def test_words_before_a_quotation_that_mean_nothing_stay() -> None:
    """Words that are not understood before a quotation are kept."""
    assert ["unrecognised", "speak"] == [c["type"] for c in _parse_japanese("ほげほげ「やあ」")]


def test_a_quotation_another_reacts_to_is_still_speech() -> None:
    """と without a verb of speech does not change the quotation's claim."""
    assert ["speak", "take"] == [c["type"] for c in _parse_japanese("「よし」と鍵を取る")]
    assert "speak" == _parse_japanese("「よし」と")[0]["type"]


def test_a_tool_with_more_words_around_it_is_a_use_of_its_own() -> None:
    """鍵を門に使って is a complete use."""
    assert "use" == _parse_japanese("鍵を門に使って、北へ行く")[0]["type"]


def test_the_speaker_is_no_object() -> None:
    """花は before a verb is the subject."""
    assert [{"type": "take"}] == _parse_japanese("花は取る")


def test_very_long_words_in_kana_do_nothing() -> None:
    """A very long word in kana that is not understood does nothing."""
    word = "ぬ" * 60
    assert ["unrecognised"] == [c["type"] for c in _parse_japanese(f"{word}に{word}を取る")]


def test_the_inside_can_be_searched_too() -> None:
    """中を調べる searches the thing mentioned last."""
    assert {"type": "search", "target": "それ"} == _parse_japanese("箱を開けて中を調べる")[1]


def test_one_hearer_is_taken_off_what_is_said() -> None:
    """Of several people named, only the first is spoken to, the same in every process."""
    people = ("私", "太郎", "花子", "次郎")
    world = build_world(
        [Entity(id=Id(n), name=n, kind="character", place=Id("部屋")) for n in people],
        [Location(id=Id("部屋"), name="部屋")],
        language="ja",
    )

    claims = parse("太郎に次郎にこんにちはと言う", Id("私"), world)

    assert ({"type": "speak", "content": "次郎にこんにちは"},) == claims


@pytest.mark.parametrize("text", ["太郎が鍵を取る", "太郎は門を開ける", "太郎に鍵を取ってもらう"])
def test_what_another_does_is_not_the_speakers_act(text: str) -> None:
    """An action with another subject is not claimed for the speaker."""
    world = build_world(
        [Entity(id=Id(n), name=n, kind="character", place=Id("庭")) for n in ("花子", "太郎")],
        [Location(id=Id("庭"), name="庭")],
        language="ja",
    )

    assert ["unrecognised"] == [c["type"] for c in parse(text, Id("花子"), world)]


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("本を机の上に置く", None),
        ("本を机に置く", None),
        ("本を机の中に入れる", "in"),
        ("本を机にしまう", "in"),
        ("本を箱に入れる", None),
        ("本を箱の上に置く", "on"),
        ("本を箱にのせる", "on"),
    ],
)
def test_inside_and_on_top_are_kept_where_they_matter(text: str, relation: str | None) -> None:
    """`in` or `on` is kept only where it is unusual for the destination."""
    box = Entity(id=Id("箱"), name="箱", kind="container", place=Id("庭"))
    desk = Entity(id=Id("机"), name="机", kind="supporter", place=Id("庭"))
    hana = Entity(id=HANA, name="花", kind="character", place=Id("庭"))
    world = build_world([box, desk, hana], [Location(id=Id("庭"), name="庭")], language="ja")

    assert [relation] == [c.get("relation") for c in parse(text, HANA, world)]
