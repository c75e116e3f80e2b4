"""English output: how names become phrases; `phrases.yaml` has the sentences."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from saniwa.language.grammar import Phrasebook, read_sentences
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import WORDS, to_third_person
from saniwa.world.model import Exit

_SENTENCES = read_sentences(Path(__file__).with_name("phrases.yaml"))
VERBS = _SENTENCES.verbs
_YOURS = {"my": "your", "me": "you", "myself": "yourself", "mine": "yours"}
_THEIRS = {"my": "their", "me": "them", "myself": "themselves", "mine": "theirs"}
_GESTURES = frozenset(
    phrase.split(" ")[0] for phrases in (WORDS.gestures, *en.VERBS.values()) for phrase in phrases
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


@lru_cache(maxsize=1024)
def _is_bare_place(name: str) -> bool:
    owned = "'s " in name or name.lower().startswith(("the ", "a ", "an "))
    coded = name.upper() == name or any(letter.isdigit() for letter in name)
    return owned or coded or not name[:1].isascii()


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
        return name if _is_bare_place(name) else f"the {name}"

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


ENGLISH = Phrasebook(EnglishGrammar(), _SENTENCES.lines, _SENTENCES.plans)
