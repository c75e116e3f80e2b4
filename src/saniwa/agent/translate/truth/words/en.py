"""English words a narration may use: free ones in any turn, all others on a ground."""

from typing import Final

from saniwa.agent.translate.truth.lemma import lemma


def _words(text: str) -> frozenset[str]:
    return frozenset(map(lemma, text.split()))


def _bare(text: str) -> frozenset[str]:
    return frozenset(text.split())


BE: Final = _words("is are be being am")
"""What only joins."""
STANCE: Final = _words("""
stand stands stood lie lies lay rest rests sit sits sat remain remains stay stays linger
""")
"""Verbs that say no more than that something is where it is."""
PERCEPTION: Final = _words("""
see sees notice look watch gaze glance observe listen hear feel spot find view study regard
""")
"""What eyes and ears do; nothing comes of it."""
VERBS: Final = BE | STANCE | PERCEPTION
"""Verbs that need no ground."""
FREE: Final = VERBS | _words("""
the a an this that these those his her its their of to for with at in on from there
here some too also very just around still sight eyes eye gaze upon
slowly quietly carefully gently softly calmly silently steadily firmly lightly patiently
briefly simply smoothly cautiously deliberately neatly thoughtfully attentively quiet calm
soft gentle slow careful steady faint slight brief short little small cool smooth solid
heavy sturdy firm plain simple familiar weight silence care stillness breath surface touch
quietness metal
""")
"""Words that say nothing of where things are, what they are like, or what happened."""
BREAKS: Final = _bare(", ; : ( ) — – and but while as where then who which")
"""Where one statement ends and the next begins."""
ENDS: Final = frozenset(".!?…\n")
"""Where a sentence ends."""
IT: Final = frozenset({"it"})
"""What stands for the thing named last."""
YOU: Final = frozenset({"you", "yourself"})
"""Who is told."""
YOUR: Final = frozenset({"your"})
"""What is theirs."""
THEY: Final = frozenset({"he", "she", "they", "him", "them"})
"""Somebody else."""
ARTICLES: Final = _bare("the its a an this that his her their your old heavy iron")
"""What stands before a lock that is a thing, and no deed."""
DENIALS: Final = _words("""
not cannot can't couldn't won't don't doesn't didn't isn't aren't fail fails failed refuse
refuses refused resist resists try tries tried attempt attempts attempted impossible unable
vain
""")
"""What says that something is not so, or was only tried; a ground says how often."""
DOUBTS: Final = _words("""
never no nothing nobody none neither nor could would wouldn't might may if unless until
without almost nearly hardly barely must should perhaps want wish
""")
"""What says more than that; only where the plain narrator says the very same."""
ATTEMPTS: Final = _words("try attempt fail refuse resist unable vain impossible")
"""Denials that say by themselves that nothing came of it."""
WITH_A_MARK: Final = _words("do does will can")
"""What may stand beside a denial."""
HELD: Final = _words(
    "hold holding carry carrying have has hand hands palm grip fingers now"
)
"""Words for what is in somebody's hands."""
OWNED: Final = HELD | _words("yours pocket")
"""The same of the viewer's own."""
INSIDE: Final = _words("inside within reveal revealing")
"""Words for what is in something."""
CLOSED, OPEN, LOCKED, UNLOCKED = (
    frozenset({word}) for word in ("closed", "open", "locked", "unlocked")
)
"""What a door or a chest may be."""
HERE: Final = _words("nearby floor")
"""Where else a thing in view may be."""
ON: Final = frozenset[str]()
"""What "on" is, where that is no free word."""
WAY: Final = _words("way lead leads path toward towards through beyond")
"""Words for ways out."""
PERSON: Final = _words("wait waits")
"""What anybody who is here does."""
REACHING: Final = _words("""
reach reaching lean bend kneel stoop crouch stretch hand hands fingers arm out into toward
""")
"""What comes before a deed with the hands."""
REACHES: Final = _words("reach lean bend kneel stoop crouch stretch")
"""One of these must be said for it."""
RECEIVED: Final = _words("take takes receive accept")
"""What is told of who is given something."""
RECEIVING: Final = RECEIVED | HELD
"""What else may stand with it."""
TRYING: Final = _words("push pull tug press rattle shake hand hands against keyhole")
"""What hands do to a thing in vain."""
HOLDING_FAST: Final = _words("hold holds fast firm tight stay remain")
"""What is told of a thing with which nothing could be done."""
MOVING: Final = _words("move moves budge budges give gives")
"""What such a thing does not do."""
DEEDS: Final = {
    name: (_words(verbs), _words(others))
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
"""For each type of action the verbs that tell it, and what else may stand with them."""
