"""English input: verbs, prepositions and small words."""

from saniwa.language.lexicon.en_openings import expand_phrases

VERBS: dict[str, tuple[str, ...]] = {
    "take": (
        "take", "get", "grab", "pick up", "pick", "pick-up", "collect", "carry", "fetch", "snatch",
        "steal", "acquire", "obtain", "gather", "take hold of", "get hold of", "remove", "seize",
        "retrieve", "catch", "recover", "pocket", "nab", "swipe", "snag", "scoop up", "scoop",
        "gather up", "pinch", "nick", "procure", "claim", "confiscate", "help myself to",
        "help yourself to", "lay hold of", "take possession of", "grab hold of", "yank", "pluck",
        "fish out", "fish", "extract", "withdraw", "bag", "secure", "get my hands on", "get your hands on", "lift out",
        "pull out", "take up", "take along", "bring along", "bring with me", "gimme", "grasp",
        "clutch", "snaffle", "filch", "scrounge", "round up", "accumulate", "appropriate",
        "dig out", "unearth", "hoist", "heave", "take down", "get down", "gather together", "haul", "reclaim",
    ),
    "drop": (
        "drop", "ditch", "put down", "set down", "leave behind", "part with", "get rid of", "lay down", "discard", "throw away", "let go of",
        "dump", "abandon", "throw", "toss", "release", "fling", "chuck", "relinquish", "lob", "hurl",
        "cast", "unload", "throw down", "toss down", "jettison", "plonk down", "plop down",
        "cast aside", "cast away", "throw aside", "toss aside", "sling", "let loose of", "unhand",
    ),
    "put": (
        "put", "place", "insert", "set", "stick", "stuff", "lay", "slide", "shove",
        "hang", "stow", "store", "deposit", "hide", "plonk", "plop", "pop", "stash", "position",
        "tuck", "cram", "jam", "shelve", "load", "leave", "park", "dunk", "drop off", "balance",
        "prop", "arrange", "install", "wedge", "squeeze in", "bung", "stack", "perch", "file",
        "put away", "set out", "conceal", "replace", "put back", "lower", "slot",
    ),
    "give": (
        "give", "hand", "hand over", "offer", "pass", "deliver", "feed", "bring", "gift",
        "present", "lend", "give back", "return", "donate", "surrender", "grant", "hand off",
        "pass over", "give away", "hand out", "hand back", "entrust", "award", "loan", "slip",
        "turn over to", "bestow", "proffer",
    ),
    "open": ("open", "open up", "pull open", "push open", "swing open", "throw open", "unlatch",
             "prise open", "pry open", "crack open", "unfasten", "uncover", "reopen", "slide open",
             "fling open", "force open", "unseal"),
    "close": ("close", "shut", "close up", "pull shut", "push shut", "slam", "slam shut", "reclose",
              "latch", "fasten", "swing shut", "pull closed", "push closed", "close off", "shut up"),
    "lock": ("lock", "lock up", "bolt", "relock", "secure with"),
    "unlock": ("unlock", "unbolt"),
    "use": (
        "use", "turn on", "switch on", "turn off", "switch off", "switch", "flip", "flick", "toggle", "press", "push", "pull",
        "turn", "light", "light up", "ring", "activate", "operate", "start", "apply", "wind", "play",
        "cut", "dig", "fill", "fix", "repair", "mend", "clean", "wipe", "wash", "water",
        "pour", "empty", "spread", "brew", "make", "cook", "break", "try", "move", "knock on", "touch",
        "employ", "utilise", "utilize", "ignite", "kindle", "power on", "power up", "make use of",
        "extinguish", "put out", "blow out", "try out", "switch up",
    ),
    "eat": (
        "eat", "drink", "eat up", "drink up", "consume", "taste", "devour", "swallow",
        "sip", "bite", "drink from", "nibble", "munch", "munch on", "chew", "chew on", "gobble",
        "gobble up", "gobble down", "gulp", "gulp down", "wolf", "wolf down", "scoff", "slurp",
        "slurp up", "swig", "quaff", "scarf", "scarf down", "polish off", "finish off",
        "snack on", "feast on", "ingest", "guzzle", "bite into", "nibble on", "nibble at", "chomp",
        "chomp on", "dine on", "sample", "drain", "chug", "sip from", "finish", "lunch on",
        "take a bite of", "take a sip of", "take a bite out of", "have a bite of", "have a sip of",
        "take a drink of", "have a drink of", "take a swig of", "put away",
    ),
    "search": (
        *(" ".join(words) for words in expand_phrases(
            "(look|check|peek|peer|search|feel|glance|peep|rummage|hunt) (around|) "
            "(in|inside|into|under|underneath|beneath|behind|on top of|through|below|inside of)"
        )),
        "search", "look in", "look inside", "look into", "look under", "look underneath",
        "look beneath", "look behind", "search in", "search inside", "search under",
        "search behind", "search through", "look through", "rummage in",
        "rummage through", "rummage", "check inside", "check under", "check behind", "check in",
        "feel under", "feel behind", "reach into", "look among", "peek in", "peek into",
        "peek under", "peek behind", "peer into", "peer under", "explore", "investigate",
        "dig through", "look for", "search for", "hunt for", "find", "lift", "look on",
        "lift up", "raise", "roll up", "pull back", "turn over", "dig in", "dig into",
        "dig under", "root around in", "root through", "poke around in", "poke around", "ransack",
        "rifle through", "comb through", "sift through", "feel around in", "feel around inside",
        "feel around under", "feel inside", "rummage around in", "dig around in",
        "peek inside", "peer inside", "peep into", "peep in", "peep inside", "peep under", "probe",
        "glance in", "glance into", "glance under", "glance inside", "frisk", "peer behind",
        "search around", "hunt through", "look on top of", "scour", "delve into", "see inside",
        "look round in", "look around in", "look around inside", "seek", "look out for",
    ),
    "inspect": (
        *(" ".join(words) for words in expand_phrases(
            "(look|peek|peer|glance|gaze|stare|squint|peep) (up|down|over|closely|carefully|hard|again|closer|) at"
        )),
        "examine", "x", "inspect", "read", "look at", "l at", "study", "check", "look upon",
        "check out", "watch", "view", "observe", "look closely at", "look over",
        "stare at", "gaze at", "admire", "describe", "look closer at", "look closely over",
        "peer at", "glance at", "smell", "listen to", "scrutinise", "scrutinize", "peruse", "scan",
        "skim", "skim through", "read through", "read over", "eye", "survey", "behold", "regard",
        "contemplate", "eyeball", "peek at", "peep at", "squint at", "glance over", "sniff",
        "look through", "appraise", "assess", "look hard at", "look carefully at", "ogle",
        "take a gander at", "re-read", "reread", "read out", "leaf through",
    ),
    "look": (
        "look", "l", "look around", "look about", "look here", "look round", "look all around", "take in",
        "glance around", "exits", "gaze around", "peer around", "look everywhere", "get my bearings",
        "have a gander", "look carefully around",
    ),
    "move": (
        "go", "walk", "head", "run", "enter", "travel", "step", "climb", "proceed",
        "exit", "leave", "go back", "visit", "cross", "get out", "get in", "stroll",
        "wander", "hurry", "rush", "sneak", "crawl", "walk back", "head back",
        "venture", "continue", "march", "dash", "race", "sprint", "jog", "tiptoe", "creep",
        "hike", "stride", "trudge", "saunter", "advance", "journey", "scurry", "amble",
        "make my way", "make your way", "make our way", "make way", "wend my way", "make for",
        "set off", "set out", "off", "i'm off", "am off", "off i go", "away i go", "here i go", "carry on",
        "keep going", "go on", "get over", "get over to", "make a move", "take a trip", "find my way",
        "take a walk", "take a stroll", "go for a walk", "go for a stroll", "march back", "run back",
        "get back", "step back", "come back", "return to", "follow", "climb up", "climb down",
        "descend", "ascend", "go up", "go down", "approach", "relocate", "flee", "escape", "bolt to",
        "nip", "pop out", "pop over", "pop in", "pop into", "pop down", "pop up", "pop round", "stomp",
        "stagger", "mosey", "strut", "shuffle", "scamper", "skip", "scuttle", "shamble", "stumble",
        "gallop", "trot", "hasten", "speed", "ramble", "roam", "drift", "glide", "slink", "prowl",
        "steal away", "pad", "plod", "waltz", "meander", "traipse", "hobble", "limp", "swagger",
        "zip", "bound", "charge", "tread", "retreat", "withdraw to", "navigate", "migrate", "trek",
        "hop", "mosey on", "come", "scram", "depart", "vacate", "backtrack", "betake myself",
        "take myself", "get myself", "get yourself", "bring myself", "slip away", "slip out",
        "slip into", "slip off", "turn back", "amble on", "press on", "carry on to", "pass through",
        "pass into", "pass to", "transfer myself", "walk on", "wade", "duck into", "duck out",
        "emerge into", "storm", "file out", "be off", "get going", "get moving",
    ),
    "wait": (
        "wait", "z", "rest", "pause", "do nothing", "sit still", "stay", "stay here", "linger",
        "stay put", "bide my time", "wait around", "hold still", "tarry",
        "pass the time", "pass a turn", "skip a turn", "stand by", "idle", "loiter", "remain here",
        "remain", "twiddle my thumbs",
    ),
    "speak": (
        "say", "shout", "whisper", "yell", "reply", "answer", "mutter", "murmur", "call",
        "call out", "cry", "scream", "announce", "tell", "exclaim", "inform",
    ),
    "ask": ("ask", "talk", "talk to", "talk with", "speak", "speak to", "speak with",
            "greet", "thank", "chat with", "chat to", "chat", "call to", "converse with", "question",
            "address", "interrogate", "consult", "have a word with", "have a chat with",
            "strike up a conversation with", "start a conversation with", "gossip with",
            "have a talk with", "talk things over with", "beg", "inquire of", "query"),
    "inventory": (
        "inventory", "inv", "i", "list my stuff", "list my things", "list my belongings", "open inventory",
        "open my inventory", "view inventory", "view my inventory", "show my inventory", "list inventory",
        "take inventory", "check my pockets", "check my bag", "look in my pockets", "check my things",
        "check my belongings", "examine inventory", "examine my inventory", "see my inventory",
        "show me my inventory", "show me what i have", "show me what i'm carrying", "show what i have",
        "check inventory", "check my inventory", "show inventory",
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
        "think", "feel", "love", "enjoy", "dislike", "prefer", "wish", "mean", "wonder", "hate", "like", "want", "need", "know", "believe",
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
SHORT_FORMS = {
    "dont": "don't", "cant": "can't", "wont": "won't", "didnt": "didn't", "doesnt": "doesn't",
    "isnt": "isn't", "arent": "aren't", "wasnt": "wasn't", "couldnt": "couldn't", "im": "i'm",
    "wouldnt": "wouldn't", "shouldnt": "shouldn't", "ive": "i've", "whats": "what's", "lets": "let's",
    "wheres": "where's", "whos": "who's", "hows": "how's", "thats": "that's", "theres": "there's",
    "youre": "you're", "youve": "you've", "theyre": "they're", "havent": "haven't", "itll": "it'll",
}  # fmt: skip
"""Short forms without their apostrophe."""
SHORT_BEFORE_VERB = {"ill": "i'll", "id": "i'd", "well": "we'll", "wed": "we'd"}
"""Words that are short forms only before a verb."""
OTHERS = frozenset({"he", "she", "they", "it", "he's", "she's", "they're", "it's", "it'll"})
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
    ("gulp", "down"): "eat",
    ("wolf", "down"): "eat",
    ("finish", "off"): "eat",
    ("polish", "off"): "eat",
    ("chug", "down"): "eat",
    ("scarf", "down"): "eat",
    ("blow", "out"): "use",
    ("put", "out"): "use",
    ("light", "up"): "use",
    ("power", "on"): "use",
    ("cast", "aside"): "drop",
    ("cast", "away"): "drop",
    ("throw", "aside"): "drop",
    ("toss", "aside"): "drop",
    ("fish", "out"): "take",
    ("pull", "out"): "take",
    ("dig", "out"): "take",
    ("lift", "out"): "take",
    ("bring", "along"): "take",
    ("take", "along"): "take",
    ("put", "on"): "deed",
    ("take", "off"): "deed",
}
"""Verbs whose second word may follow the object: "pick the key up"."""

_INTO = ("in", "into", "inside", "within", "in to", "inside of")
_ONTO = ("on", "onto", "upon", "on top of", "on to", "atop")
_OUT_OF = ("from", "out of", "off", "off of", "from inside", "from under", "from behind",
           "from on top of", "from within", "from inside of", "from the top of",
           "from the surface of", *_INTO, *_ONTO, "under", "behind")  # fmt: skip

MEANS = ("with", "using", "by using", "by means of", "via", "by", "thanks to")
"""Words before a tool."""
_WITH = dict.fromkeys(MEANS, "tool")
ROLES: dict[str, dict[str, str]] = {
    "take": dict.fromkeys((*_OUT_OF, "from in", "from on", "from off"), "source"),
    "put": dict.fromkeys((*_INTO, *_ONTO), "destination"),
    "give": {"to": "recipient"},
    "open": _WITH,
    "lock": _WITH,
    "unlock": _WITH,
    "use": _WITH,
    "search": {"for": "", "with": ""},
    "inspect": {"with": "", "for": ""},
}
"""The role that a preposition opens; an empty role is accepted and ignored."""
VERB_PARTICLES: dict[str, frozenset[str]] = {
    "take": frozenset({"up", "out", "down", "away", "back", "off", "along", "over"}),
    "drop": frozenset({"down", "away", "back", "aside", "off", "out"}),
    "put": frozenset({"down", "back", "away", "in", "up", "over"}),
    "give": frozenset({"over", "back", "away", "across", "up", "off"}),
    "open": frozenset({"up", "open", "back", "out"}),
    "close": frozenset({"up", "shut", "back", "over", "down"}),
    "lock": frozenset({"up", "back", "down"}),
    "unlock": frozenset({"up", "open", "back"}),
    "use": frozenset({"on", "off", "up", "down", "out"}),
    "eat": frozenset({"up", "down", "off"}),
    "inspect": frozenset({"over", "out", "through", "up", "around", "down"}),
    "search": frozenset({"through", "around", "over", "up", "down"}),
}
"""The particles that a verb may have without a change of meaning."""

PREPOSITIONS = (
    *_OUT_OF, "underneath", "beneath", "below", "above", "beside", "next to", "near",
    "close to", "by", "at", "to", "toward", "towards", "over", "across", "through",
    "against", "around", "round", "with", "using", "by using", "by means of", "without",
    "for", "about", "as", "like", "because", "between", "among", "along", "past",
    "in front of", "instead of", "in place of", "during", "than", "via", "from in",
    "from on", "from off", "out from", "out from under", "despite", "since", "unlike",
    "because of", "thanks to", "due to", "such as", "rather than", "in order to", "so as to",
    "from inside of", "from the top of", "from the surface of", "over in", "over on", "over at", "over by",
    "here in", "there in", "here on", "there on", "right in", "right on", "right at",
)  # fmt: skip
"""Words that begin a phrase of place, tool, person or purpose."""
THEREABOUTS = frozenset({"over", "here", "there", "right"})
"""Words before a preposition of place that change nothing."""
PARTICLES = frozenset({"up", "down", "out", "away", "back", "apart", "aside"})
"""Words that belong to the verb, wherever they follow it."""
PARTICLE_PREPOSITIONS = frozenset(
    {"on", "off", "in", "over", "through", "around", "along", "open", "shut", "across"}
)
"""Words that belong to the verb if nothing follows them."""
RELATIVES = tuple(
    " ".join(words)
    for words in expand_phrases(
        """
        (that|which) (is|are|was|lies|lie|sits|stands|rests|hangs|i see|you see|i can see|you can see)
        (that|which) (is|are|was) (lying|sitting|standing|located|resting|placed|kept|hanging|found)
        (that|which) (i|you) (can|could|will|) (see|find)
        (that|which) can be (found|seen)
        (that's|that's lying|that's sitting|that's standing|lying|standing|sitting|located|kept|hanging)
        (placed|resting|found|situated|stored|to be found|i see|you see|you can see|i can see|there is)
        """
    )
)
"""Words between a thing and its place that add nothing."""

USE_ON = ("on", "with", "to", "onto", "in", "into", "against", "at")
"""After "use X", "apply X", "try X": what follows is acted on, and X is the tool."""
TOOLED = frozenset({"open", "lock", "unlock", "use"})
"""The actions that are done with a tool."""
TOOL_VERBS = frozenset({"use", "apply", "try", "pour", "empty", "spread", "employ", "utilise", "utilize",
                        "make use of", "try out"})  # fmt: skip
UP_AND_DOWN = {"climb": "up", "climb up": "up", "climb down": "down", "go up": "up",
               "go down": "down", "descend": "down", "ascend": "up"}  # fmt: skip
"""The direction of climbing something that is not itself an exit."""

WAYS_OF_VERBS = {"exit": "out", "leave": "out", "get out": "out", "enter": "in", "get in": "in"}
"""The way that a verb means if no place is named."""
LEAVING_BY = frozenset({"through", "by", "via", "to", "for", "into", "towards", "toward"})
REMAINING = frozenset({"alone", "be", "where", "rest", "me", "in peace"})
"""“Leave it alone”, “leave it where it is”: nothing is to be done with it."""
NEARING = frozenset({"to", "over", "up", "toward", "towards"})
ENTERED = frozenset({"enter", "leave", "exit", "visit", "cross", "climb", "approach", "follow", "descend",
                     "ascend", "flee", "escape", "vacate", "navigate"})  # fmt: skip
"""Verbs of motion that take a place as their object."""
WALKING = frozenset({"run", "walk", "step", "head", "hurry", "rush", "sneak", "crawl", "march",
                     "dash", "race", "creep", "tiptoe", "stride", "jog", "sprint", "proceed",
                     "continue", "go"})  # fmt: skip
ON_FOOT = frozenset({"back", "straight", "right", "all", "directly", "over", "on", "out", "up",
                     "down", "away", "home", "along", "off", "the", "way", "my", "through"})  # fmt: skip
"""What may come before the last place of a way."""
WAYS = frozenset({"exit", "way", "door", "passage", "path", "doorway", "direction", "stairs",
                  "corridor", "road", "side", "route", "gate"})  # fmt: skip
"""Nouns for a way out: "the north exit"."""
LIFTING = frozenset({"lift", "raise"})
"""Verbs that take a thing that can be taken, and search under another."""
PULLING = frozenset({"pull", "draw", "drag"})
"""Verbs that take a thing out of another, and move it otherwise."""
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
    "westwards": "west", "southward": "south", "eastward": "east", "westward": "west",
    "northerly": "north", "southerly": "south", "easterly": "east", "westerly": "west",
    "upwards": "up", "downwards": "down", "upward": "up", "downward": "down",
    "outdoors": "out", "indoors": "in",
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
FLOOR = frozenset({"floor", "ground", "down", "here", "tiles", "floorboards", "flagstones", "earth",
                   "grass", "dirt"})  # fmt: skip
"""Putting a thing there drops it, unless something has that name."""
ALL = frozenset({"all", "everything", "all of it", "them all", "all of them",
                 "all things", "all items"})  # fmt: skip
DOOR_NOUNS = frozenset({"door", "gate", "hatch", "trapdoor", "doorway"})
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

GREETINGS = frozenset({"hello", "hi", "hey", "good", "thanks", "thank", "dear", "greetings", "bye"})
"""Words that begin a sentence to a person."""
SPEAKERS = frozenset({"i", "i'll", "i'm", "we", "we'll", "let's", "let"})
"""Words that begin a sentence about what the speaker does."""
RETRACTIONS = ("not", "no", "no wait", "wait no", "scratch that", "just kidding", "kidding", "jk",
               "cancel that", "forget it", "forget that", "never mind", "nevermind", "undo that",
               "said no one ever", "said nobody ever", "belay that", "on second thought no",
               "strike that", "i take that back", "psych", "sike", "just joking", "joking", "only joking",
               "only kidding", "i'm kidding", "i'm joking", "i was kidding", "gotcha", "as if", "ignore that",
               "disregard that", "cancel", "not", "no not really", "no thanks", "on second thoughts no", "not really", "or not")  # fmt: skip
"""Clauses that take back what was said before them."""
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
DUTIES = frozenset({("need", "to"), ("have", "to"), ("ought", "to"), ("had", "to"), ("got", "to")})
"""After "I" they state a duty, and ask for nothing."""
CONDITIONS = (
    "if", "when", "whenever", "unless", "once", "until", "till", "while", "whilst",
    "after", "before", "lest", "provided", "providing", "assuming", "suppose",
    "supposing", "whether", "otherwise", "in case", "as soon as", "as long as",
    "or else", "wherever", "whoever", "should you", "instead of", "the moment", "given",
    "in the event",
)  # fmt: skip
"""Words that make an action depend on something."""
OTHER_TIMES = (
    "next time", "every time", "each time", "next week", "next day", "tomorrow", "later",
    "someday", "one day", "some day", "soon", "eventually", "tonight", "yesterday", "not yet",
    "in the morning", "in the evening", "at night", "at dawn", "at noon", "not now",
)  # fmt: skip
"""Words that move an action to another time."""
NO_CONDITIONS = ("check if", "check whether", "see if", "see whether", "find out if", "find out whether","once more", "once again", "at once", "after that", "after this", "a while",
                 "right after", "for later", "after all")  # fmt: skip
"""Phrases in which one of `CONDITIONS` is no condition."""
EXCEPTIONS = (
    "but not", "but leave", "but keep", "but", "except for", "except", "excepting", "not",
    "excluding", "save for", "save", "besides", "apart from", "aside from", "other than",
    "minus", "bar", "barring", "with the exception of", "not counting", "not including", "leaving",
    "leaving out", "leaving behind", "leave only", "leave just", "leave", "keep", "keeping",
    "leaving only", "without", "just not", "only not", "but for", "sparing", "omitting", "but not for",
)  # fmt: skip
"""After "all", what follows one of these is excluded."""
KEEPING = frozenset({"leave", "leaving", "keep", "keeping", "without", "not"})
"""Exceptions only before the name of a thing."""
TOPIC_WORDS = frozenset({"about", "of", "regarding", "concerning", "for"})
"""Words between a person and what one talks to them about."""
ALL_WORDS = frozenset({"all", "everything", "every", "each", "anything", "whatever", "things", "items",
                       "objects", "stuff", "belongings", "possessions", "lot"})  # fmt: skip
"""Words for several things at once, of which some can be excluded."""
REMAINING_WORDS = frozenset({"alone", "be", "where", "it", "is", "they", "are", "behind", "there",
                             "though", "please", "out", "as", "in", "peace", "however", "untouched"})  # fmt: skip
"""What may follow a thing that is left where it is."""
LEAVING_OUT = frozenset({"except", "excepting", "excluding", "besides", "apart", "aside", "minus",
                         "barring", "exception"})  # fmt: skip
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
     "tongue", "leg", "legs", "elbow", "elbows", "heel", "heels", "lap", "toes", "back", "ankles", "palm", "palms", "thumb", "hug", "kiss", "break", "rest"}
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
    "turn to", "turn left", "turn right", "turn about", "turn on my heel", "turn toward", "turn towards", "turn around", "turn away", "breathe",
    "exhale", "inhale", "sit", "sit down", "sit back", "sit up", "sit on", "stand",
    "stand up", "stand still", "kneel", "crouch", "clap", "salute", "sob", "weep",
    "pout", "ponder", "hum", "snort", "scoff", "grimace", "squint", "fall silent",
)  # fmt: skip
"""Verbs that only express something, and change nothing."""
IDIOMS = frozenset(
    {"wait and see", "go on", "go for it", "take it easy", "take that", "give it up", "drop it in",
     "take it from me", "go to sleep", "go to bed", "go to hell", "go to work", "go to pieces",
     "go to waste", "go to town", "take it back", "keep it up", "give it a rest", "wait and hope",
     "go for broke", "go with the flow", "go all in", "get a life", "take it or leave it",
     "swallow hard"}
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
MANNER_OPENERS = frozenset({"with", "without", "in", "on", "out", "for", "by", "at", "from", "to"})
"""Words before a noun that says how or why something is done."""
GOING = frozenset({"go", "come", "run", "rush", "hurry", "head", "walk", "dash", "race"})
"""Verbs of motion that may stand before another verb: "go take the lamp"."""
PRELUDES = GOING | {"get", "reach", "bend", "lean", "stand", "sit", "turn", "stop", "kneel", "crouch",
                    "stoop", "pause", "try", "step", "jump", "wake", "hop", "squat", "stretch"}  # fmt: skip
"""Verbs that, with a particle and "and", only lead to the next."""
PRELUDE_PARTICLES = frozenset({"up", "over", "out", "down", "around", "round", "across", "along", "back",
                               "forward", "there", "here", "ahead", "on", "closer", "about",
                               "quickly"})  # fmt: skip
ALONG = frozenset({"over", "along", "ahead", "there", "here", "on", "across", "closer", "forward"})
ANNOUNCING = {("first", "stop"), ("next", "stop"), ("last", "stop")}
"""Before a verb they say only that it is next."""
UNMARKED_PASTS = frozenset(
    {"put", "set", "let", "cut", "shut", "hit", "read", "cast", "spread", "beat"}
)
"""Verbs whose past looks like their present."""
SECOND_THOUGHTS = {("on", "second", "thought"), ("on", "second", "thoughts"),
                   ("come", "to", "think")}  # fmt: skip
"""The first words of a clause in which the speaker thinks again."""
CORRECTING = frozenset({"actually", "sorry", "wait", "oops", "whoops", "no", "rather", "hmm", "er",
                        "erm", "uh", "um"})  # fmt: skip
"""Before a name or the same verb they take back what was said."""
CORRECTIONS = {("i", "mean"), ("i", "meant"), ("make", "that"), ("or", "rather"), ("no", "wait"),
               ("wait", "no"), ("i", "mean,"), ("that", "is,")}  # fmt: skip
"""The first words of a clause that corrects what was said."""
COPULAS = frozenset({"is", "are", "was", "am", "looks", "look", "seems", "feels", "smells", "sounds",
                     "has", "needs", "isn't", "would", "be", "gets", "tastes"})  # fmt: skip
FRONTED = frozenset({"with", "using", "by using", "by means of", "from", "out of", "off", "in", "on",
                     "inside", "within", "from inside", "to"})  # fmt: skip
"""Prepositions whose phrase may come before the verb."""
MERGED = {
    ("as", "well", "as"): "and",
    ("along", "with"): "and",
    ("together", "with"): "and",
    ("in", "addition", "to"): "and",
    ("nothing", "but"): "only",
    ("nothing", "except"): "only",
    ("but", "also"): "and",
    ("not", "only"): "also",
    ("not", "just"): "also",
    ("up", "and", "down"): "over",
}
"""Words that are read as one."""
AND = frozenset({"and", "&", "plus", "+"})
THEN = frozenset({"then", "afterwards", "but"})
NOT = frozenset({"don't", "dont", "not", "never", "won't", "can't", "cannot", "without",
                 "didn't", "no", "mustn't", "shouldn't", "couldn't", "wouldn't", "needn't",
                 "doesn't", "isn't", "aren't", "neither", "nor", "should"})  # fmt: skip
"""A clause with one of these asks for nothing."""
REFUSING = NOT | {"stop", "do", "it", "that", "wait", "yet", "so", "hold", "on", "actually", "oh"}
"""Words of a clause that only refuses: "no, stop"."""

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


PAST_VERBS = frozenset(
    ["ate", "became", "began", "bent", "blew", "bought", "brought", "broke", "built", "came", "caught", "chose", "did", "drank", "drew", "drove", "dreamt", "fell", "felt", "found", "flew", "forgot", "fought", "froze", "gave", "got", "grew", "had", "heard", "held", "hid", "hung", "kept", "knew", "laid", "leant", "lent", "lit", "lost", "made", "meant", "met", "paid", "ran", "rang", "rode", "rose", "said", "sang", "sat", "saw", "sent", "shook", "shot", "slept", "slid", "spent", "spoke", "stood", "stole", "struck", "stuck", "swam", "swung", "thought", "threw", "told", "took", "tore", "understood", "was", "went", "were", "woke", "won", "wore", "wrote"]
)  # fmt: skip
"""The past of irregular verbs, where it is not the present of another."""
PRESENT_IN_ED = frozenset({"shed", "shred", "embed", "wed", "sled"})
"""Verbs that end like a past and are none."""
REPORT_ADVERBS = frozenset({"already", "just", "also", "then", "so", "quickly", "once", "never"})
"""Words before a verb that do not change whether it is a command."""
UNASKED_OPENINGS = {
    "hypothesis": frozenset(
        ["maybe", "perhaps", "possibly", "probably", "suppose", "supposing", "imagine", "pretend"]
    ) | {"i would", "i might", "i may", "i could", "i'd have", "i doubt", "i believe"},
    "wish": frozenset({"i wish", "i hope", "i dream", "i long", "i want the", "if only"}),
    "report": frozenset(["he", "she", "they", "he's", "she's", "they're", "it's", "everybody", "everyone", "nobody", "someone"])
    | {"i have", "i've", "i remember", "i recall", "it was", "it is"},
}  # fmt: skip
"""The words that open a sentence that asks for nothing; "we" counts as "I"."""
