"""Games made by TextWorld's `tw-make`, told again as scenarios.

Reads the game's `.json` file and nothing else; TextWorld itself is not needed. What a
game says and a scenario cannot is always told, and where the game would play
differently without it, the game is not imported.
"""

from saniwa.scenario.textworld.whole import Imported, import_game

__all__ = ["Imported", "import_game"]
