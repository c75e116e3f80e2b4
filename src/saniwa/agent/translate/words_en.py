"""English words for narration: free ones in any turn, all others with a ground."""

from typing import Final

_FORMS: Final = {
    "took": "take", "taken": "take", "gave": "give", "given": "given", "ate": "eat",
    "eaten": "eat", "drank": "drink", "went": "go", "gone": "gone", "stood": "stand",
    "lay": "lie", "lying": "lie", "lies": "lie", "sat": "sit", "sitting": "sit", "saw": "see",
    "seen": "see", "heard": "hear", "felt": "feel", "found": "find", "said": "say",
    "told": "tell", "held": "hold", "has": "have", "having": "have", "had": "had",
    "left": "left", "putting": "put", "setting": "set", "came": "come",
    "swung": "swing", "slid": "slide", "made": "make", "let": "let", "bit": "bite",
    "shook": "shake", "is": "is", "are": "is", "was": "was", "his": "his", "this": "this",
    "its": "its", "yours": "yours", "does": "do", "goes": "go", "as": "as",
    # A person who is handed something hands out nothing.
    "handed": "handed", "passed": "passed", "offered": "offered",
    # The state of a thing, and what is done to it, are not the same.
    "locked": "locked", "unlocked": "unlocked", "closed": "closed", "shut": "closed",
    "shuts": "close", "open": "open", "opens": "opening", "opened": "opening",
    "opening": "opening", "nothing": "nothing", "something": "something",
    "everything": "everything", "anything": "anything", "being": "is", "be": "is",
    "going": "go", "doing": "do", "morning": "morning", "evening": "evening",
}  # fmt: skip
_ENDINGS: Final = (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))
_SHORTEST: Final = 3


def find_lemma(word: str) -> str:
    """Return the word without its ending; the same for every form of most words."""
    low = word.replace("’", "'")
    low = _FORMS[low] if low in _FORMS else _strip_ending(low.removesuffix("'s"))
    return low.removesuffix("e") if len(low) >= _SHORTEST else low


def _strip_ending(low: str) -> str:
    for ending, instead in _ENDINGS:
        long = len(low) - len(ending) >= (_SHORTEST if ending == "ing" else 2)
        if long and low.endswith(ending) and not low.endswith("ss"):
            low = low.removesuffix(ending) + instead
            break
    twice = len(low) > _SHORTEST and low[-1] == low[-2] and low[-1] not in "sle"
    return low[:-1] if twice else low


def _to_lemmas(text: str) -> frozenset[str]:
    return frozenset(map(find_lemma, text.split()))


def _to_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BE: Final = _to_lemmas("is are be being am")
"""Words that only join."""
STANCE: Final = _to_lemmas("""
stand stands stood lie lies lay rest rests sit sits sat remain remains stay stays linger
""")
"""Verbs that say only that something is where it is."""
PERCEPTION: Final = _to_lemmas("""
see sees notice look watch gaze glance observe listen hear feel spot find view study regard
""")
"""Verbs of perception; they have no effect."""
VERBS: Final = BE | STANCE | PERCEPTION
"""Verbs that need no ground."""
FREE: Final = VERBS | _to_lemmas("""
the a an this that these those his her its their of to for with at in on from there
here some too also very just around still sight eyes eye gaze upon
slowly quietly carefully gently softly calmly silently steadily firmly lightly patiently
briefly simply smoothly cautiously deliberately neatly thoughtfully attentively quiet calm
soft gentle slow careful steady faint slight brief short little small cool smooth solid
heavy sturdy firm plain simple familiar weight silence care stillness breath surface touch
quietness metal
""")
"""Words that say nothing about where things are, their qualities, or what happened."""
BREAKS: Final = _to_words(", ; : ( ) — – and but while as where then who which")
"""Where one statement ends and the next begins."""
ENDS: Final = frozenset(".!?…\n")
"""Where a sentence ends."""
IT: Final = frozenset({"it"})
"""Words for the thing named last."""
YOU: Final = frozenset({"you", "yourself"})
"""Words for the viewer."""
YOUR: Final = frozenset({"your"})
"""Words for what the viewer owns."""
THEY: Final = frozenset({"he", "she", "they", "him", "them"})
"""Words for another person."""
ARTICLES: Final = _to_words("the its a an this that his her their your old heavy iron")
"""Words before "lock" as a noun, not a verb."""
DENIALS: Final = _to_lemmas("""
not cannot can't couldn't won't don't doesn't didn't isn't aren't fail fails failed refuse
refuses refused resist resists try tries tried attempt attempts attempted impossible unable
vain
""")
"""Words that say that something is not so, or was only tried; a ground says how many
may occur."""
DOUBTS: Final = _to_lemmas("""
never no nothing nobody none neither nor could would wouldn't might may if unless until
without almost nearly hardly barely must should perhaps want wish
""")
"""Stronger words; allowed only if the plain narrator uses the same."""
ATTEMPTS: Final = _to_lemmas("try attempt fail refuse resist unable vain impossible")
"""Denials that by themselves say that it failed."""
WITH_A_MARK: Final = _to_lemmas("do does will can")
"""Words that may accompany a denial."""
HELD: Final = _to_lemmas("hold holding carry carrying have has hand hands palm grip fingers now")
"""Words for what a person holds."""
OWNED: Final = HELD | _to_lemmas("yours pocket")
"""Words for what the viewer holds."""
INSIDE: Final = _to_lemmas("inside within reveal revealing")
"""Words for what is inside something."""
CLOSED, OPEN, LOCKED, UNLOCKED = (
    frozenset({word}) for word in ("closed", "open", "locked", "unlocked")
)
"""The states of a door or a container."""
HERE: Final = _to_lemmas("nearby floor")
"""Other words for where a thing in view may be."""
ON: Final = frozenset[str]()
"""Words for "on", unless they are free."""
WAY: Final = _to_lemmas("way lead leads path toward towards through beyond")
"""Words for exits."""
PERSON: Final = _to_lemmas("wait waits")
"""What any person who is here does."""
REACHING: Final = _to_lemmas("""
reach reaching lean bend kneel stoop crouch stretch hand hands fingers arm out into toward
""")
"""Words for what comes before an action with the hands."""
REACHES: Final = _to_lemmas("reach lean bend kneel stoop crouch stretch")
"""One of these must be used for it."""
RECEIVED: Final = _to_lemmas("take takes receive accept")
"""Verbs for receiving something."""
RECEIVING: Final = RECEIVED | HELD
"""Other words that may accompany them."""
TRYING: Final = _to_lemmas("push pull tug press rattle shake hand hands against keyhole")
"""Words for what hands do to a thing in vain."""
HOLDING_FAST: Final = _to_lemmas("hold holds fast firm tight stay remain")
"""Words for a thing that resists."""
MOVING: Final = _to_lemmas("move moves budge budges give gives")
"""Words for what such a thing does not do."""
DEEDS: Final = {
    name: (_to_lemmas(verbs), _to_lemmas(others))
    for name, verbs, others in (
        ("take", "take pick lift grab pocket collect retrieve gather pluck remove fetch"
         " scoop", "up out off now hand hands palm fingers grip"),
        ("drop", "drop put place set lay lower release", "down let go ground floor hand"),
        ("put", "put place set lay drop slip slide tuck", "into onto inside down hand go"),
        ("give", "give hand pass offer out", "hold over hands"),
        ("open", "open opening swing lift creak push pull", "up lid hinges door groan now"
         " hand hands"),
        ("close", "close closed swing push pull", "now lid door hand hands creak thud behind"),
        ("lock", "lock locked turn click", "now keyhole slide into insert fit hand"),
        ("unlock", "unlock unlocked click turn slide insert", "keyhole into fit hand now"),
        ("eat", "eat finish bite chew swallow consume devour", "up last bites into mouthful"
         " taste tastes hand"),
        ("move", "go goes walk step enter head stride stroll wander arrive reach come make"
         " pass follow cross", "into through toward towards onto up down way path leave"),
        ("wait", "wait pass linger pause moment", "time while let go"),
        ("look", "look", ""),
        ("search", "search examine rummage inspect", "through under over closely"),
        ("inspect", "examine inspect study look", "closely close closer"),
        ("use", "use", "on"),
        ("speak", "say tell ask call answer reply speak greet", "aloud"),
    )
}  # fmt: skip
"""For each type of action its verbs, and other words that may accompany them."""
