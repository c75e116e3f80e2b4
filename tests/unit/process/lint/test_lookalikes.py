import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.process.definition import DECISIONS, PERSON_ROLES
from saniwa.process.lint.names import fold_lookalikes
from tests.fakes.definitions import find_in_changed, put, read_changed

_CYRILLIC_A = "\N{CYRILLIC SMALL LETTER A}"
_ALIKE = [
    "Approve",
    "APPROVE",
    "ap prove",
    "ap_prove",
    "appr0ve",
    f"{_CYRILLIC_A}pprove",
    "appr\N{GREEK SMALL LETTER OMICRON}ve",
    "\N{CYRILLIC CAPITAL LETTER A}PPROVE",
    "\N{FULLWIDTH LATIN SMALL LETTER A}pprove",
    "appro\N{SOFT HYPHEN}ve",
    "appro\N{HANGUL FILLER}ve",
    "approve\N{COMBINING DOT BELOW}",
    "\N{CHEROKEE LETTER GO}pprove",
    "\N{CHEROKEE SMALL LETTER GO}pprove",
    "appro\N{LATIN LETTER SMALL CAPITAL V}e",
    "app\N{LATIN LETTER SMALL CAPITAL R}ove",
    "\N{LATIN SMALL LETTER P WITH HOOK}".join(["a", "", "rove"]),
    "appr\N{LATIN SMALL LETTER O WITH STROKE}ve",
    "appro\N{LATIN SMALL LETTER V WITH HOOK}e",
    "approv\N{LATIN SMALL LETTER OPEN E}",
    "appr\N{ARMENIAN SMALL LETTER OH}ve",
    "\N{LISU LETTER A}PPROVE",
    "\N{NEGATIVE SQUARED LATIN CAPITAL LETTER A}pprove",
    "appro\N{TAG LATIN SMALL LETTER X}ve",
]


@pytest.mark.parametrize("name", _ALIKE)
def test_an_event_that_looks_like_a_decision_is_refused(name: str) -> None:
    """An agent's event whose name looks like a decision is refused."""
    found = find_in_changed(
        put(name, "events", 0, "name"),
        put(name, "transitions", 0, "event"),
        put([name], "roles", 0, "allowed_events"),
    )

    assert [("NAME_MISLEADING", "events[0].name")] == found


@pytest.mark.parametrize(
    "name",
    [
        "Reviewer",
        "re viewer",
        "Hum\N{CYRILLIC SMALL LETTER A}n",
        "hu\N{CYRILLIC SMALL LETTER EM}an",
    ],
)
def test_a_role_that_looks_like_a_persons_is_refused(name: str) -> None:
    """A role whose name looks like a person's role is refused."""
    found = find_in_changed(put({"name": name, "allowed_events": ["submit"]}, "roles", "+"))

    assert [("NAME_MISLEADING", "roles[2].name")] == found


def test_what_time_does_never_looks_like_a_decision() -> None:
    """The name of a timed transition must not look like a decision either."""
    lapse = {"from": "read", "event": "Reject", "to": "draft", "after": "2d"}

    assert [("NAME_MISLEADING", "transitions[3].event")] == find_in_changed(
        put(lapse, "transitions", "+")
    )


def test_the_letter_that_misleads_is_shown() -> None:
    """The message shows the misleading character as an escape."""
    read = read_changed(
        put({"name": f"hum{_CYRILLIC_A}n", "allowed_events": ["submit"]}, "roles", "+")
    )

    (only,) = read.report.findings
    assert "'hum\\u0430n' looks like a person's role 'human', but is not" == (only.message)
    assert "write 'human' if that is meant, or choose another name" == only.hint


@pytest.mark.parametrize("name", ["approved", "pre_approve", "rejection", "承認", "одобрить", "ᎠᏂ"])
def test_other_words_are_left_alone(name: str) -> None:
    """Other names are accepted."""
    assert [] == find_in_changed(
        put(name, "events", 0, "name"),
        put(name, "transitions", 0, "event"),
        put([name], "roles", 0, "allowed_events"),
    )


@pytest.mark.parametrize("name", sorted(DECISIONS | PERSON_ROLES))
def test_small_capitals_are_seen_as_what_they_are(name: str) -> None:
    """Small capitals fold to the same word."""
    small = ""
    for letter in name:
        found = f"LATIN LETTER SMALL CAPITAL {letter.upper()}"
        small += unicodedata.lookup(found) if letter.isalpha() else letter

    assert fold_lookalikes(name) == fold_lookalikes(small)


@given(st.sampled_from(sorted(DECISIONS | PERSON_ROLES)), st.data())
def test_case_width_and_blanks_never_make_another_name(name: str, data: st.DataObject) -> None:
    """Case, width and spaces do not change the folded name."""
    dressed = ""
    for letter in name:
        wide = chr(ord(letter) + 0xFEE0)
        dressed += data.draw(st.sampled_from([letter, letter.upper(), wide]))
        dressed += data.draw(st.sampled_from(["", " ", "\u00ad", "\u200d", "\u0301"]))

    assert fold_lookalikes(name) == fold_lookalikes(dressed)
