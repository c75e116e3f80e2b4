"""report.html: one file with everything in it, that asks nothing of anybody.

No script, nothing from outside, and a content policy that says so. Light or dark as the
reader's screen is, or as they choose.
"""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import groupby

from saniwa.experiment.report.blocks import Block, Heading, Picture, Report
from saniwa.experiment.report.markup import block_markup, line_markup
from saniwa.experiment.shown import visible_line


def page_of(report: Report) -> str:
    """A report as a page; no letter of any text in it is markup.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    style = (files("saniwa.experiment.report") / "page.css").read_text("utf-8")
    title = escape(visible_line(report.title))
    parts = (
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f"<title>{title}</title>",
        f"<style>{style}</style></head><body>",
        '<a class="skip" href="#main">To the report</a>',
        f"<header><h1>{title}</h1><p>{line_markup(report.subtitle)}</p>",
        f"{_THEMES}</header>",
        _contents(report),
        '<main id="main">',
        *_body(report.blocks),
        "</main></body></html>",
    )
    return "\n".join(parts) + "\n"


_THEMES = (
    '<fieldset class="theme"><legend>Colours</legend>'
    + "".join(
        f'<label><input type="radio" name="theme" id="{name}"{checked}>{label}</label>'
        for name, label, checked in (
            ("auto", "as the screen", " checked"),
            ("light", "light", ""),
            ("dark", "dark", ""),
        )
    )
    + "</fieldset>"
)


def _policy(style: str) -> str:
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _contents(report: Report) -> str:
    links = (
        f'<li><a href="#{each.anchor}">{escape(each.text)}</a></li>'
        for each in report.blocks
        if isinstance(each, Heading)
    )
    return f'<nav aria-label="Contents"><ul>{"".join(links)}</ul></nav>'


def _body(blocks: Sequence[Block]) -> Iterator[str]:
    """The blocks; small pictures that follow each other stand side by side."""
    for small, some in groupby(blocks, key=_is_small):
        if small:
            yield '<div class="pictures">'
        for each in some:
            yield from block_markup(each)
        if small:
            yield "</div>"


def _is_small(block: Block) -> bool:
    return isinstance(block, Picture) and not block.wide
