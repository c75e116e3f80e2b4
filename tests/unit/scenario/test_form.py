import re

from saniwa.scenario import format
from tests.house.pages import ROOT


def test_every_key_is_explained_in_the_reference() -> None:
    """Every key of the form is explained in the reference."""
    page = ROOT / "docs" / "reference" / "scenario-format.md"
    explained = set(re.findall(r"`(\w+)`", page.read_text(encoding="utf-8")))
    forms = [
        getattr(format, name)
        for name in dir(format)
        if name.isupper() and name[0] != "_" and name != "KEY_GUESSES"
    ]
    keys = {key for table in forms if isinstance(table, dict) for key in table}

    assert set() == keys - explained - {*format.SPELLINGS}
