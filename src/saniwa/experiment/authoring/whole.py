"""A plan put together from its keys: what is said, what its profile says, what is usual."""

from collections.abc import Mapping
from typing import Any, Final

from saniwa.core.paper.held import Held
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.experiment.authoring.authored import Authored
from saniwa.experiment.authoring.factors import Factors
from saniwa.experiment.authoring.form import MOST_CELLS, PLAN, RANGES, fields
from saniwa.experiment.authoring.scenarios import id_of, scenarios_of
from saniwa.experiment.authoring.seeds import seeds_of
from saniwa.experiment.authoring.slug import id_from, is_id
from saniwa.experiment.authoring.tables import faults_of, prices_of, prompts_of
from saniwa.experiment.cell import count_cells
from saniwa.experiment.plan import PROFILES, Faults, Mode, Plan, Profile

MODES: Final = ("sim", "real")
"""Who may play the characters."""


class Whole:
    """One plan on its way from keys to a `Plan`."""

    def __init__(self, held: Held, otherwise: str = "") -> None:
        """Look at every key; `otherwise` is the plan's id where it has none."""
        self._held = held
        self._found = fields(held, PLAN, "a plan")
        self._otherwise = otherwise
        named = self._found.one_of("profile", tuple(PROFILES), "")
        self._profile: Profile | None = PROFILES.get(named)

    def authored(self, folder: str) -> Authored:
        """The plan, as far as it can be read; findings are on its page."""
        found = self._found
        prompts = self._table("prompts", prompts_of)
        faults = self._table("faults", faults_of)
        scenarios = self._scenarios()
        mode = self._mode()
        factors = Factors(found, self._profile, mode)
        plan = Plan(
            experiment_id=self._id(scenarios),
            question=found.said("question", ""),
            mode=mode,
            profile=found.said("profile", ""),
            scenarios=tuple(scenarios),
            conditions=factors.conditions(),
            factors=factors.levels,
            seeds=self._seeds(),
            llm_url=found.said("llm_url", ""),
            prices=self._table("prices", prices_of),
            faults=faults,
            **self._numbers(),
        )
        self._check(plan, factors, faults)
        return Authored(
            plan=plan,
            folder=folder,
            prompts=prompts,
            books=factors.books,
            places=self._places(scenarios, factors.places),
        )

    def _mode(self) -> Mode:
        """Who plays: as said; where nothing is said, models if one is named."""
        asked = {"model", "llm_url"} & self._found.keys()
        factors = self._found.said("factors", {})
        usual = "real" if asked or "model" in factors else "sim"
        said = self._found.one_of("mode", MODES, usual)
        return "real" if said == "real" else "sim"

    def _check(
        self, plan: Plan, factors: Factors, faults: Mapping[str, Faults]
    ) -> None:
        factors.check_faults(faults)
        if plan.mode == "real" and not any(c.model for c in plan.conditions):
            self._model_missing(plan)
        cells = count_cells(plan)
        if cells > MOST_CELLS:
            message = f"{cells} cells are more than the {MOST_CELLS} a plan may have"
            self._held.error("PLAN_TOO_LARGE", message, hint="fewer seeds or levels")

    def _model_missing(self, plan: Plan) -> None:
        factors = self._found.said("factors", {})
        if plan.llm_url or "model" in (*self._found, *self._found.malformed, *factors):
            return  # one is named, and what is wrong with it was said
        hint = "add 'model', such as ollama:gemma3, or an address in 'llm_url'"
        message = "in mode 'real' a plan needs 'model'"
        self._held.bottom.error("FIELD_MISSING", message, hint=hint)

    def _id(self, scenarios: Mapping[str, Where]) -> str:
        held = self._found.get("experiment_id")
        if held is None:
            alone = id_of(next(iter(scenarios))) if len(scenarios) == 1 else ""
            return self._otherwise or id_from(alone)
        if not is_id(held.value):
            message = f"{quoted(held.value)} cannot be the id of an experiment"
            hint = (
                "letters, digits, '.', '_' and '-', beginning with a letter or digit: "
            )
            held.error("NAME_UNUSABLE", message, hint=hint + repr(id_from(held.value)))
        return str(held.value)

    def _scenarios(self) -> dict[str, Where]:
        held = self._found.get("scenarios")
        if held is None:
            self._found.needs(("scenarios",), "a plan", "name one, such as 'default'")
            return {}
        return scenarios_of(held)

    def _seeds(self) -> tuple[int, ...]:
        held = self._found.get("seeds")
        if held is not None:
            return seeds_of(held)
        return tuple(range(self._profile.seeds)) if self._profile else (0,)

    def _numbers(self) -> dict[str, int]:
        said: dict[str, int] = {}
        if self._profile is not None:
            said["max_turns"] = self._profile.max_turns
            said["max_tokens"] = self._profile.max_tokens
        for name, (least, most) in RANGES.items():
            held = self._found.get(name)
            if held is None:
                continue
            if least <= held.value <= most:
                said[name] = held.value
            else:
                message = f"{name!r} is from {least} to {most}, not {held.value}"
                held.error("WRONG_TYPE", message)
        return said

    def _table(self, name: str, read: Any) -> Any:
        """A table of the plan; where one stands over another, both count."""
        held: Held | None = self._found.get(name)
        whole: dict[str, Any] = {}
        layers = []
        while held is not None:
            layers.append(held)
            held = held.below
        for layer in reversed(layers):
            whole |= read(layer)
        return whole

    def _places(
        self, scenarios: Mapping[str, Where], more: Mapping[str, Where]
    ) -> dict[str, Where]:
        places = {f"scenarios.{name}": where for name, where in scenarios.items()}
        held = self._found.get("prompts")
        if held is not None:
            document = held.page.document
            for name in held.value:
                places[f"prompts.{name}"] = document.where((*held.path, name))
        return {**places, **more}
