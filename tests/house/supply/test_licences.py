"""Licences: every package is listed with its own, and users get none that binds their work."""

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import cyclonedx.schema
import pytest
from scripts.supply.known_licences import WRITTEN
from scripts.supply.licence_list import read_list
from scripts.supply.licence_page import render_page
from scripts.supply.licences import (
    NOTICES,
    PAGE,
    find_python_licence,
    list_bundled,
    list_npm_packages,
    list_python_packages,
)
from scripts.supply.locks import list_python_pins
from scripts.supply.terms import FREE, STRONG, WEAK, judge_licence

from tests.house.pages import ROOT

_SCHEMAS = Path(cyclonedx.schema.__file__).parent / "_res"


def test_the_list_is_what_the_locks_and_the_packages_say() -> None:
    """The list is what `make licences` writes from the locks and the packages."""
    assert list_python_packages() + list_npm_packages() == read_list()


def test_the_page_is_the_list() -> None:
    """The page has the same licences as the list for programs."""
    assert render_page(read_list()) == (ROOT / PAGE).read_text(encoding="utf-8")


def test_users_get_nothing_that_would_bind_their_work() -> None:
    """What comes with core, extras and page is free or weak; the exceptions are named."""
    for each in read_list():
        for who in each.users:
            strong = "strong" == judge_licence(each.licence)
            assert (each.name in STRONG.get(who, ())) == strong, f"{who}: {each}"


def test_what_is_named_as_binding_is_still_there() -> None:
    """Every package that is named as an exception is still installed with its extra."""
    for extra, names in STRONG.items():
        coming = {each.name for each in read_list() if extra in each.reach}
        assert names <= coming


def test_everything_in_the_core_and_the_page_is_named_in_few_licences() -> None:
    """In the core and the page only `orjson` has a licence that is not free."""
    everybody = [e for e in read_list() if {"core", "page"} & set(e.reach)]

    assert {"orjson"} == {e.name for e in everybody if "free" != judge_licence(e.licence)}
    assert "MPL-2.0 AND (Apache-2.0 OR MIT)" == find_python_licence("orjson")


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("MIT", "free"),
        ("MPL-2.0", "weak"),
        ("GPL-3.0-only", "strong"),
        ("MIT AND MPL-2.0", "weak"),
        ("MIT OR GPL-2.0-only", "free"),
        ("MPL-2.0 AND (GPL-3.0-only OR MIT)", "weak"),
        ("MIT OR MPL-2.0 AND GPL-3.0-only", "free"),
        ("MIT AND (GPL-3.0-only OR AGPL-3.0-only)", "strong"),
        ("GPL-3.0-only WITH GCC-exception-3.1", "strong"),
        ("LicenseRef-Ours", "strong"),
        ("MIT)", "strong"),
    ],
)
def test_expressions_are_judged(expression: str, kind: str) -> None:
    """Of a choice the freest licence counts, of a sum the strongest; an unknown one is strong."""
    assert kind == judge_licence(expression)


def test_licences_are_named_in_the_words_of_spdx() -> None:
    """Every licence is an SPDX expression."""
    schema = (_SCHEMAS / "spdx.SNAPSHOT.schema.json").read_text(encoding="utf-8")
    known = set(json.loads(schema)["enum"])
    words = {w.strip("()") for e in read_list() for w in e.licence.split()}

    assert set() == words - {"AND", "OR", "WITH"} - known
    assert set() == (FREE | WEAK) - known


def test_nothing_is_written_by_hand_about_what_is_gone() -> None:
    """Every licence that was written by hand belongs to a locked package."""
    assert set() == WRITTEN.keys() - {pin.name for pin in list_python_pins()}


def test_an_unclear_licence_is_asked_for() -> None:
    """A package without a known licence is an error."""
    with pytest.raises(ValueError, match=r"known_licences\.py"):
        find_python_licence("no-such-package-anywhere")


@pytest.mark.parametrize("name", sorted(WRITTEN))
def test_what_was_read_by_hand_does_not_contradict_the_package(name: str) -> None:
    """A licence written by hand agrees with the one that the package declares, if any."""
    try:
        said = distribution(name).metadata
    except PackageNotFoundError:
        return  # for another kind of machine
    (named, *_) = said.get_all("License-Expression") or [""]

    assert (named or WRITTEN[name]) == WRITTEN[name]


def test_the_page_carries_the_notices_it_owes() -> None:
    """The notices name every bundled package, with copyright and terms."""
    text = (ROOT / NOTICES).read_text(encoding="utf-8")
    _, *notices = text.split("\n== ")

    assert {"svelte", "@dagrejs/dagre", "@dagrejs/graphlib"} <= {n for n, _ in list_bundled()}
    assert len(list_bundled()) == len(notices)
    for each in notices:
        assert "Copyright" in each
        assert "Permission is hereby granted" in each
