from typing import Any

import jsonschema_rs

from saniwa.cli.story_check import build_sarif_log
from saniwa.core.findings import Finding, SourceLocation


def _make_finding(**more: Any) -> Finding:
    where = more.pop("where", SourceLocation(file="a b.md", line=2, column=3))
    return Finding(code="LABEL_UNRESOLVED", message="no 'x'", where=where, **more)


def _build_sarif_run(*findings: Finding) -> dict[str, Any]:
    log = build_sarif_log(findings)
    assert "2.1.0" == log["version"]
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def test_each_finding_is_a_result_of_its_rule() -> None:
    """Each result refers to its rule by id and index, with its level and message."""
    other = Finding(code="ASSET_UNRESOLVED", severity="note", message="m")
    run = _build_sarif_run(_make_finding(hint="add it"), other)
    rules = run["tool"]["driver"]["rules"]

    assert ["ASSET_UNRESOLVED", "LABEL_UNRESOLVED"] == [r["id"] for r in rules]
    assert [1, 0] == [r["ruleIndex"] for r in run["results"]]
    assert ["error", "note"] == [r["level"] for r in run["results"]]
    assert "no 'x'\nadd it" == run["results"][0]["message"]["text"]
    assert rules[0]["help"]["text"].startswith("A warning: a story names an image")
    assert rules[0]["help"]["text"].endswith("\ndocs/errors/story.md#asset_unresolved")


def test_places_are_uris_with_lines_and_columns_in_letters() -> None:
    """Spaces in paths are encoded, and columns count code points."""
    run = _build_sarif_run(_make_finding())
    place = run["results"][0]["locations"][0]["physicalLocation"]

    assert "unicodeCodePoints" == run["columnKind"]
    assert {"uri": "a%20b.md"} == place["artifactLocation"]
    assert {"startLine": 2, "startColumn": 3} == place["region"]


def test_what_has_no_line_has_no_region() -> None:
    """A finding about a whole file has no region, and one without a file no location."""
    run = _build_sarif_run(
        _make_finding(where=SourceLocation(file="/x/y.md")), _make_finding(where=SourceLocation())
    )
    place = run["results"][0]["locations"][0]["physicalLocation"]

    assert {"artifactLocation": {"uri": "file:///x/y.md"}} == place
    assert "locations" not in run["results"][1]


def test_a_rewrite_is_a_fix() -> None:
    """A known rewrite is a fix with the deleted region and the inserted text."""
    rewrite = {"line": 2, "column": 3, "length": 4, "text": "new"}
    (result,) = _build_sarif_run(_make_finding(details={"rewrite": rewrite}))["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    (replacement,) = change["replacements"]

    assert {"startLine": 2, "startColumn": 3, "endColumn": 7} == replacement["deletedRegion"]
    assert {"text": "new"} == replacement["insertedContent"]


def test_nothing_found_is_a_run_without_results() -> None:
    """Without findings, the log has a run without results."""
    run = _build_sarif_run()

    assert [] == run["results"]
    assert [] == run["tool"]["driver"]["rules"]


def _make_object_schema(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(required),
        "properties": properties,
        "additionalProperties": False,
    }


def _make_list_schema(items: dict[str, Any], least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least, "uniqueItems": True}


_TEXT = {"type": "string"}
_FROM_1 = {"type": "integer", "minimum": 1}
_MESSAGE = _make_object_schema(("text",), text=_TEXT)
_REGION = _make_object_schema(startLine=_FROM_1, startColumn=_FROM_1, endColumn=_FROM_1)
_ARTIFACT = _make_object_schema(uri={"type": "string", "format": "uri-reference"})
_RULE = _make_object_schema(("id",), id=_TEXT, name=_TEXT, shortDescription=_MESSAGE, help=_MESSAGE)
_CHANGE = _make_object_schema(
    ("artifactLocation", "replacements"),
    artifactLocation=_ARTIFACT,
    replacements=_make_list_schema(
        _make_object_schema(
            ("deletedRegion",),
            deletedRegion=_REGION,
            insertedContent=_make_object_schema(text=_TEXT),
        ),
        1,
    ),
)
_RESULT = _make_object_schema(
    ("message",),
    ruleId=_TEXT,
    ruleIndex={"type": "integer", "minimum": -1},
    level={"enum": ["none", "note", "warning", "error"]},
    message=_MESSAGE,
    locations=_make_list_schema(
        _make_object_schema(
            physicalLocation=_make_object_schema(artifactLocation=_ARTIFACT, region=_REGION)
        )
    ),
    fixes=_make_list_schema(
        _make_object_schema(
            ("artifactChanges",),
            description=_MESSAGE,
            artifactChanges=_make_list_schema(_CHANGE, 1),
        )
    ),
)
_LOG = _make_object_schema(
    ("version", "runs"),
    **{"$schema": {"type": "string", "format": "uri"}},
    version={"enum": ["2.1.0"]},
    runs={
        "type": "array",
        "items": _make_object_schema(
            ("tool",),
            tool=_make_object_schema(
                ("driver",),
                driver=_make_object_schema(
                    ("name",), name=_TEXT, version=_TEXT, rules=_make_list_schema(_RULE)
                ),
            ),
            columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
            results={"type": "array", "items": _RESULT},
        ),
    },
)
"""The rules of SARIF 2.1.0 for the properties that Saniwa writes; others are not allowed.

No package that could be a development dependency contains the official schema, so its rules
for the used part are written here: names, required properties, types, minimums, closed lists
and unique items.
"""


def test_the_log_keeps_the_rules_of_sarif() -> None:
    """The log keeps the rules of the standard, whatever was found."""
    rewrite = {"line": 2, "column": 3, "length": 0, "text": ""}
    findings = [
        _make_finding(details={"rewrite": rewrite}),
        _make_finding(severity="note", hint="h", where=SourceLocation(file="/x y/庭#?%.md")),
        _make_finding(severity="warning", where=SourceLocation(file="\udce9.md", line=1)),
        _make_finding(where=SourceLocation()),
    ]
    standard = jsonschema_rs.Draft7Validator(_LOG, validate_formats=True)

    for some in ([], findings):
        assert [] == [each.message for each in standard.iter_errors(build_sarif_log(some))]
