"""Japanese input: verbs with their conjugation, particles and small words."""

import re
from functools import lru_cache

from saniwa.language.lexicon import readings


def _list_words(text: str) -> tuple[str, ...]:
    """The words of a text, for tables that would be long as a list."""
    return tuple(text.split())


VERBS: tuple[tuple[str, str], ...] = (
    # spellings, action
    ("取る 採る 盗る とる 拾う ひろう 掴む つかむ", "take"),
    ("持つ もつ 手に取る 手にとる 手にする 持って行く 持っていく", "take"),
    ("取り上げる 拾い上げる 持ち上げる 手に入れる 掴み取る 取り出す 取りだす", "take"),
    ("もらう 貰う 受け取る 奪う 盗む 回収する 取得する 入手する 摘む 引き抜く 外す", "take"),
    ("ゲットする getする 集める あつめる 抜く はずす うけとる つかみ取る つまみ上げる 引っ張り出す 引っつかむ", "take"),
    ("かっさらう 掴み上げる 抜き取る 引き取る 摘み取る つまむ 拝借する 掬い上げる 拾い集める かき集める 引っ張り出す", "take"),
    ("出す だす", "bring"),
    ("捨てる すてる 手放す 落とす おとす 下ろす 降ろす 投げ捨てる 投げる 放る ほうる 手から放す", "drop"),
    ("置く おく", "lay"),
    ("入れる いれる しまう 仕舞う 収める 納める 乗せる 載せる のせる 差し込む 挿す", "put"),
    ("差す 挿し込む さしこむ 並べる ならべる 載っける のっける 放り込む ほうり込む 投げ入れる 投げ込む しまい込む 収納する 詰め込む 飾る 据える 詰める 戻す もどす 隠す 吊るす 立てる セットする 配置する 突っ込む つっこむ 移す うつす", "put"),
    ("渡す わたす あげる 上げる 与える 手渡す 返す 差し出す 贈る 届ける とどける 譲る やる 差し上げる 食べさせる くれてやる 進呈する 贈呈する プレゼントする 譲り渡す 引き渡す 託す", "give"),
    ("開ける あける 開く ひらく 押し開ける 開け放つ こじ開ける オープンする 開放する", "open"),
    ("閉める しめる 閉じる とじる 閉ざす クローズする", "close"),
    ("解除する 解錠する 開錠する 解く アンロックする", "unlock"),
    ("施錠する ロックする", "lock"),
    ("かける 掛ける", "hang"),
    ("使う つかう 使用する 試す ためす 用いる 注ぐ そそぐ 塗る", "use"),
    ("押す 引く 回す まわす ひねる 捻る つける 点ける 付ける 消す 動かす 操作する 鳴らす 切る", "use"),
    ("触る 触れる 淹れる 沸かす 作る 点火する 起動する 灯す ともす 点灯する 点灯させる 起動させる オンにする onにする", "use"),
    ("おす ひく さわる ふれる けす うごかす", "use"),
    ("磨く みがく 叩く たたく 直す なおす 修理する 掘る 弾く", "unknown"),
    ("食べる たべる 飲む のむ 食う かじる 味わう 飲み干す 頬張る 口にする 口に入れる 口に運ぶ 口へ運ぶ 口に放り込む 喰う 喰べる 食す 平らげる たいらげる いただく 頂く なめる 舐める 飲み込む くう 召し上がる かぶりつく 食らう くらう 食いつく 飲み下す 流し込む 完食する", "eat"),
    ("探す さがす 捜す 探る さぐる 漁る あさる 見つける みつける 見つけ出す 探索する 捜索する 探し出す", "hunt"),
    ("調べる しらべる 調査する 覗く のぞく 覗き込む のぞき込む のぞきこむ 調べ上げる あらためる 検める めくる ひっくり返す どかす どける", "search"),
    ("読む よむ 観察する 眺める ながめる 確認する 確かめる たしかめる チェックする 拝見する 拝読する 拝読いたす 拝見いたす 読み返す 目を通す 読み上げる 読み込む 拝む 読み直す 見直す ご覧になる", "inspect"),
    ("見る みる 視る 観る", "see"),
    ("見回す 見渡す みまわす 見まわす 見わたす", "look"),
    ("行く いく 進む すすむ 向かう むかう 参る まいる 足を運ぶ 足を踏み入れる 歩を進める 歩き出す 走り出す 踏み込む 移動する 歩く あるく 走る はしる 入る はいる", "move"),
    ("戻る もどる 引き返す 帰る かえる 登る 上る 昇る のぼる 降りる 下りる おりる 下る くだる 上がる あがる", "move"),
    ("渡り歩く 赴く 訪れる 訪ねる 駆け込む 踏み入る 急ぐ 出かける 出掛ける でかける 移る うつる 目指す めざす 出向く 足を向ける 歩み出る 駆け出す 飛び出す 飛び込む 突き進む 直進する 直行する 急行する ダッシュする ジャンプインする 駆ける 走り込む 歩き出る 進み出る 突入する 逃げ込む 歩を向ける 向かい歩く 移り行く 出発する 前進する 進入する 下降する 上昇する 降下する 駆け上がる 駆け下りる 駆け降りる 歩み入る 入り込む 引き上げる 引っ込む", "move"),
    ("近づく 近寄る 歩み寄る ちかづく 近付く", "approach"),
    ("通る とおる 抜ける ぬける くぐる 通り抜ける とおりぬける くぐり抜ける 通過する 越える", "pass"),
    ("出る でる 脱出する 去る 離れる 立ち去る 外出する 退出する", "leave"),
    ("待つ まつ 休む やすむ 待機する 一休みする 休憩する じっとする 何もしないでいる", "wait"),
    ("言う いう 話す はなす 叫ぶ さけぶ つぶやく 呟く 答える こたえる 囁く ささやく 伝える", "speak"),
    ("尋ねる たずねる 聞く 訊く 話しかける 話し掛ける 呼びかける 挨拶する 返事する 質問する 告げる 語る 頼む 声をかける 声を掛ける 伺う うかがう 相談する 謝る あやまる お礼を言う 礼を言う", "speak"),
    ("きく たのむ あいさつする はなしかける よびかける しゃべる 喋る おしゃべりする 会話する 自己紹介する 名乗る", "speak"),
    ("教える おしえる 呼ぶ よぶ からかう 褒める ほめる 命じる 命令する お願いする 願う 説明する 叫び声を上げる 返す言葉を探す 声を上げる 誘う すすめる 勧める ねだる せがむ 文句を言う 説得する 慰める 励ます 歌う うたう", "speak"),
    ("登場させる 呼び出す", "introduce"),
    ("描写する", "describe"),
    ("閉まる しまる かかる 掛かる", "stand"),
    ("見せる みせる 寝る ねる 起きる 着る はめる 嵌める 逃げる にげる", "unknown"),
    ("隠れる かくれる 覚える 助ける たすける 混ぜる 植える 埋める", "unknown"),
    ("壊す こわす 会う 出会う 履く はく 脱ぐ ぬぐ", "unknown"),
    ("踊る おどる 飛ぶ とぶ 泳ぐ およぐ 蹴る 殴る 戦う 倒す 殺す", "unknown"),
    ("取り消す とりけす 思い出す 買う 売る 遊ぶ あそぶ 手伝う てつだう", "unknown"),
    ("眠る ねむる 祈る いのる 描く 書く 縛る 結ぶ 折る 破る やぶる 割る 燃やす もやす 潜る もぐる", "unknown"),
    ("運ぶ はこぶ 寄りかかる 追う 追いかける 抱く 撫でる なでる とめる 止める", "unknown"),
    ("来る くる ある いる おる 居る 有る おられる いらっしゃる", "exist"),
    ("思う おもう 考える かんがえる 迷う まよう 悩む 想像する 仮定する 願う 信じる 決める 知る しる 分かる わかる 感じる", "think"),
    ("やめる 止める よす 忘れる わすれる あきらめる 諦める 控える 遠慮する 禁じる 禁ずる 断る 失敗する", "stop"),
    ("なる 成る する いたす 致す なさる やる できる 出来る くれる くださる 下さる", "light"),
    ("載る のる 乗る 落ちる おちる 置かれる 開かれる つく 点く 付く 光る 見える みえる 聞こえる きこえる 足りる 要る 困る こまる", "unknown"),
    ("借りる かりる 洗う あらう 拭く ふく 紹介する 開け閉めする 喜ぶ よろこぶ 怒る おこる 叱る しかる 死ぬ しぬ 濡れる 汚れる 疲れる つかれる 空く すく 降る ふる やむ 晴れる 曇る 燃える 冷える", "unknown"),
    ("残す のこす 除く のぞく 抜かす 除外する 省く", "except"),
    ("ノックする ジャンプする ダンスする 料理する 掃除する 攻撃する 無視する 握手する", "unknown"),
    ("座る すわる 座り込む 座り直す 振り仰ぐ もたれる ひざまずく 駆け寄る 寄り添う 抱きしめる 抱き締める 腰かける 腰掛ける 立つ 立ち上がる 立ち止まる 笑う わらう 泣く しゃがむ 振る", "gesture"),
    ("微笑む ほほえむ ほほ笑む 微笑する 苦笑する 苦笑いする 頷く うなずく 首肯する 見つめる みつめる 見返す 見上げる", "gesture"),
    ("見下ろす 見守る 見合わせる 見据える 指差す 指さす 指し示す 指をさす 指を差す 目をやる 目を向ける 視線を向ける", "gesture"),
    ("向きを変える 踵を返す きびすを返す 背を向ける 光にかざす 身を乗り出す 視線を送る 視線を移す 振り返る ふりかえる 振り向く ふりむく 振り仰ぐ 向き直る 向く むく 向ける むける 黙る 黙り込む", "gesture"),
    ("考え込む 照れる 驚く おどろく 戸惑う とまどう 迷う ためらう お辞儀する おじぎする 会釈する 深呼吸する 手招きする", "gesture"),
    ("拍手する ため息をつく 溜息をつく 溜め息をつく 息をつく 間を置く 一息つく 肩をすくめる 首をかしげる 首を傾げる", "gesture"),
    ("すくめる 傾げる かしげる しかめる ひそめる 細める 伏せる 逸らす そらす 組む 浮かべる うかべる 下げる さげる 身構える", "gesture"),
    ("うつむく 俯く にっこりする にこにこする きょとんとする ほっとする 咳をする くしゃみをする あくびをする 欠伸をする 真顔に戻る 赤くなる 青ざめる 震える ふるえる 見とれる 見惚れる 見入る 見送る 耳を澄ます 匂いをかぐ 匂いを嗅ぐ 笑いかける 微笑みかける ほほえみかける 手を取る 手を握る 目配せする 指を指す 指す 頭をなでる 頬ずりする 席に着く 眉をひそめる 目を閉じる 目を開ける 目を細める 口を開く 口を閉じる 伸びをする 吐く", "gesture"),
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
    "訪ねる 登場させる 集める  声をかける あつめる とどける ふれる 見つける みつける たしかめる "
    "ぬける とおりぬける くぐり抜ける はなしかける よびかける 出かける 出掛ける でかける 見せる みせる "
    "寝る ねる 起きる 着る はめる 嵌める 逃げる にげる 隠れる かくれる 覚える 考える 教える おしえる "
    "助ける たすける 見上げる 混ぜる 植える 埋める 腰かける 腰掛ける 追いかける 撫でる なでる とめる 止める "
    "みつめる 見合わせる 見据える 向ける むける 目を向ける 視線を向ける 照れる 肩をすくめる 首をかしげる 首を傾げる "
    "すくめる 傾げる かしげる しかめる ひそめる 細める 伏せる 浮かべる うかべる 下げる さげる 身構える 眉をひそめる "
    "目を閉じる 目を開ける 目を細める 口を閉じる 喰べる 平らげる たいらげる なめる 舐める 足を踏み入れる 歩を進める "
    "褒める ほめる 命じる すすめる 勧める 声を掛ける 慰める 説得する できる 出来る くれる いる 居る おられる 迷る 考える かんがえる 感じる 信じる "
    "決める やめる よせる 忘れる わすれる あきらめる 諦める 控える 禁じる 落ちる おちる 置かれる 開かれる 見える みえる 聞こえる きこえる 足りる "
    "借りる かりる 濡れる 汚れる 疲れる つかれる 晴れる 燃える 冷える もたれる 抱きしめる 抱き締める 青ざめる 震える ふるえる 見とれる 見惚れる 笑いかける "
    "微笑みかける ほほえみかける 頭をなでる つまみ上げる 声を上げる 叫び声を上げる"
)
ICHIDAN = frozenset(_ICHIDAN.split()) | frozenset(
    _list_words(
        "口に入れる 向きを変える 背を向ける 点灯させる 起動させる 並べる ならべる 載っける のっける 投げ入れる 据える あらためる 検める 改める 駆け抜ける 向ける 足を向ける 出迎える"
    )
)
"""Verbs in -eru and -iru that drop る; all others in る are godan verbs."""

PHRASES: dict[str, str] = {
    "様子を見る": "wait", "様子を見ます": "wait", "様子をみる": "wait", "何もしない": "wait",
    "何もしません": "wait", "待って": "wait", "待機": "wait", "休憩": "wait",
    "持ち物": "inventory", "持ち物を見る": "inventory", "持ち物を確認する": "inventory",
    "持ち物を確認": "inventory", "持ち物を調べる": "inventory",
    "所持品": "inventory", "所持品を見る": "inventory", "所持品を確認する": "inventory",
    "インベントリ": "inventory",
    "荷物を見る": "inventory", "荷物を確認する": "inventory", "手持ち": "inventory",
    "見回り": "look", "周囲を確認": "look",
    "見渡す": "look",

    "もちもの": "inventory", "もちものをみる": "inventory",
    "もちものを見る": "inventory",


}  # fmt: skip
"""Complete sentences with a fixed meaning."""

PARTICLES = (
    "を", "が", "は", "も", "に", "へ", "で", "と", "や", "か", "から", "まで", "より", "の", "って", "だけ", "のみ",
    "しか", "さえ", "こそ", "など", "なんか", "なんて", "でも", "には", "では", "とは", "へは", "からは", "までは", "にも",
    "へも", "とも", "だけは", "だけを", "だけに", "への", "での", "からの", "との", "の順に", "の順で", "へと", "でもって", "について", "に関して", "に向かって",
    "にむかって", "へ向かって", "に対して", "に向けて", "および", "及び", "ならびに", "ではなく", "じゃなくて", "ではなくて",
    "じゃなく", "以外", "以外は", "以外を", "以外の", "抜きで", "ぬきで", "でなく", "でなくて", "のかわりに", "の代わりに", "のほかは", "の他は", "のほか", "として", "という", "ば", "さ", "ヲ",
)  # fmt: skip
"""Words after a noun that say how it belongs to the sentence."""
SAME_PARTICLES: dict[str, str] = {
    "へと": "へ", "の順に": "を", "の順で": "を", "でもって": "で",
    "には": "に", "にも": "に", "では": "で", "へは": "へ", "へも": "へ", "からは": "から", "までは": "まで", "とは": "と",
    "だけは": "は", "だけを": "を", "だけに": "に", "について": "を", "に関して": "を", "に向かって": "に", "にむかって": "に",
    "へ向かって": "へ", "に向けて": "に", "に対して": "に", "および": "と", "及び": "と", "ならびに": "と", "だけ": "",
    "のみ": "", "こそ": "は", "って": "は", "ヲ": "を", "を": "を",
}  # fmt: skip
"""Particles that mean the same as another one here."""
GENITIVES = frozenset(_list_words("の への での からの との 以外の という"))
"""Particles between two nouns."""
COPULAS: dict[str, str] = {
    "だ": "plain", "です": "plain", "である": "plain", "だった": "past past", "でした": "past past", "じゃない": "plain neg",
    "ではない": "plain neg", "ではありません": "plain neg", "じゃありません": "plain neg", "なら": "tara", "ならば": "tara",
    "だったら": "tara", "であれば": "tara", "でしたら": "tara", "な": "plain", "や": "plain", "じゃ": "plain", "だと": "tara",
    "でしょう": "plain seem", "だろう": "plain seem", "やねん": "plain", "やん": "plain", "なの": "plain", "なん": "plain",
}  # fmt: skip
"""Forms of "to be" after a noun, with what they are; see `language.ja.conjugation`."""
_TAIL_LINES: dict[str, str] = {
    "": "よ ね ねー ねえ ぞ ぜ わ わよ わね のよ のね なあ なー んだ のだ んです のです んだよ んだね です だ のじゃ ぞー よー っ ー っと つもりだ つもりです "
        "つもり とするか とするかな とするかね としますか としますかね ことにする ことにします ことにしよう ことにしましょう こととする ことにしとく としよう としましょう んだけど んだけどね んですが のですが んですけど "
        "けどね けどな お願い お願いします おねがい おねがいします ようお願い ようお願いします ようにお願い "
        "ようにお願いします っす ッス w ~ ♪ てば と思う と思います とおもう と思ってる と思っている や ってば な べ で さ けん ばい にゃ ンゴ べさ だべ だぜ でござる ので から けど が けれど",
    "question": "か かな かなあ かなぁ かしら かい かね かよ のか のかい のかな のかしら のかね の っけ っけな よね だろうか でしょうか んかい んかな かどうか んだろう んだろうか んでしょうか "
        "んですか のですか ですか んですかね のでしょうか やろか ん じゃん んちゃう ちゃう だろう？ でしょう？ どうか どうする どうなる んやろ のん やら のだろう のだろうか",
    "statement": "よう らしい らしいよ らしいです かも かもしれない かもしれません かも知れない かもね そう そうだ そうです みたい みたいだ みたいです ようだ ようです ような はず はずだ はずです わけ わけだ "
        "べき べきだ べきです べきである べきだった べきかもしれない といった とは ところ ところだ ところだった ばかり ばかりだ ところで とする とします とした としたら としても なんて なんか "
        "しか しかない ほかない っきゃない ものだ ものです ほうがいい 方がいい ほうが 方が といい とよい といいよ といいな といいです こと だけ だけだ ため ために ためには には にも より くらい ぐらい ほど "
        "だろう でしょう でしょ だろ つもりだった つもりでいた ふり ふりをする まね まねをする 気 必要 人 者 方法 ことがある ことがあった ことができる ことになっている ことになる ことにした 計画 予定 夢 なり も たり たりする やろ よりは",
    "prohibition": "な なよ なって なかれ んじゃない んじゃないよ んじゃないぞ べからず べきではない べきじゃない ことはない わけない わけがない わけないだろ ものか もんか つもりはない 気はない 必要はない わけにはいかない "
        "なー まい ことなかれ の禁止 こと禁止",
    "condition": "と なら ならば とき 時 ときは 時は 時に ときに 場合 場合は 際 際に 前 前に まえに まえ 後 後で 後に あと あとで あとに うち うちに まで までに までは 次第 しだい 限り かぎり 瞬間 瞬間に すきに 隙に 間 間に あいだ "
        "あいだに たび たびに 度に と同時に や否や 以上 からには 頃 ころ 途中で 途端 とたん 代わりに かわりに 以来 ついでに",
    "wished": "状態に ように ままに っぱなしに",
    "link": "けど けれど けれども が ものの んだけど だけど",
    "thanks": "と助かる と助かります と助かるな と助かるんだけど と助かるのですが と助かるのだが と嬉しい とうれしい と嬉しいです とうれしいです と嬉しいな とうれしいな とありがたい とありがたいです と幸いです と幸い ら嬉しい ら助かる",
    "reason": "から ので のに し んだから のだから からね んで せいで おかげで",
    "quote": "と って っていう という とか",
    "nominal": "の こと",
    "state": "まま ままで",
}  # fmt: skip
TAILS: dict[str, tuple[str, ...]] = {}
for _mood, _texts in _TAIL_LINES.items():
    for _text in _texts.split():
        TAILS[_text] = (*TAILS.get(_text, ()), _mood)
"""What may follow a verb, with the moods it may give; an empty mood changes nothing."""
LAST_TAILS = frozenset(
    _list_words(
        "で さ べ や け ん か も な が し もん わー わぁ よぉ えや えな やで やわ ねん でー のう っぺ がな けん ばい "
        "にゃ なよ"
    )
)
"""Endings that are only read as such where a sentence or a part of it ends."""
NOMINAL_ENDS = frozenset(_list_words("の こと ところ ふり もの ため 方法 必要 気 人 つもり だけ"))
"""Endings that make a noun of the verb."""
ADJECTIVES = (
    "いい", "よい", "良い", "ない", "おいしい", "うれしい", "ほしい", "欲しい", "かわいい", "すごい", "やばい", "まずい", "こわい",
    "さむい", "あつい", "くらい", "あかるい", "たかい", "やすい", "うまい", "だめい", "危ない", "あぶない", "おかしい", "すまない", "もったいない",
)  # fmt: skip
"""Adjectives in kana, and those that the pattern for kanji does not match."""
OTHER_TIMES = (
    "あとで", "後で", "後ほど", "のちほど", "後から", "あとから", "明日", "あした", "あす", "明後日", "あさって", "昨日", "きのう",
    "おととい", "一昨日", "今夜", "今晩", "来週", "来月", "来年", "先週", "先月", "去年", "いつか", "いつの日か", "いずれ", "そのうち",
    "そのうちに", "近いうちに", "やがて", "将来", "また今度", "今度の機会に", "次の機会に", "いつも", "たまに", "時々", "ときどき", "普段",
    "ふだん", "普段は", "毎日", "毎朝", "毎晩", "毎回", "毎週", "毎度", "日曜", "月曜", "火曜", "水曜", "木曜", "金曜", "土曜", "日曜日",
    "正午", "お昼", "夕方", "夜中", "明け方", "翌日", "翌朝", "さっき", "先ほど", "昔", "もう少ししたら", "しばらくしたら", "しばらくしてから",
    "少ししてから", "少ししたら", "時間後", "分後", "日後", "秒後", "年後", "週間後", "後回し", "今朝", "昨夜", "ゆうべ", "よく", "かつて",
    "今度", "もうすぐ", "まもなく", "この前", "このあいだ", "以前", "もし", "もしも", "万一", "万が一", "仮に", "もしかすると",
    "もしかしたら", "もしかして", "たとえ", "多分", "たぶん", "おそらく", "恐らく", "きっと", "ひょっとして", "夕飯の後", "食後", "必要に応じて",
    "場合によっては", "場合によって", "本当は", "実は", "普通は", "普通",
)  # fmt: skip
"""Words that put a deed at another time, or make it a guess or a condition."""
ITS_INSIDE = frozenset(_list_words("中 中身 なか 内側 その中 そのなか"))
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
UNDOING = frozenset(_list_words("外す はずす 解く とく 解除する 回す まわす 解放する"))
"""Verbs that unlock what they are done to, if it is a lock."""
LOCKS = ("の鍵", "のカギ", "のかぎ", "の錠", "のロック", "の錠前")
"""Opening or closing one of these unlocks or locks what precedes it."""
KEYS = frozenset(_list_words("鍵 カギ かぎ 錠 ロック 錠前"))

WISHED: dict[str, str] = {
    "開く": "open", "ひらく": "open", "あく": "open", "空く": "open", "閉まる": "close", "しまる": "close", "閉じる": "close",
    "つく": "use", "点く": "use", "付く": "use", "灯る": "use", "入る": "put", "はいる": "put", "収まる": "put", "載る": "put", "乗る": "put", "のる": "put",
    "ある": "put", "置かれる": "lay", "かかる": "lock", "掛かる": "lock", "外れる": "unlock", "手に入る": "take",
}  # fmt: skip
"""What brings about that something opens, is lit, lies somewhere."""
OPPOSITES: dict[str, str] = {"open": "close", "close": "open", "lock": "unlock", "unlock": "lock"}
"""What brings about that something is not so."""
LYING = frozenset(
    _list_words(
        "ある いる おる 居る 有る おられる 載る のる 乗る 入る はいる 並ぶ ならぶ 転がる ころがる 落ちる おちる 残る のこる 立つ 座る つく 付く かかる 掛かる 散らばる 眠る 置かれる"
    )
)
"""Verbs that say where a thing is: 棚に並んだカップ."""
HOLDING = frozenset(_list_words("持つ もつ 手にする 手に持つ 握る 抱える 手に取る 携える"))
"""Verbs that say that a thing is held: 手に持った傘."""
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
STAIRS = frozenset(_list_words("階段 はしご 梯子 石段 段 坂 坂道 かいだん 縄梯子 螺旋階段"))
"""What is climbed without being a way itself."""
TAKING_NI = frozenset(
    {"触る", "触れる", "さわる", "ふれる", "目を通す", "かぶりつく", "食いつく", "手を伸ばす"}
)
"""Verbs whose object is marked by に."""
TURNING = frozenset({"回す", "まわす", "ひねる", "捻る"})
"""Verbs for a key in its lock."""
IN_HAND = frozenset({"手", "両手", "手元", "手の中"})
TOOL_VERBS = frozenset(_list_words("使う つかう 使用する 試す ためす 用いる 注ぐ そそぐ 塗る"))
"""AをBに and one of these: A is the tool, B is the target."""
USING = frozenset({"使う", "つかう", "使用する", "用いる"})
"""Before another verb, what is used is the tool of that verb."""
OUT = frozenset(_list_words("外 出口 後ろ 元の場所 そと 来た道 中 奥 なか"))
BACK = frozenset(_list_words("後ろ 元の場所 来た道 さっきの部屋 前の部屋 元の部屋"))
"""Words for the place the speaker last left."""
SELF = frozenset(
    _list_words(
        "ワイ わい わし ワシ オラ おら おいら オイラ 拙者 吾輩 あたい 某 自分 私 僕 俺 わたし わたくし ぼく おれ うち あたし 自分自身 我"
    )
)
MINE = ("自分の", "私の", "僕の", "俺の", "わたしの", "ぼくの", "手元の", "手持ちの", "持っている")
HANDS = frozenset(_list_words("手 素手 両手 力 力ずく 自分"))
"""Words for doing something without a tool."""
ANYTHING = frozenset({"何か", "なにか", "なんか"})
"""An object that names nothing."""
THINGS = frozenset(_list_words("それ これ あれ それら そいつ そちら そっち そこ"))
PEOPLE = frozenset(_list_words("彼 彼女 あの人 その人 あいつ 相手 彼ら この人"))
HERE = frozenset(
    _list_words(
        "ここ 部屋 この部屋 その場 辺り 周り 周囲 あたり まわり 部屋の中 部屋全体 室内 この場所 この場 辺り一面 周辺 部屋中 あたり一面 "
        "この辺 このあたり へや このへや"
    )
)
FLOOR = frozenset(
    _list_words(
        "床 床の上 地面 ここ その場 下 足元 足もと ゆか そこら その辺 そのへん 床上 ここら辺 ここら この辺 地べた 足下 フロア"
    )
)
ALL = frozenset(_list_words("全部 すべて 全て みんな ぜんぶ なんでも あるもの全部"))
DETERMINERS = (
    "この", "その", "あの", "こちらの", "そちらの", "あちらの", "例の", "さっきの", "先ほどの", "落ちている", "落ちてる", "そこにある",
    "ここにある", "目の前の", "目の前にある",
)  # fmt: skip
THIS = ("この", "今いる", "いまいる")
"""Words before the name of the place the speaker is in."""
HONORIFICS = ("さん", "ちゃん", "くん", "君", "様", "さま", "氏")
ONE = ("のほう", "の方", "のやつ", "のもの", "のを", "の", "やつ", "ほう", "方")
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
    "そして", "それから", "そのあと", "その後", "次に", "次は", "まず", "まずは", "最初に", "最後に", "また", "さらに",
    "続いて", "それで、", "では", "でわ", "じゃあ", "じゃ", "それじゃあ", "それじゃ", "それでは", "よし", "さて", "とりあえず", "もう一度",
    "あと", "すると", "もう一回", "今度は", "えっと", "えーと", "ええと", "えと", "あの", "あのー", "あのう", "うーん", "うん", "んー", "まあ",
    "お願いだから", "お願いですから", "お願い", "すみません", "すみませんが", "すいません", "すいませんが", "悪いけど", "悪いんだけど", "どうか", "頼むから",
    "ねえ", "ねぇ", "はい", "とにかく", "改めて", "いいから", "やっぱり", "やっぱ", "やはり", "もちろん", "ついでに", "ついで", "続けて", "ちなみに", "ともかく", "ひとまず",
    "恐れ入りますが", "恐れ入りますけど", "お手数ですが", "お手数をおかけしますが", "申し訳ありませんが", "申し訳ないですが", "申し訳ないけど", "恐縮ですが",
    "失礼ですが", "失礼して", "ごめんなさい", "ごめん", "ほら", "さあ", "くそっ", "くそ", "ちっ", "あっ", "おっ", "ああ", "よっしゃ", "よーし",
    "だから", "なので", "ということで", "というわけで", "そしたら", "そうしたら", "んで", "そこで", "しかし", "いざ", "せっかくだから",
    "せっかくなので", "行動", "ぷはー", "まあいっか", "まあいいか", "まあいいや", "いいや", "ま、いいや", "ま、いっか", "いっか", "いいか", "そうだ", "そうそう", "そうか", "そっか", "なるほど", "了解", "了解です", "オッケー", "おっけー", "OK", "よっし", "えー", "えーい", "ええい", "おーい", "おい", "やあ", "ねえねえ", "あのね", "えいや", "えいやっ", "やれやれ", "はあ", "はぁ", "ふう", "ふぅ", "うわ", "うわっ", "わあ", "わーい", "おお", "おおっ", "おや", "おやおや", "あら", "まぁ", "あ、", "え、", "お、", "あー、", "え、えっと", "何卒", "なにとぞ",
    "要するに", "つまり", "結局", "ここは一つ", "ここはひとつ", "ほな", "そんじゃ", "んじゃ", "んじゃあ", "それに", "加えて", "おまけに", "しからば", "ならば", "いっちょ", "どっこいしょ", "よっこらしょ", "よっと", "せーの", "いただきまーす", "今日は", "今回は", "お次は", "ただし", "但し", "あとは", "代わりに", "かわりに", "さてと", "さてさて", "まずもって", "手始めに", "はじめに", "始めに", "最終的に", "その前に", "どれどれ", "うーむ", "ふむ", "いや", "いやいや", "いいえ", "よいしょ", "えい", "えいっ",
)  # fmt: skip
"""Words that introduce a request."""
ADVERBS = frozenset(
    {"いったい", "一体", "まだ", "よく", "もう一度", "しっかり", "じっくり", "そっと", "ゆっくり", "急いで", "まっすぐ", "静かに",
     "詳しく", "慎重に", "少し", "ちょっと", "もう", "ちょい", "とっくり", "えいっとばかりに", "えいとばかりに", "もう一回", "すぐ", "また", "早く", "念入りに",
     "丁寧に", "くわしく", "手で", "一緒", "もう少し", "思い切り", "思いっきり", "一通り",
     "ひととおり", "慌てて", "あわてて", "初めて", "はじめて", "いそいで", "もういちど", "こっそり", "さっと",
     "さっさと", "ぱっと", "パッと", "ぐいっと", "そーっと", "じっと", "きちんと", "ちゃんと", "しずかに", "優しく",
     "やさしく", "素早く", "すばやく", "ゆっくりと", "そろそろと", "おそるおそる", "恐る恐る", "大事に", "大切に",
     "全力で", "慎重", "黙って", "だまって", "一度", "いちど", "一旦", "いったん", "とりあえず", "すぐに", "今すぐ",
     "まず", "軽く", "強く", "力いっぱい", "そのまま", "直接", "自分で", "両手で", "片手で", "素手で", "しばらく",
     "しばし", "ひとまず", "ただちに", "直ちに", "いますぐ", "ぜひ", "是非", "どうか", "さあ", "さっそく", "早速",
     "はやく", "思わず", "おもむろに", "ふと", "なんとか", "何とか", "一気に", "今", "いま", "今は", "今から", "これから", "自分から", "俺", "ためしに", "試しに", "頑張って", "がんばって", "なんとかして", "何とかして", "どうにか", "無理やり",
     "むりやり", "力任せに", "力ずくで", "思い切って", "思いきって", "仕方なく", "しかたなく", "しぶしぶ", "渋々", "嬉しそうに", "うれしそうに", "楽しそうに", "悲しそうに",
     "おいしそうに", "美味しそうに", "不思議そうに", "笑顔で", "無言で", "大声で", "小声で", "真顔で", "真剣に", "一人で", "ひとりで", "早足で", "足早に", "駆け足で", "急ぎ足で",
     "何も言わずに", "何も言わず", "迷わず", "迷わずに", "ためらわずに", "ためらわず", "遠慮なく", "遠慮せず", "少々", "もぐもぐ", "むしゃむしゃ", "ぱくぱく", "パクパク", "ぱくっと", "パクっと",
     "ぱくりと", "ぺろりと", "がぶりと", "がつがつ", "ごくごく", "ごくりと", "ごくっと", "ぐびぐび", "ちびちび", "こくりと", "ぎゅっと", "そろりと", "そろそろ", "ぱっ", "ひょいと", "ひょいっと", "ぱたんと", "バタンと", "ばたんと", "ガチャリと", "がちゃりと", "カチリと", "かちりと", "ポンと", "ぽんと", "どんと", "ドンと", "のろのろ", "とぼとぼ", "てくてく", "すたすた", "スタスタ", "ずかずか",
     "せっせと", "てきぱき", "きれいに", "綺麗に", "雑に", "乱暴に", "無造作に", "注意深く", "手早く", "大きく", "小さく", "深く", "高く", "ちらりと", "ちらっと", "じろじろ", "まじまじと", "ぼんやり", "ぼんやりと",
     "にっこり", "にっこりと", "くすくす", "くすっと", "にやりと", "けらけら", "げらげら", "ふふっと", "ぽつりと", "ぼそっと", "ぼそりと", "きっぱりと", "はっきりと", "はっきり", "しっかりと", "ゆったりと",
     "つい", "またもや", "ようやく", "やっと", "ついに", "いよいよ", "たった今", "ちょいと", "ちょっとだけ", "少しだけ", "軽々と", "堂々と", "ひっそりと", "ひそかに", "密かに",
     "次々に", "順番に", "一つずつ", "なんとなく", "何となく", "なにげなく", "さりげなく", "一応", "いちおう", "念のため", "ねんのため", "いかにも", "さも", "わざと", "わざわざ", "うっかり", "あえて", "なおも", "よくよく", "おっかなびっくり", "やたら", "むやみに", "さも当然のように", "当たり前のように", "当然のように", "なるべくなら", "とりま", "一か八か", "いちかばちか",
     "まとめて", "残らず", "のこらず", "一つ残らず", "ひとつ残らず", "ことごとく", "片っ端から", "かたっぱしから", "根こそぎ", "もれなく", "いっぺんに", "一度に", "いちどに", "もろとも", "くまなく", "隅々まで", "すみずみまで", "隅から隅まで",
     "めっちゃ", "めちゃくちゃ", "超", "すごく", "とても", "かなり", "けっこう", "結構", "わりと", "やや", "できるだけ", "なるべく", "極力", "思うままに", "何度も", "なんども", "何回も", "何事もなかったように", "何食わぬ顔で", "知らん顔で", "ふいに", "いきなり", "たまらず", "すかさず",
     "間髪入れず", "脇目も振らず", "わき目もふらず", "音を立てずに", "音を立てず", "音もなく", "物音を立てずに", "声も出さずに", "静々と", "ぴったり", "ぴったりと", "べったり", "ばったり", "ゆったり", "まったり", "うっとり", "うっとりと", "じっくりと", "たっぷり", "あっという間に", "見る見る", "みるみる",
     "この場で", "ここで", "その場で", "この足で", "その足で", "自分の手で", "左右に", "上下に", "前後に", "奥まで", "最後まで", "根気よく", "手際よく", "行儀よく", "お行儀よく", "用心して", "注意して", "気をつけて", "気を付けて", "落ち着いて", "張り切って", "はりきって", "喜んで", "よろこんで", "勇んで", "勇気を出して", "意を決して", "思い立って", "覚悟を決めて", "腹をくくって",
     "気を取り直して", "心を込めて", "心をこめて", "力を込めて", "力をこめて", "身をかがめて", "腰をかがめて", "手を伸ばして", "腕を伸ばして", "息を殺して", "息をひそめて", "足音を忍ばせて", "お言葉に甘えて", "お先に失礼して", "お先に", "失礼ながら", "恐れながら", "残念ながら", "しかしながら", "はばかりながら", "僭越ながら"
     , "迷った末に", "悩んだ末に", "考えた末に", "迷った挙句", "黙ったまま", "立ったまま", "座ったまま", "笑ったまま", "うつむいたまま", "目を閉じたまま",
     "ひとつずつ", "一緒に", "いっしょに", "先に", "続けて", "改めて", "再び", "ふたたび", "真っ直ぐ", "真っすぐ"}
)  # fmt: skip
"""Words before a verb that change nothing."""
SOUND_ROOTS = _list_words(
    "がちゃ がしゃ がた かた がぶ かぷ がり かり かち かちゃ かちゃか からか がら から ぎし きら きり ぎろ ぐい ぐさ ぐしゃ ぐにゃ ぐる くる くす けろ こく ごく こつ ごつ ごと こと ころ ごろ "
    "さく ざく さら ざら しゃき じろ じゃら すと すぱ すぽ すら する ずる そろ ぞろ ちく ちびり ちゃり ちゃぽ ちょこ ちょき ちら つる とく とす どさ どしん どし どす どか どた とろ とん どろ とこ なよ にた にこ にや ぬる のそ "
    "ばき ぱき ばく ぱく ばさ ぱさ ばし ぱし ばしゃ ぱしゃ ばた ぱた ばち ぱち ばり ぱり ばら ぱら ばたば はら ぴか ぴく ぴし ぴしゃ ぴた ぴょ ひょい ひら びり ぴり ぷい ぷち ぷつ ふっ ぶら ふら ふわ ぷん ぺこ ぺた ぺら ぺろ "
    "ぼそ ぽき ぽい ぽか ぽた ぽつ ぽと ぽろ ほろ ぼん むく むぎゅ むしゃ むんず もぐ ゆら りん きちん ちょん つん がん ごん かん こん ばん ぱん どん ぽん とん ちん ぺん ぽ ど ば ご こ が ちょ つ き むんずっ うき いそ こわ おず おそ とこ てく すた のろ とぼ よろ ふら ぶら うろ きょろ じろ まじ じっ ごそ がさ こそ ひそ ぼそ ぶつ めそ しく くすく けら げら へら にこ にや にた わく どき はら いら もじ そわ うず るん ぴょん ばた どた あた ちょこ ちびち ちび ぐび ごく がぶ がつ ばく ぱく もぐ むしゃ しゃく しゃり さく ぽり ぼり かり がり こり ぺろ ちろ ぴちゃ ずる つる するする ずず たん とん こん かん どん ぽん ばん ゆら ぐら くる ぐる ころ ごろ きら ぴか ちか てら さら ざら ふわ もふ ぷに ほか ぽか ぬく ひや だら ぐず のび ぐん ずん どん すい すく めき ばり びし てき はき さっ そろ ぞろ せか ちょろ ばさ ふう はあ ぜい ひょい ぱた ちゃか じわ じりじ じり しぶ つく しみ まご おろ あわ わな がく ぶる びく おた くど ねち つか どか ずか ぬけ しげ つら ほの うつら うと すや くう ぐう"
)
"""Roots of sound-words that may end in り, ん or っ before と."""
MANNER_STEMS = _list_words(
    "静か しずか 慎重 しんちょう 丁寧 ていねい 丁重 冷静 平静 素直 すなお 正直 器用 不器用 上手 じょうず 下手 適当 てきとう 乱暴 らんぼう 雑 無造作 むぞうさ 大胆 勇敢 果敢 豪快 軽快 軽やか かろやか 優雅 ゆうが 上品 下品 "
    "穏やか おだやか 和やか にこやか しなやか すみやか 速やか 密か ひそか こまやか 細やか 細か こまか 厳か おごそか 確か 確実 かくじつ 完全 完璧 かんぺき 十分 じゅうぶん 簡単 かんたん 単純 手短 手軽 気軽 きがる 気楽 身軽 "
    "元気 げんき 陽気 呑気 のんき 暢気 無邪気 得意 とくい 不機嫌 上機嫌 真面目 まじめ 真剣 しんけん 熱心 ねっしん 必死 ひっし 懸命 一生懸命 夢中 むちゅう 無我夢中 一心不乱 勝手 かって 無断 無言 無心 無表情 無遠慮 無意識 不意 ふい 唐突 突然 とつぜん 急 きゅう "
    "早々 はやばや 足早 早速 さっそく 即座 そくざ 直ち ただち 瞬時 同時 一斉 いっせい 一気 いっき 一挙 順々 順番 じゅんばん 交互 別々 べつべつ 個別 次々 つぎつぎ 続々 同様 普通 ふつう 普段通り いつも通り いつものよう 自然 しぜん 不自然 平気 へいき 平然 当然 とうぜん 堂々 どうどう 悠々 ゆうゆう "
    "黙々 もくもく 淡々 たんたん 粛々 軽々 かるがる 高々 深々 ふかぶか 長々 細々 颯爽 さっそう 毅然 呆然 ぼうぜん 漫然 整然 猛然 敢然 嬉々 きき 意気揚々 幸せ しあわせ 残念 親切 しんせつ 健気 けなげ 神妙 大人し 大事 だいじ 大切 たいせつ 念入り ねんいり 入念 綿密 厳重 厳密 正確 せいかく 適切 きれい 綺麗 "
    "ていねい まっすぐ 真っ直ぐ 真っすぐ 一直線 いっちょくせん 一目散 いちもくさん 全力 力任せ ちからまかせ 力一杯 思い思い 気まま 自由 じゆう 楽 らく 安全 あんぜん 無事 ぶじ 無理 むり 無理やり むりやり 強引 ごういん 強制的 手荒 てあら 大げさ おおげさ 控えめ ひかえめ 小刻み こきざみ ほのか かすか わずか さらさら 手当たり次第 てあたりしだい 念のため "
    "思う存分 存分 いかにも 本当 ほんとう 絶対 ぜったい 素早 盛大 派手 地味 妙 変 極端 やけ 一途 ひたすら 遠巻き 無難 臆病 神経質 几帳面 きちょうめん 忠実 ちゅうじつ 率直 早急 迅速 じんそく 敏速 機敏 俊敏 慌ただし 大急ぎ 仲良さげ 意外 案外 新た あらた 一緒 いっしょ 共 ついで 要する 試し ためし"
)
"""What に or と makes an adverb of manner of."""
MANNER_HEADS = _list_words(
    "足取り 足どり 手つき 手付き 手さばき 顔 顔つき 表情 笑顔 笑み 微笑み 声 声音 口調 様子 態度 素振り そぶり 気分 気持ち 勢い 速さ 速度 スピード 調子 ペース 姿勢 格好 目つき 眼差し 仕草 しぐさ 身振り つもり 覚悟"
)
"""Nouns that で makes an adverb of manner of, whatever describes them."""
MANNER_NOUNS = frozenset(
    _list_words(
        "速足 早足 駆け足 小走り 忍び足 抜き足 大股 急ぎ足 すり足 全力 全速力 全力疾走 指先 爪先 つま先 無言 沈黙 涙目 上機嫌 不機嫌 一人 ひとり 自分 ダメ元 だめもと ダメもと 駄目元 だめ元 駄目もと 気合い 気合 一息 一口 大口 "
        "鼻歌交じり 鼻歌まじり 冗談半分 興味本位 興味津々 裸足 はだし 徒歩 歩き 猛ダッシュ ダッシュ 大急ぎ 早口 手探り 半信半疑 自力 独力 その場 この場"
    )
)
"""Nouns that で makes an adverb of manner of by themselves."""
TELLING = frozenset({"教える", "おしえる", "説明する"})
"""Verbs of speaking that ask to be told."""
QUESTION_WORDS = frozenset(
    _list_words(
        "いずこ 誰 だれ どなた 何 なに なん 何故 なぜ なんで どうして どうやって どうやったら どうすれば どうしたら どう どの どれ どんな "
        "どこ どちら どっち いつ いくつ いくら 何時 何人 何個 いかに どないして"
    )
)
"""Words that ask."""
QUANTITIES = frozenset(
    _list_words(
        "両方 三つとも みっつとも 四つとも 二本とも 二個とも 三個とも 二つ全部 三つ全部 二つとも ふたつとも 両方とも どちらも どっちも "
        "全員"
    )
)
"""Words for all of the things that a name may mean."""
SINGLE = frozenset(_list_words("一つ ひとつ 1つ 一個 1個 一枚 一本 一冊 一匹 一人前"))
"""Words for one of a thing, after its name."""
HELD = frozenset(
    _list_words(
        "持ち物 もちもの 所持品 荷物 手持ち 持ってるもの 持っているもの 持っている物 手持ちの品 手持ちのもの 手荷物 アイテム 道具 所有物 "
        "手の中のもの 手にあるもの"
    )
)
"""Words for everything that the speaker holds."""
BODY = frozenset(
    _list_words(
        "目 視線 眼差し まなざし 口 首 肩 頭 手 両手 右手 左手 片手 腕 両腕 指 人差し指 顔 眉 足 息 ため息 溜息 溜め息 声 身 "
        "身体 体 背 背中 背筋 胸 耳 表情 笑顔 笑み 微笑み 髪 涙 姿勢 瞳 まぶた 頬 唇 拳 膝 言葉 間 一息 一呼吸 深呼吸 距離 "
        "眉間 腰 口元 目線 鼻 心 舌 喉 のど 腹 お腹 気 歯 爪 汗 肘 足元 真顔 注意 意識 め くび かた あたま て かお いき うで "
        "ゆび"
    )
)
"""What a gesture is made with, if nothing in reach has that name."""
BREAKING = frozenset({"壊す", "こわす", "折る", "割る", "失う", "なくす", "痛める"})
"""Verbs that are no gesture even with a part of the body."""
OUTCOMES = BREAKING | frozenset(
    {
        "死ぬ",
        "しぬ",
        "疲れる",
        "つかれる",
        "濡れる",
        "汚れる",
        "困る",
        "こまる",
        "喜ぶ",
        "怒る",
        "来る",
        "くる",
    }
)
"""Verbs for what comes of a deed: 飲んでお腹を壊す only tells."""
BODY_NOUNS = frozenset(word for word in BODY if len(word) > 1 or word >= "一")
GAZING = frozenset(_list_words("見る みる 視る 観る 眺める ながめる 見てみる"))
"""In a character's reply these inspect a thing in reach; otherwise they are
gestures."""
TOWARDS = ("の方", "のほう")
"""Follows the target of a gaze; looking there is a gesture."""
TOPICS = frozenset(_list_words("今度 次 今 まず 今回 これから ここで ここ では さっそく まずは"))
"""Words before は that name nothing."""
SET_PHRASES = frozenset(
    _list_words(
        "いただきます 頂きます いってきます 行ってきます 行って来ます 召し上がれ めしあがれ"
    )
)
"""Verbs without an object that are said and not done."""
ERRANDS = frozenset(_list_words("行く いく 来る くる 参る まいる 向かう 出る 戻る 走る 帰る"))
"""Verbs of going after a purpose: 取りに行く."""
GOING = frozenset(_list_words("歩く あるく 走る はしる 進む すすむ 移動する 急ぐ 行く"))
"""Verbs of going that repeat a direction already given: 北に向かって歩く."""
HEADING = frozenset(_list_words("向かう むかう 歩く あるく 走る はしる 急ぐ"))
RUSHING = frozenset(
    _list_words(
        "飛び出す 飛び込む ダッシュする 駆け出す 駆ける 走り込む 突入する 逃げ込む 目指す めざす 移る うつる 引っ込む 引き上げる 上昇する 下降する 降下する"
    )
)
"""Verbs of going only where a place is named."""
ENTERING = frozenset(
    _list_words(
        "入る はいる 進む すすむ 通る とおる 抜ける ぬける くぐる 通り抜ける とおりぬける くぐり抜ける 通過する 越える 踏み入る 行く "
        "いく"
    )
)
"""Verbs for going through a door that was just opened."""
LOOKING_CLOSELY = frozenset({"調べる", "しらべる", "調査する", "調べ上げる"})
"""Verbs that search, or inspect what can only be seen."""
STARTED = ("コーヒー", "珈琲", "お茶", "紅茶", "ココア", "スイッチ", "電源", "明かり", "灯り")
"""What 入れる makes or switches on instead of putting it anywhere."""

BESIDE = (
    "の横", "の隣", "のそば", "の傍", "の裏", "の後ろ", "の陰", "の周り", "のまわり", "の前", "の脇", "の近く", "の下", "のした", "の間",
)  # fmt: skip
"""Places at a thing where nothing can be put."""
BEARINGS = (
    "の方角",
    "の方向",
    "のほう",
    "の方",
    "方向",
    "方面",
    "側",
    "の部屋",
    "の出口",
    "の扉",
    "の道",
    "のドア",
)
"""Words after a direction or a place that add nothing to it."""
STICKING = frozenset(_list_words("差し込む 挿す 差す 挿し込む 突っ込む さしこむ"))
"""Verbs that put a key into the lock of a thing."""
KEYHOLES = ("鍵穴", "錠前", "錠", "かぎ穴")
"""Parts of a lock that a key is put into."""
OFF = ("消", "オフ", "off", "unlit", "切れ", "止ま")
"""Beginnings of the words for a thing that is switched off."""
SWITCHING_OFF = frozenset({"消す", "けす", "切る", "消灯する", "止める"})
CONTENTS = frozenset(
    _list_words(
        "中身 中のもの 上のもの 中の物 上の物 もの 物 中身全部 もの全部 品 品物 品々 もん やつ 全部"
    )
)
"""Words for everything in or on a thing."""
REST = ("その他", "他", "ほか", "残り", "あと")
"""Words for everything but what was named."""
LIDS = frozenset(_list_words("ふた 蓋 フタ 戸 扉 とびら ドア"))
"""Parts that stand for the whole when it is opened or closed."""
SWITCHES = frozenset(_list_words("スイッチ 電源 明かり 灯り あかり 火 ボタン"))
"""Parts that stand for the whole when it is used."""
TEXTS = frozenset(_list_words("文字 内容 文面 文章 字 表 裏 表面 題名 絵 模様 様子"))
"""Parts that stand for the whole when it is looked at."""
OTHERS = (
    "残り",
    "もう一つ",
    "もう片方",
    "もうひとつ",
    "他の",
    "ほかの",
    "別の",
    "半分",
    "一部",
    "いくつか",
)
"""Words for some of several things that nobody has named."""
CALLED = frozenset(
    _list_words(
        "みんな 皆 皆さん みなさん 誰か だれか 二人 二人とも 全員 お前 おまえ 君 きみ あなた"
    )
)
"""Who is called when no name is given."""
ORIGIN = frozenset(_list_words("元 元の場所 もと もとの場所 元の位置 元あった場所"))
"""Where a thing was before."""

KNOWN_NOUNS = (
    *THINGS, *OTHERS, *SINGLE, *PEOPLE, *HERE, *SELF, *ALL, *DIRECTIONS, *FLOOR, *BODY_NOUNS, *OUT, *BACK, *KEYS, *HANDS, *ITS_INSIDE, *QUESTION_WORDS,
    *QUANTITIES, *HELD, *LIDS, *SWITCHES, *TEXTS, "一人", "ひとり", "もの", "物", "品", "もん", "やつ", "奴", "品物", "品々", "ほか", "他", "残り", "その他", "それ以外", "鍵穴", "錠前", "スイッチ", "電源", "コーヒー", "みんな", "皆", "二人", "誰か", "だれか", "何か", "なにか",
    "方", "ほう", "そば", "横", "隣", "裏", "後ろ", "前", "周り", "こと", "ところ", "ヒント", "出口", "入口", "名前", "場所", "道", "部屋", "家", "様子",
)  # fmt: skip
"""Nouns after which a verb may follow without a particle."""

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


_HIRAGANA = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}
_KANJI = re.compile("[一-鿿々]")
_MIXED_KANA = re.compile("[ァ-ヺ][ぁ-とな-にぬ-ゖ]")
"""Hiragana after katakana, but no の: リんご is a slip."""


def fold_kana(text: str) -> str:
    """The text with katakana as hiragana, character for character."""
    return text.translate(_HIRAGANA)


@lru_cache(maxsize=16384)
def to_reading(word: str) -> str:
    """A folded word in hiragana, as far as it is known how it is read."""
    made, place = "", 0
    while place < len(word):
        for length in range(min(readings.LONGEST, len(word) - place), 0, -1):
            reading = readings.READINGS.get(word[place : place + length])
            if reading is not None:
                made, place = made + reading, place + length
                break
        else:
            made, place = made + word[place], place + 1
    return fold_kana(made)


def is_mixed_kana(word: str) -> bool:
    """Whether hiragana follows katakana: リんご is a slip."""
    return _MIXED_KANA.search(word) is not None


def is_same_reading(word: str, name: str) -> bool:
    """Whether two folded words are spellings of one: 戸だな and 戸棚, but not 橋 and 箸."""
    if word.isascii() or name.isascii() or to_reading(word) != to_reading(name):
        return False
    if _MIXED_KANA.search(word):
        return False
    short, long = sorted((_KANJI.findall(word), _KANJI.findall(name)), key=len)
    rest = iter(long)
    return all(kanji in rest for kanji in short)


def list_heard_names(name: str) -> set[str]:
    """What may be heard of a folded name, in hiragana where it is in kana: also its head."""
    if name.isascii():
        return {name} if len(name) > 1 else set()
    heads = {name, name.rpartition("の")[2], _find_last_run(name)}
    heads |= {spelling for head in heads for spelling in list_everyday_spellings(head)}
    made = {fold_kana(head) for head in heads} | {to_reading(head) for head in heads}
    heard = {word for word in made if len(word) > 1 or word == fold_kana(name)}
    return {word for word in heard if not word.startswith("を")}


_RUN = re.compile("[一-鿿々]+|[ァ-ヺー]+|.", re.DOTALL)


def _find_last_run(name: str) -> str:
    """The kanji, the katakana or the single character at the end of a name."""
    found = _RUN.match(name[::-1])
    return found.group()[::-1] if found else ""


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
