from saniwa.script.notes import MOST, Notes


def test_findings_come_in_reading_order() -> None:
    """However they were found."""
    notes = Notes("story.md")
    notes.error("B_B", "later", 2, 1)
    notes.warning("A_A", "sooner", 1, 5)

    assert [("A_A", 1, 5), ("B_B", 2, 1)] == [
        (each.code, each.where.line, each.where.column) for each in notes.all()
    ]


def test_old_notations_are_counted_by_kind() -> None:
    """One finding a kind, at its first place; a note for what is still current."""
    notes = Notes("story.md")
    for line in (3, 5, 8):
        notes.old("BRANCH", line, 1)
    notes.old("JUMP", 4, 2)

    assert [
        ("warning", "the old notation 'BRANCH' is used 3 times", 3),
        ("note", "'JUMP' is used once; plain Markdown has its own way", 4),
    ] == [(each.severity, each.message, each.where.line) for each in notes.all()]


def test_more_than_a_thousand_are_counted() -> None:
    """A note at the end says how many more there are."""
    notes = Notes("story.md")
    for line in range(MOST + 7):
        notes.error("A_A", "wrong", line + 1, 1)
    found = notes.all()

    assert MOST + 1 == len(found)
    assert ("FINDINGS_MANY", "note", "7 more findings are not shown") == (
        found[-1].code,
        found[-1].severity,
        found[-1].message,
    )


def test_columns_are_those_of_the_whole_line() -> None:
    """What comments took out of a line is counted again."""
    notes = Notes("story.md")
    notes.cut(1, 4, 10)
    notes.cut(1, 8, 3)
    for column in (4, 5, 8, 9):
        notes.error("A_A", "wrong", 1, column)

    assert [4, 15, 18, 22] == [each.where.column for each in notes.all()]
