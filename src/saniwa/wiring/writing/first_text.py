"""The text a new story begins from: small, complete, and free of findings."""

from typing import Final

_ENGLISH: Final = """\
---
id: {id}
title: {title}
language: en
vars: {{lantern: false}}
---
# {title}

It is evening, and the garden gate stands open.

## gate
Somebody has left a lantern on the wall.

- Take the lantern {{once}}
  [SET lantern = true]
  It is warm, and lighter than it looks.
- [Go in](#garden)

[Look again](#gate)

## garden
:::when lantern
The light goes ahead of you. A stone, a pine, a little water: somebody made a whole world here.
:::else
It is too dark to see anything, but it smells of pine.
:::

<!-- ending: evening -->
"""
_JAPANESE: Final = """\
---
id: {id}
title: {title}
language: ja
vars: {{lantern: false}}
---
# {title}

夕方、庭の門が開いている。

## 門
塀の上に、だれかが灯りを置いていった。

- 灯りを手に取る {{once}}
  [SET lantern = true]
  あたたかくて、見た目より軽い。
- [中に入る](#庭)

[もう一度見る](#門)

## 庭
:::when lantern
灯りが先を照らす。石と松と少しの水。だれかがここに世界をまるごと作っていた。
:::else
暗くて何も見えない。松の香りだけがする。
:::

<!-- ending: evening -->
"""
LANGUAGES: Final = {"en": _ENGLISH, "ja": _JAPANESE}
"""The text by language."""
_MARKS: Final = str.maketrans("", "", "#{}[]<>*_`|")
"""What Markdown or a story would read in a heading."""


def first_text(id: str, title: str, language: str) -> str:
    """What a new story says; the title is written so that YAML reads it as text."""
    plain = " ".join(title.split()) or id
    written = '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
    front, mark, rest = LANGUAGES[language].partition("---\n# ")
    heading = " ".join(plain.translate(_MARKS).split()) or id
    return front.format(id=f'"{id}"', title=written) + mark + rest.format(title=heading)
