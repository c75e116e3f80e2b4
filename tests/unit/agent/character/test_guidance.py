from saniwa.agent.mind.mind import GuidanceCard
from saniwa.agent.mind.rendering import render_guidance


def test_a_card_is_told_with_hint_and_numbered_options() -> None:
    """What was tried, the answer, what might work, and what could be meant."""
    card = GuidanceCard(
        asked="take key", why="Which key?", hint="say one", options=("brass", "iron")
    )

    assert [
        "- You tried: “take key” The answer: “Which key?”",
        "  Hint: “say one”",
        "  1. “brass”",
        "  2. “iron”",
    ] == render_guidance([card], "en", 500).split("\n")


def test_a_reason_alone_is_told_plainly_in_japanese() -> None:
    """Where nothing can be said of what was tried, the answer stands alone."""
    assert "- 答え：「できない。」" == render_guidance([GuidanceCard(why="できない。")], "ja", 500)


def test_cards_that_do_not_fit_are_counted() -> None:
    """A card is told whole or not at all."""
    told = render_guidance([GuidanceCard(why=f"No {n}.") for n in range(50)], "en", 100)

    assert len(told) <= 100
    assert told.endswith(" more)")
