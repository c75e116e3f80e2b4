"""Words that say how the sentences around them are meant, and ask for nothing themselves.

After a deed they take it back, put it at another time, make it a question or another
person's: 庭に行く。なーんてね; 戸棚を開ける。千代が. Before a deed they announce a list of
options, a plan, a memory, or what a person says: 選択肢:, 千代が言う。
"""

import re
from typing import Final

from saniwa.language.ja.agents import is_other
from saniwa.language.lexicon import ja
from saniwa.language.mood import Mood
from saniwa.language.parser_context import ParserContext

_TIMES = "|".join(sorted(ja.WORDS.other_times - {"よく", "まだ"}, key=lambda w: (-len(w), w)))
_WHO = "(?P<who>.{1,10}?)"
_SOFT = "(?:だよーん|だよん|でした|です|だ|よ|ね|な|わ|さ|けど|ごめん)*"
_UNREAL = "(?:夢|想像|妄想|空想|幻|仮|例え|たとえ|もしも|昔|昨日|昨夜|前世|芝居|物語|冗談|嘘|うそ)"
_MAYBE_IT = "(?:(?:それ|これ|今の|全部)(?:だけ)?[がはも])?"
_MOODS: Final[tuple[tuple[Mood, str], ...]] = (
    (
        "prohibition",
        "(?:ごめん(?:なさい)?|すみません|すまん|悪い|あ)?(?:やっぱり?|やはり|なんて|(?:今|さっき)のは?)?(?:全部|ぜんぶ)?(?:"
        "やめ(?:た|る|とく|ておく|ておこう)?|やーめた|な[しい]で?|キャンセル|ストップ|中止|撤回|却下|取り?消(?:し|す|します)|気が変わ(?:った|りました)|嘘|うそ|ウソ"
        "|冗談(?:じゃない)?|まさか|ありえない|あり得ない|だめ|ダメ|駄目|無理|むり|違う|違った|ちがう|ちがった"
        "|間違えた|間違い|間違えました|まちがえた|な[ーあ]*ん(?:て|ちゃって|つって)"
        f"|(?:言|い)って(?:み)?ただけ|(?:(?:考え|思(?:って?い)?|想像し|夢見|妄想し|言っ|いっ|思っ|空想し)た)だけ){_SOFT}"
        f"|{_MAYBE_IT}(?:無理|だめ|ダメ|駄目)?(?:だ|です)?(?:でき|出来)(?:ない|ません|そうに?(?:も?ない|ありません)|なかった).{{0,4}}"
        "|.{0,6}(?:勇気|度胸|気力|覚悟|自信|資格|権利|余裕|気分)(?:[がはも])?(?:な[いか]|あ(?:りません|るわけ)|出な|足りな|湧か).{0,4}"
        f"|{_MAYBE_IT}(?:まだ)?(?:早|はや)(?:い|すぎる|過ぎる){_SOFT}|つもり{_SOFT}"
        "|(?:それは|そりゃ)?(?:困る|こまる|まずい|よくない|いけない)(?:な|ね|よ|でしょ)*|(?:馬鹿|バカ|ばか)な(?:ことを?.*)?|とんでもない"
        "|やっぱり?そのまま(?:で|に)?(?:いい)?"
        "|の[はをも](?:やめ|よ[そし]|ごめん|無理|嘘|うそ|冗談|まっぴら).*|(?:気|つもり)[はも]な.*"
        "|(?:絶対に?|もちろん|やっぱり?)(?:し|やら|行か|行き)(?:ない|ません|ねえ)(?:けど|よ|ぞ|さ|わ|が|ね)*",
    ),
    (
        "statement",
        "(?:と(?:思|おも|考|言(?!えば|っても)|いう(?!わけで|ことで|か)|書|叫|つぶや|呟|聞|命|頼|伝|でも思|か言|か思|のこと|見せかけ)"
        "|と.{1,12}[がはに](?:言|い[うっ]|思|叫|書|頼|聞|呟|つぶや|答|話|命)|って(?!ば)|ていうのは|なんて(?:こと|思|言)"
        "|らしい|みたい|べき|わけ(?:が|は)?な|はず|つもりだった).*"
        "|だって(?:さ|よ|ね)?|そう(?:です|だ)(?:よ|ね)",
    ),
    (
        "permission",
        "(?:(?:それ|これ)(?:でも?|は|って)|別に|べつに)?(?:いい|良い|よい|よろしい|だめ|ダメ|駄目|大丈夫|だいじょうぶ|でき|できる|可能"
        "|構わない|かまわない|(?:構|かま)いません|いけません|問題ない|問題ありません|あり|まずい|どう|べき)(?:です|ます|でしょう|だろう|なの|の)*(?:か(?:な|ね|い|しら)?|よねか)"
        "|(?:これ(?:は|って)|それ(?:は|って))?どう(?:思(?:う|います)|しよう|したら(?:いい|よい)|すれば(?:いい|よい))(?:です|ます)?(?:か|かな|ね)*",
    ),
    (
        "question",
        "(?:それとも|または|もしくは|あるいは|ないしは).*|.{0,12}[うくぐすつぬぶむる](?:どれ|どちら|どっち|いずれ)|(?:かな|かも|かしら)(?:[ーあぁ]|ね|しれ(?:ない|ません))*|(?:の|ん)?か|の(?:だろう|でしょう)か"
        "|.{0,12}(?:どれ|どちら|どっち|いずれ)(?:に(?:する|し)|を(?:選|する|し)|がいい|か(?:だ|です|一つ|を)).*"
        "|(?:好きな|お好きな).{1,6}を(?:選|お選).*",
    ),
    (
        "other_time",
        f"(?:.{{1,6}}の(?:あと|後|とき|時|頃)(?:で|に)?|(?:{_TIMES})+)(?:{_TIMES}|に|で|は|の話|の予定|また|必ず|かな){{0,3}}{_SOFT}"
        "|(?:.{1,6}の)?(?:うち|間|あいだ|晩|夜|朝|夕方|昼|翌日)に"
        "|今(?:すぐ)?(?:じゃ|では)な(?:い|く).{0,6}"
        "|(?:これが|それが)?(?:いつもの|毎[日朝晩週回]の|普段の|お決まりの).{1,6}?(?:だ|です|である)?",
    ),
    (
        "condition",
        "(?!よかったら|よければ|よろしければ|宜しければ|可能なら|差し支え|構わな|かまわな|さよ|お願い|それなら|そんなら|だったら"
        "|そ(?:う)?したら|できれば$|できたら$).{1,30}(?:たら|だら|なら|ならば|[えけげせてねべめれ]ば)(?:ね|な|の話)*"
        f"|(?:例えば|たとえば|もしも?|仮)の話{_SOFT}"
        "|(?:ただし?|但し)(?!.{0,40}(?:残|触|さわ|除|別|以外|抜き|なし|だけ|まま|取ら)).{1,30}(?:とき|時|場合|間|うち|から|後|あと|前|際|まで|限り)(?:に|だけ|は|で|なら|ね|だ|です)*"
        "|(?:でき(?:れば|たら)|可能なら|叶うなら|運がよければ)(?:だ|です|の話)(?:けど|が|けれど|ね|よ)*",
    ),
    (
        "hypothesis",
        f"(?:ただし|ただ|せめて|もちろん|あくまで){{0,3}}(?:夢|想像|妄想|空想|頭|心|胸|脳内|物語|記憶)の中(?:で|の話)?(?:だけ)?(?:で|なの|の話)?{_SOFT}(?:から|ので)?"
        f"|{_MAYBE_IT}(?:ただの|全部|ぜんぶ|.{{1,6}}の)?{_UNREAL}(?:の話|の中|の出来事|のこと)?(?:だった|だ|です|でした|だったの|なん|な)(?:です|だ|よ|ね|な|の|さ|けど|けれど|が|から|ので)*"
        f"|{_MAYBE_IT}{_UNREAL}(?:の話|の出来事)(?:なの|なん)?{_SOFT}(?:が|から)?|(?:そこで|そして|ところで|はっと)?目[がを](?:覚|さ)(?:めた|めました|ました|まし).{{0,3}}|.{{1,10}}の(?:夢|話|想像|噂|物語|言うこと)(?:では|によ(?:れば|ると))",
    ),
    (
        "report",
        "(?:ただ)?そんな(?:夢|未来|想像|妄想|日々?|時代|気が|つもり|わけ|記憶|光景|こと(?:が|は|を)(?!.{0,4}[言い][わっ])).*"
        "|そう(?:思った|思ってい|言った|言われ|聞い|書いて|書かれ|夢見).*|(?:ただ)?それだけのこと.*(?:できな|できま|叶わ|かなわ).*"
        "|(?:以上|これ|それ|ここまで)が(?:私の|僕の|俺の|今日の)?(?:計画|予定|作戦|案|夢|望み|願い|理想|プラン)"
        f"{_SOFT}|(?:それ|これ)[がは].{{1,8}}?の(?:癖|役目|役割|仕事|番|担当|勝手|願い|望み|流儀|やり方){_SOFT}"
        f"|(?:それ|これ)[がは](?:.{{1,8}}?の)?(?:口癖|計画|作戦|予定|企み|日課|習慣|習わし|ならわし|しきたり|掟|決まり|きまり|約束|ルール|規則|伝統|命令|指示|伝言|台詞|夢){_SOFT}"
        "|と.{1,8}の声(?:だ|が.*)?|(?:そう|こう|と)?.{1,10}(?:に|から)(?:そう|こう)(?:言|頼|命じ|教え|勧め|せがま).{1,6}",
    ),
)
_AFTER: Final = tuple((mood, re.compile(pattern)) for mood, pattern in _MOODS)
_APART: Final = tuple((mood, pattern) for mood, pattern in _AFTER if mood != "statement")
_SETTLED: Final = tuple((m, p) for m, p in _AFTER if m in ("prohibition", "hypothesis", "report"))
"""What also holds for the prose of a character, who may doubt or plan while acting."""
_OPENERS = re.compile("(?:もちろん|当然|でも|まあ|えっ?|あっ?|いや|はっ?(?=[私僕俺誰]))")
_CHOICE = re.compile(".{0,8}(?:どれ|どちら|どっち)(?:にし?|を|が).*")
_AGENT = re.compile(
    f"(?:誰が)?(?:(?:私|俺|僕)(?:じゃなくて|ではなく|じゃなく))?{_WHO}が(?:ね|な|さ|だよ|です)?"
    f"|{_WHO.replace('who', 'whose')}がそう(?:言|話|叫|書|考|思).*"
    f"|{_WHO.replace('who', 'voice')}の声(?:だ|です|だった|でした|がする|がした|が(?:聞こえ|響|飛).*)"
    f"|(?:そう|こう|と){_WHO.replace('who', 'said')}[がはに](?:そう|こう)?(?:言|話|叫|頼|命|書|囁|ささや|呟|つぶや|せが|ねだ|怒鳴).{{1,8}}"
    f"|(?:(?:それ|これ|あと|後)は)?{_WHO.replace('who', 'left')}(?:に)?(?:任せ|まかせ|頼(?!まれ)|お願い|やらせ|させ|譲|託|よろしく).{{0,8}}"
    f"|(?:それ|これ|あと|後)は{_WHO.replace('who', 'does')}が.{{1,8}}"
    f"|(?:犯人|担当|係|やるの|するの)は{_WHO.replace('who', 'doer')}(?:だ|です|の方)(?:よ|ね)?"
    f"|(?:頼んだ|頼む|任せた|よろしく)(?:よ|ね|な|ぞ|頼む)*{_WHO.replace('who', 'called')}"
)
_REASON = re.compile("^.{1,8}(?:から|ので|けど)")
_UNMEANT = re.compile(
    "(?:.{0,6}(?:の|次の|以下の))?(?:選択肢|候補|提?案|下書き|例|計画|予定|プラン|作戦|目標|todo(?:リスト)?|(?:やること)?リスト"
    "|(?:したい|やりたい|できる|やるべき|すべき)こと)(?:一覧|リスト)?(?:です|だ|は(?:以下|次)(?:の通り|のとおり)?(?:だ|です)?)?"
    "|(?:計画|作戦|予定|案|段取り|手順|筋書き|シナリオ|夢|想像)は(?:こう|次|以下).{0,6}|(?:禁止|注意|厳禁)(?:事項|行為)?(?:一覧|リスト)?(?:です|だ)?"
    "|(?!(?:私|僕|俺|自分|次|今|今回|最初|最後)の).{1,8}の(?:仕事|台詞|セリフ|せりふ|役目|出番|担当|言葉)(?:です|だ)?|.{0,4}(?:の声|独白)"
    "|.{0,4}(?:選択肢|方法|道|手|案|候補)は(?:[二三四五2-5]つ|いくつか).{0,4}"
    "|(?:回想|空想|妄想|想像)(?:して(?:みる|みよう|みます|いる)|する|シーン)?|.*(?:記憶|思い出)が(?:よみがえ|蘇).*"
    "|.{1,12}(?:こと|日々?|頃)を(?:思い出す|思い出している|懐かしむ)|(?:こんな|ある|不思議な)夢を見(?:た|る|ている)"
    "|(?:夢|例え|もしも|仮|昔)の話(?:なん)?(?:だ|です)(?:けど|が|けれど)?|(?:以下|次|これ)は(?:例|引用|台本|歌詞|小説).*"
)
"""Words before what is not meant: a list of options, a plan, a memory."""
_SAYING = re.compile(
    f"{_WHO}(?:"
    "[がは][^をと]{0,12}?(?:言|叫|怒鳴|囁|ささや|つぶや|呟|命じ|頼|呼びか|答え|続け)[ぁ-ん]{1,4}"
    "|の声(?:がする|が(?:聞こえ|響).*)|に(?:こう)?(?:言|頼|命じ|告げ|伝え|呼びか|声をか)[ぁ-ん]{1,5}|の(?:命令|指示|伝言|頼み|号令)(?:だ|です|は)?"
    "|に(?:小声|大声|耳打ち|目配せ|合図)(?:で|して|する|を送る)?|を呼(?:ぶ|んだ|びます)|の(?:方|ほう)を向(?:く|いた))"
)
"""Words before what a person says, or what is said to a person."""
_ADDRESSING = re.compile(
    "(?:おい|ほら|ねえ|やい|おーい|ちょっと)*(?:そこの|そっちの)(?:君|きみ|お前|おまえ|お主|あんた|あなた|人|方|かた|子|者|野郎|やつ|奴|旦那|坊や|お嬢さん)(?:たち|達)?"
    "|(?:こら|コラ|やい|おのれ|こりゃ)[あぁっ]*|(?:いい|良い|よい|悪い|お利口な)(?:子|こ)(?:だ|です|ね|よ)*"
    "|(?:動く|騒ぐ|逃げる|泣く|来る|近づく|近寄る|しゃべる|黙る|暴れる)な(?:よ|って)?|止まれ|黙れ|静かにし(?:ろ|なさい|て)"
    "|(?:お腹|おなか|腹|喉|のど|疲れ|寒|暑|眠|痛|怖|つら|辛|寂し|大変).{0,8}(?:でしょう?|だろう?)(?:ね|に)*"
)
"""Words to a person who is not named: おい、そこの君; お腹すいたでしょう."""
_FOREGOING = re.compile(
    f"[、\\s]*(?:{_UNREAL}(?:の話|の中|のこと)?(?:だ|です|な(?:の|ん)だ?|な(?=ので))(?:けれども?|けど|が|から|ので|し)"
    "|(?:無理|だめ|ダメ|駄目|不可能)(?:だ|です)(?:けれども?|けど|が|から)"
    "|(?:.{0,6}(?:勇気|度胸|気力|覚悟|自信|資格|権利|本気で|本気じゃ)[がはも]?な|(?:でき|出来)な)い(?:んだ|のだ)?(?:けれども?|けど|が|から|ので|し))"
)
"""Words before a deed that take it back: 仮の話だけど電報を取る."""
_VOICE = re.compile(".{0,10}(?:声|号令|命令)が(?:する|した|聞こえ|響|飛).*")
_WRITTEN = re.compile(".{1,12}には?(?:こう|次のように)(?:書|記|刻)(?:かれ|いて|され|まれ).*")
_BEFOREHAND = re.compile(r"\s*(?:その)?前に[、,]\s*")
_NOT_MEANT = re.compile(r"[うくぐすつぬぶむるい](?:ん|の)(?:じゃ|では)なくて?[、,\s]*(?=\S)")
"""What is not meant, before what is: 庭に行くんじゃなくて玄関に行く."""
_ALTERNATIVES = re.compile(
    r"[るうくぐすつぬぶむ][、,\s]*(?:または|もしくは|あるいは|それとも|\bor\b|/)[\s、]*\w"
)
_THREAT = re.compile(
    "[てで]み(?:ろよ?|なよ?|なさい)[、。.!…\\s]{0,4}[^。.\\n]{0,40}(?:許さ|許し|怒|叱|泣|承知|どうなる|ただじゃ|ただでは|知らないから|後悔)"
)
_ATTEMPT = re.compile("うと(?:する|します)(?:の?だ?が|ん?だ?けれ?ど|ものの)")
_INWARD = re.compile(
    "(?:頭|心|夢|想像|妄想|空想)の中で(?!は|.{0,8}(?:祈|唱|つぶ|呟|思|謝|数え|叫|願|言|笑|泣|ほく|舌|礼))"
)
_MERELY = re.compile(
    "(?:目|眼|心|口|口先|言葉|頭|気持ち|気分|形|想像)だけ(?:で|は)(?!.{0,8}(?:祈|笑|追|合図|謝|挨拶|返事|答え|礼))"
)
"""A deed done only with the eyes, in thought or in words: 目だけで柿を食べる."""
_NEARLY = re.compile(
    "[、\\s]*(?:もう|あと)(?:少し|ちょっと|一歩|一息)(?:のところ)?で(?!.*(?:から|ので))"
)
"""What has not come about: もう少しで、電報を取る."""
_BARE_TOPIC = re.compile(
    rf"\s*{_WHO}(?:のやつ|のヤツ|の奴|ったら)[、,\s]|\s*(?:こ|あ|そ)の(?:子|人|男|女|やつ)、"
)
_FAILING = re.compile(
    "(?:だが|しかし|でも)?.*(?:だめ|ダメ|駄目|止め|止ま|届か|開か|でき|失敗|動か|びくと|無理|やめ).*"
)
_PIECE = re.compile(r"[、,()\-—―~・…]+")
_ADDRESSEE = re.compile(
    r"\s*(?P<who>[^\s、。:,.ー]{1,10}?)(?:(?:に|へ)\s?:|へ(?=[。.\n])|へ\s(?=[^。.\n]{1,20}に(?:渡|わた|あげ|貸|返|届|見せ))"
    r"|ー+[、,!\s])\s*"
)
"""Whom what follows is said to: 千代に：りんごをあげて."""
_ENTRANCE = re.compile(
    f"(?:次は|今度は)?{_WHO}(?:の番|登場|の出番|のターン)(?:だ|です|ね)*|(?P<topic>.{{1,10}}?)は[^をにで]{{1,5}}い(?:な|ね|よ)?|(?P<by>.{{1,10}}?)[がは]"
)
_LEFT_OUT = re.compile(
    "(?:ごめん|あっ?|やっぱり?|ただし|但し|でも|けど)*(?P<left>.{1,15}?)[はも](?:やっぱり?)?(?:残(?:す|して|して?おく|しておいて)|そのまま(?:で|に(?:する|して|しておく)?)?|いい(?!ね|な|匂|感|です[ねか])|いらない|要らない|いりません|違う|やめ(?:とく|ておく|る)"
    "|なし|結構|パス)(?:や|です|わ|よ|か|けど)*"
)
_AMENDMENT = re.compile(
    r"\s*(?P<oh>(?:(?:ごめん(?:なさい|ね)?|すみません|すまん|失礼(?:しました)?|悪い|あっ?|いや)[、,\s]*)*)"
    r"(?P<slip>(?:(?:間違え(?:た|ました)|まちがえた|違(?:う|った)|ちが(?:う|った)|やっぱり?|やはり)[、,\s]*){0,3})"
    r"(?P<meant>[^、。\s]{1,15}?)(?:の間違い)?(?P<end>だった|でした|です|だ|で|に(?:する|します)|がいい|ね|よ|の間違い)*\s*"
)


def find_addressee(lexicon: ParserContext, low: str) -> re.Match[str] | None:
    """The words at the beginning that say who is spoken to."""
    found = _ADDRESSEE.match(low)
    return found if found and is_other(lexicon, found["who"]) else None


def find_amendment(low: str, start: int, end: int) -> tuple[int, int] | None:
    """Where a sentence names what was meant instead: ごめん青の方; あ、厨房だった."""
    found = _AMENDMENT.fullmatch(low, start, end)
    slip = found and (
        found["slip"] or "間違い" in found.group() or found["oh"].strip("あいやっ、, ")
    )
    if found and (slip or (found["oh"] and found["end"])):
        return found.span("meant")
    return None


def find_left_out(words: str) -> str:
    """What is no longer wanted: あ、ランプはいいや."""
    found = _LEFT_OUT.fullmatch(words)
    return found["left"] if found else ""


def find_afterthought(
    lexicon: ParserContext, words: str, *, asked: bool, piece: bool = False
) -> Mood | None:
    """How the deeds before these words are meant; None if the words do not say it.

    Args:
        lexicon: What the parser may know of the world.
        words: A sentence without marks.
        asked: Whether it ends with a question mark.
        piece: Whether they are only the end of a sentence.
    """
    opened = _OPENERS.match(words)
    bare = words[opened.end() :] if opened else words
    spoken = {words, bare}
    kinds = _SETTLED if lexicon.narrated else _APART if piece else _AFTER
    for mood, pattern in kinds:
        ends = ("", "か") if asked and mood == "permission" else ("",)
        if any(pattern.fullmatch(each + end) for each in spoken for end in ends):
            return mood
    found = _AGENT.fullmatch(bare)
    who = next(filter(None, found.groups()), "") if found else ""
    wonders = asked and who in ja.SELF | ja.WORDS.question_words
    who = _REASON.sub("", who)
    return "report" if who and (wonders or is_other(lexicon, who)) else None


def split_pieces(low: str) -> tuple[str, str]:
    """The words before the first comma or bracket and after the last one; empty without any."""
    pieces = [piece.strip(" ") for piece in _PIECE.split(low) if piece.strip(" ")]
    return (pieces[0], pieces[-1]) if len(pieces) > 1 else ("", "")


def strip_callings(lexicon: ParserContext, low: str) -> str:
    """The words of a sentence without the names of those who are called: いいですか、船長."""
    pieces = [piece.strip(" ") for piece in low.split("、")]
    return "".join(piece for piece in pieces if not is_other(lexicon, piece))


def is_address(words: str) -> bool:
    """Whether they call, scold or praise a person who is not named: こら, そこの君, いい子だ."""
    return _ADDRESSING.fullmatch(words) is not None


def is_choice(words: str) -> bool:
    """Whether a question asks which of several things is to be done: どっちがいい."""
    return _CHOICE.fullmatch(words) is not None


def is_unmeant_heading(words: str) -> bool:
    """Whether what follows is not meant: 選択肢, 計画, 想像してみる."""
    return _UNMEANT.fullmatch(words.rstrip("123456789")) is not None


def skip_not_meant(low: str, start: int, end: int) -> int:
    """The position after the words of a sentence that are not meant, or the same one."""
    found = _NOT_MEANT.search(low, start, end)
    return found.end() if found else start


def skip_beforehand(low: str, start: int, end: int) -> int:
    """The position after その前に、 at the beginning of a sentence, or the same one."""
    found = _BEFOREHAND.match(low, start, end)
    return found.end() if found else start


def is_writing(words: str) -> bool:
    """Whether what follows is what is written somewhere: 手紙にはこう書かれていた."""
    return _WRITTEN.fullmatch(words) is not None


def find_speaker(lexicon: ParserContext, words: str) -> str:
    """Who speaks, or is spoken to, in what follows: 千代が言う, 千代の声がする, 千代を呼ぶ."""
    found = _SAYING.fullmatch(words)
    if found and is_other(lexicon, found["who"]):
        return found["who"]
    return "誰か" if _VOICE.fullmatch(words) else ""


def find_entering(lexicon: ParserContext, words: str) -> str:
    """Whose deeds follow: ナナ登場, 千代の番だ."""
    found = _ENTRANCE.fullmatch(words)
    who = (found["who"] or found["topic"] or found["by"]) if found else ""
    return who if who and is_other(lexicon, who) else ""


def find_inner_mood(lexicon: ParserContext, low: str, start: int, end: int) -> Mood | None:
    """The mood that words inside a sentence give to all of it; None if they give none."""
    topic = _BARE_TOPIC.match(low, start, end)
    if topic and (not topic["who"] or is_other(lexicon, topic["who"])):
        return "report"
    threat = _THREAT.search(low, start)
    if threat and threat.start() < end:
        return "prohibition"
    if _ATTEMPT.search(low, start, end) or _NEARLY.match(low, start, end):
        return "report"
    if _ALTERNATIVES.search(low, start, end):
        return "question"
    inward = _INWARD.search(low, start, end) or _MERELY.search(low, start, end)
    inward = inward or _FOREGOING.match(low, start, end)
    return "hypothesis" if inward else None


def is_failure_report(words: str) -> bool:
    """Whether a sentence after an attempt says that it failed: だめだった, 千代が止めた."""
    return _FAILING.fullmatch(words) is not None
