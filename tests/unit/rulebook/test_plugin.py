from pathlib import Path
from textwrap import dedent

import pytest

from saniwa.core.errors import RulebookError
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.judge import find_admissible_actions, judge
from saniwa.rulebook.loader import read_rulebook
from saniwa.rulebook.predicates import PredicatePlugin, load_installed_plugin, make_plugin
from saniwa.world.actions import Take, Wait
from saniwa.world.model import Id
from tests.fakes.books import make_rule
from tests.fakes.worlds import PLAYER, make_courtyard


def _make_almanac(version: str) -> PredicatePlugin:
    return make_plugin(
        "moonlit", lambda case, args: case.target_id == args.get("thing"), f"almanac {version}"
    )


def _make_book(version: str = "1.0") -> Rulebook:
    document = {
        "plugins": ["moonlit"],
        "rules": [make_rule("take", {"moonlit": {"thing": "key"}}, replace=True)],
    }
    known = {"moonlit": _make_almanac(version)}
    return read_rulebook(document, plugins=known.get)


def test_a_plugin_is_asked_like_any_predicate() -> None:
    """A book that names a plugin uses its predicate."""
    taken = [Take(actor_id=PLAYER, target_id=Id(name)) for name in ("key", "bench")]

    assert [True, False] == [judge(a, make_courtyard(), _make_book()).success for a in taken]


def test_what_a_plugin_allows_is_listed() -> None:
    """The list of allowed actions uses plugins too."""
    listed = [
        a
        for a in find_admissible_actions(make_courtyard(), PLAYER, _make_book())
        if isinstance(a, Take)
    ]

    assert {Id("key")} == {take.target_id for take in listed}


def test_another_version_is_another_book() -> None:
    """The version of a plugin changes the book's fingerprint."""
    assert _make_book("1.0").fingerprint == _make_book("1.0").fingerprint
    assert _make_book("1.0").fingerprint != _make_book("1.1").fingerprint


@pytest.mark.parametrize("name", ["moonlit", "held"])
def test_a_plugin_must_be_there_and_bear_a_name_of_its_own(name: str) -> None:
    """A plugin that is not installed, or has the name of a predicate, is a finding."""
    with pytest.raises(RulebookError) as caught:
        read_rulebook({"plugins": [name]}, plugins=lambda _name: None)

    assert "RULE_UNKNOWN_PLUGIN" == caught.value.code


def test_a_predicate_counts_only_where_its_plugin_is_named() -> None:
    """A predicate is unknown unless the book names its plugin."""
    with pytest.raises(RulebookError) as caught:
        read_rulebook({"rules": [make_rule("take", "moonlit")]}, plugins=lambda _name: None)

    assert "RULE_UNKNOWN_PREDICATE" == caught.value.code


def test_a_plugin_named_twice_is_there_once() -> None:
    """A plugin named in two layers is listed once."""
    both = {"plugins": ["moonlit", "moonlit"]}
    known = {"moonlit": _make_almanac("1.0")}

    assert ["moonlit"] == read_rulebook(both, plugins=known.get).document["plugins"]


def test_plugins_are_found_through_their_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An installed distribution offers its predicates in the group `saniwa.predicates`."""
    _install(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    document = {"plugins": ["drowsy"], "rules": [make_rule("wait", "drowsy")]}
    found = load_installed_plugin("drowsy")

    assert found is not None
    assert "sleepwords 2.1" == found.origin
    assert judge(Wait(actor_id=PLAYER), make_courtyard(), read_rulebook(document)).success


def test_a_plugin_that_is_not_installed_is_not_found() -> None:
    """A name without an entry point has no plugin."""
    assert load_installed_plugin("no such plugin") is None


def _install(folder: Path) -> None:
    code = """
        def drowsy(case, args):
            return case.type == "wait"
        """
    (folder / "sleepwords.py").write_text(dedent(code), encoding="utf-8")
    about = folder / "sleepwords-2.1.dist-info"
    about.mkdir()
    text = "Metadata-Version: 2.1\nName: sleepwords\nVersion: 2.1\n"
    (about / "METADATA").write_text(text, encoding="utf-8")
    points = "[saniwa.predicates]\ndrowsy = sleepwords:drowsy\n"
    (about / "entry_points.txt").write_text(points, encoding="utf-8")
