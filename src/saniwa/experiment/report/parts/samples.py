"""A few turns as they were: said, refused, guided, repaired, kept."""

from collections.abc import Iterator

from saniwa.experiment.layout import (
    ARTIFACTS,
    attempt_name,
    folder_name,
    parsed_name,
    raw_name,
    repaired_name,
)
from saniwa.experiment.outcome import Intent
from saniwa.experiment.report.blocks import (
    Aside,
    Badge,
    Block,
    Bullets,
    Card,
    Heading,
    Line,
    Link,
    Name,
    Paragraph,
    Tone,
    Verbatim,
    Words,
    words,
)
from saniwa.experiment.report.material import Material
from saniwa.experiment.report.sampling.choice import MOST
from saniwa.experiment.report.sampling.kind import KINDS
from saniwa.experiment.report.sampling.sample import LONGEST, Sample, Tried
from saniwa.experiment.telling.card import GIVE_UP

_BAD = ("stands", "given_up", "invented")
_GOOD = ("mended", "sorry", "repaired", "kept")


def samples(material: Material) -> tuple[Block, ...]:
    """The chosen turns, a card each."""
    cards = (_card(nth, each) for nth, each in enumerate(material.gathered.samples, 1))
    about = (
        f"At most {MOST}, chosen without chance: the first of each kind, of each code and "
        f"of each condition. Answers are cut at {LONGEST} letters; the files have all."
    )
    return (Heading("Turns as they were", "turns"), Paragraph(words(about)), *cards)


def _card(nth: int, sample: Sample) -> Card:
    title: Line = (
        Name(sample.condition),
        Words(f" · {sample.scenario} · seed {sample.seed} · turn {sample.turn + 1} · "),
        Words(f"{sample.speaker} "),
        *(Badge(KINDS[kind], _tone(kind)) for kind in sample.kinds),
    )
    tries = [block for n, each in enumerate(sample.tried) for block in _tried(n, each)]
    return Card(f"sample-{nth}", title, (*tries, *_kept(sample)))


def _tone(kind: str) -> Tone:
    return "bad" if kind in _BAD else "good" if kind in _GOOD else "plain"


def _tried(number: int, tried: Tried) -> Iterator[Block]:
    said = "Said" if number == 0 else f"Said at retry {number}"
    yield Verbatim(said, tried.raw)
    if tried.repaired:
        yield Verbatim(f"Repaired ({tried.method})", tried.repaired)
    if tried.intents:
        yield Bullets(tuple(_judged(tried)))
    if tried.question:
        yield Paragraph((Badge("unclear"), Words(f" {tried.question}")))
    if tried.card and not tried.card.startswith(GIVE_UP):
        yield Verbatim("Guided: the card that came back", tried.card, folded=True)


def _judged(tried: Tried) -> Iterator[Line]:
    yield from map(_intent, tried.intents)
    if tried.more_intents:
        yield words(f"and {tried.more_intents} more")


def _intent(each: Intent) -> Line:
    meant = " ".join(part for part in (each.intent, each.target or each.detail) if part)
    if each.allowed:
        return Badge("allowed", "good"), Words(f" {meant}")
    return (
        Badge("refused", "bad"),
        Words(f" {meant}: "),
        Name(each.deny_code),
        Aside(f" {each.message}"),
    )


def _kept(sample: Sample) -> Iterator[Block]:
    what = "Given up; the speech alone stands" if sample.give_up else "Kept"
    heard = f"; {sample.addressing} cannot hear it" if sample.addressing else ""
    yield Paragraph(
        (
            Badge(what, "bad" if sample.give_up else "plain"),
            Words(f" “{sample.speech}”"),
            Aside(f" stall score {sample.stall:.3f}{heard}"),
        )
    )
    folder = f"{ARTIFACTS}/{folder_name(sample.key)}"
    links: list[Link | Words] = [Words("Files: ")]
    for name in _files(sample):
        links += [Link(name, f"{folder}/{name}"), Words(" ")]
    yield Paragraph(tuple(links[:-1]))


def _files(sample: Sample) -> Iterator[str]:
    for attempt in range(len(sample.tried) - 1):
        yield attempt_name(sample.turn, attempt)
    yield raw_name(sample.turn)
    if sample.repaired:
        yield repaired_name(sample.turn)
    yield parsed_name(sample.turn)
