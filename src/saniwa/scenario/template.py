"""The text a new scenario begins from: small, complete, and free of findings."""

_ENGLISH = """\
# Check it:   saniwa scenario check <id>
# Play it:    saniwa play <id>
# Every key:  docs/reference/scenario-format.md
name: <id>
description: A room, a drawer and a locked door.
language: en
time_of_day: morning          # morning, afternoon, evening, night
gm_opening_message: You wake up in a study that is not yours.

# Places. An exit is a direction and a place, or {to: place, door: door}.
locations:
  study:
    name: Study
    description: Books, dust and a desk.
    exits:
      north: {to: terrace, door: glass_door}
  terrace:
    name: Terrace
    description: Fresh air at last.
    is_goal: true             # being here ends the story well
    exits:
      south: {to: study, door: glass_door}

# Things. kind: item (the default), container, supporter, door, fixture.
props:
  glass_door:
    name: glass door
    kind: door
    connects: [study, terrace]
    locked: true
    required_key: small_key
    hint: There must be a key in the desk.
  desk:
    name: desk
    kind: container           # closed, unless you add open: true
    location: study
  small_key:
    name: small key
    location: desk
    aliases: [key]

# People. The first one is the player's.
characters:
  player:
    name: visitor
    location: study
"""

_JAPANESE = """\
# 検査:     saniwa scenario check <id>
# 遊ぶ:     saniwa play <id>
# 全項目:   docs/reference/scenario-format.md
name: <id>
description: 部屋と、引き出しと、鍵のかかった扉。
language: ja
time_of_day: morning          # morning, afternoon, evening, night
gm_opening_message: 見知らぬ書斎で目が覚めた。

# 場所。出口は「方角: 場所」、または「方角: {to: 場所, door: 扉}」。
locations:
  書斎:
    description: 本と埃と机。
    exits:
      北: {to: テラス, door: 硝子の扉}
  テラス:
    description: やっと外の空気だ。
    is_goal: true             # ここに着けば終わり
    exits:
      南: {to: 書斎, door: 硝子の扉}

# 物。kind は item（省略時）, container, supporter, door, fixture。
props:
  硝子の扉:
    kind: door
    connects: [書斎, テラス]
    locked: true
    required_key: 小さな鍵
    hint: 机のどこかに鍵があるはずだ。
  机:
    kind: container           # open: true と書かなければ閉じている
    location: 書斎
  小さな鍵:
    location: 机
    aliases: [鍵]

# 人物。最初の一人を遊ぶ人が演じる。
characters:
  旅人:
    location: 書斎
"""

TEMPLATES = {"en": _ENGLISH, "ja": _JAPANESE}
"""The text by language; `<id>` stands for the id."""
