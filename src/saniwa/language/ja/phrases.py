"""Japanese output: how names and deeds become phrases; `phrases.yaml` has the sentences."""

from collections.abc import Sequence
from pathlib import Path

from saniwa.language.grammar import Phrasebook, read_sentences
from saniwa.language.ja.conjugation import is_ichidan, to_past_form
from saniwa.language.lexicon import ja
from saniwa.world.model import Exit

_SENTENCES = read_sentences(Path(__file__).with_name("phrases.yaml"))
VERBS = _SENTENCES.verbs
_I_ROW, _U_ROW = "いきぎしちにびみり", "うくぐすつぬぶむる"
_KNOWN = tuple(sorted({verb for verb, _ in ja.VERBS}))


def _find_plain_form(stem: str) -> str:
    """うなずく for うなずき, すくめる for すくめ, お辞儀する for お辞儀し."""
    forms = [stem + "る"]
    if stem[-1:] in _I_ROW and stem:
        forms.insert(0, stem[:-1] + _U_ROW[_I_ROW.index(stem[-1])])
    if stem.endswith("し"):
        forms.append(stem[:-1] + "する")
    return next((form for form in forms if form.endswith(_KNOWN)), forms[0])


class JapaneseGrammar:
    """Names, lists and exits in Japanese."""

    def add_indefinite_article(self, name: str) -> str:
        """The name unchanged."""
        return name

    def add_definite_article(self, name: str) -> str:
        """The name unchanged."""
        return name

    def name_place(self, name: str) -> str:
        """The name unchanged."""
        return name

    def conjugate_deed(self, verb: str, *, mine: bool) -> str:
        """切った for 切る, for every actor."""
        del mine
        return to_past_form(verb, ichidan=is_ichidan(verb))

    def narrate_gesture(self, words: str, *, mine: bool) -> str:
        """首を振った for 首を振る or 首を振ります, for every actor."""
        del mine
        said = words.strip(" 　。．.！!…、")
        if said.endswith(("た", "だ")):
            return said
        verb = _find_plain_form(said.removesuffix("ます")) if said.endswith("ます") else said
        if verb[-1:] not in _U_ROW:
            return ""
        return to_past_form(verb, ichidan=is_ichidan(verb))

    def join_names(self, names: Sequence[str]) -> str:
        """甲、乙、丙."""
        return "、".join(names)

    def describe_exit(self, label: str, place: str, way: Exit, door: str, shut: bool | None) -> str:
        """北（果樹園、鉄の門・閉）."""
        state = "" if shut is None else "・閉" if shut else "・開"
        notes = [place] if label and label != place else []
        notes += [f"{door}{state}"] if way.door and door else []
        shown = label or place
        return f"{shown}（{'、'.join(notes)}）" if notes else shown


JAPANESE = Phrasebook(JapaneseGrammar(), _SENTENCES.lines, _SENTENCES.plans)
