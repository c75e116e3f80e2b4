import re

from saniwa.http.application import HTTP_OPERATIONS
from tests.house.pages import ROOT

_ROW = re.compile(r"^\| `((?:GET|POST|PUT|DELETE) \S+)` \| (.+?) \| (\w+) \|$", re.M)


def test_the_page_lists_every_operation_there_is() -> None:
    """What can be asked, what it does, and what one must be allowed to do; in one order."""
    page = (ROOT / "docs/reference/http.md").read_text(encoding="utf-8")
    there = [
        (f"{each.method} {each.path.replace(':path}', '}')}", each.summary, each.needs or "anyone")
        for each in HTTP_OPERATIONS
    ]

    assert there == _ROW.findall(page)
