"""Read one Japanese sentence: its mood, its clauses, and what each of them asks for.

The form of each verb says whether its clause is a command (`language.ja.clause_moods`). No
clause is lost: words that are not understood become a claim.
"""

import re
from dataclasses import dataclass

from saniwa.language.ja.agents import drop_descriptions, find_agent, has_subject
from saniwa.language.ja.asides import drop_asides
from saniwa.language.ja.circumstances import (
    drop_circumstances,
    is_circumstance,
    is_inner,
    is_own_step,
    is_prelude,
    rewrite_checks,
)
from saniwa.language.ja.claim_sequence import ClaimSequence
from saniwa.language.ja.clause_claims import make_claims, make_state_claims
from saniwa.language.ja.clause_moods import (
    TokenClause,
    find_clause_mood,
    find_portion,
    is_command,
    is_quoted_before,
    is_remark,
    split_clauses,
)
from saniwa.language.ja.clause_roles import JapaneseClause, JapanesePart, is_speaker
from saniwa.language.ja.nouns import (
    LOOKING,
    find_described,
    is_item_seen,
    is_noun_known,
    is_person,
    split_location,
    split_part,
)
from saniwa.language.ja.particle_phrases import (
    extract_words,
    restore_order,
    split_at_commas,
    split_parts,
    strip_openers,
)
from saniwa.language.ja.questions import JapaneseQuestion
from saniwa.language.ja.speech import (
    ReportedSpeech,
    find_address,
    find_reported_speech,
    is_conversation,
    is_speaking,
    make_report_claim,
    make_talk_claim,
    split_deeds_before,
)
from saniwa.language.ja.tokens import JapaneseVerb, Token
from saniwa.language.ja.unused_words import find_unexplained
from saniwa.language.lexicon import ja, readings
from saniwa.language.mood import COMMAND, SentenceMood, make_leftover_claim, make_withheld_claim
from saniwa.language.parser_context import (
    Claim,
    ParserContext,
    make_emote_claim,
    make_unrecognised_claim,
)
from saniwa.language.text import QUOTE, PreparedText, fold_text

HARMLESS = frozenset({"unrecognised", "speak", "question", "emote", "look", "inspect"})
"""Claims that change nothing."""
_CHANGING = frozenset(
    {
        "take",
        "bring",
        "drop",
        "lay",
        "put",
        "give",
        "hang",
        "open",
        "close",
        "lock",
        "unlock",
        "eat",
    }
)
"""Deeds that a reply never leaves out of those that it names with them."""
MARKS = re.compile(rf"[^\w{QUOTE}]+")
"""What is no part of a word."""
_LATER = re.compile("(?:分|時間|日|秒|週間|年|か月)後")
_NOUN_ROLES = ("destination", "recipient", "tool", "source")
_SIGHTSEEING = ("見にい", "見に行", "見にゆ", "見に出", "見に向")
_TOWARDS = re.compile("(へ|に|まで|の方へ|の方に|のほうへ)$")
_Parts = tuple[JapanesePart, ...]


@dataclass(slots=True)
class SentenceParser:
    """One sentence, or a side of one that けど divides."""

    heard: PreparedText
    """The utterance."""
    lexicon: ParserContext
    """What the parser may know of the world."""
    said: ClaimSequence
    """The claims so far."""
    mood: SentenceMood = COMMAND
    """The mood of the sentence."""
    unfinished: bool = False
    """Whether words follow the last verb, which decides the mood."""
    followed: bool = False
    """Whether anything follows the last verb."""
    left_out: str = ""
    """What "all" in the next clause leaves out."""
    carried: _Parts = ()
    """Words that belong to the next clause."""
    lost: str = ""
    """A clause that only tells something."""
    answers: bool = True
    """Whether a question may be answered; else it is not understood."""

    def parse(self, tokens: list[Token], *, asked: bool, contrasted: bool) -> None:
        """Add the claims of the sentence; one claim if it asks for nothing or lost a word."""
        begun = len(self.said.claims)
        self.said.blocked = ""
        self._read_sentence(tokens, asked=asked, contrasted=contrasted)
        self.said.add()
        self.said.heading = False
        if not tokens:
            return
        words, made = self._extract(tokens), self.said.claims[begun:]
        acts = any(c["type"] not in ("unrecognised", "speak", "question") for c in made)
        speech = [c for c in made if c["type"] == "speak"]
        mood = SentenceMood("exception", self.left_out) if self.left_out else self.mood
        blocked = self._find_blocking_words(made) if acts else ""
        if mood != COMMAND and (acts or not speech):
            self.said.claims[begun:] = [*speech, make_withheld_claim(words, mood)]
        elif blocked and (self.unfinished or not self.lexicon.narrated):
            self.said.claims[begun:] = [*speech, make_leftover_claim(words, blocked)]

    def _find_blocking_words(self, made: list[Claim]) -> str:
        """Words that were lost, or name nothing in the world next to an action that is possible."""
        deeds = [c for c in made if c["type"] not in HARMLESS | {"move"}]
        lost = [
            next((w for w in nouns if not is_noun_known(self.lexicon, w)), "")
            for claim in deeds
            if claim["type"] not in ("introduce", "describe")
            for nouns in [[claim[role] for role in _NOUN_ROLES if role in claim]]
        ]
        unknown = next(filter(None, lost), "") if "" in lost and len(made) > 1 else ""
        return self.said.blocked or unknown or (self.lost if deeds else "")

    def _extract(self, tokens: list[Token]) -> str:
        return extract_words(self.heard, tokens)

    def _add_lost(self, words: str) -> None:
        """Add a claim for words that are not understood."""
        if MARKS.sub("", words):
            self.said.add(make_unrecognised_claim(words))

    def _read_sentence(self, tokens: list[Token], *, asked: bool, contrasted: bool = False) -> None:
        aside, dropped = bool(tokens) and tokens[0].text == "(", list[Token]()
        tokens = drop_descriptions(self.lexicon, tokens)
        if find_reported_speech(tokens) is None:
            tokens, dropped = drop_asides(tokens, asked=asked)
            nouns = [t for t in dropped if t.kind not in ("verb", "tail", "comma")]
            self.said.note_topic(tuple(split_parts(self.heard, nouns)))
        whole = drop_circumstances(self.lexicon, rewrite_checks(tokens))
        tokens = strip_openers(whole)
        if asked and [t.text for t in whole[: len(whole) - len(tokens)][-1:]] == ["次は"]:
            tokens = whole[-len(tokens) - 1 :]  # で、次は？
        if not tokens or self._read_fixed(tokens, asked=asked):
            return
        if tokens[-1].text == "も" and not asked and self._repeat_with(tokens):
            return
        clauses, rest = restore_order(self.heard, self.lexicon, *split_clauses(tokens))
        clauses = clauses if rest else _drop_last_remarks(clauses)
        self._note_mood(clauses, rest, tokens, asked=asked)
        self._note_reserve(clauses, rest, whole, dropped)
        if not is_speaking(
            self.heard, self.lexicon, clauses, tokens, asked=asked
        ) and self._add_question(tokens, clauses, asked=asked):
            return
        reported = find_reported_speech(tokens)
        if reported and not is_conversation(self.heard, self.lexicon, reported):
            self.mood = COMMAND
            earlier, said = split_deeds_before(self.heard, self.lexicon, reported.said)
            if earlier and self._is_to_say(tokens, reported, asked=asked):
                self._read_sentence(earlier, asked=False)  # 傘を取って、ナナにまたねと言う
                reported = reported._replace(said=said)
            self.said.add(make_report_claim(self.heard, self.lexicon, reported))
            self._read_sentence(reported.after, asked=asked)
            return
        self.followed = bool(rest)
        wishes = [c.verb.text for c in clauses if "want" in c.verb.marks]
        if wishes and (aside or (contrasted and wishes[-1] == clauses[-1].verb.text)):
            self.mood = SentenceMood("statement", wishes[-1])  # 食べたいけど、…
        self._note_last_adverb(clauses, rest)
        for number, clause in enumerate(clauses):
            self._read_clause(clause, clauses[number + 1 :], asked=asked)
        self._read_rest(rest)

    def _note_last_adverb(self, clauses: list[TokenClause], rest: list[Token]) -> None:
        """Note an adverb after the last verb, which leaves open what is asked for."""
        after = strip_openers(rest) if rest and rest[0].kind == "comma" else rest
        if clauses and any(t.kind == "adverb" and t.text not in ja.WORDS.last_words for t in after):
            self.said.blocked, self.unfinished = rest[0].text, True

    def _repeat_with(self, tokens: list[Token]) -> bool:
        """Whether the last deed is done with this too: 赤い旗を取る。白いのも。."""
        also = self._extract(tokens).removesuffix("も")
        if not (self.said.is_repeatable() and self.lexicon.can_see(also)):
            return False
        self.said.claims.append(self.said.last | {"target": also})
        return True

    def _note_reserve(
        self,
        clauses: list[TokenClause],
        rest: list[Token],
        tokens: list[Token],
        dropped: list[Token],
    ) -> None:
        """Note that it tells of a habit, of a plan for later, or of what is kept."""
        kept = bool(clauses) and not rest and _is_kept(clauses)
        planned = tokens[-1].text == "つもり" and any(t.kind == "tail" for t in dropped)
        if kept or planned or _is_habit(tokens):
            self.mood = SentenceMood("statement", tokens[-1].text)

    def _is_to_say(self, tokens: list[Token], speech: ReportedSpeech, *, asked: bool) -> bool:
        """Whether the speaker is to say it, and does not tell of it: …と言った."""
        begun, end = len(speech.said) + len(speech.frame) + 1, len(tokens) - len(speech.after)
        clause = TokenClause([], speech.verb, tokens[begun:end])
        return find_clause_mood(clause, last=not speech.after, asked=asked) == COMMAND

    def _read_fixed(self, tokens: list[Token], *, asked: bool) -> bool:
        """Add words to a person, a fixed phrase or a description; false for anything else."""
        whole = MARKS.sub("", self.heard.low[tokens[0].start : tokens[-1].end])
        phrases = ja.PAIRS.phrases
        phrase = phrases.get(whole) or phrases.get(whole.rstrip("よねか"))
        claim = find_address(self.heard, self.lexicon, tokens, asked=asked)
        if claim is None and phrase:
            own = phrase == "inventory"
            claim = self.lexicon.make_inventory_claim() if own else {"type": phrase}
        claim = claim or self._find_description(tokens)
        if claim is not None:
            self.said.add(claim)
        return claim is not None

    def _find_description(self, tokens: list[Token]) -> Claim | None:
        """The claim for 箱を古いと描写する."""
        last = next((n for n, t in enumerate(tokens) if t.verb and t.verb.asks == "describe"), 0)
        marks = [n for n in range(last) if tokens[n].text in ("と", "として", "だと")]
        objects = [n for n in range(last) if tokens[n].text == "を" and n]
        if not marks or not objects or marks[-1] <= objects[0] + 1 or last != len(tokens) - 1:
            return None
        if not is_command(TokenClause([], tokens[last], [])):
            return None
        content = self._extract(tokens[objects[0] + 1 : marks[-1]]).removesuffix("だ")
        target = self._extract(tokens[: objects[0]])
        return {"type": "describe", "target": target, "content": content}

    def _note_mood(
        self, clauses: list[TokenClause], rest: list[Token], tokens: list[Token], *, asked: bool
    ) -> None:
        """Note the mood of the sentence, if it is no command."""
        agent = find_agent(self.lexicon, clauses)
        if agent:
            self.mood = SentenceMood("report", agent)
            return
        for number, clause in enumerate(clauses):
            last = number == len(clauses) - 1 and not rest
            if clause.verb.text.endswith("から") and any(t.text == "が" for t in clause.before):
                self.mood = SentenceMood("condition", clause.verb.text)  # コーヒーが冷めてから飲む
                return
            if self._is_beside_deed(clauses, number, last=last):
                continue
            if last and self.lexicon.narrated and clause.verb.form == "stem" and not clause.tails:
                continue  # *鍵を差し出し*
            mood = find_clause_mood(clause, last=last, asked=asked)
            if mood != COMMAND and not (asked and clause.tells_state):
                self.mood = mood
                return
        longs = [c.verb.text for c in clauses[:-1] if "want" in c.verb.marks]
        if longs and clauses[-1].word.asks == "gesture" and not rest:
            self.mood = SentenceMood("wish", longs[0])  # 庭に出たくてうずうずする
            return
        if any(map(is_quoted_before, clauses[1:])):
            self.mood = SentenceMood("statement", "と")
            return
        if any(t.text in ("いや", "いやいや", "いいえ") for t in tokens[1:]):
            self.said.blocked, self.unfinished = "いや", True
        self._note_time(clauses, tokens, asked=asked)

    def _is_beside_deed(self, clauses: list[TokenClause], number: int, *, last: bool) -> bool:
        """Whether a clause only tells what is felt, why it is done, or what precedes it."""
        clause, later = clauses[number], clauses[number + 1 :]
        kept = clause.has_tail("state") and clause.word.word in ja.WORDS.holding
        aside = clause.has_tail("reason") or is_remark(self.lexicon, clause, later)
        told = clause.verb.marks <= {"past", "prog", "polite"} and not clause.tails
        told = told and clause.verb.form not in ("ba", "tara")
        gestures = all(c.word.asks == "gesture" for c in clauses[: number + 1])
        # うなずくと、箱を開ける: one's own gesture comes first.
        own = not any(t.text == "が" for t in clause.before)
        own = own and not has_subject(self.lexicon, clause, "はも")
        if own and not last and [t.text for t in clause.tails] == ["と"]:
            told, gestures = True, gestures or is_inner(self.lexicon, clause)
        around = not last and is_circumstance(self.lexicon, clause)
        around |= is_prelude(self.lexicon, clause, later)
        around |= is_own_step(self.lexicon, clause, clauses[:number], later)
        return (not last and (aside or kept)) or (told and gestures) or around

    def _note_time(self, clauses: list[TokenClause], tokens: list[Token], *, asked: bool) -> None:
        """Note that the sentence names another time, or asks something."""
        times = _list_times(clauses, tokens)
        quoted = any(t.kind == "quote" for t in tokens)
        words = [t.text for t in tokens if t.text in ja.WORDS.question_words and not quoted]
        if any([t.text for t in tokens[n : n + 2]] == ["何", "にも"] for n in range(len(tokens))):
            words.remove("何")  # 何にも触れず
        if times:
            self.mood = SentenceMood("condition", times[0])
        elif words or (asked and not clauses):
            self.mood = SentenceMood("question", (*words, "?")[0])

    def _add_question(
        self, tokens: list[Token], clauses: list[TokenClause], *, asked: bool
    ) -> bool:
        """Add the claim of a question; false for anything else."""
        if not self.answers or any(t.kind == "quote" for t in tokens):
            return False
        question = JapaneseQuestion(self.heard, self.lexicon, tokens, clauses, self.mood)
        claim = question.make_claim(self.said.topic, asked=asked)
        if claim is None:
            return False
        if claim["kind"] in ("can_i", "how", "why") and "state" not in claim:
            claim |= self._read_asked_deed(question.list_command())
        self.said.add(claim)
        self.mood = COMMAND
        nouns = [t for t in tokens if t.kind != "verb"]
        self.said.note_topic(tuple(split_parts(self.heard, nouns)))
        return True

    def _read_asked_deed(self, command: list[Token]) -> Claim:
        """The field with the claims that a command in these words makes; none if it has none."""
        said = ClaimSequence(self.lexicon)
        SentenceParser(self.heard, self.lexicon, said, answers=False).parse(
            command, asked=False, contrasted=False
        )
        understood = all(c["type"] not in ("unrecognised", "question") for c in said.claims)
        return {"deed": said.claims} if said.claims and understood else {}

    def _read_clause(self, clause: TokenClause, later: list[TokenClause], *, asked: bool) -> None:
        before = self._read_quotations(clause.before, clause.word)
        if before is None:
            return
        if _asks_to_see(clause):
            clause = clause._replace(verb=clause.verb._replace(verb=JapaneseVerb("見る", "see")))
        if not later or later[0].word.asks not in LOOKING:
            clause, before = self._read_glance(clause, before)
        before = self._add_directions(before, clause.word)
        clause, before = self._read_handling(clause, before)
        if clause.word.asks == "speak":
            self._read_talk(clause, before)
            return
        before = self._give_to_later(clause, before, later)
        parts = (*self.carried, *split_parts(self.heard, before))
        self.carried = ()
        while parts and not parts[0].words:
            parts = parts[1:]
        if later and clause.word.word in ja.WORDS.using and parts and parts[0].particle == "は":
            self.carried, parts = parts[:1], parts[1:]
        tokens = sorted((*before, clause.verb, *clause.tails), key=lambda token: token.start)
        words = self._extract(tokens)
        closely = any(t.text in ja.WORDS.closely for t in before)
        parts = self._find_looked_at(clause, parts) if closely else parts
        read = JapaneseClause.from_parts(self.lexicon, clause.word, parts)
        if read.is_gesture(closely=closely):
            absent = "" if self.lexicon.narrated else read.find_absent()
            looks = {"type": "inspect", "target": absent}  # which is refused
            self.said.add(looks if absent else make_emote_claim(words))
        elif not self._skip_clause(clause, parts, later, words):
            self._read_deed(clause, parts, words, later=bool(later), asked=asked)
        spoken = any("target" in claim for claim in self.said.claims)
        if not (later and spoken and "neg" in clause.verb.marks):
            self.said.note_topic(parts)

    def _find_looked_at(
        self, clause: TokenClause, parts: tuple[JapanesePart, ...]
    ) -> tuple[JapanesePart, ...]:
        """The parts of the clause; what was spoken of, if 詳しく見る has none."""
        if parts or not self.said.whole or clause.word.asks != "see":
            return parts
        return (JapanesePart(self.said.whole, "を"),)  # 絵が気になるので、詳しく見る

    def _read_glance(
        self, clause: TokenClause, before: list[Token]
    ) -> tuple[TokenClause, list[Token]]:
        """窓の外に目をやる, typed by a player, as a look; at nothing that is seen, it is a gesture."""
        if self.lexicon.narrated or clause.word.word not in ja.WORDS.glancing:
            return clause, before
        seen = [t._replace(text="を") if t.text in ("に", "へ") else t for t in before]
        named = [p.words for p in split_parts(self.heard, seen) if p.particle == "を"]
        named = [find_described(self.lexicon, words) for words in named]
        around = [words for words in named if words in ja.HERE or self.lexicon.is_here(words)]
        if len(named) != 1 or not (around or is_item_seen(self.lexicon, named[0])):
            return clause, before
        see = clause.verb._replace(verb=JapaneseVerb("見る", "see"))
        return clause._replace(verb=see), seen

    def _read_handling(
        self, clause: TokenClause, before: list[Token]
    ) -> tuple[TokenClause, list[Token]]:
        """笛を吹く and オルゴールを巻く use what has a use; ラジオで音楽をかける uses the radio."""
        word = clause.word.word
        kinds = [kind for kind, verbs in ja.GROUPS.handling.items() if word in verbs]
        use = clause._replace(verb=clause.verb._replace(verb=clause.word._replace(asks="use")))
        parts = [p for p in split_parts(self.heard, before) if p.words]
        named = [p.words for p in parts if p.particle in ("を", "", "は", "も")]
        by = [p.words for p in parts if p.particle in ("で", "から")]
        on = [p.words for p in parts if p.particle in ("に", "へ")]
        if "sat_on" in kinds and len(on) == len(parts) == 1:  # 体重計に乗る
            sat = [t._replace(text="を") if t.text in ("に", "へ") else t for t in before]
            fits = self._is_usable(on[0], ja.GROUPS.handled["sat_on"])
            return (use, sat) if fits else (clause, before)
        if len(by) == 1 and len(parts) == 2 and named and named[0] in ja.WORDS.performed:
            played = bool(kinds) or clause.word.asks == "use"
            if played and not self.lexicon.is_known(named[0]) and self._is_usable(by[0], ()):
                place = next(n for n, t in enumerate(before) if t.text in ("で", "から"))
                return use, [*before[:place], before[place]._replace(text="を")]
        ends = tuple(end for kind in kinds for end in ja.GROUPS.handled[kind])
        if not kinds or len(named) > 1 or (parts and not named):
            return clause, before
        meant = named[0] if named else str(self.said.last.get("target", ""))
        return (use if self._is_usable(meant, ends) else clause), before

    def _is_usable(self, words: str, ends: tuple[str, ...]) -> bool:
        """Whether all that the words may mean has a use, and a name that ends like one of these."""
        meant = self.lexicon.find_matches(find_described(self.lexicon, words))
        return bool(meant) and all(
            "use" in e.attributes
            and not (e.openable or self.lexicon.is_left_off(e.name))
            and (not ends or any(name.endswith(ends) for name in (e.name, *e.aliases)))
            for e in meant
        )

    def _give_to_later(
        self, clause: TokenClause, before: list[Token], later: list[TokenClause]
    ) -> list[Token]:
        """ナナに傘を取って渡す: the person belongs to the giving."""
        gives = later and later[0].word.asks == "give" and not later[0].before
        if clause.word.asks != "take" or not gives or clause.word.word in ja.WORDS.receiving:
            return before
        place = next((n for n, t in enumerate(before) if t.text == "に"), 0)
        whom = tuple(split_parts(self.heard, before[: place + 1])) if place else ()
        if len(whom) != 1 or not is_person(self.lexicon, whom[0].words):
            return before
        later[0].before.extend(before[: place + 1])
        return before[place + 1 :]

    def _skip_clause(
        self, clause: TokenClause, parts: _Parts, later: list[TokenClause], words: str
    ) -> bool:
        """Whether the clause asks for nothing by itself."""
        asks, marks = clause.word.asks, clause.verb.marks
        if self._is_mere_step(clause, parts, later) or is_remark(self.lexicon, clause, later):
            return True
        if self._leaves_out(clause, parts, later, words):
            return True
        set_phrase = not later and not parts and clause.verb.text in ja.WORDS.set_phrases
        skipped = bool(later) and "neg" in marks
        rushes = asks == "move" and not parts and clause.word.word in ja.RUSHING
        idle = asks in ja.WORDS.no_actions or rushes or (asks == "stand" and "prog" not in marks)
        if not (set_phrase or skipped or idle):
            return bool(later or self.followed) and self._is_in_hand(clause.word, parts)
        self._add_lost(words)
        if skipped:
            # 取らずに置いておく leaves it where it is.
            stays = later[0].word.asks == "lay" and not later[0].before
        else:
            stays = not set_phrase and asks not in ("exist", "stand")
            stays &= asks != "unknown" or not later
            tells = not (later or self.followed) and clause.word.word in ja.WORDS.outcomes
            names = (t.text for t in clause.before if t.kind == "name")
            if idle and (tells or any(is_person(self.lexicon, name) for name in names)):
                self.lost = self.lost or words
        self.said.blocked = words if stays else self.said.blocked
        return True

    def _is_mere_step(self, clause: TokenClause, parts: _Parts, later: list[TokenClause]) -> bool:
        """Whether the clause only leads to what follows: 行って取る, 台所を出て東へ行く."""
        asks, word = clause.word.asks, clause.word.word
        if later and is_circumstance(self.lexicon, clause):
            # 傘を立てかけるように籠に入れる: what it names belongs to the next clause.
            kept = clause.verb.form != "while" and not later[0].before
            self.carried = parts if kept else ()
            return True
        if (later and clause.has_tail("reason")) or is_prelude(self.lexicon, clause, later):
            return True
        if later and self._is_way_to_deed(clause, parts, later):
            return True
        own = (p for p in parts if not is_speaker(self.lexicon, p.particle, p.words))
        named = next((p.words for p in own if p.particle != "で"), "")
        if later and self._opens_text(asks, named or self.said.topic, later[-1].word):
            return True
        if later and word in ja.WORDS.undoing and parts and parts[-1].words in ja.WORDS.panels:
            return True  # 留め金を外して開ける
        if (later or self.said.claims) and word.startswith(("そのままに", "放って", "ほっと")):
            return True
        if later and later[0].word.goes and word in ja.WORDS.on_foot and not parts:
            return True
        leaves = asks == "leave" and (later or self.followed)
        if leaves and parts and self.lexicon.is_here(parts[-1].words):
            return True
        return word in ja.WORDS.turning and not parts and self.said.has_key_in_lock()

    def _is_way_to_deed(self, clause: TokenClause, parts: _Parts, later: list[TokenClause]) -> bool:
        """Whether it only goes up to what follows: 行って取る, 近寄って読む, 躙口をくぐって露地に出る."""
        asks, verb = clause.word.asks, clause.verb
        through = verb.text.endswith(("をくぐって", "をくぐり")) and asks in ("unlisted", "unknown")
        nears = asks == "approach" and verb.form in ("te", "stem") and "neg" not in verb.marks
        nears = nears or clause.word.word in ("行く", "いく")
        return (through and later[0].word.goes) or (nears and not parts)

    def _leaves_out(
        self, clause: TokenClause, parts: _Parts, later: list[TokenClause], words: str
    ) -> bool:
        """Whether the clause only says what is left out: 傘を残して, 傘は持ったまま."""
        asks = clause.word.asks
        holds = clause.has_tail("state") and clause.word.word in ja.WORDS.holding
        if holds and (later or self.followed):
            others = any(t.text in ja.LISTS.rest for c in later for t in c.before)
            return not others or self._note_exception(parts)
        if clause.verb.text.startswith(ja.LISTS.keeping) and self._is_held(
            parts[-1].words if parts else self.said.topic
        ):
            self.said.add(make_withheld_claim(words, SentenceMood("statement", clause.verb.text)))
            return True
        if not parts:
            return False
        only = any(t.text.startswith(("だけ", "のみ")) for t in clause.before)
        last = parts[-1]
        if only and asks in ("except", "lay") and self.said.remove_from_all(last.words):
            return True
        if self._leaves_there(clause, parts, later):
            return True
        if asks == "except" or (later and only and "neg" in clause.verb.marks):
            return self._note_exception(parts)
        aside = asks == "lay" and clause.verb.text.endswith(ja.LISTS.leaving)
        if not (later and aside and last.particle == "は"):
            return False
        if any(t.text in ja.LISTS.rest for t in later[0].before):
            self._note_exception(parts)
        # 牛乳は置いといて asks nothing; of a thing in hand it could mean putting it down.
        if self._is_held(last.words):
            self.said.blocked = words
        return True

    def _opens_text(self, asks: str, words: str, verb: JapaneseVerb) -> bool:
        """Whether something that cannot be opened is opened to be read: 封筒を開けて読む."""
        owner, part = split_part(words)
        lid = part in ja.WORDS.lids | ja.WORDS.panels and verb.asks == "eat"
        meant = self.lexicon.list_bearers(owner if lid else words) if asks == "open" else ()
        shut = all(e.takeable and not e.openable for e in meant)
        eaten = lid and all(e.edible for e in meant)
        return bool(meant) and shut and (verb.asks in ("inspect", "see") or eaten)

    def _leaves_there(self, clause: TokenClause, parts: _Parts, later: list[TokenClause]) -> bool:
        """Whether it leaves a thing where it is, before a deed to another: 青いのを棚に残し、赤いのを取る."""
        if clause.word.asks == "except" and later and "neg" in clause.verb.marks:
            self.carried = parts  # パンを残さず食べる
            return True
        if clause.word.asks != "except" or not later or all(p.particle != "に" for p in parts):
            return False
        said = split_parts(self.heard, later[0].before)
        named = [p.words.removesuffix("だけ") for p in said if p.particle in ("を", "")]
        meant = [self.lexicon.find_in_scope(words) for words in named if words]
        left = self.lexicon.find_matches(parts[-1].words)
        return bool(meant and left) and all(len(m) == 1 and m[0] not in left for m in meant)

    def _note_exception(self, parts: _Parts) -> bool:
        """Note what "all" in the next clause leaves out; the other words belong to that clause."""
        parts = tuple(p for p in parts if p.words and p.words not in ja.WORDS.in_hand)
        first = len(parts) - 1
        while first > 0 and parts[first - 1].particle in ("と", "や"):
            first -= 1
        self.left_out = "と".join(p.words.removesuffix("だけ") for p in parts[first:])
        self.carried = parts[:first]
        return True

    def _is_held(self, words: str) -> bool:
        """Whether the speaker holds something that the words may mean."""
        held = self.lexicon.world.list_contents(self.lexicon.actor)
        return any(e.id in held for e in self.lexicon.find_matches(words))

    def _is_in_hand(self, verb: JapaneseVerb, parts: _Parts) -> bool:
        """鍵を持って, before another clause, takes no key that is already held."""
        named = [
            p.words
            for p in parts
            if not is_speaker(self.lexicon, p.particle, p.words)
            and p.words not in ja.WORDS.single
            and not (p.particle == "から" and p.words in ja.WORDS.pockets)
        ]
        if verb.word not in ja.WORDS.showing or len(named) != 1 or not self._is_held(named[0]):
            return False
        self.said.shown = named[0]
        return True

    def _read_deed(
        self, clause: TokenClause, parts: _Parts, words: str, *, later: bool, asked: bool
    ) -> None:
        made = self._make_pairs(parts, clause, asked=asked)
        if later and clause.word.asks == "wait" and any(p.particle == "を" for p in parts):
            made = None  # 返事を待ってから食べる is another time.
        leftover = made[0].get("leftover", "") if made else ""
        waits = later and (not leftover or leftover in ja.LISTS.keyholes)
        if made is None:
            self.said.blocked = words
            self._add_lost(words)
        elif waits and self.said.hold_clause(clause.word, parts, made):
            return
        elif leftover:
            self.said.add(made[0] | {"words": words})
            self.said.blocked = leftover
            # Of deeds that belong together, all are done or none, also in a reply.
            self.unfinished |= clause.word.asks in _CHANGING
        elif self._is_useless_turn(clause.word, made):
            self.said.blocked = words
            self._add_lost(words)
        elif parts or made != [{"type": "drop"}] or self.said.last["type"] not in ("drop", "put"):
            # 床に並べて置く puts it down once.
            unfinished = not later and clause.verb.form == "te" and not clause.verb.marks
            if not (unfinished and self.said.add_tool(clause.word, made)):
                self.said.add_deeds(clause.word, made)

    def _is_useless_turn(self, verb: JapaneseVerb, made: list[Claim]) -> bool:
        """Whether it turns or pulls what was just taken, which has no use: 瓶を取って回す."""
        last = self.said.last
        bare = made == [{"type": "use"}] and last["type"] == "take"
        meant = self.lexicon.find_matches(str(last.get("target", ""))) if bare else ()
        if verb.word not in ja.WORDS.pulling or not meant:
            return False
        keys = {e.required_key for e in self.lexicon.scope}
        return all("use" not in e.attributes and e.id not in keys for e in meant)

    def _make_pairs(self, parts: _Parts, found: TokenClause, *, asked: bool) -> list[Claim] | None:
        """千代さんにりんごを、ナナに傘を渡す: each side of the comma is a claim of its own."""
        portion = find_portion(found)
        told = self.lexicon.narrated or self.heard.quotes or self.said.claims
        bite = found.word.asks == "eat" and portion.startswith(("一口", "ひと口", "ひとくち"))
        if portion and not (bite and told):
            return [make_leftover_claim("", portion)]
        pieces: list[list[JapanesePart]] = [[]]
        for part in parts:
            if part.particle == "、" and not (part.words and len(pieces[-1]) != 1):
                other = "に" if pieces[-1] and pieces[-1][0].particle != "に" else "を"
                pieces[-1] += [part._replace(particle=other)] if part.words else []
                pieces.append([])
            else:
                pieces[-1].append(part)
        pieces = [piece for piece in pieces if piece]
        paired = all(
            {p.particle for p in piece} in ({"に", "を"}, {"に", "は"}) for piece in pieces
        )
        if len(pieces) < 2 or not paired:
            return self._make_claims(parts, found, asked=asked)
        made: list[Claim] = []
        for piece in pieces:
            one = self._make_claims(tuple(piece), found, asked=asked)
            if one is None or (one and "leftover" in one[0]):
                return one
            made += one
        return made

    def _make_claims(self, parts: _Parts, found: TokenClause, *, asked: bool) -> list[Claim] | None:
        """The claims of a clause, or one with a leftover; None if another person is to do it."""
        verb, marks = found.word, found.verb.marks
        if verb.asks in ("see", "inspect") and found.verb.text.startswith(_SIGHTSEEING):
            verb, parts = self._read_sightseeing(verb, parts)
        goal = any(p.particle in ("に", "へ") for p in parts)
        if (
            verb.asks == "bring"
            and "caus" in marks
            and goal
            and "を" not in {p.particle for p in parts}
        ):
            verb = JapaneseVerb("出る", "leave")  # 庭へ出させていただきます
        parts = tuple(p._replace(words=self.said.find_other(p.words)) for p in parts)
        named = [p for p in parts if p.particle in ("", "を", "も", "は")]
        many = bool(named) and {p.words for p in named} <= ja.WORDS.quantities
        if many and self.said.is_repeatable():
            apart = tuple(p for p in parts if p not in named)
            parts = (*apart, JapanesePart("それら", "を"))  # 両方ともナナに渡す
        tool = self.said.waiting.tool if self.said.waiting else ""
        clause = JapaneseClause.from_parts(self.lexicon, verb, parts, tool, self.left_out)
        way = clause.find_first("を")
        if verb.word in ja.PAIRS.up_and_down and len(parts) == 1 and self.said.is_onward(way):
            return [{"type": "move", "target": way}]  # 縁側に出て石段を下りる
        if clause.left_out:
            self.left_out = ""
        stated = found.word.asks == "stand" or asked or found.has_tail("question")
        if found.tells_state and stated:
            return make_state_claims(clause)
        # あゆに鍵を取ってもらう asks another person, 渡してもらえますか does not.
        whom = any(p.particle == "に" and is_person(self.lexicon, p.words) for p in clause.parts)
        given = found.word.asks == "give" and "able" in marks
        if clause.is_done_by_another() or (whom and "recv" in marks and not given):
            return None
        if (
            verb.asks == "take"
            and "favour" in marks
            and whom
            and not verb.word.startswith("持って")
        ):
            return self._make_favour(clause)
        lost = find_unexplained(clause)
        return [make_leftover_claim("", lost)] if lost else make_claims(clause)

    def _read_sightseeing(self, verb: JapaneseVerb, parts: _Parts) -> tuple[JapaneseVerb, _Parts]:
        """庭の様子を見に行く, where one is elsewhere, as going there."""
        place = parts[0].words.removesuffix("の様子") if len(parts) == 1 else ""
        if parts and parts[0].particle == "を" and self.lexicon.is_near(place):
            return JapaneseVerb("行く", "move"), (JapanesePart(place, "に"),)
        return verb, parts

    def _make_favour(self, clause: JapaneseClause) -> list[Claim]:
        """ナナにパンを取ってあげる: take it, and give it."""
        whom = clause.find_first("に")
        rest = tuple(p for p in clause.parts if (p.words, p.particle) != (whom, "に"))
        taking = JapaneseClause.from_parts(self.lexicon, clause.verb, rest)
        lost = find_unexplained(taking)
        taken = [make_leftover_claim("", lost)] if lost else make_claims(taking)
        things = [c["target"] for c in taken if c["type"] == "take" and "target" in c]
        return taken + [{"type": "give", "target": t, "recipient": whom} for t in things]

    def _read_quotations(
        self, tokens: list[Token], verb: JapaneseVerb | None
    ) -> list[Token] | None:
        """Add the quotations as speech; the tokens after them, or None if the verb is used up."""
        places = [place for place, token in enumerate(tokens) if token.kind == "quote"]
        if not places:
            return tokens
        begun, hearer = 0, list[Token]()
        for place in places:
            lead = strip_openers(tokens[begun:place])
            frame = lead and lead[-1].text in ("に", "に向かって", "へ", "は", "が")
            if lead and (not frame or self._is_direction(self._extract(lead))):
                self._read_rest(lead)
            elif (
                lead and verb is not None and verb.asks == "give" and lead[-1].text in ("に", "へ")
            ):
                hearer = lead  # ナナに「はい」と渡す
            content = self.heard.quotes[self.heard.text.count(QUOTE, 0, tokens[place].start)]
            self.said.add({"type": "speak", "content": content})
            begun = place + 1
        after = strip_openers(tokens[begun:])
        quoting = bool(after) and after[0].text in ("と", "って")
        after = after[1:] if quoting else after
        goes = quoting and not after and verb is not None and verb.word in ("いく", "行く")
        says = goes or (verb is not None and verb.asks == "speak")
        if says and all(t.kind != "particle" or t.text in ("に", "へ", "で", "は") for t in after):
            return None
        return [*hearer, *after]

    def _read_talk(self, clause: TokenClause, before: list[Token]) -> None:
        """Talk without what is said: ナナに話しかける."""
        parts = [part for part in split_parts(self.heard, before) if part.words]
        parts = [p for p in parts if not is_speaker(self.lexicon, p.particle, p.words)]
        wanted = self.mood == COMMAND and is_command(clause)
        claim = make_talk_claim(self.lexicon, parts) if wanted else None
        if wanted and claim is None:  # 庭師に近づき、戸棚について尋ねる
            met = (str(self.said.last.get("recipient", "")), self.said.topic)
            whom = next((words for words in met if is_person(self.lexicon, words)), "")
            claim = (
                make_talk_claim(self.lexicon, [JapanesePart(whom, "に"), *parts]) if whom else None
            )
            if claim and self.said.last == {"type": "inspect", "target": whom}:
                self.said.claims.pop()  # ナナのそばまで歩いて話しかける
        if claim is not None:
            self.said.add(claim)
        else:
            self._add_lost(self._extract([*before, clause.verb, *clause.tails]))

    def _add_directions(self, tokens: list[Token], verb: JapaneseVerb) -> list[Token]:
        """東へ、箱を開ける: a direction before a comma is a move, unless the verb takes it."""
        while True:
            tokens = tokens[bool(tokens and tokens[0].kind == "comma") :]
            comma = next((n for n, t in enumerate(tokens) if t.kind == "comma"), -1)
            way, rest = tokens[: max(comma, 0)], tokens[comma + 1 :]
            towards = len(way) > 1 and way[-1].text in ("へ", "に", "まで")
            if not towards or not self._is_direction(self._extract(way)):
                return tokens
            if verb.goes and not any(t.text in ("へ", "に", "を") for t in rest):
                return tokens
            self.said.add({"type": "move", "target": _TOWARDS.sub("", self._extract(way))})
            tokens = strip_openers(rest)

    def _is_direction(self, words: str) -> bool:
        bare = _TOWARDS.sub("", words)
        near = {readings.to_reading(name) for name in self.lexicon.near}
        return self.lexicon.is_way(bare) or readings.to_reading(fold_text(bare)) in near

    def _read_rest(self, tokens: list[Token]) -> None:
        """Read words that no verb follows: directions, or words not understood."""
        if self.said.add_exception(self._extract(strip_openers(tokens))):
            return
        if self._add_placing(tokens):
            return
        if self.mood == COMMAND and self.said.complete_last(tokens, self._extract(tokens)):
            return
        lost: list[Token] = []
        for piece in split_at_commas(strip_openers(self._read_quotations(tokens, None) or [])):
            words = self._extract(strip_openers(piece))
            bare = _TOWARDS.sub("", words)
            named = self.said.find_other(words.removesuffix("も"))
            noun = all(t.kind != "particle" or t.text in ja.WORDS.genitives for t in piece[:-1])
            onward = self._is_direction(words) or self.said.is_onward(words)
            if onward or (words.endswith("へ") and bare != "" and noun):
                self._add_lost(self._extract(lost))
                lost = []
                self.said.add()
                self.said.add_move({"type": "move", "target": bare})
            elif (
                named != words and self.said.is_repeatable() and is_noun_known(self.lexicon, named)
            ):
                self.said.claims.append(self.said.last | {"target": named})
            else:
                lost += piece
        if lost:
            # The last verb decides the mood of all of it, also in a reply: 食べて後悔した.
            self.said.blocked, self.unfinished = self._extract(lost), True
        self._add_lost(self._extract(lost))

    def _add_placing(self, tokens: list[Token]) -> bool:
        """Add 傘を籠へ or 籠へ傘を, without a verb, as putting or giving what is held."""
        parts = tuple(p for p in split_parts(self.heard, tokens) if p.words)
        order = "".join(p.particle for p in parts)
        if order not in ("をへ", "をに", "はへ", "へを", "にを"):
            return False
        goal, thing = (p.words for p in sorted(parts[:2], key=lambda p: p.particle in "をは"))
        held = self.lexicon.world.list_contents(self.lexicon.actor)
        meant = self.lexicon.find_matches(split_location(self.lexicon, thing)[0])
        person = is_person(self.lexicon, goal)
        kept = goal in ja.WORDS.pockets
        known = person or goal in ja.FLOOR or not self.lexicon.is_way(goal)
        known = kept or (known and is_noun_known(self.lexicon, goal))
        if not known or not meant or any(e.id not in held for e in meant if not kept):
            return False
        verb = JapaneseVerb("渡す", "give") if person else JapaneseVerb("置く", "lay")
        clause = JapaneseClause.from_parts(self.lexicon, verb, parts)
        if find_unexplained(clause):
            return False
        self.said.add_deeds(verb, make_claims(clause))
        return True


def _is_kept(clauses: list[TokenClause]) -> bool:
    """Whether a thing is not to be used up yet: プリンは食べずに取っておく, 最後まで取っておく."""
    last = clauses[-1]
    if not last.verb.text.startswith(ja.LISTS.keeping):
        return False
    unused = any("neg" in c.verb.marks and c.word.asks in ("eat", "use") for c in clauses[:-1])
    return unused or any(t.text.endswith("まで") for t in last.before)


def _is_habit(tokens: list[Token]) -> bool:
    """Whether it tells what is done often: よく庭に行く, but not 手紙をよく見る."""
    often = next((n for n, t in enumerate(tokens) if t.text == "よく"), len(tokens))
    deed = next((t for t in tokens[often:] if t.verb), None)
    return (
        deed is tokens[-1]
        and deed.verb is not None
        and deed.verb.asks in _CHANGING | {"move", "speak"}
        and (deed.form, deed.marks - {"polite"}) == ("plain", frozenset())
    )


def _list_times(clauses: list[TokenClause], tokens: list[Token]) -> list[str]:
    """The words for another time, but not in a guess: 後で使えそうなので、取り出す."""
    seeming = (c for c in clauses[:-1] if c.has_tail("reason") and "seem" in c.verb.marks)
    why = [t for c in seeming for t in c.before]
    shown = {t for n, t in enumerate(tokens) if _is_which(tokens[n : n + 3])}
    timed = (t for t in tokens if t not in why and t not in shown)
    return [t.text for t in timed if t.kind == "time" or _LATER.search(t.text)]


def _is_which(tokens: list[Token]) -> bool:
    """Whether a word for a time says which thing is meant: さっきの鍵を取る."""
    lately = tokens[0].text in ("さっき", "先ほど", "先程", "このあいだ", "この前")
    return lately and [t.text for t in tokens[1:2]] == ["の"] and tokens[-1].kind == "name"


def _drop_last_remarks(clauses: list[TokenClause]) -> list[TokenClause]:
    """The clauses without those at the end that only say why, how it feels or what is left."""
    while _is_reason_after(clauses) or _is_omission(clauses) or _is_discomfort(clauses):
        deed = clauses[-2].verb
        form = "plain" if deed.form == "stem" else deed.form
        clauses = [*clauses[:-2], clauses[-2]._replace(verb=deed._replace(form=form))]
    return clauses


def _is_reason_after(clauses: list[TokenClause]) -> bool:
    """Whether the last clause is why the deed before it is wanted: 開けてよ、暗いから."""
    if len(clauses) < 2 or not clauses[-1].has_tail("reason"):
        return False
    why, deed = clauses[-1], clauses[-2]
    idle = why.word.asks in ja.WORDS.no_actions or {"prog", "want", "neg", "able"} & why.verb.marks
    parted = why.before[:1] and why.before[0].kind == "comma"
    return bool(idle and parted) and deed.verb.form != "stem" and is_command(deed)


def _is_discomfort(clauses: list[TokenClause]) -> bool:
    """Whether the last clause only says what is hard to bear: 扇風機をつけて、暑い."""
    last = clauses[-1] if len(clauses) > 1 else None
    if (
        last is None
        or last.verb.form not in ("plain", "past")
        or last.verb.marks - {"polite", "past"}
    ):
        return False
    parted = [t.kind for t in last.before[:1]] == ["comma"]
    named = any(t.kind == "name" for t in last.before)
    deed = clauses[-2]
    return (
        parted
        and not named
        and last.word.word in ja.WORDS.discomforts
        and deed.word.asks != "eat"
        and deed.verb.form != "stem"
        and is_command(deed)
    )


def _asks_to_see(clause: TokenClause) -> bool:
    """Whether the game is to show something: 部屋の様子を見せてください."""
    wanted = {"req", "kure", "recv"} & clause.verb.marks or clause.verb.form == "te"
    shown = any(t.text in ("に", "へ") for t in clause.before)
    return clause.word.word in ("見せる", "みせる") and bool(wanted) and not shown


def _is_omission(clauses: list[TokenClause]) -> bool:
    """Whether the last clause only says what is not done to another thing: …を取り、白い旗には触れない."""
    last = clauses[-1] if len(clauses) > 1 else None
    if last is None or last.verb.form != "plain" or "neg" not in last.verb.marks or last.tails:
        return False
    topics = [t.text for t in last.before if t.kind == "particle"]
    parted = last.before[:1] and last.before[0].kind == "comma"
    return bool(parted) and topics in (["は"], ["には"]) and not last.verb.marks - {"neg", "polite"}
