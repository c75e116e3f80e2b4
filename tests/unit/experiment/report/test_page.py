import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser

import pytest

from saniwa.core.translations import use_language
from saniwa.experiment.analysis_records import HEADLINE_METRICS
from saniwa.experiment.metrics import find_metric
from saniwa.experiment.report.render import render_html_page
from saniwa.experiment.report_wording import format_estimate
from tests.fakes.reports import PlayedTrial, make_trial

ATTACK = "<script>alert(1)</script>\"'><img src=x onerror=y> &lt; \u202eevil\x1b[31m|`"
VOID = {"meta", "input", "br", "img", "link"}


class _StrictHtmlReader(HTMLParser):
    """Reads a page strictly: every tag must be closed, in order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.mistakes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if len(dict(attrs)) != len(attrs):
            self.mistakes.append(f"an attribute twice in <{tag}>")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.mistakes.append(f"</{tag}> closes nothing")


def _render_trial(given: PlayedTrial) -> str:
    return render_html_page(given.report)


def _read_page(page: str) -> _StrictHtmlReader:
    reader = _StrictHtmlReader()
    reader.feed(page)
    reader.close()
    return reader


@pytest.fixture(scope="module")
def report_page() -> str:
    """Render the page of the small 2×2."""
    return _render_trial(make_trial())


def test_everything_that_is_opened_is_closed(report_page: str) -> None:
    """The page is well-formed: tags nest, and no attribute is repeated."""
    found = _read_page(report_page)

    assert ([], []) == (found.mistakes, found.open)


def test_no_id_is_twice_and_every_link_within_leads_somewhere(report_page: str) -> None:
    """Ids are unique, also inside plots, and each internal link has a target."""
    tags = _read_page(report_page).tags
    ids = [found["id"] for _, found in tags if "id" in found]
    links = {str(f["href"])[1:] for _, f in tags if str(f.get("href")).startswith("#")}

    assert len(ids) == len(set(ids))
    assert set() == links - set(ids)


def test_the_page_asks_nothing_of_anyone(report_page: str) -> None:
    """The page is one file without addresses, scripts or anything to load."""
    names = {tag for tag, _ in _read_page(report_page).tags}

    assert set() == names & {"script", "link", "img", "iframe", "object", "form"}
    # The hash of the style may contain anything.
    shown = re.sub("'sha256-.*?'", "", report_page)
    assert [] == re.findall(r"https?:|//|url\(|@import", shown)


def test_the_content_policy_allows_its_own_style_and_nothing_else(report_page: str) -> None:
    """The policy has the hash of the single style, and no style attribute is used."""
    style = report_page.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()

    assert f"style-src 'sha256-{digest}'" in report_page
    assert 1 == report_page.count("<style")
    assert [] == [tag for tag, found in _read_page(report_page).tags if "style" in found]


def test_tables_have_captions_and_named_rows_and_columns(report_page: str) -> None:
    """Every table has a caption, and its headers have a scope."""
    tags = _read_page(report_page).tags
    heads = [found.get("scope") for tag, found in tags if tag == "th"]
    tables = [tag for tag, _ in tags if tag == "table"]
    captions = [tag for tag, _ in tags if tag == "caption"]

    assert len(tables) == len(captions) > 5
    assert {"col", "row"} == set(heads)


def test_every_plot_is_reported_in_words(report_page: str) -> None:
    """Each plot has a text description."""
    tags = _read_page(report_page).tags
    told = [found for _, found in tags if found.get("role") == "img"]

    assert len([tag for tag, _ in tags if tag == "svg"]) == len(told) > 10
    assert all(found["aria-label"] for found in told)


def test_headline_figures_are_those_of_the_analysis(report_page: str) -> None:
    """The page shows each estimate and interval as in the analysis."""
    analysis = make_trial().analysis
    table = unescape(report_page.partition('id="headline"')[2].partition("</table>")[0])
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", table)
    shown = [[re.sub("<.*?>", "", c) for c in re.findall("<td>.*?</td>", r)] for r in rows]
    expected = [
        [
            " ".join(format_estimate(analysis.estimates[c][name], find_metric(name))).strip()
            for c in "ABCD"
        ]
        for name in HEADLINE_METRICS
        if any(analysis.estimates[c][name].mean is not None for c in "ABCD")
    ]

    assert expected == shown


def test_a_metric_with_nothing_to_count_has_a_sentence_and_no_plot(report_page: str) -> None:
    """The house has no goal and no milestones: the page says so, and draws no empty plots."""
    shown = unescape(report_page)
    told = "No plot: there was nothing to count for “Goal reached”, “Milestones passed”."

    assert f"<p>{told}</p>" in shown
    assert 'id="plot-milestone-rate"' not in shown
    assert 'id="plot-give-up-rate"' in shown


def test_refusals_are_plotted_only_if_there_are_any() -> None:
    """If nothing was refused, one sentence takes the place of the plots of refusals."""
    refused, clean = (render_html_page(make_trial(each, 1).report) for each in ("AD", "D"))
    told = "No action was refused, so there is no plot of refusals."

    assert re.findall('id="plot-(codes|turns)', refused)
    assert told not in refused
    assert [] == re.findall('id="plot-(codes|turns)', clean)
    assert told in clean


def test_every_metric_that_a_table_shows_is_explained(report_page: str) -> None:
    """Each row of the tables of metrics has its sentence in a table of meanings."""
    shown = {
        label.rstrip(" ↓↑")
        for table in ("headline", "all-numbers")
        for label in _read_row_names(report_page, table)
    }
    explained = {
        label
        for table in ("meaning-headline", "meaning-rest")
        for label in _read_row_names(report_page, table)
    }

    assert {find_metric(name).label for name in HEADLINE_METRICS} < shown
    assert shown <= explained
    assert find_metric("silent_correction_rate").about in unescape(report_page)


def _read_row_names(page: str, table: str) -> list[str]:
    rows = page.partition(f'id="{table}"')[2].partition("</table>")[0]
    return re.findall(r'<th scope="row">(.*?)</th>', unescape(rows))


def test_a_japanese_page_has_japanese_plots() -> None:
    """Axes, legends, captions and descriptions of plots contain no English word."""
    with use_language("ja"):
        page = unescape(render_html_page(make_trial().report))
    figures = re.findall(r"<figure.*?</figure>", page, re.S)
    words = [
        word
        for figure in figures
        for told in re.findall(r'aria-label="([^"]*)"|>([^<>]+)<', figure)
        for word in re.findall(r"[A-Za-z]*[a-z][A-Za-z]*", " ".join(told))
    ]

    assert len(figures) > 10
    assert [] == words
    assert "手番</text>" in page
    assert "注意</text>" in page


def test_no_word_from_outside_is_markup() -> None:
    """Names, ids and answers that contain HTML are shown literally."""
    attacked = _render_trial(make_trial(seeds=2).replace_words(ATTACK))
    found = _read_page(attacked)

    assert ([], []) == (found.mistakes, found.open)
    assert set() == {tag for tag, _ in found.tags} & {"script", "img"}
    assert set() == {n for _, f in found.tags for n in f if n.startswith("on")}
    assert "\u202e" not in attacked
    assert "\x1b" not in attacked
    assert "&lt;script&gt;alert(1)" in attacked


def test_links_to_files_stay_inside_the_folder() -> None:
    """A key with path parts still links into the artifacts folder."""
    found = _read_page(
        _render_trial(make_trial(seeds=2).replace_words("../../x?y#z javascript:alert(1)"))
    )
    links = [str(f["href"]) for tag, f in found.tags if tag == "a"]
    files = [each for each in links if each.startswith("artifacts/")]

    assert files
    assert [] == [each for each in files if "/../" in each or "?" in each or "#" in each]
    assert [] == [each for each in links if each.startswith(("javascript", "..", "/"))]


def test_the_same_experiment_gives_the_same_page(report_page: str) -> None:
    """Rendering again gives the same bytes."""
    assert report_page == _render_trial(make_trial())


def test_one_condition_one_seed_and_nothing_to_compare_still_make_a_page() -> None:
    """The smallest experiment has a page that says what cannot be concluded."""
    found = _render_trial(make_trial("D", 1))

    assert "Not tested: telling, the game master, both together." in found
    assert [] == _read_page(found).mistakes


def test_an_experiment_without_outcomes_has_a_page() -> None:
    """An experiment without outcomes still has a page."""
    whole = make_trial("AD", 1)
    empty = PlayedTrial(
        whole.prepared,
        (),
        (),
        type(whole.analysis)(estimates={}, comparisons=(), effects=(), gates=(), method="None."),
    )

    assert [] == _read_page(_render_trial(empty)).mistakes
