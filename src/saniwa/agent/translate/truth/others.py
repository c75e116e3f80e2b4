"""What others are said to do to things: whoever had no part in the turn only looks on."""

from collections.abc import Iterator

from saniwa.agent.translate.truth.denial import denied, words_in
from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.parts import Clause, Telling, meant
from saniwa.agent.translate.truth.words import en
from saniwa.turn.trace import Flag
from saniwa.world.model import Id


def untrue_doings(telling: Telling, facts: Facts) -> Iterator[Flag]:
    """A flag for each person who is said to handle something and did nothing."""
    if facts.after.language == "ja":
        return
    for clause in telling.clauses:
        who = _doer(clause, facts)
        if who is None or clause.so or denied(clause.text, "en"):
            continue
        if who not in facts.took_part and _handles(clause, facts):
            yield Flag(
                kind="contradiction",
                words=clause.text.strip()[:80],
                message=f"{who!r} did nothing",
            )


def _doer(clause: Clause, facts: Facts) -> Id | None:
    """The person the clause begins with, if that is somebody else than the viewer."""
    for mention in clause.mentions[:1]:
        who = meant(mention, facts)
        before = words_in(clause.text[: mention.start])
        other = who is not None and who.id != facts.viewer
        if who is not None and other and mention.person and before in ([], ["the"]):
            return who.id
    return None


def _handles(clause: Clause, facts: Facts) -> bool:
    first, *others = clause.mentions
    behind = words_in(clause.text[first.end :])
    verbs = [word for word in behind if not word.endswith("ly")][:1]
    things = [m for m in others if meant(m, facts) is not None and not m.person]
    return bool(things and verbs) and en.WATCHING.isdisjoint(verbs)
