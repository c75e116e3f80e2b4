"""English words a narration may use in any world: they name nothing one could take."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


DETERMINERS: Final = _words("""
the a an this that these those your my his her its their our some any no another each
every both several many few two three four five six seven eight nine ten all half
""")
PREPOSITIONS: Final = _words("""
in on at of with from into onto under beneath behind beside near by through across along
above below between among inside outside around past toward towards upon against within
without for over beyond off about
""")
SIGHT: Final = _words("""
see sees saw find finds found notice notices noticed spot spots spotted discover discovers
discovered glimpse hear hears heard smell smells hold holds holding carry carries carrying
grab grabs clutch clutches reveal reveals contain contains are
""")
"""Verbs behind which a bare noun may stand."""
LYING: Final = _words("""
lie lies lay stand stands stood sit sits sat rest rests rested wait waits hang hangs hung
lean leans rise rises float floats glint glints gleam gleams are is
""")
"""Verbs behind which, after a place, stands what is there: inside lie …, nearby sits …"""
NOTICING: Final = _words("""
find finds found notice notices noticed spot spots spotted discover discovers discovered
""")
"""What changes nothing: only eyes are at work."""
GESTURES: Final = _words("""
reach reaches reached reaching kneel kneels knelt bend bends bent lean leans leaned stoop
stoops crouch crouches stretch stretches extend extends
""")
"""What hands and knees do before a deed, and is none."""
HOURS: Final = _words("""
morning noon afternoon evening night midnight dawn dusk daylight sunlight moonlight sunset
sunrise nightfall
""")
"""Words for an hour; where the story has one, no other is told."""
SMALL: Final = (
    DETERMINERS
    | PREPOSITIONS
    | _words("""
and or nor but so yet if then than as while until when where who whom whose which what why
how to not is am are was were be been being do does did done has have had having can could
will would shall should may might must it he she they you i we us me him them there here
now still just only even also too very quite again back away up down out yourself himself
herself itself themselves one ones none nobody nothing something someone somebody everything
everyone anything anyone already almost never ever always once soon before after since
because though although however instead perhaps else isn't aren't wasn't weren't don't
doesn't didn't can't cannot couldn't won't wouldn't hasn't haven't hadn't it's you're you've
he's she's they're that's there's let lets
""")
)
"""Words that open, join or end phrases and name nothing."""
HARMLESS: Final = _words("""
air attention arm arms attempt back bit blink breath breathing bottom care chance chest-height
click clatter clink clunk cold colour color corner course creak dark darkness deed delay
detail direction distance dust ear ears edge effect effort end everything eye eyes
face feel feeling feet finger fingers fingertip fingertips first fist floor foot front
gaze glance glint good grip groan ground grunt half hand hands head heart heat hello
hint hold hour idea inch inside instant journey kind last latch-less left length less lid life
light little location look lot luck mind minute moment mood mouth move movement murmur
name nearby need nod noise nothing notice one other others outside pace palm palms
part patience pause pile piece place plan point pocket position presence
purpose question quiet reach reason rest result return right room rush scene scent scrape
second sense shadow shadows shape share shift shoulder shoulders shrug side sigh sight sign
silence silhouette sky smell smile soft somewhere sort sound space spot stance start state
step steps stillness stop strength stretch surface surprise surroundings task thing
things thought thoughts thud time top touch trace try turn use vain view voice wait warmth
way ways weight while whisper whole will wind word words work world wrist yes breeze
contents welcome wonder
resistance hesitation ease luck relief satisfaction curiosity certainty difficulty use
middle beginning understanding agreement greeting answer reply comment
bite taste sip mouthful behalf sake mood matter matters fact case fashion manner order
full far long longer more most much same such new old next own low high near clear
""")
"""Nouns, and words that stand for nouns, which promise nothing that could be looked for."""
DOOR_PARTS: Final = _words("door lock keyhole hinge handle latch")
"""What may be told of where there is a door or a chest."""
QUALITIES: Final = _words("""
carefully slowly quietly gently suddenly meanwhile cool warm heavy small large big tiny great
bright dim dull sharp smooth rough sturdy solid firm firmly steady faint loud silent calm
empty dusty rusty worn old ancient plain simple quick quickly tight loose familiar strange
beautiful lovely pretty fine nice gloomy damp dry wet broad narrow wide tall short deep
modest bare neat neatly delicious stubborn stubbornly patient gentle open closed shut locked unlocked ajar alone together
ahead onward below above sure ready able unable aware afraid glad tired proud safe welcome finally nearby overhead
underfoot please sorry perhaps maybe well hello goodbye thanks thank yes no
""")
"""Words that only colour; a sentence may begin with one."""
ADVERBIAL: Final = _words("""
vain last once first least most good sure long now here there all least both fast far part
""")
"""What may follow a preposition and is no thing: at last, in vain."""
DENIALS: Final = _words("""
not no never nothing nobody none cannot can't couldn't won't wouldn't don't doesn't didn't
isn't aren't wasn't weren't without fail fails failed refuse refuses refused try tries tried
attempt attempts attempted would could might may should if unless before want wants wanted
wish wishes hope hopes impossible unable resist resists resisted hardly barely vain stuck
cannot nor neither stops stopped prevents useless pointless nowhere
rather instead however must need needs consider considers think imagine almost nearly yet
""")
"""A clause with one of these does not say that a deed was done."""
NEGATIONS: Final = _words("""
not never no isn't aren't wasn't weren't doesn't don't didn't longer neither nor hardly
""")
RUIN: Final = _words("""
breaks broke shatters shattered crumbles crumbled vanishes vanished disappears disappeared
melts melted burns burned burnt explodes exploded dies died dead kills killed collapses
collapsed dissolves dissolved bursts destroyed destroys bleeds wounded faints fainted
flees fled attacks attacked transforms transformed multiplies evaporates wakes awakens
teleports flies flew levitates crying weeping weeps wept asleep sleeping snores snaps snapped splits cracks cracked tears torn bends
""")
"""What the world would have to know of."""
GONE: Final = _words("vanishes vanished disappears disappeared melts melted")
"""What may be told of something that was eaten."""
PAST: Final = {
    "took": "take", "taken": "take", "picked": "pick", "grabbed": "grab", "opened": "open",
    "unlocked": "unlock", "locked": "lock", "closed": "close", "dropped": "drop",
    "gave": "give", "given": "give", "handed": "hand", "ate": "eat", "eaten": "eat",
    "drank": "drink", "went": "go", "gone": "go", "walked": "walk", "entered": "enter",
    "placed": "place", "used": "use", "searched": "search", "stole": "steal", "left": "leave",
    "stepped": "step", "climbed": "climb", "passed": "pass", "seized": "seize",
    "snatched": "snatch", "swallowed": "swallow", "tossed": "toss", "threw": "throw",
    "returned": "return", "pulled": "pull", "pushed": "push", "turned": "turn",
    "slammed": "slam", "bolted": "bolt", "collected": "collect", "put": "put", "set": "set",
    "pocket": "take", "pockets": "take", "pocketed": "take", "consumed": "consume",
}  # fmt: skip
"""Forms the phrase parser does not hear, since nobody asks for the past."""
TAKING: Final = (
    "lift out", "lifts out", "lifted out", "pull out", "pulls out", "pulled out", "draw out",
    "draws out", "drew out", "fish out", "fishes out", "bring out", "fetch out", "pluck",
    "plucks", "plucked", "scoop up", "scoops up",
)  # fmt: skip
"""Words for taking that the phrase parser knows by others."""
REFUSALS: Final = _words("""
refuse refuses refused reject rejects rejected decline declines declined fail fails failed
unable cannot can't couldn't
""")
"""Words for what came to nothing."""
WATCHING: Final = _words("""
watch watches watched watching look looks looked glance glances glanced gaze gazes stare
stares eye eyes regard regards stand stands stood sit sits sat lean leans wait waits waited
nod nods nodded smile smiles smiled pretend pretends keep keeps is are was has had have holds
hold seem seems remain remains stay stays see sees notice notices follow follows leave
leaves left accept accepts accepted receive receives and with in on at by near beside behind
""")
"""What somebody else may do in sight of a thing without laying a hand on it."""
GOAL: Final = (
    "end of this story", "end of the story", "you have won", "you've won", "you win", "you won",
    "victory", "well done", "congratulations", "the end", "quest is complete", "happily ever",
    "your journey ends", "you have reached your goal", "story is over", "story ends",
)  # fmt: skip
SPEECH: Final = _words("""
says said tells told asks asked whispers whispered shouts shouted replies replied answers
answered calls called mutters muttered murmurs murmured yells yelled announces announced
explains explained speaks spoke talks talked sings sang cries cried promises promised warns warned say tell whisper shout
""")
COMINGS: Final = _words("""
leaves left departs departed enters entered arrives arrived follows followed exits returns
returned trots trails scampers marches strides ambles shuffles tags skips flees leave depart enter arrive follow flee goes went walks walked runs ran hurries wanders strolls comes came
""")
"""Verbs of people who come or go."""
GREETING: Final = _words("greets greeted greet welcomes welcomed")
"""Speech of people; warmth greets one without a word."""
TEMPTING: Final = _words("""
dragon dragons wolf wolves bear bears lion lions snake snakes spider spiders rat rats mouse
mice bat bats bird birds raven ravens crow crows owl owls cat cats dog dogs horse horses goat
children child man men woman women boy girl king queen prince princess knight knights guard
guards soldier soldiers wizard witch ghost ghosts demon demons monster monsters goblin goblins
troll skeleton skeletons corpse bones blood sword swords dagger knife axe shield armor armour
gold silver jewel jewels gem gems treasure treasures coins crown chain chains rope ladder torch
torches lantern lanterns candle candles scroll book books letter letters map maps potion bottle
castle tower cave cavern dungeon forest river mountain mountains village tunnel trapdoor
rain rains raining snow snows snowing pigeon pigeons
player narrator narration prompt instruction instructions assistant dialogue
bridge ship spell magic curse poison fire flames smoke storm thunder lightning
""")
"""Nouns that models like to add; wherever they stand, told only where they are."""
