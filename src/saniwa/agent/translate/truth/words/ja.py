"""Japanese words a narration may use in any world: they name nothing one could take."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


HARMLESS: Final = _words("""
手 手元 手中 指 指先 掌 腕 足 足元 目 目の前 目前 耳 声 音 光 影 闇 暗闇 静寂 沈黙 空気 風 匂 匂い 香り
気配 気 心 胸 息 顔 頭 肩 背 背中 姿 様子 今 前 後 上 下 中 外 内 横 隣 奥 先 側 端 間 瞬間 一瞬 時 時間
朝 昼 夜 夕方 日 日差 陽光 月光 空 地面 床 足音 辺 周囲 辺り 周 場 場所 道 方 方向 向 物 自分 誰 何
一人 二人 一歩 二歩 一度 再 急 静 慎重 丁寧 簡単 無事 確 僅 微 冷 重 軽 古 新 大 小 力 全 全部 全て 皆 少
金属 木 石 鉄 表面 感触 重 手応 意味 言葉 話 返事 答 沈黙 物語 結末 次 最後 最初 途中 理由 様 通 事 訳 他
以上 以下 本当 不思議 視線 視界 笑顔 笑 表情 反応 変化 変 抵抗 準備 自然 普通 当然 必要 無 無理 無駄 駄目
右 左 東 西 南 北 中央 真 中心 近 遠 近く 遠く 奥 向こう 一つ 二つ 一 二 三 十 本 ここ そこ 埃 底 錠 鍵穴 蓋 蝶番 味 一口
カチ カチリ カチャ カチャリ カチッ ギイ ギィ ギシ キイ キィ コツ コツン ガチャ ガチャリ ゴト ゴトリ パタン バタン
ギギ ザワ シン ヒンヤリ ヒヤリ ズシリ キラリ ゆっくり
""")
"""Nouns, and kanji of words that colour, which promise nothing that could be looked for."""
PARTICLES: Final = (
    "を", "が", "は", "に", "で", "と", "の", "も", "へ", "や", "から", "まで", "だ", "だった",
    "です", "さえ", "より",
)  # fmt: skip
DENIALS: Final = (
    "ない", "なかった", "ません", "ず、", "ずに", "ようとし", "つもり", "無理", "駄目", "だめ",
    "失敗", "できず", "動かず", "かず", "れず", "まま", "拒", "びくとも", "わから", "分から", "なく",
)  # fmt: skip
"""A clause with one of these does not say that a deed was done."""
RUIN: Final = (
    "壊れ", "砕け", "消えた", "消え去", "燃え", "死ん", "死に", "崩れ", "溶け", "爆発", "飛び去",
    "襲いかか", "倒れ", "破れ", "折れ", "消滅", "変身", "逃げ",
)  # fmt: skip
"""What the world would have to know of."""
GOAL: Final = (
    "物語の終わり", "おめでとう", "クリア", "勝利", "ゴール", "めでたし", "目的を果た", "物語は終わ",
    "物語が終わ", "旅は終わ", "旅が終わ",
)  # fmt: skip
SPEECH: Final = (
    "と言", "話した", "話しかけ", "囁", "ささや", "叫", "答えた", "尋ね", "呟", "つぶや", "告げ", "伝え",
    "教えてくれ", "約束した", "呼びかけ", "声が響", "声がし", "声が聞こ",
)  # fmt: skip
COMINGS: Final = (
    "去っ", "出て行", "出ていっ", "出ていく", "入って来", "入ってき", "現れ", "立ち去", "戻って", "やって来",
    "やってき", "ついてき", "ついて来", "付いてき", "いなくな", "姿を消", "向かった", "歩いて行", "歩いていっ", "帰っ",
)  # fmt: skip
"""Verbs of people who come or go."""
ASKED: Final = {
    "つまみ上げ": "拾い上げ", "摘み上げ": "拾い上げ", "投げ込んだ": "捨てた", "投げ入れた": "捨てた",
    "投げ捨てた": "捨てた", "放り込んだ": "捨てた", "くれた": "渡した",
}  # fmt: skip
"""Words for deeds that the phrase parser knows by others."""
TEMPTING: Final = (
    "りんご", "ねこ", "ネコ", "いぬ", "イヌ", "おばけ", "ゆうれい", "ふくろう", "うさぎ", "ねずみ", "こども",
    "子ども", "おじいさん", "おばあさん", "けもの", "くま", "からす", "へび", "おもちゃ", "ろうそく",
)  # fmt: skip
"""Nouns in kana that models like to add; told only where they are."""
