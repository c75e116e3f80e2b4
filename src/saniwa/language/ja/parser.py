"""Parse Japanese sentences into untrusted claims.

The text is split into sentences, and each into tokens; `language.ja.sentence` reads one
sentence. Here it is decided whether a sentence takes back the ones before it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from saniwa.language.ja.agents import find_told_agent
from saniwa.language.ja.claim_sequence import ClaimSequence
from saniwa.language.ja.clause_moods import TokenClause, find_clause_mood, split_clauses
from saniwa.language.ja.corrections import (
    CORRECTION,
    correct_tokens,
    find_deed_index,
    replace_denied,
)
from saniwa.language.ja.nouns import is_person, strip_end
from saniwa.language.ja.particle_phrases import extract_words, strip_openers
from saniwa.language.ja.remarks import (
    find_addressee,
    find_afterthought,
    find_amendment,
    find_entering,
    find_inner_mood,
    find_left_out,
    find_speaker,
    is_address,
    is_choice,
    is_failure_report,
    is_unmeant_heading,
    is_writing,
    skip_beforehand,
    skip_not_meant,
    split_pieces,
    strip_callings,
)
from saniwa.language.ja.sentence import HARMLESS, MARKS, SentenceParser
from saniwa.language.ja.speech import find_called, find_hearer
from saniwa.language.ja.tokens import Token, Tokenizer
from saniwa.language.lexicon import ja
from saniwa.language.mood import COMMAND, Mood, SentenceMood, is_greeting, make_withheld_claim
from saniwa.language.parser_context import Claim, ParserContext
from saniwa.language.text import QUOTE, PreparedText

_STOPS = "。.!?;\n"
_LIST_MARK = re.compile(r"\s*(?:>+|[-+●○■◆▶►]\s|[0-9]{1,2}[.)、](?![0-9])|\([0-9]{1,2}\))\s*")
"""A mark before a line that quotes it or makes it part of a list."""
_HEADING = re.compile(
    r"\s*(?:【(?:次の)?行動】|\[(?:次の)?行動\]|次の(?:行動|一手|アクション|動作)\s*:)\s*"
)
"""A heading before a deed: 次の行動:東へ行く."""
_PAUSE = re.compile(
    r"(?<=[をに])[.。]{2,12}|\.{1,12}(?=の[はをがも]|と(?:思|言|見せ)|って|なん?か?て|こと[はをがも]|わけ|はず|つもり|ふり|もの?か)"
)
"""A pause in the middle of a phrase: 閉める……のはやめて."""
_ASKED = re.compile(r"[.!\s]{0,12}\?")
"""The end of a question, also of a doubtful or a surprised one: 取る!?"""
_ASIDE = re.compile(r"\([^()]*\)(?=\w)")
"""What is done, in brackets before what is said."""
_REMARK = re.compile(
    r"(?<=\w)\([^()をへ]{1,40}?(?:といい(?:けど|が|な|のに)?|のだ|んだ|[いだ]けど|[いだ]が|から|ので|なあ|ね|よ|[いだ]|です|ます)\)"
)
"""What is remarked in brackets inside a sentence: …をつけ(音が大きくないといいけど)、茶を飲む."""
_UNMEANT_REMARK = re.compile(
    "嘘|うそ|冗談|やめ|止め|つもり|ふり|明日|あした|後で|あとで|昨日|さっき|夢|想像|妄想|もし|だけ|なし|取り消|ではな|じゃな"
    "|まだ|しない|心の|言|思|たい|できれば|可能|いつか|今度|ダメ|だめ|禁|例|台本|回想|[?]|代わり|以外|の方|ほう|[すくぐむるうつぬぶ]なよ"
)
"""A word by which a remark may say that a deed is not meant, or which thing is."""
_NUMBERED = re.compile(r"(?<=[^\s\d])(?:\s+[0-9]{1,2}[.)、]\s*|\s*\([0-9]{1,2}\)\s*)(?=[^\s\d])")
"""The number of the next part of a list on one line: 1. 笛を取る 2. 待つ."""
_FIRST_ITEM = re.compile(r"\s*(?:1[.)、](?!\d)|\(1\))")
_CHOSEN = re.compile("のうち|のいずれ|から選|の中から|どれ|どっち|どちら")
"""A word that makes a list one of choices, and not of steps."""
_ABOUT_WORDS = re.compile(
    "(?:次|以下|今|上|この|前)の(?:文|命令|言葉|指示|発言|台詞|行動(?!として))|(?:今|さっき)のは?(?:なし|無し|取り消)"
)
"""Words about what is said, which is then not meant."""
_LEAVE = re.compile(
    "(?:それで|別に)?(?:いい|良い|よい|ええ|よろしい|大丈夫|だいじょうぶ|かまわない|構わない|平気|問題ない|おk|ok)"
    "(?:です|っす|でしょう|だろう)?(?:か|かな|よね|よな|ね|の|や|やんな|やろ)*"
)
"""A part of a sentence that asks whether something may be done."""
_BESIDES = re.compile(
    r"\([^()]*(?:から|ので|もん|ため|けど)\)\s*$"
    r"|、[^、]{1,20}(?<!わけ)(?<!つもり)(?<![んの今私俺僕])(?<!いま)(?<!自分)(?<!本気)(?:じゃな|ではな)(?:くて|く|い(?:ほう|方|よ|ぞ)?)$"
)
"""A reason in brackets, or what is not meant, after the deed: 鍵を取る、銀のじゃなくて."""
_DOUBT = re.compile("いや|やっぱ|やはり")
_WRONG = re.compile("違|ちが")
_SEQUELS = frozenset({"そして", "それから", "続いて", "やがて", "そのあと", "最後に", "次に"})
_BEFORE = frozenset({"もう", "すでに", "既に", "とっくに", "まだ"})


def parse_japanese(heard: PreparedText, lexicon: ParserContext) -> tuple[Claim, ...]:
    """The claims in the words, in order; words not understood become claims as well."""
    heard = heard._replace(low=_blank_remarks(heard.low))
    said = ClaimSequence(lexicon)
    parser = _JapaneseParser(heard, lexicon, Tokenizer(heard, lexicon), said)
    addressee = find_addressee(lexicon, heard.low)
    parser.hearer = addressee["who"] if addressee else ""
    begun = addressee.end() if addressee else 0
    for start, end in _split_sentences(heard.low, begun):
        if not parser.parse_sentence(start, end):
            break
    return tuple(said.claims)


def _blank_remarks(low: str) -> str:
    """The text with spaces for remarks in brackets that do not say how a deed is meant."""
    return _REMARK.sub(
        lambda found: (
            found[0]
            if _UNMEANT_REMARK.search(found[0]) or not low[found.end() :].strip("。.! ")
            else "、" + " " * (len(found[0]) - 1)
        ),
        low,
    )


def _split_sentences(low: str, begun: int) -> Iterator[tuple[int, int]]:
    start, paused = _skip_heading(low, _skip_mark(low, begun)), 0
    aside = _ASIDE.match(low)
    listed = _FIRST_ITEM.match(low) is not None and not _CHOSEN.search(low)
    numbers = {n.start(): n.end() for n in _NUMBERED.finditer(low) if listed}
    for place, letter in enumerate(low):
        if place < max(start, paused):
            continue
        pause = _PAUSE.match(low, place)
        if place in numbers:
            yield start, place
            start = numbers[place]
        elif pause:
            paused = pause.end()
        elif letter in _STOPS:
            yield start, place
            start = _skip_mark(low, place + 1) if listed or letter == "\n" else place + 1
            start = _skip_heading(low, start)
        elif aside and place == aside.end():
            yield start, place
            start = place
    yield start, len(low)


def _skip_mark(text: str, place: int) -> int:
    """The position after a mark of quoted or listed lines, or the same one."""
    found = _LIST_MARK.match(text, place)
    return found.end() if found else place


def _skip_heading(text: str, place: int) -> int:
    """The position after a heading, or the same one."""
    found = _HEADING.match(text, place)
    return found.end() if found else place


@dataclass(slots=True)
class _JapaneseParser:
    """One pass over the text."""

    heard: PreparedText
    lexicon: ParserContext
    tokenizer: Tokenizer
    said: ClaimSequence
    before: list[Token] = field(default_factory=list)
    """The sentence before, as it is meant."""
    begun: int = 0
    """The number of claims before that sentence."""
    unmeant: Mood | None = None
    """The mood of all that follows, if it is not meant."""
    hearer: str = ""
    """Who is spoken to, or speaks, in the requests that follow."""
    teller: str = ""
    """Whose deeds the sentences that follow tell of."""

    def parse_sentence(self, start: int, end: int) -> bool:
        """Add the claims of a sentence; false if the rest of the text is not meant."""
        start = skip_not_meant(self.heard.low, start, end)
        words = MARKS.sub("", self.heard.low[start:end])
        if self._read_unmeant(words, start, end) or self._read_greeting(start, end):
            return True
        besides = _BESIDES.search(self.heard.low, start, end)
        tokens = _restore_subjects(self.tokenizer.split(start, besides.start() if besides else end))
        if self.said.add_exception(extract_words(self.heard, strip_openers(tokens))):
            return True
        asked = _ASKED.match(self.heard.low, end) is not None
        acts = any(c["type"] not in HARMLESS for c in self.said.claims)
        if acts and self._is_afterthought(tokens, start, end, asked=asked):
            return True
        about = _ABOUT_WORDS.search(self.heard.low, start, end) is not None
        if about or self._is_withdrawn(self.heard.low[start:end], tokens):
            self._withhold(0, 0, end, SentenceMood("statement", self._extract(start, end)))
            return not about
        beforehand = skip_beforehand(self.heard.low, start, end) if acts else start
        tokens = [t for t in tokens if t.start >= beforehand]
        tokens = _restore_resolve(self._correct(tokens, start, end))
        first, earlier = len(self.said.claims), self.begun
        if tokens:
            self.before, self.begun = tokens, first
        if self._is_narrated(tokens, end):
            tokens = [*tokens[:-1], tokens[-1]._replace(form="plain", marks=frozenset())]
        for part in _split_at_contrast(tokens):
            said = MARKS.sub("", extract_words(self.heard, part))
            leave = _LEAVE.fullmatch(said) or (asked and self._asks_reaction(part))
            if len(self.said.claims) > first and leave:
                # 飲むけどいいよね asks whether what was said before is all right.
                self._withhold(first, start, end, SentenceMood("permission", part[0].text))
                break
            last, here = part[-1:] == tokens[-1:], len(self.said.claims)
            sentence = SentenceParser(self.heard, self.lexicon, self.said)
            sentence.parse(part, asked=asked and last, contrasted=not last)
            if beforehand > start or "その前に" in [t.text for t in part[:2]]:
                self._put_before(here, first if here > first else earlier)
        self._judge_claims(tokens, first, start, end, asked=asked)
        self._note_frame(tokens, first, words)
        self.unmeant = "question" if asked and not acts and is_choice(words) else self.unmeant
        return True

    def _read_unmeant(self, words: str, start: int, end: int) -> bool:
        """Withhold the sentence if all that follows is not meant; whether it was withheld."""
        if self.unmeant == "question" and words.startswith(tuple(ja.WORDS.resolved)):
            self.unmeant = None  # どっちがいい？じゃあ、海図を取る
        if not self.unmeant or not words:
            return False
        self._withhold(len(self.said.claims), start, end, SentenceMood(self.unmeant, words))
        return True

    def _read_greeting(self, start: int, end: int) -> bool:
        """Add the claim of a greeting; false for anything else."""
        if self.lexicon.narrated or not is_greeting(self.heard.low[start:end]):
            return False
        self.said.claims.append({"type": "speak", "content": self._extract(start, end)})
        return True

    def _put_before(self, here: int, earlier: int) -> None:
        """Do what 庭に行く。その前に手紙を取る names last before the rest."""
        made = self.said.claims[here:]
        del self.said.claims[here:]
        self.said.claims[earlier:earlier] = made

    def _is_afterthought(self, tokens: list[Token], start: int, end: int, *, asked: bool) -> bool:
        """Whether the sentence only says how the deeds before it are meant."""
        words = MARKS.sub("", self.heard.low[start:end])
        left = find_left_out(words)
        if left and self.said.remove_target(left):
            return True
        bare = MARKS.sub("", strip_callings(self.lexicon, self.heard.low[start:end]))
        moods = (find_afterthought(self.lexicon, each, asked=asked) for each in (words, bare))
        meant: Mood | None = next(filter(None, moods), None)
        if self.heard.low.startswith("か、", start):
            meant = "question"
        failed = any("attempt" in t.marks for t in self.before) and is_failure_report(words)
        if _asks_other(self.before) and find_speaker(self.lexicon, words):
            meant = meant or "report"  # 鍵を取って。司書が頼む。
        if not meant and not self.lexicon.narrated and _is_condition(tokens):
            meant = "condition"
        if meant or failed:
            self._withhold(0, 0, end, SentenceMood(meant or "report", self._extract(start, end)))
            return True
        return self._is_called_after(tokens) or self._replace_last(start, end)

    def _asks_reaction(self, tokens: list[Token]) -> bool:
        """Whether it asks what another does then: 食べるけど、用務員は怒る?"""
        clauses, rest = split_clauses(strip_openers(tokens))
        asks = any(t.text in ja.WORDS.question_words for t in tokens)
        return not (asks or rest) and bool(find_told_agent(self.lexicon, clauses))

    def _is_called_after(self, tokens: list[Token]) -> bool:
        """Whether it only calls the person to whom the request before it was made."""
        bare = strip_openers(tokens)
        who = find_called(self.heard, self.lexicon, bare) if bare else ""
        made = self.said.claims[self.begun :]
        asks = _asks_other(self.before) and any(c["type"] not in HARMLESS for c in made)
        if who and asks:
            self.said.claims[self.begun :] = [self._make_request(self.before, who)]
        return bool(who and asks)

    def _make_request(self, tokens: list[Token], who: str) -> Claim:
        content = extract_words(self.heard, tokens)
        named = {"to": who} if is_person(self.lexicon, who) else {}
        return {"type": "speak", "content": content, "request": True} | named

    def _judge_claims(
        self, tokens: list[Token], first: int, start: int, end: int, *, asked: bool
    ) -> None:
        """Withhold the claims of a sentence that is said to another or tells of another."""
        low = self.heard.low
        self._remove_unwanted(first, start, end)
        made = self.said.claims[first:]
        if all(c["type"] in HARMLESS for c in made):
            return
        mood = find_inner_mood(self.lexicon, low, start, end)
        opening, piece = (MARKS.sub("", each) for each in split_pieces(low[start:end]))
        mood = mood or find_afterthought(self.lexicon, piece, asked=asked, piece=True)
        mood = mood or ("hypothesis" if is_unmeant_heading(opening) else None)
        ordered = tokens[-1].text in ("ねえ", "ねぇ") and any(
            t.form == "imp" and not t.marks for t in tokens
        )
        mood = mood or ("question" if ordered else None)  # 食べろ、ねえ
        called = str(made[0].get("to", "")) if made[0].get("request") else ""
        given = self.said.claims[first - 1] if first else {}
        if all(c.get("target") == "それ" for c in made):
            called = called or str(given.get("recipient", ""))  # 財布を渡す。預かってください。
        calls = tokens[0].text in ("全員", "誰か", "だれか") or is_address(opening)
        everybody = tokens[0].text if calls else ""
        hearer = self.hearer or called or self._find_turned(tokens) or everybody
        if hearer and _asks_other(tokens):
            self.said.claims[first:] = [self._make_request(tokens, hearer)]
        elif mood or (self.teller and _is_plain(tokens) and not _is_done_to_her(tokens)):
            self._withhold(first, start, end, SentenceMood(mood or "report", self.teller))

    def _is_mere_limit(self, low: str, tokens: list[Token], moods: list[SentenceMood]) -> bool:
        """Whether a sentence only rules out what none of the deeds does: ただし古酒には触らない."""
        limits = ("ただし", "但し", "でも", "けど", "しかし", "だが")
        if not low.lstrip(" 、").startswith(limits) or not moods:
            return False
        matches = self.lexicon.find_matches
        deeds = [c for c in self.said.claims if c["type"] not in HARMLESS]
        words = [self.heard.low[t.start : t.end] for t in tokens if t.kind == "name"]
        named = [each for each in words if self.lexicon.is_known(each)]
        roles = [str(c[r]) for c in deeds for r in ("target", "tool", "recipient") if r in c]
        touched = {e.id for words in roles for e in matches(words)}
        vague = any(words in ja.ALL or "以外" in words for words in roles)
        things = [e for words in named for e in matches(words)]
        by_key = any(c["type"] in ("unlock", "lock") and "tool" not in c for c in deeds)
        by_key = by_key and any(e.takeable for e in things)
        goes = any(c["type"] == "move" for c in deeds)
        met = any(e.id in touched for e in things) or any(each in roles for each in named)
        met |= goes and any(self.lexicon.is_way(w) or self.lexicon.is_near(w) for w in named)
        return (
            bool(named)
            and not (vague or by_key or met)
            and {m.mood for m in moods} == {"prohibition"}
        )

    def _remove_unwanted(self, first: int, start: int, end: int) -> None:
        """Leave out what is no longer wanted: パンと牛乳、あ、牛乳はいいや、パンだけ取って."""
        pieces = [MARKS.sub("", piece) for piece in self.heard.low[start:end].split("、")]
        left = next(filter(None, map(find_left_out, pieces[1:])), "")
        if left and self.said.remove_target(left):
            kept = self.said.claims[first:]
            self.said.claims[first:] = [c for n, c in enumerate(kept) if c not in kept[:n]]

    def _find_turned(self, tokens: list[Token]) -> str:
        """To whom the speaker turns before a comma: 女将に言う、箪笥を閉めて."""
        for place, token in enumerate(tokens[:-1]):
            talks = token.verb and token.verb.asks in ("speak", "gesture")
            if talks and token.form == "plain" and tokens[place + 1].kind == "comma":
                return find_hearer(self.heard, self.lexicon, tokens[:place])
        return ""

    def _replace_last(self, start: int, end: int) -> bool:
        """Do the last deed to what the sentence says was meant: ごめん青の方."""
        made = self.said.claims[self.begun :]
        span = find_amendment(self.heard.low, start, end)
        if not span or len(made) != 1 or "target" not in made[0]:
            return False
        words = strip_end(self.heard.low[slice(*span)], (*ja.ONE, "な"))
        role = (
            "recipient" if "recipient" in made[0] and is_person(self.lexicon, words) else "target"
        )
        near = self.lexicon.is_near(words) or self.lexicon.is_way(words)
        if (made[0]["type"] == "move") != near and role == "target":
            return False
        name = (
            words if near or role != "target" else self._find_alike(words, str(made[0]["target"]))
        )
        if name:
            self.said.claims[self.begun :] = [made[0] | {role: name}]
        return bool(name)

    def _find_alike(self, words: str, instead: str) -> str:
        """The name of the one thing that the words mean: 青いカップ for 青 instead of 赤いカップ."""
        found = self.lexicon.find_matches(words)
        alike = [e for e in self.lexicon.scope if words in e.name and e.name[-1:] == instead[-1:]]
        meant = found or alike
        return meant[0].name if len(meant) == 1 else ""

    def _note_frame(self, tokens: list[Token], first: int, words: str) -> None:
        """Note what the sentence says about those that follow."""
        made = self.said.claims[first:]
        if not tokens:
            return
        if any(c["type"] not in HARMLESS for c in made):
            self.hearer = self.hearer if _asks_other(tokens) else ""
            return
        if is_unmeant_heading(words) or is_writing(words):
            self.unmeant = "statement"
        bare = strip_openers(tokens)
        spoken = next((str(c["to"]) for c in made if c.get("to")), "")
        turned = any(c["type"] == "emote" for c in made)
        called = find_called(self.heard, self.lexicon, bare) if bare else ""
        faced = find_hearer(self.heard, self.lexicon, bare) if turned else ""
        unnamed = "誰か" if is_address(words) else ""
        spoken = spoken or called or faced or find_speaker(self.lexicon, words)
        self.hearer = spoken or unnamed or self.hearer
        if not self.lexicon.narrated:
            clauses, rest = split_clauses(bare)
            told = "" if rest else find_told_agent(self.lexicon, clauses)
            self.teller = find_entering(self.lexicon, words) or told or self.teller

    def _correct(self, tokens: list[Token], start: int, end: int) -> list[Token]:
        """The sentence without what is corrected in it, or in the one before."""
        found = CORRECTION.search(self.heard.low, start, end)
        if not found or not tokens:
            return tokens
        within = found.start() > tokens[0].start
        said = [t for t in tokens if t.start < found.start()] if within else self.before
        doubts = _DOUBT.search(found.group()) and not _WRONG.search(found.group())
        then = [t for t in tokens if t.start >= found.end()]
        if within and doubts and find_deed_index(said) >= 0:
            # ランプを取る、いや手紙を取る may be both; 渡す、いや渡さずに置く is not.
            return replace_denied(said, then) or tokens
        meant = correct_tokens(said, then)
        if meant is None:
            return tokens
        if not within and any(c["type"] == "speak" for c in self.said.claims[self.begun :]):
            return tokens
        if not within:
            del self.said.claims[self.begun :]
        return meant

    def _is_narrated(self, tokens: list[Token], end: int) -> bool:
        """Whether the past tense tells a story, as prose does, instead of reporting.

        The speaker is called by name (旅人は鍵を取った), is mentioned after a clause or after
        speech (…し、私は開けた), it goes on from a deed (そして閉じた), or speech ends it
        (私は傘を渡した。「どうぞ」).
        """
        last = tokens[-1] if tokens else None
        if last is None or last.form != "past" or last.marks - {"past", "polite"}:
            return False
        if any(t.kind == "time" or t.text in _BEFORE for t in tokens):
            return False
        led = bool(tokens[0].text in _SEQUELS and self.said.claims)
        said_then = self.heard.low[end:].strip(_STOPS + " ") == QUOTE
        for place, token in enumerate(tokens[:-1]):
            if tokens[place + 1].text == "は":
                word = self.heard.low[token.start : token.end]
                told = said_then or any(
                    t.kind in ("verb", "quote", "comma") for t in tokens[:place]
                )
                led |= word in self.said.lexicon.own_names or (word in ja.SELF and told)
        return led

    def _extract(self, start: int, end: int) -> str:
        return self.heard.extract_span(start, end).strip("、, ")

    def _withhold(self, first: int, start: int, end: int, mood: SentenceMood) -> None:
        """Put one claim that asks for nothing in place of those from `first` on."""
        self.said.claims[first:] = [make_withheld_claim(self._extract(start, end), mood)]

    def _is_withdrawn(self, low: str, tokens: list[Token]) -> bool:
        """Whether the sentence takes back the others."""
        if not any(c["type"] not in HARMLESS for c in self.said.claims):
            return False
        clauses, rest = split_clauses(strip_openers(tokens))
        stops = bool(clauses) and all(map(_is_stopping, clauses))
        if stops:
            return True
        moods = [find_clause_mood(c, last=c is clauses[-1], asked=False) for c in clauses]
        forbids = any(m.mood == "prohibition" for m in moods) and not clauses[0].before
        done = {c["type"] for c in self.said.claims}
        forbids = forbids and not (_is_unable_so(clauses[-1]) and clauses[-1].word.asks not in done)
        if self._is_mere_limit(low, tokens, moods):
            return False
        obeyed = moods != [] and all(m == COMMAND for m in moods) and not rest
        known = obeyed and not any(c.word.asks in ja.WORDS.no_deeds for c in clauses)
        return forbids or (low.lstrip(" 、").startswith(ja.LISTS.doubts) and not known)


def _asks_other(tokens: list[Token]) -> bool:
    """Whether the last verb asks another person for a deed: 開けて, 開けろ, 開けてください."""
    last = next((t for t in reversed(tokens) if t.verb), None)
    return last is not None and (
        last.form in ("te", "imp")
        or last.text.endswith(("てよ", "でよ"))
        or bool({"req", "kure", "recv"} & last.marks)
    )


def _restore_subjects(tokens: list[Token]) -> list[Token]:
    """Read a verbal noun before が and a verb as a noun: 撮影が終わってから."""
    made = list(tokens)
    for place, (noun, particle) in enumerate(pairwise(tokens[:-1])):
        ends = tokens[place + 2].form == "te"
        if noun.form == "noun" and particle.text == "が" and ends:
            made[place] = noun._replace(kind="word", verb=None, form="")
            made[place + 1] = particle._replace(kind="particle")
    return made


def _is_condition(tokens: list[Token]) -> bool:
    """Whether a sentence after a deed says on what it depends, and no deed: その前に、許しがいる; 前の晩に."""
    said = strip_openers(tokens)
    if [t.text for t in tokens[:1]] == ["その前に"] or [t.text for t in tokens[:2]] == [
        "その",
        "前に",
    ]:
        clauses, _ = split_clauses(said)
        return all(
            c.word.asks in ja.WORDS.no_actions
            or find_clause_mood(c, last=True, asked=False) != COMMAND
            for c in clauses
        )
    kinds = {t.kind for t in said}
    bare = bool(said) and kinds <= {"word", "title", "particle", "time"} and len(said) > 1
    return bare and said[-1].text in ("に", "では", "が")


def _is_done_to_her(tokens: list[Token]) -> bool:
    """Whether it is done to the person told of, and so by another: 彼女に声をかける."""
    return any(
        t.text in ja.PEOPLE and after.text in ("に", "を", "へ") for t, after in pairwise(tokens)
    )


def _is_plain(tokens: list[Token]) -> bool:
    """Whether it may tell what another does: no request, no intention, no 私は."""
    last = next((t for t in reversed(tokens) if t.verb), None)
    own = any(t.text in ja.SELF for t in tokens)
    return last is not None and last.form == "plain" and last.marks <= {"polite"} and not own


def _restore_resolve(tokens: list[Token]) -> list[Token]:
    """Read what is only asked of oneself as a resolve: ほな庭出よか."""
    if not tokens or tokens[-1].text not in ("か", "かね"):
        return tokens
    if tokens[0].text not in ja.WORDS.resolved:
        return tokens
    wanted = tokens[-2].form in ("vol", "imp") or _is_decided(tokens)
    return [*tokens[:-2], tokens[-2]._replace(form="vol")] if wanted else tokens


def _is_decided(tokens: list[Token]) -> bool:
    """Whether it says what the speaker has decided on: とりあえず手紙を読むか."""
    verb = tokens[-2]
    subject = any(t.text in ja.WORDS.subjects for t in tokens)
    deed = verb.verb is not None and verb.verb.word not in ("開く", "ひらく")
    deed = deed and verb.verb is not None and verb.verb.asks in ja.GROUPS.frames
    return deed and verb.form == "plain" and not (verb.marks or subject)


def _is_stopping(clause: TokenClause) -> bool:
    """Whether it says that what was said is not to be done: やめておこう."""
    named = any(t.text == "を" for t in clause.before)
    return clause.word.asks == "stop" and not named and "neg" not in clause.verb.marks


def _is_unable_so(clause: TokenClause) -> bool:
    """Whether it is a reason, told after a deed: 暗いままでは読めませんから."""
    unable = {"able", "neg"} <= clause.verb.marks
    return unable and [t.text for t in clause.tails] in (["から"], ["ので"])


def _split_at_contrast(tokens: list[Token]) -> list[list[Token]]:
    """Split a sentence after けど and が, whose two sides are independent of each other."""
    made: list[list[Token]] = [[]]
    for place, token in enumerate(tokens):
        made[-1].append(token)
        links = token.kind == "tail" and "link" in ja.TAILS.get(token.text, ())
        nominal = place > 0 and tokens[place - 1].text in ja.WORDS.nominal_ends
        if links and not nominal and place + 1 < len(tokens):
            made.append([])
    return made
