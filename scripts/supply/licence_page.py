"""The page of licences, made from the list."""

from collections.abc import Iterable, Iterator

from scripts.supply.licence_list import LicensedPackage
from scripts.supply.terms import STRONG, judge_licence

_HEAD = """# Licences

Saniwa is free under the MIT licence.
This is everything it stands on, at the versions that are locked and tested, each with its licence in the words of SPDX; `make licences` writes the page anew, and tests hold it to the lock files.
How licences are judged: [decision](../decisions/packaging-licences.md).

"""
_STRONG = """**The extra `oracle` brings {names}, under {licence}.**
Saniwa never loads it; it comes with TextWorld, which developers use to make games for tests.
Importing a game ([guide](../guide/textworld.md)) needs no extra at all.
Distributing an environment with this extra means distributing a program under the GPL.

"""
_WEAK = """Some packages ask that changes to *their own* files stay free (MPL, LGPL): {names}.
They are installed unchanged, each as a separate package, and impose no terms on programs that use them.

"""
_PARTS = (
    (
        "What users install",
        "The core comes with `pip install saniwa`, an extra with `pip install 'saniwa[NAME]'`.",
    ),
    (
        "In the page",
        "Parts of these are in the page that the wheel carries; `/third-party.txt` of a server has their notices in full.",
    ),
    ("For developers", "Built and tested with these; they are not installed with Saniwa."),
)


def render_page(found: Iterable[LicensedPackage]) -> str:
    """The whole page."""
    whole = list(found)
    users = [each for each in whole if each.users]
    page = [each for each in users if each.kind == "npm"]
    python = [each for each in users if each.kind == "pypi"]
    rest = [each for each in whole if not each.users]
    return _HEAD + "".join(
        (
            *_render_named(python),
            *_render_table(0, python),
            *_render_table(1, page),
            *_render_table(2, rest),
        )
    )


def _render_named(python: list[LicensedPackage]) -> Iterator[str]:
    named = set().union(*STRONG.values())
    for each in python:
        if each.name in named:
            yield _STRONG.format(names=each.name, licence=each.licence)
    weak = {each.name for each in python if judge_licence(each.licence) == "weak"}
    yield _WEAK.format(names=", ".join(sorted(weak)))


def _render_table(part: int, rows: list[LicensedPackage]) -> Iterator[str]:
    title, said = _PARTS[part]
    yield f"## {title}\n\n{said}\n\n| package | version | licence | comes with |\n"
    yield "| --- | --- | --- | --- |\n"
    for each in rows:
        whose = ", ".join(each.users or [who.strip("()") for who in each.reach])
        yield f"| {each.name} | {each.version} | {each.licence} | {whose} |\n"
    yield "\n" if part < len(_PARTS) - 1 else ""
