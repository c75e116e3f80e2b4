"""Plots by chance: which features a story has, and everything in it, from one number."""

from collections.abc import Callable
from random import Random  # noqa: TID251 - seeded: the same seed draws the same plot

from tests.strangers.drawn_words import Words
from tests.strangers.plot import (
    Back,
    Block,
    Call,
    Choice,
    End,
    Jump,
    Mark,
    Option,
    Plot,
    Put,
    Section,
    Statement,
    When,
)
from tests.strangers.worth import Worth

FEATURES = (
    "bare tests", "calls", "chosen", "conditions", "decimals", "deeper", "fallbacks",
    "falls", "inline", "labels", "leaving calls", "nested text", "once", "paragraphs",
    "parts", "signs", "speakers", "tags", "texts", "truths", "turns", "varied options",
    "visits", "whens",
)  # fmt: skip
"""What a story may have; each is there in two of three stories."""
_DEEPEST = 2
_Draw = Callable[[int, str, bool], Block]


def drawn(seed: int) -> Plot:
    """The plot of a seed."""
    chance = Random(seed)
    features = {each for each in FEATURES if chance.random() < 2 / 3}
    return _Drawing(chance, features).plot()


class _Drawing:
    def __init__(self, chance: Random, features: set[str]) -> None:
        self._chance, self._features = chance, features
        self._main = self._named("knot", chance.randint(1, 4), "parts")
        self._called = self._named("aside", chance.randint(1, 2), "")
        if "calls" not in features:
            self._called = []
        self._marks: dict[bool, list[str]] = {False: [], True: []}
        self._options = 0
        self._words = Words(chance, features)

    def plot(self) -> Plot:
        for name, _ in (*self._main, *self._called):
            self._words.labels.append(name)
        sections = [self._section(*each, called=False) for each in self._main]
        sections += (self._section(*each, called=True) for each in self._called)
        return Plot(self._words.variables, tuple(sections))

    def _named(self, stem: str, count: int, feature: str) -> list[tuple[str, str]]:
        """Names of sections, and what each is within."""
        named = []
        for nth in range(count):
            named.append((f"{stem}_{nth}", ""))
            if feature in self._features and self._chance.random() < 0.4:
                named.append((f"{stem}_{nth}_part", f"{stem}_{nth}"))
        return named

    def _section(self, name: str, within: str, *, called: bool) -> Section:
        # A line that is told, whatever is true: no circle may be silent.
        block = (self._words.line(sure=True), *self._block(0, name, called))
        return Section(name, (*block, self._tail(name, called)), within)

    def _tail(self, name: str, called: bool) -> Statement:
        falls = "falls" in self._features and self._chance.random() < 0.5
        if called:
            # Another called part may go on for this one; it stays inside the call.
            return self._jump(True) if self._chance.random() < 0.2 else Back(falls)
        names = [each for each, _ in self._main]
        following = names[names.index(name) + 1 :]
        # Inside a call the end of a section is the way back, and not the way on.
        if falls and following and "leaving calls" not in self._features:
            return Jump(following[0], falls=True)
        return self._jump(False) if self._chance.random() < 0.8 else End()

    def _jump(self, called: bool) -> Jump:
        if called and "leaving calls" in self._features and self._chance.random() < 0.3:
            called = False
        names = [name for name, _ in (self._called if called else self._main)]
        return Jump(self._chance.choice((*names, *self._marks[called])))

    def _block(self, depth: int, name: str, called: bool) -> Block:
        """Some statements; none of them the last."""
        made: list[Statement] = []
        for _ in range(self._chance.randint(1, 4 - depth)):
            drawn = self._chance.choice(self._drawers(depth))(depth, name, called)
            # With nothing between them two lists are one.
            both = (*made[-1:], *drawn[:1])
            if len(both) == 2 and all(isinstance(each, Choice) for each in both):
                made.append(self._words.line())
            made += drawn
        return tuple(made)

    def _drawers(self, depth: int) -> list[_Draw]:
        drawers: list[_Draw] = [self._line, self._line, self._put]
        if depth == 0 or ("deeper" in self._features and depth < _DEEPEST):
            drawers += [self._choice, self._choice]
        if "whens" in self._features:
            drawers.append(self._when)
        if self._called:
            drawers.append(self._call)
        if "labels" in self._features:
            drawers.append(self._mark)
        return drawers

    def _line(self, *_: object) -> Block:
        return (self._words.line(),)

    def _put(self, *_: object) -> Block:
        name, how, worth = self._words.change()
        return (Put(name, how, worth),)

    def _call(self, _: int, name: str, called: bool) -> Block:
        # Downwards only among called parts, so that no call is ever inside itself.
        names = [each for each, _ in self._called if not called or each > name]
        return (Call(self._chance.choice(names)),) if names else ()

    def _mark(self, _: int, name: str, called: bool) -> Block:
        marks = self._marks[called]
        label = f"mark_{name}_{len(marks)}"
        marks.append(label)
        self._words.labels.append(label)
        return Mark(label), self._words.line(sure=True)

    def _when(self, depth: int, name: str, called: bool) -> Block:
        tests: list[Worth | None] = [self._words.test()]
        if self._chance.random() < 0.3:
            tests.append(self._words.test())
        if self._chance.random() < 0.5:
            tests.append(None)
        return (When(tuple((t, self._case(depth, name, called)) for t in tests)),)

    def _case(self, depth: int, name: str, called: bool) -> Block:
        """What may stand in a case: ink takes a choice in one for a part of another."""
        drawers: list[_Draw] = [self._line, self._put]
        if depth <= _DEEPEST:
            drawers += (self._when, self._call)
        made: list[Statement] = []
        for _ in range(self._chance.randint(1, 2)):
            made += self._chance.choice(drawers)(depth + 1, name, called)
        leaving = self._chance.random() < 0.2
        return (*(made or self._line()), *((self._jump(called),) if leaving else ()))

    def _choice(self, depth: int, name: str, called: bool) -> Block:
        count = self._chance.randint(1, 3)
        options = [self._option(depth, name, called) for _ in range(count)]
        if "fallbacks" in self._features and self._chance.random() < 0.4:
            options.append(self._option(depth, name, called, fallback=True))
        return (Choice(tuple(options)),)

    def _option(self, depth: int, name: str, called: bool, fallback: bool = False) -> Option:
        chance = self._chance
        once = "once" in self._features and chance.random() < 0.5
        tested = "conditions" in self._features and chance.random() < 0.4
        onward: Jump | Call | None = None
        if chance.random() < 0.3:
            onward = self._jump(called)
        elif self._called and not called and chance.random() < 0.3:
            onward = Call(chance.choice([each for each, _ in self._called]))
        return Option(
            text=() if fallback else self._words.option(varied=not (once or tested)),
            once=once,
            test=self._words.test() if tested else None,
            name=self._option_name(),
            tags=() if fallback else self._words.tags(),
            fallback=fallback,
            arm=self._block(depth + 1, name, called) if chance.random() < 0.8 else (),
            onward=onward,
        )

    def _option_name(self) -> str:
        if "chosen" not in self._features or self._chance.random() < 0.5:
            return ""
        self._options += 1
        name = f"option_{self._options}"
        self._words.options.append(name)
        return name
