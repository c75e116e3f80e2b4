"""One story in each notation: ink, Saniwa's Markdown, a Ren'Py script.

A ring of knots without an end, so that any number of lines can be shown. Every knot tells,
counts, varies what it says and offers three ways on. Both texts say the same lines for
the same choices; `benchmarks.tell` checks that before anything is measured. The script is
only linted.
"""

from typing import NamedTuple

_BESIDE_TALK = 11
"""Lines of ink that one knot takes besides its talk."""
TALK = 20
"""Lines of talk between two choices in a story as most are written."""
DENSE = 5
"""Lines of talk between two choices in a story that asks at every turn."""
_PEOPLE = ("Ben", "Mara", "Ito", "Old_Tam")
_THINGS = ("lamp", "bridge", "tide", "ferry", "bell", "letter", "kiln")


class StoryPair(NamedTuple):
    """The same story in every notation."""

    ink: str
    """For inkjs and bink."""
    markdown: str
    """For us."""
    renpy: str
    """For Ren'Py."""


def make_ring(lines: int, talk: int = TALK) -> StoryPair:
    """A story of about so many lines of ink, with so much talk between two choices."""
    count = max(2, lines // (talk + _BESIDE_TALK))
    knots = [_make_knot(number, count, talk) for number in range(count)]
    ink = "VAR trust = 0\nVAR met = 0\n-> knot_0\n" + "".join(k.ink for k in knots)
    front = "---\nid: ring\nvars: {trust: 0, met: 0}\n---\n# Ring\n\n[on](#knot_0)\n\n"
    cast = "".join(f'define {who.lower()} = Character("{who}")\n' for who in _PEOPLE)
    script = f"default trust = 0\ndefault met = 0\n{cast}label start:\n    jump knot_0\n"
    return StoryPair(
        ink,
        front + "".join(knot.markdown for knot in knots),
        script + "".join(knot.renpy for knot in knots),
    )


def _make_knot(number: int, count: int, talk: int) -> StoryPair:
    following = (number + 1) % count
    who = _PEOPLE[number % len(_PEOPLE)]
    thing = _THINGS[number % len(_THINGS)]
    other = (number * 7 + 3) % count
    plain = [_write_line(number, nth, who, thing) for nth in range(talk)]
    varied = f"{{met > {number % 9}: {who} nods to you.|{who} looks past you.}}"
    told = f"You have asked {{trust}} times by now, at door {number}."
    ink = [
        f"=== knot_{number}",
        *plain,
        "~ met += 1",
        varied,
        told,
        f"+ [Ask about the {thing}]",
        f"  {who}: It will last the night.",
        "  ~ trust += 1",
        "+ {trust > 2} [Say nothing]",
        f"+ [Turn off the street] -> knot_{other}",
        "- The rain goes on.",
        f"-> knot_{following}",
    ]
    markdown = [
        f"## knot_{number}",
        *plain,
        "[SET met += 1]",
        varied,
        told,
        f"- Ask about the {thing}\n  {who}: It will last the night.\n  [SET trust += 1]",
        "- Say nothing {if trust > 2}\n  [EVENT name=silence]",
        f"- [Turn off the street](#knot_{other})",
        "The rain goes on.",
        f"[on](#knot_{following})",
    ]
    renpy = [
        f"label knot_{number}:",
        *(f"    {_render_statement(line)}" for line in plain),
        "    $ met += 1",
        f"    if met > {number % 9}:",
        f'        "{who} nods to you."',
        "    else:",
        f'        "{who} looks past you."',
        f'    "You have asked [trust] times by now, at door {number}."',
        "    menu:",
        f'        "Ask about the {thing}":',
        f'            {who.lower()} "It will last the night."',
        "            $ trust += 1",
        '        "Say nothing" if trust > 2:',
        "            pass",
        '        "Turn off the street":',
        f"            jump knot_{other}",
        '    "The rain goes on."',
        f"    jump knot_{following}",
    ]
    return StoryPair("\n".join(ink) + "\n", _join_elements(markdown), "\n".join(renpy) + "\n")


def _render_statement(line: str) -> str:
    """A line of talk as a Ren'Py statement."""
    who, speaks, words = line.partition(": ")
    return f'{who.lower()} "{words}"' if speaks else f'"{line}"'


def _write_line(number: int, nth: int, who: str, thing: str) -> str:
    """One line of a knot's talk; no two lines of a story are the same."""
    at = number * 100 + nth
    told = (
        f"Rain falls on street {at}, and nobody hurries.",
        f"{who}: The {thing} of house {at} is older than the street.",
        f"{who}: I counted the steps to it once. There were {at + 11}.",
        f"A shutter bangs somewhere behind number {at}.",
        f"{who}: You get used to that, {at} nights out of {at + 1}.",
        f"The gutters of number {at} talk among themselves.",
        f"{who}: My mother could tell the hour by gutter {at}.",
    )
    return told[nth % len(told)]


def _join_elements(elements: list[str]) -> str:
    """Blank lines between elements, as Markdown authors write them; not inside a list."""
    text = ""
    for element, after in zip(elements, [*elements[1:], ""], strict=True):
        listed = element.startswith("- ") and after.startswith("- ")
        text += element + ("\n" if listed else "\n\n")
    return text
