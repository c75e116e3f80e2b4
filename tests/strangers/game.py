"""A game as TextWorld itself plays it: what is true, what is allowed, whether it is won."""

from typing import Any

from tests.fakes.textworld import render_command


class TextWorldGame:
    """A game at one moment; only the conditions of its quests are followed.

    TextWorld's own tracking of quests grows with the walk, in some games to gigabytes.
    """

    def __init__(self, game: Any) -> None:
        self.made = game
        """The game as TextWorld made it."""
        self.types = {id: str(info.type) for id, info in game.infos.items()}
        """The type of every id."""
        self._names = {id: info.name for id, info in game.infos.items()}
        self._state = game.world.state.copy()
        self._won: set[int] = set()
        self._lost = False
        self._look()
        self._list()

    @property
    def facts(self) -> set[str]:
        """Every true fact."""
        return {
            f"{fact.name}({', '.join(arg.name for arg in fact.arguments)})"
            for fact in self._state.facts
        }

    @property
    def commands(self) -> dict[str, str]:
        """Every command allowed now, with ids, mapped to the same command with names."""
        return {
            command: str(action.format_command(self._names))
            for command, action in self._actions.items()
        }

    @property
    def is_complete(self) -> bool:
        """Whether every required quest is done and none has failed."""
        asked = {
            number
            for number, quest in enumerate(self.made.quests)
            if quest.win_events and not quest.optional
        }
        return asked <= self._won and not self._lost

    def do(self, command: str) -> None:
        """Do what a command says."""
        self._state.apply(self._actions[command])
        if not self.is_complete:
            self._look()
        self._list()

    def _look(self) -> None:
        for number, quest in enumerate(self.made.quests):
            if not quest.optional and any(map(self._is_true, quest.fail_events)):
                self._lost = True
            if any(map(self._is_true, quest.win_events)):
                self._won.add(number)

    def _list(self) -> None:
        knowledge = self.made.kb
        found = self._state.all_applicable_actions(
            knowledge.rules.values(), knowledge.types.constants_mapping
        )
        # Two rules may share a command; their effect is the same.
        self._actions = {render_command(action, self.made): action for action in found}

    def _is_true(self, event: Any) -> bool:
        return bool(self._state.is_applicable(event.condition))
