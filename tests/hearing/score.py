"""Score how a labelled line is understood."""

from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import yaml

from saniwa.rulebook.loader import load_shipped_book, read_rulebook
from saniwa.runs.word_interpreter import interpret_phrases
from saniwa.scenario.loader import load_scenario
from saniwa.turn.play import play_turn
from saniwa.turn.record import SpokenWords, Turn
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import Id, World

FOLDER = Path(__file__).parent
BOOK = read_rulebook(load_shipped_book("default"))
PLAYER = Id("player")
LOOKING = frozenset({"look", "inspect", "search"})
HARMLESS = LOOKING | {"emote", "speak"}
OPTIONAL = frozenset({"source", "relation", "to", "about"})

_HOST_ANSWERS = {"actions": "what_can_i_do", "hint": "hint", "inventory": "what_do_i_have"}
"""Questions that ask for the same as a command for the host."""

Score = Literal["right", "missed", "wrong", "untrue"]


class LabelledLine(NamedTuple):
    """A line with its meaning."""

    text: str
    """The words of the line."""
    label: dict[str, Any]
    """The keys of its group and its own keys; `README.md` lists them."""

    @property
    def deeds(self) -> list[dict[str, Any]]:
        """The actions it asks for that could change the world."""
        return [deed for deed in self.label.get("actions", ()) if deed["type"] not in HARMLESS]


class ScoredLine(NamedTuple):
    """A line and how it was understood."""

    line: LabelledLine
    score: Score
    heard: list[dict[str, Any]]
    turn: Turn


def read_lines(path: Path) -> list[LabelledLine]:
    """All labelled lines of a file."""
    lines = []
    for group in yaml.safe_load(path.read_text(encoding="utf-8")):
        common = {key: value for key, value in group.items() if key != "lines"}
        for entry in group["lines"]:
            own = entry if isinstance(entry, dict) else {"text": entry}
            lines.append(LabelledLine(own["text"], common | own))
    return lines


@lru_cache
def load_house(name: str) -> World:
    """A world in which lines are said: `en`, `ja`, `workshop_en`, `ship_en`."""
    return load_scenario(FOLDER / f"world_{name}.yaml").world


def name_house(path: Path) -> str:
    """The world in the last part of a file's name: `inn_ja` for `fresh_inn_lines_ja.yaml`."""
    words = path.stem.replace("_lines", "").split("_")
    names = ("_".join(words[start:]) for start in range(len(words)))
    return next(name for name in names if (FOLDER / f"world_{name}.yaml").exists())


def score_line(line: LabelledLine, house: str) -> ScoredLine:
    """Say a line in its world and compare what was understood with its label."""
    world = load_house(house)
    words = SpokenWords(actor_id=PLAYER, text=line.text)
    claims, _ = interpret_phrases(words, world, None)
    turn, after = play_turn(words, claims, world, BOOK)
    heard = [_describe_action(action) for action in turn.normalized_actions]
    changed = compute_fingerprint(world) != compute_fingerprint(after)
    return ScoredLine(line, _compare(line, heard, turn, changed), heard, turn)


def _describe_action(action: object) -> dict[str, Any]:
    fields = msgspec.to_builtins(action)
    found = {key.removesuffix("Id"): value for key, value in fields.items() if key != "actorId"}
    if found["type"] == "use" and "tool" in found:
        found["type"] = "unlock"
    return found


def _compare(line: LabelledLine, heard: list[dict[str, Any]], turn: Turn, changed: bool) -> Score:
    deeds = [deed for deed in heard if deed["type"] not in HARMLESS]
    if not deeds:
        return _compare_harmless(line, heard, turn)
    if _match_all(line.deeds, deeds, anyhow=line.label.get("any_order", False)):
        return "right"
    if not changed and _names_leftover(line, deeds, turn):
        return "right"
    return "untrue" if changed else "wrong"


def _names_leftover(line: LabelledLine, deeds: list[dict[str, Any]], turn: Turn) -> bool:
    """Whether the only action is one on an unknown thing, which is refused."""
    unknown = line.label.get("leftover", "").lower()
    named = [str(value).lower() for deed in deeds for value in deed.values()]
    refused = not any(verdict.success for verdict in turn.validation_results)
    return bool(unknown) and refused and any(unknown in name for name in named)


def _compare_harmless(line: LabelledLine, heard: list[dict[str, Any]], turn: Turn) -> Score:
    """Score a line that was not understood as a deed."""
    label = line.label
    if label.get("or_nothing"):
        return "right"
    if line.deeds:
        return "missed"
    if label["mood"] in ("question", "permission"):
        return _compare_answer(label, turn)
    wanted = [deed for deed in label.get("actions", ()) if deed["type"] in LOOKING]
    looked = [deed for deed in heard if deed["type"] in LOOKING]
    return "right" if not wanted or _match_all(wanted, looked, anyhow=True) else "missed"


def _compare_answer(label: dict[str, Any], turn: Turn) -> Score:
    """Score a question by the kind of answer it got."""
    answers = label.get("answer", "other")
    wanted = {answers} if isinstance(answers, str) else set(answers)
    wanted.add(_HOST_ANSWERS.get(label.get("meta", "")))
    if "other" in wanted:
        return "right"
    claims = [claim for claim in turn.parsed_actions if isinstance(claim, dict)]
    kinds = {claim.get("kind") for claim in claims if claim.get("type") == "question"}
    kinds |= {"can_i"} if "why" in kinds else set()
    kinds |= {_HOST_ANSWERS.get(c.get("command", "")) for c in claims if c.get("type") == "host"}
    return "right" if kinds & wanted - {None} else "missed"


def _match_all(wanted: list[dict[str, Any]], heard: list[dict[str, Any]], *, anyhow: bool) -> bool:
    if len(wanted) != len(heard):
        return False
    if not anyhow:
        return all(_match(one, other) for one, other in zip(wanted, heard, strict=True))
    left = list(heard)
    for one in wanted:
        found = next((other for other in left if _match(one, other)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def _match(wanted: dict[str, Any], heard: dict[str, Any]) -> bool:
    kinds = {wanted["type"], heard["type"]}
    if len(kinds) > 1 and not kinds <= LOOKING and wanted["type"] != "use":
        return False
    if wanted["type"] == "introduce":
        return wanted.get("name", "").lower() in str(heard.get("metadata", "")).lower()
    named = {key for key in wanted if key not in OPTIONAL | {"type"}}
    return all(wanted[key] == heard.get(key) for key in named)


def count_scores(scored: list[ScoredLine]) -> dict[str, Counter[Score]]:
    """How many lines of each class have each score."""
    counts: dict[str, Counter[Score]] = {}
    for each in scored:
        counts.setdefault(each.line.label["class"], Counter())[each.score] += 1
    return counts
