"""What is wrong with an agent as a whole, found all at once.

Every look takes about as long as the agent is large; none stops at the first mistake.
"""

from saniwa.agent.authoring.draft import Draft
from saniwa.agent.authoring.lint import limits, links, parts, reach, steps
from saniwa.agent.definition import Completion, Limits


def check_flow(draft: Draft, completion: Completion, stops: Limits) -> None:
    """Note everything that is wrong with a flow and with how it is to end."""
    steps.look(draft)
    links.look(draft)
    parts.look(draft)
    reach.look(draft, completion)
    limits.look(draft, completion, stops)
