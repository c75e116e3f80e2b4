import re

from saniwa.http.application import HTTP_OPERATIONS
from tests.house.pages import ROOT

_ROW = re.compile(r"^\| `((?:GET|POST|PUT|DELETE) \S+)` \| (.+?) \| (\w+) \|$", re.M)


def test_the_page_lists_every_operation_there_is() -> None:
    """The page lists every operation in order, with its summary and the permission it needs."""
    page = (ROOT / "docs/reference/http.md").read_text(encoding="utf-8")
    there = [
        (f"{each.method} {each.path.replace(':path}', '}')}", each.summary, each.needs or "anyone")
        for each in HTTP_OPERATIONS
    ]

    assert there == _ROW.findall(page)
