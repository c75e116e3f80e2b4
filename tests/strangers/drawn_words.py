"""Random words, values and conditions."""

from random import Random  # noqa: TID251 - seeded: the same seed draws the same words
from typing import Literal

from tests.strangers.expressions import Worth
from tests.strangers.plot import Part, PlotEither, PlotLine, PlotSign, PlotTurns, PlotValue, Text

_WORDS = (
    "rain", "lamp", "bridge", "the tide", "nobody", "a bell", "twice", "home.",
    "雨", "橋の上", "“soon”", "3 boats", "half-lit", "it's late", "no!", "…",
)  # fmt: skip
_ASKED = ("why?", "at 12:30", *_WORDS)
"""Within braces, ink gives a question mark a meaning, and both formats give one to a colon."""
_PEOPLE = ("Ben", "Mara", "Old_Tam", "ハル")
_TAGS = ("soft", "loud", "aside")
_NAMES = ("Ito", "Ann", "ユキ", "")
_SIGNS = ("{", "}", "[", "]", "#", "|", "->", "//", "<>", "~", "*", "+", "1.", ":::")
_DEEPEST = 2


class DrawnWords:
    """What a story can mention, which grows while the story is drawn."""

    def __init__(self, chance: Random, features: set[str]) -> None:
        self._chance, self._features = chance, features
        self.labels: list[str] = []
        """Labels whose visits a condition can use."""
        self.options: list[str] = []
        """Options that a condition can use."""
        self.variables: dict[str, float | bool | str] = {"n": 0, "m": 3}
        """Variables and their first values."""
        if "decimals" in features:
            self.variables["level"] = 0.5
        if "truths" in features:
            self.variables["met"] = False
        if "texts" in features:
            self.variables["name"] = "Ann"

    def draw_line(self, *, sure: bool = False) -> PlotLine:
        """A line; a narrator's line may turn out empty unless `sure`."""
        chance = self._chance
        speaker, tags = "", self.draw_tags()
        if "speakers" in self._features and chance.random() < 0.5:
            speaker = chance.choice(_PEOPLE)
        if not (speaker or tags or sure) and chance.random() < 0.2:
            return PlotLine((self._draw_part(0),))
        # Tags belong to a whole paragraph, but in ink to a line.
        lines = 0 if tags or "paragraphs" not in self._features else chance.choice((0, 0, 1, 2))
        more = tuple(self._draw_further_line() for _ in range(lines))
        return PlotLine((self._draw_plain(), *self._draw_rest()), speaker, tags, more)

    def draw_tags(self) -> tuple[str, ...]:
        """Some tags, or none."""
        if "tags" not in self._features or self._chance.random() < 0.6:
            return ()
        return tuple(self._chance.sample(_TAGS, self._chance.randint(1, 2)))

    def draw_option(self, *, varied: bool) -> Text:
        """The text of an option, which may vary if the option is always shown."""
        text: Text = (self._chance.choice(("Go", "Stay", "Ask", "待つ", "Look up")),)
        if self._chance.random() < 0.3:
            text = (*text, " ", PlotValue(self._draw_number()))
        if varied and "varied options" in self._features and self._chance.random() < 0.3:
            text = (*text, " ", self._draw_turns(_DEEPEST))
        return text

    def draw_change(self) -> tuple[str, Literal["=", "+=", "-="], Worth]:
        """A variable, and how it changes."""
        chance, name = self._chance, self._chance.choice(tuple(self.variables))
        first = self.variables[name]
        if isinstance(first, bool):
            return name, "=", self.draw_condition()
        if isinstance(first, str):
            return (name, chance.choice(("=", "=", "+=")), ("text", chance.choice(_NAMES)))
        if name == "level":
            step: Worth = ("number", chance.choice((0.5, 0.25, 1.5)))
            return name, chance.choice(("+=", "-=")), step
        if chance.random() < 0.3:
            return name, "=", ("number", chance.randint(0, 9))
        if chance.random() < 0.3:
            # Of counts only: a variable computed from itself grows without bound.
            return name, "=", ("of", chance.choice("+-*"), self._draw_count(), self._draw_count())
        return name, chance.choice(("+=", "-=")), ("number", chance.randint(1, 3))

    def draw_condition(self, depth: int = 0) -> Worth:
        """A condition."""
        chance = self._chance
        if depth < _DEEPEST and chance.random() < 0.3:
            sign = chance.choice(("and", "or"))
            return "of", sign, self.draw_condition(depth + 1), self.draw_condition(depth + 1)
        if depth < _DEEPEST and chance.random() < 0.15:
            return "not", self.draw_condition(depth + 1)
        if "met" in self.variables and chance.random() < 0.3:
            return "name", "met"
        if "bare tests" in self._features and chance.random() < 0.2:
            return chance.choice((self._draw_count(), ("name", chance.choice(("n", "m")))))
        if "name" in self.variables and chance.random() < 0.2:
            named: Worth = ("text", chance.choice(_NAMES))
            return "of", chance.choice(("==", "!=")), ("name", "name"), named
        sign = chance.choice(("==", "!=", "<", "<=", ">", ">="))
        return "of", sign, self._draw_number(), ("number", chance.randint(0, 4))

    def _draw_number(self, depth: int = 0) -> Worth:
        """A numeric expression, whole unless the story has decimals."""
        chance = self._chance
        if depth < _DEEPEST and chance.random() < 0.25:
            sign = chance.choice(("+", "-", "*"))
            return "of", sign, self._draw_number(depth + 1), self._draw_number(depth + 1)
        kinds: list[Worth] = [("name", "n"), ("name", "m"), self._draw_count(), self._draw_count()]
        if "level" in self.variables:
            kinds.append(("name", "level"))
        # Counts are never negative, where the two formats disagree about remainders.
        kinds.append(("of", "%", self._draw_count(), ("number", 3)))
        # An exact quotient is a whole number in both.
        doubled: Worth = ("of", "*", chance.choice(kinds[:3]), ("number", 2))
        kinds.append(("of", "/", doubled, ("number", 2)))
        worth = chance.choice(kinds)
        return ("less", worth) if chance.random() < 0.05 else worth

    def _draw_count(self) -> Worth:
        kinds: list[Worth] = [("number", self._chance.randint(0, 3))]
        if "visits" in self._features:
            kinds += [("visits", self._chance.choice(self.labels))] * 2
        if self.options:
            kinds += [("chosen", self._chance.choice(self.options))] * 2
        return self._chance.choice(kinds)

    def _draw_plain(self, words: tuple[str, ...] = _ASKED) -> str:
        return " ".join(self._chance.choices(words, k=self._chance.randint(1, 3)))

    def _draw_further_line(self) -> Text:
        """A further line of a paragraph, which may turn out empty."""
        if self._chance.random() < 0.4:
            return (self._draw_part(0),)
        return (self._draw_plain(), *self._draw_rest())

    def _draw_rest(self) -> Text:
        """What may follow in a line."""
        if self._chance.random() < 0.5:
            return ()
        return (" ", self._draw_part(0), " ", self._draw_plain())

    def _draw_part(self, depth: int) -> Part:
        if "signs" in self._features and self._chance.random() < 0.2:
            return PlotSign(self._chance.choice(_SIGNS))
        return self._draw_varied(depth)

    def _draw_varied(self, depth: int) -> PlotValue | PlotEither | PlotTurns:
        chance = self._chance
        if "turns" in self._features and chance.random() < 0.5:
            return self._draw_turns(depth)
        if "inline" in self._features and chance.random() < 0.6:
            no = self._draw_inner(depth) if chance.random() < 0.5 else ()
            test = self.draw_condition()
            if "name" in self.variables and chance.random() < 0.1:
                # A text alone only: in ink it cannot be a side of `and`, `or` or `not`.
                test = ("name", "name")
            return PlotEither(test, self._draw_inner(depth), no)
        if "name" in self.variables and chance.random() < 0.3:
            added: Worth = ("text", "!")
            if chance.random() < 0.5:
                added = self._draw_number()
            return PlotValue(("of", "+", ("name", "name"), added))
        if chance.random() < 0.2:
            return PlotValue(self.draw_condition())
        return PlotValue(self._draw_number())

    def _draw_turns(self, depth: int) -> PlotTurns:
        kind: Literal["", "&", "!"] = self._chance.choice(("", "&", "!"))
        count = self._chance.randint(2, 3)
        return PlotTurns(kind, tuple(self._draw_inner(depth) for _ in range(count)))

    def _draw_inner(self, depth: int) -> Text:
        nested = "nested text" in self._features and depth < _DEEPEST
        if nested and self._chance.random() < 0.3:
            return self._draw_plain(_WORDS), " ", self._draw_part(depth + 1)
        return (self._draw_plain(_WORDS),)
