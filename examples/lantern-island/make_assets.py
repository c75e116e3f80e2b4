"""Makes the pictures and sounds of Lantern Island, out of nothing but arithmetic.

Run it to make them anew: `python make_assets.py [FOLDER]`. The same script makes the same
bytes every time; it needs only Python's standard library.
"""

import struct
import sys
from collections.abc import Callable, Iterable
from itertools import pairwise
from math import cos, exp, pi, sin
from pathlib import Path

WIDE, HIGH = 1280, 720
RATE = 8000
"""Samples a second: enough for bells, bottles and a music box."""


# Pictures: every one is a few flat shapes, fog, and one warm light.


class RandomGrain:
    """A small generator of chance, so that every run scatters the same stones."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def draw_between(self, low: float, high: float) -> float:
        """A number between the two."""
        self.state = (self.state * 1103515245 + 12345) % 2147483648
        return low + (high - low) * (self.state / 2147483648)


def format_number(value: float) -> str:
    """A coordinate in as few letters as will do."""
    return f"{value:.1f}".removesuffix(".0")


def draw_path(points: Iterable[tuple[float, float]], fill: str, more: str = "") -> str:
    """A closed shape with straight sides."""
    way = "L".join(f"{format_number(x)} {format_number(y)}" for x, y in points)
    return f'<path d="M{way}Z" fill="{fill}" {more}/>'


def draw_box(x: float, y: float, w: float, h: float, fill: str, more: str = "") -> str:
    """An upright rectangle."""
    numbers = [format_number(each) for each in (x, y, w, h)]
    return '<rect x="{}" y="{}" width="{}" height="{}" fill="{}" {}/>'.format(*numbers, fill, more)


def draw_disc(x: float, y: float, r: float, fill: str, more: str = "") -> str:
    """A circle."""
    return f'<circle cx="{format_number(x)}" cy="{format_number(y)}" r="{format_number(r)}" fill="{fill}" {more}/>'


def draw_oval(x: float, y: float, a: float, b: float, fill: str, more: str = "") -> str:
    """An ellipse."""
    numbers = [format_number(each) for each in (x, y, a, b)]
    return '<ellipse cx="{}" cy="{}" rx="{}" ry="{}" fill="{}" {}/>'.format(*numbers, fill, more)


def draw_line(d: str, colour: str, width: float, more: str = "") -> str:
    """A stroke."""
    return (
        f'<path d="{d}" fill="none" stroke="{colour}" stroke-width="{format_number(width)}" '
        f'stroke-linecap="round" {more}/>'
    )


def draw_fade(name: str, *stops: tuple[float, str, float], round: bool = False) -> str:
    """A gradient: where, which colour, how solid."""
    kind = "radialGradient" if round else "linearGradient"
    turn = "" if round else ' x2="0" y2="1"'
    inner = "".join(
        f'<stop offset="{format_number(at)}" stop-color="{colour}" stop-opacity="{solid}"/>'
        for at, colour, solid in stops
    )
    return f'<{kind} id="{name}"{turn}>{inner}</{kind}>'


COMMON = (
    draw_fade("night", (0, "#0b1526", 1), (0.6, "#1d3350", 1), (1, "#4b6a80", 1))
    + draw_fade("morning", (0, "#7fa6c9", 1), (0.6, "#f3c9a4", 1), (1, "#fbe6c4", 1))
    + draw_fade("fog", (0, "#c9d6dc", 0.6), (0.5, "#c9d6dc", 0.3), (1, "#c9d6dc", 0), round=True)
    + draw_fade("sea", (0, "#2b4a62", 1), (1, "#0d1c2c", 1))
    + draw_fade("glow", (0, "#ffe9b0", 0.9), (0.3, "#ffc861", 0.4), (1, "#ffb03a", 0), round=True)
    + draw_fade("beam", (0, "#fff3cf", 0.7), (1, "#fff3cf", 0), round=True)
    + draw_fade("wall", (0, "#6d4c3a", 1), (1, "#3a2620", 1))
    + draw_fade("stone", (0, "#2a3440", 1), (1, "#121820", 1))
)


def draw_picture(*shapes: str, wide: int = WIDE, high: int = HIGH) -> str:
    """A whole picture."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}">'
        f"<defs>{COMMON}</defs>{''.join(shapes)}</svg>\n"
    ).replace(" />", "/>")


def draw_ground(fill: str) -> str:
    """The ground of a picture."""
    return draw_box(0, 0, WIDE, HIGH, fill)


def draw_fog(*heights: float) -> str:
    """Bands of fog."""
    return "".join(
        draw_oval(300 + 340 * n % 900, y, 900, 70 + 12 * n, "url(#fog)")
        for n, y in enumerate(heights)
    )


def draw_glow(x: float, y: float, r: float) -> str:
    """A warm light."""
    return draw_disc(x, y, r, "url(#glow)")


def draw_stars(seed: int, count: int, low: float = 300) -> str:
    """A few stars that the fog has not reached."""
    grain = RandomGrain(seed)
    return "".join(
        draw_disc(
            grain.draw_between(0, WIDE),
            grain.draw_between(0, low),
            grain.draw_between(0.8, 2),
            "#dfe9ef",
            'opacity=".5"',
        )
        for _ in range(count)
    )


def draw_lighthouse(x: float, y: float, size: float, lit: bool = False) -> str:
    """The lighthouse, its foot at the given point."""

    def place_point(dx: float, dy: float) -> tuple[float, float]:
        return x + dx * size, y + dy * size

    white, red = ("#e9e2d4", "#a4453a") if lit else ("#5d6c7a", "#3f3f4e")
    tower = draw_path(
        [place_point(-46, 0), place_point(-28, -300), place_point(28, -300), place_point(46, 0)],
        white,
    )
    bands = "".join(
        draw_path(
            [
                place_point(-46 + 18 * t, -300 * t),
                place_point(-46 + 18 * (t + 0.14), -300 * (t + 0.14)),
                place_point(46 - 18 * (t + 0.14), -300 * (t + 0.14)),
                place_point(46 - 18 * t, -300 * t),
            ],
            red,
        )
        for t in (0.18, 0.5, 0.8)
    )
    rail = draw_box(x - 40 * size, y - 308 * size, 80 * size, 8 * size, "#1a222c")
    glass = draw_box(
        x - 22 * size, y - 350 * size, 44 * size, 42 * size, "#ffe6a6" if lit else "#2c3c4c"
    )
    roof = draw_path(
        [place_point(-28, -350), place_point(0, -384), place_point(28, -350)], "#1a222c"
    )
    door = draw_box(x - 12 * size, y - 40 * size, 24 * size, 40 * size, "#1a222c")
    return tower + bands + rail + glass + roof + door


def draw_beams(x: float, y: float) -> str:
    """Light that goes out to sea."""
    left = draw_path([(x, y), (x - 900, y - 170), (x - 900, y + 120)], "url(#beam)")
    right = draw_path([(x, y), (x + 900, y - 120), (x + 900, y + 170)], "url(#beam)")
    return left + right


def draw_sea(y: float, colour: str = "url(#sea)") -> str:
    """Water from some height down, with a few quiet lines on it."""
    grain = RandomGrain(int(y))
    waves = ""
    for n in range(14):
        wx, wy = grain.draw_between(0, WIDE - 160), y + 16 + n * (HIGH - y - 30) / 14
        length = grain.draw_between(50, 150)
        waves += draw_line(
            f"M{format_number(wx)} {format_number(wy)}q{format_number(length / 4)}-6 {format_number(length / 2)} 0"
            f"t{format_number(length / 2)} 0",
            "#a9c0cc",
            1.6,
            'opacity=".35"',
        )
    return draw_box(0, y, WIDE, HIGH - y, colour) + waves


def draw_hill(points: list[tuple[float, float]], colour: str) -> str:
    """Land, down to the bottom of the picture."""
    (first, _), (last, _) = points[0], points[-1]
    way = f"M{format_number(first)} {HIGH}L{format_number(first)} {format_number(points[0][1])}"
    for (ax, ay), (bx, by) in pairwise(points):
        mid = (ax + bx) / 2
        way += f"C{format_number(mid)} {format_number(ay)} {format_number(mid)} {format_number(by)} {format_number(bx)} {format_number(by)}"
    return f'<path d="{way}L{format_number(last)} {HIGH}Z" fill="{colour}"/>'


def draw_planks(x: float, y: float, wide: float, count: int) -> str:
    """A jetty that runs towards us."""
    out = ""
    for n in range(count):
        t, u = n / count, (n + 0.86) / count
        left, right = x - wide * (0.25 + 0.75 * t), x + wide * (0.25 + 0.75 * t)
        left2, right2 = x - wide * (0.25 + 0.75 * u), x + wide * (0.25 + 0.75 * u)
        top, low = y + (HIGH - y) * t**1.5, y + (HIGH - y) * u**1.5
        shade = ("#4d4238", "#463b33", "#544739")[n % 3]
        out += draw_path([(left, top), (right, top), (right2, low), (left2, low)], shade)
    return out


def draw_jetty() -> str:
    """Planks, a bollard, a board, and a dark tower."""
    board = (
        draw_box(858, 430, 12, 150, "#3a2e26")
        + draw_box(938, 430, 12, 150, "#3a2e26")
        + draw_box(838, 400, 132, 90, "#6b5644", 'transform="rotate(-4 900 440)"')
        + draw_box(858, 416, 92, 58, "#d8cdb4", 'transform="rotate(-4 900 440)"')
        + "".join(
            draw_line(
                f"M{868} {430 + 11 * n}h{(70, 62, 74, 40)[n]}",
                "#6b5f52",
                2,
                'transform="rotate(-4 900 440)"',
            )
            for n in range(4)
        )
    )
    bollard = draw_box(322, 500, 44, 90, "#2a2622") + draw_oval(344, 500, 26, 10, "#3d3731")
    return draw_picture(
        draw_ground("url(#night)"),
        draw_stars(3, 40, 220),
        draw_hill([(500, 430), (760, 330), (1000, 300), (1280, 380)], "#16263a"),
        draw_lighthouse(960, 318, 0.62),
        draw_fog(330, 400),
        draw_sea(430),
        draw_planks(620, 440, 460, 11),
        board,
        bollard,
        draw_fog(520, 600, 460),
    )


def draw_shore_path() -> str:
    """A path of shells between a lit window and the tower."""
    grain = RandomGrain(11)
    shells = "".join(
        draw_oval(
            640 + (grain.draw_between(-1, 1)) * (60 + (y - 430) * 1.05) + 60 * sin((y - 430) / 60),
            y,
            4 + (y - 430) / 50,
            2 + (y - 430) / 110,
            ("#d9d2c2", "#b9b7ae", "#e9dcc6")[n % 3],
            'opacity=".8"',
        )
        for n, y in enumerate(440 + 2.7 * k for k in range(100))
    )
    cottage = (
        draw_box(120, 380, 230, 120, "#77808a")
        + draw_path([(100, 384), (235, 300), (370, 384)], "#2b2f3a")
        + draw_box(290, 320, 24, 50, "#3d4049")
        + draw_box(250, 420, 44, 80, "#3f6a8c")
        + draw_box(160, 412, 50, 44, "#ffd98a")
        + draw_line("M185 412v44M160 434h50", "#6b4a2a", 3)
        + draw_glow(185, 434, 130)
    )
    shed = draw_box(1020, 430, 180, 80, "#2b2623") + draw_path(
        [(1004, 434), (1110, 380), (1216, 434)], "#1f1b1a"
    )
    return draw_picture(
        draw_ground("url(#night)"),
        draw_stars(5, 40, 260),
        draw_hill([(0, 470), (300, 440), (640, 400), (900, 420), (1280, 470)], "#1c2f38"),
        draw_lighthouse(660, 412, 0.95),
        draw_fog(390, 440),
        draw_hill([(0, 500), (400, 490), (800, 480), (1280, 510)], "#22363a"),
        cottage,
        shed,
        '<path d="M610 430C700 520 420 600 330 720H960C900 600 760 520 690 430Z" fill="#55605d"/>',
        shells,
        draw_fog(560, 650),
    )


def draw_boards(y: float, colour: str, seam: str) -> str:
    """Boards that run away from us."""
    seams = "".join(
        draw_line(
            f"M{format_number(640 + (k - 6) * 60)} {format_number(y)}L{format_number(640 + (k - 6) * 190)} 720",
            seam,
            2,
        )
        for k in range(13)
    )
    return draw_box(0, y, WIDE, HIGH - y, colour) + seams


def draw_kitchen() -> str:
    """A stove, a table, a rug, a hatch."""
    stove = (
        draw_box(120, 330, 210, 210, "#23262b", 'rx="10"')
        + draw_box(200, 60, 46, 274, "#2c3036")
        + draw_box(150, 420, 150, 80, "#ff9b42", 'rx="8"')
        + draw_line("M170 420v80M200 420v80M230 420v80M260 420v80M285 420v80", "#23262b", 6)
        + '<path d="M180 330q0-50 46-50t46 50Z" fill="#8795a0"/>'
        + draw_line("M272 305q26 0 22-26", "#8795a0", 10)
        + draw_line("M300 262q14-20 0-40t6-44", "#e8eef0", 5, 'opacity=".35"')
        + draw_glow(225, 460, 260)
    )
    table = (
        draw_box(830, 420, 330, 22, "#e6dcc6")
        + draw_box(856, 442, 18, 150, "#b9a987")
        + draw_box(1118, 442, 18, 150, "#b9a987")
        + draw_oval(930, 416, 52, 10, "#f7f4ea")
        + draw_path([(892, 412), (960, 412), (960, 380), (918, 372)], "#c98f4e")
        + draw_box(1040, 384, 40, 34, "#f7f4ea", 'rx="6"')
        + draw_line("M1080 392q18 6 0 18", "#f7f4ea", 5)
        + draw_line("M1056 376q8-12 0-22", "#fff", 3, 'opacity=".5"')
    )
    window = (
        draw_box(540, 120, 200, 170, "#2e4358")
        + draw_box(540, 120, 200, 170, "url(#fog)")
        + draw_line("M640 120v170M540 205h200", "#b58a5e", 8)
        + draw_box(530, 286, 220, 14, "#b58a5e")
    )
    rug = "".join(
        draw_oval(470, 620, 190 - 36 * n, 58 - 11 * n, colour)
        for n, colour in enumerate(("#8c3f3a", "#d9b26a", "#3d6076", "#d9b26a", "#8c3f3a"))
    )
    hatch = (
        draw_path([(700, 590), (860, 590), (890, 660), (700, 660)], "#4a3426")
        + draw_line("M752 590l6 70M806 590l18 70", "#2f2018", 3)
        + '<circle cx="790" cy="640" r="13" fill="none" stroke="#20242a" stroke-width="6"/>'
    )
    shelf = draw_box(860, 180, 280, 12, "#b58a5e") + "".join(
        draw_box(880 + 52 * n, 140 - 8 * (n % 2), 32, 40 + 8 * (n % 2), c, 'rx="5"')
        for n, c in enumerate(("#7d9a86", "#d7c7a3", "#a4574a", "#8aa4b5", "#d7c7a3"))
    )
    return draw_picture(
        draw_ground("url(#wall)"),
        draw_boards(540, "#5c4030", "#432e22"),
        window,
        shelf,
        rug,
        hatch,
        stove,
        table,
    )


def draw_boathouse() -> str:
    """A boat on trestles, rope, a workbench."""
    boards = "".join(
        draw_box(80 * n, 0, 78, 520, ("#2e2a28", "#332e2a", "#2a2725")[n % 3]) for n in range(16)
    )
    boat = (
        '<path d="M300 430Q640 500 1010 410Q960 570 760 590H520Q370 570 300 430Z" fill="#47606b"/>'
        + draw_line("M300 430Q640 500 1010 410", "#d8cdb4", 10)
        + draw_line("M340 486Q640 545 976 470", "#33474f", 4)
        + draw_box(430, 560, 26, 90, "#5c4734")
        + draw_box(850, 545, 26, 105, "#5c4734")
    )
    ring = (
        '<g fill="none"><circle cx="640" cy="405" r="46" stroke="#e9e2d4" stroke-width="24"/>'
        '<circle cx="640" cy="405" r="46" stroke="#b3493d" stroke-width="24" '
        'stroke-dasharray="36 36.3"/></g>'
    )
    lantern = (
        draw_line("M1080 0v130", "#8a7a63", 4)
        + draw_box(1060, 130, 40, 56, "#ffd98a", 'rx="6"')
        + draw_box(1054, 122, 52, 10, "#23262b")
        + draw_box(1054, 184, 52, 10, "#23262b")
        + draw_glow(1080, 158, 330)
    )
    rope = "".join(
        f'<circle cx="170" cy="250" r="{52 - 12 * n}" fill="none" stroke="#b59b6a" stroke-width="9"/>'
        for n in range(3)
    )
    return draw_picture(
        boards, draw_box(0, 520, WIDE, 200, "#1f1b19"), rope, ring, boat, lantern, draw_fog(690)
    )


def draw_herb_beds() -> str:
    """Raked beds, a scarecrow admiral, a cracked pot."""
    beds = "".join(
        draw_path(
            [(180 + 330 * n, 520), (400 + 330 * n, 520), (330 + 400 * n, 690), (20 + 400 * n, 690)],
            "#3a2e26",
        )
        for n in range(3)
    )
    grain = RandomGrain(23)
    herbs = ""
    for n in range(54):
        row = n % 3
        y = grain.draw_between(530, 680)
        t = (y - 520) / 170
        x = grain.draw_between(
            180 + 330 * row - t * (160 - 70 * row) + 16, 400 + 330 * row - t * (70 - 70 * row) - 16
        )
        herbs += draw_line(
            f"M{format_number(x)} {format_number(y)}q-7-16-12-20m12 20q0-18 2-26m-2 26q8-14 13-17",
            ("#6f9a6c", "#8fb07c", "#5d8577")[n % 3],
            3.5,
        )
    coat = (
        draw_box(634, 300, 12, 290, "#5c4734")
        + draw_line("M520 350H768", "#5c4734", 11)
        + draw_path([(588, 340), (692, 340), (720, 500), (560, 500)], "#2c4468")
        + draw_path([(540, 338), (600, 338), (596, 366), (536, 364)], "#2c4468")
        + draw_path([(680, 338), (742, 338), (746, 364), (684, 366)], "#2c4468")
        + draw_line("M640 346v150", "#d9b26a", 4)
        + "".join(draw_disc(626, 372 + 30 * n, 5, "#e9c877") for n in range(4))
        + draw_oval(588, 340, 22, 8, "#e9c877")
        + draw_oval(692, 340, 22, 8, "#e9c877")
        + draw_disc(640, 292, 36, "#c9ab78")
        + '<path d="M584 272Q640 206 696 272Q640 254 584 272Z" fill="#1d2a40"/>'
        + draw_line("M628 290v4M652 290v4M628 308q12 8 24 0", "#4a3a26", 4)
        + draw_line("M764 352L800 190", "#8a6d4a", 9)
        + draw_path([(786, 196), (816, 202), (832, 130), (790, 122)], "#c9ab63")
    )
    pot = (
        draw_path([(1010, 560), (1130, 560), (1108, 670), (1032, 670)], "#b0613f")
        + draw_box(1000, 542, 140, 26, "#c2724c")
        + draw_oval(1070, 544, 60, 10, "#2f251f")
        + draw_line("M1080 570l-12 26 14 20-10 30", "#6d3621", 4)
    )
    return draw_picture(
        draw_ground("url(#night)"),
        draw_stars(9, 50, 280),
        draw_hill([(0, 470), (420, 430), (860, 450), (1280, 420)], "#1d3338"),
        draw_fog(420, 470),
        draw_box(0, 500, WIDE, 220, "#26393a"),
        beds,
        herbs,
        coat,
        pot,
        draw_fog(600),
    )


def draw_loft() -> str:
    """A round window, a bed of flags, a chest."""
    quilt = "".join(
        draw_path(
            [
                (770 + 66 * c - 8 * r, 440 + 34 * r),
                (836 + 66 * c - 8 * r, 440 + 34 * r),
                (828 + 66 * c - 8 * r, 474 + 34 * r),
                (762 + 66 * c - 8 * r, 474 + 34 * r),
            ],
            ("#a4453a", "#e9e2d4", "#3d6076", "#d9b26a", "#5d8577")[(2 * r + 3 * c) % 5],
        )
        for r in range(4)
        for c in range(6)
    )
    beams_ = "".join(
        draw_path([(x, 0), (x + 34, 0), (x + 34 + lean, 430), (x + lean, 430)], "#3a2b23")
        for x, lean in ((60, -160), (330, -70), (916, 70), (1186, 160))
    )
    chest = (
        draw_box(250, 500, 270, 130, "#6d4a30", 'rx="6"')
        + '<path d="M250 506q0-60 135-60t135 60Z" fill="#7b5638"/>'
        + "".join(draw_box(x, 452, 18, 178, "#b8733d") for x in (282, 470))
        + draw_box(368, 496, 34, 42, "#c9d2d6", 'rx="4"')
        + draw_disc(385, 512, 5, "#23262b")
        + draw_box(383, 514, 4, 12, "#23262b")
    )
    window = (
        draw_disc(640, 220, 120, "#6b5644")
        + draw_disc(640, 220, 100, "#3d566c")
        + '<clipPath id="o"><circle cx="640" cy="220" r="100"/></clipPath>'
        + f'<g clip-path="url(#o)">{draw_fog(190, 260)}</g>'
        + draw_line("M640 120v200M540 220h200", "#6b5644", 9)
    )
    candle = (
        draw_box(1204, 396, 16, 44, "#f0e6cf")
        + draw_oval(1212, 384, 6, 13, "#ffd98a")
        + draw_box(1180, 440, 64, 130, "#4a372a")
        + draw_glow(1212, 384, 300)
    )
    return draw_picture(
        draw_ground("#241d1c"),
        draw_path([(0, 0), (1280, 0), (1280, 430), (0, 430)], "#33282a"),
        beams_,
        window,
        draw_boards(540, "#4a372a", "#372820"),
        draw_box(730, 400, 440, 60, "#6b5644"),
        quilt,
        draw_box(750, 380, 96, 62, "#efe8d8", 'rx="16"'),
        chest,
        candle,
    )


def draw_cellar() -> str:
    """Stone, shelves, one can."""
    grain = RandomGrain(31)
    stones = "".join(
        draw_box(
            160 * c - 80 * (r % 2),
            72 * r,
            156,
            68,
            "#2b3440",
            f'rx="8" opacity="{format_number(grain.draw_between(0.4, 1))}"',
        )
        for r in range(8)
        for c in range(9)
    )
    shelves = "".join(draw_box(300, 220 + 130 * n, 680, 16, "#5c4734") for n in range(3))
    rings = "".join(
        draw_oval(360 + 92 * c, 216 + 130 * r, 30, 6, "#8a8377", 'opacity=".55"')
        for r in range(3)
        for c in range(7)
        if (r, c) != (1, 3)
    )
    can = (
        draw_box(604, 262, 66, 88, "#b3493d", 'rx="6"')
        + draw_box(604, 292, 66, 28, "#e9e2d4")
        + '<path d="M637 296q12 14 0 20q-12-6 0-20Z" fill="#d99a2b"/>'
        + draw_line("M616 262q20-26 42 0", "#23262b", 6)
        + draw_box(656, 240, 12, 24, "#23262b")
    )
    light = draw_path([(520, 0), (760, 0), (900, 720), (380, 720)], "#ffd98a", 'opacity=".12"')
    return draw_picture(
        draw_ground("url(#stone)"),
        stones,
        draw_box(0, 580, WIDE, 140, "#171d25"),
        shelves,
        rings,
        can,
        draw_glow(637, 300, 150),
        light,
    )


def draw_tower_foot() -> str:
    """A round room and a stair that winds up."""
    steps = ""
    for n in range(22):
        t = n / 21
        angle = 0.3 + 5.2 * t
        x, y = 640 + 330 * cos(angle), 660 - 600 * t + 50 * sin(angle)
        back = sin(angle) < 0
        colour = "#2a333d" if back else "#46525e"
        steps += draw_box(x - 74, y, 148, 13, colour, 'rx="3"')
        steps += draw_line(f"M{format_number(x)} {format_number(y)}v-54", colour, 4)
    column = draw_box(606, 0, 68, 690, "#1a222b")
    wall = "".join(
        draw_line(
            f"M{format_number(640 - 620 * cos(k * pi / 12))} 0v720", "#2e3944", 3, 'opacity=".6"'
        )
        for k in range(13)
    )
    return draw_picture(
        draw_ground("url(#stone)"),
        wall,
        draw_oval(640, 668, 560, 60, "#39434d"),
        column,
        steps,
        draw_glow(640, 40, 220),
    )


def draw_watch_room() -> str:
    """A desk, a logbook, a glass door."""
    desk = (
        draw_box(240, 450, 460, 26, "#7b5638")
        + draw_box(264, 476, 120, 150, "#5c4030")
        + draw_box(660, 476, 22, 150, "#5c4030")
        + "".join(
            draw_box(276, 490 + 44 * n, 96, 34, "#6d4a30")
            + draw_disc(324, 507 + 44 * n, 5, "#d9b26a")
            for n in range(3)
        )
        + draw_path(
            [(400, 452), (500, 438), (600, 452), (600, 444), (500, 428), (400, 444)], "#efe8d8"
        )
        + draw_line("M500 430v10", "#a99a80", 3)
        + draw_disc(640, 434, 14, "#1d2a40")
        + draw_line("M640 422l22-66", "#e9e2d4", 4)
    )
    lamp = (
        draw_box(296, 400, 40, 50, "#8a6d3a", 'rx="8"')
        + '<path d="M298 400q-8-50 18-62q26 12 18 62Z" fill="#ffe6a6" opacity=".85"/>'
        + draw_glow(316, 376, 280)
    )
    door = (
        draw_box(880, 160, 240, 430, "#3a4a5a")
        + draw_box(900, 180, 200, 390, "#5f7688")
        + '<clipPath id="d"><rect x="900" y="180" width="200" height="390"/></clipPath>'
        + f'<g clip-path="url(#d)">{draw_fog(300, 420, 500)}</g>'
        + draw_line("M1000 180v390M900 310h200M900 440h200", "#3a4a5a", 9)
        + draw_disc(1084, 384, 8, "#d9b26a")
    )
    trap = draw_box(520, 0, 190, 26, "#5c4030") + draw_line(
        "M560 26v300M650 26v300M560 90h90M560 150h90M560 210h90M560 270h90", "#4a3a30", 9
    )
    return draw_picture(
        draw_ground("#27323c"), draw_boards(590, "#3f3228", "#2e241d"), trap, door, desk, lamp
    )


def draw_gallery() -> str:
    """A railing above the fog, and one ship that is a guess."""
    rails = "".join(draw_line(f"M{60 + 97 * n} 500V700", "#141b24", 9) for n in range(13))
    ship = (
        draw_path([(820, 372), (1000, 372), (970, 404), (846, 404)], "#22384a")
        + draw_line("M880 372V290M940 372V276", "#22384a", 6)
        + draw_disc(940, 286, 5, "#ffcf7a")
        + draw_glow(940, 286, 60)
    )
    return draw_picture(
        draw_ground("url(#night)"),
        draw_stars(41, 90, 330),
        '<path d="M250 88a52 52 0 1 0 50 66a44 44 0 0 1-50-66Z" fill="#dfe6ea"/>',
        f'<g opacity=".75">{ship}</g>',
        draw_fog(390, 430, 480, 540, 600, 660),
        rails,
        draw_line("M0 500H1280", "#141b24", 16),
        draw_line("M0 590H1280", "#141b24", 8),
    )


def draw_great_lamp(lit: bool) -> str:
    """The lamp room, dark or full of light."""
    panes = "".join(
        draw_line(f"M{format_number(640 - 600 * cos(k * pi / 8))} 60V600", "#0e151d", 12)
        for k in range(9)
    )
    glass = "#ffe9b8" if lit else "#4c6577"
    petals = "".join(
        draw_oval(
            640,
            340,
            150 - 24 * n,
            230 - 16 * n,
            "none",
            f'stroke="{glass}" stroke-width="7" opacity="{format_number(0.9 - 0.1 * n)}"',
        )
        for n in range(6)
    )
    ribs = draw_line("M520 210H760M492 290H788M492 390H788M520 470H760", glass, 5, 'opacity=".7"')
    foot = draw_path([(560, 570), (720, 570), (760, 650), (520, 650)], "#8a6d3a") + draw_box(
        600, 540, 80, 34, "#a98545"
    )
    pilot = '<path d="M640 508q16 22 0 34q-16-12 0-34Z" fill="#ffc861"/>' + draw_glow(640, 528, 70)
    flame = '<path d="M640 200q70 110 0 200q-70-90 0-200Z" fill="#fff6dc"/>' if lit else ""
    light = (
        draw_beams(640, 320) + draw_glow(640, 320, 520) + draw_glow(640, 320, 300) if lit else ""
    )
    return draw_picture(
        draw_ground("#e8b45c" if lit else "url(#night)"),
        "" if lit else draw_stars(51, 40, 300) + draw_fog(420, 500, 560),
        panes,
        draw_box(0, 40, WIDE, 24, "#0e151d"),
        draw_box(0, 600, WIDE, 120, "#3a2c1d" if lit else "#1a222b"),
        foot,
        light,
        petals,
        ribs,
        flame or pilot,
    )


def draw_dawn() -> str:
    """The morning after, with the sea put back where it belongs."""
    gulls = "".join(
        draw_line(f"M{x} {y}q14-16 26 0q12-16 26 0", "#4a5a66", 4)
        for x, y in ((300, 180), (380, 140), (860, 210))
    )
    boat = (
        draw_path([(420, 486), (560, 486), (536, 516), (446, 516)], "#7b4a3a")
        + draw_line("M490 486v-80", "#5c4030", 6)
        + draw_path([(496, 410), (496, 474), (548, 474)], "#f3ead6")
    )
    return draw_picture(
        draw_ground("url(#morning)"),
        draw_disc(330, 430, 70, "#fff1cf"),
        draw_disc(330, 430, 330, "url(#glow)", 'opacity=".6"'),
        gulls,
        draw_sea(450, "#7fa9b8"),
        boat,
        draw_hill([(640, 560), (820, 430), (1020, 390), (1280, 450)], "#5d7f6c"),
        draw_lighthouse(1010, 402, 0.85, lit=True),
        draw_hill([(760, 660), (1000, 600), (1280, 590)], "#4b6b5c"),
    )


def draw_orla() -> str:
    """Orla: a shawl, a bun, a stick."""
    return draw_picture(
        draw_line("M150 330V690", "#6d4a30", 12),
        draw_line("M150 334q0-30 30-30", "#6d4a30", 12),
        '<path d="M130 700Q120 420 240 330Q360 420 350 700Z" fill="#4b5f74"/>',
        '<path d="M150 470Q170 330 240 312Q310 330 330 470Q240 540 150 470Z" fill="#a4574a"/>',
        draw_line("M176 452Q240 500 304 452M168 424Q240 474 312 424", "#d9b26a", 4),
        draw_disc(240, 232, 74, "#e3b892"),
        '<path d="M164 236Q158 136 240 142Q322 136 316 236Q300 176 240 180Q180 176 164 236Z" fill="#e6e3dc"/>',
        draw_disc(240, 132, 32, "#e6e3dc"),
        draw_line("M206 232q12-9 24 0M252 232q12-9 24 0", "#5a4034", 5),
        draw_line("M214 268q26 20 52 0", "#9a5a48", 5),
        draw_disc(196, 258, 12, "#e39a82", 'opacity=".6"'),
        draw_disc(284, 258, 12, "#e39a82", 'opacity=".6"'),
        draw_disc(156, 470, 20, "#e3b892"),
        wide=480,
        high=720,
    )


def draw_pim() -> str:
    """Pim: a big jersey, a cap, a whistle."""
    return draw_picture(
        draw_box(196, 600, 36, 100, "#3d4a56", 'rx="10"'),
        draw_box(250, 600, 36, 100, "#3d4a56", 'rx="10"'),
        draw_box(188, 686, 50, 20, "#23262b", 'rx="8"'),
        draw_box(244, 686, 50, 20, "#23262b", 'rx="8"'),
        '<path d="M150 620Q146 460 240 440Q334 460 330 620Z" fill="#c98f3e"/>',
        draw_line("M154 560H326M150 592H330", "#8a5a26", 7),
        draw_line("M176 492Q140 540 156 596M304 492Q340 540 324 596", "#c98f3e", 38),
        draw_disc(156, 604, 17, "#e8bf98"),
        draw_disc(324, 604, 17, "#e8bf98"),
        draw_disc(240, 374, 68, "#e8bf98"),
        '<path d="M170 366Q170 288 240 288Q310 288 310 366Q276 330 240 334Q204 330 170 366Z" fill="#8c3f2a"/>',
        '<path d="M166 346Q176 268 240 268Q304 268 314 346Q240 318 166 346Z" fill="#2c4468"/>',
        '<path d="M164 348Q240 316 316 348Q340 362 330 366Q240 334 150 366Q146 358 164 348Z" fill="#1d2f4a"/>',
        draw_disc(216, 380, 7, "#2f2420"),
        draw_disc(266, 380, 7, "#2f2420"),
        draw_line("M222 408q20 14 38-2", "#9a4f3c", 5),
        draw_disc(200, 396, 3, "#b9744f"),
        draw_disc(208, 402, 3, "#b9744f"),
        draw_disc(276, 402, 3, "#b9744f"),
        draw_disc(284, 396, 3, "#b9744f"),
        draw_line("M226 452L240 520L258 452", "#5c4030", 4),
        draw_box(233, 516, 14, 44, "#c9d2d6", 'rx="5"'),
        wide=480,
        high=720,
    )


PICTURES: dict[str, Callable[[], str]] = {
    "jetty": draw_jetty,
    "path": draw_shore_path,
    "boathouse": draw_boathouse,
    "kitchen": draw_kitchen,
    "cellar": draw_cellar,
    "garden": draw_herb_beds,
    "loft": draw_loft,
    "tower": draw_tower_foot,
    "watch": draw_watch_room,
    "gallery": draw_gallery,
    "lamp_dark": lambda: draw_great_lamp(False),
    "lamp_lit": lambda: draw_great_lamp(True),
    "dawn": draw_dawn,
    "orla": draw_orla,
    "pim": draw_pim,
}


# Sounds: sums of sines that die away, and a little noise for water.

Sound = list[float]
"""Samples between -1 and 1."""


def make_silence(seconds: float) -> Sound:
    """Nothing, for a while."""
    return [0.0] * int(seconds * RATE)


def make_stroke(pitch: float, seconds: float, parts: Iterable[tuple[float, float, float]]) -> Sound:
    """A struck thing: partials as (multiple, loudness, how fast it dies)."""
    steps = range(int(seconds * RATE))
    heard = [(2 * pi * pitch * m / RATE, a, d / RATE) for m, a, d in parts]
    return [sum(a * exp(-d * n) * sin(w * n) for w, a, d in heard) for n in steps]


def lay(onto: Sound, sound: Sound, at: float, loud: float = 1.0) -> None:
    """Mix a sound into another; what runs over the end comes round to the beginning."""
    start = int(at * RATE)
    for n, value in enumerate(sound):
        onto[(start + n) % len(onto)] += loud * value


BOX = ((1, 0.5, 3.2), (2, 0.16, 5), (3, 0.08, 8), (5.4, 0.05, 16))
"""A music box."""
BELL = ((0.5, 0.3, 1.2), (1, 0.5, 1.6), (1.2, 0.25, 2), (2, 0.2, 3), (2.7, 0.14, 5))
"""A ship's bell, slightly out of tune with itself, as they are."""


def pad(length: float, pitches: Iterable[float], loud: float) -> Sound:
    """A held chord that can repeat forever: whole waves, swelling slowly."""
    out = make_silence(length)
    for number_, pitch in enumerate(pitches):
        whole_ = max(1, round_half_up(pitch * length))
        for n in range(len(out)):
            breath = 0.6 + 0.4 * sin(2 * pi * (n / len(out) + number_ / 5))
            out[n] += loud * breath * sin(2 * pi * whole_ * n / len(out))
    return out


def round_half_up(value: float) -> int:
    """The nearest whole number, halves up."""
    return int(value + 0.5)


def compute_pitch(steps: int) -> float:
    """A pitch, counted in half tones from the A below middle C."""
    return 220 * 2 ** (steps / 12)


def make_tune(length: float, chord: tuple[int, ...], melody: Iterable[tuple[float, int]]) -> Sound:
    """A loop: a held chord, and a music box over it."""
    out = pad(length, [compute_pitch(step) / 2 for step in chord], 0.1)
    for at, step in melody:
        lay(out, make_stroke(compute_pitch(step), 1.6, BOX), at, 0.5)
    return out


def make_water(seconds: float, seed: int) -> Sound:
    """A wave that comes and goes."""
    grain, low, out = RandomGrain(seed), 0.0, make_silence(seconds)
    for n in range(len(out)):
        low += 0.16 * (grain.draw_between(-1, 1) - low)
        out[n] = 1.6 * low * sin(pi * n / len(out)) ** 2
    return out


def make_rattle() -> Sound:
    """A lock that will not."""
    out = make_silence(0.5)
    for at in (0.0, 0.11, 0.2, 0.33):
        lay(out, make_stroke(180, 0.09, ((1, 0.5, 50), (3.3, 0.3, 70), (7.1, 0.2, 90))), at)
    return out


def make_key() -> Sound:
    """A lock that will."""
    out = make_silence(0.5)
    lay(out, make_stroke(900, 0.06, ((1, 0.3, 70), (2.7, 0.2, 90))), 0.0)
    lay(out, make_stroke(520, 0.2, ((1, 0.5, 30), (2.1, 0.3, 50), (4.7, 0.2, 80))), 0.16)
    return out


def make_strokes() -> Sound:
    """Two strokes across the water."""
    out = make_silence(1.4)
    lay(out, make_stroke(587, 1.4, BELL), 0.0, 0.6)
    lay(out, make_stroke(587, 1.0, BELL), 0.4, 0.4)
    # It has to have died away before the end, which would cut it off with a click.
    return [v * min(1.0, (len(out) - n) / 1600) for n, v in enumerate(out)]


SOUNDS: dict[str, Callable[[], Sound]] = {
    "bgm/fog": lambda: make_tune(
        4.8, (0, 7, 10, 15), [(0, 12), (1.2, 19), (1.8, 15), (2.4, 17), (3.6, 10)]
    ),
    "bgm/hearth": lambda: make_tune(
        4.8,
        (-4, 3, 8, 12),
        [
            (0, 20),
            (0.4, 24),
            (0.8, 27),
            (1.2, 24),
            (1.6, 22),
            (2.4, 20),
            (2.8, 24),
            (3.2, 15),
            (4, 19),
        ],
    ),
    "bgm/dawn": lambda: make_tune(
        4.8,
        (-7, 0, 5, 9),
        [(0, 17), (0.6, 21), (1.2, 24), (1.8, 29), (2.4, 28), (3, 24), (3.6, 26), (4.2, 24)],
    ),
    "se/bell": make_strokes,
    "se/key": make_key,
    "se/rattle": make_rattle,
    "se/wave": lambda: make_water(1.2, 7),
}


def encode_wav(sound: Sound) -> bytes:
    """A sound as a file: one channel, 16 bits."""
    peak = max(1.0, *map(abs, sound))
    whole_ = [round_half_up(value / peak * 26000 + 32768) - 32768 for value in sound]
    samples = struct.pack(f"<{len(whole_)}h", *whole_)
    head = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, RATE, RATE * 2, 2, 16)
    body = b"WAVE" + head + struct.pack("<4sI", b"data", len(samples)) + samples
    return struct.pack("<4sI", b"RIFF", len(body)) + body


def make_files() -> dict[str, bytes]:
    """Everything there is to make, by its path in the asset folder."""
    pictures = {f"images/{name}.svg": make().encode() for name, make in PICTURES.items()}
    return pictures | {f"{name}.wav": encode_wav(make()) for name, make in SOUNDS.items()}


def main(folder: Path) -> None:
    """Write everything into a folder."""
    for name, content in make_files().items():
        path_ = folder / name
        path_.parent.mkdir(parents=True, exist_ok=True)
        path_.write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "assets")
