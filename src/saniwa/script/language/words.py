"""Words as authors write them: the front door to reading and showing inline text."""

from saniwa.script.language.braces import Problem, is_plain, parse_words
from saniwa.script.language.emphasis import Mark
from saniwa.script.language.trailing import Trailing, parse_trailing
from saniwa.script.language.variation import (
    Counter,
    Show,
    Switch,
    Text,
    Utterance,
    Vary,
    Words,
    expressions,
    find_constant,
    render,
    spoken,
    to_typed,
)

__all__ = [
    "Counter",
    "Mark",
    "Problem",
    "Show",
    "Switch",
    "Text",
    "Trailing",
    "Utterance",
    "Vary",
    "Words",
    "expressions",
    "find_constant",
    "is_plain",
    "parse_trailing",
    "parse_words",
    "render",
    "spoken",
    "to_typed",
]
