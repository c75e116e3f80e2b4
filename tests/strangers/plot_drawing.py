"""Random plots: the features of a story, and everything in it, from one number."""

from collections.abc import Callable
from random import Random  # noqa: TID251 - seeded: the same seed draws the same plot

from tests.strangers.drawn_words import DrawnWords
from tests.strangers.expressions import Worth
from tests.strangers.plot import (
    Block,
    Plot,
    PlotAssignment,
    PlotCall,
    PlotChoice,
    PlotCondition,
    PlotEnd,
    PlotJump,
    PlotLabel,
    PlotOption,
    PlotReturn,
    PlotSection,
    Statement,
)

FEATURES = (
    "bare tests", "calls", "chosen", "conditions", "decimals", "deeper", "fallbacks",
    "falls", "inline", "labels", "leaving calls", "nested text", "once", "paragraphs",
    "parts", "signs", "speakers", "tags", "texts", "truths", "turns", "varied options",
    "visits", "whens",
)  # fmt: skip
"""What a story may have; each feature is in two of three stories."""
_DEEPEST = 2
_Draw = Callable[[int, str, bool], Block]


def draw_plot(seed: int) -> Plot:
    """The plot of a seed."""
    chance = Random(seed)
    features = {each for each in FEATURES if chance.random() < 2 / 3}
    return _PlotDrawing(chance, features).draw_plot()


class _PlotDrawing:
    def __init__(self, chance: Random, features: set[str]) -> None:
        self._chance, self._features = chance, features
        self._main = self._draw_names("knot", chance.randint(1, 4), "parts")
        self._called = self._draw_names("aside", chance.randint(1, 2), "")
        if "calls" not in features:
            self._called = []
        self._marks: dict[bool, list[str]] = {False: [], True: []}
        self._options = 0
        self._words = DrawnWords(chance, features)

    def draw_plot(self) -> Plot:
        for name, _ in (*self._main, *self._called):
            self._words.labels.append(name)
        sections = [self._draw_section(*each, called=False) for each in self._main]
        sections += (self._draw_section(*each, called=True) for each in self._called)
        return Plot(self._words.variables, tuple(sections))

    def _draw_names(self, stem: str, count: int, feature: str) -> list[tuple[str, str]]:
        """Names of sections, each with the section that contains it."""
        named = []
        for nth in range(count):
            named.append((f"{stem}_{nth}", ""))
            if feature in self._features and self._chance.random() < 0.4:
                named.append((f"{stem}_{nth}_part", f"{stem}_{nth}"))
        return named

    def _draw_section(self, name: str, within: str, *, called: bool) -> PlotSection:
        # A line that always has text, so that no loop is silent.
        block = (self._words.draw_line(sure=True), *self._draw_block(0, name, called))
        return PlotSection(name, (*block, self._draw_tail(name, called)), within)

    def _draw_tail(self, name: str, called: bool) -> Statement:
        falls = "falls" in self._features and self._chance.random() < 0.5
        if called:
            # It may continue in another called part, which stays inside the call.
            return self._draw_jump(True) if self._chance.random() < 0.2 else PlotReturn(falls)
        names = [each for each, _ in self._main]
        following = names[names.index(name) + 1 :]
        # Inside a call the end of a section returns, and does not lead to the next one.
        if falls and following and "leaving calls" not in self._features:
            return PlotJump(following[0], falls=True)
        return self._draw_jump(False) if self._chance.random() < 0.8 else PlotEnd()

    def _draw_jump(self, called: bool) -> PlotJump:
        if called and "leaving calls" in self._features and self._chance.random() < 0.3:
            called = False
        names = [name for name, _ in (self._called if called else self._main)]
        return PlotJump(self._chance.choice((*names, *self._marks[called])))

    def _draw_block(self, depth: int, name: str, called: bool) -> Block:
        """Some statements; more can follow the last."""
        made: list[Statement] = []
        for _ in range(self._chance.randint(1, 4 - depth)):
            drawn = self._chance.choice(self._list_drawers(depth))(depth, name, called)
            # Without anything between them, two lists of choices would be one.
            both = (*made[-1:], *drawn[:1])
            if len(both) == 2 and all(isinstance(each, PlotChoice) for each in both):
                made.append(self._words.draw_line())
            made += drawn
        return tuple(made)

    def _list_drawers(self, depth: int) -> list[_Draw]:
        drawers: list[_Draw] = [self._draw_line, self._draw_line, self._put]
        if depth == 0 or ("deeper" in self._features and depth < _DEEPEST):
            drawers += [self._draw_choice, self._draw_choice]
        if "whens" in self._features:
            drawers.append(self._draw_when)
        if self._called:
            drawers.append(self._call)
        if "labels" in self._features:
            drawers.append(self._mark)
        return drawers

    def _draw_line(self, *_: object) -> Block:
        return (self._words.draw_line(),)

    def _put(self, *_: object) -> Block:
        name, how, worth = self._words.draw_change()
        return (PlotAssignment(name, how, worth),)

    def _call(self, _: int, name: str, called: bool) -> Block:
        # A called part calls only later ones, so that no call is ever inside itself.
        names = [each for each, _ in self._called if not called or each > name]
        return (PlotCall(self._chance.choice(names)),) if names else ()

    def _mark(self, _: int, name: str, called: bool) -> Block:
        marks = self._marks[called]
        label = f"mark_{name}_{len(marks)}"
        marks.append(label)
        self._words.labels.append(label)
        return PlotLabel(label), self._words.draw_line(sure=True)

    def _draw_when(self, depth: int, name: str, called: bool) -> Block:
        tests: list[Worth | None] = [self._words.draw_condition()]
        if self._chance.random() < 0.3:
            tests.append(self._words.draw_condition())
        if self._chance.random() < 0.5:
            tests.append(None)
        return (PlotCondition(tuple((t, self._draw_case(depth, name, called)) for t in tests)),)

    def _draw_case(self, depth: int, name: str, called: bool) -> Block:
        """The statements of a case, without choices: ink reads one there as part of another."""
        drawers: list[_Draw] = [self._draw_line, self._put]
        if depth <= _DEEPEST:
            drawers += (self._draw_when, self._call)
        made: list[Statement] = []
        for _ in range(self._chance.randint(1, 2)):
            made += self._chance.choice(drawers)(depth + 1, name, called)
        leaving = self._chance.random() < 0.2
        return (*(made or self._draw_line()), *((self._draw_jump(called),) if leaving else ()))

    def _draw_choice(self, depth: int, name: str, called: bool) -> Block:
        count = self._chance.randint(1, 3)
        options = [self._draw_option(depth, name, called) for _ in range(count)]
        if "fallbacks" in self._features and self._chance.random() < 0.4:
            options.append(self._draw_option(depth, name, called, fallback=True))
        return (PlotChoice(tuple(options)),)

    def _draw_option(
        self, depth: int, name: str, called: bool, fallback: bool = False
    ) -> PlotOption:
        chance = self._chance
        once = "once" in self._features and chance.random() < 0.5
        tested = "conditions" in self._features and chance.random() < 0.4
        onward: PlotJump | PlotCall | None = None
        if chance.random() < 0.3:
            onward = self._draw_jump(called)
        elif self._called and not called and chance.random() < 0.3:
            onward = PlotCall(chance.choice([each for each, _ in self._called]))
        return PlotOption(
            text=() if fallback else self._words.draw_option(varied=not (once or tested)),
            once=once,
            test=self._words.draw_condition() if tested else None,
            name=self._draw_option_name(),
            tags=() if fallback else self._words.draw_tags(),
            fallback=fallback,
            arm=self._draw_block(depth + 1, name, called) if chance.random() < 0.8 else (),
            onward=onward,
        )

    def _draw_option_name(self) -> str:
        if "chosen" not in self._features or self._chance.random() < 0.5:
            return ""
        self._options += 1
        name = f"option_{self._options}"
        self._words.options.append(name)
        return name
