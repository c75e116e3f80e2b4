import re
import warnings

from matplotlib.axes import Axes

from saniwa.experiment.analysis_records import Metric
from saniwa.experiment.report.plot_drawing import (
    COLOUR_CLASSES,
    INK_COLOUR,
    SERIES_COUNT,
    DotRow,
    PlotMark,
    draw_dots,
    draw_svg,
    pick_series_class,
    pick_series_colour,
)

METRIC = Metric(name="m", label="M", unit="rate", better="less", about="")
MARK = PlotMark(0.5, 0.4, 0.6)
ROWS = [DotRow("A", 0, MARK), DotRow("$x^2$ <b>", 1, None)]


def test_a_plot_has_no_style_and_no_address() -> None:
    """A plot contains no styles, external links, dates or clip paths."""
    found = draw_dots(ROWS, METRIC, "plot-x")

    assert [] == re.findall(r"style=|http|url\(|xmlns|metadata|#0000", found)


def test_ids_begin_with_the_plot_and_are_all_used() -> None:
    """Ids are unique across plots on a page, and each one is used."""
    found = draw_dots(ROWS, METRIC, "plot-x")
    ids, used = (re.findall(r' id="([^"]*)"', found), re.findall(r'href="#([^"]*)"', found))

    assert ids
    assert set(ids) == set(used)
    assert all(each.startswith("plot-x-") for each in ids)


def test_colours_are_classes_that_the_page_fills_in() -> None:
    """The first row has the first colour class, and text has the page's colour."""
    found = draw_dots(ROWS, METRIC, "plot-x")

    assert 's-k1"' in found
    assert re.search(r'<text[^>]*class="f-ink"[^>]*>A</text>', found)


def test_a_label_is_text_and_never_a_formula() -> None:
    """Labels stay text that can be read aloud, and are not parsed as formulas."""
    assert ">$x^2$ &lt;b&gt;</text>" in draw_dots(ROWS, METRIC, "plot-x")


def test_a_script_without_a_font_is_text_for_the_page() -> None:
    """Characters that matplotlib has no font for stay text; browsers find the font."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = draw_dots([DotRow("条件A", 0, MARK)], METRIC, "p")

    assert ">条件A</text>" in found
    assert "font-family" not in found


def test_a_wide_label_has_room() -> None:
    """A Japanese label has as much room as a label of twice as many Latin characters."""
    starts = [
        re.findall(r'<use x="([\d.]+)"', draw_dots([DotRow(label, 0, MARK)], METRIC, "p"))
        for label in ("条件", "abcd", "ab")
    ]

    assert starts[0] == starts[1] != starts[2]


def test_the_same_plot_is_the_same_bytes() -> None:
    """A plot does not depend on the clock or on chance."""
    assert draw_dots(ROWS, METRIC, "p") == draw_dots(ROWS, METRIC, "p")


def test_there_are_as_many_colours_as_classes_for_them() -> None:
    """After the last colour the first is used again."""
    assert pick_series_colour(0) == pick_series_colour(SERIES_COUNT)
    assert SERIES_COUNT == len({pick_series_class(nth) for nth in range(SERIES_COUNT)})
    assert "ink" == COLOUR_CLASSES[INK_COLOUR]


def test_no_matplotlib_setting_changes_a_plot() -> None:
    """The user's matplotlib settings are neither used nor changed."""
    import matplotlib as mpl

    def draw(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1])

    plain = draw_svg(draw, (3, 2), "p")
    with mpl.rc_context({"font.size": 20, "lines.linewidth": 9}):
        tasteful = draw_svg(draw, (3, 2), "p")
        after = mpl.rcParams["font.size"]

    assert plain == tasteful
    assert 20 == after
