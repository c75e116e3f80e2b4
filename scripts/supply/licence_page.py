"""The page of licences, made from the list."""

from collections.abc import Iterable, Iterator

from scripts.supply.licence_list import LicensedPackage
from scripts.supply.terms import STRONG, judge_licence

_HEAD = """# Licences

Saniwa is free software under the MIT licence.
This page lists every package that Saniwa can install, contains or is built with: the version that is locked and tested, and its licence as an SPDX expression.
`make licences` generates the page, and tests compare it with the lock files.
[A decision](../decisions/packaging-licences.md) describes how licences are judged.

"""
_STRONG = """**The extra `oracle` installs {names}, which is licensed under {licence}.**
Saniwa never loads it; it is a dependency of TextWorld, with which developers generate games for tests.
You can [import a game](../guide/textworld.md) without any extra.
If you distribute an environment with this extra, you distribute a program under the GPL.

"""
_WEAK = """Some packages require that changes to *their own* files stay under the same licence (MPL, LGPL): {names}.
They are installed unchanged, each as a separate package, and impose no terms on programs that use them.

"""
_PARTS = (
    (
        "What users install",
        "`pip install saniwa` installs the core, and `pip install 'saniwa[NAME]'` adds the extra NAME.",
    ),
    (
        "In the web app",
        "The web app in the wheel contains code of these packages; a server shows their complete notices at `/third-party.txt`.",
    ),
    (
        "For developers",
        "Saniwa is built and tested with these packages; they are not installed with it.",
    ),
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
