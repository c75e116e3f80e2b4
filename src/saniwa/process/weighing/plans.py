"""The definitions that runs stand on, each made ready once."""

from saniwa.process.ports import RunLog
from saniwa.process.standing import Standing
from saniwa.process.weighing.plan import Plan


class Plans:
    """Plans by the hash of their definition; a definition never changes."""

    def __init__(self, log: RunLog) -> None:
        """The plans of the runs in a log."""
        self._log = log
        self._plans: dict[str, Plan] = {}
        self.any_hooks = False
        """Whether any definition met so far has hooks at all."""

    def at(self, hash: str) -> Plan:
        """The plan of the definition with that hash.

        Raises:
            StoreError: `DEFINITION_MISSING`.
        """
        plan = self._plans.get(hash)
        return plan if plan is not None else self.keep(Plan(self._log.definition(hash)))

    def of(self, standing: Standing) -> Plan:
        """The plan a run stands on.

        Raises:
            StoreError: `DEFINITION_MISSING`.
        """
        return self.at(standing.opening.definition)

    def keep(self, plan: Plan) -> Plan:
        """Keep a plan that was made elsewhere."""
        self._plans[plan.hash] = plan
        self.any_hooks = self.any_hooks or plan.has_hooks
        return plan
