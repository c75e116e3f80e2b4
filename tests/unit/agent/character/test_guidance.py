from saniwa.agent.mind.mind import GuidanceCard
from saniwa.agent.mind.rendering import render_guidance


def test_a_card_is_described_with_hint_and_numbered_options() -> None:
    """A card has the attempt, the answer, a hint and numbered options."""
    card = GuidanceCard(
        asked="take key", why="Which key?", hint="say one", options=("brass", "iron")
    )

    assert [
        "- You tried: “take key” The answer: “Which key?”",
        "  Hint: “say one”",
        "  1. “brass”",
        "  2. “iron”",
    ] == render_guidance([card], "en", 500).split("\n")


def test_a_reason_alone_is_described_plainly_in_japanese() -> None:
    """A card without an attempt has the answer alone, in Japanese too."""
    assert "- 答え：「できない。」" == render_guidance([GuidanceCard(why="できない。")], "ja", 500)


def test_cards_that_do_not_fit_are_counted() -> None:
    """A card that does not fit is left out and counted."""
    told = render_guidance([GuidanceCard(why=f"No {n}.") for n in range(50)], "en", 100)

    assert len(told) <= 100
    assert told.endswith(" more)")
