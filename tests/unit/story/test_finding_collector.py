from saniwa.story.finding_collector import MOST, FindingCollector


def test_findings_come_in_reading_order() -> None:
    """However they were found."""
    notes = FindingCollector("story.md")
    notes.add_error("B_B", "later", 2, 1)
    notes.add_warning("A_A", "sooner", 1, 5)

    assert [("A_A", 1, 5), ("B_B", 2, 1)] == [
        (each.code, each.where.line, each.where.column) for each in notes.list_findings()
    ]


def test_old_notations_are_counted_by_kind() -> None:
    """One finding a kind, at its first place; a note for what is still current."""
    notes = FindingCollector("story.md")
    for line in (3, 5, 8):
        notes.count_old_notation("BRANCH", line, 1)
    notes.count_old_notation("JUMP", 4, 2)

    assert [
        ("warning", "the old notation 'BRANCH' is used 3 times", 3),
        ("note", "'JUMP' is used once; plain Markdown has its own way", 4),
    ] == [(each.severity, each.message, each.where.line) for each in notes.list_findings()]


def test_more_than_a_thousand_are_counted() -> None:
    """A note at the end says how many more there are."""
    notes = FindingCollector("story.md")
    for line in range(MOST + 7):
        notes.add_error("A_A", "wrong", line + 1, 1)
    found = notes.list_findings()

    assert MOST + 1 == len(found)
    assert ("FINDINGS_MANY", "note", "7 more findings are not shown") == (
        found[-1].code,
        found[-1].severity,
        found[-1].message,
    )


def test_columns_are_those_of_the_whole_line() -> None:
    """What comments took out of a line is counted again."""
    notes = FindingCollector("story.md")
    notes.record_cut(1, 4, 10)
    notes.record_cut(1, 8, 3)
    for column in (4, 5, 8, 9):
        notes.add_error("A_A", "wrong", 1, column)

    assert [4, 15, 18, 22] == [each.where.column for each in notes.list_findings()]
