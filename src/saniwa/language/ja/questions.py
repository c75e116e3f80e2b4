"""Which question a Japanese sentence asks, from the words in it.

`language.questions` has the rules; this module says which features Japanese words have.
"""

import re
from typing import NamedTuple

from saniwa.language.ja.tokens import Token
from saniwa.language.lexicon import ja, readings
from saniwa.language.names import strip_honorific
from saniwa.language.parser_context import ParserContext
from saniwa.language.questions import (
    Features,
    build_feature_table,
    classify_question,
    find_features,
)
from saniwa.language.text import PreparedText, fold_text

_WORDS: dict[str, str] = {
    "": "どうにか なんとか 何とか どうか どうぞ どうも 何卒 なにとぞ 何でも なんでも 誰でも どういたし",
    "where": "どこ どちら どっち いずこ どの部屋 何の部屋 何部屋 なんの部屋 どの場所 現在地 現在位置 居場所 どのへん どの辺 どのあたり "
    "どこら 何の場所 何という場所 何という部屋 なんて部屋 何て部屋 何ていう部屋 どんな部屋 どんな場所 どんなところ どんな所 どういう場所 "
    "どういうところ 部屋の名前 場所の名前 名前の部屋 迷子",
    "who": "誰 だれ どなた 何人 何名 どんな人 何者",
    "what": "なんでしょ なんです なにもって 何もって 何持って 何もっと 何から なにから 何 なに なん どんな どれ どの いくつ 何個 何か "
    "なにか なんか 何も なにも 一覧 りすと 全部言 どうなって どうなっと 中身 もの 物 品 あいてむ もん 何本 何枚",
    "any": "何か なにか なんか 他に ほかに 他の ほかの ないの ないかな ありますか ある",
    "how": "どう どうやって どうやったら どうすれば どうすりゃ どうしたら どうしら どないして どないしたら どないすれば いかに どうする け方 "
    "り方 き方 み方 べ方 ち方 し方 い方 び方 め方 え方 せ方 方法 やり方 やりかた 仕方 しかた 手順 使い方 手段 使いかた すべ 術 言い方 "
    "入力 打てば 打ち込 るには くには すには うには むには つには ぶには ぐには どの道 行き方 行きかた 何て言え なんて言え 何と言え るのに必要",
    "why": "なぜ なんで どうして 何故 どういうわけ なにゆえ 何ゆえ",
    "when": "いつ 何歳 いくら 何時 誰の だれの どう思 どうなる どうなり どうかな どうだろう どうですか どうでしょう 何のため なんのため "
    "何色 どのくらい どれくらい どれぐらい",
    "self": "私 わたし わたくし 僕 ぼく 俺 おれ うち 自分 わし 拙者 当方 我 あたし おいら 我々 わたしたち 私たち わい",
    "here": "ここ この部屋 この場 この場所 部屋 周り まわり 周囲 あたり 辺り そば 近く 目の前 同じ部屋 室内 今いる この家 この辺 そこ "
    "その場 今居る いまいる いま居る この中",
    "amhere": "ここ この部屋 この場所 私が今いる 今いる 合って 合ってる",
    "person": "みんな 皆 皆さん 彼 彼女 あの人 あいつ",
    "someone": "誰か だれか 誰も だれも 人 人物 人間 登場人物 きゃら きゃらくたー 相手 話し相手 他の人 ほかの人 無人 気配 仲間 "
    "どなたか 人影 ほかの方",
    "company": "一人 ひとり 一人きり ひとりきり 独り 無人 私しか 俺しか 僕しか 自分しか 一緒にい 一緒におる いっしょにい 私だけ 俺だけ "
    "僕だけ 自分だけ 連れ",
    "hint": "どうしていい ひんと 助言 あどばいす 手がかり 手掛かり てがかり 攻略 こつ ごーる 目的 目標 詰まった 詰まって 詰まり 詰んだ 詰んで "
    "詰みました 詰み 行き詰 ゆきづま 手詰まり お手上げ おてあげ 助けて 助け舟 助けがほしい おすすめ お勧め お薦め 次の一手 どうしよう "
    "どうしたもの 正解 務め 役目 使命 やること すること やるべき すべきこと すべき するべき 何をすれ 何すれ なにすれ なにをすれ 何をしたら "
    "何したら なにしたら なにをしたら 何すりゃ 何をすりゃ なにすりゃ 何をやれ 何やれ 何をやったら 何やったら 目指せ 目指す 進めない 進めなく "
    "進めん 先に進 話を進 物語を進 話が進 くりあ 何をするげーむ 何しに 何をしに なにしに 途方に暮 お手あげ 導いて 糸口 きっかけ 次の行動 次の手 "
    "打つ手 切り抜け 指針 どうしたらええ 思いつかな 見当がつか 見当もつか 何していいか 何をしていい 何していい",
    "begin": "始め はじめ 手をつけ 手を付け 取りかか 取り掛か 何から なにから 着手",
    "next": "次 つぎ これから このあと この後 今から どうすれば どうしたら どうすりゃ どないしたら どないすれば どうする どうやったら "
    "どうしら 先 最初 まず 進めれ 進めたら 進めば 進んだら 進めれば",
    "do": "する します しよう すべ したらい すれば やる やろう したらえ",
    "should": "すればいい したらいい すべき",
    "options": "できること 出来ること できる事 出来る事 できるこ 何ができ 何が出来 なにができ なにが出来 何をでき 選択肢 こまんど "
    "どんな行動 どういう行動 可能な行動 行動一覧 取れる行動 とれる行動 できる行動 出来る行動 何が可能 何が選べ 何か出来 何かでき どんなことが "
    "どんなことでき どんな事が 行動の 行動は できますことは やれること 何をすることができ 何ならでき 何しかでき 操作",
    "able": "でき 出来 可能",
    "permit": "ていい でいい てもいい でもいい ていーい てい〜い てもよ でもよ てよい てよろ でよろ 大丈夫 構 かまわ かまへ かまい "
    "平気 問題ない 問題 だめ 駄目 あかん まずい まずく 許 怒ら 怒る 叱ら 叱る 差し支え さしつかえ おーけー おっけ ok 無理 るのはあり "
    "てもええ でもええ ありですか 可能 いけない てええ でええ 勝手に 失礼 許可 禁止 ことはでき ことができ ことって 咎め ても良い てかま "
    "いけませんか 悪い",
    "need": "必要 何がいる なにがいる 何が要る 何がい 要り 要る いりますか 入り用",
    "not": "ない へん ません ぬ ねえ んの",
    "exit": "出口 出入り口 出入口 でぐち 道 抜け道 逃げ道 通路 通り道 入口 入り口 行き先 移動先 行ける場所 行けるところ 行ける所 方角 "
    "方向 行ける部屋 隣の部屋 となりの部屋 他の部屋 ほかの部屋 外に出 外へ出 ここから出 から出る から出ら から出れ から出た 脱出 ここを出 "
    "別の部屋 進める場所 進めるところ 次の部屋 行けるの 隣 となり 移動でき 移動可能 出る道 ここから行",
    "leave": "から出る から出ら から出れ から出た から出て を出る を出ら",
    "go": "行け 行く 行っ 行き 進め 進む 出られ 出れ 移動 向かえ 抜け 行こ 通れ いける いけます いけばい",
    "lead": "通じ 続いて 続く つなが 繋が の先 先は 先には 向こう 抜けると 行くと 行ったら 出ると 進むと 進んだら の奥 通ると 抜けた先 "
    "開けた先",
    "hold": "なにもって 何もって 何持って 何もっと 持って 持っと もって 所持し 手にし 持参 抱え 携え 持ってい 身につけ 握 持ってた "
    "持ってる 持っていた 持ち合わせ",
    "owned": "持ち物 もちもの 所持品 荷物 手持ち 手荷物 ぽけっと 手元 手もと 手ぶら いんべんとり かばん 鞄 懐 持ってるもの 所持して "
    "所持している 手にあ 携行品 装備 持ってるもん 手の中 手には 手に何 所持 ばっぐ りゅっく",
    "inside": "入って 入っと 入ってる はいって 載って 乗って のって 置いてあ 置いてる 置いとる 置かれ 並ん 並べ 隠さ 隠して 詰まって "
    "収め しまって 中身 仕舞 おいて 乗せ 載せ 中には 潜ん 落ちて 転が",
    "empty": "空っぽ からっぽ 空 から？ 中身 空なの すっからかん",
    "things": "もの 物 品 あいてむ もん 置いてある物 置いてあるもの 品物",
    "locate": "場所 ありか 在り処 ありどころ 居場所 位置 在処 所在 行方",
    "seen": "見かけ 見なかっ 見当たら 見つから 見つかりま 探して さがして 捜して 知りません 知らない 知らん 見ませんでし 見てない なくした "
    "失くした 見失 どこで見つ",
    "see": "見え みえ 目に入 様子 見渡 周りに まわりに 周囲に あたりに 辺りに 目の前 光景 周りは 周囲は 景色 あたりは 辺りは まわりは "
    "ここには何 ここに何 ここには なにがみえ 周りを あたりには 辺りには 見回",
    "called": "名前 何という なんという 何ていう なんていう 説明 何の部屋 どんな部屋",
    "state": "開いて 閉まって 閉じて かかって ついて 点いて 消えて 開いてる",
    "indoors": "家の中 屋内 屋外 外",
}  # fmt: skip
"""Features and the words that have them; a word may have several."""


def _collect_phrases() -> dict[tuple[str, ...], str]:
    made: dict[tuple[str, ...], str] = {}
    for feature, phrases in (*_WORDS.items(), ("owned", " ".join(ja.HELD))):
        for phrase in phrases.split():
            letters = tuple(readings.fold_kana(phrase))
            made[letters] = f"{made.get(letters, '')} {feature}"
    return made


_TABLE = build_feature_table(_collect_phrases())
_NO_DEEDS = frozenset(
    {"exist", "think", "stop", "light", "adjective", "be", "unknown", "speak", "stand", "gesture",
     "see", "look", "inspect", "search", "hunt", "move", "pass", "leave", "wait"}
)  # fmt: skip
_GOING = frozenset({"move", "pass", "leave", "approach"})
_NO_DEED_VERBS = frozenset({"持つ", "もつ", "手にする", "しまう"})
_LASTING = frozenset({"result", "prog", "passive"})
_WITHIN = frozenset(
    {"中", "上", "下", "なか", "うえ", "した", "裏", "奥", "内側", "内部", "後ろ", "陰", "前", "横", "隣", "底", "中身"}
)  # fmt: skip
_AT = frozenset({"に", "には", "にも", "にわ"})
_IDIOMATIC = frozenset({"hint", "options", "begin", "inside", "see", "hold"})
"""Features of words whose verb is no deed: お手上げ."""
_KNOWN = frozenset({"thing", "person", "place", "here", "self", "exit", "go", "lead", "begin"})
_MARKS = {"able": "able", "permit": "permit", "forbid": "permit", "neg": "not", "past": "past"}
_KANA = re.compile("[ぁ-ゖ]{1,20}")
_LONGEST = 80
"""The most tokens of a question that are looked at closely."""


class _Noun(NamedTuple):
    """Words of a question that name something of the world."""

    start: int
    end: int
    kind: str


class JapaneseQuestion:
    """A sentence that may be a question."""

    def __init__(self, heard: PreparedText, tokens: list[Token], lexicon: ParserContext) -> None:
        """Find the features of the words, and the kind of the question."""
        self._heard = heard
        self._lexicon = lexicon
        self._tokens = tokens[:_LONGEST]
        self._nouns = self._find_nouns()
        self.features = self._collect_features()
        self.kind = classify_question(self.features)
        self.target = self._choose_target()

    def _find_nouns(self) -> list[_Noun]:
        nouns: list[_Noun] = []
        for place, token in enumerate(self._tokens):
            if token.kind not in ("name", "word") or tuple(token.text) in _TABLE.features:
                continue
            kind = self._classify_noun(self._extract(place, place + 1))
            side = kind == "way" and self._get_text(place - 1) == "の"  # 目の前
            if kind and not side:
                nouns.append(_Noun(place, place + 1, kind))
        return nouns

    def _classify_noun(self, words: str) -> str:
        """What the words name; empty if they name nothing."""
        bare = strip_honorific(fold_text(words))
        if {bare, fold_text(words)} & self._lexicon.people:
            return "person"
        if bare in self._lexicon.here:
            return "here"
        if bare in self._lexicon.own_names:
            return "self"
        bearers = self._lexicon.find_bearers(words)
        if any(each in self._lexicon.world.locations for each in bearers):
            return "here" if self._lexicon.is_here(words) else "place"
        if bearers or (
            (len(words) > 2 or not _KANA.fullmatch(words)) and self._lexicon.find_matches(words)
        ):
            return "thing"
        return "way" if self._lexicon.is_way(words) and bare not in ("中", "先", "奥") else ""

    def _collect_features(self) -> Features:
        features = {noun.kind for noun in self._nouns}
        covered = self._add_word_features(features)
        for place, token in enumerate(self._tokens):
            found = self._find_verb_features(token)
            if token.text.startswith("はい") and self._get_text(place - 1) not in _AT | {"へ"}:
                found = {"exist"}  # 千代さんはいる？
            idle = token in covered and "able" not in token.marks
            features |= found - ({"deed"} if idle else set())
        features |= self._find_place_features(features)
        if features & {"where", "locate"} and not features & _KNOWN and self._find_topic():
            features.add("thing")
        if "hold" in features and "person" not in features:
            features.add("self")
        if "exist" in features and "person" in features and not features & {"place", "where"}:
            features.add("here")
        asks = features & {"where", "what", "who"} or features & {"exit", "lead"}
        if "going" in features and not asks and features & {"place", "way", "here", "thing"}:
            features.add("deed")
        if "going" in features and features & {"where", "what"}:
            features.add("go")
        return frozenset(features)

    def _add_word_features(self, features: set[str]) -> list[Token]:
        """Add the features of all that is no name; the tokens that are part of an idiom."""
        text, taken, starts = "", dict[int, int](), list[int]()
        named = {noun.start for noun in self._nouns if noun.kind != "way"}
        for place, token in enumerate(self._tokens):
            starts.append(len(text))
            text += token.text
            if place in named:
                taken[starts[-1]] = len(text)
        found = find_features(text, _TABLE, taken)
        features.update(f for each in found for f in each.features)
        idioms = [each for each in found if each.features & _IDIOMATIC]
        return [
            token
            for token, start in zip(self._tokens, starts, strict=True)
            if any(each.start <= start < each.end for each in idioms)
        ]

    def _find_verb_features(self, token: Token) -> set[str]:
        if token.verb is None:
            return set()
        features = {_MARKS[mark] for mark in token.marks if mark in _MARKS}
        asks = token.verb.asks
        if token.form == "way":
            features |= {"how"}
        if asks == "exist":
            features |= {"exist"}
        if asks in _GOING and not token.marks & _LASTING:
            features |= {"going"}
        if token.verb.word in ("入れる", "いれる") and all(t.text != "を" for t in self._tokens):
            return {"able", "going"}  # 地下室に入れますか
        if token.verb.word == "開く":
            features |= {"able"}  # 木箱は開きますか
        lasting = bool(token.marks & _LASTING) and not token.marks & {"permit", "forbid"}
        idle = token.verb.word in _NO_DEED_VERBS and "able" not in token.marks
        if asks not in _NO_DEEDS and not lasting and not idle:
            features |= {"deed"}
        return features

    def _find_place_features(self, features: set[str]) -> set[str]:
        """`inside` for 棚に and 棚の中, where something lies."""
        lies = bool(features & {"exist", "inside", "what"})
        for noun in self._nouns:
            after = [t.text for t in self._tokens[noun.end : noun.end + 2]]
            if noun.kind not in ("thing", "place", "here"):
                continue
            if (after[:1] and after[0] in _AT and lies) or (
                after[:1] in (["の"], ["ん"]) and after[1:] and after[1] in _WITHIN
            ):
                return {"inside"}
        return set()

    def _choose_target(self) -> str:
        """What the question is about, in the speaker's words."""
        if self.kind not in ("where_is", "what_is_in", "what_is"):
            return ""
        about = [n for n in self._nouns if n.kind in ("thing", "person", "place")]
        if self.kind == "what_is_in":
            follows = _AT | {"の"}
            held = [n for n in about if self._get_text(n.end) in follows]
            about = held or [n for n in about if n.kind != "person"]
        return self._extract(about[0].start, about[0].end) if about else self._find_topic()

    def _find_topic(self) -> str:
        """The words before the first は, が or を, for a thing that is not known."""
        begun = 0
        for place, token in enumerate(self._tokens):
            if token.kind == "particle" and token.text in ("は", "って", "が", "も", "を", "の"):
                words = self._extract(begun, place) if place > begun else ""
                return "" if tuple(readings.fold_kana(words)) in _TABLE.features else words
            if token.kind not in ("name", "word", "title"):
                begun = place + 1
        return ""

    def _get_text(self, place: int) -> str:
        return self._tokens[place].text if 0 <= place < len(self._tokens) else ""

    def _extract(self, start: int, end: int) -> str:
        return self._heard.extract_span(self._tokens[start].start, self._tokens[end - 1].end)
