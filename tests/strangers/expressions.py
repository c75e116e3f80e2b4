"""Expressions that both formats have, and how each writes them.

Precedence differs: in ink, `or` and `and` are equal, `%` binds tighter than `*`, and `not` takes
only the next value. So anything ambiguous is put in brackets.
"""

from collections.abc import Callable
from typing import Literal

Worth = (
    tuple[Literal["number"], float]
    | tuple[Literal["text"], str]
    | tuple[Literal["truth"], bool]
    | tuple[Literal["name"], str]
    | tuple[Literal["visits"], str]
    | tuple[Literal["chosen"], str]
    | tuple[Literal["not"], "Worth"]
    | tuple[Literal["less"], "Worth"]
    | tuple[Literal["of"], str, "Worth", "Worth"]
)
"""An expression: a value, a count, a negated expression, or an operator and its sides."""
Spell = Callable[[Worth], str]

_RANKS = {"+": 1, "-": 1, "*": 2}


def spell_expression(worth: Worth, spell: Spell) -> str:
    """An expression as text; `spell` writes what is inside it."""
    match worth:
        case ("number", value) | ("truth", value) | ("text", value):
            return render_constant(value)
        case ("not", inner):
            return f"not {_add_brackets(inner, spell)}"
        case ("less", inner):
            return f"-{_add_brackets(inner, spell)}"
        case ("of", sign, left, right):
            return (
                f"{_spell_side(sign, left, spell)} {sign} {_spell_side(sign, right, spell, True)}"
            )
    return worth[1]


def render_constant(value: float | bool | str) -> str:
    """A literal value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _add_brackets(worth: Worth, spell: Spell) -> str:
    return f"({spell(worth)})" if worth[0] in ("of", "not", "less") else spell(worth)


def _spell_side(sign: str, worth: Worth, spell: Spell, right: bool = False) -> str:
    """One side of an operator, without brackets where both formats read it the same."""
    inner = worth[1] if worth[0] == "of" else ""
    above = _RANKS.get(str(inner), 0) > _RANKS.get(sign, 9)
    chained = not right and sign == inner and sign in (*_RANKS, "and", "or")
    compared = sign in ("==", "!=", "<", "<=", ">", ">=") and inner in _RANKS
    if above or chained or compared:
        return spell(worth)
    return _add_brackets(worth, spell)
