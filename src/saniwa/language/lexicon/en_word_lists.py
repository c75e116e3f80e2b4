"""English input: closed lists of words that accompany an action or are no thing.

Adverbs and manners change nothing and are accepted. What abstract nouns, parts of the
body and parts of things name cannot be taken, dropped or given.
"""


def _list_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _list_phrases(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(line.split()) for line in text.split(",") if line.strip())


ADVERBS = _list_words(
    """
    again already also anew anyway apprehensively absently abruptly actually awkwardly angrily
    anxiously attentively basically boldly bravely briefly briskly brusquely calmly carefully
    casually cautiously certainly cheerfully clearly closely clumsily completely confidently
    coolly courageously curiously daintily deftly delicately deliberately desperately
    determinedly diligently discreetly dutifully eagerly easily effortlessly elegantly
    enthusiastically even everywhere excitedly exactly fast fearlessly finally firmly fully
    fondly forcefully frantically furtively gently giddily gingerly gladly gleefully
    gracefully gratefully greedily grimly grudgingly guiltily happily hard hastily haughtily
    heartily heavily hesitantly honestly hopefully hungrily hurriedly idly immediately
    impatiently indeed innocently instantly intently jokingly joyfully joyously just kindly
    lazily leisurely lightly loudly lovingly meekly merrily methodically meticulously
    mournfully nervously neatly nimbly noiselessly noisily nonchalantly now obediently
    obviously openly patiently playfully politely promptly properly proudly quick quickly
    quietly rapidly readily really reluctantly resolutely respectfully reverently roughly
    rudely sadly safely secretly shyly silently simply slowly slyly smoothly sneakily softly
    solemnly speedily stealthily steadily sternly straight straightaway stubbornly suddenly
    surreptitiously surely swiftly tenderly tentatively thankfully then thoroughly
    thoughtfully tightly timidly tiredly together too totally triumphantly unceremoniously
    uneasily unhesitatingly urgently vigorously warily warmly wearily well wholeheartedly
    wide willingly wisely yet therefore thus twice-over lastly firstly secondly
    """
)
"""Adverbs that change nothing about an action."""
ADVERB_ENDINGS = (
    "fully", "lessly", "ously", "ively", "ically", "edly", "ingly", "ently", "antly", "ately",
    "ably", "ibly", "ily", "ishly", "somely", "ally", "estly", "uptly", "ietly", "irely", "utely",
    "isely", "itely", "ernly", "arely", "ionly", "oughly", "eaply", "ewly", "adly", "ardly",
    "arkly", "enly", "erly", "imly", "orly", "ostly", "amely", "anely", "eely", "inely", "ashly",
    "ushly", "actly", "ectly", "ightly", "ickly",
)  # fmt: skip
"""How an adverb ends; “zorbly” may be anything."""
NO_MANNER = _list_words(
    """
    only early family belly bully jelly lily holly reply apply supply rely ally rally tally ugly lonely
    lovely friendly elderly curly woolly wooly hourly daily weekly monthly yearly silly jolly assembly
    butterfly fly dolly trolley italy homily monopoly anomaly gully filly tilly sally molly polly billy
    nearly almost hardly barely scarcely partly partially previously formerly recently lately usually
    normally generally typically regularly frequently occasionally rarely eventually possibly probably
    hypothetically theoretically supposedly allegedly apparently seemingly mentally virtually
    figuratively metaphorically initially originally ideally evidently presumably potentially
    ordinarily habitually customarily traditionally repeatedly vaguely conceivably imaginarily
    merely exclusively solely earlier nightly seldomly separately respectively multiply comply
    """
)
"""Words in -ly that are no manner, or make more than an action of the sentence."""
INTENSIFIERS = _list_words(
    "very quite so too really extremely most super pretty ever more less fairly rather"
)
"""Words that may precede an adverb."""
ADVERBIALS = _list_phrases(
    """
    right now, right away, as well, over there, over here, at once, for me, for us, for now,
    for myself, with me, once more, once again, one more time, again please, for a moment,
    for a while, for a bit, a bit, a little, a little bit, a while, if you please, if you would,
    as fast as i can, as quickly as possible, as quietly as possible, as quickly as i can,
    as quietly as i can, as carefully as i can, as carefully as possible, of course, by hand,
    by myself, on my own, all by myself, in silence, in a hurry, in haste, in peace, in secret,
    in one go, in one gulp, in one bite, in one swift motion, in passing, on tiptoe, on foot,
    at last, first thing, here, there, myself, please, pls, plz, from here, from there,
    and carefully, and quietly, and slowly, like so, step by step, this time, as usual,
    in front of me, in here, in this place, near me, next to me, beside me, around here, nearby, close by, will you,
    would you, thanks, thank you, thx, dear, the whole way, all the way, with that
    """
)
"""Adverbs and courtesies of several words, and words for where one is."""
MANNER_NOUNS = _list_words(
    """
    smile grin smirk frown sigh laugh chuckle giggle wink nod shrug bow groan grunt gasp care
    caution ease effort difficulty hesitation haste hurry speed delight joy relish pleasure
    pride reluctance determination enthusiasm gusto patience force strength vigour vigor
    clatter thud bang crash click clink noise sound word flourish gesture look glance tear
    tears movement motion swoop stroke fashion manner breath hurry rush gratitude respect anger sadness curiosity interest confidence courage fervour
    fervor abandon appetite gulp shudder shiver start jerk tug yank heave hesitating thinking
    looking delay ado precision grace dignity noise fuss warning reservation gentleness thanks
    """
)
"""How something is done, after "with", "without" or "in"."""
HANDS = _list_words("hand hands finger fingers fist fists arm arms thumb palm palms teeth mouth")
"""What everybody does things with."""
EXPLETIVES = _list_words(
    """
    damn damned bloody stupid blasted goddamn freaking frigging fucking darn darned silly
    wretched ruddy effing flipping bleeding dumb whole entire very same actual
    """
)
"""Adjectives that say nothing about a thing."""
STATE_ADJECTIVES = _list_words("locked closed shut unlocked open opened")
"""Adjectives of a thing that change with its state."""
ABSTRACT = _list_words(
    """
    account act advantage advice aim alarm amends argument attempt attitude battle blame
    blessing bother challenge chance chances change charge chase circumstances comfort
    complaint concern conclusion conclusions condolences control conversation courage
    credit crime damage deal decision defeat demand detour difference difficulty doubt
    dream dreams effect effort end error escape example excuse experience fact fault fight
    fit freedom fun fuss future gamble glory goal goodbye grief grip guess habit hassle
    heed help hike hint holiday hope idea imagination impression influence initiative
    insight instructions interest job joke journey judgment justice lead leap lesson
    lessons liberty life liking limelight love luck measures mind minute mistake mood
    oath offence offense opinion opportunity option pains pardon peace plan plans pleasure
    plunge point pose position potential power precaution precautions pressure pride
    priority privilege problem promise pulse reason refuge regards relief revenge rise risk
    risks rule scene secret sense shape sight silence soul speech stab subject talk tantrum
    task taste thanks thought thoughts time times toll tour trip trouble truth try tumble
    turn turns umbrage use vacation vengeance view vow war warning way ways whirl will wish
    word words worry years negotiations strategy feelings apologies company cake
    """
)
"""Nouns that name no thing if nothing in the world has that name."""
PARTS = _list_words(
    """
    lid lids cover top bottom side sides back front edge edges corner corners handle handles
    knob knobs switch button lever dial wick shade glass leg legs foot feet arm arms door
    doors drawer drawers hinge hinges latch lock locks keyhole clasp buckle strap string rope
    rim base stem stalk core skin peel crust crumb crumbs slice piece pieces bit bite half
    part parts rest remains writing text words word inscription label title carving carvings
    engraving picture page pages cover seal stamp ink letters lettering rib ribs spoke blade
    tip point end ends tail head eye eyes neck spout lip chain cork stopper surface inside
    outside interior exterior contents middle centre center colour color smell taste weight
    shape size pattern currant currants seed seeds pip pips leaf leaves petal petals thorn
    thorns bow bowl frame pane panes sill ledge leather fabric lining pocket pockets sleeve
    button buttons shard chip chips crack dust dirt mud stain rust paint drop drops mouthful
    sip spoonful handful pinch scrap shred copy photo image shadow reflection owner maker
    """
)
"""What things are made of or have on them; a part is not the thing."""
OPENED_PARTS = _list_words(
    "lid lids cover top door doors drawer drawers latch hatch flap lock locks"
)
"""Parts by which a thing is opened, closed or locked."""
USED_PARTS = _list_words("switch button knob lever dial wick handle crank")
"""Parts by which a thing is used."""
NUMBERS: dict[str, int] = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "both": 2, "couple": 2,
}  # fmt: skip
VAGUE = _list_words(
    """
    something anything some-thing several few many some most more less enough nothing none
    neither either whatever whichever whatnot stuff anyone someone anybody somebody somewhere
    anywhere elsewhere nowhere twice thrice
    """
)
"""Words that do not say which, or how many."""
