"""Rulebook layers for tests."""

from typing import Any

HANDS_OFF: dict[str, Any] = {
    "id": "hands_off",
    "rules": [
        {
            "actionType": "take",
            "checks": [
                {
                    "id": "never",
                    "description": "nothing may be taken",
                    "condition": {
                        "op": "not",
                        "condition": {"op": "entityExists", "role": "actor"},
                    },
                    "failReason": "INVALID_TARGET",
                    "failMessage": "Hands off.",
                }
            ],
        }
    ],
}
"""A layer that forbids taking anything."""
