"""Print how well the labelled lines are understood."""

import argparse
from pathlib import Path

from tests.hearing.score import (
    FOLDER,
    Score,
    ScoredLine,
    count_scores,
    name_house,
    read_lines,
    score_line,
)

COLUMNS: tuple[Score, ...] = ("right", "missed", "wrong", "untrue")


def print_scores(scored: list[ScoredLine]) -> None:
    """Print a table of the classes, and the figures for lines with and without a deed."""
    print(f"{'class':24}{'lines':>6}", *(f"{name:>7}" for name in COLUMNS))
    for name, counts in count_scores(scored).items():
        print(f"{name:24}{counts.total():6}", *(f"{counts[column]:7}" for column in COLUMNS))
    asking = [e for e in scored if e.line.deeds or e.line.label["mood"] in ("question",)]
    silent = [e for e in scored if not e.line.deeds]
    right = sum(e.score == "right" for e in asking)
    alone = sum(e.score in ("right", "missed") for e in silent)
    untrue = sum(e.score == "untrue" for e in scored)
    print(f"untrue changes: {untrue} of {len(scored)}")
    print(f"lines without a deed left alone: {alone} of {len(silent)}, {alone / len(silent):.1%}")
    print(
        f"commands and questions right: {right} of {len(asking)}, {right / max(len(asking), 1):.1%}"
    )


def show_line(scored: ScoredLine) -> None:
    """Print a line that is not right, with what was understood."""
    turn = scored.turn
    print(f"{scored.score:7} {scored.line.label['class']}: {scored.line.text}")
    print(f"        wanted {scored.line.label.get('actions', [])}")
    print(f"        heard  {scored.heard} claims {list(turn.parsed_actions)}")
    for rejection in turn.rejections:
        print(f"        {rejection.message} | {rejection.hint}")


def main() -> None:
    """Score the lines of one language or of both."""
    parser = argparse.ArgumentParser(prog="python -m tests.hearing", description=__doc__)
    parser.add_argument("--language", choices=["en", "ja"])
    parser.add_argument("--file", type=Path, help="labelled lines; needs --language")
    parser.add_argument("--show", nargs="*", metavar="CLASS", help="show lines that are not right")
    given = parser.parse_args()
    for language in [given.language] if given.language else ["en", "ja"]:
        path = given.file or FOLDER / f"lines_{language}.yaml"
        house = name_house(path) if path.parent.samefile(FOLDER) else language
        scored = [score_line(line, house) for line in read_lines(path)]
        for each in scored:
            shown = given.show is not None and (
                not given.show or each.line.label["class"] in given.show
            )
            if shown and each.score != "right":
                show_line(each)
        print_scores(scored)


if __name__ == "__main__":
    main()
