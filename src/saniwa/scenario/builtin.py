"""The scenario that needs no file: a kitchen and a living room, one morning.

Places, things and people are those of the published scenario of this name; the words
are our own, so its world has a hash of its own.
"""

from typing import Any


def default_document() -> dict[str, Any]:
    """The built-in scenario as an author would have written it; a fresh copy."""
    return {
        "name": "default",
        "language": "ja",
        "time_of_day": "morning",
        "locations": {
            "キッチン": {
                "description": "窓が東を向いていて、朝がいちばん明るい。",
                "props": ["マグカップ", "コーヒーメーカー"],
                "exits": ["リビング"],
            },
            "リビング": {
                "description": "低い棚に囲まれた、みんなの集まる部屋。",
                "props": ["テレビ", "ソファ"],
                "exits": ["キッチン"],
            },
        },
        "props": {
            "マグカップ": {"location": "キッチン", "state": ["clean"]},
            "コーヒーメーカー": {"location": "キッチン", "state": ["off"]},
            "テレビ": {"location": "リビング", "state": ["off"]},
            "ソファ": {"location": "リビング", "state": ["empty"]},
        },
        "characters": {
            "やな": {"location": "キッチン", "holding": []},
            "あゆ": {"location": "キッチン", "holding": []},
        },
    }
