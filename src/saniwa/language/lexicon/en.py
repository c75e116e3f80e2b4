"""English input: the words of `en.yaml`, which says what each table is for."""

import re

from saniwa.language.lexicon.tables import LexiconFile, split_phrases

_FILE = LexiconFile("en")

VERBS = _FILE.read_groups("verbs")
DEED_HINTS = _FILE.read_pairs("deed_hints")
ASKED_ABOUT = frozenset(_FILE.read_phrases("asked_about"))
SHORT_FORMS = _FILE.read_pairs("short_forms")
SHORT_BEFORE_VERB = _FILE.read_pairs("short_before_verb")
OTHERS = _FILE.read_words("others")
SPLIT_VERBS = {
    tuple(words.split()): kind for words, kind in _FILE.read_pairs("split_verbs").items()
}
_INTO = _FILE.read_phrases("into")
_ONTO = _FILE.read_phrases("onto")
MEANS = _FILE.read_phrases("means")
_OUT_OF = (*_FILE.read_phrases("out_of"), *_INTO, *_ONTO)
PREPOSITIONS = (*_OUT_OF, *_FILE.read_phrases("other_prepositions"))
VERB_PARTICLES = {
    kind: frozenset(words) for kind, words in _FILE.read_groups("verb_particles").items()
}
THEREABOUTS = _FILE.read_words("thereabouts")
PARTICLES = _FILE.read_words("particles")
PARTICLE_PREPOSITIONS = _FILE.read_words("particle_prepositions")
RELATIVES = _FILE.read_phrases("relatives")
USE_ON = _FILE.read_phrases("use_on")
TOOLED = _FILE.read_words("tooled")
TOOL_VERBS = frozenset(_FILE.read_phrases("tool_verbs"))
UP_AND_DOWN = _FILE.read_pairs("up_and_down")
WAYS_OF_VERBS = _FILE.read_pairs("ways_of_verbs")
LEAVING_BY = _FILE.read_words("leaving_by")
REMAINING = frozenset(_FILE.read_phrases("remaining"))
NEARING = _FILE.read_words("nearing")
ENTERED = _FILE.read_words("entered")
ON_FOOT = _FILE.read_words("on_foot")
WAYS = _FILE.read_words("ways")
LIFTING = _FILE.read_words("lifting")
PULLING = _FILE.read_words("pulling")
RESTING = _FILE.read_words("resting")
TO_PLACE = _FILE.read_phrases("to_place")
DIRECTIONS = _FILE.read_pairs("directions")
OUT = frozenset(_FILE.read_phrases("out"))
BACK = frozenset(_FILE.read_phrases("back"))
ARTICLES = _FILE.read_phrases("articles")
MINE = _FILE.read_phrases("mine")
THINGS = frozenset(_FILE.read_phrases("things"))
PEOPLE = _FILE.read_words("people")
SELF = _FILE.read_words("self")
HERE = frozenset(_FILE.read_phrases("here"))
FLOOR = _FILE.read_words("floor")
ALL = frozenset(_FILE.read_phrases("all"))
DOOR_NOUNS = _FILE.read_words("door_nouns")
DOORS = _FILE.read_words("doors")
ONE = _FILE.read_words("one")
ORDINALS = {word: int(number) for word, number in _FILE.read_pairs("ordinals").items()}
WHERE_IN = _FILE.read_phrases("where_in")
GREETINGS = _FILE.read_words("greetings")
SPEAKERS = _FILE.read_words("speakers")
RETRACTIONS = _FILE.read_phrases("retractions")
CALLS = _FILE.read_words("calls")
COURTEOUS_MODALS = _FILE.read_words("courteous_modals")
ASKING_MODALS = _FILE.read_words("asking_modals")
QUESTION_WORDS = _FILE.read_words("question_words")
QUESTION_VERBS = _FILE.read_words("question_verbs")
QUESTION_SUBJECTS = _FILE.read_words("question_subjects")
STATING_MODALS = _FILE.read_words("stating_modals")
DUTIES = _FILE.read_sequences("duties")
CONDITIONS = _FILE.read_phrases("conditions")
OTHER_TIMES = _FILE.read_phrases("other_times")
NO_CONDITIONS = _FILE.read_phrases("no_conditions")
EXCEPTIONS = _FILE.read_phrases("exceptions")
KEEPING = _FILE.read_words("keeping")
TOPIC_WORDS = _FILE.read_words("topic_words")
ALL_WORDS = _FILE.read_words("all_words")
REMAINING_WORDS = _FILE.read_words("remaining_words")
LEAVING_OUT = _FILE.read_words("leaving_out")
CHOICES = _FILE.read_words("choices")
BODY = _FILE.read_words("body")
BODY_PARTICIPLES = _FILE.read_words("body_participles")
BODY_STATES = _FILE.read_words("body_states")
BODY_OWNERS = _FILE.read_words("body_owners")
GESTURES = _FILE.read_phrases("gestures")
IDIOMS = frozenset(_FILE.read_phrases("idioms"))
NARRATED_GESTURES = frozenset(_FILE.read_phrases("narrated_gestures"))
GAZING = frozenset(_FILE.read_phrases("gazing"))
EXAMINING = frozenset(_FILE.read_phrases("examining"))
CLOSELY = _FILE.read_words("closely")
WAITING_FOR = _FILE.read_words("waiting_for")
CLIMBED = _FILE.read_words("climbed")
CLIMBABLE = _FILE.read_words("climbable")
WAY_ADJECTIVES = _FILE.read_words("way_adjectives")
MANNER_OPENERS = _FILE.read_words("manner_openers")
GOING = _FILE.read_words("going")
PRELUDES = GOING | _FILE.read_words("leading")
PRELUDE_PARTICLES = _FILE.read_words("prelude_particles")
ALONG = _FILE.read_words("along")
ANNOUNCING = _FILE.read_sequences("announcing")
UNMARKED_PASTS = _FILE.read_words("unmarked_pasts")
SECOND_THOUGHTS = _FILE.read_sequences("second_thoughts")
CORRECTING = _FILE.read_words("correcting")
CORRECTIONS = _FILE.read_sequences("corrections")
COPULAS = _FILE.read_words("copulas")
FRONTED = frozenset(_FILE.read_phrases("fronted"))
MERGED = {tuple(words.split()): kind for words, kind in _FILE.read_pairs("merged").items()}
AND = _FILE.read_words("and")
THEN = _FILE.read_words("then")
NOT = _FILE.read_words("not")
REFUSING = NOT | _FILE.read_words("halting")
CRAFTED_WITH = _FILE.read_pairs("crafted_with")
PAST_VERBS = _FILE.read_words("past_verbs")
PRESENT_IN_ED = _FILE.read_words("present_in_ed")
REPORT_ADVERBS = _FILE.read_words("report_adverbs")
UNASKED_OPENINGS = {
    kind: frozenset(words) for kind, words in _FILE.read_groups("unasked_openings").items()
}
ADVERBS = _FILE.read_words("adverbs")
INTENSIFIERS = _FILE.read_words("intensifiers")
ADVERBIALS = _FILE.read_sequences("adverbials")
MANNER_NOUNS = _FILE.read_words("manner_nouns")
HANDS = _FILE.read_words("hands")
EXPLETIVES = _FILE.read_words("expletives")
STATE_ADJECTIVES = _FILE.read_words("state_adjectives")
ABSTRACT = _FILE.read_words("abstract")
PARTS = _FILE.read_words("parts")
OPENED_PARTS = _FILE.read_words("opened_parts")
USED_PARTS = _FILE.read_words("used_parts")
NUMBERS = {word: int(number) for word, number in _FILE.read_pairs("numbers").items()}
VAGUE = _FILE.read_words("vague")
FILLERS = _FILE.read_sequences("fillers")
DONE = _FILE.read_sequences("done")
INTENTIONS = _FILE.read_sequences("intentions")
EFFORTS = _FILE.read_sequences("efforts")
SUBJECTS = _FILE.read_sequences("subjects")
GERUND_OPENINGS = _FILE.read_sequences("gerund_openings")
STATIVE = _FILE.read_words("stative")
VOCATIVES = _FILE.read_sequences("vocatives")
CLOSINGS = _FILE.read_sequences("closings")
WISHES = _FILE.read_sequences("wishes")
CHECKS = _FILE.read_sequences("checks")
HAVING = _FILE.read_sequences("having")
ARRIVING = _FILE.read_sequences("arriving")
BEING = _FILE.read_sequences("being")
STATE_VERBS = _FILE.read_pairs("state_verbs")
HOST_COMMANDS = {
    command: split_phrases(phrases)
    for command, phrases in _FILE.read_groups("host_commands").items()
}
IN_HAND = _FILE.read_sequences("in_hand")
QUESTION_FEATURES = _FILE.read_groups("question_features")
QUESTION_SHORT = _FILE.read_pairs("question_short")
QUESTION_ENDINGS = _FILE.read_pairs("question_endings")
QUESTION_BEFORE_ASKING = _FILE.read_words("question_before_asking")
QUESTION_ANY = _FILE.read_words("question_any")
QUESTION_FILLERS = _FILE.read_words("question_fillers")
QUESTION_TELLING = _FILE.read_words("question_telling")
QUESTION_EXPLAINING = _FILE.read_words("question_explaining")
QUESTION_KNOWING = _FILE.read_words("question_knowing")
QUESTION_UNKNOWING = _FILE.read_words("question_unknowing")
QUESTION_KNOWERS = _FILE.read_words("question_knowers")
QUESTION_KNOWABLE = _FILE.read_words("question_knowable")
QUESTION_NO_NOUNS = _FILE.read_words("question_no_nouns")
QUESTION_ENDS_NOUN = _FILE.read_words("question_ends_noun")
QUESTION_BEFORE_DEED = _FILE.read_words("question_before_deed")
QUESTION_NO_SEEKERS = _FILE.read_words("question_no_seekers")
QUESTION_HELP_VERBS = _FILE.read_words("question_help_verbs")

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


_END = (r"done|did|do|finish(?:ed)?|complete[d]?|accomplish(?:ed)?|manage[d]?|got|get|through|over"
        r"|handled|settled|sorted|pulled|taken care of|out of the way")  # fmt: skip
SEQUENCE = re.compile(
    r"(?:once|when|after|as soon as|if(?= you c)|now that) (?:you|i|we|that|this|it|you're|we're|i'm|you've|i've"
    r"|we've|that's|it's|this is)(?: (?:have|has been|can|are|is|was|could|get|were able to|all)){0,2}"
    rf" (?:{_END})(?: (?:with )?(?:that|this|it|so|them)(?: off)?)?(?= |$)"
    r"|(?:once|when|after) (?:you|i|we) get (?:around|round) to (?:doing )?(?:that|this|it)(?= |$)"
)
"""“Once you have done that”: what was asked before comes first, and nothing else."""


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
