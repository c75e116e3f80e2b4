"""Parse English sentences into untrusted claims.

Each clause is a verb phrase and what follows it; a clause without a verb uses the verb
before it. What words refer to is resolved later.
"""

from itertools import pairwise

from saniwa.language.en.addressees import (
    count_words_for_another,
    find_called,
    find_ordered,
    find_spoken_to,
    is_bare_order,
    is_permission,
)
from saniwa.language.en.asides import (
    count_chat,
    drop_asides,
    drop_excuse,
    drop_parentheses,
    is_reason,
    is_remark,
    is_setting,
)
from saniwa.language.en.clause_claims import make_clause_claims
from saniwa.language.en.deed_order import merge_deeds, order_deeds
from saniwa.language.en.disclaimers import find_disclaimer, is_disclaiming
from saniwa.language.en.exclusions import ExclusionReader
from saniwa.language.en.fragments import (
    exclude_spared,
    find_narrowed,
    is_endearment,
    is_halting,
    is_idiom,
    is_replacing_deed,
    leaves_out,
    narrow_group,
    parse_fragment,
    remove_claim,
    replace_last_deed,
    replace_role,
    revoke_last_deed,
    takes_back,
)
from saniwa.language.en.noun_phrases import NounReader
from saniwa.language.en.parser_state import (
    SHARING,
    ParserState,
    SentenceState,
    is_changing_deed,
    is_deed,
)
from saniwa.language.en.questions import EnglishQuestion
from saniwa.language.en.request_wording import (
    count_filler,
    count_would,
    find_contents_search,
    find_next_verb,
    find_tried,
    find_wished_state,
    is_already_so,
    is_body_aside,
    is_sequence,
    is_small_talk,
    join_particle,
    restore_effort,
    restore_gaze,
    restore_gerund,
    restore_look,
    restore_sight,
    trim_phrase,
)
from saniwa.language.en.retractions import (
    find_dependence,
    find_imagined,
    find_threat,
    is_looking_back,
    is_lost_fragment,
    is_taking_back,
    is_told_as_past,
)
from saniwa.language.en.roles import SHUTTING
from saniwa.language.en.speech import find_order, name_hearer, read_speech
from saniwa.language.en.word_order import restore_order
from saniwa.language.en.words import (
    GERUNDS,
    LONGEST_VERB,
    SPEECH,
    THIRD_PERSONS,
    VERB_FORMS,
    EnglishPhrase,
    EnglishToken,
    EnglishVerb,
    classify_link,
    count_manner,
    count_preposition,
    find_in_reach,
    find_leading_verb,
    list_words,
    merge_tokens,
    to_stem,
    tokenize_english,
)
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import SEQUENCES, WORDS
from saniwa.language.mood import (
    COMMAND,
    SentenceMood,
    find_english_mood,
    is_greeting,
    make_leftover_claim,
    make_withheld_claim,
)
from saniwa.language.parser_context import Claim, ParserContext, strip_article
from saniwa.language.text import PreparedText

_LONGEST_ASIDE = 12
_REPORT = SentenceMood("report")
_DOING = SHARING | {"search", "look", "move", "wait"}
_BEGINNING = en.DETERMINERS | en.THINGS
_MEANWHILE = (("as", "i"), ("while", "i"))
_HELD = ("in", "hand")
_REQUESTING = WORDS.courteous_modals | {"won't"}
_REFUSING = frozenset({"don't", "not", "neither"})
_REFUSED = SHARING - {"put", "give"}
_STRENGTH = ("", "comma", "and", "then", "stop")
"""The links between clauses, the weakest first."""


def parse_english(heard: PreparedText, lexicon: ParserContext) -> tuple[Claim, ...]:
    """The claims in the words, in order; words not understood become claims as well."""
    tokens = merge_tokens(tuple(tokenize_english(heard)))
    if not lexicon.narrated:
        tokens = restore_order(drop_parentheses(tokens, lexicon), lexicon)
    return _EnglishParser(lexicon, tokens).read()


class _EnglishParser:
    """Reads sentences one after the other."""

    def __init__(
        self, lexicon: ParserContext, tokens: EnglishPhrase, *, answers: bool = True
    ) -> None:
        """Prepare to read the tokens; without `answers`, a question in them is not understood."""
        self.state = ParserState(lexicon, tokens)
        self.lexicon = lexicon
        self._answers = answers

    def read(self) -> tuple[Claim, ...]:
        while self.state.place < len(self.state.tokens):
            if self.state.place >= self.state.now.end:
                if self.state.now.end:
                    self._end_sentence()
                self._begin_sentence()
                continue
            token = self.state.tokens[self.state.place]
            link = classify_link(token)
            if link:
                self.state.link = max(self.state.link, link, key=_STRENGTH.index)
                self.state.linker = token.low
                self.state.place += 1
            elif token.kind == "quote":
                self._parse_quotation()
            else:
                self._parse_clause()
            if link == "stop":
                self.state.end_group()
        self._end_sentence()
        acts = any(map(is_deed, self.state.claims))
        if self.state.summoned and acts:
            said = self.state.extract(self.state.tokens)
            to = self.state.summoned
            return ({"type": "speak", "to": to, "content": said, "request": True},)
        if self.state.retracted and any(map(is_deed, self.state.claims)):
            return (
                make_leftover_claim(self.state.extract(self.state.tokens), self.state.retracted),
            )
        return tuple(self.state.claims)

    def _begin_sentence(self) -> None:
        """Read the next sentence, or withhold it if it asks for nothing."""
        end = self.state.find_end(self.state.place, len(self.state.tokens), _ends_sentence)
        asked = end < len(self.state.tokens) and "?" in self.state.tokens[end].low
        self._skip_chat(end, asked=asked)
        end, asked = self._drop_request(end, asked=asked)
        if self._read_greeting(min(end + 1, len(self.state.tokens))):
            return
        end = end if asked or self.lexicon.narrated else drop_excuse(self.state, end)
        said = self.state.tokens[self.state.place : end]
        self._read_afterthought(said, asked=asked)
        spoken = self._is_all_speech(said)
        unasked = COMMAND if asked or spoken else self._find_unasked(said)
        if not (asked or spoken):
            end = self._order_deeds(drop_asides(self.state, end))
        after = min(end + 1, len(self.state.tokens))
        self.state.now = SentenceState(self.state.place, after, len(self.state.claims))
        if not WORDS.all_words.isdisjoint(t.low for t in self.state.tokens[self.state.place : end]):
            marker = ExclusionReader(self.lexicon, self.state.tokens)
            self.state.tokens, left_out, self.state.place = marker.mark(self.state.place, end)
            self.state.left_out = left_out or self.state.left_out
        self.state.place = self._skip_sequence(self.state.place, end)
        self.state.place += self._skip_shared_out(end)
        words = self.state.tokens[self.state.place : end]
        if words:
            spoken = spoken if words == said else self._is_all_speech(words)
            if self.state.imagined:
                self._withhold(words, SentenceMood("hypothesis", self.state.imagined))
            elif unasked != COMMAND:
                self._withhold(words, unasked)
            elif EnglishQuestion(words, self.lexicon).is_asked(spoken=spoken):
                self._withhold(words, SentenceMood("question"))
            elif not spoken:
                self._withhold(words, _find_mood(self._skip_asked(words), asked=asked))

    def _skip_chat(self, end: int, *, asked: bool) -> None:
        """Withhold what is only chat before a request: "…, anyway, take the key"."""
        said = self.state.tokens[self.state.place : end]
        length = 0 if asked else count_chat(said, self.lexicon)
        if length:
            chat = self.state.extract(said[:length])
            self.state.claims.append(make_withheld_claim(chat, SentenceMood("statement")))
            self.state.place += length
            self.state.place += said[length : length + 1] != () and said[length].kind == "comma"

    def _drop_request(self, end: int, *, asked: bool) -> tuple[int, bool]:
        """Drop the words that only make a request polite: the new end, and if it is a question."""
        tokens, place = self.state.tokens, self.state.place
        tag = _count_request_tag(tokens[place:end], self.lexicon, asked=asked)
        if tag:
            tokens, end, asked = (*tokens[: end - tag], *tokens[end:]), end - tag, False
            # "Turn it on, would you?"
        cut = 0 if asked else count_would(tokens[place:end], self.lexicon)
        self.state.tokens = (*tokens[:place], *tokens[place + cut :]) if cut else tokens
        return end - cut, asked

    def _order_deeds(self, end: int) -> int:
        """Put the deeds of the sentence in the order in which they are done; its new end."""
        whole, place = self.state.tokens, self.state.place
        words = whole[place:end]
        ordered = order_deeds(words, self.lexicon) if words else words
        if ordered is not words:
            self.state.tokens = (*whole[:place], *ordered, *whole[end:])
        return end + len(ordered) - len(words)

    def _read_afterthought(self, said: EnglishPhrase, *, asked: bool) -> None:
        """Note what a sentence does to the deeds before it."""
        if not said or not self.state.has_deed():
            return
        low = [t.low for t in said if t.kind != "comma"]
        held_back = self.state.wished and low[0] in WORDS.holding_back
        held_back = held_back and find_next_verb(said[1:] or said, self.lexicon) is None
        told = self.state.told_past and is_looking_back(said)
        changes = any(map(is_changing_deed, self.state.list_claims()))
        disowned = is_disclaiming(said, self.lexicon)
        if held_back or told or disowned or is_taking_back(said, asked=asked, changes=changes):
            self.state.retracted = self.state.extract(said)
        elif not self.lexicon.narrated:
            before = self.state.tokens[self.state.now.start : self.state.now.end]
            thanks = before[0].low in WORDS.speakers and low[0] in ("thank", "thanks", "sorry")
            called = (
                "" if thanks else find_called(said, self.lexicon, ordered=is_bare_order(before))
            )
            self.state.summoned = called or self.state.summoned

    def _find_unasked(self, said: EnglishPhrase) -> SentenceMood:
        """The mood of a sentence that looks like a command, and is none."""
        if not said:
            return COMMAND
        low = [t.low for t in said if t.kind != "comma"]
        self.state.wished = SEQUENCES.wishing.count(tuple(low)) > 0
        self.state.told_past = (
            low[0] in ("i", "we") and low[1:2] != [] and low[1] in WORDS.unmarked_pasts
        )
        dependence = find_dependence(said)
        if dependence:
            return SentenceMood("condition", dependence)
        threat = "" if self.lexicon.narrated else find_threat(said)
        if threat:
            return SentenceMood("prohibition", threat)
        ordered = "" if self.lexicon.narrated else find_ordered(said, self.lexicon)
        if ordered:
            return SentenceMood("wish", ordered)
        if is_told_as_past(said):
            return SentenceMood("report", "put")
        disclaimed = find_disclaimer(said, self.lexicon)
        if disclaimed != COMMAND:
            return disclaimed
        alone = self.state.now.end == 0 and self._is_only_sentence()
        return SentenceMood("permission", "you can") if alone and is_permission(said) else COMMAND

    def _is_only_sentence(self) -> bool:
        """Whether the text has one sentence."""
        end = self.state.find_end(0, len(self.state.tokens), _ends_sentence)
        return end >= len(self.state.tokens) - 1

    def _skip_asked(self, words: EnglishPhrase) -> EnglishPhrase:
        """The words without "ask Marta if she knows": no deed depends on it."""
        verb = find_next_verb(words, self.lexicon)
        starts = range(1, len(words) - 3)
        begins = [0] if verb is not None and verb.kind == "ask" else []
        begins += [n for n in starts if words[n].low == "ask" and _follows_deed(words[n - 1])]
        for begin in begins:
            if all(t.low not in ("if", "whether") for t in words[begin + 2 : begin + 6]):
                continue
            ends = range(begin, len(words))
            stop = next((n for n in ends if words[n].low in WORDS.following), len(words))
            return (*words[:begin], *words[stop:])
        return words

    def _skip_shared_out(self, end: int) -> int:
        """How many words tell another what to do, where the speaker does something else."""
        said = self.state.tokens[self.state.place : end]
        if not said or said[0].low != "you" or self.lexicon.narrated:
            return 0
        length = count_words_for_another(said)
        if not length and count_words_for_another((*said, *self.state.tokens[end : end + 2])):
            length = len(said)
        if length:
            self.state.claims.append(
                {"type": "speak", "content": self.state.extract(said[:length]), "request": True}
            )
        return length

    def _read_greeting(self, after: int) -> bool:
        """“Good evening.” is said aloud, whatever follows it."""
        said = self.state.extract(self.state.tokens[self.state.place : after])
        if self.lexicon.narrated or not is_greeting(said):
            return False
        self.state.now = SentenceState(self.state.place, after, len(self.state.claims))
        self.state.claims.append({"type": "speak", "content": said})
        self.state.place = after
        return True

    def _skip_sequence(self, start: int, end: int) -> int:
        """Where the sentence goes on after "once you have done that," or "having the key,"."""
        stop = self.state.find_end(start, end, lambda token: token.kind == "comma")
        clause = self.state.tokens[start:stop] if stop < end else ()
        while clause and clause[0].low in en.LINKS:
            clause = clause[1:]
        if not clause:
            return start
        if is_already_so(self.lexicon, clause):
            self.state.spoken_of = clause
            return stop + 1
        return stop + 1 if is_sequence(list_words(clause)) else start

    def _withhold(self, words: EnglishPhrase, mood: SentenceMood) -> None:
        """Turn a sentence that is no command, or leaves a choice, into its words."""
        pairs = (
            (t, t.low in ("or", "rather") and _is_rather(words, n)) for n, t in enumerate(words)
        )
        choice = next(
            (t.low for t, amends in [*pairs][:-1] if _is_word(t, WORDS.choices) and not amends), ""
        )
        if mood == COMMAND and not choice:
            return
        self.state.quotation += sum(token.kind == "quote" for token in words)
        if mood.mood == "exception" and any(map(is_deed, self.state.claims)):
            self.state.retracted = mood.word
        text = self.state.extract(words)
        if mood.mood in ("question", "permission") and self._answers:
            lost = EnglishQuestion(words, self.lexicon).make_claim(self._read_deed)
        elif mood == COMMAND:
            lost = make_leftover_claim(text, choice)
        else:
            lost = make_withheld_claim(text, mood)
        self.state.claims.append(lost)
        self.state.verb, self.state.link = None, "stop"
        self.state.place = self.state.now.end

    def _read_deed(self, phrase: EnglishPhrase, *, whole: bool = False) -> list[Claim]:
        """The claims of a clause inside a question; with `whole`, of all deeds that follow."""
        clause = trim_phrase(phrase, self.lexicon)
        verb = find_leading_verb(clause, self.lexicon)
        if verb is None or verb.kind in ("unknown", "deed", "introduce"):
            return []
        if whole:
            command = restore_order(phrase, self.lexicon)
            made = [*_EnglishParser(self.lexicon, command, answers=False).read()]
            # "Can I talk to Marta", but not "can I ask what is in it".
            talks = all(claim.keys() == {"type", "to"} for claim in made)
            return made if talks or verb.kind not in SPEECH else []
        if verb.kind in SPEECH:
            return []
        return make_clause_claims(self.lexicon, verb, clause[verb.length :])

    def _is_all_speech(self, words: EnglishPhrase) -> bool:
        """Whether all of it is said aloud, so that no word of it asks for an action."""
        start = next((n for n, t in enumerate(words) if not classify_link(t)), len(words))
        stop = next((n for n in range(start, len(words)) if _ends_clause(words[n])), len(words))
        verb = find_next_verb(words[start:stop], self.lexicon) if start < stop else None
        return start == stop or (verb is not None and verb.kind == "speak")

    def _end_sentence(self) -> None:
        """Close a sentence.

        A sentence that was understood only in part does nothing.
        """
        now = self.state.now
        if self.state.linker in ("but", "afterwards") and self.state.link == "then":
            now.blocked = self.state.linker
        self.state.end_group()
        self.state.flush_dropped()
        self.state.fronted = ()
        made = merge_deeds(self.state.claims[now.mark :], self.lexicon)
        called = [t.low for t in self.state.tokens[now.start : now.start + 2]] == ["wait", ","]
        if called and len(made) > 1 and not any(map(is_deed, made[1:])):
            made = made[1:]  # "Wait, I didn't say that"
        self.state.claims[now.mark :] = made
        acts = any(map(is_deed, made))
        self._read_surroundings(made, acts=acts)
        blocked = self._find_addressed() or now.blocked
        tokens = self.state.tokens[now.start : now.end]
        if not acts and not any(c.get("problem") == "prohibition" for c in made):
            self.state.spoken_of = tokens
        if not blocked or not acts or (self.lexicon.narrated and not now.framed):
            return
        words = self.state.extract(tokens)
        lost = make_leftover_claim(words, blocked, now.nearest)
        if self.state.asked or blocked == self.state.addressed:
            to = self.state.asked or self.state.addressed
            lost = {"type": "speak", "to": to, "content": words, "request": True}
            self.state.addressed = self.state.addressed or to  # "Come here, Pim. Take it."
            self.state.asked = ""
        elif now.told:
            lost = make_withheld_claim(words, SentenceMood("report", blocked))
        self.state.claims[now.mark :] = [*(c for c in made if c["type"] == "speak"), lost]

    def _read_surroundings(self, made: list[Claim], *, acts: bool) -> None:
        """Note what a sentence without a deed does to those around it."""
        now = self.state.now
        said = tuple(t for t in self.state.tokens[now.start : now.end] if t.kind != "stop")
        if said and not self.lexicon.narrated and said[-1].kind != "quote":
            calls = not acts or said[0].low in self.lexicon.people
            spoken_to = find_spoken_to(said, self.lexicon) if calls else ""
            self.state.addressed = spoken_to or self.state.addressed
        if acts or not said:
            return
        self.state.imagined = find_imagined(said) or self.state.imagined
        if self.lexicon.narrated:
            return
        lost = made and all(c["type"] == "unrecognised" and "problem" not in c for c in made)
        before = any(map(is_changing_deed, self.state.claims[: now.mark]))
        if lost and before and is_lost_fragment(said, self.lexicon):
            self.state.retracted = self.state.extract(said)

    def _find_addressed(self) -> str:
        """The person greeted before, whom this sentence tells to act."""
        words = self.state.tokens[self.state.now.start : self.state.now.end]
        spoken = [t.low for t in words if t.kind in ("word", "name")]
        stop = next((n for n, t in enumerate(words) if t.kind == "comma"), len(words))
        called = spoken[:stop][-1:] if spoken[:1] and spoken[0] in WORDS.greetings else []
        if called and called[0] in self.lexicon.people and spoken[stop:]:
            self.state.addressed = called[0]  # "Hi Marta, take the letter"
            spoken = spoken[stop:]
        elif spoken and spoken[0] in WORDS.greetings and spoken[-1] in self.lexicon.people:
            self.state.addressed = spoken[-1]
            if self.state.claims and self.state.claims[-1].get("type") == "unrecognised":
                said = {"type": "speak", "content": self.state.extract(words)}
                self.state.claims[-1] = said | {"to": self.state.addressed}
            return ""
        return "" if spoken[:1] and spoken[0] in WORDS.speakers else self.state.addressed

    def _parse_clause(self) -> None:
        end = self.state.find_end(self.state.place, len(self.state.tokens), _ends_clause)
        whole, self.state.place = self.state.tokens[self.state.place : end], end
        narrowed = find_narrowed(self.state, whole)
        changes = (revoke_last_deed, replace_role, exclude_spared, narrow_group, replace_last_deed)
        if any(change(self.state, whole) for change in changes):
            pass
        elif narrowed is not None:
            claim, thing = narrowed
            del claim["target"]
            claim["targetId"] = thing
        else:
            if is_replacing_deed(self.state, whole):
                remove_claim(self.state, self.state.list_claims()[-1])
            if takes_back(self.state, whole):
                self.state.retracted = self.state.extract(whole)
            self._read_clause(whole)
        self.state.link, self.state.speaking = "", False

    def _read_clause(self, whole: EnglishPhrase) -> None:
        if is_remark(self.state, whole) or is_setting(self.state, whole):
            return
        if self._is_watching(whole):
            return
        if is_endearment(self.state, whole):
            self.state.block(whole)
            return
        if is_idiom(whole):
            self.state.drop_words(whole)
            return
        if is_small_talk(whole) or is_halting(self.state, whole):
            corrects = any(t.low in WORDS.correcting for t in whole)
            self.state.correcting = corrects and self.state.has_deed()
        elif self._is_about_other(whole):
            self.state.block(whole)
            self.state.now.told = True
            self.state.drop_words(whole, _REPORT)
        elif not (is_body_aside(list_words(whole)) or self._is_announcement(whole)):
            phrase = trim_phrase(self._restore_doing(whole), self.lexicon)
            phrase = restore_sight(whole, phrase)
            first = "first" in (whole[0].low, whole[-1].low) or whole[0].low == "wait"
            if first and self.state.linker == "but" and self.state.has_deed():
                self.state.block(whole)  # "Take the lemon, but open the barrel first"
            moved = self._move_phrase(phrase)
            phrase = phrase if moved is None else moved
            if phrase:
                phrase = restore_look(restore_gerund(join_particle(phrase, self.lexicon)))
                phrase = restore_effort(restore_gaze(phrase, self.lexicon), self.lexicon)
                self._parse_verb_phrase(whole, phrase)

    def _is_watching(self, whole: EnglishPhrase) -> bool:
        """“I wait and see what Marta does”: what one waits for."""
        last = self.state.list_claims()[-1:]
        words = list_words(whole)
        if not last or last[0]["type"] != "wait" or words[0] not in WORDS.watching:
            return False
        asked = next(
            (n for n in (1, 2) if words[n : n + 1] and words[n] in WORDS.question_words), 0
        )
        after = [t.low for t in whole[asked + 1 :]]
        person = after[:1] != [] and after[0] in WORDS.others
        return asked > 0 and (person or self.lexicon.count_person_words(after) > 0)

    def _restore_doing(self, whole: EnglishPhrase) -> EnglishPhrase:
        """“Set it down” for "“Hello,” I say, setting it down"; other words as they are."""
        stem, last = GERUNDS.get(whole[0].low, ""), self.state.list_claims()[-1:]
        told = self.state.speaking or (last and last[0]["type"] == "emote")
        if not (stem and told and self.state.link == "comma"):
            return whole
        clause = (whole[0]._replace(low=stem), *whole[1:])
        verb = find_leading_verb(clause, self.lexicon)
        doing = verb is not None and verb.kind in SHARING - {"use", "inspect"}
        named = self.state.find_first_name(whole[1:])
        asks = doing and named and _find_mood(whole, asked=False) == COMMAND
        return clause if asks and whole[0].low not in WORDS.stative else whole

    def _is_announcement(self, whole: EnglishPhrase) -> bool:
        """“First stop, go north”, “as the guest, I go north”; no deed of its own."""
        called = whole[0].low == "as" and strip_article(self.state.extract(whole[1:]))
        announced = called in self.lexicon.own_names or list_words(whole) in SEQUENCES.announcing
        return announced and self.state.is_clause_next()

    def _is_about_other(self, whole: EnglishPhrase) -> bool:
        """Whether another character does it: "she opens it", and then "takes the gear"."""
        first, second = (*(t.low for t in whole[:2]), "", "")[:2]
        if is_reason(self.state, whole):
            return False
        if first in WORDS.speakers or first in self.lexicon.own_names:
            self.state.now.other = False
        elif first in WORDS.others:
            # "It would be great if you could" opens a request.
            self.state.now.other = trim_phrase(whole, self.lexicon)[0].low in WORDS.others
        else:
            named = self.lexicon.count_person_words([t.low for t in whole])
            after = whole[named].low if 0 < named < len(whole) else ""
            self.state.now.other = self.state.now.other or (
                after in THIRD_PERSONS and first not in en.SELF
            )
            self.state.now.other = self.state.now.other and (
                bool(named) or first in VERB_FORMS or second == ""
            )
        return self.state.now.other

    def _parse_verb_phrase(self, whole: EnglishPhrase, phrase: EnglishPhrase) -> None:
        """Parse a clause without what only accompanies it."""
        if self._is_prelude(phrase):
            return
        ordered = find_order(phrase, self.lexicon)
        if ordered:
            self._parse_speech(whole, ordered, EnglishVerb("ask", "ask", "ask", 1))
            return
        wished = find_contents_search(phrase) or find_wished_state(phrase)
        wished = wished or (None if self.state.has_deed() else find_tried(phrase))
        verb, phrase = wished or self._find_inner_verb(phrase)
        if verb is None:
            if not (leaves_out(self.state, phrase) or self._drop_negated(whole)):
                parse_fragment(self.state, whole, phrase)
        elif self._is_authoring(verb, phrase):
            self._parse_authoring(verb, phrase)
        elif verb.kind in SPEECH:
            self._parse_speech(whole, phrase[verb.length :], verb)
        elif verb.kind == "unknown":
            self.state.spoken_of = phrase[verb.length :]
            self.state.drop_words(whole)
        elif not (leaves_out(self.state, phrase) or self._drop_negated(whole)):
            self._parse_deed(verb, phrase)

    def _drop_negated(self, whole: EnglishPhrase) -> bool:
        """Whether a word such as "not" withholds the clause; then it is dropped."""
        words = list_words(whole)
        place = 0
        while place < len(words):
            idle = count_filler(words, place) or count_manner(words, place)
            idle = idle or (not place and SEQUENCES.intentions.count(words))
            if not idle and words[place] in WORDS.negating:
                no, rest = words[place], self.state.tokens[self.state.place : self.state.now.end]
                mood = SentenceMood("statement" if no == "should" else "prohibition", no)
                self.state.spoken_of = whole
                if words[0] in ("which", "that"):
                    self.state.block(whole)  # "…, which I will not do"
                if WORDS.bare_refusals.issuperset(words) and rest[:1] and no != "no":
                    self.state.place = self.state.now.end  # "Do not, please, take it"
                    self.state.drop_words((*whole, *rest), mood)
                    return True
                self.state.drop_sentence(whole, mood)
                told = whole if no == "neither" else whole[place + 1 :]
                own = no in _REFUSING and words[0] != "you"
                verb = find_next_verb(told, self.lexicon) if told and own else None
                self.state.refused = verb if verb and verb.kind in _REFUSED else None
                return True
            place += idle or 1
        return False

    def _parse_deed(self, verb: EnglishVerb, phrase: EnglishPhrase) -> None:
        if len(phrase) == verb.length and self._shares_object(verb):
            self.state.shared.append(verb)
        else:
            stop = self._find_run_on(verb, phrase)
            if stop < len(phrase):
                self.state.place = self.state.tokens.index(phrase[stop], self.state.now.start)
            self.state.end_group()
            self.state.accept_clause(verb, phrase[verb.length : stop])

    def _find_run_on(self, verb: EnglishVerb, phrase: EnglishPhrase) -> int:
        """Where another deed begins without a link: "take the cup open the chest"."""
        if self.lexicon.narrated or verb.kind not in SHARING - {"inspect", "use", "give"}:
            return len(phrase)
        for stop in range(verb.length + 1, len(phrase) - 1):
            known = phrase[stop].low in VERB_FORMS
            inner = find_leading_verb(phrase[stop:], self.lexicon) if known else None
            after = phrase[stop + inner.length :] if inner and inner.kind in _DOING else ()
            goes = inner is not None and inner.kind == "move"
            begun = after and after[0].low in (en.DIRECTIONS if goes else _BEGINNING)
            begun = begun or (inner is not None and not after and inner.length > 1)
            begun = begun or (not goes and bool(after) and bool(find_in_reach(self.lexicon, after)))
            words = self.state.extract(phrase[verb.length : stop]) if begun else ""
            if words and self.lexicon.is_known(words) and not self.lexicon.is_person(words):
                return stop
        return len(phrase)

    def _find_inner_verb(self, phrase: EnglishPhrase) -> tuple[EnglishVerb | None, EnglishPhrase]:
        """The verb of the phrase; of "go take the lamp" the second."""
        verb = find_leading_verb(phrase, self.lexicon)
        if verb is not None and len(phrase) > 1 and phrase[0].low in WORDS.going:
            after = restore_look(phrase[1:])
            inner = find_leading_verb(after, self.lexicon)
            if inner is not None and inner.kind in _DOING and inner.length > verb.length - 1:
                return inner, after
        return verb, phrase

    def _is_prelude(self, phrase: EnglishPhrase) -> bool:
        """“Hurry up and take it”, “reach out and grab it”: only the second is a deed."""
        words = list_words(phrase)
        words = (to_stem(words[0]), *words[1:])
        if words[0] in WORDS.preparing and self._is_prepared(phrase):
            return True
        nears = words[0] in WORDS.going | WORDS.approaching
        if nears and (self._is_opened_next(phrase) or self._is_approached(phrase)):
            self.state.spoken_of, self.state.sought = phrase, True
            return True
        if nears and self._is_met(words):
            self.state.sought = True
            return True
        if SEQUENCES.beginning_with.count(words) and self._is_begun(phrase):
            self.state.spoken_of = phrase
            if self.state.place >= self.state.now.end - 1:
                self.state.drop_words(phrase)  # "I start with the chest."
            return True
        reaches = words[0] == "reach" and self.state.is_clause_next()  # "reach for it, then eat it"
        follows = reaches or self.state.is_verb_next()
        if words[0] not in (WORDS.going | WORDS.leading) or not follows:
            return False
        if words[0] == "reach" and words[1:2] in (("for",), ("toward",), ("towards",)):
            self.state.spoken_of = phrase[2:]
            after = find_next_verb(self.state.tokens[self.state.place + 1 :], self.lexicon)
            loose = any(e.takeable for e in find_in_reach(self.lexicon, phrase[2:]))
            rest = self.state.tokens[self.state.place : self.state.now.end]
            kept = any(a.low == "my" and b.low in WORDS.carriers for a, b in pairwise(rest))
            parting = SHARING - {"take", "inspect", "eat"}
            if loose and not kept and after is not None and after.kind in parting:
                self.state.block(phrase)  # whether it is taken as well is not known
                self.state.now.framed = True
            return True
        if words[0] in WORDS.reaching and words[1:2] in (("across",), ("over",)) and phrase[2:]:
            return bool(find_in_reach(self.lexicon, phrase[2:]))  # "reach over the table"
        leads = words[0] in WORDS.going and words[0] != "hurry"
        return (WORDS.along if leads else WORDS.prelude_particles).issuperset(words[1:])

    def _is_prepared(self, phrase: EnglishPhrase) -> bool:
        """Whether "peel the orange and eat it", "fold and take it" have the deed in what follows."""
        rest = self.state.tokens[self.state.place : self.state.now.end]
        rest = rest[next((n for n, t in enumerate(rest) if not classify_link(t)), len(rest)) :]
        verb = find_next_verb(rest, self.lexicon) if rest else None
        if verb is None or verb.kind not in SHARING - {"use"}:
            return False
        if len(phrase) == 1:
            return self.state.is_verb_next()
        found = NounReader(self.lexicon, ()).find_entities(phrase[1:])
        begun = trim_phrase(rest, self.lexicon)[verb.length :]
        again = found and bool(begun) and begun[0].low in ("it", "them", "half", "one")
        if not again or any("use" in e.attributes for e in found):
            return False
        self.state.spoken_of, self.state.sought = phrase[1:], True
        return True

    def _is_begun(self, phrase: EnglishPhrase) -> bool:
        """“I start with the chest: I open it”, "I'll start there, and open it"."""
        rest = self.state.tokens[self.state.place : self.state.now.end]
        rest = rest[next((n for n, t in enumerate(rest) if not classify_link(t)), len(rest)) :]
        verb = find_next_verb(rest, self.lexicon) if rest else None
        bare = len(phrase) == 2 or bool(find_in_reach(self.lexicon, phrase[2:]))
        return bare and (not rest or (verb is not None and verb.kind in _DOING))

    def _is_approached(self, phrase: EnglishPhrase) -> bool:
        """“I walk up to the old chest and examine it”: what follows is the deed."""
        words = list_words(phrase)
        near = words[0] == "approach" or not WORDS.nearing.isdisjoint(words[1:-1])
        rest = self.state.tokens[self.state.place : self.state.now.end]
        if self.lexicon.narrated or not near or len(rest) < 2 or not classify_link(rest[0]):
            return False  # in a reply it is a gesture
        start = next((n for n in range(1, len(phrase)) if phrase[n].low in _BEGINNING), 0)
        noun = phrase[start:]
        if not start or self.lexicon.is_near(self.state.extract(noun)):
            return False
        rest = rest[next((n for n, t in enumerate(rest) if not classify_link(t)), len(rest)) :]
        verb = find_next_verb(rest, self.lexicon) if rest else None
        found = NounReader(self.lexicon, ()).find_entities(noun)
        things = {e.kind for e in found} - {"character", "door"}
        return verb is not None and verb.kind in _DOING and len(found) == 1 and bool(things)

    def _is_met(self, words: tuple[str, ...]) -> bool:
        """“Nora looks up. I walk over to her and …”: it was said who she is."""
        if words[-1] not in en.PAIRS.genders or WORDS.nearing.isdisjoint(words[1:-1]):
            return False
        told = any(self.state.find_person(words[-1]))
        return told and not self.lexicon.narrated and self.state.is_verb_next()

    def _is_opened_next(self, phrase: EnglishPhrase) -> bool:
        """Whether "I go to the cellar door, unlock it" walks to the door and not through it."""
        rest = self.state.tokens[self.state.place : self.state.now.end]
        rest = trim_phrase(rest[1:], self.lexicon) if len(rest) > 2 else ()
        verb = find_leading_verb(rest, self.lexicon)
        if verb is None or phrase[-1].low in self.lexicon.near:
            return False
        found = find_in_reach(
            self.lexicon, phrase[1 + SEQUENCES.to_place.count(list_words(phrase), 1) :]
        )
        it = rest[verb.length : 1 + verb.length]
        opened = verb.kind in SHUTTING and bool(it) and it[0].low == "it"
        turned = not WORDS.keyholes.isdisjoint(t.low for t in rest)  # "turn the key in the lock"
        return (opened or turned) and any(e.kind == "door" for e in found)

    def _move_phrase(self, phrase: EnglishPhrase) -> EnglishPhrase | None:
        """Set "with the key" before a verb apart; return what follows it.

        Empty if the verb is in the next clause; None if there is no such phrase.
        """
        words = list_words(phrase)
        if self.state.group or self.state.fronted or self.state.link not in ("stop", "then", "and"):
            return None
        held = _count_in_hand(words)
        if len(words) > held > 0 and self.state.is_clause_next():
            said = phrase[words[0] == "with" : -held]
            self.state.fronted = (phrase[-held]._replace(low="with"), *said)
            return ()
        start = count_preposition(words, 0)
        if " ".join(words[:start]) not in WORDS.fronted:
            return None
        nouns = NounReader(self.lexicon, ())
        for stop in range(start + 1, min(len(phrase), start + 7) + 1):
            noun, after = phrase[start:stop], phrase[stop:]
            ready = after and (
                after[0].low in ("i", "we") or find_leading_verb(after, self.lexicon) is not None
            )
            if not (ready or (not after and self.state.is_clause_next())):
                continue
            held = _count_in_hand(words[start:stop]) if words[0] == "with" else 0
            noun = noun[: len(noun) - held]
            if nouns.find_entities(noun) or self.lexicon.is_here(self.state.extract(noun)):
                self.state.fronted = phrase[: stop - held]
                return trim_phrase(after, self.lexicon) if after else ()
        return None

    def _is_authoring(self, verb: EnglishVerb, phrase: EnglishPhrase) -> bool:
        """“Introduce Tom, a red cat”, “describe Marta as tall and old”."""
        described = verb.phrase == "describe" and any(t.low == "as" for t in phrase)
        return described or (verb.kind == "introduce" and len(phrase) > verb.length)

    def _parse_authoring(self, verb: EnglishVerb, phrase: EnglishPhrase) -> None:
        """Read to the end of the sentence: commas and "and" are part of a description."""
        words = self.state.tokens[self.state.place : self.state.now.end]
        tail = words[:-1] if words and _ends_sentence(words[-1]) else words
        self.state.place = self.state.place + len(tail)
        self.state.end_group()
        kind = "introduce" if verb.kind == "introduce" else "describe"
        self.state.accept_clause(verb._replace(kind=kind), (*phrase[verb.length :], *tail))

    def _shares_object(self, verb: EnglishVerb) -> bool:
        """“Unlock and open the gate”: whether the next verb has the object for both."""
        rest = self.state.tokens[self.state.place : self.state.place + 2 + LONGEST_VERB]
        if (
            verb.phrase == "try"
            or verb.kind not in SHARING
            or not rest
            or rest[0].low not in WORDS.joining
        ):
            return False
        following = find_leading_verb(rest[1:], self.lexicon)
        if following is None or following.kind not in SHARING | {"search"}:
            return False
        after = rest[1 + following.length :]
        return bool(after) and not classify_link(after[0]) and after[0].kind != "quote"

    def _parse_speech(self, whole: EnglishPhrase, rest: EnglishPhrase, verb: EnglishVerb) -> None:
        self.state.end_group()
        after = self.state.place
        if after < len(self.state.tokens) and self.state.tokens[after].low in (",", ":"):
            after += 1
        if after < len(self.state.tokens) and self.state.tokens[after].kind == "quote":
            self.state.flush_dropped()
            self.state.hearer = name_hearer(rest, self.lexicon)
            self.state.place = after
            return
        first, second = (*(t.low for t in rest[:2]), "", "")[:2]
        about = 1 + (second in WORDS.telling_more)
        told = [t.low for t in rest[about : about + 1]] == ["about"] and len(rest) > about + 1
        if verb.word == "tell" and first in en.SELF and told:
            # “Tell me more about the gate” is a question to the narrator.
            examine = EnglishVerb("inspect", "examine", "examine", 0)
            self.state.accept_clause(examine, rest[about + 1 :])
            return
        made = read_speech(verb, rest, self.state.tokens, self.state.place, self.lexicon)
        if made is None:
            self.state.drop_sentence(whole)
            return
        self.state.flush_dropped()
        self.state.claims.append(made.claim)
        self.state.place = made.place

    def _parse_quotation(self) -> None:
        self.state.end_group()
        self.state.flush_dropped()
        content = self.lexicon.heard.quotes[self.state.quotation]
        to = {"to": self.state.hearer} if self.state.hearer else {}
        self.state.claims.append({"type": "speak", "content": content} | to)
        self.state.hearer = ""
        self.state.quotation += 1
        self.state.place += 1
        self.state.link = ""
        longest = min(len(self.state.tokens), self.state.place + _LONGEST_ASIDE)
        end = self.state.find_end(self.state.place, longest, _ends_clause)
        also = _find_meanwhile(self.state.tokens[self.state.place : end])
        end = self.state.place + also if also else end
        tail = self.state.tokens[self.state.place : end]
        if tail and self._is_speaker_only(tail):
            self.state.place = end
            self.state.speaking = tail[0].low in ("i", "we")
            hearer = name_hearer(tail, self.lexicon)
            if hearer and any(t.low in ("to", "tell", "ask", "tells", "asks") for t in tail):
                self.state.claims[-1] = {"to": hearer} | self.state.claims[-1]

    def _is_speaker_only(self, tail: EnglishPhrase) -> bool:
        """Whether words after a quotation only say who said it, or to whom."""
        if tail[0].low in ("to", "at"):
            return True
        verb = find_next_verb(tail, self.lexicon)
        return verb is not None and verb.kind in SPEECH


def _find_mood(words: EnglishPhrase, *, asked: bool) -> SentenceMood:
    low_words = [t.low if t.kind == "word" else "\0" for t in words if t.kind != "comma"]
    mood = find_english_mood(low_words, asked=asked)
    left_out = next((t.low for t in words if _is_word(t, WORDS.leaving_out)), "")
    return SentenceMood("exception", left_out) if mood == COMMAND and left_out else mood


def _count_request_tag(words: EnglishPhrase, lexicon: ParserContext, *, asked: bool) -> int:
    """How many tokens are ", would you, dear" at the end of an order; 0 if it is none."""
    called = 2 * (words[-2:-1] != () and words[-2].low == "," and _is_called_fondly(words[-1]))
    words = words[: len(words) - called]
    tag = [t.low for t in words[-3:]]
    if len(words) < 5 or tag[0] != ",":
        return 0
    order = restore_look(words[:-3])
    first = order[0].low
    if tag[1:] == ["shall", "we"]:
        asks = first in ("let's", "lets") or not (asked or first in WORDS.question_verbs)
    else:
        asks = asked and tag[2] == "you" and tag[1] in _REQUESTING
        asks = asks and first not in WORDS.question_verbs | WORDS.question_words | WORDS.speakers
    return 3 + called if asks and find_next_verb(order, lexicon) is not None else 0


def _follows_deed(token: EnglishToken) -> bool:
    """Whether another deed begins after this: "and", a comma, "I"."""
    return bool(classify_link(token)) or token.low == "i"


def _is_rather(words: EnglishPhrase, place: int) -> bool:
    """Whether "or rather" after a comma corrects, and leaves no choice."""
    begin = place - (words[place].low == "rather")
    pair = [t.low for t in words[begin : begin + 2]]
    return begin > 0 and pair == ["or", "rather"] and words[begin - 1].kind == "comma"


def _is_called_fondly(token: EnglishToken) -> bool:
    return token.kind == "word" and (token.low,) in SEQUENCES.vocatives


def _find_meanwhile(tail: EnglishPhrase) -> int:
    """Where the deed begins in "“Hello,” I say as | I set it down"; 0 if there is none."""
    pairs = ((t.low, after.low) for t, after in pairwise(tail))
    return next((n + 1 for n, pair in enumerate(pairs) if pair in _MEANWHILE), 0)


def _count_in_hand(words: tuple[str, ...]) -> int:
    """How many words at the end are "in my hand"."""
    return next((n for n in (2, 3) if words[-n:] in SEQUENCES.in_hand or words[-n:] == _HELD), 0)


def _ends_clause(token: EnglishToken) -> bool:
    return token.kind == "quote" or bool(classify_link(token))


def _is_word(token: EnglishToken, words: frozenset[str]) -> bool:
    return token.kind == "word" and token.low in words


def _ends_sentence(token: EnglishToken) -> bool:
    """Whether a sentence ends here; a colon or dots only separate clauses."""
    if token.kind != "stop" or set(token.low) <= {":"}:
        return False
    return not (set(token.low) == {"."} and len(token.low) > 1)
