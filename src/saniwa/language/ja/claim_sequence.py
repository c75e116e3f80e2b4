"""The claims of one Japanese utterance, each read in the light of those before it."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from saniwa.language.ja.clause_roles import JapanesePart
from saniwa.language.ja.nouns import (
    find_described,
    is_person,
    is_room,
    means_whole,
    split_location,
    split_part,
    strip_end,
)
from saniwa.language.ja.tokens import JapaneseVerb, Token
from saniwa.language.lexicon import ja
from saniwa.language.name_match import is_same_direction, strip_honorific
from saniwa.language.parser_context import Claim, ParserContext
from saniwa.language.text import fold_text
from saniwa.world.model import Entity
from saniwa.world.queries import find_room

_TRANSITIVE = frozenset(
    {"take", "drop", "put", "give", "open", "close", "lock", "unlock", "use", "eat"}
) | {"inspect", "search"}
_DOOR_DEEDS = frozenset({"open", "close", "lock", "unlock"})
_ONE = ja.PEOPLE | (ja.THINGS - {"それら"})
"""Words for one thing or person that was named before."""
_HELD = frozenset({"drop", "put", "give", "eat"})
_SEEING = frozenset({"look", "inspect", "emote", "speak"})
_PARTS = frozenset(name for names in ja.GROUPS.parts.values() for name in names)
"""Words for a door, a lid or a drawer."""
_NOTHING: Claim = {"type": ""}
_CURRENT = re.compile("^(?:今の|現在の|その)")
_CALLING = re.compile("[、。,!?！？…・ 　]+")
"""What divides a speech at the places where a person may be called by name."""
_EXCEPTED = re.compile(
    "(?:ただし|但し)?、?(?P<left>[^、はを]{1,30}?)(?:だけ)?(?:は(?:別|例外|抜き|なし|除く|残す)|以外)(?:で|だ|です|ね|よ|な|として)*"
)
"""A sentence that leaves something out of the "all" before it."""


class _PendingClause(NamedTuple):
    """A clause that may only serve the next one: 鍵を使って, 門を通って."""

    asks: str
    claims: list[Claim]
    tool: str = ""

    def is_used_by(self, made: list[Claim]) -> bool:
        if self.tool:
            return any(claim.get("tool") == self.tool for claim in made)
        return made[:1] != [] and made[0]["type"] == "move" and "target" in made[0]


@dataclass(slots=True)
class ClaimSequence:
    """The claims so far, and what the next one may refer to."""

    lexicon: ParserContext
    """What the parser may know of the world."""
    claims: list[Claim] = field(default_factory=list)
    """The claims, in order."""
    waiting: _PendingClause | None = None
    """A clause that may serve the next one."""
    heading: bool = False
    """Whether the last clause began to go somewhere."""
    topic: str = ""
    """The thing that was spoken of last."""
    whole: str = ""
    """The same, or the thing of which only a part was spoken of: 掛け軸の絵."""
    blocked: str = ""
    """A word that was lost; it stops the sentence."""
    group: tuple[str, ...] = ()
    """The things that the last clause did the same to: 新聞と帽子を取る."""
    named: dict[str, Entity] = field(default_factory=dict)
    """The things and people spoken of, by the words for them, in reach or not."""
    shown: str = ""
    """What the clause before took out of a pocket or had in hand."""

    @property
    def last(self) -> Claim:
        """The last claim; one without a type if there is none."""
        return self.claims[-1] if self.claims else _NOTHING

    def add(self, *claims: Claim) -> None:
        """Add claims as they are."""
        self.end_clause([])
        self.claims += claims

    def add_deeds(self, verb: JapaneseVerb, made: list[Claim]) -> None:
        """Add the claims of a verb, with what the clauses before say about them."""
        self.end_clause(made)
        bare = made in ([{"type": "move"}], [{"type": "move", "target": "外"}])
        if self.heading and bare and (verb.word in ja.WORDS.going or verb.asks == "leave"):
            return  # 北に向かって歩く and 庭へ歩いて出る go once.
        self.heading = verb.word in ja.WORDS.heading and "target" in made[0]
        made = self._resolve_door(verb, self._stop_at_door(made))
        shown, self.shown = self.shown, ""
        keyed = [c["type"] for c in made] in (["unlock"], ["lock"])
        if shown and keyed and made[0].get("tool", "それ") == "それ":
            made = [made[0] | {"tool": shown}]  # 鍵を取り出し、錠を開ける
        if self.last["type"] == "unlock" and made in (
            [{"type": "unlock"}],
            [{"type": "unlock", "target": ""}],
        ):
            return  # 鍵を錠に差し込み、解錠: the lock was opened once.
        made = [self._find_part_of_topic(self._find_part_of_earlier(c)) for c in made]
        made = self._resolve_look(verb, made)
        if not made:
            return
        if made == [{"type": "search", "target": "それ"}] and self.topic and not self._has_named():
            made = [{"type": "search", "target": self.topic}]  # 封筒を開けて中身を読む
        if len(made) == 1 and made[0]["type"] == "move":
            self.add_move(made[0])
            return
        if len(made) == 1 and self._is_repetition(made[0]):
            self.claims[-1] = made[0] | self.last
            return
        made = [one for claim in made for one in self._expand_pronoun(claim)]
        self.blocked = self._find_unclear_pronoun(made) or self.blocked
        left_open = self._is_object_open(made)
        self._note_group(made)
        made = [self._settle_pronoun(claim) for claim in made]
        carried = (self._restore_place(self._carry_object(claim)) for claim in made)
        self.claims += made if left_open else carried

    def _resolve_look(self, verb: JapaneseVerb, made: list[Claim]) -> list[Claim]:
        """A look or a wait as its verb means it; nothing if it is part of the deed before."""
        known = self.topic or self.claims
        if made == [{"type": "look"}] and verb.word.startswith(("読", "よむ", "よみ")) and known:
            made = [{"type": "inspect"}]
        if made == [self.last] == [{"type": "wait"}] and verb.word not in ("待つ", "まつ"):
            return []  # しばらく待って、出方をうかがう
        if made == [{"type": "wait"}] and verb.asks == "see" and self._has_named():
            made = [{"type": "look"}]  # 部屋に入って様子を見る
        again = self.last["type"] in ("look", "inspect", "search") and verb.asks != "look"
        if made == [{"type": "look"}] and (again or self.last == made[0]):
            return []  # 手紙を読んで状況を把握する
        return made

    def _note_group(self, made: list[Claim]) -> None:
        """Note the things to which one clause did the same."""
        targets = tuple(dict.fromkeys(str(c["target"]) for c in made if "target" in c))
        same = len({c["type"] for c in made}) == 1 and len(made) == len(targets)
        self.group = targets if same else ()

    def _find_unclear_pronoun(self, made: list[Claim]) -> str:
        """A word for one thing or person, after several were named alike: 新聞と帽子を見て、それを取る."""
        words = (str(c.get(role, "")) for c in made for role in ("target", "tool", "recipient"))
        return next((w for w in words if w in _ONE and len(self.group) > 1), "")

    def _is_object_open(self, made: list[Claim]) -> bool:
        """Whether it leaves open to which of several things that were looked at it is done."""
        looked = self.last["type"] in ("inspect", "search") and len(self.group) > 1
        bare = len(made) == 1 and not _has_object(made[0])
        return looked and bare and made[0]["type"] in _TRANSITIVE - {"inspect", "search"}

    def _stop_at_door(self, made: list[Claim]) -> list[Claim]:
        """The claims after going to a door, which one does not pass to do something to it.

        門へ戻って鍵であける; 物置へ行き、扉を開ける where the door to 物置 is shut. The move before them
        is dropped.
        """
        goal = str(self.last.get("target", "")) if self.last["type"] == "move" else ""
        there = self.lexicon.find_way_door(goal)
        if there is None:
            return made
        to_door = there in self.lexicon.find_matches(goal) and not is_room(self.lexicon, goal)
        deeds = _DOOR_DEEDS | {"inspect", "search"} if to_door else {"open", "unlock"}
        fits = all(c["type"] in deeds and self._means_door(c, there) for c in made)
        if not made or not fits or (there.open and not to_door):
            return made
        self.claims.pop()
        return [c | {"target": there.name} for c in made]

    def _means_door(self, claim: Claim, door: Entity) -> bool:
        """Whether the claim, after one has gone to the door, may be about it."""
        words = claim.get("target", "")
        return words in ja.DOORS | {"", "それ"} or self.lexicon.find_matches(words) == (door,)

    def _find_part_of_earlier(self, claim: Claim) -> Claim:
        """The claim for what was unlocked, opened or gone to before, if it has the part that is named.

        ロッカーの鍵を外し、扉を開ける; 木箱を開けて中を見て、蓋を閉める. If it may have no such part, and
        another thing in reach has that name, it is open which is meant, and the sentence stops.
        """
        named, kind = str(claim.get("target", "")), claim["type"]
        part = next((p for p, names in ja.GROUPS.parts.items() if named in names), "")
        earlier = self._find_shut_before(kind) if part and kind in _DOOR_DEEDS else ""
        found = self.lexicon.find_matches(earlier)
        if len(found) != 1 or found[0].kind == "character":
            return claim
        owner, others = found[0], self.lexicon.find_matches(named)
        if owner in others or any(e.place == owner.id for e in others):
            return claim
        if not (owner.openable or owner.lockable) or owner.name in _PARTS:
            return claim
        text = f"{owner.name}。{owner.description}"
        told = any(name in text for name in ja.GROUPS.parts[part])
        told |= owner.name.endswith(ja.GROUPS.part_owners[part])
        told |= part == "door" and owner.kind == "door"
        called = self.last["type"] != "unlock" and any(e.name == named for e in others)
        if (kind == "open" and owner.open) or (others and not told) or called:
            self.blocked = named if others else self.blocked
            return claim
        return claim | {"target": earlier}

    def _find_shut_before(self, kind: str) -> str:
        """What was unlocked or opened before, or was gone to just now; empty if nothing was."""
        last, done = self.last, [c for c in self.claims if c["type"] in _DOOR_DEEDS | {"move"}]
        if last["type"] == "inspect":
            return str(last.get("target", ""))
        if last["type"] == "emote" and not any(c["type"] != "emote" for c in self.claims):
            return self.topic
        if not done or (kind == "open" and done[-1] is not last):
            return ""
        again = done[-1]["type"] == kind and "tool" not in done[-1]
        return "" if again or done[-1]["type"] == "move" else str(done[-1].get("target", ""))

    def _find_part_of_topic(self, claim: Claim) -> Claim:
        """The claim for the thing just spoken of, if only a part of it is named.

        戸棚の前に立ち、扉を開ける; 窓辺に寄り、外を見る; 掛け軸に近づき、鯉の絵を見る where its description tells of 鯉.
        物置の前に立ち、扉を開ける opens the door to 物置.
        """
        named, kind = str(claim.get("target", "")), claim["type"]
        there = self.lexicon.find_way_door(self.topic) if named in ja.DOORS else None
        if there is not None and kind in _DOOR_DEEDS and self.last["type"] in ("inspect", "emote"):
            return claim | {"target": there.name}
        meant = self.lexicon.find_matches(self.topic) if named and self.topic else ()
        if len(meant) != 1 or self.lexicon.find_in_scope(named) or meant[0].kind == "character":
            return claim
        thing, going = meant[0], self.last["type"] in ("inspect", "emote")
        if kind in ("open", "close"):
            part = going and named in ja.WORDS.lids and thing.kind == "container" and thing.openable
        else:
            pieces = named.replace("にある", "の").split("の")
            told = any(piece and piece in thing.description for piece in pieces)
            known = self.lexicon.is_known(named) or any(map(self.lexicon.find_bearers, pieces))
            through = named in ("外", "向こう") and going and thing.kind in ("fixture", "door")
            bare = _CURRENT.sub("", named)
            shown = bare in ja.WORDS.texts and going and thing.kind != "character"
            part = kind in ("inspect", "search") and ((told and not known) or through or shown)
        return claim | {"target": self.topic} if part else claim

    def add_tool(self, verb: JapaneseVerb, made: list[Claim]) -> bool:
        """Let the last deed have the tool that is named after it: 行灯をつける、マッチ使って."""
        last, tool = self.last, made[0].get("target", "") if len(made) == 1 else ""
        fits = last["type"] in ("use", "open", "lock", "unlock") and "tool" not in last
        if not (fits and tool and verb.word in ja.WORDS.using and _has_object(last)):
            return False
        self.claims[-1] = last | {"tool": tool}
        return True

    def add_move(self, claim: Claim) -> None:
        """Add a move; 下に降りて地下室に入る and 階段を上がって書斎へ行く go once."""
        first, then = self.last.get("target", ""), claim.get("target", "")
        done = next((c for c in reversed(self.claims) if c["type"] not in _SEEING), _NOTHING)
        place = then.rpartition("の")[2]
        if done == {"type": "move", "target": place} and self.lexicon.is_near(place):
            return  # 縁側へ出て霧を眺めたい。東の縁側へ向かう。
        climbed = first in ("上", "下") and first not in self.lexicon.labels
        climbed = climbed and then != "" and not self.lexicon.is_way(then)
        if self.last == {"type": "move"} and then:
            self.claims.pop()  # 移動。北。
        elif self.last["type"] == "move" and (climbed or self._is_same_way(first, then)):
            self.claims.pop()
        self.claims.append(claim)

    def _is_repetition(self, claim: Claim) -> bool:
        """Whether it is the last deed in other words: 抱えて持ち上げる, 取って、赤いカップを取る."""
        last = self.last
        if last["type"] not in _TRANSITIVE or claim["type"] != last["type"]:
            return False
        looks = claim["type"] in ("inspect", "search")
        meant = self.lexicon.find_matches(str(claim.get("target", ""))) if looks else ()
        same = meant != () and meant == self.lexicon.find_matches(str(last.get("target", "")))
        if looks and (claim == last or same):
            return True  # 木箱に近づき、ふたの模様を見る
        named = str(claim.get("target", ""))
        unnamed = named in ("", "それ", "これ") or not _has_object(last)
        unnamed |= means_whole(claim["type"], named) and not self.lexicon.is_known(named)
        alike = (last.get(r, words) == words for r, words in claim.items() if r != "target")
        return unnamed and all(alike)

    def is_onward(self, words: str) -> bool:
        """Whether the words are an exit of another place, after a move: 石段 after 東."""
        rooms = self.lexicon.world.locations.values()
        labels = (fold_text(way.label) for room in rooms for way in room.exits)
        crosses = self.waiting is not None and self.waiting.asks == "pass"
        return (crosses or self.last["type"] == "move") and fold_text(words) in labels

    def _is_same_way(self, first: str, then: str) -> bool:
        """Whether an exit of this place is called by the first words and leads to the others."""
        here = find_room(self.lexicon.world, self.lexicon.actor)
        rooms = self.lexicon.world.locations
        onward = any(c["type"] == "move" for c in self.claims[:-1])
        passed = [room for room in rooms.values() if onward or room.id == here]
        places = self.lexicon.find_bearers(then) if then else ()
        return (first == then and self.lexicon.is_near(then)) or any(
            way.to in places and is_same_direction(fold_text(first), way.label)
            for room in passed
            for way in room.exits
        )

    def _expand_pronoun(self, claim: Claim) -> list[Claim]:
        """それら: one claim for each thing that was named just before."""
        of_all = claim["type"] in _HELD and not _has_object(claim)
        if of_all and len(self.group) > 1 and self.last["type"] == "take":
            food = [t for t in self.group if any(e.edible for e in self.lexicon.find_matches(t))]
            things = (food or self.group) if claim["type"] == "eat" else self.group
            return [claim | {"target": target} for target in things]  # 新聞と帽子を取って渡す
        if claim.get("target") != "それら":
            return [claim]
        before = [c["target"] for c in self.claims if "target" in c and c["type"] != "move"]
        before = [*dict.fromkeys(before)]
        return [claim | {"target": target} for target in before] or [claim]

    def _restore_place(self, claim: Claim) -> Claim:
        """元の場所に戻す: where the thing was when the words were spoken."""
        if claim["type"] == "give" and "recipient" not in claim:
            # ナナのところへ行って渡す, ナナに微笑んで渡す: the person of the clause before.
            done = next((c for c in reversed(self.claims) if c["type"] != "speak"), _NOTHING)
            met = self.topic if self._is_for_one(done) else ""
            met = done.get("target", "") if done["type"] == "inspect" else met
            met = self._find_called(self.last) or met
            known = met and is_person(self.lexicon, met)
            return claim | ({"recipient": met} if known else {})
        opened = [c["target"] for c in self.claims if c["type"] == "open" and "target" in c]
        if claim["type"] == "take" and claim.get("source") == "それ" and opened:
            return claim | {"source": opened[-1]}  # 箱を開けて中身を取る
        where = claim.get("destination", "") if claim["type"] == "put" else ""
        if claim["type"] == "put" and not where and "source" in self.last:
            return claim | {"destination": self.last["source"]}  # 代わりに財布を入れる
        if claim["type"] == "put" and not where and self.last["type"] == "open" and opened:
            holds = all(e.kind == "container" for e in self.lexicon.find_matches(opened[-1]))
            return claim | (
                {"destination": opened[-1]} if holds else {}
            )  # 戸棚を開けて牛乳をしまう
        if where in ja.WORDS.its_inside:
            return claim | ({"destination": opened[-1]} if opened else {})
        return claim

    def _is_for_one(self, gesture: Claim) -> bool:
        """Whether it is a gesture to one person at most: not 神主と巫女に会釈する."""
        said = fold_text(str(gesture.get("content", "")))
        people = {
            e.id
            for e in self.lexicon.scope
            if e.kind == "character" and e.id != self.lexicon.actor
            for name in (e.name, *e.aliases)
            if fold_text(name) in said
        }
        return gesture["type"] == "emote" and len(people) < 2

    def _find_called(self, speech: Claim) -> str:
        """The one other person whom a speech calls by name: ナナ in 「はい、ナナちゃん」."""
        said = str(speech.get("content", "")) if speech["type"] == "speak" else ""
        pieces = map(fold_text, _CALLING.split(said))
        called = {strip_honorific(piece) for piece in pieces} & self.lexicon.people
        meant = {e.name for name in called for e in self.lexicon.find_in_scope(name)}
        return str(speech.get("to", "")) or (meant.pop() if len(meant) == 1 else "")

    def end_clause(self, made: list[Claim]) -> None:
        """Let the pending clause serve these claims, or make claims of its own."""
        waiting, self.waiting = self.waiting, None
        if waiting is None or (waiting.is_used_by(made) and not self._is_crossed(waiting, made)):
            return
        self.claims += waiting.claims
        held = any(e.takeable for e in self.lexicon.find_matches(waiting.tool))
        if waiting.tool and made and held and not self.blocked:
            self.blocked = waiting.tool  # 傘を使って取る: no verb uses the umbrella.

    def _is_crossed(self, waiting: _PendingClause, made: list[Claim]) -> bool:
        """Whether it is a place, and no door, that one goes through to another place.

        鳥居をくぐって、石段を下りる goes through a gate to where there are stairs.
        """
        way = str(made[0].get("target", "")) if made and made[0]["type"] == "move" else ""
        if way in ja.WORDS.stairs and not self.lexicon.is_way(way):
            return waiting.asks == "pass"
        words = waiting.claims[0].get("target", "") if waiting.claims else ""
        place = self.lexicon.is_near(words) and not self.lexicon.find_in_scope(words)
        return place and waiting.asks == "pass"

    def hold_clause(
        self, verb: JapaneseVerb, parts: tuple[JapanesePart, ...], made: list[Claim]
    ) -> bool:
        """Whether the clause has to wait for the next one, which it may only serve."""
        tool, parts = "", tuple(p for p in parts if p.particle != "で" or p.words[-1:] != "手")
        named = [p.words for p in parts if p.particle in ("を", "")]
        into = [p.words for p in parts if p.particle in ("に", "へ")]
        if len(named) == 1 and len(parts) == len(named + into):
            fits = ja.is_in(verb.word, ja.WORDS.using, ja.WORDS.turning) and not into
            words = find_described(self.lexicon, named[0])
            fits = fits and split_part(words)[1] not in ja.WORDS.switches  # ストーブのつまみを回す
            tool = words if fits or (into and into[0] in ja.LISTS.keyholes) else ""
        if not tool and verb.asks != "pass":
            return False
        self.end_clause([])
        self.waiting = _PendingClause(verb.asks, self._resolve_door(verb, made), tool)
        return True

    def find_other(self, words: str) -> str:
        """青いカップ for 残りのカップ, after 赤いカップ; other words as they are."""
        if self.last["type"] == "move":
            words = words.removeprefix("そこにある") or words  # 水屋に行って、そこにある柄杓を取る
        other = next((w for w in ja.LISTS.others if words.startswith(w)), "")
        name = words.removeprefix(other).removeprefix("の") if other else ""
        if words == other and other in ja.LISTS.alone:
            # もう片方 is another thing whose name ends like that of the last one.
            last = str(self.last.get("target", ""))
            ends = (last[n:] for n in range(1, len(last)))
            name = next((end for end in ends if len(self.lexicon.find_matches(end)) > 1), "")
        alike = self.lexicon.find_matches(name) if name else ()
        named = [str(claim["target"]) for claim in self.claims if "target" in claim]
        spoken = {e.id for target in named for e in self.lexicon.find_matches(target)}
        left = [e.name for e in alike if e.id not in spoken]
        return left[0] if len(left) == 1 and len(left) < len(alike) else words

    def _resolve_door(self, verb: JapaneseVerb, made: list[Claim]) -> list[Claim]:
        """門を開けて入る: the exit is the door that was just opened."""
        opens = self.last["type"] in ("open", "unlock") and _has_object(self.last)
        if made != [{"type": "move"}] or verb.word not in ja.WORDS.entering or not opens:
            return made
        opened = self.lexicon.find_matches(self.last.get("target", ""))
        doors = not opened or any(e.kind == "door" for e in opened)
        return [{"type": "move", "target": "それ"}] if doors else made

    def _carry_object(self, claim: Claim) -> Claim:
        """本を読んで、机に戻す: an omitted object is the one mentioned before.

        So is the thing of which only a part is named: ランプを取ってスイッチを入れる.
        """
        named = str(claim.get("target", ""))
        if (
            named
            and (
                named not in ja.WORDS.panels
                or any(e.openable for e in self.lexicon.find_matches(self.topic))
            )
            and means_whole(claim["type"], named)
            and not self.lexicon.is_known(named)
        ):
            return self._carry_object({k: v for k, v in claim.items() if k != "target"})
        if named == "それ" and self.topic and not self._has_named():
            return claim | {"target": self.topic}  # 鍵に気づき、それを拾う
        if claim["type"] not in _TRANSITIVE or _has_object(claim):
            return claim
        opened = [c for c in self.claims if c["type"] == "open" and "target" in c]
        if claim["type"] in ("close", "lock") and opened:
            return {"type": claim["type"], "target": opened[-1]["target"]} | claim
        if claim["type"] == "put" and self.last["type"] == "open":
            return claim  # 箱を開けて、しまう leaves open what is put there.
        if "target" in self.last and self.last["type"] not in ("move", "question"):
            return {"type": claim["type"], "target": "それ"} | claim
        took = next((c for c in reversed(self.claims) if c["type"] != "move"), _NOTHING)
        if claim["type"] in _HELD and took["type"] == "take" and "target" in took:
            return claim | {"target": took["target"]}  # やかんを取り、店に戻って台に置く
        if self.topic and not is_person(self.lexicon, self.topic):
            return {"type": claim["type"], "target": self.topic} | claim
        # A player who wants to open something is not asked what to unlock.
        return {"type": "open"} if claim["type"] == "open" else claim

    def _settle_pronoun(self, claim: Claim) -> Claim:
        """The claim with それ and 彼 replaced by what the clauses before say of them."""
        if claim.get("target") in ja.THINGS and claim["type"] in ("take", "bring"):
            return self._find_taken_from_open(claim)
        told = claim.get("recipient") in ja.PEOPLE and not self._has_named()
        return claim | self._find_recipient() if told else claim

    def _find_taken_from_open(self, claim: Claim) -> Claim:
        """The claim for それ after something was opened: not that, but what else was named.

        鍵が入っているらしいので箱を開けて、それを取る. If that is in something else, or nothing was named,
        the sentence stops.
        """
        matches = self.lexicon.find_matches
        opened = [c for c in self.claims if c["type"] == "open" and "target" in c]
        meant = matches(str(opened[-1]["target"])) if opened else ()
        if not meant or matches(str(self.last.get("target", ""))) != meant:
            return claim
        used = {str(c.get(r, "")) for c in self.claims for r in ("target", "tool")}
        others = [w for w, e in self.named.items() if w not in used and e.takeable]
        others = [w for w in others if self.named[w] not in meant]
        inside = [w for w in others if self.named[w].place in {e.id for e in meant}]
        if len(others) == len(inside) == 1:
            return claim | {"target": others[0]}
        fixed = any(e.kind in ("container", "door") for e in meant)
        self.blocked = self.blocked or (str(claim["target"]) if others or fixed else "")
        return claim

    def _find_recipient(self) -> Claim:
        """The one person spoken of before: タケルが空腹のようなので、彼に渡す."""
        people = [w for w, e in self.named.items() if e.kind == "character"]
        return {"recipient": people[0]} if len(people) == 1 else {}

    def _has_named(self) -> bool:
        """Whether a claim so far is about a thing."""
        return any(c["type"] not in ("emote", "speak", "unrecognised") for c in self.claims)

    def note_topic(self, parts: tuple[JapanesePart, ...]) -> None:
        """Note the thing that was spoken of last, for a verb without an object."""
        locks = any(e.required_key for words, _ in parts for e in self.lexicon.find_matches(words))
        for words, particle in sorted(parts, key=lambda part: part.particle == "を"):
            if locks and particle == "が" and words in ja.WORDS.keys:
                continue  # 扉には鍵がかかっている
            there = particle in ("に", "へ", "まで")
            near = (*ja.LISTS.beside, *ja.LISTS.nearby) if there else ()
            bare = strip_end(words.removesuffix("の"), near)
            bare = find_described(self.lexicon, split_location(self.lexicon, bare)[0])
            known = self.lexicon.list_bearers(bare)
            if known and fold_text(bare) not in self.lexicon.own_names:
                self.named[bare] = known[0]
            owner, part = split_part(bare)
            bare = owner if means_whole("open", part) and owner else bare
            own = fold_text(bare) in self.lexicon.own_names
            door = "" if bare == words.removesuffix("の") else self.lexicon.find_door(bare)
            if door:
                self.topic = self.whole = door  # 物置の前に立つ
            elif not own and self.lexicon.find_matches(bare):
                self.topic = self.whole = bare
            elif not own and self.lexicon.find_matches(owner):
                self.whole = owner
                if part in ("表情", "顔", "顔色") and is_person(self.lexicon, owner):
                    self.topic = owner  # 千代の表情をうかがい

    def has_key_in_lock(self) -> bool:
        """Whether the clause before has put a key into a lock."""
        return self.waiting is not None or self.last["type"] == "unlock"

    def complete_last(self, tokens: list[Token], words: str) -> bool:
        """Give the last deed the object that it lacks: パンを after 食べる."""
        bare = words.removesuffix("を")
        whole = [t.kind for t in tokens if t.text not in ja.WORDS.genitives | {"を"}]
        fits = bool(whole) and set(whole) <= {"name", "word"} and self.lexicon.find_matches(bare)
        if not fits or self.last["type"] not in _TRANSITIVE or _has_object(self.last):
            return False
        self.claims[-1] = self.last | {"target": bare}
        return True

    def is_repeatable(self) -> bool:
        """Whether the last deed could be done to another thing: 手紙を取る、鍵も."""
        return self.last["type"] in _TRANSITIVE

    def add_exception(self, words: str) -> bool:
        """Leave out 傘 of all things named before: 傘は別ね."""
        found = _EXCEPTED.fullmatch(words)
        return found is not None and self.remove_from_all(found["left"])

    def remove_target(self, words: str) -> bool:
        """Take back what is done to the things that the words mean; false if they mean none."""
        matches = self.lexicon.find_matches
        if self.remove_from_all(words):
            return True
        targets = {str(c.get("target", "")) for c in self.claims}
        named = [target for target in targets if words in target]
        words = named[0] if len(named) == 1 < len(targets) else words  # 青 of both cups
        meant = matches(words) or matches(words.removesuffix("の"))
        kept = [c for c in self.claims if matches(str(c.get("target", ""))) != meant]
        self.claims = kept if meant else self.claims
        return bool(meant)

    def remove_from_all(self, words: str) -> bool:
        """Leave something out of the "all" of the last claim; false if it names no such."""
        left, _, whole = str(self.last.get("target", "")).rpartition("以外")
        if whole != "全部" or (left and not self.lexicon.is_known(words)):
            return False
        both = f"{left}と" if left else ""
        self.claims[-1] = self.last | {"target": f"{both}{words.removesuffix('だけ')}以外全部"}
        return True


def _has_object(claim: Claim) -> bool:
    return "target" in claim or "targetId" in claim
