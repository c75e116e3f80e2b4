"""Makes the pictures of the README: the web page, and an animated terminal.

Run `make pictures` after the page or the first turns of the garden have changed. The terminal
is an animated SVG: its lines appear one after the other.
"""

import tempfile
import unicodedata
from html import escape
from pathlib import Path
from typing import Final

from tests.fakes.commands import run_command
from tests.journeys.browser import DESK, open_chromium, open_server

ROOT: Final = Path(__file__).resolve().parents[1]
FOLDER: Final = ROOT / "docs" / "pictures"
TYPED: Final = {
    "en": (
        "door_and_key",
        ("open the gate", "why", "go to the shed, open the chest and take the key"),
    ),
    "ja": ("door_and_key_ja", ("門を開ける", "なぜ", "物置に行って、箱を開けて、鍵を取る")),
}
"""What is typed, by language."""
PAGE_HEIGHT: Final = 690
"""The height of the picture of the page: the map, and nothing below it."""
COLUMNS: Final = 84
LINE_HEIGHT: Final = 20
SECONDS_A_LINE: Final = 0.35
SECONDS_A_COMMAND: Final = 1.4
SECONDS_AT_THE_END: Final = 5.0


def record_terminal(scenario: str, typed: tuple[str, ...]) -> list[str]:
    """Return the lines that a terminal shows."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "words.txt").write_text("\n".join(typed), encoding="utf-8")
        shown = run_command(Path(folder), "play", scenario, "--input", "words.txt").stdout
    # The last lines name the run, and the command that resumes it.
    told = shown[: shown.rindex("\n", 0, shown.index("run-"))].rstrip()
    return [line for text in told.split("\n") for line in wrap_line(text)]


def wrap_line(text: str) -> list[str]:
    """Break a line that is too wide; wide characters take two columns."""
    lines, width = [""], 0
    for sign in text:
        size = 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        if width + size > COLUMNS:
            lines.append("")
            width = 0
        lines[-1] += sign
        width += size
    return lines


def draw_terminal(lines: list[str]) -> str:
    """Return an SVG in which the lines appear one after the other, in a loop."""
    starts, now = list[float](), 0.5
    for line in lines:
        now += SECONDS_A_COMMAND if line.startswith("> ") else SECONDS_A_LINE
        starts.append(now)
    whole = now + SECONDS_AT_THE_END
    height = LINE_HEIGHT * (len(lines) + 2)
    rows, rules = list[str](), list[str]()
    for number, (line, start) in enumerate(zip(lines, starts, strict=True)):
        share = 100 * start / whole
        rules.append(
            f"@keyframes r{number}{{0%,{share - 0.01:.2f}%{{opacity:0}}{share:.2f}%,100%{{opacity:1}}}}"
        )
        kind = ' class="typed"' if line.startswith("> ") else ""
        rows.append(
            f'<text{kind} x="16" y="{LINE_HEIGHT * (number + 2)}" xml:space="preserve" '
            f'style="animation:r{number} {whole:.1f}s infinite">{escape(line)}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 740 {height}" width="740" '
        f'height="{height}" role="img" aria-label="Saniwa in a terminal">\n'
        "<style>text{font:14px ui-monospace,Menlo,Consolas,monospace;fill:#d7dce2}"
        ".typed{fill:#9ad1a5;font-weight:bold}"
        "@media(prefers-reduced-motion:reduce){text{animation:none!important}}"
        f"{''.join(rules)}</style>\n"
        f'<rect width="740" height="{height}" rx="8" fill="#1d2126"/>\n'
        + "\n".join(rows)
        + "\n</svg>\n"
    )


def save_page_picture(file: Path) -> None:
    """Save a picture of a run as spectators see it in the web app."""
    _, (scenario, typed) = next(iter(TYPED.items()))
    with (
        tempfile.TemporaryDirectory() as folder,
        open_server(Path(folder)) as address,
        open_chromium() as browser,
    ):
        page = browser.new_page(viewport={"width": DESK[0], "height": PAGE_HEIGHT})
        begun = page.request.post(f"{address}/api/v1/runs", data={"scenario": scenario}).json()
        run, revision = begun["run"], begun["revision"]
        for words in typed:
            answer = page.request.post(
                f"{address}/api/v1/runs/{run}/words",
                data={"text": words},
                headers={"If-Match": f'"{revision}"'},
            )
            revision = answer.json()["revision"]
        page.goto(f"{address}/watch/{run}")
        page.wait_for_load_state("networkidle")
        page.screenshot(path=str(file))


def main() -> None:
    """Make all pictures."""
    FOLDER.mkdir(exist_ok=True)
    for language, (scenario, typed) in TYPED.items():
        drawn = draw_terminal(record_terminal(scenario, typed))
        (FOLDER / f"terminal.{language}.svg").write_text(drawn, encoding="utf-8")
    save_page_picture(FOLDER / "page.png")


if __name__ == "__main__":
    main()
