"""English input: what may stand around a command without changing it.

A phrase is written as a pattern: `(a|b|)` is a choice, and an empty choice may be left
out.
"""

import itertools
import re
from collections.abc import Iterable

WordSequence = tuple[str, ...]
"""The words of a phrase."""

_CHOICE = re.compile(r"\(([^()]*)\)")


def expand_phrases(patterns: str) -> frozenset[WordSequence]:
    """All phrases of the patterns, one on each line."""
    found: set[WordSequence] = set()
    for line in patterns.splitlines():
        pieces = _CHOICE.split(line)
        choices = [p.split("|") if n % 2 else [p] for n, p in enumerate(pieces)]
        found |= {tuple(" ".join(each).split()) for each in itertools.product(*choices)}
    return frozenset(found - {()})


class PhraseTable:
    """Phrases that can be looked up at a place in a text."""

    def __init__(self, phrases: Iterable[WordSequence]) -> None:
        """Index the phrases by their first word and length."""
        self._phrases = frozenset(phrases)
        lengths: dict[str, set[int]] = {}
        for phrase in self._phrases:
            lengths.setdefault(phrase[0], set()).add(len(phrase))
        self._lengths = {word: sorted(each, reverse=True) for word, each in lengths.items()}

    def count(self, words: WordSequence, place: int = 0) -> int:
        """How many words from `place` on are the longest phrase; 0 if none is there."""
        if place < len(words):
            for length in self._lengths.get(words[place], ()):
                if words[place : place + length] in self._phrases:
                    # A slice at the end may be shorter than `length`.
                    return min(length, len(words) - place)
        return 0


FILLERS = expand_phrases(
    """
    (oh|ooh|ah|aha|hm|hmm|hmmm|um|umm|uh|er|erm|lol|haha|heh|hey|psst|well|so|ok|okay|okey|k|kk)
    (alright|alrighty|right|righto|fine|good|great|cool|nice|excellent|perfect|sure|yes|yeah|yep|yup)
    (aye|anyway|anyways|anyhow|actually|please|pls|plz|thanks|thx|ty|cheers|sorry|oops|whoops|ugh)
    (phew|yay|wow|gosh|gee|meh|now|then|next|first|second|third|last|finally|also|moreover|therefore)
    (action|actions|command|input|today|hereby|thereafter|subsequently|due|straight|thus|hence|meanwhile|afterwards|afterward|again|just|simply|step one|step two|step three)
    (ok|okay|alright|alrighty|all right|right|very well|well|fine|good|now|so|yes) then
    (very well|very good|all right|of course|no problem|no worries|don't worry|never mind|come on)
    (in that case|first of all|first off|first things first|for starters|last of all|last but not least)
    to (begin|start) (with|off|)
    (after|following) (that|this)
    (that|this) (being|) (done|accomplished|finished|over|settled|sorted|said)
    (with|having) (that|this|done that|done this|done so|pulled that off|pulled it off|finished that|accomplished that|completed that|managed that|got that)
    with (that|this|that all|all that|all of that) (done|accomplished|finished|over|over with|settled|sorted|out of the way|taken care of|handled)
    as (a|my|the) (first|second|next|last|final) (step|thing|move|action)
    (my|your|the) (first|second|next|last|final) (step|thing|move|action)
    (first|next|last|final) (step|up|thing|off)
    at (this|that) (point|moment)
    at (last|long last|once|your leisure|your convenience)
    (without further ado|one more time|once more|once again|this time|for now|for the moment|for the time being)
    (by the way|btw|in the meantime|in the meanwhile|in addition|what's more|and now|and then|you know|you know what)
    (excuse|pardon|forgive) me
    (to be|) (honest|fair|frank|precise|clear)
    (let's|let me|lemme) (see|think)
    (many thanks|whatever|no matter|fair enough|sounds good|here goes|here we go|there we go)
    (i'm sorry|i am sorry|my apologies|begging your pardon|beg pardon|pretty please)
    (thank you|thanks) (very much|so much|kindly|a lot|a bunch|in advance|again|)
    (thanks|cheers|ta|much obliged|much appreciated) (mate|pal|buddy|friend|love|dear|)
    (good|great|nice|excellent|well) (job|work|done)
    go ahead
    (don't|do not|never) forget to
    be a (dear|darling|good sport|sport|pal|friend|love|good fellow|good lad|good girl|gem|star|angel)
    (be so kind|be so good|be kind|be nice)
    do me a (favour|favor|kindness|solid)
    there's a (dear|good fellow|good lad|good girl|good chap|good sport|love)
    (just|) for (fun|the fun of it|good measure|a change|a start|luck|safety|once)
    just (to be safe|in case i need it|to be sure|like that|because)
    if (you|ya|u) (please|would|could|don't mind|wouldn't mind|would not mind|will|would be so kind|could be so kind|have a moment|have a minute|have time|have the time)
    if (you'd|you would) (please|be so kind|be so good|be kind enough|be good enough|just|)
    if (it's|it is|that's|that is) (not too much trouble|not too much to ask|no trouble|no bother|ok|okay|alright|all right|possible|fine|ok with you|okay with you|all right with you|alright with you|not a bother)
    if it (isn't|is not) too much (trouble|bother|to ask)
    (if i may|if i might)
    when (you|u) (can|get a chance|have a moment|have a minute|have a chance|are ready|get a moment)
    """
)
"""Words that accompany a command, before it, after it or as a clause of their own."""
_END = (r"done|did|do|finish(?:ed)?|complete[d]?|accomplish(?:ed)?|manage[d]?|got|get|through|over"
        r"|handled|settled|sorted|pulled|taken care of|out of the way")  # fmt: skip
SEQUENCE = re.compile(
    r"(?:once|when|after|as soon as|if(?= you c)|now that) (?:you|i|we|that|this|it|you're|we're|i'm|you've|i've"
    r"|we've|that's|it's|this is)(?: (?:have|has been|can|are|is|was|could|get|were able to|all)){0,2}"
    rf" (?:{_END})(?: (?:with )?(?:that|this|it|so|them)(?: off)?)?(?= |$)"
    r"|(?:once|when|after) (?:you|i|we) get (?:around|round) to (?:doing )?(?:that|this|it)(?= |$)"
)
"""“Once you have done that”: what was asked before comes first, and nothing else."""

DONE = expand_phrases(
    """
    (after|upon|on|having) (just|first|finally|)
    (once|when|after|now that|as soon as|since|if) (you|i|we) (have|) (just|already|finally|)
    (once|when|after|now that|as soon as|since|if) (you've|i've|we've) (just|already|finally|)
    if (you|i|we) (can|could|manage to|are able to|were able to)
    """
)
"""Before a deed they tell that it was done: "after taking the key"."""
INTENTIONS = expand_phrases(
    """
    (i|we) (now|then|also|just|next|) (will|shall)
    (i|we|) (would like to|would love to|want to|wanna|wish to|should like to|would prefer to)
    (i|we|) (decide|choose|opt|intend|mean|prefer|elect|resolve) to
    (i'd|we'd) (like to|love to|prefer to)
    (i'll|we'll|imma|ima|gonna|lemme|lets|let's|let us|let me)
    (i'm|i am|im|we're|we are) (going to|gonna|about to|ready to|off to|trying to|happy to|keen to)
    (let's|let me|let us) (see about|all)
    (i've|i have|we've|we have) (decided|chosen|opted|elected|resolved) to
    (i|we) (think|guess|suppose|believe|reckon|say) (i'll|i will|i shall|we'll|we will|i'd like to|i want to|i would like to)
    time (to|for me to|for us to)
    my (first|second|next|last|final) (move|step|action) is to
    your (first|second|third|next|last|final|new|) (move|step|action|task|objective|goal|job|aim|mission) (here|now|) is to
    the (first|second|third|next|last|final|only) thing (to do|for you to do|i need you to do|you need to do|i do|i want to do|i will do|) is (to|)
    (first|next|last|) thing (i need you to do|for you to do|to do) is (to|)
    """
)
"""What the speaker is about to do, or what is set as a task."""
EFFORTS = expand_phrases(
    """
    (i|we|you|) (try|attempt|endeavour|endeavor|strive|seek|proceed|go on) to
    (i|we|you|) (try|go ahead|go) and
    (i|we|you|) make (an effort|an attempt|a try|sure|certain) to
    (i|we|you|) (do|try) (my|your|our) (best|utmost|very best|hardest) to
    (i|we|you|) take (a moment|the time|the opportunity|care|the trouble|the liberty of) to
    (be sure|feel free|make haste|be quick|be so kind as|be so good as|be kind enough|be good enough|please be so kind as) to
    (be so kind|be a dear|be a darling|be a good sport|be a sport|be a pal|do me a favour|do me a favor) and
    (could|can|would|will) (you|u|ya) (please|kindly|possibly|just|maybe|perhaps|quickly|try to|be so kind as to|be so good as to|be kind enough to|be good enough to|be a dear and|)
    if (you|u) (could|would) (please|just|kindly|) (try to|make an effort to|make an attempt to|)
    if you (could|can) (make an effort to|make an attempt to|make sure to|please)
    (go ahead|do|kindly)
    it would be (great|good|nice|fantastic|wonderful|lovely|best|a great idea|a good idea) if you could
    (i need|i want|i would ask|i'd ask|i ask|i'd like|i would like) you to
    (now|next|) you (can|can now|may now)
    """
)
"""What may stand before a verb and does not change it."""
SUBJECTS = expand_phrases(
    """
    (i|we|you) (then|now|also|just|simply|next|)
    (my|your|the) (character|player|avatar|hero|protagonist)
    (player|protagonist)
    """
)
GERUND_OPENINGS = expand_phrases(
    """
    (i|we|you|) (try|attempt|commence|start|begin|start by|begin by|finish by|proceed with|go ahead with|proceed by|finish)
    (i|we|you|) (have|take|make|give) (a|an|another) (go|try|shot|stab|crack|attempt|bash) at
    (would|do) you mind
    (mind|see about|try your hand at)
    (i'm|i am|im|we're|we are|you're|you are|am|are)
    """
)
"""Before a form in -ing they ask for the deed: "try opening the gate"."""
STATIVE = frozenset({"carrying", "holding", "wearing", "having", "waiting", "looking", "standing",
                     "sitting", "resting", "lying", "hanging", "missing", "keeping"})  # fmt: skip
"""Forms in -ing that tell what is, and ask for nothing."""
VOCATIVES = expand_phrases(
    "(mate|sir|madam|ma'am|buddy|pal|dude|man|bro|friend|dear|darling|love|folks|my friend|my dear)"
)
"""Words by which the game is called."""
CLOSINGS = expand_phrases(
    """
    (please|now|again|first|too|then|already|together|obviously|immediately|thoroughly|closely)
    (as well|right now|right away|with me|once more|for a moment|for a while|a bit|at once|over there)
    (again please|will you|would you|won't you|could you|can you|as you do|and be quick about it)
    (i|we) go
    (pls|plz|thanks|thx|ty|cheers|sorry|ok|okay|yeah|lol|alright|anyway|afterwards|haha)
    for (me|us|now|the time being|the moment|good measure|a change|once|luck|safety|later|a bit)
    (and that's that|that's all|that is all|and that is that|would ya|will ya|right here|right there)
    """
)
"""Words that may end a clause."""
WISHES = expand_phrases(
    """
    make (absolutely|quite|very|doubly|) (sure|certain)
    (ensure|assure|guarantee|see to it|see|see to|make it so|doublecheck|double-check|double check|be sure|be certain|arrange)
    """
)
"""Before "that X is closed" they ask for the state."""
CHECKS = expand_phrases("(check|verify|confirm|find out|see|look) (that|if|whether|)")
"""Before "X is closed" they ask whether it is."""
HAVING = expand_phrases(
    """
    (you|i|we) (have|hold|carry|possess|own|get|have got|are holding|are carrying|am holding|am carrying)
    (you're|i'm|we're) (holding|carrying)
    (you've|i've|we've) got
    """
)
ARRIVING = expand_phrases(
    """
    (you|i|we) (are|am|get|arrive|end up|wind up|land|stand|find yourself|find myself) (in|inside|at|to|into)
    (you're|i'm|we're) (in|inside|at|standing in|back in)
    """
)
BEING = expand_phrases(
    """
    (is|are|be|s|stays|remains|gets|get|becomes|to be|ends up|end up|winds up|comes to be|has been|is put)
    (is|are|gets|be) (lying|sitting|standing|placed|put|resting|left|set|laid|stored|hanging|stowed)
    (goes|lies|sits|stands|rests|gets put|lands)
    """
)
"""Between a thing and the state or place that is wished for it."""
STATE_VERBS = {"open": "open", "opened": "open", "ajar": "open", "closed": "close", "shut": "close",
               "locked": "lock", "unlocked": "unlock", "bolted": "lock", "lit": "use", "taken": "take",
               "eaten": "eat", "dropped": "drop", "drunk": "eat", "on": "use", "off": "use",
               "burning": "use", "searched": "search", "read": "inspect"}  # fmt: skip
"""The action that brings about a state."""
HOST_COMMANDS = {
    command: expand_phrases(patterns)
    for command, patterns in {
        "help": """
            (help|help me|commands|instructions|show help)
            (list|show|show me) (the|) commands
            (how do i play|how do i play this|how does this work|how does this game work|what can i type)
            what commands (are there|can i use|do you know|do you understand)
            """,
        "undo": """
            (oops|) undo (that|it|this|last move|last turn|the last move|my last move|my last action|the last turn|)
            (take|step|go) back (one|a) (turn|step|move)
            take back (my|the|that) (last|) (move|action|turn|step)
            (rewind|take that back)
            """,
        "why": "why (not|did that fail|did that not work|didn't that work|didn't it work|)",
        "hint": "(give me|i need|show me|) (a|another|) (hint|clue) (please|)",
        "actions": "(list|show|show me|) (the|my|all|) (possible|available|) (actions|options)",
        "save": """
            save (game|the game|my game|progress|my progress|now|)
            (quicksave|quick save)
            """,
        "load": """
            (load|restore) (game|the game|my game|a game|my last save|my save|the last save|last save|)
            (quickload|quick load)
            """,
        "history": """
            (show|show me|) (the|my|) (history|log|transcript)
            what have i done so far
            """,
    }.items()
}
"""Whole utterances that are meant for the host."""
IN_HAND = expand_phrases(
    """
    in (my|your|our|the|) (hand|hands|inventory|possession|pocket|pockets|bag|keeping|grasp)
    (on|with) (me|you|us|my person|your person)
    """
)
"""Where a thing is that one has."""
