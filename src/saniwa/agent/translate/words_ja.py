"""Japanese words for narration: free ones in any turn, all others with a ground."""

from typing import Final


def _to_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PERCEPTION: Final = _to_words("見え 見 眺め 見つめ 見回 聞こえ 聞 感じ 目に入 気づ 気付 見つけ")
"""Verbs of perception; they have no effect."""
VERBS: Final = PERCEPTION | _to_words("いる いた いて ある あった あり 立 座 置かれ 並 横たわ")
"""Verbs that need no ground."""
FREE: Final = VERBS | _to_words("""
は が を に で と の も へ や か から まで だ です である た て な さ よ ね し して した しながら する すると
している していた ます ました ながら この その あの ここ そこ こちら それぞれ いま まま
静か 静かに そっと ゆっくり ゆっくりと 慎重 丁寧 優し やさし 軽く しっかり しっかりと ひんやり ひんやりと
冷たい 冷たく 小さ 小さな 重い 重み 感触 辺り あたり 周り 様子 目の前 目 耳 静けさ 静寂 ほんの 少し 落ち着いて
""")
"""Words that say nothing about where things are, their qualities, or what happened."""
BREAKS: Final = frozenset("、,;:()・—")
"""Where one statement ends and the next begins."""
ENDS: Final = frozenset("。.!?…\n")
"""Where a sentence ends."""
IT: Final = _to_words("それ")
"""Words for the thing named last."""
YOU: Final = _to_words("あなた 君 私")
"""Words for the viewer."""
THEY: Final = _to_words("彼 彼女 彼ら")
"""Words for another person."""
DENIALS: Final = _to_words("""
ない なかった なく ません ませんでした ず ずに ようと うと 無理 駄目 だめ 失敗
""")
"""Words that say that something is not so, or was only tried; a ground says how many
may occur."""
DOUBTS: Final = _to_words("ぬ まい つもり なければ たら れば もし だろう かもしれ はず なら")
"""Stronger words; allowed only if the plain narrator uses the same."""
ATTEMPTS: Final = _to_words("ようと うと 無理 駄目 だめ 失敗")
"""Denials that by themselves say that it failed."""
WITH_A_MARK: Final = _to_words("でき びくともし びくとも わか 分か わかり 動")
"""Words that may accompany a denial."""
HELD: Final = _to_words("持 握 手 中 手の中 手に 抱え 手元 手中")
"""Words for what a person holds."""
OWNED: Final = HELD
"""Words for what the viewer holds."""
INSIDE: Final = _to_words("中 入 並 収")
"""Words for what is inside something."""
ON: Final = _to_words("上 載 乗")
"""Words for "on", unless they are free."""
CLOSED, OPEN = _to_words("閉ま 閉じ 閉ざ"), _to_words("開い")
LOCKED, UNLOCKED = _to_words("施錠され"), frozenset[str]()
"""The states of a door or a container."""
HERE: Final = _to_words("床")
"""Other words for where a thing in view may be."""
WAY: Final = _to_words("続 道 向こう 先 通じ 方 ほう 出口")
"""Words for exits."""
PERSON: Final = _to_words("待")
"""What any person who is here does."""
REACHING: Final = _to_words("手 伸ば 手を伸ば 屈 かが 身 膝 中 上")
"""Words for what comes before an action with the hands."""
REACHES: Final = _to_words("伸ば 手を伸ば 屈 かが")
"""One of these must be used for it."""
RECEIVED: Final = _to_words("受け取")
"""Verbs for receiving something."""
RECEIVING: Final = _to_words("受け取 手 手渡")
"""Other words that may accompany them."""
TRYING: Final = _to_words("押 引 揺す 手 手をかけ 手を掛け 力 込め みる みた みて みたが 試")
"""Words for what hands do to a thing in vain."""
HOLDING_FAST: Final = _to_words("固 固く 閉ざ")
"""Words for a thing that resists."""
MOVING: Final = _to_words("動 びくともし びくとも 開")
"""Words for what such a thing does not do."""
DEEDS: Final = {
    name: (_to_words(verbs), _to_words(others))
    for name, verbs, others in (
        ("take", "取 手に取 拾 拾い上げ 取り上げ 取り出 持ち上げ つか 掴 手にし 手に入れ つまみ上げ",
         "手 中 上 手の中 伸ば 手を伸ば"),
        ("drop", "置 下ろ 捨て 手放", "床 地面 手 上"),
        ("put", "置 入れ 載せ 乗せ しま", "中 上 手"),
        ("give", "渡 手渡 差し出 与え", "手"),
        ("open", "開 開け 開い", "蓋 きし 音 押 引 鍵を外 ぎい ぎいと 重"),
        ("close", "閉 閉め 閉ま 閉じ", "蓋 音 ぱたんと ばたんと"),
        ("lock", "施錠 鍵をかけ 鍵を掛け 鍵がかか", "回 差し込 音 かちり かちりと 錠"),
        ("unlock", "鍵を開け 鍵が開 鍵を外 鍵が外れ 解錠 回 外れ かちり かちりと カチリ カチリと", "差し込 音 錠 開"),
        ("eat", "食べ 口にし 味わ かじ 平らげ", "口 最後 終え"),
        ("move", "行 入 出 歩 進 向か 着 来 足を踏み入れ やって来 到着 戻 たどり着 踏み入れ 抜け", "中 足 通 方 ほう 道"),
        ("wait", "待 過ぎ 佇 たたず 立ち止ま", "しばらく 時 時間 間 ひととき"),
        ("look", "見回 見渡", ""),
        ("search", "調べ 探 探っ", "中 下 隅々"),
        ("inspect", "調べ よく見 眺め", "よく"),
        ("use", "使", ""),
        ("speak", "言 話 声をかけ 答え 尋ね 告げ", "声 そう"),
    )
}  # fmt: skip
"""For each type of action its verbs, and other words that may accompany them."""
