"""Rules of Japanese grammar that decide whether something is done, and to what."""

from pathlib import Path
from typing import Any

import pytest

from saniwa.language.lexicon.readings import is_same_reading, list_readings
from saniwa.language.parse import parse
from saniwa.scenario.loader import load_scenario
from saniwa.turn.model_reply import looks_like_reply, parse_reply_claims, read_reply
from saniwa.world.model import World
from tests.hearing.score import FOLDER, PLAYER, load_house

INN = load_house("inn_ja")
STATION = load_house("station_ja")
SHRINE = load_house("shrine_ja")
RAILWAY = load_house("railway_ja")
TEAHOUSE = load_house("teahouse_ja")


def _list_claims(text: str, *, narrated: bool = False) -> list[dict[str, Any]]:
    return [*parse(text, PLAYER, INN, narrated=narrated)]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("饅頭を食べる", [{"type": "eat", "target": "饅頭"}]),
        ("ちょっと饅頭を食べる", [{"type": "eat", "target": "饅頭"}]),
        ("柿も食べたいけど饅頭を食べる", [{"type": "eat", "target": "饅頭"}]),
        ("柿は持ったまま廊下へ", [{"type": "move", "target": "廊下"}]),
        ("懐に電報をしまう", [{"type": "take", "target": "電報"}]),
        ("マッチヲトレ", [{"type": "take", "target": "マッチ"}]),
        ("廊下へ走り出る", [{"type": "move", "target": "廊下"}]),
        ("無言のまま廊下に出る", [{"type": "move", "target": "廊下"}]),
        ("じゃあさ、電報を取るね", [{"type": "take", "target": "電報"}]),
        ("茶碗の黒いほうを取る", [{"type": "take", "target": "黒い茶碗"}]),
        ("走って廊下へ行く", [{"type": "move", "target": "廊下"}]),
        ("電報を読むために箪笥を開ける", [{"type": "open", "target": "箪笥"}]),
        ("座卓へ柿を", [{"type": "put", "target": "柿", "destination": "座卓"}]),
    ],
)
def test_a_command_is_done_once(text: str, claims: list[dict[str, Any]]) -> None:
    """Words around an action neither add an action nor remove it."""
    assert claims == [claim for claim in _list_claims(text) if claim["type"] != "unrecognised"]


@pytest.mark.parametrize(
    "text",
    ["饅頭を少しだけ食べる", "饅頭をちょっと食べる", "饅頭をひとかけら女将に渡す", "箪笥は閉めたままにしておく",
     "箪笥を閉める……のはやめて寝る", "饅頭を召し上がる", "夜になり次第、納戸に入る"],
)  # fmt: skip
def test_a_part_a_state_or_another_time_is_no_deed(text: str) -> None:
    """A part, a state or another time is not an action, and the words are kept."""
    assert {"unrecognised"} == {claim["type"] for claim in _list_claims(text)}


def test_what_is_done_in_brackets_is_apart_from_what_is_said() -> None:
    """In （電報を取る）これは？ the action in brackets is done, and the speech after it does not stop it."""
    first, *_ = _list_claims("（電報を取る）これは……？")

    assert {"type": "take", "target": "電報"} == first


@pytest.mark.parametrize(
    ("text", "kind"),
    [("缶切りをよく見る", "inspect"), ("缶切りをじっくり見る", "inspect"), ("缶切りを調べる", "search"),
     ("缶切りを見る", "emote"), ("女将をよく見る", "emote"), ("女将の方を見る", "emote")],
)  # fmt: skip
def test_a_closer_look_in_a_reply_is_an_inspection(text: str, kind: str) -> None:
    """In a reply a glance is a gesture; examining a thing that is not there is an inspection."""
    assert [kind] == [claim["type"] for claim in _list_claims(text, narrated=True)]


@pytest.mark.parametrize(
    ("word", "name"),
    [("おしいれ", "押し入れ"), ("押入れ", "押し入れ"), ("押しいれ", "押し入れ"), ("石けん", "石鹸"),
     ("でんぽう", "電報"), ("おかみ", "女将"), ("本だな", "本棚"), ("饅頭", "まんじゅう")],
)  # fmt: skip
def test_a_name_is_known_in_every_spelling(word: str, name: str) -> None:
    """Any character of a name may be in kana, and okurigana may be omitted."""
    assert is_same_reading(word, name)


@pytest.mark.parametrize(("word", "name"), [("橋", "箸"), ("い", "胃"), ("おし", "押し入れ")])
def test_another_word_is_not_the_name(word: str, name: str) -> None:
    """Two different words in kanji stay different, and a part is not the whole."""
    assert not is_same_reading(word, name)


def test_a_name_with_an_unknown_character_has_no_reading() -> None:
    """A name with an unknown character has no reading."""
    assert () == list_readings("鱻の箱")


def test_an_idiom_is_done_only_if_it_can_be_meant_literally(tmp_path: Path) -> None:
    """水を差す is an idiom even if there is water; 筆を置く puts down a brush."""
    text = (FOLDER / "world_inn_ja.yaml").read_text("utf-8")
    path = tmp_path / "inn.yaml"
    path.write_text(text.replace("柿", "水").replace("財布", "筆"), "utf-8")
    inn = load_scenario(path).world

    assert ["unrecognised"] == [claim["type"] for claim in parse("水を差す", PLAYER, inn)]
    assert [{"type": "drop", "target": "筆"}] == [*parse("筆を置く", PLAYER, inn)]


def _list_kinds(text: str, house: World) -> list[str]:
    return [claim["type"] for claim in parse(text, PLAYER, house)]


def _list_deeds(text: str, house: World) -> list[tuple[object, ...]]:
    """The claims that are no gesture, look or speech, as their values."""
    harmless = ("emote", "inspect", "look", "search", "speak")
    return [tuple(c.values()) for c in parse(text, PLAYER, house) if c["type"] not in harmless]


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("物置の扉へ行って開ける", [("open", "物置の扉")]),
        ("物置へ向かい、扉を開ける", [("open", "物置の扉")]),
        ("物置の前に立ち、扉を開ける", [("open", "物置の扉")]),
        ("駅員室の前まで行って扉を開ける", [("open", "駅員室の扉")]),
        ("改札へ戻って改札を閉める", [("close", "改札口")]),
        ("物置の扉へ行く", [("move", "物置の扉")]),
        ("ホームへ出て扉を閉める", [("move", "ホーム"), ("close", "扉")]),
    ],
)
def test_one_stops_at_a_door_to_do_something_to_it(
    text: str, deeds: list[tuple[object, ...]]
) -> None:
    """A door one goes to is passed only if nothing is done to it; a way that is open is taken."""
    assert deeds == _list_deeds(text, STATION)


@pytest.mark.parametrize(
    "text",
    [
        "新聞と帽子を見て、それを取る",
        "駅員とトメさんを見て、彼に切符を渡す",
        "新聞と帽子を取り、それを老婆に渡す",
    ],
)
def test_a_pronoun_after_several_items_is_not_understood(text: str) -> None:
    """A word for one thing means none of several that were named alike."""
    assert ["unrecognised"] == [claim["type"] for claim in parse(text, PLAYER, STATION)]


def test_an_omitted_object_is_everything_that_was_taken() -> None:
    """新聞と帽子を取って渡す gives both; after a look at both, it is asked which is meant."""
    taken = _list_deeds("新聞と帽子を取って老婆に渡す", STATION)
    seen = _list_deeds("新聞と帽子を見て、取る", STATION)

    assert [{"give", "新聞", "老婆"}, {"give", "帽子", "老婆"}] == [set(c) for c in taken[2:]]
    assert [("take",)] == seen


@pytest.mark.parametrize(
    ("text", "whom"),
    [("「はい、トメさん」と言って、駅弁を差し出します", "老婆"), ("トメさんに近づき、「どうぞ」と駅弁を差し出す", "トメさん"),
     ("「トメさんは優しいな」と言って駅弁を差し出す", None)],
)  # fmt: skip
def test_what_is_offered_is_for_the_person_spoken_to(text: str, whom: str | None) -> None:
    """A thing is given to the person called by name in the speech, or to the one approached."""
    claims = parse(text, PLAYER, STATION)

    assert [whom] == [c.get("recipient") for c in claims if c["type"] == "give"]


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("新聞wo取る", [("take", "新聞")]),
        ("新聞w取る", [("take", "新聞")]),
        ("新聞を取るl", [("take", "新聞")]),
        ("新聞を取るn", [("unrecognised", "新聞を取るn")]),
        ("駅弁を食べないl", [("unrecognised", "駅弁を食べないl", "prohibition", "食べない")]),
        ("置いてあったロッカーの鍵を取る", [("take", "ロッカーの鍵")]),
        ("くずかごに捨てられていた半券を拾う", [("take", "半券", "くずかご")]),
        ("ロッカーの鍵を開ける", [("unlock", "ロッカー")]),
        ("ストーブのふたを開ける", [("open", "ストーブ")]),
        ("救急箱を開けて切符をしまう", [("open", "救急箱"), ("put", "切符", "救急箱")]),
        ("トメさんにみかんを取ってあげる", [("take", "みかん"), ("give", "みかん", "トメさん")]),
        ("列車が来るのを待つ", [("wait",)]),
        ("列車が来るまで待つ", [("wait",)]),
        ("懐中電灯をかける", [("use", "懐中電灯")]),
        ("冷めないうちに駅弁を食べる", [("eat", "駅弁")]),
        ("ホームの健太に会いに行く", [("move", "ホーム")]),
    ],
)
def test_words_around_a_deed_say_nothing_else(text: str, deeds: list[tuple[object, ...]]) -> None:
    """Slips, descriptions and occasions leave the deed as it is."""
    assert deeds == _list_deeds(text, STATION)


@pytest.mark.parametrize(
    "text",
    [
        "救急箱を開けたら、包帯を取る",
        "救急箱を開けた後で包帯を取る",
        "救急箱を開けたあと、包帯を取って",
    ],
)
def test_a_deed_of_ones_own_comes_before_another(text: str) -> None:
    """たら and 後で after a deed of the speaker, before another one, say the order of both."""
    assert ["open", "take"] == [claim["type"] for claim in parse(text, PLAYER, STATION)]


@pytest.mark.parametrize(
    "text",
    ["救急箱が開いたら包帯を取る", "トメさんが救急箱を開けたら包帯を取る", "もし救急箱を開けたら包帯を取る",
     "鍵を見つけたらロッカーを開ける", "駅弁を食べたら怒られる", "切符を渡したら扉を開けてくれる",
     "救急箱を開けたら取ってもいい", "救急箱を開けなかったら包帯を取る", "駅弁を食べたらどう", "救急箱を開け次第、包帯を取る",
     "明日救急箱を開けたら包帯を取る", "救急箱を開けたら包帯が取れる"],
)  # fmt: skip
def test_what_others_do_or_what_may_fail_is_a_condition(text: str) -> None:
    """たら after anything but a deed of the speaker's own, or before no deed, changes nothing."""
    assert {claim["type"] for claim in parse(text, PLAYER, STATION)} <= {"unrecognised", "question"}


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("扇を腰掛けに置く", [("put", "扇", "腰掛け")]),
        ("鳥居をくぐって、石段を下りる", [("move", "鳥居"), ("move", "石段")]),
        ("朝の空気を味わう", []),
        ("石に腰掛ける", []),
    ],
)
def test_a_name_of_the_world_is_no_verb(text: str, deeds: list[tuple[object, ...]]) -> None:
    """A thing that is called like a form of a verb is that thing, and a way leads where it begins."""
    assert deeds == _list_deeds(text, SHRINE)


@pytest.mark.parametrize(
    "text",
    ["切符を渡すつもりで駅員に近づく", "切符を渡すべく駅員に近づく", "新聞を読みたくて長椅子に近づく",
     "ホームに出たくてうずうずする", "物置の扉は開く"],
)  # fmt: skip
def test_what_one_means_to_do_is_not_done_yet(text: str) -> None:
    """An aim before another deed, and what a thing does by itself, are no deeds."""
    assert {"unrecognised"} >= {kind for kind, *_ in _list_deeds(text, STATION)}


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("神主と巫女に会釈し、扇を渡す", [("give", "扇")]),
        ("巫女に会釈し、扇を渡す", [("give", "扇", "巫女")]),
        ("お守りと団子を取って、食べる", [("take", "お守り"), ("take", "団子"), ("eat", "団子")]),
        ("箱を開けて、しまう", [("open", "箱"), ("put", "箱")]),
        ("神主に扇を渡したら鍵をもらう", [("unrecognised", "神主に扇を渡したら鍵をもらう", "condition", "渡したら")]),
    ],
)  # fmt: skip
def test_what_is_not_said_is_asked(text: str, deeds: list[tuple[object, ...]]) -> None:
    """Of several people or things none is chosen, and nothing is put away that was not named."""
    assert deeds == _list_deeds(text, SHRINE)


@pytest.mark.parametrize(
    "text",
    ["女将は膝をついて、饅頭を食べる", "女将さん。箪笥を閉めて。", "箪笥を閉めてよ。ねえ、女将さん。",
     "女将に囁く。箪笥を閉めて。", "女将が立ち上がる。箪笥を閉める。", "饅頭を食べる。なーんてね。",
     "饅頭を食べる。来週ね。", "饅頭を食べる。女将が許せば。", "饅頭を食べる。いいですか？",
     "饅頭を食べる。女将が。", "候補：\n・饅頭を食べる", "回想。饅頭を食べる。", "饅頭を食べる……かな"],
)  # fmt: skip
def test_a_sentence_may_say_that_a_deed_is_not_meant(text: str) -> None:
    """What is another's deed, said to another, taken back, put off or asked is not done."""
    deeds = {"eat", "close"}
    assert deeds.isdisjoint(claim["type"] for claim in _list_claims(text))


@pytest.mark.parametrize(
    "text",
    ["微笑んで、饅頭を食べる", "女将に微笑んで、饅頭を食べる", "女将が微笑んだ。饅頭を食べる。",
     "饅頭を食べる。甘いな。", "饅頭を食べる。女将が微笑む。", "ねえ、饅頭を食べて。", "饅頭を食べる。今すぐ。"],
)  # fmt: skip
def test_talk_around_a_deed_does_not_stop_it(text: str) -> None:
    """A gesture, a person nearby, a feeling or a haste leaves the deed as it is."""
    assert [c["target"] for c in _list_claims(text) if c["type"] == "eat"] == ["饅頭"]


@pytest.mark.parametrize(
    "text", ["饅頭を食べる。いいのだろうか。", "女将が立ち上がる。饅頭を食べる。"]
)
def test_prose_around_a_deed_does_not_stop_a_reply(text: str) -> None:
    """A character who describes doubts, or what another does, still acts."""
    assert "eat" not in [claim["type"] for claim in _list_claims(text)]
    assert "eat" in [claim["type"] for claim in _list_claims(text, narrated=True)]


def test_a_later_sentence_corrects_what_was_said() -> None:
    """What was meant instead, no longer wanted, or to be done before."""
    assert [{"type": "take", "target": "黒い茶碗"}] == _list_claims(
        "白い茶碗を取って。ごめん、黒。"
    )
    assert [{"type": "take", "target": "電報"}] == _list_claims(
        "電報とマッチを取る。マッチはいらない。"
    )
    order = [claim["type"] for claim in _list_claims("廊下に出る。その前に電報を取る。")]
    assert order == ["take", "move"]


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("小さな鍵を取ってロッカーの鍵を外し、扉を開ける",
         [("take", "小さな鍵"), ("unlock", "ロッカー"), ("open", "ロッカー")]),
        ("ロッカーの鍵を外す。ドアを開ける。", [("unlock", "ロッカー"), ("open", "ロッカー")]),
        ("ロッカーの前にしゃがみ、扉を開ける", [("open", "ロッカー")]),
        ("トランクの鍵を開けて、蓋を開ける", [("unlock", "トランク"), ("open", "トランク")]),
        ("引き出しの取っ手を引く", [("open", "引き出し")]),
        ("時刻表を読んで、扉を開ける", [("open", "扉")]),
        ("長椅子に近づいて、扉を開ける", [("open", "扉")]),
        ("出札台に近づいて、引き出しを開ける", [("open", "引き出し")]),
    ],
)  # fmt: skip
def test_a_door_belongs_to_what_was_unlocked_or_gone_to(
    text: str, deeds: list[tuple[object, ...]]
) -> None:
    """A door, a lid or a drawer is that of the thing before it, if that can have one."""
    assert deeds == _list_deeds(text, RAILWAY)


def test_an_ambiguous_door_is_not_opened() -> None:
    """A trunk has a lid; a door named after it could be another one, so nothing is done."""
    assert _list_kinds("トランクの鍵を開けて、扉を開ける", RAILWAY) == ["unrecognised"]


@pytest.mark.parametrize("text", ["笛を取って磨く", "ストーブをつけて踊る", "笛を取り、茶を温める"])
def test_deeds_of_which_one_is_unknown_are_not_done(text: str) -> None:
    """Of deeds that belong together, all are done or none."""
    assert _list_kinds(text, RAILWAY) == ["unrecognised"]


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("ふえをとって、ふく", [("take", "ふえ"), ("use", "それ")]),
        ("ストーブのつまみを回して火をつける", [("use", "ストーブ")]),
        ("ストーブをつけて、寒い", [("use", "ストーブ")]),
        ("女学生に赤いマフラーを取って渡す",
         [("take", "赤いマフラー"), ("give", "それ", "女学生")]),
        ("ストーブを叩く", []),
        ("マフラーを巻く", []),
        ("駅弁を食べて、熱い", []),
    ],
)  # fmt: skip
def test_an_object_is_used_as_its_kind_is(text: str, deeds: list[tuple[object, ...]]) -> None:
    """A whistle is blown; what has no use of that kind is not used."""
    made = _list_deeds(text, RAILWAY)
    assert deeds == [claim for claim in made if claim[0] != "unrecognised"]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("ストーブをつけ（熱いけど）、待つ", ["use", "wait"]),
        ("笛を取り（音が大きくないといいけど）、待つ", ["take", "wait"]),
        ("1. 笛を取る 2. ストーブをつける 3. 待つ", ["take", "use", "wait"]),
        ("*ため息をつく* 少し待つことにする。", ["emote", "wait"]),
        ("*うなずく* 笛を取り、「これか」とつぶやく。", ["emote", "take", "speak"]),
        ("*うなずく* これを駅長に渡します。", ["emote", "speak"]),
        ("*うなずく* 笛を取ってください。", ["emote", "speak"]),
        ("*うなずく* 後で笛を取ります。", ["emote", "speak"]),
    ],
)
def test_remarks_in_brackets_are_distinguished_from_actions(text: str, kinds: list[str]) -> None:
    """A remark in brackets stops nothing; a sentence outside asterisks that tells of a deed is one."""
    claims = parse_reply_claims(read_reply(text), PLAYER, RAILWAY)
    made = claims if looks_like_reply(text) else parse(text, PLAYER, RAILWAY)
    assert kinds == [claim["type"] for claim in made]


@pytest.mark.parametrize(
    "text", ["ストーブをつけ（明日だけど）、外を見る", "笛を取り（嘘だよ）、外を見る"]
)
def test_a_remark_that_says_a_deed_is_not_meant_stops_it(text: str) -> None:
    """Brackets may put a deed at another time or take it back."""
    assert not {"use", "take"} & set(_list_kinds(text, RAILWAY))


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("列車が来る前に駅弁を食べておく", [("eat", "駅弁")]),
        ("店が混む前に駅弁を食べる", [("eat", "駅弁")]),
        ("駅長が見ていないうちに切符を取る", [("take", "切符")]),
        ("誰もいないようなので切符を取る", [("take", "切符")]),
        ("もし聞かれたら客だと答えるつもりで、切符を取る", [("take", "切符")]),
        ("切符だけ取って、残りはそのまま", [("take", "切符")]),
        ("①切符を取る ②駅弁を食べる", [("take", "切符"), ("eat", "駅弁")]),
        ("駅弁を食べる。ただし切符には触らない", [("eat", "駅弁")]),
        ("駅弁を食べて、健太におはようと言う", [("eat", "駅弁"), ("speak",)]),
        ("健太と話す", [("speak",)]),
        ("ホームえ行く", [("move", "ホーム")]),
    ],
)
def test_asides_to_a_deed_leave_it(text: str, deeds: list[tuple[object, ...]]) -> None:
    """A time, a reason or an intention before a deed, and what is left alone, stop nothing."""
    claims = parse(text, PLAYER, STATION, narrated=False)
    done = [c for c in claims if c["type"] != "unrecognised"]

    assert deeds == [(c["type"], *([c["target"]] if "target" in c else [])) for c in done]


@pytest.mark.parametrize(
    "text",
    [
        "列車が来る前に駅弁を食べた",
        "寝る前に駅弁を食べる",
        "明日列車が来る前に駅弁を食べる",
        "列車が来る前に健太が駅弁を食べる",
        "駅長がいないうちは切符を取れない",
        "もし聞かれたら客だと答えるつもりで、切符を取った",
        "切符を取って、やっぱりそのままで",
        "駅弁を食べる。ただし駅弁には触らない",
        "健太に、駅弁を食べて、切符を取ってと言う",
        "駅弁を食べて、健太におはようと言った",
        "①切符を取る ②駅弁を食べる どれ？",
    ],
)
def test_asides_make_no_deed_of_a_sentence_that_asks_for_none(text: str) -> None:
    """Without its asides, a report, a habit, another's deed or what is only said stays so."""
    kinds = {c["type"] for c in parse(text, PLAYER, STATION, narrated=False)}

    assert kinds <= {"unrecognised", "speak", "question"}


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("柿を嗅ぐ", {"type": "inspect", "target": "柿"}),
        ("棗の香りを嗅ぐ", {"type": "inspect", "target": "棗"}),
        ("竹林を嗅ぐ", {"type": "inspect", "target": "竹林"}),
        ("露地を嗅ぐ", {"type": "inspect", "target": "露地"}),
        ("傘を嗅ぐ", {"type": "inspect", "target": "傘"}),
        ("権助さんに手を振る", {"type": "inspect", "target": "権助さん"}),
        ("柿を照らす", {"type": "inspect", "target": "柿"}),
        ("饅頭を嗅ぐ", {"type": "emote", "content": "饅頭を嗅ぐ"}),
        ("夜の空気を嗅ぐ", {"type": "emote", "content": "夜の空気を嗅ぐ"}),
        ("露地に手を振る", {"type": "emote", "content": "露地に手を振る"}),
        ("権助さんの顔を思い浮かべる", {"type": "emote", "content": "権助さんの顔を思い浮かべる"}),
        ("小夜さんに手を振る", {"type": "emote", "content": "小夜さんに手を振る"}),
    ],
)
def test_a_gesture_at_what_is_not_in_reach_is_refused(text: str, claim: dict[str, Any]) -> None:
    """A gesture that a player makes at an absent thing or person is an inspection, which is refused."""
    assert [claim] == [*parse(text, PLAYER, TEAHOUSE)]
    assert ["emote"] == [c["type"] for c in parse(text, PLAYER, TEAHOUSE, narrated=True)]


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        (
            "棗を取って(手紙はそのまま)、小夜さんに渡す",
            [("take", "棗"), ("give", "それ", "小夜さん")],
        ),
        ("1.饅頭を食べる 2.庭に出る", [("eat", "饅頭"), ("move", "庭")]),
        ("水屋に行って、そこにある柄杓を取る", [("move", "水屋"), ("take", "柄杓")]),
        ("先生がよそ見をしている間に箱を開ける", [("open", "箱")]),
        ("扇子を先生に渡す、いややっぱり渡さずに棚に置く", [("put", "扇子", "棚")]),
        ("近寄って饅頭を取る", [("take", "饅頭")]),
        ("躙口をくぐって露地に出る", [("move", "露地")]),
    ],
)
def test_the_deed_is_found_among_other_words(text: str, deeds: list[tuple[object, ...]]) -> None:
    """What stays, a number, a place just gone to and what is taken back leave the deed as it is."""
    assert deeds == _list_deeds(text, TEAHOUSE)


@pytest.mark.parametrize(
    "text",
    ["1.箱を開ける 2.饅頭を食べる のうちどれがいい", "私が寝ている間に箱を開ける", "先生が寝ている間に箱を開けた",
     "饅頭を食べる、いややっぱり食べない", "近寄って饅頭を取った", "箱を開けるかもしれない", "先生が躙口をくぐって露地に出る"],
)  # fmt: skip
def test_words_like_those_around_a_deed_ask_for_none(text: str) -> None:
    """A choice, one's own sleep, a deed taken back and a guess are no deeds."""
    assert {"unrecognised", "question"} >= {kind for kind, *_ in _list_deeds(text, TEAHOUSE)}


@pytest.mark.parametrize(
    ("text", "seen"),
    [("招待状を見返す", "招待状"), ("招待状を取り出して、読み返す", "招待状"), ("黒い茶碗の底の印を見る", "黒い茶碗"),
     ("黒い茶碗の蓋の印を見る", "黒い茶碗の蓋の印")],
)  # fmt: skip
def test_a_described_part_and_another_look_inspect_the_whole(text: str, seen: str) -> None:
    """A second look, and a part of which the description tells, inspect the thing."""
    assert [{"type": "inspect", "target": seen}] == [*parse(text, PLAYER, TEAHOUSE)]


def test_a_guess_forbids_nothing() -> None:
    """かもしれない is an opinion, and no prohibition."""
    (claim,) = parse("頭が冴えるかもしれない", PLAYER, TEAHOUSE)

    assert "statement" == claim["problem"]
