"""One cell, from the first prompt to the last turn. Read `play_cell` first.

Every attempt is judged by the same book in every condition. *Inject* decides whether a
prompt says what is true. The *game master* decides whether a refusal comes back as a card
and is tried again, with another seed; whether the next speaker is told facts about the
turn; and whether the talk passes on what was said, or what came true.
"""

from dataclasses import dataclass, field
from typing import Final

import msgspec

from saniwa.agent.oracle import Oracle
from saniwa.core.errors import SdkBridgeError
from saniwa.core.sound import sound
from saniwa.experiment.cell import Cell
from saniwa.experiment.outcome import Attempt, Outcome, Passage
from saniwa.experiment.plan import RETRY_STRIDE, Prepared
from saniwa.experiment.playing.addressing import misaddressed
from saniwa.experiment.playing.attempt import attempt_of, spoken, standing
from saniwa.experiment.playing.correction import fail_reason, silently_corrected
from saniwa.experiment.playing.intents import alters
from saniwa.experiment.playing.opening import Stages, Table
from saniwa.experiment.playing.remarks import fact_cards, trigger_of
from saniwa.experiment.playing.stall import alarms, severity, stall_score
from saniwa.experiment.playing.transcript import HeardLine, find_hearers, line_of
from saniwa.experiment.telling.card import given_up, guidance
from saniwa.experiment.telling.facts import Facts, facts_of, tell_facts
from saniwa.experiment.telling.prompt import Brief, request_of
from saniwa.run.conductor import Run
from saniwa.run.weighed import Weighed
from saniwa.turn.trace import Turn
from saniwa.world.model import Entity, Id, World
from saniwa.world.view import goal_reached, milestones_passed, whose_turn


async def play_cell(stages: Stages, cell: Cell, oracle: Oracle) -> Outcome:
    """Play all turns of a cell and tell everything that came of it.

    An answer that a model refuses is an outcome too, and says so. Whatever is not the
    cell's fault is raised, so that it can be done again: a model that is away, a wrong
    key, a spent budget.

    Raises:
        SdkBridgeError: The model could not be asked.
    """
    prepared = stages.prepared
    sitting = _Sitting(prepared, cell, oracle, stages.table(cell))
    error = message = ""
    try:
        while not sitting.stopped and len(sitting.passages) < prepared.plan.max_turns:
            sitting.passages.append(await sitting.passage())
    except SdkBridgeError as problem:
        if not _by_the_model(problem):
            raise
        error, message = problem.code, problem.message
    return Outcome(
        key=cell.key,
        plan=stages.fingerprint,
        condition=cell.condition.name,
        scenario=cell.scenario,
        seed=cell.seed,
        passages=tuple(sitting.passages),
        goal_reached=sitting.goal,
        milestones=len(sitting.milestones),
        milestones_passed=sum(sitting.milestones),
        stopped=sitting.stopped if not error else "",
        error=error,
        error_message=message,
        dropped=tuple(sitting.attempts) if error else (),
    )


_NOT_THE_QUESTION: Final = (401, 402, 403, 404, 405, 407, 410, 429)
"""What a server answers to any question at all: a wrong key, name or address, an empty
account."""


def _by_the_model(problem: SdkBridgeError) -> bool:
    """Whether this very question was refused, and would be again."""
    status = problem.details.get("status")
    elsewhere = isinstance(status, int) and 300 <= status < 400
    asked = status not in _NOT_THE_QUESTION and not elsewhere
    return problem.code == "BRIDGE_REFUSED" and not problem.recoverable and asked


@dataclass(slots=True)
class _Sitting:
    """A cell under way."""

    prepared: Prepared
    cell: Cell
    oracle: Oracle
    table: Table
    passages: list[Passage] = field(default_factory=list)
    talk: list[HeardLine] = field(default_factory=list)
    speeches: list[str] = field(default_factory=list)
    unprompted: list[str] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    alarmed: int | None = None

    @property
    def run(self) -> Run:
        return self.table.run

    @property
    def goal(self) -> bool | None:
        world = self.run.world
        return None if world.goal is None else goal_reached(world)

    @property
    def milestones(self) -> tuple[bool, ...]:
        """For each milestone that leads to the goal: whether it was passed."""
        return milestones_passed(self.run.world)

    @property
    def stopped(self) -> str:
        """Why there is no further turn; empty where there is."""
        if self.goal:
            return "goal reached"
        enough = self.prepared.plan.stop_after_give_ups
        if enough and sum(p.give_up for p in self.passages) >= enough:
            return f"{enough} give-ups"
        return ""

    async def passage(self) -> Passage:
        """One turn: asked, weighed, perhaps asked again, kept."""
        speaker, before = self._speaker(), self.run.world
        attempts, turn = await self._attempts(speaker, before)
        final = attempts[-1]
        give_up = self.cell.condition.gm and not final.valid
        passage = Passage(
            number=len(self.passages),
            speaker=speaker.id,
            speaker_name=speaker.name,
            attempts=tuple(attempts),
            give_up=give_up,
            fail_reason=fail_reason(attempts),
            silent_correction=silently_corrected(attempts, give_up=give_up),
            addressing=misaddressed(final.speech, speaker.id, before),
            turn=turn,
        )
        return self._remarked(passage, before)

    async def _attempts(
        self, speaker: Entity, before: World
    ) -> tuple[list[Attempt], Turn]:
        """The answers of one turn, and the turn that the last of them became."""
        facts = facts_of(before, speaker.id)
        retries = self.prepared.plan.max_retries if self.cell.condition.gm else 0
        attempts = self.attempts = []
        while True:
            card = attempts[-1].card if attempts else ""
            number = len(attempts)
            asked = await self._ask(speaker, facts, card, number)
            tried = await self._weighed(spoken(asked.raw_output), speaker.id)
            attempt = attempt_of(asked, tried.turn, before)
            if number == retries or attempt.valid:
                attempts.append(self._closed(attempt))
                return attempts, await self._played(tried, standing(attempt))
            answered = guidance(attempt.refused[0], facts, number + 1, retries + 1)
            attempts.append(msgspec.structs.replace(attempt, card=answered))

    async def _ask(
        self, speaker: Entity, facts: Facts, card: str, number: int
    ) -> Attempt:
        plan, condition = self.prepared.plan, self.cell.condition
        seed = self.cell.seed + RETRY_STRIDE * number
        brief = self._brief(speaker, facts, card)
        answer = await self.oracle.answer(
            request_of(
                brief,
                self.table.edition,
                max_tokens=plan.max_tokens,
                temperature=condition.temperature,
                seed=seed,
            )
        )
        return Attempt(
            number=number,
            seed=seed,
            raw_output=sound(answer.text),
            finish=answer.finish,
            input_tokens=answer.usage.input_tokens,
            output_tokens=answer.usage.output_tokens,
            cost=answer.usage.cost,
            unpriced=answer.usage.unpriced > 0,
            unsent=answer.unsent,
            latency_ms=answer.took_ms,
        )

    def _brief(self, speaker: Entity, facts: Facts, card: str) -> Brief:
        condition, last = self.cell.condition, self.passages[-1:]
        return Brief(
            name=speaker.name,
            description=speaker.description,
            others=tuple(e.name for e in self.table.cast if e.id != speaker.id),
            language=self.run.record.language,
            turn=len(self.passages),
            opening=self.table.opening,
            goals=speaker.goals,
            transcript=tuple(x.line for x in self.talk if speaker.id in x.hearers),
            facts=tell_facts(facts) if condition.inject else "",
            cards=last[0].fact_cards if condition.gm and last else (),
            guidance=card,
        )

    async def _weighed(self, text: str, speaker: Id) -> Weighed:
        return await self.run.weigh(text, speaker, aloud=True)

    async def _played(self, tried: Weighed, text: str) -> Turn:
        """The turn of what stands, which is not always all that was tried."""
        if text != tried.turn.raw_text:
            tried = await self._weighed(text, tried.turn.actor_id)
        return await self.run.play(tried)

    def _closed(self, attempt: Attempt) -> Attempt:
        """The last attempt of a turn; with a game master it may be a give-up."""
        if attempt.valid or not self.cell.condition.gm:
            return attempt
        card = given_up(attempt.refused[0])
        return msgspec.structs.replace(attempt, card=card)

    def _remarked(self, passage: Passage, before: World) -> Passage:
        """The passage with its score, and what a game master says to it."""
        final, turn = passage.final, passage.turn
        changed = alters(turn)
        score = stall_score(final.speech, self.speeches, changed=changed)
        # The number is the same in all conditions; the alarm leaves out what a game
        # master had somebody say again.
        heard = stall_score(final.speech, self.unprompted, changed=changed)
        since = None if self.alarmed is None else passage.number - self.alarmed
        alarm = alarms(heard, since)
        if alarm:
            self.alarmed = passage.number
        self.speeches.append(final.speech)
        if len(passage.attempts) == 1:
            self.unprompted.append(final.speech)
        gm = self.cell.condition.gm
        name = passage.speaker_name
        line = line_of(name, turn, final, before, gm=gm)
        hearers = find_hearers(Id(passage.speaker), before, self.run.world)
        self.talk.append(HeardLine(line, hearers))
        passage = msgspec.structs.replace(
            passage, stall_score=score, severity=severity(score), stall_event=alarm
        )
        if not gm:
            return passage
        return msgspec.structs.replace(
            passage,
            trigger=trigger_of(passage),
            fact_cards=fact_cards(passage, before),
        )

    def _speaker(self) -> Entity:
        """Whose turn it is: the scenario's order, else one after the other."""
        world, cast = self.run.world, self.table.cast
        named = whose_turn(world)
        if named is not None:
            return world.entities[named]
        return world.entities[cast[len(self.passages) % len(cast)].id]
