"""English input: verbs, prepositions and small words."""

VERBS: dict[str, tuple[str, ...]] = {
    "take": (
        "take", "get", "grab", "pick up", "pick", "collect", "carry", "fetch", "snatch",
        "steal", "acquire", "obtain", "gather", "take hold of", "get hold of", "remove",
        "retrieve", "catch", "seize",
    ),
    "drop": (
        "drop", "ditch", "put down", "set down", "leave behind", "part with", "get rid of", "lay down", "discard", "throw away", "let go of",
        "dump", "abandon", "throw", "toss",
    ),
    "put": (
        "put", "place", "insert", "set", "stick", "stuff", "lay", "slide", "shove",
        "hang", "stow", "store", "deposit", "hide",
    ),
    "give": (
        "give", "hand", "hand over", "offer", "pass", "deliver", "feed", "bring",
        "present", "lend", "give back", "return",
    ),
    "open": ("open", "open up", "pull open", "push open", "swing open"),
    "close": ("close", "shut", "close up", "pull shut", "push shut", "slam"),
    "lock": ("lock", "lock up", "bolt"),
    "unlock": ("unlock", "unbolt"),
    "use": (
        "use", "turn on", "switch on", "turn off", "switch off", "switch", "flip", "flick", "toggle", "press", "push", "pull",
        "turn", "light", "ring", "activate", "operate", "start", "apply", "wind", "play",
        "cut", "dig", "fill", "fix", "repair", "mend", "clean", "wipe", "wash", "water",
        "pour", "empty", "spread", "brew", "make", "cook", "break", "try", "move", "knock on", "touch",
    ),
    "eat": (
        "eat", "drink", "eat up", "drink up", "consume", "taste", "devour", "swallow",
        "sip", "bite", "drink from", "nibble",
    ),
    "search": (
        "search", "look in", "look inside", "look into", "look under", "look underneath",
        "look beneath", "look behind", "search in", "search inside", "search under",
        "search behind", "search through", "look through", "rummage in",
        "rummage through", "rummage", "check inside", "check under", "check behind",
        "feel under", "feel behind", "reach into", "look among", "peek in", "peek into",
        "peek under", "peek behind", "peer into", "peer under", "explore", "investigate",
        "dig through", "look for", "search for", "hunt for", "find", "lift",
        "lift up", "raise", "roll up", "pull back", "turn over", "dig in", "dig into",
        "dig under",
    ),
    "inspect": (
        "examine", "x", "inspect", "read", "look at", "l at", "study", "check",
        "check out", "watch", "view", "observe", "look closely at", "look over",
        "take a look at", "have a look at", "stare at", "gaze at", "admire", "describe",
        "peer at", "glance at", "smell", "listen to",
    ),
    "look": (
        "look", "l", "look around", "look about", "look here", "take a look around",
        "have a look around", "exits",
    ),
    "move": (
        "go", "walk", "head", "run", "enter", "travel", "step", "climb", "proceed",
        "exit", "leave", "go back", "visit", "cross", "get out", "get in", "stroll",
        "wander", "hurry", "rush", "sneak", "crawl", "walk back", "head back",
        "venture", "continue", "march", "dash", "race", "sprint", "jog", "tiptoe", "creep",
        "slip", "hike", "stride", "trudge", "saunter", "advance", "journey", "scurry", "amble",
        "make my way", "make for", "set off", "set out", "make a move", "take a trip",
        "take a walk", "go for a walk", "march back", "run back", "get back", "step back",
        "come back", "return to", "follow", "climb up", "climb down", "descend", "ascend",
        "go up", "go down", "approach",
    ),
    "wait": (
        "wait", "z", "rest", "pause", "do nothing", "sit still", "stay", "stay here",
    ),
    "speak": (
        "say", "shout", "whisper", "yell", "reply", "answer", "mutter", "murmur", "call",
        "call out", "cry", "scream", "announce", "tell", "exclaim",
    ),
    "ask": ("ask", "talk", "talk to", "talk with", "speak", "speak to", "speak with",
            "greet", "thank", "chat with", "call to"),
    "inventory": (
        "inventory", "inv", "i", "check inventory", "check my inventory", "show inventory",
        "look at inventory", "look at my inventory",
    ),
    "introduce": ("introduce", "bring in"),
    "deed": (
        "show", "kiss", "hug", "attack", "hit", "kick", "kill", "fight", "jump", "dance",
        "sing", "sleep", "lie down", "wear", "put on", "take off", "dress", "undress",
        "buy", "sell", "burn", "tie", "swim", "fly", "pray", "shake", "rub", "swing",
        "listen", "smash", "destroy", "shoot", "scratch", "squeeze", "whistle", "spit",
    ),
    "unknown": (
        "think", "feel", "love", "hate", "like", "want", "need", "know", "believe",
        "hope", "remember", "help", "quit", "save", "load", "undo",
    ),
}  # fmt: skip
"""Action types and the phrases that ask for them.

`ask` is speech that needs quotation marks, `inventory` inspects the speaker. `deed` and
`unknown` are verbs without an action, listed so that they are not taken for things:
`deed` as something to do, `unknown` as talk.
"""
DEED_HINTS: dict[str, str] = {
    "wear": "hint.hold",
    "put on": "hint.hold",
    "put": "hint.hold",
    "dress": "hint.hold",
    "show": "hint.give",
    "listen": "hint.look",
    "smell": "hint.look",
}
"""Hints for what to try instead of a `deed`, by its first words."""
ASKED_ABOUT = frozenset(
    {"use", "press", "push", "pull", "turn", "light", "turn on", "turn off", "switch on",
     "switch off", "switch", "flip", "flick", "toggle", "ring", "activate", "operate", "start", "touch", "try", "move"}
)  # fmt: skip
"""Verbs of using for which a missing object is asked; the others alone are deeds."""
OTHERS = frozenset({"he", "she", "they", "it"})
"""Pronouns for others than the speaker."""

SPLIT_VERBS: dict[tuple[str, str], str] = {
    ("pick", "up"): "take",
    ("put", "down"): "drop",
    ("set", "down"): "drop",
    ("lay", "down"): "drop",
    ("throw", "away"): "drop",
    ("let", "go"): "drop",
    ("turn", "on"): "use",
    ("turn", "off"): "use",
    ("switch", "on"): "use",
    ("switch", "off"): "use",
    ("flip", "on"): "use",
    ("pull", "open"): "open",
    ("push", "open"): "open",
    ("pull", "shut"): "close",
    ("push", "shut"): "close",
    ("eat", "up"): "eat",
    ("drink", "up"): "eat",
    ("lock", "up"): "lock",
    ("look", "over"): "inspect",
    ("hand", "over"): "give",
    ("put", "on"): "deed",
    ("take", "off"): "deed",
}
"""Verbs whose second word may follow the object: "pick the key up"."""

_INTO = ("in", "into", "inside", "within", "in to", "inside of")
_ONTO = ("on", "onto", "upon", "on top of", "on to", "atop")
_OUT_OF = ("from", "out of", "off", "off of", "from inside", "from under", "from behind",
           "from on top of", "from within", *_INTO, *_ONTO, "under", "behind")  # fmt: skip

_WITH = dict.fromkeys(("with", "using", "by using", "by means of"), "tool")
ROLES: dict[str, dict[str, str]] = {
    "take": dict.fromkeys((*_OUT_OF, "from in", "from on", "from off"), "source"),
    "put": dict.fromkeys((*_INTO, *_ONTO), "destination"),
    "give": {"to": "recipient"},
    "open": _WITH,
    "lock": _WITH,
    "unlock": _WITH,
    "use": _WITH,
    "search": {"for": "", "with": ""},
    "inspect": {"with": ""},
}
"""The role that a preposition opens; an empty role is accepted and ignored."""
VERB_PARTICLES: dict[str, frozenset[str]] = {
    "take": frozenset({"up", "out", "down", "away", "back"}),
    "drop": frozenset({"down", "away", "back"}),
    "put": frozenset({"down", "back", "away", "in"}),
    "give": frozenset({"over", "back", "away"}),
    "open": frozenset({"up", "open"}),
    "close": frozenset({"up", "shut"}),
    "lock": frozenset({"up"}),
    "unlock": frozenset({"up", "open"}),
    "use": frozenset({"on", "off", "up", "down"}),
    "eat": frozenset({"up", "down"}),
    "inspect": frozenset({"over", "out", "through", "up"}),
    "search": frozenset({"through", "around", "over", "up"}),
}
"""The particles that a verb may have without a change of meaning."""

PREPOSITIONS = (
    *_OUT_OF, "underneath", "beneath", "below", "above", "beside", "next to", "near",
    "close to", "by", "at", "to", "toward", "towards", "over", "across", "through",
    "against", "around", "round", "with", "using", "by using", "by means of", "without",
    "for", "about", "as", "like", "because", "between", "among", "along", "past",
    "in front of", "instead of", "in place of", "during", "than", "via", "from in",
    "from on", "from off", "out from", "out from under", "despite", "since", "unlike",
    "because of", "thanks to", "due to", "such as", "rather than", "in order to",
)  # fmt: skip
"""Words that begin a phrase of place, tool, person or purpose."""
PARTICLES = frozenset({"up", "down", "out", "away", "back", "apart", "aside"})
"""Words that belong to the verb, wherever they follow it."""
PARTICLE_PREPOSITIONS = frozenset(
    {"on", "off", "in", "over", "through", "around", "along", "open", "shut"}
)
"""Words that belong to the verb if nothing follows them."""
RELATIVES = (
    "that's", "that is", "that are", "which is", "which are", "that lies", "that lie",
    "which lies", "that sits", "that stands", "which stands", "which sits", "lying",
    "standing", "sitting", "located", "that was", "kept", "hanging", "that hangs",
    "that i see", "i see", "which was",
)  # fmt: skip
"""Words between a thing and its place that add nothing."""

USE_ON = ("on", "with", "to", "onto", "in", "into", "against", "at")
"""After "use X", "apply X", "try X": what follows is acted on, and X is the tool."""
TOOLED = frozenset({"open", "lock", "unlock", "use"})
"""The actions that are done with a tool."""
TOOL_VERBS = frozenset({"use", "apply", "try", "pour", "empty", "spread"})
UP_AND_DOWN = {"climb": "up", "climb up": "up", "climb down": "down", "go up": "up",
               "go down": "down", "descend": "down", "ascend": "up"}  # fmt: skip
"""The direction of climbing something that is not itself an exit."""

WAYS_OF_VERBS = {"exit": "out", "leave": "out", "get out": "out", "enter": "in", "get in": "in"}
"""The way that a verb means if no place is named."""
LEAVING_BY = frozenset({"through", "by", "via", "to", "for", "into"})
REMAINING = frozenset({"alone", "be", "where", "rest", "me", "in peace"})
"""“Leave it alone”, “leave it where it is”: nothing is to be done with it."""
NEARING = frozenset({"to", "over", "up", "toward", "towards"})
WALKING = frozenset({"run", "walk", "step", "head", "hurry", "rush", "sneak", "crawl", "march",
                     "dash", "race", "creep", "tiptoe", "stride", "jog", "sprint", "proceed",
                     "continue", "go"})  # fmt: skip
ON_FOOT = frozenset({"back", "straight", "right", "all", "directly", "over", "on", "out", "up",
                     "down", "away", "home", "along", "off", "the", "way", "my", "through"})  # fmt: skip
"""What may come before the last place of a way."""
WAYS = frozenset({"exit", "way", "door", "passage", "path", "doorway", "direction", "stairs",
                  "corridor", "road", "side", "route", "gate"})  # fmt: skip
"""Nouns for a way out: "the north exit"."""
LIFTING = frozenset({"lift", "raise", "pull"})
"""Verbs that take a thing that can be taken, and search under another."""
RESTING = frozenset({"rest", "sit", "stand", "lean"})
"""With an object and a destination they put the one on the other."""

TO_PLACE = (
    "in the direction of", "for a walk to", "for a walk in", "off to", "off for", "out for", "my way to",
    "on over to", "down in", "up in", "on into", "on through", "off into", "away to", "round to",
    "to", "into", "in to", "in", "inside", "through", "toward", "towards", "over to",
    "back to", "back into", "back through", "onto", "along", "via", "by", "out to",
    "out through", "out into", "in through", "up to", "down to", "down into", "up into",
    "across", "past", "out by", "out at", "on to", "out onto", "up through",
    "down through", "from", "for", "up", "down", "out", "out of", "on",
)  # fmt: skip
"""Words that may come between "go" and a place."""
DIRECTIONS: dict[str, str] = {
    "n": "north", "s": "south", "e": "east", "w": "west", "ne": "northeast",
    "nw": "northwest", "se": "southeast", "sw": "southwest", "u": "up", "d": "down",
    "north": "north", "south": "south", "east": "east", "west": "west",
    "northeast": "northeast", "northwest": "northwest", "southeast": "southeast",
    "southwest": "southwest", "north-east": "northeast", "north-west": "northwest",
    "south-east": "southeast", "south-west": "southwest", "up": "up", "down": "down",
    "upstairs": "up", "downstairs": "down", "in": "in", "out": "out", "inside": "in",
    "outside": "out", "back": "back", "forward": "forward", "left": "left",
    "right": "right", "forwards": "forward", "northward": "north",
    "northwards": "north", "southwards": "south", "eastwards": "east",
    "westwards": "west",
}  # fmt: skip
"""Words for a direction, with the exit label they mean."""
OUT = frozenset({"out", "exit", "outside", "way out", "back", "in", "inside", "through"})
"""Words that mean the door just mentioned, or the only exit, if no exit has them as its
label."""

BACK = frozenset({"back", "way back", "back out", "way i came", "where i came from"})
"""Words for the place the speaker last left."""

ARTICLES = ("the", "a", "an", "some", "this", "that", "these", "those", "any", "your",
            "his", "her", "their", "its", "our")  # fmt: skip
MINE = ("my", "my own")
THINGS = frozenset({"it", "that", "this", "them", "these", "those", "that one",
                    "this one"})  # fmt: skip
PEOPLE = frozenset({"him", "her", "he", "she", "them", "they"})
SELF = frozenset({"me", "myself", "self", "i", "us"})
HERE = frozenset({"here", "room", "around", "place", "surroundings", "area", "around here",
                  "everywhere", "location"})  # fmt: skip
FLOOR = frozenset({"floor", "ground", "down", "here"})
"""Putting a thing there drops it, unless something has that name."""
ALL = frozenset({"all", "everything", "all of it", "them all", "all of them",
                 "all things", "all items"})  # fmt: skip
DOORS = frozenset({"door"})
"""Words that can mean any door."""
ONE = frozenset({"one", "thing"})
"""Words that do not say which: "the brass one"."""
ORDINALS: dict[str, int] = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6,
    "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5, "6th": 6,
}  # fmt: skip
WHERE_IN = ("on top of", "inside of", "in", "inside", "on", "from", "under", "behind",
            "within", "at")  # fmt: skip
"""Words between a thing and its place: "the note on the desk"."""

OPENINGS = (
    "i would like to", "i would love to", "i'd like to", "i'd love to", "i want to", "i wanna", "i will", "i'll",
    "i am going to", "i'm going to", "i try to", "try to", "attempt to", "let us",
    "let's", "lets", "let me", "could you", "can you", "would you", "will you", "i shall",
    "we will", "we'll", "i'm gonna", "gonna", "i decide to", "could you possibly", "i then", "please", "kindly", "now", "ok",
    "okay", "well", "so", "also", "just", "finally", "next", "first", "afterwards",
    "after that", "quickly", "slowly", "carefully", "quietly", "gently", "again", "i",
    "we", "time to", "go ahead and", "go ahead",  "silently", "hey", "oh", "ah", "hmm", "yes", "alright",
    "excuse me", "sorry", "be so kind as to", "be so good as to", "would you be so kind as to",
    "would you be so good as to", "could you be so kind as to", "i should like to", "you can",
    "you can now", "now you can", "im gonna", "i am gonna", "lemme", "do", "proceed to", "um", "uh",
    "right", "come on", "make an effort to", "make an attempt to", "i attempt to", "first of all",
    "first off", "after that", "and then", "thanks", "thank you", "be a dear", "be a darling", "do me a favour",
    "do me a favor", "pretty please", "pls", "plz", "great job", "good job", "well done", "very well",
    "all right", "anyway", "actually", "no problem", "don't worry", "never mind", "of course", "in that case",
    "with that done", "that done", "that being done", "having done that", "your task is to",
    "your next task is to", "your first task is to", "your objective is to", "your next objective is to",
    "your first objective is to", "i need you to", "following that", "i now", "i also", "i just",
    "i quickly", "i carefully", "i slowly", "i quietly", "if you would be so kind", "if you don't mind",
    "i'm gonna", "imma", "ima", "i simply", "to begin with", "to start with",
)  # fmt: skip
"""Words that introduce a request."""
GREETINGS = frozenset({"hello", "hi", "hey", "good", "thanks", "thank", "dear", "greetings", "bye"})
"""Words that begin a sentence to a person."""
SPEAKERS = frozenset({"i", "i'll", "i'm", "we", "we'll", "let's", "let"})
"""Words that begin a sentence about what the speaker does."""
RETRACTIONS = ("not", "no", "no wait", "wait no", "scratch that", "just kidding", "kidding", "jk",
               "cancel that", "forget it", "forget that", "never mind", "nevermind", "undo that",
               "said no one ever", "said nobody ever", "belay that", "on second thought no",
               "strike that", "i take that back", "not really", "or not")  # fmt: skip
"""Clauses that take back what was said before them."""
GERUND_OPENINGS = ("try", "would you mind", "start by", "begin by", "mind", "start", "finish by")
"""Before a form in -ing they ask for the deed: "try opening the gate"."""
WISHES = ("make sure", "make certain", "make absolutely sure", "ensure", "assure", "see to it",
          "see", "make it so", "doublecheck", "double-check", "double check", "make quite sure",
          "be sure", "verify", "check")  # fmt: skip
"""Before "that X is closed" they ask for the state."""
HAVING = {("you", "have"), ("i", "have"), ("you", "hold"), ("you", "carry"), ("we", "have")}
STATE_VERBS = {"open": "open", "opened": "open", "ajar": "open", "closed": "close", "shut": "close",
               "locked": "lock", "unlocked": "unlock", "bolted": "lock", "lit": "use"}  # fmt: skip
"""The action that brings about a state."""
CALLS = frozenset({"please", "hey", "oh", "ah", "hmm", "ok", "okay", "well", "so", "now",
                   "alright", "yes", "and", "but", "then", "also", "excuse", "me", "sorry"})  # fmt: skip
"""Words before a sentence that do not change its mood."""
COURTEOUS_MODALS = frozenset({"can", "could", "would", "will"})
"""Before "you" and a verb they ask for the action: "could you open the gate?"."""
ASKING_MODALS = frozenset({"can", "could", "may", "might", "shall", "should", "must"})
"""Before "I" they ask whether something may or can be done."""
QUESTION_WORDS = frozenset({"who", "whom", "whose", "what", "which", "where", "when", "why", "how",
                            "who's", "what's", "where's", "how's"})  # fmt: skip
QUESTION_VERBS = frozenset({"is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can",
                            "could", "may", "might", "shall", "should", "would", "will", "must", "isn't",
                            "aren't", "doesn't", "didn't", "won't", "can't", "couldn't", "wouldn't",
                            "shouldn't", "am", "don't"})  # fmt: skip
"""Before one of `QUESTION_SUBJECTS` they open a question without a question mark."""
QUESTION_SUBJECTS = frozenset({"i", "we", "you", "he", "she", "it", "they", "there", "this", "that", "the",
                               "a", "an", "my", "any", "anyone", "anybody", "anything", "everything",
                               "someone", "somebody", "these", "those"})  # fmt: skip
STATING_MODALS = frozenset({"can", "could", "may", "might", "must", "should", "would", "ought", "had",
                            "did", "was", "wish", "hope", "wonder", "used", "guess", "think"})  # fmt: skip
"""After "I" they state what could, should or did happen, and ask for nothing."""
INTENTIONS = frozenset({("should", "like", "to"), ("would", "like", "to"), ("would", "love", "to")})
"""After "I" they state what the speaker is about to do."""
DUTIES = frozenset({("need", "to"), ("have", "to"), ("ought", "to"), ("had", "to"), ("got", "to")})
"""After "I" they state a duty, and ask for nothing."""
CONDITIONS = (
    "if", "when", "whenever", "unless", "once", "until", "till", "while", "whilst",
    "after", "before", "lest", "provided", "providing", "assuming", "suppose",
    "supposing", "whether", "otherwise", "in case", "as soon as", "as long as",
    "or else", "wherever", "whoever", "should you", "instead of", "the moment", "given",
    "next time", "every time", "each time", "next week", "next day", "tomorrow", "later",
    "someday", "one day", "some day", "soon", "eventually", "tonight", "yesterday",
    "in the morning", "in the evening", "in the event", "at night", "at dawn", "at noon",
)  # fmt: skip
"""Words that make an action depend on something, or move it to another time."""
NO_CONDITIONS = ("once more", "once again", "at once", "after that", "after this",
                 "a while", "if you please", "if you would", "if you don't mind",
                 "if you'd be so kind", "if you wouldn't mind", "if you would be so kind")  # fmt: skip
"""Phrases in which one of `CONDITIONS` is no condition."""
EXCEPTIONS = (
    "but not", "but leave", "but keep", "but", "except for", "except", "excepting",
    "excluding", "save for", "save", "besides", "apart from", "aside from", "other than",
    "minus",
)  # fmt: skip
"""After "all", what follows one of these is excluded."""
LEAVING_OUT = frozenset({"except", "excepting", "excluding", "besides", "apart", "aside", "minus"})
"""Words that exclude something; understood only after "all"."""
CHOICES = frozenset({"or", "either", "rather"})
"""Words that leave open which of several actions or things is meant."""
BODY = frozenset(
    {"eye", "eyes", "head", "hand", "hands", "arm", "arms", "shoulder", "shoulders",
     "brow", "brows", "eyebrow", "eyebrows", "face", "breath", "mouth", "lip", "lips",
     "voice", "smile", "throat", "hair", "chin", "cheek", "cheeks", "finger", "fingers",
     "foot", "feet", "fist", "fists", "gaze", "glance", "nod", "sigh", "shrug", "laugh",
     "grin", "frown", "posture", "knee", "knees", "heart", "nose", "forehead", "tears",
     "stance", "weight", "attention", "look", "moment", "bow", "wave", "wink", "seat",
     "nap", "step", "thought", "expression", "body", "neck", "ears", "jaw", "teeth",
     "tongue", "leg", "legs", "palm", "palms", "thumb", "hug", "kiss", "break", "rest"}
)  # fmt: skip
"""What a gesture is made with, if nothing in reach has that name."""
BODY_OWNERS = frozenset(
    {"my", "his", "her", "their", "your", "its", "our", "a", "an", "both", "one", "deep",
     "long", "small", "little", "slow", "warm", "quick", "gentle", "slight", "brief",
     "faint", "nervous", "big", "soft", "another", "shy", "polite", "heavy"}
)  # fmt: skip
"""Words that may precede a part of the body."""
GESTURES = (
    "smile", "laugh", "nod", "shrug", "sigh", "bow", "wave", "point", "grin", "frown",
    "blush", "wink", "blink", "chuckle", "giggle", "smirk", "gasp", "shiver", "tremble",
    "hesitate", "lean", "tilt", "glance", "gaze", "stare", "beam", "gesture", "scowl",
    "wince", "flinch", "yawn", "stretch", "fidget", "look toward", "look towards",
    "turn to", "turn toward", "turn towards", "turn around", "turn away", "breathe",
    "exhale", "inhale", "sit", "sit down", "sit back", "sit up", "sit on", "stand",
    "stand up", "stand still", "kneel", "crouch", "clap", "salute", "sob", "weep",
    "pout", "ponder", "hum", "snort", "scoff", "grimace", "squint", "fall silent",
)  # fmt: skip
"""Verbs that only express something, and change nothing."""
IDIOMS = frozenset(
    {"wait and see", "go on", "go for it", "take it easy", "take that", "give it up", "drop it in",
     "take it from me", "go to sleep", "go to bed", "go to hell", "go to work", "go to pieces",
     "go to waste", "go to town", "take it back", "keep it up", "give it a rest", "wait and hope",
     "go for broke", "go with the flow", "go all in", "get a life", "take it or leave it"}
)  # fmt: skip
"""Whole clauses that ask for nothing."""
NARRATED_GESTURES = frozenset(
    {"look up", "look down", "look away", "look back", "look over", "step back",
     "step forward", "step aside", "step closer", "step away", "turn back", "move closer",
     "walk over", "come closer", "look thoughtful", "look surprised", "look confused",
     "look worried", "look happy", "look sad", "look relieved", "look puzzled", "pause"}
)  # fmt: skip
"""In a character's reply these phrases are gestures; typed, they are commands."""
GAZING = frozenset(
    {"look at", "watch", "stare at", "gaze at", "glance at", "peer at", "look over",
     "observe", "view", "admire", "look closely at"}
)  # fmt: skip
"""In a character's reply these inspect a thing in reach; otherwise they are
gestures."""
WAITING_FOR = frozenset(
    {"here", "for", "a", "an", "one", "awhile", "quietly", "patiently", "still"}
)
"""What may follow "wait" or "rest"."""
CLIMBED = frozenset(
    {"rope", "ladder", "stairs", "stair", "staircase", "steps", "tree", "wall", "vine",
     "ivy", "pole", "hill", "cliff", "rocks", "fence", "chain", "stairway", "tower"}
)  # fmt: skip
"""What leads up or down if nothing has that name."""
CLOSINGS = (
    "please", "now", "again", "carefully", "quickly", "slowly", "quietly", "gently",
    "too", "as well", "for me", "right now", "immediately", "first",
    "thoroughly", "closely", "with me", "together", "once more", "for a moment",
    "for a while", "a bit", "silently", "at once", "if you please", "if you would",
    "if you'd be so kind", "if you would be so kind", "if you don't mind", "pls", "plz",
    "will you", "would you", "already", "over there", "obviously", "then", "again please",
)  # fmt: skip
AND = frozenset({"and", "&", "plus"})
THEN = frozenset({"then", "afterwards", "but"})
NOT = frozenset({"don't", "dont", "not", "never", "won't", "can't", "cannot", "without",
                 "didn't", "no", "mustn't", "shouldn't", "couldn't", "wouldn't", "needn't",
                 "doesn't", "isn't", "aren't", "neither", "nor", "should"})  # fmt: skip
"""A clause with one of these asks for nothing."""

CRAFTED_WITH = {"in": "tool", "on": "tool", "over": "tool", "at": "tool"}
"""Prepositions before a craft's tool, besides "with": "cook it on the stove"."""


def to_third_person(word: str) -> str:
    """The third-person form: takes, carries, pushes."""
    if word.endswith(("s", "sh", "ch", "x", "z", "o")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def to_gerund(word: str) -> str:
    """The form in -ing: taking, putting, opening."""
    if word.endswith("e") and not word.endswith("ee"):
        return word[:-1] + "ing"
    one_vowel = sum(letter in "aeiou" for letter in word) == 1
    doubled = one_vowel and len(word) < 6 and word[-1] in "tpbgdnm" and word[-2] in "aeiou"
    return word + (word[-1] if doubled else "") + "ing"
