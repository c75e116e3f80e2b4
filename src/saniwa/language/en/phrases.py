"""English output: the narrator's sentences, questions and refusals."""

from collections.abc import Sequence

from saniwa.language.grammar import Phrasebook
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import to_third_person
from saniwa.world.model import Exit

LINES: dict[str, str] = {
    "ask.which": "Which do you mean by “{words}”?",
    "ask.pronoun": "What do you mean by “{words}”?",
    "ask.empty": "What do you do?",
    "ask.target": "What do you want to {verb}?",
    "ask.place": "Where do you want to go?",
    "ask.destination": "Where do you want to put it?",
    "ask.recipient": "Whom do you want to give it to?",
    "ask.content": "What do you want to say?",
    "ask.not yet": "{question} (Nothing has happened yet.)",
    "ask.other": "What about it?",
    "reject.unrecognised": "I do not understand “{words}”.",
    "reject.leftover": "I do not understand “{lost}” in “{words}”, so nothing of it was done.",
    "reject.question": "“{words}” is a question, so nothing was done.",
    "reject.permission": "“{words}” asks whether it can be done, so nothing was done.",
    "reject.prohibition": "“{words}” says what not to do, so nothing was done.",
    "reject.condition": "“{words}” depends on something else, so nothing was done.",
    "reject.exception": "I do not understand what “{words}” leaves out, so nothing was done.",
    "reject.statement": "“{words}” does not ask for anything to be done now, so nothing was done.",
    "reject.report": "“{words}” tells what happened and does not ask for anything, so nothing was done.",
    "reject.hypothesis": "“{words}” only supposes something, so nothing was done.",
    "reject.wish": "“{words}” is a wish, so nothing was done.",
    "reject.other_time": "“{words}” is about another time, so nothing was done.",
    "reject.gesture": "“{words}” is a gesture: it changes nothing here.",
    "reject.no way": "You do not know how to do that here: “{words}”.",
    "reject.too_long": "That is too long to take in at once.",
    "reject.nothing said": "Nothing was said.",
    "reject.nothing to take": "There is nothing here to take.",
    "reject.nothing to take there": "You see nothing there to take.",
    "reject.nothing to drop": "You are holding nothing.",
    "reject.nothing to put": "You are holding nothing.",
    "reject.nothing to give": "You are holding nothing.",
    "hint.words": "say what you do, such as “take the key” or “go north”; put speech in quotation marks",
    "hint.command": "to do it, say it as a command, such as “take the key”; put speech in quotation marks",
    "hint.speech": "put what you say in quotation marks, such as: say “Good morning”",
    "hint.hold": "nothing can be worn here; you can take it and hold it",
    "hint.give": "you can give it, or say something in quotation marks",
    "hint.search": "look around, or search a place or a thing",
    "hint.look": "look around, or look at something closely",
    "hint.verb": "did you mean “{near}”?",
    "hint.name": "did you mean “{near}”?",
    "hint.ways": "ways out: {ways}",
    "hint.too_long": "say it in shorter pieces",
    "at.held_by_you": "{name} (you hold it)",
    "at.held": "{name} (held by {holder})",
    "at.in": "{name} (in {holder})",
    "at.on": "{name} (on {holder})",
    "at.here": "{name} (here)",
    "at.closed": "{name} (closed)",
    "room.exits": "Ways out: {ways}.",
    "room.no_exits": "There is no way out.",
    "room.things": "You see {things} here.",
    "room.people": "{people} is here.",
    "room.peoples": "{people} are here.",
    "room.on": "On {holder}: {things}.",
    "room.in": "In {holder}: {things}.",
    "room.nowhere": "You are nowhere.",
    "holding": "You are holding {things}.",
    "holding.nothing": "You are holding nothing.",
    "they.hold": "{who} is holding {things}.",
    "take": "You take {target}.",
    "take.they": "{who} takes {target}.",
    "drop": "You put {target} down.",
    "drop.they": "{who} puts {target} down.",
    "put.in": "You put {target} into {destination}.",
    "put.in.they": "{who} puts {target} into {destination}.",
    "put.on": "You put {target} on {destination}.",
    "put.on.they": "{who} puts {target} on {destination}.",
    "give": "You give {target} to {recipient}.",
    "give.you.they": "{who} gives you {target}.",
    "give.they": "{who} gives {target} to {recipient}.",
    "open": "You open {target}.",
    "open.they": "{who} opens {target}.",
    "open.unlocked": "You unlock {target} and open it.",
    "open.unlocked.they": "{who} unlocks {target} and opens it.",
    "open.inside": "Inside you see {things}.",
    "open.empty": "It is empty.",
    "close": "You close {target}.",
    "close.they": "{who} closes {target}.",
    "lock": "You lock {target}.",
    "lock.they": "{who} locks {target}.",
    "unlock": "You unlock {target}.",
    "unlock.they": "{who} unlocks {target}.",
    "use": "You use {target}.",
    "use.they": "{who} uses {target}.",
    "use.with": "You use {tool} on {target}.",
    "use.with.they": "{who} uses {tool} on {target}.",
    "use.nothing": "Nothing changes.",
    "craft": "You {deed} {target}.",
    "craft.they": "{who} {deed} {target}.",
    "craft.with": "You {deed} {target} with {tool}.",
    "craft.with.they": "{who} {deed} {target} with {tool}.",
    "use.state": "It is {state} now.",
    "eat": "You finish {target}.",
    "eat.they": "{who} finishes {target}.",
    "search": "You search {target}.",
    "search.they": "{who} searches {target}.",
    "search.found": "You find {things}.",
    "search.found.they": "{things} comes to light.",
    "search.nothing": "You find nothing new.",
    "inspect.they": "{who} looks at {target}.",
    "inspect.nothing": "You notice nothing special about {target}.",
    "inspect.open": "It is open.",
    "inspect.closed": "It is closed.",
    "inspect.locked": "It is closed and locked.",
    "inspect.state": "It is {state}.",
    "look.they": "{who} looks around.",
    "wait": "A moment passes.",
    "wait.they": "{who} waits.",
    "move.they.leaves": "{who} leaves for {place}.",
    "move.they.comes": "{who} comes in.",
    "describe": "{target}: {content}",
    "describe.they": "{target}: {content}",
    "introduce": "{target} is here now.",
    "introduce.they": "{target} is here now.",
    "emote": "You {deed}.",
    "emote.they": "{who} {deed}.",
    "emote.words": "*{content}*",
    "reply.greeting": "You nod.",
    "reply.greeting.they": "{who} nods.",
    "reply.no_answer": "You shrug.",
    "reply.no_answer.they": "{who} shrugs and says nothing.",
    "reply.refusal": "You shake your head.",
    "reply.refusal.they": "{who} shakes their head.",
    "talk": "You talk to {recipient}{about}.",
    "talk.they": "{who} talks to {recipient}{about}.",
    "talk.all": "You talk{about}.",
    "talk.all.they": "{who} talks{about}.",
    "talk.about": " about {about}",
    "answer.place": "You are in {place}.",
    "answer.alone": "Nobody else is here.",
    "answer.other": "“{words}” is a question I cannot answer.",
    "answer.other.bare": "That is a question I cannot answer.",
    "answer.askable": "You can ask where you are, who or what is here, what is in or on something, what you have, the ways out, what you can do, or for a hint.",
    "answer.unseen": "You do not see “{words}” from here, and do not know where it is.",
    "answer.mine": "You have {name}.",
    "answer.held": "{holder} has {name}.",
    "answer.in": "{name} is in {holder}.",
    "answer.on": "{name} is on {holder}.",
    "answer.here": "{name} is here.",
    "answer.present": "{name} is here.",
    "answer.closed": "{name} is closed; you cannot see inside.",
    "answer.empty": "You see nothing in or on {name}.",
    "answer.possible": "You can:",
    "answer.impossible": "There is nothing you can do now.",
    "answer.more": "… and {count} more.",
    "answer.how": "To do that:",
    "answer.yes": "Yes, you can {plan}.",
    "answer.no": "No. {why} {hint}",
    "answer.hint": "You could {plan}.",
    "answer.no_hint": "No way to the goal can be seen from here. Look around and try things out.",
    "answer.help": "Say what you do, such as “take the key” or “go north”; put speech in quotation marks.",
    "answer.host": "“{words}” is a word for the game itself, not for the world. Say it on its own.",
    "refused.of": "{why}: “{words}”.",
    "refused.beside": "{why} (“{words}”)",
    "hint": "({hint})",
    "goal": "You have reached the end of this story. Well done.",
    "plan": "You would {plan}.",
    "plan.refused": "You would try to {plan}. {why}",
    "plan.rejected": "Nothing would happen: {why}",
    "plan.asked": "You would be asked: {question}",
    "plan.nothing": "Nothing would happen.",
}
PLANS: dict[str, str] = {
    "move target_id": "go to {target_id}",
    "take target_id": "take {target_id}",
    "take target_id source_id": "take {target_id} from {source_id}",
    "drop target_id": "put {target_id} down",
    "put.in target_id destination_id": "put {target_id} into {destination_id}",
    "put.on target_id destination_id": "put {target_id} on {destination_id}",
    "give target_id recipient_id": "give {target_id} to {recipient_id}",
    "open target_id": "open {target_id}",
    "close target_id": "close {target_id}",
    "lock target_id": "lock {target_id}",
    "lock target_id tool_id": "lock {target_id} with {tool_id}",
    "unlock target_id": "unlock {target_id}",
    "unlock target_id tool_id": "unlock {target_id} with {tool_id}",
    "use target_id": "use {target_id}",
    "use target_id tool_id": "use {tool_id} on {target_id}",
    "craft target_id": "{verb} {target_id}",
    "craft target_id tool_id": "{verb} {target_id} with {tool_id}",
    "eat target_id": "eat or drink {target_id}",
    "search target_id": "search {target_id}",
    "inspect target_id": "look closely at {target_id}",
    "look": "look around",
    "wait": "wait",
    "speak": "say “{content}”",
    "speak recipient_id": "say “{content}” to {recipient_id}",
    "talk recipient_id": "talk to {recipient_id}",
    "emote": "{content}",
    "describe target_id": "describe {target_id}",
    "introduce": "bring somebody in",
    "introduce target_id": "bring in {target_id}",
}
VERBS: dict[str, str] = {
    "take": "take", "drop": "put down", "put": "put", "give": "give", "open": "open",
    "close": "close", "lock": "lock", "unlock": "unlock", "use": "use", "eat": "eat",
    "search": "search", "inspect": "look at", "describe": "describe",
    "introduce": "introduce", "move": "go to",
}  # fmt: skip


_YOURS = {"my": "your", "me": "you", "myself": "yourself", "mine": "yours"}
_THEIRS = {"my": "their", "me": "them", "myself": "themselves", "mine": "theirs"}
_GESTURES = frozenset(
    phrase.split(" ")[0] for phrases in (en.GESTURES, *en.VERBS.values()) for phrase in phrases
)


def _split_gesture(words: list[str]) -> tuple[list[str], str, list[str]]:
    """The words before the verb, the verb in its plain form, and the words after it.

    There is no verb if the words are not a plain clause: “smiling”, “a quiet laugh”.
    """
    start = 1 if words[0].lower() == "i" else 0
    at = start
    while at < len(words) - 1 and words[at].lower().endswith("ly"):
        at += 1
    shown = words[at].lower() if at < len(words) else ""
    plain = (shown, shown.removesuffix("s"), shown.removesuffix("es"), shown[:-3] + "y")
    verb = next((form for form in plain if form in _GESTURES), "")
    return words[start:at], verb, words[at + 1 :]


class EnglishGrammar:
    """Articles, lists and exits in English."""

    def add_indefinite_article(self, name: str) -> str:
        """“a key”, “an apple”, “some beans”; a proper name gets no article."""
        if self._takes_no_article(name):
            return name
        head = name.split(" of ")[0]
        if head.endswith("s") and not head.endswith(("ss", "us", "is")):
            return f"some {name}"
        silent = name.startswith(("hour", "heir", "honest", "honour", "honor"))
        sounded = name.startswith(("uni", "use", "eu", "one", "once"))
        vowel = silent or (name[0] in "aeiou" and not sounded)
        return f"an {name}" if vowel else f"a {name}"

    def add_definite_article(self, name: str) -> str:
        """“the key”; a proper name gets no article."""
        return name if self._takes_no_article(name) else f"the {name}"

    def _takes_no_article(self, name: str) -> bool:
        first = name[:1]
        owned = name.lower().startswith(("the ", "a ", "an ", "some ", "my ", "your "))
        return not first.isascii() or not first.islower() or owned or name == "you"

    def name_place(self, name: str) -> str:
        """“the Orchard”; “Anna's Room”, “B” and “Room 7” get no article."""
        owned = "'s " in name or name.lower().startswith(("the ", "a ", "an "))
        coded = name.upper() == name or any(letter.isdigit() for letter in name)
        bare = owned or coded or not name[:1].isascii()
        return name if bare else f"the {name}"

    def conjugate_deed(self, verb: str, *, mine: bool) -> str:
        """“slice”; “slices” or “chops up” for another actor."""
        first, *rest = verb.split(" ")
        return verb if mine else " ".join((to_third_person(first), *rest))

    def narrate_gesture(self, words: str, *, mine: bool) -> str:
        """“shake your head” for “shake my head”; “shakes their head” for another actor."""
        before, verb, after = _split_gesture(words.strip(" .!…").split(" "))
        if not verb:
            return ""
        owned = _YOURS if mine else _THEIRS
        said = verb if mine else to_third_person(verb)
        return " ".join((*before, said, *(owned.get(word.lower(), word) for word in after)))

    def join_names(self, names: Sequence[str]) -> str:
        """“a, b and c”."""
        if len(names) < 2:
            return "".join(names)
        return f"{', '.join(names[:-1])} and {names[-1]}"

    def describe_exit(self, label: str, place: str, way: Exit, door: str, shut: bool | None) -> str:
        """“north to the Orchard through the iron gate (closed)”."""
        described = f"{label} to {self.name_place(place)}" if label else self.name_place(place)
        if way.door and door:
            described += f" through {self.add_definite_article(door)}"
            described += "" if shut is None else f" ({'closed' if shut else 'open'})"
        return described


ENGLISH = Phrasebook(EnglishGrammar(), LINES, PLANS)
