"""The labelled lines are understood at least as well as before."""

from typing import NamedTuple

import pytest

from tests.hearing.score import FOLDER, ScoredLine, name_house, read_lines, score_line


class _Figures(NamedTuple):
    """How well a file of lines is understood; these figures may only improve."""

    lines: int
    most_untrue: int
    fewest_right: int


_FIGURES = {
    "lines_en": _Figures(1842, most_untrue=0, fewest_right=1835),
    "lines_ja": _Figures(1913, most_untrue=0, fewest_right=1903),
    "more_lines_en": _Figures(1308, most_untrue=0, fewest_right=1302),
    "more_lines_ja": _Figures(1148, most_untrue=0, fewest_right=1129),
    "question_lines_en": _Figures(263, most_untrue=0, fewest_right=263),
    "question_lines_ja": _Figures(252, most_untrue=0, fewest_right=251),
    "late_lines_ja": _Figures(266, most_untrue=0, fewest_right=266),
    "ship_lines_ja": _Figures(378, most_untrue=0, fewest_right=376),
    "everyday_question_lines_en": _Figures(161, most_untrue=0, fewest_right=160),
    "everyday_question_museum_lines_en": _Figures(132, most_untrue=0, fewest_right=127),
    "everyday_question_workshop_lines_en": _Figures(133, most_untrue=0, fewest_right=131),
    "plain_question_lines_en": _Figures(128, most_untrue=0, fewest_right=128),
    "everyday_question_ship_lines_en": _Figures(120, most_untrue=0, fewest_right=119),
    "inn_lines_ja": _Figures(716, most_untrue=0, fewest_right=715),
    "unseen_lines_ja": _Figures(220, most_untrue=0, fewest_right=220),
    "unseen_lines_en": _Figures(220, most_untrue=0, fewest_right=219),
    "stranger_lines_ja": _Figures(400, most_untrue=0, fewest_right=400),
    "varied_lines_ja": _Figures(222, most_untrue=0, fewest_right=220),
    "instructions_en": _Figures(40, most_untrue=0, fewest_right=39),
    "workshop_lines_en": _Figures(787, most_untrue=0, fewest_right=787),
    "ship_lines_en": _Figures(448, most_untrue=0, fewest_right=447),
    "museum_lines_en": _Figures(404, most_untrue=0, fewest_right=403),
    "stranger_lines_en": _Figures(400, most_untrue=0, fewest_right=399),
    "loose_lines_en": _Figures(262, most_untrue=0, fewest_right=262),
    "wider_lines_en": _Figures(279, most_untrue=0, fewest_right=271),
    "wider_lines_ja": _Figures(277, most_untrue=0, fewest_right=266),
    "fresh_lines_en": _Figures(200, most_untrue=0, fewest_right=200),
    "fresh_lines_ja": _Figures(200, most_untrue=0, fewest_right=200),
    "fresh_museum_lines_en": _Figures(100, most_untrue=0, fewest_right=100),
    "fresh_inn_lines_ja": _Figures(100, most_untrue=0, fewest_right=100),
    "second_lines_en": _Figures(150, most_untrue=0, fewest_right=150),
    "second_lines_ja": _Figures(150, most_untrue=0, fewest_right=150),
    "third_inn_lines_ja": _Figures(150, most_untrue=0, fewest_right=149),
    "third_lines_en": _Figures(200, most_untrue=0, fewest_right=199),
    "third_lines_ja": _Figures(200, most_untrue=0, fewest_right=198),
    "third_ship_lines_en": _Figures(150, most_untrue=0, fewest_right=148),
    "players_lines_ja": _Figures(180, most_untrue=0, fewest_right=178),
    "mixed_inn_lines_ja": _Figures(171, most_untrue=0, fewest_right=169),
    "rough_ship_lines_ja": _Figures(59, most_untrue=0, fewest_right=48),
    "plain_ship_lines_ja": _Figures(83, most_untrue=0, fewest_right=81),
    "plain_inn_lines_ja": _Figures(62, most_untrue=0, fewest_right=61),
    "everyday_lines_ja": _Figures(125, most_untrue=0, fewest_right=125),
    "everyday_inn_lines_ja": _Figures(62, most_untrue=0, fewest_right=62),
    "everyday_ship_lines_ja": _Figures(54, most_untrue=0, fewest_right=54),
    "ordinary_lines_ja": _Figures(174, most_untrue=0, fewest_right=174),
    "ordinary_inn_lines_ja": _Figures(174, most_untrue=0, fewest_right=174),
    "daily_lines_ja": _Figures(112, most_untrue=0, fewest_right=112),
    "daily_ship_lines_ja": _Figures(54, most_untrue=0, fewest_right=54),
    "common_lines_ja": _Figures(73, most_untrue=0, fewest_right=73),
    "common_inn_lines_ja": _Figures(73, most_untrue=0, fewest_right=73),
    "reply_lines_ja": _Figures(80, most_untrue=0, fewest_right=80),
    "reply_inn_lines_ja": _Figures(70, most_untrue=0, fewest_right=70),
    "ordinary2_lines_ja": _Figures(172, most_untrue=0, fewest_right=172),
    "ordinary2_ship_lines_ja": _Figures(171, most_untrue=0, fewest_right=170),
    "ordinary3_inn_lines_ja": _Figures(111, most_untrue=0, fewest_right=111),
    "ordinary3_lines_ja": _Figures(111, most_untrue=0, fewest_right=111),
    "usual_inn_lines_ja": _Figures(55, most_untrue=0, fewest_right=55),
    "usual_lines_ja": _Figures(71, most_untrue=0, fewest_right=70),
    "usual_ship_lines_ja": _Figures(65, most_untrue=0, fewest_right=64),
    "guard8_lines_ja": _Figures(32, most_untrue=0, fewest_right=32),
    "guard_lines_ja": _Figures(131, most_untrue=0, fewest_right=131),
    "manner_lines_ja": _Figures(137, most_untrue=0, fewest_right=132),
    "players_lines_en": _Figures(169, most_untrue=0, fewest_right=162),
    "mixed_ship_lines_en": _Figures(175, most_untrue=0, fewest_right=168),
    "adorned_museum_lines_en": _Figures(140, most_untrue=0, fewest_right=131),
    "adorned_workshop_lines_en": _Figures(110, most_untrue=0, fewest_right=102),
    "voices_museum_lines_en": _Figures(77, most_untrue=0, fewest_right=71),
    "everyday_lines_en": _Figures(129, most_untrue=0, fewest_right=128),
    "everyday_ship_lines_en": _Figures(132, most_untrue=0, fewest_right=130),
    "ordinary2_lines_en": _Figures(176, most_untrue=0, fewest_right=176),
    "ordinary2_workshop_lines_en": _Figures(175, most_untrue=0, fewest_right=175),
    "ordinary3_lines_en": _Figures(111, most_untrue=0, fewest_right=111),
    "ordinary3_museum_lines_en": _Figures(111, most_untrue=0, fewest_right=111),
    "voices_lines_en": _Figures(64, most_untrue=0, fewest_right=61),
    "voices_ship_lines_en": _Figures(59, most_untrue=0, fewest_right=59),
    "voices2_museum_lines_en": _Figures(66, most_untrue=0, fewest_right=66),
    "voices2_workshop_lines_en": _Figures(55, most_untrue=0, fewest_right=55),
    "voices3_lines_en": _Figures(63, most_untrue=0, fewest_right=63),
    "voices3_ship_lines_en": _Figures(55, most_untrue=0, fewest_right=55),
    "ordinary12_bakery_lines_en": _Figures(132, most_untrue=0, fewest_right=132),
    "ordinary_lines_en": _Figures(173, most_untrue=0, fewest_right=171),
    "ordinary_ship_lines_en": _Figures(173, most_untrue=0, fewest_right=172),
    "everyday_museum_lines_en": _Figures(95, most_untrue=0, fewest_right=95),
    "everyday_workshop_lines_en": _Figures(91, most_untrue=0, fewest_right=91),
    "daily_lines_en": _Figures(82, most_untrue=0, fewest_right=82),
    "daily_ship_lines_en": _Figures(83, most_untrue=0, fewest_right=83),
    "common_lines_en": _Figures(74, most_untrue=0, fewest_right=74),
    "common_workshop_lines_en": _Figures(87, most_untrue=0, fewest_right=87),
    "usual_museum_lines_en": _Figures(51, most_untrue=0, fewest_right=50),
    "usual_ship_lines_en": _Figures(50, most_untrue=0, fewest_right=50),
    "guard_lines_en": _Figures(144, most_untrue=0, fewest_right=144),
    "guard_station_lines_en": _Figures(152, most_untrue=0, fewest_right=152),
    "guard_orbit_lines_en": _Figures(109, most_untrue=0, fewest_right=109),
    "ordinary8_station_lines_en": _Figures(172, most_untrue=0, fewest_right=171),
    "ordinary8_orbit_lines_en": _Figures(101, most_untrue=0, fewest_right=101),
    "ordinary9_garage_lines_en": _Figures(162, most_untrue=0, fewest_right=162),
    "ordinary9_hospital_lines_en": _Figures(123, most_untrue=0, fewest_right=123),
    "ordinary10_garage_lines_en": _Figures(102, most_untrue=0, fewest_right=102),
    "guard_hospital_lines_en": _Figures(118, most_untrue=0, fewest_right=118),
    "ordinary11_hotel_lines_en": _Figures(125, most_untrue=0, fewest_right=125),
    "remark_lines_en": _Figures(38, most_untrue=0, fewest_right=38),
    "ordinary4_lines_en": _Figures(111, most_untrue=0, fewest_right=109),
    "ordinary4_ship_lines_en": _Figures(111, most_untrue=0, fewest_right=110),
    "ordinary4_lines_ja": _Figures(111, most_untrue=0, fewest_right=111),
    "ordinary4_inn_lines_ja": _Figures(112, most_untrue=0, fewest_right=111),
    "ordinary5_museum_lines_en": _Figures(133, most_untrue=0, fewest_right=130),
    "ordinary5_workshop_lines_en": _Figures(132, most_untrue=0, fewest_right=130),
    "ordinary5_lines_ja": _Figures(132, most_untrue=0, fewest_right=129),
    "ordinary5_ship_lines_ja": _Figures(132, most_untrue=0, fewest_right=129),
    "ordinary6_lines_en": _Figures(120, most_untrue=0, fewest_right=120),
    "ordinary6_ship_lines_en": _Figures(120, most_untrue=0, fewest_right=119),
    "ordinary6_lines_ja": _Figures(120, most_untrue=0, fewest_right=119),
    "ordinary6_inn_lines_ja": _Figures(120, most_untrue=0, fewest_right=119),
    "ordinary7_farm_lines_en": _Figures(174, most_untrue=0, fewest_right=171),
    "ordinary7_museum_lines_en": _Figures(120, most_untrue=0, fewest_right=119),
    "ordinary7_school_lines_ja": _Figures(171, most_untrue=0, fewest_right=170),
    "ordinary7_inn_lines_ja": _Figures(120, most_untrue=0, fewest_right=119),
    "attack8_cafe_lines_ja": _Figures(34, most_untrue=0, fewest_right=34),
    "attack8_inn_lines_ja": _Figures(38, most_untrue=0, fewest_right=38),
    "attack8_library_lines_ja": _Figures(39, most_untrue=0, fewest_right=39),
    "attack8_lines_ja": _Figures(31, most_untrue=0, fewest_right=31),
    "attack8_school_lines_ja": _Figures(34, most_untrue=0, fewest_right=34),
    "ordinary15_photostudio_lines_ja": _Figures(190, most_untrue=0, fewest_right=186),
    "adverse_hospital_lines_ja": _Figures(118, most_untrue=0, fewest_right=118),
    "adverse_lines_ja": _Figures(87, most_untrue=0, fewest_right=86),
    "adverse_station_lines_ja": _Figures(148, most_untrue=0, fewest_right=148),
    "hospital_lines_ja": _Figures(110, most_untrue=0, fewest_right=109),
    "station_lines_ja": _Figures(121, most_untrue=0, fewest_right=120),
    "classes8_theatre_lines_en": _Figures(156, most_untrue=0, fewest_right=148),
    "classes14_winery_lines_ja": _Figures(178, most_untrue=0, fewest_right=177),
    "classes15_cafe_lines_ja": _Figures(128, most_untrue=0, fewest_right=128),
    "classes15_railway_lines_ja": _Figures(83, most_untrue=0, fewest_right=81),
    "classes16_bathhouse_lines_ja": _Figures(95, most_untrue=0, fewest_right=92),
    "guard_winery_lines_ja": _Figures(65, most_untrue=0, fewest_right=64),
    "ordinary13_jinja_lines_ja": _Figures(190, most_untrue=0, fewest_right=190),
    "classes8_cafe_lines_ja": _Figures(154, most_untrue=0, fewest_right=151),
    "ordinary8_theatre_lines_en": _Figures(120, most_untrue=0, fewest_right=118),
    "ordinary8_cafe_lines_ja": _Figures(121, most_untrue=0, fewest_right=120),
    "ordinary9_lighthouse_lines_en": _Figures(203, most_untrue=0, fewest_right=201),
    "ordinary9_railway_lines_ja": _Figures(202, most_untrue=0, fewest_right=200),
    "classes9_lighthouse_lines_en": _Figures(115, most_untrue=0, fewest_right=108),
    "classes16_teahouse_lines_ja": _Figures(168, most_untrue=0, fewest_right=161),
    "ordinary10_bathhouse_lines_ja": _Figures(161, most_untrue=0, fewest_right=158),
    "classes9_railway_lines_ja": _Figures(115, most_untrue=0, fewest_right=111),
    "ordinary10_mill_lines_en": _Figures(252, most_untrue=0, fewest_right=247),
    "ordinary10_sento_lines_ja": _Figures(222, most_untrue=0, fewest_right=217),
    "ordinary12_greenhouse_lines_en": _Figures(107, most_untrue=0, fewest_right=106),
    "ordinary11_baker_lines_en": _Figures(225, most_untrue=0, fewest_right=223),
    "ordinary11_library_lines_ja": _Figures(223, most_untrue=0, fewest_right=220),
    "attack_cafe_lines_ja": _Figures(40, most_untrue=0, fewest_right=40),
    "attack_inn_lines_ja": _Figures(21, most_untrue=0, fewest_right=21),
    "attack_lines_ja": _Figures(321, most_untrue=0, fewest_right=321),
    "attack2_hospital_lines_ja": _Figures(82, most_untrue=0, fewest_right=82),
    "attack4_inn_lines_ja": _Figures(65, most_untrue=0, fewest_right=65),
    "attack3_ship_lines_ja": _Figures(91, most_untrue=0, fewest_right=89),
    "attack2_station_lines_ja": _Figures(55, most_untrue=0, fewest_right=55),
    "attack_school_lines_ja": _Figures(24, most_untrue=0, fewest_right=24),
    "attack_ship_lines_ja": _Figures(18, most_untrue=0, fewest_right=18),
    "attack_farm_lines_en": _Figures(36, most_untrue=0, fewest_right=36),
    "attack_lines_en": _Figures(114, most_untrue=0, fewest_right=103),
    "attack_museum_lines_en": _Figures(41, most_untrue=0, fewest_right=41),
    "attack_ship_lines_en": _Figures(30, most_untrue=0, fewest_right=30),
    "attack_theatre_lines_en": _Figures(156, most_untrue=0, fewest_right=156),
    "attack_workshop_lines_en": _Figures(47, most_untrue=0, fewest_right=47),
    "shrine_lines_ja": _Figures(109, most_untrue=0, fewest_right=106),
    "starship_lines_ja": _Figures(109, most_untrue=0, fewest_right=107),
    "attack2_orbit_lines_en": _Figures(105, most_untrue=0, fewest_right=105),
    "attack2_station_lines_en": _Figures(44, most_untrue=0, fewest_right=43),
    "ordinary13_circus_lines_en": _Figures(190, most_untrue=0, fewest_right=190),
    "classes14_observatory_lines_en": _Figures(177, most_untrue=0, fewest_right=177),
    "classes15_hotel_lines_en": _Figures(164, most_untrue=0, fewest_right=163),
    "classes15_greenhouse_lines_en": _Figures(159, most_untrue=0, fewest_right=157),
    "classes16_bakery_lines_en": _Figures(141, most_untrue=0, fewest_right=140),
    "classes17_garage_lines_en": _Figures(67, most_untrue=0, fewest_right=64),
    "classes16_radiostation_lines_en": _Figures(168, most_untrue=0, fewest_right=165),
    "guard_radiostation_lines_en": _Figures(19, most_untrue=0, fewest_right=19),
    "guard2_theatre_lines_en": _Figures(59, most_untrue=0, fewest_right=59),
    "attack3_museum_lines_en": _Figures(31, most_untrue=0, fewest_right=31),
    "attack8_circus_lines_en": _Figures(36, most_untrue=0, fewest_right=36),
    "attack8_farm_lines_en": _Figures(35, most_untrue=0, fewest_right=35),
    "attack8_lines_en": _Figures(22, most_untrue=0, fewest_right=22),
    "attack8_museum_lines_en": _Figures(47, most_untrue=0, fewest_right=47),
    "attack8_ship_lines_en": _Figures(63, most_untrue=0, fewest_right=63),
    "attack8_theatre_lines_en": _Figures(21, most_untrue=0, fewest_right=21),
    "attack8_workshop_lines_en": _Figures(37, most_untrue=0, fewest_right=37),
    "ordinary15_vineyard_lines_en": _Figures(190, most_untrue=0, fewest_right=187),
}


@pytest.fixture(scope="module", params=_FIGURES)
def language_lines(request: pytest.FixtureRequest) -> tuple[_Figures, list[ScoredLine]]:
    """All lines of a file with their scores, and what they must reach."""
    path = FOLDER / f"{request.param}.yaml"
    house = name_house(path)
    return _FIGURES[request.param], [score_line(line, house) for line in read_lines(path)]


def test_no_line_changes_the_world_untruly(
    language_lines: tuple[_Figures, list[ScoredLine]],
) -> None:
    """No more lines than the figure change the world in a way that they do not ask for."""
    figures, lines = language_lines
    untrue = [each.line.text for each in lines if each.score == "untrue"]

    assert len(untrue) <= figures.most_untrue, untrue


def test_lines_are_understood_as_their_labels_say(
    language_lines: tuple[_Figures, list[ScoredLine]],
) -> None:
    """At least as many lines are right as the figure says."""
    figures, lines = language_lines

    assert sum(each.score == "right" for each in lines) >= figures.fewest_right


def test_no_line_has_gone(language_lines: tuple[_Figures, list[ScoredLine]]) -> None:
    """Each file has exactly the lines that were counted."""
    figures, lines = language_lines

    assert figures.lines == len(lines)
