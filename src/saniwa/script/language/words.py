"""Words as authors write them: the front door to reading and showing inline text."""

from saniwa.script.language.braces import Problem, parse_words
from saniwa.script.language.trailing import Trailing, parse_trailing
from saniwa.script.language.variation import (
    Counter,
    Show,
    Switch,
    Text,
    Vary,
    Words,
    expressions,
    render,
    spoken,
)

__all__ = [
    "Counter",
    "Problem",
    "Show",
    "Switch",
    "Text",
    "Trailing",
    "Vary",
    "Words",
    "expressions",
    "parse_trailing",
    "parse_words",
    "render",
    "spoken",
]
