from typing import Any

from saniwa.cli.sarif import sarif_log
from saniwa.core.finding import Finding
from saniwa.core.where import Where


def _finding(**more: Any) -> Finding:
    where = more.pop("where", Where(file="a b.md", line=2, column=3))
    return Finding(code="LABEL_UNRESOLVED", message="no 'x'", where=where, **more)


def _run(*findings: Finding) -> dict[str, Any]:
    log = sarif_log(findings)
    assert "2.1.0" == log["version"]
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def test_each_finding_is_a_result_of_its_rule() -> None:
    """A result names its rule by id and index, its level and its words."""
    other = Finding(code="ASSET_UNRESOLVED", severity="note", message="m")
    run = _run(_finding(hint="add it"), other)
    rules = run["tool"]["driver"]["rules"]

    assert ["ASSET_UNRESOLVED", "LABEL_UNRESOLVED"] == [r["id"] for r in rules]
    assert [1, 0] == [r["ruleIndex"] for r in run["results"]]
    assert ["error", "note"] == [r["level"] for r in run["results"]]
    assert "no 'x'\nadd it" == run["results"][0]["message"]["text"]
    assert "docs/errors/ASSET_UNRESOLVED.md" == rules[0]["help"]["text"]


def test_places_are_uris_with_lines_and_columns_in_letters() -> None:
    """Blanks in names are coded, and columns count letters as ours do."""
    run = _run(_finding())
    place = run["results"][0]["locations"][0]["physicalLocation"]

    assert "unicodeCodePoints" == run["columnKind"]
    assert {"uri": "a%20b.md"} == place["artifactLocation"]
    assert {"startLine": 2, "startColumn": 3} == place["region"]


def test_what_has_no_line_has_no_region() -> None:
    """SARIF knows no line 0: a finding about a whole file has none, one of none no place."""
    run = _run(_finding(where=Where(file="/x/y.md")), _finding(where=Where()))
    place = run["results"][0]["locations"][0]["physicalLocation"]

    assert {"artifactLocation": {"uri": "file:///x/y.md"}} == place
    assert "locations" not in run["results"][1]


def test_a_rewrite_is_a_fix() -> None:
    """A known rewrite says which letters go and what comes."""
    rewrite = {"line": 2, "column": 3, "length": 4, "text": "new"}
    (result,) = _run(_finding(details={"rewrite": rewrite}))["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    (replacement,) = change["replacements"]

    assert {"startLine": 2, "startColumn": 3, "endColumn": 7} == replacement[
        "deletedRegion"
    ]
    assert {"text": "new"} == replacement["insertedContent"]


def test_nothing_found_is_a_run_without_results() -> None:
    """A clean check is a whole log."""
    run = _run()

    assert [] == run["results"]
    assert [] == run["tool"]["driver"]["rules"]
