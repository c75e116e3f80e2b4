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


class Grain:
    """A small generator of chance, so that every run scatters the same stones."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def next(self, low: float, high: float) -> float:
        """A number between the two."""
        self.state = (self.state * 1103515245 + 12345) % 2147483648
        return low + (high - low) * (self.state / 2147483648)


def number(value: float) -> str:
    """A coordinate in as few letters as will do."""
    return f"{value:.1f}".removesuffix(".0")


def path(points: Iterable[tuple[float, float]], fill: str, more: str = "") -> str:
    """A closed shape with straight sides."""
    way = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return f'<path d="M{way}Z" fill="{fill}" {more}/>'


def box(x: float, y: float, w: float, h: float, fill: str, more: str = "") -> str:
    """An upright rectangle."""
    numbers = [number(each) for each in (x, y, w, h)]
    return '<rect x="{}" y="{}" width="{}" height="{}" fill="{}" {}/>'.format(*numbers, fill, more)


def disc(x: float, y: float, r: float, fill: str, more: str = "") -> str:
    """A circle."""
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(r)}" fill="{fill}" {more}/>'


def oval(x: float, y: float, a: float, b: float, fill: str, more: str = "") -> str:
    """An ellipse."""
    numbers = [number(each) for each in (x, y, a, b)]
    return '<ellipse cx="{}" cy="{}" rx="{}" ry="{}" fill="{}" {}/>'.format(*numbers, fill, more)


def line(d: str, colour: str, width: float, more: str = "") -> str:
    """A stroke."""
    return (
        f'<path d="{d}" fill="none" stroke="{colour}" stroke-width="{number(width)}" '
        f'stroke-linecap="round" {more}/>'
    )


def fade(name: str, *stops: tuple[float, str, float], round: bool = False) -> str:
    """A gradient: where, which colour, how solid."""
    kind = "radialGradient" if round else "linearGradient"
    turn = "" if round else ' x2="0" y2="1"'
    inner = "".join(
        f'<stop offset="{number(at)}" stop-color="{colour}" stop-opacity="{solid}"/>'
        for at, colour, solid in stops
    )
    return f'<{kind} id="{name}"{turn}>{inner}</{kind}>'


COMMON = (
    fade("night", (0, "#0b1526", 1), (0.6, "#1d3350", 1), (1, "#4b6a80", 1))
    + fade("morning", (0, "#7fa6c9", 1), (0.6, "#f3c9a4", 1), (1, "#fbe6c4", 1))
    + fade("fog", (0, "#c9d6dc", 0.6), (0.5, "#c9d6dc", 0.3), (1, "#c9d6dc", 0), round=True)
    + fade("sea", (0, "#2b4a62", 1), (1, "#0d1c2c", 1))
    + fade("glow", (0, "#ffe9b0", 0.9), (0.3, "#ffc861", 0.4), (1, "#ffb03a", 0), round=True)
    + fade("beam", (0, "#fff3cf", 0.7), (1, "#fff3cf", 0), round=True)
    + fade("wall", (0, "#6d4c3a", 1), (1, "#3a2620", 1))
    + fade("stone", (0, "#2a3440", 1), (1, "#121820", 1))
)


def picture(*shapes: str, wide: int = WIDE, high: int = HIGH) -> str:
    """A whole picture."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}">'
        f"<defs>{COMMON}</defs>{''.join(shapes)}</svg>\n"
    ).replace(" />", "/>")


def whole(fill: str) -> str:
    """The ground of a picture."""
    return box(0, 0, WIDE, HIGH, fill)


def fog(*heights: float) -> str:
    """Bands of fog."""
    return "".join(
        oval(300 + 340 * n % 900, y, 900, 70 + 12 * n, "url(#fog)") for n, y in enumerate(heights)
    )


def glow(x: float, y: float, r: float) -> str:
    """A warm light."""
    return disc(x, y, r, "url(#glow)")


def stars(seed: int, count: int, low: float = 300) -> str:
    """A few stars that the fog has not reached."""
    grain = Grain(seed)
    return "".join(
        disc(grain.next(0, WIDE), grain.next(0, low), grain.next(0.8, 2), "#dfe9ef", 'opacity=".5"')
        for _ in range(count)
    )


def lighthouse(x: float, y: float, size: float, lit: bool = False) -> str:
    """The lighthouse, its foot at the given point."""

    def at(dx: float, dy: float) -> tuple[float, float]:
        return x + dx * size, y + dy * size

    white, red = ("#e9e2d4", "#a4453a") if lit else ("#5d6c7a", "#3f3f4e")
    tower = path([at(-46, 0), at(-28, -300), at(28, -300), at(46, 0)], white)
    bands = "".join(
        path(
            [
                at(-46 + 18 * t, -300 * t),
                at(-46 + 18 * (t + 0.14), -300 * (t + 0.14)),
                at(46 - 18 * (t + 0.14), -300 * (t + 0.14)),
                at(46 - 18 * t, -300 * t),
            ],
            red,
        )
        for t in (0.18, 0.5, 0.8)
    )
    rail = box(x - 40 * size, y - 308 * size, 80 * size, 8 * size, "#1a222c")
    glass = box(
        x - 22 * size, y - 350 * size, 44 * size, 42 * size, "#ffe6a6" if lit else "#2c3c4c"
    )
    roof = path([at(-28, -350), at(0, -384), at(28, -350)], "#1a222c")
    door = box(x - 12 * size, y - 40 * size, 24 * size, 40 * size, "#1a222c")
    return tower + bands + rail + glass + roof + door


def beams(x: float, y: float) -> str:
    """Light that goes out to sea."""
    left = path([(x, y), (x - 900, y - 170), (x - 900, y + 120)], "url(#beam)")
    right = path([(x, y), (x + 900, y - 120), (x + 900, y + 170)], "url(#beam)")
    return left + right


def sea(y: float, colour: str = "url(#sea)") -> str:
    """Water from some height down, with a few quiet lines on it."""
    grain = Grain(int(y))
    waves = ""
    for n in range(14):
        wx, wy = grain.next(0, WIDE - 160), y + 16 + n * (HIGH - y - 30) / 14
        length = grain.next(50, 150)
        waves += line(
            f"M{number(wx)} {number(wy)}q{number(length / 4)}-6 {number(length / 2)} 0"
            f"t{number(length / 2)} 0",
            "#a9c0cc",
            1.6,
            'opacity=".35"',
        )
    return box(0, y, WIDE, HIGH - y, colour) + waves


def hill(points: list[tuple[float, float]], colour: str) -> str:
    """Land, down to the bottom of the picture."""
    (first, _), (last, _) = points[0], points[-1]
    way = f"M{number(first)} {HIGH}L{number(first)} {number(points[0][1])}"
    for (ax, ay), (bx, by) in pairwise(points):
        mid = (ax + bx) / 2
        way += f"C{number(mid)} {number(ay)} {number(mid)} {number(by)} {number(bx)} {number(by)}"
    return f'<path d="{way}L{number(last)} {HIGH}Z" fill="{colour}"/>'


def planks(x: float, y: float, wide: float, count: int) -> str:
    """A jetty that runs towards us."""
    out = ""
    for n in range(count):
        t, u = n / count, (n + 0.86) / count
        left, right = x - wide * (0.25 + 0.75 * t), x + wide * (0.25 + 0.75 * t)
        left2, right2 = x - wide * (0.25 + 0.75 * u), x + wide * (0.25 + 0.75 * u)
        top, low = y + (HIGH - y) * t**1.5, y + (HIGH - y) * u**1.5
        shade = ("#4d4238", "#463b33", "#544739")[n % 3]
        out += path([(left, top), (right, top), (right2, low), (left2, low)], shade)
    return out


def jetty() -> str:
    """Planks, a bollard, a board, and a dark tower."""
    board = (
        box(858, 430, 12, 150, "#3a2e26")
        + box(938, 430, 12, 150, "#3a2e26")
        + box(838, 400, 132, 90, "#6b5644", 'transform="rotate(-4 900 440)"')
        + box(858, 416, 92, 58, "#d8cdb4", 'transform="rotate(-4 900 440)"')
        + "".join(
            line(
                f"M{868} {430 + 11 * n}h{(70, 62, 74, 40)[n]}",
                "#6b5f52",
                2,
                'transform="rotate(-4 900 440)"',
            )
            for n in range(4)
        )
    )
    bollard = box(322, 500, 44, 90, "#2a2622") + oval(344, 500, 26, 10, "#3d3731")
    return picture(
        whole("url(#night)"),
        stars(3, 40, 220),
        hill([(500, 430), (760, 330), (1000, 300), (1280, 380)], "#16263a"),
        lighthouse(960, 318, 0.62),
        fog(330, 400),
        sea(430),
        planks(620, 440, 460, 11),
        board,
        bollard,
        fog(520, 600, 460),
    )


def shore_path() -> str:
    """A path of shells between a lit window and the tower."""
    grain = Grain(11)
    shells = "".join(
        oval(
            640 + (grain.next(-1, 1)) * (60 + (y - 430) * 1.05) + 60 * sin((y - 430) / 60),
            y,
            4 + (y - 430) / 50,
            2 + (y - 430) / 110,
            ("#d9d2c2", "#b9b7ae", "#e9dcc6")[n % 3],
            'opacity=".8"',
        )
        for n, y in enumerate(440 + 2.7 * k for k in range(100))
    )
    cottage = (
        box(120, 380, 230, 120, "#77808a")
        + path([(100, 384), (235, 300), (370, 384)], "#2b2f3a")
        + box(290, 320, 24, 50, "#3d4049")
        + box(250, 420, 44, 80, "#3f6a8c")
        + box(160, 412, 50, 44, "#ffd98a")
        + line("M185 412v44M160 434h50", "#6b4a2a", 3)
        + glow(185, 434, 130)
    )
    shed = box(1020, 430, 180, 80, "#2b2623") + path(
        [(1004, 434), (1110, 380), (1216, 434)], "#1f1b1a"
    )
    return picture(
        whole("url(#night)"),
        stars(5, 40, 260),
        hill([(0, 470), (300, 440), (640, 400), (900, 420), (1280, 470)], "#1c2f38"),
        lighthouse(660, 412, 0.95),
        fog(390, 440),
        hill([(0, 500), (400, 490), (800, 480), (1280, 510)], "#22363a"),
        cottage,
        shed,
        '<path d="M610 430C700 520 420 600 330 720H960C900 600 760 520 690 430Z" fill="#55605d"/>',
        shells,
        fog(560, 650),
    )


def floor(y: float, colour: str, seam: str) -> str:
    """Boards that run away from us."""
    seams = "".join(
        line(
            f"M{number(640 + (k - 6) * 60)} {number(y)}L{number(640 + (k - 6) * 190)} 720", seam, 2
        )
        for k in range(13)
    )
    return box(0, y, WIDE, HIGH - y, colour) + seams


def kitchen() -> str:
    """A stove, a table, a rug, a hatch."""
    stove = (
        box(120, 330, 210, 210, "#23262b", 'rx="10"')
        + box(200, 60, 46, 274, "#2c3036")
        + box(150, 420, 150, 80, "#ff9b42", 'rx="8"')
        + line("M170 420v80M200 420v80M230 420v80M260 420v80M285 420v80", "#23262b", 6)
        + '<path d="M180 330q0-50 46-50t46 50Z" fill="#8795a0"/>'
        + line("M272 305q26 0 22-26", "#8795a0", 10)
        + line("M300 262q14-20 0-40t6-44", "#e8eef0", 5, 'opacity=".35"')
        + glow(225, 460, 260)
    )
    table = (
        box(830, 420, 330, 22, "#e6dcc6")
        + box(856, 442, 18, 150, "#b9a987")
        + box(1118, 442, 18, 150, "#b9a987")
        + oval(930, 416, 52, 10, "#f7f4ea")
        + path([(892, 412), (960, 412), (960, 380), (918, 372)], "#c98f4e")
        + box(1040, 384, 40, 34, "#f7f4ea", 'rx="6"')
        + line("M1080 392q18 6 0 18", "#f7f4ea", 5)
        + line("M1056 376q8-12 0-22", "#fff", 3, 'opacity=".5"')
    )
    window = (
        box(540, 120, 200, 170, "#2e4358")
        + box(540, 120, 200, 170, "url(#fog)")
        + line("M640 120v170M540 205h200", "#b58a5e", 8)
        + box(530, 286, 220, 14, "#b58a5e")
    )
    rug = "".join(
        oval(470, 620, 190 - 36 * n, 58 - 11 * n, colour)
        for n, colour in enumerate(("#8c3f3a", "#d9b26a", "#3d6076", "#d9b26a", "#8c3f3a"))
    )
    hatch = (
        path([(700, 590), (860, 590), (890, 660), (700, 660)], "#4a3426")
        + line("M752 590l6 70M806 590l18 70", "#2f2018", 3)
        + '<circle cx="790" cy="640" r="13" fill="none" stroke="#20242a" stroke-width="6"/>'
    )
    shelf = box(860, 180, 280, 12, "#b58a5e") + "".join(
        box(880 + 52 * n, 140 - 8 * (n % 2), 32, 40 + 8 * (n % 2), c, 'rx="5"')
        for n, c in enumerate(("#7d9a86", "#d7c7a3", "#a4574a", "#8aa4b5", "#d7c7a3"))
    )
    return picture(
        whole("url(#wall)"),
        floor(540, "#5c4030", "#432e22"),
        window,
        shelf,
        rug,
        hatch,
        stove,
        table,
    )


def boathouse() -> str:
    """A boat on trestles, rope, a workbench."""
    boards = "".join(
        box(80 * n, 0, 78, 520, ("#2e2a28", "#332e2a", "#2a2725")[n % 3]) for n in range(16)
    )
    boat = (
        '<path d="M300 430Q640 500 1010 410Q960 570 760 590H520Q370 570 300 430Z" fill="#47606b"/>'
        + line("M300 430Q640 500 1010 410", "#d8cdb4", 10)
        + line("M340 486Q640 545 976 470", "#33474f", 4)
        + box(430, 560, 26, 90, "#5c4734")
        + box(850, 545, 26, 105, "#5c4734")
    )
    ring = (
        '<g fill="none"><circle cx="640" cy="405" r="46" stroke="#e9e2d4" stroke-width="24"/>'
        '<circle cx="640" cy="405" r="46" stroke="#b3493d" stroke-width="24" '
        'stroke-dasharray="36 36.3"/></g>'
    )
    lantern = (
        line("M1080 0v130", "#8a7a63", 4)
        + box(1060, 130, 40, 56, "#ffd98a", 'rx="6"')
        + box(1054, 122, 52, 10, "#23262b")
        + box(1054, 184, 52, 10, "#23262b")
        + glow(1080, 158, 330)
    )
    rope = "".join(
        f'<circle cx="170" cy="250" r="{52 - 12 * n}" fill="none" stroke="#b59b6a" stroke-width="9"/>'
        for n in range(3)
    )
    return picture(boards, box(0, 520, WIDE, 200, "#1f1b19"), rope, ring, boat, lantern, fog(690))


def herb_garden() -> str:
    """Raked beds, a scarecrow admiral, a cracked pot."""
    beds = "".join(
        path(
            [(180 + 330 * n, 520), (400 + 330 * n, 520), (330 + 400 * n, 690), (20 + 400 * n, 690)],
            "#3a2e26",
        )
        for n in range(3)
    )
    grain = Grain(23)
    herbs = ""
    for n in range(54):
        row = n % 3
        y = grain.next(530, 680)
        t = (y - 520) / 170
        x = grain.next(
            180 + 330 * row - t * (160 - 70 * row) + 16, 400 + 330 * row - t * (70 - 70 * row) - 16
        )
        herbs += line(
            f"M{number(x)} {number(y)}q-7-16-12-20m12 20q0-18 2-26m-2 26q8-14 13-17",
            ("#6f9a6c", "#8fb07c", "#5d8577")[n % 3],
            3.5,
        )
    coat = (
        box(634, 300, 12, 290, "#5c4734")
        + line("M520 350H768", "#5c4734", 11)
        + path([(588, 340), (692, 340), (720, 500), (560, 500)], "#2c4468")
        + path([(540, 338), (600, 338), (596, 366), (536, 364)], "#2c4468")
        + path([(680, 338), (742, 338), (746, 364), (684, 366)], "#2c4468")
        + line("M640 346v150", "#d9b26a", 4)
        + "".join(disc(626, 372 + 30 * n, 5, "#e9c877") for n in range(4))
        + oval(588, 340, 22, 8, "#e9c877")
        + oval(692, 340, 22, 8, "#e9c877")
        + disc(640, 292, 36, "#c9ab78")
        + '<path d="M584 272Q640 206 696 272Q640 254 584 272Z" fill="#1d2a40"/>'
        + line("M628 290v4M652 290v4M628 308q12 8 24 0", "#4a3a26", 4)
        + line("M764 352L800 190", "#8a6d4a", 9)
        + path([(786, 196), (816, 202), (832, 130), (790, 122)], "#c9ab63")
    )
    pot = (
        path([(1010, 560), (1130, 560), (1108, 670), (1032, 670)], "#b0613f")
        + box(1000, 542, 140, 26, "#c2724c")
        + oval(1070, 544, 60, 10, "#2f251f")
        + line("M1080 570l-12 26 14 20-10 30", "#6d3621", 4)
    )
    return picture(
        whole("url(#night)"),
        stars(9, 50, 280),
        hill([(0, 470), (420, 430), (860, 450), (1280, 420)], "#1d3338"),
        fog(420, 470),
        box(0, 500, WIDE, 220, "#26393a"),
        beds,
        herbs,
        coat,
        pot,
        fog(600),
    )


def loft() -> str:
    """A round window, a bed of flags, a chest."""
    quilt = "".join(
        path(
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
        path([(x, 0), (x + 34, 0), (x + 34 + lean, 430), (x + lean, 430)], "#3a2b23")
        for x, lean in ((60, -160), (330, -70), (916, 70), (1186, 160))
    )
    chest = (
        box(250, 500, 270, 130, "#6d4a30", 'rx="6"')
        + '<path d="M250 506q0-60 135-60t135 60Z" fill="#7b5638"/>'
        + "".join(box(x, 452, 18, 178, "#b8733d") for x in (282, 470))
        + box(368, 496, 34, 42, "#c9d2d6", 'rx="4"')
        + disc(385, 512, 5, "#23262b")
        + box(383, 514, 4, 12, "#23262b")
    )
    window = (
        disc(640, 220, 120, "#6b5644")
        + disc(640, 220, 100, "#3d566c")
        + '<clipPath id="o"><circle cx="640" cy="220" r="100"/></clipPath>'
        + f'<g clip-path="url(#o)">{fog(190, 260)}</g>'
        + line("M640 120v200M540 220h200", "#6b5644", 9)
    )
    candle = (
        box(1204, 396, 16, 44, "#f0e6cf")
        + oval(1212, 384, 6, 13, "#ffd98a")
        + box(1180, 440, 64, 130, "#4a372a")
        + glow(1212, 384, 300)
    )
    return picture(
        whole("#241d1c"),
        path([(0, 0), (1280, 0), (1280, 430), (0, 430)], "#33282a"),
        beams_,
        window,
        floor(540, "#4a372a", "#372820"),
        box(730, 400, 440, 60, "#6b5644"),
        quilt,
        box(750, 380, 96, 62, "#efe8d8", 'rx="16"'),
        chest,
        candle,
    )


def cellar() -> str:
    """Stone, shelves, one can."""
    grain = Grain(31)
    stones = "".join(
        box(
            160 * c - 80 * (r % 2),
            72 * r,
            156,
            68,
            "#2b3440",
            f'rx="8" opacity="{number(grain.next(0.4, 1))}"',
        )
        for r in range(8)
        for c in range(9)
    )
    shelves = "".join(box(300, 220 + 130 * n, 680, 16, "#5c4734") for n in range(3))
    rings = "".join(
        oval(360 + 92 * c, 216 + 130 * r, 30, 6, "#8a8377", 'opacity=".55"')
        for r in range(3)
        for c in range(7)
        if (r, c) != (1, 3)
    )
    can = (
        box(604, 262, 66, 88, "#b3493d", 'rx="6"')
        + box(604, 292, 66, 28, "#e9e2d4")
        + '<path d="M637 296q12 14 0 20q-12-6 0-20Z" fill="#d99a2b"/>'
        + line("M616 262q20-26 42 0", "#23262b", 6)
        + box(656, 240, 12, 24, "#23262b")
    )
    light = path([(520, 0), (760, 0), (900, 720), (380, 720)], "#ffd98a", 'opacity=".12"')
    return picture(
        whole("url(#stone)"),
        stones,
        box(0, 580, WIDE, 140, "#171d25"),
        shelves,
        rings,
        can,
        glow(637, 300, 150),
        light,
    )


def tower_foot() -> str:
    """A round room and a stair that winds up."""
    steps = ""
    for n in range(22):
        t = n / 21
        angle = 0.3 + 5.2 * t
        x, y = 640 + 330 * cos(angle), 660 - 600 * t + 50 * sin(angle)
        back = sin(angle) < 0
        colour = "#2a333d" if back else "#46525e"
        steps += box(x - 74, y, 148, 13, colour, 'rx="3"')
        steps += line(f"M{number(x)} {number(y)}v-54", colour, 4)
    column = box(606, 0, 68, 690, "#1a222b")
    wall = "".join(
        line(f"M{number(640 - 620 * cos(k * pi / 12))} 0v720", "#2e3944", 3, 'opacity=".6"')
        for k in range(13)
    )
    return picture(
        whole("url(#stone)"),
        wall,
        oval(640, 668, 560, 60, "#39434d"),
        column,
        steps,
        glow(640, 40, 220),
    )


def watch_room() -> str:
    """A desk, a logbook, a glass door."""
    desk = (
        box(240, 450, 460, 26, "#7b5638")
        + box(264, 476, 120, 150, "#5c4030")
        + box(660, 476, 22, 150, "#5c4030")
        + "".join(
            box(276, 490 + 44 * n, 96, 34, "#6d4a30") + disc(324, 507 + 44 * n, 5, "#d9b26a")
            for n in range(3)
        )
        + path([(400, 452), (500, 438), (600, 452), (600, 444), (500, 428), (400, 444)], "#efe8d8")
        + line("M500 430v10", "#a99a80", 3)
        + disc(640, 434, 14, "#1d2a40")
        + line("M640 422l22-66", "#e9e2d4", 4)
    )
    lamp = (
        box(296, 400, 40, 50, "#8a6d3a", 'rx="8"')
        + '<path d="M298 400q-8-50 18-62q26 12 18 62Z" fill="#ffe6a6" opacity=".85"/>'
        + glow(316, 376, 280)
    )
    door = (
        box(880, 160, 240, 430, "#3a4a5a")
        + box(900, 180, 200, 390, "#5f7688")
        + '<clipPath id="d"><rect x="900" y="180" width="200" height="390"/></clipPath>'
        + f'<g clip-path="url(#d)">{fog(300, 420, 500)}</g>'
        + line("M1000 180v390M900 310h200M900 440h200", "#3a4a5a", 9)
        + disc(1084, 384, 8, "#d9b26a")
    )
    trap = box(520, 0, 190, 26, "#5c4030") + line(
        "M560 26v300M650 26v300M560 90h90M560 150h90M560 210h90M560 270h90", "#4a3a30", 9
    )
    return picture(whole("#27323c"), floor(590, "#3f3228", "#2e241d"), trap, door, desk, lamp)


def gallery() -> str:
    """A railing above the fog, and one ship that is a guess."""
    rails = "".join(line(f"M{60 + 97 * n} 500V700", "#141b24", 9) for n in range(13))
    ship = (
        path([(820, 372), (1000, 372), (970, 404), (846, 404)], "#22384a")
        + line("M880 372V290M940 372V276", "#22384a", 6)
        + disc(940, 286, 5, "#ffcf7a")
        + glow(940, 286, 60)
    )
    return picture(
        whole("url(#night)"),
        stars(41, 90, 330),
        '<path d="M250 88a52 52 0 1 0 50 66a44 44 0 0 1-50-66Z" fill="#dfe6ea"/>',
        f'<g opacity=".75">{ship}</g>',
        fog(390, 430, 480, 540, 600, 660),
        rails,
        line("M0 500H1280", "#141b24", 16),
        line("M0 590H1280", "#141b24", 8),
    )


def great_lamp(lit: bool) -> str:
    """The lamp room, dark or full of light."""
    panes = "".join(
        line(f"M{number(640 - 600 * cos(k * pi / 8))} 60V600", "#0e151d", 12) for k in range(9)
    )
    glass = "#ffe9b8" if lit else "#4c6577"
    petals = "".join(
        oval(
            640,
            340,
            150 - 24 * n,
            230 - 16 * n,
            "none",
            f'stroke="{glass}" stroke-width="7" opacity="{number(0.9 - 0.1 * n)}"',
        )
        for n in range(6)
    )
    ribs = line("M520 210H760M492 290H788M492 390H788M520 470H760", glass, 5, 'opacity=".7"')
    foot = path([(560, 570), (720, 570), (760, 650), (520, 650)], "#8a6d3a") + box(
        600, 540, 80, 34, "#a98545"
    )
    pilot = '<path d="M640 508q16 22 0 34q-16-12 0-34Z" fill="#ffc861"/>' + glow(640, 528, 70)
    flame = '<path d="M640 200q70 110 0 200q-70-90 0-200Z" fill="#fff6dc"/>' if lit else ""
    light = beams(640, 320) + glow(640, 320, 520) + glow(640, 320, 300) if lit else ""
    return picture(
        whole("#e8b45c" if lit else "url(#night)"),
        "" if lit else stars(51, 40, 300) + fog(420, 500, 560),
        panes,
        box(0, 40, WIDE, 24, "#0e151d"),
        box(0, 600, WIDE, 120, "#3a2c1d" if lit else "#1a222b"),
        foot,
        light,
        petals,
        ribs,
        flame or pilot,
    )


def dawn() -> str:
    """The morning after, with the sea put back where it belongs."""
    gulls = "".join(
        line(f"M{x} {y}q14-16 26 0q12-16 26 0", "#4a5a66", 4)
        for x, y in ((300, 180), (380, 140), (860, 210))
    )
    boat = (
        path([(420, 486), (560, 486), (536, 516), (446, 516)], "#7b4a3a")
        + line("M490 486v-80", "#5c4030", 6)
        + path([(496, 410), (496, 474), (548, 474)], "#f3ead6")
    )
    return picture(
        whole("url(#morning)"),
        disc(330, 430, 70, "#fff1cf"),
        disc(330, 430, 330, "url(#glow)", 'opacity=".6"'),
        gulls,
        sea(450, "#7fa9b8"),
        boat,
        hill([(640, 560), (820, 430), (1020, 390), (1280, 450)], "#5d7f6c"),
        lighthouse(1010, 402, 0.85, lit=True),
        hill([(760, 660), (1000, 600), (1280, 590)], "#4b6b5c"),
    )


def orla() -> str:
    """Orla: a shawl, a bun, a stick."""
    return picture(
        line("M150 330V690", "#6d4a30", 12),
        line("M150 334q0-30 30-30", "#6d4a30", 12),
        '<path d="M130 700Q120 420 240 330Q360 420 350 700Z" fill="#4b5f74"/>',
        '<path d="M150 470Q170 330 240 312Q310 330 330 470Q240 540 150 470Z" fill="#a4574a"/>',
        line("M176 452Q240 500 304 452M168 424Q240 474 312 424", "#d9b26a", 4),
        disc(240, 232, 74, "#e3b892"),
        '<path d="M164 236Q158 136 240 142Q322 136 316 236Q300 176 240 180Q180 176 164 236Z" fill="#e6e3dc"/>',
        disc(240, 132, 32, "#e6e3dc"),
        line("M206 232q12-9 24 0M252 232q12-9 24 0", "#5a4034", 5),
        line("M214 268q26 20 52 0", "#9a5a48", 5),
        disc(196, 258, 12, "#e39a82", 'opacity=".6"'),
        disc(284, 258, 12, "#e39a82", 'opacity=".6"'),
        disc(156, 470, 20, "#e3b892"),
        wide=480,
        high=720,
    )


def pim() -> str:
    """Pim: a big jersey, a cap, a whistle."""
    return picture(
        box(196, 600, 36, 100, "#3d4a56", 'rx="10"'),
        box(250, 600, 36, 100, "#3d4a56", 'rx="10"'),
        box(188, 686, 50, 20, "#23262b", 'rx="8"'),
        box(244, 686, 50, 20, "#23262b", 'rx="8"'),
        '<path d="M150 620Q146 460 240 440Q334 460 330 620Z" fill="#c98f3e"/>',
        line("M154 560H326M150 592H330", "#8a5a26", 7),
        line("M176 492Q140 540 156 596M304 492Q340 540 324 596", "#c98f3e", 38),
        disc(156, 604, 17, "#e8bf98"),
        disc(324, 604, 17, "#e8bf98"),
        disc(240, 374, 68, "#e8bf98"),
        '<path d="M170 366Q170 288 240 288Q310 288 310 366Q276 330 240 334Q204 330 170 366Z" fill="#8c3f2a"/>',
        '<path d="M166 346Q176 268 240 268Q304 268 314 346Q240 318 166 346Z" fill="#2c4468"/>',
        '<path d="M164 348Q240 316 316 348Q340 362 330 366Q240 334 150 366Q146 358 164 348Z" fill="#1d2f4a"/>',
        disc(216, 380, 7, "#2f2420"),
        disc(266, 380, 7, "#2f2420"),
        line("M222 408q20 14 38-2", "#9a4f3c", 5),
        disc(200, 396, 3, "#b9744f"),
        disc(208, 402, 3, "#b9744f"),
        disc(276, 402, 3, "#b9744f"),
        disc(284, 396, 3, "#b9744f"),
        line("M226 452L240 520L258 452", "#5c4030", 4),
        box(233, 516, 14, 44, "#c9d2d6", 'rx="5"'),
        wide=480,
        high=720,
    )


PICTURES: dict[str, Callable[[], str]] = {
    "jetty": jetty,
    "path": shore_path,
    "boathouse": boathouse,
    "kitchen": kitchen,
    "cellar": cellar,
    "garden": herb_garden,
    "loft": loft,
    "tower": tower_foot,
    "watch": watch_room,
    "gallery": gallery,
    "lamp_dark": lambda: great_lamp(False),
    "lamp_lit": lambda: great_lamp(True),
    "dawn": dawn,
    "orla": orla,
    "pim": pim,
}


# Sounds: sums of sines that die away, and a little noise for water.

Sound = list[float]
"""Samples between -1 and 1."""


def silence(seconds: float) -> Sound:
    """Nothing, for a while."""
    return [0.0] * int(seconds * RATE)


def strike(pitch: float, seconds: float, parts: Iterable[tuple[float, float, float]]) -> Sound:
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
    """A held chord that can go round for ever: whole waves, slow breath."""
    out = silence(length)
    for number_, pitch in enumerate(pitches):
        whole_ = max(1, round_(pitch * length))
        for n in range(len(out)):
            breath = 0.6 + 0.4 * sin(2 * pi * (n / len(out) + number_ / 5))
            out[n] += loud * breath * sin(2 * pi * whole_ * n / len(out))
    return out


def round_(value: float) -> int:
    """The nearest whole number, halves up."""
    return int(value + 0.5)


def note(steps: int) -> float:
    """A pitch, counted in half tones from the A below middle C."""
    return 220 * 2 ** (steps / 12)


def tune(length: float, chord: tuple[int, ...], melody: Iterable[tuple[float, int]]) -> Sound:
    """A loop: a held chord, and a music box over it."""
    out = pad(length, [note(step) / 2 for step in chord], 0.1)
    for at, step in melody:
        lay(out, strike(note(step), 1.6, BOX), at, 0.5)
    return out


def water(seconds: float, seed: int) -> Sound:
    """A wave that comes and goes."""
    grain, low, out = Grain(seed), 0.0, silence(seconds)
    for n in range(len(out)):
        low += 0.16 * (grain.next(-1, 1) - low)
        out[n] = 1.6 * low * sin(pi * n / len(out)) ** 2
    return out


def rattle() -> Sound:
    """A lock that will not."""
    out = silence(0.5)
    for at in (0.0, 0.11, 0.2, 0.33):
        lay(out, strike(180, 0.09, ((1, 0.5, 50), (3.3, 0.3, 70), (7.1, 0.2, 90))), at)
    return out


def key() -> Sound:
    """A lock that will."""
    out = silence(0.5)
    lay(out, strike(900, 0.06, ((1, 0.3, 70), (2.7, 0.2, 90))), 0.0)
    lay(out, strike(520, 0.2, ((1, 0.5, 30), (2.1, 0.3, 50), (4.7, 0.2, 80))), 0.16)
    return out


def bell() -> Sound:
    """Two strokes across the water."""
    out = silence(1.4)
    lay(out, strike(587, 1.4, BELL), 0.0, 0.6)
    lay(out, strike(587, 1.0, BELL), 0.4, 0.4)
    # It has to have died away before the end, which would cut it off with a click.
    return [v * min(1.0, (len(out) - n) / 1600) for n, v in enumerate(out)]


SOUNDS: dict[str, Callable[[], Sound]] = {
    "bgm/fog": lambda: tune(
        4.8, (0, 7, 10, 15), [(0, 12), (1.2, 19), (1.8, 15), (2.4, 17), (3.6, 10)]
    ),
    "bgm/hearth": lambda: tune(
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
    "bgm/dawn": lambda: tune(
        4.8,
        (-7, 0, 5, 9),
        [(0, 17), (0.6, 21), (1.2, 24), (1.8, 29), (2.4, 28), (3, 24), (3.6, 26), (4.2, 24)],
    ),
    "se/bell": bell,
    "se/key": key,
    "se/rattle": rattle,
    "se/wave": lambda: water(1.2, 7),
}


def wav(sound: Sound) -> bytes:
    """A sound as a file: one channel, 16 bits."""
    peak = max(1.0, *map(abs, sound))
    whole_ = [round_(value / peak * 26000 + 32768) - 32768 for value in sound]
    samples = struct.pack(f"<{len(whole_)}h", *whole_)
    head = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, RATE, RATE * 2, 2, 16)
    body = b"WAVE" + head + struct.pack("<4sI", b"data", len(samples)) + samples
    return struct.pack("<4sI", b"RIFF", len(body)) + body


def files() -> dict[str, bytes]:
    """Everything there is to make, by its path in the asset folder."""
    pictures = {f"images/{name}.svg": make().encode() for name, make in PICTURES.items()}
    return pictures | {f"{name}.wav": wav(make()) for name, make in SOUNDS.items()}


def main(folder: Path) -> None:
    """Write everything into a folder."""
    for name, content in files().items():
        path_ = folder / name
        path_.parent.mkdir(parents=True, exist_ok=True)
        path_.write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "assets")
