"""Texts of one language: taken apart, and made into grounds."""

import re
from collections.abc import Iterator
from types import ModuleType

from saniwa.agent.translate.truth import tokens_en, tokens_ja
from saniwa.agent.translate.truth.facts import Facts
from saniwa.agent.translate.truth.ground import Ground
from saniwa.agent.translate.truth.parts import Telling, taken_apart
from saniwa.agent.translate.truth.statements import YOU, Statement, Token, statements
from saniwa.agent.translate.truth.words import en, ja

_KANA = re.compile("^[ぁ-ゟ]+$")


class Reader:
    """Reads texts as whoever is told a turn can understand them."""

    def __init__(self, facts: Facts) -> None:
        """A reader in the language of the world."""
        self._facts = facts
        self._japanese = facts.after.language == "ja"
        self.words: ModuleType = ja if self._japanese else en
        self._met: frozenset[str] = frozenset()
        if self._japanese:
            self._met = frozenset(self._unlisted())

    def statements(self, telling: Telling) -> Iterator[Statement]:
        """What a narration says."""
        for said in statements(self._tokens(telling)):
            text = said.text.replace(" ", "") if self._japanese else said.text
            yield said._replace(text=text)

    def as_told(self, text: str, *, tells: bool) -> Iterator[Ground]:
        """A ground for each statement of a text."""
        for said in self.statements(taken_apart(text, self._facts)):
            ground = self._ground(said, tells=tells)
            yield ground
            if not said.marks:
                yield self._seen(ground)

    def stems(self, text: str) -> frozenset[str]:
        """The words of a text that need a ground."""
        tokens = self._tokens(taken_apart(text, self._facts))
        return frozenset(t.word for t in tokens if t.kind == "word")

    def _ground(self, said: Statement, *, tells: bool) -> Ground:
        # How things are now is for the worlds to say, and for the plain narrator.
        lasting = frozenset[str]() if tells else self._lasting
        return Ground(
            words=said.words - lasting,
            things=frozenset().union(*said.names, *said.its),
            needs=(said.words - {YOU}) if tells else frozenset(),
            actor=min(said.first, default=""),
            named=bool(said.first),
            marks=said.marks,
            whole=said.marks > 0,
            least=0 if tells else min(2, len(said.words - lasting) + len(said.names)),
            tells=tells,
        )

    def _seen(self, ground: Ground) -> Ground:
        """The same, as something the viewer sees or hears."""
        return ground._replace(
            words=ground.words - self._lasting | {YOU},
            needs=self.words.PERCEPTION,
            actor=YOU,
            least=1,
            tells=False,
        )

    @property
    def _lasting(self) -> frozenset[str]:
        words = self.words
        how: frozenset[str] = words.OPEN | words.CLOSED | words.LOCKED | words.UNLOCKED
        held: frozenset[str] = words.HELD
        return how | held

    def _tokens(self, telling: Telling) -> list[Token]:
        low, mentions = telling.low, telling.mentions
        if self._japanese:
            return list(tokens_ja.tokens(low, mentions, self._facts, self._met))
        return list(tokens_en.tokens(low, mentions, self._facts))

    def _unlisted(self) -> Iterator[str]:
        """Words of what the viewer has met that are in no table."""
        for text in (self._facts.plain, *self._facts.descriptions, self._facts.labels):
            run = ""
            for token in self._tokens(taken_apart(text, self._facts)):
                if token.kind == "word" and _KANA.match(token.word):
                    run += token.word
                    continue
                yield from [run] if len(run) > 1 else []
                run = ""
                if token.kind == "word":
                    yield token.word
