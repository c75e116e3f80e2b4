"""What the options of `saniwa play` say about agents and models; `cli.company` does it."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Literal, NamedTuple, TypeVar

import click

from saniwa.cli.models import ModelChoice, model_options
from saniwa.turn.orders import ORDERS, Order

F = TypeVar("F", bound=Callable[..., Any])

_SEATINGS = {order.replace("_", "-"): order for order in ORDERS}


class Wanted(NamedTuple):
    """What somebody wants of agents and models."""

    agent: tuple[str, ...] = ()
    """Seats for agents: `WHO` or `WHO=AGENT`."""
    agents: bool = False
    """Whether the agents that the scenario names have their seats."""
    seating: str | None = None
    """Who comes after whom."""
    parser: Literal["phrase", "model", "hybrid"] = "phrase"
    """Who listens."""
    narrator: Literal["plain", "model"] = "plain"
    """Who tells."""
    choice: ModelChoice = ModelChoice()
    """Which model is asked, and how far."""
    style: str = ""
    """How a model is to tell."""
    memory: Literal["words", "vectors"] = "words"
    """How characters' memories are compared."""

    @property
    def any(self) -> dict[str, object]:
        """The options that were given, by the way they are typed."""
        said = {**self._asdict(), **self.choice._asdict()}
        usual = {**Wanted()._asdict(), **ModelChoice()._asdict()}
        return {
            "--" + name.replace("_", "-"): value
            for name, value in said.items()
            if value != usual[name] and name != "choice"
        }

    @property
    def order(self) -> Order | None:
        """The seating by its name in the trace."""
        return _SEATINGS[self.seating] if self.seating else None

    def seats(self, scenario: Mapping[str, Any], actor: str) -> dict[str, str]:
        """The seats that agents are to have: the author's first, then the user's.

        Nobody takes the seat of who plays, unless that is asked for by name.

        Raises:
            click.UsageError: The author's agents are wanted, and there are none.
        """
        from saniwa.wiring.cast import CHARACTER
        from saniwa.wiring.scenario_agents import authored_agents

        authored = authored_agents(scenario) if self.agents else {}
        authored.pop(actor, None)
        if self.agents and not authored:
            raise click.UsageError(
                f"--agents seats the agents that a scenario names, and this one names "
                f"none for anybody but {actor!r}; seat one yourself: --agent WHO"
            )
        named = (each.partition("=") for each in self.agent)
        return authored | {who: agent or CHARACTER for who, _, agent in named}

    def check(self) -> None:
        """See that the options fit together.

        Raises:
            click.UsageError: A character has two agents, or a style has no model; as
                `ModelChoice.check`.
        """
        self.choice.check()
        if self.style and self.narrator != "model":
            raise click.UsageError(
                "--style says how a model is to tell, and none tells: --narrator model"
            )
        whose = Counter(each.partition("=")[0] for each in self.agent)
        twice = [who for who, times in whose.items() if times > 1]
        if twice:
            raise click.UsageError(
                f"--agent gives the seat of {twice[0]!r} twice; a seat is for one"
            )

    def again(self, *, store: str | None, registry: str | None) -> str:
        """The command that goes on with the same store, model and manners."""
        import shlex

        given = {"--store": store, "--registry": registry, **self.any}
        seats = ("--agent", "--agents", "--seating")
        kept = ((n, v) for n, v in given.items() if v is not None and n not in seats)
        words = (word for name, value in kept for word in (name, str(value)))
        return shlex.join(("saniwa", "play", "--resume", "last", *words))


def company_options(command: F) -> F:
    """Agents at the table; they come to the command as `wanted`."""

    @wraps(command)
    def packed(**given: Any) -> Any:
        mine = {name: given.pop(name) for name in Wanted._fields}
        return command(wanted=Wanted(**mine), **given)

    options = (
        click.option(
            "--agent",
            multiple=True,
            metavar="WHO[=AGENT]",
            help="Let an agent play this character (else `character`). Repeatable.",
        ),
        click.option(
            "--agents", is_flag=True, help="Seat the agents the scenario names."
        ),
        click.option(
            "--seating",
            type=click.Choice(list(_SEATINGS)),
            help="Who comes after whom (else order).",
        ),
        click.option(
            "--parser",
            type=click.Choice(["phrase", "model", "hybrid"]),
            default="phrase",
            show_default=True,
            help="Who makes out what you mean.",
        ),
        click.option(
            "--narrator",
            type=click.Choice(["plain", "model"]),
            default="plain",
            show_default=True,
            help="Who tells what happens.",
        ),
        click.option(
            "--style", default="", help="How a model is to tell it: dry, say."
        ),
        click.option(
            "--memory",
            type=click.Choice(["words", "vectors"]),
            default="words",
            show_default=True,
            help="How agents find what comes to their mind.",
        ),
    )
    decorated: Any = model_options(packed)
    for option in reversed(options):
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]
