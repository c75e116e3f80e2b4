"""The agents that a scenario names for its characters."""

from collections.abc import Iterator
from typing import Any

from saniwa.core.document import Document
from saniwa.core.errors import ConfigurationError
from saniwa.core.finding import Finding


def authored_agents(scenario: Any) -> dict[str, str]:
    """The agents that a scenario's document names for its characters."""
    people = scenario.get("characters") if isinstance(scenario, dict) else None
    if not isinstance(people, dict):
        return {}
    named = {
        who: each.get("agent") for who, each in people.items() if isinstance(each, dict)
    }
    return {str(w): name for w, name in named.items() if isinstance(name, str)}


def agent_findings(document: Document) -> Iterator[Finding]:
    """Agents that cannot be found from here. They may be found elsewhere: no error."""
    for who, name in sorted(authored_agents(document.plain).items()):
        # Late: few scenarios name any.
        from saniwa.wiring.agents import find_agent

        try:
            find_agent(name)
        except ConfigurationError as problem:
            yield Finding(
                code=problem.code,
                message=f"{problem.message}, for the character {who!r}",
                where=document.where(("characters", who, "agent")),
                severity="warning",
                hint=problem.hint,
            )
