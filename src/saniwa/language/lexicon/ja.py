"""Japanese input: verbs with their conjugation, particles and small words."""

from functools import lru_cache

VERBS: tuple[tuple[str, str], ...] = (
    # spellings, action
    ("取る 採る 盗る とる 拾う ひろう 掴む つかむ", "take"),
    ("持つ もつ 手に取る 手にとる 手にする 持って行く 持っていく", "take"),
    ("取り上げる 拾い上げる 持ち上げる 手に入れる 掴み取る 取り出す 取りだす", "take"),
    ("もらう 貰う 受け取る 奪う 盗む 回収する 取得する 入手する 摘む 引き抜く 外す", "take"),
    ("ゲットする 集める あつめる 抜く 取り外す はずす うけとる", "take"),
    ("出す だす", "bring"),
    ("捨てる すてる 手放す 落とす おとす 下ろす 降ろす 投げ捨てる 投げる", "drop"),
    ("置く おく", "lay"),
    ("入れる いれる しまう 仕舞う 収める 納める 乗せる 載せる のせる 差し込む 挿す", "put"),
    ("差す 詰める 戻す もどす 隠す 吊るす 立てる セットする 配置する", "put"),
    ("渡す わたす あげる 上げる 与える 手渡す 返す 差し出す 贈る 届ける とどける 譲る やる 差し上げる 食べさせる", "give"),
    ("開ける あける 開く ひらく 押し開ける 開け放つ こじ開ける オープンする", "open"),
    ("閉める しめる 閉じる とじる 閉ざす クローズする", "close"),
    ("解錠する 開錠する 解く アンロックする", "unlock"),
    ("施錠する ロックする", "lock"),
    ("かける 掛ける", "hang"),
    ("使う つかう 使用する 試す ためす 用いる 注ぐ そそぐ 塗る", "use"),
    ("押す 引く 回す まわす つける 点ける 付ける 消す 動かす 操作する 鳴らす 弾く 切る 掘る", "use"),
    ("磨く 叩く 触る 触れる 直す 修理する 淹れる 沸かす 作る 点火する 起動する 灯す ともす 洗う 拭く", "use"),
    ("おす ひく さわる ふれる けす たたく みがく うごかす なおす", "use"),
    ("食べる たべる 飲む のむ 食う かじる 味わう 飲み干す 頬張る 口にする", "eat"),
    ("探す さがす 捜す 探る さぐる 漁る あさる 見つける みつける 見つけ出す 探索する 捜索する 探し出す", "hunt"),
    ("調べる しらべる 調査する 覗く のぞく 覗き込む のぞき込む のぞきこむ 調べ上げる めくる ひっくり返す どかす どける", "search"),
    ("読む よむ 観察する 眺める ながめる 確認する 確かめる たしかめる チェックする 嗅ぐ 見てみる", "inspect"),
    ("見る みる 視る 観る", "see"),
    ("見回す 見渡す みまわす 見まわす 見わたす", "look"),
    ("行く いく 進む すすむ 向かう むかう 移動する 歩く あるく 走る はしる 入る はいる", "move"),
    ("戻る もどる 引き返す 帰る かえる 登る 上る 昇る のぼる 降りる 下りる おりる 下る くだる 上がる あがる", "move"),
    ("渡り歩く 赴く 訪れる 訪ねる 駆け込む 踏み入る 歩いて行く 歩いていく 近づく 急ぐ", "move"),
    ("通る とおる 抜ける ぬける くぐる 通り抜ける とおりぬける くぐり抜ける 通過する 越える", "pass"),
    ("出る でる 脱出する 去る 離れる 立ち去る 外出する 出て行く 出ていく", "leave"),
    ("待つ まつ 休む やすむ 待機する 一休みする 休憩する じっとする 何もしないでいる", "wait"),
    ("言う いう 話す はなす 叫ぶ さけぶ つぶやく 呟く 答える こたえる 囁く ささやく 伝える", "speak"),
    ("尋ねる たずねる 聞く 訊く 話しかける 話し掛ける 呼びかける 挨拶する 返事する 質問する 告げる 語る 頼む 声をかける", "speak"),
    ("きく たのむ あいさつする はなしかける よびかける しゃべる 喋る", "speak"),
    ("登場させる 呼び出す", "introduce"),
    ("閉まる しまる かかる 掛かる", "stand"),
    ("出かける 出掛ける でかける 見せる みせる 寝る ねる 起きる 着る はめる 嵌める 逃げる にげる", "unknown"),
    ("隠れる かくれる 覚える 考える 教える おしえる 助ける たすける 混ぜる 植える 埋める", "unknown"),
    ("壊す こわす 会う 出会う 履く はく 脱ぐ ぬぐ", "unknown"),
    ("踊る おどる 歌う うたう 飛ぶ とぶ 泳ぐ およぐ 蹴る 殴る 戦う 倒す 殺す", "unknown"),
    ("取り消す とりけす 飛び出す 飛び込む 思い出す 思う 買う 売る 遊ぶ あそぶ 手伝う てつだう", "unknown"),
    ("眠る ねむる 祈る いのる 描く 書く 縛る 結ぶ 折る 破る やぶる 割る 燃やす もやす 潜る もぐる", "unknown"),
    ("運ぶ はこぶ 寄りかかる 追う 追いかける 抱く 撫でる なでる とめる 止める", "unknown"),
    ("ノックする ジャンプする ダンスする 料理する 掃除する 攻撃する 無視する 握手する", "unknown"),
    ("座る すわる 座り込む 座り直す 腰かける 腰掛ける 立つ 立ち上がる 立ち止まる 笑う わらう 泣く しゃがむ 振る", "gesture"),
    ("微笑む ほほえむ ほほ笑む 微笑する 苦笑する 苦笑いする 頷く うなずく 首肯する 見つめる みつめる 見返す 見上げる", "gesture"),
    ("見下ろす 見守る 見合わせる 見据える 指差す 指さす 指し示す 指をさす 指を差す 目をやる 目を向ける 視線を向ける", "gesture"),
    ("視線を送る 視線を移す 振り返る ふりかえる 振り向く ふりむく 振り仰ぐ 向き直る 向く むく 向ける むける 黙る 黙り込む", "gesture"),
    ("考え込む 照れる 驚く おどろく 戸惑う とまどう 迷う ためらう お辞儀する おじぎする 会釈する 深呼吸する 手招きする", "gesture"),
    ("拍手する ため息をつく 溜息をつく 溜め息をつく 息をつく 間を置く 一息つく 肩をすくめる 首をかしげる 首を傾げる", "gesture"),
    ("すくめる 傾げる かしげる しかめる ひそめる 細める 伏せる 逸らす そらす 組む 浮かべる うかべる 下げる さげる 身構える", "gesture"),
    ("うつむく 俯く 眉をひそめる 目を閉じる 目を開ける 目を細める 口を開く 口を閉じる 伸びをする 吐く", "gesture"),
)  # fmt: skip
"""Spellings and what they ask for; `language.ja.conjugation` makes every form.

The words that are no action say how their particles are read: `lay` puts where a place
is named and drops where none is; `hang` locks if a key is hung and puts otherwise;
`gesture` expresses something and does nothing; `hunt` searches what is there or looks
around for what is not; `see` inspects a thing and looks around if none is named; `pass`
and `leave` are ways of moving; `bring` takes out of one thing or puts on another;
`stand` states how a thing is. A verb that is `unknown` cannot be obeyed: it is listed
so that no other verb is found in its tail.
"""

_ICHIDAN = (
    "取り上げる 拾い上げる 持ち上げる 手に入れる 捨てる すてる 投げ捨てる 投げる 入れる いれる "
    "収める 納める 乗せる 載せる のせる 詰める 立てる あげる 上げる 与える 届ける 差し上げる "
    "食べさせる 開ける あける 押し開ける こじ開ける 閉める しめる 閉じる とじる かける 掛ける "
    "用いる つける 点ける 付ける 触れる 淹れる 食べる たべる 調べる しらべる 調べ上げる どける 眺める ながめる "
    "確かめる 見つめる 見る みる 視る 観る 見てみる 降りる 下りる おりる 抜ける 通り抜ける 越える 出る でる "
    "離れる 答える こたえる 伝える 尋ねる たずねる 話しかける 話し掛ける 呼びかける 告げる 訪れる "
    "訪ねる 登場させる 集める 声をかける あつめる とどける ふれる 見つける みつける たしかめる "
    "ぬける とおりぬける くぐり抜ける はなしかける よびかける 出かける 出掛ける でかける 見せる みせる "
    "寝る ねる 起きる 着る はめる 嵌める 逃げる にげる 隠れる かくれる 覚える 考える 教える おしえる "
    "助ける たすける 見上げる 混ぜる 植える 埋める 腰かける 腰掛ける 追いかける 撫でる なでる とめる 止める "
    "みつめる 見合わせる 見据える 向ける むける 目を向ける 視線を向ける 照れる 肩をすくめる 首をかしげる 首を傾げる "
    "すくめる 傾げる かしげる しかめる ひそめる 細める 伏せる 浮かべる うかべる 下げる さげる 身構える 眉をひそめる "
    "目を閉じる 目を開ける 目を細める 口を閉じる"
)
ICHIDAN = frozenset(_ICHIDAN.split())
"""Verbs in -eru and -iru that drop る; all others in る are godan verbs."""

PHRASES: dict[str, str] = {
    "様子を見る": "wait", "様子を見ます": "wait", "様子をみる": "wait", "何もしない": "wait",
    "何もしません": "wait", "待って": "wait", "待機": "wait", "休憩": "wait",
    "持ち物": "inventory", "持ち物を見る": "inventory", "持ち物を確認する": "inventory",
    "持ち物を確認": "inventory", "持ち物を調べる": "inventory", "持ち物は": "inventory",
    "所持品": "inventory", "所持品を見る": "inventory", "所持品を確認する": "inventory",
    "インベントリ": "inventory", "何を持っている": "inventory", "何を持ってる": "inventory",
    "荷物を見る": "inventory", "荷物を確認する": "inventory", "手持ち": "inventory",
    "見回り": "look", "周囲を確認": "look", "ここはどこ": "look", "何がある": "look",
    "何が見える": "look", "見渡す": "look", "何もってる": "inventory", "何持ってる": "inventory",
    "なにをもってる": "inventory", "なにもってる": "inventory", "なにを持ってる": "inventory",
    "何を持っています": "inventory", "もちもの": "inventory", "もちものをみる": "inventory",
    "もちものを見る": "inventory", "何をもってる": "inventory", "なにがある": "look",
    "誰がいる": "look", "だれがいる": "look", "どこに行ける": "look", "どこへ行ける": "look",
    "出口は": "look", "出口はどこ": "look",
}  # fmt: skip
"""Complete sentences with a fixed meaning."""

PARTICLES = ("について", "から", "まで", "へ", "に", "で", "と", "は", "が", "も", "や")
"""Case particles besides を, which is always one; see `language.ja.parser`."""
ITS_INSIDE = frozenset({"中", "中身", "なか", "内側", "その中", "そのなか"})
"""The inside of what was mentioned."""
INSIDE = (
    "の中", "の上", "の下", "の裏", "の後ろ", "の奥", "の陰", "の内側", "の内部", "のなか",
    "のうえ", "のした", "のうら", "のそば", "の方", "のほう", "の周り", "のまわり",
    "の中身", "の横", "の隣",
)  # fmt: skip
"""Suffixes of a thing after which still the thing itself is meant."""
WITHIN = (
    "の中の", "の上の", "の下の", "の裏の", "の後ろの", "の奥の", "のなかの", "のうえの",
    "の中にある", "の上にある", "の下にある", "の中に入っている", "に入っている", "に入った",
    "の上に置かれた", "の上に置いてある", "に置いてある", "に置かれた", "にある",
    "の中から", "の上から", "の下から", "の中に有る", "が持っている", "の持っている", "が持つ",
)  # fmt: skip
"""Words between a place and a thing in it: 箱の中のコイン."""
LOCKS = ("の鍵", "のカギ", "のかぎ", "の錠", "のロック", "の錠前")
"""Opening or closing one of these unlocks or locks what precedes it."""
KEYS = frozenset({"鍵", "カギ", "かぎ", "錠", "ロック", "錠前"})

DIRECTIONS: dict[str, str] = {
    "北": "north", "南": "south", "東": "east", "西": "west", "北東": "northeast",
    "北西": "northwest", "南東": "southeast", "南西": "southwest", "上": "up", "下": "down",
    "中": "in", "外": "out", "左": "left", "右": "right", "前": "forward", "奥": "in",
    "上の階": "up", "下の階": "down", "階上": "up", "階下": "down", "先": "forward",
    "北側": "north", "南側": "south", "東側": "east", "西側": "west", "後ろ": "back",
    "元の場所": "back", "きた": "north", "みなみ": "south", "ひがし": "east", "にし": "west",
}  # fmt: skip
"""Words for a direction, with the English exit label they mean."""
UP_AND_DOWN: dict[str, str] = {
    "戻る": "後ろ", "もどる": "後ろ", "引き返す": "後ろ", "帰る": "後ろ", "登る": "上",
    "上る": "上", "昇る": "上", "のぼる": "上", "上がる": "上", "降りる": "下", "下りる": "下",
    "おりる": "下", "下る": "下", "くだる": "下", "あがる": "上", "かえる": "後ろ",
}  # fmt: skip
"""The direction of climbing without an object, or something that is not itself an
exit."""
TOOL_VERBS = frozenset(
    {"使う", "つかう", "使用する", "試す", "ためす", "用いる", "注ぐ", "そそぐ", "塗る"}
)
"""AをBに and one of these: A is the tool, B is the target."""
USING = frozenset({"使う", "つかう", "使用する", "用いる"})
"""Before another verb, what is used is the tool of that verb."""
OUT = frozenset({"外", "出口", "後ろ", "元の場所", "そと", "来た道", "中", "奥", "なか"})
BACK = frozenset({"後ろ", "元の場所", "来た道", "さっきの部屋", "前の部屋", "元の部屋"})
"""Words for the place the speaker last left."""
SELF = frozenset({"自分", "私", "僕", "俺", "わたし", "ぼく", "あたし", "自分自身", "我"})
MINE = ("自分の", "私の", "僕の", "俺の", "わたしの", "ぼくの", "手元の", "手持ちの", "持っている")
HANDS = frozenset({"手", "素手", "両手", "力", "力ずく", "自分"})
"""Words for doing something without a tool."""
ANYTHING = frozenset({"何か", "なにか", "なんか"})
"""An object that names nothing."""
THINGS = frozenset({"それ", "これ", "あれ", "それら", "そいつ", "そちら", "そっち", "そこ"})
PEOPLE = frozenset({"彼", "彼女", "あの人", "その人", "あいつ", "相手", "彼ら", "この人"})
HERE = frozenset(
    {"ここ", "部屋", "この部屋", "その場", "辺り", "周り", "周囲", "あたり", "まわり",
     "部屋の中", "部屋全体", "室内", "この場所", "この場", "辺り一面", "周辺", "部屋中",
     "あたり一面", "この辺", "このあたり", "へや", "このへや"}
)  # fmt: skip
FLOOR = frozenset({"床", "床の上", "地面", "ここ", "その場", "下", "足元", "足もと", "ゆか"})
ALL = frozenset({"全部", "すべて", "全て", "みんな", "ぜんぶ", "なんでも", "あるもの全部"})
DETERMINERS = (
    "この", "その", "あの", "例の", "さっきの", "先ほどの", "落ちている", "落ちてる", "そこにある",
    "ここにある", "目の前の", "目の前にある",
)  # fmt: skip
HONORIFICS = ("さん", "ちゃん", "くん", "君", "様", "さま", "氏")
ONE = ("のほう", "の方", "のやつ", "のもの", "のを", "の")
"""Words that do not say which: 真鍮のほう."""
ORDINALS: dict[str, int] = {
    "一つ目の": 1, "二つ目の": 2, "三つ目の": 3, "四つ目の": 4, "1つ目の": 1, "2つ目の": 2,
    "3つ目の": 3, "最初の": 1, "一番目の": 1, "二番目の": 2, "三番目の": 3, "1番目の": 1,
    "2番目の": 2, "3番目の": 3, "ひとつ目の": 1, "ふたつ目の": 2,
}  # fmt: skip
TALK = ("話", "聞", "訊", "尋", "挨拶", "頼", "質問", "言")
"""Characters that show, in words not understood, that the player wants to talk."""
SUBJECTS = frozenset({"は", "が", "も"})
CONJUNCTIONS = (
    "そして", "それから", "そのあと", "その後", "次に", "まず", "最後に", "また", "さらに",
    "続いて", "それで", "では", "じゃあ", "じゃ", "よし", "さて", "とりあえず", "もう一度",
    "あと", "すると", "ゆっくり", "そっと", "急いで", "静かに", "もう一回", "今度は", "えっと",
    "お願いだから", "お願い", "すみません", "すみませんが", "悪いけど", "どうか", "頼むから",
    "ねえ", "うん", "はい", "早く", "すぐに", "とにかく", "一緒に", "改めて", "今すぐ",
)  # fmt: skip
"""Words that introduce a request."""
ENDINGS = (
    "ことにする", "ことにします", "ことにしよう", "つもりだ", "つもりです", "つもり", "と思う",
    "と思います", "んだ", "のだ", "んです", "のです", "です", "だ", "よ", "ね", "か", "ぞ",
    "ぜ", "わ", "さ", "かな", "の", "けど", "が", "から", "だけ", "とする", "とします", "としよう", "としましょう", "ましょう",
    "w", "っ", "ー", "~", "っと", "♪", "のね", "んですが", "のですが", "です",
)  # fmt: skip
"""What may follow the last verb and changes nothing; な forbids, so it is not here."""
ADVERBS = frozenset(
    {"よく", "もう一度", "しっかり", "じっくり", "そっと", "ゆっくり", "急いで", "まっすぐ", "静かに",
     "詳しく", "慎重に", "少し", "ちょっと", "一口", "もう一回", "すぐ", "また", "早く", "念入りに",
     "丁寧に", "くわしく", "手で", "一緒", "もう少し", "思い切り", "思いっきり", "一通り",
     "ひととおり", "慌てて", "あわてて", "初めて", "はじめて", "いそいで", "もういちど", "こっそり", "さっと",
     "さっさと", "ぱっと", "パッと", "ぐいっと", "そーっと", "じっと", "きちんと", "ちゃんと", "しずかに", "優しく",
     "やさしく", "素早く", "すばやく", "ゆっくりと", "そろそろと", "おそるおそる", "恐る恐る", "大事に", "大切に",
     "全力で", "慎重", "黙って", "だまって", "一度", "いちど", "一旦", "いったん", "とりあえず", "すぐに", "今すぐ",
     "まず", "軽く", "強く", "力いっぱい", "そのまま", "直接", "自分で", "両手で", "片手で", "素手で", "しばらく",
     "しばし", "ひとまず", "ただちに", "直ちに", "いますぐ", "ぜひ", "是非", "どうか", "さあ", "さっそく", "早速",
     "はやく", "思わず", "おもむろに", "ふと", "なんとか", "何とか", "一気に", "次々に", "順番に", "一つずつ",
     "ひとつずつ", "一緒に", "いっしょに", "先に", "続けて", "改めて", "再び", "ふたたび", "真っ直ぐ", "真っすぐ"}
)  # fmt: skip
"""Words before a verb that change nothing."""
AUXILIARIES = (
    "みる", "おく", "しまう", "いく", "行く", "くる", "来る", "いる", "やる", "あげる",
)  # fmt: skip
"""Verbs that follow a て form: 開けてみる."""
BEGGING = ("もらう", "貰う", "いただく", "頂く", "くれる")
"""Verbs that follow a て form and say that another person does it."""
COURTESIES = (
    "ください", "下さい", "くださいませんか", "下さいませんか", "くださいますか", "下さいますか", "くれ",
    "くれる", "くれるか", "くれます", "くれますか", "くれません", "くれませんか", "くれない", "くれないか",
    "もらえる", "もらえるか", "もらえます", "もらえますか", "もらえません", "もらえませんか", "もらえない",
    "もらえないか", "いただける", "いただけます", "いただけますか", "いただけません", "いただけませんか",
    "いただけない", "頂ける", "頂けます", "頂けますか", "頂けませんか", "頂戴", "ちょうだい", "くださいな",
    "ごらん", "御覧", "よ", "ね", "から",
)  # fmt: skip
"""What may follow a て form at the end of a sentence; the whole is a request."""
WISHES = (
    "ほしい", "欲しい", "ほしいです", "欲しいです", "ほしいな", "欲しいな", "ほしかった", "欲しかった",
    "ほしくない", "もらいたい", "もらいたいです", "いただきたい", "頂きたい", "いただきたいです",
)  # fmt: skip
"""What follows a て form and expresses the wish that another person does it."""
BODY = frozenset(
    {"目", "視線", "眼差し", "まなざし", "口", "首", "肩", "頭", "手", "両手", "右手", "左手", "片手", "腕",
     "両腕", "指", "人差し指", "顔", "眉", "足", "息", "ため息", "溜息", "溜め息", "声", "身", "身体", "体",
     "背", "背中", "背筋", "胸", "耳", "表情", "笑顔", "笑み", "微笑み", "髪", "涙", "姿勢", "瞳", "まぶた",
     "頬", "唇", "拳", "膝", "言葉", "間", "一息", "一呼吸", "深呼吸", "距離", "眉間", "腰", "口元", "目線",
     "鼻", "心", "注意", "意識", "め", "くび", "かた", "あたま", "て", "かお", "いき", "うで", "ゆび"}
)  # fmt: skip
"""What a gesture is made with, if nothing in reach has that name."""
GAZING = frozenset({"見る", "みる", "視る", "観る", "眺める", "ながめる", "見てみる"})
"""In a character's reply these inspect a thing in reach; otherwise they are
gestures."""
TOWARDS = ("の方", "のほう")
"""Follows the target of a gaze; looking there is a gesture."""
TOPICS = frozenset(
    {"今度", "次", "今", "まず", "今回", "これから", "ここで", "ここ", "では", "さっそく", "まずは"}
)
"""Words before は that name nothing."""
NOT_CLAUSES = (
    "について", "において", "によって", "にとって", "として", "に対して", "にたいして", "そして",
    "続いて", "つづいて", "それで",
)  # fmt: skip
"""What looks like a verb in a continuing form, but is none."""
GOING = frozenset(
    {"歩く", "あるく", "走る", "はしる", "進む", "すすむ", "移動する", "急ぐ", "行く"}
)
"""Verbs of going that repeat a direction already given: 北に向かって歩く."""
HEADING = frozenset({"向かう", "むかう", "歩く", "あるく", "走る", "はしる", "急ぐ"})
ENTERING = frozenset(
    {"入る", "はいる", "進む", "すすむ", "通る", "とおる", "抜ける", "ぬける", "くぐる",
     "通り抜ける", "とおりぬける", "くぐり抜ける", "通過する", "越える", "踏み入る", "行く", "いく"}
)  # fmt: skip
"""Verbs for going through a door that was just opened."""
LOOKING_CLOSELY = frozenset({"調べる", "しらべる", "調査する", "調べ上げる"})
"""Verbs that search, or inspect what can only be seen."""
STARTED = ("コーヒー", "珈琲", "お茶", "紅茶", "ココア", "スイッチ", "電源", "明かり", "灯り")
"""What 入れる makes or switches on instead of putting it anywhere."""

_SPELLINGS: tuple[tuple[str, ...], ...] = (
    ("扉", "ドア", "とびら", "戸"), ("鍵", "カギ", "かぎ"), ("箱", "ハコ", "はこ"), ("門", "もん"),
    ("机", "つくえ"), ("椅子", "いす", "イス"), ("窓", "まど"), ("本", "ほん"), ("傘", "かさ", "カサ"),
    ("魚", "さかな", "サカナ"), ("棚", "たな"), ("引き出し", "ひきだし", "引出し", "抽斗"),
    ("部屋", "へや"), ("庭", "にわ"), ("家", "いえ"), ("小屋", "こや"), ("井戸", "いど"),
    ("鏡", "かがみ"), ("花", "はな"), ("水", "みず"), ("薬", "くすり"), ("手紙", "てがみ"),
    ("地図", "ちず"), ("時計", "とけい"), ("猫", "ねこ", "ネコ"), ("犬", "いぬ", "イヌ"),
    ("階段", "かいだん"), ("梯子", "はしご", "ハシゴ"), ("台所", "だいどころ"), ("石", "いし"),
    ("紙", "かみ"), ("皿", "さら"), ("鍋", "なべ"), ("袋", "ふくろ"), ("指輪", "ゆびわ"), ("壁", "かべ"),
    ("床", "ゆか"), ("瓶", "びん", "ビン"), ("油", "あぶら"), ("卵", "たまご", "玉子"),
    ("鞄", "かばん", "カバン"), ("帽子", "ぼうし"), ("手袋", "てぶくろ"), ("靴", "くつ"),
    ("林檎", "りんご", "リンゴ"), ("蝋燭", "ろうそく", "ロウソク"), ("冷蔵庫", "れいぞうこ"),
)  # fmt: skip
READINGS: dict[str, str] = {w: same[0] for same in _SPELLINGS for w in same}
"""Everyday words, with the one spelling used for all variants."""
_SAME = {same[0]: same for same in _SPELLINGS}
_LONGEST_READING = max(map(len, READINGS))
DOORS = frozenset({"扉", "ドア", "とびら", "戸"})
"""Words that can mean any door."""


@lru_cache(maxsize=4096)
def to_everyday_spelling(word: str) -> str:
    """A folded word with its last noun in the standard spelling: 銀の鍵 for 銀のかぎ."""
    tail = _find_everyday_tail(word)
    return word.removesuffix(tail) + READINGS[tail] if tail else word


def list_everyday_spellings(word: str) -> tuple[str, ...]:
    """Every everyday spelling of a folded word: 銀のかぎ, 銀のカギ, 銀の鍵."""
    tail = _find_everyday_tail(word)
    same = _SAME[READINGS[tail]] if tail else ()
    return tuple(word.removesuffix(tail) + other for other in same)


def _find_everyday_tail(word: str) -> str:
    if word.isascii():
        return ""
    for length in range(min(_LONGEST_READING, len(word)), 0, -1):
        tail = word[-length:]
        if tail in READINGS and _can_begin_noun(word[-length - 1 : -length], tail):
            return tail
    return ""


def _can_begin_noun(before: str, tail: str) -> bool:
    """Whether a noun can begin after the character: かさ in まさかさ is no umbrella."""
    if before in ("", "の", "い", "な"):
        return True
    return tail != "戸" and not ("ぁ" <= before <= "ゖ" or "ァ" <= before <= "ー")
